from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fabricated import random_graph, sweep, variant, without_answer
from retrace.publish import variants
from retrace.publish.comparison import compare, sentences
from retrace.publish.page import EMPTY, Page, render
from retrace.publish.published import VARIANT_TABLES, read_published
from retrace.publish.rows import TIMES, lines
from retrace.records.model import Record, write_records
from retrace.system.errors import RetraceError

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "results" / "published" / "tuwien-sssp.csv"
LAYOUT = VARIANT_TABLES["table-2"]
NAMES = {"sssp/pinned": "Pinned", "sssp/standard": "Standard", "sssp/zero-copy": "Zero Copy"}
GRAPH = random_graph(19, 50)


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    return read_published(PUBLISHED)


def cells(page: Page, table: int = 0) -> dict[tuple[str, str, str], str]:
    """Give the texts of a page's table by section, row and column."""
    found, section = {}, ""
    (group,) = page.tables[table].groups
    for row in page.tables[table].rows:
        if row.cells:
            for column, cell in zip(group.columns, row.cells, strict=True):
                found[section, row.label, column] = cell.text
        else:
            section = row.label.split(",")[0]
    return found


def test_printed_numbers_stand_as_printed(published: pd.DataFrame) -> None:
    page = variants.page("table-2", published, [])
    dense, sparse = cells(page), cells(page, 1)
    assert [table.heading.split(";")[0] for table in page.tables] == ["50 arcs a vertex", "5 arcs a vertex"]
    assert dense["Home", "Standard", "2¹⁹"] == "255"
    assert dense["Home", "Standard", "2¹⁴"] == "3 / 6"
    assert dense["Home", "Standard", "2²⁰"] == EMPTY
    assert dense["Institute", "Thrust", "2²²"] == "831"
    assert sparse["Institute", "Pinned", "2²³"] == "342"
    numbers = [text for found in (dense, sparse) for cell in found.values() for text in cell.split(" / ")]
    assert sum(int(text) for text in numbers if text != EMPTY) == 16555
    assert len([text for text in numbers if text != EMPTY]) == 318


def test_only_the_doubted_cells_are_marked(published: pd.DataFrame) -> None:
    page = variants.page("table-2", published, [])
    marked = [cell.text for table in page.tables for row in table.rows for cell in row.cells if cell.notes]
    assert marked == ["1", "1", "3", "6", "24", "31", "52"]
    (note,) = page.notes
    assert "at 2²² it would be 4.0 thousand million arcs a second on one core of an i7-5820K" in note


def test_measured_numbers_are_milliseconds_under_the_printed_ones(published: pd.DataFrame) -> None:
    records = [
        variant("sssp/standard", GRAPH, [1233, 1234, 1235], kernel=1),
        variant("sssp/standard", random_graph(10, 5), [0.01, 0.012, 0.02], kernel=0.001),
        variant("sssp/mask-sequential", GRAPH, [60, 70, 80], machine="local"),
    ]
    page = variants.page("table-2", published, records)
    found = cells(page)
    assert found["h200", "Standard", "2¹⁹"] == "1,260"  # with 26.2 ms of upload
    assert found["h200", "Standard", "2¹⁰"] == EMPTY
    assert found["local", "Sequential", "2¹⁹"] == "70.0"
    assert cells(page, 1)["h200", "Standard", "2¹⁰"] == "0.0171"
    assert not any(place[:2] in {("local", "Standard"), ("h200", "Pinned")} for place in found)


WRONG: dict[str, Any] = {"verified": False, "reason": "vertex 3: 4, expected 5"}


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (variant("sssp/thrust", GRAPH, [12.34], **WRONG), "not verified"),
        (without_answer("sssp/thrust", GRAPH, "failed", "out of <memory>", experiment="table-2"), "failed"),
        (without_answer("sssp/thrust", GRAPH, "skipped", "needs 9 GiB", experiment="table-2"), "skipped"),
    ],
)
def test_no_verified_answer_no_number(published: pd.DataFrame, bad: Record, text: str) -> None:
    page = variants.page("table-2", published, [bad])
    assert cells(page)["h200", "Thrust", "2¹⁹"] == text
    assert page.notes[1:] == [f"h200: {text}, {bad.reason}."]
    assert "12.3" not in render(page, "md") + render(page, "html")
    assert "<memory>" not in render(page, "html")
    tidy = variants.tidy("table-2", published, [bad])
    row = tidy[tidy["source"] == "measured"].iloc[0]
    assert row[["n", "median_ms", "solve_median_ms"]].isna().all()


