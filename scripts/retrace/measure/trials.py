"""How one solver is timed with one query: passes of its `setup`, then trials of the other phases.

A pass of `setup` opens a device of its own, which creates the context, and loads the code; for a library it
makes the library's graph object. Trials run on one device for all solvers, each on a copy of the solver as
`setup` left it, so that its memory is free again afterwards. On CUDA, a pass that is not kept warms the
device up, and a pass whose launches are bracketed by events precedes each of the first trials: the `kernel`
time. Every answer is checked after the clocks have stopped.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from math import ceil
from time import perf_counter
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cuda_device import memory
from cuda_device.errors import LacksError, TooLargeError, escaped
from cuda_device.gpu_limits import GPULimits
from cuda_device.interface import Device
from retrace.check.checkers import Checker
from retrace.check.oracles import search_bytes
from retrace.check.result import CheckResult, digest
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query, Subject
from retrace.graphs.random import RandomGraph
from retrace.measure.other_work import OtherWork
from retrace.measure.patience import patience
from retrace.records.record import CLOCKS_AGREE, Trial
from retrace.records.statistics import LEAST_TRIALS, Summary
from retrace.solvers import DeviceSolver, Solver, find, make
from retrace.solvers.libraries import Peer
from retrace.system.errors import RetraceError
from retrace.system.models import Model

DeviceFactory = Callable[[], Device]
T = TypeVar("T")

SETUP_S = 0.25
"""Seconds after which no further pass of `setup` begins."""
ENOUGH_S = 1.0
"""Seconds of trials after which they end early: what they say is not looked at, since it is to be ranked."""
MOST_AGAIN, AGAIN_MS = 19, 20.0
"""The most further solves of a trial, and the milliseconds after which no other begins."""
KERNEL_TRIALS = 3
"""Trials with a `kernel` time, of which each may take a pass of its own."""
SLOW_MS = 100.0
"""Milliseconds of a solve from which on one trial with a `kernel` time will do."""
WARM_MS = 250.0
"""Milliseconds of a solve from which on a warm-up makes no difference: a first solve takes 0.05 ms more."""
EVENT_MS = 0.2
"""An upper bound of what a launch's two events cost, with the kernel that holds the stream, in ms."""
OTHERS = OtherWork()
"""What other processes do, since the process began or the last interval."""
REPEATS = 3
"""How often a trial is repeated that ran on a throttled GPU, or was faster than its kernels."""


class Effort(Model):
    """How much to measure."""

    trials: int = Field(10, ge=1)
    """Most trials of each solver and query; the emulator runs one, since its times say nothing."""
    budget_s: float = Field(60.0, gt=0)
    """Seconds for the trials of a solver and query: after the first, no trial is begun that would exceed
    the budget if it took as long as the slowest so far."""
    longest_s: float = Field(60.0, gt=0)
    """A solver predicted to need more seconds for one trial is skipped."""
    setups: int = Field(0, ge=0)
    """Most timed passes of a GPU solver's `setup`: each makes a context, in 0.1 s. Others have one."""
    emulated_vertices: int | None = Field(None, ge=1)
    """The emulator skips graphs with more vertices; without it none."""
    least_trials: int = Field(LEAST_TRIALS, ge=LEAST_TRIALS)
    """Trials of a solver before they end early, because they take long."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one pass, before its answer is checked."""

    times: Trial
    """The milliseconds of each phase, and the state of the machine; its `kernel` is None without events."""
    iterations: int | None
    answer: NDArray[Any]
    predecessor: Int32Array | None
    observed: dict[str, float]
    launches: int
    """The number of launches that had events around them."""
    setup: float | None = None
    """Milliseconds of the solver's own `setup`; None in trials, whose solver is set up apart."""

    @property
    def needs_no_warm_up(self) -> bool:
        """Whether the solve is so long that a warm-up makes no difference."""
        return self.times.solve >= WARM_MS

    @property
    def has_cheap_events(self) -> bool:
        """Whether all events cost less than 1 % of the solve."""
        return self.launches * EVENT_MS <= self.times.solve / 100

    @property
    def is_sound(self) -> bool:
        """Whether the kernels took no longer than the solve, by another clock."""
        return (self.times.kernel or 0.0) <= self.times.solve * CLOCKS_AGREE

    @property
    def is_a_trial(self) -> bool:
        """Whether a pass with events counts as a trial."""
        return self.has_cheap_events and self.is_sound

    def with_times(self, **times: float | bool | None) -> Self:
        """Return the same outcome with other values of some fields of its times."""
        return replace(self, times=self.times.model_copy(update=times))


