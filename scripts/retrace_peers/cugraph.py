"""RAPIDS cuGraph on a GPU, through pylibcugraph."""

from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.available_gpus import cuda_status
from cuda_device.installed_driver import first_gpu, installed_driver
from retrace.graphs.csr import CSRGraph
from retrace.solvers.peer import Peer, with_version

OF_CUGRAPH, OLDEST_OF_CUGRAPH = (13, 0), (7, 5)
"""The CUDA of requirements-peers.lock, and the compute capability from which on it compiles."""


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
