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
from retrace.publish.verification import Matrix, matrices, outcomes, result
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
    def again(self) -> Markup:
        """The same drawing elsewhere on the page, at no cost."""
        found = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"', self.svg)
        width, height = found.groups() if found else ("100", "100")
        drawing = Markup(
            '<svg viewBox="0 0 {0} {1}" role="img" aria-label="{2}">'
            '<use href="#drawing-{3}" width="{0}" height="{1}"/></svg>'
        )
        return drawing.format(width, height, self.title, self.name)


@dataclass(frozen=True)
class Built:
    """A solver that repeats or joins a report: what it implements, and its own source file."""

    name: str
    whose: str
    implements: str
    source: str


@dataclass(frozen=True)
class Section:
    """What the page says of a report, or of the experiments that belong to none."""

    key: str
    tables: Mapping[str, tuple[str, Listing]]
    """Titles and tables, by experiment."""
    pictures: Sequence[Picture]
    built: Sequence[Built] = ()
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
    drawn = {path.stem: path for path in figures}
    drawings = InlineFigures()
    sections, taken = [], set[str]()
    for report in reports:
        section = _section(report, frame, machines, drawn, drawings)
        taken |= set(section.tables)
        sections.append(section)
    others = sorted({entry.experiment for entry in frame.measured} - taken)
    abstracts = [section.abstract for section in sections if section.abstract]
    answers = matrices(frame)
    return fill(
        "report.html.j2",
        sections=sections,
        others=Section(
            key="other-experiments",
            tables={name: _table(frame, name, None, machines) for name in others},
            pictures=[_picture(drawings, drawn[name], None, name) for name in others if name in drawn],
        ),
        hardware=[f"{name} ({_hardware(frame, name)})" for name in frame.machines],
        machines={name: provenance(name, frame.measured) for name in frame.machines},
        matrices=answers,
        verified=outcomes(frame),
        comparing=COMPARING,
        link=link,
        drawings=drawings,
        data=packed(
            cards(frame.measured, doubts(frame.measured)) | {"lists": _lists(frame, abstracts, answers)}
        ),
    )


def _hardware(frame: Frame, machine: str) -> str:
    """Return a machine's GPU, or its processor if it has none."""
    (first, *_) = (
        entry.record.machine for entry in frame.measured if entry.record and entry.machine == machine
    )
    return first.gpu.used if first.gpu else first.cpu


def link(target: str) -> str:
    """Return a link to an address of the page."""
    return f"#{quote(target, safe='/:=,')}"


def _section(
    report: Report, frame: Frame, machines: Sequence[str], drawn: Mapping[str, Path], drawings: InlineFigures
) -> Section:
    measured = {entry.experiment for entry in frame.entries}
    names = dict.fromkeys([*report.tables, *(figure.experiment for figure in report.figures.values())])
    own = [name for name in names if name in measured]
    shown = [
        name
        for name in dict.fromkeys([*report.figures, *own])
        if name in drawn and _timed(frame, report, name)
    ]
    return Section(
        key=report.key,
        tables={name: _table(frame, name, report, machines) for name in own},
        pictures=[_picture(drawings, drawn[name], report, name) for name in shown],
        built=_built(entry for entry in frame.measured if entry.experiment in own),
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


def _built(entries: Iterable[Entry]) -> list[Built]:
    found: dict[str, Built] = {}
    for entry in sorted(entries, key=lambda entry: KINDS.index(entry.kind)):
        solver = CATALOGUE.find(entry.solver)
        source = str(Path("kernels", solver.source)) if solver.source else ""  # or absolute, outside
        found.setdefault(entry.solver, Built(entry.solver, entry.kind, solver.implements, source))
    return list(found.values())


def _lists(frame: Frame, abstracts: Iterable[Abstract], answers: Iterable[Matrix]) -> dict[str, Any]:
    """Return, by address, what verdicts rest on and what the marks of the matrices stand for."""
    number = {id(entry): place for place, entry in enumerate(frame.measured)}
    lists: dict[str, Any] = {}
    for found in abstracts:
        for name, claim in found.report.claims.items():
            for machine, finding in found.findings[name].items():
                entries = _evidence(found.report, claim, frame, machine)
                lists[f"claim/{found.report.key}/{name}/{machine}"] = {
                    "title": f"{found.report.key}, {name}, {machine}",
                    "words": [
                        ("the report says", claim.says),
                        ("verdict", finding.sentence),
                        ("measured", finding.measured),
                        ("judged by", claim.rule),
                    ],
                    "records": [number[id(entry)] for entry in entries],
                }
    for matrix in answers:
        for solver, by_graph in matrix.marks.items():
            for graph, marks in by_graph.items():
                for mark in marks:
                    told = dict.fromkeys(result(e.record) for e in mark.entries if e.record)
                    lists[f"answers/{mark.machine}/{solver}/{graph}"] = {
                        "title": f"Answers of {solver} on {graph}, {mark.machine}",
                        "words": [("answers", words) for words in told],
                        "records": [number[id(entry)] for entry in mark.entries],
                    }
    return lists


def _evidence(report: Report, claim: Claim, frame: Frame, machine: str) -> list[Entry]:
    """List the records of the variants that a claim compares."""
    if claim.test is None:
        return []
    evidence = Evidence.of(report, claim.experiments, claim.test, frame, machine)
    return sorted(evidence.records(*evidence.variants), key=lambda entry: (entry.vertices, entry.arcs))
