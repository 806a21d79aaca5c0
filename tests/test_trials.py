"""What is timed: phases, budget, wrong answers and failures."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
import pytest

from command_line import Patch
from cuda_device.errors import LacksError, TooLargeError
from cuda_on_cpu import work_queue
from cuda_on_cpu.device import EmulatedDevice
from fabricated import trial as trial_of
from graphs import NAMED, identified
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph
from retrace.measure import environment, patience
from retrace.measure import trials as trials_module
from retrace.measure.experiment import as_record
from retrace.measure.trials import (
    Afterwards,
    Effort,
    Measurement,
    Outcome,
    Request,
    SharedDevice,
    fits_budget,
)
from retrace.records.record import Trial, write_records
from retrace.solvers import REGISTRY, Query, Solver, find, make
from retrace.solvers.bellman_ford import masked
from retrace.solvers.betweenness import block_per_source, conventions
from retrace.system.errors import RetraceError
from retrace_peers import negative_weights
from solving import measure, needs_networkit, solved

GRID = identified(NAMED["grid"], "grid", source=0, pairs={"near": [0, 2], "far": [0, 390]})


@pytest.fixture
def temporary() -> Iterator[Any]:
    """Register solvers for one test."""
    before, known = dict(REGISTRY.solvers), dict(CATALOGUE.added)
    yield REGISTRY.add
    REGISTRY.solvers.clear()
    REGISTRY.solvers.update(before)
    CATALOGUE.added = known


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


def run(
    solvers: list[str],
    trials: int = 3,
    budget_s: float = 60,
    longest_s: float = 60,
    device: tuple[str, Callable[[], EmulatedDevice]] = ("emulator", EmulatedDevice),
    setups: int = 3,
) -> list[Measurement]:
    effort = Effort(trials=trials, budget_s=budget_s, longest_s=longest_s, setups=setups)
    return measure("table-3.3", GRID, solvers, effort, device)


def test_a_job_ends_when_no_solver_wants_a_trial() -> None:
    (case,) = run(["bfs/bsp"], trials=10**15)
    assert len(case.trials) == 1


def test_phases_hold_what_they_say(temporary: Any, work: Callable[[float], None]) -> None:
    @temporary
    class Sleeper(Delegate):
        def __init__(self) -> None:
            super().__init__()
            work(0.01)

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

    (case,) = run(["bfs/delegate"])
    assert case.setups == pytest.approx([30] * 3)
    for trial in case.trials:
        times = [getattr(trial, phase) for phase in ("upload", "solve", "download", "total")]
        assert times == pytest.approx([30, 40, 50, 120])
        assert trial.kernel is None


@pytest.mark.parametrize("drifts", [False, True])
def test_a_second_solve_is_timed_alone_and_answers_alike(
    temporary: Any, work: Callable[[float], None], drifts: bool
) -> None:
    @temporary
    class Repeating(Delegate):
        repeats = True
        solves = 0

        def solve(self, query: Query) -> int | None:
            self.solves += 1
            work(0.012 * self.solves)
            return super().solve(query)

        def download(self) -> Int32Array:
            work(0.05)
            answer = super().download().copy()
            answer[7] += drifts and self.solves == 2
            return answer

    (case,) = run(["bfs/delegate"])
    if drifts:
        assert case.status == "ok"
        assert case.result is not None
        assert not case.result.verified
        assert case.reason == "trial 1: a later solve on the same device gave another answer"
        return
    for trial in case.trials:
        assert [getattr(trial, phase) for phase in ("solve", "again", "total")] == pytest.approx([12, 24, 62])


def test_further_solves_are_19_or_end_in_time(temporary: Any, work: Callable[[float], None]) -> None:
    """Those of 2.2 to 6.6 ms are 22 ms in all, and no other begins; of those that take no time, 19 are."""
    solves = []

    @temporary
    class Repeating(Delegate):
        repeats = True
        each = 0.0011

        def solve(self, query: Query) -> int | None:
            solves.append(self)
            work(self.each * solves.count(self))
            return super().solve(query)

    (case,) = run(["bfs/delegate"])
    assert [trial.again for trial in case.trials] == pytest.approx([4.4] * 3)
    solves.clear()
    Repeating.each = 0
    run(["bfs/delegate"])
    assert len(solves) == 3 * (1 + 19)


@pytest.mark.parametrize(
    ("seconds", "repeated"),
    [(0.019, [True] * 3), (0.021, [True, False, False]), (1.9, [True, False, False]), (2.1, [False] * 3)],
)
def test_a_long_solve_is_repeated_in_the_first_trial_alone(
    temporary: Any, work: Callable[[float], None], seconds: float, repeated: list[bool]
) -> None:
    @temporary
    class Repeating(Delegate):
        repeats = True

        def solve(self, query: Query) -> int | None:
            work(seconds)
            return super().solve(query)

    (case,) = run(["bfs/delegate"])
    assert [trial.again is not None for trial in case.trials] == repeated


@pytest.mark.parametrize(("phase", "backend"), [("setup", "cuda"), ("solve", "cuda"), ("solve", "emulator")])
def test_a_kernel_that_does_not_end_ends_the_process(
    phase: str, backend: str, temporary: Any, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a GPU alone: an emulated kernel is slow, and Ctrl-C ends it."""
    ended = Event()
    monkeypatch.setattr(patience, "LEAST_S", 0.1)
    monkeypatch.setattr("os._exit", lambda status: ended.set())

    def work(self: Solver, *_: Any) -> None:
        ended.wait(10 if backend == "cuda" else 0.3)
        raise RetraceError("waited")

    temporary(type("Endless", (find("bfs/bsp"),), {"name": "bfs/endless", phase: work}))
    (case,) = run(["bfs/endless"], longest_s=0.01, device=(backend, EmulatedDevice))
    assert case.reason == "RetraceError: waited"
    told = capsys.readouterr().err
    assert ended.is_set() == (backend == "cuda")
    expected = f"error: bfs/endless on {GRID.name}: has not ended after 0.2 s, longest_s is 0.01; leave"
    assert told.startswith(expected) if backend == "cuda" else not told


