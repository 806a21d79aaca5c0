"""Time against graph size for variants that nearly coincide: a panel for each printed system and machine.

All panels share their axes; each names the fastest and the slowest CUDA variant on its largest graph. Below,
at full width, what the variants differ in: their times to solve over the standard one's. The figure ends with
whether they differ for the report's reasons, in words made from the same numbers.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from retrace.publish.comparison import RULE, sentences
from retrace.publish.figures import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SETTINGS,
    VERMILION,
    WIDTH,
    Point,
    Series,
    draw,
)
from retrace.publish.published import ARCS_PER_VERTEX, FIGURES, VARIANT_TABLES, VariantTable
from retrace.publish.rows import TIMES, Line, lines, machines, size_name
from retrace.publish.tables import three_digits
from retrace.publish.variants import NO_VERDICT, of_density, row_names, system_name
from retrace.records.model import Record
from retrace.records.statistics import summarise

STYLES = {
    "sssp/mask-sequential": (BLACK, "o"),
    "sssp/standard": (VERMILION, "D"),
    "sssp/pinned": (BLUE, "s"),
    "sssp/zero-copy": (GREEN, "^"),
    "sssp/gpu-search": (PURPLE, "v"),
    "sssp/thrust": (ORANGE, "p"),
}
SMALL = SETTINGS | {"lines.linewidth": 0.8, "lines.markersize": 2.4}

LEFT, RIGHT, GAP, HEAD = 0.5, 0.05, 0.12, 0.22
TIMES_HEIGHT, RATIO_HEIGHT, AXIS = 1.2, 0.85, 0.36
TEXT_LINE, KEY_LINE, CHARACTERS = 0.12, 0.14, 68
"""Inches: margins, the room between panels and over one, heights of panels, of the numbers under one and of
lines of text; and how many characters fill such a line."""


STROKES = "Dashed, hollow: printed, zeros left out. Solid: medians of the total, bars between quartiles."


@dataclass(frozen=True)
class Panel:
    """A system's or machine's times."""

    title: str
    series: dict[str, Series]
    doubted: Sequence[Point] = ()


def figure(name: str, published: pd.DataFrame, records: Iterable[Record]) -> Figure:
    """Draw a figure of a table's variants."""
    table, arcs = FIGURES[name], ARCS_PER_VERTEX[name]
    layout, names = VARIANT_TABLES[table], row_names(published, table)
    rows = of_density(lines(table, published, records), arcs)
    found = machines(record for line in rows for record in line.records.values())
    panels = [*printed_panels(rows), *measured_panels(rows, found, names)]
    ratios = [panel for panel in ratio_panels(layout, rows, found) if panel.series]
    text = caption(layout, rows, found, names, any(panel.doubted for panel in panels))

    times = -(-len(panels) // 2) * (HEAD + TIMES_HEIGHT) + AXIS
    shares = len(ratios) * (HEAD + RATIO_HEIGHT + AXIS)
    words = TEXT_LINE * len(text) + 0.06
    with rc_context(SMALL):
        result = Figure(figsize=(WIDTH, HEAD + 2 * KEY_LINE + times + shares + words))
        title = f"{name.replace('-', ' ').capitalize()}: {arcs} arcs a vertex"
        _write(result, WIDTH / 2, words + shares + times + 2 * KEY_LINE, title, fontsize=8, ha="center")
        _key(result, names, words + shares + times + 2 * KEY_LINE - 0.03)
        first = _draw_times(result, panels, layout, names, words + shares + times)
        _draw_ratios(result, ratios, first, words + shares)
        for number, (line, first_words) in enumerate(text, 1):
            weight = "bold" if first_words else "normal"
            _write(result, 0.05, words - TEXT_LINE * number, line, fontweight=weight)
    return result


def printed_panels(rows: Sequence[Line]) -> list[Panel]:
    """Collect what each system printed; zero has no place on a logarithmic axis."""
    cells = pd.concat([line.printed for line in rows if line.printed is not None])
    panels = []
    for part in sorted(cells["part"].unique()):
        series, doubted = {}, []
        for solver, own in cells[cells["part"] == part].groupby("solver", sort=False):
            timed = own[own["value"] > 0]
            points = [
                Point(vertices, graph, ms, ms, ms)
                for vertices, graph, ms in zip(timed["vertices"], timed["graph"], timed["value"], strict=True)
            ]
            if points:
                series[str(solver)] = Series(str(solver), STYLES[str(solver)], True, points)
            marked = timed[timed["doubt"] != ""]["graph"]
            doubted += [point for point in points if point.label in set(marked)]
        panels.append(Panel(f"{system_name(str(part))}, printed", series, doubted))
    return panels


def measured_panels(rows: Sequence[Line], order: Sequence[str], names: dict[str, str]) -> list[Panel]:
    """Collect what each machine measured: medians of the total, with their quartiles."""
    panels = []
    for machine in order:
        series = {}
        for solver in names:
            points = [
                Point(
                    line.records[machine, solver].graph["vertices"],
                    line.graph,
                    times.median,
                    times.q1,
                    times.q3,
                )
                for line in rows
                if (times := line.summary(machine, solver)) and times.median > 0
            ]
            if points:
                series[solver] = Series(solver, STYLES[solver], False, points)
        if series:
            panels.append(Panel(f"{machine}, measured", series))
    return panels


def ratio_panels(layout: VariantTable, rows: Sequence[Line], order: Sequence[str]) -> list[Panel]:
    """Collect the variants' times to solve over the median of the standard one's, itself left out."""
    panels = []
    for machine in order:
        series = {}
        for solver in STYLES:
            points = []
            for line in rows:
                own, standard = (line.records.get((machine, key)) for key in (solver, layout.standard))
                if own is None or standard is None or solver in (layout.standard, layout.sequential):
                    continue
                if own.graph["sha256"] != standard.graph["sha256"]:
                    continue
                times, base = summarise(own, "solve"), summarise(standard, "solve")
                if times and base and times.median > 0 and base.median > 0:
                    quartiles = (times.median, times.q1, times.q3)
                    shares = [value / base.median for value in quartiles]
                    points.append(Point(own.graph["vertices"], line.graph, *shares))
            if points:
                series[solver] = Series(solver, STYLES[solver], False, points)
        panels.append(Panel(f"{machine}: time to solve, over Standard's", series))
    return panels


def caption(
    layout: VariantTable, rows: Sequence[Line], order: Sequence[str], names: dict[str, str], doubted: bool
) -> list[tuple[str, bool]]:
    """Say whether the variants differ for the report's reasons, in lines of the figure's width.

    With each line: whether it belongs to the sentence that says so for a machine.
    """
    texts = []
    for machine in order:
        said = sentences(layout, rows, machine, names)
        texts += [(text, number == 0) for number, text in enumerate(said)]
    texts = [*texts, (RULE, False)] if texts else [(NO_VERDICT, True)]
    texts.append((STROKES, False))
    if doubted:
        texts.append((f"{TIMES} Too fast to be what the head says (docs/errata.md).", False))
    return [
        (line, first)
        for text, first in texts
        for line in textwrap.wrap(text, CHARACTERS - 8 if first else CHARACTERS)
    ]


def _write(result: Figure, x: float, y: float, text: str, **style: Any) -> None:
    """Write at a place in inches."""
    result.text(x / WIDTH, y / result.get_figheight(), text, **style)


def _key(result: Figure, names: dict[str, str], top: float) -> None:
    """Name the lines, three to a row."""
    for number, (solver, (colour, marker)) in enumerate(STYLES.items()):
        row, place = divmod(number, 3)
        x, y = LEFT + place * (WIDTH - LEFT) / 3, top - KEY_LINE * (row + 0.5)
        _write(result, x + 0.1, y, names.get(solver, solver), color=colour, va="center")
        spot = [(x + 0.04) / WIDTH], [y / result.get_figheight()]
        result.add_artist(Line2D(*spot, marker=marker, color=colour, markersize=3.5))


def _draw_times(
    result: Figure, panels: Sequence[Panel], layout: VariantTable, names: dict[str, str], top: float
) -> Axes:
    """Draw the panels of times, two to a row, on shared axes; give the first one's."""
    width = (WIDTH - LEFT - RIGHT - GAP) / 2
    first: Axes | None = None
    for number, panel in enumerate(panels):
        row, place = divmod(number, 2)
        left, bottom = LEFT + place * (width + GAP), top - (row + 1) * (HEAD + TIMES_HEIGHT)
        axes = _axes(result, left, bottom, width, TIMES_HEIGHT, first, first)
        first = first or axes
        _times(axes, panel, layout, names)
        last = number + 2 >= len(panels)
        axes.tick_params(labelbottom=last, labelleft=place == 0)
        axes.set(xlabel="Vertices" if last else "", ylabel="Time (ms)" if place == 0 else "")
    assert first is not None
    _limits(first, panels)
    return first


def _draw_ratios(result: Figure, panels: Sequence[Panel], first: Axes, top: float) -> None:
    """Draw the panels of ratios, one below the other."""
    for number, panel in enumerate(panels):
        bottom = top - (number + 1) * (HEAD + RATIO_HEIGHT) - number * AXIS
        axes = _axes(result, LEFT, bottom, WIDTH - LEFT - RIGHT, RATIO_HEIGHT, first)
        _ratios(axes, panel)


def _axes(
    result: Figure,
    left: float,
    bottom: float,
    width: float,
    height: float,
    same_x: Axes | None,
    same_y: Axes | None = None,
) -> Axes:
    """Add axes at a place in inches."""
    whole = result.get_figheight()
    box = (left / WIDTH, bottom / whole, width / WIDTH, height / whole)
    axes = result.add_axes(box, sharex=same_x, sharey=same_y)
    axes.yaxis.labelpad = axes.xaxis.labelpad = 1
    return axes


def _times(axes: Axes, panel: Panel, layout: VariantTable, names: dict[str, str]) -> None:
    axes.set(xscale="log", yscale="log")
    axes.set_title(panel.title, pad=2, loc="left", fontsize=7, fontweight="bold")
    for one in panel.series.values():
        draw(axes, one)
    for point in panel.doubted:
        axes.plot(point.vertices, point.ms, "x", color=BLACK, markersize=5, mew=0.8, zorder=4)
    extremes = _extremes([one for solver, one in panel.series.items() if solver != layout.sequential], names)
    axes.text(0.04, 0.97, extremes, transform=axes.transAxes, va="top", linespacing=1.15)


def _extremes(series: Sequence[Series], names: dict[str, str]) -> str:
    """Name the fastest and the slowest line on the largest graph."""
    largest = max((point.vertices for one in series for point in one.points), default=0)
    ends = sorted(
        (point.ms, names[one.label], point.label)
        for one in series
        for point in one.points
        if point.vertices == largest
    )
    if not ends:
        return "no GPU"
    texts = [f"{name} {three_digits(ms).removesuffix('.00')}" for ms, name, _ in (ends[0], ends[-1])]
    joined = f"{texts[0]} to\n{texts[1]} ms" if len(ends) > 1 else f"{texts[0]} ms"
    return f"at {size_name(ends[0][2])}:\n{joined}"


def _limits(axes: Axes, panels: Sequence[Panel]) -> None:
    """Give all panels the same range, with room for words over the lines."""
    points = [point for panel in panels for one in panel.series.values() for point in one.points]
    low, high = min(point.ms for point in points), max(point.ms for point in points)
    axes.set_ylim(low / 1.5, high * (high / low) ** 0.45)
    smallest, largest = (choose(point.vertices for point in points) for choose in (min, max))
    axes.set_xlim(smallest / 1.6, largest * 1.6)
    axes.xaxis.set_major_locator(FixedLocator([2**exponent for exponent in (10, 14, 18, 22)]))
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: size_name(f"random-{int(value).bit_length() - 1}-1"))
    )
    axes.yaxis.set_major_locator(LogLocator(numticks=5))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_locator(NullLocator())
        axis.set_minor_formatter(NullFormatter())


def _ratios(axes: Axes, panel: Panel) -> None:
    axes.set(yscale="log", xlabel="Vertices", ylabel="Ratio")
    axes.set_title(panel.title, pad=2, loc="left", fontsize=7, fontweight="bold")
    axes.axhline(1, color=STYLES["sssp/standard"][0], linewidth=0.8, zorder=1)
    for one in panel.series.values():
        draw(axes, one)
    points = [point for one in panel.series.values() for point in one.points]
    low, high = min(0.8, *(point.q1 for point in points)), max(1.25, *(point.q3 for point in points))
    axes.set_ylim(low / 1.05, high * 1.05)
    near = [0.8, 1.25] if high / low < 2.5 else []  # where there is room for them beside 1
    axes.yaxis.set_major_locator(FixedLocator([0.1, 0.2, 0.5, *near, 1, 2, 5, 10, 20, 50, 100]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_locator(NullLocator())
