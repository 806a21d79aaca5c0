"""Figures: lines against a size or a setting, or ranked bars, a panel for each machine.

Printed numbers are dashed with hollow markers, measured ones solid with filled markers. Each line has its
name at its end; points of a graph that is not the named one, and numbers in doubt, carry a sign.
"""

import io
import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import floor, log10
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox

from retrace.publish.chart_words import bold_bar, caption, finding, footnotes, heading
from retrace.publish.panels import DOUBT, LABELS, LIMIT, Line, Panel, family, panels
from retrace.publish.waterfall import KINDS, Step
from retrace.records.statistics import Summary
from retrace.reports.frame import REPORT, Frame
from retrace.reports.physical_limit import Limit
from retrace.reports.report import Drawing, Measure, Report, table_layout
from retrace.reports.wording import SUPERSCRIPTS, duration, milliseconds, power_of_two, ratio
from retrace.system.errors import RetraceError
from retrace.system.files import write_whole

# Okabe and Ito's palette, which colour-blind readers can tell apart, and a grey in place of its yellow.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
MARKERS = ("o", "D", "s", "^", "v", "p", "h", "X", "<", "P", ">", "d", "*")
"""Of the first line, the second and so on; there are 104 pairs."""
DASHES = ((0, (3, 1.5)), (0, (5, 1.5)), (0, (1.5, 1.5)))
HOLLOW = ("o", "^", "v", "s")
"""Of the first printed system, the second and so on."""
GROUP_COLOURS = ("#D55E00", "#0072B2", "#E69F00", "#56B4E9", "#000000")
OTHER_COLOURS = {"ours": "#CC79A7", "library": "#009E73", LIMIT: "#777777"}
FALL_COLOURS = dict(zip(KINDS, ("#777777", "#0072B2", "#56B4E9", "#CC79A7", "#E69F00"), strict=True))
SIGN_MARKERS = {"×": "x", "+": "+", DOUBT: "o"}  # noqa: RUF001

SETTINGS: Any = {
    "font.size": 7,
    "axes.titlesize": 7,
    "axes.titleweight": "bold",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.labelpad": 1,
    "lines.linewidth": 1,
    "lines.markersize": 3.6,
    "svg.fonttype": "none",  # text that can be searched and read aloud, in half of the bytes
    "svg.hashsalt": "retrace",
    "text.parse_math": False,  # a name may contain $
    "savefig.dpi": 300,
    "savefig.bbox": "tight",
    "savefig.pad_inches": 0.04,
}
WIDTH, AXES_WIDTH, HEIGHT, ROW, GAP = 3.42, 1.7, 1.5, 0.125, 0.05
"""Inches: a column, the least width and height of axes, a line of text, and the room between texts."""
LEADER = 0.14
"""The way from the axes to a line's name, as a share of their width."""
LIGHTER = (0.0, 0.4, 0.6)
"""How much white is in the colours of the first machine, the second and the others."""
WIDE = 50
"""The greatest value over the least from which on dots take the place of bars."""


def drawing_of(report: Report | None, name: str, measured: Iterable[str] = ()) -> Drawing:
    """Return a figure of a report, or that of an experiment: every variant ranked.

    With records of the experiments `measured`, a name that neither has is a RetraceError.
    """
    if report and name in report.figures:
        return report.figures[name]
    known = [*report.figures, *report.experiments] if report else []
    there = dict.fromkeys([*known, *(measured := list(measured))])
    if measured and name not in there:
        raise RetraceError(f"--figures: {name} is no figure and no experiment; there are {', '.join(there)}")
    layout = table_layout(report, name)
    beside: Measure | None = "total" if layout.by != "total" else None
    return Drawing(experiment=name, title=layout.title, kind="bars", y=layout.by, beside=beside)


