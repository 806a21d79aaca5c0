"""The one page in headless Chromium: tables, the panel, links that cite a number, widths, colours, print."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from browser import CHROMIUM, REQUIRED, Browser, lack
from fabricated import EVIL, frame, hostile, suite
from retrace.publish.doubts import doubts
from retrace.publish.page import MARK
from retrace.publish.record_cards import address
from retrace.publish.report_page import make_page
from retrace.records.record import PHASES
from retrace.reports.frame import Entry
from retrace.reports.report import load_reports
from retrace.reports.wording import EMPTY, duration
from retrace.system.project import ROOT


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        lack("Chromium", "apt-get install chromium")
    with Browser(tmp_path_factory.mktemp("chromium")) as found:
        found.look(1280)
        yield found
        assert found.messages == []


def test_what_is_lacking_fails_where_it_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="no axe-core: npm ci"):
        lack("axe-core", "npm ci")
    monkeypatch.setenv(REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match=f"no axe-core, which {REQUIRED} requires: npm ci"):
        lack("axe-core", "npm ci")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a small page, with a graph and a reason that are HTML."""
    records = [*suite("h200", gpu=True), *suite("local", gpu=False), *hostile()]
    found, report = frame(records, "bsp-suite")
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(make_page([report], found, (ROOT / "docs/results").glob("figure-3.*.svg"), own="local"))
    return path.as_uri()


TABLE = "document.querySelector('table[data-name=\"table-3.5\"]')"
BODY, HEADS = f"{TABLE}.tBodies[0]", f"{TABLE}.tHead.rows[0].cells"
TOOLS = f"{TABLE}.parentElement.previousElementSibling"
ROWS = f"[...{BODY}.rows].filter((row) => !row.hidden).map((row) => row.innerText)"
LINK = "record/h200/table-3.5/NY/sssp/bsp:source=0"


def test_a_table_sorts(browser: Browser, page: str) -> None:
    browser.open(page)
    for _ in range(2):
        browser.run(f"{HEADS}[2].firstChild.click()")
    found = browser.run(f"[...{BODY}.rows].map((row) => +(row.cells[2].dataset.value ?? 0))")
    assert 0 in found  # what has no number stands last, either way
    assert found == sorted(found, reverse=True)
    assert browser.run(f"{HEADS}[2].ariaSort") == "descending"


def test_a_table_filters_and_chooses_columns(browser: Browser, page: str) -> None:
    browser.open(page)
    for key, value in {"graph": "NY", "solver": "sssp/bsp"}.items():
        select = f"{TOOLS}.querySelector('[data-filter={key}]')"
        browser.run(f"{select}.value = '{value}'; {select}.dispatchEvent(new Event('change'))")
    (row,) = browser.run(ROWS)
    assert row.startswith("sssp/bsp")
    assert "4.712 s" in row
    assert browser.run(f"{TOOLS}.querySelector('output').innerText").startswith("1 of ")
    heads = f"[...{HEADS}].filter((cell) => !cell.hidden).map((cell) => cell.innerText)"
    assert "h200: kernel" not in browser.run(heads)
    browser.run(
        f"[...{TOOLS}.querySelectorAll('label')].find((one) => one.textContent == ' h200: kernel').click()"
    )
    assert "h200: kernel" in browser.run(heads)
    links = f"[...[...{BODY}.rows].find((row) => !row.hidden).querySelectorAll('a[href$=\"{LINK}\"]')]"
    browser.wait_for(f"{links}.length", 3)  # total, speed-up and kernel


