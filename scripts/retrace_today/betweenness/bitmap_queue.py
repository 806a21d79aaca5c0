"""Betweenness with a small block for each source, and a bitmap in place of distances: for deep graphs."""

from typing import Any, ClassVar

import numpy as np

from cuda_device.gpu_limits import KIB
from cuda_device.interface import Buffer
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.block_per_source import PRECISIONS, Round, aligned
from retrace.solvers.betweenness.compaction import COMPACT, RENUMBER, Compacted, renumber
from retrace_today.betweenness.fixed_point import ADD_SUMS, EXPAND, FixedSums

BITS = 32
"""Vertices in a word of the bitmap."""


class BitmapQueue(FixedSums):
    """`betweenness/vert-queue` in blocks as small as the levels of a road graph, and with fewer reads.

    A bitmap in shared memory tells which neighbours are on the next level, so that the others cost no read of
    an array. Path counts and what is added up on the way back share their memory, and the four arcs of a
    vertex are read at once. With compacted=yes vertices of degree 1 are removed first. With renumbered=yes
    vertices are numbered in breadth-first order, so that the threads of a warp share sectors. Both are part
    of `upload`.
    """

    name = "betweenness/bitmap-queue"
    implements = "Brandes' algorithm, a small block for each source"
    more_sources = ("retrace_today/betweenness/bitmap-queue-fixed.cu", EXPAND, ADD_SUMS, COMPACT, RENUMBER)
    draws = True
    settings: ClassVar[Settings] = {
        **FixedSums.settings,
        "bitmap_kib": Setting(
            64, "most KiB of a bitmap in shared memory; a larger one is in device memory", least=0
        ),
        "compacted": Setting("no", "whether vertices of degree 1 are removed", choices=("no", "yes")),
        "renumbered": Setting(
            "no", "whether vertices are numbered in breadth-first order", choices=("no", "yes")
        ),
    }

    def setup(self, graph: CSRGraph) -> None:
        self.compacted = self.parameters["compacted"] == "yes"
        super().setup(graph)
        self.score_type = PRECISIONS["double"]
        self.record_arcs = self.module.kernel("record_arcs")

    def kernel_name(self) -> str:
        return super().kernel_name() + ("_compacted" if self.compacted else "")

    def reduce(self, query: Query) -> tuple[Compacted, ...]:
        (reduced,) = super().reduce(query)
        return (renumber(reduced) if self.parameters["renumbered"] == "yes" else reduced,)

    def entering(self, graph: CSRGraph, indptr: Buffer, indices: Buffer) -> list[Any]:
        """Return the arcs that enter each vertex if sums are in order; otherwise none of them is read."""
        return super().entering(graph, indptr, indices) if self.is_fixed else [indptr, indices]

    def send(self, reduced: Compacted) -> Round:
        """Make a record of the first arcs of each vertex, on the device."""
        part = super().send(reduced)
        vertices, indptr, indices, in_indptr, in_indices, *weights = part.arguments
        self.bitmap_bytes = -(-int(vertices) // BITS) * 4
        room = self.device.limits.dynamic_shared
        self.in_shared = self.bitmap_bytes <= min(room, KIB * self.number("bitmap_kib"))
        self.shared = self.bitmap_bytes if self.in_shared else 0
        records = self.record(vertices, indptr, indices)
        entering = records if in_indptr is indptr else self.record(vertices, in_indptr, in_indices)
        part.arguments, self.entering_records = [vertices, records, indices, *weights], [entering, in_indices]
        return part

    def record(self, vertices: np.int32, indptr: Buffer, indices: Buffer) -> Buffer:
        """Return the records of all vertices, four int32 each."""
        records = self.device.empty(4 * int(vertices), np.int32)
        if vertices:
            self.record_arcs(self.grid(int(vertices)), self.block_size, vertices, indptr, indices, records)
        return records

    def block_bytes(self) -> int:
        """Return a block's memory in bytes: a number, a place in the queue and the end of a level each."""
        (part,) = self.rounds
        return aligned(part.reduced.graph.vertices * (self.real.itemsize + 2 * 4) + self.bitmap_bytes)

    def last_arguments(self) -> list[Any]:
        return [*super().last_arguments(), np.int32(self.in_shared), *self.entering_records]
