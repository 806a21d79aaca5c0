"""Graphs that a program has in hand: of SciPy, NetworkX, igraph, NetworKit and CuPy, or arrays."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from numbers import Integral, Rational
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.formats.lines import LARGEST
from retrace.system.errors import RetraceError
from retrace_commands.called_arguments import is_name, short_form
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


class Label(str):
    """The label of a column as text, which messages quote as the label that it is."""

    written: str

    def __new__(cls, label: Hashable) -> Self:
        """Keep how the label is written in a program."""
        made = super().__new__(cls, label)
        made.written = repr(label)
        return made

    def __repr__(self) -> str:
        """Return the label as a program has it: 0, not '0'."""
        return self.written


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


def graph_in_hand(graph: Any, weight: str | None = "weight", columns: Sequence[Hashable] = ()) -> GraphFile:
    """Return a graph of a library, or arrays, as the commands read one from a file.

    `weight` is the attribute of edges in NetworkX and igraph, and the column of a DataFrame, that has the
    weights; None leaves out those of any object. `columns` are labels of a DataFrame: tail, head, perhaps
    weight. Fractional weights are scaled to whole numbers. Raise RetraceError if it is no graph, or large.
    """
    if isinstance(graph, CSRGraph):
        graph = (graph.indptr, graph.indices, *([] if graph.weights is None else [graph.weights]))
    libraries = _libraries(graph)
    if libraries & {"cupy", "cupyx"}:
        graph = graph.get()
        libraries = _libraries(graph)
    where = f"{type(graph).__module__.partition('.')[0]}.{type(graph).__name__}"
    if isinstance(graph, list):
        library, where = "edges", "list of edges"
        edges = _of_rows(graph, where)
    elif isinstance(graph, np.ndarray):
        library, edges = "edges", _of_columns(_unmasked(graph, where), where)
    elif "pandas" in libraries and hasattr(graph, "columns"):
        library, edges = "pandas", _of_frame(graph, where, columns, weight)
    elif isinstance(graph, tuple):
        library, where = "arrays", "tuple of arrays"
        edges = _of_arrays(graph, where)
    elif "networkx" in libraries and hasattr(graph, "is_directed"):
        library, edges = "networkx", _of_networkx(graph, weight)
    elif "igraph" in libraries and hasattr(graph, "get_edgelist"):
        library, edges = "igraph", _of_igraph(graph, weight)
    elif "networkit" in libraries and hasattr(graph, "iterNodes"):
        library, edges = "networkit", _of_networkit(graph)
    elif "scipy" in libraries and hasattr(graph, "tocoo"):
        library, edges = "scipy", _of_scipy(graph, where)
    else:
        of_graph = libraries & {"networkx", "igraph", "networkit"}
        raise RetraceError(f"{where}: {'is no graph; pass the graph itself' if of_graph else EXPECTED}")
    if columns and library != "pandas":
        raise RetraceError(f"{where}: columns are those of a file or a DataFrame; leave them out")
    if weight is None:
        edges = replace(edges, weights=None)
    elif weight != "weight" and library not in ("pandas", "networkx", "igraph"):
        raise RetraceError(f"{where}: weight={weight!r:.40}: its weights have no name; leave it out, or None")
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
    text = next((value for value in values if isinstance(value, str | bytes)), None)
    if text is not None:
        return None, 1, f"its weight {text[:40]!r} is text; pass numbers, as float() makes them"
    return scaled(
        Fraction(value) if isinstance(value, Rational) and not isinstance(value, np.generic) else str(value)
        for value in values
    )


def _libraries(thing: object) -> set[str]:
    """Return the packages of an object's class and its bases, which need not be imported for it."""
    return {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}


def _unmasked(array: Any, where: str) -> NDArray[Any]:
    """Return an array of NumPy itself; raise RetraceError if some of its values are masked."""
    if isinstance(array, np.ma.MaskedArray):
        raise RetraceError(f"{where}: expected an array without a mask; leave out the rows that are masked")
    return np.asarray(array)


