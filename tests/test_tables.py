from __future__ import annotations

import re
from math import inf
from typing import Any

import pandas as pd
import pytest

import fabricated
from cuda_device.errors import OneLineError
from fabricated import WRONG, changed, frame, graph_info, measured, phases, record, trial, without_answer
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.publish import tables, verification
from retrace.publish.page import Page, render
from retrace.publish.provenance import provenance
from retrace.records.record import Record, Trial
from retrace.reports import frame as frames
from retrace.reports.wording import (
    EMPTY,
    TIMES,
    duration,
    power_of_two,
    side_by_side,
    three_digits,
    word_list,
)

OWNERS = {"table-2": "tuwien-sssp", "generators": "tuwien-sssp"}


def three(solve: float, **phases: float) -> list[Trial]:
    """Fabricate trials that differ, as measured ones do."""
    return [trial(solve * factor, **phases) for factor in (0.999, 1, 1.001)]


def made(experiment: str, *records: Record) -> Page:
    found, report = frame(records, OWNERS.get(experiment, "bsp-suite"))
    return tables.page(found, experiment, report)


def tidy(experiment: str, *records: Record) -> pd.DataFrame:
    found, report = frame(records, OWNERS.get(experiment, "bsp-suite"))
    return frames.table(found.of(experiment), report.tables[experiment])


def cells(page: Page) -> dict[str, dict[str, str]]:
    """Return each row's texts by `group: column`, those of all the page's tables together."""
    found: dict[str, dict[str, str]] = {}
    for table in page.tables:
        heads = [f"{group}: {head}" for group, head in table.columns]
        for row in table.rows:
            texts = (cell.text for cell in row.cells)
            found.setdefault(row.label, {}).update(zip(heads, texts, strict=False))
    return found


def sections(page: Page, table: int = 0) -> dict[tuple[str, str, str], str]:
    """Return the texts of a table with solvers as rows, by section, row and column."""
    found, section = {}, ""
    (heads,) = page.tables[table].groups.values()
    for row in page.tables[table].rows:
        if not row.cells:
            section = row.label.split(",")[0]
        for head, cell in zip(heads, row.cells, strict=False):
            found[section, row.label, head] = cell.text
    return found


def test_printed_cells_stand_as_printed() -> None:
    found = cells(made("table-3.5"))
    assert list(found) == ["small-6", "small-9", "NY", "NW"]
    texts = ["1,207,945", "2,840,208", "2 h 31 min", "42.025 s", "1.06 s"]
    machines = ("sequential (Athlon II x4 630)", "Machine1 (GT 520)", "Machine2 (GT 730)")
    heads = [": Vertices", ": Arcs", *(f"printed: {machine}" for machine in machines)]
    assert found["NW"] == dict(zip(heads, texts, strict=True))


def test_printed_numbers_of_a_table_by_solvers_stand_as_printed() -> None:
    page = made("table-2")
    dense, sparse = sections(page), sections(page, 1)
    assert [t.heading.split(";")[0] for t in page.tables] == ["50 arcs per vertex", "5 arcs per vertex"]
    assert (dense["Home", "Standard", "2¹⁹"], dense["Home", "Standard", "2¹⁴"]) == ("255", "3 / 6")
    assert (dense["Home", "Standard", "2²⁰"], dense["Institute", "Thrust", "2²²"]) == (EMPTY, "831")
    assert sparse["Institute", "Pinned", "2²³"] == "342"
    numbers = [text for found in (dense, sparse) for cell in found.values() for text in cell.split(" / ")]
    assert sum(int(text) for text in numbers if text != EMPTY) == 16555
    assert len([text for text in numbers if text != EMPTY]) == 318
    marked = [cell.text for table in page.tables for row in table.rows for cell in row.cells if cell.notes]
    assert marked == ["1", "1", "3", "6", "24", "31", "52"]
    assert page.notes[0].startswith("Too fast to be what the head says")


