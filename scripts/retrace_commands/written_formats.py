"""Writes a graph in formats of others, and says what each cannot hold; each reads back as the same graph."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from retrace.graphs.csr import CSRGraph
from retrace.system.errors import RetraceError
from retrace.system.files import replacing
from retrace_commands.he_files import ARCS_WRITTEN
from retrace_commands.parquet_files import write_parquet
from retrace_commands.reverse_arcs import with_reverse_arcs


def write_as(graph: CSRGraph, path: Path) -> str:
    """Write a graph in the format of the path's suffix; return its name, or raise RetraceError."""
    kind, write = WRITERS[path.suffix]
    with replacing(path) as partial, partial.open("wb") as file:
        write(graph, path, file)
    return kind


def _write_dimacs(graph: CSRGraph, path: Path, file: BinaryIO) -> None:
    """Write `p sp` with weights, in which each arc is a line; it does not say whether it is directed."""
    if graph.weights is None:
        raise RetraceError(f"{path}: DIMACS needs weights, and {graph.name} has none; `convert --weights`")
    if graph.arcs and graph.weights.min() < 0:
        raise RetraceError(f"{path}: DIMACS has no negative weights; {graph.name} has some; write .mtx")
    file.write(b"p sp %d %d\n" % (graph.vertices, graph.arcs))
    _write_arcs(graph, b"a %d %d %d\n", file)


def _write_matrix(graph: CSRGraph, path: Path, file: BinaryIO) -> None:
    """Write a general matrix of all arcs, with weights or without."""
    del path
    field = b"pattern" if graph.weights is None else b"integer"
    file.write(b"%%%%MatrixMarket matrix coordinate %b general\n" % field)
    file.write(b"%d %d %d\n" % (graph.vertices, graph.vertices, graph.arcs))
    _write_arcs(graph, b"%d %d\n" if graph.weights is None else b"%d %d %d\n", file)


def _write_metis(graph: CSRGraph, path: Path, file: BinaryIO) -> None:
    """Write the neighbours of each vertex, which METIS has for undirected graphs without loops."""
    tails = graph.tails()
    if _is_uneven(graph):
        mended = not _is_uneven(with_reverse_arcs(graph))
        raise RetraceError(
            f"{path}: METIS has undirected graphs alone; arcs of {graph.name} lack a reverse with the same "
            f"weight; {'say --undirected, or ' if mended else ''}write .mtx"
        )
    if (tails == graph.indices).any():
        raise RetraceError(f"{path}: METIS has no self-loops, and {graph.name} has some; write .mtx")
    if graph.weights is not None and graph.arcs and graph.weights.min() < 1:
        raise RetraceError(f"{path}: METIS has weights from 1; {graph.name} has others; write .mtx")
    form = b"" if graph.weights is None else b" 001"
    file.write(b"%d %d%b\n" % (graph.vertices, graph.arcs // 2, form))
    for line in _neighbours(graph):
        file.write(line)


def _is_uneven(graph: CSRGraph) -> bool:
    """Return whether arcs one way are not as many, or not as heavy, as those of the other way."""
    weights = np.zeros(graph.arcs, np.int32) if graph.weights is None else graph.weights
    tails = graph.tails()
    there = np.lexsort((weights, graph.indices, tails))
    back = np.lexsort((weights, tails, graph.indices))
    return not (
        np.array_equal(tails[there], graph.indices[back]) and np.array_equal(weights[there], weights[back])
    )


def _neighbours(graph: CSRGraph) -> Iterator[bytes]:
    columns = [graph.indices + 1] if graph.weights is None else [graph.indices + 1, graph.weights]
    for vertex in range(graph.vertices):
        arcs = slice(int(graph.indptr[vertex]), int(graph.indptr[vertex + 1]))
        numbers = np.column_stack([column[arcs] for column in columns]).ravel().tolist()
        yield " ".join(map(str, numbers)).encode() + b"\n"


def _write_arcs(graph: CSRGraph, line: bytes, file: BinaryIO) -> None:
    """Write each arc as a line, with ids from 1."""
    for tails, arcs in graph.blocks():
        columns = [tails + 1, graph.indices[arcs] + 1]
        columns += [] if graph.weights is None else [graph.weights[arcs]]
        for begin in range(0, len(tails), ARCS_WRITTEN):
            part = np.column_stack([column[begin : begin + ARCS_WRITTEN] for column in columns])
            file.write(line * len(part) % tuple(part.ravel().tolist()))


WRITERS: dict[str, tuple[str, Callable[[CSRGraph, Path, BinaryIO], None]]] = {
    ".gr": ("dimacs", _write_dimacs),
    ".parquet": ("parquet", write_parquet),
    ".mtx": ("matrix-market", _write_matrix),
    ".graph": ("metis", _write_metis),
    ".metis": ("metis", _write_metis),
}
"""Format and writer by suffix."""
