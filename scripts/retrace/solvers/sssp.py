"""Single-source shortest paths with weights that are not negative: the distance of every vertex.

Dijkstra's algorithm settles the closest vertex next; solvers on a device relax the arcs of many vertices at
once. Those with one mask, of report tuwien-sssp, are in `mask_sssp`.
"""

from itertools import count, takewhile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import TooLargeError
from retrace.catalogue.setting import PREDECESSORS, Setting, Settings
from retrace.devices import gapbs
from retrace.devices.host import c_graph, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.cluster_parts import ClusterSearch
from retrace.solvers.contraction import CONTRACT, Contraction
from retrace.solvers.libraries import CugraphPeer, GapbsPeer, IgraphPeer, NetworKitPeer, SciPyPeer
from retrace.solvers.predecessor_pass import PositivePass
from retrace.solvers.solver import BulkSynchronous, HostSolver, fill_but_one, seconds_of


class LinearDijkstra(HostSolver):
    """Dijkstra's algorithm with a linear scan for the closest vertex, O(vertices^2).

    E. W. Dijkstra, "A note on two problems in connexion with graphs", Numer. Math. 1, 1959. Report bsp-suite,
    Algorithm 3.7, whose baseline it is. At 2^20 vertices it takes minutes, so its time is predicted first.
    """

    name = "sssp/dijkstra-linear"
    implements = "bsp-suite, Algorithm 3.7"
    settled_to_predict = (100, 1100)

    def settle(self, source: int, limit: int) -> int:
        """Settle up to `limit` vertices; return how many were settled."""
        return int(self.function(self.c_graph, source, limit, self.c_answer))

    def solve(self, query: Query) -> int:
        return self.settle(query.source, self.graph.vertices)

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate the difference between settling few and more vertices: each takes a scan of all."""
        fewer, more = self.settled_to_predict
        if self.settle(query.source, more) < more:
            return None
        difference = self.fastest(query.source, more) - self.fastest(query.source, fewer)
        return max(0.0, difference) / (more - fewer) * self.graph.vertices

    def fastest(self, source: int, limit: int) -> float:
        """Return the seconds of the fastest of three runs, since other work only makes a run slower."""
        return min(seconds_of(lambda: self.settle(source, limit)) for _ in range(3))


class HeapDijkstra(HostSolver):
    """A binary heap, which a vertex enters when its distance falls: O((vertices + arcs) log vertices)."""

    name = "sssp/dijkstra-heap"
    implements = "Dijkstra's algorithm with std::priority_queue: what anyone would write today"


class BspSSSP(BulkSynchronous):
    """Two bulk-synchronous kernels an iteration, with one thread for each vertex.

    The first relaxes the arcs of masked vertices by atomicMin into a second array of distances; the second
    takes over the distances that fell, and masks their vertices. Report bsp-suite, section 3.4.3.

    `upload` copies the graph and 9 bytes for the source; the arrays of vertices are filled on the device.
    `download` copies 4 bytes a vertex, the distances: the report's kernels find no predecessors.
    """

    name = "sssp/bsp"
    implements = "bsp-suite, section 3.4.3, second Algorithms 3.5 and 3.6"
    kernels = ("sssp_kernel1", "sssp_kernel2")
    bytes_per_vertex = 9

    def upload(self, query: Query) -> None:
        graph, device = self.graph, self.device
        arcs, mask = self.upload_arcs(graph), device.empty(graph.vertices, np.bool_)
        self.answer, updating = (device.empty(graph.vertices, np.int32) for _ in range(2))
        fill_but_one(device, mask, False, query.source, True)
        for distance in (self.answer, updating):
            fill_but_one(device, distance, UNREACHABLE, query.source, 0)
        vertices, more = np.int32(graph.vertices), device.empty(1, np.int32)
        self.arguments = (
            (vertices, *arcs, mask, self.answer, updating),
            (vertices, mask, self.answer, updating, more),
        )


NO_SEED = np.uint32(0), np.uint32(UNREACHABLE)
"""A place and a distance with which no search begins."""
SAMPLED = 1024
"""Arcs of which the mean weight is taken, about."""


def bucket_width(graph: CSRGraph, width: int) -> int:
    """Return so many mean weights of a sample of the arcs, at least 1."""
    assert graph.weights is not None
    sample = graph.weights[:: 1 + graph.arcs // SAMPLED]
    mean = float(sample.mean()) if sample.size else 1.0
    return int(min(max(1.0, width * mean), UNREACHABLE - 1))


class ClusterSSSP(PositivePass, ClusterSearch):
    """One launch of one cluster, for deep graphs: near and far, with the distances in shared memory.

    A bucket is `width` mean weights wide, of a sample of the arcs. Inside a bucket no warp waits for
    another. Distances that do not fit into shared memory are in global memory. Predecessors, if wanted, are
    found by a pass over all arcs. With contracted=yes only vertices at which paths may branch are searched:
    road graphs have few, and their ways have fewer arcs. What a source reaches before them is found on the
    host, as part of `solve`.
    """

    name = "sssp/cluster"
    implements = "our own kernel: near and far in one thread-block cluster"
    more_sources = (
        *ClusterSearch.more_sources, CONTRACT, PositivePass.pass_source, PositivePass.positive_source,
    )  # fmt: skip
    in_shared = ("marks", "state")
    settings: ClassVar[Settings] = {
        **ClusterSearch.settings,
        "width": Setting(128, "width of a bucket of distances, in mean weights", most=1 << 20),
        "patience": Setting(4, "looks that must find a block quiet before it tells the others", most=1024),
        "contracted": Setting("no", "whether trees and chains are left out", choices=("no", "yes")),
        **PREDECESSORS,
    }

    @property
    def is_contracted(self) -> bool:
        """Whether trees and chains are left out."""
        return self.parameters["contracted"] == "yes"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.unfold, self.lower = self.load_kernels("unfold", "lower")
        if self.finds_predecessors:
            self.load_pass(graph)

    def prepare(self, graph: CSRGraph) -> None:
        assert graph.weights is not None
        searched = graph
        if self.is_contracted:
            self.contraction = Contraction.of(graph)
            searched = self.contraction.core
        assert searched.weights is not None
        parts = self.parts = self.cut(searched)
        marks = 4 * parts.words
        self.fit(parts, marks, marks + 2 * 4 * parts.positions)
        self.delta = np.uint32(bucket_width(searched, self.number("width")))
        vertex_at = parts.vertex_at(searched)
        self.arrays = [*parts.long_records(searched, weighted=True), vertex_at]
        if self.is_contracted:
            vertex_at[vertex_at >= 0] = self.contraction.anchors[vertex_at[vertex_at >= 0]]
            self.arrays.append(self.contraction.ways.ravel())
        self.global_state = 1 if self.kept == "state" else 2 * parts.count * parts.positions
        self.state_bytes = 4 * (graph.vertices + self.global_state)
        if self.finds_predecessors:
            self.state_bytes += 4 * (graph.vertices + 1 + 2 * graph.arcs + graph.vertices)

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.state = self.device.empty(self.global_state, np.uint32)
        self.answer = self.device.empty(self.graph.vertices, np.int32)
        self.counts, self.mapped_counts = self.device.mapped(2, np.int32)
        if self.finds_predecessors:
            self.arcs = self.upload_arcs(self.graph)
            self.found = self.device.empty(self.graph.vertices, np.int32)

    def solve(self, query: Query) -> int:
        *graph, vertex_at = self.buffers[:3]
        widths = self.delta, np.int32(self.number("patience"))
        state = vertex_at, self.state, self.answer, self.mapped_counts
        if self.is_contracted:
            anchors, others = self.contraction.reach_anchors(query.source)
            places = self.parts.place[self.contraction.number[anchors[:, 0]]]
            seeds = [*zip(places, anchors[:, 1].astype(np.uint32), strict=True), NO_SEED, NO_SEED]
            self.launch(*graph, *seeds[0], *seeds[1], *widths, *state)
            self.reach_others(others)
        else:
            self.launch(*graph, self.parts.place[query.source], np.uint32(0), *NO_SEED, *widths, *state)
        if self.finds_predecessors:
            self.find_tree(self.graph, query.source)
        self.device.synchronize()
        turns, self.buckets = self.counts.tolist()
        return int(turns)

    def reach_others(self, reached: Int32Array) -> None:
        """Find the distances of vertices that are no anchors; those that were `reached` may be less."""
        vertices, count = self.graph.vertices, len(reached)
        self.unfold(self.grid(vertices), self.block_size, np.int32(vertices), self.buffers[3], self.answer)
        if count:
            found = self.device.upload(reached.ravel())
            self.lower(self.grid(count), self.block_size, np.int32(count), found, self.answer)

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            self.predecessor = self.device.download(self.found)
        return self.device.download(self.answer)

    def observed(self) -> dict[str, float]:
        """Return also the width of a bucket, their number, and if the distances were in shared memory."""
        own = {
            "delta": int(self.delta),
            "buckets": self.buckets,
            "state_in_shared": int(self.kept == "state"),
        }
        if self.is_contracted:
            own |= {"anchors": self.contraction.core.vertices, "anchor_arcs": self.contraction.core.arcs}
        return {**super().observed(), **own}


class SciPySSSP(SciPyPeer):
    """SciPy's Dijkstra with a Fibonacci heap, O(arcs + vertices log vertices)."""

    name = "sssp/scipy"


