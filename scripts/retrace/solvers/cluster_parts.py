"""Graphs cut into parts, one for each block of a thread-block cluster, and the base of searches in one."""

import ctypes
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from retrace.devices.base import MAX_SHARED, MAX_THREADS
from retrace.devices.host import c_graph, host_function, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.setting import Setting, Settings
from retrace.solvers.solver import DeviceSolver
from retrace.system.errors import TooLargeError

CUT = "host/cluster_parts.cpp"
WORDS_OF_A_THREAD = (1, 2, 4, 16)
"""Words of 32 vertices that a thread may own: each number is a kernel of its own."""
MOST_SHARED = MAX_SHARED - 1024
"""Dynamic shared memory of a block, in bytes; the kernels' variables are in the rest."""
ARCS = Setting("auto", "memory that a cluster reads its arcs from", choices=("auto", "shared", "global"))
EVERY = Setting(16, "rounds of a cluster after which its blocks ask each other whether any is active")
"""Settings of some of the searches."""

UInt32Array = NDArray[np.uint32]


@cache
def cutter(step: str) -> Any:
    """Return a function of the C++ file, loaded once: looking up its compiled file takes milliseconds."""
    return host_function(CUT, f"cluster_{step}", returns=ctypes.c_int if step in ("cut", "shorten") else None)


@dataclass(frozen=True)
class Parts:
    """How `kernels/host/cluster_parts.cpp` cuts a graph; a place is a part and a position in it."""

    count: int
    """Number of parts, 16 at most."""
    words: int
    """Words of 32 positions, in each part."""
    place: UInt32Array
    """Shape (vertices,): the place of each vertex."""

    @classmethod
    def cut(cls, graph: CSRGraph, count: int, pieces: int) -> Self:
        """Cut the vertices, in their order, into pieces that are dealt out to the parts in turn."""
        place = np.empty(graph.vertices, np.uint32)
        words = cutter("cut")(c_graph(graph), count, pieces, pointer(place))
        return cls(count, words, place)

    @property
    def places(self) -> int:
        """Positions of all parts, some of which have no vertex."""
        return self.count * 32 * self.words


