"""What a figure shows: the entries of a frame as panels of lines or bars.

A bar is a line of one dot. Lines of the same key look the same in all panels of a figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrace.records.statistics import Summary
from retrace.reports.frame import PRINTED_PAIR, Entry, Frame, same_graph
from retrace.reports.judge import fits, meets
from retrace.reports.report import Drawing, Measure, Report, TableLayout, table_layout
from retrace.reports.variant import Variant
from retrace.reports.wording import plural

MEASURES: dict[Measure, str] = {
    "setup": "Setup time",
    "upload": "Upload time",
    "solve": "Time to solve",
    "download": "Download time",
    "total": "Total time",
    "kernel": "Kernel time",
    "transfer": "Transfer, share of total",
}
SUBSTITUTES = {"(stand-in)": "×", "(weights generated)": "+"}  # noqa: RUF001
"""The signs on points of other graphs than the named one, by the ending of the label."""
DOUBT = "○"
MOST_PRINTED = 4
"""More printed lines than these have panels of their own."""
MOST_GRAPHS = 5


@dataclass(frozen=True)
class Dot:
    """A value: its place on the x axis, and the entry that it is of."""

    x: float
    value: Summary
    entry: Entry

    @property
    def sign(self) -> str:
        """What marks it as of another graph, or as doubted; empty of most."""
        if self.entry.printed and self.entry.printed.doubt:
            return DOUBT
        return next((sign for end, sign in SUBSTITUTES.items() if self.entry.label.endswith(end)), "")


@dataclass(frozen=True)
class Line:
    """A line, or a bar.

    Attributes
    ----------
    name, key
        What stands beside it; what it has its colour and marker by.
    dots
        From left to right.
    system
        Of a printed line the number of its computer, from 1; else 0.
    apart
        Whether dots of real graphs stand apart: others make the lines.
    """

    name: str
    key: str
    dots: Sequence[Dot]
    system: int = 0
    apart: bool = False

    @property
    def strokes(self) -> list[tuple[bool, list[Dot]]]:
        """The dots of each family of graphs, and whether they are connected."""
        families: dict[str, list[Dot]] = {}
        for dot in self.dots:
            families.setdefault(family(dot.entry), []).append(dot)
        return [(bool(name) or not self.apart, dots) for name, dots in families.items()]


@dataclass(frozen=True)
class Panel:
    """The lines of a machine, or of a printed system: then `machine` is empty."""

    machine: str
    title: str
    lines: Sequence[Line]
    below: bool = False

    @property
    def dots(self) -> list[Dot]:
        """All dots of its lines."""
        return [dot for line in self.lines for dot in line.dots]


def family(entry: Entry) -> str:
    """Name the generated graphs that differ in size alone; empty of a real graph."""
    if entry.arcs_per_vertex is not None:
        return f"random-{entry.arcs_per_vertex}"
    generated = entry.record is not None and entry.record.graph.origin == "generated"
    return entry.graph.split("-")[0] if generated else ""


def shown(drawing: Drawing, frame: Frame) -> Frame:
    """Return the entries that a drawing is about."""
    of = frame.of(drawing.experiment).entries
    return Frame([entry for entry in of if entry.pair == PRINTED_PAIR and meets(entry, drawing.where)])


def panels(drawing: Drawing, frame: Frame, report: Report | None) -> list[Panel]:
    """Choose what is drawn; a panel without lines is left out."""
    frame, layout = shown(drawing, frame), table_layout(report, drawing.experiment)
    read = report.variant if report else Variant.parse
    if drawing.kind == "bars":
        found = [panel for m in frame.machines for panel in _bars(drawing, _of(frame, m), layout, read)]
        return [panel for panel in found if panel.lines]
    lines = {name: list(some) for name, some in _names(drawing, frame, layout, read).items()}
    found = [_lines(drawing, machine, _of(frame, machine), lines, read) for machine in frame.machines]
    printed = (
        _printed(frame) if (drawing.x, drawing.y) == ("vertices", "total") and not drawing.series else []
    )
    if len(printed) > MOST_PRINTED or not any(panel.lines for panel in found):
        by_system: dict[str, list[Line]] = {}
        for line in printed:
            own = line.name if len(printed) <= MOST_PRINTED else line.dots[0].entry.name
            system = line.dots[0].entry.machine if len(printed) > MOST_PRINTED else "All systems"
            by_system.setdefault(system, []).append(Line(own, line.key, line.dots, line.system))
        found = [*(Panel("", f"{name}, printed", some) for name, some in by_system.items()), *found]
    else:
        found = [Panel(p.machine, p.title, [*printed, *p.lines]) if p.lines else p for p in found]
    if compared := drawing.compared:
        ratios = drawing.model_copy(update={"y": compared.y, "over": compared.over})
        base = read(compared.over)
        backends = {entry.record.backend for entry in frame.measured if entry.record and fits(entry, base)}
        alike = {
            name: [e for e in some if e.record and e.record.backend in backends and not fits(e, base)]
            for name, some in lines.items()
        }
        for machine in frame.machines:
            panel = _lines(ratios, machine, _of(frame, machine), alike, read)
            found.append(Panel(machine, panel.title, panel.lines, below=True))
    return [panel for panel in found if panel.lines]


def _of(frame: Frame, machine: str) -> list[Entry]:
    """Return the timed entries of a machine."""
    return [entry for entry in frame.measured if entry.machine == machine and entry.times]


def most_work(entries: Iterable[Entry]) -> str:
    """Name the graph of the most work; empty without any."""
    return max(((entry.work, entry.label) for entry in entries), default=((0, 0, ""), ""))[1]


def _names(
    drawing: Drawing, frame: Frame, layout: TableLayout, read: Callable[[str], Variant]
) -> Mapping[str, Iterable[Entry]]:
    """Give each line its entries, of all machines."""
    if not drawing.series:
        found: dict[str, list[Entry]] = {}
        for name in frame.solvers:
            for entry in frame.measured:
                if entry.name == name:
                    found.setdefault(_without(entry, drawing.x), []).append(entry)
        return found
    named = {
        name: [entry for entry in frame.measured if fits(entry, read(spec))]
        for name, spec in drawing.series.items()
    }
    if drawing.x == "vertices" or len(named) > 1:
        return named
    (entries,) = named.values()  # one solver against a setting: a line for each of some graphs
    graphs = list(dict.fromkeys(e.label for e in sorted(entries, key=lambda e: e.work) if e.times))
    if len(graphs) > MOST_GRAPHS:
        steps = range(MOST_GRAPHS)
        graphs = [graphs[round(step * (len(graphs) - 1) / (MOST_GRAPHS - 1))] for step in steps]
    return {graph: [entry for entry in entries if entry.label == graph] for graph in graphs}


def _without(entry: Entry, setting: str) -> str:
    """Name a record's variant by all settings that tell it from its like but one."""
    own = Variant.parse(entry.name, entry.solver.split("/")[0])
    return str(Variant(own.solver, {key: one for key, one in own.settings.items() if key != setting}))


