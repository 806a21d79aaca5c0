"""Reads the lines of a file, which may be gzipped: in C++ if plain, else naming the line at fault."""

import ctypes
import gzip
import io
import itertools
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from ctypes import c_char, c_char_p, c_int, c_longlong, c_void_p
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

import numpy as np
import scipy
from isal import igzip, igzip_lib

from cuda_device.compiled_files import build_host
from cuda_device.errors import OneLineError
from retrace.graphs.csr import Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.errors import RetraceError, warn
from retrace.system.files import check_regular
from retrace.system.project import KERNELS

T = TypeVar("T")
R = TypeVar("R")

GZIP_MAGIC = b"\x1f\x8b"
DAMAGED = cast("type[Exception]", igzip_lib.IsalError)
"""What isal raises; its types take the class for an exception."""

LARGEST = UNREACHABLE - 1
"""The largest number of vertices or lines and the largest weight or distance: `UNREACHABLE` - 1."""

PIECE = 1 << 20
"""Number of bytes read at a time."""

LONGEST_LINE = 1 << 20
"""Longer lines, which no format has, are cut, so that they do not fill the memory."""

FEW_BYTES = 1 << 16
"""Python has read so many before a compiler, which may be needed the first time, has started."""

MOST_THREADS = 8
"""Each has a piece in memory; more would wait for the one that reads or unpacks the file."""


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


@contextmanager
def open_graph(path: Path, shown: str | None = None) -> Iterator[BinaryIO]:
    """Open a file that may be gzipped; RetraceErrors, if it is damaged, call it `shown` instead of `path`."""
    check_regular(path)
    try:
        with path.open("rb") as raw:
            if raw.peek(2).startswith(GZIP_MAGIC):
                with igzip.open(raw) as content:
                    yield cast(BinaryIO, content)
            else:
                yield raw
    except (EOFError, DAMAGED, gzip.BadGzipFile):
        reason = "expected a whole packed file, found a damaged one; get it again"
        raise RetraceError(f"{shown or path}: {reason}") from None
    except OSError as error:
        raise RetraceError(f"{shown or path}: cannot be read ({error.strerror}); check the path") from None


def read_pieces(file: BinaryIO) -> Iterator[tuple[bytes, bool]]:
    """Yield the content of a file in pieces of whole lines, each with a flag for the last piece."""
    piece, last = file.read(PIECE) + file.readline(LONGEST_LINE), False
    while not last:
        following = file.read(PIECE) + file.readline(LONGEST_LINE)
        last = not following
        yield piece, last
        piece = following


@dataclass(frozen=True)
class Rows:
    """The rows of one piece of a file."""

    columns: Int32Array
    """Shape (2 or 3, lines): tails, heads (both from 0) and, if there are any, weights."""
    piece: bytes
    place: Place

    def line_number(self, row: int, layout: LineLayout) -> int:
        """Return the line number of a row in the file."""
        return next(itertools.islice(split_lines(self.piece, layout, self.place), row, None))[0]


def read_rows(
    file: BinaryIO, kind: str, path: Path | str, negative: bool = False
) -> tuple[LineLayout, Header, Iterator[Rows]]:
    """Read the header of an open file, and return an iterator that reads its lines piece by piece.

    If `negative` is true, weights may be negative; the slow reader handles a piece that contains a minus.
    Raises RetraceError, naming `path` and the line, if the content is not in the format.
    """
    pieces = read_pieces(file)
    piece, last = next(pieces)
    layout = layout_of(piece, path) if kind == "matrix-market" else LAYOUTS[kind]
    if negative:
        layout = replace(layout, least=-LARGEST)
    header = read_header(piece, layout, path)
    begins = itertools.chain([header.end], itertools.repeat(0))
    parts = zip(itertools.chain([(piece, last)], pieces), begins, strict=False)
    few = last and len(piece) < FEW_BYTES
    if not few:
        reader_library()  # before several threads ask for it

    def read(part: tuple[tuple[bytes, bool], int]) -> tuple[Int32Array | None, int]:
        (content, _), begin = part
        return (None, 0) if few else read_plain(content, begin, layout, header.bound)

    def rows() -> Iterator[Rows]:
        number, count = header.number, 0
        for ((content, ends), begin), (columns, line_ends) in read_ahead(parts, read):
            place = Place(number, begin, count, ends)
            if columns is None or not header.allows(count + columns.shape[1], ends):
                columns = read_any(content, layout, header, path, place)
            yield Rows(columns, content, place)
            number, count = number + line_ends, count + columns.shape[1]

    return layout, header, rows()


