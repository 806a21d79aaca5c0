"""What checks the answers: in blocks of arcs as well as at once, and each proof given once."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command_line import Patch
from cuda_device.errors import OneLineError
from graphs import NAMED, graph, random_graphs
from retrace.check import certificates, oracles
from retrace.check.certificates import CERTIFICATE, certify, certify_complete, certify_tree
from retrace.check.checkers import checker_of
from retrace.check.oracles import Oracle
from retrace.check.result import digest
from retrace.devices.matrices import host_matrix
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph
from retrace.graphs.dense import DenseGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import Query
from schedules import examples
from solving import open_device, solved


@given(graph=random_graphs(), arcs=st.integers(1, 9), data=st.data())
@settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_blocks_hold_each_arc_once_and_change_no_result(
    graph: CSRGraph, arcs: int, data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = data.draw(st.integers(0, graph.vertices - 1))
    predecessor = solved("sssp/mask-sequential", graph, Query(source)).predecessors()
    assert predecessor is not None
    answer = Oracle(graph).expected("sssp", Query(source)).copy()
    if data.draw(st.booleans()):
        victim = data.draw(st.integers(0, graph.vertices - 1))
        answer[victim] = data.draw(st.sampled_from([0, 1, 7, UNREACHABLE]))

    def results() -> list[str | None]:
        tree = certify_tree(graph, source, answer, predecessor)
        return [certify(graph, graph.weights, source, answer), tree]

    whole = results()
    with monkeypatch.context() as patched:
        patched.setattr(csr, "ARCS_AT_A_TIME", arcs)
        blocks = list(graph.blocks())
        assert results() == whole
    assert np.array_equal(np.concatenate([tails for tails, _ in blocks]), graph.tails())
    assert [at for _, found in blocks for at in range(found.start, found.stop)] == list(range(graph.arcs))


def test_a_cycle_of_weight_0_is_no_tree() -> None:
    loop = graph(4, [(0, 1, 0), (1, 2, 0), (2, 1, 0), (2, 3, 4)])
    distance = np.array([0, 0, 0, 4], dtype=np.int32)
    right, wrong = (np.array(found, dtype=np.int32) for found in ([-1, 0, 1, 2], [-1, 2, 1, 2]))
    assert certify_tree(loop, 0, distance, right) is None
    assert certify_tree(loop, 0, distance, wrong) == "vertex 1 does not lead back to the source"


def test_answers_are_stored_once_and_read_whole(monkeypatch: Patch, tmp_path: Path) -> None:
    """By graph, source and what is measured; a damaged file is named, and no answer is compared with it."""
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    monkeypatch.setattr(oracles, "WORTH_KEEPING", 1)
    graphs = NAMED["grid"], NAMED["zero weights"], replace(NAMED["grid"], info={"sha256": "another"})
    asked = [(at, problem, source) for at in graphs for problem in ("bfs", "sssp") for source in (0, 3)]
    found = [Oracle(at).expected(problem, Query(source)) for at, problem, source in asked]
    assert len(list(tmp_path.glob("oracles/distances-*.npz"))) == len(asked)
    monkeypatch.setattr(oracles, "dijkstra", None)
    for (at, problem, source), answer in zip(asked, found, strict=True):
        assert np.array_equal(Oracle(at).expected(problem, Query(source)), answer)
        other = {"bfs": "stcon", "sssp": "bellman-ford"}[problem]
        assert Oracle(at).file_of(source, other) == Oracle(at).file_of(source, problem)
    assert Oracle(graph(2, [(0, 1, -5)])).file_of(0, "bellman-ford") != Oracle(
        graph(2, [(0, 1, -5)])
    ).file_of(0, "sssp")

    path = Oracle(graphs[0]).file_of(3, "bfs")
    assert path is not None
    whole = path.read_bytes()
    with np.load(path) as file:
        stored = dict(file)
    stored["answer"][3] += 1
    np.savez(tmp_path / "changed.npz", **stored)
    huge = io.BytesIO()
    with zipfile.ZipFile(huge, "w") as archive:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<i4", "fortran_order": False, "shape": (1 << 60,)}
        )
        archive.writestr("answer.npy", header.getvalue())
    changed = (tmp_path / "changed.npz").read_bytes()
    for content in (changed, whole[:-9], b"", b"PK", huge.getvalue()):
        path.write_bytes(content)
        told = f"{path}: is not a {oracles.ANSWER}, or damaged; delete it"
        with pytest.raises(OneLineError, match=told):
            Oracle(graphs[0]).check("bfs/any", Query(3), found[1])


@pytest.mark.parametrize(
    ("what", "which", "problem", "source"),
    [("graph", 1, "bfs", 3), ("lengths", 0, "sssp", 3), ("source", 0, "bfs", 0)],
)
def test_a_stored_answer_to_another_question_verifies_nothing(
    what: str, which: int, problem: str, source: int, monkeypatch: Patch, tmp_path: Path
) -> None:
    """A whole file under another one's name: of another graph, of weights for hops, of another source."""
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    monkeypatch.setattr(oracles, "WORTH_KEEPING", 1)
    graphs = NAMED["grid"], NAMED["zero weights"]
    right = Oracle(graphs[0]).expected("bfs", Query(3))
    wrong = Oracle(graphs[which]).expected(problem, Query(source))
    path, other = Oracle(graphs[0]).file_of(3, "bfs"), Oracle(graphs[which]).file_of(source, problem)
    assert path is not None
    assert other is not None
    other.replace(path)
    for answer in (right, wrong):
        with pytest.raises(OneLineError, match=f"{path}: is a {oracles.ANSWER} of other {what} than request"):
            Oracle(graphs[0]).check("bfs/any", Query(3), answer)
    path.unlink()
    assert Oracle(graphs[0]).check("bfs/any", Query(3), right).verified


