"""Figures of named rows: solvers ranked, printed and measured times joined, phases, single trials, falls."""

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.ticker import MaxNLocator

from retrace.publish.chart_axes import (
    ROW,
    add_key,
    axis_label,
    name_rows,
    of_first_machine,
    scale,
    tick_ratio,
    tick_time,
    whiskers,
    widen,
)
from retrace.publish.chart_looks import BLACK, KIND_COLOURS, PHASES, SHAPES, colour, kinds, look
from retrace.publish.panel import Dot, Panel, bar_names
from retrace.publish.phases import phases_of
from retrace.publish.waterfall import BASELINE, PRINTED, Step
from retrace.reports.physical_limit import PhysicalLimit
from retrace.reports.report import Drawing
from retrace.reports.wording import EMPTY, comparative, duration, times_as_much, two_digits

TITLE_LINE = 52
"""The most characters in the titles of panels beside each other."""
FAINT = "0.9"


def _tick_energy(mj: float) -> str:
    return f"{mj / 1000:,.6g} J" if mj >= 1000 else f"{mj:,.6g} mJ"


def _writers(panel: Panel) -> tuple[Callable[[float], str], Callable[[float], str]]:
    """Return how a panel's axis and its numbers are written."""
    if panel.over:
        return tick_ratio, comparative
    if panel.measure == "energy":
        return _tick_energy, lambda mj: f"{two_digits(mj / 1000)} J" if mj >= 1000 else f"{two_digits(mj)} mJ"
    return tick_time, duration


