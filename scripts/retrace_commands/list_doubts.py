"""Refuses rows that may be something else than edges with a tail, a head and perhaps a weight."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrace.system.errors import RetraceError
from retrace.system.option_words import option
from retrace_commands.column_names import HEAD_NAMES, ORDERED, TAIL_NAMES, TIME_NAMES, places_of_ends, plain
from retrace_commands.edge_table import DECIMAL, EdgeTable, numbered_words
from retrace_commands.list_comments import names_in_comments
from retrace_commands.metis_files import COUNT, Cells, metis_fits
from retrace_commands.recognition import SPACED_WEIGHT, adjacency_advice

PLAIN_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
UNIX_TIME, LIKE_A_TIME = re.compile("1[0-9]{9}"), re.compile("[0-9]{9,10}")
"""A time from 2001 to 2033; three of them as weights add up to more than 32 bits hold. Then, earlier ones."""
SECONDS_A_STEP = 20
"""Of the times of contacts between people, by sociopatterns.org."""

BLANK_IN_CELL = re.compile(r"(^|,)\s*\d+[ \t]+\d[\d.]*\s*(,|$)")
"""Two numbers with a blank between them where commas separate cells."""
JOINED = re.compile(r"[\[({<]?\s*\d+(\s*([,;:|\s]|[-=]*>|[-\u2192\u2014])\s*\d+)+\s*[\])}>]?")
"""Several numbers in a cell."""
LONG = 200
"""Letters of a cell from which it is no pair: blanks would be matched in all ways."""
LEFT, RIGHT = re.compile("[<\u2190\u21d0]"), re.compile("[>\u2192\u21d2]")
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
FIRST_WORDS = {"e", "edge", "a", "arc", "v", "vertex", "n", "node"}
"""What may say, before its cells, what a row is."""
COUNTED_WORDS = {"n", "m", "nodes", "vertices", "edges", "arcs", "nodecount", "edgecount"}
"""What may stand before a number of vertices or edges."""

MISSING = {"null", "na", "n/a", "nan", "none", "\\n"}
"""What programs write where there is nothing, in small letters."""
MOSTLY_NUMBERS = 1 / 3
"""The share of rows of two numbers from which a word as a vertex is in doubt."""


def is_number(cell: str) -> bool:
    """Return whether a cell is a number with a decimal point or none."""
    return PLAIN_NUMBER.fullmatch(cell) is not None


def refuse_doubtful_mark(lines: list[str], mark: str, where: str) -> None:
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


def refuse_doubtful_rows(text: str, rows: list[Cells], where: str) -> None:
    """Raise RetraceError if rows below no header may be something else; `text` has their comments."""
    if not all(cells for _, cells in rows):
        return
    refuse_doubtful_cells(rows, where)
    for refuse in (_refuse_vertex_and_colon, _refuse_words_between, _refuse_times_first, _refuse_neighbours):
        refuse(rows, where)
    _refuse_hidden_header(text, rows, where)
    first = rows[0][1]
    if first in (["0", "1"], ["0", "1", "2"]) and not any(
        is_number(c) for _, row in rows[1:] for c in row[:2]
    ):
        raise RetraceError(
            f"{where}, line {rows[0][0]}: {' '.join(first)!a} may number the columns; delete it, or say "
            f"{option('format', 'edges')}"
        )


def refuse_doubtful_cells(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if cells may have several vertices, as programs print pairs, or a comment."""
    lines = [" ".join(cells) for _, cells in rows]
    if not lines:
        return
    shown = f"{where}: {lines[0][:40]!a}"
    if all(re.fullmatch(r"\(.*\),?|<.*>,?|\[.*\],?", line) for line in lines):
        raise RetraceError(f"{shown} is in brackets; write u v")
    if all(any(map(_is_half_in_brackets, cells)) for _, cells in rows):
        raise RetraceError(f"{shown} has brackets; write u v, or u v w")
    ends = [cells[:2] for _, cells in rows]
    every = [cell for pair in ends for cell in pair]
    joined = [cell for cell in every if not PLAIN_NUMBER.fullmatch(cell)]
    several = bool(joined) and all(len(cell) < LONG and JOINED.fullmatch(cell) for cell in joined)
    if several and (len(joined) < len(every) or re.search(r"[\s,;]", joined[0])):
        raise RetraceError(
            f"{where}: {joined[0][:40]!a} may be several vertices; write a line u v for each edge, or say "
            f"{option('format', 'edges')} if it is one"
        )
    tails = {pair[0] for pair in ends}
    for pair in ends:
        parts = [*map(str.strip, re.split("[,;]", pair[-1]))]
        if len(parts) > 1 and tails.issuperset(parts):
            raise RetraceError(
                f"{where}: {pair[-1][:40]!a} may be several vertices; write a line u v for each edge, or say "
                f"{option('format', 'edges')} if it is one"
            )


