"""Bellman-Ford beyond what test_solvers.py asks of every solver: negative weights, complete graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda_device.errors import OneLineError
from cuda_on_cpu.device import RESIDENT_BLOCKS, EmulatedDevice
from cuda_on_cpu.work_queue import EmulatedEvent, WorkQueue
from graphs import NAMED, graph, random_graphs, two_level_star
from retrace.check import oracles
from retrace.check.certificates import certify, certify_complete
from retrace.check.checkers import checker_of
from retrace.check.oracles import Oracle
from retrace.devices.matrices import host_matrix, rows_of
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.measure.experiment import as_record
from retrace.measure.trials import Effort
from retrace.records.record import write_records
from retrace.solvers import REGISTRY, Query, make
from retrace.solvers.bellman_ford.negative_cycles import find_negative_cycle
from schedules import examples
from solving import cases, measure, solved
from test_solvers import solve

pytestmark = pytest.mark.usefixtures("kept_context")

NONNEGATIVE = ("bellman-ford/dijkstra-dense", "bellman-ford/scipy-dijkstra")
SPECS = [
    *(name for name in REGISTRY.solvers if name.startswith("bellman-ford/")),
    "bellman-ford/multi-edge:edges_per_thread=1",
    "bellman-ford/multi-edge:edges_per_thread=64,block_size=32",
    "bellman-ford/multi-edge-consecutive:edges_per_thread=7",
    "bellman-ford/edge-list:edges_per_thread=3,block_size=32",
    "bellman-ford/streams:parts=5",
    "bellman-ford/streams-pinned:parts=1",
    "bellman-ford/streams-masked:parts=5",
    "bellman-ford/ablated:masks=1",
    "bellman-ford/ablated:early_end=1",
]


ALL = cases(SPECS)
SIGNED = cases([spec for spec in SPECS if spec not in NONNEGATIVE])


@st.composite
def negative_weights(draw: st.DrawFn) -> CSRGraph:
    """Draw a graph with negative weights but no negative cycle: a potential's differences are added."""
    found = draw(random_graphs(most_vertices=16))
    assert found.weights is not None
    height = st.integers(-(10**6), 10**6)
    potential = np.array(draw(st.lists(height, min_size=found.vertices, max_size=found.vertices)))
    shifted = found.weights + potential[found.tails()] - potential[found.indices]
    return CSRGraph(found.indptr, found.indices, shifted.astype(np.int32), {"name": "shifted"})


@st.composite
def any_weights(draw: st.DrawFn) -> CSRGraph:
    """Draw a small graph with any weights, negative cycles included."""
    vertices = draw(st.integers(1, 9))
    vertex = st.integers(0, vertices - 1)
    weight = st.one_of(st.integers(-4, 9), st.sampled_from([-(2**31) + 1, -(2**30), 2**31 - 2, 2**30]))
    arcs = draw(st.lists(st.tuples(vertex, vertex, weight), max_size=3 * vertices))
    return graph(vertices, arcs)


def dense_solve(spec: str, backend: str, found: Graph, source: int, seed: int | None = None) -> Int32Array:
    answer: Int32Array = solve(spec, backend, found, Query(source), seed)[0]  # type: ignore[arg-type]
    return answer


def lengths_in_python(found: CSRGraph, source: int) -> list[float] | None:
    """Bellman and Ford's rounds in Python's integers; None where the source reaches a negative cycle."""
    assert found.weights is not None
    lengths: list[float] = [float("inf")] * found.vertices
    lengths[source] = 0
    arcs = list(zip(found.tails().tolist(), found.indices.tolist(), found.weights.tolist(), strict=True))
    for _ in range(found.vertices):
        before = list(lengths)
        for tail, head, weight in arcs:
            lengths[head] = min(lengths[head], lengths[tail] + weight)
        if lengths == before:
            return lengths
    return None


def assert_on_negative_cycle(found: CSRGraph, vertex: int) -> None:
    """Prove it by a walk of as many arcs as there are vertices at most, back to the vertex, below 0."""
    assert found.weights is not None
    arcs = list(zip(found.tails().tolist(), found.indices.tolist(), found.weights.tolist(), strict=True))
    best = {vertex: 0}
    for _ in range(found.vertices):  # walks of one arc more each time
        following: dict[int, int] = {}
        for tail, head, weight in arcs:
            if tail in best:
                following[head] = min(following.get(head, best[tail] + weight), best[tail] + weight)
        best = following
        if best.get(vertex, 0) < 0:
            return
    raise AssertionError(f"no negative cycle through {vertex}")