def test_measured_numbers_land_in_their_cells() -> None:
    page = made(
        "table-3.3",
        record("bfs/queue", "NY", [99, 100, 101]),
        record("bfs/bsp", "NY", [9, 10, 11], backend="cuda", setup=150),
        record("bfs/igraph", "NY", [0.5]),
        record("bfs/queue", "NY", [2000], machine="local"),
        record("sssp/dijkstra-heap", "NY", [7]),
    )
    found = cells(page)["NY"]
    assert found["h200: sequential (bfs/queue)"] == "100 ms (n=3)"
    assert found["h200: CUDA (bfs/bsp)"] == "10.0 ms (n=3)"
    assert found["h200: speed-up"] == f"10.0{TIMES}"
    assert found["h200: setup of bfs/bsp"] == "150 ms"
    assert found["h200: bfs/bsp with setup"] == "160 ms"
    told = "NY 160 ms in place of 10.0 ms (printed: 1.38 s and 341 ms)"
    assert f"h200, bfs/bsp with its setup: {told}." in page.remarks
    assert not any(remark.startswith("local, bfs/bsp") for remark in page.remarks)
    assert found["h200: bfs/igraph"] == "500 µs (n=1)"
    own, beside = ([head for _, head in table.columns] for table in page.tables)
    assert ("bfs/igraph" in own, beside) == (False, ["bfs/igraph"])
    assert found["local: sequential (bfs/queue)"] == "2.00 s (n=1)"
    assert not any(re.search("local: (CUDA|speed-up)|dijkstra|scipy", head) for head in found)
    assert cells(page)["NW"]["h200: CUDA (bfs/bsp)"] == EMPTY
    assert [row.label for row in page.tables[1].rows] == ["NY"]  # the only one that a library was timed on
    assert page.notes == []
    assert any("fewer than 5" in remark for remark in page.remarks)


def test_setup_is_added_to_the_whole_total() -> None:
    one = measured("bfs/bsp", "table-3.3", "NY", three(5.0, kernel=1.0, upload=45.0))
    assert cells(made("table-3.3", one))["NY"]["h200: bfs/bsp with setup"] == "150 ms"


def test_a_time_has_its_quartiles_and_minimum_beside_it() -> None:
    page = made("table-3.3", record("bfs/queue", "NY", [1, 2, 4, 8, 16]))
    tip = "bfs/queue: median of 5; quartiles 2.00 ms to 8.00 ms; minimum 1.00 ms"
    assert f'title="{tip}">4.00 ms</td>' in render(page, "html")


def test_betweenness_shows_its_search_with_the_total_beside_it() -> None:
    one = measured("betweenness/vert-comp", "brandes-variants", "Gowalla", three(7.0, upload=120.0))
    wrong = record("betweenness/vert", "Gowalla", machine="h200", experiment="brandes-variants", **WRONG)
    found, report = frame([one, wrong], "domitrz-brandes")
    page = tables.page(found, "brandes-variants", report)
    assert page.tables[0].groups == {"Gowalla": ["solve", "total"]}
    texts = {row.label: [cell.text for cell in row.cells] for row in page.tables[0].rows if row.cells}
    assert texts == {"vert-comp": ["7.00 ms (n=3)", "127 ms (n=3)"], "vert": ["not verified"] * 2}
    assert "solve and, beside it, total" in page.summary
    assert page.remarks[0].startswith("Not in solve, the search, but in the total: removing vertices")


def test_a_kernel_time_that_is_not_known_is_no_number() -> None:
    thrust = measured("sssp/thrust", "table-2", "random-19-50", phases(kernel=None))
    thrust = changed(thrust, backend="cuda", machine=fabricated.machine_info("h200", True))
    found, report = frame([thrust], "tuwien-sssp")
    layout = report.tables["table-2"].model_copy(update={"by": "kernel"})
    page = tables.page(found, "table-2", report.model_copy(update={"tables": {"table-2": layout}}))
    row = next(row for row in page.tables[0].rows[::-1] if row.label == "Thrust")
    printed = next(row for row in page.tables[0].rows if row.label == "Thrust")
    assert {cell.text for cell in printed.cells[::2]} == {""}  # they are totals
    place = next(number for number, cell in enumerate(row.cells) if cell.times)
    assert [cell.text for cell in row.cells[place - 1 : place + 1]] == [EMPTY, "1.01"]
    assert "kernels alone" not in render(page, "html")
    assert tidy("table-2", thrust)["kernel_median_ms"].isna().all()


