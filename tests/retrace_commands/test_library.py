"""`from retrace import load, solve, solvers`: graphs of libraries and arrays have the right answers."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose

import retrace
from command_line import python
from exact_betweenness import exact_scores
from graphs import graph
from retrace import eccentricities, load, solve, solve_each, solvers
from retrace.graphs import csr
from retrace.solvers.bfs import QueueBFS
from retrace.system.errors import NotVerifiedError, RetraceError
from retrace_commands.library import Solution
from schedules import examples

GRAPHS = 60
"""Number of generated graphs, of each of five kinds."""
UNREACHED = 2**31 - 1


@dataclass(frozen=True)
class Drawn:
    """A graph with loops, parallel edges and parts that are not reached, and its answers by definition."""

    names: list[Any]
    edges: list[tuple[int, int]]
    weights: list[float]
    directed: bool

    @property
    def arcs(self) -> list[tuple[int, int, float]]:
        """Each direction of each edge."""
        arcs = [(u, v, w) for (u, v), w in zip(self.edges, self.weights, strict=True)]
        return arcs if self.directed else [*arcs, *((v, u, w) for u, v, w in arcs)]

    def lengths(self, source: int, weighted: bool) -> np.ndarray:
        """Bellman and Ford's distances, in float64; inf where there is no path."""
        lengths = np.full(len(self.names), np.inf)
        lengths[source] = 0
        for _ in self.names:
            for u, v, weight in self.arcs:
                lengths[v] = min(lengths[v], lengths[u] + (weight if weighted else 1))
        return lengths

    def scores(self) -> np.ndarray:
        unweighted = [(u, v, 1) for u, v in self.edges]
        return exact_scores(graph(len(self.names), unweighted, self.directed))