def read_ahead(items: Iterable[T], work: Callable[[T], R]) -> Iterator[tuple[T, R]]:
    """Yield items in order, each with the result of its work; threads work on the next few meanwhile.

    If the items end with an error, as a damaged file's do, it is raised after those before it.
    """
    threads = min(len(os.sched_getaffinity(0)), MOST_THREADS)
    waiting: deque[tuple[T, Future[R]]] = deque()
    damage: Exception | None = None
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append((item, pool.submit(work, item)))
                if len(waiting) > threads:
                    first, result = waiting.popleft()
                    yield first, result.result()
        except (OSError, EOFError, DAMAGED) as error:
            damage = error
        for item, result in waiting:
            yield item, result.result()
    if damage:
        raise damage


def read_header(content: bytes, layout: LineLayout, path: Path | str) -> Header:
    """Read the first line that is not a comment; raise RetraceError if it is not a header of the format."""
    if not layout.header:
        return Header(None, None, layout.undirected, 0, 0)
    number, end, words = next(split_lines(content, layout), (1, 0, []))
    numbers: dict[str, int] = {}
    expected = layout.header.split()
    good = len(words) == len(expected)
    for name, word in zip(expected, words, strict=False):
        if most := {"N": LARGEST, "M": LARGEST, "U": 1}.get(name):
            value = number_of(word)
            # A name that occurs twice must have one value, because only a square matrix is a graph.
            good &= value <= most and numbers.setdefault(name, value) == value
        else:
            good &= word == name.encode()
    if not good:
        raise blame(path, number, f"a header '{layout.header}' (at most {LARGEST} each)", words)
    return Header(numbers["N"], numbers["M"], bool(numbers.get("U", layout.undirected)), number, end)


def read_any(
    content: bytes, layout: LineLayout, header: Header, path: Path | str, place: Place | None = None
) -> Int32Array:
    """Read the lines after a position, by default the end of the header, one by one; white space may vary.

    Returns tails, heads (both from 0) and, if there are any, weights, shape (2 or 3, lines). Raises
    RetraceError, naming the first line that is not in the format.
    """
    keyword = [layout.keyword] if layout.keyword else []
    top = header.bound - 1 + layout.base
    rows: list[list[int]] = []
    place = place or Place(header.number, header.end)
    number = place.number
    for number, _, words in split_lines(content, layout, place):
        values = [number_of(word) for word in words[len(keyword) :]]
        if layout.least < 0 and len(values) == 3:
            values[2] = weight_of(words[-1])
        expected = ""
        if place.rows + len(rows) == header.lines:
            expected = f"no more than the {header.lines} lines that line {header.number} announces"
        elif words[: len(keyword)] != keyword or len(values) != layout.columns:
            expected = f"'{layout.line}'"
        elif not layout.header and any(word[:1] == b"0" != word for word in words[:2]):
            expected = f"'{layout.line}' with ids as numbers are written, since 07 is a name beside 7"
        elif not all(layout.base <= vertex <= top for vertex in values[:2]):
            expected = f"'{layout.line}' with whole ids from {layout.base} to {top}"
        elif max(values) > LARGEST or min(values[2:], default=0) < layout.least:
            expected = f"'{layout.line}' with a whole weight from {layout.least} to {LARGEST}"
            if layout.least == 0 and words[-1].startswith(b"-"):
                expected += " (only bellman-ford takes negative weights)"
        if expected:
            raise blame(path, number, expected, words)
        rows.append([values[0] - layout.base, values[1] - layout.base, *values[2:]])
    count = place.rows + len(rows)
    if place.last and count < (1 if header.lines is None else header.lines):
        amount = "some" if header.lines is None else f"the {header.lines} that line {header.number} announces"
        raise RetraceError(
            f"{path}, line {max(number, 1)}: expected lines '{layout.line}', {amount}, found the file's end "
            f"after {count}; it may be cut short"
        )
    return np.array(rows, dtype=np.int32).reshape(-1, layout.columns).T.copy()


