"""How far the verdicts of two machines agree."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrace.reports.finding import Finding, Verdict


@dataclass(frozen=True)
class Agreement:
    """How far the verdicts of two machines agree, of claims that both have measured."""

    machine: str
    told: int
    """Claims that both can tell."""
    same: int
    """Those with the same verdict."""
    alone: int
    """Claims that only one of both can tell."""
    slight: int
    """Those that differ where margins as wide as another machine's would change either verdict."""
    wider: float
    """How many times as wide a machine's margin is as another's, of the same work, at most."""


def agreements(findings: Iterable[Mapping[str, Finding]], wider: float) -> list[Agreement]:
    """Hold each machine's findings on claims against those of the first."""
    pairs: dict[str, list[tuple[Finding, Finding]]] = defaultdict(list)
    for of_claim in findings:
        if not of_claim:
            continue
        (_, first), *others = of_claim.items()
        for machine, finding in others:
            if first.measured and finding.measured:
                pairs[machine].append((first, finding))
    return [_agreement(machine, both, wider) for machine, both in pairs.items()]


def _agreement(machine: str, both: Sequence[tuple[Finding, Finding]], wider: float) -> Agreement:
    known = [[finding.verdict != Verdict.OPEN for finding in pair] for pair in both]
    known_to_both = [pair for pair, can_tell in zip(both, known, strict=True) if all(can_tell)]
    apart = [pair for pair in known_to_both if pair[0].verdict != pair[1].verdict]
    slight = sum(min(finding.stands_to for finding in pair) <= wider for pair in apart)
    alone = sum(any(one) and not all(one) for one in known)
    return Agreement(machine, len(known_to_both), len(known_to_both) - len(apart), alone, slight, wider)
