"""Figures: lines against a size or a setting, solvers ranked on each graph, or falls of a printed time.

The title says what the numbers say. Printed numbers have hollow markers and dashed lines, measured ones
filled markers and solid lines, of a shade for each machine; points of a graph that is not the named one, and
numbers in doubt, carry a sign.
"""

import io
import re
import textwrap
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from retrace.publish.chart_axes import GAP, ROW, WIDTH, extent, widened
from retrace.publish.chart_bars import draw_bars, draw_falls
from retrace.publish.chart_lines import LEADER, draw_lines
from retrace.publish.chart_words import caption, finding, footnotes, heading
from retrace.publish.panels import FigureContent, Panel, bar_names
from retrace.reports.frame import Frame
from retrace.reports.measures import Measure
from retrace.reports.report import Drawing, Report, table_layout
from retrace.system.errors import RetraceError
from retrace.system.files import write_whole

STYLE: Any = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelpad": 2,
    "lines.linewidth": 1,
    "lines.markersize": 4.5,
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "svg.fonttype": "none",  # text that can be searched and read aloud, in half of the bytes
    "svg.hashsalt": "retrace",
    "text.parse_math": False,  # a name may contain $
    "savefig.dpi": 300,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.04,
}
HEIGHT, SCALE, TITLE, BELOW, CHARACTER, FALL_LABEL = 1.9, 0.75, 0.3, 0.2, 0.08, 1.2
"""Inches: the axes of lines, the room of a y axis's numbers, of a panel's title, of an x axis's numbers, of a
bold character, and of the words beside a step."""
TEXT_LINES = 3
"""The most lines of text besides the title; of these, one may explain the signs."""
WORDS = "words"
"""The label of a figure's texts that are its title and description."""


def drawing_of(report: Report | None, name: str, measured: Iterable[str] = ()) -> Drawing:
    """Return a figure of a report, or that of an experiment: every variant ranked.

    With records of the experiments `measured`, a name that neither has is a RetraceError.
    """
    if report and name in report.figures:
        return report.figures[name]
    known = [*report.figures, *report.experiments] if report else []
    there = dict.fromkeys([*known, *(measured := list(measured))])
    if measured and name not in there:
        raise RetraceError(f"--figures: {name} is no figure and no experiment; there are {', '.join(there)}")
    layout = table_layout(report, name)
    beside: Measure | None = "total" if layout.by != "total" else None
    return Drawing(experiment=name, title=layout.title, kind="bars", y=layout.by, beside=beside)


def image(figure: Figure, form: str) -> bytes:
    """Encode a figure as `svg`, with title and description, or `png`: the same bytes for the same figure."""
    buffer = io.BytesIO()
    title, *told = (
        " ".join(text.get_text().split()) for text in figure.texts[::-1] if text.get_label() == WORDS
    )
    with rc_context(STYLE):
        about = {"Date": None, "Title": title} if form == "svg" else None
        box = extent(figure).padded(STYLE["savefig.pad_inches"])  # "tight" alone would draw it twice
        figure.savefig(buffer, format=form, metadata=about, bbox_inches=box)
    told += ["Panels:", "; ".join(" ".join(axes.get_title("left").split()) for axes in figure.axes)]
    described = f"</title>\n <desc>{escape(' '.join(told))}</desc>"
    return buffer.getvalue().replace(b"</title>", described.encode(), 1) if about else buffer.getvalue()


def write_figure(folder: Path, name: str, frame: Frame, report: Report | None) -> None:
    """Draw a figure and write its three files: `.svg`, `.png`, and the caption as `.md`."""
    drawing = drawing_of(report, name, [entry.experiment for entry in frame.measured])
    write_three(folder, name, FigureContent(drawing, frame, report))


def write_three(folder: Path, name: str, content: FigureContent) -> None:
    """Write a figure as `.svg` and `.png`, and its caption as `.md`."""
    figure, text = draw(content), caption(content).encode()
    for form, encoded in {"svg": image(figure, "svg"), "png": image(figure, "png"), "md": text}.items():
        write_whole(folder / f"{name}.{form}", encoded)


def draw(content: FigureContent) -> Figure:
    """Draw a figure: the finding as its title, its panels, and what the signs are."""
    drawing, chosen = content.drawing, content.panels
    with rc_context(STYLE):
        figure = Figure(figsize=(1, 1), dpi=300)  # of one inch, so that all places are in inches
        drawn = _place(figure, drawing, chosen) if chosen else []
        if drawing.kind == "lines":
            draw_lines(drawing, drawn)
            box = extent(figure)
        elif drawing.kind == "bars":
            box = draw_bars(figure, drawing, drawn, content.report)
        else:
            box = draw_falls(figure, drawn)
        box = Bbox.union([box, Bbox.from_extents(0, 0, WIDTH, 0)])
        if notes := "; ".join(footnotes(drawing, chosen)):
            box = add_words(figure, box, f"{notes}.", "top", 1)
        if drawing.kind != "waterfall" or not chosen:  # whose bars say it
            box = add_words(figure, box, finding(content), "bottom", TEXT_LINES - bool(notes))
        add_words(figure, box, heading(content), "bottom", 3, fontsize=10, fontweight="bold")
    return figure


