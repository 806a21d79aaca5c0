"""Generated graphs: counts, shape, and the same arrays from the same seed on any machine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from cuda_device.errors import OneLineError
from retrace.graphs.csr import CSRGraph
from retrace.graphs.generators import heavy_tailed_stand_in, random_weights, road_stand_in, sample_vertices


def matrix(graph: CSRGraph) -> csr_array:
    return csr_array((np.ones(graph.arcs), graph.indices, graph.indptr), shape=(graph.vertices,) * 2)


def corners(vertices: int) -> int:
    width = int(np.ceil(np.sqrt(vertices)))
    return sum(v % width > 0 and v >= width for v in range(1, vertices))


@pytest.mark.parametrize(("make", "most"), [(road_stand_in, 200), (heavy_tailed_stand_in, 60)])
@given(data=st.data(), share=st.floats(0, 1), seed=st.integers(-(2**70), 2**70))
def test_a_stand_in_is_a_simple_connected_graph_in_both_directions(
    make: Callable[[int, int, int], CSRGraph], most: int, data: st.DataObject, share: float, seed: int
) -> None:
    vertices = data.draw(st.integers(1, most))
    tree, road = vertices - 1, make is road_stand_in
    more = corners(vertices) if road else max(0, vertices * tree // 4 - tree)
    arcs = 2 * (tree + int(share * more))
    graph = make(vertices, arcs, seed)
    assert (graph.vertices, graph.arcs, graph.weights is not None) == (vertices, arcs, road)
    assert not (graph.tails() == graph.indices).any()
    assert connected_components(matrix(graph))[0] == 1
    weights = [1] * arcs if graph.weights is None else graph.weights.tolist()
    pairs = dict(zip(zip(graph.tails().tolist(), graph.indices.tolist(), strict=True), weights, strict=True))
    assert len(pairs) == arcs  # no parallel arcs
    assert all(pairs[v, u] == w > 0 for (u, v), w in pairs.items())
    assert not road or graph.degrees().max(initial=0) <= 4
    assert graph.digest() == make(vertices, arcs, seed).digest()


def test_road_stand_in_of_new_york_is_as_wide_as_a_road_graph() -> None:
    graph = road_stand_in(264_346, 733_846, seed=1)
    hops = dijkstra(matrix(graph), unweighted=True, indices=[0])[0]
    assert 500 < hops.max() < 1500  # New York: 619
    assert abs(graph.weights.mean() - 1293) < 20


def test_heavy_tailed_stand_in_has_hubs_and_leaves() -> None:
    degrees = heavy_tailed_stand_in(20_000, 200_000, seed=1).degrees()
    assert degrees.max() > 30 * degrees.mean()
    assert (degrees == 1).any()


@pytest.mark.parametrize(("make", "most"), [(road_stand_in, 24), (heavy_tailed_stand_in, 36)])
def test_a_stand_in_that_cannot_be(make: Callable[[int, int, int], CSRGraph], most: int) -> None:
    for vertices, arcs in ((0, 0), (1, 2), (4, 5), (4, 4), (4, 10), (9, most + 2)):
        told = f"{vertices} vertices has an even number of arcs from .* not {arcs};"
        with pytest.raises(OneLineError, match=told):
            make(vertices, arcs, 1)
    assert make(9, most, 1).arcs == most


def test_weights_belong_to_the_unordered_pair() -> None:
    u = np.array([0, 1, 2, 7, 7], dtype=np.int32)
    v = np.array([1, 0, 2, 3, 3], dtype=np.int32)
    there, back = random_weights(u, v, 1, 10**9, 5), random_weights(v, u, 1, 10**9, 5)
    assert there.tolist() == back.tolist()
    assert there[0] == there[1]
    assert there[3] == there[4]
    assert len(set(there.tolist())) == 3
    assert random_weights(u, v, 1, 10**9, 6).tolist() != there.tolist()


def test_weights_fill_their_range() -> None:
    u = np.arange(5000)
    weights = random_weights(u, u + 1, 3, 9, 1)
    assert np.unique(weights).tolist() == [3, 4, 5, 6, 7, 8, 9]
    assert np.bincount(weights)[3:].min() > 600
    assert set(random_weights(u, u + 1, 4, 4, 1).tolist()) == {4}


def test_a_seed_gives_the_same_graph_everywhere() -> None:
    """Records name these graphs by seed and sha256: a change here is a change of every such graph."""
    roads = [road_stand_in(1000, 2800, seed=seed).digest()[:16] for seed in (1, 2)]
    assert roads == ["bb651796c6e6a8cb", "afcaf4c8702a3b37"]
    assert heavy_tailed_stand_in(1000, 9000, seed=1).digest()[:16] == "f42e405d90ad24e5"
    assert sample_vertices(1000, 5, seed=1).tolist() == [134, 419, 528, 722, 796]
    u = np.arange(4)
    assert random_weights(u, u + 1, 1, 2600, 1).tolist() == [2098, 1670, 465, 1646]
