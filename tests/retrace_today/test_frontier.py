"""Searches in one cooperative launch: each way through their levels, full queues, odd sizes, schedules."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, layers, two_level_star
from retrace.graphs.csr import CSRGraph
from retrace.solvers import Query, make
from schedules import runs
from solving import solved
from test_solvers import verify

ABOVE, BELOW = "alone=0,alpha=0", "alone=0,rest=0,alpha=1000000,beta=1000000"
SMALL = "block_size=32,grid=3"
WAYS = [
    f"bfs/direction:{SMALL},{ABOVE}",
    f"bfs/direction:{SMALL},{BELOW}",
    f"bfs/direction:{SMALL},alone=0,rest=0,alpha=1000000,beta=1",
    f"bfs/direction:{SMALL},alone=0,rest=9,alpha=1000000,beta=1000000",
    "bfs/direction:block_size=64,grid=3,alone=0,alpha=1000000,beta=1000000",
    f"bfs/direction:{SMALL},alone=0,rest=100,alpha=1000000,beta=1000000",
    f"bfs/direction:{SMALL},alone=0,rest=0,alpha=40,beta=1000000",
    f"bfs/direction:{SMALL},alone=3,alpha=2,beta=3",
    "bfs/direction:block_size=64,grid=1,registers=32,piece=3",
    f"bfs/direction:{SMALL},alone=0,alpha=4,piece=1,block_queue_size=1",
    f"bfs/direction:{SMALL},{ABOVE},predecessors=yes",
    f"bfs/direction:{SMALL},{BELOW},predecessors=yes",
    f"bfs/direction:{SMALL},alone=3,alpha=2,beta=3,piece=2,predecessors=yes",
    f"bfs/direction:{SMALL},alone=0,rest=9,alpha=1000000,beta=1,predecessors=yes",
    "bfs/direction:block_size=64,grid=1,registers=32,piece=3,alpha=20,predecessors=yes",
    f"sssp/near-far:{SMALL},alone=0,rise=1,predecessors=yes",
    f"sssp/near-far:{SMALL},alone=0,rise=2147483646,predecessors=yes",
    f"sssp/near-far:{SMALL},alone=3,rise=7,piece=2",
    "sssp/near-far:block_size=64,grid=1,registers=32,piece=3,predecessors=yes",
    f"sssp/near-far:{SMALL},alone=0,piece=1,block_queue_size=1",
    *(
        f"sssp/{name}:{way}"
        for name in ("workfront-sweep", "edge-classes")
        for way in (SMALL, f"{SMALL},piece=1,block_queue_size=1", "block_size=64,grid=1,registers=32,piece=3")
    ),
    f"sssp/delta-stepping:{SMALL},delta=1073741824",
    f"sssp/delta-stepping:{SMALL},delta=1,piece=1,block_queue_size=1",
    "sssp/delta-stepping:block_size=64,grid=1,registers=32,piece=3,delta=5",
]
"""Every level by the whole grid, or by one block; from one side, or changing; queues that overflow."""
FULL = [
    f"bfs/direction:{SMALL},{ABOVE},piece={piece},block_queue_size={size}"
    for piece, size in ((1, 1), (2, 5), (100, 31))
]
FULL += ["bfs/direction:block_size=64,grid=3,piece=1,block_queue_size=1"]
FULL += [f"bfs/direction:{SMALL},alone=9,alpha=9,beta=2,piece=2,block_queue_size=5,predecessors=yes"]
FULL += [f"sssp/near-far:{SMALL},alone=0,rise=3,piece=2,block_queue_size=5,predecessors=yes"]
FULL += [f"sssp/{name}:{SMALL},piece=2,block_queue_size=5" for name in ("workfront-sweep", "edge-classes")]
FULL += [f"sssp/delta-stepping:{SMALL},delta=1,piece=2,block_queue_size=5"]


@pytest.mark.long
@pytest.mark.parametrize("name", ["bfs/direction", "sssp/near-far"])
@pytest.mark.parametrize("alone", [1, 6, 36])
def test_one_block_goes_on_while_others_wait(name: str, alone: int) -> None:
    """Whatever block 0 has counted by then, others must see what was counted when it began."""
    string = layers([1, 1, 1, 6, 1, 1, 6, 6, 1] * 3)
    for seed in range(50):
        verify(f"{name}:{SMALL},alone={alone}", "emulator", string, Query(0), seed)


@pytest.mark.parametrize("singles", range(1, 7))
def test_the_grid_counts_on_where_it_was(singles: int) -> None:
    """However many levels one block has found alone, in between the counters of the grid have not turned."""
    string = layers([*[1] * singles, 40, 40, *[1] * singles, 40, 1, 1, 1])
    verify(f"bfs/direction:{SMALL},alone=2,alpha=0", "emulator", string, Query(0))


@pytest.mark.parametrize("spec", FULL)
def test_full_queues_lose_no_vertex(spec: str) -> None:
    """A block finds hundreds of vertices, and a hub of hundreds of pieces, for a queue of few entries."""
    for hubs in (two_level_star(3, 300), two_level_star(20, 15)):
        for seed in runs(*range(8)):
            verify(spec, "emulator", hubs, Query(0), seed)


@pytest.mark.parametrize("way", [BELOW, "alone=0,alpha=1000000"])
@pytest.mark.parametrize("entering", [1, 4, 5, 20, 21, 132, 133, 165, 300])
def test_a_vertex_looks_through_all_arcs_that_enter_it(way: str, entering: int) -> None:
    """From below, the last tail alone is visited: a lane finds it first or later, or others look with it.

    Another lane of the warp finds the tail of its own vertex by itself.
    """
    hub, last = 400, 350
    arcs = [(0, last, 1), *((last - i, hub, 1) for i in range(entering)), (hub, 401, 1), (401, 402, 1)]
    arcs += [(0, 10, 1), (10, 403, 1)]
    for tree in ("no", "yes"):
        spec = f"bfs/direction:{SMALL},{way},predecessors={tree}"
        verify(spec, "emulator", graph(404, arcs), Query(0))


@pytest.mark.parametrize("count", [1, 2, 3, 5, 9, 17, 31, 32])
def test_lanes_look_for_the_vertices_that_are_left(count: int) -> None:
    """From below, vertices of one word; the last tail of every one but each fifth is visited, or none is."""
    first, unreached, last = 32, 64, 400
    arcs = [(0, last, 1)]
    for i in range(count):
        arcs += [(unreached + k, first + i, 1) for k in range(9 * (i % 7) + 30 * (i % 3))]
        arcs += [(last if i % 5 != 3 else unreached, first + i, 1), (first + i, last + 1 + i, 1)]
    for tree in ("no", "yes"):
        spec = f"bfs/direction:{SMALL},{BELOW},predecessors={tree}"
        verify(spec, "emulator", graph(last + 40, arcs), Query(0))


def test_what_is_observed() -> None:
    path = graph(40, [(u, u + 1, 1) for u in range(39)])
    with EmulatedDevice() as device:
        back_and_forth = "alone=0,rest=0,alpha=1000000,beta=1"
        alone_at_last = "alone=0,rest=7,alpha=1000000,beta=1000000"
        from_below_when_few_are_left = "alone=0,rest=0,alpha=10,beta=1000000"
        for way, below, returns in (
            (ABOVE, 0, 0),
            (BELOW, 39, 0),
            (back_and_forth, 20, 19),
            (alone_at_last, 39, 0),
            (from_below_when_few_are_left, 38, 0),  # all but the level that is not queued
        ):
            observed = solved(f"bfs/direction:{SMALL},{way}", path, Query(0), device).observed()
            assert (observed["levels_from_below"], observed["returns_to_above"]) == (below, returns)
            assert 0 < observed["prepare_ms"] < 1000


def test_a_search_ends_when_all_vertices_that_arcs_enter_are_found() -> None:
    """It does not look for one more level for the sake of those that no arc enters."""
    with EmulatedDevice() as device:
        path = graph(8, [(0, 1, 1), (1, 2, 1), (2, 3, 1)])
        observed = solved(f"bfs/direction:{SMALL},{BELOW}", path, Query(0), device).observed()
    assert observed["levels_from_below"] == 3


@pytest.mark.parametrize(
    ("sizes", "seeds"), [([6] * 12, range(20)), ([12] * 36, (5, 7, 10))]
)  # those of twenty that show an addition of two blocks without its atomic
def test_a_vertex_is_queued_once_however_many_find_it(sizes: list[int], seeds: Iterable[int]) -> None:
    """A level's arcs, which decide how the next is found, are then the same under any schedule."""
    deep = layers([1, *sizes])
    found = set()
    for seed in (None, *seeds):
        with EmulatedDevice(seed) as device:
            spec = f"bfs/direction:{SMALL},alone=0,rest=0,alpha=1,beta=1000000"
            found.add(solved(spec, deep, Query(0), device).observed()["levels_from_below"])
    assert len(found) == 1
    assert 1 < found.pop() < 11


