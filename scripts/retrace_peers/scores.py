"""Betweenness by libraries, on the simple graph."""

from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import scipy  # its packages when they are used: half of the time of reading this library
from numpy.typing import NDArray

from retrace.catalogue.setting import CORES, Setting, Settings
from retrace.check.graph500 import components
from retrace.devices.host import c_graph, pointer
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import PRECISIONS
from retrace.solvers.betweenness.conventions import count_pairs_once, extrapolate
from retrace.solvers.peer import Peer
from retrace.solvers.solver import seconds_of
from retrace.system.errors import RetraceError
from retrace_peers import gapbs
from retrace_peers.best_threads import ThreadedPeer
from retrace_peers.cugraph import CugraphPeer
from retrace_peers.libraries import GapbsPeer, IgraphPeer, NetworKitPeer


class BetweennessPeer(Peer):
    """A library's scores of the simple graph: the library would count parallel arcs as different paths."""

    scores: NDArray[np.float64]

    def setup(self, graph: CSRGraph) -> None:
        self.simple = simplify(graph)
        super().setup(self.simple)  # type: ignore[safe-super]

    def download(self) -> NDArray[np.float64]:
        return count_pairs_once(self.scores, self.simple)


class IgraphBetweenness(BetweennessPeer, IgraphPeer):
    """igraph's, in C on one core; its path counts are doubles, and scores that overflow are refused."""

    name = "betweenness/igraph"
    implements = "igraph.Graph.betweenness"

    def solve(self, query: Query) -> None:
        sources = None if query.sources is None else list(query.sources)
        self.scores = np.array(self.graph.betweenness(sources=sources), dtype=np.float64)
        unsound = np.flatnonzero(~np.isfinite(self.scores))
        if len(unsound):
            raise overflowed(self.name, int(unsound[0]))

    def predict_seconds(self, query: Query) -> float | None:
        sources = query.sources_in(self.simple)
        return extrapolate(lambda few: self.graph.betweenness(sources=few.tolist()), sources)


class NetworKitBetweenness(BetweennessPeer, ThreadedPeer, NetworKitPeer):
    """NetworKit's, in C++ on several cores, of all sources; its path counts are big and never overflow."""

    name = "betweenness/networkit"
    implements = "networkit.centrality.Betweenness"
    SAMPLE_PER_CORE = 4

    def declines(self, query: Query) -> str | None:
        return None if query.sources is None else "NetworKit takes all vertices as sources, or draws its own"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.begin_with_given()

    def use(self, threads: int, bound: int) -> None:
        self.load().setNumberOfThreads(threads)

    def sample(self, query: Query) -> None:
        self.search_from(self.SAMPLE_PER_CORE * CORES)

    def search_from(self, few: int) -> None:
        """Search from so many sources that NetworKit draws."""
        self.load().centrality.EstimateBetweenness(self.graph, few, parallel=True).run()

    def solve(self, query: Query) -> None:
        if (why_not := self.declines(query)) is not None:
            raise RetraceError(f"{self.name}: {why_not}; use betweenness/igraph")
        centrality = self.load().centrality.Betweenness(self.graph)
        centrality.run()
        self.scores = np.array(centrality.scores(), dtype=np.float64)

    def predict_seconds(self, query: Query) -> float | None:
        few = self.SAMPLE_PER_CORE * CORES
        if self.simple.vertices <= few:
            return None
        return seconds_of(lambda: self.search_from(few)) / few * self.simple.vertices


