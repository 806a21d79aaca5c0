"""Kernels of graphs with more arcs than 32 bits count: offsets pass 2^32 in arrays of few pages."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from cuda_on_cpu.device import REACH, EmulatedBuffer, EmulatedDevice
from exact_betweenness import exact_scores
from graphs import NAMED, mixed_graph, random_graphs, two_level_star
from retrace.check.checkers import checker_of
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph
from retrace.solvers import Query, make
from retrace.solvers.prefix_sums import PrefixSums
from retrace.solvers.solver import WIDE
from retrace_today.reversed_arcs import ReversedArcs
from solving import solved
from test_wide_graphs import widened

NORESERVE = 0x4000
GRAPHS = {**{name: NAMED[name] for name in ("grid", "star", "parallel arcs")}, "mixed": mixed_graph(300)}
BELOW = f"alpha={2**31 - 2},beta=1000000,rest=0"
SMALL = "block_size=64,grid=2"
SEARCHES = [
    f"bfs/direction:{SMALL},alpha=0,alone=0,piece=3,block_queue_size=4", f"bfs/direction:{SMALL},{BELOW}",
    f"bfs/direction:{SMALL},alpha=0,piece=3,predecessors=yes",
    f"bfs/direction:{SMALL},{BELOW},predecessors=yes",
    f"bfs/direction:{SMALL},alpha={2**31 - 2},beta=1,rest=0,piece=2,alone=0",
    f"sssp/near-far:{SMALL},alone=0,rise=1", f"sssp/near-far:{SMALL},piece=3,predecessors=yes",
    f"sssp/delta-stepping:{SMALL},piece=3", f"sssp/delta-stepping:{SMALL},delta=1,block_queue_size=4",
    f"sssp/workfront-sweep:{SMALL},piece=3", f"sssp/edge-classes:{SMALL},piece=3",
]  # fmt: skip

LANES = [
    f"betweenness/lane-queues:block_size=64,{setting}"
    for setting in ("few=0", "few=1000", "lanes=128,few=2", "lanes=32,registers=32", "team=grid")
]


def gap_of(indptr: Any) -> int:
    """Return how many arcs are to come before a graph's, so that those of its first half end just below 2^32.

    The end of its middle vertex has then the lower 32 bits of no arc.
    """
    return 2**32 - 1 - int(indptr[len(indptr) // 2])


def sparse(device: EmulatedDevice, buffer: Any, gap: int) -> EmulatedBuffer:
    """Return an array of elements that nobody may touch, but the first of them, before those of a buffer."""
    size, dtype = gap + buffer.size, buffer.dtype
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
    memory = mmap.mmap(-1, size * dtype.itemsize + 2 * REACH, flags=flags)
    array: Any = np.ndarray(size, dtype, memory, REACH)
    first = -(-array.ctypes.data // REACH) * REACH
    nobody = ctypes.c_void_p(first), ctypes.c_size_t(gap * dtype.itemsize - 2 * REACH), 0
    assert ctypes.CDLL(None).mprotect(*nobody) == 0
    array[gap:] = buffer.memory()
    return device._keep(EmulatedBuffer(array))


def moved(device: EmulatedDevice, arguments: Sequence[Any], offsets: Sequence[int], gap: int) -> list[Any]:
    """Return a kernel's arguments with arcs behind a gap: `offsets` are the places of `indptr` and such."""
    found = list(arguments)
    for place in offsets:
        found[place] = device.upload(arguments[place].memory() + gap)
        found[place + 1] = sparse(device, arguments[place + 1], gap)
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("spec", SEARCHES)
def test_searches(spec: str, name: str) -> None:
    """From a vertex whose arcs begin below 2^32, and from one of those behind."""
    with EmulatedDevice() as device, widened(GRAPHS[name]) as wide:
        solver: Any = make(spec, device)
        solver.setup(wide)
        solver.upload(Query(0))
        graph, places = solver.of_graph, range(1, len(solver.of_graph) - 1, 2)
        behind_gap = moved(device, graph, places, gap_of(device.download(graph[1])))
        for query in (Query(0), Query(2 * wide.vertices // 3)):
            solver.pack_search(query, behind_gap, solver.state)
            solver.solve(query)
            found = solver.download(), solver.found_predecessors()
            result = checker_of(solver.problem, wide).check(spec, query, *found)
            assert result.verified, result.reason


@pytest.mark.long
@pytest.mark.parametrize("name", ["grid", "complete", "mixed", "one-way path"])
@pytest.mark.parametrize("spec", LANES)
def test_scores(spec: str, name: str) -> None:
    """On the path, the vertex whose end has the lower 32 bits of no arc is a warp's first."""
    found = GRAPHS.get(name) or NAMED[name]
    query = Query(sources=(0, 1, 2 * found.vertices // 3))
    with EmulatedDevice() as device, widened(found) as wide:
        solver: Any = make(spec, device)
        solver.setup(wide)
        solver.upload(query)
        (part,) = solver.rounds
        gap = gap_of(device.download(part.arguments[1]))
        part.arguments = moved(device, part.arguments, (1, 3), gap)
        solver.solve(query)
        assert_allclose(solver.download(), exact_scores(simplify(found), query.sources), rtol=1e-12)


@pytest.mark.long
@given(found=random_graphs(), spec=st.sampled_from([*SEARCHES, *LANES]))
@settings(max_examples=100, deadline=None)
def test_random_graphs(found: CSRGraph, spec: str) -> None:
    query = Query(0, sources=(0, found.vertices - 1) if found.vertices > 1 else (0,))
    with EmulatedDevice() as device, widened(found) as wide:
        solver = solved(spec, wide, query, device)
        answer = solver.download(), solver.found_predecessors()
        result = checker_of(solver.problem, wide).check(spec, query, *answer)
    assert result.verified, result.reason


@pytest.mark.parametrize("name", GRAPHS)
def test_arcs_by_class(name: str) -> None:
    """Those of `sssp/delta-stepping` are behind a gap as they are without it."""
    found = GRAPHS[name]
    with EmulatedDevice() as device, widened(found) as wide:
        solver: Any = solved("sssp/delta-stepping:block_size=64,delta=3", wide, Query(0), device)
        gap, block = gap_of(wide.indptr), (solver.grid(32 * wide.vertices), 64, np.int32(wide.vertices))
        indptr, indices = moved(device, [*map(device.upload, (wide.indptr, wide.indices))], (0,), gap)
        weights, arcs = sparse(device, device.upload(wide.weights), gap), sparse(device, solver.arcs, gap)
        begins = device.empty(solver.begins.size, np.int64)
        expected, arcs.memory()[gap:] = solver.arcs.memory().copy(), 0
        solver.sort_by_class(*block, indptr, indices, weights, np.int32(3), begins, arcs)
        assert_array_equal(arcs.memory()[gap:], expected)
        assert_array_equal(device.download(begins) - gap, device.download(solver.begins))


@pytest.mark.parametrize("name", GRAPHS)
def test_reversed_arcs(name: str) -> None:
    found = GRAPHS[name]
    with EmulatedDevice() as device, widened(found) as wide:
        reverse = ReversedArcs(device, 64, wide=True)
        begins, tails = reverse.of(device.upload(wide.indptr), device.upload(wide.indices))
        entering = device.download(begins)
        gap, block = gap_of(entering), (reverse.grid(32 * wide.vertices), 64, np.int32(wide.vertices))
        leaving = moved(device, [*map(device.upload, (wide.indptr, wide.indices))], (0,), gap)
        firsts = np.concatenate(([0], entering[:-1])) + gap  # as placing finds them
        ends, placed = device.upload(firsts), sparse(device, device.empty(wide.arcs, np.int32), gap)
        reverse.place(*block, *leaving, ends, placed)
        assert_array_equal(device.download(ends) - gap, entering)
        of_vertex = np.repeat(np.arange(wide.vertices), np.diff(entering))
        for found_tails in (placed.memory()[gap:], tails.memory()):  # in no particular order
            found_tails[:] = found_tails[np.lexsort((found_tails, of_vertex))]
        assert_array_equal(placed.memory()[gap:], tails.memory())


@pytest.mark.parametrize("name", GRAPHS)
def test_classes_of_arcs(name: str) -> None:
    found = GRAPHS[name]
    with EmulatedDevice() as device, widened(found) as wide:
        solver: Any = make("sssp/edge-classes:block_size=64", device)
        solver.setup(wide)
        gap, block = gap_of(wide.indptr), (solver.grid(32 * wide.vertices), 64, np.int32(wide.vertices))
        arrays = [*map(device.upload, (wide.indptr, wide.indices, wide.weights))]
        expected, entering = device.empty(wide.arcs, np.uint64), device.empty(wide.vertices + 1, np.int64)
        solver.prepare(*arrays, expected)
        device.fill(entering, 0)
        count = device.load(ReversedArcs.source, WIDE).kernel("count_entering")
        count(solver.grid(wide.arcs), 64, np.uint64(wide.arcs), arrays[1], entering)
        marked = sparse(device, device.empty(wide.arcs, np.uint64), gap)
        indptr, indices = moved(device, arrays[:2], (0,), gap)
        solver.classify(*block, indptr, indices, sparse(device, arrays[2], gap), entering, marked)
        assert_array_equal(marked.memory()[gap:], expected.memory())


def test_prefix_sums() -> None:
    values = np.random.default_rng(1).integers(0, 2**33, 70_000)
    with EmulatedDevice() as device:
        sums, buffer = PrefixSums(device, wide=True), device.upload(values)
        sums.allocate(len(values))
        sums.scan(buffer)
        assert_array_equal(device.download(buffer), np.cumsum(values) - values)


@pytest.mark.long
@pytest.mark.parametrize("found", [two_level_star(3, 30), NAMED["grid"]])
def test_a_queue_of_more_entries_than_32_bits_count_has_64(
    found: CSRGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few vertices may be on their levels in more searches than there are numbers of 32 bits."""
    monkeypatch.setattr("retrace_today.betweenness.lane_queues.MOST_ARCS", 64 * found.vertices - 1)
    with EmulatedDevice() as device:
        solver: Any = solved("betweenness/lane-queues:block_size=64", found, Query(), device)
        assert solver.rounds[0].arguments[1].dtype == np.int64
        assert_allclose(solver.download(), exact_scores(simplify(found)), rtol=1e-12)
