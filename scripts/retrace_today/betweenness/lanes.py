"""Betweenness from 32 sources at a time, one for each lane of a warp."""

import ctypes
from typing import ClassVar

import numpy as np

from retrace.devices.host import function_of, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.solvers.betweenness.block_per_source import Argument, Brandes, aligned
from retrace.solvers.betweenness.compaction import Compacted

ORDER_SOURCES = "retrace_today/host/order_sources.cpp"


class Lanes(Brandes):
    """A block for 32 searches, one for each lane of a warp, on the compacted graph.

    A vertex's path counts for the 32 sources are one row of memory, and one word tells in which searches it
    is on the level. Neighbouring sources share a block. Ours, after M. Then et al., "The more the merrier:
    efficient multi-source graph traversal", PVLDB 8(4), 2014.
    """

    name = "betweenness/lanes"
    implements = "Brandes' algorithm, 32 sources at a time"
    more_sources: ClassVar[tuple[str, ...]] = (ORDER_SOURCES,)
    compacted = True
    lanes = 32
    hubs: int = 1
    """Vertices of most arcs, from which the distances of the sources decide their order."""

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.require_whole_warps()

    def in_order(self, reduced: Compacted) -> Int32Array:
        """Return the sources by their distances from the hubs, then as a search from the first meets them."""
        sources = np.empty(reduced.graph.vertices, dtype=np.int32)
        order = function_of(reduced.graph, ORDER_SOURCES, "order_sources", ctypes.c_int)
        return sources[: order(pointer(reduced.source_count), self.hubs, pointer(sources))]

    def layout(self, graph: CSRGraph) -> list[Argument]:
        """Return CSR twice: by the arcs that leave a vertex, and by those that enter it."""
        entering = graph.reversed()
        return [graph.indptr, graph.indices, entering.indptr, entering.indices]

    def block_bytes(self) -> int:
        """Return a block's memory in bytes: sigma, delta and d of each search, and 4 words a vertex."""
        vertices = max(part.reduced.graph.vertices for part in self.rounds)
        return aligned(vertices * (self.lanes * (2 * self.real.itemsize + 4) + 4 * 4))
