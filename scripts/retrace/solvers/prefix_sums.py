"""Exclusive prefix sums on a device, as degrees become `indptr`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from retrace.devices.base import Buffer, Device
from retrace.solvers.registry import BLOCK_SIZE

CHUNK = 256
"""Entries that one thread of `prefix-sums.cu` adds up."""


class PrefixSums:
    """Sums over int32 arrays of one size; all memory is allocated beforehand.

    The total must fit 32 bits.
    """

    sources = ("scan/prefix-sums.cu",)

    def __init__(self, device: Device) -> None:
        module = device.load(self.sources[0])
        self.device = device
        self.sum_chunks, self.scan_chunks = module.kernel("sum_chunks"), module.kernel("scan_chunks")

    def allocate(self, size: int) -> None:
        """Make room for the sums of chunks, of chunks of chunks, and so on."""
        self.sums: list[Buffer] = []
        while size > 1:
            size = -(-size // CHUNK)
            self.sums.append(self.device.empty(size, np.int32))

    def scan(self, values: Buffer) -> None:
        """Replace each entry by the sum of all before it; without waiting for the last launch."""
        levels = [values, *self.sums]
        for fine, coarse in pairwise(levels):
            self.sum_chunks(self.grid(coarse), BLOCK_SIZE, np.int32(fine.size), fine, coarse)
        self.device.fill(levels[-1], 0)  # nothing comes before the one chunk that holds all
        for fine, coarse in reversed(list(pairwise(levels))):
            self.scan_chunks(self.grid(coarse), BLOCK_SIZE, np.int32(fine.size), fine, coarse)

    @staticmethod
    def grid(chunks: Buffer) -> int:
        """Blocks with a thread for each chunk."""
        return -(-chunks.size // BLOCK_SIZE)
