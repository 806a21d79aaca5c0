"""Reads lists of edges: SNAP, CSV, TSV, with weights, a header, or counts on the first line; and METIS."""

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from retrace.system.errors import RetraceError
from retrace.system.option_words import option
from retrace_commands.edge_table import THOUSANDS, WHOLE, EdgeColumns, EdgeTable, without_comma
from retrace_commands.recognition import (
    COMMENTS,
    SPACED_WEIGHT,
    adjacency_advice,
    attributes_of,
    delimiter,
    split_words,
    without_attributes,
)

TAIL_NAMES = {
    "source", "src", "from", "fromnodeid", "tail", "u", "node1", "id1", "start", "source_id", "node_1",
    "from_node", "from_id", "source node", "origin", "sender", "parent", "v1",
}  # fmt: skip
HEAD_NAMES = {
    "target", "dst", "dest", "to", "tonodeid", "head", "v", "node2", "id2", "end", "target_id", "node_2",
    "to_node", "to_id", "target node", "destination", "receiver", "child", "v2",
}  # fmt: skip
WEIGHT_NAMES = {"weight", "w", "cost", "length", "distance", "value", "capacity", "wt"}
"""Usual names of columns, in small letters."""
TYPE_WORDS = {"directed": True, "undirected": False}
"""What the column Type of Gephi's tables says of an edge."""

COUNT = re.compile("[0-9]{1,12}")
COUNTED_WORDS = {"n", "m", "nodes", "vertices", "edges", "arcs", "nodecount", "edgecount"}
"""What may stand before a number of vertices or edges."""
UNIX_TIME = re.compile("1[0-9]{9}")
"""A time from 2001 to 2033; three of them as weights add up to more than 32 bits hold."""

HIDDEN = re.compile(r"(#+|%+|//)[^\s#%/]")
"""What begins a comment without a blank, as a name may."""
BLANK_IN_CELL = re.compile(r"(^|,)\s*\d+[ \t]+\d[\d.]*\s*(,|$)")
"""Two numbers with a blank between them where commas separate cells."""
TRAILING = re.compile(r"\S\s+(#|%|//)(\s|$)")
"""Where a comment may stand behind a cell."""
ARROWS = ("->", "--", "=>", "-->", "<->", "<-")

UNREAD = ": not read, so arcs have no weights"
"""What a note says of columns that may hold the weights."""

Cells = tuple[int, list[str]]
"""A line's number and its cells."""


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
    may_be_metis = counted is None and not columns
    if may_be_metis and (is_feedback(rows) or (is_metis(rows) and any(len(row) != 2 for _, row in rows))):
        return read_metis(text, where)
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
    if rows and header is None and not columns:
        refuse_printed(rows, where)
        refuse_hidden_header(text, rows, where, mark)
    if mark is None and header is None and not columns:
        _refuse_adjacency(rows, where)
    places = places_of(rows, header, columns, where, mark)
    if counted is None and not columns and _may_be_matrix(rows):
        raise RetraceError(
            f"{where}: may be a matrix, or edges with weights; say {option('format', 'edges')}, or write "
            "Matrix Market"
        )
    table.notes += [*attribute_notes(text), *column_notes(rows, header, columns, places, mark)]
    stated = stated_type(rows, header)
    take_rows(table, rows, places, len(header or (rows[0][1] if rows else [])), stated, mark)
    refuse_header_in_rows(where, header, places, {*table.tails, *table.heads})
    table.no_weights = times_of(rows, header, columns, places)
    if stated is not None:
        table.directed = TYPE_WORDS[stated[1].lower()]
    if first_line is not None:
        table.vertices = first_line[0]
        low = min((int(name) for name in [*table.tails, *table.heads]), default=1)
        table.base = 0 if low == 0 else 1
    elif announced is not None:
        known = len({*table.tails, *table.heads})
        compare_counts(table, announced, len(table.tails), known)
    return table


