"""Graphs that solvers are tested on: named ones with a twist each, and random ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.formats.lines import open_graph
from retrace.graphs.formats.parsing import parse_stream


def graph(vertices: int, arcs: list[tuple[int, int, int]], directed: bool = True) -> CSRGraph:
    """Build a graph from (tail, head, weight); an undirected one gets both directions."""
    if not directed:
        arcs = [*arcs, *((head, tail, weight) for tail, head, weight in arcs)]
    tails, heads, weights = np.array(arcs, dtype=np.int64).reshape(-1, 3).T
    return from_arcs(vertices, tails, heads, weights, {"name": "test", "directed": directed})


def read_graph(path: Path, kind: str) -> CSRGraph:
    """Read a graph file of a format."""
    with open_graph(path) as file:
        return parse_stream(file, kind, path)


def grid(width: int, height: int) -> CSRGraph:
    """Make a grid with uneven weights."""
    at = [[y * width + x for x in range(width)] for y in range(height)]
    arcs = [(row[x], row[x + 1], 1 + (3 * x) % 7) for row in at for x in range(width - 1)]
    arcs += [(at[y][x], at[y + 1][x], 2 + (5 * y) % 11) for y in range(height - 1) for x in range(width)]
    return graph(width * height, arcs, directed=False)


def identified(found: CSRGraph, name: str, **more: Any) -> CSRGraph:
    """Give a graph what a record stores of it, and what a query is made from."""
    info = {
        "name": name, "vertices": found.vertices, "arcs": found.arcs, "origin": "generated",
        "edition": "test", "weights": "none" if found.weights is None else "file", "sha256": found.digest(),
        "seed": None, "directed": found.info["directed"], **more,
    }  # fmt: skip
    return replace(found, info=info)


def random_graph(vertices: int, degree: int) -> CSRGraph:
    """Draw both ends of each arc, and its weight."""
    tails, heads, weights = np.random.default_rng(7).integers(0, vertices, (3, degree * vertices))
    return from_arcs(vertices, tails, heads, weights, {"name": "random", "directed": True})


def two_level_star(middle: int, leaves: int) -> CSRGraph:
    """Make a vertex, its `middle` neighbours, and `leaves` of each of them."""
    spokes = [(0, vertex, 1) for vertex in range(1, middle + 1)]
    tips = [(1 + tip // leaves, 1 + middle + tip, 1) for tip in range(middle * leaves)]
    return graph(1 + middle + middle * leaves, spokes + tips)


def diamonds(number: int, directed: bool = False) -> CSRGraph:
    """Chain diamonds: each doubles the number of shortest paths from vertex 0."""
    arcs = [(3 * i + u, 3 * i + v, 1) for i in range(number) for u, v in ((0, 1), (0, 2), (1, 3), (2, 3))]
    return graph(3 * number + 1, arcs, directed)


def layers(widths: list[int]) -> CSRGraph:
    """Make levels of some numbers of vertices, each with arcs to all of the next level."""
    first = [0, *accumulate(widths)]
    arcs = [
        (u, v, 1 + v % 3)
        for begin, middle, end in zip(first, first[1:], first[2:], strict=False)
        for u in range(begin, middle)
        for v in range(middle, end)
    ]
    return graph(first[-1], arcs)


def mixed_graph(vertices: int) -> CSRGraph:
    """Make a graph with a hub, a part that is not reached, loops, parallel arcs and weights up to 2^30."""
    random = np.random.default_rng(vertices)
    reached = max(1, vertices - vertices // 8)
    tails, heads = random.integers(0, reached, (2, 3 * vertices))
    spokes = random.integers(0, reached, vertices // 2)
    tails, heads = np.append(tails, np.zeros_like(spokes)), np.append(heads, spokes)
    weights = random.choice([0, 1, 50, 1000, 2**24], len(tails))
    weights[:1] = 2**30
    return from_arcs(vertices, tails, heads, weights, {"name": "mixed", "directed": True})


NAMED = {
    "path": graph(300, [(u, u + 1, 1 + u % 5) for u in range(299)], directed=False),
    "one-way path": graph(20, [(u, u + 1, 2) for u in range(19)]),
    "star": graph(600, [(0, leaf, leaf) for leaf in range(1, 600)], directed=False),
    "complete": graph(24, [(u, v, 1 + (u * v) % 9) for u in range(24) for v in range(24) if u != v]),
    "grid": grid(23, 17),
    "two components": graph(7, [(0, 1, 3), (1, 2, 4), (3, 4, 5), (5, 6, 1)], directed=False),
    "self-loops": graph(3, [(0, 0, 1), (0, 1, 2), (1, 1, 0), (1, 2, 2), (2, 2, 7)]),
    "parallel arcs": graph(3, [(0, 1, 9), (0, 1, 2), (0, 1, 5), (1, 2, 4), (1, 2, 1)], directed=False),
    "one vertex": graph(1, []),
    "no arcs": graph(5, []),
    "zero weights": graph(5, [(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 4), (0, 3, 4), (3, 4, 0)]),
    "detour is shorter": graph(4, [(0, 3, 10), (0, 1, 1), (1, 2, 1), (2, 3, 1)], directed=False),
    "heavy": graph(3, [(0, 1, 2**30), (1, 2, 2**29)]),
}


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix 64-bit words as kernels do (splitmix64)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


@st.composite
def random_graphs(draw: st.DrawFn, most_vertices: int = 40) -> CSRGraph:
    """Draw any directed or undirected graph, with loops, parallel arcs and zero weights."""
    vertices = draw(st.integers(1, most_vertices))
    vertex = st.integers(0, vertices - 1)
    weight = st.one_of(st.integers(0, 9), st.integers(0, 10**6))
    arcs = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=4 * vertices))
    return graph(vertices, arcs, directed=draw(st.booleans()))
