"""Files of published formats: each is read as its specification says, or refused in words."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from cuda_device.errors import OneLineError
from retrace.system.errors import RetraceError
from retrace_commands import graph_file
from retrace_commands.graph_file import GraphFile, read_graph
from retrace_commands.recognition import recognise

Arc = tuple[str, str, int]
DENSE = "%%MatrixMarket matrix array real general\n3 3\n"
GRAPHML = (
    '<graphml><key id="d0" for="edge" attr.name="{name}" attr.type="double"/><graph edgedefault="{kind}">'
    '<node id="a"/><node id="b"/><edge source="a" target="b"{more}><data key="d0">5</data></edge>'
    "</graph></graphml>"
)
GML = "graph [\n  node [ id 1 ]\n  node [ id 2 ]\n  edge [ source 1 target 2 {} ]\n]\n"


def read(content: str | bytes, tmp_path: Path, name: str = "g.txt", kind: str = "auto") -> GraphFile:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_graph(path, kind)


def arcs(found: GraphFile) -> list[Arc]:
    graph = found.graph
    weights = [1] * graph.arcs if graph.weights is None else graph.weights.tolist()
    ends = zip(graph.tails().tolist(), graph.indices.tolist(), weights, strict=True)
    return sorted((found.label(u), found.label(v), w) for u, v, w in ends)


def refusal(content: str | bytes, tmp_path: Path, name: str = "g.txt") -> str:
    with pytest.raises(OneLineError) as error:
        read(content, tmp_path, name)
    return str(error.value)


@pytest.mark.parametrize("zero", ["0", "0.0", "-0.", "0.0e+00", "0E0", ".0", "+0.000e-12"])
def test_zero_is_no_arc_however_it_is_written(zero: str, tmp_path: Path) -> None:
    entries = [zero, zero, "9", "4", zero, zero, zero, "2", zero]
    expected = [("1", "2", 4), ("2", "3", 2), ("3", "1", 9)]
    assert arcs(read(DENSE + "\n".join(entries) + "\n", tmp_path)) == expected
    rows = [" ".join(entries[row::3]) for row in range(3)]
    assert arcs(read("*Vertices 3\n*Matrix\n" + "\n".join(rows) + "\n", tmp_path, "g.net")) == expected


@pytest.mark.parametrize("entry", ["\u0660", "1\u0663", ".", "-", "+", "0.0.0", "0d0", "0x0", "nan"])
def test_what_is_no_number_is_no_zero(entry: str, tmp_path: Path) -> None:
    told = refusal(f"*Vertices 2\n*Matrix\n0 1\n{entry} 0\n", tmp_path, "g.net")
    assert f"line 4: expected a number in the matrix, found {entry!a}" in told
    told = refusal(f"{DENSE}{entry}\n" + "1\n" * 8, tmp_path)
    assert f"line 3: expected a number, found {entry!a}" in told


def lines(first: int, last: int) -> bytes:
    return b"".join(b"%d %d\n" % pair for pair in pairwise(range(first, last + 1)))


@pytest.mark.parametrize("pack", [lzma.compress, bz2.compress, gzip.compress])
def test_what_follows_a_packed_stream_is_read_or_refused(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    first, second = pack(lines(0, 5)), pack(lines(5, 10))
    assert read(first + second, tmp_path).graph.vertices == 11
    if pack is lzma.compress:
        for padding in (8, 20_000):
            assert read(first + bytes(padding) + second + bytes(4), tmp_path).graph.vertices == 11
        for behind in (bytes(3), bytes(20_001), bytes(5) + second):
            assert "(zeros that follow a packed stream are no multiple of 4 bytes)" in refusal(
                first + behind, tmp_path
            )
    if pack is not gzip.compress:
        for behind in (b"5 6\n", *([] if pack is lzma.compress else [bytes(8)])):
            assert "behind a whole stream: cut that off)" in refusal(first + behind, tmp_path)
        assert "(it ends early)" in refusal(first[:-4], tmp_path)
    damaged = bytes([second[0] ^ 1]) + second[1:]
    for behind in (damaged, b"5 6\n", second[:-9], second[: len(second) // 2]):
        assert "expected a whole packed file, found a damaged one" in refusal(first + behind, tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [(lzma.compress(b"1 2\n2 3\n", lzma.FORMAT_ALONE), "is packed as .lzma; unpack it"),
     (b"LEDA.GRAPH\nstring\nint\n-1\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{4}|\n", "is a graph of LEDA (LEDA.GRAPH)"),
     (b"AdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n", "is a graph of Ligra (AdjacencyGraph)"),
     (b"WeightedAdjacencyGraph\n2\n1\n0\n1\n1\n5\n", "of Ligra (WeightedAdjacencyGraph); write its edges")],
)  # fmt: skip
def test_forms_of_other_programs_are_named(content: bytes, told: str, tmp_path: Path) -> None:
    assert told in refusal(content, tmp_path)


def test_large_packed_streams_are_read_whole(tmp_path: Path) -> None:
    content = lines(0, 60_000)
    for pack in (lzma.compress, bz2.compress):
        halves = content[: 300_000 - 300_000 % 7], content[300_000 - 300_000 % 7 :]
        assert read(b"".join(map(pack, halves)), tmp_path).graph.arcs == 60_000


def test_neighbours_of_three_each_may_be_of_pace(tmp_path: Path) -> None:
    content = "5 15 0\n2 3 4\n3 4 5\n4 5 1\n5 1 2\n1 2 3\n"
    assert "may be METIS (of PACE 2022), or edges with weights" in refusal(content, tmp_path)
    assert read(content, tmp_path, kind="metis").graph.arcs == 15
    for counts in ("7 8", "1 6"):
        assert read(f"{counts} 0\n2 3 4\n3 4 5\n", tmp_path).graph.arcs == 3


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("isolated", [0, 3])
def test_neighbours_may_be_of_some_vertices_alone(
    isolated: int, pieces: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    ends = "\n" * isolated
    pace = f"{5 + isolated} 15 0\n{ends}2 3 4\n3 4 5\n4 5 1\n5 1 2\n1 2 3\n"
    assert "may be METIS (of PACE 2022), or edges with weights" in refusal(pace, tmp_path)
    comment = "" if isolated else "% in turn\n"
    metis = f"{4 + isolated} 6 0\n{comment}2 3 4\n1 3 4\n1 2 4\n1 2 3\n{ends}"
    assert "may be METIS, or edges" in refusal(metis, tmp_path)
    circle = f"{5 + isolated} 5\n2 5\n1 3\n2 4\n3 5\n1 4\n{ends}"
    assert "may be METIS, or edges after their counts" in refusal(circle, tmp_path)
    assert read(circle, tmp_path, kind="metis").graph.arcs == 10


def test_a_metis_file_that_counts_edges_twice_is_noted(tmp_path: Path) -> None:
    both = read("3 4 0\n2\n1 3\n2\n", tmp_path, "g.graph")
    assert any("counts each edge twice" in note for note in both.notes)
    assert not read("3 3 0\n2\n3\n1\n", tmp_path, "g.graph").notes


@pytest.mark.parametrize("name", ["capacity", "time"])
def test_numbers_of_edges_that_are_not_read_are_noted(name: str, tmp_path: Path) -> None:
    graphml = GRAPHML.format(name=name, kind="directed", more="")
    by_default = graphml.replace('"double"/>', '"double"><default>5</default></key>')
    files = (
        graphml,
        graphml.replace('"double"', '"string"'),
        by_default.replace('<data key="d0">5</data>', ""),
        GML.format(f"{name} 5 ]\n  edge [ source 2 target 1"),
        GML.format(f'{name} "5" ]\n  edge [ source 2 target 1 {name} 7'),
    )
    for content in files:
        found = read(content, tmp_path)
        assert found.graph.weights is None
        assert any(f": {name} of edges: not read" in note for note in found.notes)
    assert not read(graphml.replace(">5<", ">five<"), tmp_path).notes
    assert not read(GML.format('key 0 label "x"'), tmp_path).notes
    unnamed = '<key id="weight" for="edge"/>'
    content = GRAPHML.replace('<key id="d0" for="edge" attr.name="{name}" attr.type="double"/>', unnamed)
    content = content.replace('key="d0"', 'key="weight"').format(kind="directed", more="")
    assert arcs(read(content, tmp_path)) == [("a", "b", 5)]


def test_a_weight_within_the_tag_of_an_edge_is_read(tmp_path: Path) -> None:
    data = '><data key="d0">5</data></edge>'
    content = GRAPHML.format(name="weight", kind="directed", more="")
    assert arcs(read(content.replace(data, ' weight="7"/>'), tmp_path)) == [("a", "b", 7)]
    assert arcs(read(content.replace(data, f' weight="7"{data}'), tmp_path)) == [("a", "b", 5)]


def test_what_follows_the_ends_of_pajek_is_a_weight(tmp_path: Path) -> None:
    network = "*Vertices 2\n*Arcs\n1 2 {}\n"
    for word in ("five", "0x5", "1/2", '"x"'):
        told = refusal(network.format(word), tmp_path, "g.net")
        assert "line 3: expected a number as the weight, found" in told
    for words in ("l x", 'l "x y"', "c Blue"):
        assert read(network.format(words), tmp_path, "g.net").graph.weights is None


def test_the_weight_is_what_edges_have_and_not_what_is_declared(tmp_path: Path) -> None:
    weight = '<key id="d1" for="edge" attr.name="{}" attr.type="double"/><graph '
    cost = GRAPHML.format(name="cost", kind="directed", more="")
    unused = cost.replace("<graph ", weight.format("weight"))
    assert arcs(read(unused, tmp_path)) == [("a", "b", 5)]
    assert not read(unused, tmp_path).notes
    both = cost.replace("<graph ", weight.format("value")).replace(
        "</edge>", '<data key="d1">7</data></edge>'
    )
    assert "cost or value may be the weight; call that one weight" in refusal(both, tmp_path)
    assert arcs(read(both.replace('"value"', '"weight"'), tmp_path)) == [("a", "b", 7)]


def test_one_weight_has_one_spelling(tmp_path: Path) -> None:
    key = '<key id="d1" for="edge" attr.name="Weight" attr.type="double"/>'
    content = GRAPHML.format(name="weight", kind="directed", more="").replace("<graph ", f"{key}<graph ")
    assert "expected one spelling of weight, found Weight too" in refusal(content, tmp_path)
    assert "expected one weight, found weight again" in refusal(GML.format("Weight 5 weight 7"), tmp_path)
    assert "line 4: expected one source, found source again" in refusal(GML.format("source 1"), tmp_path)
    twice = GML.format("").replace("id 2", 'id 2 label "x" label "y"')
    assert "line 3: expected one label, found label again" in refusal(twice, tmp_path)
    twice = GRAPHML.format(name="weight", kind="directed", more="")
    twice = twice.replace("</data>", '</data><data key="d0">7</data>')
    assert arcs(read(twice, tmp_path)) == [("a", "b", 7)]


def test_keys_of_gml_that_differ_in_case_or_say_nothing_here_are_read(tmp_path: Path) -> None:
    """NetworkX writes a list as a key that repeats, and attributes that tables call Id or Label."""
    for first in ('id 1 label "a" Id "n0" Label "Alice"', 'Id "n0" Label "Alice" id 1 label "a"'):
        content = GML.format('Source "x" Weight 5 key 0 Key "k"').replace("id 1", first)
        content = content.replace("id 2", 'id 2 name "Ann" name "Anna" hues [ label 1 label 2 ]')
        content = content.replace("graph [", 'graph [ name "x" name "y"')
        assert arcs(read(content, tmp_path)) == [("Ann", "a", 5), ("a", "Ann", 5)]


def test_attributes_of_graphml_weigh_by_their_numbers_on_edges(tmp_path: Path) -> None:
    """Not by defaults beside them, nor by words; what is drawn within data is none."""
    cost = GRAPHML.format(name="cost", kind="directed", more="")
    for other, data in (
        ('for="all" attr.name="value"><default>0</default></key>', ""),
        ('for="edge" attr.name="value"/>', "strong"),
        ('for="edge" attr.name="value"/>', ""),
    ):
        content = cost.replace("<graph ", f'<key id="d1" {other}<graph ')
        found = read(content.replace("</edge>", f'<data key="d1">{data}</data></edge>'), tmp_path)
        assert arcs(found) == [("a", "b", 5)]
        assert not found.notes
    drawn = GRAPHML.format(name="d0", kind="directed", more="").replace(">5<", "><y><label>5</label></y><")
    assert not read(drawn, tmp_path).notes
    weight = '<key id="d1" for="edge" attr.name="weight"><default>1</default></key>'
    content = cost.replace("<graph ", f"{weight}<graph ")
    assert arcs(read(content, tmp_path)) == [("a", "b", 5)]
    words = content.replace("</edge>", '<data key="d1">heavy</data></edge>')
    assert read(words, tmp_path).graph.weights is None


def test_lines_that_name_their_own_vertex_are_edges(tmp_path: Path) -> None:
    """METIS has no loops."""
    for content in ("4 3\n1 2\n1 3\n2 3\n", "5 4\n1 2\n1 3\n2 4\n3 4\n", "4 2\n1 2\n1 2\n"):
        assert ("1", "2", 1) in arcs(read(content, tmp_path))


@pytest.mark.parametrize(
    ("kind", "stated", "is_read"),
    [("undirected", "1", False), ("undirected", "0", True), ("directed", "TRUE", True),
     ("directed", "0", False), ("directed", "yes", False)],
)  # fmt: skip
def test_an_edge_of_graphml_may_say_whether_it_is_directed(
    kind: str, stated: str, is_read: bool, tmp_path: Path
) -> None:
    content = GRAPHML.format(name="weight", kind=kind, more=f' directed="{stated}"')
    if is_read:
        assert read(content, tmp_path).graph.info["directed"] is (kind == "directed")
    else:
        expected = "directed, true or false" if stated == "yes" else "all edges as edgedefault"
        assert f"expected {expected}" in refusal(content, tmp_path)


def test_edges_and_arcs_of_steinlib_are_what_their_lines_say(tmp_path: Path) -> None:
    head = "33D32945 STP File\nSECTION Graph\nNodes 3\n"
    for counts, content, directed in (
        ("Edges 2\n", "E 1 2 5\nE 2 3 1\n", False),
        ("Arcs 2\n", "A 1 2 5\nA 2 3 1\n", True),
        ("Edges 2\nArcs 0\n", "E 1 2 5\nE 2 3 1\n", False),
    ):
        found = read(f"{head}{counts}{content}END\nEOF\n", tmp_path, "g.stp")
        assert found.graph.arcs == (2 if directed else 4)
    assert "with 2 edges, found 2 arcs" in refusal(f"{head}Edges 2\nA 1 2 5\nA 2 3 1\nEND\n", tmp_path)
    assert "with 2 arcs, found 2 edges" in refusal(f"{head}Arcs 2\nE 1 2 5\nE 2 3 1\nEND\n", tmp_path)
    assert "arcs ('A') alone" in refusal(f"{head}Edges 1\nArcs 1\nA 1 2 5\nE 2 3 1\nEND\n", tmp_path)
    for again in ("Nodes 4\n", "Edges 1\n", "END\nSECTION Graph\nNodes 3\n"):
        told = refusal(f"{head}Edges 1\n{again}E 1 2 5\nEND\n", tmp_path)
        assert "expected one section Graph, with one number of " in told
    assert "with its numbers of nodes and edges" in refusal(f"{head}E 1 2 5\nEND\n", tmp_path)


def test_a_dimacs_problem_has_its_own_lines(tmp_path: Path) -> None:
    assert "expected 'e u v'" in refusal("p edge 2 1\na 1 2\n", tmp_path)
    assert "expected 'a u v w', found 'e 1 2 3'" in refusal("p sp 2 1\ne 1 2 3\n", tmp_path)
    assert read("p col 2 1\ne 1 2\n", tmp_path).graph.arcs == 2
    assert read("p col 3 2\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n", tmp_path).graph.arcs == 4
    other = refusal("p col 3 2\ne 1 2\ne 2 1\ne 2 3\ne 1 3\n", tmp_path)
    assert "expected 2 lines of edges, as its header says, found 3" in other
    assert read("p max 2 1\nn 1 s\nn 2 t\na 1 2 7\n", tmp_path).graph.arcs == 1


def test_a_skew_symmetric_matrix_has_no_diagonal(tmp_path: Path) -> None:
    content = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 1\n2 2 5\n"
    assert "line 4: expected no entry on the diagonal of a skew-symmetric matrix" in refusal(
        content, tmp_path
    )


def test_names_of_pajek_keep_their_signs(tmp_path: Path) -> None:
    content = '*Vertices 3\n1 "C:\\tmp"\n2 "a\\"b"\n3 "&#34;q&#34;"\n*Arcs\n1 2 "5"\n2 3 1\n'
    assert arcs(read(content, tmp_path, "g.net")) == [("C:\\tmp", 'a"b', 5), ('a"b', '"q"', 1)]
    doubled = '*Vertices 2\n1 "a""b" 0.5 0.5\n2 """c"""\n*Arcs\n1 2\n'
    assert arcs(read(doubled, tmp_path, "g.net")) == [('a"b', '"c"', 1)]
    told = refusal('*Vertices 2\n1 "a "b" c" 0.5\n*Arcs\n1 2\n', tmp_path, "g.net")
    assert "line 2: expected a vertex from 1 to 2 and its label, in double quotes if it has a blank" in told
    assert "expected vertex 1 once" in refusal('*Vertices 2\n1 "a"\n1 "b"\n*Arcs\n1 2\n', tmp_path, "g.net")


def test_forms_are_known_behind_comments_and_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "g"
    for comment in ("/* made by me */\n", "// made by me\n", "# made by me\n"):
        with pytest.raises(RetraceError, match="is a Graphviz file"):
            recognise(f"{comment}digraph G {{\n a -> b;\n}}\n", path)
    assert recognise("<!-- c --><graphml><graph/></graphml>", path) == "graphml"
    assert recognise('<g:graphml xmlns:g="x"><g:graph/></g:graphml>', path) == "graphml"
    assert recognise("Graph [ Directed 1 node [ id 1 ] ]", path) == "gml"
    with pytest.raises(RetraceError, match=r"of another kind than sp, edge, .*; write its edges as a list"):
        recognise("p aux sp p2p 3\n", path)


def test_a_comment_may_stand_above_what_konect_says(tmp_path: Path) -> None:
    for above in ("", "% made by me\n", "% made by me\n\n% on a Monday\n"):
        found = read(f"{above}% sym weighted\n% 2 3 3\n1 2 5\n2 3 7\n", tmp_path)
        assert (found.kind, found.graph.info["directed"], found.graph.arcs) == ("konect", False, 4)
        many = "".join(f"{k} {k + 1} 5\n" for k in range(1, 110_001))
        assert read(f"{above}% sym weighted\n% 110000 110001 110001\n{many}", tmp_path).graph.arcs == 220_000
        assert "expected 3 edges, found 2" in refusal(
            f"{above}% asym positive\n% 3 3 3\n1 2\n2 3\n", tmp_path
        )


@pytest.mark.parametrize("most", [1, graph_file.LARGE_LIST])
def test_an_edge_of_konect_is_not_removed_without_a_word(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_file, "LARGE_LIST", most)
    added = "% asym dynamic\n" + "".join(f"{k} {k + 1} 1 {k}\n" for k in range(1, 10_001))
    assert read(added, tmp_path).graph.arcs == 10_000
    assert "line 10002: expected an edge that is added; -1 removes one" in refusal(
        f"{added}1 2 -1 9\n", tmp_path
    )


def test_what_konect_says_is_no_sentence(tmp_path: Path) -> None:
    found = read("% sym links were removed\n% asym weighted\n% 2 3 3\n1 2 5\n2 3 6\n", tmp_path)
    assert (found.kind, found.graph.info["directed"], found.graph.arcs) == ("konect", True, 2)
    assert read("% sym links removed\n1 2 5\n2 3 6\n", tmp_path).kind != "konect"
    cut = "% asym weighted\n% downloaded 2020\n% 3 9 9\n1 2 5\n2 3 6\n"
    assert "expected 3 edges, found 2" in refusal(cut, tmp_path)
    network = '% sym network of x\n*Vertices 2\n1 "a"\n2 "b"\n*Arcs\n1 2 3\n'
    assert read(network, tmp_path).kind == "pajek"


def test_braces_are_looked_at_for_a_moment(tmp_path: Path) -> None:
    assert "begins no format" in refusal("a b" + " {" * 20_000 + "}\nc d {}\n", tmp_path)
