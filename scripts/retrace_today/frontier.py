"""Searches in one cooperative launch with work divided by arcs: ours, for graphs of few levels.

A level costs one barrier of the grid in place of launches and a flag that the host reads. Everything that a
second source on the same graph would need again, such as setting all levels, is part of `solve`.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from cuda_device.errors import TooLargeError
from cuda_device.gpu_limits import Needs
from cuda_device.interface import Buffer, Kernel, Module, PackedLaunch
from retrace.catalogue.setting import PREDECESSORS, Setting, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.bfs import BlockQueueBFS, TracedBack
from retrace.solvers.solver import WARP, DeviceSolver
from retrace.system.errors import RetraceError
from retrace_today.arcs_on_device import ArcsOnDevice, arc_count
from retrace_today.reversed_arcs import ReversedArcs

ENTRY, WIDE_ENTRY = np.dtype(np.uint64), np.dtype("V16")
"""An entry of a queue: two numbers of 32 bits, or of 64 if offsets have as many."""
MOST_ENTRIES = 2**31
"""Most entries of a queue: kernels add the number of warps to the place of one, in 32 bits."""


def require_entries(entries: int, advice: str) -> None:
    """Raise TooLargeError, with the advice, if a queue may have more entries than kernels count."""
    if entries > MOST_ENTRIES:
        too_many = f"the queue may have {entries} entries, expected at most {MOST_ENTRIES}"
        raise TooLargeError(f"{too_many}; {advice}")


class PackedSearch(ArcsOnDevice):
    """A search whose only launch is packed before `solve`, and anew for another source."""

    kernel: Kernel
    blocks: int
    shared: int = 0
    """Bytes of dynamic shared memory of a block."""
    launch: PackedLaunch
    packed_source: int | None

    def pack_search(self, query: Query, graph: Sequence[Any], state: Sequence[Any]) -> None:
        """Pack the kernel's arguments, the last step of `upload`: the graph, the source, and all else."""
        self.of_graph, self.state, self.packed_source = graph, state, None
        self.begin_again(query)

    def begin_again(self, query: Query) -> None:
        if query.source != self.packed_source:
            arguments = *self.of_graph, np.int32(query.source), *self.state
            self.launch = self.kernel.with_arguments(
                self.blocks, self.block_size, *arguments, shared=self.shared
            )
            self.packed_source = query.source


