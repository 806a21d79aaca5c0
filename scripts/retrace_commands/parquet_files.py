"""Reads edges from Parquet, and writes them, by pyarrow, which is needed for nothing else."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cuda_device import memory
from retrace.graphs.csr import CSRGraph
from retrace.system.errors import RetraceError
from retrace_commands.edge_lists import column_notes, places_of
from retrace_commands.edge_table import EXACT, EdgeColumns, EdgeTable, Words, is_odd

MAGIC = b"PAR1"
MEMORY_PER_ROW = 48
"""Memory that an edge takes at most while its ids are numbered, if they are no longer than numbers."""
VERTICES, DIRECTED = b"retrace.vertices", b"retrace.directed"
"""Keys of a file that `write_parquet` wrote, whose ids count from 0."""


def is_parquet(path: Path) -> bool:
    """Return whether a path is a file of Parquet."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read_parquet(path: Path, columns: Sequence[str]) -> EdgeTable:
    """Read edges from the columns named, or from those with usual names, or from two or three columns."""
    require_pyarrow(path, "read", "write the edges as CSV, in pandas by `to_csv(index=False)`")
    import pyarrow
    from pyarrow.parquet import ParquetFile

    table = EdgeTable(str(path))
    try:
        with ParquetFile(path) as file:
            lack = memory.shortage(MEMORY_PER_ROW * file.metadata.num_rows, memory.available(), "memory")
            if lack is not None:
                raise RetraceError(f"{path}: {file.metadata.num_rows} rows: {lack}; take a smaller graph")
            header = file.schema_arrow.names
            places = places_of([], header, columns, table.where)
            table.notes += column_notes([], header, columns, places)
            names = [header[place] for place in places]
            content = file.read(names)
            ends = [_values(content, name, path) for name in names]
            known = file.schema_arrow.metadata or {}
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as error:
        reason = " ".join(str(error).split())[:120]
        raise RetraceError(f"{path}: expected a whole Parquet file, found a damaged one ({reason})") from None
    ends[:2] = [_ids(column, name, path) for column, name in zip(ends[:2], names, strict=False)]
    if all(column.dtype == np.int64 for column in ends[:2]):
        table.columns = EdgeColumns(np.stack(ends[:2]), None)
    else:
        words = Words()
        pairs = np.column_stack([column.astype(str).astype(object) for column in ends[:2]])
        table.columns = EdgeColumns(words.number(pairs.ravel()).reshape(-1, 2).T, words.listed)
    if len(ends) == 3:
        table.columns.weights = ends[2]
        if ends[2].dtype.kind in "if" and (ends[2] < 0).any():
            row = int((ends[2] < 0).argmax())
            table.negative = f", row {row + 1}: the weight {ends[2][row]}"
        if ends[2].dtype != np.int64:
            words, written = Words(), ends[2].astype(str).astype(object)
            table.columns.weights = words.number(written)
            table.columns.weight_words = words.listed
            if (odd := next((word for word in words.listed if is_odd(word)), None)) is not None:
                table.odd = odd, f"in row {int((table.columns.weights == words.places[odd]).argmax()) + 1}"
    if known.get(VERTICES, b"").isdigit():
        table.vertices, table.base = int(known[VERTICES][:12]), 0
        table.directed = {b"1": True, b"0": False}.get(known.get(DIRECTED, b""))
    return table


def _values(content: Any, name: str, path: Path) -> np.ndarray[Any, Any]:
    """Return a column as whole numbers of 64 bits, or as what is written as words."""
    column = content[name]
    if column.null_count:
        raise RetraceError(f"{path}: column {name} has {column.null_count} empty cells; expected none")
    values: np.ndarray[Any, Any] = column.to_numpy()
    if values.dtype == object and values.size and not isinstance(values[0], str):
        raise RetraceError(f"{path}: column {name} has {column.type}; expected numbers or names")
    if values.dtype.kind in "iu" and (not values.size or int(values.max()) < 1 << 63):
        return values.astype(np.int64)
    return values


def _ids(values: np.ndarray[Any, Any], name: str, path: Path) -> np.ndarray[Any, Any]:
    """Return ids; those that pandas made floats, as it does beside an empty cell, are whole numbers again."""
    if values.dtype.kind != "f":
        return values
    if lacking := int(np.isnan(values).sum()):
        raise RetraceError(
            f"{path}: column {name} has {lacking} cells that are no number (NaN); expected ids"
        )
    is_whole = (np.abs(values) < EXACT).all() and (values == np.trunc(values)).all()
    return values.astype(np.int64) if is_whole else values


def write_parquet(graph: CSRGraph, path: Path, file: BinaryIO) -> None:
    """Write columns source, target and perhaps weight, a row for each arc, with ids from 0.

    Keys of the file say how many vertices there are, and whether the graph is directed.
    """
    require_pyarrow(path, "written", "write .mtx")
    import pyarrow
    from pyarrow.parquet import write_table

    columns = {"source": graph.tails(), "target": graph.indices}
    if graph.weights is not None:
        columns["weight"] = graph.weights
    known = {VERTICES: str(graph.vertices)}
    if "directed" in graph.info:
        known[DIRECTED] = str(int(graph.info["directed"]))
    write_table(pyarrow.table(columns).replace_schema_metadata(known), file)


def require_pyarrow(path: Path, done: str, otherwise: str) -> None:
    """Raise RetraceError, which says what to do, if pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise RetraceError(
            f"{path}: Parquet is {done} by pyarrow, which is not installed; pip install pyarrow, "
            f"or {otherwise}"
        )
