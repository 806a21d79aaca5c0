"""The table of an experiment: what its report prints beside what each machine measured.

Every solver that was measured has a column or a row: the report's own first, then ours, then libraries.
What is no verified time is words or a dash, never a number.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import ceil, inf
from operator import add

from retrace.publish.doubts import MARK, doubts
from retrace.publish.page import Cell, Group, Notes, Page, Row, Table
from retrace.publish.provenance import cores, emulated, provenance
from retrace.publish.record_cards import address
from retrace.records.statistics import LEAST_TRIALS, RULE, Summary
from retrace.reports.frame import Entry, Frame, GraphRow, Measured, speed_up, why_incomparable
from retrace.reports.measures import Measure
from retrace.reports.physical_limit import LEAST_BYTES, PhysicalLimit, least_bytes, limit_of
from retrace.reports.report import Report, SpeedUp, TableLayout, table_layout
from retrace.reports.wording import EMPTY, duration, plural, power_of_two, ratio, three_digits, word_list

UNSURE = "~"
TWICE = " / "
"""Between the numbers of two printed columns with the same head."""


def page(frame: Frame, experiment: str, report: Report | None) -> Page:
    """Lay an experiment's table out for reading."""
    found, layout = frame.of(experiment), table_layout(report, experiment)
    grid = _Grid(found, layout, frame)
    claims = report.claims.values() if report else ()
    judged = report.key if report and any(experiment in claim.experiments for claim in claims) else ""
    lay_out = {"graphs": grid.graphs_as_rows, "solvers": grid.solvers_as_rows, "ranked": grid.ranked}
    return Page(
        title=f"{layout.number}: {layout.title}" if layout.number else layout.title,
        summary=_summary(found, grid, report),
        label_heading="Graph" if layout.rows == "graphs" else "Solver",
        tables=lay_out[layout.rows](),
        notes=grid.notes.texts,
        remarks=[
            *layout.remarks,
            *_systems(found, report),
            *([f"{MARK} marks a doubtful number; its note says why."] if grid.doubts else []),
            *grid.remarks(),
            *cores(found.measured),
            *([f"What the report says of it in words is judged in claims-{judged}."] if judged else []),
            "Quartiles, minimum, n and the times of all phases are in the CSV file of the same name.",
            f"{EMPTY}: not measured{', or not printed' if found.printed else ''}.",
            *emulated(entry for entry in frame.measured if entry.experiment == experiment),
            *([] if found.measured else ["No machine here has timed any of it (docs/adding-a-gpu.md)."]),
            *(provenance(machine, found.measured) for machine in found.machines),
        ],
    )


def _systems(frame: Frame, report: Report | None) -> list[str]:
    """Describe the machines on which the report has measured what is printed, as far as it does so."""
    named = report.machines if report else {}
    printed = dict.fromkeys(entry.machine for entry in frame.printed if entry.machine in named)
    return [f"{name}, printed: {named[name]}." for name in printed]


