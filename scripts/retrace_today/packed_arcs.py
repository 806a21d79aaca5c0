"""Graphs cut into parts, one for each block of a cluster, and their arcs packed into records, on a device."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from cuda_device.interface import Buffer, Device
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.solvers.solver import BLOCK_SIZE, WARP

PACK = "retrace_today/cluster/pack-arcs.cu"
PACKING_KERNELS = (
    "count_links", "sum_tiles", "sum_links", "find_pieces", "number_pieces", "place_vertices", "name_places",
    "number_links", "pack_long", "pack_weighted", "pack_short", "index_ends",
)  # fmt: skip
MOST_PARTS = 16
"""What a place can tell apart: 4 bits."""
PART_SHIFT = 28
"""A place has the part above so many bits, and the position below."""
LONG_SLOTS, SHORT_SLOTS = 4, 3
"""Places in a record: of 32 bits, or of 21."""
LINKS_TILE = 256
"""Vertices whose links a warp adds up."""
LONG_BYTES, SHORT_BYTES = 16, 8
"""Bytes of a record; a long one has twice as many with weights."""
SHORT_POSITIONS, SHORT_RECORDS = 1 << 17, 1 << 21
"""What 21 bits can tell apart: positions of a part, and its records."""


class Cut(ABC):
    """How `kernels/retrace_today/cluster/pack-arcs.cu` cuts a graph into parts.

    A place is a part and a position in it. Arcs may be given more than one way, forwards and backwards: `way`
    counts them.
    """

    count: int
    """Number of parts, `MOST_PARTS` at most."""
    words: int
    """Words of 32 positions, in each part."""
    number_of_ways: int

    @property
    def positions(self) -> int:
        """Positions of each part, some of which have no vertex."""
        return 32 * self.words

    @abstractmethod
    def first_record(self, way: int, slots: int) -> Int32Array:
        """Return where the records of each part begin, if each has so many slots. Shape (parts + 1,)."""

    def short_bytes(self, way: int) -> int | None:
        """Return the most bytes of a part's short records, or None if 21 bits are too few."""
        if self.positions > SHORT_POSITIONS:
            return None
        most = int(np.diff(self.first_record(way, SHORT_SLOTS)).max())
        return SHORT_BYTES * most if most <= SHORT_RECORDS else None

    def records_bytes(self, short: bool, weighted: bool) -> int:
        """Return the bytes of the records of all ways."""
        slots, size = (SHORT_SLOTS, SHORT_BYTES) if short else (LONG_SLOTS, LONG_BYTES * (1 + weighted))
        return sum(size * int(self.first_record(way, slots)[-1]) for way in range(self.number_of_ways))


