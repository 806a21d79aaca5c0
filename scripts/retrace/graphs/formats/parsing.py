"""Makes a graph from the lines of a file, and checks that its distances fit in 32 bits."""

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import scipy
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs
from retrace.graphs.formats.layouts import LARGEST
from retrace.graphs.formats.lines import read_rows
from retrace.system import memory
from retrace.system.errors import RetraceError

BYTES_PER_VERTEX, BYTES_PER_ARC = 20, 4
"""Least memory for `_assemble`: the start of each row, twice in 64 bits and once in 32; the heads."""
MOST_VERTICES, MOST_PER_ARC = 1 << 20, 16
"""A graph of more vertices than the first has at most the second for each arc, or its ids have large gaps."""


def parse_stream(
    file: BinaryIO, kind: str, path: Path | str, counts: tuple[int, int] | None = None, negative: bool = False
) -> CSRGraph:
    """Make a graph from an open file, without holding the whole text in memory.

    Arcs keep their order, parallel arcs and self-loops stay. `counts`, the expected numbers of vertices and
    arcs, are compared before memory is allocated for them. Distances from vertex 0 are checked to fit in 32
    bits; those from other sources are checked after a solve, by an oracle that works in 64 bits. If
    `negative` is true, weights may be negative. If one is, the distances are not checked here: the solvers
    keep their sums within 32 bits. The graph's `info` has `directed` if format or header say so.

    Raises RetraceError, naming `path` and the line, if the content is not in the format, or if the graph is
    too large.
    """
    layout, header, rows = read_rows(file, kind, path, negative)
    arcs, largest, heaviest = 0, -1, -1
    parts: list[Int32Array] = []
    for found in rows:
        columns = _both_ways(found.columns, layout.loops_once) if header.undirected else found.columns
        if len(columns) == 0:
            continue
        arcs += len(columns)
        if arcs > LARGEST:
            raise RetraceError(
                f"{path}: expected at most {LARGEST} arcs (32 bits), found more; take a smaller graph"
            )
        largest = max(largest, int(columns[:, :2].max()))
        if layout.columns == 3:
            row = int(found.columns[:, 2].argmax())
            if (weight := int(found.columns[row, 2])) > heaviest:
                heaviest, blamed, its_row = weight, found, row
        parts.append(columns[np.argsort(columns[:, 0], kind="stable")].T.astype(np.int32, order="C"))
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
        graph = _assemble(vertices, arcs, parts, layout.columns == 3)
    except MemoryError:
        raise RetraceError(f"{size} need more memory than is free; take a smaller graph") from None
    if _may_overflow(graph):
        line = blamed.line_number(its_row, layout)
        raise RetraceError(
            f"{path}, line {line}: expected distances of at most {LARGEST} (32 bits), but the "
            "heaviest arc, on this line, may lead to a longer one; scale the weights down"
        )
    told = header.undirected or "U" in layout.header.split()
    return replace(graph, info={"directed": not header.undirected}) if told else graph


def _assemble(vertices: int, arcs: int, parts: list[Int32Array], weighted: bool) -> CSRGraph:
    """Make a graph from parts (tails, heads and optional weights, sorted by tail); empties the list."""

    def runs(tails: Int32Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        begins = np.flatnonzero(np.concatenate(([True], tails[1:] != tails[:-1])))
        return begins, np.diff(begins, append=len(tails))

    indptr = np.zeros(vertices + 1, dtype=np.int64)
    for part in parts:
        begins, lengths = runs(part[0])
        indptr[part[0][begins] + 1] += lengths
    np.cumsum(indptr, out=indptr)
    graph = [np.empty(arcs, dtype=np.int32) for _ in range(2 if weighted else 1)]
    free = indptr[:-1].copy()
    parts.reverse()
    while parts:
        tails, *values = parts.pop()
        begins, lengths = runs(tails)
        places = np.arange(len(tails)) + np.repeat(free[tails[begins]] - begins, lengths)
        free[tails[begins]] += lengths
        for column, value in zip(graph, values, strict=True):
            column[places] = value
    return CSRGraph(indptr.astype(np.int32), graph[0], graph[1] if weighted else None)


def _both_ways(edges: NDArray[np.int64], loops_once: bool) -> NDArray[np.int64]:
    """Append to each edge its reverse, shape (2 * edges, columns); none to a self-loop if `loops_once`."""
    arcs = np.repeat(edges, 2, axis=0)
    arcs[1::2, :2] = edges[:, 1::-1]
    return np.delete(arcs, 2 * np.flatnonzero(edges[:, 0] == edges[:, 1]) + 1, 0) if loops_once else arcs


def _may_overflow(graph: CSRGraph) -> bool:
    """Return whether a distance from vertex 0 exceeds `LARGEST`."""
    if graph.weights is None or graph.arcs == 0 or graph.weights.min() < 0:  # then solvers check
        return False
    longest = graph.vertices - 1  # arcs on a path
    if longest * int(graph.weights.max()) <= LARGEST:
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
    distances = scipy.sparse.csgraph.dijkstra(matrix, indices=[0])[0]
    return bool(distances[np.isfinite(distances)].max() > LARGEST)
