"""What is timed, and how often: the trials of all solvers of one experiment on one graph.

A trial opens its own device, so that `setup` is a real one: context and module load. On CUDA a pass follows
which warms the device up and whose launches are bracketed by events: the `kernel` time. Then come the three
timed phases; a long solve of few launches, to which warm-up and events make no difference, is not repeated.
Trials are interleaved, so that a drift of the machine hits all solvers alike. Every answer is checked, after
the trial's clocks have stopped.

Trials of the C++ baselines, one core each, may also run several at a time: `Settings.at_once`.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from numpy.typing import NDArray
from tqdm import tqdm

from retrace.check.checkers import Checker, checker_of
from retrace.check.oracles import Verdict, digest, search_bytes
from retrace.devices.base import Device
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.random import RandomGraph
from retrace.records.record import Record, make_record
from retrace.solvers import Query, Solver, make
from retrace.solvers.host import HostSolver
from retrace.solvers.peers import Peer
from retrace.solvers.registry import DeviceSolver, Subject, find, parse
from retrace.system import memory
from retrace.system.errors import RetraceError, TooLargeError
from retrace.system.memory import require
from retrace.system.processes import side_by_side

Phases = dict[str, float | None]
Pass = tuple[Phases, int | None, NDArray[Any], int]
"""Phases, iterations, answer, and how many launches had events around them."""
DeviceFactory = Callable[[], Device]

LONG_MS = 1000.0
"""Milliseconds of a solve that needs no warm-up."""
EVENT_MS = 0.2
"""Milliseconds; more than a launch's two events cost, with the kernel that holds the stream before them."""


@dataclass(frozen=True)
class Settings:
    """How much to measure.

    Attributes
    ----------
    trials
        Trials of each solver and query; on the emulator one, since its times say nothing.
    budget_s
        Seconds: a solver predicted to need more for one trial is skipped, and no further trial is begun that
        would take its trials beyond this, going by the slowest so far.
    at_once
        How many trials of a C++ baseline run at a time, each in a process of its own on a core of its own.
        They share the caches and the memory, so records say it.
    """

    trials: int
    budget_s: float
    at_once: int = 1


@dataclass(frozen=True)
class Outcome:
    """What came of one trial, beside its answer's digest and verdict."""

    phases: Phases
    iterations: int | None
    answer: NDArray[Any]
    predecessor: Int32Array | None
    observed: dict[str, float]
    gpu: dict[str, Any] | None


