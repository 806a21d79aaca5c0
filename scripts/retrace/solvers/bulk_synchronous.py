"""Bulk-synchronous searches: two kernels in each iteration, with the host in between."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from retrace.devices.base import Buffer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.solver import DeviceSolver


class BulkSynchronous(DeviceSolver):
    """The first kernel proposes updates, the second applies them and sets a flag that the host reads.

    P. Harish and P. J. Narayanan, "Accelerating large graph algorithms on the GPU using CUDA", HiPC 2007.
    """

    kernels: ClassVar[tuple[str, str]]
    """The names of the two kernels in `source`."""
    answer: Buffer
    arguments: tuple[tuple[Any, ...], tuple[Any, ...]]
    """The arguments of each kernel, of which the second one's last is the flag. Set by `upload`."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.first, self.second = self.load_kernels(*self.kernels)

    def solve(self, query: Query) -> int:
        grid, block, device = self.grid(self.graph.vertices), self.block_size, self.device
        of_first, of_second = self.arguments
        flag = of_second[-1]
        no, more = np.zeros(1, np.int32), np.ones(1, np.int32)
        iterations = 0
        while more[0]:
            device.write(flag, no)
            self.first(grid, block, *of_first)
            self.second(grid, block, *of_second)
            device.read(flag, more)
            iterations += 1
        return iterations

    def download(self) -> Int32Array:
        return self.device.download(self.answer)
