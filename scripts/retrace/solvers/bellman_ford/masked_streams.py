"""Bellman-Ford with streams and the report's own kernels, beside the faster ones of `active_rows`.

Masks can tell which vertices are active although the matrix arrives in parts, if masks are swapped for the
vertices of one part alone: `mask1` then keeps a vertex whose distance fell until its row is there.
"""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from cuda_device.interface import Event
from retrace.catalogue.setting import Settings
from retrace.graphs.query import Query
from retrace.solvers.bellman_ford.masked import PinnedBellmanFord
from retrace.solvers.bellman_ford.negative_cycles import refuse_endless
from retrace.solvers.bellman_ford.parts import PARTS, Part, divide, from_source, rows_by_part
from retrace.solvers.solver import DeviceSolver


class StreamsMaskedBellmanFord(PinnedBellmanFord):
    """The kernels of `bellman-ford/dense` on a matrix in pinned memory that is copied in parts, in `solve`.

    The arcs of a part are relaxed until no distance falls, while the next parts are copied. After the last,
    all are. The report does not say how often a part is relaxed before the next one is there. Python repeats
    the launches, a few of each part.
    """

    name = "bellman-ford/streams-masked"
    implements = "an-bellman-ford, Algorithms 1 to 4, section 4.1, streams and pinned memory"
    settings: ClassVar[Settings] = {**DeviceSolver.settings, **PARTS}

    def make_matrix(self) -> None:
        super().make_matrix()
        parts = self.number("parts")
        self.divided = divide(self.device, self.matrix, self.vertices, parts)
        self.seen = self.device.pinned(1, np.int32)

    def send_graph(self) -> None:
        """Do nothing: `solve` copies the matrix."""

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.counts = self.device.upload(np.zeros(len(self.divided) + 1, np.uint32))
        self.relaxed = self.device.view(self.counts, len(self.divided), 1)
        repeated = self.make_loop()
        self.loop = replace(repeated, rounds=repeated.rounds[1:])  # the masks are swapped first

    def solve(self, query: Query) -> int:
        copied = from_source(self.divided, query.source)
        self.relaxed = self.device.view(self.counts, copied[0][0], 1)
        self.begin(query.source)  # on the default stream, which waits for all others
        self.copy([part for _, part in copied])
        iterations = 0
        for number, part in copied:
            iterations += self.settle(number, part, swapped=iterations == 0)
        return iterations + self.iterate()

    def copy(self, parts: list[Part]) -> None:
        """Queue the copies of parts."""
        for part in parts:
            self.device.write(part.place, part.rows_of(self.host_matrix), part.stream)

    def settle(self, number: int, part: Part, swapped: bool) -> int:
        """Wait for a part, and relax its arcs until no distance falls; return the number of iterations."""
        device, rows = self.device, part.end - part.begin
        mask, mask1 = (device.view(each, part.begin, rows) for each in (self.mask, self.mask1))
        masks = mask, mask1, self.flag, device.view(self.counts, number, 1)
        for iteration in range(self.vertices):
            if iteration or not swapped:
                self.swap(self.grid(rows), self.block_size, np.int32(rows), *masks, stream=part.stream)
            self.relaxation(*self.launch_of(self.of_rows(part.begin, part.end)), stream=part.stream)
            device.read(self.flag, self.seen, part.stream)
            part.stream.synchronize()
            if not self.seen[0]:
                return iteration + 1
        raise refuse_endless(self.graph, self.origin)

    def observed(self) -> dict[str, float]:
        return rows_by_part(self.device.download(self.counts), self.divided, self.origin)


class TracedStreamsBellmanFord(StreamsMaskedBellmanFord):
    """`bellman-ford/streams-masked` with events: how long arcs are relaxed while others are copied."""

    name = "bellman-ford/streams-traced"

    def copy(self, parts: list[Part]) -> None:
        self.began = self.device.mark(parts[0].stream)
        super().copy(parts)
        self.copied = [self.device.mark(part.stream) for part in parts]
        self.settled: list[tuple[Event, Event]] = []

    def settle(self, number: int, part: Part, swapped: bool) -> int:
        began = self.device.mark(part.stream)
        iterations = super().settle(number, part, swapped)
        self.settled.append((began, self.device.mark(part.stream)))
        return iterations

    def observed(self) -> dict[str, float]:
        """Return also the ms of all copies, and the share of it in which a part's arcs were relaxed."""
        self.device.synchronize()
        copying = max(mark.milliseconds_since(self.began) for mark in self.copied)
        spans = [tuple(mark.milliseconds_since(self.began) for mark in both) for both in self.settled]
        overlapped = sum(max(0.0, min(end, copying) - begin) for begin, end in spans)
        return {**super().observed(), "copying_ms": copying, "overlapped_share": overlapped / copying}