def test_the_emulator_gives_no_times(published: pd.DataFrame) -> None:
    emulated = variant("sssp/standard", GRAPH, [12.34], machine="local", backend="emulator")
    page = variants.page("table-2", published, [emulated])
    assert {place[0] for place in cells(page)} == {"Home", "Institute"}
    assert variants.NO_VERDICT in page.remarks
    assert (variants.tidy("table-2", published, [emulated])["source"] == "printed").all()


def test_the_tidy_table_has_every_cell_and_record(published: pd.DataFrame) -> None:
    records = sweep("h200", gpu=True)
    tidy = variants.tidy("table-2", published, records)
    printed = tidy[tidy["source"] == "printed"]
    assert (len(printed), printed["median_ms"].sum()) == (318, 16555)
    assert (printed["doubt"] == "too-fast").sum() == 7
    assert (printed["occurrence"] == 2).sum() == 24
    assert len(tidy) == 318 + len(records)
    row = tidy[(tidy["graph"] == "random-22-50") & (tidy["machine"] == "h200")].set_index("label")
    assert row.loc["Standard", "median_ms"] > row.loc["Standard", "solve_median_ms"]
    assert row.loc["Standard", "speedup"] == pytest.approx(
        row.loc["Sequential", "median_ms"] / row.loc["Standard", "median_ms"], rel=1e-4
    )


def test_a_graph_that_is_not_what_its_name_says_is_told(published: pd.DataFrame) -> None:
    other = random_graph(19, 50, arcs=26_214_000)
    page = variants.page("table-2", published, [variant("sssp/standard", other)])
    assert "random-19-50 has 524,288 vertices and 26,214,000 arcs." in page.remarks
    with pytest.raises(RetraceError, match="graph NY: expected random-"):
        variants.page("table-2", published, [variant("sssp/standard", random_graph(19, 50, name="NY"))])


def verdicts(*records: Record) -> dict[str, str]:
    """Give the verdict on each variant of a machine, all records on the same graphs."""
    empty = pd.DataFrame({"table": [], "graph": []})
    return {one.solver: one.verdict for one in compare(LAYOUT, lines("table-2", empty, records), "h200")}


@pytest.mark.parametrize(
    ("times", "kernel", "verdict"),
    [
        ((5, 5.1, 5.2), 4, "yes"),
        ((9.8, 10.2, 10.4), 4, "no"),
        ((20, 20.1, 20.2), 4, "no, slower"),
        ((8, 8.1, 8.2), 1, "no, faster, but for another reason: not outside the kernels"),
        ((5, 5.1, 5.2), None, "no, faster, but for another reason: not outside the kernels"),
    ],
)
def test_a_claim_holds_by_the_numbers(times: tuple[float, ...], kernel: float | None, verdict: str) -> None:
    standard = variant("sssp/standard", GRAPH, (10, 10.1, 10.2), kernel=4)
    assert verdicts(standard, variant("sssp/pinned", GRAPH, times, kernel)) == {"sssp/pinned": verdict}


def test_a_claim_must_hold_at_most_sizes() -> None:
    graphs = [random_graph(exponent, 50) for exponent in (10, 11, 12, 13)]
    standard = [variant("sssp/standard", graph, (10, 10.1, 10.2), kernel=4) for graph in graphs]
    fast = [variant("sssp/pinned", graph, (5, 5.1, 5.2), kernel=4) for graph in graphs]
    like = [variant("sssp/pinned", graph, (10, 10.1, 10.2), kernel=4) for graph in graphs]
    assert verdicts(*standard, *fast[:3], like[3]) == {"sssp/pinned": "yes"}
    assert verdicts(*standard, *fast[:2], *like[2:]) == {"sssp/pinned": "only at 2¹⁰, 2¹¹"}
    assert verdicts(*standard, *like) == {"sssp/pinned": "no"}
    slow = variant("sssp/pinned", graphs[3], (20, 20.1, 20.2), kernel=19)
    assert verdicts(*standard, *fast[:3], slow) == {"sssp/pinned": "only at 2¹⁰ to 2¹², slower at 2¹³"}


