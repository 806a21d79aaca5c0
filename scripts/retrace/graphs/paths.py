"""Shortest paths, traced back from any vertex: from predecessors, or from levels or distances alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.system.errors import RetraceError

ArcIds = NDArray[np.integer[Any]]
"""Places in `indices` and `weights`, ascending."""


def find_predecessors(
    graph: CSRGraph, source: int, lengths: Int32Array, weights: Int32Array | None
) -> Int32Array:
    """Find a predecessor for every vertex from levels or distances alone, shape (vertices,).

    An arc fits if its head is just as much farther from the source as the arc is long. A search from the
    source along such arcs gives the predecessors; a walk back could go round a cycle of weight 0.

    Parameters
    ----------
    graph
        The graph.
    source
        Where all paths begin.
    lengths
        Level or distance of each vertex, shape (vertices,).
    weights
        The arcs' lengths; None for levels, where each arc counts 1.

    Returns
    -------
    predecessor
        Vertex before each vertex; -1 for the source and for what it does not reach.

    Raises
    ------
    RetraceError
        If no path to some vertex has the length that it is said to have.
    """
    before, after = lengths[graph.tails()], lengths[graph.indices]
    through = before.astype(np.int64) + (1 if weights is None else weights)
    fits = through == after
    fits &= (before != UNREACHABLE) & (after != UNREACHABLE)
    fitting = keep_arcs(graph, np.flatnonzero(fits))
    matrix = scipy.sparse.csr_array(
        (np.ones(fitting.arcs), fitting.indices, fitting.indptr), shape=(graph.vertices, graph.vertices)
    )
    found = scipy.sparse.csgraph.breadth_first_order(matrix, source)[1]
    predecessor = np.maximum(found, -1).astype(np.int32)  # SciPy has -9999 for none
    should = lengths != UNREACHABLE
    should[source] = False
    loose = np.flatnonzero(should & (predecessor < 0))
    if len(loose):
        raise RetraceError(
            f"vertex {loose[0]} (from 0) is said to be {lengths[loose[0]]} from vertex {source}, but no path "
            "has that length; check the answer"
        )
    return predecessor


def trace(predecessor: Int32Array, source: int, target: int) -> Int32Array:
    """Follow predecessors back from any vertex.

    Returns
    -------
    path
        The path's vertices from source to target, both included; the source alone if it is the target.

    Raises
    ------
    RetraceError
        If there is no path, or the predecessors lead round a circle.
    """
    path = [target]
    while path[-1] != source:
        before = int(predecessor[path[-1]])
        if before < 0:
            raise RetraceError(f"vertex {target} (from 0) is not reached from vertex {source}")
        if len(path) == len(predecessor):
            raise RetraceError(
                f"the predecessors of vertex {target} (from 0) lead round a circle, not to vertex {source}"
            )
        path.append(before)
    return np.array(path[::-1], dtype=np.int32)


def only_along(predecessor: Int32Array, paths: Iterable[Int32Array]) -> Int32Array:
    """Keep the predecessors of some paths' vertices, -1 elsewhere."""
    kept = np.full_like(predecessor, -1)
    for path in paths:
        kept[path] = predecessor[path]
    return kept


def find_arcs(graph: CSRGraph, predecessor: Int32Array) -> ArcIds:
    """Find the arc from each vertex's predecessor to it, the lightest of parallel ones.

    Raises
    ------
    RetraceError
        If there is none for some vertex.
    """
    used = np.flatnonzero(predecessor[graph.indices] == graph.tails())
    heads = graph.indices[used]
    weights = np.zeros(len(used)) if graph.weights is None else graph.weights[used]
    order = np.lexsort((weights, heads))
    first = np.ones(len(used), dtype=np.bool_)
    first[1:] = heads[order[1:]] != heads[order[:-1]]
    arcs = np.sort(used[order[first]])
    without = predecessor >= 0
    without[graph.indices[arcs]] = False
    if without.any():
        vertex = int(np.argmax(without))
        raise RetraceError(
            f"vertex {predecessor[vertex]} is said to precede vertex {vertex} (from 0), without an arc"
        )
    return arcs


def keep_arcs(graph: CSRGraph, arcs: ArcIds) -> CSRGraph:
    """Make a graph of the same vertices with only these arcs, in the same order."""
    return CSRGraph(
        np.searchsorted(arcs, graph.indptr).astype(np.int32),
        graph.indices[arcs],
        None if graph.weights is None else graph.weights[arcs],
        {"name": graph.name},
    )
