"""`convert` and `generate`: graphs that are written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from command_line import Call
from graphs import read_graph
from retrace.graphs import csr
from retrace.records.record import read_records


def test_a_stored_folder_counts_from_0(tiny: Path, call: Call) -> None:
    folder = tiny.parent / "stored"
    done = call("convert", tiny, folder)
    assert done.out.endswith("(stored): 4 vertices, 6 arcs; vertex 1 is now vertex 0, and so on\n")
    assert csr.load(folder).digest() == read_graph(tiny, "dimacs").digest()
    assert csr.load(folder).name == "stored"
    done = call("path", folder, "--source", 0, "--target", 2)
    assert "2 arcs, weight 5 (ids from 0;" in done.out
    assert done.out.endswith("\n0 1 2\n")


@pytest.mark.parametrize("content", [b"hello\n", b"c only\n", b"\x00\xff\n"])
def test_what_is_no_format(content: bytes, tmp_path: Path, call: Call) -> None:
    path = tmp_path / "graph"
    path.write_bytes(content)
    assert "say --format" in call("convert", path, tmp_path / "x.he").refusal(1)


def test_a_line_of_no_format_is_shown(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "edges.txt"
    path.write_bytes(b"\nten: 11\n")
    told = call("convert", path, tmp_path / "x.he").refusal(1)
    assert "'ten: 11' begins no format among dimacs, he, " in told
    assert "write a list of edges" in told
    path.write_bytes(b"")
    assert "it is empty" in call("convert", path, tmp_path / "x.he").refusal(1)


def test_convert_there_and_back(tiny: Path, call: Call) -> None:
    folder = tiny.parent
    for source, target in (("tiny.gr", "a.he"), ("a.he", "b"), ("b", "c.he"), ("c.he", "b")):
        assert call("convert", folder / source, folder / target).status == 0
    assert (folder / "a.he").read_bytes() == (folder / "c.he").read_bytes()
    assert csr.load(folder / "b").digest() == read_graph(tiny, "dimacs").digest()


@pytest.mark.parametrize("options", [[], ["--weights", 3, 4]])
@pytest.mark.parametrize(
    ("problem", "solver", "asked"),
    [("bfs", "bfs/queue", []), ("bfs", "bfs/bsp", ["--sources", 2]),
     ("stcon", "stcon/two-queues", ["--sources", 2]), ("betweenness", "betweenness/seq-array", [])],
)  # fmt: skip
def test_a_graph_of_ones_own_can_be_measured(
    problem: str,
    solver: str,
    asked: list[object],
    options: list[object],
    tmp_path: Path,
    call: Call,
    script: Call,
) -> None:
    edges, folder = tmp_path / "edges.txt", tmp_path / "mine"
    edges.write_text("1 2\n2 1\n2 3\n3 2\n")
    assert call("convert", edges, folder, *options).status == 0
    effort = ("--trials", 3, "--budget-s", 60, "--longest-s", 60)
    usual = ("--experiment", "mine", "--backend", "emulator", *effort, "--output", tmp_path / "records")
    done = script("measure-experiment", *usual, "--graphs", folder, "--solvers", solver, *asked)
    assert done.status == 0
    (one,) = read_records([tmp_path / "records/mine.jsonl"])
    assert (one.status, one.verified, one.problem) == ("ok", True, problem)
    weights, seed = ("generated", 1) if options else ("none", None)
    assert (one.graph.origin, one.graph.edition, one.graph.weights, one.graph.seed) == (
        "own",
        "snap",
        weights,
        seed,
    )
    assert one.source == (0 if solver == "bfs/queue" else None)


def test_what_needs_weights_is_skipped_without_any(unweighted: Path, call: Call, script: Call) -> None:
    """In C++ it would read them all the same; the other solvers of the job are measured."""
    folder, output = unweighted.parent / "mine", unweighted.parent / "records"
    call("convert", unweighted, folder)
    solvers = ("sssp/dijkstra-heap", "sssp/bsp", "sssp/scipy", "bellman-ford/sequential", "bfs/queue")
    usual = ("--experiment", "mine", "--backend", "emulator", "--output", output)
    effort = ("--trials", 3, "--budget-s", 60, "--longest-s", 60)
    measured = ("--graphs", folder, "--solvers", *solvers)
    assert script("measure-experiment", *usual, *effort, *measured).status == 0
    *weighted, bfs = read_records([output / "mine.jsonl"])
    told = ("skipped", "the graph has no weights; draw some with `retrace convert --weights`")
    assert {(one.status, one.reason) for one in weighted} == {told}
    assert bfs.status == "ok"


def test_what_a_stored_graph_is_stays_known(tiny: Path, call: Call) -> None:
    first, second = tiny.parent / "first", tiny.parent / "second"
    call("convert", tiny, first)
    info = {**csr.load(first).info, "origin": "dimacs", "edition": "mine", "source": 2}
    csr.save(replace(csr.load(first), info=info), first)
    call("convert", first, second)
    assert csr.load(second).info == info | {"name": "second"}


@pytest.mark.parametrize(
    ("edges", "suffix", "told"),
    [("1 2 5\n2 1 5\n", ".he",
      "it says that the graph is directed: scores of betweenness in it are twice as large"),
     ("1 2 5\n2 3 5\n", ".he", ""), ("# directed\n1 2 5\n2 1 5\n", ".he", ""), ("1 2 5\n2 1 5\n", ".mtx", ""),
     ("1 2 5\n1 2 6\n2 1 5\n2 1 6\n", ".mtx", "it has parallel arcs, which SciPy adds up"),
     ("1 2 5\n1 2 6\n2 1 5\n2 1 6\n", ".graph", "it has parallel arcs, which others merge"),
     ("1 2 5\n1 2 6\n", ".gr", "")],
)  # fmt: skip
def test_what_others_read_otherwise_is_said(
    edges: str, suffix: str, told: str, tmp_path: Path, call: Call
) -> None:
    (tmp_path / "list.txt").write_text(edges)
    done = call("convert", tmp_path / "list.txt", tmp_path / f"to{suffix}")
    for words in ("it says that the graph is directed", "it has parallel arcs"):
        assert (words in done.out) is told.startswith(words)
    assert done.status == 0
    assert told in done.out


def test_convert_draws_weights_only_if_asked(unweighted: Path, call: Call) -> None:
    out = unweighted.parent / "x.he"
    assert "has none; draw some" in call("convert", unweighted, out).refusal(1)
    call("convert", unweighted, out, "--weights", 3, 4, "--seed", 5)
    weights = read_graph(out, "he").weights
    assert weights is not None
    assert set(weights) <= {3, 4}
    assert "weights of its own" in call("convert", out, unweighted.parent / "y", "--weights", 1, 1).refusal(1)
    asked = ("convert", unweighted, out, "--weights", 4, 3)
    assert "expected a range" in call(*asked).refusal(1)
    assert "--seed is that of --weights; leave it out" in call(
        "convert", unweighted, out, "--seed", 5
    ).refusal(2)


def test_convert_never_replaces_a_folder_of_something_else(tiny: Path, call: Call) -> None:
    home = tiny.parent / "home"
    home.mkdir()
    (home / "letters").write_text("dear")
    assert "other content" in call("convert", tiny, home).refusal(1)
    assert (home / "letters").exists()


@pytest.mark.parametrize("amount", [("--density", 0.05), ("--arcs-per-vertex", 3.15), ("--arcs", 202)])
def test_generate(amount: tuple[str, float], tmp_path: Path, call: Call) -> None:
    outs = [tmp_path / "a.he", tmp_path / "b"]
    done = [call("generate", out, "--vertices", 64, *amount, "--weights", 2, 5) for out in outs]
    assert "64 vertices, 202 arcs, weakly connected, weights 2 to 5, seed 1, sha256" in done[0].out
    stored = csr.load(outs[1])
    assert stored.digest() == read_graph(outs[0], "he").digest()
    assert stored.info["origin"] == "generated"
    assert stored.info["sha256"] in done[0].out


def test_generate_on_a_device(tmp_path: Path, call: Call) -> None:
    asked = ("--vertices", 64, "--arcs", 202, "--generator", "random-degree", "--backend", "emulator")
    assert "perhaps not connected" in call("generate", tmp_path / "a.he", *asked).out
