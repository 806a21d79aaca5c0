"""The numbers that reports print, as data: every cell is there, and says what it prints."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from command_line import refused
from retrace.reports.printed import PrintedNumber, printed_ms, read_printed
from retrace.reports.report import PUBLISHED, load_reports
from retrace.solvers import REGISTRY

BSP, TUWIEN = PUBLISHED / "bsp-suite.csv", PUBLISHED / "tuwien-sssp.csv"
SIZES = [10, 11, 12, 13, 14, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
NAMES = ("GPU Search", "Pinned", "Sequential", "Standard", "Thrust", "Zero Copy")
TABLE_2 = {
    ("Home", 50): (
        "2 1 2 3 3 6 9 18 35 86 257", "1 1 2 2 3 5 8 17 34 87 252", "0 0 0 0 0 0 1 3 24 91 300",
        "1 1 1 2 3 6 8 17 37 88 255", "1 1 1 2 3 6 9 17 37 89 256", "1 1 2 2 3 6 8 18 36 87 254",
    ),
    ("Institute", 50): (
        "1 1 1 2 3 4 8 14 27 52 101 200 399 827", "2 2 2 2 3 5 8 15 28 58 115 213 409 817",
        "0 0 0 0 0 0 0 1 1 3 6 24 31 52", "1 1 1 1 2 4 7 15 27 54 99 188 387 766",
        "1 1 1 1 2 4 7 14 29 48 99 205 412 831", "1 1 1 2 3 4 7 14 27 53 95 195 395 789",
    ),
    ("Home", 5): (
        "2 2 2 2 2 3 4 6 8 15 28 67 159", "1 1 2 1 2 2 3 5 8 14 26 63 157", "0 0 0 0 0 0 0 1 2 5 13 104 559",
        "1 1 1 1 1 2 3 4 8 15 40 70 193", "0 1 1 1 1 1 2 4 8 16 31 79 186", "1 1 1 1 1 2 3 4 8 14 26 65 199",
    ),
    ("Institute", 5): (
        "1 1 1 1 1 2 2 3 6 10 18 35 67 157 298", "2 1 2 2 2 2 2 4 6 11 20 37 74 175 342",
        "0 0 0 0 0 0 0 0 1 3 10 17 34 83 162", "0 0 0 1 1 1 2 3 6 11 21 39 75 163 271",
        "0 0 0 1 1 1 2 4 7 12 24 44 81 177 345", "1 1 1 1 1 1 2 3 6 11 21 40 77 167 324",
    ),
}  # fmt: skip
"""The cells of each part, a row for each of `NAMES`."""
SUMS = {("Home", 50): 2512, ("Institute", 50): 8232, ("Home", 5): 2266, ("Institute", 5): 3545}
"""Of all cells of a part, as the report's own text adds up."""


def test_every_cell_of_the_three_tables_is_there() -> None:
    numbers = read_printed(BSP)
    cells = [(one.table, one.graph, one.system) for one in numbers]
    assert len(cells) == len(set(cells)) == 36
    assert {one.table for one in numbers} == set(load_reports()["bsp-suite"].tables) - {
        "bfs-expansions",
        "weights",
        *(f"loop-{problem}" for problem in ("bfs", "stcon", "sssp")),
    }


