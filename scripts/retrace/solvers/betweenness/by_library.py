"""Betweenness by igraph and NetworKit, on the simple graph."""

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.conventions import count_pairs_once, extrapolate
from retrace.solvers.libraries import IgraphPeer, NetworKitPeer, Peer
from retrace.solvers.registry import REGISTRY
from retrace.solvers.solver import seconds_of
from retrace.system.errors import RetraceError


class BetweennessPeer(Peer):
    """A library's scores of the simple graph: the library would count parallel arcs as different paths."""

    scores: NDArray[np.float64]

    def setup(self, graph: CSRGraph) -> None:
        self.simple = simplify(graph)
        super().setup(self.simple)  # type: ignore[safe-super]

    def download(self) -> NDArray[np.float64]:
        return count_pairs_once(self.scores, self.simple)


@REGISTRY.add
class IgraphBetweenness(BetweennessPeer, IgraphPeer):
    """igraph's, in C on one core; its path counts are doubles, and scores that overflow are refused."""

    name = "betweenness/igraph"
    implements = "igraph.Graph.betweenness"

    def solve(self, query: Query) -> None:
        sources = None if query.sources is None else list(query.sources)
        self.scores = np.array(self.graph.betweenness(sources=sources), dtype=np.float64)
        unsound = np.flatnonzero(~np.isfinite(self.scores))
        if len(unsound):
            which = f"{self.name}: the score of vertex {unsound[0]} (ids from 0) is not a number"
            raise RetraceError(f"{which}, since igraph's path counts overflow; use betweenness/seq-scaled")

    def predict_seconds(self, query: Query) -> float | None:
        sources = query.sources_in(self.simple)
        return extrapolate(lambda few: self.graph.betweenness(sources=few.tolist()), sources)


@REGISTRY.add
class NetworKitBetweenness(BetweennessPeer, NetworKitPeer):
    """NetworKit's, in C++ on all cores, of all sources; its path counts are big and never overflow."""

    name = "betweenness/networkit"
    implements = "networkit.centrality.Betweenness"
    SAMPLE_PER_THREAD = 4

    def declines(self, query: Query) -> str | None:
        return None if query.sources is None else "NetworKit takes all vertices as sources, or draws its own"

    def solve(self, query: Query) -> None:
        if (why_not := self.declines(query)) is not None:
            raise RetraceError(f"{self.name}: {why_not}; use betweenness/igraph")
        centrality = self.load().centrality.Betweenness(self.graph)
        centrality.run()
        self.scores = np.array(centrality.scores(), dtype=np.float64)

    def predict_seconds(self, query: Query) -> float | None:
        few: int = self.SAMPLE_PER_THREAD * self.load().getMaxNumberOfThreads()
        if self.simple.vertices <= few:
            return None
        estimate = self.load().centrality.EstimateBetweenness
        seconds = seconds_of(lambda: estimate(self.graph, few, parallel=True).run())
        return seconds / few * self.simple.vertices
