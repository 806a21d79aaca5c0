"""Pages that mirror no report: what is fast today, and the constants of a machine."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from fabricated import WRONG, changed, fast, frame, limits, phases, warm, with_sources
from retrace.publish import tables
from retrace.publish.page import Page, render
from retrace.publish.today import Tables, factors, races
from retrace.records.record import Energy, Record
from retrace.reports.wording import EMPTY


def made(experiment: str, records: Iterable[Record]) -> Page:
    found, report = frame(records, "today")
    return tables.page(found, experiment, report)


def table_of(page: Page, heading: str) -> dict[str, dict[str, str]]:
    """Return each row's texts by column, in the order of the rows, of the table whose heading begins so."""
    (table,) = (table for table in page.tables if table.heading.startswith(heading))
    heads = [head for _, head in table.columns]
    return {row.label: dict(zip(heads, (cell.text for cell in row.cells), strict=True)) for row in table.rows}


def test_first_searches_and_resident_ones_stand_side_by_side() -> None:
    """All have both, so that rows are ordered by the resident time; a library's first makes its graph."""
    page = made("fast-bfs", warm(fast("h200", True)))
    assert page.title == "Breadth-first search today"
    assert [table.heading for table in page.tables] == [
        "Gowalla on h200: 196,591 vertices, 1,900,654 arcs",
        "NY on h200: 264,346 vertices, 733,846 arcs",
        "random-20-5 on h200: 1,048,576 vertices, 5,242,880 arcs",
        "NW on h200: 1,207,945 vertices, 2,840,208 arcs",
    ]
    york = table_of(page, "NY ")
    assert list(york) == ["limit", "bfs/cluster", "bfs/direction", "bfs/gapbs", "bfs/queue", "bfs/bsp"]
    assert (york["limit"]["first search"], york["limit"]["resident"]) == (EMPTY, "184 µs")
    assert "NY on h200: a launch (10.0 µs) and 620 levels of a barrier and 2 loads (280 ns)." in page.notes
    assert york["bfs/cluster"] == {
        "first search": "1.11 ms", "resident": "480 µs", "published takes, first search": "15.4×",  # noqa: RUF001
        "published takes, resident": "27.7×", "prepare": "30.0 ms", "least in all, searches": "from 1",  # noqa: RUF001
        "million arcs/s": "1,530", "GB/s": "10.5", "whose": "ours", "on": "GPU", "setup": EMPTY,
    }  # fmt: skip
    assert york["bfs/gapbs"]["on"] == "2 cores"
    assert (york["bfs/gapbs"]["setup"], york["bfs/gapbs"]["first search"]) == ("100 ms", "107 ms")
    assert york["bfs/queue"]["on"] == "1 core"
    assert york["bfs/bsp"]["published takes, resident"] == "1.00×"  # noqa: RUF001
    assert {name: cells["whose"] for name, cells in york.items()} == {
        "limit": EMPTY, "bfs/cluster": "ours", "bfs/direction": "ours", "bfs/gapbs": "library",
        "bfs/queue": "published", "bfs/bsp": "published",
    }  # fmt: skip
    text = render(page, "md")
    assert "The report" not in text
    assert "Rows are ordered by resident where all have it" in " ".join(text.split())


def test_it_has_paid_from_the_search_on_at_which_all_together_take_less() -> None:
    """On random-20-5: 0.63 ms and 0.106 for each further one; 1.41 and 0.06 are less from the 18th on."""
    quick = warm(fast("h200", True), share=0.8)
    quick = [
        changed(one, trials=[t.model_copy(update={"again": 0.05}) for t in one.trials])
        if (one.solver, one.graph.name) == ("bfs/cluster", "random-20-5")
        else one
        for one in quick
    ]
    cells = table_of(made("fast-bfs", quick), "random-20-5")
    direction, cluster = ((ms + 0.51, further + 0.01) for ms, further in ((0.12, 0.096), (0.9, 0.05)))
    paid = next(
        n for n in range(1, 99) if cluster[0] + (n - 1) * cluster[1] < direction[0] + (n - 1) * direction[1]
    )
    assert cells["bfs/cluster"]["least in all, searches"] == f"from {paid}" == "from 18"
    assert cells["bfs/direction"]["least in all, searches"] == "1 to 17"
    assert cells["bfs/bsp"]["least in all, searches"] == EMPTY


def test_energy_stands_beside_the_time_with_idle_power() -> None:
    used = Energy(searches=4000, seconds=2.0, joules=600.0, idle_watts=119.0)
    found = [
        changed(one, energy=used) if one.solver == "bfs/cluster" else one for one in warm(fast("h200", True))
    ]
    page = made("fast-bfs", found)
    york = table_of(page, "NY ")
    assert (york["bfs/cluster"]["mJ"], york["bfs/cluster"]["W (idle)"]) == ("150", "300 (119)")
    assert (york["bfs/bsp"]["mJ"], york["bfs/bsp"]["W (idle)"]) == (EMPTY, EMPTY)
    assert any("mJ" in remark for remark in page.remarks)


