"""Betweenness of today: queues of 64 searches or of a block's, on graphs of all sizes, and the choice."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from exact_betweenness import exact_scores
from graphs import graph
from retrace.check.checkers import Checker, checker_of
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.solvers import Query, make
from retrace.solvers.betweenness.published_variants import VertCompVirt
from retrace_today.betweenness.auto import Auto, has_hub
from retrace_today.betweenness.bitmap_queue import BitmapQueue
from retrace_today.betweenness.lane_queues import LaneQueues
from solving import DEVICES, open_device, solved
from test_betweenness_kernels import GRAPHS, exact, solve, with_settings

pytestmark = pytest.mark.usefixtures("kept_context")


QUEUES = ["bitmap-queue:blocks=4,compacted=yes,renumbered=yes", "lane-queues:lanes=64,filter_kib=1",
          "lane-queues:few=0,blocks=1", "lane-queues:few=2,lanes=128,blocks=2,precision=float",
          "bitmap-queue:precision=float,bitmap_kib=0",
          "lane-queues:precision=float,few=2,registers=64,lanes=64",
          "lane-queues:team=grid", "lane-queues:team=grid,few=2,precision=float"]  # fmt: skip


@cache
def grown(vertices: int) -> tuple[CSRGraph, Query, Checker]:
    """Make a tree with as many more edges, at random; half of its vertices hang on the last ones of all."""
    random = np.random.default_rng(vertices)
    later = np.arange(1, vertices)
    earlier = np.where(random.random(len(later)) < 0.5, later // 2, np.maximum(later - 1 - later % 3, 0))
    ends = random.integers(0, vertices, (2, vertices - 1))
    tails, heads = np.concatenate((later, earlier, *ends)), np.concatenate((earlier, later, *ends[::-1]))
    whole = from_arcs(vertices, tails, heads, None, {"name": "grown", "directed": False})
    query = Query(sources=tuple(range(0, vertices, -(-vertices // (70 if vertices < 2000 else 4)))))
    return whole, query, checker_of("betweenness", whole)


@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize(
    ("vertices", "spec"),
    [*product([1, 2, 31, 32, 33, 1025], QUEUES), *product([65_537], QUEUES[:2])],
)
def test_queues_on_graphs_of_all_sizes(spec: str, vertices: int, backend: str) -> None:
    whole, query, checker = grown(vertices)
    spec = f"betweenness/{spec},block_size=64"
    result = checker.check(spec, query, solve(spec, open_device(backend), whole, query))
    assert result.verified, result.reason


@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize("spec", QUEUES)
def test_a_queue_has_room_for_each_vertex_in_each_search(spec: str, backend: str) -> None:
    """On a cycle of one-way arcs, each search has a vertex on another level, and there are as many levels."""
    cycle = graph(64, [(u, (u + 1) % 64, 1) for u in range(64)])
    found = solve(f"betweenness/{spec},block_size=32", open_device(backend), cycle, Query())
    assert_allclose(found, np.full(64, 63 * 62 / 2), rtol=1e-5)


@pytest.mark.parametrize(("lanes", "registers"), [(32, 32), (32, 64), (64, 32), (64, 64), (128, 64)])
def test_all_threads_of_a_block_have_a_desk(lanes: int, registers: int) -> None:
    spec = f"betweenness/lane-queues:lanes={lanes},registers={registers}"
    assert_allclose(solve(spec, EmulatedDevice(), GRAPHS["hub"], Query()), exact("hub"), rtol=1e-12)


def test_more_searches_than_an_atomic_marks_need_registers() -> None:
    with EmulatedDevice() as device, pytest.raises(OneLineError, match="lanes is 128, expected at most 64"):
        make("betweenness/lane-queues:lanes=128,registers=32", device).setup(GRAPHS["path"])


@pytest.mark.parametrize("setting", ["lanes=32", "registers=32"])
def test_a_grid_has_passes_of_64_searches(setting: str) -> None:
    with EmulatedDevice() as device, pytest.raises(OneLineError, match=r"with it lanes=64 and registers=64$"):
        make(f"betweenness/lane-queues:team=grid,{setting}", device).setup(GRAPHS["path"])


@pytest.mark.parametrize(
    ("setting", "resident", "blocks"),
    [("team=auto", 24, 1), ("team=auto", 23, 3), ("team=block", 24, 3), ("team=grid", 1, 1),
     ("blocks=2", 24, 2), ("lanes=32", 40, 5)],
)  # fmt: skip
def test_the_grid_shares_a_pass_if_seven_of_eight_blocks_would_idle(
    setting: str, resident: int, blocks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuda_on_cpu.device.RESIDENT_BLOCKS", resident)
    whole = graph(150, [(u, u + 1, 1) for u in range(149)])  # three passes of 64, five of 32
    with EmulatedDevice() as device:
        solver = make(f"betweenness/lane-queues:{setting},block_size=32", device)
        solver.setup(whole)
        solver.upload(Query())
        assert solver.observed()["blocks"] == blocks


@pytest.mark.parametrize("backend", DEVICES)
def test_scores_are_added_up_in_doubles_where_path_counts_are_floats(backend: str) -> None:
    """One source adds 2^15 + 1 to a vertex, another one in 512 paths: a float holds either, but not both."""
    leaves, ways = 1 << 15, 512
    first, second, through, end = range(4)
    between = [through, *range(4, 3 + ways)]
    tips = range(3 + ways, 3 + ways + leaves)
    arcs = [(first, through, 1), *((second, way, 1) for way in between), *((way, end, 1) for way in between)]
    arcs += [(tail, tip, 1) for tail in (through, second) for tip in tips]
    whole = graph(3 + ways + leaves, arcs)
    with open_device(backend) as device:
        query = Query(sources=(first, second))
        found = solved("betweenness/bitmap-queue:precision=float", whole, query, device).download()
    assert found[through] == leaves + 1 + 1 / ways


def test_auto_leaves_little_work_to_the_cpu() -> None:
    whole, sources = GRAPHS["triangles"], (0, 3, 7)
    arcs = whole.arcs
    for chosen, on_device in (
        ({"crossover": 3 * arcs + 1}, False),
        ({"crossover": 3 * arcs}, True),
        ({"least_sources": 4}, False),
        ({"least_sources": 3}, True),
    ):
        with EmulatedDevice() as device:
            solver = make(with_settings("betweenness/auto", precision="float", **chosen), device)
            solver.setup(whole)
            solver.upload(Query(sources=sources))
            assert solver.solve(Query(sources=sources)) == 3
            assert_allclose(solver.download(), exact_scores(whole, sources), rtol=1e-5)
            observed = solver.observed()
            assert ("chose_seq-array" in observed) != on_device
            assert ("blocks" in observed) == on_device


@pytest.mark.parametrize(("graph", "levels"), [("path", 8), ("triangles", 5)])
def test_auto_takes_a_queue_for_a_deep_graph_and_lanes_for_many_sources(graph: str, levels: int) -> None:
    vertices, arcs = GRAPHS[graph].vertices, GRAPHS[graph].arcs
    work = vertices * vertices
    for deep, many, large, queued, kind in (
        (levels, 1, 1, 1, BitmapQueue),
        (levels + 1, work, arcs, 1, LaneQueues),
        (levels + 1, work + 1, arcs, vertices, BitmapQueue),
        (levels + 1, work, arcs + 1, vertices, BitmapQueue),
        (levels + 1, work, arcs + 1, vertices + 1, VertCompVirt),
    ):
        with EmulatedDevice() as device:
            spec = with_settings("betweenness/auto", deep=deep, many=many, large=large, queued=queued)
            solver = solved(spec, GRAPHS[graph], Query(), device)
            assert isinstance(solver, Auto)
            assert type(solver.chosen) is kind
            assert solver.observed()[f"chose_{kind.variant}"] == 1
            assert_allclose(solver.download(), exact(graph), rtol=1e-12)


@pytest.mark.parametrize(
    ("vertices", "arcs_of_hub", "has"),
    [(200, 128, False), (200, 129, True), (6400, 200, False), (6400, 201, True)],
)
def test_a_hub_leads_to_a_32nd_of_the_vertices(vertices: int, arcs_of_hub: int, has: bool) -> None:
    star = graph(vertices, [(0, head, 1) for head in range(1, arcs_of_hub + 1)])
    assert has_hub(star) == has


def test_auto_divides_the_arcs_of_a_hub() -> None:
    for arcs_of_hub, kind in ((128, BitmapQueue), (129, VertCompVirt)):
        star = graph(160, [(0, head, 1) for head in range(1, arcs_of_hub + 1)])
        with EmulatedDevice() as device:
            spec = with_settings("betweenness/auto", crossover=1, queued=1, many=2**29)
            solver = solved(spec, star, Query(sources=tuple(range(8))), device)
            assert isinstance(solver, Auto)
            assert type(solver.chosen) is kind


def test_auto_takes_fewer_lanes_where_rows_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmulatedDevice, "free_memory", lambda device: 4000)
    with EmulatedDevice() as device:
        solver = solved(
            with_settings("betweenness/auto", many=1, large=1, blocks=1), GRAPHS["triangles"], Query(), device
        )
        assert isinstance(solver, Auto)
        assert type(solver.chosen) is VertCompVirt
        assert_allclose(solver.download(), exact("triangles"), rtol=1e-12)
