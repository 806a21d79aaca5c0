"""Single-source shortest paths with weights that are not negative: the distance of every vertex.

Dijkstra's algorithm settles the closest vertex next; solvers on a device relax the arcs of many vertices at
once. Those with one mask, of report tuwien-sssp, are in `mask_sssp`.
"""

import numpy as np

from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.solver import BulkSynchronous, HostSolver, fill_but_one, seconds_of


class LinearDijkstra(HostSolver):
    """Dijkstra's algorithm with a linear scan for the closest vertex, O(vertices^2).

    E. W. Dijkstra, "A note on two problems in connexion with graphs", Numer. Math. 1, 1959. Report bsp-suite,
    Algorithm 3.7, whose baseline it is. At 2^20 vertices it takes minutes, so its time is predicted first.
    """

    name = "sssp/dijkstra-linear"
    implements = "bsp-suite, Algorithm 3.7"
    settled_to_predict = (100, 1100)

    def settle(self, source: int, limit: int) -> int:
        """Settle up to `limit` vertices; return how many were settled."""
        return int(self.function(self.c_graph, source, limit, self.c_answer))

    def solve(self, query: Query) -> int:
        return self.settle(query.source, self.graph.vertices)

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate the difference between settling few and more vertices: each takes a scan of all."""
        fewer, more = self.settled_to_predict
        if self.settle(query.source, more) < more:
            return None
        difference = self.fastest(query.source, more) - self.fastest(query.source, fewer)
        return max(0.0, difference) / (more - fewer) * self.graph.vertices

    def fastest(self, source: int, limit: int) -> float:
        """Return the seconds of the fastest of three runs, since other work only makes a run slower."""
        return min(seconds_of(lambda: self.settle(source, limit)) for _ in range(3))


class HeapDijkstra(HostSolver):
    """A binary heap, which a vertex enters when its distance falls: O((vertices + arcs) log vertices)."""

    name = "sssp/dijkstra-heap"
    implements = "Dijkstra's algorithm with std::priority_queue: what anyone would write today"


class BspSSSP(BulkSynchronous):
    """Two bulk-synchronous kernels an iteration, with one thread for each vertex.

    The first relaxes the arcs of masked vertices by atomicMin into a second array of distances; the second
    takes over the distances that fell, and masks their vertices. Report bsp-suite, section 3.4.3.

    `upload` copies the graph and 9 bytes for the source; the arrays of vertices are filled on the device.
    `download` copies 4 bytes a vertex, the distances: the report's kernels find no predecessors.
    """

    name = "sssp/bsp"
    implements = "bsp-suite, section 3.4.3, second Algorithms 3.5 and 3.6"
    kernels = ("sssp_kernel1", "sssp_kernel2")
    bytes_per_vertex = 9

    def upload(self, query: Query) -> None:
        graph, device = self.graph, self.device
        arcs, mask = self.upload_arcs(graph), device.empty(graph.vertices, np.bool_)
        self.answer, updating = (device.empty(graph.vertices, np.int32) for _ in range(2))
        self.state = mask, self.answer, updating
        self.begin_again(query)
        vertices, more = np.int32(graph.vertices), device.empty(1, np.int32)
        of_first = vertices, *arcs, mask, self.answer, updating
        self.alternate(of_first, (vertices, mask, self.answer, updating), more)

    def begin_again(self, query: Query) -> None:
        mask, *distances = self.state
        fill_but_one(self.device, mask, False, query.source, True)
        for distance in distances:
            fill_but_one(self.device, distance, UNREACHABLE, query.source, 0)
