"""Shortest paths, traced back from any vertex by predecessors, or by levels or distances alone."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.errors import RetraceError

ArcIds = NDArray[np.integer[Any]]
"""Positions in `indices` and `weights`, ascending but for a path's."""


def find_predecessors(
    graph: CSRGraph, source: int, lengths: Int32Array, weights: Int32Array | None
) -> Int32Array:
    """Find a predecessor for every vertex from its level or distance `lengths`, shape (vertices,), alone.

    An arc fits if the lengths of its head and its tail differ by its weight, or by 1 if `weights` is None. A
    search from the source along the fitting arcs gives the predecessors, shape (vertices,); -1 for the source
    and for unreached vertices. A walk backwards could enter a cycle of weight 0.

    Raises RetraceError if no path to some vertex has the length given for it.
    """
    tail_lengths, head_lengths = lengths[graph.tails()], lengths[graph.indices]
    fits = tail_lengths.astype(np.int64) + (1 if weights is None else weights) == head_lengths
    fits &= (tail_lengths != UNREACHABLE) & (head_lengths != UNREACHABLE)
    fitting = keep_arcs(graph, np.flatnonzero(fits))
    scipy_predecessor = scipy.sparse.csgraph.breadth_first_order(fitting.to_scipy(), source)[1]
    predecessor = np.maximum(scipy_predecessor, -1).astype(np.int32)  # SciPy has -9999 for none
    needs_predecessor = lengths != UNREACHABLE
    needs_predecessor[source] = False
    loose = np.flatnonzero(needs_predecessor & (predecessor < 0))
    if len(loose):
        raise RetraceError(
            f"vertex {loose[0]} (from 0) has length {lengths[loose[0]]} from vertex {source}, but no path "
            "has that length; check the answer"
        )
    return predecessor


def trace(predecessor: Int32Array, source: int, target: int) -> Int32Array:
    """Return the path's vertices from source to target; raise RetraceError if predecessors lead elsewhere."""
    path = [target]
    while path[-1] != source:
        previous = int(predecessor[path[-1]])
        if previous < 0:
            raise RetraceError(f"vertex {target} (from 0) is not reached from vertex {source}")
        if len(path) == len(predecessor):
            raise RetraceError(
                f"the predecessors of vertex {target} (from 0) form a cycle, not a path from vertex {source}"
            )
        path.append(previous)
    return np.array(path[::-1], dtype=np.int32)


def only_along(predecessor: Int32Array, paths: Iterable[Int32Array]) -> Int32Array:
    """Keep the predecessors of the vertices on some paths, and set all others to -1."""
    kept = np.full_like(predecessor, -1)
    for path in paths:
        kept[path] = predecessor[path]
    return kept


def find_arcs(graph: CSRGraph, predecessor: Int32Array) -> ArcIds:
    """Find the arc to each vertex from its predecessor, the lightest of several; else raise RetraceError."""
    used = np.flatnonzero(predecessor[graph.indices] == graph.tails())
    heads = graph.indices[used]
    weights = np.zeros(len(used)) if graph.weights is None else graph.weights[used]
    order = np.lexsort((weights, heads))
    arcs = np.sort(used[order[np.unique(heads[order], return_index=True)[1]]])
    without = predecessor >= 0
    without[graph.indices[arcs]] = False
    if without.any():
        vertex = int(np.argmax(without))
        raise RetraceError(
            f"vertex {predecessor[vertex]} is the predecessor of vertex {vertex} (from 0), "
            "but has no arc to it"
        )
    return arcs


def arcs_of(graph: CSRGraph, path: Int32Array) -> ArcIds:
    """Return the arcs of a path in its own order, the lightest of several; else raise RetraceError."""
    predecessor, place = np.full((2, graph.vertices), -1, dtype=np.int32)
    predecessor[path[1:]] = path[:-1]
    place[path] = np.arange(len(path))
    arcs = find_arcs(graph, predecessor)
    return arcs[np.argsort(place[graph.indices[arcs]])]


def keep_arcs(graph: CSRGraph, arcs: ArcIds) -> CSRGraph:
    """Return a graph with the same vertices and only the given arcs, in the same order."""
    return CSRGraph(
        np.searchsorted(arcs, graph.indptr).astype(np.int32),
        graph.indices[arcs],
        None if graph.weights is None else graph.weights[arcs],
        {"name": graph.name},
    )
