"""The README's table of what is fast today: a first search and a further one, ours beside others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from retrace.publish.doubts import doubts
from retrace.publish.generated_parts import made_from
from retrace.publish.page import MARK
from retrace.publish.panels import FigureContent, Panel, spans
from retrace.publish.provenance import cores_of
from retrace.publish.record_cards import address
from retrace.publish.standing import over
from retrace.records.machine_check import Doubt
from retrace.reports.frame import Frame, Measured
from retrace.reports.like_for_like import (
    FIRST,
    SHOWN_TODAY,
    Contenders,
    best_other,
    break_even,
    contenders,
    is_ours,
    is_search,
)
from retrace.reports.report import Report
from retrace.reports.wording import EMPTY, duration, few_trials, word_list

SAMPLES = ("sources", "pairs")
"""Parameters of a record whose trials have a source, or a pair of vertices, each."""
FROM_TODAY = made_from("the records of today")
HEADS = ("", *(head for measure in SHOWN_TODAY for head in (f"{measure}: ours", "published", "library")),
         "ahead from search")  # fmt: skip


def make_today_table(reports: Sequence[Report], frame: Frame) -> str:
    """Return the table of the first machine with a GPU in Markdown, with what was asked below it."""
    panels = list(_panels(reports, frame))
    entries = [entry for panel in panels for entry in panel.measured if entry.total]
    doubtful = doubts(entries)
    lines = [HEADS, ["---", *["--:"] * (len(HEADS) - 1)], *(_row(panel, doubtful) for panel in panels)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    given = [entry.record.parameters for entry in entries if is_search(entry)]
    samples = {f"{some[key]} {key}" for some in given for key in SAMPLES if key in some} or {"1 source"}
    trials = [entry.times[FIRST].n for entry in entries if FIRST in entry.times]
    medians = f"medians of {spans(trials)}"
    machine = panels[0].machine if panels else "no machine"
    footnote = (
        f"Measured on {machine}: {medians}; each search but betweenness's from {word_list(sorted(samples))}"
    )
    footnote += "; pairs far apart." if any(some.get("pair") == "far" for some in given) else "."
    if MARK in table:
        reasons = sorted({doubt.why for some in doubtful.values() for doubt in some})
        footnote += f" {MARK}: a doubtful number ({'; '.join(reasons)})."
    return f"{table}\n\n<sub>{footnote}</sub>"


def _panels(reports: Sequence[Report], frame: Frame) -> Iterator[Panel]:
    """Yield what the figures of first searches rank, a graph each."""
    for report in reports:
        for drawing in report.figures.values():
            if drawing.y == FIRST and drawing.graphs:
                content = FigureContent(drawing, frame, report)
                yield from (one for one in content.panels if one.machine in content.entries.on_gpu[:1])


def _row(panel: Panel, doubtful: Mapping[str, Sequence[Doubt]]) -> list[str]:
    entries = [entry for entry in panel.measured if entry.total]
    first, further = (contenders(measure, entries) for measure in SHOWN_TODAY)
    title = f"{entries[0].record.problem} on {entries[0].label}"
    ahead = ""
    if further and is_search(further.ours):
        others = [entry for entry in entries if not is_ours(entry)]
        ahead = break_even(further.ours, best_other(further.ours, others))
    return [title, *_cells(first, doubtful), *_cells(further, doubtful), ahead or EMPTY]


def _cells(compared: Contenders | None, doubtful: Mapping[str, Sequence[Doubt]]) -> list[str]:
    if compared is None:
        return [EMPTY] * 3

    def marked(text: str, *entries: Measured | None) -> str:
        """Mark a number that rests on a doubtful one."""
        why = [doubt for entry in entries if entry for doubt in doubtful.get(address(entry.record), ())]
        return f"{text} {MARK}" if any(doubt.concerns(compared.measure) for doubt in why) else text

    ours, times = compared.ours, compared.ours.times[compared.measure]
    cores = f", {where}" if (where := cores_of(ours.record)) else ""
    cells = [f"{marked(duration(times.median) + few_trials(times), ours)} `{ours.name}`{cores}"]
    for factor, other in (
        (over(compared, "published"), compared.published),
        (over(compared, "library"), compared.library),
    ):
        cells.append(marked(factor, ours, other) if factor else EMPTY)
    return cells
