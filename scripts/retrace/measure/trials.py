"""How one solver is timed with one query: passes of its `setup`, then trials of the other phases.

A pass of `setup` opens a device of its own, which creates the context, and loads the code; for a library it
makes the library's graph object. Trials run on one device for all solvers, each on a copy of the solver as
`setup` left it, so that its memory is free again afterwards. On CUDA, a pass that is not kept warms the
device up, and a pass whose launches are bracketed by events precedes each of the first trials: the `kernel`
time. Every answer is checked after the clocks have stopped.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
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
from retrace.catalogue.known_solvers import WEIGHTED
from retrace.check.checkers import Checker
from retrace.check.oracles import search_bytes
from retrace.check.result import CheckResult, digest
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Draw, Query, Subject
from retrace.graphs.random import RandomGraph
from retrace.measure.energy import energy_of
from retrace.measure.other_work import OtherWork
from retrace.measure.patience import patience
from retrace.measure.withheld import Withheld
from retrace.records.record import CLOCKS_AGREE, DIGEST_DIGITS, Energy, Trial, digest_of_all
from retrace.records.statistics import LEAST_TRIALS, LONG_MS, Summary
from retrace.solvers import DeviceSolver, Solver, find, make, parse
from retrace.solvers.own_process import OwnProcess
from retrace.solvers.peer import Peer
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
ONCE_MS = 2000.0
"""Milliseconds of a solve from which on none follows."""
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
WITHHELD = Withheld()
"""What the host withholds during a trial."""
SUMS_AGREE = 1e-3
"""How far apart the scores of two solves may be, whose sums are of float or double in any order: relative, or
in pairs of vertices."""
ANOTHER_ANSWER = "a later solve on the same device gave another answer"
REPEATS = 3
"""How often a trial is run at most that was held back, on a throttled GPU, or faster than its kernels."""


class Effort(Model):
    """How much to measure."""

    trials: int = Field(10, ge=1)
    """Most trials of each solver and query; the emulator runs one, since its times say nothing."""
    budget_s: float = Field(60.0, gt=0)
    """Seconds for the trials of a solver and query: after the first, no trial is begun that would exceed
    the budget if it took as long as the slowest so far (`fits_budget`)."""
    longest_s: float = Field(60.0, gt=0)
    """A solver predicted to need more seconds for one trial is skipped."""
    setups: int = Field(0, ge=0)
    """Most timed passes of a GPU solver's `setup`: each makes a context, in 0.1 s. Others have one."""
    emulated_vertices: int | None = Field(None, ge=1)
    """The emulator skips graphs with more vertices; without it none."""
    least_trials: int = Field(LEAST_TRIALS, ge=LEAST_TRIALS)
    """Trials of a solver before they end early, because they take long."""
    energy_s: float | None = Field(None, gt=0)
    """Seconds for which a search is repeated on a GPU, to measure its energy; without it, it is not."""
    energy_vertices: int = Field(1 << 16, ge=1)
    """Vertices of the smallest graph that it is measured on; searches of smaller ones are launches alone."""


@dataclass(frozen=True)
class Afterwards:
    """What follows the phases of a trial: solves for `again`, and predecessors that `solve` did not find."""

    together_ms: float = AGAIN_MS
    """Milliseconds of them after which no other begins."""
    longest_ms: float = ONCE_MS
    """Milliseconds of the first solve from which on none follows."""
    traces_back: bool = True
    """Whether predecessors are found in the levels, which takes as long as a search of one core."""


FIRST_TRIAL = Afterwards()
LATER_TRIAL = Afterwards(longest_ms=AGAIN_MS)
"""A long solve is followed by one, in the first trial; the emulator's by none, whose times say nothing."""
ASKED_ONCE = Afterwards(longest_ms=0.0)
"""What a command or a caller asks once: no solve follows."""
FIRST_DRAWN = Afterwards(together_ms=2.0)
LATER_DRAWN = Afterwards(together_ms=2.0, traces_back=False)
"""Of one of many sources, of which each counts once."""


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
    is_repeated: bool = True
    """Whether a later solve, if there was one, gave the same answer."""

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

    def with_times(self, **times: float | bool | str | None) -> Self:
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
    draw: Draw | None = None
    """Questions to draw from the graph, one for each trial, in place of `query`."""

    @property
    def parameters(self) -> dict[str, int | str]:
        """What a record stores of the question besides its source."""
        return (self.draw or self.query).parameters()

    @property
    def is_library(self) -> bool:
        """Whether a library is called, which makes a graph object of its own."""
        return issubclass(find(self.solver), Peer)

    def solver_on(self, device: Device | None) -> Solver:
        """Return the solver on a device, if it needs one, or in a process of its own."""
        return OwnProcess(self.solver) if find(self.solver).apart else make(self.solver, device)

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
                outcome = one_pass(solver, self.query, device, ASKED_ONCE)
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
    """What each trial took, without passes that were repeated."""
    energy: Energy | None = None
    drawn: int | None = None
    """How many questions the graph has of those that were to be drawn."""
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