def image(figure: Figure, form: str) -> bytes:
    """Encode a figure as `svg` or `png`; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with rc_context(SETTINGS):
        figure.savefig(buffer, format=form, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def write_figure(folder: Path, name: str, frame: Frame, report: Report | None) -> None:
    """Draw a figure and write its three files: `.svg`, `.png`, and the caption as `.md`."""
    drawing = drawing_of(report, name, [entry.experiment for entry in frame.measured])
    figure, text = draw(drawing, frame, report), caption(drawing, frame, report).encode()
    for form, content in {"svg": image(figure, "svg"), "png": image(figure, "png"), "md": text}.items():
        write_whole(folder / f"{name}.{form}", content)


def draw(drawing: Drawing, frame: Frame, report: Report | None) -> Figure:
    """Draw a figure, at a column's width unless names need more."""
    chosen, bars = panels(drawing, frame, report), drawing.kind != "lines"
    with rc_context(SETTINGS):
        figure = Figure(figsize=(1, 1), dpi=300)  # of one inch, so that all places are in inches
        drawn: list[tuple[Axes, Panel]] = []
        top = 0.0
        for panel in chosen:
            high = _height(drawing, panel)
            drawn.append((figure.add_axes((0, top - high, AXES_WIDTH, high)), panel))
            top -= high + (0.42 if bars else 0.27)
        if drawing.kind == "waterfall":
            _draw_falls(figure, drawn)
        elif bars:
            _draw_bars(figure, drawing, drawn, report)
        elif drawn:
            _draw_lines(drawing, drawn)
        wider = (WIDTH - _extent(figure).width) / (1 + LEADER)
        for axes in figure.axes if wider > 0 else ():
            axes.set_position((0, axes.get_position().y0, AXES_WIDTH + wider, axes.get_position().height))
        left = _extent(figure).x0
        for axes in figure.axes:
            axes.title.set_x(left / axes.get_position().width)
        box = _extent(figure)
        for text in footnotes(drawing, chosen):
            box = _add_text(figure, box, text, "top")
        if drawing.kind != "waterfall" or not chosen:  # whose bars say it
            box = _add_text(figure, box, finding(drawing, frame, report), "bottom")
        _add_text(figure, box, heading(drawing, frame, report), "bottom", fontsize=8, fontweight="bold")
    return figure


def _height(drawing: Drawing, panel: Panel) -> float:
    if drawing.kind != "lines":
        return ROW * (1.2 + len(panel.lines) * (2 if drawing.pairs else 1))
    return max(HEIGHT, ROW * len(panel.lines))


def _extent(figure: Figure) -> Bbox:
    """Return where there is anything, or where the first text goes."""
    return figure.get_tightbbox() if figure.axes or figure.texts else Bbox.from_extents(0, 0, WIDTH, 0)


def _add_text(figure: Figure, box: Bbox, words: str, side: str, **font: Any) -> Bbox:
    """Write below the box, the top there, or above it; return the box of both. Names are not broken."""
    y = box.y1 + GAP if side == "bottom" else box.y0 - GAP
    whole = re.sub(r"(\d|Figure|Table) (ms|s|µs|\d)\b", "\\1\u00a0\\2", words)
    text = figure.text(box.x0, y, "", va=side, **font)

    def width(characters: int) -> float:
        text.set_text("\n".join(textwrap.wrap(whole, characters, break_on_hyphens=False)))
        return text.get_window_extent().width

    widths = range(21, 111)
    width(widths[max(0, bisect_right(widths, max(box.width, WIDTH) * figure.dpi, key=width) - 1)])
    return Bbox.union([box, text.get_window_extent().transformed(figure.dpi_scale_trans.inverted())])


