"""Figures: lines against a size or a setting, or ranked bars, a panel for each machine.

Printed numbers are dashed with hollow markers, measured ones solid with filled markers. Each line has its
name at its end; points of a graph that is not the named one, and numbers in doubt, carry a sign.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Sequence
from math import floor, log10
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from retrace.publish.chart_words import finding, footnotes, heading
from retrace.publish.panels import DOUBT, MEASURES, Line, Panel, family, panels
from retrace.reports import claim as claims
from retrace.reports.frame import Frame
from retrace.reports.report import Drawing, Report, TableLayout, table_layout
from retrace.reports.wording import SUPERSCRIPTS, duration, power_of_two, ratio

# Okabe and Ito's palette, which colour-blind readers can tell apart, and a grey in place of its yellow.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
MARKERS = ("o", "D", "s", "^", "v", "p", "h", "X", "<", "P", ">", "d", "*")
"""Of the first line, the second and so on; there are 104 pairs."""
DASHES = ((0, (3, 1.5)), (0, (5, 1.5)), (0, (1.5, 1.5)))
HOLLOW = ("o", "^", "v", "s")
"""Of the first printed system, the second and so on."""
KIND_COLOURS = {"ours": "#CC79A7", "library": "#009E73"}
GROUPS = ("#D55E00", "#0072B2", "#E69F00", "#56B4E9", "#000000")
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
    "svg.hashsalt": "retrace",
    "savefig.dpi": 300,
}
WIDTH, AXES_WIDTH, HEIGHT, ROW, EDGE = 3.5, 1.7, 1.5, 0.125, 0.04
"""Inches: a column, the least width and height of axes, a line of text, and the room around words."""
LEADER = 0.14
"""The way from the axes to a line's name, as a share of their width."""
NEAR = 0.18
"""The least share of the axes' width between two sizes that are named."""
WIDE = 50
"""The greatest value over the least from which on dots take the place of bars."""


def drawing_of(report: Report | None, name: str) -> Drawing:
    """Return a figure of a report, or that of an experiment: every variant ranked."""
    if report and name in report.figures:
        return report.figures[name]
    return Drawing(experiment=name, title=table_layout(report, name).title, kind="bars")


def image(figure: Figure, form: str) -> bytes:
    """Encode a figure as `svg` or `png`; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    with rc_context(SETTINGS):
        figure.savefig(buffer, format=form, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def draw(drawing: Drawing, frame: Frame, report: Report | None) -> Figure:
    """Draw a figure, at a column's width unless names need more."""
    chosen, layout = panels(drawing, frame, report), table_layout(report, drawing.experiment)
    with rc_context(SETTINGS):
        heights = [_height(drawing, panel) for panel in chosen]
        figure = Figure(figsize=(WIDTH + 1, 2 * sum(heights) + 2), dpi=300, layout="constrained")
        all_axes: list[Axes] = []
        if chosen:
            grid = figure.add_gridspec(len(chosen), 1, height_ratios=heights)
            all_axes = [figure.add_subplot(grid[number]) for number in range(len(chosen))]
        if drawing.kind == "bars":
            _draw_bars(figure, drawing, list(zip(all_axes, chosen, strict=True)), layout, report)
        else:
            _draw_lines(drawing, list(zip(all_axes, chosen, strict=True)))
        head = [
            figure.text(0, 1, heading(drawing), fontsize=8, fontweight="bold"),
            figure.text(0, 1, finding(drawing, frame, report)),
        ]
        foot = [figure.text(0, 0, text) for text in footnotes(drawing, chosen)]
        _fit(figure, all_axes, heights, head, foot)
    return figure


def _height(drawing: Drawing, panel: Panel) -> float:
    """Return how high the axes of a panel are, in inches: its lines' names have room."""
    if drawing.kind == "bars":
        return ROW * (1.2 + len(panel.lines) * (2 if drawing.pairs else 1))
    return max(HEIGHT, ROW * len(panel.lines))