@dataclass
class _Grid:
    """The cells of an experiment, by row of the frame, machine and name."""

    frame: Frame
    layout: TableLayout
    whole: Frame
    """The frame with other experiments, such as the machine's constants."""
    notes: Notes = field(default_factory=Notes)

    def __post_init__(self) -> None:
        self.plain = bool(self.frame.printed) and all(e.printed.printed.isdigit() for e in self.frame.printed)
        """Whether times are bare milliseconds, as the report prints them."""
        self.solvers, self.doubts = self.frame.solvers, doubts(self.frame.measured)
        beside: tuple[Measure, ...] = () if self.layout.by == "step" else ("total",)
        self.measures: list[Measure] = list(dict.fromkeys((self.layout.by, *beside)))
        """What the cells of an entry show."""
        self.own = {spec: printed for printed, spec in reversed(self.layout.solvers.items())}
        """The printed name of each solver of the report."""

    def graphs_as_rows(self) -> list[Table]:
        """Lay out a row for each graph: the report's columns and its own solvers, then all others."""
        rows = self.frame.rows
        counts = {"Vertices": [Cell(f"{row.first.vertices:,}") for row in rows]}
        counts |= {"Arcs": [Cell(f"{row.first.arcs:,}") for row in rows]}
        systems = dict.fromkeys((entry.machine, entry.hardware, entry.name) for entry in self.frame.printed)
        printed = {
            f"{system} ({hardware})": [self.printed_cell(row, system, name) for row in rows]
            for system, hardware, name in systems
        }
        own = {machine: self.columns(machine, rows, report=True) for machine in self.frame.machines}
        compared = [row for row in rows if any(e.kind != "report" for e in row.measured.values())]
        others = {machine: self.columns(machine, compared, report=False) for machine in self.frame.machines}
        tables = [self.table({"": counts, "printed": printed} | own, rows)]
        if any(others.values()):
            tables.append(self.table(others, compared, "Beside the report: ours, then libraries"))
        return tables

    def table(
        self, groups: dict[str, dict[str, list[Cell]]], rows: Sequence[GraphRow], heading: str = ""
    ) -> Table:
        columns = [cells for group in groups.values() for cells in group.values()]
        titles = [Group(title, list(group)) for title, group in groups.items() if group]
        cells = [Row(row.title, own, self.differences(row)) for row, *own in zip(rows, *columns, strict=True)]
        return Table(titles, cells, heading)

    def columns(self, machine: str, rows: Sequence[GraphRow], report: bool) -> dict[str, list[Cell]]:
        """Return a machine's columns by heading: of the report's own solvers, or of all others."""
        columns: dict[str, list[Cell]] = {}
        here = {entry.name for entry in self.frame.measured if entry.machine == machine}
        for name, solver in self.solvers.items():
            if name in here and (solver.kind == "report") == report:
                entries = [row.measured.get((machine, name)) for row in rows]
                for measure in self.measures:
                    heading = self.heading(name) + ("" if measure == "total" else f": {measure}")
                    columns[heading] = [self.time_cell(entry, measure) for entry in entries]
                if self.layout.rate:
                    columns[f"{name}: million arcs per second"] = [_rate(entry) for entry in entries]
        solvers, compared = {self.solvers[name].solver for name in here}, self.layout.speed_up
        if report and compared and compared.of in solvers:
            columns["speed-up"] = [self.speed_up_cell(row, machine, compared) for row in rows]
        for spec in self.layout.setup if report else ():
            if spec in solvers:
                every = [row.of(machine, spec) for row in rows]
                columns[f"setup of {spec}"] = [self.setup_cell(entry, "setup") for entry in every]
                columns[f"{spec} with setup"] = [self.setup_cell(entry, "with setup") for entry in every]
        return columns

    def heading(self, name: str) -> str:
        """Name a solver in full, with the printed name that it repeats."""
        entry = self.solvers[name]
        printed = self.own.get(entry.solver) if self.frame.printed else None
        return f"{printed} ({entry.full_name})" if printed else entry.full_name

    def solvers_as_rows(self) -> list[Table]:
        """Lay out a row for each solver, printed systems above machines, a column for each graph."""
        rows = sorted(self.frame.rows, key=lambda row: row.first.work)
        if self.layout.sections is None:
            return [self.by_graph(rows, [row.title for row in rows])]
        tables = []
        for density in sorted({row.first.arcs_per_vertex or 0 for row in rows}, reverse=True):
            part = [row for row in rows if (row.first.arcs_per_vertex or 0) == density]
            heading = f"{plural(density, 'arc')} per vertex; the columns are numbers of vertices"
            tables.append(self.by_graph(part, [power_of_two(row.first.vertices) for row in part], heading))
        return tables

    def by_graph(self, part: Sequence[GraphRow], heads: Sequence[str], heading: str = "") -> Table:
        rows: list[Row] = []
        notes = ["".join(f" [{note}]" for note in self.differences(row)) for row in part]
        printed = [entry for row in part for entry in row.printed]
        for system in dict.fromkeys(entry.machine for entry in printed):
            own = [entry for entry in printed if entry.machine == system]
            rows.append(Row(f"{system}, printed ({', '.join(dict.fromkeys(e.hardware for e in own))})"))
            for name in dict.fromkeys(entry.name for entry in own):
                every = [self.printed_cell(row, system, name) for row in part]
                rows.append(
                    Row(name, [c if m == "total" else Cell("") for c in every for m in self.measures])
                )
        for machine in self.frame.machines:
            here = [e for row in part for (m, _), e in row.measured.items() if m == machine]
            if not here:
                continue
            computers = [entry.record.machine for entry in here]
            hardware = sorted({one.gpu.used for one in computers if one.gpu})
            hardware += sorted({one.cpu for one in computers})
            rows.append(Row(f"{machine}, measured ({', '.join(hardware)})"))
            names = {entry.name for entry in here}
            for name in (name for name in self.solvers if name in names):
                found = [row.measured.get((machine, name)) for row in part]
                cells = [self.time_cell(entry, measure) for entry in found for measure in self.measures]
                title = self.own.get(self.solvers[name].solver, name) if self.frame.printed else name
                rows.append(Row(title, cells))
        titles = list(map(add, heads, notes))
        alone = self.measures == ["total"]
        groups = [Group("", titles)] if alone else [Group(title, self.measures) for title in titles]
        return Table(groups, rows, heading)

    def ranked(self) -> list[Table]:
        """Lay out a table for each graph and machine: a row for each solver, the fastest first."""
        tables, by = [], self.layout.by
        for row, machine in product(self.frame.rows, self.frame.machines):
            here = [entry for (name, _), entry in row.measured.items() if name == machine]
            here.sort(key=lambda entry: entry.times[by].median if entry.times else inf)
            base = row.published(machine, by)
            numbers = {
                **{str(measure): [self.time_cell(e, measure) for e in here] for measure in self.measures},
                "published takes": [self.published_cell(base, entry) for entry in here],
                "prepare": [_prepare(entry) for entry in here],
                "paid after": [_paid(entry, base, by) for entry in here],
                "million arcs/s": [_rate(entry, by) for entry in here],
                "GB/s": [_bandwidth(entry, by) for entry in here],
            }
            numbers = {head: cells for head, cells in numbers.items() if any(c.text != EMPTY for c in cells)}
            words = {"whose": [Cell(e.group) for e in here], "on": [Cell(_place(e)) for e in here]}
            cells = zip(*numbers.values(), *words.values(), strict=True)
            rows = [Row(entry.full_name, of_entry) for entry, of_entry in zip(here, cells, strict=True)]
            limit = limit_of(here, self.whole) if here and self.has_published else ""
            if isinstance(limit, PhysicalLimit):
                note = self.notes.number(f"{row.title} on {machine}: {limit.why}.")
                time = Cell(duration(limit.ms), notes=[note])
                rows.insert(0, Row("limit", [time, *[Cell()] * (len(numbers) + len(words) - 1)]))
            vertices, arcs = row.first.vertices, row.first.arcs
            counts = f": {vertices:,} vertices, {arcs:,} arcs" if vertices else ""
            marks = "".join(f" [{note}]" for note in self.differences(row))
            groups = [Group("", list(numbers)), Group("", list(words), "text")]
            tables += [Table(groups, rows, f"{row.title} on {machine}{counts}{marks}")] if rows else []
        return tables

    @property
    def has_published(self) -> bool:
        """Whether the layout names published kernels."""
        return "published" in self.layout.groups

    def published_cell(self, published: Measured | None, entry: Measured) -> Cell:
        """Say how many times as long the published kernel takes as a solver."""
        if published is entry and entry.times:
            return Cell(ratio(1))
        if (compared := speed_up(published, entry, self.layout.by)) is None:
            return Cell()
        factor, is_sure = compared
        return Cell(ratio(factor) if is_sure else f"{UNSURE} {ratio(factor)}")

    def printed_cell(self, row: GraphRow, system: str, name: str) -> Cell:
        numbers = [e.printed for e in row.printed if (e.machine, e.name) == (system, name)]
        if not numbers:
            return Cell() if row.printed else Cell("")
        unsure = {number.doubt for number in numbers if number.doubt}
        marks = [self.notes.number(self.layout.doubts.get(doubt, doubt)) for doubt in sorted(unsure)]
        tip = "two columns with this head" if len(numbers) > 1 else ""
        return Cell(TWICE.join(number.text for number in numbers), tip, notes=marks)

    def setup_cell(self, entry: Measured | None, measure: Measure) -> Cell:
        times = entry.times.get(measure) if entry else None
        return self.measured(entry, times, duration(times.median)) if entry and times else Cell()

    def time_cell(self, entry: Measured | None, measure: Measure) -> Cell:
        if entry is None:
            return Cell()
        record, machine = entry.record, entry.machine
        if entry.total is None:
            note = f"{entry.title}, {entry.full_name} on {machine}: {entry.outcome}, {record.reason}."
            return Cell(entry.outcome, record.reason or "", bad=True, notes=[self.notes.number(note)])
        if (times := entry.times.get(measure)) is None:
            return Cell()
        few = f"{machine}: {plural(entry.total.n, 'trial')}, too few to have quartiles."
        time = three_digits(times.median) if self.plain else duration(times.median)
        return self.measured(entry, times, time, [few] if entry.total.n < LEAST_TRIALS else [])

    def measured(self, entry: Measured, times: Summary, text: str, notes: Sequence[str] = ()) -> Cell:
        """Return the cell of a measured number, with a mark and the reason if it is doubtful."""
        found = self.doubts.get(address(entry.record), [])
        notes = [*notes, *(f"{entry.machine}, doubtful: {doubt.why}." for doubt in found)]
        tips = [*(f"doubtful: {doubt.found}" for doubt in found), _tip(entry, times)]
        marks = [self.notes.number(note) for note in notes]
        return Cell(f"{text} {MARK}" if found else text, "; ".join(tips), notes=marks)

    def speed_up_cell(self, row: GraphRow, machine: str, compared: SpeedUp) -> Cell:
        slow, fast = row.of(machine, compared.over), row.of(machine, compared.of)
        found = speed_up(slow, fast)
        if found is None and slow and fast and slow.total and fast.total:
            why = f"measured on {why_incomparable(slow, fast)} than {fast.full_name}"
            return Cell(notes=[self.notes.number(f"{machine}: {slow.full_name} was {why}.")])
        if found is None or found[1]:
            return Cell(ratio(found[0])) if found else Cell()
        return Cell(f"{UNSURE} {ratio(found[0])}", "cannot be told apart")

    def differences(self, row: GraphRow) -> list[int]:
        """Return the numbers of the notes on a graph that is not the printed one."""
        texts: dict[str, dict[str, None]] = defaultdict(dict)
        for (machine, _), entry in row.measured.items():
            for text in _differences(row, entry):
                texts[text][machine] = None
        return [self.notes.number(f"{', '.join(machines)}: {text}") for text, machines in texts.items()]

    def remarks(self) -> list[str]:
        found = []
        if self.layout.speed_up and self.layout.rows == "graphs":
            compared = f"{self.layout.speed_up.over} over {self.layout.speed_up.of}"
            unsure = f"{UNSURE} marks two times that cannot be told apart. {RULE}"
            found.append(f"Speed-up: {compared} on the same machine and graph. {unsure}")
        for machine, spec in product(self.frame.machines, self.layout.setup):
            told = [self.with_setup(row, entry) for row in self.frame.rows
                    if (entry := row.of(machine, spec)) and "with setup" in entry.times]  # fmt: skip
            found += [f"{machine}, {spec} with its setup: {'; '.join(told)}."] if told else []
        if self.layout.rows == "ranked":
            found += self.meanings()
        if any(entry.kind == "library" for entry in self.solvers.values()):
            alone = "without making their own graph object, and with the conversion of their answers."
            found.append(f"The libraries' times are those of the search, {alone}")
        return found

    def meanings(self) -> list[str]:
        """Say what the columns of ranked solvers mean."""
        by = self.layout.by
        if not self.has_published:
            return [f"GB/s: the bytes of a {by} over its time."]
        return [
            "Published takes: how many times as long as the row's solver the fastest published kernel takes, "
            f"by {by}. {UNSURE} marks two times that cannot be told apart. {RULE}",
            "Prepare: what a solver makes of the graph alone, on the host. It has paid after as many sources "
            "as take that kernel longer than the preparation and their searches take this solver.",
            f"Million arcs/s: all arcs of the graph, whether a search reads them or not, over {by}.",
            f"GB/s: {LEAST_BYTES} over {by}.",
        ]

    def with_setup(self, row: GraphRow, entry: Measured) -> str:
        """Say what a solver takes with its setup and without, and what is printed of it."""
        long, short = (duration(entry.times[measure].median) for measure in ("with setup", "total"))
        printed = [e.printed.text for e in row.printed if e.solver == entry.solver]
        beside = f" (printed: {word_list(printed)})" if printed else ""
        return f"{row.title} {long} in place of {short}{beside}"


