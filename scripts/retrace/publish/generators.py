"""The table of the random-graph generators: what each makes, and how fast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from retrace.publish.page import EMPTY, Cell, Notes, Page
from retrace.publish.rows import Line, lines, machines, relevant
from retrace.publish.tables import (
    TIDY_COLUMNS,
    Block,
    Column,
    count_column,
    measured_row,
    provenance,
    table_of,
    three_digits,
    time_cell,
)
from retrace.records.model import Record
from retrace.records.statistics import summarise

TABLE = "generators"
NOTHING_PRINTED = pd.DataFrame(columns=["table", "graph"])


def page(records: Iterable[Record]) -> Page:
    """Lay the table out for reading: a size a row, a generator two columns."""
    records, notes = relevant(TABLE, records), Notes()
    rows = by_size(records)
    counts: dict[str, Column] = {
        "Vertices": count_column("vertices", "vertices"),
        "Arcs": count_column("edges", "arcs"),
    }
    blocks = [Block("", counts)]
    for machine in machines(records):
        solvers = sorted({record.solver for record in records if record.machine["name"] == machine})
        blocks += [Block(f"{machine}: {solver}", _columns(machine, solver)) for solver in solvers]
    return Page(
        title="Random graphs: both generators of tuwien-sssp",
        summary="Each time is the median of the verified trials' total, from nothing to a graph in the "
        "host's memory; the report gives none.",
        label_heading="Graph",
        tables=[table_of(blocks, rows, notes)],
        notes=notes.texts,
        remarks=[
            "generate/tree-first: on the host, a random tree and then random arcs, so weakly connected. The "
            "report calls its own very slow, because it moves its arrays again and again as they grow; this "
            "one allocates once.",
            "generate/random-degree: on the GPU, a random degree for each vertex and then random heads; "
            "nothing keeps the graph connected. Without one the emulator checks it, untimed.",
            "Verified: counts, ranges, no arc twice or to itself, and for tree-first an arc between each "
            "vertex and an earlier one; and every trial makes the same graph.",
            "Weights, threads, the sha256 of each graph and the time to solve alone are in the CSV file of "
            "the same name.",
            f"{EMPTY}: not measured.",
            *(provenance(machine, records) for machine in machines(records)),
        ],
    )


def tidy(records: Iterable[Record]) -> pd.DataFrame:
    """Lay the table out for machines: one row a record."""
    rows = [_tidy_row(line, record) for line in by_size(records) for record in line.records.values()]
    columns = TIDY_COLUMNS | GENERATOR_COLUMNS
    return pd.DataFrame(rows, columns=list(columns)).astype(columns).round(6)


GENERATOR_COLUMNS = {
    **dict.fromkeys(("solve_median_ms", "arcs_per_second"), "Float64"),
    **dict.fromkeys(("threads", "weight_low", "weight_high", "seed"), "Int64"),
    "sha256": "string",
}


def by_size(records: Iterable[Record]) -> list[Line]:
    """Sort records into rows, by the number of arcs."""
    rows = lines(TABLE, NOTHING_PRINTED, records)
    return sorted(rows, key=lambda line: next(iter(line.records.values())).graph["arcs"])


def arcs_per_second(record: Record | None) -> float | None:
    """Say how fast a graph was made, going by the median total."""
    times = summarise(record) if record else None
    return record.graph["arcs"] / times.median * 1e3 if record and times and times.median else None


def _columns(machine: str, solver: str) -> dict[str, Column]:
    def time(line: Line) -> Cell:
        return time_cell(line.records.get((machine, solver)))

    def rate(line: Line) -> Cell:
        found = arcs_per_second(line.records.get((machine, solver)))
        return Cell() if found is None else Cell(three_digits(found / 1e6))

    return {"total": time, "million arcs a second": rate}


def _tidy_row(line: Line, record: Record) -> dict[str, Any]:
    solve = summarise(record, "solve")
    return measured_row(line, record, None) | {
        "solve_median_ms": solve.median if solve else None,
        "arcs_per_second": arcs_per_second(record),
        **{key: record.parameters.get(key) for key in ("threads", "weight_low", "weight_high")},
        "seed": record.graph["seed"],
        "sha256": record.graph["sha256"],
    }
