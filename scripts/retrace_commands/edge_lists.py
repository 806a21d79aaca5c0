"""Reads lists of edges: SNAP, CSV, TSV, with weights, a header, or counts on the first line."""

import csv
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from retrace.system.errors import RetraceError
from retrace.system.option_words import option
from retrace_commands.column_names import HEAD_NAMES, TAIL_NAMES, WEIGHT_NAMES, places_of_ends, plain
from retrace_commands.edge_table import THOUSANDS, WHOLE, EdgeTable, without_comma
from retrace_commands.list_comments import NO, YES, compare_counts, read_comments
from retrace_commands.list_doubts import (
    COUNTED_WORDS,
    is_number,
    may_be_matrix,
    refuse_doubtful_cells,
    refuse_doubtful_header,
    refuse_doubtful_mark,
    refuse_doubtful_names,
    refuse_doubtful_rows,
    refuse_other_counts,
    times_of,
)
from retrace_commands.metis_files import COUNT, Cells, is_feedback, is_metis, metis_fits, read_metis
from retrace_commands.recognition import COMMENTS, attributes_of, delimiter, split_words, without_attributes

HASH, WITH_DIGIT = re.compile("[0-9a-fA-F]{6,}"), re.compile("[0-9]")
"""A vertex in hexadecimal, of which some have no letter."""
EDGE_KINDS = {"directed": True, "undirected": False}
IF_DIRECTED = {**dict.fromkeys(YES, True), **dict.fromkeys(NO, False)}
IF_UNDIRECTED = {word: not says for word, says in IF_DIRECTED.items()} | EDGE_KINDS
TYPE_WORDS: Mapping[str, Mapping[str, bool]] = {
    "type": EDGE_KINDS,
    "edge_type": EDGE_KINDS,
    "directed": IF_DIRECTED,
    "is_directed": IF_DIRECTED,
    "undirected": IF_UNDIRECTED,
    "is_undirected": IF_UNDIRECTED,
}
"""Whether an edge is directed, by what a column, of Gephi's tables the first, says of it."""

HIDDEN = re.compile(r"(#+|%+|//)[^\s#%/]")
"""What begins a comment without a blank, as a name may."""
TRAILING = re.compile(r"\S\s+(#(?!\s+(\d+\w?$|of\s))|//|%(?=\s+\S))(\s|$)")
"""Where a comment may stand behind a cell; Route # 5, no. # of trips and share % have none."""
COMMENTED = re.compile(r"-?\d+(\.\d+)?\s*(#|//)\s*\w.*")
"""A number with a comment behind it."""
ENCODED = re.compile(r"%[0-9A-F]{2}[^\s\d]")
"""A letter of a URL."""
UNREAD = ": not read, so arcs have no weights"
"""What a note says of columns that may hold the weights."""


