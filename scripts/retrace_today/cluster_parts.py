"""Graphs cut into parts, one for each block of a thread-block cluster, and the base of searches in one."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import TooLargeError
from cuda_device.gpu_limits import KIB, Needs
from cuda_device.interface import MAX_THREADS
from retrace.catalogue.setting import Setting, Settings
from retrace.devices.host import c_graph, loaded_library, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.solver import DeviceSolver

CUT = "retrace_today/host/cluster_parts.cpp"
WORDS_OF_A_THREAD = (1, 4, 16)
"""Words of 32 vertices that a thread may own: each number is a kernel of its own."""
MOST_PARTS = 16
"""What a place can tell apart: 4 bits."""
KEEPS = ("marks", "state", "arcs")
"""What may be in shared memory: marks of vertices, their state too, or even arcs."""
EVERY = Setting(16, "rounds of a cluster after which its blocks ask each other whether any is active")
"""A setting of some of the searches."""
PART_SHIFT = 28
"""A place has the part above so many bits, and the position below."""
LONG_SLOTS, SHORT_SLOTS = 4, 3
"""Places in a record: of 32 bits, or of 21."""
SHORT_POSITIONS, SHORT_RECORDS = 1 << 17, 1 << 21
"""What 21 bits can tell apart: positions of a part, and its records."""

UInt32Array = NDArray[np.uint32]


@dataclass(frozen=True)
class Parts:
    """How `host/cluster_parts.cpp` cuts a graph; a place is a part and a position in it."""

    count: int
    """Number of parts, `MOST_PARTS` at most."""
    words: int
    """Words of 32 positions, in each part."""
    place: UInt32Array
    """Shape (vertices,): the place of each vertex."""

    @classmethod
    def cut(cls, graph: CSRGraph, count: int, pieces: int) -> Self:
        """Cut the vertices, in their order, into pieces that are dealt out to the parts in turn."""
        place = np.empty(graph.vertices, np.uint32)
        words = loaded_library(CUT).cluster_cut(c_graph(graph), count, pieces, pointer(place))
        return cls(count, words, place)

    @property
    def positions(self) -> int:
        """Positions of each part, some of which have no vertex."""
        return 32 * self.words

    def index_of(self, vertices: Int32Array | int) -> UInt32Array:
        """Return where `vertex_at` has these vertices."""
        part, position = np.divmod(self.place[vertices], 1 << PART_SHIFT)
        return np.asarray(part * np.uint32(self.positions) + position)

    def vertex_at(self, graph: CSRGraph) -> Int32Array:
        """Return the vertex at each place, -1 where there is none. Shape (parts * positions,)."""
        vertex_at = np.empty(self.count * self.positions, np.int32)
        self.call("vertices", graph, pointer(vertex_at))
        return vertex_at

    def first_record(self, graph: CSRGraph, slots: int) -> Int32Array:
        """Return where the records of each part begin, if each has so many slots. Shape (parts + 1,)."""
        first_record = np.empty(self.count + 1, np.int32)
        self.call("count_records", graph, slots, pointer(first_record))
        return first_record

    def long_records(self, graph: CSRGraph, weighted: bool = False) -> list[NDArray[Any]]:
        """Pack the arcs that leave each vertex for global memory.

        Return where each part's records begin, and the records: four heads each, as places, with weights each
        followed by its own. dtype uint32.
        """
        first_record = self.first_record(graph, LONG_SLOTS)
        records = np.empty((1 + weighted) * LONG_SLOTS * int(first_record[-1]), np.uint32)
        self.call("pack_long", graph, pointer(first_record), int(weighted), pointer(records))
        return [first_record, records]

    def short_records(self, graph: CSRGraph) -> list[NDArray[Any]]:
        """Pack the arcs for shared memory, as `long_records` does; a record of three heads is a uint64."""
        first_record = self.first_record(graph, SHORT_SLOTS)
        records = np.empty(int(first_record[-1]), np.uint64)
        self.call("pack_short", graph, pointer(first_record), pointer(records))
        return [first_record, records]

    def short_bytes(self, graph: CSRGraph) -> int | None:
        """Return the most bytes of a part's short records, or None if 21 bits are too few."""
        most = int(np.diff(self.first_record(graph, SHORT_SLOTS)).max())
        return None if self.positions > SHORT_POSITIONS or most > SHORT_RECORDS else 8 * most

    def call(self, step: str, graph: CSRGraph, *arguments: Any) -> None:
        """Call a function of the C++ file."""
        function = loaded_library(CUT)[f"cluster_{step}"]
        function(c_graph(graph), self.count, self.words, pointer(self.place), *arguments)


