"""Graph500's validation of a search: five rules that its tree must keep, whatever search has found it.

Graph500 Benchmark Specification 2.0, Kernel 2 output validation, and 3.0 for shortest paths. Levels or
distances are those of the tree itself; nothing here knows the right answer.
"""

from ctypes import c_longlong
from dataclasses import replace
from functools import cached_property

import numpy as np

from retrace.devices.host import function_of, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE

GRAPH500 = "Graph500's five rules"
RULES = {
    1: "the tree has no cycle",
    2: "a tree edge joins neighbouring levels, or distances that differ by its weight",
    3: "an edge joins levels at most one apart, or distances at most its weight, or lies outside the tree",
    4: "the tree spans the component of the source",
    5: "a tree edge is an edge of the graph",
}


def components(graph: CSRGraph) -> Int32Array:
    """Return the least vertex of each one's component, shape (vertices,), int32, of an undirected graph."""
    least = np.empty(graph.vertices, np.int32)
    function_of(graph, "host/components.cpp", "find_components")(pointer(least))
    return least


class TreeRules:
    """Validates trees of searches in one undirected graph."""

    def __init__(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.component = components(graph)

    def broken(
        self, source: int, length: Int32Array, predecessor: Int32Array, weighted: bool = False
    ) -> tuple[int, str] | None:
        """Return the first rule that a search from a source breaks, and how; None if it keeps all five.

        `length` has the levels or, `weighted`, the distances that the search answers, `UNREACHABLE` outside
        the tree; `predecessor` is -1 at the source and outside. Both have shape (vertices,) and int32.
        """
        graph = self.graph if weighted else replace(self.graph, weights=None)
        above = np.ascontiguousarray(predecessor, np.int32)
        length = np.ascontiguousarray(length, np.int32)
        outside = np.flatnonzero((above < -1) | (above >= graph.vertices))
        if len(outside):
            return 5, f"vertex {outside[0]} has the predecessor {above[outside[0]]}, which is no vertex"
        if above[source] != -1 or length[source] != 0:
            return 1, f"vertex {source}, the source, has predecessor {above[source]}, length {length[source]}"
        in_tree = above != -1
        in_tree[source] = True
        loose = np.flatnonzero(in_tree != (length != UNREACHABLE))
        if len(loose):
            return 4, f"vertex {loose[0]} has length {length[loose[0]]}"
        fault = np.full(2, -1, np.int64)
        find = function_of(graph, "host/validate_tree.cpp", "find_broken", c_longlong)
        rule = int(find(pointer(length), pointer(above), source, pointer(fault)))
        # Lengths that grow along each tree edge, by rule 2, leave no cycle.
        grow = not rule and (not weighted or self._positive)
        if not grow and (at := self._cycle(source, above, in_tree)) is not None:
            return 1, f"vertex {at} does not lead back to the source"
        if rule:
            return rule, f"edge {fault[0]} {fault[1]}"
        different = np.flatnonzero(in_tree != (self.component == self.component[source]))
        if len(different):
            return 4, f"vertex {different[0]} is {'' if in_tree[different[0]] else 'not '}in the tree"
        return None

    @cached_property
    def _positive(self) -> bool:
        """Whether all weights are."""
        weights = self.graph.weights
        return weights is None or bool((weights > 0).all())

    def _cycle(self, source: int, above: Int32Array, in_tree: np.ndarray) -> int | None:
        """Return a vertex of the tree from which predecessors do not end at the source, or None."""
        # After k rounds each vertex points at its 2^k-th ancestor, or at the end of its path.
        ancestor = np.where(above == -1, np.arange(len(above), dtype=np.int32), above)
        for _ in range(len(above).bit_length()):
            further = ancestor[ancestor]
            if np.array_equal(further, ancestor):
                break
            ancestor = further
        adrift = np.flatnonzero(in_tree & (ancestor != source))
        return int(adrift[0]) if len(adrift) else None
