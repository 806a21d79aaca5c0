"""Smaller graphs with the same betweenness: parallel arcs, trees and triangles' tips taken out, exactly.

Betweenness here sums over ordered pairs (s, t) of a source and any other vertex, whose ends are not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs

Int64Array = NDArray[np.int64]


@dataclass(frozen=True)
class Compacted:
    """A graph whose vertices stand for several of a larger one.

    With Brandes' recurrence for every source s of `graph` that has `source_count[s] > 0`, and every w whose
    predecessor on a shortest path from s is v::

        delta[v] += sigma[v] / sigma[w] * (reach[w] + delta[w])
        score[v] += source_count[s] * delta[v]      for v other than s

    the scores of the larger graph are `extra`, and `score` added to it at the places `kept`.

    Attributes
    ----------
    graph
        What is left, its vertices numbered anew; vertices keep their order.
    kept
        The larger graph's number of each of its vertices, shape (graph.vertices,), ascending.
    reach
        How often each vertex counts as a target: for itself and what hung on it, shape (graph.vertices,).
    source_count
        How often each vertex counts as a source, shape (graph.vertices,).
    extra
        What is known without a search, shape (vertices of the larger graph,): whole numbers.
    """

    graph: CSRGraph
    kept: Int32Array
    reach: Int32Array
    source_count: Int32Array
    extra: NDArray[np.float64]

    def expand(self, score: NDArray[np.float32 | np.float64]) -> NDArray[np.float64]:
        """Turn scores of `graph` into those of the larger graph, shape (vertices of the larger graph,)."""
        scores = self.extra.copy()
        scores[self.kept] += score
        return scores


def simplify(graph: CSRGraph) -> CSRGraph:
    """Drop self-loops, parallel arcs and weights; each vertex's arcs are sorted by their heads."""
    tails, heads = np.divmod(
        _different_arcs(graph.vertices, graph.tails(), graph.indices), max(1, graph.vertices)
    )
    return from_arcs(graph.vertices, tails, heads, None, graph.info)


def is_symmetric(graph: CSRGraph) -> bool:
    """Tell whether every arc has its reverse; how many parallel arcs there are does not matter."""
    there = _different_arcs(graph.vertices, graph.tails(), graph.indices)
    return np.array_equal(there, _different_arcs(graph.vertices, graph.indices, graph.tails()))


def compact(graph: CSRGraph, sources: Sequence[int] | Int32Array | None = None) -> Compacted:
    """Take vertices of degree 1 away, over and over; a tree shrinks to one vertex.

    From a directed graph (`info["directed"]` is not False) nothing is taken: an arc that goes one way is no
    reason for all paths to end there.

    Parameters
    ----------
    graph
        A simple graph, as `simplify` makes it.
    sources
        The sources of the scores asked for; None for all vertices.

    References
    ----------
    Report domitrz-brandes, class Compacted_graph_representation; A. E. Sariyuce, E. Saule, K. Kaya and
    U. V. Catalyurek, "Shattering and Compressing Networks for Betweenness Centrality", SDM 2013, degree-1
    vertices.
    """
    count = np.ones(graph.vertices, dtype=np.int64)
    if sources is not None:
        count = np.bincount(np.asarray(sources, dtype=np.int64), minlength=graph.vertices)
    return _compact(graph, np.ones(graph.vertices, dtype=np.int64), count)


def without_side_vertices(compacted: Compacted) -> tuple[Compacted, ...]:
    """Take away vertices of degree 2 whose neighbours are adjacent: no shortest path leads through them.

    They still are ends of paths. So the scores are the sum of two rounds of Brandes' algorithm, each with the
    recurrence of `Compacted`. The first starts from these vertices alone, in the whole graph, and there each
    other vertex counts twice as a target: for the paths to it and for those back. The second starts from all
    others, in what is left, compacted again. The rounds' scores, each brought back by `expand`, add up to
    those of `compacted`.

    Returns
    -------
    rounds
        Two, or `compacted` alone: if there are no such vertices, if the graph is directed, or if not every
        vertex is a source, where a search from each of them would cost more than it saves.

    References
    ----------
    Report domitrz-brandes, "Further graph reductions"; Sariyuce et al., SDM 2013, side vertices.
    """
    graph, reach, count = compacted.graph, compacted.reach, compacted.source_count
    side = _side_vertices(graph)
    if graph.info.get("directed") is not False or not side.any() or not np.array_equal(reach, count):
        return (compacted,)
    none = np.int32(0)
    first = Compacted(
        graph, compacted.kept, np.where(side, reach, 2 * reach), np.where(side, count, none), compacted.extra
    )
    left = np.flatnonzero(~side)
    second = _compact(_induced(graph, left), reach[left].astype(np.int64), count[left].astype(np.int64))
    extra = np.zeros_like(compacted.extra)
    extra[compacted.kept[left]] = second.extra
    kept = compacted.kept[left[second.kept]]
    return first, Compacted(second.graph, kept, second.reach, second.source_count, extra)