def draw(kind: int, seed: int) -> Drawn:
    """Draw a graph of a kind: undirected or directed, weights whole or of eighths, names of five sorts."""
    random = np.random.default_rng([kind, seed])
    size, directed = int(random.integers(1, 15)), bool(random.integers(2))
    count = int(random.integers(0, 3 * size))
    edges = random.integers(0, max(1, size - size // 5), (count, 2)).tolist()
    eighths = random.integers(0, 80, count) / 8
    weights = eighths.tolist() if random.integers(2) else np.floor(eighths).astype(int).tolist()
    gaps = (np.cumsum(random.integers(1, 9, size)) - 3).tolist()
    words = [f"v{number}\n" for number in random.permutation(size)]
    mixed = [(number, "x") if number % 2 else number for number in range(size)]
    names = [list(range(size)), list(range(1, size + 1)), gaps, words, mixed][kind]
    return Drawn(names, [(u, v) for u, v in edges], weights, directed)


def are_ids(names: list[Any]) -> bool:
    """Whether NetworKit can have them as ids."""
    return all(isinstance(name, int) and name >= 0 for name in names)


def as_networkx(drawn: Drawn) -> Any:
    networkx = pytest.importorskip("networkx")
    made = networkx.MultiDiGraph() if drawn.directed else networkx.MultiGraph()
    made.add_nodes_from(drawn.names)
    for (u, v), weight in zip(drawn.edges, drawn.weights, strict=True):
        made.add_edge(drawn.names[u], drawn.names[v], weight=weight)
    return made


def as_igraph(drawn: Drawn) -> Any:
    igraph = pytest.importorskip("igraph")
    made = igraph.Graph(len(drawn.names), drawn.edges, directed=drawn.directed)
    made.vs["name"], made.es["weight"] = drawn.names, drawn.weights
    return made


def as_networkit(drawn: Drawn) -> Any:
    networkit = pytest.importorskip("networkit")
    made = networkit.Graph(0, weighted=True, directed=drawn.directed)
    ids = drawn.names if are_ids(drawn.names) else list(range(len(drawn.names)))
    for number in range(max(ids) + 1):
        made.addNode()
        if number not in ids:
            made.removeNode(number)
    for (u, v), weight in zip(drawn.edges, drawn.weights, strict=True):
        made.addEdge(ids[u], ids[v], weight)
    return made


def as_arrays(drawn: Drawn) -> Any:
    tails, heads, weights = (np.array(column) for column in zip(*drawn.arcs, strict=True))
    order = np.argsort(tails, kind="stable")
    indptr = np.searchsorted(tails[order], np.arange(len(drawn.names) + 1))
    return indptr, heads[order], weights[order]


def as_matrix(drawn: Drawn) -> Any:
    """The lightest of parallel arcs, since a matrix has one entry at a place."""
    lightest = {(u, v): weight for u, v, weight in sorted(drawn.arcs, key=lambda arc: -arc[2])}
    places, size = np.array(list(lightest)), len(drawn.names)
    matrix = scipy.sparse.coo_array((list(lightest.values()), places.T), (size, size))
    return matrix.tocsr() if size % 2 else matrix


WAYS: dict[str, Callable[[Drawn], Any]] = {
    "networkx": as_networkx, "igraph": as_igraph, "networkit": as_networkit, "arrays": as_arrays,
    "scipy": as_matrix,
}  # fmt: skip


@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("way", WAYS)
def test_generated_graphs_have_the_answers_of_their_definition(way: str, kind: int) -> None:
    for seed in range(examples(GRAPHS)):
        drawn = draw(kind, seed)
        if way in ("arrays", "scipy") and not drawn.edges:
            continue
        says_nothing = way in ("arrays", "scipy")
        loaded = load(WAYS[way](drawn), directed=drawn.directed if says_nothing else None)
        numbered = says_nothing or (way == "networkit" and not are_ids(drawn.names))
        names = list(range(len(drawn.names))) if numbered else drawn.names
        assert list(loaded.names) == names
        source = seed % len(names)
        levels = solve("bfs/queue", loaded, names[source], check=seed % 9 == 0)
        expected = drawn.lengths(source, weighted=False)
        assert levels.by_name() == {names[k]: expected[k] for k in np.flatnonzero(np.isfinite(expected))}
        assert levels.values.dtype == np.int32
        assert (levels.values == UNREACHED).tolist() == np.isinf(expected).tolist()
        scores = solve("betweenness/seq-array", loaded, check=False)
        assert_allclose(scores.values, drawn.scores(), atol=1e-9)
        if not drawn.edges:
            continue
        distances = solve("sssp/dijkstra-heap", loaded, names[source], check=False)
        expected = drawn.lengths(source, weighted=True)
        assert distances.by_name() == {names[k]: expected[k] for k in np.flatnonzero(np.isfinite(expected))}
        ends = list(distances.by_name())
        path = [names.index(name) for name in distances.path_to(ends[-1])]
        length = sum(min(w for a, b, w in drawn.arcs if (a, b) == hop) for hop in pairwise(path))
        assert (path[0], names[path[-1]], length) == (source, ends[-1], expected[names.index(ends[-1])])


SQUARE = np.array([0, 2, 3, 4, 4]), np.array([1, 2, 3, 3])
"""Arrays of two ways from vertex 0 to vertex 3, over 1 and over 2."""


PAIR = np.arange(3), np.array([1, 0])


def with_weights(*weights: Any) -> Any:
    return *SQUARE, weights


def matrix(rows: list[list[float]], kind: str = "csr_array") -> Any:
    return getattr(scipy.sparse, kind)(np.array(rows))


def test_arrays_of_any_whole_type_are_taken() -> None:
    for dtype in (np.int8, np.uint8, np.int64, np.uint64):
        arrays = tuple(array.astype(dtype) for array in SQUARE)
        assert solve("bfs/queue", arrays, 0).values.tolist() == [0, 1, 1, 2]
    empty = np.zeros(3, int), []
    assert solve("bfs/queue", empty, 1).by_name() == {1: 0}


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr"])
@pytest.mark.parametrize("form", ["matrix", "array"])
def test_matrices_of_every_form_are_taken(kind: str, form: str) -> None:
    given = matrix([[0, 2.5, 0], [0, 0, 1], [0, 0, 0]], f"{kind}_{form}")
    assert solve("sssp/dijkstra-heap", given, 0).values.tolist() == [0, 2.5, 3.5]
    assert solve("bfs/queue", given, 1).values.tolist() == [UNREACHED, 0, 1]


def test_a_stored_zero_is_an_arc() -> None:
    stored = scipy.sparse.csr_array((np.array([0, 3]), ([0, 1], [1, 2])), (3, 3))
    assert solve("sssp/dijkstra-heap", stored, 0).values.tolist() == [0, 0, 3]


def test_a_zero_in_a_block_is_no_arc() -> None:
    path = np.array([[0, 4, 0, 0], [4, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])
    blocks = scipy.sparse.bsr_array(path, blocksize=(2, 2))
    found = solve("sssp/dijkstra-heap", blocks, 0)
    assert found.values.tolist() == [0, 4, 5, 6]
    assert found.notes == ("scipy.bsr_array: 0s in blocks are read as fill, and not as arcs: 10",)
    full = scipy.sparse.bsr_array(np.ones((2, 2)), blocksize=(1, 1))
    assert load(full).graph_file.notes == ()
    stored = scipy.sparse.dia_array((np.array([[0, 0, 3]]), [1]), shape=(3, 3))
    assert solve("bfs/queue", stored, 1).by_name() == {1: 0, 2: 1}


def lists_that_differ(rows: Any) -> Any:
    """A matrix of lists whose first row is another, so that its values are not those of its columns."""
    changed = scipy.sparse.lil_array(np.eye(3))
    changed.rows[0] = rows
    return changed


@pytest.mark.parametrize("rows", [[0, 1], [], 5, [None]])
def test_lists_of_a_matrix_that_do_not_fit_are_refused(rows: Any) -> None:
    with pytest.raises(RetraceError, match=r"scipy.lil_array: its arrays do not fit each other \(.*\); ma"):
        load(lists_that_differ(rows))


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("1,2\n")

    def denied(path: Path, *_: Any, **__: Any) -> Any:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "open", denied)  # root may open all
    for kind in ("auto", "edges"):
        with pytest.raises(RetraceError, match=r"edges.csv: cannot be read \(Permission denied\); check the"):
            load(path, format=kind)


def test_a_part_of_a_graph_is_none() -> None:
    igraph = pytest.importorskip("igraph")
    ours, theirs = nx.path_graph(3), igraph.Graph(3, [(0, 1), (1, 2)])
    for part in (
        ours.edges, ours.nodes, ours.adj, ours[0], ours.degree, ours.edges(data=True), theirs.vs, theirs.es,
        theirs.community_multilevel(),
    ):  # fmt: skip
        with pytest.raises(
            RetraceError, match=r"^(networkx|igraph)\.\w+: is no graph; pass the graph itself"
        ):
            load(part)
    assert solve("bfs/queue", load(list(ours.edges), directed=False), 2).values.tolist() == [2, 1, 0]


def test_an_undirected_view_has_one_weight_in_both_directions() -> None:
    given = nx.DiGraph()
    given.add_weighted_edges_from([(0, 1, 5), (1, 0, 1), (1, 2, 3)])
    told = (
        r"networkx.\w+: an undirected view that has the edge from 0 to 1 otherwise from 1 to 0; load its copy"
    )
    for kind in (nx.DiGraph, nx.MultiDiGraph):
        view = kind(given).to_undirected(as_view=True)
        with pytest.raises(RetraceError, match=told):
            load(view)
        assert solve("bfs/queue", load(view, weight=None), 2).by_name() == {2: 0, 1: 1, 0: 2}
        assert load(view.copy()).directed is False
    with pytest.raises(RetraceError, match=told):
        load(nx.subgraph_view(nx.path_graph(3), filter_edge=lambda u, v: u < v))
    part = nx.path_graph(4).subgraph([1, 2, 3])
    assert solve("bfs/queue", part, 3).by_name() == {3: 0, 2: 1, 1: 2}


def test_a_matrix_of_truth_has_no_weights() -> None:
    given = matrix([[False, True], [True, False]])
    assert solve("bfs/queue", given, 0).values.tolist() == [0, 1]
    with pytest.raises(RetraceError, match=r"scipy.csr_array: sssp/dijkstra-heap needs weights"):
        solve("sssp/dijkstra-heap", given, 0)


class OnDevice:
    """Stands for what CuPy has on a GPU."""

    __module__ = "cupyx.scipy.sparse"

    def __init__(self, content: Any) -> None:
        self.content = content

    def get(self) -> Any:
        return self.content


def test_what_cupy_has_is_copied_from_the_gpu() -> None:
    assert solve("bfs/queue", OnDevice(matrix([[0, 1], [0, 0]])), 0).values.tolist() == [0, 1]
    arrays = tuple(OnDevice(array) for array in SQUARE)
    assert solve("bfs/queue", arrays, 0).values.tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (7, "builtins.int: expected a graph's file, a SciPy or CuPy sparse matrix"),
        (np.eye(3), "numpy.ndarray: expected shape (edges, 2 or 3), found (3, 3); a matrix is scipy.sparse"),
        (np.full((4, 2), 0.5), "numpy.ndarray: expected whole ids of vertices"),
        (np.ones((2, 4)), "numpy.ndarray: expected shape (edges, 2 or 3), found (2, 4); a matrix is "
         "scipy.sparse.csr_array(array), and edges that are tuples a list; edges in columns, such as an "
         "edge_index, are array.T"),
        (np.ones(3), "numpy.ndarray: expected shape (edges, 2 or 3), found (3,)"),
        (np.array(3), "numpy.ndarray: expected shape (edges, 2 or 3), found ()"),
        (np.zeros((2, 2, 2), int), "numpy.ndarray: expected shape (edges, 2 or 3), found (2, 2, 2)"),
        (np.ones((4, 2), bool), "numpy.ndarray: expected ids of vertices, found bool"),
        (np.ones((4, 2), complex), "numpy.ndarray: expected ids of vertices, found complex128"),
        (np.ones(4, "i4,i4"), "numpy.ndarray: expected edges, found fields; take pandas.DataFrame(array)"),
        (np.ones((4, 2), "i4,i4"), "numpy.ndarray: expected edges, found fields"),
        (np.ma.array([[0, 1], [1, 2], [2, 3]], mask=np.eye(3, 2)), "numpy.MaskedArray: expected an array wi"),
        ((SQUARE[0], np.ma.array(SQUARE[1], mask=[0, 1, 0, 0])), "tuple of arrays: expected an array with"),
        ((*SQUARE, np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0])), "tuple of arrays: expected an array with"),
        (np.array([[0, pd.NA], [1, 2], [2, 3]]), "numpy.ndarray: expected names of vertices, found <NA>"),
        ([[0, 1, 3], [1, 0, 1]], "list: expected edges that are tuples, [(tail, head[, weight]), …]"),
        ([(0, 1), [1, 2]], "list: expected edges that are tuples"),
        ([*SQUARE], "list: expected edges that are tuples"),
        (((0, 2), (0, 0)), "tuple of arrays: tuples may be edges or sparse rows; write a list of edges, or"),
        (pd.DataFrame({"a": [0, 1], "b": [1, pd.NA]}), "pandas.DataFrame: column b, row 1: expected a"),
        ([((0, [1]), 2)], "list of edges: expected names of vertices, found (0, [1])"),
        ([(0, 1), (1, 2, 5)], "list of edges: edge 1: expected 2 values, as the first has, found (1, 2, 5)"),
        ([(0,)], "list of edges: edge 0: expected (tail, head[, weight]), found (0,)"),
        ([(0, None)], "list of edges: expected names of vertices, found None"),
        ([(0, float("nan"))], "list of edges: expected names of vertices, found nan"),
        ([(0, [1])], "list of edges: expected names of vertices, found [1]"),
        (pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}),
         "pandas.DataFrame: column source, row 1: expected a vertex, found none"),
        (pd.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}), "pandas.DataFrame: has 4 columns; say"),
        (pd.DataFrame(), "pandas.DataFrame: expected two columns or more, a tail and a head, found 0"),
        (pd.DataFrame({"a": [1]}), "pandas.DataFrame: expected two columns or more, a tail and a head, fou"),
        (pd.DataFrame({"Source": [1, 2], "Target": [2, 3], "Type": ["Directed", "Undirected"]}),
         "pandas.DataFrame: expected one type of all edges, found directed and undirected"),
        (([0, [1, 2]], [0]), "tuple of arrays: indptr: expected one dimension, found lists of several"),
        ((*SQUARE, [1, [2], 3, 4]), "tuple of arrays: weights: expected one dimension, found lists of"),
        (SQUARE[:1], "tuple of arrays: expected 2 or 3 arrays, found 1"),
        ((SQUARE[0], SQUARE[1] * 1.0), "tuple of arrays: indices: expected whole numbers, found float64"),
        ((SQUARE[0], SQUARE[1] == 1), "tuple of arrays: indices: expected whole numbers, found bool"),
        ((SQUARE[0].reshape(1, -1), SQUARE[1]), "tuple of arrays: indptr: expected one dimension, found 2"),
        ((SQUARE[0] + 1, SQUARE[1]), "tuple of arrays: indptr: expected rising numbers from 0 to 4"),
        (([0, 3, 2, 4, 4], SQUARE[1]), "tuple of arrays: indptr: expected rising numbers from 0 to 4"),
        (([], []), "tuple of arrays: indptr: expected rising numbers from 0 to 0, the arcs"),
        ((SQUARE[0], SQUARE[1] + 1), "tuple of arrays: indices: expected vertices from 0 to 3"),
        ((SQUARE[0], SQUARE[1] - 2), "tuple of arrays: indices: expected vertices from 0 to 3"),
        ((*SQUARE, [1]), "tuple of arrays: weights: expected 4, one per arc, found 1"),
        (scipy.sparse.csr_array((2, 3)), "scipy.csr_array: expected a square matrix, found shape (2, 3)"),
        (
            scipy.sparse.coo_array((np.ones(2), ([0, 0], [1, 1])), (2, 2)),
            "scipy.coo_array: a place has several entries; call its sum_duplicates(), or give arrays",
        ),
        ("nowhere.gr", "nowhere.gr: cannot be read (No such file or directory); check the path"),
        ("a\0b", "a\\x00b: cannot be read (embedded null byte); check the path"),
        ("a" * 300, "a" * 99),
    ],
)  # fmt: skip
def test_what_is_no_graph_is_refused_in_one_line(given: Any, told: str) -> None:
    with pytest.raises(RetraceError) as error:
        load(given)
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ((1, -2, 3, 4), "the weight -2 of the arc from 0 to 2 is negative, and sssp/dijkstra-heap takes"),
        ((1, 0.1, float("nan"), 4), "its weight 'nan' is not finite"),
        ((1, 2, 3, float("inf")), "its weight 'inf' is not finite"),
        (
            (1, 2, 3, 2**40),
            "its largest weight, 1099511627776, is above 2147483646; divide them by 513 or",
        ),
        ((1, 2, 3, 1e-30), "its weights would be whole only times 1"),
        ((1, 2, 3, "4"), "its weight '4' is text; pass numbers, as float() makes them"),
        ((1, 2, 3, ""), "its weight '' is text"),
        ((1e-300, 1e-300, 1e-300, 0), "times 1e+300 or more, above 2147483646: multiply them by 1e309 or le"),
        ((1, 2, 3, 1e-300), "no number fits both 3 and 1e-300: multiply them by 100000000 or less and round"),
        ((1, 2, 3, 1e300), "its largest weight, 1e+300, is above 2147483646; divide them by 4.6"),
        ((1, 2, 3, Decimal("1e-999")), "its weight '1E-999' does not fit 32 bits; it has over 400"),
        ((1, 2, 3, Fraction(1, 2**40)), "its weights would be whole only times 1099511627776 or more, above"),
        ((1, 2, 3, np.timedelta64(1, "D")), "its weight '1 days' is no number"),
        ((1, 2, 3, None), "its weight 'None' is no number"),
        ((1, 2, 3, 1j), "its weight '1j' is no number"),
    ],
)
def test_weights_are_refused_where_they_are_used(weights: tuple[Any, ...], told: str) -> None:
    given = with_weights(*weights)
    assert solve("bfs/queue", given, 0).values.tolist() == [0, 1, 1, 2]
    with pytest.raises(RetraceError, match="tuple of arrays: ") as error:
        solve("sssp/dijkstra-heap", given, 0)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_negative_weights_are_for_bellman_ford() -> None:
    found = solve("bellman-ford/sequential", with_weights(4, 3, -2, 3), 0)
    assert found.values.tolist() == [0, 4, 3, 2]


