"""An answer as a file: a row for each vertex, as CSV or as a structured array of NumPy."""

import io
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cuda_device.compiled_files import naming_output
from retrace.graphs.csr import Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.files import write_whole

ROWS_AT_A_TIME = 1 << 16
"""Rows of a CSV file that are formatted at a time."""
Columns = Mapping[str, Int32Array | NDArray[np.float64] | NDArray[np.str_]]
"""The columns of a table by name, all of the same length."""


def write_table(path: Path, columns: Columns) -> None:
    """Write columns as CSV or as a NumPy structured array, by the path's suffix.

    A missing length (`UNREACHABLE`) or predecessor (-1) is an empty cell of CSV; NumPy files keep the
    numbers. Scores are written with the digits that a double needs to be read back.
    """
    with naming_output(path):
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".npy":
            kinds = [(name, values.dtype.newbyteorder("<")) for name, values in columns.items()]
            table = np.rec.fromarrays(list(columns.values()), dtype=kinds)
            file = io.BytesIO()
            np.save(file, table)
            write_whole(path, file.getvalue())
        else:
            write_whole(path, b"".join(_csv(columns)))


def _csv(columns: Columns) -> Iterator[bytes]:
    """Yield a CSV file in parts of `ROWS_AT_A_TIME` rows."""
    yield (",".join(map(_quoted, columns)) + "\n").encode()
    for start in range(0, len(next(iter(columns.values()))), ROWS_AT_A_TIME):
        cells = []
        for name, values in columns.items():
            nothing = -1 if name.startswith("predecessor") else UNREACHABLE  # a distance may be -1
            part = values[start : start + ROWS_AT_A_TIME].tolist()
            if values.dtype.kind == "U":
                cells.append([_quoted(name) for name in part])
                continue
            whole = values.dtype == np.int32
            cells.append(["" if whole and value == nothing else str(value) for value in part])
        yield "".join([",".join(row) + "\n" for row in zip(*cells, strict=True)]).encode()


def _quoted(name: str) -> str:
    """Return a name as a cell of CSV."""
    return '"{}"'.format(name.replace('"', '""')) if set(name) & set(',"\n\r') else name
