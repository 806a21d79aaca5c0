"""Searches of deep graphs in one launch of one thread-block cluster: levels, pairs and distances."""

from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import PREDECESSORS, Setting, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.bfs import TRACE_BACK, TracedBack
from retrace.solvers.solver import BLOCK_SIZE, SPOILT
from retrace_today.cluster_parts import EVERY, KEEPS, ClusterSearch
from retrace_today.contraction import CONTRACT, Contraction
from retrace_today.fewer_arcs import join_path
from retrace_today.packed_arcs import Cut, DeviceCut
from retrace_today.positive_pass import PositivePass

SAMPLED = 1024
"""Arcs of which the mean weight is taken, about."""
NO_SEED = np.int32(-1), np.uint32(UNREACHABLE)
"""A vertex and a distance with which no search begins."""
WANTED = 2
"""What the cluster's kernel tells the host if it wants path-pass.cu; 1 if it does not."""


class ClusterBFS(TracedBack, ClusterSearch):
    """One launch of one cluster, for deep graphs: the frontier is bits in the shared memory of its blocks.

    A block has a part of the vertices. It sets the bits of a vertex's heads in the blocks that own them; one
    barrier of the cluster ends a level. Levels, in 16 bits, and arcs, in 21, are in shared memory
    too if they fit. Predecessors, if wanted, are found by a pass over all arcs.
    """

    name = "bfs/cluster"
    implements = "our own kernel: a level is a round of one thread-block cluster"
    pass_source = "retrace_today/bfs/predecessor-pass.cu"
    more_sources = (*ClusterSearch.more_sources, pass_source, TRACE_BACK)
    in_shared = ("marks", "state", "arcs")
    settings: ClassVar[Settings] = {**ClusterSearch.settings, "every": EVERY, **PREDECESSORS}

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.count, self.mapped_count = self.device.mapped(1, np.int32)
        if self.finds_predecessors:
            self.take = self.device.load(self.pass_source).kernel("take_level_predecessors")

    def fit_cut(self, cut: Cut) -> None:
        marks, arcs = 2 * 4 * cut.words, cut.short_bytes(0)
        levels = marks + 2 * cut.positions
        self.fit(cut, marks, levels, None if arcs is None else levels + arcs)

    def state_bytes(self, graph: CSRGraph, cut: Cut) -> int:
        return 4 * (graph.vertices * (1 + self.finds_predecessors) + cut.count * cut.positions)

    def keep(self, cut: DeviceCut) -> None:
        self.vertex_at = cut.vertex_at()
        if self.finds_predecessors:
            self.arcs = list(cut.ways[0])

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.level = self.device.empty(self.graph.vertices, np.int32)
        if self.finds_predecessors:
            self.found = self.device.empty(self.graph.vertices, np.int32)

    def solve(self, query: Query) -> int:
        numbers, answer = map(np.int32, (query.source, self.number("every"))), (self.level, self.mapped_count)
        self.launch(*self.records, self.place, *numbers, self.vertex_at, *answer)
        if self.finds_predecessors:
            vertices = self.graph.vertices
            blocks = -(-vertices // BLOCK_SIZE)
            self.take(blocks, BLOCK_SIZE, np.int32(vertices), *self.arcs, self.level, self.found)
        self.device.synchronize()
        return int(self.count[0])

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            self.predecessor = self.device.download(self.found)
        return self.device.download(self.level)


class ClusterSTCON(ClusterSearch):
    """One launch of one cluster, for deep graphs: each of its rounds is a level of both searches.

    A vertex that both have reached tells the length. Only the bits of visited vertices are kept; for a path,
    also a label of each vertex, in 16 bits of shared memory if they fit. In the labels a short search finds
    the path's arcs itself; for a longer one a pass over all arcs does.
    """

    name = "stcon/cluster"
    implements = "our own kernel: two searches, level by level, in one thread-block cluster"
    pass_source = "retrace_today/stcon/path-pass.cu"
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
        self.answer, self.mapped_answer = self.device.mapped(1, np.uint64)
        if self.finds_predecessors:
            self.find_path = self.device.load(self.pass_source).kernel("find_path")

    def ways(self, graph: CSRGraph) -> list[CSRGraph]:
        backward = graph.reversed()
        return [graph] if backward is graph else [graph, backward]

    def fit_cut(self, cut: Cut) -> None:
        marks, arcs = 4 * 4 * cut.words, [cut.short_bytes(way) for way in range(cut.number_of_ways)]
        state = marks + 2 * cut.positions if self.finds_predecessors else marks
        needs = marks, state, None if None in arcs else state + sum(filter(None, arcs))
        self.fit(cut, *(need for kept, need in zip(KEEPS, needs, strict=True) if kept in self.in_shared))

    def state_bytes(self, graph: CSRGraph, cut: Cut) -> int:
        return 4 * (2 * graph.arcs + 3 * cut.count * cut.positions + 3) if self.finds_predecessors else 0

    def keep(self, cut: DeviceCut) -> None:
        self.records *= 2 // cut.number_of_ways  # an undirected graph is given to the kernel twice
        if self.finds_predecessors:
            self.vertex_at, self.arcs = cut.vertex_at(), cut.index_ends(0)

    def upload(self, query: Query) -> None:
        super().upload(query)
        device, places = self.device, self.blocks * self.positions if self.finds_predecessors else 0
        self.labels = device.empty(places + 1, np.uint32)
        self.path_length = device.view(self.labels, places, 1)
        self.path = device.empty(places, np.int32), device.empty(1, np.uint64)
        for array in self.path:  # of which a search writes its path alone, and the host reads all
            device.fill(array, 0)

    def solve(self, query: Query) -> int:
        assert query.target is not None
        numbers = map(np.int32, (query.source, query.target, self.number("every")))
        self.answer[0] = 0
        self.launch(*self.records, self.place, *numbers, self.mapped_answer, self.labels, *self.path)
        word = self.device.wait_for(self.answer)  # length: 32 bits; WANTED or not: 2; rounds
        self.used_pass = word >> 32 & 3 == WANTED
        if self.used_pass:
            number, grid = np.int32(self.graph.arcs), max(1, -(-self.graph.arcs // BLOCK_SIZE))
            self.find_path(grid, BLOCK_SIZE, number, *self.arcs, self.labels, self.path_length, *self.path)
            self.device.synchronize()
            word = int(self.answer[0])
        self.from_vertex, self.length = query.source, word % 2**32
        return word >> 34

    def forget(self) -> None:
        self.length = SPOILT

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            self.predecessor = self.download_path()
        return np.array([self.length], dtype=np.int32)

    def download_path(self) -> Int32Array:
        """Return the predecessors of the path's vertices, and -1 of all others."""
        toward_end, (joint,) = map(self.device.download, self.path)
        predecessor = np.full(self.graph.vertices, -1, np.int32)
        if 0 < self.length < UNREACHABLE:
            vertex_at = self.device.download(self.vertex_at)
            source = int(np.flatnonzero(vertex_at == self.from_vertex)[0])
            path = join_path(toward_end, divmod(int(joint), 1 << 32), self.length, source)
            after = np.flatnonzero(path >= 0)
            predecessor[vertex_at[after]] = vertex_at[path[after]]
        return predecessor

    def observed(self) -> dict[str, float]:
        """Return also, if there is a path to find, whether a pass over all arcs did."""
        used = {"used_pass": int(self.used_pass)} if self.finds_predecessors else {}
        return super().observed() | used


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
        self.counts, self.mapped_counts = self.device.mapped(2, np.int32)
        self.unfold, self.lower = self.load_kernels("unfold", "lower")
        if self.finds_predecessors:
            self.load_pass(graph)

    def ways(self, graph: CSRGraph) -> list[CSRGraph]:
        searched = graph
        if self.is_contracted:
            self.contraction = Contraction.of(graph)
            searched = self.contraction.core
        self.delta = np.uint32(bucket_width(searched, self.number("width")))
        return [searched]

    def fit_cut(self, cut: Cut) -> None:
        marks = 4 * cut.words
        self.fit(cut, marks, marks + 2 * 4 * cut.positions)
        self.global_state = 1 if self.kept == "state" else 2 * cut.count * cut.positions

    def state_bytes(self, graph: CSRGraph, cut: Cut) -> int:
        arcs = graph.vertices + 1 + 2 * graph.arcs if self.finds_predecessors and self.is_contracted else 0
        chains = 4 * graph.vertices + self.contraction.core.vertices if self.is_contracted else 0
        answers, places = graph.vertices * (1 + self.finds_predecessors), cut.count * cut.positions
        return 4 * (answers + places + self.global_state + arcs + chains)

    def keep(self, cut: DeviceCut) -> None:
        device, names = self.device, None
        if self.is_contracted:
            names = device.upload(self.contraction.anchors)
            self.chains = device.upload(self.contraction.ways.ravel())
        self.vertex_at = cut.vertex_at(names)
        if self.finds_predecessors:
            self.arcs = self.upload_arcs(self.graph) if self.is_contracted else list(cut.ways[0])

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.state = self.device.empty(self.global_state, np.uint32)
        self.answer = self.device.empty(self.graph.vertices, np.int32)
        if self.finds_predecessors:
            self.found = self.device.empty(self.graph.vertices, np.int32)

    def solve(self, query: Query) -> int:
        graph, widths = (*self.records, self.place), (self.delta, np.int32(self.number("patience")))
        state = self.vertex_at, self.state, self.answer, self.mapped_counts
        if self.is_contracted:
            anchors, others = self.contraction.reach_anchors(query.source)
            numbers = self.contraction.number[anchors[:, 0]]
            seeds = [*zip(numbers, anchors[:, 1].astype(np.uint32), strict=True), NO_SEED, NO_SEED]
            self.launch(*graph, *seeds[0], *seeds[1], *widths, *state)
            self.reach_others(others)
        else:
            self.launch(*graph, np.int32(query.source), np.uint32(0), *NO_SEED, *widths, *state)
        if self.finds_predecessors:
            self.find_tree(self.graph, query.source)
        self.device.synchronize()
        turns, self.buckets = self.counts.tolist()
        return int(turns)

    def reach_others(self, reached: Int32Array) -> None:
        """Find the distances of vertices that are no anchors; those that were `reached` may be less."""
        vertices, count = self.graph.vertices, len(reached)
        self.unfold(self.grid(vertices), self.block_size, np.int32(vertices), self.chains, self.answer)
        if count:
            pairs = self.device.upload(reached.ravel())
            self.lower(self.grid(count), self.block_size, np.int32(count), pairs, self.answer)

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            self.predecessor = self.device.download(self.found)
        return self.device.download(self.answer)

    def observed(self) -> dict[str, float]:
        """Return also the width of a bucket, their number, and if the distances were in shared memory."""
        quantities = {
            "delta": int(self.delta),
            "buckets": self.buckets,
            "state_in_shared": int(self.kept == "state"),
        }
        if self.is_contracted:
            quantities |= {
                "anchors": self.contraction.core.vertices,
                "anchor_arcs": self.contraction.core.arcs,
            }
        return {**super().observed(), **quantities}