def test_fractions_are_exact() -> None:
    tenths = solve("sssp/dijkstra-heap", with_weights(0.1, 0.7, 0.2, 0.2), 0)
    assert tenths.values.tolist() == [0, 0.1, 0.7, 0.3]
    single = np.array([0.1, 0.7, 0.2, 0.2], dtype=np.float32)
    assert solve("sssp/dijkstra-heap", (*SQUARE, single), 0).values.tolist() == [0, 0.1, 0.7, 0.3]


def test_fractions_and_decimals_are_taken_exactly() -> None:
    thirds = (Fraction(1, 3), Fraction(2, 3), Decimal("0.5"), np.float32(0.1))
    loaded = load((*SQUARE, thirds))
    assert loaded.graph_file.scale == 30
    assert loaded.graph_file.graph.weights is not None
    assert loaded.graph_file.graph.weights.tolist() == [10, 20, 15, 3]
    assert solve("sssp/dijkstra-heap", loaded, 0).values.tolist() == [0, 1 / 3, 2 / 3, 23 / 30]


def test_directions_are_asked_for_where_scores_depend_on_them() -> None:
    with pytest.raises(RetraceError, match="on which scores depend; say directed=True or directed=False"):
        solve("betweenness/seq-array", SQUARE)
    directed = solve("betweenness/seq-array", load(SQUARE, directed=True))
    undirected = solve("betweenness/seq-array", load(SQUARE, directed=False))
    assert directed.values.tolist() == [0, 0.5, 0.5, 0]
    assert undirected.values.tolist() == [0.5, 0.5, 0.5, 0.5]
    assert solve("betweenness/seq-array", load(load(SQUARE), directed=False)).values.tolist() == [0.5] * 4
    assert (
        "it is taken as directed (directed=False to load adds the reverse arcs)"
        in solve("bfs/queue", SQUARE, 0).notes[0]
    )


