"""Single-source shortest paths with weights that are not negative: the distance of every vertex.

Dijkstra's algorithm settles the closest vertex next. The solvers with a mask instead relax the arcs of all
vertices whose distance has fallen, as Bellman and Ford do: O(vertices * arcs) work in the worst case, but as
many iterations only as a shortest path has arcs, and parallel within each. `sssp/standard` and its variants
are one kernel of report tuwien-sssp; they differ in how the host learns that no vertex is masked.
"""

from itertools import count
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.devices.base import Buffer
from retrace.devices.host import Address, c_graph, pointer
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.libraries import IgraphPeer, NetworKitPeer, SciPyPeer
from retrace.solvers.registry import REGISTRY
from retrace.solvers.setting import Settings
from retrace.solvers.solver import BulkSynchronous, DeviceSolver, HostSolver, only, seconds_of, unreached
from retrace.system.errors import RetraceError


@REGISTRY.add
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


@REGISTRY.add
class HeapDijkstra(HostSolver):
    """A binary heap, which a vertex enters when its distance falls: O((vertices + arcs) log vertices)."""

    name = "sssp/dijkstra-heap"
    implements = "Dijkstra's algorithm with std::priority_queue: what anyone would write today"


@REGISTRY.add
class MaskSequentialSSSP(HostSolver):
    """Sequential sweeps, which relax the arcs of masked vertices until none is masked: O(vertices * arcs).

    A vertex is masked when its distance falls. The report prints no pseudo-code of it.
    """

    name = "sssp/mask-sequential"
    implements = "tuwien-sssp, section 5, the sequential version"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.predecessor = np.empty(graph.vertices, dtype=np.int32)
        self.c_predecessor = pointer(self.predecessor)

    def solve(self, query: Query) -> int:
        return int(self.function(self.c_graph, query.source, self.c_answer, self.c_predecessor))


@REGISTRY.add
class BspSSSP(BulkSynchronous):
    """Two bulk-synchronous kernels an iteration, with one thread for each vertex.

    The first relaxes the arcs of masked vertices by atomicMin into a second array of distances; the second
    takes over the distances that fell, and masks their vertices. Report bsp-suite, section 3.4.3.
    """

    name = "sssp/bsp"
    implements = "bsp-suite, section 3.4.3, second Algorithms 3.5 and 3.6"
    source = "sssp/bsp.cu"
    kernels = ("sssp_kernel1", "sssp_kernel2")
    bytes_per_vertex = 9

    def upload(self, query: Query) -> None:
        graph, device = self.graph, self.device
        distance = unreached(graph, query.source)
        arcs, mask = self.upload_arcs(graph), device.upload(only(query.source, graph))
        self.answer, updating = device.upload(distance), device.upload(distance)
        vertices, more = np.int32(graph.vertices), device.empty(1, np.int32)
        self.arguments = (
            (vertices, *arcs, mask, self.answer, updating),
            (vertices, mask, self.answer, updating, more),
        )


