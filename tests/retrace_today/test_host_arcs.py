"""Searches whose arcs stay in the host's memory: rows at all places of a line, hubs, limits, bytes read."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from command_line import Patch
from cuda_device import memory
from cuda_device.errors import OneLineError, TooLargeError
from cuda_on_cpu.device import LARGEST_CLUSTER, RESIDENT_BLOCKS, EmulatedDevice
from exact_betweenness import exact_scores
from graphs import (
    NAMED,
    diamonds,
    graph,
    grid,
    identified,
    layers,
    mixed_graph,
    random_graphs,
    two_level_star,
)
from retrace.check.checkers import checker_of
from retrace.graphs.csr import CSRGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.measure.trials import Effort
from retrace.solvers import Query, make
from retrace_today.host_arcs import LINE, SECTOR
from schedules import runs
from solving import measure, solved
from test_solvers import verify

BFS = [
    "bfs/host-arcs:block_size=32,sweep=8",
    "bfs/host-arcs:block_size=64,lines=1,sweep=0",
    "bfs/host-arcs:lines=1,sweep=999999999",
    "bfs/host-arcs:block_size=64,lines=3,sweep=999999999",
]
SSSP = [
    "sssp/host-arcs:block_size=32,rise=1,sweep=8",
    "sssp/host-arcs:block_size=64,lines=1,rise=3,sweep=0",
    "sssp/host-arcs:lines=3,rise=2147483646,sweep=8",
    "sssp/host-arcs:lines=1,rise=3,sweep=999999999",
    "sssp/host-arcs:block_size=64,lines=3,rise=2147483646,sweep=999999999",
]
WAYS = BFS + SSSP
"""One warp per block or more; entries of a line or more; a queue, or arcs in the order of their places; each
distance near in a round of its own, or all."""
BETWEENNESS = [
    "betweenness/host-arcs:block_size=32,lines=1,sweep=0,cluster=1",
    "betweenness/host-arcs:block_size=64,lines=3,sweep=6",
    "betweenness/host-arcs:block_size=32,lines=1,sweep=999999999,cluster=16",
    "betweenness/host-arcs:block_size=64,lines=3,sweep=999999999,cluster=1",
]
"""The same; levels of either kind may follow each other. Several clusters of a block or of two run at a time,
also under a seed; of those of 16, one."""


@pytest.mark.parametrize("spec", WAYS)
def test_hubs_are_read_by_several_warps(spec: str) -> None:
    hubs = two_level_star(3, 300)
    for seed in runs(*range(4)):
        verify(spec, "emulator", hubs, Query(0), seed)


def row_after(before: int, length: int) -> CSRGraph:
    """Make vertex 1's row begin at arc `before` and have `length` arcs, each to a vertex of its own."""
    last = 2 + length
    arcs = [(0, 1, 1)] * before + [(1, 2 + i, 1 + i % 3) for i in range(length)]
    arcs += [(2 + i, last, 9 - i % 5) for i in range(length)]  # a lost head may be missed
    return graph(last + 1, arcs)


@pytest.mark.long
@pytest.mark.parametrize("spec", WAYS)
@pytest.mark.parametrize("length", [1, 2, 31, 33, 129])
def test_a_row_may_begin_anywhere_in_a_line(spec: str, length: int) -> None:
    for before in range(1, 34):
        verify(spec, "emulator", row_after(before, length), Query(0))


