"""Charts of measured lines: a panel for each machine, all on the same axes, each line named at its end."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from retrace.publish.figures import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SETTINGS,
    SKY,
    VERMILION,
    WIDTH,
    spread,
)
from retrace.publish.rows import SUPERSCRIPTS
from retrace.records.statistics import Summary

STYLES = (
    (BLACK, "o"),
    (VERMILION, "D"),
    (BLUE, "s"),
    (GREEN, "^"),
    (PURPLE, "v"),
    (ORANGE, "p"),
    (SKY, "h"),
)
"""Colour and marker of the first line, the second and so on."""

NARROW = 50
"""The greatest value over the least one below which ticks are 1, 2 and 5 instead of powers of 10."""

LEFT, RIGHT, LEADER, NARROWEST = 0.6, 0.05, 0.24, 1.4
HEAD, PANEL_TITLE, PANEL_HEIGHT, AXIS, TEXT_LINE, CHARACTERS = 0.22, 0.18, 1.7, 0.37, 0.12, 66
TICK = 0.36
"""Inches: margins, the way to a name, the least width of the axes; the title, a panel's title and height, the
room under its axes, a line of text; how many characters fill such a line; the room for a tick's name."""


@dataclass(frozen=True)
class Line:
    """A line.

    Attributes
    ----------
    name
        What stands at its end.
    style
        Number of its colour and marker.
    points
        For each place on the x axis a value with its quartiles.
    alone
        The same for what is no part of the line, by name; drawn hollow.
    """

    name: str
    style: int
    points: dict[float, Summary]
    alone: dict[str, tuple[float, Summary]] = field(default_factory=dict)

    @property
    def all_points(self) -> list[tuple[float, Summary]]:
        """Places and values, on the line or not."""
        return [*self.points.items(), *self.alone.values()]


@dataclass(frozen=True)
class Panel:
    """The lines of one machine."""

    title: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Chart:
    """What a chart shows.

    Attributes
    ----------
    title, x, y
        What stands over the chart and at its axes, with units.
    panels
        One below the other; those without lines are left out.
    notes
        Sentences under the chart.
    kind
        What y is: a time in milliseconds or a ratio, on a logarithmic axis, or a share, on a linear one.
    level
        Where a line is drawn across for comparison.
    """

    title: str
    x: str
    y: str
    panels: Sequence[Panel]
    notes: Sequence[str] = ()
    kind: Literal["time", "ratio", "share"] = "time"
    level: float | None = None

    @property
    def drawn(self) -> list[Panel]:
        """The panels that have lines."""
        return [panel for panel in self.panels if panel.lines]

    def draw(self) -> Figure:
        """Draw the chart, at a column's width unless the names need more."""
        return _draw(self)


def _draw(chart: Chart) -> Figure:
    panels = chart.drawn
    notes = [line for note in chart.notes for line in wrapped(note)]
    words = TEXT_LINE * len(notes) + 0.05
    height = HEAD + len(panels) * (PANEL_TITLE + PANEL_HEIGHT + AXIS) + words
    with rc_context(SETTINGS | {"lines.markersize": 3.4}):
        result = Figure(figsize=(WIDTH, height))
        boxes = [
            words + AXIS + (len(panels) - 1 - number) * (PANEL_TITLE + PANEL_HEIGHT + AXIS)
            for number in range(len(panels))
        ]
        drawn = [_panel(result, chart, panel) for panel in panels]
        _limits(drawn, chart)
        width, inner = _name_lines(result, drawn, panels, boxes)
        _place_ticks(drawn, chart, TICK / inner)
        result.text(0.5, 1 - 0.05 / height, chart.title, fontsize=8, ha="center", va="top")
        for number, line in enumerate(reversed(notes)):
            result.text(0.05 / width, (0.05 + TEXT_LINE * number) / height, line)
    return result


def wrapped(note: str) -> list[str]:
    """Break a sentence into lines of the figure's width, and names of solvers never."""
    return textwrap.wrap(note, CHARACTERS, break_on_hyphens=False)


def _panel(result: Figure, chart: Chart, panel: Panel) -> Axes:
    """Draw a panel's lines with their quartiles; its place is found when all names are known."""
    axes = result.add_axes((0, 0, 1, 1), label=panel.title)
    axes.set(
        xscale="log", yscale="linear" if chart.kind == "share" else "log", xlabel=chart.x, ylabel=chart.y
    )
    axes.set_title(panel.title, loc="left", fontsize=7, fontweight="bold", pad=3)
    axes.xaxis.labelpad = axes.yaxis.labelpad = 1
    if chart.level is not None:
        axes.axhline(chart.level, color="0.6", linewidth=0.7, zorder=1)
    for line in panel.lines:
        _draw_points(axes, line, list(line.points.items()))
        _draw_points(axes, line, list(line.alone.values()), connected=False)
    _name_alone(axes, panel)
    return axes


