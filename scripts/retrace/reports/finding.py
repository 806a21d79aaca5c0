"""What is found on a claim: the numbers that were measured for it, and the verdict that comparisons make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from math import fsum, log2

from retrace.records.statistics import RULE


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

    @property
    def number(self) -> str:
        """The one number that decides, with the reason if it decides nothing."""
        number = self.largest or (self.short or self.measured).partition("; ")[0]
        return f"{number} ({self.why})" if number and self.verdict == Verdict.OPEN else number

    @property
    def sentence(self) -> str:
        """The verdict, and why."""
        return f"{self.verdict}: {self.why}" if self.why else str(self.verdict)


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


Weighed = tuple[Speaks, int]
"""What a comparison says, and the work of its graph."""
SLIGHT = 0.1
"""The share of the weight that may contradict a claim that holds."""
COMPARING = (
    f"{RULE} Times are medians. A comparison weighs by the logarithm of its graph's vertices, or of sources "
    "times arcs where each source is a search. A claim holds if it is borne out on the largest graph and by "
    f"more than half of the weight, and contradicted by no more than {SLIGHT:.0%}; it does not hold if the "
    "reverse is true, or if nothing bears it out. All else holds in part. A tie speaks for neither; but "
    "where ties by spread alone, counted as contradictions, would keep it from holding, it cannot be told. "
    "Bounds are ours where the claim names none. The numbers quoted are those of the graph with the most "
    "work; of several comparisons on it, those with the least and the greatest ratio."
)
"""What the verdicts mean."""


def verdict(comparisons: Sequence[Weighed]) -> Verdict:
    """Turn comparisons into a verdict, as `COMPARING` says."""
    result = _verdict(comparisons, Speaks.NEITHER)
    hangs = result == Verdict.HOLDS and _verdict(comparisons, Speaks.AGAINST) != Verdict.HOLDS
    return Verdict.OPEN if hangs else result


def _verdict(comparisons: Sequence[Weighed], unclear: Speaks) -> Verdict:
    """Turn comparisons into a verdict, with those that are unclear counted as `unclear`."""
    comparisons = [(unclear if speaks is Speaks.UNCLEAR else speaks, work) for speaks, work in comparisons]
    weights = [(speaks, log2(2 + work)) for speaks, work in comparisons]
    total = fsum(weight for _, weight in weights)
    share = {side: fsum(weight for speaks, weight in weights if speaks is side) / total for side in Speaks}
    most = max(work for _, work in comparisons)
    largest = [speaks for speaks, work in comparisons if work == most]

    def prevails(side: Speaks, other: Speaks) -> bool:
        agree = 2 * largest.count(side) > len(largest) and other not in largest
        return agree and share[side] > 1 / 2 and share[other] <= SLIGHT

    if not share[Speaks.FOR]:
        return Verdict.FAILS if share[Speaks.AGAINST] else Verdict.OPEN
    if prevails(Speaks.FOR, Speaks.AGAINST):
        return Verdict.HOLDS
    return Verdict.FAILS if prevails(Speaks.AGAINST, Speaks.FOR) else Verdict.IN_PART


def weigh(comparisons: Mapping[str, Weighed], *numbers: str, short: str = "", largest: str = "") -> Finding:
    """Make a finding of comparisons by their places, and say where a claim holds that does in part."""
    result, why = verdict(list(comparisons.values())), ""
    agree, _, against, unclear = (
        [place for place, (speaks, _) in comparisons.items() if speaks is side] for side in Speaks
    )
    if result == Verdict.OPEN:
        wide = f"the spread on {', '.join(unclear)} is too wide"
        why = wide if agree else "no two times can be told apart"
    elif result == Verdict.IN_PART:
        why = f"only on {', '.join(agree)}" if len(agree) <= 3 else f"in {len(agree)} of {len(comparisons)}"
    elif result == Verdict.HOLDS and against:
        why = f"but not on {', '.join(against)}"
    return Finding(result, "; ".join(dict.fromkeys(numbers)), why, short, largest)
