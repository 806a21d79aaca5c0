from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from fabricated import random_graph, sweep, variant, without_answer
from retrace.publish import variant_figures
from retrace.publish.figures import image
from retrace.publish.published import FIGURES, VARIANT_TABLES, read_published
from retrace.publish.rows import lines
from retrace.publish.variant_figures import measured_panels, printed_panels, ratio_panels
from retrace.publish.variants import NO_VERDICT, of_density, row_names
from retrace.records.model import Record, write_records

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "results" / "published" / "tuwien-sssp.csv"
NAMED = ["figure-2", "figure-3"]
GRAPH = random_graph(19, 50)


@pytest.fixture(scope="module")
def published() -> pd.DataFrame:
    return read_published(PUBLISHED)


def texts(figure: Figure) -> list[Text]:
    return [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]


def words(figure: Figure) -> str:
    return " ".join(text.get_text() for text in texts(figure))


def test_printed_numbers_are_drawn_but_zeros(published: pd.DataFrame) -> None:
    panels = printed_panels(of_density(lines("table-2", published, []), 50))
    assert [panel.title for panel in panels] == ["Home, printed", "Institute, printed"]
    home, institute = panels
    assert [point.ms for point in home.series["sssp/mask-sequential"].points] == [1, 3, 24, 91, 300]
    standard = home.series["sssp/standard"].points
    assert [point.ms for point in standard if point.vertices == 2**14] == [3, 6]
    assert home.doubted == []
    assert [point.ms for point in institute.doubted] == [1, 1, 3, 6, 24, 31, 52]
    assert all(series.printed for panel in panels for series in panel.series.values())


def test_measured_times_and_shares_are_of_their_machine(published: pd.DataFrame) -> None:
    records = [
        variant("sssp/standard", GRAPH, [9, 10, 11]),
        variant("sssp/pinned", GRAPH, [4, 5, 6]),
        variant("sssp/thrust", GRAPH, [1], verified=False, reason="vertex 3: 4, expected 5"),
        variant("sssp/pinned", GRAPH, [1], machine="local", backend="emulator"),
        without_answer("sssp/zero-copy", GRAPH, "failed", "no memory", experiment="table-2"),
        variant("sssp/gpu-search", random_graph(19, 50, sha256="2" * 64), [3]),
        variant("sssp/mask-sequential", GRAPH, [70], machine="local"),
    ]
    rows = of_density(lines("table-2", published, records), 50)
    h200, local = measured_panels(rows, ["h200", "local"], row_names(published, "table-2"))
    assert list(h200.series) == ["sssp/gpu-search", "sssp/pinned", "sssp/standard"]
    assert list(local.series) == ["sssp/mask-sequential"]
    (point,) = h200.series["sssp/pinned"].points
    assert (point.ms, point.q1, point.q3) == pytest.approx((31.2144, 30.7144, 31.7144))
    share, none = ratio_panels(VARIANT_TABLES["table-2"], rows, ["h200", "local"])
    assert list(share.series) == ["sssp/pinned"]
    (point,) = share.series["sssp/pinned"].points
    assert (point.ms, point.q1, point.q3) == pytest.approx((0.5, 0.45, 0.55))
    assert none.series == {}


STATES: dict[str, list[Record]] = {
    "both": sweep("h200", gpu=True) + sweep("local", gpu=False, largest=14),
    "three": sweep("h200", gpu=True) + sweep("a100", gpu=True) + sweep("local", gpu=False, largest=14),
    "h200": sweep("h200", gpu=True),
    "local": sweep("local", gpu=False, largest=14),
    "none": [],
}


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("state", STATES)
def test_words_are_legible_apart_and_inside(published: pd.DataFrame, name: str, state: str) -> None:
    figure = variant_figures.figure(name, published, STATES[state])
    figure.draw_without_rendering()
    assert figure.get_size_inches()[0] == variant_figures.WIDTH
    shown = [text for text in texts(figure) if text.get_window_extent().width > 0]
    assert all(float(text.get_fontsize()) >= 7 for text in shown)
    written = [text for text in shown if len(text.get_text()) > 8 and "$" not in text.get_text()]
    for one, other in combinations(written, 2):
        a, b = one.get_window_extent(), other.get_window_extent()
        apart = min(a.x1, b.x1) - max(a.x0, b.x0) < 0.5 or min(a.y1, b.y1) - max(a.y0, b.y0) < 0.5
        assert apart, f"{one.get_text()!r} lies over {other.get_text()!r}"
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert (drawn.x0 >= 0, drawn.y0 >= 0, drawn.x1 <= width, drawn.y1 <= height) == (True,) * 4


def test_each_panel_names_its_fastest_and_slowest(published: pd.DataFrame) -> None:
    written = [
        text.get_text() for text in texts(variant_figures.figure("figure-2", published, STATES["both"]))
    ]
    assert "at 2¹⁹:\nPinned 252 to\nGPU Search 257 ms" in written
    assert "at 2²²:\nStandard 766 to\nThrust 831 ms" in written
    assert "no GPU" in written


def test_the_caption_follows_the_records(published: pd.DataFrame) -> None:
    said = words(variant_figures.figure("figure-2", published, STATES["h200"]))
    assert "reasons? Yes: Zero Copy. No: Pinned, GPU Search." in said
    pinned = [variant("sssp/standard", GRAPH, (10, 10.1, 10.2), kernel=4)]
    pinned.append(variant("sssp/pinned", GRAPH, (5, 5.1, 5.2), kernel=4))
    said = words(variant_figures.figure("figure-2", published, pinned))
    assert "faster than Standard for the report's reasons? Yes: Pinned." in said
    assert "docs/errata.md" in said
    said = words(variant_figures.figure("figure-3", published, pinned))
    assert NO_VERDICT in said
    assert "docs/errata.md" not in said


@pytest.mark.parametrize("form", ["svg", "png"])
def test_the_same_records_give_the_same_bytes(published: pd.DataFrame, form: str) -> None:
    drawn = (image(variant_figures.figure("figure-2", published, STATES["both"]), form) for _ in range(2))
    assert next(drawn) == next(drawn)


@pytest.mark.parametrize("name", NAMED)
def test_the_figure_command(tmp_path: Path, name: str) -> None:
    assert FIGURES[name] == "table-2"
    write_records(tmp_path / "h200.jsonl", STATES["h200"])
    command = [sys.executable, str(ROOT / "scripts" / "make_figure.py"), "--figure", name]
    command += ["--published", str(PUBLISHED), "--records", str(tmp_path / "h200.jsonl")]
    subprocess.run([*command, "--output-prefix", str(tmp_path / "figures" / name)], check=True)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [f"{name}.png", f"{name}.svg"]
    assert ET.fromstring((tmp_path / "figures" / f"{name}.svg").read_text()).tag.endswith("svg")
