"""Betweenness centrality on a device: the eleven CUDA variants of domitrz-brandes.

What a variant makes of the simple graph, such as compacting it, is part of its `upload`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.devices.base import Buffer, Device
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.reductions import Compacted, compact, simplify
from retrace.graphs.virtual import StrideCSR, VirtualCSR
from retrace.solvers.brandes import count_pairs_once, sources_of, too_many_paths
from retrace.solvers.registry import REGISTRY, DeviceSolver, Query, Setting
from retrace.system.errors import RetraceError, TooLargeError

PRECISIONS: dict[str, np.dtype[Any]] = {"float": np.dtype(np.float32), "double": np.dtype(np.float64)}

TRUSTED_S = 0.1
"""Seconds of searches from which the time of all is predicted."""

SHARE = 0.95
"""Of the free device memory, what searches may take: allocations are rounded up."""

MOST_ARCS = 2**31 - 1 - 1024
"""A thread's count of arcs goes past the last one by up to a block, and must not wrap."""

Argument = np.int32 | Int32Array
"""What a kernel gets to know of the graph: a number, or an array that is uploaded first."""


def upload_all(device: Device, arrays: Sequence[NDArray[Any]], streams: int) -> list[Buffer]:
    """Copy arrays to the device from pinned memory, on so many streams in turn; on none, as they are."""
    if streams < 1:
        return [device.upload(array) for array in arrays]
    pool = [device.stream() for _ in range(streams)]
    copies = []
    for array, stream in zip(arrays, cycle(pool), strict=False):
        pinned, buffer = device.pinned(array.size, array.dtype), device.empty(array.size, array.dtype)
        pinned[:] = array
        device.write(buffer, pinned, stream)
        copies.append((buffer, pinned))
    for stream in pool:
        stream.synchronize()
    return [buffer for buffer, _ in copies]