def test_what_has_ended_ends_no_process(monkeypatch: Patch) -> None:
    ended = Event()
    monkeypatch.setattr(patience, "LEAST_S", 0.05)
    monkeypatch.setattr("os._exit", lambda status: ended.set())
    with patience.patience("bfs/bsp on grid", 0):
        pass
    assert not ended.wait(0.15)


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


def test_each_problem_of_an_experiment_has_its_own_checker() -> None:
    cases = run(["bfs/queue", "betweenness/seq-array"])
    assert [case.result is not None and case.result.verified for case in cases] == [True, True]


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


def test_trials_that_cannot_be_recorded_are_a_failure_of_their_solver(provenance: Any) -> None:
    """A run keeps what it has measured of the other solvers."""
    (case,) = run(["bfs/queue"], trials=1)
    case.trials[0] = case.trials[0].model_copy(update={"total": 1 + case.trials[0].total})
    record = as_record("table-3.3", GRID.info, case, provenance)
    assert (record.status, record.verified, record.trials) == ("failed", None, [])
    assert record.reason is not None
    assert record.reason.startswith("grid: cannot be recorded: trials[0].total: expected upload + solve")


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


def test_a_failure_is_told_and_others_go_on(temporary: Any) -> None:
    @temporary
    class Breaks(Delegate):
        def solve(self, query: Query) -> int | None:
            raise MemoryError("no room\nsecond line")

    broken, right = run(["bfs/delegate", "bfs/queue"])
    assert (broken.status, broken.reason) == ("failed", "MemoryError: no room")
    assert right.status == "ok"
    assert len(right.trials) == 3


def test_what_cannot_be_compiled_here_is_skipped(monkeypatch: Patch) -> None:
    def without_nvcc(device: EmulatedDevice, source: str) -> None:
        raise LacksError(f"{source} needs nvcc")

    monkeypatch.setattr(EmulatedDevice, "load_thrust", without_nvcc)
    without, right = run(["sssp/thrust", "sssp/bsp"], device=("emulator", Opened))
    assert (without.status, without.reason) == ("skipped", "thrust/sssp_thrust.cpp needs nvcc")
    assert right.status == "ok"


