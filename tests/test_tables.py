from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from docutils.core import publish_parts
from jinja2 import Environment, StrictUndefined

from fabricated import graph_info, record, suite, without_answer
from retrace.publish import tables, verification
from retrace.publish.page import EMPTY, Page, render
from retrace.publish.published import TABLES, read_published
from retrace.publish.rows import TIMES
from retrace.publish.tables import shown, three_digits
from retrace.records.model import Record, write_records
from retrace.system.errors import RetraceError

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "results" / "published" / "bsp-suite.csv"


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    return read_published(PUBLISHED)


def cells(page: Page) -> dict[str, dict[str, str]]:
    """Give each row's texts by `group: column`, those of all the page's tables together."""
    found: dict[str, dict[str, str]] = {}
    for table in page.tables:
        heads = [f"{group.heading}: {column}" for group in table.groups for column in group.columns]
        for row in table.rows:
            texts = (cell.text for cell in row.cells)
            found.setdefault(row.label, {}).update(zip(heads, texts, strict=True))
    return found


def test_printed_cells_stand_as_printed(published: pd.DataFrame) -> None:
    found = cells(tables.page("table-3.5", published, []))
    assert list(found) == ["small-6", "small-9", "NY", "NW"]
    assert found["NW"] == {
        ": Vertices": "1,207,945",
        ": Edges": "2,840,208",
        "printed: sequential (Athlon II x4 630)": "2hr 31min",
        "printed: Machine1 (GT 520)": "42.025 sec",
        "printed: Machine2 (GT 730)": "1.06 sec",
    }


def test_measured_numbers_land_in_their_cells(published: pd.DataFrame) -> None:
    records = [
        record("bfs/queue", "NY", [99, 100, 101]),
        record("bfs/bsp", "NY", [9, 10, 11], backend="cuda", setup=150),
        record("bfs/igraph", "NY", [0.5]),
        record("bfs/queue", "NY", [2000], machine="local"),
        record("sssp/dijkstra-heap", "NY", [7]),
    ]
    page = tables.page("table-3.3", published, records)
    found = cells(page)["NY"]
    assert found["h200: sequential (bfs/queue)"] == "100 ms"
    assert found["h200: CUDA (bfs/bsp)"] == "10.0 ms"
    assert found["h200: speed-up"] == f"10.0{TIMES}"
    assert found["h200: GPU setup"] == "150 ms"
    assert found["h200: bfs/igraph"] == "500 µs"
    assert found["local: sequential (bfs/queue)"] == "2.00 s"
    assert not any("local: CUDA" in head or "dijkstra" in head or "scipy" in head for head in found)
    assert cells(page)["NW"]["h200: CUDA (bfs/bsp)"] == EMPTY
    assert [row.label for row in page.tables[1].rows] == ["NY"]  # the only one that a library was timed on
    assert page.notes == ["NY, bfs/igraph on h200: 1 trial instead of 3."]


def test_trials_that_ran_at_the_same_time_are_called_so(published: pd.DataFrame) -> None:
    beside = record("bfs/queue", "NY", parameters={"at_once": 8})
    page = tables.page("table-3.3", published, [beside])
    assert page.notes == ["NY, bfs/queue on h200: 8 trials at a time, each on a core of its own."]


def test_the_tidy_table_has_the_statistics(published: pd.DataFrame) -> None:
    records = [
        record("bfs/queue", "NY", [99, 100, 101]),
        record("bfs/bsp", "NY", [9, 10, 11], backend="cuda", setup=150),
    ]
    tidy = tables.tidy("table-3.3", published, records)
    assert (tidy["source"] == "printed").sum() == 12
    row = tidy[tidy["solver"] == "bfs/bsp"].iloc[0]
    assert (row["label"], row["machine"], row["hardware"], row["n"]) == ("NY", "h200", "NVIDIA H200", 3)
    assert (row["median_ms"], row["q1_ms"], row["q3_ms"], row["min_ms"]) == (10, 9.5, 10.5, 9)
    assert (row["setup_median_ms"], row["kernel_median_ms"]) == (150, 5)
    assert row["speedup"] == 10
    assert not row["too_noisy_to_rank"]


