"""Breadth-first search: the level of every vertex, that is the fewest arcs that lead to it from the source.

All solvers take O(vertices + arcs) time except `bfs/bsp`, which inspects every vertex once a level, and
`bfs/scipy`.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from cuda_device import memory
from cuda_device.errors import TooLargeError
from cuda_device.host_loop import HostLoop
from cuda_device.interface import Device
from retrace.catalogue.setting import LOOP, Setting, Settings
from retrace.devices.host import function_of, host_function, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.solver import (
    BulkSynchronous,
    DeviceSolver,
    HostSolver,
    Solver,
    fill_but_one,
    only,
    unreached,
)

TRACE_BACK = "host/bfs_trace_back.cpp"
MOST_IN_MATRIX = 1 << 15
"""Vertices of the largest adjacency matrix, of 1 GiB."""


class TracedBack(Solver):
    """A search whose predecessors are found in its levels, as the slides of hong-bfs trace a path.

    No report's search stores them, so finding them, on the host, is no part of what is timed. Trials repeat
    the same levels, whose predecessors are found once. A search that has found predecessors by itself, as
    part of `solve`, hands out its own.
    """

    more_sources: ClassVar[tuple[str, ...]] = (TRACE_BACK,)
    graph: CSRGraph

    def __init__(self, *device: Device) -> None:
        super().__init__(*device)
        self.last: dict[str, Int32Array] = {}  # levels and their predecessors; copies of this solver share it

    def predecessors(self) -> Int32Array:
        if self.predecessor is not None:
            return self.predecessor
        level = np.ascontiguousarray(self.download())
        if not self.last or not np.array_equal(level, self.last["level"]):
            predecessor = np.empty_like(level)
            function_of(self.graph, TRACE_BACK, "trace_back")(pointer(level), pointer(predecessor))
            # copied: a host solver answers in the same memory
            self.last.update(level=level.copy(), predecessor=predecessor)
        return self.last["predecessor"].copy()

    def found_predecessors(self) -> Int32Array | None:
        return self.predecessor


class QueueBFS(TracedBack, HostSolver):
    """Sequential, with a first-in, first-out queue that each vertex enters once, when its level is found."""

    name = "bfs/queue"
    implements = "bsp-suite, Algorithm 3.1"


class TwoFrontierBFS(TracedBack, HostSolver):
    """Sequential, with an array of vertices for this level and one for the next, which swap."""

    name = "bfs/two-frontier"
    implements = "hong-bfs, BFS_sequential"

    def download(self) -> Int32Array:
        return np.where(self.answer < 0, UNREACHABLE, self.answer)


class MatrixBFS(TwoFrontierBFS):
    """`bfs/two-frontier` on the adjacency matrix: each vertex reads its whole row, so O(vertices^2) work.

    An element takes a byte. The matrix is made in `setup`; a record has its size and that of the CSR arrays.
    """

    name = "bfs/matrix"
    implements = "hong-bfs, Representation of a Graph, with BFS_sequential"

    def setup(self, graph: CSRGraph) -> None:
        if graph.vertices > MOST_IN_MATRIX:
            gib = graph.vertices**2 / 2**30
            raise TooLargeError(f"the matrix takes {gib:.1f} GiB of memory, expected 1 GiB at most")
        memory.require(graph.vertices**2, memory.available(), "memory")
        super().setup(graph)
        self.matrix = np.zeros(graph.vertices**2, dtype=np.bool_)
        self.c_matrix = pointer(self.matrix)
        host_function(self.source, "bfs_matrix_fill", returns=None)(self.c_graph, self.c_matrix)

    def solve(self, query: Query) -> int:
        return int(self.function(self.graph.vertices, self.c_matrix, query.source, self.c_answer))

    def observed(self) -> dict[str, float]:
        reached = int(np.count_nonzero(self.answer >= 0))
        csr = self.graph.indptr.nbytes + self.graph.indices.nbytes
        read = reached * self.graph.vertices
        return {"matrix_bytes": self.matrix.nbytes, "csr_bytes": csr, "elements_read": read}


class BspBFS(TracedBack, BulkSynchronous):
    """Two bulk-synchronous kernels a level, with one thread for each vertex: O(depth * vertices + arcs) work.

    The first kernel writes the level of the frontier's unvisited neighbours and marks them; the second makes
    the marked vertices the next frontier. Report bsp-suite, Algorithms 3.2 and 3.3.
    """

    name = "bfs/bsp"
    implements = "bsp-suite, Algorithms 3.2 and 3.3"
    kernels = ("bfs_kernel1", "bfs_kernel2")
    bytes_per_vertex = 7

    def upload(self, query: Query) -> None:
        graph, device = self.graph, self.device
        only_source = only(query.source, graph)
        arcs, vertices = self.upload_arcs(graph), np.int32(graph.vertices)
        frontier, visited = device.upload(only_source), device.upload(only_source)
        updating, more = device.upload(np.zeros_like(only_source)), device.empty(1, np.int32)
        self.answer = device.upload(unreached(graph, query.source))
        self.masks = frontier, visited, updating
        self.frontier = frontier
        of_first = vertices, *arcs, visited, frontier, updating, self.answer
        self.alternate(of_first, (vertices, frontier, updating, visited), more)

    def begin_again(self, query: Query) -> None:
        *of_source, updating = self.masks
        self.device.fill(updating, False)
        for mask in of_source:
            fill_but_one(self.device, mask, False, query.source, True)
        fill_but_one(self.device, self.answer, UNREACHABLE, query.source, 0)


class CountedBspBFS(BspBFS):
    """`bfs/bsp` with a kernel before each iteration that counts how often each vertex is expanded."""

    name = "bfs/bsp-counted"
    more_sources = ("bfs/count-frontier.cu", TRACE_BACK)
    bytes_per_vertex = 11
    settings: ClassVar[Settings] = DeviceSolver.settings

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.count = self.device.load(self.more_sources[0]).kernel("count_frontier")

    def upload(self, query: Query) -> None:
        super().upload(query)
        vertices = self.graph.vertices
        self.times = self.device.upload(np.zeros(vertices, dtype=np.int32))
        arguments = np.int32(vertices), self.frontier, self.times
        counting = self.pack(self.count, self.grid(vertices), *arguments)
        (both,) = self.loop.rounds
        self.loop = replace(self.loop, rounds=[[counting, *both]])

    def observed(self) -> dict[str, float]:
        times = self.device.download(self.times)
        reached = np.count_nonzero(self.download() != UNREACHABLE)
        return {"expansions": int(times.sum()), "most_expansions": int(times.max()), "reached": int(reached)}


class BlockQueueBFS(TracedBack, DeviceSolver):
    """A queue of the frontier, one thread for each vertex in it, a launch a level: O(vertices + arcs) work.

    A block queues what it discovers in shared memory, and appends that to the next frontier with one atomic
    addition; a vertex that finds the queue full is appended by itself. The slides give no size of the queue.
    Corrected: the length of a full queue is limited when it is read (docs/errata.md).
    """

    name = "bfs/block-queue"
    implements = "hong-bfs, BFS_Bqueue_kernel"
    bytes_per_vertex = 16
    repeats = True
    settings: ClassVar[Settings] = {
        **DeviceSolver.settings,
        "block_queue_size": Setting(512, "entries of a block's queue in shared memory", most=12_000),
        **LOOP,
    }

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        names = ("block_queue_start", "block_queue_expand", "block_queue_next")
        self.start, self.expand, self.next = self.load_kernels(*names)

    def upload(self, query: Query) -> None:
        graph, device = self.graph, self.device
        arcs = self.upload_arcs(graph)
        self.label = device.upload(np.full(graph.vertices, -1, dtype=np.int32))
        self.visited = device.upload(np.zeros(graph.vertices, dtype=np.int32))
        frontiers = [device.empty(graph.vertices, np.int32) for _ in ("previous", "current")]
        previous_tail, tail = device.empty(1, np.int32), device.empty(1, np.int32)
        self.marked = frontiers[0], previous_tail, tail, self.label, self.visited
        self.start(1, 1, np.int32(query.source), *self.marked)
        size = np.int32(self.number("block_queue_size"))
        expand, back = (
            self.pack(
                self.expand, None, previous, previous_tail, current, tail, *arcs, self.label, self.visited,
                size, shared=size.nbytes * int(size),
            )
            for previous, current in (frontiers, frontiers[::-1])
        )  # fmt: skip
        following = self.next.with_arguments(1, 1, previous_tail, tail, cooperative=False)
        rounds = [[expand], [following, back], [following, expand]]
        self.loop = HostLoop(rounds=rounds, recurring=2, state=tail, seen=np.ones(1, np.int32))

    def begin_again(self, query: Query) -> None:
        self.device.fill(self.label, -1)
        self.device.fill(self.visited, 0)
        self.start(1, 1, np.int32(query.source), *self.marked)

    def solve(self, query: Query) -> int:
        self.loop.seen.fill(1)  # the frontier is the source
        return self.repeat(self.loop).iterations

    def download(self) -> Int32Array:
        label = self.device.download(self.label)
        label[label < 0] = UNREACHABLE
        return label


class PublishedBlockQueueBFS(BlockQueueBFS):
    """`bfs/block-queue` as printed in report hong-bfs: a thread that finds the queue full resets its length.

    That plain write competes with the atomic additions of other threads (docs/errata.md).
    """

    name = "bfs/block-queue-published"
