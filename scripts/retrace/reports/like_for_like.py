"""Who is how much faster, by the same measure on both sides, and with the preparation of a graph counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import floor
from typing import Any

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.ranking import Order, rank
from retrace.reports.frame import Entry, Frame, GraphRow, Measured, speed_up
from retrace.reports.measures import Measure

SHOWN_TODAY: Measure = "resident"
"""What the tables of today show: warm solves of those that can solve again, one cold solve of all others."""
WITHOUT_COPIES: tuple[Measure, ...] = (SHOWN_TODAY, "solve")
"""Times that tables show of a search, without the copies that a total has."""
CHOICE, PEER = "auto", "gapbs"
"""The solver of ours that chooses another, and the library that is compared with."""


@dataclass(frozen=True)
class Contenders:
    """The fastest of ours by a measure, and of the published kernels and libraries that compare with it."""

    measure: Measure
    ours: Measured
    published: Measured | None
    library: Measured | None

    def over(self, other: Entry | None) -> float | None:
        """Return how many times as long another takes; None if there is none."""
        if other is None:
            return None
        return other.times[self.measure].median / self.ours.times[self.measure].median

    @property
    def fewest_trials(self) -> int:
        """The number of trials of the one with the fewest."""
        every = (self.ours, self.published, self.library)
        return min(entry.times[self.measure].n for entry in every if entry)


def contenders(measure: Measure, entries: Sequence[Entry]) -> Contenders | None:
    """Find them among the entries of a graph and machine; None if none is ours.

    Scores in single precision do not count: published kernels are measured in double.
    """
    measured = [entry for entry in entries if isinstance(entry, Measured) and measure in entry.times]
    double = [entry for entry in measured if not _in_single_precision(entry)]

    def fastest(some: Iterable[Measured]) -> Measured | None:
        return min(some, key=lambda entry: entry.times[measure].median, default=None)

    ours = fastest(entry for entry in double if entry.group == "ours")
    if ours is None:
        return None
    alike = [entry for entry in double if speed_up(entry, ours, measure)]
    library = fastest(entry for entry in alike if entry.kind == "library")
    published = fastest(entry for entry in alike if entry.is_published_kernel)
    return Contenders(measure, ours, published, library)


def _in_single_precision(entry: Measured) -> bool:
    return entry.record.parameters.get("precision") == "float"


@dataclass(frozen=True)
class Today:
    """What a machine measured on a graph of a table of today."""

    experiment: str
    machine: str
    row: GraphRow

    @property
    def entries(self) -> list[Measured]:
        """Its records with times."""
        return [entry for entry in self.row.here(self.machine) if entry.total]

    def by(self, measure: Measure) -> Contenders | None:
        """Return who is compared by a measure, the fastest by that same measure on each side."""
        return contenders(measure, self.entries)


def today(frame: Frame) -> list[Today]:
    """List the graphs and machines of all tables that show warm solves beside published kernels."""
    shown = {e.experiment: e.layout for e in frame.measured if e.layout.by == SHOWN_TODAY}
    with_published = [name for name, layout in shown.items() if "published" in layout.groups]
    every = [
        Today(name, machine, row)
        for name in with_published
        for row in frame.of(name).rows
        for machine in frame.machines
    ]
    return [one for one in every if one.by(SHOWN_TODAY)]


@dataclass(frozen=True)
class Overtaken:
    """The fastest on a graph by the time that a table shows, and what takes less in total."""

    machine: str
    graph: str
    shown: Measured
    in_total: Measured


def overtaken(frame: Frame) -> Iterator[Overtaken]:
    """Yield, of all tables that show another time than the total, where the fastest in total is another."""
    for experiment in dict.fromkeys(e.experiment for e in frame.measured if e.layout.by in WITHOUT_COPIES):
        for row, machine in product(frame.of(experiment).rows, frame.machines):
            timed = [entry for entry in row.here(machine) if entry.layout.by in entry.times]
            double = [entry for entry in timed if not _in_single_precision(entry)]
            if not double:
                continue
            shown = min(double, key=lambda entry: entry.times[entry.layout.by].median)
            alike = [entry for entry in double if not shown.differences(entry)]
            in_total = min(alike, key=lambda entry: entry.times["total"].median)
            if rank(in_total.times["total"], shown.times["total"]) is Order.LESS:
                yield Overtaken(machine, row.title, shown, in_total)


def warm_over_cold(entries: Iterable[Measured]) -> list[float]:
    """Return `again` over `solve` of each record that has both, by the medians."""
    timed = [entry.times for entry in entries if "again" in entry.times]
    return [times["again"].median / times["solve"].median for times in timed if times["solve"].median]


@dataclass(frozen=True)
class Cost:
    """What sources of one graph cost in ms: once, and for each."""

    once: float
    each: float

    @classmethod
    def of(cls, entry: Measured, with_setup: bool = False) -> Cost:
        """Split upload + solve + (n - 1) resident + n downloads by n; add a timed setup if asked for."""
        ms: dict[Any, float] = {phase: times.median for phase, times in entry.times.items()}
        setup = ms.get("setup", 0.0) if with_setup else 0.0
        once = setup + ms["upload"] + ms["solve"] - ms["resident"]
        return cls(once, ms["resident"] + ms["download"])

    def per_source(self, sources: int) -> float:
        """Return ms per source."""
        return self.once / sources + self.each

    def ahead_from(self, other: Cost) -> int | None:
        """Return the least number of sources that cost less than another solver's; None if none do."""
        if self.per_source(1) < other.per_source(1):
            return 1
        if self.each >= other.each:
            return None
        return floor((self.once - other.once) / (other.each - self.each)) + 1


