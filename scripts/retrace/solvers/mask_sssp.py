"""Shortest paths with a mask of the vertices whose distance has fallen: report tuwien-sssp.

A kernel relaxes the arcs of all masked vertices, as Bellman and Ford do: O(vertices * arcs) work in the worst
case, but as many iterations only as a shortest path has arcs, and parallel within each. The variants of
`sssp/standard` differ in how the host learns that no vertex is masked, and in where predecessors come from.
"""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_device.host_loop import HostLoop
from cuda_device.interface import Buffer, Kernel, PackedLaunch
from retrace.catalogue.setting import LOOP, Settings
from retrace.devices.host import Address, c_graph, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.predecessor_pass import PredecessorPass
from retrace.solvers.solver import DeviceSolver, HostSolver, fill_but_one
from retrace.system.errors import RetraceError

EARLY = 0.1
"""The share of the mask in which an early search ends."""


class MaskSequentialSSSP(HostSolver):
    """Sequential sweeps, which relax the arcs of masked vertices until none is masked: O(vertices * arcs).

    A vertex is masked when its distance falls. The report prints no pseudo-code of it.
    """

    name = "sssp/mask-sequential"
    implements = "tuwien-sssp, section 5, the sequential version"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.predecessor = np.empty(graph.vertices, dtype=np.int32)
        self.c_predecessor = pointer(self.predecessor)

    def solve(self, query: Query) -> int:
        return int(self.function(self.c_graph, query.source, self.c_answer, self.c_predecessor))


class QueueSequentialSSSP(MaskSequentialSSSP):
    """A first-in, first-out queue of the vertices whose distance fell; the mask tells which are in it.

    Bellman-Ford with a queue, O(vertices * arcs): the other reading of the report's sentence.
    """

    name = "sssp/queue-sequential"


def room_for_paths(graph: CSRGraph) -> list[Int32Array]:
    """Allocate host memory for distances and predecessors, and write to it: new pages would slow a copy."""
    return [np.full(graph.vertices, -1, dtype=np.int32) for _ in range(2)]


