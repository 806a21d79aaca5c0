"""The two generators of random graphs in report tuwien-sssp: solvers whose answer is a graph.

They are timed in the same phases as other solvers. The arcs of a graph are distinct, none leads back to its
tail, and the same seed gives the same graph everywhere.
"""

import math
from pathlib import PurePath
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device import memory
from cuda_device.errors import TooLargeError
from cuda_device.interface import Device
from retrace.catalogue.setting import CORES, THREADS, Settings
from retrace.devices.host import c_random_graph, host_function, pointer
from retrace.graphs.csr import CSRGraph, Int32Array, offset_type
from retrace.graphs.generators import stream_key
from retrace.graphs.graph_names import resolve_arcs
from retrace.graphs.query import Query
from retrace.graphs.random import RandomGraph
from retrace.solvers.prefix_sums import PrefixSums
from retrace.solvers.solver import DeviceSolver, Solver, find, make


class Generator(Solver):
    """A solver that is given the description of a random graph and makes the graph; it ignores the query."""

    connected: ClassVar[bool] = False
    """Whether every graph is weakly connected."""
    wanted: RandomGraph

    def keys(self) -> NDArray[np.uint64]:
        """Return `RandomKeys` of `kernels/generate/random_graph.h`, shape (5,); generators differ in them."""
        first = self.variant[0]
        purposes = ("tree", "way", "arcs", "heads", "weight")
        return np.array([stream_key(self.wanted.seed, f"{first}.{purpose}") for purpose in purposes])

    def finished(self, indptr: NDArray[Any], indices: Int32Array, weights: Int32Array) -> CSRGraph:
        return CSRGraph(indptr, indices, weights, self.info_of(self.wanted))

    @classmethod
    def info_of(cls, wanted: RandomGraph) -> dict[str, Any]:
        name = wanted.name or f"{cls.variant}-{wanted.vertices}-{wanted.arcs}"
        return {**wanted.info, "name": name, "edition": cls.variant}


class TreeFirst(Generator):
    """A random tree, and then random arcs until the graph has as many as asked for, in C++ on all cores.

    Vertex v of the tree is joined to a random earlier vertex. The further arcs are the beginning of a random
    permutation of all pairs of vertices, without those of the tree. A vertex's arcs are sorted by head.
    """

    name = "generate/tree-first"
    implements = "tuwien-sssp, Graph Generation, the first"
    source = "host/generate_tree_first.cpp"
    connected = True
    wide = True
    settings: ClassVar[Settings] = THREADS

    def setup(self, wanted: RandomGraph) -> None:
        resolve_arcs(wanted.vertices, arcs=wanted.arcs, connected=True)
        self.wanted = wanted
        self.c_wanted = c_random_graph(wanted, self.keys())
        memory.require(wanted.memory_bytes, memory.available(), "memory")
        self.offsets = offset_type(wanted.arcs)
        width = "_wide" if self.offsets is np.int64 else ""
        self.function = host_function(self.source, f"{PurePath(self.source).stem}{width}", returns=None)

    def upload(self, query: Query) -> None:
        arcs = self.wanted.arcs
        self.arrays = [
            np.empty(self.wanted.vertices + 1, self.offsets),
            *(np.empty(arcs, np.int32) for _ in ("indices", "weights")),
        ]

    def solve(self, query: Query) -> None:
        self.function(self.c_wanted, self.threads, *map(pointer, self.arrays))

    @property
    def threads(self) -> int:
        """Return how many threads generate."""
        return self.number("threads") or CORES

    def observed(self) -> dict[str, float]:
        return {"threads": self.threads}

    def download(self) -> CSRGraph:
        return self.finished(*self.arrays)


class OneCoreTreeFirst(TreeFirst):
    """`generate/tree-first` on one core, to compare with what runs on one."""

    name = "generate/tree-first-one-core"
    source = TreeFirst.source
    settings: ClassVar[Settings] = {}
    threads = 1


class ReallocatingTreeFirst(TreeFirst):
    """The same graph on one core, with a vector for each vertex that moves whenever it is full.

    The report calls its own generator very slow for that; `generate/tree-first` counts, then allocates once.
    """

    name = "generate/tree-first-reallocating"
    source = "host/generate_tree_first_reallocating.cpp"
    wide = False
    settings: ClassVar[Settings] = {}
    threads = 1

    def solve(self, query: Query) -> None:
        self.function(self.c_wanted, *map(pointer, self.arrays))


class RandomDegree(Generator, DeviceSolver):
    """A random degree for each vertex, and then distinct random heads, on a device; perhaps not connected.

    The degrees are those of arcs drawn from all pairs without repetition. Prefix sums turn them into
    `indptr`. A vertex's heads are the first images of a random permutation of the other vertices.
    """

    name = "generate/random-degree"
    implements = "tuwien-sssp, Graph Generation, the second"
    more_sources = (PrefixSums.source,)

    def memory_bytes(self, wanted: RandomGraph) -> int:
        return wanted.memory_bytes  # the sums of chunks of degrees are small beside it

    def setup(self, wanted: RandomGraph) -> None:
        self.wanted = wanted
        self.degrees, self.heads = self.load_kernels("random_degrees", "random_heads")
        self.prefix_sums = PrefixSums(self.device)

    def upload(self, query: Query) -> None:
        device, wanted = self.device, self.wanted
        self.random_keys = device.upload(self.keys())
        self.indptr = device.empty(wanted.vertices + 1, np.int32)
        device.fill(self.indptr, 0)
        self.indices, self.weights = (device.empty(wanted.arcs, np.int32) for _ in ("indices", "weights"))
        self.prefix_sums.allocate(self.indptr.size)

    def solve(self, query: Query) -> None:
        wanted = self.wanted
        vertices, arcs = np.int32(wanted.vertices), np.int32(wanted.arcs)
        self.degrees(self.grid(wanted.arcs), self.block_size, vertices, arcs, self.random_keys, self.indptr)
        self.prefix_sums.scan(self.indptr)
        low, high = map(np.int32, wanted.weights)
        side = np.int32(math.isqrt(max(0, wanted.vertices - 2)) + 1)
        self.heads(
            self.grid(wanted.vertices), self.block_size, vertices, self.indptr, side, low, high,
            self.random_keys, self.indices, self.weights,
        )  # fmt: skip

    def download(self) -> CSRGraph:
        return self.finished(*map(self.device.download, (self.indptr, self.indices, self.weights)))


def generate(name: str, wanted: RandomGraph, device: Device | None = None) -> CSRGraph:
    """Run a generator, given by name, once; raise RetraceError if it cannot make such a graph."""
    if (why_not := find(name).exceeded_by(wanted)) is not None:
        raise TooLargeError(why_not)
    generator = make(name, device)
    assert isinstance(generator, Generator)
    generator.setup(wanted)
    generator.upload(Query())
    generator.solve(Query())
    graph: CSRGraph = generator.download()
    return graph
