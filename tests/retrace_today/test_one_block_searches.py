"""Searches in one block: bits, records, queues that fill shared memory, and what their steps might lose."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_cluster_searches import ring, spread
from test_cluster_searches import verify as verify_patiently

from cuda_device.errors import TooLargeError
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, grid, random_graphs
from retrace.check.checkers import checker_of
from retrace.graphs.csr import CSRGraph
from retrace.solvers import REGISTRY, Query, make
from retrace_today.one_block import MOST_ROOM, OneBlockSearch
from retrace_today.packed_arcs import DeviceCut, Packer
from schedules import examples, runs, seeds
from solving import solved
from test_memory import CountingDevice
from test_races import RACING, deep_star

verify = partial(verify_patiently, patience=10.0)  # seconds for a kernel that does not end
NAMES = [name for name, kind in REGISTRY.solvers.items() if issubclass(kind, OneBlockSearch)]
TREES = [f"{name}:predecessors=yes" for name in NAMES]
LANES = ("1", "2", "4")
RECORDS_USED = str(Path(__file__).parent / "records_used.cu")
EMPTY = {
    count: CSRGraph(np.zeros(count + 1, np.int32), np.zeros(0, np.int32)) for count in (264_346, 900_000)
}
"""Graphs without arcs, of as many vertices as New York's and more than fit into 99 KiB."""


