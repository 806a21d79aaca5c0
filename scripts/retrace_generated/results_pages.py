"""What is made of the committed records: `docs/results/`, and parts of README and of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from retrace.publish.chart import draw, image
from retrace.publish.chart_words import caption
from retrace.publish.front import Abstract, Tally, abstract
from retrace.publish.overview import draw_overview, on_dark_ground, speeds
from retrace.publish.page import fill
from retrace.publish.panels import FigureContent
from retrace.publish.provenance import provenance
from retrace.publish.today import Tables, races
from retrace.publish.verification import outcomes
from retrace.records.margins import margins
from retrace.reports.frame import Frame, read_frames
from retrace.reports.report import report_paths
from retrace.system.project import ROOT
from retrace_generated.agreements import Agreement, agreements
from retrace_generated.gpu_table import with_table
from retrace_generated.readme import with_results
from retrace_generated.report_answers import SIGNS, judged_answers

REMAKE = "make pages"
"""The command that writes all of it anew."""
MADE_FOLDER = "docs/results"
"""The folder in which every file is made."""


def made_files(records: Iterable[Path]) -> dict[str, bytes]:
    """Return all files by their path in the project: the same bytes for the same records and reports.

    Raise RetraceError if a document lacks the marks of a part that is made.
    """
    reports, frame = read_frames([path for path in report_paths() if path.is_relative_to(ROOT)], records)
    abstracts = [abstract(report, frame) for report in sorted(reports, key=lambda report: report.place)]
    tally, today = Tally.of(abstracts, frame), races(reports, frame)
    findings = (finding for report in abstracts for finding in report.findings.values())
    agreed = agreements(findings, margins().spread)
    pages = _pages(abstracts, frame, tally, Tables(today), agreed)
    readme = with_results(_text("README.md"), abstracts, tally, today, agreed)
    documents = {"README.md": readme, "docs/adding-a-gpu.md": with_table(_text("docs/adding-a-gpu.md"))}
    return {f"{MADE_FOLDER}/{name}": page for name, page in pages.items()} | {
        name: document.encode() for name, document in documents.items()
    }


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _pages(
    abstracts: list[Abstract], frame: Frame, tally: Tally, today: Tables, agreed: Sequence[Agreement]
) -> dict[str, bytes]:
    """Return the files of the folder, by name."""
    files: dict[str, bytes] = {}
    ways = speeds([one.report for one in abstracts], frame, tally.machine)
    files["overview.svg"] = image(draw_overview(tally, ways), "svg")
    files["overview-dark.svg"] = on_dark_ground(files["overview.svg"])
    for summary in abstracts:
        captions = {}
        for name, drawing in summary.report.figures.items():
            content = FigureContent(drawing, frame, summary.report)
            if any(panel.machine for panel in content.panels):  # it shows a measurement
                files[f"{name}.svg"] = image(draw(content), "svg")
                captions[name] = caption(content)
        tables = today if any(race.experiment in summary.report.tables for race in today.races) else None
        page = fill("results-of-report.md.j2", abstract=summary, signs=SIGNS, captions=captions, today=tables)
        files[f"{summary.report.key}.md"] = page.encode()
    front = fill(
        "results.md.j2",
        abstracts=abstracts,
        drawn=files.keys(),
        tally=tally,
        signs=SIGNS,
        answers=judged_answers,
        machines=[provenance(name, frame.measured) for name in frame.machines],
        verified=outcomes(frame),
        agreements=agreed,
        remake=REMAKE,
    )
    return files | {"README.md": front.encode()}


def stale(made: Mapping[str, bytes], root: Path = ROOT) -> list[str]:
    """List the files that are not as they were made, are missing, or lie in the folder and are not made."""
    present = {f"{MADE_FOLDER}/{path.name}" for path in (root / MADE_FOLDER).glob("*") if path.is_file()}
    return sorted(
        name
        for name in made.keys() | present
        if name not in made or not (root / name).is_file() or (root / name).read_bytes() != made[name]
    )