def test_a_column_that_was_left_out_has_the_records_numbers(browser: Browser, page: str) -> None:
    found, _ = frame(suite("h200", gpu=True), "bsp-suite")
    entries = [entry for entry in found.measured if entry.experiment == "table-3.5"]
    doubtful = doubts(entries)
    browser.open(page)
    for what in ("kernel", "upload", "1st quartile", "3rd quartile", "trials"):
        box = f"[...{TOOLS}.querySelectorAll('label')].find((one) => one.textContent == ' h200: {what}')"
        for _ in range(3):  # shown, hidden and shown again
            browser.run(f"{box}.click()")
        column = f"[...{HEADS}].findIndex((head) => head.textContent == 'h200: {what}')"
        for entry in entries:
            assert entry.record
            same = f"of.solver == '{entry.full_name}' && of.graph == '{entry.title}'"
            row = f"[...{BODY}.rows].find(({{ dataset: of }}) => {same})"
            text = told(entry, what)
            phase = what if what in PHASES else "total"
            is_doubtful = any(doubt.concerns(phase) for doubt in doubtful.get(address(entry.record), ()))
            mark = f" {MARK}" if text != EMPTY and is_doubtful else ""
            browser.wait_for(f"{row}.cells[{column}].textContent", text + mark)
            linked = f"decodeURIComponent({row}.cells[{column}].firstElementChild?.hash.slice(1) ?? '')"
            assert browser.run(linked) == (address(entry.record) if text != EMPTY else "")
    browser.run(f"{TABLE}.tHead.rows[0].cells[{column}].firstChild.click()")
    values = browser.run(f"[...{BODY}.rows].map((row) => +(row.cells[{column}].dataset.value ?? 1e9))")
    assert values == sorted(values)


def told(entry: Entry, what: str) -> str:
    """Return what stands in the column of a machine's totals."""
    if entry.total is None:
        return EMPTY
    spread = {"1st quartile": entry.total.q1, "3rd quartile": entry.total.q3}
    if what == "trials":
        return str(entry.total.n)
    times = entry.times.get(what)
    ms = spread.get(what, times.median if times else None)
    return EMPTY if ms is None else duration(ms)


def test_the_csv_file_has_what_is_shown(browser: Browser, page: str) -> None:
    browser.open(page)
    browser.run(
        "HTMLAnchorElement.prototype.click = () => {};"
        "URL.createObjectURL = (blob) => { window.saved = blob.text(); return 'data:,'; }"
    )
    browser.run(f"{TOOLS}.querySelector('button').click()")
    lines = browser.run("saved").splitlines()
    shown = browser.run(f"[...{HEADS}].filter((cell) => !cell.hidden).map((cell) => cell.textContent)")
    assert lines[0] == ",".join(f'"{head}"' for head in shown)
    assert any(line.startswith('"sssp/bsp (CUDA)","NY"') and '"4.712 s"' in line for line in lines)


TITLE = "document.getElementById('panel-title')?.innerText"


def test_a_number_leads_to_its_record_and_can_be_cited(browser: Browser, page: str) -> None:
    browser.open(page)
    browser.run(f"{TABLE}.querySelector('a[href=\"#{LINK}\"]').focus()")
    browser.press("Enter")
    assert browser.run("location.hash") == f"#{LINK}"
    browser.wait_for(TITLE, "sssp/bsp on NY, h200")
    assert browser.run("panel.querySelectorAll('circle').length") == 5
    cells = "[...panel.querySelectorAll('table')].map((one) => [...one.rows].map((row) => row.cells.length))"
    assert [len(set(of_table)) for of_table in browser.run(cells)] == [1, 1]  # a heading for each number
    trials = "[...[...panel.querySelectorAll('table')].at(-1).tBodies[0].rows]"
    sums = browser.run(f"{trials}.map((row) => [...row.cells].slice(1, 5).map((cell) => +cell.textContent))")
    assert [total for *_, total in sums] == [round(sum(phases), 6) for *phases, _ in sums]
    assert "0123456789abcdef" in browser.run("panel.innerText")
    browser.press("Escape")
    browser.wait_for("[panel.open, location.hash]", [False, ""])
    browser.open(f"{page}#{LINK}")
    browser.wait_for(TITLE, "sssp/bsp on NY, h200")
    browser.open(f"{page}#claim/bsp-suite/sssp-beats-sequential/h200")
    browser.wait_for("panel.innerText.includes('holds')", True)
    browser.run(f"panel.querySelector('a[href=\"#{LINK}\"]').click()")
    browser.wait_for(TITLE, "sssp/bsp on NY, h200")


