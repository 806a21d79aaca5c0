"""Figures of fabricated records, for tests of what they show and say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.text import Text

from fabricated import frame, graph_info, record
from retrace.publish.chart import draw, drawing_of
from retrace.publish.chart_words import heading
from retrace.publish.panel import Panel
from retrace.publish.panels import FigureContent
from retrace.records.record import Record
from retrace.reports.report import Drawing, load_reports


def made(
    experiment: str, solver: str, graph: str, ms: float, backend: str = "cuda", **changes: Any
) -> Record:
    """Fabricate a record of three trials of nearly the same time."""
    info, machine = graph_info(graph, **changes.pop("of", {})), changes.pop("machine", "h200")
    times = (ms, ms * 1.001, ms * 1.002)
    return record(solver, info, times, machine, backend, experiment=experiment, **changes)


def content_of(key: str, drawing: str | Drawing, records: Sequence[Record]) -> FigureContent:
    """Return what a report's figure, or one of its own, shows of records."""
    named = drawing if isinstance(drawing, Drawing) else drawing_of(load_reports()[key], drawing)
    return FigureContent(named, *frame(records, key))


def shown(key: str, drawing: str | Drawing, records: Sequence[Record]) -> tuple[Figure, list[Panel]]:
    """Draw a figure of records; return it with its panels."""
    content = content_of(key, drawing, records)
    return draw(content), content.panels


def title(key: str, drawing: str | Drawing, records: Sequence[Record]) -> str:
    """Return the title of a figure of records, on one line."""
    return heading(content_of(key, drawing, records)).replace("\N{NO-BREAK SPACE}", " ")


def words(figure: Figure) -> str:
    """Return all words of a figure."""
    found = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    return " | ".join(found).replace("\n", " ").replace("\N{NO-BREAK SPACE}", " ")


def medians(panel: Panel) -> dict[str, list[float]]:
    """Return the medians of each line of a panel."""
    return {line.name: [round(dot.value.median, 3) for dot in line.dots] for line in panel.lines}
