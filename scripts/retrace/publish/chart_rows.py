"""Figures of named rows: solvers ranked, printed and measured times joined, phases, single trials, falls."""

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.ticker import MaxNLocator

from retrace.publish import chart_axes as axis
from retrace.publish.chart_axes import ROW, name_rows, scale, tick_ratio, tick_time
from retrace.publish.chart_looks import BLACK, PHASES, REFERENCE, look
from retrace.publish.panel import Dot, Panel, bar_names, of_first_machine
from retrace.publish.phases import phases_of
from retrace.publish.waterfall import PRINTED, Step
from retrace.reports.report import Drawing
from retrace.reports.wording import EMPTY, comparative, duration, joules, times_as_much

ROW_TITLES_LINE = 52
"""The most characters in the titles of panels beside each other."""
AXIS_WIDTH = 2.1
"""Inches: the least width of an axis with the numbers beside it."""
OUTLINE: dict[str, Any] = {"edgecolor": BLACK, "linewidth": 0.5}
"""Of areas whose colours may be told from their ground, or from each other, by the hue alone."""
LEAST_OUTLINED = 0.01
"""The share of the longest bar from which on a part has an outline, which would hide a smaller one."""
Writer = Callable[[float], str]


def _writers(panel: Panel) -> tuple[Writer, Writer]:
    """Return how a panel's axis and its numbers are written."""
    if panel.over:
        return tick_ratio, comparative
    if panel.measure == "energy":
        return joules, joules
    return tick_time, duration


