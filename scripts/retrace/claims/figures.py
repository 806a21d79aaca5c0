"""The figures of the reports that print no numbers, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from retrace.claims import bellman_ford_figures, brandes_figures
from retrace.claims.evidence import Evidence, gpus
from retrace.claims.reports import FIGURES
from retrace.publish.bar_chart import BarChart
from retrace.publish.line_chart import Chart
from retrace.publish.rows import machines
from retrace.records.model import Record

CHARTS: dict[str, Callable[[Sequence[Evidence]], Chart | BarChart]] = {
    **bellman_ford_figures.CHARTS,
    **brandes_figures.CHARTS,
}


def figure(name: str, records: Iterable[Record]) -> Figure:
    """Draw a figure from the records of its experiment, a panel for each machine that has times.

    Without any, what is missing is all that it says.
    """
    records = [record for record in records if record.experiment == FIGURES[name]]
    evidence = [Evidence.of(machine, FIGURES[name], records) for machine in machines(records)]
    chart = CHARTS[name](evidence)
    return (chart if chart.drawn else replace(chart, notes=gpus(evidence))).draw()