def _lines(
    drawing: Drawing,
    machine: str,
    entries: Sequence[Entry],
    lines: Mapping[str, Sequence[Entry]],
    read: Callable[[str], Variant],
) -> Panel:
    """Make a machine's panel of lines; a solver without the setting on the x axis is a level one."""
    title, graph = machine, ""
    by_setting = drawing.x != "vertices"
    if by_setting and (not drawing.series or len(drawing.series) > 1):
        graph = most_work(entries)
        title = f"{machine}, {searches(entries, graph)}"
    own = [entry for entry in entries if graph in ("", entry.label)]
    settings = [
        float(e.record.parameters[drawing.x]) for e in own if e.record and drawing.x in e.record.parameters
    ]
    apart = any(family(entry) for entry in own) and not by_setting
    found = []
    for name, some in lines.items():
        dots = []
        for entry in own:
            value = measured(entry, drawing.y, read(drawing.over) if drawing.over else None, own)
            if entry in some and value and (value.median > 0 or drawing.y == "transfer"):
                at = (entry.record.parameters if entry.record else {}).get(drawing.x)
                ends = [min(settings), max(settings)] if settings else [1.0]
                places = ([float(at)] if at is not None else ends) if by_setting else [float(entry.vertices)]
                dots += [Dot(x, value, entry) for x in places]
        if dots:
            dots.sort(key=lambda dot: dot.x)
            found.append(Line(name, name, dots, apart=apart))
    if drawing.over:
        title = f"{title}: {MEASURES[drawing.y].lower()} over that of {read(drawing.over)}"
    return Panel(machine, title, found)


