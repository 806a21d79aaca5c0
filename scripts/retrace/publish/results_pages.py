"""The results that can be read without a run: `docs/results/`, Markdown and SVG of the committed records."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from retrace.publish.chart import draw, image
from retrace.publish.chart_words import caption
FROM_TODAY=make_today_table=None
from retrace.publish.front import abstract
from retrace.publish.generated_parts import with_part
from retrace.publish.page import fill
from retrace.publish.panels import FigureContent
from retrace.publish.provenance import provenance
from retrace.publish.verification import outcomes
from retrace.records.margins import margins
from retrace.reports.frame import Frame, read_frames
from retrace.reports.report import Report, report_paths
from retrace.reports.verdict_changes import agreements, by_machine
from retrace.system.project import ROOT

REMAKE = "make pages"
"""The command that writes the folder anew."""


def pages(records: Iterable[Path]) -> dict[str, bytes]:
    """Return the files of `docs/results/` by name: the same bytes for the same records and reports."""
    reports, frame = _committed(records)
    files: dict[str, bytes] = {}
    abstracts = [abstract(report, frame) for report in reports]
    for summary in abstracts:
        captions = {}
        for name, drawing in summary.report.figures.items():
            content = FigureContent(drawing, frame, summary.report)
            if any(panel.machine for panel in content.panels):  # it shows a measurement
                files[f"{name}.svg"] = image(draw(content), "svg")
                captions[name] = caption(content)
        page = fill("results-of-report.md.j2", abstract=summary, report=summary.report, captions=captions)
        files[f"{summary.report.key}.md"] = page.encode()
    front = fill(
        "results.md.j2",
        abstracts=abstracts,
        drawn=files.keys(),
        machines=[provenance(name, frame.measured) for name in frame.machines],
        verified=outcomes(frame),
        agreements=agreements(by_machine(reports, frame), margins().spread),
        remake=REMAKE,
    )
    return files | {"README.md": front.encode()}


def with_today(text: str, records: Iterable[Path]) -> str:
    """Return the README with its table of what is fast today made of records."""
    return with_part(text, FROM_TODAY, make_today_table(*_committed(records)))


def _committed(records: Iterable[Path]) -> tuple[list[Report], Frame]:
    """Read the project's own reports, whatever is installed beside, and records."""
    return read_frames([path for path in report_paths() if path.is_relative_to(ROOT)], records)


def stale(made: dict[str, bytes], folder: Path) -> list[str]:
    """List the files of a folder that are not as they were made, are missing, or are none of them."""
    there = {path.name: path.read_bytes() for path in folder.glob("*") if path.is_file()}
    return sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
