"""Scores in fixed point: the same bits by any schedule, and as near to the exact ones as said."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from exact_betweenness import exact_scores, ordered_scores
from graphs import diamonds, graph, grid, random_graphs
from retrace.check.checkers import checker_of
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.query import Query
from retrace_today.betweenness.fixed_point import FixedPoint, FixedSums, add, as_doubles
from solving import DEVICES, open_device, solved

SEEDS = range(4)
MANY = 20_000  # pairs of sums, more than a thread takes at a time
ADD_UP = str(Path(__file__).parent / "fixed_point.cu")
# a filter of 32 KiB would be copied whenever the emulator goes on with another block
KINDS = ["lane-queues:block_size=64,filter_kib=1", "lane-queues:block_size=64,lanes=128,filter_kib=1",
         "lane-queues:block_size=32,lanes=32,registers=32,few=2,filter_kib=1",
         "lane-queues:block_size=32,team=grid",
         "bitmap-queue:block_size=32",
         "bitmap-queue:block_size=32,precision=float,compacted=yes,renumbered=yes"]  # fmt: skip
addends = st.lists(
    st.floats(0, 2.0**50) | st.floats(0, 1) | st.sampled_from([2.0**-64, 1 - 2.0**-53, 0.5, 2.0**61]),
    min_size=1,
    max_size=40,
)


def fixed(number: float) -> int:
    """Return a number in units of 2^-64, cut off below."""
    return int(Fraction(number) * 2**64)


def value(numbers: FixedPoint) -> int:
    """Return one number in units of 2^-64."""
    return int(numbers[1]) << 64 | int(numbers[0])


@pytest.mark.parametrize("backend", DEVICES)
@given(numbers=addends, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_sums_are_exact_integers(numbers: list[float], seed: int, backend: str) -> None:
    with open_device(backend, seed) as device:
        total = device.upload(np.zeros(2, np.uint64))
        add_up = device.load(ADD_UP).kernel("add_up")
        add_up(4, 16, np.int32(len(numbers)), device.upload(np.array(numbers)), total)
        found = device.download(total)
    assert value(found) == sum(map(fixed, numbers))
    assert as_doubles(found.reshape(1, 2)) == pytest.approx(
        sum(map(Fraction, numbers)), rel=2**-52, abs=len(numbers) * 2**-64
    )


@pytest.mark.parametrize("backend", DEVICES)
def test_what_no_score_can_be_is_not_added(backend: str) -> None:
    with open_device(backend) as device:
        total = device.upload(np.zeros(2, np.uint64))
        numbers = np.array([np.inf, np.nan, 2.0**62, 1.5])
        device.load(ADD_UP).kernel("add_up")(1, 32, np.int32(4), device.upload(numbers), total)
        assert value(device.download(total)) == fixed(1.5)


@given(numbers=st.lists(st.tuples(st.integers(0, 2**126 - 1), st.integers(0, 2**126 - 1)), min_size=1))
@settings(deadline=None)  # the first one may compile the addition
def test_the_host_adds_with_carries(numbers: list[tuple[int, int]]) -> None:
    ours, theirs = (
        np.array([(n & (2**64 - 1), n >> 64) for n in column], np.uint64)
        for column in zip(*numbers, strict=True)
    )
    add(ours, theirs)
    assert [value(row) for row in ours] == [sum(pair) for pair in numbers]


def test_the_host_adds_more_numbers_than_a_thread_takes() -> None:
    most = 2**64 - 1
    ours = np.array([(most, 1), (3, 4)] * MANY, np.uint64)
    add(ours, np.array([(1, 2), (5, 6)] * MANY, np.uint64))
    assert ours.tolist() == [[0, 4], [8, 10]] * MANY


def layers(width: int, depth: int) -> CSRGraph:
    """Make layers with arcs at random: path counts of many different values, beyond 2^53.

    The arcs within a layer are on no shortest path from the first vertex.
    """
    random = np.random.default_rng(1)
    arcs = [
        (1 + layer * width + u, 1 + (layer + 1) * width + v, 1)
        for layer in range(depth)
        for u in range(width)
        for v in range(width)
        if u == v or random.random() < 0.5
    ]
    arcs += [(1 + v, 1 + v // width * width + (v + 1) % width, 1) for v in range(width * (depth + 1))]
    return graph(1 + width * (depth + 1), [(0, 1 + u, 1) for u in range(width)] + arcs)


ROUNDED = layers(6, 36)
GRAPHS = {
    "grid": grid(11, 7),
    "layers": ROUNDED,
    "both ways": from_arcs(
        ROUNDED.vertices,
        np.concatenate((ROUNDED.tails(), ROUNDED.indices)),
        np.concatenate((ROUNDED.indices, ROUNDED.tails())),
        None,
        {"name": "both ways", "directed": False},
    ),
}


@cache
def sums(kind: str, which: str, seed: int, blocks: int = 2) -> bytes:
    """Return the bits of all sums."""
    found = GRAPHS[which]
    query = Query(sources=tuple(range(0, found.vertices, 1 + found.vertices // 70)))
    with EmulatedDevice(seed) as device:
        solver = solved(f"betweenness/{kind},sums=fixed,blocks={blocks}", found, query, device)
        assert isinstance(solver, FixedSums)
        result = checker_of("betweenness", found).check(kind, query, solver.download())
        assert result.verified, result.reason
        return solver.sums(solver.rounds[0]).tobytes()


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "which"),
    [
        (kind, which)
        for kind in KINDS
        for which in GRAPHS
        if which != "both ways" or "bitmap" in kind  # which alone adds up over entering arcs as well
    ],
)
def test_no_schedule_changes_a_bit(kind: str, which: str) -> None:
    """Path counts of the layers are rounded, in floats and in doubles."""
    assert len({sums(kind, which, seed) for seed in SEEDS}) == 1
    assert len({sums(kind, which, SEEDS[0], blocks) for blocks in (1, 2, 3)}) == 1


@pytest.mark.parametrize("name", ["lane-queues", "bitmap-queue"])
@given(whole=random_graphs(most_vertices=12), seed=st.integers(0, 2**32 - 1), data=st.data())
@settings(max_examples=15, deadline=None)
def test_sums_are_near_the_exact_scores(name: str, whole: CSRGraph, seed: int, data: st.DataObject) -> None:
    vertex = st.integers(0, whole.vertices - 1)
    query = Query(sources=data.draw(st.none() | st.lists(vertex, unique=True).map(tuple)))
    with EmulatedDevice(seed) as device:
        solver = solved(f"betweenness/{name}:block_size=32,sums=fixed", whole, query, device)
        assert isinstance(solver, FixedSums)
        part = solver.rounds[0]
        found = [value(row) for row in solver.sums(part)]
        scores = solver.download()
    reduced = part.reduced
    counts = reduced.source_count.tolist()
    exact = ordered_scores(reduced.graph, None, reduced.reach.tolist(), counts)
    for mine, true in zip(found, exact, strict=True):
        assert abs(Fraction(mine, 2**64) - true) <= true / 2**49 + Fraction(len(counts), 2**64)
    assert scores == pytest.approx(exact_scores(whole, query.sources), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", ["lane-queues", "bitmap-queue"])
def test_too_many_paths_are_reported_not_added(name: str) -> None:
    with (
        EmulatedDevice() as device,
        pytest.raises(OneLineError, match=r"vertex 0 .*a double and its inverse hold"),
    ):
        solved(f"betweenness/{name}:block_size=32,sums=fixed", diamonds(1023), Query(sources=(0,)), device)
