"""Bellman-Ford on a device with masks of active vertices: Algorithm 1 of report an-bellman-ford.

A vertex is active if its distance fell in the last iteration. The variants differ in the kernel that relaxes,
in how the graph is copied to the device, and in where it lies on the host.
"""

import math
from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from cuda_device.host_loop import HostLoop
from cuda_device.interface import Buffer, Dim, PackedLaunch, as_xyz
from retrace.catalogue.setting import LOOP, Setting, Settings
from retrace.devices import matrices
from retrace.devices.matrices import host_matrix, matrix_bytes, pitch_of
from retrace.graphs.csr import Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.graphs.query import Query
from retrace.solvers.bellman_ford import negative_cycles
from retrace.solvers.bellman_ford.negative_cycles import DistanceCheck, refuse_endless
from retrace.solvers.solver import WARP, DeviceSolver, seconds_on

EMULATOR_SAMPLE = 512
"""Vertices of the complete graph whose time on the emulator predicts that of larger ones."""

MASKS = "bellman-ford/masks.cu"

Shape = tuple[Dim, Dim, tuple[np.int32, ...]]
"""Grid and block of the kernel that relaxes, and its sizes after the pitch."""


def edges_per_thread(default: int) -> dict[str, Setting]:
    """Declare the arcs that a thread relaxes."""
    return {"edges_per_thread": Setting(default, "bellman-ford: arcs that a thread relaxes in an iteration")}


class BellmanFord(DeviceSolver):
    """What all variants on a device share."""

    repeats = True
    host_matrix: Int32Array
    """The matrix in host memory, shape (vertices * pitch,), of the variants that copy it."""
    distance: Buffer
    origin: int
    """The source of the last query."""

    def setup(self, graph: Graph) -> None:
        self.graph = graph
        self.vertices = graph.vertices
        self.distances = DistanceCheck(graph)
        self.load()

    @abstractmethod
    def load(self) -> None:
        """Load the kernels, and convert the graph to the form in which `upload` sends it."""

    def on_host(self) -> Int32Array:
        """Return the matrix in pageable host memory, shape (vertices * pitch,), int32."""
        return host_matrix(self.graph).ravel()

    def upload(self, query: Query) -> None:
        if self.page_locks:
            self.host_matrix = matrices.page_locked(self.device, self.host_matrix)

    def download(self) -> Int32Array:
        distance = self.device.download(self.distance)[: self.vertices]
        return self.distances.check(self.origin, distance)

    def predict_seconds(self, query: Query) -> float | None:
        """Predict the emulator's time on a complete graph from a small one; a GPU is always fast enough."""
        graph, sample = self.graph, EMULATOR_SAMPLE
        if self.device.backend != "emulator" or not isinstance(graph, DenseGraph) or self.vertices <= sample:
            return None
        small = type(self)(self.device)
        small.parameters = self.parameters
        small_graph = DenseGraph(sample, graph.seed, graph.weights)
        return seconds_on(small, small_graph) * (self.vertices / sample) ** 2


class MaskedBellmanFord(BellmanFord):
    """Algorithm 1: relax the arcs of active vertices, read the flag and swap the masks, repeatedly."""

    more_sources: ClassVar[tuple[str, ...]] = (MASKS, negative_cycles.SOURCE)
    kernel: ClassVar[str]
    """The function in `source` that relaxes."""
    settings: ClassVar[Settings] = {**DeviceSolver.settings, **LOOP}
    loop: HostLoop

    def load(self) -> None:
        (self.relaxation,) = self.load_kernels(self.kernel)
        module = self.device.load(MASKS)
        self.initialise, self.swap = module.kernel("initialise"), module.kernel("swap_masks")
        self.activate_reached = module.kernel("activate_reached")

    def upload(self, query: Query) -> None:
        super().upload(query)
        device = self.device
        self.send_graph()
        self.distance, self.mask, self.mask1 = (device.empty(self.vertices, np.int32) for _ in range(3))
        self.flag, self.relaxed = device.empty(1, np.int32), device.empty(1, np.uint32)
        self.loop = self.make_loop()

    @abstractmethod
    def send_graph(self) -> None:
        """Copy the graph to the device."""

    @abstractmethod
    def relaxing(self) -> PackedLaunch:
        """Return the launch that relaxes."""

    def swapping(self) -> PackedLaunch:
        """Return the launch that makes those vertices active whose distance fell."""
        masks = self.mask, self.mask1, self.flag, self.relaxed
        return self.pack(self.swap, self.grid(self.vertices), np.int32(self.vertices), *masks)

    def make_loop(self) -> HostLoop:
        """Relax, and read the flag; then swap before relaxing again."""
        relax, swap, seen = self.relaxing(), self.swapping(), np.zeros(1, np.int32)
        return HostLoop(rounds=[[relax], [swap, relax]], state=self.flag, seen=seen, most=self.vertices)

    def solve(self, query: Query) -> int:
        self.begin(query.source)
        return self.iterate()

    def begin(self, source: int) -> None:
        """Make the source the only active vertex."""
        self.origin = source
        self.initialise(
            self.grid(self.vertices), self.block_size, np.int32(self.vertices), np.int32(source),
            self.distance, self.mask, self.mask1, self.flag, self.relaxed,
        )  # fmt: skip

    def iterate(self) -> int:
        """Relax and swap until no distance falls; return how often."""
        iterations, ended, _ = self.repeat(self.loop)
        if not ended:
            raise refuse_endless(self.graph, self.origin)
        return iterations


