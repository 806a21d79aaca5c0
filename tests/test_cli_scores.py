"""`solve betweenness/...`: scores of a graph in hand, sampled, normalised, and after an interruption."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from signal import SIGINT

import numpy as np
import pytest
from numpy.testing import assert_allclose

from command_line import ENVIRONMENT, Outcome, rows
from exact_betweenness import exact_scores
from graphs import diamonds, graph, grid
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph
from retrace.graphs.generators import sample_vertices
from retrace.graphs.query import Query
from retrace.graphs.reductions import is_symmetric
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


def house_scores(directed: bool = False, sources: list[int] | None = None) -> np.ndarray:
    arcs = [(u, v, 1) for u, v in HOUSE]
    both = [*arcs, *((v, u, 1) for u, v in HOUSE)]
    return exact_scores(graph(6, both if directed else arcs, directed), sources)


def written(path: Path) -> np.ndarray:
    return np.array([float(score) for _, score in rows(path)[1:]])


@pytest.mark.parametrize("solver", ["seq-array", "vert-comp:block_size=32,blocks=2", "networkit", "igraph"])
def test_scores_of_a_file(solver: str, house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv, npy = house.parent / "scores.csv", house.parent / "scores.npy"
    done = Outcome(capsys, "solve", f"betweenness/{solver}", house, "--output", csv, "--output", npy)
    assert (done.status, done.err) == (0, "")
    assert "house.txt: undirected, from all of 6 vertices, highest score 4.5 at 3 (ids from 0)" in done.out
    assert "; verified against " in done.out
    assert rows(csv)[0] == ["vertex_from_0", "score"]
    assert_allclose(written(csv), house_scores(), rtol=1e-12)
    table = np.load(npy)
    assert table["vertex_from_0"].tolist() == list(range(6))
    assert table["score"].tolist() == written(csv).tolist()


def test_both_directions_are_counted_if_asked(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv = house.parent / "scores.csv"
    done = Outcome(capsys, "solve", "betweenness/seq-stl", house, "--directed", "--output", csv)
    assert "house.txt: directed, from all" in done.out
    assert_allclose(written(csv), house_scores(directed=True), rtol=1e-12)
    assert_allclose(written(csv), 2 * house_scores(), rtol=1e-12)


def test_arcs_that_go_one_way_make_a_directed_graph(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "line.txt"
    path.write_text("0 1\n1 2\n2 3\n")
    done = Outcome(capsys, "solve", "betweenness/seq-stl", path, "--output", tmp_path / "scores.csv")
    assert "line.txt: directed, from all of 4 vertices" in done.out
    assert written(tmp_path / "scores.csv").tolist() == [0, 2, 2, 0]
    assert not is_symmetric(graph(3, [(0, 1, 1), (1, 0, 1), (1, 2, 1)]))
    assert is_symmetric(graph(3, [(0, 1, 1), (1, 0, 1), (0, 1, 1), (2, 2, 1)]))


def test_sampled_sources(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv = house.parent / "scores.csv"
    argv = ["solve", "betweenness/seq-vector", house, "--sources", 3, "--seed", 5, "--output", csv]
    done = Outcome(capsys, *argv)
    assert "from 3 sampled of 6 vertices" in done.out
    expected = house_scores(sources=sample_vertices(6, 3, 5).tolist())
    assert_allclose(written(csv), expected, rtol=1e-12)
    assert Outcome(capsys, *argv, "--normalized").status == 0
    assert_allclose(written(csv), expected / 10 * 2, rtol=1e-12)


@pytest.mark.parametrize(("directed", "pairs"), [((), 10), (("--directed",), 20)])
def test_normalised_scores(
    directed: tuple[str, ...], pairs: int, house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    csv = house.parent / "scores.csv"
    argv = ["solve", "betweenness/seq-array", house, "--normalized", "--output", csv, *directed]
    assert Outcome(capsys, *argv).status == 0
    assert_allclose(written(csv), house_scores(directed=bool(directed)) / pairs, rtol=1e-12)


@pytest.mark.parametrize("vertices", [0, 1, 2])
def test_graphs_without_pairs_between_which_to_be(
    vertices: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "few.gr"
    path.write_text(f"p sp {vertices} {vertices // 2}\n" + "a 1 2 1\n" * (vertices // 2))
    argv = ["solve", "betweenness/seq-array", path, "--normalized", "--output", tmp_path / "scores.csv"]
    assert Outcome(capsys, *argv).status == 0
    assert written(tmp_path / "scores.csv").tolist() == [0.0] * vertices


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Store a grid whose sources make several batches."""
    whole = grid(12, 9)
    csr.save(CSRGraph(whole.indptr, whole.indices, None, {"name": "grid", "directed": False}), tmp_path / "g")
    return tmp_path / "g"