def test_h200_comes_first_then_the_alphabet(published: pd.DataFrame) -> None:
    records = [record("bfs/queue", "NY", machine=name) for name in ("local", "a100", "h200")]
    assert [group.heading for group in tables.page("table-3.3", published, records).tables[0].groups] == [
        "",
        "printed",
        "h200",
        "a100",
        "local",
    ]


WRONG: dict[str, Any] = {"verified": False, "reason": "vertex 3: 4, expected 5"}


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (record("bfs/bsp", "NY", [12.34], backend="cuda", **WRONG), "not verified"),
        (without_answer("bfs/bsp", "NY", "failed", "out | of\nmemory", backend="cuda"), "failed"),
        (without_answer("bfs/bsp", "NY", "skipped", "no <GPU>", backend="cuda"), "skipped"),
    ],
)
def test_no_verified_answer_no_number(published: pd.DataFrame, bad: Record, text: str) -> None:
    page = tables.page("table-3.3", published, [record("bfs/queue", "NY", [100]), bad])
    found = cells(page)["NY"]
    assert found["h200: CUDA (bfs/bsp)"] == text
    assert page.notes == [f"NY, bfs/bsp on h200: {text}, {bad.reason}."]
    assert found["h200: speed-up"] == EMPTY
    tidy = tables.tidy("table-3.3", published, [bad])
    row = tidy[tidy["source"] == "measured"].iloc[0]
    assert row[["n", "median_ms", "min_ms", "setup_median_ms", "speedup"]].isna().all()
    for form in ("md", "html"):
        assert "12.3" not in render(page, form)
    assert "<GPU>" not in render(page, "html")


def test_the_emulator_gives_no_times(published: pd.DataFrame) -> None:
    emulated = record("bfs/bsp", "NY", [12.34], machine="local", backend="emulator")
    page = tables.page("table-3.3", published, [emulated])
    assert [group.heading for group in page.tables[0].groups] == ["", "printed"]
    assert (tables.tidy("table-3.3", published, [emulated])["source"] == "printed").all()


def test_a_stand_in_never_stands_in_the_graphs_row(published: pd.DataFrame) -> None:
    stand_in = graph_info("NY", origin="stand-in", seed=7)
    records = [record("bfs/queue", "NY", [10]), record("bfs/queue", stand_in, [20], machine="local")]
    page = tables.page("table-3.3", published, records)
    found = cells(page)
    assert found["NY"]["local: sequential (bfs/queue)"] == EMPTY
    assert found["NY (stand-in)"]["local: sequential (bfs/queue)"] == "20.0 ms"
    assert found["NY (stand-in)"]["h200: sequential (bfs/queue)"] == EMPTY
    assert found["NY (stand-in)"]["printed: Machine1 (GT 520)"] == ""
    assert "stand-in (seed 7)" in page.notes[0]
    tidy = tables.tidy("table-3.3", published, records)
    assert list(tidy[tidy["machine"] == "local"]["label"]) == ["NY (stand-in)"]


def test_a_stand_in_alone_leaves_the_printed_row_empty(published: pd.DataFrame) -> None:
    stand_in = graph_info("NY", origin="stand-in", seed=7)
    found = cells(tables.page("table-3.3", published, [record("bfs/queue", stand_in, [20])]))
    assert found["NY"]["h200: sequential (bfs/queue)"] == EMPTY
    assert found["NY (stand-in)"]["h200: sequential (bfs/queue)"] == "20.0 ms"


