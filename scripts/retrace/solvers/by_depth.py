"""Searches by the solver expected to be fastest, chosen by the size and the depth of the graph.

The defaults are measured: docs/experiments.md, 25.
"""

from collections.abc import Sequence
from typing import ClassVar

from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query, Subject
from retrace.solvers.bfs import ClusterBFS, QueueBFS
from retrace.solvers.choice import CROSSOVER, DEEP, Choice, Kind
from retrace.solvers.frontier import DirectionBFS, NearFarSSSP
from retrace.solvers.setting import Setting, Settings
from retrace.solvers.solver import DeviceSolver
from retrace.solvers.sssp import ClusterSSSP
from retrace.solvers.stcon import ClusterSTCON, FewerArcsSTCON

SAMPLE = Setting(8_192, "…/auto: most arcs that are followed to learn whether a graph is deep")


class SearchChoice(Choice):
    """A choice that depends on the graph alone."""

    def memory_bytes(self, graph: Subject) -> int:
        def need(kind: Kind) -> int:
            solver = self.make(kind)
            return solver.memory_bytes(graph) if isinstance(solver, DeviceSolver) else 0

        assert isinstance(graph, CSRGraph)
        return self.first_to_fit(self.rank(graph, Query()), need)

    def is_small(self, graph: CSRGraph) -> bool:
        """Return whether one core needs no longer than a launch."""
        return graph.arcs < self.number("crossover")

    def is_deep(self, graph: CSRGraph) -> bool:
        """Return whether few arcs of a search already make many levels."""
        deep = self.number("deep")
        return self.count_levels(graph, deep, self.number("sample")) == deep


class AutoBFS(SearchChoice):
    """`bfs/queue` for a small graph; for a larger one `bfs/cluster` if it is deep, else `bfs/direction`."""

    name = "bfs/auto"
    implements = "our own choice, by the number of arcs and the depth of a sample"
    candidates = (ClusterBFS, DirectionBFS, QueueBFS)
    settings: ClassVar[Settings] = {"crossover": CROSSOVER, "deep": DEEP, "sample": SAMPLE}

    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        if self.is_small(graph):
            return [QueueBFS]
        return [ClusterBFS, DirectionBFS] if self.is_deep(graph) else [DirectionBFS]


class AutoSSSP(SearchChoice):
    """`sssp/cluster` if the graph is deep, else `sssp/near-far`."""

    name = "sssp/auto"
    implements = "our own choice, by the depth of a sample"
    candidates = (ClusterSSSP, NearFarSSSP)
    settings: ClassVar[Settings] = {
        "deep": DEEP,
        "sample": SAMPLE,
        "predecessors": ClusterSSSP.settings["predecessors"],
    }

    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        return [ClusterSSSP, NearFarSSSP] if self.is_deep(graph) else [NearFarSSSP]


class AutoSTCON(SearchChoice):
    """`stcon/cluster` if the graph is large and deep, and a cluster can hold it, else `stcon/fewer-arcs`.

    Two searches that meet are short in a flat graph: they end before a launch would.
    """

    name = "stcon/auto"
    implements = "our own choice, by the number of arcs and the depth of a sample"
    candidates = (ClusterSTCON, FewerArcsSTCON)
    settings: ClassVar[Settings] = {"crossover": CROSSOVER, "deep": DEEP, "sample": SAMPLE}

    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        wide = self.is_small(graph) or not self.is_deep(graph)
        return [FewerArcsSTCON] if wide else [ClusterSTCON, FewerArcsSTCON]
