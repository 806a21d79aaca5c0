"""What a figure shows: the entries of a frame as panels of lines or bars.

A bar is a line of one dot. Lines of the same key look the same in all panels of a figure.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from retrace.publish.provenance import cores_of
from retrace.publish.waterfall import Way, ways
from retrace.records.statistics import ENOUGH, Summary
from retrace.records.variant import Variant
from retrace.reports.evidence import fits
from retrace.reports.frame import PRINTED_PAIR, Entry, Frame, GraphRow, Measured, Printed, why_incomparable
from retrace.reports.like_for_like import contenders
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
    "energy": "Energy per search",
}
SUBSTITUTES = {"(stand-in)": "×", "(weights generated)": "+"}  # noqa: RUF001
"""The signs on points of other graphs than the named one, by the ending of the label."""
DOUBT = "○"
MOST_GRAPHS = 5
WIDEST_GAP = 10
"""The greatest ratio of two sizes whose dots a line may join."""
LIMIT = "limit"
"""The name of the row of what no search can be below."""
FLOOR = "the copy alone"
"""The name of the line of a part of the base's time that no other solver can save."""
MANY = ("scatter", "strips", "distances")
"""The kinds of figures that show the graphs of several experiments."""
TWO_GROUPS, MOST_STRIPS = 1.5, 10
"""How far apart two groups of trials are at least, and the most rows that show some."""


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

    They show a measure, over that of the variant `over` if there is one. Bars are of one graph.
    """

    machine: str
    title: str
    lines: Sequence[Line]
    measure: Measure = "total"
    over: str = ""
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
        """The entries that the drawing is about: of a figure of many graphs, also of other experiments."""
        drawing = self.drawing
        names = [drawing.experiment, *(drawing.also if drawing.kind in MANY else ())]
        entries = [entry for name in names for entry in self.frame.of(name).entries]
        return Frame([e for e in entries if e.pair == PRINTED_PAIR and drawing.where.counts(e)])

    @cached_property
    def ways(self) -> list[Way]:
        """The falls of printed times on the first machine, of a drawing that has some."""
        every = ways(self.drawing, self.frame)
        return [way for way in every if way.machine == every[0].machine]

    @property
    def machines(self) -> list[str]:
        """The machines that have times: those with a GPU, or all where none has one."""
        return self.entries.on_gpu or [e.machine for e in self.entries.measured if e.times][:1]

    @cached_property
    def panels(self) -> list[Panel]:
        """What is drawn; a panel without lines is left out."""
        drawing, entries = self.drawing, self.entries
        read = self.report.variant if self.report else Variant.parse
        layout = table_layout(self.report, drawing.experiment)
        match drawing.kind:
            case "waterfall":
                return [_fall(way) for way in self.ways]
            case "dumbbells":
                return _dumbbells(drawing, entries, layout)
            case "scatter":
                return _beside_printed(entries, self.machines[:1])
            case "strips":
                return _strips(drawing, entries, self.machines[:1])
            case "distances":
                return _distances(drawing, entries, self.machines[:1], self.frame)
        if drawing.kind == "lines" or (drawing.series and not drawing.graphs and drawing.kind == "heat map"):
            return _line_panels(drawing, entries, read)
        return [
            panel
            for timed in _timed_by_machine(entries).values()
            for panel in _bars(drawing, timed, layout, read, self.frame)
        ]


def _timed_by_machine(frame: Frame) -> dict[str, list[Measured]]:
    return {m: [e for e in frame.measured if e.machine == m and e.times] for m in frame.machines}


def _line_panels(drawing: Drawing, frame: Frame, read: Callable[[str], Variant]) -> list[Panel]:
    """Make a panel of each machine, then of what is printed, then of pairs of solvers."""
    timed, lines = _timed_by_machine(frame), _named(drawing, frame, read)
    chosen = [_lines(drawing, machine, entries, lines, read) for machine, entries in timed.items()]
    if drawing.printed:
        chosen += _printed_ratios(drawing, frame, read)
        for spec, base in drawing.pairs.items():
            chosen.append(_pair(read(spec), read(base), frame))
    return [panel for panel in chosen if panel.lines]


def _printed_ratios(drawing: Drawing, frame: Frame, read: Callable[[str], Variant]) -> Iterable[Panel]:
    """Make a panel of each printed system, with what it printed of each line over the same variant."""
    base = read(drawing.over or "")
    for number, system in enumerate(dict.fromkeys(entry.machine for entry in frame.printed), 1):
        some = [entry for entry in frame.printed if entry.machine == system]
        lines = []
        for name, spec in (drawing.series or {}).items():
            dots = list(_printed_over(some, read(spec), base))
            lines += [Line(name, name, dots, number)] if dots else []
        yield Panel("", f"{system}, printed", lines, "total", drawing.over or "")


def _printed_over(entries: Sequence[Printed], above: Variant, below: Variant) -> Iterable[Dot]:
    """Divide what a system printed of a solver by what it printed of another; zeros have no ratio."""
    bases = {e.graph: e.printed.ms for e in entries if e.solver == below.solver and e.printed.ms > 0}
    for entry in sorted(entries, key=lambda entry: entry.vertices):
        if entry.solver == above.solver and entry.printed.ms > 0 and entry.graph in bases:
            yield Dot(entry.vertices, Summary.of([entry.printed.ms / bases[entry.graph]]), entry)


def _pair(above: Variant, below: Variant, frame: Frame) -> Panel:
    """Make a panel of one solver over another by total, a line for each machine and printed system."""
    lines = []
    for machine, entries in _timed_by_machine(frame).items():
        over = [(e, measured(e, "total", below, entries)) for e in entries if fits(e, above)]
        dots = [Dot(entry.vertices, value, entry) for entry, value in over if value]
        lines += [Line(machine, machine, sorted(dots, key=lambda dot: dot.x))] if dots else []
    for number, system in enumerate(dict.fromkeys(entry.machine for entry in frame.printed), 1):
        dots = list(_printed_over([e for e in frame.printed if e.machine == system], above, below))
        lines += [Line(f"{system}, printed", system, dots, number)] if dots else []
    names = [variant.solver.split("/")[-1] for variant in (above, below)]
    return Panel("pair", f"{names[0]} over {names[1]}", lines, "total", below.solver)


def _dumbbells(drawing: Drawing, frame: Frame, layout: TableLayout) -> list[Panel]:
    """Make a panel of each graph: a row for each solver of the table, its least printed time and ours."""
    panels = []
    for graph in drawing.graphs:
        lines = []
        for spec in dict.fromkeys(layout.solvers.values()):
            of_solver = [e for e in frame.entries if (e.graph, e.solver) == (graph, spec)]
            sure = [e for e in of_solver if isinstance(e, Printed) and e.printed.ms > 0 and not e.printed.doubt]
            least = min(sure, key=lambda e: e.printed.ms, default=None)
            dots = [Dot(0, Summary.of([least.printed.ms]), least)] if least else []
            dots += [
                Dot(0, value, e)
                for machine in frame.machines
                if (e := _quickest((e for e in of_solver if e.machine == machine), drawing.y))
                and (value := e.times.get(drawing.y))
            ]
            lines += [Line(spec.split("/")[-1], spec, dots)] if dots else []
        shown = next((dot.entry for line in lines for dot in line.dots if dot.entry.record), None)
        title = shown.label if shown else graph
        panels += [Panel(shown.machine if shown else "", title, lines, drawing.y, graph=graph)] if lines else []
    return panels


def _quickest(entries: Iterable[Entry], measure: Measure) -> Entry | None:
    timed = [entry for entry in entries if measure in entry.times]
    return min(timed, key=lambda entry: entry.times[measure].median, default=None)


def _beside_printed(frame: Frame, machines: Sequence[str]) -> list[Panel]:
    """Make a panel of all printed times, each with what a machine measured of the same, as a line of one dot."""
    lines = []
    for machine in machines:
        for row in _rows(frame):
            for entry in row.printed:
                again = _quickest((e for e in row.here(machine) if e.solver == entry.solver), "total")
                if again and entry.printed.ms > 0 and not entry.printed.doubt and not again.is_substitute:
                    lines.append(Line(entry.name, entry.solver, [Dot(entry.printed.ms, again.times["total"], again)]))
    return [Panel(machines[0], machines[0], lines)] if lines else []


def _rows(frame: Frame) -> Iterable[GraphRow]:
    """Yield the rows of each experiment."""
    for name in dict.fromkeys(entry.experiment for entry in frame.entries):
        yield from frame.of(name).rows


def _strips(drawing: Drawing, frame: Frame, machines: Sequence[str]) -> list[Panel]:
    """Make a row of each record whose trials fall into two groups, those that are farthest apart."""
    apart = []
    for entry in frame.measured:
        value = entry.times.get(drawing.y)
        if entry.machine in machines and value and (gap := two_groups(value)) >= TWO_GROUPS:
            apart.append((gap, f"{entry.full_name}, {entry.label}", Dot(0, value, entry)))
    most = sorted(apart, key=lambda row: row[:2], reverse=True)[:MOST_STRIPS]
    lines = [Line(name, name, [dot]) for _, name, dot in most]
    return [Panel(machines[0], machines[0], lines, drawing.y, measured=frame.measured)] if lines else []


def two_groups(value: Summary) -> float:
    """Return the greatest ratio of neighbouring trials that parts a fifth of them from the rest; 1 of few."""
    trials = sorted(ms for some in value.trials for ms in some)
    least = max(2, len(trials) // 5)
    pairs = list(pairwise(trials))[least - 1 : len(trials) - least]
    return max((high / low for low, high in pairs if low > 0), default=1.0) if len(trials) >= ENOUGH else 1.0


def _distances(drawing: Drawing, frame: Frame, machines: Sequence[str], whole: Frame) -> list[Panel]:
    """Make a row of each graph: the fastest of ours, of published kernels and of libraries over the limit."""
    lines = []
    for row in _rows(frame):
        entries = [entry for machine in machines for entry in row.here(machine) if entry.times]
        entries = [entry for entry in entries if not entry.record.cores]  # the limit is a GPU's
        limit = limit_of(entries, whole) if entries else ""
        compared = contenders(drawing.y, entries)
        if not compared or not isinstance(limit, PhysicalLimit):
            continue
        shown = [e for e in (compared.ours, compared.published, compared.library) if e]
        dots = [Dot(0, entry.times[drawing.y].over(limit.ms), entry) for entry in shown]
        lines.append(Line(f"{shown[0].record.problem}, {row.title}", row.title, dots))
    lines.sort(key=lambda line: line.dots[0].value.median)
    return [Panel(machines[0], machines[0], lines, drawing.y, "the limit")] if lines else []


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
    if drawing.floor and base:
        floors = [(e, e.times[drawing.floor].over(total.median)) for e in entries
                  if e.machine == machine and fits(e, base) and (total := e.times.get(drawing.y))]  # fmt: skip
        dots = [Dot(entry.vertices, value, entry) for entry, value in floors]
        drawn.append(Line(FLOOR, FLOOR, sorted(dots, key=lambda dot: dot.x)))
    if drawing.ideal:
        drawn = [replace(line, dots=[replace(d, value=d.value.over(line.dots[0].value.median)) for d in line.dots])
                 for line in drawn]  # fmt: skip
    over = "its own on one" if drawing.ideal else drawing.over or ""
    return Panel(machine, title, drawn, drawing.y, over)


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
