"""Makes a graph from the lines of a file, and checks that its distances fit in 32 bits."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
import scipy

from cuda_device import memory
from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs
from retrace.graphs.formats.lines import FEW_BYTES, LARGEST, read_rows, reader_library
from retrace.system.errors import RetraceError

BYTES_PER_VERTEX, BYTES_PER_ARC = 20, 4
"""Least memory for `sort_arcs`: the start of each row, in NumPy twice in 64 bits and once in 32; heads."""
MOST_VERTICES, MOST_PER_ARC = 1 << 20, 16
"""A graph of more vertices than the first has at most the second for each arc, or its ids have large gaps."""


def parse_stream(
    file: BinaryIO,
    kind: str,
    path: Path | str,
    counts: tuple[int, int] | None = None,
    negative: bool = False,
    any_sum: bool = False,
) -> CSRGraph:
    """Make a graph from an open file, without holding the whole text in memory.

    Arcs keep their order, parallel arcs and self-loops stay. `counts`, the expected numbers of vertices and
    arcs, are compared before memory is allocated for them. Distances from vertex 0 are checked to fit in 32
    bits, unless `any_sum`; those from other sources after a solve, by an oracle that works in 64 bits. If
    `negative` is true, weights may be negative. If one is, the distances are not checked here: the solvers
    keep their sums within 32 bits. The graph's `info` has `directed` if format or header say so.

    Raises RetraceError, naming `path` and the line, if the content is not in the format, or if the graph is
    too large.
    """
    layout, header, rows = read_rows(file, kind, path, negative)
    arcs, largest, heaviest = 0, -1, -1
    blamed: Callable[[], int] = int
    parts: list[Int32Array] = []
    for piece in rows:
        columns = _both_ways(piece.columns, layout.loops_once) if header.undirected else piece.columns
        if columns.size == 0:
            continue
        arcs += columns.shape[1]
        if arcs > LARGEST:
            raise RetraceError(
                f"{path}: expected at most {LARGEST} arcs (32 bits), found more; take a smaller graph"
            )
        largest = max(largest, int(columns[:2].max()))
        if layout.columns == 3:
            row = int(piece.columns[2].argmax())
            if (weight := int(piece.columns[2, row])) > heaviest:
                heaviest, blamed = weight, partial(piece.line_number, row, layout)
        parts.append(columns)
    vertices = largest + 1 if header.vertices is None else header.vertices
    if counts not in (None, (vertices, arcs)):
        raise RetraceError(
            f"{path}: expected {counts[0]} vertices and {counts[1]} arcs, as the registry says, "
            f"found {vertices} and {arcs}: the registry or the file is wrong"
        )
    if counts is None and vertices > (most := max(MOST_VERTICES, MOST_PER_ARC * arcs)):
        raise RetraceError(
            f"{path}: expected at most {most} vertices with {arcs} arcs, found {vertices}, which would fill "
            "the memory; number the vertices without gaps"
        )
    size = f"{path}: {vertices} vertices and {arcs} arcs"
    needed = BYTES_PER_VERTEX * vertices + BYTES_PER_ARC * arcs
    if (lack := memory.shortage(needed, memory.available(), "memory")) is not None:
        raise RetraceError(f"{size}: {lack}; take a smaller graph")
    try:
        graph = sort_arcs(vertices, layout.columns, parts)
    except MemoryError:
        raise RetraceError(f"{size} need more memory than is free; take a smaller graph") from None
    if not any_sum and may_overflow(graph):
        raise RetraceError(
            f"{path}, line {blamed()}: expected distances of at most {LARGEST} (32 bits), but the "
            "heaviest arc, on this line, may lead to a longer one; scale the weights down"
        )
    states_direction = header.undirected or "U" in layout.header.split()
    return replace(graph, info={"directed": not header.undirected}) if states_direction else graph


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


def _both_ways(edges: Int32Array, loops_once: bool) -> Int32Array:
    """Put after each edge its reverse, shape (columns, 2 * edges); none after a self-loop if `loops_once`."""
    arcs = np.repeat(edges, 2, axis=1)
    arcs[:2, 1::2] = edges[1::-1]
    return np.delete(arcs, 2 * np.flatnonzero(edges[0] == edges[1]) + 1, axis=1) if loops_once else arcs


def may_overflow(graph: CSRGraph, source: int = 0) -> bool:
    """Return whether a distance from a vertex exceeds `LARGEST`."""
    if graph.weights is None or graph.arcs == 0 or graph.weights.min() < 0:  # then solvers check
        return False
    longest = graph.vertices - 1  # arcs on a path
    if longest * int(graph.weights.max()) <= LARGEST or graph.weights.sum(dtype=np.int64) <= LARGEST:
        return False
    weights = graph.weights.astype(np.int64)
    if longest < graph.arcs:
        weights = np.partition(weights, graph.arcs - longest)[graph.arcs - longest :]
    if weights.sum() <= LARGEST:
        return False
    # SciPy may add up the weights of parallel arcs: keep only the lightest.
    ends = graph.tails().astype(np.int64) * graph.vertices + graph.indices
    order = np.lexsort((graph.weights, ends))
    lightest = order[np.unique(ends[order], return_index=True)[1]]
    simple = from_arcs(graph.vertices, graph.tails()[lightest], graph.indices[lightest])
    matrix = simple.to_scipy(graph.weights[lightest].astype(np.float64))  # exact: any sum is below 2**53
    distances = scipy.sparse.csgraph.dijkstra(matrix, indices=[source])[0]
    return bool(distances[np.isfinite(distances)].max() > LARGEST)
