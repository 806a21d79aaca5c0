"""How often two records of the same work are called different, by the rule and by quartiles alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import quantiles

from retrace.records.ranking import Order, rank
from retrace.records.record import Phase, Record
from retrace.records.repeatability import Repetition, repeated_times
from retrace.records.statistics import LEAST_TRIALS

BY_QUARTILES = 1.02
"""How far medians had to be apart where quartiles of one process decided."""
EARLY_MS = 300.0
"""Trials of less than this take less than a second together."""


def spread(pair: Repetition) -> float:
    """Return the larger median over the smaller."""
    low, high = sorted(summary.median for summary in pair.times)
    return high / low


def called_different(pair: Repetition) -> bool:
    """Return whether the rule says that one time is less, which is wrong."""
    return rank(*pair.times) is not Order.TIE


def apart_by_quartiles(pair: Repetition) -> bool:
    """Return whether quartiles of trials, which know nothing of processes, lie apart, and medians by 2 %."""
    a, b = pair.times
    return (a.q1 > b.q3 or b.q1 > a.q3) and spread(pair) > BY_QUARTILES


@dataclass(frozen=True)
class Repeatability:
    """How many pairs of the same work are called different, and how far they are apart, as ratios."""

    pairs: int
    by_quartiles: int
    """Those that quartiles of one process call different."""
    different: int
    middle: float
    p90: float
    p95: float

    @classmethod
    def of(cls, pairs: Sequence[Repetition]) -> Repeatability | None:
        """Summarise pairs; None if there are none."""
        if not pairs:
            return None
        ratios = [*map(spread, pairs)]
        cuts = quantiles(ratios * 2 if len(ratios) == 1 else ratios, n=20, method="inclusive")
        by_quartiles = sum(map(apart_by_quartiles, pairs))
        different = sum(map(called_different, pairs))
        return cls(len(pairs), by_quartiles, different, cuts[9], cuts[17], cuts[18])


def ended_early(records: Iterable[Record], phase: Phase = "total") -> list[Record]:
    """List records whose trials ended at the least number, although they are short."""
    fewest = (record for record in records if record.timed and len(record.trials) == LEAST_TRIALS)
    timed = ((record, repeated_times(record, phase)) for record in fewest)
    return [record for record, times in timed if times and times.median < EARLY_MS]


def early_beside_full(pairs: Sequence[Repetition]) -> list[bool]:
    """Hold records that ended early against those of the most trials that there are, in pairs of both.

    Return of each pair whether the median of the first lies between the quartiles of the second.
    """
    most = max((times.n for pair in pairs for times in pair.times), default=LEAST_TRIALS)
    both = [times for pair in pairs for times in (pair.times, pair.times[::-1])]
    early = [(few, full) for few, full in both if few.n == LEAST_TRIALS < full.n == most]
    return [full.q1 <= few.median <= full.q3 for few, full in early if few.median < EARLY_MS]
