"""Refuses rows that may be something else than edges with a tail, a head and perhaps a weight."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retrace.system.errors import RetraceError
from retrace.system.option_words import option
from retrace_commands.column_names import (
    HEAD_NAMES,
    ORDERED,
    TAIL_NAMES,
    TIME_NAMES,
    WEIGHT_NAMES,
    places_of_ends,
    plain,
)
from retrace_commands.edge_table import DECIMAL, EdgeTable, Ints, numbered_words
from retrace_commands.list_comments import names_in_comments
from retrace_commands.metis_files import COUNT, Cells, metis_fits
from retrace_commands.recognition import SPACED_WEIGHT, adjacency_advice

PLAIN_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
UNIX_TIME = re.compile(r"1[0-9]{9}([0-9]{3}|\.[0-9]*)?")
LIKE_A_TIME = re.compile(r"[0-9]{9,10}([0-9]{3}|\.[0-9]*)?")
"""A time from 2001 to 2033, perhaps in ms, of which three weights exceed 32 bits; then, earlier ones."""
A_DAY = re.compile("(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])")
SECONDS_A_STEP = 20
"""Of the times of contacts between people, by sociopatterns.org."""

BLANK_IN_CELL = re.compile(r"(^|,)\s*\d+[ \t]+\d[\d.]*\s*(,|$)")
"""Two numbers with a blank between them where commas separate cells."""
JOINED = re.compile(r"[\[({<]?\s*\d+(\s*([,;:|\s]|[-=]*>|[-\u2192\u2014])\s*\d+)+\s*[\])}>]?")
"""Several numbers in a cell."""
LONG = 200
"""Letters of a cell from which it is no pair: blanks would be matched in all ways."""
LEFT, RIGHT = re.compile("[<\u2190\u21d0]"), re.compile("[>\u2192\u21d2]")
BETWEEN_WORDS = re.compile(r"[-=<>]+|[,;:|\u2192\u2014]")
BETWEEN_NEIGHBOURS = re.compile("[,;]")
"""What may stand between two words of a cell, and between several."""
ENTITY = re.compile(r"&#?\w+;")
"""A letter of HTML."""
INTERVALS = {"(]", "[)"}
FIRST_WORDS = {"e", "edge", "a", "arc", "v", "vertex", "n", "node", "l", "line", "link", "f"}
"""What may say, before its cells, what a row is."""
COUNTED_WORDS = {"n", "m", "nodes", "vertices", "edges", "arcs", "nodecount", "edgecount"}
"""What may stand before a number of vertices or edges."""

MISSING = {"null", "na", "n/a", "nan", "none", "\\n"}
"""What programs write where there is nothing, in small letters."""
MISSING_NAMES = re.compile(r"NULL|null|\\N|N/A|n/a|NaN|nan|NA|<NA>|None|[-?.]|[-+=:|]{3,}")
"""The same among words, of which some are alike, and the lines of tables."""
ALIKE = {"NA": re.compile("[A-Z]{2}"), "-": re.compile(r"\W"), "?": re.compile(r"\W"), ".": re.compile(r"\W")}
"""What other vertices are like where one is called so: codes of countries, signs."""
NO_NAMES = re.compile(
    r"[0-9]+[\s|,;]+[0-9]+|\.{2,}|\u2026|[(\[{<]+[0-9]+|[0-9]+[)\]}>]+|0x[0-9a-f]+|[0-9]+(_[0-9]{3})+|"
    r"(?=[0-9+-]*[^0-9+-])[+-]?\d+",
    re.I,
)
"""What among numbers is no name: two of them, dots where a display is cut, half of what is in brackets,
numbers of base 16, with _ between digits, or of other digits."""
TOTALS = {"total", "totals", "sum", "grand total"}
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
    spaced = {len("|".join(map(str.strip, line.split("|"))).split()) for line in lines}
    if mark == "|" and len(spaced) == 1 and spaced != {1}:
        other = "blanks"
    elif mark == "," and all("|" in "".join(line.split(",")[:2]) for line in lines):
        if lines[0].count("|") > 2 and all("|" in cell for line in lines for cell in line.split(",")[:2]):
            return  # in all names, and too many for cells
        other = "commas"
    else:
        return
    raise RetraceError(f"{where}: | or {other} may separate the cells of {first}; write tabs between them")


def refuse_doubtful_rows(text: str, rows: list[Cells], where: str) -> None:
    """Raise RetraceError if rows below no header may be something else; `text` has their comments."""
    if not all(cells for _, cells in rows):
        return
    refuse_doubtful_cells(rows, where)
    _refuse_vertex_and_colon(rows, where)
    width = len(rows[0][1])
    comments = [names for _, _, names in names_in_comments(text)]
    if not any(len(names) == width and places_of_ends(names) == (0, 1) for names in comments):
        for refuse in (
            _refuse_words_between,
            _refuse_kinds_first,
            _refuse_numbers_first,
            refuse_fractions,
            _refuse_neighbours,
        ):
            refuse(rows, where)
    _refuse_hidden_header(text, rows, where)
    first = rows[0][1]
    numberings = [[*map(str, range(begin, begin + width))] for begin in (0, 1)]
    if (
        width in (2, 3)
        and len(rows) > 1
        and first in numberings
        and not any(is_number(c) for _, row in rows[1:] for c in row[:2])
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
    are_enclosed = all(len(cells) > 1 and all(map(_is_enclosed, cells[:2])) for _, cells in rows)
    if not are_enclosed and all(re.fullmatch(r"\(.*\),?|<.*>,?|\[.*\],?", line) for line in lines):
        raise RetraceError(f"{shown} is in brackets; write u v")
    if all(any(map(_is_half_in_brackets, cells)) for _, cells in rows):
        raise RetraceError(f"{shown} has brackets; write u v, or u v w")
    ends = [(cells[0], cells[1]) for _, cells in rows if len(cells) > 1]
    tails, heads = [tail for tail, _ in ends], [head for _, head in ends]
    several = "" if are_enclosed else _several_numbers(tails, heads) or _several_words(tails, heads)
    if several:
        _refuse_several(several, where)
    if all(len(cells) == 2 for _, cells in rows) and (cell := _with_weight(tails, heads)):
        raise RetraceError(f"{where}: {cell[:40]!a} may be two cells; write one mark between all cells")


def _refuse_several(cell: str, where: str) -> None:
    raise RetraceError(
        f"{where}: {cell[:40]!a} may be several vertices; write a line u v for each edge, or say "
        f"{option('format', 'edges')} if it is one"
    )


def _is_enclosed(cell: str) -> bool:
    return cell[:1] in {*"([{<"} and cell[-1:] in {*")]}>"}


def _is_half_in_brackets(cell: str) -> bool:
    return sum(map(cell.count, "([{")) != sum(map(cell.count, ")]}"))


def _several_numbers(tails: Sequence[str], heads: Sequence[str]) -> str:
    """Return a cell that may be several numbers, where all cells are numbers, some joined; else nothing.

    A date, an age or another number with hyphens or colons is a name, unless it looks like a pair.
    """
    every = [*tails, *heads]
    joined = [cell for cell in every if not PLAIN_NUMBER.fullmatch(cell)]
    if not joined or not all(len(cell) < LONG and JOINED.fullmatch(cell) for cell in joined):
        return ""
    is_pair = re.search(r"[\s,;]", joined[0]) is not None
    if len(joined) == len(every) or is_pair or re.search(r"[^\d:-]", joined[0]):
        are_several = is_pair or len(joined) < len(every)
        return joined[0] if are_several and joined[0][0] + joined[0][-1] not in INTERVALS else ""
    for own in (tails, heads):
        divided = [re.split("[:-]", cell) for cell in own if not PLAIN_NUMBER.fullmatch(cell)]
        of_neighbours = own is heads and ":" in joined[0] and any(parts[0] in tails for parts in divided)
        if divided and all(len(parts) == 2 for parts in divided) and (_overlap(divided) or of_neighbours):
            return joined[0]
    return ""


def _several_words(tails: Sequence[str], heads: Sequence[str]) -> str:
    """Return a cell that may be a pair of words beside its weight, or neighbours of a tail; else nothing."""
    pairs = [_divided(cell, BETWEEN_WORDS) for cell in tails]
    if all(map(is_number, heads)) and all(len(pair) == 2 for pair in pairs) and _overlap(pairs):
        return tails[0]
    lists = {cell: _divided(cell, BETWEEN_NEIGHBOURS) for cell in heads}
    divided = {cell: words for cell, words in lists.items() if len(words) > 1 and all(words)}
    known = {*tails, *lists} - divided.keys()
    whole = {cell for cell, words in divided.items() if known.issuperset(words)}
    by_semicolons = {cell for cell in divided if ";" in ENTITY.sub("", cell)}
    for cells in (by_semicolons, whole, divided if _overlap([*divided.values()]) else ()):
        rows = [cell for cell in heads if cell in cells]
        if 2 * len(rows) >= len(heads) > 0:
            return rows[0]
    return ""


def _with_weight(tails: Sequence[str], heads: Sequence[str]) -> str:
    """Return a head that may have a weight behind it, or a pair beside its weight; else nothing."""
    parts = [re.split(r"[\s,;]+", head) if len(head) < LONG else [head] for head in heads]
    if all(len(words) == 2 and is_number(words[1]) for words in parts):
        return heads[0] if any(words[0] in tails for words in parts) else ""
    pairs = [tail.split() if len(tail) < LONG else [tail] for tail in tails]
    return tails[0] if all(map(is_number, heads)) and {*map(len, pairs)} == {2} and _overlap(pairs) else ""


def _divided(cell: str, marks: re.Pattern[str]) -> list[str]:
    """Return the words between the marks of a cell; a long one is one, and so is an interval."""
    is_one = len(cell) >= LONG or cell[:1] + cell[-1:] in INTERVALS
    words = [cell] if is_one else marks.split(ENTITY.sub("", cell).strip("([{<>}])"))
    return [word.strip("'\" ") for word in words]


def _overlap(lists: Sequence[Sequence[str]]) -> bool:
    """Return whether words stand first in some lists and later in others, as vertices do in pairs."""
    first = {words[0] for words in lists}
    later = {word for words in lists for word in words[1:] if word != words[0]}
    return 4 * len(first & later) >= len(first | later) > 0


def _refuse_vertex_and_colon(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if a colon may part a vertex from its neighbours; titles have colons, too."""
    lines = [" ".join(cells) for _, cells in rows]
    if not all(re.match(r"[^\s:]+:(\s|$)", line) for line in lines):
        return
    parts = [(*cells[0].partition(":"), cells[1:]) for _, cells in rows]
    vertices = {vertex for vertex, *_ in parts}
    neighbours = {word for *_, first, others in parts for word in (first.strip(), *others)}
    if (
        all(not first for *_, first, _ in parts)
        or all(map(is_number, vertices))
        or not vertices.isdisjoint(neighbours)
    ):
        raise RetraceError(
            f"{where}: {lines[0][:40]!a} may be a vertex and its neighbours; write a line u v for each edge"
        )


