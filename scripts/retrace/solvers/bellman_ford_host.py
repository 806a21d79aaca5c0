"""Bellman-Ford on the host: the C++ baselines of an-bellman-ford's experiments, and SciPy."""

from __future__ import annotations

import ctypes
import time
from typing import Any

import numpy as np
import scipy

from retrace.devices.build import build_host
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.solvers import matrices, negative_cycles
from retrace.solvers.host import HostSolver, pointer
from retrace.solvers.matrices import host_matrix, pitch_of, rows_of
from retrace.solvers.negative_cycles import LEAST, DistanceCheck, refuse_endless, require_nonnegative
from retrace.solvers.peers import SciPyPeer
from retrace.solvers.registry import REGISTRY, Query
from retrace.system import memory
from retrace.system.memory import require
from retrace.system.project import KERNELS

SAMPLE = 128
"""Vertices of the complete graph that SciPy's time is predicted from."""


@REGISTRY.add
class SequentialBellmanFord(HostSolver):
    """Rounds over all arcs until no distance falls."""

    name = "bellman-ford/sequential"
    implements = "an-bellman-ford, section 2, the algorithm of Bellman and Ford"
    sources = ("host/bellman_ford_sequential.cpp", "bellman-ford/sum.h", negative_cycles.SOURCE)
    symbol = "bellman_ford_sequential"

    def setup(self, graph: Graph) -> None:
        """Load the library."""
        super().setup(rows_of(graph))
        self.distances = DistanceCheck(self.graph)

    def solve(self, query: Query) -> int:
        """Relax all arcs, round by round; returns the number of rounds."""
        self.source = query.source
        rounds = int(self.function(self.c_graph, query.source, self.c_answer))
        if rounds == 0:
            raise refuse_endless(self.graph, query.source)
        return rounds

    def download(self) -> Int32Array:
        """Hand out the distances, and see that they are some."""
        return self.distances.check(self.source, self.answer)


@REGISTRY.add
class DenseDijkstra(HostSolver):
    """Dijkstra on the matrix, O(V^2)."""

    name = "bellman-ford/dijkstra-dense"
    implements = "Dijkstra's algorithm on a matrix: the least work on a complete graph"
    sources = ("host/bellman_ford_dijkstra_dense.cpp", "bellman-ford/sum.h", *matrices.SOURCES)
    symbol = "bellman_ford_dijkstra_dense"

    def setup(self, graph: Graph) -> None:
        """Load the library and make the matrix."""
        require_nonnegative(graph, self.name)
        self.distances = DistanceCheck(graph)
        self.matrix = host_matrix(graph).ravel()
        self.c_matrix = pointer(self.matrix)
        self.sizes = graph.vertices, pitch_of(graph.vertices)
        self.answer = np.empty(graph.vertices, dtype=np.int32)
        self.c_answer = pointer(self.answer)
        self.function: Any = ctypes.CDLL(str(build_host(KERNELS / self.sources[0])))[self.symbol]

    def solve(self, query: Query) -> int:
        """Settle every vertex that the source reaches; returns how many were."""
        self.source = query.source
        return int(self.function(*self.sizes, self.c_matrix, query.source, self.c_answer))

    def download(self) -> Int32Array:
        """Hand out the distances, and see that they are some."""
        return self.distances.check(self.source, self.answer)


class SciPyBellmanFordPeer(SciPyPeer):
    """A call of SciPy with the weights of bellman-ford."""

    def setup(self, graph: Graph) -> None:
        """Make SciPy's sparse array."""
        self.rows: CSRGraph = rows_of(graph)
        require(12 * self.rows.arcs, memory.available(), "memory")  # SciPy's weights are 64 bits wide
        super().setup(self.rows)
        self.distances = DistanceCheck(self.rows)

    def download(self) -> Int32Array:
        """Convert the distances, and see that 32 bits hold them."""
        self.lengths = np.maximum(self.lengths, LEAST)
        return self.distances.check(self.source, super().download())

    source: int


@REGISTRY.add
class SciPyBellmanFord(SciPyBellmanFordPeer):
    """Distances by SciPy's Bellman-Ford, which always takes as many rounds as there are vertices."""

    name = "bellman-ford/scipy"
    implements = "scipy.sparse.csgraph.bellman_ford"

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.source = query.source
        try:
            self.lengths = scipy.sparse.csgraph.bellman_ford(self.graph, indices=[query.source])[0]
        except scipy.sparse.csgraph.NegativeCycleError:
            raise refuse_endless(self.rows, query.source) from None

    def predict_seconds(self, query: Query) -> float | None:
        """Predict from a complete graph of few vertices: time goes with vertices times arcs."""
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
    """Distances by SciPy's Dijkstra."""

    name = "bellman-ford/scipy-dijkstra"
    implements = "scipy.sparse.csgraph.dijkstra"

    def setup(self, graph: Graph) -> None:
        """Make SciPy's sparse array, of weights that are not negative."""
        require_nonnegative(graph, self.name)
        super().setup(graph)

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.source = query.source
        self.lengths = scipy.sparse.csgraph.dijkstra(self.graph, indices=[query.source])[0]