def test_a_citation_that_is_not_on_the_page_says_so(browser: Browser, page: str) -> None:
    browser.open(f"{page}#record/h300/table-3.5/NY/sssp/bsp:source=0")
    browser.wait_for(TITLE, "Not on this page")
    assert "record/h300/table-3.5/NY/sssp/bsp:source=0" in browser.run("panel.innerText")
    browser.press("Escape")
    browser.wait_for("[panel.open, location.hash]", [False, ""])
    browser.open(f"{page}#words")
    assert not browser.run("panel.open")


OPEN = "cannot be told"


def test_claims_are_filtered_by_the_verdicts_of_all_machines_or_of_one(browser: Browser, page: str) -> None:
    """A row stays if a machine that is shown has the verdict."""
    browser.open(page)
    table = "document.querySelector('.claims')"
    tools = f"{table}.parentElement.previousElementSibling"
    rows = f"[...{table}.tBodies[0].rows]"
    verdicts = browser.run(
        f"{rows}.map((row) => [...row.querySelectorAll('.chip')].map((one) => one.innerText))"
    )
    assert {("holds", OPEN), (OPEN, OPEN)} <= {tuple(row) for row in verdicts}
    heads = browser.run(f"[...{table}.tHead.rows[0].cells].map((head) => head.dataset.machine)")
    machines = [name for name in heads if name]
    for machine in ("", *machines):
        for key, value in {"machine": machine, "verdict": OPEN}.items():
            select = f"{tools}.querySelector('[data-filter={key}]')"
            browser.run(f"{select}.value = '{value}'; {select}.dispatchEvent(new Event('change'))")
        places = [machines.index(machine)] if machine else range(len(machines))
        shown = [any(row[place] == OPEN for place in places) for row in verdicts]
        assert browser.run(f"{rows}.map((row) => !row.hidden)") == shown


def test_no_text_runs_in_the_browser(browser: Browser, page: str) -> None:
    browser.open(page)
    for one in hostile():
        browser.run(f"location.hash = encodeURIComponent({json.dumps(address(one))})")
        browser.wait_for(TITLE, f"{one.solver} on {one.label}, h200")
        assert EVIL in browser.run("panel.innerText")
        assert browser.run("document.images.length") == 0
        # none without a verified answer; a throttled trial is hollow
        dots = browser.run("[...panel.querySelectorAll('circle')].map((dot) => dot.getAttribute('fill'))")
        assert dots == [("none" if trial.throttled else "var(--link)") for trial in one.trials if one.timed]


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, page: str, width: int) -> None:
    browser.look(width)
    try:
        for place in ("", "#verification", f"#{LINK}"):
            browser.open(page + place)
            assert browser.run("document.documentElement.scrollWidth") <= width
        assert browser.run(f"{TABLE}.closest('details').open") == (width == 1280)
        browser.run("location.hash = 'table/table-3.5'")
        browser.wait_for(f"{TABLE}.closest('details').open", True)
        own = f"{BODY}.rows[0].cells[2].getBoundingClientRect().right"
        assert browser.run(own) > 0
        assert browser.run(own) <= width
        browser.open(page)
        claim = "document.querySelector('.claims tbody tr').innerText"
        first, *_ = load_reports()["bsp-suite"].claims.values()
        assert browser.run(claim).startswith(first.says)
    finally:
        browser.look(1280)


@pytest.mark.parametrize("width", [400, 1280])
def test_a_card_s_figure_can_be_read_on_a_phone(browser: Browser, page: str, width: int) -> None:
    """It is no narrower than 576 pixels and scrolls inside the card; a link leads to it in full."""
    browser.look(width)
    try:
        browser.open(page)
        card = "document.querySelector('.brief .look')"
        assert browser.run(f"{card}.firstElementChild.getBoundingClientRect().width") >= 576
        assert browser.run(f"{card}.scrollWidth") >= 576
        assert browser.run(f"{card}.getBoundingClientRect().right") <= width
        assert browser.run("document.documentElement.scrollWidth") <= width
        browser.run(f"{card}.nextElementSibling.querySelector('a').click()")
        assert browser.run("document.getElementById(location.hash.slice(1)).tagName") == "FIGURE"
    finally:
        browser.look(1280)


