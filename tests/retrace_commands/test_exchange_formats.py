"""Files that NetworkX, igraph and Gephi write: names, weights and directions come back as they were."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import pytest

from command_line import Patch, refused
from retrace.system.errors import RetraceError
from retrace_commands import graph_file
from retrace_commands.library import load, solve

NAMES = ["Zürich", 'a "b" c', "two words", "R&D <1>", "it's", "naïve&amp;", "7", "ß;é", "x\\y", "#8"]
SSSP = "sssp/dijkstra-heap"


def graph_of(kind: type[nx.Graph], seed: int, weights: str) -> Any:
    """Return a graph of odd names, of which one has no edge, with whole, fractional or mixed weights."""
    drawn = random.Random(seed)
    graph = kind()
    graph.add_nodes_from(NAMES)
    for _ in range(25):
        tail, head = drawn.sample(NAMES[:-1], 2)
        weight: float = drawn.randrange(1, 9)
        if weights == "fractions" or (weights == "mixed" and drawn.random() < 0.5):
            weight += drawn.choice((0.25, 0.5, 0.0))
        graph.add_edge(tail, head, weight=weight)
        if weights == "lacking" and drawn.random() < 0.3:
            del graph.edges[tail, head]["weight"]
    return graph


def to_igraph(graph: Any) -> Any:
    """Return a graph of igraph, which has no place for the weight of an edge that lacks it."""
    made = igraph.Graph(directed=graph.is_directed())
    made.add_vertices(list(graph), {"label": list(graph)})
    made.add_edges(list(graph.edges()))
    made.es["weight"] = [data["weight"] for *_, data in graph.edges(data=True)]
    return made


WRITERS: dict[str, Callable[[Any, str], object]] = {
    "networkx.graphml": nx.write_graphml_xml,
    "networkx.gml": nx.write_gml,
    "networkx.net": nx.write_pajek,
    "igraph.graphml": lambda graph, path: to_igraph(graph).write_graphml(path),
    "igraph.gml": lambda graph, path: to_igraph(graph).write_gml(path),
}


def lengths_of(graph: Any, names: dict[str, str], source: str) -> dict[str, float]:
    return {
        names.get(name, name): length
        for name, length in nx.single_source_dijkstra_path_length(graph, source).items()
    }


@pytest.mark.parametrize("weights", ["whole", "fractions", "mixed", "lacking"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("writer", WRITERS)
def test_what_libraries_write_has_their_answers(
    writer: str, kind: type[nx.Graph], weights: str, tmp_path: Path
) -> None:
    if weights == "lacking" and writer.startswith("igraph"):
        pytest.skip("igraph has no such edges")
    path = tmp_path / writer
    for seed in range(5):
        graph = graph_of(kind, seed, weights)
        names = {}
        if writer == "networkx.net":  # it has no escapes for quotes and backslashes
            names = {name: name.replace('"', "'").replace("\\", "/") for name in NAMES}
            graph, names = nx.relabel_nodes(graph, names), {}
            for *_, data in graph.edges(data=True):
                data.setdefault("weight", 1)  # as it writes them
        if writer == "igraph.graphml":  # whose vertices are n0, n1, and so on
            names = {name: f"n{place}" for place, name in enumerate(graph)}
        WRITERS[writer](graph, str(path))
        loaded = load(path)
        assert (
            loaded.directed is graph.is_directed()
            or loaded.graph_file.graph.info["directed"] is graph.is_directed()
        )
        assert sorted(map(str, loaded.names)) == sorted(names.get(name, name) for name in graph)
        assert bool(loaded.graph_file.notes) == (weights == "lacking" and writer != "networkx.net")
        for source in list(graph)[:3]:
            found = solve(SSSP, loaded, names.get(source, source)).by_name()
            assert {str(name): length for name, length in found.items()} == lengths_of(graph, names, source)


@pytest.mark.parametrize("kind", ["graphml", "gml", "net"])
def test_an_edge_without_a_weight_counts_as_in_networkx(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{kind}"
    path.write_text(LACKING[kind])
    loaded = load(path)
    assert loaded.graph_file.notes == ("edges without a weight have weight 1, as in NetworkX: 1",)
    assert solve(SSSP, loaded, "a").by_name() == {"a": 0, "b": 2.5, "c": 3.5}


LACKING = {
    "graphml": '<graphml><key id="d0" for="edge" attr.name="weight" attr.type="double"/>'
    '<key id="d1" for="edge" attr.name="weight" attr.type="long"/><graph edgedefault="directed">'
    '<node id="a"/><node id="b"/><node id="c"/>'
    '<edge source="a" target="b"><data key="d0">2.5</data></edge><edge source="b" target="c"/>'
    '<edge source="a" target="c"><data key="d1"> 4\n</data></edge></graph></graphml>',
    "gml": "graph [ directed 1\n"
    + "".join(f'node [ id {k} label "{name}" ]\n' for k, name in enumerate("abc"))
    + "edge [ source 0 target 1 weight 2.5 ]\nedge [ source 1 target 2 ]\n"
    "edge [ source 0 target 2 weight 4 ]\n]\n",
    "net": "*Vertices 3\n1 a\n2 b\n3 c\n*Arcs\n1 2 2.5\n2 3\n1 3 4 l \"x\"\n",
}  # fmt: skip


def test_a_default_of_graphml_is_the_weight_of_edges_without(tmp_path: Path) -> None:
    path = tmp_path / "x.graphml"
    text = LACKING["graphml"].replace('"double"/>', '"double"><default>7</default></key>')
    path.write_text(text)
    assert solve(SSSP, load(path), "a").by_name() == {"a": 0, "b": 2.5, "c": 4}
    assert load(path).graph_file.notes == ()


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [("x.graphml", LACKING["graphml"].replace("<edge ", "\n<edge ").replace("2.5", "-2.5"), 2),
     ("x.gml", LACKING["gml"].replace("2.5", "-2.5"), 5),
     ("x.net", LACKING["net"].replace("2.5", "-2.5"), 6)],
)  # fmt: skip
def test_a_negative_weight_is_named_with_its_line(name: str, content: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    told = refused(solve, SSSP, load(path), "a")
    assert told.startswith(f"{path}, line {line}: the weight -2.5 is negative")
    path.write_text(content.replace("-2.5", "nan"))
    assert f"its weight 'nan' on line {line} is not finite" in refused(solve, SSSP, load(path), "a")


@pytest.mark.parametrize("kind", ["gml", "net"])
def test_labels_that_do_not_tell_vertices_apart_are_no_names(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{kind}"
    path.write_text(LACKING[kind].replace('"b"', '"a"').replace("2 b", "2 a"))
    loaded = load(path)
    assert list(loaded.names) == ([0, 1, 2] if kind == "gml" else [1, 2, 3])
    said = loaded.graph_file.notes[1]
    assert said.startswith(
        f"{path}: vertices {loaded.names[0]} and {loaded.names[1]} have the same label 'a';"
    )
    assert said.endswith("vertices have their ids as names (give each a label of its own to use those)")
    unnamed = LACKING[kind].replace('"b"', '""').replace("2 b", '2 ""')
    path.write_text(unnamed.replace('"c"', '""').replace("3 c", '3 ""'))
    assert f": vertex {loaded.names[1]} has no label; " in load(path).graph_file.notes[1]


@pytest.mark.parametrize("begin", ['<?xml version="1.0"?>\n<gexf>', "<gexf>"])
def test_gexf_is_refused_with_what_converts_it(begin: str, tmp_path: Path) -> None:
    path = tmp_path / "a b.gexf"
    path.write_text(f"{begin}\n</gexf>\n")
    told = refused(load, path)
    assert told.startswith(f"{path}: is GEXF; export GraphML from Gephi, or write Pajek in Python: networkx.")
    edges = nx.DiGraph([("Ann Lee", "bob"), ("bob", "cy")])
    edges.nodes["bob"]["Modularity Class"] = 3  # which neither GraphML nor GML takes, with where it is drawn
    edges.nodes["bob"]["viz"] = {"size": 3.0}
    nx.write_gexf(edges, path)
    carry_out(refused(load, path))
    converted = load(path.with_suffix(".net"))
    assert converted.graph_file.graph.info["directed"] is True
    assert list(converted.names) == ["Ann Lee", "bob", "cy"]


def carry_out(told: str) -> None:
    """Do what a message says to do in Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of attributes that are no text
        exec(re.search(r"networkx\.write.*'\)", told)[0], {"networkx": nx})  # type: ignore[index]


