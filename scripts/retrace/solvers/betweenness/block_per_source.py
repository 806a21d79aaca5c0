"""Brandes' algorithm on a device, with a block of threads for each source, as in domitrz-brandes.

Blocks take sources (coarse-grained parallelism), and the threads of a block share each level of its search
(fine-grained). One launch serves all sources. What a variant derives from the simple graph, such as its
compacted form, is part of `upload`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import cycle
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import TooLargeError
from cuda_device.interface import Buffer, Device, Module
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.solvers.betweenness.compaction import COMPACT, Compacted, compact, uncompacted
from retrace.solvers.betweenness.conventions import count_pairs_once, too_many_paths
from retrace.solvers.solver import DeviceSolver, seconds_of

PRECISIONS: dict[str, np.dtype[Any]] = {"float": np.dtype(np.float32), "double": np.dtype(np.float64)}

TRUSTED_S = 0.1
"""Seconds that searches must take for the time of all to be predicted from them."""

SHARE = 0.95
"""The share of the free device memory that searches may take, since allocations are rounded up."""

ARC_LIMIT = 2**31 - 1 - 1024
"""A thread's arc index passes the last arc by up to a block, and must not overflow."""

Argument = np.int32 | NDArray[np.signedinteger[Any]]
"""An argument of a kernel that describes the graph: a number, or an array to be uploaded."""


class Staging:
    """Copies arrays to the device from pinned memory on some streams in turn; without streams, plainly."""

    def __init__(self, device: Device, streams: int) -> None:
        self.device = device
        self.streams = [device.stream() for _ in range(streams)]

    def upload(self, arrays: Sequence[NDArray[Any]]) -> list[Buffer]:
        """Copy arrays, and wait for the copies. Pinned memory is allocated and freed, off the clock."""
        if not self.streams:
            return [self.device.upload(array) for array in arrays]
        buffers = [self.device.empty(array.size, array.dtype) for array in arrays]
        device = self.device
        pinned = [device.page_lock(device.pinned, array.size, array.dtype) for array in arrays]
        for stream, array, staged, buffer in zip(cycle(self.streams), arrays, pinned, buffers, strict=False):
            staged[:] = array
            device.write(buffer, staged, stream)
        for stream in self.streams:
            stream.synchronize()
        with device.off_the_clock():
            del pinned, staged
        return buffers


class BetweennessSolver(DeviceSolver):
    """What all variants on a device share: the precision, and the detection of overflowing path counts."""

    settings: ClassVar[Settings] = {
        "precision": Setting("double", "betweenness: type of path counts and scores", choices=(*PRECISIONS,)),
        "streams": Setting(4, "betweenness: streams on which the graph is copied; 0: none", least=0),
    }

    page_locks = True
    repeats = True
    ends_on_host = True

    def setup(self, graph: CSRGraph) -> None:
        self.real = PRECISIONS[str(self.parameters["precision"])]
        self.score_type = self.real
        self.graph = simplify(graph)
        if not self.wide and self.graph.arcs > ARC_LIMIT:
            raise TooLargeError(f"{self.name}: {self.graph.arcs:,} arcs, expected {ARC_LIMIT:,} at most")
        self.module = self.load_module()
        self.upload_arrays = self.copier()
        self.overflowed, self.overflow = self.device.mapped(1, np.int32)
        """A source with too many paths, or -1, which the host reads without a copy."""

    def copier(self) -> Callable[[Sequence[NDArray[Any]]], list[Buffer]]:
        """Return what copies arrays to the device."""
        return Staging(self.device, self.number("streams")).upload

    def kernel_file(self) -> str:
        """Return the kernel file that the settings ask for."""
        return self.source

    def load_module(self) -> Module:
        """Load the kernel file."""
        return self.device.load(self.kernel_file())

    def no_scores(self, size: int) -> Buffer:
        """Return scores of 0 for so many vertices."""
        buffer = self.device.empty(size, self.score_type)
        self.device.fill(buffer, 0)
        return buffer

    def refuse_overflow(self, reduced: Compacted | None = None) -> None:
        """Raise RetraceError if a search, of the reduced graph, has more paths than `precision` holds."""
        self.device.synchronize()
        source = self.overflowed
        if source[0] < 0:
            return
        if reduced is not None:
            source = reduced.original(source)
        limit, advice = "a double and its inverse hold, 4.5e307", ""
        if self.real == np.float32:
            limit, advice = "a float and its inverse hold, 8.5e37", "precision=double, "
        compacted = reduced is not None and reduced.graph.vertices < self.graph.vertices
        raise too_many_paths(self.name, int(source[0]), limit, compacted, advice)


