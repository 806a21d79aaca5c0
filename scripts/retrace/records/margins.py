"""How far times must differ to be called different: margins by machine, which the records themselves give.

Those of all machines with committed records are in `results/repeatability.csv`, which `make pages` writes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from math import inf
from typing import NamedTuple

from retrace.records.record import Phase, Record, Trial
from retrace.records.statistics import ENOUGH_ROUNDS, Questions, Summary
from retrace.system.errors import RetraceError
from retrace.system.files import check_regular
from retrace.system.project import ROOT

MAGNITUDES = (100.0, 1.0, 0.0)
"""Times from so many ms on have margins apart: the shorter, the less they repeat."""
ROUNDS = (ENOUGH_ROUNDS, 1)
"""Records of so many rounds or more have margins apart."""
ALL_MACHINES = "all"
"""In place of a machine's name: pairs of every machine, for work of which no machine has enough."""
MARGINS = ROOT / "results/repeatability.csv"


class Conditions(NamedTuple):
    """What times have a margin in common: of a processor, a magnitude, a number of rounds."""

    processor: str
    """`GPU` or `CPU`."""
    from_ms: float
    rounds: int

    @classmethod
    def of(cls, record: Record, ms: float) -> Conditions:
        """Return what a time of a record is among."""
        from_ms = next(least for least in MAGNITUDES if ms >= least)
        rounds = next(least for least in ROUNDS if record.rounds >= least)
        return cls("GPU" if record.cores is None else "CPU", from_ms, rounds)

    @property
    def widest(self) -> Conditions:
        """What stands in for all work of the processor."""
        return Conditions(self.processor, MAGNITUDES[-1], ROUNDS[-1])

    @property
    def next_wider(self) -> Conditions | None:
        """What stands in where nothing is known: one round for several, then the next shorter times."""
        if self.rounds > ROUNDS[-1]:
            return self._replace(rounds=ROUNDS[-1])
        shorter = [least for least in MAGNITUDES if least < self.from_ms]
        return self._replace(from_ms=shorter[0]) if shorter else None


@dataclass(frozen=True)
class Margin:
    """What the same work, measured in two experiments, may differ by, as a ratio, and of how many pairs."""

    pairs: int
    ratio: float


class Margins(dict[tuple[str, Conditions], Margin]):
    """Margins by machine and work, of those with enough pairs."""

    def of(self, machine: str, work: Conditions) -> float:
        """Return the margin of a machine's work; infinite if nothing is known of any.

        With too few pairs it is the greatest of other machines, else that of the next wider work, else that
        of the processor's work on all machines.
        """
        if (machine, work) in self:
            return self[machine, work].ratio
        if alike := [margin.ratio for (_, other), margin in self.of_machines() if other == work]:
            return max(alike)
        if wider := work.next_wider:
            return self.of(machine, wider)
        return self[ALL_MACHINES, work].ratio if (ALL_MACHINES, work) in self else inf

    def of_machines(self) -> list[tuple[tuple[str, Conditions], Margin]]:
        """Return the margins that one machine has."""
        return [(place, margin) for place, margin in self.items() if place[0] != ALL_MACHINES]

    @property
    def spread(self) -> float:
        """How many times as wide one machine's margin is as another's of the same work, at most."""
        known = self.of_machines()
        alike = ([m.ratio for (_, other), m in known if other == work] for (_, work), _ in known)
        return max((max(ratios) / min(ratios) for ratios in alike), default=1.0)

    def summarise(self, record: Record, rounds: Sequence[Sequence[float]]) -> Summary:
        """Summarise times of a record by round, at least one time, in ms, with their margin."""
        times = Summary.of(*rounds)
        margin = self.of(record.machine.name, Conditions.of(record, max(times.median, 0.0)))
        return replace(times, margin=margin, questions=_drawn_for(rounds, record))


def _drawn_for(rounds: Sequence[Sequence[float]], record: Record) -> Questions:
    """Return the sources that were drawn for values, if there are as many as trials."""
    if record.drawn is None:
        return ()
    of_trials = trials_by_round(record)
    questions = tuple(tuple((trial.source, trial.target) for trial in trials) for trials in of_trials)
    return questions if [*map(len, rounds)] == [*map(len, of_trials)] else ()


@cache
def margins() -> Margins:
    """Read the margins of `results/repeatability.csv`; RetraceError if it is no such table."""
    check_regular(MARGINS)
    try:
        rows = list(csv.DictReader(io.StringIO(MARGINS.read_text(encoding="utf-8"))))
        known = Margins({
            (row["machine"], Conditions(row["processor"], float(row["from_ms"]), int(row["rounds"]))):
            Margin(int(row["pairs"]), float(row["margin"])) for row in rows
        })  # fmt: skip
        if not known or not all(1 <= margin.ratio < inf for margin in known.values()):
            raise ValueError("no margins, or one below 1")
        return known
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RetraceError(
            f"{MARGINS}: expected margins by machine, found {error!r}; run make pages"
        ) from None


def margins_csv(computed: Margins) -> str:
    """Write margins as `margins` reads them."""
    lines = ["machine,processor,from_ms,rounds,pairs,margin"]
    for (machine, work), margin in sorted(computed.items()):
        lines.append(",".join(map(str, (machine, *work, margin.pairs, round(margin.ratio, 4)))))
    return "\n".join([*lines, ""])


def trials_by_round(record: Record) -> list[list[Trial]]:
    """Return the trials of each round; all together if one process measured them."""
    return [list(trials) for _, trials in groupby(record.trials, key=lambda trial: trial.round)]


def phase_times(record: Record, phase: Phase, known: Margins | None = None) -> Summary | None:
    """Summarise a phase of the trials, by round, or the passes of `setup`; None if there are none."""
    if phase == "setup":
        rounds = [record.setup]
    else:
        times = ((getattr(trial, phase) for trial in trials) for trials in trials_by_round(record))
        rounds = [[ms for ms in some if ms is not None] for some in times]
    return (margins() if known is None else known).summarise(record, rounds) if any(rounds) else None
