"""How far a time is from itself: the same work in two experiments, and the margins that follow from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from statistics import quantiles

from retrace.records.margins import Conditions, Margin, Margins, phase_times
from retrace.records.ranking import Order, near_end, rank
from retrace.records.record import Phase, Record
from retrace.records.statistics import LEAST_TRIALS, Summary

FALSE_ALARMS = 0.05
"""The share of pairs of the same work that may be called different: a test's usual level."""
LEAST_PAIRS = ceil(1 / FALSE_ALARMS) - 1
"""Of fewer, a further pair exceeds even the greatest more often than that."""
PAIRED_BY: tuple[Phase, ...] = ("solve", "total")
"""The phases by which pairs are compared: the margin is the greater of both."""
BY_QUARTILES = 1.02
"""How far medians had to be apart where quartiles of one process decided."""
EARLY_MS = 300.0
"""Trials of less than this take less than a second together."""


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
    def assured(self) -> float:
        """By how much they differ at least, as the bootstrap of trials says."""
        return near_end(*self.times)

    @property
    def work(self) -> Conditions:
        """What its margin is of: the shorter time and the fewer rounds."""
        both = [
            Conditions.of(one, t.median) for one, t in zip((self.first, self.second), self.times, strict=True)
        ]
        processor, *_ = both[0]
        return Conditions(processor, min(one.from_ms for one in both), min(one.rounds for one in both))

    @property
    def different(self) -> bool:
        """Whether the rule says that one time is less, which is wrong."""
        return rank(*self.times) is not Order.TIE

    @property
    def different_by_quartiles(self) -> bool:
        """Whether quartiles of trials, which know nothing of processes, lie apart, and medians by 2 %."""
        a, b = self.times
        return (a.q1 > b.q3 or b.q1 > a.q3) and self.ratio > BY_QUARTILES


def repetitions(records: Iterable[Record], phase: Phase, known: Margins | None = None) -> list[Repetition]:
    """Pair the records of the same work of two experiments, if each has enough trials for quartiles.

    The same are: solver, settings, question, graph (sha256), backend, machine, host and commit. Times have
    the margins that are `known`, those of the file if not given.
    """
    same: dict[tuple[object, ...], list[Record]] = defaultdict(list)
    for record in records:
        if record.timed:
            place = record.place["graph"], record.place["machine"], record.machine.computer
            same[*record.subject, *place, record.backend, record.software.git_commit].append(record)
    pairs = []
    for group in same.values():
        if len(group) > 1:
            summaries = [(record, repeated_times(record, phase, known)) for record in group]
            for (first, a), (second, b) in combinations(summaries, 2):
                if first.experiment != second.experiment and a and b:
                    pairs.append(Repetition(first, second, (a, b)))
    return pairs


def repeated_times(record: Record, phase: Phase, known: Margins | None = None) -> Summary | None:
    """Summarise a phase of the trials; None of too few for quartiles, or of no time."""
    times = phase_times(record, phase, known)
    return times if times and times.n >= LEAST_TRIALS and times.median > 0 else None


def compute_margins(records: Iterable[Record]) -> Margins:
    """Compute the margins of machines and work from the records, of at least `LEAST_PAIRS` pairs."""
    every, computed = list(records), Margins()
    for phase in PAIRED_BY:
        alike: dict[tuple[str, Conditions], list[float]] = defaultdict(list)
        for pair in repetitions(every, phase, Margins()):
            alike[pair.first.machine.name, pair.work].append(pair.assured)
        for place, assured in alike.items():
            if len(assured) >= LEAST_PAIRS:
                margin = Margin(len(assured), quantile_of_next(assured))
                computed[place] = max(margin, computed.get(place, margin), key=lambda one: one.ratio)
    return computed


def quantile_of_next(values: Sequence[float]) -> float:
    """Return what a further value alike exceeds with a probability of `FALSE_ALARMS` at most.

    It is the ceil((n + 1) (1 - FALSE_ALARMS))-th of n, whatever their distribution (split conformal
    prediction: Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005).
    """
    place = ceil((len(values) + 1) * (1 - FALSE_ALARMS) - 1e-9)
    return sorted(values)[place - 1]


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
        ratios = [pair.ratio for pair in pairs]
        cuts = quantiles(ratios * 2 if len(ratios) == 1 else ratios, n=20, method="inclusive")
        by_quartiles = sum(pair.different_by_quartiles for pair in pairs)
        different = sum(pair.different for pair in pairs)
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
