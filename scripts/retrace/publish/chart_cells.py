"""Heat maps: solvers by graphs or sizes, coloured by the ratio to the best of the column."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from textwrap import fill

from matplotlib.figure import SubFigure
from matplotlib.patches import Rectangle

from retrace.publish.cell_columns import BEST, RATIOS, columns, row_names
from retrace.publish.chart_axes import ROW, add_key, name_in_full, widen
from retrace.publish.chart_looks import INK
from retrace.publish.panel import LABELS, LIMIT, Panel
from retrace.records.statistics import Summary
from retrace.reports.report import Drawing
from retrace.reports.wording import EMPTY, TIMES, duration, few_trials

CELL = 0.68
"""Inches: the width of a number."""
CELL_TITLE_LINE = 10
"""The most characters in a line of a column's title; of the title above several, for each of them."""


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
