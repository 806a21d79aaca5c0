"""The table of an experiment: what its report prints beside what each machine measured.

Every solver that was measured has a column or a row: the report's own first, then ours, then libraries.
What is no verified time is words or a dash, never a number. `workflow/templates/table.txt.j2` has the words.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import inf

import pandas as pd

from retrace.publish.doubts import doubts
from retrace.publish.page import MARK, UNSURE, Cell, Page, Table, fill, words
from retrace.publish.phases import calls_library
from retrace.publish.provenance import cores, emulated, provenance
from retrace.publish.record_cards import address
from retrace.records.machine_check import Doubt
from retrace.records.statistics import ENOUGH, Summary
from retrace.reports.claim import DERIVED
from retrace.reports.frame import Frame, GraphRow, Measured, Printed, speed_up, why_incomparable
from retrace.reports.like_for_like import RESIDENT, is_search, least_by_number, order_by
from retrace.reports.measures import MEASURES, Measure
from retrace.reports.physical_limit import PhysicalLimit, least_bytes, limit_of
from retrace.reports.report import Report, TableLayout, table_layout
from retrace.reports.wording import (
    EMPTY,
    duration,
    few_trials,
    joules,
    plural,
    power_of_two,
    ratio,
    three_digits,
)

TWICE = " / "
"""Between the numbers of two printed columns with the same head."""
EXTRAPOLATED = "≈"
"""Before a time that was not measured."""


def page(frame: Frame, experiment: str, report: Report | None) -> Page:
    """Lay an experiment's table out for reading."""
    shown, layout = frame.of(experiment), table_layout(report, experiment)
    grid = _Grid(shown, layout, frame)
    lay_out = {"graphs": grid.graphs_as_rows, "solvers": grid.solvers_as_rows, "ranked": grid.ranked}
    claims = report.claims.values() if report else ()
    said = fill(
        "table.txt.j2",
        frame=shown,
        layout=layout,
        report=report,
        measures=grid.measures,
        plain=grid.plain,
        doubts=grid.doubts,
        few=ENOUGH if any(e.total and e.total.n < ENOUGH for e in frame.measured) else 0,
        with_setup=grid.with_setup,
        is_judged=any(experiment in claim.experiments for claim in claims),
        cores=cores(shown.measured),
        emulated=emulated(entry for entry in frame.measured if entry.experiment == experiment),
        origins=[provenance(machine, shown.measured) for machine in shown.machines],
    )
    summary, *remarks = said.strip().splitlines()
    title = f"{layout.number}: {layout.title}" if layout.number else layout.title
    label_heading = "Graph" if layout.rows == "graphs" else "Solver"
    return Page(title, summary, label_heading, lay_out[layout.rows](), remarks)


def time_cell(
    entry: Measured | None, measure: Measure, doubtful: Mapping[str, Sequence[Doubt]], plain: bool = False
) -> Cell:
    """Return the median of a measure, with a mark if it is `doubtful`; else what came of the record."""
    if entry is None:
        return Cell()
    place = address(entry.record)
    if entry.total is None:
        note = words().untimed(entry)
        return Cell(entry.outcome, entry.record.reason or "", bad=True, notes=[note], address=place)
    if (times := entry.times.get(measure)) is None:
        return Cell(tip="no further search was timed" if measure == RESIDENT else "")
    text = three_digits(times.median) if plain else quantity(measure, times.median)
    text += few_trials(times) if measure not in ("setup", "with setup") else ""
    why = [doubt for doubt in doubtful.get(place, ()) if doubt.concerns(measure)]
    notes = [f"{entry.machine}, doubtful: {doubt.why}." for doubt in why]
    text, tip = f"{text} {MARK}" if why else text, "; ".join(f"doubtful: {doubt.found}" for doubt in why)
    return Cell(text, tip, notes=notes, value=times.median, address=place, entry=entry, times=times)


def quantity(measure: str, median: float) -> str:
    """Write the median of a measure, a time but for energy and a share; or a count that a record observed."""
    match measure:
        case "energy":
            return joules(median)
        case "transfer":
            return f"{median:.0%}"
        case timed if timed in (*MEASURES, *DERIVED) or timed.endswith("_ms"):
            return duration(median)
    return f"{median:,.6g}"


