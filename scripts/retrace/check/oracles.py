"""Answers to check against, from code that shares nothing with the solvers but the graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from retrace.errors import RetraceError
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.solvers.registry import Query

DIJKSTRA = "scipy.sparse.csgraph.dijkstra"
CERTIFICATE = "optimality certificate"


@dataclass(frozen=True)
class Verdict:
    """Outcome of a check.

    Attributes
    ----------
    verified
        Whether the answer is right.
    oracle
        What it was checked against.
    reason
        The first difference, or None.
    """

    verified: bool
    oracle: str
    reason: str | None = None


class Oracle:
    """Checks answers on one graph; each expected answer is computed once."""

    def __init__(self, graph: CSRGraph) -> None:
        self.graph = graph
        self._lengths = lru_cache(maxsize=8)(self._search)

    def _search(self, source: int, weighted: bool) -> NDArray[np.float64]:
        graph = self.graph
        values = graph.weights if weighted and graph.weights is not None else np.ones(graph.arcs)
        matrix = csr_array(
            (values.astype(np.float64), graph.indices, graph.indptr), shape=(graph.vertices, graph.vertices)
        )
        lengths: NDArray[np.float64] = dijkstra(matrix, indices=[source])[0]
        through = lengths[graph.tails()] + values
        longest = through[np.isfinite(through)].max(initial=0)  # a sum that every solver forms
        if longest >= UNREACHABLE:
            raise RetraceError(
                f"{graph.name}: sums from vertex {source} reach {longest:.0f}, expected less than "
                f"{UNREACHABLE}, the largest that 32 bits hold; scale the weights down"
            )
        return lengths

    def expected(self, problem: str, query: Query) -> Int32Array:
        """Answer of a problem, as a solver would give it.

        Raises
        ------
        RetraceError
            If distances pass what 32 bits hold; SciPy computes them in double precision, exact to 2^53.
        """
        lengths = self._lengths(query.source, problem == "sssp")
        answer = np.where(np.isfinite(lengths), lengths, UNREACHABLE).astype(np.int32)
        if problem == "stcon":
            assert query.target is not None
            return answer[query.target : query.target + 1]
        return answer

    def check(
        self, solver: str, query: Query, answer: Int32Array, predecessor: Int32Array | None = None
    ) -> Verdict:
        """Compare a solver's answer; SciPy's own is put to the optimality conditions instead.

        Predecessors, if the solver has them, must be a shortest-path tree.
        """
        verdict = self.check_answer(solver, query, answer)
        if verdict.verified and predecessor is not None:
            reason = certify_tree(self.graph, query.source, answer, predecessor)
            return Verdict(reason is None, f"{verdict.oracle} and {CERTIFICATE} of the tree", reason)
        return verdict

    def check_answer(self, solver: str, query: Query, answer: Int32Array) -> Verdict:
        """Compare the levels, distances or length alone."""
        problem, variant = solver.split("/")
        if variant == "scipy":
            weights = self.graph.weights if problem == "sssp" else None
            reason = certify(self.graph, weights, query.source, answer)
            return Verdict(reason is None, CERTIFICATE, reason)
        expected = self.expected(problem, query)
        return Verdict(*compare(expected, answer, DIJKSTRA))


def compare(expected: Int32Array, answer: Int32Array, oracle: str) -> tuple[bool, str, str | None]:
    """Compare two answers entry by entry; the reason names the first vertex where they differ."""
    if expected.shape != answer.shape or expected.dtype != answer.dtype:
        return False, oracle, f"{answer.dtype} {answer.shape} instead of {expected.dtype} {expected.shape}"
    different = np.flatnonzero(expected != answer)
    if len(different) == 0:
        return True, oracle, None
    first = int(different[0])
    found = f"vertex {first} has {answer[first]} instead of {expected[first]}"
    return False, oracle, f"{found}; {len(different)} of {len(answer)} differ"


def certify_tree(graph: CSRGraph, source: int, distance: Int32Array, predecessor: Int32Array) -> str | None:
    """Prove that `predecessor` is a shortest-path tree for right distances, or say where it is not.

    Every vertex reached but the source must have a predecessor, with an arc from it that fits its distance
    exactly; and following predecessors must end at the source.
    """
    has = predecessor >= 0
    should = (distance != UNREACHABLE) & (np.arange(graph.vertices) != source)
    wrong = np.flatnonzero(has != should)
    if len(wrong):
        return f"vertex {wrong[0]} has predecessor {predecessor[wrong[0]]} at distance {distance[wrong[0]]}"
    assert graph.weights is not None
    tails = graph.tails()
    used = (predecessor[graph.indices] == tails) & (distance[tails] != UNREACHABLE)
    fits = used & (distance[tails].astype(np.int64) + graph.weights == distance[graph.indices])
    fitted = np.zeros(graph.vertices, dtype=np.bool_)
    fitted[graph.indices[fits]] = True
    loose = np.flatnonzero(should & ~fitted)
    if len(loose):
        return f"vertex {loose[0]} has predecessor {predecessor[loose[0]]}, whose arcs fit no path"
    vertices = np.flatnonzero(has)
    matrix = csr_array(
        (np.ones(len(vertices)), (predecessor[vertices], vertices)), shape=(graph.vertices, graph.vertices)
    )
    hanging = np.zeros(graph.vertices, dtype=np.bool_)
    hanging[breadth_first_order(matrix, source, return_predecessors=False)] = True
    adrift = np.flatnonzero(has & ~hanging)
    return f"vertex {adrift[0]} does not lead back to the source" if len(adrift) else None


def certify(graph: CSRGraph, weights: Int32Array | None, source: int, answer: Int32Array) -> str | None:
    """Prove that `answer` holds the shortest distances, or say where it does not; no search is repeated.

    No arc may shorten a distance, so none is too large; and every reached vertex must hang on the source by
    arcs that fit exactly, so none is too small. Without weights each arc counts 1.
    """
    if answer.shape != (graph.vertices,):
        return f"shape {answer.shape} instead of {(graph.vertices,)}"
    if answer[source] != 0:
        return f"vertex {source}, the source, has {answer[source]} instead of 0"
    tails, heads = graph.tails(), graph.indices
    length: NDArray[Any] = answer.astype(np.int64)
    reached = length[tails] != UNREACHABLE
    through = length[tails] + (1 if weights is None else weights.astype(np.int64))
    shorter = np.flatnonzero(reached & (through < length[heads]))
    if len(shorter):
        arc = shorter[0]
        return f"vertex {heads[arc]} has {length[heads[arc]]}, but {through[arc]} through vertex {tails[arc]}"
    fits = reached & (through == length[heads])
    matrix = csr_array(
        (np.ones(int(fits.sum())), (tails[fits], heads[fits])), shape=(graph.vertices, graph.vertices)
    )
    hanging = np.zeros(graph.vertices, dtype=np.bool_)
    hanging[breadth_first_order(matrix, source, return_predecessors=False)] = True
    loose = np.flatnonzero(~hanging & (length != UNREACHABLE))
    if len(loose):
        return f"vertex {loose[0]} has {length[loose[0]]}, but no path of that length"
    return None
