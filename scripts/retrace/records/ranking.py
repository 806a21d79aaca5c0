"""The one rule for which of two times is less: an interval of their ratio, and a margin from the records."""

from enum import Enum
from importlib import import_module
from math import inf
from types import ModuleType

from retrace.records.statistics import CONFIDENCE, LEAST_TRIALS, LONG_MS, RESAMPLES, Summary

RULE = (
    "Two times are compared by the ratio of their medians. Its interval is that of "
    f"{CONFIDENCE:.0%} of {RESAMPLES} bootstrap resamples, of rounds (processes) and then of trials within "
    "each; where both have the same sources, the same trials of both. One time is less than another only if "
    "the whole interval lies beyond the margin: the least with which no more than 5 % of the pairs of the "
    "same work, measured in two experiments (of too few: in two rounds), would be called different. "
    f"It takes {LEAST_TRIALS} trials of each, or fewer of {LONG_MS / 1000:.0f} s or more."
)
"""What `rank` does, in words."""


NEAR = 1.5
"""How many times as long as the best what is shown as one of the best may take."""
WITHIN_NOISE = "within run-to-run noise"
"""Why two times cannot be told apart: the same work, measured again, may differ by what they do."""


class Order(Enum):
    """How one time compares with another."""

    LESS = "less"
    TIE = "cannot be told apart"
    MORE = "more"


def rank(a: Summary, b: Summary) -> Order:
    """Return whether the first time is less than the second, or more, as `RULE` says."""
    low, high = ratio_range(a, b) if a.enough and b.enough else (0.0, inf)
    return Order.LESS if low > 1 else Order.MORE if high < 1 else Order.TIE


def why_untold(a: Summary, b: Summary) -> str:
    """Say why neither of two times is less; empty if one is."""
    if not (a.enough and b.enough):
        return "too few trials to tell"
    return WITHIN_NOISE if rank(a, b) is Order.TIE else ""


def is_among_best(times: Summary, best: Summary) -> bool:
    """Return whether a time, if it is not the best itself, is near it and cannot be told from it."""
    return times.median < NEAR * best.median and rank(best, times) is Order.TIE


def is_same(a: Summary, b: Summary) -> bool:
    """Return whether two times are the same as far as can be told: 1 is in the interval, no margin is."""
    low, high = ratio_interval(a, b)
    margin = max(a.margin, b.margin)
    return a.enough and b.enough and margin < inf and 1 / margin <= low <= 1 <= high <= margin


def ratio_range(a: Summary, b: Summary) -> tuple[float, float]:
    """Return between what the second over the first may lie: the interval, widened by the greater margin."""
    low, high = ratio_interval(a, b)
    margin = max(a.margin, b.margin)
    return low / margin, high * margin


def ratio_interval(a: Summary, b: Summary) -> tuple[float, float]:
    """Return the interval of the second over the first; of the same sources in the same rounds, in pairs."""
    is_paired = a.questions != () and a.questions == b.questions
    ends: tuple[float, float] = _bootstrap().interval(a.trials, b.trials, is_paired)
    return ends


def most_of(times: Summary) -> float:
    """Return what a median may be at most: the upper end of its interval, widened by its margin."""
    return float(_bootstrap().upper_end(times.trials) * times.margin)


def near_end(a: Summary, b: Summary) -> float:
    """Return the end of the interval that is nearer to 1, above 1; 1 itself if that lies between the ends."""
    low, high = ratio_interval(a, b)
    return float(max(1.0, low, 1 / high if high else inf))


def _bootstrap() -> ModuleType:
    """Return the module that needs NumPy, which takes long to import where nothing is ranked."""
    return import_module("retrace.records.bootstrap")