def _of_arrays(arrays: tuple[Any, ...], where: str) -> Edges:
    """Take compressed sparse rows, whose types may be any of whole numbers."""
    if len(arrays) not in (2, 3):
        raise RetraceError(f"{where}: expected 2 or 3 arrays, found {len(arrays)}; {EXPECTED}")
    if all(isinstance(part, tuple) for part in arrays):
        raise RetraceError(f"{where}: tuples may be edges or sparse rows; write a list of edges, or arrays")
    arrays = tuple(part.get() if _libraries(part) & {"cupy", "cupyx"} else part for part in arrays)
    for name, array in zip(("indptr", "indices", "weights"), arrays, strict=False):
        try:
            dimensions: int | str = np.ndim(array)
        except ValueError:
            dimensions = "lists of several lengths"
        if dimensions != 1:
            raise RetraceError(f"{where}: {name}: expected one dimension, found {dimensions}")
    (indptr, indices), weights = (_unmasked(array, where) for array in arrays[:2]), arrays[2:]
    _check_rows(indptr, indices, len(indptr) - 1, where)
    if weights and len(weights[0]) != len(indices):
        raise RetraceError(f"{where}: weights: expected {len(indices)}, one per arc, found {len(weights[0])}")
    offsets: NDArray[np.int64] = indptr.astype(np.int64)
    tails = np.repeat(np.arange(len(indptr) - 1), offsets[1:] - offsets[:-1])
    values = _unmasked(weights[0], where) if weights and isinstance(weights[0], np.ndarray) else None
    return Edges(
        tails, indices.astype(np.int64), len(indptr) - 1,
        weights=values if values is not None else weights[0] if weights else None,
    )  # fmt: skip


def _check_rows(indptr: NDArray[Any], indices: NDArray[Any], width: int, where: str) -> None:
    """Raise RetraceError unless arrays are compressed sparse rows of so many columns."""
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.dtype.kind not in "iu" and array.size:
            raise RetraceError(f"{where}: {name}: expected whole numbers, found {array.dtype}")
    if len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise RetraceError(f"{where}: indptr: expected rising numbers from 0 to {len(indices)}, the arcs")
    if len(indices) and (indices.min() < 0 or indices.max() >= width):
        raise RetraceError(f"{where}: indices: expected vertices from 0 to {width - 1}")


def _of_rows(rows: Sequence[Any], where: str) -> Edges:
    """Take edges that are tuples of one length."""
    if not all(isinstance(row, tuple) for row in rows):
        raise RetraceError(
            "list: expected edges that are tuples, [(tail, head[, weight]), …]; an array has them as rows "
            "(numpy.array), and compressed sparse rows are a tuple, (indptr, indices[, weights])"
        )
    width = len(rows[0]) if rows else 2
    wrong = next((k for k, row in enumerate(rows) if len(row) != width or width not in (2, 3)), None)
    if wrong is not None:
        expected = f"{width} values, as the first has" if width in (2, 3) else "(tail, head[, weight])"
        raise RetraceError(f"{where}: edge {wrong}: expected {expected}, found {short_form(rows[wrong])}")
    columns = list(zip(*rows, strict=True)) if rows else [(), ()]
    return _named(columns[0], columns[1], where, columns[2] if width == 3 else None)


def _of_columns(table: NDArray[Any], where: str) -> Edges:
    """Take an array of shape (edges, 2 or 3), of which a square one may also be a matrix."""
    if table.dtype.kind == "V":
        raise RetraceError(f"{where}: expected edges, found fields; take pandas.DataFrame(array)")
    if table.ndim != 2 or table.shape[1] not in (2, 3) or table.shape[0] == table.shape[1]:
        hint = "a matrix is scipy.sparse.csr_array(array), and edges that are tuples a list"
        if table.shape[:1] == (2,):
            hint += "; edges in columns, such as an edge_index, are array.T"
        raise RetraceError(f"{where}: expected shape (edges, 2 or 3), found {table.shape}; {hint}")
    if table.dtype.kind not in "iufSUOmM":
        raise RetraceError(f"{where}: expected ids of vertices, found {table.dtype}")
    ends = table[:, :2]
    if ends.dtype.kind == "f":
        if not (np.isfinite(ends).all() and (ends % 1 == 0).all() and (abs(ends) < 2**53).all()):
            raise RetraceError(f"{where}: expected whole ids of vertices, found fractions")
        ends = ends.astype(np.int64)
    return _named(ends[:, 0], ends[:, 1], where, table[:, 2] if table.shape[1] == 3 else None)


