"""The CPU as a device: the C++ functions of `kernels/host/`, compiled once and called through ctypes.

Functions take pointers to the arrays of a graph, so nothing is copied; the caller keeps the arrays alive.
"""

import ctypes
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_device.compiled_files import build_host
from retrace.graphs.csr import CSRGraph
from retrace.graphs.random import RandomGraph
from retrace.system.project import KERNELS

Address = ctypes.c_void_p


class CGraph(ctypes.Structure):
    """`Graph` of `kernels/host/graph.h`, or `WideGraph` where `indptr` is of int64."""

    _fields_ = (("vertices", ctypes.c_int), ("indptr", Address), ("indices", Address), ("weights", Address))


class CRandomGraph(ctypes.Structure):
    """`RandomGraph` of `kernels/host/tree_first.h`."""

    _fields_ = (
        ("arcs", ctypes.c_longlong),
        *((name, ctypes.c_int) for name in ("vertices", "low", "high")),
        ("keys", ctypes.c_uint64 * 5),
    )


def host_function(source: str, name: str, returns: Any = ctypes.c_int) -> Any:
    """Return a function of a C++ file in `kernels/`, such as `host/bfs_queue.cpp`, by its `extern "C"` name.

    `returns` is the ctypes type of its result; None for void. Raises RetraceError if it does not compile.
    """
    function = ctypes.CDLL(str(build_host(KERNELS / source)))[name]
    function.restype = returns
    return function


@cache
def loaded_library(source: str) -> ctypes.CDLL:
    """Return a C++ file in `kernels/`, loaded once: looking up its compiled file takes milliseconds."""
    return ctypes.CDLL(str(build_host(KERNELS / source)))


def pointer(array: NDArray[Any] | None) -> Address:
    """Return the address of an array's first element; null for None."""
    return Address(None if array is None else array.ctypes.data)


def c_graph(graph: CSRGraph, wide: bool = False) -> CGraph:
    """Convert a graph to a `Graph`; raise TypeError for one that is a `WideGraph`, unless `wide`."""
    if graph.is_wide and not wide:
        raise TypeError(f"{graph.name}: a function that takes 32-bit offsets is called with 64-bit ones")
    return CGraph(graph.vertices, pointer(graph.indptr), pointer(graph.indices), pointer(graph.weights))


def function_of(graph: CSRGraph, source: str, name: str, returns: Any = None) -> Callable[..., Any]:
    """Return a C++ function as `host_function` does, of a loaded file, with its first argument, a graph.

    It is called `<name>_wide` if the graph has 64-bit offsets.
    """
    function = getattr(loaded_library(source), f"{name}_wide" if graph.is_wide else name)  # kept by name
    function.restype = returns
    return partial(function, c_graph(graph, wide=True))


def c_random_graph(wanted: RandomGraph, keys: NDArray[np.uint64]) -> CRandomGraph:
    """Convert the description of a random graph, with the keys of its five random streams."""
    return CRandomGraph(wanted.arcs, wanted.vertices, *wanted.weights, (ctypes.c_uint64 * 5)(*keys.tolist()))
