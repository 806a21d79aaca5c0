"""Betweenness scores to check against: by a library other than the solver's own, or in long doubles."""

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from cuda_device import memory
from retrace.check.result import CheckResult, find_mismatch
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.system.bars import bar
from retrace.system.checkpoint import Checkpoint
from retrace.system.imports import import_bare
from retrace.system.processes import on_all_cores
from retrace.system.project import ROOT, build_folder

DOUBLE, FLOAT = 1e-9, 1e-4
"""The largest relative error that is accepted, by the precision that the solver computes in."""
IN_FLOAT = ("betweenness/cugraph",)
"""Libraries in single precision, which add up what a vertex has of its arcs in it, too."""
UNIT_ROUNDOFF = 2.0**-24
"""Of single precision: a sum of n numbers may err by n times it (Higham, Accuracy and Stability, 4.2)."""
FLOOR = 1.0
"""Errors of scores below one pair of vertices are relative to one pair, since 0 has no relative error."""
TAKEN_AWAY = 1e-4
"""As FLOOR, for each vertex of the graph: of a score that such a number was added to and taken away from.

GAPBS does so with the scores of its sources; a double then keeps 1e-13 of the number.
"""
WORTH_SHARING, WORTH_KEEPING = 1e8, 1e7
"""Sources times arcs, from which on igraph's work is distributed to all cores, and a library's scores are
stored beside the builds, batch by batch: seconds of one core, and half a second."""
COMMITTED = ROOT / "results/oracles"
"""Scores that take core hours, of graphs that have committed records; files named as beside the builds."""
PARTS_A_CORE = 4
"""Parts of the sources for each core: igraph prepares itself for each part, but cores should end together."""

ARCS_OF_IGRAPH = 30_000_000
"""Arcs of a graph from which on igraph is not asked: it takes 180 bytes for each, once more on each core."""
SOURCES_AT_ONCE = 16
"""Sources of a block of columns."""
ARRAYS_OF_BLOCK = 10
"""Arrays of as many numbers as a block has, which a process holds at a time at most."""

NETWORKIT = "networkit.centrality.Betweenness"
IGRAPH = "igraph.Graph.betweenness"
SCIPY = "Brandes' algorithm as products of scipy.sparse.csr_array"
LONG_DOUBLE = "Brandes' algorithm in NumPy, long double"
PACKAGES = {NETWORKIT: "networkit", IGRAPH: "igraph", SCIPY: "scipy"}

DECIDES = "version, sources or arcs"
"""What is hashed of an oracle's scores beside its name."""

ScoreArray = NDArray[np.float64]


