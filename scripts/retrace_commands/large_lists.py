"""Reads a large list of edges in pieces, by pandas; unusual rows are read line by line."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.formats.lines import read_pieces
from retrace.system.errors import RetraceError
from retrace_commands.edge_lists import (
    HIDDEN,
    Stated,
    attribute_notes,
    column_notes,
    header_of,
    mark_of,
    may_have_counts,
    places_of,
    refuse_doubts,
    refuse_header_in_rows,
    split_rows,
    stated_type,
    take_rows,
    with_row_names,
)
from retrace_commands.edge_table import (
    EdgeColumns,
    EdgeTable,
    Ints,
    Words,
    is_negative,
    is_odd,
    is_short_whole,
)
from retrace_commands.file_content import GUESSED, check_text, open_content, read_head
from retrace_commands.list_comments import compare_counts, read_comments
from retrace_commands.list_doubts import are_times, refuse_doubtful_names, times_of, why_times
from retrace_commands.published_formats import ARC_KINDS, read_table

BEGINS_COMMENT = re.compile(rb"[#%]|//")
COMMENT = re.compile(rb"^[ \t]*(?:#|%|//).*$", re.M)
HIDDEN_ROW = re.compile(rb"^[ \t]*(#+|%+|//)[^\s#%/]", re.M)
COMMENT_BEHIND = re.compile(rb" (?:#|%|//)|[0-9](?:#|//)")
"""Where a comment may stand behind a cell."""
ATTRIBUTES_END = re.compile(rb"\}\s*$", re.MULTILINE)
"""How a row ends that has a dict of Python's, as NetworkX writes."""

NO_NUMBER = re.compile(rb"[0-9]{19}|(?<![0-9])-?0[0-9]|-0|[+]")
"""What pandas may read as a fraction, or as another number that is a name of its own."""
OF_NUMBERS = b"0123456789+- \t\n"
"""The bytes of rows of whole numbers, with what separates cells."""


class _UnlikeError(Exception):
    """A piece is not as the layout says: an id is no whole number, or a line has no end."""


@dataclass(frozen=True)
class _Layout:
    """How rows are read."""

    mark: str | None
    """What separates cells; None for white space."""
    width: int
    places: list[int]
    """Cells of tail, head and perhaps weight."""
    encoding: str
    names: Words | None
    """Names of vertices; None if ids are whole numbers."""
    stated: Stated | None = None
    """As `stated_type` has it."""


def read_large(path: Path, columns: Sequence[str], is_asked: bool) -> EdgeTable | None:
    """Read a list of edges without holding its text; None if only the whole text says what it is.

    That is so if it has no edges, or if its first line may have counts or be METIS's. RetraceError names
    the first line that is not as the others, or if it `is_asked` what may be something else than edges.
    """
    where = str(path)
    head = read_head(path).rpartition("\n")[0]
    mark = mark_of(head, where)
    rows = split_rows(head, where, mark)
    if not rows:
        return None
    rows = with_row_names(rows, head, columns, where)
    header, width = header_of(rows, columns), len(rows[0][1])
    edges = rows if header is None else rows[1:]
    may_count = header is None and not columns
    if is_asked:
        refuse_doubts(head, edges, header, where)
    if may_count and (width not in (2, 3) or any(len(cells) != width for _, cells in rows)):
        return None
    try:
        places = places_of(rows, header, columns, where, mark)
    except RetraceError:
        if len(rows) > 1:
            raise
        return None  # there may be no edges, which is told first
    stated = stated_type(edges, header)
    if stated is not None and not columns and places[2:] == [stated.place]:
        places = places[:2]
    for encoding, names in (("utf-8", None), ("utf-8", Words()), ("latin-1", Words())):
        layout = _Layout(mark, width, places, encoding, names, stated)
        try:
            table = _read(path, layout, 0 if header is None else rows[0][0])
        except (_UnlikeError, UnicodeDecodeError):
            continue
        table.guessed = GUESSED if encoding == "latin-1" else ""
        if stated is not None:
            table.directed = stated.directed
        of_columns = column_notes(edges, header, columns, places, mark)
        table.notes = [*attribute_notes(head), *of_columns, *table.notes]
        table.no_weights = times_of(head, rows, header, columns, places)
        if may_count and not table.no_weights and table.columns is not None and has_times(table.columns):
            table.no_weights = why_times()
        lines = 0 if table.columns is None else table.columns.ids.shape[1]
        if table.columns is not None:
            refuse_header_in_rows(where, header, places, table.columns.names or ())
        if not lines or (may_count and may_have_counts(head, lines)):
            return None
        if is_asked:
            refuse_doubtful_names(table)
        return table
    return None


