"""Solvers ranked on each graph, and falls: a printed time's way to ours."""

from collections.abc import Mapping, Sequence
from math import exp, log
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator
from matplotlib.transforms import Bbox

from retrace.publish.chart_axes import (
    COLOURS,
    GAP,
    axis_label,
    extent,
    name_powers,
    shade,
    tick_ratio,
    tick_time,
    whiskers,
    whites,
    widened,
)
from retrace.publish.chart_words import bold_bar
from retrace.publish.panels import LIMIT, Dot, Line, Panel, bar_names
from retrace.publish.waterfall import STEP_KINDS, Step
from retrace.reports.frame import REPORT
from retrace.reports.physical_limit import PhysicalLimit
from retrace.reports.report import Drawing, Report, table_layout
from retrace.reports.wording import EMPTY, duration, ratio

GROUP_COLOURS = ("#D55E00", "#0072B2", "#E69F00", "#56B4E9", "#000000")
OTHER_COLOURS = {"ours": "#CC79A7", "library": "#009E73", LIMIT: "#777777"}
GROUP_MARKERS = ("o", "s", "p", "h", "X", "^", "v", "<")
"""Of the groups of a table's layout, and of the other ones."""
FALL_COLOURS = dict(zip(STEP_KINDS, ("#777777", "#0072B2", "#56B4E9", "#CC79A7", "#E69F00"), strict=True))
TICK, LABEL = 0.55, 0.6
"""Inches: the room of a number on an x axis, and of one beside a bar; two numbers take twice as much."""
MOST_LABEL = 0.6
"""The largest share of an axis that is kept for them."""


def draw_bars(
    figure: Figure, drawing: Drawing, drawn: Sequence[tuple[Axes, Panel]], report: Report | None
) -> Bbox:
    """Draw a dot for each time, or a bar from 1 for each ratio, on a logarithmic axis for each graph.

    Return where there is anything.
    """
    groups = table_layout(report, drawing.experiment).groups or [REPORT]
    colours = dict(zip(groups, GROUP_COLOURS, strict=False)) | OTHER_COLOURS
    looks = {
        key: (colour, marker) for (key, colour), marker in zip(colours.items(), GROUP_MARKERS, strict=False)
    }
    white = whites(panel for _, panel in drawn)
    names = {one: bar_names(panel for _, panel in drawn if panel.machine == one) for one in white}
    for axes, panel in drawn:
        rows, alike = names[panel.machine], [other for _, other in drawn if other.graph == panel.graph]
        axes.set_xscale("log")
        axes.set_xlim(_limits(alike, axes.get_position().width))
        axes.grid(axis="y", color="0.88", lw=0.6)
        if panel.over:
            axes.axvline(1, color="black", lw=0.6)
        if isinstance(panel.limit, PhysicalLimit):
            axes.axvline(panel.limit.ms, color="0.6", lw=0.7, ls=":", zorder=1)
        for line in panel.lines:
            colour, marker = looks.get(line.key, (COLOURS[-1], "o"))
            look = {"color": shade(colour, white[panel.machine]), "marker": marker}
            _draw_bar(axes, line, rows.index(line.name), panel, look)
        for row in set(range(len(rows))) - {rows.index(line.name) for line in panel.lines}:
            beside: Any = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points"}
            axes.annotate(EMPTY, (0, row), (5, 0), va="center", **beside)
        axes.set_yticks(range(len(rows)), rows)
        for label in axes.get_yticklabels():
            label.set_fontweight("bold" if label.get_text() == bold_bar(drawing, report) else "normal")
        first = next(one for one, other in drawn if other.machine == panel.machine)
        axes.tick_params(axis="y", length=0, labelleft=axes is first)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        name_powers(axes.xaxis, 2, 5, tick_ratio if panel.over else tick_time)
        _keep_inside(axes)
    if not drawn:
        return extent(figure)
    bars = {key: (colour, "s") for key, (colour, _) in looks.items()}
    box = _name_axis(figure, axis_label(drawn[0][1]))
    return _add_key(figure, box, drawn, bars if drawn[0][1].over else looks)


def _keep_inside(axes: Axes) -> None:
    """Align the numbers of an x axis so that none leaves it, and keep those for which there is room."""
    (low, high), wide = axes.get_xlim(), axes.get_position().width
    places = [float(at) for at in axes.get_xticks() if low <= at <= high]
    kept: dict[float, tuple[float, Literal["left", "center", "right"]]] = {}
    for at in (*places[:1], *places[:0:-1]):  # the ends first
        share = log(at / low) / log(high / low)
        before = 0.0 if share * wide < TICK / 2 else 1.0 if (1 - share) * wide < TICK / 2 else 0.5
        start = share * wide - before * TICK
        if all(abs(start - other) >= TICK for other, _ in kept.values()):
            kept[at] = start, "left" if before == 0 else "right" if before == 1 else "center"
    axes.xaxis.set_major_locator(FixedLocator(sorted(kept)))
    for label, at in zip(axes.get_xticklabels(), sorted(kept), strict=True):
        label.set_horizontalalignment(kept[at][1])


