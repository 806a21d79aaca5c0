"""Sequential C++ baselines: one source file each in `kernels/host/`, called through ctypes."""

from __future__ import annotations

import ctypes
import time
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.devices.build import build_host
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.reductions import simplify
from retrace.solvers.brandes import count_pairs_once, sources_of, too_many_paths
from retrace.solvers.registry import REGISTRY, Query, Solver
from retrace.system.project import KERNELS


class CGraph(ctypes.Structure):
    """`Graph` of `kernels/host/graph.h`."""

    _fields_: ClassVar = [
        ("vertices", ctypes.c_int),
        ("indptr", ctypes.c_void_p),
        ("indices", ctypes.c_void_p),
        ("weights", ctypes.c_void_p),
    ]


def pointer(array: NDArray[Any] | None) -> ctypes.c_void_p:
    """Point at an array's first element; the caller keeps the array alive."""
    return ctypes.c_void_p(None if array is None else array.ctypes.data)


def c_graph(graph: CSRGraph) -> CGraph:
    """Hand a graph to C++ without a copy; the caller keeps it alive."""
    return CGraph(graph.vertices, pointer(graph.indptr), pointer(graph.indices), pointer(graph.weights))


class HostSolver(Solver):
    """A function of `kernels/host/`; there is nothing to upload or download.

    Arguments are put into C's types in `setup`, which leaves a microsecond of the call itself in `solve`.
    """

    symbol: ClassVar[str]

    def setup(self, graph: CSRGraph) -> None:
        """Load the library."""
        self.graph = graph
        self.c_graph = c_graph(graph)
        self.answer: NDArray[Any] = np.empty(graph.vertices, dtype=np.int32)
        self.c_answer = pointer(self.answer)
        self.function: Any = ctypes.CDLL(str(build_host(KERNELS / self.sources[0])))[self.symbol]

    def download(self) -> NDArray[Any]:
        """Hand out the answer."""
        return self.answer


@REGISTRY.add
class QueueBFS(HostSolver):
    """Breadth-first search with a queue."""

    name = "bfs/queue"
    implements = "bsp-suite, Algorithm 3.1"
    sources = ("host/bfs_queue.cpp",)
    symbol = "bfs_queue"

    def solve(self, query: Query) -> int:
        """Visit every vertex that the source reaches; returns the number of levels."""
        return int(self.function(self.c_graph, query.source, self.c_answer))


@REGISTRY.add
class TwoFrontierBFS(HostSolver):
    """Breadth-first search with two frontier arrays that swap after each level."""

    name = "bfs/two-frontier"
    implements = "hong-bfs, BFS_sequential"
    sources = ("host/bfs_two_frontier.cpp",)
    symbol = "bfs_two_frontier"

    def solve(self, query: Query) -> int:
        """Visit every vertex that the source reaches; returns the number of levels."""
        return int(self.function(self.c_graph, query.source, self.c_answer))

    def download(self) -> Int32Array:
        """Hand out the labels, -1 turned into our word for a vertex that is not reached."""
        return np.where(self.answer < 0, UNREACHABLE, self.answer)


@REGISTRY.add
class TwoQueuesSTCON(HostSolver):
    """Two breadth-first searches that take turns."""

    name = "stcon/two-queues"
    implements = "bsp-suite, Algorithm 3.4"
    sources = ("host/stcon_two_queues.cpp",)
    symbol = "stcon_two_queues"

    def setup(self, graph: CSRGraph) -> None:
        """Load the library; reverse the arcs of a directed graph."""
        super().setup(graph)
        self.backward = graph.reversed()
        self.c_backward = c_graph(self.backward)
        self.answer = np.empty(1, dtype=np.int32)
        self.c_answer = pointer(self.answer)

    def solve(self, query: Query) -> int:
        """Search from both ends; returns the number of levels expanded."""
        ends = query.source, query.target
        return int(self.function(self.c_graph, self.c_backward, *ends, self.c_answer))


@REGISTRY.add
class LinearDijkstra(HostSolver):
    """Dijkstra with a linear scan for the closest vertex, O(V^2)."""

    name = "sssp/dijkstra-linear"
    implements = "bsp-suite, Algorithm 3.7"
    sources = ("host/sssp_dijkstra_linear.cpp",)
    symbol = "sssp_dijkstra_linear"
    SAMPLE = (100, 1100)

    def settle(self, source: int, limit: int) -> int:
        """Settle up to `limit` vertices; returns how many were."""
        return int(self.function(self.c_graph, source, limit, self.c_answer))

    def solve(self, query: Query) -> int:
        """Settle every vertex that the source reaches; returns how many were."""
        return self.settle(query.source, self.graph.vertices)

    def predict_seconds(self, query: Query) -> float | None:
        """Settle few and then more vertices, and extrapolate the difference: each takes a scan of all.

        The fastest of three runs counts, of each: what disturbs one only makes it slower.
        """
        fewer, more = self.SAMPLE
        if self.settle(query.source, more) < more:
            return None
        difference = self.fastest(query.source, more) - self.fastest(query.source, fewer)
        return max(0.0, difference) / (more - fewer) * self.graph.vertices

    def fastest(self, source: int, limit: int) -> float:
        """Seconds of the fastest of three runs that settle `limit` vertices."""
        seconds = []
        for _ in range(3):
            started = time.perf_counter()
            self.settle(source, limit)
            seconds.append(time.perf_counter() - started)
        return min(seconds)


