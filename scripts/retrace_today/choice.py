"""The base of solvers that leave the work to another one: the one that is expected to cost least."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from time import perf_counter
from typing import Any, ClassVar, TypeVar

from cuda_device.errors import LacksError, TooLargeError
from cuda_device.gpu_limits import GPULimits, Needs
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.solver import DeviceSolver, Solver
from retrace.system.errors import RetraceError
from retrace.system.project import with_headers
from retrace_today.cost import Terms, costs, microseconds
from retrace_today.features import SAMPLE_SEARCH

CHEAPEST = "cheapest"
TAKE = Setting(
    CHEAPEST,
    "…/auto: the solver that it leaves the work to",
    choices=(
        CHEAPEST, "cluster", "one-block", "direction", "near-far", "delta-stepping", "workfront-sweep",
        "fewer-arcs", "block-queue", "bsp", "queue", "queue-sequential", "dijkstra-heap",
        "bitmap-queue", "frontier", "lane-queues", "vert", "vert-comp-virt", "seq-array",
    ),
)  # fmt: skip

Kind = type[Solver]
Found = TypeVar("Found")


class Choice(DeviceSolver):
    """A solver that leaves the work to one of its candidates: the one that `cost` expects to be fastest.

    The choice is part of `upload`. A candidate that the GPU cannot run, or that is slower there, is left out,
    and one that the graph is too large for is passed over for the next. What a candidate can be set to, it
    takes from the settings of the same name, if there are any.
    """

    repeats = True
    candidates: ClassVar[tuple[Kind, ...]]
    """The classes of the solvers to choose from; a page names the file of the first one."""
    faster_with: ClassVar[Mapping[Kind, Needs]] = {}
    """By candidate, what a GPU must have for it to cost what is expected, beyond what it needs."""
    settings: ClassVar[Settings] = {"take": TAKE}
    chosen: Solver

    def __init_subclass__(cls) -> None:
        """Derive the files from those of the candidates."""
        if "candidates" in vars(cls):
            cls.source = next(kind.source for kind in cls.candidates if kind.source)
            files = [file for kind in cls.candidates for file in (kind.source, *kind.more_sources) if file]
            cls.more_sources = tuple(dict.fromkeys([*files, SAMPLE_SEARCH]))[1:]
            cls.wide = any(kind.wide for kind in cls.candidates)
        super().__init_subclass__()

    @classmethod
    def able(cls, limits: GPULimits) -> tuple[Kind, ...]:
        """Return what a GPU of such limits can run, without what is slower there than expected."""
        runnable = [kind for kind in cls.candidates if kind.missing_from(limits) is None]
        fast = [kind for kind in runnable if cls.is_fast_with(kind, limits)]
        return tuple(fast or runnable)

    @classmethod
    def is_fast_with(cls, kind: Kind, limits: GPULimits) -> bool:
        return cls.faster_with.get(kind, kind.needs).missing_from(limits) is None

    @cached_property
    def able_here(self) -> tuple[Kind, ...]:
        """The same on this GPU, or what the setting `take` names; raise an error if that cannot be."""
        take = self.parameters["take"]
        if take == CHEAPEST:
            return self.able(self.device.limits)
        by_name = {kind.variant: kind for kind in self.candidates}
        if take not in by_name:
            raise RetraceError(f"{self.name}: take={take}, expected {CHEAPEST} or {' or '.join(by_name)}")
        kind = by_name[str(take)]
        if (missing := kind.missing_from(self.device.limits)) is not None:
            raise LacksError(f"{self.name}: take={take}: {missing}")
        return (kind,)

    @classmethod
    def missing_from(cls, limits: GPULimits) -> str | None:
        return None if cls.able(limits) else cls.candidates[0].missing_from(limits)

    @classmethod
    def sources_on(cls, limits: GPULimits) -> tuple[str, ...]:
        used = [file for kind in cls.able(limits) for file in kind.sources]
        return tuple(dict.fromkeys([*used, *with_headers(SAMPLE_SEARCH)]))

    @abstractmethod
    def terms(self, graph: CSRGraph, query: Query) -> Terms:
        """Return what a candidate's cost is a sum of."""

    def able_for(self, graph: CSRGraph) -> tuple[Kind, ...]:
        """Return those of them that count the graph's arcs; raise TooLargeError if there is none."""
        reasons = {kind: kind.exceeded_by(graph) for kind in self.able_here}
        if None not in reasons.values():
            raise TooLargeError(f"{self.name}: {next(iter(reasons.values()))}")
        return tuple(kind for kind, reason in reasons.items() if reason is None)

    def ranked(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        """Return the candidates from the one that is expected to cost least."""
        able = self.able_for(graph)
        if len(able) == 1:
            return able
        terms = self.terms(graph, query)
        return sorted(able, key=lambda kind: microseconds(kind.name, terms))

    def make(self, kind: Kind) -> Solver:
        """Create a candidate, with those of the settings that it has."""
        solver = kind(self.device) if issubclass(kind, DeviceSolver) else kind()
        given = {key: value for key, value in self.parameters.items() if key in kind.settings}
        solver.parameters = {**kind.defaults, **given}
        return solver

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        costs()  # which are read from their file once, not by the first upload
        self.load_host_files()
        self.prepared = {kind: self.make(kind) for kind in self.able_for(graph)}
        for solver in self.prepared.values():
            solver.setup(graph)

    def first_to_fit(self, kinds: Sequence[Kind], act: Callable[[Kind], Found]) -> Found:
        """Return what the first of some candidates gives for which the graph is not too large."""
        for kind in kinds[:-1]:
            try:
                return act(kind)
            except TooLargeError:
                continue
        return act(kinds[-1])

    def upload(self, query: Query) -> None:
        def take(kind: Kind) -> None:
            self.chosen = copy(self.prepared[kind])  # whose memory is free again when another is chosen
            self.chosen.upload(query)

        began = perf_counter()
        ranked = self.ranked(self.graph, query)
        self.choice_ms = (perf_counter() - began) * 1e3
        self.first_to_fit(ranked, take)
        # An attribute, not a property: a clock reads it, and 0.08 µs are 5 % of a search of 1.5.
        self.ends_on_host = self.chosen.ends_on_host

    def begin_again(self, query: Query) -> None:
        self.chosen.begin_again(query)

    def forget(self) -> None:
        self.chosen.forget()

    def solve(self, query: Query) -> int | None:
        return self.chosen.solve(query)

    def download(self) -> Any:
        return self.chosen.download()

    def predecessors(self) -> Int32Array | None:
        return self.chosen.predecessors()

    def found_predecessors(self) -> Int32Array | None:
        return self.chosen.found_predecessors()

    def observed(self) -> dict[str, float]:
        """Return which solver was chosen, the ms of the choice, and what that solver observed.

        The choice counts as preparation, too, if that solver tells what its own takes.
        """
        quantities = {f"chose_{self.chosen.variant}": 1, "choice_ms": self.choice_ms} | self.chosen.observed()
        if "prepare_ms" in quantities:
            quantities["prepare_ms"] += self.choice_ms
        return quantities

    def predict_seconds(self, query: Query) -> float | None:
        ranked = self.ranked(self.graph, query)
        return self.first_to_fit(ranked, lambda kind: copy(self.prepared[kind]).predict_seconds(query))
