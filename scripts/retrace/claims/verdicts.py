"""What becomes of a claim: the figure that was measured for it, and a verdict.

Times are compared graph by graph, and only where the quartiles of the two do not overlap is one the faster,
and only by more than the same work differs from itself. Runs so long that there are few of them have no
quartiles to speak of: there a wider margin takes their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from retrace.claims.evidence import Evidence, Variant
from retrace.publish.comparison import LEAST_TRIALS
from retrace.publish.rows import TIMES
from retrace.publish.tables import shown, three_digits
from retrace.records.model import Phase, Record
from retrace.records.statistics import SAME, Summary, order, summarise


class Verdict(StrEnum):
    """Whether a claim holds on a machine."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Finding:
    """What a machine's records say of a claim.

    Attributes
    ----------
    verdict
        Whether it holds.
    measured
        The numbers that the verdict rests on, with their units; empty without any.
    why
        What the verdict alone does not say: where it holds, or why nothing can be told.
    """

    verdict: Verdict
    measured: str = ""
    why: str = ""

    @property
    def sentence(self) -> str:
        """The verdict, and why."""
        return f"{self.verdict}: {self.why}" if self.why else str(self.verdict)


@dataclass(frozen=True)
class Judge:
    """How a claim is judged: the rule in words, and the rule itself."""

    rule: str
    judge: Callable[[Evidence], Finding]


@dataclass(frozen=True)
class Case:
    """Two variants on one graph: the one that a claim says to be faster, and the other."""

    graph: str
    fast: Variant
    slow: Variant
    times: tuple[Summary, Summary]

    @property
    def order(self) -> int:
        """-1 if the first is the faster, 1 if the other is, 0 if they cannot be told apart."""
        return rank(*self.times)

    @property
    def ratio(self) -> float:
        """How many times as long the second takes, by the medians."""
        return self.times[1].median / self.times[0].median

    def __str__(self) -> str:
        first, second = self.times
        return (
            f"{self.graph}: {shown(first.median)} ({self.fast}), {shown(second.median)} ({self.slow}), "
            f"{three_digits(self.ratio)}{TIMES}"
        )


LONG_MS = 1000.0
"""Runs that take this long may be compared by fewer trials."""
FEW = 1.05
"""How far such runs must differ: repeated on the H200, they differed by 0 to 1 %, once by 4.8 %."""

COMPARING = (
    "Times are medians. One is faster than another only if their quartiles do not overlap, of at least "
    f"{LEAST_TRIALS} trials each, and the other takes {SAME - 1:.0%} more; with fewer trials, of "
    f"{LONG_MS / 1000:.0f} s or more, only if it takes {FEW - 1:.0%} more. What is said to be faster must be "
    "so in more than half of the comparisons, and slower in none. Quoted is the graph of the most work; of "
    "several comparisons on it, the least and the greatest ratio."
)
"""What the verdicts mean."""


def rank(first: Summary, second: Summary) -> int:
    """Give -1 if the first is the faster, 1 if the second is, 0 if they cannot be told apart."""
    if min(first.n, second.n) >= LEAST_TRIALS:
        return order(first, second)
    ratio = second.median / first.median
    return -1 if ratio > FEW else int(ratio < 1 / FEW)


def open_claim(evidence: Evidence, variants: Iterable[Variant]) -> Finding:
    """Give the finding where there is nothing to judge by."""
    return Finding(Verdict.OPEN, why=evidence.why_untimed(variants))


def cases(evidence: Evidence, fast: Variant, slow: Variant, phase: Phase) -> list[Case]:
    """Pair the times of two variants on the very same graphs, as far as they can be ranked."""
    first, second = evidence.timed(fast), evidence.timed(slow)
    found = []
    for graph in first:
        if graph in second and first[graph].graph["sha256"] == second[graph].graph["sha256"]:
            own, other = enough(first[graph], phase), enough(second[graph], phase)
            if own and other:
                found.append(Case(graph, fast, slow, (own, other)))
    return found


def enough(record: Record, phase: Phase) -> Summary | None:
    """Summarise a phase of a record if it can be ranked: by enough trials, or by long ones."""
    times = summarise(record, phase)
    if times is None or times.median <= 0:
        return None
    return times if times.n >= LEAST_TRIALS or times.minimum >= LONG_MS else None


def faster(evidence: Evidence, pairs: Sequence[tuple[Variant, Variant]], phase: Phase) -> Finding:
    """Judge whether the first of each pair is faster than the second.

    Of the pairs' largest graphs, the least and the greatest ratio are quoted.
    """
    by_pair = [found for fast, slow in pairs if (found := cases(evidence, fast, slow, phase))]
    if not by_pair:
        return open_claim(evidence, [variant for pair in pairs for variant in pair])
    largest = sorted((found[-1] for found in by_pair), key=lambda case: case.ratio)
    orders = {
        f"{case.graph} ({case.fast} against {case.slow})" if len(by_pair) > 1 else case.graph: case.order
        for found in by_pair
        for case in found
    }
    return Finding(
        verdict(list(orders.values())),
        f"{'; '.join(dict.fromkeys((str(largest[0]), str(largest[-1]))))}; {count(orders)}",
        places(orders),
    )


def count(orders: dict[str, int]) -> str:
    """Say in how many comparisons a claim is borne out and contradicted."""
    found = list(orders.values())
    return f"faster in {found.count(-1)}, slower in {found.count(1)} of {len(found)}"


def verdict(orders: Sequence[int]) -> Verdict:
    """Turn comparisons, -1 where a claim is borne out, 1 where it is contradicted, into a verdict."""
    for_it, against = orders.count(-1), orders.count(1)
    if not for_it and not against:
        return Verdict.OPEN
    if not for_it:
        return Verdict.FAILS
    return Verdict.HOLDS if not against and 2 * for_it > len(orders) else Verdict.IN_PART


def places(orders: dict[str, int]) -> str:
    """Say why comparisons by their places give no plain verdict, if they do not."""
    match verdict(list(orders.values())):
        case Verdict.OPEN:
            return "no two times can be told apart"
        case Verdict.IN_PART:
            agree = [place for place, order in orders.items() if order == -1]
            return f"only on {', '.join(agree)}" if len(agree) <= 3 else f"in {len(agree)} of {len(orders)}"
    return ""
