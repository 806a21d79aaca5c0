"""What checks the answers: in blocks of arcs as well as at once, and each proof given once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphs import NAMED, graph, random_graphs
from retrace.check import oracles
from retrace.check.certificates import certify, certify_tree
from retrace.check.oracles import Oracle
from retrace.check.result import digest
from retrace.graphs import csr
from retrace.graphs.csr import UNREACHABLE, CSRGraph
from retrace.solvers import Query
from solving import solved


@given(graph=random_graphs(), arcs=st.integers(1, 9), data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
