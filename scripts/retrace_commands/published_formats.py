"""Reads variants: KONECT, Matrix Market, DIMACS, PACE, Steiner."""

import re
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path

from retrace.system.errors import RetraceError
from retrace_commands.edge_lists import read_edges
from retrace_commands.edge_table import EdgeTable, is_odd, is_zero
from retrace_commands.exchange_formats import read_gml, read_graphml, read_pajek
from retrace_commands.metis_files import read_metis
from retrace_commands.recognition import BANNER, DIMACS, PACE

SKEW = {("coordinate", kind) for kind in ("real", "double", "integer")}
"""Storage and field of matrices that are read if they are skew-symmetric."""

KEYWORDS = {"dimacs": ("a", "e"), "he": ("E",), "pace": ("e", "")}
"""What begins a line of an edge or arc; in DIMACS, by its problem, of an arc or an edge."""

NO_EDGES = ("t", "n", "d", "v", "x")
"""What begins a line of DIMACS about the problem: terminals, vertices, places in space, parameters."""

ARC_KINDS = ("sym", "asym", "bip")
"""What KONECT's arcs may be, the first word of what it says."""

UNWEIGHTED = ("unweighted", "positive", "dynamic", "multi", "")
"""Kinds of KONECT whose third column is no weight, but how often an edge is there."""


def read_table(kind: str, text: str, path: Path, columns: list[str]) -> EdgeTable:
    """Read the edges of a file in one format; RetraceError names the line that is not in it."""
    where = str(path)
    if kind in ("edges", "snap", "counted"):
        return read_edges(text, where, columns, {"counted": True, "edges": False}.get(kind))
    if kind == "matrix-market":
        return _read_matrix(text, where)
    readers = {
        "metis": read_metis, "konect": _read_konect, "steiner": _read_steiner,
        "graphml": read_graphml, "gml": read_gml, "pajek": read_pajek,
    }  # fmt: skip
    if kind in readers:
        return readers[kind](text, where)
    return _read_with_header(kind, text, where)


