"""Bellman-Ford on the host: the C++ baselines of an-bellman-ford's experiments."""

from retrace.devices import matrices
from retrace.devices.host import host_function, pointer
from retrace.devices.matrices import host_matrix, pitch_of, rows_of
from retrace.graphs.csr import Int32Array
from retrace.graphs.dense import Graph
from retrace.graphs.query import Query
from retrace.solvers.bellman_ford import negative_cycles
from retrace.solvers.bellman_ford.negative_cycles import DistanceCheck, refuse_endless, require_nonnegative
from retrace.solvers.solver import HostSolver


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