def test_answers_on_small_graphs_are_not_stored() -> None:
    assert Oracle(NAMED["grid"]).file_of(0, "bfs") is None
    assert Oracle(DenseGraph(20, 1)).file_of(0, "bellman-ford") is None


@pytest.mark.parametrize(
    ("arcs", "right", "wrong"),
    [([(0, 1, 5), (1, 2, 0), (2, 1, 0)], [0, 5, 5], [0, 3, 3]),
     ([(0, 0, 3), (1, 2, 5), (2, 1, -5)], [0, UNREACHABLE, UNREACHABLE], [0, 4, 9])],
)  # fmt: skip
def test_a_cycle_of_weight_0(arcs: list[tuple[int, int, int]], right: list[int], wrong: list[int]) -> None:
    loop = graph(3, arcs)
    assert certify(loop, loop.weights, 0, np.array(right, dtype=np.int32)) is None
    reason = certify(loop, loop.weights, 0, np.array(wrong, dtype=np.int32))
    assert reason == f"vertex 1 has {wrong[1]}, but no path of that length"


def test_a_way_of_weight_0_may_be_long() -> None:
    chain = graph(50, [(u, u + 1, 0) for u in range(49)])
    assert certify(chain, chain.weights, 0, np.zeros(50, dtype=np.int32)) is None
    wrong = np.zeros(50, dtype=np.int32)
    wrong[20:] = -1
    reason = certify(chain, chain.weights, 0, wrong)
    assert reason == "vertex 20 has -1, but no path of that length"


def test_no_vertex_is_certified_by_its_number() -> None:
    """One vertex alone has a way of weight 0, whose length leaves open which end came first."""
    for source, equal in permutations(range(5), 2):
        arcs = [(source, v, int(v != equal)) for v in range(5) if v != source]
        distance = np.array([int(v not in (source, equal)) for v in range(5)], dtype=np.int32)
        star, without = graph(5, arcs), graph(5, [arc for arc in arcs if arc[1] != equal])
        assert certify(star, star.weights, source, distance) is None
        reason = certify(without, without.weights, source, distance)
        assert reason == f"vertex {equal} has 0, but no path of that length"


def test_a_vertex_that_is_not_reached_is_no_predecessor() -> None:
    found = graph(3, [(0, 1, 2**31 - 3), (2, 1, -2)])
    distance = np.array([0, 2**31 - 3, UNREACHABLE], dtype=np.int32)
    reason = certify_tree(found, 0, distance, np.array([-1, 2, -1], dtype=np.int32))
    assert reason == "vertex 1 has predecessor 2, whose arcs fit no path"


