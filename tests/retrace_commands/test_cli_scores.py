"""`solve betweenness/...`: scores of a graph in hand, sampled, normalised, and after an interruption."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import termios
import time
from pathlib import Path
from signal import SIGINT

import numpy as np
import pytest
from numpy.testing import assert_allclose

from command_line import Call, Patch, rows, run, start
from exact_betweenness import exact_scores
from graphs import diamonds, graph, grid
from retrace.graphs import csr
from retrace.graphs.arc_sets import is_symmetric
from retrace.graphs.csr import CSRGraph
from retrace.graphs.generators import sample_vertices
from retrace.graphs.query import Query
from retrace.solvers.betweenness.extensions import SideVertices
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace.system import checkpoint

HOUSE = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (3, 5)]
"""A square with a roof, and vertex 5 beside it."""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    path = tmp_path / "house.txt"
    path.write_text("".join(f"{u} {v}\n{v} {u}\n" for u, v in HOUSE))
    return path


def house_scores(sources: list[int] | None = None) -> np.ndarray:
    return exact_scores(graph(6, [(u, v, 1) for u, v in HOUSE], directed=False), sources)


def written(path: Path) -> np.ndarray:
    return np.array([float(score) for _, score in rows(path)[1:]])


@pytest.mark.parametrize(
    "solver",
    [
        f"betweenness/{each}"
        for each in ("seq-array", "vert-comp:block_size=32,blocks=2", "networkit", "igraph")
    ],
)
def test_scores_of_a_file(solver: str, house: Path, call: Call) -> None:
    csv, npy = house.parent / "scores.csv", house.parent / "scores.npy"
    done = call("solve", solver, house, "--output", csv, "--output", npy)
    assert (done.status, done.err) == (0, "")
    assert "house.txt: undirected, from all of 6 vertices, highest score 4.5 at 3 (ids from 0)" in done.out
    assert "; verified against " in done.out
    assert rows(csv)[0] == ["vertex_from_0", "score"]
    assert_allclose(written(csv), house_scores(), rtol=1e-12)
    table = np.load(npy)
    assert table["vertex_from_0"].tolist() == list(range(6))
    assert table["score"].tolist() == written(csv).tolist()


def test_arcs_that_go_one_way_have_no_scores_until_told_directed_or_not(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "line.txt"
    path.write_text("0 1\n2 1\n1 3\n3 1\n")
    argv = ["solve", "betweenness/seq-stl", path, "--output", tmp_path / "scores.csv"]
    told = "some arcs have no reverse, and nothing says whether the graph is directed, on which scores depend"
    assert call(*argv).refusal(1) == f"error: {path}: {told}; say --directed or --undirected\n"
    for option, scores in (("--directed", [0, 2, 0, 0]), ("--undirected", [0, 3, 0, 0])):
        done = call(*argv, option)
        assert f"line.txt: {option[2:]}, from all of 4 vertices" in done.out
        assert done.err == ""
        assert written(tmp_path / "scores.csv").tolist() == scores
    assert not is_symmetric(graph(3, [(0, 1, 1), (1, 0, 1), (1, 2, 1)]))
    assert is_symmetric(graph(3, [(0, 1, 1), (1, 0, 1), (0, 1, 1), (2, 2, 1)]))


def test_sampled_sources(house: Path, call: Call) -> None:
    csv = house.parent / "scores.csv"
    argv = ["solve", "betweenness/seq-vector", house, "--sources", 3, "--seed", 5, "--output", csv]
    done = call(*argv)
    assert "from 3 sampled of 6 vertices" in done.out
    expected = house_scores(sources=sample_vertices(6, 3, 5).tolist())
    assert_allclose(written(csv), expected, rtol=1e-12)
    assert call(*argv, "--normalized").status == 0
    seen = np.array([2 if vertex in sample_vertices(6, 3, 5) else 3 for vertex in range(6)])
    assert_allclose(written(csv), expected * 2 / (seen * 4), rtol=1e-12)  # no source is inside its own paths


@pytest.mark.parametrize(
    ("asked", "times"),
    [(["--directed"], 2), (["--normalized"], 1 / 10), (["--normalized", "--directed"], 2 / 20)],
)
def test_directed_and_normalised_scores(asked: list[str], times: float, house: Path, call: Call) -> None:
    csv = house.parent / "scores.csv"
    done = call("solve", "betweenness/seq-array", house, "--output", csv, *asked)
    assert f"house.txt: {'directed' if '--directed' in asked else 'undirected'}, from all" in done.out
    assert_allclose(written(csv), times * house_scores(), rtol=1e-12)


@pytest.mark.parametrize("vertices", [0, 1, 2])
def test_graphs_without_pairs_between_which_to_be(vertices: int, tmp_path: Path, call: Call) -> None:
    path = tmp_path / "few.gr"
    path.write_text(f"p sp {vertices} {vertices // 2}\n" + "a 1 2 1\n" * (vertices // 2))
    argv = ["solve", "betweenness/seq-array", path, "--normalized", "--output", tmp_path / "scores.csv"]
    assert call(*argv, "--directed").status == 0
    assert written(tmp_path / "scores.csv").tolist() == [0.0] * vertices


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Store a grid whose sources make several batches."""
    whole = grid(12, 9)
    csr.save(CSRGraph(whole.indptr, whole.indices, None, {"name": "grid", "directed": False}), tmp_path / "g")
    return tmp_path / "g"


