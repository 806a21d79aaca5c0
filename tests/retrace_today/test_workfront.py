"""Sweeps over workfronts: what they relax, and the classes of arcs; test_search_ways has their answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from cuda_device.interface import Device
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, layers, mixed_graph, random_graphs, two_level_star
from retrace.graphs.csr import CSRGraph
from retrace.solvers import Query, make
from schedules import examples, runs, seeds
from solving import DEVICES, open_device, solved
from test_races import RACING
from test_solvers import verify

SWEEP, CLASSES = "sssp/workfront-sweep", "sssp/edge-classes"
BLOCKS = ["block_size=128,grid=1,piece=3", "block_size=32,grid=3"]
MARK = 1 << 31


def with_weights(found: CSRGraph, weight: int) -> CSRGraph:
    """Give all arcs of a graph the same weight."""
    assert found.weights is not None
    found.weights[:] = weight
    return found


def relaxed(spec: str, found: CSRGraph, source: int = 0, seed: int | None = None) -> tuple[int, float]:
    """Return the iterations of a search, and the arcs that it relaxed."""
    with EmulatedDevice(seed) as device:
        solver = make(spec, device)
        solver.setup(found)
        solver.upload(Query(source))
        iterations = solver.solve(Query(source))
        assert iterations is not None
        return iterations, solver.observed()["arcs_relaxed"]


def sequential_sweep(found: CSRGraph, source: int) -> tuple[int, int]:
    """Count the iterations and the arcs of a sweep that reads all distances before it lowers any."""
    assert found.weights is not None
    distance = np.full(found.vertices, 2**31 - 1, dtype=np.int64)
    distance[source] = 0
    front, iterations, arcs = np.array([source]), 0, 0
    tails, degrees = found.tails(), np.diff(found.indptr)
    while (count := int(degrees[front].sum())) > 0:
        leaving = np.isin(tails, front)
        before = distance.copy()
        np.minimum.at(distance, found.indices[leaving], before[tails[leaving]] + found.weights[leaving])
        front, iterations, arcs = np.flatnonzero(distance < before), iterations + 1, arcs + count
    return iterations, arcs


@pytest.mark.parametrize("name", [SWEEP, CLASSES])
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("seed", [None, *seeds(20)])
def test_a_vertex_is_in_a_workfront_once(name: str, blocks: str, seed: int | None) -> None:
    """Eight arcs of equal length find it in an iteration; each of its own arcs is then relaxed once."""
    deep = with_weights(layers([1, *[8] * 40, 1, 1]), 1)
    assert relaxed(f"{name}:{blocks}", deep, seed=seed) == (42, deep.arcs)


def test_arcs_are_relaxed_again_for_each_iteration_in_which_a_distance_falls() -> None:
    """The way to vertex 4 is shorter the more arcs it has, so that its own arc is relaxed three times."""
    ways = [(0, 4, 30), (0, 1, 1), (1, 4, 10), (1, 2, 1), (2, 4, 1)]
    found = graph(6, [*ways, (4, 5, 1)])
    assert sequential_sweep(found, 0) == (4, found.arcs + 2)
    for name in (SWEEP, CLASSES):
        assert relaxed(name, found) == (4, found.arcs + 2)


@pytest.mark.parametrize("found", [NAMED["one-way path"], two_level_star(3, 40), layers([1, 5, 5, 5])])
def test_a_sweep_is_as_long_as_one_that_goes_in_step(found: CSRGraph) -> None:
    """On graphs where each vertex is reached at one depth, no schedule finds a distance early."""
    for seed in runs(1, 2):
        assert relaxed(SWEEP, found, seed=seed) == sequential_sweep(found, 0)


def test_a_source_without_arcs_needs_no_iteration() -> None:
    assert relaxed(SWEEP, NAMED["no arcs"]) == (0, 0)
    assert relaxed(CLASSES, NAMED["no arcs"]) == (0, 0)


@pytest.mark.parametrize(
    ("arcs", "directed", "source", "relaxed_by_classes"),
    [
        pytest.param([(u, u + 1, 1) for u in range(39)], False, 0, 77, id="a path: not the last vertex's"),
        pytest.param([(0, u, u) for u in range(1, 40)], False, 0, 39, id="a star: the hub's"),
        pytest.param([(0, u, u) for u in range(1, 40)], False, 1, 40, id="a star: the source's, too"),
        pytest.param([(u, u + 1, 1) for u in range(39)], True, 0, 39, id="a path one way: all"),
        pytest.param([(0, 1, 1), (1, 0, 1), (0, 2, 1), (2, 1, 1)], True, 0, 3, id="not one that leads back"),
        pytest.param([(0, 1, 3), (1, 0, 1), (0, 2, 1), (2, 1, 1)], True, 0, 4, id="but from another tail"),
        pytest.param([(0, 1, 1), (1, 0, 1), (1, 0, 1)], True, 0, 3, id="of two arcs both"),
    ],
)  # fmt: skip
def test_what_leads_nowhere_is_not_relaxed(
    arcs: list[tuple[int, int, int]], directed: bool, source: int, relaxed_by_classes: int
) -> None:
    found = graph(40, arcs, directed)
    assert relaxed(CLASSES, found, source)[1] == relaxed_by_classes
    verify(CLASSES, "emulator", found, Query(source))


def check_marks(found: CSRGraph, device: Device) -> None:
    """Compare the marks of all arcs with what NumPy says of their heads."""
    solver: Any = make(f"{CLASSES}:block_size=64", device)
    solver.setup(found)
    arrays = solver.upload_arcs(found)
    marked = device.empty(found.arcs, np.uint64)
    solver.prepare(*arrays, marked)
    head, weight = device.download(marked).view(np.uint32).reshape(-1, 2).T
    assert found.weights is not None
    assert np.array_equal(head & ~np.uint32(MARK), found.indices.astype(np.uint32))
    assert np.array_equal(weight & ~np.uint32(MARK), found.weights.astype(np.uint32))
    entering = np.bincount(found.indices, minlength=found.vertices)
    assert np.array_equal(head >= MARK, entering[found.indices] == 1)
    leaving = [set(found.indices[a:b].tolist()) for a, b in zip(found.indptr, found.indptr[1:], strict=False)]
    several = np.diff(found.indptr) > 1
    pairs = zip(found.tails().tolist(), found.indices.tolist(), strict=True)
    assert (weight < MARK).tolist() == [bool(several[v] or leaving[v] - {u}) for u, v in pairs]


@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize(
    "found", [*NAMED.values(), *RACING.values(), two_level_star(3, 300), mixed_graph(700)]
)
def test_marks_are_those_of_the_degrees(found: CSRGraph, backend: str) -> None:
    for seed in (None, *range(5)) if backend == "emulator" else (None,):
        with open_device(backend, seed) as device:
            check_marks(found, device)


@given(found=random_graphs(100))
@settings(max_examples=examples(40), deadline=None)
def test_marks_on_random_graphs(found: CSRGraph) -> None:
    with EmulatedDevice() as device:
        check_marks(found, device)


@pytest.mark.parametrize("name", [SWEEP, CLASSES])
def test_a_solver_solves_again_on_the_same_graph(name: str) -> None:
    """Bitmaps, lengths and counters of a search are no part of the next."""
    with EmulatedDevice() as device:
        solver: Any = solved(name, RACING["ways"], Query(0), device)
        first, observed = solver.download(), solver.observed()
        for _ in range(3):
            solver.solve(Query(0))
            assert np.array_equal(solver.download(), first)
            assert solver.observed() == observed
