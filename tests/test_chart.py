# ruff: noqa: RUF001
"""Figures: what was measured is in them, under the right name, at the right place, and alike everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Rectangle

from command_line import Call, Patch
from drawn_figures import content_of, made, medians, shown, words
from fabricated import (
    bellman_ford,
    changed,
    fast,
    frame,
    graph_info,
    limits,
    measured,
    phases,
    record,
    trial,
    warm,
)
from figure_texts import assert_nothing_is_cut_or_overlaps
from retrace.catalogue.known_solvers import CATALOGUE, KnownSolver
from retrace.publish.cell_columns import BEST, RATIOS, columns, row_names
from retrace.publish.chart import draw, drawing_of, image, with_same_clips
from retrace.publish.chart_axes import scale, tick_ratio, tick_time
from retrace.publish.chart_looks import (
    BLACK,
    COLOURS,
    CPU_PROGRAM,
    HEAT,
    KIND_COLOURS,
    LIBRARY_CALL,
    OUR_SOLVER,
    PHASES,
    PUBLISHED_KERNEL,
    SHAPES,
    SPARE,
    kind,
)
from retrace.publish.chart_words import footnotes
from retrace.publish.overview import SEGMENTS
from retrace.publish.panel import PAIR
from retrace.publish.panels import FigureContent
from retrace.publish.phases import phases_of
from retrace.records.record import GraphInfo, Record, write_records
from retrace.reports.frame import Printed
from retrace.reports.physical_limit import Roof
from retrace.reports.report import PUBLISHED, Drawing, load_reports
from retrace.reports.wording import EMPTY, comparative
from retrace.solvers import REGISTRY


@pytest.fixture(autouse=True)
def invented(monkeypatch: Patch) -> None:
    """Make solvers known that no report names."""
    problems = "bfs", "bellman-ford", "betweenness", "generate", "sssp", "stcon"
    names = [f"{problem}/{name}" for problem in problems for name in ("another", "more", "most")]
    known = {name: KnownSolver(name, "a test", "retrace.no_module", ("cuda", "host")) for name in names}
    monkeypatch.setattr(CATALOGUE, "added", {**CATALOGUE.added, **known})


@pytest.mark.parametrize(
    ("key", "figure", "experiment", "graph"),
    [("bsp-suite", "table-3.3", "table-3.3", "NY"), ("bsp-suite", "table-3.5", "table-3.5", "NY"),
     ("hong-bfs", "hong-bfs", "hong-bfs", "NY"), ("tuwien-sssp", "generators", "generators", "random-10-5"),
     ("an-bellman-ford", "bellman-ford-sparse", "bellman-ford-sparse", "NY"),
     ("domitrz-brandes", "brandes-variants", "brandes-variants", "Gowalla")],
)  # fmt: skip
def test_a_solver_that_nobody_laid_out_has_a_place(
    key: str, figure: str, experiment: str, graph: str
) -> None:
    problem = {"table-3.5": "sssp", "generators": "generate", "bellman-ford-sparse": "bellman-ford",
               "brandes-variants": "betweenness"}.get(experiment, "bfs")  # fmt: skip
    drawn, panels = shown(key, figure, [made(experiment, f"{problem}/another", graph, 3)])
    assert "another" in [line.name for line in panels[0].lines]
    assert "another" in words(drawn)


# ----- one look for each solver and kind, the same in all figures


def test_a_kind_is_that_of_the_solver_whatever_table_it_is_in() -> None:
    """`dijkstra-heap` was ours in one figure and published in another."""
    kinds = {
        "sssp/dijkstra-heap": CPU_PROGRAM, "bfs/bsp": PUBLISHED_KERNEL, "bfs/cluster": OUR_SOLVER,
        "bfs/gapbs": LIBRARY_CALL,
        "sssp/mask-sequential": CPU_PROGRAM, "betweenness/lane-queues": OUR_SOLVER,
    }  # fmt: skip
    for solver, expected in kinds.items():
        for experiment in ("table-3.5", "fast-sssp", "survey-sssp"):
            content = content_of(
                "bsp-suite", drawing_of(None, experiment), [made(experiment, solver, "NY", 3)]
            )
            assert kind(content.entries.measured[0]) == expected, (solver, experiment)


def test_two_machines_have_one_colour_and_the_second_is_a_tick() -> None:
    records = [made("brandes-variants", "betweenness/vert", "Gowalla", ms, machine=machine)
               for machine, ms in (("h200", 5), ("h100", 6))]  # fmt: skip
    drawn, panels = shown("domitrz-brandes", "brandes-variants", records)
    assert [panel.machine for panel in panels] == ["h200", "h100"]
    (axes,) = drawn.axes
    marks = {str(line.get_marker()): line for line in axes.lines}
    assert (
        to_hex(marks["s"].get_color())
        == to_hex(marks["|"].get_color())
        == KIND_COLOURS[PUBLISHED_KERNEL].lower()
    )
    assert float(np.ravel(marks["|"].get_xdata())[0]) == pytest.approx(6.006)


def test_a_machine_without_a_tick_is_not_named() -> None:
    asked = "brandes-variants", "betweenness/vert", "NY"
    records = [made(*asked, 5, machine="h200"), made(*asked, 6, machine="local", of={"origin": "stand-in"})]
    drawn, panels = shown("domitrz-brandes", "brandes-variants", records)
    assert [panel.machine for panel in panels] == ["h200"]
    assert not {"Tick", "local", "stand-in"}.intersection(re.findall(r"[\w-]+", words(drawn)))


def test_no_colour_has_two_meanings() -> None:
    meanings = [set(some.values()) for some in (KIND_COLOURS, COLOURS, PHASES, SEGMENTS)] + [set(HEAT)]
    every = [colour.lower() for some in meanings for colour in some]
    assert len(every) == len(set(every))
    assert len(meanings[0]) == len(KIND_COLOURS)
    assert len(meanings[2]) == len(PHASES)


def test_lines_of_one_solver_and_of_two_differ_in_colour() -> None:
    records = [
        measured(f"bellman-ford/{name}", "bellman-ford-edges", f"dense-{size}", phases(1, 5, ms), **settings)
        for size in (256, 512, 1024)
        for name, ms, settings in (
            ("multi-edge", 3.0, {"edges_per_thread": 1}), ("multi-edge", 2.0, {"edges_per_thread": 4}),
            ("multi-edge-consecutive", 4.0, {"edges_per_thread": 4}),
        )
    ]  # fmt: skip
    drawing = Drawing(experiment="bellman-ford-edges", title="Edges", y="kernel")
    drawn, (panel,) = shown("an-bellman-ford", drawing, records)
    colours = [
        to_hex(line.get_color()) for line in drawn.axes[0].lines if line.get_marker() in SHAPES.values()
    ]
    assert len(panel.lines) == len(set(colours)) == 3
    assert set(colours) <= {
        COLOURS["multi-edge"].lower(),
        *map(str.lower, SPARE),
        COLOURS["multi-edge-consecutive"].lower(),
    }
    assert COLOURS["multi-edge"].lower() in colours


# ----- dumbbells


def test_a_dumbbell_leads_from_the_printed_time_to_the_measured_one() -> None:
    queue = [("NY", 9), ("small-6", 0.01), ("random-10-5", 3)]  # the last is none of the figure's graphs
    records = [made("table-3.3", "bfs/queue", graph, ms, "host") for graph, ms in queue]
    records.append(made("table-3.3", "bfs/bsp", "NY", 18))
    records.append(made("table-3.3", "bfs/bsp", "NW", 1, "emulator", machine="local"))
    drawn, panels = shown("bsp-suite", "figure-3.3", records)
    assert [panel.graph for panel in panels] == ["NW", "NY", "small-9", "small-6"]
    assert medians(panels[1]) == {"queue": [3520, 9.009], "bsp": [341, 18.018]}  # of GT 730, the faster
    assert medians(panels[0]) == {"queue": [10600], "bsp": [1060]}
    hollow = {
        round(float(np.ravel(line.get_xdata())[0]), 3): str(line.get_markerfacecolor()) == "white"
        for line in drawn.axes[0].lines
        if line.get_marker() in ("s", "D")
    }
    assert {ms: hollow[ms] for ms in hollow if 18 < ms < 19 or ms == 341} == {18.018: False, 341: True}
    assert "GPU 10 × faster → 2.0 × slower" in words(drawn)
    assert "Hollow: printed" in words(drawn)


def test_a_number_in_doubt_begins_no_dumbbell() -> None:
    drawing = Drawing(experiment="table-2", title="Doubt", kind="dumbbells", graphs=["random-20-50"])
    _, (panel,) = shown("tuwien-sssp", drawing, [made("table-2", "sssp/standard", "random-20-50", 18)])
    assert medians(panel)["standard"] == [188, 18.018]
    assert "mask-sequential" not in medians(panel)  # of which 24 ms are printed, too fast to be true


def test_searches_between_far_pairs_alone_are_drawn() -> None:
    records = [
        made("table-3.4", "stcon/bsp", "NY", ms, parameters={"pair": pair, "target": 1})
        for pair, ms in (("near", 1), ("far", 20))
    ]
    _, panels = shown("bsp-suite", "figure-3.4", records)
    (panel,) = (panel for panel in panels if panel.graph == "NY")
    assert medians(panel)["bsp"][1:] == [20.02]


# ----- lines


def test_ratios_are_of_the_same_machine_and_graph() -> None:
    trials = [trial(ms, kernel=1.0, upload=90.0) for ms in (4.0, 10.0, 11.0)]  # less, or more, of all else
    records = [measured("sssp/standard", "table-2", "random-19-50", trials)]
    records += [made("table-2", "sssp/pinned", graph, 5) for graph in ("random-18-50", "random-19-50")]
    records += [made("table-2", "sssp/pinned", "random-20-50", 7, machine="other")]
    records += [made("table-2", "sssp/mask-sequential", "random-19-50", 100, "host")]
    _, (first, *others) = shown("tuwien-sssp", "figure-2", records)
    assert (first.machine, medians(first)) == ("h200", {"pinned": [0.5]})
    (pair,) = (panel for panel in others if panel.machine == PAIR)
    assert medians(pair)["h200"] == [1.001]  # by the total


def test_printed_ratios_are_of_one_system_without_zeros_and_with_doubts() -> None:
    drawn, panels = shown("tuwien-sssp", "figure-2", [made("table-2", "sssp/standard", "random-20-50", 1)])
    assert [panel.title for panel in panels[:2]] == ["Home, printed", "Institute, printed"]
    assert all(dot.value.median > 0 for panel in panels for dot in panel.dots)
    entries = frame([], "tuwien-sssp")[0].printed
    of = {(e.machine, e.solver, e.graph, e.printed.occurrence): e.printed.ms for e in entries}
    pinned = next(line for line in panels[0].lines if line.name == "pinned")
    printed = [dot.entry for dot in pinned.dots if isinstance(dot.entry, Printed)]
    ratios = [
        e.printed.ms / of["Home", "sssp/standard", e.graph, e.printed.occurrence] for e in printed
    ]  # one size heads two columns
    assert [dot.value.median for dot in pinned.dots] == pytest.approx(ratios)
    assert {dot.sign for panel in panels if panel.machine == PAIR for dot in panel.dots} == {"", "○"}
    lines = [line for axes in drawn.axes for line in axes.lines if len(np.ravel(line.get_xdata())) > 3]
    assert {line.get_linestyle() for line in lines} == {"--"}
    assert "○ in doubt" in words(drawn)


def test_a_share_is_in_percent() -> None:
    records = bellman_ford("h200", gpu=True, sizes=[256, 512, 1024])
    drawn, _ = shown("an-bellman-ford", "bellman-ford-share", records)
    drawn.draw_without_rendering()
    labels = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert (labels[0], labels[-1]) == ("0%", "100%")


def test_no_stream_is_below_the_copy_alone() -> None:
    """The floor is the upload of pinned memory over the total of one part."""
    records = [
        measured("bellman-ford/pinned", "bellman-ford-transfer", "dense-4096", phases(8, 3)),
        *(measured("bellman-ford/streams-masked", "bellman-ford-transfer", "dense-4096", phases(0, ms),
                   parts=parts)
          for parts, ms in ((1, 10.0), (2, 9.0))),
    ]  # fmt: skip
    _, (panel,) = shown("an-bellman-ford", "bellman-ford-streams", records)
    assert medians(panel) == {"2 parts": [0.9], "the copy alone": [pytest.approx(0.8, rel=0.01)]}


def on_gpus(graph: str | GraphInfo, upload: float, *solves: float) -> list[Record]:
    """Fabricate what 1, 2 and 4 GPUs take, of which all wait for the upload."""
    return [
        measured("betweenness/multi-gpu", "betweenness-gpus", graph, phases(upload, ms), devices=devices,
                 kernel="lane-queues", sources=8)
        for devices, ms in zip((1, 2, 4), solves, strict=False)
    ]  # fmt: skip


def test_several_gpus_stand_beside_the_ideal() -> None:
    """In all, on each graph: where all wait, they gain less."""
    drawn_sources = graph_info("random-22-16").model_copy(update={"name": "random-22-16-1024"})
    records = [*on_gpus("Gowalla", 0, 10, 6, 4), *on_gpus(drawn_sources, 10, 10, 6, 4)]
    drawn, (panel, other) = shown("today", "betweenness-gpus", records)
    assert medians(panel) == {"lane-queues": [1, pytest.approx(0.6, abs=0.01), pytest.approx(0.4, abs=0.01)]}
    assert medians(other) == {"lane-queues": [1, pytest.approx(0.8, abs=0.01), pytest.approx(0.7, abs=0.01)]}
    ideal = [line for line in drawn.axes[0].lines if line.get_linestyle() == "--"]
    assert [list(map(float, np.ravel(line.get_ydata()))) for line in ideal] == [[1, 0.5, 0.25]]


def test_lines_through_few_places_are_rows_that_name_them() -> None:
    content = content_of("today", "betweenness-gpus", on_gpus("Gowalla", 0, 1000, 600))
    drawn = draw(content)
    (axes,) = drawn.axes
    assert content.kind == "rows"
    assert [label.get_text() for label in axes.get_yticklabels()] == ["lane-queues, GPUs: 2"]
    assert [text.get_text() for text in axes.texts] == [comparative(0.6)]
    dotted = [line for line in axes.lines if line.get_linestyle() == ":"]
    assert [list(map(float, np.ravel(line.get_xdata()))) for line in dotted] == [[0.5, 0.5]]
    (bar,) = axes.patches
    assert sorted([bar.get_x(), bar.get_x() + bar.get_width()]) == pytest.approx([0.6, 1], abs=1e-4)  # type: ignore[attr-defined]
    assert_nothing_is_cut_or_overlaps(drawn)


SPARSE = Drawing(experiment="bellman-ford-sparse", title="Sparse")


def test_real_graphs_stand_apart_from_generated_ones() -> None:
    graphs = ("random-14-5", "random-12-5", "NY")
    records = [made("bellman-ford-sparse", "bellman-ford/edge-list", graph, 3) for graph in graphs]
    drawn, (panel,) = shown("an-bellman-ford", SPARSE, records)
    assert [(joined, len(dots)) for joined, dots in panel.lines[0].strokes] == [(True, 2), (False, 1)]
    assert [dot.x for dot in panel.lines[0].dots] == [2**12, 2**14, 264_346]
    assert "NY" in [text.get_text() for text in drawn.axes[0].texts]
    hollow = [line for line in drawn.axes[0].lines if str(line.get_markerfacecolor()) == "white"]
    assert [line.get_linestyle() for line in hollow] == ["None"]


def test_no_line_joins_sizes_between_which_a_decade_was_not_measured() -> None:
    graphs = [f"random-{k}-5" for k in (10, 12, 16, 18)]
    records = [made("bellman-ford-sparse", "bellman-ford/edge-list", graph, 3) for graph in graphs]
    ((line,),) = [panel.lines for panel in content_of("an-bellman-ford", SPARSE, records).panels]
    assert [[dot.entry.graph for dot in dots] for _, dots in line.strokes] == [graphs[:2], graphs[2:]]


def test_a_setting_is_the_x_axis_and_many_lines_stay_legible() -> None:
    solvers = REGISTRY.of_problem("betweenness")[:24]
    records = [made("brandes-mdeg", solver.name, "NY", 3 + n + mdeg, parameters={"mdeg": mdeg})
               for n, solver in enumerate(solvers) for mdeg in (1, 4)]  # fmt: skip
    drawn, (panel,) = shown("domitrz-brandes", "brandes-mdeg", records)
    assert [[dot.x for dot in line.dots] for line in panel.lines] == [[1, 4]] * 24
    assert_nothing_is_cut_or_overlaps(drawn)


def test_of_all_sources_and_a_sample_the_one_with_more_work_is_drawn() -> None:
    few = [measured("betweenness/vert-virt", "brandes-mdeg", "NY", phases(1, 2, 2), mdeg=4, sources=1)]
    whole = [measured("betweenness/vert-virt", "brandes-mdeg", "random-10-5", phases(1, 2, 2), mdeg=4)]
    _, found = shown("domitrz-brandes", "brandes-mdeg", few + whole)
    assert [panel.title for panel in found] == ["h200, random-10-5, all 1,024 sources"]


def test_substitutes_are_named_where_they_stand() -> None:
    records = [made("table-3.5", "sssp/bsp", "NY", 9, of={"origin": "stand-in"})]
    records += [made("table-3.5", "sssp/bsp", "NW", 9, of={"weights": "generated"})]
    drawn, _ = shown("bsp-suite", "figure-3.5", records)
    assert "NW (weights generated)" in words(drawn)
    assert "NY (stand-in)" in words(drawn)
    drawn, _ = shown("bsp-suite", Drawing(experiment="table-3.5", title="Lines"), records)
    assert "× NY (stand-in); + NW (weights generated)" in words(drawn)
    assert {"x", "+"} <= {line.get_marker() for line in drawn.axes[0].lines}


# ----- rows


def test_bars_are_ranked_on_the_whole_graph_unless_a_sample_has_more() -> None:
    def some(parameters: dict[str, int], *solvers: str) -> list[Record]:
        names = [f"betweenness/{name}" for name in solvers]
        return [made("brandes-blocks", n, "NY", ms, parameters=parameters) for ms, n in enumerate(names, 2)]

    ranked = Drawing(experiment="brandes-blocks", title="Ranked", kind="bars", y="solve")
    few, most = some({"sources": 64}, "vert", "edge"), some({}, "lanes", "vert-comp-virt-stride", "edge")
    _, (panel,) = shown("domitrz-brandes", ranked, few[:1] + most)
    assert (panel.title, next(iter(medians(panel)))) == ("NY, all 264,346 sources", "lanes")
    _, (panel,) = shown("domitrz-brandes", ranked, few + most[:1])
    assert "64 sources of 264,346" in panel.title


def test_what_has_no_time_has_a_dash() -> None:
    times = {("vert", "NY"): 1, ("levels", "NY"): 9, ("vert", "Gowalla"): 1}
    records = [
        made("brandes-variants", f"betweenness/{name}", graph, ms) for (name, graph), ms in times.items()
    ]
    drawn, _ = shown("domitrz-brandes", "brandes-variants", records)
    beside = [[text.get_text() for text in axes.texts] for axes in drawn.axes]
    assert [EMPTY in some for some in beside] == [True, False]


@pytest.mark.parametrize(("drawn_as", "axis"), [("lines", 1), ("bars", 0)])
def test_whiskers_end_at_the_quartiles(drawn_as: Literal["lines", "bars"], axis: int) -> None:
    records = [
        record("bfs/bsp", graph, [1.0, 2.0, 3.0, 10.0, 20.0], backend="cuda")
        for graph in (["random-12-5", "random-13-5", "random-14-5"] if drawn_as == "lines" else ["NY"])
    ]
    drawing = Drawing(experiment="table-3.3", title="Both", kind=drawn_as)
    drawn, _ = shown("bsp-suite", drawing, records)
    whiskers = [
        part
        for part in drawn.axes[0].containers
        if isinstance(part, ErrorbarContainer) and part.has_yerr | part.has_xerr
    ]
    segment, *_ = [line for part in whiskers for one in part.lines[2] for line in one.get_segments()]
    assert sorted(segment[:, axis]) == [2, 10]
    dot = next(line for line in drawn.axes[0].lines if line.get_marker() == "s")
    assert dot.get_xydata()[0][axis] == 3  # type: ignore[index]
    if axis == 0:
        assert [text.get_text() for text in drawn.axes[0].texts] == ["3.00 ms"]


@pytest.mark.parametrize("count", [2, 4])
def test_numbers_beside_bars_are_neither_cut_nor_hidden(count: int) -> None:
    graphs = [f"random-{size}-5" for size in range(8, 8 + count)]
    times = {"vert": 1, "levels": 50, "vert-comp": 2, "vert-queue-comp": 2.1}
    records = [
        made("brandes-variants", f"betweenness/{name}", graph, ms)
        for name, ms in times.items()
        for graph in graphs
    ]
    ranked = Drawing(experiment="brandes-variants", title="Many", kind="bars", y="solve", graphs=graphs)
    drawn, _ = shown("domitrz-brandes", ranked, records)
    assert len(drawn.axes) == count
    assert_nothing_is_cut_or_overlaps(drawn)


@pytest.mark.parametrize(
    ("drawn_as", "beside"),
    [("lines", None), ("bars", None), ("heat map", None), ("heat map", "resident"), ("phases", None)],
)
def test_the_longest_names_have_room(
    drawn_as: Literal["lines", "bars", "heat map", "phases"], beside: Literal["resident"] | None
) -> None:
    """Of several settings each, which a solver's name states."""
    graphs = [f"random-{size}-5" for size in (12, 14)]
    settings = [
        {"block_size": size, "compacted": compacted, "renumbered": renumbered}
        for size in (256, 512, 1024)
        for compacted, renumbered in (("no", "no"), ("yes", "no"), ("yes", "yes"))
    ]
    records = warm(
        made("fast-betweenness", "betweenness/bitmap-queue", graph, ms, parameters=parameters)
        for graph in graphs
        for ms, parameters in enumerate(settings, 2)
    )
    on_x = [] if drawn_as == "lines" else graphs
    drawing = Drawing(
        experiment="fast-betweenness", title="Long", kind=drawn_as, y="total", graphs=on_x, beside=beside
    )
    drawn, _ = shown("domitrz-brandes", drawing, records)
    assert max(len(word) for word in words(drawn).split(" ")) > 50
    assert_nothing_is_cut_or_overlaps(drawn)


