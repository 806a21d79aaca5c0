"""Betweenness from 32 sources at a time, one for each lane of a warp."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.host_loop import HostLoop
from cuda_device.interface import Buffer, PackedLaunch
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import Round, aligned
from retrace.solvers.betweenness.compaction import Compacted, compact, uncompacted
from retrace.solvers.solver import WARP, WIDE
from retrace_today.betweenness.graph_on_device import GraphOnDevice

HUB_DISTANCES = "retrace_today/betweenness/hub-distances.cu"
HUBS, UNMET = 4, 255
"""Distances in a word, and a distance that is none: `HUB_DISTANCES`."""

COMPACTING_PAYS = 1000
"""Sources from which on a graph is compacted: an estimate (docs/experiments, 89), since one core does it."""


class Lanes(GraphOnDevice):
    """A block for 32 searches, one for each lane of a warp; of many sources on the compacted graph.

    A vertex's path counts for the 32 sources are one row of memory, and one word tells in which searches it
    is on the level. Neighbouring sources share a block. Ours, after M. Then et al., "The more the merrier:
    efficient multi-source graph traversal", PVLDB 8(4), 2014.
    """

    name = "betweenness/lanes"
    implements = "Brandes' algorithm, 32 sources at a time"
    more_sources: ClassVar[tuple[str, ...]] = (HUB_DISTANCES,)
    compacted = True
    lanes = 32
    hubs: int = 1
    """Vertices of most arcs, from which the distances of the sources decide their order."""

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.require_whole_warps()
        module = self.device.load(HUB_DISTANCES, WIDE if self.is_wide else ())
        self.find_hub, self.hub_distances, self.of_sources = map(
            module.kernel, ("find_hub", "hub_distances", "of_sources")
        )

    def reduce(self, query: Query) -> tuple[Compacted, ...]:
        whole = uncompacted(self.graph, query.sources)
        searches = self.graph.vertices if query.sources is None else len(query.sources)
        return (compact(whole) if searches >= COMPACTING_PAYS else whole,)

    def send(self, reduced: Compacted) -> Round:
        part = super().send(reduced)
        if part.sources.size > self.lanes:
            part.sources = self.device.upload(self.near_together(part))
        return part

    def near_together(self, part: Round) -> Int32Array:
        """Return the sources by their distances from the hubs, then by their numbers."""
        distances, sources = self.distances_from_hubs(part), self.device.download(part.sources)
        return sources[np.lexsort(distances[:, ::-1].T)]

    def hubs_of(self, part: Round) -> NDArray[np.uint32]:
        """Return the vertices that most arcs leave, of equal ones the first."""
        vertices, indptr = part.arguments[:2]
        keys = self.device.empty(HUBS, np.uint64)
        self.device.fill(keys, 0)
        for number in range(count := min(self.hubs, int(vertices))):
            blocks = self.device.resident_blocks(self.block_size)
            self.find_hub(blocks, self.block_size, vertices, indptr, np.int32(number), keys)
        return ~self.device.download(keys)[:count].astype(np.uint32)

    def distances_from_hubs(self, part: Round) -> NDArray[np.uint8]:
        """Return the distance of each source from each hub, at most 254, else 255; shape (sources, 4)."""
        graph, device = part.reduced.graph, self.device
        words = device.empty(graph.vertices, np.uint32), device.empty(graph.vertices, np.uint32)
        unmet = np.full(HUBS, UNMET, np.uint8)
        unmet[self.hubs :] = 0
        device.fill(words[0], int(unmet.view(np.uint32)[0]))
        for number, hub in enumerate(self.hubs_of(part)):
            distances = unmet.copy()
            distances[number] = 0
            device.write(device.view(words[0], int(hub), 1), distances.view(np.uint32))
        more = device.empty(1, np.int32)
        grid, entering = self.grid(WARP * graph.vertices), part.arguments[3:5]

        def look_back(before: Buffer, after: Buffer) -> PackedLaunch:
            arguments = np.int32(graph.vertices), *entering, before, after, more
            return self.pack(self.hub_distances, grid, *arguments)

        levels = [[look_back(*words)], [look_back(*words[::-1])]]
        seen = np.ones(1, np.int32)
        loop = HostLoop(rounds=levels, recurring=2, state=more, seen=seen, clears=True, most=UNMET - 1)
        last, sources = device.repeat(loop).iterations % 2, part.sources
        source_words = device.empty(sources.size, np.uint32)
        arguments = np.int32(sources.size), sources, words[last], source_words
        self.of_sources(self.grid(sources.size), self.block_size, *arguments)
        return device.download(source_words).view(np.uint8).reshape(-1, HUBS)

    def block_bytes(self) -> int:
        """Return a block's memory in bytes: sigma, delta and d of each search, and 4 words a vertex."""
        vertices = max(part.reduced.graph.vertices for part in self.rounds)
        return aligned(vertices * (self.lanes * (2 * self.real.itemsize + 4) + 4 * 4))
