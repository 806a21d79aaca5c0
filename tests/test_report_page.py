"""The one page: it needs no network, each number leads to its record, verdicts are those of the tables."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from markupsafe import escape

from command_line import Call
from committed_page import committed_page
from fabricated import EVIL, WRONG, changed, frame, hostile, measured, phases, record, suite
from retrace.planning.configuration import committed_records, load_configuration, project_keys
from retrace.planning.plan import Plan
from retrace.publish import verdicts
from retrace.publish.documents import bibtex, errata, html
from retrace.publish.doubts import doubts
from retrace.publish.front import FAILURES_FIRST, abstract
from retrace.publish.listings import OFFERED, Listing
from retrace.publish.page import MARK
from retrace.publish.record_cards import MOST_TRIALS, address
from retrace.publish.report_page import link, make_page
from retrace.publish.tables import quantity
from retrace.records.record import Record, read_records, write_records
from retrace.reports.finding import Verdict
from retrace.reports.frame import Frame, build, read_frames
from retrace.reports.measures import MEASURES
from retrace.reports.printed import read_printed
from retrace.reports.report import PUBLISHED, Report, load_reports
from retrace.reports.wording import few_trials, speed
from retrace.system.project import ROOT
from retrace_generated.make_site import owners_of_figures
from retrace_generated.report_answers import judged_answers

MOST_BYTES, MOST_BYTES_OF_THREE = 4_250_000, 8_000_000
"""Of the page of the committed records, to which a run here adds a tenth, and of three machines."""
REFERENCES = {
    "src",
    "href",
    "xlink:href",
    "action",
    "formaction",
    "poster",
    "srcset",
    "data",
    "background",
    "ping",
}


class Read(HTMLParser):
    """What stands in a page: tags with their attributes, ids, addresses that are linked, and the data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.links: list[tuple[str, str]] = []
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(text)
        self.ids = Counter(own["id"] for _, own in self.tags if "id" in own)
        self.data: dict[str, Any] = json.loads(
            gzip.decompress(base64.b64decode(self.texts["script"].partition('"use strict"')[0]))
        )
        addresses = [*self.data["records"]["id"], *self.data["lists"]]
        self.links = [(addresses[int(to[1:])] if to[:1] == "@" else to, text) for to, text in self.links]
        cards = zip(*self.data["records"].values(), strict=True)
        told = [dict(zip(self.data["records"], card, strict=True)) for card in cards]
        self.data["records"] = [
            {key: value for key, value in one.items() if value is not None} for one in told
        ]
        self.records = {one["id"]: one for one in self.data["records"]}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        self.tags.append((tag, own))
        self._open = [tag] if tag in ("script", "style", "a") else self._open
        if tag == "a":
            to = f"@{own['data-to']}" if "data-to" in own else unquote(own["href"].removeprefix("#"))
            self.links.append((to, ""))

    def handle_endtag(self, tag: str) -> None:
        self._open = [] if tag in self._open else self._open

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            self.texts[tag] = self.texts.get(tag, "") + data
            if tag == "a":
                self.links[-1] = (self.links[-1][0], self.links[-1][1] + data)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Report], Frame, Read, str]:
    """The page of the committed records, with the figures of docs/results/."""
    reports, found, page = committed_page(tmp_path_factory)
    text = page.read_text()
    return reports, found, Read(text), text


Committed = tuple[list[Report], Frame, Read, str]


@pytest.mark.long
def test_the_page_needs_nothing_else(committed: Committed) -> None:
    _, _, read, text = committed
    assert len(text.encode()) < MOST_BYTES
    assert not {tag for tag, _ in read.tags} & {"link", "img", "iframe", "object", "embed", "base", "image"}
    for tag, own in read.tags:
        assert [value for key in REFERENCES & own.keys() if not (value := own[key]).startswith("#")] == [], (
            tag
        )
        assert not [name for name in own if name.startswith("on")], tag
    assert (
        re.findall(
            r"url\((?!#)|@import|fetch\(|XMLHttp|import\(", read.texts["style"] + text.split("<script>")[1]
        )
        == []
    )