def test_a_directed_graph_counts_both_directions_though_each_arc_has_its_reverse() -> None:
    path = matrix([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert solve("betweenness/seq-array", path).values.tolist() == [0, 1, 0]
    assert solve("betweenness/seq-array", load(path, directed=True)).values.tolist() == [0, 2, 0]
    igraph = pytest.importorskip("igraph")
    both = igraph.Graph(3, [(0, 1), (1, 0), (1, 2), (2, 1)], directed=True)
    assert solve("betweenness/seq-array", both).values.tolist() == both.betweenness()


def test_scores_of_a_sample_are_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    given = networkx.gnm_random_graph(20, 40, seed=1)
    found = solve("betweenness/seq-array", given, normalized=True)
    expected = networkx.betweenness_centrality(given)
    assert found.by_name() == pytest.approx(expected)
    sampled = solve("betweenness/seq-array", given, sources=3, seed=2)
    assert sampled.iterations == 3
    assert sampled.values.sum() < found.values.sum() * 19 * 18


def test_edges_of_networkx_without_a_weight_have_one() -> None:
    networkx = pytest.importorskip("networkx")
    given = networkx.Graph([("a", "b", {"weight": 5}), ("b", "c", {})])
    found = solve("sssp/dijkstra-heap", given, "a")
    assert found.by_name() == {"a": 0, "b": 5, "c": 6}
    assert found.notes == (
        "networkx.Graph: edges without the attribute 'weight' have weight 1, as in NetworkX: 1",
    )
    with pytest.raises(RetraceError, match=r"networkx.Graph: sssp/dijkstra-heap needs weights"):
        solve("sssp/dijkstra-heap", networkx.path_graph(2), 0)
    with pytest.raises(
        RetraceError, match=r"source z: no vertex of networkx.Graph \(networkx\) has this name"
    ):
        solve("bfs/queue", given, "z")
    given.add_edge("c", "d", weight=None)
    with pytest.raises(RetraceError, match="its weight 'None' is no number"):
        solve("sssp/dijkstra-heap", given, "a")


def test_a_name_is_not_taken_for_a_like_one() -> None:
    networkx = pytest.importorskip("networkx")
    given = networkx.path_graph(3)
    given.add_edge("0", "1")
    assert solve("bfs/queue", given, "0").by_name() == {"0": 0, "1": 1}
    assert solve("bfs/queue", given, 0).by_name() == {0: 0, 1: 1, 2: 2}
    with pytest.raises(RetraceError, match="has this name"):
        solve("bfs/queue", given, "2")


def test_a_file_whose_vertex_is_missing_is_called_what_it_is(tmp_path: Path) -> None:
    names, numbers = tmp_path / "names.csv", tmp_path / "numbers.txt"
    names.write_text("source,target\nA,B\nB,A\n")
    numbers.write_text("0 1\n1 0\n")
    for file, source, told in (
        (names, "C", r"no vertex of \S+names.csv \(edge list\) has this name"),
        (numbers, 2, r"expected an id from 0 to 1, as \S+numbers.txt \(edge list\) counts"),
    ):
        with pytest.raises(RetraceError, match=told):
            solve("bfs/queue", load(file), source)


def test_vertices_of_igraph_with_the_same_name_are_numbered() -> None:
    igraph = pytest.importorskip("igraph")
    given = igraph.Graph(2, [(0, 1)])
    given.vs["name"] = ["a", "a"]
    found = solve("bfs/queue", given, 1)
    assert found.values.tolist() == [1, 0]
    assert found.notes == (
        "igraph.Graph: several vertices have the same name, or none; they are numbered from 0",
    )
    given.vs["name"] = [["a"], ["b"]]
    assert solve("bfs/queue", given, 1).values.tolist() == [1, 0]


def test_files_have_their_ids(tmp_path: Path) -> None:
    numbers, words, folder = tmp_path / "numbers.txt", tmp_path / "words.csv", tmp_path / "stored"
    numbers.write_text("10 20\n20 30\n")
    from_1 = tmp_path / "from-1.txt"
    from_1.write_text("1 2\n2 3\n")
    assert solve("bfs/queue", from_1, 1).by_name() == {1: 0, 2: 1, 3: 2}
    assert solve("bfs/queue", from_1, 1).path_to(3) == [1, 2, 3]
    words.write_text("source,target,weight\nann,bob,0.5\nbob,cy,1\n")
    assert solve("bfs/queue", numbers, 10).by_name() == {10: 0, 20: 1, 30: 2}
    assert solve("bfs/queue", str(numbers), "20").by_name() == {20: 0, 30: 1}
    found = solve("sssp/dijkstra-heap", load(words), "ann")
    assert found.by_name() == {"ann": 0, "bob": 0.5, "cy": 1.5}
    assert found.path_to("cy") == ["ann", "bob", "cy"]
    assert list(load(words, columns=["target", "source"]).names) == ["bob", "ann", "cy"]
    with pytest.raises(RetraceError, match="source dan: no vertex of"):
        solve("bfs/queue", words, "dan")
    csr.save(graph(3, [(0, 1, 2), (1, 2, 3)]), folder)
    assert solve("sssp/dijkstra-heap", folder, 0).values.tolist() == [0, 2, 5]
    with pytest.raises(RetraceError, match="on which scores depend"):
        solve("betweenness/seq-array", numbers)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: solve("bfs/queue", SQUARE), "bfs/queue: needs a source"),
        (lambda: solve("bfs/queue", SQUARE, 0, 1), "bfs/queue: takes no target"),
        (lambda: solve("stcon/two-queues", SQUARE, 0), "stcon/two-queues: needs a target"),
        (lambda: solve("betweenness/seq-array", SQUARE, 0), "betweenness/seq-array: takes no source"),
        (lambda: solve("bfs/queue", SQUARE, 0, sources=2), "bfs/queue: sources and normalized are for"),
        (lambda: solve("bfs/queue", SQUARE, 4), "source 4: expected an id from 0 to 3, as tuple of arrays"),
        (lambda: solve("bfs/queue", SQUARE, -1), "source -1: expected an id from 0 to 3"),
        (lambda: solve("bfs/queue", SQUARE, 1.5), "source 1.5: expected an id from 0 to 3"),
        (lambda: solve("bfs/queue", SQUARE, float("inf")), "source inf: expected an id from 0 to 3"),
        (lambda: solve("bfs/queue", SQUARE, [1]), "source [1]: expected one vertex; `solve_each` takes"),
        (lambda: solve("bfs/nothing", SQUARE, 0), "no solver is called bfs/nothing; there are"),
        (lambda: solve("generate/tree-first", SQUARE), "generate/tree-first: takes no graph"),
        (lambda: solve("bfs/queue", SQUARE, 0, backend="cuda"), "backend='cuda': bfs/queue runs on host"),
        (lambda: solve("bfs/queue", SQUARE, 0, seed=2), "bfs/queue: seed is that of sampled sources"),
        (lambda: solve("betweenness/auto", PAIR, seed=2), "betweenness/auto: seed is that of sampled"),
        (lambda: solve("bfs/queue", SQUARE, pd.NA), "source <NA>: expected one vertex"),
        (lambda: solve("bfs/queue", SQUARE, 1).path_to(0), "no path leads from 1 to 0 in tuple of arrays"),
        (lambda: solve("stcon/two-queues", SQUARE, 0, 3).path_to(3), "stcon/two-queues: finds a length, but "
         "no path; use a bfs solver"),
        (lambda: solve("stcon/fewer-arcs", PAIR, 0, 1).path_to(1), "stcon/fewer-arcs: finds a length, but no "
         "path; set predecessors=yes, or use a bfs solver"),
        (lambda: solve("betweenness/seq-stl", PAIR).path_to(1), "betweenness/seq-stl: finds scores, but no"),
        (lambda: solvers("nothing"), "no problem is called nothing; there are bellman-ford, betweenness"),
        (lambda: solve("bfs/bsp:block_size=7000", SQUARE, 0), "bfs/bsp:block_size=7000: "),
    ],
)  # fmt: skip
def test_a_question_that_has_no_answer_is_refused(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(RetraceError) as error:
        call()
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


EDGES = [("ann", "bob", 0.5), ("bob", "cy", 1), ("cy", "dan", 2.5), ("ann", "dan", 9)]
FRAME = pd.DataFrame(EDGES, columns=["from", "to", "weight"])


@pytest.mark.parametrize("given", [EDGES, FRAME, np.array(EDGES, dtype=object)])
def test_edges_and_tables_keep_the_callers_names(given: Any) -> None:
    found = solve("sssp/dijkstra-heap", given, "ann")
    assert found.by_name() == {"ann": 0, "bob": 0.5, "cy": 1.5, "dan": 4}
    assert found.path_to("dan") == ["ann", "bob", "cy", "dan"]
    assert solve("bfs/queue", load(given, directed=False), "dan").by_name() == {
        "dan": 0, "cy": 1, "ann": 1, "bob": 2,
    }  # fmt: skip


@pytest.mark.parametrize("rows", [[(7, -3, 2), (-3, 12, 4)], [(0, 1, 2), (1, 2, 4)]])
@pytest.mark.parametrize(
    "make",
    [list, np.array, lambda rows: np.array(rows, dtype=np.float32).repeat(2, 0), pd.DataFrame,
     lambda rows: pd.DataFrame(rows, columns=["x", "y", "z"]).astype("int16")],
)  # fmt: skip
def test_whole_ids_come_back_by_their_values(make: Callable[[Any], Any], rows: Any) -> None:
    first, middle, last = rows[0][0], rows[0][1], rows[1][1]
    made = make(rows)
    if isinstance(made, np.ndarray) and made.shape == (2, 3):
        made = np.vstack([made, made, made])
    loaded = load(made)
    assert list(loaded.names) == sorted([first, middle, last])
    assert solve("sssp/dijkstra-heap", loaded, first).by_name() == {first: 0, middle: 2, last: 6}


def test_columns_of_a_frame_are_chosen() -> None:
    frame = FRAME.assign(km=[1, 1, 1, 1], other=0)
    assert solve("sssp/dijkstra-heap", frame, "ann").by_name()["dan"] == 4
    loaded = load(frame, columns=["to", "from", "km"])
    assert solve("sssp/dijkstra-heap", loaded, "dan").by_name() == {"dan": 0, "cy": 1, "ann": 1, "bob": 2}
    stated = load(FRAME.assign(Type="Undirected"))
    assert stated.directed is False
    assert load(FRAME, directed=np.False_).directed is False
    assert load([]).graph_file.graph.vertices == 0
    by_number = pd.DataFrame([[10, 11, 12, 13], [21, 22, 23, 24]])
    assert list(load(by_number, columns=[2, 3]).names) == [12, 13, 23, 24]
    assert list(load(by_number, columns=by_number.columns[:2]).names) == [10, 11, 21, 22]


def test_weights_of_a_frame_are_in_the_column_that_weight_names() -> None:
    frame = pd.DataFrame([(5, "a", "b", 1), (7, "b", "c", 2)], columns=["cost", "from", "to", "weight"])
    assert solve("sssp/dijkstra-heap", load(frame, weight="cost"), "a").by_name() == {"a": 0, "b": 5, "c": 12}
    backwards = load(frame, weight="cost", columns=["to", "from"])
    assert solve("sssp/dijkstra-heap", backwards, "c").by_name() == {"c": 0, "b": 7, "a": 12}
    narrow = load(frame[["cost", "from", "to"]].set_axis(["cost", "x", "y"], axis=1), weight="cost")
    assert solve("sssp/dijkstra-heap", narrow, "a").by_name() == {"a": 0, "b": 5, "c": 12}
    assert narrow.graph_file.notes == (
        "pandas.DataFrame: x and y are read as the ends of edges (columns=['TAIL', 'HEAD']: others)",
    )
    assert load(frame, weight="cost").graph_file.notes == ()


def test_to_name_the_weight_does_not_guess_the_ends() -> None:
    frame = pd.DataFrame({"id": [7, 8], "x": [0, 1], "y": [1, 2], "cost": [5, 6]})
    for weight in ("weight", "cost", None):
        with pytest.raises(RetraceError, match=r"pandas.DataFrame: has 4 columns; say columns="):
            load(frame, weight=weight)
    three = pd.DataFrame({"dist": [1.5, 2.5], "a": [1, 2], "b": [2, 3]})
    assert load(three, weight=None).graph_file.notes == (
        "pandas.DataFrame: dist and a are read as the ends of edges (columns=['TAIL', 'HEAD']: others)",
    )


def test_an_array_of_fractions_has_its_own_ids() -> None:
    for dtype in (np.float64, np.float32):
        table = np.array([[0, 1, 0.5], [1, 2, 0.5]], dtype)
        assert solve("bfs/queue", table, table[0, 0]).by_name() == {0: 0, 1: 1, 2: 2}
        assert solve("bfs/queue", table + 3, table[0, 0] + 3).by_name() == {3: 0, 4: 1, 5: 2}


def test_a_note_on_columns_can_be_followed() -> None:
    frame = pd.DataFrame([[0, 1, 0.5], [1, 2, 0.5]])
    assert load(frame).graph_file.notes == (
        "pandas.DataFrame: 2 is read as the weight (columns=[0, 1]: without weights)",
    )
    stated = pd.DataFrame({"source": [0, 1], "target": [1, 2], "directed": [False, False]})
    assert load(stated).graph_file.notes == ()
    assert load(stated).directed is False
    assert load(stated.assign(km=3)).graph_file.notes == (
        "pandas.DataFrame: km: not read, so arcs have no weights (columns=['source', 'target', 'km'] reads "
        "them)",
    )


@pytest.mark.parametrize("given", [*WAYS, "edges", "frame", "file", "loaded"])
def test_no_weight_leaves_out_the_weights(given: str, tmp_path: Path) -> None:
    drawn = Drawn(list(range(3)), [(0, 1), (1, 2)], [0.5, -7], True)
    path = tmp_path / "edges.csv"
    path.write_text("source,target,weight\n0,1,0.5\n1,2,x\n")
    rows = [(0, 1, 0.5), (1, 2, "x")]
    others = {"edges": rows, "frame": pd.DataFrame(rows), "file": path, "loaded": ()}
    if given == "loaded":
        with pytest.raises(
            RetraceError, match="load: takes format, weight and columns of what is not yet lo"
        ):
            load(load(rows), weight=None)
        return
    loaded = load(WAYS[given](drawn) if given in WAYS else others[given], weight=None, directed=True)
    assert (loaded.graph_file.graph.weights, loaded.graph_file.no_weights) == (None, "")
    assert loaded.graph_file.scale == 1
    with pytest.raises(RetraceError, match=r"needs weights, and the graph has none; give it some, or count"):
        solve("sssp/dijkstra-heap", loaded, 0)


def dates(kind: str) -> Any:
    """Three ids of pandas, of a kind that NumPy would make whole numbers of."""
    return {
        "datetime": pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-02"]).as_unit("ns"),
        "zone": pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-02"]).tz_localize("Asia/Tokyo"),
        "timedelta": pd.to_timedelta([3, 1, 2], unit="s").as_unit("ns"),
        "period": pd.period_range("2020-01", periods=3, freq="M"),
        "category": pd.Categorical(["x", "z", "y"], ordered=True),
        "category of numbers": pd.Categorical([7, 3, 9]),
        "interval": pd.interval_range(0, 3),
    }[kind]


@pytest.mark.parametrize(
    "kind", ["datetime", "zone", "timedelta", "period", "category", "category of numbers", "interval"]
)
def test_ids_of_pandas_come_back_as_pandas_gives_them(kind: str) -> None:
    ids = pd.Series(dates(kind))
    frame = pd.DataFrame({"a": ids[:2].array, "b": ids[1:].array})
    found = solve("bfs/queue", load(frame, directed=True), ids[0])
    assert found.by_name() == {ids[0]: 0, ids[1]: 1, ids[2]: 2}
    assert {type(name) for name in found.names} == {type(ids.tolist()[0])}
    as_objects = np.array([[ids[0], ids[1]], [ids[1], ids[2]], [ids[0], ids[1]]], dtype=object)
    assert solve("bfs/queue", load(as_objects, directed=True), ids[0]).by_name() == found.by_name()


@pytest.mark.parametrize("unit", ["M8[D]", "M8[ns]", "m8[s]", "m8[ns]"])
def test_dates_of_numpy_come_back_as_dates(unit: str) -> None:
    days = np.array([3, 1, 2], "i8").astype(unit)
    table = days[[[0, 1], [1, 2], [0, 1]]]
    found = solve("bfs/queue", load(table, directed=True), days[0])
    assert [type(name) for name in found.names] == [type(days[0])] * 3
    assert found.by_name() == {days[0]: 0, days[1]: 1, days[2]: 2}
    with pytest.raises(RetraceError, match=r"numpy.ndarray: expected names of vertices, found .*NaT"):
        load(np.where(table == days[2], np.array("NaT", unit), table))


def test_whole_ids_of_any_two_types_stay_whole() -> None:
    large = 2**63 - 1
    frame = pd.DataFrame({"a": np.array([large, 5], np.uint64), "b": np.array([5, -1], np.int64)})
    assert list(load(frame).names) == [-1, 5, large]
    assert list(load([(False, True)]).names) == [False, True]
    assert solve("bfs/queue", load([(False, True)]), True).by_name() == {True: 0}


# np.matrix says that it will be deprecated
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_of_numpy_is_a_table_of_edges() -> None:
    assert list(load(np.matrix([[0, 1, 5], [1, 2, 7]])).names) == [0, 1, 2]
    with pytest.raises(RetraceError, match=r"numpy.matrix: expected shape \(edges, 2 or 3\), found \(2, 2\)"):
        load(np.matrix([[0, 1], [1, 0]]))


def corrupt(kind: str, part: str, at: int, value: int) -> Any:
    given = matrix([[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]], f"{kind}_array")
    getattr(given, part)[at] = value
    return given


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr"])
@pytest.mark.parametrize(
    ("part", "at", "value", "told"),
    [
        ("indices", 1, 4, "indices: expected vertices from 0 to 3"),
        ("indices", 1, -1, "indices: expected vertices from 0 to 3"),
        ("indices", 0, 2**31 - 1, "indices: expected vertices from 0 to 3"),
        ("indptr", 2, 10**9, "indptr: expected rising numbers from 0 to 4"),
        ("indptr", 2, 0, "indptr: expected rising numbers from 0 to 4"),
        ("indptr", 0, 1, "indptr: expected rising numbers from 0 to 4"),
        ("indptr", 4, 5, "indptr: expected rising numbers from 0 to 4"),
        ("indptr", 4, -2, "indptr: expected rising numbers from 0 to 2"),
    ],
)
def test_a_matrix_whose_arrays_do_not_fit_is_refused(
    kind: str, part: str, at: int, value: int, told: str
) -> None:
    with pytest.raises(RetraceError, match=rf"^scipy.{kind}_array: {told}[^\n]*$"):
        load(corrupt(kind, part, at, value))


def test_a_matrix_with_arrays_of_another_length_is_refused() -> None:
    short, bare = (matrix([[0, 1], [1, 0]]) for _ in range(2))
    short.indptr, bare.data = short.indptr[:-1], bare.data[:-1]
    with pytest.raises(RetraceError, match=r"scipy.csr_array: indptr: expected 3 numbers, found 2"):
        load(short)
    with pytest.raises(RetraceError, match=r"scipy.csr_array: data: expected 2, one per index, found 1"):
        load(bare)
    listed = matrix([[0, 1], [1, 0]], "coo_array")
    listed.coords[0][0] = 7
    with pytest.raises(RetraceError, match=r"scipy.coo_array: expected rows and columns from 0 to 1"):
        load(listed)
    roomy = matrix([[0, 1], [1, 0]])
    roomy.indices, roomy.data = np.append(roomy.indices, 99), np.append(roomy.data, 5)
    assert load(roomy).graph_file.graph.arcs == 2


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_weights_of_a_matrix_that_are_no_numbers_are_refused(kind: str) -> None:
    given = matrix([[0, 2.5j], [1, 0]], f"{kind}_array")  # type: ignore[list-item]
    assert solve("bfs/queue", given, 0).values.tolist() == [0, 1]
    with pytest.raises(RetraceError, match=rf"scipy.{kind}_array: .* its weight '\S+j\)?' is no number"):
        solve("sssp/dijkstra-heap", given, 0)


@pytest.mark.parametrize(
    "starts",
    [[0, 2], (2, 0), {0, 2}, range(0, 3, 2), np.array([0, 2]), pd.Series([0, 2], index=[7, 8]),
     pd.Index([2, 0]), {0: "x", 2: "y"}, (k for k in (0, 2))],
    ids=lambda starts: type(starts).__name__,
)  # fmt: skip
def test_sources_are_any_iterable(starts: Any) -> None:
    found = solve_each("bfs/queue", load(SQUARE, directed=True), starts)
    assert (found.by_name(0), found.by_name(2)) == ({0: 0, 1: 1, 2: 1, 3: 2}, {2: 0, 3: 1})
    assert [found.values[k, name] for k, name in enumerate(found.sources)] == [0, 0]


def test_an_error_names_vertices_as_the_caller_does(tmp_path: Path) -> None:
    cycle = [("ann", "bob", 1), ("bob", "cy", -3), ("cy", "bob", 1)]
    told = r"vertex (bob|cy) lies on a negative cycle that vertex ann reaches, so that there are no"
    path = tmp_path / "cycle.csv"
    path.write_text("".join(f"{u},{v},{w}\n" for u, v, w in cycle))
    for given in (cycle, path):
        with pytest.raises(RetraceError, match=rf"^(list of edges|cycle.csv): {told}"):
            solve("bellman-ford/sequential", given, "ann")
        with pytest.raises(RetraceError, match=told):
            solve_each("bellman-ford/sequential", given, ["ann"])
    deep = [(f"v{k}", f"v{k + 1}", -(2**31) + 2) for k in range(4)]
    with pytest.raises(RetraceError, match=r"distances from vertex v0 pass what 32 bits hold"):
        solve("bellman-ford/sequential", deep, "v0")


def test_errors_name_arguments_and_no_options(tmp_path: Path) -> None:
    table, counts, odd = tmp_path / "table.csv", tmp_path / "counts.txt", tmp_path / "odd.bin"
    table.write_text("a,b,c,d\n1,2,3,4\n")
    counts.write_text("4 3\n1 2\n2 3\n")
    odd.write_text("hello\n")
    metis = tmp_path / "net.graph"
    metis.write_text("2 1\n2\n1\n")
    both = pd.DataFrame([(1, 2, 3)], columns=["source", "from", "target"])
    for call, told in (
        (lambda: load(table), "say columns=['TAIL', 'HEAD', '[WEIGHT]'], by name"),
        (lambda: load(pd.read_csv(table)), "say columns=['TAIL', 'HEAD', '[WEIGHT]'], by name"),
        (lambda: load(counts), "say format='edges'"),
        (lambda: load(odd), "say format"),
        (lambda: solve("betweenness/auto", SQUARE, sources=2), "say directed=True or directed=False to load"),
        (lambda: solve("sssp/dijkstra-heap", both, 1), "give it some"),
        (lambda: solve("bfs/queue", SQUARE, 0, backend="emulator"), "backend='emulator': bfs/queue"),
        (lambda: solve("bfs/bsp", SQUARE, 0, backend="cuda"), "use backend='emulator'"),
        (lambda: solve("bfs/bfs", SQUARE, 0), "; retrace.solvers() lists all"),
        (lambda: solve("generate/tree-first", SQUARE, 0), "generate/tree-first: takes no graph; take a"),
        (lambda: load(metis, columns=["1", "2"]), "columns=['1', '2']: are those of a list of edges or"),
    ):
        with pytest.raises(RetraceError) as error:
            call()
        assert told in str(error.value)
        assert "--" not in str(error.value)
        assert "python -m" not in str(error.value)
    km = pd.DataFrame([(1, 2, 3)], columns=["source", "target", "km"])
    assert load(km).graph_file.notes == (
        "pandas.DataFrame: km: not read, so arcs have no weights (columns=['source', 'target', 'km'] reads "
        "them)",
    )


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "5", 0.1234567891234, 1e30, None])
def test_eccentricities_do_not_count_arcs_for_weights_that_cannot_be_used(weight: Any) -> None:
    path = nx.Graph([("a", "b", {"weight": weight}), ("b", "c", {"weight": 1})])
    with pytest.raises(RetraceError, match=r"networkx.Graph: sssp/dijkstra-heap needs weights; its"):
        eccentricities(path)
    assert eccentricities(path, solver="bfs/queue").diameter == (2, 2)
    assert eccentricities(load(path, weight=None)).diameter == (2, 2)


