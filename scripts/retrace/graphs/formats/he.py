"""Writes H/E files in pieces, so that the whole text of a large file is never in memory."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.system.files import replacing

ARCS_WRITTEN = 1 << 16
"""Number of arcs turned into text at a time."""


def write_he(graph: CSRGraph, path: Path) -> None:
    """Write a weighted graph as directed H/E, as `write_he_arcs` does; without weights, raise ValueError."""
    if graph.weights is None:
        raise ValueError("H/E needs weights")
    write_he_arcs(graph.vertices, graph.arcs, _arcs_by_parts(graph, graph.weights), path)


def write_he_arcs(vertices: int, arcs: int, parts: Iterable[Sequence[Int32Array]], path: Path) -> None:
    """Write arcs as directed H/E; the file appears complete or not at all.

    The header has the numbers `vertices` and `arcs`. Each part is three arrays of equal length: tails, heads
    and weights. Raises RetraceError if the file cannot be written.
    """
    with replacing(path) as partial, partial.open("wb") as file:
        file.write(b"H %d %d 0\n" % (vertices, arcs))
        for columns in parts:
            file.write(_he_lines(columns))


def _arcs_by_parts(graph: CSRGraph, weights: Int32Array) -> Iterator[tuple[Int32Array, ...]]:
    """Yield tails, heads and weights of at most `ARCS_WRITTEN` arcs at a time."""
    for tails, arcs in graph.blocks():
        columns = tails, graph.indices[arcs], weights[arcs]
        for begin in range(0, len(tails), ARCS_WRITTEN):
            yield tuple(column[begin : begin + ARCS_WRITTEN] for column in columns)


def _he_lines(columns: Sequence[Int32Array]) -> bytes:
    """Write lines `E u v w`: pad the numbers of a column to equal width, then drop the leading zeros."""
    count = len(columns[0])
    if count == 0:
        return b""
    widths = [len(str(int(column.max()))) for column in columns]
    text = np.full((count, 2 + sum(widths) + len(widths)), ord(" "), dtype=np.uint8)
    keep = np.ones(text.shape, dtype=np.bool_)
    text[:, 0], text[:, -1] = ord("E"), ord("\n")
    end = 1
    for column, width in zip(columns, widths, strict=True):
        end += 1 + width
        rest = column.astype(np.uint32)
        for place in range(end - 1, end - width - 1, -1):
            if place < end - 1:
                keep[:, place] = rest > 0
            shorter = rest // 10
            text[:, place] = rest - shorter * 10 + ord("0")
            rest = shorter
    return text[keep].tobytes()
