"""Exclusive prefix sums on a device, which turn the degrees of vertices into `indptr`."""

from itertools import pairwise

import numpy as np

from cuda_device.interface import Buffer, Device
from retrace.solvers.solver import BLOCK_SIZE, WIDE

CHUNK = 256
"""Entries that one thread of the kernel adds up, as in `kernels/scan/prefix-sums.cu`."""


class PrefixSums:
    """Sums over int32 arrays of one size, whose total fits 32 bits, or int64 ones if `wide`.

    All memory is allocated beforehand.

    Sums of chunks, then of chunks of chunks, are formed until one chunk holds all, and then distributed in
    the opposite order: O(size) work in O(log size) launches.
    """

    source = "scan/prefix-sums.cu"

    def __init__(self, device: Device, wide: bool = False) -> None:
        module = device.load(self.source, WIDE if wide else ())
        self.device, self.dtype = device, np.dtype(np.int64 if wide else np.int32)
        self.sum_chunks, self.scan_chunks = module.kernel("sum_chunks"), module.kernel("scan_chunks")

    def allocate(self, size: int) -> None:
        """Allocate the sums of chunks, of chunks of chunks, and so on, for arrays of this size."""
        self.sums: list[Buffer] = []
        while size > 1:
            size = -(-size // CHUNK)
            self.sums.append(self.device.empty(size, self.dtype))

    def scan(self, values: Buffer) -> None:
        """Replace each entry by the sum of all entries before it; the last launches are not waited for."""
        levels = [values, *self.sums]
        for fine, coarse in pairwise(levels):
            self.sum_chunks(self.grid(coarse), BLOCK_SIZE, np.int32(fine.size), fine, coarse)
        self.device.fill(levels[-1], 0)  # no entry precedes the one chunk that holds all
        for fine, coarse in reversed(list(pairwise(levels))):
            self.scan_chunks(self.grid(coarse), BLOCK_SIZE, np.int32(fine.size), fine, coarse)

    @staticmethod
    def grid(chunks: Buffer) -> int:
        """Return the number of blocks that have one thread for each chunk."""
        return -(-chunks.size // BLOCK_SIZE)