def test_the_parts_of_a_time_add_up_to_it() -> None:
    trials = [trial(5.0, upload=4.0, download=1.0).model_copy(update={"prepare": 3.0, "again": 2.0})] * 3
    content = content_of(
        "today", "out-of-memory", [measured("bfs/direction", "out-of-memory", "Gowalla", trials)]
    )
    (entry,) = content.entries.measured
    assert phases_of(entry, "total") == {"prepare": 3, "upload": 1, "solve": 5, "download": 1}
    assert sum(phases_of(entry, "total").values()) == entry.times["total"].median
    assert phases_of(entry, "resident") == {"solve": 2}
    drawn = draw(content)
    bars = [patch for patch in drawn.axes[0].patches if isinstance(patch, Rectangle)]
    assert [(bar.get_x(), bar.get_width()) for bar in bars] == [(0, 3), (3, 1), (4, 5), (9, 1)]
    patches = [patch for legend in drawn.findobj(Legend) for patch in legend.legend_handles]
    key = {patch.get_facecolor(): patch.get_label() for patch in patches}
    assert [key.pop(bar.get_facecolor()) for bar in bars] == ["prepare", "upload", "solve", "download"]
    assert not key


def test_parts_of_a_time_are_told_without_their_hue() -> None:
    """Each has an outline, unless it is so small that nothing else of it would be seen."""
    trials = [trial(9.9, upload=90.0, download=0.1)] * 3
    records = [measured("bfs/direction", "out-of-memory", "Gowalla", trials)]
    drawn = draw(content_of("today", "out-of-memory", records))
    bars = [patch for patch in drawn.axes[0].patches if isinstance(patch, Rectangle)]
    outlined = [bar.get_linewidth() > 0 and bar.get_edgecolor() == to_rgba(BLACK) for bar in bars]
    assert outlined == [True, True, False]


