"""Betweenness from one source with the whole grid, or with a cluster: for few sources of a large graph."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.gpu_limits import Needs
from cuda_device.interface import Module
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import Round, aligned
from retrace.solvers.betweenness.compaction import Compacted, uncompacted
from retrace.solvers.solver import WARP
from retrace_today.betweenness.graph_on_device import SEARCH_CLUSTER, GraphOnDevice, searches_at_once

SHORT_ROW = 128
"""Arcs of a vertex that no block takes from a warp."""
ARCS_OF_HUB, ROWS = 200, 10
"""Arcs of a warp that take as long as a hub of a block, and the longest rows that a queue may give to a warp
(docs/experiments, 101)."""
LEAST_BLOCKS = 4
"""Of a cluster, if its size is chosen."""
COUNTERS_BYTES = 24
"""`Counters` of the kernel file."""


def choose_hub(long: NDArray[np.intp], arcs: NDArray[np.integer[Any]], blocks: int) -> int:
    """Return the most arcs of a vertex that a warp has: a power of 2, `SHORT_ROW` at least.

    With fewer, the blocks of a search have more hubs, which they take one after the other. With more, a warp
    has more arcs, those of 32 vertices, while the others wait. `long` are the vertices of more arcs than
    `SHORT_ROW`, ascending, `arcs` those that they have.
    """
    if not len(long):
        return SHORT_ROW
    warps, powers = long // WARP, np.frexp(arcs - 1)[1]  # the least power of 2 that is not below
    warps -= warps[0]
    of_warps, hubs, expected = np.zeros(warps[-1] + 1), len(long), dict[int, float]()
    for power in range(SHORT_ROW.bit_length() - 1, int(powers.max()) + 1):
        these = np.flatnonzero(powers == power)
        of_warps += np.bincount(warps[these], arcs[these], len(of_warps))
        hubs -= len(these)
        expected[1 << power] = ARCS_OF_HUB * hubs / blocks + of_warps.max() + ROWS * 2.0**power
    return min(expected, key=expected.__getitem__)


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
            0,
            "arcs of a vertex that a warp has at most; a block has those with more; 0: by the graph",
            least=0,
            most=2**26,
        ),
    }
    former_settings = ()
    wide = True
    needs = Needs(cooperative_launch=True)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.require_whole_warps()
        self.all_blocks = self.module.resident_blocks(self.kernel_name(), self.block_size)

    def load_module(self) -> Module:
        return self.load_for(self.graph, self.source)

    def send(self, reduced: Compacted) -> Round:
        """Send also the hubs, vertices of many arcs to or from them."""
        part = super().send(reduced)
        indptr, in_indptr = part.arguments[1], part.arguments[3]
        longest = np.diff(reduced.graph.indptr)
        if in_indptr is not indptr:
            longest = np.maximum(longest, np.diff(self.device.download(in_indptr)))
        blocks, least = self.blocks_of_search(part.sources.size), self.number("hub")
        hubs = np.flatnonzero(longest > (least or SHORT_ROW))
        self.hub = least or choose_hub(hubs, longest[hubs], blocks)
        if not least:
            hubs = hubs[longest[hubs] > self.hub]
        part.arguments[5:5] = self.device.upload(hubs.astype(np.int32)), np.int32(len(hubs))
        return part

    def blocks_of_search(self, sources: int) -> int:
        """Return how many blocks share a search, of so many."""
        return self.all_blocks

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
        self.kernel(self.all_blocks, self.block_size, *arguments, cooperative=True)

    def last_arguments(self) -> list[Any]:
        return [np.uint32(self.number("sparse")), np.uint32(self.hub)]


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

    def blocks_of_search(self, sources: int) -> int:
        """Choose the size of a cluster: the largest, and half of it while sources wait."""
        asked = self.number("cluster")
        largest = asked or self.module.largest_cluster(self.kernel_name(), self.block_size)
        self.cluster = max(1, min(largest, self.device.limits.cluster))
        while not asked and self.cluster > LEAST_BLOCKS and self.resident_blocks() < sources:
            self.cluster //= 2
        return self.cluster

    def resident_blocks(self) -> int:
        """Return how many clusters the device runs at the same time."""
        return searches_at_once(self.module, self.kernel_name(), self.block_size, self.cluster)

    def start(self, *arguments: Any) -> None:
        cluster = self.cluster if self.cluster > 1 else None
        self.kernel(self.blocks * self.cluster, self.block_size, *arguments, cluster=cluster)
