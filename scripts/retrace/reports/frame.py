"""One frame of all that is shown: printed numbers and records, side by side.

Tables, figures, claims and CSV files are views of it. An entry is a printed number or a record;
the entries of one graph make a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, cast

import pandas as pd

from cuda_device.errors import OneLineError
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.graphs.graph_names import size
from retrace.records.margins import margins
from retrace.records.ranking import Order, is_among_best, rank
from retrace.records.record import PHASES, Phase, Record, read_records
from retrace.records.statistics import Summary
from retrace.records.variant import QUERY, Variant
from retrace.reports.measures import Measure, Summaries, outside_kernels
from retrace.reports.printed import PrintedNumber, read_printed
from retrace.reports.report import Report, TableLayout, load_report
from retrace.system.errors import RetraceError

PRINTED_PAIR = "far"
"""The report does not say which pair of vertices it times; a far one is a search through the graph."""
PAIRS = (PRINTED_PAIR, "near", "unreachable")
KINDS = ("report", "ours", "library")
"""Whose algorithm a solver is, in the order they are shown."""
REPORT = "the report's"
QUESTION = ("sources", "pairs", "samples", "source_seed", "pair", "target")
"""The parameters of a record that say what is asked of a graph, beside its source."""


def question(record: Record) -> tuple[object, ...]:
    """Return what a record asks of its graph."""
    return (record.source, *(record.parameters.get(key) for key in QUESTION))


@dataclass(frozen=True, kw_only=True, eq=False)
class Entry:
    """A printed number or a record: `Printed` or `Measured`. It equals itself alone, so that it can be a key.

    Its name is the variant with the settings that tell it from its like, or the printed name; its solver that
    of the record, or the one that repeats the number. Its machine is where it was measured, or the system
    that the report names. Its label is the data set with what makes it another graph, such as a stand-in.
    Its times are by phase in milliseconds, and the share of the transfer, of verified answers alone.
    """

    experiment: str
    solver: str
    name: str
    machine: str
    hardware: str
    graph: str
    label: str
    pair: str
    vertices: int
    arcs: int
    layout: TableLayout
    times: Mapping[Measure, Summary] = field(default_factory=dict)
    printed: PrintedNumber | None = None
    record: Record | None = None
    source: ClassVar[str]

    @property
    def total(self) -> Summary | None:
        """The time that tables show."""
        return self.times.get("total")

    @property
    def ms(self) -> float | None:
        """The printed time, or the median total."""
        return self.printed.ms if self.printed else self.total.median if self.total else None

    @property
    def title(self) -> str:
        """The label of the row: the graph, and the pair where it is not the printed one."""
        return self.label if self.pair == PRINTED_PAIR else f"{self.label}, {self.pair} pair"

    @property
    def is_substitute(self) -> bool:
        """Whether the graph is not the named one: a stand-in, or with weights that were generated."""
        return _distance(self.label) > 0

    @property
    def group(self) -> str:
        """Whose algorithm a record is of: the layout's group, the report's, ours or a library's."""
        named = (name for name, specs in self.layout.groups.items() if self.solver in specs)
        peer = self.record.software.peer if self.record else None
        other = REPORT if self.solver in self.layout.solvers.values() else "library" if peer else "ours"
        return next(named, other)

    @property
    def is_published_kernel(self) -> bool:
        """Whether it is a record of a kernel of the layout's group `published`."""
        return self.group == "published" and self.record is not None and not self.record.cores

    @property
    def kind(self) -> str:
        """The group, all of the report's as one: `report`, `ours` or `library`."""
        return self.group if self.group in KINDS[1:] else "report"

    @property
    def full_name(self) -> str:
        """The problem and the name, such as `bellman-ford/streams:parts=2`."""
        return f"{self.solver.split('/')[0]}/{self.name}"

    @property
    def arcs_per_vertex(self) -> int | None:
        """The density that a random graph was made for; None of other graphs."""
        try:
            return size(self.graph)[1]
        except OneLineError:
            return None

    @property
    def work(self) -> tuple[int, int, str]:
        """What entries are ordered by: vertices, or sources times arcs where each source is a search."""
        record = self.record
        if record is None or record.problem != "betweenness":
            return self.vertices, self.arcs, self.label
        return int(record.parameters.get("sources") or self.vertices) * self.arcs, self.arcs, self.label

    def differences(self, other: Entry) -> list[str]:
        """List in what its record and another's differ, of: graph, question, machine, host, commit.

        Records of two problems, such as a search and what a search is a part of, have the same question.
        """
        first, second = self.record, other.record
        if first is None or second is None:
            return ["another kind of number"]
        differing = {
            "another graph": first.graph.sha256 != second.graph.sha256,
            "another question": first.problem == second.problem and question(first) != question(second),
            "another machine": first.machine.name != second.machine.name,
            "another host": first.machine.computer != second.machine.computer,
            "another commit": first.software.git_commit != second.software.git_commit,
        }
        return [what for what, differs in differing.items() if differs]