def test_measured_milliseconds_stand_under_printed_ones() -> None:
    page = made(
        "table-2",
        measured("sssp/standard", "table-2", "random-19-50", three(1233.8, kernel=1.0, upload=26.2)),
        measured("sssp/standard", "table-2", "random-10-5", three(0.012, kernel=0.001, upload=0.0051)),
        measured("sssp/mask-sequential", "table-2", "random-19-50", three(70.0), "local"),
        measured("sssp/dijkstra-heap", "table-2", "random-19-50", three(8.0)),
    )
    dense = sections(page)
    assert dense["h200", "Standard", "2¹⁹"] == "1,260 (n=3)"
    assert dense["h200", "Standard", "2¹⁰"] == EMPTY
    assert dense["h200", "dijkstra-heap", "2¹⁹"] == "8.00 (n=3)"  # not the report's, so under its own name
    assert dense["local", "Sequential", "2¹⁹"] == "70.0 (n=3)"
    assert sections(page, 1)["h200", "Standard", "2¹⁰"] == "0.0171 (n=3)"
    assert not any(place[:2] in {("local", "Standard"), ("h200", "Pinned")} for place in dense)


def test_variants_of_one_solver_are_told_apart_by_what_differs() -> None:
    found, report = frame(fabricated.bellman_ford("h200", gpu=True, sizes=[256, 512]), "an-bellman-ford")
    page = tables.page(found, "bellman-ford-transfer", report)
    rows = [row.label for row in page.tables[0].rows]
    assert rows[1:4] == ["dense", "pinned", "streams:parts=1"]
    assert "streams-pinned:parts=32" in rows
    assert page.tables[0].groups == {"": ["dense-256", "dense-512"]}
    sparse = tables.page(found, "bellman-ford-sparse", report)
    rows = [row.label for row in sparse.tables[0].rows]
    assert {"edge-list", "edge-list:edges_per_thread=4"} <= set(rows)
    assert "What the report says of it in words is judged in claims-an-bellman-ford." in page.remarks


@pytest.mark.parametrize(
    ("shown", "given"),
    [
        ([""], [{"precision": "float"}]),
        (["", ":precision=float"], [{"precision": "double"}, {"precision": "float"}]),
        ([":block_size=64", ":block_size=512"], [{"block_size": 64}, {"block_size": 512}]),
        (
            ["", ":precision=float", ":compacted=yes"],
            [{"precision": "double"}, {"precision": "float", "compacted": "no"}, {"compacted": "yes"}],
        ),
        ([f":bitmap_kib={n}" for n in (1, 2, 64)], [{"bitmap_kib": n} for n in (1, 2, 64)]),
    ],
)
def test_a_name_leaves_out_defaults_except_of_a_sweep(
    shown: list[str], given: list[dict[str, int | str]]
) -> None:
    """A setting of three or more values is a sweep; a record from before a setting was there has no value."""
    defaults = {"precision": "double", "compacted": "no", "bitmap_kib": 64, "block_size": 1024}
    assert defaults.items() <= CATALOGUE.find("betweenness/bitmap-queue").defaults.items()
    found = frames.build(
        [record("betweenness/bitmap-queue", "NY", parameters=parameters) for parameters in given]
    )
    assert [entry.name for entry in found.measured] == [f"bitmap-queue{end}" for end in shown]
    assert len(found.rows[0].measured) == len(given)


def test_the_reports_own_stand_first_then_ours_then_libraries() -> None:
    found, report = frame(fabricated.brandes("h200", gpu=True), "domitrz-brandes")
    page = tables.page(found, "brandes-variants", report)
    rows = [row.label for row in page.tables[0].rows[1:]]
    assert set(rows[-2:]) == {"networkit", "igraph"}
    assert set(rows[-4:-2]) == {"lanes", "auto"}


def test_a_table_of_printed_times_describes_the_reports_machines() -> None:
    page = made("table-2")
    home = "Home, printed: i7-6700 4GHz, 16GB, GTX1060 6GB, CUDA 10.1."
    institute = "Institute, printed: i7-5820K 3.3GHz, 32GB, GTX TITAN X 12GB, CUDA 9.0.176."
    assert [text for text in page.remarks if ", printed: " in text] == [home, institute]
    unprinted = made("generators", measured("generate/tree-first", "generators", "random-14-5", phases()))
    assert not [text for text in unprinted.remarks if ", printed: " in text]


def test_a_rate_stands_beside_its_time() -> None:
    one = measured("generate/tree-first", "generators", "random-14-5", phases(0.63, 10.6))
    page = made("generators", one)
    found = cells(page)["random-14-5"]
    assert found["h200: generate/tree-first"] == "11.2 ms"
    assert found["h200: tree-first: million arcs per second"] == "7.29"
    assert "The report prints no numbers for it." in page.summary