def test_what_is_predicted_to_be_long_is_skipped(temporary: Any) -> None:
    @temporary
    class Slow(Delegate):
        def predict_seconds(self, query: Query) -> float:
            return 61.04

    case = run(["bfs/delegate"], longest_s=60)[0]
    assert (case.status, case.reason) == ("skipped", "predicted 61.0 s a trial, longest_s is 60")
    assert case.trials == []
    assert run(["bfs/delegate"], longest_s=62)[0].status == "ok"


def test_the_emulator_skips_large_graphs() -> None:
    def statuses(most: int) -> dict[str, tuple[str, str | None]]:
        effort = Effort(trials=1, budget_s=60, emulated_vertices=most)
        found = measure("table-3.3", GRID, ["bfs/queue", "bfs/bsp"], effort, ("emulator", EmulatedDevice))
        return {case.request.solver: (case.status, case.reason) for case in found}

    why = f"emulated on graphs of at most {GRID.vertices - 1} vertices"
    assert statuses(GRID.vertices - 1) == {"bfs/queue": ("ok", None), "bfs/bsp": ("skipped", why)}
    assert {status for status, _ in statuses(GRID.vertices).values()} == {"ok"}


def test_a_query_that_a_solver_declines_is_skipped(temporary: Any) -> None:
    @temporary
    class Picky(Delegate):
        def declines(self, query: Query) -> str:
            return f"cannot start from {query.source}"

    case = run(["bfs/delegate"])[0]
    assert (case.status, case.reason, case.trials) == ("skipped", "cannot start from 0", [])


@pytest.mark.parametrize(("seconds", "budget_s", "trials"), [(0.1, 0.35, 3), (5.0, 1.0, 1)])
def test_after_the_first_trial_none_begins_that_would_pass_the_budget(
    temporary: Any, work: Callable[[float], None], seconds: float, budget_s: float, trials: int
) -> None:
    @temporary
    class Slow(Delegate):
        def solve(self, query: Query) -> int | None:
            work(seconds)
            return super().solve(query)

    assert len(run(["bfs/delegate"], trials=10, budget_s=budget_s)[0].trials) == trials


@pytest.mark.parametrize(
    ("trials", "rounds", "seconds", "ms", "fits"),
    [(0, 1, 0.0, 0, True), (1, 1, 2.0, 400, True), (2, 1, 2.0, 400, True), (3, 1, 2.0, 400, False),
     (1, 1, 2.0, 1000, False), (1, 1, 3.1, 400, False), (1, 3, 0.6, 400, False), (1, 2, 1.6, 400, True),
     (3, 1, 0.7, 400, True), (3, 1, 0.8, 400, False), (1, 3, 0.4, 400, True)],
)  # fmt: skip
def test_trials_too_few_to_be_ranked_may_exceed_the_budget(
    trials: int, rounds: int, seconds: float, ms: float, fits: bool
) -> None:
    """Of 3 s, for trials that took so many seconds each, of which their solves had some milliseconds."""
    assert fits_budget([trial_of(ms)] * trials, [seconds] * trials, 3.0, rounds) is fits


@pytest.mark.parametrize(("least", "trials"), [(3, 3), (7, 7), (99, 10)])
def test_trials_that_take_long_end_early_after_the_least(
    temporary: Any, work: Callable[[float], None], least: int, trials: int
) -> None:
    @temporary
    class Slow(Delegate):
        def solve(self, query: Query) -> int | None:
            work(1.0)
            return super().solve(query)

    effort = Effort(trials=10, budget_s=60, setups=0, least_trials=least)
    (case,) = measure("table-3.3", GRID, ["bfs/delegate"], effort, ("emulator", EmulatedDevice))
    assert len(case.trials) == trials


def test_the_emulator_gets_one_trial() -> None:
    case = run(["bfs/bsp"])[0]
    assert (case.request.backend, len(case.trials)) == ("emulator", 1)


