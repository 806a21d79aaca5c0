from __future__ import annotations

from pathlib import Path

import pytest

from retrace.errors import RetraceError
from retrace.publish.published import COLUMNS, TABLES, printed_ms, read_published

PUBLISHED = Path(__file__).parents[1] / "results" / "published" / "bsp-suite.csv"


def test_every_cell_of_the_three_tables_is_there() -> None:
    published = read_published(PUBLISHED)
    assert len(published) == 36
    assert list(published["table"].unique()) == list(TABLES)
    assert list(published["column"].unique()) == list(COLUMNS)
    assert len(published.drop_duplicates(["table", "graph", "column"])) == 36


def test_printed_texts_say_their_values() -> None:
    published = read_published(PUBLISHED)
    assert [printed_ms(text) for text in published["printed"]] == list(published["value"])


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