def _fit(
    figure: Figure, all_axes: Sequence[Axes], heights: Sequence[float], head: list[Text], foot: list[Text]
) -> None:
    """Give the axes their size, and the figure what it needs for them, the words above and those below."""
    inches = figure.dpi_scale_trans.inverted()
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    for missing in (True, True, True, False):
        width, height = figure.get_size_inches()
        top = bottom = EDGE
        for text in head:
            _wrap(text, width - 2 * EDGE)
            text.set(x=EDGE / width, y=1 - top / height, va="top")
            top += text.get_window_extent().transformed(inches).height + EDGE
        for text in reversed(foot):
            _wrap(text, width - 2 * EDGE)
            text.set(x=EDGE / width, y=bottom / height, va="bottom")
            bottom += text.get_window_extent().transformed(inches).height + EDGE
        engine.set(rect=(0, bottom / height, 1, max(0.1, 1 - (top + bottom) / height)))
        figure.draw_without_rendering()
        boxes = [axes.get_window_extent().transformed(inches) for axes in all_axes]
        if missing:
            low = sum(wanted - box.height for wanted, box in zip(heights, boxes, strict=True))
            narrow = max(WIDTH, *(width + AXES_WIDTH - box.width for box in boxes)) if boxes else WIDTH
            figure.set_size_inches(narrow, height + low if boxes else top + bottom)
    for axes, box in zip(all_axes, boxes, strict=True):
        axes.title.set(x=(EDGE - box.x0) / box.width, ha="left")
    figure.set_layout_engine("none")


def _wrap(text: Text, width: float) -> None:
    """Break a text into lines of so many inches; names of solvers are not broken."""
    whole = re.sub(r"(\d|Figure|Table) (ms|s|µs|\d)\b", "\\1\u00a0\\2", text.get_text().replace("\n", " "))
    figure = text.get_figure()
    assert figure is not None
    for characters in range(110, 20, -1):
        text.set_text("\n".join(textwrap.wrap(whole, characters, break_on_hyphens=False)))
        if text.get_window_extent().width <= width * figure.dpi:
            return


def _draw_lines(drawing: Drawing, drawn: Sequence[tuple[Axes, Panel]]) -> None:
    """Draw panels of lines on shared axes; those below have a y axis of their own."""
    order = [line for _, panel in drawn for line in panel.lines]
    measured = [line.key for line in order if not line.system]
    styles = {key: number for number, key in enumerate(dict.fromkeys([*measured, *(o.key for o in order)]))}
    if drawing.compared:
        styles.setdefault(drawing.compared.over.split("/")[-1], len(styles))
    xs = [dot.x for line in order for dot in line.dots]
    for axes, panel in drawn:
        first = next(one for one, other in drawn if other.below == panel.below)
        if axes is not drawn[0][0]:
            axes.sharex(drawn[0][0])
        if axes is not first:
            axes.sharey(first)
        axes.set_title(panel.title, pad=6)
        axes.set_xscale("log" if min(xs) > 0 else "linear")
        if min(xs) > 0:
            around = max(1.15, (max(xs) / min(xs)) ** 0.05)
            axes.set_xlim(min(xs) / around, max(xs) * around)
        share = drawing.y == "transfer" and not panel.below
        axes.set_yscale("linear" if share else "log")
        over = drawing.compared.over if drawing.compared and panel.below else drawing.over
        measure = MEASURES[drawing.compared.y if drawing.compared and panel.below else drawing.y]
        unit = "%" if share else "ms"
        axes.set_ylabel(f"{measure}, ratio" if over else f"{measure} ({unit})")
        level = 1.0 if panel.below else drawing.level
        if level is not None:
            key = over.split("/")[-1] if panel.below and over else ""
            axes.axhline(
                level, color=COLOURS[styles[key] % len(COLOURS)] if key in styles else "0.6", lw=0.7, zorder=1
            )
        for line in panel.lines:
            _draw_line(axes, line, styles[line.key])
        _name_alone(axes, panel.lines)
    for axes, panel in drawn:
        low, high = axes.get_ylim()
        if drawing.y == "transfer" and not panel.below:
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:.0f}"))
        else:
            _name_powers(axes.yaxis, low, high)
        _name_places(axes, drawing, [panel for _, panel in drawn])
        _name_lines(axes, drawing, panel, styles)
    if drawn:
        drawn[-1][0].set_xlabel(drawing.x.replace("_", " ").replace("vertices", "Vertices"))
        for axes, _ in drawn[:-1]:
            axes.tick_params(labelbottom=False)


def _look(line: Line, style: int) -> dict[str, Any]:
    """Return how a line is drawn."""
    colour = COLOURS[style % len(COLOURS)]
    if not line.system:
        return {"color": colour, "marker": MARKERS[style % len(MARKERS)], "linestyle": "-"}
    marker = HOLLOW[(line.system - 1) % len(HOLLOW)]
    dashes = DASHES[(line.system - 1) % len(DASHES)]
    return {"color": colour, "marker": marker, "linestyle": dashes, "markerfacecolor": "white"}


