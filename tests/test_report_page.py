"""The one page: it needs no network, each number leads to its record, verdicts are those of the tables."""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from markupsafe import escape

from command_line import Call
from fabricated import EVIL, WRONG, changed, frame, hostile, record, suite
from retrace.planning.configuration import committed_records, load_configuration, project_keys
from retrace.planning.plan import Plan
from retrace.publish import verdicts
from retrace.publish.documents import bibtex, errata, html
from retrace.publish.doubts import doubts
from retrace.publish.front import abstract
from retrace.publish.listings import listing
from retrace.publish.page import MARK
from retrace.publish.record_cards import address
from retrace.publish.report_page import make_page
from retrace.records.record import Record, read_records, write_records
from retrace.reports.finding import Verdict
from retrace.reports.frame import Frame, build, read_frames
from retrace.reports.printed import read_printed
from retrace.reports.report import PUBLISHED, Report, load_reports
from retrace.reports.wording import duration, few_trials
from retrace.system.project import ROOT

MOST_BYTES = 8_000_000
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
        self.records = {one["id"]: one for one in self.data["records"]}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        self.tags.append((tag, own))
        self._open = [tag] if tag in ("script", "style", "a") else self._open
        if tag == "a":
            self.links.append((unquote(own["href"].removeprefix("#")), ""))

    def handle_endtag(self, tag: str) -> None:
        self._open = [] if tag in self._open else self._open

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            self.texts[tag] = self.texts.get(tag, "") + data
            if tag == "a":
                self.links[-1] = (self.links[-1][0], self.links[-1][1] + data)


@pytest.fixture(scope="module")
def committed() -> tuple[list[Report], Frame, Read, str]:
    """The page of the committed records, with the figures of docs/results/."""
    reports, found = read_frames(sorted(PUBLISHED.glob("*.yaml")), committed_records())
    text = make_page(reports, found, (ROOT / "docs/results").glob("*.svg"))
    return reports, found, Read(text), text


Committed = tuple[list[Report], Frame, Read, str]


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
    assert len(text.encode()) < MOST_BYTES
    assert len(Read(text).records) == len(found.measured) > 4_000
    assert text.count('id="drawing-') > 35


def elsewhere(one: Record, machine: str) -> Record:
    """Fabricate what another machine measures: the same answer in other times, of other digits."""
    told = json.loads(one.model_dump_json())
    told["machine"] |= {"name": machine, "host": machine.encode().hex().ljust(12, "0")}
    any_number = random.Random(f"{machine} {one.solver} {one.started}")
    for trial in told["trials"]:
        for phase in ("upload", "solve", "download", "kernel", "again"):
            if trial[phase] is not None:
                trial[phase] = round(trial[phase] * any_number.uniform(1.5, 1.6), 6)
        if trial["kernel"] is not None:
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
        place < len(read.data["records"]) for one in read.data["lists"].values() for place in one["records"]
    )


