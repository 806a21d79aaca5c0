"""What betweenness makes of a graph before its searches, in plain Python: slow, and right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from exact_betweenness import neighbours_of
from retrace.graphs.csr import CSRGraph

Rows = list[list[int]]
"""The heads of each vertex's arcs, in their order."""


def rows_of(graph: CSRGraph) -> Rows:
    """List the heads of each vertex's arcs."""
    ends = graph.indptr.tolist()
    return [graph.indices[ends[u] : ends[u + 1]].tolist() for u in range(graph.vertices)]


def without(rows: Rows, kept: Sequence[int]) -> Rows:
    """Leave only some vertices, renumbered in their order."""
    number = {v: place for place, v in enumerate(kept)}
    return [[number[w] for w in rows[v] if w in number] for v in kept]


def component_of(near: Rows, start: int) -> list[int]:
    """List the vertices that can be reached, in the order in which a breadth-first search meets them."""
    met, seen = [start], {start}
    for v in met:
        for w in near[v]:
            if w not in seen:
                seen.add(w)
                met.append(w)
    return met


def breadth_first(rows: Rows) -> list[int]:
    """List all vertices as searches meet them that begin where searches from the first ones end."""

    def search(starts: Sequence[int]) -> list[int]:
        met: dict[int, None] = {}
        for start in starts:
            row = [start] if start not in met else []
            met |= dict.fromkeys(row)
            for v in row:
                new = [w for w in dict.fromkeys(rows[v]) if w not in met]
                met |= dict.fromkeys(new)
                row += new
        return list(met)

    return search(search(range(len(rows)))[::-1])


def compacted(
    graph: CSRGraph, reach: Sequence[int], count: Sequence[int]
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Remove vertices of degree 1; return the vertices kept, their reach and source count, and all scores.

    Without a vertex, its component falls apart into branches: the tree behind each vertex that was removed
    beside it, and the rest. Its score counts the pairs of a source and a target in different branches.
    """
    near = neighbours_of(graph)
    left = [set(row) for row in near]
    behind: list[list[int]] = [[v] for v in range(graph.vertices)]
    trees: Rows = [[] for _ in range(graph.vertices)]
    removed = set()
    for first in range(graph.vertices):
        leaf = first
        while len(left[leaf]) == 1:
            parent = left[leaf].pop()
            left[parent].remove(leaf)
            behind[parent] += behind[leaf]
            trees[parent].append(leaf)
            removed.add(leaf)
            leaf = parent
    scores = []
    for v in range(graph.vertices):
        rest = set(component_of(near, v)) - set(behind[v])
        branches = [*(behind[tree] for tree in trees[v]), rest]
        totals = [(sum(count[w] for w in branch), sum(reach[w] for w in branch)) for branch in branches]
        scores.append(sum(sources * targets for (sources, _), (_, targets) in permutations(totals, 2)))
    kept = [v for v in range(graph.vertices) if v not in removed]
    reaches, counts = ([sum(own[w] for w in behind[v]) for v in kept] for own in (reach, count))
    return kept, reaches, counts, scores


def side_vertices(graph: CSRGraph) -> list[bool]:
    """Tell which vertices have exactly two neighbours, with an arc from the first to the second."""
    rows = rows_of(graph)
    return [len(row) == 2 and row[1] in rows[row[0]] for row in rows]


def virtual_vertices(graph: CSRGraph, mdeg: int) -> list[tuple[int, list[int]]]:
    """List the vertex and the arcs of each virtual vertex of Virtual-CSR."""
    ends = graph.indptr.tolist()
    return [
        (v, list(range(begin, min(begin + mdeg, ends[v + 1]))))
        for v in range(graph.vertices)
        for begin in range(ends[v], ends[v + 1], mdeg)
    ]


def strides(graph: CSRGraph, mdeg: int) -> list[tuple[int, list[int]]]:
    """List the vertex and the arcs of each virtual vertex of Stride-CSR."""
    found = []
    for v in range(graph.vertices):
        arcs = list(range(graph.indptr[v], graph.indptr[v + 1]))
        number = -(-len(arcs) // mdeg)
        found += [(v, arcs[rank::number]) for rank in range(number)]
    return found


def ordered_sources(graph: CSRGraph, count: Sequence[int], hubs: int = 1) -> list[int]:
    """List the sources by their distances from the vertices of most arcs, then by number."""
    rows = rows_of(graph)
    chosen = sorted(range(len(rows)), key=lambda v: -len(rows[v]))[:hubs]
    distances = [distances_from(rows, hub) for hub in chosen]
    order = sorted(range(len(rows)), key=lambda v: [near.get(v, 255) for near in distances])
    return [v for v in order if count[v]]


def distances_from(rows: Rows, start: int) -> dict[int, int]:
    """Return the distance of each vertex that is 254 arcs away at most."""
    found = {start: 0}
    for v in component_of(rows, start):
        for w in rows[v]:
            found.setdefault(w, found[v] + 1)
    return {v: distance for v, distance in found.items() if distance < 255}
