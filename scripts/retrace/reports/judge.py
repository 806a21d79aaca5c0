"""Whether a claim holds on a machine: the finding of its comparison, with what is quoted beside it."""

from dataclasses import replace
from math import inf

from retrace.records.machine_check import doubtful_trials
from retrace.reports.claim import Claim, Comparison, several
from retrace.reports.evidence import Evidence
from retrace.reports.finding import Finding, Verdict
from retrace.reports.frame import Frame
from retrace.reports.measures import Measure
from retrace.reports.report import Report
from retrace.reports.wording import duration, word_list

SAID = 2
"""Of so many doubtful times a verdict says why."""


def judge(report: Report, claim: Claim, frame: Frame, machine: str) -> Finding:
    """Judge a claim by what a machine has measured, and quote the findings by other measures."""
    test = claim.test
    if test is None:
        why = claim.refuted or claim.missing or "nothing here measures it"
        return Finding(Verdict.FAILS if claim.refuted else Verdict.OPEN, why=why)
    evidence = Evidence.of(report, claim.experiments, test, frame, machine)
    finding = _with_quote(report, claim, test, evidence)
    if not finding.measured:
        return finding
    quoted = [finding.measured]
    for measure in several(test.beside):
        other = _with_quote(report, claim, test.judged_by(measure), evidence)
        lacking = [str(variant) for variant in evidence.variants if not evidence.summaries(variant, measure)]
        if other.measured or lacking:
            why = other.measured or f"no record of {word_list(lacking)} has it"
            quoted.append(f"by {measure} it {other.verdict}: {why}")
    doubtful = "" if finding.stands_to == inf else _doubtful(evidence, test.by, *several(test.beside))
    return replace(finding, measured="; ".join(quoted) + _skipped(evidence) + doubtful)


def _skipped(evidence: Evidence) -> str:
    """Say on which graphs a variant was skipped, and why on the largest: a verdict does not rest on them."""
    said = ""
    for variant in dict.fromkeys(evidence.variants):
        records = sorted(evidence.records(variant), key=lambda entry: entry.work)
        if skipped := [entry for entry in records if entry.outcome == "skipped"]:
            graphs = word_list(list(dict.fromkeys(entry.title for entry in skipped)))
            said += f"; {variant} skipped on {graphs}: {skipped[-1].record.reason}"
    return said


def _doubtful(evidence: Evidence, *measures: Measure) -> str:
    """Say which times behind a verdict are doubtful, and why; of many, the first."""
    timed = [entry for entry in evidence.records(*evidence.variants) if entry.total]
    concerning = [(e, d) for e in timed for d in doubtful_trials(e.record) if d.concerns(*measures)]
    doubts = [f"{entry.name} on {entry.title}, {doubt.found}" for entry, doubt in concerning]
    more = f"; and {len(doubts) - SAID} more" if len(doubts) > SAID else ""
    return f"; doubtful (?): {'; '.join(doubts[:SAID])}{more}" if doubts else ""


def _with_quote(report: Report, claim: Claim, test: Comparison, evidence: Evidence) -> Finding:
    finding, quote = test.judge(evidence), claim.quote
    if quote and finding.measured:
        times = list(evidence.summaries(report.variant(quote.variant), test.by).items())
        words = [f"; {graph}: {duration(summary.median)} {quote.words}" for graph, summary in times[-1:]]
        return replace(finding, measured="".join([finding.measured, *words]))
    return finding
