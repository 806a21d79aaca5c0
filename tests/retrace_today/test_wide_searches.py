"""Searches of graphs of more arcs than 32-bit offsets count: on the device, or with arcs on the host."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from command_line import Call, Patch, refused
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph
from retrace.check.certificates import CERTIFICATE
from retrace.check.checkers import checker_of
from retrace.check.oracles import Oracle
from retrace.graphs import csr
from retrace.graphs.graph_names import UNREACHABLE
from retrace.records.record import read_records
from retrace.solvers import Query, find, make
from retrace.solvers.solver import WARP
from retrace_today.betweenness import lane_queues
from retrace_today.choice import Choice
from retrace_today.frontier import MOST_ENTRIES
from solving import solved
from test_wide_graphs import LIMIT, WIDE, generate_random, widened

PROVED = f"{CERTIFICATE} and {CERTIFICATE} of the tree"
FROM_HOST = ["bfs/host-arcs", "sssp/host-arcs"]
OURS = [name for name in WIDE if not find(name).calls_library]
SEARCHES = [name for name in OURS if find(name).problem != "betweenness"]


@pytest.fixture
def stored(tmp_path: Path, script: Call, monkeypatch: Patch) -> Path:
    """Generate a graph of more arcs than a limit that is lowered."""
    monkeypatch.setattr(csr, "MOST_ARCS", LIMIT)
    return generate_random(tmp_path / "random", script)


def test_who_takes_such_graphs() -> None:
    on_device = {
        "bfs": {"direction"},
        "sssp": {"near-far", "delta-stepping", "workfront-sweep", "edge-classes"},
    }
    takers = {
        f"{problem}/{name}" for problem, names in on_device.items() for name in (*names, "host-arcs", "auto")
    }
    assert {*OURS} == takers | {
        f"betweenness/{name}" for name in ("frontier", "cluster", "lane-queues", "auto")
    }


@pytest.mark.parametrize("problem", ["bfs", "sssp"])
def test_it_is_measured_as_any_other(problem: str, stored: Path, script: Call) -> None:
    others = ["bsp", "scipy", "igraph"]
    names = [f"{problem}/{variant}" for variant in ("host-arcs", "auto", *others)]
    asked = ("--experiment", "mine", "--backend", "emulator", "--trials", 1, "--solvers", *names)
    assert script("measure-experiment", *asked, "--graphs", stored, "--output", stored.parent).status == 0
    answered, chosen, *declined = read_records([stored.parent / "random.jsonl"])
    assert (answered.status, answered.verified, answered.oracle) == ("ok", True, PROVED)
    assert (chosen.status, chosen.verified) == ("ok", True)
    assert (answered.graph.vertices, answered.graph.arcs) == (300, 1500)
    takers = " or ".join(name for name in WIDE if name.startswith(problem))
    told = f"the graph has 1500 arcs, expected at most {LIMIT} (32-bit offsets); use {takers}"
    assert [(record.status, record.reason) for record in declined] == [("skipped", told)] * len(others)


def test_on_the_command_line(stored: Path, call: Call) -> None:
    for name in SEARCHES:
        done = call("solve", name, stored, "--source", 0, "--backend", "emulator")
        assert done.status == 0, done.err
        assert f"verified against {CERTIFICATE}" in done.out


@pytest.mark.long
def test_answers_are_those_of_32_bit_offsets() -> None:
    for (name, found), spec in product(NAMED.items(), SEARCHES):
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
        assert result.oracle == (CERTIFICATE if predecessor is None else PROVED)


@pytest.mark.parametrize("spec", FROM_HOST)
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


@pytest.mark.parametrize(
    ("spec", "message"),
    [("bfs/direction:piece=1", "the queue may have 4294967300 entries, expected at most 2147483648; set a "
      "larger piece than 1"),
     ("bfs/direction:piece=100000000", "piece is 100000000, expected from 1 to 67108864"),
     ("betweenness/frontier:hub=100000000", "hub is 100000000, expected from 0 to 67108864")],
)  # fmt: skip
def test_entries_of_a_frontier_that_32_bits_do_not_count_are_refused(
    spec: str, message: str, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(csr.CSRGraph, "arcs", 2**32)
    with EmulatedDevice() as device:
        assert message in refused(lambda: make(spec, device).setup(graph(4, [])))


INWARD = graph(24, [(tail, 0, 1) for tail in range(1, 24)])
"""A star whose centre is entered by 23 arcs, of which each other vertex has one."""


@pytest.mark.parametrize("given", [NAMED["complete"], INWARD])
def test_a_vertex_of_more_arcs_than_a_row_has_places_is_refused(
    given: csr.CSRGraph, monkeypatch: Patch
) -> None:
    query, kind = Query(sources=(0,)), find("betweenness/lane-queues")
    # No kernel of its own is launched: those of 32-bit offsets serve, since those of 64 take long to compile.
    monkeypatch.setattr(kind, "load_module", lambda solver: solver.device.load(solver.kernel_file()))
    for most, told in (
        (22, "betweenness/lane-queues: a vertex has 23 arcs, expected 22 at most"),
        (23, None),
    ):
        monkeypatch.setattr(lane_queues, "MOST_OF_A_VERTEX", most)
        with widened(given) as wide, EmulatedDevice() as device:
            solver = make("betweenness/lane-queues:block_size=32", device)
            solver.setup(wide)
            if told:
                assert refused(solver.upload, query) == told
            else:
                solver.upload(query)


def test_places_in_a_row_are_positive_ints_where_32_vertices_have_most_arcs() -> None:
    """`last` of lane-queues.cu counts what waits: every arc, and the end of each vertex."""
    places = WARP * (lane_queues.MOST_OF_A_VERTEX + 1)
    assert 2**31 - WARP <= places < 2**31


@pytest.mark.parametrize("problem", ["bfs", "sssp", "betweenness"])
def test_a_choice_leaves_out_what_counts_fewer_arcs(problem: str) -> None:
    with widened(NAMED["path"]) as wide, EmulatedDevice() as device:
        solver = solved(f"{problem}/auto:take=cheapest", wide, Query(0, sources=(0,)), device)
        assert isinstance(solver, Choice)
        assert type(solver.chosen).wide


def test_a_choice_is_refused_in_a_line_where_no_candidate_counts_the_arcs() -> None:
    """A GPU of 2014 has no cooperative launches, which a frontier needs."""
    with widened(NAMED["grid"]) as wide, EmulatedDevice(compute_capability="5.2") as device:
        told = refused(make("bfs/auto:take=cheapest", device).setup, wide)
    assert told.startswith(
        f"bfs/auto: the graph has {wide.arcs} arcs, expected at most -1 (32-bit offsets); use"
    )
