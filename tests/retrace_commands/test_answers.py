"""Answers in every form: the best of them, JSON, NumPy and Parquet, many sources, bounds, and samples."""

from __future__ import annotations

import json
from math import log, sqrt
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from command_line import Call, Patch, rows
from graphs import graph
from retrace import load, solve
from retrace.graphs.csr import CSRGraph
from retrace.graphs.generators import sample_vertices
from retrace.graphs.query import Query
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace.solvers.bfs import QueueBFS
from retrace.system.errors import NotVerifiedError
from retrace_commands.answer_document import AnswerDocument, answer_schema, described_values
from retrace_commands.eccentricities import bound
from retrace_commands.graph_file import GraphFile
from retrace_commands.sample_bounds import bound_of_sample

SCHEMA = json.loads((Path(__file__).parents[2] / "scripts/retrace_commands/answer.schema.json").read_text())
NAMES = ["ann", "bob", "cy", "dan", "eve"]
EDGES = [(0, 1, 0.5), (1, 2, 1.0), (2, 3, 2.5), (0, 3, 9.0)]
"""Vertex 4 has an arc to vertex 0 alone."""


@pytest.fixture
def people(tmp_path: Path, monkeypatch: Patch) -> str:
    """Write a directed graph of names and fractional weights."""
    monkeypatch.chdir(tmp_path)
    arcs = [*EDGES, (4, 0, 1.0)]
    lines = [f"{NAMES[u]},{NAMES[v]},{weight}" for u, v, weight in arcs]
    Path("people.csv").write_text("\n".join(["source,target,weight", *lines]))
    return "people.csv"


@pytest.fixture
def line(tmp_path: Path, monkeypatch: Patch) -> str:
    """Write a path of six vertices from 1, with both arcs of each edge."""
    monkeypatch.chdir(tmp_path)
    Path("line.txt").write_text("".join(f"{u} {u + 1}\n{u + 1} {u}\n" for u in range(1, 6)))
    return "line.txt"


def document(text: str) -> dict[str, Any]:
    """What a text says, after the schema and the model have taken it."""
    said: dict[str, Any] = json.loads(text)
    jsonschema.validate(said, SCHEMA)
    AnswerDocument.model_validate_json(text)
    return said


def test_the_schema_is_the_models() -> None:
    """`answer_schema()`, as JSON with an indent of 1, is the file."""
    assert answer_schema() == SCHEMA
    parts = [SCHEMA, *SCHEMA["$defs"].values()]
    assert all("description" in field for part in parts for field in part["properties"].values())


def test_json_has_names_and_the_weights_of_the_file(people: str, call: Call) -> None:
    done = call(
        "solve", "sssp/dijkstra-heap", people, "--directed", "--source", "ann", "--json", "--paths-to", "dan",
        "--output", "d.json",
    )  # fmt: skip
    said = document(done.out)
    assert document(Path("d.json").read_text()) == said
    (answer,) = said["answers"]
    assert answer["vertices"] == NAMES
    assert answer["values"] == [0, 0.5, 1.5, 4, None]
    assert (answer["quantity"], answer["source"]) == ("distance", "ann")
    assert said["paths"] == [["ann", "bob", "cy", "dan"]]
    assert (said["graph"], said["solver"]) == (
        {"path": people, "vertices": 5, "arcs": 5},
        "sssp/dijkstra-heap",
    )
    assert said["checked"] == "verified against scipy.sparse.csgraph.dijkstra"
    assert said["milliseconds"].keys() == {"setup", "upload", "solve", "download"}
    assert (said["sources"], said["error_bound"], said["diameter"]) == (None, None, None)


def test_json_of_numbers_predecessors_and_a_path(line: str, call: Call) -> None:
    said = document(call("solve", "bfs/queue", line, "--source", 2, "--json").out)
    (answer,) = said["answers"]
    assert (answer["vertices"], answer["values"]) == ([1, 2, 3, 4, 5, 6], [1, 0, 1, 2, 3, 4])
    assert answer["predecessors"] == [2, None, 2, 3, 4, 5]
    said = document(call("solve", "bfs/queue", line, "--source", 1, "--json").out)
    assert said["answers"][0]["predecessors"] == [None, 1, 2, 3, 4, 5]
    said = document(call("path", line, "--source", 4, "--target", 2, "--json").out)
    assert said["paths"] == [[4, 3, 2]]
    assert (said["answers"][0]["vertices"], said["answers"][0]["values"]) == ([4, 3, 2], [0, 1, 2])
    said = document(call("solve", "stcon/two-queues", line, "--source", 1, "--target", 5, "--json").out)
    assert (said["answers"][0]["vertices"], said["answers"][0]["values"]) == ([5], [4])


