"""St-connectivity: the fewest arcs that lead from a source to a target.

Two breadth-first searches, a red one from the source and a green one from the target, proceed until they
meet. Where one search from the source would visit every vertex up to the target's level, each of the two
visits those up to half of it. In a directed graph green follows the arcs backwards. SciPy has no such search.
With predecessors=yes the answer is a path: `predecessors` has those of its vertices, and -1 of all others.
"""

from ctypes import c_longlong
from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import PREDECESSORS, Settings
from retrace.devices.host import c_graph, host_function, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query, Subject
from retrace.solvers.cluster_parts import EVERY, KEEPS, ClusterSearch
from retrace.solvers.libraries import IgraphPeer, NetworKitPeer
from retrace.solvers.solver import BLOCK_SIZE, DeviceSolver, HostSolver, only

LARGEST_INT64 = 2**63 - 1
RED_LENGTH, GREEN_LENGTH, MET, MORE = range(4)  # the entries of `state` in the kernel file
WANTED = 2
"""What the cluster's kernel tells the host if it wants path-pass.cu; 1 if it does not."""


def join_path(toward_end: Int32Array, joint: tuple[int, int], length: int, source: int) -> Int32Array:
    """Return the predecessors of a path's vertices, shape (vertices,), -1 of all others.

    The path has `length` arcs, one of which is `joint`. `toward_end` has the vertex before each one between
    the source and this arc, and the vertex after each one between the arc and the target.
    """
    predecessor = np.full_like(toward_end, -1)
    before, after = joint
    predecessor[after] = before
    for _ in range(length - 1):  # no longer, however wrong a kernel is
        if before != source:
            predecessor[before] = toward_end[before]
            before = int(toward_end[before])
        else:
            predecessor[toward_end[after]] = after
            after = int(toward_end[after])
    return predecessor


class TwoQueuesSTCON(HostSolver):
    """Two sequential breadth-first searches that take turns, level by level.

    The first vertex that both have visited lies on a shortest path (taking turns by vertices, it need not).
    """

    name = "stcon/two-queues"
    implements = "bsp-suite, Algorithm 3.4"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.backward = graph.reversed()
        self.c_backward = c_graph(self.backward)
        self.allocate_answer(1)

    def solve(self, query: Query) -> int:
        ends = query.source, query.target
        return int(self.function(self.c_graph, self.c_backward, *ends, self.c_answer))


class FewerArcsSTCON(TwoQueuesSTCON):
    """Two sequential searches, of which the one whose frontier has fewer arcs goes on.

    In a graph of few levels they meet before either has reached the widest level. I. Pohl, "Bi-directional
    Search", Machine Intelligence 6, 1971.
    """

    name = "stcon/fewer-arcs"
    implements = "Pohl, Bi-directional Search, 1971, by the arcs of a frontier"
    settings: ClassVar[Settings] = PREDECESSORS
    repeats = True

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        sizes = graph.vertices, 2 * graph.vertices, 1
        self.kept = [np.zeros(size, dtype=np.int32) for size in sizes]  # marks, queues and the greatest mark
        self.written = [self.answer]
        if self.finds_predecessors:
            self.function = host_function(self.source, f"{self.symbol}_path")
            self.written += [np.zeros(size, dtype=np.int32) for size in (graph.vertices, 2)]
        self.c_arrays = [pointer(array) for array in self.kept + self.written]

    def solve(self, query: Query) -> int:
        levels = self.search(query, LARGEST_INT64)
        assert levels is not None
        return levels

    def search(self, query: Query, most: int) -> int | None:
        """Return the number of levels searched; None if `most` arcs do not tell the answer."""
        limits = query.source, query.target, c_longlong(most)
        levels = int(self.function(self.c_graph, self.c_backward, *limits, *self.c_arrays))
        self.from_vertex = query.source
        return None if levels < 0 else levels

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            _, toward_end, joint = self.written
            self.predecessor = np.full_like(toward_end, -1)
            if 0 < (length := int(self.answer[0])) < UNREACHABLE:
                self.predecessor = join_path(toward_end, tuple(joint.tolist()), length, self.from_vertex)
        return self.answer


