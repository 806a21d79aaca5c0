"""What all charts share: the words around them, logarithmic axes, names of rows, and names at lines' ends."""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor, log10
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from retrace.publish.chart_looks import BLACK, KIND_COLOURS, SHAPES, kinds
from retrace.publish.panel import DOUBT, LABELS, Dot
from retrace.records.statistics import Summary
from retrace.reports.frame import Entry
from retrace.reports.measures import Measure
from retrace.reports.report import Drawing
from retrace.reports.wording import TIMES

WIDTH, ROW, CHARACTER = 7.0, 0.19, 0.078
"""Inches: a figure, a line of text, and a character."""
WORDS = "words"
"""The label of a figure's texts that are its title and description."""
TITLE_LINE, TEXT_LINE = 68, 92
"""The most characters in a line of the title, which is bold, and of the other texts."""
DECADES = 5
"""The most powers of 10 that an axis names."""
IDEAL = "ideal"
SIGN_MARKERS = {"×": "x", "+": "+", DOUBT: "o"}  # noqa: RUF001
LEAST_SPAN = 8
"""The ratio of the ends of an axis from which it is logarithmic."""


def framed(title: str, described: str, notes: str) -> tuple[Figure, SubFigure]:
    """Return a figure with words above and below, and the part of it that panels are drawn in."""
    figure = Figure(figsize=(WIDTH, 1), dpi=100, layout="constrained")
    _write(figure.suptitle, title, TITLE_LINE, size=11, weight="bold")
    body = figure.add_subfigure(figure.add_gridspec()[0])
    _write(body.suptitle, described, TEXT_LINE, color="#555555")
    _write(body.supxlabel, notes, TEXT_LINE, color="#555555")
    return figure, body.add_subfigure(body.add_gridspec()[0])


def _write(place: Callable[..., object], words: str, characters: int, **font: object) -> None:
    whole = re.sub(rf"(\d|Figure|Table) (ns|µs|ms|s|%|{TIMES}|\d)(?!\w)", "\\1\u00a0\\2", words)  # not broken
    lines = textwrap.fill(whole, characters, break_on_hyphens=False)
    if lines:
        place(lines, x=0.005, ha="left", label=WORDS, **{"size": 9, **font})


def drawn_words(figure: Figure) -> list[str]:
    """Return the title of a figure and its other words, each in one line."""
    texts = (text for text in figure.findobj(Text) if text.get_label() == WORDS)
    return [" ".join(text.get_text().split()) for text in texts if isinstance(text, Text)]


def widen(part: SubFigure, names: Iterable[str], beside: float) -> None:
    """Make a figure wider than usual if names, with so many inches beside them, need it."""
    longest = max((len(line) for name in names for line in name.split("\n")), default=0)
    part.get_figure(root=True).set_figwidth(max(WIDTH, CHARACTER * longest + beside))


def fit_height(figure: Figure, heights: Sequence[float]) -> None:
    """Make a figure as high as rows of panels of these inches need, and keep its layout."""
    figure.set_figheight(sum(heights) + len(heights) + 3)  # more than any words need
    lay_out(figure)
    drawn = figure.axes[0].get_window_extent().height / figure.dpi
    figure.set_figheight(figure.get_figheight() - sum(heights) * (drawn / heights[0] - 1))
    lay_out(figure)
    figure.set_layout_engine(None)


def lay_out(figure: Figure) -> None:
    """Place the axes, as drawing does first, in half of the time."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)


def name_rows(
    axes: Axes, names: Sequence[str], numbers: Sequence[str], entries: Iterable[Entry] = ()
) -> None:
    """Write names on the left and numbers on the right of rows, the first one at the top.

    The page shows over a name that is short for that of an entry how it is in full.
    """
    axes.set_yticks(range(len(names)), names)
    name_in_full(axes, entries)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    for row, number in enumerate(numbers):
        if number:
            _beside(axes, number, row, 5)


def name_in_full(axes: Axes, entries: Iterable[Entry]) -> None:
    """Give the names of rows words that the page shows over them: the solver in full."""
    full = {entry.name: entry.full_name for entry in entries}
    for label in axes.get_yticklabels():
        if words := full.get(label.get_text().partition(", ")[0]):
            label.set_gid(f"tip:{words}")


def _beside(axes: Axes, words: str, height: float, points: float) -> None:
    """Write words to the right of an axis at a height of its data."""
    place: Any = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    axes.annotate(words, (1, height), (points, 0), **place)


def name_ends(axes: Axes, ends: Sequence[tuple[float, str, dict[str, Any]]], height: float) -> None:
    """Name lines at their right ends, apart from each other; `height` of the axis is in inches.

    An end has its value, its name and how its line looks. The limits of the axis must be as they will be.
    """
    apart, below = 0.8 * ROW / height, -1.0
    to_axis = (axes.transScale + axes.transLimits).transform
    right = axes.get_xlim()[1]
    placed = sorted(((float(to_axis((right, end[0]))[1]), *end[1:]) for end in ends), key=lambda end: end[:2])
    heights = []
    for wanted, *_ in placed:
        below = max(wanted, below + apart)
        heights.append(below)
    above = max(1.0, 0.5 + apart * len(heights) / 2) + apart
    for number in reversed(range(len(heights))):
        above = heights[number] = min(heights[number], above - apart)
    for (wanted, name, style), at in zip(placed, heights, strict=True):
        axes.plot([1.0, 1.03, 1.05], [wanted, at, at], transform=axes.transAxes, clip_on=False,
                  color=style["color"], lw=1)  # fmt: skip
        place: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
        axes.annotate(name, (1.05, at), (2, 0), **place)


def tips(dots: Iterable[Dot], write: Callable[[float], str]) -> str:
    """Return an artist's id with words for each of its markers, which the page shows over them."""
    every = (
        f"{d.entry.full_name} on {d.entry.label}, {d.entry.machine}: {write(d.value.median)}" for d in dots
    )
    return f"tip:{'|'.join(every)}"