class MaskSSSP(DeviceSolver):
    """One kernel an iteration, with one thread for each vertex, which relaxes the arcs of masked ones.

    Heads whose distance falls are masked. Distance and predecessor share a 64-bit word, updated by one
    atomicMin, so that they always belong together: Algorithm 1 is corrected (docs/errata.md).

    All variants move the same bytes, except for the mask: `upload` copies the graph, and labels and mask are
    filled on the device; `download` copies 8 bytes a vertex, its distance and its predecessor, which the
    report calls "copying the resulting paths". Pageable memory of the host is allocated in `setup`, the
    device's in `upload`, and page-locked memory there too, off the clock.
    """

    implements = "tuwien-sssp, Algorithm 1"
    source = "sssp/mask.cu"
    bytes_per_vertex: ClassVar[int | None] = 17
    repeats = True
    answer_in = ("state",)
    kernels: ClassVar[tuple[str, ...]] = ("mask_relax", "mask_start", "mask_unpack")
    """The kernel that relaxes, and those that run before and after it."""
    state: list[Buffer]
    """What the kernel updates beside the mask."""
    answer: list[Buffer]
    """Distances and predecessors."""
    first_masked: float | None
    """At which vertex the host's searches of the mask ended, on average, but for the last."""
    settings: ClassVar[Settings] = {**DeviceSolver.settings, **LOOP}

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.relax, *self.others = self.load_kernels(*self.kernels)
        self.allocation_ms = 0.0
        self.brought = room_for_paths(graph)
        self.allocate_on_host()

    def allocate_on_host(self) -> None:
        """Allocate `seen`, what the host inspects of the mask."""
        self.seen: NDArray[Any] = self.allocated(np.empty, self.graph.vertices, np.bool_)

    def lock_on_host(self) -> None:
        """Page-lock memory and fill it; nothing in variants whose memory is pageable."""

    def allocated(self, allocate: Callable[[int, DTypeLike], Any], size: int, dtype: DTypeLike) -> Any:
        """Allocate host memory, and add to `allocation_ms` what that takes."""
        began = perf_counter()
        memory = allocate(size, dtype)
        self.allocation_ms += (perf_counter() - began) * 1e3
        return memory

    def locked(self, allocate: Callable[[int, DTypeLike], Any], size: int, dtype: DTypeLike) -> Any:
        """Page-lock host memory, which is an allocation, too."""
        return self.allocated(partial(self.device.page_lock, allocate), size, dtype)

    def upload(self, query: Query) -> None:
        self.first_masked = None
        with self.device.off_the_clock():
            self.lock_on_host()
        self.arcs = self.send_graph()
        self.make_mask()
        self.allocate_state()
        self.start(query.source)
        self.loop = self.make_loop()

    def send_graph(self) -> list[Buffer]:
        """Copy the graph to the device; return `indptr`, `indices` and weights."""
        return self.upload_arcs(self.graph)

    def make_mask(self) -> None:
        """Allocate the mask on the device."""
        self.mask: Buffer = self.device.empty(self.graph.vertices, np.bool_)

    def allocate_state(self) -> None:
        """Allocate the answer, and a label for each vertex: its distance above its predecessor."""
        self.state = [self.device.empty(self.graph.vertices, np.uint64)]
        self.answer = [self.device.empty(self.graph.vertices, np.int32) for _ in range(2)]

    def start(self, source: int) -> None:
        """Mask the source, at distance 0."""
        self.each_vertex(self.others[0], np.int32(source), self.mask, *self.state)

    def begin_again(self, query: Query) -> None:
        self.start(query.source)

    def each_vertex(self, kernel: Kernel, *arguments: Any) -> None:
        """Launch a kernel with one thread for each vertex."""
        vertices = self.graph.vertices
        kernel(self.grid(vertices), self.block_size, np.int32(vertices), *arguments)

    def make_loop(self) -> HostLoop:
        """Relax, then copy the mask and search it on the host."""
        return HostLoop(rounds=[[self.relaxing()]], state=self.mask, seen=self.seen, most=self.most)

    def relaxing(self) -> PackedLaunch:
        """Return the launch that relaxes."""
        vertices = self.graph.vertices
        arguments = np.int32(vertices), *self.arcs, self.mask, *self.state
        return self.pack(self.relax, self.grid(vertices), *arguments)

    @property
    def most(self) -> int:
        """The iterations after which a search does not end, since a shortest path has fewer arcs."""
        return self.graph.vertices + 1

    def solve(self, query: Query) -> int:
        iterations, ended, positions = self.repeat(self.loop)
        if not ended:
            raise RetraceError(f"{self.name} does not end: it masks the vertices of a cycle of weight 0")
        if iterations > 1:
            self.first_masked = positions / (iterations - 1)
        return iterations

    def download(self) -> Int32Array:
        self.each_vertex(self.others[1], *self.state, *self.answer)
        return self.fetch()

    def fetch(self) -> Int32Array:
        """Return the distances, and keep the predecessors."""
        for buffer, memory in zip(self.answer, self.brought, strict=True):
            self.device.read(buffer, memory)
        distance, self.predecessor = self.brought
        return distance

    def observed(self) -> dict[str, float]:
        """Return the ms to allocate host memory, and at which vertex, on average, the host's search ended.

        Page-locking is an allocation, too. The last search, which finds no vertex, does not count.
        """
        quantities = {} if self.first_masked is None else {"first_masked": self.first_masked}
        return {"allocation_ms": self.allocation_ms, **quantities}


class StandardSSSP(MaskSSSP):
    """The host copies the mask to pageable memory after every iteration: "standard memory transfer"."""

    name = "sssp/standard"


class AtomicAlwaysSSSP(MaskSSSP):
    """`sssp/standard` with an atomic for every arc, as printed: others first see whether it could help."""

    name = "sssp/standard-atomic-always"
    kernels = ("mask_relax_always", "mask_start", "mask_unpack")


class PinnedSSSP(MaskSSSP):
    """`sssp/standard` with the host's mask in page-locked memory, which the GPU writes directly."""

    name = "sssp/pinned"
    page_locks = True

    def allocate_on_host(self) -> None:
        """Do nothing: the mask is page-locked."""

    def lock_on_host(self) -> None:
        self.seen = self.locked(self.device.pinned, self.graph.vertices, np.bool_)


class PinnedGraphSSSP(MaskSSSP):
    """`sssp/standard` with the graph in page-locked memory instead of the mask.

    The report says that the mask gains most from it, because it is copied in every iteration.
    """

    name = "sssp/pinned-graph"
    page_locks = True

    def lock_on_host(self) -> None:
        self.pinned = []
        for array in self.arrays_of(self.graph):
            pinned = self.locked(self.device.pinned, array.size, array.dtype)
            pinned[:] = array
            self.pinned.append(pinned)

    def send_graph(self) -> list[Buffer]:
        return [self.device.upload(array) for array in self.pinned]


