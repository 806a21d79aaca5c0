"""Whether a claim's verdict depends on the machine."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrace.reports.finding import Finding, Verdict
from retrace.reports.frame import Frame
from retrace.reports.judge import judge
from retrace.reports.report import Report


@dataclass(frozen=True)
class Verdicts:
    """What is found on a claim, by machine or by phase."""

    report: str
    claim: str
    findings: Mapping[str, Finding]

    @property
    def differ(self) -> bool:
        """Whether there are two verdicts."""
        return len({finding.verdict for finding in self.findings.values()}) > 1


def by_machine(reports: Sequence[Report], frame: Frame) -> Iterator[Verdicts]:
    """Judge all claims on each machine that has records of their report."""
    for report in reports:
        experiments = {name for claim in report.claims.values() for name in claim.experiments}
        measured = {entry.machine for name in experiments for entry in frame.of(name).measured}
        machines = [machine for machine in frame.machines if machine in measured]
        for name, claim in report.claims.items():
            by = {machine: judge(report, claim, frame, machine) for machine in machines}
            yield Verdicts(report.key, name, by)


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


def agreements(verdicts: Iterable[Verdicts], wider: float) -> list[Agreement]:
    """Hold each machine's verdicts against those of the first."""
    pairs: dict[str, list[tuple[Finding, Finding]]] = defaultdict(list)
    for one in verdicts:
        (_, first), *others = one.findings.items()
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
