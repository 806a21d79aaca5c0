"""Betweenness from one source with the whole grid, or with a cluster: for few sources of a large graph."""

from typing import Any, ClassVar

import numpy as np

from cuda_device.gpu_limits import Needs
from cuda_device.interface import Buffer, Module
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import aligned
from retrace.solvers.betweenness.compaction import uncompacted
from retrace_today.betweenness.graph_on_device import SEARCH_CLUSTER, GraphOnDevice, searches_at_once

LONG_ROW = 4096
"""Arcs of a vertex that a warp has at most, unless it is set; a block has those with more."""
LEAST_BLOCKS = 4
"""Of a cluster, if its size is chosen."""
COUNTERS_BYTES = 24
"""`Counters` of the kernel file."""


class FrontierBrandes(GraphOnDevice):
    """Brandes' algorithm, with all arcs of a level shared by the grid.

    Unreached vertices are found from a level's arcs if these are few, and from their own if not. No two
    threads add to the same number.
    """

    name = "betweenness/frontier"
    implements = "Brandes' algorithm, all blocks search from one source"
    settings: ClassVar[Settings] = {
        **{key: setting for key, setting in GraphOnDevice.settings.items() if key != "blocks"},
        "sparse": Setting(
            8, "a level marks its neighbours if it has less than 1 / sparse of all arcs", least=0
        ),
        "hub": Setting(
            LONG_ROW, "arcs of a vertex that a warp has at most; a block has those with more", most=2**26
        ),
    }
    former_settings = ()
    wide = True
    needs = Needs(cooperative_launch=True)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.require_whole_warps()

    def load_module(self) -> Module:
        return self.load_for(self.graph, self.source)

    def entering(self, graph: CSRGraph, indptr: Buffer, indices: Buffer) -> list[Any]:
        """Return CSR by the arcs that enter each vertex, and the hubs."""
        csr = super().entering(graph, indptr, indices)
        longest = np.diff(graph.indptr)
        if csr[0] is not indptr:
            longest = np.maximum(longest, np.diff(self.device.download(csr[0])))
        hubs = np.flatnonzero(longest > self.number("hub")).astype(np.int32)
        return [*csr, self.device.upload(hubs), np.int32(len(hubs))]

    def block_bytes(self) -> int:
        """Return the memory of a search in bytes: path counts, levels, the queue, its ends and counters."""
        vertices = self.graph.vertices
        return aligned(vertices * (self.real.itemsize + 3 * 4) + COUNTERS_BYTES)

    def resident_blocks(self) -> int:
        """Return how many searches run at the same time."""
        return 1

    def begin_again(self, query: Query) -> None:
        if query != self.query:  # the graph is the same for all sources
            self.query, (part,) = query, self.rounds
            part.reduced = uncompacted(self.graph, query.sources)
            part.sources = self.device.upload(self.in_order(part.reduced))
        super().begin_again(query)

    def start(self, *arguments: Any) -> None:
        blocks = self.module.resident_blocks(self.kernel_name(), self.block_size)
        self.kernel(blocks, self.block_size, *arguments, cooperative=True)

    def last_arguments(self) -> list[Any]:
        return [np.uint32(self.number("sparse")), np.uint32(self.number("hub"))]


class ClusterBrandes(FrontierBrandes):
    """As `betweenness/frontier`, with a thread-block cluster for each of several searches at a time.

    A block searches where the GPU has no clusters. Scores are added to by all clusters.
    """

    name = "betweenness/cluster"
    implements = "Brandes' algorithm, the blocks of a cluster search from one source"
    settings: ClassVar[Settings] = {
        **FrontierBrandes.settings,
        "blocks": GraphOnDevice.settings["blocks"],
        **SEARCH_CLUSTER,
    }
    needs = Needs()

    def choose_blocks(self) -> int:
        """Return how many clusters search at a time, after their size is chosen: half, while sources wait."""
        (part,) = self.rounds
        asked = self.number("cluster")
        largest = asked or self.module.largest_cluster(self.kernel_name(), self.block_size)
        self.cluster = max(1, min(largest, self.device.limits.cluster))
        while not asked and self.cluster > LEAST_BLOCKS and self.resident_blocks() < part.sources.size:
            self.cluster //= 2
        return super().choose_blocks()

    def resident_blocks(self) -> int:
        """Return how many clusters the device runs at the same time."""
        return searches_at_once(self.module, self.kernel_name(), self.block_size, self.cluster)

    def start(self, *arguments: Any) -> None:
        cluster = self.cluster if self.cluster > 1 else None
        self.kernel(self.blocks * self.cluster, self.block_size, *arguments, cluster=cluster)
