# ruff: noqa: RUF001
"""Figures: what was measured is in them, under the right name, and their words say what the data say."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from retrace.publish.chart import draw, drawing_of, image, spread, ticks
from retrace.publish.chart_words import NOTHING, UNTIMED, caption, finding
from retrace.publish.panels import Panel, panels
from retrace.records.record import Record, make_record, write_records
from retrace.reports.frame import Frame, build
from retrace.reports.printed import read_printed
from retrace.reports.report import PUBLISHED, load_reports

GPU = {
    "name": "NVIDIA H200",
    "compute_capability": "9.0",
    "memory_gib": 139.8,
    "driver": None,
    "sm_clock_mhz": None,
}
SOFTWARE = dict.fromkeys(("git_commit", "dirty", "pycuda", "cuda", "compiler"))
REAL = {"small-6": (6, 20), "NY": (264_346, 733_846), "NW": (1_207_945, 2_820_774)}


def made(
    experiment: str, solver: str, graph: str, ms: float, backend: str = "cuda", **changes: Any
) -> Record:
    """Make a record of three trials of nearly the same time."""
    vertices, arcs = REAL.get(graph) or (2 ** int(graph.split("-")[1]), 5)
    info = {"name": graph, "vertices": vertices, "arcs": arcs, "edition": "", "weights": "file", "seed": 1}
    info |= {"origin": "dimacs" if graph in REAL else "generated", "sha256": f"{vertices:064x}"}
    times = [ms, ms * 1.001, ms * 1.002]
    trials = [{"setup": 1, "upload": 0, "solve": t, "download": 0, "total": t, "kernel": t} for t in times]
    machine = changes.pop("machine", "h200")
    values: dict[str, Any] = {
        "experiment": experiment, "problem": solver.split("/")[0], "solver": solver, "backend": backend,
        "parameters": changes.pop("parameters", {}), "source": 0,
        "graph": info | changes.pop("of", {}), "trials": trials, "iterations": 1, "verified": True,
        "oracle": "SciPy", "digest": "1" * 64,
        "machine": {"name": machine, "cpu": "CPU", "cores": 2, "memory_gib": 8,
                    "gpu": GPU if backend == "cuda" else None},
        "software": SOFTWARE | {"python": "3.11", "numpy": "2"}, "started": "2026-01-31T12:00:00Z",
    }  # fmt: skip
    return make_record("test", **(values | changes))


def shown(key: str, name: str, records: Sequence[Record]) -> tuple[Figure, list[Panel], str, str]:
    """Return a figure, its panels, its finding and its caption."""
    report, frame = load_reports()[key], framed(key, records)
    drawing = drawing_of(report, name)
    of = (drawing, frame, report)
    return draw(*of), panels(*of), finding(*of), caption(*of)


def framed(key: str, records: Sequence[Record]) -> Frame:
    printed = PUBLISHED / f"{key}.csv"
    return build(records, read_printed(printed) if printed.exists() else [], load_reports()[key].tables)


def words(figure: Figure) -> str:
    found = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    return " | ".join(found).replace("\n", " ").replace("\u00a0", " ")


def medians(panel: Panel) -> dict[str, list[float]]:
    return {line.name: [round(dot.value.median, 3) for dot in line.dots] for line in panel.lines}


@pytest.mark.parametrize(
    ("key", "figure", "solver"),
    [
        ("bsp-suite", "figure-3.3", "bfs/block-queue"),
        ("bsp-suite", "figure-3.4", "stcon/another"),
        ("bsp-suite", "figure-3.5", "sssp/another"),
        ("tuwien-sssp", "generators", "generate/another"),
        ("an-bellman-ford", "bellman-ford-direction", "bellman-ford/another"),
        ("domitrz-brandes", "brandes-variants", "betweenness/another"),
    ],
)
def test_a_solver_that_nobody_laid_out_has_a_place(key: str, figure: str, solver: str) -> None:
    experiment = drawing_of(load_reports()[key], figure).experiment
    drawn, (panel,), *_ = shown(key, figure, [made(experiment, solver, "random-10-5", 3)])
    assert solver.split("/")[1] in [line.name for line in panel.lines]
    assert solver.split("/")[1] in words(drawn)


def test_printed_lines_are_dashed_beside_measured_ones() -> None:
    records = [
        made("table-3.3", "bfs/queue", graph, ms, "host") for graph, ms in (("small-6", 0.01), ("NY", 9))
    ]
    records += [
        made("table-3.3", "bfs/bsp", "NY", 3),
        made("table-3.3", "bfs/bsp", "NW", 1, "emulator", machine="local"),
    ]
    drawn, (panel,), said, text = shown("bsp-suite", "figure-3.3", records)
    assert list(medians(panel)) == [
        "printed: sequential",
        "printed: GT 520",
        "printed: GT 730",
        "queue",
        "bsp",
    ]
    assert medians(panel)["queue"] == [0.01, 9.009]
    styles = [line.get_linestyle() for line in drawn.axes[0].lines if len(list(line.get_xdata())) == 4]  # type: ignore[arg-type]
    assert styles == ["--"] * 3
    assert "bsp is the fastest (3.00 ms); the next, queue, takes 3.00× as long" in said
    assert said in words(drawn)
    assert "Retrace repeats sequential by bfs/queue and CUDA by bfs/bsp" in text.replace("\n", " ")


def test_many_printed_lines_have_panels_by_system_without_zeros_and_with_doubts() -> None:
    drawn, (home, institute), said, text = shown("tuwien-sssp", "figure-2", [])
    assert medians(home)["Sequential"] == [1, 3, 24, 91, 300]
    assert {dot.sign for line in institute.lines if line.name == "Sequential" for dot in line.dots} == {"○"}
    assert said == NOTHING
    assert "○ in doubt" in words(drawn)
    assert "Too fast to be what the head says" in text


def test_ratios_are_of_the_same_machine_and_graph() -> None:
    standard, pinned = ("sssp/standard", "sssp/pinned")
    records = [made("table-2", standard, "random-19-50", 10), made("table-2", pinned, "random-19-50", 5)]
    records += [made("table-2", pinned, "random-20-50", 7, machine="other")]
    records += [made("table-2", "sssp/mask-sequential", "random-19-50", 70, "host")]
    _, found, said, _ = shown("tuwien-sssp", "figure-2", records)
    (below,) = [panel for panel in found if panel.below]
    assert medians(below) == {"pinned": [0.5]}
    assert "Time to solve over standard: 0.500× (pinned) to 0.500× (pinned)" in said


def test_a_claim_is_in_the_title_with_its_verdict() -> None:
    records = [made("bellman-ford-direction", f"bellman-ford/{name}", "random-14-5", ms) for name, ms in
               (("dense", 2), ("incoming", 4), ("outgoing", 8))]  # fmt: skip
    _, _, said, text = shown("an-bellman-ford", "bellman-ford-direction", records)
    assert "h200: holds (2.00× to 4.00× on random-14-5; faster in 2, slower in 0 of 2)." in said
    assert said.split(" h200")[0] in text.replace("\n", " ")


def test_real_graphs_stand_apart_from_generated_ones() -> None:
    graphs = ("random-12-5", "random-14-5", "NY")
    records = [made("bellman-ford-sparse", "bellman-ford/edge-list", graph, 3) for graph in graphs]
    drawn, (panel,), *_ = shown("an-bellman-ford", "bellman-ford-sparse", records)
    assert [(joined, len(dots)) for joined, dots in panel.lines[0].strokes] == [(True, 2), (False, 1)]
    assert "NY" in [text.get_text() for text in drawn.axes[0].texts]


@pytest.mark.parametrize("key", load_reports())
def test_nothing_timed_is_said_and_what_the_emulator_checked(key: str) -> None:
    for name, drawing in load_reports()[key].figures.items():
        solver = {"table-3.3": "bfs/bsp", "table-3.4": "stcon/bsp"}.get(drawing.experiment, "sssp/bsp")
        records = [made(drawing.experiment, solver, "random-10-50", 1, "emulator") for _ in range(2)]
        drawn, found, said, _ = shown(key, name, records)
        assert said == f"{NOTHING} The emulator checked 2 answers: 2 agree."
        assert said in words(drawn)
        assert all(line.system for panel in found for line in panel.lines)


def test_a_machine_without_a_gpu_is_drawn_and_said() -> None:
    records = [made("table-3.3", "bfs/queue", "NY", 9, "host", machine="local")]
    drawn, (panel,), said, _ = shown("bsp-suite", "figure-3.3", records)
    assert (panel.machine, said.startswith(UNTIMED)) == ("local", True)
    assert "local" in words(drawn)


def test_substitutes_are_signed_and_explained() -> None:
    records = [made("table-3.5", "sssp/bsp", "NY", 9, of={"origin": "stand-in"})]
    records += [made("table-3.5", "sssp/bsp", "NW", 9, of={"weights": "generated"})]
    drawn, _, _, text = shown("bsp-suite", "figure-3.5", records)
    assert "× NY (stand-in); + NW (weights generated)" in words(drawn)
    assert [line.get_marker() for line in drawn.axes[0].lines if line.get_marker() in ("x", "+")] == [
        "x",
        "+",
    ]
    assert "made by a generator" in text


def test_bars_are_ranked_on_the_whole_graph_unless_a_sample_has_more() -> None:
    def some(parameters: dict[str, int], *solvers: str) -> list[Record]:
        names = [f"betweenness/{name}" for name in solvers]
        return [made("brandes-variants", n, "NY", ms, parameters=parameters) for ms, n in enumerate(names, 2)]

    few, most = some({"sources": 64}, "vert", "edge"), some({}, "lanes", "vert-comp-virt-stride", "edge")
    drawn, (panel,), *_ = shown("domitrz-brandes", "brandes-variants", few[:1] + most)
    assert (panel.title, next(iter(medians(panel)))) == ("h200, NY, all 264,346 sources, 3 trials", "lanes")
    bold = [label.get_text() for label in drawn.axes[0].get_yticklabels() if label.get_fontweight() == "bold"]
    assert bold == ["vert-comp-virt-stride"]
    _, (panel,), *_ = shown("domitrz-brandes", "brandes-variants", few + most[:1])
    assert "64 sources of 264,346" in panel.title


def test_a_setting_is_the_x_axis_and_many_lines_stay_legible() -> None:
    solvers = [f"betweenness/v-{n}" for n in range(24)]
    records = [made("brandes-mdeg", solver, "NY", 3 + n + mdeg, parameters={"mdeg": mdeg})
               for n, solver in enumerate(solvers) for mdeg in (1, 4)]  # fmt: skip
    drawn, (panel,), *_ = shown("domitrz-brandes", "brandes-mdeg", records)
    assert [[dot.x for dot in line.dots] for line in panel.lines] == [[1, 4]] * 24
    drawn.draw_without_rendering()
    boxes = [text.get_window_extent() for text in drawn.axes[0].texts]
    width, height = drawn.get_size_inches() * drawn.dpi
    assert all(box.x1 <= width and box.y0 >= 0 and box.y1 <= height for box in boxes)
    assert not any(one.padded(-1).overlaps(other.padded(-1)) for one, other in combinations(boxes, 2))


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    records = [made("table-3.3", "bfs/bsp", "NY", 3)]
    figures = [shown("bsp-suite", "figure-3.3", records)[0] for _ in range(2)]
    for form in ("svg", "png"):
        assert image(figures[0], form) == image(figures[1], form)
    write_records(tmp_path / "h200.jsonl", records)
    command = [sys.executable, str(PUBLISHED.parents[1] / "scripts/make_figure.py"), "--figure", "figure-3.3"]
    command += ["--report", str(PUBLISHED / "bsp-suite.yaml"), "--records", str(tmp_path / "h200.jsonl")]
    subprocess.run([*command, "--output-prefix", str(tmp_path / "out/figure-3.3")], check=True)
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [".md", ".png", ".svg"]
    assert (tmp_path / "out/figure-3.3.svg").read_bytes() == image(figures[0], "svg")


@pytest.mark.parametrize(
    ("wanted", "places"),
    [
        ([0.2, 0.8], [0.2, 0.8]),
        ([0.5, 0.5], [0.45, 0.55]),
        ([0.0] * 3, [0.0, 0.1, 0.2]),
        ([1.0, 0.98], [1.0, 0.9]),
    ],
)
def test_labels_move_apart_and_no_further(wanted: list[float], places: list[float]) -> None:
    assert spread(wanted, 0.1, 0, 1) == pytest.approx(places)


def test_ticks_are_round_and_in_order() -> None:
    assert ticks(0.5, 2000) == [1, 10, 100, 1000]
    assert all(2 <= len(ticks(1.7, high)) <= 7 for high in (2.6, 9, 90, 1e6, 1e9))
    assert all(low < high for low, high in pairwise(ticks(0.9, 1.3)))
