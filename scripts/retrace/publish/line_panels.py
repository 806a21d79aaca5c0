"""Panels of lines: against the size of a graph or a setting, of printed ratios, and of pairs of solvers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from retrace.publish.panel import COPY_ALONE, PAIR, Dot, Line, Panel, most_work, searches
from retrace.records.statistics import Summary
from retrace.records.variant import Variant
from retrace.reports.evidence import fits
from retrace.reports.frame import Frame, Measured, Printed, why_incomparable
from retrace.reports.measures import Measure
from retrace.reports.report import Drawing


def timed_by_machine(frame: Frame) -> dict[str, list[Measured]]:
    """Return the records with times of each machine."""
    return {m: [e for e in frame.measured if e.machine == m and e.times] for m in frame.machines}


def line_panels(drawing: Drawing, frame: Frame, read: Callable[[str], Variant]) -> list[Panel]:
    """Make a panel of each machine, then of what is printed, then of pairs of solvers."""
    timed, lines = timed_by_machine(frame), _named(drawing, frame, read)
    chosen = [
        _lines(drawing, machine, some, lines, read)
        for machine, entries in timed.items()
        for some in _on_each_graph(drawing, entries)
    ]
    if drawing.printed:
        chosen += _printed_ratios(drawing, frame, read)
        for spec, base in drawing.pairs.items():
            chosen.append(_pair(read(spec), read(base), frame))
    return [panel for panel in chosen if panel.lines]


def _on_each_graph(drawing: Drawing, entries: Sequence[Measured]) -> list[Sequence[Measured]]:
    """Return the entries on each graph that the drawing names; all in one if it names none."""
    if not drawing.graphs:
        return [entries]
    by_graph = ([e for e in entries if e.graph == graph] for graph in drawing.graphs)
    return [some for some in by_graph if some]


def _printed_ratios(drawing: Drawing, frame: Frame, read: Callable[[str], Variant]) -> Iterable[Panel]:
    """Make a panel of each printed system, with what it printed of each line over the same variant."""
    base = read(drawing.over or "")
    for system in dict.fromkeys(entry.machine for entry in frame.printed):
        some = [entry for entry in frame.printed if entry.machine == system]
        lines = []
        for name, spec in (drawing.series or {}).items():
            dots = list(_printed_over(some, read(spec), base))
            lines += [Line(name, name, dots)] if dots else []
        yield Panel("", f"{system}, printed", lines, "total", drawing.over or "")


def _printed_over(entries: Sequence[Printed], above: Variant, below: Variant) -> Iterable[Dot]:
    """Divide what a system printed of a solver by what stands beside it of another; zeros have no ratio."""
    bases = {
        (e.graph, e.printed.occurrence): e.printed.ms
        for e in entries
        if e.solver == below.solver and e.printed.ms > 0
    }
    for entry in sorted(entries, key=lambda entry: entry.vertices):
        base = bases.get((entry.graph, entry.printed.occurrence))
        if entry.solver == above.solver and entry.printed.ms > 0 and base:
            yield Dot(entry.vertices, Summary.of([entry.printed.ms / base]), entry)


def _pair(above: Variant, below: Variant, frame: Frame) -> Panel:
    """Make a panel of one solver over another by total, a line for each machine and printed system."""
    lines = []
    for machine, entries in timed_by_machine(frame).items():
        over = [(e, measured(e, "total", below, entries)) for e in entries if fits(e, above)]
        dots = [Dot(entry.vertices, value, entry) for entry, value in over if value]
        lines += [Line(machine, machine, sorted(dots, key=lambda dot: dot.x))] if dots else []
    for system in dict.fromkeys(entry.machine for entry in frame.printed):
        dots = list(_printed_over([e for e in frame.printed if e.machine == system], above, below))
        lines += [Line(f"{system}, printed", system, dots)] if dots else []
    names = [variant.solver.split("/")[-1] for variant in (above, below)]
    return Panel(PAIR, f"{names[0]} over {names[1]}", lines, "total", below.solver)


def _named(
    drawing: Drawing, frame: Frame, read: Callable[[str], Variant]
) -> Mapping[str, Sequence[Measured]]:
    """Return the entries of each line by its name, of all machines, in the frame's order."""
    if not drawing.series:
        line_of: dict[str, str] = {}
        for name, first in frame.solvers.items():
            variant = Variant.parse(name, first.solver.split("/")[0])
            settings = {key: value for key, value in variant.settings.items() if key != drawing.x}
            line_of[name] = str(Variant(variant.solver, settings))
        lines: dict[str, list[Measured]] = {line: [] for line in line_of.values()}
        for entry in frame.measured:
            lines[line_of[entry.name]].append(entry)
        return lines
    return {
        name: [entry for entry in frame.measured if fits(entry, read(spec))]
        for name, spec in drawing.series.items()
    }


