"""The page of all committed records, made once for the tests of all processes: it takes ten seconds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cuda_device.compiled_files import alone
from retrace.planning.configuration import committed_records
from retrace.publish.report_page import make_page
from retrace.reports.frame import Frame, read_frames
from retrace.reports.report import Report, report_paths
from retrace.system.project import ROOT

Made = tuple[list[Report], Frame, Path]


def committed_page(temporary: pytest.TempPathFactory) -> Made:
    """Return the reports, what is measured, and the page, with the figures of docs/results/."""
    folder = temporary.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which the processes of a run share
    page = folder / "committed.html"
    reports, found = read_frames(report_paths(), committed_records())
    with alone(folder / ".committed.lock"):
        if not page.exists():
            page.write_text(make_page(reports, found, (ROOT / "docs/results").glob("*.svg")))
    return reports, found, page