def _lines(text: str, comments: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if words and not words[0].startswith(comments):
            yield number, words


def _blame(where: str, number: int, expected: str, words: list[str]) -> RetraceError:
    return RetraceError(f"{where}, line {number}: expected {expected}, found {' '.join(words)[:60]!a}")


def _whole(word: str) -> int:
    """Return a number of at most 12 digits; -1 for other words."""
    return int(word) if re.fullmatch(r"[0-9]{1,12}", word) else -1


def _read_with_header(kind: str, text: str, where: str) -> EdgeTable:
    """Read DIMACS, PACE or H/E with all lines that are published."""
    table = EdgeTable(where, base=0 if kind == "he" else 1)
    lines = order = 0
    for number, words in _lines(text, ()):
        if (words[0][0] == "c" and kind != "he") or (kind == "dimacs" and words[0] in NO_EDGES):
            continue
        if table.vertices is None:
            lines = _read_header(kind, table, number, words)
            if words[1] == "ocr" and len(words) == 6:  # PACE 2024 with a cutwidth: an order comes first
                order = table.vertices or 0
            continue
        if order and len(words) == 1:
            order -= 1
            continue
        keywords = KEYWORDS[kind]
        if kind == "dimacs":
            keywords = ("e",) if table.directed is False else ("a",)
        keyword = words[0] if words[0] in keywords else ""
        cells = words[1:] if keyword else words
        if keyword not in keywords or len(cells) not in (2, 3):
            raise _blame(where, number, f"'{keywords[0]} u v' with a weight or none".strip(), words)
        _add(table, number, cells, words)
    if table.vertices is None:
        raise RetraceError(f"{where}: expected a header of {kind}, found the file's end")
    found = len(table.tails)
    if table.directed is False and found == 2 * lines:  # each in both directions
        found = max(lines, len({*map(frozenset, zip(table.tails, table.heads, strict=True))}))
    if found != lines:
        raise RetraceError(f"{where}: expected {lines} lines of edges, as its header says, found {found}")
    return table


def _read_header(kind: str, table: EdgeTable, number: int, words: list[str]) -> int:
    """Take a header; return the number of lines that it announces."""
    counts = [_whole(word) for word in words[1 if kind == "he" else 2 :]]
    if kind == "he":
        if words[0] != "H" or len(counts) != 3 or min(counts) < 0 or counts[2] > 1:
            raise _blame(table.where, number, "a header 'H N M U'", words)
        table.directed = counts[2] == 0
    else:
        known = DIMACS if kind == "dimacs" else PACE
        if words[0] != "p" or len(words) < 4 or words[1] not in known or min(counts) < 0:
            raise _blame(table.where, number, f"'p KIND N M', of KIND {', '.join(known)}", words)
        if words[1] == "ocr":  # two sides, whose ids go on
            counts = [counts[0] + counts[1], *counts[2:], -1][:2]
        if words[1] == "max":
            table.notes.append(f"{table.where}: the capacities of its flow problem are read as weights")
        elif words[1] != "sp":
            table.directed = False
    table.vertices = counts[0]
    return counts[1]


def _add(table: EdgeTable, number: int, cells: list[str], words: list[str]) -> None:
    """Take an edge; all have a weight, or none has."""
    has_weight = len(cells) == 3
    if not table.tails and has_weight:
        table.weights = []
    if has_weight != (table.weights is not None):
        raise _blame(table.where, number, "a weight on all lines or on none", words)
    table.tails.append(cells[0])
    table.heads.append(cells[1])
    if table.weights is not None:
        table.take_weight(cells[2], number)


def _read_konect(text: str, where: str) -> EdgeTable:
    """Read KONECT's out.* files, of which a comment says what they are, and the next one may count."""
    given = [(k, line[1:].split()) for k, line in enumerate(text.split("\n"), 1) if line.startswith("%")]
    comments = list(dropwhile(lambda one: not 0 < len(one[1]) < 3 or one[1][0] not in ARC_KINDS, given))
    direction, weights = [*(comments[0][1] if comments else []), "", ""][:2]
    if direction not in ("sym", "asym"):
        side = "which has two sides; number them apart, and write an edge list" if direction == "bip" else ""
        raise RetraceError(
            f"{where}, line 1: expected '% sym' or '% asym', found '% {direction}' {side}".strip()
        )
    table = EdgeTable(where, directed=direction == "asym")
    plain = weights.lower() in UNWEIGHTED
    for number, words in _lines(text, ("%",)):
        if not 2 <= len(words) <= 4:
            raise _blame(where, number, "'u v', perhaps with a weight and a time", words)
        if weights.lower() == "dynamic" and words[2:3] == ["-1"]:
            raise _blame(
                where, number, "an edge that is added; -1 removes one: write those that are left", words
            )
        cells = words[:2] if plain else [*words[:3], "1"][:3]
        _add(table, number, cells, words)
    counts = [one for one in comments[1:] if len(one[1]) > 1 and min(map(_whole, one[1][:2])) >= 0]
    if counts:
        line, (edges, vertices) = counts[0][0], map(_whole, counts[0][1][:2])
        if edges != len(table.tails):
            raise RetraceError(
                f"{where}, line {line}: expected {edges} edges, found {len(table.tails)}; it may be cut short"
            )
        table.vertices = vertices
    elif not table.tails:
        raise RetraceError(f"{where}: expected edges, found the file's end")
    return table


def _read_matrix(text: str, where: str) -> EdgeTable:
    """Read a square matrix of any field but complex numbers; each entry is an arc."""
    rows = list(_lines(text, ("%",)))
    banner = next((line for line in text.split("\n") if BANNER.match(line)), None)
    words = banner.lower().replace("%", " ").split()[1:] if banner else []
    table = EdgeTable(where)
    if banner is None:
        size = [_whole(word) for word in rows[0][1]] if rows else []
        if len(size) != 3 or size[0] != size[1] or size[2] != len(rows) - 1:
            raise RetraceError(
                f"{where}, line 1: expected '%%MatrixMarket matrix ...', which says what follows"
            )
        words = [
            "matrix",
            "coordinate",
            "real" if len(rows) > 1 and len(rows[1][1]) == 3 else "pattern",
            "general",
        ]
        table.notes.append(f"{where}: its first line lacks; it is read as a general matrix")
    if len(words) != 4 or words[0] != "matrix":
        raise RetraceError(f"{where}, line 1: expected '%%MatrixMarket matrix STORAGE FIELD SYMMETRY'")
    _, storage, kind, symmetry = words
    known = ("real", "double", "integer", "unsigned-integer", "pattern")
    if (
        storage not in ("coordinate", "array")
        or kind not in known
        or symmetry not in ("general", "symmetric", "skew-symmetric")
        or (symmetry == "skew-symmetric" and (storage, kind) not in SKEW)
    ):
        raise RetraceError(
            f"{where}, line 1: expected 'coordinate' or 'array', one of {', '.join(known)}, 'general' or "
            f"'symmetric', or 'coordinate real skew-symmetric', found '{storage} {kind} {symmetry}'; convert "
            "the matrix"
        )
    size = [_whole(word) for word in rows[0][1]] if rows else []
    if len(size) != (3 if storage == "coordinate" else 2) or min(size) < 0 or size[0] != size[1]:
        found = rows[0] if rows else (1, [])
        raise _blame(where, found[0], "the size of a square matrix", found[1])
    table.vertices = size[0]
    if symmetry == "symmetric":
        table.directed = False
    if storage == "array":
        _read_dense(table, rows[1:], symmetry == "symmetric")
        return table
    if len(rows) - 1 != size[2]:
        raise RetraceError(f"{where}, line {rows[0][0]}: expected {size[2]} entries, found {len(rows) - 1}")
    for number, cells in rows[1:]:
        if len(cells) != (2 if kind == "pattern" else 3):
            raise _blame(where, number, "'u v'" if kind == "pattern" else "'u v w'", cells)
        if symmetry == "skew-symmetric" and cells[0] == cells[1]:
            raise _blame(where, number, "no entry on the diagonal of a skew-symmetric matrix", cells)
        _add(table, number, cells, cells)
        if symmetry == "skew-symmetric":  # the other half has the opposite sign
            weight = cells[2][1:] if cells[2].startswith("-") else "-" + cells[2].removeprefix("+")
            _add(table, number, [cells[1], cells[0], weight], cells)
    return table


def _read_dense(table: EdgeTable, rows: list[tuple[int, list[str]]], is_half: bool) -> None:
    """Read columns of all entries, of a symmetric matrix from the diagonal on; zero is no arc."""
    n, entries = table.vertices or 0, [word for _, words in rows for word in words]
    if len(entries) != (n * (n + 1) // 2 if is_half else n * n):
        raise RetraceError(f"{table.where}: expected the entries of {n} columns, found {len(entries)}")
    places = ((row, column) for column in range(n) for row in range(column if is_half else 0, n))
    table.weights = []
    lines = (number for number, words in rows for _ in words)
    for (row, column), word, number in zip(places, entries, lines, strict=True):
        if is_odd(word):
            raise _blame(table.where, number, "a number", [word])
        if not is_zero(word):
            table.tails.append(str(row + 1))
            table.heads.append(str(column + 1))
            table.take_weight(word, number)


def _read_steiner(text: str, where: str) -> EdgeTable:
    """Read the section `Graph` of PACE 2018 and SteinLib: edges, `E u v w`, or arcs, `A u v w`."""
    table, inside, counts = EdgeTable(where), False, dict[str, int]()
    for number, words in _lines(text, ("#",)):
        key = words[0].lower()
        if key == "section":
            inside = (words[1:2] and words[1].lower() == "graph") or False
        elif inside and key in ("nodes", "edges", "arcs") and len(words) == 2 and _whole(words[1]) >= 0:
            if key in counts:
                raise _blame(where, number, f"one section Graph, with one number of {key}", words)
            counts[key] = _whole(words[1])
        elif inside and key in ("e", "a") and len(words) in (3, 4):
            if table.directed not in (None, key == "a"):
                raise _blame(where, number, "edges ('E') or arcs ('A') alone", words)
            table.directed = key == "a"
            _add(table, number, words[1:], words)
        elif inside and key != "end" and key != "obstacles":
            raise _blame(where, number, "'E u v w'", words)
        inside = inside and key != "end"
    table.vertices = counts.pop("nodes", None)
    if table.directed is None:
        table.directed = "edges" not in counts
    lines = {"arcs" if table.directed else "edges": len(table.tails)}
    if table.vertices is None or not counts or {**dict.fromkeys(counts, 0), **lines} != counts:
        announced = " and ".join(f"{count} {key}" for key, count in counts.items())
        raise RetraceError(
            f"{where}: expected a section Graph with {announced or 'its numbers of nodes and edges'}, found "
            f"{len(table.tails)} {'arcs' if table.directed else 'edges'}"
        )
    return table