def test_energy_is_ranked_in_joules() -> None:
    records = [
        made("fast-bfs", f"bfs/{name}", "NY", 1, energy={"searches": 10, "seconds": 1.0, "joules": joules})
        for name, joules in (("bsp", 40.0), ("cluster", 0.5))
    ]
    content = content_of("today", "energy", records)
    drawn, (panel,) = draw(content), content.panels
    assert medians(panel) == {"cluster": [50], "bsp": [4000]}
    assert [text.get_text() for text in drawn.axes[0].texts] == ["50 mJ", "4.0 J"]
    assert "cluster takes 50 mJ, one by bsp 80 × as much" in words(drawn)
    assert_nothing_is_cut_or_overlaps(drawn)


def test_distances_are_those_of_gpus_over_the_limit() -> None:
    today = warm(fast("h200", True))
    core = made("fast-bfs", "bfs/auto", "NY", 0.0001)  # which may have chosen one core
    _, (panel,) = shown("today", "limit-distance", [*today, *warm([core])])
    assert all(dot.value.median > 1 for dot in panel.dots)
    assert [line.dots[0].value.median for line in panel.lines] == sorted(
        line.dots[0].value.median for line in panel.lines
    )
    assert {kind(line.dots[0].entry) for line in panel.lines} == {OUR_SOLVER}
    ours = next(one for one in today if one.solver == "bfs/cluster")
    again = changed(ours, experiment="out-of-memory")  # the same graph in another experiment
    assert len(shown("today", "limit-distance", [*today, *warm([again])])[1][0].lines) == len(panel.lines)