def test_generated_weights_and_other_counts_are_told(published: pd.DataFrame) -> None:
    other = graph_info("NW", weights="generated", seed=7, edition="pace16", arcs=2_820_774)
    page = tables.page("table-3.5", published, [record("sssp/bsp", other, backend="cuda")])
    assert [row.label for row in page.tables[0].rows] == [
        "small-6",
        "small-9",
        "NY",
        "NW (weights generated)",
    ]
    assert page.tables[0].rows[3].notes == [1, 2]
    assert "weights generated from seed 7" in page.notes[0]
    assert "2,820,774 arcs; printed: 1,207,945 and 2,840,208" in page.notes[1]
    levels = tables.page("table-3.3", published, [record("bfs/bsp", other, backend="cuda")])
    assert levels.tables[0].rows[3].label == "NW"
    assert len(levels.notes) == 1


def test_the_printed_row_stands_beside_the_far_pair(published: pd.DataFrame) -> None:
    records = [
        record("stcon/bsp", "NY", [time], backend="cuda", parameters={"pair": pair, "target": 1})
        for pair, time in (("near", 1), ("far", 20), ("unreachable", 300))
    ]
    page = tables.page("table-3.4", published, records)
    found = cells(page)
    assert [row.label for row in page.tables[0].rows[4:]] == ["NY, near pair", "NY, unreachable pair"]
    assert found["NY"]["h200: CUDA (stcon/bsp)"] == "20.0 ms"
    assert found["NY, near pair"]["h200: CUDA (stcon/bsp)"] == "1.00 ms"
    assert found["NY, near pair"]["printed: Machine2 (GT 730)"] == ""


def test_noisy_speed_ups_are_marked(published: pd.DataFrame) -> None:
    records = [
        record("bfs/queue", "NY", [10, 12, 14]),
        record("bfs/bsp", "NY", [9, 11, 13], backend="cuda"),
    ]
    assert cells(tables.page("table-3.3", published, records))["NY"]["h200: speed-up"] == f"~ 1.09{TIMES}"
    tidy = tables.tidy("table-3.3", published, records)
    assert bool(tidy[tidy["solver"] == "bfs/bsp"]["too_noisy_to_rank"].iloc[0])


def test_different_graphs_give_no_speed_up(published: pd.DataFrame) -> None:
    other = graph_info("NY", sha256="2" * 64)
    records = [record("bfs/queue", "NY", [100]), record("bfs/bsp", other, [10], backend="cuda")]
    assert cells(tables.page("table-3.3", published, records))["NY"]["h200: speed-up"] == EMPTY


def test_two_records_for_one_cell_are_refused(published: pd.DataFrame) -> None:
    with pytest.raises(RetraceError, match="two records of bfs/queue on NY from h200"):
        tables.page("table-3.3", published, [record("bfs/queue", "NY"), record("bfs/queue", "NY")])


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 µs"),
        (0.00084, "0.840 µs"),
        (0.0123, "12.3 µs"),
        (0.99999, "1.00 ms"),
        (62.982, "63.0 ms"),
        (999.9, "1.00 s"),
        (427_000, "427 s"),
        (9_060_000, "9,060 s"),
    ],
)
def test_times_are_shown_in_the_unit_that_reads_best(ms: float, text: str) -> None:
    assert shown(ms) == text


def test_three_digits() -> None:
    assert [three_digits(x) for x in (0.00692, 1.005, 52.34, 523.4, 5234.0)] == [
        "0.00692",
        "1.00",
        "52.3",
        "523",
        "5,230",
    ]


def test_pages_are_whole(published: pd.DataFrame) -> None:
    records = suite("h200", gpu=True) + suite("local", gpu=False, origin="stand-in", seed=7)
    for table in TABLES:
        page = tables.page(table, published, records)
        markdown, html = render(page, "md"), render(page, "html")
        rows = [line for line in markdown.splitlines() if line.startswith("|")]
        body = sum(len(part.rows) for part in page.tables)
        assert len(page.tables) == 2
        assert len(rows) == body + 4
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 2  # widths: one a table
        assert html.count("<tr>") == body + 4
        assert not re.search(r"https?://|src=|@import", html)
        assert all(f'id="note-{number}"' in html for number in range(1, len(page.notes) + 1))