class BspSTCON(DeviceSolver):
    """Two bulk-synchronous kernels a level, with one thread for each vertex: O(depth * vertices + arcs).

    The first kernel colours the neighbours of the frontier; the second makes them the next frontier and
    notices a vertex of both colours. Report bsp-suite, the first Algorithms 3.5 and 3.6.
    """

    name = "stcon/bsp"
    implements = "bsp-suite, first Algorithms 3.5 and 3.6"
    bytes_per_vertex = 10

    def memory_bytes(self, graph: Subject) -> int:
        backward = 0 if graph.info.get("directed") is False else 4 * (graph.vertices + 1 + graph.arcs)
        return super().memory_bytes(graph) + backward

    def setup(self, graph: CSRGraph) -> None:
        self.forward, self.backward = graph, graph.reversed()
        self.kernel1, self.kernel2 = self.load_kernels("stcon_kernel1", "stcon_kernel2")

    def upload(self, query: Query) -> None:
        assert query.target is not None
        device = self.device
        red, green = only(query.source, self.forward), only(query.target, self.forward)
        forward = self.upload_arcs(self.forward)
        backward = forward if self.backward is self.forward else self.upload_arcs(self.backward)
        self.arcs = [*forward, *backward]
        self.frontier, self.red, self.green = (device.upload(array) for array in (red | green, red, green))
        self.updating = [device.upload(np.zeros_like(red)) for _ in ("frontier", "red", "green")]
        self.cost = device.upload(np.zeros(self.forward.vertices, dtype=np.int32))
        self.state = device.upload(np.zeros(4, dtype=np.int32))

    def solve(self, query: Query) -> int:
        vertices = np.int32(self.forward.vertices)
        grid, block = self.grid(self.forward.vertices), self.block_size
        state = np.zeros(4, dtype=np.int32)
        state[MORE] = query.source != query.target
        vectors = self.frontier, self.red, self.green, *self.updating, self.cost, self.state
        iterations = 0
        while state[MORE] and not state[MET]:
            state[MORE] = 0
            self.device.write(self.state, state)
            self.kernel1(grid, block, vertices, *self.arcs, *vectors)
            self.kernel2(grid, block, vertices, *vectors)
            self.device.read(self.state, state)
            iterations += 1
        met = query.source == query.target or state[MET]
        self.length = int(state[RED_LENGTH] + state[GREEN_LENGTH]) if met else UNREACHABLE
        return iterations

    def download(self) -> Int32Array:
        return np.array([self.length], dtype=np.int32)


