"""The answer to all reports in a sentence: how many claims hold, and how much faster ours are."""

from collections.abc import Sequence

from retrace.publish.front import Tally
from retrace.publish.today import Race, typical
from retrace.reports.finding import Verdict
from retrace.reports.wording import word_list

COUNTED_AS = {
    Verdict.HOLDS: "hold",
    Verdict.IN_PART: "hold in part",
    Verdict.FAILS: "do not hold",
    Verdict.OPEN: "cannot be told",
}
"""A verdict on several claims."""


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