def fits_budget(trials: Sequence[Trial], seconds: Sequence[float], budget_s: float, rounds: int = 1) -> bool:
    """Return whether another trial is within `budget_s`, of which each of some rounds has its share.

    Trials too few to be ranked, if each round has as many, may exceed it together, but none by itself.
    """
    longest = max(seconds, default=0.0)
    too_few = rounds * len(trials) < LEAST_TRIALS and all(trial.solve < LONG_MS for trial in trials)
    return (too_few and longest <= budget_s) or sum(seconds) + longest <= budget_s / rounds


@dataclass
class Measurement(Results):
    """Runs the setup and the trials of a request, and holds their results."""

    request: Request = field(kw_only=True)
    ready: tuple[Device | None, Solver] | None = None
    """The solver as `setup` left it, and the device that it is set up on."""
    rounds: int = 1
    """How many such measurements in processes of their own share the times after which trials end early."""
    round: int = 0
    """Which of them it is. It has every so many of the questions that are drawn."""
    chosen: dict[str, float] = field(default_factory=dict)
    """What the first round observed: later ones use the threads that it found to be fastest."""
    questions: tuple[Query, ...] = ()
    """Those that were drawn for its trials."""

    def ask(self, drawn: Sequence[Query]) -> None:
        """Take its share of what was drawn for all rounds; RetraceError if it is too little."""
        if len(drawn) < self.rounds:
            expected = f"expected one for each of {self.rounds} rounds"
            raise RetraceError(f"sources: {expected}, found {len(drawn)} to draw from the graph; draw none")
        self.drawn, self.questions = len(drawn), tuple(drawn[self.round :: self.rounds])

    @property
    def query(self) -> Query:
        """What the next trial asks."""
        return self.questions[len(self.trials)] if self.questions else self.request.query

    @property
    def is_enough(self) -> bool:
        """Whether the trials took their share of a second."""
        return sum(self.seconds) >= ENOUGH_S / self.rounds

    @property
    def has_kernel_times(self) -> bool:
        """Whether further trials need no kernel time."""
        slow = bool(self.trials) and self.trials[-1].solve >= SLOW_MS
        return len(self.trials) >= (1 if slow else ceil(KERNEL_TRIALS / self.rounds))

    def most_trials(self, effort: Effort) -> int:
        """Return how many trials there are if none is left out: with questions drawn, one of each."""
        if self.request.draw is not None:
            count = self.request.draw.count if self.drawn is None else self.drawn
            return len(range(self.round, count, self.rounds))
        return 1 if self.request.backend == "emulator" else effort.trials

    def wants_trial(self, effort: Effort) -> bool:
        """Return whether another trial is due."""
        if self.status != "ok" or (self.result is not None and not self.result.verified):
            return False
        alike = self.request.draw is None
        ends_early = alike and len(self.trials) >= effort.least_trials and self.is_enough
        fits = fits_budget(self.trials, self.seconds, effort.budget_s * self.rounds, self.rounds)
        return len(self.trials) < self.most_trials(effort) and fits and not ends_early

    def prepare(self, graph: Subject, effort: Effort, shared: SharedDevice) -> None:
        """Check that the solver can answer in memory and in time, and time its setup as often as is asked."""
        self.start()
        try:
            kind = find(self.request.solver)
            if (why_not := kind.exceeded_by(graph)) is not None:
                self.skip(why_not)
                return
            if kind.problem in WEIGHTED and isinstance(graph, CSRGraph) and graph.weights is None:
                self.skip("the graph has no weights; draw some with `retrace convert --weights`")
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
            if self.ready is not None:
                self.ready[1].tune(self.query, self.chosen)
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
        solver = self.request.solver_on(device)
        creation = 0.0 if isinstance(solver, OwnProcess) else clock.lap()
        if first and (why_not := self.declined(solver, device, graph)) is not None:
            self.skip(why_not)
            return None
        took = creation + timed_setup(solver, graph, device)
        # The memory of a copy is free again.
        predicted = copy(solver).predict_seconds(self.query) if first else None
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
        return solver.declines(self.query)

    def run_trial(self, graph: Subject, checker: Checker, effort: Effort, shared: SharedDevice) -> None:
        """Run a trial and check its answer; an exception becomes the reason."""
        try:
            with self.patience(graph, effort):
                outcome = shared.with_room(lambda: self.undisturbed(graph, shared))
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

    def solver_on(self, device: Device | None, graph: Subject) -> Solver:
        """Return the solver, set up on a device."""
        if self.ready is None or self.ready[0] is not device:
            solver = self.request.solver_on(device)
            solver.setup(graph)
            self.ready = device, solver
        return self.ready[1]

    def undisturbed(self, graph: Subject, shared: SharedDevice) -> Outcome:
        """Run a trial, again if GPU or host were held back; its times include the state of the machine."""
        device = None if self.request.open_device is None else shared.device
        solver = self.solver_on(device, graph)
        for _ in range(REPEATS):
            begun = perf_counter()
            WITHHELD.begin()
            outcome = self.run_phases(solver, device)
            state = WITHHELD.of_trial() | (device.state() if device else {})
            if not (state.get("throttled") or state["held_back"]):
                break
        self.seconds.append(perf_counter() - begun)
        if isinstance(solver, OwnProcess):
            OTHERS.elsewhere += solver.core_seconds()
        host = {"load": round(os.getloadavg()[0], 2), "others": OTHERS.cores()}
        return outcome.with_times(**state, **host)

    def wants_energy(self, effort: Effort) -> bool:
        """Return whether to measure the energy of a search: once, on a GPU, of the distances alone."""
        if effort.energy_s is None or self.round != 0 or self.energy or self.request.backend != "cuda":
            return False
        if self.status != "ok" or self.result is None or not self.result.verified:
            return False
        on_gpu = self.request.is_library or any(trial.kernel is not None for trial in self.trials)
        repeats = any(trial.again is not None for trial in self.trials)
        return on_gpu and repeats and parse(self.request.solver)[1].get("predecessors") != "yes"

    def measure_energy(
        self, graph: Subject, effort: Effort, shared: SharedDevice, idle_watts: float | None
    ) -> None:
        """Repeat the first trial's search on the resident graph; an exception becomes the reason."""
        assert effort.energy_s is not None
        measure = partial(self.energy_on_device, graph, effort.energy_s, shared, idle_watts)
        try:
            with self.patience(graph, effort):
                self.energy = shared.with_room(measure)
        except Exception as error:
            self.fail(error)
            shared.close()  # a failed kernel leaves a context that fails

    def energy_on_device(
        self, graph: Subject, seconds: float, shared: SharedDevice, idle_watts: float | None
    ) -> Energy | None:
        """Return the energy, or None without a counter; RetraceError if the last answer is another."""
        device, query = shared.device, self.questions[0] if self.questions else self.request.query
        solver = copy(self.solver_on(device, graph))
        solver.upload(query)
        solver.solve(query)
        first = solver.download().copy()

        def search() -> None:
            solver.begin_again(query)
            solver.solve(query)
            if not solver.ends_on_host:
                device.synchronize()

        energy = energy_of(search, device.joules, seconds, idle_watts)
        solver.forget()
        search()
        if not gives_same(first, solver.download()):
            raise RetraceError(f"{solver.name}: {ANOTHER_ANSWER}")
        return energy

    def run_phases(self, solver: Solver, device: Device | None) -> Outcome:
        """Run the phases; the first trials on CUDA have a kernel time."""
        is_later = self.trials or self.request.backend == "emulator"
        if self.questions:
            afterwards = LATER_DRAWN if self.trials else FIRST_DRAWN
        else:
            afterwards = LATER_TRIAL if is_later else FIRST_TRIAL
        if self.request.backend != "cuda" or self.has_kernel_times:
            return one_pass(solver, self.query, device, afterwards)
        return pass_with_kernel_time(solver, self.query, device, bool(self.trials), afterwards)

    def keep(self, outcome: Outcome, checker: Checker) -> None:
        """Keep a trial and check its answer; a single wrong answer makes the measurement wrong."""
        solver, query = self.request.solver, self.query
        if isinstance(outcome.answer, CSRGraph):
            self.digest = outcome.answer.info["sha256"] = outcome.answer.digest()
        else:
            self.digest = digest(outcome.answer)
        if self.questions:
            question = {"source": query.source, "target": query.target, "iterations": outcome.iterations}
            question |= {} if query.edges is None else {"edges": query.edges}
            outcome = outcome.with_times(**question, digest=self.digest[:DIGEST_DIGITS])
        self.trials.append(outcome.times)
        self.iterations, self.observed = outcome.iterations, outcome.observed
        if self.questions:
            self.digest = digest_of_all(self.trials)
        self.result = checker.check(solver, query, outcome.answer, outcome.predecessor)
        self.observed |= self.result.observed
        if self.result.verified and not outcome.is_repeated:
            self.result = replace(self.result, verified=False, reason=ANOTHER_ANSWER)
        if not self.result.verified:
            self.reason = f"trial {len(self.trials)}: {self.result.reason}"


