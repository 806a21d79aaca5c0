"""Betweenness on a device, beside the published variants: what domitrz-brandes leaves out, and ours."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.reductions import Compacted, compact, without_side_vertices
from retrace.solvers.betweenness import (
    Argument,
    BetweennessSolver,
    Brandes,
    Round,
    Vert,
    VertCompVirtStride,
    aligned,
    kernel_files,
    upload_all,
)
from retrace.solvers.brandes import count_pairs_once, sources_of
from retrace.solvers.prefix_sums import PrefixSums
from retrace.solvers.registry import BLOCK_SIZE, REGISTRY, Query, Setting
from retrace.system.errors import RetraceError


def both_ways(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Lay a graph out by the arcs that leave a vertex, and by those that enter it."""
    entering = graph.reversed()
    return [graph.indptr, graph.indices, entering.indptr, entering.indices]


@REGISTRY.add
class SideVertices(VertCompVirtStride):
    """`betweenness/vert-comp-virt-stride` without vertices of degree 2 whose neighbours are adjacent.

    Searches from these come first, in the whole compacted graph; the others need them no more.
    """

    name = "betweenness/vert-comp2-virt-stride"
    implements = 'domitrz-brandes, "Further graph reductions", on brandes-par-vert-comp-virt-stride.cu'
    sources = kernel_files("vert-comp-virt-stride", "virtual.cuh")

    def prefers_all(self, query: Query) -> bool:
        """Tell whether all vertices are sources: of some alone, side vertices are not taken away."""
        return query.sources is None

    def reduce(self, query: Query) -> tuple[Compacted, ...]:
        """Return two graphs, or one if there are no such vertices, or not every vertex is a source."""
        return without_side_vertices(compact(self.graph, query.sources))


@REGISTRY.add
class Lanes(Brandes):
    """Ours: a block for 32 searches, in whose memory a vertex is one row, on the compacted graph."""

    name = "betweenness/lanes"
    implements = "Brandes' algorithm, 32 sources at a time"
    sources = kernel_files("lanes")
    layout = both_ways
    compacted = True
    lanes = 32

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernel; raises RetraceError if `block_size` would leave a warp in part."""
        super().setup(graph)
        if int(self.parameters["block_size"]) % self.lanes:
            size = self.parameters["block_size"]
            raise RetraceError(f"{self.name}: block_size is {size}, expected a multiple of {self.lanes}")

    def in_order(self, reduced: Compacted) -> Int32Array:
        """List the sources as a search from the vertex of most arcs meets them: neighbours share a block."""
        graph, sources = reduced.graph, super().in_order(reduced)
        if not graph.arcs:
            return sources
        there = np.ones(graph.arcs, dtype=np.int8)
        matrix = csr_array((there, graph.indices, graph.indptr), shape=(graph.vertices, graph.vertices))
        met = breadth_first_order(matrix, int(graph.degrees().argmax()), return_predecessors=False)
        place = np.full(graph.vertices, graph.vertices)
        place[met] = np.arange(len(met))
        return sources[np.argsort(place[sources], kind="stable")]

    def block_bytes(self) -> int:
        """Device memory of a block: sigma, delta and d of every search, and four words a vertex."""
        vertices = max(part.reduced.graph.vertices for part in self.rounds)
        return aligned(vertices * (self.lanes * (2 * self.real.itemsize + 4) + 4 * 4))


@REGISTRY.add
class PrefixOnDevice(Vert):
    """`betweenness/vert` whose `indptr` is made on the device: prefix sums that the report left to the CPU.

    `observed` has the time of both ways, in ms: of the launches, with the degrees on the device, and NumPy's.
    """

    name = "betweenness/vert-prefix"
    implements = 'domitrz-brandes, "Computing prefix sums on GPU", before brandes-par-vert.cu'
    sources = (*Vert.sources, *PrefixSums.sources)

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernels."""
        super().setup(graph)
        self.prefix_sums = PrefixSums(self.device)

    def send(self, reduced: Compacted) -> Round:
        """Send degrees in place of `indptr`, and add them up there."""
        degrees = np.append(reduced.graph.degrees(), np.int32(0))
        began = time.perf_counter()
        np.cumsum(degrees[:-1], out=np.zeros_like(degrees)[1:])
        self.host_ms = (time.perf_counter() - began) * 1e3
        part = super().send(reduced)
        part.arguments[1] = indptr = self.device.upload(degrees)
        self.prefix_sums.allocate(indptr.size)
        start, end = self.device.event(), self.device.event()
        start.record()
        self.prefix_sums.scan(indptr)
        end.record()
        end.synchronize()
        self.device_ms = end.milliseconds_since(start)
        return part

    def observed(self) -> dict[str, float]:
        """Tell both times."""
        return super().observed() | {"prefix_device_ms": self.device_ms, "prefix_host_ms": self.host_ms}