def test_the_tidy_table_has_the_statistics() -> None:
    host = record("bfs/queue", "NY", [99, 100, 101])
    found = tidy("table-3.3", host, record("bfs/bsp", "NY", [9, 10, 11], backend="cuda", setup=150))
    assert (found["source"] == "printed").sum() == 12
    row = found[(found["solver"] == "bfs/bsp") & (found["source"] == "measured")].iloc[0]
    assert (row["label"], row["machine"], row["hardware"], row["n"]) == ("NY", "h200", "NVIDIA H200", 3)
    assert (row["median_ms"], row["q1_ms"], row["q3_ms"], row["min_ms"]) == (10, 9.5, 10.5, 9)
    assert (row["setup_median_ms"], row["kernel_median_ms"], row["kernel_min_ms"]) == (150, 5, 4.5)
    assert (row["speedup"], bool(row["too_noisy_to_rank"])) == (10, False)
    assert row["arcs_per_second"] == 733_846 / 0.010


def test_the_tidy_table_has_every_cell_and_record() -> None:
    records = fabricated.sweep("h200", gpu=True)
    found = tidy("table-2", *records)
    printed = found[found["source"] == "printed"]
    assert (len(printed), printed["median_ms"].sum()) == (318, 16555)
    assert (printed["doubt"] == "too-fast").sum() == 7
    assert (printed["occurrence"] == 2).sum() == 24
    assert len(found) == 318 + len(records)


def test_machines_with_a_gpu_come_first_then_those_of_the_first_records() -> None:
    records = [record("bfs/queue", "NY", machine=name) for name in ("local", "h200", "a100")]
    groups = made("table-3.3", *records).tables[0].groups
    assert list(groups) == ["", "printed", "h200", "local", "a100"]


@pytest.mark.parametrize(
    ("bad", "text"),
    [(record("bfs/bsp", "NY", [12.34], backend="cuda", **WRONG), "not verified"),
     (without_answer("bfs/bsp", "NY", "failed", "out | of\nmemory", backend="cuda"), "failed"),
     (without_answer("bfs/bsp", "NY", "skipped", "no <GPU>", backend="cuda"), "skipped")],
)  # fmt: skip
def test_no_verified_answer_no_number(bad: Record, text: str) -> None:
    page = made("table-3.3", record("bfs/queue", "NY", [99, 100, 101]), bad)
    found = cells(page)["NY"]
    assert found["h200: CUDA (bfs/bsp)"] == text
    assert page.notes == [f"NY, bfs/bsp on h200: {text}, {bad.reason}."]
    assert found["h200: speed-up"] == EMPTY
    shown = tidy("table-3.3", bad)
    row = shown[shown["source"] == "measured"].iloc[0]
    assert row[["n", "median_ms", "min_ms", "setup_median_ms", "speedup"]].isna().all()
    for form in ("md", "html"):
        assert "12.3" not in render(page, form)
    assert "<GPU>" not in render(page, "html")


def test_the_emulator_gives_no_times() -> None:
    emulated = record("bfs/bsp", "NY", [12.34], machine="local", backend="emulator")
    page = made("table-3.3", emulated)
    assert list(page.tables[0].groups) == ["", "printed"]
    assert "Checked on the emulator, not timed: 1 of 1 answers agree." in page.remarks
    assert (tidy("table-3.3", emulated)["source"] == "printed").all()


def test_a_stand_in_never_stands_in_the_graphs_row() -> None:
    stand_in = graph_info("NY", origin="stand-in", seed=7)
    records = [
        record("bfs/queue", "NY", [9, 10, 11]),
        record("bfs/queue", stand_in, [19, 20, 21], machine="local"),
    ]
    page = made("table-3.3", *records)
    found = cells(page)
    assert found["NY"]["local: sequential (bfs/queue)"] == EMPTY
    assert found["NY (stand-in)"]["local: sequential (bfs/queue)"] == "20.0 ms (n=3)"
    assert found["NY (stand-in)"]["h200: sequential (bfs/queue)"] == EMPTY
    assert found["NY (stand-in)"]["printed: Machine1 (GT 520)"] == ""
    assert "stand-in (seed 7)" in page.notes[0]
    shown = tidy("table-3.3", *records)
    assert list(shown[shown["machine"] == "local"]["label"]) == ["NY (stand-in)"]
    alone = cells(made("table-3.3", records[1]))
    assert alone["NY"]["local: sequential (bfs/queue)"] == EMPTY


