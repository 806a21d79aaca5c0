"""Who is how much faster, by the same measure on both sides, and with the preparation of a graph counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import floor

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.records.ranking import Order, rank
from retrace.reports.frame import Entry, Frame, GraphRow, Measured, fastest, why_incomparable
from retrace.reports.measures import Measure
from retrace.reports.report import TableLayout

FIRST: Measure = "first search"
RESIDENT: Measure = "resident"
SHOWN_TODAY = (FIRST, RESIDENT)
"""What tables and figures of today show: all that a first search pays, and a further one on what is there."""
MANY = 1000
"""Searches of one graph that pay for anything."""
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
    """Find them among the entries of a graph and machine; None if none is ours, or it cannot be told.

    Scores in single precision do not count: published kernels are measured in double.
    """
    double = [entry for entry in entries if isinstance(entry, Measured) and not _in_single_precision(entry)]
    if (ours := fastest(filter(is_ours, double), measure)) is None:
        return None
    alike = [entry for entry in double if why_incomparable(entry, ours) is None]
    library = fastest((entry for entry in alike if entry.kind == "library"), measure)
    published = fastest((entry for entry in alike if entry.is_published_kernel), measure)
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

    @property
    def mixed(self) -> tuple[float | None, float | None]:
        """Return what the published kernel and the library take over ours if warm stands beside cold.

        That is a fault, kept as a number of the audit: each takes a further search if one was timed, else the
        first solve.
        """
        if (compared := self.by("solve")) is None:
            return None, None
        double = [entry for entry in self.entries if not _in_single_precision(entry)]
        alike = [entry for entry in double if why_incomparable(entry, compared.ours) is None]
        least = [
            min((e.times.get(RESIDENT, e.times["solve"]).median for e in alike if counts(e)), default=None)
            for counts in (is_ours, lambda e: e.is_published_kernel, lambda e: e.kind == "library")
        ]
        ours, published, library = least
        return published and ours and published / ours, library and ours and library / ours


def today(frame: Frame) -> list[Today]:
    """List the graphs and machines of all tables that show first searches beside published kernels."""
    shown = {e.experiment: e.layout for e in frame.measured if e.layout.by == FIRST}
    with_published = [name for name, layout in shown.items() if "published" in layout.groups]
    every = [
        Today(name, machine, row)
        for name in with_published
        for row in frame.of(name).rows
        for machine in frame.machines
    ]
    return [one for one in every if one.by(FIRST)]


@dataclass(frozen=True)
class Overtaken:
    """The fastest by the solve on a graph, what takes less in total, and the published kernel that does."""

    machine: str
    graph: str
    shown: Measured
    in_total: Measured
    published: Measured | None


def overtaken(frame: Frame) -> Iterator[Overtaken]:
    """Yield, of all tables that rank solvers, where the fastest by the solve is another in total."""
    ranked = dict.fromkeys(e.experiment for e in frame.measured if e.layout.rows == "ranked")
    for experiment in ranked:
        for row, machine in product(frame.of(experiment).rows, frame.machines):
            timed = [entry for entry in row.here(machine) if entry.total and entry.record.problem != "limits"]
            shown = fastest((entry for entry in timed if not _in_single_precision(entry)), "solve")
            if shown is None:
                continue
            alike = [e for e in timed if not _in_single_precision(e) and not shown.differences(e)]
            in_total = min(alike, key=lambda entry: entry.times["total"].median)
            if rank(in_total.times["total"], shown.times["total"]) is Order.LESS:
                published = fastest((e for e in alike if e.is_published_kernel), "total")
                yield Overtaken(machine, row.title, shown, in_total, published)


@dataclass(frozen=True)
class Turned:
    """Two records of one graph and machine, of which one takes less by a measure, and more by another."""

    first: Measured
    second: Measured


def turned(row: Sequence[Measured], one: Measure, other: Measure) -> Iterator[Turned]:
    """Yield the pairs whose order by one measure is the reverse of that by another, both for sure."""
    both = [entry for entry in row if one in entry.times and other in entry.times]
    for a, b in combinations(both, 2):
        orders = {rank(a.times[measure], b.times[measure]) for measure in (one, other)}
        if orders == {Order.LESS, Order.MORE} and why_incomparable(a, b) is None:
            less = rank(a.times[one], b.times[one]) is Order.LESS
            yield Turned(*((a, b) if less else (b, a)))


def warm_over_cold(entries: Iterable[Measured]) -> list[float]:
    """Return `again` over `solve` of each record that has both, by the medians."""
    timed = [entry.times for entry in entries if "again" in entry.times]
    return [times["again"].median / times["solve"].median for times in timed if times["solve"].median]


@dataclass(frozen=True)
class Cost:
    """What sources of one graph cost in ms: once, and for each."""

    once: float
    each: float
    is_bound: bool = False
    """Whether no further search was timed, so that each is taken to be as the first: it costs no more."""

    @classmethod
    def of(cls, entry: Measured, by: Measure = FIRST) -> Cost | None:
        """Split a first search and n - 1 further ones with their downloads by n; None without the first."""
        times = entry.times
        if by not in times:
            return None
        further = times.get(RESIDENT, times["solve"])
        each = further.median + times["download"].median
        return cls(times[by].median - each, each, RESIDENT not in times)

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


def break_even(entry: Measured, other: Measured | None, by: Measure = FIRST) -> str:
    """Say from which number of searches on all of them cost less than another solver's; empty if unknown.

    If no further search of the other was timed, it is that number or a later one. Beyond `MANY` the
    difference of both is too small to be told.
    """
    mine, others = Cost.of(entry, by), Cost.of(other, by) if other else None
    if mine is None or others is None or mine.is_bound:
        return ""
    ahead = mine.ahead_from(others)
    if ahead is None or ahead > MANY:
        return "never" if ahead is None else f"> {MANY:,}"
    return f"≥ {ahead:,}" if ahead > 1 and others.is_bound else f"{ahead:,}"


def best_other(entry: Measured, entries: Iterable[Measured]) -> Measured | None:
    """Return what takes least for the first search of all others that compare with an entry.

    None if another may take less, of which its total alone is known.
    """
    others = [e for e in entries if e is not entry and e.total and not entry.differences(e)]
    known = (other for other in others if FIRST in other.times)
    least = min(known, key=lambda other: other.times[FIRST].median, default=None)
    unknown = (other.total.median for other in others if FIRST not in other.times and other.total)
    return None if least and any(ms < least.times[FIRST].median for ms in unknown) else least


def order_by(layout: TableLayout, entries: Sequence[Measured]) -> Measure:
    """Return what a table's rows are ordered by: the resident time if it shows that and all have it."""
    all_have = all(RESIDENT in entry.times for entry in entries if entry.times)
    return RESIDENT if layout.beside == RESIDENT and all_have else layout.by