def whiskers(values: Sequence[Summary]) -> tuple[list[float], list[float]]:
    """Return how far the quartiles are from the medians, below and above."""
    return [v.median - v.q1 for v in values], [v.q3 - v.median for v in values]


def axis_label(measure: Measure, over: bool = False) -> str:
    """Say what an axis of values shows."""
    return f"{LABELS[measure]}, ratio" if over else LABELS[measure]


def place_label(drawing: Drawing) -> str:
    """Say what the places of lines are."""
    return "Vertices per graph" if drawing.x == "vertices" else drawing.axis or drawing.x.replace("_", " ")


def draw_sign(axes: Axes, sign: str, x: float, y: float) -> None:
    """Mark a dot as of another graph, or as doubted."""
    look: Any = {"marker": SIGN_MARKERS[sign], "mfc": "none", "markersize": 8, "mew": 0.8}
    axes.plot(x, y, color=BLACK, zorder=4, **look)


def scale(
    axes: Axes, along: Literal["x", "y"], values: Iterable[float], form: Callable[[float], str]
) -> None:
    """Scale an axis: logarithmic, with two named powers of 10 at least and minor ticks, or linear."""
    positive = [value for value in values if value > 0]
    low, high = min(positive, default=1), max(positive, default=10)
    axis = axes.xaxis if along == "x" else axes.yaxis
    set_limits, set_scale = (
        (axes.set_xlim, axes.set_xscale) if along == "x" else (axes.set_ylim, axes.set_yscale)
    )
    set_scale("log" if high / low >= LEAST_SPAN else "linear")  # which makes anew what names its places
    axis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))
    if high / low < LEAST_SPAN:
        around = 0.08 * (high - low or high)
        set_limits(0 if form is tick_time else low - around, high + around)
        axis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        return
    around = (high / low) ** 0.05
    first, last = ceil(log10(low / around)), floor(log10(high * around))
    if last - first < 1:  # room for two powers of 10
        down, up = low / 10 ** floor(log10(low)), 10 ** ceil(log10(high)) / high
        first, last = (floor(log10(low)), last) if down <= up else (first, ceil(log10(high)))
        first, last = (first, last) if last > first else (floor(log10(low)), ceil(log10(high)))
    set_limits(min(low / around, 10.0**first), max(high * around, 10.0**last))
    step = ceil((last - first + 1) / DECADES)
    axis.set_major_locator(FixedLocator([10.0**power for power in range(first, last + 1, step)]))
    minor = range(2, 10) if step == 1 else [1]
    axis.set_minor_locator(LogLocator(subs=list(minor), numticks=99))
    axis.set_minor_formatter(NullFormatter())


def tick_time(ms: float) -> str:
    """Write a round time in the unit that reads best: 50 µs, 2 ms or 100 s."""
    for factor, unit in ((1e-3, "s"), (1, "ms"), (1e3, "µs")):
        if ms * factor >= 1 - 1e-9:
            return f"{ms * factor:,.6g} {unit}"
    return f"{ms * 1e6:.6g} ns" if ms else "0"


def tick_count(value: float) -> str:
    """Write a round number of arcs, or of arcs per second: 50, 2 k, 1 M, 10 G or 100 T."""
    for factor, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor * (1 - 1e-9):
            return f"{value / factor:,.6g} {unit}"
    return f"{value:.6g}"


def tick_ratio(value: float) -> str:
    """Write a round ratio, with few digits."""
    return f"{value:,.6g} {TIMES}"


def add_kinds(figure: SubFigure, entries: Iterable[Entry]) -> None:
    """Say what the shapes and colours of kinds mean, as far as they are shown."""
    add_key(figure, {name: {"marker": SHAPES[name], "color": KIND_COLOURS[name]} for name in kinds(entries)})


def add_key(figure: SubFigure, looks: dict[str, dict[str, Any]]) -> None:
    """Say above the panels what shapes mean, or the colours of areas."""
    key = [Line2D([], [], ls="", label=name, **style) if "marker" in style else Patch(label=name, **style)
           for name, style in looks.items()]  # fmt: skip
    if key:
        figure.legend(handles=key, loc="outside upper left", ncols=len(key), columnspacing=1.2)
