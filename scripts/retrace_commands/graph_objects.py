"""Graphs that a program has in hand: of SciPy, NetworkX, igraph, NetworKit and CuPy, or arrays."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.formats.lines import LARGEST
from retrace.system.errors import RetraceError
from retrace_commands.edge_table import scaled
from retrace_commands.graph_file import GraphFile
from retrace_commands.reverse_arcs import with_reverse_arcs

EXPECTED = (
    "expected a graph's file, a SciPy or CuPy sparse matrix, a graph of NetworkX, igraph or NetworKit, or "
    "the arrays (indptr, indices[, weights])"
)
LACKING = object()
"""The weight of an edge of NetworkX without this attribute, which it counts as 1."""


@dataclass(frozen=True)
class Edges:
    """The edges of an object, in its order, between positions of its vertices."""

    tails: NDArray[np.integer[Any]]
    heads: NDArray[np.integer[Any]]
    vertices: int
    names: Sequence[Hashable] | None = None
    """Name of each vertex; None if they are numbered from 0."""
    weights: Sequence[Any] | NDArray[Any] | None = None
    directed: bool | None = None
    """What the object says; one that is undirected has each edge once."""
    notes: list[str] = field(default_factory=list)


def graph_in_hand(graph: Any, weight: str | None = "weight") -> GraphFile:
    """Return a graph of a library, or arrays, as the commands read one from a file.

    `weight` is the attribute of edges in NetworkX and igraph that has their weights. Fractional weights are
    scaled to whole numbers. Raise RetraceError if it is no graph, or too large.
    """
    if isinstance(graph, GraphFile):
        return graph
    if isinstance(graph, CSRGraph):
        graph = (graph.indptr, graph.indices, *([] if graph.weights is None else [graph.weights]))
    libraries = _libraries(graph)
    if libraries & {"cupy", "cupyx"}:
        graph = graph.get()
        libraries = _libraries(graph)
    where = f"{type(graph).__module__.partition('.')[0]}.{type(graph).__name__}"
    if isinstance(graph, tuple | list):
        library, where = "arrays", f"{type(graph).__name__} of arrays"
        edges = _of_arrays(graph, where)
    elif "networkx" in libraries:
        library, edges = "networkx", _of_networkx(graph, weight)
    elif "igraph" in libraries:
        library, edges = "igraph", _of_igraph(graph, weight)
    elif "networkit" in libraries and hasattr(graph, "iterNodes"):
        library, edges = "networkit", _of_networkit(graph)
    elif "scipy" in libraries and hasattr(graph, "tocoo"):
        library, edges = "scipy", _of_scipy(graph, where)
    else:
        raise RetraceError(f"{where}: {EXPECTED}")
    return _numbered(edges, where, library)


def _numbered(edges: Edges, where: str, library: str) -> GraphFile:
    """Make a graph of edges; raise RetraceError if they are too many."""
    for what, size in (("vertices", edges.vertices), ("arcs", len(edges.tails))):
        if size >= LARGEST:
            raise RetraceError(f"{where}: expected fewer than {LARGEST} {what} (32 bits), found {size}")
    weights, scale, no_weights = (None, 1, "") if edges.weights is None else whole_weights(edges.weights)
    info: dict[str, Any] = {"name": where}
    if edges.directed is not None:
        info["directed"] = edges.directed
    graph = from_arcs(edges.vertices, edges.tails, edges.heads, weights, info)
    if edges.directed is False:
        graph = with_reverse_arcs(graph)
    notes = tuple(f"{where}: {note}" for note in edges.notes)
    return GraphFile(graph, Path(where), library, 0, notes, edges.names, scale, no_weights)


def whole_weights(values: Sequence[Any] | NDArray[Any]) -> tuple[Any, int, str]:
    """Return weights as whole numbers, what they were multiplied by, and else why there are none."""
    if not isinstance(values, np.ndarray):
        numbers = all(isinstance(value, int | float | np.number | np.bool_) for value in values)
        values = np.array(values, dtype=None if numbers else object)
    if values.dtype.kind in "biuf" and values.size:
        whole = values.dtype.kind != "f" or (np.isfinite(values).all() and (values % 1 == 0).all())
        if whole and values.min() >= -LARGEST and values.max() <= LARGEST:
            return values.astype(np.int64), 1, ""
    if text := next((value for value in values if isinstance(value, str | bytes)), None):
        return None, 1, f"its weight {text[:40]!r} is no number"
    return scaled(map(str, values))


def _libraries(thing: object) -> set[str]:
    """Return the packages of an object's class and its bases, which need not be imported for it."""
    return {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}