def ratio_cell(slow: Measured | None, fast: Measured | None, by: Measure = "total") -> Cell:
    """Say how many times as long the slow one takes; where both have times that do not compare, why."""
    if slow and slow is fast and by in slow.times:
        return Cell(ratio(1))
    if compared := speed_up(slow, fast, by):
        factor, is_sure = compared
        text, tip = (ratio(factor), "") if is_sure else (f"{UNSURE} {ratio(factor)}", "cannot be told apart")
        return Cell(text, tip, value=factor, address=address(fast.record) if fast else "")
    if slow is None or fast is None or not (slow.total and fast.total):
        return Cell()
    why = f"measured on {why_incomparable(slow, fast)} than {fast.full_name}"
    return Cell(notes=[f"{fast.machine}: {slow.full_name} was {why}."])


def printed_cell(printed: Sequence[Printed], layout: TableLayout, unit: str = "") -> Cell:
    """Return a printed number, with that of a second column of the same head; `unit` if it has none."""
    numbers = [entry.printed for entry in printed]
    text = TWICE.join(f"{number.text}{unit if number.text.isdigit() else ''}" for number in numbers)
    doubtful = sorted({number.doubt for number in numbers if number.doubt})
    tip = "two columns with this head" if len(numbers) > 1 else ""
    return Cell(text, tip, notes=[layout.doubts.get(key, key) for key in doubtful])


