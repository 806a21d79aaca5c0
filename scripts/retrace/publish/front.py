"""What a reader learns first of a report: its question, the verdicts that answer it, how many claims hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from retrace.reports.frame import Frame
from retrace.reports.judge import Finding, Verdict, judge
from retrace.reports.report import Report


@dataclass(frozen=True)
class Judged:
    """What a claim says, and what a machine's records say of it."""

    claim: str
    says: str
    machine: str
    finding: Finding

    @property
    def number(self) -> str:
        """The numbers that decide it, or why there is none."""
        return self.finding.short or self.finding.measured or self.finding.why


@dataclass(frozen=True)
class Abstract:
    """A report and the findings on all its claims, by claim and machine."""

    report: Report
    machines: list[str]
    findings: Mapping[str, Mapping[str, Finding]]

    @property
    def answers(self) -> list[Judged]:
        """Return what answers the report's question, of each machine that can tell, or else of the first."""
        found = []
        for name in self.report.front.claims if self.report.front else ():
            every = [
                Judged(name, self.report.claims[name].says, machine, finding)
                for machine, finding in self.findings[name].items()
            ]
            found += [answer for answer in every if answer.finding.verdict != Verdict.OPEN] or every[:1]
        return found

    @property
    def sentences(self) -> dict[str, str]:
        """The answer in a sentence by machine, of each that has all numbers in it."""
        front = self.report.front
        if not front or not front.answer:
            return {}
        numbers = {
            machine: {name: self.findings[name][machine].number for name in front.quoted}
            for machine in self.machines
        }
        return {
            machine: front.answered(own.__getitem__) for machine, own in numbers.items() if all(own.values())
        }

    def counts(self, machine: str) -> dict[Verdict, int]:
        """Count the claims by verdict, in the order of the verdicts."""
        found = Counter(of_claim[machine].verdict for of_claim in self.findings.values())
        return {verdict: found[verdict] for verdict in Verdict}


def abstract(report: Report, frame: Frame, first: str = "") -> Abstract:
    """Judge all claims of a report on all machines that have records of it, `first` before the others."""
    machines = sorted(judging(report, frame).machines, key=lambda name: name != first)
    findings = {
        name: {machine: judge(report, claim, frame, machine) for machine in machines}
        for name, claim in report.claims.items()
    }
    return Abstract(report, machines, findings)


def judging(report: Report, frame: Frame) -> Frame:
    """Return what the claims of a report are judged by."""
    experiments = {name for claim in report.claims.values() for name in claim.experiments}
    return Frame([entry for entry in frame.entries if entry.experiment in experiments])