class MatrixBellmanFord(MaskedBellmanFord):
    """The graph as a matrix, which is made on the host in `setup` and copied in `upload`."""

    more_sources = (*MaskedBellmanFord.more_sources, *matrices.SOURCES)

    def memory_bytes(self, graph: Graph) -> int:
        return matrix_bytes(graph) + 3 * 4 * graph.vertices

    def load(self) -> None:
        super().load()
        self.make_matrix()

    def make_matrix(self) -> None:
        """Make the matrix on the host and allocate it on the device: the report measures copying it."""
        self.host_matrix = self.on_host()
        self.matrix = self.device.empty(self.host_matrix.size, np.int32)

    def send_graph(self) -> None:
        self.device.write(self.matrix, self.host_matrix)

    def relaxing(self) -> PackedLaunch:
        grid, block, *arguments = self.launch_of(self.shape())
        return self.relaxation.with_arguments(grid, block, *arguments, cooperative=False)

    def launch_of(self, shape: Shape) -> tuple[Any, ...]:
        """Return grid, block and arguments of a launch that relaxes."""
        grid, block, own = shape
        vectors = self.matrix, self.distance, self.mask, self.mask1, self.flag
        return grid, block, np.int32(self.vertices), np.int32(pitch_of(self.vertices)), *own, *vectors

    def shape(self) -> Shape:
        """Return grid and block, by default of a thread a vertex, and the kernel's sizes after the pitch."""
        return self.grid(self.vertices), self.block_size, ()

    def observed(self) -> dict[str, float]:
        """Return the number of rows of active vertices, summed over all iterations."""
        return {"matrix_rows": float(self.device.download(self.relaxed)[0])}


class DenseBellmanFord(MatrixBellmanFord):
    """A thread for each entry of the matrix; those of a block relax arcs of one tail, if it is active."""

    name = "bellman-ford/dense"
    implements = "an-bellman-ford, Algorithms 1 to 4"
    kernel = "relax_dense"

    def shape(self) -> Shape:
        return self.of_rows(0, self.vertices)

    def of_rows(self, begin: int, end: int) -> Shape:
        """Return the shape of a launch for the tails `begin` to `end` - 1: heads along x, tails along y."""
        return (self.grid(self.vertices), end - begin), self.block_size, (np.int32(begin),)


class AblatedBellmanFord(DenseBellmanFord):
    """`bellman-ford/dense` without what saves work: the masks, the early end, or both.

    Without masks, the arcs of every vertex that has been reached are relaxed in each iteration. Without the
    early end there are as many iterations as the graph has vertices, and the host reads the last flag alone.
    """

    name = "bellman-ford/ablated"
    implements = "an-bellman-ford, Algorithms 1 to 4, without masks or early end"
    settings: ClassVar[Settings] = {
        **MaskedBellmanFord.settings,
        "masks": Setting(0, "bellman-ford: 1: active vertices are relaxed, 0: all that are reached", 0, 1),
        "early_end": Setting(0, "bellman-ford: 1: end when no distance falls, 0: never before", 0, 1),
    }

    def swapping(self) -> PackedLaunch:
        if self.number("masks"):
            return super().swapping()
        arguments = self.distance, self.mask, self.mask1, self.flag, self.relaxed
        grid, vertices = self.grid(self.vertices), np.int32(self.vertices)
        return self.pack(self.activate_reached, grid, vertices, *arguments)

    def make_loop(self) -> HostLoop:
        blind = 0 if self.number("early_end") else self.vertices - 1
        return replace(super().make_loop(), blind=blind)


class PinnedBellmanFord(DenseBellmanFord):
    """`bellman-ford/dense` with the matrix in page-locked host memory."""

    name = "bellman-ford/pinned"
    implements = "an-bellman-ford, section 4.1, pinned memory"
    page_locks = True


class IncomingBellmanFord(MatrixBellmanFord):
    """A thread for each vertex, which inspects all arcs that lead to it: no atomic operations are needed."""

    name = "bellman-ford/incoming"
    implements = "an-bellman-ford, Algorithm 7"
    kernel = "relax_incoming"


class OutgoingBellmanFord(IncomingBellmanFord):
    """A thread for each vertex, which relaxes all arcs that leave it if it is active: not coalesced."""

    name = "bellman-ford/outgoing"
    implements = "an-bellman-ford, Algorithm 8"
    kernel = "relax_outgoing"


