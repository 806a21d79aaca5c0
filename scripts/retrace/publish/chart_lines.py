"""Lines against a size or a setting, named at their ends; times against printed ones; rates over sizes."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, PercentFormatter
from matplotlib.transforms import Affine2D, Bbox

from retrace.publish import chart_axes as axis
from retrace.publish.chart_axes import (
    LEAST_SPAN,
    ROW,
    name_ends,
    scale,
    tick_count,
    tick_ratio,
    tick_time,
    tips,
)
from retrace.publish.chart_looks import GREY, REFERENCE, line_colours, line_look, look
from retrace.publish.panel import COPY_ALONE, PAIR, Line, Panel
from retrace.reports.physical_limit import Roof
from retrace.reports.report import Drawing
from retrace.reports.wording import comparative, duration, power_of_two, three_digits, two_digits

HEIGHT, TALL = 1.9, 2.6
"""Inches: the height of a panel, and of one that has the whole width and many lines."""
MOST_LINES = 5
"""The most lines of a panel that shares the width with another."""
MOST_PLACES = 6
PANEL_TITLES_LINE = 72
INCHES_WIDE, HALF_MARKER = 5.6, 0.05
"""Inches: the least width of a panel of rates, and half of a marker."""
ROOM, ABOVE = (0.001, 10), 3
"""How many times the arcs that fill a GPU, and the highest line, axes have room for at least."""
SIDES = (1, 0), (0, -1), (-1, -1), (1, -1), (-1, 0), (0, 1)
"""Where a name may stand beside a marker: to the right, below, below to the left and so on."""


def draw_lines(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw panels on one x axis, two beside each other unless they have many lines.

    Return the heights of their rows in inches.
    """
    crowded = max(len(panel.lines) for panel in panels) > MOST_LINES
    columns = 1 if crowded else min(2, len(panels))
    height = TALL if crowded else HEIGHT
    grid = figure.subplots(ceil(len(panels) / columns), columns, squeeze=False)
    drawn = list(zip(grid.flat, panels, strict=False))
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    for axes, panel in drawn:
        axes.set_title(fill(panel.title, PANEL_TITLES_LINE // columns, break_on_hyphens=False), loc="left")
        axes.grid(axis="y", color="0.92", lw=0.6)
        _scale_values(axes, panel, panels, drawing)
        _scale_places(axes, drawing, panels)
        _draw_panel(axes, panel, drawing, height, _colours(panel, panels))
    for axes, panel in drawn[::columns]:
        axes.set_ylabel(axis.axis_label(panel.measure, bool(panel.over)))
    figure.supxlabel(axis.place_label(drawing))
    names = [line.name for panel in panels for line in panel.lines]
    axis.widen(figure, [" ".join([max(names, key=len)] * columns)], 5.2 if columns == 2 else 4)
    return [height] * len(grid)


def _alike(panel: Panel, panels: Sequence[Panel]) -> list[Panel]:
    """Return the panels of the same keys and of one scale: those of pairs, or the others."""
    return [other for other in panels if (other.machine == PAIR) == (panel.machine == PAIR)]


def _colours(panel: Panel, panels: Sequence[Panel]) -> dict[str, str]:
    """Return the colours of the lines of a panel, the same in all that are like it."""
    lines = [line for one in _alike(panel, panels) for line in one.lines if line.name != COPY_ALONE]
    return line_colours({line.key: line.dots[0].entry for line in lines})


def _draw_panel(
    axes: Axes, panel: Panel, drawing: Drawing, height: float, colours: Mapping[str, str]
) -> None:
    """Draw lines, a level and the ideal, and name them at their right ends."""
    ends = []
    write = comparative if panel.over else "{:.0%}".format if panel.measure == "transfer" else duration
    for line in panel.lines:
        if line.name == COPY_ALONE:
            style: dict[str, Any] = {"color": GREY, "marker": "", "ls": ":"}
        else:
            style = line_look(line.dots[0].entry, colours[line.key])
        _draw_line(axes, line, style, write)
        joined = [dots[-1] for is_joined, dots in line.strokes if is_joined] or [line.dots[-1]]
        ends.append((max(joined, key=lambda dot: dot.x).value.median, line.name, style))
    level = 1.0 if panel.over and not drawing.ideal else drawing.level
    if level is not None:
        axes.axhline(level, color=REFERENCE, lw=0.8, zorder=1)
        ends += [(level, drawing.level_name, {"color": REFERENCE})] if drawing.level_name else []
    if drawing.ideal:
        places = sorted({dot.x for dot in panel.dots})
        axes.plot(places, [places[0] / place for place in places], color=REFERENCE, lw=0.8, ls="--", zorder=1)
        ends.append((places[0] / places[-1], axis.IDEAL, {"color": REFERENCE}))
    _name_alone(axes, panel.lines)
    name_ends(axes, ends, height)


def _draw_line(axes: Axes, line: Line, style: dict[str, Any], write: Callable[[float], str]) -> None:
    """Draw a line with its quartiles and signs; a printed one is dashed."""
    for connected, dots in line.strokes:
        values = [dot.value for dot in dots]
        ends = None if line.printed else axis.whiskers(values)
        dashed = {"ls": (0, (4, 2))} if line.printed else {}
        alone = {} if connected else {"ls": "none", "mfc": "white"}
        medians = [value.median for value in values]
        drawn: Any = {"markersize": 4, "mew": 0.8, "elinewidth": 0.8, **dashed, **style, **alone}
        stroke = axes.errorbar([dot.x for dot in dots], medians, ends, zorder=3, **drawn)
        stroke.lines[0].set_gid(tips(dots, write))
    for dot in (dot for dot in line.dots if dot.sign):
        axis.draw_sign(axes, dot.sign, dot.x, dot.value.median)


def _name_alone(axes: Axes, lines: Sequence[Line]) -> None:
    """Name the graphs whose points no line joins, each over the highest of its points."""
    alone = [dot for line in lines for joined, dots in line.strokes if not joined for dot in dots]
    highest = {dot.entry.label: dot for dot in sorted(alone, key=lambda dot: dot.value.q3)}
    for label, dot in highest.items():
        above: Any = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
        axes.annotate(label, (dot.x, dot.value.q3), (0, 4), **above)


def _scale_values(axes: Axes, panel: Panel, panels: Sequence[Panel], drawing: Drawing) -> None:
    """Give panels of one kind one scale: times are logarithmic, shares and small ratios linear."""
    values = [
        v
        for other in _alike(panel, panels)
        for dot in other.dots
        for v in (dot.value.q1, dot.value.median, dot.value.q3)
    ]
    if panel.measure == "transfer":
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter(PercentFormatter(1, 0))
        return
    if panel.over:
        values.append(1.0)
    if drawing.ideal:
        places = [dot.x for dot in panel.dots]
        values.append(min(places) / max(places))
    scale(axes, "y", values, tick_ratio if panel.over else tick_time)


def _scale_places(axes: Axes, drawing: Drawing, panels: Sequence[Panel]) -> None:
    """Name some of the places of the x axis at which lines have dots."""
    lines = [line for panel in panels for line in panel.lines]
    dots = [dot for line in lines for joined, some in line.strokes for dot in some if joined or len(some) < 2]
    places = sorted({dot.x for dot in dots or [dot for line in lines for dot in line.dots]})
    powers = all(round(x).bit_count() == 1 for x in places)
    named = power_of_two if powers and drawing.x == "vertices" else "{:,.6g}".format
    wide = max(len(named(round(x))) for x in places) > 4
    if places[0] > 0 and places[-1] >= LEAST_SPAN * places[0]:
        around = (places[-1] / places[0]) ** 0.04
        axes.set_xscale("log")
        axes.set_xlim(places[0] / around, places[-1] * around)
    else:
        around = 0.04 * (places[-1] - places[0] or 1)
        axes.set_xlim(places[0] - around, places[-1] + around)
    most = MOST_PLACES // 2 if wide else MOST_PLACES
    axes.xaxis.set_major_locator(LogLocator(2, numticks=most) if powers else FixedLocator(places, nbins=most))
    tenths = LogLocator(subs=range(1, 10), numticks=99)
    axes.xaxis.set_minor_locator(FixedLocator(places) if drawing.x == "vertices" else tenths)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: named(round(x))))


