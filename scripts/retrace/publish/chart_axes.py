"""What all charts share: colours, a shade for each machine, sizes, and how axes are named."""

from collections.abc import Callable, Iterable, Sequence

from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from matplotlib.transforms import Bbox

from retrace.publish.panels import LABELS, Panel
from retrace.records.statistics import Summary
from retrace.reports.wording import TIMES

# Okabe and Ito's palette, which colour-blind readers can tell apart, and a grey in place of its yellow.
COLOURS = ("#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
LIGHTER = (0.0, 0.4, 0.6)
"""How much white is in the colours of the first machine, the second and the others."""
WIDTH, ROW, GAP = 8.0, 0.17, 0.07
"""Inches: a figure, which README shows at this width, a line of text, and the room between texts."""


def whites(panels: Iterable[Panel]) -> dict[str, float]:
    """Return how much white each machine's colours have; printed systems have the full ones."""
    machines = dict.fromkeys(panel.machine for panel in panels if panel.machine)
    return {"": 0.0} | {one: LIGHTER[min(number, 2)] for number, one in enumerate(machines)}


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
    each = "" if panel.measure == "step" else " per run"
    return f"{LABELS[panel.measure]}{', ratio' if panel.over else each}"


def name_powers(axis: Axis, least: int, most: int, form: Callable[[float], str]) -> None:
    """Name some places of a logarithmic axis: powers of 10, or rounder ones where it spans little."""
    low, high = sorted(axis.get_view_interval())
    for heads in ((1,), (1, 2, 5), (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)):
        locator = LogLocator(subs=heads, numticks=most)
        if sum(low <= value <= high for value in locator.tick_values(low, high)) >= least:
            break
    axis.set_major_locator(locator)
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


def extent(figure: Figure) -> Bbox:
    """Return where there is anything, or where the first text goes."""
    return figure.get_tightbbox() if figure.axes or figure.texts else Bbox.from_extents(0, 0, WIDTH, 0)


def widened(figure: Figure, box: Bbox, added: Text | Legend) -> Bbox:
    """Return the box of a box and what was added to the figure: to look at all of it again is slow."""
    inches = figure.dpi_scale_trans.inverted()
    return Bbox.union([box, added.get_window_extent().transformed(inches)])
