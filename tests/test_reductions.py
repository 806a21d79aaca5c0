"""What betweenness makes of a graph in C++: exactly what plain Python makes, and no score is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import plain_preparation as plain
from cuda_device.errors import OneLineError
from exact_betweenness import ordered_scores
from graphs import NAMED, graph, grid, random_graphs
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph
from retrace.solvers import parse
from retrace.solvers.betweenness import compaction
from retrace.solvers.betweenness.compaction import Compacted, separate, uncompacted
from retrace.solvers.betweenness.virtual_vertices import stride_csr, virtual_csr
from schedules import examples

TREE = graph(8, [(0, 1, 1), (1, 2, 1), (1, 3, 1), (3, 4, 1), (3, 5, 1), (6, 7, 1)], directed=False)
TRIANGLES = graph(  # a strip of triangles with a tail: taking its tips away lays more bare
    8, [(0, 1, 1), (0, 2, 1), (1, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1), (2, 4, 1), (4, 5, 1), (5, 6, 1),
        (5, 7, 1), (6, 7, 1)], directed=False)  # fmt: skip
EMPTY = graph(0, [], directed=False)


@st.composite
def forests(draw: st.DrawFn) -> CSRGraph:
    """Draw trees, paths and stars, numbered in any order, with a few arcs more, and vertices without arcs."""
    vertices = draw(st.integers(1, 60))
    spread = draw(st.sampled_from([1, 3, 60]))  # how far back a parent is: paths, or anything
    hub = draw(st.booleans())
    number = draw(st.permutations(range(vertices)))
    arcs = [
        (number[0 if hub else max(0, v - draw(st.integers(1, spread)))], number[v], 1)
        for v in range(1, vertices)
        if draw(st.integers(0, 7))
    ]
    vertex = st.integers(0, vertices - 1)
    arcs += draw(st.lists(st.tuples(vertex, vertex, st.just(1)), max_size=4))
    return graph(vertices, arcs, directed=False)


ANY_GRAPH = forests() | random_graphs()


def assert_int32(found: NDArray[np.int32], expected: list[int]) -> None:
    assert found.dtype == np.int32
    assert found.tolist() == expected


def assert_graph(found: CSRGraph, rows: plain.Rows, whole: CSRGraph) -> None:
    assert plain.rows_of(found) == rows
    assert (found.arcs, found.weights, found.info) == (sum(map(len, rows)), None, whole.info)


@given(ANY_GRAPH, st.data())
@example(EMPTY, None)
@settings(max_examples=examples(300), deadline=None)
def test_compacted_graphs_are_those_of_plain_python(whole: CSRGraph, data: st.DataObject | None) -> None:
    """Also of graphs whose vertices already stand for others, with scores of their own."""
    before = uncompacted(simplify(whole))
    if data and whole.vertices and data.draw(st.booleans()):
        numbers = st.lists(st.integers(0, 9), min_size=whole.vertices, max_size=whole.vertices)
        reach, count = (np.array(data.draw(numbers), dtype=np.int32) for _ in range(2))
        kept = np.arange(whole.vertices, dtype=np.int32) * 2 + 1
        before = Compacted(before.graph, kept, reach, count, np.arange(2 * whole.vertices + 1.0))
    after = compaction.compact(before)
    if whole.info["directed"]:
        assert after is before
        return
    weights = before.reach.tolist(), before.source_count.tolist()
    kept, reaches, counts, scores = plain.compacted(before.graph, *weights)
    assert_graph(after.graph, plain.without(plain.rows_of(before.graph), kept), whole)
    every = np.arange(after.graph.vertices, dtype=np.int32)
    assert_int32(after.original(every), before.original(np.array(kept, np.int32)).tolist())
    assert_int32(after.reach, reaches)
    assert_int32(after.source_count, counts)
    expected = before.extra.copy()
    expected[before.kept if before.kept is not None else slice(None)] += scores
    assert after.extra.dtype == np.float64
    assert_array_equal(after.extra, expected)
    assert (before.reach.tolist(), before.source_count.tolist()) == weights


@given(ANY_GRAPH, st.data())
@example(EMPTY, None)
@settings(max_examples=examples(300), deadline=None)
def test_renumbered_graphs_are_those_of_plain_python(whole: CSRGraph, data: st.DataObject | None) -> None:
    """No vertex is lost, and each keeps its arcs, what it stands for, and its scores."""
    before = compaction.compact(uncompacted(whole))
    after = compaction.renumber(before)
    order = plain.breadth_first(plain.rows_of(before.graph))
    assert_graph(after.graph, plain.without(plain.rows_of(before.graph), order), whole)
    places = np.array(order, np.int32)
    for found, old in ((after.kept, before.original(places)), (after.reach, before.reach[places])):
        assert_int32(found, old.tolist())
    assert_int32(after.source_count, before.source_count[order].tolist())
    scores = np.arange(len(order)) + 0.5
    assert_array_equal(after.expand(scores[order]), before.expand(scores))


@given(ANY_GRAPH)
@example(EMPTY)
@example(TRIANGLES)
@example(grid(8, 6))
@settings(max_examples=examples(300), deadline=None)
def test_side_vertices_are_those_of_plain_python(whole: CSRGraph) -> None:
    before = compaction.compact(uncompacted(simplify(whole)))
    side = plain.side_vertices(before.graph)
    parts = separate(before)
    if whole.info["directed"] or not any(side):
        assert parts == (before,)
        return
    first, second = parts
    kept = [v for v, is_side in enumerate(side) if not is_side]
    assert first.graph is before.graph
    assert_int32(
        first.reach, [(2 - is_side) * r for is_side, r in zip(side, before.reach.tolist(), strict=True)]
    )
    assert_int32(first.source_count, (before.source_count * np.array(side)).tolist())
    assert_graph(second.graph, plain.without(plain.rows_of(before.graph), kept), whole)
    assert_int32(second.kept, before.original(np.array(kept, np.int32)).tolist())
    assert_int32(second.reach, before.reach[kept].tolist())
    assert_int32(second.source_count, before.source_count[kept].tolist())
    assert first.extra is before.extra
    assert_array_equal(second.extra, np.zeros(whole.vertices))


@given(ANY_GRAPH, st.integers(1, 9) | st.just(2**31 - 2))
@example(EMPTY, 4)
@example(NAMED["star"], 4)
@settings(max_examples=examples(300), deadline=None)
def test_virtual_vertices_are_those_of_plain_python(whole: CSRGraph, mdeg: int) -> None:
    vmap, vptr = virtual_csr(whole, mdeg)
    expected = plain.virtual_vertices(whole, mdeg)
    assert_int32(vmap, [v for v, _ in expected])
    assert_int32(vptr, [*(arcs[0] for _, arcs in expected), whole.arcs])
    assert np.repeat(vmap, np.diff(vptr)).tolist() == whole.tails().tolist()


@given(ANY_GRAPH, st.integers(1, 9) | st.just(2**31 - 2))
@example(EMPTY, 4)
@example(NAMED["star"], 4)
@settings(max_examples=examples(300), deadline=None)
def test_strides_are_those_of_plain_python(whole: CSRGraph, mdeg: int) -> None:
    vmap, begin, nvir = stride_csr(whole, mdeg)
    expected = plain.strides(whole, mdeg)
    assert_int32(vmap, [v for v, _ in expected])
    assert_int32(begin, [arcs[0] for _, arcs in expected])
    assert_int32(nvir, np.bincount(vmap, minlength=whole.vertices).tolist())
    for v, first, (_, arcs) in zip(vmap.tolist(), begin.tolist(), expected, strict=True):
        assert 1 <= len(arcs) <= mdeg
        assert arcs == list(range(first, whole.indptr[v + 1], nvir[v]))


@pytest.mark.parametrize("mdeg", [0, -1])
def test_virtual_vertices_without_arcs_are_refused(mdeg: int) -> None:
    with pytest.raises(OneLineError, match=f"mdeg is {mdeg}"):
        parse(f"betweenness/vert-virt:mdeg={mdeg}")


def solve(reduced: Compacted) -> np.ndarray:
    """Run the recurrence on a compacted graph, exactly, and bring its scores back."""
    scores = ordered_scores(reduced.graph, None, reduced.reach.tolist(), reduced.source_count.tolist())
    return reduced.expand(np.array([float(score) for score in scores]))


def expected(whole: CSRGraph, sources: list[int] | None = None) -> list[float]:
    return [float(score) for score in ordered_scores(whole, sources)]


def compact(whole: CSRGraph, sources: list[int] | None = None) -> Compacted:
    return compaction.compact(uncompacted(simplify(whole), sources))


@given(random_graphs(most_vertices=14), st.data())
@settings(max_examples=examples(50), deadline=None)
def test_compacted_graph_keeps_the_scores(whole: CSRGraph, data: st.DataObject) -> None:
    chosen = st.lists(st.integers(0, whole.vertices - 1), unique=True)
    sources = data.draw(st.none() | chosen)
    reduced = compact(whole, sources)
    assert_allclose(solve(reduced), expected(whole, sources), rtol=1e-12, atol=1e-12)
    assert reduced.reach.sum() == whole.vertices
    assert reduced.source_count.sum() == (whole.vertices if sources is None else len(sources))


@pytest.mark.parametrize("sources", [None, [0, 5, 7]])
def test_trees_shrink_to_one_vertex_each(sources: list[int] | None) -> None:
    reduced = compact(TREE, sources)
    assert (reduced.graph.vertices, reduced.graph.arcs) == (2, 0)
    assert sorted(reduced.reach.tolist()) == [2, 6]
    assert_array_equal(reduced.extra, expected(TREE, sources))


@given(whole=random_graphs(most_vertices=14), rounds=st.none(), again=st.booleans())
@example(whole=TRIANGLES, rounds=2, again=True)
@example(whole=grid(8, 6), rounds=1, again=True)
@example(whole=NAMED["two components"], rounds=1, again=True)
@example(whole=NAMED["one vertex"], rounds=1, again=True)
@settings(max_examples=examples(50), deadline=None)
def test_rounds_without_side_vertices_keep_the_scores(
    whole: CSRGraph, rounds: int | None, again: bool
) -> None:
    first, *rest = separate(compact(whole))
    parts = [first, *(compaction.compact(part) if again else part for part in rest)]
    assert_allclose(sum(solve(part) for part in parts), expected(whole), rtol=1e-12, atol=1e-12)
    assert rounds is None or len(parts) == rounds


def test_side_vertices_stay_if_not_all_vertices_are_sources_or_arcs_go_one_way() -> None:
    sampled = compact(TRIANGLES, [0, 3])
    assert separate(sampled) == (sampled,)
    one_way = compact(graph(3, [(0, 1, 1), (1, 2, 1), (0, 2, 1)]))
    assert separate(one_way) == (one_way,)


def test_arcs_without_reverse_in_a_graph_that_is_called_undirected_read_no_other_memory() -> None:
    """Vertex 4 has one arc left when all heads of its arcs are gone; there is no right answer."""
    one_way = graph(5, [(0, 2, 1), (1, 2, 1), (3, 4, 1), (4, 0, 1), (4, 1, 1)])
    called = CSRGraph(one_way.indptr, one_way.indices, None, {**one_way.info, "directed": False})
    assert_int32(compaction.compact(uncompacted(called)).kept, [2])