def test_all_names_are_imported_and_listed() -> None:
    program = "from retrace import *; print(load.__name__, solve_each.__name__, len(solvers()) > 9)"
    assert python(program).stdout.split() == ["load", "solve_each", "True"]
    assert set(retrace.__all__) <= set(dir(retrace))
    stub = (Path(retrace.__file__).parent / "__init__.pyi").read_text()
    assert f"__all__ = {json.dumps(retrace.__all__)}" in stub
    assert all(callable(getattr(retrace, name)) for name in retrace.__all__)


@pytest.mark.parametrize("solver", ["bfs/queue", "sssp/dijkstra-heap", "bfs/bsp"])
def test_many_sources_have_the_rows_of_each(solver: str) -> None:
    starts = ["cy", "ann", "bob"]
    loaded = load(FRAME)
    found = solve_each(solver, loaded, starts, backend="auto" if solver != "bfs/bsp" else "emulator")
    assert found.values.shape == (3, 4)
    for row, start in enumerate(starts):
        one = solve(solver, loaded, start, backend="auto" if solver != "bfs/bsp" else "emulator")
        assert found.values[row].tolist() == one.values.tolist()
        assert found.by_name(start) == one.by_name()
        if one.predecessors is not None:
            assert found.predecessors is not None
            assert found.predecessors[row].tolist() == one.predecessors.tolist()
    assert found.checked.startswith("verified against")