def read_edges(text: str, where: str, columns: Sequence[str] = (), counted: bool | None = None) -> EdgeTable:
    """Read a list of edges.

    `columns` names those of tail, head and perhaps weight, by the header or from 1. `counted` says whether
    the first line has the numbers of vertices and edges; None questions it.
    """
    table = EdgeTable(where)
    announced = read_comments(text, table)
    mark = mark_of(text, where)
    rows = split_rows(text, where, mark)
    if not rows:
        if announced is not None and announced[1] == 0:
            return table
        raise RetraceError(f"{where}, line 1: expected lines 'u v', some, found the file's end after 0")
    is_asked = counted is None and not columns
    if is_asked and is_feedback(rows) and all(len(cells) == 3 for _, cells in rows):
        ways = f"say {option('format', 'metis')} or edges"
        raise RetraceError(f"{where}: may be METIS (of PACE 2022), or edges with weights; {ways}")
    if is_asked and (is_feedback(rows) or (is_metis(rows) and any(len(row) != 2 for _, row in rows))):
        return read_metis(text, where)
    rows = with_row_names(rows, text, columns, where)
    header = None if counted else header_of(rows, columns)
    if header is not None:
        rows = rows[1:]
        if not rows:
            raise RetraceError(f"{where}: has a header, {' '.join(header)[:60]!a}, and no edges; add rows")
    first_line = None if header is not None or columns else _counts(rows, where, counted)
    if first_line is not None:
        line, (vertices, edges) = rows[0][0], first_line
        rows = rows[1:]
        otherwise = f"{option('format', 'edges')}: an edge"
        table.notes.append(f"line {line} is read as {vertices} vertices and {edges} edges ({otherwise})")
    if rows and is_asked:
        refuse_doubts(text, rows, header, where)
    if is_asked and header is None and may_be_matrix(rows):
        otherwise = f", or edges with weights; say {option('format', 'edges')}, or" if len(rows) == 3 else ";"
        raise RetraceError(f"{where}: may be a matrix{otherwise} write Matrix Market")
    stated = stated_type(rows, header)
    places = places_of(rows, header, columns, where, mark)
    if stated is not None and not columns and places[2:] == [stated.place]:
        places = places[:2]  # it says directions, and is no weight
    table.notes += [*attribute_notes(text), *column_notes(rows, header, columns, places, mark)]
    take_rows(table, rows, places, len(header or (rows[0][1] if rows else [])), stated, mark)
    refuse_header_in_rows(where, header, places, {*table.tails, *table.heads})
    if is_asked:
        refuse_doubtful_names(table)
    table.no_weights = times_of(text, rows, header, columns, places)
    if stated is not None:
        table.directed = stated.directed
    if first_line is not None:
        ends = [*table.tails, *table.heads]
        if all(map(WHOLE.fullmatch, ends)):  # of words, all have an edge
            table.vertices = first_line[0]
            table.base = 0 if min(map(int, ends), default=1) == 0 else 1
    elif announced is not None:
        known = len({*table.tails, *table.heads})
        compare_counts(table, announced, len(table.tails), known)
    return table


def refuse_doubts(text: str, rows: list[Cells], header: list[str] | None, where: str) -> None:
    """Raise RetraceError if rows may be something else than edges; `text` has the comments above them."""
    if header is None:
        refuse_doubtful_rows(text, rows, where)
    else:
        refuse_doubtful_cells(rows, where)
        refuse_doubtful_header(header, rows, where)


