"""What a reader learns first of a report: its question, the verdicts that answer it, how many claims hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from retrace.reports.finding import Finding, Verdict
from retrace.reports.frame import Frame
from retrace.reports.judge import judge
from retrace.reports.report import Report
from retrace.reports.wording import side_by_side
from retrace.system.errors import RetraceError

FAILURES_FIRST = (Verdict.FAILS, Verdict.IN_PART, Verdict.OPEN, Verdict.HOLDS)


@dataclass(frozen=True)
class Abstract:
    """A report and the findings on all its claims, by claim and machine."""

    report: Report
    machines: list[str]
    findings: Mapping[str, Mapping[str, Finding]]

    @property
    def answering(self) -> list[str]:
        """The machines that have all numbers of the answer."""
        quoted = self.report.front.quoted if self.report.front else []
        return [m for m in self.machines if quoted and all(self.findings[name][m].number for name in quoted)]

    @property
    def sentence(self) -> str:
        """The answer in a sentence, with the numbers of all machines that have them; empty without any."""
        front, machines = self.report.front, self.answering
        if not front or not machines:
            return ""
        said = front.answered(lambda name: self._found_on(name, machines))
        return f"{machines[0]}: {said}" if len(machines) == 1 < len(self.machines) else said

    def _found_on(self, name: str, machines: Sequence[str]) -> str:
        """Say the verdicts on a claim, and the numbers that decide, of machines that have both."""
        findings = {machine: self.findings[name][machine] for machine in machines}
        verdicts = side_by_side({machine: str(one.verdict) for machine, one in findings.items()})
        alike = len({one.verdict for one in findings.values()}) == 1
        verdict = next(iter(findings.values())).verdict if alike else verdicts
        return f"{verdict}, {side_by_side({machine: one.number for machine, one in findings.items()})}"

    @property
    def by_verdict(self) -> dict[Verdict, list[str]]:
        """The claims of each verdict of the first machine, what fails first."""
        verdicts = {
            name: next((finding.verdict for finding in of_claim.values()), Verdict.OPEN)
            for name, of_claim in self.findings.items()
        }
        every = {
            verdict: [name for name, of in verdicts.items() if of == verdict] for verdict in FAILURES_FIRST
        }
        return {verdict: names for verdict, names in every.items() if names}

    def counts(self, machine: str, of_time: bool = False) -> dict[Verdict, int]:
        """Count the claims, or those alone that a time decides, by verdict, in the order of the verdicts."""
        counts = Counter(finding.verdict for finding in self._found(machine, of_time))
        return {verdict: counts[verdict] for verdict in Verdict}

    def noisy(self, machine: str, of_time: bool = False) -> int:
        """Count the claims that were measured, and cannot be told for the spread of times alone."""
        return sum(finding.noisy for finding in self._found(machine, of_time))

    def _found(self, machine: str, of_time: bool) -> Iterator[Finding]:
        """Yield the findings on a machine, on all claims or on those that a time decides."""
        for name, of_claim in self.findings.items():
            test = self.report.claims[name].test
            if not of_time or (test is not None and test.is_of_time):
                yield of_claim[machine]


@dataclass(frozen=True)
class Tally:
    """How many claims of each report have which verdict on a machine."""

    machine: str
    gpu: str
    of_reports: Mapping[str, Mapping[Verdict, int]]
    noisy: Mapping[str, int] = field(default_factory=dict)
    """How many claims of each report cannot be told for the spread of times alone."""
    of_time: Mapping[Verdict, int] = field(default_factory=dict)
    """How many claims that a time decides have which verdict, of all reports."""
    noisy_of_time: int = 0

    @classmethod
    def of(cls, abstracts: Iterable[Abstract], frame: Frame) -> Tally:
        """Count those of the first machine with a GPU; raise RetraceError if none has records of a report."""
        machine = next(iter(frame.on_gpu), "")
        judged = [one for one in abstracts if machine in one.machines]
        counts = {one.report.key: one.counts(machine) for one in judged}
        noisy = {one.report.key: one.noisy(machine) for one in judged}
        gpus = (entry.record.machine.gpu for entry in frame.measured if entry.machine == machine)
        name = next((gpu.name for gpu in gpus if gpu), "")
        if not any(map(sum, (of.values() for of in counts.values()))):
            raise RetraceError(
                "results/machines: expected records of a report from a machine with a GPU, found none"
            )
        of_time = _added(one.counts(machine, of_time=True) for one in judged)
        noisy_of_time = sum(one.noisy(machine, of_time=True) for one in judged)
        return cls(machine, name, counts, noisy, of_time, noisy_of_time)

    @property
    def total(self) -> dict[Verdict, int]:
        """Those of all reports."""
        return _added(self.of_reports.values())

    @property
    def others(self) -> dict[Verdict, int]:
        """Those that an answer, a count, a share or a size decides, or nothing here."""
        return {verdict: count - self.of_time.get(verdict, 0) for verdict, count in self.total.items()}


def _added(every: Iterable[Mapping[Verdict, int]]) -> dict[Verdict, int]:
    """Add up counts by verdict."""
    counts = list(every)
    return {verdict: sum(of[verdict] for of in counts) for verdict in Verdict}


def abstract(report: Report, frame: Frame) -> Abstract:
    """Judge all claims of a report on all machines that have records of it."""
    machines = judging(report, frame).machines
    findings = {
        name: {machine: judge(report, claim, frame, machine) for machine in machines}
        for name, claim in report.claims.items()
    }
    return Abstract(report, machines, findings)


def judging(report: Report, frame: Frame) -> Frame:
    """Return what the claims of a report are judged by."""
    experiments = {name for claim in report.claims.values() for name in claim.experiments}
    return Frame([entry for entry in frame.entries if entry.experiment in experiments])