def read_comments(text: str, table: EdgeTable) -> tuple[int | None, int | None] | None:
    """Take from comments what they say of directions; return the numbers of vertices and edges."""
    vertices: int | None = None
    edges: int | None = None
    for comment in re.findall(r"^[ \t]*(?:#|%|//)(.*)$", text, re.M):
        stated = _stated_direction(comment)
        table.directed = table.directed if stated is None else stated
        if match := re.search(r"\bnodes?\s*:\s*(\d{1,12})\b", comment, re.I):
            vertices = int(match[1])
        if match := re.search(r"\bedges?\s*:\s*(\d{1,12})\b", comment, re.I):
            edges = int(match[1])
    return None if vertices is None and edges is None else (vertices, edges)


def _stated_direction(comment: str) -> bool | None:
    """Return whether a comment says that the graph is directed; None if it does not say."""
    parts = re.match(r"\s*(un)?directed\b(?:\s*[:=]\s*(yes|true|1|no|false|0)\b)?\s*(.*)", comment, re.I)
    if parts is None or re.match(r"(or|and|by)\b", parts[3], re.I):
        return None
    if re.match(r"graph \(each unordered pair", parts[3], re.I):
        return False
    is_denied = (parts[2] or "").lower() in ("no", "false", "0")
    return (parts[1] is None) is not is_denied