@pytest.mark.parametrize(
    ("seconds", "spread", "trials"),
    [(0.26, 0.0, 4), (0.26, 0.1, 4), (0.09, 0.0, 10), (0.09, 0.1, 10), (0.21, 0.0, 5), (2.0, 0.1, 3)],
)
def test_trials_end_after_a_second_whether_they_agree_or_not(
    temporary: Any, work: Callable[[float], None], seconds: float, spread: float, trials: int
) -> None:
    """Not before three either."""

    @temporary
    class Steady(Delegate):
        calls = 0

        def solve(self, query: Query) -> int | None:
            Steady.calls += 1
            work(seconds * (1 + spread * (Steady.calls % 3)))
            return super().solve(query)

    assert len(run(["bfs/delegate"], trials=10)[0].trials) == trials


def test_setup_is_not_repeated_for_each_trial(temporary: Any, work: Callable[[float], None]) -> None:
    @temporary
    class Slow(Delegate):
        calls = 0

        def setup(self, graph: CSRGraph) -> None:
            Slow.calls += 1
            work(1.0)
            super().setup(graph)

    (case,) = run(["bfs/delegate"], trials=3)
    assert (case.setups, len(case.trials), Slow.calls) == ([1000.0], 3, 1)


def test_a_pass_leaves_the_solver_as_setup_left_it(temporary: Any) -> None:
    @temporary
    class Counting(Delegate):
        uploads = 0

        def upload(self, query: Query) -> None:
            self.uploads += 1

        def observed(self) -> dict[str, float]:
            return {"uploads": self.uploads}

    assert run(["bfs/delegate"])[0].observed["uploads"] == 1


def test_no_setup_is_that_of_the_first_context(work: Callable[[float], None]) -> None:
    class FirstIsSlow(EmulatedDevice):
        opened = 0

        def __enter__(self) -> Self:
            work(0.1 if FirstIsSlow.opened else 0.2)
            FirstIsSlow.opened += 1
            return super().__enter__()

    cases = run(["bfs/bsp", "bfs/block-queue"], device=("emulator", FirstIsSlow))
    assert [case.setups for case in cases] == [pytest.approx([100.0] * 3)] * 2


class Opened(EmulatedDevice):
    """Counts how often it is opened."""

    times = 0

    def __enter__(self) -> Self:
        Opened.times += 1
        return super().__enter__()


def test_trials_share_a_device_and_a_failure_opens_it_anew(temporary: Any) -> None:
    kind: Any = REGISTRY.find("bfs/bsp")

    @temporary
    class Breaks(kind):
        name = "bfs/breaks"
        source = kind.source
        error: Exception = RetraceError("an illegal address")

        def solve(self, query: Query) -> int:
            raise Breaks.error

    def opened(error: Exception) -> tuple[int, list[str]]:
        Breaks.error, Opened.times = error, 0
        cases = run(["bfs/bsp", "bfs/breaks", "bfs/block-queue"], device=("emulator", Opened))
        setups = sum(len(case.setups) for case in cases)
        return Opened.times - setups - 1, [case.status for case in cases]

    assert opened(RetraceError("an illegal address")) == (2, ["ok", "failed", "ok"])
    # what does not fit beside the others is tried once more on a device that is empty
    assert opened(TooLargeError("no room")) == (3, ["ok", "skipped", "ok"])


def test_a_setup_that_is_not_timed_needs_no_context(temporary: Any, provenance: dict[str, Any]) -> None:
    """All solvers are set up once, on the device of the trials; a device that failed is opened anew."""
    kind: Any = REGISTRY.find("bfs/bsp")

    @temporary
    class Fails(kind):
        name = "bfs/fails"
        source = kind.source
        setups = 0

        def setup(self, graph: CSRGraph) -> None:
            Fails.setups += 1
            raise RetraceError("an illegal address")

    def run_untimed(*solvers: str) -> list[Measurement]:
        Opened.times = 0
        return run([*solvers], device=("emulator", Opened), setups=0)

    cases = run_untimed("bfs/bsp", "bfs/block-queue", "bfs/queue")
    assert Opened.times == 1
    assert [(case.status, len(case.setups)) for case in cases] == [("ok", 0), ("ok", 0), ("ok", 1)]
    cases = run_untimed("bfs/bsp", "bfs/fails", "bfs/block-queue")
    assert [case.status for case in cases] == ["ok", "failed", "ok"]
    assert (Opened.times, Fails.setups) == (2, 1)
    recorded = as_record("table-3.3", GRID.info, cases[0], provenance)
    assert (recorded.setup, recorded.verified) == ([], True)


