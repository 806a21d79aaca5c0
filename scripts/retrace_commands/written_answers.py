"""The files that an answer is written to, by their suffixes."""

import io
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.answer_table import write_table
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.errors import RetraceError, say
from retrace.system.files import write_whole
from retrace_commands.answer_document import AnswerDocument
from retrace_commands.graph_file import writing

NamedArrays = Mapping[str, NDArray[Any]]


def check_formats(paths: Iterable[Path]) -> None:
    """Raise RetraceError before the work if a library is missing that writes an answer."""
    for path in paths:
        if path.suffix == ".parquet" and find_spec("pyarrow") is None:
            raise RetraceError(
                f"{path}: Parquet is written by pyarrow, which is not installed; pip install pyarrow, or "
                "write .csv or .npz"
            )


def write_answer(path: Path, columns: NamedArrays, document: Callable[[], AnswerDocument]) -> None:
    """Write columns of the same length, or the document that describes the answer, by a path's suffix."""
    with writing(path):
        if path.suffix == ".json":
            write_whole(path, document().model_dump_json().encode() + b"\n")
        elif path.suffix == ".npz":
            write_arrays(path, columns)
        elif path.suffix == ".parquet":
            _write_parquet(path, columns)
        else:
            write_table(path, columns)


def write_arrays(path: Path, arrays: NamedArrays) -> None:
    """Write arrays of any shapes by name, as `numpy.load` reads them."""
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    write_whole(path, file.getvalue())


def write_matrix(path: Path, name: str, matrix: NDArray[Any], labels: NamedArrays) -> None:
    """Write a matrix, shape (sources, vertices), alone as .npy, or with the ids of both as .npz."""
    if path.suffix == ".npz":
        write_arrays(path, {name: matrix, **labels})
        return
    file = io.BytesIO()
    np.save(file, matrix)
    write_whole(path, file.getvalue())


def print_columns(columns: NamedArrays) -> None:
    """Print a line for each row, with the names above."""
    say(" ".join(columns))
    for row in zip(*(values.tolist() for values in columns.values()), strict=True):
        say(" ".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row))


def _write_parquet(path: Path, columns: NamedArrays) -> None:
    """Write columns; a missing length or predecessor is null."""
    import pyarrow
    import pyarrow.parquet

    def column(name: str, values: NDArray[Any]) -> Any:
        if values.dtype.kind == "f":
            return pyarrow.array(values)
        of_predecessors = name.startswith("predecessor")
        if values.dtype.kind == "U":
            return pyarrow.array(values.tolist(), mask=of_predecessors & (values == ""))
        return pyarrow.array(values, mask=values == (-1 if of_predecessors else UNREACHABLE))

    file = io.BytesIO()
    table = pyarrow.table({name: column(name, values) for name, values in columns.items()})
    pyarrow.parquet.write_table(table, file)
    write_whole(path, file.getvalue())
