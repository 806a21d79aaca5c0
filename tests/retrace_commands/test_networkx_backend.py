"""The backend of NetworkX: its functions answer as NetworkX's own, or decline."""

from __future__ import annotations

import os
import random
import tomllib
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import PROJECT, python
from schedules import examples

nx = pytest.importorskip("networkx")

from retrace_commands import networkx_backend as backend  # noqa: E402

GRAPHS = 40
LENGTHS = (
    "single_source_shortest_path_length", "single_target_shortest_path_length", "descendants", "ancestors",
    "single_source_dijkstra_path_length",
)  # fmt: skip
PAIRS = ("has_path", "shortest_path_length", "dijkstra_path_length")
PATHS = ("single_source_shortest_path", "single_source_dijkstra_path")
PAIR_PATHS = ("bidirectional_shortest_path", "dijkstra_path")
KINDS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


def drawn(kind: Any, seed: int) -> Any:
    """A graph with names of two types, loops, weights of 0, some missing, and parts that are not reached."""
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 25))
    names = [number if number % 2 else f"v{number}" for number in range(size)]
    made = kind()
    made.add_nodes_from(names)
    for u, v in random.integers(0, max(1, size - size // 6), (int(random.integers(0, 3 * size)), 2)).tolist():
        weight = {} if random.integers(9) == 0 else {"weight": int(random.integers(0, 9))}
        made.add_edge(names[u], names[v], **weight)
    return made


def converted(graph: Any, name: str) -> Any:
    weighted = "dijkstra" in name
    return backend.convert_from_nx(graph, {"weight": 1} if weighted else None)


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or the type and words of what it raises."""
    try:
        return call()
    except (nx.NetworkXException, ValueError) as error:
        return type(error), str(error)


def length_of(graph: Any, path: list[Any], weighted: bool) -> int:
    edges = [graph[u][v].values() if graph.is_multigraph() else [graph[u][v]] for u, v in pairwise(path)]
    return sum(min(edge.get("weight", 1) if weighted else 1 for edge in parallel) for parallel in edges)


@pytest.mark.parametrize("kind", KINDS)
def test_lengths_are_networkx(kind: Any) -> None:
    for seed in range(examples(GRAPHS)):
        graph = drawn(kind, seed)
        names = list(graph)
        source, target = names[seed % len(names)], names[-1 - seed % 3 % len(names)]
        for name in (*LENGTHS, *PAIRS):
            for ends in ([source, target], [source, "nowhere"], ["nowhere", source]):
                asked = ends if name in PAIRS else ends[:1]
                ours, theirs = getattr(backend, name), getattr(nx, name)
                given = converted(graph, name)
                assert outcome(lambda: ours(given, *asked)) == outcome(lambda: theirs(graph, *asked)), name  # noqa: B023
        for cutoff in (0, 2, 2.5):
            for name in ("single_source_shortest_path_length", "single_source_dijkstra_path_length"):
                ours = getattr(backend, name)(converted(graph, name), source, cutoff)
                assert ours == getattr(nx, name)(graph, source, cutoff)
                assert list(ours.values()) == sorted(ours.values())
        given = converted(graph, "bfs")
        assert backend.descendants_at_distance(given, source, 2) == nx.descendants_at_distance(
            graph, source, 2
        )
        assert backend.shortest_path_length(given, target=source) == nx.shortest_path_length(
            graph, target=source
        )


@pytest.mark.parametrize("kind", KINDS)
def test_paths_are_as_short_as_networkx(kind: Any) -> None:
    for seed in range(examples(GRAPHS)):
        graph = drawn(kind, seed)
        names = list(graph)
        source, target = names[seed % len(names)], names[-1 - seed % 3 % len(names)]
        for name in PATHS:
            ours, theirs = getattr(backend, name), getattr(nx, name)
            given = converted(graph, name)
            assert outcome(lambda: ours(given, "nowhere")) == outcome(lambda: theirs(graph, "nowhere"))  # noqa: B023
            ours, theirs = (
                getattr(backend, name)(converted(graph, name), source),
                getattr(nx, name)(graph, source),
            )
            assert ours.keys() == theirs.keys()
            weighted = "dijkstra" in name
            for end, path in ours.items():
                assert (path[0], path[-1]) == (source, end)
                assert length_of(graph, path, weighted) == length_of(graph, theirs[end], weighted)
        for name in PAIR_PATHS:
            given = converted(graph, name)
            ours, theirs = (
                outcome(lambda: ask(of, source, target))  # noqa: B023
                for ask, of in ((getattr(backend, name), given), (getattr(nx, name), graph))
            )
            if isinstance(theirs, list):
                assert (ours[0], ours[-1]) == (source, target)
                assert length_of(graph, ours, "dijkstra" in name) == length_of(
                    graph, theirs, "dijkstra" in name
                )
            else:
                assert ours == theirs
        given = converted(graph, "dijkstra")
        lengths, paths = backend.single_source_dijkstra(given, source)
        assert lengths == nx.single_source_dijkstra_path_length(graph, source)
        assert paths.keys() == lengths.keys()
        ours = outcome(lambda: backend.bidirectional_dijkstra(given, source, target)[0])  # noqa: B023
        assert ours == outcome(lambda: nx.bidirectional_dijkstra(graph, source, target)[0])  # noqa: B023
        ours = outcome(lambda: backend.single_source_dijkstra(given, source, target, 5)[0])  # noqa: B023
        assert ours == outcome(lambda: nx.single_source_dijkstra(graph, source, target, 5)[0])  # noqa: B023


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_networkx(kind: Any) -> None:
    for seed in range(examples(GRAPHS)):
        graph = drawn(kind, seed)
        for count in (None, 1, 1 + seed % len(graph), len(graph)):
            for normalized, endpoints in product((True, False), (True, False)):
                ours = backend.betweenness_centrality(
                    backend.convert_from_nx(graph), count, normalized, None, endpoints,
                    seed=nx.utils.create_py_random_state(seed),
                )  # fmt: skip
                theirs = nx.betweenness_centrality(graph, count, normalized, None, endpoints, seed=seed)
                assert ours == pytest.approx(theirs, nan_ok=True)
    assert backend.betweenness_centrality(backend.convert_from_nx(kind())) == {}
    with pytest.raises(ValueError, match="Sample larger than population"):
        backend.betweenness_centrality(backend.convert_from_nx(kind()), 1)


def test_a_length_has_the_type_of_the_weights() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=2.0)
    assert type(backend.dijkstra_path_length(converted(graph, "dijkstra"), "a", "b")) is float
    graph["a"]["b"]["weight"] = 2
    assert type(backend.dijkstra_path_length(converted(graph, "dijkstra"), "a", "b")) is int


def test_hops_are_whole_whatever_the_weights() -> None:
    graph = nx.Graph([(0, 1, {"weight": 0.5})])
    given = converted(graph, "dijkstra")
    for asked in (given, given.backwards):
        found = backend.single_source_shortest_path_length(asked, 0)
        assert (found, {*map(type, found.values())}) == ({0: 0, 1: 1}, {int})


def test_a_converted_graph_answers_for_its_own_weights_alone() -> None:
    graph = nx.Graph([(0, 1, {"a": 2, "b": 7})])
    given = backend.convert_from_nx(graph, {"a": 1})
    assert backend.dijkstra_path_length(given, 0, 1, "a") == 2
    assert backend.shortest_path_length(given, target=0, weight="a") == {0: 0, 1: 2}
    for name in ("dijkstra_path_length", "dijkstra_path", "bidirectional_dijkstra", "shortest_path_length"):
        for of, weight in ((given, "b"), (backend.convert_from_nx(graph), "a")):
            with pytest.raises(NotImplementedError, match=f"expected weights '{weight}', found "):
                getattr(backend, name)(of, 0, 1, weight=weight)
    for name in ("single_source_dijkstra_path_length", "single_source_dijkstra_path"):
        with pytest.raises(NotImplementedError, match="expected weights 'b', found 'a'"):
            getattr(backend, name)(given, 0, weight="b")


def test_a_converted_graph_is_as_it_was_when_it_was_converted() -> None:
    graph = nx.path_graph(3)
    given, before = backend.convert_from_nx(graph), nx.betweenness_centrality(graph)
    graph.add_edge(2, 3)
    assert backend.betweenness_centrality(given) == before
    assert backend.single_source_shortest_path_length(given, 0) == {0: 0, 1: 1, 2: 2}
    with pytest.raises(nx.NodeNotFound, match="Target 3 is not in G"):
        backend.has_path(given, 0, 3)


def test_an_undirected_view_that_differs_by_direction_is_declined() -> None:
    graph = nx.DiGraph([(0, 1, {"weight": 5}), (1, 0, {"weight": 1})])
    view = graph.to_undirected(as_view=True)
    with pytest.raises(NotImplementedError, match="an undirected view that has the edge from 0 to 1 other"):
        converted(view, "dijkstra")
    assert backend.dijkstra_path_length(converted(view.copy(), "dijkstra"), 1, 0) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_halves_and_quarters_are_networkx(kind: Any) -> None:
    for seed in range(examples(GRAPHS)):
        graph, draws = drawn(kind, seed), random.Random(seed)
        for *_, data in graph.edges(data=True):
            data["weight"] = draws.choice((0.5, 0.25, 1.75, 3, 2.0, 0))
        source = next(iter(graph))
        ours = backend.single_source_dijkstra_path_length(converted(graph, "dijkstra"), source)
        assert ours == nx.single_source_dijkstra_path_length(graph, source)
        paths = backend.single_source_dijkstra_path(converted(graph, "dijkstra"), source)
        assert {end: length_of(graph, path, True) for end, path in paths.items()} == ours


@pytest.mark.parametrize(
    "weight",
    [
        -1,
        -0.5,
        0.1,
        "2",
        None,
        float("inf"),
        float("nan"),
        2**40,
        1j,
        Decimal("0.5"),
        Fraction(1, 2),
        np.float32(0.5),
        2**-40,
    ],
)
def test_weights_that_networkx_would_add_up_otherwise_are_declined(weight: Any) -> None:
    graph = nx.Graph([(0, 1, {"weight": weight}), (1, 2, {"weight": 3})])
    with pytest.raises(NotImplementedError, match="weight"):
        converted(graph, "dijkstra")
    assert backend.has_path(converted(graph, "bfs"), 0, 2)


@pytest.mark.parametrize(
    ("name", "options", "runs"),
    [
        ("betweenness_centrality", {}, True), ("betweenness_centrality", {"k": 2}, True),
        ("betweenness_centrality", {"k": 0}, False), ("betweenness_centrality", {"weight": "weight"}, False),
        ("betweenness_centrality", {"endpoints": True}, True),
        ("shortest_path_length", {}, False), ("shortest_path_length", {"source": 0}, True),
        ("shortest_path_length", {"source": 0, "weight": "weight"}, True),
        ("shortest_path_length", {"source": 0, "weight": "weight", "method": "bellman-ford"}, False),
        ("shortest_path_length", {"source": 0, "method": "other"}, False),
        ("dijkstra_path_length", {"source": 0, "target": 1}, True),
        ("dijkstra_path_length", {"source": 0, "target": 1, "weight": len}, False),
        ("dijkstra_path_length", {"source": 0, "target": 1, "weight": None}, False),
        ("single_source_shortest_path_length", {"source": 0, "cutoff": -1}, False),
        ("single_source_shortest_path_length", {"source": 0, "cutoff": float("nan")}, False),
        ("single_source_shortest_path_length", {"source": 0, "cutoff": ""}, False),
        ("single_source_dijkstra", {"source": 0, "cutoff": ()}, False),
        ("single_source_dijkstra", {"source": 0, "cutoff": np.arange(2)}, False),
        ("single_source_dijkstra", {"source": 0, "cutoff": 2.5}, True),
        ("single_source_shortest_path_length", {"source": [1]}, False),
        ("dijkstra_path", {"source": 0, "target": (1, [2])}, False),
        ("has_path", {"source": None, "target": 1}, False),
        ("has_path", {"source": 1, "target": None}, False),
        ("has_path", {"source": 0}, False), ("has_path", {"source": 0, "target": 1}, True),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_declined(name: str, options: dict[str, Any], runs: bool) -> None:
    assert (backend.can_run(name, (nx.path_graph(3),), options) is True) == runs


def test_what_networkx_would_call_is_defined_for_it() -> None:
    """NetworkX takes whatever the module has under the name of a function of its own."""
    dispatched = {name for name in vars(backend) if hasattr(nx, name) and callable(getattr(nx, name))}
    assert "betweenness_centrality" in dispatched
    assert {getattr(backend, name).__module__ for name in dispatched} == {backend.__name__}


def test_small_graphs_are_left_to_networkx() -> None:
    small, large = nx.path_graph(50), nx.path_graph(200)
    assert backend.should_run("betweenness_centrality", (large,), {}) is True
    assert backend.should_run("betweenness_centrality", (), {"G": small}) is not True
    assert backend.should_run("has_path", (backend.convert_from_nx(large), 0, 1), {}) is not True


def test_a_converted_graph_is_given_back() -> None:
    graph = nx.path_graph(3, nx.DiGraph)
    given = backend.convert_from_nx(graph)
    assert backend.convert_to_nx(given) is graph
    assert backend.convert_to_nx(7) == 7
    assert (given.is_directed(), given.is_multigraph()) == (True, False)


def test_networkx_finds_the_backend_by_its_entry_point(tmp_path: Path) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    place = project["entry-points"]["networkx.backends"]["retrace"]
    installed = tmp_path / "example-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: example\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(f"[networkx.backends]\nretrace = {place}\n")
    paths = [str(PROJECT / "scripts"), str(tmp_path), str(Path(nx.__file__).parents[1])]
    program = (
        "import logging, warnings, networkx as nx; warnings.simplefilter('ignore')\n"
        "logging.basicConfig(level=logging.DEBUG)\n"
        "print(nx.has_path(nx.path_graph(3), 0, 2, backend='retrace'))\n"
        "nx.config.backend_priority.algos = ['retrace']; nx.config.fallback_to_nx = True\n"
        "print(nx.shortest_path_length(nx.path_graph(3), 0, 2))\n"
        "print(nx.dijkstra_path_length(nx.Graph([(0, 1, {'weight': 0.5})]), 0, 1))\n"
    )
    done = python(program, PYTHONPATH=os.pathsep.join(paths))
    assert done.stdout.split() == ["True", "2", "0.5"], done.stderr
    assert "Using backend 'retrace' for call to 'has_path'" in done.stderr