def _lines(
    drawing: Drawing,
    machine: str,
    entries: Sequence[Measured],
    lines: Mapping[str, Sequence[Measured]],
    read: Callable[[str], Variant],
) -> Panel:
    """Make a machine's panel of lines; a solver without the setting on the x axis is a level one."""
    title, by_setting, graph = machine, drawing.x != "vertices", ""
    if by_setting:
        graph = most_work(entries)
        entries = [entry for entry in entries if entry.label == graph]
        title = f"{machine}, {searches(entries)}"
    base = read(drawing.over) if drawing.over else None
    settings = [float(e.record.parameters[drawing.x]) for e in entries if drawing.x in e.record.parameters]
    ends = [min(settings), max(settings)] if settings else [1.0]

    def places(entry: Measured) -> Sequence[float]:
        """Return where an entry has dots on the x axis: at both ends if it is a level line."""
        if not by_setting:
            return [entry.vertices]
        setting = entry.record.parameters.get(drawing.x)
        return ends if setting is None else [float(setting)]

    drawn = []
    for name, of_line in lines.items():
        dots = []
        for entry in of_line:
            if entry.machine != machine or (graph and entry.label != graph):
                continue
            value = measured(entry, drawing.y, base, entries)
            if value and (value.median > 0 or drawing.y == "transfer"):
                dots += [Dot(x, value, entry) for x in places(entry)]
        if dots:
            drawn.append(Line(name, name, sorted(dots, key=lambda dot: dot.x), apart=not by_setting))
    if drawing.floor and base:
        copies = [e for e in entries if e.machine == machine and fits(e, read(drawing.floor))]
        totals = {
            e.label: e.times[drawing.y].median for e in entries if e.machine == machine and fits(e, base)
        }
        dots = [
            Dot(e.vertices, e.times["upload"].over(totals[e.label]), e) for e in copies if e.label in totals
        ]
        drawn += [Line(COPY_ALONE, COPY_ALONE, sorted(dots, key=lambda dot: dot.x))] if dots else []
    if drawing.ideal:
        drawn = [_over_first(line) for line in drawn]
    over = "its own on one" if drawing.ideal else drawing.over or ""
    return Panel(machine, title, drawn, drawing.y, over)


def _over_first(line: Line) -> Line:
    first = line.dots[0].value.median
    return replace(line, dots=[replace(dot, value=dot.value.over(first)) for dot in line.dots])


def measured(
    entry: Measured, measure: Measure, over: Variant | None, others: Iterable[Measured]
) -> Summary | None:
    """Return a measure of an entry, if asked for over the median of a variant on the very same graph."""
    value = entry.times.get(measure)
    if value is None or over is None:
        return value
    alike = (
        e for e in others if fits(e, over) and why_incomparable(entry, e) is None and entry.label == e.label
    )
    bases = (base.median for other in alike if (base := other.times.get(measure)) and base.median)
    return next(map(value.over, bases), None)
