"""GAP's graphs: arc for arc those of its own converter, from its own sources; and stand-ins, which say so."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from command_line import refused
from cuda_device import memory
from cuda_device.compiled_files import find_cxx
from retrace.check.graph500 import components
from retrace.check.oracles import Oracle
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Draw
from retrace.solvers.bfs import QueueBFS
from retrace.system.errors import RetraceError
from retrace_peers import gapbs, standard_graphs
from retrace_peers.standard_graphs import GenerateStandardGraph, by_gapbs, stand_in

needs_gapbs = pytest.mark.skipif(gapbs.why_missing() is not None, reason=str(gapbs.why_missing()))
SCALE = 10
FLAGS = {"kron": "-g", "urand": "-u"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Compile GAPBS's converter and search."""
    folder = tmp_path_factory.mktemp("gapbs")
    made = {name: folder / name for name in ("converter", "bfs")}
    for name, program in made.items():
        source = gapbs.source_folder() / f"{name}.cc"
        subprocess.run([find_cxx(), "-std=c++11", "-O1", "-fopenmp", source, "-o", program], check=True)
    return made


@needs_gapbs
@pytest.mark.parametrize("kind", FLAGS)
def test_the_graph_is_gaps_arc_for_arc(kind: str, programs: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "graph.wsg"
    command = [programs["converter"], FLAGS[kind], str(SCALE), "-k", "16", "-w", "-b", file]
    subprocess.run(command, check=True, capture_output=True)
    content = file.read_bytes()
    arcs, vertices = np.frombuffer(content, np.int64, 2, 1).tolist()
    indptr = np.frombuffer(content, np.int64, vertices + 1, 17)
    pairs = np.frombuffer(content, np.int32, 2 * arcs, 17 + 8 * (vertices + 1)).reshape(-1, 2)
    graph = by_gapbs(kind, SCALE)
    assert graph.weights is not None
    np.testing.assert_array_equal(graph.indptr, indptr)
    np.testing.assert_array_equal(graph.indices, pairs[:, 0])
    np.testing.assert_array_equal(graph.weights, pairs[:, 1])
    assert (graph.weights.min(), graph.weights.max()) == (1, 255)


@needs_gapbs
@pytest.mark.parametrize("kind", FLAGS)
def test_searches_begin_where_gaps_do(kind: str, programs: dict[str, Path]) -> None:
    command = [programs["bfs"], FLAGS[kind], str(SCALE), "-k", "16", "-n", "90", "-l"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    sources = [int(number) for number in re.findall(r"^Source: +(\d+)", printed, re.MULTILINE)]
    assert len(sources) == 90
    graph = by_gapbs(kind, SCALE)
    assert graph.info["picked"]["vertices"] == list(dict.fromkeys(sources))[: standard_graphs.PICKED]
    asked = Draw.of(graph.info, 64, 1, "bfs").queries(graph)
    assert [query.source for query in asked] == graph.info["picked"]["vertices"]
    in_fours = Draw.of(graph.info, 16, 1, "betweenness").queries(graph)
    firsts = [sorted(graph.info["picked"]["vertices"][4 * k : 4 * k + 4]) for k in range(16)]
    assert [list(query.sources or ()) for query in in_fours] == firsts


@pytest.mark.parametrize("make", [stand_in, pytest.param(lambda *of: by_gapbs(*of[:2]), marks=needs_gapbs)])
@pytest.mark.parametrize("kind", FLAGS)
def test_edges_of_a_component_count_as_drawn(kind: str, make: object) -> None:
    """Self-loops and repeated edges count: 16 for each vertex, in all components together."""
    assert callable(make)
    graph: CSRGraph = make(kind, SCALE, 5)
    labels, picked = components(graph), graph.info["picked"]
    edges = dict(zip(labels[picked["vertices"]].tolist(), picked["edges"], strict=True))
    (largest,) = edges
    simple = np.count_nonzero(labels[graph.tails()] == largest) // 2
    assert simple < edges[largest] <= 16 << SCALE
    loops_of_others = (16 << SCALE) - edges[largest]
    assert loops_of_others == 0 if kind == "urand" else loops_of_others < 16


@pytest.mark.parametrize("kind", FLAGS)
def test_a_stand_in_is_marked_simple_and_undirected(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gapbs, "why_missing", lambda: "not here")
    for folder in ("a", "b"):
        GenerateStandardGraph(name=f"{kind}-8", seed=3, output=tmp_path / folder).run()
    graph = csr.load(tmp_path / "a")
    assert graph.info["origin"] == graph.info["edition"] == "stand-in"
    assert graph.digest() == csr.load(tmp_path / "b").digest()
    pairs = set(zip(graph.tails().tolist(), graph.indices.tolist(), strict=True))
    assert len(pairs) == graph.arcs
    assert all((v, u) in pairs and u != v for u, v in pairs)
    weights = np.asarray(graph.weights)
    assert 1 <= weights.min() <= weights.max() <= 255
    assert 6 * 256 < graph.arcs < 32 * 256
    hub, average = graph.degrees().max(), graph.arcs / 256
    assert (hub > 3 * average) == (kind == "kron")


@pytest.mark.parametrize(
    ("name", "complaint"),
    [("kron-28", "graph kron-28: scale 28, expected 4 to 27"), ("rmat-14", "graph rmat-14: expected kron-")],
)
def test_a_graph_out_of_reach_is_refused(name: str, complaint: str, tmp_path: Path) -> None:
    assert refused(GenerateStandardGraph(name=name, output=tmp_path / "g").run).startswith(complaint)


def test_trees_from_picked_vertices_are_validated_by_the_rules() -> None:
    """And a tree that breaks one is refused, whatever else holds."""
    graph = stand_in("kron", 6, 1)
    query = Draw.of(graph.info, 4, 1, "bfs").queries(graph)[0]
    solver, oracle = QueueBFS(), Oracle(graph)
    solver.setup(graph)
    solver.upload(query)
    solver.solve(query)
    right = oracle.check("bfs/queue", query, solver.download(), solver.predecessors())
    assert right.verified
    assert right.oracle.endswith("Graph500's five rules")
    above = np.array(solver.predecessors())
    leaf = int(solver.download()[above >= 0].argmax())
    above[np.flatnonzero(above >= 0)[leaf]] = np.flatnonzero(above >= 0)[leaf]
    own = oracle.check("bfs/queue", query, solver.download(), above)
    assert not own.verified
    assert str(own.reason).startswith("rule 1 of Graph500, ")
    rules = Oracle(graph)._rules
    assert rules is not None
    rules.component = np.arange(graph.vertices)
    unproved = Oracle(graph)
    vars(unproved)["_rules"] = rules
    wrong = unproved.check("bfs/queue", query, solver.download(), solver.predecessors())
    assert not wrong.verified
    assert str(wrong.reason).startswith("rule 4 of Graph500, ")


@needs_gapbs
@pytest.mark.parametrize("kind", FLAGS)
def test_a_graph_of_more_arcs_than_32_bits_count_is_the_same(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = by_gapbs(kind, SCALE)
    monkeypatch.setattr(csr, "MOST_ARCS", 1000)
    wide = by_gapbs(kind, SCALE)
    assert wide.is_wide
    assert wide.info == narrow.info
    for name in csr.ARRAYS:
        np.testing.assert_array_equal(getattr(wide, name), getattr(narrow, name))


def test_a_graph_that_memory_does_not_hold_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """GAPBS's builder keeps edges, arcs and simple arcs of kron-27 in 96 GiB; a stand-in takes 120."""
    monkeypatch.setattr(memory, "available", lambda: 64 * 2**30)
    for missing, needed in ((None, "96.0"), ("not here", "120.0")):
        monkeypatch.setattr(gapbs, "why_missing", lambda missing=missing: missing)
        GenerateStandardGraph(name="kron-27", output=tmp_path / "g").run()
        told = f"kron-27 is not made: needs {needed} GiB of memory, 64.0 GiB are free"
        assert capsys.readouterr().err == f"warning: {told}\n"
        with pytest.raises(RetraceError, match=f"the graph was not made: needs {needed} GiB"):
            csr.load(tmp_path / "g", wide=True)
