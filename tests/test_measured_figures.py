"""Figures of reports that print no numbers: legible at a column's width, and without the emulator's times."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from fabricated_claims import bellman_ford, brandes, gowalla
from retrace.claims.figures import CHARTS, figure
from retrace.claims.reports import FIGURES
from retrace.publish.figures import WIDTH, image
from retrace.publish.line_chart import apart, count, duration
from retrace.records.model import read_records, write_records

ROOT = Path(__file__).parents[1]
RECORDS = {
    "both": [
        *bellman_ford("h200", gpu=True),
        *bellman_ford("local", gpu=False, sizes=[256, 512]),
        *brandes("h200", gpu=True),
        *brandes("local", gpu=False, largest=False),
    ],
    "two GPUs": [
        *bellman_ford("h200", gpu=True),
        *bellman_ford("other", gpu=True, sizes=[256, 512]),
        *brandes("h200", gpu=True),
        *brandes("other", gpu=True),
    ],
    "no GPU": [
        *bellman_ford("local", gpu=False, sizes=[256, 512]),
        *brandes("local", gpu=False, largest=False),
    ],
    "one size": bellman_ford("h200", gpu=True, sizes=[256]),
    "committed": read_records(sorted((ROOT / "results/machines/h200").glob("*/*.jsonl"))),
    "none": [],
}
UNTIMED = "No machine here has timed this on a GPU"


def texts(drawn: Figure) -> list[Text]:
    return [text for text in drawn.findobj(Text) if isinstance(text, Text) and text.get_text().strip()]


def words(drawn: Figure) -> str:
    return " ".join(text.get_text() for text in texts(drawn))


def test_every_figure_can_be_drawn() -> None:
    assert set(CHARTS) == set(FIGURES)


@pytest.mark.parametrize("state", RECORDS)
@pytest.mark.parametrize("name", FIGURES)
def test_words_are_legible_apart_and_inside(name: str, state: str) -> None:
    drawn = figure(name, RECORDS[state])
    drawn.draw_without_rendering()
    shown = [text for text in texts(drawn) if text.get_window_extent().width > 0]
    assert all(float(text.get_fontsize()) >= 7 for text in shown)
    for axes in drawn.axes:
        places = [text.get_window_extent().padded(-0.25) for text in axes.texts]
        assert not any(one.overlaps(other) for one, other in combinations(places, 2))
        ticks = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        assert all(left.x1 < right.x0 for left, right in pairwise(ticks))
    inside, (width, height) = drawn.get_tightbbox(), drawn.get_size_inches()
    assert inside.x0 >= 0
    assert inside.y0 >= 0
    assert inside.x1 <= width
    assert inside.y1 <= height
    assert width == pytest.approx(WIDTH)


@pytest.mark.parametrize("name", FIGURES)
def test_which_machines_have_gpu_times_is_said(name: str) -> None:
    drawn = figure(name, RECORDS["both"])
    assert "h200: NVIDIA H200" in words(drawn)
    assert UNTIMED not in words(drawn)
    assert UNTIMED in words(figure(name, RECORDS["no GPU"]))


def test_the_bars_are_ranked_and_the_reports_fastest_stands_out() -> None:
    drawn = figure("brandes-variants", RECORDS["both"])
    h200, local = drawn.axes
    names = [label.get_text() for label in h200.get_yticklabels()]
    assert names[:3] == ["lanes", "vert-comp2-virt-stride", "vert-comp-virt-stride"]
    assert names[-1] == "networkit"
    bold = [label.get_text() for label in h200.get_yticklabels() if label.get_fontweight() == "bold"]
    assert bold == ["vert-comp-virt-stride"]
    assert "h200, Gowalla, all 196,591 sources" in words(drawn)
    assert local.get_yticklabels()[0].get_text() == "networkit"


def test_the_whole_graph_is_shown_unless_a_sample_has_more_records() -> None:
    whole = [record for record in brandes("h200", gpu=True) if record.graph["name"] == "Gowalla"]
    some = [
        replace(one, graph=gowalla(name="Gowalla-4096"), parameters={**one.parameters, "sources": 4096})
        for one in whole
    ]
    assert "Gowalla, all" in words(figure("brandes-variants", some + whole))
    few = [record for record in whole if record.solver == "betweenness/vert"]
    assert "Gowalla-4096, 4096 sources of 196,591" in words(figure("brandes-variants", few + some))


def test_sampled_sources_are_said() -> None:
    records = [replace(record, parameters={**record.parameters, "sources": 64}) for record in RECORDS["both"]]
    assert "Gowalla, 64 sources of 196,591" in words(figure("brandes-blocks", records))


def test_a_machine_without_gpu_times_is_named_and_its_cpu_drawn() -> None:
    drawn = figure("bellman-ford-direction", RECORDS["both"])
    assert "No GPU times from local" in words(drawn)
    assert [axes.get_title(loc="left") for axes in drawn.axes] == ["h200", "local"]
    assert "basic" not in " ".join(text.get_text() for text in drawn.axes[1].texts)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_times_says_what_is_missing_and_no_more(name: str) -> None:
    emulated = [
        replace(one, backend="emulator") for one in RECORDS["both"] if one.experiment == FIGURES[name]
    ]
    told = [text.get_text() for text in texts(figure(name, emulated))]
    assert sorted(told[1:]) == [
        f"Checked on the emulator, not timed: {len(emulated)} of {len(emulated)} answers agree.",
        f"{UNTIMED} (docs/adding-a-gpu.md).",
    ]


@pytest.mark.parametrize("name", FIGURES)
def test_emulated_times_are_in_no_figure(name: str) -> None:
    emulated = [replace(record, backend="emulator") for record in RECORDS["two GPUs"]]
    drawn = figure(name, emulated)
    assert drawn.axes == []
    assert UNTIMED in words(drawn)


def test_shares_are_of_the_same_trials() -> None:
    drawn = figure("bellman-ford-transfer", RECORDS["one size"])
    (axes,) = drawn.axes
    dense = next(
        record
        for record in RECORDS["one size"]
        if record.solver == "bellman-ford/dense" and record.experiment == "bellman-ford-transfer"
    )
    shares = sorted((trial["upload"] + trial["download"]) / trial["total"] for trial in dense.trials)
    drawn_values = [line.get_ydata() for line in axes.lines if list(line.get_xdata()) == [256.0]]  # type: ignore[arg-type]
    assert list(drawn_values[0]) == [pytest.approx(shares[2])]  # type: ignore[arg-type]


@given(st.lists(st.floats(1, 1e6), min_size=1, unique=True).map(sorted), st.floats(0.05, 0.5))
def test_ticks_keep_their_distance(places: list[float], share: float) -> None:
    chosen = apart(places, share)
    assert chosen[0] == places[0]
    assert set(chosen) <= set(places)
    least = (places[-1] / places[0]) ** share
    assert all(after / before >= least for before, after in pairwise(chosen))


def test_numbers_of_axes_are_short() -> None:
    assert [count(number) for number in (1, 20480, 2**20, 264_346)] == ["1", "20480", "2²⁰", "264k"]
    assert [duration(ms) for ms in (0.05, 1, 200, 1e5)] == ["50 µs", "1 ms", "200 ms", "100 s"]


@pytest.mark.parametrize("form", ["svg", "png"])
def test_the_same_records_give_the_same_bytes(form: str) -> None:
    first, second = (image(figure("bellman-ford-copy", RECORDS["both"]), form) for _ in range(2))
    assert first == second


def test_the_command(tmp_path: Path) -> None:
    write_records(tmp_path / "h200.jsonl", [one for one in RECORDS["one size"] if not one.parameters])
    command = [sys.executable, str(ROOT / "scripts/make_measured_figure.py"), "--figure", "bellman-ford-copy"]
    command += ["--records", str(tmp_path / "h200.jsonl")]
    subprocess.run([*command, "--output-prefix", str(tmp_path / "figures/copy")], check=True)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["copy.png", "copy.svg"]


def test_a_graph_of_another_kind_stands_beside_the_lines() -> None:
    records = [one for one in RECORDS["both"] if one.experiment == "bellman-ford-sparse"]
    graph = {**records[0].graph, "name": "NY", "origin": "stand-in", "vertices": 264_346}
    roads = [replace(one, graph=graph) for one in records if one.graph == records[0].graph]
    before, after = figure("bellman-ford-sparse", records), figure("bellman-ford-sparse", records + roads)
    assert "NY (stand-in)" in [text.get_text() for text in after.axes[0].texts]
    assert "NY (stand-in)" not in [text.get_text() for text in before.axes[0].texts]
    connected = [
        [line.get_xdata().tolist() for line in drawn.axes[0].lines if line.get_linestyle() == "-"]
        for drawn in (before, after)
    ]
    assert connected[0] == connected[1]


def test_bars_of_times_begin_at_zero_and_of_ratios_at_one() -> None:
    records = [one for one in RECORDS["both"] if one.backend == "cuda"]
    for name, begin in (("brandes-variants", 0), ("brandes-costs", 1)):
        bars = figure(name, records).axes[0].patches
        assert bars
        assert {bar.get_x() for bar in bars if isinstance(bar, Rectangle)} == {begin}


@pytest.mark.parametrize("name", ["brandes-variants", "brandes-costs"])
def test_versions_are_shown_on_every_real_graph(name: str) -> None:
    whole = [record for record in brandes("h200", gpu=True) if record.experiment == "brandes-variants"]
    road = {"name": "NY", "origin": "dimacs", "sha256": "1" * 64, "arcs": 733_846}
    roads = [
        replace(one, graph={**one.graph, **road}, parameters={**one.parameters, "sources": 64})
        for one in whole
        if one.graph["name"] == "Gowalla"
    ]
    titles = [axes.get_label() for axes in figure(name, whole + roads).axes]
    assert titles == [
        "h200, Gowalla, all 196,591 sources, 5 trials",
        "h200, NY, 64 sources of 196,591, 5 trials",
    ]