@pytest.mark.parametrize("spec", TREES)
@pytest.mark.parametrize("vertices", [1, 2, 31, 32, 33, 511, 512, 513, 1023, 1024, 1025, 2049])
def test_sizes_round_a_word_and_a_tile(spec: str, vertices: int) -> None:
    for source in {0, vertices // 2}:
        verify(spec, ring(vertices), Query(source))


@pytest.mark.parametrize("spec", TREES)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("degree", [*range(12), 1000])
def test_records_of_any_degree(spec: str, lanes: str, degree: int) -> None:
    """Heads follow the vertex with this many arcs, each with an arc of its own; the last is the farthest."""
    arcs = [(0, 1 + i, 1 + i) for i in range(degree)]
    arcs += [(1 + i, 1 + degree + i, 2) for i in range(degree)]
    verify(f"{spec},record_lanes={lanes}", graph(1 + 2 * degree, arcs), Query(0))


@pytest.mark.parametrize("kernel", ["count_by_record", "count_by_slot"])
def test_each_arc_is_used_once_however_many_others_of_the_warp_have(kernel: str) -> None:
    """A search that used them again would be right, and slower: only slots left over repeat an arc."""
    degrees = np.array([1, 2, 3, 4, 5, 7, 8, 50, 1, 13] * 7, np.int64)
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
    found = CSRGraph(indptr, (np.arange(indptr[-1]) % len(degrees)).astype(np.int32))
    with EmulatedDevice() as device:
        arrays = [device.upload(array) for array in (found.indptr, found.indices)]
        _, records = DeviceCut(Packer(device), [arrays], 1, 1).long_records(0)
        uses = device.upload(np.zeros(len(degrees), np.int32))
        device.load(RECORDS_USED).kernel(kernel)(5, 64, np.int32(len(degrees)), records, uses)
        further = np.maximum(0, -(-(degrees - 4) // 3))  # records but the first, each behind a link
        np.testing.assert_array_equal(device.download(uses), 4 + 3 * further)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("spec", TREES)
def test_any_graph_with_any_number_of_lanes_in_both_memories(spec: str, lanes: str) -> None:
    for found in (*NAMED.values(), ring(3000), spread(20, 60), deep_star(3, 200)):
        for kib in (0, 1):
            given = f"{spec},record_lanes={lanes},shared_kib={kib},block_size=64"
            verify(given, found, Query(0))
            assert verify(given, found, Query(found.vertices - 1, 0)).bits_in_shared == (kib == 0)


@pytest.mark.parametrize("kib", [2, 3, 5])
@pytest.mark.parametrize("spec", TREES)
def test_queues_that_fill_shared_memory_go_on_in_global_memory(spec: str, kib: int) -> None:
    """Rounds of 700 and of 800 vertices and, of far ones, twice as many in a pile."""
    for found in (spread(5, 700), deep_star(4, 200)):
        for more in ("", ",width=1,few_near=0", ",width=1,few_near=1000") if "sssp" in spec else ("",):
            solver = verify(f"{spec},shared_kib={kib},block_size=64{more}", found, Query(0))
            assert 0 < solver.room < 700


@pytest.mark.parametrize("name", NAMES)
def test_more_entries_than_a_block_has_threads(name: str) -> None:
    for lanes in LANES:
        verify(f"{name}:block_size=32,record_lanes={lanes}", spread(5, 700), Query(0))
        verify(f"{name}:record_lanes={lanes}", spread(4, 3000), Query(0))


@pytest.mark.parametrize("spec", TREES)
def test_a_wide_round_leaves_nothing_to_narrow_ones(spec: str) -> None:
    """50 vertices in a round, and one in each of those that follow."""
    arcs = [arc for u in range(1, 51) for arc in ((0, u, 1), (u, 51, 1))]
    found = graph(72, [*arcs, *((u, u + 1, 1) for u in range(51, 71))])
    for kib in (0, 1):
        verify(f"{spec},shared_kib={kib}", found, Query(0))


@pytest.mark.parametrize("spec", TREES)
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_of_forty_changes_an_answer(spec: str, which: str) -> None:
    for seed in seeds(40):
        kib = (0, 0, 1, 2)[seed // 3 % 4]
        more = f"record_lanes={LANES[seed % 3]},block_size={32 << seed % 3},shared_kib={kib}"
        verify(f"{spec},{more}", RACING[which], Query(0), seed)


@pytest.mark.parametrize("spec", TREES)
@given(found=random_graphs(60), data=st.data(), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1)))
@settings(max_examples=examples(60), deadline=None)
def test_any_random_graph(spec: str, found: CSRGraph, data: st.DataObject, seed: int | None) -> None:
    source, target = (data.draw(st.integers(0, found.vertices - 1)) for _ in range(2))
    lanes = data.draw(st.sampled_from(LANES))
    verify(f"{spec},record_lanes={lanes}", found, Query(source, target), seed)


@pytest.mark.parametrize("kib", [0, 1])
@pytest.mark.parametrize("spec", TREES)
def test_a_search_on_the_same_graph_leaves_nothing_to_the_next(spec: str, kib: int) -> None:
    """The third search is as long as the second, elsewhere; the last ends are not connected."""
    path = graph(90, [(u, u + 1, 1) for u in range(89)])
    checker, given = checker_of(spec.partition("/")[0], path), f"{spec},shared_kib={kib}"
    with EmulatedDevice() as device:
        solver = make(given, device)
        solver.setup(path)
        solver.upload(Query(0, 80))
        for ends in ((0, 80), (50, 70), (20, 40), (70, 70), (80, 3)):
            query = Query(*ends)
            solver.solve(query)
            result = checker.check(given, query, solver.download(), solver.predecessors())
            assert result.verified, f"{ends}: {result.reason}"


@pytest.mark.parametrize("spec", TREES)
def test_predicted_memory_is_what_is_allocated(spec: str) -> None:
    one_way = graph(150, [(u, u + 1, 1) for u in range(149)])
    for asked, found in product((spec, f"{spec},shared_kib=1"), (grid(23, 17), one_way)):
        with CountingDevice() as device:
            solver: Any = make(asked, device)
            predicted = solver.memory_bytes(found)
            solver.setup(found)
            solver.upload(Query(0, 3))
            solver.solve(Query(0, 3))
            assert predicted in range(device.allocated - 64, device.allocated + 1)


@pytest.mark.parametrize(
    ("name", "capability", "vertices", "in_shared", "room"),
    [
        ("bfs", "9.0", 264_346, True, MOST_ROOM),
        ("bfs", "8.6", 264_346, True, MOST_ROOM),
        ("bfs", "7.5", 264_346, True, 3919),
        ("bfs", "5.0", 264_346, True, 1871),
        ("bfs", "8.6", 900_000, False, MOST_ROOM),
        ("bfs", "9.0", 900_000, True, MOST_ROOM),
        ("stcon", "8.6", 264_346, True, MOST_ROOM),
        ("stcon", "7.5", 264_346, False, MOST_ROOM),
        ("stcon", "5.0", 264_346, False, MOST_ROOM),
        ("sssp", "8.6", 264_346, True, MOST_ROOM),
        ("sssp", "5.0", 264_346, True, 935),
    ],
)
def test_shared_memory_is_what_the_gpu_has(
    name: str, capability: str, vertices: int, in_shared: bool, room: int
) -> None:
    with EmulatedDevice(compute_capability=capability) as device:
        solver: Any = make(f"{name}/one-block", device)
        solver.share_out(EMPTY[vertices])
        assert (solver.bits_in_shared, solver.room) == (in_shared, room)
        assert solver.shared_bytes <= device.limits.dynamic_shared


@pytest.mark.parametrize("spec", TREES)
def test_the_oldest_gpu_runs_it(spec: str) -> None:
    with EmulatedDevice(compute_capability="5.0") as device:
        solver = solved(spec, ring(3000), Query(7, 3), device)
        problem = spec.partition("/")[0]
        answer = solver.download()
        result = checker_of(problem, ring(3000)).check(spec, Query(7, 3), answer, solver.predecessors())
        assert result.verified, result.reason


def test_a_block_has_whole_warps_and_no_more_than_vertices_need() -> None:
    for vertices, more, threads in (
        (3000, "", 1024),
        (3000, ",block_size=40", 64),
        (33, "", 96),
        (1, "", 32),
    ):
        assert verify(f"bfs/one-block:record_lanes=2{more}", ring(vertices), Query(0)).threads == threads


@pytest.mark.parametrize("name", NAMES)
def test_more_records_than_a_link_tells_apart_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrace_today.one_block.MOST_RECORDS", 40)
    star = graph(24, [(0, u, 1) for u in range(1, 24)])  # 24 positions are 32, and seven records follow
    verify(name, star, Query(0))
    with (
        EmulatedDevice() as device,
        pytest.raises(TooLargeError, match="needs 40 records of 4 arcs, expected"),
    ):
        solved(name, graph(28, [(0, u, 1) for u in range(1, 28)]), Query(0, 1), device)


def test_levels_are_counted() -> None:
    for found, levels in ((NAMED["path"], 300), (NAMED["one vertex"], 1), (grid(9, 7), 15)):
        with EmulatedDevice() as device:
            solver = make("bfs/one-block", device)
            solver.setup(found)
            solver.upload(Query(0))
            assert solver.solve(Query(0)) == levels


@pytest.mark.parametrize("path", ["no", "yes"])
@pytest.mark.parametrize("kib", [0, 1])
@pytest.mark.parametrize("target", range(14))
def test_searches_meet_at_a_vertex_or_on_an_arc(target: int, kib: int, path: str) -> None:
    cycle = graph(14, [(u, (u + 1) % 14, 1) for u in range(14)], directed=False)
    one_way = graph(14, [(u, (u + 1) % 14, 1) for u in range(14)])
    for found in (cycle, one_way, ring(14)):
        for seed in runs(1, 2):
            verify(f"stcon/one-block:shared_kib={kib},predecessors={path}", found, Query(0, target), seed)


@pytest.mark.parametrize("length", range(1, 9))
def test_many_ways_meet_at_once(length: int) -> None:
    """Between the ends are 40 ways of this length, and 40 of one arc more; all of them meet in one round."""
    arcs, vertices = [], 2
    for way in range(80):
        inner = range(vertices, vertices + length - 1 + way % 2)
        vertices += len(inner)
        stops = [0, *inner, 1]
        arcs += [(u, v, 1) for u, v in pairwise(stops)]
    found = graph(vertices, arcs)
    for spec in (
        "stcon/one-block:predecessors=yes",
        "stcon/one-block:predecessors=yes,record_lanes=4,block_size=32",
    ):
        for seed in range(12):
            verify(spec, found, Query(0, 1), seed)


def test_all_warps_have_looked_for_an_arc_between_the_searches() -> None:
    """Only the last of 100 vertices that either search has found are joined, by the last of their 31 arcs."""
    arcs = [(0, 201 + u, 1) for u in range(100)] + [(1 + u, 101, 1) for u in range(100)]
    arcs += [arc for u in range(30) for arc in ((300, 201 + u, 1), (1 + u, 100, 1))]
    found = graph(301, [*arcs, (300, 100, 1)])
    for seed in range(12):
        verify("stcon/one-block:predecessors=yes,record_lanes=1,block_size=128", found, Query(0, 101), seed)


@pytest.mark.parametrize("lanes", LANES)
def test_each_search_follows_its_own_arcs(lanes: str) -> None:
    """They meet at the last of 20 vertices that lead to the target, then of 20 that the source leads to."""
    spec = f"stcon/one-block:record_lanes={lanes},predecessors=yes"
    verify(spec, graph(42, [(0, 20, 1), (20, 41, 1), *((u, 41, 1) for u in range(1, 20))]), Query(0, 41))
    verify(spec, graph(42, [(0, 20, 1), (20, 41, 1), *((0, u, 1) for u in range(1, 20))]), Query(0, 41))


def test_searches_end_where_they_meet() -> None:
    """Ten arcs apart, both reach the vertex between in their fifth round; eleven apart, in the sixth."""
    with EmulatedDevice() as device:
        solver = make("stcon/one-block", device)
        solver.setup(NAMED["path"])
        for target, rounds in ((110, 5), (111, 6), (100, 0)):
            solver.upload(Query(100, target))
            assert solver.solve(Query(100, target)) == rounds


def test_a_search_that_has_no_vertex_left_ends_both() -> None:
    """The other has 299 arcs before it."""
    one_way = graph(301, [(u, u + 1, 1) for u in range(299)])
    with EmulatedDevice() as device:
        solver = make("stcon/one-block", device)
        solver.setup(one_way)
        for ends in (Query(0, 300), Query(300, 299)):
            solver.upload(ends)
            assert solver.solve(ends) == 1


WIDTHS = [
    "width=1,few_near=0",
    "width=1,few_near=7",
    "width=1000000",
    "few_near=1000",
    "width=3,few_near=1,record_lanes=1",
]


@pytest.mark.parametrize("more", WIDTHS)
@pytest.mark.parametrize("kib", [0, 1])
def test_limits_that_rise_by_any_width(more: str, kib: int) -> None:
    for found in (*NAMED.values(), ring(3000), spread(20, 60), *RACING.values()):
        for seed in runs(1):
            verify(f"sssp/one-block:{more},shared_kib={kib},block_size=64", found, Query(0), seed)


@pytest.mark.parametrize("more", WIDTHS)
def test_weights_up_to_two_to_the_thirty(more: str) -> None:
    """A way too long for 32 bits, that is found before the short one, must not come out short."""
    largest, spec = 2**31 - 3, f"sssp/one-block:{more}"
    verify(spec, graph(3, [(0, 1, 2**30), (1, 2, 2**30 - 3), (0, 2, largest)]), Query(0))
    late = [(0, 1, largest), (0, 2, 1), (2, 4, 1), (4, 5, 1), (5, 1, 1), (1, 3, 100), (3, 6, 1)]
    verify(spec, graph(7, late), Query(0))


def test_arcs_without_length_close_no_cycle_of_predecessors() -> None:
    """A cycle of weight 0 beside the source, and one behind an arc; the searches follow one another."""
    arcs = [(0, 1, 0), (1, 0, 0), (1, 2, 3), (2, 3, 0), (3, 4, 0), (4, 2, 0), (4, 5, 2), (5, 0, 7)]
    found = graph(7, arcs)
    checker, spec = checker_of("sssp", found), "sssp/one-block:predecessors=yes"
    with EmulatedDevice() as device:
        solver = make(spec, device)
        solver.setup(found)
        solver.upload(Query(0))
        for source in (0, 3, 1, 5, 6, 2):
            solver.solve(Query(source))
            result = checker.check(spec, Query(source), solver.download(), solver.predecessors())
            assert result.verified, f"{source}: {result.reason}"


@pytest.mark.parametrize("kib", [1, 2])
@pytest.mark.parametrize("lanes", LANES)
def test_a_pile_has_room_for_an_entry_of_each_arc(lanes: str, kib: int) -> None:
    """All of 40 vertices reach the same 30, first and far away, in one step."""
    arcs = [(0, 1 + u, 1) for u in range(40)]
    arcs += [(1 + u, 41 + v, 1000 + (7 * u + v) % 40) for u in range(40) for v in range(30)]
    arcs += [(41 + v, 71 + v, 1) for v in range(30)]
    for seed in runs(1, 2):
        spec = f"sssp/one-block:width=1,record_lanes={lanes},shared_kib={kib},predecessors=yes"
        verify(spec, graph(101, arcs), Query(0), seed)


def test_a_far_vertex_is_in_the_pile_once_however_often_its_distance_falls() -> None:
    """A near vertex is reached on 50 ways, each found later and shorter; 30 far ones follow it."""
    arcs = [(u, u + 1, 1) for u in range(50)]
    arcs += [(u, 51, 1000 - 3 * u) for u in range(51)]
    arcs += [(51, 52 + v, 10**6 + v) for v in range(30)]
    solver = verify("sssp/one-block:width=1,shared_kib=1,few_near=0", graph(82, arcs), Query(0))
    assert solver.pile_entries < 50 * 30


def test_a_vertex_is_expanded_once_in_a_step() -> None:
    """Of 60 vertices each leads to the same 40, and the queue has room for as many as the graph has."""
    arcs = [(0, 1 + u, 1) for u in range(60)]
    arcs += [(1 + u, 61 + v, 60 - u) for u in range(60) for v in range(40)]
    for seed in range(10):
        verify("sssp/one-block:width=1000,shared_kib=1,record_lanes=4", graph(101, arcs), Query(0), seed)


def test_how_often_the_limit_rises_is_counted() -> None:
    """A path whose arcs are 8 long, with a limit that rises by 8, or at once as far as it can."""
    path = graph(41, [(u, u + 1, 8) for u in range(40)])
    for more, buckets in (
        ("width=1,few_near=0", 40),
        ("width=1048576,few_near=0", 0),
        ("width=2,few_near=0", 20),
    ):
        solver = verify(f"sssp/one-block:{more}", path, Query(0))
        assert solver.observed()["buckets"] == buckets, more
    star = graph(
        22, [(0, 1 + k, 1 << k) for k in range(21)]
    )  # the mean is below 2^17: four are far, one by one
    assert verify("sssp/one-block:width=1,few_near=0", star, Query(0)).observed()["buckets"] == 4