class FrontierSearch(PackedSearch):
    """One cooperative launch of as many blocks as run at the same time, or of `grid`.

    What a solver makes of the graph alone is part of `upload`; `prepare_ms` tells what it takes.
    """

    settings: ClassVar[Settings] = {
        "block_size": replace(DeviceSolver.settings["block_size"], default=512),
        "grid": Setting(0, "blocks of the launch; 0: as many as run at the same time", least=0),
        "registers": Setting(
            "64", "registers of a thread; fewer, and more threads run", choices=("32", "64")
        ),
        "piece": Setting(64, "most arcs of an entry of the frontier", most=2**26),
        "block_queue_size": replace(BlockQueueBFS.settings["block_queue_size"], default=1024),
    }
    wide = True
    needs = Needs(cooperative_launch=True)
    repeats = True
    prepare_ms: float
    module: Module
    """The kernel file, for offsets as wide as the graph's."""

    @abstractmethod
    def kernel_name(self) -> str:
        """Return the kernel's name in `source`, before the number of its registers."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.require_whole_warps()
        require_entries(self.queue_entries, f"set a larger piece than {self.number('piece')}")
        self.module, kernel = (
            self.load_for(graph, self.source),
            f"{self.kernel_name()}_{self.parameters['registers']}",
        )
        self.kernel = self.module.kernel(kernel)
        self.entry = self.entry_type(graph)
        self.shared = self.number("block_queue_size") * self.entry.itemsize
        resident = self.module.resident_blocks(kernel, self.block_size, self.shared)
        self.blocks = self.number("grid") or resident
        if self.blocks > resident:
            asked = f"{self.name}: grid is {self.blocks}"
            raise RetraceError(f"{asked}, expected at most {resident}, which run at the same time")
        self.seen, self.counts = self.device.mapped(4, np.int64)

    @property
    def queue_entries(self) -> int:
        """Return the most entries of a frontier."""
        return self.entries_of(self.graph)

    def entries_of(self, graph: CSRGraph) -> int:
        """Count each vertex once, and one more for every `piece` arcs."""
        return graph.vertices + graph.arcs // self.number("piece")

    @staticmethod
    def entry_type(graph: CSRGraph) -> np.dtype[Any]:
        return WIDE_ENTRY if graph.is_wide else ENTRY

    def frontier_bytes(self, graph: CSRGraph, bitmaps: int, counters: int) -> int:
        """Return the size of bitmaps, of two queues, and of counters of 8 bytes."""
        words = -(-graph.vertices // WARP)
        entries = 2 * self.entry_type(graph).itemsize * self.entries_of(graph)
        return 4 * bitmaps * words + entries + 8 * counters

    def solve(self, query: Query) -> int:
        self.launch()
        self.device.synchronize()
        return int(self.seen[0])


UNSPILLED = 768
"""Most threads of a block of a `LabelledSearch`; with more, its registers would not fit, and be spilled."""


class LabelledSearch(FrontierSearch):
    """A search whose predecessors, if wanted, are in one word with the distances, on the device.

    A multiprocessor has 65,536 registers on every GPU of the table: 80 for each of 768 threads, unless
    `registers` is 32.
    """

    at_most: ClassVar[Mapping[str, int]] = {"block_size": UNSPILLED}
    more_sources: ClassVar[tuple[str, ...]] = ("retrace_today/frontier/split-labels.cu",)
    label: Buffer
    """Of each vertex: uint64 with predecessors, else int32."""

    def setup(self, graph: CSRGraph) -> None:
        if self.parameters["registers"] == "64" and self.block_size > UNSPILLED:
            told = f"{self.name}: block_size is {self.block_size}, expected at most {UNSPILLED}"
            raise RetraceError(f"{told} with registers=64")
        super().setup(graph)
        self.split = self.device.load(LabelledSearch.more_sources[0]).kernel("split")

    @property
    def label_bytes(self) -> int:
        """Return the bytes of a vertex: its label, and what labels are split into."""
        return 16 if self.finds_predecessors else 4

    def no_labels(self) -> Buffer:
        """Allocate a label for each vertex."""
        return self.device.empty(self.graph.vertices, np.uint64 if self.finds_predecessors else np.int32)

    def download(self) -> Int32Array:
        if not self.finds_predecessors:
            return self.device.download(self.label)
        vertices = self.graph.vertices
        answer = [self.device.empty(vertices, np.int32) for _ in ("distance", "predecessor")]
        self.split(self.grid(vertices), self.block_size, np.int32(vertices), self.label, *answer)
        distance, self.predecessor = map(self.device.download, answer)
        return distance


ALONE: Settings = {"alone": Setting(1024, "most arcs of a level that one block finds by itself", least=0)}
"""The setting of a search whose small levels block 0 finds while the grid waits."""


class DirectionBFS(TracedBack, LabelledSearch):
    """Direction-optimising search: from above along the frontier's arcs, or from below by unvisited vertices.

    A level is found from below if the frontier has more than 1 / `alpha` of the arcs of unvisited vertices,
    until it has less than 1 / `beta` of the vertices that are left. `upload` reverses the arcs, on the
    device. S. Beamer, K. Asanović and D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
    Predecessors, if wanted, are found with the levels.
    """

    name = "bfs/direction"
    implements = "Beamer, Asanović and Patterson, SC 2012, in one launch"
    more_sources = (
        *TracedBack.more_sources, ReversedArcs.source, *ReversedArcs.more_sources,
        *LabelledSearch.more_sources,
    )  # fmt: skip
    settings: ClassVar[Settings] = {
        **FrontierSearch.settings,
        **ALONE,
        "block_size": replace(DeviceSolver.settings["block_size"], default=UNSPILLED),
        "alpha": Setting(14, "from below if the frontier has 1 / alpha of the arcs left", least=0),
        "rest": Setting(
            2048,
            "most vertices left that one block finds by itself; at most 4 per thread, and 2 per entry of its "
            "queue",
            least=0,
        ),
        "beta": Setting(24, "from above again if the frontier has less than 1 / beta of the vertices left"),
        **PREDECESSORS,
    }

    def kernel_name(self) -> str:
        return "direction_tree" if self.finds_predecessors else "direction"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.reversed_arcs = ReversedArcs(self.device, self.block_size, graph.is_wide)

    def memory_bytes(self, graph: CSRGraph) -> int:
        directions = 1 if graph.info.get("directed") is False else 2
        arrays = directions * (graph.indptr.nbytes + 4 * graph.arcs) + self.label_bytes * graph.vertices
        return arrays + self.frontier_bytes(graph, bitmaps=2, counters=6 + 5)

    def upload(self, query: Query) -> None:
        device = self.device
        arcs = self.upload_arcs(self.graph)
        began = perf_counter()
        undirected = self.graph.info.get("directed") is False
        entering = arcs if undirected else self.reversed_arcs.of(*arcs)
        entered = self.reversed_arcs.count_entered(entering[0])
        self.prepare_ms = (perf_counter() - began) * 1e3
        self.label = self.no_labels()
        graph = np.int32(self.graph.vertices), *arcs, *entering, np.uint32(entered)
        state = (
            self.label, device.empty(2 * -(-self.graph.vertices // WARP), np.uint32),
            device.empty(2 * self.queue_entries, self.entry), np.uint32(self.queue_entries),
            device.empty(6, np.uint64), device.empty(5, np.uint64),
            *(np.uint32(self.number(key)) for key in ("piece", "block_queue_size", "alone")),
            np.uint32(min(self.number("rest"), 4 * self.block_size, 2 * self.number("block_queue_size"))),
            *(np.uint32(self.number(key)) for key in ("alpha", "beta")), self.counts,
        )  # fmt: skip
        self.pack_search(query, graph, state)

    def observed(self) -> dict[str, float]:
        """Return the levels found from below, the returns to above, and the ms to reverse all arcs."""
        _, below, returns, _ = self.seen.tolist()
        return {"levels_from_below": below, "returns_to_above": returns, "prepare_ms": self.prepare_ms}


WEIGHTS_SAMPLED = 4096
"""Weights whose mean is taken for that of all."""
DENSE, RISE, RISE_IF_DENSE = 16, 14, 10
"""Arcs per vertex from which on a graph is dense, and by how much the limit of near distances rises.