def _draw_lines(drawing: Drawing, drawn: Sequence[tuple[Axes, Panel]]) -> None:
    lines = [line for _, panel in drawn for line in panel.lines]
    keys = [*(line.key for line in lines if not line.system), *(line.key for line in lines)]
    keys += [drawing.compared.over.split("/")[-1]] if drawing.compared else []
    styles = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    white = _white(panel for _, panel in drawn)
    xs = [dot.x for line in lines for dot in line.dots]
    for axes, panel in drawn:
        axes.sharex(drawn[0][0])
        axes.sharey(next(one for one, other in drawn if other.below == panel.below))
        axes.set_title(panel.title, pad=6, x=0, ha="left")
        share = panel.measure == "transfer"
        axes.set_yscale("linear" if share else "log")
        axes.set_ylabel(f"{LABELS[panel.measure]}{', ratio' if panel.over else ' (%)' if share else ' (ms)'}")
        level = 1.0 if panel.below else drawing.level
        if level is not None:
            style = styles.get(panel.over.split("/")[-1]) if panel.below else None
            colour = "0.6" if style is None else shade(COLOURS[style % len(COLOURS)], white[panel.machine])
            axes.axhline(level, color=colour, lw=0.7, zorder=1)
        for line in panel.lines:
            _draw_line(axes, line, _look(line, styles, white[panel.machine]))
        _name_alone(axes, panel.lines)
    first, last = drawn[0][0], drawn[-1][0]
    if min(xs) > 0:
        around = max(1.15, (max(xs) / min(xs)) ** 0.05)
        first.set_xscale("log")
        first.set_xlim(min(xs) / around, max(xs) * around)
    _name_places(first, drawing, lines)
    for axes, panel in drawn:
        if panel.measure == "transfer":
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:.0f}"))
        else:
            _name_powers(axes.yaxis, 3)
        axes.tick_params(labelbottom=axes is last)
        looks = [_look(line, styles, white[panel.machine]) for line in panel.lines]
        _name_lines(axes, panel.lines, ROW / _height(drawing, panel), looks)
    last.set_xlabel(drawing.x.replace("_", " ").replace("vertices", "Vertices"))


def _white(panels: Iterable[Panel]) -> dict[str, float]:
    """Return how much white each machine's colours have; printed systems have the full ones."""
    machines = dict.fromkeys(panel.machine for panel in panels if panel.machine)
    return {"": 0.0} | {one: LIGHTER[min(number, 2)] for number, one in enumerate(machines)}


def shade(colour: str, white: float) -> tuple[float, ...]:
    """Mix a colour with white."""
    return tuple(part + (1 - part) * white for part in to_rgb(colour))


def _look(line: Line, styles: dict[str, int], white: float) -> dict[str, Any]:
    style = styles[line.key]
    colour = shade(COLOURS[style % len(COLOURS)], 0.0 if line.system else white)
    look: dict[str, Any] = {"color": colour, "marker": MARKERS[style % len(MARKERS)]}
    if line.system:
        look["marker"] = HOLLOW[(line.system - 1) % len(HOLLOW)]
        look |= {"linestyle": DASHES[(line.system - 1) % len(DASHES)], "markerfacecolor": "white"}
    return look


def _draw_line(axes: Axes, line: Line, look: dict[str, Any]) -> None:
    for connected, dots in line.strokes:
        values = [dot.value for dot in dots]
        medians, errors = [value.median for value in values], None if line.system else _errors(values)
        style: dict[str, Any] = look | {"markeredgewidth": 0.7, "elinewidth": 0.7, "capsize": 1.5}
        style |= {} if connected else {"linestyle": "none", "markerfacecolor": "white"}
        axes.errorbar([dot.x for dot in dots], medians, errors, zorder=2 if line.system else 3, **style)
    for dot in (dot for dot in line.dots if dot.sign):
        sign: Any = {"marker": SIGN_MARKERS[dot.sign], "markerfacecolor": "none", "markersize": 7, "mew": 0.7}
        axes.plot(dot.x, dot.value.median, color="black", zorder=4, **sign)


def _errors(values: Sequence[Summary]) -> tuple[list[float], list[float]]:
    return [v.median - v.q1 for v in values], [v.q3 - v.median for v in values]


def _name_alone(axes: Axes, lines: Iterable[Line]) -> None:
    """Write over the highest of the points that belong to no line what they are."""
    alone = [dot for line in lines for joined, dots in line.strokes if not joined for dot in dots]
    highest = {dot.entry.label: dot for dot in sorted(alone, key=lambda dot: dot.value.q3)}
    for label, dot in highest.items():
        above: Any = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
        axes.annotate(label, (dot.x, dot.value.q3), (0, 4), **above)