def test_generated_weights_and_other_counts_are_told() -> None:
    other = graph_info("NW", weights="generated", seed=7, edition="pace16", arcs=2_820_774)
    page = made("table-3.5", record("sssp/bsp", other, backend="cuda"))
    labels = [row.label for row in page.tables[0].rows]
    assert labels == ["small-6", "small-9", "NY", "NW (weights generated)"]
    assert page.tables[0].notes["NW (weights generated)"] == page.notes
    assert "weights generated from seed 7" in page.notes[0]
    assert "2,820,774 arcs; printed: 1,207,945 and 2,840,208" in page.notes[1]
    levels = made("table-3.3", record("bfs/bsp", other, backend="cuda"))
    assert levels.tables[0].rows[3].label == "NW"
    assert len(levels.notes) == 1
    few = graph_info("random-19-50", arcs=9)
    random = made("table-2", measured("sssp/standard", "table-2", few, phases()))
    assert "h200: random-19-50 has 524,288 vertices and 9 arcs." in random.notes


def test_the_printed_row_stands_beside_the_far_pair() -> None:
    records = [
        record(
            "stcon/bsp", "NY", [time], backend="cuda", parameters={"pair": pair, "target": 1, "loop": "c++"}
        )
        for pair, time in (("near", 1), ("far", 20), ("unreachable", 300))
    ]
    page = made("table-3.4", *records)
    found = cells(page)
    assert [row.label for row in page.tables[0].rows[4:]] == ["NY, near pair", "NY, unreachable pair"]
    assert found["NY"]["h200: CUDA (stcon/bsp)"] == "20.0 ms (n=1)"
    assert found["NY, near pair"]["h200: CUDA (stcon/bsp)"] == "1.00 ms (n=1)"
    assert found["NY, near pair"]["printed: Machine2 (GT 730)"] == ""


def test_unsure_speed_ups_are_marked_and_what_does_not_compare_has_none() -> None:
    noisy = [record("bfs/queue", "NY", [10, 12, 14]), record("bfs/bsp", "NY", [9, 11, 13], backend="cuda")]
    assert cells(made("table-3.3", *noisy))["NY"]["h200: speed-up"] == f"~ 1.09{TIMES}"
    shown = tidy("table-3.3", *noisy)
    assert list(shown["too_noisy_to_rank"].dropna()) == [True]
    slow, fast = record("bfs/queue", "NY"), record("bfs/bsp", "NY", backend="cuda")
    elsewhere = fast.machine.model_copy(update={"host": "0123456789ab"})
    later = fast.software.model_copy(update={"git_commit": "9" * 40})
    for what, different in (
        ("graph", {"graph": graph_info("NY", sha256="2" * 64)}),
        ("host", {"machine": elsewhere}),
        ("host", {"machine": fast.machine.model_copy(update={"memory_gib": 252.0})}),
        ("commit", {"software": later}),
    ):
        page = made("table-3.3", slow, changed(fast, **different))
        assert cells(page)["NY"]["h200: speed-up"] == EMPTY
        assert f"h200: bfs/queue was measured on another {what} than bfs/bsp." in page.notes


@pytest.mark.parametrize("turned", [1, -1])
def test_the_printed_row_is_that_of_the_named_graph(turned: int) -> None:
    own, weighted = record("sssp/bsp", "NY", [3]), graph_info("NY", weights="generated", sha256="3" * 64)
    stand_in = graph_info("NY", origin="stand-in", sha256="4" * 64)
    others = [record("sssp/bsp", weighted, [5]), record("sssp/bsp", stand_in, [7])]
    printed, head = "printed: sequential (Athlon II x4 630)", "h200: CUDA (sssp/bsp)"
    found = cells(made("table-3.5", *[own, *others][::turned]))
    assert (found["NY"][head], found["NY"][printed]) == ("3.00 ms (n=1)", "7 min 7 s")
    for name, time in (("NY (weights generated)", "5.00 ms (n=1)"), ("NY (stand-in)", "7.00 ms (n=1)")):
        assert (found[name][head], found[name][printed]) == (time, "")
    found = cells(made("table-3.5", *others[::turned]))
    nearest = "NY (weights generated)"  # the arcs at least are those of the report
    assert (found[nearest][head], found[nearest][printed]) == ("5.00 ms (n=1)", "7 min 7 s")
    found = cells(made("table-3.5", others[1]))
    assert (found["NY"][head], found["NY"][printed]) == (EMPTY, "7 min 7 s")