@REGISTRY.add
class MaskSequentialSSSP(HostSolver):
    """Sweeps over the masked vertices until none is left, with predecessors."""

    name = "sssp/mask-sequential"
    implements = "tuwien-sssp, section 5, the sequential version"
    sources = ("host/sssp_mask_sequential.cpp",)
    symbol = "sssp_mask_sequential"

    def setup(self, graph: CSRGraph) -> None:
        """Load the library."""
        super().setup(graph)
        self.predecessor = np.empty(graph.vertices, dtype=np.int32)
        self.c_predecessor = pointer(self.predecessor)

    def solve(self, query: Query) -> int:
        """Sweep until the mask is empty; returns the number of sweeps."""
        return int(self.function(self.c_graph, query.source, self.c_answer, self.c_predecessor))

    def predecessors(self) -> Int32Array:
        """Hand out the predecessors."""
        return self.predecessor


@REGISTRY.add
class HeapDijkstra(HostSolver):
    """Dijkstra with a binary heap."""

    name = "sssp/dijkstra-heap"
    implements = "Dijkstra's algorithm with std::priority_queue: what anyone would write today"
    sources = ("host/sssp_dijkstra_heap.cpp",)
    symbol = "sssp_dijkstra_heap"

    def solve(self, query: Query) -> int:
        """Settle every vertex that the source reaches; returns how many were."""
        return int(self.function(self.c_graph, query.source, self.c_answer))


class SequentialBrandes(HostSolver):
    """Brandes' algorithm, one source after the other, on the simple graph."""

    SAMPLE = 8

    def setup(self, graph: CSRGraph) -> None:
        """Load the library; drop self-loops and parallel arcs."""
        super().setup(simplify(graph))
        self.answer = np.empty(graph.vertices, dtype=np.float64)
        self.c_answer = pointer(self.answer)

    def solve(self, query: Query) -> int:
        """Add up the dependencies; returns the number of sources."""
        sources = sources_of(query, self.graph)
        overflowed = self.function(self.c_graph, pointer(sources), len(sources), self.c_answer)
        if overflowed >= 0:
            raise too_many_paths(self.name, overflowed)
        return len(sources)

    def download(self) -> NDArray[np.float64]:
        """Hand out the scores."""
        return count_pairs_once(self.answer, self.graph)

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate the time of a few sources."""
        sources = sources_of(query, self.graph)
        if len(sources) <= self.SAMPLE:
            return None
        few = np.ascontiguousarray(sources[:: len(sources) // self.SAMPLE])
        started = time.perf_counter()
        self.function(self.c_graph, pointer(few), len(few), self.c_answer)
        return (time.perf_counter() - started) / len(few) * len(sources)


@REGISTRY.add
class STLBrandes(SequentialBrandes):
    """With the standard library's queue and stack, and lists of predecessors."""

    name = "betweenness/seq-stl"
    implements = "domitrz-brandes, brandes-seq"
    sources = ("host/betweenness_seq_stl.cpp",)
    symbol = "betweenness_seq_stl"


@REGISTRY.add
class VectorBrandes(SequentialBrandes):
    """With one vector as queue and stack, and lists of predecessors."""

    name = "betweenness/seq-vector"
    implements = "domitrz-brandes, brandes-seq-vector"
    sources = ("host/betweenness_seq_vector.cpp",)
    symbol = "betweenness_seq_vector"


@REGISTRY.add
class ArrayBrandes(SequentialBrandes):
    """With arrays alone; predecessors are told by their distance."""

    name = "betweenness/seq-array"
    implements = "domitrz-brandes, brandes-seq-array"
    sources = ("host/betweenness_seq_array.cpp",)
    symbol = "betweenness_seq_array"


@REGISTRY.add
class ScaledBrandes(SequentialBrandes):
    """With path counts of any size."""

    name = "betweenness/seq-scaled"
    implements = "Brandes' algorithm; path counts have an exponent of their own, so that they never overflow"
    sources = ("host/betweenness_seq_scaled.cpp",)
    symbol = "betweenness_seq_scaled"