def _name_powers(axis: Axis, least: int) -> None:
    """Name some places of a logarithmic axis: powers of 10, or rounder ones where it spans little."""
    low, high = sorted(axis.get_view_interval())
    for heads in ((1,), (1, 2, 5), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        locator = LogLocator(subs=heads, numticks=7)
        if sum(low <= value <= high for value in locator.tick_values(low, high)) >= least:
            break
    axis.set_major_locator(locator)
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def tick_text(value: float) -> str:
    """Write a round number in few characters: 0.05, 2000, 10⁴ or 2·10⁴."""
    power = floor(log10(value) + 1e-9)
    if -3 <= power < 4:
        return f"{value:g}"
    head = f"{value / 10**power:.0f}·".replace("1·", "")
    return f"{head}10{str(power).translate(SUPERSCRIPTS)}"


def _name_places(axes: Axes, drawing: Drawing, lines: Iterable[Line]) -> None:
    """Name the places of the x axis as far as there is room: sizes by numbers, real graphs by their names."""
    size = drawing.x == "vertices"
    dots = [dot for line in lines for joined, some in line.strokes if joined for dot in some]
    powers = size and all(round(dot.x).bit_count() == 1 for dot in dots)
    named = {dot.x: power_of_two(round(dot.x)) if powers else f"{dot.x:g}" for dot in dots}
    real = {dot.x: dot.entry.graph for dot in dots if size and not family(dot.entry)}
    place = axes.transScale + axes.transLimits
    found: list[tuple[float, str]] = []
    for x, text in sorted((named | real).items()):
        if found:
            before, other = found[-1]
            way = AXES_WIDTH * 72 * (place.transform((x, 1))[0] - place.transform((before, 1))[0])
            if way < 5 + 2.1 * (len(text) + len(other)):  # a character has some 4.2 points
                if x in real:
                    found[-1] = ((before * x) ** 0.5, f"{other}, {text}")
                continue
        found.append((x, text))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(FixedLocator([x for x, _ in found]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, at: found[at][1] if at is not None else f"{x:g}"))


def _name_lines(axes: Axes, lines: Sequence[Line], distance: float, looks: Sequence[dict[str, Any]]) -> None:
    ends = []
    for line in lines:
        connected = [dots[-1] for joined, dots in line.strokes if joined] or [line.dots[-1]]
        dot = max(connected, key=lambda dot: dot.x)
        end = (axes.transScale + axes.transLimits).transform((dot.x, dot.value.median))
        ends.append([float(at) for at in end])
    places = spread([end[1] for end in ends], distance, 0, 1)
    for line, own, (x, y), place in zip(lines, looks, ends, places, strict=True):
        look = own | {"linestyle": ":", "linewidth": 0.6, "markevery": [1], "zorder": 1}
        axes.plot([x, 1 + LEADER], [y, place], transform=axes.transAxes, clip_on=False, **look)
        at: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
        axes.annotate(line.name, (1 + LEADER, place), (4, 0), **at)


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


def _draw_bars(
    figure: Figure, drawing: Drawing, drawn: Sequence[tuple[Axes, Panel]], report: Report | None
) -> None:
    """Draw ranked bars from 0, or from 1 of ratios; dots on a logarithmic axis where times differ much."""
    groups = table_layout(report, drawing.experiment).groups or [REPORT]
    colours = dict(zip(groups, GROUP_COLOURS, strict=False)) | OTHER_COLOURS
    white = _white(panel for _, panel in drawn)
    for axes, panel in drawn:
        values = [line.dots[0].value for line in panel.lines]
        medians, rows = [value.median for value in values], range(len(values))
        others = [dot.beside.median if dot.beside else None for dot in panel.dots]
        log = bool(panel.over or drawing.graphs) or max(medians) > WIDE * min(medians)
        axes.set_title(panel.title, pad=6, x=0, ha="left")
        axes.set_xscale("log" if log else "linear")
        shades = [shade(colours.get(line.key, COLOURS[-1]), white[panel.machine]) for line in panel.lines]
        if dots := log and not panel.over:
            axes.grid(axis="y", color="0.88", lw=0.6)
            axes.scatter(medians, rows, c=shades, s=13, zorder=3)
            if isinstance(panel.limit, Limit):
                axes.axvline(panel.limit.ms, color="0.6", lw=0.7, ls=":", zorder=1)
        else:
            base = 1 if panel.over else 0
            axes.axvline(base, color="black", lw=0.6)
            axes.barh(rows, [m - base for m in medians], left=base, color=shades, height=0.72, zorder=2)
        thin: Any = {"fmt": "none", "ecolor": "black", "elinewidth": 0.7, "capsize": 1.5, "zorder": 4}
        axes.errorbar(medians, rows, xerr=_errors(values), **thin)
        write = ratio if panel.over else milliseconds if drawing.graphs else duration
        for row, (value, other) in enumerate(zip(values, others, strict=True)):
            text, right = write(value.median), max(value.q3, 1) if panel.over else value.q3
            if other is not None:
                look: Any = {"markerfacecolor": "none" if dots else "white", "zorder": 2 if dots else 5}
                axes.plot(other, row, "D", color="black", mew=0.7, **look)
                text, right = f"{text}, {write(other)}", max(right, other)
            clear: Any = {"bbox": {"color": "white", "pad": 0.5}} if dots else {}  # of the line behind it
            axes.annotate(text, (right, row), (4, 0), textcoords="offset points", va="center", **clear)
        axes.set_yticks(rows, [line.name for line in panel.lines])
        for label, line in zip(axes.get_yticklabels(), panel.lines, strict=True):
            label.set_fontweight("bold" if line.name == bold_bar(drawing, report) else "normal")
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(values) - 0.4, -0.6)
        if drawing.graphs:
            every = [dot.value.median for _, other in drawn for dot in other.dots]
            axes.set_xlim(min(every) / 1.5, max(every) * 1.5)
        if log:
            _name_powers(axes.xaxis, 2)
        else:
            axes.xaxis.set_major_locator(MaxNLocator(4, steps=(1, 2, 5, 10)))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    if drawn:
        drawn[-1][0].set_xlabel(f"{LABELS[drawing.y]}{', ratio' if drawn[-1][1].over else ' (ms)'}")
    _add_key(figure, drawn, colours)