def _summary(found: Frame, grid: _Grid, report: Report | None) -> str:
    shown = ["total (upload + solve + download)" if m == "total" else str(m) for m in grid.measures]
    measured = f"the median of the verified trials' {' and, beside it, '.join(shown)}."
    if not found.printed:
        silent = " The report prints no numbers for it." if report and report.claims else ""
        return f"Each time is {measured}{silent}"
    unit = "Milliseconds: printed" if grid.plain else "Printed"
    return f"{unit} numbers, with their digits, beside measured ones: each {measured}"


def _rate(entry: Entry | None, measure: Measure = "total") -> Cell:
    times = entry.times.get(measure) if entry else None
    if entry is None or times is None or not times.median or not entry.arcs:
        return Cell()
    return Cell(three_digits(entry.arcs / times.median / 1e3))


def _bandwidth(entry: Measured, measure: Measure) -> Cell:
    times, moved = entry.times.get(measure), least_bytes(entry)
    return Cell(three_digits(moved / times.median / 1e6)) if times and times.median and moved else Cell()


def _prepare(entry: Measured) -> Cell:
    ms = entry.record.observed.get("prepare_ms") if entry.times else None
    return Cell() if ms is None else Cell(duration(ms))


def _paid(entry: Measured, published: Measured | None, measure: Measure) -> Cell:
    """Say after how many sources the preparation has paid; never, if the published kernel is faster."""
    prepare = entry.record.observed.get("prepare_ms")
    if prepare is None or published is None or speed_up(published, entry, measure) is None:
        return Cell()
    saved = published.times[measure].median - entry.times[measure].median
    return Cell(plural(ceil(prepare / saved - 1e-9), "source") if saved > 0 else "never")