def _of_frame(frame: Any, where: str, columns: Sequence[Hashable], weight: str | None) -> Edges:
    """Take the columns of some labels, or else those that a file with this header would have."""
    labels = list(frame.columns)

    def place(label: Hashable) -> int:
        if (count := labels.count(label)) != 1:
            found = f"has {count or 'no'} column{'s' if count else ''} {short_form(label)}"
            raise RetraceError(f"{where}: {found}; expected a label that one has: {short_form(labels)}")
        return labels.index(label)

    if not columns and len(labels) > 1 and labels == list(frame.index):
        raise RetraceError(
            f"{where}: may be a matrix; take networkx.from_pandas_adjacency of it, or say which columns"
        )
    named = [] if weight in (None, "weight") else [place(weight)]
    if len(labels) < 2 + len(named):
        beside = f" beside {short_form(weight)}" if named else ""
        others = len(labels) - len(named)
        raise RetraceError(
            f"{where}: expected two columns or more, a tail and a head{beside}, found {others}"
        )
    if columns and not len(set(columns)) == len(columns) in range(2, 4 - len(named)):
        raise RetraceError(
            f"{where}: columns {short_form(columns)}: expected tail, head and at most one weight"
        )
    header: list[str] = [Label(" " if k in named else label) for k, label in enumerate(labels)]
    places = [place(label) for label in columns] or places_of([], header, (), where)
    if named or weight is None:
        places = [*[k for k in places if k not in named][:2], *named]
    values = [frame.iloc[:, k] for k in places]
    for k, column in zip(places[:2], values, strict=False):
        if column.isna().any():
            row = frame.index[int(column.isna().to_numpy().argmax())]
            raise RetraceError(f"{where}: column {labels[k]}, row {row}: expected a vertex, found none")
    directed = None
    for k, label in enumerate(labels):
        says = TYPE_WORDS.get(str(label).lower(), {})
        stated = sorted({str(kind).lower() for kind in frame.iloc[:, k]}) if says else []
        if stated and stated[0] in says and len(stated) > 1:
            raise RetraceError(f"{where}: expected one type of all edges, found {' and '.join(stated[:3])}")
        directed = says.get(stated[0]) if stated and directed is None else directed
    weights = values[2].to_numpy() if len(values) == 3 else None
    ends = [column.to_numpy() if column.dtype.kind in "iu" else column.tolist() for column in values[:2]]
    edges = _named(ends[0], ends[1], where, weights, directed)
    first = [(1, list(map(str, row))) for row in frame.head(1).itertuples(index=False)]
    if weight != "weight":  # so that no column may be an unknown one
        first, header, places = [], [header[k] for k in places[:2]], [0, 1]
    edges.notes.extend(column_notes(first, header, list(map(str, columns)), places))
    return edges


def _named(tails: Any, heads: Any, where: str, weights: Any = None, directed: bool | None = None) -> Edges:
    """Return edges with numbered vertices: whole numbers by their values, others as they come."""
    ends = tails, heads
    if all(isinstance(end, np.ndarray) for end in ends) and np.result_type(*ends).kind in "iu":
        distinct, places = np.unique(np.concatenate(ends), return_inverse=True)
        names: list[Hashable] = distinct.tolist()
        are_whole = True
    else:
        listed = [  # dates in an array become whole numbers by tolist()
            end.tolist() if isinstance(end, np.ndarray) and end.dtype.kind not in "mM" else list(end)
            for end in ends
        ]
        pairs = [name for pair in zip(*listed, strict=True) for name in pair]
        if (wrong := next((k for k, name in enumerate(pairs) if not is_name(name)), None)) is not None:
            raise RetraceError(f"{where}: expected names of vertices, found {short_form(pairs[wrong])}")
        names = list(dict.fromkeys(pairs))
        if are_whole := all(map(_is_whole_id, names)):
            names.sort(key=lambda name: int(name))  # type: ignore[call-overload]
        number = {name: place for place, name in enumerate(names)}
        places = np.array([number[name] for name in chain(*listed)], dtype=np.int64)
    places = places.reshape(2, -1)
    from_0 = are_whole and names == list(range(len(names)))
    return Edges(places[0], places[1], len(names), None if from_0 else names, weights, directed)


