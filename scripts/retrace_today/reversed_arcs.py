"""The arcs that enter each vertex, made on a device of those that leave it."""

import numpy as np

from cuda_device.interface import Buffer, Device
from retrace.solvers.prefix_sums import PrefixSums
from retrace.solvers.solver import BLOCK_SIZE, WARP, WIDE


class ReversedArcs:
    """A counting sort of a graph's arcs by head: O(vertices + arcs) work in O(log vertices) launches.

    The arcs that enter a vertex have no particular order, which may differ from time to time, until they are
    sorted.
    """

    source = "retrace_today/frontier/reverse-arcs.cu"
    more_sources = (PrefixSums.source,)

    def __init__(self, device: Device, block_size: int = BLOCK_SIZE, wide: bool = False) -> None:
        """Load the kernels, `wide` ones for offsets of 64 bits; `block_size` is a multiple of 32."""
        module = device.load(self.source, WIDE if wide else ())
        self.device, self.block_size, self.prefix_sums = device, block_size, PrefixSums(device, wide)
        self.number = np.uint64 if wide else np.uint32
        names = "count_entering", "place_entering", "count_entered", "sort_entering"
        self.count, self.place, self.count_vertices, self.sort_rows = map(module.kernel, names)

    def of(self, indptr: Buffer, indices: Buffer) -> tuple[Buffer, Buffer]:
        """Return `indptr` and `indices` of the reversed graph, of the same shapes and types."""
        device, vertices, arcs = self.device, indptr.size - 1, indices.size
        ends, tails = device.empty(indptr.size, indptr.dtype), device.empty(arcs, np.int32)
        device.fill(ends, 0)
        if arcs:
            self.count(self.grid(arcs), self.block_size, self.number(arcs), indices, ends)
            self.prefix_sums.allocate(ends.size)
            self.prefix_sums.scan(ends)
            blocks = self.grid(vertices * WARP)
            self.place(blocks, self.block_size, np.int32(vertices), indptr, indices, ends, tails)
        return ends, tails

    def sort(self, ends: Buffer, tails: Buffer) -> None:
        """Sort the arcs that enter each vertex by their tails."""
        vertices = ends.size - 1
        if tails.size:
            self.sort_rows(self.grid(vertices), self.block_size, np.uint32(vertices), ends, tails)

    def count_entered(self, ends: Buffer) -> int:
        """Return how many vertices an arc enters, given `indptr` of the reversed graph."""
        found = self.device.upload(np.zeros(1, dtype=np.uint32))
        vertices = ends.size - 1
        self.count_vertices(self.grid(vertices), self.block_size, np.int32(vertices), ends, found)
        return int(self.device.download(found)[0])

    def grid(self, threads: int) -> int:
        """Return the number of blocks that have so many threads."""
        return -(-threads // self.block_size)