@dataclass(frozen=True, kw_only=True, eq=False)
class Printed(Entry):
    """A printed number."""

    printed: PrintedNumber
    source = "printed"


@dataclass(frozen=True, kw_only=True, eq=False)
class Measured(Entry):
    """A record."""

    record: Record
    source = "measured"

    @property
    def settings(self) -> str:
        """All parameters of the record."""
        return ",".join(f"{key}={value}" for key, value in self.record.parameters.items())

    @property
    def outcome(self) -> str:
        """What came of it: ok, not verified, failed or skipped."""
        ok = self.record.status == "ok"
        return "not verified" if ok and not self.record.verified else self.record.status

    def quantity(self, name: str) -> Summary | None:
        """Return a time that can be ranked, a count, or what was observed; None if the record has none."""
        record, times, gpu = self.record, self.times.get(cast(Phase, name)), self.record.machine.gpu
        if name == "outside_kernels":
            rounds = outside_kernels(record)
            times = margins().summarise(record, rounds) if any(rounds) else None
        elif name == "kernel_per_iteration":
            kernel = self.times.get("kernel")
            times = kernel.over(record.iterations) if kernel and record.iterations else None
        if times:  # a part of a run counts where the run does, such as the upload of a minute's search
            whole = self.total if name != "setup" else None
            part = whole is not None and whole.enough and whole.n == times.n and times.median > 0
            return times if times.enough or part else None
        known = {
            "iterations": record.iterations,
            "vertices": self.vertices,
            "arcs": self.arcs,
            "arcs_of_iterations": record.iterations and self.arcs * record.iterations,
            "possible_arcs": self.vertices * (self.vertices - 1),
            "graph_bytes": 4 * (self.vertices + 1 + 2 * self.arcs),
            "csr_bytes": 4 * (self.vertices + 1 + self.arcs),
            "bit_matrix_bytes": self.vertices**2 / 8,
            "device_bytes": gpu.memory_gib * 2**30 if gpu else None,
        }
        value = known.get(name, record.observed.get(name))
        if value is None:
            return None
        return margins().summarise(record, [[value]]) if name.endswith("_ms") else Summary.of([float(value)])


@dataclass(frozen=True)
class GraphRow:
    """The entries of one graph and pair, the printed ones first.

    Its title is the label, and the pair where it is not the printed one.
    """

    title: str
    entries: Sequence[Entry]

    @cached_property
    def printed(self) -> list[Printed]:
        """The printed numbers."""
        return [entry for entry in self.entries if isinstance(entry, Printed)]

    @cached_property
    def measured(self) -> dict[tuple[str, str], Measured]:
        """The records by machine and name."""
        return {(e.machine, e.name): e for e in self.entries if isinstance(e, Measured)}

    @property
    def first(self) -> Entry:
        """An entry that tells what the graph is: a printed one if there is one."""
        return self.entries[0]

    def here(self, machine: str) -> list[Measured]:
        """Return what a machine measured."""
        return [entry for (name, _), entry in self.measured.items() if name == machine]

    def of(self, machine: str, solver: str | None) -> Measured | None:
        """Return what a machine measured of a solver, whatever its settings, but with a loop in C++ first."""
        entries = (entry for entry in self.here(machine) if entry.solver == solver)
        return min(entries, key=lambda entry: entry.record.loops_in_python, default=None)

    def published(self, machine: str, by: Measure) -> Measured | None:
        """Return the fastest kernel of a machine that reports published, as far as `fastest` can tell."""
        return fastest((e for e in self.here(machine) if e.is_published_kernel), by)


