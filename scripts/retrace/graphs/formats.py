"""Graph files: DIMACS `.gr`, the reports' H/E format, SNAP edge lists, PACE `.gr` and Matrix Market.

Every format is a header and lines of integers, so one `Layout` describes each and two passes read them all.
The slow one goes line by line, names the line at fault, and defines what is accepted. The fast one reads only
files that are written plainly, a strict part of what the slow one accepts, and stands back where it cannot
vouch for a file. Files may be gzip'ed, whatever their name.

A file is read in pieces of whole lines, each by the fast pass if it can be, and H/E is written in pieces as
well: the whole text of a large file is never in memory.
"""

from __future__ import annotations

import gzip
import io
import itertools
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import scipy.io
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from retrace.errors import RetraceError
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array

LARGEST = UNREACHABLE - 1
"""The largest number of vertices or lines, weight or distance that fits in 32 bits beside `UNREACHABLE`."""

GZIP_MAGIC = b"\x1f\x8b"

PIECE = 1 << 20
"""Bytes of text read at a time."""

ARCS_WRITTEN = 1 << 16
"""Arcs turned into text at a time."""


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


@dataclass(frozen=True)
class Rows:
    """What a piece of a file holds.

    Attributes
    ----------
    columns
        Shape (lines, 2 or 3), int64: each line's tail, head (from 0) and weight.
    piece, place
        Where they were found.
    """

    columns: NDArray[np.int64]
    piece: bytes
    place: Place

    def line_number(self, row: int, layout: Layout) -> int:
        """Tell on which line of the file a row stands."""
        if len(self.columns) == self.piece.count(b"\n", self.place.begin):  # no line but such
            return self.place.number + row + 1
        return next(itertools.islice(_lines(self.piece, layout, self.place), row, None))[0]


def read(path: Path, kind: str) -> CSRGraph:
    """Read a graph file in one of the formats of `LAYOUTS`; see `parse`."""
    with open_graph(path) as file:
        return parse_stream(file, kind, path)


@contextmanager
def open_graph(path: Path) -> Iterator[BinaryIO]:
    """Open a file that may be gzip'ed, to be read inside the block.

    Raises
    ------
    RetraceError
        If it cannot be read, or is a damaged gzip file.
    """
    try:
        with path.open("rb") as raw:
            if raw.peek(2).startswith(GZIP_MAGIC):
                with gzip.open(raw) as content:
                    yield cast(BinaryIO, content)
            else:
                yield raw
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RetraceError(f"{path}: expected a whole gzip file, found a damaged one; get it again") from None
    except OSError as error:
        raise RetraceError(f"{path}: cannot be read ({error.strerror}); check the path") from None


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
    return parse_stream(io.BytesIO(content), kind, path, counts)


def parse_stream(
    file: BinaryIO, kind: str, path: Path | str, counts: tuple[int, int] | None = None
) -> CSRGraph:
    """Make a graph of an open file, as `parse` does; memory is taken for arcs only, not for text."""
    layout, header, rows = read_rows(file, kind, path)
    arcs, largest, heaviest, blamed = 0, -1, -1, 0
    parts: list[Int32Array] = []
    for found in rows:
        columns = _both_ways(found.columns, layout.loops_once) if header.undirected else found.columns
        if len(columns) == 0:
            continue
        arcs += len(columns)
        if arcs > LARGEST:
            raise RetraceError(
                f"{path}: expected at most {LARGEST} arcs (32 bits), found more; take a smaller graph"
            )
        largest = max(largest, int(columns[:, :2].max()))
        if layout.columns == 3:
            row = int(found.columns[:, 2].argmax())
            if (weight := int(found.columns[row, 2])) > heaviest:
                heaviest, blamed = weight, found.line_number(row, layout)
        parts.append(columns[np.argsort(columns[:, 0], kind="stable")].T.astype(np.int32, order="C"))
    vertices = largest + 1 if header.vertices is None else header.vertices
    if counts not in (None, (vertices, arcs)):
        raise RetraceError(
            f"{path}: expected {counts[0]} vertices and {counts[1]} arcs, as the configuration says, "
            f"found {vertices} and {arcs}"
        )
    try:
        graph = _assemble(vertices, arcs, parts, layout.columns == 3)
    except MemoryError:
        raise RetraceError(
            f"{path}: {vertices} vertices and {arcs} arcs need more memory than there is; take fewer"
        ) from None
    if _may_overflow(graph):
        raise RetraceError(
            f"{path}, line {blamed}: expected weights whose paths stay within {LARGEST} (32 bits), found "
            f"that this one, the heaviest, may end a longer path; scale the weights down"
        )
    return graph