def _data_lines(text: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """Yield number and content of lines that are neither blank nor comments."""
    for number, line in enumerate(text.split("\n"), first):
        if number == 1 and re.fullmatch("sep=.", line.strip(), re.I):  # what Excel is told
            continue
        content = line.strip().removeprefix("\ufeff")  # where files were put together
        if content and not content.startswith(COMMENTS):
            yield number, without_attributes(content)


def mark_of(text: str, where: str) -> str | None:
    """Return what separates the cells of a list, None for white space; RetraceError if that is in doubt."""
    written = attributes_of(_first_line(text))
    if written is not None and written[1] != "\t":
        return None if written[1] == " " else written[1]
    lines = [line for _, line in islice(_data_lines(text), 50)]
    mark = delimiter(lines) if lines else None
    if mark in (",", "|"):
        refuse_doubtful_mark(lines, mark, where)
    if mark == "\t" and all(all(map(is_number, line.split())) for line in lines):
        return None  # numbers alone, where several tabs are as good as one
    return mark


def _first_line(text: str) -> str:
    lines = (line for line in map(str.strip, text.split("\n")) if line and not line.startswith(COMMENTS))
    return next(lines, "")


def attribute_notes(text: str) -> list[str]:
    """Return a note of numbers among the first edge's attributes that may be its weight."""
    written = attributes_of(_first_line(text))
    if written is None or "weight" in written[2]:
        return []
    names = [str(name) for name, value in written[2].items() if type(value) in (int, float)]
    return [f"{', '.join(names)}{UNREAD} (write {names[0]!r} as 'weight')"] if names else []


def split_rows(
    text: str, where: str, mark: str | None, first: int = 1, *, has_begun: bool = False
) -> list[Cells]:
    """Split lines that are neither blank nor comments into cells; the text begins at line `first`.

    What looks like a row, but begins as a comment does, is refused after the first row; `has_begun` says that
    this was before.
    """
    lines = list(_data_lines(text, first))
    if lines:
        _refuse_attributes_of_one(lines, where)
        begin = first if has_begun else lines[0][0]
        _refuse_hidden_rows(text, where, mark, first, begin, [_cells(line, mark) for _, line in lines[:50]])
    if mark is None:
        return [(number, [word.strip() for word in split_words(line)]) for number, line in lines]
    try:
        cells = csv.reader((line for _, line in lines), delimiter=mark, skipinitialspace=True, strict=True)
        rows = [[cell.strip() for cell in row] for row in cells]
    except csv.Error as error:
        raise RetraceError(f"{where}: expected cells with {mark!r} between them ({error})") from None
    for (number, line), row in zip(lines, rows, strict=False):
        if row and '"' not in line and (TRAILING.search(row[-1]) or COMMENTED.fullmatch(row[-1])):
            what = f"{row[-1][:40]!a} may end in a comment; delete it, or write the cell in quotes"
            raise RetraceError(f"{where}, line {number}: {what}")
    if len(rows) != len(lines):
        raise RetraceError(f"{where}: expected each row on a line of its own, found a cell of several lines")
    return [(number, row) for (number, _), row in zip(lines, rows, strict=True) if any(row)]


def _refuse_attributes_of_one(lines: Sequence[tuple[int, str]], where: str) -> None:
    """Raise RetraceError if attributes stand behind one vertex, as in a list of vertices."""
    for number, line in lines:
        if line.endswith("}") and attributes_of(line) is not None:
            raise RetraceError(
                f"{where}, line {number}: expected two vertices before the attributes, found {line[:60]!a}"
            )


def _cells(line: str, mark: str | None) -> list[str]:
    return split_words(line) if mark is None else line.split(mark)


def _refuse_hidden_rows(
    text: str, where: str, mark: str | None, first: int, begin: int, rows: Sequence[Sequence[str]]
) -> None:
    """Raise RetraceError if a comment from line `begin` on may be a row whose first vertex is called so.

    One above is a header or a comment, unless it is written as in a URL, has a vertex as its head, or other
    vertices are called alike.
    """
    if not any(comment in text for comment in COMMENTS):
        return
    known = {cell.strip() for cells in rows for cell in cells[:2]}
    alike = tuple(cell[0] for cell in known if HIDDEN.match(cell))
    for number, line in enumerate(text.split("\n"), first):
        content = line.strip()
        if not HIDDEN.match(content) or len(cells := _cells(content, mark)) != len(rows[0]):
            continue
        ends = [cell.strip() for cell in cells[:2]]
        words = [cell.lstrip("#%/") for cell in ends]
        has_vertex = mark is not None and len(ends) > 1 and ends[1] in known and not is_number(ends[1])
        may_be = (
            ENCODED.match(content)
            or (content.startswith(alike) and places_of_ends(words) is None)
            or (has_vertex and words[0] not in known)
        )
        if number >= begin or may_be:
            raise RetraceError(
                f"{where}, line {number}: {content[:40]!a} may be a comment, or a row; remove it, or "
                "write its first cell in quotes"
            )


def header_of(rows: list[Cells], columns: Sequence[str]) -> list[str] | None:
    """Return the names of columns, if the first row has them: words, of which no vertex has one."""
    first, later = rows[0][1], rows[1][1] if len(rows) > 1 else []
    if set(columns) & set(first) and not all(WHOLE.fullmatch(cell) for cell in columns):
        return first
    if _is_numbering(first):
        return first
    if len(first) < 2 or any(map(is_number, first)) or _recurs(rows):
        return None
    words = {plain(cell) for cell in (first[:2] if first[0] else first[1:3])} & (TAIL_NAMES | HEAD_NAMES)
    # Words above numbers are names of columns, too.
    are_hashes = all(map(HASH.fullmatch, [*first[:2], *later[:2]])) and all(map(WITH_DIGIT.search, first[:2]))
    above = len(later) == len(first) and any(map(is_number, later)) and not are_hashes
    return first if words or above else None


def _is_numbering(first: Sequence[str]) -> bool:
    """Return whether a row numbers columns behind that of the rows' names, as pandas does."""
    return len(first) > 2 and [*first] == ["", *map(str, range(len(first) - 1))]


def with_row_names(rows: list[Cells], text: str, columns: Sequence[str], where: str) -> list[Cells]:
    """Give the first row the cell that it lacks above the names of rows, as R and pandas write them.

    RetraceError if it may lack the name of the last column instead.
    """
    (number, first), later = rows[0], rows[1:]
    if not later or len(first) < 2 or any(len(cells) != len(first) + 1 for _, cells in later):
        return rows
    lines = text.split("\n")
    of_pandas = lines[number - 1].startswith("\t")
    of_r = all(lines[line - 1].lstrip().startswith('"') for line in (number, later[0][0]))
    counted = [cells[0] for _, cells in later]
    is_numbered = any(counted == [*map(str, range(begin, begin + len(later)))] for begin in (0, 1))
    has_ends = len(first) > 2 and places_of_ends(first) is not None
    of_display = is_numbered and has_ends and "," not in lines[number - 1]
    if of_pandas or of_r or of_display:
        return [(number, ["", *first]), *later]
    if "," in lines[number - 1] or any(map(is_number, first)) or _recurs(rows):
        return rows
    if not columns or not all(map(COUNT.fullmatch, columns)):
        ways = f"{option('columns', *'234'[: len(first)])}, or 1 2 3"
        raise RetraceError(
            f"{where}, line {number}: names {len(first)} of {len(first) + 1} columns; say which, as {ways}"
        )
    return [(number, [*first, ""]), *later]


def refuse_header_in_rows(
    where: str, header: Sequence[str] | None, places: Sequence[int], names: Collection[str]
) -> None:
    """Raise RetraceError if vertices have the names of the columns, as where files were put together."""
    names = {name.lstrip("\ufeff") for name in names}
    if header is not None and {tail := header[places[0]], head := header[places[1]]} <= names:
        raise RetraceError(
            f"{where}: line 1 names columns {tail} and {head}, and so are two vertices called; "
            "remove further headers"
        )


def _recurs(rows: list[Cells]) -> bool:
    """Return whether an end of the first row is one of another row, too."""
    first = {*rows[0][1][:2]}
    return any(not first.isdisjoint(cells[:2]) and cells != rows[0][1] for _, cells in rows[1:])


def _counts(rows: list[Cells], where: str, counted: bool | None) -> tuple[int, int] | None:
    """Return the numbers of vertices and edges on the first line; RetraceError if they are in doubt."""
    number, first = rows[0]
    rest = [cells for _, cells in rows[1:]]
    if counted is None:
        refuse_other_counts(rows, where)
    if counted is False or len(first) != 2 or not all(map(COUNT.fullmatch, first)):
        if counted:
            raise RetraceError(f"{where}, line {number}: expected the numbers of vertices and edges")
        return None
    vertices, edges = map(int, first)
    other = bool(rest) and all(len(cells) == 3 for cells in rest)
    ends = {cell for cells in rest for cell in cells[:2]}
    if counted is None and len(rest) > 1 and not any(map(is_number, ends)) and edges == len(rest):
        if vertices == len(ends):
            return vertices, edges
        if vertices > len(ends):
            raise RetraceError(
                f"{where}, line {number}: '{vertices} {edges}' may be the numbers of vertices and edges, but "
                f"{len(ends)} vertices follow; delete it, or say {option('format', 'edges')}"
            )
    if not all(WHOLE.fullmatch(cell) and len(cell) < 18 for cell in ends):
        return None
    low, high = min(map(int, ends), default=1), max(map(int, ends), default=0)
    fits = low >= 0 and (high < vertices or (low >= 1 and high <= vertices))
    if counted is None and edges == len(rows) and rest and rest[0][0] in first:
        return None  # a row before one of the same vertex, and no count that fits
    if counted or other or (fits and (abs(edges - len(rest)) <= 1 or len(rest) in (2 * edges, edges / 2))):
        if metis_fits(vertices, edges, rows) and counted is None:
            ways = f"{option('format', 'metis')}, counted or edges"
            raise RetraceError(f"{where}: may be METIS, or edges after their counts; say {ways}")
        if edges == len(rest) and fits:
            return vertices, edges
        if counted or other or fits:
            raise RetraceError(
                f"{where}, line {number}: '{vertices} {edges}' may be the numbers of vertices and edges, but "
                f"{len(rest)} lines with ids from {low} to {high} follow; mend it, or say "
                f"{option('format', 'edges')}"
            )
    if metis_fits(vertices, edges, rows) and counted is None and vertices > 1:
        raise RetraceError(
            f"{where}: may be METIS or a list of edges; say {option('format', 'metis')} or edges"
        )
    return None


def places_of(
    rows: list[Cells], header: list[str] | None, columns: Sequence[str], where: str, mark: str | None = None
) -> list[int]:
    """Return which cells hold tail, head and perhaps weight."""
    width = len(header or (rows[0][1] if rows else ["", ""]))
    names = None if header is None or _is_numbering(header) else header
    if columns:
        return _chosen_places(columns, names, width, where)
    if names is not None and (usual := _usual_places(names, where)):
        return usual
    if width in (2, 3) and (header is None or all(header)):
        return list(range(width))
    how = "by number from 1" if names is None else "by name"
    say = f"say {option('columns', 'TAIL', 'HEAD', '[WEIGHT]')}, {how}"
    advice = advice_on_commas(rows[0][1] if rows and mark == "," else [])
    raise RetraceError(f"{where}: has {width} columns; {advice and f'{advice}; else '}{say}")


def _chosen_places(columns: Sequence[str], header: list[str] | None, width: int, where: str) -> list[int]:
    """Return the places of columns that are chosen by name, or by number from 1."""
    if len(columns) not in (2, 3):
        raise RetraceError(
            f"{where}: {option('columns', *columns)}: expected two or three, TAIL HEAD [WEIGHT]"
        )
    places = []
    for column in columns:
        if header is not None and column in header:
            if header.count(column) > 1:
                raise RetraceError(f"{where}: has {header.count(column)} columns {column}; say their numbers")
            places.append(header.index(column))
        elif COUNT.fullmatch(column) and 1 <= int(column) <= width:
            places.append(int(column) - 1)
        else:
            has = f"{width} columns, counted from 1" if header is None else ", ".join(header)
            raise RetraceError(f"{where}: has no column {column}; expected one of: {has}")
    if len(set(places)) < len(places):
        raise RetraceError(f"{where}: columns {' '.join(columns)}: expected different ones")
    return places


def _usual_places(header: list[str], where: str) -> list[int]:
    """Return the places of columns by their usual names; none if these do not tell."""
    small = [name.strip().lower() for name in header]
    weights = [k for k, name in enumerate(small) if name in WEIGHT_NAMES]
    if small.count("weight") > 1:
        raise RetraceError(
            f"{where}: has {small.count('weight')} columns weight; say which by {option('columns')}"
        )
    if "weight" in small:
        weights = [small.index("weight")]
    elif len(weights) > 1:
        several = " or ".join(header[k] for k in weights)
        raise RetraceError(f"{where}: {several} may be the weight; say which by {option('columns')}")
    if (ends := places_of_ends(header)) is not None:
        return [*ends, *weights]
    for names, end in ((TAIL_NAMES, "source"), (HEAD_NAMES, "target")):
        found = [name for name in small if (name == end if end in small else name and plain(name) in names)]
        if len(found) > 1:
            raise RetraceError(
                f"{where}: {' or '.join(found)} may be the {end}; say which by {option('columns')}"
            )
    others = [k for k, name in enumerate(small) if name and k not in weights]
    return [*others, *weights] if len(others) == 2 else []


def advice_on_commas(cells: list[str]) -> str:
    """Return what to do if a row's cells from the third on may be one number, as in 1,500; else nothing."""
    number = ",".join(cells[2:])
    advice = without_comma(number) if len(cells) > 3 else ""
    return f"if {number} is one number, write {advice}" if advice else ""


def _advice_on_width(cells: list[str], width: int, mark: str | None) -> str:
    """Return what to do about a row of another length; nothing if it may be cut short, or hold anything."""
    if {len(cells), width} == {2, 3}:
        return "; write a weight on each line, or on none"
    if mark != ",":
        return ""
    if len(cells) == 3 < width:
        return "; if commas divide numbers on other lines, write these without"
    advice = advice_on_commas(cells) if width == 3 else ""
    return advice and f"; {advice}"


def _comma_notes(rows: list[Cells], places: Sequence[int]) -> list[str]:
    """Return a note of weights that a comma of thousands may have divided between two columns."""
    weight, after = places[-1], places[-1] + 1
    pairs = [",".join(cells[weight : after + 1]) for _, cells in rows]
    if len(places) < 3 or after in places or not all(map(THOUSANDS.fullmatch, pairs)):
        return []
    whole = pairs[0].replace(",", "")
    return [f"line {rows[0][0]}: {pairs[0]} may be one number (write {whole}); {rows[0][1][weight]} is read"]


def column_notes(
    rows: list[Cells],
    header: Sequence[str] | None,
    columns: Sequence[str],
    places: Sequence[int],
    mark: str | None = None,
) -> list[str]:
    """Return a note of a first row that may be a header, or of columns that may hold the weights."""
    if columns:
        notes = _comma_notes(rows, places) if mark == "," and header is None else []
        return notes + (_note_of_first(rows, places) if header is None else [])
    if header is None:
        if mark == "," and rows and rows[0][1] == ["0", "1", "2"]:
            return [f"line {rows[0][0]}, 0,1,2, is read as an edge (delete it if it numbers the columns)"]
        return _note_of_first(rows, places)
    tail, head = (header[place] for place in places[:2])
    usual = places_of_ends(header) == (*places[:2],)
    if not usual and not any(map(is_number, header)):
        others = option("columns", "TAIL", "HEAD", *(["[WEIGHT]"] if len(header) > 2 else []))
        ends = [f"{tail} and {head} are read as the ends of edges ({others}: others)"]
    else:
        ends = []
    return [*ends, *_weight_notes(rows, header, places)]


def _note_of_first(rows: list[Cells], places: Sequence[int]) -> list[str]:
    """Return a note of a first row that is read as an edge and may be a header."""
    if len(rows) < 3 or any(len(cells) <= max(places) for _, cells in rows):
        return []
    ends = [[cells[place] for place in places[:2]] for _, cells in rows]
    tail, head = ends[0]
    recurs = any(not {tail, head}.isdisjoint(pair) and pair != ends[0] for pair in ends[1:])
    if recurs or any(map(is_number, (cell for pair in ends for cell in pair))):
        return []
    return [f"line {rows[0][0]} is read as an edge ({option('columns', tail, head)}: as names of columns)"]


def _weight_notes(rows: list[Cells], header: Sequence[str], places: Sequence[int]) -> list[str]:
    """Return a note of columns that may hold the weights."""
    if len(places) == 3:
        tail, head, weight = (header[place] for place in places)
        named = [name for name in header if name.strip().lower() in WEIGHT_NAMES]
        if weight in named and len(named) > 1:
            others = " and ".join(name for name in named if name != weight)
            advice = option("columns", tail, head, "NAME")
            return [f"{weight} is read as the weight, and not {others} ({advice}: another)"]
    if len(places) == 3 and header[places[2]].strip().lower() not in WEIGHT_NAMES:
        return [f"{weight} is read as the weight ({option('columns', tail, head)}: without weights)"]
    if len(places) == 3 or len(header) < 3:
        return []
    tail, head = (header[place] for place in places)
    stated = stated_type(rows, header)
    taken = (*places, stated.place) if stated is not None else places
    unread = [name for k, name in enumerate(header) if k not in taken]
    if not unread:
        return []
    weight = unread[0] if len(unread) == 1 else "NAME"
    return [f"{', '.join(unread)}{UNREAD} ({option('columns', tail, head, weight)} reads them)"]


class Stated(NamedTuple):
    """What a column says of edges."""

    place: int
    """Of the column."""
    word: str
    directed: bool
    alike: frozenset[str]
    """Words in small letters that say the same."""


def stated_type(rows: list[Cells], header: Sequence[str] | None) -> Stated | None:
    """Return what a column says of the first edge: whether it is directed."""
    for place, name in enumerate(header or ()):
        word = rows[0][1][place] if rows and place < len(rows[0][1]) else ""
        says = TYPE_WORDS.get(name.lower(), {})
        if (directed := says.get(word.lower())) is not None:
            return Stated(place, word, directed, frozenset(one for one in says if says[one] is directed))
    return None


def take_rows(
    table: EdgeTable, rows: list[Cells], places: list[int], width: int,
    stated: Stated | None = None, mark: str | None = None,
) -> None:  # fmt: skip
    """Take the cells of each row, of which it has `width`; all have the type of `stated_type`."""
    if len(places) == 3:
        table.weights = []
    for number, cells in rows:
        if len(cells) != width or max(places) >= width:
            raise RetraceError(
                f"{table.where}, line {number}: expected {width} cells, as on the first line, found "
                f"{len(cells)}: {' '.join(cells)[:60]!a}" + _advice_on_width(cells, width, mark)
            )
        if stated is not None and cells[stated.place].lower() not in stated.alike:
            raise RetraceError(
                f"{table.where}, line {number}: expected the type {stated.word}, as of the first edge, found "
                f"{cells[stated.place][:40]!a}; write each undirected edge twice, and all as directed"
            )
        tail, head = cells[places[0]], cells[places[1]]
        if not tail.strip() or not head.strip():
            raise RetraceError(f"{table.where}, line {number}: expected two ids, found an empty cell")
        table.tails.append(tail)
        table.heads.append(head)
        if table.weights is not None:
            table.take_weight(cells[places[2]], number)


def may_have_counts(head: str, lines: int) -> bool:
    """Return whether the first of so many lines may have the numbers of vertices and edges, or be METIS."""
    lines_of = (line.strip() for line in head.split("\n") if not line.lstrip().startswith(COMMENTS))
    data = (re.split(r"[\s,;]+", line) for line in lines_of if line)
    first = next(data, [])
    if len(first) == 2 and first[0].lower() in COUNTED_WORDS:
        return True
    if len(first) not in (2, 3) or not all(map(COUNT.fullmatch, first[:2])):
        return False
    vertices, edges = map(int, first[:2])
    is_size = len(first) == 3 and vertices == edges and first[2] == str(lines - 1)
    counts = vertices, 2 * edges, edges / 2, edges / 3, 2 * edges / 3  # thirds: of rows of three neighbours
    return is_size or abs(edges - (lines - 1)) <= 1 or lines - 1 in counts
