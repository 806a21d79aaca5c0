"""A graph in hand, as people report it: read with the right value, or refused in one line that can help."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from command_line import ENVIRONMENT, PROJECT, Call, Patch, rows, run
from cuda_device import memory
from cuda_device.errors import OneLineError
from exact_betweenness import exact_scores
from graph_files import DIMACS, DIRECTED, EDGES, PACKED, PACKERS, UNDIRECTED, Edge, renderings
from graphs import graph
from retrace.graphs.csr import CSRGraph
from retrace.graphs.formats import lines
from retrace.graphs.query import Query
from retrace_commands import graph_file, parquet_files
from retrace_commands.graph_file import GraphFile, read_graph, write_graph
from retrace_commands.library import load, solve
from retrace_commands.scores import normalisation
from schedules import examples

Arcs = list[tuple[str, str]]
TRIANGLE: Arcs = [("1", "2"), ("2", "3"), ("1", "3")]


def read(content: bytes | str, tmp_path: Path, name: str = "graph", **options: object) -> GraphFile:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_graph(path, **{"kind": "auto", **options})  # type: ignore[arg-type]


def arcs_of(found: GraphFile) -> list[tuple[str, str]]:
    ends = zip(found.graph.tails().tolist(), found.graph.indices.tolist(), strict=True)
    return sorted((found.label(tail), found.label(head)) for tail, head in ends)


def both(edges: Arcs) -> Arcs:
    return sorted({*edges, *((head, tail) for tail, head in edges)})


def refusal(content: bytes | str, tmp_path: Path, name: str = "graph", **options: object) -> str:
    with pytest.raises(OneLineError) as caught:
        read(content, tmp_path, name, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("content", UNDIRECTED.values(), ids=UNDIRECTED)
def test_what_a_file_says_of_directions_holds_of_its_arcs(content: str, tmp_path: Path) -> None:
    name = "graph.metis" if content in (UNDIRECTED["METIS"], UNDIRECTED["METIS with weights"]) else "graph"
    found = read(content, tmp_path, name, solver="betweenness/seq-array")
    assert found.graph.info["directed"] is False
    assert arcs_of(found) == both(TRIANGLE)


@pytest.mark.parametrize("content", DIRECTED.values(), ids=DIRECTED)
def test_directed_files(content: str, tmp_path: Path) -> None:
    found = read(content, tmp_path, solver="betweenness/seq-array")
    assert found.graph.info["directed"] is True
    assert arcs_of(found) == sorted(TRIANGLE)


@pytest.mark.parametrize("content", EDGES.values(), ids=EDGES)
def test_lists_of_edges(content: str, tmp_path: Path) -> None:
    found = read(content, tmp_path, directed=True)
    assert arcs_of(found) == sorted(TRIANGLE)
    assert (found.base, found.names, found.graph.vertices) == (1, None, 3)


@pytest.mark.parametrize("field", ["integer", "real", "pattern"])
def test_a_symmetric_matrix_with_both_halves_has_each_edge_once(field: str, tmp_path: Path) -> None:
    weight = {"integer": " 5", "real": " 5.0", "pattern": ""}[field]
    banner = f"%%MatrixMarket matrix coordinate {field} symmetric\n3 3"
    lower = [f"2 1{weight}", f"3 2{weight}", f"3 3{weight}"]
    upper = [f"1 2{weight}", f"2 3{weight}"]
    half, whole = (
        read("\n".join([f"{banner} {len(rows)}", *rows, ""]), tmp_path) for rows in (lower, lower + upper)
    )
    assert sorted(arcs_of(whole)) == sorted(arcs_of(half))
    assert len(arcs_of(half)) == 5


def test_columns_that_nobody_asked_for_are_named(tmp_path: Path) -> None:
    table = "from,to,km,toll\nann,bob,0.5,1\nbob,cy,1,2\n"
    note = "km, toll: not read, so arcs have no weights (--columns from to NAME reads them)"
    assert note in read(table, tmp_path).notes
    for columns in (["from", "to"], ["from", "to", "km"]):
        assert note not in read(table, tmp_path, columns=columns).notes
    assert note.replace("km, ", "") not in read(table.replace("km", "weight"), tmp_path).notes


@pytest.mark.parametrize(
    "content",
    ["root 1\n2 3\n4 5\n", "u v\nv w\nw x\n", "start a\na end\n", "root 1\n1 2\n2 3\n", "a b\n1 2\n2 a\n",
     "S1 7 2\n7 8 2\n8 S1 5\n", "u,v,4\nv,w,5\nw,u,1\n"],
)  # fmt: skip
def test_a_first_edge_is_no_header(content: str, tmp_path: Path) -> None:
    rows = [line.replace(",", " ").split()[:2] for line in content.splitlines()]
    assert arcs_of(read(content, tmp_path, kind="edges")) == sorted(tuple(row) for row in rows)


@pytest.mark.parametrize("large", [1 << 20, 1])
@pytest.mark.parametrize("mark", [",", " "])
def test_names_that_are_numbers_written_otherwise_stay_apart(
    mark: str, large: int, tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(graph_file, "LARGE_LIST", large)
    edges = [("01234", "1234"), ("1234", "7"), ("+7", "07"), ("00", "-0"), ("-7", "7")]
    content = "".join(f"{tail}{mark}{head}\n" for tail, head in edges)
    found = read(content, tmp_path, directed=True)
    assert arcs_of(found) == sorted(edges)
    assert found.graph.vertices == 8
    solution = solve("bfs/queue", load(tmp_path / "graph", directed=True), "01234")
    assert solution.by_name() == {"01234": 0, "1234": 1, "7": 2}


@pytest.mark.parametrize("lines_before", [0, 20_000])
def test_a_padded_number_after_plain_lines_is_a_name(lines_before: int, tmp_path: Path) -> None:
    found = read(lines_before * "1234 7\n" + "01234 1234\n1234 7\n", tmp_path, kind="edges")
    assert {*arcs_of(found)} == {("01234", "1234"), ("1234", "7")}


def test_names_of_graphml_come_back(tmp_path: Path) -> None:
    networkx = pytest.importorskip("networkx")
    edges = [("a&b", "c<d"), ("c<d", 'é"q'), ("x&#38;y", "a&b")]
    networkx.write_graphml(networkx.DiGraph(edges), tmp_path / "names.graphml")
    assert solve("bfs/queue", tmp_path / "names.graphml", "a&b").by_name() == {"a&b": 0, "c<d": 1, 'é"q': 2}
    assert solve("bfs/queue", tmp_path / "names.graphml", "x&#38;y").by_name()["a&b"] == 1


def test_a_first_edge_that_may_be_a_header_is_named(tmp_path: Path) -> None:
    table = "person,friend\nann,bob\nbob,cy\n"
    note = "line 1 is read as an edge (--columns person friend: as names of columns)"
    assert note in read(table, tmp_path).notes
    named = read(table, tmp_path, columns=["person", "friend"])
    assert arcs_of(named) == [("ann", "bob"), ("bob", "cy")]
    assert note not in named.notes
    assert not any("line 1" in one for one in read("ann,bob\nbob,cy\ncy,dan\n", tmp_path).notes)


def test_the_weight_is_chosen_by_its_name_or_by_option(tmp_path: Path) -> None:
    found = read("source,target,distance,weight\n1,2,10,1\n2,3,10,1\n", tmp_path)
    assert found.graph.weights is not None
    assert found.graph.weights.tolist() == [1, 1]
    two = "source,target,capacity,cost\n1,2,10,1\n"
    assert "capacity or cost may be the weight; say which by --columns" in refusal(two, tmp_path)
    assert read(two, tmp_path, columns=["source", "target", "cost"]).graph.weights.tolist() == [1]  # type: ignore[union-attr]


@pytest.mark.parametrize("directed", [True, False])
def test_scores_follow_what_a_file_says_of_directions(directed: bool, tmp_path: Path) -> None:
    both = [(1, 2), (2, 1), (2, 3), (3, 2)]
    path = tmp_path / "path.graphml"
    networkx = pytest.importorskip("networkx")
    networkx.write_graphml((networkx.DiGraph if directed else networkx.Graph)(both), path)
    assert solve("betweenness/seq-array", path).values.tolist() == [0, 2 if directed else 1, 0]


def test_columns_by_option(tmp_path: Path) -> None:
    table = "time,cost,b,a\n9,5,2,1\n9,7,3,2\n"
    for columns in (["a", "b", "cost"], ["4", "3", "2"]):
        found = read(table, tmp_path, columns=columns)
        assert (arcs_of(found), found.graph.weights.tolist()) == ([("1", "2"), ("2", "3")], [5, 7])  # type: ignore[union-attr]
    assert "say --columns" in refusal(table, tmp_path)
    assert "has no column c; expected one of: time, cost, b, a" in refusal(
        table, tmp_path, columns=["a", "c"]
    )
    shifted = "from,to\nr1,1,2\nr2,2,3\n"  # as R writes the names of rows
    assert "line 2: expected 2 cells, as on the first line" in refusal(shifted, tmp_path, kind="edges")


def test_columns_whose_names_begin_with_a_dash(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "x.csv"
    path.write_text("-from,to-id,-w\n1,2,5\n2,3,7\n")
    asked = "solve", SSSP, path, "--source", 1, "--directed"
    done = call(*asked, "--columns=-from", "--columns", "to-id", "--columns=-w")
    assert "largest distance 12" in done.out
    hint = "a value that begins with a dash stands behind =, as in --{}; see"
    assert hint.format("columns=-VALUE") in call(*asked, "--columns", "-from", "to-id").refusal(2)
    assert hint.format("OPTION=-w") in call(*asked, "--columns", "1", "2", "-w").refusal(2)
    (note, *_) = [note for note in read(path.read_text(), tmp_path).notes if "not read" in note]
    assert note.endswith("(--columns=-from --columns=to-id --columns=-w reads them)")


@pytest.mark.parametrize("pieces", [False, True])
def test_a_column_that_may_be_the_weight_is_named_where_weights_are_needed(
    pieces: bool, tmp_path: Path, call: Call, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    path = tmp_path / "x.csv"
    path.write_text("source,target,foo\n1,2,3\n2,3,4\n")
    asked = "solve", SSSP, path, "--source", 1, "--directed"
    told = (
        f"{path}: {SSSP} needs weights; foo: not read, so arcs have no weights (--columns source target foo"
    )
    assert told in call(*asked).refusal(1)
    assert "largest distance 7" in call(*asked, "--columns", "source", "target", "foo").out
    path.write_text("source,target,foo,bar\n1,2,3,4\n2,3,4,5\n")
    assert "needs weights; foo, bar: not read, so arcs have no weights (--columns source target NAME" in call(
        *asked
    ).refusal(1)
    frame = pd.DataFrame([(1, 2, 3)], columns=["source", "target", "foo"])
    with pytest.raises(OneLineError, match=f"pandas.DataFrame: {SSSP} needs weights; foo: not read"):
        solve(SSSP, load(frame), 1)


MANY = 1 << 16
"""Lines of a list that is read in pieces."""


@pytest.mark.parametrize("lines", [3, MANY])
def test_times_in_a_third_column_without_a_name_are_no_weights(lines: int, tmp_path: Path) -> None:
    temporal = "".join(f"{k % 99} {k % 98} {1217567877 + k}\n" for k in range(lines))  # as SNAP has them
    wrong = refusal(temporal, tmp_path, solver="sssp/dijkstra-heap")
    assert "its third column has times (seconds since 1970, or days): --columns 1 2 leaves them out" in wrong
    assert read(temporal, tmp_path, solver="bfs/queue").graph.arcs == lines
    assert read(temporal, tmp_path, columns=["1", "2"]).no_weights == ""
    chosen = read(temporal, tmp_path, columns=["1", "2", "3"], solver="sssp/dijkstra-heap")
    assert chosen.graph.weights is not None
    assert chosen.graph.weights.min() == 1217567877
    named = read("source,target,weight\n1,2,1217567877\n2,3,1217567878\n", tmp_path)
    assert named.graph.weights is not None
    mixed = read("1 2 1217567877\n2 3 7\n", tmp_path)
    assert mixed.graph.weights is not None


@pytest.mark.parametrize("lines", [2, MANY])
@pytest.mark.parametrize("header", ["source,target,weight", "id1,id2", "from,to"])
def test_a_header_that_is_repeated_is_no_edge(header: str, lines: int, tmp_path: Path) -> None:
    weight = ",5" if header.count(",") == 2 else ""
    part = "".join(f"{k},{k + 1}{weight}\n" for k in range(lines))
    tail, head = header.split(",")[:2]
    told = f"line 1 names columns {tail} and {head}, and so are two vertices called; remove further headers"
    assert told in refusal(f"{header}\n{part}{header}\n{part}", tmp_path)
    assert read("from,to\nto,x\nfrom,y\n", tmp_path).graph.arcs == 3  # names of vertices


def test_columns_that_may_be_no_ends_of_edges_are_named(tmp_path: Path) -> None:
    nodes = "id,label\n1,Ann\n2,Bob\n"  # Gephi's other table
    note = "id and label are read as the ends of edges (--columns TAIL HEAD: others)"
    assert note in read(nodes, tmp_path).notes
    assert note not in read(nodes, tmp_path, columns=["id", "label"]).notes
    assert not any("ends" in said for said in read("from,to\n1,2\n", tmp_path).notes)


def test_numbers_that_are_written_in_two_ways_are_named(tmp_path: Path) -> None:
    for one, other in (("1e+05", "100000"), ("100000", "1e5"), ("1E5", "100000.0"), ("1.50", "1.5")):
        found = read(f"{one} {other}\n{other} 7\n", tmp_path, kind="edges")
        assert found.graph.vertices == 3
        assert any(said.endswith("are two vertices") for said in found.notes), (one, other)
    for one, other in (("1e5", "1e6"), ("e5", "5e"), ("12e", "12"), (f"0.{'1' * 40}", f"0.{'1' * 40}2")):
        assert not any("are two" in said for said in read(f"{one} {other}\n", tmp_path, kind="edges").notes)


NO_TABLES = {**UNDIRECTED, **DIRECTED, "DIMACS": DIMACS.decode()}


@pytest.mark.parametrize("name", sorted(NO_TABLES.keys() - {"SNAP says undirected", "SNAP says directed"}))
def test_columns_are_refused_where_a_format_says_what_they_are(name: str, tmp_path: Path) -> None:
    file = "graph.graph" if name.startswith(("METIS", "PACE 2022")) else "graph"
    assert "--columns 2 1: are those of a list of edges or Parquet, found " in refusal(
        NO_TABLES[name], tmp_path, file, columns=["2", "1"]
    )


def test_columns_of_a_stored_folder_are_refused(tmp_path: Path) -> None:
    write_graph(graph(2, (0, 1, 1)), tmp_path / "stored")
    with pytest.raises(OneLineError, match="stored: --columns 2 1: are those of a list of edges or Parquet"):
        read_graph(tmp_path / "stored", "auto", columns=["2", "1"])


def test_columns_after_counts_and_of_what_looks_like_metis(tmp_path: Path) -> None:
    counted = "4 3\n0 1\n1 2\n2 3\n"
    assert "found counted" in refusal(counted, tmp_path, kind="counted", columns=["2", "1"])
    assert "line 1: expected the numbers of vertices" in refusal("u,v\n1,2\n", tmp_path, kind="counted")
    cycle = read("4 4\n2 4\n1 3\n2 4\n1 3\n", tmp_path, columns=["2", "1"], directed=True)
    assert arcs_of(cycle).count(("4", "2")) == 2


def test_counts_on_the_first_line_are_understood_or_questioned(tmp_path: Path) -> None:
    counted = read("4 3\n0 1\n1 2\n2 3\n", tmp_path)
    assert (counted.graph.vertices, counted.graph.arcs, counted.base) == (4, 3, 0)
    assert "line 1" in counted.notes[0]
    from_one = read("5 3\n1 2\n2 3\n3 4\n", tmp_path)  # the last has no edge
    assert (from_one.graph.vertices, from_one.graph.arcs, from_one.base) == (5, 3, 1)
    triangle = read("3 3\n1 2\n2 3\n1 3\n", tmp_path)  # as long as METIS would be
    assert (triangle.graph.vertices, triangle.graph.arcs, triangle.base) == (3, 3, 1)
    weighted = read("3 2\n0 1 9\n1 2 8\n", tmp_path)
    assert (weighted.graph.vertices, weighted.graph.weights.tolist()) == (3, [9, 8])  # type: ignore[union-attr]
    for wrong in ("4 4\n0 1\n1 2\n2 3\n", "4 2\n0 1\n1 2\n2 3\n", "3 5\n0 1 9\n1 2 8\n"):
        assert "line 1: " in refusal(wrong, tmp_path)
        assert "--format edges" in refusal(wrong, tmp_path)
    as_edges = read("4 3\n0 1\n1 2\n2 3\n", tmp_path, kind="edges", directed=True)
    assert ("4", "3") in arcs_of(as_edges)
    plain = read("0 1\n1 2\n2 3\n", tmp_path)  # 1 is no number of edges here
    assert plain.graph.arcs == 3


def test_metis_and_a_list_of_edges_are_told_apart(tmp_path: Path) -> None:
    cycle = "4 4\n2 4\n1 3\n2 4\n1 3\n"
    assert "may be METIS" in refusal(cycle, tmp_path)
    square = both([("1", "2"), ("2", "3"), ("3", "4"), ("1", "4")])
    assert arcs_of(read(cycle, tmp_path, "cycle.graph")) == square
    assert arcs_of(read(cycle, tmp_path, kind="metis")) == square
    one_way = "3 2\n2\n3\n1 2\n"
    assert "at both its ends" in refusal(one_way, tmp_path, "x.graph")
    once = "3 2 001\n2 5\n3 1\n\n"  # as PACE's directed graphs, but with weights, which those do not have
    assert "expected 2 edges, each at both ends, found 2" in refusal(once, tmp_path, "x.graph")
    assert "expected 3 lines after the header" in refusal("3 2\n2\n1\n", tmp_path, "x.graph")
    assert "no self-loops" in refusal("2 2\n1 2\n1 2\n", tmp_path, "x.graph")
    assert "one weight at both ends of the edge 1 2" in refusal("2 1 1\n2 5\n1 6\n", tmp_path, "x.graph")
    alone = read("3 1\n2\n1\n\n", tmp_path, "x.graph")  # the last line is that of a vertex without edges
    assert (alone.graph.vertices, alone.graph.arcs) == (3, 2)


@pytest.mark.parametrize(
    ("content", "note"),
    [("source,target,distance,weight\na,b,1,10\nb,c,2,20\n",
      "weight is read as the weight, and not distance (--columns source target NAME: another)"),
     ("From Station,To Station,Miles\nA B,C D,3\nC D,E F,4\n",
      "Miles is read as the weight (--columns 'From Station' 'To Station': without weights)"),
     ("p max 3 2\nn 1 s\nn 3 t\na 1 2 4\na 2 3 4\n",
      "the capacities of its flow problem are read as weights")],
    ids=["two weights", "blanks in names", "flow"],
)  # fmt: skip
def test_what_is_taken_as_the_weight_is_said(content: str, note: str, tmp_path: Path) -> None:
    assert any(said.endswith(note) for said in read(content, tmp_path, directed=True).notes)


def test_skew_symmetric_matrices_have_both_signs(tmp_path: Path) -> None:
    matrix = "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 -0.5\n"
    found = read(matrix, tmp_path, solver="bellman-ford/sequential", directed=True)
    assert arcs_of(found) == [("1", "2"), ("1", "3"), ("2", "1"), ("3", "1")]
    assert (found.graph.weights.tolist(), found.scale) == ([-10, 1, 10, -1], 2)  # type: ignore[union-attr]


def test_repeated_entries_of_a_matrix_are_said_where_weights_matter(tmp_path: Path) -> None:
    """SciPy adds them up; here they are parallel arcs, of which a path takes the lightest."""
    for field, weights in (("integer", (5, 3)), ("real", (2.5, 0.5))):
        matrix = f"%%MatrixMarket matrix coordinate {field} general\n2 2 {{}}\n1 2 {weights[0]}\n"
        twice = matrix.format(2) + f"1 2 {weights[1]}\n"
        repeated = read(twice, tmp_path, solver="sssp/dijkstra-heap", directed=True)
        assert repeated.graph.arcs == 2
        assert [note for note in repeated.notes if "SciPy would add up the weights" in note]
        assert not read(twice, tmp_path, solver="bfs/queue", directed=True).notes
        once = read(matrix.format(1), tmp_path, solver="sssp/dijkstra-heap", directed=True)
        assert not any("repeated" in note for note in once.notes)


def zstd(content: bytes) -> bytes:
    try:
        return subprocess.run(["zstd", "-c"], input=content, capture_output=True, check=True).stdout
    except FileNotFoundError:
        pytest.skip("no zstd")


BOMBS = (b"1 2\n", b" ", b"alice bob\n", b"\n", b"# no\n")


@pytest.mark.parametrize("pack", [*PACKERS.values(), zstd], ids=[*PACKERS, "zstd"])
def test_what_unpacks_to_more_than_memory_is_refused(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(memory, "available", lambda: 1 << 20)
    for line in BOMBS if pack is PACKERS["gzip"] else BOMBS[:1]:
        size = (5 if line == b" " else 3) << 20  # lines fill the memory before their bytes do
        bomb = pack(b"1 2\n" * 9000 + line * (size // len(line)) + b"1 2\n")
        for kind in ("auto", "metis"):
            assert "memory" in refusal(bomb, tmp_path, kind=kind)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [("# Nodes: 50 Edges: 40\n0 1\n1 2\n", "expected 40 edges, as its comment says, found 2"),
     ("# Nodes: 3 Edges: 3\n0 1\n1 2\n", "expected 3 edges"),
     ("# Nodes: 2 Edges: 2\n0 1\n1 2\n", "2 vertices"),
     ("% sym unweighted\n% 3 4 4\n1 2\n2 3\n", "line 2: expected 3 edges, found 2"),
     ("% bip unweighted\n1 2\n", "two sides"), ("p td 3 3\n1 2\n2 3\n", "expected 3 lines"),
     ("p hs 3 3\n1 2\n2 3\n", "hypergraph"), ("p edge 2 2\ne 1 2\n", "expected 2 lines"),
     ("p edge 2 1\ne 1 3\n", "ids from 1 to 2"), ("1 2\n3\n", "line 2: expected 2 cells"),
     ("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", "convert the matrix"),
     ("%%MatrixMarket matrix array real skew-symmetric\n1 1\n0\n", "convert the matrix"),
     ("((1,2),3);\n(1,(2,3));\n", "Newick"), ("*Vertices 9999999\n1 2\n", "would fill the memory"),
     ("*Vertices 3\n*Arcs\n1 2\n*Edgeslist\n2 3\n", "line 5: expected *Arcs or *Edges alone"),
     ("<graphml><graph><node id='a'/></graph></graphml>", "expected edgedefault"),
     ("<graphml><graph edgedefault='directed'/><graph edgedefault='directed'/></graphml>", "one graph"),
     ("<graphml><graph edgedefault='directed'><hyperedge/></graph></graphml>", "found a hyperedge"),
     ("<graphml><graph edgedefault='directed'><node id='a'/><edge source='a' target='a' directed='false'/>"
      "</graph></graphml>", "all edges as edgedefault says"),
     ("%%MatrixMarket matrix coordinate real general\n2 3 0\n", "square"), ("{}", "JSON"),
     ("digraph G {\n a -> b\n}\n", "Graphviz"), ("<html></html>\n", "web page"),
     (PACKERS["gzip"](b"PAR1\x00\x00"), "Parquet"),
     ("0 1\n" * 99 + "1 \x00\n", "zero byte"), (b"\xfd7zXZ\x00junk", "damaged"),
     ("graph [ node [\n", "found its end in a block"),
     ("<graphml><graph edgedefault='directed'><node id='a'/><edge source='a' target='a'><data key='w'>5"
      "</data></edge></graph></graphml>", "expected a <key> for the data 'w'"),
     ("*Vertices 1\n1 \"a\"\n*Edgy\n1 1\n", "found '*Edgy'"), ("1² 2\n3 4 5\n", "line 2"),
     ("a {'weight': 3}\nb {'weight': 4}\n", "line 1: expected two vertices before the attributes"),
     ("hello\n", "begins no format"),
     ("to be\nor not to be\nthat is the\nquestion of this play\n", "begins no format"),
     ("", "it is empty")],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_its_cause(content: bytes | str, complaint: str, tmp_path: Path) -> None:
    assert complaint in refusal(content, tmp_path)


def test_vertices_without_an_edge_that_a_comment_counts_are_named(tmp_path: Path) -> None:
    found = read("# Nodes: 5 Edges: 2\n0 1\n1 2\n", tmp_path)
    assert found.graph.vertices == 3
    assert "5 vertices; 2 without an edge" in found.notes[0]


@pytest.mark.parametrize("content", PACKED.values(), ids=PACKED)
def test_packed_files(content: bytes, tmp_path: Path) -> None:
    found = read(content, tmp_path)
    assert (arcs_of(found), found.graph.weights.tolist()) == ([("1", "2"), ("2", "3")], [5, 7])  # type: ignore[union-attr]
    with pytest.raises(OneLineError):
        read(content[:-9], tmp_path)


def test_zstd(tmp_path: Path, monkeypatch: Patch) -> None:
    packed = zstd(DIMACS)
    assert arcs_of(read(packed, tmp_path)) == [("1", "2"), ("2", "3")]
    assert "damaged" in refusal(packed[:-5], tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "install it" in refusal(packed, tmp_path)


def test_standard_input() -> None:
    done = run("solve", "bfs/queue", "-", "--source", "alice", input="alice bob\nbob eve\nalice eve\n")
    assert "from alice (names of the file): 3 of 3 reached" in done.stdout, done.stderr


def test_names_and_ids_of_any_size_come_back(tmp_path: Path, call: Call) -> None:
    path, out = tmp_path / "names.csv", tmp_path / "d.csv"
    path.write_text('from,to\n"Łódź, old",Brno\nBrno,116374117927631468606\n')
    done = call("solve", "bfs/queue", path, "--source", "Łódź, old", "--output", out, "--directed")
    assert done.status == 0, done.err
    assert [row[:2] for row in rows(out)] == [
        ["vertex", "level"], ["Łódź, old", "0"], ["Brno", "1"], ["116374117927631468606", "2"]
    ]  # fmt: skip
    done = call("path", path, "--source", "Brno", "--target", "116374117927631468606", "--directed")
    assert done.out.endswith("\nBrno 116374117927631468606\n")
    assert "no vertex" in call("path", path, "--source", "Oslo", "--target", "Brno", "--directed").refusal(1)


def test_gaps_and_negative_ids_are_names(tmp_path: Path) -> None:
    found = read("-5 3\n3 999999999999999999999\n", tmp_path, directed=True)
    assert found.graph.vertices == 3
    assert arcs_of(found) == [("-5", "3"), ("3", "999999999999999999999")]
    gaps = read("2 4\n4 8\n", tmp_path, directed=True)
    assert (gaps.graph.vertices, arcs_of(gaps)) == (3, [("2", "4"), ("4", "8")])


SSSP = "sssp/dijkstra-heap"


@pytest.mark.parametrize(
    ("weights", "scale", "wanted"),
    [(["5", "3.0"], 1, [5, 3]), (["0.5", "0.3"], 10, [5, 3]), (["803.5", "1"], 2, [1607, 2]),
     (["1e3", "2.5E-1"], 4, [4000, 1]), (["+3", "007"], 1, [3, 7])],
)  # fmt: skip
def test_fractions_are_scaled_exactly(
    weights: list[str], scale: int, wanted: list[int], tmp_path: Path
) -> None:
    matrix = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 {}\n2 3 {}\n".format(*weights)
    for content in (
        matrix,
        "p sp 3 2\na 1 2 {}\na 2 3 {}\n".format(*weights),
        "1 2 {}\n2 3 {}\n".format(*weights),
    ):
        found = read(content, tmp_path, solver=SSSP, directed=True)
        assert found.graph.weights is not None
        assert (found.scale, found.graph.weights.tolist()) == (scale, wanted)


def test_distances_of_scaled_weights_say_so(tmp_path: Path, call: Call) -> None:
    path, out = tmp_path / "x.txt", tmp_path / "d.csv"
    path.write_text("1 2 0.5\n2 3 0.3\n")
    done = call("solve", SSSP, path, "--source", 1, "--directed", "--output", out)
    assert "largest distance 8 (times 10)" in done.out
    assert rows(out)[0][:2] == ["vertex_from_1", "distance_times_10"]


@pytest.mark.parametrize(
    ("weight", "told"),
    [("0.1234567890123", "its weights would be whole only times 1"),
     ("0.1234567890123", "multiply them by 100000000 or less and round them (fractions are scaled"),
     ("nan", "not finite"), ("inf", "not finite"), ("x", "no number"), ("1e999999999", "32 bits"),
     ("-4", "negative"), ("3000000000", "is above 2147483646; divide them by 2 or more and round them")],
)  # fmt: skip
def test_weights_matter_only_where_they_are_used(weight: str, told: str, tmp_path: Path) -> None:
    content = f"p sp 3 2\na 1 2 {weight}\na 2 3 7\n"
    for solver in ("bfs/queue", "stcon/two-queues", "betweenness/seq-array"):
        assert read(content, tmp_path, solver=solver, directed=True).graph.arcs == 2
    assert told in refusal(content, tmp_path, solver=SSSP)


NEGATIVE = {
    "CSV": ("source,target,weight\na,b,2\n\nb,c,-1e-1\n", 4, "-1e-1"),
    "edges": ("1 2 3\n# -9\n2 3 -1\n", 3, "-1"),
    "DIMACS": ("p sp 3 2\na 1 2 -0.0\na 2 3 -1.5\n", 3, "-1.5"),
    "H/E": ("H 3 2 0\nE 0 1 3\nE 1 2 -1\n", 3, "-1"),
    "matrix": ("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 3.5\n2 3 -1\n", 4, "-1"),
    "dense matrix": ("%%MatrixMarket matrix array real general\n2 2\n0\n3\n-4\n0\n", 5, "-4"),
    "METIS": ("%\n3 2 001\n2 3\n1 3 3 -1\n2 -1\n", 4, "-1"),
    "KONECT": ("% asym weighted\n1 2 3\n2 3 -1\n", 3, "-1"),
    "Steiner": ("SECTION Graph\nNodes 2\nArcs 1\nA 1 2 -5\nEND\nEOF\n", 4, "-5"),
}  # fmt: skip
"""A file, the line of its first negative weight, and this."""


@pytest.mark.parametrize("kind", NEGATIVE)
@pytest.mark.parametrize("pieces", [False, True])
def test_a_negative_weight_is_named_with_its_line(
    kind: str, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    content, line, weight = NEGATIVE[kind]
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    name = "graph.metis" if kind == "METIS" else "graph"
    told = refusal(content, tmp_path, name, solver=SSSP)
    assert told.startswith(
        f"{tmp_path / name}, line {line}: the weight {weight} is negative, and {SSSP} takes"
    )
    assert "bellman-ford/sequential takes it" in told
    for solver in ("bellman-ford/sequential", "bfs/queue"):
        assert read(content, tmp_path, name, solver=solver).graph.arcs


def test_a_path_along_negative_weights_is_the_shortest(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "x.csv"
    path.write_text("source,target,weight\na,b,2\na,c,4\nc,b,-3\nb,d,1\n")
    asked = ("path", path, "--source", "a", "--target", "d", "--directed")
    assert call(*asked).out.endswith("\na c b d\n")
    assert "line 4: the weight -3 is negative" in call(*asked, "--solver", SSSP).refusal(1)
    assert call("convert", path, tmp_path / "stored").status == 0
    stored = ("path", tmp_path / "stored", "--source", "0", "--target", "3")
    assert call(*stored).out.endswith("\n0 2 1 3\n")
    assert "the weight -3 of the arc from 2 to 1 is negative" in call(*stored, "--solver", SSSP).refusal(1)


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(
    ("content", "edges"),
    [("1;2;1,5\n2;3;2,25\n", [("1", "2"), ("2", "3")]),
     ("a\tb, c\td\nb, c\te\tf\n", [("a", "b, c"), ("b, c", "e")]),
     ("a;x,b\nb,c\n", [("a;x", "b"), ("b", "c")]),
     ('"a b" c\n"d e" "a b"\n', [("a b", "c"), ("d e", "a b")]), ('a" b\nb c\n', [('a"', "b"), ("b", "c")]),
     ("a\u00a0b c\nc d\n", [("a\u00a0b", "c"), ("c", "d")]),
     ("source,target,start,end\na,b,1,2\nb,c,3,4\n", [("a", "b"), ("b", "c")]),
     ('source,target\n"#1",b\nb,#1\n# so, on\n', [("#1", "b"), ("b", "#1")]),
     ("#a,b\na,b\nb,c\n", [("a", "b"), ("b", "c")])],
)  # fmt: skip
def test_cells_are_those_that_were_meant(
    content: str, edges: Arcs, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    assert arcs_of(read(content, tmp_path, directed=True)) == edges


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(
    ("content", "told"),
    [("source,target,source\na,b,c\n", "source or source may be the source; say which by --columns"),
     ("from,u,to\na,b,c\n", "from or u may be the source"),
     ("source,target,weight,weight\na,b,1,2\n", "has 2 columns weight"),
     ("1 -> 2\n2 -> 3\n", "'->' stands between the vertices; say --columns 1 3"),
     ("source,target\na,b\n#1,b\nb,c\n", "line 3: '#1,b' may be a comment, or a row"),
     ("sp|P1 sp|P2\nsp|P2 sp|P3\n", "| or blanks may separate the cells of 'sp|P1 sp|P2'; write tabs"),
     ("chr1|100,chr1|200\nchr1|200,chr2|5\n", "| or commas may separate the cells of 'chr1|100,chr1|200'"),
     ("a|b|1,5\nb|c|2,5\n", "| or commas may separate the cells of 'a|b|1,5'"),
     ("1 2 1,5\n2 3 2,5\n", "'1 2 1,5' may have a comma in a number, or names with blanks; write 1.5 for"),
     ("a b\n//x b\nb c\n", "line 2: '//x b' may be a comment, or a row")],
)  # fmt: skip
def test_rows_of_which_two_readings_fit_are_refused(
    content: str, told: str, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
        if content.startswith("a b\n"):  # behind the rows by which the file is known
            content, told = "a b\n" * 20000 + content, told.replace("line 2", "line 20002")
    assert told in refusal(content, tmp_path)


def test_a_matrix_is_no_list_of_edges(tmp_path: Path) -> None:
    matrix = "0 1 0\n1 0 1\n0 1 0\n"
    assert "may be a matrix, or edges with weights" in refusal(matrix, tmp_path)
    assert "may be a matrix, or edges with weights" in refusal("0 5 2.5\n5 0.0 1\n2.5 1 0\n", tmp_path)
    assert read(matrix, tmp_path, kind="edges").graph.arcs == 3
    assert read(matrix, tmp_path, columns=["1", "2", "3"]).graph.arcs == 3
    assert "may be a matrix" in refusal("0 5 inf\n5 0 2\ninf 2 0\n", tmp_path)
    correlations = "1.0 0.5 0.2\n0.5 1.0 0.3\n0.2 0.3 1.0\n"
    assert "may be a matrix, or edges with weights" in refusal(correlations, tmp_path)
    assert read("0 5 2\n5 1 1\n2 2 0\n", tmp_path).graph.arcs == 3
    assert read("0 1 2\n1 0 3\n", tmp_path).graph.arcs == 2
    assert "is LGL" in refusal("# a\nb 1\n", tmp_path, "graph.lgl")
    assert "--columns a a" not in refusal("x,a,a,y\n1,2,3,4\n", tmp_path, columns=["a", "y"])


@pytest.mark.parametrize(
    ("rows", "columns", "told"),
    [("1,2,road,1,500\n2,3,road,12,700\n", "124", "line 1: 1,500 may be one number (write 1500); 1 is read"),
     ("1,2,1,500,x\n2,3,1,700,x\n", "123", "line 1: 1,500 may be one number (write 1500); 1 is read"),
     ("1,2,1,500\n2,3,1,70\n", "123", ""),
     ("1,2,0,500\n2,3,1,700\n", "123", ""),
     ("1;2;1;500\n2;3;1;700\n", "123", ""),
     ("1,2,500,1\n2,3,700,1\n", "12", ""),
     ("100,2,500\n200,3,700\n", "213", ""),
     ("a,b,w,x\n1,2,1,500\n2,3,1,700\n", "abw", "")],
)  # fmt: skip
@pytest.mark.parametrize("pieces", [False, True])
def test_a_weight_that_a_comma_may_have_divided_is_noted(
    rows: str, columns: str, told: str, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    notes = read(rows, tmp_path, columns=[*columns]).notes
    assert [note for note in notes if "may be one number" in note] == ([told] if told else [])


@pytest.mark.parametrize(
    ("comment", "directed"),
    [("Directed: no", False), ("directed=False", False), ("Directed: 0", False), ("Undirected: no", True),
     ("undirected = false", True), ("Directed: yes", True), ("Undirected: 1", False),
     ("Undirected graph: ../com.txt", False),
     # SNAP's words above every directed list of its own, be it Wiki-Vote, of which each arc is there once
     ("Directed graph (each unordered pair of nodes is saved once): Wiki-Vote.txt ", True),
     ("Directed: N", False), ("Directed: none", False), ('Directed: "no"', False), ("directed no", False),
     ("directed,0", False), ("Directed? No", False), ("Directed (no)", False), ("Directed - no", False),
     ("Directed: undirected", False), ("Directed/Undirected: undirected", False), ("Directed edge A", True),
     ("Directed: Y", True), ("Directed", True), ("Directed:", None), ("Directed: -", None),
     ("Directed version is in x.txt; this is undirected", None),
     ("Directed graphs are converted to undirected", None),
     ("Directed or undirected: undirected", None), ("Directed by John Smith", None), ("nothing", None)],
)  # fmt: skip
def test_a_comment_that_denies_a_direction_says_the_other(
    comment: str, directed: bool | None, tmp_path: Path
) -> None:
    assert read(f"# {comment}\n0 1\n1 2\n", tmp_path).graph.info.get("directed") is directed


@pytest.mark.parametrize(
    "header", ["Destination,Source,Weight", "to_node,from_node,weight", "child,parent,w", "v2,v1,value"]
)
def test_ends_in_the_other_order_are_read_by_their_names(header: str, tmp_path: Path) -> None:
    found = read(f"{header}\nB,A,3\nC,B,4\n", tmp_path, directed=True)
    assert arcs_of(found) == [("A", "B"), ("B", "C")]
    assert found.notes == ()


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(
    ("content", "told"),
    [("4 3 1\n1 2 5\n2 3 6\n3 4 7\n", "line 1: '4 3 1' may be the numbers of vertices and edges and a third"),
     ("5 5 3\n1 2 5\n2 3 6\n3 4 7\n", "line 1: '5 5 3' may be the numbers of vertices and edges and a third"),
     ("4 6 0\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", "may be METIS, or edges; say --format metis or edges"),
     ("3 3 10\n1 2 3\n1 1 3\n1 1 2\n", "may be METIS, or edges"),
     ("2 1 11\n5 2 7\n5 1 7\n", "may be METIS, or edges"),
     ("vertices,3\n1,2\n2,3\n", "line 1: 'vertices 3' may be a number of vertices or edges, or an edge"),
     ("n 3\n1 2\n2 3\n", "line 1: 'n 3' may be a number of vertices or edges, or an edge"),
     ("1,2 # foo\n2,3 # bar\n", "line 1: '2 # foo' may end in a comment"),
     ("1,2\n2,3 // last\n", "line 2: '3 // last' may end in a comment"),
     ("1\t2 % x\n2\t3\n", "line 1: '2 % x' may end in a comment"),
     ("#,from,to\n1,1,2\n2,2,3\n", "line 1: '#,from,to' may be a header; say --columns 2 3"),
     ("#weight,source,target\n5,1,2\n6,2,3\n", "may be a header; say --columns 2 3"),
     ("(1, 2)\n(2, 3)\n", "'(1 2)' is in brackets; write u v"),
     ("<1 2>\n<2 3>\n", "'<1 2>' is in brackets; write u v"),
     ("A: B\nB: C\n", "'A: B' may be a vertex and its neighbours"),
     ("1,2 5\n2,3 6\n", "commas or blanks may separate the cells of '1,2 5'"),
     ("1 2,3\n2 3,4\n", "commas or blanks may separate the cells of '1 2,3'")],
)  # fmt: skip
def test_forms_that_are_no_list_of_edges_are_asked_about(
    content: str, told: str, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    assert told in refusal(content, tmp_path)


@pytest.mark.parametrize("pieces", [False, True])
def test_what_only_begins_like_another_form_is_read(pieces: bool, tmp_path: Path, monkeypatch: Patch) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    for content, arcs in (
        ("4 3 1\n1 2 5\n2 3 6\n3 9 7\n", 4),  # more vertices than 4
        ("4 2 1\n1 2 5\n2 3 6\n3 4 7\n", 4),
        ("#source,target\n1,2\n2,3\n", 2),
        ("# a, b\n1,2\n2,3\n", 2),
        ('A,"2 # foo"\nB,C\n', 2),
        ("C #,D\nD,E\n", 2),
        ("(A),B\nB,C\n", 2),
        ("a: b\nb c\n", 2),
        ("Main 3,Oslo\nOslo,Main 4\n", 2),
    ):
        assert len(arcs_of(read(content, tmp_path, directed=True))) == arcs, content


@pytest.mark.parametrize("pieces", [False, True])
def test_times_and_numbers_of_columns_are_told(pieces: bool, tmp_path: Path, monkeypatch: Patch) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    times = read("1 2 998040961\n2 3 1082155839\n", tmp_path, directed=True)
    assert "its third column has times" in times.no_weights
    long = read("1 2 998040961\n2 3 998040962\n", tmp_path, directed=True)
    assert not long.no_weights
    numbered = read("0,1,2\n5,6,7\n6,8,9\n", tmp_path, directed=True)
    assert numbered.notes == ("line 1, 0,1,2, is read as an edge (delete it if it numbers the columns)",)
    assert read("0 1 2\n5 6 7\n6 8 9\n", tmp_path, directed=True).notes == ()


@pytest.mark.parametrize(("ending", "name"), [("sif", "SIF"), ("tgf", "TGF"), ("gdf", "GDF")])
def test_lists_of_other_programs_are_named(ending: str, name: str, tmp_path: Path) -> None:
    assert f"is {name}, " in refusal("1 pd 2\n2 pd 3\n", tmp_path, f"graph.{ending}")


GML = "graph [ directed 1 node [ id 0 ] node [ id 1 ] node [ id 2 ] %s ]"
GML_EDGES = "edge [ source 0 target 1 {} 3 ] edge [ source 1 target 2 {} 70 ]"
KEYS = '<key id="k{0}" for="edge" attr.name="{0}" attr.type="int">{1}</key>'
GRAPHML = (
    '<graphml>{}<graph edgedefault="directed"><node id="0"/><node id="1"/><node id="2"/>'
    '<edge source="0" target="1"><data key="k{}">3</data></edge>'
    '<edge source="1" target="2"><data key="k{}">70</data></edge></graph></graphml>'
)


@pytest.mark.parametrize("kind", ["gml", "graphml"])
def test_one_attribute_of_edges_is_the_weight(kind: str, tmp_path: Path) -> None:
    def written(first: str, second: str) -> str:
        if kind == "gml":
            return GML % GML_EDGES.format(first, second)
        keys = "".join(KEYS.format(name, "") for name in dict.fromkeys((first, second)))
        return GRAPHML.format(keys, first, second)

    found = read(written("weight", "length"), tmp_path)
    assert found.graph.weights.tolist() == [3, 1]  # type: ignore[union-attr]
    assert any("edges without a weight have weight 1" in note for note in found.notes)
    assert read(written("cost", "cost"), tmp_path).graph.weights.tolist() == [3, 70]  # type: ignore[union-attr]
    assert "cost or length may be the weight" in refusal(written("cost", "length"), tmp_path)


def test_the_default_of_a_weight_is_not_another_attribute(tmp_path: Path) -> None:
    keys = KEYS.format("weight", "<default>5</default>") + KEYS.format("cost", "")
    found = read(GRAPHML.format(keys, "weight", "cost"), tmp_path)
    assert found.graph.weights.tolist() == [3, 5]  # type: ignore[union-attr]


def test_files_that_are_cut_or_say_no_direction_are_refused(tmp_path: Path) -> None:
    matrix = "*Vertices 3\n*Matrix\n0 1 2\n1 0 0\n"
    assert "expected 3 rows of the matrix, found 2; it may be cut short" in refusal(matrix, tmp_path)
    assert "expected directed 0 or 1, found 'true'" in refusal(
        "graph [ directed true node [ id 1 ] ]", tmp_path
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [("2.0", "2"), ("02", "2"), ("+2", "2"), ("Zu\u0308rich", "Zürich"), ("a\u200b", "a"),
     ("'a\u00a0b'", "'a b'"), ("'a\u202fb'", "'a b'")],
)  # fmt: skip
@pytest.mark.parametrize("pieces", [False, True])
def test_names_that_look_the_same_are_noted(
    first: str, second: str, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    for one, other in ((first, second), (second, first)):
        (note,) = read(f"x\t{one}\n{other}\ty\ny\t{one}\n", tmp_path, directed=True).notes
        assert note.endswith("are two vertices")
        assert {*note.removesuffix(" are two vertices").split(" and ")} == {ascii(first), ascii(second)}
    assert read(f"x\t{first}\n{first}\ty\ny\tx\n", tmp_path, directed=True).notes == ()


@pytest.mark.parametrize("end", ["\u00a0", " ", "\u2003"])
def test_names_with_a_space_at_their_end_are_noted(end: str, tmp_path: Path) -> None:
    gml = f'graph [ node [ id 1 label "ann" ] node [ id 2 label "ann{end}" ] edge [ source 1 target 2 ] ]\n'
    assert f"'ann' and {f'ann{end}'!a} are two vertices" in read(gml, tmp_path).notes


@pytest.mark.parametrize("content", ["source,target\n", "from;to;foo\n", "# so\nsource\ttarget", "u|v\n"])
def test_a_header_alone_is_no_graph(content: str, tmp_path: Path) -> None:
    line = content.splitlines()[-1]
    told = (
        f"has one line, {line!a}, which may be a header without edges, or an edge; add rows, or say --format"
    )
    assert told in refusal(content, tmp_path)
    assert read("ann,bob\n", tmp_path, kind="edges").graph.arcs == 1
    assert "has a header, 'source target', and no edges; add rows" in refusal(
        "source,target\n", tmp_path, kind="edges"
    )


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize(
    "content",
    ["a;b;1,5\nb;c;2,25\n", "source;target;weight\n1;2;1,5\n2;3;2\n", "1\t2\t1,5\n2\t3\t2,25\n",
     "1 2 7\n2 3 1,5\n", "a|b|7\nb|c|1,5\n"],
)  # fmt: skip
def test_a_decimal_comma_is_no_weight(content: str, pieces: bool, tmp_path: Path, monkeypatch: Patch) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    line = 1 + content.partition("1,5")[0].count("\n")
    message = f"its weight '1,5' on line {line} has a comma; write 1.5, with a decimal point"
    assert message in refusal(content, tmp_path, solver=SSSP)
    assert read(content, tmp_path, solver="bfs/queue").graph.arcs == 2


@pytest.mark.parametrize(
    ("weight", "advice"),
    [("1,500", "1500 or 1.500, with a decimal point"), ("1,500,000", "1500000"), ("-1,500.25", "-1500.25"),
     ("1.500,25", "1500.25, with a decimal point"), ("1,5e3", "1.5e3, with a decimal point"),
     ("1,500\nc\td\t2,25", "1.500, with a decimal point"), ("1,500\nc\td\t2,000,000", "1500"),
     ("1,500\nc\td\t2,25\nc\te\t2,000,000", "1500 or 1.500, with a decimal point")],
)  # fmt: skip
def test_a_comma_may_be_of_thousands(weight: str, advice: str, tmp_path: Path) -> None:
    """Where other weights of the file tell, it is not both."""
    word = weight.partition("\n")[0]
    message = f"its weight '{word}' on line 1 has a comma; write {advice}; bfs/queue counts arcs"
    assert message in refusal(f"a\tb\t{weight}\nb\tc\t1\n", tmp_path, solver=SSSP)


@pytest.mark.parametrize("word", ["1.5.2,7", "01,500", "1,50,000", "," + "5" * 60, "1,5,"])
def test_a_word_with_a_comma_may_be_no_number(word: str, tmp_path: Path) -> None:
    message = f"its weight '{word[:40]}' on line 2 is no number; bfs/queue counts arcs"
    assert message in refusal(f"a\tb\t.5\nb\tc\t{word}\nb\td\tx\n", tmp_path, solver=SSSP)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "weights",
    ["1,500 2,000", "1,500,000 2,000,000", "1,500.25 2,000.25", "1.500,5 2.000,5", "1,5e0 2,5e0",
     '"1,500" "2,000"', "1,500 7"],
)  # fmt: skip
def test_a_comma_in_a_number_does_not_separate_vertices(
    weights: str, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names with blanks may end so, too: nothing is searched."""
    monkeypatch.setattr(graph_file, "LARGE_LIST", 1 if large else 1 << 20)
    first, second = weights.split()
    for ends in (("1 2", "2 3"), ("a b", "b c")):
        rows = f"{ends[0]} {first}\n{ends[1]} {second}\n{ends[1]} {second}\n"
        assert "has a comma; write" in (told := refusal(rows, tmp_path, solver=SSSP)) or (
            "may have a comma in a number, or names with blanks" in told
        )
    message = refusal(f"1 2 {first} x\n2 3 {first} y\n", tmp_path, solver="bfs/queue")
    assert ("has 4 columns" if '"' in first else "may have a comma in a number") in message


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("between", ["|", ";", "\t", " ", ","])
def test_a_comma_in_quotes_separates_no_cells(
    between: str, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_file, "LARGE_LIST", 1 if large else 1 << 20)
    rows = [("a", "b", '"0,5"'), ("b", "c", '"1,25"'), ("c", "a", '"2,5"')]
    text = "".join(f"{between.join(row)}\n" for row in rows)
    assert "its weight '0,5' on line 1 has a comma; write 0.5" in refusal(text, tmp_path, solver=SSSP)
    assert arcs_of(read(text, tmp_path, directed=True)) == [("a", "b"), ("b", "c"), ("c", "a")]