def test_what_does_not_fit_beside_others_is_set_up_alone(temporary: Any) -> None:
    class Small(Opened):
        """Has room for one solver's memory."""

        def free_memory(self) -> int:
            return 0 if list(self._buffers) else 10**9

    kind: Any = REGISTRY.find("bfs/bsp")

    @temporary
    class Keeps(kind):
        name = "bfs/keeps"
        source = kind.source

        def setup(self, graph: CSRGraph) -> None:
            super().setup(graph)
            self.kept = self.device.empty(10, np.int32)

    Opened.times = 0
    cases = run(["bfs/keeps", "bfs/bsp"], device=("emulator", Small), setups=0)
    assert [case.status for case in cases] == ["ok", "ok"]
    assert Opened.times > 1


def test_a_throttled_trial_is_repeated_at_no_cost_to_the_budget(work: Callable[[float], None]) -> None:
    """Otherwise a GPU that is throttled now and then would have fewer trials."""

    class Throttled(EmulatedDevice):
        states: ClassVar[list[bool]] = []

        def state(self) -> dict[str, Any]:
            work(1.0)
            return {"sm_clock_mhz": 1980.0, "throttled": Throttled.states.pop(0)}

    for states, kept in (([True, False], False), ([True] * 3, True), ([False], False)):
        Throttled.states = states
        (case,) = run(["bfs/bsp"], device=("emulator", Throttled))
        assert [trial.throttled for trial in case.trials] == [kept]
        assert case.seconds == [1.0]
        assert not states
    assert case.trials[0].load is not None


@needs_networkit
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


def test_a_host_is_known_by_its_gpus_whatever_was_measured(monkeypatch: Patch) -> None:
    numbers = {0: "GPU-2", 1: "GPU-1"}
    nvml = SimpleNamespace(
        NVMLError=OSError,
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: len(numbers),
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetUUID=numbers.__getitem__,
    )
    alone = environment.machine("mine", None)["host"]
    monkeypatch.setitem(sys.modules, "pynvml", nvml)
    with_gpus = environment.machine("mine", None)["host"]
    assert environment.machine("mine", {"name": "NVIDIA H200"})["host"] == with_gpus != alone
    numbers[1] = "GPU-3"
    assert environment.machine("mine", None)["host"] not in (alone, with_gpus)
    monkeypatch.setattr(nvml, "nvmlInit", lambda: (_ for _ in ()).throw(OSError("no driver")))
    assert environment.machine("mine", None)["host"] == alone


def test_a_processor_without_a_name_in_linux_has_that_of_lscpu(monkeypatch: Patch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *given, **named: "processor : 0\nCPU part : 0xd4f\n")
    unnamed = platform.processor() or platform.machine()
    for listed, name in (("Model name:   Neoverse-V2\nModel:   0\n", "Neoverse-V2"),
                         ("Model name:   -\nThread(s) per core: 1\n", unnamed),
                         (None, unnamed)):  # fmt: skip
        monkeypatch.setattr(environment, "printed", lambda *command, told=listed: told)
        assert environment.cpu_model() == name


