"""Breadth-first search on a device: the level of every vertex."""

from __future__ import annotations

import numpy as np

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.solvers.registry import BLOCK_SIZE, REGISTRY, DeviceSolver, Query


@REGISTRY.add
class BspBFS(DeviceSolver):
    """Two bulk-synchronous kernels a level; the host reads the termination flag after each level."""

    name = "bfs/bsp"
    implements = "bsp-suite, Algorithms 3.2 and 3.3"
    sources = ("bfs/bsp.cu",)
    bytes_per_vertex = 7

    def setup(self, graph: CSRGraph) -> None:
        """Load both kernels."""
        self.graph = graph
        module = self.device.load("bfs/bsp.cu")
        self.kernel1, self.kernel2 = module.kernel("bfs_kernel1"), module.kernel("bfs_kernel2")

    def upload(self, query: Query) -> None:
        """Send the graph; the source is the frontier, visited, and at level 0."""
        only_source = np.zeros(self.graph.vertices, dtype=np.bool_)
        only_source[query.source] = True
        level = np.full(self.graph.vertices, UNREACHABLE, dtype=np.int32)
        level[query.source] = 0
        device = self.device
        self.indptr, self.indices = device.upload(self.graph.indptr), device.upload(self.graph.indices)
        self.frontier, self.visited = device.upload(only_source), device.upload(only_source)
        self.updating = device.upload(np.zeros_like(only_source))
        self.level = device.upload(level)
        self.more = device.empty(1, np.int32)

    def solve(self, query: Query) -> int:
        """Expand level by level until no vertex is added."""
        vertices = np.int32(self.graph.vertices)
        grid = self.grid(self.graph.vertices)
        no, more = np.zeros(1, np.int32), np.ones(1, np.int32)
        iterations = 0
        while more[0]:
            self.device.write(self.more, no)
            self.kernel1(
                grid, BLOCK_SIZE, vertices, self.indptr, self.indices, self.visited, self.frontier,
                self.updating, self.level,
            )  # fmt: skip
            self.kernel2(grid, BLOCK_SIZE, vertices, self.frontier, self.updating, self.visited, self.more)
            self.device.read(self.more, more)
            iterations += 1
        return iterations

    def download(self) -> Int32Array:
        """Fetch the levels."""
        return self.device.download(self.level)


@REGISTRY.add
class BlockQueueBFS(DeviceSolver):
    """A launch a level over the frontier's vertices; blocks gather the next frontier in shared memory."""

    name = "bfs/block-queue"
    implements = "hong-bfs, BFS_Bqueue_kernel"
    sources = ("bfs/block-queue.cu", "bfs/block_queue.cuh")
    bytes_per_vertex = 16

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernels."""
        self.graph = graph
        module = self.device.load(self.sources[0])
        names = ("block_queue_start", "block_queue_expand", "block_queue_next")
        self.start, self.expand, self.next = (module.kernel(name) for name in names)

    def upload(self, query: Query) -> None:
        """Send the graph and start with the source as the previous frontier."""
        graph, device = self.graph, self.device
        self.arcs = device.upload(graph.indptr), device.upload(graph.indices)
        self.label = device.upload(np.full(graph.vertices, -1, dtype=np.int32))
        self.visited = device.upload(np.zeros(graph.vertices, dtype=np.int32))
        self.frontiers = [device.empty(graph.vertices, np.int32) for _ in ("previous", "current")]
        self.previous_tail, self.tail = device.empty(1, np.int32), device.empty(1, np.int32)
        self.start(
            1, 1, np.int32(query.source), self.frontiers[0], self.previous_tail, self.tail, self.label,
            self.visited,
        )  # fmt: skip

    def solve(self, query: Query) -> int:
        """Expand level by level until the frontier is empty."""
        previous, current = self.frontiers
        frontier = np.ones(1, dtype=np.int32)
        levels = 0
        while frontier[0]:
            self.expand(
                self.grid(int(frontier[0])), BLOCK_SIZE, previous, self.previous_tail, current, self.tail,
                *self.arcs, self.label, self.visited,
            )  # fmt: skip
            self.device.read(self.tail, frontier)
            self.next(1, 1, self.previous_tail, self.tail)
            previous, current = current, previous
            levels += 1
        return levels

    def download(self) -> Int32Array:
        """Fetch the labels, -1 turned into our word for a vertex that is not reached."""
        label = self.device.download(self.label)
        label[label < 0] = UNREACHABLE
        return label


@REGISTRY.add
class PublishedBlockQueueBFS(BlockQueueBFS):
    """`bfs/block-queue` with the shared queue's tail handled as printed."""

    name = "bfs/block-queue-published"
    sources = ("bfs/block-queue-published.cu", "bfs/block_queue.cuh")
