"""Errors of Bellman-Ford: negative cycles, distances beyond 32 bits, negative weights for Dijkstra."""

import numpy as np

from retrace.devices.host import c_graph, host_function
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.errors import RetraceError, VertexError

SOURCE = "host/negative_cycle.cpp"
LEAST = np.iinfo(np.int32).min
"""The distance at which sums stop falling, in `kernels/bellman-ford/sum.h`."""


def find_negative_cycle(graph: CSRGraph, source: int) -> int | None:
    """Return a vertex on a negative cycle that the source reaches, or None if there is no such cycle.

    It runs Bellman-Ford in C++ with 64-bit distances, and searches the predecessors for a cycle after each
    round (Cherkassky and Goldberg, "Negative-cycle detection algorithms", Math. Program. 85, 1999).
    """
    vertex = int(host_function(SOURCE, "negative_cycle")(c_graph(graph), source))
    return None if vertex < 0 else vertex


def refuse_endless(graph: Graph, source: int) -> RetraceError:
    """Return the error for distances that still fall after as many rounds as vertices, or below 32 bits."""
    assert not isinstance(graph, DenseGraph), "its weights are positive"
    vertex = find_negative_cycle(graph, source)
    if vertex is None:
        limits = f"{LEAST + 1} to {UNREACHABLE - 1}"
        words = f"distances from vertex {{}} pass what 32 bits hold, {limits}; scale the weights down"
        return VertexError(graph.name, words, (source,))
    words = (
        "vertex {} lies on a negative cycle that vertex {} reaches, so that there are no shortest distances; "
        "take another source, or mend the weights"
    )
    return VertexError(graph.name, words, (vertex, source))


class DistanceCheck:
    """Detects answers that are not distances, because sums stopped at the ends of the 32-bit range."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph  # what depends on it alone is computed once, before any trial
        heaviest = 0  # a complete graph's weights are small enough by construction
        if isinstance(graph, CSRGraph) and graph.weights is not None and graph.arcs:
            heaviest = int(graph.weights.max())
        self.may_rise = heaviest * graph.vertices >= UNREACHABLE

    def check(self, source: int, distance: Int32Array) -> Int32Array:
        """Return the distances, shape (vertices,), int32, unchanged; raise RetraceError if they are invalid.

        They are if one fell to the least 32-bit number, or an arc leads from a reached vertex to one that is
        not reached because its distance exceeds 32 bits. A negative cycle that is the cause is named.
        """
        if distance.min() == LEAST or (self.may_rise and self.is_cut_short(distance)):
            raise refuse_endless(self.graph, source)
        return distance

    def is_cut_short(self, distance: Int32Array) -> bool:
        """Return whether an arc leads from a reached vertex to one that is not reached."""
        assert isinstance(self.graph, CSRGraph)
        reached = distance != UNREACHABLE
        return any(
            (reached[tails] & ~reached[self.graph.indices[arcs]]).any() for tails, arcs in self.graph.blocks()
        )


def require_nonnegative(graph: Graph, solver: str) -> None:
    """Raise RetraceError if a weight is negative, naming the first such arc."""
    if isinstance(graph, DenseGraph) or graph.weights is None:
        return
    negative = np.flatnonzero(graph.weights < 0)
    if len(negative):
        arc = negative[0]
        tail = int(np.searchsorted(graph.indptr, arc, side="right")) - 1
        raise RetraceError(
            f"{graph.name}: the arc from {tail} to {graph.indices[arc]} (from 0) has weight "
            f"{graph.weights[arc]}, and {solver} takes none below 0; use bellman-ford/sequential"
        )
