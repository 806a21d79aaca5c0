"""An experiment as a table to be sorted and filtered: a row for each solver on each graph.

A row carries what it is filtered by, a cell the value it is sorted by, and the address of its record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrace.publish.doubts import doubts
from retrace.publish.page import MARK, Cell
from retrace.publish.tables import printed_cell, ratio_cell, time_cell
from retrace.reports.frame import Entry, Frame, GraphRow, Printed
from retrace.reports.measures import Measure
from retrace.reports.report import TableLayout
from retrace.reports.wording import EMPTY

OFFERED: tuple[Measure, ...] = (
    "total",
    "solve",
    "kernel",
    "upload",
    "download",
    "setup",
    "again",
    "lock",
    "prepare",
)
SPREAD = ("1st quartile", "3rd quartile", "trials")
"""What may be shown of a total besides; the page's script knows these words."""


@dataclass(frozen=True)
class Column:
    """A column: its heading, the machine whose numbers it has, whether it is shown at first.

    One with `fills` has no cells: when it is chosen, the page's script fills it with that of the records.
    """

    heading: str
    machine: str = ""
    shown: bool = True
    tip: str = ""
    fills: str = ""


@dataclass(frozen=True)
class ListingRow:
    """A row of a listing: what it is filtered by, and the cells of the columns that have some."""

    graph: str
    solver: str
    whose: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Listing:
    """A table of an experiment."""

    columns: Sequence[Column]
    lines: Sequence[ListingRow]


def listing(frame: Frame, layout: TableLayout, machines: Sequence[str]) -> Listing:
    """List an experiment's frame; the columns of `machines` come in their order."""
    machines = [name for name in machines if name in frame.machines]
    systems = dict.fromkeys((entry.machine, entry.hardware) for entry in frame.printed)
    shown: list[Measure] = list(dict.fromkeys([layout.by, layout.beside]))
    hidden = [*(phase for phase in OFFERED if phase not in shown), *SPREAD]
    compared, doubtful = layout.speed_up, doubts(frame.measured)
    fast = {e.machine for e in frame.measured if e.total and compared and e.solver == compared.of}
    columns = [Column("Solver"), Column("Graph")]
    for machine in machines:
        columns += [Column(_heading(machine, measure), machine) for measure in shown]
        if compared and machine in fast:
            columns.append(Column(f"{machine}: speed-up", machine, tip=f"over {compared.over}"))
    columns += [Column(f"printed: {system} ({hardware})") for system, hardware in systems]
    columns += [Column("Vertices", shown=False), Column("Arcs", shown=False)]
    for machine in machines:
        columns += [Column(_heading(machine, what), machine, shown=False, fills=what) for what in hidden]
    lines = []
    for place, row in enumerate(frame.rows):
        for name, printed in _names(frame, row).items():
            entries = {machine: row.measured.get((machine, name)) for machine in machines}
            first = next(filter(None, (*entries.values(), *printed)))
            cells = [Cell(_title(first, printed)), Cell(row.title, value=place)]
            for machine, entry in entries.items():
                times = [(measure, time_cell(entry, measure, doubtful)) for measure in shown]
                cells += [c if m == shown[-1] or not c.bad else replace(c, text=EMPTY) for m, c in times]
                if compared and machine in fast:
                    over = row.of(machine, compared.over)
                    is_fast = entry is not None and entry.solver == compared.of
                    cells.append(ratio_cell(over, entry) if is_fast else Cell(""))
            for system in systems:
                numbers = [entry for entry in printed if (entry.machine, entry.hardware) == system]
                cell = printed_cell(numbers, layout, " ms")
                text = f"{cell.text} {MARK}" if cell.notes else cell.text
                value = numbers[0].printed.ms if numbers else None
                cells.append(Cell(text, " ".join(cell.notes), value=value))
            cells += [Cell(f"{count:,}", value=count) for count in (first.vertices, first.arcs)]
            lines.append(ListingRow(row.title, first.full_name, first.kind, cells))
    return Listing(columns, lines)


def _heading(machine: str, what: str) -> str:
    return machine if what == "total" else f"{machine}: {what}"


def _names(frame: Frame, row: GraphRow) -> dict[str, list[Printed]]:
    """List what stands in a row of the frame: each measured name with the printed numbers that it repeats."""
    measured = {name for _, name in row.measured}
    repeated = {name: list[Printed]() for name in frame.solvers if name in measured}
    for entry in row.printed:
        names = (name for name in repeated if frame.solvers.get(name, entry).solver == entry.solver)
        repeated.setdefault(next(names, entry.name), []).append(entry)
    return repeated


def _title(entry: Entry, printed: Sequence[Entry]) -> str:
    names = dict.fromkeys(number.name for number in printed if number.name != number.machine)
    name = entry.full_name if entry.record else entry.solver
    return f"{name} ({', '.join(names)})" if names else name
