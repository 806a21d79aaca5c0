"""A number that `check-machine` calls doubtful is marked where it stands, with the reason."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fabricated import changed, frame, record
from retrace.publish import tables
from retrace.publish.doubts import doubts
from retrace.publish.listings import Listing
from retrace.publish.page import Page, render
from retrace.publish.record_cards import address, cards
from retrace.records.record import Record
from retrace_commands.examined_records import find_doubts

SURE = record("bfs/queue", "NY", [99, 100, 101])


def trials(of: Record, **values: object) -> Record:
    """A record whose last two trials of three were otherwise."""
    first, *others = of.trials
    return changed(of, trials=[first, *(one.model_copy(update=values) for one in others)])


def pass_of_kernels(of: Record, kernel: float) -> Record:
    """A record whose first trial alone has a time of its kernels."""
    first, *others = of.trials
    return changed(of, trials=[first.model_copy(update={"kernel": kernel}), *others])


def elsewhere(of: Record) -> Record:
    return changed(of, machine=of.machine.model_copy(update={"host": "b" * 12}))


def another_commit(of: Record) -> Record:
    return changed(of, software=of.software.model_copy(update={"git_commit": "f" * 40}))


ONE = record("bfs/scipy", "NY", [9, 10, 11])
DOUBTFUL = {
    "throttled": (trials(ONE, throttled=True), "throttled GPU", "the GPU was throttled in 2 of 3"),
    "busy": (
        trials(ONE, load=9.0),
        "other work on the host",
        "load 9.0, expected at most 2.0 on a quiet host",
    ),
    "alike": (
        record("bfs/scipy", "NY", [10] * 3),
        "trials alike",
        "all 3 took exactly 10.0 ms",
    ),
    "uneven": (
        record("bfs/scipy", "NY", [2, 10, 70]),
        "uneven trials",
        "quartiles of 6.0 and 40.0 ms",
    ),
    "kernels": (
        pass_of_kernels(record("bfs/scipy", "NY", [10.6, 10, 10]), 10.55),
        "kernels beyond their solve",
        "10.55 ms of kernels in a solve of 10.0 ms",
    ),
    "elsewhere": (
        elsewhere(ONE),
        f"of host {'b' * 12}, most on its graph of {SURE.machine.computer}",
        f"of host {'b' * 12}, ",
    ),
    "another commit": (
        another_commit(ONE),
        f"of commit {'f' * 10}, most on its graph of {str(SURE.software.git_commit)[:10]}",
        f"of commit {'f' * 10}, ",
    ),
}  # fmt: skip
USUAL = [SURE, record("bfs/igraph", "NY"), record("bfs/queue", "small-9")]


def made(records: Sequence[Record]) -> Page:
    found, report = frame(records, "bsp-suite")
    return tables.page(found, "table-3.3", report)


@pytest.mark.parametrize("way", DOUBTFUL)
def test_a_doubtful_number_is_marked_in_its_cell(way: str) -> None:
    one, why, found = DOUBTFUL[way]
    page = made([*USUAL, one])
    marked = [cell for table in page.tables for row in table.rows for cell in row.cells if "?" in cell.text]
    assert [cell.text for cell in marked] == ["10.0 ms (n=3) ?"]
    assert marked[0].tip.startswith(f"doubtful: {found}")
    assert marked[0].notes == [f"h200, doubtful: {why}."]
    assert "| 10.0 ms (n=3) ? <sup>\\[1\\]</sup> |" in render(page, "md")
    assert f'title="doubtful: {found}' in render(page, "html")
    assert "? marks a doubtful number; its note says why." in page.remarks


@pytest.mark.parametrize("way", DOUBTFUL)
def test_the_one_page_marks_it_too(way: str) -> None:
    one, _, found = DOUBTFUL[way]
    every, report = frame([*USUAL, one], "bsp-suite")
    table = Listing(every.of("table-3.3"), report.tables["table-3.3"])
    place = table.measures.index("total")
    (marked,) = (line for line in table.rows if line.address and "?" in line.times[place].text)
    cell = marked.times[place]
    assert (cell.text, cell.value, marked.address) == ("10.0 ms (n=3) ?", 10.0, address(one))
    assert marked.tip.startswith(f"doubtful: {found}")
    told = {card["id"]: card["own"] for card in cards(every.measured, doubts(every.measured))["records"]}
    assert told[address(one)][0][0] == "doubtful"
    assert told[address(one)][0][1].startswith(found)
    assert "doubtful" not in dict(told[address(SURE)])


def test_a_loop_in_python_that_no_name_tells_is_doubtful() -> None:
    """Records of published kernels that do not state what repeats the launches are older than the setting."""
    stated = [record("bfs/bsp", "NY", parameters={"loop": loop}) for loop in ("python", "c++")]
    older = record("bfs/bsp", "NW", backend="cuda", parameters={})
    every, _ = frame([*USUAL, *stated, older, record("bfs/bsp-counted", "NW", backend="cuda")], "bsp-suite")
    (reasons,) = doubts(every.measured).values()
    assert [doubt.why for doubt in reasons] == ["launched by Python"]
    assert address(older) in doubts(every.measured)


OUTSIDE_SOLVE = {"setup", "upload", "download", "lock", "prepare"}
SPARED = {
    "throttled": {"lock"}, "uneven": OUTSIDE_SOLVE, "kernels": OUTSIDE_SOLVE,
    "by Python": {*OUTSIDE_SOLVE, "kernel"},
}  # fmt: skip
"""Measures that a doubt says nothing of, such as the setup before a loop."""
BY_PYTHON = record("bfs/bsp", "NY", backend="cuda", parameters={})


@pytest.mark.parametrize("way", [*DOUBTFUL, "by Python"])
def test_a_doubt_marks_the_measures_that_it_concerns_and_no_other(way: str) -> None:
    one = BY_PYTHON if way == "by Python" else DOUBTFUL[way][0]
    phases = {"lock": 1.0, "prepare": 2.0, "again": 3.0}
    kernels = {"kernel": 1.0} if one.trials[0].kernel is None else {}
    whole = changed(one, trials=[trial.model_copy(update=phases | kernels) for trial in one.trials])
    every, _ = frame([*USUAL, whole], "bsp-suite")
    (entry,) = (entry for entry in every.measured if entry.record is whole)
    doubtful = doubts(every.measured)
    cells = {measure: tables.time_cell(entry, measure, doubtful) for measure in entry.times}
    spared = SPARED.get(way, set())
    assert {"setup", "upload", "solve", "kernel", "lock", "first search", "resident", "total"} <= set(cells)
    assert {measure for measure, cell in cells.items() if "?" not in cell.text} == spared
    assert {measure for measure, cell in cells.items() if not cell.tip and not cell.notes} == spared
    (card,) = (card for card in cards(every.measured, doubtful)["records"] if card["id"] == address(whole))
    assert {phase for phase, median, *_ in card["times"] if "?" not in median} == spared


def test_what_check_machine_doubts_of_times_is_what_cells_mark() -> None:
    for one, *_ in DOUBTFUL.values():
        every, _ = frame([*USUAL, one], "bsp-suite")
        placed = {f"{number}": record for number, record in enumerate([*USUAL, one])}
        assert len(find_doubts(placed)) == len(doubts(every.measured)) == 1


def test_graphs_of_two_hosts_are_no_doubt_as_times_are_compared_on_one_graph() -> None:
    usual = [*USUAL, elsewhere(record("bfs/queue", "NW"))]
    every, _ = frame(usual, "bsp-suite")
    assert doubts(every.measured) == {}
    assert any("Mixed, of 2 hosts" in line for line in made(usual).remarks)


def test_a_quiet_machine_has_no_marks() -> None:
    usual = [*USUAL, pass_of_kernels(ONE, 8.9)]
    page = made(usual)
    assert "?" not in render(page, "md")
    every, _ = frame(usual, "bsp-suite")
    assert doubts(every.measured) == {}
