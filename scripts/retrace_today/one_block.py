"""Searches of deep graphs in one ordinary launch of one block, for GPUs without thread-block clusters: ours.

A block's barrier costs least, and a round has little work: `kernels/retrace_today/one-block/rounds.cuh`.
"""

from abc import abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from cuda_device.errors import TooLargeError
from cuda_device.gpu_limits import KIB, VARIABLES_BYTES
from cuda_device.interface import Buffer
from retrace.catalogue.setting import PREDECESSORS, Setting, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.bfs import TRACE_BACK, TracedBack
from retrace.solvers.solver import SPOILT, WARP, DeviceSolver
from retrace_today.arcs_on_device import ArcsOnDevice
from retrace_today.cluster_searches import ClusterSSSP, bucket_width
from retrace_today.fewer_arcs import join_path
from retrace_today.packed_arcs import LONG_SLOTS, PACK, Cut, DeviceCut, Packer, PlannedCut
from retrace_today.positive_pass import PositivePass

MOST_ROOM = 4096
"""Entries of a queue in shared memory, at most: more than the rounds of a deep graph have. The rest is L1."""
MOST_RECORDS = 1 << 27
"""Records that a link can tell apart."""
TILE = 32
"""Words of a tile of bits, which has a part of the words of each vertex's neighbours."""


