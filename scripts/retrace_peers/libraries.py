"""SciPy, igraph, NetworKit and the GAP Benchmark Suite: the graph object of each, and its distances."""

from typing import ClassVar

import numpy as np
import scipy  # its packages when they are used: half of the time of reading this library

from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.peer import Peer
from retrace_peers import GAPBS_COMMIT, gapbs
from retrace_peers.best_threads import ThreadedPeer


class SciPyPeer(Peer):
    """SciPy's Dijkstra with a Fibonacci heap; a graph without weights gets ones."""

    package = "scipy"
    implements = "scipy.sparse.csgraph.dijkstra"
    unweighted: ClassVar[bool] = False
    """Whether each arc counts 1."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph.to_scipy(None if graph.weights is None else graph.weights.astype(np.float64))

    def solve(self, query: Query) -> None:
        search = scipy.sparse.csgraph.dijkstra
        self.lengths = search(self.graph, indices=[query.source], unweighted=self.unweighted)[0]


class IgraphPeer(Peer):
    """Levels by igraph's breadth-first search, in C; a subclass may pass other options."""

    package = "igraph"
    implements = "igraph.Graph.distances"

    def setup(self, graph: CSRGraph) -> None:
        arcs = np.column_stack([graph.tails(), graph.indices])
        self.graph = self.load().Graph(graph.vertices, arcs, directed=True)
        self.weights = None if graph.weights is None else graph.weights.tolist()

    def solve(self, query: Query) -> None:
        self.lengths = self.graph.distances(source=query.source)[0]


class NetworKitPeer(Peer):
    """A call of NetworKit, in C++."""

    package = "networkit"
    installed_by = "make reproduce installs it, on aarch64 from Python 3.14 on"
    algorithm: ClassVar[str]
    """The class in `networkit.distance` that searches."""
    weighted: ClassVar[bool] = False
    """Whether the problem has weights."""

    def setup(self, graph: CSRGraph) -> None:
        use = self.weighted and graph.weights is not None
        weights = np.asarray(graph.weights, dtype=np.float64) if use else np.ones(graph.arcs)
        ends = graph.tails().astype(np.uint64), graph.indices.astype(np.uint64)  # narrower ids crash it
        coo, make = (weights, ends), self.load().graph.GraphFromCoo
        self.graph = make(coo, n=graph.vertices, weighted=use, directed=True)

    def solve(self, query: Query) -> None:
        search = getattr(self.load().distance, self.algorithm)(self.graph, query.source, storePaths=False)
        search.run()
        self.lengths = search.getDistances(asarray=True)


class GapbsPeer(ThreadedPeer):
    """A function of the GAP Benchmark Suite, in C++ with OpenMP on several cores.

    Its graph object is made in `setup`, of copies of our arrays. Its source is downloaded (`gapbs`).
    It is alone in its process: all its threads wait for each other after every level, and one that shares its
    core with another library's delays all.
    """

    apart = True
    bindings = (0, 1)
    search: gapbs.Search

    def use(self, threads: int, bound: int) -> None:
        self.search.call("use", threads, bound)

    @classmethod
    def unavailable(cls) -> str | None:
        return gapbs.why_missing()

    @classmethod
    def load(cls) -> None:
        """Compile and load it, which is not timed."""
        gapbs.loaded(cls.source)

    def forget(self) -> None:
        self.search.call("forget")

    @classmethod
    def library(cls) -> str:
        return f"GAPBS {GAPBS_COMMIT[:7]}"
