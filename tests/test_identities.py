"""What an answer, a proof or an oracle's file is bound to: each part of it is exchanged for another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy

from command_line import Patch
from graphs import NAMED, graph
from retrace.check import oracles, score_oracle
from retrace.check.oracles import Oracle
from retrace.check.score_oracle import IGRAPH, PACKAGES, ScoreOracle
from retrace.graphs.csr import Int32Array
from retrace.graphs.query import Query

WAY = graph(3, [(0, 1, 2), (1, 2, 2)], directed=False)


def numbers(*values: int) -> Int32Array:
    return np.array(values, dtype=np.int32)


ASKED: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    "source": (("sssp/scipy", Query(0), numbers(0, 2, 4)), ("sssp/scipy", Query(2), numbers(0, 2, 4))),
    "problem": (("sssp/scipy", Query(0), numbers(0, 2, 4)), ("bfs/scipy", Query(0), numbers(0, 2, 4))),
    "source that was drawn": (
        ("bfs/bsp", Query(0, number=1), numbers(0, 1, 2)), ("bfs/bsp", Query(2, number=2), numbers(0, 1, 2)),
    ),
    "answer": (("sssp/scipy", Query(0), numbers(0, 2, 4)), ("sssp/scipy", Query(0), numbers(0, 2, 5))),
    "source of predecessors": (
        ("bfs/bsp", Query(0), numbers(0, 1, 2), numbers(-1, 0, 1)),
        ("bfs/bsp", Query(2), numbers(2, 1, 0), numbers(-1, 0, 1)),
    ),
    "target of a path": (
        ("stcon/bsp", Query(0, 1), numbers(1), numbers(-1, 0, -1)),
        ("stcon/bsp", Query(0, 2), numbers(2), numbers(-1, 0, -1)),
    ),
}  # fmt: skip
"""A question and its right answer, and another question to which that is a wrong one."""


@pytest.mark.parametrize("part", ASKED)
def test_what_was_proved_of_one_question_proves_nothing_of_another(part: str) -> None:
    oracle, (right, wrong) = Oracle(WAY), ASKED[part]
    assert oracle.check(*right).verified
    assert not oracle.check(*wrong).verified
    assert oracle.check(*right).verified


GRID = NAMED["grid"]
OTHERS: dict[str, Callable[[Patch], object]] = {
    "source": lambda _: Oracle(GRID).file_of(4, "sssp"),
    "lengths": lambda _: Oracle(GRID).file_of(3, "bfs"),
    "graph": lambda _: Oracle(replace(GRID, info={"sha256": "another"})).file_of(3, "sssp"),
    "version": lambda patch: (
        patch.setattr(scipy, "__version__", "0.1"),
        Oracle(GRID).file_of(3, "sssp"),
    )[1],
}


@pytest.mark.parametrize("part", OTHERS)
def test_distances_are_kept_for_all_that_decides_them(part: str, monkeypatch: Patch) -> None:
    monkeypatch.setattr(oracles, "WORTH_KEEPING", 1)
    kept = Oracle(GRID).file_of(3, "sssp")
    other = OTHERS[part](monkeypatch)
    assert kept is not None
    assert other is not None
    assert other != kept


def scores_of(arcs: list[tuple[int, int, int]], vertices: int = 3) -> ScoreOracle:
    return ScoreOracle(graph(vertices, arcs))


ARCS = [(0, 1, 1), (1, 2, 1)]
OTHER_SCORES: dict[str, Callable[[Patch], object]] = {
    "sources": lambda _: scores_of(ARCS).identity_of(IGRAPH, (0, 2)),
    "all sources": lambda _: scores_of(ARCS).identity_of(IGRAPH, None),
    "tails": lambda _: scores_of([(0, 1, 1), (0, 2, 1)]).identity_of(IGRAPH, (0, 1)),
    "heads": lambda _: scores_of([(0, 2, 1), (1, 2, 1)]).identity_of(IGRAPH, (0, 1)),
    "vertices": lambda _: scores_of(ARCS, 4).identity_of(IGRAPH, (0, 1)),
    "version": lambda patch: (
        patch.setattr(score_oracle, "version", lambda _: "0.1"),
        scores_of(ARCS).identity_of(IGRAPH, (0, 1)),
    )[1],
}


@pytest.mark.parametrize("part", OTHER_SCORES)
def test_scores_are_kept_for_all_that_decides_them(part: str, monkeypatch: Patch) -> None:
    kept = scores_of(ARCS).identity_of(IGRAPH, (0, 1))
    assert OTHER_SCORES[part](monkeypatch)[score_oracle.DECIDES] != kept[score_oracle.DECIDES]  # type: ignore[index]


def test_scores_are_kept_for_their_oracle(monkeypatch: Patch) -> None:
    monkeypatch.setattr(score_oracle, "version", lambda _: "of all")
    kept = [scores_of(ARCS).identity_of(oracle, None) for oracle in PACKAGES]
    assert len({identity[score_oracle.DECIDES] for identity in kept}) == len(PACKAGES)