def test_eccentricities_are_those_of_networkx() -> None:
    for seed in range(5):
        given = nx.gnm_random_graph(20, 40, seed=seed)
        largest = given.subgraph(max(nx.connected_components(given), key=len))
        found = eccentricities(given, every_vertex=True)
        assert dict(zip(found.names, found.least.tolist(), strict=True)) == nx.eccentricity(largest)
        assert found.greatest.tolist() == found.least.tolist()
        assert eccentricities(given).diameter == (nx.diameter(largest), nx.diameter(largest))
        given = nx.gnp_random_graph(20, 0.15, seed=seed, directed=True)
        largest = given.subgraph(max(nx.strongly_connected_components(given), key=len))
        found = eccentricities(largest.copy(), every_vertex=True, solver=None, searches=None)
        assert dict(zip(found.names, found.least.tolist(), strict=True)) == nx.eccentricity(largest)
    weighted = eccentricities(FRAME.assign(Type="Undirected"))
    assert weighted.diameter == (4, 4)
    least, most = eccentricities(nx.path_graph(50), searches=1).diameter
    assert least <= 49 <= most


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: solve("bfs/queue", SQUARE, 0, sorce=1), "solve: got an unexpected keyword argument 'sorce'"),
        (lambda: solve("bfs/queue"), "solve: missing a required argument: 'graph'; it takes solver, graph,"),
        (lambda: solve(3, SQUARE, 0), "solve: solver: expected a solver's name, such as 'bfs/queue', found"),
        (lambda: solve(None, SQUARE, 0), "solve: solver: expected a solver's name"),
        (lambda: solve("bfs/queue", SQUARE, 0, backend="gpu"), "solve: backend: expected one of auto, cuda"),
        (lambda: solve("bfs/queue", SQUARE, 0, check="all"), "solve: check: expected True, False or 'sample"),
        (lambda: solve("bfs/queue", SQUARE, 0, check=np.arange(2)), "solve: check: expected True, False"),
        (lambda: solve("bfs/queue", SQUARE, 0, check=np.array(["sample"])), "solve: check: expected True"),
        (lambda: solve("bfs/queue", SQUARE, 0, backend=np.array(["auto"])), "solve: backend: expected one"),
        (lambda: solve("betweenness/auto", SQUARE, sources=-2), "solve: sources: expected a whole number fr"),
        (lambda: solve("betweenness/auto", SQUARE, sources=1.5), "solve: sources: expected a whole number f"),
        (lambda: solve("betweenness/auto", SQUARE, sources=True), "solve: sources: expected a whole number"),
        (lambda: solve("betweenness/auto", SQUARE, sources=9), "9 sources requested, expected 1 to 4"),
        (lambda: solve("betweenness/auto", SQUARE, seed="x"), "solve: seed: expected a whole number or"),
        (lambda: solve("bfs/queue", SQUARE, 0, normalized=1), "solve: normalized: expected True or False"),
        (lambda: load(SQUARE, directed="yes"), "load: directed: expected True or False or None, found 'yes'"),
        (lambda: load(SQUARE, weight=3), "load: weight: expected the name of an attribute or None, found 3"),
        (lambda: load("x.csv", format="csv"), "load: format: expected one of auto, dimacs, he"),
        (lambda: load("x.csv", columns="ab"), "load: columns: expected a list of names of columns"),
        (lambda: load("x.csv", columns=[1, 2]), "x.csv: columns [1, 2]: expected texts, names or numbers fr"),
        (lambda: load("x.csv", weight="km"), "x.csv: weight='km': a file's is the third of its columns"),
        (lambda: load(SQUARE, format="snap"), "load: format='snap': is that of a file, and the graph is non"),
        (lambda: load(SQUARE, columns=[0, 1]), "tuple of arrays: columns are those of a file or a DataFrame"),
        (lambda: load(SQUARE, weight="km"), "tuple of arrays: weight='km': its weights have no name"),
        (lambda: load(load(SQUARE), format="snap"), "load: takes format, weight and columns of what is not"),
        (lambda: load(nx.Graph([(1, 2, {"km": 3})]), weight="kn"), "networkx.Graph: weight='kn': no edge ha"),
        (lambda: load(FRAME, weight="km"), "pandas.DataFrame: has no column 'km'; expected a label that one"),
        (lambda: load(nx.to_pandas_adjacency(nx.path_graph([*"abc"]))), "pandas.DataFrame: may be a matrix"),
        (lambda: load(nx.to_pandas_adjacency(nx.path_graph(2))), "pandas.DataFrame: may be a matrix; take"),
        (lambda: load(FRAME, columns=["1", "2"]), "pandas.DataFrame: has no column '1'; expected a label"),
        (lambda: load(FRAME[["to", "weight"]], weight="to"), "pandas.DataFrame: expected two columns or mor"),
        (lambda: load(FRAME, columns={"from", "to"}), "load: columns: expected a list of names of columns"),
        (lambda: load(FRAME, columns=frozenset({"from", "to"})), "load: columns: expected a list of names o"),
        (lambda: load(FRAME, columns=["to"]), "pandas.DataFrame: columns ['to']: expected tail, head and at"),
        (lambda: load(FRAME, columns=["to", "to"]), "pandas.DataFrame: columns ['to', 'to']: expected tail"),
        (lambda: load(FRAME, columns=["to", "from", "weight"], weight="from"), "pandas.DataFrame: columns ["),
        (lambda: load(FRAME.set_axis([*"aab"], axis=1), columns=["a", "b"]), "pandas.DataFrame: has 2 colum"),
        (lambda: load(SQUARE, weight=np.eye(3)), "load: weight: expected the name of an attribute or None"),
        (lambda: solve("bfs/queue", SQUARE, 0, backend=np.eye(2)), "solve: backend: expected one of auto"),
        (lambda: solve_each("bfs/queue", SQUARE, "ab"), "solve_each: starts: expected a list of vertices"),
        (lambda: solve_each("bfs/queue", SQUARE, [0]).by_name(np.arange(2)), "source array([0, 1]): expect"),
        (lambda: solve_each("bfs/queue", SQUARE, [0]).by_name([0]), "source [0]: expected one of those"),
        (lambda: solve_each("bfs/queue", SQUARE, 0), "solve_each: starts: expected a list of vertices, foun"),
        (lambda: solve_each("bfs/queue", SQUARE, []), "solve_each: starts: expected a list of vertices"),
        (lambda: solve_each("bfs/queue", SQUARE, [0, 0]), "solve_each: starts: expected different vertices"),
        (lambda: solve_each("bfs/queue", SQUARE, [0, 9]), "source 9: expected an id from 0 to 3"),
        (lambda: solve_each("stcon/two-queues", SQUARE, [0]), "stcon/two-queues: expected a bfs, sssp"),
        (lambda: solve_each("bfs/queue", SQUARE, [0]).by_name(1), "source 1: expected one of those"),
        (lambda: eccentricities(SQUARE, solver="betweenness/auto"), "betweenness/auto: expected a bfs or ss"),
        (lambda: eccentricities(SQUARE, searches=0), "eccentricities: searches: expected a whole number fro"),
        (lambda: eccentricities([]), "list of edges: expected a graph with vertices"),
        (lambda: solve("bfs/queue", [], 0), "source 0: expected a graph with vertices"),
        (lambda: solve("bfs/queue", FRAME, np.array([1])), "source array([1]): expected one vertex"),
    ],
)  # fmt: skip
def test_arguments_that_are_not_understood_are_refused_in_one_line(
    call: Callable[[], Any], told: str
) -> None:
    with pytest.raises(RetraceError) as error:
        call()
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


