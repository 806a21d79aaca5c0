"""What is timed, and how often: the trials of one solver with one query.

A trial opens its own device, so that `setup` includes creating the context and loading the module. On CUDA a
pass follows that warms the device up and whose launches are bracketed by events: the `kernel` time. Then come
the three timed phases; a long solve of few launches, to which warm-up and events make no difference, is not
repeated. Every answer is checked after the trial's clocks have stopped.

Several trials of the C++ programs may run at a time, on one core each: `Effort.at_once`.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from numpy.typing import NDArray

from retrace.check.checkers import Checker
from retrace.check.oracles import search_bytes
from retrace.check.result import CheckResult, digest
from retrace.devices.base import Device
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query, Subject
from retrace.graphs.random import RandomGraph
from retrace.solvers import DeviceSolver, Solver, make
from retrace.system import memory
from retrace.system.errors import TooLargeError, escaped
from retrace.system.processes import side_by_side

Phases = dict[str, float | None]
Pass = tuple[Phases, int | None, NDArray[Any], int]
"""Phases, iterations, answer, and the number of launches that had events around them."""
DeviceFactory = Callable[[], Device]

WARM_MS = 1000.0
"""Milliseconds of a solve from which on a warm-up makes no difference."""
EVENT_MS = 0.2
"""An upper bound of what a launch's two events cost, with the kernel that holds the stream, in ms."""


@dataclass(frozen=True)
class Effort:
    """How much to measure."""

    trials: int
    """Trials of each solver and query; the emulator runs one, since its times say nothing."""
    budget_s: float
    """Seconds for the trials of a solver and query. A solver predicted to need more for one trial is skipped,
    and no trial is begun that would exceed the budget if it took as long as the slowest so far."""
    at_once: int = 1
    """Trials of a C++ program that run at a time, each in a process of its own on a core of its own. They
    share the caches and the memory, so records state it."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one trial, before its answer is checked."""

    phases: Phases
    iterations: int | None
    answer: NDArray[Any]
    predecessor: Int32Array | None
    observed: dict[str, float]
    gpu: dict[str, Any] | None


