"""The base of solvers that leave the work to another one, and a sample of a graph's depth to choose by."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property
from time import perf_counter
from typing import Any, ClassVar, TypeVar

from cuda_device.errors import TooLargeError
from cuda_device.gpu_limits import GPULimits, Needs
from retrace.catalogue.setting import Setting, Settings
from retrace.devices.host import c_graph, loaded_library
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.solver import DeviceSolver, Solver
from retrace.system.project import with_headers

SAMPLE_DEPTH = "retrace_today/host/sample_depth.cpp"
CANDIDATES = 1024
"""Vertices of which the one with the most arcs begins the search that tells the depth, about."""
ALL_ARCS = UNREACHABLE - 1

CROSSOVER = Setting(6_000, "…/auto: arcs, for betweenness times sources, from which on the device works")
DEEP = Setting(16, "…/auto: levels from which on a graph is deep")

Kind = type[Solver]
Found = TypeVar("Found")


class Choice(DeviceSolver):
    """A solver that leaves the work to one of its candidates: the one that it expects to be fastest.

    The choice is part of `upload`. A candidate that the graph is too large for is passed over for the next.
    One that the GPU cannot run, or that is slower there, leaves its place to its stand-in, if that can run.
    What a candidate can be set to, it takes from the settings of the same name, if there are any.
    """

    repeats = True
    candidates: ClassVar[tuple[Kind, ...]]
    """The classes of the solvers to choose from; a page names the file of the first one."""
    stand_ins: ClassVar[Mapping[Kind, Kind]] = {}
    """By candidate, the solver that takes its place on a GPU that lacks what it needs."""
    faster_with: ClassVar[Mapping[Kind, Needs]] = {}
    """By candidate, what a GPU must have for it to be faster than its stand-in, beyond what it needs."""
    settings: ClassVar[Settings] = {}
    chosen: Solver

    def __init_subclass__(cls) -> None:
        """Derive the files from those of the candidates."""
        if "candidates" in vars(cls):
            cls.source = cls.candidates[0].source
            kinds = (*cls.candidates, *cls.stand_ins.values())
            files = [file for kind in kinds for file in (kind.source, *kind.more_sources)]
            cls.more_sources = tuple(dict.fromkeys([*files[1:], SAMPLE_DEPTH]))
        super().__init_subclass__()

    @classmethod
    def able(cls, limits: GPULimits) -> dict[Kind, Kind]:
        """Return, by candidate, what runs in its place on a GPU of such limits: itself, or its stand-in."""
        kept = {kind: cls.stand_ins.get(kind, kind) for kind in cls.candidates}
        for kind in cls.candidates:
            wanted = cls.faster_with.get(kind, kind.needs)
            if kind.missing_from(limits) is None and wanted.missing_from(limits) is None:
                kept[kind] = kind
        return {kind: one for kind, one in kept.items() if one.missing_from(limits) is None}

    @cached_property
    def able_here(self) -> dict[Kind, Kind]:
        """The same on this GPU."""
        return self.able(self.device.limits)

    @classmethod
    def missing_from(cls, limits: GPULimits) -> str | None:
        return None if cls.able(limits) else cls.candidates[0].missing_from(limits)

    @classmethod
    def sources_on(cls, limits: GPULimits) -> tuple[str, ...]:
        used = [file for kind in cls.able(limits).values() for file in kind.sources]
        return tuple(dict.fromkeys([*used, *with_headers(SAMPLE_DEPTH)]))

    @abstractmethod
    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        """Return candidates, from the one that is expected to be fastest on a GPU that can run all."""

    def ranked(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        """Return those that this GPU can run, from the one that is expected to be fastest."""
        able = self.able_here
        return [able[kind] for kind in self.rank(graph, query) if kind in able]

    def count_levels(self, graph: CSRGraph, most: int, arcs: int = ALL_ARCS) -> int:
        """Return how many levels a graph has, `most` at most, as far as so many arcs of a search tell.

        The search begins at a vertex of many arcs, which is likely to lie in the largest component.
        """
        if not graph.vertices:
            return 0
        step = max(1, graph.vertices // CANDIDATES)
        degrees = graph.indptr[1::step] - graph.indptr[:-1:step]
        source = step * int(degrees.argmax())
        return int(loaded_library(SAMPLE_DEPTH).sample_depth(c_graph(graph), source, most, arcs))

    def make(self, kind: Kind) -> Solver:
        """Create a candidate, with those of the settings that it has."""
        solver = kind(self.device) if issubclass(kind, DeviceSolver) else kind()
        given = {key: value for key, value in self.parameters.items() if key in kind.settings}
        solver.parameters = {**kind.defaults, **given}
        return solver

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.load_host_files()
        self.prepared = {kind: self.make(kind) for kind in self.able_here.values()}
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