class MaskSSSP(DeviceSolver):
    """One kernel an iteration, with one thread for each vertex, which relaxes the arcs of masked ones.

    Heads whose distance falls are masked. Distance and predecessor share a 64-bit word, updated by one
    atomicMin, so that they always belong together: Algorithm 1 is corrected (docs/errata.md).
    """

    implements = "tuwien-sssp, Algorithm 1"
    source = "sssp/mask.cu"
    bytes_per_vertex: ClassVar[int | None] = 17
    kernels: ClassVar[tuple[str, ...]] = ("mask_relax", "mask_unpack")
    """The kernel that relaxes, and those that make the answer of what it leaves."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.relax, *self.after = self.load_kernels(*self.kernels)

    def upload(self, query: Query) -> None:
        self.arcs = self.upload_arcs(self.graph)
        distance = unreached(self.graph, query.source)
        self.state = self.make_state(distance)
        self.make_mask()
        self.device.write(self.mask, distance == 0)

    def make_state(self, distance: Int32Array) -> list[Buffer]:
        """Allocate what the kernel updates: one label a vertex, its distance above its predecessor."""
        label = distance.astype(np.uint64) << np.uint64(32) | np.uint64(0xFFFFFFFF)
        return [self.device.upload(label)]

    def make_mask(self) -> None:
        """Allocate the mask on the device, and `seen`, what the host inspects of it."""
        self.mask: Buffer = self.device.empty(self.graph.vertices, np.bool_)
        self.seen: NDArray[Any] = np.empty(self.graph.vertices, dtype=np.bool_)

    def any_masked(self) -> bool:
        """Wait for the kernel; return whether any vertex is masked."""
        self.device.read(self.mask, self.seen)
        return bool(self.seen.any())

    def solve(self, query: Query) -> int:
        vertices, grid = np.int32(self.graph.vertices), self.grid(self.graph.vertices)
        block = self.block_size
        for iteration in count(1):
            self.relax(grid, block, vertices, *self.arcs, self.mask, *self.state)
            if not self.any_masked():
                return iteration
            if iteration > self.graph.vertices:  # a shortest path has fewer arcs
                raise RetraceError(f"{self.name} does not end: it masks the vertices of a cycle of weight 0")
        raise AssertionError

    def download(self) -> Int32Array:
        (unpack,), size = self.after, self.graph.vertices
        distance, self.before = self.device.empty(size, np.int32), self.device.empty(size, np.int32)
        unpack(self.grid(size), self.block_size, np.int32(size), *self.state, distance, self.before)
        return self.device.download(distance)

    def predecessors(self) -> Int32Array:
        return self.device.download(self.before)


@REGISTRY.add
class StandardSSSP(MaskSSSP):
    """The host copies the mask to pageable memory after every iteration: "standard memory transfer"."""

    name = "sssp/standard"


@REGISTRY.add
class PinnedSSSP(MaskSSSP):
    """`sssp/standard` with the host's mask in page-locked memory, which the GPU writes directly."""

    name = "sssp/pinned"

    def make_mask(self) -> None:
        self.mask = self.device.empty(self.graph.vertices, np.bool_)
        self.seen = self.device.pinned(self.graph.vertices, np.bool_)


@REGISTRY.add
class ZeroCopySSSP(MaskSSSP):
    """The mask lies in host memory that the kernel accesses over the bus, so that it is never copied."""

    name = "sssp/zero-copy"
    bytes_per_vertex = 16

    def make_mask(self) -> None:
        self.seen, self.mask = self.device.mapped(self.graph.vertices, np.bool_)

    def any_masked(self) -> bool:
        self.device.synchronize()
        return bool(self.seen.any())


@REGISTRY.add
class GPUSearchSSSP(MaskSSSP):
    """The device searches the mask, and the host reads one integer instead of the whole mask.

    A second kernel searches one block's worth of vertices, then the next 2, 4, 8, ... blocks, until it finds
    a masked vertex or the mask ends. Report tuwien-sssp, section 5, "GPU Search".
    """

    name = "sssp/gpu-search"
    more_sources = ("sssp/mask-search.cu",)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.search = self.device.load("sssp/mask-search.cu").kernel("mask_search")

    def make_mask(self) -> None:
        self.mask = self.device.empty(self.graph.vertices, np.bool_)
        self.found = self.device.upload(np.zeros(1, dtype=np.int32))
        self.seen = np.zeros(1, dtype=np.int32)

    def any_masked(self) -> bool:
        begin, blocks, block_size = 0, 1, self.block_size
        self.device.write(self.found, np.zeros(1, dtype=np.int32))
        while begin < self.graph.vertices:
            end = min(begin + blocks * block_size, self.graph.vertices)
            self.search(blocks, block_size, np.int32(begin), np.int32(end), self.mask, self.found)
            self.device.read(self.found, self.seen)
            if self.seen[0]:
                return True
            begin, blocks = end, 2 * blocks
        return False


class SeparatePredecessors(StandardSSSP):
    """`sssp/standard` with 32-bit distances, and the predecessors in an array of their own."""

    bytes_per_vertex = 9

    def make_state(self, distance: Int32Array) -> list[Buffer]:
        self.before = self.device.upload(np.full(self.graph.vertices, -1, dtype=np.int32))
        return [self.device.upload(distance), self.before]

    def download(self) -> Int32Array:
        return self.device.download(self.state[0])