def _is_half_in_brackets(cell: str) -> bool:
    return any(cell.count(begin) != cell.count(end) for begin, end in BRACKETS)


def _refuse_vertex_and_colon(rows: list[Cells], where: str) -> None:
    lines = [" ".join(cells) for _, cells in rows]
    if all(re.match(r"[^\s:]+:(\s|$)", line) for line in lines):
        raise RetraceError(
            f"{where}: {lines[0][:40]!a} may be a vertex and its neighbours; write a line u v for each edge"
        )


def _refuse_words_between(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if an arrow, a verb or the kind of a row may stand in the place of a vertex."""
    if any(len(cells) < 3 for _, cells in rows):
        return
    tails, middles, thirds = ([cells[k] for _, cells in rows] for k in range(3))
    if all(middle and not re.search(r"[^\W_]", middle) for middle in middles):
        to_left = {bool(LEFT.search(middle)) and not RIGHT.search(middle) for middle in middles}
        ways = option("columns", "3", "1") if to_left == {True} else option("columns", "1", "3")
        ways = "write the tail of each first" if len(to_left) > 1 else f"say {ways}"
        raise RetraceError(f"{where}: {middles[0][:40]!a} stands between the vertices; {ways}")
    is_one_word = len(rows) > 1 and len({*middles}) == 1 and not is_number(middles[0])
    are_ends = not all(map(is_number, thirds)) or (
        all(map(COUNT.fullmatch, tails)) and all(map(COUNT.fullmatch, thirds))
    )
    are_ends_of_others = not {*thirds}.isdisjoint(tails) and {*middles}.isdisjoint(tails)
    if (is_one_word and are_ends) or (are_ends_of_others and not all(map(is_number, thirds))):
        ways = f"{option('columns', '1', '3')}, or 1 2 if they are not"
        raise RetraceError(
            f"{where}: {rows[0][1][1][:40]!a} may stand between the vertices {tails[0][:40]!a} and "
            f"{thirds[0][:40]!a}; say {ways}"
        )
    kinds = {tail.lower() for tail in tails}
    of_kinds = kinds <= FIRST_WORDS or (len(kinds) == 1 and len(rows) > 1 and not is_number(tails[0]))
    if of_kinds and all(map(COUNT.fullmatch, middles)) and all(map(is_number, thirds)):
        raise RetraceError(
            f"{where}: {tails[0][:40]!a} may say what the row is; say {option('columns', '2', '3')}, or "
            "1 2 3 if it is a vertex"
        )


def _refuse_times_first(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if the first of three columns may have times."""
    if any(len(cells) < 3 for _, cells in rows):
        return
    tails, others = [cells[0] for _, cells in rows], [cell for _, cells in rows for cell in cells[1:3]]
    if any(map(LIKE_A_TIME.fullmatch, others)) or not all(map(COUNT.fullmatch, tails)):
        return
    seconds = [int(tail) for tail in tails]
    in_order = seconds == sorted(seconds) and len({*seconds}) > 1
    are_steps = in_order and len(rows) > 2 and not any(second % SECONDS_A_STEP for second in seconds)
    if are_steps:
        are_steps = all(map(COUNT.fullmatch, others)) and any(int(v) % SECONDS_A_STEP for v in others[::2])
    if are_steps or are_times(tails):
        raise RetraceError(
            f"{where}: its first column may have times; say {option('columns', '2', '3')}, or 1 2 3 if "
            "it has vertices"
        )


def _refuse_neighbours(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if rows may be a vertex and its neighbours: of unlike lengths, or symmetric."""
    widths = {len(cells) for _, cells in rows}
    most = max(widths)
    if 1 in widths and most > 2 and (most > 3 or len(widths) > 2):
        advice = adjacency_advice(Path(where))
        raise RetraceError(f"{where}: has rows of 1 to {most} words, as an adjacency list; {advice}")
    near = {cells[0]: {*cells[1:]} for _, cells in rows}
    if min(widths) < 3 or len(rows) < 3 or len(near) < len(rows):
        return
    if all(u not in heads and all(u in near.get(v, ()) for v in heads) for u, heads in near.items()):
        raise RetraceError(
            f"{where}: its rows may be a vertex and its neighbours; write a line u v for each edge, or say "
            f"{option('format', 'edges')}"
        )


def _refuse_hidden_header(text: str, rows: list[Cells], where: str) -> None:
    """Raise RetraceError if a comment may be a header of which the ends are not the first cells."""
    width = len(rows[0][1])
    for number, content, cells in names_in_comments(text):
        names = cells[1:] if not cells[0] and len(cells) > width else cells
        ends = places_of_ends(names)
        are_words = all(re.fullmatch(r"(:?\w[\w ]*)?", name) for name in names) and "and" not in names
        if ends is not None and are_words and len(names) in (2, width) and ends != (0, 1):
            columns = option("columns", *(str(place + 1) for place in ends))
            raise RetraceError(f"{where}, line {number}: {content[:40]!a} may be a header; say {columns}")


def refuse_doubtful_header(header: Sequence[str], rows: list[Cells], where: str) -> None:
    """Raise RetraceError if the names of columns may be vertices, as v1 and v2 among v3 and v4."""
    kinds = {name.rstrip("12").lower() for name in header[:2] if ORDERED.fullmatch(name)}
    later = {
        re.sub("[0-9]+$", "", cell).lower() for _, cells in rows for cell in cells[:2] if cell not in header
    }
    if len(kinds) == 1 and kinds <= later:
        raise RetraceError(
            f"{where}, line 1: {' '.join(header)[:40]!a} may be names of columns, or an edge; write a header "
            "source,target above it, or delete it"
        )


def refuse_words_among_numbers(table: EdgeTable) -> None:
    """Raise RetraceError if a word among numbers may be no vertex: a count, a label, a header, a blank.

    Words that come once are in doubt above or below all numbers, others as what they say.
    """
    columns = table.columns
    ids, names = (
        numbered_words([*table.tails, *table.heads]) if columns is None else (columns.ids, columns.names)
    )
    if names is None or not len(names):
        return
    are_numbers = np.array([DECIMAL.fullmatch(name) is not None for name in names])
    both = are_numbers[ids.reshape(2, -1)].all(axis=0)
    if both.mean() < MOSTLY_NUMBERS or both.all():
        return
    ends = ids.reshape(2, -1)
    places = np.flatnonzero(~both)
    words = [names[int(end)] for row in places for end in ends[:, row] if not are_numbers[end]]
    is_block = len(places) == places[-1] - places[0] + 1 and (places[0] == 0 or places[-1] == both.size - 1)
    are_labels = is_block and len({*words}) == len(words) and not any(word[0].isdigit() for word in words)
    no_vertices = [
        word for word in words if word.lower() in MISSING or plain(word) in TAIL_NAMES | HEAD_NAMES
    ]
    if not are_labels and not no_vertices:
        return
    word = (no_vertices or words)[0]
    raise RetraceError(
        f"{table.where}: {word[:40]!a} is called a vertex among numbers; remove its line, or say "
        f"{option('format', 'edges')} if it is one"
    )


def may_be_matrix(rows: list[Cells]) -> bool:
    """Return whether three rows of three numbers are of 0 and 1, symmetric, or have a diagonal of 0."""
    entries = [cell.lower() for _, cells in rows for cell in cells]
    are_entries = all(
        PLAIN_NUMBER.fullmatch(cell) or cell in ("inf", "infinity", "nan", "x", "-") for cell in entries
    )
    if len(rows) != 3 or not all(len(cells) == 3 for _, cells in rows) or not are_entries:
        return False
    table = [[float(cell) if PLAIN_NUMBER.fullmatch(cell) else cell for cell in cells] for _, cells in rows]
    is_symmetric = all(table[u][v] == table[v][u] for u in range(3) for v in range(3))
    return {*entries} <= {"0", "1"} or is_symmetric or all(table[u][u] == 0 for u in range(3))


def are_times(cells: Sequence[str]) -> bool:
    """Return whether cells are seconds since 1970, some of them after 2001."""
    return any(map(UNIX_TIME.fullmatch, cells)) and all(map(LIKE_A_TIME.fullmatch, cells))


def times_of(
    text: str, rows: list[Cells], header: list[str] | None, columns: Sequence[str], places: list[int]
) -> str:
    """Say of a third column that has times, as SNAP's temporal graphs, that it has.

    Nobody named it, or a comment calls it so.
    """
    if header is not None or columns or len(places) < 3:
        return ""
    named = any(
        len(names) == 3 and places_of_ends(names) == (0, 1) and plain(names[2]) in TIME_NAMES
        for _, _, names in names_in_comments(text)
    )
    return why_times() if named or are_times([cells[2] for _, cells in rows if len(cells) == 3]) else ""


def why_times() -> str:
    """Return why times are no weights, and what to do."""
    without, taken = option("columns", "1", "2"), option("columns", "1", "2", "3")
    return (
        f"its third column has times (seconds since 1970): {without} leaves them out, {taken} takes them as "
        "weights"
    )


def refuse_other_counts(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if the first line may be a named count, or counts and a third, or METIS's."""
    number, first = rows[0]
    rest = [cells for _, cells in rows[1:]]
    if len(first) == 2 and first[0].lower() in COUNTED_WORDS and COUNT.fullmatch(first[1]):
        what = f"'{' '.join(first)}' may be a number of vertices or edges, or an edge"
        raise RetraceError(f"{where}, line {number}: {what}; delete it, or say {option('format', 'edges')}")
    if len(first) != 3 or not all(map(COUNT.fullmatch, first[:2])) or not is_number(first[2]):
        return
    vertices, edges = map(int, first[:2])
    if re.fullmatch("[01]{1,3}", first[2]):
        sizes, weights, of_edges = map(int, first[2].zfill(3))
        if metis_fits(vertices, edges, [cells[sizes + weights :: 1 + of_edges] for cells in rest]):
            raise RetraceError(f"{where}: may be METIS, or edges; say {option('format', 'metis')} or edges")
    ends = [cell for cells in rest for cell in cells[:2]]
    is_size = vertices == edges and first[2] == str(len(rest))  # of Matrix Market without its first line
    if (
        (edges == len(rest) or is_size)
        and len(rest) > 1
        and all(COUNT.fullmatch(cell) and int(cell) <= vertices for cell in ends)
    ):
        raise RetraceError(
            f"{where}, line {number}: '{' '.join(first)}' may be the numbers of vertices and edges and a "
            f"third, or an edge; delete line {number}, or say {option('format', 'edges')}"
        )