class CLayout(ctypes.Structure):
    """`Layout` of `kernels/host/read_lines.cpp`."""

    _fields_ = (
        *((name, c_char) for name in ("comment", "keyword")),
        *((name, c_int) for name in ("columns", "base", "vertices")),
    )


@cache
def reader_library() -> ctypes.CDLL | None:
    """Return the C++ functions; None, with a warning, if they cannot be compiled, so that Python does all."""
    try:
        library = ctypes.CDLL(str(build_host(KERNELS / "host/read_lines.cpp")))
    except OneLineError as error:
        warn(f"graph files are read line by line, in Python, which is slow: {error}")
        return None
    library.count_lines.argtypes = [c_void_p, c_void_p]
    library.read_lines.argtypes = [ctypes.POINTER(CLayout), c_void_p, c_void_p, c_longlong, c_void_p]
    library.count_lines.restype = library.read_lines.restype = c_longlong
    library.count_arcs.argtypes = [c_longlong, c_void_p, c_void_p]
    library.place_arcs.argtypes = [c_longlong, *[c_void_p] * 6]
    library.count_arcs.restype = library.place_arcs.restype = None
    return library


def read_plain(content: bytes, begin: int, layout: LineLayout, bound: int) -> tuple[Int32Array | None, int]:
    """Read the lines after `begin`, with ids of less than `bound` vertices; other threads run meanwhile.

    Returns what `read_any` does, or None if a line is not plain, and the number of line ends. No count that
    a header announces is compared.
    """
    library = reader_library()
    if library is None:
        return None, content.count(b"\n", begin)
    text = c_char_p(content)
    address = ctypes.cast(text, c_void_p).value or 0
    first, end = address + begin, address + len(content)
    line_ends = library.count_lines(first, end)
    columns = np.empty((layout.columns, line_ends + 1), dtype=np.int32)  # the last line may have no end
    form = CLayout(layout.comment or b"\0", layout.keyword or b"\0", layout.columns, layout.base, bound)
    rows = library.read_lines(form, first, end, line_ends + 1, columns.ctypes.data)
    return (None if rows < 0 else columns[:, :rows]), line_ends


def split_lines(
    content: bytes, layout: LineLayout, after: Place | None = None
) -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield line number, end (byte offset) and words of each line that is neither blank nor a comment."""
    number, end = (after.number, after.begin) if after else (0, 0)
    while end < len(content):
        start, end = end, content.find(b"\n", end) + 1 or len(content)
        number += 1
        line = content[start:end]
        words = line.split()
        if words and not (layout.comment and line.startswith(layout.comment)):
            yield number, end, words


def number_of(word: bytes) -> int:
    """Return the value of a word of digits; for any other word, a number above `LARGEST`."""
    return int(word.lstrip(b"0")[:20] or b"0") if word.isdigit() else LARGEST + 1


def weight_of(word: bytes) -> int:
    """Return the value of a word of digits with an optional minus; otherwise as `number_of`."""
    return -number_of(word[1:]) if word[:1] == b"-" and word[1:].isdigit() else number_of(word)


def blame(path: Path | str, number: int, expected: str, words: list[bytes]) -> RetraceError:
    """Return an error that names the line at fault."""
    text = ascii(b" ".join(words)[:60].decode("latin-1")) if words else "nothing"
    return RetraceError(f"{path}, line {number}: expected {expected}, found {text}")