def test_a_search_that_may_end_early_has_no_bandwidth() -> None:
    found = warm(fast("h200", True))
    assert "GB/s" not in table_of(made("fast-stcon", found), "NY ")["stcon/cluster"]
    cells = table_of(made("fast-sssp", found), "NY ")["sssp/cluster"]
    assert cells["GB/s"] == f"{4 * (2 * 264_346 + 1 + 2 * 733_846) / 1.2e-3 / 1e9:.2f}"


def test_a_cold_solve_is_never_a_resident_time() -> None:
    """Old records: further searches of ours alone. What has none has a dash, and no ratio by it."""
    york = table_of(made("fast-bfs", warm(fast("h200", True), "bfs/cluster", "bfs/direction")), "NY ")
    assert list(york) == ["limit", "bfs/cluster", "bfs/direction", "bfs/queue", "bfs/bsp", "bfs/gapbs"]
    assert [york[f"bfs/{name}"]["resident"] for name in ("cluster", "queue", "bsp", "gapbs")] == [
        "480 µs", EMPTY, EMPTY, EMPTY,
    ]  # fmt: skip
    assert york["bfs/cluster"]["published takes, first search"] == "15.4×"  # noqa: RUF001
    assert "published takes, resident" not in york["bfs/cluster"]  # no row has it
    assert york["bfs/bsp"]["least in all, searches"] == EMPTY


def test_without_further_searches_of_the_other_a_preparation_has_paid_then_or_later() -> None:
    found = [one for one in fast("h200", True) if one.solver in ("bfs/queue", "bfs/cluster")]
    slow = warm([
        changed(one, trials=phases(20.0, 0.6, 0.5)) if one.solver == "bfs/cluster" else one for one in found
    ], "bfs/cluster")  # fmt: skip
    york = table_of(made("fast-bfs", slow), "NY ")
    assert york["bfs/cluster"]["least in all, searches"] == "≥ 4"
    assert list(york) == ["bfs/queue", "bfs/cluster"]  # by the first search, which both have


def drawn(records: Iterable[Record]) -> list[Record]:
    """Make records of breadth-first search from the first of 64 sources."""
    return [with_sources(one) for one in records if one.experiment == "fast-bfs"]


def tables_of(records: Iterable[Record]) -> Tables:
    found, report = frame(records, "today")
    assert report is not None
    return Tables(races([report], found))


def rows_of(table: str, title: str = "BFS") -> list[list[str]]:
    """Return the cells of the rows whose title begins so, of all tables in a text."""
    plain = table.replace("\N{NO-BREAK SPACE}", " ")
    rows = [line.strip("|").split("|") for line in plain.splitlines() if line.startswith("|")]
    return [row for row in rows if row[0].startswith(title)]


def test_the_table_of_today_has_both_times_and_names_the_sources() -> None:
    text = tables_of([*drawn(warm(fast("h200", True))), *drawn(fast("rtx", True))]).all_graphs
    first, further = (rows_of(part) for part in text.split("## Resident"))
    graphs = [f"BFS, {graph}, 64 sources" for graph in ("NY", "NW", "random-20-5", "Gowalla")]
    assert [row[0] for row in first] == [row[0] for row in further] == graphs
    assert first[0][1:] == [
        "17.1 ms (15.4×)<br>`bsp`", "107 ms (96.3×)<br>`gapbs`, 2 cores", "1.11 ms<br>`cluster`",  # noqa: RUF001
    ]  # fmt: skip
    assert further[0][-2:] == ["480 µs<br>`cluster`", "1"]
    assert "Measured on h200: medians of 5 trials; each search but betweenness's from 64 sources." in text
    cold = tables_of(warm(fast("h200", True), "bfs/cluster")).all_graphs
    assert rows_of(cold, "BFS, NY")[1][1:] == [EMPTY, EMPTY, "480 µs<br>`cluster`", "1"]
    assert "each search but betweenness's from 1 source; pairs far apart." in cold
    nothing = tables_of([]).front
    assert "no machine" in nothing
    assert nothing.startswith("A first search leads")


def test_a_sentence_says_where_a_gpu_wins() -> None:
    every = warm(fast("h200", True))
    assert tables_of(every).front.startswith("A GPU wins 5 of 5 rows. A first search leads")
    slow = [
        changed(one, trials=phases(200.0, 0.6, 0.5))
        if (one.graph.name, one.problem) == ("NY", "bfs") and one.solver != "bfs/queue"
        else one
        for one in every
    ]
    assert tables_of(slow).front.startswith("A GPU wins 4 of 5 rows, a CPU BFS, roads of New York. A first")
    queue = next(one for one in every if one.graph.name == "NY" and one.solver == "bfs/queue")
    equal = [
        changed(one, trials=queue.trials) if one.graph.name == "NY" and one.solver == "bfs/cluster" else one
        for one in slow
    ]
    assert tables_of(equal).front.startswith("A GPU wins 4 of 5 rows; 1 cannot be told. A first")