@REGISTRY.add
class Levels(BetweennessSolver):
    """A launch for each source and level; the host reads after each whether there is another level."""

    name = "betweenness/levels"
    implements = 'domitrz-brandes, "Possible different approach and its drawbacks"'
    sources = kernel_files("levels", "vert.cuh")
    defaults: ClassVar[Mapping[str, Setting]] = {"block_size": BLOCK_SIZE, **BetweennessSolver.defaults}
    bytes_per_vertex = 8 + 8 + 4 + 8
    SAMPLE = 8

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernels."""
        super().setup(graph)
        precision = self.parameters["precision"]
        self.start, self.expand, self.collect = (
            self.module.kernel(f"levels_{step}_{precision}") for step in ("start", "expand", "collect")
        )

    def upload(self, query: Query) -> None:
        """Send the graph and allocate the arrays of one search."""
        self.arguments: list[Any] = []  # the last query's; what they held is free again
        device, size = self.device, self.graph.vertices
        arrays = [self.graph.indptr, self.graph.indices]
        indptr, indices = upload_all(device, arrays, int(self.parameters["streams"]))
        self.cont, self.seen = device.empty(1, np.bool_), device.pinned(1, np.bool_)
        self.score, self.overflow = self.zeros(size), device.upload(np.full(1, -1, dtype=np.int32))
        self.arguments = [
            np.int32(size), indptr, indices, *(device.empty(size, self.real) for _ in ("sigma", "delta")),
            device.empty(size, np.int32), self.cont, self.score, self.overflow,
        ]  # fmt: skip

    def search(self, source: int) -> None:
        """Search from one source, forwards and back."""
        block = int(self.parameters["block_size"])
        grid = max(1, -(-self.graph.vertices // block))
        no, last = np.zeros(1, np.bool_), -1
        self.start(grid, block, *self.arguments, np.int32(source), np.int32(0))
        self.seen[0] = True
        while self.seen[0]:
            last += 1
            self.device.write(self.cont, no)
            self.expand(grid, block, *self.arguments, np.int32(source), np.int32(last))
            self.device.read(self.cont, self.seen)
        for level in range(last, 0, -1):
            self.collect(grid, block, *self.arguments, np.int32(source), np.int32(level))

    def solve(self, query: Query) -> int:
        """Search from every source; returns the number of searches. Raises as `Brandes` does."""
        sources = sources_of(query, self.graph).tolist()
        for source in sources:
            self.search(source)
        self.refuse_overflow(self.overflow, np.arange(self.graph.vertices, dtype=np.int32))
        return len(sources)

    def download(self) -> NDArray[np.float64]:
        """Fetch the scores."""
        return count_pairs_once(self.device.download(self.score), self.graph)

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate from a few searches, after one that warms the device up."""
        sources = sources_of(query, self.graph)
        if len(sources) <= self.SAMPLE:
            return None
        few = tuple(sources[:: len(sources) // self.SAMPLE].tolist())
        self.upload(query)
        for chosen in (few[:1], few):
            began = time.perf_counter()
            self.solve(Query(sources=chosen))
        return (time.perf_counter() - began) / len(few) * len(sources)
