"""Predecessors of a shortest-path search, found by a pass over all arcs after the distances.

Any arc that fits the distances exactly gives its head a predecessor; arcs of weight 0 come last, and only
from vertices with a path from the source.
"""

import numpy as np

from cuda_device.interface import Buffer
from retrace.graphs.csr import CSRGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers.solver import DeviceSolver


class PredecessorPass(DeviceSolver):
    """A search that may find its predecessors by such a pass."""

    pass_source = "sssp/mask-predecessor-pass.cu"

    def load_pass(self, graph: CSRGraph) -> None:
        """Load the kernels of the pass."""
        module = self.device.load(self.pass_source)
        self.take = module.kernel("take_predecessors")
        self.take_weightless = module.kernel("take_weightless_predecessors")
        assert graph.weights is not None
        self.has_weightless = bool((graph.weights == 0).any())

    def find_predecessors(
        self, graph: CSRGraph, arcs: list[Buffer], source: int, distance: Buffer, predecessor: Buffer
    ) -> None:
        """Run the pass; the predecessors are -1 before."""
        grid, block, vertices = self.grid(graph.vertices), self.block_size, np.int32(graph.vertices)
        self.take(grid, block, vertices, *arcs, distance, np.int32(UNREACHABLE), predecessor)
        if self.has_weightless:
            self.add_weightless(graph, arcs, source, distance, predecessor)

    def add_weightless(
        self, graph: CSRGraph, arcs: list[Buffer], source: int, distance: Buffer, predecessor: Buffer
    ) -> None:
        """Find predecessors along arcs of weight 0, of vertices that have none."""
        grid, block, vertices = self.grid(graph.vertices), self.block_size, np.int32(graph.vertices)
        more, flag = np.ones(1, dtype=np.int32), self.device.empty(1, np.int32)
        while more[0]:
            self.device.fill(flag, 0)
            vectors = np.int32(source), distance, predecessor, flag
            self.take_weightless(grid, block, vertices, *arcs, *vectors)
            self.device.read(flag, more)