def test_two_records_for_one_cell_are_refused() -> None:
    with pytest.raises(OneLineError, match="two records of bfs/queue on NY from h200"):
        made("table-3.3", record("bfs/queue", "NY"), record("bfs/queue", "NY"))


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 ns"), (0.00084, "840 ns"), (0.0123, "12.3 µs"), (0.99999, "1.00 ms"), (62.982, "63.0 ms"),
        (999.9, "1.00 s"), (427_000, "427 s"), (9_060_000, "9,060 s"),
    ],
)  # fmt: skip
def test_times_are_shown_in_the_unit_that_reads_best(ms: float, text: str) -> None:
    assert duration(ms) == text


def test_numbers_and_lists_are_written_alike_everywhere() -> None:
    written = [three_digits(x) for x in (0.00692, 1.005, 52.34, 523.4, 5234.0, inf)]
    assert written == ["0.00692", "1.00", "52.3", "523", "5,230", "∞"]
    assert (power_of_two(2**20), power_of_two(264_346)) == ("2²⁰", "264,346")
    assert [word_list(words.split()) for words in ("a", "a b", "a b c")] == ["a", "a and b", "a, b and c"]


@pytest.mark.parametrize(
    ("said", "written"),
    [
        (["2 ms on NW"], "2 ms on NW"),
        (["2 ms on NW", "2 ms on NW"], "2 ms on NW (a and b)"),
        (["2 ms on NW", "3 ms on NW"], "2 ms (a) and 3 ms (b) on NW"),
        (["2 ms on NW", "3 ms on NY"], "2 ms on NW (a) and 3 ms on NY (b)"),
        (["2 ms on NW", "3 ms on NW", "4 ms on NW"], "2 ms (a), 3 ms (b) and 4 ms (c) on NW"),
        (["edge by 2 ms on NW", "edge by 3 ms on NW"], "edge by 2 ms (a) and 3 ms (b) on NW"),
        (["edge by 2 ms on NW", "vert by 2 ms on NW"], "edge by 2 ms (a) and vert by 2 ms (b) on NW"),
        (["2 ms", "2 ms (no GPU)"], "2 ms (a) and 2 ms (no GPU) (b)"),
        (["31%", "33%, most on NW"], "31% (a) and 33%, most on NW (b)"),
    ],
)
def test_what_several_machines_say_is_said_once(said: list[str], written: str) -> None:
    assert side_by_side(dict(zip("abc", said, strict=False))) == written


@pytest.mark.parametrize("experiment", ["table-3.3", "table-3.4", "table-3.5", "table-2"])
def test_pages_are_whole(experiment: str) -> None:
    if experiment == "table-2":
        records = fabricated.sweep("h200", gpu=True) + fabricated.sweep("local", gpu=False, largest=16)
    else:
        records = fabricated.suite("h200", gpu=True) + fabricated.suite(
            "local", gpu=False, origin="stand-in", seed=7
        )
    page = made(experiment, *records)
    markdown, html = render(page, "md"), render(page, "html")
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    body = sum(len(part.rows) for part in page.tables)
    assert len(page.tables) == 2
    assert len(rows) == body + 4
    assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 2  # widths: one per table
    assert body + 2 <= html.count("<tr>") <= body + 4
    assert not re.search(r"https?://|src=|@import", html)
    assert all(f'id="note-{number}"' in html for number in range(1, len(page.notes) + 1))


def test_a_page_says_what_its_numbers_come_from() -> None:
    checked = [
        record("bfs/bsp", "NY", [1], "local", "emulator"),
        record("bfs/bsp", "NW", [1], "local", "emulator", **WRONG),
    ]
    dirty = record("bfs/queue", "NY").software.model_copy(update={"git_commit": "abcdef0123", "dirty": True})
    page = render(made("table-3.3", record("bfs/queue", "NY", software=dirty), *checked), "md")
    assert "1 of 2 answers agree; not bfs/bsp (vertex 3: 4, expected 5)" in page
    assert "commit abcdef0123 with changes" in page