def _is_whole_id(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def _of_scipy(matrix: Any, where: str) -> Edges:
    """Take each stored entry as an arc from its row to its column, also a 0, unless it may be fill.

    Blocks (BSR) and diagonals (DIA) are filled up with 0s, which cannot be told from those that are stored.
    """
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise RetraceError(f"{where}: expected a square matrix, found shape {matrix.shape}")
    try:
        entries = _fitting(matrix, where).tocoo()
    except (IndexError, TypeError, ValueError) as error:
        reason = f"its arrays do not fit each other ({short_form(error)}); make it anew from its entries"
        raise RetraceError(f"{where}: {reason}") from None
    notes = []
    if matrix.format == "bsr" and (fill := int((entries.data == 0).sum())):
        notes = [f"0s in blocks are read as fill, and not as arcs: {fill}"]
        entries.eliminate_zeros()
    for ends in (entries.row, entries.col):
        if len(ends) and (ends.min() < 0 or ends.max() >= entries.shape[0]):
            raise RetraceError(f"{where}: expected rows and columns from 0 to {entries.shape[0] - 1}")
    places = entries.row.astype(np.int64) * entries.shape[0] + entries.col
    if len(np.unique(places)) < len(places):
        raise RetraceError(f"{where}: a place has several entries; call its sum_duplicates(), or give arrays")
    weights = None if entries.data.dtype == bool else entries.data
    return Edges(entries.row, entries.col, entries.shape[0], weights=weights, notes=notes)


def _fitting(matrix: Any, where: str) -> Any:
    """Return a matrix whose arrays fit, or raise an error; SciPy would read and write beside others."""
    if matrix.format == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
        raise ValueError("rows and data differ in length")
    if matrix.format not in ("csr", "csc", "bsr"):
        return matrix
    indptr, block = matrix.indptr, getattr(matrix, "blocksize", (1, 1))
    rows, columns = (size // edge for size, edge in zip(matrix.shape, block, strict=True))
    if len(indptr) != rows + 1:
        raise RetraceError(f"{where}: indptr: expected {rows + 1} numbers, found {len(indptr)}")
    used = matrix.indices[: int(indptr[-1])]  # there may be room for more
    _check_rows(indptr, used, columns, where)
    if len(matrix.data) < len(used):
        raise RetraceError(f"{where}: data: expected {len(used)}, one per index, found {len(matrix.data)}")
    return type(matrix)((matrix.data[: len(used)], used, indptr), shape=matrix.shape)


def _of_networkx(graph: Any, weight: str | None) -> Edges:
    """Take the edges of a graph that may be directed or have parallel edges."""
    if hasattr(graph, "_graph") and not graph.is_directed():
        _check_view(graph, weight)
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


def _check_view(view: Any, weight: str | None) -> None:
    """Raise RetraceError unless an undirected view of NetworkX has each edge alike in both directions."""
    keys = {"keys": True} if view.is_multigraph() else {}
    listed = view.to_directed(as_view=True).edges(data=weight, default=LACKING, **keys)
    arcs = {tuple(ends): value for *ends, value in listed}
    for (tail, head, *key), value in arcs.items():
        back = arcs.get((head, tail, *key), arcs)
        if back is not value and back != value:
            edge = f"the edge from {short_form(tail)} to {short_form(head)}"
            raise RetraceError(
                f"networkx.{type(view).__name__}: an undirected view that has {edge} otherwise from "
                f"{short_form(head)} to {short_form(tail)}; load its copy()"
            )


def _of_igraph(graph: Any, weight: str | None) -> Edges:
    """Take vertices by their attribute `name`, if it tells them apart."""
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    notes = []
    if names is not None and not (all(map(is_name, names)) and len(set(names)) == len(names)):
        notes = ["several vertices have the same name, or none; they are numbered from 0"]
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