def _data_lines(text: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """Yield number and content of lines that are neither blank nor comments."""
    for number, line in enumerate(text.split("\n"), first):
        if (content := line.strip()) and not content.startswith(COMMENTS):
            yield number, without_attributes(content)


def mark_of(text: str, where: str) -> str | None:
    """Return what separates the cells of a list, None for white space; RetraceError if that is in doubt."""
    written = attributes_of(_first_line(text))
    if written is not None and written[1] != "\t":
        return None if written[1] == " " else written[1]
    lines = [line for _, line in islice(_data_lines(text), 50)]
    mark = delimiter(lines) if lines else None
    if mark in (",", "|"):
        _refuse_doubtful_mark(lines, mark, where)
    if mark == "\t" and all(all(map(_is_number, line.split())) for line in lines):
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


def _refuse_doubtful_mark(lines: list[str], mark: str, where: str) -> None:
    """Raise RetraceError if commas may be decimal, or bars may be in names as well as between cells."""
    first = ascii(lines[0][:40])
    if mark == "," and all(map(SPACED_WEIGHT.fullmatch, lines)):
        raise RetraceError(
            f"{where}: {first} may have a comma in a number, or names with blanks; write 1.5 for 1,5, 1500 "
            "for 1,500, or the names in quotes"
        )
    if mark == "," and all(map(BLANK_IN_CELL.search, lines)):
        raise RetraceError(f"{where}: commas or blanks may separate the cells of {first}; write one of them")
    if len({line.count("|") for line in lines}) > 1 or any('"' in line for line in lines):
        return
    spaced = {len(re.sub(r"\s*\|\s*", "|", line).split()) for line in lines}
    if mark == "|" and len(spaced) == 1 and spaced != {1}:
        other = "blanks"
    elif mark == "," and all("|" in "".join(line.split(",")[:2]) for line in lines):
        other = "commas"
    else:
        return
    raise RetraceError(f"{where}: | or {other} may separate the cells of {first}; write tabs between them")


def refuse_printed(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if each row is in brackets, as a program prints a pair, or begins with `vertex:`."""
    lines = [" ".join(cells) for _, cells in rows]
    if all(re.fullmatch(r"\(.*\),?|<.*>,?|\[.*\],?", line) for line in lines):
        raise RetraceError(f"{where}: {lines[0][:40]!a} is in brackets; write u v")
    if all(re.match(r"[^\s:]+:(\s|$)", line) for line in lines):
        raise RetraceError(
            f"{where}: {lines[0][:40]!a} may be a vertex and its neighbours; write a line u v for each edge"
        )


def refuse_hidden_header(text: str, rows: list[Cells], where: str, mark: str | None) -> None:
    """Raise RetraceError if a comment may be a header of which the ends are not the first cells."""
    first = text.lstrip().partition("\n")[0].strip()
    names = [name.strip().strip('"').lower() for name in _cells(first.removeprefix("#"), mark)]
    if not first.startswith("#") or mark is None or len(names) != len(rows[0][1]):
        return
    of_names = TAIL_NAMES, HEAD_NAMES
    ends = [next((k for k, name in enumerate(names) if name in usual), -1) for usual in of_names]
    if min(ends) >= 0 and ends != [0, 1]:
        columns = option("columns", *(str(place + 1) for place in ends))
        raise RetraceError(f"{where}, line 1: {first[:40]!a} may be a header; say {columns}")


def _refuse_adjacency(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if rows are of many lengths, as those of a vertex and its neighbours."""
    widths = {len(cells) for _, cells in rows}
    most = max(widths, default=0)
    if 1 in widths and most > 2 and (most > 3 or len(widths) > 2):
        advice = adjacency_advice(Path(where))
        raise RetraceError(f"{where}: has rows of 1 to {most} words, as an adjacency list; {advice}")


def _may_be_matrix(rows: list[Cells]) -> bool:
    """Return whether three rows of three numbers are of 0 and 1, symmetric, or have a diagonal of 0."""
    if len(rows) != 3 or not all(len(cells) == 3 and all(map(_is_number, cells)) for _, cells in rows):
        return False
    table = [[float(cell) for cell in cells] for _, cells in rows]
    is_symmetric = all(table[u][v] == table[v][u] for u in range(3) for v in range(3))
    flags = all(set(cells) <= {"0", "1"} for _, cells in rows)
    return flags or is_symmetric or all(table[u][u] == 0 for u in range(3))


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
        _refuse_hidden_rows(text, where, mark, first, begin, len(_cells(lines[0][1], mark)))
    if mark is None:
        return [(number, [word.strip() for word in split_words(line)]) for number, line in lines]
    try:
        cells = csv.reader((line for _, line in lines), delimiter=mark, skipinitialspace=True, strict=True)
        rows = [[cell.strip() for cell in row] for row in cells]
    except csv.Error as error:
        raise RetraceError(f"{where}: expected cells with {mark!r} between them ({error})") from None
    for (number, line), row in zip(lines, rows, strict=False):
        if row and TRAILING.search(row[-1]) and '"' not in line:
            what = f"{row[-1][:40]!a} may end in a comment; delete it, or write the cell in quotes"
            raise RetraceError(f"{where}, line {number}: {what}")
    if len(rows) != len(lines):
        raise RetraceError(f"{where}: expected each row on a line of its own, found a cell of several lines")
    return [(number, row) for (number, _), row in zip(lines, rows, strict=True)]


def _refuse_attributes_of_one(lines: Sequence[tuple[int, str]], where: str) -> None:
    """Raise RetraceError if attributes stand behind one vertex, as in a list of vertices."""
    for number, line in lines:
        if line.endswith("}") and attributes_of(line) is not None:
            raise RetraceError(
                f"{where}, line {number}: expected two vertices before the attributes, found {line[:60]!a}"
            )


def _cells(line: str, mark: str | None) -> list[str]:
    return split_words(line) if mark is None else line.split(mark)


def _refuse_hidden_rows(text: str, where: str, mark: str | None, first: int, begin: int, width: int) -> None:
    """Raise RetraceError if a comment from line `begin` on may be a row whose first vertex is called so."""
    if not any(comment in text for comment in COMMENTS):
        return
    for number, line in enumerate(text.split("\n"), first):
        content = line.strip()
        if number >= begin and HIDDEN.match(content) and len(_cells(content, mark)) == width:
            raise RetraceError(
                f"{where}, line {number}: {content[:40]!a} may be a comment, or a row; remove it, or "
                "write its first cell in quotes"
            )


def header_of(rows: list[Cells], columns: Sequence[str]) -> list[str] | None:
    """Return the names of columns, if the first row has them: words, of which no vertex has one."""
    first, later = rows[0][1], rows[1][1] if len(rows) > 1 else []
    if set(columns) & set(first) and not all(WHOLE.fullmatch(cell) for cell in columns):
        return first
    if len(first) < 2 or any(map(_is_number, first)) or _recurs(rows):
        return None
    words = {cell.lower() for cell in first[:2]} & (TAIL_NAMES | HEAD_NAMES)
    # Words above numbers are names of columns, too.
    above = len(later) == len(first) and any(map(_is_number, later))
    return first if words or above else None


def refuse_header_in_rows(
    where: str, header: Sequence[str] | None, places: Sequence[int], names: Collection[str]
) -> None:
    """Raise RetraceError if vertices have the names of the columns, as where files were put together."""
    if header is not None and {tail := header[places[0]], head := header[places[1]]} <= {*names}:
        raise RetraceError(
            f"{where}: line 1 names columns {tail} and {head}, and so are two vertices called; "
            "remove further headers"
        )


def times_of(rows: list[Cells], header: list[str] | None, columns: Sequence[str], places: list[int]) -> str:
    """Say of a third column that nobody named and that has times, as SNAP's temporal graphs, that it has."""
    if header is not None or columns or len(places) < 3:
        return ""
    times = [cells[2] for _, cells in rows if len(cells) == 3]
    since_2001 = [UNIX_TIME.fullmatch(time) is not None for time in times]
    if not any(since_2001) or not all(re.fullmatch("[0-9]{9,10}", time) for time in times):
        return ""
    without, taken = option("columns", "1", "2"), option("columns", "1", "2", "3")
    return (
        f"its third column has times (seconds since 1970): {without} leaves them out, {taken} takes them as "
        "weights"
    )


def _recurs(rows: list[Cells]) -> bool:
    """Return whether an end of the first row is one of another row, too."""
    first = {*rows[0][1][:2]}
    return any(not first.isdisjoint(cells[:2]) and cells != rows[0][1] for _, cells in rows[1:])


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", cell) is not None


def _counts(rows: list[Cells], where: str, counted: bool | None) -> tuple[int, int] | None:
    """Return the numbers of vertices and edges on the first line; RetraceError if they are in doubt."""
    number, first = rows[0]
    rest = [cells for _, cells in rows[1:]]
    if counted is None:
        _refuse_other_counts(rows, where)
    if counted is False or len(first) != 2 or not all(map(COUNT.fullmatch, first)):
        if counted:
            raise RetraceError(f"{where}, line {number}: expected the numbers of vertices and edges")
        return None
    vertices, edges = map(int, first)
    other = bool(rest) and all(len(cells) == 3 for cells in rest)
    ends = {cell for cells in rest for cell in cells[:2]}
    if not all(WHOLE.fullmatch(cell) and len(cell) < 18 for cell in ends):
        return None
    low, high = min(map(int, ends), default=1), max(map(int, ends), default=0)
    fits = low >= 0 and (high < vertices or (low >= 1 and high <= vertices))
    if counted or other or (fits and edges in (len(rest), len(rest) - 1, len(rest) + 1)):
        if metis_fits(vertices, edges, rest) and counted is None:
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
    if metis_fits(vertices, edges, rest) and counted is None and vertices > 1:
        raise RetraceError(
            f"{where}: may be METIS or a list of edges; say {option('format', 'metis')} or edges"
        )
    return None


def _refuse_other_counts(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if the first line may be a named count, or counts and a third, or METIS's."""
    number, first = rows[0]
    rest = [cells for _, cells in rows[1:]]
    if len(first) == 2 and first[0].lower() in COUNTED_WORDS and COUNT.fullmatch(first[1]):
        what = f"'{' '.join(first)}' may be a number of vertices or edges, or an edge"
        raise RetraceError(f"{where}, line {number}: {what}; delete it, or say {option('format', 'edges')}")
    if len(first) != 3 or not all(map(COUNT.fullmatch, first)):
        return
    vertices, edges = map(int, first[:2])
    ways = f"delete line {number}, or say {option('format', 'edges')}"
    if re.fullmatch("[01]{1,3}", first[2]):
        sizes, weights, of_edges = map(int, first[2].zfill(3))
        if metis_fits(vertices, edges, [cells[sizes + weights :: 1 + of_edges] for cells in rest]):
            raise RetraceError(f"{where}: may be METIS, or edges; say {option('format', 'metis')} or edges")
    ends = [cell for cells in rest for cell in cells[:2]]
    is_size = vertices == edges and int(first[2]) == len(
        rest
    )  # of a Matrix Market file without its first line
    if (
        (edges == len(rest) or is_size)
        and len(rest) > 1
        and all(COUNT.fullmatch(cell) and int(cell) <= vertices for cell in ends)
    ):
        counts = f"'{' '.join(first)}' may be the numbers of vertices and edges and a third"
        raise RetraceError(f"{where}, line {number}: {counts}, or an edge; {ways}")


def metis_fits(vertices: int, edges: int, lines: list[list[str]]) -> bool:
    """Return whether lines are the neighbours of each vertex in turn, counted from 1, both ways."""
    if len(lines) != vertices or sum(map(len, lines)) != 2 * edges:
        return False
    arcs = {(str(u), v) for u, cells in enumerate(lines, 1) for v in cells}
    return bool(arcs) and all((v, u) in arcs for u, v in arcs)


def is_metis(rows: list[Cells]) -> bool:
    """Return whether the first row has the counts of a METIS file without weights."""
    first = rows[0][1]
    if len(first) != 2 or not all(map(COUNT.fullmatch, first)):
        return False
    return metis_fits(int(first[0]), int(first[1]), [cells for _, cells in rows[1:]])


def is_feedback(rows: list[Cells]) -> bool:
    """Return whether rows are those of PACE 2022: 'vertices arcs 0', then the heads of each vertex's arcs."""
    first, rest = rows[0][1], [cells for _, cells in rows[1:]]
    if len(first) != 3 or not all(map(COUNT.fullmatch, first)) or first[2] != "0":
        return False
    is_list = all(len(cells) == 3 for cells in rest)
    return not is_list and len(rest) <= int(first[0]) and sum(map(len, rest)) == int(first[1])


def places_of(
    rows: list[Cells], header: list[str] | None, columns: Sequence[str], where: str, mark: str | None = None
) -> list[int]:
    """Return which cells hold tail, head and perhaps weight."""
    width = len(header or (rows[0][1] if rows else ["", ""]))
    if columns:
        if len(columns) not in (2, 3):
            raise RetraceError(
                f"{where}: {option('columns', *columns)}: expected two or three, TAIL HEAD [WEIGHT]"
            )
        places = []
        for column in columns:
            if header is not None and column in header:
                if header.count(column) > 1:
                    raise RetraceError(
                        f"{where}: has {header.count(column)} columns {column}; say their numbers"
                    )
                places.append(header.index(column))
            elif COUNT.fullmatch(column) and 1 <= int(column) <= width:
                places.append(int(column) - 1)
            else:
                has = ", ".join(header) if header is not None else f"{width} columns, counted from 1"
                raise RetraceError(f"{where}: has no column {column}; expected one of: {has}")
        if len(set(places)) < len(places):
            raise RetraceError(f"{where}: columns {' '.join(columns)}: expected different ones")
        return places
    if header is not None:
        small = [name.strip().lower() for name in header]
        for names, end in ((TAIL_NAMES, "source"), (HEAD_NAMES, "target")):
            ends = [name for name in small if name in ({end} if end in small else names)]
            if len(ends) > 1:
                raise RetraceError(
                    f"{where}: {' or '.join(ends)} may be the {end}; say which by {option('columns')}"
                )
        if small.count("weight") > 1:
            raise RetraceError(
                f"{where}: has {small.count('weight')} columns weight; say which by {option('columns')}"
            )
        weights = [header[k] for k, name in enumerate(small) if name in WEIGHT_NAMES]
        if len(weights) > 1 and "weight" not in small:
            raise RetraceError(
                f"{where}: {' or '.join(weights)} may be the weight; say which by {option('columns')}"
            )
        found = [
            next((k for k, name in enumerate(small) if name in ({usual} if usual in small else names)), None)
            for usual, names in (("source", TAIL_NAMES), ("target", HEAD_NAMES), ("weight", WEIGHT_NAMES))
        ]
        if found[0] is not None and found[1] is not None:
            return [place for place in found if place is not None]
    if header is None and width > 2 and rows and all(row[1] in ARROWS for _, row in rows if len(row) > 1):
        raise RetraceError(
            f"{where}: {rows[0][1][1]!a} stands between the vertices; say {option('columns', '1', '3')}"
        )
    if width in (2, 3):
        return list(range(width))
    how = "by number from 1" if header is None else "by name"
    say = f"say {option('columns', 'TAIL', 'HEAD', '[WEIGHT]')}, {how}"
    advice = advice_on_commas(rows[0][1] if rows and mark == "," else [])
    raise RetraceError(f"{where}: has {width} columns; {advice and f'{advice}; else '}{say}")


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
        return _comma_notes(rows, places) if mark == "," and header is None else []
    if header is None:
        if mark == "," and rows and rows[0][1] == ["0", "1", "2"]:
            return [f"line {rows[0][0]}, 0,1,2, is read as an edge (delete it if it numbers the columns)"]
        words = [not any(map(_is_number, cells[:2])) for _, cells in rows]
        if len(rows) < 3 or not all(words) or _recurs(rows):
            return []
        tail, head = rows[0][1][:2]
        return [
            f"line {rows[0][0]} is read as an edge ({option('columns', tail, head)}: as names of columns)"
        ]
    tail, head = (header[place] for place in places[:2])
    usual = tail.strip().lower() in TAIL_NAMES and head.strip().lower() in HEAD_NAMES
    if not usual and not any(map(_is_number, header)):
        others = option("columns", "TAIL", "HEAD", *(["[WEIGHT]"] if len(header) > 2 else []))
        ends = [f"{tail} and {head} are read as the ends of edges ({others}: others)"]
    else:
        ends = []
    return [*ends, *_weight_notes(header, places)]


def _weight_notes(header: Sequence[str], places: Sequence[int]) -> list[str]:
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
    unread = [name for k, name in enumerate(header) if k not in places]
    weight = unread[0] if len(unread) == 1 else "NAME"
    return [f"{', '.join(unread)}{UNREAD} ({option('columns', tail, head, weight)} reads them)"]


def stated_type(rows: list[Cells], header: Sequence[str] | None) -> tuple[int, str] | None:
    """Return the column that says of each edge whether it is directed, as Gephi writes it, and its word."""
    place = next((k for k, name in enumerate(header or ()) if name.lower() == "type"), None)
    if place is None or not rows or len(rows[0][1]) <= place or rows[0][1][place].lower() not in TYPE_WORDS:
        return None
    return place, rows[0][1][place]


def take_rows(
    table: EdgeTable, rows: list[Cells], places: list[int], width: int,
    stated: tuple[int, str] | None = None, mark: str | None = None,
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
        if stated is not None and cells[stated[0]].lower() != stated[1].lower():
            raise RetraceError(
                f"{table.where}, line {number}: expected the type {stated[1]}, as of the first edge, found "
                f"{cells[stated[0]][:40]!a}; write each undirected edge twice, and all as Directed"
            )
        tail, head = cells[places[0]], cells[places[1]]
        if not tail or not head:
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
    if len(first) not in (2, 3) or not all(map(COUNT.fullmatch, first)):
        return False
    vertices, edges = map(int, first[:2])
    if len(first) == 3 and vertices == edges and int(first[2]) == lines - 1:
        return True
    return abs(edges - (lines - 1)) <= 1 or vertices == lines - 1


def compare_counts(
    table: EdgeTable, announced: tuple[int | None, int | None], lines: int, known: int
) -> None:
    """Raise RetraceError if a comment's number of edges is not the file's; note other numbers of vertices."""
    vertices, edges = announced
    if edges is not None and lines not in ({edges} if table.directed else {edges, 2 * edges}):
        raise RetraceError(
            f"{table.where}: expected {edges} edges, as its comment says, found {lines}; it may be cut short"
        )
    if vertices is not None and vertices != known:
        if known > vertices:
            raise RetraceError(
                f"{table.where}: expected {vertices} vertices, as its comment says, found {known}"
            )
        table.notes.append(
            f"{table.where}: its comment says {vertices} vertices; {vertices - known} without an edge have "
            "no id, and are left out"
        )


def read_metis(text: str, where: str) -> EdgeTable:
    """Read METIS: counts, then the neighbours of each vertex in turn, perhaps with weights.

    PACE 2022 has directed graphs in this form, with each arc at its tail alone.
    """
    given = enumerate(text.removesuffix("\n").split("\n"), 1)
    lines = [(number, line.strip()) for number, line in given if not line.lstrip().startswith("%")]
    while lines and not lines[0][1]:
        lines.pop(0)
    head = lines.pop(0)[1].split() if lines else []
    if not 2 <= len(head) <= 4 or not all(map(COUNT.fullmatch, head)):
        raise RetraceError(
            f"{where}: expected METIS's 'vertices edges [format [weights]]', found {' '.join(head)[:60]!r}"
        )
    vertices, edges = int(head[0]), int(head[1])
    while len(lines) > vertices and not lines[-1][1]:
        lines.pop()
    if len(lines) != vertices:
        raise RetraceError(
            f"{where}: expected {vertices} lines after the header, one for each vertex, found {len(lines)}"
        )
    form = (head[2] if len(head) > 2 else "0").zfill(3)
    if not set(form) <= {"0", "1"} or len(form) != 3:
        raise RetraceError(f"{where}: expected METIS's format, three digits 0 or 1, found {head[2]!r}")
    skipped = (form[0] == "1") + (form[1] == "1") * (int(head[3]) if len(head) > 3 else 1)
    step = 2 if form[2] == "1" else 1
    table = EdgeTable(where, vertices=vertices, directed=False, has_both=True)
    table.columns = _plain_neighbours(lines, skipped, step)
    if table.columns is None:
        ends = _take_neighbours(table, lines, skipped, step)
    else:
        ends = table.columns.ids.shape[1]
    if edges and len(head) == 3 and form == "000" and ends == edges:
        table.directed, table.has_both = True, False
    elif ends != 2 * edges:
        raise RetraceError(f"{where}: expected {edges} edges, each at both ends, found {ends} ends")
    return table


def _plain_neighbours(lines: list[tuple[int, str]], skipped: int, step: int) -> EdgeColumns | None:
    """Return the neighbours of each vertex, whose line each is; None if a line is not as the header says."""
    text = "\n".join(line for _, line in lines)
    counts = np.array([len(line.split()) for _, line in lines], dtype=np.int64)
    if not text.strip() or re.search(r"[^0-9 \t\n]|[0-9]{18}", text):
        return None
    if (counts < skipped).any() or ((counts - skipped) % step).any():
        return None
    numbers = np.fromstring(text, dtype=np.int64, sep=" ")
    place = np.arange(len(numbers)) - np.repeat(counts.cumsum() - counts, counts) - skipped
    heads = np.flatnonzero((place >= 0) & (place % step == 0))
    tails = np.repeat(np.arange(1, len(lines) + 1), counts)[heads]
    return EdgeColumns(np.stack([tails, numbers[heads]]), None, numbers[heads + 1] if step == 2 else None)


def _take_neighbours(table: EdgeTable, lines: list[tuple[int, str]], skipped: int, step: int) -> int:
    """Take the neighbours line by line; return their number, or raise RetraceError."""
    table.weights = [] if step == 2 else None
    for vertex, (number, line) in enumerate(lines, 1):
        cells = line.split()[skipped:]
        if len(cells) % step:
            raise RetraceError(
                f"{table.where}, line {number}: expected a weight after each neighbour of vertex {vertex}"
            )
        table.tails += [str(vertex)] * (len(cells) // step)
        table.heads += cells[::step]
        if step == 2:
            for weight in cells[1::2]:
                table.take_weight(weight, number)
    return len(table.tails)