def _grid(figure: SubFigure, titles: Sequence[str]) -> list[Axes]:
    """Return axes beside each other with rows of the same names, and their titles."""
    grid = figure.subplots(1, len(titles), squeeze=False, sharey=True)
    for axes, title in zip(grid.flat, titles, strict=True):
        axes.set_title(fill(title, TITLE_LINE // len(titles), break_on_hyphens=False), loc="left")
        axes.grid(axis="y", color=FAINT, lw=0.6)
        axes.set_axisbelow(True)
    return list(grid.flat)


def draw_bars(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw a dot for each time, or a bar from 1 for each ratio: a row for each solver, an axis per graph.

    A tick is the same of the other machines. Return the heights in inches.
    """
    first = of_first_machine(panels)
    names = bar_names(first)
    others = [panel for panel in panels if panel.machine != first[0].machine]
    grid = _grid(figure, [panel.title for panel in first])
    write_tick, write = _writers(first[0])
    for axes, panel in zip(grid, first, strict=True):
        numbers = dict.fromkeys(names, EMPTY)
        for line in panel.lines:
            (dot,) = line.dots
            _draw_dot(axes, dot, names.index(line.name), bar=bool(panel.over))
            numbers[line.name] = write(dot.value.median)
        same = [
            line
            for other in others
            if other.graph == panel.graph
            for line in other.lines
            if line.name in names
        ]
        for line in same:
            style: Any = {"marker": "|", "markersize": 8, "mew": 1.2, "color": colour(line.dots[0].entry)}
            axes.plot(line.dots[0].value.median, names.index(line.name), **style)
        if panel.over:
            axes.axvline(1, color=BLACK, lw=0.6)
        if isinstance(panel.limit, PhysicalLimit):
            axes.axvline(panel.limit.ms, color="0.5", lw=0.8, ls=":")
        dots = [dot.value for line in (*panel.lines, *same) for dot in line.dots]
        scale(
            axes,
            "x",
            [*(v.q1 for v in dots), *(v.q3 for v in dots), *([1] if panel.over else [])],
            write_tick,
        )
        name_rows(axes, names, list(numbers.values()))
    figure.supxlabel(axis_label(first[0].measure, bool(first[0].over)))
    _add_shapes(figure, [dot for panel in first for dot in panel.dots])
    widen(figure, names, len(first) * 2.3)
    return [ROW * (len(names) + 0.4) * (2 if drawing.pairs else 1)]


def _add_shapes(figure: SubFigure, dots: Sequence[Dot]) -> None:
    """Say what the shapes are, if there are several."""
    shown = kinds(dot.entry for dot in dots)
    if len(shown) > 1:
        add_key(figure, {name: {"marker": SHAPES[name], "color": KIND_COLOURS[name]} for name in shown})


def _draw_dot(axes: Axes, dot: Dot, row: int, bar: bool = False) -> None:
    """Draw a median with its quartiles."""
    if bar:
        axes.barh(row, dot.value.median - 1, left=1, color=colour(dot.entry), height=0.6)
    else:
        axes.plot(dot.value.median, row, ls="", zorder=3, **look(dot.entry))
    if dot.entry.record:
        below, above = whiskers([dot.value])
        thin: Any = {"fmt": "none", "ecolor": BLACK, "elinewidth": 0.8, "zorder": 4}
        axes.errorbar(dot.value.median, row, xerr=[below, above], **thin)


def draw_dumbbells(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw a row for each solver of each graph: from the printed time, hollow, to the measured one, filled.

    Above them stands how the last solver compares with the first, in print and here. Return the height.
    """
    names: list[str] = []
    numbers: list[str] = []
    heads: list[int] = []
    (axes,) = _grid(figure, [""])
    for panel in panels:
        heads.append(len(names))
        names.append(panel.title)
        numbers.append(_versus(panel))
        for line in panel.lines:
            row = len(names)
            printed, here = (
                [dot for dot in line.dots if bool(dot.entry.record) is real] for real in (False, True)
            )
            if printed and here:
                ends = [printed[0].value.median, here[0].value.median]
                axes.plot(ends, [row, row], color=colour(here[0].entry), lw=1.5, zorder=1)
            for dot in (*printed, *here[:1]):
                _draw_dot(axes, dot, row)
            for dot in here[1:]:
                axes.plot(dot.value.median, row, "|", color=colour(dot.entry), markersize=9, mew=1.2)
            names.append(line.name)
            shown = [duration(dot.value.median) for dot in (*printed, *here[:1])]
            numbers.append(" → ".join(shown))
    scale(axes, "x", [dot.value.median for panel in panels for dot in panel.dots], tick_time)
    name_rows(axes, names, numbers)
    for row in heads:
        axes.get_yticklabels()[row].set_fontweight("bold")
    figure.supxlabel(axis_label(panels[0].measure))
    _add_shapes(figure, [dot for panel in panels for dot in panel.dots])
    widen(figure, numbers, 5.2)
    return [ROW * (len(names) + 0.4)]


def _versus(panel: Panel) -> str:
    """Say how the last row compares with the first, in print and on the first machine."""
    said, ends = [], (panel.lines[0], panel.lines[-1])
    for real in (False, True):
        first = [[d.value.median for d in line.dots if bool(d.entry.record) is real][:1] for line in ends]
        if all(first) and len(panel.lines) > 1:
            said.append(comparative(first[1][0] / first[0][0]))
    return f"GPU {' → '.join(said)}" if said else ""


def draw_phases(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw the phases of each time behind each other, on a linear axis for each graph; return the height.

    A time that a drawing has beside it has a row of its own.
    """
    first = of_first_machine(panels)
    shown = drawing.measures
    timed = [(line.name, one) for panel in first for line in panel.lines for one in shown
             if one in line.dots[0].entry.times]  # fmt: skip
    ordered = [(name, one) for name in bar_names(first) for one in shown if (name, one) in timed]
    names = [", ".join(row if drawing.beside else row[:1]) for row in ordered]
    drawn = set()
    for axes, panel in zip(_grid(figure, [panel.title for panel in first]), first, strict=True):
        numbers = dict.fromkeys(names, EMPTY)
        entries = {line.name: line.dots[0].entry for line in panel.lines}
        for row, (name, one) in enumerate(ordered):
            begin = 0.0
            if name in entries and one in entries[name].times:
                for phase, ms in phases_of(entries[name], one).items():
                    axes.barh(row, ms, left=begin, height=0.65, color=PHASES[phase])
                    begin += ms
                    drawn.add(phase)
                numbers[names[row]] = duration(entries[name].times[one].median)
        name_rows(axes, names, list(numbers.values()))
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(lambda ms, _: tick_time(ms))
    figure.supxlabel("Time" if drawing.beside else axis_label(first[0].measure))
    add_key(figure, {name: {"marker": "s", "color": PHASES[name]} for name in PHASES if name in drawn})
    widen(figure, names, len(first) * 2.1)
    return [ROW * (len(names) + 0.4)]


def draw_strips(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw each trial of each row as a dot, and the median as a tick; return the height in inches."""
    (panel,) = panels
    (axes,) = _grid(figure, [""])
    for row, line in enumerate(panel.lines):
        (dot,) = line.dots
        trials = [ms for some in dot.value.trials for ms in some]
        axes.plot(trials, [row] * len(trials), ls="", alpha=0.6, mew=0, **(look(dot.entry) | {"mec": "none"}))
        axes.plot(dot.value.median, row, "|", color=BLACK, markersize=11, mew=1.4)
    scale(axes, "x", [ms for dot in panel.dots for some in dot.value.trials for ms in some], tick_time)
    names = [line.name for line in panel.lines]
    name_rows(axes, names, [duration(line.dots[0].value.median) for line in panel.lines])
    figure.supxlabel(f"{axis_label(panel.measure)}, each trial; the tick is the median")
    _add_shapes(figure, panel.dots)
    widen(figure, names, 4.4)
    return [ROW * (len(names) + 0.4)]


def draw_distances(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw how many times the limit the fastest of each kind takes, a graph a row; return the height."""
    (panel,) = panels
    (axes,) = _grid(figure, [""])
    for row, line in enumerate(panel.lines):
        places = [dot.value.median for dot in line.dots]
        axes.plot([1, max(places)], [row, row], color="0.8", lw=1, zorder=1)
        for dot in line.dots:
            _draw_dot(axes, dot, row)
    scale(axes, "x", [1, *(dot.value.median for dot in panel.dots)], tick_ratio)
    axes.axvline(1, color=BLACK, lw=0.8)
    names = [line.name for line in panel.lines]
    name_rows(axes, names, [times_as_much(line.dots[0].value.median) for line in panel.lines])
    figure.supxlabel(f"{axis_label(panel.measure)} over the limit; the number is ours")
    _add_shapes(figure, panel.dots)
    widen(figure, names, 4.4)
    return [ROW * (len(names) + 0.4)]


def draw_falls(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw each step as a bar from the time before to the time after, and join it to the next one.

    Return the heights of the panels in inches.
    """
    heights = [ROW * (0.4 + len(panel.lines)) for panel in panels]
    grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=heights)
    for axes, panel in zip(grid.flat, panels, strict=True):
        axes.set_title(panel.title, loc="left")
        steps = [
            Step(line.key, line.name, line.dots[0].x, line.dots[0].value, line.dots[0].entry)
            for line in panel.lines
        ]
        for row, step in enumerate(steps):
            after, style = step.after.median, {"color": _step_colour(step)}
            axes.plot([step.before, after], [row, row], lw=7, solid_capstyle="butt", **style)
            if step.kind == PRINTED:
                axes.plot(after, row, "o", mfc="white", zorder=3, **style)
            if row + 1 < len(steps) and steps[row + 1].kind != PRINTED:
                axes.plot([after, steps[row + 1].before], [row, row + 1], color="0.5", lw=0.8, ls=":")
        name_rows(axes, [step.name for step in steps], [step.label for step in steps])
    times = [ms for panel in panels for dot in panel.dots for ms in (dot.x, dot.value.median)]
    scale(grid[0, 0], "x", times, tick_time)
    figure.supxlabel("Time")
    widen(figure, [line.name for panel in panels for line in panel.lines], 4)
    return heights


def _step_colour(step: Step) -> str:
    """Colour a step for the better and one for the worse; the baseline's are grey."""
    if step.entry.record is None or step.kind == BASELINE or step.entry.record.cores:
        return "#777777"
    return "#0072B2" if step.factor >= 1 else "#D55E00"
