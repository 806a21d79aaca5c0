"""Graphs as sets of arcs: each arc once, and its reverse where it lacks."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from graphs import random_graphs
from retrace.graphs.arc_sets import is_symmetric, simplify
from retrace.graphs.csr import CSRGraph
from retrace_commands.reverse_arcs import with_reverse_arcs


@given(random_graphs())
def test_simplified_graph_has_each_arc_once_in_order(whole: CSRGraph) -> None:
    simple = simplify(whole)
    arcs = list(zip(simple.tails().tolist(), simple.indices.tolist(), strict=True))
    between = zip(whole.tails().tolist(), whole.indices.tolist(), strict=True)
    assert arcs == sorted({(tail, head) for tail, head in between if tail != head})
    assert (simple.vertices, simple.weights, simple.info) == (whole.vertices, None, whole.info)
    assert simplify(simple).indices is simple.indices  # nothing is to be sorted again


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
