"""Buckets of distances: which there are, and what is relaxed in them; test_search_ways has answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda_device.interface import Device
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, layers, mixed_graph, random_graphs, two_level_star
from retrace.graphs.csr import CSRGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import Query, make
from schedules import runs, seeds
from solving import DEVICES, open_device, solved
from test_races import RACING
from test_solvers import verify

BLOCKS = ["block_size=32,grid=3", "block_size=128,grid=1,piece=2,block_queue_size=3"]


def weighted(found: CSRGraph, weight: int) -> CSRGraph:
    """Give all arcs of a graph the same weight."""
    assert found.weights is not None
    found.weights[:] = weight
    return found


def searched(found: CSRGraph, delta: int, blocks: str = BLOCKS[0], seed: int | None = None) -> Any:
    """Return a solver that has searched a graph from vertex 0, and its phases."""
    with EmulatedDevice(seed) as device:
        solver: Any = make(f"sssp/delta-stepping:{blocks},delta={delta}", device)
        solver.setup(found)
        solver.upload(Query(0))
        phases = solver.solve(Query(0))
        return phases, solver.observed(), solver.download()


def check_counts(found: CSRGraph, delta: int, blocks: str, seed: int | None) -> None:
    """Each bucket that has a distance is opened once, and each heavy arc of a reached vertex relaxed once."""
    assert found.weights is not None
    _, observed, distance = searched(found, delta, blocks, seed)
    reached = distance < UNREACHABLE
    heavy = found.weights > delta
    from_reached = np.repeat(reached, np.diff(found.indptr))
    assert observed["buckets"] == len(np.unique(distance[reached] // delta)), seed
    assert observed["heavy_arcs_relaxed"] == int((from_reached & heavy).sum()), seed
    assert observed["arcs_relaxed"] >= int(from_reached.sum()), seed


@pytest.mark.long
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("delta", [1, 3, 100])
def test_buckets_and_heavy_arcs_are_those_of_the_distances(blocks: str, delta: int) -> None:
    """No schedule changes either: a bucket's distances are final when its heavy arcs are relaxed."""
    for found in NAMED.values():
        check_counts(found, delta, blocks, None)
    for name in ("grid", "detours", "ways"):
        for seed in range(2):
            check_counts(RACING[name], delta, blocks, seed)


@given(
    found=random_graphs(80), delta=st.integers(1, 12), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1))
)
@settings(max_examples=25, deadline=None)
def test_counts_on_random_graphs(found: CSRGraph, delta: int, seed: int | None) -> None:
    check_counts(found, delta, BLOCKS[0], seed)


def test_what_is_observed() -> None:
    """Of a path, a bucket has two vertices, and a phase for each of them but the last, which has no arc."""
    path = graph(40, [(u, u + 1, 2) for u in range(39)])
    for delta, phases, buckets, heavy in ((1, 0, 40, 39), (2, 39, 40, 0), (4, 39, 20, 0), (1000, 39, 1, 0)):
        found = searched(path, delta)
        counts = {"buckets": buckets, "arcs_relaxed": 39, "heavy_arcs_relaxed": heavy}
        assert found[0] == phases
        assert found[1] | {"prepare_ms": 0} == {"delta": delta, **counts, "prepare_ms": 0}
    assert searched(NAMED["no arcs"], 1)[0] == 0


def test_a_vertex_that_comes_back_relaxes_its_light_arcs_again_and_its_heavy_ones_once() -> None:
    """Vertex 2 is in the first bucket with distance 8, and then with 2; it takes a heavy arc from there."""
    found = graph(5, [(0, 2, 8), (0, 1, 1), (1, 2, 1), (2, 3, 9), (2, 4, 11)])
    phases, observed, distance = searched(found, 10)
    assert (phases, observed["buckets"]) == (3, 2)
    assert (observed["arcs_relaxed"], observed["heavy_arcs_relaxed"]) == (6, 1)
    assert distance.tolist() == [0, 1, 2, 11, 13]


def test_a_vertex_of_heavy_arcs_alone_is_in_its_bucket() -> None:
    """It enters no queue until its bucket is done, whether it came from a later bucket or not."""
    found = graph(5, [(0, 1, 1), (1, 2, 50), (0, 3, 30), (3, 4, 50)])
    phases, observed, distance = searched(found, 10)
    assert (phases, observed["heavy_arcs_relaxed"]) == (1, 3)
    assert distance.tolist() == [0, 1, 51, 30, 80]


