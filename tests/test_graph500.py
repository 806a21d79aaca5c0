"""Graph500's five rules: right searches keep them; a tree that breaks one is found by that one."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, dijkstra

from graphs import graph, random_graphs
from retrace.check.graph500 import TreeRules, components
from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs
from retrace.graphs.graph_names import UNREACHABLE
from schedules import examples
from test_wide_graphs import widened

Tree = tuple[CSRGraph, int, Int32Array, Int32Array]


def undirected(vertices: int, edges: list[tuple[int, int, int]]) -> CSRGraph:
    """Return a simple graph of edges (end, end, weight)."""
    weight = {(min(u, v), max(u, v)): w for u, v, w in edges if u != v}
    both = sorted([(u, v, w) for (u, v), w in weight.items()] + [(v, u, w) for (u, v), w in weight.items()])
    tails, heads, weights = np.array(both, np.int64).reshape(-1, 3).T
    return from_arcs(vertices, tails, heads, weights.astype(np.int32))


def searched(graph: CSRGraph, source: int, weighted: bool) -> Tree:
    """Return SciPy's lengths and predecessors."""
    values = np.asarray(graph.weights, float) if weighted else np.ones(graph.arcs)
    lengths, above = dijkstra(graph.to_scipy(values), indices=source, return_predecessors=True)
    length = np.where(np.isfinite(lengths), lengths, UNREACHABLE).astype(np.int32)
    return graph, source, length, np.where(above < 0, -1, above).astype(np.int32)


@st.composite
def trees(draw: Callable[..., int], weighted: bool) -> Tree:
    """Draw a graph of two components or more, and a search of one that has at least four levels."""
    seed, vertices = draw(st.integers(0, 2**32 - 1)), draw(st.integers(12, 40))
    random = np.random.default_rng(seed)
    inside = vertices - 3
    path = [(v, v + 1, int(random.integers(1, 9))) for v in range(5)]
    ends = random.integers(0, inside, (2 * vertices, 2))
    edges = [(int(u), int(v), int(random.integers(1, 9))) for u, v in ends if abs(int(u) - int(v)) <= 4]
    apart = [(vertices - 2, vertices - 1, 3)]
    tree = searched(undirected(vertices, [*path, *edges, *apart]), 0, weighted)
    assume(tree[2][tree[2] != UNREACHABLE].max() >= 4)
    return tree


@pytest.mark.parametrize("weighted", [False, True])
@settings(deadline=None, max_examples=examples(40))
@given(data=st.data())
def test_a_right_tree_keeps_all_rules(weighted: bool, data: st.DataObject) -> None:
    graph, source, length, above = data.draw(trees(weighted))
    assert TreeRules(graph).broken(source, length, above, weighted) is None


def broken(tree: Tree, weighted: bool, length: Int32Array, above: Int32Array) -> int | None:
    """Return the number of the rule that an altered tree breaks."""
    fault = TreeRules(tree[0]).broken(tree[1], length, above, weighted)
    return fault and fault[0]


@pytest.mark.parametrize("weighted", [False, True])
@settings(deadline=None, max_examples=examples(40))
@given(data=st.data())
def test_each_broken_rule_is_found(weighted: bool, data: st.DataObject) -> None:
    tree = data.draw(trees(weighted))
    graph, source, length, above = tree
    reached = np.flatnonzero(above >= 0)
    leaf = int(reached[np.argmax(length[reached])])  # nothing is below the farthest
    parent = int(above[leaf])
    far_levels = np.array(length)

    cycle = np.array(above)
    cycle[parent] = leaf
    assert parent == source or broken(tree, weighted, length, cycle) == 1

    far_levels[leaf] += 1
    assert broken(tree, weighted, far_levels, above) == 2

    neighbours = set(graph.indices[graph.indptr[leaf] : graph.indptr[leaf + 1]].tolist())
    strangers = [int(v) for v in [source, *reached] if v not in neighbours and v != leaf]
    assume(strangers)
    no_edge = np.array(above)
    no_edge[leaf] = strangers[0]
    assert broken(tree, weighted, length, no_edge) == 5

    without, unreached = np.array(above), np.array(length)
    without[leaf], unreached[leaf] = -1, UNREACHABLE
    assert broken(tree, weighted, unreached, without) == 3  # an edge from the tree to a vertex outside

    gone = np.where(length == UNREACHABLE)[0]
    other = np.array(length)
    other[gone[0]] = 1
    assert broken(tree, weighted, other, above) == 4


def test_a_tree_that_is_no_shortest_one_breaks_the_third_rule() -> None:
    """A tree of right edges and lengths of its own, but an edge that spans two levels."""
    graph = undirected(4, [(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 3, 1)])
    length, above = np.array([0, 1, 2, 3], np.int32), np.array([-1, 0, 1, 2], np.int32)
    assert TreeRules(graph).broken(0, length, above) == (3, "edge 0 3")
    downwards = np.array([1, 2, 3, -1], np.int32)
    assert TreeRules(graph).broken(3, length[::-1], downwards) == (3, "edge 0 3")


def test_a_cycle_of_weights_of_0_breaks_the_first_rule() -> None:
    graph = undirected(4, [(0, 1, 1), (1, 2, 0), (2, 3, 0)])
    length = np.array([0, 1, 1, 1], np.int32)
    assert TreeRules(graph).broken(0, length, np.array([-1, 0, 1, 2], np.int32), weighted=True) is None
    fault = TreeRules(graph).broken(0, length, np.array([-1, 2, 1, 2], np.int32), weighted=True)
    assert fault == (1, "vertex 1 does not lead back to the source")


def test_a_component_that_the_tree_lacks_breaks_the_fourth_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the arcs say: the components are found apart."""
    graph = undirected(4, [(0, 1, 1), (2, 3, 1)])
    length = np.array([0, 1, UNREACHABLE, UNREACHABLE], np.int32)
    rules = TreeRules(graph)
    assert rules.broken(0, length, np.array([-1, 0, -1, -1], np.int32)) is None
    rules.component[2] = rules.component[0]
    assert rules.broken(0, length, np.array([-1, 0, -1, -1], np.int32)) == (4, "vertex 2 is not in the tree")


def test_a_predecessor_that_is_no_vertex_breaks_the_fifth_rule() -> None:
    graph = undirected(2, [(0, 1, 1)])
    length = np.array([0, 1], np.int32)
    assert TreeRules(graph).broken(0, length, np.array([-1, 7], np.int32))[0] == 5  # type: ignore[index]


@given(found=random_graphs())
@settings(max_examples=examples(50), deadline=None)
def test_components_are_those_that_scipy_finds(found: CSRGraph) -> None:
    """A component is named by its least vertex."""
    undirected = graph(
        found.vertices, [(u, v, 1) for u, v in zip(found.tails(), found.indices, strict=True)], False
    )
    _, by_scipy = connected_components(undirected.to_scipy(), directed=False)
    firsts = {label: vertex for vertex, label in reversed([*enumerate(by_scipy.tolist())])}
    expected = [firsts[label] for label in by_scipy.tolist()]
    assert components(undirected).tolist() == expected
    with widened(undirected) as wide:
        assert components(wide).tolist() == expected