class PlannedCut(Cut):
    """The sizes of a cut, found on the host before the graph is on a device."""

    def __init__(self, ways: Sequence[CSRGraph], count: int, pieces: int) -> None:
        """Cut the vertices, in their order, into pieces that are dealt out to the parts in turn."""
        self.ways, self.count, self.pieces, self.number_of_ways = ways, count, pieces, len(ways)
        self.asked: set[tuple[int, int]] = set()
        vertices, links = ways[0].vertices, links_of(ways[0], LONG_SLOTS)
        before = np.arange(vertices) + np.cumsum(links) - links
        self.part = before * pieces // max(1, vertices + int(links.sum())) % count
        self.words = -(-int(self.sums(np.ones(vertices, np.int64)).max()) // 32)

    def sums(self, values: Int32Array) -> Int32Array:
        """Add up values of vertices by part."""
        return np.bincount(self.part, values, self.count).astype(np.int64)

    def first_record(self, way: int, slots: int) -> Int32Array:
        self.asked.add((way, slots))
        records = self.positions + self.sums(links_of(self.ways[way], slots))
        return np.concatenate([[0], np.cumsum(records)])

    def bytes_beside(self) -> int:
        """Return the device memory of a `DeviceCut` of which as much was asked, without arcs and records."""
        vertices = self.ways[0].vertices
        sums = 2 + vertices + vertices // LINKS_TILE
        cut = sums + 2 * vertices + 2 * self.pieces + 2
        links = len(self.asked) * (self.pieces + self.count + 1)
        return 4 * (cut + links + len(self.asked - {(0, LONG_SLOTS)}) * sums)


def links_of(graph: CSRGraph, slots: int) -> Int32Array:
    """Return how many records each vertex has beyond its first."""
    degrees = np.diff(graph.indptr).astype(np.int64)
    return np.where(degrees <= slots, 0, (degrees - 2) // (slots - 1))


class Packer:
    """The kernels that cut graphs and pack their arcs, loaded."""

    def __init__(self, device: Device) -> None:
        module = device.load(PACK)
        self.device, self.kernels = device, {name: module.kernel(name) for name in PACKING_KERNELS}


@dataclass(frozen=True)
class Links:
    """Where the records of a graph's vertices go, and how many there are."""

    sums: Buffer
    """Shape (vertices + 1,): the links of all vertices before each."""
    number: Buffer
    """Shape (pieces,): with the sum of a vertex in it, the record that its first link leads to."""
    first_record: Buffer
    """Shape (parts + 1,): where the records of each part begin."""
    read: Int32Array
    """The same, on the host."""


class DeviceCut(Cut):
    """A cut on a device, and what is made by it, which is the same each time."""

    def __init__(self, packer: Packer, ways: Sequence[Sequence[Buffer]], count: int, pieces: int) -> None:
        """Cut as `PlannedCut` does; each way has the arrays `indptr` and `indices`, and perhaps weights.

        One part in one piece is not spread: its positions are the ids.
        """
        self.device, self.kernels = packer.device, packer.kernels
        self.ways, self.number_of_ways, self.count, self.pieces = ways, len(ways), count, pieces
        self.vertices = ways[0][0].size - 1
        self.links: dict[tuple[int, int], Links] = {}
        self.sums: dict[tuple[int, int], Buffer] = {}
        self.piece, self.first_vertex, number = map(self.integers, (self.vertices, pieces + 1, pieces))
        self.run("find_pieces", pieces, self.sums_of(0, LONG_SLOTS), self.piece, self.first_vertex)
        words = self.integers(1)
        self.launch("number_pieces", 1, WARP * count, count, pieces, self.first_vertex, number, words)
        self.words = int(self.device.download(words)[0])
        self.place = self.device.empty(self.vertices, np.uint32)
        spread, placed = int(count * pieces > 1), (self.piece, self.first_vertex, number, self.place)
        self.run("place_vertices", count, self.words, spread, *placed)

    def integers(self, count: int) -> Buffer:
        """Allocate int32."""
        return self.device.empty(count, np.int32)

    def run(self, kernel: str, *arguments: int | Buffer) -> None:
        """Run a kernel with a thread for each vertex, and one more."""
        self.launch(kernel, self.vertices // BLOCK_SIZE + 1, BLOCK_SIZE, self.vertices, *arguments)

    def launch(self, kernel: str, grid: int, block: int, *arguments: int | Buffer) -> None:
        """Launch a kernel with int32 and buffers."""
        values = (np.int32(value) if isinstance(value, int) else value for value in arguments)
        self.kernels[kernel](grid, block, *values)

    def sums_of(self, way: int, slots: int) -> Buffer:
        """Return the links of all vertices before each. Shape (vertices + 1,)."""
        if (way, slots) in self.sums:
            return self.sums[way, slots]
        sums, tiles = map(self.integers, (self.vertices + 1, self.vertices // LINKS_TILE + 1))
        given = self.vertices, slots, self.ways[way][0], tiles
        self.launch("count_links", tiles.size, WARP, *given)
        self.launch("sum_tiles", 1, WARP, tiles.size, tiles)
        self.launch("sum_links", tiles.size, WARP, *given, sums)
        self.sums[way, slots] = sums
        return sums

    def links_of(self, way: int, slots: int) -> Links:
        """Return where records go, if each has so many slots."""
        if (way, slots) not in self.links:
            sums = self.sums_of(way, slots)
            number, first_record = self.integers(self.pieces), self.integers(self.count + 1)
            sizes = self.count, self.pieces, self.positions
            self.launch(
                "number_links", 1, WARP * self.count, *sizes, self.first_vertex, sums, number, first_record
            )
            self.links[way, slots] = Links(sums, number, first_record, self.device.download(first_record))
        return self.links[way, slots]

    def first_record(self, way: int, slots: int) -> Int32Array:
        return self.links_of(way, slots).read

    def vertex_at(self, names: Buffer | None = None) -> Buffer:
        """Return the vertex, or its name, at each place; -1 where none is. Shape (parts * positions,)."""
        vertex_at = self.integers(self.count * self.positions)
        self.device.fill(vertex_at, -1)
        named = (0, self.place) if names is None else (1, names)
        self.run("name_places", self.positions, self.place, *named, vertex_at)
        return vertex_at

    def long_records(self, way: int) -> list[Buffer]:
        """Pack the arcs that leave each vertex for global memory.

        Return where each part's records begin, and the records: four heads each, as places, with weights each
        followed by its own. dtype uint32.
        """
        if len(self.ways[way]) > 2:
            return self.pack("pack_weighted", way, LONG_SLOTS, 2 * LONG_SLOTS, np.uint32)
        return self.pack("pack_long", way, LONG_SLOTS, LONG_SLOTS, np.uint32)

    def short_records(self, way: int) -> list[Buffer]:
        """Pack the arcs for shared memory, as `long_records` does; a record of three heads is a uint64."""
        return self.pack("pack_short", way, SHORT_SLOTS, 1, np.uint64)

    def pack(self, kernel: str, way: int, slots: int, entries: int, dtype: DTypeLike) -> list[Buffer]:
        links = self.links_of(way, slots)
        records = self.device.empty(entries * int(links.read[-1]), dtype)
        self.device.fill(records, 0)  # of positions without a vertex
        given = *self.ways[way], self.place, self.piece, links.number, links.sums, links.first_record
        self.run(kernel, *given, records)
        return [links.first_record, records]

    def index_ends(self, way: int) -> list[Buffer]:
        """Return the indices, in `vertex_at`, of the tail and the head of each arc. dtype uint32."""
        indptr, indices, *_ = self.ways[way]
        ends = [self.device.empty(indices.size, np.uint32) for _ in range(2)]
        self.run("index_ends", self.positions, indptr, indices, self.place, *ends)
        return ends
