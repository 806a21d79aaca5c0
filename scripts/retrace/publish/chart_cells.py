"""Heat maps: solvers by graphs or sizes, coloured by the ratio to the best of the column."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from statistics import fmean
from textwrap import fill

from matplotlib.figure import SubFigure
from matplotlib.patches import Rectangle

from retrace.publish.chart_axes import ROW, add_key, name_in_full, widen
from retrace.publish.chart_looks import HEAT, INK
from retrace.publish.panel import LABELS, LIMIT, Panel, of_first_machine
from retrace.records.ranking import is_among_best
from retrace.records.statistics import Summary
from retrace.reports.like_for_like import RESIDENT
from retrace.reports.measures import Measure
from retrace.reports.report import Drawing
from retrace.reports.wording import EMPTY, TIMES, duration, few_trials, power_of_two

BEST, *WORSE = HEAT
RATIOS = tuple(zip((2.0, 5.0, 20.0, float("inf")), WORSE, strict=True))
"""The colour of what takes up to so many times as long as the best; BEST is of what ties with it, too."""
CELL = 0.68
"""Inches: the width of a number."""
CELL_TITLE_LINE = 10
"""The most characters in a line of a column's title; of the title above several, for each of them."""


@dataclass(frozen=True)
class CellColumn:
    """A graph or size by one measure: its times by the names of solvers, and what none can be below."""

    title: str
    measure: Measure
    times: dict[str, Summary]
    limit: float | None = None

    @property
    def best(self) -> Summary:
        """The least median, of those that can be ranked if there are some."""
        return min(self.times.values(), key=lambda times: (not times.enough, times.median))

    def look(self, name: str) -> tuple[str, str]:
        """Return the colour of a solver's cell and the weight of its number, which is bold among the best."""
        times = self.times[name]
        if times is self.best or is_among_best(times, self.best):
            return BEST, "bold"
        over = times.median / self.best.median
        return next(colour for most, colour in RATIOS if over <= most), "normal"


def columns(drawing: Drawing, panels: Sequence[Panel]) -> list[CellColumn]:
    """Return the columns of the first machine: a graph each, by both measures, or a size each."""
    first, made = of_first_machine(panels), []
    for size in () if first[0].graph else sorted({dot.x for dot in first[0].dots}):
        times = {line.name: dot.value for line in first[0].lines for dot in line.dots if dot.x == size}
        made.append(CellColumn(power_of_two(round(size)), drawing.y, times))
    for measure in drawing.measures if first[0].graph else ():
        for panel in first:
            dots = {line.name: line.dots[0] for line in panel.lines}
            values = {name: dot.value if measure == drawing.y else dot.beside for name, dot in dots.items()}
            times = {name: value for name, value in values.items() if value}
            limit = panel.limit_ms if measure == RESIDENT else None
            made += [CellColumn(panel.measured[0].label, measure, times, limit)] if times else []
    return made


def row_names(shown: Sequence[CellColumn], by_name: bool) -> list[str]:
    """Order the solvers by the mean of their ratios to the best by the first measure, or as they are."""
    names = list(dict.fromkeys(name for column in shown for name in column.times))
    if by_name:
        return names
    of_first = [column for column in shown if column.measure == shown[0].measure]

    def over_best(name: str) -> float:
        ratios = [log(c.times[name].median / c.best.median) for c in of_first if name in c.times]
        return fmean(ratios) if ratios else float("inf")

    return sorted(names, key=over_best)


def cell_title(title: str) -> str:
    """Break a title into lines, after the first word of `random-20-5` too, which is too long for a cell."""
    return fill(re.sub(r"(?<=[a-z]-)(?=[0-9])", " ", title), CELL_TITLE_LINE, break_long_words=False)


def cell_text(times: Summary) -> str:
    """Write a median, with a mark if it is of few trials, as `749 ms*`."""
    return duration(times.median) + ("*" if few_trials(times) else "")


def draw_cells(figure: SubFigure, drawing: Drawing, panels: Sequence[Panel]) -> list[float]:
    """Draw a cell with its time for each solver and column; return the height in inches."""
    shown, left = columns(drawing, panels), -1.0
    names = row_names(shown, by_name=bool(drawing.series))
    titles = [cell_title(column.title) for column in shown]
    head = 0.8 + 0.85 * max(title.count("\n") + 1 for title in titles)
    width = Counter(column.measure for column in shown)
    above = {measure: fill(LABELS[measure], CELL_TITLE_LINE * n) for measure, n in width.items()}
    top = head + 0.9 * max(title.count("\n") + 1 for title in above.values())
    rows = [*names, LIMIT] if any(column.limit for column in shown) else names
    axes = figure.subplots()
    write = partial(axes.text, ha="center", va="center")
    for title, column, before in zip(titles, shown, [None, *shown], strict=False):
        left += 1
        if before is None or column.measure != before.measure:
            left += 0.25 * (before is not None)
            axes.text(left, -head, above[column.measure], weight="bold", va="bottom", linespacing=1.0)
        axes.text(left + 0.48, -0.6, title, ha="center", va="bottom", linespacing=1.0)
        for row, name in enumerate(names):
            if name in column.times:
                cell, weight = column.look(name)
                axes.add_patch(Rectangle((left, row - 0.5), 0.96, 0.94, facecolor=cell, lw=0))
                write(left + 0.48, row, cell_text(column.times[name]), color=INK, weight=weight)
            else:
                write(left + 0.48, row, EMPTY)
        if column.limit:
            write(left + 0.48, len(names), duration(column.limit), style="italic")
    axes.set_xlim(0, left + 1)
    axes.set_ylim(len(rows) - 0.5, -top)
    axes.set_yticks(range(len(rows)), rows)
    name_in_full(axes, (dot.entry for panel in panels for dot in panel.dots))
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    steps = {"the best": BEST} | {f"< {most:.0f} {TIMES}" if most < 100 else "more": c for most, c in RATIOS}
    add_key(figure, {name: {"facecolor": colour} for name, colour in steps.items()})
    widen(figure, rows, CELL * (left + 1) + 0.2)
    return [ROW * (len(rows) + top - 0.5)]
