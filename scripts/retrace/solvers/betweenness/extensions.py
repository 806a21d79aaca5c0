"""Betweenness on a device beyond the published variants: what domitrz-brandes suggests."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.catalogue.setting import Settings
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import BetweennessSolver, Round
from retrace.solvers.betweenness.compaction import SIDE_VERTICES, Compacted, compact, separate, uncompacted
from retrace.solvers.betweenness.conventions import count_pairs_once, extrapolate
from retrace.solvers.betweenness.published_variants import Vert, VertCompVirtStride
from retrace.solvers.prefix_sums import PrefixSums
from retrace.solvers.solver import DeviceSolver, seconds_of


class SideVertices(VertCompVirtStride):
    """`betweenness/vert-comp-virt-stride` without vertices of degree 2 whose neighbours are adjacent.

    No shortest path leads through such a side vertex: `compaction.separate`. Searches from
    side vertices come first, in the whole compacted graph; those from the others leave them out.
    """

    name = "betweenness/vert-comp2-virt-stride"
    implements = 'domitrz-brandes, "Further graph reductions", on brandes-par-vert-comp-virt-stride.cu'
    more_sources = (*VertCompVirtStride.more_sources, SIDE_VERTICES)

    def prefers_all(self, query: Query) -> bool:
        return query.sources is None  # otherwise side vertices are not removed

    def reduce(self, query: Query) -> tuple[Compacted, ...]:
        (compacted,) = super().reduce(query)
        first, *rest = separate(compacted)
        return first, *map(compact, rest)


class SideVerticesAlone(SideVertices):
    """`betweenness/vert-comp2-virt-stride` that leaves the vertices of degree 1 in the graph."""

    name = "betweenness/vert-side-virt-stride"

    def reduce(self, query: Query) -> tuple[Compacted, ...]:
        return separate(uncompacted(self.graph, query.sources))


class PrefixOnDevice(Vert):
    """`betweenness/vert` with `indptr` by prefix sums on the device; `observed` has its and NumPy's ms."""

    name = "betweenness/vert-prefix"
    implements = 'domitrz-brandes, "Computing prefix sums on GPU", before brandes-par-vert.cu'
    more_sources = (PrefixSums.source,)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.prefix_sums = PrefixSums(self.device)

    def send(self, reduced: Compacted) -> Round:
        """Send degrees in place of `indptr`, and sum them on the device."""
        degrees = np.append(reduced.graph.degrees(), np.int32(0))
        self.host_ms = 1e3 * seconds_of(lambda: np.cumsum(degrees[:-1], out=np.zeros_like(degrees)[1:]))
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
        return super().observed() | {"prefix_device_ms": self.device_ms, "prefix_host_ms": self.host_ms}


class Levels(BetweennessSolver):
    """A launch for each source and level, with a thread for each vertex; the host reads whether to go on.

    It needs the memory of one search only, but O(depth) launches a source. The report has not tried it.
    """

    name = "betweenness/levels"
    implements = 'domitrz-brandes, "Possible different approach and its drawbacks"'
    settings: ClassVar[Settings] = {**DeviceSolver.settings, **BetweennessSolver.settings}
    bytes_per_vertex = 8 + 8 + 4 + 8

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        precision = self.parameters["precision"]
        self.start, self.expand, self.collect = (
            self.module.kernel(f"levels_{step}_{precision}") for step in ("start", "expand", "collect")
        )
        self.seen = self.device.pinned(1, np.bool_)

    def upload(self, query: Query) -> None:
        self.arguments: list[Any] = []  # frees the memory of the last query
        device, size = self.device, self.graph.vertices
        indptr, indices = self.upload_arrays([self.graph.indptr, self.graph.indices])
        self.cont = device.empty(1, np.bool_)
        self.score = self.no_scores(size)
        self.arguments = [
            np.int32(size), indptr, indices, *(device.empty(size, self.real) for _ in ("sigma", "delta")),
            device.empty(size, np.int32), self.cont, self.score, self.overflow,
        ]  # fmt: skip

    def begin_again(self, query: Query) -> None:
        self.device.fill(self.score, 0)

    def search(self, source: int) -> None:
        grid, block = self.grid(self.graph.vertices), self.block_size
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
        sources = query.sources_in(self.graph).tolist()
        self.overflowed[0] = -1
        for source in sources:
            self.search(source)
        self.refuse_overflow()
        return len(sources)

    def download(self) -> NDArray[np.float64]:
        return count_pairs_once(self.device.download(self.score), self.graph)

    def observed(self) -> dict[str, float]:
        """Return the memory of sigma, delta and d, which one search has at a time."""
        return {"workspace_bytes": self.graph.vertices * (2 * self.real.itemsize + 4)}

    def predict_seconds(self, query: Query) -> float | None:
        sources = query.sources_in(self.graph)
        self.upload(query)
        for source in sources[:1].tolist():
            self.search(source)
        return extrapolate(lambda few: self.solve(Query(sources=tuple(few.tolist()))), sources)
