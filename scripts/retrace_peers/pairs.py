"""The length of a path between two vertices, by libraries; SciPy has no such search."""

from retrace.graphs.query import Query
from retrace_peers.libraries import IgraphPeer, NetworKitPeer


class IgraphSTCON(IgraphPeer):
    """The length by igraph, which searches from the source alone."""

    name = "stcon/igraph"
    implements = "igraph.Graph.distances(source, target)"

    def solve(self, query: Query) -> None:
        self.lengths = self.graph.distances(source=query.source, target=query.target)[0]


class NetworKitSTCON(NetworKitPeer):
    """The length by NetworKit's bidirectional breadth-first search."""

    name = "stcon/networkit"
    implements = "networkit.distance.BidirectionalBFS"

    def solve(self, query: Query) -> None:
        ends = query.source, query.target
        search = self.load().distance.BidirectionalBFS(self.graph, *ends, storePred=False)
        search.run()
        self.lengths = search.getDistance()