def _of_arrays(arrays: Sequence[Any], where: str) -> Edges:
    """Take compressed sparse rows, whose types may be any of whole numbers."""
    if len(arrays) not in (2, 3):
        raise RetraceError(f"{where}: expected 2 or 3 arrays, found {len(arrays)}; {EXPECTED}")
    arrays = [array.get() if _libraries(array) & {"cupy", "cupyx"} else array for array in arrays]
    for name, array in zip(("indptr", "indices", "weights"), arrays, strict=False):
        if np.ndim(array) != 1:
            raise RetraceError(f"{where}: {name}: expected one dimension, found {np.ndim(array)}")
    (indptr, indices), weights = map(np.asarray, arrays[:2]), arrays[2:]
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.dtype.kind not in "iu" and array.size:
            raise RetraceError(f"{where}: {name}: expected whole numbers, found {array.dtype}")
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise RetraceError(f"{where}: indptr: expected rising numbers from 0 to {len(indices)}, the arcs")
    vertices = len(indptr) - 1
    if len(indices) and (indices.min() < 0 or indices.max() >= vertices):
        raise RetraceError(f"{where}: indices: expected vertices from 0 to {vertices - 1}")
    if weights and len(weights[0]) != len(indices):
        raise RetraceError(f"{where}: weights: expected {len(indices)}, one per arc, found {len(weights[0])}")
    offsets: NDArray[np.int64] = indptr.astype(np.int64)
    tails = np.repeat(np.arange(vertices), offsets[1:] - offsets[:-1])
    return Edges(tails, indices.astype(np.int64), vertices, weights=weights[0] if weights else None)


def _of_scipy(matrix: Any, where: str) -> Edges:
    """Take each stored entry, also a stored 0, as an arc from its row to its column."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise RetraceError(f"{where}: expected a square matrix, found shape {matrix.shape}")
    entries = matrix.tocoo()
    places = entries.row.astype(np.int64) * entries.shape[0] + entries.col
    if len(np.unique(places)) < len(places):
        raise RetraceError(f"{where}: a place has several entries; call its sum_duplicates(), or give arrays")
    weights = None if entries.data.dtype == bool else entries.data
    return Edges(entries.row, entries.col, entries.shape[0], weights=weights)


def _of_networkx(graph: Any, weight: str | None) -> Edges:
    """Take the edges of a graph that may be directed or have parallel edges."""
    names = list(graph)
    position = {name: number for number, name in enumerate(names)}
    edges = list(graph.edges(data=weight, default=LACKING)) if weight is not None else list(graph.edges())
    tails, heads = _ends([position[edge[0]] for edge in edges], [position[edge[1]] for edge in edges])
    weights, notes = None, []
    if weight is not None:
        weights = [edge[-1] for edge in edges]
        lacking = sum(value is LACKING for value in weights)
        if lacking == len(edges):
            weights = None
        elif lacking:
            notes = [f"edges without the attribute {weight!r} have weight 1, as in NetworkX: {lacking}"]
            weights = [1 if value is LACKING else value for value in weights]
    return Edges(tails, heads, len(names), names, weights, graph.is_directed(), notes)


def _of_igraph(graph: Any, weight: str | None) -> Edges:
    """Take vertices by their attribute `name`, if it tells them apart."""
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    notes = []
    if names is not None and len(set(names)) < len(names):
        notes = ["several vertices have the same name; they are numbered from 0"]
        names = None
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = graph.es[weight] if weight in graph.es.attributes() else None
    return Edges(ends[:, 0], ends[:, 1], graph.vcount(), names, weights, graph.is_directed(), notes)


def _of_networkit(graph: Any) -> Edges:
    """Take vertices by their ids, which have gaps where some were removed."""
    ids = list(graph.iterNodes())
    edges = list(graph.iterEdgesWeights())
    tails, heads = _ends([edge[0] for edge in edges], [edge[1] for edge in edges])
    weights = [edge[2] for edge in edges] if graph.isWeighted() else None
    names = None if len(ids) == graph.upperNodeIdBound() else ids
    ends = tails, heads
    if names is not None:
        ends = np.searchsorted(ids, tails), np.searchsorted(ids, heads)
    return Edges(*ends, len(ids), names, weights, graph.isDirected())


def _ends(tails: Iterable[int], heads: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ends of edges as arrays, also of none."""
    return np.array(tails, dtype=np.int64), np.array(heads, dtype=np.int64)