@REGISTRY.add
class PublishedSSSP(SeparatePredecessors):
    """`sssp/standard` with Algorithm 1 of tuwien-sssp as printed, except for line 7, which cannot work so.

    A thread writes the predecessor after the distance, so a slower thread may overwrite it: predecessors may
    be wrong. On a cycle of weight 0 the search does not end (docs/errata.md).
    """

    name = "sssp/standard-published"
    source = "sssp/mask-published.cu"
    kernels = ("mask_relax",)


@REGISTRY.add
class PredecessorPassSSSP(SeparatePredecessors):
    """`sssp/standard` with 32-bit distances; a pass after the last iteration finds the predecessors.

    Any arc that fits the distances exactly gives its head a predecessor; arcs of weight 0 come last, and only
    from vertices with a path from the source. Ours: the other way to avoid the race of Algorithm 1.
    """

    name = "sssp/standard-predecessor-pass"
    source = "sssp/mask-predecessor-pass.cu"
    kernels = ("mask_relax", "take_predecessors", "take_weightless_predecessors")

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.take, self.take_weightless = self.after
        assert graph.weights is not None
        self.has_weightless = bool((graph.weights == 0).any())

    def make_state(self, distance: Int32Array) -> list[Buffer]:
        return super().make_state(distance)[:1]  # the kernel that relaxes takes the distances alone

    def solve(self, query: Query) -> int:
        iterations = super().solve(query)
        vertices, grid = np.int32(self.graph.vertices), self.grid(self.graph.vertices)
        block = self.block_size
        self.take(grid, block, vertices, *self.arcs, *self.state, np.int32(UNREACHABLE), self.before)
        more = np.full(1, self.has_weightless, dtype=np.int32)
        flag = self.device.empty(1, np.int32)
        source, vectors = np.int32(query.source), (*self.state, self.before, flag)
        while more[0]:
            self.device.fill(flag, 0)
            self.take_weightless(grid, block, vertices, *self.arcs, source, *vectors)
            self.device.read(flag, more)
        return iterations


@REGISTRY.add
class ThrustSSSP(DeviceSolver):
    """`sssp/standard` with Thrust's vectors and algorithms, without CUDA on Thrust's own host system."""

    name = "sssp/thrust"
    implements = "tuwien-sssp, Algorithm 1, with Thrust"
    source = "thrust/sssp_thrust.cpp"
    bytes_per_vertex = 9
    settings: ClassVar[Settings] = {}

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.c_graph = c_graph(graph)
        self.library = self.device.load_thrust(self.source)
        self.library.sssp_thrust_upload.restype = Address
        self.answer, self.predecessor = (np.empty(graph.vertices, dtype=np.int32) for _ in range(2))
        self.search: Address | None = None

    def upload(self, query: Query) -> None:
        self.free()
        self.search = Address(self.library.sssp_thrust_upload(self.c_graph, query.source))

    def solve(self, query: Query) -> int:
        return int(self.library.sssp_thrust_solve(self.search))

    def download(self) -> Int32Array:
        self.library.sssp_thrust_download(self.search, pointer(self.answer), pointer(self.predecessor))
        self.free()  # while the vectors' context exists
        return self.answer

    def free(self) -> None:
        if self.search is not None:
            self.library.sssp_thrust_free(self.search)
            self.search = None


@REGISTRY.add
class SciPySSSP(SciPyPeer):
    """SciPy's Dijkstra with a Fibonacci heap, O(arcs + vertices log vertices)."""

    name = "sssp/scipy"


@REGISTRY.add
class IgraphSSSP(IgraphPeer):
    """Distances by igraph's Dijkstra with a binary heap, in C."""

    name = "sssp/igraph"
    implements = 'igraph.Graph.distances(weights=..., algorithm="dijkstra")'

    def solve(self, query: Query) -> None:
        self.lengths = self.graph.distances(query.source, weights=self.weights, algorithm="dijkstra")[0]


@REGISTRY.add
class NetworKitSSSP(NetworKitPeer):
    """Distances by NetworKit's Dijkstra, in C++."""

    name = "sssp/networkit"
    implements = "networkit.distance.Dijkstra"
    algorithm = "Dijkstra"
    weighted = True
