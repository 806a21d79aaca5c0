"""Shortest paths by SciPy where weights may be negative."""

import numpy as np
import scipy  # its packages when they are used: half of the time of reading this library

from cuda_device import memory
from retrace.devices.matrices import rows_of
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.graphs.query import Query
from retrace.solvers.bellman_ford import negative_cycles
from retrace.solvers.bellman_ford.negative_cycles import DistanceCheck, refuse_endless, require_nonnegative
from retrace.solvers.solver import seconds_on
from retrace_peers.libraries import SciPyPeer

SCIPY_SAMPLE = 128
"""Vertices of the complete graph whose time in SciPy predicts that of larger ones."""


class SciPyBellmanFordPeer(SciPyPeer):
    """A search of SciPy on a graph whose weights may be negative."""

    origin: int

    def setup(self, graph: Graph) -> None:
        self.rows: CSRGraph = rows_of(graph)
        memory.require(12 * self.rows.arcs, memory.available(), "memory")  # SciPy's weights have 64 bits
        super().setup(self.rows)
        self.distances = DistanceCheck(self.rows)

    def download(self) -> Int32Array:
        self.lengths = np.maximum(self.lengths, negative_cycles.LEAST)
        return self.distances.check(self.origin, super().download())


class SciPyBellmanFord(SciPyBellmanFordPeer):
    """Distances by SciPy's Bellman-Ford, always in as many rounds as vertices: O(vertices * arcs)."""

    name = "bellman-ford/scipy"
    implements = "scipy.sparse.csgraph.bellman_ford"

    def solve(self, query: Query) -> None:
        self.origin, csgraph = query.source, scipy.sparse.csgraph
        try:
            self.lengths = csgraph.bellman_ford(self.graph, indices=[query.source])[0]
        except csgraph.NegativeCycleError:
            raise refuse_endless(self.rows, query.source) from None

    def predict_seconds(self, query: Query) -> float | None:
        work = self.rows.vertices * self.rows.arcs
        sample = rows_of(DenseGraph(SCIPY_SAMPLE, 1))
        of_sample = sample.vertices * sample.arcs
        return None if work <= of_sample else seconds_on(type(self)(), sample) * work / of_sample


class SciPyDijkstra(SciPyBellmanFordPeer):
    """Distances by SciPy's Dijkstra, for weights that are not negative."""

    name = "bellman-ford/scipy-dijkstra"

    def setup(self, graph: Graph) -> None:
        require_nonnegative(graph, self.name)
        super().setup(graph)

    def solve(self, query: Query) -> None:
        self.origin = query.source
        super().solve(query)
