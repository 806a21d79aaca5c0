"""Median, quartiles and minimum of trials, and which of two times is less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retrace.records.model import Phase, Record


@dataclass(frozen=True)
class Summary:
    """Median, quartiles, minimum and number of some times in milliseconds."""

    n: int
    median: float
    q1: float
    q3: float
    minimum: float

    @classmethod
    def of(cls, times: Sequence[float]) -> Summary:
        """Summarise `times`, at least one."""
        q1, median, q3 = (float(quartile) for quartile in np.percentile(times, [25, 50, 75]))
        return cls(len(times), median, q1, q3, min(times))

    def over(self, unit: float) -> Summary:
        """Give the same in other units, such as another solver's median."""
        return Summary(self.n, self.median / unit, self.q1 / unit, self.q3 / unit, self.minimum / unit)


def summarise(record: Record, phase: Phase = "total") -> Summary | None:
    """Summarise one phase of a record's trials; None if the record gives no times, or none of this phase."""
    times = [time for trial in record.trials if (time := trial[phase]) is not None]
    return Summary.of(times) if record.timed and times else None


def too_noisy_to_rank(a: Summary, b: Summary) -> bool:
    """Whether the interquartile ranges overlap, so that neither can be called faster."""
    return a.q1 <= b.q3 and b.q1 <= a.q3


SAME = 1.02
"""How far apart medians of the same work may be: on the H200 up to 1.4 % (docs/experiments.md, 16)."""


def order(a: Summary, b: Summary) -> int:
    """Give -1 if the first takes less time, 1 if the second does, 0 if they cannot be told apart."""
    ratio = 1.0 if too_noisy_to_rank(a, b) else b.median / a.median
    return -1 if ratio > SAME else int(ratio < 1 / SAME)
