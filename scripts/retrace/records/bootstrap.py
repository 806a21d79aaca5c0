"""How far a ratio of medians may be off: a bootstrap of rounds and of trials within rounds."""

from __future__ import annotations

from functools import cache, lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from retrace.records.statistics import CONFIDENCE, RESAMPLES, Trials, quantile

SEED = 1
TAILS = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2


@cache
def interval(a: Trials, b: Trials, paired: bool = False) -> tuple[float, float]:
    """Return the ends of the interval of the second median over the first; swapped, their inverses.

    If trials are `paired`, as those of the same sources, the same ones are drawn of both.
    """
    if b < a:
        low, high = interval(b, a, paired)
        return 1 / high if high else inf, 1 / low if low else inf
    order = slice(None) if paired else _shuffled()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.nan_to_num(resampled_medians(b)[order] / resampled_medians(a), nan=1.0, posinf=inf)
    ordered = np.sort(ratios).tolist()
    low, high = (quantile(ordered, share) for share in TAILS)
    return low, high


@cache
def resampled_medians(trials: Trials) -> NDArray[np.float64]:
    """Return the medians of bootstrap resamples, shape (RESAMPLES,): of rounds, then of trials within each.

    A round that is drawn gives as many trials as the longest has, so that rounds weigh the same.
    """
    values = np.array([value for some in trials for value in some])
    order = values.argsort()
    lengths = tuple(map(len, trials))
    up_to = _times_drawn(lengths)[order].cumsum(axis=0)  # how many that are drawn are no greater
    ordered, drawn = values[order], len(lengths) * max(lengths)
    lower, upper = ((up_to <= place).sum(axis=0) for place in ((drawn - 1) // 2, drawn // 2))
    medians: NDArray[np.float64] = (ordered[lower] + ordered[upper]) / 2
    return medians


@lru_cache(maxsize=64)
def _times_drawn(lengths: tuple[int, ...]) -> NDArray[np.int32]:
    """Return how often each trial of rounds of these lengths is in each resample, (trials, RESAMPLES)."""
    rounds, places = _draws(len(lengths), max(lengths))
    length, first = np.array(lengths)[rounds], np.cumsum((0, *lengths))[rounds]
    drawn = first[..., None] + (places * length[..., None]).astype(np.int64)
    cells = drawn.reshape(RESAMPLES, -1) * RESAMPLES + np.arange(RESAMPLES)[:, None]
    counts = np.bincount(cells.ravel(), minlength=sum(lengths) * RESAMPLES)
    return counts.reshape(-1, RESAMPLES).astype(np.int32)


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


def upper_end(trials: Trials) -> float:
    """Return the upper end of the interval of a median."""
    return float(np.quantile(resampled_medians(trials), TAILS[1]))
