"""St-connectivity by the search that has less to do: what it looks at, and how its marks last."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs import graph, grid, mixed_graph, random_graphs
from retrace.check.oracles import Oracle
from retrace.graphs.csr import CSRGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import Query, make

LAST_MARK = 2**31 - 1


def prepared(found: CSRGraph, path: str = "no") -> Any:
    solver: Any = make(f"stcon/fewer-arcs:predecessors={path}")
    solver.setup(found)
    return solver


def length(solver: Any, source: int, target: int) -> int:
    query = Query(source, target)
    solver.upload(query)
    solver.solve(query)
    return int(solver.download()[0])


def visited(solver: Any) -> int:
    """Count the vertices that the last search has visited."""
    marks, _, marked = solver.kept
    return int(np.count_nonzero(marks >= marked[0] - 1))


@pytest.mark.parametrize("turned", [False, True])
def test_a_wide_side_waits_for_a_narrow_one(turned: bool) -> None:
    """At the end of a chain is a hub of leaves that have one more each; the chain has more arcs."""
    chain = [(v, v + 1, 1) for v in range(600)]
    wide = [arc for leaf in range(500) for arc in ((600, 601 + leaf, 1), (601 + leaf, 1101 + leaf, 1))]
    found = graph(1601, chain + wide, directed=False)
    ends = (0, 600) if turned else (600, 0)
    solver = prepared(found)
    assert length(solver, *ends) == 600
    assert visited(solver) <= 602


@pytest.mark.parametrize("path", ["no", "yes"])
@given(found=random_graphs(60), data=st.data())
@settings(max_examples=60, deadline=None)
def test_searches_on_one_graph_do_not_disturb_each_other(
    path: str, found: CSRGraph, data: st.DataObject
) -> None:
    solver, oracle = prepared(found, path), Oracle(found)
    solver.kept[2][0] = data.draw(st.sampled_from([0, LAST_MARK - 7, LAST_MARK - 2, LAST_MARK - 1]))
    for _ in range(6):
        source, target = (data.draw(st.integers(0, found.vertices - 1)) for _ in range(2))
        query = Query(source, target)
        solver.upload(query)
        solver.solve(query)
        result = oracle.check("stcon/fewer-arcs", query, solver.download(), solver.predecessors())
        assert result.verified, result.reason
        assert 0 <= solver.kept[2][0] <= LAST_MARK


@pytest.mark.parametrize("found", [grid(9, 7), mixed_graph(90)], ids=["grid", "mixed"])
def test_paths_between_any_two_vertices(found: CSRGraph) -> None:
    """One after the other, so that each finds what another has left."""
    solver, oracle = prepared(found, "yes"), Oracle(found)
    for source in range(0, found.vertices, 7):
        for target in range(found.vertices):
            query = Query(source, target)
            solver.solve(query)
            result = oracle.check("stcon/fewer-arcs", query, solver.download(), solver.predecessors())
            assert result.verified, f"{query}: {result.reason}"


def test_marks_begin_anew_before_they_overflow() -> None:
    path = graph(9, [(v, v + 1, 1) for v in range(8)])
    solver = prepared(path)
    assert length(solver, 0, 8) == 8
    solver.kept[2][0] = LAST_MARK - 3
    for expected in (LAST_MARK - 1, 2, 4):
        assert length(solver, 0, 8) == 8
        assert solver.kept[2][0] == expected
    assert length(solver, 8, 0) == UNREACHABLE
    solver = prepared(path)
    assert length(solver, 0, 8) == 8
    solver.kept[2][0] = LAST_MARK - 1  # marks 1 and 2 are there
    assert length(solver, 0, 8) == 8
    assert length(solver, 3, 3) == 0