def test_the_kind_of_each_limit_stands_beside_its_row() -> None:
    large = made("fast-sssp-large", "sssp/near-far", "random-22-50", 3)
    drawn, (panel,) = shown("today", "limit-distance", warm([*fast("h200", True), large]))
    kinds = {line.name: line.key for line in panel.lines}
    assert kinds["bfs, NY"] == "latency (620 levels)"
    assert kinds["bfs, random-20-5"] == "latency (launch)"
    assert kinds["sssp, random-22-50"] == "bandwidth (memory)"
    numbers = [text.get_text() for text in drawn.axes[0].texts]
    assert [number.partition(", ")[2] for number in numbers] == [line.key for line in panel.lines]


def test_rates_are_arcs_over_the_time_of_a_further_search_below_the_lines_of_limits() -> None:
    """Times are a record's own; lines are made of the constants of the fabricated machine."""
    large = made("fast-sssp-large", "sssp/near-far", "random-22-50", 3)
    records = [one for one in fast("h200", True) if one.problem != "limits"]
    drawn, panels = shown("today", "rates", [*warm([*records, large]), *limits("h200", launch=0.008)])
    assert [panel.title for panel in panels] == ["BFS", "SSSP"]
    rates = {(panel.title, line.name): (line.dots[0].x, line.dots[0].value.median)
             for panel in panels for line in panel.lines}  # fmt: skip
    assert rates["BFS", "NY"] == (733_846, pytest.approx(733_846 / (0.8 * 0.6e-3)))
    arcs = 50 * 2**22
    assert rates["SSSP", "random-22-50"] == (arcs, pytest.approx(arcs / (0.8 * 3.003e-3)))
    named = [{text.get_text() for text in axes.texts} for axes in drawn.axes]
    assert {"NY", "Gowalla", "a launch, 8.00 µs", "4 bytes per arc from L2, 5,240 GB/s"} <= named[0]
    assert "8 bytes per arc from device memory, 4,290 GB/s" in named[1]
    for axes, panel, each in zip(drawn.axes, panels, (4, 8), strict=True):
        assert isinstance(panel.limit, Roof)
        assert panel.limit.l2_arcs == 50 * 2**20 / each
        launch, full, *levels = [line for line in axes.lines if line.get_marker() == "None"]
        (left, right), (low, high) = np.array(launch.get_data())
        assert [low * 8e-6, high * 8e-6] == pytest.approx([left, right])
        l2, memory = (moved / each for moved in (8 * 2**20 / 1.6e-6, 2**30 / 0.25e-3))
        assert [list(line.get_ydata()) for line in levels] == [
            [pytest.approx(rate)] * 2 for rate in (l2, memory)
        ]
        assert list(full.get_xdata()) == pytest.approx([l2 * 8e-6] * 2)  # which the cache holds
        assert max(full.get_ydata()) == pytest.approx(l2)
    assert_nothing_is_cut_or_overlaps(drawn)


