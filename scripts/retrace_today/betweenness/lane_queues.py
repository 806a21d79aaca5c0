"""Betweenness from 32, 64 or 128 sources at a time, with a queue for each level: for graphs of few levels."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import TooLargeError
from cuda_device.gpu_limits import KIB, Needs
from cuda_device.interface import Buffer, Module
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import MOST_ARCS, CSRGraph
from retrace.solvers.betweenness.block_per_source import Argument, aligned
from retrace.solvers.solver import WARP, WIDE
from retrace.system.errors import RetraceError
from retrace_today.betweenness.fixed_point import ADD_SUMS, EXPAND, FixedSums
from retrace_today.betweenness.lanes import HUB_DISTANCES, HUBS, Lanes

ARCS = {"32": 1, "64": 2}
"""Arcs that a lane requests at a time, by the registers of a thread."""

MOST_IN_AN_ATOMIC = 64
"""Searches whose marks one atomic operation changes."""

OF_GRID = {"lanes": "64", "registers": "64"}
"""What a kernel of the grid is compiled for."""

MOST_OF_A_VERTEX = 2**31 // WARP - 2
"""Arcs of a vertex: a warp puts those of 32, and an end of each, in a row whose places are positive ints."""

IDLE = 8
"""The grid shares a pass if so many times fewer passes are searched at a time than blocks could run."""


class LaneQueues(FixedSums, Lanes):
    """`betweenness/lanes` with a queue for each level, and a warp's arcs divided evenly among its lanes.

    A level costs as much as it has vertices and arcs, not a look at every vertex; rows are requested several
    at a time; a filter in shared memory passes over neighbours that are not on the level. A pass belongs to a
    block, or to the grid if few are searched at a time. After M. Then et al., "The more the merrier:
    efficient multi-source graph traversal", PVLDB 8(4), 2014.
    """

    name = "betweenness/lane-queues"
    implements = "Brandes' algorithm, 32, 64 or 128 sources at a time"
    more_sources = ("retrace_today/betweenness/lane-queues-fixed.cu", EXPAND, ADD_SUMS, HUB_DISTANCES)
    draws = True
    wide = True
    settings: ClassVar[Settings] = {
        **FixedSums.settings,
        "lanes": Setting("64", "betweenness/lane-queues: searches of a pass", choices=("32", "64", "128")),
        "registers": Setting("64", "registers of a thread; fewer, and more threads run", choices=(*ARCS,)),
        "filter_kib": Setting(
            "32",
            "KiB of the filter of vertices; 0: none; fewer where a block may not have them",
            choices=("0", "1", "8", "16", "32", "64"),
        ),
        "hubs": Setting(4, "vertices of most arcs; sources come by their distances from these", most=HUBS),
        "team": Setting(
            "auto",
            "betweenness/lane-queues: what searches a pass, a block or the grid; auto: the grid if otherwise "
            "seven of eight blocks would idle",
            choices=("auto", "block", "grid"),
        ),
        "few": Setting(64, "a level of less than 1 / few of all vertices marks its neighbours", least=0),
    }

    def setup(self, graph: CSRGraph) -> None:
        self.lanes, registers = int(self.parameters["lanes"]), self.parameters["registers"]
        if self.lanes > MOST_IN_AN_ATOMIC and registers == "32":
            asked = f"{self.name}: lanes is {self.lanes}"
            raise RetraceError(f"{asked}, expected at most {MOST_IN_AN_ATOMIC} with registers=32")
        if self.parameters["team"] == "grid" and not self.has_grid:
            if (missing := Needs(cooperative_launch=True).missing_from(self.device.limits)) is not None:
                raise RetraceError(f"{self.name}: team=grid {missing}")
            expected = " and ".join(f"{key}={value}" for key, value in OF_GRID.items())
            raise RetraceError(f"{self.name}: team=grid, expected with it {expected}")
        self.hubs = self.number("hubs")
        self.filter_bytes = 1024 * int(self.parameters["filter_kib"])
        desks = self.block_size // WARP * self.desk_bytes
        while desks + self.filter_bytes > self.device.limits.dynamic_shared:
            self.filter_bytes = self.filter_bytes // 2 if self.filter_bytes > KIB else 0
        self.shared = desks + self.filter_bytes
        super().setup(graph)

    @property
    def is_wide(self) -> bool:
        """Return whether arcs, or the entries of a queue, are more than 32 bits count."""
        return self.graph.is_wide or self.graph.vertices * self.lanes > MOST_ARCS

    def load_module(self) -> Module:
        return self.device.load(self.kernel_file(), WIDE if self.is_wide else ())

    def layout(self, graph: CSRGraph) -> list[Argument]:
        """Return CSR, with offsets of 64 bits if need be."""
        indptr = np.asarray(graph.indptr, np.int64) if self.is_wide else graph.indptr
        if self.is_wide:
            self.refuse_long_rows(indptr)
        return [indptr, graph.indices]

    def entering(self, graph: CSRGraph, indptr: Buffer, indices: Buffer) -> list[Any]:
        csr = super().entering(graph, indptr, indices)
        if self.is_wide and csr[0] is not indptr:
            self.refuse_long_rows(self.device.download(csr[0]))
        return csr

    def refuse_long_rows(self, indptr: NDArray[np.int64]) -> None:
        """Raise TooLargeError if a vertex has more arcs than the kernel puts in a row."""
        if (most := np.diff(indptr).max(initial=0)) > MOST_OF_A_VERTEX:
            too_many = f"a vertex has {most} arcs, expected {MOST_OF_A_VERTEX} at most"
            raise TooLargeError(f"{self.name}: {too_many}")

    @property
    def word(self) -> int:
        """Return the bytes of a bit for each search of a pass."""
        return int(self.parameters["lanes"]) // 8

    @property
    def desk_bytes(self) -> int:
        """Return the shared memory of a warp: its sums, and the ring of rows."""
        wide = 8 * self.word > MOST_IN_AN_ATOMIC
        arcs, item = 1 if wide else ARCS[str(self.parameters["registers"])], 2 * self.word
        return WARP * (-(-(self.word + 3 * 4) // item) * item + 2 * arcs * item)

    @property
    def block_size(self) -> int:
        """Return the threads of a block: as many as are asked for, or as a block has shared memory for."""
        return min(super().block_size, WARP * (self.device.limits.dynamic_shared // self.desk_bytes))

    @property
    def has_grid(self) -> bool:
        """Return whether there is a kernel of the grid for the settings, and the GPU can launch it."""
        compiled = all(str(self.parameters[key]) == value for key, value in OF_GRID.items())
        return compiled and self.device.limits.cooperative_launch

    def kernel_name(self) -> str:
        return self.name_of("lane_queues")

    def name_of(self, kernel: str) -> str:
        """Return the name of a kernel for the settings."""
        return "_".join((kernel, *(str(self.parameters[key]) for key in ("precision", *OF_GRID))))

    def choose_blocks(self) -> int:
        """Return how many passes are searched at a time: 1 if it belongs to the grid."""
        passes, team = super().choose_blocks(), self.parameters["team"]
        idle = passes * IDLE <= self.resident_blocks()
        self.by_grid = team == "grid" or (
            team == "auto" and self.has_grid and not self.number("blocks") and idle
        )
        if self.by_grid:
            kernel = self.name_of("lane_queues_grid")
            self.of_grid = self.module.kernel(kernel)
            self.all_blocks = self.module.resident_blocks(kernel, self.block_size, self.without_filter)
        return 1 if self.by_grid else passes

    @property
    def without_filter(self) -> int:
        """Return the bytes of shared memory of a block of the grid."""
        return self.shared - self.filter_bytes

    def start(self, *arguments: Any) -> None:
        if self.by_grid:
            shared = self.without_filter
            self.of_grid(self.all_blocks, self.block_size, *arguments, shared=shared, cooperative=True)
        else:
            super().start(*arguments)

    def block_bytes(self) -> int:
        """Return the memory of a pass in bytes.

        For each vertex, every search of a pass has a number and an entry of the queue. Besides there are
        three words of a bit per search, a candidate, the end of a level, and whether a vertex is a candidate
        where its marks do not tell, and once three counters. Ends and counters have 64 bits if need be.
        """
        vertices = max(part.reduced.graph.vertices for part in self.rounds)
        searches = self.lanes * (self.real.itemsize + self.word + 4)
        numbers, place = 2 if self.lanes > MOST_IN_AN_ATOMIC else 1, 8 if self.is_wide else 4
        return aligned(vertices * (searches + 3 * self.word + numbers * 4 + place) + 3 * place)

    def last_arguments(self) -> list[Any]:
        filter_bits = 0 if self.by_grid else 8 * self.filter_bytes
        return [*super().last_arguments(), np.uint32(filter_bits), np.uint32(self.number("few"))]
