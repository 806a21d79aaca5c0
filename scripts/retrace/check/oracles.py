"""Levels and distances to check against: SciPy's, or a proof of the answer itself.

Nothing here is shared with the solvers but the graph and its representations in memory.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, dijkstra

from retrace.check import certificates
from retrace.check.certificates import CERTIFICATE, certify, certify_complete, certify_path, certify_tree
from retrace.check.graph500 import GRAPH500, RULES, TreeRules
from retrace.check.result import CheckResult, compare, digest
from retrace.devices.matrices import host_matrix, rows_of
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import Graph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.system.errors import RetraceError
from retrace.system.project import build_folder
from retrace.system.sealed import read_sealed, write_sealed

DIJKSTRA = "scipy.sparse.csgraph.dijkstra"
BELLMAN_FORD = "scipy.sparse.csgraph.bellman_ford"

MOST_WORK = 10**8
"""Vertices times arcs up to which SciPy's Bellman-Ford is asked, whose time is proportional to that."""

SMALL = 512
"""Vertices of the largest complete graph that SciPy's Dijkstra checks."""

WORTH_KEEPING = 10**6
"""Arcs from which on SciPy's answers are stored beside the builds: 0.1 s of work, up to half a minute."""

ANSWER = "stored answer of an oracle"

Proof = Callable[[], str | None]


