"""Pages that mirror no report: what is fast today, and the constants of a machine."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from fabricated import WRONG, changed, fast, frame, limits, phases
from retrace.publish import tables
from retrace.publish.page import Page, render
from retrace.records.record import Record
from retrace.reports.wording import EMPTY


def made(experiment: str, records: Iterable[Record]) -> Page:
    found, report = frame(records, "today")
    return tables.page(found, experiment, report)


def table_of(page: Page, heading: str) -> dict[str, dict[str, str]]:
    """Return each row's texts by column, in the order of the rows, of the table whose heading begins so."""
    (table,) = (table for table in page.tables if table.heading.startswith(heading))
    heads = [column for group in table.groups for column in group.columns]
    return {row.label: dict(zip(heads, (cell.text for cell in row.cells), strict=True)) for row in table.rows}


def test_solvers_are_ranked_on_a_resident_graph_with_the_total_beside() -> None:
    page = made("fast-bfs", fast("h200", True))
    assert page.title == "Breadth-first search today"
    assert [table.heading for table in page.tables] == [
        "Gowalla on h200: 196,591 vertices, 1,900,654 arcs",
        "NY on h200: 264,346 vertices, 733,846 arcs",
        "random-20-5 on h200: 1,048,576 vertices, 5,242,880 arcs",
        "NW on h200: 1,207,945 vertices, 2,840,208 arcs",
    ]
    york = table_of(page, "NY ")
    assert list(york) == ["limit", "bfs/cluster", "bfs/direction", "bfs/gapbs", "bfs/queue", "bfs/bsp"]
    assert york["limit"]["resident"] == "184 µs"
    assert "NY on h200: a launch (10.0 µs) and 620 levels of a barrier and 2 loads (280 ns)." in page.notes
    assert york["bfs/cluster"] == {
        "resident": "600 µs", "total": "1.11 ms", "published takes": "27.7×", "prepare": "30.0 ms",  # noqa: RUF001
        "paid after": "2 sources", "million arcs/s": "1,220", "GB/s": "8.42", "whose": "ours", "on": "GPU",
        "setup": EMPTY,
    }  # fmt: skip
    assert york["bfs/gapbs"]["on"] == "2 cores"
    assert york["bfs/gapbs"]["setup"] == "100 ms"  # a library's graph object
    assert york["bfs/queue"]["on"] == "1 core"
    assert york["bfs/bsp"]["published takes"] == "1.00×"  # noqa: RUF001
    assert {name: cells["whose"] for name, cells in york.items()} == {
        "limit": EMPTY, "bfs/cluster": "ours", "bfs/direction": "ours", "bfs/gapbs": "library",
        "bfs/queue": "published", "bfs/bsp": "published",
    }  # fmt: skip
    assert table_of(page, "random-20-5")["bfs/cluster"]["paid after"] == "100 sources"
    text = render(page, "md")
    assert "The report" not in text
    assert "the row's solver the fastest published kernel takes, by resident." in " ".join(text.split())


def test_a_search_that_may_end_early_has_no_bandwidth() -> None:
    assert "GB/s" not in table_of(made("fast-stcon", fast("h200", True)), "NY ")["stcon/cluster"]
    cells = table_of(made("fast-sssp", fast("h200", True)), "NY ")["sssp/cluster"]
    assert cells["GB/s"] == f"{4 * (2 * 264_346 + 1 + 2 * 733_846) / 1.5e-3 / 1e9:.2f}"


def test_a_second_solve_is_that_of_a_resident_graph() -> None:
    """Of those that solved again: the others' solve is all that there is."""
    again = [
        changed(one, trials=[trial.model_copy(update={"again": 0.5}) for trial in one.trials])
        if one.solver == "bfs/direction" and one.trials
        else one
        for one in fast("h200", True)
    ]
    york = table_of(made("fast-bfs", again), "NY ")
    assert list(york)[1] == "bfs/direction"
    assert york["bfs/direction"]["resident"] == "500 µs"
    assert york["bfs/cluster"]["resident"] == "600 µs"


def test_what_differs_in_host_or_commit_is_not_compared_and_a_wrong_answer_is_last() -> None:
    found = [one for one in fast("h200", True) if one.experiment == "fast-bfs"]
    other = [one for one in found if one.solver != "bfs/cluster"]
    software = found[0].software.model_copy(update={"git_commit": "f" * 40})
    cluster = [changed(one, software=software) for one in found if one.solver == "bfs/cluster"]
    york = table_of(made("fast-bfs", other + cluster), "NY ")
    assert york["bfs/cluster"]["published takes"] == EMPTY
    assert "paid after" not in york["bfs/cluster"]
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
    assert york["bfs/block-queue"]["published takes"] == "1.00×"  # noqa: RUF001
    assert york["bfs/cluster"]["published takes"] == "13.3×"  # noqa: RUF001
    random = table_of(made("fast-bfs", found + half), "random-20-5")
    assert random["bfs/bsp"]["published takes"] == "1.00×"  # noqa: RUF001


def test_a_preparation_may_never_pay() -> None:
    found = [one for one in fast("h200", True) if one.solver in ("bfs/bsp", "bfs/cluster")]
    slow = [changed(one, solver="bfs/cluster") if one.solver == "bfs/bsp" else one for one in found]
    slow = [changed(one, solver="bfs/bsp", observed={}) if one.iterations and one.observed else one
            for one in slow if one.graph.name == "NY"]  # fmt: skip
    slow = [
        changed(one, observed={"prepare_ms": 1.0}) if one.solver == "bfs/cluster" else one for one in slow
    ]
    assert table_of(made("fast-bfs", slow), "NY ")["bfs/cluster"]["paid after"] == "never"


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
