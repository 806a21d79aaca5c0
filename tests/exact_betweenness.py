"""Betweenness by its definition, in whole numbers and fractions: slow, and right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from retrace.graphs.csr import CSRGraph


def neighbours_of(graph: CSRGraph) -> list[list[int]]:
    """List each vertex's neighbours once, itself never."""
    arcs = zip(graph.tails().tolist(), graph.indices.tolist(), strict=True)
    near: list[set[int]] = [set() for _ in range(graph.vertices)]
    for tail, head in arcs:
        if tail != head:
            near[tail].add(head)
    return [sorted(found) for found in near]


def dependencies(near: list[list[int]], source: int, reach: Sequence[int] | None = None) -> list[Fraction]:
    """Add up the share of shortest paths from a source to all others that leads through each vertex."""
    level, paths, order = {source: 0}, {source: 1}, [source]
    for v in order:
        for w in near[v]:
            if w not in level:
                level[w], paths[w] = level[v] + 1, 0
                order.append(w)
            if level[w] == level[v] + 1:
                paths[w] += paths[v]
    delta = [Fraction(0)] * len(near)
    for v in reversed(order):
        for w in near[v]:
            if level[w] == level[v] + 1:
                delta[v] += Fraction(paths[v], paths[w]) * ((1 if reach is None else reach[w]) + delta[w])
    delta[source] = Fraction(0)
    return delta


def ordered_scores(
    graph: CSRGraph,
    sources: Iterable[int] | None = None,
    reach: Sequence[int] | None = None,
    source_count: Sequence[int] | None = None,
) -> list[Fraction]:
    """Sum over ordered pairs of a source and any other vertex."""
    near = neighbours_of(graph)
    scores = [Fraction(0)] * graph.vertices
    for source in range(graph.vertices) if sources is None else sources:
        times = 1 if source_count is None else source_count[source]
        if times:
            for v, delta in enumerate(dependencies(near, source, reach)):
                scores[v] += times * delta
    return scores


def exact_scores(graph: CSRGraph, sources: Iterable[int] | None = None) -> np.ndarray:
    """Return the scores as a solver should give them, float64, shape (vertices,)."""
    halved = 2 if graph.info.get("directed") is False else 1
    return np.array([float(score / halved) for score in ordered_scores(graph, sources)], dtype=np.float64)