def test_a_record_names_the_compiler_that_was_used(monkeypatch: Patch, tmp_path: Path) -> None:
    compiler = tmp_path / "other"
    compiler.write_text("#!/bin/sh\necho other 1.0\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert environment.software()["compiler"] == "other 1.0"
    monkeypatch.setenv("CXX", "nowhere")
    assert environment.software()["compiler"] is None


def test_commit_of_a_copy_without_a_repository(monkeypatch: Patch, tmp_path: Path) -> None:
    monkeypatch.setattr(environment, "first_line", lambda *command: None)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setenv("RETRACE_COMMIT", "0" * 40 + "-dirty")
    found = environment.software()
    assert (found["git_commit"], found["dirty"]) == ("0" * 40, True)
    monkeypatch.setenv("RETRACE_COMMIT", "0" * 40)
    assert environment.software()["dirty"] is False
    (tmp_path / "COMMIT").write_text("1" * 40 + "\n")  # a bundle's
    assert environment.software()["git_commit"] == "0" * 40
    monkeypatch.delenv("RETRACE_COMMIT")
    found = environment.software()
    assert (found["git_commit"], found["dirty"]) == ("1" * 40, False)
    (tmp_path / "COMMIT").unlink()
    assert environment.software()["dirty"] is None


def test_a_repository_around_a_copy_is_not_its_own(monkeypatch: Patch, tmp_path: Path) -> None:
    inner = tmp_path / "copy"
    inner.mkdir()
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path))
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "outer"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.delenv("RETRACE_COMMIT", raising=False)
    monkeypatch.setattr(environment, "ROOT", inner)
    assert environment.tree() == (None, None)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    assert environment.tree()[0] is not None


@pytest.mark.parametrize(
    ("long_ms", "event_ms", "slow_ms", "passes"),
    [
        (1e9, 0.0, 1e9, 6), (0.0, 0.0, 1e9, 5), (0.0, 1e9, 1e9, 8), (1e9, 1e9, 1e9, 9),
        (1e9, 1e9, 0.0, 7), (1e9, 0.0, 0.0, 6), (0.0, 1e9, 0.0, 6),
    ],
)  # fmt: skip
def test_when_a_solve_is_repeated(
    monkeypatch: Patch, long_ms: float, event_ms: float, slow_ms: float, passes: int
) -> None:
    """Five trials: a warm-up unless a solve is long, three kernel times, apart where events cost time.

    One kernel time is enough if a solve is slow.
    """
    monkeypatch.setattr(trials_module, "SLOW_MS", slow_ms)
    monkeypatch.setattr(trials_module, "WARM_MS", long_ms)
    monkeypatch.setattr(trials_module, "EVENT_MS", event_ms)
    monkeypatch.setattr(Outcome, "is_sound", True)
    monkeypatch.setattr(Measurement, "is_enough", False)
    solved: list[Query] = []
    kind = REGISTRY.find("bfs/bsp")
    solve = kind.solve
    monkeypatch.setattr(kind, "repeats", False)
    monkeypatch.setattr(kind, "solve", lambda self, query: solved.append(query) or solve(self, query))
    (case,) = run(["bfs/bsp"], trials=5, device=("cuda", EmulatedDevice))
    assert len(solved) == passes
    assert case.result is not None
    assert case.result.verified
    timed = 3 if slow_ms else 1
    assert [trial.kernel is not None for trial in case.trials] == [True] * timed + [False] * (5 - timed)


@pytest.mark.parametrize(
    ("warm_ms", "again_ms", "once_ms", "event_ms", "repeated", "solves"),
    [
        (1e9, 1e9, 1e9, 0.0, [True] * 3, 1 + 3 * 2),
        (1e9, 1e9, 1e9, 1e9, [True] * 3, 1 + 3 * 3),
        (1e9, 0.0, 1e9, 0.0, [True, False, False], 1 + 3 + 1),
        (0.0, 0.0, 1e9, 0.0, [True, False, False], 3 + 1),
        (0.0, 0.0, 0.0, 0.0, [False] * 3, 3),
    ],
)
def test_only_a_trial_is_followed_by_another_solve(
    temporary: Any,
    monkeypatch: Patch,
    warm_ms: float,
    again_ms: float,
    once_ms: float,
    event_ms: float,
    repeated: list[bool],
    solves: int,
) -> None:
    """Not a warm-up, not a pass beside a trial, for events that cost time, and not a very long solve.

    A long one is repeated in the first trial alone.
    """
    monkeypatch.setattr(trials_module, "WARM_MS", warm_ms)
    monkeypatch.setattr(trials_module, "FIRST_TRIAL", Afterwards(again_ms, once_ms))
    monkeypatch.setattr(trials_module, "LATER_TRIAL", Afterwards(again_ms, min(again_ms, once_ms)))
    monkeypatch.setattr(trials_module, "EVENT_MS", event_ms)
    monkeypatch.setattr(trials_module, "MOST_AGAIN", 1)
    monkeypatch.setattr(Outcome, "is_sound", True)
    solved = []

    @temporary
    class Repeating(find("bfs/bsp")):  # type: ignore[misc]
        name = "bfs/repeating"
        repeats = True

        def solve(self, query: Query) -> int | None:
            solved.append(self)
            found: int | None = super().solve(query)
            return found

    (case,) = run(["bfs/repeating"], trials=3, device=("cuda", EmulatedDevice))
    assert len(solved) == solves
    assert [trial.again is not None for trial in case.trials] == repeated