def _refuse_words_between(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if an arrow or a verb may stand in the place of a vertex."""
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
        otherwise = "1 2 3" if all(map(is_number, thirds)) else "1 2"
        ways = f"{option('columns', '1', '3')}, or {otherwise} if they are not"
        raise RetraceError(
            f"{where}: {rows[0][1][1][:40]!a} may stand between the vertices {tails[0][:40]!a} and "
            f"{thirds[0][:40]!a}; say {ways}"
        )


def _refuse_kinds_first(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if the first of three columns may have kinds of rows, or a relation of two words."""
    if any(len(cells) < 3 or not cells[0] for _, cells in rows):
        return
    tails, middles, thirds = ([cells[k] for _, cells in rows] for k in range(3))
    kinds = {tail.lower() for tail in tails}
    has_weights, is_mixed = all(map(is_number, thirds)), not {*middles}.isdisjoint(thirds)
    if kinds <= FIRST_WORDS:
        are_kinds = all(map(is_number, middles)) or not has_weights
    elif any(map(is_number, tails)) or not is_mixed:
        are_kinds = False
    elif has_weights:  # a star, whose vertex is a word, has each head once
        are_kinds = len(kinds) == 1 and len({*middles}) < len(rows)
    else:
        are_kinds = {*middles, *thirds}.isdisjoint(tails)
    if are_kinds:
        raise RetraceError(
            f"{where}: {tails[0][:40]!a} may say what the row is; say {option('columns', '2', '3')}, or "
            "1 2 3 if it is a vertex"
        )


def _refuse_numbers_first(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if the first of three columns may have times, or the numbers of edges."""
    if any(len(cells) < 3 for _, cells in rows):
        return
    tails, middles, thirds = ([cells[k] for _, cells in rows] for k in range(3))
    if not all(map(COUNT.fullmatch, tails)):
        return
    numbers = [int(tail) for tail in tails]
    what = ""
    if len(rows) > 2 and numbers == [*range(numbers[0], numbers[0] + len(rows))]:
        heads, others = {*middles}, {*thirds}
        is_unlike = 2 * len(heads & {*tails}) <= len(tails)
        are_edges = len({frozenset(ends) for ends in zip(middles, thirds, strict=True) if len({*ends}) > 1})
        are_beyond = tails[-1] not in heads | others and are_edges == len(rows)
        may_be = (is_unlike or are_beyond) and 2 * len(heads & others) >= len(others)
        may_be = may_be or (numbers[0] in (0, 1) and _are_like_ids(tails, middles, thirds))
        what = "the numbers of edges" if may_be else ""
    if not what and _may_be_times(numbers, tails, middles, thirds):
        what = "times"
    if what:
        raise RetraceError(
            f"{where}: its first column may have {what}; say {option('columns', '2', '3')}, or 1 2 3 if "
            "it has vertices"
        )


def _are_like_ids(tails: Sequence[str], heads: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether others are like the heads, which are unlike the tails: as few alike, as large."""
    if not all(map(COUNT.fullmatch, [*heads, *others])):
        return False
    are_unlike = 10 * len({*heads} & {*tails}) <= len({*heads})
    return (
        are_unlike and 5 * len({*others}) > 4 * len(others) and max(map(len, others)) >= max(map(len, heads))
    )


def _may_be_times(
    numbers: Sequence[int], tails: Sequence[str], middles: Sequence[str], thirds: Sequence[str]
) -> bool:
    """Return whether the first of three columns may have times: no ids, beside which weights are short."""
    if any(map(LIKE_A_TIME.fullmatch, [*middles, *thirds])):
        return False
    if all(map(is_number, [*middles, *thirds])) and (
        not all(map(COUNT.fullmatch, thirds)) or max(map(len, thirds)) < min(map(len, middles))
    ):
        return False
    in_order = [*numbers] == sorted(numbers) and len({*numbers}) > 1
    are_steps = in_order and len(numbers) > 2 and not any(second % SECONDS_A_STEP for second in numbers)
    if are_steps:
        are_steps = all(map(COUNT.fullmatch, [*middles, *thirds]))
        are_steps = are_steps and any(int(head) % SECONDS_A_STEP for head in middles)
    return are_steps or are_times(tails)


def refuse_fractions(rows: list[Cells], where: str) -> None:
    """Raise RetraceError if an end is a fraction, as weights and coordinates are, and sections of texts."""
    if any(len(cells) < 2 for _, cells in rows):
        return
    ends = [[cells[k] for _, cells in rows] for k in (0, 1)]
    are_numbers = [all(map(is_number, column)) for column in ends]
    are_fractions = [
        are and 2 * sum(float(cell) % 1 != 0 for cell in column) > len(column)
        for are, column in zip(are_numbers, ends, strict=True)
    ]
    width = len(rows[0][1])
    are_sections = all(are_fractions) and len({*ends[0], *ends[1]}) < 2 * len(rows)
    if width > 3 or not any(are_fractions) or are_sections or (width == 2 and not are_fractions[1]):
        return
    ways = option("columns", *("231" if are_fractions[0] else "132")) + ", or 1 2 3"
    ways = ways if width == 3 else option("format", "edges")
    raise RetraceError(
        f"{where}: {ends[are_fractions[1]][0][:40]!a} may be a weight or a coordinate; say {ways} if it is a "
        "vertex"
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
    if 2 * sum(_is_in_order(cells[1:]) for _, cells in rows) <= len(rows):
        return  # as weights are
    if all(u not in heads and all(u in near.get(v, ()) for v in heads) for u, heads in near.items()):
        raise RetraceError(
            f"{where}: its rows may be a vertex and its neighbours; write a line u v for each edge, or say "
            f"{option('format', 'edges')}"
        )


def _is_in_order(cells: Sequence[str]) -> bool:
    numbers = all(map(COUNT.fullmatch, cells))
    return [*cells] == sorted(cells, key=(lambda cell: int(cell)) if numbers else None)


def _refuse_hidden_header(text: str, rows: list[Cells], where: str) -> None:
    """Raise RetraceError if a comment may be a header of which the ends are not the first cells."""
    width = len(rows[0][1])
    for number, content, cells in names_in_comments(text):
        names = cells[1:] if not cells[0] and len(cells) > width else cells
        ends = places_of_ends(names)
        are_words = all(re.fullmatch(r"(:?\w[\w ]*)?", name) for name in names) and "and" not in names
        if ends is not None and are_words and len(names) in (2, width) and ends != (0, 1):
            weights = [k for k, name in enumerate(names) if name.lower() in WEIGHT_NAMES and k < width]
            columns = option("columns", *(str(place + 1) for place in (*ends, *weights[:1])))
            raise RetraceError(f"{where}, line {number}: {content[:40]!a} may be a header; say {columns}")


def refuse_doubtful_header(header: Sequence[str], rows: list[Cells], where: str) -> None:
    """Raise RetraceError if the names of columns may be vertices, as v1 and v2 among v3 and v4.

    Or if they are none of ends, of which one may be a coordinate.
    """
    if not {plain(name) for name in header[:2]} & (TAIL_NAMES | HEAD_NAMES | WEIGHT_NAMES | {""}):
        refuse_fractions(rows, where)
    if len(header) > 2 and not is_number(header[2]) and all(is_number(cells[-1]) for _, cells in rows):
        return  # which names weights
    kinds = {name.rstrip("12").lower() for name in header[:2] if ORDERED.fullmatch(name)}
    later = {
        re.sub("[0-9]+$", "", cell).lower() for _, cells in rows for cell in cells[:2] if cell not in header
    }
    if len(kinds) == 1 and kinds <= later:
        raise RetraceError(
            f"{where}, line 1: {' '.join(header)[:40]!a} may be names of columns, or an edge; say "
            f"{option('columns', *header[:2])}, or write a header source,target above it"
        )


def refuse_doubtful_names(table: EdgeTable) -> None:
    """Raise RetraceError if the name of a vertex may be none, wherever it stands in a list."""
    columns = table.columns
    ids, names = (
        numbered_words([*table.tails, *table.heads]) if columns is None else (columns.ids, columns.names)
    )
    if not names:
        return
    ends = ids.reshape(2, -1)
    _refuse_words_among_numbers(ends, names, table.where)
    known = {*names}
    for name in names:
        if ("," in name or ";" in name) and len(name) < LONG and ", " not in name:
            first, *others = name.replace(";", ",").split(",")
            if first in known and {*others} != {first} and known.issuperset(others):
                _refuse_several(name, table.where)
    for missing in filter(MISSING_NAMES.fullmatch, names):
        if missing in ALIKE and any(map(ALIKE[missing].fullmatch, known - {missing})):
            continue
        break
    else:
        totals = [int(end) for end in {*ends[:, -1].tolist()} if names[end].lower() in TOTALS]
        missing = "" if not totals or np.isin(ends[:, :-1], totals).any() else names[totals[0]]
    if missing:
        raise RetraceError(
            f"{table.where}: {missing[:40]!a} is called a vertex; remove its line, or say "
            f"{option('format', 'edges')} if it is one"
        )


def _refuse_words_among_numbers(ends: Ints, names: Sequence[str], where: str) -> None:
    """Raise RetraceError if a word among numbers may be no vertex: a count, a label, a header, a blank.

    Words that come once are in doubt above or below all numbers, others as what they say.
    """
    are_numbers = np.array([DECIMAL.fullmatch(name) is not None for name in names])
    both = are_numbers[ends].all(axis=0)
    if both.mean() < MOSTLY_NUMBERS or both.all():
        return
    places = np.flatnonzero(~both)
    words = [names[int(end)] for row in places for end in ends[:, row] if not are_numbers[end]]
    is_block = len(places) == places[-1] - places[0] + 1 and (places[0] == 0 or places[-1] == both.size - 1)
    are_labels = is_block and len({*words}) == len(words) and not any(word[:1].isdigit() for word in words)
    known = {*names}
    no_vertices = [
        word
        for word in words
        if word.lower() in MISSING
        or NO_NAMES.fullmatch(word)
        or (len(parts := re.split("[-:]", word)) > 1 and known.issuperset(parts))
    ]
    of_tails, of_heads = (
        np.isin(ends, [k for k, name in enumerate(names) if plain(name) in usual])
        for usual in (TAIL_NAMES, HEAD_NAMES)
    )
    are_headers = (of_tails & of_heads[::-1]).any(axis=0)
    if not np.isin(ends[:, ~are_headers], ends[:, are_headers]).any():
        no_vertices += [names[int(end)] for end in ends[:, are_headers][0]]
    if not are_labels and not no_vertices:
        return
    word = (no_vertices or words)[0]
    raise RetraceError(
        f"{where}: {word[:40]!a} is called a vertex among numbers; remove its line, or say "
        f"{option('format', 'edges')} if it is one"
    )


def may_be_matrix(rows: list[Cells]) -> bool:
    """Return whether three rows or more, and as many columns, are a matrix.

    They are of 0 and 1, symmetric, or have a diagonal of 0.
    """
    entries = [cell.lower() for _, cells in rows for cell in cells]
    are_entries = all(
        PLAIN_NUMBER.fullmatch(cell) or cell in ("inf", "infinity", "nan", "x", "-") for cell in entries
    )
    size = len(rows)
    if size < 3 or not all(len(cells) == size for _, cells in rows) or not are_entries:
        return False
    table = [[float(cell) if PLAIN_NUMBER.fullmatch(cell) else cell for cell in cells] for _, cells in rows]
    is_symmetric = all(table[u][v] == table[v][u] for u in range(size) for v in range(size))
    return {*entries} <= {"0", "1"} or is_symmetric or all(table[u][u] == 0 for u in range(size))


def are_times(cells: Sequence[str]) -> bool:
    """Return whether cells are seconds since 1970, some of them after 2001, or days as 20011231."""
    if len({*cells}) > 1 and all(map(A_DAY.fullmatch, cells)):
        return True
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
        f"its third column has times (seconds since 1970, or days): {without} leaves them out, {taken} takes "
        "them as weights"
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
        neighbours = [(line, cells[sizes + weights :: 1 + of_edges]) for line, cells in rows[1:]]
        if metis_fits(vertices, edges, [rows[0], *neighbours]):
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
