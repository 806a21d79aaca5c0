"""Bellman-Ford on a device: distances in a graph whose weights may be negative.

All run Algorithm 1 of an-bellman-ford; they differ in the kernel that relaxes, in how the graph comes to the
device, and in where it lies on the host.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from retrace.devices.base import Buffer, Dim
from retrace.graphs.csr import Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.solvers import matrices
from retrace.solvers.matrices import (
    device_matrix,
    host_matrix,
    matrix_bytes,
    pinned_matrix,
    pitch_of,
    rows_of,
)
from retrace.solvers.negative_cycles import DistanceCheck, refuse_endless
from retrace.solvers.registry import BLOCK_SIZE, REGISTRY, DeviceSolver, Query, Setting

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
        """Predict the memory that three arrays of arcs and the vectors take."""
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
