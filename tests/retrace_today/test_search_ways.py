"""Each way through the searches of several ways: frontiers in one launch, and arcs in the host's memory."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_frontier import WAYS as OF_FRONTIERS
from test_host_arcs import BETWEENNESS, SSSP
from test_host_arcs import WAYS as OF_HOST_ARCS

from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, mixed_graph, random_graphs
from retrace.check.checkers import checker_of
from retrace.graphs.csr import CSRGraph
from retrace.solvers import Query
from schedules import seeds
from solving import solved
from test_races import RACING
from test_solvers import verify

WAYS = OF_FRONTIERS + OF_HOST_ARCS


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("spec", WAYS)
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_changes_an_answer(spec: str, which: str) -> None:
    checker = checker_of(spec.partition("/")[0], RACING[which])
    for seed in seeds(8):
        with EmulatedDevice(seed) as device:
            solver = solved(spec, RACING[which], Query(0), device)
            result = checker.check(spec, Query(0), solver.download(), solver.predecessors())
        assert result.verified, f"seed {seed}: {result.reason}"


@pytest.mark.parametrize("spec", [spec for spec in WAYS if "predecessors" in spec or spec in SSSP])
@given(found=random_graphs(30), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1)))
@settings(max_examples=40, deadline=None)
def test_arcs_of_weight_0_close_no_cycle(spec: str, found: CSRGraph, seed: int | None) -> None:
    assert found.weights is not None
    found.weights[:] = found.weights % 2
    verify(spec, "emulator", found, Query(0), seed)


LARGE = {spec.partition(":")[0]: spec for spec in reversed(WAYS)}
"""The first way of each solver, which also has the large graph."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "vertices"), [*product(WAYS, [1, 2, 31, 32, 33]), *((spec, 65_537) for spec in LARGE.values())]
)
def test_sizes_around_those_of_warps_and_words(spec: str, vertices: int) -> None:
    verify(spec, "emulator", mixed_graph(vertices), Query(0))


@pytest.mark.parametrize("spec", BETWEENNESS)
def test_scores_of_every_way_agree_with_the_oracle(spec: str) -> None:
    for found in NAMED.values():
        verify(spec, "emulator", found, Query(sources=(0, found.vertices - 1)[: found.vertices]))


@pytest.mark.parametrize("spec", BETWEENNESS)
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_changes_scores(spec: str, which: str) -> None:
    """Threads compete for the same heads, tails and places in the queue."""
    last = RACING[which].vertices - 1
    for seed in seeds(4):
        verify(spec, "emulator", RACING[which], Query(sources=(0, last // 2, last)), seed)


@pytest.mark.parametrize(
    ("spec", "vertices"), [*product(BETWEENNESS, [1, 2, 31, 32, 33]), (BETWEENNESS[-1], 65_537)]
)
def test_scores_on_sizes_around_those_of_warps_and_words(spec: str, vertices: int) -> None:
    verify(spec, "emulator", mixed_graph(vertices), Query(sources=(0,)))
