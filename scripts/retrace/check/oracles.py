"""Answers to check against, from code that shares nothing with the solvers but the graph."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, dijkstra

from retrace.devices.build import build_host
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.solvers.host import c_graph, pointer
from retrace.solvers.registry import Query
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS

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
    observed
        What a record should hold of the comparison, such as the largest error.
    """

    verified: bool
    oracle: str
    reason: str | None = None
    observed: dict[str, float] = field(default_factory=dict)


class Oracle:
    """Checks answers on one graph; each expected answer is computed once, each proof given once."""

    def __init__(self, graph: CSRGraph) -> None:
        self.graph = graph
        self._lengths = lru_cache(maxsize=8)(self._search)
        self._proofs: dict[tuple[str, int, str], str | None] = {}

    def _search(self, source: int, weighted: bool) -> Int32Array:
        graph = self.graph
        weights = graph.weights if weighted else None
        values = np.ones(graph.arcs) if weights is None else weights.astype(np.float64)
        matrix = csr_array((values, graph.indices, graph.indptr), shape=(graph.vertices, graph.vertices))
        lengths: NDArray[np.float64] = dijkstra(matrix, indices=[source])[0]
        longest = 0.0  # of the sums that every solver forms
        for tails, arcs in graph.blocks():
            through = lengths[tails] + values[arcs]
            longest = max(longest, through[np.isfinite(through)].max(initial=0))
        if longest >= UNREACHABLE:
            raise RetraceError(
                f"{graph.name}: sums from vertex {source} reach {longest:.0f}, expected less than "
                f"{UNREACHABLE}, the largest that 32 bits hold; scale the weights down"
            )
        answer = np.where(np.isfinite(lengths), lengths, UNREACHABLE).astype(np.int32)
        answer.flags.writeable = False
        return answer

    def expected(self, problem: str, query: Query) -> Int32Array:
        """Answer of a problem, as a solver would give it.

        Raises
        ------
        RetraceError
            If distances pass what 32 bits hold; SciPy computes them in double precision, exact to 2^53.
        """
        answer = self._lengths(query.source, problem == "sssp")
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
            # The answer being right, the same predecessors are a tree of it, whichever solver they come from.
            key = (f"{solver.split('/')[0]} tree", query.source, digest(predecessor))
            reason = self._once(key, lambda: certify_tree(self.graph, query.source, answer, predecessor))
            return Verdict(reason is None, f"{verdict.oracle} and {CERTIFICATE} of the tree", reason)
        return verdict

    def check_answer(self, solver: str, query: Query, answer: Int32Array) -> Verdict:
        """Compare the levels, distances or length alone."""
        problem, variant = solver.split("/")
        if variant == "scipy":
            weights = self.graph.weights if problem == "sssp" else None
            key = (problem, query.source, digest(answer))
            reason = self._once(key, lambda: certify(self.graph, weights, query.source, answer))
            return Verdict(reason is None, CERTIFICATE, reason)
        expected = self.expected(problem, query)
        return Verdict(*compare(expected, answer, DIJKSTRA))

    def _once(self, key: tuple[str, int, str], prove: Callable[[], str | None]) -> str | None:
        """Prove what was not proved before: the problem, the source, the digest of what it is about."""
        if key not in self._proofs:
            self._proofs[key] = prove()
        return self._proofs[key]


def search_bytes(graph: CSRGraph) -> int:
    """Predict the memory that the oracle's search takes: weights in double precision, and SciPy's heap."""
    return 8 * graph.arcs + 100 * graph.vertices


