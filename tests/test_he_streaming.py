"""H/E in pieces: the same graph as from one, errors on the right line, memory, speed, and paths."""

from __future__ import annotations

import gzip
import re
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from command_line import refused
from graphs import NAMED, graph, random_graphs
from retrace.graphs import formats
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.path_files import read_path_file, write_path_file
from retrace.graphs.random import RandomGraph
from retrace.solvers.generate import generate
from retrace.system.errors import RetraceError


@pytest.fixture
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a line or two, and write three arcs, at a time."""
    monkeypatch.setattr(formats.content, "PIECE", 12)
    monkeypatch.setattr(formats.he, "ARCS_WRITTEN", 3)


ONE_AFTER_THE_OTHER = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("pieces", ["tiny", "usual"])
@given(drawn=random_graphs() | st.sampled_from(list(NAMED.values())))
@ONE_AFTER_THE_OTHER
def test_lines_are_as_python_writes_them_and_come_back(
    tmp_path: Path, pieces: str, drawn: CSRGraph, request: pytest.FixtureRequest
) -> None:
    if pieces == "tiny":
        request.getfixturevalue("tiny_pieces")
    formats.write_he(drawn, tmp_path / "graph.he")
    lines = [f"H {drawn.vertices} {drawn.arcs} 0"]
    assert drawn.weights is not None
    lines += [f"E {u} {v} {w}" for u, v, w in zip(drawn.tails(), drawn.indices, drawn.weights, strict=True)]
    assert (tmp_path / "graph.he").read_text().splitlines() == lines
    assert formats.read_graph(tmp_path / "graph.he", "he").digest() == drawn.digest()


@given(st.permutations(range(12)), st.booleans(), st.sampled_from([b"\n", b"\r\n", b" \n\n"]))
@ONE_AFTER_THE_OTHER
@pytest.mark.usefixtures("tiny_pieces")
def test_any_order_of_lines(tmp_path: Path, order: list[int], undirected: bool, end: bytes) -> None:
    """Parallel arcs and self-loops keep the file's order, whatever pieces they fall into."""
    edges = np.array([(place % 3, place % 4, 10**place % 1009) for place in order])
    lines = [b"H 5 12 %d" % undirected, *(b"E %d %d %d" % (u, v, w) for u, v, w in edges.tolist())]
    (tmp_path / "graph.he").write_bytes(end.join(lines) + end)
    arcs = edges
    if undirected:
        arcs = np.repeat(edges, 2, axis=0)
        arcs[1::2, :2] = edges[:, 1::-1]
    expected = from_arcs(5, *arcs.T)
    assert formats.read_graph(tmp_path / "graph.he", "he").digest() == expected.digest()


LINES = [b"E %d %d %d\n" % (i % 50, (i + 1) % 50, i) for i in range(100)]
HEAVY = [line.replace(b" 27\n", b" 2147483639\n").replace(b" 77\n", b" 2147483640\n") for line in LINES]


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"H 50 100 0\n" + b"".join([*LINES[:70], b"E 1 2\n", *LINES[71:]]), 72, "'E u v w', found 'E 1 2'"),
        (b"H 50 100 0\n" + b"".join([*LINES[:70], b"E 1 50 3\n", *LINES[71:]]), 72, "ids from 0 to 49"),
        (b"\n\nH 50 100 0\n\n" + b"".join([*LINES[:99], b"E 1 2 -3\n"]), 104, "whole weight"),
        (b"H 50 100 0\n" + b"".join(LINES[:70]), 71, "the 100 that line 1 announces, found .* after 70;"),
        (b"H 50 90 0\n" + b"".join(LINES), 92, "no more than the 90 lines that line 1 announces"),
        (b"\nH 50 100 0\n" + b"".join(HEAVY), 80, "heaviest"),
        (b"\nH 50 100 0\n" + b"\n".join(HEAVY), 157, "heaviest"),
    ],
    ids=["missing field", "id", "weight", "cut short", "too many", "overflow", "overflow, blank lines"],
)
@pytest.mark.usefixtures("tiny_pieces")
def test_errors_name_file_and_line(content: bytes, line: int, expected: str, tmp_path: Path) -> None:
    for name, written in (("graph.he", content), ("graph.he.gz", gzip.compress(content))):
        (tmp_path / name).write_bytes(written)
        told = refused(formats.read_graph, tmp_path / name, "he")
        assert re.search(rf"{name}, line {line}: expected .*{expected}", told)


@pytest.mark.usefixtures("tiny_pieces")
def test_files_that_cannot_be_opened_or_break_off(tmp_path: Path) -> None:
    with pytest.raises(RetraceError, match=r"graph.he: cannot be read \(No such file"):
        formats.read_graph(tmp_path / "graph.he", "he")
    with pytest.raises(RetraceError, match=r"cannot be read \(Is a directory\)"):
        formats.read_graph(tmp_path, "he")
    with pytest.raises(RetraceError, match=r"graph.he: cannot be written \(No such file"):
        formats.write_he(NAMED["grid"], tmp_path / "none" / "graph.he")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "graph.he.gz").write_bytes(gzip.compress(b"H 50 100 0\n" + b"".join(LINES))[:-200])
    with pytest.raises(RetraceError, match=r"graph.he.gz: expected a whole gzip file"):
        formats.read_graph(tmp_path / "graph.he.gz", "he")


