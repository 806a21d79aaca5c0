"""What is found on a claim: the numbers that were measured for it, and the verdict that comparisons make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from math import fsum, inf, log2
from typing import NamedTuple

from retrace.records.ranking import RULE, WITHIN_NOISE
from retrace.reports.wording import EMPTY


class Verdict(StrEnum):
    """Whether a claim holds on a machine."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    OPEN = "cannot be told"


@dataclass(frozen=True)
class Finding:
    """What a machine's records say of a claim."""

    verdict: Verdict
    measured: str = ""
    """The numbers that the verdict rests on."""
    why: str = ""
    """What the verdict alone does not say: where it holds, or why nothing can be told."""
    short: str = ""
    """The numbers that a figure has room for; all if empty."""
    largest: str = ""
    """The number on the graph of the most work, if the numbers do not begin with it."""
    stands_to: float = inf
    """How many times as wide all margins may be before there is another verdict; infinite of none."""
    noisy: bool = False
    """Whether it was measured, and cannot be told for the spread of times alone."""

    @property
    def number(self) -> str:
        """The one number that decides, with the reason if it decides nothing."""
        number = self.largest or (self.short or self.measured).partition("; ")[0]
        return f"{number} ({self.why})" if number and self.verdict == Verdict.OPEN else number

    @property
    def sentence(self) -> str:
        """The verdict, and why."""
        return f"{self.verdict}: {self.why}" if self.why else str(self.verdict)

    @property
    def told(self) -> str:
        """Why there is this verdict, and the numbers that it rests on; a dash without either."""
        return "; ".join(filter(None, (self.why, self.measured))) or EMPTY

    @property
    def sureness(self) -> str:
        """How sure the verdict is, in words; empty if it does not rest on margins."""
        if self.stands_to == inf:
            return ""
        return (
            f"to {self.stands_to:.2g} margins"
            if self.stands_to < MOST_SURE
            else f"beyond {MOST_SURE} margins"
        )


def by_verdict(findings: Mapping[str, Finding]) -> dict[Verdict, list[str]]:
    """Return the machines of each verdict, in their order."""
    machines: dict[Verdict, list[str]] = {}
    for machine, finding in findings.items():
        machines.setdefault(finding.verdict, []).append(machine)
    return machines


class Speaks(Enum):
    """What a comparison says of a claim."""

    FOR = "borne out"
    NEITHER = "a tie"
    AGAINST = "contradicted"
    UNCLEAR = "a tie for its spread alone"

    @classmethod
    def of(cls, borne_out: bool, contradicted: bool, unclear: bool = False) -> Speaks:
        """Return what a comparison says that does one of both, or none; `unclear` if only for its spread."""
        tie = cls.UNCLEAR if unclear else cls.NEITHER
        return cls.FOR if borne_out else cls.AGAINST if contradicted else tie


class Weighed(NamedTuple):
    """What a comparison says, the work of its graph, and up to how many times the margin it says so."""

    speaks: Speaks
    work: int
    assurance: float = inf


MOST_SURE = 10
"""Beyond so many times the margin no number is named."""
SLIGHT = 0.1
"""The share of the weight that may contradict a claim that holds."""
COMPARING = (
    f"{RULE} Times are medians.",
    "A comparison weighs by the logarithm of its graph's vertices, or of sources times arcs where each "
    "source is a search. A claim holds if it is borne out on the largest graph and by more than half of the "
    f"weight, and contradicted by no more than {SLIGHT:.0%}; it does not hold if the reverse is true, or if "
    "some contradict it and nothing may bear it out. All else holds in part.",
    "A tie speaks for neither; but it is one by spread alone unless 1 is in the interval and the margin is "
    "not. Where such ties, counted as contradictions, would keep a claim from holding, it cannot be told.",
    "To 1.8 margins means that there is another verdict once all margins are 1.8 times as wide. Bounds are "
    "ours where the claim names none. The numbers quoted are those of the graph with the most work; of "
    "several comparisons on it, those with the least and the greatest ratio.",
)
"""What the verdicts mean: how times are compared, what holds, what cannot be told, and how to read it."""


def verdict(comparisons: Sequence[Weighed]) -> Verdict:
    """Turn comparisons into a verdict, as `COMPARING` says."""
    certain, doubted = (_counted(comparisons, side) for side in (Speaks.NEITHER, Speaks.AGAINST))
    sides = {one.speaks for one in comparisons}
    if _prevails(certain, Speaks.FOR, Speaks.AGAINST):
        return Verdict.HOLDS if _prevails(doubted, Speaks.FOR, Speaks.AGAINST) else Verdict.OPEN
    if _prevails(certain, Speaks.AGAINST, Speaks.FOR):
        return Verdict.FAILS
    if Speaks.FOR in sides:
        return Verdict.IN_PART
    return Verdict.FAILS if Speaks.AGAINST in sides and Speaks.UNCLEAR not in sides else Verdict.OPEN


def _counted(comparisons: Sequence[Weighed], unclear: Speaks) -> list[Weighed]:
    """Count those that are unclear as `unclear`."""
    return [one._replace(speaks=unclear) if one.speaks is Speaks.UNCLEAR else one for one in comparisons]


def _prevails(comparisons: Sequence[Weighed], side: Speaks, other: Speaks) -> bool:
    """Return whether a side has the largest graph and most of the weight, the other next to none."""
    most = max(one.work for one in comparisons)
    largest = [one.speaks for one in comparisons if one.work == most]
    weight = {
        each: fsum(log2(2 + one.work) for one in comparisons if each in (None, one.speaks))
        for each in (None, side, other)
    }
    agree = 2 * largest.count(side) > len(largest) and other not in largest
    return agree and weight[side] > weight[None] / 2 and weight[other] <= SLIGHT * weight[None]


def stands_to(comparisons: Sequence[Weighed]) -> float:
    """Return how many times as wide margins may be before there is another verdict; infinite of none.

    A comparison whose assurance is less than that has become a tie for its spread.
    """
    now = verdict(comparisons)
    for most in sorted({one.assurance for one in comparisons if one.assurance < inf}):
        wider = [
            one._replace(speaks=Speaks.UNCLEAR)
            if one.assurance <= most and one.speaks in (Speaks.FOR, Speaks.AGAINST)
            else one
            for one in comparisons
        ]
        if verdict(wider) != now:
            return most
    return inf


def weigh(comparisons: Mapping[str, Weighed], *numbers: str, short: str = "", largest: str = "") -> Finding:
    """Make a finding of comparisons by their places, and say where a claim holds that does in part."""
    every = list(comparisons.values())
    result, why = verdict(every), ""
    agree, _, against, unclear = (
        [place for place, one in comparisons.items() if one.speaks is side] for side in Speaks
    )
    if result == Verdict.OPEN:
        places = ", ".join(unclear) if len(unclear) <= 3 else f"{len(unclear)} of {len(every)}"
        wide = f"the spread on {places} is too wide"
        why = wide if agree else WITHIN_NOISE
    elif result == Verdict.IN_PART:
        why = f"only on {', '.join(agree)}" if len(agree) <= 3 else f"in {len(agree)} of {len(comparisons)}"
    elif result == Verdict.HOLDS and against:
        why = f"but not on {', '.join(against)}"
    sure = inf if result == Verdict.OPEN else stands_to(every)
    noisy = result == Verdict.OPEN
    return Finding(result, "; ".join(dict.fromkeys(numbers)), why, short, largest, sure, noisy)