def test_quotes_within_a_cell_are_a_part_of_it(tmp_path: Path) -> None:
    found = read('pipe 3";pipe 4", big\npipe 5";pipe 6", big\n', tmp_path, directed=True)
    assert arcs_of(found) == [('pipe 3"', 'pipe 4", big'), ('pipe 5"', 'pipe 6", big')]
    assert arcs_of(read("Site No 1,2,0.5\nSite No 2,3,1\n", tmp_path)) == [
        ("Site No 1", "2"),
        ("Site No 2", "3"),
    ]


@pytest.mark.parametrize("between", [" ", "\t", ";", "|"])
def test_a_list_without_commas_is_told_nothing_of_them(between: str, tmp_path: Path) -> None:
    rows = "".join(between.join(row) + "\n" for row in (("1", "2", "7", "100"), ("2", "3", "8", "200")))
    assert refusal(rows, tmp_path).endswith(
        "has 4 columns; say --columns TAIL HEAD [WEIGHT], by number from 1"
    )
    rows = "".join(between.join(row) + "\n" for row in (("1", "2", "7"), ("2", "3", "8", "200")))
    message = refusal(rows, tmp_path)
    assert ("has 1 columns" if between == "|" else "found 4: '2 3 8 200'") in message
    assert "one number" not in message
    assert "divide" not in message