def test_the_footnote_says_what_n_is_where_some_trials_are_few() -> None:
    every = warm(fast("h200", True))
    footnote = tables_of(every).front.partition("<sub>")[2]
    assert "medians of 5 trials;" in footnote
    slow = [changed(one, trials=one.trials[:1]) if one.solver == "bfs/bsp" else one for one in every]
    front = tables_of(slow).front.partition("<sub>")
    assert "(n=1)" in front[0].replace("\N{NO-BREAK SPACE}", " ")
    assert "medians of 1 to 5 trials, with n where fewer than 5;" in front[2]


def test_the_front_table_has_the_times_of_each_side_in_plain_words_and_the_least_in_bold() -> None:
    """Of the first and the last graph of each figure; the reports' program on one core has its own column."""
    tables = tables_of(warm(fast("h200", True)))
    rows = rows_of(tables.front, "BFS")
    assert [row[0] for row in rows] == ["BFS, roads of New York", "BFS, social network Gowalla"]
    assert rows[0][1:] == [
        "**1.11 ms<br>`cluster`**", "7.37 ms<br>`queue`, 1 core", "17.1 ms<br>`bsp`",
        "107 ms<br>gapbs, 2 cores<br>further: 5.09 ms", "480 µs<br>`cluster`",
    ]  # fmt: skip
    assert [cell.count("**") for cell in rows[1]].count(2) == 1
    slow = [
        changed(one, trials=phases(20.0, 0.6, 0.5)) if one.solver == "bfs/cluster" else one
        for one in fast("h200", True)
    ]
    york = rows_of(tables_of(warm(slow)).front, "BFS")[0]
    assert "cluster" not in york[1]
    # of the kernel that is fastest then, though its first search is slow
    further, paid = york[5].split("<br>first: ")
    assert further == "480 µs<br>`cluster`"
    assert re.fullmatch(r"2\d\.\d ms; pays off (`\S+` from search \d+, )*from search [\d,]+", paid)
    bfs = [race for race in tables.races if race.experiment == "fast-bfs"]
    assert factors(bfs[:1], "published") == pytest.approx([15.4], abs=0.05)
    shown = [float(rows_of(tables.all_graphs, "BFS")[n][2].split("(")[1].split("×")[0]) for n in range(4)]  # noqa: RUF001
    assert factors(bfs, "library") == pytest.approx(shown, rel=0.01)
    assert factors([], "library") == []
    (york_race, *_), further = bfs, "resident"
    slower, ours = york_race.by[further].library, york_race.by[further].ours
    assert factors(bfs[:1], "library", further) == [slower.times[further].median / ours.times[further].median]
    assert factors(bfs[:1], "library", further) != factors(bfs[:1], "library")


def test_the_machine_that_compares_most_is_shown() -> None:
    """Its libraries have a first search, which the first machine's lack; of equals the first is shown."""
    here, there = warm(fast("h200", True)), warm(fast("rtx", True))
    assert {race.machine for race in tables_of([*here, *there]).races} == {"h200"}
    without = [one for one in here if one.solver != "bfs/gapbs" or one.graph.name != "NY"]
    assert {race.machine for race in tables_of([*without, *there]).races} == {"rtx"}
    assert "Measured on rtx: " in tables_of([*without, *there]).front


def test_a_figure_of_some_solvers_adds_no_row() -> None:
    found, report = frame(warm(fast("h200", True)), "today")
    assert report is not None
    some = {"graphs": ["NW", "NY"], "series": {"one": "bfs/bsp"}}
    second = {"second": report.figures["fast-bfs"].model_copy(update=some)}
    twice = report.model_copy(update={"figures": report.figures | second})
    assert rows_of(Tables(races([twice], found)).front) == rows_of(tables_of(warm(fast("h200", True))).front)


def test_a_table_that_no_figure_ranks_is_not_in_readme_s() -> None:
    here = warm(fast("h200", True))
    of_gap = [
        changed(one, experiment="gap-bfs")
        for one in here
        if one.experiment == "fast-bfs" and one.graph.name == "NY"
    ]
    both = tables_of([*here, *of_gap])
    assert len(rows_of(both.all_graphs, "BFS, NY")) == 2 * len(rows_of(tables_of(here).all_graphs, "BFS, NY"))
    assert rows_of(both.front) == rows_of(tables_of(here).front)


