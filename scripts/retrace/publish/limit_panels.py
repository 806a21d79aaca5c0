"""Panels of what no search passes: how many times the limit ours takes, and arcs per second over the size."""

from collections.abc import Iterator, Sequence

from retrace.publish.panel import Dot, Line, Panel
from retrace.publish.plain_names import problem_of
from retrace.publish.row_panels import graph_rows
from retrace.records.statistics import Summary
from retrace.reports.frame import Frame, Measured
from retrace.reports.like_for_like import CHOICE, contenders
from retrace.reports.measures import Measure
from retrace.reports.physical_limit import READ_PER_ARC, PhysicalLimit, limit_of, roof_of
from retrace.reports.report import Drawing


def _compared(
    measure: Measure, frame: Frame, machine: str
) -> Iterator[tuple[str, list[Measured], list[Measured]]]:
    """Yield each graph of a problem once, as the first experiment has it, with what ran on the GPU.

    First are the fastest of ours, of published kernels and of libraries, then all that they are of.
    """
    seen = set()
    for row in graph_rows(frame):
        entries = [  # the limit is a GPU's, and what chooses may choose a CPU
            entry
            for entry in row.here(machine)
            if entry.times and not entry.record.cores and entry.solver.split("/")[1] != CHOICE
        ]
        best = contenders(measure, entries)
        if best and (what := (best.ours.record.problem, row.title)) not in seen:
            seen.add(what)
            yield row.title, [e for e in (best.ours, best.published, best.library) if e], entries


def distances(drawing: Drawing, frame: Frame, machines: Sequence[str], whole: Frame) -> list[Panel]:
    """Make a row of each graph: the fastest of ours, of published kernels and of libraries over the limit.

    A row's key is the kind of the limit.
    """
    lines = []
    for machine in machines:
        for title, shown, entries in _compared(drawing.y, frame, machine):
            limit = limit_of(entries, whole)
            if isinstance(limit, PhysicalLimit):
                dots = [Dot(0, entry.times[drawing.y].over(limit.ms), entry) for entry in shown]
                lines.append(Line(f"{shown[0].record.problem}, {title}", limit.kind, dots))
    lines.sort(key=lambda line: line.dots[0].value.median)
    return [Panel(machines[0], machines[0], lines, drawing.y, "the limit")] if lines else []


def rates(drawing: Drawing, frame: Frame, machines: Sequence[str], whole: Frame) -> list[Panel]:
    """Make a panel of each problem: of each graph arcs per second of the same, at the number of its arcs."""
    panels = []
    for machine in machines:
        every = list(_compared(drawing.y, frame, machine))
        for problem in READ_PER_ARC:
            of_problem = [shown for _, shown, _ in every if shown[0].record.problem == problem]
            lines = [Line(shown[0].graph, shown[0].graph, [_rate_of(drawing.y, entry) for entry in shown])
                     for shown in of_problem]  # fmt: skip
            if lines:
                limit = roof_of(machine, problem, whole)
                title = problem_of(of_problem[0][0])
                panels.append(Panel(machine, title, lines, drawing.y, limit=limit))
    return panels


def _rate_of(measure: Measure, entry: Measured) -> Dot:
    return Dot(entry.arcs, Summary.of([1e3 * entry.arcs / entry.times[measure].median]), entry)
