"""Paths: each is made of arcs, as long as the oracle says, whatever it is traced from."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuda_device.errors import OneLineError
from graphs import NAMED, graph, random_graphs
from retrace.check.certificates import certify_tree
from retrace.check.oracles import Oracle
from retrace.graphs.csr import CSRGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers import Query
from retrace_commands.paths import arcs_of, find_arcs, find_predecessors, keep_arcs, only_along, trace
from schedules import examples
from test_hong_bfs import SLIDES
from test_solvers import solve


def check_every_path(graph: CSRGraph, source: int, problem: str) -> None:
    """Trace every vertex back from the oracle's lengths alone."""
    lengths = Oracle(graph).expected(problem, Query(source))
    weights = graph.weights if problem == "sssp" else None
    predecessor = find_predecessors(graph, source, lengths, weights)
    for target in range(graph.vertices):
        if lengths[target] == UNREACHABLE:
            with pytest.raises(OneLineError, match="not reached"):
                trace(predecessor, source, target)
            continue
        path = trace(predecessor, source, target)
        assert path[0] == source
        assert path[-1] == target
        only = keep_arcs(graph, find_arcs(graph, only_along(predecessor, [path])))
        assert sorted(zip(only.tails(), only.indices, strict=True)) == sorted(pairwise(path))
        arcs = arcs_of(graph, path)
        assert list(zip(graph.tails()[arcs], graph.indices[arcs], strict=True)) == list(pairwise(path))
        length = only.arcs if weights is None else int(np.sum(only.weights, dtype=np.int64))
        assert length == lengths[target]


@pytest.mark.parametrize("problem", ["bfs", "sssp"])
@pytest.mark.parametrize(
    "graph",
    [g for g in NAMED.values() if g.vertices < 100],
    ids=[k for k, g in NAMED.items() if g.vertices < 100],
)
def test_traces_every_vertex_of_named_graphs(graph: CSRGraph, problem: str) -> None:
    for source in {0, graph.vertices - 1}:
        check_every_path(graph, source, problem)


@pytest.mark.parametrize("problem", ["bfs", "sssp"])
@given(graph=random_graphs(15), data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_traces_every_vertex_of_random_graphs(problem: str, graph: CSRGraph, data: st.DataObject) -> None:
    check_every_path(graph, data.draw(st.integers(0, graph.vertices - 1)), problem)


@given(graph=random_graphs(), data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_predecessors_from_distances_are_a_shortest_path_tree(graph: CSRGraph, data: st.DataObject) -> None:
    source = data.draw(st.integers(0, graph.vertices - 1))
    distance = Oracle(graph).expected("sssp", Query(source))
    predecessor = find_predecessors(graph, source, distance, graph.weights)
    assert certify_tree(graph, source, distance, predecessor) is None
    solved, solvers_own = solve("sssp/mask-sequential", "host", graph, Query(source))
    assert solvers_own is not None
    assert ((solvers_own < 0) == (predecessor < 0)).all()
    for one in (predecessor, solvers_own):
        tree = keep_arcs(graph, find_arcs(graph, one))
        assert tree.weights is not None
        assert (solved[tree.tails()].astype(np.int64) + tree.weights == solved[tree.indices]).all()


def test_slides_graph() -> None:
    levels = np.array([0, 1, 1, 2, 2, 2, 2, 2, 3], dtype=np.int32)
    predecessor = find_predecessors(SLIDES, 0, levels, None)
    assert trace(predecessor, 0, 8).tolist() in ([0, 1, 4, 8], [0, 2, 5, 8], [0, 1, 3, 8])
    assert trace(predecessor, 0, 0).tolist() == [0]
    assert predecessor[0] == -1


def test_zero_weight_cycle_beside_the_path() -> None:
    knot = graph(5, [(0, 1, 5), (1, 2, 0), (2, 1, 0), (2, 3, 0), (3, 2, 0), (3, 3, 0), (3, 4, 1)])
    distance = np.array([0, 5, 5, 5, 6], dtype=np.int32)
    predecessor = find_predecessors(knot, 0, distance, knot.weights)
    assert trace(predecessor, 0, 4).tolist() == [0, 1, 2, 3, 4]


def test_lightest_of_parallel_arcs_is_on_the_path() -> None:
    parallel = graph(2, [(0, 1, 9), (0, 1, 2), (0, 1, 5), (0, 1, 2)])
    assert find_arcs(parallel, np.array([-1, 0], dtype=np.int32)).tolist() == [1]


def test_arcs_keep_the_order_of_the_graph() -> None:
    complete = NAMED["complete"]
    arcs = np.array([3, 40, 41, 500])
    kept = keep_arcs(complete, arcs)
    assert kept.vertices == complete.vertices
    assert kept.tails().tolist() == complete.tails()[arcs].tolist()
    assert kept.indices.tolist() == complete.indices[arcs].tolist()
    assert keep_arcs(SLIDES, np.array([], dtype=np.int64)).arcs == 0


@pytest.mark.parametrize(("vertex", "length"), [(3, 8), (3, 6), (2, 2**31 - 2)])
def test_lengths_of_no_path_are_refused(vertex: int, length: int) -> None:
    line = graph(4, [(0, 1, 2), (1, 2, 2), (2, 3, 3)])
    distance = np.array([0, 2, 4, 7], dtype=np.int32)
    distance[vertex] = length
    with pytest.raises(OneLineError, match="no path has that length"):
        find_predecessors(line, 0, distance, line.weights)


def test_predecessors_that_are_no_tree_are_refused() -> None:
    line = graph(4, [(0, 1, 2), (1, 2, 2), (2, 3, 3)])
    with pytest.raises(OneLineError, match="form a cycle"):
        trace(np.array([-1, 2, 1, 2], dtype=np.int32), 0, 3)
    with pytest.raises(OneLineError, match="vertex 1 is the predecessor of vertex 3"):
        find_arcs(line, np.array([-1, 0, 1, 1], dtype=np.int32))