def has_times(columns: EdgeColumns) -> bool:
    """Return whether all weights are seconds since 1970, some of them after 2001."""
    if columns.weight_words is not None:
        return are_times(columns.weight_words)
    ends = [] if columns.weights is None else [int(edge(columns.weights)) for edge in (np.min, np.max)]
    return are_times([str(end) for end in ends])


def read_large_table(path: Path, kind: str) -> EdgeTable | None:
    """Read KONECT or Matrix Market without holding its text; None where only the whole text says enough."""
    lines = read_head(path).split("\n")[:-1]
    rows = [(k, line.split()) for k, line in enumerate(lines) if line.split() and not line.startswith("%")]
    comments = [k for k, line in enumerate(lines) if line.startswith("%")]
    if len(rows) < 2 or comments[:1] != [0]:
        return None
    is_stated = lines[0][1:].lstrip().startswith(ARC_KINDS)
    if kind == "konect" and (not is_stated or "dynamic" in lines[0].lower()):
        return None  # any line of a dynamic graph may remove an edge
    first = 0
    counts: list[str] = []
    if kind == "matrix-market":
        (place, counts), rows = rows[0], rows[1:]
        if "skew" in lines[0].lower() or len(counts) != 3:
            return None
        lines[place] = f"{counts[0]} {counts[1]} {len(rows)}"  # as many entries as the head has
        first, counts = place + 1, [counts[2], counts[0]]
    elif len(comments) > 1:
        counts = lines[comments[1]][1:].split()[:2]
        lines[comments[1]] = "%"
    table = read_table(kind, "\n".join(lines), path, [])
    width = len(rows[0][1])
    places = [0, 1] if table.weights is None else [0, 1, 2]
    if width < len(places) or not all(map(is_short_whole, counts)):
        return None
    try:
        read = _read(path, _Layout(None, width, places, "utf-8", None), first)
        table.columns, table.negative, table.odd = read.columns, read.negative, read.odd
    except (_UnlikeError, UnicodeDecodeError):
        return None
    if len(counts) == 2:
        edges, table.vertices = map(int, counts)
        lines_read = 0 if table.columns is None else table.columns.ids.shape[1]
        if edges != lines_read:
            raise RetraceError(f"{path}: expected {edges} edges, as its header says, found {lines_read}")
    return table


def all_comments(path: Path) -> str:
    """Return the lines of a file that are comments."""
    with open_content(path) as file:
        found = (COMMENT.findall(piece) for piece, _ in read_pieces(file) if BEGINS_COMMENT.search(piece))
        return b"\n".join(line for lines in found for line in lines).decode("latin-1")


def hidden_rows(text: str, width: int) -> int:
    """Return how many comments may be rows of so many words, of which the first begins as comments do."""
    lines = (line for line in map(str.strip, text.split("\n")) if HIDDEN.match(line))
    return sum(len(line.split()) == width for line in lines)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """Yield pieces of whole lines, which end with a line feed."""
    for piece, last in read_pieces(file):
        if not last and not piece.endswith(b"\n"):
            raise _UnlikeError
        yield piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _read(path: Path, layout: _Layout, header: int) -> EdgeTable:
    """Take all rows after the line of the header; a word as an id of numbers raises _UnlikeError."""
    table, words = EdgeTable(str(path)), Words()
    ends: list[Ints] = []
    weights: list[Ints] = []
    are_words: list[bool] = []
    announced, line = None, 0
    with open_content(path) as file:
        for piece in _pieces(file):
            check_text(piece, path)
            if comments := b"\n".join(COMMENT.findall(piece)) if BEGINS_COMMENT.search(piece) else b"":
                announced = read_comments(comments.decode("latin-1"), table) or announced
            skipped = max(0, header - line)
            body = piece.split(b"\n", skipped)[-1] if piece.count(b"\n") >= skipped else b""
            has_begun = any(part.size for part in ends)
            columns = None
            if not HIDDEN_ROW.search(comments):
                columns = _plain(COMMENT.sub(b"", body) if comments else body, layout)
            if columns is None:
                columns = _any(body, table.where, line + skipped + 1, layout, has_begun)
            ends.append(_numbered(columns[:2], layout))
            if len(columns) == 3:
                known = len(words)
                are_words.append(columns[2].dtype == object)
                weights.append(words.number(columns[2]) if are_words[-1] else columns[2])
                new = [] if table.odd[1] else words.after(known)
                below = None if table.negative else _first_negative(columns[2])
                odd = next((word for word in new if is_odd(word)), None)
                if below is not None or odd is not None:
                    text = body.decode(layout.encoding)
                    rows = split_rows(text, table.where, layout.mark, line + skipped + 1)
                    if below is not None:
                        table.negative = f", line {rows[below][0]}: the weight {columns[2][below]}"
                    if odd is not None:
                        place = int((weights[-1] == words.places[odd]).argmax())
                        table.odd = odd, f"on line {rows[place][0]}"
            line += piece.count(b"\n")
    ids = np.concatenate(ends, axis=1)
    table.columns = EdgeColumns(ids, None if layout.names is None else layout.names.listed)
    if any(are_words):
        parts = zip(weights, are_words, strict=True)
        weights = [part if is_words else _in_words(part, words) for part, is_words in parts]
        table.columns.weight_words = words.listed
    if weights:
        table.columns.weights = np.concatenate(weights)
    if announced is not None:
        compare_counts(table, announced, ids.shape[1], len(np.unique(ids)))
    return table


