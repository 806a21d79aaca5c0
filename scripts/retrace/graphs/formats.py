"""Graph files: DIMACS `.gr`, the reports' H/E format, SNAP edge lists, PACE `.gr` and Matrix Market.

Every format is a header and lines of integers, so one `Layout` describes each and two passes read them all.
The slow one goes line by line, names the line at fault, and defines what is accepted. The fast one reads only
files that are written plainly, a strict part of what the slow one accepts, and stands back where it cannot
vouch for a file. Files may be gzip'ed, whatever their name.
"""

from __future__ import annotations

import gzip
import io
import itertools
import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.io
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from retrace.errors import RetraceError
from retrace.graphs.csr import UNREACHABLE, CSRGraph, from_arcs

LARGEST = UNREACHABLE - 1
"""The largest number of vertices or lines, weight or distance that fits in 32 bits beside `UNREACHABLE`."""

GZIP_MAGIC = b"\x1f\x8b"


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
    """

    comment: bytes
    header: str
    line: str
    base: int
    undirected: bool = False
    loops_once: bool = False

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


def read(path: Path, kind: str) -> CSRGraph:
    """Read a graph file in one of the formats of `LAYOUTS`; see `read_bytes`, `unpack` and `parse`."""
    return parse(unpack(read_bytes(path), path), kind, path)


def read_bytes(path: Path) -> bytes:
    """Return a file as it is.

    Raises
    ------
    RetraceError
        If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None


def unpack(raw: bytes, path: Path | str) -> bytes:
    """Return the content of a file that may be gzip'ed.

    Raises
    ------
    RetraceError
        If it is a damaged gzip file, naming `path`.
    """
    try:
        return gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RetraceError(f"{path}: expected a whole gzip file, found a damaged one; get it again") from None


def parse(content: bytes, kind: str, path: Path | str, counts: tuple[int, int] | None = None) -> CSRGraph:
    """Make a graph of a file's content; arcs keep the file's order, parallel arcs and self-loops stay.

    Distances from vertex 0 are known to fit in 32 bits. Those from other sources are checked when they are
    solved, by an oracle that works in 64 bits. Where the numbers of vertices and arcs to be found are known,
    `counts` are compared before memory is taken for as many vertices as the file claims to have.

    Raises
    ------
    RetraceError
        If the content is not in the format, naming `path` and the line.
    """
    layout = _matrix_market(content, path) if kind == "matrix-market" else LAYOUTS[kind]
    header = read_header(content, layout, path)
    columns = read_plain(content, layout, header)
    if columns is None:
        columns = read_any(content, layout, header, path)
    arcs = _both_ways(columns, layout.loops_once) if header.undirected else columns
    if len(arcs) > LARGEST:
        raise RetraceError(
            f"{path}: expected at most {LARGEST} arcs (32 bits), found {len(arcs)}; take a smaller graph"
        )
    vertices = int(arcs[:, :2].max()) + 1 if header.vertices is None else header.vertices
    if counts not in (None, (vertices, len(arcs))):
        raise RetraceError(
            f"{path}: expected {counts[0]} vertices and {counts[1]} arcs, as the configuration says, "
            f"found {vertices} and {len(arcs)}"
        )
    graph = from_arcs(vertices, arcs[:, 0], arcs[:, 1], arcs[:, 2] if layout.columns == 3 else None)
    if _may_overflow(graph):
        lines = _lines(content, layout, header)
        number, _, _ = next(itertools.islice(lines, int(columns[:, 2].argmax()), None))
        raise RetraceError(
            f"{path}, line {number}: expected weights whose paths stay within {LARGEST} (32 bits), found "
            f"that this one, the heaviest, may end a longer path; scale the weights down"
        )
    return graph