class IgraphSSSP(IgraphPeer):
    """Distances by igraph's Dijkstra with a binary heap, in C."""

    name = "sssp/igraph"
    implements = 'igraph.Graph.distances(weights=..., algorithm="dijkstra")'

    def solve(self, query: Query) -> None:
        self.lengths = self.graph.distances(query.source, weights=self.weights, algorithm="dijkstra")[0]


class NetworKitSSSP(NetworKitPeer):
    """Distances by NetworKit's Dijkstra, in C++."""

    name = "sssp/networkit"
    implements = "networkit.distance.Dijkstra"
    algorithm = "Dijkstra"
    weighted = True


class GapbsSSSP(GapbsPeer):
    """Delta-stepping of the GAP Benchmark Suite, on all cores: buckets of width delta are settled in turn.

    `setup` tries widths and keeps the fastest, unless one is given; what a record observes has it as `delta`.
    Weights and distances from 2^30 - 1 on, which is GAPBS's infinity, are too large.
    """

    name = "sssp/gapbs"
    implements = "GAPBS, DeltaStep of sssp.cc"
    source = "gapbs/sssp.cpp"
    settings: ClassVar[Settings] = {
        **GapbsPeer.settings,
        "delta": Setting(0, "width of a bucket; 0 lets the solver choose", least=0, most=2**30),
    }
    INFINITY = 2**30 - 1
    SHORT_S = 0.05
    """Seconds of a search below which the fastest of three counts for a width."""

    def setup(self, graph: CSRGraph) -> None:
        assert graph.weights is not None
        if (heaviest := int(graph.weights.max(initial=0))) >= self.INFINITY:
            raise TooLargeError(f"{self.name}: expected weights below {self.INFINITY}, found {heaviest}")
        self.vertices = graph.vertices
        self.search = gapbs.Search(self.source, c_graph(graph))
        self.delta = self.number("delta") or self.fastest_delta(graph)

    def fastest_delta(self, graph: CSRGraph) -> int:
        """Return the fastest power of 2 from the vertex with most arcs, up or down from the mean weight.

        Larger ones are tried until one is slower, then smaller ones.
        """
        assert graph.weights is not None
        source = int(np.argmax(graph.degrees()))
        first = 1 << int(graph.weights.mean()).bit_length() if graph.arcs else 1

        def seconds(delta: int) -> float:
            times = [seconds_of(lambda: self.search_from(source, delta))]
            while times[0] < self.SHORT_S and len(times) < 3:
                times.append(seconds_of(lambda: self.search_from(source, delta)))
            return min(times)

        self.search_from(source, first)  # threads begin
        best, least = first, seconds(first)
        for widths in ((first << k for k in count(1)), (first >> k for k in count(1))):
            for delta in takewhile(lambda width: 0 < width <= 2**30, widths):
                if (taken := seconds(delta)) > least:
                    break
                best, least = delta, taken
        return best

    def search_from(self, source: int, delta: int) -> None:
        self.search.call("solve", source, delta, self.number("threads"))

    def solve(self, query: Query) -> None:
        self.search_from(query.source, self.delta)

    def download(self) -> Int32Array:
        answer = np.empty(self.vertices, dtype=np.int32)
        if (too_far := self.search.call("distances", pointer(answer))) >= 0:
            limit = f"the distance of vertex {too_far} (ids from 0) is {self.INFINITY} or more"
            raise TooLargeError(f"{self.name}: {limit}, GAPBS's infinity; use sssp/dijkstra-heap")
        return answer

    def observed(self) -> dict[str, float]:
        return {"delta": self.delta}


