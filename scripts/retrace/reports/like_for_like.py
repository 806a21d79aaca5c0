"""Who is fastest by the same measure on both sides, and what searches cost with a graph's preparation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor

from retrace.records.ranking import is_among_best
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

    Scores in single precision do not count: published kernels are measured in double. Of ours that cannot be
    told from the fastest, the one with the least first search is shown.
    """
    double = [entry for entry in entries if isinstance(entry, Measured) and not in_single_precision(entry)]
    if (ours := fastest(filter(is_ours, double), measure)) is None:
        return None
    like_it = [e for e in filter(is_ours, double) if is_as_fast(e, ours, measure) and FIRST in e.times]
    ours = min(like_it, key=lambda entry: entry.times[FIRST].median, default=ours)
    alike = [entry for entry in double if why_incomparable(entry, ours) is None]
    library = fastest((entry for entry in alike if entry.kind == "library"), measure)
    published = fastest((entry for entry in alike if entry.is_published_kernel), measure)
    return Contenders(measure, ours, published, library)


def is_as_fast(entry: Measured, other: Measured, measure: Measure) -> bool:
    """Return whether an entry of enough trials is near another and cannot be told from it, or is it."""
    both = [one.times[measure] for one in (entry, other) if measure in one.times]
    if entry is other or len(both) < 2 or not both[0].enough:
        return entry is other
    least, most = sorted(both, key=lambda times: times.median)
    return is_among_best(most, least)


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
    return _written(mine.ahead_from(others), others.is_bound)


def least_from(entry: Measured, entries: Iterable[Measured]) -> str:
    """Say from which number of searches on all of them cost less than any other's; empty if unknown.

    What does not compare is left out, and what is as fast in a further search, so that no number is ever
    enough to tell.
    """
    others = [e for e in entries if not entry.differences(e)]
    mine, costs = Cost.of(entry), _costs_of_rivals(entry, others).values()
    least = min((cost.per_source(1) for cost in costs), default=0.0)
    if mine is None or mine.is_bound or _has_unknown(others, least):
        return ""
    latest, is_bound = 1, False
    for cost in costs:
        number = None if cost.each < mine.each else mine.ahead_from(cost)
        if number is None:
            return _written(None)
        latest, is_bound = max((latest, is_bound), (number, cost.is_bound))
    return _written(latest, is_bound)


def least_in_turn(last: Measured, entries: Iterable[Measured]) -> list[tuple[int, Measured]]:
    """List what costs least in all from which number of searches on, up to the last, which stays the least.

    It is empty if `least_from` knows no such number.
    """
    others = [e for e in entries if not last.differences(e)]
    number, mine = least_from(last, others), Cost.of(last)
    if mine is None or not number.isdecimal():
        return []
    costs = {**_costs_of_rivals(last, others), last: mine}
    turns: list[tuple[int, Measured]] = []
    for searches in range(1, int(number) + 1):
        least = min(costs, key=lambda entry: costs[entry].per_source(searches))
        if not turns or turns[-1][1] is not least:
            turns.append((searches, least))
    return turns


def least_by_number(entries: Sequence[Measured]) -> dict[Measured, str]:
    """Say for how many searches each costs less in all than any other, of those that ever do."""
    repeated = sorted((e for e in entries if RESIDENT in e.times), key=lambda e: e.times[RESIDENT].median)
    compared = (e for e in repeated if any(o is not e and not e.differences(o) for o in entries))
    if (last := next(compared, None)) is None:
        return {}
    if not (turns := least_in_turn(last, entries)):
        return {last: least_from(last, entries)}
    ends = [(number, later - 1) for (number, _), (later, _) in pairwise(turns)]
    spans = [f"{number} to {end}" if number < end else f"{end}" for number, end in ends]
    return dict(zip((entry for _, entry in turns), [*spans, f"from {turns[-1][0]}"], strict=True))


def _costs_of_rivals(entry: Measured, others: Iterable[Measured]) -> dict[Measured, Cost]:
    """Return the costs that are known of others, but of what is as fast in a further search."""
    rivals = (e for e in others if not is_as_fast(e, entry, RESIDENT))
    return {rival: cost for rival in rivals if (cost := Cost.of(rival))}


def _written(ahead: int | None, is_bound: bool = False) -> str:
    """Write a number of searches, which is a bound if the other's further ones are."""
    if ahead is None or ahead > MANY:
        return "never" if ahead is None else f"> {MANY:,}"
    return f"≥ {ahead:,}" if ahead > 1 and is_bound else f"{ahead:,}"


def _has_unknown(others: Iterable[Measured], least: float) -> bool:
    """Return whether one of which the total alone is known may take less for a first search."""
    return any(e.total.median < least for e in others if e.total and FIRST not in e.times)


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
