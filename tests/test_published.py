from __future__ import annotations

from pathlib import Path

import pytest

from retrace.publish.published import COLUMNS, TABLES, printed_ms, read_published
from retrace.solvers import REGISTRY
from retrace.system.errors import RetraceError

PUBLISHED = Path(__file__).parents[1] / "results" / "published" / "bsp-suite.csv"
TUWIEN = PUBLISHED.with_name("tuwien-sssp.csv")

SIZES = [10, 11, 12, 13, 14, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
TABLE_2 = {
    "home-50": """
        GPU Search: 2 1 2 3 3 6 9 18 35 86 257
        Pinned: 1 1 2 2 3 5 8 17 34 87 252
        Sequential: 0 0 0 0 0 0 1 3 24 91 300
        Standard: 1 1 1 2 3 6 8 17 37 88 255
        Thrust: 1 1 1 2 3 6 9 17 37 89 256
        Zero Copy: 1 1 2 2 3 6 8 18 36 87 254
    """,
    "institute-50": """
        GPU Search: 1 1 1 2 3 4 8 14 27 52 101 200 399 827
        Pinned: 2 2 2 2 3 5 8 15 28 58 115 213 409 817
        Sequential: 0 0 0 0 0 0 0 1 1 3 6 24 31 52
        Standard: 1 1 1 1 2 4 7 15 27 54 99 188 387 766
        Thrust: 1 1 1 1 2 4 7 14 29 48 99 205 412 831
        Zero Copy: 1 1 1 2 3 4 7 14 27 53 95 195 395 789
    """,
    "home-5": """
        GPU Search: 2 2 2 2 2 3 4 6 8 15 28 67 159
        Pinned: 1 1 2 1 2 2 3 5 8 14 26 63 157
        Sequential: 0 0 0 0 0 0 0 1 2 5 13 104 559
        Standard: 1 1 1 1 1 2 3 4 8 15 40 70 193
        Thrust: 0 1 1 1 1 1 2 4 8 16 31 79 186
        Zero Copy: 1 1 1 1 1 2 3 4 8 14 26 65 199
    """,
    "institute-5": """
        GPU Search: 1 1 1 1 1 2 2 3 6 10 18 35 67 157 298
        Pinned: 2 1 2 2 2 2 2 4 6 11 20 37 74 175 342
        Sequential: 0 0 0 0 0 0 0 0 1 3 10 17 34 83 162
        Standard: 0 0 0 1 1 1 2 3 6 11 21 39 75 163 271
        Thrust: 0 0 0 1 1 1 2 4 7 12 24 44 81 177 345
        Zero Copy: 1 1 1 1 1 1 2 3 6 11 21 40 77 167 324
    """,
}
SUMS = {"home-50": 2512, "institute-50": 8232, "home-5": 2266, "institute-5": 3545}
"""Of all cells of a part, as the report's own text adds up."""


def test_every_cell_of_the_three_tables_is_there() -> None:
    published = read_published(PUBLISHED)
    assert len(published) == 36
    assert list(published["table"].unique()) == list(TABLES)
    assert list(published["column"].unique()) == list(COLUMNS)
    assert len(published.drop_duplicates(["table", "graph", "column"])) == 36


def test_printed_texts_say_their_values() -> None:
    published = read_published(PUBLISHED)
    assert [printed_ms(text) for text in published["printed"]] == list(published["value"])


def test_every_cell_of_table_2_is_there() -> None:
    published = read_published(TUWIEN)
    assert list(published["part"].unique()) == list(TABLE_2)
    assert published.groupby("part")["value"].sum().to_dict() == SUMS
    for part, text in TABLE_2.items():
        cells = published[published["part"] == part]
        rows = dict(line.strip().split(": ") for line in text.strip().splitlines())
        assert list(cells["row"].unique()) == list(rows)
        for name, numbers in rows.items():
            row = cells[cells["row"] == name]
            assert " ".join(row["printed"]) == numbers
            sizes = SIZES[: len(row)]
            assert list(row["vertices"]) == [2**size for size in sizes]
            assert list(row["occurrence"]) == [1 + (place == 5) for place in range(len(row))]
            arcs = part.split("-")[1]
            assert list(row["graph"]) == [f"random-{size}-{arcs}" for size in sizes]
            assert set(row["arcs_per_vertex"]) == {int(arcs)}
            assert row["solver"].nunique() == 1
            assert set(row["solver"]) <= set(REGISTRY.solvers)
            assert row["hardware"].iloc[0].startswith("i7" if name == "Sequential" else "GTX")
    assert [float(text) for text in published["printed"]] == list(published["value"])


def test_only_what_no_core_can_do_is_marked() -> None:
    published = read_published(TUWIEN)
    doubted = published[published["doubt"] == "too-fast"]
    assert set(zip(doubted["part"], doubted["row"], strict=True)) == {("institute-50", "Sequential")}
    assert list(doubted["value"]) == [1, 1, 3, 6, 24, 31, 52]


def test_a_row_is_of_one_kind(tmp_path: Path) -> None:
    path = tmp_path / "published.csv"
    path.write_text(TUWIEN.read_text().replace("arcs_per_vertex", "column", 1))
    with pytest.raises(RetraceError, match=r"published\.csv:2: "):
        read_published(path)


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("5 msec", 5),
        ("62.982 msec", 62.982),
        ("1.06 sec", 1060),
        ("7min 7sec", 427_000),
        ("2hr 31min", 9_060_000),
    ],
)
def test_printed_times(text: str, ms: float) -> None:
    assert printed_ms(text) == ms


@pytest.mark.parametrize("text", ["", "fast", "5", "5 msecs", "-5 msec", "1.2.3 sec"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        printed_ms(text)


@pytest.mark.parametrize(
    ("found", "put", "key"),
    [
        ("5 msec,5,", "5 msec,6,", "value"),
        ("5 msec,5,", "soon,5,", "printed"),
        ("5 msec,5,", "5 msec,five,", "value"),
        ("small-6,6,20", "small-6,six,20", "vertices"),
        ("5 msec,5,ms", "5 msec,5,s", "unit"),
        ("5 msec,5,ms", "5 msec,5,ms,more", "as many cells"),
        ("report,", "origin,", "origin"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, found: str, put: str, key: str) -> None:
    path = tmp_path / "published.csv"
    path.write_text(PUBLISHED.read_text().replace(found, put, 1))
    with pytest.raises(RetraceError, match=f"published.csv:2: .*{key}") as error:
        read_published(path)
    assert "\n" not in str(error.value)
