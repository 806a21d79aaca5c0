"""Describes the lines of each format."""

import io
import re
from dataclasses import dataclass, replace
from pathlib import Path

import scipy

from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.errors import RetraceError

LARGEST = UNREACHABLE - 1
"""The largest number of vertices or lines and the largest weight or distance: `UNREACHABLE` - 1."""


@dataclass(frozen=True)
class LineLayout:
    """The form of a format's lines."""

    comment: bytes
    """Start of a comment line; empty if the format has no comments."""
    header: str
    """Words of the header; `N` (vertices), `M` (lines) and `U` (undirected, 0 or 1) stand for numbers."""
    line: str
    """Words of a line: an optional keyword, then `u` and `v` for the ids, and `w` if there is a weight."""
    base: int
    """Smallest vertex id."""
    undirected: bool = False
    """Whether each line is an edge, which becomes two adjacent arcs. A header with `U` overrides this."""
    loops_once: bool = False
    """Whether a self-loop becomes one arc even in an undirected graph, as in a symmetric matrix."""
    least: int = 0
    """Smallest weight: 0, or negative where the caller accepts negative weights."""

    @property
    def keyword(self) -> bytes:
        """The word at the start of each line; empty if there is none."""
        return self.line.partition("u")[0].strip().encode()

    @property
    def columns(self) -> int:
        """Number of integers per line: 3 with weights, else 2."""
        return 3 if self.line.endswith("w") else 2


LAYOUTS = {
    "dimacs": LineLayout(b"c", "p sp N M", "a u v w", base=1),
    # The report does not say whether an undirected edge is written once or twice. Here: once; M counts lines.
    "he": LineLayout(b"", "H N M U", "E u v w", base=0),
    # No header: ids are kept unchanged, and the largest id gives the number of vertices.
    "snap": LineLayout(b"#", "", "u v", base=0),
    "pace": LineLayout(b"c", "p tw N M", "u v", base=1, undirected=True),
    "matrix-market": LineLayout(b"%", "N N M", "u v", base=1, loops_once=True),  # see its banner
}


def layout_of(content: bytes, path: Path | str) -> LineLayout:
    """Return the layout that the banner of a Matrix Market file describes.

    SciPy reads the banner, but not the entries: in an integer matrix it would read `1 2 1.5` as `1 2 1`.
    Raises RetraceError if the banner is invalid or the matrix is not a graph with integer weights or none.
    """
    layout = LAYOUTS["matrix-market"]
    try:
        _, _, _, storage, field, symmetry = scipy.io.mminfo(io.BytesIO(content))
    except (ValueError, OverflowError) as error:
        match = re.fullmatch(r"Line (\d+): (.*)", str(error)) or re.fullmatch(
            r"()(.*)", str(error), re.DOTALL
        )
        number, reason = match.groups() if match else ("", "")
        raise RetraceError(
            f"{path}, line {number or 1}: expected a Matrix Market header, found: {reason}"
        ) from None
    accepted = {"coordinate"}, {"integer", "pattern"}, {"general", "symmetric"}
    if any(word not in words for word, words in zip((storage, field, symmetry), accepted, strict=True)):
        raise RetraceError(
            f"{path}, line 1: expected 'coordinate', 'integer' or 'pattern', 'general' or 'symmetric', "
            f"found '{storage} {field} {symmetry}'; convert the matrix"
        )
    return replace(layout, line="u v w" if field == "integer" else "u v", undirected=symmetry == "symmetric")


@dataclass(frozen=True)
class Header:
    """The content of a file's header."""

    vertices: int | None
    """None if it follows from the ids."""
    lines: int | None
    """Number of lines after the header; None if the header does not give it."""
    undirected: bool
    """Whether each line is an edge rather than an arc."""
    number: int
    """Line number of the header; 0 if there is none."""
    end: int
    """Byte offset of the next line."""

    @property
    def bound(self) -> int:
        """Number of vertices if known, else the largest possible number."""
        return LARGEST if self.vertices is None else self.vertices

    def allows(self, count: int, last: bool) -> bool:
        """Return whether a file may have so many lines so far, or in all after its `last` piece."""
        if self.lines is None:
            return count > 0 or not last
        return count == self.lines or (count < self.lines and not last)


@dataclass(frozen=True)
class Place:
    """A position in a file, from which the rest of a piece is read."""

    number: int
    """Number of lines before it in the file."""
    begin: int
    """Number of bytes before it in the piece."""
    rows: int = 0
    """Number of arc or edge lines before it in the file, which the header counts."""
    last: bool = True
    """Whether the piece is the last one of the file."""