def test_a_graph_fills_a_gpu_where_its_bytes_take_as_long_as_a_launch() -> None:
    """In the L2 cache, at its end, or from device memory."""
    for launch, full in ((1, 2e3), (4, 5e3), (9, 9e3)):
        roof = Roof(launch, l2=2e6, l2_arcs=5e3, memory=1e6, bytes_per_arc=4)
        assert roof.full == full
        assert roof.at(full / 2) == pytest.approx(min(full / 2 / launch * 1e3, 2e6))
        assert roof.at(2 * full + 5e3) == 1e6


def test_rates_of_a_machine_without_limits_have_no_lines_and_say_so() -> None:
    drawn, panels = shown(
        "today", "rates", warm([one for one in fast("h200", True) if one.problem != "limits"])
    )
    assert all(line.get_marker() in ("o", "s", "^") for axes in drawn.axes for line in axes.lines)
    assert "No lines: h200 has no record of limits/launch" in words(drawn)
    assert "billion" in words(drawn)
    assert "allow" not in words(drawn)
    assert len(panels) == 2


def test_every_printed_time_stands_beside_what_the_same_program_takes_here() -> None:
    records = [made("table-2", "sssp/standard", "random-20-50", 7),
               made("table-2", "sssp/mask-sequential", "random-20-50", 70, "host")]  # fmt: skip
    _, (panel,) = shown("tuwien-sssp", "printed-and-measured", records)
    pairs = {(line.key, dot.x, round(dot.value.median)) for line in panel.lines for dot in line.dots}
    printed = [entry for entry in frame(records, "tuwien-sssp")[0].printed if entry.graph == "random-20-50"]
    ours = {"sssp/standard": 7, "sssp/mask-sequential": 70}
    assert pairs == {
        (entry.solver, entry.printed.ms, ours[entry.solver])
        for entry in printed
        if entry.solver in ours and entry.printed.ms > 0 and not entry.printed.doubt
    }
    assert len(pairs) < len([entry for entry in printed if entry.solver in ours])  # one is in doubt