Each rise costs a pass and small rounds; each distance between the limits more arcs that are relaxed twice, of
which a dense graph has many (docs/experiments, 37).
"""


def choose_delta(graph: CSRGraph, rise: int) -> int:
    """Return the least rise of the limit of near distances, at least 1; `rise` is the setting."""
    assert graph.weights is not None
    if not graph.arcs:
        return 1
    rise = rise or (RISE if graph.arcs < DENSE * graph.vertices else RISE_IF_DENSE)
    mean_weight = graph.weights[:: -(-graph.arcs // WEIGHTS_SAMPLED)].mean()
    delta = rise * mean_weight * graph.vertices / graph.arcs
    return int(min(max(1, delta), UNREACHABLE - 1))


class NearFarSSSP(LabelledSearch):
    """A near pile, whose arcs are relaxed in rounds, and a far pile, for when the near one is empty.

    A vertex is near if its distance is below a limit, which rises by delta at least. Delta follows from the
    degree and a sample of the weights, as in the paper, whose `rise` is 32. `upload` interleaves heads and
    weights on the device. A. Davidson, S. Baxter, M. Garland and J. D. Owens, "Work-Efficient Parallel GPU
    Methods for Single-Source Shortest Paths", IPDPS 2014.
    """

    name = "sssp/near-far"
    implements = "Davidson, Baxter, Garland and Owens, IPDPS 2014, Near-Far Pile, in one launch"
    settings: ClassVar[Settings] = {
        **FrontierSearch.settings,
        **ALONE,
        "block_size": replace(DeviceSolver.settings["block_size"], default=UNSPILLED // 2),
        "rise": Setting(
            0,
            "rise of the limit of near distances, in mean weights over the mean degree; 0: by the degree",
            least=0,
        ),
        **PREDECESSORS,
    }

    def kernel_name(self) -> str:
        return "near_far_tree" if self.finds_predecessors else "near_far"

    def memory_bytes(self, graph: CSRGraph) -> int:
        """Count the arcs twice: as they arrive, and interleaved."""
        arrays = graph.indptr.nbytes + 16 * graph.arcs + self.label_bytes * graph.vertices
        return arrays + self.frontier_bytes(graph, bitmaps=3, counters=6 + 5)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.interleave = self.module.kernel("interleave")

    def upload(self, query: Query) -> None:
        device, vertices, arcs = self.device, self.graph.vertices, self.graph.arcs
        indptr, indices, weights = self.upload_arcs(self.graph)
        began = perf_counter()
        self.delta = choose_delta(self.graph, self.number("rise"))
        interleaved = device.empty(arcs, np.uint64)
        self.interleave(
            self.grid(arcs), self.block_size, arc_count(self.graph), indices, weights, interleaved
        )
        device.synchronize()
        self.prepare_ms = (perf_counter() - began) * 1e3
        self.label = self.no_labels()
        state = (
            np.uint32(self.delta), self.label, device.empty(3 * -(-vertices // WARP), np.uint32),
            device.empty(2 * self.queue_entries, self.entry), np.uint32(self.queue_entries),
            device.empty(6, np.uint64), device.empty(3, np.int32), device.empty(5, np.uint64),
            *(np.uint32(self.number(key)) for key in ("piece", "block_queue_size", "alone")), self.counts,
        )  # fmt: skip
        self.pack_search(query, (np.int32(vertices), indptr, interleaved), state)

    def observed(self) -> dict[str, float]:
        """Return delta, how often the limit rose, the arcs relaxed, and the ms to interleave arcs."""
        _, limits, relaxed, _ = self.seen.tolist()
        counts = {"delta": self.delta, "limits": limits, "arcs_relaxed": relaxed}
        return counts | {"prepare_ms": self.prepare_ms}
