"""Single-source shortest paths on a device: the distance of every vertex."""

from __future__ import annotations

import ctypes
from abc import abstractmethod
from collections.abc import Mapping
from itertools import count
from typing import ClassVar

import numpy as np

from retrace.devices.base import Buffer
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.solvers.bulk_synchronous import BulkSynchronous
from retrace.solvers.host import c_graph, pointer
from retrace.solvers.registry import REGISTRY, DeviceSolver, Query, Setting
from retrace.system.errors import RetraceError


@REGISTRY.add
class BspSSSP(BulkSynchronous):
    """Two bulk-synchronous kernels an iteration."""

    name = "sssp/bsp"
    implements = "bsp-suite, section 3.4.3, second Algorithms 3.5 and 3.6"
    sources = ("sssp/bsp.cu",)
    kernels = ("sssp_kernel1", "sssp_kernel2")
    bytes_per_vertex = 9

    def upload(self, query: Query) -> None:
        """Send the graph; the source is masked and at distance 0."""
        graph, device = self.graph, self.device
        assert graph.weights is not None
        only_source = np.zeros(graph.vertices, dtype=np.bool_)
        only_source[query.source] = True
        distance = np.full(graph.vertices, UNREACHABLE, dtype=np.int32)
        distance[query.source] = 0
        arcs = [device.upload(array) for array in (graph.indptr, graph.indices, graph.weights)]
        mask = device.upload(only_source)
        self.answer, updating = device.upload(distance), device.upload(distance)
        vertices, more = np.int32(graph.vertices), device.empty(1, np.int32)
        self.arguments = (
            (vertices, *arcs, mask, self.answer, updating),
            (vertices, mask, self.answer, updating, more),
        )


class MaskSSSP(DeviceSolver):
    """One kernel an iteration, with predecessors; the variants differ in how the host sees the mask."""

    implements = "tuwien-sssp, Algorithm 1"
    sources: ClassVar[tuple[str, ...]] = ("sssp/mask.cu", "sssp/mask.cuh")
    bytes_per_vertex: ClassVar[int | None] = 17

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernels."""
        self.graph = graph
        module = self.device.load("sssp/mask.cu")
        self.relax, self.unpack = module.kernel("mask_relax"), module.kernel("mask_unpack")

    def upload(self, query: Query) -> None:
        """Send the graph; only the source is masked, at distance 0."""
        graph, device = self.graph, self.device
        assert graph.weights is not None
        self.arcs = [device.upload(array) for array in (graph.indptr, graph.indices, graph.weights)]
        distance = np.full(graph.vertices, UNREACHABLE, dtype=np.int32)
        distance[query.source] = 0
        self.state = self.make_state(distance)
        self.make_mask()
        device.write(self.mask, distance == 0)

    def make_state(self, distance: Int32Array) -> list[Buffer]:
        """Allocate what the kernel updates: a label for each vertex, its distance above its predecessor."""
        label = distance.astype(np.uint64) << np.uint64(32) | np.uint64(0xFFFFFFFF)
        return [self.device.upload(label)]

    @abstractmethod
    def make_mask(self) -> None:
        """Allocate the mask on the device, and what the host needs to see it."""

    @abstractmethod
    def any_masked(self) -> bool:
        """Wait for the kernel, and tell whether any vertex is masked."""

    mask: Buffer

    def solve(self, query: Query) -> int:
        """Relax until no vertex is masked."""
        vertices, grid = np.int32(self.graph.vertices), self.grid(self.graph.vertices)
        block = self.block_size
        for iteration in count(1):
            self.relax(grid, block, vertices, *self.arcs, self.mask, *self.state)
            if not self.any_masked():
                return iteration
            if iteration > self.graph.vertices:  # a shortest path has fewer arcs
                raise RetraceError(f"{self.name} does not end: it masks the vertices of a cycle of weight 0")
        raise AssertionError

    def download(self) -> Int32Array:
        """Fetch the distances; the predecessors stay on the device."""
        size = self.graph.vertices
        distance, self.predecessor = self.device.empty(size, np.int32), self.device.empty(size, np.int32)
        self.unpack(self.grid(size), self.block_size, np.int32(size), *self.state, distance, self.predecessor)
        return self.device.download(distance)

    def predecessors(self) -> Int32Array:
        """Fetch the predecessors, after `download`."""
        return self.device.download(self.predecessor)


@REGISTRY.add
class StandardSSSP(MaskSSSP):
    """The mask is copied to pageable host memory after every iteration and searched there."""

    name = "sssp/standard"

    def make_mask(self) -> None:
        """Allocate the mask twice."""
        self.mask = self.device.empty(self.graph.vertices, np.bool_)
        self.seen = np.empty(self.graph.vertices, dtype=np.bool_)

    def any_masked(self) -> bool:
        """Copy the mask and search it."""
        self.device.read(self.mask, self.seen)
        return bool(self.seen.any())


@REGISTRY.add
class PinnedSSSP(StandardSSSP):
    """As `sssp/standard`, with the host's copy of the mask in page-locked memory."""

    name = "sssp/pinned"

    def make_mask(self) -> None:
        """Allocate the mask twice, once page-locked."""
        self.mask = self.device.empty(self.graph.vertices, np.bool_)
        self.seen = self.device.pinned(self.graph.vertices, np.bool_)


@REGISTRY.add
class ZeroCopySSSP(MaskSSSP):
    """The mask lies in host memory that the kernel reaches by itself: nothing is copied."""

    name = "sssp/zero-copy"
    bytes_per_vertex = 16

    def make_mask(self) -> None:
        """Allocate the mask once, mapped."""
        self.seen, self.mask = self.device.mapped(self.graph.vertices, np.bool_)

    def any_masked(self) -> bool:
        """Wait for the kernel and search the mask where it is."""
        self.device.synchronize()
        return bool(self.seen.any())