def test_what_cannot_be_compared_gives_no_verdict() -> None:
    standard = variant("sssp/standard", GRAPH, (10, 10.1, 10.2), kernel=4)
    other = random_graph(19, 50, sha256="2" * 64)
    assert verdicts(standard) == {}
    assert verdicts(standard, variant("sssp/pinned", GRAPH, (5, 5), kernel=4)) == {}
    assert verdicts(standard, variant("sssp/pinned", other, kernel=4)) == {}
    assert verdicts(standard, variant("sssp/pinned", GRAPH, kernel=4, **WRONG)) == {}
    assert verdicts(standard, variant("sssp/pinned", GRAPH, kernel=4, backend="emulator")) == {}


def test_the_sentences_follow_the_numbers() -> None:
    standard = variant("sssp/standard", GRAPH, (10, 10.1, 10.2), kernel=4)
    pinned = variant("sssp/pinned", GRAPH, (5, 5.05, 5.1), kernel=4)
    zero_copy = variant("sssp/zero-copy", GRAPH, (20, 20.2, 20.4), kernel=19)

    def said(*records: Record) -> list[str]:
        rows = lines("table-2", pd.DataFrame({"table": [], "graph": []}), records)
        return sentences(LAYOUT, rows, "h200", NAMES)

    both = said(standard, pinned, zero_copy)
    assert both == [
        "h200, 50 arcs a vertex: faster than Standard for the report's reasons? Yes: Pinned. No: Zero Copy.",
        "Pinned (the mask is copied faster): yes. Solve: less at 1, more at 0 of 1 sizes "
        f"(0.50{TIMES} at 2¹⁹); total: less at 1, more at 0.",
        "Zero Copy (the mask is not copied): no, slower. Solve: less at 0, more at 1 of 1 sizes "
        f"(2.00{TIMES} at 2¹⁹); total: less at 0, more at 1.",
    ]
    assert said(standard, pinned)[0].endswith("? Yes: Pinned.")
    assert said(standard, zero_copy)[0].endswith("? No: Zero Copy.")
    assert said(standard) == []
    noisy = replace(pinned, trials=[*standard.trials, *pinned.trials])
    assert "no. Solve: less at 0, more at 0" in said(standard, noisy)[1]


def test_pages_are_whole(published: pd.DataFrame) -> None:
    page = variants.page(
        "table-2", published, sweep("h200", gpu=True) + sweep("local", gpu=False, largest=16)
    )
    markdown, html = render(page, "md"), render(page, "html")
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    body = sum(len(table.rows) for table in page.tables)
    assert len(rows) == body + 4
    widths = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    assert widths == [15] * (body // 2 + 2) + [16] * (body // 2 + 2)
    assert html.count("<tr>") == body + 2
    assert not re.search(r"https?://|src=|@import", html)
    assert all(f'id="note-{number}"' in html for number in range(1, len(page.notes) + 1))
    assert "52 <sup>\\[1\\]</sup>" in markdown
    assert '52 <sup><a href="#note-1">[1]</a></sup>' in html


def test_the_table_command(tmp_path: Path) -> None:
    write_records(tmp_path / "h200.jsonl", sweep("h200", gpu=True))
    command = [sys.executable, str(ROOT / "scripts" / "make_table.py"), "--table", "table-2"]
    command += ["--published", str(PUBLISHED), "--records", str(tmp_path / "h200.jsonl")]
    subprocess.run([*command, "--output-prefix", str(tmp_path / "tables" / "table-2")], check=True)
    files = sorted(path.name for path in (tmp_path / "tables").iterdir())
    assert files == ["table-2.csv", "table-2.html", "table-2.md"]