class TransposedBellmanFord(OutgoingBellmanFord):
    """`bellman-ford/outgoing` on the transposed matrix: threads read as those of `bellman-ford/incoming` do.

    What is left of the gap between the two is not a matter of coalesced access. Ours.
    """

    name = "bellman-ford/outgoing-transposed"
    implements = "our own kernel: an-bellman-ford, Algorithm 8, with the access of Algorithm 7"
    kernel = "relax_outgoing_transposed"

    def on_host(self) -> Int32Array:
        return matrices.transposed_matrix(self.graph).ravel()


class FewerAtomicsBellmanFord(TransposedBellmanFord):
    """`bellman-ford/outgoing-transposed` with an atomic operation only where the distance would fall.

    The difference between the two is what those atomic operations cost that change nothing. Ours.
    """

    name = "bellman-ford/outgoing-fewer-atomics"
    implements = "our own kernel: an-bellman-ford, Algorithm 8, with the access of Algorithm 7"
    kernel = "relax_outgoing_fewer_atomics"


class MultiEdgeBellmanFord(MatrixBellmanFord):
    """Several arcs for each thread, a grid apart, so that neighbouring threads read neighbouring entries.

    The grid has a thread for every `edges_per_thread` arcs: those from some tails to as many heads, or to
    more if the number is no square. The report does not say how it divides them.

    The matrix is made on the device, since report an-bellman-ford compares the kernels alone.
    """

    name = "bellman-ford/multi-edge"
    implements = "an-bellman-ford, Algorithm 5"
    kernel = "relax_multi_edge"
    settings: ClassVar[Settings] = {**MaskedBellmanFord.settings, **edges_per_thread(4)}

    def make_matrix(self) -> None:
        self.matrix = matrices.device_matrix(self.device, self.graph)

    def send_graph(self) -> None:
        """Do nothing: the matrix is on the device."""

    def shape(self) -> Shape:
        edges, x = self.number("edges_per_thread"), math.gcd(self.block_size, WARP)
        tails = max(some for some in range(1, math.isqrt(edges) + 1) if edges % some == 0)
        per_thread, block = (edges // tails, tails), (x, self.block_size // x)
        sides = zip(per_thread, block, strict=True)
        return tuple(-(-self.vertices // (some * threads)) for some, threads in sides), block, ()

    def observed(self) -> dict[str, float]:
        """Return also the number of blocks, and how many of them run at the same time."""
        grid, block, _ = self.shape()
        at_once = self.device.load(self.source).resident_blocks(self.kernel, block)
        return {**super().observed(), "blocks": math.prod(as_xyz(grid)), "resident_blocks": at_once}


class ConsecutiveBellmanFord(MultiEdgeBellmanFord):
    """Several consecutive arcs for each thread: neighbouring threads read entries far apart."""

    name = "bellman-ford/multi-edge-consecutive"
    implements = "an-bellman-ford, section 4.2, non-coalesced access"
    kernel = "relax_consecutive"

    def shape(self) -> Shape:
        edges = self.number("edges_per_thread")
        return self.grid(-(-(self.vertices**2) // edges)), self.block_size, (np.int32(edges),)


class EdgeListBellmanFord(MaskedBellmanFord):
    """Sparse graphs as tails, heads and weights; every iteration inspects every arc: O(vertices * arcs)."""

    name = "bellman-ford/edge-list"
    implements = "an-bellman-ford, Algorithm 6"
    kernel = "relax_edges"
    settings: ClassVar[Settings] = {**MaskedBellmanFord.settings, **edges_per_thread(1)}

    def memory_bytes(self, graph: Graph) -> int:
        return 4 * (3 * graph.arcs + 3 * graph.vertices)

    def load(self) -> None:
        super().load()
        rows = matrices.rows_of(self.graph)
        assert rows.weights is not None
        self.edges = rows.tails(), rows.indices, rows.weights

    def send_graph(self) -> None:
        self.arrays = [self.device.upload(array) for array in self.edges]

    def relaxing(self) -> PackedLaunch:
        arcs = len(self.edges[0])
        grid = self.grid(-(-arcs // self.number("edges_per_thread")))
        vectors = self.distance, self.mask, self.mask1, self.flag
        return self.pack(self.relaxation, grid, np.int32(arcs), *self.arrays, *vectors)


class CsrBellmanFord(MaskedBellmanFord):
    """Sparse graphs as compressed sparse rows; a thread for each vertex, however many arcs it has."""

    name = "bellman-ford/csr"
    implements = "an-bellman-ford, section 4.3, one thread for the adjacency list of a vertex"
    kernel = "relax_rows_of_vertices"

    def memory_bytes(self, graph: Graph) -> int:
        return 4 * (2 * graph.arcs + 4 * graph.vertices + 1)

    def send_graph(self) -> None:
        rows = matrices.rows_of(self.graph)
        assert rows.weights is not None
        self.arrays = [self.device.upload(array) for array in (rows.indptr, rows.indices, rows.weights)]

    def relaxing(self) -> PackedLaunch:
        vectors = self.distance, self.mask, self.mask1, self.flag
        grid, vertices = self.grid(self.vertices), np.int32(self.vertices)
        return self.pack(self.relaxation, grid, vertices, *self.arrays, *vectors)
