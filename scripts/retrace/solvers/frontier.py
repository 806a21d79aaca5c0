"""Searches in one cooperative launch with work divided by arcs: ours, for graphs of few levels.

A level costs one barrier of the grid in place of launches and a flag that the host reads. Everything that a
second source on the same graph would need again, such as setting all levels, is part of `solve`.
"""

from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.bfs import BlockQueueBFS, TracedBack
from retrace.solvers.registry import REGISTRY
from retrace.solvers.setting import Setting, Settings
from retrace.solvers.solver import DeviceSolver
from retrace.system.errors import RetraceError

WARP = 32
ENTRY = np.dtype(np.uint64)
"""An entry of a queue: two 32-bit numbers."""


class FrontierSearch(DeviceSolver):
    """One cooperative launch of as many blocks as run at the same time, or of `grid`.

    What a solver makes of the graph alone is part of `upload`; `prepare_ms` tells what it takes.
    """

    settings: ClassVar[Settings] = {
        "block_size": replace(DeviceSolver.settings["block_size"], default=512),
        "grid": Setting(0, "blocks of the launch; 0: as many as run at the same time", least=0),
        "registers": Setting(
            "64", "registers of a thread; fewer, and more threads run", choices=("32", "64")
        ),
        "piece": Setting(64, "most arcs of an entry of the frontier"),
        "alone": Setting(1024, "most arcs of a level that one block finds by itself", least=0),
        "block_queue_size": replace(BlockQueueBFS.settings["block_queue_size"], default=1024),
    }
    kernel_name: ClassVar[str]
    """The kernel's name in `source`, before the number of its registers."""
    prepare_ms: float

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        if self.block_size % WARP:
            asked = f"{self.name}: block_size is {self.block_size}"
            raise RetraceError(f"{asked}, expected a multiple of {WARP}")
        module, kernel = self.device.load(self.source), f"{self.kernel_name}_{self.parameters['registers']}"
        self.kernel = module.kernel(kernel)
        self.shared = self.number("block_queue_size") * ENTRY.itemsize
        resident = module.resident_blocks(kernel, self.block_size, self.shared)
        self.blocks = self.number("grid") or resident
        if self.blocks > resident:
            asked = f"{self.name}: grid is {self.blocks}"
            raise RetraceError(f"{asked}, expected at most {resident}, which run at the same time")
        self.seen, self.counts = self.device.mapped(4, np.int64)

    @property
    def queue_entries(self) -> int:
        """Return the most entries of a frontier: each vertex once, and one more for every `piece` arcs."""
        return self.graph.vertices + self.graph.arcs // self.number("piece")

    def launch(self, *arguments: Any) -> None:
        """Launch the kernel and wait for its end."""
        self.kernel(self.blocks, self.block_size, *arguments, shared=self.shared, cooperative=True)
        self.device.synchronize()


@REGISTRY.add
class DirectionBFS(TracedBack, FrontierSearch):
    """Direction-optimising search: from above along the frontier's arcs, or from below by unvisited vertices.

    A level is found from below if the frontier has more than 1 / `alpha` of the arcs of unvisited vertices,
    until it has less than 1 / `beta` of the vertices that are left. S. Beamer, K. Asanović and D. Patterson,
    "Direction-Optimizing Breadth-First Search", SC 2012.
    """

    name = "bfs/direction"
    implements = "Beamer, Asanović and Patterson, SC 2012, in one launch"
    source = "bfs/direction.cu"
    kernel_name = "direction"
    settings: ClassVar[Settings] = {
        **FrontierSearch.settings,
        "alpha": Setting(14, "from below if the frontier has 1 / alpha of the arcs left", least=0),
        "beta": Setting(24, "from above again if the frontier has less than 1 / beta of the vertices left"),
    }

    def memory_bytes(self, graph: CSRGraph) -> int:
        vertices, arcs = graph.vertices, graph.arcs
        entries = vertices + arcs // self.number("piece")
        return 2 * 4 * (vertices + 1 + arcs) + 4 * vertices + vertices // 4 + 2 * ENTRY.itemsize * entries

    def upload(self, query: Query) -> None:
        device = self.device
        began = perf_counter()
        entering = replace(self.graph, weights=None).reversed()
        self.prepare_ms = (perf_counter() - began) * 1e3
        arcs = self.upload_arcs(self.graph)
        undirected = self.graph.info.get("directed") is False
        self.level = device.empty(self.graph.vertices, np.int32)
        self.arguments = (
            np.int32(self.graph.vertices), *arcs, *(arcs if undirected else self.upload_arcs(entering)),
            np.int32(query.source), self.level, device.empty(2 * -(-self.graph.vertices // WARP), np.uint32),
            device.empty(2 * self.queue_entries, ENTRY), np.uint32(self.queue_entries),
            device.empty(6, np.uint64), device.empty(4, np.uint32),
            *(np.uint32(self.number(key)) for key in ("piece", "block_queue_size", "alone", "alpha", "beta")),
            self.counts,
        )  # fmt: skip

    def solve(self, query: Query) -> int:
        self.launch(*self.arguments)
        return int(self.seen[0])

    def download(self) -> Int32Array:
        return self.device.download(self.level)

    def observed(self) -> dict[str, float]:
        """Return the levels found from below, the returns to above, and the ms to reverse all arcs."""
        _, below, returns, _ = self.seen.tolist()
        return {"levels_from_below": below, "returns_to_above": returns, "prepare_ms": self.prepare_ms}