@dataclass(frozen=True)
class Preparation:
    """Sources of one graph on a machine: the kernel that the page shows beside what else there is."""

    today: Today
    shown: Measured

    @classmethod
    def of(cls, one: Today) -> Preparation | None:
        """Return it for searches; None for betweenness, of which a trial has all sources."""
        compared = one.by(RESIDENT)
        return cls(one, compared.ours) if compared and is_search(compared.ours) else None

    @property
    def alike(self) -> list[Measured]:
        """The records of the same host and commit as the kernel that is shown."""
        return [entry for entry in self.today.entries if not self.shown.differences(entry)]

    def cheapest(self, sources: int, counts: Callable[[Measured], bool]) -> Measured | None:
        """Return the record that takes least for so many sources, of those that count."""
        costs = [(cost.per_source(sources), e) for e in self.alike if counts(e) and (cost := Cost.of(e))]
        return min(costs, key=lambda one: one[0], default=(0.0, None))[1]

    @property
    def choice(self) -> Measured | None:
        """The solver that chooses, with its own settings."""
        chosen = (e for e in self.alike if _variant(e) == CHOICE and _is_default(e))
        return next(chosen, None)

    @property
    def peer(self) -> Measured | None:
        """The library that is compared with, on all cores."""
        return next((entry for entry in self.alike if _variant(entry) == PEER), None)


def is_ours(entry: Entry) -> bool:
    """Return whether a solver is ours."""
    return entry.group == "ours"


def is_search(entry: Entry) -> bool:
    """Whether a trial answers one question, of which there may be others about the same graph."""
    return entry.record is not None and entry.record.problem not in ("betweenness", "limits")


def is_on_one_core(entry: Measured) -> bool:
    """Return whether a solver ran on one core."""
    return entry.record.cores == 1


def _variant(entry: Entry) -> str:
    return entry.solver.split("/")[1]


def _is_default(entry: Measured) -> bool:
    usual = CATALOGUE.find(entry.solver).defaults
    return all(usual.get(key, value) == value for key, value in entry.record.parameters.items())
