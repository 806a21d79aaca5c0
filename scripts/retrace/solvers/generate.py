"""Both generators of tuwien-sssp: solvers whose answer is a graph, timed in the same phases."""

from __future__ import annotations

import ctypes
import math
import os
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.devices.base import Device
from retrace.devices.build import build_host
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.generators import stream_key
from retrace.graphs.random import RandomGraph, resolve_arcs
from retrace.solvers.host import pointer
from retrace.solvers.prefix_sums import PrefixSums
from retrace.solvers.registry import (
    GENERATORS,
    DeviceSolver,
    Query,
    Setting,
    Solver,
    make,
)
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS


class Generator(Solver):
    """A way to make a random graph: a solver that is given what the graph is to be; no query adds to that."""

    connected: ClassVar[bool] = False
    """Whether every graph is weakly connected."""
    wanted: RandomGraph

    @abstractmethod
    def setup(self, wanted: RandomGraph) -> None:
        """Load code; raises RetraceError if this generator makes no such graph."""

    @abstractmethod
    def upload(self, query: Query | None = None) -> None:
        """Allocate all memory."""

    @abstractmethod
    def solve(self, query: Query | None = None) -> None:
        """Make the graph."""

    @abstractmethod
    def download(self) -> CSRGraph:
        """Fetch the graph."""

    def keys(self) -> NDArray[np.uint64]:
        """Return `RandomKeys` of `kernels/generate/random_graph.h`; each generator draws from its own."""
        first = self.name.partition("/")[2][0]
        purposes = ("tree", "way", "arcs", "heads", "weight")
        return np.array([stream_key(self.wanted.seed, f"{first}.{purpose}") for purpose in purposes])

    def finished(self, indptr: Int32Array, indices: Int32Array, weights: Int32Array) -> CSRGraph:
        """Give the graph its identity."""
        return CSRGraph(indptr, indices, weights, self.identity(self.wanted))

    @classmethod
    def identity(cls, wanted: RandomGraph) -> dict[str, Any]:
        """Tell what a graph of this generator is."""
        variant = cls.name.partition("/")[2]
        name = wanted.name or f"{variant}-{wanted.vertices}-{wanted.arcs}"
        return {**wanted.info, "name": name, "edition": variant}


class CRandomGraph(ctypes.Structure):
    """`RandomGraph` of `kernels/host/generate_tree_first.cpp`."""

    _fields_: ClassVar = [
        *((name, ctypes.c_int) for name in ("vertices", "arcs", "low", "high")),
        ("keys", ctypes.c_uint64 * 5),
    ]


@GENERATORS.add
class TreeFirst(Generator):
    """A random tree, then arcs at random: weakly connected; a vertex's arcs are sorted by their heads."""

    name = "generate/tree-first"
    implements = "tuwien-sssp, Graph Generation, the first"
    sources = ("host/generate_tree_first.cpp", "generate/random_graph.h")
    connected = True
    defaults: ClassVar[Mapping[str, Setting]] = {"threads": len(os.sched_getaffinity(0))}

    def setup(self, wanted: RandomGraph) -> None:
        """Load the library."""
        resolve_arcs(wanted.vertices, arcs=wanted.arcs, connected=True)
        self.wanted = wanted
        keys = (ctypes.c_uint64 * 5)(*self.keys().tolist())
        self.c_wanted = CRandomGraph(wanted.vertices, wanted.arcs, *wanted.weights, keys)
        self.function: Any = ctypes.CDLL(str(build_host(KERNELS / self.sources[0]))).generate_tree_first
        self.function.restype = None

    def upload(self, query: Query | None = None) -> None:
        """Allocate the graph's arrays, and nothing else."""
        try:
            self.arrays = [
                np.empty(size, dtype=np.int32)
                for size in (self.wanted.vertices + 1, self.wanted.arcs, self.wanted.arcs)
            ]
        except MemoryError:
            raise RetraceError(
                f"{self.wanted.arcs} arcs need {self.wanted.memory_bytes / 2**30:.1f} GiB of memory, more "
                "than there is; ask for fewer"
            ) from None

    def solve(self, query: Query | None = None) -> None:
        """Make the graph."""
        self.function(self.c_wanted, self.parameters["threads"], *map(pointer, self.arrays))

    def download(self) -> CSRGraph:
        """Hand out the graph."""
        return self.finished(*self.arrays)


@GENERATORS.add
class RandomDegree(Generator, DeviceSolver):
    """A random degree for each vertex, then random heads, on a device; perhaps not connected."""

    name = "generate/random-degree"
    implements = "tuwien-sssp, Graph Generation, the second"
    sources = ("generate/random-degree.cu", "generate/random_graph.h", *PrefixSums.sources)

    def memory_bytes(self, wanted: RandomGraph) -> int:
        """Predict the device memory: the graph's own, beside which the sums of its degrees are little."""
        return wanted.memory_bytes

    def setup(self, wanted: RandomGraph) -> None:
        """Load the kernels."""
        self.wanted = wanted
        module = self.device.load(self.sources[0])
        self.degrees, self.heads = module.kernel("random_degrees"), module.kernel("random_heads")
        self.prefix_sums = PrefixSums(self.device)

    def upload(self, query: Query | None = None) -> None:
        """Allocate the graph's arrays, and what adding up the degrees needs."""
        device, wanted = self.device, self.wanted
        self.random_keys = device.upload(self.keys())
        self.indptr = device.empty(wanted.vertices + 1, np.int32)
        device.fill(self.indptr, 0)
        self.indices, self.weights = (device.empty(wanted.arcs, np.int32) for _ in ("indices", "weights"))
        self.prefix_sums.allocate(self.indptr.size)

    def solve(self, query: Query | None = None) -> None:
        """Count each vertex's arcs, add the counts up to `indptr`, and draw the heads."""
        wanted = self.wanted
        vertices = np.int32(wanted.vertices)
        arcs = np.int32(wanted.arcs)
        self.degrees(self.grid(wanted.arcs), self.block_size, vertices, arcs, self.random_keys, self.indptr)
        self.prefix_sums.scan(self.indptr)
        low, high = map(np.int32, wanted.weights)
        side = np.int32(math.isqrt(max(0, wanted.vertices - 2)) + 1)
        self.heads(
            self.grid(wanted.vertices), self.block_size, vertices, self.indptr, side, low, high,
            self.random_keys, self.indices, self.weights,
        )  # fmt: skip

    def download(self) -> CSRGraph:
        """Fetch the graph."""
        return self.finished(*map(self.device.download, (self.indptr, self.indices, self.weights)))


def generate(name: str, wanted: RandomGraph, device: Device | None = None) -> CSRGraph:
    """Run all phases of a generator once; one that runs on a device needs it.

    Raises
    ------
    RetraceError
        If there is none of that name, or it makes no such graph.
    """
    generator = make(name, device)
    assert isinstance(generator, Generator)
    generator.setup(wanted)
    generator.upload()
    generator.solve()
    return generator.download()