class Oracle:
    """Checks levels and distances on one graph; each expected answer is computed once, each proof given once.

    An answer is compared with SciPy's. A proof takes its place for SciPy's own answers, for large complete
    graphs, for graphs of 64-bit offsets, and where SciPy's Bellman-Ford would take too long. Where questions
    are drawn from a graph, every answer is proved; the first one's must be SciPy's, too. Pairs of vertices
    have their answers from SciPy's levels, which are proved once for each source.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        small = isinstance(graph, CSRGraph) or graph.vertices <= SMALL
        self._rows = rows_of(graph) if small else None
        self._expected = lru_cache(maxsize=8)(self._search)
        self._certified = set[int]()
        self._proofs: dict[tuple[str, int, str], str | None] = {}
        weights = None if self._rows is None else self._rows.weights
        self._negative = weights is not None and bool((weights < 0).any())

    def expected(self, problem: str, query: Query) -> Int32Array | None:
        """Return the answer, or None if there is a negative cycle; raise RetraceError beyond 32 bits."""
        answer = self._expected(query.source, "bfs" if problem == "stcon" else problem)
        if problem == "stcon" and answer is not None:
            assert query.target is not None
            return answer[query.target : query.target + 1]
        return answer

    def check(
        self, solver: str, query: Query, answer: Int32Array, predecessor: Int32Array | None = None
    ) -> CheckResult:
        """Check the answer of a solver, after whose name settings may follow, and its predecessors if any."""
        problem, variant = solver.partition(":")[0].split("/")
        result = self._check_answer(problem, variant, query, answer)
        if result.verified and predecessor is not None:
            # The answer is right, so equal predecessors of another solver are a tree of the same distances.
            assert isinstance(self.graph, CSRGraph)
            if problem in ("bfs", "sssp") and self._rules:
                by_rules = self._keeps_rules(self._rules, problem, query, answer, predecessor)
                return replace(by_rules, oracle=f"{result.oracle} and {GRAPH500}")
            weighted = self.graph if problem == "sssp" else replace(self.graph, weights=None)
            claim, prove = "tree", partial(certify_tree, weighted, query.source, answer, predecessor)
            if problem == "stcon":
                levels = self._expected(query.source, "bfs")
                assert levels is not None
                assert query.target is not None
                ends = query.source, query.target
                claim, prove = "path", partial(certify_path, weighted, *ends, levels, predecessor)
            oracle = f"{result.oracle} and {CERTIFICATE} of the {claim}"
            claim = f"{problem} {claim} {query.target}"
            result = self._proved(claim, query.source, predecessor, prove, oracle)
        return result

    def _keeps_rules(
        self, rules: TreeRules, problem: str, query: Query, answer: Int32Array, predecessor: Int32Array
    ) -> CheckResult:
        """Validate a tree; of right distances, the five rules are a proof that it has shortest paths."""

        def prove() -> str | None:
            broken = rules.broken(query.source, answer, predecessor, weighted=problem == "sssp")
            return broken and f"rule {broken[0]} of Graph500, {RULES[broken[0]]}: {broken[1]}"

        return self._proved(f"{problem} rules", query.source, predecessor, prove)

    def _check_answer(self, problem: str, variant: str, query: Query, answer: Int32Array) -> CheckResult:
        rows, source = self._rows, query.source
        if rows is None:
            matrix = host_matrix(self.graph)[:, : self.graph.vertices]
            return self._proved(problem, source, answer, lambda: certify_complete(matrix, source, answer))
        signed = problem == "bellman-ford" and self._negative
        if query.number is not None:
            return self._check_drawn(problem, query, answer)
        if variant.startswith("scipy") or rows.is_wide or (signed and rows.vertices * rows.arcs > MOST_WORK):
            weights = rows.weights if problem in ("sssp", "bellman-ford") else None
            return self._proved(problem, source, answer, lambda: certify(rows, weights, source, answer))
        oracle = BELLMAN_FORD if signed else DIJKSTRA
        expected = self.expected(problem, query)
        if expected is None:
            reason = f"there are distances, but vertex {source} reaches a negative cycle"
            return CheckResult(False, oracle, reason)
        return compare(expected, answer, oracle)

    def _check_drawn(self, problem: str, query: Query, answer: Int32Array) -> CheckResult:
        """Check one of many answers, where SciPy would take longer than the solvers."""
        rows, source = self._rows, query.source
        assert rows is not None
        if problem == "stcon":
            levels = self._expected(source, "bfs")
            assert levels is not None
            assert query.target is not None
            if source not in self._certified and (fault := certify(rows, None, source, levels)):
                raise RetraceError(f"{DIJKSTRA}: {fault}; expected the levels of source {source}")
            self._certified.add(source)
            return compare(levels[query.target : query.target + 1], answer, f"{DIJKSTRA}, {CERTIFICATE}")
        prove = partial(certify, rows, rows.weights if problem == "sssp" else None, source, answer)
        result = self._proved(problem, source, answer, prove)
        if result.verified and query.number == 0 and not rows.is_wide:
            expected = self.expected(problem, query)
            assert expected is not None
            result = replace(compare(expected, answer, DIJKSTRA), oracle=CERTIFICATE)
        return result

    def _proved(
        self, claim: str, source: int, array: Int32Array, prove: Proof, oracle: str = CERTIFICATE
    ) -> CheckResult:
        """Prove a claim about an array, unless the same was proved before."""
        key = claim, source, f"{array.dtype} {array.shape} {digest(array)}"
        if key not in self._proofs:
            self._proofs[key] = prove()
        return CheckResult(self._proofs[key] is None, oracle, self._proofs[key])

    def _search(self, source: int, problem: str) -> Int32Array | None:
        """Search with SciPy, or read what an earlier run has found."""
        rows = self._rows
        assert rows is not None
        path = self.file_of(source, problem)
        if path is None:
            return self._by_scipy(source, problem)
        identity = self.identity_of(source, problem)
        if path.exists():
            lengths: Int32Array = read_sealed(path, identity, ANSWER)["answer"]
            lengths.flags.writeable = False
            return lengths
        answer = self._by_scipy(source, problem)
        if answer is not None:
            write_sealed(path, identity, {"answer": answer})
        return answer

    def file_of(self, source: int, problem: str) -> Path | None:
        """Return the file of SciPy's answer, or None if it is not stored."""
        if not isinstance(self.graph, CSRGraph) or self.graph.is_wide or self.graph.arcs < WORTH_KEEPING:
            return None
        decides = json.dumps(self.identity_of(source, problem)).encode()
        return build_folder() / "oracles" / f"distances-{hashlib.sha256(decides).hexdigest()[:16]}.npz"

    def identity_of(self, source: int, problem: str) -> dict[str, Any]:
        """Return all that determines SciPy's answer."""
        signed = problem == "bellman-ford" and self._negative
        return {
            "search": BELLMAN_FORD if signed else DIJKSTRA,
            "SciPy": scipy.__version__,
            "graph": self._arrays,
            "lengths": "hops" if problem in ("bfs", "stcon") else "weights",
            "source": source,
        }

    @cached_property
    def _rules(self) -> TreeRules | None:
        """Graph500's, of the trees of a graph whose searches the benchmark has picked."""
        if not (isinstance(self.graph, CSRGraph) and "picked" in self.graph.info):
            return None
        return TreeRules(self.graph)

    @cached_property
    def _arrays(self) -> str:
        assert isinstance(self.graph, CSRGraph)
        return self.graph.info.get("sha256") or self.graph.digest()

    def _by_scipy(self, source: int, problem: str) -> Int32Array | None:
        rows = self._rows
        assert rows is not None
        weights = None if problem == "bfs" else rows.weights
        values = np.ones(rows.arcs) if weights is None else weights.astype(np.float64)
        matrix = csr_array((values, rows.indices, rows.indptr), shape=(rows.vertices, rows.vertices))
        signed = problem == "bellman-ford" and self._negative
        search: Callable[..., NDArray[np.float64]] = bellman_ford if signed else dijkstra
        try:
            lengths = search(matrix, indices=[source])[0]
        except NegativeCycleError:
            return None
        finite = np.isfinite(lengths)
        certificates.require_32_bits(rows.name, source, lengths[finite].min(), lengths[finite].max())
        answer = np.where(finite, lengths, UNREACHABLE).astype(np.int32)
        answer.flags.writeable = False
        return answer


def search_bytes(graph: CSRGraph) -> int:
    """Predict the memory of the oracle's search in bytes: weights in double precision, and SciPy's heap.

    A proof, which a graph of 64-bit offsets has instead, takes less for each vertex, and nothing for arcs.
    """
    return 100 * graph.vertices + (0 if graph.is_wide else 8 * graph.arcs)