class OneBlockSearch(ArcsOnDevice):
    """A search in one launch of one block, with its graph in global memory.

    Bits of vertices are in shared memory if they fit, and so are the first entries of the queues. Packing the
    arcs, on the device, is part of `upload`; a record has its time as `prepare_ms`. The block has whole
    warps, and fewer threads than were asked for if the graph has fewer vertices.
    """

    settings: ClassVar[Settings] = {
        "block_size": replace(DeviceSolver.settings["block_size"], default=1024),
        "record_lanes": Setting("2", "lanes that share a record of four arcs", choices=("1", "2", "4")),
        "shared_kib": Setting(0, "KiB of shared memory of the block; 0: all that it may have", least=0),
    }
    repeats = True
    more_sources: ClassVar[tuple[str, ...]] = (PACK,)
    bits: ClassVar[int] = 1
    """Bits of a vertex."""
    queues: ClassVar[int] = 2
    """Queues whose first entries are in shared memory."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph, self.packer = graph, Packer(self.device)
        self.share_out(graph)
        where = "shared" if self.bits_in_shared else "global"
        (self.kernel,) = self.load_kernels(f"{self.kernel_name()}_{where}_{self.parameters['record_lanes']}")
        self.load_host_files()

    def kernel_name(self) -> str:
        """Return the kernel's name in `source`, before where the bits are and the number of lanes."""
        return f"one_block_{self.problem}"

    @property
    def most_shared(self) -> int:
        """Return the dynamic shared memory that the block may have, in bytes."""
        most, asked = self.device.limits.dynamic_shared, self.number("shared_kib")
        return min(most, asked * KIB - VARIABLES_BYTES) if asked else most

    def share_out(self, graph: CSRGraph) -> None:
        """Choose what is in shared memory, and the number of threads."""
        lanes = int(self.parameters["record_lanes"])
        asked, most = (-(-threads // WARP) * WARP for threads in (self.block_size, lanes * graph.vertices))
        self.threads = min(asked, most)
        entry = np.dtype(np.uint32).itemsize
        self.words = TILE * -(-graph.vertices * self.bits // (32 * TILE))
        bits, spare = entry * self.words, entry * self.queues
        self.bits_in_shared = bits + spare <= self.most_shared
        taken = bits if self.bits_in_shared else 0
        self.global_words = 0 if self.bits_in_shared else self.words
        self.room = max(0, min((self.most_shared - taken) // spare - 1, MOST_ROOM))
        self.shared_bytes = taken + spare * (self.room + 1)

    @abstractmethod
    def state_bytes(self, graph: CSRGraph, slots: int) -> int:
        """Return the device memory of all but the bits and the records, which have so many slots."""

    def ways(self, graph: CSRGraph) -> list[CSRGraph]:
        """Return the graph, and if it is searched backwards, too, its reverse."""
        return [graph]

    def most_records(self, cut: Cut) -> int:
        """Return the number of records of the largest way; TooLargeError if links cannot tell them apart."""
        records = max(int(cut.first_record(way, LONG_SLOTS)[-1]) for way in range(cut.number_of_ways))
        if records >= MOST_RECORDS:
            raise TooLargeError(f"needs {records:,} records of {LONG_SLOTS} arcs, expected 2^27 at most")
        return records

    def memory_bytes(self, graph: CSRGraph) -> int:
        self.share_out(graph)
        ways = self.ways(graph)
        cut = PlannedCut(ways, 1, 1)
        slots = LONG_SLOTS * self.most_records(cut)
        arcs = sum(array.nbytes for way in ways for array in self.arrays_of(way))
        packed = cut.records_bytes(short=False, weighted=self.problem == "sssp")
        return arcs + packed + cut.bytes_beside() + 4 * self.global_words + self.state_bytes(graph, slots)

    def upload(self, query: Query) -> None:
        arrays = [self.upload_arcs(way) for way in self.ways(self.graph)]
        began = perf_counter()
        cut = DeviceCut(self.packer, arrays, 1, 1)
        self.most_records(cut)
        records = [cut.long_records(way)[1] for way in range(len(arrays))]
        self.records, self.entering = records[0], records[-1]
        self.device.synchronize()
        self.prepare_ms = (perf_counter() - began) * 1e3
        self.arcs = arrays[0] if self.finds_predecessors else []
        self.global_bits = self.no_words(self.global_words)

    def no_words(self, count: int) -> Buffer:
        """Allocate 32-bit words of device memory."""
        return self.device.empty(count, np.uint32)

    def launch(self, *arguments: Any) -> None:
        """Launch the block."""
        self.kernel(1, self.threads, *arguments, shared=self.shared_bytes)

    def observed(self) -> dict[str, float]:
        """Return the ms of preparation, the block's threads and shared bytes, and whether bits are there."""
        return {
            "prepare_ms": self.prepare_ms,
            "threads": self.threads,
            "shared_bytes": self.shared_bytes,
            "bits_in_shared": int(self.bits_in_shared),
        }


class OneBlockBFS(TracedBack, OneBlockSearch):
    """A level is a round of the block, whose frontier is a queue: O(vertices + arcs) work.

    Predecessors, if wanted, are stored when their vertex is found.
    """

    name = "bfs/one-block"
    implements = "our own kernel: a level is a round of one block"
    more_sources = (*OneBlockSearch.more_sources, TRACE_BACK)
    settings: ClassVar[Settings] = {**OneBlockSearch.settings, **PREDECESSORS}

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.count, self.mapped_count = self.device.mapped(1, np.int32)

    def kernel_name(self) -> str:
        return "one_block_bfs_tree" if self.finds_predecessors else "one_block_bfs"

    def state_bytes(self, graph: CSRGraph, slots: int) -> int:
        return 4 * (2 + 1 + self.finds_predecessors) * graph.vertices

    def upload(self, query: Query) -> None:
        super().upload(query)
        device, vertices = self.device, self.graph.vertices
        self.queue = self.no_words(2 * vertices)
        self.level = device.empty(vertices, np.int32)
        self.found = device.empty(vertices if self.finds_predecessors else 0, np.int32)

    def solve(self, query: Query) -> int:
        numbers = map(np.int32, (query.source, self.room))
        arrays = self.global_bits, self.queue, self.level, self.found, self.mapped_count
        self.launch(np.int32(self.graph.vertices), self.records, *numbers, *arrays)
        self.device.synchronize()
        return int(self.count[0])

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            self.predecessor = self.device.download(self.found)
        return self.device.download(self.level)


class OneBlockSTCON(OneBlockSearch):
    """Two searches in one queue, level by level, until they meet or one has no vertex left.

    Only the bits of visited vertices are kept. For a path, if it is wanted, a vertex's neighbour toward its
    end is stored when the vertex is found.
    """

    name = "stcon/one-block"
    implements = "our own kernel: two searches, level by level, in one block"
    settings: ClassVar[Settings] = {**OneBlockSearch.settings, **PREDECESSORS}
    bits = 2

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.answer, self.mapped_answer = self.device.mapped(1, np.uint64)

    def kernel_name(self) -> str:
        return "one_block_stcon_path" if self.finds_predecessors else "one_block_stcon"

    def ways(self, graph: CSRGraph) -> list[CSRGraph]:
        backward = graph.reversed()
        return [graph] if backward is graph else [graph, backward]

    def state_bytes(self, graph: CSRGraph, slots: int) -> int:
        return 4 * (4 + self.finds_predecessors) * graph.vertices + 8

    def upload(self, query: Query) -> None:
        super().upload(query)
        device, vertices = self.device, self.graph.vertices
        self.queue = self.no_words(4 * vertices)
        path_vertices = vertices if self.finds_predecessors else 0
        self.path = device.empty(path_vertices, np.int32), device.empty(1, np.uint64)
        for array in self.path:  # of which a search writes its path alone, and the host reads all
            device.fill(array, 0)

    def solve(self, query: Query) -> int:
        assert query.target is not None
        vertices, *numbers = map(np.int32, (self.graph.vertices, query.source, query.target, self.room))
        self.answer[0] = 0
        arrays = self.global_bits, self.queue, self.mapped_answer, *self.path
        self.launch(vertices, self.records, self.entering, *numbers, *arrays)
        word = self.device.wait_for(self.answer)  # length: 32 bits; rounds, and one
        self.from_vertex, self.length = query.source, word % 2**32
        return (word >> 32) - 1

    def forget(self) -> None:
        self.length = SPOILT

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            toward_end, (joint,) = map(self.device.download, self.path)
            self.predecessor = np.full_like(toward_end, -1)
            if 0 < self.length < UNREACHABLE:
                arc = divmod(int(joint), 1 << 32)
                self.predecessor = join_path(toward_end, arc, self.length, self.from_vertex)
        return np.array([self.length], dtype=np.int32)


class OneBlockSSSP(PositivePass, OneBlockSearch):
    """Near and far vertices in two pairs of queues; the limit of near distances rises when few are near.

    It rises to the least far distance plus `width` mean weights, of a sample of the arcs. Predecessors, if
    wanted, are found by a pass over all arcs.
    """

    name = "sssp/one-block"
    implements = "our own kernel: near and far in one block"
    more_sources = (*OneBlockSearch.more_sources, PositivePass.pass_source, PositivePass.positive_source)
    settings: ClassVar[Settings] = {
        **OneBlockSearch.settings,
        "width": replace(ClusterSSSP.settings["width"], default=8),
        "few_near": Setting(
            64, "near vertices, at most, with which the limit of near distances rises", least=0
        ),
        **PREDECESSORS,
    }
    queues = 4

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.counts, self.mapped_counts = self.device.mapped(2, np.int32)
        if self.finds_predecessors:
            self.load_pass(graph)

    def state_bytes(self, graph: CSRGraph, slots: int) -> int:
        return 4 * ((2 + 1 + self.finds_predecessors) * graph.vertices + 2 * slots)

    def upload(self, query: Query) -> None:
        super().upload(query)
        device, vertices = self.device, self.graph.vertices
        self.delta = bucket_width(self.graph, self.number("width"))
        self.pile_entries = self.records.size // 2
        self.queue, self.piles = self.no_words(2 * vertices), self.no_words(2 * self.pile_entries)
        self.answer = device.empty(vertices, np.int32)
        if self.finds_predecessors:
            self.found = device.empty(vertices, np.int32)

    def solve(self, query: Query) -> int:
        numbers = query.source, self.delta, self.number("few_near"), self.room
        queues = self.global_bits, self.queue, self.piles, np.int32(self.pile_entries)
        vertices = np.int32(self.graph.vertices)
        self.launch(vertices, self.records, *map(np.int32, numbers), *queues, self.answer, self.mapped_counts)
        if self.finds_predecessors:
            self.find_tree(self.graph, query.source)
        self.device.synchronize()
        steps, self.buckets = self.counts.tolist()
        return int(steps)

    def download(self) -> Int32Array:
        if self.finds_predecessors:
            self.predecessor = self.device.download(self.found)
        return self.device.download(self.answer)

    def observed(self) -> dict[str, float]:
        """Return also how far the limit rises, and how often it did."""
        return {**super().observed(), "delta": self.delta, "buckets": self.buckets}