def _draw_falls(figure: Figure, drawn: Sequence[tuple[Axes, Panel]]) -> None:
    """Draw each step as a bar from the time before to the time after, on a logarithmic axis."""
    for axes, panel in drawn:
        rows = range(len(panel.lines))
        axes.set_title(panel.title, pad=6, x=0, ha="left")
        axes.set_xscale("log")
        axes.sharex(drawn[0][0])
        for row, line in zip(rows, panel.lines, strict=True):
            (dot,), colour = line.dots, FALL_COLOURS[line.key]
            after = dot.value.median
            step = Step(line.key, line.name, dot.x, dot.value, dot.entry)
            axes.plot([dot.x, after], [row, row], color=colour, lw=5, solid_capstyle="butt", zorder=2)
            axes.plot(after, row, "o", color=colour, markersize=4.5, zorder=3)
            right = max(dot.x, after)
            axes.annotate(step.label, (right, row), (5, 0), textcoords="offset points", va="center")
        axes.set_yticks(rows, [line.name for line in panel.lines])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(panel.lines) - 0.4, -0.6)
    if drawn:
        _name_powers(drawn[0][0].xaxis, 2)
        drawn[-1][0].set_xlabel("Time (ms)")
        _add_key(figure, drawn, FALL_COLOURS)


def _add_key(figure: Figure, drawn: Sequence[tuple[Axes, Panel]], colours: Mapping[str, str]) -> None:
    there = {line.key for _, panel in drawn for line in panel.lines}
    key = [Patch(color=colour, label=kind) for kind, colour in colours.items() if kind in there]
    if len(key) > 1:
        place: Any = {"loc": "upper left", "bbox_to_anchor": (_extent(figure).x0, _extent(figure).y0)}
        figure.legend(handles=key, ncols=3, frameon=False, handlelength=1, borderaxespad=0.5, **place)
