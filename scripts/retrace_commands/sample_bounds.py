"""How far betweenness from sampled sources may be from that of all: a published bound, named."""

from math import log, sqrt

from retrace.system.models import Model

PROBABILITY = 0.95
METHOD = "Hoeffding's inequality, as Brandes and Pich (2007) apply it to sampled sources"


class ErrorBound(Model):
    """All normalised scores at once are within `within` of those of all sources, with a probability."""

    within: float
    """The largest error of a normalised score."""
    probability: float
    """That no score errs by more."""
    method: str
    """The inequality, and whose application of it."""


def bound_of_sample(vertices: int, sources: int) -> ErrorBound | None:
    """Return the bound of a graph's scores from sources drawn at random; None if it says nothing.

    What a source adds to a vertex's normalised score is between 0 and 1, over the number of sources.
    W. Hoeffding (Journal of the American Statistical Association 58, 1963, theorem 2; section 6: also without
    replacement) bounds the error of a mean of k draws: P(error >= e) <= 2 exp(-2 k e^2). One of n errors is
    as large with at most n times this probability: e = sqrt(ln(2 n / (1 - probability)) / 2 k). U. Brandes
    and C. Pich (International Journal of Bifurcation and Chaos 17, 2007) sample so. A source adds nothing to
    its own score, which has k = sources - 1.
    """
    if sources >= vertices:
        return ErrorBound(within=0.0, probability=1.0, method="all sources")
    if sources < 2:
        return None
    within = sqrt(log(2 * vertices / (1 - PROBABILITY)) / (2 * (sources - 1)))
    return ErrorBound(within=within, probability=PROBABILITY, method=METHOD) if within < 1 else None


def error_in_words(bound: ErrorBound | None) -> str:
    """Say what a bound says."""
    if bound is None:
        return "error of normalised scores: so few sources have no bound below 1"
    if bound.probability == 1:
        return "error of normalised scores: none, from all sources"
    return (
        f"error of normalised scores: at most {bound.within:.3g} at every vertex, with probability "
        f"{bound.probability} ({bound.method})"
    )
