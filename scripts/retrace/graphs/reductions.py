"""Exact reductions for betweenness: remove parallel arcs, vertices of degree 1, and side vertices; symmetry.

Betweenness here is a sum over ordered pairs (s, t) of a source and any other vertex; s and t do not count as
between.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array, from_arcs
from retrace.system.errors import RetraceError

Int64Array = NDArray[np.int64]


@dataclass(frozen=True)
class Compacted:
    """A reduced graph; each of its vertices stands for one or more vertices of the original graph.

    Brandes' recurrence runs from every source s of `graph` that has `source_count[s] > 0`. For every w and
    every predecessor v of w on a shortest path from s::

        delta[v] += sigma[v] / sigma[w] * (reach[w] + delta[w])
        score[v] += source_count[s] * delta[v]      for v other than s

    The scores of the original graph are `extra`, plus `score` at the positions `kept`. `reach`,
    `source_count` and `kept` have the shape (graph.vertices,).
    """

    graph: CSRGraph
    """The vertices are renumbered and keep their order."""
    kept: Int32Array
    """Original number of each vertex, ascending."""
    reach: Int32Array
    """For how many original vertices each vertex is a target: itself and those removed behind it."""
    source_count: Int32Array
    """Number of original sources for which each vertex counts as a source."""
    extra: NDArray[np.float64]
    """Scores that follow without a search, shape (vertices of the original graph,): whole numbers."""

    def expand(self, score: NDArray[np.float32 | np.float64]) -> NDArray[np.float64]:
        """Return the scores of the original graph, shape (its vertices,), from those of `graph`."""
        scores = self.extra.copy()
        scores[self.kept] += score
        return scores


def simplify(graph: CSRGraph) -> CSRGraph:
    """Remove self-loops, parallel arcs and weights; the arcs of each vertex are sorted by head."""
    tails, heads = np.divmod(
        _different_arcs(graph.vertices, graph.tails(), graph.indices), max(1, graph.vertices)
    )
    return from_arcs(graph.vertices, tails, heads, None, graph.info)


def is_symmetric(graph: CSRGraph) -> bool:
    """Return whether every arc has a reverse arc; the number of parallel arcs does not matter."""
    there = _different_arcs(graph.vertices, graph.tails(), graph.indices)
    return np.array_equal(there, _different_arcs(graph.vertices, graph.indices, graph.tails()))


def with_reverse_arcs(graph: CSRGraph) -> CSRGraph:
    """Add the reverse of each arc that has none with the same weight; `info` then says undirected."""
    tails, heads, weights = graph.tails(), graph.indices, graph.weights
    ends = np.array((tails, heads), dtype=np.int64)
    arcs = ends * graph.vertices + ends[::-1]  # the arcs, and their reverse
    if weights is not None:
        arcs = np.unique(arcs, return_inverse=True)[1].reshape(arcs.shape) * 2**32 + weights
    lacking = ~np.isin(arcs[1], arcs[0])
    if graph.arcs + lacking.sum() >= UNREACHABLE:
        raise RetraceError(
            f"{graph.name}: has more than {UNREACHABLE - 1} arcs (32 bits) with their reverse arcs"
        )
    tails, heads = np.append(tails, heads[lacking]), np.append(heads, tails[lacking])
    weights = None if weights is None else np.append(weights, weights[lacking])
    return from_arcs(graph.vertices, tails, heads, weights, {**graph.info, "directed": False})


def compact(graph: CSRGraph, sources: Sequence[int] | Int32Array | None = None) -> Compacted:
    """Remove vertices of degree 1 from a simple graph repeatedly; a tree shrinks to one vertex.

    `sources` are the sources to sum over; None for all vertices. A directed graph stays as it is: there,
    paths may lead through a vertex with one arc that leaves it. From report domitrz-brandes,
    Compacted_graph_representation, and A. E. Sariyuce, E. Saule, K. Kaya and U. V. Catalyurek, "Shattering
    and Compressing Networks for Betweenness Centrality", SDM 2013, degree-1 vertices.
    """
    count = np.ones(graph.vertices, dtype=np.int64)
    if sources is not None:
        count = np.bincount(np.asarray(sources, dtype=np.int64), minlength=graph.vertices)
    return _compact(graph, np.ones(graph.vertices, dtype=np.int64), count)


def uncompacted(graph: CSRGraph, sources: Sequence[int] | Int32Array | None = None) -> Compacted:
    """Return a simple graph as it is, with the same sources as `compact`."""
    every = np.arange(graph.vertices, dtype=np.int32)
    chosen = every if sources is None else np.asarray(sources, dtype=np.int32)
    count = np.zeros_like(every)
    count[chosen] = 1
    return Compacted(graph, every, np.ones_like(every), count, np.zeros(graph.vertices))


def without_side_vertices(compacted: Compacted, compact_rest: bool = True) -> tuple[Compacted, ...]:
    """Remove side vertices: vertices of degree 2 with adjacent neighbours (Sariyuce et al., SDM 2013).

    No shortest path leads through a side vertex, but they are still ends of paths. The scores are therefore
    the sum of two rounds of `Compacted`'s recurrence, each passed through `expand`. The first round searches
    the whole graph from the side vertices only; every other vertex counts twice as a target there, for the
    paths to it and from it. The second round searches the rest, which is compacted again unless told
    otherwise, from all other vertices.

    Returns only `compacted` if there are no side vertices, if the graph is directed, or if not every vertex
    is a source: then a search from each side vertex would cost more than it saves.
    """
    graph, reach, count = compacted.graph, compacted.reach, compacted.source_count
    side = _side_vertices(graph)
    if graph.info.get("directed") is not False or not side.any() or not np.array_equal(reach, count):
        return (compacted,)
    own_reach, own_count = np.where(side, reach, 2 * reach), np.where(side, count, np.int32(0))
    first = Compacted(graph, compacted.kept, own_reach, own_count, compacted.extra)
    left = np.flatnonzero(~side)
    rest = _induced(graph, left)
    if compact_rest:
        second = _compact(rest, reach[left].astype(np.int64), count[left].astype(np.int64))
    else:
        second = replace(uncompacted(rest), reach=reach[left], source_count=count[left])
    extra = np.zeros_like(compacted.extra)
    extra[compacted.kept[left]] = second.extra
    kept = compacted.kept[left[second.kept]]
    return first, Compacted(second.graph, kept, second.reach, second.source_count, extra)


def _different_arcs(vertices: int, tails: Int32Array, heads: Int32Array) -> Int64Array:
    """List each arc between different vertices once, as tail * vertices + head, ascending."""
    arcs = np.sort((tails.astype(np.int64) * vertices + heads)[tails != heads])
    return arcs[np.diff(arcs, prepend=-1) > 0]


def _compact(graph: CSRGraph, own_reach: Int64Array, own_count: Int64Array) -> Compacted:
    """Compact a graph whose vertices already have a reach and a source count."""
    directed = graph.info.get("directed") is not False
    order, parents = np.zeros((2, 0), dtype=np.int64) if directed else _peel(graph)
    reach, count = (_sum_subtrees(own, order, parents) for own in (own_reach, own_count))
    kept = np.delete(np.arange(graph.vertices), order)
    extra = np.zeros(graph.vertices, dtype=np.int64)
    if len(order):
        # Without v, its component splits into branches: the tree behind each removed child, and the rest.
        # Paths between different branches lead through v. Pairs within the rest are left to the search.
        component = scipy.sparse.csgraph.connected_components(graph.to_scipy(), directed=False)[1]
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
    """List the removable vertices in order of removal, and the one neighbour that each has at that time.

    The exclusive or of a vertex's remaining neighbours is that neighbour once only one is left.
    """
    neighbours = np.zeros(graph.vertices, dtype=np.int32)
    np.bitwise_xor.at(neighbours, graph.tails(), graph.indices)
    degree, left = graph.degrees().tolist(), neighbours.tolist()
    order: list[int] = []
    parents: list[int] = []
    for leaf in np.flatnonzero(graph.degrees() == 1).tolist():
        while degree[leaf] == 1:  # its neighbour may have degree 1 now
            parent = left[leaf]
            order.append(leaf)
            parents.append(parent)
            degree[leaf] = 0
            degree[parent] -= 1
            left[parent] ^= leaf
            leaf = parent
    return np.array(order, dtype=np.int64), np.array(parents, dtype=np.int64)


def _sum_subtrees(own: Int64Array, order: Int64Array, parents: Int64Array) -> Int64Array:
    """Add up the values of each vertex and of all vertices removed behind it."""
    total: list[int] = own.tolist()
    for leaf, parent in zip(order.tolist(), parents.tolist(), strict=True):
        total[parent] += total[leaf]
    return np.array(total, dtype=np.int64)


def _induced(graph: CSRGraph, kept: Int64Array) -> CSRGraph:
    """Return the subgraph of some vertices, which are renumbered in order."""
    number = np.full(graph.vertices, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    tails, heads = number[graph.tails()], number[graph.indices]
    inside = (tails >= 0) & (heads >= 0)
    return from_arcs(len(kept), tails[inside], heads[inside], None, graph.info)


def _side_vertices(graph: CSRGraph) -> NDArray[np.bool_]:
    """Return which vertices have exactly two neighbours that share an arc, shape (vertices,)."""
    side = np.zeros(graph.vertices, dtype=np.bool_)
    two = np.flatnonzero(graph.degrees() == 2)
    first, second = (graph.indices[graph.indptr[two] + place].astype(np.int64) for place in (0, 1))
    arcs = graph.tails().astype(np.int64) * graph.vertices + graph.indices
    sought = first * graph.vertices + second
    side[two] = np.take(arcs, np.searchsorted(arcs, sought), mode="clip") == sought
    return side
