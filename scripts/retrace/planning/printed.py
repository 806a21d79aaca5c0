"""Which printed tables and claims stand in `results/published/`."""

from __future__ import annotations

import csv
from functools import cache

from retrace.claims.reports import REPORTS
from retrace.system.project import ROOT, path


@cache
def printed_tables() -> dict[str, str]:
    """Find the tables whose printed numbers are in `results/published/`: each one's file."""
    return {
        row["table"]: path(str(file.relative_to(ROOT)))
        for file in sorted((ROOT / "results/published").glob("*.csv"))
        if file.stem not in REPORTS
        for row in csv.DictReader(file.read_text().splitlines())
    }


def claims_file(report: str) -> str:
    """Name the file of what a report says in words."""
    return path(f"results/published/{report}.csv")
