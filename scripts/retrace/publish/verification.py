"""The verification table: which answer of which solver was checked against what, and whether it agreed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

import pandas as pd

from retrace.publish.page import EMPTY, Cell, Group, Page, Row, Table
from retrace.publish.rows import machines
from retrace.records.model import Record

COLUMNS = ("graph", "solver", "settings", "backend", "machine", "experiment", "oracle", "result", "trials")
SHOWN = ("solver", "settings", "backend", "result", "oracle", "trials")
"""Beside the graph, what stands on the page in a row; a section is a machine's experiment."""
QUERY = ("pair", "target")
"""Parameters of a record that say what was asked, and so stand with the graph or nowhere."""


def tidy(records: Iterable[Record]) -> pd.DataFrame:
    """One row a record, in the order machine, experiment, graph size, solver."""
    records = list(records)
    order = machines(records)
    rows = [
        (
            _graph(r),
            r.solver,
            _settings(r),
            r.backend,
            r.machine["name"],
            r.experiment,
            r.oracle,
            result(r),
            len(r.trials),
        )
        for r in sorted(
            records,
            key=lambda r: (
                order.index(r.machine["name"]),
                r.experiment,
                r.graph["vertices"],
                r.graph["arcs"],
                _graph(r),
                r.solver,
            ),
        )
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def result(record: Record) -> str:
    """Say whether a record's answer agreed with the oracle's, or why there is none."""
    if record.agreed:
        return "agreed"
    return f"{'differs' if record.status == 'ok' else record.status}: {record.reason}"


def summary(records: Iterable[Record]) -> str:
    """Count the outcomes in one line."""
    counts = Counter(result(record).split(":")[0] for record in records)
    others = [f"{counts[name]} {name}" for name in ("differs", "failed", "skipped") if counts[name]]
    line = f"{counts['agreed']} of {counts.total()} records verified"
    return f"{line} ({', '.join(others)})." if others else f"{line}."


def page(records: Iterable[Record]) -> Page:
    """Lay the table out for reading."""
    records = list(records)
    rows: list[Row] = []
    told = tidy(records).astype("string").fillna("").to_dict("records")
    for section, found in groupby(told, key=lambda row: f"{row['machine']}, {row['experiment']}"):
        rows.append(Row(section))
        for row in found:
            bad = {"result"} if row["result"] != "agreed" else set()
            rows.append(Row(row["graph"], [Cell(row[name] or EMPTY, bad=name in bad) for name in SHOWN]))
    return Page(
        title="Verification",
        summary=summary(records),
        label_heading=COLUMNS[0],
        tables=[Table([Group("", SHOWN[:-1], "text"), Group("", SHOWN[-1:])], rows)],
        remarks=[
            "Every trial's answer is compared with the oracle's; one that differs gives no time.",
            "The emulator runs the CUDA kernels on the CPU to check their answers, not their speed.",
        ],
    )


def _graph(record: Record) -> str:
    pair = record.parameters.get("pair")
    return f"{record.label}, {pair} pair" if pair else record.label


def _settings(record: Record) -> str:
    """Write the solver's settings as a specification of it does."""
    return ", ".join(f"{key}={value}" for key, value in record.parameters.items() if key not in QUERY)