def _draw_line(axes: Axes, line: Line, style: int) -> None:
    """Draw medians and bars between quartiles; sign the points of substitutes and doubts."""
    look = _look(line, style) | {"markeredgewidth": 0.7, "elinewidth": 0.7, "capsize": 1.5}
    for connected, dots in line.strokes:
        values = [dot.value for dot in dots]
        apart = {} if connected else {"linestyle": "none", "markerfacecolor": "white"}
        errors = [[v.median - v.q1 for v in values], [v.q3 - v.median for v in values]]
        axes.errorbar(
            [dot.x for dot in dots],
            [value.median for value in values],
            yerr=None if line.system else errors,
            zorder=2 if line.system else 3,
            **look | apart,
        )
    for dot in line.dots:
        if dot.sign:
            axes.plot(
                dot.x,
                dot.value.median,
                SIGN_MARKERS[dot.sign],
                color="black",
                markerfacecolor="none",
                markersize=7,
                mew=0.7,
                zorder=4,
            )


def _name_alone(axes: Axes, lines: Iterable[Line]) -> None:
    """Write over the highest of the points that belong to no line what they are."""
    highest: dict[str, tuple[float, float]] = {}
    for line in lines:
        for dot in (dot for connected, dots in line.strokes if not connected for dot in dots):
            highest[dot.entry.label] = max(highest.get(dot.entry.label, (0.0, 0.0)), (dot.value.q3, dot.x))
    for label, (top, x) in highest.items():
        axes.annotate(label, (x, top), (0, 4), textcoords="offset points", ha="center", va="bottom")


def _name_powers(axis: Axis, low: float, high: float, least: int = 3) -> None:
    """Name places of a logarithmic axis: powers of 10, or more where it spans little."""
    axis.set_minor_locator(NullLocator())
    axis.set_major_locator(FixedLocator(ticks(low, high, least)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short(value)))