@dataclass(frozen=True)
class Preparation:
    """Sources of one graph on a machine: the kernel that the page shows beside what else there is."""

    today: Today
    shown: Measured

    @classmethod
    def of(cls, one: Today) -> Preparation | None:
        """Return it for problems of one source; None for others."""
        fastest = one.by(SHOWN_TODAY)
        has_source = fastest is not None and fastest.ours.record.source is not None
        return cls(one, fastest.ours) if fastest and has_source else None

    @property
    def alike(self) -> list[Measured]:
        """The records of the same host and commit as the kernel that is shown."""
        return [entry for entry in self.today.entries if not self.shown.differences(entry)]

    def cheapest(self, sources: int, counts: Callable[[Measured], bool]) -> Measured | None:
        """Return the record that takes least for so many sources, of those that count."""
        some = filter(counts, self.alike)
        return min(some, key=lambda entry: Cost.of(entry).per_source(sources), default=None)

    @property
    def choice(self) -> Measured | None:
        """The solver that chooses, with its own settings."""
        chosen = (e for e in self.alike if _variant(e) == CHOICE and _is_default(e))
        return next(chosen, None)

    @property
    def peer(self) -> Measured | None:
        """The library that is compared with, on all cores."""
        return next((entry for entry in self.alike if _variant(entry) == PEER), None)

    def ahead_from(self, with_setup: bool = False) -> int | None:
        """Return the least number of sources that cost less than with the library; None if none do."""
        return Cost.of(self.shown).ahead_from(Cost.of(self.peer, with_setup)) if self.peer else None


def is_ours(entry: Entry) -> bool:
    """Return whether a solver is ours."""
    return entry.group == "ours"


def is_on_one_core(entry: Measured) -> bool:
    """Return whether a solver ran on one core."""
    return entry.record.cores == 1


def _variant(entry: Entry) -> str:
    return entry.solver.split("/")[1]


def _is_default(entry: Measured) -> bool:
    usual = CATALOGUE.find(entry.solver).defaults
    return all(usual.get(key, value) == value for key, value in entry.record.parameters.items())