class _Grid:
    """The cells of an experiment: `whole` has other experiments, such as the machine's constants."""

    def __init__(self, frame: Frame, layout: TableLayout, whole: Frame) -> None:
        self.frame, self.layout, self.whole = frame, layout, whole
        self.plain = bool(frame.printed) and all(e.printed.printed.isdigit() for e in frame.printed)
        """Whether times are bare milliseconds, as the report prints them."""
        self.doubts = doubts(frame.measured)
        beside = () if layout.by == "step" else (layout.beside,)
        self.measures: list[Measure] = list(dict.fromkeys((layout.by, *beside)))
        """What the cells of an entry show."""
        self.printed_names = {spec: printed for printed, spec in reversed(layout.solvers.items())}
        """The printed name of each solver of the report."""

    def time(self, entry: Measured | None, measure: Measure) -> Cell:
        if entry and (sample := self.sample_of(entry)) and (times := sample.times.get(measure)):
            return _extrapolated(entry, sample, times)
        return time_cell(entry, measure, self.doubts, self.plain)

    def sample_of(self, entry: Measured) -> Measured | None:
        """Return what searched from a sample of the sources, where all were skipped; None if nothing did."""
        if entry.outcome != "skipped" or "sources" in entry.record.parameters:
            return None
        alike = (
            other
            for other in self.whole.measured
            if (other.machine, other.full_name) == (entry.machine, entry.full_name)
            and other.record.graph.sha256 == entry.record.graph.sha256
            and "sources" in other.record.parameters
        )
        return next((other for other in alike if other.total), None)

    def setup(self, entry: Measured | None, measure: Measure) -> Cell:
        return time_cell(entry, measure, self.doubts) if entry and entry.total else Cell()

    def printed(self, row: GraphRow, system: str, name: str) -> Cell:
        numbers = [e for e in row.printed if (e.machine, e.name) == (system, name)]
        return printed_cell(numbers, self.layout) if numbers else Cell() if row.printed else Cell("")

    def graphs_as_rows(self) -> list[Table]:
        """Lay out a row for each graph: the report's columns and its own solvers, then all others."""
        rows, machines = self.frame.rows, self.frame.machines
        columns = {
            ("", "Vertices"): [Cell(f"{row.first.vertices:,}") for row in rows],
            ("", "Arcs"): [Cell(f"{row.first.arcs:,}") for row in rows],
        }
        systems = dict.fromkeys((entry.machine, entry.hardware, entry.name) for entry in self.frame.printed)
        for system, hardware, name in systems:
            columns["printed", f"{system} ({hardware})"] = [self.printed(row, system, name) for row in rows]
        for machine in machines:
            measured = self.columns(machine, rows) | self.beside(machine, rows)
            columns |= {(machine, head): cells for head, cells in measured.items()}
        compared = [row for row in rows if any(e.kind != "report" for e in row.measured.values())]
        others = {
            (machine, head): cells
            for machine in machines
            for head, cells in self.columns(machine, compared, "ours", "library").items()
        }
        tables = [self.table(columns, rows)]
        if others:
            tables.append(self.table(others, compared, "Beside the report: ours, then libraries"))
        return tables

    def table(
        self, columns: Mapping[tuple[str, str], Sequence[Cell]], rows: Sequence[GraphRow], heading: str = ""
    ) -> Table:
        cells = pd.DataFrame(columns, index=[("", row.title) for row in rows])
        return Table(cells, heading, {row.title: self.differences(row) for row in rows})

    def columns(self, machine: str, rows: Sequence[GraphRow], *kinds: str) -> dict[str, list[Cell]]:
        """Return a machine's columns by heading: of the solvers of some kinds, the report's by default."""
        columns: dict[str, list[Cell]] = {}
        for name, solver in self.solvers_of(machine).items():
            if solver.kind in (kinds or ("report",)):
                entries = [row.measured.get((machine, name)) for row in rows]
                printed = self.printed_names.get(solver.solver) if self.frame.printed else None
                heading = f"{printed} ({solver.full_name})" if printed else solver.full_name
                for measure in self.measures:
                    cells = [self.time(entry, measure) for entry in entries]
                    columns[heading if measure == "total" else f"{heading}: {measure}"] = cells
                if self.layout.rate:
                    columns[f"{name}: million arcs per second"] = [
                        _rate(entry, entry.arcs if entry else None, "total", 1e3) for entry in entries
                    ]
        return columns

    def beside(self, machine: str, rows: Sequence[GraphRow]) -> dict[str, list[Cell]]:
        """Return the columns beside the report's own solvers: the speed-up, and times with setup."""
        columns, compared = {}, self.layout.speed_up
        solvers = {entry.solver for entry in self.solvers_of(machine).values()}
        if compared and compared.of in solvers:
            pairs = [(row.of(machine, compared.over), row.of(machine, compared.of)) for row in rows]
            columns["speed-up"] = [ratio_cell(slow, fast) for slow, fast in pairs]
        for spec in self.layout.setup:
            if spec in solvers:
                entries = [row.of(machine, spec) for row in rows]
                columns[f"setup of {spec}"] = [self.setup(entry, "setup") for entry in entries]
                columns[f"{spec} with setup"] = [self.setup(entry, "with setup") for entry in entries]
        return columns

    def solvers_of(self, machine: str) -> dict[str, Measured]:
        """Return an entry of each name that a machine measured, in the order of all names."""
        names = {entry.name for entry in self.frame.measured if entry.machine == machine}
        return {name: entry for name, entry in self.frame.solvers.items() if name in names}

    @cached_property
    def with_setup(self) -> dict[tuple[str, str], list[tuple[GraphRow, Measured]]]:
        """The rows and entries, by machine and solver, of which the time with setup is known."""
        timed = {
            (machine, spec): [(row, e) for row in self.frame.rows
                              if (e := row.of(machine, spec)) and "with setup" in e.times]
            for machine, spec in product(self.frame.machines, self.layout.setup)
        }  # fmt: skip
        return {solver: entries for solver, entries in timed.items() if entries}

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
        labels, rows = list[tuple[str, str]](), list[list[Cell]]()
        printed = [entry for row in part for entry in row.printed]
        for system in dict.fromkeys(entry.machine for entry in printed):
            here = [entry for entry in printed if entry.machine == system]
            hardware = list(dict.fromkeys(entry.hardware for entry in here))
            for name in dict.fromkeys(entry.name for entry in here):
                cells = [self.printed(row, system, name) for row in part]
                labels.append((f"{system}, printed ({', '.join(hardware)})", name))
                rows.append([c if m == "total" else Cell("") for c in cells for m in self.measures])
        for machine in self.frame.machines:
            computers = [entry.record.machine for row in part for entry in row.here(machine)]
            hardware = sorted({computer.gpu.used for computer in computers if computer.gpu})
            hardware += sorted({computer.cpu for computer in computers})
            for name, solver in self.frame.solvers.items():
                entries = [row.measured.get((machine, name)) for row in part]
                if any(entries):
                    title = self.printed_names.get(solver.solver, name) if self.frame.printed else name
                    labels.append((f"{machine}, measured ({', '.join(hardware)})", title))
                    rows.append([self.time(entry, measure) for entry in entries for measure in self.measures])
        notes: dict[str, list[str]] = defaultdict(list)
        for head, row in zip(heads, part, strict=True):
            notes[head] += self.differences(row)
        alone = self.measures == ["total"]
        columns = [("", head) if alone else (head, measure) for head in heads for measure in self.measures]
        return Table(pd.DataFrame(rows, labels, columns), heading, notes)

    def ranked(self) -> list[Table]:
        """Lay out a table for each graph and machine: a row for each solver, the fastest first."""
        tables, by = [], RESIDENT if RESIDENT in self.measures else self.layout.by
        for row, machine in product(self.frame.rows, self.frame.machines):
            if not (here := row.here(machine)):
                continue
            order = order_by(self.layout, here)
            here.sort(key=lambda e: e.times[order].median if order in e.times else inf)
            columns = {str(measure): [self.time(e, measure) for e in here] for measure in self.measures}
            bases = {measure: row.published(machine, measure) for measure in self.measures}
            columns |= {
                f"published takes, {measure}": [
                    replace(ratio_cell(base, e, measure), tip="", notes=()) for e in here
                ]
                for measure, base in bases.items()
            }
            repeated = [entry for entry in here if is_search(entry)] if RESIDENT in self.measures else []
            least = least_by_number(repeated)
            columns |= {
                "setup": [self.setup(e, "setup") if calls_library(e) else Cell() for e in here],
                "prepare": [_median_cell(entry, "prepare", duration) for entry in here],
                "least in all, searches": [Cell(least.get(entry) or EMPTY) for entry in here],
                "mJ": [_median_cell(entry, "energy", three_digits) for entry in here],
                "W (idle)": [_power(entry) for entry in here],
                "million arcs/s": [_rate(entry, entry.arcs, by, 1e3) for entry in here],
                "GB/s": [_rate(entry, least_bytes(entry), by, 1e6) for entry in here],
            }
            columns = {head: cells for head, cells in columns.items() if any(c.text != EMPTY for c in cells)}
            columns |= {"whose": [Cell(e.group) for e in here], "on": [Cell(_place(e)) for e in here]}
            labels = [entry.full_name for entry in here]
            limit = limit_of(here, self.whole) if "published" in self.layout.groups else ""
            if isinstance(limit, PhysicalLimit):
                time = Cell(duration(limit.ms), notes=[f"{row.title} on {machine}: {limit.why}."])
                place = by if by in columns else next(iter(columns))  # without copies, as the limit is
                columns = {
                    head: [time if head == place else Cell(), *cells] for head, cells in columns.items()
                }
                labels.insert(0, "limit")
            vertices, arcs = row.first.vertices, row.first.arcs
            counts = f": {vertices:,} vertices, {arcs:,} arcs" if vertices else ""
            heading = f"{row.title} on {machine}{counts}"
            cells = pd.DataFrame(
                {("", head): cells for head, cells in columns.items()}, [("", label) for label in labels]
            )
            tables.append(Table(cells, heading, {heading: self.differences(row)}, texts=("whose", "on")))
        return tables

    def differences(self, row: GraphRow) -> list[str]:
        """Say in what the graphs of records are not the one that the row names, and on which machines."""
        machines: dict[str, dict[str, None]] = defaultdict(dict)
        for entry in row.measured.values():
            for text in words().differences(row, entry).splitlines():
                machines[text][entry.machine] = None
        return [f"{', '.join(names)}: {text}" for text, names in machines.items()]


