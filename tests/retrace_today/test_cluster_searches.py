"""Searches inside one thread-block cluster: the cut, and what parts, words, records and rounds might lose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from cuda_device.errors import TooLargeError
from cuda_device.interface import Device
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, grid, random_graphs
from retrace.check.checkers import checker_of
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.solvers import REGISTRY, Query, make
from retrace_today.cluster_parts import KEEPS, ClusterSearch
from retrace_today.contraction import Contraction
from retrace_today.packed_arcs import DeviceCut, Packer, PlannedCut
from schedules import examples, runs, seeds
from solving import solved
from test_races import RACING, deep_star

NAMES = [name for name, kind in REGISTRY.solvers.items() if issubclass(kind, ClusterSearch)]


def verify(spec: str, found: CSRGraph, query: Query, seed: int | None = None, patience: float = 60.0) -> Any:
    """Compare a search with the oracle, and let it wait for `patience` seconds; return the solver."""
    problem = spec.split("/")[0]
    if problem == "stcon" and query.target is None:
        query = Query(query.source, found.vertices - 1)
    with EmulatedDevice(seed, patience=patience) as device:
        solver = solved(spec, found, query, device)
        result = checker_of(problem, found).check(spec, query, solver.download(), solver.predecessors())
    assert result.verified, f"{spec} from {query}, seed {seed}: {result.reason}"
    return solver


def ring(vertices: int) -> CSRGraph:
    """Make a cycle with an arc from every vertex to its double: shallow, and all parts are neighbours."""
    tails = np.arange(vertices)
    heads = np.concatenate([(tails + 1) % vertices, 2 * tails % vertices])
    return from_arcs(vertices, np.tile(tails, 2), heads, 1 + np.arange(len(heads)) % 9, {"name": "ring"})


def spread(levels: int, width: int) -> CSRGraph:
    """Make `levels` rows of `width` vertices, each with arcs to two of the next: frontiers are wide."""
    tails = np.arange((levels - 1) * width)
    row, column = np.divmod(tails, width)
    heads = [(row + 1) * width + (column * 5 + by) % width for by in (0, 1)]
    all_heads = np.concatenate([np.arange(width), *heads])  # the first row is reached from vertex 0
    all_tails = np.concatenate([np.zeros(width, int), tails, tails])
    return from_arcs(levels * width, all_tails, all_heads, 1 + all_heads % 13, {"name": "spread"})


LONG_LINK, SHORT_LINK = 1 << 27, 1 << 21


def entries(records: list[NDArray[Any]], weighted: bool, part: int, record: int) -> list[tuple[int, int]]:
    """Return the slots of a record: place or link as in long records, and weight."""
    first, packed = records
    at = int(first[part]) + record
    if packed.dtype == np.uint32:
        slots = packed.reshape(-1, 4, 2 if weighted else 1)[at].tolist()
        return [(slot[0], slot[1] if weighted else 0) for slot in slots]
    bits = int(packed[at])
    three = [bits & 0x1FFFFF, bits >> 21 & 0x1FFFFF, bits >> 42]
    return [
        (LONG_LINK | entry & 0x1FFFFF if entry & SHORT_LINK else entry >> 17 << 28 | entry & 0x1FFFF, 0)
        for entry in three
    ]


def cut_on(device: Device, found: CSRGraph, parts: int, pieces: int, weighted: bool = False) -> DeviceCut:
    arrays = [found.indptr, found.indices, *([found.weights] if weighted else [])]
    return DeviceCut(Packer(device), [[device.upload(array) for array in arrays]], parts, pieces)


def of_degrees(*degrees: int) -> CSRGraph:
    """Make a graph in which vertices have as many arcs as are given."""
    tails = np.repeat(np.arange(len(degrees)), degrees)
    arcs = np.arange(len(tails))
    return from_arcs(len(degrees), tails, arcs * 7 % len(degrees), 1 + arcs, {"name": "of degrees"})


OF_DEGREES = [
    *(of_degrees(1, *2 * [arcs], *17 * [0], 1) for arcs in (*range(8), 97, 98, 99, 100, 5000)),
    of_degrees(*60 * [9]),
    of_degrees(*range(64)),
    ring(64),
]


@given(
    found=random_graphs() | st.sampled_from(OF_DEGREES),
    parts=st.integers(1, 16),
    pieces=st.integers(1, 99) | st.just(4096),
    kind=st.sampled_from(["long", "weighted", "short"]),
    seed=st.sampled_from([None, 1, 2]),
)
@settings(max_examples=examples(90), deadline=None)
def test_records_hold_every_arc_in_its_order(
    found: CSRGraph, parts: int, pieces: int, kind: str, seed: int | None
) -> None:
    """Slots that are left over repeat the last arc, or lead from a vertex without arcs to itself."""
    weighted, slots = kind == "weighted", 3 if kind == "short" else 4
    with EmulatedDevice(seed) as device:
        cut = cut_on(device, found, parts, pieces, weighted)
        packed = cut.short_records(0) if kind == "short" else cut.long_records(0)
        records = [*map(device.download, packed)]
        place, vertex_at = map(device.download, (cut.place, cut.vertex_at()))
        first_records, short_bytes = [cut.first_record(0, each) for each in (3, 4)], cut.short_bytes(0)
        tails, heads = map(device.download, cut.index_ends(0))
        names = device.download(cut.vertex_at(device.upload(np.arange(found.vertices, dtype=np.int32) * 3)))
    planned = PlannedCut([found], parts, pieces)
    assert (planned.words, planned.positions) == (cut.words, cut.positions)
    for each, first_record in zip((3, 4), first_records, strict=True):
        assert np.array_equal(planned.first_record(0, each), first_record)
    assert planned.short_bytes(0) == short_bytes
    assert planned.records_bytes(kind == "short", weighted) == records[1].nbytes
    assert np.array_equal(records[0], planned.first_record(0, slots))

    assert len(set(place.tolist())) == found.vertices
    part, position = (place >> 28).astype(int), (place & (2**28 - 1)).astype(int)
    assert np.array_equal(part, planned.part)
    assert position.max() < cut.positions
    index = part * cut.positions + position
    assert np.array_equal(vertex_at[index], np.arange(found.vertices))
    assert np.count_nonzero(vertex_at >= 0) == found.vertices
    assert np.array_equal(names, np.where(vertex_at < 0, -1, 3 * vertex_at))
    assert np.array_equal(tails, index[found.tails()])
    assert np.array_equal(heads, index[found.indices])

    used: set[tuple[int, int]] = set()
    for v in range(found.vertices):
        listed: list[tuple[int, int]] = []
        record = int(position[v])
        while True:
            assert (int(part[v]), record) not in used
            used.add((int(part[v]), record))
            listed += entries(records, weighted, int(part[v]), record)
            if not listed[-1][0] & LONG_LINK:
                break
            record = listed.pop()[0] & (LONG_LINK - 1)
        arcs = slice(found.indptr[v], found.indptr[v + 1])
        ends = place[found.indices[arcs]].tolist()
        assert not weighted or found.weights is not None
        weights = found.weights[arcs].tolist() if weighted and found.weights is not None else [0] * len(ends)
        expected = list(zip(ends, weights, strict=True)) or [(int(place[v]), 0)]
        assert listed[: len(expected)] == expected
        assert set(listed[len(expected) :]) <= {expected[-1]}
    assert len(used) == records[0][-1] - parts * cut.positions + found.vertices
    if kind == "short":
        assert short_bytes == 8 * np.diff(records[0]).max()


def test_neighbours_in_the_order_are_spread_over_words_and_pieces_over_parts() -> None:
    path = graph(1000, [(u, u + 1, 1) for u in range(999)])
    with EmulatedDevice() as device:
        place = device.download(cut_on(device, path, 4, 8).place).astype(int)
    part, word = place >> 28, (place & (2**28 - 1)) >> 5
    assert [int(part[v]) for v in range(0, 1000, 125)] == [0, 1, 2, 3] * 2
    assert word[:8].tolist() == list(range(8))


def test_a_part_of_more_positions_than_17_bits_has_no_short_records() -> None:
    for vertices, fits in ((1 << 17, True), ((1 << 17) + 1, False)):
        found = CSRGraph(np.zeros(vertices + 1, np.int32), np.zeros(0, np.int32))
        assert (PlannedCut([found], 1, 1).short_bytes(0) is not None) == fits


def test_the_last_place_of_21_bits_is_read() -> None:
    """Part 15, position 2^17 - 1, in each of the three slots."""
    vertices = 16 << 17
    found = graph(vertices, [(0, vertices - 1, 1)])
    with EmulatedDevice() as device:
        cut = cut_on(device, found, 16, 16)
        records = [*map(device.download, cut.short_records(0))]
    assert cut.words == 1 << 12
    assert entries(records, False, 0, 0) == [(15 << 28 | (1 << 17) - 1, 0)] * 3


def test_links_of_more_tiles_than_one_block_sums_at_once() -> None:
    degrees = np.zeros(70_000, np.int64)
    degrees[[3, 65_500, 65_537, 69_999]] = 9
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
    found = CSRGraph(indptr, np.arange(indptr[-1], dtype=np.int32))
    with EmulatedDevice() as device:
        cut = cut_on(device, found, 3, 5)
        sums = device.download(cut.sums_of(0, 4))
        first_record = cut.first_record(0, 4)
    assert np.array_equal(sums[[0, 3, 4, 65_537, 65_538, 70_000]], [0, 0, 2, 4, 6, 8])
    assert np.array_equal(first_record, PlannedCut([found], 3, 5).first_record(0, 4))


@pytest.mark.parametrize("vertices", [1, 31, 32, 33, 1000])
def test_one_part_in_one_piece_keeps_the_ids(vertices: int) -> None:
    with EmulatedDevice() as device:
        cut = cut_on(device, ring(vertices), 1, 1)
        assert np.array_equal(device.download(cut.place), np.arange(vertices))
    assert cut.words == -(-vertices // 32)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("vertices", [1, 2, 31, 32, 33, 511, 512, 513])
def test_sizes_round_a_word(name: str, vertices: int) -> None:
    for source in {0, vertices // 2}:
        verify(name, ring(vertices), Query(source))


@pytest.mark.parametrize("name", NAMES)
def test_more_vertices_than_a_16_bit_number_holds(name: str) -> None:
    verify(name, ring(65_537), Query(65_536))
    one = verify(f"{name}:cluster_blocks=1,block_size=128", ring(65_537), Query(1))
    assert one.threads == 544  # 2,049 words, four a thread, are more than 128 threads own


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("vertices", "asked", "threads"),
    [(3000, 200, 96), (3000, 64, 64), (3000, 32, 32), (3000, 16, 32), (140_000, 64, 288)],
)
def test_threads_with_one_word_or_sixteen(name: str, vertices: int, asked: int, threads: int) -> None:
    """A part of 94 words, or of 4,375."""
    solver = verify(f"{name}:cluster_blocks=1,block_size={asked}", ring(vertices), Query(77))
    assert solver.threads == threads


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "settings", ["cluster_blocks=2,pieces=5", "cluster_blocks=7", "cluster_blocks=16,pieces=1"]
)
@pytest.mark.parametrize("which", ["grid", "complete", "two components", "parallel arcs"])
def test_any_number_of_blocks_and_pieces(name: str, settings: str, which: str) -> None:
    verify(f"{name}:{settings}", NAMED[which], Query(0))
    verify(f"{name}:{settings}", NAMED[which], Query(NAMED[which].vertices - 1, 0))


@pytest.mark.parametrize("name", NAMES)
def test_frontiers_of_thousands_of_vertices(name: str) -> None:
    """There is no queue: a frontier of every vertex is as good as one."""
    wide = spread(5, 12_000)
    verify(name, wide, Query(0))
    verify(f"{name}:block_size=32,cluster_blocks=3", wide, Query(0))
    verify(name, deep_star(40, 300), Query(0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("degree", [*range(12), 1000])
def test_records_of_any_degree(name: str, degree: int) -> None:
    """Heads follow the vertex with this many arcs, each with an arc of its own; the last is the farthest."""
    arcs = [(0, 1 + i, 1 + i) for i in range(degree)]
    arcs += [(1 + i, 1 + degree + i, 2) for i in range(degree)]
    verify(name, graph(1 + 2 * degree, arcs), Query(0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_of_fifty_changes_an_answer(name: str, which: str) -> None:
    for seed in seeds(50):
        verify(f"{name}:block_size=8,cluster_blocks={1 + seed % 16}", RACING[which], Query(0), seed)


TREES = ["bfs/cluster:predecessors=yes", "stcon/cluster:predecessors=yes"]


@pytest.mark.parametrize("spec", TREES)
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_changes_a_tree_or_a_path(spec: str, which: str) -> None:
    for seed in seeds(20):
        verify(f"{spec},block_size=8,cluster_blocks={1 + seed % 16}", RACING[which], Query(0), seed)


@pytest.mark.parametrize("spec", TREES)
@pytest.mark.parametrize("vertices", [1, 2, 31, 32, 33, 255, 256, 257, 513, 65_537])
def test_trees_and_paths_round_a_word_and_a_block(spec: str, vertices: int) -> None:
    for source in {0, vertices // 2}:
        verify(spec, ring(vertices), Query(source))


@pytest.mark.long
@pytest.mark.parametrize("spec", TREES)
@pytest.mark.parametrize(
    "settings", ["cluster_blocks=1,block_size=32", "cluster_blocks=7,pieces=5", "shared=marks", "every=1000"]
)
def test_trees_and_paths_in_any_number_of_parts(spec: str, settings: str) -> None:
    """A part of one word for each thread, of four, and of sixteen."""
    for found in (*NAMED.values(), spread(20, 110), deep_star(3, 200), ring(9000)):
        verify(f"{spec},{settings}", found, Query(0))
        verify(f"{spec},{settings}", found, Query(found.vertices - 1, 0))


@pytest.mark.parametrize("spec", TREES)
@given(found=random_graphs(60), data=st.data(), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1)))
@settings(max_examples=examples(40), deadline=None)
def test_trees_and_paths_of_any_graph(
    spec: str, found: CSRGraph, data: st.DataObject, seed: int | None
) -> None:
    ends = (data.draw(st.integers(0, found.vertices - 1)) for _ in range(2))
    verify(f"{spec},cluster_blocks=2,pieces=3", found, Query(*ends), seed)


@pytest.mark.parametrize(
    "spec", [*TREES, "stcon/cluster:predecessors=yes,shared=marks", "sssp/cluster:predecessors=yes"]
)
def test_a_search_on_the_same_graph_leaves_nothing_to_the_next(spec: str) -> None:
    """The third search is as long as the second, elsewhere; the last ends are not connected."""
    path = graph(90, [(u, u + 1, 1) for u in range(89)])
    checker = checker_of(spec.partition("/")[0], path)
    with EmulatedDevice() as device:
        solver = make(spec, device)
        solver.setup(path)
        solver.upload(Query(0, 80))
        for ends in ((0, 80), (50, 70), (20, 40), (70, 70), (80, 3)):
            query = Query(*ends)
            solver.solve(query)
            result = checker.check(spec, query, solver.download(), solver.predecessors())
            assert result.verified, f"{ends}: {result.reason}"


PATH = graph(3000, [(u, u + 1, 1) for u in range(2999)])
SHORTCUT = graph(3000, [(5, 2008, 1), *((u, u + 1, 1) for u in range(2999))])
TREE = graph(400, [arc for u in range(1, 400) for arc in ((u, (u - 1) // 2, 1), ((u - 1) // 2, u, 1))])


@pytest.mark.parametrize(
    ("found", "target", "settings", "used_pass"),
    [
        (PATH, 30, "", 0),
        (PATH, 30, "every=15", 1),
        (PATH, 32, "", 1),  # both have gone 15 arcs after 16 rounds
        (PATH, 32, "every=17", 0),
        (PATH, 30, "shared=marks", 1),
        (SHORTCUT, 2011, "every=10,cluster_blocks=1,block_size=32", 0),  # a thread owns vertices in two words
        (ring(3000), 5, "", 0),
        (graph(8, [(0, 1 + i, 1) for i in range(7)]), 7, "", 0),
        (graph(15, [(0, 1 + i, 1) for i in range(14)]), 14, "", 0),
        (graph(31, [(0, 1 + i, 1) for i in range(30)]), 30, "", 1),  # more records than a lane looks at
        (TREE, 399, "", 0),
        (TREE, 399, "cluster_blocks=1,block_size=32", 0),  # more vertices than a warp has lanes
        (grid(60, 60), 488, "cluster_blocks=1,block_size=32", 1),  # more than four times as many
        (graph(99, [(0, 1, 1)]), 98, "", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kept", ["state", "arcs"])
def test_a_short_search_finds_its_path_itself(
    found: CSRGraph, target: int, settings: str, used_pass: int, kept: str
) -> None:
    spec = "stcon/cluster:predecessors=yes" + f",{settings}" * bool(settings)
    spec += f",shared={kept}" * ("shared" not in settings)
    for seed in runs(1, 2):
        assert verify(spec, found, Query(0, target), seed).observed()["used_pass"] == used_pass


@pytest.mark.parametrize("contracted", ["no", "yes"])
def test_arcs_without_length_close_no_cycle_of_predecessors(contracted: str) -> None:
    """A cycle of weight 0 beside the source, and one behind an arc; the searches follow one another."""
    arcs = [(0, 1, 0), (1, 0, 0), (1, 2, 3), (2, 3, 0), (3, 4, 0), (4, 2, 0), (4, 5, 2), (5, 0, 7)]
    found = graph(7, arcs)
    checker, spec = checker_of("sssp", found), f"sssp/cluster:predecessors=yes,contracted={contracted}"
    with EmulatedDevice() as device:
        solver = make(spec, device)
        solver.setup(found)
        solver.upload(Query(0))
        for source in (0, 3, 1, 5, 6, 2):
            solver.solve(Query(source))
            result = checker.check(spec, Query(source), solver.download(), solver.predecessors())
            assert result.verified, f"{source}: {result.reason}"


def test_the_kernel_finds_the_predecessors_itself() -> None:
    """Otherwise, they are found in the levels when they are asked for, and not in what is timed."""
    with EmulatedDevice() as device:
        for spec in ("bfs/cluster", "bfs/direction"):
            for wanted in ("no", "yes"):
                solver = solved(f"{spec}:predecessors={wanted}", NAMED["grid"], Query(0), device)
                solver.download()
                assert (solver.predecessor is not None) == (wanted == "yes")


@pytest.mark.parametrize(
    "settings",
    ["shared=marks", "width=1", "width=1000000,patience=1", "patience=100", "contracted=yes,shared=marks"],
)
def test_buckets_of_any_width_in_both_memories(settings: str) -> None:
    for found in (*NAMED.values(), ring(3000), spread(20, 60)):
        verify(f"sssp/cluster:{settings},predecessors=yes", found, Query(0))


@pytest.mark.long
@pytest.mark.parametrize("found", [ring(4200), spread(20, 110)], ids=["ring", "spread"])
def test_who_ends_a_bucket_leaves_no_block_waiting(found: CSRGraph) -> None:
    """A block of two warps, of which one gets work after the other has found that all blocks are quiet."""
    for seed in range(40):
        spec = "sssp/cluster:block_size=64,cluster_blocks=2,pieces=16,patience=1,width=1000"
        assert verify(spec, found, Query(0), seed, patience=10).threads == 64


def two_way(*arcs: tuple[int, int, int]) -> list[tuple[int, int, int]]:
    return [*arcs, *((head, tail, weight + 3) for tail, head, weight in arcs)]


CONTRACTED = {
    "trees that hang from a cycle with two anchors": graph(
        14,
        two_way((0, 1, 2), (1, 2, 5), (2, 3, 1), (3, 0, 9), (0, 2, 4), (1, 4, 7), (4, 5, 1), (4, 6, 2),
                (0, 7, 3), (7, 8, 1), (8, 9, 5), (3, 10, 2), (10, 11, 1), (11, 12, 6), (11, 13, 1)),
    ),
    "a cycle without an anchor, with a tree": graph(
        6, two_way((0, 1, 2), (1, 2, 5), (2, 0, 9), (1, 3, 4), (3, 4, 1), (3, 5, 2))
    ),
    "a tree": graph(7, two_way((0, 1, 3), (1, 2, 1), (1, 3, 2), (3, 4, 5), (3, 5, 1), (5, 6, 7))),
    "loops at one anchor": graph(
        7, two_way((0, 1, 9), (1, 2, 1), (2, 3, 1), (3, 0, 2), (0, 4, 1), (4, 5, 1), (5, 0, 1), (0, 6, 4))
    ),
    "chains with arcs of one way": graph(
        9,
        [(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 4, 1), (4, 0, 1), (0, 3, 9), (3, 5, 1), (5, 6, 2), (6, 0, 3),
         (7, 0, 1), (3, 8, 1)],
    ),
    "arcs side by side, and to oneself": graph(
        5,
        two_way((0, 1, 4), (0, 1, 2), (1, 2, 3), (2, 0, 1), (2, 3, 5), (3, 4, 1), (3, 4, 6), (2, 2, 1)),
    ),
    "ways too long for 32 bits": graph(
        6,
        two_way((0, 1, 2**30), (1, 2, 2**30), (2, 3, 2**30), (3, 0, 1), (0, 2, 1), (2, 4, 2**29), (4, 5, 3)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("which", CONTRACTED)
def test_what_is_contracted_keeps_its_distance_from_every_source(which: str) -> None:
    found = CONTRACTED[which]
    for source in range(found.vertices):
        spec = "sssp/cluster:contracted=yes,predecessors=yes,cluster_blocks=2,pieces=3"
        solver = verify(spec, found, Query(source))
        assert solver.observed()["anchors"] < found.vertices


@given(found=random_graphs(), data=st.data())
@settings(max_examples=examples(100), deadline=None)
def test_any_graph_may_be_contracted(found: CSRGraph, data: st.DataObject) -> None:
    source = data.draw(st.integers(0, found.vertices - 1))
    verify("sssp/cluster:contracted=yes,cluster_blocks=2,pieces=3", found, Query(source))


def test_only_anchors_are_left() -> None:
    contraction = Contraction.of(CONTRACTED["trees that hang from a cycle with two anchors"])
    assert contraction.anchors.tolist() == [0, 2]
    core = contraction.core
    assert core.indptr.tolist() == [0, 3, 6]
    assert sorted(core.weights.tolist()) == [4, 7, 7, 10, 13, 16]
    seeds, others = contraction.reach_anchors(6)
    assert seeds.tolist() == [[0, 20], [2, 20]]
    assert sorted(others.tolist()) == [[1, 15], [4, 5], [5, 6], [6, 0]]


@pytest.mark.parametrize("more", ["", ":shared=marks,patience=1", ":width=1048576"])
def test_weights_up_to_two_to_the_thirty(more: str) -> None:
    """A way too long for 32 bits, that is found before the short one, must not come out short."""
    largest = 2**31 - 3
    verify(f"sssp/cluster{more}", graph(3, [(0, 1, 2**30), (1, 2, 2**30 - 3), (0, 2, largest)]), Query(0))
    late = [(0, 1, largest), (0, 2, 1), (2, 4, 1), (4, 5, 1), (5, 1, 1), (1, 3, 100), (3, 6, 1)]
    verify(f"sssp/cluster{more}", graph(7, late), Query(0))


@pytest.mark.parametrize("target", range(14))
def test_searches_meet_at_a_vertex_or_on_an_arc(target: int) -> None:
    cycle = graph(14, [(u, (u + 1) % 14, 1) for u in range(14)], directed=False)
    one_way = graph(14, [(u, (u + 1) % 14, 1) for u in range(14)])
    for found in (cycle, one_way, ring(14)):
        for path in ("no", "yes"):
            verify(f"stcon/cluster:every=1,shared=arcs,predecessors={path}", found, Query(0, target))
            verify(f"stcon/cluster:shared=marks,predecessors={path}", found, Query(0, target))
        verify("stcon/cluster:every=1,shared=state,predecessors=yes", found, Query(0, target))


@pytest.mark.parametrize("kept", KEEPS)
def test_each_search_follows_its_own_arcs(kept: str) -> None:
    """They meet at the last of 20 vertices that lead to the target, then of 20 that the source leads to."""
    found = graph(42, [(0, 20, 1), (20, 41, 1), *((u, 41, 1) for u in range(1, 20))])
    verify(f"stcon/cluster:shared={kept},predecessors=yes", found, Query(0, 41))
    found = graph(42, [(0, 20, 1), (20, 41, 1), *((0, u, 1) for u in range(1, 20))])
    verify(f"stcon/cluster:shared={kept},predecessors=yes", found, Query(0, 41))


@pytest.mark.parametrize("every", [1, 2, 3, 1000])
@pytest.mark.parametrize("name", [name for name in NAMES if "every" in REGISTRY.find(name).settings])
def test_the_end_is_noticed_after_any_number_of_rounds(name: str, every: int) -> None:
    for which in ("path", "one vertex", "two components"):
        verify(f"{name}:every={every}", NAMED[which], Query(0))


KEPT = [(name, kept) for name in NAMES for kept in REGISTRY.find(name).in_shared]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "kept"), KEPT)
def test_state_and_arcs_in_both_memories(name: str, kept: str) -> None:
    for found in (NAMED["grid"], ring(3000), deep_star(3, 200)):
        assert verify(f"{name}:shared={kept}", found, Query(0)).kept == kept


@pytest.mark.parametrize("kept", KEEPS)
@pytest.mark.parametrize("spec", TREES)
def test_trees_and_paths_in_both_memories(spec: str, kept: str) -> None:
    for found in (NAMED["grid"], ring(3000), deep_star(3, 200)):
        assert verify(f"{spec},shared={kept}", found, Query(0)).kept == kept


@pytest.mark.long
@pytest.mark.parametrize("kept", ["marks", "state"])
def test_more_levels_than_16_bits_count(kept: str) -> None:
    """Levels are stored when their 16 bits are used up."""
    path = graph(66_000, [(u, u + 1, 1) for u in range(65_999)])
    spec = f"bfs/cluster:shared={kept},cluster_blocks=1,block_size=32,predecessors=yes"
    solver = verify(spec, path, Query(0))
    assert solver.count[0] == 66_000


@pytest.mark.parametrize(("vertices", "every"), [(66_000, 16), (5, 40_000)])
def test_more_rounds_than_16_bits_label(vertices: int, every: int) -> None:
    """Labels are stored when their 16 bits are used up, and then no search finds its path itself."""
    path = graph(vertices, [(u, u + 1, 1) for u in range(vertices - 1)])
    spec = f"stcon/cluster:shared=state,cluster_blocks=1,block_size=32,predecessors=yes,every={every}"
    solver = verify(spec, path, Query(0, vertices - 1))
    assert solver.kept == "state"
    assert solver.length == vertices - 1


@pytest.mark.parametrize("seed", [None, 1])
def test_arcs_of_both_ways_lie_side_by_side(seed: int | None) -> None:
    """On a one-way path each arc is needed, by red in its first half; those of a part end with the path."""
    there = graph(400, [(u, u + 1, 1) for u in range(399)])
    back = graph(400, [(u + 1, u, 1) for u in range(399)])
    for found, ends in ((there, Query(0, 399)), (back, Query(399, 0))):
        for blocks in (2, 3, 16):
            verify(f"stcon/cluster:shared=arcs,pieces=400,cluster_blocks={blocks}", found, ends, seed)


@pytest.mark.parametrize("name", ["bfs/cluster", "stcon/cluster"])
def test_what_does_not_fit_into_shared_memory_is_not_there(name: str) -> None:
    assert verify(name, ring(33_000), Query(0)).kept == "arcs"
    assert verify(f"{name}:cluster_blocks=1", ring(33_000), Query(0)).kept != "arcs"  # 258 KiB of records


def test_a_graph_too_large_for_a_cluster_is_refused() -> None:
    many = CSRGraph(np.zeros(9_000_001, np.int32), np.zeros(0, np.int32))
    with (
        EmulatedDevice() as device,
        pytest.raises(TooLargeError, match=r"needs 1,\d+ threads and .* there are 1,024"),
    ):
        solved("bfs/cluster", many, Query(0), device)


def test_levels_are_counted() -> None:
    for found, levels in ((NAMED["path"], 300), (NAMED["one vertex"], 1), (grid(9, 7), 15)):
        with EmulatedDevice() as device:
            solver = REGISTRY.find("bfs/cluster")(device)  # type: ignore[call-arg]
            solver.setup(found)
            solver.upload(Query(0))
            assert solver.solve(Query(0)) == levels


@pytest.mark.parametrize("every", [1, 4, 6, 1000])
def test_searches_end_where_they_meet(every: int) -> None:
    """Ten arcs apart, each reaches the vertex between in its sixth round; the first is the end itself."""
    with EmulatedDevice() as device:
        solver = make(f"stcon/cluster:every={every}", device)
        solver.setup(NAMED["path"])
        solver.upload(Query(100, 110))
        assert solver.solve(Query(100, 110)) == 6


def test_a_search_that_has_no_vertex_left_ends_both() -> None:
    """The other has 299 arcs before it. Whether any is left is asked after each fourth round."""
    one_way = graph(301, [(u, u + 1, 1) for u in range(299)])
    with EmulatedDevice() as device:
        solver = make("stcon/cluster:every=4", device)
        solver.setup(one_way)
        for ends in (Query(0, 300), Query(300, 299)):
            solver.upload(ends)
            assert solver.solve(ends) == 4