def test_what_was_never_written_is_not_taken_for_no_predecessor() -> None:
    found = graph(3, [(0, 1, 1)])
    distance = np.array([0, 1, UNREACHABLE], dtype=np.int32)
    reason = certify_tree(found, 0, distance, np.array([-1, 0, -(2**30)], dtype=np.int32))
    assert reason == f"vertex 2 has predecessor {-(2**30)} at distance {UNREACHABLE}"


def test_a_detour_is_no_shortest_path() -> None:
    parallel = graph(2, [(0, 1, 6), (0, 1, 5)])
    reason = certify(parallel, parallel.weights, 0, np.array([0, 6], dtype=np.int32))
    assert reason == "vertex 1 has 6, but 5 through vertex 0"


def test_a_sum_beyond_32_bits_is_no_shorter_path() -> None:
    found = graph(3, [(0, 1, 2**31 - 2), (1, 2, 2**31 - 2), (0, 2, 7)])
    assert certify(found, found.weights, 0, np.array([0, 2**31 - 2, 7], dtype=np.int32)) is None


def test_the_same_bytes_are_proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(name: str) -> Any:
        prove = getattr(oracles, name)
        return lambda *arguments: (calls.append(name), prove(*arguments))[1]

    for name in ("certify", "certify_tree"):
        monkeypatch.setattr(oracles, name, counted(name))
    found, query = NAMED["grid"], Query(0)
    oracle = Oracle(found)
    solver = solved("sssp/mask-sequential", found, query)
    distance, predecessor = solver.download(), solver.predecessors()
    assert predecessor is not None
    for name in ("sssp/mask-sequential", "sssp/pinned"):
        assert oracle.check(name, query, distance.copy(), predecessor.copy()).verified
    assert calls == ["certify_tree"]
    bent = predecessor.copy()
    bent[-1] = 0
    for _ in range(2):
        assert not oracle.check("sssp/pinned", query, distance, bent).verified
    assert oracle.check("sssp/pinned", query, distance, predecessor).verified
    assert calls == ["certify_tree"] * 2
    for _ in range(2):
        assert oracle.check("sssp/scipy", query, distance).verified
    assert calls == ["certify_tree"] * 2 + ["certify"]
    assert not oracle.check("bfs/scipy", query, distance).verified  # the same bytes, but another question
    assert digest(distance) != digest(predecessor)


def test_a_path_is_proved_for_its_two_ends() -> None:
    """Two ways of two arcs lead from 0 to 3, and one on to 4; vertex 5 is not reached."""
    found = graph(6, [(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 4, 1), (0, 0, 1), (5, 0, 1)])
    oracle = Oracle(found)

    def told(target: int, *predecessors: int) -> str | None:
        before = np.array(predecessors, dtype=np.int32)
        query = Query(0, target)
        answer = np.array(oracle.expected("stcon", query))
        result = oracle.check("stcon/cluster:predecessors=yes", query, answer, before)
        assert result.oracle.endswith("and optimality certificate of the path")
        return result.reason

    none = [-1] * 6
    assert told(3, -1, 0, -1, 1, -1, -1) is told(3, -1, -1, 0, 2, -1, -1) is None
    assert told(0, *none) is told(5, *none) is None
    assert told(3, *none) == "vertex 3, the target, has no predecessor"
    assert told(3, -1, 0, 0, -1, -1, -1) == "vertex 3, the target, has no predecessor"
    more = "{} vertices have a predecessor, expected the {} of a path"
    for target in (0, 5):
        assert told(target, -1, 0, -1, -1, -1, -1) == more.format(1, 0)
    assert told(3, -1, 0, 0, 1, -1, -1) == more.format(3, 2)
    assert told(4, -1, 0, 0, 1, 3, -1) == more.format(4, 3)
    assert told(3, -1, 0, -1, 2, -1, -1) == "vertex 3 has predecessor 2, whose arcs fit no path"
    assert told(3, -1, 0, -1, 0, -1, -1) == "vertex 3 has predecessor 0, whose arcs fit no path"
    assert told(3, 0, 0, -1, 1, -1, -1) == "vertex 0 has predecessor 0 at distance 0"
    assert told(3, -1, 0, -1, 1, -1, 0) == "vertex 5 has predecessor 0 at distance 2147483647"
    assert told(3, -1, 0, -1, 99, -1, -1) == "vertex 3 has predecessor 99, whose arcs fit no path"
    assert told(1, -1, 0, -1, -1, -1, -1) is None  # also after it was refused for another target


