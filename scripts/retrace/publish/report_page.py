"""The one page: what is fast today, every report with its claims beside their figures, and all records."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.publish.answer import answer
from retrace.publish.chart import drawing_of, image
from retrace.publish.documents import bibtex, errata, html
from retrace.publish.doubts import doubts
from retrace.publish.front import Abstract, Tally, abstract
from retrace.publish.inline_figures import InlineFigures
from retrace.publish.listings import OFFERED, SHADES, Listing
from retrace.publish.overview import draw_overview, speeds
from retrace.publish.page import fill
from retrace.publish.plain_names import titled_graphs
from retrace.publish.provenance import provenance
from retrace.publish.record_cards import address, cards, packed
from retrace.publish.tables import quantity
from retrace.publish.today import Tables, races
from retrace.publish.verification import marks, outcomes
from retrace.reports.claim import Claim
from retrace.reports.evidence import Evidence
from retrace.reports.finding import COMPARING, Verdict
from retrace.reports.frame import KINDS, Entry, Frame, Measured
from retrace.reports.measures import MEASURES
from retrace.reports.report import Report, table_layout

TITLE = re.compile(r"<title>([^<]*)</title>")
UNFOLDED = (Verdict.FAILS, Verdict.IN_PART)
"""The verdicts whose claims a reader sees without asking."""


@dataclass(frozen=True)
class Picture:
    """A figure, drawn already: its name, its title as the report names it, and its caption."""

    name: str
    title: str
    finding: str
    """What the drawing says above itself."""
    svg: Markup
    caption: Markup
    more: Markup
    """What the caption says after its first paragraph."""


@dataclass(frozen=True)
class Beside:
    """Claims of one verdict that one figure shows, which stands beside them unless it stands above."""

    claims: Sequence[str]
    picture: Picture | None
    is_first: bool


@dataclass(frozen=True)
class Section:
    """What the page says of a report, or of the experiments that belong to none."""

    key: str
    title: str
    tables: Mapping[str, tuple[str, Listing]]
    """Titles and tables, by experiment."""
    claims: Mapping[Verdict, Sequence[Beside]] = field(default_factory=dict)
    """By the verdict of the machine that comes first."""
    pictures: Sequence[Picture] = ()
    """Those that stand beside no claim."""
    built: Sequence[Entry] = ()
    """Records of the solvers that repeat the report or join it, those of the report's own first."""
    abstract: Abstract | None = None
    bibtex: str = ""
    errata: Markup = field(default_factory=Markup)


def make_page(
    reports: Sequence[Report], frame: Frame, figures: Iterable[Path], own: str = "", repository: str = ""
) -> str:
    """Return the page as HTML.

    `figures` are SVG files of `results/figures/`, with their captions in `.md` beside them; `own` is the
    reader's machine, which comes first if it has a GPU. The first one is shown until another is chosen.
    `repository` is the address that the page says to clone.
    """
    frame = Frame(sorted(frame.entries, key=lambda entry: not entry.printed and entry.machine != own))
    first = next(iter([*frame.on_gpu, *frame.machines]), "")
    drawings = InlineFigures()
    drawn = {path.stem: path for path in figures}
    sections = [
        _section(report, frame, drawn, drawings)
        for report in sorted(reports, key=lambda report: report.place)
    ]
    taken = {name for section in sections for name in section.tables}
    if others := sorted({entry.experiment for entry in frame.measured} - taken):
        tables = {name: _table(frame, name, None) for name in others}
        pictures = [_picture(drawings, drawn[name], None, name) for name in others if name in drawn]
        sections.append(Section("other-experiments", "Experiments of no report", tables, pictures=pictures))
    every_mark = list(marks(frame).itertuples())
    abstracts = [section.abstract for section in sections if section.abstract and section.abstract.findings]
    listings = [table for section in sections for _, table in section.tables.values()]
    shown = {row.graph for table in listings for row in table.rows}
    lists = _lists(frame, abstracts) | _answers(every_mark) | _outcomes(every_mark)
    records = [entry.record for entry in frame.measured]
    return fill(
        "report.html.j2",
        sections=sections,
        screen=_first_screen(abstracts, reports, frame, drawings),
        judged=len(abstracts),
        first=first,
        repository=repository,
        computers={entry.machine: entry.record.machine for entry in reversed(frame.measured)},
        machines={name: provenance(name, frame.measured) for name in frame.machines},
        measures=[measure for measure in OFFERED if any(measure in table.measures for table in listings)],
        graphs=sorted(shown),
        titled={name: graph for name, graph in titled_graphs().items() if name in shown},
        solvers_shown=sorted({row.solver for table in listings for row in table.rows}),
        unfolded=UNFOLDED,
        catalogue=CATALOGUE,
        marks=every_mark,
        verified=outcomes(frame),
        outcomes={mark.outcome for mark in every_mark},
        steps=[f"{step:g}" for step in SHADES[1:]],
        comparing=COMPARING,
        link=link,
        numbers={told: number for number, told in enumerate([*map(address, records), *lists])},
        drawings=drawings,
        data=packed(cards(frame.measured, doubts(frame.measured)) | {"lists": lists}),
    )


