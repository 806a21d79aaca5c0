"""`path`: a shortest path in the ids of the file."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from command_line import Call, rows


def test_path_in_every_format(tiny: Path, call: Call) -> None:
    outputs = [tiny.parent / f"path.{suffix}" for suffix in ("he", "csv", "npy")]
    asked = ["path", tiny, "--source", 3, "--target", 1]
    done = call(*asked, *itertools.chain.from_iterable(("--output", path) for path in outputs))
    assert done.out == (
        f"path from 3 to 1 in {tiny}: 2 arcs, weight 5 (ids from 1; sssp/dijkstra-heap, verified against "
        "scipy.sparse.csgraph.dijkstra)\n3 2 1\n"
    )
    assert outputs[0].read_text() == "H 4 2 0\nE 2 1 0\nE 1 0 5\n"  # counts from 0
    assert rows(outputs[1]) == [["vertex_from_1", "distance"], ["3", "0"], ["2", "0"], ["1", "5"]]
    assert np.load(outputs[2]).tolist() == [(3, 0), (2, 0), (1, 5)]
    fewest = call(*asked, "--solver", "bfs/queue")
    assert "1 arc, weight 7 (" in fewest.out
    assert fewest.out.endswith("\n3 1\n")
    assert call("path", tiny, "--source", 2, "--target", 2).out.endswith("\n2\n")


def test_path_without_weights(unweighted: Path, call: Call) -> None:
    done = call("path", unweighted, "--source", 0, "--target", 2)
    assert ": 1 arc (ids from 0; bfs/queue" in done.out


@pytest.mark.parametrize("weight", ["0,5", "nan", "00:05:30", "50%", "NA", "", "3e9", "0.1234567891234"])
@pytest.mark.parametrize("asked", [["path", "--source", "a", "--target", "c"], ["eccentricities"]])
def test_weights_that_cannot_be_used_are_not_left_out(
    weight: str, asked: list[str], tmp_path: Path, call: Call
) -> None:
    table = tmp_path / "table.csv"
    table.write_text(f"source;target;weight\na;b;{weight}\nb;c;1\na;c;2\n")
    command, *rest = asked
    wrong = call(command, table, "--undirected", *rest).refusal(1)
    assert f"{table}: sssp/dijkstra-heap needs weights; its" in wrong
    assert call(command, table, "--undirected", *rest, "--solver", "bfs/queue").status == 0


@pytest.mark.parametrize(
    "solver",
    [
        "bfs/queue",
        "bfs/two-frontier",
        "bfs/matrix",
        "bfs/bsp",
        "bfs/block-queue",
        "bfs/block-queue-published",
    ],
)
def test_paths_and_trees_of_a_graph_without_weights(solver: str, tmp_path: Path, call: Call) -> None:
    graph, tree, one, table = (tmp_path / name for name in ("edges.txt", "tree.he", "path.he", "tree.csv"))
    graph.write_text("0 1\n1 2\n0 3\n3 2\n2 4\n4 0\n")
    asked = (graph, "--directed", "--source", 0)
    done = call("solve", solver, *asked, "--output", tree, "--output", table)
    assert "optimality certificate of the tree" in done.out
    assert tree.read_text() == "H 5 4 0\nE 0 1 1\nE 0 3 1\nE 1 2 1\nE 2 4 1\n"
    assert rows(table)[0] == ["vertex_from_0", "level", "predecessor_from_0"]
    assert [row[2] for row in rows(table)[1:]] == ["", "0", "1", "0", "2"]
    done = call("path", *asked, "--target", 4, "--solver", solver, "--output", one)
    assert done.out.endswith("\n0 1 2 4\n")
    assert one.read_text() == "H 5 3 0\nE 0 1 1\nE 1 2 1\nE 2 4 1\n"


def test_a_length_alone_is_no_path(tiny: Path, call: Call) -> None:
    told = call("path", tiny, "--source", 1, "--target", 2, "--solver", "stcon/bsp").refusal(2)
    assert "stcon/bsp finds a length, but no path; use a bfs solver" in told
    told = call("path", tiny, "--source", 1, "--target", 2, "--solver", "stcon/fewer-arcs").refusal(2)
    assert "set predecessors=yes, or use a bfs solver" in told


def test_the_path_of_a_pair_is_that_to_its_target(tiny: Path, call: Call, tmp_path: Path) -> None:
    asked = "solve", "stcon/fewer-arcs:predecessors=yes", tiny, "--source", 1, "--target", 2
    assert "path to 2: 1 2" in call(*asked, "--paths-to", 2).out
    assert "finds the path to --target alone" in call(*asked, "--paths-to", 3).refusal(2)
    assert call(*asked, "--output", tmp_path / "x.he").status == 0


def test_no_path_is_told_in_the_files_ids(tiny: Path, call: Call) -> None:
    line = call("path", tiny, "--source", 1, "--target", 4).refusal(1)
    assert line == f"error: no path leads from 1 to 4 in {tiny} (ids from 1)\n"