def draw_scatter(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw each printed time against what was measured of the same; return the height in inches."""
    (panel,), axes, ends = panels, figure.subplots(), []
    for dot in panel.dots:
        axes.plot(dot.x, dot.value.median, ls="", alpha=0.75, gid=tips([dot], duration), **look(dot.entry))
    scale(axes, "x", [dot.x for dot in panel.dots], tick_time)
    scale(axes, "y", [dot.value.median for dot in panel.dots], tick_time)
    axes.grid(color="0.92", lw=0.6)
    (left, right), grey = axes.get_xlim(), dict[str, Any](color=REFERENCE, lw=0.8)
    for over in (1.0, 0.1, 0.01):
        axes.plot([left, right], [left * over, right * over], scaley=False, zorder=1, **grey)
        if right * over <= axes.get_ylim()[1]:
            ends.append((right * over, comparative(over) if over < 1 else "as printed", grey))
    name_ends(axes, ends, TALL)
    axes.set_xlabel("Printed")
    axes.set_ylabel(f"Measured on {panel.machine}")
    axis.add_kinds(figure, [dot.entry for dot in panel.dots])
    return [TALL]


def draw_rates(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw arcs per second over the arcs of graphs, below the lines that no search passes.

    Return the heights of the rows in inches: a panel for each problem.
    """
    grid = figure.subplots(len(panels), squeeze=False, sharex=True)
    for axes, panel in zip(grid.flat, panels, strict=True):
        axes.set_title(panel.title, loc="left")
        axes.grid(color="0.92", lw=0.6)
        for dot in panel.dots:
            axes.plot(dot.x, dot.value.median, ls="", gid=tips([dot], _in_billions), **look(dot.entry))
        roofs = [one.limit for one in panels if isinstance(one.limit, Roof)]
        arcs = [dot.x for one in panels for dot in one.dots] + [
            times * roof.full for roof in roofs for times in ROOM
        ]
        scale(axes, "x", arcs, tick_count)
        scale(
            axes,
            "y",
            [dot.value.median for dot in panel.dots] + [ABOVE * roof.l2 for roof in roofs],
            tick_count,
        )
        if isinstance(panel.limit, Roof):
            _draw_roof(axes, panel.limit)
        _name_graphs(axes, panel.lines)
    figure.supxlabel("Arcs of the graph")
    figure.supylabel("Arcs per second, further search")
    axis.add_kinds(figure, [dot.entry for panel in panels for dot in panel.dots])
    return [HEIGHT] * len(panels)


def _in_billions(value: float) -> str:
    return f"{three_digits(value / 1e9)} billion arcs per second"


def _draw_roof(axes: Axes, roof: Roof) -> None:
    """Draw what a launch and the bandwidths allow, each with words, and from where on bandwidth binds."""
    (left, right), bottom = axes.get_xlim(), axes.get_ylim()[0]
    grey: Any = {"color": REFERENCE, "lw": 0.8, "scalex": False, "scaley": False, "zorder": 1}
    axes.plot([left, right], [roof.of_launch(left), roof.of_launch(right)], **grey)
    axes.plot([roof.full] * 2, [bottom, roof.at(roof.full)], ls=":", **grey)
    level, early = axes.get_yaxis_transform(), left * (right / left) ** 0.35
    each = f"{roof.bytes_per_arc} bytes per arc from"
    for rate, place, va, points in ((roof.l2, "L2", "bottom", 1), (roof.memory, "device memory", "top", -2)):
        axes.plot([left, right], [rate, rate], **grey)
        speed = f"{each} {place}, {three_digits(rate * roof.bytes_per_arc / 1e9)} GB/s"
        _write(axes, speed, (0, rate), (3, points), xycoords=level, va=va)
    launch = f"a launch, {duration(roof.launch_ms)}"
    _write(axes, launch, (early, roof.of_launch(early)), (-4, 2), ha="right")
    full = f"fills the GPU\nfrom {two_digits(roof.full / 1e6)} M arcs"
    _write(axes, full, (roof.full, 0), (4, 3), xycoords=axes.get_xaxis_transform(), va="bottom")


def _write(
    axes: Axes, words: str, at: tuple[float, float], points: tuple[float, float], **place: Any
) -> None:
    axes.annotate(words, at, points, textcoords="offset points", **place)


def _name_graphs(axes: Axes, lines: Sequence[Line]) -> None:
    """Name each graph beside the marker of ours, on the first side that is free; else only the page does."""
    inches = (axes.transScale + axes.transLimits + Affine2D().scale(INCHES_WIDE, HEIGHT)).transform
    places = {dot: inches((dot.x, dot.value.median)) for line in lines for dot in line.dots}
    taken = [Bbox([at - HALF_MARKER, at + HALF_MARKER]) for at in places.values()]
    high = 0.7 * ROW
    for line in lines:
        dot, wide = line.dots[0], axis.CHARACTER * len(line.name)
        for across, up in SIDES:
            x, y = places[dot] + 2 * HALF_MARKER * np.array([across, up])
            x, y = x - (1 - across) * wide / 2, y - (1 - up) * high / 2
            x = min(x, INCHES_WIDE - wide) if up else x
            name = Bbox.from_extents(x, y, x + wide, y + high)
            if name.x1 <= INCHES_WIDE and not any(map(name.overlaps, taken)):
                taken.append(name)
                points = 72 * (name.get_points().mean(axis=0) - places[dot])
                _write(axes, line.name, (dot.x, dot.value.median), points, ha="center", va="center")
                break