def test_every_number_leads_to_its_record(committed: Committed) -> None:
    _, found, read, _ = committed
    links = set(read.links)
    assert len(read.records) == len(found.measured)
    timed = [entry for entry in found.measured if entry.record and entry.total]
    assert len(timed) > 100
    doubtful = doubts(found.measured)
    for entry in timed:
        assert entry.record
        assert entry.total
        place = address(entry.record)
        for measure in {"total", entry.layout.by}:
            text = duration(entry.times[measure].median) + few_trials(entry.times[measure])
            assert (place, f"{text} {MARK}" if place in doubtful else text) in links
        card = read.records[place]
        totals = [round(sum(filter(None, row[:3])), 6) for row in card["trials"]]  # as the script adds up
        assert totals == [one.total for one in entry.record.trials]
        told = str([card["own"], *(read.data["shared"][number] for number in card["about"])])
        software, machine, graph = entry.record.software, entry.record.machine, entry.record.graph
        for said in (
            software.git_commit,
            software.numpy,
            machine.cpu,
            machine.computer,
            graph.sha256,
            entry.record.digest,
        ):
            assert said is None or str(said) in told


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
    section = text.partition(f'<section id="{report.key}"')[2].partition("</table>")[0]
    shown = re.findall(
        r'href="#claim/[^/]+/[^/]+/([^"]+)"><span class="chip [a-z-]+">([^<]+)</span></a>', section
    )
    assert Counter(shown) == Counter(zip(told["machine"], told["verdict"], strict=True)), report.key
    brief = text.partition(f'<h2><a href="#{report.key}">')[2].partition("</article>")[0]
    assert f"<p>{len(report.claims)} claims:</p>" in brief
    lists = re.findall(r'<ul class="counts"><li>([^<]+)</li>(.*?)</ul>', brief, re.DOTALL)
    assert [machine for machine, _ in lists] == list(dict.fromkeys(told["machine"]))
    for machine, counts in lists:
        counted = {
            word: int(number) for number, word in re.findall(r"<li>(\d+) <span [^>]+>([^<]+)<", counts)
        }
        own = Counter(told["verdict"][told["machine"] == machine])
        assert {word: number for word, number in counted.items() if number} == own


def test_a_report_has_its_bibliography_errata_and_figures_by_their_names(committed: Committed) -> None:
    reports, _, read, text = committed
    for report in (report for report in reports if report.claims):
        assert bibtex(report.key).startswith("@")
        assert "<table>" in errata(report.key)
        assert report.front
        assert report.front.question in text.replace("&#39;", "'")
        for name, drawing in report.figures.items():
            title = f"{report.key}, {drawing.number or f'figure {name}'}"
            assert (f"figure/{name}" in read.ids) == (f"<strong>{title}</strong>" in text)
    assert "an-bellman-ford, Figure 1.1" in text


def test_a_card_answers_in_a_sentence_with_the_numbers_that_decide(committed: Committed) -> None:
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
                assert re.search(r"\d(×| ms\b| s\b)", number), name  # noqa: RUF001
                assert number.partition(" ")[0] in found.sentence
        assert f'<p class="answer">{escape(found.sentence)}</p>' in text


def test_without_numbers_there_is_no_answer() -> None:
    found, report = frame(suite("local", gpu=False), "bsp-suite")
    assert abstract(report, found).sentence == ""
    timed, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    told = abstract(report, timed)
    assert told.sentence.startswith("h200: Time of sequential C++ over the GPU's: ")
    assert [list(answer.findings) for answer in told.answers] == [["h200"]] * 3


def test_a_card_says_each_claim_once() -> None:
    """The numbers of both machines stand in the answer; a claim has two verdicts only where they differ."""
    slow = [one for one in suite("h200", gpu=True) if one.solver != "bfs/queue"]
    slow += [record("bfs/queue", graph, [900.0] * 3) for graph in ("NY", "NW")]
    found, report = frame([*slow, *suite("h100", gpu=True)], "bsp-suite")
    told = abstract(report, found)
    page = make_page([report], found, [])
    card = page.partition('<article class="brief">')[2].partition("</article>")[0]
    for answer in told.answers:
        assert card.count(str(escape(answer.says))) == 1
        assert not answer.more
    bfs, stcon, sssp = (answer.verdicts for answer in told.answers)
    assert bfs == {Verdict.HOLDS: ["h200"], Verdict.FAILS: ["h100"]}
    assert stcon == {Verdict.FAILS: ["h200", "h100"]}
    assert sssp == {Verdict.HOLDS: ["h200", "h100"]}
    assert told.sentence.count("(h200) and ") == 3
    assert re.search(r"\d. \(h200\) and [\d.]+. \(h100\) on NW in breadth-first search", told.sentence)
    assert re.findall(r"</span></a> on (h\d00)", card) == ["h200", "h100"]