class SharedDevice:
    """The device of all trials of a job: opened when it is first needed, and anew after a failure."""

    def __init__(self, open_device: DeviceFactory) -> None:
        self.open_device = open_device
        self._device: Device | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def device(self) -> Device:
        """Return the device, open."""
        if self._device is None:
            self._device = self.open_device().__enter__()
        return self._device

    @cached_property
    def limits(self) -> GPULimits:
        """Return the limits of the device, which need not be open."""
        return (self._device or self.open_device()).limits

    def with_room(self, work: Callable[[], T]) -> T:
        """Do some work; if memory is short, again after what other solvers keep on the device was freed."""
        try:
            return work()
        except TooLargeError:
            self.close()
            return work()

    def open_once(self) -> None:
        """Open and close the device: a process's first context takes twice as long as the next."""
        with self.open_device():
            pass

    def close(self) -> None:
        """Free all that was allocated, and the context."""
        device, self._device = self._device, None
        if device is not None:
            device.__exit__()


@dataclass(frozen=True)
class Request:
    """What is to be measured: one solver with one query."""

    solver: str
    """Name of the solver, and its settings."""
    backend: str
    """`cuda`, `emulator` or `host`."""
    query: Query
    open_device: DeviceFactory | None
    """Opens a device of its own; None for a host solver."""

    @property
    def is_library(self) -> bool:
        """Whether a library is called, which makes a graph object of its own."""
        return issubclass(find(self.solver), Peer)

    def device(self) -> AbstractContextManager[Device | None]:
        """Open a device, or nothing for a host solver."""
        return nullcontext() if self.open_device is None else self.open_device()

    def once(self, graph: CSRGraph) -> Outcome:
        """Set up and run once on a device of its own; the outcome has the time of `setup`."""
        clock = Clock()
        with self.device() as device:
            solver = make(self.solver, device)
            solver.setup(graph)
            setup = clock.lap(device)
            if self.backend == "cuda":
                outcome = pass_with_kernel_time(solver, self.query, device, is_warm=False)
            else:
                outcome = one_pass(solver, self.query, device)
        return replace(outcome, setup=setup)


@dataclass
class Results:
    """What has been measured of a request until now: all that a record tells, and that a job keeps."""

    status: str = "ok"
    """`ok`, `failed` or `skipped`."""
    reason: str | None = None
    """Why it failed or was skipped, or how the answer is wrong."""
    setups: list[float] = field(default_factory=list)
    """Milliseconds of each pass of `setup`."""
    trials: list[Trial] = field(default_factory=list)
    iterations: int | None = None
    result: CheckResult | None = None
    """The result of checking the last answer, of which `digest` is the sha256."""
    digest: str | None = None
    observed: dict[str, float] = field(default_factory=dict)
    gpu: dict[str, Any] | None = None
    seconds: list[float] = field(default_factory=list)
    """What each trial took, without passes on a throttled GPU that were repeated."""
    started: str = ""

    def start(self) -> None:
        """Note the time of day, unless it was noted before."""
        self.started = self.started or datetime.now(UTC).isoformat(timespec="seconds")

    def fail(self, error: Exception) -> None:
        """End the measurement with an exception's message; what this computer lacks is no failure."""
        if isinstance(error, TooLargeError | LacksError):
            self.skip(str(error))
            return
        message = f"{type(error).__name__}: {error}".splitlines()[0]
        self.status, self.reason = "failed", escaped(message)

    def skip(self, reason: str) -> None:
        """End the measurement without an answer."""
        self.start()
        self.status, self.reason = "skipped", reason