def test_names_with_blanks_may_have_numbers(tmp_path: Path) -> None:
    found = read("New York 12,Boston\nRome,Bonn 4\n", tmp_path, directed=True)
    assert arcs_of(found) == [("New York 12", "Boston"), ("Rome", "Bonn 4")]


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "rows",
    ["1,2,{0}\n2,3,{0}\n", "1,2,700\n2,3,{0}\n", "1,2,{0}\n2,3,700\n", "from,to,weight\n1,2,{0}\n2,3,{0}\n"],
)
@pytest.mark.parametrize(
    ("number", "advice"),
    [("1,500", "1500 or 1.500, with a decimal point"), ("1,500,000", "1500000"), ("1,500.25", "1500.25"),
     ("0,5", "0.5, with a decimal point")],
)  # fmt: skip
def test_a_comma_in_a_number_may_make_two_cells(
    large: bool, rows: str, number: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it is then written as comes before the columns, which would take a part of it."""
    monkeypatch.setattr(graph_file, "LARGE_LIST", 1 if large else 1 << 20)
    assert f"; if {number} is one number, write {advice}" in refusal(rows.format(number), tmp_path)
    assert "one number" not in refusal("1,2,3,4,50\n2,3,4,5,60\n", tmp_path)
    assert "one number" not in refusal("1,2,x,4\n2,3,y,5\n", tmp_path)


def test_bars_separate_cells(tmp_path: Path) -> None:
    for content in ("a|b|5\nb|c|7\n", "source | target | weight\na | b | 5\nb | c | 7\n"):
        for large in (1 << 20, 1):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(graph_file, "LARGE_LIST", large)
                found = read(content, tmp_path, directed=True)
            assert arcs_of(found) == [("a", "b"), ("b", "c")]
            assert found.graph.weights.tolist() == [5, 7]  # type: ignore[union-attr]
    assert arcs_of(read("Oslo|New York\nBonn|Rome\n", tmp_path)) == [("Bonn", "Rome"), ("Oslo", "New York")]
    assert arcs_of(read("1,2,a|b\n2,3,b|c\n", tmp_path)) == [("1", "2"), ("2", "3")]
    assert arcs_of(read("1 2 a|b\n2 3 b|c\n", tmp_path)) == [("1", "2"), ("2", "3")]
    assert arcs_of(read('"a|b",c\n"b|c",d\n', tmp_path)) == [("a|b", "c"), ("b|c", "d")]


def test_a_weight_of_an_unknown_column_is_noted(tmp_path: Path) -> None:
    found = read("p,q,year\n1,2,1999\n2,3,2001\n", tmp_path, directed=True)
    ends = "p and q are read as the ends of edges (--columns TAIL HEAD [WEIGHT]: others)"
    assert found.notes == (ends, "year is read as the weight (--columns p q: without weights)")
    assert read("p,q,cost\n1,2,1999\n2,3,2001\n", tmp_path, directed=True).notes == (ends,)
    assert read("from,to,cost\n1,2,1999\n2,3,2001\n", tmp_path, directed=True).notes == ()


def test_sums_matter_only_from_where_they_arise(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "over.he"
    path.write_text("H 3 2 0\nE 0 1 2000000000\nE 1 2 2000000000\n")
    assert call("solve", "bfs/queue", path, "--source", 0).status == 0
    assert call("solve", SSSP, path, "--source", 1).status == 0
    assert call("convert", path, tmp_path / "stored").status == 0
    assert "one from 0 is longer" in call("solve", SSSP, path, "--source", 0).refusal(1)


def test_scores_count_the_vertices_of_the_file(tmp_path: Path, call: Call) -> None:
    path, out = tmp_path / "from1.txt", tmp_path / "scores.csv"
    path.write_text("1 2\n1 5\n2 3\n2 5\n3 4\n4 5\n4 6\n")
    done = call("solve", "betweenness/seq-array", path, "--undirected", "--normalized", "--output", out)
    assert "from all of 6 vertices, highest score 0.45 at 4 (ids from 1)" in done.out
    assert [row[0] for row in rows(out)] == ["vertex_from_1", "1", "2", "3", "4", "5", "6"]


def brute_normalised(n: int, edges: list[tuple[int, int]], directed: bool, sources: list[int]) -> list[float]:
    """NetworkX's definition: the mean over pairs of other vertices, the first among the sources."""
    one_way = [(u, v, 1) for u, v in edges]
    made = graph(n, one_way, directed)
    by_source = [exact_scores(made, [source]) * (1 if directed else 2) for source in sources]
    means = []
    for v in range(n):
        seen = [scores[v] for source, scores in zip(sources, by_source, strict=True) if source != v]
        means.append(sum(seen) / (len(seen) * (n - 2)) if seen else float("nan"))
    return means


@pytest.mark.parametrize("directed", [False, True])
def test_normalisation_of_samples(directed: bool) -> None:
    draw = random.Random(5)
    for _ in range(40):
        n = draw.randrange(3, 9)
        edges = [(u, v) for u in range(n) for v in range(n) if u < v and draw.random() < 0.5]
        if directed:
            edges += [(v, u) for u, v in edges if draw.random() < 0.5]
        made = graph(n, [(u, v, 1) for u, v in edges], directed)
        for count in (1, draw.randrange(1, n + 1), n):
            sources = draw.sample(range(n), count)
            query = Query(sources=tuple(sources))
            found = exact_scores(made, sources) * normalisation(made, query)
            assert_allclose(found, brute_normalised(n, edges, directed, sources), rtol=1e-9, atol=1e-12)
            assert np.nanmax(found, initial=0) <= 1 + 1e-9


def test_outputs_are_written_through_links_and_keep_their_mode(tmp_path: Path, call: Call) -> None:
    path, secret, link = tmp_path / "x.txt", tmp_path / "secret.csv", tmp_path / "link.csv"
    path.write_text("0 1\n1 0\n")
    secret.touch(0o600)
    link.symlink_to("secret.csv")
    assert call("solve", "bfs/queue", path, "--source", 0, "--output", link).status == 0
    assert link.is_symlink()
    assert secret.stat().st_mode & 0o777 == 0o600
    assert rows(secret)[1:] == [["0", "0", ""], ["1", "1", "0"]] or rows(secret)[1:] == [
        ["0", "0"],
        ["1", "1"],
    ]
    folder, to_folder = tmp_path / "folder", tmp_path / "to-folder"
    folder.mkdir()
    to_folder.symlink_to(folder)
    assert "is a link" in call("convert", path, to_folder).refusal(1)


@st.composite
def weighted_graphs(draw: st.DrawFn) -> CSRGraph:
    n = draw(st.integers(1, 7))
    vertex = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.integers(1, 9)), max_size=15))
    return graph(n, arcs, draw(st.booleans()))


