"""What all charts share: the frame of words, colours, a shade for each machine, and how axes are named."""

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure, SubFigure
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from retrace.publish.panels import LABELS, Panel
from retrace.records.statistics import Summary
from retrace.reports.wording import TIMES

# Okabe and Ito's palette, which colour-blind readers can tell apart, and a grey in place of its yellow.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
LIGHTER = (0.0, 0.4, 0.6)
"""How much white is in the colours of the first machine, the second and the others."""
WIDTH, ROW, CHARACTER = 8.0, 0.17, 0.078
"""Inches: a figure, which README shows at this width, a line of text, and a character."""
WORDS = "words"
"""The label of a figure's texts that are its title and description."""
TITLE_LINE, TEXT_LINE = 88, 110
"""The most characters in a line of the title, which is bold, and of the other texts."""


def framed(title: str, finding: str, notes: str) -> tuple[Figure, SubFigure]:
    """Return a figure with words above and below, and the part of it that panels are drawn in."""
    figure = Figure(figsize=(WIDTH, 1), dpi=100, layout="constrained")
    _write(figure.suptitle, title, TITLE_LINE, size=10, weight="bold")
    body = figure.add_subfigure(figure.add_gridspec()[0])
    _write(body.suptitle, finding, TEXT_LINE)
    _write(body.supxlabel, notes, TEXT_LINE)
    return figure, body.add_subfigure(body.add_gridspec()[0])


def _write(place: Callable[..., object], words: str, characters: int, **font: object) -> None:
    whole = re.sub(r"(\d|Figure|Table) (ns|µs|ms|s|\d)\b", "\\1\u00a0\\2", words)  # is not broken
    lines = textwrap.fill(whole, characters, break_on_hyphens=False)
    if lines:
        place(lines, x=0.005, ha="left", label=WORDS, **{"size": 9, **font})


def drawn_words(figure: Figure) -> list[str]:
    """Return the title of a figure and its other words, each in one line."""
    texts = (text for text in figure.findobj(Text) if text.get_label() == WORDS)
    return [" ".join(text.get_text().split()) for text in texts if isinstance(text, Text)]


def widen(part: SubFigure, names: Iterable[str], columns: int, beside: float) -> None:
    """Make a figure wider than usual if columns of names, with so many inches beside each, need it."""
    needed = CHARACTER * max(map(len, names), default=0) + beside
    part.get_figure(root=True).set_figwidth(max(WIDTH, columns * needed))


def fit_height(figure: Figure, heights: Sequence[float]) -> None:
    """Make a figure as high as rows of panels of these inches need, and keep its layout."""
    figure.set_figheight(sum(heights) + len(heights) + 3)  # more than any words need
    figure.draw_without_rendering()
    drawn = figure.axes[0].get_window_extent().height / figure.dpi
    figure.set_figheight(figure.get_figheight() - sum(heights) * (drawn / heights[0] - 1))
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


def name_rows(axes: Axes, names: Sequence[str], numbers: Sequence[str]) -> None:
    """Write names on the left and numbers on the right of rows, the first one at the top."""
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.4, -0.6)
    beside: Any = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    for row, number in enumerate(numbers):
        if number:
            axes.annotate(number, (1, row), (5, 0), **beside)


def whites(panels: Iterable[Panel]) -> dict[str, float]:
    """Return how much white each machine's colours have; printed systems have the full ones."""
    machines = dict.fromkeys(panel.machine for panel in panels if panel.machine)
    return {"": 0.0} | {machine: LIGHTER[min(number, 2)] for number, machine in enumerate(machines)}


def shade(colour: str, white: float) -> tuple[float, ...]:
    """Mix a colour with white."""
    return tuple(part + (1 - part) * white for part in to_rgb(colour))


def whiskers(values: Sequence[Summary]) -> tuple[list[float], list[float]]:
    """Return how far the quartiles are from the medians, below and above."""
    return [v.median - v.q1 for v in values], [v.q3 - v.median for v in values]


def axis_label(panel: Panel) -> str:
    """Say what an axis of values shows."""
    if panel.measure == "transfer":
        return f"{LABELS['transfer']} (%)"
    each = "" if panel.measure in ("step", "first search", "resident") else " per run"
    return f"{LABELS[panel.measure]}{', ratio' if panel.over else each}"


def name_powers(axis: Axis, least: int, most: int, form: Callable[[float], str]) -> None:
    """Name some places of a logarithmic axis: powers of 10, or rounder ones where it spans little."""
    low, high = sorted(axis.get_view_interval())
    for heads in ((1,), (1, 2, 5), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        values = LogLocator(subs=heads, numticks=99).tick_values(low, high)
        if len(places := [value for value in values if low <= value <= high]) >= least:
            break
    axis.set_major_locator(FixedLocator(places, nbins=most))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))


def tick_time(ms: float) -> str:
    """Write a round time in the unit that reads best: 50 µs, 2 ms or 100 s."""
    for factor, unit in ((1e-3, "s"), (1, "ms"), (1e3, "µs")):
        if ms * factor >= 1 - 1e-9:
            return f"{ms * factor:,.6g} {unit}"
    return f"{ms * 1e6:.6g} ns"


def tick_ratio(value: float) -> str:
    """Write a round ratio, with few digits."""
    return f"{value:,.6g}{TIMES}"