@dataclass(frozen=True)
class Frame:
    """Entries of one experiment or of many."""

    entries: Sequence[Entry]

    def of(self, experiment: str) -> Frame:
        """Return an experiment's entries that may be shown with times: not the emulator's."""
        return self._experiments.get(experiment, Frame([]))

    @cached_property
    def _experiments(self) -> dict[str, Frame]:
        shown: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            if not (entry.record and entry.record.backend == "emulator"):
                shown[entry.experiment].append(entry)
        return {experiment: Frame(entries) for experiment, entries in shown.items()}

    @cached_property
    def measured(self) -> list[Measured]:
        """The records."""
        return [entry for entry in self.entries if isinstance(entry, Measured)]

    @cached_property
    def printed(self) -> list[Printed]:
        """The printed numbers."""
        return [entry for entry in self.entries if isinstance(entry, Printed)]

    @cached_property
    def machines(self) -> list[str]:
        """The machines in the order they are shown: that of their records, but those with a GPU first."""
        with_gpu = {entry.machine for entry in self.measured if entry.record.machine.gpu}
        machines = dict.fromkeys(entry.machine for entry in self.measured)
        return sorted(machines, key=lambda name: name not in with_gpu)

    @cached_property
    def on_gpu(self) -> list[str]:
        """The machines that have times of a GPU."""
        timed = {e.machine for e in self.measured if e.total and e.record.backend == "cuda"}
        return [machine for machine in self.machines if machine in timed]

    @cached_property
    def tidy(self) -> pd.DataFrame:
        """The entries, one each, with the title of their row, in the order that tables show rows in.

        Printed rows are first, in the report's order, then the report's graphs, then others by work. Printed
        numbers stand beside what was measured nearest to their graph, never beside a stand-in. Two records of
        a machine and a name in one row are a RetraceError.
        """
        far = [e for e in self.measured if e.pair == PRINTED_PAIR and _distance(e.label) < STAND_IN]
        nearest = {e.graph: e.label for e in sorted(far, key=lambda e: _distance(e.label), reverse=True)}
        graphs = list(dict.fromkeys(entry.graph for entry in self.printed))
        rows = [nearest.get(e.graph, e.graph) if e.printed else e.title for e in self.entries]
        places = {
            row: _place(e, graphs) for row, e in zip(reversed(rows), reversed(self.entries), strict=True)
        }
        columns = {
            key: [getattr(entry, key) for entry in self.entries] for key in ("source", "machine", "name")
        }
        tidy = pd.DataFrame({"row": rows, **columns, "entry": self.entries}, dtype=object)
        twice = tidy.duplicated(["row", "machine", "name"]) & (tidy["source"] == "measured")
        for entry in tidy["entry"][twice]:
            records = f"two records of {entry.full_name} on {entry.title} from {entry.machine}"
            raise RetraceError(f"{entry.experiment}: {records}; give one")
        return tidy.sort_values("row", key=lambda rows: rows.map(places), kind="stable")

    @cached_property
    def rows(self) -> list[GraphRow]:
        """The entries by graph and pair."""
        by_row = self.tidy.groupby("row", sort=False)["entry"]
        return [GraphRow(str(title), list(entries)) for title, entries in by_row]

    @cached_property
    def solvers(self) -> dict[str, Measured]:
        """An entry of each measured name: the report's own first, as laid out, then ours, then libraries."""
        first_of_name: dict[str, Measured] = {}
        for entry in self.measured:
            first_of_name.setdefault(entry.name, entry)

        def order_of(entry: Entry) -> tuple[int, int]:
            laid_out = list(dict.fromkeys(entry.layout.solvers.values()))
            is_laid_out = entry.solver in laid_out
            return KINDS.index(entry.kind), laid_out.index(entry.solver) if is_laid_out else len(laid_out)

        return {entry.name: entry for entry in sorted(first_of_name.values(), key=order_of)}