class CugraphSSSP(CugraphPeer):
    """cuGraph's shortest paths, which always have predecessors.

    Whole numbers below 2^24 are exact in single precision; weights and distances from there on are too large.
    """

    name = "sssp/cugraph"
    implements = "pylibcugraph.sssp"
    settings: ClassVar[Settings] = {
        "weight_type": Setting(
            "double", "type of cuGraph's weights and distances", choices=("float", "double")
        )
    }
    EXACT_IN_FLOAT = 1 << 24

    @property
    def dtype(self) -> type[np.floating[Any]]:
        return np.float32 if self.parameters["weight_type"] == "float" else np.float64

    def weights_of(self, graph: CSRGraph) -> NDArray[Any]:
        assert graph.weights is not None
        self.require_exact("the largest weight", int(graph.weights.max(initial=0)))
        self.has_weightless = bool((graph.weights == 0).any())
        return graph.weights.astype(self.dtype)

    def require_exact(self, what: str, value: int) -> None:
        """Raise TooLargeError if single precision does not tell a number from its neighbours."""
        if self.dtype is np.float32 and value >= self.EXACT_IN_FLOAT:
            expected = f"expected below {self.EXACT_IN_FLOAT} in single precision; set weight_type=double"
            raise TooLargeError(f"{self.name}: {what} is {value}, {expected}")

    def solve(self, query: Query) -> None:
        farthest = float(np.finfo(self.dtype).max)
        self.found = self.pylibcugraph.sssp(self.handle, self.graph, query.source, farthest, True, False)
        self.synchronize()

    def download(self) -> Int32Array:
        vertices, distances, before = self.found
        self.lengths = self.of_vertices(vertices, distances)
        reached = self.lengths[self.lengths < np.finfo(self.dtype).max]
        self.require_exact("the largest distance", int(reached.max(initial=0)))
        if not self.has_weightless:  # arcs of weight 0 may close a cycle
            self.predecessor = self.of_vertices(vertices, before)
        return super().download()