def read_header(content: bytes, layout: Layout, path: Path | str) -> Header:
    """Read what the first line announces.

    Raises
    ------
    RetraceError
        If it is not the format's header.
    """
    if not layout.header:
        return Header(None, None, layout.undirected, 0, 0)
    number, end, words = next(_lines(content, layout), (1, 0, []))
    numbers: dict[str, int] = {}
    expected = layout.header.split()
    good = len(words) == len(expected)
    for name, word in zip(expected, words, strict=False):
        if name in ("N", "M", "U"):
            value = _number(word)
            # A name that comes twice has one value: only a square matrix is a graph.
            good = (
                good and value <= (1 if name == "U" else LARGEST) and numbers.setdefault(name, value) == value
            )
        else:
            good = good and word == name.encode()
    if not good:
        raise _blame(path, number, f"a header '{layout.header}' (at most {LARGEST} each)", words)
    return Header(numbers["N"], numbers["M"], bool(numbers.get("U", layout.undirected)), number, end)


def read_plain(content: bytes, layout: Layout, header: Header) -> NDArray[np.int64] | None:
    """Read the lines after the header as `read_any` would, fast; None where that cannot be vouched for.

    Returns
    -------
    columns
        Shape (lines, 2 or 3), int64: each line's tail, head (from 0) and weight.
    """
    body = content[header.end :].replace(b"\r\n", b"\n")
    if not body.endswith(b"\n"):
        body += b"\n"
    if layout.comment and (body.startswith(layout.comment) or b"\n" + layout.comment in body):
        body = re.sub(rb"\n%b[^\n]*(?=\n)" % layout.comment, b"", b"\n" + body)[1:]
    body = body.replace(b"\t", b" ")

    # Without its digits a plain file is one line over and over. If the keyword starts each line and no two
    # other marks touch, then there are digits in every gap between marks and nowhere else.
    count = body.count(b"\n")
    start = layout.keyword + b" " if layout.keyword else b""
    marks = layout.line.translate(str.maketrans("", "", "uvw")).encode() + b"\n"
    if (
        count == 0
        or header.lines not in (None, count)
        or body.translate(None, b"0123456789") != marks * count
        or not body.startswith(start or tuple(b"%d" % digit for digit in range(10)))
        or body.count(b"\n" + start) != count - bool(start)
        or any(pair in body for pair in (b"  ", b" \n", b"\n ", b"\n\n"))
    ):
        return None
    columns = np.fromstring(body.translate(None, layout.keyword), dtype=np.int64, sep=" ").reshape(count, -1)
    ids = columns[:, :2]
    ids -= layout.base
    fits = ids.min() >= 0 and ids.max() < header.bound and columns.max() <= LARGEST
    return columns if fits else None


def read_any(content: bytes, layout: Layout, header: Header, path: Path | str) -> NDArray[np.int64]:
    """Read the lines after the header one by one: words apart by any white space, blank lines skipped.

    Returns
    -------
    columns
        Shape (lines, 2 or 3), int64: each line's tail, head (from 0) and weight.

    Raises
    ------
    RetraceError
        At the first line that is not as expected.
    """
    keyword = [layout.keyword] if layout.keyword else []
    top = header.bound - 1 + layout.base
    rows: list[list[int]] = []
    number = header.number
    for number, _, words in _lines(content, layout, header):
        if len(rows) == header.lines:
            raise _blame(
                path,
                number,
                f"no more than the {header.lines} lines that line {header.number} announces",
                words,
            )
        values = [_number(word) for word in words[len(keyword) :]]
        if words[: len(keyword)] != keyword or len(values) != layout.columns:
            raise _blame(path, number, f"'{layout.line}'", words)
        if not all(layout.base <= vertex <= top for vertex in values[:2]):
            raise _blame(path, number, f"'{layout.line}' with whole ids from {layout.base} to {top}", words)
        if max(values) > LARGEST:
            raise _blame(path, number, f"'{layout.line}' with a whole weight from 0 to {LARGEST}", words)
        rows.append([values[0] - layout.base, values[1] - layout.base, *values[2:]])
    if len(rows) < (1 if header.lines is None else header.lines):
        wanted = "some" if header.lines is None else f"the {header.lines} that line {header.number} announces"
        raise RetraceError(
            f"{path}, line {max(number, 1)}: expected lines '{layout.line}', {wanted}, found the file's end "
            f"after {len(rows)}; it may be cut short"
        )
    return np.array(rows, dtype=np.int64).reshape(-1, layout.columns)


