"""How far a time is from itself: the same work in two experiments, and the margins that follow from it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil

from retrace.records.margins import ALL_MACHINES, Conditions, Margin, Margins, phase_times
from retrace.records.ranking import near_end
from retrace.records.record import Phase, Record
from retrace.records.statistics import LEAST_TRIALS, Summary

FALSE_ALARMS = 0.05
"""The share of pairs of the same work that may be called different: a test's usual level."""
LEAST_PAIRS = ceil(1 / FALSE_ALARMS) - 1
"""Of fewer, a further pair exceeds even the greatest more often than that."""
PAIRED_BY: tuple[Phase, ...] = ("solve", "total")
"""The phases by which pairs are compared: the margin is the greater of both."""


@dataclass(frozen=True)
class Repetition:
    """A phase of two records of the same work: the medians ought to be equal."""

    first: Record
    second: Record
    times: tuple[Summary, Summary]

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
    """Compute the margins of machines and work from the records, of at least `LEAST_PAIRS` pairs.

    `ALL_MACHINES` have one of each processor's work, of whatever length and rounds; it counts rounds of one
    record as pairs, too.
    """
    every, computed = list(records), Margins()
    for phase in PAIRED_BY:
        alike: dict[tuple[str, Conditions], list[float]] = defaultdict(list)
        for pair in repetitions(every, phase, Margins()):
            alike[pair.first.machine.name, pair.work].append(pair.assured)
            alike[ALL_MACHINES, pair.work.widest].append(pair.assured)
        for work, ratio in between_rounds(every, phase):
            alike[ALL_MACHINES, work].append(ratio)
        for place, assured in alike.items():
            if len(assured) >= LEAST_PAIRS:
                margin = Margin(len(assured), quantile_of_next(assured))
                computed[place] = max(margin, computed.get(place, margin), key=lambda one: one.ratio)
    return computed


def between_rounds(records: Iterable[Record], phase: Phase) -> Iterator[tuple[Conditions, float]]:
    """Yield, of each two rounds of a record, the widest work and by how much the rounds differ at least."""
    for record in records:
        times = repeated_times(record, phase, Margins()) if record.timed else None
        trials = [some for some in times.trials if len(some) >= LEAST_TRIALS] if times else []
        for first, second in combinations(map(Summary.of, trials), 2):
            yield Conditions.of(record, first.median).widest, near_end(first, second)


def quantile_of_next(values: Sequence[float]) -> float:
    """Return what a further value alike exceeds with a probability of `FALSE_ALARMS` at most.

    It is the ceil((n + 1) (1 - FALSE_ALARMS))-th of n, whatever their distribution (split conformal
    prediction: Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005).
    """
    place = ceil((len(values) + 1) * (1 - FALSE_ALARMS) - 1e-9)
    return sorted(values)[place - 1]
