"""The columns of heat maps: times of a graph or size, how they compare with the best, the order of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from statistics import fmean

from retrace.publish.chart_looks import HEAT
from retrace.publish.panel import Panel, of_first_machine
from retrace.records.ranking import is_among_best
from retrace.records.statistics import Summary
from retrace.reports.like_for_like import RESIDENT
from retrace.reports.measures import Measure
from retrace.reports.report import Drawing
from retrace.reports.wording import power_of_two

BEST, *WORSE = HEAT
RATIOS = tuple(zip((2.0, 5.0, 20.0, float("inf")), WORSE, strict=True))
"""The colour of what takes up to so many times as long as the best; BEST is of what ties with it, too."""


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

    @cached_property
    def among_best(self) -> list[str]:
        """The solvers of the best time, and of what cannot be told from it."""
        best = self.best
        return [name for name, some in self.times.items() if some is best or is_among_best(some, best)]

    @property
    def is_told(self) -> bool:
        """Whether no more than half are among the best, which are bold then: else that would say nothing."""
        return 2 * len(self.among_best) <= len(self.times)

    def look(self, name: str) -> tuple[str, str]:
        """Return the colour of a solver's cell and the weight of its number."""
        times = self.times[name]
        if name in self.among_best:
            return BEST, "bold" if self.is_told else "normal"
        over = times.median / self.best.median
        return next(colour for most, colour in RATIOS if over <= most), "normal"


def columns(drawing: Drawing, panels: Sequence[Panel]) -> list[CellColumn]:
    """Return the columns of the first machine: a graph each, by both measures, or a size each."""
    first, made = of_first_machine(panels), []
    if not first:
        return []
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
