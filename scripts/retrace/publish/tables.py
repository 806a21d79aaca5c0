"""The published tables again: printed numbers beside what each machine measured.

What is no verified time is words or a dash, never a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import floor, log10
from typing import Any, NamedTuple

import pandas as pd

from retrace.publish.page import EMPTY, Cell, Group, Notes, Page, Row, Table
from retrace.publish.published import COLUMNS, TABLES, PublishedTable
from retrace.publish.rows import (
    PRINTED_PAIR,
    TIMES,
    Line,
    lines,
    machines,
    outcome,
    relevant,
    side_by_side,
    speed_up,
)
from retrace.records.model import Record
from retrace.records.statistics import Summary, summarise

NOISY = "~"

Column = Callable[[Line], Cell]


class Block(NamedTuple):
    """Columns by their headings, and what stands over them."""

    heading: str
    columns: dict[str, Column]


def page(table: str, published: pd.DataFrame, records: Iterable[Record]) -> Page:
    """Lay a table out for reading."""
    layout, records = TABLES[table], relevant(table, records)
    rows, notes = lines(table, published, records), Notes()
    # The measured columns of the report's own algorithms, and those of what one would call today.
    own, peers = _printed_columns(published[published["table"] == table]), []
    for machine in machines(records):
        own.append(Block(machine, _own_columns(layout, machine, rows)))
        peers.append(Block(machine, _peer_columns(layout, machine, rows)))
    tables = [table_of(own, rows, notes)]
    if any(block.columns for block in peers):
        compared = [line for line in rows if any(solver in layout.peers for _, solver in line.records)]
        tables.append(table_of(peers, compared, notes, heading="What one would call today"))
    return Page(
        title=f"Table {table.removeprefix('table-')}: {layout.title}",
        summary="Printed numbers, as printed, beside measured ones: each the median of the verified trials' "
        "total (upload + solve + download).",
        label_heading="Graph",
        tables=tables,
        notes=notes.texts,
        remarks=[*_remarks(layout), *(provenance(machine, records) for machine in machines(records))],
    )


def tidy(table: str, published: pd.DataFrame, records: Iterable[Record]) -> pd.DataFrame:
    """Lay a table out for machines: one row for each printed cell and each record."""
    layout = TABLES[table]
    rows: list[dict[str, Any]] = []
    for line in lines(table, published, records):
        if line.printed is not None:
            rows += [_printed_row(cell) for cell in line.printed.to_dict("records")]
        for machine in machines(line.records.values()):
            baseline = line.records.get((machine, layout.sequential))
            rows += [
                measured_row(line, record, baseline)
                for place, record in line.records.items()
                if place[0] == machine
            ]
    return pd.DataFrame(rows, columns=list(TIDY_COLUMNS)).astype(TIDY_COLUMNS).round(6)


TIDY_COLUMNS = {
    **dict.fromkeys(("table", "label", "graph", "pair"), "string"),
    **dict.fromkeys(("vertices", "arcs"), "Int64"),
    **dict.fromkeys(("origin", "edition", "weights", "source", "machine", "hardware"), "string"),
    **dict.fromkeys(("solver", "backend", "peer", "status", "reason"), "string"),
    "verified": "boolean",
    "n": "Int64",
    **dict.fromkeys(("median_ms", "q1_ms", "q3_ms", "min_ms"), "Float64"),
    **dict.fromkeys(("setup_median_ms", "kernel_median_ms", "speedup"), "Float64"),
    "too_noisy_to_rank": "boolean",
}


def shown(ms: float) -> str:
    """Write a time with three digits, in the unit that reads best: µs, ms or s."""
    ms = float(f"{ms:.3g}")
    for factor, unit in ((1e-3, "s"), (1, "ms")):
        if ms * factor >= 1:
            return f"{three_digits(ms * factor)} {unit}"
    return f"{three_digits(ms * 1e3)} µs"


def three_digits(value: float) -> str:
    """Write a number with three digits and no exponent."""
    decimals = 2 - floor(log10(float(f"{value:.3g}"))) if value > 0 else 0
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def table_of(blocks: Iterable[Block], rows: Iterable[Line], notes: Notes, heading: str = "") -> Table:
    """Lay blocks of columns out, a line a row."""
    blocks = [block for block in blocks if block.columns]
    columns = [column for block in blocks for column in block.columns.values()]
    return Table(
        [Group(block.heading, list(block.columns)) for block in blocks],
        [
            Row(
                line.title,
                [column(line) for column in columns],
                [notes.number(text) for text in _footnotes(line)],
            )
            for line in rows
        ],
        heading,
    )


def _printed_columns(printed: pd.DataFrame) -> list[Block]:
    """Make the columns that the report has."""
    hardware = printed.drop_duplicates("column").set_index("column")["hardware"]
    counts = {"Vertices": count_column("vertices", "vertices"), "Edges": count_column("edges", "arcs")}
    times = {f"{name} ({hardware[key]})": _printed_column(key) for key, name in COLUMNS.items()}
    return [Block("", counts), Block("printed", times)]


def count_column(printed: str, measured: str) -> Column:
    """Make a column of what was printed of a graph, or else measured."""

    def cell(line: Line) -> Cell:
        if line.printed is not None:
            return Cell(f"{line.printed[printed].iloc[0]:,}")
        graph: dict[str, Any] = dict(next(iter(line.records.values())).graph)
        return Cell(f"{graph[measured]:,}")

    return cell


def _printed_column(key: str) -> Column:
    def cell(line: Line) -> Cell:
        if line.printed is None:
            return Cell("")
        return Cell(line.printed.set_index("column")["printed"][key])

    return cell


def _measured(machine: str, solver: str, rows: Iterable[Line]) -> bool:
    return any((machine, solver) in line.records for line in rows)


def _own_columns(layout: PublishedTable, machine: str, rows: list[Line]) -> dict[str, Column]:
    """Make a machine's columns for the report's algorithms, those alone for which it has records."""
    columns: dict[str, Column] = {}
    if _measured(machine, layout.sequential, rows):
        columns[f"sequential ({layout.sequential})"] = _time_column(machine, layout.sequential)
    if _measured(machine, layout.gpu, rows):
        columns[f"CUDA ({layout.gpu})"] = _time_column(machine, layout.gpu)
        columns["speed-up"] = _speed_up_column(machine, layout)
        columns["GPU setup"] = _setup_column(machine, layout.gpu)
    return columns


def _peer_columns(layout: PublishedTable, machine: str, rows: list[Line]) -> dict[str, Column]:
    """Make a machine's columns for what one would call today, likewise."""
    return {peer: _time_column(machine, peer) for peer in layout.peers if _measured(machine, peer, rows)}


