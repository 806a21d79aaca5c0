"""Breadth-first search on a device: the level of every vertex."""

from __future__ import annotations

import numpy as np

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.solvers.bulk_synchronous import BulkSynchronous
from retrace.solvers.registry import REGISTRY, DeviceSolver, Query


@REGISTRY.add
class BspBFS(BulkSynchronous):
    """Two bulk-synchronous kernels a level."""

    name = "bfs/bsp"
    implements = "bsp-suite, Algorithms 3.2 and 3.3"
    sources = ("bfs/bsp.cu",)
    kernels = ("bfs_kernel1", "bfs_kernel2")
    bytes_per_vertex = 7

    def upload(self, query: Query) -> None:
        """Send the graph; the source is the frontier, visited, and at level 0."""
        graph, device = self.graph, self.device
        only_source = np.zeros(graph.vertices, dtype=np.bool_)
        only_source[query.source] = True
        level = np.full(graph.vertices, UNREACHABLE, dtype=np.int32)
        level[query.source] = 0
        arcs = device.upload(graph.indptr), device.upload(graph.indices)
        frontier, visited = device.upload(only_source), device.upload(only_source)
        updating = device.upload(np.zeros_like(only_source))
        self.answer = device.upload(level)
        vertices, more = np.int32(graph.vertices), device.empty(1, np.int32)
        self.arguments = (
            (vertices, *arcs, visited, frontier, updating, self.answer),
            (vertices, frontier, updating, visited, more),
        )


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
        block = self.block_size
        previous, current = self.frontiers
        frontier = np.ones(1, dtype=np.int32)
        levels = 0
        while frontier[0]:
            self.expand(
                self.grid(int(frontier[0])), block, previous, self.previous_tail, current, self.tail,
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