def test_speed_and_memory(tmp_path: Path) -> None:
    made, path = generate("generate/tree-first", RandomGraph(2**16, 2**19, seed=1)), tmp_path / "large.he"
    reading = 20 * (made.arcs + made.vertices) + 30 * formats.content.PIECE
    for work, most_memory in (
        (lambda: formats.write_he(made, path), 300 * formats.he.ARCS_WRITTEN),  # 19 MB, of any graph
        (lambda: formats.read_graph(path, "he"), reading),
    ):
        started = time.process_time()
        work()
        assert made.arcs / (time.process_time() - started) > 1e6
        tracemalloc.start()
        work()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < most_memory
    assert formats.read_graph(path, "he").digest() == made.digest()


# Paths


FORK = graph(5, [(0, 1, 4), (0, 1, 2), (1, 2, 3), (2, 0, 1), (2, 3, 7), (0, 3, 100)])


def test_a_path_takes_the_lightest_arcs_in_its_own_order(tmp_path: Path) -> None:
    path = tmp_path / "path.he"
    write_path_file(FORK, np.array([1, 2, 0, 1], dtype=np.int32), path)
    assert path.read_text() == "H 5 3 0\nE 1 2 3\nE 2 0 1\nE 0 1 2\n"
    assert_array_equal(read_path_file(path, FORK), [(1, 2, 3), (2, 0, 1), (0, 1, 2)])
    assert_array_equal(read_path_file(path), [(1, 2, 3), (2, 0, 1), (0, 1, 2)])


@pytest.mark.parametrize("vertices", [[], [3]])
def test_a_path_of_no_arcs(vertices: list[int], tmp_path: Path) -> None:
    write_path_file(FORK, np.array(vertices, dtype=np.int32), tmp_path / "path.he")
    assert (tmp_path / "path.he").read_text() == "H 5 0 0\n"
    assert read_path_file(tmp_path / "path.he", FORK).shape == (0, 3)


@given(random_graphs(), st.data())
@ONE_AFTER_THE_OTHER
@pytest.mark.usefixtures("tiny_pieces")
def test_a_path_is_a_subset_of_its_graph(tmp_path: Path, drawn: CSRGraph, data: st.DataObject) -> None:
    walk = [data.draw(st.integers(0, drawn.vertices - 1))]
    for choice in data.draw(st.lists(st.integers(0, 2**20), max_size=20)):
        heads = drawn.indices[drawn.indptr[walk[-1]] : drawn.indptr[walk[-1] + 1]]
        if len(heads) == 0:
            break
        walk.append(int(heads[choice % len(heads)]))
    formats.write_he(drawn, tmp_path / "graph.he")
    write_path_file(drawn, np.array(walk, dtype=np.int32), tmp_path / "path.he")
    lines = (tmp_path / "path.he").read_text().splitlines()
    assert set(lines[1:]) <= set((tmp_path / "graph.he").read_text().splitlines())
    arcs = read_path_file(tmp_path / "path.he", drawn)
    assert arcs[:, 0].tolist() == walk[:-1]
    assert arcs[:, 1].tolist() == walk[1:]


@pytest.mark.parametrize(
    ("vertices", "message"),
    [([0, 1, 3], r"has no arc from vertex 1 to 3 \(from 0\)"), ([0, 1, 5], "vertex 5 is not in"),
     ([-1, 1], "vertex -1 is not in")],
)  # fmt: skip
def test_a_path_the_graph_lacks_is_not_written(vertices: list[int], message: str, tmp_path: Path) -> None:
    with pytest.raises(RetraceError, match=message):
        write_path_file(FORK, np.array(vertices, dtype=np.int32), tmp_path / "path.he")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [("H 5 2 0\nE 0 1 2\nE 2 3 7\n", 3, "an arc from 1, found 'E 2 3 7'"),
     ("H 5 3 0\nE 0 1 2\n\nE 1 2 3\nE 0 1 2\n", 5, "an arc from 2, found 'E 0 1 2'"),
     ("H 5 2 0\nE 0 1 2\nE 1 3 3\n", 3, "an arc of the graph, found 'E 1 3 3'"),
     ("H 5 1 0\nE 0 1 3\n", 2, "an arc of the graph, found 'E 0 1 3'"),
     ("H 4 1 0\nE 0 1 2\n", 1, "5 vertices, as test has, found 4"),
     ("H 5 2 0\nE 0 1 2\n", 2, "the 2 that line 1 announces"), ("E 0 1 2\n", 1, "a header")],
)  # fmt: skip
@pytest.mark.parametrize("piece", [8, 10_000])
def test_a_path_file_that_is_none(
    content: str, line: int, expected: str, piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats.content, "PIECE", piece)
    (tmp_path / "path.he").write_text(content)
    with pytest.raises(RetraceError, match=f"path.he, line {line}: expected .*{expected}"):
        read_path_file(tmp_path / "path.he", FORK)


def test_speed_of_paths(tmp_path: Path) -> None:
    steps = 2**19
    there = from_arcs(steps + 1, np.arange(steps), np.arange(1, steps + 1), np.ones(steps, dtype=np.int32))
    started = time.process_time()
    write_path_file(there, np.arange(steps + 1, dtype=np.int32), tmp_path / "path.he")
    between = time.process_time()
    assert len(read_path_file(tmp_path / "path.he", there)) == steps
    assert steps / (between - started) > 1e6
    assert steps / (time.process_time() - between) > 1e6