@given(weighted_graphs())
@settings(max_examples=examples(100), deadline=None)
def test_what_is_written_reads_back(made: CSRGraph) -> None:
    has_loops = bool((made.tails() == made.indices).any())
    with TemporaryDirectory() as folder:
        parquet = ["x.parquet", "plain.parquet"] if find_spec("pyarrow") else []
        for name in ("x.gr", "x.mtx", "x.he", "x.graph", "plain.mtx", "plain.graph", *parquet):
            given, path = made, Path(folder, name)
            if name.startswith("plain"):
                given = replace(made, weights=None)
            if path.suffix == ".graph" and (has_loops or made.info["directed"]):
                with suppress(OneLineError):  # directed graphs may have all reverse arcs
                    write_graph(given, path)
                    assert not has_loops
                continue
            write_graph(given, path)
            found = read_graph(path, "auto").graph
            assert found.vertices == given.vertices
            assert_arcs_equal(found, given)


def assert_arcs_equal(found: CSRGraph, wanted: CSRGraph) -> None:
    """The same arcs and weights; METIS keeps no order."""
    assert (found.weights is None) == (wanted.weights is None)
    listed = []
    for each in (found, wanted):
        weights = each.tails() * 0 if each.weights is None else each.weights
        listed.append(
            sorted(zip(each.tails().tolist(), each.indices.tolist(), weights.tolist(), strict=True))
        )
    assert listed[0] == listed[1]


