"""The verification table: which answer of which solver was checked against what, and whether it agreed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import pandas as pd

from retrace.publish.page import Cell, Group, Page, Row, Table
from retrace.records.record import Record
from retrace.reports.frame import Frame, Measured
from retrace.reports.wording import EMPTY

COLUMNS = ("graph", "solver", "settings", "backend", "machine", "experiment", "oracle", "result", "trials")
SHOWN = ("solver", "settings", "backend", "result", "oracle", "trials")
"""Beside the graph, what stands on the page in a row; a section is a machine's experiment."""
WITH_GRAPH = ("pair", "target")
"""Parameters of a record that stand with the graph, not with the settings."""


def tidy(frame: Frame) -> pd.DataFrame:
    """Return one row per record, in the order machine, experiment, graph size, solver."""
    machines = frame.machines
    found = sorted(
        frame.measured,
        key=lambda e: (machines.index(e.machine), e.experiment, e.vertices, e.arcs, _graph(e), e.solver),
    )
    return pd.DataFrame([_cells(entry) for entry in found], columns=list(COLUMNS))


def _cells(entry: Measured) -> tuple[object, ...]:
    record = entry.record
    settings = ", ".join(
        f"{key}={value}" for key, value in record.parameters.items() if key not in WITH_GRAPH
    )
    where = (settings, record.backend, entry.machine, entry.experiment, record.oracle)
    return (_graph(entry), entry.solver, *where, result(record), len(record.trials))


def result(record: Record) -> str:
    """Return whether a record's answer agreed with the oracle's, or why there is none."""
    if record.agreed:
        return "agreed"
    return f"{'differs' if record.status == 'ok' else record.status}: {record.reason}"


def outcomes(frame: Frame) -> str:
    """Count the outcomes in one line."""
    counts = Counter(result(entry.record).split(":")[0] for entry in frame.measured)
    words = {"differs": "differs" if counts["differs"] == 1 else "differ"}
    kinds = [name for name in ("differs", "failed", "skipped") if counts[name]]
    others = ", ".join(f"{counts[name]} {words.get(name, name)}" for name in kinds)
    return f"{counts['agreed']} of {counts.total()} records verified{others and f' ({others})'}."


def page(frame: Frame) -> Page:
    """Lay the table out for reading."""
    rows: list[Row] = []
    told = tidy(frame).astype("string").fillna("").to_dict("records")
    for section, found in groupby(told, key=lambda row: f"{row['machine']}, {row['experiment']}"):
        rows.append(Row(section))
        for row in found:
            bad = row["result"] != "agreed"
            cells = [Cell(row[name] or EMPTY, bad=bad and name == "result") for name in SHOWN]
            rows.append(Row(row["graph"], cells))
    return Page(
        title="Verification",
        summary=outcomes(frame),
        label_heading=COLUMNS[0],
        tables=[Table([Group("", SHOWN[:-1], "text"), Group("", SHOWN[-1:])], rows)],
        remarks=[
            "Every trial's answer is compared with the oracle's; one that differs gives no time.",
            "The emulator runs the CUDA kernels on the CPU to check their answers, not their speed.",
        ],
    )


@dataclass(frozen=True)
class Mark:
    """What came of a machine's records of a solver on a graph: the worst outcome, and all entries."""

    machine: str
    outcome: str
    entries: Sequence[Measured]


@dataclass(frozen=True)
class Matrix:
    """A problem's solvers against its graphs, the smallest first, with a mark for each machine."""

    problem: str
    graphs: Sequence[str]
    marks: Mapping[str, Mapping[str, Sequence[Mark]]]
    """By solver and graph."""


OUTCOMES = ("differs", "failed", "skipped", "emulated", "agreed")
"""The worst first; `emulated` is an answer that agreed, on the emulator."""


def outcome(entry: Measured) -> str:
    """Return what came of a record, as one of `OUTCOMES`."""
    record = entry.record
    if record.agreed:
        return "emulated" if record.backend == "emulator" else "agreed"
    return "differs" if record.status == "ok" else record.status


def matrices(frame: Frame) -> list[Matrix]:
    """Return a matrix for each problem, in alphabetical order."""
    found: dict[str, dict[str, dict[str, dict[str, list[Measured]]]]] = {}
    for entry in sorted(frame.measured, key=lambda e: (e.solver, frame.machines.index(e.machine))):
        problem = entry.solver.split("/")[0]
        of_graph = found.setdefault(problem, {}).setdefault(entry.solver, {}).setdefault(entry.label, {})
        of_graph.setdefault(entry.machine, []).append(entry)
    sizes = {entry.label: (entry.vertices, entry.arcs, entry.label) for entry in frame.measured}
    result = []
    for problem, solvers in found.items():
        graphs = sorted(
            {graph for some in solvers.values() for graph in some}, key=lambda label: sizes[label]
        )
        marks = {
            solver: {graph: [_mark(*item) for item in machines.items()] for graph, machines in some.items()}
            for solver, some in solvers.items()
        }
        result.append(Matrix(problem, graphs, marks))
    return result


def _mark(machine: str, entries: Sequence[Measured]) -> Mark:
    return Mark(machine, min(map(outcome, entries), key=OUTCOMES.index), entries)


def _graph(entry: Measured) -> str:
    pair = entry.record.parameters.get("pair")
    return f"{entry.label}, {pair} pair" if pair else entry.label