def interrupt_after(batches: int, monkeypatch: Patch) -> list[Query]:
    """Let each solve count, and one raise what Ctrl-C does."""
    asked: list[Query] = []
    whole = ArrayBrandes.solve

    def solve(self: ArrayBrandes, query: Query) -> int:
        asked.append(query)
        if len(asked) == batches + 1:
            raise KeyboardInterrupt
        return whole(self, query)

    monkeypatch.setattr(ArrayBrandes, "solve", solve)
    monkeypatch.setattr(checkpoint, "BATCH_S", 1e-9)  # one source after the first batch
    return asked


def test_an_interrupted_run_loses_no_more_than_a_batch(stored: Path, monkeypatch: Patch, call: Call) -> None:
    kept, csv = stored.parent / "kept.npz", stored.parent / "scores.csv"
    argv = ["solve", "betweenness/seq-array", stored, "--checkpoint", kept, "--output", csv]
    asked = interrupt_after(3, monkeypatch)
    assert call(*argv).status == 130
    assert sorted(path.name for path in stored.parent.iterdir()) == ["g", "kept.npz"]
    again = call(*argv)
    assert (again.status, again.err) == (0, "")
    assert f" s after {checkpoint.FIRST_BATCH + 2} sources of an earlier run; verified" in again.out
    done = [source for query in asked[:3] for source in query.sources or ()]
    assert len(done) == checkpoint.FIRST_BATCH + 2
    assert asked[4].sources == tuple(range(len(done), len(done) + checkpoint.FIRST_BATCH))
    assert_allclose(written(csv), exact_scores(grid(12, 9)), rtol=1e-12)
    assert not kept.exists()


def test_another_checkpoint_is_refused(stored: Path, house: Path, monkeypatch: Patch, call: Call) -> None:
    kept = stored.parent / "kept.npz"
    interrupt_after(1, monkeypatch)
    assert call("solve", "betweenness/seq-array", stored, "--checkpoint", kept).status == 130
    content = kept.read_bytes()
    for solver, path, more, what in (
        ("seq-stl", stored, [], "solver settings"),
        ("seq-array", house, [], "arcs"),
        ("seq-array", stored, ["--directed"], "directions"),
        ("seq-array", stored, ["--sources", 5], "sources"),
    ):
        argv = ["solve", f"betweenness/{solver}", path, "--checkpoint", kept, *more]
        assert f"{kept}: is a checkpoint of other {what} than" in call(*argv).refusal(1)
        assert kept.read_bytes() == content
    array, other = io.BytesIO(), io.BytesIO()
    np.save(array, np.zeros(3))
    np.savez(other, identity="[]", scores=np.zeros(108), done=3)
    argv = ["solve", "betweenness/seq-array", stored, "--checkpoint", kept]
    for damaged in (content[:-30], b"", array.getvalue(), other.getvalue()):
        kept.write_bytes(damaged)
        assert f"{kept}: is not a checkpoint" in call(*argv).refusal(1)


