"""Panels of rows: solvers ranked on a graph, printed times beside ours, and falls."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from retrace.publish.line_panels import measured
from retrace.publish.panel import Dot, Line, Panel, is_sampled, most_work, quickest, searches, undoubted
from retrace.publish.provenance import cores_of
from retrace.publish.waterfall import Way
from retrace.records.statistics import Summary
from retrace.records.variant import Variant
from retrace.reports.evidence import fits
from retrace.reports.frame import Frame, GraphRow, Measured
from retrace.reports.physical_limit import limit_of
from retrace.reports.report import Drawing, TableLayout

MOST_GRAPHS = 2
"""How many have room beside each other where a drawing names none: those of the most work."""


def ranked(
    drawing: Drawing,
    entries: Sequence[Measured],
    layout: TableLayout,
    read: Callable[[str], Variant],
    whole: Frame,
) -> Iterable[Panel]:
    """Make a panel of what one machine measured on each graph: a row for each solver, the fastest first."""
    series = {spec: name for name, spec in (drawing.series or {}).items()} or dict.fromkeys(drawing.pairs, "")
    for graph in drawing.graphs or _graphs(entries, layout)[:MOST_GRAPHS]:
        of_graph = [e for e in entries if (e.graph if drawing.graphs else e.label) == graph]
        if not of_graph:
            continue
        rows = []
        for entry in of_graph:
            spec = next((spec for spec in series if fits(entry, read(spec))), "")
            base = drawing.pairs.get(spec, drawing.over)
            over = read(base) if base else None
            value = measured(entry, drawing.y, over, of_graph)
            beside = measured(entry, drawing.beside, over, of_graph) if drawing.beside else None
            if value and value.median > 0 and (spec or not series):
                name = series.get(spec) or entry.name
                name = f"{name}\nover {base}" if drawing.pairs else name
                cores = cores_of(entry.record) if drawing.graphs else ""
                name += f", {cores}" if cores else ""
                rows.append(Line(name, entry.group, [Dot(0, value, entry, beside)]))
        rows.sort(key=lambda line: line.dots[0].value.median)
        divided = drawing.over or ("its partner" if drawing.pairs else "")
        limit = limit_of(of_graph, whole) if "limits" in drawing.also else ""
        if rows:
            machine, title = of_graph[0].machine, searches(of_graph)
            yield Panel(machine, title, rows, drawing.y, divided, graph, limit, of_graph)


def _graphs(entries: Sequence[Measured], layout: TableLayout) -> list[str]:
    """Name the graphs that bars are shown on: the real ones, the most work first, else the largest.

    Of a graph and the same with a sample of sources, it is the one on which more of the report's solvers ran,
    those of its first group if there are groups, else the whole.
    """
    first = next(iter(layout.groups.values()), list(layout.solvers.values()))
    on_gpu = any(entry.record.backend == "cuda" for entry in entries)
    counted = [e for e in entries if e.record.backend == "cuda" or not on_gpu]
    counts = Counter(entry.label for entry in counted if entry.solver in first)
    same: dict[str | None, list[Measured]] = defaultdict(list)
    for entry in sorted(counted, key=lambda entry: entry.work, reverse=True):
        if entry.record.graph.origin not in ("generated", "report"):
            same[entry.record.graph.sha256].append(entry)
    best = [max(some, key=lambda e: (counts[e.label], not is_sampled(e))).label for some in same.values()]
    return best or ([most_work(counted)] if counted else [])


def dumbbells(drawing: Drawing, frame: Frame, layout: TableLayout) -> list[Panel]:
    """Make a panel of each graph: a row for each solver of the table, its least printed time and ours."""
    panels = []
    for graph in drawing.graphs:
        lines = []
        for spec in dict.fromkeys(layout.solvers.values()):
            of_solver = [e for e in frame.entries if (e.graph, e.solver) == (graph, spec)]
            dots = [Dot(0, Summary.of([least.printed.ms]), least) for least in undoubted(of_solver)[:1]]
            for machine in frame.machines:
                if here := quickest((e for e in of_solver if e.machine == machine), drawing.y):
                    dots.append(Dot(0, here.times[drawing.y], here))
            lines += [Line(spec.split("/")[-1], spec, dots)] if dots else []
        shown = next((dot.entry for line in lines for dot in line.dots if dot.entry.record), None)
        machine, title = (shown.machine, shown.label) if shown else ("", graph)
        panels += [Panel(machine, title, lines, drawing.y, graph=graph)] if lines else []
    return panels


def beside_printed(frame: Frame, machines: Sequence[str]) -> list[Panel]:
    """Make a panel of all printed times, each with what a machine measured of the same."""
    lines = []
    for machine in machines:
        for row in graph_rows(frame):
            for entry in undoubted(row.printed):
                again = quickest((e for e in row.here(machine) if e.solver == entry.solver), "total")
                if again and not again.is_substitute:
                    dot = Dot(entry.printed.ms, again.times["total"], again)
                    lines.append(Line(entry.name, entry.solver, [dot]))
    return [Panel(machines[0], machines[0], lines)] if lines else []


def graph_rows(frame: Frame) -> Iterable[GraphRow]:
    """Yield the rows of each experiment."""
    for name in dict.fromkeys(entry.experiment for entry in frame.entries):
        yield from frame.of(name).rows


def fall(way: Way) -> Panel:
    """Make a line of each step, whose dot has the time before as its place."""
    steps = (*way.kernel, *way.baseline)
    lines = [Line(step.name, step.kind, [Dot(step.before, step.after, step.entry)]) for step in steps]
    return Panel(way.machine, way.title, lines)