class ScoreOracle:
    """Checks scores on one graph; each expected answer is computed once.

    `source_sets` has the sources of the queries that are to come, in their order, if they are known.
    """

    def __init__(self, graph: CSRGraph, source_sets: Sequence[tuple[int, ...] | None] = ()) -> None:
        self.first, self.tails, self.heads = simple_arcs(graph)
        self.vertices, self.source_sets = graph.vertices, list(source_sets)
        self.halved = 2 if graph.info.get("directed") is False else 1
        self.expected = lru_cache(maxsize=8)(self._expected)

    @cached_property
    def most_arcs(self) -> int:
        """The most arcs from or to a vertex."""
        return int(max(np.diff(self.first).max(initial=0), np.bincount(self.heads).max(initial=0)))

    @property
    def usual(self) -> str:
        """The oracle of all solvers but its own."""
        return IGRAPH if len(self.tails) <= ARCS_OF_IGRAPH and is_installed(IGRAPH) else SCIPY

    def _expected(self, sources: tuple[int, ...] | None, oracle: str) -> ScoreArray:
        """Compute the scores of some sources, or of all, by an oracle; what overflows is not finite."""
        methods = {
            NETWORKIT: self._by_networkit,
            IGRAPH: self._by_igraph,
            SCIPY: self._by_scipy,
            LONG_DOUBLE: self._by_long_double,
        }
        path = self.file_of(oracle, sources)
        if path is None:
            return methods[oracle](sources) / self.halved
        if oracle == SCIPY and not path.exists():
            self._keep_those_to_come(sources)
        sums = Checkpoint.open(path, self.identity_of(oracle, sources), self.vertices)
        ids = self._every(sources)
        least = SOURCES_AT_ONCE * len(os.sched_getaffinity(0)) if oracle == SCIPY else 1
        with bar(total=len(ids), initial=sums.done, unit="source", desc=oracle) as progress:
            # NetworKit takes all sources or none
            for batch in [ids][sums.done :] if oracle == NETWORKIT else sums.batches(ids, least):
                sums.add(methods[oracle](None if oracle == NETWORKIT else tuple(batch.tolist())), len(batch))
                progress.update(len(batch))
        return sums.scores / self.halved

    def file_of(self, oracle: str, sources: tuple[int, ...] | None) -> Path | None:
        """Return the file of an oracle's scores, or None if they are not stored.

        The file is one of the project, or else is or will be beside the builds.
        """
        if oracle not in PACKAGES or self._work(sources) <= WORTH_KEEPING:
            return None
        name = f"scores-{self.identity_of(oracle, sources)[DECIDES][:16]}.npz"
        return COMMITTED / name if (COMMITTED / name).exists() else build_folder() / "oracles" / name

    def identity_of(self, oracle: str, sources: tuple[int, ...] | None) -> dict[str, str]:
        """Return all that determines an oracle's scores."""
        chosen = "all" if sources is None else ",".join(map(str, sources))
        decides = f"{oracle} {version(PACKAGES[oracle])} {self.vertices} {chosen}\n"
        return {"scores of": oracle, DECIDES: hashlib.sha256((decides + self._digest).encode()).hexdigest()}

    @cached_property
    def _digest(self) -> str:
        """The sha256 of the arcs."""
        digest = hashlib.sha256()
        for ends in (self.tails, self.heads):
            digest.update(np.ascontiguousarray(ends, dtype="<i4").data)
        return digest.hexdigest()

    def _every(self, sources: tuple[int, ...] | None) -> Int32Array:
        return np.arange(self.vertices, dtype=np.int32) if sources is None else np.array(sources, np.int32)

    def _work(self, sources: tuple[int, ...] | None) -> int:
        return len(self.tails) * (self.vertices if sources is None else len(sources))

    def _by_networkit(self, sources: tuple[int, ...] | None) -> ScoreArray:
        """Sum over all sources, on all cores; path counts are big numbers and never overflow."""
        assert sources is None
        networkit = import_bare("networkit")  # here, since few checks need it
        ends = self.tails.astype(np.uint64), self.heads.astype(np.uint64)
        graph = networkit.graph.GraphFromCoo(
            (np.ones(len(self.tails)), ends), n=self.vertices, weighted=False, directed=True
        )
        centrality = networkit.centrality.Betweenness(graph)
        centrality.run()
        return np.array(centrality.scores(), dtype=np.float64)

    def _by_igraph(self, sources: tuple[int, ...] | None) -> ScoreArray:
        """Sum over any sources, in doubles; many are distributed to one process for each core."""
        graph, ranks = self._igraph, self._rank[self._every(sources)]

        def scores_of(part: NDArray[np.int64]) -> ScoreArray:
            return np.array(graph.betweenness(sources=part.tolist()))

        few = self._work(sources) <= WORTH_SHARING
        parts = 1 if few else PARTS_A_CORE * len(os.sched_getaffinity(0))
        return self._shared(scores_of, ranks, parts)[self._rank]

    def _by_scipy(self, sources: tuple[int, ...] | None) -> ScoreArray:
        """Sum over any sources, in doubles, as many at a time as a block has columns, on all cores."""
        ids = self._every(sources).astype(np.int64)
        of_block = partial(self._dependencies_of_block, *self._matrices)  # which the processes share
        cores = len(os.sched_getaffinity(0)) if self._work(sources) > WORTH_SHARING else 1
        return self._shared(of_block, ids, max(cores, -(-len(ids) // SOURCES_AT_ONCE)))

    def _shared(
        self, scores_of: Callable[[NDArray[np.int64]], ScoreArray], ids: NDArray[np.int64], parts: int
    ) -> ScoreArray:
        """Return the sum of the sources' scores, cut into parts, which one process for each core draws."""
        if parts <= 1:
            return scores_of(ids)
        total = np.zeros(self.vertices)
        for scores in on_all_cores(scores_of, np.array_split(ids, min(parts, len(ids)))):
            total += scores
        return total

    def _keep_those_to_come(self, sources: tuple[int, ...] | None) -> None:
        """Compute and store the scores of some sources and of those asked next, as many sets as cores.

        A set of few sources would leave most cores idle.
        """
        if sources is None or sources not in self.source_sets:
            return
        of_core = (self.vertices * len(sources) * ARRAYS_OF_BLOCK + len(self.heads)) * 8
        at_once = min(len(os.sched_getaffinity(0)), memory.available() // of_core)
        sets = {
            each: self.file_of(SCIPY, each)
            for each in self.source_sets[self.source_sets.index(sources) :]
            if each
        }
        missing = [(each, path) for each, path in sets.items() if path is not None and not path.exists()]
        missing = missing[:at_once]
        if len(missing) < 2:
            return
        of_block = partial(self._dependencies_of_block, *self._matrices)
        blocks = [np.array(each, np.int64) for each, _ in missing]
        for (each, path), scores in zip(missing, on_all_cores(of_block, blocks), strict=True):
            Checkpoint.open(path, self.identity_of(SCIPY, each), self.vertices).add(scores, len(each))

    @cached_property
    def _matrices(self) -> tuple[csr_array, csr_array]:
        """The adjacency matrix, whose rows are tails, and its transpose."""
        arcs, shape = np.ones(len(self.heads)), (self.vertices, self.vertices)
        matrix = csr_array((arcs, self.heads, self.first), shape=shape)
        return matrix, matrix.T.tocsr()

    def _are_few(self, rows: NDArray[np.int64]) -> bool:
        """Return whether some rows of the matrix are so few that copying them costs less than reading all."""
        return bool(4 * (self.first[rows + 1] - self.first[rows]).sum() < len(self.heads))

    def _dependencies_of_block(
        self, matrix: csr_array, transpose: csr_array, sources: NDArray[np.int64]
    ) -> ScoreArray:
        """Return what a block of sources adds to each score, shape (vertices,): a column for each source."""
        starts = sources, np.arange(len(sources))
        sigma = np.zeros((self.vertices, len(sources)))
        level = np.full(sigma.shape, -1, np.int32)
        sigma[starts], level[starts] = 1, 0
        frontier, depth = sigma, 0
        while len(reached := np.flatnonzero(frontier.any(axis=1))):
            few = self._are_few(reached)
            paths = matrix[reached].T @ frontier[reached] if few else transpose @ frontier
            frontier = np.where(level < 0, paths, 0)
            depth += 1
            level[frontier > 0] = depth
            sigma = sigma + frontier
        delta, share = np.zeros_like(sigma), np.empty_like(sigma)
        for above in range(depth - 2, 0, -1):  # a source has no score of its own
            share.fill(0)
            np.divide(1 + delta, sigma, out=share, where=level == above + 1)
            at_level = np.flatnonzero((level == above).any(axis=1))
            rows = at_level if self._are_few(at_level) else slice(None)
            added = sigma[rows] * (matrix[rows] @ share)
            delta[rows] += np.where(level[rows] == above, added, 0)
        scores: ScoreArray = delta.sum(axis=1)
        return scores

    @cached_property
    def _igraph(self) -> Any:
        ends = np.column_stack([self._rank[self.tails], self._rank[self.heads]])
        return import_bare("igraph").Graph(self.vertices, ends[np.lexsort(ends.T[::-1])], directed=True)

    @cached_property
    def _rank(self) -> NDArray[np.int64]:
        """Number the vertices in breadth-first order: neighbours are near in memory, which saves a third."""
        if not self.vertices:
            return np.empty(0, np.int64)
        shape = self.vertices, self.vertices
        arcs = csr_array((np.ones(len(self.heads), np.int8), self.heads, self.first), shape=shape)
        start = int(np.argmax(np.diff(self.first)))
        reached = breadth_first_order(arcs, start, return_predecessors=False)
        unreached = np.setdiff1d(np.arange(self.vertices), reached)
        rank = np.empty(self.vertices, np.int64)
        rank[np.concatenate([reached, unreached])] = np.arange(self.vertices)
        return rank

    def _by_long_double(self, sources: tuple[int, ...] | None) -> ScoreArray:
        """Sum over any sources, level by level; a long double of 80 or 128 bits holds counts up to 1e4932."""
        scores = np.zeros(self.vertices, dtype=np.longdouble)
        for source in range(self.vertices) if sources is None else sources:
            scores += self._dependencies(source)
        return scores.astype(np.float64)

    def _dependencies(self, source: int) -> NDArray[np.longdouble]:
        """Return what one source adds to each score, shape (vertices,)."""
        level = np.full(self.vertices, -1)
        sigma, delta = (np.zeros(self.vertices, dtype=np.longdouble) for _ in ("paths", "shares"))
        level[source], sigma[source] = 0, 1
        frontier = np.array([source])
        levels: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        while len(frontier):
            sizes = self.first[frontier + 1] - self.first[frontier]
            starts = self.first[frontier] - (np.cumsum(sizes) - sizes)
            arcs = np.arange(sizes.sum()) + np.repeat(starts, sizes)
            arcs = arcs[level[self.heads[arcs]] < 0]
            tails, heads = self.tails[arcs], self.heads[arcs]
            level[heads] = len(levels) + 1
            np.add.at(sigma, heads, sigma[tails])
            levels.append((tails, heads))
            frontier = np.unique(heads)
        for tails, heads in reversed(levels):
            np.add.at(delta, tails, sigma[tails] / sigma[heads] * (1 + delta[heads]))
        delta[source] = 0
        return delta

    def check(
        self, solver: str, query: Query, answer: ScoreArray, predecessor: Int32Array | None = None
    ) -> CheckResult:
        """Compare a solver's scores; `observed` of the result has the largest relative error."""
        name, _, settings = solver.partition(":")
        bound = FLOAT if "precision=float" in settings.split(",") else DOUBLE
        if name in IN_FLOAT:
            bound = max(FLOAT, self.most_arcs * UNIT_ROUNDOFF)
        alone = name == "betweenness/networkit" or not is_installed(NETWORKIT)
        slower = LONG_DOUBLE if alone or query.sources is not None else NETWORKIT
        oracle = self.usual
        if name == "betweenness/igraph":
            oracle = SCIPY if alone and query.sources is None else slower
        expected = self.expected(query.sources, oracle)
        if not np.isfinite(expected).all():
            oracle, expected = slower, self.expected(query.sources, slower)
        floor = np.full(self.vertices, FLOOR)
        if name == "betweenness/gapbs":
            floor[self._every(query.sources)] = max(FLOOR, TAKEN_AWAY * self.vertices)
        return compare_scores(expected, answer, bound, oracle, floor)


def simple_arcs(graph: CSRGraph) -> tuple[NDArray[np.int64], Int32Array, Int32Array]:
    """Return where the arcs of each vertex begin, their tails and their heads, without loops and copies."""
    first, tails, heads = graph.indptr.astype(np.int64), graph.tails(), graph.indices
    in_order = (tails[1:] > tails[:-1]) | (heads[1:] > heads[:-1])
    apart = tails != heads
    if in_order.all() and apart.all():
        return first, tails, heads
    arcs = np.ones(np.count_nonzero(apart), np.int8), (tails[apart], heads[apart])
    once = csr_array(arcs, shape=(graph.vertices, graph.vertices))  # adds up parallel arcs
    first = once.indptr.astype(np.int64)
    return first, np.repeat(np.arange(graph.vertices, dtype=np.int32), np.diff(first)), once.indices


def is_installed(oracle: str) -> bool:
    """Whether the library of an oracle, if it has one, can be imported."""
    return oracle not in PACKAGES or find_spec(PACKAGES[oracle]) is not None


def compare_scores(
    expected: ScoreArray, answer: ScoreArray, bound: float, oracle: str, floor: ScoreArray | float = FLOOR
) -> CheckResult:
    """Compare two answers entry by entry; the reason names the first vertex where they differ by too much."""
    fault = find_mismatch(expected, answer)
    if not fault and not np.isfinite(expected).all():
        fault = "path counts overflow in the oracle too: there is nothing to compare with"
    if fault:
        return CheckResult(False, oracle, fault)
    errors = np.abs(answer - expected) / np.maximum(np.abs(expected), floor)
    largest = float(errors.max(initial=0))
    within = errors <= bound
    if within.all():
        return CheckResult(True, oracle, observed={"max_relative_error": largest})
    first = int(np.flatnonzero(~within)[0])
    difference = f"vertex {first} has {answer[first]:.17g} instead of {expected[first]:.17g}"
    differ = f"{np.count_nonzero(~within)} of {len(answer)} differ by more than {bound:g} of the score"
    return CheckResult(False, oracle, f"{difference}; {differ}")