def test_every_solver_is_in_the_table_of_its_graph() -> None:
    """Also what is no fastest of its side, with what it takes beside the best."""
    text = tables_of(warm(fast("h200", True))).by_graph
    york = text.split("<summary>BFS, NY<")[1].split("</details>")[0]
    rows = rows_of(york, "`")
    assert [row[0].partition(" ")[0] for row in rows] == [
        "`cluster`", "`direction`", "`queue`", "`bsp`", "`gapbs`",
    ]  # fmt: skip
    assert rows[0][1:] == ["1.11 ms", "1.00×", "480 µs"]  # noqa: RUF001
    assert rows[3][:3] == ["`bsp` (published)", "17.1 ms", "15.4×"]  # noqa: RUF001


def test_a_set_up_that_tries_widths_is_no_graph_object() -> None:
    """Older records of GAPBS's shortest paths have both together, so that their first search is unknown.

    No library then stands beside ours, and no search is said to be the one from which on ours is ahead.
    """
    old = warm(fast("h200", True))
    new = [
        changed(one, observed={"threads": 2, "bound": 0}) if one.solver == "sssp/gapbs" else one
        for one in old
    ]
    for found, known in ((old, False), (new, True)):
        first, further = rows_of(tables_of(found).all_graphs, "SSSP, NY")
        assert (first[2] != EMPTY, further[-1] != EMPTY) == (known, known)


def test_the_tables_of_today_mark_what_is_doubtful_and_few_trials() -> None:
    """A kernel whose launches an older Retrace repeated in Python, and three trials of ours."""
    found = warm(fast("h200", True))
    found = [changed(one, parameters={}) if one.solver == "bfs/bsp" else one for one in found]
    found = [changed(one, trials=one.trials[:3]) if one.solver == "bfs/cluster" else one for one in found]
    text = tables_of(found).all_graphs
    row = rows_of(text, "BFS, NY")[0]
    assert (row[1], row[3]) == ("17.1 ms ? (15.4×)<br>`bsp`", "1.11 ms (n=3)<br>`cluster`")  # noqa: RUF001
    assert "?: a doubtful number (launched by Python)." in text


def test_what_differs_in_host_or_commit_is_not_compared_and_a_wrong_answer_is_last() -> None:
    found = [one for one in warm(fast("h200", True)) if one.experiment == "fast-bfs"]
    other = [one for one in found if one.solver != "bfs/cluster"]
    software = found[0].software.model_copy(update={"git_commit": "f" * 40})
    cluster = [changed(one, software=software) for one in found if one.solver == "bfs/cluster"]
    york = table_of(made("fast-bfs", other + cluster), "NY ")
    assert york["bfs/cluster"]["published takes, resident"] == EMPTY
    assert york["bfs/cluster"]["least in all, searches"] == EMPTY
    wrong = [changed(one, **WRONG) for one in found if one.solver == "bfs/cluster"]
    york = table_of(made("fast-bfs", other + wrong), "NY ")
    assert list(york)[-1] == "bfs/cluster"
    assert york["bfs/cluster"]["resident"] == "not verified"


def test_each_graph_has_the_published_kernel_that_is_fastest_there() -> None:
    """Not one that is faster elsewhere, nor a published program on one core."""
    found = [one for one in fast("h200", True) if one.experiment == "fast-bfs"]
    half = [
        changed(one, solver="bfs/block-queue", trials=phases(1.0, 8.0, 7.0))
        for one in found
        if one.solver == "bfs/bsp" and one.graph.name == "NY"
    ]
    york = table_of(made("fast-bfs", found + half), "NY ")
    assert york["bfs/block-queue"]["published takes, first search"] == "1.00×"  # noqa: RUF001
    assert york["bfs/cluster"]["published takes, first search"] == "8.12×"  # noqa: RUF001
    random = table_of(made("fast-bfs", found + half), "random-20-5")
    assert random["bfs/bsp"]["published takes, first search"] == "1.00×"  # noqa: RUF001


def test_the_page_of_constants_shows_the_time_of_a_step() -> None:
    page = made("limits", limits("h200"))
    constants = table_of(page, "none on h200")
    assert constants["limits/load-l2"] == {"step": "140 ns", "GB/s": EMPTY, "whose": "ours", "on": "GPU"}
    assert constants["limits/copy-pinned"]["GB/s"] == "52.4"
    assert next(iter(constants)) in ("limits/load-shared", "limits/barrier-block")
    assert page.summary == "Each time is the median of the verified trials' step."
    assert "GB/s: the bytes of a step over its time." in page.remarks


@pytest.mark.parametrize("experiment", ["fast-bfs", "fast-stcon", "fast-sssp", "limits"])
def test_without_a_gpu_there_is_a_page_too(experiment: str) -> None:
    page = made(experiment, fast("local", False))
    assert all(
        "GPU" not in cells["on"] for table in page.tables for cells in table_of(page, table.heading).values()
    )
    assert render(page, "html")
