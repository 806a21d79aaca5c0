"""The graph type: its invariants, and that it is stored whole or not at all."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_array_equal

from command_line import refused
from cuda_device.errors import OneLineError
from graphs import random_graphs
from retrace.graphs.csr import CSRGraph, from_arcs, load, save


@pytest.fixture
def graph() -> CSRGraph:
    tails, heads, weights = np.array([[2, 0, 2, 0], [1, 2, 1, 2], [7, 0, 5, 9]])
    return from_arcs(3, tails, heads, weights, {"name": "tiny"})


def test_from_arcs_keeps_the_order_of_parallel_arcs(graph: CSRGraph) -> None:
    assert_array_equal(graph.indptr, [0, 2, 2, 4])
    assert_array_equal(graph.indices, [2, 2, 1, 1])
    assert_array_equal(graph.weights, [0, 9, 7, 5])
    assert_array_equal(graph.degrees(), [2, 0, 2])
    assert_array_equal(graph.tails(), [0, 0, 2, 2])
    assert (graph.vertices, graph.arcs, graph.name) == (3, 4, "tiny")


@pytest.mark.parametrize("weighted", [True, False])
@given(graph=random_graphs())
def test_reversed_arcs_are_in_the_order_of_their_tails(weighted: bool, graph: CSRGraph) -> None:
    given_weights = graph.weights if weighted else None
    directed = CSRGraph(graph.indptr, graph.indices, given_weights, {"directed": True})
    found = directed.reversed()
    expected = from_arcs(graph.vertices, graph.indices, graph.tails(), given_weights)
    assert found.digest() == expected.digest()
    assert found.reversed().reversed().digest() == found.digest()


@pytest.mark.parametrize(
    ("indptr", "indices", "weights", "error"),
    [(np.array([0, 1]), np.zeros(1, np.int32), None, TypeError),
     (np.array([0, 1], np.int32), np.zeros((1, 1), np.int32), None, TypeError),
     (np.array([], np.int32), np.array([], np.int32), None, ValueError),
     (np.array([0, 2], np.int32), np.zeros(1, np.int32), None, ValueError),
     (np.array([0, 1], np.int32), np.zeros(1, np.int32), np.zeros(2, np.int32), ValueError)],
)  # fmt: skip
def test_arrays_that_are_no_graph(indptr, indices, weights, error) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error):
        CSRGraph(indptr, indices, weights)


def test_digest_tells_graphs_apart(graph: CSRGraph) -> None:
    same = CSRGraph(graph.indptr, graph.indices, graph.weights)
    assert same.digest() == graph.digest()  # whatever its name
    assert CSRGraph(graph.indptr, graph.indices).digest() != graph.digest()
    assert graph.digest() == "0dafc73b521bf6a704f5fe9d45ece6ab922c1974e1c6aff6dca719a0db65371f"


@pytest.mark.parametrize("vertices", [0, 3])
def test_stored_graphs_are_memory_mapped(vertices: int, graph: CSRGraph, tmp_path: Path) -> None:
    if vertices == 0:
        graph = from_arcs(0, np.array([], int), np.array([], int))
    save(graph, tmp_path / "graphs" / "tiny")
    loaded = load(tmp_path / "graphs" / "tiny")
    assert isinstance(loaded.indptr, np.memmap)
    assert loaded.digest() == graph.digest() == loaded.info["sha256"]
    assert loaded.name == graph.name
    assert (loaded.weights is None) == (graph.weights is None)


def test_save_replaces_what_was_there(graph: CSRGraph, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    save(graph, folder)
    (tmp_path / ".tiny.partial").mkdir()  # left by a run that was killed
    save(CSRGraph(graph.indptr, graph.indices), folder)
    assert load(folder).weights is None
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]


def test_failed_save_leaves_nothing(graph: CSRGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CSRGraph, "digest", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(graph, tmp_path / "tiny")
    assert list(tmp_path.iterdir()) == []


def test_save_where_there_can_be_no_folder(graph: CSRGraph, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OneLineError, match="tiny: cannot be written"):
        save(graph, tmp_path / "file" / "tiny")


@pytest.mark.parametrize("damage", ["missing", "cut short", "no json", "other dtype"])
def test_damaged_folder_is_refused_by_name(damage: str, graph: CSRGraph, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    save(graph, folder)
    array = folder / "indices.npy"
    match damage:
        case "missing":
            array.unlink()
        case "cut short":
            array.write_bytes(array.read_bytes()[:-1])
        case "no json":
            (folder / "graph.json").write_text("{")
        case "other dtype":
            np.save(array, np.zeros(4))
    assert re.search(r"tiny: not a stored graph .*; delete it and write it again", refused(load, folder))
