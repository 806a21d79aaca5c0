"""The base of our variants of Brandes' algorithm: their graph is copied fast, and reversed on the device."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.gpu_limits import WIDEST_CLUSTER
from cuda_device.interface import Buffer, Module
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.solvers.betweenness.block_per_source import Brandes, Round
from retrace.solvers.betweenness.compaction import Compacted
from retrace_today.reversed_arcs import ReversedArcs

SEARCH_CLUSTER: Settings = {
    "cluster": Setting(
        0,
        "blocks that search from one source at a time, at most as a GPU's clusters have, one without "
        "clusters; 0: chosen",
        least=0,
        most=WIDEST_CLUSTER,
    ),
}


def searches_at_once(module: Module, kernel: str, block_size: int, blocks: int) -> int:
    """Return how many searches run at the same time, if each has a cluster of so many blocks, or one."""
    if blocks == 1:
        return module.resident_blocks(kernel, block_size)
    return module.resident_clusters(kernel, block_size, blocks)


class GraphOnDevice(Brandes):
    """Searches of a block at a time, without the streams of the report's variants."""

    settings: ClassVar[Settings] = {k: setting for k, setting in Brandes.settings.items() if k != "streams"}
    former_settings: ClassVar[tuple[str, ...]] = ("streams",)
    page_locks = False

    def __init_subclass__(cls) -> None:
        """Add the kernels that reverse arcs."""
        reverse = ReversedArcs.source, *ReversedArcs.more_sources
        cls.more_sources = (*(source for source in cls.more_sources if source not in reverse), *reverse)
        super().__init_subclass__()

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.reversed_arcs = ReversedArcs(self.device, wide=self.is_wide)

    @property
    def is_wide(self) -> bool:
        """Return whether offsets have 64 bits on the device."""
        return self.graph.is_wide

    def copier(self) -> Callable[[Sequence[NDArray[Any]]], list[Buffer]]:
        return self.device.upload_all

    def reach(self, reduced: Compacted) -> Int32Array | Buffer:
        if any(reduced.reach.strides):  # otherwise one number stands for all, and need not be copied
            return super().reach(reduced)
        ones = self.device.empty(reduced.graph.vertices, np.int32)
        self.device.fill(ones, 1)
        return ones

    def send(self, reduced: Compacted) -> Round:
        part = super().send(reduced)
        part.arguments[3:3] = self.entering(reduced.graph, *part.arguments[1:3])
        return part

    def entering(self, graph: CSRGraph, indptr: Buffer, indices: Buffer) -> list[Any]:
        """Return CSR by the arcs that enter each vertex; sums of their order are the same bits every time."""
        if graph.info.get("directed") is False:
            return [indptr, indices]
        entering = self.reversed_arcs.of(indptr, indices)
        self.reversed_arcs.sort(*entering)
        return [*entering]
