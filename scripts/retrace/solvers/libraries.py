"""Libraries that a user would otherwise call: SciPy, igraph, NetworKit, the GAP Benchmark Suite, cuGraph.

A solver builds the library's own graph object in `setup`, since whoever calls the library has one, and
converts the library's answer in `download`.
"""

from abc import abstractmethod
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import inf
from statistics import median
from typing import Any, ClassVar

import numpy as np
import scipy  # its packages when they are used: half of the time of reading this library
from numpy.typing import NDArray

from cuda_device.available_gpus import cuda_status
from cuda_device.installed_driver import first_gpu, installed_driver
from retrace.catalogue.setting import CORES, THREADS, Settings
from retrace.devices import gapbs
from retrace.graphs.csr import CSRGraph
from retrace.graphs.graph_names import UNREACHABLE
from retrace.graphs.query import Query
from retrace.solvers.solver import Solver, seconds_of
from retrace.system.imports import import_bare


def with_version(name: str, distribution: str) -> str:
    """Return a library's name, with its version if it is installed."""
    try:
        return f"{name} {version(distribution)}"
    except PackageNotFoundError:
        return name


OF_CUGRAPH, OLDEST_OF_CUGRAPH = (13, 0), (7, 5)
"""The CUDA of requirements-peers.lock, and the compute capability from which on it compiles."""


class Peer(Solver):
    """A call of a library; `solve` stores the library's path lengths."""

    package: ClassVar[str]
    """The name by which Python imports the library, and of its distribution."""
    installed_by: ClassVar[str] = "make reproduce installs it"
    """Where the library comes from."""
    calls_library = True
    repeats = True
    answer_in = ("lengths", "scores", "found")
    lengths: Any

    @classmethod
    def unavailable(cls) -> str | None:
        return None if find_spec(cls.package) else f"{cls.package} is not installed; {cls.installed_by}"

    @classmethod
    def load(cls) -> Any:
        """Import the library, which may take a second and is not timed."""
        return import_bare(cls.package)

    @classmethod
    def library(cls) -> str:
        return with_version(cls.package, cls.package)

    def download(self) -> NDArray[Any]:
        """Convert doubles; a length that 32 bits do not hold becomes `UNREACHABLE`."""
        double = np.atleast_1d(np.asarray(self.lengths, dtype=np.float64))
        return np.where(double < UNREACHABLE, double, UNREACHABLE).astype(np.int32)


class SciPyPeer(Peer):
    """SciPy's Dijkstra with a Fibonacci heap; a graph without weights gets ones."""

    package = "scipy"
    implements = "scipy.sparse.csgraph.dijkstra"
    unweighted: ClassVar[bool] = False
    """Whether each arc counts 1."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph = graph.to_scipy(None if graph.weights is None else graph.weights.astype(np.float64))

    def solve(self, query: Query) -> None:
        search = scipy.sparse.csgraph.dijkstra
        self.lengths = search(self.graph, indices=[query.source], unweighted=self.unweighted)[0]


class IgraphPeer(Peer):
    """Levels by igraph's breadth-first search, in C; a subclass may pass other options."""

    package = "igraph"
    implements = "igraph.Graph.distances"

    def setup(self, graph: CSRGraph) -> None:
        arcs = np.column_stack([graph.tails(), graph.indices])
        self.graph = self.load().Graph(graph.vertices, arcs, directed=True)
        self.weights = None if graph.weights is None else graph.weights.tolist()

    def solve(self, query: Query) -> None:
        self.lengths = self.graph.distances(source=query.source)[0]


