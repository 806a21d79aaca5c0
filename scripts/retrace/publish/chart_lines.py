"""Lines against a size or a setting, each with a marker of its own and its name at its end."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

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
)
from retrace.publish.panels import DOUBT, Line, Panel, family
from retrace.reports.report import Drawing
from retrace.reports.wording import power_of_two

MARKERS = ("o", "D", "s", "^", "v", "p", "h", "X", "<", "P", ">", "d", "*")
"""Of the first line, the second and so on; there are 104 pairs of them and colours."""
DASHES = ((0, (3, 1.5)), (0, (5, 1.5)), (0, (1.5, 1.5)))
"""Of the first printed system, the second and so on."""
SIGN_MARKERS = {"×": "x", "+": "+", DOUBT: "o"}  # noqa: RUF001
LEADER = 0.3
"""Inches: the way from the axes to a line's name."""


def draw_lines(drawing: Drawing, drawn: Sequence[tuple[Axes, Panel]]) -> None:
    """Draw the lines of all panels on one x axis; those of ratios have a y axis of their own."""
    lines = [line for _, panel in drawn for line in panel.lines]
    keys = [*(line.key for line in lines if not line.system), *(line.key for line in lines)]
    keys += [drawing.compared.over.split("/")[-1]] if drawing.compared else []
    styles = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    white = whites(panel for _, panel in drawn)
    xs = [dot.x for line in lines for dot in line.dots]
    for axes, panel in drawn:
        axes.sharex(drawn[0][0])
        axes.sharey(next(one for one, other in drawn if other.compares == panel.compares))
        share = panel.measure == "transfer"
        axes.set_yscale("linear" if share else "log")
        axes.set_ylabel(axis_label(panel))
        level = 1.0 if panel.compares else drawing.level
        if level is not None:
            axes.axhline(level, color="0.6", lw=0.7, zorder=1)
        for line in panel.lines:
            _draw_line(axes, line, _look(line, styles, white[panel.machine]))
        _name_alone(axes, panel.lines)
    first = drawn[0][0] if drawn else None
    if first and min(xs) > 0:
        around = max(1.15, (max(xs) / min(xs)) ** 0.05)
        first.set_xscale("log")
        first.set_xlim(min(xs) / around, max(xs) * around)
        _name_places(first, drawing, lines)
    for axes, panel in drawn:
        if panel.measure == "transfer":
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:.0f}"))
        else:
            name_powers(axes.yaxis, 3, 7, tick_ratio if panel.over else tick_time)
        looks = [_look(line, styles, white[panel.machine]) for line in panel.lines]
        _name_lines(axes, panel.lines, looks, None if panel.compares else drawing)
    size = "Vertices per graph" if drawing.x == "vertices" else drawing.axis or drawing.x.replace("_", " ")
    for axes, _ in drawn[-2:]:  # the last one of each column
        axes.set_xlabel(size)


def _look(line: Line, styles: dict[str, int], white: float) -> dict[str, Any]:
    style = styles[line.key]
    colour = shade(COLOURS[style % len(COLOURS)], white)
    look: dict[str, Any] = {"color": colour, "marker": MARKERS[style % len(MARKERS)]}
    if line.system:
        look |= {"linestyle": DASHES[(line.system - 1) % len(DASHES)], "markerfacecolor": "white"}
    return look


def _draw_line(axes: Axes, line: Line, look: dict[str, Any]) -> None:
    for connected, dots in line.strokes:
        values = [dot.value for dot in dots]
        medians, ends = [value.median for value in values], None if line.system else whiskers(values)
        style: dict[str, Any] = look | {"markeredgewidth": 0.7, "elinewidth": 0.9}
        style |= {} if connected else {"linestyle": "none", "markerfacecolor": "white"}
        axes.errorbar([dot.x for dot in dots], medians, ends, zorder=2 if line.system else 3, **style)
    for dot in (dot for dot in line.dots if dot.sign):
        sign: Any = {"marker": SIGN_MARKERS[dot.sign], "markerfacecolor": "none", "markersize": 7, "mew": 0.7}
        axes.plot(dot.x, dot.value.median, color="black", zorder=4, **sign)


