"""In which order `betweenness/lanes` and `lane-queues` take their sources: as plain Python orders them."""

from __future__ import annotations

from copy import copy
from functools import cache

from hypothesis import example, given, settings
from hypothesis import strategies as st

import plain_preparation as plain
from cuda_on_cpu.device import EmulatedDevice
from graphs import graph
from retrace.graphs.csr import CSRGraph
from retrace.solvers import make
from retrace.solvers.betweenness.compaction import uncompacted
from retrace_today.betweenness.lanes import Lanes
from test_reductions import ANY_GRAPH, EMPTY, assert_int32


@cache
def lanes() -> Lanes:
    with EmulatedDevice() as device:
        solver = make("betweenness/lanes", device)
        assert isinstance(solver, Lanes)
        solver.setup(EMPTY)
        return solver


ENDS = [(0, 300, 1), (0, 301, 1), (0, 302, 1), (299, 303, 1), (299, 304, 1)]
TWO_FAR_HUBS = graph(305, [(u, u + 1, 1) for u in range(299)] + ENDS, directed=False)
"""Vertices at the distances 253 and 254 of one hub are at 46 and 45 of the other."""


@given(ANY_GRAPH, st.data(), st.integers(1, 9))
@example(EMPTY, None, 8)
@example(graph(300, [(u, u + 1, 1) for u in range(299)], directed=False), None, 2)
@example(TWO_FAR_HUBS, None, 2)
@settings(max_examples=300, deadline=None)
def test_sources_are_ordered_as_by_plain_python(
    whole: CSRGraph, data: st.DataObject | None, hubs: int
) -> None:
    solver = copy(lanes())
    solver.hubs = hubs
    some = data.draw(st.lists(st.integers(0, whole.vertices - 1), unique=True)) if data else None
    reduced = uncompacted(whole, some)
    expected = plain.ordered_sources(whole, reduced.source_count.tolist(), hubs)
    assert_int32(solver.in_order(reduced), expected)