def read_rows(file: BinaryIO, kind: str, path: Path | str) -> tuple[Layout, Header, Iterator[Rows]]:
    """Read the header of an open file, and then, as they are asked for, its lines, piece by piece.

    Raises
    ------
    RetraceError
        If the content is not in the format, naming `path` and the line.
    """
    pieces = _pieces(file)
    piece, last = next(pieces)
    layout = _matrix_market(piece, path) if kind == "matrix-market" else LAYOUTS[kind]
    header = read_header(piece, layout, path)

    def rows() -> Iterator[Rows]:
        number, begin, count = header.number, header.end, 0
        for content, ends in itertools.chain([(piece, last)], pieces):
            place = Place(number, begin, count, ends)
            columns = read_plain(content, layout, header, place)
            if columns is None:
                columns = read_any(content, layout, header, path, place)
            yield Rows(columns, content, place)
            number, begin, count = number + content.count(b"\n", begin), 0, count + len(columns)

    return layout, header, rows()


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


def read_plain(
    content: bytes, layout: Layout, header: Header, place: Place | None = None
) -> NDArray[np.int64] | None:
    """Read the lines after a place as `read_any` would, fast; None where that cannot be vouched for.

    Returns
    -------
    columns
        Shape (lines, 2 or 3), int64: each line's tail, head (from 0) and weight.
    """
    place = place or Place(header.number, header.end)
    body = content[place.begin :].replace(b"\r\n", b"\n")
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
    rows = place.rows + count
    if (
        count == 0
        or (header.lines is not None and (rows > header.lines or (place.last and rows < header.lines)))
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


def read_any(
    content: bytes, layout: Layout, header: Header, path: Path | str, place: Place | None = None
) -> NDArray[np.int64]:
    """Read the lines after a place, by default the header, one by one.

    Words are apart by any white space; blank lines are skipped.

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
    place = place or Place(header.number, header.end)
    number = place.number
    for number, _, words in _lines(content, layout, place):
        if place.rows + len(rows) == header.lines:
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
    count = place.rows + len(rows)
    if place.last and count < (1 if header.lines is None else header.lines):
        wanted = "some" if header.lines is None else f"the {header.lines} that line {header.number} announces"
        raise RetraceError(
            f"{path}, line {max(number, 1)}: expected lines '{layout.line}', {wanted}, found the file's end "
            f"after {count}; it may be cut short"
        )
    return np.array(rows, dtype=np.int64).reshape(-1, layout.columns)


def write_he(graph: CSRGraph, path: Path) -> None:
    """Write a weighted graph as directed H/E, whole or not at all.

    Raises
    ------
    RetraceError
        If it cannot be written.
    ValueError
        If the graph has no weights.
    """
    if graph.weights is None:
        raise ValueError("H/E needs weights")
    parts = _arcs_by_parts(graph.indptr, graph.indices, graph.weights)
    write_he_arcs(graph.vertices, graph.arcs, parts, path)


def write_he_arcs(vertices: int, arcs: int, parts: Iterable[Sequence[Int32Array]], path: Path) -> None:
    """Write arcs as directed H/E, whole or not at all.

    Parameters
    ----------
    vertices, arcs
        Numbers for the header.
    parts
        Tails, heads and weights, shape (any,) each, to be written one part after the other.
    path
        The file.

    Raises
    ------
    RetraceError
        If it cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        with partial.open("wb") as file:
            file.write(b"H %d %d 0\n" % (vertices, arcs))
            for columns in parts:
                file.write(_he_lines(columns))
        partial.replace(path)
    except OSError as error:
        raise RetraceError(
            f"{path}: cannot be written ({error.strerror}); check the path and the disk"
        ) from None
    finally:
        partial.unlink(missing_ok=True)


def _arcs_by_parts(
    indptr: Int32Array, indices: Int32Array, weights: Int32Array
) -> Iterator[tuple[Int32Array, Int32Array, Int32Array]]:
    """Yield tails, heads and weights of some arcs at a time: tails of all would take as much as the heads."""
    for begin in range(0, len(indices), ARCS_WRITTEN):
        end = min(begin + ARCS_WRITTEN, len(indices))
        first = int(np.searchsorted(indptr, np.int32(begin), side="right")) - 1
        after = int(np.searchsorted(indptr, np.int32(end), side="left"))
        degrees: Int32Array = np.diff(indptr[first : after + 1].clip(begin, end))
        tails = np.repeat(np.arange(first, after, dtype=np.int32), degrees)
        yield tails, indices[begin:end], weights[begin:end]


def _he_lines(columns: Sequence[Int32Array]) -> bytes:
    """Write lines `E u v w`: all numbers with as many digits as the longest, then leading zeros left out."""
    count = len(columns[0])
    if count == 0:
        return b""
    widths = [len(str(int(column.max()))) for column in columns]
    text = np.full((count, 2 + sum(widths) + len(widths)), ord(" "), dtype=np.uint8)
    keep = np.ones(text.shape, dtype=np.bool_)
    text[:, 0] = ord("E")
    end = 2
    for column, width in zip(columns, widths, strict=True):
        end += width
        rest = column.astype(np.uint32)
        for place in range(end - 1, end - width - 1, -1):
            if place < end - 1:
                keep[:, place] = rest > 0
            shorter = rest // 10
            text[:, place] = rest - shorter * 10 + ord("0")
            rest = shorter
        end += 1
    text[:, -1] = ord("\n")
    return text[keep].tobytes()


def _pieces(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield a file's content in pieces of whole lines, each with whether it is the last."""
    piece, last = file.read(PIECE) + file.readline(), False
    while not last:
        following = file.read(PIECE) + file.readline()
        last = not following
        yield piece, last
        piece = following


def _assemble(vertices: int, arcs: int, parts: list[Int32Array], weighted: bool) -> CSRGraph:
    """Put parts, each of tails, heads and perhaps weights sorted by tail, into rows; uses the list up."""

    def runs(tails: Int32Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        begins = np.flatnonzero(np.concatenate(([True], tails[1:] != tails[:-1])))
        return begins, np.diff(begins, append=len(tails))

    indptr = np.zeros(vertices + 1, dtype=np.int64)
    for part in parts:
        begins, lengths = runs(part[0])
        indptr[part[0][begins] + 1] += lengths
    np.cumsum(indptr, out=indptr)
    graph = [np.empty(arcs, dtype=np.int32) for _ in range(2 if weighted else 1)]
    free = indptr[:-1].copy()
    parts.reverse()
    while parts:
        tails, *values = parts.pop()
        begins, lengths = runs(tails)
        places = np.arange(len(tails)) + np.repeat(free[tails[begins]] - begins, lengths)
        free[tails[begins]] += lengths
        for column, value in zip(graph, values, strict=True):
            column[places] = value
    return CSRGraph(indptr.astype(np.int32), graph[0], graph[1] if weighted else None)


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
    longest = graph.vertices - 1  # arcs on a path
    if longest * int(graph.weights.max()) <= LARGEST:
        return False
    weights = graph.weights.astype(np.int64)
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