class ZeroCopySSSP(MaskSSSP):
    """The mask lies in host memory that the kernel accesses over the bus, so that it is never copied."""

    name = "sssp/zero-copy"
    bytes_per_vertex = 16
    page_locks = True

    def allocate_on_host(self) -> None:
        """Do nothing: the mask is mapped."""

    def lock_on_host(self) -> None:
        self.seen, self.mask = self.locked(self.device.mapped, self.graph.vertices, np.bool_)

    def make_mask(self) -> None:
        """Do nothing: the mask is mapped."""

    def make_loop(self) -> HostLoop:
        """Relax, wait, and search the mask on the host."""
        return HostLoop(rounds=[[self.relaxing()]], state=None, seen=self.seen, most=self.most)


class MappedSSSP(ZeroCopySSSP):
    """`sssp/zero-copy` with graph, labels and answer in mapped memory too: nothing is copied by the device.

    The report says that zero-copy "eliminates the need to use cudaMemcpy altogether". `download` copies the
    answer within the host's memory, since mapped memory ends with the device's context.
    """

    name = "sssp/mapped"

    def memory_bytes(self, graph: CSRGraph) -> int:
        return 0

    def lock_on_host(self) -> None:
        super().lock_on_host()
        self.mapped = []
        for array in self.arrays_of(self.graph):
            memory, buffer = self.locked(self.device.mapped, array.size, array.dtype)
            memory[:] = array
            self.mapped.append(buffer)
        vertices = self.graph.vertices
        self.labels = self.locked(self.device.mapped, vertices, np.uint64)
        self.answers: list[tuple[Int32Array, Buffer]] = [
            self.locked(self.device.mapped, vertices, np.int32) for _ in range(2)
        ]

    def send_graph(self) -> list[Buffer]:
        return self.mapped

    def allocate_state(self) -> None:
        self.state, self.answer = [self.labels[1]], [buffer for _, buffer in self.answers]

    def fetch(self) -> Int32Array:
        self.device.synchronize()
        for (mapped, _), memory in zip(self.answers, self.brought, strict=True):
            memory[:] = mapped
        distance, self.predecessor = self.brought
        return distance


class GPUSearchSSSP(MaskSSSP):
    """The device searches the mask, and the host reads one integer instead of the whole mask.

    A second kernel searches one block's worth of vertices, then the next 2, 4, 8, ... blocks, until it finds
    a masked vertex or the mask ends. Report tuwien-sssp, section 5, "GPU Search".
    """

    name = "sssp/gpu-search"
    more_sources = ("sssp/mask-search.cu",)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.search = self.device.load("sssp/mask-search.cu").kernel("mask_search")

    def allocate_on_host(self) -> None:
        self.seen = self.allocated(np.empty, 1, np.int32)

    def make_mask(self) -> None:
        super().make_mask()
        self.found = self.device.empty(1, np.int32)

    def make_loop(self) -> HostLoop:
        """Relax, then search parts of the mask on the device until one has a masked vertex."""
        searches, begin, blocks = list[PackedLaunch](), 0, 1
        while begin < self.graph.vertices:
            end = min(begin + blocks * self.block_size, self.graph.vertices)
            arguments = np.int32(begin), np.int32(end), self.mask, self.found
            searches.append(self.pack(self.search, blocks, *arguments))
            begin, blocks = end, 2 * blocks
        rounds, looks = [[self.relaxing(), *searches]], len(searches)
        return HostLoop(
            rounds=rounds, looks=looks, state=self.found, seen=self.seen, clears=True, most=self.most
        )  # fmt: skip

    def observed(self) -> dict[str, float]:
        return {"allocation_ms": self.allocation_ms}


class SeparatePredecessors(StandardSSSP):
    """`sssp/standard` with 32-bit distances, and the predecessors in an array of their own."""

    bytes_per_vertex = 9

    def allocate_state(self) -> None:
        self.answer = [self.device.empty(self.graph.vertices, np.int32) for _ in range(2)]
        self.state = self.answer

    def start(self, source: int) -> None:
        distance, predecessor = self.answer
        fill_but_one(self.device, self.mask, False, source, True)
        fill_but_one(self.device, distance, UNREACHABLE, source, 0)
        self.device.fill(predecessor, -1)

    def download(self) -> Int32Array:
        return self.fetch()


