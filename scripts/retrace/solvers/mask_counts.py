"""What the times of `sssp/standard` alone do not tell: its reads of memory, and each search on the host."""

from time import perf_counter
from typing import Any

import numpy as np

from retrace.devices.base import Kernel
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.sssp import StandardSSSP

EARLY = 0.1
"""The share of the mask in which an early search ends."""


class CountedSSSP(StandardSSSP):
    """`sssp/standard` that counts the sectors it reads labels from, and times each search on the host."""

    name = "sssp/standard-counted"
    more_sources = ("sssp/count-sectors.cu",)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.count = self.device.load(self.more_sources[0]).kernel("count_sectors")

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.searches_ms: list[float] = []
        self.reads, self.sectors = (self.device.upload(np.zeros(1, np.uint64)) for _ in range(2))

    def each_vertex(self, kernel: Kernel, *arguments: Any) -> None:
        if kernel is self.relax:
            super().each_vertex(self.count, *self.arcs[:2], self.mask, self.reads, self.sectors)
        super().each_vertex(kernel, *arguments)

    def find_masked(self) -> bool:
        began = perf_counter()
        found = super().find_masked()
        self.searches_ms.append((perf_counter() - began) * 1e3)
        return found

    def observed(self) -> dict[str, float]:
        """Return also how many labels are read, from how many sectors, and the ms of searches of the mask.

        An early search ends in its first tenth, at the median; the last search goes through all of it.
        """
        pairs = zip(self.searches_ms, self.found_at, strict=False)
        early = [ms for ms, first in pairs if first < EARLY * self.graph.vertices]
        searches = {"early_search_ms": float(np.median(early))} if early else {}
        counts = {"label_reads": self.reads, "label_sectors": self.sectors}
        return {
            **super().observed(),
            **searches,
            "whole_search_ms": self.searches_ms[-1],
            **{key: float(self.device.download(count)[0]) for key, count in counts.items()},
        }
