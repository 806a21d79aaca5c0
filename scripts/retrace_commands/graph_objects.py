"""Graphs that a program has in hand: of SciPy, NetworkX, igraph, NetworKit and CuPy, or arrays."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.formats.lines import LARGEST
from retrace.system.errors import RetraceError
from retrace_commands.edge_lists import TYPE_WORDS, column_notes, places_of
from retrace_commands.edge_table import scaled
from retrace_commands.graph_file import GraphFile
from retrace_commands.reverse_arcs import with_reverse_arcs

EXPECTED = (
    "expected a graph's file, a SciPy or CuPy sparse matrix, a graph of NetworkX, igraph or NetworKit, a "
    "list of edges that are tuples, an array of 2 or 3 columns, a DataFrame, or a tuple of arrays "
    "(indptr, indices[, weights])"
)
LIBRARIES = ("arrays", "edges", "igraph", "networkit", "networkx", "pandas", "scipy")
"""The kinds of what is no file, whose names are the caller's."""
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


def graph_in_hand(graph: Any, weight: str | None = "weight", columns: Sequence[str] = ()) -> GraphFile:
    """Return a graph of a library, or arrays, as the commands read one from a file.

    `weight` is the attribute of edges in NetworkX and igraph that has their weights, `columns` are those of
    a DataFrame: tail, head, perhaps weight. Fractional weights are
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
    if isinstance(graph, list) and all(isinstance(edge, tuple) for edge in graph):
        library, where = "edges", "list of edges"
        edges = _of_rows(graph, where)
    elif libraries == {"numpy", "builtins"} and np.ndim(graph) == 2:
        library, edges = "edges", _of_columns(graph, where)
    elif "pandas" in libraries and hasattr(graph, "columns"):
        library, edges = "pandas", _of_frame(graph, where, columns)
    elif isinstance(graph, tuple | list):
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


def _of_rows(rows: Sequence[tuple[Any, ...]], where: str) -> Edges:
    """Take edges that are tuples of one length."""
    width = len(rows[0]) if rows else 2
    wrong = next((k for k, row in enumerate(rows) if len(row) != width or width not in (2, 3)), None)
    if wrong is not None:
        expected = f"{width} values, as the first has" if width in (2, 3) else "(tail, head[, weight])"
        raise RetraceError(f"{where}: edge {wrong}: expected {expected}, found {rows[wrong]!r:.60}")
    columns = list(zip(*rows, strict=True)) if rows else [(), ()]
    return _named(columns[0], columns[1], where, columns[2] if width == 3 else None)


def _of_columns(table: NDArray[Any], where: str) -> Edges:
    """Take an array of shape (edges, 2 or 3), of which a square one may also be a matrix."""
    if table.shape[1] not in (2, 3) or table.shape[0] == table.shape[1]:
        hint = "a matrix is scipy.sparse.csr_array(array), and edges that are tuples a list"
        raise RetraceError(f"{where}: expected shape (edges, 2 or 3), found {table.shape}; {hint}")
    ends = table[:, :2]
    if ends.dtype.kind == "f":
        if not (np.isfinite(ends).all() and (ends % 1 == 0).all() and (abs(ends) < 2**53).all()):
            raise RetraceError(f"{where}: expected whole ids of vertices, found fractions")
        ends = ends.astype(np.int64)
    return _named(ends[:, 0], ends[:, 1], where, table[:, 2] if table.shape[1] == 3 else None)


def _of_frame(frame: Any, where: str, columns: Sequence[str]) -> Edges:
    """Take the columns of a DataFrame that a file of them would have."""
    header = list(map(str, frame.columns))
    places = places_of([], header, columns, where)
    values = [frame.iloc[:, place] for place in places]
    for place, column in zip(places[:2], values, strict=False):
        if column.isna().any():
            row = frame.index[int(column.isna().to_numpy().argmax())]
            raise RetraceError(f"{where}: column {header[place]}, row {row}: expected a vertex, found none")
    kinds = [frame.iloc[:, k] for k, name in enumerate(header) if name.lower() == "type"][:1]
    stated = sorted({str(kind).lower() for kind in kinds[0]}) if kinds else []
    directed = TYPE_WORDS[stated[0]] if len(stated) == 1 and stated[0] in TYPE_WORDS else None
    if len(stated) > 1 and stated[0] in TYPE_WORDS:
        raise RetraceError(f"{where}: expected one type of all edges, found {' and '.join(stated[:3])}")
    weights = values[2].to_numpy() if len(values) == 3 else None
    edges = _named(values[0].to_numpy(), values[1].to_numpy(), where, weights, directed)
    edges.notes.extend(column_notes([], header, columns, places))
    return edges


def _named(tails: Any, heads: Any, where: str, weights: Any = None, directed: bool | None = None) -> Edges:
    """Return edges with numbered vertices: whole numbers by their values, others as they come."""
    ends = [np.asarray(end) if isinstance(end, np.ndarray) else end for end in (tails, heads)]
    if all(isinstance(end, np.ndarray) and end.dtype.kind in "iu" for end in ends):
        distinct, places = np.unique(np.concatenate(ends), return_inverse=True)
        names: list[Hashable] = distinct.tolist()
    else:
        listed = [end.tolist() if isinstance(end, np.ndarray) else list(end) for end in ends]
        pairs = [name for pair in zip(*listed, strict=True) for name in pair]
        if wrong := [n for n in pairs if not isinstance(n, Hashable) or n is None or n != n]:
            raise RetraceError(f"{where}: expected names of vertices, found {wrong[0]!r:.60}")
        names = list(dict.fromkeys(pairs))
        if all(isinstance(name, Integral) and not isinstance(name, bool) for name in names):
            names.sort(key=lambda name: int(name))  # type: ignore[call-overload]
        number = {name: place for place, name in enumerate(names)}
        places = np.array([number[name] for name in chain(*listed)], dtype=np.int64)
    places = places.reshape(2, -1)
    from_0 = names == list(range(len(names)))
    return Edges(places[0], places[1], len(names), None if from_0 else names, weights, directed)


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
