"""Reduced graphs: nothing is lost, by exact scores; virtual vertices hold every arc once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from exact_betweenness import ordered_scores
from graphs import NAMED, graph, grid, random_graphs
from retrace.graphs.csr import CSRGraph
from retrace.graphs.reductions import (
    Compacted,
    compact,
    is_symmetric,
    simplify,
    with_reverse_arcs,
    without_side_vertices,
)
from retrace.graphs.virtual import stride_csr, virtual_csr
from retrace.system.errors import RetraceError

TREE = graph(8, [(0, 1, 1), (1, 2, 1), (1, 3, 1), (3, 4, 1), (3, 5, 1), (6, 7, 1)], directed=False)
TRIANGLES = graph(  # a strip of triangles with a tail: taking its tips away lays more bare
    8, [(0, 1, 1), (0, 2, 1), (1, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1), (2, 4, 1), (4, 5, 1), (5, 6, 1),
        (5, 7, 1), (6, 7, 1)], directed=False)  # fmt: skip


def solve(reduced: Compacted) -> np.ndarray:
    """Run the recurrence on a compacted graph, exactly, and bring its scores back."""
    scores = ordered_scores(reduced.graph, None, reduced.reach.tolist(), reduced.source_count.tolist())
    return reduced.expand(np.array([float(score) for score in scores]))


def expected(whole: CSRGraph, sources: list[int] | None = None) -> list[float]:
    return [float(score) for score in ordered_scores(whole, sources)]


@given(random_graphs())
def test_simplified_graph_has_each_arc_once_in_order(whole: CSRGraph) -> None:
    simple = simplify(whole)
    arcs = list(zip(simple.tails().tolist(), simple.indices.tolist(), strict=True))
    between = zip(whole.tails().tolist(), whole.indices.tolist(), strict=True)
    assert arcs == sorted({(tail, head) for tail, head in between if tail != head})
    assert (simple.vertices, simple.weights, simple.info) == (whole.vertices, None, whole.info)


@given(random_graphs(most_vertices=14), st.data())
@settings(max_examples=50, deadline=None)
def test_compacted_graph_keeps_the_scores(whole: CSRGraph, data: st.DataObject) -> None:
    chosen = st.lists(st.integers(0, whole.vertices - 1), unique=True)
    sources = data.draw(st.none() | chosen)
    reduced = compact(simplify(whole), sources)
    assert_allclose(solve(reduced), expected(whole, sources), rtol=1e-12, atol=1e-12)
    assert reduced.reach.sum() == whole.vertices
    assert reduced.source_count.sum() == (whole.vertices if sources is None else len(sources))
    if whole.info["directed"]:
        assert reduced.graph.vertices == whole.vertices
    else:
        assert (reduced.graph.degrees() != 1).all()


@pytest.mark.parametrize("sources", [None, [0, 5, 7]])
def test_trees_shrink_to_one_vertex_each(sources: list[int] | None) -> None:
    reduced = compact(TREE, sources)
    assert (reduced.graph.vertices, reduced.graph.arcs) == (2, 0)
    assert sorted(reduced.reach.tolist()) == [2, 6]
    assert_array_equal(reduced.extra, expected(TREE, sources))


@given(whole=random_graphs(most_vertices=14), rounds=st.none())
@example(whole=TRIANGLES, rounds=2)
@example(whole=grid(8, 6), rounds=1)
@example(whole=NAMED["two components"], rounds=1)
@example(whole=NAMED["one vertex"], rounds=1)
@settings(max_examples=50, deadline=None)
def test_rounds_without_side_vertices_keep_the_scores(whole: CSRGraph, rounds: int | None) -> None:
    parts = without_side_vertices(compact(simplify(whole)))
    assert_allclose(sum(solve(part) for part in parts), expected(whole), rtol=1e-12, atol=1e-12)
    assert rounds is None or len(parts) == rounds


def test_side_vertices_stay_if_not_all_vertices_are_sources_or_arcs_go_one_way() -> None:
    sampled = compact(TRIANGLES, [0, 3])
    assert without_side_vertices(sampled) == (sampled,)
    one_way = compact(graph(3, [(0, 1, 1), (1, 2, 1), (0, 2, 1)]))
    assert without_side_vertices(one_way) == (one_way,)


@given(random_graphs(), st.integers(1, 9))
def test_virtual_vertices_have_every_arc_once(whole: CSRGraph, mdeg: int) -> None:
    vmap, vptr = virtual_csr(whole, mdeg)
    sizes = np.diff(vptr)
    assert (vptr[0], vptr[-1]) == (0, whole.arcs)
    assert ((sizes >= 1) & (sizes <= mdeg)).all()
    assert_array_equal(np.repeat(vmap, sizes), whole.tails())
    assert {vmap.dtype, vptr.dtype} == {np.dtype(np.int32)}


@given(random_graphs(), st.integers(1, 9))
def test_strides_have_every_arc_once(whole: CSRGraph, mdeg: int) -> None:
    vmap, begins, nvir = stride_csr(whole, mdeg)
    seen = np.zeros(whole.arcs, dtype=int)
    for v, begin in zip(vmap.tolist(), begins.tolist(), strict=True):
        arcs = range(begin, whole.indptr[v + 1], nvir[v])
        assert 1 <= len(arcs) <= mdeg
        seen[arcs] += 1
    assert (seen == 1).all()
    assert nvir.sum() == len(vmap) == len(begins)
    assert {vmap.dtype, begins.dtype, nvir.dtype} == {np.dtype(np.int32)}


@pytest.mark.parametrize("split", [virtual_csr, stride_csr])
def test_virtual_vertices_without_arcs_are_refused(split: Callable[[CSRGraph, int], object]) -> None:
    with pytest.raises(RetraceError, match="mdeg is 0"):
        split(TREE, 0)


@given(random_graphs(most_vertices=8), st.booleans())
def test_reverse_arcs_are_added_where_they_lack(whole: CSRGraph, weighted: bool) -> None:
    given = whole if weighted else CSRGraph(whole.indptr, whole.indices)
    found = with_reverse_arcs(given)

    def arcs(of: CSRGraph) -> Counter[tuple[int, ...]]:
        columns = [of.tails(), of.indices] + ([] if of.weights is None else [of.weights])
        return Counter(zip(*(column.tolist() for column in columns), strict=True))

    old, new = arcs(given), arcs(found)
    backwards = Counter({(head, tail, *weight): times for (tail, head, *weight), times in old.items()})
    assert new == old + Counter({arc: times for arc, times in backwards.items() if arc not in old})
    assert is_symmetric(found)
    assert found.info["directed"] is False
    assert with_reverse_arcs(found).digest() == found.digest()
