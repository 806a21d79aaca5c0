"""Betweenness from 32, 64 or 128 sources at a time, with a queue for each level: for graphs of few levels."""

from typing import Any, ClassVar

import numpy as np

from retrace.graphs.csr import CSRGraph
from retrace.solvers.betweenness.block_per_source import aligned
from retrace.solvers.betweenness.extensions import ORDER_SOURCES, Lanes
from retrace.solvers.betweenness.fixed_point import FixedSums
from retrace.solvers.setting import Setting, Settings
from retrace.solvers.solver import WARP
from retrace.system.errors import RetraceError

ARCS = {"32": 1, "64": 2}
"""Arcs that a lane requests at a time, by the registers of a thread."""

MOST_IN_AN_ATOMIC = 64
"""Searches whose marks one atomic operation changes."""


class LaneQueues(FixedSums, Lanes):
    """`betweenness/lanes` with a queue for each level, and a warp's arcs divided evenly among its lanes.

    A level costs as much as it has vertices and arcs, not a look at every vertex; rows are requested several
    at a time; a filter in shared memory passes over neighbours that are not on the level. After M. Then et
    al., "The more the merrier: efficient multi-source graph traversal", PVLDB 8(4), 2014.
    """

    name = "betweenness/lane-queues"
    implements = "Brandes' algorithm, 32, 64 or 128 sources at a time"
    more_sources = ("betweenness/lane-queues-fixed.cu", ORDER_SOURCES)
    draws = True
    settings: ClassVar[Settings] = {
        **FixedSums.settings,
        "lanes": Setting("64", "betweenness/lane-queues: searches of a pass", choices=("32", "64", "128")),
        "registers": Setting("64", "registers of a thread; fewer, and more threads run", choices=(*ARCS,)),
        "filter_kib": Setting(
            "32", "KiB of the filter of vertices; 0: none", choices=("0", "1", "8", "16", "32", "64")
        ),
        "hubs": Setting(4, "vertices of most arcs; sources come by their distances from these"),
        "few": Setting(64, "a level of less than 1 / few of all vertices marks its neighbours", least=0),
    }

    def setup(self, graph: CSRGraph) -> None:
        self.lanes, registers = int(self.parameters["lanes"]), self.parameters["registers"]
        if self.lanes > MOST_IN_AN_ATOMIC and registers == "32":
            asked = f"{self.name}: lanes is {self.lanes}"
            raise RetraceError(f"{asked}, expected at most {MOST_IN_AN_ATOMIC} with registers=32")
        self.hubs = self.number("hubs")
        self.filter_bytes = 1024 * int(self.parameters["filter_kib"])
        arcs = 1 if self.lanes > MOST_IN_AN_ATOMIC else ARCS[str(registers)]
        item = 2 * self.word
        desk = WARP * (-(-(self.word + 3 * 4) // item) * item + 2 * arcs * item)  # sums, and the ring of rows
        self.shared = self.block_size // WARP * desk + self.filter_bytes
        super().setup(graph)

    @property
    def word(self) -> int:
        """Return the bytes of a bit for each search of a pass."""
        return self.lanes // 8

    def kernel_name(self) -> str:
        return "_".join(
            ("lane_queues", *(str(self.parameters[key]) for key in ("precision", "lanes", "registers")))
        )

    def block_bytes(self) -> int:
        """Return a block's memory in bytes.

        For each vertex, every search of a pass has a number and an entry of the queue. Besides there are
        three words of a bit per search, a candidate, the end of a level, and whether a vertex is a candidate
        where its marks do not tell.
        """
        vertices = max(part.reduced.graph.vertices for part in self.rounds)
        searches = self.lanes * (self.real.itemsize + self.word + 4)
        numbers = 3 if self.lanes > MOST_IN_AN_ATOMIC else 2
        return aligned(vertices * (searches + 3 * self.word + numbers * 4))

    def last_arguments(self) -> list[Any]:
        return [*super().last_arguments(), np.uint32(8 * self.filter_bytes), np.uint32(self.number("few"))]