@dataclass
class Measurement(Results):
    """Runs the setup and the trials of a request, and holds their results."""

    request: Request = field(kw_only=True)
    ready: tuple[Device | None, Solver] | None = None
    """The solver as `setup` left it, and the device that it is set up on."""
    rounds: int = 1
    """How many such measurements in processes of their own share the times after which trials end early."""

    @property
    def is_enough(self) -> bool:
        """Whether the trials took their share of a second."""
        return sum(self.seconds) >= ENOUGH_S / self.rounds

    @property
    def has_kernel_times(self) -> bool:
        """Whether further trials need no kernel time."""
        slow = bool(self.trials) and self.trials[-1].solve >= SLOW_MS
        return len(self.trials) >= (1 if slow else ceil(KERNEL_TRIALS / self.rounds))

    def wants_trial(self, effort: Effort) -> bool:
        """Return whether another trial is due."""
        if self.status != "ok" or (self.result is not None and not self.result.verified):
            return False
        if not self.trials:
            return True
        wanted = 1 if self.request.backend == "emulator" else effort.trials
        needed = sum(self.seconds) + max(self.seconds)
        ends_early = len(self.trials) >= effort.least_trials and self.is_enough
        return len(self.trials) < wanted and needed <= effort.budget_s and not ends_early

    def prepare(self, graph: Subject, effort: Effort, shared: SharedDevice) -> None:
        """Check that the solver can answer in memory and in time, and time its setup as often as is asked."""
        self.start()
        try:
            kind = find(self.request.solver)
            if (why_not := kind.exceeded_by(graph)) is not None:
                self.skip(why_not)
                return
            if self.request.open_device and (missing := kind.missing_from(shared.limits)) is not None:
                self.skip(missing)
                return
            limit = effort.emulated_vertices
            if self.request.backend == "emulator" and limit is not None and graph.vertices > limit:
                self.skip(f"emulated on graphs of at most {limit:,} vertices")
            if isinstance(graph, CSRGraph):
                memory.require(graph.memory_bytes + search_bytes(graph), memory.available(), "memory")
            elif isinstance(graph, RandomGraph):
                memory.require(graph.memory_bytes, memory.available(), "memory")
            if (why_not := kind.unavailable()) is not None:
                self.skip(why_not)
            elif issubclass(kind, Peer):
                kind.load()
            own_device = self.request.open_device and not self.request.is_library
            most = effort.setups if own_device else max(1, effort.setups)
            while self.status == "ok" and len(self.setups) < most and sum(self.setups) < SETUP_S * 1e3:
                self.ready = None  # a large graph object does not stay beside the next
                with self.patience(graph, effort):
                    self.time_setup(graph, effort, shared)
            if self.status == "ok" and not self.setups:
                with self.patience(graph, effort):
                    shared.with_room(lambda: self.set_up(graph, effort, shared.device))
        except Exception as error:
            self.fail(error)
            if self.status == "failed":
                shared.close()  # a failed kernel leaves a context that fails

    def time_setup(self, graph: Subject, effort: Effort, shared: SharedDevice) -> None:
        """Time a pass of `setup`, of kernels on a device of its own."""
        own_device = self.request.open_device and not self.request.is_library
        of_all = shared.device if self.request.open_device and not own_device else None
        clock = Clock()
        with self.request.device() if own_device else nullcontext(of_all) as device:
            opened = clock.lap()
            took = self.set_up(graph, effort, device)
        if own_device:
            self.ready = None
        if took is not None:
            self.setups.append(opened + took)

    def set_up(self, graph: Subject, effort: Effort, device: Device | None) -> float | None:
        """Set up, and return the milliseconds. The first pass tells what cannot be solved, or not in time."""
        first, clock = not self.setups, Clock()
        solver = make(self.request.solver, device)
        made = clock.lap()
        if first and (why_not := self.declined(solver, device, graph)) is not None:
            self.skip(why_not)
            return None
        clock.lap()
        solver.setup(graph)
        took = made + clock.lap(device)
        # The memory of a copy is free again.
        predicted = copy(solver).predict_seconds(self.request.query) if first else None
        if predicted is not None and predicted > effort.longest_s:
            self.skip(f"predicted {predicted:.1f} s a trial, longest_s is {effort.longest_s:g}")
        else:
            self.ready = device, solver
        return took

    def declined(self, solver: Solver, device: Device | None, graph: Subject) -> str | None:
        """Return why the solver cannot answer; raise TooLargeError if its device has too little memory."""
        if device is not None:
            self.gpu = device.describe()
        if device is not None and isinstance(solver, DeviceSolver):
            kind = "device memory" if self.request.backend == "cuda" else "memory"
            memory.require(solver.memory_bytes(graph), device.free_memory(), kind)
        return solver.declines(self.request.query)

    def run_trial(self, graph: Subject, checker: Checker, effort: Effort, shared: SharedDevice) -> None:
        """Run a trial and check its answer; an exception becomes the reason."""
        try:
            with self.patience(graph, effort):
                outcome = shared.with_room(lambda: self.unthrottled(graph, shared))
            self.keep(outcome, checker)
        except Exception as error:
            self.fail(error)
            self.ready = None
            if self.request.open_device is not None:
                shared.close()  # a failed kernel leaves a context that fails

    def patience(self, graph: Subject, effort: Effort) -> AbstractContextManager[None]:
        """End the process if a GPU's kernel does not end."""
        longest = effort.longest_s if self.request.backend == "cuda" else float("inf")
        return patience(f"{self.request.solver} on {graph.name}", longest)

    def unthrottled(self, graph: Subject, shared: SharedDevice) -> Outcome:
        """Run a trial, again if the GPU was throttled; its times include the state of the machine."""
        device = None if self.request.open_device is None else shared.device
        if self.ready is None or self.ready[0] is not device:
            solver = make(self.request.solver, device)
            solver.setup(graph)
            self.ready = device, solver
        solver = self.ready[1]
        for _ in range(REPEATS):
            begun = perf_counter()
            outcome = self.run_phases(solver, device)
            state = device.state() if device else {}
            if not state.get("throttled"):
                break
        self.seconds.append(perf_counter() - begun)
        host = {"load": round(os.getloadavg()[0], 2), "others": OTHERS.cores()}
        return outcome.with_times(**state, **host)

    def run_phases(self, solver: Solver, device: Device | None) -> Outcome:
        """Run the phases; the first trials on CUDA have a kernel time."""
        query = self.request.query
        if self.request.backend != "cuda" or self.has_kernel_times:
            return one_pass(solver, query, device)
        return pass_with_kernel_time(solver, query, device, is_warm=bool(self.trials))

    def keep(self, outcome: Outcome, checker: Checker) -> None:
        """Keep a trial and check its answer; a single wrong answer makes the measurement wrong."""
        self.trials.append(outcome.times)
        self.iterations, self.observed = outcome.iterations, outcome.observed
        if isinstance(outcome.answer, CSRGraph):
            self.digest = outcome.answer.info["sha256"] = outcome.answer.digest()
        else:
            self.digest = digest(outcome.answer)
        solver, query = self.request.solver, self.request.query
        self.result = checker.check(solver, query, outcome.answer, outcome.predecessor)
        self.observed |= self.result.observed
        if not self.result.verified:
            self.reason = f"trial {len(self.trials)}: {self.result.reason}"


