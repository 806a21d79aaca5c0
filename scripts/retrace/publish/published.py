"""The published tables: their printed numbers, and which of our solvers stand beside them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrace.records.model import validate
from retrace.system.errors import RetraceError

if TYPE_CHECKING:
    import pandas as pd

MILLISECONDS = {"msec": 1.0, "sec": 1e3, "min": 60e3, "hr": 3600e3}


@dataclass(frozen=True)
class PublishedTable:
    """A table of a report, with the solvers that repeat its columns and those a user would call today."""

    title: str
    problem: str
    sequential: str
    gpu: str
    peers: tuple[str, ...]


TABLES = {
    "table-3.3": PublishedTable(
        title="Breadth-first search",
        problem="bfs",
        sequential="bfs/queue",
        gpu="bfs/bsp",
        peers=("bfs/scipy", "bfs/igraph", "bfs/networkit"),
    ),
    "table-3.4": PublishedTable(
        title="ST-connectivity",
        problem="stcon",
        sequential="stcon/two-queues",
        gpu="stcon/bsp",
        peers=("stcon/igraph", "stcon/networkit"),
    ),
    "table-3.5": PublishedTable(
        title="Single-source shortest paths",
        problem="sssp",
        sequential="sssp/dijkstra-linear",
        gpu="sssp/bsp",
        peers=("sssp/dijkstra-heap", "sssp/scipy", "sssp/igraph", "sssp/networkit"),
    ),
}


@dataclass(frozen=True)
class VariantTable:
    """A table with a row for each variant and a column for each size, by system and arcs a vertex."""

    title: str
    sequential: str
    standard: str
    """The variant that the report holds the others against."""
    claims: dict[str, str]
    """Variants that the report says to be faster than that, and why."""


VARIANT_TABLES = {
    "table-2": VariantTable(
        title="Single-source shortest paths, five ways to see the mask",
        sequential="sssp/mask-sequential",
        standard="sssp/standard",
        claims={
            "sssp/pinned": "the mask is copied faster",
            "sssp/zero-copy": "the mask is not copied",
            "sssp/gpu-search": "the mask stays on the GPU",
        },
    ),
}

MEASURED_TABLES = ("generators",)
"""Tables of what a report has but gives no times for: measured numbers alone."""

FIGURES = {
    **{table.replace("table", "figure"): table for table in TABLES},
    "figure-2": "table-2",
    "figure-3": "table-2",
}
"""The table that each figure shows."""

ARCS_PER_VERTEX = {"figure-2": 50, "figure-3": 5}
"""The part of its table that a figure shows."""

COLUMNS = {"sequential": "sequential", "machine1": "Machine1", "machine2": "Machine2"}
"""The printed columns, in their order."""

NUMBERS: dict[str, Callable[[str], float]] = {
    "vertices": int,
    "edges": int,
    "arcs_per_vertex": int,
    "occurrence": int,
    "value": float,
}


def printed_ms(text: str) -> float:
    """Convert a printed time, such as `7min 7sec`, to milliseconds.

    Raises
    ------
    ValueError
        If the text is no time.
    """
    if not re.fullmatch(r"(\d+(\.\d+)? ?(msec|sec|min|hr) ?)+", text):
        raise ValueError(f"{text!r} is not a time such as 7min 7sec")
    parts = re.findall(r"([\d.]+) ?([a-z]+)", text)
    return round(sum(float(number) * MILLISECONDS[unit] for number, unit in parts), 6)


def read_published(path: Path) -> pd.DataFrame:
    """Read printed numbers, one row a cell; the columns are those of `published.schema.yaml`.

    Raises
    ------
    RetraceError
        At the first row that the schema refuses, or whose value is not what its text says.
    """
    import pandas as pd  # here: it takes half a second, and the plan of a run needs none of it

    rows = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            for row in reader:
                rows.append(_checked(row, f"{path}:{reader.line_num}"))
    except (OSError, UnicodeDecodeError) as error:
        raise RetraceError(f"{path}: cannot be read ({error})") from None
    if not rows:
        raise RetraceError(f"{path}: has no rows; expected printed numbers")
    return pd.DataFrame(rows)


def _checked(row: dict[Any, Any], where: str) -> dict[str, Any]:
    """Convert a row's numbers and check it."""
    if None in row or None in row.values():
        raise RetraceError(f"{where}: expected as many cells as the heading has")
    for key, number in NUMBERS.items():
        try:
            if key in row:
                row[key] = number(row[key])
        except ValueError:
            raise RetraceError(f"{where}: {key}: {row[key]!r} is not a number") from None
    validate(row, "published", where)
    try:
        printed = int(row["printed"]) if "part" in row else printed_ms(row["printed"])
    except ValueError as error:
        raise RetraceError(f"{where}: printed: {error}") from None
    if printed != row["value"]:
        raise RetraceError(
            f"{where}: value: expected {printed:g} for {row['printed']!r}, found {row['value']:g}"
        )
    return row
