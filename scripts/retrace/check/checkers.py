"""Who checks the answers of a problem."""

from __future__ import annotations

from typing import Any, Protocol

from retrace.check.generated import RandomGraphChecker
from retrace.check.oracles import Oracle, Verdict
from retrace.check.scores import ScoreOracle
from retrace.check.shortest_paths import ShortestPathsOracle
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.random import RandomGraph
from retrace.solvers.registry import Query, Subject
from retrace.system.errors import RetraceError


class Checker(Protocol):
    """Checks answers on one graph, and keeps what it computed for the next one."""

    def check(self, solver: str, query: Query, answer: Any, predecessor: Int32Array | None = None) -> Verdict:
        """Compare a solver's answer, and its predecessors if it has some."""


def checker_of(problem: str, graph: Subject) -> Checker:
    """Return the checker of a problem's answers on a graph.

    Raises
    ------
    RetraceError
        If it has none: a dense graph is for bellman-ford.
    """
    if problem in ("bfs", "stcon", "sssp") and isinstance(graph, CSRGraph):
        return Oracle(graph)
    if problem == "bellman-ford" and not isinstance(graph, RandomGraph):
        return ShortestPathsOracle(graph)
    if problem == "betweenness" and isinstance(graph, CSRGraph):
        return ScoreOracle(graph)
    if problem == "generate" and isinstance(graph, RandomGraph):
        return RandomGraphChecker(graph)
    raise RetraceError(f"{graph.name}: nobody checks answers of {problem} on it; choose another graph")