@dataclass(frozen=True)
class FirstScreen:
    """The answer, its figure and the table of today, of the first machine with a GPU; empty without one."""

    answer: Markup = field(default_factory=Markup)
    figure: Markup = field(default_factory=Markup)
    today: Markup = field(default_factory=Markup)
    names: Mapping[str, str] = field(default_factory=dict)
    """What the solvers that the table names implement."""


def _first_screen(
    abstracts: Sequence[Abstract], reports: Sequence[Report], frame: Frame, drawings: InlineFigures
) -> FirstScreen:
    if not any(machine in frame.on_gpu for summary in abstracts for machine in summary.machines):
        return FirstScreen()
    tally, today = Tally.of(abstracts, frame), races(reports, frame)
    overview = image(draw_overview(tally, speeds(reports, frame, tally.machine)), "svg")
    figure = drawings.add(overview.decode(), "overview", "The verdicts, and printed speed-ups measured anew")
    text = re.sub(r"(?<=\d) (?=[mµn]?s\b)", "\N{NO-BREAK SPACE}", re.sub("</?sub>", "", Tables(today).front))
    table = html(text) if today else Markup()
    named = {name: CATALOGUE.find(name).implements for name in Tables(today).named}
    return FirstScreen(html(answer(tally, today)), figure, table, named)


def link(target: str) -> str:
    """Return a link to an address of the page."""
    return f"#{quote(target, safe='/:=,')}"


def _section(report: Report, frame: Frame, drawn: Mapping[str, Path], drawings: InlineFigures) -> Section:
    measured = {entry.experiment for entry in frame.entries}
    names = dict.fromkeys([*report.tables, *(figure.experiment for figure in report.figures.values())])
    experiments = [name for name in names if name in measured]
    shown = [name for name in dict.fromkeys([*report.figures, *experiments])
             if name in drawn and _timed(frame, report, name)]  # fmt: skip
    pictures = {name: _picture(drawings, drawn[name], report, name) for name in shown}
    built = [entry for entry in frame.measured if entry.experiment in experiments]
    summary = abstract(report, frame)
    claims = _claims(summary, pictures)
    beside = [one.picture for groups in claims.values() for one in groups]
    return Section(
        key=report.key,
        title=report.title,
        tables={name: _table(frame, name, report) for name in experiments},
        claims=claims,
        pictures=[picture for picture in pictures.values() if picture not in beside],
        built=sorted(built, key=lambda entry: KINDS.index(entry.kind)),
        abstract=summary,
        bibtex=bibtex(report.key),
        errata=errata(report.key),
    )


def _claims(summary: Abstract, pictures: Mapping[str, Picture]) -> dict[Verdict, list[Beside]]:
    """Group claims by the first machine's verdict, then by the figure that shows them."""
    grouped: dict[Verdict, list[Beside]] = {}
    placed = set[str]()
    for verdict, names in summary.by_verdict.items():
        by_figure: dict[str, list[str]] = {}
        for name in names:
            by_figure.setdefault(_figure_of(summary.report, name, pictures), []).append(name)
        ordered = sorted(by_figure.items(), key=lambda one: not one[0])  # without a figure last
        grouped[verdict] = [Beside(some, pictures.get(key), key not in placed) for key, some in ordered]
        placed.update(by_figure)
    return grouped


def _figure_of(report: Report, claim: str, pictures: Mapping[str, Picture]) -> str:
    """Name the figure whose verdict a claim is, or else the first one of its experiments; empty without."""
    drawings = {n: drawing for n, drawing in report.figures.items() if n in pictures and not drawing.falls}
    states = [name for name, drawing in drawings.items() if drawing.claim == claim]
    experiments = report.claims[claim].experiments
    shows = [name for name, drawing in drawings.items() if drawing.experiment in experiments]
    return next(iter(states + shows), "")


