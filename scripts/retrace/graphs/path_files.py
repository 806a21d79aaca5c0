"""A path as an H/E file: a header with the graph's vertices and the path's arcs, then the arcs in order."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.formats import open_graph, read_rows, write_he_arcs
from retrace.system.errors import RetraceError


def write_path_file(graph: CSRGraph, vertices: Int32Array, path: Path) -> None:
    """Write the arcs between consecutive vertices of a path; of parallel arcs, the lightest.

    Raises RetraceError if the graph lacks a vertex or arc, or a write fails; ValueError without weights.
    """
    if graph.weights is None:
        raise ValueError("H/E needs weights")
    outside = (vertices < 0) | (vertices >= graph.vertices)
    if outside.any():
        raise RetraceError(
            f"the path's vertex {vertices[outside][0]} is not in {graph.name}; expected ids from 0 to "
            f"{graph.vertices - 1}"
        )
    tails, heads = vertices[:-1], vertices[1:]
    step, arc = _arcs_between(graph, tails, heads)
    lightest = np.full(len(tails), UNREACHABLE, dtype=np.int32)
    np.minimum.at(lightest, step, graph.weights[arc])
    missing = np.flatnonzero(lightest == UNREACHABLE)
    if len(missing):
        raise RetraceError(
            f"{graph.name} has no arc from vertex {tails[missing[0]]} to {heads[missing[0]]} (from 0), "
            "as the path needs; check the path"
        )
    write_he_arcs(graph.vertices, len(tails), [(tails, heads, lightest)], path)


def read_path_file(path: Path, graph: CSRGraph | None = None) -> NDArray[np.int64]:
    """Read a path, and check it against its graph if one is given.

    Returns tail, head (0-based) and weight of each arc, shape (arcs, 3), int64, in the order of the path.
    Raises RetraceError, naming the line, if the file is not H/E, if an arc does not start where the one
    before it ends, or if the graph does not contain an arc.
    """
    with open_graph(path) as file:
        layout, header, pieces = read_rows(file, "he", path)
        if graph is not None and header.vertices != graph.vertices:
            raise RetraceError(
                f"{path}, line {header.number}: expected {graph.vertices} vertices, as {graph.name} has, "
                f"found {header.vertices}"
            )
        parts, end = [np.empty((0, 3), dtype=np.int64)], -1
        for rows in pieces:
            arcs = rows.columns
            if len(arcs) == 0:
                continue
            ends = np.concatenate(([arcs[0, 0] if end < 0 else end], arcs[:-1, 1]))
            broken = ends != arcs[:, 0]
            unknown = np.zeros_like(broken) if graph is None else ~_is_in(graph, arcs)
            if (broken | unknown).any():
                row = int(np.argmax(broken | unknown))
                tail, head, weight = arcs[row]
                expected = f"an arc from {ends[row]}" if broken[row] else "an arc of the graph"
                raise RetraceError(
                    f"{path}, line {rows.line_number(row, layout)}: expected {expected}, "
                    f"found 'E {tail} {head} {weight}'"
                )
            parts.append(arcs)
            end = int(arcs[-1, 1])
    return np.concatenate(parts)


def _is_in(graph: CSRGraph, arcs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return, for each arc (tail, head, weight), whether the graph contains it, shape (arcs,)."""
    step, arc = _arcs_between(graph, arcs[:, 0], arcs[:, 1])
    if graph.weights is not None:
        step = step[graph.weights[arc] == arcs[step, 2]]
    return np.isin(np.arange(len(arcs)), step)


def _arcs_between(
    graph: CSRGraph, tails: NDArray[np.int32 | np.int64], heads: NDArray[np.int32 | np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find all arcs from each tail to its head; return positions in `tails` and positions in `indices`."""
    begins = graph.indptr[tails].astype(np.int64)
    degrees = graph.indptr[tails + 1] - begins
    step = np.repeat(np.arange(len(tails)), degrees)
    arc = np.arange(len(step)) + np.repeat(begins - (np.cumsum(degrees) - degrees), degrees)
    fits = graph.indices[arc] == heads[step]
    return step[fits], arc[fits]
