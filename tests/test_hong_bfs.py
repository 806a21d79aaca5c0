"""The slides' own graph, queues that overflow, frontiers larger than a block, sources that lead nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cuda_device import memory
from cuda_device.errors import OneLineError, TooLargeError
from cuda_on_cpu.device import EmulatedDevice, EmulatedKernel
from graphs import diamonds, graph, two_level_star
from retrace.check.oracles import Oracle
from retrace.graphs.csr import CSRGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import Query, make, parse
from solving import ON_CUDA, solved
from test_solvers import answer, solve, verify

SLIDES = CSRGraph(
    np.array([0, 2, 4, 7, 9, 11, 12, 13, 15, 15], dtype=np.int32),
    np.array([1, 2, 3, 4, 5, 6, 7, 4, 8, 5, 8, 6, 8, 0, 6], dtype=np.int32),
    np.ones(15, dtype=np.int32),
)
SOLVERS = [
    *((name, "host") for name in ("bfs/queue", "bfs/two-frontier", "bfs/matrix")),
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


@pytest.mark.parametrize("name", ["bfs/block-queue", "bfs/block-queue-published"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_smallest_queues_overflow_and_lose_no_vertex(name: str, size: int) -> None:
    """Threads of several blocks find their queues full at once, in any order."""
    star = two_level_star(40, 9)
    expected = Oracle(star).expected("bfs", Query(0))
    for seed in (None, *range(8)):
        spec = f"{name}:block_queue_size={size},block_size=16"
        assert np.array_equal(answer(spec, "emulator", star, Query(0), seed), expected), f"seed {seed}"


def test_the_queue_takes_as_much_shared_memory_as_its_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    launch = EmulatedKernel.__call__

    def noting(kernel: EmulatedKernel, *arguments: Any, shared: int = 0, **options: Any) -> None:
        given.append(shared)
        launch(kernel, *arguments, shared=shared, **options)

    monkeypatch.setattr(EmulatedKernel, "__call__", noting)
    verify("bfs/block-queue:block_queue_size=96", "emulator", SLIDES, Query(0))
    assert set(given) == {0, 384}
    assert parse("bfs/block-queue")[1]["block_queue_size"] == 512
    with pytest.raises(OneLineError, match="block_queue_size is 0, expected from 1 to 12000"):
        parse("bfs/block-queue-published:block_queue_size=0")


def test_a_matrix_is_measured_beside_the_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    lonely = graph(100, [(0, 1, 1), (1, 2, 1)])
    found = solved("bfs/matrix", lonely, Query(0))
    assert found.observed() == {"matrix_bytes": 100**2, "csr_bytes": 4 * (101 + 2), "elements_read": 3 * 100}
    with pytest.raises(TooLargeError, match=r"takes 65\.1 GiB of memory, expected 1 GiB at most"):
        make("bfs/matrix").setup(graph(264_346, []))
    monkeypatch.setattr(memory, "available", lambda: 9_999)
    with pytest.raises(TooLargeError, match=r"needs 9\.8 KiB of memory, 9\.8 KiB are free"):
        make("bfs/matrix").setup(lonely)


@pytest.mark.parametrize(("name", "backend"), [*SOLVERS, ("bfs/bsp", "emulator")])
def test_paths_are_traced_back_to_the_smallest_label(name: str, backend: str) -> None:
    """Vertex 3 has neighbours on levels 1, 2 and 3, and vertex 6 is not reached."""
    arcs = [(0, 1, 9), (1, 2, 9), (2, 4, 9), (4, 3, 9), (2, 3, 9), (1, 3, 9), (3, 0, 9), (6, 3, 9), (0, 0, 9)]
    levels, predecessor = solve(name, backend, graph(7, arcs), Query(0))
    assert levels.tolist() == [0, 1, 2, 2, 3, UNREACHABLE, UNREACHABLE]
    assert predecessor is not None
    assert predecessor.tolist() == [-1, 0, 1, 1, 2, -1, -1]


def test_expansions_are_counted() -> None:
    found = graph(6, [(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (3, 0, 1), (5, 0, 1)])
    with EmulatedDevice() as device:
        once = solved("bfs/bsp-counted", found, Query(0), device)
        assert once.observed() == {"expansions": 4, "most_expansions": 1, "reached": 4}
        once.upload(Query(1))
        device.write(once.times, np.array([0, 2, 0, 0, 0, 0], dtype=np.int32))
        once.solve(Query(1))
        assert once.observed() == {"expansions": 6, "most_expansions": 3, "reached": 4}


def test_a_tree_of_levels_counts_arcs_whatever_their_weights() -> None:
    chain, query = diamonds(3, directed=True), Query(0)
    assert chain.weights is not None
    chain.weights[:] = 5
    levels, predecessor = solve("bfs/queue", "host", chain, query)
    assert predecessor is not None
    found = Oracle(chain).check("bfs/queue", query, levels, predecessor)
    assert found.verified
    assert found.oracle.endswith("optimality certificate of the tree")
    predecessor[4] = 0
    wrong = Oracle(chain).check("bfs/queue", query, levels, predecessor)
    assert wrong.reason == "vertex 4 has predecessor 0, whose arcs fit no path"
