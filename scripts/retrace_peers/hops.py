"""Breadth-first search by libraries."""

from ctypes import byref
from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import PREDECESSORS, Setting, Settings
from retrace.devices.host import c_graph, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace_peers import gapbs
from retrace_peers.cugraph import CugraphPeer
from retrace_peers.libraries import GapbsPeer, IgraphPeer, NetworKitPeer, SciPyPeer


class SciPyBFS(SciPyPeer):
    """SciPy's Dijkstra without weights, since its breadth-first search returns no levels."""

    name = "bfs/scipy"
    implements = "scipy.sparse.csgraph.dijkstra(unweighted=True)"
    unweighted = True


class IgraphBFS(IgraphPeer):
    """igraph's breadth-first search, in C."""

    name = "bfs/igraph"


class NetworKitBFS(NetworKitPeer):
    """NetworKit's breadth-first search, in C++."""

    name = "bfs/networkit"
    implements = "networkit.distance.BFS"
    algorithm = "BFS"


class GapbsBFS(GapbsPeer):
    """The breadth-first search of the GAP Benchmark Suite, which goes backwards where the frontier is large.

    `solve` finds parents, as GAPBS does; `download` finds the levels that they imply, in one parallel pass.
    """

    name = "bfs/gapbs"
    implements = "GAPBS, DOBFS of bfs.cc"
    source = "bfs.cpp"
    wide = True

    def setup(self, graph: CSRGraph) -> None:
        self.vertices, back = graph.vertices, graph.reversed()
        entering = None if back is graph else byref(c_graph(back, wide=True))
        self.search = gapbs.Search(self.source, c_graph(graph, wide=True), entering, wide=graph.is_wide)
        self.begin_with_given()

    def solve(self, query: Query) -> None:
        self.source_vertex = query.source
        self.search.call("solve", query.source)

    def sample(self, query: Query) -> None:
        self.solve(query)

    def download(self) -> Int32Array:
        return self.of_each_vertex("levels")

    def predecessors(self) -> Int32Array:
        return self.of_each_vertex("predecessors")

    def of_each_vertex(self, function: str) -> Int32Array:
        """Return what a function of the file writes of each vertex."""
        answer = np.empty(self.vertices, dtype=np.int32)
        self.search.call(function, self.source_vertex, pointer(answer))
        return answer


class CugraphBFS(CugraphPeer):
    """cuGraph's breadth-first search, which goes backwards, if it may, where the frontier is large."""

    name = "bfs/cugraph"
    implements = "pylibcugraph.bfs"
    settings: ClassVar[Settings] = {
        "direction_optimizing": Setting(
            "no", "whether cuGraph may find levels from below, in an undirected graph", choices=("no", "yes")
        ),
        **PREDECESSORS,
    }

    def upload(self, query: Query) -> None:
        self.source_vertex = self.cupy.asarray(np.array([query.source], dtype=np.int32))

    def begin_again(self, query: Query) -> None:
        self.upload(query)

    def solve(self, query: Query) -> None:
        backwards = self.is_undirected and self.parameters["direction_optimizing"] == "yes"
        sources = self.source_vertex.copy()  # which some versions renumber in place
        without_limit = 0
        self.found = self.pylibcugraph.bfs(
            self.handle, self.graph, sources, backwards, without_limit, self.finds_predecessors, False
        )
        self.synchronize()

    def download(self) -> Int32Array:
        levels, before, vertices = self.found
        if self.finds_predecessors:
            self.predecessor = self.of_vertices(vertices, before)
        return self.of_vertices(vertices, levels)