def interrupt_after(batches: int, monkeypatch: pytest.MonkeyPatch) -> list[Query]:
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


def test_an_interrupted_run_loses_no_more_than_a_batch(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, csv = stored.parent / "kept.npz", stored.parent / "scores.csv"
    argv = ["solve", "betweenness/seq-array", stored, "--checkpoint", kept, "--output", csv]
    asked = interrupt_after(3, monkeypatch)
    assert Outcome(capsys, *argv).status == 130
    assert sorted(path.name for path in stored.parent.iterdir()) == ["g", "kept.npz"]
    again = Outcome(capsys, *argv)
    assert (again.status, again.err) == (0, "")
    assert f" s after {checkpoint.FIRST + 2} sources of an earlier run; verified" in again.out
    done = [source for query in asked[:3] for source in query.sources or ()]
    assert len(done) == checkpoint.FIRST + 2
    assert asked[4].sources == tuple(range(len(done), len(done) + checkpoint.FIRST))
    assert_allclose(written(csv), exact_scores(grid(12, 9)), rtol=1e-12)
    assert not kept.exists()


def test_a_checkpoint_of_something_else_is_refused(
    stored: Path, house: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = stored.parent / "kept.npz"
    interrupt_after(1, monkeypatch)
    assert Outcome(capsys, "solve", "betweenness/seq-array", stored, "--checkpoint", kept).status == 130
    content = kept.read_bytes()
    for solver, path, more, what in (
        ("seq-stl", stored, [], "solver settings"),
        ("seq-array", house, [], "arcs"),
        ("seq-array", stored, ["--directed"], "directions"),
        ("seq-array", stored, ["--sources", 5], "sources"),
    ):
        argv = ["solve", f"betweenness/{solver}", path, "--checkpoint", kept, *more]
        assert f"{kept}: is a checkpoint of other {what} than" in Outcome(capsys, *argv).refusal(1)
        assert kept.read_bytes() == content
    array, other = io.BytesIO(), io.BytesIO()
    np.save(array, np.zeros(3))
    np.savez(other, identity="[]", scores=np.zeros(108), done=3)
    argv = ["solve", "betweenness/seq-array", stored, "--checkpoint", kept]
    for damaged in (content[:-30], b"", array.getvalue(), other.getvalue()):
        kept.write_bytes(damaged)
        assert f"{kept}: is not a checkpoint" in Outcome(capsys, *argv).refusal(1)


def test_no_file_is_written_twice(house: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv = house.parent / "scores.csv"
    for option in ("--checkpoint", "--output"):
        argv = [
            "solve",
            "betweenness/seq-array",
            house,
            "--output",
            csv,
            option,
            house.parent / "./scores.csv",
        ]
        assert f"{csv}: is to be written twice" in Outcome(capsys, *argv).refusal(1)
        assert not csv.exists()


@pytest.mark.parametrize(
    ("more", "asked"), [([], [None]), (["--sources", 5], [5]), (["--checkpoint", "kept.npz"], [16, 24])]
)
def test_side_vertices_are_taken_away_if_all_sources_come_at_once(
    more: list[object], asked: list[int | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    windmill = [(0, u, 1) for u in range(1, 40)] + [(u, u + 1, 1) for u in range(1, 39, 2)]
    csr.save(graph(40, windmill, directed=False), tmp_path / "g")
    heard, whole = list[int | None](), SideVertices.upload

    def upload(self: SideVertices, query: Query) -> None:
        heard.append(None if query.sources is None else len(query.sources))
        whole(self, query)

    monkeypatch.setattr(SideVertices, "upload", upload)
    spec = "betweenness/vert-comp2-virt-stride:blocks=2,block_size=32"
    assert "; verified against" in Outcome(capsys, "solve", spec, "g", "--backend", "emulator", *more).out
    assert heard == asked


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_behind_standard_output_is_told(house: Path) -> None:
    command = [sys.executable, "-m", "retrace", "solve", "betweenness/seq-array", str(house)]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    assert done.returncode == 1
    assert done.stderr == "error: standard output: No space left on device\n"


def test_ctrl_c_in_a_batch_leaves_the_batches_before(tmp_path: Path) -> None:
    whole = grid(150, 150)
    csr.save(CSRGraph(whole.indptr, whole.indices, None, {"directed": False}), tmp_path / "g")
    kept = tmp_path / "kept.npz"
    argv = ["solve", "betweenness/seq-scaled", tmp_path / "g", "--checkpoint", kept, "--no-check"]
    command = [sys.executable, "-m", "retrace", *map(str, argv)]
    process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not kept.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(SIGINT)
    process.communicate(timeout=10)
    assert process.returncode in (-SIGINT, 130)
    with np.load(kept) as file:
        assert file["done"] >= checkpoint.FIRST


def test_progress_is_shown_on_a_terminal(stored: Path) -> None:
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    argv = ["solve", "betweenness/seq-array", stored, "--no-check"]
    command = [sys.executable, "-m", "retrace", *map(str, argv)]
    done = subprocess.run(
        command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=terminal, check=False, timeout=60
    )
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    os.close(terminal)
    assert done.returncode == 0
    assert re.search(r"betweenness/seq-array: +0%\|.*\| 0/108 \[00:00<\?, \?vertex/s\]", shown)


@pytest.mark.parametrize(
    ("solver", "more", "complaint"),
    [
        ("betweenness/networkit", ["--sources", "2"], "takes all vertices as sources"),
        ("betweenness/networkit", ["--checkpoint", "kept.npz"], "takes all vertices as sources"),
        ("betweenness/seq-array", ["--sources", "7"], "7 sources requested, expected 1 to 6"),
        ("betweenness/none", [], "no solver is called betweenness/none"),
        ("betweenness", [], "no solver is called betweenness"),
        ("betweenness/vert:precision=half", [], "precision is half"),
    ],
)
def test_what_cannot_be_asked(
    solver: str, more: list[str], complaint: str, house: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(house.parent)
    assert complaint in Outcome(capsys, "solve", solver, house, *more).refusal(1)


def test_too_many_paths_are_told_by_their_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csr.save(diamonds(1100), tmp_path / "g")
    argv = ["solve", "betweenness/seq-array", tmp_path / "g", "--output", tmp_path / "scores.csv"]
    assert "from vertex 0 (ids from 0) more shortest paths lead" in Outcome(capsys, *argv).refusal(1)
    assert not (tmp_path / "scores.csv").exists()


@pytest.mark.parametrize(
    ("solver", "more", "complaint"),
    [
        ("betweenness/seq-array", ["--source", "1"], "takes neither ends nor paths; see --sources"),
        ("betweenness/seq-array", ["--output", "x.he"], "finds scores, and .he holds paths"),
        ("bfs/queue", [], "needs --source"),
        ("bfs/queue", ["--source", "1", "--sources", "2"], "--sources is for betweenness"),
        ("bfs/queue", ["--source", "1", "--normalized"], "--normalized is for betweenness"),
    ],
)
def test_usage_errors(
    solver: str, more: list[str], complaint: str, house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint in Outcome(capsys, "solve", solver, house, *more).refusal(2)
