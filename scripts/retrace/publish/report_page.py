"""The one page: every report with its claims, tables and figures, and every number with its record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.publish.documents import bibtex, errata, html
from retrace.publish.doubts import doubts
from retrace.publish.front import Abstract, abstract
from retrace.publish.inline_figures import InlineFigures
from retrace.publish.listings import Listing, listing
from retrace.publish.page import fill
from retrace.publish.provenance import provenance
from retrace.publish.record_cards import cards, packed
from retrace.publish.verification import marks, outcomes
from retrace.reports.claim import Claim
from retrace.reports.evidence import Evidence
from retrace.reports.finding import COMPARING
from retrace.reports.frame import KINDS, Entry, Frame
from retrace.reports.report import Report, table_layout


@dataclass(frozen=True)
class Picture:
    """A figure, drawn already: its name, its title as the report names it, and its caption."""

    name: str
    title: str
    svg: Markup
    caption: Markup

    @property
    def size(self) -> Sequence[str]:
        """Width and height in its own units."""
        box = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', self.svg)
        return box.groups() if box else ("100", "100")


@dataclass(frozen=True)
class Section:
    """What the page says of a report, or of the experiments that belong to none."""

    key: str
    tables: Mapping[str, tuple[str, Listing]]
    """Titles and tables, by experiment."""
    pictures: Sequence[Picture]
    built: Sequence[Entry] = ()
    """Records of the solvers that repeat the report or join it, those of the report's own first."""
    abstract: Abstract | None = None
    bibtex: str = ""
    errata: Markup = field(default_factory=Markup)


def make_page(reports: Sequence[Report], frame: Frame, figures: Iterable[Path], own: str = "") -> str:
    """Return the page as HTML.

    `figures` are SVG files of `results/figures/`, with their captions in `.md` beside them; `own` is the
    reader's machine, whose column comes first. Of claims, a machine without a GPU can tell little: there
    it comes first only if it has one.
    """
    machines = sorted(frame.machines, key=lambda name: name != own)
    drawn, drawings = {path.stem: path for path in figures}, InlineFigures()
    sections = [_section(report, frame, machines, drawn, drawings) for report in reports]
    taken = {name for section in sections for name in section.tables}
    others = sorted({entry.experiment for entry in frame.measured} - taken)
    every_mark = list(marks(frame).itertuples())
    lists = _lists(frame, [section.abstract for section in sections if section.abstract])
    return fill(
        "report.html.j2",
        sections=sections,
        others=Section(
            key="other-experiments",
            tables={name: _table(frame, name, None, machines) for name in others},
            pictures=[_picture(drawings, drawn[name], None, name) for name in others if name in drawn],
        ),
        computers={entry.machine: entry.record.machine for entry in reversed(frame.measured)},
        machines={name: provenance(name, frame.measured) for name in frame.machines},
        solvers=CATALOGUE,
        marks=every_mark,
        verified=outcomes(frame),
        comparing=COMPARING,
        link=link,
        drawings=drawings,
        data=packed(cards(frame.measured, doubts(frame.measured)) | {"lists": lists | _answers(every_mark)}),
    )


def link(target: str) -> str:
    """Return a link to an address of the page."""
    return f"#{quote(target, safe='/:=,')}"


def _section(
    report: Report, frame: Frame, machines: Sequence[str], drawn: Mapping[str, Path], drawings: InlineFigures
) -> Section:
    measured = {entry.experiment for entry in frame.entries}
    names = dict.fromkeys([*report.tables, *(figure.experiment for figure in report.figures.values())])
    experiments = [name for name in names if name in measured]
    shown = [name for name in dict.fromkeys([*report.figures, *experiments])
             if name in drawn and _timed(frame, report, name)]  # fmt: skip
    built = [entry for entry in frame.measured if entry.experiment in experiments]
    return Section(
        key=report.key,
        tables={name: _table(frame, name, report, machines) for name in experiments},
        pictures=[_picture(drawings, drawn[name], report, name) for name in shown],
        built=sorted(built, key=lambda entry: KINDS.index(entry.kind)),
        abstract=abstract(report, frame, next((name for name in machines[:1] if name in frame.on_gpu), "")),
        bibtex=bibtex(report.key),
        errata=errata(report.key),
    )


def _timed(frame: Frame, report: Report, figure: str) -> bool:
    """Return whether a figure shows a measurement; one of an experiment has the experiment's name."""
    drawing = report.figures.get(figure)
    shown = [drawing.experiment, *drawing.also] if drawing else [figure]
    return any(entry.total for entry in frame.measured if entry.experiment in shown)


def _table(
    frame: Frame, experiment: str, report: Report | None, machines: Sequence[str]
) -> tuple[str, Listing]:
    layout = table_layout(report, experiment)
    title = f"{layout.number}: {layout.title}" if layout.number else layout.title
    return title, listing(frame.of(experiment), layout, machines)


def _picture(drawings: InlineFigures, path: Path, report: Report | None, name: str) -> Picture:
    drawing = report.figures.get(name) if report else None
    number = (drawing and drawing.number) or f"figure {name}"
    caption = path.with_suffix(".md")
    text = caption.read_text(encoding="utf-8") if caption.exists() else ""
    title = f"{report.key}, {number}" if report else name
    return Picture(name, title, drawings.add(path.read_text(encoding="utf-8"), name, title), html(text))


def _lists(frame: Frame, abstracts: Iterable[Abstract]) -> dict[str, Any]:
    """Return, by address, what verdicts rest on."""
    number: dict[Entry, int] = {entry: place for place, entry in enumerate(frame.measured)}
    lists = {}
    for summary in abstracts:
        report = summary.report
        for name, claim in report.claims.items():
            for machine, finding in summary.findings[name].items():
                words = {"the report says": claim.says, "verdict": finding.sentence}
                words |= {"stands": finding.sureness, "measured": finding.measured, "judged by": claim.rule}
                lists[f"claim/{report.key}/{name}/{machine}"] = {
                    "title": f"{report.key}, {name}, {machine}",
                    "words": list(words.items()),
                    "records": [number[entry] for entry in _evidence(report, claim, frame, machine)],
                }
    return lists


def _answers(every_mark: Iterable[Any]) -> dict[str, Any]:
    """Return, by address, what marks stand for."""
    return {
        f"answers/{mark.machine}/{mark.solver}/{mark.label}": {
            "title": f"Answers of {mark.solver} on {mark.label}, {mark.machine}",
            "words": [("answers", words) for words in dict.fromkeys(mark.results)],
            "records": mark.records,
        }
        for mark in every_mark
    }


def _evidence(report: Report, claim: Claim, frame: Frame, machine: str) -> list[Entry]:
    """List the records of the variants that a claim compares."""
    if claim.test is None:
        return []
    evidence = Evidence.of(report, claim.experiments, claim.test, frame, machine)
    return sorted(evidence.records(*evidence.variants), key=lambda entry: (entry.vertices, entry.arcs))