class ClusterSearch(DeviceSolver):
    """A search in one launch of one thread-block cluster, each block of which has a part of the graph.

    Cutting the graph and packing its arcs, on the host, is part of `upload`; a record has its time as
    `prepare_ms`. A thread owns up to four words of 32 vertices, or 16 if a part has more than 4,096 words. A
    block has more threads than were asked for if its part has more words than these may own, and fewer if it
    has fewer words; it has whole warps.
    """

    settings: ClassVar[Settings] = {
        "block_size": replace(DeviceSolver.settings["block_size"], default=1024),
        "cluster_blocks": Setting(
            MOST_PARTS,
            "blocks of the cluster, each with a part of the graph; fewer where the GPU has smaller clusters",
            most=MOST_PARTS,
        ),
        "pieces": Setting(4096, "runs of vertices that are dealt out to the blocks of the cluster in turn"),
        "shared": Setting("arcs", "most that a block has in shared memory, if it fits", choices=KEEPS),
    }
    needs = Needs(cluster=1)
    repeats = True
    in_shared: tuple[str, ...]
    """Those of `KEEPS` that there is a kernel for, from the least."""
    more_sources: ClassVar[tuple[str, ...]] = (CUT,)
    arrays: list[NDArray[Any]]
    """What `prepare` makes and every search reads."""
    state_bytes: int
    """Device memory for what a search writes."""
    kept: str
    """The one of `in_shared` that was chosen."""
    shared_bytes: int
    """Dynamic shared memory of a block."""
    threads: int
    """Threads in a block."""
    parts: Parts

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        module, prefix = self.device.load(self.source), self.kernel_prefix()
        names = [f"{kept}_{words}" for kept in self.in_shared for words in WORDS_OF_A_THREAD]
        self.kernels = {name: module.kernel(f"{prefix}_{name}") for name in names}
        self.load_host_files()

    def kernel_prefix(self) -> str:
        """Return what the kernels' names in `source` begin with."""
        return f"cluster_{self.problem}"

    def memory_bytes(self, graph: CSRGraph) -> int:
        self.prepare(graph)
        return sum(array.nbytes for array in self.arrays) + self.state_bytes

    def upload(self, query: Query) -> None:
        began = perf_counter()
        self.prepare(self.graph)
        self.prepare_ms = (perf_counter() - began) * 1e3
        self.buffers = [self.device.upload(array) for array in self.arrays]

    @abstractmethod
    def prepare(self, graph: CSRGraph) -> None:
        """Make what depends on the graph alone; raise TooLargeError if no cluster can hold its state."""

    def cut(self, graph: CSRGraph) -> Parts:
        """Cut the graph into a part for each block."""
        blocks = min(self.number("cluster_blocks"), self.device.limits.cluster)
        return Parts.cut(graph, blocks, self.number("pieces"))

    def fit(self, parts: Parts, *needs: int | None) -> None:
        """Choose as much for shared memory as fits and may be there, and the number of threads.

        `needs` are the bytes of each of `in_shared`, None where it cannot be had. Raise TooLargeError if the
        least is too much.
        """
        *_, few, many = WORDS_OF_A_THREAD
        owned = few if parts.words <= few * MAX_THREADS else many
        least, most = (-(-parts.words // (32 * each)) * 32 for each in (owned, 1))
        whole_warps = -(-self.block_size // 32) * 32
        self.threads = min(whole_warps, most) if whole_warps * owned >= parts.words else least

        most = self.device.limits.dynamic_shared
        allowed = KEEPS[: 1 + KEEPS.index(str(self.parameters["shared"]))]
        for kept, needed in zip(self.in_shared, needs, strict=True):
            if kept == "marks" or (kept in allowed and needed is not None and needed <= most):
                self.kept, self.shared_bytes = kept, needed or 0
        if self.threads > MAX_THREADS or self.shared_bytes > most:
            asked = f"{self.threads:,} threads and {self.shared_bytes / KIB:,.0f} KiB of shared memory"
            raise TooLargeError(f"needs {asked} in a block; there are {MAX_THREADS:,} and {most // KIB}")

    def launch(self, *arguments: Any) -> None:
        """Launch the cluster, whose threads own enough words each."""
        parts, threads = self.parts, self.threads
        words = next(each for each in WORDS_OF_A_THREAD if each * threads >= parts.words)
        kernel, words_of_part = self.kernels[f"{self.kept}_{words}"], np.int32(parts.words)
        kernel(parts.count, threads, words_of_part, *arguments, shared=self.shared_bytes, cluster=parts.count)

    def observed(self) -> dict[str, float]:
        """Return the ms of preparation, a block's threads and shared bytes, and whether arcs are there."""
        return {
            "prepare_ms": self.prepare_ms,
            "threads": self.threads,
            "shared_bytes": self.shared_bytes,
            "arcs_in_shared": int(self.kept == "arcs"),
        }