@dataclass
class Measurement:
    """The trials of one solver with one query; `trials` has the phases of each, in milliseconds."""

    solver: str
    """Name of the solver, and its settings."""
    backend: str
    """`cuda`, `emulator` or `host`."""
    query: Query
    open_device: DeviceFactory | None
    """Creates the device for a trial; None for a host solver."""
    at_once: int = 1
    """Trials that run at a time."""
    status: str = "ok"
    """`ok`, `failed` or `skipped`."""
    reason: str | None = None
    """Why it failed or was skipped, or how the answer is wrong."""
    trials: list[Phases] = field(default_factory=list)
    iterations: int | None = None
    result: CheckResult | None = None
    """The result of checking the last answer, of which `digest` is the sha256."""
    digest: str | None = None
    observed: dict[str, float] = field(default_factory=dict)
    gpu: dict[str, Any] | None = None
    seconds: list[float] = field(default_factory=list)
    """What each trial, or each group of trials at once, took altogether."""
    started: str = ""

    def wants_trial(self, effort: Effort) -> bool:
        """Return whether another trial is due."""
        if self.status != "ok" or (self.result is not None and not self.result.verified):
            return False
        wanted = 1 if self.backend == "emulator" else effort.trials
        needed = sum(self.seconds) + max(self.seconds, default=0.0)
        return len(self.trials) < wanted and needed <= effort.budget_s

    def run_trials(self, graph: Subject, checker: Checker, effort: Effort) -> None:
        """Run a trial, or as many as run at once, and check the answers; an exception becomes the reason."""
        self.started = self.started or datetime.now(UTC).isoformat(timespec="seconds")
        try:
            if not self.trials:
                self.skip_if_need_be(graph, effort)
            if self.status == "ok":
                begun = perf_counter()
                if self.at_once == 1:
                    outcomes = [self.timed(graph, asking=len(self.trials) + 1 == effort.trials)]
                else:
                    due = min(self.at_once, effort.trials - len(self.trials))
                    outcomes = side_by_side(lambda: self.timed(graph), due)
                self.seconds.append(perf_counter() - begun)
                for outcome in outcomes:
                    self.keep(outcome, checker)
        except TooLargeError as error:
            self.skip(str(error))
        except Exception as error:
            told = f"{type(error).__name__}: {error}".splitlines()[0]
            self.status, self.reason = "failed", escaped(told)

    def skip(self, reason: str) -> None:
        """End the measurement without an answer."""
        self.started = self.started or datetime.now(UTC).isoformat(timespec="seconds")
        self.status, self.reason = "skipped", reason

    def skip_if_need_be(self, graph: Subject, effort: Effort) -> None:
        """Skip the measurement if the solver declines the query, or memory or the budget does not suffice."""
        if isinstance(graph, CSRGraph):
            memory.require(graph.memory_bytes + search_bytes(graph), memory.available(), "memory")
        elif isinstance(graph, RandomGraph):
            memory.require(graph.memory_bytes, memory.available(), "memory")
        with self.device() as device:
            solver = make(self.solver, device)
            if (why_not := solver.declines(self.query)) is not None:
                self.skip(why_not)
                return
            if device is not None and isinstance(solver, DeviceSolver):
                kind = "device memory" if self.backend == "cuda" else "memory"
                self.gpu = device.describe()
                memory.require(solver.memory_bytes(graph), device.free_memory(), kind)
            solver.setup(graph)
            predicted = solver.predict_seconds(self.query)
        if predicted is not None and predicted > effort.budget_s:
            self.skip(f"predicted {predicted:.1f} s a trial, budget_s is {effort.budget_s:g}")

    def device(self) -> AbstractContextManager[Device | None]:
        """Open a device, or nothing for a host solver."""
        return nullcontext() if self.open_device is None else self.open_device()

    def timed(self, graph: Subject, asking: bool = False) -> Outcome:
        """Run the phases once; `asking` the driver about the GPU takes longer than many trials."""
        clock = Clock()
        with self.device() as device:
            solver = make(self.solver, device)
            solver.setup(graph)
            setup: Phases = {"setup": clock.lap(), "kernel": None}
            on_cuda = self.backend == "cuda"
            phases, iterations, answer, events = self.one_pass(solver, device, with_events=on_cuda)
            if on_cuda:
                setup["kernel"] = phases.pop("kernel")
                solve = phases["solve"]
                if solve is None or solve < WARM_MS or events * EVENT_MS > solve / 100:
                    phases, iterations, answer, _ = self.one_pass(solver, device, with_events=False)
            predecessor, observed = solver.predecessors(), solver.observed()
            # while the GPU's clock is still high
            gpu = None if device is None or not asking else device.describe()
        return Outcome(setup | phases, iterations, answer, predecessor, observed, gpu)

    def one_pass(self, solver: Solver, device: Device | None, with_events: bool) -> Pass:
        """Upload, solve and download; `with_events` around launches, the phases include `kernel`."""
        clock = Clock()
        solver.upload(self.query)
        upload = clock.lap(device)
        timing = device.timing_kernels() if with_events and device is not None else nullcontext()
        with timing as timer:
            iterations = solver.solve(self.query)
        solve = clock.lap(device)
        answer = solver.download()
        download = clock.lap(device)
        phases: Phases = {"upload": upload, "solve": solve, "download": download}
        phases["total"] = upload + solve + download
        if timer is not None:
            phases["kernel"] = timer.milliseconds
        return phases, iterations, answer, 0 if timer is None else len(timer.brackets)

    def keep(self, outcome: Outcome, checker: Checker) -> None:
        """Keep a trial and check its answer; a single wrong answer makes the measurement wrong."""
        if self.result is not None and not self.result.verified:
            return
        self.trials.append(outcome.phases)
        self.iterations, self.observed = outcome.iterations, outcome.observed
        self.gpu = outcome.gpu or self.gpu
        if isinstance(outcome.answer, CSRGraph):
            self.digest = outcome.answer.info["sha256"] = outcome.answer.digest()
        else:
            self.digest = digest(outcome.answer)
        self.result = checker.check(self.solver, self.query, outcome.answer, outcome.predecessor)
        self.observed |= self.result.observed
        if not self.result.verified:
            self.reason = f"trial {len(self.trials)}: {self.result.reason}"


class Clock:
    """A stopwatch for consecutive phases."""

    def __init__(self) -> None:
        self.last = perf_counter()

    def lap(self, device: Device | None = None) -> float:
        """Return the milliseconds since the last lap, after all work of the device is done."""
        if device is not None:
            device.synchronize()
        now = perf_counter()
        passed, self.last = (now - self.last) * 1e3, now
        return passed
