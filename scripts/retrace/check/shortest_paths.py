"""Checks shortest paths whose weights may be negative, and those of complete graphs too large for SciPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, breadth_first_order, dijkstra

from retrace.check.oracles import CERTIFICATE, DIJKSTRA, Verdict, compare, digest
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.solvers.matrices import host_matrix, rows_of
from retrace.solvers.registry import Query
from retrace.system.errors import RetraceError

BELLMAN_FORD = "scipy.sparse.csgraph.bellman_ford"
MOST_WORK = 10**8
"""Vertices times arcs up to which SciPy's Bellman-Ford, which takes that long, is what we compare with."""

SMALL = 512
"""Vertices of the largest complete graph that SciPy's Dijkstra checks."""

BLOCK_BYTES = 1 << 26
"""Memory for a part of a matrix in 64 bits."""


class ShortestPathsOracle:
    """Checks distances on one graph; each expected answer is computed once, each proof given once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._rows = rows_of(graph) if isinstance(graph, CSRGraph) or graph.vertices <= SMALL else None
        self._expected = lru_cache(maxsize=8)(self._search)
        self._proofs: dict[tuple[int, str], str | None] = {}
        weights = None if self._rows is None else self._rows.weights
        self._negative = weights is not None and bool((weights < 0).any())

    def check(
        self, solver: str, query: Query, answer: Int32Array, predecessor: Int32Array | None = None
    ) -> Verdict:
        """Compare with SciPy if it can answer in time and is not what answered; else ask for a proof."""
        assert predecessor is None, "no solver of bellman-ford has predecessors"
        rows, source = self._rows, query.source
        if isinstance(self.graph, DenseGraph) and rows is None:
            matrix = host_matrix(self.graph)[:, : self.graph.vertices]
            return self._proved(source, answer, lambda: certify_complete(matrix, source, answer))
        assert rows is not None
        too_long = self._negative and rows.vertices * rows.arcs > MOST_WORK
        if too_long or solver.partition("/")[2].startswith("scipy"):
            return self._proved(source, answer, lambda: certify(rows, source, answer))
        oracle = BELLMAN_FORD if self._negative else DIJKSTRA
        expected = self._expected(source)
        if expected is None:
            return Verdict(
                False, oracle, f"there are distances, but vertex {source} reaches a negative cycle"
            )
        return Verdict(*compare(expected, answer, oracle))

    def _search(self, source: int) -> Int32Array | None:
        """Find the distances with SciPy; None if there is a negative cycle."""
        rows = self._rows
        assert rows is not None
        assert rows.weights is not None
        values = rows.weights.astype(np.float64)
        matrix = csr_array((values, rows.indices, rows.indptr), shape=(rows.vertices, rows.vertices))
        search: Callable[..., NDArray[np.float64]] = bellman_ford if self._negative else dijkstra
        try:
            lengths = search(matrix, indices=[source])[0]
        except NegativeCycleError:
            return None
        finite = lengths[np.isfinite(lengths)]
        require_32_bits(self.graph.name, source, finite.min(), finite.max())
        return np.where(np.isfinite(lengths), lengths, UNREACHABLE).astype(np.int32)

    def _proved(self, source: int, answer: Int32Array, prove: Callable[[], str | None]) -> Verdict:
        """Prove what was not proved before."""
        key = source, digest(answer)
        if key not in self._proofs:
            self._proofs[key] = prove()
        return Verdict(self._proofs[key] is None, CERTIFICATE, self._proofs[key])


def require_32_bits(name: str, source: int, least: float, greatest: float) -> None:
    """Refuse a graph whose distances 32 bits do not hold.

    Raises
    ------
    RetraceError
        With the distances' range.
    """
    if greatest >= UNREACHABLE or least <= -UNREACHABLE - 1:
        raise RetraceError(
            f"{name}: distances from vertex {source} range from {least:.0f} to {greatest:.0f}, expected "
            f"within {-UNREACHABLE} to {UNREACHABLE - 1} (32 bits); scale the weights down"
        )


def certify(graph: CSRGraph, source: int, answer: Int32Array) -> str | None:
    """Prove that `answer` holds the shortest distances, or say where it does not; weights may be negative.

    No arc may shorten a distance: then none is too large, and there is no negative cycle. And every reached
    vertex must hang on the source by arcs that fit exactly: then none is too small.

    Raises
    ------
    RetraceError
        If the way to a vertex that is called unreachable is longer than 32 bits hold.
    """
    if fault := misshapen(answer, graph.vertices, source):
        return fault
    assert graph.weights is not None
    length = answer.astype(np.int64)
    fitting = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]  # tails and heads
    for tails, arcs in graph.blocks():
        heads = graph.indices[arcs]
        reached = length[tails] != UNREACHABLE
        through = length[tails] + graph.weights[arcs]
        shorter = np.flatnonzero(reached & (through < length[heads]))
        if len(shorter):
            tail, head = tails[shorter[0]], heads[shorter[0]]
            return f"vertex {head} has {length[head]}, but {through[shorter[0]]} through vertex {tail}"
        beyond = np.flatnonzero(reached & (length[heads] == UNREACHABLE))
        if len(beyond):
            require_32_bits(graph.name, source, length.min(), float(through[beyond[0]]))
        fits = np.flatnonzero(reached & (through == length[heads]))
        fitting.append((tails[fits], heads[fits]))
    tails, heads = (np.concatenate(side) for side in zip(*fitting, strict=True))
    matrix = csr_array((np.ones(len(tails)), (tails, heads)), shape=(graph.vertices, graph.vertices))
    hanging = np.zeros(graph.vertices, dtype=np.bool_)
    hanging[breadth_first_order(matrix, source, return_predecessors=False)] = True
    loose = np.flatnonzero(~hanging & (length != UNREACHABLE))
    if len(loose):
        return f"vertex {loose[0]} has {length[loose[0]]}, but no path of that length"
    return None


def certify_complete(matrix: Int32Array, source: int, answer: Int32Array) -> str | None:
    """Prove that `answer` holds the shortest distances of a complete graph, or say where it does not.

    Where all weights are positive, Bellman's equations have one solution: the source is at 0, and every other
    vertex v at the least of answer[u] + matrix[u, v].

    Parameters
    ----------
    matrix
        Shape (vertices, vertices), int32, positive; `UNREACHABLE` on the diagonal. Read in blocks of rows.
    source
        The source.
    answer
        The distances that are said to be shortest.
    """
    vertices = len(matrix)
    if fault := misshapen(answer, vertices, source):
        return fault
    length = answer.astype(np.int64)
    least = np.full(vertices, np.iinfo(np.int64).max)
    block = max(1, BLOCK_BYTES // (8 * vertices))
    for begin in range(0, vertices, block):
        rows = slice(begin, begin + block)
        np.minimum(least, (length[rows, None] + matrix[rows]).min(axis=0), out=least)
    least[source] = 0
    wrong = np.flatnonzero(least != length)
    return f"vertex {wrong[0]} has {length[wrong[0]]} instead of {least[wrong[0]]}" if len(wrong) else None


def misshapen(answer: Int32Array, vertices: int, source: int) -> str | None:
    """Say what is wrong with an answer at first sight."""
    if answer.shape != (vertices,) or answer.dtype != np.int32:
        return f"{answer.dtype} {answer.shape} instead of int32 {(vertices,)}"
    return None if answer[source] == 0 else f"vertex {source}, the source, has {answer[source]} instead of 0"
