"""Bellman-Ford on a device that reads only the rows of active vertices, and the variants with streams.

The report's masks cannot say which rows of a part that came late are active: so its streams run our kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from retrace.devices.base import Buffer
from retrace.graphs.csr import Int32Array
from retrace.graphs.dense import Graph
from retrace.solvers import matrices
from retrace.solvers.bellman_ford import SHARED_SOURCES, BellmanFord, blocks
from retrace.solvers.matrices import device_matrix, host_matrix, matrix_bytes, pinned_matrix, pitch_of
from retrace.solvers.negative_cycles import refuse_endless
from retrace.solvers.registry import BLOCK_SIZE, REGISTRY, Query, Setting

ROWS = 4
"""Rows that a block of `relax_rows` takes, as in `kernels/bellman-ford/rows.cu`."""


class RowsBellmanFord(BellmanFord):
    """The rows of active vertices are listed, and only they are read."""

    implements = "our own kernel: what a resident matrix allows"
    sources: ClassVar[tuple[str, ...]] = ("bellman-ford/rows.cu", *SHARED_SOURCES, *matrices.SOURCES)
    matrix: Buffer
    parts = 0
    """Parts of the matrix that arrive one by one."""

    def memory_bytes(self, graph: Graph) -> int:
        """Predict the memory that the matrix and the vectors take."""
        return matrix_bytes(graph) + 3 * 4 * pitch_of(graph.vertices)

    def load(self) -> None:
        """Load the kernels."""
        self.pitch = pitch_of(self.vertices)
        module = self.device.load("bellman-ford/rows.cu")
        self.start, self.list_rows = module.kernel("start"), module.kernel("list_rows")
        self.relax_rows = module.kernel("relax_rows")

    def upload(self, query: Query) -> None:
        """Allocate the vectors."""
        device = self.device
        self.distance = device.empty(self.pitch, np.int32)
        self.relaxed, self.rows = (device.empty(self.pitch, np.int32) for _ in range(2))
        self.counts = device.empty(self.parts + 1, np.uint32)
        self.counters = [device.view(self.counts, part, 1) for part in range(self.parts + 1)]

    def begin(self, source: int) -> None:
        """Make the source the one active vertex."""
        self.source = source
        self.start(
            blocks(max(self.pitch, self.parts + 1), self.block_size), self.block_size, np.int32(self.pitch),
            np.int32(source),
            self.distance, self.relaxed, np.int32(self.parts + 1), self.counts,
        )  # fmt: skip

    def list_active(self, first: int, count: int, before: int, counter: int, stream: Any = None) -> None:
        """List the active vertices of some rows; `before` were listed with this counter before."""
        self.list_rows(
            blocks(count, self.block_size), self.block_size, np.int32(first), np.int32(count), self.distance,
            self.relaxed, np.uint32(before), self.counters[counter], self.rows, stream=stream,
        )  # fmt: skip

    def relax_listed(self, first: int, most: int, before: int, counter: int, stream: Any = None) -> None:
        """Relax the rows that were listed from `first` on, at most so many."""
        self.relax_rows(
            blocks(most, ROWS), self.block_size, np.int32(first), np.int32(self.pitch), self.matrix,
            np.uint32(before), self.counters[counter], self.rows, self.relaxed, self.distance, stream=stream,
        )  # fmt: skip

    def iterate(self) -> int:
        """Relax what is active until nothing is; returns the number of iterations."""
        last, listed = self.counters[-1], np.zeros(1, np.uint32)
        for iteration in range(self.vertices + 1):
            before = int(listed[0])
            self.list_active(0, self.vertices, before, -1)
            self.device.read(last, listed)
            if int(listed[0]) == before:
                return iteration
            self.relax_listed(0, int(listed[0]) - before, before, -1)
        raise refuse_endless(self.graph, self.source)

    def observed(self) -> dict[str, float]:
        """Count the rows that were relaxed."""
        return {"matrix_rows": float(self.device.download(self.counts).sum())}


@REGISTRY.add
class ResidentBellmanFord(RowsBellmanFord):
    """The matrix is made on the device; only rows of active vertices are read, 16 bytes at a time."""

    name = "bellman-ford/resident"

    def load(self) -> None:
        """Load the kernels and make the matrix on the device."""
        super().load()
        self.matrix = device_matrix(self.device, self.graph)

    def solve(self, query: Query) -> int:
        """Relax until no distance falls; returns the number of iterations."""
        self.begin(query.source)
        return self.iterate()


@REGISTRY.add
class StreamsBellmanFord(RowsBellmanFord):
    """The matrix comes in parts, each on a stream of its own, and is relaxed as it arrives: in `solve`.

    The part that holds the source's row comes first: before it nothing could be relaxed.
    """

    name = "bellman-ford/streams"
    implements = "an-bellman-ford, section 4.1, streams; the kernels are ours"
    defaults: ClassVar[Mapping[str, Setting]] = {"block_size": BLOCK_SIZE, "parts": 2}

    def load(self) -> None:
        """Load the kernels and make the matrix on the host."""
        super().load()
        self.parts = min(int(self.parameters["parts"]), self.vertices)
        bounds = [part * self.vertices // self.parts for part in range(self.parts + 1)]
        self.bounds = list(pairwise(bounds))
        self.streams = [self.device.stream() for _ in range(self.parts)]
        self.host_matrix = self.on_host()
        self.matrix = self.device.empty(self.host_matrix.size, np.int32)
        self.places = [
            self.device.view(self.matrix, begin * self.pitch, (end - begin) * self.pitch)
            for begin, end in self.bounds
        ]

    def on_host(self) -> Int32Array:
        """Make the matrix in the host's pageable memory, shape (vertices * pitch,)."""
        return host_matrix(self.graph).ravel()

    def solve(self, query: Query) -> int:
        """Copy and relax part by part, then go on until no distance falls; the first pass is an iteration."""
        self.begin(query.source)
        first = next(part for part, (_, end) in enumerate(self.bounds) if query.source < end)
        for part in [*range(first, self.parts), *range(first)]:
            begin, end = self.bounds[part]
            stream = self.streams[part]
            rows = self.host_matrix[begin * self.pitch : end * self.pitch]
            self.device.write(self.places[part], rows, stream)
            if part == first:  # from the source alone, so that there is something to go on from
                self.list_active(begin, end - begin, 0, part, stream)
                self.relax_listed(begin, 1, 0, part, stream)
            before = int(part == first)
            self.list_active(begin, end - begin, before, part, stream)
            self.relax_listed(begin, end - begin, before, part, stream)
        self.device.synchronize()
        return 1 + self.iterate()


@REGISTRY.add
class StreamsPinnedBellmanFord(StreamsBellmanFord):
    """As `bellman-ford/streams`, with the matrix in page-locked memory: the host does not wait for a copy."""

    name = "bellman-ford/streams-pinned"
    implements = "an-bellman-ford, section 4.1, streams and pinned memory; the kernels are ours"

    def on_host(self) -> Int32Array:
        """Make the matrix in page-locked memory."""
        return pinned_matrix(self.device, self.graph)