@dataclass
class Case:
    """One solver with one query, and what came of it.

    Attributes
    ----------
    solver
        Name of the solver, and its settings.
    backend
        cuda, emulator or host.
    query
        What is asked.
    open_device
        Creates the device for a trial; None for a host solver.
    at_once
        How many of its trials ran at a time.
    """

    solver: str
    backend: str
    query: Query
    open_device: DeviceFactory | None
    at_once: int = 1
    status: str = "ok"
    reason: str | None = None
    trials: list[Phases] = field(default_factory=list)
    iterations: int | None = None
    verdict: Verdict | None = None
    digest: str | None = None
    observed: dict[str, float] = field(default_factory=dict)
    gpu: dict[str, Any] | None = None
    seconds: list[float] = field(default_factory=list)
    started: str = ""

    def wants_trial(self, settings: Settings) -> bool:
        """Tell whether another trial is due."""
        if self.status != "ok" or (self.verdict is not None and not self.verdict.verified):
            return False
        wanted = 1 if self.backend == "emulator" else settings.trials
        needed = sum(self.seconds) + max(self.seconds, default=0.0)
        return len(self.trials) < wanted and needed <= settings.budget_s

    def run_trials(self, graph: Subject, oracle: Checker, settings: Settings) -> None:
        """Run a trial, or as many as run at once, and check the answers.

        A failure is kept as this case's outcome: others go on.
        """
        self.started = self.started or datetime.now(UTC).isoformat(timespec="seconds")
        try:
            if not self.trials:
                self.skip_if_need_be(graph, settings)
            if self.status == "ok":
                begun = perf_counter()
                if self.at_once == 1:
                    outcomes = [self.timed(graph, asking=len(self.trials) + 1 == settings.trials)]
                else:
                    due = min(self.at_once, settings.trials - len(self.trials))
                    outcomes = side_by_side(lambda: self.timed(graph), due)
                self.seconds.append(perf_counter() - begun)
                for outcome in outcomes:
                    self.keep(outcome, oracle)
        except TooLargeError as error:
            self.skip(str(error))
        except Exception as error:
            self.status, self.reason = "failed", f"{type(error).__name__}: {error}".splitlines()[0]

    def skip(self, reason: str) -> None:
        """Leave the case without an answer."""
        self.started = self.started or datetime.now(UTC).isoformat(timespec="seconds")
        self.status, self.reason = "skipped", reason

    def skip_if_need_be(self, graph: Subject, settings: Settings) -> None:
        """Skip the case if its solver declines the query, memory will not do, or the budget will not."""
        if isinstance(graph, CSRGraph):
            require(graph.memory_bytes + search_bytes(graph), memory.available(), "memory")
        elif isinstance(graph, RandomGraph):
            require(graph.memory_bytes, memory.available(), "memory")
        with self.device() as device:
            solver = make(self.solver, device)
            if (why_not := solver.declines(self.query)) is not None:
                self.skip(why_not)
                return
            if device is not None and isinstance(solver, DeviceSolver):
                needed = solver.memory_bytes(graph)
                kind = "device memory" if self.backend == "cuda" else "memory"
                self.gpu = device.describe()
                require(needed, device.free_memory(), kind)
            solver.setup(graph)
            predicted = solver.predict_seconds(self.query)
        if predicted is not None and predicted > settings.budget_s:
            self.skip(f"predicted {predicted:.1f} s a trial, budget_s is {settings.budget_s:g}")

    def device(self) -> AbstractContextManager[Device | None]:
        """Open a device, or nothing for a host solver."""
        return nullcontext() if self.open_device is None else self.open_device()

    def timed(self, graph: Subject, asking: bool = False) -> Outcome:
        """Run the phases once; `asking` the driver about the GPU takes longer than many a trial."""
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
                if solve is None or solve < LONG_MS or events * EVENT_MS > solve / 100:
                    phases, iterations, answer, _ = self.one_pass(solver, device, with_events=False)
            predecessor, observed = solver.predecessors(), solver.observed()
            gpu = device.describe() if asking and device is not None else None  # with its clock still up
        return Outcome(setup | phases, iterations, answer, predecessor, observed, gpu)

    def one_pass(self, solver: Solver, device: Device | None, with_events: bool) -> Pass:
        """Upload, solve and download; `with_events` around each launch the phases have the `kernel` time."""
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

    def keep(self, outcome: Outcome, oracle: Checker) -> None:
        """Keep a trial and check its answer; one that is wrong makes the whole case wrong."""
        if self.verdict is not None and not self.verdict.verified:
            return
        self.trials.append(outcome.phases)
        self.iterations, self.observed = outcome.iterations, outcome.observed
        self.gpu = outcome.gpu or self.gpu
        if isinstance(outcome.answer, CSRGraph):
            self.digest = outcome.answer.info["sha256"] = outcome.answer.digest()
        else:
            self.digest = digest(outcome.answer)
        self.verdict = oracle.check(self.solver, self.query, outcome.answer, outcome.predecessor)
        self.observed |= self.verdict.observed
        if not self.verdict.verified:
            self.reason = f"trial {len(self.trials)}: {self.verdict.reason}"


class Clock:
    """A stop watch for phases that follow each other."""

    def __init__(self) -> None:
        self.last = perf_counter()

    def lap(self, device: Device | None = None) -> float:
        """Milliseconds since the last lap, all work of the device done."""
        if device is not None:
            device.synchronize()
        now = perf_counter()
        passed, self.last = (now - self.last) * 1e3, now
        return passed


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Keep Python from looking for garbage inside a trial, which takes tens of milliseconds."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def queries(problem: str, info: dict[str, Any]) -> list[Query]:
    """List what is asked of a graph: its source, or, for st-connectivity, each of its pairs.

    Betweenness takes all vertices as sources, or a sample if `info["sources"]` has its `count` and `seed`.

    Raises
    ------
    RetraceError
        If the graph does not say where searches begin.
    """
    if problem == "betweenness":
        sample = info.get("sources")
        return [Query.sampled(info["vertices"], sample["count"], sample["seed"]) if sample else Query()]
    needed = "pairs" if problem == "stcon" else "source"
    if needed not in info:
        raise RetraceError(
            f"{info.get('name')}: its graph.json has no {needed} for {problem}; measure a graph that "
            "get_graph.py or generate_*.py wrote"
        )
    if problem == "stcon":
        return [Query(pair[0], pair[1], kind) for kind, pair in info["pairs"].items()]
    return [Query(info["source"])]


