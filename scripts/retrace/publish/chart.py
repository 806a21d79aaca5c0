"""Figures: one function draws each kind of them, and all have the same frame of words and the same look.

The title says what the numbers say. Printed numbers have hollow markers and dashed lines, measured ones
filled markers and solid lines; points of a stand-in for a graph, and numbers in doubt, carry a sign.
"""

import io
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from matplotlib import rc_context
from matplotlib.figure import Figure

from retrace.publish.chart_axes import ROW, drawn_words, fit_height, framed
from retrace.publish.chart_cells import draw_cells
from retrace.publish.chart_lines import draw_lines, draw_rates, draw_scatter
from retrace.publish.chart_rows import (
    draw_bars,
    draw_distances,
    draw_dumbbells,
    draw_falls,
    draw_phases,
    draw_places,
)
from retrace.publish.chart_words import caption, described, footnotes, heading
from retrace.publish.panels import FigureContent
from retrace.reports.frame import Frame
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
    "lines.linewidth": 1.2,
    "axes.edgecolor": "#777777",
    "xtick.color": "#777777",
    "xtick.labelcolor": "#000000",
    "ytick.color": "#777777",
    "ytick.labelcolor": "#000000",
    "lines.markersize": 4.5,
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "svg.fonttype": "none",  # text that can be searched and read aloud, in half of the bytes
    "svg.hashsalt": "retrace",
    "text.parse_math": False,  # a name may contain $
    "figure.labelsize": 9,
    "legend.frameon": False,
    "legend.labelspacing": 0.2,
    "legend.handletextpad": 0.4,
    "legend.handlelength": 1,
    "legend.borderaxespad": 0,
    "savefig.dpi": 300,
}


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
    return Drawing(experiment=name, title=layout.title, kind="bars", y=layout.by)


def image(figure: Figure, form: str) -> bytes:
    """Encode a figure as `svg`, with title and description, or `png`: the same bytes for the same figure."""
    buffer = io.BytesIO()
    title, *others = drawn_words(figure)
    with rc_context(STYLE):
        about = {"Date": None, "Title": title} if form == "svg" else None
        figure.savefig(buffer, format=form, metadata=about)
    titles = "; ".join(" ".join(axes.get_title("left").split()) for axes in figure.axes)
    described = f"</title>\n <desc>{escape(' '.join([*others, 'Panels:', titles]))}</desc>"
    encoded = buffer.getvalue().replace(b"</title>", described.encode(), 1) if about else buffer.getvalue()
    return with_same_clips(encoded) if about else encoded


def with_same_clips(svg: bytes) -> bytes:
    """Name clips by what is written of them: matplotlib's names are of places before they are rounded."""
    clips = re.finditer(rb'<clipPath id="(\w+)">(.*?)</clipPath>', svg, re.DOTALL)
    names = {clip[1]: b"p" + sha256(clip[2]).hexdigest()[:10].encode() for clip in clips}
    return re.sub(rb"\bp[0-9a-f]{10}\b", lambda match: names.get(match[0], match[0]), svg)


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
    """Draw a figure: the finding as its title, what is drawn, its panels, and what the signs are."""
    drawing, panels = content.drawing, content.panels
    kinds = {
        "lines": lambda part: draw_lines(part, drawing, panels),
        "rows": lambda part: draw_places(part, drawing, panels),
        "bars": lambda part: draw_bars(part, drawing, panels),
        "heat map": lambda part: draw_cells(part, drawing, panels),
        "dumbbells": lambda part: draw_dumbbells(part, panels),
        "phases": lambda part: draw_phases(part, drawing, panels),
        "distances": lambda part: draw_distances(part, panels),
        "rates": lambda part: draw_rates(part, panels),
        "scatter": lambda part: draw_scatter(part, panels),
        "waterfall": lambda part: draw_falls(part, panels),
    }
    with rc_context(STYLE):
        figure, part = framed(heading(content), described(content), footnotes(content))
        if any(panel.machine for panel in panels):
            heights = kinds[content.kind](part)
        else:
            part.subplots().set_axis_off()  # without axes nothing is laid out
            heights = [ROW]
        fit_height(figure, heights)
    return figure
