"""`solve`: answers in every format of graphs and of tables."""

from __future__ import annotations

import gzip
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest

from command_line import Call, Patch, python, rows
from retrace.graphs import dense
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.formats.lines import LAYOUTS
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import REGISTRY, Query, Solver
from retrace_commands import backend
from tiny_files import TINY, TINY_WITHOUT_WEIGHTS


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", TINY)
def test_same_distances_from_every_format(kind: str, zipped: bool, tmp_path: Path, call: Call) -> None:
    graph, out = tmp_path / "graph", tmp_path / "d.csv"
    graph.write_bytes(gzip.compress(TINY[kind]) if zipped else TINY[kind])
    base = LAYOUTS[kind].base
    done = call("solve", "sssp/mask-sequential", graph, "--source", base, "--output", out)
    assert done.status == 0, done.err
    assert f"(ids from {base})" in done.out
    header, *found = rows(out)
    assert header == [f"vertex_from_{base}", "distance", f"predecessor_from_{base}"]
    assert found[:2] == [[str(base), "0", ""], [str(base + 1), "5", str(base)]]
    assert found[2][:2] == [str(base + 2), "5"]
    assert found[3] == [str(base + 3), "", ""]


@pytest.mark.parametrize("told", [False, True], ids=["detected", "named"])
@pytest.mark.parametrize("kind", TINY_WITHOUT_WEIGHTS)
def test_same_levels_from_every_format(kind: str, told: bool, tmp_path: Path, call: Call) -> None:
    graph, out = tmp_path / "graph", tmp_path / "levels.csv"
    graph.write_bytes(TINY_WITHOUT_WEIGHTS[kind])
    base = LAYOUTS[kind].base
    named = ["--format", kind] if told else []
    done = call("solve", "bfs/queue", graph, "--source", base, "--output", out, *named)
    assert done.status == 0, done.err
    header, *found = rows(out)
    assert header == [f"vertex_from_{base}", "level", f"predecessor_from_{base}"]
    first = [[str(base), "0", ""], [str(base + 1), "1", str(base)], [str(base + 2), "1", str(base)]]
    assert found[:3] == first


def test_numpy_holds_what_csv_holds(tiny: Path, call: Call) -> None:
    out = tiny.parent / "answer.npy"
    done = call("solve", "sssp/standard", tiny, "--source", 3, "--backend", "emulator", "--output", out)
    table = np.load(out)
    assert table.dtype.names == ("vertex_from_1", "distance", "predecessor_from_1")
    assert table.tolist() == [(1, 5, 2), (2, 0, 3), (3, 0, -1), (4, UNREACHABLE, -1)]
    assert "3 of 4 reached, largest distance 5; setup" in done.out
    assert "(emulated: no measure of a GPU)" in done.out
    assert "verified against scipy.sparse.csgraph.dijkstra and optimality certificate of the tree" in done.out
    assert done.out.count("\n") == 1


IN_PLACE = {
    "bfs/auto": "bfs/queue",
    "sssp/auto": "sssp/dijkstra-heap",
    "stcon/auto": "stcon/two-queues",
    "betweenness/auto": "betweenness/seq-array",
}


def test_a_solver_that_is_not_there_is_named_before_what_is_missing(tiny: Path, call: Call) -> None:
    done = call("solve", "bfs/quue", tiny)
    assert done.status == 1
    assert done.err.startswith("error: no solver is called bfs/quue; did you mean bfs/queue? ")