def _timed(frame: Frame, report: Report, figure: str) -> bool:
    """Return whether a figure shows a measurement; one of an experiment has the experiment's name."""
    drawing = report.figures.get(figure)
    shown = [drawing.experiment, *drawing.also] if drawing else [figure]
    return any(entry.total for entry in frame.measured if entry.experiment in shown)


def _table(frame: Frame, experiment: str, report: Report | None) -> tuple[str, Listing]:
    layout = table_layout(report, experiment)
    title = f"{layout.number}: {layout.title}" if layout.number else layout.title
    return title, Listing(frame.of(experiment), layout, _elsewhere(frame, experiment, report))


def _elsewhere(frame: Frame, experiment: str, report: Report | None) -> dict[str, list[str]]:
    """List real graphs without a row in a table, each with the report's tables that have it."""
    here = frame.of(experiment).measured
    problems, graphs = {entry.record.problem for entry in here}, {entry.graph for entry in here}
    found: dict[str, list[str]] = {}
    tables = report.tables if report else ()
    for entry in (entry for entry in frame.measured if entry.total and entry.experiment in tables):
        known = entry.graph in titled_graphs() and entry.graph not in graphs
        if known and entry.record.problem in problems:
            found.setdefault(entry.graph, []).append(entry.experiment)
    return {graph: list(dict.fromkeys(names)) for graph, names in found.items()}


def _picture(drawings: InlineFigures, path: Path, report: Report | None, name: str) -> Picture:
    drawing = drawing_of(report, name)
    title = f"{drawing.number}: {drawing.title}" if drawing.number else drawing.title
    caption = path.with_suffix(".md")
    text = caption.read_text(encoding="utf-8") if caption.exists() else ""
    first, _, more = text.strip().partition("\n\n")
    svg = path.read_text(encoding="utf-8")
    finding = unescape(found[1]) if (found := TITLE.search(svg)) else title
    return Picture(name, title, finding, drawings.add(svg, name, title), html(first), html(more))


def _lists(frame: Frame, abstracts: Iterable[Abstract]) -> dict[str, Any]:
    """Return, by address, what verdicts rest on, each record with the measure by which it is judged."""
    number: dict[Entry, int] = {entry: place for place, entry in enumerate(frame.measured)}
    lists = {}
    for summary in abstracts:
        report = summary.report
        for name, claim in report.claims.items():
            for machine, finding in summary.findings[name].items():
                words = {"the report says": claim.says, "verdict": finding.sentence}
                words |= {"stands": finding.sureness, "measured": finding.measured, "judged by": claim.rule}
                measure = claim.test.decides if claim.test else ""
                lists[f"claim/{report.key}/{name}/{machine}"] = {
                    "title": f"{report.title}: {name}, {machine}",
                    "words": list(words.items()),
                    "records": [(number[entry], _judged_by(entry, measure))
                                for entry in _evidence(report, claim, frame, machine)],
                }  # fmt: skip
    return lists


def _judged_by(entry: Measured, name: str) -> str:
    """Say what a record has of the measure or quantity by which a claim is judged."""
    summary = entry.times.get(name) if name in MEASURES else entry.quantity(name)
    return f"{name} {quantity(name, summary.median)}" if summary else ""


def _answers(every_mark: Iterable[Any]) -> dict[str, Any]:
    """Return, by address, what marks stand for."""
    return {
        f"answers/{mark.machine}/{mark.solver}/{mark.label}": {
            "title": f"Answers of {mark.solver} on {mark.label}, {mark.machine}",
            "words": [("answers", words) for words in dict.fromkeys(mark.results)],
            "records": [(record, "") for record in mark.records],
        }
        for mark in every_mark
    }


def _outcomes(every_mark: Iterable[Any]) -> dict[str, Any]:
    """Return, by address, the records without a verified answer, by what came of them."""
    lists: dict[str, Any] = {}
    for mark in every_mark:
        for record, result in zip(mark.records, mark.results, strict=True):
            if result != "agreed":
                outcome = result.partition(":")[0]
                empty = {"title": f"Answers: {outcome}", "words": [], "records": []}
                lists.setdefault(f"answers/{outcome}", empty)["records"].append((record, ""))
    return lists


def _evidence(report: Report, claim: Claim, frame: Frame, machine: str) -> list[Measured]:
    """List the records of the variants that a claim compares."""
    if claim.test is None:
        return []
    evidence = Evidence.of(report, claim.experiments, claim.test, frame, machine)
    return sorted(evidence.records(*evidence.variants), key=lambda entry: (entry.vertices, entry.arcs))
