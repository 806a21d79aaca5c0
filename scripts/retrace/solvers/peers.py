"""Libraries that a user would otherwise call: SciPy, igraph and NetworKit.

Each makes its own graph object in `setup`, since whoever calls the library has one; the answers are converted
to ours in `download`.
"""

from __future__ import annotations

import time
from importlib import import_module
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.reductions import simplify
from retrace.solvers.brandes import count_pairs_once, sources_of
from retrace.solvers.registry import REGISTRY, Query, Solver
from retrace.system.errors import RetraceError


def to_answer(lengths: ArrayLike) -> Int32Array:
    """Turn path lengths in double precision into int32; whatever does not fit is no path."""
    double = np.atleast_1d(np.asarray(lengths, dtype=np.float64))
    return np.where(double < UNREACHABLE, double, UNREACHABLE).astype(np.int32)


class Peer(Solver):
    """A call of a library.

    Attributes
    ----------
    package
        The library's distribution name.
    """

    package: ClassVar[str]

    @property
    def module(self) -> Any:
        """The library, imported by the first setup, which no trial times: it may take a second."""
        return import_module(self.package)

    @classmethod
    def library(cls) -> str:
        """Name and version of the library."""
        return f"{cls.package} {version(cls.package)}"

    def download(self) -> NDArray[Any]:
        """Convert the answer."""
        return to_answer(self.lengths)

    lengths: Any


class SciPyPeer(Peer):
    """A call of `scipy.sparse.csgraph`."""

    package = "scipy"

    def setup(self, graph: CSRGraph) -> None:
        """Make SciPy's sparse array; a search that ignores weights gets ones."""
        weights = np.ones(graph.arcs) if graph.weights is None else graph.weights.astype(np.float64)
        shape = (graph.vertices, graph.vertices)
        self.graph = scipy.sparse.csr_array((weights, graph.indices, graph.indptr), shape=shape)


@REGISTRY.add
class SciPyBFS(SciPyPeer):
    """Levels by SciPy's Dijkstra without weights: its breadth-first search gives no levels."""

    name = "bfs/scipy"
    implements = "scipy.sparse.csgraph.dijkstra(unweighted=True)"

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.lengths = scipy.sparse.csgraph.dijkstra(self.graph, indices=[query.source], unweighted=True)[0]


@REGISTRY.add
class SciPySSSP(SciPyPeer):
    """Distances by SciPy's Dijkstra."""

    name = "sssp/scipy"
    implements = "scipy.sparse.csgraph.dijkstra"

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.lengths = scipy.sparse.csgraph.dijkstra(self.graph, indices=[query.source])[0]


class IgraphPeer(Peer):
    """A call of igraph."""

    package = "igraph"

    def setup(self, graph: CSRGraph) -> None:
        """Make igraph's own graph."""
        arcs = np.column_stack([graph.tails(), graph.indices])
        self.graph = self.module.Graph(graph.vertices, arcs, directed=True)
        self.weights = None if graph.weights is None else graph.weights.tolist()


@REGISTRY.add
class IgraphBFS(IgraphPeer):
    """Levels by igraph."""

    name = "bfs/igraph"
    implements = "igraph.Graph.distances"

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.lengths = self.graph.distances(source=query.source)[0]


@REGISTRY.add
class IgraphSTCON(IgraphPeer):
    """Number of arcs between two vertices by igraph."""

    name = "stcon/igraph"
    implements = "igraph.Graph.distances(source, target)"

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.lengths = self.graph.distances(source=query.source, target=query.target)[0]


@REGISTRY.add
class IgraphSSSP(IgraphPeer):
    """Distances by igraph."""

    name = "sssp/igraph"
    implements = 'igraph.Graph.distances(weights=..., algorithm="dijkstra")'

    def solve(self, query: Query) -> None:
        """Run the search."""
        self.lengths = self.graph.distances(query.source, weights=self.weights, algorithm="dijkstra")[0]


class NetworKitPeer(Peer):
    """A call of NetworKit."""

    package = "networkit"
    weighted: ClassVar[bool] = False

    def setup(self, graph: CSRGraph) -> None:
        """Make NetworKit's own graph, with weights only where the problem has them."""
        use = self.weighted and graph.weights is not None
        weights = np.asarray(graph.weights, dtype=np.float64) if use else np.ones(graph.arcs)
        ends = graph.tails().astype(np.uint64), graph.indices.astype(np.uint64)  # narrower ones crash it
        self.graph = self.module.graph.GraphFromCoo(
            (weights, ends), n=graph.vertices, weighted=use, directed=True
        )


