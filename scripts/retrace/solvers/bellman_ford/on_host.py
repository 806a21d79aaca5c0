"""Bellman-Ford on the host: the C++ baselines of an-bellman-ford's experiments, and SciPy."""

from __future__ import annotations

import time

import numpy as np
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

from retrace.devices import matrices
from retrace.devices.host import host_function, pointer
from retrace.devices.matrices import host_matrix, pitch_of, rows_of
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.graphs.query import Query
from retrace.solvers.bellman_ford import negative_cycles
from retrace.solvers.bellman_ford.negative_cycles import (
    LEAST,
    DistanceCheck,
    refuse_endless,
    require_nonnegative,
)
from retrace.solvers.libraries import SciPyPeer
from retrace.solvers.registry import REGISTRY
from retrace.solvers.solver import HostSolver
from retrace.system import memory
from retrace.system.memory import require

SAMPLE = 128
"""Vertices of the complete graph whose time in SciPy predicts that of larger ones."""


@REGISTRY.add
class SequentialBellmanFord(HostSolver):
    """Sequential rounds that relax all arcs, until no distance falls; O(vertices * arcs) in the worst case.

    R. Bellman, "On a routing problem", Quart. Appl. Math. 16, 1958. Report an-bellman-ford, section 2, which
    ends as its Algorithm 1 does, after the first round without a change.
    """

    name = "bellman-ford/sequential"
    implements = "an-bellman-ford, section 2, the algorithm of Bellman and Ford"
    source = "host/bellman_ford_sequential.cpp"
    more_sources = (negative_cycles.SOURCE,)
    symbol = "bellman_ford_sequential"

    def setup(self, graph: Graph) -> None:
        """Load the function."""
        super().setup(rows_of(graph))
        self.distances = DistanceCheck(self.graph)

    def solve(self, query: Query) -> int:
        """Relax all arcs, round by round; return the number of rounds."""
        self.origin = query.source
        rounds = super().solve(query)
        if rounds == 0:
            raise refuse_endless(self.graph, query.source)
        return rounds

    def download(self) -> Int32Array:
        """Return the distances; raise RetraceError if they are invalid."""
        return self.distances.check(self.origin, self.answer)


@REGISTRY.add
class DenseDijkstra(HostSolver):
    """Sequential Dijkstra on the matrix, O(vertices^2), for weights that are not negative.

    On a complete graph this is the least work: each arc is inspected once. No report has it.
    """

    name = "bellman-ford/dijkstra-dense"
    implements = "Dijkstra's algorithm on a matrix: the least work on a complete graph"
    source = "host/bellman_ford_dijkstra_dense.cpp"
    more_sources = matrices.SOURCES
    symbol = "bellman_ford_dijkstra_dense"

    def setup(self, graph: Graph) -> None:
        """Load the function and make the matrix."""
        require_nonnegative(graph, self.name)
        self.distances = DistanceCheck(graph)
        self.matrix = host_matrix(graph).ravel()
        self.c_matrix = pointer(self.matrix)
        self.sizes = graph.vertices, pitch_of(graph.vertices)
        self.function = host_function(self.source, self.symbol)
        self.allocate_answer(graph.vertices)

    def solve(self, query: Query) -> int:
        """Settle every vertex that the source reaches; return how many were settled."""
        self.origin = query.source
        return int(self.function(*self.sizes, self.c_matrix, query.source, self.c_answer))

    def download(self) -> Int32Array:
        """Return the distances; raise RetraceError if they are invalid."""
        return self.distances.check(self.origin, self.answer)


class SciPyBellmanFordPeer(SciPyPeer):
    """A search of SciPy on a graph whose weights may be negative."""

    origin: int

    def setup(self, graph: Graph) -> None:
        """Build SciPy's sparse array."""
        self.rows: CSRGraph = rows_of(graph)
        require(12 * self.rows.arcs, memory.available(), "memory")  # SciPy's weights have 64 bits
        super().setup(self.rows)
        self.distances = DistanceCheck(self.rows)

    def download(self) -> Int32Array:
        """Convert the distances; raise RetraceError if 32 bits do not hold them."""
        self.lengths = np.maximum(self.lengths, LEAST)
        return self.distances.check(self.origin, super().download())


@REGISTRY.add
class SciPyBellmanFord(SciPyBellmanFordPeer):
    """Distances by SciPy's Bellman-Ford, always in as many rounds as vertices: O(vertices * arcs)."""

    name = "bellman-ford/scipy"
    implements = "scipy.sparse.csgraph.bellman_ford"

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.origin = query.source
        try:
            self.lengths = bellman_ford(self.graph, indices=[query.source])[0]
        except NegativeCycleError:
            raise refuse_endless(self.rows, query.source) from None

    def predict_seconds(self, query: Query) -> float | None:
        """Predict from a complete graph of few vertices: the time is proportional to vertices * arcs."""
        work = self.rows.vertices * self.rows.arcs
        sample = rows_of(DenseGraph(SAMPLE, 1))
        if work <= SAMPLE * sample.arcs:
            return None
        small = type(self)()
        small.setup(sample)
        started = time.perf_counter()
        small.solve(Query(0))
        return (time.perf_counter() - started) * work / (SAMPLE * sample.arcs)


@REGISTRY.add
class SciPyDijkstra(SciPyBellmanFordPeer):
    """Distances by SciPy's Dijkstra, for weights that are not negative."""

    name = "bellman-ford/scipy-dijkstra"

    def setup(self, graph: Graph) -> None:
        """Build SciPy's sparse array; raise RetraceError if a weight is negative."""
        require_nonnegative(graph, self.name)
        super().setup(graph)

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.origin = query.source
        super().solve(query)