def test_every_cell_of_table_2_is_there() -> None:
    found = defaultdict(list)
    for one in read_printed(TUWIEN):
        found[one.system, one.arcs // one.vertices, one.name].append(one)
    assert found.keys() == {(*part, name) for part in TABLE_2 for name in NAMES}
    sums: Counter[tuple[str, int]] = Counter()
    for (system, density, name), row in found.items():
        sums[system, density] += sum(int(one.printed) for one in row)
        cells = TABLE_2[system, density][NAMES.index(name)].split()
        assert [one.printed for one in row] == cells
        assert [one.ms for one in row] == [int(cell) for cell in cells]
        sizes = SIZES[: len(row)]
        assert [one.graph for one in row] == [f"random-{size}-{density}" for size in sizes]
        assert [one.vertices for one in row] == [2**size for size in sizes]
        assert [one.occurrence for one in row] == [1 + (place == 5) for place in range(len(row))]
        assert row[0].hardware.startswith("i7" if name == "Sequential" else "GTX")
    assert sums == SUMS


@pytest.mark.parametrize("path", [BSP, TUWIEN])
def test_every_printed_name_has_a_solver_that_repeats_it(path: Path) -> None:
    tables = load_reports()[path.stem].tables
    for one in read_printed(path):
        assert tables[one.table].solvers[one.name] in REGISTRY.solvers
        assert not one.doubt or one.doubt in tables[one.table].doubts


def test_only_what_no_core_can_do_is_marked() -> None:
    doubted = [one for one in read_printed(TUWIEN) if one.doubt == "too-fast"]
    parts = {(one.system, one.arcs // one.vertices, one.name) for one in doubted}
    assert parts == {("Institute", 50, "Sequential")}
    assert [one.ms for one in doubted] == [1, 1, 3, 6, 24, 31, 52]


@pytest.mark.parametrize(
    ("text", "ms"),
    [("5 msec", 5), ("62.982 msec", 62.982), ("1.06 sec", 1060), ("7min 7sec", 427_000),
     ("2hr 31min", 9_060_000), ("257", 257)],
)  # fmt: skip
def test_printed_times(text: str, ms: float) -> None:
    assert printed_ms(text) == ms


@pytest.mark.parametrize(
    ("printed", "text"),
    [("5 msec", "5 ms"), ("62.982 msec", "62.982 ms"), ("1.06 sec", "1.06 s"), ("7min 7sec", "7 min 7 s"),
     ("2hr 31min", "2 h 31 min"), ("26", "26")],
)  # fmt: skip
def test_a_printed_number_has_its_digits_and_our_units(printed: str, text: str) -> None:
    cells: dict[str, Any] = {
        "table": "t",
        "graph": "NY",
        "vertices": 1,
        "arcs": 1,
        "system": "PC",
        "hardware": "PC",
        "name": "a",
    }
    number = PrintedNumber(**cells, occurrence=1, printed=printed, ms=printed_ms(printed), doubt="")
    assert number.text == text


def test_no_table_has_another_unit() -> None:
    for report in load_reports().values():
        numbers = PUBLISHED / f"{report.key}.csv"
        for number in read_printed(numbers) if numbers.exists() else ():
            assert re.fullmatch(r"[\d.]+( (ms|s|h|min))?( [\d.]+ (s|min))?", number.text), number


@pytest.mark.parametrize("text", ["", "fast", "5 msecs", "-5 msec", "1.2.3 sec"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        printed_ms(text)


@pytest.mark.parametrize(
    ("found", "put", "told"),
    [("5 msec,5,", "5 msec,6,", "ms: expected 5 for '5 msec', found 6"),
     ("5 msec,5,", "soon,5,", "printed: 'soon' is not a time"),
     ("5 msec,5,", "5 msec,five,", "ms: expected a number, found 'five'"),
     ("small-6,6,20", "small-6,six,20", "vertices: expected an integer, found 'six'"),
     ("5 msec,5,", "5 msec,5,,more", "expected as many cells as the heading has"),
     ("sequential,1", "\x1b[31mred,1", r"name: expected no control characters, found '\x1b[31mred'"),
     ("sequential,1", "\x9b31m,1", r"name: expected no control characters, found '\x9b31m'"),
     ("table,graph", "origin,graph", "origin: unknown key")],
)  # fmt: skip
def test_a_bad_row_is_named(tmp_path: Path, found: str, put: str, told: str) -> None:
    path = tmp_path / "published.csv"
    path.write_text(BSP.read_text().replace(found, put, 1))
    assert refused(read_printed, path).startswith(f"{path}:2: {told}")
