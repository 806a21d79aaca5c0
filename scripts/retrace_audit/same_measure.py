"""Who is how much faster where both sides have the same measure, and what another measure turns round."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from retrace.records.ranking import Order, rank
from retrace.reports.frame import Frame, GraphRow, Measured, fastest, why_incomparable
from retrace.reports.like_for_like import (
    FIRST,
    RESIDENT,
    Contenders,
    contenders,
    in_single_precision,
    is_ours,
)
from retrace.reports.measures import Measure


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
        double = [entry for entry in self.entries if not in_single_precision(entry)]
        alike = [entry for entry in double if why_incomparable(entry, compared.ours) is None]
        least = [
            min((e.times.get(RESIDENT, e.times["solve"]).median for e in alike if counts(e)), default=None)
            for counts in (is_ours, lambda e: e.is_published_kernel, lambda e: e.kind == "library")
        ]
        ours, published, library = least
        return published and ours and published / ours, library and ours and library / ours


def fewest_trials(compared: Contenders) -> int:
    """Return the number of trials of the one with the fewest."""
    every = (compared.ours, compared.published, compared.library)
    return min(entry.times[compared.measure].n for entry in every if entry)


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
            shown = fastest((entry for entry in timed if not in_single_precision(entry)), "solve")
            if shown is None:
                continue
            alike = [e for e in timed if not in_single_precision(e) and not shown.differences(e)]
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