@pytest.mark.parametrize(("spec", "backend"), SIGNED)
@given(found=negative_weights(), data=st.data(), seed=st.one_of(st.none(), st.integers(0, 2**32 - 1)))
@settings(max_examples=7, deadline=None)
def test_negative_weights(
    spec: str, backend: str, found: CSRGraph, data: st.DataObject, seed: int | None
) -> None:
    source = data.draw(st.integers(0, found.vertices - 1))
    distance = dense_solve(spec, backend, found, source, seed)
    expected = lengths_in_python(found, source)
    assert expected is not None
    assert distance.tolist() == [UNREACHABLE if length == float("inf") else length for length in expected]
    assert checker_of("bellman-ford", found).check(spec, Query(source), distance).verified


@pytest.mark.parametrize(("spec", "backend"), SIGNED)
@given(found=any_weights(), data=st.data())
@settings(max_examples=examples(25), deadline=None)
def test_distances_or_a_negative_cycle(spec: str, backend: str, found: CSRGraph, data: st.DataObject) -> None:
    source = data.draw(st.integers(0, found.vertices - 1))
    expected = lengths_in_python(found, source)
    if expected is None:
        told = rf"vertex \d+ \(from 0\) lies on a negative cycle that vertex {source}"
        with pytest.raises(OneLineError, match=told):
            dense_solve(spec, backend, found, source)
        vertex = find_negative_cycle(found, source)
        assert vertex is not None
        assert_on_negative_cycle(found, vertex)
        return
    assert find_negative_cycle(found, source) is None
    reached = [length for length in expected if length != float("inf")]
    if min(reached) > -UNREACHABLE - 1 and max(reached) < UNREACHABLE:
        distance = dense_solve(spec, backend, found, source)
        assert distance.tolist() == [UNREACHABLE if length == float("inf") else length for length in expected]
        return
    with pytest.raises(OneLineError, match="pass what 32 bits hold"):
        dense_solve(spec, backend, found, source)


@pytest.mark.parametrize(("spec", "backend"), SIGNED)
def test_a_negative_cycle_behind_a_distance_beyond_32_bits(spec: str, backend: str) -> None:
    found = graph(3, [(0, 2, 2**31 - 2), (1, 0, 1), (2, 0, -(2**31) + 1)])  # 0 and 2, of weight -1
    with pytest.raises(OneLineError, match=r"vertex [02] \(from 0\) lies on a negative cycle"):
        dense_solve(spec, backend, found, 1)


@pytest.mark.parametrize(("spec", "backend"), ALL)
def test_a_distance_beyond_32_bits_is_not_called_unreachable(spec: str, backend: str) -> None:
    found = graph(4, [(0, 1, 2**31 - 2), (1, 2, 1), (0, 3, 7)])
    with pytest.raises(OneLineError, match=r"distances from vertex 0 \(from 0\) pass what 32 bits hold"):
        dense_solve(spec, backend, found, 0)
    assert dense_solve(spec, backend, found, 1).tolist() == [UNREACHABLE, 0, 1, UNREACHABLE]


@pytest.mark.parametrize(("spec", "backend"), SIGNED)
@pytest.mark.parametrize("far", [2**31 - 2, -(2**31) + 1])
def test_a_sum_beyond_32_bits_is_not_taken_for_a_distance(spec: str, backend: str, far: int) -> None:
    with pytest.raises(OneLineError, match=r"distances from vertex 0 \(from 0\) pass what 32 bits hold"):
        dense_solve(spec, backend, graph(3, [(0, 1, far), (1, 2, far)]), 0)
    found = graph(3, [(0, 1, -5)])
    assert dense_solve(spec, backend, found, 0).tolist() == [0, -5, UNREACHABLE]


@pytest.mark.parametrize("name", NONNEGATIVE)
def test_dijkstra_refuses_negative_weights(name: str) -> None:
    found = graph(3, [(0, 1, 4), (1, 2, -5)])
    told = r"arc from 1 to 2 \(from 0\) has weight -5, .*; use bellman-ford/"
    with pytest.raises(OneLineError, match=told):
        dense_solve(name, "host", found, 0)


