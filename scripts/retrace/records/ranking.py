"""The one rule for which of two times is less: an interval of their ratio, and a margin from the records."""

from __future__ import annotations

from enum import Enum
from functools import cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from retrace.records.statistics import LEAST_TRIALS, LONG_MS, Summary, Trials

CONFIDENCE, RESAMPLES, SEED = 0.95, 999, 1
TAILS = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2

RULE = (
    "Two times are compared by the ratio of their medians. Its interval is that of "
    f"{CONFIDENCE:.0%} of {RESAMPLES} bootstrap resamples, of rounds (processes) and then of trials within "
    "each. One time is less than another only if the whole interval lies beyond the margin: the least with "
    "which no more than 5 % of the pairs of the same work, measured in two experiments, would be called "
    f"different. It takes {LEAST_TRIALS} trials of each, or fewer of {LONG_MS / 1000:.0f} s or more."
)
"""What `rank` does, in words."""


class Order(Enum):
    """How one time compares with another."""

    LESS = "less"
    TIE = "cannot be told apart"
    MORE = "more"


def rank(a: Summary, b: Summary) -> Order:
    """Return whether the first time is less than the second, or more, as `RULE` says."""
    low, high = ratio_range(a, b) if a.enough and b.enough else (0.0, inf)
    return Order.LESS if low > 1 else Order.MORE if high < 1 else Order.TIE


def is_same(a: Summary, b: Summary) -> bool:
    """Return whether two times are the same as far as can be told: 1 is in the interval, no margin is."""
    low, high = interval(a.trials, b.trials)
    margin = max(a.margin, b.margin)
    return a.enough and b.enough and 1 / margin <= low <= 1 <= high <= margin


def ratio_range(a: Summary, b: Summary) -> tuple[float, float]:
    """Return between what the second over the first may lie: the interval, widened by the greater margin."""
    low, high = interval(a.trials, b.trials)
    margin = max(a.margin, b.margin)
    return low / margin, high * margin


def most_of(times: Summary) -> float:
    """Return what a median may be at most: the upper end of its interval, widened by its margin."""
    return float(np.quantile(resampled_medians(times.trials), TAILS[1])) * times.margin


def near_end(a: Summary, b: Summary) -> float:
    """Return the end of the interval that is nearer to 1, above 1; 1 itself if that lies between the ends."""
    low, high = interval(a.trials, b.trials)
    return max(1.0, low, 1 / high if high else inf)


@cache
def interval(a: Trials, b: Trials) -> tuple[float, float]:
    """Return the ends of the interval of the second median over the first; swapped, their inverses."""
    if b < a:
        low, high = interval(b, a)
        return 1 / high if high else inf, 1 / low if low else inf
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = resampled_medians(b)[_shuffled()] / resampled_medians(a)
    low, high = np.quantile(np.nan_to_num(ratios, nan=1.0, posinf=inf), TAILS).tolist()
    return low, high


@cache
def resampled_medians(trials: Trials) -> NDArray[np.float64]:
    """Return the medians of bootstrap resamples, shape (RESAMPLES,): of rounds, then of trials within each.

    A round that is drawn gives as many trials as the longest has, so that rounds weigh the same.
    """
    most = max(map(len, trials))
    values = np.array([[*some, *[0.0] * (most - len(some))] for some in trials])
    rounds, places = _draws(len(trials), most)
    lengths = np.array([len(some) for some in trials])[rounds]
    drawn = values[rounds[..., None], (places * lengths[..., None]).astype(np.int64)]
    medians: NDArray[np.float64] = np.median(drawn.reshape(RESAMPLES, -1), axis=1)
    return medians


@cache
def _draws(rounds: int, most: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Draw rounds, shape (RESAMPLES, rounds), and places of trials from 0 to 1, (RESAMPLES, rounds, most)."""
    generator = np.random.default_rng([SEED, rounds, most])
    shape = RESAMPLES, rounds
    return generator.integers(rounds, size=shape), generator.random((*shape, most))


@cache
def _shuffled() -> NDArray[np.int64]:
    """Return an order of resamples in which those of two times are independent, though drawn alike."""
    return np.random.default_rng(SEED).permutation(RESAMPLES)