def test_a_level_is_queued_whole_when_a_search_returns_to_above() -> None:
    """A block of two warps queues it together: none moves the queue before the other has added its part."""
    wide = layers([1, *[70] * 6])
    for seed in range(10):
        spec = "bfs/direction:block_size=64,grid=3,alone=0,rest=0,alpha=1000000,beta=1"
        verify(spec, "emulator", wide, Query(0), seed)


def test_a_vertex_is_near_once_however_often_its_distance_falls() -> None:
    """Each arc is then relaxed once, and under any schedule the warps of a block count it once."""
    twice = graph(5, [(0, 1, 1), (0, 2, 1), (1, 3, 10), (2, 3, 5), (3, 4, 1)])
    deep, deeper = layers([1, *[8] * 40]), layers([1, *[12] * 80])
    for found in (deep, deeper):
        assert found.weights is not None
        found.weights[:] = 1
    lost = (11, 18)  # of twenty seeds, those that show an addition of two warps without its atomic
    for found, seeds in ((twice, (None,)), (deep, (None, *range(20))), (deeper, lost)):
        for seed in seeds:
            with EmulatedDevice(seed) as device:
                spec = "sssp/near-far:block_size=128,grid=1,alone=0,piece=3,rise=1000"
                observed = solved(spec, found, Query(0), device).observed()
                assert observed["arcs_relaxed"] == found.arcs, seed


