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
from retrace.solvers import Query, Solver, make
from retrace.solvers.betweenness.published_variants import VertCompVirt
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace_today import choice
from retrace_today.betweenness import lanes
from retrace_today.betweenness.auto import Auto
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


@pytest.mark.long
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
@pytest.mark.parametrize("vertices", [1, 31, 1025])
@pytest.mark.parametrize("spec", ["lanes:", "lane-queues:", "lane-queues:team=grid,"])
def test_lanes_search_compacted_graphs(
    spec: str, vertices: int, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "COMPACTING_PAYS", 1)
    whole, query, checker = grown(vertices)
    with open_device(backend) as device:
        solver = solved(f"betweenness/{spec}block_size=64", whole, query, device)
        assert solver.observed()["searched_vertices"] < max(vertices, 2)
        result = checker.check(spec, query, solver.download())
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


@pytest.mark.parametrize("kind", Auto.candidates)
def test_auto_takes_what_costs_least(kind: type[Solver], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Query(sources=(0, 3, 7))
    monkeypatch.setattr(choice, "microseconds", lambda name, _: float(name != kind.name))
    with EmulatedDevice() as device:
        solver = solved(
            with_settings("betweenness/auto", take="cheapest"), GRAPHS["triangles"], asked, device
        )
        assert isinstance(solver, Auto)
        assert type(solver.chosen) is kind
        assert solver.observed()[f"chose_{kind.variant}"] == 1
        assert ("blocks" in solver.observed()) == (kind is not ArrayBrandes)
        assert_allclose(solver.download(), exact_scores(GRAPHS["triangles"], (0, 3, 7)), rtol=1e-12)


def test_auto_takes_fewer_lanes_where_rows_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmulatedDevice, "free_memory", lambda device: 4000)
    order = "betweenness/lane-queues", "betweenness/vert-comp-virt"
    monkeypatch.setattr(choice, "microseconds", lambda name, _: order.index(name) if name in order else 9)
    with EmulatedDevice() as device:
        solver = solved(
            with_settings("betweenness/auto", take="cheapest", blocks=1), GRAPHS["triangles"], Query(), device
        )
        assert isinstance(solver, Auto)
        assert type(solver.chosen) is VertCompVirt
        assert_allclose(solver.download(), exact("triangles"), rtol=1e-12)
