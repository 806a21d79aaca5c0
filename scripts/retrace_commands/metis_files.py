"""Reads METIS: the counts of vertices and edges, then a line of neighbours for each vertex."""

import re

import numpy as np

from retrace.system.errors import RetraceError
from retrace.system.option_words import option
from retrace_commands.edge_table import EdgeColumns, EdgeTable

Cells = tuple[int, list[str]]
"""A line's number and its cells."""
COUNT = re.compile("[0-9]{1,12}")


def metis_fits(vertices: int, edges: int, rows: list[Cells]) -> bool:
    """Return whether rows below the first are other vertices, those next to each, counted from 1, both ways.

    Where some are missing, as blank lines are, a vertex is as far below the first row as its line is.
    """
    (header, _), *rest = rows
    if len(rest) > vertices or sum(len(cells) for _, cells in rest) != 2 * edges:
        return False
    if len(rest) == vertices:  # comments may be between them
        rest = [(header + u, cells) for u, (_, cells) in enumerate(rest, 1)]
    arcs = {(str(number - header), v) for number, cells in rest for v in cells}
    return bool(arcs) and all(u != v and (v, u) in arcs for u, v in arcs)


def is_metis(rows: list[Cells]) -> bool:
    """Return whether the first row has the counts of a METIS file without weights."""
    first = rows[0][1]
    if len(first) != 2 or not all(map(COUNT.fullmatch, first)):
        return False
    return metis_fits(int(first[0]), int(first[1]), rows)


def is_feedback(rows: list[Cells]) -> bool:
    """Return whether rows are those of PACE 2022: 'vertices arcs 0', then the heads of each vertex's arcs."""
    first, rest = rows[0][1], [cells for _, cells in rows[1:]]
    if len(first) != 3 or not all(map(COUNT.fullmatch, first)) or first[2] != "0":
        return False
    return len(rest) <= int(first[0]) and sum(map(len, rest)) == int(first[1])


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
            f"{where}: expected {vertices} lines after the header, one for each vertex, found {len(lines)}; "
            f"{option('format', 'edges')} reads a list of edges"
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
        if metis_fits(vertices, edges // 2, [(0, head), *((k, line.split()) for k, line in lines)]):
            table.notes.append(
                f"{where}: is a directed graph of PACE 2022, or a METIS file that counts each edge twice; "
                "read as the first"
            )
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