# ----- heat maps


def cells(records: Sequence[Record]) -> tuple[Figure, FigureContent]:
    content = content_of("hong-bfs", "hong-bfs", records)
    return draw(content), content


def test_a_cell_is_coloured_by_the_ratio_to_the_best_of_its_column() -> None:
    times = {"block-queue": 1.0, "another": 1.001, "bsp": 1.8, "two-frontier": 4, "matrix": 19, "queue": 400}
    records = [made("hong-bfs", f"bfs/{name}", "NY", ms) for name, ms in times.items()]
    drawn, content = cells(records)
    (column,) = columns(content.drawing, content.panels)
    found = {name.split(",")[0]: column.look(name) for name in column.times}
    steps = [colour for _, colour in RATIOS]
    assert [found[name][0] for name in times] == [BEST, BEST, *steps]
    assert [name for name, (_, bold) in found.items() if bold == "bold"] == ["block-queue", "another"]
    assert row_names([column], by_name=False)[0].startswith("block-queue")
    bold = [text.get_text() for text in drawn.axes[0].texts if text.get_fontweight() == "bold"]
    assert bold.count("1.00 ms*") == 2


def test_a_time_of_few_trials_is_marked_in_its_cell() -> None:
    for trials, shown_as in ((1, "2.00 ms*"), (3, "2.00 ms*"), (5, "2.00 ms")):
        drawn, content = cells([record("bfs/bsp", "NY", [2.0] * trials, experiment="hong-bfs")])
        assert shown_as in [text.get_text() for text in drawn.axes[0].texts]
        assert ("*: of fewer than 5 trials" in footnotes(content)) == (trials < 5)


