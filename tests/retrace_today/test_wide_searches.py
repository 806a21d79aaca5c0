"""Searches of graphs of more arcs than 32-bit offsets count: the arcs stay in the host's memory."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from command_line import Call, Patch, refused
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED
from retrace.check.certificates import CERTIFICATE
from retrace.check.checkers import checker_of
from retrace.check.oracles import Oracle
from retrace.graphs import csr
from retrace.graphs.graph_names import UNREACHABLE
from retrace.records.record import read_records
from retrace.solvers import Query, make
from retrace_today.host_arcs import MOST_ENTRIES
from solving import solved
from test_wide_graphs import LIMIT, WIDE, generate_random, widened

PROVED = f"{CERTIFICATE} and {CERTIFICATE} of the tree"


@pytest.fixture
def stored(tmp_path: Path, script: Call, monkeypatch: Patch) -> Path:
    """Generate a graph of more arcs than a limit that is lowered."""
    monkeypatch.setattr(csr, "MOST_ARCS", LIMIT)
    return generate_random(tmp_path / "random", script)


def test_two_searches_take_such_graphs() -> None:
    assert WIDE == ["bfs/host-arcs", "sssp/host-arcs"]


@pytest.mark.parametrize("problem", ["bfs", "sssp"])
def test_it_is_measured_as_any_other(problem: str, stored: Path, script: Call) -> None:
    others = ["bsp", "scipy", "igraph", "auto"]
    names = [f"{problem}/{variant}" for variant in ("host-arcs", *others)]
    asked = ("--experiment", "mine", "--backend", "emulator", "--trials", 1, "--solvers", *names)
    assert script("measure-experiment", *asked, "--graphs", stored, "--output", stored.parent).status == 0
    answered, *declined = read_records([stored.parent / "random.jsonl"])
    assert (answered.status, answered.verified, answered.oracle) == ("ok", True, PROVED)
    assert (answered.graph.vertices, answered.graph.arcs) == (300, 1500)
    told = f"the graph has 1500 arcs, expected at most {LIMIT} (32-bit offsets); use {problem}/host-arcs"
    assert [(record.status, record.reason) for record in declined] == [("skipped", told)] * len(others)


def test_on_the_command_line(stored: Path, call: Call) -> None:
    for name in WIDE:
        done = call("solve", name, stored, "--source", 0, "--backend", "emulator")
        assert done.status == 0, done.err
        assert f"verified against {CERTIFICATE}" in done.out


def test_answers_are_those_of_32_bit_offsets() -> None:
    for (name, found), spec in product(NAMED.items(), WIDE):
        with EmulatedDevice() as device:
            narrow = solved(spec, found, Query(0), device)
            with widened(found) as wide:
                solver = solved(spec, wide, Query(0), device)
                answer, predecessor = solver.download(), solver.predecessors()
                result = checker_of(solver.problem, wide).check(spec, Query(0), answer, predecessor)
            assert_array_equal(answer, narrow.download(), name)
            if spec == "bfs/host-arcs":
                assert_array_equal(predecessor, narrow.predecessors(), name)
        assert result.verified, f"{name}: {result.reason}"
        assert result.oracle == PROVED


@pytest.mark.parametrize("spec", WIDE)
@pytest.mark.parametrize("which", ["grid", "two components", "zero weights"])
def test_one_wrong_distance_or_predecessor_is_found(spec: str, which: str) -> None:
    with widened(NAMED[which]) as wide, EmulatedDevice() as device:
        solver = solved(spec, wide, Query(0), device)
        answer, predecessor = solver.download(), solver.predecessors()
        assert predecessor is not None
        oracle = Oracle(wide)
        for vertex in range(wide.vertices):
            for by in (1, -1):
                wrong = answer.copy()
                wrong[vertex] += by if answer[vertex] != UNREACHABLE else -(2**30)
                assert not oracle.check(spec, Query(0), wrong, predecessor).verified, f"vertex {vertex}"
            bent = predecessor.copy()
            bent[vertex] = wide.vertices - 1 if predecessor[vertex] == -1 else -1
            assert not oracle.check(spec, Query(0), answer, bent).verified, f"vertex {vertex}"


def test_a_queue_of_more_entries_than_32_bits_count_is_refused(monkeypatch: Patch) -> None:
    with EmulatedDevice() as device:
        solver = make("bfs/host-arcs:lines=1", device)
        monkeypatch.setattr(type(solver), "entries_of", lambda self, graph: MOST_ENTRIES + 1)
        told = "the queue may have 2147483649 entries, expected at most 2147483648; set more lines than 1"
        assert refused(solver.setup, NAMED["grid"]) == told