class BetweennessSolver(DeviceSolver):
    """What the variants agree on: precision, and what an overflow is.

    Settings: `precision`, float or double; `streams`, on how many the graph is copied, 0 for none.
    """

    defaults: ClassVar[Mapping[str, Setting]] = {"precision": "double", "streams": 4}

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernels; drop self-loops and parallel arcs.

        Raises
        ------
        RetraceError
            If `precision` is neither.
        TooLargeError
            If the simple graph has more arcs than the kernels count.
        """
        precision = str(self.parameters["precision"])
        if precision not in PRECISIONS:
            raise RetraceError(f"{self.name}: precision is {precision}, expected {' or '.join(PRECISIONS)}")
        self.real = PRECISIONS[precision]
        self.graph = simplify(graph)
        if self.graph.arcs > MOST_ARCS:
            raise TooLargeError(f"{self.name}: {self.graph.arcs:,} arcs, expected {MOST_ARCS:,} at most")
        self.module = self.device.load(self.sources[0])

    def zeros(self, size: int) -> Buffer:
        """Allocate scores."""
        buffer = self.device.empty(size, self.real)
        self.device.fill(buffer, 0)
        return buffer

    def refuse_overflow(self, overflow: Buffer, kept: Int32Array) -> None:
        """Raise RetraceError if a search has counted more paths than `precision` holds."""
        source = int(self.device.download(overflow)[0])
        if source < 0:
            return
        hangs = len(kept) < self.graph.vertices
        if self.real == np.float32:
            limit = "a float and its inverse hold, 8.5e37"
            raise too_many_paths(self.name, int(kept[source]), limit, hangs, "precision=double, ")
        raise too_many_paths(self.name, int(kept[source]), "a double and its inverse hold, 4.5e307", hangs)


def aligned(size: int) -> int:
    """Round bytes up as CUDA's own allocations are."""
    return max(1, -(-size // 256)) * 256


@dataclass
class Round:
    """Searches in one graph, on the device.

    Attributes
    ----------
    reduced
        The graph, and what its vertices stand for.
    arguments
        The kernel's first arguments.
    sources
        Where the searches start.
    score
        Sums over ordered pairs, shape (reduced.graph.vertices,).
    overflow
        A source with too many paths, or -1.
    """

    reduced: Compacted
    arguments: list[Any]
    sources: Buffer
    score: Buffer
    overflow: Buffer


def csr(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Lay a graph out as it is."""
    return [graph.indptr, graph.indices]


def arc_list(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Lay a graph out as tail and head of each arc."""
    return [np.int32(graph.arcs), graph.tails(), graph.indices]


def virtual_csr(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Lay a graph out as Virtual-CSR."""
    virtual = VirtualCSR.of(graph, mdeg)
    return [np.int32(len(virtual.vmap)), virtual.vmap, virtual.vptr, graph.indices]


def stride_csr(graph: CSRGraph, mdeg: int) -> list[Argument]:
    """Lay a graph out as Stride-CSR."""
    stride = StrideCSR.of(graph, mdeg)
    return [
        np.int32(len(stride.vmap)), stride.vmap, stride.begin, stride.nvir, graph.indptr, graph.indices,
    ]  # fmt: skip


class Brandes(BetweennessSolver):
    """A block for each search: all in one launch, or one launch for each batch.

    Settings: `blocks`, 0 for as many as the device runs at once and has memory for; `block_size`, by default
    the most there can be, so that the fewest searches compete for the cache; `batch`, searches a launch, 0
    for all.
    """

    defaults: ClassVar[Mapping[str, Setting]] = {
        "blocks": 0, "block_size": 1024, "batch": 0, **BetweennessSolver.defaults,
    }  # fmt: skip
    layout: ClassVar[Callable[[CSRGraph, int], list[Argument]]]
    compacted: ClassVar[bool] = False
    queued: ClassVar[bool] = False
    lanes: ClassVar[int] = 1

    def __init_subclass__(cls) -> None:
        """Name the report's file, unless a variant implements something else."""
        super().__init_subclass__()
        if "implements" not in vars(cls):
            cls.implements = f"domitrz-brandes, brandes-par-{cls.name.partition('/')[2]}.cu"

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernel."""
        super().setup(graph)
        self.kernel = self.module.kernel(f"brandes_{self.parameters['precision']}")

    def reduce(self, query: Query) -> tuple[Compacted, ...]:
        """Return the graphs to search, with the sources of each."""
        graph = self.graph
        if self.compacted:
            return (compact(graph, query.sources),)
        every = np.arange(graph.vertices, dtype=np.int32)
        count = np.zeros(graph.vertices, dtype=np.int32)
        count[sources_of(query, graph)] = 1
        return (Compacted(graph, every, np.ones_like(every), count, np.zeros(graph.vertices)),)

    def upload(self, query: Query) -> None:
        """Send the graph, and allocate all searches' arrays in one piece.

        Raises
        ------
        TooLargeError
            If the device's free memory will not do.
        """
        self.rounds: list[Round] = []
        self.workspace: Buffer | None = None  # the last query's; what it held is free again
        self.rounds = [self.send(reduced) for reduced in self.reduce(query)]
        self.blocks = self.choose_blocks()
        self.workspace = self.device.empty(self.blocks * self.block_bytes(), np.uint8)

    def in_order(self, reduced: Compacted) -> Int32Array:
        """List where the searches of one of the graphs start."""
        return np.flatnonzero(reduced.source_count).astype(np.int32)

    def send(self, reduced: Compacted) -> Round:
        """Send one of the graphs."""
        device = self.device
        sources = self.in_order(reduced)
        layout = type(self).layout(reduced.graph, int(self.parameters.get("mdeg", 0)))
        arguments = [np.int32(reduced.graph.vertices), *layout]
        if self.compacted:
            arguments += [reduced.reach, reduced.source_count]
        arrays = {id(value): value for value in arguments if isinstance(value, np.ndarray)}
        *buffers, on_device = upload_all(device, [*arrays.values(), sources], int(self.parameters["streams"]))
        sent = dict(zip(arrays, buffers, strict=True))
        return Round(
            reduced,
            [sent.get(id(value), value) for value in arguments],
            on_device,
            self.zeros(reduced.graph.vertices),
            device.upload(np.full(1, -1, dtype=np.int32)),
        )

    def block_bytes(self) -> int:
        """Device memory of a block: sigma, delta and d, and a queue with the ends of its levels."""
        vertices = max(part.reduced.graph.vertices for part in self.rounds)
        words = vertices + (2 * vertices + 2 if self.queued else 0)
        return aligned(2 * vertices * self.real.itemsize + 4 * words)

    def choose_blocks(self) -> int:
        """Return how many searches run at a time.

        Raises
        ------
        TooLargeError
            If the blocks asked for, or a single one, need more memory than is free.
        """
        free, each = int(SHARE * self.device.free_memory()), self.block_bytes()
        most = max(1, *(-(-part.sources.size // self.lanes) for part in self.rounds))
        asked = int(self.parameters["blocks"])
        resident = self.device.resident_blocks(int(self.parameters["block_size"]))
        blocks = min(most, asked or max(1, min(resident, free // each)))
        if blocks * each > free:
            advice = (
                f"ask for blocks={free // each}" if free >= each else "betweenness/levels needs the least"
            )
            raise TooLargeError(
                f"{self.name}: blocks={blocks} needs {blocks * each / 2**30:.3g} GiB of device memory, "
                f"{(blocks * each - free) / 2**30:.3g} GiB more than is free; {advice}"
            )
        return blocks

    def launch(self, part: Round, first: int, last: int) -> None:
        """Search from some of a graph's sources."""
        self.kernel(
            self.blocks, int(self.parameters["block_size"]), *part.arguments, part.sources, np.int32(first),
            np.int32(last), self.workspace, np.uint64(self.block_bytes()), part.score, part.overflow,
        )  # fmt: skip

    def solve(self, query: Query) -> int:
        """Search from every source, a launch for each batch; returns the number of searches.

        Raises
        ------
        RetraceError
            If there are more shortest paths than `precision` holds.
        """
        for part in self.rounds:
            step = int(self.parameters["batch"]) or max(1, part.sources.size)
            for first in range(0, part.sources.size, step):
                self.launch(part, first, min(first + step, part.sources.size))
        for part in self.rounds:
            self.refuse_overflow(part.overflow, part.reduced.kept)
        return sum(part.sources.size for part in self.rounds)

    def download(self) -> NDArray[np.float64]:
        """Fetch the scores, and bring them back to the whole graph."""
        parts = [part.reduced.expand(self.device.download(part.score)) for part in self.rounds]
        return count_pairs_once(np.sum(parts, axis=0), self.graph)

    def observed(self) -> dict[str, float]:
        """Tell how many searches ran at a time, how large each was, and what was left of the graph."""
        graph = self.rounds[-1].reduced.graph
        return {
            "blocks": self.blocks,
            "block_bytes": self.block_bytes(),
            "searches": sum(part.sources.size for part in self.rounds),
            "searched_vertices": graph.vertices,
            "searched_arcs": graph.arcs,
        }

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate from some searches: more of them until their time is long enough to be trusted."""
        self.upload(query)
        return sum(self.predict_round(part) for part in self.rounds if part.sources.size)

    def predict_round(self, part: Round) -> float:
        """Predict the seconds that all searches of a round take; at least one's, if all run at a time."""
        began = time.perf_counter()
        self.launch(part, 0, 1)  # warms the device up
        self.device.synchronize()
        few = self.blocks * self.lanes
        if part.sources.size <= few:
            return time.perf_counter() - began
        while True:
            few = min(few, part.sources.size)
            began = time.perf_counter()
            self.launch(part, 0, few)
            self.device.synchronize()
            taken = time.perf_counter() - began
            if taken >= TRUSTED_S or few == part.sources.size:
                return taken / few * part.sources.size
            few *= 4


def kernel_files(variant: str, *shared: str) -> tuple[str, ...]:
    """Name a variant's kernel file and the headers that it includes."""
    return tuple(f"betweenness/{name}" for name in (f"{variant}.cu", *shared, "brandes.cuh"))


@REGISTRY.add
class Vert(Brandes):
    """A thread a vertex."""

    name = "betweenness/vert"
    sources = kernel_files("vert", "vert.cuh")
    layout = csr


@REGISTRY.add
class Edge(Brandes):
    """A thread an arc."""

    name = "betweenness/edge"
    sources = kernel_files("edge", "edge.cuh")
    layout = arc_list


@REGISTRY.add
class VertQueue(Brandes):
    """A thread a vertex of the level, which lies in a queue."""

    name = "betweenness/vert-queue"
    sources = kernel_files("vert-queue", "vert_queue.cuh", "vert.cuh")
    layout = csr
    queued = True


@REGISTRY.add
class VertComp(Vert):
    """`betweenness/vert` on the compacted graph."""

    name = "betweenness/vert-comp"
    sources = kernel_files("vert-comp", "vert.cuh")
    compacted = True


@REGISTRY.add
class EdgeComp(Edge):
    """`betweenness/edge` on the compacted graph."""

    name = "betweenness/edge-comp"
    sources = kernel_files("edge-comp", "edge.cuh")
    compacted = True


@REGISTRY.add
class VertQueueComp(VertQueue):
    """`betweenness/vert-queue` on the compacted graph."""

    name = "betweenness/vert-queue-comp"
    sources = kernel_files("vert-queue-comp", "vert_queue.cuh", "vert.cuh")
    compacted = True


@REGISTRY.add
class VertVirt(Brandes):
    """A thread a virtual vertex, of up to `mdeg` arcs, on Virtual-CSR."""

    name = "betweenness/vert-virt"
    sources = kernel_files("vert-virt", "virtual.cuh")
    defaults: ClassVar[Mapping[str, Setting]] = {**Brandes.defaults, "mdeg": 4}
    layout = virtual_csr


@REGISTRY.add
class VertVirtStride(VertVirt):
    """A thread a virtual vertex, of up to `mdeg` arcs, on Stride-CSR."""

    name = "betweenness/vert-virt-stride"
    sources = kernel_files("vert-virt-stride", "virtual.cuh")
    layout = stride_csr


@REGISTRY.add
class VertCompVirt(VertVirt):
    """`betweenness/vert-virt` on the compacted graph."""

    name = "betweenness/vert-comp-virt"
    sources = kernel_files("vert-comp-virt", "virtual.cuh")
    compacted = True


@REGISTRY.add
class VertCompVirtStride(VertVirtStride):
    """`betweenness/vert-virt-stride` on the compacted graph: the report's fastest."""

    name = "betweenness/vert-comp-virt-stride"
    sources = kernel_files("vert-comp-virt-stride", "virtual.cuh")
    compacted = True


@REGISTRY.add
class VertCompVirtStrideConst(VertCompVirtStride):
    """`betweenness/vert-comp-virt-stride` with the graph's two sizes in `__constant__` memory."""

    name = "betweenness/vert-comp-virt-stride-const"
    sources = kernel_files("vert-comp-virt-stride-const", "virtual.cuh")

    def send(self, reduced: Compacted) -> Round:
        """Send the graph, its sizes apart."""
        part = super().send(reduced)
        vertices, virtual, *part.arguments = part.arguments
        self.module.write_symbol("constant_vertices", np.array([vertices]))
        self.module.write_symbol("constant_virtual_vertices", np.array([virtual]))
        return part