def _extrapolated(entry: Measured, sample: Measured, times: Summary) -> Cell:
    """Return the time from all sources, in proportion to a sample, marked; it is ranked with nothing."""
    sources, vertices = int(sample.record.parameters["sources"]), entry.record.graph.vertices
    why = f"extrapolated from {sources:,} sources to {vertices:,}, in proportion"
    notes = [f"{entry.title}, {entry.full_name} on {entry.machine}: {EXTRAPOLATED} is {why}."]
    text = f"{EXTRAPOLATED} {duration(times.median * vertices / sources)}"
    return Cell(text, why, bad=True, notes=notes, address=address(sample.record))


def _rate(entry: Measured | None, amount: float | None, measure: Measure, unit: float) -> Cell:
    """Return an amount, such as of arcs, per unit of time, which is given in units per ms."""
    times = entry.times.get(measure) if entry else None
    return Cell(three_digits(amount / times.median / unit)) if times and times.median and amount else Cell()


def _median_cell(entry: Measured, measure: Measure, write: Callable[[float], str]) -> Cell:
    times = entry.times.get(measure)
    return Cell(write(times.median)) if times else Cell()


def _power(entry: Measured) -> Cell:
    """Return the GPU's power meanwhile, and that of the same GPU with nothing to do."""
    energy = entry.record.energy if "energy" in entry.times else None
    if energy is None:
        return Cell()
    idle = "" if energy.idle_watts is None else f" ({three_digits(energy.idle_watts)})"
    return Cell(f"{three_digits(energy.joules / energy.seconds)}{idle}")


def _place(entry: Measured) -> str:
    """Say what a solver ran on."""
    return plural(entry.record.cores, "core") if entry.record.cores else "GPU"