def test_the_top_vertices_are_printed_and_written(line: str, people: str, call: Call) -> None:
    outputs = [word for suffix in ("csv", "npy", "npz", "json") for word in ("--output", f"top.{suffix}")]
    done = call("solve", "betweenness/seq-array", line, "--top", 3, *outputs)
    assert done.out.splitlines()[1:] == ["vertex_from_1 score", "3 6", "4 6", "2 4"]
    assert rows(Path("top.csv"))[1:] == [["3", "6.0"], ["4", "6.0"], ["2", "4.0"]]
    assert np.load("top.npy").tolist() == [(3, 6), (4, 6), (2, 4)]
    with np.load("top.npz") as arrays:
        assert {name: arrays[name].tolist() for name in arrays} == {
            "vertex_from_1": [3, 4, 2],
            "score": [6, 6, 4],
        }
    assert document(Path("top.json").read_text())["answers"][0]["vertices"] == [3, 4, 2]
    done = call("solve", "sssp/dijkstra-heap", people, "--directed", "--source", "ann", "--top", 2)
    assert done.out.splitlines()[1:] == ["vertex distance_times_2", "dan 8", "cy 3"]
    done = call("solve", "bfs/queue", people, "--directed", "--source", "ann", "--top", 9)
    assert [text.split()[0] for text in done.out.splitlines()[2:]] == ["cy", "bob", "dan", "ann"]


def test_parquet_is_refused_without_its_library_before_the_work(
    line: str, monkeypatch: Patch, call: Call
) -> None:
    monkeypatch.setattr("retrace_commands.written_answers.find_spec", lambda name: None)
    monkeypatch.setattr(QueueBFS, "setup", lambda *_: pytest.fail("has begun to search"))
    refused = call("solve", "bfs/queue", line, "--source", 1, "--output", "x.parquet").refusal(1)
    assert "x.parquet: Parquet is written by pyarrow, which is not installed; pip install pyarrow" in refused


def test_parquet_has_nulls_where_nothing_is(people: str, call: Call) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    call("solve", "bfs/queue", people, "--directed", "--source", "bob", "--output", "x.parquet")
    assert parquet.read_table("x.parquet").to_pydict() == {
        "vertex": NAMES,
        "level": [None, 0, 1, 2, None],
        "predecessor": [None, None, "bob", "cy", None],
    }


def test_many_sources_are_a_matrix(line: str, call: Call) -> None:
    files = [f"--output=m.{suffix}" for suffix in ("csv", "npy", "npz", "json")]
    done = call("solve", "bfs/queue", line, "--source", 5, "--source", 1, *files)
    expected = [[4, 3, 2, 1, 0, 1], [0, 1, 2, 3, 4, 5]]
    assert np.load("m.npy").tolist() == expected
    assert np.load("m.npy").dtype == np.int32
    with np.load("m.npz") as arrays:
        assert arrays["level"].tolist() == expected
        assert arrays["source_from_1"].tolist() == [5, 1]
        assert arrays["vertex_from_1"].tolist() == [1, 2, 3, 4, 5, 6]
    assert rows(Path("m.csv"))[:2] == [["vertex_from_1", "level_from_5", "level_from_1"], ["1", "4", "0"]]
    said = document(Path("m.json").read_text())
    assert [(part["source"], part["values"]) for part in said["answers"]] == list(
        zip([5, 1], expected, strict=True)
    )
    said_in_words = done.out.splitlines()
    assert "from 5 (ids from 1): 6 of 6 reached, largest level 4" in said_in_words[0]
    assert "from 1 (ids from 1): 6 of 6 reached, largest level 5" in said_in_words[1]
    assert "2 sources; solve" in said_in_words[2]
    assert said_in_words[2].endswith("verified against scipy.sparse.csgraph.dijkstra and "
                                     "optimality certificate of the tree")  # fmt: skip


