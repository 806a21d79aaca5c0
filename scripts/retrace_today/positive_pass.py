"""A faster pass for predecessors, of graphs in which no arc has weight 0."""

import numpy as np

from cuda_device.interface import Buffer
from retrace.graphs.csr import CSRGraph
from retrace.solvers.predecessor_pass import PredecessorPass


class PositivePass(PredecessorPass):
    """A search whose predecessors are found by a faster pass where no arc has weight 0.

    What follows is set by `upload`, if predecessors are wanted.
    """

    positive_source = "retrace_today/sssp/positive-predecessor-pass.cu"
    arcs: list[Buffer]
    """The graph as it is stored: `indptr`, `indices` and weights."""
    answer: Buffer
    """The distances, which the search has found."""
    found: Buffer
    """The predecessors."""

    def load_pass(self, graph: CSRGraph) -> None:
        super().load_pass(graph)
        self.take_positive = self.device.load(self.positive_source).kernel("take_positive_predecessors")

    def find_tree(self, graph: CSRGraph, source: int) -> None:
        """Find the predecessors in the distances."""
        if self.has_weightless:
            self.device.fill(self.found, -1)
        vectors = *self.arcs, self.answer, self.found
        self.take_positive(self.grid(graph.vertices), self.block_size, np.int32(graph.vertices), *vectors)
        if self.has_weightless:
            self.add_weightless(graph, self.arcs, source, self.answer, self.found)
