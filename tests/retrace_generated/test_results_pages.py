"""docs/results/ and README as a reader sees them: verdicts in order, tables no wider than a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from statistics import median

import pytest
from matplotlib.legend import Legend
from matplotlib.text import Text

from browser import CHROMIUM, Browser, lack
from command_line import PROJECT
from fabricated import bellman_ford, changed, frame, suite
from retrace.publish.chart import image
from retrace.publish.front import FAILURES_FIRST, Abstract, Tally, abstract
from retrace.publish.overview import ON_DARK, Speed, draw_overview, on_dark_ground, speeds
from retrace.publish.page import fill
from retrace.publish.today import races
from retrace.records.record import Trial
from retrace.reports.finding import Verdict
from retrace.system.errors import RetraceError
from retrace_generated.report_answers import SIGNS

PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs/results").glob("*.md"))]
PAGES += [PROJECT / f"docs/{name}.md" for name in ("glossary", "running", "targets")]
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
WIDTH = 900
"""Pixels of a page on GitHub, in which a table must not be scrolled."""
STYLE = """body{width:868px;margin:16px;font:16px/1.5 sans-serif} td,th{border:1px solid;padding:6px 13px}
table{display:block;width:max-content;max-width:100%;overflow:auto;border-collapse:collapse}
code{font-size:85%;padding:.2em .4em}"""


@pytest.fixture(scope="module")
def two_machines() -> Abstract:
    """Bellman-Ford on a machine and on one whose kernels with a thread per edge are slow."""
    slow = [
        changed(one, trials=[later(trial) for trial in one.trials])
        if one.solver in ("bellman-ford/multi-edge", "bellman-ford/dense")
        else one
        for one in bellman_ford("h100", gpu=True)
    ]
    found, report = frame([*bellman_ford("h200", gpu=True), *slow], "an-bellman-ford")
    assert report is not None
    return abstract(report, found)


def later(trial: Trial) -> Trial:
    """Return a trial whose search takes a second more."""
    return trial.model_copy(update={"solve": trial.solve + 1e3, "total": trial.total + 1e3})


def page_of(summary: Abstract) -> str:
    return fill("results-of-report.md.j2", abstract=summary, signs=SIGNS, captions={}, today=None)


def test_claims_have_three_columns_and_stand_by_verdict_with_failures_first(two_machines: Abstract) -> None:
    text = page_of(two_machines)
    heads = re.findall(r"^## (\S+) (.*?): (\d+) of (\d+)$", text, re.MULTILINE)
    assert [words.lower() for _, words, _, _ in heads] == [str(one) for one in FAILURES_FIRST]
    counts = two_machines.counts("h200")
    assert {words.lower(): int(count) for _, words, count, _ in heads} == counts
    assert {int(every) for *_, every in heads} == {sum(counts.values())}
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert {len(row) for row in rows} == {3}
    for sign, words, count, _ in heads:
        part = text.split(f"## {sign} {words}: ")[1].partition("\n## ")[0]
        assert len(re.findall(rf"^\| .* \| {sign} {words.lower()}", part, re.MULTILINE)) == int(count)


def test_another_machine_is_named_where_its_verdict_is_another(two_machines: Abstract) -> None:
    lines = page_of(two_machines).splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| the report says")]
    claims = [name for names in two_machines.by_verdict.values() for name in names]
    for name, row in zip(claims, rows, strict=True):
        findings = two_machines.findings[name]
        other = findings["h100"].verdict
        named = f"<br>h100: {SIGNS[other]} {other}" in row
        assert named == (other != findings["h200"].verdict), name
    assert sum(of["h100"].verdict != of["h200"].verdict for of in two_machines.findings.values()) > 1


def test_a_tally_is_of_the_first_machine_with_a_gpu(two_machines: Abstract) -> None:
    found, _ = frame([*bellman_ford("local", gpu=False), *bellman_ford("h200", gpu=True)], "an-bellman-ford")
    tally = Tally.of([two_machines], found)
    assert tally.machine == "h200"
    assert tally.total == two_machines.counts("h200")
    assert tally.total[Verdict.HOLDS] > 0
    assert sum(tally.total.values()) == len(two_machines.findings)
    assert two_machines.counts("h100") == {
        verdict: sum(of["h100"].verdict == verdict for of in two_machines.findings.values())
        for verdict in Verdict
    }
    claims = two_machines.report.claims
    shares = claims["transfer-almost-half"].test
    assert shares is not None
    assert not shares.is_of_time
    timed = [name for name, claim in claims.items() if claim.test and claim.test.is_of_time]
    assert sum(tally.of_time.values()) == len(timed)
    assert sum(tally.others.values()) == len(two_machines.findings) - len(timed)
    assert tally.of_time[Verdict.HOLDS] == [
        two_machines.findings[name]["h200"].verdict for name in timed
    ].count(Verdict.HOLDS)
    nothing, _ = frame([], "an-bellman-ford")
    with pytest.raises(RetraceError, match="expected records of a report from a machine with a GPU, found"):
        Tally.of([two_machines], nothing)
    assert races([two_machines.report], nothing) == []


def test_a_speed_is_that_of_the_same_two_programs_in_print_and_here() -> None:
    """Toys are left out; the greatest printed speed-up counts; a faster program on a core is told apart."""
    records = suite("h200", gpu=True)
    found, report = frame(records, "bsp-suite")
    assert report is not None
    every = {one.title: one for one in speeds([report], found, "h200")}
    assert [title for title in every if title.startswith("BFS")] == [
        "BFS, roads of New York",
        "BFS, roads of the Northwest",
    ]
    times = {
        (one.solver, one.graph.name): median(trial.total for trial in one.trials)
        for one in records
        if one.trials and one.parameters.get("pair", "far") == "far"
    }
    york = every["BFS, roads of New York"]
    assert york.printed == 3520 / 341
    assert york.measured == times["bfs/queue", "NY"] / times["bfs/bsp", "NY"]
    paths = every["SSSP, roads of New York"]
    assert paths.beside_best == times["sssp/dijkstra-heap", "NY"] / times["sssp/bsp", "NY"]
    assert speeds([report], found, "another") == []


def test_the_overview_has_every_count_and_speed(two_machines: Abstract) -> None:
    counts = two_machines.counts("h200")
    timed = two_machines.counts("h200", of_time=True)
    tally = Tally("h200", "NVIDIA H200", {"an-bellman-ford": counts}, of_time=timed)
    figure = draw_overview(tally, [Speed("one graph", 10.0, 0.488, 2.34)])
    drawn = [text.get_text() for text in figure.findobj(Text)]
    assert all(drawn.count(str(number)) >= 2 for number in counts.values() if number)
    assert {"0.49\u00d7", "10\u00d7", "2.3\u00d7", "one graph", "about time", "all claims"} <= set(drawn)
    assert 0 < sum(timed.values()) < sum(counts.values())
    assert any(f"{timed[Verdict.HOLDS]} of {sum(timed.values())} claims about" in text for text in drawn)
    light = image(figure, "svg")
    colours = set(re.findall("#[0-9a-f]{6}", light.decode()))
    assert ON_DARK.keys() < colours
    left = set(re.findall("#[0-9a-f]{6}", on_dark_ground(light).decode())) - set(ON_DARK.values())
    assert left == colours - ON_DARK.keys()
    title = next(text for text in figure.findobj(Text) if text.get_text().startswith("How many times"))
    keys = [legend.get_window_extent() for legend in figure.findobj(Legend)]
    assert len(keys) == 2
    assert not any(title.get_window_extent().overlaps(key) for key in keys)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        lack("Chromium", "apt-get install chromium")
    with Browser(tmp_path_factory.mktemp("chromium")) as found:
        yield found


def tables_as_html(text: str) -> str:
    """Turn the tables of a page into HTML as GitHub does; all else is left out."""
    blocks = TABLE.findall(text)
    return "\n".join(
        f"<table>{''.join(f'<tr>{row_as_html(line)}</tr>' for line in block.splitlines())}</table>"
        for block in blocks
    )


def row_as_html(line: str) -> str:
    if re.fullmatch(r"[|:\- ]+", line):
        return ""
    cells = re.split(r"(?<!\\)\|", line.strip("|"))
    return "".join(f"<td>{inline(cell)}</td>" for cell in cells)


def inline(cell: str) -> str:
    """Turn what stands in a cell into HTML: links, code, signs that a backslash keeps, and tags."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell)
    plain = re.sub(r"`([^`]*)`", lambda code: f"<code>{escape(code[1])}</code>", plain)
    return re.sub(r"\\(\W|_)", r"\1", plain)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_no_table_is_wider_than_a_page(page: Path, browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(f"<meta charset=utf-8><style>{STYLE}</style>{tables_as_html(page.read_text())}")
    browser.look(WIDTH)
    browser.open(file.as_uri())
    assert (
        browser.run("[...document.querySelectorAll('table')].map((one) => one.rows.length).includes(0)")
        is False
    )
    wide = "[...document.querySelectorAll('table')].filter((one) => one.scrollWidth > one.clientWidth)"
    assert browser.run(f"{wide}.map((one) => one.innerText.slice(0, 80))") == []