def test_the_next_bucket_is_that_of_the_least_distance_now() -> None:
    """Vertex 1 was in the second bucket until its distance fell into the first: the next is the tenth."""
    found = graph(4, [(0, 1, 10), (0, 2, 1), (2, 1, 1), (0, 3, 95)])
    assert searched(found, 10)[1]["buckets"] == 2


@pytest.mark.parametrize("seed", [None, *seeds(10)])
def test_a_vertex_is_in_a_phase_once(seed: int | None) -> None:
    """Eight arcs of equal length find it in a phase; each of its own arcs is then relaxed once."""
    deep = weighted(layers([1, *[8] * 20, 1, 1]), 1)
    for blocks in BLOCKS:
        phases, observed, _ = searched(deep, 100, blocks, seed)
        assert (phases, observed["arcs_relaxed"], observed["buckets"]) == (22, deep.arcs, 1)


@pytest.mark.parametrize("hubs", [two_level_star(3, 300), two_level_star(20, 15)])
def test_full_queues_lose_no_heavy_arc(hubs: CSRGraph) -> None:
    weighted(hubs, 7)
    for seed in runs(*range(4)):
        verify(f"sssp/delta-stepping:{BLOCKS[1]},delta=2", "emulator", hubs, Query(0), seed)


def test_distances_and_limits_end_below_32_bits() -> None:
    """The last bucket ends beyond 2^31, and so does the longest way that is looked at."""
    heavy = graph(4, [(0, 1, 2**30), (1, 2, 2**30 - 2), (2, 1, 2**30), (1, 3, 2**30 - 3), (3, 0, 2**30)])
    for delta in (1, 2**29, 2**30 - 1, 2**30):
        _, observed, distance = searched(heavy, delta)
        assert distance.tolist() == [0, 2**30, 2**31 - 2, 2**31 - 3]
        assert observed["buckets"] == len(np.unique(distance // delta))


def test_delta_is_that_of_near_and_far_piles() -> None:
    with EmulatedDevice() as device:
        for found in (RACING["grid"], RACING["complete"], NAMED["no arcs"]):
            deltas = []
            for name in ("delta-stepping", "near-far"):
                observed = solved(f"sssp/{name}", found, Query(0), device).observed()
                deltas.append(observed["delta"])
            assert deltas[0] == deltas[1]


def check_classes(found: CSRGraph, delta: int, device: Device) -> None:
    """Compare the arcs of each vertex and class with what NumPy says of their weights."""
    solver: Any = make(f"sssp/delta-stepping:block_size=64,delta={delta}", device)
    solver.setup(found)
    solver.upload(Query(0))
    begins = device.download(solver.begins).astype(np.int64)
    head, weight = device.download(solver.arcs).view(np.int32).reshape(-1, 2).T
    assert found.weights is not None
    assert np.array_equal(begins[::2], found.indptr)
    is_heavy = np.repeat(np.arange(2 * found.vertices) % 2, np.diff(begins))
    assert np.array_equal(weight > delta, is_heavy == 1)
    tails = found.tails()
    stored = np.lexsort((weight, head, tails))
    given_order = np.lexsort((found.weights, found.indices, tails))
    assert np.array_equal(head[stored], found.indices[given_order])
    assert np.array_equal(weight[stored], found.weights[given_order])


@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize("found", [*NAMED.values(), *RACING.values(), mixed_graph(700)])
def test_light_arcs_are_before_heavy_ones(found: CSRGraph, backend: str) -> None:
    for seed in (None, 1, 2) if backend == "emulator" else (None,):
        with open_device(backend, seed) as device:
            for delta in (1, 3, 60):
                check_classes(found, delta, device)


def test_a_solver_solves_again_on_the_same_graph() -> None:
    """Bitmaps, lengths and counters of a search are no part of the next."""
    with EmulatedDevice() as device:
        solver: Any = solved("sssp/delta-stepping:delta=300", RACING["ways"], Query(0), device)
        first, observed = solver.download(), solver.observed()
        for _ in range(3):
            solver.solve(Query(0))
            assert np.array_equal(solver.download(), first)
            assert solver.observed() == observed