@pytest.mark.long
def test_a_page_of_three_such_machines_is_small_enough(tmp_path: Path) -> None:
    """A run also draws a figure of an experiment that no report has; each has panels of all machines."""
    own = read_records(sorted((ROOT / "results/machines/h200").glob("*/*.jsonl")))
    records = own + [elsewhere(one, machine) for machine in ("h100", "rtx") for one in own]
    reports = load_reports().values()
    numbers = [one for path in PUBLISHED.glob("*.csv") for one in read_printed(path)]
    found = build(records, numbers, {name: table for one in reports for name, table in one.tables.items()})
    drawn = {path.stem: path.read_text() for path in (ROOT / "docs/results").glob("*.svg")}
    usual = sorted(drawn.values(), key=len)[len(drawn) // 2]
    for name in Plan(*load_configuration(project_keys()), load_reports(), "cuda", None).figures:
        (tmp_path / f"{name}.svg").write_text(twofold(drawn.get(name, usual)))
    text = make_page(list(reports), found, tmp_path.glob("*.svg"), own="h100")
    assert len(text.encode()) < MOST_BYTES_OF_THREE
    assert len(Read(text).records) == len(found.measured) > 4_000
    assert text.count('id="drawing-') > 35


def elsewhere(one: Record, machine: str) -> Record:
    """Fabricate what another machine measures: the same answer in other times, of other digits."""
    told = json.loads(one.model_dump_json())
    told["machine"] |= {"name": machine, "host": machine.encode().hex().ljust(12, "0")}
    any_number = random.Random(f"{machine} {one.solver} {one.started}")
    for trial in told["trials"]:
        for phase in ("upload", "solve", "download", "kernel", "again"):
            if phase in trial:
                trial[phase] = round(trial[phase] * any_number.uniform(1.5, 1.6), 6)
        if "kernel" in trial:
            trial["kernel"] = min(trial["kernel"], trial["solve"])
        trial["total"] = round(trial["upload"] + trial["solve"] + trial["download"], 6)
    return Record(**told)


def twofold(drawing: str) -> str:
    """Draw a figure twice, with other numbers: it has two machines already, so three take less than that."""
    start, end = drawing.index('<g id="figure_1">'), drawing.rindex("</svg>")
    body = drawing[start:end]
    return drawing[:end] + re.sub(r"\.\d+", lambda found: f".7{found[0][2:]}", body) + drawing[end:]


def test_every_link_leads_somewhere(committed: Committed) -> None:
    _, _, read, _ = committed
    places = {*read.ids, *read.records, *read.data["lists"]}
    assert [link for link, _ in read.links if link not in places] == []
    assert [place for place, times in read.ids.items() if times > 1] == []
    used = [own.get("href") or own["xlink:href"] for tag, own in read.tags if tag == "use"]
    assert used
    assert [href for href in used if href.removeprefix("#") not in read.ids] == []
    assert all(
        place < len(read.data["records"])
        for one in read.data["lists"].values()
        for place, _ in one["records"]
    )


def rows_of(text: str) -> dict[str, list[str]]:
    """Return the texts of the cells of each row of a table, by the address to which the row leads."""
    rows = re.findall(r'<tr data-place.*?<a data-to="(\d+)".*?</th>(.*?)</tr>', text)
    addresses = list(Read(text).records)
    return {
        addresses[int(place)]: [
            unescape(re.sub("<.*?>", "", one)) for one in re.findall(r"<td.*?</td>", cells)
        ]
        for place, cells in rows
    }


def test_every_number_leads_to_its_record(committed: Committed) -> None:
    _, found, read, text = committed
    rows = rows_of(text)
    assert len(read.records) == len(found.measured)
    timed = [entry for entry in found.measured if entry.total]
    assert len(timed) > 100
    doubtful = doubts(found.measured)
    for entry in timed:
        place = address(entry.record)
        graph, machine, *cells = rows[place]
        assert (graph, machine) == (entry.title, entry.machine)
        for measure in {*OFFERED, entry.layout.by} & entry.times.keys():
            times = entry.times[measure]
            shown = quantity(measure, times.median) + few_trials(times) * (measure != "setup")
            shown += f" {MARK}" * any(doubt.concerns(measure) for doubt in doubtful.get(place, ()))
            assert any(cell == shown or cell.startswith(f"{shown} ") for cell in cells), (place, measure)
        card = read.records[place]
        assert card["totals"] == pytest.approx([one.total for one in entry.record.trials], rel=1e-4)
        assert {len(phase) for phase in card["trials"]} == {min(MOST_TRIALS, len(entry.record.trials))}
        told = str([card["own"], *(read.data["shared"][number] for number in card["about"])])
        made, machine_info, graph_info = entry.record.software, entry.record.machine, entry.record.graph
        for said in (
            made.git_commit,
            made.numpy,
            machine_info.cpu,
            machine_info.computer,
            graph_info.sha256,
            entry.record.digest,
        ):
            assert said is None or str(said) in told


def test_a_time_stands_beside_the_best_of_its_graph_and_machine() -> None:
    """The least and what cannot be told from it have no ratio; the others say how much slower they are."""
    near = [2.0 + 1e-5 * number for number in range(12)]
    solved = {"bsp": [4.0] * 12, "queue": [2.0] * 12, "scipy": near, "igraph": [30.0] * 12}
    records = [record(f"bfs/{name}", "NY", times) for name, times in solved.items()]
    found, report = frame([*records, record("bfs/bsp", "NY", [1.0] * 12, machine="h100")], "bsp-suite")
    table = Listing(found.of("table-3.3"), report.tables["table-3.3"])
    place = table.measures.index("total")
    cells = {(line.machine, line.solver): line.times[place] for line in table.rows if line.address}
    here = {name: cell for (machine, name), cell in cells.items() if machine == "h200"}
    assert {name for name, cell in here.items() if cell.best} == {"bfs/queue", "bfs/scipy"}
    assert here["bfs/bsp"].over == speed(1 / 2)
    assert here["bfs/igraph"].over == speed(1 / 15)
    assert [here[f"bfs/{name}"].step for name in ("queue", "scipy", "bsp", "igraph")] == [0, 0, 2, 4]
    assert cells["h100", "bfs/bsp"].best
    ordered = [line.solver for line in table.rows if line.machine == "h200" and line.address]
    assert (ordered[0], ordered[-1]) == ("bfs/queue", "bfs/igraph")


def test_a_table_says_which_experiments_have_the_graphs_that_it_lacks() -> None:
    places = [("brandes-variants", "Gowalla"), ("brandes-sources", "Gowalla"), ("brandes-sources", "NW")]
    records = [measured("betweenness/vert", name, graph, phases(1, 3, 1)) for name, graph in places]
    found, report = frame(records, "domitrz-brandes")
    page = make_page([report], found, [])
    by_table = dict(re.findall(r'id="table/([^"]+)"(.*?)</details>', page, re.DOTALL))
    assert "Without a row here: NW (in" in by_table["brandes-variants"]
    assert 'href="#table/brandes-sources"' in by_table["brandes-variants"]
    assert "Without a row here" not in by_table["brandes-sources"]


def test_a_time_of_few_trials_is_not_among_the_best_for_that_alone() -> None:
    """It cannot be told from the least, but it is coloured by what it took."""
    records = [record("bfs/queue", "NY", [2.0] * 12), record("bfs/igraph", "NY", [30.0])]
    found, report = frame(records, "bsp-suite")
    table = Listing(found.of("table-3.3"), report.tables["table-3.3"])
    (cell,) = (
        line.times[table.measures.index("total")] for line in table.rows if line.solver == "bfs/igraph"
    )
    assert (cell.over, cell.step, cell.best) == (speed(1 / 15), 4, False)


def test_a_figure_is_drawn_by_the_report_that_has_it() -> None:
    """Others name its experiment in their claims."""
    reports = load_reports()
    owners = owners_of_figures(list(reports.values()))
    for key, report in reports.items():
        for name in report.figures:
            assert owners[name].key == key


def test_times_of_another_commit_have_no_ratio() -> None:
    apart = record("bfs/bsp", "NY", [4.0] * 12)
    apart = changed(apart, software=apart.software.model_copy(update={"git_commit": "f" * 40}))
    found, report = frame([record("bfs/queue", "NY", [2.0] * 12), apart], "bsp-suite")
    table = Listing(found.of("table-3.3"), report.tables["table-3.3"])
    (cell,) = (line.times[table.measures.index("total")] for line in table.rows if line.solver == "bfs/bsp")
    assert (cell.over, cell.step, cell.best) == ("", None, False)
    assert cell.value == 4.0


def test_the_largest_graph_is_that_of_each_machine() -> None:
    records = [record("bfs/queue", graph) for graph in ("NY", "NW")]
    records += [record("bfs/queue", graph, machine="small") for graph in ("small-6", "NY")]
    found, report = frame(records, "bsp-suite")
    rows = Listing(found.of("table-3.3"), report.tables["table-3.3"]).rows
    largest = {(line.machine, line.on) for line in rows if line.is_largest and line.address}
    assert largest == {("h200", "NW"), ("small", "NY")}


def test_verdicts_are_those_of_the_summary(committed: Committed) -> None:
    reports, found, _, text = committed
    for report in reports:
        if report.claims:
            assert_verdicts(report, found, text)
    found, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    assert_verdicts(report, found, make_page([report], found, []))


def assert_verdicts(report: Report, found: Frame, text: str) -> None:
    """Check that the page counts and shows the verdicts that `verdicts.tidy` has, machine by machine."""
    told = verdicts.tidy(report, found)
    section = text.partition(f'<section id="{report.key}"')[2].partition("</section>")[0]
    shown = re.findall(
        r'href="#claim/[^/]+/([^/]+)/([^"]+)"[^>]*><span class="chip [a-z-]+">([^<]+)</span></a>', section
    )
    every = zip(told["claim"], told["machine"], told["verdict"], strict=True)
    assert Counter(shown) == Counter(every), report.key
    first = abstract(report, found).machines[0]
    counts = re.findall(r'<h3><span class="chip [a-z-]+">([^<]+)</span> ([\d,]+) claims?</h3>', section)
    assert {word: int(number) for word, number in counts} == Counter(
        told["verdict"][told["machine"] == first]
    )
    order = [Verdict(word) for word, _ in counts]
    assert order == sorted(order, key=FAILURES_FIRST.index)


def test_another_machine_is_named_only_where_its_verdict_differs(committed: Committed) -> None:
    reports, found, _, text = committed
    seen = Counter[bool]()
    for report in (report for report in reports if report.claims):
        for name, findings in abstract(report, found).findings.items():
            first, second, *_ = findings
            place = link(f"claim/{report.key}/{name}/{first}")
            row = text.partition(f'href="{place}"')[2].partition("</p>")[0]
            differs = findings[first].verdict != findings[second].verdict
            assert (f"({second}: {findings[second].verdict})" in row) == differs
            seen[differs] += 1
    assert min(seen.values()) > 5


def test_a_machine_without_a_gpu_adds_nothing_that_cannot_be_told() -> None:
    found, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    findings = abstract(report, found).findings.values()
    assert any(one["local"].verdict == Verdict.OPEN != one["h200"].verdict for one in findings)
    assert f"local: {Verdict.OPEN}" not in make_page([report], found, [])


def test_a_claim_stands_beside_its_figure_and_a_figure_stands_once(committed: Committed) -> None:
    reports, _, read, text = committed
    placed = 0
    for report in (report for report in reports if report.claims):
        section = text.partition(f'<section id="{report.key}"')[2].partition("</section>")[0]
        for group in section.split('<div class="beside">')[1:]:
            figure = re.search(r'<figure id="figure/([^"]+)"', group)
            assert figure
            drawing = report.figures[figure[1]]
            names = set(re.findall(r'href="#claim/[^/]+/([^/]+)/', group.partition("<figure")[0]))
            assert names
            for name in names:
                assert drawing.claim == name or drawing.experiment in report.claims[name].experiments
            placed += 1
    assert placed > 5
    assert max(times for place, times in read.ids.items() if place.startswith("figure/")) == 1


def test_a_panel_lists_the_measure_by_which_a_claim_is_judged(committed: Committed) -> None:
    reports, found, read, _ = committed
    judged = Counter[str]()
    for report in reports:
        machines = abstract(report, found).machines
        for name, claim in report.claims.items():
            if claim.test is None:
                continue
            measure = claim.test.decides
            for machine in machines:
                listed = read.data["lists"][f"claim/{report.key}/{name}/{machine}"]["records"]
                for number, told in listed:
                    entry = found.measured[number]
                    if measure in MEASURES and measure in entry.times:
                        assert told == f"{measure} {quantity(measure, entry.times[measure].median)}"
                        judged[measure] += 1
                    assert measure or not told
    assert {"solve", "total", "kernel", "upload", "transfer"} <= judged.keys()


def test_reports_stand_in_their_order(committed: Committed) -> None:
    reports, _, _, text = committed
    placed = [report.key for report in sorted(reports, key=lambda report: report.place)]
    assert len({report.place for report in reports}) == len(reports)
    titles = {report.key: report.title for report in reports}
    sections = re.findall(r'<section id="([^"]+)" class="report">', text)
    assert [key for key in sections if key in titles] == placed
    contents = text.partition("<nav")[2].partition("</nav>")[0]
    named = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>', contents)
    assert [(key, unescape(title)) for key, title in named if key in titles] == [
        (k, titles[k]) for k in placed
    ]


def test_a_report_has_its_bibliography_errata_and_figures_by_their_names(committed: Committed) -> None:
    reports, _, read, text = committed
    for report in (report for report in reports if report.claims):
        assert bibtex(report.key).startswith("@")
        assert "<table>" in errata(report.key)
        assert report.front
        assert report.front.question in text.replace("&#39;", "'")
        for name, drawing in report.figures.items():
            title = f"{drawing.number}: {drawing.title}" if drawing.number else drawing.title
            assert (f"figure/{name}" in read.ids) == (f'aria-label="Download {escape(title)} as SVG"' in text)


def test_a_report_answers_in_a_sentence_with_the_numbers_that_decide(committed: Committed) -> None:
    reports, frame, _, text = committed
    for report in (report for report in reports if report.front):
        found = abstract(report, frame)
        assert found.answering == ["h200", "h100"]
        assert report.front
        assert report.front.quoted
        assert "{" not in found.sentence
        for name in report.front.quoted:
            for machine in found.answering:
                number = found.findings[name][machine].number
                assert re.search(r"\d\s?(×|%|ms\b|s\b)", number), name  # noqa: RUF001
                assert number.partition(" ")[0] in found.sentence
        assert f"<p>{escape(found.sentence)}</p>" in text


def test_without_numbers_there_is_no_answer() -> None:
    found, report = frame(suite("local", gpu=False), "bsp-suite")
    assert abstract(report, found).sentence == ""
    timed, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    told = abstract(report, timed)
    assert told.sentence.startswith("h200: ")
    assert [list(answer.findings) for answer in judged_answers(told)] == [["h200"]] * 3


def test_an_answer_has_the_verdicts_of_each_claim() -> None:
    """The numbers of both machines stand in the answer; a claim has two verdicts only where they differ."""
    slow = [one for one in suite("h200", gpu=True) if one.solver != "bfs/queue"]
    slow += [record("bfs/queue", graph, [900.0] * 3) for graph in ("NY", "NW")]
    found, report = frame([*slow, *suite("h100", gpu=True)], "bsp-suite")
    told = abstract(report, found)
    assert not any(answer.more for answer in judged_answers(told))
    bfs, stcon, sssp = (answer.verdicts for answer in judged_answers(told))
    assert bfs == {Verdict.HOLDS: ["h200"], Verdict.FAILS: ["h100"]}
    assert stcon == {Verdict.FAILS: ["h200", "h100"]}
    assert sssp == {Verdict.HOLDS: ["h200", "h100"]}
    assert told.sentence.count("(h200) and ") == 4
    assert re.search(
        r"in breadth-first search: holds \(h200\) and does not hold \(h100\), "
        r"\d.{,9} faster \(h200\) and [\d.]+.{,9} \(h100\) on NW;",
        told.sentence,
    )
    assert "in ST-connectivity: does not hold, " in told.sentence


def test_a_verdict_of_some_machines_names_them() -> None:
    alone, report = frame(suite("h200", gpu=True), "bsp-suite")
    assert not any(answer.names_machines for answer in judged_answers(abstract(report, alone)))
    found, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    assert all(answer.names_machines for answer in judged_answers(abstract(report, found)))
    untold, report = frame(suite("local", gpu=False), "bsp-suite")
    assert not any(answer.names_machines for answer in judged_answers(abstract(report, untold)))


def test_no_text_becomes_html(tmp_path: Path) -> None:
    (tmp_path / "table-3.5.md").write_text(f"**{EVIL}** `{EVIL}`\n\n- {EVIL}\n")
    text = escape(EVIL)
    drawing = f"<svg id='a'><text x='{text}' style='{text}'>{text}</text><style>{text}</style></svg>"
    (tmp_path / "table-3.5.svg").write_text(f"<!DOCTYPE a>{drawing}")
    found = build(hostile())
    page = make_page([], found, [tmp_path / "table-3.5.svg"], own=EVIL)
    tags = Counter(tag for tag, _ in Read(page).tags)
    assert (tags["script"], tags["img"]) == (2, 0)
    assert EVIL in Read(page).records[address(hostile()[0])]["title"]
    assert "alert(1)" in page


def test_times_without_a_verified_answer_are_in_no_card() -> None:
    wrong = changed(record("bfs/queue", "NY"), **WRONG)
    emulated = record("bfs/bsp", "NY", backend="emulator")
    found, report = frame([wrong, emulated, *suite("local", gpu=False)], "bsp-suite")
    read = Read(make_page([report], found, [], own="local"))
    assert "trials" not in read.records[address(wrong)]
    assert "trials" not in read.records[address(emulated)]
    assert read.records[address(wrong)]["result"] == "differs: vertex 3: 4, expected 5"
    marks = Counter(own.get("data-outcome") for tag, own in read.tags if tag == "a")
    assert (marks["differs"], marks["emulated"]) == (1, 1)


def test_the_readers_own_machine_comes_first_if_it_has_a_gpu() -> None:
    found, report = frame([*suite("h200", gpu=True), *suite("zelda", gpu=True)], "bsp-suite")
    page = make_page([report], found, [], own="zelda")
    assert '<option value="zelda" selected>' in page
    shown = re.findall(r'<tr data-place="\d+" data-largest>.*?</td><td>(h200|zelda)</td>', page)
    assert set(shown) == {"zelda"}
    alone, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    assert '<option value="h200" selected>' in make_page([report], alone, [], own="local")


def test_a_printed_number_stands_once_for_each_machine_under_its_hardware(committed: Committed) -> None:
    reports, found, _, _ = committed
    for report in reports:
        for experiment, layout in report.tables.items():
            part = found.of(experiment)
            table = Listing(part, layout)
            shown = Counter[tuple[str, tuple[str, str], str, str]]()
            for line in table.rows:
                for system, cell in zip(table.systems, line.printed, strict=True):
                    texts = cell.text.removesuffix(" ?").split(" / ") if cell.value is not None else []
                    shown.update((line.machine, system, line.on, text) for text in texts)
            printed = [(row.title, entry.printed) for row in part.rows for entry in row.printed]
            assert shown == Counter(
                (machine, (one.system, one.hardware), title, f"{one.text}{' ms' * one.printed.isdigit()}")
                for machine in part.machines
                for title, one in printed
            )


def test_what_is_printed_alone_has_a_row_of_each_machine() -> None:
    found, report = frame([record("bfs/queue", "NY"), record("bfs/queue", "NY", machine="h100")], "bsp-suite")
    table = Listing(found.of("table-3.3"), report.tables["table-3.3"])
    alone = [line for line in table.rows if line.on == "NY" and not line.address]
    assert {line.machine for line in alone} == {"h200", "h100"}
    assert all(any(cell.text for cell in line.printed) for line in alone)
    assert "bfs/queue" not in {line.solver for line in alone}


def test_a_report_that_nobody_measured_has_its_claims() -> None:
    found, report = frame([], "bsp-suite")
    page = make_page([report], found, [])
    assert f"{len(report.claims)} claims</h3>" in page
    assert re.findall(r'<span class="chip [a-z-]+">([^<]+)</span>', page) == [Verdict.OPEN]


def test_addresses_tell_records_apart() -> None:
    _, found = read_frames([], committed_records())
    assert max(Counter(address(entry.record) for entry in found.measured if entry.record).values()) == 1
    one = record("bfs/bsp", "NY", parameters={"block_size": 64, "blocks": 2})
    assert address(one) == "record/h200/table-3.3/NY/bfs/bsp:block_size=64,blocks=2,source=0"


@pytest.mark.parametrize(
    ("markdown", "made"),
    [("a `b*` **c `d` e** [f](g.md)", "<p>a <code>b*</code> <strong>c <code>d</code> e</strong> f</p>"),
     ("9.1 ms<br>`a`", "<p>9.1 ms<br><code>a</code></p>"),
     ("- a\n  b\n- c", "<ul><li>a b</li><li>c</li></ul>"),
     ("### `a` <b>", "<h3><code>a</code> &lt;b&gt;</h3>"),
     ("a\nb\n\nc", "<p>a b</p>\n<p>c</p>")],
)  # fmt: skip
def test_markdown_becomes_html(markdown: str, made: str) -> None:
    assert html(markdown) == made


def test_a_markdown_table_becomes_one_of_html() -> None:
    assert '<th scope="col">a</th></tr></thead><tbody><tr><td>b | c</td></tr>' in html(
        "|a|\n|---|\n|b \\| c|"
    ).replace("> ", ">").replace(" <", "<")


def test_the_program_writes_the_page(tmp_path: Path, script: Call) -> None:
    write_records(tmp_path / "r.jsonl", [record("bfs/queue", "NY")])
    asked = ("--reports", PUBLISHED / "bsp-suite.yaml", "--records", tmp_path / "r.jsonl")
    done = script("make-report", *asked, "--output", tmp_path / "new/index.html")
    assert (done.status, done.out, done.err) == (0, "", "")
    read = Read((tmp_path / "new/index.html").read_text())
    assert [to for to, _ in read.links if to.startswith("record/")] == [
        "record/h200/table-3.3/NY/bfs/queue:source=0"
    ]