@pytest.mark.parametrize("solver", ["bfs/bsp", "sssp/standard", "sssp/dijkstra-heap"])
def test_sampled_sources_have_the_answers_of_each(solver: str, tiny: Path, call: Call) -> None:
    out = tiny.parent / "m.npy"
    backend = [] if "heap" in solver else ["--backend", "emulator"]
    call("solve", solver, tiny, "--sources", 3, "--seed", 7, "--output", out, *backend)
    sources = sample_vertices(4, 3, 7) + 1
    assert sources.tolist() != (sample_vertices(4, 3, 1) + 1).tolist()
    alone = [solve("bfs/queue" if "bfs" in solver else "sssp/dijkstra-heap", tiny, int(v)) for v in sources]
    assert np.load(out).tolist() == [answer.values.tolist() for answer in alone]


def test_a_wrong_answer_from_a_later_source_is_refused(line: str, monkeypatch: Patch, call: Call) -> None:
    solved: list[Query] = []
    download, upload = QueueBFS.download, QueueBFS.upload

    def note(solver: QueueBFS, query: Query) -> None:
        solved.append(query)
        upload(solver, query)

    monkeypatch.setattr(QueueBFS, "upload", note)
    monkeypatch.setattr(QueueBFS, "download", lambda solver: download(solver) + (len(solved) == 2))
    refused = call("solve", "bfs/queue", line, "--source", 1, "--source", 2, "--output", "m.npy").refusal(3)
    assert "not verified" in refused
    assert not Path("m.npy").exists()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("bfs/queue --source 1 --source 2 --paths-to 3", "paths lead from one --source"),
        ("bfs/queue --source 1 --source 2 --top 2", "--top is for one --source"),
        ("stcon/two-queues --source 1 --target 3 --top 2", "stcon/two-queues finds one length"),
        ("bfs/queue --source 1 --top 0", "expected a whole number from 1 on, found '0'"),
        ("stcon/two-queues --source 1 --source 2 --target 3", "stcon/two-queues takes one --source"),
        ("bfs/queue --source 1 --check sample --no-check", "not allowed with"),
    ],
)
def test_questions_that_do_not_go_together(asked: str, told: str, line: str, call: Call) -> None:
    solver, *words = asked.split()
    assert told in call("solve", solver, line, *words).refusal(2)


def test_names_of_sources_are_whole_in_every_form(tmp_path: Path, monkeypatch: Patch, call: Call) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.csv").write_text('source,target\n"a,b",µ\nµ,"a,b"\n')
    files = ["--output=m.csv", "--output=m.json"]
    done = call("solve", "bfs/queue", "odd.csv", "--source", "a,b", "--source", "µ", "--json", *files)
    assert rows(Path("m.csv"))[0] == ["vertex", "level_from_a,b", "level_from_µ"]
    assert document(Path("m.json").read_text()) == document(done.out)
    assert done.out.isascii()
    twice = call("solve", "bfs/queue", "odd.csv", "--source", "µ", "--source", "µ").refusal(1)
    assert "--source: expected different vertices" in twice


def test_a_score_is_no_missing_length() -> None:
    values = np.array([2.0**31 - 1, np.nan, 0.5])
    ids = GraphFile(graph(3, [], directed=True), Path("x"), "snap", 1)
    described = described_values(ids, "score", np.arange(3, dtype=np.int32), values)
    assert described.values == (2**31 - 1, None, 0.5)


# ----- samples and their bounds


def random_arcs(seed: int) -> tuple[int, list[tuple[int, int, int]], bool]:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 30))
    arcs = random.integers(0, size, (int(random.integers(1, 3 * size)), 2)).tolist()
    weights = random.integers(0, 9, len(arcs)).tolist()
    return size, [(u, v, w) for (u, v), w in zip(arcs, weights, strict=True)], bool(seed % 2)


def test_a_bound_of_a_sample_is_hoeffdings() -> None:
    found = bound_of_sample(1000, 401)
    assert found is not None
    assert found.within == pytest.approx(sqrt(log(2 * 1000 / 0.05) / (2 * 400)))
    assert (found.probability, "Hoeffding" in found.method) == (0.95, True)
    assert bound_of_sample(1000, 1) is None
    assert bound_of_sample(1000, 3) is None
    every = bound_of_sample(5, 5)
    assert every is not None
    assert (every.within, every.probability) == (0, 1)