@dataclass(frozen=True)
class PackedArcs:
    """The arcs of a graph that was cut, or of its reverse, in records of four."""

    parts: Parts
    first_record: Int32Array
    """Shape (parts + 1,): where each part's records begin."""
    records: UInt32Array
    """Heads, as places; with weights, each is followed by its own."""
    vertex_at: Int32Array
    """Shape (places,): the vertex at each place, -1 where there is none."""

    @classmethod
    def pack(cls, graph: CSRGraph, parts: Parts, weighted: bool = False) -> Self:
        """Pack the arcs that leave each vertex."""
        cut = c_graph(graph), parts.count, parts.words, pointer(parts.place)
        first_record, vertex_at = np.empty(parts.count + 1, np.int32), np.empty(parts.places, np.int32)
        cutter("lay_out")(*cut, pointer(first_record), pointer(vertex_at))
        records = np.empty((8 if weighted else 4) * int(first_record[-1]), np.uint32)
        cutter("pack")(*cut, pointer(first_record), int(weighted), pointer(records))
        return cls(parts, first_record, records, vertex_at)

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """What a kernel is given of them: `LongRecords` of `kernels/cluster/parts.cuh`."""
        return [self.first_record, self.records]

    def shorten(self) -> "ShortArcs | None":
        """Return the same with 16 bits an entry; None if a part has too many records and heads elsewhere."""
        names = np.empty(self.records.size, np.uint16)
        outside, first_outside = np.empty_like(self.records), np.empty(self.parts.count + 1, np.int32)
        shortened = cutter("shorten")(
            self.parts.count, self.parts.words, pointer(self.first_record), pointer(self.records),
            pointer(names), pointer(outside), pointer(first_outside),
        )  # fmt: skip
        if not shortened:
            return None
        each = 8 * (np.diff(self.first_record) + (np.diff(first_outside) + 1) // 2)
        return ShortArcs(
            self.first_record, names, outside[: first_outside[-1]], first_outside, int(each.max())
        )


@dataclass(frozen=True)
class ShortArcs:
    """Records of 16-bit names, which blocks can hold in their shared memory."""

    first_record: Int32Array
    """Shape (parts + 1,): where each part's records begin."""
    names: NDArray[np.uint16]
    """A record of the same part, or, from their number on, an index into the part's heads in other parts."""
    outside: UInt32Array
    """The places of those heads, part by part."""
    first_outside: Int32Array
    """Shape (parts + 1,): where each part's begin."""
    shared_bytes: int
    """What they take in the shared memory of the block that needs most."""

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """What a kernel is given of them: `ShortRecords` of `kernels/cluster/parts.cuh`."""
        return [self.first_record, self.names, self.first_outside, self.outside]


class ClusterSearch(DeviceSolver):
    """A search in one launch of one thread-block cluster, each block of which has a part of the graph.

    Cutting the graph and packing its arcs, on the host, is part of `upload`; a record has its time as
    `prepare_ms`. A thread owns up to four words of 32 vertices, or 16 if a part has more than 4,096 words. A
    block has more threads than were asked for if its part has more words than these may own, and fewer if it
    has fewer words.
    """

    settings: ClassVar[Settings] = {
        "block_size": replace(DeviceSolver.settings["block_size"], default=288),
        "cluster_blocks": Setting(16, "blocks of the cluster, each with a part of the graph", most=16),
        "pieces": Setting(256, "runs of vertices that are dealt out to the blocks of the cluster in turn"),
    }
    more_sources: ClassVar[tuple[str, ...]] = (CUT,)
    arrays: list[NDArray[Any]]
    """What `prepare` makes and every search reads."""
    state_bytes: int
    """Device memory for what a search writes."""
    shared: int
    """Dynamic shared memory of a block, in bytes."""
    threads: int
    """Threads in a block."""
    parts: Parts
    in_shared: bool
    """Whether what may be in either memory is in shared memory."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        module, prefix = self.device.load(self.source), f"cluster_{self.problem}"
        names = [f"{memory}_{words}" for memory in ("shared", "global") for words in WORDS_OF_A_THREAD]
        self.kernels = {name: module.kernel(f"{prefix}_{name}") for name in names}
        for step in ("cut", "lay_out", "pack", "shorten"):  # no trial loads them
            cutter(step)

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
        return Parts.cut(graph, self.number("cluster_blocks"), self.number("pieces"))

    def shortened(self, arcs: list[PackedArcs], more: int) -> list[ShortArcs]:
        """Return all arcs for shared memory, or none if they do not fit beside `more` bytes, or may not."""
        wanted = self.parameters["arcs"]
        needed = more + sum(8 * int(np.diff(packed.first_record).max()) for packed in arcs)
        short: list[ShortArcs | None] = [None]
        if wanted != "global" and needed <= MOST_SHARED:
            short = [packed.shorten() for packed in arcs]
            needed = more + sum(each.shared_bytes if each else MOST_SHARED for each in short)
        found = [each for each in short if each is not None]
        if len(found) == len(arcs) and needed <= MOST_SHARED:
            return found
        if wanted == "shared":
            needs = f"arcs=shared needs {needed / 1024:,.0f} KiB or more of shared memory in a block"
            raise TooLargeError(f"{needs}; there are {MOST_SHARED // 1024}")
        return []

    def launch(self, *arguments: Any) -> None:
        """Launch the cluster, whose threads own enough words each."""
        parts, threads = self.parts, self.threads
        words = next(own for own in WORDS_OF_A_THREAD if own * threads >= parts.words)
        kernel = self.kernels[f"{'shared' if self.in_shared else 'global'}_{words}"]
        known = np.int32(parts.words)
        kernel(parts.count, threads, known, *arguments, shared=self.shared, cluster=parts.count)

    def fit(self, parts: Parts, shared: int) -> None:
        """Choose the number of threads; raise TooLargeError if they or their shared memory are too many."""
        *_, few, many = WORDS_OF_A_THREAD
        owned = few if parts.words <= few * MAX_THREADS else many
        least, most = (-(-parts.words // (32 * each)) * 32 for each in (owned, 1))
        self.threads = min(self.block_size, most) if self.block_size * owned >= parts.words else least
        self.shared = shared
        if self.threads > MAX_THREADS or shared > MOST_SHARED:
            needs = f"{self.threads:,} threads and {shared / 1024:,.0f} KiB of shared memory in a block"
            raise TooLargeError(f"needs {needs}; there are {MAX_THREADS:,} and {MOST_SHARED // 1024}")

    def observed(self) -> dict[str, float]:
        """Return the ms of preparation, and the threads and the bytes of shared memory of a block."""
        return {"prepare_ms": self.prepare_ms, "threads": self.threads, "shared_bytes": self.shared}