@pytest.mark.parametrize(("spec", "backend"), ALL)
def test_complete_graphs(spec: str, backend: str) -> None:
    for found in (DenseGraph(1, 1), DenseGraph(2, 1), DenseGraph(61, 5), DenseGraph(64, 6, (1, 10**6))):
        oracle = Oracle(found)
        for source in {0, found.vertices // 2, found.vertices - 1}:
            result = oracle.check(spec, Query(source), dense_solve(spec, backend, found, source))
            assert result.verified, result.reason


@given(vertices=st.integers(1, 40), seed=st.integers(0, 99), wrong=st.sampled_from([-1, 1]), data=st.data())
@settings(max_examples=examples(30), deadline=None)
def test_certificate_of_complete_graphs(vertices: int, seed: int, wrong: int, data: st.DataObject) -> None:
    found = DenseGraph(vertices, seed)
    source, victim = (data.draw(st.integers(0, vertices - 1)) for _ in range(2))
    right = dense_solve("bellman-ford/dijkstra-dense", "host", found, source)
    matrix, rows = host_matrix(found)[:, :vertices], rows_of(found)
    assert certify_complete(matrix, source, right) is None
    assert certify(rows, rows.weights, source, right) is None
    changed = right.copy()
    changed[victim] += wrong
    assert certify_complete(matrix, source, changed) is not None
    assert certify(rows, rows.weights, source, changed) is not None
    assert certify_complete(matrix, source, right + np.int32(wrong)) is not None


@pytest.mark.parametrize(
    ("problem", "graphs"), [("bellman-ford", negative_weights()), ("sssp", random_graphs())]
)
@given(data=st.data(), wrong=st.sampled_from([-1, 1]))
@settings(max_examples=examples(60), deadline=None)
def test_both_checks_catch_a_single_wrong_entry(
    problem: str, graphs: st.SearchStrategy[CSRGraph], data: st.DataObject, wrong: int
) -> None:
    found = data.draw(graphs)
    source, victim = (data.draw(st.integers(0, found.vertices - 1)) for _ in range(2))
    oracle = Oracle(found)
    right = dense_solve("bellman-ford/sequential", "host", found, source)
    changed = right.copy()
    changed[victim] = changed[victim] + wrong if changed[victim] != UNREACHABLE else 7
    assert certify(found, found.weights, source, right) is None
    reasons = []
    for variant in ("dense" if problem == "bellman-ford" else "bsp", "scipy"):
        assert oracle.check(f"{problem}/{variant}", Query(source), right).verified
        result = oracle.check(f"{problem}/{variant}", Query(source), changed)
        assert not result.verified
        reasons.append(str(result.reason))
    assert f"vertex {victim} " in reasons[0]  # compared with scipy's, which a certificate takes the place of


def test_distances_beside_a_negative_cycle_are_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    found = graph(3, [(0, 1, 1), (1, 2, -3), (2, 1, 2)])
    distances = np.array([0, 0, -2], dtype=np.int32)
    told = Oracle(found).check("bellman-ford/dense", Query(0), distances)
    assert told.reason == "there are distances, but vertex 0 reaches a negative cycle"
    assert not told.verified
    monkeypatch.setattr(oracles, "MOST_WORK", 0)
    assert not Oracle(found).check("bellman-ford/dense", Query(0), distances).verified


@pytest.mark.parametrize(
    "spec", ["bellman-ford/dense", "bellman-ford/streams:parts=3", "bellman-ford/resident"]
)
def test_rows_that_are_relaxed_are_counted(spec: str) -> None:
    one_way = graph(20, [(u, u + 1, 2) for u in range(19)])
    with EmulatedDevice() as device:
        solver = make(spec, device)
        solver.setup(one_way)
        for source in (0, 19):
            solver.upload(Query(source))
            solver.solve(Query(source))
            assert solver.observed()["matrix_rows"] == 20.0 - source
    for seed in range(3):  # where many rows become active at the same time
        with EmulatedDevice(seed) as device:
            solver = solved(
                f"{spec}{',' if ':' in spec else ':'}block_size=32", two_level_star(9, 9), Query(0), device
            )
            assert solver.observed()["matrix_rows"] == 91.0


@pytest.mark.parametrize(("spec", "rows"), [("dense", 40), ("ablated:early_end=1", 41)])
def test_rows_that_threads_count_at_once_are_not_lost(spec: str, rows: int) -> None:
    star = graph(40, [(0, leaf, 2) for leaf in range(1, 40)])
    for seed in range(5):
        with EmulatedDevice(seed) as device:
            found = solved(f"bellman-ford/{spec}", star, Query(0), device)
            assert found.observed() == {"matrix_rows": rows}


@pytest.mark.parametrize("variant", ["streams", "streams-masked"])
def test_rows_are_counted_by_part(variant: str) -> None:
    """The source is in the first part from 0 on, in the second from 15 on; arcs lead to the second alone."""
    one_way = graph(20, [(u, u + 1, 2) for u in range(19)])
    masked = {0: [10.0, 10.0, 0.0], 15: [5.0, 0.0, 0.0]}
    listed = {0: [2.0, 0.0, 18.0], 15: [2.0, 0.0, 3.0]}  # on arrival once, the source's row twice
    with EmulatedDevice() as device:
        for source, counts in (masked if variant == "streams-masked" else listed).items():
            found = solved(f"bellman-ford/{variant}:parts=2", one_way, Query(source), device).observed()
            keys = ("first_part_rows", "second_part_rows", "later_rows", "matrix_rows")
            assert found == dict(zip(keys, [*counts, sum(counts)], strict=True))


def test_how_long_arcs_are_relaxed_while_others_are_copied() -> None:
    """Copies end after 10 ms: two spans lie before, one across, one behind that."""
    with EmulatedDevice() as device:
        one_way = graph(20, [(u, u + 1, 2) for u in range(19)])
        solver = make("bellman-ford/streams-traced:parts=4", device)
        solver.setup(one_way)
        solver.upload(Query(0))
        solver.solve(Query(0))
        assert [len(solver.copied), len(solver.settled)] == [4, 4]
        assert solver.observed()["overlapped_share"] == 0  # of the emulator, whose copies are no queue
        at = {ms: EmulatedEvent(WorkQueue(lazy=False)) for ms in (0, 2, 3, 4, 6, 8, 10, 11, 12, 15)}
        for ms, event in at.items():
            event.seconds = ms / 1e3
        solver.began, solver.copied = at[0], [at[3], at[10], at[8]]
        solver.settled = [(at[2], at[3]), (at[4], at[6]), (at[8], at[12]), (at[11], at[15])]
        observed = solver.observed()
        assert observed["copying_ms"] == pytest.approx(10)
        assert observed["overlapped_share"] == pytest.approx((1 + 2 + 2) / 10)
        assert observed["matrix_rows"] == 20


@pytest.mark.parametrize(("variant", "blocks"), [("multi-edge", 2 * 7), ("multi-edge-consecutive", 10)])
def test_blocks_are_counted_beside_those_that_run_at_once(variant: str, blocks: int) -> None:
    """Of 100 vertices and 4 arcs per thread; a block of multi-edge has 64 heads and 16 tails."""
    with EmulatedDevice() as device:
        observed = solved(f"bellman-ford/{variant}", DenseGraph(100, 1, (1, 9)), Query(0), device).observed()
        assert observed["blocks"] == blocks
        assert observed["resident_blocks"] == RESIDENT_BLOCKS


@pytest.mark.parametrize(
    ("masks", "early_end", "iterations", "rows"),
    [(1, 1, 20, 20), (1, 0, 20, 20), (0, 1, 20, 210), (0, 0, 20, 210)],
)
def test_masks_save_rows_on_a_path(masks: int, early_end: int, iterations: int, rows: int) -> None:
    """A path against the order in which the threads run: each iteration reaches one vertex more."""
    one_way = graph(20, [(u + 1, u, 2) for u in range(19)])
    with EmulatedDevice() as device:
        solver = make(f"bellman-ford/ablated:masks={masks},early_end={early_end}", device)
        solver.setup(one_way)
        solver.upload(Query(19))
        assert solver.solve(Query(19)) == iterations
        assert solver.observed() == {"matrix_rows": rows}


@pytest.mark.parametrize(("early_end", "iterations"), [(0, 20), (1, 2)])
def test_an_early_end_saves_iterations_on_a_star(early_end: int, iterations: int) -> None:
    star = graph(20, [(0, leaf, 2) for leaf in range(1, 20)])
    with EmulatedDevice() as device:
        solver = make(f"bellman-ford/ablated:masks=1,early_end={early_end}", device)
        solver.setup(star)
        solver.upload(Query(0))
        assert solver.solve(Query(0)) == iterations


IN_STEP = [
    spec
    for spec in SPECS
    if not any(word in spec for word in ("streams", "dijkstra", "scipy", "ablated", ":"))
]
"""Solvers that relax all arcs of active vertices before any vertex becomes active again."""


@pytest.mark.parametrize("spec", IN_STEP)
def test_ways_of_equal_length_take_no_further_iterations(spec: str) -> None:
    """All distances are final after the first; the second finds that none falls."""
    ways = graph(20, [(v, v + 1, 2) for v in range(19)] + [(0, v, 2 * v) for v in range(2, 20)])
    with EmulatedDevice() as device:
        solver = make(spec, device)
        solver.setup(ways)
        solver.upload(Query(0))
        assert solver.solve(Query(0)) == 2


def test_streams_in_one_part_do_the_work_of_the_report_at_once() -> None:
    with EmulatedDevice() as device:
        rows = [
            solved(spec, DenseGraph(300, 3), Query(7), device).observed()["matrix_rows"]
            for spec in ("bellman-ford/dense", "bellman-ford/streams-masked:parts=1")
        ]
    assert rows[0] == pytest.approx(rows[1], rel=0.1)  # blocks run side by side, in any order
    assert min(rows) > 300


@pytest.mark.parametrize("edges", [1, 2, 4, 8, 16, 32, 64])
def test_several_edges_per_thread_take_fewer_threads_along_both_axes(
    edges: int, launches: dict[str, Any]
) -> None:
    """The smallest matrix of the report: each thread's loops pass over what the grid does not cover."""
    with EmulatedDevice() as device:
        solved(f"bellman-ford/multi-edge:edges_per_thread={edges}", DenseGraph(256, 1), Query(0), device)
    grid, block = launches["relax_multi_edge"]
    heads, tails = (256 // (blocks * threads) for blocks, threads in zip(grid, block, strict=True))
    assert heads * tails == edges
    assert heads in (tails, 2 * tails)


def test_streams_reads_few_rows_twice() -> None:
    with EmulatedDevice() as device:
        rows = {}
        for spec in ("bellman-ford/resident", "bellman-ford/streams-pinned:parts=8"):
            solver = solved(spec, DenseGraph(600, 3), Query(0), device)
            rows[spec] = solver.observed()["matrix_rows"]
    assert 600 <= rows["bellman-ford/streams-pinned:parts=8"] < rows["bellman-ford/resident"]


def test_what_would_take_too_long_is_predicted() -> None:
    found = DenseGraph(1500, 1)
    peer = make("bellman-ford/scipy")
    peer.setup(found)
    predicted = peer.predict_seconds(Query(0))
    assert predicted is not None
    assert 0.3 < predicted < 60
    peer.setup(NAMED["grid"])
    assert peer.predict_seconds(Query(0)) is None
    with EmulatedDevice() as device:
        solver = make("bellman-ford/resident", device)
        solver.setup(found)
        assert (solver.predict_seconds(Query(0)) or 0) > 0
        solver.setup(DenseGraph(300, 1))
        assert solver.predict_seconds(Query(0)) is None


def test_records_of_a_complete_graph(tmp_path: Any, provenance: dict[str, Any]) -> None:
    found = DenseGraph(4200, 2)
    solvers = ["bellman-ford/dijkstra-dense", "bellman-ford/sequential"]
    cases = measure("dense", found, solvers, Effort(trials=2, budget_s=60), ("emulator", EmulatedDevice))
    records = [as_record("dense", found.info, case, provenance) for case in cases]
    write_records(tmp_path / "dense.jsonl", records)
    for record in records:
        assert (record.status, record.verified, record.oracle) == ("ok", True, "optimality certificate")
        assert (record.graph.name, record.graph.arcs) == ("dense-4200", 4200 * 4199)