@pytest.mark.parametrize("solver", [*IN_PLACE, "bfs/direction", "betweenness/auto:precision=float"])
def test_without_a_gpu_a_choice_of_kernels_is_left_to_a_core(
    solver: str, tiny: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "cuda_status", lambda: "there is none")
    ends = [] if solver.startswith("betweenness") else ["--source", 3]
    ends += ["--target", 1] if solver.startswith("stcon") else []
    done = call("solve", solver, tiny, *ends)
    assert done.status == 0, done.err
    here = IN_PLACE.get(solver, solver)
    assert done.out.startswith(f"{here} on {'host' if solver in IN_PLACE else 'emulator'}, ")
    note = f"without a GPU {here} runs in place of {solver}, which the backend emulator would emulate"
    assert (f"note: {note}\n" in done.err) == (solver in IN_PLACE)
    document = json.loads(call("solve", solver, tiny, *ends, "--json").out)
    assert (document["solver"], note in document["notes"]) == (here, solver in IN_PLACE)
    emulated = call("solve", solver, tiny, *ends, "--backend", "emulator")
    assert emulated.out.startswith(f"{solver} on emulator, ")
    assert "without a GPU" not in emulated.err
    monkeypatch.setattr(backend, "cuda_status", lambda: None)
    assert backend.solver_at_hand(solver, "auto") == (solver, ())


@pytest.mark.parametrize("solver", ["sssp/dijkstra-heap", "sssp/mask-sequential", "bfs/queue"])
def test_he_holds_paths_that_are_lines_of_the_graph(solver: str, tmp_path: Path, call: Call) -> None:
    graph = tmp_path / "graph.he"
    call("generate", graph, "--vertices", 60, "--arcs", 240, "--seed", 3)
    own = set(graph.read_text().splitlines()[1:])
    tree, one, some, table = (tmp_path / name for name in ("tree.he", "one.he", "some.he", "d.csv"))
    outputs = itertools.chain.from_iterable(("--output", path) for path in (tree, table))
    call("solve", solver, graph, "--source", 0, *outputs)
    reached = {int(row[0]) for row in rows(table)[1:] if row[1]}
    header, *lines = tree.read_text().splitlines()
    assert header == f"H 60 {len(reached) - 1} 0"
    assert set(lines) <= own
    assert {int(line.split()[2]) for line in lines} == reached - {0}

    target, other = sorted(reached - {0})[-2:]
    done = call("solve", solver, graph, "--source", 0, "--paths-to", target, "--output", one)
    tails, heads = zip(*(line.split()[1:3] for line in one.read_text().splitlines()[1:]), strict=True)
    assert tails == ("0", *heads[:-1])
    assert f"path to {target}: 0 {' '.join(heads)}\n" in done.out
    call("solve", solver, graph, "--source", 0, "--paths-to", target, other, "--output", some)
    assert set(one.read_text().splitlines()[1:]) <= set(some.read_text().splitlines()[1:]) <= set(lines)


def test_connectivity_of_a_pair(tiny: Path, call: Call) -> None:
    out = tiny.parent / "length.csv"
    asked = ("solve", "stcon/two-queues", tiny, "--source", 1, "--output", out, "--target")
    assert "from 1 to 3 (ids from 1): 1 arc; setup" in call(*asked, 3).out
    assert rows(out) == [["vertex_from_1", "length"], ["3", "1"]]
    assert "from 1 to 4 (ids from 1): no path; setup" in call(*asked, 4).out
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
def test_wrong_answer_is_an_error_of_its_own(tiny: Path, call: Call) -> None:
    out = tiny.parent / "levels.csv"
    asked = ("solve", "bfs/wrong", tiny, "--source", 1, "--output", out)
    line = call(*asked).refusal(3)
    assert "vertex 0 has 7 instead of 0" in line
    assert "(ids from 0)" in line
    assert not out.exists()
    call("path", tiny, "--source", 1, "--target", 2, "--solver", "bfs/wrong").refusal(3)
    believed = call(*asked, "--no-check")
    assert believed.status == 0
    assert believed.out.endswith("not checked\n")
    assert rows(out)[1] == ["1", "7"]
    assert "check the answer" in call(*asked, "--no-check", "--paths-to", 2).refusal(1)


@pytest.mark.usefixtures("odd_solvers")
def test_failure_of_a_solver_is_one_line(tiny: Path, call: Call) -> None:
    line = call("solve", "bfs/broken", tiny, "--source", 1).refusal(1)
    assert line == "error: bfs/broken on host failed: ValueError: two lines\n"


