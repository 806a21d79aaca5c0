"""Bellman-Ford on a device: distances in a graph whose weights may be negative.

All variants but the streams' and `resident` run Algorithm 1 of an-bellman-ford and differ in the kernel that
relaxes, in how the graph comes to the device, and in where it lies on the host.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from retrace.devices.base import Buffer, Dim
from retrace.graphs.csr import Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.solvers import matrices
from retrace.solvers.matrices import (
    LARGEST_ROWS,
    device_matrix,
    host_matrix,
    matrix_bytes,
    pinned_matrix,
    pitch_of,
    rows_of,
)
from retrace.solvers.negative_cycles import DistanceCheck, refuse_endless
from retrace.solvers.registry import BLOCK_SIZE, REGISTRY, DeviceSolver, Query, Setting

ROWS = 4
"""Rows that a block of `relax_rows` takes, as in `kernels/bellman-ford/rows.cu`."""

SAMPLE = 512
"""Vertices of the complete graph that the emulator's time is predicted from."""

SHARED_SOURCES = ("bellman-ford/sum.h", "host/negative_cycle.cpp")
MASK_SOURCES = ("bellman-ford/masks.cu", "bellman-ford/relax.cuh", *SHARED_SOURCES)


def blocks(threads: int, block_size: int) -> int:
    """Blocks that hold this many threads, at least one."""
    return max(1, -(-threads // block_size))


class BellmanFord(DeviceSolver):
    """What all variants on a device share."""

    def setup(self, graph: Graph) -> None:
        """Take note of the graph; load the kernels."""
        self.graph = graph
        self.vertices = graph.vertices
        self.distances = DistanceCheck(graph)
        self.load()

    @abstractmethod
    def load(self) -> None:
        """Load the kernels, and bring the graph to where `upload` takes it from."""

    def download(self) -> Int32Array:
        """Fetch the distances, and see that they are some."""
        distance = self.device.download(self.distance)[: self.vertices]
        return self.distances.check(self.source, distance)

    def predict_seconds(self, query: Query) -> float | None:
        """Predict what the emulator takes for a complete graph from a small one: time goes with the arcs.

        A GPU is fast enough for any graph that fits.
        """
        graph = self.graph
        if self.device.backend != "emulator" or not isinstance(graph, DenseGraph) or self.vertices <= SAMPLE:
            return None
        small = type(self)(self.device)
        small.parameters = self.parameters
        small.setup(DenseGraph(SAMPLE, graph.seed, graph.weights))
        small.upload(Query(0))
        started = time.perf_counter()
        small.solve(Query(0))
        return (time.perf_counter() - started) * (self.vertices / SAMPLE) ** 2

    distance: Buffer
    source: int


class MaskedBellmanFord(BellmanFord):
    """Algorithm 1: relax the arcs of active vertices, read the flag, swap the masks."""

    def load(self) -> None:
        """Load the kernels of Algorithms 2 and 4, and the variant's own."""
        module = self.device.load("bellman-ford/masks.cu")
        self.initialise, self.swap = module.kernel("initialise"), module.kernel("swap_masks")

    def upload(self, query: Query) -> None:
        """Send the graph and allocate the vectors; the kernels initialise them."""
        device = self.device
        self.send_graph()
        self.distance, self.mask, self.mask1 = (device.empty(self.vertices, np.int32) for _ in range(3))
        self.flag, self.relaxed = device.empty(1, np.int32), device.empty(1, np.uint32)

    @abstractmethod
    def send_graph(self) -> None:
        """Copy the graph to the device."""

    @abstractmethod
    def relax(self) -> None:
        """Launch the kernel that relaxes."""

    def solve(self, query: Query) -> int:
        """Relax until no distance falls; returns the number of iterations."""
        self.source = query.source
        vertices, flag = np.int32(self.vertices), np.zeros(1, np.int32)
        grid = blocks(self.vertices, self.block_size)
        masks = self.mask, self.mask1, self.flag, self.relaxed
        source = np.int32(query.source)
        self.initialise(grid, self.block_size, vertices, source, self.distance, *masks)
        for iteration in range(1, self.vertices + 1):
            self.relax()
            self.device.read(self.flag, flag)
            if not flag[0]:
                return iteration
            self.swap(grid, self.block_size, vertices, *masks)
        raise refuse_endless(self.graph, query.source)


class MatrixBellmanFord(MaskedBellmanFord):
    """The graph as a matrix, made on the host in `setup` and copied in `upload`."""

    kernel: ClassVar[tuple[str, str]]
    """Kernel file and function that relaxes."""

    def memory_bytes(self, graph: Graph) -> int:
        """Predict the memory that the matrix, the distances and the masks take."""
        return matrix_bytes(graph) + 3 * 4 * graph.vertices

    def load(self) -> None:
        """Load the kernels and make the matrix."""
        super().load()
        file, name = self.kernel
        self.relaxation = self.device.load(file).kernel(name)
        self.make_matrix()

    def make_matrix(self) -> None:
        """Make the matrix on the host, and allocate the device's: copying it is what the report measures."""
        self.host_matrix = self.on_host()
        self.matrix = self.device.empty(self.host_matrix.size, np.int32)

    def on_host(self) -> Int32Array:
        """Make the matrix in the host's pageable memory, shape (vertices * pitch,)."""
        return host_matrix(self.graph).ravel()

    def send_graph(self) -> None:
        """Copy the matrix."""
        self.device.write(self.matrix, self.host_matrix)

    def relax(self) -> None:
        """Launch the variant's kernel."""
        grid, own = self.shape()
        sizes = np.int32(self.vertices), np.int32(pitch_of(self.vertices)), *own
        self.relaxation(
            grid, self.block_size, *sizes, self.matrix, self.distance, self.mask, self.mask1, self.flag
        )

    @abstractmethod
    def shape(self) -> tuple[Dim, tuple[np.int32, ...]]:
        """Grid of the kernel that relaxes, and the sizes it takes besides vertices and pitch."""

    def observed(self) -> dict[str, float]:
        """Count the rows of active vertices, over all iterations."""
        return {"matrix_rows": float(self.device.download(self.relaxed)[0])}


@REGISTRY.add
class DenseBellmanFord(MatrixBellmanFord):
    """One thread an arc."""

    name = "bellman-ford/dense"
    implements = "an-bellman-ford, Algorithms 1 to 4"
    kernel = "bellman-ford/dense.cu", "relax_dense"
    sources: ClassVar[tuple[str, ...]] = ("bellman-ford/dense.cu", *MASK_SOURCES, *matrices.SOURCES)

    def shape(self) -> tuple[Dim, tuple[np.int32, ...]]:
        """Heads in x, tails in y."""
        return (blocks(self.vertices, self.block_size), self.vertices), ()


@REGISTRY.add
class PinnedBellmanFord(DenseBellmanFord):
    """As `bellman-ford/dense`, with the matrix in page-locked memory."""

    name = "bellman-ford/pinned"
    implements = "an-bellman-ford, section 4.1, pinned memory"

    def on_host(self) -> Int32Array:
        """Make the matrix in page-locked memory."""
        return pinned_matrix(self.device, self.graph)


@REGISTRY.add
class IncomingBellmanFord(MatrixBellmanFord):
    """One thread a vertex, over the arcs that lead to it."""

    name = "bellman-ford/incoming"
    implements = "an-bellman-ford, Algorithm 7"
    kernel = "bellman-ford/incoming.cu", "relax_incoming"
    sources: ClassVar[tuple[str, ...]] = ("bellman-ford/incoming.cu", *MASK_SOURCES, *matrices.SOURCES)

    def shape(self) -> tuple[Dim, tuple[np.int32, ...]]:
        """One thread a vertex."""
        return blocks(self.vertices, self.block_size), ()


@REGISTRY.add
class OutgoingBellmanFord(IncomingBellmanFord):
    """One thread a vertex, over the arcs that leave it."""

    name = "bellman-ford/outgoing"
    implements = "an-bellman-ford, Algorithm 8"
    kernel = "bellman-ford/outgoing.cu", "relax_outgoing"
    sources: ClassVar[tuple[str, ...]] = ("bellman-ford/outgoing.cu", *MASK_SOURCES, *matrices.SOURCES)


@REGISTRY.add
class MultiEdgeBellmanFord(MatrixBellmanFord):
    """Several arcs a thread, coalesced; the matrix is made on the device, since only the kernel matters."""

    name = "bellman-ford/multi-edge"
    implements = "an-bellman-ford, Algorithm 5"
    kernel = "bellman-ford/multi-edge.cu", "relax_multi_edge"
    sources: ClassVar[tuple[str, ...]] = ("bellman-ford/multi-edge.cu", *MASK_SOURCES, *matrices.SOURCES)
    defaults: ClassVar[Mapping[str, Setting]] = {"block_size": BLOCK_SIZE, "edges_per_thread": 4}

    def make_matrix(self) -> None:
        """Make the matrix on the device."""
        self.matrix = device_matrix(self.device, self.graph)

    def send_graph(self) -> None:
        """Leave the matrix where it is."""

    def shape(self) -> tuple[Dim, tuple[np.int32, ...]]:
        """Give a thread as many rows of one column as it takes arcs."""
        rows = blocks(self.vertices, int(self.parameters["edges_per_thread"]))
        return (blocks(self.vertices, self.block_size), rows), ()


@REGISTRY.add
class ConsecutiveBellmanFord(MultiEdgeBellmanFord):
    """Several consecutive arcs a thread, not coalesced."""

    name = "bellman-ford/multi-edge-consecutive"
    implements = "an-bellman-ford, section 4.2, non-coalesced access"
    kernel = "bellman-ford/multi-edge-consecutive.cu", "relax_consecutive"
    sources: ClassVar[tuple[str, ...]] = (
        "bellman-ford/multi-edge-consecutive.cu",
        *MASK_SOURCES,
        *matrices.SOURCES,
    )

    def shape(self) -> tuple[Dim, tuple[np.int32, ...]]:
        """As many threads as all arcs need, in one dimension."""
        edges = int(self.parameters["edges_per_thread"])
        return blocks(blocks(self.vertices**2, edges), self.block_size), (np.int32(edges),)


@REGISTRY.add
class EdgeListBellmanFord(MaskedBellmanFord):
    """Sparse graphs as arrays of tails, heads and weights."""

    name = "bellman-ford/edge-list"
    implements = "an-bellman-ford, Algorithm 6"
    sources: ClassVar[tuple[str, ...]] = ("bellman-ford/edge-list.cu", *MASK_SOURCES)
    defaults: ClassVar[Mapping[str, Setting]] = {"block_size": BLOCK_SIZE, "edges_per_thread": 1}

    def memory_bytes(self, graph: Graph) -> int:
        """Predict the memory that three arrays of arcs and the vectors take; 0 for what `setup` refuses."""
        if isinstance(graph, DenseGraph) and graph.vertices > LARGEST_ROWS:
            return 0
        return 4 * (3 * graph.arcs + 3 * graph.vertices)

    def load(self) -> None:
        """Load the kernels and spell the tails out."""
        super().load()
        self.relaxation = self.device.load("bellman-ford/edge-list.cu").kernel("relax_edges")
        rows = rows_of(self.graph)
        assert rows.weights is not None
        self.edges = rows.tails(), rows.indices, rows.weights

    def send_graph(self) -> None:
        """Copy the three arrays."""
        self.arrays = [self.device.upload(array) for array in self.edges]

    def relax(self) -> None:
        """Launch a thread for every few arcs."""
        arcs = len(self.edges[0])
        grid = blocks(blocks(arcs, int(self.parameters["edges_per_thread"])), self.block_size)
        vectors = self.distance, self.mask, self.mask1, self.flag
        self.relaxation(grid, self.block_size, np.int32(arcs), *self.arrays, *vectors)


class RowsBellmanFord(BellmanFord):
    """The rows of active vertices are listed, and only they are read."""

    implements = "our own kernel: what a resident matrix allows"
    sources: ClassVar[tuple[str, ...]] = ("bellman-ford/rows.cu", *SHARED_SOURCES, *matrices.SOURCES)
    matrix: Buffer
    parts = 0
    """Parts of the matrix that arrive one by one."""

    def memory_bytes(self, graph: Graph) -> int:
        """Predict the memory that the matrix and the vectors take."""
        return matrix_bytes(graph) + 3 * 4 * pitch_of(graph.vertices)

    def load(self) -> None:
        """Load the kernels."""
        self.pitch = pitch_of(self.vertices)
        module = self.device.load("bellman-ford/rows.cu")
        self.start, self.list_rows = module.kernel("start"), module.kernel("list_rows")
        self.relax_rows = module.kernel("relax_rows")

    def upload(self, query: Query) -> None:
        """Allocate the vectors."""
        device = self.device
        self.distance = device.empty(self.pitch, np.int32)
        self.relaxed, self.rows = (device.empty(self.pitch, np.int32) for _ in range(2))
        self.counts = device.empty(self.parts + 1, np.uint32)
        self.counters = [device.view(self.counts, part, 1) for part in range(self.parts + 1)]

    def begin(self, source: int) -> None:
        """Make the source the one active vertex."""
        self.source = source
        self.start(
            blocks(max(self.pitch, self.parts + 1), self.block_size), self.block_size, np.int32(self.pitch),
            np.int32(source),
            self.distance, self.relaxed, np.int32(self.parts + 1), self.counts,
        )  # fmt: skip

    def list_active(self, first: int, count: int, before: int, counter: int, stream: Any = None) -> None:
        """List the active vertices of some rows; `before` were listed with this counter before."""
        self.list_rows(
            blocks(count, self.block_size), self.block_size, np.int32(first), np.int32(count), self.distance,
            self.relaxed, np.uint32(before), self.counters[counter], self.rows, stream=stream,
        )  # fmt: skip

    def relax_listed(self, first: int, most: int, before: int, counter: int, stream: Any = None) -> None:
        """Relax the rows that were listed from `first` on, at most so many."""
        self.relax_rows(
            blocks(most, ROWS), self.block_size, np.int32(first), np.int32(self.pitch), self.matrix,
            np.uint32(before), self.counters[counter], self.rows, self.relaxed, self.distance, stream=stream,
        )  # fmt: skip

    def iterate(self) -> int:
        """Relax what is active until nothing is; returns the number of iterations."""
        last, listed = self.counters[-1], np.zeros(1, np.uint32)
        for iteration in range(self.vertices + 1):
            before = int(listed[0])
            self.list_active(0, self.vertices, before, -1)
            self.device.read(last, listed)
            if int(listed[0]) == before:
                return iteration
            self.relax_listed(0, int(listed[0]) - before, before, -1)
        raise refuse_endless(self.graph, self.source)

    def observed(self) -> dict[str, float]:
        """Count the rows that were relaxed."""
        return {"matrix_rows": float(self.device.download(self.counts).sum())}


@REGISTRY.add
class ResidentBellmanFord(RowsBellmanFord):
    """The matrix is made on the device; only rows of active vertices are read, 16 bytes at a time."""

    name = "bellman-ford/resident"

    def load(self) -> None:
        """Load the kernels and make the matrix on the device."""
        super().load()
        self.matrix = device_matrix(self.device, self.graph)

    def solve(self, query: Query) -> int:
        """Relax until no distance falls; returns the number of iterations."""
        self.begin(query.source)
        return self.iterate()


@REGISTRY.add
class StreamsBellmanFord(RowsBellmanFord):
    """The matrix comes in parts, each on a stream of its own, and is relaxed as it arrives: in `solve`.

    The part that holds the source's row comes first: before it nothing could be relaxed.
    """

    name = "bellman-ford/streams"
    implements = "an-bellman-ford, section 4.1, streams; the kernels are ours"
    defaults: ClassVar[Mapping[str, Setting]] = {"block_size": BLOCK_SIZE, "parts": 2}

    def load(self) -> None:
        """Load the kernels and make the matrix on the host."""
        super().load()
        self.parts = min(int(self.parameters["parts"]), self.vertices)
        bounds = [part * self.vertices // self.parts for part in range(self.parts + 1)]
        self.bounds = list(pairwise(bounds))
        self.streams = [self.device.stream() for _ in range(self.parts)]
        self.host_matrix = self.on_host()
        self.matrix = self.device.empty(self.host_matrix.size, np.int32)
        self.places = [
            self.device.view(self.matrix, begin * self.pitch, (end - begin) * self.pitch)
            for begin, end in self.bounds
        ]

    def on_host(self) -> Int32Array:
        """Make the matrix in the host's pageable memory, shape (vertices * pitch,)."""
        return host_matrix(self.graph).ravel()

    def solve(self, query: Query) -> int:
        """Copy and relax part by part, then go on until no distance falls; the first pass is an iteration."""
        self.begin(query.source)
        first = next(part for part, (_, end) in enumerate(self.bounds) if query.source < end)
        for part in [*range(first, self.parts), *range(first)]:
            begin, end = self.bounds[part]
            stream = self.streams[part]
            rows = self.host_matrix[begin * self.pitch : end * self.pitch]
            self.device.write(self.places[part], rows, stream)
            if part == first:  # from the source alone, so that there is something to go on from
                self.list_active(begin, end - begin, 0, part, stream)
                self.relax_listed(begin, 1, 0, part, stream)
            before = int(part == first)
            self.list_active(begin, end - begin, before, part, stream)
            self.relax_listed(begin, end - begin, before, part, stream)
        self.device.synchronize()
        return 1 + self.iterate()


@REGISTRY.add
class StreamsPinnedBellmanFord(StreamsBellmanFord):
    """As `bellman-ford/streams`, with the matrix in page-locked memory: the host does not wait for a copy."""

    name = "bellman-ford/streams-pinned"
    implements = "an-bellman-ford, section 4.1, streams and pinned memory; the kernels are ours"

    def on_host(self) -> Int32Array:
        """Make the matrix in page-locked memory."""
        return pinned_matrix(self.device, self.graph)