@REGISTRY.add
class GPUSearchSSSP(MaskSSSP):
    """The device searches the mask, in parts that double from one block on; one int is copied a part."""

    name = "sssp/gpu-search"
    sources = (*MaskSSSP.sources, "sssp/mask-search.cu")

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernels."""
        super().setup(graph)
        self.search = self.device.load("sssp/mask-search.cu").kernel("mask_search")

    def make_mask(self) -> None:
        """Allocate the mask and the flag."""
        self.mask = self.device.empty(self.graph.vertices, np.bool_)
        self.found = self.device.upload(np.zeros(1, dtype=np.int32))
        self.seen = np.zeros(1, dtype=np.int32)

    def any_masked(self) -> bool:
        """Search part by part until a masked vertex is found or the mask ends."""
        begin, blocks, block_size = 0, 1, self.block_size
        self.device.write(self.found, np.zeros(1, dtype=np.int32))
        while begin < self.graph.vertices:
            end = min(begin + blocks * block_size, self.graph.vertices)
            self.search(blocks, block_size, np.int32(begin), np.int32(end), self.mask, self.found)
            self.device.read(self.found, self.seen)
            if self.seen[0]:
                return True
            begin, blocks = end, 2 * blocks
        return False


@REGISTRY.add
class PublishedSSSP(StandardSSSP):
    """`sssp/standard` with Algorithm 1 as printed, but for line 7; its predecessors may be wrong."""

    name = "sssp/standard-published"
    sources = ("sssp/mask-published.cu",)
    bytes_per_vertex = 9

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernel."""
        self.graph = graph
        self.relax = self.device.load("sssp/mask-published.cu").kernel("mask_relax")

    def make_state(self, distance: Int32Array) -> list[Buffer]:
        """Allocate distances and predecessors."""
        self.predecessor = self.device.upload(np.full(self.graph.vertices, -1, dtype=np.int32))
        return [self.device.upload(distance), self.predecessor]

    def download(self) -> Int32Array:
        """Fetch the distances."""
        return self.device.download(self.state[0])


@REGISTRY.add
class PredecessorPassSSSP(StandardSSSP):
    """`sssp/standard` with 32-bit distances; predecessors are taken in a pass after the last iteration."""

    name = "sssp/standard-predecessor-pass"
    sources = ("sssp/mask-predecessor-pass.cu",)
    bytes_per_vertex = 9

    def setup(self, graph: CSRGraph) -> None:
        """Load the kernels."""
        self.graph = graph
        module = self.device.load(self.sources[0])
        self.relax = module.kernel("mask_relax")
        self.take = module.kernel("take_predecessors")
        self.take_weightless = module.kernel("take_weightless_predecessors")
        assert graph.weights is not None
        self.has_weightless = bool((graph.weights == 0).any())

    def make_state(self, distance: Int32Array) -> list[Buffer]:
        """Allocate distances and predecessors."""
        self.predecessor = self.device.upload(np.full(self.graph.vertices, -1, dtype=np.int32))
        return [self.device.upload(distance)]

    def solve(self, query: Query) -> int:
        """Relax until no vertex is masked; then take the predecessors."""
        iterations = super().solve(query)
        vertices, grid = np.int32(self.graph.vertices), self.grid(self.graph.vertices)
        block = self.block_size
        self.take(grid, block, vertices, *self.arcs, *self.state, np.int32(UNREACHABLE), self.predecessor)
        more = np.full(1, self.has_weightless, dtype=np.int32)
        flag = self.device.empty(1, np.int32)
        while more[0]:
            self.device.fill(flag, 0)
            self.take_weightless(
                grid, block, vertices, *self.arcs, np.int32(query.source), *self.state, self.predecessor,
                flag,
            )  # fmt: skip
            self.device.read(flag, more)
        return iterations

    def download(self) -> Int32Array:
        """Fetch the distances."""
        return self.device.download(self.state[0])


@REGISTRY.add
class ThrustSSSP(DeviceSolver):
    """`sssp/standard` with Thrust's vectors and algorithms; without CUDA on Thrust's own host system."""

    name = "sssp/thrust"
    implements = "tuwien-sssp, Algorithm 1, with Thrust"
    sources = ("thrust/sssp_thrust.cpp", "sssp/mask.cuh")
    bytes_per_vertex = 9
    defaults: ClassVar[Mapping[str, Setting]] = {}

    def setup(self, graph: CSRGraph) -> None:
        """Load the library."""
        self.graph = graph
        self.c_graph = c_graph(graph)
        self.library = self.device.load_thrust(self.sources[0])
        self.library.sssp_thrust_upload.restype = ctypes.c_void_p
        self.answer, self.predecessor = (np.empty(graph.vertices, dtype=np.int32) for _ in range(2))
        self.search: ctypes.c_void_p | None = None

    def upload(self, query: Query) -> None:
        """Copy the graph into device vectors; only the source is masked, at distance 0."""
        self.free()
        self.search = ctypes.c_void_p(self.library.sssp_thrust_upload(self.c_graph, query.source))

    def solve(self, query: Query) -> int:
        """Relax until no vertex is masked."""
        return int(self.library.sssp_thrust_solve(self.search))

    def download(self) -> Int32Array:
        """Fetch distances and predecessors, and free the vectors while their context is there."""
        self.library.sssp_thrust_download(self.search, pointer(self.answer), pointer(self.predecessor))
        self.free()
        return self.answer

    def free(self) -> None:
        """Free what an upload allocated."""
        if self.search is not None:
            self.library.sssp_thrust_free(self.search)
            self.search = None

    def predecessors(self) -> Int32Array:
        """Hand out the predecessors."""
        return self.predecessor
