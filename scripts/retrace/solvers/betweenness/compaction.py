"""Exact reductions for betweenness, in C++: vertices of degree 1, and side vertices, are removed.

Betweenness here is a sum over ordered pairs (s, t) of a source and any other vertex; s and t do not count as
between.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.devices.host import c_graph, function_of, loaded_library, pointer
from retrace.graphs.csr import CSRGraph, Int32Array, offset_type

COMPACT = "host/compact.cpp"
SIDE_VERTICES = "host/side_vertices.cpp"
RENUMBER = "host/renumber.cpp"


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
    """The vertices are renumbered; they keep their order, unless by `renumber`."""
    kept: Int32Array | None
    """Original number of each vertex; None if it is its own, since nothing was removed."""
    reach: Int32Array
    """For how many original vertices each vertex is a target: itself and those removed behind it."""
    source_count: Int32Array
    """Number of original sources for which each vertex counts as a source."""
    extra: NDArray[np.float64]
    """Scores that follow without a search, shape (vertices of the original graph,): whole numbers."""

    @property
    def is_whole(self) -> bool:
        """Whether `graph` is the original one, of which nothing was removed."""
        return self.kept is None

    def original(self, vertices: Int32Array) -> Int32Array:
        """Return the original numbers of some vertices."""
        return vertices if self.kept is None else self.kept[vertices]

    def expand(self, score: NDArray[np.float32 | np.float64]) -> NDArray[np.float64]:
        """Return the scores of the original graph, shape (its vertices,), from those of `graph`."""
        if self.kept is None:
            return score.astype(np.float64, copy=False)
        scores = self.extra.copy()
        scores[self.kept] += score
        return scores


def uncompacted(graph: CSRGraph, sources: Sequence[int] | Int32Array | None = None) -> Compacted:
    """Return a simple graph as it is; `sources` are the sources to sum over, None for all vertices.

    Nothing is written for each vertex: `reach` is one number, seen many times.
    """
    count = np.zeros(graph.vertices, np.int32)
    count[slice(None) if sources is None else np.asarray(sources, dtype=np.int32)] = 1
    reach = np.broadcast_to(np.int32(1), graph.vertices)
    return Compacted(graph, None, reach, count, np.zeros(graph.vertices))


def compact(whole: Compacted) -> Compacted:
    """Remove vertices of degree 1 from a simple graph repeatedly; a tree shrinks to one vertex.

    A directed graph stays as it is: there, paths may lead through a vertex with one arc that leaves it.
    From report domitrz-brandes, Compacted_graph_representation, and A. E. Sariyuce, E. Saule, K. Kaya and
    U. V. Catalyurek, "Shattering and Compressing Networks for Betweenness Centrality", SDM 2013, degree-1
    vertices.
    """
    if whole.graph.info.get("directed") is not False or not np.any(np.diff(whole.graph.indptr) == 1):
        return whole
    reach, count = whole.reach.copy(), whole.source_count.copy()
    extra = np.empty(whole.graph.vertices)
    graph, kept = _remove(COMPACT, "compact", whole.graph, reach, count, extra)
    left = slice(graph.vertices)
    return Compacted(graph, whole.original(kept), reach[left], count[left], whole.expand(extra))


def renumber(whole: Compacted) -> Compacted:
    """Return the graph with its vertices in breadth-first order: near vertices have near numbers."""
    kept = np.empty(whole.graph.vertices, np.int32)
    indptr, indices = np.empty_like(whole.graph.indptr), np.empty_like(whole.graph.indices)
    loaded_library(RENUMBER).renumber(c_graph(whole.graph), *map(pointer, (kept, indptr, indices)))
    graph = CSRGraph(indptr, indices, None, whole.graph.info)
    counts = whole.reach[kept], whole.source_count[kept]
    return Compacted(graph, whole.original(kept), *counts, whole.extra)


def separate(whole: Compacted) -> tuple[Compacted, ...]:
    """Remove side vertices: vertices of degree 2 with adjacent neighbours (Sariyuce et al., SDM 2013).

    No shortest path leads through a side vertex, but they are still ends of paths. The scores are therefore
    the sum of two rounds of `Compacted`'s recurrence, each passed through `expand`. The first round searches
    the whole graph from the side vertices only; every other vertex counts twice as a target there, for the
    paths to it and from it. The second round searches the rest, which may be compacted first, from all other
    vertices.

    Returns only `whole` if there are no side vertices, if the graph is directed, or if not every vertex is a
    source: then a search from each side vertex would cost more than it saves.
    """
    graph, reach, count = whole.graph, whole.reach, whole.source_count
    if graph.info.get("directed") is not False or not np.array_equal(reach, count):
        return (whole,)
    side = np.empty(graph.vertices, dtype=np.bool_)
    rest, kept = _remove(SIDE_VERTICES, "remove_side_vertices", graph, side)
    if not side.any():
        return (whole,)
    from_side = np.where(side, reach, 2 * reach), np.where(side, count, np.int32(0))
    first = Compacted(graph, whole.kept, *from_side, whole.extra)
    return first, Compacted(rest, whole.original(kept), reach[kept], count[kept], np.zeros_like(whole.extra))


def _remove(
    source: str, function: str, graph: CSRGraph, *arrays: NDArray[Any]
) -> tuple[CSRGraph, Int32Array]:
    """Call a C++ function that removes vertices; return the rest, and its vertices' numbers in `graph`."""
    kept, indptr = np.empty(graph.vertices, np.int32), np.empty_like(graph.indptr)
    indices = np.empty(graph.arcs, np.int32)
    remove = function_of(graph, source, function, ctypes.c_int)
    left = remove(*map(pointer, (*arrays, kept, indptr, indices)))
    arcs = int(indptr[left])
    offsets = indptr[: left + 1].astype(offset_type(arcs), copy=False)
    rest = CSRGraph(offsets, indices[:arcs], None, graph.info)
    return rest, kept[:left]