@pytest.mark.parametrize("name", ["adjlist", "multiline_adjlist"])
@pytest.mark.parametrize("written", [nx.path_graph(3), nx.complete_graph(3, nx.DiGraph)])
def test_adjacency_of_networkx_is_refused_with_what_converts_it(
    name: str, written: Any, tmp_path: Path
) -> None:
    path = tmp_path / "x.txt"
    getattr(nx, f"write_{name}")(written, path)
    told = refused(load, path)
    assert "is an adjacency list of NetworkX; write GraphML in Python: networkx.write_graphml(" in told
    assert told.endswith("; for a directed graph, read with create_using=networkx.DiGraph")
    carry_out(told)
    converted = load(path.with_suffix(".graphml")).graph_file.graph
    assert (converted.info["directed"], converted.vertices) == (False, 3)


def test_rows_of_many_lengths_may_be_an_adjacency_list(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    for content in ("0 1 2 3\n1 2\n2\n3\n", "0 1 2 3\n1\n2\n3\n"):
        path.write_text(content)
        told = refused(load, path)
        assert told.startswith(
            f"{path}: has rows of 1 to 4 words, as an adjacency list; write GraphML in Python"
        )


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [("x.gml", 'graph [ node [ id 1 ] node [ id 1 ] ]', "line 1: expected an id of its own for each node"),
     ("x.gml", "graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]", "line 2: expected the id of a node"),
     ("x.gml", "graph [ node [ id 1 ]\n]]", "line 2: expected GML's"),
     ("x.gml", 'graph [ node [ id 1 label "a\n] ]', "expected GML's"),
     ("x.gml", "graph [ ]\ngraph [ ]", "line 2: expected one graph, found another"),
     ("x.graphml", "<graphml><graph edgedefault='directed'>\n<edge source='a'/></graph></graphml>",
      "line 2: expected target in <edge>"),
     ("x.graphml", "<graphml><graph edgedefault='directed'><node id='a'/>\n<node id='a'/>",
      "line 2: expected an id of its own for each node, found 'a' again"),
     ("x.graphml", "<graphml><graph edgedefault='directed'><node id='a'/>\n<edge source='a' target='b'/>"
      "</graph></graphml>", "line 2: expected the id of a node, found 'b'"),
     ("x.graphml", "<graphml>\n<graph>", "line 2: expected edgedefault"),
     ("x.graphml", "<graphml><graph edgedefault='directed'>\n<nod", "line 2: expected XML"),
     ("x.graphml", "<!DOCTYPE graphml [<!ENTITY a 'b'>]>\n<graphml></graphml>", "no entities of its own"),
     ("x.graphml", "<graphml><graph edgedefault='directed'>\n<edge source='a' target='b' directed='false'/>",
      "line 2: expected all edges as edgedefault says"),
     ("x.net", "*Vertices 2\n*Arcs\n1 2\n*Edges\n1 2\n", "line 5: expected *Arcs or *Edges alone"),
     ("x.net", "*Vertices 2\n1 a\n3 c\n", "line 3: expected a vertex from 1 to 2"),
     ("x.net", "*Vertices 2\n*Arcs\n1 0\n", "line 3: expected vertices from 1 to 2, found '0'"),
     ("x.net", "*Vertices 2\n*Arcs :1 \"knows\"\n1 2\n*Arcs :2 \"likes\"\n2 1\n", "one relation"),
     ("x.net", "*Vertices 2\n*Matrix\n0 1\n0\n", "line 4: expected 'u v'")],
)  # fmt: skip
def test_what_is_damaged_is_refused_with_its_line(name: str, content: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert told in refused(load, path)


@pytest.mark.parametrize("encoding", ["iso-8859-2", "windows-1250", "utf-8", "utf-16"])
def test_graphml_is_in_the_encoding_that_it_says(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "x.graphml"
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n{LACKING["graphml"]}'.replace('"a"', '"Łódź"')
    path.write_bytes(text.encode(encoding))
    assert "Łódź" in load(path).names
    path.write_bytes(text.replace(encoding, "no-such").encode("latin-1", "replace"))
    assert len(load(path).names) == 3


def test_quotes_in_labels_of_pajek_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.net"
    path.write_text('*Vertices 2\n1 "a \\"b\\" c\\\\" 0.5 0.5\n2 Zürich\n*Edges\n1 2\n')
    assert list(load(path).names) == ['a "b" c\\', "Zürich"]
    path.write_text('*Vertices 2\n1 "C:\\"\n2 "D:\\" 0.5 0.5\n*Edges\n1 2\n')  # as igraph writes them
    assert list(load(path).names) == ["C:\\", "D:\\"]


def test_a_label_of_pajek_without_quotes_is_one_word(tmp_path: Path) -> None:
    path = tmp_path / "x.net"
    for label in ("John Smith", "'John Smith'", "New York 0.5 0.5", "Iron Man"):
        path.write_text(f"*Vertices 2\n1 {label}\n2 b\n*Edges\n1 2\n")
        told = (
            f"{path}, line 2: expected a vertex from 1 to 2 and its label, in double quotes if it has a blank"
        )
        assert refused(load, path).startswith(told)
    drawn = (" 0.1 -.2 0.5", " ellipse", " ic Red", " [1-4,7]", " 0.1 0.2 box x_fact 2", " X_FACT 2")
    for more in (
        "",
        *drawn,
        " nan 1 box",
        " None 0 box",
        ' url "http://x"',
        " HOOKS CART 0 0",
        " circle",
        " % one",
    ):
        path.write_text(f"*Vertices 2\n1 'John{more}\n2 b\n*Edges\n1 2\n")
        assert list(load(path).names) == ["'John", "b"]


GEPHI = "Source,Target,Type,Id,Label,timeset,Weight\n"


@pytest.mark.parametrize("pieces", [False, True])
@pytest.mark.parametrize("kind", ["Directed", "Undirected"])
def test_a_table_of_gephi_says_its_directions(
    kind: str, pieces: bool, tmp_path: Path, monkeypatch: Patch
) -> None:
    if pieces:
        monkeypatch.setattr(graph_file, "LARGE_LIST", 1)
    path = tmp_path / "edges.csv"
    rows = [("Zürich", "R&D", 1.0), ("R&D", "a b", 2.5), ("Zürich", "a b", 7)]
    path.write_text(GEPHI + "".join(f"{u},{v},{kind},{k},,,{w}\n" for k, (u, v, w) in enumerate(rows)))
    loaded = load(path)
    assert loaded.graph_file.graph.info["directed"] is (kind == "Directed")
    assert solve(SSSP, loaded, "Zürich").by_name() == {"Zürich": 0, "R&D": 1, "a b": 3.5}
    back = solve(SSSP, loaded, "a b").by_name()
    assert back == ({"a b": 0} if kind == "Directed" else {"a b": 0, "R&D": 2.5, "Zürich": 3.5})
    other = "Undirected" if kind == "Directed" else "Directed"
    path.write_text(path.read_text().replace(f"{kind},2", f"{other},2"))
    told = f"{path}, line 4: expected the type {kind}, as of the first edge, found '{other}'"
    assert refused(load, path).startswith(told)
    assert "write each undirected edge twice" in refused(load, path)


def test_a_column_type_of_other_words_is_not_about_directions(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("source,target,type,weight\na,b,friend,1\nb,c,directed,2\n")
    with pytest.raises(RetraceError, match="say directed=True"):
        solve("betweenness/seq-array", load(path))
