"""Who is fastest by the same measure on both sides, and what searches cost with a graph's preparation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor

from retrace.reports.frame import Entry, Measured, fastest, why_incomparable
from retrace.reports.measures import Measure
from retrace.reports.report import TableLayout

FIRST: Measure = "first search"
RESIDENT: Measure = "resident"
SHOWN_TODAY = (FIRST, RESIDENT)
"""What tables and figures of today show: all that a first search pays, and a further one on what is there."""
MANY = 1000
"""Searches of one graph that pay for anything."""
CHOICE = "auto"
"""The solver of ours that chooses another."""


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


def contenders(measure: Measure, entries: Sequence[Entry]) -> Contenders | None:
    """Find them among the entries of a graph and machine; None if none is ours, or it cannot be told.

    Scores in single precision do not count: published kernels are measured in double.
    """
    double = [entry for entry in entries if isinstance(entry, Measured) and not in_single_precision(entry)]
    if (ours := fastest(filter(is_ours, double), measure)) is None:
        return None
    alike = [entry for entry in double if why_incomparable(entry, ours) is None]
    library = fastest((entry for entry in alike if entry.kind == "library"), measure)
    published = fastest((entry for entry in alike if entry.is_published_kernel), measure)
    return Contenders(measure, ours, published, library)


def in_single_precision(entry: Measured) -> bool:
    """Return whether a record's scores are sums in single precision."""
    return entry.record.parameters.get("precision") == "float"


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


def is_ours(entry: Entry) -> bool:
    """Return whether a solver is ours."""
    return entry.group == "ours"


def is_search(entry: Entry) -> bool:
    """Whether a trial answers one question, of which there may be others about the same graph."""
    return entry.record is not None and entry.record.problem not in ("betweenness", "limits")