def ticks(low: float, high: float, least: int = 3) -> list[float]:
    """Choose two to seven round places of a logarithmic axis."""
    found: list[float] = []
    for heads in ((1.0,), (1, 2, 5), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        powers = range(floor(log10(low)), floor(log10(high)) + 1)
        found = [value for p in powers for head in heads if low <= (value := head * 10.0**p) <= high]
        if len(found) >= least:
            break
    return found[:: -(-len(found) // 7) or 1]


def short(value: float) -> str:
    """Write a round number in few characters."""
    if value < 1e4 and value >= 1e-3:
        return f"{value:g}"
    mantissa, _, power = f"{value:.0e}".partition("e")
    head = "" if mantissa == "1" else f"{mantissa}·"
    sign = "⁻" if power.startswith("-") else ""
    return f"{head}10{sign}{str(abs(int(power))).translate(SUPERSCRIPTS)}"


def _name_places(axes: Axes, drawing: Drawing, chosen: Iterable[Panel]) -> None:
    """Name the places of the x axis as far as there is room: sizes by numbers, real graphs by their names."""
    size = drawing.x == "vertices"
    dots = [
        d for panel in chosen for line in panel.lines for joined, some in line.strokes if joined for d in some
    ]
    powers = size and all(round(dot.x).bit_count() == 1 for dot in dots)
    named: dict[float, tuple[str, bool]] = {}
    for dot in dots:
        real = size and not family(dot.entry)
        number = power_of_two(round(dot.x)) if powers else f"{dot.x:g}"
        named.setdefault(dot.x, (dot.entry.graph if real else number, real))
    to_axes = axes.transScale + axes.transLimits
    found: list[tuple[float, str]] = []
    for x, (text, real) in sorted(named.items()):
        if found:
            before, other = found[-1]
            way = to_axes.transform((x, 1))[0] - to_axes.transform((before, 1))[0]
            room = (
                way * AXES_WIDTH * 72 - 5 - 2.1 * (len(text) + len(other))
            )  # a character has some 4.2 points
            if room < 0 or (size and not real and way < NEAR):
                if real:
                    found[-1] = ((before * x) ** 0.5, f"{other}, {text}")
                continue
        found.append((x, text))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_locator(FixedLocator([x for x, _ in found]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, at: found[at][1] if at is not None else f"{x:g}"))


def _name_lines(axes: Axes, drawing: Drawing, panel: Panel, styles: dict[str, int]) -> None:
    """Write each line's name at its end, apart from the others, with a leader to it."""
    to_axes = axes.transScale + axes.transLimits
    ends = []
    for line in panel.lines:
        connected = [dots[-1] for joined, dots in line.strokes if joined] or [line.dots[-1]]
        dot = max(connected, key=lambda dot: dot.x)
        ends.append([float(at) for at in to_axes.transform((dot.x, dot.value.median))])
    places = spread([end[1] for end in ends], ROW / _height(drawing, panel), 0, 1)
    for line, end, place in zip(panel.lines, ends, places, strict=True):
        look = _look(line, styles[line.key]) | {"linestyle": ":", "linewidth": 0.6, "markevery": [1]}
        axes.plot(
            [end[0], 1 + LEADER], [end[1], place], transform=axes.transAxes, clip_on=False, zorder=1, **look
        )
        axes.annotate(
            line.name,
            (1 + LEADER, place),
            (4, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
        )


def spread(wanted: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Move places apart until neighbours are `distance` apart, as near to the wanted ones as may be.

    Places that touch form a block centred on the mean of what they want; blocks that touch merge.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    blocks: list[list[int]] = []

    def start(block: list[int]) -> float:
        middle = sum(wanted[index] for index in block) / len(block)
        length = distance * (len(block) - 1)
        return max(low, min(middle - length / 2, high - length))

    for index in order:
        blocks.append([index])
        while len(blocks) > 1 and start(blocks[-1]) < start(blocks[-2]) + distance * len(blocks[-2]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    places = [0.0] * len(wanted)
    for block in blocks:
        for step, index in enumerate(block):
            places[index] = start(block) + step * distance
    return places


def _draw_bars(
    figure: Figure,
    drawing: Drawing,
    drawn: Sequence[tuple[Axes, Panel]],
    layout: TableLayout,
    report: Report | None,
) -> None:
    """Draw ranked bars from 0, or from 1 of ratios; dots on a logarithmic axis where times differ much."""
    relative = bool(drawing.pairs or drawing.over)
    colours = dict(zip(layout.groups or ["the report's"], GROUPS, strict=False)) | KIND_COLOURS
    claim = report.claims[drawing.claim].test if report and drawing.claim else None
    bold = claim.fastest if isinstance(claim, claims.Fastest) else None
    for axes, panel in drawn:
        values = [line.dots[0].value for line in panel.lines]
        medians = [value.median for value in values]
        rows = range(len(values))
        log = relative or max(medians) > WIDE * min(medians)
        axes.set_title(panel.title, pad=6)
        axes.set_xscale("log" if log else "linear")
        errors = [[v.median - v.q1 for v in values], [v.q3 - v.median for v in values]]
        shades = [colours.get(line.key, COLOURS[-1]) for line in panel.lines]
        if log and not relative:
            axes.grid(axis="y", color="0.88", lw=0.6)
            axes.scatter(medians, rows, c=shades, s=13, zorder=3)
        else:
            widths = [median - 1 for median in medians] if relative else medians
            if relative:
                axes.axvline(1, color="black", lw=0.6)
            axes.barh(rows, widths, left=1 if relative else 0, color=shades, height=0.72, zorder=2)
        axes.errorbar(
            medians, rows, xerr=errors, fmt="none", ecolor="black", elinewidth=0.7, capsize=1.5, zorder=4
        )
        for row, value in enumerate(values):
            text = ratio(value.median) if relative else duration(value.median)
            right = max(value.q3, 1) if relative else value.q3
            axes.annotate(text, (right, row), (4, 0), textcoords="offset points", va="center")
        axes.set_yticks(rows, [line.name for line in panel.lines])
        for label, line in zip(axes.get_yticklabels(), panel.lines, strict=True):
            if bold and line.name == bold:
                label.set_fontweight("bold")
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(values) - 0.4, -0.6)
        if log:
            _name_powers(axes.xaxis, *axes.get_xlim(), least=2)
        else:
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    if drawn:
        unit = ", ratio" if relative else " (ms)"
        drawn[-1][0].set_xlabel(f"{MEASURES[drawing.y]}{unit}")
        there = {line.key for _, panel in drawn for line in panel.lines}
        key = [Patch(color=colour, label=kind) for kind, colour in colours.items() if kind in there]
        if len(key) > 1:
            figure.legend(handles=key, loc="outside lower left", ncols=3, frameon=False, handlelength=1)