@pytest.mark.parametrize("problem", ["sssp", "bellman-ford"])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_last_distance_that_32_bits_hold(
    problem: str, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sign < 0 and problem == "sssp":
        return
    monkeypatch.setattr(csr, "ARCS_AT_A_TIME", 1)
    last = 2**31 - 2 if sign > 0 else 2**31 - 1
    for length in (last, last + 1, last + 2):
        found = graph(4, [(0, 1, sign * 2**30), (1, 2, sign * (length - 2**30)), (0, 3, 0), (3, 0, 0)])
        unreached = np.array([0, sign * 2**30, UNREACHABLE, 0], dtype=np.int32)
        if length > last:
            with pytest.raises(OneLineError, match=rf"within .* to {2**31 - 2} \(32 bits\)"):
                Oracle(found).expected(problem, Query(0))
        else:
            lengths = [0, sign * 2**30, sign * last, 0]
            assert Oracle(found).expected(problem, Query(0)).tolist() == lengths
        if sign > 0 and length > last:
            with pytest.raises(OneLineError, match="32 bits"):
                certify(found, found.weights, 0, unreached)
        else:
            told = f"vertex 2 has {UNREACHABLE}, but {sign * length} through vertex 1"
            assert certify(found, found.weights, 0, unreached) == told


def test_an_answer_of_another_type_or_shape_is_wrong() -> None:
    found, query = NAMED["grid"], Query(0)
    oracle = Oracle(found)
    right = oracle.expected("sssp", query)
    for name in ("sssp/bsp", "sssp/scipy"):
        assert oracle.check(name, query, right).verified
        for wrong in (right.astype(np.int64), right.astype(np.uint32), right[:-1], right[:, None]):
            assert not oracle.check(name, query, wrong).verified


def test_what_has_no_checker_is_refused() -> None:
    for problem, found in (
        ("sssp", DenseGraph(5, 1)),
        ("generate", NAMED["grid"]),
        ("colours", NAMED["grid"]),
    ):
        with pytest.raises(OneLineError, match=f"no checker for answers of {problem}"):
            checker_of(problem, found)


def test_the_first_difference_is_named() -> None:
    oracle = Oracle(NAMED["grid"])
    wrong = oracle.expected("sssp", Query(0)).copy()
    wrong[[3, 9]] += 1
    told = str(oracle.check("sssp/bsp", Query(0), wrong).reason)
    assert told.startswith("vertex 3 has ")
    assert told.endswith("2 of 391 differ")


def test_a_source_that_is_not_at_0_is_told() -> None:
    lonely = NAMED["no arcs"]
    answer = np.full(5, UNREACHABLE, dtype=np.int32)
    for distance, told in ((0, None), (5, "vertex 2, the source, has 5 instead of 0")):
        answer[2] = distance
        assert certify(lonely, lonely.weights, 2, answer) == told


def test_a_complete_graph_is_certified_in_blocks_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    complete = DenseGraph(20, 1)
    matrix = host_matrix(complete)
    right = solved("bellman-ford/dijkstra-dense", complete, Query(0)).download()
    monkeypatch.setattr(certificates, "BLOCK_BYTES", 8 * 20 * 3)
    assert certify_complete(matrix, 0, right) is None
    for victim in range(1, 20):
        for wrong in (1, -1):
            changed = right + np.int32(wrong) * (np.arange(20, dtype=np.int32) == victim)
            assert certify_complete(matrix, 0, changed) is not None
    for malformed in (right.astype(np.int64), right[:-1]):
        assert "instead of int32 (20,)" in str(certify_complete(matrix, 0, malformed))


@pytest.mark.parametrize("which", ["two components", "star"])
def test_who_has_a_predecessor_and_who_has_none(which: str) -> None:
    found = NAMED[which]
    solver = solved("sssp/mask-sequential", found, Query(0))
    distance, right = solver.download(), solver.predecessors()
    assert right is not None
    for vertex, wrong in ((0, 1), (1, -1), (5, 0 if distance[5] == UNREACHABLE else -1)):
        tree = right.copy()
        tree[vertex] = wrong
        told = f"vertex {vertex} has predecessor {wrong} at distance {distance[vertex]}"
        assert certify_tree(found, 0, distance, tree) == told


@pytest.mark.parametrize("which", ["complete", "grid"])
def test_no_arc_that_fits_no_path_makes_a_predecessor(which: str) -> None:
    found = NAMED[which]
    assert found.weights is not None
    solver = solved("sssp/mask-sequential", found, Query(0))
    distance, right = solver.download(), solver.predecessors()
    assert right is not None
    slack = distance[found.tails()] + found.weights - distance[found.indices]
    for arc in np.flatnonzero((slack > 0) & (found.indices != 0))[:200]:
        tree, head = right.copy(), found.indices[arc]
        tree[head] = found.tails()[arc]
        told = f"vertex {head} has predecessor {tree[head]}, whose arcs fit no path"
        assert certify_tree(found, 0, distance, tree) == told
    lowered = np.minimum(distance, distance.max() - 1)  # the last vertex, closer than its arc lets it be
    assert "whose arcs fit no path" in str(certify_tree(found, 0, lowered, right))
    raised = distance + (distance == distance.max())
    assert "whose arcs fit no path" in str(certify_tree(found, 0, raised, right))


@pytest.mark.parametrize("place", [0, 7, -1])
@pytest.mark.parametrize("error", [1, -1, 2**31 - 1])
def test_each_entry_of_an_answer_counts(place: int, error: int) -> None:
    oracle = Oracle(NAMED["grid"])
    for name in ("sssp/bsp", "bfs/bsp", "sssp/scipy", "bellman-ford/dense"):
        wrong = oracle.expected(name.split("/")[0], Query(0)).copy()
        wrong[place] ^= error
        assert not oracle.check(name, Query(0), wrong).verified


@pytest.mark.parametrize(
    ("found", "peer", "name", "oracle"),
    [
        (NAMED["grid"], "bfs/queue", "bfs/bsp", oracles.DIJKSTRA),
        (NAMED["grid"], "sssp/scipy", "sssp/bsp", oracles.DIJKSTRA),
        (NAMED["grid"], "bfs/queue", "bfs/scipy", CERTIFICATE),
        (NAMED["grid"], "sssp/bsp:block_size=32", "bellman-ford/scipy-dijkstra", CERTIFICATE),
        (graph(2, [(0, 1, -4)]), "bellman-ford/scipy", "bellman-ford/dense", oracles.BELLMAN_FORD),
        (graph(2, [(0, 1, -4)]), "bellman-ford/sequential", "bellman-ford/scipy", CERTIFICATE),
        (DenseGraph(512, 1), "bellman-ford/dijkstra-dense", "bellman-ford/dense", oracles.DIJKSTRA),
        (DenseGraph(513, 1), "bellman-ford/dijkstra-dense", "bellman-ford/dense", CERTIFICATE),
    ],
)  # fmt: skip
def test_what_an_answer_was_checked_against_is_said(found: Any, peer: str, name: str, oracle: str) -> None:
    with open_device("emulator" if "bsp" in peer else "host") as device:
        answer = solved(peer, found, Query(0), device).download()
    result = Oracle(found).check(name, Query(0), answer)
    assert (result.verified, result.oracle) == (True, oracle)
    if name == "sssp/bsp":
        tree = solved("sssp/mask-sequential", found, Query(0)).predecessors()
        both = Oracle(found).check(name, Query(0), answer, tree)
        assert both.oracle == f"{oracles.DIJKSTRA} and {CERTIFICATE} of the tree"