def pass_with_kernel_time(solver: Solver, query: Query, device: Device | None, is_warm: bool) -> Outcome:
    """Run a trial whose `kernel` is known: from its own events if they are cheap, else from a pass beside it.

    Of `REPEATS` tries, the first whose kernels took no longer than its solve counts. If none is such, the
    last trial is returned without a kernel time.
    """
    for bracketed in islice(passes_with_events(solver, query, device, is_warm), REPEATS):
        if bracketed.is_a_trial:
            return bracketed
        plain = one_pass(solver, query, device)
        combined = plain.with_times(kernel=bracketed.times.kernel)
        if combined.is_sound:
            return combined
    return plain


def passes_with_events(
    solver: Solver, query: Query, device: Device | None, is_warm: bool
) -> Iterator[Outcome]:
    """Yield passes with events, without end; the one that warms a device up only if it is long enough."""
    if not is_warm:
        cold = one_pass(solver, query, device, with_events=True, warms_up=True)
        if cold.needs_no_warm_up:
            yield cold
    while True:
        yield one_pass(solver, query, device, with_events=True)


def one_pass(
    prepared: Solver, query: Query, device: Device | None, with_events: bool = False, warms_up: bool = False
) -> Outcome:
    """Upload, solve and download with a copy of the solver; `with_events`, the launches are timed too.

    A solver that repeats solves again, for `again`, unless the solve is long, or the pass is no trial: for
    its events, or since it `warms_up`.
    """
    solver, clock = copy(prepared), Clock(device)
    solver.upload(query)
    upload = clock.lap(device)
    with device.timing_kernels() if with_events and device is not None else nullcontext() as timer:
        iterations = solver.solve(query)
    solve = clock.lap(None if solver.ends_on_host else device)
    answer = solver.download()
    download = clock.lap(device)
    launches = 0 if timer is None else len(timer.brackets)
    kernel = timer.milliseconds if timer and launches else None  # a library's launches are unseen
    total = upload + solve + download
    observed = solver.observed()
    times = Trial(
        upload=upload, solve=solve, download=download, total=total, kernel=kernel,
        lock=None if device is None else device.lock_ms, prepare=observed.pop("prepare_ms", None),
    )  # fmt: skip
    outcome = Outcome(times, iterations, answer, solver.predecessors(), observed, launches)
    if solver.repeats and outcome.is_a_trial and not (warms_up or outcome.needs_no_warm_up):
        return outcome.with_times(again=again(solver, query, device, answer))
    return outcome


def again(solver: Solver, query: Query, device: Device | None, answer: NDArray[Any]) -> float:
    """Solve again, and return the median of the milliseconds; RetraceError if the answer is another."""
    clock = Clock()
    clock.lap(device)
    repeated: list[float] = []
    while not repeated or (len(repeated) < MOST_AGAIN and sum(repeated) < AGAIN_MS):
        solver.solve(query)
        repeated.append(clock.lap(None if solver.ends_on_host else device))
    if not np.array_equal(answer, solver.download()):
        raise RetraceError(f"{solver.name}: a later solve on the same device gave another answer")
    return Summary.of(repeated).median


class Clock:
    """A stopwatch for consecutive phases, which stands still while its device is `off_the_clock`."""

    def __init__(self, of: Device | None = None) -> None:
        self.of = of
        if of is not None:
            of.lock_ms, of.off_clock_ms = None, 0.0
        self.last = perf_counter()

    def lap(self, device: Device | None = None) -> float:
        """Return the milliseconds since the last lap, after all work of the device is done."""
        if device is not None:
            device.synchronize()
        now = perf_counter()
        passed, self.last = (now - self.last) * 1e3, now
        if self.of is not None:
            passed, self.of.off_clock_ms = passed - self.of.off_clock_ms, 0.0
        return passed
