"""The checker of each problem's answers."""

from collections.abc import Sequence
from typing import Any, Protocol

from retrace.check.closed_forms import LimitChecker
from retrace.check.generated import RandomGraphChecker
from retrace.check.oracles import Oracle
from retrace.check.result import CheckResult
from retrace.check.score_oracle import ScoreOracle
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import NoGraph, Query, Subject
from retrace.graphs.random import RandomGraph
from retrace.system.errors import RetraceError


class Checker(Protocol):
    """Checks answers on one graph, and keeps what it has computed for the next answer."""

    def check(
        self, solver: str, query: Query, answer: Any, predecessor: Int32Array | None = None
    ) -> CheckResult:
        """Check a solver's answer, and its predecessors if it has some."""


def checker_of(problem: str, graph: Subject, queries: Sequence[Query] = ()) -> Checker:
    """Return the checker of a problem's answers on a graph; raise RetraceError if there is none.

    `queries` has those that are to come, in their order, if they are known.
    """
    if isinstance(graph, NoGraph):
        if problem == "limits":
            return LimitChecker()
    elif isinstance(graph, RandomGraph):
        if problem == "generate":
            return RandomGraphChecker(graph)
    elif problem == "bellman-ford" or (problem in ("bfs", "stcon", "sssp") and isinstance(graph, CSRGraph)):
        return Oracle(graph)
    elif problem == "betweenness" and isinstance(graph, CSRGraph):
        return ScoreOracle(graph, [query.sources for query in queries])
    raise RetraceError(f"{graph.name}: no checker for answers of {problem} on it; choose another graph")
