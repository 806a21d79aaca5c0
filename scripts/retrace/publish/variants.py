"""A table of variants again: a solver a row, a size a column, printed systems above machines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from retrace.graphs.random import size
from retrace.publish.comparison import RULE, sentences
from retrace.publish.page import EMPTY, Cell, Group, Notes, Page, Row, Table
from retrace.publish.published import VARIANT_TABLES
from retrace.publish.rows import Line, lines, machines, outcome, relevant, side_by_side, size_name
from retrace.publish.tables import TIDY_COLUMNS, measured_row, provenance, three_digits, tip
from retrace.records.model import Record
from retrace.records.statistics import summarise

NO_VERDICT = (
    "No machine here has timed the variants on a GPU: whether they differ for the report's reasons is open."
)

TWICE = " / "
"""Between the numbers of two columns with the same head."""


def page(table: str, published: pd.DataFrame, records: Iterable[Record]) -> Page:
    """Lay a table out for reading: one table for each number of arcs a vertex."""
    layout, records = VARIANT_TABLES[table], relevant(table, records)
    printed, notes = published[published["table"] == table], Notes()
    rows, names = lines(table, published, records), row_names(published, table)
    tables, verdicts = [], []
    for arcs in densities(rows):
        part = of_density(rows, arcs)
        found = printed[printed["arcs_per_vertex"] == arcs]
        tables.append(
            Table(
                [Group("", [size_name(line.graph) for line in part])],
                [*_printed_rows(found, part, notes), *_measured_rows(names, part, notes)],
                heading=f"{arcs} arcs a vertex; the columns are numbers of vertices",
            )
        )
        for machine in machines(records):
            verdicts += sentences(layout, part, machine, names)
    return Page(
        title=f"Table {table.removeprefix('table-')}: {layout.title}",
        summary="Milliseconds: printed numbers, as printed, above measured ones, each the median of the "
        "verified trials' total (upload + solve + download).",
        label_heading="Solver",
        tables=tables,
        notes=notes.texts,
        remarks=[
            *(verdicts or [NO_VERDICT]),
            *([RULE] if verdicts else []),
            f"2¹⁴ heads two columns of the report: both numbers stand in one cell here, as in 3{TWICE}6.",
            "The report's heads say E * 50 = N and E * 5 = N, but must mean 50 and 5 edges a vertex "
            "(docs/errata.md).",
            "Quartiles, minimum, n, the time to solve and that of the kernels alone are in the CSV file of "
            "the same name.",
            f"{EMPTY}: not measured, or not printed.",
            *_densities_found(records),
            *(provenance(machine, records) for machine in machines(records)),
        ],
    )


def tidy(table: str, published: pd.DataFrame, records: Iterable[Record]) -> pd.DataFrame:
    """Lay a table out for machines: one row for each printed cell and each record."""
    layout, names = VARIANT_TABLES[table], row_names(published, table)
    rows: list[dict[str, Any]] = []
    for line in lines(table, published, records):
        if line.printed is not None:
            rows += [_printed_row(cell) for cell in line.printed.to_dict("records")]
        for machine in machines(line.records.values()):
            baseline = line.records.get((machine, layout.sequential))
            for place, record in line.records.items():
                if place[0] == machine:
                    rows.append(measured_row(line, record, baseline) | _solve(record, names))
    columns = TIDY_COLUMNS | VARIANT_COLUMNS
    return pd.DataFrame(rows, columns=list(columns)).astype(columns).round(6)


VARIANT_COLUMNS = {
    **dict.fromkeys(("solve_median_ms", "solve_q1_ms", "solve_q3_ms"), "Float64"),
    "occurrence": "Int64",
    "doubt": "string",
}


def row_names(published: pd.DataFrame, table: str) -> dict[str, str]:
    """Give the printed name of each solver, in the printed order."""
    rows = published[published["table"] == table].drop_duplicates("solver")
    return dict(zip(rows["solver"], rows["row"], strict=True))


def densities(rows: Iterable[Line]) -> list[int]:
    """List the numbers of arcs a vertex, the densest first, as printed."""
    return sorted({size(line.graph)[1] for line in rows}, reverse=True)


def of_density(rows: Iterable[Line], arcs: int) -> list[Line]:
    """Choose the lines of one number of arcs a vertex, by size."""
    return sorted((line for line in rows if size(line.graph)[1] == arcs), key=lambda line: size(line.graph))


def system_name(part: str) -> str:
    """Name the system of a part, such as `home-50`."""
    return part.split("-")[0].capitalize()


def _printed_rows(printed: pd.DataFrame, part: Sequence[Line], notes: Notes) -> Iterable[Row]:
    for name, cells in printed.groupby("part", sort=False):
        hardware = cells.drop_duplicates("hardware")["hardware"]
        yield Row(f"{system_name(str(name))}, printed ({', '.join(hardware)})")
        for row, own in cells.groupby("row", sort=False):
            texts = [_printed_cell(own[own["graph"] == line.graph], _doubts(own), notes) for line in part]
            yield Row(str(row), texts)


def _printed_cell(cells: pd.DataFrame, doubts: dict[str, str], notes: Notes) -> Cell:
    if cells.empty:
        return Cell()
    marks = [notes.number(doubts[doubt]) for doubt in cells["doubt"] if doubt]
    tip = "two columns with this head" if len(cells) > 1 else ""
    return Cell(TWICE.join(cells["printed"]), tip, notes=marks)


def _doubts(row: pd.DataFrame) -> dict[str, str]:
    """Say why numbers of a printed row are marked, by the largest of them."""
    texts = {}
    for doubt, cells in row[row["doubt"] != ""].groupby("doubt"):
        cell = cells.iloc[-1]
        rate = cell["vertices"] * cell["arcs_per_vertex"] / cell["value"] / 1e6
        texts[str(doubt)] = (
            f"Too fast to be what the head says: at {size_name(cell['graph'])} it would be {rate:.1f} "
            f"thousand million arcs a second on one core of an {cell['hardware']} (docs/errata.md)."
        )
    return texts


def _measured_rows(names: dict[str, str], part: Sequence[Line], notes: Notes) -> Iterable[Row]:
    records = [record for line in part for record in line.records.values()]
    for machine in machines(records):
        own = [record for record in records if record.machine["name"] == machine]
        solvers = dict.fromkeys([*names, *sorted({record.solver for record in own})])
        most = max(len(record.trials) for record in own)
        gpu = next((gpu["name"] for record in own if (gpu := record.machine["gpu"])), None)
        hardware = ", ".join(filter(None, [gpu, own[0].machine["cpu"]]))
        yield Row(f"{machine}, measured ({hardware})")
        for solver in solvers:
            if any(record.solver == solver for record in own):
                cells = [_measured_cell(line.records.get((machine, solver)), most, notes) for line in part]
                yield Row(names.get(solver, solver), cells)


def _measured_cell(record: Record | None, most: int, notes: Notes) -> Cell:
    if record is None:
        return Cell()
    machine = record.machine["name"]
    if not record.agreed:
        note = notes.number(f"{machine}: {outcome(record)}, {record.reason}.")
        return Cell(outcome(record), record.reason or "", bad=True, notes=[note])
    times = summarise(record)
    if times is None:
        return Cell()
    few = f"{machine}: {times.n} trial{'s' * (times.n > 1)} instead of {most}."
    marks = [notes.number(few)] if times.n < most else []
    if told := side_by_side(record):
        marks.append(notes.number(f"{machine}: {told}"))
    return Cell(three_digits(times.median), f"{record.solver}: {tip(record, times)}", notes=marks)


def _densities_found(records: Iterable[Record]) -> list[str]:
    """Name the graphs that have not as many vertices and arcs as their names say."""
    other: dict[str, None] = {}
    for record in records:
        graph = record.graph
        exponent, arcs = size(graph["name"])
        if (graph["vertices"], graph["arcs"]) != (2**exponent, 2**exponent * arcs):
            other[f"{graph['name']} has {graph['vertices']:,} vertices and {graph['arcs']:,} arcs"] = None
    return [f"{'; '.join(other)}."] if other else []


def _printed_row(cell: dict[Any, Any]) -> dict[str, Any]:
    return {
        "table": cell["table"],
        "label": cell["row"],
        "graph": cell["graph"],
        "vertices": cell["vertices"],
        "arcs": cell["vertices"] * cell["arcs_per_vertex"],
        "source": "printed",
        "machine": system_name(cell["part"]),
        "hardware": cell["hardware"],
        "solver": cell["solver"],
        "median_ms": cell["value"],
        "occurrence": cell["occurrence"],
        "doubt": cell["doubt"] or None,
    }


def _solve(record: Record, names: dict[str, str]) -> dict[str, Any]:
    """Give what a row of this table has beyond those of others."""
    label, times = names.get(record.solver, record.solver), summarise(record, "solve")
    if times is None:
        return {"label": label}
    return {"label": label, "solve_median_ms": times.median, "solve_q1_ms": times.q1, "solve_q3_ms": times.q3}
