"""How far a ratio of medians may be off: a bootstrap of rounds and of trials within rounds."""

from functools import cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from retrace.records.statistics import CONFIDENCE, RESAMPLES, Trials

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
        ratios = resampled_medians(b)[order] / resampled_medians(a)
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


def upper_end(trials: Trials) -> float:
    """Return the upper end of the interval of a median."""
    return float(np.quantile(resampled_medians(trials), TAILS[1]))