FROM_1 = b"1 2 4\n1 3 5\n3 2 -6\n2 4 -2147483646\n"
NEGATIVE = {
    "dimacs": b"p sp 4 4\na " + FROM_1.replace(b"\n", b"\na ", 3),
    "he": b"H 4 4 0\nE 0 1 4\nE 0 2 5\nE 2 1 -6\nE 1 3 -2147483646\n",
    "matrix-market": b"%%MatrixMarket matrix coordinate integer general\n4 4 4\n" + FROM_1,
}


@pytest.mark.parametrize("kind", NEGATIVE)
@pytest.mark.parametrize(
    "solver", ["bellman-ford/sequential", "bellman-ford/edge-list", "bellman-ford/dense"]
)
def test_negative_weights_are_for_bellman_ford(kind: str, solver: str, tmp_path: Path, call: Call) -> None:
    given, out, base = tmp_path / "graph", tmp_path / "d.csv", LAYOUTS[kind].base
    given.write_bytes(NEGATIVE[kind])
    backend = [] if solver.endswith("sequential") else ["--backend", "emulator"]
    asked = ["--source", base, "--output", out, "--paths-to", base + 3, *backend]
    done = call("solve", solver, given, *asked)
    assert done.status == 0, done.err
    distances = ["0", "-1", "5", "-2147483647"]
    assert rows(out)[1:] == [[str(vertex + base), told] for vertex, told in enumerate(distances)]
    assert f"path to {base + 3}: {base} {base + 2} {base + 1} {base + 3}" in done.out
    asked[3] = tmp_path / "tree.he"
    assert "H/E has no negative weights" in call("solve", solver, given, *asked).refusal(1)
    refused = call("solve", "sssp/dijkstra-heap", given, "--source", base).refusal(1)
    assert re.match(rf"error: {given}, line \d: the weight -6 is negative", refused)
    assert "bellman-ford/sequential takes it" in refused
    given.write_bytes(NEGATIVE[kind].replace(b"-2147483646", b"-2147483647"))
    refused = call("solve", solver, given, *asked[:2]).refusal(1)
    assert "with a whole weight from -2147483646 to 2147483646" in refused


def test_a_negative_cycle_is_named(tmp_path: Path, call: Call) -> None:
    given = tmp_path / "cycle.gr"
    given.write_bytes(b"p sp 4 4\na 1 2 1\na 2 3 2\na 3 2 -3\na 4 1 1\n")
    for solver in ("bellman-ford/sequential", "bellman-ford/scipy", "bellman-ford/resident"):
        told = call("solve", solver, given, "--source", 4).refusal(1)
        cycle = r"cycle.gr: vertex [23] lies on a negative cycle that vertex 4 reaches"
        assert re.search(cycle, told)
    assert call("solve", "bellman-ford/sequential", given, "--source", 1).status == 1


def test_a_stored_complete_graph(tmp_path: Path, call: Call) -> None:
    dense.save(dense.DenseGraph(30, 3), tmp_path / "dense-30")
    done = call("solve", "bellman-ford/streams", tmp_path / "dense-30", "--source", 3)
    assert "30 of 30 reached" in done.out
    assert "verified against scipy.sparse.csgraph.dijkstra" in done.out
    dense.save(dense.DenseGraph(50_000, 3), tmp_path / "dense-50000")
    asked = call("solve", "bellman-ford/streams", tmp_path / "dense-50000", "--source", 3)
    assert "dense-50000: 2,499,950,000 arcs are more than 32 bits count" in asked.refusal(1)


ONE_WAY = {
    "dimacs": b"p sp 3 2\na 1 2 4\na 3 2 5\n",
    "snap": b"0 1\n2 1\n",
    "matrix-market": b"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 4\n3 2 5\n",
    "he": b"H 3 2 0\nE 0 1 4\nE 2 1 5\n",
}