def test_sampled_scores_are_within_their_bound(tmp_path: Path) -> None:
    """Of a star half of whose leaves are reached, where each source adds 0 or 1 to the middle."""
    size = 200
    arcs = [(0, v) for v in range(1, 101)] + [(v, 0) for v in range(101, size)]
    (tmp_path / "star.txt").write_text("".join(f"{u} {v}\n" for u, v in arcs))
    star = load(tmp_path / "star.txt", directed=True)
    exact = solve("betweenness/seq-array", star, normalized=True).values
    errors = []
    for seed in range(30):
        sampled = solve("betweenness/seq-array", star, sources=40, seed=seed, normalized=True, check=False)
        assert sampled.error_bound is not None
        errors.append(np.abs(sampled.values - exact).max() / sampled.error_bound.within)
    assert max(errors) < 1
    assert max(errors) > 0.1  # a bound that is far off says nothing


def test_the_bound_is_said_and_written(line: str, call: Call) -> None:
    done = call("solve", "betweenness/seq-array", line, "--sources", 4)
    assert "error of normalised scores: at most 0.956 at every vertex, with probability 0.95" in done.out
    assert "Brandes and Pich (2007)" in done.out
    said = document(call("solve", "betweenness/seq-array", line, "--sources", 4, "--json").out)
    assert said["sources"] == 4
    assert said["error_bound"]["within"] == pytest.approx(sqrt(log(12 / 0.05) / 6))
    few = call("solve", "betweenness/seq-array", line, "--sources", 2)
    assert few.out.splitlines()[1] == "error of normalised scores: so few sources have no bound below 1"


def test_a_sample_is_checked_and_said(line: str, tmp_path: Path, monkeypatch: Patch, call: Call) -> None:
    long = tmp_path / "long.txt"
    long.write_text("".join(f"{k} {k + 1}\n" for k in range(1, 20)))
    from_all = "solve", "betweenness/seq-array", long, "--undirected", "--check", "sample"
    told = "; the same solver from a sample of 16 sources verified against igraph.Graph.betweenness\n"
    assert call(*from_all).out.endswith(told)
    assert told not in call(*from_all, "--sources", 16).out
    done = call("solve", "bfs/queue", line, "--source", 1, "--check", "sample")
    assert done.out.endswith("; verified against optimality certificate\n")
    done = call("solve", "betweenness/seq-array", line, "--check", "sample")
    assert done.out.endswith("; verified against igraph.Graph.betweenness\n")  # 6 sources are no sample
    assert solve("bfs/queue", line, 1, check="sample").checked == "verified against optimality certificate"
    download = QueueBFS.download
    monkeypatch.setattr(QueueBFS, "download", lambda solver: np.minimum(download(solver), 4))
    assert "not verified against optimality certificate: vertex 5 has 4" in call(
        "solve", "bfs/queue", line, "--source", 1, "--check", "sample"
    ).refusal(3)
    scores = ArrayBrandes.download
    monkeypatch.setattr(ArrayBrandes, "download", lambda solver: scores(solver) + 1)
    with pytest.raises(NotVerifiedError, match="not verified against igraph"):
        solve("betweenness/seq-array", line, check="sample")
    assert "not verified against igraph" in call(*from_all).refusal(3)
    networkit = call("solve", "betweenness/networkit", *from_all[2:]).refusal(1)
    assert "--check sample: betweenness/networkit: " in networkit


def test_a_wrong_predecessor_fails_the_proof(line: str, monkeypatch: Patch, call: Call) -> None:
    monkeypatch.setattr(QueueBFS, "found_predecessors", lambda solver: np.full(6, -1, np.int32))
    monkeypatch.setattr(QueueBFS, "predecessors", lambda solver: np.full(6, -1, np.int32))
    assert "has predecessor -1" in call(
        "solve", "bfs/queue", line, "--source", 1, "--check", "sample"
    ).refusal(3)


# ----- eccentricities


def lengths_by_definition(given: CSRGraph, weighted: bool) -> np.ndarray:
    """Floyd and Warshall's lengths; inf where there is no path."""
    lengths = np.full((given.vertices, given.vertices), np.inf)
    weights = given.weights if weighted and given.weights is not None else np.ones(given.arcs, int)
    np.minimum.at(lengths, (given.tails(), given.indices), weights)
    np.fill_diagonal(lengths, 0)
    for middle in range(given.vertices):
        lengths = np.minimum(lengths, lengths[:, [middle]] + lengths[[middle]])
    return lengths