def write_he(graph: CSRGraph, path: Path) -> None:
    """Write a weighted graph as directed H/E, whole or not at all.

    Raises
    ------
    ValueError
        If the graph has no weights.
    """
    if graph.weights is None:
        raise ValueError("H/E needs weights")
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        with partial.open("w") as file:
            file.write(f"H {graph.vertices} {graph.arcs} 0\n")
            for u, v, w in zip(graph.tails(), graph.indices, graph.weights, strict=True):
                file.write(f"E {u} {v} {w}\n")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _matrix_market(content: bytes, path: Path | str) -> Layout:
    """Return the layout that a Matrix Market banner, read by SciPy, announces.

    SciPy does not read the entries: it takes `1 2 1.5` in an integer matrix for `1 2 1`.
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


def _lines(
    content: bytes, layout: Layout, after: Header | None = None
) -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield number, end in bytes and words of each line that is neither blank nor a comment."""
    number, end = (after.number, after.end) if after else (0, 0)
    while end < len(content):
        start, end = end, content.find(b"\n", end) + 1 or len(content)
        number += 1
        line = content[start:end]
        words = line.split()
        if words and not (layout.comment and line.startswith(layout.comment)):
            yield number, end, words


def _number(word: bytes) -> int:
    """Value of a word of digits, some number above `LARGEST` for any other word."""
    return int(word.lstrip(b"0")[:20] or b"0") if word.isdigit() else LARGEST + 1


def _blame(path: Path | str, number: int, expected: str, words: list[bytes]) -> RetraceError:
    found = ascii(b" ".join(words)[:60].decode("latin-1")) if words else "nothing"
    return RetraceError(f"{path}, line {number}: expected {expected}, found {found}")


def _both_ways(edges: NDArray[np.int64], loops_once: bool) -> NDArray[np.int64]:
    """Follow each edge by its reverse, shape (2 * edges, columns); a self-loop by none if `loops_once`."""
    arcs = np.repeat(edges, 2, axis=0)
    arcs[1::2, :2] = edges[:, 1::-1]
    if loops_once:
        keep = np.ones(len(arcs), dtype=bool)
        keep[1::2] = edges[:, 0] != edges[:, 1]
        arcs = arcs[keep]
    return arcs


def _may_overflow(graph: CSRGraph) -> bool:
    """Whether a distance from vertex 0, or one relaxation beyond it, passes `LARGEST`."""
    if graph.weights is None or graph.arcs == 0:
        return False
    weights = graph.weights.astype(np.int64)
    longest = graph.vertices - 1  # arcs on a path
    if longest * int(weights.max()) <= LARGEST:
        return False
    if longest < graph.arcs:
        weights = np.partition(weights, graph.arcs - longest)[graph.arcs - longest :]
    if weights.sum() <= LARGEST:
        return False
    # SciPy adds parallel arcs up wherever it tidies a matrix: keep the lightest of each.
    tails = graph.tails()
    order = np.lexsort((graph.weights, graph.indices, tails))
    tails, heads = tails[order], graph.indices[order]
    first = np.ones(graph.arcs, dtype=bool)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    indptr = np.concatenate(([0], np.cumsum(np.bincount(tails[first], minlength=graph.vertices))))
    lightest = graph.weights[order][first].astype(np.float64)  # exact: any sum is below 2**53
    matrix = csr_array(
        (lightest, heads[first], indptr.astype(np.int32)), shape=(graph.vertices, graph.vertices)
    )
    distances = dijkstra(matrix, indices=[0])[0]
    return bool(distances[np.isfinite(distances)].max() + graph.weights.max() > LARGEST)