class GapbsBetweenness(GapbsPeer):
    """That of the GAP Benchmark Suite: one source after the other, each on several cores.

    GAPBS divides the scores by the largest and adds to a source's the number of vertices that it reaches;
    `download` undoes both. It counts paths in doubles; scores that overflow are refused.
    """

    name = "betweenness/gapbs"
    implements = "GAPBS, Brandes of bc.cc"
    source = "betweenness.cpp"

    def setup(self, graph: CSRGraph) -> None:
        self.simple = simplify(graph)
        self.search = gapbs.Search(self.source, c_graph(self.simple))
        self.begin_with_given()
        self.component = components(self.simple) if graph.info.get("directed") is False else None

    def upload(self, query: Query) -> None:
        self.chosen = query.sources_in(self.simple)

    def begin_again(self, query: Query) -> None:
        self.upload(query)

    def solve(self, query: Query) -> int:
        self.search_from(self.chosen)
        return len(self.chosen)

    def search_from(self, sources: Int32Array) -> None:
        """Add up the dependencies of some sources, and of the vertex whose score tells GAPBS's divisor."""
        given = np.append(sources, np.int32(self.simple.vertices))
        self.search.call("solve", pointer(given), len(given))

    def sample(self, query: Query) -> None:
        self.search_from(query.sources_in(self.simple)[:1])

    def download(self) -> NDArray[np.float64]:
        scores = np.empty(self.simple.vertices)
        self.search.call("scores", pointer(scores))
        unsound = np.flatnonzero(~np.isfinite(scores))
        if len(unsound):
            raise overflowed(self.name, int(unsound[0]))
        scores[self.chosen] -= self.reached()
        return count_pairs_once(scores, self.simple)

    def reached(self) -> NDArray[np.int64]:
        """Return how many other vertices each source reaches."""
        if self.component is not None:
            return np.bincount(self.component)[self.component[self.chosen]] - 1
        search = partial(scipy.sparse.csgraph.breadth_first_order, self.matrix, return_predecessors=False)
        return np.array([len(search(int(source))) for source in self.chosen]) - 1

    @cached_property
    def matrix(self) -> scipy.sparse.csr_array:
        """The graph, for the vertices that a source of a directed one reaches."""
        return self.simple.to_scipy()

    def predict_seconds(self, query: Query) -> float | None:
        return extrapolate(self.search_from, query.sources_in(self.simple))


class CugraphBetweenness(BetweennessPeer, CugraphPeer):
    """cuGraph's, of many sources at a time, in single precision; a score that overflows is refused.

    It scales the sums over a sample up to all sources, as NetworkX has since 3.5: those of a source by the
    number of the other sources, since its own paths do not count. `download` undoes that.
    """

    name = "betweenness/cugraph"
    implements = "pylibcugraph.betweenness_centrality"
    has_parallel_arcs = False
    FEW_SOURCES = 256
    settings: ClassVar[Settings] = {
        "precision": Setting(
            "float", "betweenness: type of path counts and scores", choices=tuple(PRECISIONS)
        )
    }

    def declines(self, query: Query) -> str | None:
        return None if self.parameters["precision"] == "float" else "cuGraph's scores are in single precision"

    def upload(self, query: Query) -> None:
        self.chosen = query.sources_in(self.simple)
        self.sources = self.cupy.asarray(self.chosen)

    def begin_again(self, query: Query) -> None:
        self.upload(query)

    def solve(self, query: Query) -> int:
        self.search_from(self.sources)
        return len(self.chosen)

    def search_from(self, sources: Any) -> None:
        """Find the scores of the paths from some sources, whose ids are on the device."""
        renumbered = sources.copy()  # by some versions in place
        options = {"random_state": None, "normalized": False, "include_endpoints": False}
        self.found = self.pylibcugraph.betweenness_centrality(
            self.handle, self.graph, renumbered, do_expensive_check=False, **options
        )
        self.synchronize()

    def download(self) -> NDArray[np.float64]:
        scores = self.of_vertices(*self.found).astype(np.float64)
        return sums_of_sample(scores, self.chosen, self.name)

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate from some hundreds of sources, since many at a time take less than one by one."""
        sources = query.sources_in(self.simple)
        if len(sources) <= self.FEW_SOURCES:
            return None
        some = self.cupy.asarray(sources[:: len(sources) // self.FEW_SOURCES][: self.FEW_SOURCES].copy())
        self.search_from(some)  # loads code
        return seconds_of(lambda: self.search_from(some)) / self.FEW_SOURCES * len(sources)


def sums_of_sample(scores: NDArray[np.float64], sources: Int32Array, solver: str) -> NDArray[np.float64]:
    """Return the sums over some sources, shape (vertices,), of scores that are scaled up to all."""
    vertices, count = len(scores), len(sources)
    weight = np.full(vertices, float(count))
    if count != vertices - 1:  # for which cuGraph makes no difference
        weight[sources] = count - 1
    scores = np.where(weight > 0, scores, 0.0)  # of the only source, cuGraph has 0 / 0
    sums: NDArray[np.float64] = scores * (weight / max(1, vertices - 1))
    unsound = np.flatnonzero(~np.isfinite(sums))
    if len(unsound):
        raise overflowed(solver, int(unsound[0]))
    return sums


def overflowed(solver: str, vertex: int) -> RetraceError:
    """Return the error for a score that is no number."""
    told = f"{solver}: the score of vertex {vertex} (ids from 0) is not a number"
    return RetraceError(f"{told}, since its path counts overflow; use betweenness/seq-scaled")
