"""In which order `betweenness/lanes` and `lane-queues` take their sources: as plain Python orders them."""

from __future__ import annotations

from copy import copy
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import plain_preparation as plain
from cuda_on_cpu.device import EmulatedDevice
from graphs import graph
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers import make
from retrace.solvers.betweenness.compaction import uncompacted
from retrace_today.betweenness.lanes import COMPACTING_PAYS, Lanes
from test_reductions import ANY_GRAPH, EMPTY, assert_int32


@cache
def lanes() -> Lanes:
    device = EmulatedDevice().__enter__()
    solver = make("betweenness/lanes", device)
    assert isinstance(solver, Lanes)
    solver.setup(EMPTY)
    return solver


ENDS = [(0, 300, 1), (0, 301, 1), (0, 302, 1), (299, 303, 1), (299, 304, 1)]
TWO_FAR_HUBS = graph(305, [(u, u + 1, 1) for u in range(299)] + ENDS, directed=False)
"""Vertices at the distances 253 to 255 of one hub are at 46 to 44 of the other."""
NEAR_HUBS = graph(
    125,
    [(0, u, 1) for u in range(1, 62)] + [(61, u, 1) for u in range(62, 120)]
    + [(120, u, 1) for u in (56, 57, 58, 59, 60, 61)],
    directed=False,
)  # fmt: skip
"""From hub 61 the leaves of hub 0 are as far by that hub, its 61st arc, as some are by vertex 120."""
FOUR_STARS = graph(
    160,
    [(159 - 30 * k, 158 - 30 * k - i, 1) for k in range(4) for i in range(28 - k)] + [(60, 5, 1), (61, 4, 1)],
    directed=False,
)
"""The hub of the last one alone tells its leaves from those that hang on them, which have lower numbers."""


ONE_WAY = graph(6, [(5, 4, 1), (5, 3, 1), (4, 0, 1), (3, 1, 1), (1, 2, 1)])


@pytest.mark.long
@given(ANY_GRAPH, st.data(), st.integers(1, 4))
@example(EMPTY, None, 4)
@example(graph(300, [(u, u + 1, 1) for u in range(299)], directed=False), None, 2)
@example(TWO_FAR_HUBS, None, 2)
@example(ONE_WAY, None, 1)
@example(NEAR_HUBS, None, 4)
@example(FOUR_STARS, None, 4)
@settings(max_examples=200, deadline=None)
def test_sources_are_ordered_as_by_plain_python(
    whole: CSRGraph, data: st.DataObject | None, hubs: int
) -> None:
    solver = copy(lanes())
    solver.hubs = hubs
    some = data.draw(st.lists(st.integers(0, whole.vertices - 1), unique=True)) if data else None
    part = solver.send(uncompacted(whole, some))
    count = part.reduced.source_count.tolist()
    assert_int32(solver.near_together(part), plain.ordered_sources(whole, count, hubs))


@pytest.mark.parametrize(("sources", "searched"), [(32, range(32)), (33, [*range(1, 33), 0])])
def test_sources_of_one_pass_need_no_order(sources: int, searched: list[int]) -> None:
    """Vertex 1 is the hub of a star whose first vertex is a leaf."""
    star = graph(40, [(1, u, 1) for u in range(40) if u != 1], directed=False)
    solver = copy(lanes())
    part = solver.send(uncompacted(star, range(sources)))
    first = 1 if sources > 32 else 0
    assert solver.device.download(part.sources).tolist()[0] == first
    assert sorted(solver.device.download(part.sources).tolist()) == sorted(searched)


@pytest.mark.parametrize("hubs", [1, 4])
def test_hubs_are_found_among_more_vertices_than_threads(hubs: int) -> None:
    """Of vertices with as many arcs the first comes first."""
    solver = copy(lanes())
    solver.hubs, threads = hubs, solver.device.resident_blocks(solver.block_size) * solver.block_size
    arcs = np.random.default_rng(5).integers(0, 9, threads + 1000)
    arcs[[threads + 900, threads + 7, 40]] = 12, 10, 12
    part = solver.send(uncompacted(graph(2, [])))
    part.arguments[0] = np.int32(len(arcs))
    part.arguments[1] = solver.device.upload(np.cumsum([0, *arcs], dtype=np.int32))
    nines = np.flatnonzero(arcs == arcs[arcs < 10].max())
    assert solver.hubs_of(part).tolist() == [40, threads + 900, threads + 7, nines[0]][:hubs]


def test_only_many_sources_pay_for_a_compacted_graph() -> None:
    size = COMPACTING_PAYS + 1
    path = graph(size, [(u, u + 1, 1) for u in range(size - 1)], directed=False)
    solver = copy(lanes())
    solver.graph = path
    for sources, left in ((COMPACTING_PAYS - 1, size), (COMPACTING_PAYS, 1)):
        (reduced,) = solver.reduce(Query(sources=np.arange(sources)))
        assert reduced.graph.vertices == left