def _time_column(machine: str, solver: str) -> Column:
    return lambda line: time_cell(line.records.get((machine, solver)))


def time_cell(record: Record | None) -> Cell:
    """Show a record's median total, or in words why it has none."""
    if record is None:
        return Cell()
    if not record.agreed:
        return Cell(outcome(record), record.reason or "", bad=True)
    times = summarise(record)
    return Cell(shown(times.median), tip(record, times)) if times else Cell()


def _speed_up_column(machine: str, layout: PublishedTable) -> Column:
    def cell(line: Line) -> Cell:
        found = speed_up(
            line.records.get((machine, layout.sequential)), line.records.get((machine, layout.gpu))
        )
        if found is None:
            return Cell()
        text = f"{three_digits(found.ratio)}{TIMES}"
        if found.noisy:
            return Cell(f"{NOISY} {text}", "too noisy to rank: the interquartile ranges overlap")
        return Cell(text)

    return cell


def _setup_column(machine: str, solver: str) -> Column:
    def cell(line: Line) -> Cell:
        record = line.records.get((machine, solver))
        setup = summarise(record, "setup") if record else None
        return Cell(shown(setup.median)) if setup else Cell()

    return cell


def tip(record: Record, times: Summary) -> str:
    """Say what more is known of a time."""
    parts = [
        f"median of {times.n}",
        f"quartiles {shown(times.q1)} to {shown(times.q3)}",
        f"minimum {shown(times.minimum)}",
    ]
    kernel = summarise(record, "kernel")
    if kernel:
        parts.append(f"kernels alone {shown(kernel.median)}")
    if record.software.get("peer"):
        parts.append(str(record.software["peer"]))
    return "; ".join(parts)


def _footnotes(line: Line) -> list[str]:
    """Say where what was measured is not what was printed, and which answers are missing, wrong or few."""
    texts: dict[str, list[str]] = {}
    others = []
    most: dict[str, int] = {}
    for (machine, _), record in line.records.items():
        most[machine] = max(most.get(machine, 0), len(record.trials))
    for (machine, solver), record in line.records.items():
        for text in _differences(line, record):
            texts.setdefault(text, []).append(machine)
        where, n = f"{line.title}, {solver} on {machine}", len(record.trials)
        if not record.agreed:
            others.append(f"{where}: {outcome(record)}, {record.reason}.")
        elif n < most[machine]:
            others.append(f"{where}: {n} trial{'s' * (n > 1)} instead of {most[machine]}.")
        if told := side_by_side(record):
            others.append(f"{where}: {told}")
    return [f"{', '.join(dict.fromkeys(names))}: {text}" for text, names in texts.items()] + others


