from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from fabricated import graph_info, record, suite, without_answer
from retrace.publish import figures
from retrace.publish.figures import Series, measured_series, printed_series, spread
from retrace.publish.published import TABLES, read_published
from retrace.publish.rows import lines
from retrace.records.model import Record, write_records

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "results" / "published" / "bsp-suite.csv"
STAND_IN = {"origin": "stand-in", "seed": 7}


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    return read_published(PUBLISHED)


def measured(table: str, published: pd.DataFrame, records: list[Record]) -> dict[str, Series]:
    rows = lines(table, published, records)
    return {one.label: one for one in measured_series(TABLES[table], rows)}


def texts(figure: Figure) -> list[Text]:
    return [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]


def test_printed_lines(published: pd.DataFrame) -> None:
    found = {one.label: one for one in printed_series(lines("table-3.5", published, []))}
    assert list(found) == ["printed: sequential", "printed: GT 520", "printed: GT 730"]
    assert [point.ms for point in found["printed: sequential"].points] == [10, 12, 427_000, 9_060_000]
    assert [point.vertices for point in found["printed: GT 730"].points] == [6, 9, 264_346, 1_207_945]


def test_measured_lines_and_the_best_peer(published: pd.DataFrame) -> None:
    records = [
        record("bfs/queue", "NY", [9, 10, 11]),
        record("bfs/bsp", "NY", [3], backend="cuda"),
        record("bfs/scipy", "NY", [5]),
        record("bfs/igraph", "NY", [4]),
        record("bfs/queue", "NY", [20], machine="local"),
        record("bfs/igraph", "NY", [1], machine="local"),
    ]
    found = measured("table-3.3", published, records)
    assert list(found) == ["h200: sequential", "h200: CUDA", "local: sequential", "h200: igraph"]
    (point,) = found["h200: sequential"].points
    assert (point.ms, point.q1, point.q3) == (10, 9.5, 10.5)
    assert found["h200: igraph"].points[0].ms == 4


def test_what_gives_no_time_is_not_drawn(published: pd.DataFrame) -> None:
    records = [
        record("bfs/queue", "NY", verified=False, reason="vertex 3: 4, expected 5"),
        record("bfs/bsp", "NY", machine="local", backend="emulator"),
        without_answer("bfs/igraph", "NY", "failed", "no memory"),
    ]
    assert measured("table-3.3", published, records) == {}


def test_only_the_printed_pair_is_drawn(published: pd.DataFrame) -> None:
    records = [
        record("stcon/bsp", "NY", [ms], backend="cuda", parameters={"pair": pair, "target": 1})
        for pair, ms in (("near", 1), ("far", 20))
    ]
    figure = figures.figure("table-3.4", published, records)
    drawn = [list(line.get_ydata()) for line in figure.axes[0].lines]  # type: ignore[arg-type]
    assert [20.0] in drawn
    assert [1.0] not in drawn


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("state", ["both", "h200", "local", "stand-in", "none"])
def test_labels_are_legible_and_apart(published: pd.DataFrame, table: str, state: str) -> None:
    records = {
        "both": suite("h200", gpu=True) + suite("local", gpu=False),
        "h200": suite("h200", gpu=True),
        "local": suite("local", gpu=False),
        "stand-in": suite("h200", gpu=True) + suite("local", gpu=False, **STAND_IN),
        "none": [],
    }[state]
    figure = figures.figure(table, published, records)
    figure.draw_without_rendering()
    labels = [text for text in texts(figure) if ": " in text.get_text()]
    assert all(float(text.get_fontsize()) >= 7 for text in labels)
    boxes = sorted((text.get_window_extent() for text in labels), key=lambda box: box.y0)
    assert all(below.y1 <= above.y0 + 0.5 for below, above in pairwise(boxes))
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert drawn.x0 >= 0
    assert drawn.y0 >= 0
    assert drawn.x1 <= width
    assert drawn.y1 <= height


def test_substitutes_are_marked_and_named(published: pd.DataFrame) -> None:
    stand_in = graph_info("NY", origin="stand-in", seed=7)
    generated = graph_info("NW", weights="generated", seed=7)
    records = [
        record("sssp/dijkstra-heap", stand_in, [20], machine="local"),
        record("sssp/bsp", generated, [30], backend="cuda"),
    ]
    figure = figures.figure("table-3.5", published, records)
    written = [text.get_text() for text in texts(figure)]
    assert "\N{MULTIPLICATION SIGN} NY (stand-in)" in written
    assert "+ NW (weights generated)" in written
    markers = [line.get_marker() for line in figure.axes[0].lines]
    assert markers.count("x") == 1
    assert markers.count("+") == 1


@pytest.mark.parametrize("form", ["svg", "png"])
def test_the_same_records_give_the_same_bytes(published: pd.DataFrame, form: str) -> None:
    records = suite("h200", gpu=True)
    first, second = (figures.image(figures.figure("table-3.3", published, records), form) for _ in range(2))
    assert first == second


def test_long_machine_names_widen_the_figure(published: pd.DataFrame) -> None:
    name = "a-workstation-with-a-long-name-under-a-desk"
    figure = figures.figure("table-3.3", published, [record("bfs/queue", "NY", machine=name)])
    assert figure.get_size_inches()[0] > figures.WIDTH
    assert figure.get_tightbbox().x1 <= figure.get_size_inches()[0]


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ([0.2, 0.8], [0.2, 0.8]),
        ([0.5, 0.5], [0.45, 0.55]),
        ([0.0, 0.0, 0.0], [0.0, 0.1, 0.2]),
        ([1.0, 0.98], [1.0, 0.9]),
        ([0.5, 0.5, 0.62], [0.44, 0.54, 0.64]),
    ],
)
def test_labels_move_apart_and_no_further(wanted: list[float], places: list[float]) -> None:
    assert spread(wanted, 0.1, 0, 1) == pytest.approx(places)


def test_the_command(tmp_path: Path) -> None:
    write_records(tmp_path / "h200.jsonl", suite("h200", gpu=True))
    command = [sys.executable, str(ROOT / "scripts" / "make_figure.py"), "--figure", "figure-3.3"]
    command += ["--published", str(PUBLISHED), "--records", str(tmp_path / "h200.jsonl")]
    subprocess.run([*command, "--output-prefix", str(tmp_path / "figures" / "figure-3.3")], check=True)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "figure-3.3.png",
        "figure-3.3.svg",
    ]
    svg = (tmp_path / "figures" / "figure-3.3.svg").read_text()
    assert ET.fromstring(svg).tag.endswith("svg")
    assert "<dc:date>" not in svg