def _draw_points(
    axes: Axes, line: Line, points: Sequence[tuple[float, Summary]], connected: bool = True
) -> None:
    """Draw medians and bars between quartiles."""
    colour, marker = STYLES[line.style]
    values = [value for _, value in points]
    axes.errorbar(
        [place for place, _ in points],
        [value.median for value in values],
        yerr=[[v.median - v.q1 for v in values], [v.q3 - v.median for v in values]],
        color=colour,
        marker=marker,
        elinewidth=0.7,
        capsize=1.5,
        zorder=3,
        linestyle="-" if connected else "none",
        markerfacecolor=colour if connected else "white",
    )


def _name_alone(axes: Axes, panel: Panel) -> None:
    """Write over the highest of the points that belong to no line what they are."""
    highest: dict[str, tuple[float, float]] = {}
    for line in panel.lines:
        for name, (place, value) in line.alone.items():
            highest[name] = max(highest.get(name, (0.0, 0.0)), (value.q3, place))
    for name, (top, place) in highest.items():
        axes.annotate(name, (place, top), (0, 4), textcoords="offset points", ha="center", va="bottom")


def _limits(drawn: Sequence[Axes], chart: Chart) -> None:
    """Give all panels the same range and ticks."""
    points = [item for panel in chart.panels for line in panel.lines for item in line.all_points]
    if not points:
        return
    x = sorted({place for place, _ in points})
    low, high = min(value.q1 for _, value in points), max(value.q3 for _, value in points)
    for axes in drawn:
        axes.set_xlim(x[0] / 1.25, x[-1] * 1.25)
        if chart.kind == "share":
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        else:
            axes.set_ylim(low / 1.4, high * 1.4)
            name_ticks(axes.yaxis, high / low, chart.kind == "time")


def _place_ticks(drawn: Sequence[Axes], chart: Chart, share: float) -> None:
    """Name the places of the x axis that have points, as far as there is room."""
    x = sorted({place for panel in chart.panels for line in panel.lines for place in line.points})
    for axes in drawn:
        axes.xaxis.set_major_locator(FixedLocator(apart(x, share)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: count(round(value))))
        axes.xaxis.set_minor_locator(NullLocator())


def name_ticks(axis: Axis, spread: float, time: bool) -> None:
    """Name places of a logarithmic axis: powers of 10, or 1, 2 and 5 where it spans little."""
    axis.set_minor_locator(NullLocator())
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)) if spread < NARROW else LogLocator(numticks=6))
    axis.set_major_formatter(FuncFormatter(lambda value, _: duration(value) if time else f"{value:g}"))


def duration(ms: float) -> str:
    """Write a round time of so many milliseconds in the unit that reads best."""
    if ms == 0:
        return "0"
    if ms >= 1000:
        return f"{ms / 1000:g} s"
    return f"{ms:g} ms" if ms >= 1 else f"{ms * 1000:g} µs"


def apart(places: Sequence[float], share: float) -> list[float]:
    """Choose places of a logarithmic axis, in order, so that no two are nearer than a share of its length."""
    chosen = [places[0]]
    for place in places[1:]:
        if place / chosen[-1] >= (places[-1] / places[0]) ** share:
            chosen.append(place)
    return chosen


def count(number: int) -> str:
    """Write a number of vertices or the like in few characters."""
    if number < 100_000:
        return str(number)
    power = number.bit_length() - 1
    return "2" + str(power).translate(SUPERSCRIPTS) if number == 2**power else f"{number / 1000:.0f}k"


def _name_lines(
    result: Figure, drawn: Sequence[Axes], panels: Sequence[Panel], bottoms: Sequence[float]
) -> tuple[float, float]:
    """Write each line's name at its end, apart from the others; give the figure's width and the axes'."""
    texts = [
        [axes.text(0, 0, line.name, transform=axes.transAxes, va="center") for line in panel.lines]
        for axes, panel in zip(drawn, panels, strict=True)
    ]
    extents = [text.get_window_extent() for some in texts for text in some]
    names = max((extent.width for extent in extents), default=0) / result.dpi
    inner = max(NARROWEST, WIDTH - LEFT - LEADER - names - RIGHT)
    width, height = LEFT + inner + LEADER + names + RIGHT, result.get_figheight()
    result.set_size_inches(width, height)
    for axes, panel, some, bottom in zip(drawn, panels, texts, bottoms, strict=True):
        axes.set_position((LEFT / width, bottom / height, inner / width, PANEL_HEIGHT / height))
        into = axes.transAxes.inverted()
        last = [list(line.points.items())[-1] for line in panel.lines]
        ends = [into.transform(axes.transData.transform((x, value.median))) for x, value in last]
        row = max(extent.height for extent in extents) / result.dpi / PANEL_HEIGHT
        places = spread([float(end[1]) for end in ends], row, 0, 1)
        for text, line, end, place in zip(some, panel.lines, ends, places, strict=True):
            colour, marker = STYLES[line.style]
            text.set_position((1 + LEADER / inner, place))
            axes.plot(
                [float(end[0]), 1 + (LEADER - 0.07) / inner],
                [float(end[1]), place],
                transform=axes.transAxes,
                color=colour,
                marker=marker,
                markevery=[1],
                linewidth=0.6,
                linestyle=":",
                clip_on=False,
                zorder=1,
            )
    return width, inner
