"""Single-source shortest paths on a device: the distance of every vertex."""

from __future__ import annotations

import numpy as np

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.solvers.registry import BLOCK_SIZE, REGISTRY, DeviceSolver, Query


@REGISTRY.add
class BspSSSP(DeviceSolver):
    """Two bulk-synchronous kernels an iteration; the host reads the termination flag after each."""

    name = "sssp/bsp"
    implements = "bsp-suite, section 3.4.3, second Algorithms 3.5 and 3.6"
    sources = ("sssp/bsp.cu",)

    def setup(self, graph: CSRGraph) -> None:
        """Load both kernels."""
        self.graph = graph
        module = self.device.load("sssp/bsp.cu")
        self.kernel1, self.kernel2 = module.kernel("sssp_kernel1"), module.kernel("sssp_kernel2")

    def upload(self, query: Query) -> None:
        """Send the graph; the source is masked and at distance 0."""
        graph, device = self.graph, self.device
        assert graph.weights is not None
        mask = np.zeros(graph.vertices, dtype=np.bool_)
        mask[query.source] = True
        distance = np.full(graph.vertices, UNREACHABLE, dtype=np.int32)
        distance[query.source] = 0
        self.indptr, self.indices = device.upload(graph.indptr), device.upload(graph.indices)
        self.weights = device.upload(graph.weights)
        self.mask = device.upload(mask)
        self.distance, self.updating = device.upload(distance), device.upload(distance)
        self.more = device.empty(1, np.int32)

    def solve(self, query: Query) -> int:
        """Relax until no distance falls."""
        vertices = np.int32(self.graph.vertices)
        grid = self.grid(self.graph.vertices)
        no, more = np.zeros(1, np.int32), np.ones(1, np.int32)
        iterations = 0
        while more[0]:
            self.device.write(self.more, no)
            self.kernel1(
                grid, BLOCK_SIZE, vertices, self.indptr, self.indices, self.weights, self.mask, self.distance,
                self.updating,
            )  # fmt: skip
            self.kernel2(grid, BLOCK_SIZE, vertices, self.mask, self.distance, self.updating, self.more)
            self.device.read(self.more, more)
            iterations += 1
        return iterations

    def download(self) -> Int32Array:
        """Fetch the distances."""
        return self.device.download(self.distance)
