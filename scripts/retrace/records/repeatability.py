"""How far a time is from itself: the same solver on the same graph, measured in two experiments."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import floor
from statistics import median
from typing import Self

import numpy as np

from retrace.records.record import Phase, Record
from retrace.records.statistics import LEAST_TRIALS, Order, Summary, rank

FALSE_ALARMS = 0.05
"""The share of pairs of the same work that a rule may call different: a test's usual level."""
EARLY_MS = 300.0
"""Trials of less than this take less than the second that ends them: narrow quartiles ended three of them."""


@dataclass(frozen=True)
class Repetition:
    """A phase of two records of the same work: the medians ought to be equal."""

    first: Record
    second: Record
    times: tuple[Summary, Summary]

    @property
    def ratio(self) -> float:
        """The larger median over the smaller."""
        low, high = sorted(summary.median for summary in self.times)
        return high / low

    @property
    def different(self) -> bool:
        """Whether the rule says that one time is less, which is wrong."""
        return rank(*self.times) is not Order.TIE


def repetitions(records: Iterable[Record], phase: Phase) -> list[Repetition]:
    """Pair the records of the same work of two experiments, if each has enough trials for quartiles.

    The same are: solver, settings, question, graph (sha256), backend, machine, host and commit.
    """
    same: dict[tuple[object, ...], list[Record]] = defaultdict(list)
    for record in records:
        if record.timed:
            place = record.place["graph"], record.place["machine"], record.machine.computer
            same[*record.subject, *place, record.backend, record.software.git_commit].append(record)
    pairs = []
    for group in same.values():
        for first, second in combinations(group, 2):
            times = summary_of(first, phase), summary_of(second, phase)
            if first.experiment != second.experiment and times[0] and times[1]:
                pairs.append(Repetition(first, second, (times[0], times[1])))
    return pairs


def summary_of(record: Record, phase: Phase) -> Summary | None:
    """Summarise a phase of the trials; None of too few for quartiles, or of no time."""
    values = [ms for trial in record.trials if (ms := getattr(trial, phase)) is not None]
    return Summary.of(values) if len(values) >= LEAST_TRIALS and median(values) > 0 else None


@dataclass(frozen=True)
class Repeatability:
    """How many pairs of the same work the rule calls different, and how far they are apart, as ratios."""

    pairs: int
    different: int
    middle: float
    p90: float
    p95: float
    margin: float
    """What a ratio must exceed for no more than `FALSE_ALARMS` to be called different; 1 if so few are."""

    @classmethod
    def of(cls, pairs: Sequence[Repetition]) -> Self | None:
        """Summarise pairs; None if there are none."""
        if not pairs:
            return None
        middle, p90, p95 = np.quantile([pair.ratio for pair in pairs], [0.5, 0.9, 0.95]).tolist()
        called = sorted((pair.ratio for pair in pairs if pair.different), reverse=True)
        margin = [*called, 1.0][min(floor(FALSE_ALARMS * len(pairs)), len(called))]
        return cls(len(pairs), len(called), middle, p90, p95, margin)


def ended_early(records: Iterable[Record], phase: Phase = "total") -> list[Record]:
    """List records whose trials ended at the least number, although they are short."""
    fewest = (record for record in records if record.timed and len(record.trials) == LEAST_TRIALS)
    return [record for record in fewest if (times := summary_of(record, phase)) and times.median < EARLY_MS]


def early_beside_full(pairs: Sequence[Repetition]) -> list[bool]:
    """Hold records that ended early against those of the most trials that there are, in pairs of both.

    Return of each pair whether the median of the first lies between the quartiles of the second.
    """
    most = max((times.n for pair in pairs for times in pair.times), default=LEAST_TRIALS)
    both = [times for pair in pairs for times in (pair.times, pair.times[::-1])]
    early = [(few, full) for few, full in both if few.n == LEAST_TRIALS < full.n == most]
    return [full.q1 <= few.median <= full.q3 for few, full in early if few.median < EARLY_MS]
