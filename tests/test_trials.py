"""What is timed: phases, budget, wrong answers and failures."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from command_line import Patch
from graphs import NAMED, identified
from retrace.check.checkers import checker_of
from retrace.check.result import digest
from retrace.devices import emulator
from retrace.devices.emulator import EmulatedDevice
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph
from retrace.measure import environment
from retrace.measure import trials as trials_module
from retrace.measure.experiment import as_record, measure, unmeasured
from retrace.measure.trials import Effort, Measurement, Outcome
from retrace.records.record import write_records
from retrace.solvers import REGISTRY, Query, Solver, make
from retrace.solvers.bellman_ford import masked, on_host
from retrace.solvers.betweenness import block_per_source, conventions
from retrace.solvers.solver import HostSolver
from retrace.system.errors import RetraceError
from retrace.system.processes import check_cores, side_by_side
from solving import solved

GRID = identified(NAMED["grid"], "grid", source=0, pairs={"near": [0, 2], "far": [0, 390]})


@pytest.fixture
def temporary() -> Iterator[Any]:
    """Register solvers for one test."""
    before = dict(REGISTRY.solvers)
    yield REGISTRY.add
    REGISTRY.solvers.clear()
    REGISTRY.solvers.update(before)


@pytest.fixture
def work(monkeypatch: Patch) -> Callable[[float], None]:
    """Take some seconds, by a clock that nothing else moves."""
    now = [0.0]
    monkeypatch.setattr(trials_module, "perf_counter", lambda: now[0])

    def take(seconds: float) -> None:
        now[0] += seconds

    return take


class Delegate(Solver):
    """Answers as bfs/queue does; tests change one phase of it."""

    name = "bfs/delegate"
    implements = "a test"

    def setup(self, graph: CSRGraph) -> None:
        self.inner = make("bfs/queue")
        self.inner.setup(graph)

    def solve(self, query: Query) -> int | None:
        return self.inner.solve(query)

    def download(self) -> Int32Array:
        return self.inner.download()


def run(solvers: list[str], trials: int = 3, budget_s: float = 60, at_once: int = 1) -> list[Measurement]:
    effort = Effort(trials, budget_s, at_once)
    return measure("table-3.3", GRID, solvers, effort, ("emulator", EmulatedDevice))


def test_phases_hold_what_they_say(temporary: Any, work: Callable[[float], None]) -> None:
    @temporary
    class Sleeper(Delegate):
        def setup(self, graph: CSRGraph) -> None:
            super().setup(graph)
            work(0.02)

        def upload(self, query: Query) -> None:
            work(0.03)

        def solve(self, query: Query) -> int | None:
            work(0.04)
            return super().solve(query)

        def download(self) -> Int32Array:
            work(0.05)
            return super().download()

    for trial in run(["bfs/delegate"])[0].trials:
        times = [trial[phase] for phase in ("setup", "upload", "solve", "download", "total")]
        assert times == pytest.approx([20, 30, 40, 50, 120])
        assert trial["kernel"] is None


def test_trials_are_interleaved(temporary: Any) -> None:
    order = []

    class First(Delegate):
        name = "bfs/first"

        def solve(self, query: Query) -> int | None:
            order.append(self.name)
            return super().solve(query)

    temporary(First)
    temporary(type("Second", (First,), {"name": "bfs/second"}))
    run(["bfs/first", "bfs/second"])
    assert order == ["bfs/first", "bfs/second"] * 3


def test_every_trial_is_checked_and_a_wrong_one_is_kept_without_a_time(
    temporary: Any, provenance: dict[str, Any]
) -> None:
    @temporary
    class WrongTheSecondTime(Delegate):
        def download(self) -> Int32Array:
            WrongTheSecondTime.calls += 1
            answer = super().download()
            answer[7] += WrongTheSecondTime.calls == 2
            return answer

        calls = 0

    case = run(["bfs/delegate"])[0]
    assert case.result is not None
    assert not case.result.verified
    assert len(case.trials) == WrongTheSecondTime.calls == 2
    assert case.reason is not None
    assert case.reason.startswith("trial 2: vertex 7 has")
    record = as_record("table-3.3", GRID.info, case, provenance)
    assert (record.verified, record.reason, record.digest) == (False, case.reason, case.digest)


def test_a_wrong_predecessor_in_one_trial_is_not_verified(temporary: Any) -> None:
    kind: Any = REGISTRY.find("sssp/mask-sequential")

    @temporary
    class Bent(kind):
        name = "sssp/bent"
        source = kind.source
        calls = 0

        def predecessors(self) -> Int32Array:
            Bent.calls += 1
            tree: Int32Array = super().predecessors().copy()
            tree[7] = 7 if Bent.calls == 2 else tree[7]
            return tree

    (case,) = run(["sssp/bent"])
    assert case.reason == "trial 2: vertex 7 has predecessor 7, whose arcs fit no path"


def test_a_wrong_trial_stays_wrong_whatever_ran_beside_it() -> None:
    case = Measurement("bfs/queue", "host", Query(0), None, at_once=3)
    checker, right = checker_of("bfs", GRID), solved("bfs/queue", GRID, Query(0)).download()
    for answer in (right, right + np.int32(1), right):
        case.keep(Outcome({"solve": 1.0}, None, answer, None, {}, None), checker)
    assert case.result
    assert not case.result.verified
    assert (len(case.trials), case.digest) == (2, digest(right + np.int32(1)))
    assert str(case.reason).startswith("trial 2: vertex 0 has 1 instead of 0")


def test_a_failure_is_told_and_others_go_on(temporary: Any) -> None:
    @temporary
    class Breaks(Delegate):
        def solve(self, query: Query) -> int | None:
            raise MemoryError("no room\nsecond line")

    broken, right = run(["bfs/delegate", "bfs/queue"])
    assert (broken.status, broken.reason) == ("failed", "MemoryError: no room")
    assert right.status == "ok"
    assert len(right.trials) == 3


def test_budget_skips_what_is_predicted_to_be_long(temporary: Any) -> None:
    @temporary
    class Slow(Delegate):
        def predict_seconds(self, query: Query) -> float:
            return 61.04

    case = run(["bfs/delegate"], budget_s=60)[0]
    assert (case.status, case.reason) == ("skipped", "predicted 61.0 s a trial, budget_s is 60")
    assert case.trials == []
    assert run(["bfs/delegate"], budget_s=62)[0].status == "ok"


def test_a_query_that_a_solver_declines_is_skipped(temporary: Any) -> None:
    @temporary
    class Picky(Delegate):
        def declines(self, query: Query) -> str:
            return f"cannot start from {query.source}"

    case = run(["bfs/delegate"])[0]
    assert (case.status, case.reason, case.trials) == ("skipped", "cannot start from 0", [])


def test_budget_ends_the_trials_before_it_is_passed(temporary: Any, work: Callable[[float], None]) -> None:
    @temporary
    class Slow(Delegate):
        def solve(self, query: Query) -> int | None:
            work(0.1)
            return super().solve(query)

    assert len(run(["bfs/delegate"], trials=10, budget_s=0.35)[0].trials) == 3


def test_the_emulator_gets_one_trial() -> None:
    case = run(["bfs/bsp"])[0]
    assert (case.backend, len(case.trials)) == ("emulator", 1)


class Pinned(HostSolver):
    """Answers as bfs/queue does, and tells where it runs."""

    name = "bfs/pinned"
    implements = "a test"
    source = "host/bfs_queue.cpp"

    def observed(self) -> dict[str, float]:
        return {"process": os.getpid(), "cores": len(os.sched_getaffinity(0))}


def test_trials_at_once_have_a_core_each(temporary: Any, tmp_path: Path, provenance: dict[str, Any]) -> None:
    temporary(Pinned)
    at_once = min(2, len(os.sched_getaffinity(0)))
    pinned, peer = run(["bfs/pinned", "bfs/scipy"], trials=3, at_once=at_once)
    assert (len(pinned.trials), len(peer.trials)) == (3, 3)
    assert pinned.result is not None
    assert pinned.result.verified
    assert pinned.digest == peer.digest
    records = [as_record("table-3.3", GRID.info, case, provenance) for case in (pinned, peer)]
    write_records(tmp_path / "grid.jsonl", records)
    assert "at_once" not in records[1].parameters
    if at_once == 2:
        assert pinned.observed["cores"] == 1
        assert pinned.observed["process"] != os.getpid()
        assert records[0].parameters == {"at_once": 2}


def test_no_more_trials_run_at_once_than_are_wanted() -> None:
    for trials, at_once in ((1, 1), (2, 2), (9, 4)):
        (case,) = unmeasured(GRID.info, ["bfs/queue"], Effort(trials, 60, 4), ("emulator", EmulatedDevice))
        assert case.at_once == at_once


def test_what_goes_wrong_in_another_process_is_told(temporary: Any) -> None:
    @temporary
    class Raises(Pinned):
        name = "bfs/raises"

        def solve(self, query: Query) -> int:
            raise MemoryError("no room")

    @temporary
    class Dies(Pinned):
        name = "bfs/dies"

        def solve(self, query: Query) -> int:
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError

    with pytest.raises(MemoryError, match="no room"):
        side_by_side(lambda: make("bfs/raises").solve(Query(0)), 1)
    with pytest.raises(ChildProcessError, match="exit code -9"):
        side_by_side(lambda: make("bfs/dies").solve(Query(0)), 1)
    if len(os.sched_getaffinity(0)) > 1:
        reasons = [case.reason for case in run(["bfs/raises", "bfs/dies"], trials=2, at_once=2)]
        assert reasons == ["MemoryError: no room", "ChildProcessError: a process ended with exit code -9"]
    with pytest.raises(RetraceError, match="at once: 5000 processes, expected from 1 to "):
        check_cores(5000)


def test_records_are_valid_and_digests_agree(tmp_path: Any, provenance: dict[str, Any]) -> None:
    cases = run(["bfs/queue", "bfs/bsp", "bfs/scipy", "bfs/igraph", "bfs/networkit"])
    cases += run(["stcon/two-queues", "stcon/bsp"])
    records = [as_record("table-3.3", GRID.info, case, provenance) for case in cases]
    write_records(tmp_path / "grid.jsonl", records)
    answer = solved("bfs/queue", GRID, Query(0)).download()
    digest = hashlib.sha256(answer.astype("<i4").tobytes()).hexdigest()
    assert {record.digest for record in records if record.problem == "bfs"} == {digest}
    assert len({(record.parameters["pair"], record.digest) for record in records[5:]}) == 2
    assert all(record.verified for record in records)
    assert [record.iterations for record in records] == [case.iterations for case in cases]
    assert records[0].iterations == 39
    assert sum(record.software.peer is not None for record in records) == 3


def test_commit_of_a_copy_without_a_repository(monkeypatch: Patch) -> None:
    monkeypatch.setattr(environment, "first_line", lambda *command: None)
    monkeypatch.setenv("RETRACE_COMMIT", "0" * 40 + "-dirty")
    found = environment.software()
    assert (found["git_commit"], found["dirty"]) == ("0" * 40, True)
    monkeypatch.setenv("RETRACE_COMMIT", "0" * 40)
    assert environment.software()["dirty"] is False
    monkeypatch.delenv("RETRACE_COMMIT")
    assert environment.software()["dirty"] is None


def test_the_driver_is_asked_before_the_trials_and_after_the_last(monkeypatch: Patch) -> None:
    """Asking starts a program, which once took longer than the trials of small graphs."""
    asked = []

    class Asked(EmulatedDevice):
        def describe(self) -> dict[str, Any] | None:
            asked.append(self)
            return {"name": f"asked {len(asked)} times"}

    monkeypatch.setattr(Measurement, "wants_trial", lambda self, effort: len(self.trials) < effort.trials)
    (case,) = measure("table-3.3", GRID, ["bfs/bsp"], Effort(4, 60), ("emulator", Asked))
    assert len(case.trials) == 4
    assert case.gpu == {"name": "asked 2 times"}


@pytest.mark.parametrize(("long_ms", "event_ms", "passes"), [(1e9, 0.0, 2), (0.0, 0.0, 1), (0.0, 1e9, 2)])
def test_when_a_solve_is_repeated(monkeypatch: Patch, long_ms: float, event_ms: float, passes: int) -> None:
    monkeypatch.setattr(trials_module, "WARM_MS", long_ms)
    monkeypatch.setattr(trials_module, "EVENT_MS", event_ms)
    solved: list[Query] = []
    kind = REGISTRY.find("bfs/bsp")
    solve = kind.solve
    monkeypatch.setattr(kind, "solve", lambda self, query: solved.append(query) or solve(self, query))
    (case,) = measure("table-3.3", GRID, ["bfs/bsp"], Effort(1, 60), ("cuda", EmulatedDevice))
    assert len(solved) == passes
    assert case.result is not None
    assert case.result.verified
    assert case.trials[0]["kernel"] is not None


def test_kernel_times_are_milliseconds_of_the_device(monkeypatch: Patch) -> None:
    """A clock that moves by half a second whenever it is read: each launch takes as long."""
    ticks = count()
    clock = SimpleNamespace(perf_counter=lambda: next(ticks) / 2)
    monkeypatch.setattr(emulator, "time", clock)
    (case,) = measure("table-3.3", GRID, ["bfs/bsp"], Effort(1, 60), ("cuda", EmulatedDevice))
    assert case.iterations
    assert case.trials[0]["kernel"] == 500 * 2 * case.iterations


def test_a_prediction_is_of_all_the_work(monkeypatch: Patch) -> None:
    for module in (masked, on_host):
        monkeypatch.setattr(module, "seconds_on", lambda solver, small: 2.0)
    linear: Any = make("sssp/dijkstra-linear")
    linear.setup(GRID)
    linear.settle, linear.graph = lambda source, limit: limit, SimpleNamespace(vertices=20_000)
    linear.fastest = lambda source, limit: limit / 500  # of the scan; what begins it takes nothing more
    assert linear.predict_seconds(Query(0)) == pytest.approx(40)
    with EmulatedDevice() as device:
        dense: Any = make("bellman-ford/dense", device)
        dense.graph, dense.vertices = DenseGraph(1024, 1), 1024
        assert dense.predict_seconds(Query(0)) == 2 * 2**2
    peer: Any = make("bellman-ford/scipy")
    peer.rows = SimpleNamespace(vertices=256, arcs=256 * 255)
    assert peer.predict_seconds(Query(0)) == pytest.approx(2 * (256 * 256 * 255) / (128 * 128 * 127))
    monkeypatch.setattr(conventions, "seconds_of", lambda work: work() or 2.0)
    searched: list[int] = []
    for sources, seconds in ((80, 20.0), (8, None), (9, 2.0)):
        searched.clear()
        found = conventions.extrapolate(lambda few: searched.extend(few), np.arange(sources, dtype=np.int32))
        assert found == seconds
        assert searched == ([] if seconds is None else list(range(0, sources, sources // 8)))


@pytest.mark.parametrize(("searches", "predicted"), [(2, 0.01), (12, 0.24), (6, 0.12)])
def test_searches_are_predicted_from_enough_of_them(
    monkeypatch: Patch, searches: int, predicted: float
) -> None:
    """Two blocks: launches of 1, 2, 8, ... searches, at 20 ms each, until they take 0.1 s or are all."""
    launched: list[int] = []
    with EmulatedDevice() as device:
        solver: Any = make("betweenness/vert", device)
        solver.blocks, part = 2, SimpleNamespace(sources=SimpleNamespace(size=searches))
        monkeypatch.setattr(solver, "launch", lambda part, first, last: launched.append(last - first))
        monkeypatch.setattr(
            block_per_source,
            "seconds_of",
            lambda work: work() or (0.02 * launched[-1] if launched[1:] else 0.01),
        )
        assert solver.predict_round(part) == pytest.approx(predicted)
    assert launched == [1, 2, min(8, searches)][: 1 if searches == 2 else 3]