def digest(array: NDArray[Any]) -> str:
    """Sha256 of an array's content, little-endian."""
    little_endian = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    return hashlib.sha256(little_endian.data).hexdigest()


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
    should = distance != UNREACHABLE
    should[source] = False
    wrong = np.flatnonzero(has != should)
    if len(wrong):
        return f"vertex {wrong[0]} has predecessor {predecessor[wrong[0]]} at distance {distance[wrong[0]]}"
    assert graph.weights is not None
    fitted = np.zeros(graph.vertices, dtype=np.bool_)
    find_fitted = ctypes.CDLL(str(build_host(KERNELS / "host/certify_tree.cpp"))).find_fitted
    find_fitted.restype = None
    distance, predecessor = (np.ascontiguousarray(array, dtype=np.int32) for array in (distance, predecessor))
    find_fitted(c_graph(graph), *map(pointer, (distance, predecessor, fitted)))
    loose = np.flatnonzero(should & ~fitted)
    if len(loose):
        return f"vertex {loose[0]} has predecessor {predecessor[loose[0]]}, whose arcs fit no path"
    vertices = np.flatnonzero(has)
    if (distance[predecessor[vertices]] < distance[vertices]).all():
        return None  # every step comes closer, so none comes twice
    # After k rounds each vertex points at its 2^k-th ancestor, and all at the source if there is no cycle.
    ancestor = np.where(has, predecessor, np.int32(source))
    for _ in range(graph.vertices.bit_length()):
        if (ancestor == source).all():
            return None
        ancestor = ancestor[ancestor]
    adrift = np.flatnonzero(ancestor != source)
    return f"vertex {adrift[0]} does not lead back to the source" if len(adrift) else None


def certify(graph: CSRGraph, weights: Int32Array | None, source: int, answer: Int32Array) -> str | None:
    """Prove that `answer` holds the shortest distances, or say where it does not; no search is repeated.

    No arc may shorten a distance, so none is too large. And every reached vertex must hang on the source by
    arcs that fit exactly, so none is too small: it needs one from a closer vertex, or a way from a vertex
    that has one, or from the source, along arcs of weight 0. Without weights each arc counts 1.
    """
    if answer.shape != (graph.vertices,):
        return f"shape {answer.shape} instead of {(graph.vertices,)}"
    if answer[source] != 0:
        return f"vertex {source}, the source, has {answer[source]} instead of 0"
    length = answer.astype(np.int64)
    hanging = np.zeros(graph.vertices, dtype=np.bool_)
    hanging[source] = True
    level: list[tuple[Int32Array, Int32Array]] = []  # tails and heads of fitting arcs of weight 0
    for tails, arcs in graph.blocks():
        heads = graph.indices[arcs]
        through = length[tails] + (1 if weights is None else weights[arcs])
        reached = length[tails] != UNREACHABLE
        shorter = np.flatnonzero(reached & (through < length[heads]))
        if len(shorter):
            tail, head = tails[shorter[0]], heads[shorter[0]]
            return f"vertex {head} has {length[head]}, but {through[shorter[0]]} through vertex {tail}"
        fits = np.flatnonzero(reached & (through == length[heads]))
        closer = length[tails[fits]] < length[heads[fits]]
        hanging[heads[fits[closer]]] = True
        level.append((tails[fits[~closer]], heads[fits[~closer]]))
    hanging = _spread(hanging, *map(np.concatenate, zip(*level, strict=True)))
    loose = np.flatnonzero(~hanging & (length != UNREACHABLE))
    if len(loose):
        return f"vertex {loose[0]} has {length[loose[0]]}, but no path of that length"
    return None


def _spread(marked: NDArray[np.bool_], tails: Int32Array, heads: Int32Array) -> NDArray[np.bool_]:
    """Mark what marked vertices reach along some arcs, by a search from one vertex more, before them all."""
    begin, size = len(marked), len(marked) + 1
    first = np.flatnonzero(marked).astype(np.int32)
    every_tail = np.concatenate([np.full(len(first), begin, dtype=np.int32), tails])
    every_head = np.concatenate([first, heads])
    matrix = csr_array((np.ones(len(every_tail)), (every_tail, every_head)), shape=(size, size))
    reached = np.zeros(size, dtype=np.bool_)
    reached[breadth_first_order(matrix, begin, return_predecessors=False)] = True
    return reached[:-1]