def test_a_page_says_which_hosts_and_commits_it_mixes() -> None:
    one, other = record("bfs/queue", "NY"), record("bfs/bsp", "NY", backend="cuda")
    assert not any("Mixed" in remark for remark in made("table-3.3", one, other).remarks)
    elsewhere = other.machine.model_copy(update={"host": "0123456789ab"})
    later = other.software.model_copy(update={"git_commit": "9" * 40})
    page = made("table-3.3", one, changed(other, machine=elsewhere, software=later))
    hosts = "of 2 hosts: one of 8 GiB (1 record), 0123456789ab (1 record)"
    commits = "of 2 commits: 0123456789 (1 record), 9999999999 (1 record)"
    (told,) = [remark for remark in page.remarks if remark.startswith("h200: ")]
    assert f" Mixed, {hosts}; {commits}; times are compared only within one." in told
    assert told.endswith(" Of fewer than 3 processes: all records, with the margin of a single process.")
    several = changed(other, trials=[trial(1.0).model_copy(update={"round": number}) for number in range(3)])
    (mixed,) = [remark for remark in made("table-3.3", one, several).remarks if remark.startswith("h200: ")]
    assert " Of fewer than 3 processes: 1 record," in mixed
    local = changed(other, machine=fabricated.machine_info("local", True), software=later)
    assert not any("Mixed" in remark for remark in made("table-3.3", one, local).remarks)


@pytest.mark.parametrize(
    ("days", "said"),
    [(("2026-03-02",), "2026-03-02"), (("2026-03-02", "2026-03-02"), "2026-03-02"),
     (("2026-03-02", "2025-12-31", "2026-01-09"), "2025-12-31 to 2026-03-02")],
)  # fmt: skip
def test_a_machines_line_has_the_days_of_its_records(days: tuple[str, ...], said: str) -> None:
    one = record("bfs/queue", "NY")
    records = [changed(one, started=f"{day}T10:00:00+00:00") for day in days]
    entries = [entry for made_then in records for entry in frame([made_then], "bsp-suite")[0].measured]
    told = provenance("h200", entries)
    assert told.startswith("h200: Some CPU, 2 cores, 8 GiB; ")
    assert f"; {said}. Of fewer than 3 processes: all records" in told


def test_a_reason_is_not_taken_for_markdown() -> None:
    bad = without_answer("bfs/queue", "NY", "failed", r"E: <b> | \x _y_ [z]")
    page = render(verification.page(frame([bad], "bsp-suite")[0]), "md")
    assert r"E: &lt;b> \| \\x \_y\_ \[z\]" in page


def test_verification_says_what_came_of_each_record() -> None:
    wrong: dict[str, Any] = {"parameters": {"block_size": 256}, **WRONG}
    found, _ = frame(
        [
            record("bfs/queue", "NY"),
            record("bfs/bsp", "NY", [1], "local", "emulator"),
            record("bfs/bsp", "NY", backend="cuda", **wrong),
            without_answer("bfs/igraph", "NY", "failed", "no memory"),
            without_answer("sssp/dijkstra-linear", "NY", "skipped", "predicted 9 s"),
        ],
        "hong-bfs",
    )
    shown = verification.tidy(found).set_index(["machine", "solver"])
    assert shown[["backend", "settings", "result"]].apply(tuple, axis=1).to_dict() == {
        ("h200", "bfs/queue"): ("host", "", "agreed"),
        ("local", "bfs/bsp"): ("emulator", "loop=c++", "agreed"),
        ("h200", "bfs/bsp"): ("cuda", "block_size=256", "differs: vertex 3: 4, expected 5"),
        ("h200", "bfs/igraph"): ("host", "", "failed: no memory"),
        ("h200", "sssp/dijkstra-linear"): ("host", "", "skipped: predicted 9 s"),
    }
    page = verification.page(found)
    assert page.summary == "2 of 5 records verified (1 differs, 1 failed, 1 skipped)."
    assert page.summary in render(page, "md")
    assert "differs: vertex 3" in render(page, "html")
    named = [row.label for row in page.tables[0].rows if not row.cells]
    assert named == ["h200, table-3.3", "h200, table-3.5", "local, table-3.3"]