@pytest.mark.parametrize("spec", [spec for spec in WAYS if spec.startswith("sssp")])
def test_an_arc_of_a_tree_is_relaxed_once(spec: str) -> None:
    """Its distances never fall, so that what is relaxed again, or too early, is work for nothing."""
    drawn = Random(1)
    lengths = [1, 2, 3, 7, 50, 1000]
    tree = graph(400, [(drawn.randrange(max(0, v - 9), v), v, drawn.choice(lengths)) for v in range(1, 400)])
    for seed in runs(1):
        with EmulatedDevice(seed) as device:
            assert solved(spec, tree, Query(0), device).observed()["arcs_relaxed"] == tree.arcs


@pytest.mark.parametrize("spec", [spec for spec in WAYS if spec.startswith("sssp")])
def test_a_distance_may_pass_32_bits_before_it_falls(spec: str) -> None:
    """The way to vertex 1 that is found first is 2^30 long, and so is the arc that leaves it."""
    heavy = graph(4, [(0, 1, 2**30), (1, 2, 2**30), (0, 3, 1), (3, 1, 1)])
    for seed in runs(1, 2, 3):
        verify(spec, "emulator", heavy, Query(0), seed)


def test_delta_follows_from_weights_and_degree() -> None:
    def ring(degree: int) -> list[tuple[int, int, int]]:
        every = range(10_000)
        return [(u, (u + by) % 10_000, 30 + 40 * (u % 2)) for u in every for by in range(1, degree + 1)]

    with EmulatedDevice() as device:
        for arcs, spec, delta in (
            (ring(2), "", 350), (ring(2), ":rise=3", 75), (ring(15), "", 46), (ring(16), "", 31), ([], "", 1),
            ([(0, 1, 0)], "", 1),
        ):  # fmt: skip
            solver = make(f"sssp/near-far{spec}", device)
            solver.setup(graph(10_000, arcs))
            solver.upload(Query(0))
            assert solver.delta == delta
        path = graph(40, [(u, u + 1, 2) for u in range(39)])
        observed = solved(f"sssp/near-far:{SMALL},rise=2", path, Query(0), device).observed()
        assert observed | {"prepare_ms": 0} == {"delta": 4, "limits": 19, "arcs_relaxed": 39, "prepare_ms": 0}


@pytest.mark.parametrize(
    ("setting", "told"),
    [("block_size=48", "block_size is 48, expected a multiple of 32"),
     ("block_size=800", "block_size is 800, expected at most 768 with registers=64"),
     ("grid=99", "grid is 99, expected at most 3, which run at the same time")],
)  # fmt: skip
@pytest.mark.parametrize("name", ["bfs/direction", "sssp/near-far"])
def test_a_launch_that_cannot_be_is_refused(name: str, setting: str, told: str) -> None:
    with EmulatedDevice() as device, pytest.raises(OneLineError, match=f"{name}: {told}"):
        make(f"{name}:{setting}", device).setup(NAMED["grid"])


def spread(seed: int, vertices: int = 400) -> CSRGraph:
    """Make a graph whose distances from vertex 0 are spread widely, so that far piles are long."""
    random = Random(seed)
    star = [(0, v, random.randrange(1, 2000)) for v in range(1, vertices)]
    others = [
        (random.randrange(vertices), random.randrange(vertices), random.randrange(1, 2000))
        for _ in range(3 * vertices)
    ]
    return graph(vertices, star + others)


@pytest.mark.parametrize(
    "spec",
    ["near-far:block_size=128,grid=1,alone=0,rise=1", "near-far:block_size=64,grid=3,rise=2",
     "delta-stepping:block_size=128,grid=1,delta=40", "delta-stepping:block_size=64,grid=3,delta=100",
     "one-block:block_size=128,width=1,few_near=8", "cluster:block_size=64,cluster_blocks=4,width=16",
     "host-arcs:block_size=128,lines=1,rise=1,sweep=8"],
)  # fmt: skip
def test_warps_of_a_block_do_not_lose_what_is_far(spec: str) -> None:
    for seed in range(3):
        verify(f"sssp/{spec}", "emulator", spread(seed), Query(0), seed)