def test_verification_says_what_came_of_each_record() -> None:
    records = [
        record("bfs/queue", "NY"),
        record("bfs/bsp", "NY", [1], machine="local", backend="emulator"),
        record("bfs/bsp", "NY", backend="cuda", parameters={"block_size": 256}, **WRONG),
        without_answer("bfs/igraph", "NY", "failed", "no memory"),
        without_answer("sssp/dijkstra-linear", "NY", "skipped", "predicted 9 s"),
    ]
    tidy = verification.tidy(records).set_index(["machine", "solver"])
    assert tidy.loc[("h200", "bfs/queue"), "result"] == "agreed"
    assert tidy.loc[("local", "bfs/bsp"), "backend"] == "emulator"
    assert tidy.loc[("local", "bfs/bsp"), "result"] == "agreed"
    assert tidy.loc[("h200", "bfs/bsp"), "result"] == "differs: vertex 3: 4, expected 5"
    assert tidy.loc[("h200", "bfs/bsp"), "settings"] == "block_size=256"
    assert tidy.loc[("h200", "bfs/queue"), "settings"] == ""
    assert tidy.loc[("h200", "bfs/igraph"), "result"] == "failed: no memory"
    assert tidy.loc[("h200", "sssp/dijkstra-linear"), "result"] == "skipped: predicted 9 s"
    page = verification.page(records)
    assert page.summary == "2 of 5 records verified (1 differs, 1 failed, 1 skipped)."
    assert page.summary in render(page, "md")
    assert "differs: vertex 3" in render(page, "html")
    sections = [row.label for row in page.tables[0].rows if not row.cells]
    assert sections == ["h200, table-3.3", "h200, table-3.5", "local, table-3.3"]


@pytest.mark.parametrize("caption", ["table", "figure", "claims", "verification", "workflow"])
def test_captions_are_sound(caption: str) -> None:
    wildcards = SimpleNamespace(experiment="table-3.4", figure="figure-3.4", report="bsp-suite")
    snakemake = SimpleNamespace(wildcards=wildcards, output=SimpleNamespace(md="figure-3.4.md"), config={})
    environment = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    source = (ROOT / "workflow" / "report" / f"{caption}.rst").read_text()
    text = environment.from_string(source).render(snakemake=snakemake)
    settings = {"halt_level": 2, "report_level": 2}
    html = publish_parts(text, writer="html", settings_overrides=settings)["body"]
    assert "<p>" in html
    assert "{" not in html


def run(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "scripts" / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_commands(tmp_path: Path) -> None:
    write_records(tmp_path / "h200.jsonl", suite("h200", gpu=True))
    prefix = tmp_path / "tables" / "table-3.4"
    table = ("--table", "table-3.4", "--published", PUBLISHED, "--output-prefix", prefix, "--records")
    done = run("make_table.py", *table, tmp_path / "h200.jsonl")
    assert done.returncode == 0, done.stderr
    files = sorted(path.name for path in prefix.parent.iterdir())
    assert files == ["table-3.4.csv", "table-3.4.html", "table-3.4.md"]
    done = run(
        "make_verification.py",
        "--records",
        tmp_path / "h200.jsonl",
        "--output-prefix",
        tmp_path / "v" / "all",
    )
    assert re.match(r"\d+ of \d+ records verified", done.stdout)
    assert (tmp_path / "v" / "all.html").exists()


def test_the_commands_leave_nothing_behind_an_error(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{}\n")
    prefix = tmp_path / "tables" / "table-3.3"
    done = run(
        "make_table.py",
        *("--table", "table-3.3", "--published", PUBLISHED, "--output-prefix", prefix),
        *("--records", tmp_path / "bad.jsonl"),
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {tmp_path}/bad.jsonl:1: ")
    assert done.stderr.count("\n") == 1
    assert not prefix.parent.exists()