@REGISTRY.add
class NetworKitBFS(NetworKitPeer):
    """Levels by NetworKit."""

    name = "bfs/networkit"
    implements = "networkit.distance.BFS"

    def solve(self, query: Query) -> None:
        """Run the search."""
        search = self.module.distance.BFS(self.graph, query.source, storePaths=False)
        search.run()
        self.lengths = search.getDistances(asarray=True)


@REGISTRY.add
class NetworKitSTCON(NetworKitPeer):
    """Number of arcs between two vertices by NetworKit's search from both ends."""

    name = "stcon/networkit"
    implements = "networkit.distance.BidirectionalBFS"

    def solve(self, query: Query) -> None:
        """Run the search."""
        search = self.module.distance.BidirectionalBFS(
            self.graph, query.source, query.target, storePred=False
        )
        search.run()
        self.lengths = search.getDistance()


@REGISTRY.add
class NetworKitSSSP(NetworKitPeer):
    """Distances by NetworKit's Dijkstra."""

    name = "sssp/networkit"
    implements = "networkit.distance.Dijkstra"
    weighted = True

    def solve(self, query: Query) -> None:
        """Run the search."""
        search = self.module.distance.Dijkstra(self.graph, query.source, storePaths=False)
        search.run()
        self.lengths = search.getDistances(asarray=True)


@REGISTRY.add
class IgraphBetweenness(IgraphPeer):
    """Betweenness by igraph, on one core."""

    name = "betweenness/igraph"
    implements = "igraph.Graph.betweenness"
    SAMPLE = 8

    def setup(self, graph: CSRGraph) -> None:
        """Make igraph's own graph, of the simple one: to igraph parallel arcs are so many paths."""
        self.simple = simplify(graph)
        super().setup(self.simple)

    def solve(self, query: Query) -> None:
        """Run Brandes' algorithm; igraph's path counts are doubles, which it lets overflow."""
        sources = None if query.sources is None else list(query.sources)
        self.scores = np.array(self.graph.betweenness(sources=sources), dtype=np.float64)
        unsound = np.flatnonzero(~np.isfinite(self.scores))
        if len(unsound):
            raise RetraceError(
                f"{self.name}: the score of vertex {unsound[0]} (ids from 0) is not a number, since igraph's "
                "path counts overflow; use betweenness/seq-scaled"
            )

    def download(self) -> NDArray[np.float64]:
        """Hand out the scores."""
        return count_pairs_once(self.scores, self.simple)

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate the time of a few sources."""
        sources = sources_of(query, self.simple)
        if len(sources) <= self.SAMPLE:
            return None
        few = sources[:: len(sources) // self.SAMPLE].tolist()
        started = time.perf_counter()
        self.graph.betweenness(sources=few)
        return (time.perf_counter() - started) / len(few) * len(sources)


@REGISTRY.add
class NetworKitBetweenness(NetworKitPeer):
    """Betweenness by NetworKit, on all cores; its path counts never overflow."""

    name = "betweenness/networkit"
    implements = "networkit.centrality.Betweenness"
    SAMPLE_A_THREAD = 4

    def setup(self, graph: CSRGraph) -> None:
        """Make NetworKit's own graph, of the simple one."""
        self.simple = simplify(graph)
        super().setup(self.simple)

    def declines(self, query: Query) -> str | None:
        """Refuse chosen sources: NetworKit's estimate draws its own."""
        return None if query.sources is None else "NetworKit takes all vertices as sources, or draws its own"

    def solve(self, query: Query) -> None:
        """Run Brandes' algorithm."""
        if (why_not := self.declines(query)) is not None:
            raise RetraceError(f"{self.name}: {why_not}; use betweenness/igraph")
        centrality = self.module.centrality.Betweenness(self.graph)
        centrality.run()
        self.scores = np.array(centrality.scores(), dtype=np.float64)

    def download(self) -> NDArray[np.float64]:
        """Hand out the scores."""
        return count_pairs_once(self.scores, self.simple)

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate the time of NetworKit's estimate from a few sources."""
        few: int = self.SAMPLE_A_THREAD * self.module.getMaxNumberOfThreads()
        if self.simple.vertices <= few:
            return None
        started = time.perf_counter()
        self.module.centrality.EstimateBetweenness(self.graph, few, parallel=True).run()
        return (time.perf_counter() - started) / few * self.simple.vertices