def test_cells_are_not_coloured_by_a_time_of_few_trials_where_others_have_enough() -> None:
    times = {"block-queue": [1.0], "bsp": [4.0] * 5, "queue": [7.0] * 5}
    records = [record(f"bfs/{name}", "NY", ms, experiment="hong-bfs") for name, ms in times.items()]
    _, content = cells(records)
    (column,) = columns(content.drawing, content.panels)
    looks = [column.look(name) for solver in times for name in column.times if name.split(",")[0] == solver]
    assert looks == [(BEST, "normal"), (BEST, "normal"), (RATIOS[0][1], "normal")]


@pytest.mark.parametrize(("alike", "weight"), [(2, "bold"), (3, "normal"), (4, "normal")])
def test_bold_marks_the_best_only_where_most_are_told_from_it(alike: int, weight: str) -> None:
    names = ("block-queue", "bsp", "two-frontier", "matrix")
    records = [made("hong-bfs", f"bfs/{name}", "NY", 1 if n < alike else 9) for n, name in enumerate(names)]
    drawn, content = cells(records)
    (column,) = columns(content.drawing, content.panels)
    assert [column.look(name) for name in column.among_best] == [(BEST, weight)] * alike
    said = "Without bold: columns of which most cannot be told from the best"
    assert (said in words(drawn)) == (weight == "normal")


def test_a_heat_map_has_both_measures_and_the_limit_of_a_further_search() -> None:
    drawn, panels = shown("today", "fast-bfs", warm(fast("h200", True), "bfs/cluster"))
    found = columns(drawing_of(load_reports()["today"], "fast-bfs"), panels)
    assert {column.measure for column in found} == {"first search", "resident"}
    assert all((column.limit is not None) == (column.measure == "resident") for column in found)
    assert {name for column in found if column.measure == "resident" for name in column.times} == {"cluster"}
    labels = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert labels[-1] == "limit of a GPU"
    assert EMPTY in [text.get_text() for text in drawn.axes[0].texts]


def test_a_heat_map_of_sizes_has_its_rows_in_order() -> None:
    records = [
        measured("bellman-ford/multi-edge", "bellman-ford-edges", f"dense-{size}", phases(1, 5, 3.0 / n),
                 edges_per_thread=n)
        for n in (4, 1, 2) for size in (256, 512)
    ]  # fmt: skip
    content = content_of("an-bellman-ford", "bellman-ford-edges-size", records)
    found = columns(content.drawing, content.panels)
    assert [column.title for column in found] == ["2⁸", "2⁹"]
    assert row_names(found, by_name=True) == ["1 edge", "2 edges", "4 edges"]
    assert found[0].look("4 edges")[0] == BEST


# ----- axes, words and bytes


def test_each_marker_has_words_that_a_page_shows_over_it() -> None:
    """An element's id has as many as it has markers."""
    records = [
        made("bellman-ford-sparse", "bellman-ford/edge-list", f"random-{k}-5", k) for k in (12, 13, 14)
    ]
    svg = image(shown("an-bellman-ford", SPARSE, records)[0], "svg").decode()
    (words,) = re.findall(r'<g id="tip:([^"]*)">', svg)
    assert [one.rpartition(": ")[2] for one in words.split("|")] == ["12.0 ms", "13.0 ms", "14.0 ms"]
    svg = image(shown("bsp-suite", "figure-3.3", [made("table-3.3", "bfs/bsp", "NY", 18)])[0], "svg").decode()
    assert "bfs/bsp on NY, h200: 18.0 ms" in re.findall(r'<g id="tip:([^"]*)">', svg)