class ClusterSTCON(ClusterSearch):
    """One launch of one cluster, for deep graphs: each of its rounds is a level of both searches.

    A vertex that both have reached tells the length. Only the bits of visited vertices are kept; for a path,
    also a label of each vertex, in 16 bits of shared memory if they fit. In the labels a short search finds
    the path's arcs itself; for a longer one a pass over all arcs does.
    """

    name = "stcon/cluster"
    implements = "our own kernel: two searches, level by level, in one thread-block cluster"
    pass_source = "stcon/path-pass.cu"
    more_sources = (*ClusterSearch.more_sources, pass_source)
    in_shared: tuple[str, ...] = ("marks", "arcs")
    used_pass = False
    """Whether the last search left its path to the pass."""
    settings: ClassVar[Settings] = {**ClusterSearch.settings, "every": EVERY, **PREDECESSORS}

    def kernel_prefix(self) -> str:
        return "cluster_stcon_labelled" if self.finds_predecessors else "cluster_stcon"

    def setup(self, graph: CSRGraph) -> None:
        if self.finds_predecessors:
            self.in_shared = KEEPS
        super().setup(graph)
        if self.finds_predecessors:
            self.find_path = self.device.load(self.pass_source).kernel("find_path")

    def prepare(self, graph: CSRGraph) -> None:
        parts = self.parts = self.cut(graph)
        backward = graph.reversed()
        ways = [graph] if backward is graph else [graph, backward]
        marks, arcs = 4 * 4 * parts.words, [parts.short_bytes(way) for way in ways]
        state = marks + 2 * parts.positions if self.finds_predecessors else marks
        needs = marks, state, None if None in arcs else state + sum(filter(None, arcs))
        self.fit(parts, *(need for kept, need in zip(KEEPS, needs, strict=True) if kept in self.in_shared))
        records = parts.short_records if self.kept == "arcs" else parts.long_records
        self.arrays = [array for way in ways for array in records(way)]
        self.copies = 2 // len(ways)  # an undirected graph is given to the kernel twice
        self.state_bytes = 0
        if self.finds_predecessors:
            places = parts.count * parts.positions
            self.state_bytes = 4 * (2 * graph.arcs + 2 * places + 3)

    def upload(self, query: Query) -> None:
        super().upload(query)
        device, parts, places = self.device, self.parts, 0
        self.answer, self.mapped_answer = device.mapped(1, np.uint64)
        if self.finds_predecessors:
            places = parts.count * parts.positions
            index = parts.index_of(np.arange(self.graph.vertices, dtype=np.int32))
            self.arcs = [device.upload(index[ends]) for ends in (self.graph.tails(), self.graph.indices)]
        self.labels = device.empty(places + 1, np.uint32)
        self.path_length = device.view(self.labels, places, 1)
        self.path = device.empty(places, np.int32), device.empty(1, np.uint64)
        for array in self.path:  # of which a search writes its path alone, and the host reads all
            device.fill(array, 0)

    def solve(self, query: Query) -> int:
        assert query.target is not None
        ends = self.parts.place[query.source], self.parts.place[query.target]
        every, found = np.int32(self.number("every")), (self.labels, *self.path)
        self.answer[0] = 0
        self.launch(*self.copies * self.buffers, *ends, every, self.mapped_answer, *found)
        told = self.device.wait_for(self.answer)  # length: 32 bits; WANTED or not: 2; rounds
        self.used_pass = told >> 32 & 3 == WANTED
        if self.used_pass:
            number, grid = np.int32(self.graph.arcs), max(1, -(-self.graph.arcs // BLOCK_SIZE))
            self.find_path(grid, BLOCK_SIZE, number, *self.arcs, self.labels, self.path_length, *self.path)
            self.device.synchronize()
            told = int(self.answer[0])
        self.from_vertex, self.length = query.source, told % 2**32
        return told >> 34

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            self.predecessor = self.download_path()
        return np.array([self.length], dtype=np.int32)

    def download_path(self) -> Int32Array:
        """Return the predecessors of the path's vertices, and -1 of all others."""
        toward_end, (joint,) = map(self.device.download, self.path)
        predecessor = np.full(self.graph.vertices, -1, np.int32)
        if 0 < self.length < UNREACHABLE:
            vertex_at, source = self.parts.vertex_at(self.graph), int(self.parts.index_of(self.from_vertex))
            path = join_path(toward_end, divmod(int(joint), 1 << 32), self.length, source)
            after = np.flatnonzero(path >= 0)
            predecessor[vertex_at[after]] = vertex_at[path[after]]
        return predecessor

    def observed(self) -> dict[str, float]:
        """Return also, if there is a path to find, whether a pass over all arcs did."""
        used = {"used_pass": int(self.used_pass)} if self.finds_predecessors else {}
        return super().observed() | used


class IgraphSTCON(IgraphPeer):
    """The length by igraph, which searches from the source alone."""

    name = "stcon/igraph"
    implements = "igraph.Graph.distances(source, target)"

    def solve(self, query: Query) -> None:
        self.lengths = self.graph.distances(source=query.source, target=query.target)[0]


class NetworKitSTCON(NetworKitPeer):
    """The length by NetworKit's bidirectional breadth-first search."""

    name = "stcon/networkit"
    implements = "networkit.distance.BidirectionalBFS"

    def solve(self, query: Query) -> None:
        ends = query.source, query.target
        search = self.load().distance.BidirectionalBFS(self.graph, *ends, storePred=False)
        search.run()
        self.lengths = search.getDistance()
