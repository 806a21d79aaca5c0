"""Every device solver under ten schedules, on graphs whose threads compete for the same places; bounds."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, grid, layers, mixed_graph
from retrace.check.checkers import Checker, checker_of
from retrace.graphs.csr import CSRGraph
from retrace.solvers import REGISTRY, DeviceSolver, Query
from retrace.solvers.prefix_sums import CHUNK, PrefixSums
from schedules import examples, seeds
from solving import WITH_PREDECESSORS, solved
from test_betweenness_kernels import with_settings

SEEDS = seeds(int(os.environ.get("SCHEDULES", 10)))
MORE_GRAPHS = int(os.environ.get("MORE_GRAPHS", 0))
NAMES = [
    name
    for name, kind in REGISTRY.solvers.items()
    if issubclass(kind, DeviceSolver)
    and not hasattr(kind, "candidates")  # a choice among them launches no kernel of its own
]
FINDING = [spec for spec in WITH_PREDECESSORS if spec.partition(":")[0] in NAMES]


def crowd(vertices: int) -> CSRGraph:
    """Make a complete digraph: every thread relaxes an arc to every vertex, each with a weight of its own."""
    weights = np.random.default_rng(1).integers(1, 1000, (vertices, vertices)).tolist()
    return graph(
        vertices, [(u, v, weights[u][v]) for u in range(vertices) for v in range(vertices) if u != v]
    )


def deep_star(middle: int, leaves: int) -> CSRGraph:
    """Make a star of stars whose leaves have one more arc each: a leaf that a queue loses is missed."""
    spokes = [(0, 1 + m, 1) for m in range(middle)]
    first = 1 + middle
    tips = [(1 + leaf // leaves, first + leaf, 1 + leaf % 5) for leaf in range(middle * leaves)]
    ends = [(first + leaf, first + middle * leaves + leaf, 3) for leaf in range(middle * leaves)]
    return graph(first + 2 * middle * leaves, spokes + tips + ends)


def detours(number: int) -> CSRGraph:
    """Make vertices whose distance falls, by a detour, just when they relax the arc to their neighbour."""
    ways = ((0, 3 * n + 1, 3 * n + 2, 3 * n + 3) for n in range(number))
    return graph(
        3 * number + 1,
        [arc for s, u, by, v in ways for arc in ((s, u, 10), (s, by, 1), (by, u, 1), (u, v, 1))],
    )


def many_ways() -> CSRGraph:
    """Make levels whose vertices have six ways each, one the shortest: an arc that is lost lengthens it."""
    found = layers([1, *[6] * 12])
    weights = np.random.default_rng(1).integers(1, 1000, found.arcs, dtype=np.int32)
    return replace(found, weights=weights)


def rails(number: int, length: int) -> CSRGraph:
    """Make lines whose vertices at the same place have an arc each to the same vertex, their only common one.

    With an odd length, several warps find it at the same time, each for the searches of its own line.
    """
    starts = range(0, number * length, length)
    along = [(start + i, start + i + 1, 1) for start in starts for i in range(length - 1)]
    across = [(start + i, number * length + i, 1) for start in starts for i in range(length)]
    return graph((number + 1) * length, along + across)


RACING = {
    "complete": crowd(48), "grid": grid(11, 7), "star": deep_star(24, 4), "detours": detours(40),
    "ways": many_ways(),
}  # fmt: skip
RACING |= {"named-grid": NAMED["grid"]} if MORE_GRAPHS else {}  # takes minutes
RACING |= {f"mixed-{size}": mixed_graph(size) for size in range(10, 10 + 7 * MORE_GRAPHS, 7)}
WITH_SMALL_LEVELS = {"grid": RACING["grid"], "rails": rails(4, 33)}


@cache
def checker(problem: str, which: str) -> Checker:
    return checker_of(problem, (RACING | WITH_SMALL_LEVELS)[which])


APART = (
    "sssp/thrust",
    "sssp/standard-published",
)  # has kernels of its own; is wrong as printed: test_errata.py


@pytest.mark.parametrize("name", [name for name in NAMES + FINDING if name not in APART])
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_changes_an_answer(name: str, which: str) -> None:
    assert_same_answer(name, which)


def assert_same_answer(name: str, which: str) -> None:
    """Check the answer of a solver on one of the graphs under each schedule."""
    found, problem = RACING[which], name.split("/")[0]
    query: Any = Query(0, found.vertices - 1 if problem == "stcon" else None)
    if problem == "betweenness":
        query = Query(sources=tuple(range(0, found.vertices, 1 + found.vertices // examples(40))))
    threads = {
        "bfs/direction": 32,
        "bfs/host-arcs": 32,
        "betweenness/lanes": 128,
        "betweenness/lane-queues": 64,
    }.get(name.partition(":")[0], 4 if problem == "bfs" else 32)
    # Without an early end, nothing changes in most iterations of bellman-ford/ablated, which take minutes.
    spec = with_settings(name, block_size=threads, edges_per_thread=3, early_end=1)
    for seed in SEEDS:
        with EmulatedDevice(seed) as device:
            solver = solved(spec, found, query, device)
            answer = solver.download()
            result = checker(problem, which).check(spec, query, answer, solver.predecessors())
        assert result.verified, f"seed {seed}: {result.reason}"


on_small_levels = pytest.mark.parametrize(
    ("which", "sources", "threads"),
    [("grid", (0,), 128), ("grid", (0, 76), 64), ("rails", (0, 33, 66, 99), 128)],
)


def assert_scores_on_small_levels(name: str, which: str, sources: tuple[int, ...], threads: int) -> None:
    """Check the scores of a variant of betweenness under each schedule."""
    found, query = WITH_SMALL_LEVELS[which], Query(sources=sources)
    spec = f"betweenness/{name}{',' if ':' in name else ':'}block_size={threads}"
    for seed in SEEDS:
        with EmulatedDevice(seed) as device:
            scores = solved(spec, found, query, device).download()
        result = checker("betweenness", which).check(spec, query, scores)
        assert result.verified, f"seed {seed}: {result.reason}"


def assert_blocks_add_up(name: str, blocks: int, seed: int) -> None:
    """Check the scores of a cycle, of as many passes as blocks, under a schedule."""
    vertices = 32 * blocks
    cycle = graph(vertices, [(u, (u + 1) % vertices, 1) for u in range(vertices)], directed=False)
    variant, _, settings = name.partition(":")
    spec = f"betweenness/{variant}:" + ",".join(filter(None, (f"block_size=32,blocks={blocks}", settings)))
    with EmulatedDevice(seed) as device:
        solver: Any = solved(spec, cycle, Query(), device)
        scores, next_pass = solver.download(), device.download(solver.next_pass)
    assert np.allclose(scores, scores[0])
    assert next_pass.tolist() == [0]  # for the next launch


def test_no_vertex_is_queued_twice() -> None:
    """Four threads find the same vertices, and the queue has room for as many as the graph has."""
    heads = range(5, 305)
    layers = graph(305, [(0, u, 1) for u in range(1, 5)] + [(u, v, 1) for u in range(1, 5) for v in heads])
    for seed in SEEDS:
        with EmulatedDevice(seed) as device:
            found = solved("bfs/block-queue:block_size=4", layers, Query(0), device).download()
        assert Counter(found.tolist()) == {0: 1, 1: 4, 2: 300}


@pytest.mark.parametrize("seed", range(3))
def test_full_queues_of_several_blocks_lose_no_vertex(seed: int) -> None:
    """Each block finds 600 vertices, more than its queue holds, and appends the others one by one."""
    star = deep_star(4, 600)
    with EmulatedDevice(seed) as device:
        found = solved("bfs/block-queue:block_size=1", star, Query(0), device).download()
    assert Counter(found.tolist()) == {0: 1, 1: 4, 2: 2400, 3: 2400}


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 512, 513, 256**2, 256**2 + 1])
def test_prefix_sums_write_their_own_entries_alone(size: int) -> None:
    values = np.random.default_rng(size).integers(0, 9, size, dtype=np.int32)
    with EmulatedDevice() as device:
        sums, entries = PrefixSums(device), device.upload(values)
        sums.allocate(size)
        own = [each.size for each in sums.sums]
        assert own == [-(-size // CHUNK**level) for level in range(1, 1 + len(own))]
        sums.scan(entries)
        assert np.array_equal(device.download(entries), np.cumsum(values) - values)
