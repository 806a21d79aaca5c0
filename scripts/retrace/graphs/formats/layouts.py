"""What the lines of each format look like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from retrace.graphs.csr import UNREACHABLE
from retrace.system.errors import RetraceError

LARGEST = UNREACHABLE - 1
"""The largest number of vertices or lines, weight or distance that fits in 32 bits beside `UNREACHABLE`."""


@dataclass(frozen=True)
class Layout:
    """What the lines of a format look like.

    Attributes
    ----------
    comment
        What a comment line starts with; empty where the format has none.
    header
        The header's words; `N` (vertices), `M` (lines) and `U` (undirected, 0 or 1) stand for numbers.
    line
        The words of a line: a keyword or none, then `u`, `v` and perhaps `w` for the ids and the weight.
    base
        The smallest vertex id.
    undirected
        Each line is an edge, which becomes two arcs side by side; a header with `U` says so itself.
    loops_once
        A self-loop becomes one arc even if undirected, as it is one entry of a symmetric matrix.
    least
        The smallest weight: 0, or less where negative ones are asked for.
    """

    comment: bytes
    header: str
    line: str
    base: int
    undirected: bool = False
    loops_once: bool = False
    least: int = 0

    @property
    def keyword(self) -> bytes:
        """The word that each line starts with, empty if none."""
        return self.line.partition("u")[0].strip().encode()

    @property
    def columns(self) -> int:
        """Number of integers in a line: 3 with weights, else 2."""
        return 3 if self.line.endswith("w") else 2


LAYOUTS = {
    "dimacs": Layout(b"c", "p sp N M", "a u v w", base=1),
    # The report does not say whether an undirected edge is written once or twice: here once; M counts lines.
    "he": Layout(b"", "H N M U", "E u v w", base=0),
    # No header: ids are kept as they are, and the largest gives the number of vertices.
    "snap": Layout(b"#", "", "u v", base=0),
    "pace": Layout(b"c", "p tw N M", "u v", base=1, undirected=True),
    "matrix-market": Layout(b"%", "N N M", "u v", base=1, loops_once=True),  # completed by the file's banner
}


@dataclass(frozen=True)
class Header:
    """What a file announces.

    Attributes
    ----------
    vertices
        Number of vertices; None where the ids tell.
    lines
        Number of lines to come; None where there may be any.
    undirected
        Whether each line is an edge rather than an arc.
    number
        The header's own line number, 0 if there is none.
    end
        Where the next line starts, in bytes.
    """

    vertices: int | None
    lines: int | None
    undirected: bool
    number: int
    end: int

    @property
    def bound(self) -> int:
        """The number of vertices, or the largest possible."""
        return LARGEST if self.vertices is None else self.vertices


@dataclass(frozen=True)
class Place:
    """Where in a file the rest of a piece begins.

    Attributes
    ----------
    number
        Lines before it, in the file.
    begin
        Bytes before it, in the piece.
    rows
        Lines of the layout read before it, which the header counts.
    last
        Whether the piece ends the file.
    """

    number: int
    begin: int
    rows: int = 0
    last: bool = True


def split_lines(
    content: bytes, layout: Layout, after: Place | None = None
) -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield number, end in bytes and words of each line that is neither blank nor a comment."""
    number, end = (after.number, after.begin) if after else (0, 0)
    while end < len(content):
        start, end = end, content.find(b"\n", end) + 1 or len(content)
        number += 1
        line = content[start:end]
        words = line.split()
        if words and not (layout.comment and line.startswith(layout.comment)):
            yield number, end, words


def number_of(word: bytes) -> int:
    """Value of a word of digits, some number above `LARGEST` for any other word."""
    return int(word.lstrip(b"0")[:20] or b"0") if word.isdigit() else LARGEST + 1


def weight_of(word: bytes) -> int:
    """Value of a word of digits, perhaps after a minus; as `number_of` for any other word."""
    return -number_of(word[1:]) if word[:1] == b"-" and word[1:].isdigit() else number_of(word)


def blame(path: Path | str, number: int, expected: str, words: list[bytes]) -> RetraceError:
    """Make the error that names a line at fault."""
    found = ascii(b" ".join(words)[:60].decode("latin-1")) if words else "nothing"
    return RetraceError(f"{path}, line {number}: expected {expected}, found {found}")
