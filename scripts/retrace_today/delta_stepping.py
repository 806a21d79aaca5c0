"""Delta-stepping in one cooperative launch, beside what else saves work in `workfront` and `frontier`."""

from time import perf_counter
from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import DELTA, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.solver import WARP
from retrace_today.frontier import FrontierSearch, choose_delta


class DeltaSteppingSSSP(FrontierSearch):
    """Buckets of width delta: light arcs are relaxed until the least is empty, its heavy arcs then, once.

    `upload` puts heads and weights side by side on the device, and the light arcs of each vertex first.
    Unless delta is given, it is that of `sssp/near-far`. U. Meyer and P. Sanders, "Δ-stepping: a
    parallelizable shortest path algorithm", Journal of Algorithms 49, 2003.
    """

    name = "sssp/delta-stepping"
    implements = "Meyer and Sanders, Journal of Algorithms, 2003, Δ-stepping, in one launch"
    settings: ClassVar[Settings] = {**FrontierSearch.settings, **DELTA}

    def kernel_name(self) -> str:
        return "delta_stepping"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.sort_by_class = self.module.kernel("sort_by_class")

    def memory_bytes(self, graph: CSRGraph) -> int:
        """Count the arcs twice: as they arrive, and by class."""
        offsets = graph.indptr.itemsize * (3 * graph.vertices + 2)
        arrays = offsets + 16 * graph.arcs + 4 * graph.vertices
        return arrays + self.frontier_bytes(graph, bitmaps=4, counters=4)

    def upload(self, query: Query) -> None:
        device, vertices = self.device, self.graph.vertices
        uploaded = self.upload_arcs(self.graph)
        began = perf_counter()
        self.delta = self.number("delta") or choose_delta(self.graph, 0)
        self.begins = device.empty(2 * vertices + 1, self.graph.indptr.dtype)
        self.arcs = device.empty(self.graph.arcs, np.uint64)
        self.sort_by_class(
            self.grid(vertices * WARP), self.block_size, np.int32(vertices), *uploaded, np.int32(self.delta),
            self.begins, self.arcs,
        )  # fmt: skip
        device.synchronize()
        self.prepare_ms = (perf_counter() - began) * 1e3
        self.distance = device.empty(vertices, np.int32)
        state = (
            np.uint32(self.delta), self.distance, device.empty(4 * -(-vertices // WARP), np.uint32),
            device.empty(2 * self.queue_entries, self.entry), np.uint32(self.queue_entries),
            device.empty(3, np.uint32), device.empty(2, np.int32), device.empty(2, np.uint64),
            *(np.uint32(self.number(key)) for key in ("piece", "block_queue_size")), self.counts,
        )  # fmt: skip
        self.pack_search(query, (np.int32(vertices), self.begins, self.arcs), state)

    def download(self) -> Int32Array:
        return self.device.download(self.distance)

    def observed(self) -> dict[str, float]:
        """Return delta, the buckets, the arcs relaxed, the heavy ones of them, and the ms to sort all."""
        _, buckets, light, heavy = self.seen.tolist()
        counts = {"delta": self.delta, "buckets": buckets, "arcs_relaxed": light + heavy}
        return counts | {"heavy_arcs_relaxed": heavy, "prepare_ms": self.prepare_ms}
