"""Median, quartiles and minimum of trials, and the one rule for which of two times is less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

LEAST_TRIALS = 3
"""Fewer have no quartiles to speak of."""
SAME = 1.02
"""How far apart medians of the same work may be: on the H200 up to 1.4 % (docs/experiments, 16)."""
LONG_MS = 1000.0
"""Runs that take this long may be compared by fewer trials."""
FEW = 1.05
"""How far such runs must differ: repeated on the H200, they differed by 0 to 1 %, once by 4.8 %."""

RULE = (
    "One time is less than another only if the quartiles do not overlap, of at least "
    f"{LEAST_TRIALS} trials each, and the medians differ by more than {SAME - 1:.0%}; with fewer trials, of "
    f"{LONG_MS / 1000:.0f} s or more, only if they differ by more than {FEW - 1:.0%}."
)
"""What `rank` does, in words."""


@dataclass(frozen=True)
class Summary:
    """Median, quartiles, minimum and number of some values, such as times in milliseconds."""

    n: int
    median: float
    q1: float
    q3: float
    minimum: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """Summarise `values`, at least one."""
        ordered = sorted(values)
        q1, median, q3 = (_quantile(ordered, share) for share in (0.25, 0.5, 0.75))
        return cls(len(ordered), median, q1, q3, ordered[0])

    def over(self, unit: float) -> Summary:
        """Return the same in other units, such as another solver's median."""
        return Summary(self.n, self.median / unit, self.q1 / unit, self.q3 / unit, self.minimum / unit)

    @property
    def enough(self) -> bool:
        """Whether it can be ranked: it is of enough trials, or of long ones."""
        return self.median > 0 and (self.n >= LEAST_TRIALS or self.minimum >= LONG_MS)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolate between the two nearest values as NumPy does, which takes 100 times as long for a few."""
    place = share * (len(ordered) - 1)
    low, part = int(place), place % 1
    a, b = ordered[low], ordered[min(low + 1, len(ordered) - 1)]
    return float(b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part)


class Order(Enum):
    """How one time compares with another."""

    LESS = "less"
    TIE = "cannot be told apart"
    MORE = "more"


def rank(a: Summary, b: Summary) -> Order:
    """Return whether the first time is less than the second, or more, as `RULE` says."""
    if not (a.enough and b.enough):
        return Order.TIE
    if min(a.n, b.n) < LEAST_TRIALS:
        margin = FEW
    elif a.q1 <= b.q3 and b.q1 <= a.q3:
        return Order.TIE
    else:
        margin = SAME
    ratio = b.median / a.median
    return Order.LESS if ratio > margin else Order.MORE if ratio < 1 / margin else Order.TIE
