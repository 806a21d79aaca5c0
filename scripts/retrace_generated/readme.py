"""The made parts of README: the answer in a sentence, verdicts, what is fast today."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrace.publish.answer import answer
from retrace.publish.front import Abstract, Tally
from retrace.publish.page import number_table
from retrace.publish.today import Race, Tables
from retrace.records.ranking import WITHIN_NOISE
from retrace.reports.finding import Finding
from retrace_generated.agreements import Agreement
from retrace_generated.generated_parts import made_from, with_part
from retrace_generated.report_answers import SIGNS

FROM_ANSWER, FROM_VERDICTS, FROM_TODAY = map(
    made_from, ("all verdicts", "the verdicts of each report", "the records of today")
)


def with_results(
    text: str,
    abstracts: Sequence[Abstract],
    tally: Tally,
    every: Sequence[Race],
    agreed: Sequence[Agreement],
) -> str:
    """Return README with its parts made anew; raise RetraceError if it lacks a mark."""
    parts: dict[str, Callable[[], str]] = {
        FROM_ANSWER: lambda: answer(tally, every),
        FROM_VERDICTS: lambda: _verdicts(abstracts, tally, agreed),
        FROM_TODAY: lambda: Tables(every).front,
    }
    for mark, make in parts.items():
        text = with_part(text, mark, make())
    return text


def _verdicts(abstracts: Sequence[Abstract], tally: Tally, agreed: Sequence[Agreement]) -> str:
    """Return a row for each report: how many of its claims hold, its question, the numbers that answer."""
    signs = [f"{sign} {verdict}" for verdict, sign in SIGNS.items()]
    rows = []
    for one in abstracts:
        if tally.machine in one.machines:
            key, front = one.report.key, one.report.front
            counts = map(str, one.counts(tally.machine).values())
            evidence = f"**{front.question}** {_answer_of(one, tally.machine)}" if front else one.report.title
            rows.append([f"[{key}](docs/results/{key}.md)", *counts, evidence])
    others = [
        f" Of the {one.told} claims that {one.machine} can tell, too, "
        f"{'all' if one.same == one.told else one.same} have the same there."
        for one in agreed
        if one.told
    ]
    note = f"<sub>Verdicts are those of {tally.machine}.{''.join(others)}</sub>"
    heads = ["report", *signs, "asked, and measured"]
    return f"{number_table(heads, rows, left=(0, len(heads) - 1))}\n\n{note}"


def _answer_of(one: Abstract, machine: str) -> str:
    """Return a report's answer in a sentence, with a machine's numbers and verdicts; empty if one lacks."""
    front = one.report.front if machine in one.answering else None
    return front.answered(lambda name: _signed(one.findings[name][machine])) if front else ""


def _signed(finding: Finding) -> str:
    """Write a number with the sign of its verdict, which says whether it is within noise."""
    return f"{SIGNS[finding.verdict]} {finding.number.removesuffix(f' ({WITHIN_NOISE})')}"
