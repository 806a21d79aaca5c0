"""Reads plain lines and sorts arcs into rows, in C++; whatever is not plain is left to `lines.read_any`."""

import ctypes
from ctypes import c_char, c_char_p, c_int, c_longlong, c_void_p
from functools import cache

import numpy as np

from cuda_device.compiled_files import build_host
from cuda_device.errors import OneLineError
from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs
from retrace.graphs.formats.layouts import LineLayout
from retrace.system.errors import warn
from retrace.system.project import KERNELS

FEW_BYTES = 1 << 16
"""Python has read so many before a compiler, which may be needed the first time, has started."""


class CLayout(ctypes.Structure):
    """`Layout` of `kernels/host/read_lines.cpp`."""

    _fields_ = (
        *((name, c_char) for name in ("comment", "keyword")),
        *((name, c_int) for name in ("columns", "base", "vertices")),
    )


@cache
def reader_library() -> ctypes.CDLL | None:
    """Return the C++ functions; None, with a warning, if they cannot be compiled, so that Python does all."""
    try:
        library = ctypes.CDLL(str(build_host(KERNELS / "host/read_lines.cpp")))
    except OneLineError as error:
        warn(f"graph files are read line by line, in Python, which is slow: {error}")
        return None
    library.count_lines.argtypes = [c_void_p, c_void_p]
    library.read_lines.argtypes = [ctypes.POINTER(CLayout), c_void_p, c_void_p, c_longlong, c_void_p]
    library.count_lines.restype = library.read_lines.restype = c_longlong
    library.count_arcs.argtypes = [c_longlong, c_void_p, c_void_p]
    library.place_arcs.argtypes = [c_longlong, *[c_void_p] * 6]
    library.count_arcs.restype = library.place_arcs.restype = None
    return library


def read_plain(content: bytes, begin: int, layout: LineLayout, bound: int) -> tuple[Int32Array | None, int]:
    """Read the lines after `begin`, with ids of less than `bound` vertices; other threads run meanwhile.

    Returns what `read_any` does, or None if a line is not plain, and the number of line ends. No count that
    a header announces is compared.
    """
    library = reader_library()
    if library is None:
        return None, content.count(b"\n", begin)
    text = c_char_p(content)
    address = ctypes.cast(text, c_void_p).value or 0
    first, end = address + begin, address + len(content)
    line_ends = library.count_lines(first, end)
    columns = np.empty((layout.columns, line_ends + 1), dtype=np.int32)  # the last line may have no end
    form = CLayout(layout.comment or b"\0", layout.keyword or b"\0", layout.columns, layout.base, bound)
    rows = library.read_lines(form, first, end, line_ends + 1, columns.ctypes.data)
    return (None if rows < 0 else columns[:, :rows]), line_ends


def sort_arcs(vertices: int, columns: int, parts: list[Int32Array]) -> CSRGraph:
    """Make a graph of parts, which have rows of tails, heads and, of three columns, weights; empty the list.

    The arcs of a vertex keep their order.
    """
    library = None if sum(part.nbytes for part in parts) < FEW_BYTES else reader_library()
    if library is None:
        all_parts = np.concatenate([np.empty((columns, 0), dtype=np.int32), *parts], axis=1)
        return from_arcs(vertices, all_parts[0], all_parts[1], *all_parts[2:])
    # Entry u + 1 is where the next arc of u goes, and at the end, when u has all, where those of u + 1 begin.
    places = np.zeros(vertices + 2, dtype=np.int32)
    for part in parts:
        tails = np.ascontiguousarray(part[0])
        library.count_arcs(len(tails), tails.ctypes.data, places[2:].ctypes.data)
    np.cumsum(places, dtype=np.int32, out=places)
    arrays = [np.empty(places[-1], dtype=np.int32) for _ in range(columns - 1)]
    no_weights = [None] * (3 - columns)
    parts.reverse()
    while parts:
        rows = [np.ascontiguousarray(row) for row in parts.pop()]
        inputs, outputs = ([row.ctypes.data for row in block] + no_weights for block in (rows, arrays))
        library.place_arcs(len(rows[0]), *inputs, places[1:].ctypes.data, *outputs)
    return CSRGraph(places[:-1], arrays[0], None if no_weights else arrays[1])
