"""What rests on few trials: records, and rankings of their experiments."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from retrace.records.ranking import Order, rank
from retrace.records.record import Record
from retrace.records.statistics import ENOUGH, LEAST_TRIALS
from retrace.reports.frame import Frame, Measured, why_incomparable


def with_few_trials(records: Iterable[Record]) -> list[Record]:
    """List the records that have answers of fewer trials."""
    return [record for record in records if record.status == "ok" and len(record.trials) < ENOUGH]


@dataclass(frozen=True)
class FewTrials:
    """Records of one graph with too few trials for quartiles, and how many rankings rest on them."""

    experiment: str
    machine: str
    graph: str
    few: list[Measured]
    rankings: int


def ranked_by_few(frame: Frame) -> Iterator[FewTrials]:
    """Yield, by experiment, graph and machine, what is ranked by fewer trials than quartiles need.

    A ranking is a pair of solvers that the rule tells apart by what the experiment's table shows.
    """
    for experiment in dict.fromkeys(entry.experiment for entry in frame.measured):
        for row in frame.of(experiment).rows:
            for machine in frame.machines:
                timed = [entry for entry in row.here(machine) if entry.layout.by in entry.times]
                few = [entry for entry in timed if entry.times[entry.layout.by].n < LEAST_TRIALS]
                pairs = [pair for pair in combinations(timed, 2) if pair[0] in few or pair[1] in few]
                rankings = sum(_told_apart(*pair) for pair in pairs)
                if few:
                    yield FewTrials(experiment, machine, row.title, few, rankings)


def _told_apart(a: Measured, b: Measured) -> bool:
    first, second = (entry.times[entry.layout.by] for entry in (a, b))
    return why_incomparable(a, b) is None and rank(first, second) is not Order.TIE
