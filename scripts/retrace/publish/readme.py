"""What README says of results between its marks: the answer in a sentence, verdicts, what is fast today."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrace.publish.front import SIGNS, Abstract, Tally
from retrace.publish.generated_parts import made_from, number_table, with_part
from retrace.publish.today import Race, Tables, typical
from retrace.reports.finding import Verdict
from retrace.reports.wording import word_list

FROM_ANSWER, FROM_VERDICTS, FROM_TODAY = map(
    made_from, ("all verdicts", "the verdicts of each report", "the records of today")
)
COUNTED_AS = {
    Verdict.HOLDS: "hold",
    Verdict.IN_PART: "hold in part",
    Verdict.FAILS: "do not hold",
    Verdict.OPEN: "cannot be told",
}
"""A verdict on several claims."""


def with_results(text: str, abstracts: Sequence[Abstract], tally: Tally, every: Sequence[Race]) -> str:
    """Return README with its parts made anew; raise RetraceError if it lacks a mark."""
    parts: dict[str, Callable[[], str]] = {
        FROM_ANSWER: lambda: answer(tally, every),
        FROM_VERDICTS: lambda: _verdicts(abstracts, tally),
        FROM_TODAY: lambda: Tables(every).front,
    }
    for mark, make in parts.items():
        text = with_part(text, mark, make())
    return text


def answer(tally: Tally, every: Sequence[Race]) -> str:
    """Say in Markdown how many claims hold, and how much faster what is fast today is."""
    numbers = [f"{number} {COUNTED_AS[verdict]}" for verdict, number in tally.total.items() if number]
    said = f"**Of {tally.claims} claims, {word_list(numbers)} on an {tally.gpu}."
    beside = {
        "the reports' best kernel": typical(every, "published"),
        "the best library": typical(every, "library"),
    }
    fast = [
        f"{factor} than {other} (median, n = {count})" for other, (factor, count) in beside.items() if factor
    ]
    if fast:
        elsewhere = f", on {every[0].machine}," if every[0].machine != tally.machine else ""
        said += f" Our fastest program for each{elsewhere} finishes a first search {word_list(fast)}."
    return f"{said}**"


def _verdicts(abstracts: Sequence[Abstract], tally: Tally) -> str:
    """Return a row for each report: how many of its claims hold, its question, the numbers that answer."""
    signs = [f"{sign} {verdict}" for verdict, sign in SIGNS.items()]
    rows = []
    for one in abstracts:
        if tally.machine in one.machines:
            key, front = one.report.key, one.report.front
            counts = map(str, one.counts(tally.machine).values())
            evidence = f"**{front.question}** {one.answer_of(tally.machine)}" if front else one.report.title
            rows.append([f"[{key}](docs/results/{key}.md)", *counts, evidence])
    mixed = f" Its records are of {tally.hosts} hosts; only what one host measured is compared."
    note = f"<sub>Verdicts are those of {tally.machine}.{mixed if tally.hosts > 1 else ''}</sub>"
    heads = ["report", *signs, "asked, and measured"]
    return f"{number_table(heads, rows, left=(0, len(heads) - 1))}\n\n{note}"
