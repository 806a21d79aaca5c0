"""`solve`: answers in every format of graphs and of tables."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import numpy as np
import pytest

from command_line import Outcome, rows
from retrace.graphs import formats
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.path_files import read_path
from retrace.solvers import REGISTRY, Query, Solver
from tiny_files import TINY, TINY_WITHOUT_WEIGHTS


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", TINY)
def test_same_distances_from_every_format(
    kind: str, zipped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, out = tmp_path / "graph", tmp_path / "d.csv"
    graph.write_bytes(gzip.compress(TINY[kind]) if zipped else TINY[kind])
    base = formats.LAYOUTS[kind].base
    done = Outcome(capsys, "solve", "sssp/mask-sequential", graph, "--source", base, "--output", out)
    assert done.status == 0, done.err
    assert f"(ids from {base})" in done.out
    header, *found = rows(out)
    assert header == [f"vertex_from_{base}", "distance", f"predecessor_from_{base}"]
    assert found[:2] == [[str(base), "0", ""], [str(base + 1), "5", str(base)]]
    assert found[2][:2] == [str(base + 2), "5"]
    assert found[3] == [str(base + 3), "", ""]


@pytest.mark.parametrize("told", [False, True], ids=["detected", "named"])
@pytest.mark.parametrize("kind", TINY_WITHOUT_WEIGHTS)
def test_same_levels_from_every_format(
    kind: str, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, out = tmp_path / "graph", tmp_path / "levels.csv"
    graph.write_bytes(TINY_WITHOUT_WEIGHTS[kind])
    base = formats.LAYOUTS[kind].base
    named = ["--format", kind] if told else []
    done = Outcome(capsys, "solve", "bfs/queue", graph, "--source", base, "--output", out, *named)
    assert done.status == 0, done.err
    header, *found = rows(out)
    assert header == [f"vertex_from_{base}", "level"]
    assert found[:3] == [[str(base), "0"], [str(base + 1), "1"], [str(base + 2), "1"]]


def test_numpy_holds_what_csv_holds(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tiny.parent / "answer.npy"
    done = Outcome(
        capsys, "solve", "sssp/standard", tiny, "--source", 3, "--backend", "emulator", "--output", out
    )
    table = np.load(out)
    assert table.dtype.names == ("vertex_from_1", "distance", "predecessor_from_1")
    assert table.tolist() == [(1, 5, 2), (2, 0, 3), (3, 0, -1), (4, UNREACHABLE, -1)]
    assert "3 of 4 reached, largest distance 5; setup" in done.out
    assert "(emulated: no measure of a GPU)" in done.out
    assert "verified against scipy.sparse.csgraph.dijkstra and optimality certificate of the tree" in done.out
    assert done.out.count("\n") == 1


@pytest.mark.parametrize("solver", ["sssp/dijkstra-heap", "sssp/mask-sequential", "bfs/queue"])
def test_he_holds_paths_that_are_lines_of_the_graph(
    solver: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = tmp_path / "graph.he"
    Outcome(capsys, "generate", graph, "--vertices", 60, "--arcs", 240, "--seed", 3)
    own = set(graph.read_text().splitlines()[1:])
    tree, one, some, table = (tmp_path / name for name in ("tree.he", "one.he", "some.he", "d.csv"))
    outputs = itertools.chain.from_iterable(("--output", path) for path in (tree, table))
    Outcome(capsys, "solve", solver, graph, "--source", 0, *outputs)
    reached = {int(row[0]) for row in rows(table)[1:] if row[1]}
    header, *lines = tree.read_text().splitlines()
    assert header == f"H 60 {len(reached) - 1} 0"
    assert set(lines) <= own
    assert {int(line.split()[2]) for line in lines} == reached - {0}

    target, other = sorted(reached - {0})[-2:]
    done = Outcome(capsys, "solve", solver, graph, "--source", 0, "--paths-to", target, "--output", one)
    arcs = read_path(one, formats.read(graph, "he"))
    assert (arcs[0, 0], arcs[-1, 1]) == (0, target)
    assert f"path to {target}: 0 {' '.join(map(str, arcs[:, 1]))}\n" in done.out
    Outcome(capsys, "solve", solver, graph, "--source", 0, "--paths-to", target, other, "--output", some)
    assert set(one.read_text().splitlines()[1:]) <= set(some.read_text().splitlines()[1:]) <= set(lines)


def test_connectivity_of_a_pair(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tiny.parent / "length.csv"
    asked = ("solve", "stcon/two-queues", tiny, "--source", 1, "--output", out, "--target")
    assert "from 1 to 3 (ids from 1): 1 arc; setup" in Outcome(capsys, *asked, 3).out
    assert rows(out) == [["vertex_from_1", "length"], ["3", "1"]]
    assert "from 1 to 4 (ids from 1): no path; setup" in Outcome(capsys, *asked, 4).out
    assert rows(out)[1:] == [["4", ""]]


class WrongBFS(Solver):
    """Answers 7 everywhere."""

    name = "bfs/wrong"
    implements = "nothing"

    def setup(self, graph: CSRGraph) -> None:
        self.size = graph.vertices

    def solve(self, query: Query) -> None:
        pass

    def download(self) -> Int32Array:
        return np.full(self.size, 7, dtype=np.int32)


class BrokenBFS(WrongBFS):
    """Fails as a library might."""

    name = "bfs/broken"

    def solve(self, query: Query) -> None:
        raise ValueError("two\nlines")


@pytest.fixture
def odd_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    for solver in (WrongBFS, BrokenBFS):
        monkeypatch.setitem(REGISTRY.solvers, solver.name, solver)


@pytest.mark.usefixtures("odd_solvers")
def test_wrong_answer_is_an_error_of_its_own(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tiny.parent / "levels.csv"
    asked = ("solve", "bfs/wrong", tiny, "--source", 1, "--output", out)
    line = Outcome(capsys, *asked).refusal(3)
    assert "vertex 0 has 7 instead of 0" in line
    assert "(ids from 0)" in line
    assert not out.exists()
    Outcome(capsys, "path", tiny, "--source", 1, "--target", 2, "--solver", "bfs/wrong").refusal(3)
    believed = Outcome(capsys, *asked, "--no-check")
    assert believed.status == 0
    assert believed.out.endswith("not checked\n")
    assert rows(out)[1] == ["1", "7"]
    assert "check the answer" in Outcome(capsys, *asked, "--no-check", "--paths-to", 2).refusal(1)


@pytest.mark.usefixtures("odd_solvers")
def test_failure_of_a_solver_is_one_line(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = Outcome(capsys, "solve", "bfs/broken", tiny, "--source", 1).refusal(1)
    assert line == "error: bfs/broken on host failed: ValueError: two lines\n"
