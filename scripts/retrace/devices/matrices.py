"""Graphs as weight matrices in host or device memory, and complete graphs as compressed sparse rows.

A matrix is int32, of shape (vertices, pitch): entry (u, v) is the weight of the arc from u to v,
`UNREACHABLE` where there is none. Rows are padded with `UNREACHABLE` to a multiple of 4 entries, so that an
int4 is always aligned; at the report's sizes nothing is padded. The matrix of a complete graph is computed
from its seed and never stored.
"""

import ctypes
import os
from functools import lru_cache

import numpy as np

from cuda_device import memory
from cuda_device.errors import TooLargeError
from cuda_device.interface import Buffer, Device
from cuda_device.memory import require
from retrace.devices.host import host_function, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.graphs.graph_names import UNREACHABLE

SOURCES = ON_DEVICE, ON_HOST = "generate/dense.cu", "host/generate_dense.cpp"
"""Kernel files that compute the matrix of a complete graph."""

BLOCK = 256
"""Threads in a block of the kernel that computes a matrix."""


def pitch_of(vertices: int) -> int:
    """Return the entries in a row, with padding."""
    return -(-vertices // 4) * 4


def matrix_bytes(graph: Graph) -> int:
    """Return the size of the matrix."""
    return 4 * graph.vertices * pitch_of(graph.vertices)


def host_matrix(graph: Graph) -> Int32Array:
    """Return the matrix in pageable host memory, shape (vertices, pitch), int32.

    The matrices of the last two complete graphs are cached. Of parallel arcs the lightest counts. Raises
    TooLargeError, as the next functions do, if the host has too little free memory.
    """
    if isinstance(graph, DenseGraph):
        return _complete(graph)
    assert graph.weights is not None
    require(matrix_bytes(graph), memory.available(), "memory")
    matrix = np.full((graph.vertices, pitch_of(graph.vertices)), UNREACHABLE, dtype=np.int32)
    np.minimum.at(matrix, (graph.tails(), graph.indices), graph.weights)
    return matrix


@lru_cache(maxsize=2)
def _complete(graph: DenseGraph) -> Int32Array:
    vertices, pitch = graph.vertices, pitch_of(graph.vertices)
    require(matrix_bytes(graph), memory.available(), "memory")
    matrix = np.empty((vertices, pitch), dtype=np.int32)
    generate = host_function(ON_HOST, "generate_dense", returns=None)
    threads = len(os.sched_getaffinity(0))
    key = ctypes.c_uint64(int(graph.key))  # ctypes would pass a Python int as 32 bits
    generate(vertices, pitch, *graph.weights, key, threads, pointer(matrix))
    matrix.flags.writeable = False
    return matrix


def transposed_matrix(graph: Graph) -> Int32Array:
    """Return the transposed matrix in pageable host memory, shape (vertices, pitch); the last one is kept."""
    return _transposed(graph) if isinstance(graph, DenseGraph) else _transpose(graph)


def _transpose(graph: Graph) -> Int32Array:
    matrix, vertices = host_matrix(graph), graph.vertices
    require(matrix_bytes(graph), memory.available(), "memory")
    transposed = np.full_like(matrix, UNREACHABLE)
    transposed[:, :vertices] = matrix[:, :vertices].T
    return transposed


_transposed = lru_cache(maxsize=1)(_transpose)  # of complete graphs, which are known by their seed


def device_matrix(device: Device, graph: Graph) -> Buffer:
    """Return the matrix in device memory, vertices * pitch entries; a complete graph's is computed there."""
    if not isinstance(graph, DenseGraph):
        return device.upload(host_matrix(graph).ravel())
    vertices, pitch = graph.vertices, pitch_of(graph.vertices)
    matrix = device.empty(vertices * pitch, np.int32)
    generate = device.load(ON_DEVICE).kernel("dense_matrix")
    low, high = map(np.int32, graph.weights)
    grid = (-(-pitch // BLOCK), min(vertices, 256))
    generate(grid, BLOCK, np.int32(vertices), np.int32(pitch), low, high, graph.key, matrix)
    device.synchronize()
    return matrix


def page_locked(device: Device, pageable: Int32Array) -> Int32Array:
    """Copy a matrix, shape (entries,), to page-locked memory off the clock; it is not to be written to."""
    with device.off_the_clock():
        require(pageable.nbytes, memory.available(), "memory")
        matrix = device.page_lock(device.pinned, pageable.size, np.int32)
        matrix[:] = pageable
        matrix.flags.writeable = False
    return matrix


def rows_of(graph: Graph) -> CSRGraph:
    """Return a graph as CSR, with sorted heads if complete; TooLargeError if 32 bits cannot count them."""
    return _rows(graph) if isinstance(graph, DenseGraph) else graph


@lru_cache(maxsize=2)
def _rows(graph: DenseGraph) -> CSRGraph:
    n = graph.vertices
    if graph.arcs > 2**31 - 1:  # `indptr` has 32 bits
        raise TooLargeError(f"{graph.name}: {graph.arcs:,} arcs are more than 32 bits count")
    require(4 * matrix_bytes(graph), memory.available(), "memory")  # heads twice, weights, the matrix
    heads = np.broadcast_to(np.arange(n, dtype=np.int32), (n, n))
    indptr = np.arange(n + 1, dtype=np.int32) * np.int32(n - 1)
    weights = _without_diagonal(host_matrix(graph)[:, :n])
    return CSRGraph(indptr, _without_diagonal(heads), weights, graph.info)


def _without_diagonal(square: Int32Array) -> Int32Array:
    """Return the entries off the diagonal, row by row: n of them lie between two diagonal entries."""
    n = len(square)
    return square.reshape(-1)[1:].reshape(n - 1, n + 1)[:, :-1].reshape(-1)
