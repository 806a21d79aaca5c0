"""An experiment as a table to be sorted and filtered: a row for each solver on each graph.

A cell may carry what it is filtered by, the value it is sorted by, and the address of its record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrace.publish.doubts import MARK, doubts
from retrace.publish.record_cards import address
from retrace.publish.tables import TWICE, UNSURE
from retrace.records.machine_check import Doubt
from retrace.records.statistics import LEAST_TRIALS
from retrace.reports.frame import Entry, Frame, GraphRow, Measured, Printed, speed_up
from retrace.reports.measures import Measure
from retrace.reports.report import TableLayout
from retrace.reports.wording import EMPTY, duration, ratio

OFFERED: tuple[Measure, ...] = ("total", "solve", "kernel", "upload", "download", "setup", "again")
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
class Item:
    """A cell: its text, what it is sorted by, the address it leads to, and what more there is to say."""

    text: str = EMPTY
    value: float | None = None
    address: str = ""
    tip: str = ""


@dataclass(frozen=True)
class ListingRow:
    """A row of a listing: what it is filtered by, and the cells of the columns that have some."""

    graph: str
    solver: str
    whose: str
    items: Sequence[Item]


@dataclass(frozen=True)
class Listing:
    """A table of an experiment."""

    columns: Sequence[Column]
    lines: Sequence[ListingRow]


def listing(frame: Frame, layout: TableLayout, machines: Sequence[str]) -> Listing:
    """List an experiment's frame; the columns of `machines` come in their order."""
    machines = [name for name in machines if name in frame.machines]
    systems = dict.fromkeys((entry.machine, entry.hardware) for entry in frame.printed)
    shown: list[Measure] = list(dict.fromkeys([layout.by, "total"]))
    left = [*(phase for phase in OFFERED if phase not in shown), *SPREAD]
    columns = [Column("Solver"), Column("Graph")]
    fast = {
        e.machine for e in frame.measured if e.total and layout.speed_up and e.solver == layout.speed_up.of
    }
    for machine in machines:
        columns += [Column(_heading(machine, measure), machine) for measure in shown]
        if layout.speed_up and machine in fast:
            columns.append(Column(f"{machine}: speed-up", machine, tip=f"over {layout.speed_up.over}"))
    columns += [Column(f"printed: {system} ({hardware})") for system, hardware in systems]
    columns += [Column("Vertices", shown=False), Column("Arcs", shown=False)]
    for machine in machines:
        columns += [Column(_heading(machine, what), machine, shown=False, fills=what) for what in left]
    lines, found = [], doubts(frame.measured)
    for place, row in enumerate(frame.rows):
        for name, printed in _names(frame, row, layout):
            entries = {machine: row.measured.get((machine, name)) for machine in machines}
            first = next(filter(None, (*entries.values(), *printed)))
            items = [Item(_title(first, printed)), Item(row.title, place)]
            for machine in machines:
                items += [_time(entries[machine], measure, found) for measure in shown]
                items += [_speed_up(row, entries[machine], layout)] if machine in fast else []
            items += [_printed(printed, system, layout) for system in systems]
            items += [Item(f"{count:,}", count) for count in (first.vertices, first.arcs)]
            lines.append(ListingRow(row.title, first.full_name, first.kind, items))
    return Listing(columns, lines)


def _heading(machine: str, what: str) -> str:
    return machine if what == "total" else f"{machine}: {what}"


def _names(frame: Frame, row: GraphRow, layout: TableLayout) -> list[tuple[str, list[Printed]]]:
    """List what stands in a row of the frame: each measured name with the printed numbers that it repeats."""
    found = {name: list[Printed]() for name in frame.solvers if any(n == name for _, n in row.measured)}
    for entry in row.printed:
        names = [name for name in found if frame.solvers.get(name, entry).solver == entry.solver]
        found.setdefault(names[0] if names else entry.name, []).append(entry)
    return list(found.items())


def _title(entry: Entry, printed: Sequence[Entry]) -> str:
    names = [one.name for one in printed if one.name != one.machine]
    name = entry.full_name if entry.record else entry.solver
    return f"{name} ({', '.join(dict.fromkeys(names))})" if names else name


def _time(entry: Measured | None, measure: Measure, found: Mapping[str, Sequence[Doubt]]) -> Item:
    if entry is None:
        return Item()
    where, times = address(entry.record), entry.times.get(measure)
    if entry.total is None:
        return Item(entry.outcome if measure == "total" else EMPTY, None, where, entry.record.reason or "")
    if times is None:
        return Item()
    doubtful = found.get(address(entry.record), ())
    tips = [f"doubtful: {doubt.found}" for doubt in doubtful]
    if entry.total.n < LEAST_TRIALS:
        tips.append(f"of {entry.total.n} trials, too few to have quartiles")
    text = duration(times.median)
    return Item(f"{text} {MARK}" if doubtful else text, times.median, where, "; ".join(tips))


def _speed_up(row: GraphRow, fast: Measured | None, layout: TableLayout) -> Item:
    compared = layout.speed_up
    if compared is None or fast is None or fast.solver != compared.of:
        return Item("")
    found = speed_up(row.of(fast.machine, compared.over), fast)
    if found is None:
        return Item()
    sure = "" if found[1] else "cannot be told apart"
    text = ratio(found[0]) if found[1] else f"{UNSURE} {ratio(found[0])}"
    return Item(text, found[0], address(fast.record), sure)


def _printed(printed: Sequence[Printed], system: tuple[str, str], layout: TableLayout) -> Item:
    """Return what a system, known by its name and hardware, prints."""
    numbers = [entry.printed for entry in printed if (entry.machine, entry.hardware) == system]
    if not numbers:
        return Item("")
    unsure = dict.fromkeys(layout.doubts.get(one.doubt, one.doubt) for one in numbers if one.doubt)
    text = TWICE.join(_as_printed(one.text) for one in numbers)
    return Item(f"{text} {MARK}" if unsure else text, numbers[0].ms, tip=" ".join(unsure))


def _as_printed(text: str) -> str:
    """Return a printed number, with the unit if the report's table has it in its head."""
    return f"{text} ms" if text.isdigit() else text