def measure(
    experiment: str,
    graph: Subject,
    solvers: Sequence[str],
    settings: Settings,
    device: tuple[str, DeviceFactory],
) -> list[Case]:
    """Measure and check solvers of one problem on one graph.

    Parameters
    ----------
    experiment
        Key of the experiment.
    graph
        Its `info` names the source and the pairs. For generators, what is to be made.
    solvers
        Names of solvers, perhaps with settings.
    settings
        How much to measure.
    device
        Backend and factory of the device for solvers that need one.

    Returns
    -------
    list of Case
        One for each solver and query, with its trials.
    """
    oracles = {problem: checker_of(problem, graph) for problem in {name.split("/")[0] for name in solvers}}
    cases = unmeasured(graph.info, solvers, settings, device)
    with (
        without_garbage_collection(),
        tqdm(total=settings.trials * len(cases), unit="trial", desc=f"{experiment} {graph.name}") as progress,
    ):
        for _ in range(settings.trials):
            for case in cases:
                progress.set_postfix_str(case.solver)
                if case.wants_trial(settings):
                    case.run_trials(graph, oracles[case.solver.split("/")[0]], settings)
                progress.update()
    return cases


def unmeasured(
    info: dict[str, Any], solvers: Sequence[str], settings: Settings, device: tuple[str, DeviceFactory]
) -> list[Case]:
    """List each solver with each query on the graph that `info` tells of, before any trial."""
    backend, open_device = device
    cases = []
    for name in solvers:
        solver = find(name)
        on_device = backend in solver.backends
        at_once = min(settings.at_once, settings.trials) if issubclass(solver, HostSolver) else 1
        for query in queries(name.split("/")[0], info):
            factory = open_device if on_device else None
            cases.append(Case(name, backend if on_device else "host", query, factory, at_once))
    return cases


GRAPH_IDENTITY = ("name", "vertices", "arcs", "origin", "edition", "weights", "sha256", "seed", "density")


def as_record(experiment: str, info: dict[str, Any], case: Case, provenance: dict[str, Any]) -> Record:
    """Put a case's outcome into a record.

    Parameters
    ----------
    experiment
        Key of the experiment.
    info
        What the graph is; for generators, what it is to be.
    case
        What was measured.
    provenance
        The record's `machine` and `software`.
    """
    solver = find(case.solver)
    problem, variant = solver.name.split("/")
    software = dict(provenance["software"])
    if issubclass(solver, Peer):
        software["peer"] = solver.library()
    at_once = {"at_once": case.at_once} if case.at_once > 1 else {}
    weights = {}
    if problem == "generate":  # the graph is what was made
        info = {**info, "edition": variant, "sha256": case.digest}
        weights = {"weight_low": info["least_weight"], "weight_high": info["greatest_weight"]}
    identity = {key: info[key] for key in GRAPH_IDENTITY if key in info}
    record: dict[str, Any] = {
        "schema_version": 1,
        "experiment": experiment,
        "problem": problem,
        "solver": solver.name,
        "backend": case.backend,
        "parameters": {**parse(case.solver)[1], **case.query.parameters(), **at_once, **weights},
        "source": None if problem in ("betweenness", "generate") else case.query.source,
        "graph": identity,
        "status": case.status,
        "reason": case.reason,
        **provenance,
        "software": software,
        "started": case.started,
    }
    if case.status == "ok" and case.verdict is not None:
        record |= {
            "trials": case.trials,
            "iterations": case.iterations,
            "verified": case.verdict.verified,
            "oracle": case.verdict.oracle,
            "digest": case.digest,
            "observed": case.observed,
        }
    return make_record(f"{info.get('name')}: cannot be recorded", **record)