@pytest.mark.parametrize("kind", ONE_WAY)
def test_a_graph_of_one_way_arcs_is_not_searched_as_directed_in_silence(
    kind: str, tmp_path: Path, call: Call
) -> None:
    given, base = tmp_path / "graph", LAYOUTS[kind].base
    given.write_bytes(ONE_WAY[kind])
    told = f"note: {given}: some arcs have no reverse, and nothing says whether the graph is directed; it is "
    told += "taken as directed (--undirected adds the reverse arcs)\n"
    asked, reached = ("solve", "bfs/queue", given, "--source", base), ("2 of 3 reached", "3 of 3 reached")
    for options, note, found in (
        ([], "" if kind == "he" else told, reached[0]),
        (["--directed"], "", reached[0]),
        (["--undirected"], "", reached[1]),
    ):
        done = call(*asked, *options)
        assert (done.status, done.err) == (0, note)
        assert found in done.out
    assert call("path", given, "--source", base, "--target", base + 1).err == ("" if kind == "he" else told)
    assert (
        f"{base} {base + 1} {base + 2}"
        in call("path", given, "--source", base, "--target", base + 2, "--undirected").out
    )
    assert "not allowed with" in call(*asked, "--directed", "--undirected").refusal(2)


@pytest.mark.parametrize("content", [*TINY.values(), *TINY_WITHOUT_WEIGHTS.values()])
def test_a_graph_whose_arcs_go_both_ways_needs_no_word(content: bytes, tmp_path: Path, call: Call) -> None:
    (tmp_path / "graph").write_bytes(content)
    for options in ([], ["--directed"], ["--undirected"]):
        done = call("solve", "bfs/queue", tmp_path / "graph", "--source", 1, *options)
        assert (done.status, done.err) == (0, "")


def test_what_is_converted_keeps_its_directions(tmp_path: Path, call: Call) -> None:
    given, folder = tmp_path / "graph.gr", tmp_path / "stored"
    given.write_bytes(ONE_WAY["dimacs"])
    assert "it is taken as directed" in call("convert", given, folder).err
    assert "it is taken as directed" in call("solve", "bfs/queue", folder, "--source", 0).err
    for option, arcs, reached in (("--directed", 2, 2), ("--undirected", 4, 3)):
        done = call("convert", given, folder, option)
        assert (done.err, f"3 vertices, {arcs} arcs" in done.out) == ("", True)
        done = call("solve", "sssp/dijkstra-heap", folder, "--source", 0)
        assert (done.err, f"{reached} of 3 reached" in done.out) == ("", True)


def test_without_the_emulator_one_line_says_how_to_get_it(tiny: Path) -> None:
    program = "import sys; sys.modules['cuda_on_cpu'] = None; from retrace import cli\n"
    program += "sys.exit(cli.main(sys.argv[1:]))"
    done = python(program, "solve", "bfs/bsp", tiny, "--source", 1, "--backend", "emulator")
    told = "error: backend emulator: the emulator is not installed; run `pip install ./scripts/cuda_on_cpu` "
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == 1
    done = python(program, "solve", "bfs/queue", tiny, "--source", 1)
    assert done.returncode == 0, done.stderr


def test_a_folder_called_dash_is_not_standard_input(tmp_path: Path, monkeypatch: Patch, call: Call) -> None:
    monkeypatch.chdir(tmp_path)
    assert "'-' should end in .he" in call("generate", "-", "--vertices", 5, "--arcs", 8).refusal(2)
    Path("-").mkdir()
    Path("-/graph.json").write_text("{}")
    monkeypatch.setattr("sys.stdin", None)
    told = call("solve", "bfs/queue", "-", "--source", 1, "--directed").refusal(1)
    assert "standard input is closed" in told


def test_eccentricities_are_no_paths(tiny: Path, tmp_path: Path, call: Call) -> None:
    told = call("eccentricities", tiny, "--output", tmp_path / "e.he").refusal(2)
    assert "'e.he' should end in .csv, .npy, .npz, .parquet or .json" in told.replace(f"{tmp_path}/", "")
