"""Searches of graphs larger than the device: arcs stay in the memory of the host, vertices are on the device.

Kernels read the arcs of frontier vertices over the link. S. W. Min, V. S. Mailthody, Z. Qureshi, J. Xiong,
E. Ebrahimi and W. Hwu, "EMOGI: Efficient Memory-access for Out-of-memory Graph-traversal in GPUs", VLDB 2020.
"""

from ctypes import c_longlong
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device import memory
from cuda_device.gpu_limits import Needs
from cuda_device.interface import Buffer, Kernel, Module
from retrace.catalogue.setting import Setting, Settings
from retrace.devices.host import loaded_library, pointer
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import SHARE
from retrace.solvers.betweenness.conventions import count_pairs_once, extrapolate, too_many_paths
from retrace.solvers.bfs import TracedBack
from retrace.solvers.solver import WARP, DeviceSolver
from retrace_today.betweenness.graph_on_device import SEARCH_CLUSTER, searches_at_once
from retrace_today.frontier import ENTRY, NearFarSSSP, PackedSearch, choose_delta, require_entries

COPY_ARCS = "retrace_today/host/copy_arcs.cpp"
LINE, SECTOR = 128, 32
"""Bytes of the largest and of the smallest request over the link."""

SWEEP: Settings = {
    "sweep": Setting(
        256, "arcs are read in their order if a level has 1 / sweep of the vertices; 0: never", least=0
    ),
}


