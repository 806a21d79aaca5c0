"""Single-source shortest paths by libraries."""

from collections.abc import Mapping
from itertools import count, takewhile
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import TooLargeError
from retrace.catalogue.setting import DELTA, Setting, Settings
from retrace.devices.host import c_graph, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.solver import seconds_of
from retrace_peers import gapbs
from retrace_peers.cugraph import CugraphPeer
from retrace_peers.libraries import GapbsPeer, IgraphPeer, NetworKitPeer, SciPyPeer


class SciPySSSP(SciPyPeer):
    """SciPy's Dijkstra with a Fibonacci heap, O(arcs + vertices log vertices)."""

    name = "sssp/scipy"


class IgraphSSSP(IgraphPeer):
    """Distances by igraph's Dijkstra with a binary heap, in C."""

    name = "sssp/igraph"
    implements = 'igraph.Graph.distances(weights=..., algorithm="dijkstra")'

    def solve(self, query: Query) -> None:
        self.lengths = self.graph.distances(query.source, weights=self.weights, algorithm="dijkstra")[0]


class NetworKitSSSP(NetworKitPeer):
    """Distances by NetworKit's Dijkstra, in C++."""

    name = "sssp/networkit"
    implements = "networkit.distance.Dijkstra"
    algorithm = "Dijkstra"
    weighted = True


class GapbsSSSP(GapbsPeer):
    """Delta-stepping of the GAP Benchmark Suite: buckets of a width, delta, are settled in turn, on cores.

    `tune` tries widths and keeps the fastest, unless one is given; what a record observes has it as `delta`.
    Without it, the width is the power of 2 above the mean weight.
    Weights and distances from 2^30 - 1 on, which is GAPBS's infinity, are too large.
    """

    name = "sssp/gapbs"
    implements = "GAPBS, DeltaStep of sssp.cc"
    source = "sssp.cpp"
    wide = True
    settings: ClassVar[Settings] = {**GapbsPeer.settings, **DELTA}
    INFINITY = 2**30 - 1
    SHORT_S = 0.05
    """Seconds of a search below which the fastest of three counts for a width."""

    def setup(self, graph: CSRGraph) -> None:
        assert graph.weights is not None
        if (heaviest := int(graph.weights.max(initial=0))) >= self.INFINITY:
            raise TooLargeError(f"{self.name}: expected weights below {self.INFINITY}, found {heaviest}")
        self.vertices = graph.vertices
        self.search = gapbs.Search(self.source, c_graph(graph, wide=True), wide=graph.is_wide)
        self.busiest = int(np.argmax(graph.degrees())) if graph.vertices else 0
        mean = 1 << int(graph.weights.mean()).bit_length() if graph.arcs else 1
        self.delta = self.number("delta") or mean
        self.begin_with_given()

    def tune(self, query: Query, chosen: Mapping[str, float]) -> None:
        if "delta" in chosen:
            self.delta = int(chosen["delta"])
        elif not self.number("delta"):
            self.delta = self.fastest_delta(self.busiest, self.delta)
        super().tune(query, chosen)

    def fastest_delta(self, source: int, first: int) -> int:
        """Return the fastest power of 2: above the first until one is slower, then below it."""

        def seconds(delta: int) -> float:
            times = [seconds_of(lambda: self.search_from(source, delta))]
            while times[0] < self.SHORT_S and len(times) < 3:
                times.append(seconds_of(lambda: self.search_from(source, delta)))
            return min(times)

        self.search_from(source, first)  # threads begin
        best, least = first, seconds(first)
        for widths in ((first << k for k in count(1)), (first >> k for k in count(1))):
            for delta in takewhile(lambda width: 0 < width <= 2**30, widths):
                if (taken := seconds(delta)) > least:
                    break
                best, least = delta, taken
        return best

    def search_from(self, source: int, delta: int) -> None:
        self.search.call("solve", source, delta)

    def solve(self, query: Query) -> None:
        self.search_from(query.source, self.delta)

    def sample(self, query: Query) -> None:
        self.solve(query)

    def download(self) -> Int32Array:
        answer = np.empty(self.vertices, dtype=np.int32)
        if (too_far := self.search.call("distances", pointer(answer))) >= 0:
            limit = f"the distance of vertex {too_far} (ids from 0) is {self.INFINITY} or more"
            raise TooLargeError(f"{self.name}: {limit}, GAPBS's infinity; use sssp/dijkstra-heap")
        return answer

    def observed(self) -> dict[str, float]:
        return {**super().observed(), "delta": self.delta}


class CugraphSSSP(CugraphPeer):
    """cuGraph's shortest paths, which always have predecessors.

    Whole numbers below 2^24 are exact in single precision; weights and distances from there on are too large.
    """

    name = "sssp/cugraph"
    implements = "pylibcugraph.sssp"
    settings: ClassVar[Settings] = {
        "weight_type": Setting(
            "double", "type of cuGraph's weights and distances", choices=("float", "double")
        )
    }
    EXACT_IN_FLOAT = 1 << 24

    @property
    def dtype(self) -> type[np.floating[Any]]:
        return np.float32 if self.parameters["weight_type"] == "float" else np.float64

    def weights_of(self, graph: CSRGraph) -> NDArray[Any]:
        assert graph.weights is not None
        self.require_exact("the largest weight", int(graph.weights.max(initial=0)))
        self.has_weightless = bool((graph.weights == 0).any())
        return graph.weights.astype(self.dtype)

    def require_exact(self, what: str, value: int) -> None:
        """Raise TooLargeError if single precision does not tell a number from its neighbours."""
        if self.dtype is np.float32 and value >= self.EXACT_IN_FLOAT:
            expected = f"expected below {self.EXACT_IN_FLOAT} in single precision; set weight_type=double"
            raise TooLargeError(f"{self.name}: {what} is {value}, {expected}")

    def solve(self, query: Query) -> None:
        farthest = float(np.finfo(self.dtype).max)
        self.found = self.pylibcugraph.sssp(self.handle, self.graph, query.source, farthest, True, False)
        self.synchronize()

    def download(self) -> Int32Array:
        vertices, distances, before = self.found
        self.lengths = self.of_vertices(vertices, distances)
        reached = self.lengths[self.lengths < np.finfo(self.dtype).max]
        self.require_exact("the largest distance", int(reached.max(initial=0)))
        if not self.has_weightless:  # arcs of weight 0 may close a cycle
            self.predecessor = self.of_vertices(vertices, before)
        return super().download()