def build(
    records: Iterable[Record],
    numbers: Iterable[PrintedNumber] = (),
    layouts: Mapping[str, TableLayout] | None = None,
) -> Frame:
    """Build the frame of records and printed numbers; `layouts` say which solver repeats a printed name."""
    records, layouts = list(records), layouts or {}
    telling = _telling_settings(records)
    entries: list[Entry] = []
    for number in numbers:
        layout = layouts.get(number.table) or TableLayout(title=number.table)
        values: dict[str, Any] = number.model_dump(include={"name", "hardware", "graph", "vertices", "arcs"})
        solver = layout.solvers.get(number.name, number.name)
        values |= {"machine": number.system, "label": number.graph, "pair": PRINTED_PAIR, "printed": number}
        entries.append(Printed(experiment=number.table, solver=solver, layout=layout, **values))
    for record in records:
        named, given = telling[record.experiment, record.machine.name, record.solver], record.parameters
        settings = {key: str(given[key]) for key, values in named.items() if str(given.get(key)) in values}
        gpu, graph = record.machine.gpu, record.graph
        entries.append(
            Measured(
                experiment=record.experiment,
                solver=record.solver,
                name=str(Variant(record.solver, settings)),
                machine=record.machine.name,
                hardware=gpu.used if gpu and record.backend == "cuda" else record.machine.cpu,
                graph=graph.name,
                label=record.label,
                pair=str(record.parameters.get("pair", PRINTED_PAIR)),
                vertices=graph.vertices,
                arcs=graph.arcs,
                layout=layouts.get(record.experiment) or TableLayout(title=record.experiment),
                times=Summaries(record),
                record=record,
            )
        )
    return Frame(entries)


def read_frame(report: Path | None, records: Iterable[Path]) -> tuple[Report | None, Frame]:
    """Read a report, the numbers in the CSV file beside it if there is one, and records."""
    reports, frame = read_frames([report] if report else [], records)
    return next(iter(reports), None), frame


def read_frames(paths: Iterable[Path], records: Iterable[Path]) -> tuple[list[Report], Frame]:
    """Read reports, the numbers in the CSV files beside them, and records, all in one frame."""
    reports, numbers, layouts = [], list[PrintedNumber](), dict[str, TableLayout]()
    for path in paths:
        reports.append(load_report(path))
        layouts |= reports[-1].tables
        if (printed := path.with_suffix(".csv")).exists():
            numbers += read_printed(printed)
    return reports, build(read_records(records), numbers, layouts)


def fastest(entries: Iterable[Measured], by: Measure) -> Measured | None:
    """Return the fastest entry by a measure; None if what solves fastest lacks it and so might be the one.

    One of too few trials gives way to the best of what has enough and cannot be told from it.
    """
    timed = [entry for entry in entries if "solve" in entry.times]
    quickest = min(timed, key=lambda entry: entry.times["solve"].median, default=None)
    if quickest is None or by not in quickest.times:
        return None
    ordered = sorted((e for e in timed if by in e.times), key=lambda entry: entry.times[by].median)
    least = ordered[0].times[by]
    known = (e for e in ordered if e.times[by].enough and is_among_best(e.times[by], least))
    return ordered[0] if least.enough else next(known, ordered[0])


def speed_up(slow: Entry | None, fast: Entry | None, measure: Measure = "total") -> tuple[float, bool] | None:
    """Return how many times faster one entry is than another that compares with it, and whether for sure."""
    if slow is None or fast is None or slow is fast or why_incomparable(slow, fast) is not None:
        return None
    a, b = slow.times.get(measure), fast.times.get(measure)
    return (a.median / b.median, rank(a, b) is not Order.TIE) if a and b and b.median else None


def why_incomparable(a: Entry, b: Entry) -> str | None:
    """Return in what two records differ whose times must not be compared; None if they may be."""
    return next(iter(a.differences(b)), None)