def _differences(line: Line, record: Record) -> Iterable[str]:
    graph = record.graph
    if graph["origin"] == "stand-in":
        yield (
            f"not {graph['name']} but a generated stand-in (seed {graph['seed']}), "
            f"{graph['vertices']:,} vertices and {graph['arcs']:,} arcs."
        )
        return
    if record.label.endswith("(weights generated)"):
        yield f"{graph['name']} with weights generated from seed {graph['seed']}, not its own."
    if line.printed is not None:
        counts = (int(line.printed["vertices"].iloc[0]), int(line.printed["edges"].iloc[0]))
        if counts != (graph["vertices"], graph["arcs"]):
            yield (
                f"edition {graph['edition']} of {graph['name']}, {graph['vertices']:,} vertices and "
                f"{graph['arcs']:,} arcs; printed: {counts[0]:,} and {counts[1]:,}."
            )
    if graph["origin"] == "report":
        yield "the report gives this graph's counts alone; ours is a fixed graph with the same counts."


def _remarks(layout: PublishedTable) -> list[str]:
    remarks = [
        "Quartiles, minimum, n and the times of the kernels alone are in the CSV file of the same name.",
        f"Speed-up: {layout.sequential} over {layout.gpu} on the same machine and graph. {NOISY} marks two "
        "whose interquartile ranges overlap: too noisy to rank.",
        "GPU setup: making the context and loading the module, not part of the total. The printed GPU times "
        "of the two small graphs look like such a setup.",
        "The libraries' times are those of the search alone; making their own graph object is not counted.",
        f"{EMPTY}: not measured.",
    ]
    if layout.problem == "stcon":
        remarks.insert(
            0,
            f"The report does not name its pairs of vertices; its rows stand beside our {PRINTED_PAIR} pair.",
        )
    return remarks


def provenance(machine: str, records: Iterable[Record]) -> str:
    """Say what a machine is and what it ran; every value found is named."""
    own = [record for record in records if record.machine["name"] == machine]
    found: dict[str, None] = {}
    for record in own:
        found[record.machine["cpu"]] = None
        gpu = record.machine["gpu"]
        if gpu:
            found[f"{gpu['name']}, driver {gpu['driver'] or 'unknown'}"] = None
    for key, name in (("cuda", "CUDA"), ("compiler", ""), ("git_commit", "commit")):
        for record in own:
            value: Any = dict(record.software)[key]
            if value:
                short = value[:10] if key == "git_commit" else value
                dirty = " with changes" if key == "git_commit" and record.software["dirty"] else ""
                found[f"{name} {short}{dirty}".strip()] = None
    days = sorted({record.started[:10] for record in own})
    found[days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"] = None
    throttled = [record for record in own if (gpu := record.machine["gpu"]) and gpu.get("throttled")]
    if throttled:
        found["GPU throttled during " + ", ".join(f"{r.solver} on {r.label}" for r in throttled)] = None
    return f"{machine}: {'; '.join(found)}."


def _printed_row(cell: dict[Any, Any]) -> dict[str, Any]:
    return {
        "table": cell["table"],
        "label": cell["graph"],
        "graph": cell["graph"],
        "vertices": cell["vertices"],
        "arcs": cell["edges"],
        "source": "printed",
        "machine": cell["column"],
        "hardware": cell["hardware"],
        "median_ms": cell["value"],
    }


def measured_row(line: Line, record: Record, baseline: Record | None) -> dict[str, Any]:
    """Lay a record out for machines, with its speed-up over the sequential one."""
    times, setup, kernel = summarise(record), summarise(record, "setup"), summarise(record, "kernel")
    faster = speed_up(baseline, record) if record is not baseline else None
    gpu = record.machine["gpu"]
    row: dict[str, Any] = {
        key: record.graph[key] for key in ("vertices", "arcs", "origin", "edition", "weights")
    }
    row |= {
        "table": record.experiment,
        "label": line.title,
        "graph": line.graph,
        "pair": record.parameters.get("pair"),
        "source": "measured",
        "machine": record.machine["name"],
        "hardware": gpu["name"] if gpu and record.backend == "cuda" else record.machine["cpu"],
        "solver": record.solver,
        "backend": record.backend,
        "peer": record.software.get("peer"),
        "status": outcome(record),
        "reason": record.reason,
        "verified": record.verified,
    }
    if times:
        row |= {
            "n": times.n,
            "median_ms": times.median,
            "q1_ms": times.q1,
            "q3_ms": times.q3,
            "min_ms": times.minimum,
        }
    if setup:
        row["setup_median_ms"] = setup.median
    if kernel:
        row["kernel_median_ms"] = kernel.median
    if faster:
        row |= {"speedup": faster.ratio, "too_noisy_to_rank": faster.noisy}
    return row
