"""The command line: every command and format, every way to go wrong and its exit status."""

from __future__ import annotations

import csv
import gzip
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import test_formats
from retrace import cli
from retrace.commands import answers, graph_file, lists
from retrace.devices import cuda
from retrace.errors import RetraceError
from retrace.graphs import csr, formats
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.path_files import read_path
from retrace.measure.records import read_records, write_records
from retrace.solvers import REGISTRY, Query, Solver
from retrace.solvers.generate import GENERATORS

PROJECT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT / "scripts")}
COMMANDS = ("solve", "path", "convert", "generate", "solvers", "machines")

# 1 -5- 2 -0- 3 and 1 -7- 3, with a vertex 4 beside them: from 1, distances 0, 5, 5 and none.
DIMACS = test_formats.TINY["dimacs"]
WEIGHTED = {**test_formats.TINY}
UNWEIGHTED = {**test_formats.TINY_WITHOUT_WEIGHTS}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gr"
    path.write_bytes(DIMACS)
    return path


@pytest.fixture
def unweighted(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.txt"
    path.write_bytes(UNWEIGHTED["snap"])
    return path


class Outcome:
    """What a command in this process came to."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *argv: object) -> None:
        try:
            self.status: Any = cli.main([str(word) for word in argv])
        except SystemExit as ended:
            self.status = ended.code
        self.out, self.err = capsys.readouterr()

    def refusal(self, status: int) -> str:
        """The one line of an error."""
        assert self.status == status, self.err
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        return self.err


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def run(*argv: object, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "retrace", *map(str, argv)]
    return subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT, check=False, timeout=60, **options
    )


# Real calls


def test_a_real_call_from_another_folder(tiny: Path) -> None:
    done = run(
        "solve", "sssp/dijkstra-heap", "tiny.gr", "--source", 1, "--output", "out/d.csv", cwd=tiny.parent
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(tiny.parent / "out/d.csv")[1:] == [["1", "0"], ["2", "5"], ["3", "5"], ["4", ""]]


def test_a_real_error_has_no_traceback(tmp_path: Path) -> None:
    done = run("path", tmp_path / "none.gr", "--source", 1, "--target", 2)
    assert done.returncode == 1
    assert (
        done.stderr
        == f"error: {tmp_path}/none.gr: cannot be read (No such file or directory); check the path\n"
    )


def test_help_needs_no_library() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"\n    {command} " in done.stdout for command in COMMANDS)
    assert "3    the answer is not verified" in done.stdout
    program = "import sys; from retrace import cli; cli.make_parser(); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, check=False).returncode == 0


def test_a_reader_that_leaves_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "retrace", "solvers"]
    done = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False, timeout=60
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_interrupt_ends_a_solver_in_c_and_leaves_nothing(tmp_path: Path) -> None:
    size = 1 << 18
    line = csr.from_arcs(size, np.arange(size - 1), np.arange(1, size), np.ones(size - 1, dtype=np.int32))
    csr.save(line, tmp_path / "line")
    argv = ["solve", "sssp/dijkstra-linear", tmp_path / "line", "--source", 0, "--output", tmp_path / "d.csv"]
    command = [sys.executable, "-m", "retrace", *map(str, argv)]
    process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE)
    maps = Path(f"/proc/{process.pid}/maps")
    while process.poll() is None and "sssp_dijkstra_linear" not in maps.read_text():
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    assert (process.returncode, errors) == (-signal.SIGINT, b"")  # a shell says 130
    assert [path.name for path in tmp_path.iterdir()] == ["line"]


# Formats and ids


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", WEIGHTED)
def test_same_distances_from_every_format(
    kind: str, zipped: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, out = tmp_path / "graph", tmp_path / "d.csv"
    graph.write_bytes(gzip.compress(WEIGHTED[kind]) if zipped else WEIGHTED[kind])
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
@pytest.mark.parametrize("kind", UNWEIGHTED)
def test_same_levels_from_every_format(
    kind: str, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph, out = tmp_path / "graph", tmp_path / "levels.csv"
    graph.write_bytes(UNWEIGHTED[kind])
    base = formats.LAYOUTS[kind].base
    named = ["--format", kind] if told else []
    done = Outcome(capsys, "solve", "bfs/queue", graph, "--source", base, "--output", out, *named)
    assert done.status == 0, done.err
    header, *found = rows(out)
    assert header == [f"vertex_from_{base}", "level"]
    assert found[:3] == [[str(base), "0"], [str(base + 1), "1"], [str(base + 2), "1"]]


def test_a_stored_folder_counts_from_0(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny.parent / "stored"
    done = Outcome(capsys, "convert", tiny, folder)
    assert done.out.endswith("(stored): 4 vertices, 6 arcs; vertex 1 is now vertex 0, and so on\n")
    assert csr.load(folder).digest() == formats.read(tiny, "dimacs").digest()
    assert csr.load(folder).name == "stored"
    done = Outcome(capsys, "path", folder, "--source", 0, "--target", 2)
    assert "2 arcs, weight 5 (ids from 0;" in done.out
    assert done.out.endswith("\n0 1 2\n")


@pytest.mark.parametrize(
    "content", [b"", b"hello\n", b"p edge 3 3\n", b"1 2 3 4\n", b"c only\n", b"\x00\xff\n"]
)
def test_what_is_no_format(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "graph"
    path.write_bytes(content)
    assert "say --format" in Outcome(capsys, "convert", path, tmp_path / "x.he").refusal(1)


def test_names_on_the_command_line_are_the_librarys() -> None:
    assert set(cli.FORMATS) == set(formats.LAYOUTS)
    assert {f"generate/{name}" for name in cli.GENERATORS} == set(GENERATORS)


# solve


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


# path


def test_path_in_every_format(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = [tiny.parent / f"path.{suffix}" for suffix in ("he", "csv", "npy")]
    asked = ["path", tiny, "--source", 3, "--target", 1]
    done = Outcome(capsys, *asked, *itertools.chain.from_iterable(("--output", path) for path in outputs))
    assert done.out == (
        f"path from 3 to 1 in {tiny}: 2 arcs, weight 5 (ids from 1; sssp/dijkstra-heap, verified against "
        "scipy.sparse.csgraph.dijkstra)\n3 2 1\n"
    )
    assert outputs[0].read_text() == "H 4 2 0\nE 2 1 0\nE 1 0 5\n"  # counts from 0
    assert rows(outputs[1]) == [["vertex_from_1", "distance"], ["3", "0"], ["2", "0"], ["1", "5"]]
    assert np.load(outputs[2]).tolist() == [(3, 0), (2, 0), (1, 5)]
    fewest = Outcome(capsys, *asked, "--solver", "bfs/queue")
    assert "1 arc, weight 7 (" in fewest.out
    assert fewest.out.endswith("\n3 1\n")
    assert Outcome(capsys, "path", tiny, "--source", 2, "--target", 2).out.endswith("\n2\n")


def test_path_without_weights(unweighted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = Outcome(capsys, "path", unweighted, "--source", 0, "--target", 2)
    assert ": 1 arc (ids from 0; bfs/queue" in done.out


def test_no_path_is_told_in_the_files_ids(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = Outcome(capsys, "path", tiny, "--source", 1, "--target", 4).refusal(1)
    assert line == f"error: no path leads from 1 to 4 in {tiny} (ids from 1)\n"


# convert and generate


def test_convert_there_and_back(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny.parent
    for source, target in (("tiny.gr", "a.he"), ("a.he", "b"), ("b", "c.he"), ("c.he", "b")):
        assert Outcome(capsys, "convert", folder / source, folder / target).status == 0
    assert (folder / "a.he").read_bytes() == (folder / "c.he").read_bytes()
    assert csr.load(folder / "b").digest() == formats.read(tiny, "dimacs").digest()


def test_convert_draws_weights_only_if_asked(unweighted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = unweighted.parent / "x.he"
    assert "has none; draw some" in Outcome(capsys, "convert", unweighted, out).refusal(1)
    Outcome(capsys, "convert", unweighted, out, "--weights", 3, 4, "--seed", 5)
    weights = formats.read(out, "he").weights
    assert weights is not None
    assert set(weights) <= {3, 4}
    assert "weights of its own" in Outcome(
        capsys, "convert", out, unweighted.parent / "y", "--weights", 1, 1
    ).refusal(1)
    asked = ("convert", unweighted, out, "--weights", 4, 3)
    assert "expected a range" in Outcome(capsys, *asked).refusal(1)


def test_convert_never_replaces_a_folder_of_something_else(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tiny.parent / "home"
    home.mkdir()
    (home / "letters").write_text("dear")
    assert "other content" in Outcome(capsys, "convert", tiny, home).refusal(1)
    assert (home / "letters").exists()


@pytest.mark.parametrize("amount", [("--density", 0.05), ("--arcs-per-vertex", 3.15), ("--arcs", 202)])
def test_generate(amount: tuple[str, float], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outs = [tmp_path / "a.he", tmp_path / "b"]
    done = [Outcome(capsys, "generate", out, "--vertices", 64, *amount, "--weights", 2, 5) for out in outs]
    assert "64 vertices, 202 arcs, weakly connected, weights 2 to 5, seed 1, sha256" in done[0].out
    stored = csr.load(outs[1])
    assert stored.digest() == formats.read(outs[0], "he").digest()
    assert stored.info["origin"] == "generated"
    assert stored.info["sha256"] in done[0].out


def test_generate_on_a_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--vertices", 64, "--arcs", 202, "--generator", "random-degree", "--backend", "emulator")
    assert "perhaps not connected" in Outcome(capsys, "generate", tmp_path / "a.he", *asked).out


# solvers and machines


def test_solvers_are_all_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Outcome(capsys, "solvers").out.splitlines()
    assert {line.split()[0] for line in lines[1:]} == set(REGISTRY.solvers)
    assert any(line.split()[:4] == ["bfs/bsp", "bfs", "cuda", "emulator"] for line in lines)


def test_committed_machines_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Outcome(capsys, "machines").out.splitlines()
    assert lines[0].split() == ["machine", "GPU", "CPU", "records", "verified", "measured"]
    assert any(line.startswith("h200 ") and "NVIDIA H200" in line for line in lines)


def test_machines_without_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lists, "MACHINES", tmp_path)
    assert "no machine has records" in Outcome(capsys, "machines").refusal(1)
    record = read_records([PROJECT / "results/machines/h200/table-3.3/NY.jsonl"])[0]
    write_records(tmp_path / "local/table-3.3/NY.jsonl", [record])
    assert "local (not committed)" in Outcome(capsys, "machines").out
    (tmp_path / "local/table-3.3/NY.jsonl").write_text("{}\n")
    assert "NY.jsonl:1: " in Outcome(capsys, "machines").refusal(1)


# What goes wrong


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        ([], "required: command"),
        (["fly"], "invalid choice: 'fly'"),
        (["solve", "bfs/queue", "GRAPH"], "bfs/queue needs --source"),
        (["solve", "bfs/queue", "GRAPH", "--source", "one"], "invalid int value: 'one'"),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--target", "2"], "--target is for stcon"),
        (["solve", "stcon/bsp", "GRAPH", "--source", "1"], "stcon/bsp needs --target"),
        (["solve", "stcon/bsp", "GRAPH", "--source", "1", "--target", "2", "--paths-to", "2"], "no path"),
        (["solve", "stcon/bsp", "GRAPH", "--source", "1", "--target", "2", "--output", "x.he"], "no path"),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--output", "x.txt"], "should end in .csv"),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--format", "metis"], "invalid choice: 'metis'"),
        (["path", "GRAPH", "--source", "1"], "required: --target"),
        (["path", "GRAPH", "--source", "1", "--target", "2", "--solver", "stcon/bsp"], "no path"),
        (["convert", "GRAPH", "x.gr"], "should end in .he"),
        (["generate", "x.he"], "required: --vertices"),
        (["generate", "x.he", "--vertices", "9", "--generator", "odd"], "invalid choice: 'odd'"),
    ],
)
def test_usage_errors(
    argv: list[str], complaint: str, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = Outcome(capsys, *(str(tiny) if word == "GRAPH" else word for word in argv)).refusal(2)
    assert complaint in line
    assert line.endswith("--help\n")


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [
        (["solve", "bfs/none", "GRAPH", "--source", "1"], "no solver is called bfs/none"),
        (["solve", "bfs/queue", "GRAPH", "--source", "0"], "--source 0: expected an id from 1 to 4"),
        (["solve", "bfs/queue", "GRAPH", "--source", "5"], "--source 5: expected an id from 1 to 4"),
        (["solve", "stcon/bsp", "GRAPH", "--source", "1", "--target", "5"], "--target 5: expected"),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--paths-to", "2", "5"], "--paths-to 5: expected"),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--paths-to", "4"], "no path leads from 1 to 4"),
        (
            ["solve", "bfs/queue", "GRAPH", "--source", "1", "--backend", "cuda"],
            "bfs/queue runs on host only",
        ),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--format", "he"], "line 1: expected a header"),
        (["solve", "bfs/queue", "FOLDER", "--source", "1"], "is a folder; expected"),
        (["solve", "bfs/queue", "FOLDER", "--source", "1", "--format", "he"], "is a folder, not a file"),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--output", "GRAPH/x.csv"], "is a file"),
        (["solve", "bfs/queue", "GRAPH", "--source", "1", "--output", "FOLDER/dir.csv"], "it is a folder"),
        (["convert", "FOLDER/none", "FOLDER/x.he"], "cannot be read"),
        (["convert", "GRAPH", "FOLDER/dir.he"], "it is a folder"),
        (["generate", "FOLDER/x.he", "--vertices", "4"], "the number of arcs is missing"),
        (["generate", "FOLDER/x.he", "--vertices", "4", "--arcs", "2"], "expected at least 3"),
        (["generate", "FOLDER/x.he", "--vertices", "4", "--arcs", "13"], "no more distinct"),
        (
            ["generate", "FOLDER/x.he", "--vertices", "4", "--arcs", "5", "--density", "1"],
            "contradicts itself",
        ),
        (["generate", "FOLDER/x.he", "--vertices", "4", "--density", "2"], "expected from 0 to 1"),
        (["generate", "FOLDER/x.he", "--vertices", "4", "--arcs", "5", "--weights", "5", "4"], "range"),
    ],
)
def test_errors_the_user_can_mend(
    argv: list[str], complaint: str, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny.parent
    for name in ("dir.csv", "dir.he"):
        (folder / name).mkdir()
    before = sorted(folder.iterdir())
    words = [word.replace("GRAPH", str(tiny)).replace("FOLDER", str(folder)) for word in argv]
    assert complaint in Outcome(capsys, *words).refusal(1)
    assert sorted(folder.iterdir()) == before


def test_the_graph_itself_is_never_overwritten(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, link = tiny.parent / "x.he", tiny.parent / "link.he"
    graph.write_bytes(WEIGHTED["he"])
    link.symlink_to(graph)
    for asked in (
        ("solve", "bfs/queue", graph, "--source", 0, "--output", link),
        ("path", graph, "--source", 0, "--target", 1, "--output", graph),
        ("convert", link, graph),
    ):
        assert "is the graph itself" in Outcome(capsys, *asked).refusal(1)
    assert graph.read_bytes() == WEIGHTED["he"]


def test_shortest_paths_need_weights(unweighted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = Outcome(capsys, "solve", "sssp/dijkstra-heap", unweighted, "--source", 0).refusal(1)
    assert "needs weights" in line
    path = unweighted.parent / "p.he"
    asked = ("path", unweighted, "--source", 0, "--target", 1, "--output", path)
    assert "H/E needs weights" in Outcome(capsys, *asked).refusal(1)


def test_graph_without_vertices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.he").write_text("H 0 0 0\n")
    asked = ("solve", "bfs/queue", tmp_path / "empty.he", "--source", 0)
    assert "expected a graph with vertices" in Outcome(capsys, *asked).refusal(1)


@pytest.mark.skipif(cuda.cuda_available(), reason="there is a GPU")
def test_cuda_without_a_gpu(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = Outcome(capsys, "solve", "bfs/bsp", tiny, "--source", 1, "--backend", "cuda").refusal(1)
    assert line.startswith("error: --backend cuda: ")


def test_damaged_gzip_file(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny.write_bytes(gzip.compress(DIMACS)[:-9])
    assert "damaged" in Outcome(capsys, "convert", tiny, tiny.parent / "x.he").refusal(1)


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 1, "error: this needs more memory than there is; take a smaller graph\n"),
        (RetraceError("why"), 1, "error: why\n"),
    ],
)
def test_exit_statuses(
    raised: BaseException,
    status: int,
    said: str,
    tiny: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr(answers, "read_graph", fail)
    done = Outcome(capsys, "solve", "bfs/queue", tiny, "--source", 1)
    assert (done.status, done.out, done.err) == (status, "", said)


@pytest.mark.parametrize("suffix", ["csv", "npy", "he"])
def test_disk_that_is_full_leaves_nothing(
    suffix: str, tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    asked = ("solve", "bfs/queue", tiny, "--source", 1, "--output", tiny.parent / f"x.{suffix}")
    assert "cannot be written (No space left on device)" in Outcome(capsys, *asked).refusal(1)
    assert [path.name for path in tiny.parent.iterdir()] == ["tiny.gr"]


def test_interrupted_writing_leaves_nothing(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    assert Outcome(capsys, "convert", tiny, tiny.parent / "x.he").status == 130
    assert [path.name for path in tiny.parent.iterdir()] == ["tiny.gr"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    done = Outcome(capsys, command, "--help")
    assert done.status == 0
    assert f"example: python -m retrace {command}" in " ".join(done.out.split())
    documented = (PROJECT / "docs/command-line.md").read_text()
    assert f"python -m retrace {command}" in documented


def test_arrays_of_a_large_table_are_written_in_parts(tmp_path: Path) -> None:
    size = 2 * graph_file.ROWS + 3
    vertices = np.arange(size, dtype=np.int32)
    graph_file.write_table(tmp_path / "x.csv", {"vertex": vertices, "twice": 2 * vertices})
    written = np.loadtxt(tmp_path / "x.csv", delimiter=",", skiprows=1, dtype=np.int32)
    assert_array_equal(written, np.column_stack((vertices, 2 * vertices)))
