"""An experiment as a table to be filtered and ranked: a row for each solver on each graph and machine.

Each time stands beside the best of its graph and machine, by `records.ranking`: the page's script shows and
orders what is here, and computes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

from retrace.publish.doubts import doubts
from retrace.publish.page import MARK, Cell
from retrace.publish.panel import quickest
from retrace.publish.record_cards import address
from retrace.publish.tables import printed_cell, time_cell
from retrace.records.machine_check import Doubt
from retrace.records.ranking import is_among_best
from retrace.reports.frame import PRINTED_PAIR, Entry, Frame, GraphRow, Measured, Printed, why_incomparable
from retrace.reports.measures import Measure
from retrace.reports.report import TableLayout
from retrace.reports.wording import speed

OFFERED: tuple[Measure, ...] = ("first search", "resident", "total", "energy")
"""The measures by which a reader may rank every table."""
SHADES = (1.0, 1.5, 3.0, 10.0)
"""The ratios to the best up to which a cell has the first colour, the second and so on."""


@dataclass(frozen=True)
class RankedCell:
    """A time, how much slower than the best it is, and its colour; both are empty of what has no best.

    `best` are the least and those near it that cannot be told from it.
    """

    cell: Cell = field(default_factory=Cell)
    over: str = ""
    step: int | None = None
    best: bool = False


@dataclass(frozen=True)
class ListingRow:
    """A solver on a graph: a record of a machine, or printed numbers alone; then its address is empty."""

    machine: str
    graph: str
    on: str
    """The graph, with what is asked of it and what makes it another one."""
    place: int
    """The graph's, the one of most work first."""
    is_largest: bool
    """Whether no graph that the machine has timed here is larger."""
    solver: str
    title: str
    address: str
    tip: str
    times: Sequence[RankedCell]
    printed: Sequence[Cell]


@dataclass(frozen=True)
class Listing:
    """A table of an experiment: its columns are measures and printed systems; `by` ranks it at first."""

    by: Measure
    measures: Sequence[Measure]
    systems: Sequence[str]
    rows: Sequence[ListingRow]
    remarks: Sequence[str] = ()
    elsewhere: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Graphs that have no row here, each with the experiments that have it."""


def listing(
    frame: Frame, layout: TableLayout, elsewhere: Mapping[str, Sequence[str]] | None = None
) -> Listing:
    """List an experiment's frame; `elsewhere` are graphs that only other experiments have."""
    listed = _Listed(frame, layout)
    graphs = sorted(frame.rows, key=lambda row: row.first.work, reverse=True)
    rows = [line for place, row in enumerate(graphs) for machine in frame.machines or [""]
            for line in listed.lines(place, row, machine)]  # fmt: skip
    systems = [f"{system} ({hardware})" for system, hardware in listed.systems]
    return Listing(layout.by, listed.measures, systems, rows, layout.remarks, elsewhere or {})


@dataclass(frozen=True)
class _Listed:
    frame: Frame
    layout: TableLayout

    @cached_property
    def systems(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((entry.machine, entry.hardware) for entry in self.frame.printed))

    @cached_property
    def measures(self) -> list[Measure]:
        """What the table shows, and those of the offered measures that any record has."""
        timed = {measure for entry in self.frame.measured for measure in entry.times}
        shown: list[Measure] = list(dict.fromkeys([*OFFERED, self.layout.by, self.layout.beside]))
        return [measure for measure in shown if measure in timed]

    @cached_property
    def doubtful(self) -> Mapping[str, Sequence[Doubt]]:
        return doubts(self.frame.measured)

    @cached_property
    def largest(self) -> dict[str, str]:
        """The row of each machine's largest graph, with the pair that is printed."""
        entries = [(entry, row) for row in self.frame.rows for entry in row.measured.values()]
        timed = [(entry, row) for entry, row in entries if entry.total and entry.pair == PRINTED_PAIR]
        timed.sort(key=lambda one: one[0].work)
        return {entry.machine: row.title for entry, row in timed}

    def lines(self, place: int, row: GraphRow, machine: str) -> Iterator[ListingRow]:
        """Yield what a machine measured of a graph, the best first, then what is printed alone."""
        here = row.here(machine)
        best = {measure: quickest(here, measure) for measure in self.measures}
        named = _names(self.frame, row).items()
        every = [(row.measured.get((machine, name)), printed) for name, printed in named]
        every.sort(key=lambda one: _median(one[0], self.layout.by))
        for entry, printed in every:
            if not (first := entry or next(iter(printed), None)):
                continue
            why = self.doubtful.get(address(entry.record), ()) if entry else ()
            yield ListingRow(
                machine=machine,
                graph=row.first.graph,
                on=row.title,
                place=place,
                is_largest=row.title == self.largest.get(machine, row.title),
                solver=first.full_name,
                title=_title(first, printed),
                address=address(entry.record) if entry else "",
                tip="; ".join(f"doubtful: {doubt.found}" for doubt in why),
                times=[*self.times(entry, best)],
                printed=[self.printed(printed, system) for system in self.systems],
            )

    def times(self, entry: Measured | None, best: Mapping[Measure, Measured | None]) -> Iterator[RankedCell]:
        """Yield a cell of each measure; what came of a record without times stands in the first alone."""
        for place, measure in enumerate(self.measures):
            cell = time_cell(entry, measure, self.doubtful)
            yield beside_best(Cell("") if cell.bad and place else cell, best[measure], measure)

    def printed(self, printed: Sequence[Printed], system: tuple[str, str]) -> Cell:
        numbers = [entry for entry in printed if (entry.machine, entry.hardware) == system]
        cell = printed_cell(numbers, self.layout, " ms")
        text = f"{cell.text} {MARK}" if cell.notes else cell.text
        return Cell(text, " ".join(cell.notes), value=numbers[0].printed.ms if numbers else None)


def beside_best(cell: Cell, best: Measured | None, measure: Measure) -> RankedCell:
    """Set a time beside the best one, as far as both compare."""
    if best is None or cell.entry is None or cell.times is None or not best.times[measure].minimum:
        return RankedCell(cell)
    if cell.entry is best:
        return RankedCell(cell, "", 0, best=True)
    if why_incomparable(cell.entry, best) is not None:
        return RankedCell(cell)
    least = best.times[measure]
    over = cell.times.median / least.median
    if is_among_best(cell.times, least):
        return RankedCell(cell, "", 0, best=True)
    return RankedCell(cell, speed(1 / over), sum(over > step for step in SHADES))


def _median(entry: Measured | None, measure: Measure) -> float:
    return entry.times[measure].median if entry and measure in entry.times else inf


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