def test_without_a_compiler_the_error_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    monkeypatch.setenv("CXX", "nowhere-g++")
    with pytest.raises(
        RetraceError, match=r"the C\+\+ compiler nowhere-g\+\+ was not found; install g\+\+ 12"
    ):
        solve("bfs/queue", SQUARE, 0)


def test_pairs_have_one_length() -> None:
    found = solve("stcon/two-queues", SQUARE, 0, 3)
    assert (found.names, found.values.tolist(), found.by_name()) == ([3], [2], {3: 2})
    assert solve("stcon/two-queues", SQUARE, 3, 0).by_name() == {}


def test_kernels_run_where_there_is_no_gpu() -> None:
    found: Solution = solve("bfs/bsp", SQUARE, 0, backend="emulator")
    assert (found.backend, found.values.tolist()) == ("emulator", [0, 1, 1, 2])
    assert found.checked.startswith("verified against scipy.sparse.csgraph.dijkstra")
    assert found.iterations is not None


def test_a_wrong_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QueueBFS, "download", lambda solver: solver.answer + 1)
    with pytest.raises(NotVerifiedError, match="bfs/queue on host: the answer is not verified"):
        solve("bfs/queue", SQUARE, 0)
    assert solve("bfs/queue", SQUARE, 0, check=False).checked == "not checked"


