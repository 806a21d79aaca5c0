"""Complete graphs: one matrix for one seed, wherever it is made; what is stored and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from command_line import Call
from cuda_device import memory
from cuda_device.errors import OneLineError, TooLargeError
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, mixed, random_graphs
from retrace.devices.matrices import device_matrix, host_matrix, page_locked, pitch_of, rows_of
from retrace.graphs import dense, identity
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph
from retrace.graphs.graph_names import UNREACHABLE
from schedules import examples
from solving import DEVICES, open_device


def expected(graph: DenseGraph) -> Int32Array:
    """Make the matrix in NumPy, from the words of the C++ header's comments."""
    low, high = graph.weights
    ids = np.arange(graph.vertices, dtype=np.uint64)
    words = mixed(np.uint64(graph.key) ^ (ids[:, np.newaxis] << np.uint64(32) | ids)) >> np.uint64(32)
    matrix = np.full((graph.vertices, pitch_of(graph.vertices)), UNREACHABLE, dtype=np.int32)
    matrix[:, : graph.vertices] = low + (words * np.uint64(high - low + 1) >> np.uint64(32)).astype(np.int64)
    np.fill_diagonal(matrix, UNREACHABLE)
    return matrix


def on_device(backend: str, graph: dense.Graph) -> Int32Array:
    with open_device(backend) as device:
        return device.download(device_matrix(device, graph)).reshape(graph.vertices, -1)


@pytest.mark.parametrize("backend", DEVICES)
@given(
    vertices=st.integers(1, 40), seed=st.integers(-(2**70), 2**70), low=st.integers(1, 10**6), data=st.data()
)
@settings(max_examples=examples(15), deadline=None)
def test_one_matrix_everywhere(backend: str, vertices: int, seed: int, low: int, data: st.DataObject) -> None:
    graph = DenseGraph(vertices, seed, (low, data.draw(st.integers(low, 5 * 10**6))))
    assert np.array_equal(host_matrix(graph), expected(graph))
    assert np.array_equal(on_device(backend, graph), expected(graph))


@pytest.mark.parametrize("backend", DEVICES)
def test_the_same_matrix_at_a_size_with_many_blocks(backend: str) -> None:
    graph = DenseGraph(1030, 7)
    matrix = host_matrix(graph)
    assert matrix.shape == (1030, 1032)
    assert np.array_equal(on_device(backend, graph), matrix)
    weights = matrix[matrix != UNREACHABLE]
    assert len(weights) == graph.arcs
    assert (weights.min(), weights.max()) == graph.weights
    assert abs(weights.mean() - 50.5) < 0.5


def test_a_page_locked_matrix_is_a_copy_that_is_not_written_to() -> None:
    with EmulatedDevice() as device:
        for graph in (DenseGraph(8, 1), rows_of(DenseGraph(8, 3))):
            pageable = host_matrix(graph).ravel()
            locked = page_locked(device, pageable)
            assert np.array_equal(locked, pageable)
            assert not np.shares_memory(locked, pageable)
            with pytest.raises(ValueError, match="read-only"):
                locked[0] = 1


def test_the_last_two_matrices_are_kept() -> None:
    first = host_matrix(DenseGraph(5, 1))
    assert host_matrix(DenseGraph(5, 1)) is first
    assert not np.array_equal(host_matrix(DenseGraph(5, 2)), first)
    assert host_matrix(DenseGraph(5, 1)) is first
    host_matrix(DenseGraph(5, 3))
    host_matrix(DenseGraph(5, 4))
    assert host_matrix(DenseGraph(5, 1)) is not first


@given(random_graphs(most_vertices=12))
@example(NAMED["parallel arcs"])
@example(NAMED["self-loops"])
def test_the_lightest_of_parallel_arcs_is_in_the_matrix(graph: CSRGraph) -> None:
    assert graph.weights is not None
    lightest: dict[tuple[int, int], int] = {}
    for arc in zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True):
        lightest[arc[:2]] = min(arc[2], lightest.get(arc[:2], UNREACHABLE))
    matrix = host_matrix(graph)
    found = {(u, v): int(matrix[u, v]) for u, v in np.argwhere(matrix != UNREACHABLE).tolist()}
    assert found == lightest


@given(st.integers(1, 30), st.integers(0, 99))
def test_rows_hold_the_matrix(vertices: int, seed: int) -> None:
    graph = DenseGraph(vertices, seed)
    rows = rows_of(graph)
    assert rows.arcs == graph.arcs
    assert np.array_equal(host_matrix(rows), host_matrix(graph))


def test_what_does_not_fit_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match="dense-50000: 2,499,950,000 arcs are more than 32 bits count"):
        rows_of(DenseGraph(50_000, 1))
    pageable = host_matrix(DenseGraph(1024, 4)).ravel()
    monkeypatch.setattr(memory, "available", lambda: 2**20)
    with pytest.raises(TooLargeError, match=r"needs 4\.0 MiB of memory, 1\.0 MiB are free"):
        host_matrix(DenseGraph(1024, 3))
    with pytest.raises(TooLargeError, match=r"needs 16\.0 MiB of memory, 1\.0 MiB are free"):
        rows_of(DenseGraph(1024, 4))
    with pytest.raises(TooLargeError, match="needs"):
        host_matrix(CSRGraph(np.zeros(1025, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32)))
    with EmulatedDevice() as device, pytest.raises(TooLargeError, match="needs"):
        page_locked(device, pageable)


@pytest.mark.parametrize(
    ("vertices", "weights", "told"),
    [(0, (1, 100), "expected from 1 to 65535 vertices"),
     (65536, (1, 100), "expected from 1 to 65535 vertices"),
     (10, (0, 100), "expected a range within 1 to 214748364"), (10, (7, 6), "expected a range"),
     (10, (1, 2**28), "expected a range")],
)  # fmt: skip
def test_what_is_no_dense_graph(vertices: int, weights: tuple[int, int], told: str) -> None:
    with pytest.raises(OneLineError, match=told):
        DenseGraph(vertices, 1, weights)


def test_stored_and_loaded(tmp_path: Path, script: Call) -> None:
    folder = tmp_path / "dense-300"
    asked = ("--vertices", 300, "--seed", 5, "--weights", 3, 9, "--output", folder)
    assert script("generate-dense", *asked).status == 0
    graph = dense.load(folder)
    assert graph == DenseGraph(300, 5, (3, 9))
    assert [path.name for path in folder.iterdir()] == ["graph.json"]
    assert graph.info == identity.stored_info(folder)
    assert graph.digest() != DenseGraph(300, 6, (3, 9)).digest()

    dense.save(DenseGraph(20, 1), folder)  # in place of the other
    assert dense.load(folder) == DenseGraph(20, 1)
    info = json.loads((folder / "graph.json").read_text())
    (folder / "graph.json").write_text(json.dumps(info | {"seed": 2}))
    with pytest.raises(
        OneLineError, match=r"dense-300: not a stored graph .*sha256.*; delete it and write it again"
    ):
        dense.load(folder)
