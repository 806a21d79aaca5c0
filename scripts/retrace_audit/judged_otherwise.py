"""Whether a claim's verdict depends on the machine, the phase that is compared, or Python's loops."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from retrace.records.record import Phase
from retrace.reports.claim import Claim, Comparison, Ratio
from retrace.reports.finding import Finding
from retrace.reports.frame import Entry, Frame, Measured
from retrace.reports.judge import judge
from retrace.reports.report import Report

LOOPS = {"c++": False, "python": True}
"""What may repeat the launches, and whether that is Python."""
JUDGED: tuple[Phase, ...] = ("solve", "total")
"""The phases by either of which a whole search can be judged."""


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


def by_phase(reports: Sequence[Report], frame: Frame, machine: str) -> Iterator[Verdicts]:
    """Judge on a machine, by each of both phases, all claims that compare one of them."""
    for report in reports:
        for name, claim in report.claims.items():
            if claim.test is not None and compared_phase(claim.test) in JUDGED:
                by: dict[str, Finding] = {
                    phase: judge(report, _judged_by(claim, claim.test, phase), frame, machine)
                    for phase in JUDGED
                }
                yield Verdicts(report.key, name, by)


def by_loop(reports: Sequence[Report], frame: Frame, machine: str) -> Iterator[Verdicts]:
    """Judge with loops in C++ and in Python all claims of which some records have a like with the other."""
    frames = {loop: _looping(frame, machine, in_python) for loop, in_python in LOOPS.items()}
    in_cpp, in_python = frames.values()
    replaced = {a.experiment for a, b in zip(in_cpp.entries, in_python.entries, strict=True) if a is not b}
    for report in reports:
        for name, claim in report.claims.items():
            if replaced.intersection(claim.experiments):
                by = {loop: judge(report, claim, each, machine) for loop, each in frames.items()}
                yield Verdicts(report.key, name, by)


def compared_phase(test: Comparison) -> str | None:
    """Return what a test compares: a phase or another quantity; None of a quotient of two quantities."""
    if isinstance(test, Ratio):
        return test.of if test.over_its in (None, test.of) else None
    return test.by


def _judged_by(claim: Claim, test: Comparison, phase: Phase) -> Claim:
    return claim.model_copy(update={"test": test.judged_by(phase)})


def _looping(frame: Frame, machine: str, in_python: bool) -> Frame:
    """Return a frame in which a machine's records have the times of their likes with the given loop.

    A like is of the same solver, settings, graph, question, host and commit, from any experiment.
    """
    measured = [e for e in frame.measured if e.machine == machine and e.times]
    wanted = [e for e in measured if e.record.loops_in_python == in_python]
    likes = {_work(e): e for e in wanted}
    there = {(e.experiment, _work(e)) for e in wanted}  # all that have the loop, and what stands beside these

    def like(entry: Entry) -> Entry:
        if not isinstance(entry, Measured) or (entry.experiment, _work(entry)) in there:
            return entry
        other = likes.get(_work(entry))
        if other is None or entry.machine != machine or entry.differences(other):
            return entry
        return replace(entry, times=other.times, record=other.record)

    return Frame([like(entry) for entry in frame.entries])


def _work(entry: Measured) -> tuple[object, ...]:
    """Return what a record's work is known by, whatever repeats the launches."""
    settings = {key: value for key, value in entry.record.parameters.items() if key != "loop"}
    return entry.solver, entry.record.graph.sha256, entry.record.source, *sorted(settings.items())