def _different_arcs(vertices: int, tails: Int32Array, heads: Int32Array) -> Int64Array:
    """Return each arc between different vertices once, as tail * vertices + head, ascending."""
    arcs = np.sort((tails.astype(np.int64) * vertices + heads)[tails != heads])
    return arcs[np.diff(arcs, prepend=-1) > 0]


def _compact(graph: CSRGraph, own_reach: Int64Array, own_count: Int64Array) -> Compacted:
    """Compact a graph whose vertices already stand for some others, whose own share is known."""
    if graph.info.get("directed") is not False:
        order, parents = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    else:
        order, parents = _peel(graph)
    reach, count = (_sum_subtrees(own, order, parents) for own in (own_reach, own_count))
    kept = np.delete(np.arange(graph.vertices), order)
    extra = np.zeros(graph.vertices, dtype=np.int64)
    if len(order):
        # Without v its component falls into branches: what hung on each child, and the rest. Pairs of
        # different branches meet in v. Pairs of the rest alone are left to the search.
        matrix = scipy.sparse.csr_array(
            (np.ones(graph.arcs, dtype=np.int8), graph.indices, graph.indptr),
            shape=(graph.vertices, graph.vertices),
        )
        component = scipy.sparse.csgraph.connected_components(matrix, directed=False)[1]
        all_reach, all_count = (
            np.bincount(component[kept], weights=total[kept]).astype(np.int64)[component]
            for total in (reach, count)
        )
        extra = (all_count - own_count) * (all_reach - own_reach)
        np.subtract.at(extra, parents, count[order] * reach[order])
        extra -= (all_count - count) * (all_reach - reach)
    return Compacted(
        _induced(graph, kept),
        kept.astype(np.int32),
        reach[kept].astype(np.int32),
        count[kept].astype(np.int32),
        extra.astype(np.float64),
    )


def _peel(graph: CSRGraph) -> tuple[Int64Array, Int64Array]:
    """List the vertices of degree 1 in an order in which they can go, and what each hangs on then.

    The exclusive or of the neighbours a vertex has left is the neighbour itself once there is only one.
    """
    neighbours = np.zeros(graph.vertices, dtype=np.int32)
    filled = np.flatnonzero(graph.degrees())
    if len(filled):
        neighbours[filled] = np.bitwise_xor.reduceat(graph.indices, graph.indptr[filled])
    degree, left = graph.degrees().tolist(), neighbours.tolist()
    order: list[int] = []
    parents: list[int] = []
    for leaf in np.flatnonzero(graph.degrees() == 1).tolist():
        while degree[leaf] == 1:  # what it hung on may be the next
            parent = left[leaf]
            order.append(leaf)
            parents.append(parent)
            degree[leaf] = 0
            degree[parent] -= 1
            left[parent] ^= leaf
            leaf = parent
    return np.array(order, dtype=np.int64), np.array(parents, dtype=np.int64)


def _sum_subtrees(own: Int64Array, order: Int64Array, parents: Int64Array) -> Int64Array:
    """Add to each vertex's own value those of all that hangs on it."""
    total: list[int] = own.tolist()
    for leaf, parent in zip(order.tolist(), parents.tolist(), strict=True):
        total[parent] += total[leaf]
    return np.array(total, dtype=np.int64)


def _induced(graph: CSRGraph, kept: Int64Array) -> CSRGraph:
    """Keep some vertices and the arcs among them; the vertices are numbered anew in their order."""
    number = np.full(graph.vertices, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    tails, heads = number[graph.tails()], number[graph.indices]
    inside = (tails >= 0) & (heads >= 0)
    return from_arcs(len(kept), tails[inside], heads[inside], None, graph.info)


def _side_vertices(graph: CSRGraph) -> NDArray[np.bool_]:
    """Return which vertices have exactly two neighbours, adjacent to each other; shape (vertices,)."""
    side = np.zeros(graph.vertices, dtype=np.bool_)
    two = np.flatnonzero(graph.degrees() == 2)
    if len(two) == 0:
        return side
    first, second = (graph.indices[graph.indptr[two] + place].astype(np.int64) for place in (0, 1))
    arcs = graph.tails().astype(np.int64) * graph.vertices + graph.indices
    sought = first * graph.vertices + second
    side[two] = np.take(arcs, np.searchsorted(arcs, sought), mode="clip") == sought
    return side
