"""The constants of a machine: every kernel's own answer, under shuffled schedules, and its closed form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from command_line import Call
from retrace.check.closed_forms import INCREMENT, MULTIPLIER, LimitChecker, end_of_cycle
from retrace.graphs.query import NoGraph
from retrace.records.record import read_records
from retrace.solvers import LIMITS, Query, make
from retrace_today import limits
from solving import ON_CUDA, open_device

BACKENDS = ["emulator", *(pytest.param(name, marks=pytest.mark.gpu) for name in ON_CUDA)]


@pytest.mark.long
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LIMITS.solvers)
def test_kernels_find_what_the_closed_form_says(
    name: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REPEATED_S", 0)
    for seed in [None, *range(6)] if backend == "emulator" else [None]:
        with open_device(backend, seed) as device:
            solver = make(
                f"{name}:block_size=64" if "block_size" in LIMITS.find(name).settings else name, device
            )
            assert isinstance(solver, limits.LimitSolver)
            solver.setup(NoGraph())
            solver.steps = (4096 if "load" in name else 8) * solver.least_steps  # once round the cycle
            for _ in range(2):  # the second trial begins anew
                solver.upload(Query())
                assert solver.solve(Query()) == solver.steps
                answer = solver.download()
                assert answer[1] == solver.steps
                result = LimitChecker().check(name, Query(), answer)
                assert result.verified, f"seed {seed}: {result.reason}"
                assert (
                    not LimitChecker().check(name, Query(), answer + np.array([0, 0, 1], np.uint64)).verified
                )


def test_steps_are_doubled_until_they_take_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "seconds_of", lambda work: 0.001 * work.__self__.steps)
    with open_device("emulator") as device:
        solver = make("limits/barrier-block:block_size=32", device)
        solver.setup(NoGraph())
        assert isinstance(solver, limits.LimitSolver)
        assert solver.steps == 32


def test_the_end_of_a_walk_is_that_of_its_steps() -> None:
    for words in (1, 2, 64, 4096):
        at = 0
        for steps in range(2 * words):
            assert end_of_cycle(words, steps) == at
            at = (MULTIPLIER * at + INCREMENT) % words


@pytest.mark.parametrize(("size", "words"), [(4, 1), (7, 1), (8, 2), (2**20 - 1, 2**17), (2**20, 2**18)])
def test_arrays_have_a_power_of_two_of_words(size: int, words: int) -> None:
    assert limits.words_below(size) == words


def test_what_is_read_from_memory_exceeds_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_device("emulator") as device:
        for cache in (2**20, 50 * 2**20, 2**16 + 4):
            monkeypatch.setattr(device, "cache_bytes", lambda cache=cache: cache)
            in_memory, in_cache = (make(f"limits/read-{where}", device) for where in ("memory", "l2"))
            assert isinstance(in_memory, limits.Read)
            assert isinstance(in_cache, limits.Read)
            assert 16 * cache <= in_memory.memory_bytes(NoGraph()) < 32 * cache
            assert cache / 8 < in_cache.memory_bytes(NoGraph()) <= cache / 4


@pytest.mark.parametrize("variant", ["read-host", "read-host-scattered"])
def test_arrays_of_the_host_may_exceed_the_cache(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line is read once, wherever it is: the sum is that of all words."""
    monkeypatch.setattr(limits, "REPEATED_S", 0)
    for cache, caches, size in ((256, 1, 256), (2**9, 3, 2**10), (2**16 + 4, 8, 2**19)):
        with open_device("emulator") as device:
            monkeypatch.setattr(device, "cache_bytes", lambda cache=cache: cache)
            solver = make(f"limits/{variant}:caches={caches},block_size=32", device)
            assert isinstance(solver, limits.ReadHost)
            solver.setup(NoGraph())
            solver.upload(Query())
            solver.solve(Query())
            assert solver.observed() == {"bytes": size}
            assert LimitChecker().check(solver.name, Query(), solver.download()).verified


def test_records_of_a_machine_are_of_no_graph(script: Call, tmp_path: Path) -> None:
    asked = (
        "--experiment",
        "limits",
        "--backend",
        "emulator",
        "--output",
        tmp_path / "machines/local/limits",
    )
    done = script(
        "measure-experiment", *asked, "--graphs", "none", "--solvers", "limits/read-l2", "limits/launch"
    )
    assert done.status == 0, done.err
    read, launch = read_records([tmp_path / "machines/local/limits/none.jsonl"])
    assert (read.graph.name, read.graph.vertices, read.source) == ("none", 0, None)
    assert read.verified
    assert not read.timed  # the emulator's
    assert read.oracle == "sum of the words"
    assert read.observed == {"bytes": 2**14, "cache_bytes": 2**16}
    assert read.iterations is not None
    assert read.iterations & (read.iterations - 1) == 0
    assert launch.observed == {}
    wrong = script("measure-experiment", *asked, "--graphs", "NY", "--solvers", "limits/launch")
    assert wrong.status == 1
    assert "graph NY: expected none, since limits are measured without a graph" in wrong.err
    mixed = script(
        "measure-experiment", *asked, "--graphs", "none", "--solvers", "limits/launch", "bfs/queue"
    )
    assert "--solvers: expected generators, solvers of limits, or others, not several" in mixed.err