@pytest.mark.parametrize(
    "ends", [(3, 60), (2.8, 6700), (0.5, 4.4), (90, 1100), (1, 9), (1e-5, 1e6), (4.9, 41)]
)
def test_a_logarithmic_axis_names_two_powers_of_ten_and_has_minor_ticks(ends: tuple[float, float]) -> None:
    axes: Axes = Figure().subplots()
    scale(axes, "x", ends, tick_time)
    low, high = axes.get_xlim()
    assert axes.get_xscale() == "log"
    assert low <= ends[0] <= ends[1] <= high
    named = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert 2 <= len(named) <= 6
    assert all(np.log10(tick) == pytest.approx(round(np.log10(tick))) for tick in named)
    assert [tick for tick in axes.get_xticks(minor=True) if low <= tick <= high]


def test_an_axis_that_spans_little_is_linear_and_one_of_times_begins_at_zero() -> None:
    axes: Axes = Figure().subplots()
    scale(axes, "y", [3, 9], tick_time)
    assert (axes.get_yscale(), axes.get_ylim()[0]) == ("linear", 0)
    scale(axes, "y", [0.8, 1.4], tick_ratio)
    assert (axes.get_yscale(), axes.get_ylim()[0] > 0.5) == ("linear", True)


def test_times_on_an_axis_are_round_and_have_units() -> None:
    texts = [tick_time(value) for value in (0, 2e-5, 0.05, 1, 200, 1e4, 2e6)]
    assert texts == ["0", "20 ns", "50 µs", "1 ms", "200 ms", "10 s", "2,000 s"]


@pytest.mark.parametrize("key", load_reports())
def test_what_is_not_timed_is_drawn_empty_and_says_what_the_emulator_checked(key: str) -> None:
    for name, drawing in load_reports()[key].figures.items():
        solver = {"table-3.3": "bfs/bsp", "table-3.4": "stcon/bsp"}.get(drawing.experiment, "sssp/bsp")
        records = [made(drawing.experiment, solver, "random-10-50", 1, "emulator") for _ in range(2)]
        drawn, found = shown(key, name, records)
        assert "2 of 2 answers agree" in words(drawn), name
        assert all(dot.entry.printed for panel in found for dot in panel.dots)
        assert_nothing_is_cut_or_overlaps(drawn)


def test_a_machine_without_a_gpu_is_drawn_and_named() -> None:
    records = [made("table-3.3", "bfs/queue", "NY", 9, "host", machine="local")]
    drawn, panels = shown("bsp-suite", "table-3.3", records)
    assert [panel.machine for panel in panels] == ["local"]
    assert "local" in words(drawn)


def test_words_however_long_are_not_cut() -> None:
    records = [made("bellman-ford-sparse", "bellman-ford/edge-list", graph, 3, machine=f"machine-{number}")
               for number in range(6) for graph in ("random-12-5", "random-14-5")]  # fmt: skip
    drawn, _ = shown("an-bellman-ford", SPARSE.model_copy(update={"title": "Very " * 40}), records)
    assert "machine-5" in words(drawn)
    assert_nothing_is_cut_or_overlaps(drawn)


def test_the_same_input_gives_the_same_bytes(script: Call, tmp_path: Path) -> None:
    records = [made("table-3.3", "bfs/bsp", "NY", 3)]
    figures = [shown("bsp-suite", "figure-3.3", records)[0] for _ in range(2)]
    for form in ("svg", "png"):
        assert image(figures[0], form) == image(figures[1], form)
    write_records(tmp_path / "h200.jsonl", records)
    command = ("--report", PUBLISHED / "bsp-suite.yaml", "--experiment", "table-3.3", "--output", tmp_path)
    known = ("--records", tmp_path / "h200.jsonl", "--figures")
    assert script("publish-experiment", *command, *known, "figure-3.3").status == 0
    assert sorted(path.suffix for path in (tmp_path / "figures").iterdir()) == [".md", ".png", ".svg"]
    assert (tmp_path / "figures/figure-3.3.svg").read_bytes() == image(figures[0], "svg")
    done = script("publish-experiment", *command, *known, "figure-9")
    told = "error: --figures: figure-9 is no figure and no experiment; there are figure-3.3,"
    assert done.refusal(1).startswith(told)
    assert script("publish-experiment", *command, "--figures", "figure-9", "--records").status == 0


def test_clips_are_named_by_what_is_written_of_them() -> None:
    """Else a figure's bytes would depend on the last digits of its layout, which differ from run to run."""
    svg = b'<clipPath id="%s"><rect x="1.23"/></clipPath><g clip-path="url(#%s)"/><use id="m0123456789"/>'
    first, second = (with_same_clips(svg % (name, name)) for name in (b"p0123456789", b"pabcdef0123"))
    assert first == second
    (name,) = re.findall(rb'<clipPath id="(p[0-9a-f]{10})">', first)
    assert b"url(#%s)" % name in first
    assert b'id="m0123456789"' in first
    assert with_same_clips(svg.replace(b"1.23", b"1.24") % (b"p0123456789", b"p0123456789")) != first