CONTRAST = """
(() => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const ground = (one) => {
    for (let place = one; place; place = place.parentElement) {
      const colour = getComputedStyle(place).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = new Set();
  for (const one of document.querySelectorAll("body *:not(svg, svg *, script)")) {
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((a, b) => b - a);
    if ((a + 0.05) / (b + 0.05) < 4.5) found.add(`${one.tagName}.${one.className}`);
  }
  return [...found];
})()
"""


@pytest.mark.parametrize("dark", [False, True])
def test_all_text_has_contrast(browser: Browser, page: str, dark: bool) -> None:
    browser.look(1280, dark=dark)
    try:
        browser.open(f"{page}#{LINK}")
        assert browser.run(CONTRAST) == []
    finally:
        browser.look(1280)


def test_all_is_printed(browser: Browser, page: str) -> None:
    browser.open(page)
    browser.look(1280, media="print")
    try:
        browser.run("dispatchEvent(new Event('beforeprint'))")
        assert browser.run("[...document.querySelectorAll('main details')].every((one) => one.open)")
        assert browser.run("[...document.querySelectorAll('.tools, nav')].every((one) => !one.offsetParent)")
        browser.look(900, media="print")  # two columns on a sheet of paper, which does not scroll
        cut = "(one) => one.firstElementChild.getBoundingClientRect().width > one.clientWidth"
        assert browser.run(f"[...document.querySelectorAll('.look, .drawing')].map({cut})") == [False] * 4
    finally:
        browser.look(1280)


AXE = ROOT / "tests/npm/node_modules/axe-core/axe.min.js"
BARRIERS = """
axe.run("%s", { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }).then((found) =>
  found.violations.map(({ id, impact, help, nodes }) => [id, impact, help, nodes.map((node) => node.html)]))
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_bars_a_reader(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    """What axe-core finds, of any impact: on the page, in a record, and in what a claim rests on."""
    if not AXE.exists():
        lack("axe-core", "npm ci --ignore-scripts --prefix tests/npm")
    records = [one for one in suite("h200", gpu=True) if one.graph.name == "NY"]
    found, report = frame([*records, *hostile()], "bsp-suite")
    figures = [ROOT / "docs/results/figure-3.5.svg"]
    page = (tmp_path / "index.html").as_uri()
    (tmp_path / "index.html").write_text(make_page([report], found, figures))
    browser.look(width, dark=dark)
    try:
        browser.open(page)
        browser.run("document.querySelectorAll('main > * details').forEach((one) => (one.open = true)); 0")
        browser.run("document.querySelectorAll('.tools details').forEach((one) => (one.open = false)); 0")
        browser.run(f"{AXE.read_text()}; 0")
        assert browser.run(BARRIERS % "html") == []
        for place in (LINK, "claim/bsp-suite/sssp-beats-sequential/h200"):
            browser.run(f"location.hash = '{place}'")
            browser.wait_for("panel.open", True)
            assert browser.run(BARRIERS % "#panel") == []
    finally:
        browser.look(1280)


def test_every_control_has_a_name(browser: Browser, page: str) -> None:
    browser.open(page)
    controls = "[...document.querySelectorAll('a, button, select, input, summary')]"
    named = "(one) => one.textContent || one.ariaLabel || one.closest('label')"
    assert browser.run(f"{controls}.filter((one) => !({named})(one)).map((one) => one.outerHTML)") == []
    scrolling = (
        "[...document.querySelectorAll('.wide, .look')].filter((one) => one.tabIndex !== 0 || !one.ariaLabel)"
    )
    assert browser.run(f"{scrolling}.length") == 0
    levels = browser.run(
        "[...document.querySelectorAll('main h2, main h3, main h4')].map((one) => +one.tagName[1])"
    )
    assert all(after <= before + 1 for before, after in pairwise(levels))