class NetworKitPeer(Peer):
    """A call of NetworKit, in C++."""

    package = "networkit"
    installed_by = "make reproduce installs it, on aarch64 from Python 3.14 on"
    algorithm: ClassVar[str]
    """The class in `networkit.distance` that searches."""
    weighted: ClassVar[bool] = False
    """Whether the problem has weights."""

    def setup(self, graph: CSRGraph) -> None:
        use = self.weighted and graph.weights is not None
        weights = np.asarray(graph.weights, dtype=np.float64) if use else np.ones(graph.arcs)
        ends = graph.tails().astype(np.uint64), graph.indices.astype(np.uint64)  # narrower ids crash it
        coo, make = (weights, ends), self.load().graph.GraphFromCoo
        self.graph = make(coo, n=graph.vertices, weighted=use, directed=True)

    def solve(self, query: Query) -> None:
        search = getattr(self.load().distance, self.algorithm)(self.graph, query.source, storePaths=False)
        search.run()
        self.lengths = search.getDistances(asarray=True)


class ThreadedPeer(Peer):
    """A library that uses several cores, and is given the number of threads with which it is fastest.

    More are not always faster: the waiting threads of a search of many short levels cost time. `tune` tries
    all cores, three, two and one quarter of them, and one; what a record observes has the choice as `threads`
    and `bound`, and the median of each that was tried, as `ms_of_4` and `ms_of_4_bound`.
    """

    settings: ClassVar[Settings] = THREADS
    bindings: ClassVar[tuple[int, ...]] = (0,)
    """Whether each thread stays on a core of its own: 1 if so, or both if that is tried."""
    TRIES, SLOWER, LONG_S = 5, 1.25, 0.25
    """Searches for each number; how many times as slow one is after which no fewer threads are tried; and
    the seconds of a search that counts alone."""

    @abstractmethod
    def use(self, threads: int, bound: int) -> None:
        """Use so many threads from now on; `bound`, each on a core of its own."""

    @abstractmethod
    def sample(self, query: Query) -> None:
        """Make a search, or a few of many, by which numbers of threads are compared."""

    def begin_with(self, threads: int, bound: int = 0) -> None:
        """Use so many threads, and let records observe it."""
        self.use(threads, bound)
        self.in_use = {"threads": threads, "bound": bound}

    def begin_with_given(self) -> None:
        """Use as many threads as the setting says, or one on each core, as the last step of `setup`."""
        self.tried: dict[str, float] = {}
        self.begin_with(self.number("threads") or CORES)

    def tune(self, query: Query, chosen: Mapping[str, float]) -> None:
        if self.number("threads"):
            return
        if "threads" in chosen:
            self.tried = {key: ms for key, ms in chosen.items() if key.startswith("ms_of_")}
            self.begin_with(int(chosen["threads"]), int(chosen["bound"]))
            return
        numbers = sorted({max(1, CORES * quarters // 4) for quarters in range(5)}, reverse=True)
        fastest: dict[float, tuple[int, int]] = {}
        for bound in self.bindings:
            least = inf
            for threads in numbers:
                self.use(threads, bound)
                taken = self.median_seconds(query)
                self.tried[f"ms_of_{threads}{'_bound' * bound}"] = taken * 1e3
                fastest[taken] = threads, bound
                if taken > self.SLOWER * least:
                    break
                least = min(least, taken)
        self.begin_with(*fastest[min(fastest)])

    def median_seconds(self, query: Query) -> float:
        """Return the median of some searches after the first, or the time of that if it is long."""
        first = seconds_of(lambda: self.sample(query))
        if first >= self.LONG_S:
            return first
        return median(seconds_of(lambda: self.sample(query)) for _ in range(self.TRIES))

    def observed(self) -> dict[str, float]:
        return {**super().observed(), **self.in_use, **self.tried}


class GapbsPeer(ThreadedPeer):
    """A function of the GAP Benchmark Suite, in C++ with OpenMP on several cores.

    Its graph object is made in `setup`, of copies of our arrays. Its source is downloaded (`devices.gapbs`).
    It is alone in its process: all its threads wait for each other after every level, and one that shares its
    core with another library's delays all.
    """

    apart = True
    bindings = (0, 1)
    search: gapbs.Search

    def use(self, threads: int, bound: int) -> None:
        self.search.call("use", threads, bound)

    @classmethod
    def unavailable(cls) -> str | None:
        return gapbs.why_missing()

    @classmethod
    def load(cls) -> None:
        """Compile and load it, which is not timed."""
        gapbs.loaded(cls.source)

    def forget(self) -> None:
        self.search.call("forget")

    @classmethod
    def library(cls) -> str:
        return f"GAPBS {gapbs.COMMIT[:7]}"


def why_no_cugraph() -> str | None:
    """Return why the driver or the GPU is too old for the cuGraph of `make peers`; None if neither is."""
    driver, gpu = installed_driver(), first_gpu()
    if driver is not None and driver.cuda() < OF_CUGRAPH:
        return f"cuGraph is for CUDA 13, which needs a driver from 580 on; here is the {driver}"
    if gpu is not None and gpu.capability < OLDEST_OF_CUGRAPH:
        return f"cuGraph needs compute capability 7.5 or newer; here is the {gpu}"
    return None


class CugraphPeer(Peer):
    """A function of RAPIDS cuGraph, on a GPU, through pylibcugraph.

    `setup` makes its graph object, with vertices renumbered. Its memory comes from a pool of RMM's, without
    which searches of many levels take longer; what a record observes has the pool's size.
    """

    package = "pylibcugraph"
    installed_by = "make peers installs it"
    backends = ("cuda", "host")  # host: where there is no GPU, and it is skipped
    has_parallel_arcs: ClassVar[bool] = True
    """Whether the graph may have some."""
    POOL_BYTES = 8 << 30

    @classmethod
    def unavailable(cls) -> str | None:
        if (no_gpu := cuda_status()) is not None:
            return f"cuGraph needs a GPU: {no_gpu}"
        return why_no_cugraph() or super().unavailable()

    @classmethod
    def library(cls) -> str:
        return with_version("cuGraph", "pylibcugraph-cu13")

    def setup(self, graph: CSRGraph) -> None:
        """Send the arcs, and make the graph object of them."""
        self.pylibcugraph, self.cupy = self.load(), import_module("cupy")
        self.pool_bytes = self.take_memory()
        self.vertices, self.is_undirected = graph.vertices, graph.info.get("directed") is False
        self.handle = self.pylibcugraph.ResourceHandle()
        weights = self.weights_of(graph)
        self.graph = self.pylibcugraph.SGGraph(
            self.handle,
            self.pylibcugraph.GraphProperties(
                is_symmetric=self.is_undirected, is_multigraph=self.has_parallel_arcs
            ),
            self.cupy.asarray(graph.tails().astype(np.int32)),
            self.cupy.asarray(graph.indices),
            weight_array=None if weights is None else self.cupy.asarray(weights),
            vertices_array=self.cupy.arange(graph.vertices, dtype=np.int32),  # some may have no arcs
            store_transposed=False,
            renumber=True,
            do_expensive_check=False,
        )
        self.synchronize()

    def take_memory(self) -> int:
        """Give RMM a pool of half of the free memory, 8 GiB at most, unless it has one; return its size."""
        memory = import_module("rmm").mr
        pool = memory.get_current_device_resource()
        if not isinstance(pool, memory.PoolMemoryResource):
            free, _ = self.cupy.cuda.runtime.memGetInfo()
            size = min(self.POOL_BYTES, free // 2) // 256 * 256
            pool = memory.PoolMemoryResource(memory.CudaMemoryResource(), initial_pool_size=size)
            memory.set_current_device_resource(pool)
        return int(pool.pool_size())

    def weights_of(self, graph: CSRGraph) -> NDArray[Any] | None:
        """Return the weights that cuGraph is given, float32 or float64, if any."""
        return None

    def synchronize(self) -> None:
        self.cupy.cuda.runtime.deviceSynchronize()

    def of_vertices(self, vertices: Any, values: Any) -> NDArray[Any]:
        """Return values of cuGraph's, which come in an order of its own, in that of the vertices."""
        answer = np.empty(self.vertices, values.dtype)
        answer[vertices.get()] = values.get()
        return answer

    def observed(self) -> dict[str, float]:
        return {"rmm_pool_bytes": self.pool_bytes}