def _first_negative(weights: NDArray[Any]) -> int | None:
    """Return the place of the first weight below 0, of numbers or words."""
    if weights.dtype != object:
        below = weights < 0
        return int(below.argmax()) if below.any() else None
    return next((place for place, weight in enumerate(weights) if is_negative(weight)), None)


def _in_words(weights: Ints, words: Words) -> Ints:
    """Return the number of the word of each weight."""
    distinct, places = np.unique(weights, return_inverse=True)
    return words.number(np.array(list(map(str, distinct.tolist())), dtype=object))[places]


def _numbered(ends: list[NDArray[Any]], layout: _Layout) -> Ints:
    """Return ids, or numbers of names, shape (2, rows)."""
    if layout.names is not None:  # tail and head in turn: names are in the order of the file
        return layout.names.number(np.column_stack(ends).astype(object).ravel()).reshape(-1, 2).T
    numbers = []
    for column in ends:
        if column.dtype == object:
            words = Words()
            places = words.number(column)
            if not all(map(is_short_whole, words.places)):
                raise _UnlikeError
            column = np.array(list(map(int, words.places)), dtype=np.int64)[places]
        numbers.append(column)
    return np.stack(numbers)


def _plain(body: bytes, layout: _Layout) -> list[NDArray[Any]] | None:
    """Return columns of whole numbers, or else of words; None if a row is unusual, or wrong."""
    import pandas as pd

    first = next((line for line in body.split(b"\n", 100) if line.strip()), b"")
    mark = None if layout.mark is None else layout.mark.encode()
    if mark is not None and (COMMENT_BEHIND.search(body) or (mark != b"\t" and b"\t" in body)):
        return None  # a cell may be a tab alone
    if b'"' in body or ATTRIBUTES_END.search(body) or len(first.split(mark)) != layout.width:
        return None
    is_whole = not body.translate(None, OF_NUMBERS + (mark or b"")) and not NO_NUMBER.search(body)
    if not is_whole and re.search(r"[^\S \t\n]", body.decode(layout.encoding)):  # spaces unknown to pandas
        return None
    for kind in ("int64", "str") if is_whole and layout.names is None else ("str",):
        try:
            rows = pd.read_csv(
                BytesIO(body), sep=layout.mark or r"\s+", header=None, names=list(range(layout.width)),
                dtype=kind, index_col=False, skipinitialspace=True, na_filter=False, quoting=csv.QUOTE_NONE,
                encoding=layout.encoding,
            )  # fmt: skip
        except (ValueError, OverflowError):  # of these is what pandas raises where a row has too many cells
            continue
        columns = [rows[place].to_numpy() for place in range(layout.width)]
        if kind == "str" and any((columns[place] == "").any() for place in layout.places):
            return None
        whole = mark is not None and body.count(mark) == len(rows) * (layout.width - 1)
        if kind == "str" and not whole and any((column == "").any() for column in columns):
            return None  # a row may lack cells
        if layout.stated is not None and (columns[layout.stated.place] != layout.stated.word).any():
            return None
        return [columns[place] for place in layout.places]
    return None


def _any(body: bytes, where: str, first: int, layout: _Layout, has_begun: bool) -> list[NDArray[Any]]:
    """Return columns of words; RetraceError names the line that is not as the others."""
    table = EdgeTable(where)
    rows = split_rows(body.decode(layout.encoding), where, layout.mark, first, has_begun=has_begun)
    take_rows(table, rows, layout.places, layout.width, layout.stated, layout.mark)
    columns = [table.tails, table.heads, *([] if table.weights is None else [table.weights])]
    return [np.array(column, dtype=object) for column in columns]
