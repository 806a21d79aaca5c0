"""Generated graphs of a dozen families, of which no experiment has one: sizes and ids are drawn by a seed."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.generators import random_weights, uniform_words

QUARTERS = (0.57, 0.76, 0.95)
"""Graph500's chances of the first one, two and three quarters of the adjacency matrix."""
EDGES_A_VERTEX = 8
LEAST_ARCS = 10
WEIGHT_RANGES = ((1, 1), (1, 100), (1, 255), (1, 1 << 20))
DrawnEdges = tuple[int, NDArray[np.int64], NDArray[np.int64]]
"""Vertices, and both ends of each edge, shape (edges,); self-loops and repeated edges are left out later."""
Uniform = Callable[[str, int], NDArray[np.float64]]
"""Gives so many numbers from 0 to below 1, of a stream that has a name."""


def kron(edges: int, uniform: Uniform) -> DrawnEdges:
    """Draw the edges of a Kronecker graph."""
    scale = max(2, (edges // EDGES_A_VERTEX).bit_length())
    u, v = np.zeros((2, edges), np.int64)
    for depth in range(scale):
        quarter = np.searchsorted(QUARTERS, uniform(f"bit{depth:02}", edges), side="right")
        u, v = 2 * u + quarter // 2, 2 * v + quarter % 2
    return 1 << scale, u, v


def urand(edges: int, uniform: Uniform) -> DrawnEdges:
    """Draw both ends uniformly."""
    vertices = max(4, edges // EDGES_A_VERTEX)
    u, v = ((vertices * uniform(end, edges)).astype(np.int64) for end in ("tails", "heads"))
    return vertices, u, v


def power_law(edges: int, uniform: Uniform) -> DrawnEdges:
    """Draw ends whose number of edges falls with the power 2/3 of the vertex's number."""
    vertices = max(4, edges // EDGES_A_VERTEX)
    u, v = ((vertices * uniform(end, edges) ** 3).astype(np.int64) for end in ("tails", "heads"))
    return vertices, u, v


def small_world(edges: int, uniform: Uniform) -> DrawnEdges:
    """Join each vertex of a ring to the next four, and one of twenty edges to any other vertex."""
    vertices = max(5, edges // 4)
    u = np.repeat(np.arange(vertices), 4)
    v = (u + np.tile(np.arange(1, 5), vertices)) % vertices
    elsewhere = (vertices * uniform("heads", len(u))).astype(np.int64)
    return vertices, u, np.where(uniform("rewire", len(u)) < 0.05, elsewhere, v)


def grid(dimensions: int, edges: int, uniform: Uniform) -> DrawnEdges:
    """Join the neighbours of a grid."""
    side = max(2, round((edges / dimensions) ** (1 / dimensions)))
    number = np.arange(side**dimensions).reshape((side,) * dimensions)
    axes = [np.moveaxis(number, axis, 0) for axis in range(dimensions)]
    u, v = (np.concatenate([axis[part].ravel() for axis in axes]) for part in (np.s_[:-1], np.s_[1:]))
    return number.size, u, v


def geometric(edges: int, uniform: Uniform) -> DrawnEdges:
    """Join points of a square that lie near each other."""
    vertices = max(4, edges // 4)
    points = np.stack((uniform("abscissa", vertices), uniform("ordinate", vertices)), axis=1)
    radius = (EDGES_A_VERTEX / (np.pi * vertices)) ** 0.5
    pairs = scipy.spatial.cKDTree(points).query_pairs(radius, output_type="ndarray").astype(np.int64)
    return vertices, pairs[:, 0], pairs[:, 1]


def line(edges: int, uniform: Uniform) -> DrawnEdges:
    """Join each vertex to the next."""
    return edges + 1, np.arange(edges), np.arange(1, edges + 1)


def random_tree(edges: int, uniform: Uniform) -> DrawnEdges:
    """Join each vertex to one of those before it."""
    children = np.arange(1, edges + 1)
    return edges + 1, children, (children * uniform("parents", edges)).astype(np.int64)


def star(edges: int, uniform: Uniform) -> DrawnEdges:
    """Join vertex 0 to all others."""
    return edges + 1, np.zeros(edges, np.int64), np.arange(1, edges + 1)


def many_components(edges: int, uniform: Uniform) -> DrawnEdges:
    """Join vertices among sixteen."""
    vertices = 16 * max(1, edges // 24)
    u, other = ((n * uniform(end, edges)).astype(np.int64) for end, n in (("tails", vertices), ("heads", 16)))
    return vertices, u, u // 16 * 16 + other


def dense(edges: int, uniform: Uniform) -> DrawnEdges:
    """Join all vertices."""
    vertices = max(2, round((2 * edges) ** 0.5))
    u, v = np.triu_indices(vertices, 1)
    return vertices, u.astype(np.int64), v.astype(np.int64)


FAMILIES: dict[str, Callable[[int, Uniform], DrawnEdges]] = {
    "kron": kron, "urand": urand, "power-law": power_law, "small-world": small_world,
    "grid-2d": partial(grid, 2), "grid-3d": partial(grid, 3), "geometric": geometric, "path": line,
    "tree": random_tree, "star": star, "many-components": many_components, "dense": dense,
}  # fmt: skip


def judged_graphs(count: int, most_arcs: int, seed: int) -> Iterator[CSRGraph]:
    """Generate graphs of all families in turn, of sizes from 10 arcs up that grow by a factor."""
    places = np.argsort(uniform_words(seed, "places", count), kind="stable")
    for number, place in enumerate(places.tolist()):
        family = list(FAMILIES)[number % len(FAMILIES)]
        arcs = round(LEAST_ARCS * (most_arcs / LEAST_ARCS) ** (place / max(1, count - 1)))
        yield judged_graph(family, arcs, 1000 * seed + number, f"{family}-{number:02}")


def judged_graph(family: str, arcs: int, seed: int, name: str) -> CSRGraph:
    """Generate a simple undirected graph of about so many arcs, in half of all cases with shuffled ids."""

    def uniform(stream: str, length: int) -> NDArray[np.float64]:
        return (uniform_words(seed, stream, length) >> np.uint64(11)).astype(np.float64) / 2.0**53

    vertices, u, v = FAMILIES[family](max(1, arcs // 2), uniform)
    is_shuffled, weighted = uniform("choices", 2)
    if is_shuffled < 0.5:
        shuffled = np.argsort(uniform_words(seed, "ids", vertices), kind="stable")
        u, v = shuffled[u], shuffled[v]
    keys = np.unique(np.minimum(u, v)[u != v] * vertices + np.maximum(u, v)[u != v])
    near, far = np.divmod(keys if len(keys) else np.array([1]), vertices)  # at least one edge, from 0 to 1
    tails, heads = np.concatenate((near, far)), np.concatenate((far, near))
    order = np.lexsort((heads, tails))
    low, high = WEIGHT_RANGES[int(weighted * len(WEIGHT_RANGES))]
    info = {
        "name": name, "origin": "generated", "edition": "judged", "directed": False, "seed": seed,
        "weights": "generated", "least_weight": low, "greatest_weight": high,
    }  # fmt: skip
    tails, heads = tails[order], heads[order]
    return from_arcs(vertices, tails, heads, random_weights(tails, heads, low, high, seed), info)