def table(frame: Frame, layout: TableLayout) -> pd.DataFrame:
    """Return what a table's CSV file has: one row for each printed number and each record."""
    baseline = layout.speed_up.over if layout.speed_up else next(iter(layout.solvers.values()), None)
    slow = {entry: row.of(entry.machine, baseline) for row in frame.rows for entry in row.entries}
    columns = {name: [_value(entry, path) for entry in slow] for name, path in COLUMNS.items()}
    faster = [speed_up(baseline, entry) for entry, baseline in slow.items()]
    columns["speedup"] = [factor and factor[0] for factor in faster]
    columns["too_noisy_to_rank"] = [factor and not factor[1] for factor in faster]
    tidy = pd.DataFrame(columns).astype(TYPES)
    tidy["kind"] = tidy["kind"].where(tidy["source"] == "measured")
    timed = (tidy["source"] == "measured") & (tidy["median_ms"] > 0)
    tidy["arcs_per_second"] = (tidy["arcs"] / tidy["median_ms"] * 1e3).where(timed)
    return tidy.round(6)


_QUARTILES = {"median": "median", "q1": "q1", "q3": "q3", "min": "minimum"}
_PREFIXES = {"": "total", **{f"{phase}_": phase for phase in PHASES if phase != "total"}}
_TIMES = " ".join(
    f"{prefix}{name}_ms=times.{phase}.{value}"
    for prefix, phase in _PREFIXES.items() for name, value in _QUARTILES.items()
).replace("times.total.median", "ms")  # fmt: skip
_PATHS = (
    ("table=experiment label=title graph pair=record.parameters.pair", "string"),
    ("vertices arcs", "Int64"),
    ("origin=record.graph.origin edition=record.graph.edition weights=record.graph.weights", "string"),
    ("sha256=record.graph.sha256", "string"),
    ("seed=record.graph.seed", "Int64"),
    ("source machine hardware solver settings name kind backend=record.backend", "string"),
    ("peer=record.software.peer status=outcome reason=record.reason", "string"),
    ("verified=record.verified", "boolean"),
    ("cores=record.cores n=times.total.n", "Int64"),
    (f"{_TIMES} arcs_per_second speedup", "Float64"),
    ("too_noisy_to_rank", "boolean"),
    ("occurrence=printed.occurrence", "Int64"),
    ("doubt=printed.doubt git_commit=record.software.git_commit started=record.started", "string"),
)
"""The columns of a table's CSV file with their types: the name of each, and where an entry has its value."""
COLUMNS = {name.partition("=")[0]: name.rpartition("=")[2] for names, _ in _PATHS for name in names.split()}
TYPES = {name.partition("=")[0]: kind for names, kind in _PATHS for name in names.split()}


def _value(entry: Entry, path: str) -> object:
    """Follow a path from an entry, through mappings too; None where it ends early."""
    value: object = entry
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
    return value


def _telling_settings(records: Iterable[Record]) -> dict[tuple[str, str, str], dict[str, set[str]]]:
    """Collect, by experiment, machine and solver, the values of each setting that names state.

    A setting in which the records do not differ has none. Of two values, only the non-default is shown; of a
    sweep, which has more, all are.
    """
    telling: dict[tuple[str, str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for record in records:
        for key, value in record.parameters.items():
            if key not in QUERY:
                telling[record.experiment, record.machine.name, record.solver][key].add(str(value))
    for (*_, solver), settings in telling.items():
        for key, values in settings.items():
            if len(values) <= 2:
                default = str(CATALOGUE.find(solver).defaults.get(key))
                settings[key] = values - {default} if len(values) == 2 else set()
    return telling


def _place(first: Entry, graphs: Sequence[str]) -> tuple[int | str, ...]:
    """Return what a row is ordered by, from its first entry and the graphs that a report prints."""
    among = [graphs.index(first.graph)] if first.graph in graphs else [len(graphs), *first.work[:2]]
    row = (first.graph, PAIRS.index(first.pair), _distance(first.label))
    return (not first.printed, *among, *row)


STAND_IN = 2


def _distance(label: str) -> int:
    """Order labels by how far they are from the printed graph: itself, other weights, a stand-in."""
    return STAND_IN if label.endswith("(stand-in)") else int(label.endswith("(weights generated)"))