def _name_alone(axes: Axes, lines: Iterable[Line]) -> None:
    """Name the graphs whose points no line joins, each over the highest of its points."""
    alone = [dot for line in lines for joined, dots in line.strokes if not joined for dot in dots]
    highest = {dot.entry.label: dot for dot in sorted(alone, key=lambda dot: dot.value.q3)}
    for label, dot in highest.items():
        above: Any = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
        axes.annotate(label, (dot.x, dot.value.q3), (0, 4), **above)


def _name_places(axes: Axes, drawing: Drawing, lines: Iterable[Line]) -> None:
    """Name the places of the x axis as far as there is room: sizes by numbers, real graphs by their names."""
    size = drawing.x == "vertices"
    dots = [dot for line in lines for joined, some in line.strokes if joined for dot in some]
    powers = size and all(round(dot.x).bit_count() == 1 for dot in dots)
    named = {dot.x: power_of_two(round(dot.x)) if powers else f"{dot.x:,.6g}" for dot in dots}
    real = {dot.x: dot.entry.graph for dot in dots if size and not family(dot.entry)}
    place, points = axes.transScale + axes.transLimits, axes.get_position().width * 72
    found: list[tuple[float, str]] = []
    for x, text in sorted((named | real).items()):
        if found:
            before, other = found[-1]
            way = points * (place.transform((x, 1))[0] - place.transform((before, 1))[0])
            if way < 5 + 2.8 * (len(text) + len(other)):  # a character has some 5.6 points
                if x in real:
                    found[-1] = ((before * x) ** 0.5, f"{other}, {text}")
                continue
        found.append((x, text))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(FixedLocator([x for x, _ in found]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, at: found[at][1] if at is not None else f"{x:g}"))


def _name_lines(
    axes: Axes, lines: Sequence[Line], looks: Sequence[dict[str, Any]], drawing: Drawing | None
) -> None:
    """Write the name of each line beside the axes, with a dotted way from its last point.

    So is that of a drawing's level, if it has one.
    """
    ends, names, styles = [], [line.name for line in lines], list(looks)
    for line in lines:
        connected = [dots[-1] for joined, dots in line.strokes if joined] or [line.dots[-1]]
        dot = max(connected, key=lambda dot: dot.x)
        end = (axes.transScale + axes.transLimits).transform((dot.x, dot.value.median))
        ends.append([float(at) for at in end])
    if drawing and drawing.level is not None and drawing.level_name:
        ends.append([1.0, float((axes.transScale + axes.transLimits).transform((1, drawing.level))[1])])
        names.append(drawing.level_name)
        styles.append({"color": "0.6", "marker": ""})
    box, aside = axes.get_position(), 1 + LEADER / axes.get_position().width
    places = spread([end[1] for end in ends], ROW / box.height, 0, 1)
    for name, own, (x, y), place in zip(names, styles, ends, places, strict=True):
        look = own | {"linestyle": ":", "linewidth": 0.6, "markevery": [1], "zorder": 1}
        axes.plot([x, aside], [y, place], transform=axes.transAxes, clip_on=False, **look)
        at: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
        axes.annotate(name, (aside, place), (5, 0), **at)


def spread(wanted: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Move places apart until neighbours are `distance` apart, as near to the wanted ones as may be.

    Pushed up they would be too high, pushed down too low by as much: they stand between.
    """
    order, last = sorted(range(len(wanted)), key=lambda index: wanted[index]), len(wanted) - 1
    up = list(accumulate((wanted[i] for i in order), lambda below, at: max(at, below + distance)))
    down = list(accumulate((wanted[i] for i in order[::-1]), lambda above, at: min(at, above - distance)))
    places = [0.0] * len(wanted)
    for step, index in enumerate(order):
        highest = high - (last - step) * distance
        places[index] = max(low + step * distance, min((up[step] + down[last - step]) / 2, highest))
    return places
