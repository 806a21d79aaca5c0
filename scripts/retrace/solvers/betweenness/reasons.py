"""Variants of domitrz-brandes that no one would use: they measure the reasons that the report gives."""

import numpy as np

from cuda_device.interface import Buffer
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import Brandes
from retrace.solvers.betweenness.published_variants import Edge, Vert, VertVirtStride

BULK = 'domitrz-brandes, "Bulk allocation of memory"'


class SeparateVert(Vert):
    """`betweenness/vert` with an allocation for each block, and an array of pointers to them."""

    name = "betweenness/vert-separate"
    implements = f"{BULK}, the slower version of it"

    def allocate(self, blocks: int) -> Buffer:
        self.parts: list[Buffer] = []  # those of a pass before are given back first
        self.parts = [self.device.empty(self.block_bytes(), np.uint8) for _ in range(blocks)]
        addresses = np.array([part.address for part in self.parts], np.uint64)
        return self.device.upload(addresses.view(np.uint8))


class InterleavedVert(Vert):
    """`betweenness/vert` with the entries of a vertex in all blocks side by side."""

    name = "betweenness/vert-interleaved"
    implements = f"{BULK}, the slower order"


class CountedAdditions(Brandes):
    """A variant whose kernel counts its atomic additions; `observed` has their number."""

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.counter = self.module.kernel("take_additions")

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.take()  # those of searches before, which predicted the time

    def take(self) -> int:
        """Return the number of atomic additions since the last call."""
        taken = self.device.empty(1, np.uint64)
        self.counter(1, 1, taken)
        return int(self.device.download(taken)[0])

    def observed(self) -> dict[str, float]:
        return {**super().observed(), "atomic_additions": self.take()}


class CountedEdge(CountedAdditions, Edge):
    """`betweenness/edge`, which counts its atomic additions."""

    name = "betweenness/edge-counted"
    implements = Edge.implements


class CountedVertVirtStride(CountedAdditions, VertVirtStride):
    """`betweenness/vert-virt-stride`, which counts its atomic additions."""

    name = "betweenness/vert-virt-stride-counted"
    implements = VertVirtStride.implements
