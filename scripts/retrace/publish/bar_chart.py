"""Ranked bars with their values: a panel for each machine and graph, the least at the top.

A bar's length is what it stands for: times begin at 0, ratios at what they are held against. Times that a
linear axis cannot show together are points on a logarithmic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from retrace.publish.figures import SETTINGS, WIDTH
from retrace.publish.line_chart import HEAD, PANEL_TITLE, TEXT_LINE, duration, name_ticks, wrapped
from retrace.records.statistics import Summary

BAR, AXIS, KEY, GAP, RIGHT, VALUE = 0.16, 0.36, 0.18, 0.08, 0.14, 0.5
"""Inches: a bar with its gap, the room under the axes, the key, between a name and its bar, the margin, the
room for a value at the end of a bar."""

WIDE = 20
"""The greatest time over the least one from which bars on a linear axis would be too short to compare."""


@dataclass(frozen=True)
class Bar:
    """A bar: its name, its value with quartiles, how that is written, its kind, and whether it stands out."""

    name: str
    value: Summary
    text: str
    kind: str
    marked: bool = False


@dataclass(frozen=True)
class BarPanel:
    """The bars of one machine and graph."""

    title: str
    bars: Sequence[Bar]


@dataclass(frozen=True)
class BarChart:
    """What a chart shows.

    Attributes
    ----------
    title, x
        What stands over the chart and under its axes, with units.
    panels
        One below the other; those without bars are left out.
    colours
        Of each kind of bar, in the order of the key.
    notes
        Sentences under the chart.
    level
        What bars that are ratios begin at, on a logarithmic axis; without one they are times in milliseconds.
    """

    title: str
    x: str
    panels: Sequence[BarPanel]
    colours: dict[str, str]
    notes: Sequence[str] = ()
    level: float | None = None

    @property
    def drawn(self) -> list[BarPanel]:
        """The panels that have bars."""
        return [panel for panel in self.panels if panel.bars]

    def draw(self) -> Figure:
        """Draw the chart at a column's width."""
        return _draw(self)


def _draw(chart: BarChart) -> Figure:
    panels = chart.drawn
    notes = [line for note in chart.notes for line in wrapped(note)]
    words = TEXT_LINE * len(notes) + 0.05
    found = {bar.kind for panel in panels for bar in panel.bars}
    kinds = [kind for kind in chart.colours if kind in found]
    key = KEY if len(kinds) > 1 else 0.0
    heights = [PANEL_TITLE + BAR * len(panel.bars) + AXIS for panel in panels]
    height = HEAD + key + sum(heights) + words
    with rc_context(SETTINGS):
        result = Figure(figsize=(WIDTH, height))
        result.text(0.5, 1 - 0.05 / height, chart.title, fontsize=8, ha="center", va="top")
        if key:
            result.legend(
                handles=[Patch(color=chart.colours[kind], label=kind) for kind in kinds],
                loc="upper center",
                bbox_to_anchor=(0.5, 1 - HEAD / height),
                ncols=len(kinds),
                frameon=False,
                borderpad=0,
                borderaxespad=0,
                handlelength=1,
                columnspacing=1,
            )
        top = height - HEAD - key
        for panel, tall in zip(panels, heights, strict=True):
            _panel(result, chart, panel, top)
            top -= tall
        for number, line in enumerate(reversed(notes)):
            result.text(0.05 / WIDTH, (0.05 + TEXT_LINE * number) / height, line)
    return result


def _panel(result: Figure, chart: BarChart, panel: BarPanel, top: float) -> None:
    """Draw a panel's bars, the least at the top, each named at its left and with its value at its right."""
    bars = sorted(panel.bars, key=lambda bar: bar.value.median)
    names = [result.text(0, 0, bar.name, fontweight="bold" if bar.marked else "normal") for bar in bars]
    left = max(name.get_window_extent().width for name in names) / result.dpi + GAP + 0.03
    for name in names:
        name.remove()
    height, tall = result.get_figheight(), BAR * len(bars)
    axes = result.add_axes(
        (left / WIDTH, (top - PANEL_TITLE - tall) / height, (WIDTH - left - RIGHT) / WIDTH, tall / height),
        label=panel.title,
    )
    result.text(0.05 / WIDTH, (top - 0.04) / height, panel.title, va="top", fontweight="bold")
    points = chart.level is None and bars[-1].value.median > WIDE * bars[0].value.median
    logarithmic = points or chart.level is not None
    axes.set(
        xlabel=f"{chart.x} (log)" if logarithmic else chart.x,
        xscale="log" if logarithmic else "linear",
    )
    axes.xaxis.labelpad = 1
    values = [bar.value for bar in bars]
    medians, places = [value.median for value in values], range(len(bars))
    colours = [chart.colours[bar.kind] for bar in bars]
    if points:
        axes.scatter(medians, places, color=colours, s=18, zorder=3)
        axes.grid(axis="y", color="0.85", linewidth=0.6)
    else:
        begin = chart.level or 0.0
        axes.barh(places, [median - begin for median in medians], left=begin, height=0.7, color=colours)
    spreads = [[v.median - v.q1 for v in values], [v.q3 - v.median for v in values]]
    axes.errorbar(medians, places, xerr=spreads, fmt="none", elinewidth=0.7, ecolor="0.3", zorder=4)
    axes.set_yticks(places, [bar.name for bar in bars])
    axes.tick_params(axis="y", length=0)
    for label, bar in zip(axes.get_yticklabels(), bars, strict=True):
        label.set_fontweight("bold" if bar.marked else "normal")
    axes.set_ylim(len(bars) - 0.5, -0.5)
    alike = [bar for one in chart.drawn for bar in one.bars] if chart.level is not None else bars
    _range(axes, chart, alike, WIDTH - left - RIGHT)
    for place, bar in enumerate(bars):
        weight = "bold" if bar.marked else "normal"
        axes.annotate(
            bar.text,
            (max(bar.value.q3, chart.level or 0), place),
            xytext=(5 if points else 3, 0),
            textcoords="offset points",
            va="center",
            fontweight=weight,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )


def _range(axes: Axes, chart: BarChart, bars: Sequence[Bar], width: float) -> None:
    """Leave room for the values beside the bars; panels of ratios, which are comparable, have one range."""
    low, high = min(bar.value.q1 for bar in bars), max(bar.value.q3 for bar in bars)
    share = 1 / (1 - VALUE / width)
    if axes.get_xscale() == "linear":
        axes.set_xlim(0, high * share)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: duration(value)))
        axes.xaxis.set_major_locator(MaxNLocator(4))
        return
    if chart.level is not None:
        low, high = min(low, chart.level), max(high, chart.level)
        axes.axvline(chart.level, color="0.4", linewidth=0.7)
    start = low / 1.15
    axes.set_xlim(start, start * (high / start) ** share)
    name_ticks(axes.xaxis, (high / start) ** share, chart.level is None)