def test_solvers_are_listed() -> None:
    names = [solver.name for solver in solvers()]
    assert "bfs/queue" in names
    assert not any(name.startswith(("generate/", "limits/")) for name in names)
    assert {solver.problem for solver in solvers("stcon")} == {"stcon"}


def test_ctrl_c_stays_the_callers() -> None:
    before = signal.getsignal(signal.SIGINT)
    solve("bfs/queue", SQUARE, 0)
    assert signal.getsignal(signal.SIGINT) is before


def test_an_import_loads_what_it_needs() -> None:
    """`import retrace` loads nothing of the commands, and they load neither Snakemake nor plots."""
    program = (
        "import sys, retrace; before = set(sys.modules); from retrace import load, solve; "
        "solve('bfs/queue', ([0, 1, 1], [1]), 0); after = set(sys.modules); "
        "print(any(name.startswith(('numpy', 'retrace_commands')) for name in before), "
        "any(name.partition('.')[0] in ('snakemake', 'matplotlib', 'pandas', 'networkx') for name in after))"
    )
    assert python(program).stdout.split() == ["False", "False"]


def test_a_first_answer_takes_at_most_six_tenths_of_a_second() -> None:
    """Of the processor from the import on, whatever else it does; the first of three runs may compile.

    On a slow computer: 2.5 times what importing NumPy and SciPy, by which the answer is checked, takes.
    """
    timed = "import time; began = time.process_time(); {}; print(time.process_time() - began)"
    imports = timed.format("import numpy, scipy.sparse.csgraph")
    answer = timed.format("import retrace; retrace.solve('bfs/queue', ([0, 1, 1], [1]), 0)")
    bare, first = (min(float(python(program).stdout) for _ in range(3)) for program in (imports, answer))
    assert first < max(0.6, 2.5 * bare)