def test_a_verdict_of_some_machines_names_them() -> None:
    alone, report = frame(suite("h200", gpu=True), "bsp-suite")
    assert not any(answer.names_machines for answer in abstract(report, alone).answers)
    found, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    assert all(answer.names_machines for answer in abstract(report, found).answers)
    card = make_page([report], found, []).partition('<article class="brief">')[2].partition("</article>")[0]
    assert re.findall(r"</span></a> on (\w+)", card) == ["h200"] * 3
    untold, report = frame(suite("local", gpu=False), "bsp-suite")
    assert not any(answer.names_machines for answer in abstract(report, untold).answers)


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
    marks = Counter(own.get("data-outcome") for _, own in read.tags)
    assert (marks["differs"], marks["emulated"]) == (1, 1)


def test_the_readers_own_machine_comes_first() -> None:
    found, report = frame([*suite("h200", gpu=True), *suite("zelda", gpu=False)], "bsp-suite")
    page = make_page([report], found, [], own="zelda")
    table = page.partition('data-name="table-3.5"')[2]
    assert re.findall(r'data-machine="(\w+)"', table)[:3] == ["zelda", "h200", "h200"]


def test_what_two_machines_say_alike_of_a_claim_is_said_once(committed: Committed) -> None:
    reports, frame, _, text = committed
    seen = Counter[bool]()
    for report in (report for report in reports if report.claims):
        rows = (
            text.partition(f'data-name="claims-{report.key}"')[2].partition("</table>")[0].split("<tr>")[2:]
        )
        for row, findings in zip(rows, abstract(report, frame).findings.values(), strict=True):
            first, second = findings.values()
            seen[first == second] += 1
            assert (" as h200</td>" in row) == (first == second)
            told = [str(escape(one.measured or one.why)) for one in findings.values()]
            assert all(words in row for words in told)
            assert first != second or not told[0] or row.count(told[0]) == 1
    assert min(seen.values()) > 5


def test_a_machine_without_the_fast_solver_has_no_column_of_speed_ups() -> None:
    found, report = frame([*suite("h200", gpu=True), *suite("local", gpu=False)], "bsp-suite")
    own = found.of("table-3.5")
    columns = listing(own, report.tables["table-3.5"], own.machines).columns
    headings = [column.heading for column in columns if column.heading.endswith("speed-up")]
    assert headings == ["h200: speed-up"]


def test_a_printed_number_stands_once_under_its_hardware(committed: Committed) -> None:
    reports, found, _, _ = committed
    for report in reports:
        for experiment in report.tables:
            own = found.of(experiment)
            table = listing(own, report.tables[experiment], own.machines)
            shown = Counter[tuple[str, str, str]]()
            with_cells = [column for column in table.columns if not column.fills]
            for line in table.lines:
                for column, item in zip(with_cells, line.cells, strict=True):
                    if column.heading.startswith("printed: ") and item.text:
                        texts = item.text.removesuffix(" ?").split(" / ")
                        shown.update((column.heading, line.graph, text) for text in texts)
            expected = Counter(
                (
                    f"printed: {one.system} ({one.hardware})",
                    row.title,
                    f"{one.text}{' ms' * one.printed.isdigit()}",
                )
                for row in own.rows
                for one in (entry.printed for entry in row.printed)
                if one
            )
            assert shown == expected


def test_addresses_tell_records_apart() -> None:
    files = sorted((ROOT / "results/machines").glob("*/*/*.jsonl"))
    _, found = read_frames([], files)
    assert max(Counter(address(entry.record) for entry in found.measured if entry.record).values()) == 1
    one = record("bfs/bsp", "NY", parameters={"block_size": 64, "blocks": 2})
    assert address(one) == "record/h200/table-3.3/NY/bfs/bsp:block_size=64,blocks=2,source=0"


@pytest.mark.parametrize(
    ("markdown", "made"),
    [("a `b*` **c `d` e** [f](g.md)", "<p>a <code>b*</code> <strong>c <code>d</code> e</strong> f</p>"),
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
    assert "record/h200/table-3.3/NY/bfs/queue" in (tmp_path / "new/index.html").read_text()
