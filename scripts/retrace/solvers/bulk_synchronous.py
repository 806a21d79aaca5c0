"""What the bulk-synchronous searches share: two kernels an iteration, with the host in between."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from retrace.devices.base import Buffer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.solvers.registry import DeviceSolver, Query


class BulkSynchronous(DeviceSolver):
    """Two kernels an iteration; the host reads the termination flag after each."""

    kernels: ClassVar[tuple[str, str]]
    """Their names in the kernel file."""
    answer: Buffer
    arguments: tuple[tuple[Any, ...], tuple[Any, ...]]
    """What each kernel is launched with; the second one's end with `more`. Both are set by `upload`."""

    def setup(self, graph: CSRGraph) -> None:
        """Load both kernels."""
        self.graph = graph
        module = self.device.load(self.sources[0])
        self.first, self.second = (module.kernel(name) for name in self.kernels)

    def solve(self, query: Query) -> int:
        """Launch both kernels until the second one leaves the flag at 0."""
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
        """Fetch the levels or distances."""
        return self.device.download(self.answer)
