"""Scores as 128-bit fixed-point numbers, whose sum is the same in any order and grouping, and the setting.

The numbers are those of `betweenness/fixed_point.cuh`: shape (..., 2), uint64, little end first, so
that the first word is the fraction in units of 2^-64.
"""

import hashlib
from ctypes import c_longlong
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.interface import Buffer
from retrace.catalogue.setting import Setting, Settings
from retrace.devices.host import loaded_library, pointer
from retrace.graphs.csr import CSRGraph
from retrace.solvers.betweenness.block_per_source import Round
from retrace.solvers.betweenness.compaction import Compacted
from retrace_today.betweenness.graph_on_device import GraphOnDevice

FixedPoint = NDArray[np.uint64]

ADD_SUMS, EXPAND = "retrace_today/host/add_sums.cpp", "retrace_today/betweenness/expand-sums.cu"

SUMS: Settings = {
    "sums": Setting(
        "floating",
        "type of scores: fixed is the same bits in any order of additions",
        choices=("floating", "fixed"),
    )
}


def add(total: FixedPoint, more: FixedPoint) -> None:
    """Add to `total` in place, entry by entry, on all cores; both have the shape (entries, 2)."""
    assert total.flags.c_contiguous
    assert more.flags.c_contiguous
    assert total.shape == more.shape
    loaded_library(ADD_SUMS).add_sums(c_longlong(len(total)), pointer(total), pointer(more))


def as_doubles(numbers: FixedPoint) -> NDArray[np.float64]:
    """Round to doubles, shape (entries,), on all cores: by one unit in the last place at most."""
    assert numbers.flags.c_contiguous
    rounded = np.empty(len(numbers))
    loaded_library(ADD_SUMS).round_sums(c_longlong(len(numbers)), pointer(numbers), pointer(rounded))
    return rounded


class FixedSums(GraphOnDevice):
    """A variant that can add up its scores in fixed point, `sums=fixed`, by a kernel file of its own.

    What a pass, a block's searches at a time, adds to a score depends on its sources alone. The passes of a
    query are cut from one order of its sources. Their scores can therefore be added up in any parts.
    """

    settings: ClassVar[Settings] = {**GraphOnDevice.settings, **SUMS}

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.graph_digest = self.graph.digest() if self.is_fixed else ""
        self.expand_sums = self.device.load(EXPAND).kernel("expand")

    def send(self, reduced: Compacted) -> Round:
        """Allocate also what the sums of a reduced graph leave the device from."""
        part = super().send(reduced)
        if self.is_fixed and reduced.kept is not None:
            self.kept, self.expanded = self.device.upload(reduced.kept), self.no_scores(self.graph.vertices)
        return part

    @property
    def is_fixed(self) -> bool:
        """Return whether scores are fixed-point numbers."""
        return self.parameters["sums"] == "fixed"

    def kernel_file(self) -> str:
        return self.source.replace(".cu", "-fixed.cu") if self.is_fixed else super().kernel_file()

    def no_scores(self, size: int) -> Buffer:
        if not self.is_fixed:
            return super().no_scores(size)
        buffer = self.device.empty(2 * size, np.uint64)
        self.device.fill(buffer, 0)
        return buffer

    def scores(self, part: Round) -> NDArray[np.float32 | np.float64]:
        return as_doubles(self.sums(part)) if self.is_fixed else super().scores(part)

    def sums(self, part: Round) -> FixedPoint:
        """Fetch the sums of a round, shape (part.reduced.graph.vertices, 2)."""
        return self.device.download(part.score).reshape(-1, 2)

    @property
    def passes(self) -> int:
        """Return the number of passes of the query that was uploaded, each of `lanes` sources."""
        return -(-self.rounds[0].sources.size // self.lanes)

    def search(self, passes: NDArray[np.int64], sums: FixedPoint) -> None:
        """Write what some passes, ascending, add to the scores to `sums`, shape (vertices, 2)."""
        (part,) = self.rounds
        order = self.device.download(part.sources)
        places = (passes[:, None] * self.lanes + np.arange(self.lanes)).ravel()
        chosen = order[places[places < len(order)]]
        self.device.fill(part.score, 0)
        self.overflowed[0] = -1
        if len(chosen):
            self.launch(replace(part, sources=self.device.upload(chosen)), 0, len(chosen))
        self.refuse_overflow(part.reduced)
        self.device.read(part.score if part.reduced.is_whole else self.expand(part), sums.reshape(-1))

    def expand(self, part: Round) -> Buffer:
        """Return the sums of all vertices of the original graph."""
        if vertices := part.reduced.graph.vertices:
            arguments = np.int32(vertices), self.kept, part.score, self.expanded
            self.expand_sums(self.grid(vertices), self.block_size, *arguments)
        return self.expanded

    def write_unsearched(self, sums: FixedPoint) -> None:
        """Write the part of the scores that follows without a search, whole numbers, shape (vertices, 2)."""
        sums[:, 0], sums[:, 1] = 0, self.rounds[0].reduced.extra

    def fingerprint(self) -> str:
        """Return a hash of all that decides what each pass adds: kernel, graph, order of sources."""
        (part,) = self.rounds
        made_by = self.module.built, self.kernel_name(), self.graph_digest, part.reduced.graph.vertices
        hashed = hashlib.sha256(" ".join(map(str, made_by)).encode())
        sources = self.device.download(part.sources)
        for array in (sources, part.reduced.source_count[sources]):
            hashed.update(np.ascontiguousarray(array, "<i4").data)
        return hashed.hexdigest()
