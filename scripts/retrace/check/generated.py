"""Checks random graphs arc by arc: against what was asked for, and what the generator promises."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from retrace.check.result import CheckResult
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.graphs.random import RandomGraph

ORACLE = "counts, ranges, distinct arcs"
CONNECTED_ORACLE = f"{ORACLE}, an earlier neighbour of each vertex"

CONNECTED = ("generate/tree-first",)
"""Generators that join every vertex to an earlier one, so that their graphs are weakly connected."""


class RandomGraphChecker:
    """Checks what generators made of one description; each graph is inspected once for each promise."""

    def __init__(self, wanted: RandomGraph) -> None:
        self.wanted = wanted
        self._first: dict[str, str] = {}
        self._results: dict[tuple[str, bool], CheckResult] = {}

    def check(
        self, solver: str, query: Query, answer: CSRGraph, predecessor: Int32Array | None = None
    ) -> CheckResult:
        """Check a graph; the same seed must give the same one again."""
        sha256, connected = answer.info.get("sha256") or answer.digest(), solver.startswith(CONNECTED)
        first = self._first.setdefault(solver, sha256)
        if sha256 != first:
            oracle = CONNECTED_ORACLE if connected else ORACLE
            return CheckResult(False, oracle, f"another graph of the same seed: {sha256} after {first}")
        if (sha256, connected) not in self._results:
            self._results[sha256, connected] = check_random_graph(answer, self.wanted, connected)
        return self._results[sha256, connected]


def check_random_graph(graph: CSRGraph, wanted: RandomGraph, connected: bool) -> CheckResult:
    """Check a random graph against what was asked for, in memory that does not grow with its arcs.

    If it is `connected`, each vertex except the first must have an arc to or from one with a smaller id,
    which proves by induction that the graph is weakly connected. `observed` has its number of components.
    """
    reason = find_fault(graph, wanted, connected)
    oracle = CONNECTED_ORACLE if connected else ORACLE
    if reason is not None:
        return CheckResult(False, oracle, reason)
    return CheckResult(True, oracle, observed={"components": 1 if connected else count_components(graph)})


def count_components(graph: CSRGraph) -> int:
    """Count the weakly connected components, in memory that does not grow with the arcs."""
    count, component = graph.vertices, np.arange(graph.vertices, dtype=np.int32)
    for tails, arcs in graph.blocks():
        ends = component[tails], component[graph.indices[arcs]]
        apart = ends[0] != ends[1]
        if apart.any():
            a, b = (end[apart] for end in ends)
            joined = coo_array((np.ones(len(a), np.int8), (a, b)), shape=(count, count))
            count, merged = connected_components(joined, directed=False)
            component = merged[component]
    return int(count)


def find_fault(graph: CSRGraph, wanted: RandomGraph, connected: bool) -> str | None:
    """Return the first fault of a random graph, or None if there is none."""
    if (graph.vertices, graph.arcs) != (wanted.vertices, wanted.arcs):
        expected = f"{wanted.vertices} vertices and {wanted.arcs} arcs"
        return f"{graph.vertices} vertices and {graph.arcs} arcs instead of {expected}"
    if graph.weights is None:
        return "no weights"
    if (np.diff(graph.indptr) < 0).any():
        return f"vertex {np.argmax(np.diff(graph.indptr) < 0)} has a negative number of arcs"
    low, high = wanted.weights
    earliest = np.arange(graph.vertices, dtype=np.int32)
    for tails, arcs in graph.blocks():
        heads, weights = graph.indices[arcs], graph.weights[arcs]
        for wrong, fault in (
            ((heads < 0) | (heads >= graph.vertices), "an arc that leads out of the graph"),
            (heads == tails, "an arc to itself"),
            ((weights < low) | (weights > high), f"an arc with a weight outside {low} to {high}"),
        ):
            if wrong.any():
                return f"vertex {tails[np.argmax(wrong)]} has {fault}"
        pairs = np.sort(tails.astype(np.int64) << 32 | heads)
        twice = pairs[1:] == pairs[:-1]
        if twice.any():
            return f"vertex {pairs[1:][twice][0] >> 32} has two arcs to vertex {pairs[1:][twice][0] % 2**32}"
        if connected:
            np.minimum.at(earliest, tails, heads)
            np.minimum.at(earliest, heads, tails)
    alone = np.flatnonzero(earliest[1:] == np.arange(1, graph.vertices)) + 1
    if connected and len(alone):
        return f"vertex {alone[0]} has no arc to or from an earlier vertex"
    return None