def _grid(figure: SubFigure, titles: Sequence[str] = ("",)) -> list[Axes]:
    """Return axes beside each other with rows of the same names, and their titles."""
    grid = figure.subplots(1, len(titles), squeeze=False, sharey=True)
    for axes, title in zip(grid.flat, titles, strict=True):
        axes.set_title(fill(title, ROW_TITLES_LINE // len(titles), break_on_hyphens=False), loc="left")
        axes.grid(axis="y", color="0.9", lw=0.6)
        axes.set_axisbelow(True)
    return list(grid.flat)


def _finished(
    figure: SubFigure, names: Sequence[str], label: str, dots: Sequence[Dot], columns: float
) -> float:
    """Name the axis and the kinds of solvers; return the height in inches."""
    figure.supxlabel(label)
    axis.add_kinds(figure, (dot.entry for dot in dots))
    axis.widen(figure, names, columns * AXIS_WIDTH)
    return ROW * (len(names) + 0.4)


def _draw_dot(axes: Axes, dot: Dot, row: int, write: Writer = duration, is_bar: bool = False) -> None:
    """Draw a median with its quartiles, or a bar from 1."""
    words = axis.tips([dot], write)
    if is_bar:
        axes.barh(row, dot.value.median - 1, left=1, color=look(dot.entry)["color"], height=0.6, gid=words)
    else:
        axes.plot(dot.value.median, row, ls="", zorder=3, gid=words, **look(dot.entry))
    if dot.entry.record:
        below, above = axis.whiskers([dot.value])
        thin: Any = {"fmt": "none", "ecolor": BLACK, "elinewidth": 0.8, "zorder": 4}
        axes.errorbar(dot.value.median, row, xerr=[below, above], **thin)


def _draw_tick(axes: Axes, dot: Dot, row: int, tint: str) -> None:
    axes.plot(dot.value.median, row, "|", color=tint, markersize=9, mew=1.3)


def draw_bars(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw a dot for each time, or a bar from 1 for each ratio: a row for each solver, an axis per graph.

    A tick is the same of the other machines. Ratios of all graphs have one scale.
    """
    first = of_first_machine(panels)
    names = bar_names(first)
    write_tick, write = _writers(first[0])
    divided = [dot.value for panel in panels if panel.over for dot in panel.dots]
    ratios = [end for value in divided for end in (value.q1, value.q3)]
    for axes, panel in zip(_grid(figure, [panel.title for panel in first]), first, strict=True):
        numbers, values = dict.fromkeys(names, EMPTY), [1.0, *ratios] if ratios else []
        for other in (other for other in panels if other.graph == panel.graph):
            for line in (line for line in other.lines if line.name in names):
                (dot,), row = line.dots, names.index(line.name)
                values += [dot.value.q1, dot.value.q3]
                if other is panel:
                    _draw_dot(axes, dot, row, write, is_bar=bool(panel.over))
                    numbers[line.name] = write(dot.value.median)
                else:
                    _draw_tick(axes, dot, row, look(dot.entry)["color"])
        if panel.over:
            axes.axvline(1, color=BLACK, lw=0.6)
        if panel.limit_ms:
            axes.axvline(panel.limit_ms, color="0.5", lw=0.8, ls=":")
        scale(axes, "x", values, write_tick)
        name_rows(axes, names, list(numbers.values()), (dot.entry for dot in panel.dots))
    dots = [dot for panel in first for dot in panel.dots]
    label = axis.axis_label(first[0].measure, bool(first[0].over))
    return [_finished(figure, names, label, dots, len(first)) * (2 if drawing.pairs else 1)]


def draw_places(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw a row for each dot of lines through few places: a dot for a time, or a bar from 1 for a ratio.

    Return the heights of the panels in inches. What is 1 by its definition has no row.
    """
    every = [_placed(drawing, panel) for panel in panels]
    heights = [ROW * (0.4 + len(rows)) for rows in every]
    grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=heights)
    for axes, panel, rows in zip(grid.flat, panels, every, strict=True):
        axes.set_title(fill(panel.title, ROW_TITLES_LINE, break_on_hyphens=False), loc="left")
        write = "{:.0%}".format if panel.measure == "transfer" else _writers(panel)[1]
        for row, (_, dot) in enumerate(rows):
            _draw_dot(axes, dot, row, write, is_bar=bool(panel.over))
            if dot.sign:
                axis.draw_sign(axes, dot.sign, dot.value.median, row)
        if panel.over:
            axes.axvline(1, color=BLACK, lw=0.6)
        name_rows(axes, [name for name, _ in rows], [write(dot.value.median) for _, dot in rows])
        if drawing.ideal:
            first, *last = sorted({dot.x for dot in panel.dots})
            for place in last:
                axes.axvline(first / place, color=REFERENCE, lw=0.8, ls=":")
    dots = [dot for rows in every for _, dot in rows]
    ends = [end for dot in dots for end in (dot.value.q1, dot.value.q3)]
    over, names = bool(panels[0].over), [name for rows in every for name, _ in rows]
    scale(grid[0, 0], "x", [1.0, *ends] if over else ends, _writers(panels[0])[0])
    label = axis.axis_label(panels[0].measure, over) + f"; dotted: {axis.IDEAL}" * drawing.ideal
    _finished(figure, names, label, dots, 2)
    return heights


def _placed(drawing: Drawing, panel: Panel) -> list[tuple[str, Dot]]:
    """Name each dot of lines by its line and place."""
    first, what = min(dot.x for dot in panel.dots), axis.place_label(drawing)
    return [
        (f"{line.name}, {what}: {dot.x:,.6g}", dot)
        for line in panel.lines
        for dot in line.dots
        if not drawing.ideal or dot.x > first
    ]


def draw_dumbbells(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw a row for each solver of each graph: from the printed time, hollow, to the measured one, filled.

    Above them stands how the last solver compares with the first, in print and here.
    """
    (axes,) = _grid(figure)
    rows: list[tuple[str, str]] = []
    for panel in panels:
        rows.append((panel.title, _versus(panel)))
        for line in panel.lines:
            printed, here = (
                [dot for dot in line.dots if bool(dot.entry.record) is real] for real in (False, True)
            )
            shown = (*printed, *here[:1])
            axes.plot([dot.value.median for dot in shown], [len(rows)] * len(shown), lw=1.5, zorder=1,
                      color=look(shown[-1].entry)["color"])  # fmt: skip
            for dot in shown:
                _draw_dot(axes, dot, len(rows))
            for dot in here[1:]:
                _draw_tick(axes, dot, len(rows), look(dot.entry)["color"])
            rows.append((line.name, " → ".join(duration(dot.value.median) for dot in shown)))
    dots = [dot for panel in panels for dot in panel.dots]
    names, numbers = [name for name, _ in rows], [number for _, number in rows]
    scale(axes, "x", [dot.value.median for dot in dots], tick_time)
    name_rows(axes, names, numbers, (dot.entry for dot in dots))
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() in [panel.title for panel in panels] else "normal")
    return [_finished(figure, names, axis.axis_label(panels[0].measure), dots, 2.8)]


def _versus(panel: Panel) -> str:
    """Say how the last row compares with the first, in print and on the first machine."""
    said, ends = [], (panel.lines[0], panel.lines[-1])
    for real in (False, True):
        first = [[d.value.median for d in line.dots if bool(d.entry.record) is real][:1] for line in ends]
        if all(first) and len(panel.lines) > 1:
            said.append(comparative(first[1][0] / first[0][0]))
    return f"GPU {' → '.join(said)}" if said else ""


def draw_phases(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw the phases of each time behind each other, on a linear axis for each graph.

    A time that a drawing has beside it has a row of its own.
    """
    first = of_first_machine(panels)
    timed = {(line.name, one) for panel in first for line in panel.lines for one in drawing.measures
             if one in line.dots[0].entry.times}  # fmt: skip
    rows = [(name, one) for name in bar_names(first) for one in drawing.measures if (name, one) in timed]
    names, drawn = [", ".join(row if drawing.beside else row[:1]) for row in rows], set()
    for axes, panel in zip(_grid(figure, [panel.title for panel in first]), first, strict=True):
        entries = {line.name: line.dots[0].entry for line in panel.lines}
        numbers = [EMPTY] * len(rows)
        medians = [
            e.times[one].median for e in entries.values() for one in drawing.measures if one in e.times
        ]
        longest = max(medians, default=0.0)
        for row, (name, one) in enumerate(rows):
            if name in entries and one in entries[name].times:
                numbers[row], begin = duration(entries[name].times[one].median), 0.0
                for phase, ms in phases_of(entries[name], one).items():
                    outline = OUTLINE if ms >= LEAST_OUTLINED * longest else {}
                    axes.barh(row, ms, left=begin, height=0.65, facecolor=PHASES[phase], **outline)
                    begin += ms
                    drawn.add(phase)
        name_rows(axes, names, numbers, entries.values())
        axes.set_xlim(left=0)
        axes.xaxis.set_major_locator(MaxNLocator(2, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(lambda ms, _: tick_time(ms))
    axis.add_key(figure, {name: {"facecolor": PHASES[name]} | OUTLINE for name in PHASES if name in drawn})
    label = "Time" if drawing.beside else axis.axis_label(first[0].measure)
    return [_finished(figure, names, label, [], len(first))]


def draw_distances(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw how many times the limit the fastest of each kind takes, a row for each graph, and its kind."""
    ((panel,), (axes,)) = panels, _grid(figure)
    for row, line in enumerate(panel.lines):
        axes.plot([1, max(dot.value.median for dot in line.dots)], [row, row], color="0.8", lw=1, zorder=1)
        for dot in line.dots:
            _draw_dot(axes, dot, row, times_as_much)
    scale(axes, "x", [1, *(dot.value.median for dot in panel.dots)], tick_ratio)
    axes.axvline(1, color=BLACK, lw=0.8)
    names = [line.name for line in panel.lines]
    numbers = [f"{times_as_much(line.dots[0].value.median)}, {line.key}" for line in panel.lines]
    name_rows(axes, names, numbers)
    label = f"{axis.axis_label(panel.measure)} over the limit; the number is ours"
    return [_finished(figure, names, label, panel.dots, 2.6)]


def draw_falls(figure: SubFigure, panels: Sequence[Panel]) -> list[float]:
    """Draw each step as a bar from the time before to the time after, and join it to the next one."""
    heights = [ROW * (0.4 + len(panel.lines)) for panel in panels]
    grid = figure.subplots(len(panels), squeeze=False, sharex=True, height_ratios=heights)
    for axes, panel in zip(grid.flat, panels, strict=True):
        axes.set_title(panel.title, loc="left")
        ends = [(line, line.dots[0]) for line in panel.lines]
        steps = [Step(line.key, line.name, dot.x, dot.value, dot.entry) for line, dot in ends]
        for row, (step, following) in enumerate(zip(steps, [*steps[1:], None], strict=True)):
            after, tint = step.after.median, look(step.entry)["color"]
            axes.plot([step.before, after], [row, row], lw=7, solid_capstyle="butt", color=tint)
            if step.kind == PRINTED:
                axes.plot(after, row, "o", mfc="white", zorder=3, color=tint)
            if following and following.kind != PRINTED:
                axes.plot([after, following.before], [row, row + 1], color="0.5", lw=0.8, ls=":")
        name_rows(axes, [step.name for step in steps], [step.label for step in steps])
    dots = [dot for panel in panels for dot in panel.dots]
    scale(grid[0, 0], "x", [ms for dot in dots for ms in (dot.x, dot.value.median)], tick_time)
    _finished(figure, [line.name for panel in panels for line in panel.lines], "Time", dots, 2)
    return heights