@pytest.mark.parametrize("weighted", [False, True])
def test_bounds_hold_at_every_step_and_end_exact(weighted: bool) -> None:
    steps = 0
    for seed in range(60):
        size, arcs, directed = random_arcs(seed)
        lengths = lengths_by_definition(graph(size, arcs, directed), weighted)
        reach = np.isfinite(lengths) & np.isfinite(lengths.T)
        members = np.flatnonzero(reach[np.argmax(reach.sum(1))])
        inside = lengths[np.ix_(members, members)].astype(np.int64)
        exact = inside.max(1)
        inward = (lambda v: inside[:, v]) if directed else None  # noqa: B023
        for most in range(1, len(members) + 1):
            found = bound(len(members), 0, lambda v: inside[v], inward, most, every=True)  # noqa: B023
            assert (found.least <= exact).all()
            assert (found.greatest >= exact).all()
            steps += 1
            if found.searches < most:
                break
        assert (found.least == exact).all()
        assert (found.greatest == exact).all()
        diameter = bound(len(members), 0, lambda v: inside[v], inward, None, every=False)  # noqa: B023
        assert diameter.diameter == (exact.max(), exact.max())
        assert diameter.searches <= len(members)
    assert steps > 200


def test_a_search_bounds_all_others_and_few_find_a_diameter() -> None:
    places = np.arange(100)
    lengths = np.abs(places[:, None] - places)
    first = bound(100, 40, lengths.__getitem__, None, 1, every=False)
    assert first.least.tolist() == np.maximum(lengths[40], 59 - lengths[40]).tolist()
    assert first.greatest.tolist() == (lengths[40] + 59).tolist()
    diameter = bound(100, 40, lengths.__getitem__, None, None, every=False)
    every = bound(100, 40, lengths.__getitem__, None, None, every=True)
    assert diameter.searches < every.searches < 100


def test_the_diameter_of_a_file(line: str, people: str, call: Call) -> None:
    done = call("eccentricities", line)
    assert "line.txt: diameter 5, 6 of 6 vertices in the largest component" in done.out
    assert "by bfs/queue; verified against scipy.sparse.csgraph.dijkstra" in done.out
    call("eccentricities", line, "--every-vertex", "--output", "e.csv", "--output", "e.json")
    expected = [5, 4, 3, 3, 4, 5]
    assert rows(Path("e.csv")) == [
        ["vertex_from_1", "eccentricity_least", "eccentricity_most"],
        *([str(k + 1), str(e), str(e)] for k, e in enumerate(expected)),
    ]
    said = document(Path("e.json").read_text())
    assert said["diameter"] == [5, 5]
    assert [part["values"] for part in said["answers"]] == [expected, expected]
    few = call("eccentricities", line, "--searches", 1, "--json")
    least, most = document(few.out)["diameter"]
    assert least <= 5 < most
    refused = call("eccentricities", line, "--solver", "stcon/two-queues").refusal(1)
    assert "expected a bfs or sssp solver" in refused


@pytest.mark.timeout(20)
def test_parallel_arcs_and_loops_have_components(tmp_path: Path, call: Call) -> None:
    """SciPy's search for strong components never ends on these."""
    arcs = zip([1, 1, 1, 1, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0, 2, 2], strict=True)
    (tmp_path / "parallel.gr").write_text("p sp 3 8\n" + "".join(f"a {u + 1} {v + 1} 1\n" for u, v in arcs))
    done = call("eccentricities", tmp_path / "parallel.gr", "--directed")
    assert "diameter 0, 1 of 3 vertices in the largest component" in done.out


def test_the_diameter_of_one_way_arcs_and_fractions(people: str, call: Call) -> None:
    Path("ring.csv").write_text("source,target,weight\na,b,0.5\nb,c,1\nc,a,2\nc,d,7\n")
    done = call("eccentricities", "ring.csv", "--directed", "--every-vertex", "--output", "e.csv")
    assert "diameter 6 (times 2), 3 of 4 vertices in the largest component" in done.out
    assert "searched from, and to by sssp/dijkstra-heap" in done.out
    assert rows(Path("e.csv"))[1:] == [["a", "3", "3"], ["b", "6", "6"], ["c", "5", "5"]]
    assert document(call("eccentricities", "ring.csv", "--directed", "--json").out)["diameter"] == [3, 3]
    done = call("eccentricities", "ring.csv", "--directed", "--solver", "bfs/queue")
    assert "diameter 2, 3 of 4" in done.out


def test_eccentricities_take_no_negative_weight(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "negative.csv"
    path.write_text("source,target,weight\n1,2,-5\n2,1,4\n")
    told = call("eccentricities", path, "--directed").refusal(1)
    assert "line 2: the weight -5 is negative, and sssp/dijkstra-heap takes weights from 0 on" in told
