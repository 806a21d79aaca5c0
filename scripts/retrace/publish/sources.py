"""What is published comes from these files: a report, its printed numbers, and records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from retrace.records.record import read_records
from retrace.reports.frame import Frame, build
from retrace.reports.printed import read_printed
from retrace.reports.report import Report, load_report


def read_frame(report: Path | None, records: Iterable[Path]) -> tuple[Report | None, Frame]:
    """Read a report, the numbers in the CSV file beside it if there is one, and records.

    Raises
    ------
    RetraceError
        If one of the files is not sound, naming it.
    """
    if report is None:
        return None, build(read_records(records))
    found, numbers = load_report(report), report.with_suffix(".csv")
    printed = read_printed(numbers) if numbers.exists() else []
    return found, build(read_records(records), printed, found.tables)
