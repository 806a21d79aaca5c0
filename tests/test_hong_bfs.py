"""The slides' own graph, queues that overflow, frontiers larger than a block, sources that lead nowhere."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import graph, two_level_star
from retrace.graphs.csr import UNREACHABLE, CSRGraph
from retrace.solvers import Query
from solving import ON_CUDA
from test_solvers import answer, verify

SLIDES = CSRGraph(
    np.array([0, 2, 4, 7, 9, 11, 12, 13, 15, 15], dtype=np.int32),
    np.array([1, 2, 3, 4, 5, 6, 7, 4, 8, 5, 8, 6, 8, 0, 6], dtype=np.int32),
    np.ones(15, dtype=np.int32),
)
SOLVERS = [
    ("bfs/two-frontier", "host"),
    *((name, "emulator") for name in ("bfs/block-queue", "bfs/block-queue-published")),
    *(pytest.param("bfs/block-queue", backend, marks=pytest.mark.gpu) for backend in ON_CUDA),
]


@pytest.mark.parametrize(("name", "backend"), SOLVERS)
def test_slides_graph(name: str, backend: str) -> None:
    assert answer(name, backend, SLIDES, Query(0)).tolist() == [0, 1, 1, 2, 2, 2, 2, 2, 3]


@pytest.mark.parametrize(("name", "backend"), SOLVERS)
def test_full_queues_many_blocks_and_an_isolated_source(name: str, backend: str) -> None:
    verify(name, backend, two_level_star(3, 900), Query(0))  # 2700 leaves from one block: its queue overflows
    verify(name, backend, two_level_star(2000, 2), Query(0))  # a frontier of many blocks
    lonely = graph(4, [(1, 2, 1), (2, 3, 1)])
    assert answer(name, backend, lonely, Query(0)).tolist() == [0, *[UNREACHABLE] * 3]
