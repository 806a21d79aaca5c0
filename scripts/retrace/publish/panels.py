"""What a figure shows: the entries of a frame as panels of lines or bars.

A bar is a line of one dot. Lines of the same key look the same in all panels of a figure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from retrace.publish.provenance import cores_of
from retrace.publish.waterfall import Way, ways
from retrace.records.statistics import Summary
from retrace.records.variant import Variant
from retrace.reports.evidence import fits
from retrace.reports.frame import PRINTED_PAIR, Entry, Frame, Measured, why_incomparable
from retrace.reports.measures import Measure
from retrace.reports.physical_limit import PhysicalLimit, limit_of
from retrace.reports.report import Drawing, Report, TableLayout, table_layout
from retrace.reports.wording import plural

LABELS: dict[Measure, str] = {
    "setup": "Setup time",
    "upload": "Upload time",
    "solve": "Time to solve",
    "download": "Download time",
    "total": "Total time",
    "kernel": "Kernel time",
    "again": "Time to solve again",
    "lock": "Page-locking",
    "prepare": "Preparation",
    "first search": "Time of the first search",
    "resident": "Time of a further search, resident",
    "transfer": "Copy per total time",
    "with setup": "Total time with setup",
    "step": "Time per step",
}
SUBSTITUTES = {"(stand-in)": "×", "(weights generated)": "+"}  # noqa: RUF001
"""The signs on points of other graphs than the named one, by the ending of the label."""
DOUBT = "○"
MOST_GRAPHS = 5
WIDEST_GAP = 10
"""The greatest ratio of two sizes whose dots a line may join."""
LIMIT = "limit"
"""The name of the row of what no search can be below."""


@dataclass(frozen=True)
class Dot:
    """A value: its place on the x axis, the entry that it is of, and the measure that a bar has beside it."""

    x: float
    value: Summary
    entry: Entry
    beside: Summary | None = None

    @property
    def sign(self) -> str:
        """What marks it as of another graph, or as doubted; empty of most."""
        if self.entry.printed and self.entry.printed.doubt:
            return DOUBT
        return next((sign for end, sign in SUBSTITUTES.items() if self.entry.label.endswith(end)), "")


@dataclass(frozen=True)
class Line:
    """A line, or a bar: its name, and the key that it has its colour and marker by.

    A printed line has the number of its computer, from 1. Dots may be `apart`: those of real graphs, and
    those of sizes that differ much.
    """

    name: str
    key: str
    dots: Sequence[Dot]
    system: int = 0
    apart: bool = False

    @property
    def strokes(self) -> list[tuple[bool, list[Dot]]]:
        """The dots of each family of graphs, where no decade lies between, and whether they are joined."""
        families: dict[str, list[list[Dot]]] = defaultdict(list)
        for dot in self.dots:
            runs = families[family(dot.entry)]
            if runs and (not self.apart or dot.x <= WIDEST_GAP * runs[-1][-1].x):
                runs[-1].append(dot)
            else:
                runs.append([dot])
        return [(bool(name) or not self.apart, run) for name, runs in families.items() for run in runs]


@dataclass(frozen=True)
class Panel:
    """The lines of a machine, or of a printed system: then `machine` is empty.

    They show a measure, over that of the variant `over` if there is one. Those of lines that are all over a
    variant while others are not `compare`. Bars are of one graph.
    """

    machine: str
    title: str
    lines: Sequence[Line]
    measure: Measure = "total"
    over: str = ""
    compares: bool = False
    graph: str = ""
    limit: PhysicalLimit | str = ""
    """Of a graph that a drawing names: what no search can be below, or why that is not known."""
    measured: Sequence[Measured] = ()
    """Of bars, all that was measured of the graph, also what lacks the measure and so has none."""

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


@dataclass(frozen=True)
class FigureContent:
    """A drawing, with what it is drawn from; image, title, finding and caption are views of its panels."""

    drawing: Drawing
    frame: Frame
    """Of all experiments."""
    report: Report | None

    @cached_property
    def entries(self) -> Frame:
        """The entries that the drawing is about."""
        entries = self.frame.of(self.drawing.experiment).entries
        where = self.drawing.where
        return Frame([entry for entry in entries if entry.pair == PRINTED_PAIR and where.counts(entry)])

    @cached_property
    def ways(self) -> list[Way]:
        """The falls of printed times, of a drawing that has some."""
        return ways(self.drawing, self.frame)

    @cached_property
    def panels(self) -> list[Panel]:
        """What is drawn; a panel without lines is left out."""
        if self.drawing.kind == "waterfall":
            return [_fall(way) for way in self.ways]
        read = self.report.variant if self.report else Variant.parse
        if self.drawing.kind == "lines":
            return _line_panels(self.drawing, self.entries, read)
        layout = table_layout(self.report, self.drawing.experiment)
        return [
            *(
                panel
                for timed in _timed_by_machine(self.entries).values()
                for panel in _bars(self.drawing, timed, layout, read, self.frame)
            ),
            *_printed_bars(self.drawing, self.entries),
        ]


def _timed_by_machine(frame: Frame) -> dict[str, list[Measured]]:
    return {m: [e for e in frame.measured if e.machine == m and e.times] for m in frame.machines}


def _line_panels(drawing: Drawing, frame: Frame, read: Callable[[str], Variant]) -> list[Panel]:
    """Make a panel of each machine and measure: ratios first, then times, then what is printed."""
    timed = _timed_by_machine(frame)
    lines = _named(drawing, frame, read)
    measures = dict.fromkeys(filter(None, (drawing.y, drawing.beside)))
    each = [drawing.model_copy(update={"y": measure}) for measure in measures]
    chosen = [_lines(of_measure, machine, entries, lines, read)
              for machine, entries in timed.items() for of_measure in each]  # fmt: skip
    chosen = [panel for panel in chosen if panel.lines]
    if compared := drawing.compared:
        ratios = drawing.model_copy(update={"y": compared.y, "over": compared.over})
        base = read(compared.over)
        backends = {entry.record.backend for entry in frame.measured if fits(entry, base)}
        alike = {
            name: [e for e in some if e.record.backend in backends and not fits(e, base)]
            for name, some in lines.items()
        }
        ratio_panels = [_lines(ratios, machine, entries, alike, read) for machine, entries in timed.items()]
        chosen = [replace(panel, compares=True) for panel in ratio_panels if panel.lines] + chosen
    plain = (drawing.x, drawing.y) == ("vertices", "total") and not drawing.series
    printed = _printed(frame) if plain else []
    for system in dict.fromkeys(line.dots[0].entry.machine for line in reversed(printed)):
        some = [line for line in printed if line.dots[0].entry.machine == system]
        named = [replace(line, name=line.dots[0].entry.name) for line in some]
        chosen.append(Panel("", f"{system}, printed", named))
    return chosen


def _printed_bars(drawing: Drawing, frame: Frame) -> list[Panel]:
    """Make a panel of what is printed of each graph that a drawing of totals names."""
    chosen = []
    for graph in drawing.graphs if drawing.y == "total" else ():
        dots = [(line, dot) for line in _printed(frame) for dot in line.dots if dot.entry.graph == graph]
        bars = [replace(line, key=dot.entry.group, dots=[replace(dot, x=0)]) for line, dot in dots]
        bars.sort(key=lambda line: line.dots[0].value.median)
        chosen += [Panel("", graph, bars, graph=graph)] if bars else []
    return chosen


def _fall(way: Way) -> Panel:
    """Make a line of each step, whose dot has the time before as its place."""
    steps = (*way.kernel, *way.baseline)
    lines = [Line(step.name, step.kind, [Dot(step.before, step.after, step.entry)]) for step in steps]
    return Panel(way.machine, way.title, lines)


def most_work(entries: Iterable[Entry]) -> str:
    """Name the graph of the most work, the first by name of several that are equal; empty without any."""
    work = {entry.label: entry.work[:2] for entry in entries}
    most = max(work.values(), default=None)
    return min((label for label, amount in work.items() if amount == most), default="")


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
    lines = {
        name: [entry for entry in frame.measured if fits(entry, read(spec))]
        for name, spec in drawing.series.items()
    }
    if drawing.x == "vertices" or len(lines) > 1:
        return lines
    (entries,) = lines.values()  # one solver against a setting: a line for each of some graphs
    graphs = list(dict.fromkeys(e.label for e in sorted(entries, key=lambda e: e.work) if e.times))
    if len(graphs) > MOST_GRAPHS:
        step = (len(graphs) - 1) / (MOST_GRAPHS - 1)
        graphs = [graphs[round(number * step)] for number in range(MOST_GRAPHS)]
    return {graph: [entry for entry in entries if entry.label == graph] for graph in graphs}


def _lines(
    drawing: Drawing,
    machine: str,
    entries: Sequence[Measured],
    lines: Mapping[str, Sequence[Measured]],
    read: Callable[[str], Variant],
) -> Panel:
    """Make a machine's panel of lines; a solver without the setting on the x axis is a level one."""
    title, by_setting, graph = machine, drawing.x != "vertices", ""
    if by_setting and (not drawing.series or len(drawing.series) > 1):
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
    if drawing.over or drawing.beside:
        over = f" over that of {drawing.level_name or read(drawing.over)}" if drawing.over else ""
        title = f"{title}: {LABELS[drawing.y].lower()}{over}"
    return Panel(machine, title, drawn, drawing.y, drawing.over or "")


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


