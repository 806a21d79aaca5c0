"""Bellman-Ford on the host: the C++ baselines of an-bellman-ford's experiments, and SciPy."""

import numpy as np
import scipy

from cuda_device import memory
from retrace.devices import matrices
from retrace.devices.host import host_function, pointer
from retrace.devices.matrices import host_matrix, pitch_of, rows_of
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.graphs.query import Query
from retrace.solvers.bellman_ford import negative_cycles
from retrace.solvers.bellman_ford.negative_cycles import DistanceCheck, refuse_endless, require_nonnegative
from retrace.solvers.libraries import SciPyPeer
from retrace.solvers.solver import HostSolver, seconds_on

SCIPY_SAMPLE = 128
"""Vertices of the complete graph whose time in SciPy predicts that of larger ones."""


class HostBellmanFord(HostSolver):
    """A C++ program whose distances are refused if they are invalid."""

    distances: DistanceCheck
    origin: int
    """The source of the last query."""

    def download(self) -> Int32Array:
        return self.distances.check(self.origin, self.answer)


class SequentialBellmanFord(HostBellmanFord):
    """Sequential rounds that relax all arcs, until no distance falls; O(vertices * arcs) in the worst case.

    R. Bellman, "On a routing problem", Quart. Appl. Math. 16, 1958, but it ends as Algorithm 1 does.
    """

    name = "bellman-ford/sequential"
    implements = "an-bellman-ford, section 2, the algorithm of Bellman and Ford"
    more_sources = (negative_cycles.SOURCE,)

    def setup(self, graph: Graph) -> None:
        super().setup(rows_of(graph))
        self.distances = DistanceCheck(self.graph)

    def solve(self, query: Query) -> int:
        self.origin = query.source
        rounds = super().solve(query)
        if rounds == 0:
            raise refuse_endless(self.graph, query.source)
        return rounds


class DenseDijkstra(HostBellmanFord):
    """Sequential Dijkstra on the matrix, O(vertices^2): on a complete graph each arc is inspected once."""

    name = "bellman-ford/dijkstra-dense"
    implements = "Dijkstra's algorithm on a matrix: the least work on a complete graph"
    more_sources = matrices.SOURCES

    def setup(self, graph: Graph) -> None:
        require_nonnegative(graph, self.name)
        self.distances = DistanceCheck(graph)
        self.matrix = host_matrix(graph).ravel()
        self.c_matrix = pointer(self.matrix)
        self.sizes = graph.vertices, pitch_of(graph.vertices)
        self.function = host_function(self.source, self.symbol)
        self.allocate_answer(graph.vertices)

    def solve(self, query: Query) -> int:
        self.origin = query.source
        return int(self.function(*self.sizes, self.c_matrix, query.source, self.c_answer))


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