def measured(entry: Entry, measure: Measure, over: Variant | None, others: Iterable[Entry]) -> Summary | None:
    """Return a measure of an entry, if asked for over the median of a variant on the very same graph."""
    value = entry.times.get(measure)
    if value is None or over is None:
        return value
    for other in others:
        base = other.times.get(measure)
        if (
            base
            and base.median
            and fits(other, over)
            and same_graph(entry, other)
            and entry.label == other.label
        ):
            return value.over(base.median)
    return None


def _printed(frame: Frame) -> list[Line]:
    """Collect the printed lines; zero has no place on a logarithmic axis."""
    cells: dict[tuple[str, str], list[Dot]] = {}
    systems = list(dict.fromkeys(entry.machine for entry in frame.printed))
    for entry in sorted(frame.printed, key=lambda entry: entry.vertices):
        if entry.printed and entry.printed.ms > 0:
            value = Summary.of([entry.printed.ms])
            cells.setdefault((entry.machine, entry.name), []).append(Dot(entry.vertices, value, entry))
    shared = Counter(name for _, name in cells)
    return [
        Line(
            f"printed: {name if shared[name] == 1 else dots[0].entry.hardware}",
            dots[0].entry.solver.split("/")[-1],
            dots,
            systems.index(system) + 1,
        )
        for (system, name), dots in sorted(cells.items(), key=lambda item: systems.index(item[0][0]))
    ]


def _bars(
    drawing: Drawing, entries: Sequence[Entry], layout: TableLayout, read: Callable[[str], Variant]
) -> Iterable[Panel]:
    """Make a machine's panels of ranked bars, one for each graph that is shown."""
    series = {spec: name for name, spec in (drawing.series or {}).items()} or dict.fromkeys(drawing.pairs)
    for graph in _graphs(entries, layout):
        own = [entry for entry in entries if entry.label == graph]
        found = []
        for entry in own:
            spec = next((spec for spec in series if fits(entry, read(spec))), None)
            if series and spec is None:
                continue
            base = drawing.pairs.get(spec or "", drawing.over)
            value = measured(entry, drawing.y, read(base) if base else None, own)
            name = (series.get(spec) if spec else None) or entry.name
            if value and value.median > 0:
                name = f"{name}\nover {base}" if drawing.pairs else name
                found.append(Line(name, entry.group, [Dot(0, value, entry)]))
        found.sort(key=lambda line: line.dots[0].value.median)
        trials = spans([line.dots[0].value.n for line in found])
        yield Panel(entries[0].machine, f"{entries[0].machine}, {searches(own, graph)}, {trials}", found)


def _graphs(entries: Sequence[Entry], layout: TableLayout) -> list[str]:
    """Name the graphs that bars are shown on: the real ones, the most work first, else the largest.

    Of a graph and the same with a sample of sources, it is the one on which more of the report's solvers ran,
    those of its first group if there are groups, else the whole.
    """
    first = next(iter(layout.groups.values()), list(layout.solvers.values()))
    on_gpu = any(entry.record and entry.record.backend == "cuda" for entry in entries)
    counted = [e for e in entries if e.record and (e.record.backend == "cuda" or not on_gpu)]
    counts = Counter(entry.label for entry in counted if entry.solver in first)
    same: dict[str | None, list[Entry]] = {}
    for entry in sorted(counted, key=lambda entry: entry.work, reverse=True):
        if entry.record and entry.record.graph.origin not in ("generated", "report"):
            same.setdefault(entry.record.graph.sha256, []).append(entry)
    best = [max(some, key=lambda e: (counts[e.label], not sampled(e))).label for some in same.values()]
    return best or ([most_work(counted)] if counted else [])


def sampled(entry: Entry) -> bool:
    """Return whether a record is of a sample of sources."""
    return entry.record is not None and "sources" in entry.record.parameters


def searches(entries: Iterable[Entry], graph: str) -> str:
    """Name a graph, and say of betweenness how many of its vertices were sources."""
    entry = next((entry for entry in entries if entry.label == graph), None)
    if entry is None or entry.record is None or entry.record.problem != "betweenness":
        return graph
    return f"{graph} of {entry.vertices:,}" if sampled(entry) else f"{graph}, all {entry.vertices:,} sources"


def spans(counts: Iterable[int]) -> str:
    """Write numbers of trials: `5 trials`, `1 to 5 trials`."""
    low, high = min(counts := list(counts), default=0), max(counts, default=0)
    return plural(high, "trial") if low == high else f"{low} to {plural(high, 'trial')}"
