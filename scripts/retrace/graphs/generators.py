"""Seeded graphs and weights, the same on every machine and with every version of NumPy.

All random numbers are splitmix64 (Steele, Lea and Flood, 2014) of a seed and a counter, in 64-bit integers.
NumPy's own distributions are not used, because their streams may change from one version to the next.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs, offset_type
from retrace.system.errors import RetraceError

ROAD_WEIGHTS = (1, 2600)
"""Smallest and largest generated weight; their mean is that of the distances in the New York road graph."""

UInt64Array = NDArray[np.uint64]


def road_stand_in(vertices: int, arcs: int, seed: int) -> CSRGraph:
    """Generate a stand-in for a road graph: planar, symmetric, connected, of low degree and large diameter.

    The graph is part of a square grid, numbered row by row. A spanning tree joins each vertex to its left or
    upper neighbour, so that tree paths from vertex 0 are shortest, of at most 2 * sqrt(vertices) edges. Other
    edges are drawn from the rest of the grid. Raises RetraceError for counts that no such graph has.
    """
    width = max(1, math.ceil(math.sqrt(vertices)))
    vertex = np.arange(1, vertices, dtype=np.int64)
    has_left, has_up = vertex % width > 0, vertex >= width
    goes_left = has_left & (~has_up | (uniform_words(seed, "tree", vertices - 1) >> np.uint64(63) == 0))
    tree = np.where(goes_left, vertex - 1, vertex - width)
    corner = has_left & has_up
    other_neighbour = np.where(goes_left, vertex - width, vertex - 1)

    extra = arcs // 2 - (vertices - 1)
    if vertices < 1 or arcs % 2 or not 0 <= extra <= np.count_nonzero(corner):
        least, most = 2 * (vertices - 1), 2 * (vertices - 1 + np.count_nonzero(corner))
        raise RetraceError(
            f"a road stand-in of {vertices} vertices has an even number of arcs from {least} to {most}, "
            f"not {arcs}; change the counts or set stand_in to false"
        )
    corners = np.flatnonzero(corner)
    drawn = corners[np.argsort(uniform_words(seed, "edges", len(corners)), kind="stable")[:extra]]
    u = np.concatenate((vertex, vertex[drawn]))
    v = np.concatenate((tree, other_neighbour[drawn]))
    tails, heads = np.concatenate((u, v)), np.concatenate((v, u))
    return from_arcs(vertices, tails, heads, random_weights(tails, heads, *ROAD_WEIGHTS, seed))


def heavy_tailed_stand_in(vertices: int, arcs: int, seed: int) -> CSRGraph:
    """Generate a stand-in for a social network: connected, with a few vertices of very high degree.

    Preferential attachment (V. Batagelj and U. Brandes, "Efficient generation of large random networks",
    Phys. Rev. E 71, 2005), with the list of ends resolved for all edges at once: each new vertex is joined to
    an end of an earlier edge, drawn uniformly; further edges join any vertex to such an end. There are no
    self-loops, parallel edges or weights. Raises RetraceError for counts that no such graph has, or for more
    than half of a complete graph's edges.
    """
    edges, tree = arcs // 2, vertices - 1
    most = max(tree, vertices * tree // 4)
    if vertices < 1 or arcs % 2 or not tree <= edges <= most:
        raise RetraceError(
            f"a heavy-tailed stand-in of {vertices} vertices has an even number of arcs from {2 * tree} to "
            f"{2 * most}, not {arcs}; change the counts or leave stand_in out"
        )
    drawn = edges
    while True:
        tails = np.concatenate(
            (np.arange(1, vertices), _below(vertices, uniform_words(seed, "edges", drawn)[tree:]))
        )
        # Edge e has the ends 2 e (its tail) and 2 e + 1, which copies an earlier end. End 1 is vertex 0.
        end = np.arange(2 * drawn)
        earlier = _below(np.maximum(end - 1, 1), uniform_words(seed, "ends", 2 * drawn))
        like = np.where((end % 2 == 1) & (end > 1), earlier, end)
        while (like[like] != like).any():
            like = like[like]
        ends = np.repeat(tails, 2)
        ends[1:2] = 0
        heads = ends[like][1::2]
        near, far = np.minimum(tails, heads), np.maximum(tails, heads)
        first = np.unique(near * vertices + far, return_index=True)[1]
        chosen = np.sort(first[(near != far)[first]])[:edges]
        if len(chosen) == edges:
            u, v = near[chosen], far[chosen]
            both = np.concatenate((u, v)), np.concatenate((v, u))
            order = np.lexsort(both[::-1])
            return from_arcs(vertices, both[0][order], both[1][order])
        drawn *= 2


def with_hub(graph: CSRGraph, weights: tuple[int, int], seed: int) -> CSRGraph:
    """Give the middle vertex an arc to every other one; new arcs get weights from the lowest to the highest.

    The graph must be simple, directed and weighted, and heads sorted. The hub is not vertex 0, from which
    generated graphs are searched: a source relaxes its arcs only once.
    """
    hub = graph.vertices // 2
    begin, end = graph.indptr[hub], graph.indptr[hub + 1]
    heads = np.delete(np.arange(graph.vertices, dtype=np.int32), hub)
    drawn = random_weights(np.full_like(heads, hub), heads, *weights, seed)
    assert graph.weights is not None
    drawn[np.searchsorted(heads, graph.indices[begin:end])] = graph.weights[begin:end]
    indices = np.concatenate((graph.indices[:begin], heads, graph.indices[end:]))
    all_weights = np.concatenate((graph.weights[:begin], drawn, graph.weights[end:]))
    indptr = graph.indptr.astype(offset_type(len(indices)))
    indptr[hub + 1 :] += len(heads) - (end - begin)
    return CSRGraph(indptr, indices, all_weights, graph.info)


def random_weights(
    tails: NDArray[np.integer[Any]], heads: NDArray[np.integer[Any]], low: int, high: int, seed: int
) -> Int32Array:
    """Draw a weight from low to high per arc, shape (arcs,); all arcs between two vertices get the same."""
    near, far = np.minimum(tails, heads).astype(np.uint64), np.maximum(tails, heads).astype(np.uint64)
    pair = (near << np.uint64(32)) | far
    return (low + _below(high - low + 1, _splitmix64(pair ^ stream_key(seed, "weights")))).astype(np.int32)


def sample_vertices(vertices: int, count: int, seed: int) -> Int32Array:
    """Draw different vertices, shape (count,), int32, ascending; raise RetraceError if there are fewer."""
    if not 1 <= count <= vertices:
        expected = (
            f"expected 1 to {vertices}, the graph's vertices" if vertices else "but the graph has no vertices"
        )
        raise RetraceError(f"{count} sources requested, {expected}")
    drawn = np.argsort(uniform_words(seed, "sources", vertices), kind="stable")[:count]
    return np.sort(drawn).astype(np.int32)


def shuffled_tails(indptr: NDArray[np.integer[Any]], seed: int) -> Int32Array:
    """Return the vertices with outgoing arcs, shape (some,), int32, in an order that the seed decides."""
    order = np.argsort(search_keys(seed, np.arange(len(indptr) - 1)), kind="stable")
    return order[np.diff(indptr)[order] > 0].astype(np.int32)


def search_keys(seed: int, vertices: NDArray[np.integer[Any]]) -> UInt64Array:
    """Return the numbers, uint64, by which `shuffled_tails` puts vertices in order."""
    return _of_stream(seed, "searches", vertices.astype(np.uint64))


def stream_key(seed: int, purpose: str) -> np.uint64:
    """Return the key of a random stream, which a seed and a purpose (its first eight letters) identify."""
    words = np.array([seed % 2**64, int.from_bytes(purpose.encode(), "little") % 2**64], dtype=np.uint64)
    first, second = _splitmix64(words)
    return np.uint64(first ^ second)


def uniform_words(seed: int, purpose: str, count: int, first: int = 0) -> UInt64Array:
    """Return words of a random stream, shape (count,), uint64, from the one with number `first` on."""
    return _of_stream(seed, purpose, np.arange(first, first + max(count, 0), dtype=np.uint64))


def _of_stream(seed: int, purpose: str, places: UInt64Array) -> UInt64Array:
    """Return the numbers at some places of a random stream."""
    return _splitmix64(stream_key(seed, purpose) + places * np.uint64(0x9E3779B97F4A7C15))


def _splitmix64(words: UInt64Array) -> UInt64Array:
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _below(bound: int | NDArray[np.int64], words: UInt64Array) -> NDArray[np.int64]:
    """Map the upper half of each word to a number from 0 to bound - 1."""
    return ((words >> np.uint64(32)) * np.asarray(bound, dtype=np.uint64) >> np.uint64(32)).astype(np.int64)
