"""A graph as a matrix, and a complete graph as rows: made on the host or on a device, never stored.

Matrices are int32, of shape (vertices, pitch): entry (u, v) is the weight of the arc from u to v,
`UNREACHABLE` where there is none. Rows are padded with that to a multiple of 4 entries, so that an int4 is
always aligned; at the report's sizes nothing is padded.
"""

from __future__ import annotations

import ctypes
import os
from functools import lru_cache
from typing import Any

import numpy as np

from retrace.devices.base import Buffer, Device
from retrace.devices.build import build_host
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.system import memory
from retrace.system.errors import TooLargeError
from retrace.system.memory import require
from retrace.system.project import KERNELS

SOURCES = ("generate/dense.cu", "generate/dense.h", "generate/random_graph.h", "host/generate_dense.cpp")
"""Kernel files that matrices are made by, from `kernels/` on."""

MOST_ARCS = 2**31 - 1
"""Arcs of the largest graph whose rows begin at places of 32 bits."""

BLOCK = 256


def pitch_of(vertices: int) -> int:
    """Entries of a row, padded."""
    return -(-vertices // 4) * 4


def matrix_bytes(graph: Graph) -> int:
    """Size of the matrix."""
    return 4 * graph.vertices * pitch_of(graph.vertices)


def host_matrix(graph: Graph) -> Int32Array:
    """Make the matrix in pageable memory; the last two of complete graphs are kept.

    Of parallel arcs the lightest counts.

    Raises
    ------
    TooLargeError
        If the host has not enough memory.
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
    function: Any = ctypes.CDLL(str(build_host(KERNELS / "host/generate_dense.cpp"))).generate_dense
    function.restype = None
    threads = len(os.sched_getaffinity(0))
    key, address = ctypes.c_uint64(int(graph.key)), ctypes.c_void_p(matrix.ctypes.data)
    function(vertices, pitch, *graph.weights, key, threads, address)
    matrix.flags.writeable = False
    return matrix


def device_matrix(device: Device, graph: Graph) -> Buffer:
    """Make the matrix in device memory; a complete graph's without the host."""
    if not isinstance(graph, DenseGraph):
        return device.upload(host_matrix(graph).ravel())
    vertices, pitch = graph.vertices, pitch_of(graph.vertices)
    matrix = device.empty(vertices * pitch, np.int32)
    generate = device.load("generate/dense.cu").kernel("dense_matrix")
    low, high = map(np.int32, graph.weights)
    grid = (-(-pitch // BLOCK), min(vertices, 256))
    generate(grid, BLOCK, np.int32(vertices), np.int32(pitch), low, high, graph.key, matrix)
    device.synchronize()
    return matrix


def pinned_matrix(device: Device, graph: Graph) -> Int32Array:
    """Make the matrix in page-locked memory of the host, shape (vertices * pitch,).

    Raises
    ------
    TooLargeError
        If the host has not enough memory.
    """
    pageable = host_matrix(graph).ravel()
    require(matrix_bytes(graph), memory.available(), "memory")
    matrix = device.pinned(pageable.size, np.int32)
    matrix[:] = pageable
    return matrix


def rows_of(graph: Graph) -> CSRGraph:
    """Return a graph as compressed sparse rows; a complete graph's arcs are sorted by their heads.

    Raises
    ------
    TooLargeError
        If it is a complete graph too large for that: for the host's memory, or for 32 bits.
    """
    return _rows(graph) if isinstance(graph, DenseGraph) else graph


@lru_cache(maxsize=2)
def _rows(graph: DenseGraph) -> CSRGraph:
    n = graph.vertices
    if graph.arcs > MOST_ARCS:
        raise TooLargeError(f"{graph.name}: {graph.arcs:,} arcs are more than 32 bits count")
    require(4 * matrix_bytes(graph), memory.available(), "memory")  # heads twice, weights, the matrix
    heads = np.broadcast_to(np.arange(n, dtype=np.int32), (n, n))
    indptr = np.arange(n + 1, dtype=np.int32) * np.int32(n - 1)
    weights = _without_diagonal(host_matrix(graph)[:, :n])
    return CSRGraph(indptr, _without_diagonal(heads), weights, graph.info)


def _without_diagonal(square: Int32Array) -> Int32Array:
    """Return the other entries, row by row; as many as there are rows lie between two of the diagonal."""
    n = len(square)
    return square.reshape(-1)[1:].reshape(n - 1, n + 1)[:, :-1].reshape(-1)
