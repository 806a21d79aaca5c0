"""Bellman-Ford on a device that reads only the rows of active vertices, and its variants with streams.

With streams the matrix arrives in parts, and each part is relaxed on arrival. The report's masks cannot
represent which rows of a later part are active: a distance may have fallen before its row arrived or after it
was relaxed. Therefore a vertex counts as active if its distance is less than when its row was last relaxed.
The active vertices are listed, and only their rows are read. The kernels are ours.
"""

from typing import Any, ClassVar

import numpy as np

from cuda_device.interface import Buffer
from retrace.catalogue.setting import Settings
from retrace.devices import matrices
from retrace.devices.matrices import device_matrix, matrix_bytes, pitch_of
from retrace.graphs.dense import Graph
from retrace.graphs.query import Query
from retrace.solvers.bellman_ford import negative_cycles
from retrace.solvers.bellman_ford.masked import BellmanFord
from retrace.solvers.bellman_ford.negative_cycles import refuse_endless
from retrace.solvers.bellman_ford.parts import PARTS, divide, from_source, rows_by_part
from retrace.solvers.solver import DeviceSolver

ROWS_OF_A_BLOCK = 4
"""Rows that a block of `relax_rows` relaxes, as in `kernels/bellman-ford/rows.cu`."""


class RowsBellmanFord(BellmanFord):
    """Lists the active vertices and relaxes their rows, until there are none."""

    implements = "our own kernel: what a resident matrix allows"
    source = "bellman-ford/rows.cu"
    more_sources = (negative_cycles.SOURCE, *matrices.SOURCES)
    matrix: Buffer
    parts = 0
    """Parts of the matrix that arrive one by one."""

    def memory_bytes(self, graph: Graph) -> int:
        return matrix_bytes(graph) + 3 * 4 * pitch_of(graph.vertices)

    def load(self) -> None:
        self.pitch = pitch_of(self.vertices)
        self.start, self.list_rows, self.relax_rows = self.load_kernels("start", "list_rows", "relax_rows")

    def upload(self, query: Query) -> None:
        super().upload(query)
        device = self.device
        self.distance = device.empty(self.pitch, np.int32)
        self.relaxed, self.rows = (device.empty(self.pitch, np.int32) for _ in range(2))
        self.counts = device.empty(self.parts + 1, np.uint32)
        self.counters = [device.view(self.counts, part, 1) for part in range(self.parts + 1)]

    def begin(self, source: int) -> None:
        """Make the source the only active vertex."""
        self.origin = source
        counters = self.parts + 1
        self.start(
            self.grid(max(self.pitch, counters)), self.block_size, np.int32(self.pitch), np.int32(source),
            self.distance, self.relaxed, np.int32(counters), self.counts,
        )  # fmt: skip

    def list_active(self, first: int, count: int, before: int, counter: int, stream: Any = None) -> None:
        """Append the active ones of `count` rows from `first` on to a counter's list, of length `before`."""
        self.list_rows(
            self.grid(count), self.block_size, np.int32(first), np.int32(count), self.distance,
            self.relaxed, np.uint32(before), self.counters[counter], self.rows, stream=stream,
        )  # fmt: skip

    def relax_listed(self, first: int, most: int, before: int, counter: int, stream: Any = None) -> None:
        """Relax rows of a counter's list, which begins at `first`: `most` at most, from entry `before` on."""
        self.relax_rows(
            -(-most // ROWS_OF_A_BLOCK), self.block_size, np.int32(first), np.int32(self.pitch), self.matrix,
            np.uint32(before), self.counters[counter], self.rows, self.relaxed, self.distance, stream=stream,
        )  # fmt: skip

    def iterate(self) -> int:
        last, listed = self.counters[-1], np.zeros(1, np.uint32)
        for iteration in range(self.vertices + 1):
            before = int(listed[0])
            self.list_active(0, self.vertices, before, -1)
            self.device.read(last, listed)
            if int(listed[0]) == before:
                return iteration
            self.relax_listed(0, int(listed[0]) - before, before, -1)
        raise refuse_endless(self.graph, self.origin)

    def observed(self) -> dict[str, float]:
        """Return the number of rows that were relaxed."""
        return {"matrix_rows": float(self.device.download(self.counts).sum())}


class ResidentBellmanFord(RowsBellmanFord):
    """The matrix is made on the device; a block relaxes four rows: the upper bound without a transfer."""

    name = "bellman-ford/resident"

    def load(self) -> None:
        super().load()
        self.matrix = device_matrix(self.device, self.graph)

    def solve(self, query: Query) -> int:
        self.begin(query.source)
        return self.iterate()


class StreamsBellmanFord(RowsBellmanFord):
    """The matrix is copied in parts, each on its own stream, and each part is relaxed on arrival.

    The part of the source's row comes first; iterations follow until no distance falls. All is in `solve`.
    """

    name = "bellman-ford/streams"
    implements = "an-bellman-ford, section 4.1, streams; the kernels are ours"
    settings: ClassVar[Settings] = {**DeviceSolver.settings, **PARTS}

    def load(self) -> None:
        super().load()
        self.host_matrix = self.on_host()
        self.matrix = self.device.empty(self.host_matrix.size, np.int32)
        parts = self.number("parts")
        self.divided = divide(self.device, self.matrix, self.vertices, parts)
        self.parts = len(self.divided)

    def solve(self, query: Query) -> int:
        self.begin(query.source)
        before = 1  # the source's row, which is relaxed first, so that other vertices become active
        for number, part in from_source(self.divided, query.source):
            most = part.end - part.begin
            self.device.write(part.place, part.rows_of(self.host_matrix), part.stream)
            if before:
                self.list_active(part.begin, most, 0, number, part.stream)
                self.relax_listed(part.begin, 1, 0, number, part.stream)
            self.list_active(part.begin, most, before, number, part.stream)
            self.relax_listed(part.begin, most, before, number, part.stream)
            before = 0
        self.device.synchronize()
        return 1 + self.iterate()

    def observed(self) -> dict[str, float]:
        return rows_by_part(self.device.download(self.counts), self.divided, self.origin)


class StreamsPinnedBellmanFord(StreamsBellmanFord):
    """`bellman-ford/streams` with the matrix in page-locked memory: the host does not wait for copies."""

    name = "bellman-ford/streams-pinned"
    implements = "an-bellman-ford, section 4.1, streams and pinned memory; the kernels are ours"
    page_locks = True