def test_kernels_that_outlast_their_solve_are_not_kept(monkeypatch: Patch) -> None:
    """A clock that moves by half a second whenever it is read: each launch takes as long."""
    ticks = count()
    clock = SimpleNamespace(perf_counter=lambda: next(ticks) / 2)
    monkeypatch.setattr(work_queue, "time", clock)
    for event_ms in (trials_module.EVENT_MS, 0.0):
        monkeypatch.setattr(trials_module, "EVENT_MS", event_ms)
        (case,) = run(["bfs/bsp"], trials=1, device=("cuda", EmulatedDevice))
        assert case.trials[0].kernel is None
    monkeypatch.setattr(Outcome, "is_sound", True)
    (case,) = run(["bfs/bsp"], trials=1, device=("cuda", EmulatedDevice))
    assert case.iterations
    assert case.trials[0].kernel == 500 * 2 * case.iterations


@pytest.mark.parametrize(("kernel", "sound"), [(28676.7, True), (28700.0, False), (None, True)])
def test_two_clocks_need_not_agree_to_the_last_digit(kernel: float | None, sound: bool) -> None:
    """A solve of 28.7 s had kernels of 28.7 s and some microseconds more, by the clock of the GPU."""
    times = Trial(upload=0, solve=28676.630751, download=0, total=28676.630751, kernel=kernel)
    assert Outcome(times, 1, np.zeros(1), None, {}, 1).is_sound is sound


def test_a_solver_that_launches_nothing_has_no_kernel_time(temporary: Any) -> None:
    @temporary
    class OnTheHost(Delegate):
        backends = ("cuda", "emulator")
        source = "bfs/bsp.cu"

        def __init__(self, device: EmulatedDevice) -> None:
            self.device = device

    (case,) = run([OnTheHost.name], trials=1, device=("cuda", EmulatedDevice))
    assert case.status == "ok", case.reason
    assert case.trials[0].kernel is None


def test_a_prediction_keeps_no_memory() -> None:
    """What is free decides how many searches another solver makes at a time."""
    with SharedDevice(EmulatedDevice) as shared:
        case = Measurement(request=Request("betweenness/vert", "emulator", Query(), EmulatedDevice))
        case.prepare(GRID, Effort(trials=1, budget_s=10, setups=0), shared)
        assert case.ready is not None
        buffers = [*shared.device._buffers]  # type: ignore[attr-defined]
        assert [buffer.size for buffer in buffers] == [1]  # the word in host memory that `setup` maps


def test_a_prediction_is_of_all_the_work(monkeypatch: Patch) -> None:
    for module in (masked, negative_weights):
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
    for sources, seconds in ((80, 20.0), (8, None), (9, 2.25)):
        searched.clear()
        found = conventions.extrapolate(lambda few: searched.extend(few), np.arange(sources, dtype=np.int32))
        assert found == seconds
        assert searched == ([] if seconds is None else list(range(0, sources, sources // 8))[:8])


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


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_computer_without_a_number_has_its_name(
    content: bytes | None, tmp_path: Path, monkeypatch: Patch
) -> None:
    place = tmp_path / "machine-id"
    if content is not None:
        place.write_bytes(content)
    monkeypatch.setattr(environment, "Path", lambda _: place)
    assert environment.machine_id() == platform.node()
    place.write_text("0123abcd\n")
    assert environment.machine_id() == "0123abcd"
