"""An experiment as a table to be filtered and ranked: a row for each solver on each graph and machine.

Each time stands beside the best of its graph and machine, by `records.ranking`: the page's script shows and
orders what is here, and computes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
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
    times: Sequence[Cell]
    printed: Sequence[Cell]


@dataclass(frozen=True)
class Listing:
    """The table of an experiment's frame: its columns are measures and printed systems."""

    frame: Frame
    layout: TableLayout
    elsewhere: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Graphs that have no row here, each with the experiments that have it."""

    @cached_property
    def rows(self) -> list[ListingRow]:
        """The rows by graph, that of most work first, and by machine, the best first."""
        graphs = sorted(self.frame.rows, key=lambda row: row.first.work, reverse=True)
        machines = self.frame.machines or [""]
        places = product(enumerate(graphs), machines)
        return [line for (place, row), machine in places for line in self._lines(place, row, machine)]

    @cached_property
    def systems(self) -> list[tuple[str, str]]:
        """The printed systems, with their hardware."""
        return list(dict.fromkeys((entry.machine, entry.hardware) for entry in self.frame.printed))

    @cached_property
    def measures(self) -> list[Measure]:
        """What the table shows, and those of the offered measures that any record has."""
        timed = {measure for entry in self.frame.measured for measure in entry.times}
        shown: list[Measure] = list(dict.fromkeys([*OFFERED, self.layout.by, self.layout.beside]))
        return [measure for measure in shown if measure in timed]

    @cached_property
    def _doubtful(self) -> Mapping[str, Sequence[Doubt]]:
        return doubts(self.frame.measured)

    @cached_property
    def _largest(self) -> dict[str, str]:
        """The row of each machine's largest graph, with the pair that is printed."""
        entries = [(entry, row) for row in self.frame.rows for entry in row.measured.values()]
        timed = [(entry, row) for entry, row in entries if entry.total and entry.pair == PRINTED_PAIR]
        timed.sort(key=lambda one: one[0].work)
        return {entry.machine: row.title for entry, row in timed}

    def _lines(self, place: int, row: GraphRow, machine: str) -> Iterator[ListingRow]:
        """Yield what a machine measured of a graph, the best first, then what is printed alone."""
        here = row.here(machine)
        best = {measure: quickest(here, measure) for measure in self.measures}
        named = _names(self.frame, row).items()
        every = [(row.measured.get((machine, name)), printed) for name, printed in named]
        every.sort(key=lambda one: _median(one[0], self.layout.by))
        for entry, printed in every:
            if not (first := entry or next(iter(printed), None)):
                continue
            why = self._doubtful.get(address(entry.record), ()) if entry else ()
            yield ListingRow(
                machine=machine,
                graph=row.first.graph,
                on=row.title,
                place=place,
                is_largest=row.title == self._largest.get(machine, row.title),
                solver=first.full_name,
                title=_title(first, printed),
                address=address(entry.record) if entry else "",
                tip="; ".join(f"doubtful: {doubt.found}" for doubt in why),
                times=[*self._times(entry, best)],
                printed=[self._printed(printed, system) for system in self.systems],
            )

    def _times(self, entry: Measured | None, best: Mapping[Measure, Measured | None]) -> Iterator[Cell]:
        """Yield a cell of each measure; what came of a record without times stands in the first alone."""
        for place, measure in enumerate(self.measures):
            cell = time_cell(entry, measure, self._doubtful)
            yield beside_best(Cell("") if cell.bad and place else cell, best[measure], measure)

    def _printed(self, printed: Sequence[Printed], system: tuple[str, str]) -> Cell:
        numbers = [entry for entry in printed if (entry.machine, entry.hardware) == system]
        cell = printed_cell(numbers, self.layout, " ms")
        text = f"{cell.text} {MARK}" if cell.notes else cell.text
        return Cell(text, " ".join(cell.notes), value=numbers[0].printed.ms if numbers else None)


def beside_best(cell: Cell, best: Measured | None, measure: Measure) -> Cell:
    """Set a time beside the best one, as far as both compare."""
    if best is None or cell.entry is None or cell.times is None or not best.times[measure].minimum:
        return cell
    least = best.times[measure]
    if cell.entry is not best and why_incomparable(cell.entry, best) is not None:
        return cell
    if cell.entry is best or is_among_best(cell.times, least):
        return replace(cell, step=0, best=True)
    over = cell.times.median / least.median
    return replace(cell, over=speed(1 / over), step=sum(over > step for step in SHADES))


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