def _limits(panels: Sequence[Panel], wide: float) -> tuple[float, float]:
    """Return the ends of an axis of `wide` inches that has all values, and room for what is written.

    That is 1 if the values are ratios, and each bar's numbers on one of its sides.
    """
    bars = [(_ends(dot, panel), dot.beside) for panel in panels for dot in panel.dots]
    low, high = min(ends[0] for ends, _ in bars), max(ends[-1] for ends, _ in bars)
    around = max(1.3, (high / low) ** 0.1)
    low, high = low / around, high * around
    for ends, beside in bars:
        share = min(LABEL * (2 if beside else 1) / wide, MOST_LABEL)
        if max(log(ends[0] / low), log(high / ends[-1])) < share * log(high / low):
            high = exp((log(ends[-1]) - share * log(low)) / (1 - share))
    return low, high


def _ends(dot: Dot, panel: Panel) -> list[float]:
    """Return all that is drawn of a bar, from the least on."""
    value, other = dot.value, dot.beside
    return sorted([value.q1, value.q3, *([other.median] if other else []), *([1.0] if panel.over else [])])


def _draw_bar(axes: Axes, line: Line, row: int, panel: Panel, look: dict[str, Any]) -> None:
    """Draw the median, the quartiles and the measure beside it; write them where there is room."""
    (dot,), write = line.dots, ratio if panel.over else duration
    value, other = dot.value, dot.beside
    ends = _ends(dot, panel)
    if panel.over:
        axes.barh(row, value.median - 1, left=1, color=look["color"], height=0.6, zorder=2)
    else:
        axes.plot(value.median, row, ls="", mfc="white" if line.system else look["color"], zorder=3, **look)
    if not line.system:
        thin: Any = {"fmt": "none", "ecolor": "black", "elinewidth": 0.9, "zorder": 4}
        axes.errorbar(value.median, row, xerr=[[one] for (one,) in whiskers([value])], **thin)
    text = write(value.median)
    if other:
        axes.plot(other.median, row, "D", color="black", mew=0.7, mfc="none", zorder=2)
        text = f"{text}, {write(other.median)}"
    place = (axes.transScale + axes.transLimits).transform
    left, right = (float(place((end, row))[0]) for end in (ends[0], ends[-1]))
    side: Any = ("right", (-5, 0), ends[0]) if left > 1 - right else ("left", (5, 0), ends[-1])
    axes.annotate(
        text, (side[2], row), side[1], textcoords="offset points", va="center", ha=side[0],
        bbox={"color": "white", "pad": 0.5},
    )  # fmt: skip


def draw_falls(figure: Figure, drawn: Sequence[tuple[Axes, Panel]]) -> Bbox:
    """Draw each step as a bar from the time before to the time after, on a logarithmic axis.

    Return where there is anything.
    """
    for axes, panel in drawn:
        axes.set_xscale("log")
        axes.sharex(drawn[0][0])
        for row, line in enumerate(panel.lines):
            (dot,), colour = line.dots, FALL_COLOURS[line.key]
            after = dot.value.median
            step = Step(line.key, line.name, dot.x, dot.value, dot.entry)
            axes.plot([dot.x, after], [row, row], color=colour, lw=5, solid_capstyle="butt", zorder=2)
            axes.plot(after, row, "o", color=colour, markersize=5, zorder=3)
            right = max(dot.x, after)
            axes.annotate(step.label, (right, row), (6, 0), textcoords="offset points", va="center")
        axes.set_yticks(range(len(panel.lines)), [line.name for line in panel.lines])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(panel.lines) - 0.4, -0.6)
    if not drawn:
        return extent(figure)
    name_powers(drawn[0][0].xaxis, 2, 9, tick_time)
    box = _name_axis(figure, "Time per run")
    return _add_key(figure, box, drawn, {key: (colour, "s") for key, colour in FALL_COLOURS.items()})


def _name_axis(figure: Figure, words: str) -> Bbox:
    """Write once what the x axes of all panels show; return where there is anything."""
    places = [axes.get_position() for axes in figure.axes]
    middle = (min(box.x0 for box in places) + max(box.x1 for box in places)) / 2
    box = extent(figure)
    return widened(figure, box, figure.text(middle, box.y0 - GAP / 2, words, ha="center", va="top"))


def _add_key(
    figure: Figure, box: Bbox, drawn: Sequence[tuple[Axes, Panel]], looks: Mapping[str, tuple[str, str]]
) -> Bbox:
    """Write below the box what the colours mean, if there are several; return the box of both."""
    there = {line.key for _, panel in drawn for line in panel.lines}
    key = [Line2D([], [], ls="", color=colour, marker=marker, label=kind)
           for kind, (colour, marker) in looks.items() if kind in there]  # fmt: skip
    if len(key) < 2:
        return box
    place: Any = {"loc": "upper left", "bbox_to_anchor": (0, box.y0)}
    look: Any = {"ncols": 6, "frameon": False, "handletextpad": 0.2, "borderaxespad": 0.3}
    return widened(figure, box, figure.legend(handles=key, **look, **place))
