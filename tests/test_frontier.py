"""Searches in one cooperative launch: each way through their levels, full queues, odd sizes, schedules."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_line import python
from graphs import NAMED, graph, random_graphs, two_level_star
from retrace.check.checkers import checker_of
from retrace.devices.build import build_emulator
from retrace.devices.emulator import EmulatedDevice, debug_environment
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.solvers import REGISTRY, Query, make
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS
from solving import solved
from test_races import RACING
from test_solvers import verify

ABOVE, BELOW = "alone=0,alpha=0", "alone=0,rest=0,alpha=1000000,beta=1000000"
SMALL = "block_size=32,grid=3"
WAYS = [
    f"bfs/direction:{SMALL},{ABOVE}",
    f"bfs/direction:{SMALL},{BELOW}",
    f"bfs/direction:{SMALL},alone=0,rest=0,alpha=1000000,beta=1",
    f"bfs/direction:{SMALL},alone=0,rest=9,alpha=1000000,beta=1000000",
    "bfs/direction:block_size=64,grid=3,alone=0,alpha=1000000,beta=1000000",
    f"bfs/direction:{SMALL},alone=3,alpha=2,beta=3",
    "bfs/direction:block_size=64,grid=1,registers=32,piece=3",
    f"bfs/direction:{SMALL},alone=0,alpha=4,piece=1,block_queue_size=1",
    f"sssp/near-far:{SMALL},alone=0,rise=1,predecessors=yes",
    f"sssp/near-far:{SMALL},alone=0,rise=2147483646,predecessors=yes",
    f"sssp/near-far:{SMALL},alone=3,rise=7,piece=2",
    "sssp/near-far:block_size=64,grid=1,registers=32,piece=3,predecessors=yes",
    f"sssp/near-far:{SMALL},alone=0,piece=1,block_queue_size=1",
]
"""Every level by the whole grid, or by one block; from one side, or changing; queues that overflow."""
FULL = [
    f"bfs/direction:{SMALL},{ABOVE},piece={piece},block_queue_size={size}"
    for piece, size in ((1, 1), (2, 5), (100, 31))
]
FULL += [f"sssp/near-far:{SMALL},alone=0,rise=3,piece=2,block_queue_size=5,predecessors=yes"]


@pytest.mark.parametrize("spec", WAYS)
def test_every_way_agrees_with_the_oracle(spec: str) -> None:
    for found in NAMED.values():
        for source in {0, found.vertices - 1}:
            verify(spec, "emulator", found, Query(source))


@pytest.mark.parametrize("spec", WAYS)
@given(found=random_graphs(80), data=st.data(), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1)))
@settings(max_examples=15, deadline=None)
def test_every_way_on_random_graphs(
    spec: str, found: CSRGraph, data: st.DataObject, seed: int | None
) -> None:
    verify(spec, "emulator", found, Query(data.draw(st.integers(0, found.vertices - 1))), seed)


@pytest.mark.parametrize("spec", WAYS)
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_changes_an_answer(spec: str, which: str) -> None:
    checker = checker_of(spec.partition("/")[0], RACING[which])
    for seed in range(12):
        with EmulatedDevice(seed) as device:
            solver = solved(spec, RACING[which], Query(0), device)
            result = checker.check(spec, Query(0), solver.download(), solver.predecessors())
        assert result.verified, f"seed {seed}: {result.reason}"


def layers(widths: list[int]) -> CSRGraph:
    """Make levels of some numbers of vertices, each with arcs to all of the next level."""
    first = [0, *accumulate(widths)]
    arcs = [
        (u, v, 1 + v % 3)
        for begin, middle, end in zip(first, first[1:], first[2:], strict=False)
        for u in range(begin, middle)
        for v in range(middle, end)
    ]
    return graph(first[-1], arcs)


@pytest.mark.parametrize("name", ["bfs/direction", "sssp/near-far"])
@pytest.mark.parametrize("alone", [1, 6, 36])
def test_one_block_goes_on_while_others_wait(name: str, alone: int) -> None:
    """Whatever block 0 has counted by then, others must see what was counted when it began."""
    string = layers([1, 1, 1, 6, 1, 1, 6, 6, 1] * 3)
    for seed in range(50):
        verify(f"{name}:{SMALL},alone={alone}", "emulator", string, Query(0), seed)


def mixed_graph(vertices: int) -> CSRGraph:
    """Make a graph with a hub, a part that is not reached, loops, parallel arcs and weights up to 2^30."""
    random = np.random.default_rng(vertices)
    reached = max(1, vertices - vertices // 8)
    tails, heads = random.integers(0, reached, (2, 3 * vertices))
    spokes = random.integers(0, reached, vertices // 2)
    tails, heads = np.append(tails, np.zeros_like(spokes)), np.append(heads, spokes)
    weights = random.choice([0, 1, 50, 1000, 2**24], len(tails))
    weights[:1] = 2**30
    return from_arcs(vertices, tails, heads, weights, {"name": "mixed", "directed": True})


@pytest.mark.parametrize("spec", WAYS)
@pytest.mark.parametrize("vertices", [1, 2, 31, 32, 33, 65_537])
def test_sizes_around_those_of_warps_and_words(spec: str, vertices: int) -> None:
    verify(spec, "emulator", mixed_graph(vertices), Query(0))


@pytest.mark.parametrize("spec", FULL)
def test_full_queues_lose_no_vertex(spec: str) -> None:
    """A block finds hundreds of vertices, and a hub of hundreds of pieces, for a queue of few entries."""
    hubs = two_level_star(3, 300)
    for seed in (None, *range(8)):
        verify(spec, "emulator", hubs, Query(0), seed)


def test_what_is_observed() -> None:
    path = graph(40, [(u, u + 1, 1) for u in range(39)])
    with EmulatedDevice() as device:
        back_and_forth = "alone=0,rest=0,alpha=1000000,beta=1"
        alone_at_last = "alone=0,rest=7,alpha=1000000,beta=1000000"
        for way, below, returns in (
            (ABOVE, 0, 0),
            (BELOW, 39, 0),
            (back_and_forth, 20, 19),
            (alone_at_last, 39, 0),
        ):
            observed = solved(f"bfs/direction:{SMALL},{way}", path, Query(0), device).observed()
            assert (observed["levels_from_below"], observed["returns_to_above"]) == (below, returns)
            assert 0 < observed["prepare_ms"] < 1000


@pytest.mark.parametrize("spec", [spec for spec in WAYS if spec.startswith("sssp")])
def test_a_distance_may_pass_32_bits_before_it_falls(spec: str) -> None:
    """The way to vertex 1 that is found first is 2^30 long, and so is the arc that leaves it."""
    heavy = graph(4, [(0, 1, 2**30), (1, 2, 2**30), (0, 3, 1), (3, 1, 1)])
    for seed in (None, 1, 2, 3):
        verify(spec, "emulator", heavy, Query(0), seed)


@pytest.mark.parametrize("spec", [spec for spec in WAYS if "predecessors" in spec])
@given(found=random_graphs(30), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1)))
@settings(max_examples=40, deadline=None)
def test_arcs_of_weight_0_close_no_cycle(spec: str, found: CSRGraph, seed: int | None) -> None:
    assert found.weights is not None
    found.weights[:] = found.weights % 2
    verify(spec, "emulator", found, Query(0), seed)


def test_delta_follows_from_weights_and_degree() -> None:
    ring = [(u, (u + by) % 10_000, 30 + 40 * (u % 2)) for u in range(10_000) for by in (1, 2)]
    with EmulatedDevice() as device:
        for arcs, spec, delta in ((ring, "", 250), (ring, ":rise=3", 75), ([], "", 1), ([(0, 1, 0)], "", 1)):
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
     ("grid=99", "grid is 99, expected at most 3, which run at the same time")],
)  # fmt: skip
def test_a_launch_that_cannot_be_is_refused(setting: str, told: str) -> None:
    with EmulatedDevice() as device, pytest.raises(RetraceError, match=told):
        make(f"bfs/direction:{setting}", device).setup(NAMED["grid"])


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from test_frontier import WAYS, mixed_graph
from retrace.check.checkers import checker_of
from retrace.devices.emulator import EmulatedDevice
from retrace.solvers import Query
from solving import solved
for spec in WAYS:
    found, query = mixed_graph(200), Query(0)
    with EmulatedDevice(seed=5) as device:
        answer = solved(spec, found, query, device).download()
    assert checker_of(spec.partition("/")[0], found).check(spec, query, answer).verified, spec
"""


def test_no_access_is_out_of_bounds() -> None:
    """The debug build has the address sanitizer, which needs a process of its own."""
    for source in {REGISTRY.find(spec).source for spec in WAYS}:
        build_emulator(KERNELS / source, debug=True, shuffled=True)
    done = python(PROGRAM, str(Path(__file__).parent), **debug_environment())
    assert done.returncode == 0, done.stderr[-2000:]
