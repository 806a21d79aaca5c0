"""Graphs as sets of arcs: without parallel arcs and self-loops; whether each arc has a reverse."""

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array, offset_type


def simplify(graph: CSRGraph) -> CSRGraph:
    """Remove self-loops, parallel arcs and weights; the arcs of each vertex are sorted by head."""
    if is_simple(graph):
        indptr = graph.indptr.astype(offset_type(graph.arcs), copy=False)
        return CSRGraph(indptr, graph.indices, None, graph.info)
    indptr, kept = np.zeros(graph.vertices + 1, np.int64), [np.empty(0, np.int32)]
    for tails, arcs in graph.blocks():  # whose arrays are few, beside a large graph's
        different = _different_arcs(graph.vertices, tails, graph.indices[arcs])
        different_tails, heads = np.divmod(different, graph.vertices)
        rows, counts = np.unique(different_tails, return_counts=True)
        indptr[rows + 1] = counts
        kept.append(heads.astype(np.int32))
    np.cumsum(indptr, out=indptr)
    indices = np.concatenate(kept)
    return CSRGraph(indptr.astype(offset_type(len(indices))), indices, None, graph.info)


def is_simple(graph: CSRGraph) -> bool:
    """Return whether the heads of each vertex's arcs rise, and none is the vertex."""
    for tails, arcs in graph.blocks():
        heads = graph.indices[arcs]
        rises = (heads[1:] > heads[:-1]) | (tails[1:] > tails[:-1])
        if not rises.all() or np.any(tails == heads):
            return False
    return True


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
    arcs: NDArray[np.int64] = (tails.astype(np.int64) * vertices + heads)[tails != heads]
    if (arcs[1:] > arcs[:-1]).all():
        return arcs
    arcs.sort()
    first: NDArray[np.bool_] = np.diff(arcs, prepend=-1) > 0
    return arcs[first]
