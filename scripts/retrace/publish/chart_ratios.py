"""The ratios of two machines' times: a row for each solver, under its experiment and graph."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from retrace.publish.chart import STYLE, add_words
from retrace.publish.chart_axes import COLOURS, GAP, ROW, WIDTH, extent, name_powers, tick_ratio
from retrace.publish.panels import LABELS
from retrace.records.comparison import CONFIDENCE, EQUAL, MachineComparison
from retrace.reports.wording import ratio

VERDICTS = {"faster": (COLOURS[2], "o"), "slower": (COLOURS[1], "s"), "same": (COLOURS[7], "D")}
"""Of each verdict the colour and the marker; a hollow one where one cannot tell."""
HOLLOW = ("#555555", "o")
NUMBER = 0.6
"""Inches: the room of a ratio beside the axes."""
EXPLAINED = (
    f"Dots are ratios of medians, bars their {CONFIDENCE:.0%} intervals; within the grey band times differ "
    f"by less than {EQUAL - 1:.0%}. Circle: faster, square: slower, diamond: the same, hollow: cannot tell."
).replace("%", " %")


def draw_ratios(compared: Sequence[MachineComparison], alone: int, names: tuple[str, str]) -> Figure:
    """Draw the second machine's times over the first's; `alone` records have no partner."""
    rows: list[tuple[str, MachineComparison | None]] = []
    ordered = sorted(compared, key=lambda one: (one.record.experiment, one.record.graph.vertices))
    for head, some in groupby(ordered, key=lambda one: f"{one.record.experiment}, {one.record.label}"):
        rows.append((head, None))
        rows += [(one.cells[1], one) for one in sorted(some, key=lambda one: one.ratio)]
    with rc_context(STYLE):
        figure = Figure(figsize=(1, 1), dpi=300)  # of one inch, so that all places are in inches
        axes = figure.add_axes((0, 0, 1, ROW * len(rows)))
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.tick_params(axis="x", labeltop=True, top=True)  # a reader of many rows sees one of the two
        for label, (_, one) in zip(axes.get_yticklabels(), rows, strict=True):
            label.set_fontweight("bold" if one is None else "normal")
        left = -extent(figure).x0
        axes.set_position((left + GAP, 0, WIDTH - left - NUMBER - 2 * GAP, ROW * len(rows)))
        axes.set_xscale("log")
        axes.axvspan(1 / EQUAL, EQUAL, color="0.92", lw=0, zorder=0)
        axes.axvline(1, color="black", lw=0.6, zorder=1)
        _draw_dots(axes, rows)
        name_powers(axes.xaxis, 3, 7, tick_ratio)
        axes.set_xlabel(f"{LABELS[compared[0].phase]}, {names[1]} over {names[0]}")
        box = Bbox.union([extent(figure), Bbox.from_extents(0, 0, WIDTH, 0)])
        left_out = f" {alone} timed records have no partner." if alone else ""
        box = add_words(figure, box, EXPLAINED + left_out, "bottom", 3)
        add_words(figure, box, _title(compared, names), "bottom", 3, fontsize=10, fontweight="bold")
    return figure


def _draw_dots(axes: Any, rows: Sequence[tuple[str, MachineComparison | None]]) -> None:
    """Draw each ratio with its interval, and write it beside the axes."""
    there = [(row, one) for row, (_, one) in enumerate(rows) if one is not None]
    ends = [(row, one.low, one.high) for row, one in there if one.low is not None and one.high is not None]
    if ends:
        bars = axes.hlines(*zip(*ends, strict=True), color="black", lw=0.9, zorder=2)
        bars.set_gid("intervals")
    for row, one in there:
        colour, marker = VERDICTS.get(one.verdict, HOLLOW)
        inside = colour if one.verdict in VERDICTS else "white"
        (dot,) = axes.plot(one.ratio, row, marker, color=colour, mfc=inside, mew=0.7, zorder=3)
        dot.set_gid(f"ratio-{row}")
        beside: Any = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
        axes.annotate(ratio(one.ratio), (1, row), (5, 0), **beside)


def _title(compared: Sequence[MachineComparison], names: tuple[str, str]) -> str:
    counts = Counter(one.verdict for one in compared)
    told = ", ".join(f"{counts[word]} {word}" for word in (*VERDICTS, "cannot tell") if counts[word])
    what = LABELS[compared[0].phase]
    return f"{what} of {names[1]} over that of {names[0]}: {len(compared)} solvers and graphs, {told}"
