"""Graphs as sets of arcs: without parallel arcs and self-loops; whether each arc has a reverse."""

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs


def simplify(graph: CSRGraph) -> CSRGraph:
    """Remove self-loops, parallel arcs and weights; the arcs of each vertex are sorted by head."""
    if is_simple(graph):
        return CSRGraph(graph.indptr, graph.indices, None, graph.info)
    tails, heads = np.divmod(
        _different_arcs(graph.vertices, graph.tails(), graph.indices), max(1, graph.vertices)
    )
    return from_arcs(graph.vertices, tails, heads, None, graph.info)


def is_simple(graph: CSRGraph) -> bool:
    """Return whether the heads of each vertex's arcs rise, and none is the vertex."""
    rises = np.ones(graph.arcs, np.bool_)
    rises[1:] = graph.indices[1:] > graph.indices[:-1]
    rises[graph.indptr[:-1][np.diff(graph.indptr) > 0]] = True
    return bool(rises.all()) and not np.any(graph.tails() == graph.indices)


def has_parallel_arcs(graph: CSRGraph) -> bool:
    """Return whether two arcs between different vertices have the same tail and the same head."""
    loops = int(np.count_nonzero(graph.tails() == graph.indices))
    different = _different_arcs(graph.vertices, graph.tails(), graph.indices)
    return len(different) < graph.arcs - loops


def is_symmetric(graph: CSRGraph) -> bool:
    """Return whether every arc has a reverse arc; the number of parallel arcs does not matter."""
    arcs = _different_arcs(graph.vertices, graph.tails(), graph.indices)
    return np.array_equal(arcs, _different_arcs(graph.vertices, graph.indices, graph.tails()))


def _different_arcs(vertices: int, tails: Int32Array, heads: Int32Array) -> NDArray[np.int64]:
    """List each arc between different vertices once, as tail * vertices + head, ascending."""
    arcs = np.sort((tails.astype(np.int64) * vertices + heads)[tails != heads])
    return arcs[np.diff(arcs, prepend=-1) > 0]