class PublishedSSSP(SeparatePredecessors):
    """`sssp/standard` with Algorithm 1 of tuwien-sssp as printed, except for line 7, which cannot work so.

    A thread writes the predecessor after the distance, so a slower thread may overwrite it: predecessors may
    be wrong. On a cycle of weight 0 the search does not end (docs/errata.md).
    """

    name = "sssp/standard-published"
    source = "sssp/mask-published.cu"
    kernels = ("mask_relax",)


class PredecessorPassSSSP(PredecessorPass, SeparatePredecessors):
    """`sssp/standard` with 32-bit distances, and predecessors from a pass after the last iteration.

    Ours: the other way to avoid the race of Algorithm 1.
    """

    name = "sssp/standard-predecessor-pass"
    source = PredecessorPass.pass_source
    kernels = ("mask_relax",)

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.load_pass(graph)

    def allocate_state(self) -> None:
        super().allocate_state()
        self.state = self.answer[:1]  # the kernel that relaxes takes the distances alone

    def solve(self, query: Query) -> int:
        iterations = super().solve(query)
        self.find_predecessors(self.graph, self.arcs, query.source, *self.answer)
        return iterations


class ThrustSSSP(DeviceSolver):
    """`sssp/standard` with Thrust's vectors and algorithms, without CUDA on Thrust's own host system.

    It moves the same bytes: the graph, the mask in each iteration, then 8 bytes a vertex.
    """

    name = "sssp/thrust"
    implements = "tuwien-sssp, Algorithm 1, with Thrust"
    source = "thrust/sssp_thrust.cpp"
    bytes_per_vertex = 17
    settings: ClassVar[Settings] = {}

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph
        self.c_graph = c_graph(graph)
        self.library = self.device.load_thrust(self.source)
        self.library.sssp_thrust_upload.restype = Address
        self.answer, self.predecessor = room_for_paths(graph)
        self.search: Address | None = None

    def upload(self, query: Query) -> None:
        self.free()
        self.search = Address(self.library.sssp_thrust_upload(self.c_graph, query.source))

    def solve(self, query: Query) -> int:
        return int(self.library.sssp_thrust_solve(self.search))

    def download(self) -> Int32Array:
        self.library.sssp_thrust_download(self.search, pointer(self.answer), pointer(self.predecessor))
        self.free()  # while the vectors' context exists
        return self.answer

    def free(self) -> None:
        if self.search is not None:
            self.library.sssp_thrust_free(self.search)
            self.search = None


class CountedSSSP(StandardSSSP):
    """`sssp/standard` that counts the sectors it reads labels from, and times each search on the host."""

    name = "sssp/standard-counted"
    more_sources = ("sssp/count-sectors.cu",)
    settings: ClassVar[Settings] = DeviceSolver.settings

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        self.count = self.device.load(self.more_sources[0]).kernel("count_sectors")

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.reads, self.sectors = (self.device.upload(np.zeros(1, np.uint64)) for _ in range(2))

    def solve(self, query: Query) -> int:
        """Do as the loop does, with a count before each iteration and a clock around each search."""
        self.found_at, self.searches_ms = list[int](), list[float]()
        while len(self.searches_ms) == len(self.found_at):
            self.each_vertex(self.count, *self.arcs[:2], self.mask, self.reads, self.sectors)
            self.each_vertex(self.relax, *self.arcs, self.mask, *self.state)
            self.device.read(self.mask, self.seen)
            began = perf_counter()
            first = int(self.seen.argmax())
            found = self.seen[first]
            self.searches_ms.append((perf_counter() - began) * 1e3)
            if found:
                self.found_at.append(first)
        self.first_masked = float(np.mean(self.found_at)) if self.found_at else None
        return len(self.searches_ms)

    def observed(self) -> dict[str, float]:
        """Return also how many labels are read, from how many sectors, and the ms of searches of the mask.

        An early search ends in its first tenth, at the median; the last search goes through all of it.
        """
        pairs = zip(self.searches_ms, self.found_at, strict=False)
        early = [ms for ms, first in pairs if first < EARLY * self.graph.vertices]
        searches = {"early_search_ms": float(np.median(early))} if early else {}
        counts = {"label_reads": self.reads, "label_sectors": self.sectors}
        return {
            **super().observed(),
            **searches,
            "whole_search_ms": self.searches_ms[-1],
            **{key: float(self.device.download(count)[0]) for key, count in counts.items()},
        }
