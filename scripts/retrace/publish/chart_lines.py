"""Lines against a size or a setting, each with a marker of its own; their names are beside each panel."""

from collections.abc import Iterable, Sequence
from math import ceil
from textwrap import fill
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator, PercentFormatter

from retrace.publish.chart_axes import (
    COLOURS,
    ROW,
    axis_label,
    name_powers,
    shade,
    tick_ratio,
    tick_time,
    whiskers,
    whites,
    widen,
)
from retrace.publish.panels import DOUBT, Line, Panel
from retrace.reports.report import Drawing
from retrace.reports.wording import power_of_two

MARKERS = ("o", "D", "s", "^", "v", "p", "h", "X", "<", "P", ">", "d", "*")
"""Of the first line, the second and so on; there are 104 pairs of them and colours."""
DASHES = ((0, (3, 1.5)), (0, (5, 1.5)), (0, (1.5, 1.5)))
"""Of the first printed system, the second and so on."""
SIGN_MARKERS = {"×": "x", "+": "+", DOUBT: "o"}  # noqa: RUF001
HEIGHT = 1.9
"""Inches: the least height of a panel."""
MOST_PLACES = 6
"""The most names on an x axis; half as many long ones."""
PANEL_TITLE_LINE = 82
"""The most characters in a line of the titles of panels beside each other, together."""


def draw_lines(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw panels in two columns, on one x axis; return the heights of their rows in inches."""
    columns = min(2, len(panels))
    grid = figure.subplots(ceil(len(panels) / columns), columns, squeeze=False)
    drawn = list(zip(grid.flat, panels, strict=False))
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    lines = [line for panel in panels for line in panel.lines]
    widen(figure, [*(line.name for line in lines), drawing.level_name], columns, 2.25)
    keys = [*(line.key for line in lines if not line.system), *(line.key for line in lines)]
    keys += [drawing.compared.over.split("/")[-1]] if drawing.compared else []
    styles = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    white = whites(panels)
    for axes, panel in drawn:
        axes.set_title(fill(panel.title, PANEL_TITLE_LINE // columns, break_on_hyphens=False), loc="left")
        axes.sharex(drawn[0][0])
        axes.sharey(next(other for other, shown in drawn if shown.compares == panel.compares))
        axes.set_yscale("linear" if panel.measure == "transfer" else "log")
        axes.set_ylabel(axis_label(panel))
        _draw_panel(axes, panel, drawing, [_look(line, styles, white[panel.machine]) for line in panel.lines])
    _name_places(drawn[0][0], drawing, lines)
    for axes, panel in drawn:
        if panel.measure == "transfer":
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(PercentFormatter(1, 0, symbol=""))
        else:
            name_powers(axes.yaxis, 3, 7, tick_ratio if panel.over else tick_time)
    size = "Vertices per graph" if drawing.x == "vertices" else drawing.axis or drawing.x.replace("_", " ")
    figure.supxlabel(size)
    return [max(HEIGHT, *(ROW * len(panel.lines) for panel in panels))] * len(grid)


def _look(line: Line, styles: dict[str, int], white: float) -> dict[str, Any]:
    style = styles[line.key]
    colour = shade(COLOURS[style % len(COLOURS)], white)
    look: dict[str, Any] = {"color": colour, "marker": MARKERS[style % len(MARKERS)]}
    if line.system:
        look |= {"linestyle": DASHES[(line.system - 1) % len(DASHES)], "markerfacecolor": "white"}
    return look


def _draw_panel(axes: Axes, panel: Panel, drawing: Drawing, looks: Iterable[dict[str, Any]]) -> None:
    """Draw lines and a level, and name them in the order of their right ends."""
    ends: list[tuple[float, Artist]] = []
    for line, look in zip(panel.lines, looks, strict=True):
        joined = [dots[-1] for is_joined, dots in line.strokes if is_joined] or [line.dots[-1]]
        last = max(joined, key=lambda dot: dot.x)
        ends.append((last.value.median, _draw_line(axes, line, look)))
    level = 1.0 if panel.compares else drawing.level
    if level is not None:
        name = "" if panel.compares else drawing.level_name
        across = axes.axhline(level, color="0.6", lw=0.7, zorder=1, label=name)
        ends += [(level, across)] if name else []
    _name_alone(axes, panel.lines)
    handles = [handle for _, handle in sorted(ends, key=lambda end: -end[0])]
    axes.legend(handles=handles, loc="center left", bbox_to_anchor=(1, 0.5))


def _draw_line(axes: Axes, line: Line, look: dict[str, Any]) -> Artist:
    """Draw a line with its quartiles and signs; return what a legend shows of it."""
    strokes = []
    for connected, dots in line.strokes:
        values = [dot.value for dot in dots]
        medians, ends = [value.median for value in values], None if line.system else whiskers(values)
        style: dict[str, Any] = look | {"markeredgewidth": 0.7, "elinewidth": 0.9}
        style |= {} if connected else {"linestyle": "none", "markerfacecolor": "white"}
        stroke = axes.errorbar(
            [dot.x for dot in dots], medians, ends, zorder=2 if line.system else 3, **style
        )
        strokes.append((connected, stroke.lines[0]))
    for dot in (dot for dot in line.dots if dot.sign):
        sign: Any = {"marker": SIGN_MARKERS[dot.sign], "markerfacecolor": "none", "markersize": 7, "mew": 0.7}
        axes.plot(dot.x, dot.value.median, color="black", zorder=4, **sign)
    _, handle = max(strokes, key=lambda stroke: stroke[0])
    handle.set_label(line.name)
    return handle


def _name_alone(axes: Axes, lines: Iterable[Line]) -> None:
    """Name the graphs whose points no line joins, each over the highest of its points."""
    alone = [dot for line in lines for joined, dots in line.strokes if not joined for dot in dots]
    highest = {dot.entry.label: dot for dot in sorted(alone, key=lambda dot: dot.value.q3)}
    if highest:
        axes.margins(y=0.15)  # room for a name over the highest of all
    for label, dot in highest.items():
        above: Any = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
        axes.annotate(label, (dot.x, dot.value.q3), (0, 4), **above)


def _name_places(axes: Axes, drawing: Drawing, lines: Iterable[Line]) -> None:
    """Name some of the places of the x axis at which lines have dots."""
    dots = [dot for line in lines for joined, some in line.strokes for dot in some if joined or len(some) < 2]
    places = sorted({dot.x for dot in dots})
    powers = all(round(x).bit_count() == 1 for x in places)
    named = power_of_two if powers and drawing.x == "vertices" else "{:,.6g}".format
    wide = max(len(named(round(x))) for x in places) > 4
    most = MOST_PLACES // 2 if wide else MOST_PLACES
    if places[0] > 0:
        axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(2, numticks=most) if powers else FixedLocator(places, nbins=most))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: named(round(x))))