def _printed(frame: Frame) -> list[Line]:
    """Collect the printed lines; zero has no place on a logarithmic axis."""
    cells: dict[tuple[str, str], list[Dot]] = defaultdict(list)
    systems = list(dict.fromkeys(entry.machine for entry in frame.printed))
    for entry in sorted(frame.printed, key=lambda entry: entry.vertices):
        if entry.printed.ms > 0:
            dot = Dot(entry.vertices, Summary.of([entry.printed.ms]), entry)
            cells[entry.machine, entry.name].append(dot)
    shared, lines = Counter(name for _, name in cells), []
    for (system, name), dots in cells.items():
        first, number = dots[0].entry, systems.index(system) + 1
        label = name if shared[name] == 1 else first.hardware
        lines.append(Line(label, first.solver.split("/")[-1], dots, number))
    return sorted(lines, key=lambda line: line.system)


def _bars(
    drawing: Drawing,
    entries: Sequence[Measured],
    layout: TableLayout,
    read: Callable[[str], Variant],
    whole: Frame,
) -> Iterable[Panel]:
    series = {spec: name for name, spec in (drawing.series or {}).items()} or dict.fromkeys(drawing.pairs, "")
    for graph in drawing.graphs or _graphs(entries, layout):
        of_graph = [e for e in entries if (e.graph if drawing.graphs else e.label) == graph]
        if not of_graph:
            continue
        ranked = []
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
                ranked.append(Line(name, entry.group, [Dot(0, value, entry, beside)]))
        ranked.sort(key=lambda line: line.dots[0].value.median)
        divided = drawing.over or ("its partner" if drawing.pairs else "")
        limit = limit_of(of_graph, whole) if "limits" in drawing.also else ""
        if isinstance(limit, PhysicalLimit):
            ranked.insert(0, Line(LIMIT, LIMIT, [Dot(0, Summary.of([limit.ms]), of_graph[0])]))
        if ranked:
            title = searches(of_graph)
            yield Panel(
                of_graph[0].machine,
                title,
                ranked,
                drawing.y,
                divided,
                graph=graph,
                limit=limit,
                measured=of_graph,
            )


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
    best = [max(some, key=lambda e: (counts[e.label], not _sampled(e))).label for some in same.values()]
    return best or ([most_work(counted)] if counted else [])


def _sampled(entry: Measured) -> bool:
    return "sources" in entry.record.parameters


def bar_names(row: Iterable[Panel]) -> list[str]:
    """List the bars of a row of panels in the order of the first one."""
    return list(dict.fromkeys(line.name for panel in row for line in panel.lines))


def searches(entries: Sequence[Measured]) -> str:
    """Name the graph of some entries, and say of betweenness how many of its vertices were sources."""
    problem = entries[0].record.problem if entries else ""
    if problem == "limits":
        return "constants"
    if problem != "betweenness":
        return entries[0].label if entries else ""
    graph, vertices = entries[0].label, f"{entries[0].vertices:,}"
    return f"{graph} of {vertices}" if _sampled(entries[0]) else f"{graph}, all {vertices} sources"


def spans(counts: Iterable[int]) -> str:
    """Write numbers of trials: `5 trials`, `1 to 5 trials`."""
    low, high = min(counts := list(counts), default=0), max(counts, default=0)
    return plural(high, "trial") if low == high else f"{low} to {plural(high, 'trial')}"
