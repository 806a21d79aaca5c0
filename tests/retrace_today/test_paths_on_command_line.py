"""`path` and `solve` with the searches of today that find a path between two vertices."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import Call, rows


@pytest.mark.parametrize("solver", ["cluster", "fewer-arcs", "auto"])
def test_a_path_between_two_vertices(solver: str, tmp_path: Path, call: Call) -> None:
    graph, path, table = (tmp_path / name for name in ("edges.txt", "path.he", "path.csv"))
    graph.write_text("0 1\n1 2\n2 4\n4 0\n4 3\n")
    spec = f"stcon/{solver}:predecessors=yes"
    asked = (graph, "--directed", "--source", 0, "--solver", spec)
    done = call("path", *asked, "--target", 4, "--output", path, "--output", table)
    assert "optimality certificate of the path" in done.out
    assert done.out.endswith("\n0 1 2 4\n")
    assert path.read_text() == "H 5 3 0\nE 0 1 1\nE 1 2 1\nE 2 4 1\n"
    assert rows(table)[0] == ["vertex_from_0", "length", "predecessor_from_0"]
    assert rows(table)[1:] == [["0", "0", ""], ["1", "1", "0"], ["2", "2", "1"], ["4", "3", "2"]]
    assert call("path", *asked, "--target", 0).out.endswith("\n0\n")
    found = call("solve", spec, graph, "--directed", "--source", 0, "--target", 4, "--output", table)
    assert ": 3 arcs" in found.out
    assert rows(table)[1:] == [["4", "3", "2"]]
    backwards = ("path", graph, "--directed", "--source", 3, "--target", 0, "--solver", spec)
    assert call(*backwards).refusal(1) == f"error: no path leads from 3 to 0 in {graph} (ids from 0)\n"