def timed_setup(solver: Solver, graph: Subject, device: Device | None) -> float:
    """Set a solver up, and return the milliseconds, by the clock of the process that it is in."""
    if isinstance(solver, OwnProcess):
        return solver.run(timed_setup, graph, None)
    clock = Clock()
    solver.setup(graph)
    return clock.lap(device)


def pass_with_kernel_time(
    solver: Solver,
    query: Query,
    device: Device | None,
    is_warm: bool,
    afterwards: Afterwards = FIRST_TRIAL,
) -> Outcome:
    """Run a trial whose `kernel` is known: from its own events if they are cheap, else from a pass beside it.

    Of `REPEATS` tries, the first whose kernels took no longer than its solve counts. If none is such, the
    last trial is returned without a kernel time.
    """
    for bracketed in islice(passes_with_events(solver, query, device, is_warm, afterwards), REPEATS):
        if bracketed.is_a_trial:
            return bracketed
        plain = one_pass(solver, query, device, afterwards)
        combined = plain.with_times(kernel=bracketed.times.kernel)
        if combined.is_sound:
            return combined
    return plain


def passes_with_events(
    solver: Solver, query: Query, device: Device | None, is_warm: bool, afterwards: Afterwards
) -> Iterator[Outcome]:
    """Yield passes with events, without end; the one that warms a device up only if it is long enough."""
    if not is_warm:
        cold = one_pass(solver, query, device, afterwards, with_events=True, warms_up=True)
        if cold.needs_no_warm_up:
            yield cold
    while True:
        yield one_pass(solver, query, device, afterwards, with_events=True)