def _place(figure: Figure, drawing: Drawing, chosen: Sequence[Panel]) -> list[tuple[Axes, Panel]]:
    """Make the axes: of lines in two columns; of bars a column for each graph, a row for each machine."""
    names = {line.name for panel in chosen for line in panel.lines} | {drawing.level_name}
    longest = max(_width(figure, name) for name in names)
    if drawing.kind == "lines":
        left, right = SCALE, LEADER + longest + 2 * GAP
        cells, between = [divmod(number, 2) for number in range(len(chosen))], left + right
    else:
        left, right = longest + GAP, GAP if drawing.kind == "bars" else FALL_LABEL
        rows = list(dict.fromkeys(_row(drawing, panel) for panel in chosen))
        cells = [(rows.index(row), column) for row, column in _cells(drawing, chosen)]
        between = 4 * GAP
    count = 1 + max(column for _, column in cells)
    wide = max(1.0, (WIDTH - left - right - (count - 1) * between) / count)
    drawn, top = [], 0.0
    for row in range(1 + max(row for row, _ in cells)):
        own = [(panel, column) for panel, (at, column) in zip(chosen, cells, strict=True) if at == row]
        own.sort(key=lambda place: place[1])
        high = _height(drawing, [panel for panel, _ in own])
        room = round((wide + (right if drawing.kind == "lines" else 0)) / CHARACTER)
        titles = [textwrap.fill(panel.title, room, break_on_hyphens=False) for panel, _ in own]
        top -= ROW * max(title.count("\n") for title in titles) * (row > 0)
        for (panel, column), title in zip(own, titles, strict=True):
            axes = figure.add_axes((left + column * (wide + between), top - high, wide, high))
            axes.set_title(title, pad=6, loc="left")
            drawn.append((axes, panel))
        if drawing.kind == "bars":
            figure.text(0, top + 6 / 72, own[0][0].machine or "printed", weight="bold")
        top -= high + TITLE + BELOW
    return drawn


def _cells(drawing: Drawing, chosen: Sequence[Panel]) -> list[tuple[str, int]]:
    """Return the row and column of each panel: what all rows show comes first, a graph in one column.

    A row that shares no graph with another has its own columns.
    """
    rows: dict[str, list[str]] = defaultdict(list)
    for panel in chosen:
        rows[_row(drawing, panel)].append(panel.graph)
    times = Counter(graph for graphs in rows.values() for graph in set(graphs))
    aligned = [graphs for graphs in rows.values() if any(times[graph] > 1 for graph in graphs)]
    first = aligned[0] if aligned else []
    shared = [graph for graph in first if all(graph in graphs for graphs in aligned)]
    columns = {
        row: list(dict.fromkeys([*(shared if graphs in aligned else []), *graphs]))
        for row, graphs in rows.items()
    }
    return [(row, columns[row].index(panel.graph)) for panel in chosen for row in [_row(drawing, panel)]]


def _row(drawing: Drawing, panel: Panel) -> str:
    return panel.machine if drawing.kind == "bars" else panel.title


def _height(drawing: Drawing, row: Sequence[Panel]) -> float:
    if drawing.kind == "lines":
        return max(HEIGHT, *(ROW * len(panel.lines) for panel in row))
    return ROW * (0.4 + len(bar_names(row)) * (2 if drawing.pairs else 1))


def _width(figure: Figure, words: str) -> float:
    text = figure.text(0, 0, words)
    width = float(text.get_window_extent().width)
    text.remove()
    return width / figure.dpi


def add_words(figure: Figure, box: Bbox, words: str, side: str, most: int, **font: Any) -> Bbox:
    """Write below the box, the top there, or above it, in so many lines at most; return the box of both."""
    y = box.y1 + GAP if side == "bottom" else box.y0 - GAP
    whole = re.sub(r"(\d|Figure|Table) (ns|µs|ms|s|\d)\b", "\\1\u00a0\\2", words)  # is not broken
    text = figure.text(box.x0, y, "", va=side, label=WORDS, **font)

    def width(characters: int) -> float:
        lines = textwrap.wrap(whole, characters, break_on_hyphens=False, max_lines=most, placeholder=" …")
        text.set_text("\n".join(lines))
        return text.get_window_extent().width

    widths = range(21, 161)
    width(widths[max(0, bisect_right(widths, box.width * figure.dpi, key=width) - 1)])
    return widened(figure, box, text)