def test_what_a_format_cannot_hold(tmp_path: Path, call: Call) -> None:
    plain, path = tmp_path / "plain.txt", tmp_path / "x"
    for edges, suffix, told in (
        ("0 1\n1 2\n", ".gr", "needs weights"), ("0 1 -2\n1 2 3\n", ".gr", "no negative weights"),
        ("0 1 1\n1 2 3\n", ".graph", "undirected graphs alone"),
        ("0 0\n0 1\n1 0\n", ".graph", "no self-loops"),
        ("0 1 4\n1 0 5\n", ".graph", "same weight"), ("0 1 0\n1 0 0\n", ".graph", "from 1"),
        ("0 1 4\n1 0 5\n1 2 3\n", ".graph", "same weight"), ("0 1 -2\n1 2 3\n", ".he", "no negative weights"),
        ("0 1\n1 2\n", ".he", "needs weights"),
    ):  # fmt: skip
        plain.write_text(edges)
        refused = call("convert", plain, path.with_suffix(suffix)).refusal(1)
        assert told in refused
        assert not path.with_suffix(suffix).exists()
        advised = [("x.mtx",)] if "write .mtx" in refused else []
        advised += [(f"x{suffix}", "--undirected")] if "--undirected" in refused else []
        advised += [(f"y{suffix}", "--weights", "1", "9")] if "convert --weights" in refused else []
        assert advised
        for output, *options in advised:
            assert call("convert", plain, tmp_path / output, *options).status == 0
            (tmp_path / output).unlink()
    plain.write_text("a b 0.5\nb c 2\n")
    done = call("convert", plain, tmp_path / "x.gr", "--directed")
    assert "names are not kept: a is the first vertex" in done.out
    assert "; weights are those of the file times 2; it does not say that the graph is directed" in done.out
    assert (tmp_path / "x.gr").read_text() == "p sp 3 2\na 1 2 1\na 2 3 4\n"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("solve sssp/dijkstra-heap names.csv --source a --output x.he",
         "names are not kept: a is the first vertex, and so on; weights are those of the file times 2"),
        ("path names.csv --source a --target c --output x.he",
         "names are not kept: a is the first vertex, and so on; weights are those of the file times 2"),
        ("solve bfs/queue plain.txt --source 1 --paths-to 3 --output x.he",
         "vertex 1 is now vertex 0, and so on; each arc has weight 1"),
        ("solve sssp/dijkstra-heap names.csv --source a --source b --output x.npy",
         "has a row for each source, a column for each vertex, and no ids, which .npz has; lengths are those "
         "of the file times 2"),
        ("solve bfs/queue names.csv --source a --source b --output x.npy",
         "has a row for each source, a column for each vertex, and no ids, which .npz has"),
        ("solve bfs/queue from-0.txt --source 0 --source 1 --output x.npz", ""),
        ("solve sssp/dijkstra-heap from-0.txt --source 0 --output x.he", ""),
        *((f"solve sssp/dijkstra-heap names.csv --source a --output x.{suffix}", "")
          for suffix in ("csv", "npy", "npz", "json")),
    ],
)  # fmt: skip
def test_what_an_output_cannot_hold_is_said(
    asked: str, said: str, tmp_path: Path, monkeypatch: Patch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("names.csv").write_text("source,target,weight\na,b,0.5\nb,c,2\n")
    Path("plain.txt").write_text("1 2\n2 3\n")
    Path("from-0.txt").write_text("0 1 5\n1 2 5\n")
    output = asked.rpartition(" ")[2]
    done = call(*asked.split(), "--directed")
    assert (done.status, done.err) == (0, f"note: {output}: {said}\n" if said else "")


def test_parquet_without_its_library_says_what_to_install(
    tmp_path: Path, call: Call, monkeypatch: Patch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr(parquet_files, "find_spec", lambda name: None)
    path, plain = tmp_path / "x.parquet", tmp_path / "plain.txt"
    path.write_bytes(b"PAR1\0\0PAR1")
    plain.write_text("0 1\n")
    refused = call("solve", "bfs/queue", path, "--source", 0).refusal(1)
    assert "pip install pyarrow, or write the edges as CSV" in refused
    assert "pip install pyarrow, or write .mtx" in call("convert", plain, tmp_path / "y.parquet").refusal(1)
    assert not (tmp_path / "y.parquet").exists()


def test_parquet(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"

    def written(**columns: list[object]) -> Path:
        parquet.write_table(pyarrow.table(columns), path)
        return path

    named = read_graph(written(weight=[0.5, 2.0], to=["b", "c"], src=["a", "b"]), "auto", directed=True)
    assert (arcs_of(named), named.scale) == ([("a", "b"), ("b", "c")], 2)
    assert named.graph.weights.tolist() == [1, 4]  # type: ignore[union-attr]
    other = read_graph(written(p=[7, 9], q=[9, 1 << 40], r=[1, 2]), "auto", directed=True, columns=["q", "p"])
    assert (arcs_of(other), other.graph.weights) == ([("1099511627776", "9"), ("9", "7")], None)
    floats = read_graph(written(u=[1.0, 2.0], v=[2.0, 5.0]), "auto", directed=True)
    assert arcs_of(floats) == [("1", "2"), ("2", "5")]
    for columns, complaint in (({"u": [1, None], "v": [2, 3]}, "empty cells"),
                               ({"u": [1.0, float("nan")], "v": [2, 3]}, "1 cells that are no number"),
                               ({"u": [1]}, "say --columns"),
                               ({"u": [[1]], "v": [2]}, "column u has list")):  # fmt: skip
        with pytest.raises(OneLineError, match=complaint):
            read_graph(written(**columns), "auto", directed=True)
    whole = written(u=[1, 2], v=[2, 3]).read_bytes()
    for damaged in (whole[:-9], whole[:40] + whole[60:], whole[:4]):
        path.write_bytes(damaged)
        with pytest.raises(OneLineError, match="damaged"):
            read_graph(path, "auto")


NAMES = (
    st.text("abcłé .-", min_size=1, max_size=6)
    .map(str.strip)
    .filter(lambda name: name and name[0] not in "-.")
)


@given(st.lists(st.tuples(NAMES, NAMES), min_size=2, max_size=20))
@settings(max_examples=examples(60), deadline=None)
def test_names_in_csv_come_back(edges: Arcs) -> None:
    content = "".join(f'"{tail}","{head}"\n' for tail, head in [("source", "target"), *edges])
    file_path = Path(os.environ.get("TMPDIR", "/tmp"), f"names-{os.getpid()}.csv")
    try:
        file_path.write_text(content)
        found = read_graph(file_path, "auto", directed=True)
    finally:
        file_path.unlink()
    assert arcs_of(found) == sorted(edges)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "content",
    ["1,2\n3," + "9" * 60000 + "x\n", "a b\n" + "\n" * 60000 + "a b\n", "graph" + " " * 60000 + "\n1\n",
     "(" * 30000 + ")" * 30000 + "\n", "%\n" * 30000 + "*x\n", "p" + "\t" * 60000 + "\n",
     "*Arcs " * 9999 + "\n",
     "<graphml" + "<graph " * 9000 + "</graphml>", "# nodes" + " " * 60000 + "\n1 2\n",
     "graph [ \x01" + " " * 60000 + "\x01", "graph [ a" + " " * 60000 + "[", 'a "' * 30000,
     "x " + "0" * 60000 + "y\nu v\nv w\n", "*Vertices 1\n1 " + '"\\' * 30000 + "\n"],
    ids=range(14),
)  # fmt: skip
def test_no_text_takes_a_reader_long(content: str, tmp_path: Path) -> None:
    for kind in ("auto", "edges", "pajek", "graphml", "gml"):
        with suppress(OneLineError):
            read(content, tmp_path, kind=kind)


@pytest.mark.long
def test_any_damage_is_one_line() -> None:
    command = [sys.executable, PROJECT / "tests/fuzz_readers.py", "1500", "--seed", "0"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"inputs": 1500, "findings": 0' in done.stdout


CELLS = st.sampled_from(
    ["0", "1", "2", "3", "007", "+4", "-5", "9999999999999", "9" * 20, "9" * 40, "4.0", "0.5", "1e3", "nan",
     "NA", "é", "a b", "", '"7"', '"x,y"', "#", "\xa0", "\x0c", "1_0", "0x1"]
)  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> str:
    """Lines of cells, most of them whole numbers and as many as on the first."""
    mark, width = draw(st.sampled_from([",", ";", "\t", " ", "  "])), draw(st.integers(2, 4))
    cells = st.integers(0, 12).map(str)
    if draw(st.booleans()):
        words = CELLS.filter(lambda cell: mark != "\t" or (bool(cell.strip()) and " " not in cell))
        cells = st.one_of(cells, cells, words)  # whether tabs stand for spaces depends on the first 50 lines
    rows = [mark.join(draw(cells) for _ in range(width)) for _ in range(draw(st.integers(1, 12)))]
    for _ in range(draw(st.integers(0, 2))):
        odd = st.sampled_from(
            ["", " ", "# Nodes: 4 Edges: 3", "% c", " // c", "1", "1,2,3,4,5", "a" + mark + "b"]
        )
        rows.insert(draw(st.integers(0, len(rows))), draw(odd))
    if draw(st.booleans()):
        third = draw(st.sampled_from(["weight", "km"]))
        rows.insert(0, mark.join(["source", "target", third, "time"][:width]))
    return draw(st.sampled_from(["\n", "\r\n"])).join([*rows, ""])


def read_either_way(content: str, columns: list[str], patch: Patch) -> list[object]:
    """What is read whole, and in pieces."""
    path = Path(os.environ.get("TMPDIR", "/tmp"), f"either-{os.getpid()}")
    path.write_bytes(content.encode())
    patch.setattr(lines, "PIECE", 24)
    patch.setattr(graph_file, "is_in_reports", lambda kind, head: False)
    results: list[object] = []
    for large in (1 << 20, 1):
        patch.setattr(graph_file, "LARGE_LIST", large)
        try:
            found = read_graph(path, "edges", directed=True, columns=columns)
        except OneLineError as error:
            results.append(str(error))
            continue
        made = found.graph
        weights = None if made.weights is None else made.weights.tolist()
        results.append((made.vertices, made.tails().tolist(), made.indices.tolist(), weights, found.names,
                        found.base, found.scale, found.no_weights, made.info, found.notes,
                        found.negative))  # fmt: skip
    path.unlink()
    return results


@example("1\n" + "0\t0\t0\t0\n" * 7, [])  # an adjacency list
@example("source\ttarget\n#\t0\n", [])  # a header, and a comment alone
@example("source\ttarget\n#\t0\n", ["2", "1", "3"])
@example("source,target,km,time\n# Nodes: 4 Edges: 3\n" + "0,0,0,0\n" * 3, [])  # two notes
# The rows become wider where a piece ends; a weight is a space that is none in ASCII.
@example("source,target\n" + "1,2\n" * 52 + "1,2,3\n" * 60, [])
@example(
    "source target weight\n" + "0 0 0\n" * 3 + "0 0 \xa0\n" + "0 0 0\n" * 9, []
)  # a space that is none in ASCII
@given(tables(), st.sampled_from([[], [], ["1", "2"], ["2", "1", "3"]]))
@settings(max_examples=examples(300), deadline=None)
def test_large_lists_are_read_as_small(content: str, columns: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        whole, in_pieces = read_either_way(content, columns, patch)
    assert in_pieces == whole


@st.composite
def edge_lists(draw: st.DrawFn) -> tuple[int, list[Edge], bool]:
    """Different edges of a graph, perhaps with loops; undirected ones each once."""
    n, directed = draw(st.integers(1, 6)), draw(st.booleans())
    vertex = st.integers(1, n)
    edges = draw(st.lists(st.tuples(vertex, vertex, st.integers(1, 99)), min_size=1, max_size=10))
    ends = {(u, v) if directed else (min(u, v), max(u, v)): w for u, v, w in edges}
    return n, [(u, v, w) for (u, v), w in ends.items()], directed


@given(edge_lists(), st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_a_graph_is_the_same_in_all_formats(made: tuple[int, list[Edge], bool], in_pieces: bool) -> None:
    n, edges, directed = made
    back = [] if directed else [(v, u, w) for u, v, w in edges if u != v]
    wanted = sorted([*edges, *back])
    for name, content in renderings(n, edges, directed).items():
        kind, path = name.split()[-1], Path(os.environ.get("TMPDIR", "/tmp"), f"same-{os.getpid()}")
        path.write_text(content)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(graph_file, "LARGE_LIST", 1 if in_pieces else 1 << 20)
            says = directed if name == "csv edges" else None
            found = read_graph(path, kind, SSSP if " " not in name else None, says)
        path.unlink()
        shift = 1 if kind == "he" else 0
        weights = [1] * found.graph.arcs if found.graph.weights is None else found.graph.weights.tolist()
        ends = zip(found.graph.tails().tolist(), found.graph.indices.tolist(), weights, strict=True)
        # H/E and PACE have a loop of an undirected graph twice.
        arcs = sorted({(int(found.label(u)) + shift, int(found.label(v)) + shift, w) for u, v, w in ends})
        if name.startswith("plain"):
            assert [arc[:2] for arc in arcs] == [arc[:2] for arc in wanted], name
        else:
            assert arcs == wanted, name
        assert kind == "edges" or found.graph.vertices == n, name
        says_nothing = name in ("csv edges", "dimacs") or (kind == "matrix-market" and directed)
        assert says_nothing or found.graph.info["directed"] is directed, name


@pytest.mark.parametrize("weighted", [True, False])
def test_an_edge_list_of_networkx_has_the_weights_among_its_attributes(
    weighted: bool, tmp_path: Path
) -> None:
    networkx = pytest.importorskip("networkx")
    written, plain = tmp_path / "written.txt", tmp_path / "plain.txt"
    made = networkx.DiGraph()
    for tail, head, weight in ((0, 1, 3), (1, 2, 12), (2, 0, 1), (0, 3, 7)):
        made.add_edge(tail, head, colour="a, b", **({"weight": weight} if weighted else {}))
    networkx.write_edgelist(made, written)
    networkx.write_edgelist(made, plain, data=["weight"] if weighted else False)
    assert "{'colour': 'a, b'" in written.read_text()
    found, right = (load(path).graph_file.graph for path in (written, plain))
    assert found.digest() == right.digest()
    assert (found.weights is not None) == weighted


@pytest.mark.parametrize(
    ("attributes", "weight"),
    [("{'a': {'weight': 9}, 'weight': 2}", 2), ("{'note': \"see 'weight': 50, ok\", 'weight': 3}", 3),
     ("{'h': [{'weight': 9}], 'weight': 4}", 4), ("{\"weight\":5}", 5), ("{'a': {'weight': 9}}", None)],
)  # fmt: skip
@pytest.mark.parametrize("mark", [" ", "\t", ",", ";"])
def test_the_weight_among_the_attributes_is_that_of_the_edge(
    attributes: str, weight: int | None, mark: str, tmp_path: Path
) -> None:
    names = {"\t": ("New York", "Sao Paulo", "Rome"), " ": ("a,b", "b{x}", "c,d")}.get(
        mark, ("a", "b{x}", "c")
    )
    rows = [mark.join((tail, head, attributes)) for tail, head in pairwise(names)]
    found = read("\n".join(rows) + "\n", tmp_path)
    assert arcs_of(found) == sorted(pairwise(names))
    weights = found.graph.weights
    assert (None if weights is None else set(weights.tolist())) == (weight and {weight})


@pytest.mark.parametrize("mark", [" ", ",", "\t", ";"])
@pytest.mark.parametrize("first", ["{'weight': 2}", "2"])
def test_attributes_of_a_large_list_are_read_as_those_of_a_small_one(mark: str, first: str) -> None:
    rows = [(f"n{u}", f"n{u + 1}", first if u < 9 else "{'weight': 7}") for u in range(10)]
    content = "".join(mark.join(row) + "\n" for row in rows)
    with pytest.MonkeyPatch.context() as patch:
        whole, in_pieces = read_either_way(content, [], patch)
    assert in_pieces == whole
    assert isinstance(whole, tuple)
    assert whole[3] == [2] * 9 + [7]


@pytest.mark.parametrize("large", [False, True])
def test_an_attribute_that_may_be_the_weight_is_named(
    large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_file, "LARGE_LIST", 1 if large else 1 << 20)
    rows = "".join(f"{u} {u + 1} {{'colour': 'red', 'toll': True, 'capacity': {u}}}\n" for u in range(9))
    note = "capacity: not read, so arcs have no weights (write 'capacity' as 'weight')"
    assert note in read(rows, tmp_path).notes
    assert not any("not read" in one for one in read(rows.replace("capacity", "weight"), tmp_path).notes)
    assert not any("not read" in one for one in read("0 1 {}\n1 2 {}\n", tmp_path).notes)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    "content", ["New York b\nBoston Maine c\nYork New b\n", "New York b {}\nBoston Maine c {}\n"]
)
def test_a_third_column_of_words_is_named(
    large: bool, content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be the end of an edge, where names have blanks; a search without weights would not tell."""
    monkeypatch.setattr(graph_file, "LARGE_LIST", 1 if large else 1 << 20)
    found = read(content, tmp_path)
    assert f"{found.path}: its weight 'b' on line 1 is no number, so arcs have no weights" in found.notes


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(
    ("weight", "told"),
    [("nan", "is not finite"), ("-inf", "is not finite"), ("1,500", "has a comma"),
     ("2,000,000", "has a comma"), ("", "is no number"), ("1e500", "does not fit 32 bits")],
)  # fmt: skip
def test_a_word_in_place_of_a_weight_is_noted_where_none_is_needed(
    weight: str, told: str, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_file, "LARGE_LIST", 1 if large else 1 << 20)
    monkeypatch.setattr(lines, "PIECE", 16)
    found = read(f"# words\na;b;1\n\nb;c;1.5\na;c;-.5\nb;d;{weight} \nb;e;x\n", tmp_path)
    note = f"{found.path}: its weight '{weight}' on line 6 {told}, so arcs have no weights"
    assert note in found.notes
    assert found.graph.weights is None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("a b {'weight': 3}\nb c {}\nc a {'weight': 1}\n",
         "line 2: expected 3 cells, as on the first line, found 2: 'b c'; write a "
         "weight on each line, or on none"),
        ("a,b,3\nb,c\nc,a,3\n",
         "line 2: expected 3 cells, as on the first line, found 2: 'b c'; write a "
         "weight on each line, or on none"),
        ("from,to,w\na,b,3\nb,c,3,9\nc,a,3\n",
         "line 3: expected 3 cells, as on the first line, found 4: 'b c 3 9'; if 3,9 is one number, write "
         "3.9, with a decimal point"),
    ],
)  # fmt: skip
def test_a_row_of_another_length_is_named(content: str, told: str, tmp_path: Path) -> None:
    assert refusal(content, tmp_path).endswith(told)


@pytest.mark.parametrize("columns", [["from"], ["1"], ["from", "to", "w", "1"]])
def test_columns_are_two_or_three(columns: list[str], tmp_path: Path) -> None:
    with pytest.raises(OneLineError, match="expected two or three, TAIL HEAD"):
        read("from,to,w\n1,2,3\n2,3,4\n", tmp_path, columns=columns)
