"""What README says of results, between its marks: the answer in a sentence, the verdicts, what is fast today."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrace.publish.front import SIGNS, Abstract, Tally
from retrace.publish.generated_parts import made_from, with_part
from retrace.publish.today import Race, Tables, typical
from retrace.reports.finding import Verdict

ANSWER, VERDICTS, TODAY = map(made_from, ("all verdicts", "the verdicts of each report", "the records of today"))
COUNTED = {
    Verdict.HOLDS: "hold",
    Verdict.IN_PART: "hold in part",
    Verdict.FAILS: "do not hold",
    Verdict.OPEN: "cannot be told",
}
"""A verdict on several claims."""


def with_results(text: str, abstracts: Sequence[Abstract], tally: Tally, every: Sequence[Race]) -> str:
    """Return README with its parts made anew; raise RetraceError if it lacks a mark."""
    parts: dict[str, Callable[[], str]] = {
        ANSWER: lambda: answer(tally, every),
        VERDICTS: lambda: _verdicts(abstracts, tally),
        TODAY: lambda: Tables(every).front,
    }
    for mark, make in parts.items():
        text = with_part(text, mark, make())
    return text


def answer(tally: Tally, every: Sequence[Race]) -> str:
    """Say in Markdown how many claims hold, and how much faster what is fast today is."""
    numbers = [f"{number} {COUNTED[verdict]}" for verdict, number in tally.total.items() if number]
    said = f"**Of {tally.claims} claims, on an {tally.gpu}, {', '.join(numbers[:-1])} and {numbers[-1]}."
    beside = {"published kernel": typical(every, "published"), "library": typical(every, "library")}
    fast = [f"{factor} than the best {other}" for other, factor in beside.items() if factor]
    if fast:
        said += f" The fastest kernels here finish a first search {' and '.join(fast)} (median of {len(every)} searches)."
    return f"{said}**"


def _verdicts(abstracts: Sequence[Abstract], tally: Tally) -> str:
    """Return a row for each report: its question, how many of its claims hold, and the numbers that answer."""
    lines = ["| report | claims | what was measured |", "|---|---|---|"]
    for one in abstracts:
        if tally.machine in one.machines:
            key, front = one.report.key, one.report.front
            counts = "<br>".join(
                f"{SIGNS[verdict]}\N{NO-BREAK SPACE}{number}\N{NO-BREAK SPACE}{COUNTED[verdict].replace(' ', chr(160))}"
                for verdict, number in one.counts(tally.machine).items()
                if number
            )
            asked = f"**{front.question}** " if front else ""
            lines.append(f"| [`{key}`](docs/results/{key}.md) | {counts} | {asked}{one.answer_of(tally.machine)} |")
    return "\n".join(lines)
