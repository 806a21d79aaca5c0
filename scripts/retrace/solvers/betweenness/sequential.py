"""Betweenness in C++ on one core: the sequential programs of report domitrz-brandes, and one of ours."""

import numpy as np
from numpy.typing import NDArray

from retrace.devices.host import pointer
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.betweenness.conventions import count_pairs_once, extrapolate, too_many_paths
from retrace.solvers.solver import HostSolver


class SequentialBrandes(HostSolver):
    """Brandes' algorithm, from one source after the other, on the simple graph; O(vertices * arcs)."""

    def setup(self, graph: CSRGraph) -> None:
        super().setup(simplify(graph))
        self.allocate_answer(graph.vertices, np.float64)

    def solve(self, query: Query) -> int:
        sources = query.sources_in(self.graph)
        if (overflowed := self.search(sources)) >= 0:
            raise too_many_paths(self.name, overflowed)
        return len(sources)

    def search(self, sources: Int32Array) -> int:
        """Add up the dependencies of some sources; return one with too many paths, or -1."""
        return int(self.function(self.c_graph, pointer(sources), len(sources), self.c_answer))

    def download(self) -> NDArray[np.float64]:
        return count_pairs_once(self.answer.copy(), self.graph)

    def predict_seconds(self, query: Query) -> float | None:
        return extrapolate(self.search, query.sources_in(self.graph))


class STLBrandes(SequentialBrandes):
    """With the standard library's queue and stack, and lists of predecessors: Brandes' Algorithm 1."""

    name = "betweenness/seq-stl"
    implements = "domitrz-brandes, brandes-seq"


class VectorBrandes(SequentialBrandes):
    """With one vector, read in both directions, in place of queue and stack, and lists of predecessors."""

    name = "betweenness/seq-vector"
    implements = "domitrz-brandes, brandes-seq-vector"


class ArrayBrandes(SequentialBrandes):
    """With arrays alone: instead of lists of predecessors, successors are recognised by their distance."""

    name = "betweenness/seq-array"
    implements = "domitrz-brandes, brandes-seq-array"


class ScaledBrandes(SequentialBrandes):
    """`betweenness/seq-array` with path counts that never overflow.

    A count is a double times 2^(512 e), with an integer e of its own. Ours: a grid of 1100 x 1100 vertices
    has 10^660 shortest paths between two corners, and a double ends at 10^308.
    """

    name = "betweenness/seq-scaled"
    implements = "Brandes' algorithm; path counts have an exponent of their own, so that they never overflow"
