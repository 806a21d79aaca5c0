"""Median, quartiles and minimum of trials, with what it takes to rank them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

LEAST_TRIALS = 3
"""Fewer have no quartiles to speak of."""
ENOUGH = 5
"""Of fewer trials each quartile is an extreme, or beside one, so that one odd trial moves it."""
ENOUGH_ROUNDS = 3
"""Of fewer processes nothing is known of how far processes differ."""
LONG_MS = 1000.0
"""Runs that take this long may be compared by fewer trials."""

CONFIDENCE, RESAMPLES = 0.95, 999
"""Of the interval of a ratio, and from how many bootstrap resamples it is."""

Questions = tuple[tuple[tuple[int | None, int | None], ...], ...]
"""Source and target of each trial, by round."""
Trials = tuple[tuple[float, ...], ...]
"""The values of trials by round: a process that measured them."""


@dataclass(frozen=True)
class Summary:
    """Median, quartiles, minimum and number of some values, such as times in milliseconds."""

    n: int
    median: float
    q1: float
    q3: float
    minimum: float
    trials: Trials = field(compare=False, repr=False)
    """The values themselves, by round."""
    margin: float = field(default=1.0, compare=False)
    """What a ratio must exceed to be a difference, since the same work, measured again, differs as much."""
    questions: Questions = field(default=(), compare=False, repr=False)
    """What was drawn for each of the values; empty if nothing was."""

    @classmethod
    def of(cls, *rounds: Sequence[float], margin: float = 1.0) -> Summary:
        """Summarise values, at least one, of one round or more."""
        ordered = sorted(chain(*rounds))
        q1, median, q3 = (quantile(ordered, share) for share in (0.25, 0.5, 0.75))
        trials = tuple(tuple(values) for values in rounds if values)
        return cls(len(ordered), median, q1, q3, ordered[0], trials, margin)

    def over(self, unit: float) -> Summary:
        """Return the same in other units, such as another solver's median."""
        rounds = ([value / unit for value in values] for values in self.trials)
        return replace(Summary.of(*rounds, margin=self.margin), questions=self.questions)

    @property
    def enough(self) -> bool:
        """Whether it can be ranked: it is of enough trials, or of long ones."""
        return self.median > 0 and (self.n >= LEAST_TRIALS or self.minimum >= LONG_MS)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolate between the two nearest values as NumPy does, which takes longer."""
    place = share * (len(ordered) - 1)
    low, part = int(place), place % 1
    a, b = ordered[low], ordered[min(low + 1, len(ordered) - 1)]
    return float(b - (b - a) * (1 - part) if part >= 0.5 else a + (b - a) * part)
