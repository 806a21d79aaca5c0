"""The README's table of what is fast today: a first search and a further one, ours beside others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrace.publish.generated_parts import made_from
from retrace.publish.panels import FigureContent, Panel, spans
from retrace.publish.standing import over
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
from retrace.reports.wording import EMPTY, duration, word_list

SAMPLES = ("sources", "pairs")
"""Parameters of a record whose trials have a source, or a pair of vertices, each."""
FROM_TODAY = made_from("the records of today")
HEADS = ("", *(head for measure in SHOWN_TODAY for head in (f"{measure}: ours", "published", "library")),
         "ahead from search")  # fmt: skip


def make_today_table(reports: Sequence[Report], frame: Frame) -> str:
    """Return the table of the first machine with a GPU in Markdown, with what was asked below it."""
    panels = list(_panels(reports, frame))
    lines = [HEADS, ["---", *["--:"] * (len(HEADS) - 1)], *(_row(panel) for panel in panels)]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    entries = [dot.entry for panel in panels for dot in panel.dots if isinstance(dot.entry, Measured)]
    given = [entry.record.parameters for entry in entries if is_search(entry)]
    asked = {f"{some[key]} {key}" for some in given for key in SAMPLES if key in some} or {"1 source"}
    trials = [entry.times[FIRST].n for entry in entries if FIRST in entry.times]
    medians = f"medians of {spans(trials)}"
    machine = panels[0].machine if panels else "no machine"
    said = f"Measured on {machine}: {medians}; each search from {word_list(sorted(asked))}."
    return f"{table}\n\n<sub>{said}</sub>"


def _panels(reports: Sequence[Report], frame: Frame) -> Iterator[Panel]:
    """Yield what the figures of first searches rank, a graph each."""
    for report in reports:
        for drawing in report.figures.values():
            if drawing.y == FIRST and drawing.graphs:
                content = FigureContent(drawing, frame, report)
                yield from (one for one in content.panels if one.machine in content.entries.on_gpu[:1])


def _row(panel: Panel) -> list[str]:
    entries = [dot.entry for dot in panel.dots if isinstance(dot.entry, Measured)]
    first, further = (contenders(measure, entries) for measure in SHOWN_TODAY)
    title = f"{entries[0].record.problem} on {entries[0].label}"
    ahead = ""
    if further and is_search(further.ours):
        others = [entry for entry in entries if not is_ours(entry)]
        ahead = break_even(further.ours, best_other(further.ours, others))
    return [title, *_cells(first), *_cells(further), ahead or EMPTY]


def _cells(compared: Contenders | None) -> list[str]:
    if compared is None:
        return [EMPTY] * 3
    time = f"{duration(compared.ours.times[compared.measure].median)} `{compared.ours.name}`"
    return [time, *(over(compared, who) or EMPTY for who in ("published", "library"))]