def bytes_of_rows(found: CSRGraph, vertices: NDArray[Any], arc_bytes: int) -> tuple[int, int]:
    """Count the bytes in sectors that hold arcs of some vertices, and the lines; each row apart."""
    bytes_read = lines_read = 0
    for u in vertices:
        addresses = arc_bytes * np.arange(found.indptr[u], found.indptr[u + 1])
        bytes_read += SECTOR * len(np.unique(addresses // SECTOR))
        lines_read += len(np.unique(addresses // LINE))
    return bytes_read, lines_read


@pytest.mark.parametrize("lines", [1, 2, 16])
@pytest.mark.parametrize("before", [1, 7, 8, 31, 32])
def test_what_is_read_over_the_link_is_counted(before: int, lines: int) -> None:
    """All vertices but the two last are reached; with unit weights, each is expanded once."""
    row = row_after(before, 300)
    tails, unit = np.append(row.tails(), row.vertices), np.ones(row.arcs + 1, np.int32)
    found = graph(row.vertices + 2, list(zip(tails, np.append(row.indices, 0), unit, strict=True)))
    for spec, arc_bytes in (("bfs/host-arcs:sweep=0,", 4), ("sssp/host-arcs:sweep=0,", 8)):
        with EmulatedDevice() as device:
            for source, reached in ((0, np.arange(row.vertices)), (row.vertices + 1, np.array([], int))):
                observed = solved(f"{spec}lines={lines}", found, Query(source), device).observed()
                expected = bytes_of_rows(found, reached, arc_bytes)
                assert (observed["link_bytes"], observed["link_lines"]) == expected
                assert observed["prepare_ms"] > 0


def bytes_in_order(
    found: CSRGraph, level: NDArray[Any], lines: int, warps: int, arc_bytes: int
) -> tuple[int, int]:
    """Count the bytes in sectors and the lines that have arcs of a level, level by level.

    Each of so many warps reads an eighth of its lines at a time, `lines` at least, and of 32 rows those with
    arcs of the level.
    """
    tails, places = found.tails(), np.arange(found.arcs)
    sizes = SECTOR // arc_bytes, LINE // arc_bytes
    lines = max(lines, min(256, -(-found.arcs // sizes[1]) // (8 * warps)))
    chunk = places // (sizes[1] * lines)
    first_row = tails[np.minimum(chunk * sizes[1] * lines, found.arcs - 1)]
    group = (tails - first_row) // 32
    keys = [np.stack([level[tails], chunk, group, places // size]) for size in sizes]
    sectors, counted = (np.unique(key[:, level[tails] < 2**31 - 1], axis=1).shape[1] for key in keys)
    return SECTOR * sectors, counted


def bytes_of_levels(
    found: CSRGraph, level: NDArray[Any], lines: int, sweep: int, warps: int
) -> tuple[int, int]:
    """Count the bytes and lines of all levels, those of many entries in the order of their arcs."""
    begin, end = found.indptr[:-1], found.indptr[1:]
    line, last = begin * 4 // LINE, (end - 1) * 4 // LINE
    entries = np.where(begin < end, (last - line) // lines + 1, 0)
    reached = level < UNREACHABLE
    sizes = np.bincount(level[reached], entries[reached])
    many = reached & (sizes[np.where(reached, level, 0)] * sweep >= found.vertices)
    in_order = bytes_in_order(found, np.where(many, level, UNREACHABLE), lines, warps, 4)
    of_rows = bytes_of_rows(found, np.flatnonzero(reached & ~many), 4)
    return in_order[0] + of_rows[0], in_order[1] + of_rows[1]


@pytest.mark.parametrize("block_size", [32, 64, 256])
@pytest.mark.parametrize("arcs", [[0, 0, 1, 2, 5, 31, 32, 33, 50, 65, 600], [0, 1, 2, 3]])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("spec", "arc_bytes"), [("bfs/host-arcs:", 4), ("sssp/host-arcs:rise=2147483646,", 8)]
)
def test_in_order_a_line_is_read_once_a_level(
    spec: str, arc_bytes: int, arcs: list[int], block_size: int, seed: int
) -> None:
    """With few arcs a row, a warp goes through its lines 32 rows at a time. All weights are 1."""
    spec += f"lines={1 + seed},block_size={block_size}"
    rng = np.random.default_rng(seed)
    lengths = rng.choice(arcs, 150)
    lengths[0] = 9
    tails = np.repeat(np.arange(150), lengths)
    heads = rng.integers(0, 150, len(tails))
    found = graph(150, list(zip(tails, heads, np.ones(len(tails), int), strict=True)))
    with EmulatedDevice(seed) as device:
        solver = solved(f"{spec},sweep=999999999", found, Query(0), device)
        observed, level = solver.observed(), solver.download()
        own = solved(f"{spec},sweep=0", found, Query(0), device)
        rows = own.observed()
        assert np.array_equal(level, own.download())
    blocks = RESIDENT_BLOCKS if arc_bytes == 8 else min(RESIDENT_BLOCKS, -(-found.arcs // block_size))
    warps = blocks * block_size // 32
    assert (observed["link_bytes"], observed["link_lines"]) == bytes_in_order(
        found, level, 1 + seed, warps, arc_bytes
    )
    assert observed["link_lines"] < rows["link_lines"]


@pytest.mark.parametrize("sweep", [1, 2, 4, 5, 20, 100])
@pytest.mark.parametrize(
    ("spec", "arc_bytes"), [("bfs/host-arcs:", 4), ("sssp/host-arcs:rise=2147483646,", 8)]
)
def test_the_size_of_a_level_decides_how_it_is_read(spec: str, arc_bytes: int, sweep: int) -> None:
    """Levels of few and of many vertices take turns; all paths to a vertex have as many arcs."""
    widths = [1, 9, 40, 3, 2, 60, 50, 1, 7]
    turns, level = layers(widths), np.repeat(np.arange(len(widths)), widths)
    for seed in range(6):
        with EmulatedDevice(seed) as device:
            solver = solved(f"{spec}lines=16,sweep={sweep}", turns, Query(0), device)
            answer, observed = solver.download(), solver.observed()
        result = checker_of(solver.problem, turns).check(solver.name, Query(0), answer)
        assert result.verified, result.reason
        many = (np.bincount(level) * sweep >= turns.vertices)[level]
        in_order = bytes_in_order(turns, np.where(many, level, 2**31 - 1), 16, 3 * 8, arc_bytes)
        of_rows = bytes_of_rows(turns, np.flatnonzero(~many), arc_bytes)
        expected = tuple(map(sum, zip(in_order, of_rows, strict=True)))
        assert (observed["link_bytes"], observed["link_lines"]) == expected


@pytest.mark.parametrize("name", ["bfs/host-arcs", "sssp/host-arcs"])
def test_no_schedule_changes_what_is_counted(name: str) -> None:
    deep = layers([1, *[8] * 20])
    counts = set()
    for seed in range(5):
        with EmulatedDevice(seed) as device:
            spec = f"{name}:block_size=128,lines=1{',rise=1' * name.startswith('sssp')}"
            observed = solved(spec, deep, Query(0), device).observed()
            counts.add((observed["link_bytes"], observed["link_lines"]))
    assert len(counts) == 1


@pytest.mark.long
@pytest.mark.parametrize("sweep", [0, 1, 3, 18, 100, 2**30])
@pytest.mark.parametrize("lines", [1, 2, 16])
def test_each_search_reads_arcs_twice_but_those_of_its_source(lines: int, sweep: int) -> None:
    """A third or an eighteenth of all vertices is a level of many; rows begin anywhere and share lines."""
    turns, sources = layers([1, 9, 40, 3, 7, 60, 50, 10]), (0, 4)
    for seed in runs(1):
        with EmulatedDevice(seed) as device:
            spec = f"betweenness/host-arcs:block_size=64,lines={lines},sweep={sweep}"
            observed = solved(spec, turns, Query(sources=sources), device).observed()
            levels = [solved("bfs/host-arcs", turns, Query(s), device).download() for s in sources]
        ways = [*levels, *(np.where(level == 0, UNREACHABLE, level) for level in levels)]  # out and back
        each = [bytes_of_levels(turns, way, lines, sweep, 2 * LARGEST_CLUSTER) for way in ways]
        assert (observed["link_bytes"], observed["link_lines"]) == tuple(map(sum, zip(*each, strict=True)))


@pytest.mark.parametrize("spec", BETWEENNESS)
def test_scores_of_hubs_whose_rows_begin_anywhere_in_a_line(spec: str) -> None:
    for before, seed in product((1, 5, 31), (None, *range(3))):
        whole = graph(
            before + 205,
            [(before + 204, 0, 1)]
            + [(0, 1 + i, 1) for i in range(before)]
            + [(1, before + 1 + i, 1) for i in range(200)]
            + [(before + 1 + i, before + 201 + i % 3, 1) for i in range(200)],
        )
        query = Query(sources=(before + 204, 0, 1))
        with EmulatedDevice(seed) as device:
            scores = solved(spec, whole, query, device).download()
        assert_allclose(scores, exact_scores(whole, query.sources), rtol=1e-12, err_msg=str(before))


@pytest.mark.parametrize("spec", BETWEENNESS)
@given(whole=random_graphs(60), data=st.data(), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1)))
@settings(max_examples=15, deadline=None)
def test_scores_of_random_graphs(spec: str, whole: CSRGraph, data: st.DataObject, seed: int | None) -> None:
    vertex = st.integers(0, whole.vertices - 1)
    sources = tuple(data.draw(st.lists(vertex, unique=True, max_size=6)))
    with EmulatedDevice(seed) as device:
        scores = solved(spec, whole, Query(sources=sources), device).download()
    assert_allclose(scores, exact_scores(whole, sources), rtol=1e-12, atol=1e-12)


def apart() -> CSRGraph:
    """Make a vertex without arcs, a path, and a part of many ways whose levels have few and many vertices."""
    wide = layers([1, 7, 40, 3, 30, 2])
    first = 1 + 12
    path = [(u, u + 1, 1) for u in range(1, first - 1)]
    arcs = [(first + u, first + v, 1) for u, v in zip(wide.tails(), wide.indices, strict=True)]
    return graph(first + wide.vertices, path + arcs)


@pytest.mark.long
@pytest.mark.parametrize("sources", [(0,), (1, 0), (13, 1, 0, 14), tuple(range(96))])
@pytest.mark.parametrize("sweep", [0, 8, 64])
@pytest.mark.parametrize("blocks", [1, 2, 16])
def test_clusters_share_sources_of_all_kinds(blocks: int, sweep: int, sources: tuple[int, ...]) -> None:
    """There are fewer sources than clusters, or more; their searches end at once, or after many levels."""
    found = apart()
    assert found.vertices == 96
    for seed in (None,) if len(sources) > 9 and blocks > 2 else runs(1, 2):
        with EmulatedDevice(seed) as device:
            spec = f"betweenness/host-arcs:block_size=32,lines=2,sweep={sweep},cluster={blocks}"
            solver = solved(spec, found, Query(sources=sources), device)
            scores, observed = solver.download(), solver.observed()
        assert (observed["cluster_blocks"], observed["clusters"]) == (blocks, min(3, len(sources)))
        assert_allclose(scores, exact_scores(found, sources), rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("count", [96, 97, 200])
def test_a_launch_has_a_number_of_sources_for_each_cluster(count: int) -> None:
    """Each of three clusters takes 32 at most."""
    found, sources = mixed_graph(200), tuple(range(count))
    with EmulatedDevice() as device:
        spec = "betweenness/host-arcs:block_size=32,cluster=1"
        scores = solved(spec, found, Query(sources=sources), device).download()
    assert_allclose(scores, exact_scores(found, sources), rtol=1e-12)


@pytest.mark.parametrize(("kib", "clusters"), [(14, 1), (24, 2), (64, 3)])
def test_there_are_as_many_clusters_as_memory_has_room_for(kib: int, clusters: int) -> None:
    found, query = layers([1] + [30] * 8), Query(sources=tuple(range(5)))
    with EmulatedDevice(memory_gib=kib / 2**20) as device:
        solver: Any = make("betweenness/host-arcs:block_size=32", device)
        needed = solver.memory_bytes(found)
        assert needed <= kib * 2**10
        solver.setup(found)
        solver.upload(query)
        solver.solve(query)
        assert solver.observed()["clusters"] == clusters
        buffers = solver.arcs[0], solver.score, *solver.buffers
        flags, sources = 3 * 4 * clusters, 4 * found.vertices
        assert needed == sum(buffer.nbytes for buffer in buffers) - flags + sources
        assert_allclose(solver.download(), exact_scores(found, query.sources), rtol=1e-12)


def test_time_is_predicted_from_searches_of_all_clusters() -> None:
    with EmulatedDevice() as device:
        solver: Any = make("betweenness/host-arcs:block_size=32", device)
        solver.setup(grid(9, 7))
        searched: list[int] = []
        solver.solve = lambda query: searched.append(len(query.sources))
        assert solver.predict_seconds(Query()) is not None
        assert searched == [1, 9]  # by three clusters
        assert solver.predict_seconds(Query(sources=tuple(range(9)))) is None


def test_too_many_paths_are_reported() -> None:
    """Path counts double with each diamond; the inverse of the last that fits is the least normal number."""
    spec = "betweenness/host-arcs:block_size=32"
    with EmulatedDevice() as device:
        fits = solved(spec, diamonds(1022, directed=True), Query(sources=(0,)), device)
        assert np.isfinite(fits.download()).all()
        with pytest.raises(OneLineError, match=r"vertex 0 .*a double and its inverse hold"):
            solved(spec, diamonds(1023, directed=True), Query(sources=(0,)), device)


def test_a_second_solve_counts_anew() -> None:
    with EmulatedDevice() as device:
        for name in ("bfs/host-arcs", "sssp/host-arcs", "betweenness/host-arcs:block_size=64"):
            query = Query(sources=(0, 7)) if "betweenness" in name else Query(0)
            solver = solved(name, grid(9, 7), query, device)
            once, answer = solver.observed(), solver.download()
            solver.solve(query)
            assert solver.observed() == once
            assert_allclose(solver.download(), answer, rtol=1e-12)


def test_the_limit_rises_past_distances_that_no_vertex_has() -> None:
    path = graph(40, [(u, u + 1, 2) for u in range(39)])
    with EmulatedDevice() as device:
        observed = solved("sssp/host-arcs:rise=2", path, Query(0), device).observed()
        assert (observed["delta"], observed["limits"]) == (4, 19)
        far = graph(3, [(0, 1, 10**6), *[(1, 2, 1)] * 99])  # whose delta is 300
        assert solved("sssp/host-arcs:rise=1", far, Query(0), device).observed()["limits"] == 1


@pytest.mark.parametrize(
    ("other", "spec"),
    [
        ("bfs/bsp", "bfs/host-arcs"),
        ("sssp/bsp", "sssp/host-arcs"),
        ("betweenness/levels", "betweenness/host-arcs"),
    ],
)
def test_a_graph_larger_than_the_device_is_searched(other: str, spec: str) -> None:
    """The arcs need 200 KiB or more, of which the device has 64."""
    string = layers([1] + [50] * 21)
    large = identified(string, "layers", source=0, sources={"count": 8, "seed": 1})
    cases = measure(
        "mine",
        large,
        [other, spec],
        Effort(trials=1, budget_s=60),
        ("emulator", lambda: EmulatedDevice(memory_gib=2**-14)),
    )
    refused, answered = cases
    assert refused.status == "skipped"
    assert "KiB of memory, 64" in str(refused.reason) or "MiB of memory, 64" in str(refused.reason)
    assert answered.status == "ok", answered.reason
    assert answered.result is not None
    assert answered.result.verified


def test_arcs_that_the_host_cannot_hold_are_refused(monkeypatch: Patch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 4096)
    told = r"needs 9\.8 KiB of memory, 4\.0 KiB are free"
    with EmulatedDevice() as device, pytest.raises(TooLargeError, match=told):
        make("bfs/host-arcs", device).setup(graph(2, [(0, 1, 1)] * 2500))


@pytest.mark.parametrize("name", ["bfs/host-arcs", "sssp/host-arcs"])
def test_a_warp_that_lacks_lanes_is_refused(name: str) -> None:
    told = "block_size is 48, expected a multiple of 32"
    with EmulatedDevice() as device, pytest.raises(OneLineError, match=told):
        make(f"{name}:block_size=48", device).setup(NAMED["grid"])


@pytest.mark.parametrize(
    ("spec", "before"),
    [
        *[(f"bfs/host-arcs:sweep={sweep}", 2**32) for sweep in (0, 999999999)],
        *[(f"sssp/host-arcs:sweep={sweep}", 2**31) for sweep in (0, 999999999)],
    ],
)
def test_offsets_of_arcs_have_64_bits(spec: str, before: int) -> None:
    """The rows begin beyond 16 GiB, of memory that is never touched."""
    found = mixed_graph(200)
    with EmulatedDevice() as device:
        solver: Any = make(spec, device)
        solver.setup(found)
        solver.upload(Query(0))
        try:
            arcs, beyond = device.mapped(before + found.arcs, solver.host.dtype)
        except MemoryError:
            pytest.skip("the system promises no memory that it lacks")
        arcs[before:] = solver.host
        indptr = device.upload(found.indptr.astype(np.uint64) + np.uint64(before))
        solver.arcs = indptr, beyond, solver.arcs[2]
        solver.solve(Query(0))
        result = checker_of(solver.problem, found).check(
            spec, Query(0), solver.download(), solver.predecessors()
        )
    assert result.verified, result.reason


@pytest.mark.long
def test_the_largest_clusters_of_full_blocks_have_stacks_enough() -> None:
    """Each emulated thread has a stack, and Linux allows a process so many mappings."""
    with EmulatedDevice() as device:
        solver = solved("betweenness/host-arcs:cluster=16", NAMED["grid"], Query(sources=(0, 1)), device)
        assert solver.observed() | {"cluster_blocks": 16, "clusters": 1} == solver.observed()
