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

from command_line import refused
from cuda_device.errors import OneLineError
from graphs import NAMED, graph, random_graphs, read_graph
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.formats import lines, parsing
from retrace.graphs.random import RandomGraph
from retrace.solvers.generate import generate
from retrace_commands import he_files
from retrace_commands.he_files import write_he
from retrace_commands.paths import arcs_of


@pytest.fixture
def tiny_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a line or two, in C++, and write three arcs, at a time."""
    monkeypatch.setattr(lines, "PIECE", 12)
    monkeypatch.setattr(lines, "FEW_BYTES", 0)
    monkeypatch.setattr(parsing, "FEW_BYTES", 0)
    monkeypatch.setattr(he_files, "ARCS_WRITTEN", 3)


ONE_AFTER_THE_OTHER = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("pieces", ["tiny", "usual"])
@given(drawn=random_graphs() | st.sampled_from(list(NAMED.values())))
@ONE_AFTER_THE_OTHER
def test_lines_are_as_python_writes_them_and_come_back(
    tmp_path: Path, pieces: str, drawn: CSRGraph, request: pytest.FixtureRequest
) -> None:
    if pieces == "tiny":
        request.getfixturevalue("tiny_pieces")
    write_he(drawn, tmp_path / "graph.he")
    lines = [f"H {drawn.vertices} {drawn.arcs} 0"]
    assert drawn.weights is not None
    lines += [f"E {u} {v} {w}" for u, v, w in zip(drawn.tails(), drawn.indices, drawn.weights, strict=True)]
    assert (tmp_path / "graph.he").read_text().splitlines() == lines
    assert read_graph(tmp_path / "graph.he", "he").digest() == drawn.digest()


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
    assert read_graph(tmp_path / "graph.he", "he").digest() == expected.digest()


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
        told = refused(read_graph, tmp_path / name, "he")
        assert re.search(rf"{name}, line {line}: expected .*{expected}", told)


@pytest.mark.usefixtures("tiny_pieces")
def test_files_that_cannot_be_opened_or_break_off(tmp_path: Path) -> None:
    with pytest.raises(OneLineError, match=r"graph.he: cannot be read \(No such file"):
        read_graph(tmp_path / "graph.he", "he")
    with pytest.raises(OneLineError, match=r"cannot be read \(Is a directory\)"):
        read_graph(tmp_path, "he")
    with pytest.raises(OneLineError, match=r"graph.he: cannot be written \(No such file"):
        write_he(NAMED["grid"], tmp_path / "none" / "graph.he")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "graph.he.gz").write_bytes(gzip.compress(b"H 50 100 0\n" + b"".join(LINES))[:-200])
    with pytest.raises(OneLineError, match=r"graph.he.gz: expected a whole packed file"):
        read_graph(tmp_path / "graph.he.gz", "he")


@pytest.mark.usefixtures("tiny_pieces")
def test_the_first_fault_is_told_however_far_threads_have_read(tmp_path: Path) -> None:
    """A damage is found where the next half megabyte is unpacked."""
    path, content = tmp_path / "graph.he.gz", b"H 50 100000 0\n" + b"".join([b"E 1 2\n", *1000 * LINES])
    path.write_bytes(gzip.compress(content)[:-4])
    for cores in ({0}, set(range(8))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("os.sched_getaffinity", {0: cores}.get)
            assert "line 2: expected 'E u v w', found 'E 1 2'" in refused(read_graph, path, "he")


@pytest.mark.long
def test_speed_and_memory(tmp_path: Path) -> None:
    made, path = generate("generate/tree-first", RandomGraph(2**16, 2**19, seed=1)), tmp_path / "large.he"
    reading = 20 * (made.arcs + made.vertices) + 30 * lines.PIECE
    for work, most_memory in (
        (lambda: write_he(made, path), 300 * he_files.ARCS_WRITTEN),  # 19 MB, of any graph
        (lambda: read_graph(path, "he"), reading),
    ):
        started = time.process_time()
        work()
        assert made.arcs / (time.process_time() - started) > 1e6
        tracemalloc.start()
        work()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < most_memory
    assert read_graph(path, "he").digest() == made.digest()


# Paths


FORK = graph(5, [(0, 1, 4), (0, 1, 2), (1, 2, 3), (2, 0, 1), (2, 3, 7), (0, 3, 100)])


@pytest.mark.usefixtures("tiny_pieces")
def test_a_path_takes_the_lightest_arcs_in_its_own_order(tmp_path: Path) -> None:
    path = tmp_path / "path.he"
    for vertices, text in (
        ([1, 2, 0, 3], "H 5 3 0\nE 1 2 3\nE 2 0 1\nE 0 3 100\n"),
        ([2, 0, 1], "H 5 2 0\nE 2 0 1\nE 0 1 2\n"),
        ([3], "H 5 0 0\n"),
    ):
        write_he(FORK, path, arcs_of(FORK, np.array(vertices, dtype=np.int32)))
        assert path.read_text() == text


def test_a_path_the_graph_lacks_is_not_written() -> None:
    with pytest.raises(OneLineError, match=r"1 is the predecessor of vertex 3 \(from 0\), but has no arc"):
        arcs_of(FORK, np.array([0, 1, 3], dtype=np.int32))
