"""Reads the banner of a Matrix Market file."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import scipy

from retrace.graphs.formats.layouts import LAYOUTS, LineLayout
from retrace.system.errors import RetraceError


def layout_of(content: bytes, path: Path | str) -> LineLayout:
    """Return the layout that the banner of a Matrix Market file describes.

    SciPy reads the banner, but not the entries: in an integer matrix it would read `1 2 1.5` as `1 2 1`.
    Raises RetraceError if the banner is invalid or the matrix is not a graph with integer weights or none.
    """
    layout = LAYOUTS["matrix-market"]
    try:
        _, _, _, storage, field, symmetry = scipy.io.mminfo(io.BytesIO(content))
    except (ValueError, OverflowError) as error:
        told = re.fullmatch(r"Line (\d+): (.*)", str(error)) or re.fullmatch(r"()(.*)", str(error), re.DOTALL)
        number, reason = told.groups() if told else ("", "")
        raise RetraceError(
            f"{path}, line {number or 1}: expected a Matrix Market header, found: {reason}"
        ) from None
    if (
        storage != "coordinate"
        or field not in ("integer", "pattern")
        or symmetry not in ("general", "symmetric")
    ):
        raise RetraceError(
            f"{path}, line 1: expected 'coordinate', 'integer' or 'pattern', 'general' or 'symmetric', "
            f"found '{storage} {field} {symmetry}'; convert the matrix"
        )
    return replace(layout, line="u v w" if field == "integer" else "u v", undirected=symmetry == "symmetric")