def _place(entry: Measured) -> str:
    """Say what a solver ran on."""
    return plural(entry.record.cores, "core") if entry.record.cores else "GPU"


def _tip(entry: Measured, times: Summary) -> str:
    quartiles = f"quartiles {duration(times.q1)} to {duration(times.q3)}"
    parts = [f"{entry.solver}: median of {times.n}", quartiles, f"minimum {duration(times.minimum)}"]
    if kernel := entry.times.get("kernel"):
        parts.append(f"kernels alone {duration(kernel.median)}")
    if (entry.record.cores or 0) > 1:
        parts.append(f"{entry.record.cores} cores")
    if entry.record.software.peer:
        parts.append(entry.record.software.peer)
    return "; ".join(parts)


def _differences(row: GraphRow, entry: Measured) -> Iterable[str]:
    """Say in what the graph of a record is not the one that its row names."""
    graph = entry.record.graph
    counts = f"{graph.vertices:,} vertices and {graph.arcs:,} arcs"
    if graph.origin == "stand-in":
        yield f"not {graph.name} but a generated stand-in (seed {graph.seed}), {counts}."
        return
    if entry.label.endswith("(weights generated)"):
        yield f"{graph.name} with weights generated from seed {graph.seed}, not its own."
    printed = row.printed[0] if row.printed else None
    if printed and (graph.vertices, graph.arcs) != (printed.vertices, printed.arcs):
        theirs = f"printed: {printed.vertices:,} and {printed.arcs:,}."
        other = f"edition {graph.edition} of {graph.name}, {counts}; {theirs}"
        yield f"{graph.name} has {counts}." if graph.origin == "generated" else other