class HostArcsSearch(DeviceSolver):
    """A search whose arcs are in page-locked memory of the host, which kernels read.

    `upload` allocates that memory, off the clock, and copies the arcs into it. Offsets of arcs have 64 bits.
    """

    more_sources: ClassVar[tuple[str, ...]] = (COPY_ARCS,)
    settings: ClassVar[Settings] = {
        **DeviceSolver.settings,
        "lines": Setting(16, "most lines of 128 bytes of an entry of the frontier"),
    }
    wide = True
    page_locks = True
    repeats = True
    read_by: ClassVar[str]
    """The kernel that reads arcs."""
    arc_bytes: ClassVar[int]
    """What is read of an arc: its head, and its weight if there are 8."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.require_whole_warps()
        require_entries(self.entries_of(graph), f"set more lines than {self.number('lines')}")
        self.copying = loaded_library(COPY_ARCS)
        self.offsets = graph.indptr.astype(np.uint64)
        memory.require(self.arc_bytes * graph.arcs, memory.available(), "memory")
        self.module = self.device.load(self.source)

    def copy_arcs(self) -> None:
        """Copy the heads into `host`, or heads and weights side by side."""
        weights = self.graph.weights if self.arc_bytes == 8 else None
        arrays = self.graph.indices, weights, self.host
        self.copying.copy_arcs(c_longlong(self.graph.arcs), *map(pointer, arrays))

    def upload(self, query: Query) -> None:
        self.arcs: tuple[Any, ...] = ()  # frees those of the last query
        device, words = self.device, np.dtype(f"u{self.arc_bytes}")
        self.host: NDArray[Any]
        self.host, mapped = device.page_lock(device.mapped, self.graph.arcs, words)
        began = perf_counter()
        self.copy_arcs()
        self.prepare_ms = (perf_counter() - began) * 1e3
        self.arcs = device.upload(self.offsets), mapped, np.uint32(self.number("lines"))
        self.drawn = self.count_draws(1)
        self.length = self.device.empty(1, np.uint32)
        self.traffic = self.device.empty(2, np.uint64)

    def count_draws(self, searches: int) -> Buffer:
        """Return what counts the shares of a sweep of each search at a time."""
        return self.device.upload(np.zeros(searches, np.uint32))

    def entries_of(self, graph: CSRGraph) -> int:
        """Count each vertex once, and one more for every `lines` ends of a line that lie within a row."""
        return graph.vertices + graph.arcs // (LINE // self.arc_bytes * self.number("lines"))

    def read_number(self, buffer: Buffer) -> int:
        """Wait for the kernels; return the only element of a buffer."""
        return int(self.device.download(buffer)[0])

    def observed(self) -> dict[str, float]:
        """Return the bytes and lines that the last solve read over the link, and the ms to copy the arcs.

        A line counts as often as a warp has read from it; of its bytes, those in sectors that hold arcs.
        """
        lines, sectors = self.device.download(self.traffic).tolist()
        return {"link_bytes": SECTOR * sectors, "link_lines": lines, "prepare_ms": self.prepare_ms}


class HostArcsBFS(TracedBack, HostArcsSearch):
    """A queue of the frontier, a warp for each vertex in it and a launch a level: O(vertices + arcs) work.

    The arcs of a level with many vertices are read in the order of their places.
    """

    name = "bfs/host-arcs"
    implements = "EMOGI, VLDB 2020, with a queue of the frontier, and in the order of the arcs"
    more_sources = (*TracedBack.more_sources, COPY_ARCS)
    settings: ClassVar[Settings] = {**HostArcsSearch.settings, **SWEEP}
    read_by = "expand"
    arc_bytes = 4

    def memory_bytes(self, graph: CSRGraph) -> int:
        """Count what is of vertices; the arcs are in the host's memory."""
        return 8 * (graph.vertices + 1) + 4 * graph.vertices + ENTRY.itemsize * self.entries_of(graph)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.start, self.expand, self.sweep, self.list = map(
            self.module.kernel, ("start", "expand", "sweep", "list")
        )
        resident = self.module.resident_blocks(self.read_by, self.block_size)
        self.most_threads = resident * self.block_size

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.level = self.device.empty(self.graph.vertices, np.int32)
        self.queue = self.device.empty(self.entries_of(self.graph), ENTRY)

    def solve(self, query: Query) -> int:
        self.device.fill(self.traffic, 0)
        self.each_vertex(self.start, np.int32(query.source), self.level, self.queue, self.length)
        begin, end, depth = 0, self.read_number(self.length), 0
        while begin < end:
            depth += 1
            if (end - begin) * self.number("sweep") < self.graph.vertices:
                level = np.uint32(begin), np.uint32(end), np.int32(depth), self.level
                self.each_entry(self.expand, end - begin, *level, self.queue, self.length, self.traffic)
                begin = end
            else:
                self.find_in_order(depth)
                begin = 0
            end = self.read_number(self.length)
        return depth

    def find_in_order(self, depth: int) -> None:
        """Find a level by the arcs of the one before in the order of their places; queue it."""
        vertices, lines = np.uint32(self.graph.vertices), -(-self.graph.arcs * self.arc_bytes // LINE)
        arguments = self.drawn, vertices, np.int32(depth), self.level, self.traffic
        self.each_entry(self.sweep, lines, *arguments)
        self.device.fill(self.length, 0)
        self.each_vertex(self.list, np.int32(depth), self.level, self.queue, self.length)

    def each_vertex(self, kernel: Kernel, *arguments: Any) -> None:
        """Launch a kernel with one thread for each vertex."""
        vertices = self.graph.vertices
        kernel(self.grid(vertices), self.block_size, np.int32(vertices), *self.arcs, *arguments)

    def each_entry(self, kernel: Kernel, entries: int, *arguments: Any) -> None:
        """Launch a kernel with a warp for each entry, or as many as run at the same time."""
        threads = min(entries * WARP, self.most_threads)
        kernel(self.grid(threads), self.block_size, *self.arcs, *arguments)

    def download(self) -> Int32Array:
        return self.device.download(self.level)


class HostArcsSSSP(HostArcsSearch, PackedSearch):
    """A near queue, whose arcs are relaxed in rounds, and a far pile, as `sssp/near-far` has them.

    If many vertices are near, their arcs are read in the order of their places, without a queue. `upload`
    puts the head and the weight of each arc side by side.
    """

    name = "sssp/host-arcs"
    needs = Needs(cooperative_launch=True)
    implements = "EMOGI, VLDB 2020, with the Near-Far Pile of IPDPS 2014, in one launch"
    settings: ClassVar[Settings] = {
        **HostArcsSearch.settings,
        **SWEEP,
        "rise": NearFarSSSP.settings["rise"],
    }
    read_by = "find_distances"
    arc_bytes = 8

    def memory_bytes(self, graph: CSRGraph) -> int:
        """Count what is of vertices; the arcs are in the host's memory."""
        bitmaps = 4 * 4 * -(-graph.vertices // WARP)
        queues = 2 * ENTRY.itemsize * self.entries_of(graph)
        return 8 * (graph.vertices + 1) + 8 * graph.vertices + bitmaps + queues

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.kernel = self.module.kernel(self.read_by)
        self.blocks = self.module.resident_blocks(self.read_by, self.block_size)
        self.seen, self.counts = self.device.mapped(2, np.int64)

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.delta = choose_delta(self.graph, self.number("rise"))
        device, words, entries = self.device, -(-self.graph.vertices // WARP), self.entries_of(self.graph)
        self.label = device.empty(self.graph.vertices, np.uint64)
        state = (
            np.uint32(self.delta), np.uint32(self.number("sweep")), self.label,
            device.empty(words, np.uint32), device.empty(3 * words, np.uint32),
            device.empty(2 * entries, ENTRY), np.uint32(entries), device.empty(4, np.uint32),
            device.empty(3, np.int32), self.traffic, self.counts,
        )  # fmt: skip
        self.pack_search(query, (np.int32(self.graph.vertices), *self.arcs, self.drawn), state)

    def solve(self, query: Query) -> int:
        self.launch()
        self.device.synchronize()
        rounds, self.limits = self.seen.tolist()
        return int(rounds)

    def download(self) -> Int32Array:
        predecessor, distance = self.device.download(self.label).view(np.int32).reshape(-1, 2).T
        self.predecessor = predecessor.copy()
        return distance.copy()

    def observed(self) -> dict[str, float]:
        """Return also delta, and how often the limit rose."""
        return {"delta": self.delta, "limits": self.limits, **super().observed()}


class HostArcsBetweenness(HostArcsSearch):
    """A search as `bfs/host-arcs` from each source, which counts paths, and back: arcs are read twice.

    A thread-block cluster searches from one source at a time, or a block where the GPU has no clusters. There
    are as many as the device runs at the same time, or as its free memory has room for, since each has arrays
    of its own, in doubles. Out and back, the arcs of a level with many vertices are read in the order of
    their places.
    """

    name = "betweenness/host-arcs"
    wide = False  # the simple graph is made by sorting all arcs
    implements = "Brandes' algorithm, with arcs read as in EMOGI, VLDB 2020, and in their order"
    settings: ClassVar[Settings] = {
        **HostArcsSearch.settings,
        "block_size": replace(DeviceSolver.settings["block_size"], default=1024),
        "sweep": replace(SWEEP["sweep"], default=64),  # docs/experiments, 54
        **SEARCH_CLUSTER,
    }
    read_by = "search_from_each"
    arc_bytes = 4
    turns = 32
    """Sources of each cluster in a launch, after which a signal can end the search."""

    def cluster_bytes(self, graph: CSRGraph) -> int:
        """Return the memory of one cluster in bytes."""
        arrays = (4 + 8 + 8) * graph.vertices + 4 * (graph.vertices + 1)
        return arrays + ENTRY.itemsize * self.entries_of(graph)

    def memory_bytes(self, graph: CSRGraph) -> int:
        """Count what is of vertices; the arcs are in the host's memory. The simple graph has fewer."""
        of_all = 8 * (graph.vertices + 1) + (8 + 4) * graph.vertices  # offsets, scores and sources
        free = self.device.free_memory() - of_all
        _, clusters = self.choose_clusters(self.device.load(self.source), graph, free)
        return of_all + clusters * self.cluster_bytes(graph)

    def choose_clusters(self, module: Module, graph: CSRGraph, free: int) -> tuple[int, int]:
        """Return the blocks of a cluster, and how many run at a time in so many bytes, at least one."""
        asked = self.number("cluster") or module.largest_cluster(self.read_by, self.block_size)
        blocks = max(1, min(asked, self.device.limits.cluster))
        resident = searches_at_once(module, self.read_by, self.block_size, blocks)
        return blocks, max(1, min(resident, int(SHARE * free) // self.cluster_bytes(graph)))

    def setup(self, graph: CSRGraph) -> None:
        super().setup(simplify(graph))
        self.kernel = self.module.kernel(self.read_by)

    def upload(self, query: Query) -> None:
        self.buffers: tuple[Buffer, ...] = ()  # frees the memory of the last query
        super().upload(query)
        device, vertices, entries = self.device, self.graph.vertices, self.entries_of(self.graph)
        self.score, self.overflow = device.empty(vertices, np.float64), device.empty(1, np.int32)
        self.blocks, most = self.choose_clusters(self.module, self.graph, device.free_memory())
        self.clusters = min(most, max(1, len(query.sources_in(self.graph))))
        self.drawn = self.count_draws(self.clusters)
        level, sigma, delta = (vertices, np.int32), (vertices, np.float64), (vertices, np.float64)
        queue, counts, begins = (entries, ENTRY), (3, np.uint32), (vertices + 1, np.uint32)
        self.buffers = tuple(
            device.empty(self.clusters * size, dtype)
            for size, dtype in (level, sigma, delta, queue, counts, begins)
        )

    def solve(self, query: Query) -> int:
        device = self.device
        for buffer, value in ((self.traffic, 0), (self.score, 0), (self.overflow, -1)):
            device.fill(buffer, value)
        sources = query.sources_in(self.graph)
        graph = np.int32(self.graph.vertices), *self.arcs, self.drawn, device.upload(sources.astype(np.int32))
        asked = np.uint32(self.number("sweep")), np.uint32(self.entries_of(self.graph))
        step = self.clusters * self.turns
        for first in range(0, len(sources), step):
            some = np.uint32(first), np.uint32(min(first + step, len(sources)))
            arguments = *graph, *some, *asked, *self.buffers, self.score, self.overflow, self.traffic
            grid = self.clusters * self.blocks
            cluster = self.blocks if self.blocks > 1 else None
            self.kernel(grid, self.block_size, *arguments, cluster=cluster)
            device.synchronize()
        if (source := self.read_number(self.overflow)) >= 0:
            raise too_many_paths(self.name, source, "a double and its inverse hold, 4.5e307")
        return len(sources)

    def download(self) -> NDArray[np.float64]:
        return count_pairs_once(self.device.download(self.score), self.graph)

    def observed(self) -> dict[str, float]:
        """Return also how many blocks a cluster has, and how many clusters searched at the same time."""
        return {"cluster_blocks": self.blocks, "clusters": self.clusters, **super().observed()}

    def predict_seconds(self, query: Query) -> float | None:
        sources = query.sources_in(self.graph)
        self.upload(query)

        def search(few: Int32Array) -> int:
            return self.solve(Query(sources=tuple(few.tolist())))

        search(sources[:1])
        return extrapolate(search, sources, self.clusters)