def test_no_file_is_written_twice(house: Path, call: Call) -> None:
    csv = house.parent / "scores.csv"
    for option in ("--checkpoint", "--output"):
        asked = ("--output", csv, option, house.parent / "./scores.csv")
        told = call("solve", "betweenness/seq-array", house, *asked).refusal(1)
        assert f"{csv}: is to be written twice" in told
        assert not csv.exists()


@pytest.mark.parametrize(
    ("more", "asked"), [([], [None]), (["--sources", 5], [5]), (["--checkpoint", "kept.npz"], [16, 24])]
)
def test_side_vertices_are_taken_away_if_all_sources_come_at_once(
    more: list[object], asked: list[int | None], tmp_path: Path, monkeypatch: Patch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    windmill = [(0, u, 1) for u in range(1, 40)] + [(u, u + 1, 1) for u in range(1, 39, 2)]
    csr.save(graph(40, windmill, directed=False), tmp_path / "g")
    heard, whole = list[int | None](), SideVertices.upload

    def upload(self: SideVertices, query: Query) -> None:
        heard.append(None if query.sources is None else len(query.sources))
        whole(self, query)

    monkeypatch.setattr(SideVertices, "upload", upload)
    spec = "betweenness/vert-comp2-virt-stride:blocks=2,block_size=32"
    assert "; verified against" in call("solve", spec, "g", "--backend", "emulator", *more).out
    assert heard == asked


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_behind_standard_output_is_told(house: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = run("solve", "betweenness/seq-array", house, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "error: standard output: No space left on device\n"


def test_ctrl_c_in_a_batch_leaves_the_batches_before(tmp_path: Path) -> None:
    whole = grid(150, 150)
    csr.save(CSRGraph(whole.indptr, whole.indices, None, {"directed": False}), tmp_path / "g")
    kept = tmp_path / "kept.npz"
    process = start("solve", "betweenness/seq-scaled", tmp_path / "g", "--checkpoint", kept, "--no-check")
    deadline = time.monotonic() + 60
    while not kept.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(SIGINT)
    line = process.communicate(timeout=10)[1].decode()
    assert process.returncode == 130
    assert f"{kept} is whole; the same command goes on from {kept}\n" in line
    with np.load(kept) as file:
        assert file["done"] >= checkpoint.FIRST_BATCH


def test_progress_is_shown_on_a_terminal(stored: Path) -> None:
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    done = run("solve", "betweenness/seq-array", stored, "--no-check", stderr=terminal)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    os.close(terminal)
    assert done.returncode == 0
    assert re.search(r"betweenness/seq-array: +0%\|.*\| 0/108 \[00:00<\?, \?vertex/s\]", shown)


@pytest.mark.parametrize(
    ("asked", "status", "complaint"),
    [("betweenness/networkit --sources 2", 1, "takes all vertices as sources"),
     ("betweenness/networkit --checkpoint kept.npz", 1, "takes all vertices as sources"),
     ("betweenness/seq-array --sources 7", 1, "7 sources requested, expected 1 to 6"),
     ("betweenness", 1, "no solver is called betweenness"),
     ("betweenness/seq-array --source 1", 2, "takes no --source, --target or --paths-to; see --sources"),
     ("betweenness/seq-array --output x.he", 2, "finds scores, and .he holds paths"),
     ("bfs/queue --source 1 --sources 2", 2, "--sources samples them"),
     ("bfs/queue --source 1 --normalized", 2, "--normalized is for betweenness")],
)  # fmt: skip
def test_what_cannot_be_asked(
    asked: str, status: int, complaint: str, house: Path, monkeypatch: Patch, call: Call
) -> None:
    monkeypatch.chdir(house.parent)
    solver, *more = asked.split()
    assert complaint in call("solve", solver, "house.txt", *more).refusal(status)


def test_too_many_paths_are_told_by_their_source(tmp_path: Path, call: Call) -> None:
    csr.save(diamonds(1100), tmp_path / "g")
    argv = ["solve", "betweenness/seq-array", tmp_path / "g", "--output", tmp_path / "scores.csv"]
    assert "from vertex 0 (ids from 0) more shortest paths lead" in call(*argv).refusal(1)
    assert not (tmp_path / "scores.csv").exists()
