"""Graphs contracted to the vertices at which a shortest path may branch, exactly."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from retrace.devices.host import c_graph, loaded_library, pointer
from retrace.graphs.csr import CSRGraph, Int32Array

CONTRACT = "retrace_today/host/contraction.cpp"


@dataclass(frozen=True)
class Contraction:
    """What `kernels/retrace_today/host/contraction.cpp` makes of a graph: trees and chains are left out."""

    graph: CSRGraph
    """The whole graph."""
    core: CSRGraph
    """The graph of anchors; an arc is as long as the chain that it stands for."""
    number: Int32Array
    """Shape (vertices,): the number of each vertex among the anchors, -1 of others."""
    ways: Int32Array
    """Shape (vertices, 2, 2): two anchors by way of which a vertex is reached, and the lengths of the ways
    from there; -1 and 0 for an anchor."""

    @classmethod
    def of(cls, graph: CSRGraph) -> Self:
        """Contract a graph with weights."""
        number, ways = np.empty(graph.vertices, np.int32), np.empty((graph.vertices, 2, 2), np.int32)
        indptr = np.empty(graph.vertices + 1, np.int32)
        indices, weights = (np.empty(graph.arcs, np.int32) for _ in range(2))
        entering, arrays = graph.reversed(), map(pointer, (number, ways, indptr, indices, weights))
        anchors = loaded_library(CONTRACT).contract(c_graph(graph), c_graph(entering), *arrays)
        arcs = int(indptr[anchors])
        core = CSRGraph(indptr[: anchors + 1], indices[:arcs], weights[:arcs], graph.info)
        return cls(graph, core, number, ways)

    @property
    def anchors(self) -> Int32Array:
        """Return the vertex of each anchor. Shape (anchors,)."""
        return np.flatnonzero(self.number >= 0).astype(np.int32)

    def reach_anchors(self, source: int) -> tuple[Int32Array, Int32Array]:
        """Return what a source reaches first: anchors, at most two, and other vertices before any anchor.

        Shape (reached, 2) each: vertex and distance.
        """
        reached = np.empty((self.graph.vertices, 2), np.int32)
        count = loaded_library(CONTRACT).reach_anchors(
            c_graph(self.graph), pointer(self.number), source, pointer(reached)
        )
        is_anchor = self.number[reached[:count, 0]] >= 0
        return reached[:count][is_anchor], reached[:count][~is_anchor]