def aligned(size: int) -> int:
    """Round bytes up to a multiple of 256, as CUDA's own allocations are."""
    return max(1, -(-size // 256)) * 256


@dataclass
class Round:
    """Searches of one graph, on the device."""

    reduced: Compacted
    """The graph, and the vertices that each of its vertices stands for."""
    arguments: list[Any]
    """The kernel's first arguments, which describe the graph."""
    sources: Buffer
    """The sources of the searches, int32."""
    score: Buffer
    """Sums over ordered pairs, for each vertex of the reduced graph."""


class Brandes(BetweennessSolver):
    """A block for each search: all searches in one launch, or one launch for each batch of them.

    By default there are as many blocks as the device runs at once and has memory for, and of the most
    threads, so that the fewest searches compete for the cache.
    """

    settings: ClassVar[Settings] = {
        "blocks": Setting(0, "betweenness: searches at a time; 0: chosen by the device", least=0),
        "block_size": replace(DeviceSolver.settings["block_size"], default=1024),
        "batch": Setting(0, "betweenness: searches in a launch; 0: all", least=0),
        **BetweennessSolver.settings,
    }
    compacted: bool = False
    """Whether vertices of degree 1 are removed before the searches."""
    queued: ClassVar[bool] = False
    """Whether a search keeps the vertices of its levels in a queue."""
    lanes: int = 1
    """Searches of a block at a time."""
    draws: ClassVar[bool] = False
    """Whether blocks draw their searches from a counter, `next_pass`; otherwise each takes its share."""
    shared: int = 0
    """Bytes of dynamic shared memory of a block."""

    def __init_subclass__(cls) -> None:
        """Derive the report's file from the name, unless the variant states another."""
        if cls.compacted and COMPACT not in cls.more_sources:
            cls.more_sources = (COMPACT, *cls.more_sources)
        if "name" in vars(cls) and "implements" not in vars(cls):
            cls.implements = f"domitrz-brandes, brandes-par-{cls.name.partition('/')[2]}.cu"
        super().__init_subclass__()

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.kernel = self.module.kernel(self.kernel_name())
        self.load_host_files()

    def kernel_name(self) -> str:
        """Return the name of the kernel in `source`."""
        return f"brandes_{self.parameters['precision']}"

    def reduce(self, query: Query) -> tuple[Compacted, ...]:
        """Return the graphs to search, with the sources of each."""
        whole = uncompacted(self.graph, query.sources)
        return (compact(whole) if self.compacted else whole,)

    def layout(self, graph: CSRGraph) -> list[Argument]:
        """Return the arguments of the kernel that describe a graph: here CSR."""
        return [graph.indptr, graph.indices]

    def upload(self, query: Query) -> None:
        self.query = query
        self.rounds: list[Round] = []
        self.workspace: Buffer | None = None  # frees the memory of the last query
        self.next_pass = self.device.upload(np.zeros(1, np.int32))  # a launch leaves 0 for the next one
        self.rounds = [self.send(reduced) for reduced in self.reduce(query)]
        self.blocks = self.choose_blocks()
        self.workspace = self.allocate(self.blocks)

    def allocate(self, blocks: int) -> Buffer:
        """Allocate the memory of all searches at a time: what the kernel is given as `workspace`."""
        return self.device.empty(blocks * self.block_bytes(), np.uint8)

    def in_order(self, reduced: Compacted) -> Int32Array:
        """Return the sources of the searches of a graph, in the order in which blocks take them."""
        return np.flatnonzero(reduced.source_count > 0).astype(np.int32)

    def reach(self, reduced: Compacted) -> Int32Array | Buffer:
        """Return for how many vertices each vertex is a target: to be copied, or on the device."""
        return np.ascontiguousarray(reduced.reach)

    def send(self, reduced: Compacted) -> Round:
        sources = self.in_order(reduced)
        arguments: list[Any] = [np.int32(reduced.graph.vertices), *self.layout(reduced.graph)]
        if self.compacted:
            arguments += [self.reach(reduced), reduced.source_count]
        arrays = {id(value): value for value in arguments if isinstance(value, np.ndarray)}
        *buffers, on_device = self.upload_arrays([*arrays.values(), sources])
        sent = dict(zip(arrays, buffers, strict=True))
        return Round(
            reduced,
            [sent.get(id(value), value) for value in arguments],
            on_device,
            self.no_scores(reduced.graph.vertices),
        )

    def block_bytes(self) -> int:
        """Return a block's memory in bytes: sigma, delta, d, and a queue with the ends of its levels."""
        vertices = max(part.reduced.graph.vertices for part in self.rounds)
        words = vertices + (2 * vertices + 2 if self.queued else 0)
        return aligned(2 * vertices * self.real.itemsize + 4 * words)

    def choose_blocks(self) -> int:
        """Return how many searches run at a time; raise TooLargeError if they need more than is free."""
        free, each = int(SHARE * self.device.free_memory()), self.block_bytes()
        most = max(1, *(-(-part.sources.size // self.lanes) for part in self.rounds))
        asked = int(self.parameters.get("blocks", 0))
        blocks = min(most, asked or max(1, min(self.resident_blocks(), free // each)))
        if blocks * each > free:
            fewer = f"ask for blocks={free // each}" if free >= each else "betweenness/levels needs the least"
            raise TooLargeError(
                f"{self.name}: blocks={blocks} needs {blocks * each / 2**30:.3g} GiB of device memory, "
                f"{(blocks * each - free) / 2**30:.3g} GiB more than is free; {fewer}"
            )
        return blocks

    def resident_blocks(self) -> int:
        """Return how many blocks run at the same time."""
        if self.draws:
            return self.module.resident_blocks(self.kernel_name(), self.block_size, self.shared)
        return self.device.resident_blocks(self.block_size)

    def last_arguments(self) -> list[Any]:
        """Return the kernel's arguments after those that all variants have."""
        return [self.next_pass] if self.draws else []

    def launch(self, part: Round, first: int, last: int) -> None:
        """Search from the sources `first` to `last` - 1 of a round."""
        self.start(
            *part.arguments, part.sources, np.int32(first), np.int32(last), self.workspace,
            np.uint64(self.block_bytes()), part.score, self.overflow, *self.last_arguments(),
        )  # fmt: skip

    def start(self, *arguments: Any) -> None:
        """Launch the kernel with its arguments."""
        self.kernel(self.blocks, self.block_size, *arguments, shared=self.shared)

    def begin_again(self, query: Query) -> None:
        if query != self.query:  # the reduced graph depends on the sources
            self.upload(query)
        for part in self.rounds:
            self.device.fill(part.score, 0)

    def solve(self, query: Query) -> int:
        for part in self.rounds:
            self.overflowed[0] = -1
            step = self.number("batch") or max(1, part.sources.size)
            for first in range(0, part.sources.size, step):
                self.launch(part, first, min(first + step, part.sources.size))
            self.refuse_overflow(part.reduced)
        return sum(part.sources.size for part in self.rounds)

    def download(self) -> NDArray[np.float64]:
        first, *rest = (part.reduced.expand(self.scores(part)) for part in self.rounds)
        return count_pairs_once(sum(rest, first), self.graph)

    def scores(self, part: Round) -> NDArray[np.float32 | np.float64]:
        """Fetch the scores of a round, shape (part.reduced.graph.vertices,)."""
        return self.device.download(part.score)

    def observed(self) -> dict[str, float]:
        """Return how many searches ran at a time, their memory, and the size of the reduced graph."""
        graph = self.rounds[-1].reduced.graph
        return {
            "blocks": self.blocks,
            "block_bytes": self.block_bytes(),
            "workspace_bytes": self.blocks * self.block_bytes(),
            "searches": sum(part.sources.size for part in self.rounds),
            "searched_vertices": graph.vertices,
            "searched_arcs": graph.arcs,
        }

    def predict_seconds(self, query: Query) -> float | None:
        self.upload(query)
        return sum(self.predict_round(part) for part in self.rounds if part.sources.size)

    def predict_round(self, part: Round) -> float:
        """Extrapolate from ever more searches, until they take long enough; if all run at once, from one."""

        def launch(count: int) -> None:
            self.launch(part, 0, count)
            self.device.synchronize()

        searches, few = part.sources.size, self.blocks * self.lanes
        first = seconds_of(lambda: launch(1))  # warms the device up
        if searches <= few:
            return first
        while True:
            few = min(few, searches)
            taken = seconds_of(partial(launch, few))
            if taken >= TRUSTED_S or few == searches:
                return taken / few * searches
            few *= 4
