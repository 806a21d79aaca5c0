"""What the beginning of a search tells of a graph, beside what the whole search is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from graphs import graph, grid, random_graph
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.generators import heavy_tailed_stand_in
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import Query
from retrace_today.features import SAMPLED_ARCS, Features
from retrace_today.judged_graphs import judged_graph
from solving import solved


def levels_of(whole: CSRGraph, source: int) -> int:
    """Return the number of levels of a whole search."""
    levels = solved("bfs/queue", whole, Query(source)).download()
    return 1 + int(levels[levels != UNREACHABLE].max())


def path(vertices: int) -> CSRGraph:
    return graph(vertices, [(u, u + 1, 1) for u in range(vertices - 1)], directed=False)


def star(leaves: int, center: int = 0) -> CSRGraph:
    tips = [v for v in range(leaves + 1) if v != center]
    return graph(leaves + 1, [(center, v, 1) for v in tips], directed=False)


@pytest.mark.parametrize("vertices", [1, 2, 3, 10, 500])
def test_of_a_small_graph_all_is_known(vertices: int) -> None:
    found = Features.of(path(vertices))
    assert (found.vertices, found.arcs, found.reached) == (vertices, 2 * (vertices - 1), vertices)
    assert found.levels == pytest.approx(levels_of(path(vertices), 1 if vertices > 2 else 0), rel=0.02)
    assert found.hub == min(2, vertices - 1)
    assert found.is_forest


def test_of_a_component_no_more_is_known() -> None:
    """The search begins where most arcs leave, which is not vertex 0."""
    triangle = graph(9, [(3, 4, 1), (4, 5, 1), (3, 5, 1), (0, 1, 1)], directed=False)
    found = Features.of(triangle)
    assert (found.reached, found.levels, found.hub) == (3, 2, 2)
    assert found.arcs_reached == pytest.approx(found.arcs * 3 / 9)
    assert Features.of(graph(0, [])).vertices == Features.of(graph(0, [])).levels == 0
    alone = Features.of(graph(4, []))
    assert (alone.reached, alone.levels, alone.hub, alone.is_forest) == (1, 1, 0, True)


LARGE: dict[str, Callable[[], CSRGraph]] = {
    "path": lambda: path(20_000),
    "grid": lambda: grid(200, 200),
    "long grid": lambda: grid(20, 2_000),
    "cube": lambda: judged_graph("grid-3d", 120_000, 2, "cube"),
    "random": lambda: random_graph(20_000, 5),
    "geometric": lambda: judged_graph("geometric", 120_000, 3, "geometric"),
    "heavy tail": lambda: heavy_tailed_stand_in(196_591, 1_900_654, 1),
    "small world": lambda: judged_graph("small-world", 100_000, 4, "small-world"),
}


@pytest.mark.parametrize("shape", LARGE)
def test_the_levels_of_a_large_graph_are_estimated(shape: str) -> None:
    """Within a factor, though a search looks at few of its arcs."""
    whole = LARGE[shape]()
    assert whole.arcs > 4 * SAMPLED_ARCS
    sources = np.random.default_rng(1).integers(0, whole.vertices, 5)
    levels = float(np.median([levels_of(whole, int(source)) for source in sources]))
    factor = 4.0 if shape == "long grid" else 2.0
    assert levels / factor < Features.of(whole).levels < factor * levels


@pytest.mark.parametrize("center", [0, 12_345])
def test_a_hub_is_found_and_levels_behind_it_are_few(center: int) -> None:
    found = Features.of(star(20_000, center))
    assert found.hub == 20_000
    assert found.levels < 10
    assert not found.is_deep


def test_depth_is_beside_the_size() -> None:
    assert Features.of(grid(200, 200)).is_deep
    assert not Features.of(random_graph(20_000, 5)).is_deep


def test_scattered_are_graphs_whose_ids_say_nothing() -> None:
    whole = grid(200, 200)
    tails = np.repeat(np.arange(whole.vertices), np.diff(whole.indptr))
    shuffled = np.random.default_rng(3).permutation(whole.vertices)
    assert Features.of(from_arcs(whole.vertices, shuffled[tails], shuffled[whole.indices])).scattered
    assert Features.of(random_graph(20_000, 5)).scattered
    assert not Features.of(grid(200, 200)).scattered


def test_equal_weights_are_told_from_others() -> None:
    tails, heads = np.arange(9_999), np.arange(1, 10_000)
    for weights, equal in ((np.full(9_999, 7), True), (tails % 2, False), (1 + tails % 2, False)):
        assert Features.of(from_arcs(10_000, tails, heads, weights, {})).equal_weights == equal
    assert Features.of(from_arcs(10_000, tails, heads, None, {})).equal_weights


def test_a_cycle_is_no_forest() -> None:
    for vertices in (10, 20_000):  # of the larger one, the sample sees no cycle
        ring = graph(vertices, [(u, (u + 1) % vertices, 1) for u in range(vertices)], directed=False)
        assert not Features.of(ring).is_forest
    one_way = graph(10, [(u, (u + 1) % 10, 1) for u in range(10)])
    assert not Features.of(one_way).is_forest
    assert Features.of(graph(10, [(0, v, 1) for v in range(1, 10)])).is_forest


def test_a_cycle_among_many_vertices_without_arcs_is_seen() -> None:
    whole = grid(40, 40)
    tails = np.repeat(np.arange(whole.vertices), np.diff(whole.indptr))
    lonely = from_arcs(50_000, tails, whole.indices, None, {"directed": False})
    assert lonely.arcs < lonely.vertices
    assert not Features.of(lonely).is_forest
    triangle = [(0, 1, 1), (1, 2, 1), (0, 2, 1)]
    assert not Features.of(graph(9, triangle, directed=False)).is_forest
    assert not Features.of(graph(9, [(0, 1, 1), (1, 2, 1), (2, 0, 1)])).is_forest


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_is_a_forest_wherever_the_sample_ends(seed: int) -> None:
    for arcs in (10, 1_000, 2_000, 2_048, 2_050, 2_200, 20_000):
        tree = judged_graph("tree", arcs, seed, "tree")
        assert Features.of(tree).is_forest
