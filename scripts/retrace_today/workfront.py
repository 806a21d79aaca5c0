"""Ways to save the work of Bellman-Ford that report an-bellman-ford names and does not build.

Each relaxes the arcs of the vertices whose distance fell in the last iteration, in one cooperative launch.
What tells them apart from each other and from `sssp/near-far` is what they save, and not how it is launched.
"""

from time import perf_counter

import numpy as np

from cuda_device.interface import Buffer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.solver import WARP
from retrace_today.arcs_on_device import arc_count
from retrace_today.frontier import FrontierSearch
from retrace_today.reversed_arcs import ReversedArcs


class WorkfrontSweepSSSP(FrontierSearch):
    """A queue of the vertices whose distance fell, each once; their arcs alone are relaxed.

    `upload` puts heads and weights side by side on the device. A. Davidson, S. Baxter, M. Garland and
    J. D. Owens, "Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths", IPDPS 2014.
    """

    name = "sssp/workfront-sweep"
    implements = "Davidson, Baxter, Garland and Owens, IPDPS 2014, Workfront Sweep, in one launch"

    def kernel_name(self) -> str:
        return "workfront_sweep"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.load_preparation()

    def load_preparation(self) -> None:
        """Load the kernels of `prepare`."""
        self.interleave = self.module.kernel("interleave")

    def memory_bytes(self, graph: CSRGraph) -> int:
        """Count the arcs twice: as they arrive, and with head and weight side by side."""
        arrays = graph.indptr.nbytes + 16 * graph.arcs + 4 * graph.vertices
        return arrays + self.frontier_bytes(graph, bitmaps=2, counters=2)

    def upload(self, query: Query) -> None:
        device, vertices = self.device, self.graph.vertices
        indptr, indices, weights = self.upload_arcs(self.graph)
        began = perf_counter()
        arcs = device.empty(self.graph.arcs, np.uint64)
        self.prepare(indptr, indices, weights, arcs)
        device.synchronize()
        self.prepare_ms = (perf_counter() - began) * 1e3
        self.distance = device.empty(vertices, np.int32)
        state = (
            self.distance, device.empty(2 * -(-vertices // WARP), np.uint32),
            device.empty(2 * self.queue_entries, self.entry), np.uint32(self.queue_entries),
            device.empty(3, np.uint32), device.empty(1, np.uint64),
            *(np.uint32(self.number(key)) for key in ("piece", "block_queue_size")), self.counts,
        )  # fmt: skip
        self.pack_search(query, (np.int32(vertices), indptr, arcs), state)

    def prepare(self, indptr: Buffer, indices: Buffer, weights: Buffer, arcs: Buffer) -> None:
        """Fill `arcs`, head and weight of each side by side, shape (arcs,), uint64."""
        count = arc_count(self.graph)
        self.interleave(self.grid(arcs.size), self.block_size, count, indices, weights, arcs)

    def download(self) -> Int32Array:
        return self.device.download(self.distance)

    def observed(self) -> dict[str, float]:
        """Return the number of arcs relaxed, and the ms to prepare them."""
        return {"arcs_relaxed": int(self.seen[1]), "prepare_ms": self.prepare_ms}


class EdgeClassesSSSP(WorkfrontSweepSSSP):
    """`sssp/workfront-sweep` with arcs in classes, of which some need no atomic, no queue, or nothing at all.

    `upload` marks each arc with its class, on the device. F. Busato and N. Bombieri, "An Efficient
    Implementation of the Bellman-Ford Algorithm for Kepler GPU Architectures", IEEE TPDS 27, 2016.
    """

    name = "sssp/edge-classes"
    implements = "Busato and Bombieri, TPDS 2016, frontier propagation and edge classification, in one launch"
    more_sources = (ReversedArcs.source,)

    def kernel_name(self) -> str:
        return "edge_classes"

    def load_preparation(self) -> None:
        self.classify = self.module.kernel("classify")
        self.count_entering = self.load_for(self.graph, ReversedArcs.source).kernel("count_entering")

    def memory_bytes(self, graph: CSRGraph) -> int:
        """Count also the arcs that enter each vertex."""
        return super().memory_bytes(graph) + graph.indptr.nbytes

    def prepare(self, indptr: Buffer, indices: Buffer, weights: Buffer, arcs: Buffer) -> None:
        """Fill `arcs` as above, and mark them: kernels/retrace_today/sssp/edge-classes.cu."""
        device, vertices, count = self.device, self.graph.vertices, arc_count(self.graph)
        entering = device.empty(indptr.size, indptr.dtype)
        device.fill(entering, 0)
        self.count_entering(self.grid(arcs.size), self.block_size, count, indices, entering)
        blocks = self.grid(vertices * WARP)
        self.classify(blocks, self.block_size, np.int32(vertices), indptr, indices, weights, entering, arcs)