def one_pass(
    prepared: Solver,
    query: Query,
    device: Device | None,
    afterwards: Afterwards = FIRST_TRIAL,
    *,
    with_events: bool = False,
    warms_up: bool = False,
) -> Outcome:
    """Upload, solve and download with a copy of the solver; `with_events`, the launches are timed too.

    A solver that repeats solves again, for `again`, unless the solve is long, if it is not the first trial's,
    or very long, or the pass is no trial: for its events, or since it `warms_up`.
    """
    if isinstance(prepared, OwnProcess):
        return prepared.run(one_pass, query, None, afterwards)
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
    predecessor = solver.predecessors() if afterwards.traces_back else solver.found_predecessors()
    outcome = Outcome(times, iterations, answer, predecessor, observed, launches)
    is_a_trial = outcome.is_a_trial and (outcome.needs_no_warm_up or not warms_up)
    if solver.repeats and is_a_trial and solve < afterwards.longest_ms:
        first = answer.copy()  # a solver on the host answers in the same memory
        outcome = outcome.with_times(again=again(solver, query, device, afterwards.together_ms))
        return replace(outcome, answer=first, is_repeated=gives_same(first, solver.download()))
    return outcome


def again(solver: Solver, query: Query, device: Device | None, most_ms: float = AGAIN_MS) -> float:
    """Solve again, and return the median of the milliseconds.

    The first answer is spoilt before, so that one that stayed would be another.
    """
    solver.forget()
    clock = Clock()
    clock.lap(device)
    repeated: list[float] = []
    while not repeated or (len(repeated) < MOST_AGAIN and sum(repeated) < most_ms):
        solver.begin_again(query)
        solver.solve(query)
        repeated.append(clock.lap(None if solver.ends_on_host else device))
    return Summary.of(repeated).median


def gives_same(first: NDArray[Any], later: NDArray[Any]) -> bool:
    """Return whether an answer is that of an earlier solve, sums but for the order of additions."""
    if np.issubdtype(first.dtype, np.floating):
        return np.allclose(first, later, SUMS_AGREE, SUMS_AGREE)
    return np.array_equal(first, later)


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
