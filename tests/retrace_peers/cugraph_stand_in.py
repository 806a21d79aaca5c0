"""Stand-ins for pylibcugraph, RMM and CuPy, which compute on the CPU and check what the real ones are asked.

A test that uses them sees what our solvers hand over, and what they make of the answers; that cuGraph itself
answers so is for a machine with a GPU to show.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from command_line import Patch
from exact_betweenness import exact_scores
from retrace.graphs.csr import from_arcs
from retrace_peers import cugraph

FREE = 20 << 30
"""Bytes of device memory that are free."""


class Array:
    """An array of CuPy's: NumPy does not take it for one of its own."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = np.array(values)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.values.dtype

    def get(self) -> NDArray[Any]:
        return self.values.copy()

    def copy(self) -> Array:
        return Array(self.values)


def ids(array: Any) -> NDArray[np.int32]:
    """Return vertex ids, which must be int32 on the device."""
    assert isinstance(array, Array)
    assert array.dtype == np.int32
    return array.values


class Graph:
    """An `SGGraph`; vertices come back in an order of its own."""

    def __init__(
        self, handle: Any, properties: Any, tails: Any, heads: Any, *, weight_array: Any, vertices_array: Any,
        store_transposed: bool, renumber: bool, do_expensive_check: bool,
    ) -> None:  # fmt: skip
        assert isinstance(handle, Handle)
        self.sums = 0
        assert isinstance(sys.modules["rmm"].mr.current, Pool), "memory from a pool"
        assert (store_transposed, renumber, do_expensive_check) == (False, True, False)
        self.tails, self.heads, self.count = ids(tails), ids(heads), len(ids(vertices_array))
        assert np.array_equal(ids(vertices_array), np.arange(self.count))
        assert len(self.tails) == len(self.heads)
        arcs = set(zip(self.tails.tolist(), self.heads.tolist(), strict=True))
        self.symmetric = properties.is_symmetric
        assert not self.symmetric or arcs == {(v, u) for u, v in arcs}
        assert properties.is_multigraph or len(arcs) == len(self.tails)
        self.weights = None
        if weight_array is not None:
            assert isinstance(weight_array, Array)
            assert weight_array.dtype in (np.float32, np.float64)
            assert len(weight_array.values) == len(arcs) or properties.is_multigraph
            self.weights = weight_array.values
        self.order = np.random.default_rng(1).permutation(self.count).astype(np.int32)

    def search(self, source: int, weighted: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return distances, infinite where there is no path, and predecessors."""
        weights = self.weights if weighted else np.ones(len(self.tails))
        assert weights is not None
        lightest = np.lexsort((weights, self.heads, self.tails))
        ends = np.stack([self.tails, self.heads])[:, lightest]
        first = np.ones(len(lightest), bool)
        first[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)
        shape = self.count, self.count
        matrix = csr_array((weights[lightest][first].astype(float), tuple(ends[:, first])), shape=shape)
        distance, before = dijkstra(matrix, indices=source, return_predecessors=True)
        return distance, np.maximum(before, -1).astype(np.int32)


class Handle:
    """A `ResourceHandle`."""


class Pool:
    """A `PoolMemoryResource`."""

    def __init__(self, upstream: Any, initial_pool_size: int) -> None:
        assert isinstance(upstream, Unpooled)
        assert initial_pool_size % 256 == 0
        self.size = initial_pool_size

    def pool_size(self) -> int:
        return self.size


class Unpooled:
    """A `CudaMemoryResource`."""


def bfs(
    handle: Any, graph: Graph, sources: Any, direction_optimizing: bool, depth_limit: int,
    compute_predecessors: bool, do_expensive_check: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    assert isinstance(handle, Handle)
    assert not direction_optimizing or graph.symmetric
    assert (depth_limit, do_expensive_check) == (0, False)
    (source,) = ids(sources)
    sources.values[:] = -7  # as some versions renumber them in place
    distance, before = graph.search(source, weighted=False)
    levels = np.where(np.isfinite(distance), distance, 2**31 - 1).astype(np.int32)
    found = before[graph.order] if compute_predecessors else np.full(0, -1, np.int32)
    return Array(levels[graph.order]), Array(found), Array(graph.order)


def sssp(
    handle: Any,
    graph: Graph,
    source: int,
    cutoff: float,
    compute_predecessors: bool,
    do_expensive_check: bool,
) -> tuple[Array, Array, Array]:
    assert isinstance(handle, Handle)
    assert isinstance(source, int)
    assert (compute_predecessors, do_expensive_check) == (True, False)
    assert graph.weights is not None
    greatest = np.finfo(graph.weights.dtype).max
    assert cutoff == greatest
    distance, before = graph.search(source, weighted=True)
    found = np.where(np.isfinite(distance), distance, greatest).astype(graph.weights.dtype)
    return Array(graph.order), Array(found[graph.order]), Array(before[graph.order])


def betweenness_centrality(
    handle: Any, graph: Graph, k: Any, random_state: None, normalized: bool, include_endpoints: bool,
    do_expensive_check: bool,
) -> tuple[Array, Array]:  # fmt: skip
    """Scale sums as NetworkX 3.5 does: by the number of sources that have paths through a vertex.

    The last bit of a sum differs from call to call, since the order of additions does.
    """
    assert isinstance(handle, Handle)
    assert (random_state, normalized, include_endpoints, do_expensive_check) == (None, False, False, False)
    assert graph.weights is None
    sources, others = ids(k).copy(), graph.count - 1
    k.values[:] = -7
    info = {"name": "simple", "directed": not graph.symmetric}
    whole = from_arcs(graph.count, graph.tails, graph.heads, None, info)
    scores = exact_scores(whole, tuple(sources.tolist()))
    scale = np.full(graph.count, float(len(sources)))
    if len(sources) != others:
        scale[sources] = len(sources) - 1
    with np.errstate(all="ignore"):
        found = (scores * others / scale).astype(np.float32)
    graph.sums += 1
    summed = np.nextafter(found, np.float32(0)) if graph.sums % 2 else found
    return Array(graph.order), Array(summed[graph.order])


def stand_in(patch: Patch) -> None:
    """Put the modules where an import finds them, as on a machine with a GPU and cuGraph."""

    def module(name: str, **contents: Any) -> None:
        made = ModuleType(name)
        made.__spec__ = ModuleSpec(name, None)
        vars(made).update(contents)
        patch.setitem(sys.modules, name, made)

    memory = SimpleNamespace(
        current=Unpooled(), PoolMemoryResource=Pool, CudaMemoryResource=Unpooled,
        get_current_device_resource=lambda: memory.current,
        set_current_device_resource=lambda resource: setattr(memory, "current", resource),
    )  # fmt: skip
    runtime = SimpleNamespace(deviceSynchronize=lambda: None, memGetInfo=lambda: (FREE, 2 * FREE))
    module("rmm", mr=memory)
    module(
        "cupy", asarray=Array, arange=lambda *size, dtype: Array(np.arange(*size, dtype=dtype)),
        cuda=SimpleNamespace(runtime=runtime),
    )  # fmt: skip
    module(
        "pylibcugraph", ResourceHandle=Handle, GraphProperties=SimpleNamespace, SGGraph=Graph, bfs=bfs,
        sssp=sssp, betweenness_centrality=betweenness_centrality,
    )  # fmt: skip
    patch.setattr(cugraph, "cuda_status", lambda: None)
