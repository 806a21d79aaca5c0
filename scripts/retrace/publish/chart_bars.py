"""Solvers ranked on each graph, and falls: a printed time's way to ours."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.lines import Line2D

from retrace.publish.chart_axes import (
    COLOURS,
    ROW,
    axis_label,
    name_powers,
    name_rows,
    shade,
    tick_ratio,
    tick_time,
    whiskers,
    whites,
    widen,
)
from retrace.publish.chart_words import bold_bar
from retrace.publish.panels import LIMIT, Line, Panel, bar_names
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
MOST_COLUMNS = 4
"""How many graphs have room beside each other; half as many with two numbers at each bar."""
BOLD_CHARACTERS = 84
"""How many are as wide as a figure."""

Looks = Mapping[str, tuple[str, str]]
"""The colour and the marker of each group."""


def draw_bars(
    figure: SubFigure, drawing: Drawing, panels: Sequence[Panel], report: Report | None
) -> list[float]:
    """Draw a dot for each time, or a bar from 1 for each ratio, on a logarithmic axis for each graph.

    Return the heights of the rows in inches.
    """
    groups = table_layout(report, drawing.experiment).groups or [REPORT]
    colours = dict(zip(groups, GROUP_COLOURS, strict=False)) | OTHER_COLOURS
    looks = {
        key: (colour, marker) for (key, colour), marker in zip(colours.items(), GROUP_MARKERS, strict=False)
    }
    white = whites(panels)
    names = {machine: bar_names(panel for panel in panels if panel.machine == machine) for machine in white}
    places = _places(panels, MOST_COLUMNS // 2 if drawing.beside else MOST_COLUMNS)
    rows = {row: names[panel.machine] for (row, _), panel in zip(places, panels, strict=True)}
    heights = [ROW * (0.4 + len(rows[row]) * (2 if drawing.pairs else 1)) for row in range(len(rows))]
    columns = 1 + max(column for _, column in places)
    grid = figure.subplots(len(rows), columns, squeeze=False, height_ratios=heights)
    every_name = [name for row in rows.values() for name in row]
    characters = max(12, round((BOLD_CHARACTERS - max(map(len, every_name))) / columns))
    widen(figure, every_name, 1, columns * (1.7 if drawing.beside else 1.1))
    by_graph: dict[str, list[Axes]] = defaultdict(list)
    for place, panel in zip(places, panels, strict=True):
        axes: Axes = grid[place]
        axes.set_title(fill(panel.title, characters, break_on_hyphens=False), loc="left")
        axes.set_xscale("log")
        _draw_panel(axes, panel, rows[place[0]], looks, white[panel.machine])
        if place == min(other for other in places if other[0] == place[0]):
            axes.set_ylabel(panel.machine or "printed", weight="bold", labelpad=6)
            for label in axes.get_yticklabels():
                label.set_fontweight("bold" if label.get_text() == bold_bar(drawing, report) else "normal")
        else:
            axes.tick_params(axis="y", labelleft=False)
        by_graph[panel.graph].append(axes)
    for place in set(np.ndindex(grid.shape)).difference(places):
        grid[place].remove()
    for alike in by_graph.values():
        low, high = min(axes.dataLim.x0 for axes in alike), max(axes.dataLim.x1 for axes in alike)
        around = max(1.3, (high / low) ** 0.06)
        for axes in alike:
            axes.set_xlim(low / around, high * around)
            name_powers(
                axes.xaxis,
                2,
                max(2, characters // (9 if drawing.beside else 7)),
                tick_ratio if panels[0].over else tick_time,
            )
            axes.get_xticklabels()[-1].set_horizontalalignment("left")  # below the numbers is room
    figure.supxlabel(axis_label(panels[0]))
    bars = {key: (colour, "s") for key, (colour, _) in looks.items()}
    _add_key(figure, panels, bars if panels[0].over else looks)
    return heights


def _places(panels: Sequence[Panel], most: int) -> list[tuple[int, int]]:
    """Return the row and column of each panel, with so many columns at most.

    A machine has a row, or more if it has more graphs. What several machines show comes first, each graph in
    one column; a machine that shows nothing of it has its own columns.
    """
    graphs = defaultdict(list)
    for panel in panels:
        graphs[panel.machine].append(panel.graph)
    counts = Counter(panel.graph for panel in panels)
    shared = [graph for graph, count in counts.most_common() if count > 1]
    rows: dict[tuple[str, int], int] = {}
    places = []
    for panel in panels:
        on_machine = graphs[panel.machine]
        aligned = shared if set(shared) & set(on_machine) else []
        band, column = divmod(list(dict.fromkeys([*aligned, *on_machine])).index(panel.graph), most)
        places.append((rows.setdefault((panel.machine, band), len(rows)), column))
    return places


def _draw_panel(axes: Axes, panel: Panel, names: Sequence[str], looks: Looks, white: float) -> None:
    """Draw the bars of a graph, each in the row of its name, and the limit of what can be."""
    axes.grid(axis="y", color="0.88", lw=0.6)
    if panel.over:
        axes.axvline(1, color="black", lw=0.6)
    if isinstance(panel.limit, PhysicalLimit):
        axes.axvline(panel.limit.ms, color="0.6", lw=0.7, ls=":", zorder=1)
    numbers = dict.fromkeys(names, EMPTY)
    for line in panel.lines:
        colour, marker = looks.get(line.key, (COLOURS[-1], "o"))
        look = {"color": shade(colour, white), "marker": marker}
        numbers[line.name] = _draw_bar(axes, line, names.index(line.name), panel, look)
    name_rows(axes, names, list(numbers.values()))


def _draw_bar(axes: Axes, line: Line, row: int, panel: Panel, look: dict[str, Any]) -> str:
    """Draw the median, the quartiles and the measure beside it; return the numbers in words."""
    (dot,), write = line.dots, ratio if panel.over else duration
    value = dot.value
    if panel.over:
        axes.barh(row, value.median - 1, left=1, color=look["color"], height=0.6, zorder=2)
    else:
        axes.plot(value.median, row, ls="", mfc="white" if line.system else look["color"], zorder=3, **look)
    if not line.system:
        thin: Any = {"fmt": "none", "ecolor": "black", "elinewidth": 0.9, "zorder": 4}
        below, above = whiskers([value])
        axes.errorbar(value.median, row, xerr=[below, above], **thin)
    text = write(value.median)
    if dot.beside:
        axes.plot(dot.beside.median, row, "D", color="black", mew=0.7, mfc="none", zorder=2)
        text = f"{text}, {write(dot.beside.median)}"
    return text


def draw_falls(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw each step as a bar from the time before to the time after, on a logarithmic axis.

    Return the heights of the panels in inches.
    """
    heights = [ROW * (0.4 + len(panel.lines)) for panel in panels]
    grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=heights)
    for axes, panel in zip(grid.flat, panels, strict=True):
        axes.set_title(panel.title, loc="left")
        axes.set_xscale("log")
        steps = []
        for row, line in enumerate(panel.lines):
            (dot,), colour = line.dots, FALL_COLOURS[line.key]
            steps.append(Step(line.key, line.name, dot.x, dot.value, dot.entry))
            after = dot.value.median
            axes.plot([dot.x, after], [row, row], color=colour, lw=5, solid_capstyle="butt", zorder=2)
            axes.plot(after, row, "o", color=colour, markersize=5, zorder=3)
        name_rows(axes, [step.name for step in steps], [step.label for step in steps])
    widen(figure, [line.name for panel in panels for line in panel.lines], 1, 3)
    name_powers(grid[0, 0].xaxis, 2, 9, tick_time)
    figure.supxlabel("Time per run")
    _add_key(figure, panels, {key: (colour, "s") for key, colour in FALL_COLOURS.items()})
    return heights


def _add_key(figure: SubFigure, panels: Sequence[Panel], looks: Looks) -> None:
    """Say above the panels what the colours mean, if there are several."""
    drawn = {line.key for panel in panels for line in panel.lines}
    key = [Line2D([], [], ls="", color=colour, marker=marker, label=kind)
           for kind, (colour, marker) in looks.items() if kind in drawn]  # fmt: skip
    if len(key) > 1:
        figure.legend(handles=key, loc="outside upper left", ncols=len(key))
