# ruff: noqa: RUF001
"""Figures: what was measured is in them, under the right name, and their words say what the data say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pytest
from matplotlib.colors import to_rgb
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text

from command_line import Call, Patch
from fabricated import bellman_ford, changed, frame, graph_info, measured, phases, record, trial
from figure_texts import assert_nothing_is_cut_or_overlaps
from retrace.catalogue.known_solvers import CATALOGUE, KnownSolver
from retrace.publish.chart import draw, drawing_of, image, with_same_clips
from retrace.publish.chart_axes import COLOURS, drawn_words, shade, tick_time
from retrace.publish.chart_bars import GROUP_COLOURS
from retrace.publish.chart_words import caption, finding, heading
from retrace.publish.panels import FigureContent, Panel
from retrace.publish.sentences import sentence
from retrace.records.record import Record, write_records
from retrace.reports.report import PUBLISHED, Drawing, load_reports
from retrace.reports.wording import EMPTY, TIMES
from retrace.solvers import REGISTRY

UNTIMED, NOTHING = (sentence("untimed", timed=timed, emulated="") for timed in (True, False))


def made(
    experiment: str, solver: str, graph: str, ms: float, backend: str = "cuda", **changes: Any
) -> Record:
    """Fabricate a record of three trials of nearly the same time."""
    info, machine = graph_info(graph, **changes.pop("of", {})), changes.pop("machine", "h200")
    times = (ms, ms * 1.001, ms * 1.002)
    return record(solver, info, times, machine, backend, experiment=experiment, **changes)


def shown(key: str, name: str, records: Sequence[Record]) -> tuple[Figure, list[Panel], str, str]:
    content = FigureContent(drawing_of(load_reports()[key], name), *frame(records, key))
    return draw(content), content.panels, finding(content), caption(content)


def words(figure: Figure) -> str:
    found = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    return " | ".join(found).replace("\n", " ").replace("\u00a0", " ")


def medians(panel: Panel) -> dict[str, list[float]]:
    return {line.name: [round(dot.value.median, 3) for dot in line.dots] for line in panel.lines}


@pytest.fixture(autouse=True)
def invented(monkeypatch: Patch) -> None:
    """Make solvers known that no report names."""
    problems = "bellman-ford", "betweenness", "generate", "sssp", "stcon"
    names = [f"{problem}/{name}" for problem in problems for name in ("another", "more", "most")]
    known = {name: KnownSolver(name, "a test", __name__, ("cuda", "host")) for name in names}
    monkeypatch.setattr(CATALOGUE, "added", {**CATALOGUE.added, **known})


@pytest.mark.parametrize(
    ("key", "figure", "solver"),
    [("bsp-suite", "figure-3.3", "bfs/block-queue"), ("bsp-suite", "figure-3.4", "stcon/another"),
     ("bsp-suite", "figure-3.5", "sssp/another"), ("tuwien-sssp", "generators", "generate/another"),
     ("an-bellman-ford", "bellman-ford-direction", "bellman-ford/another"),
     ("domitrz-brandes", "brandes-variants", "betweenness/another")],
)  # fmt: skip
def test_a_solver_that_nobody_laid_out_has_a_place(key: str, figure: str, solver: str) -> None:
    experiment = drawing_of(load_reports()[key], figure).experiment
    graph = "NY" if key == "bsp-suite" else "random-10-5"
    drawn, (panel, *_), *_ = shown(key, figure, [made(experiment, solver, graph, 3)])
    assert solver.split("/")[1] in [line.name for line in panel.lines]
    assert solver.split("/")[1] in words(drawn)


def test_printed_numbers_stand_below_measured_ones_of_the_same_graph() -> None:
    queue = [("NY", 9), ("small-6", 0.01), ("random-10-5", 3)]  # the last is none of the figure's graphs
    records = [made("table-3.3", "bfs/queue", graph, ms, "host") for graph, ms in queue]
    records.append(made("table-3.3", "bfs/bsp", "NY", 3))
    records.append(made("table-3.3", "bfs/bsp", "NW", 1, "emulator", machine="local"))
    drawn, found, said, text = shown("bsp-suite", "figure-3.3", records)
    assert [(panel.machine, panel.graph) for panel in found] == [
        ("h200", "NY"), ("h200", "small-6"), ("", "NW"), ("", "NY"), ("", "small-9"), ("", "small-6"),
    ]  # fmt: skip
    assert medians(found[0]) == {"bsp": [3.003], "queue, 1 core": [9.009]}
    assert medians(found[3]) == {"GT 730": [341], "GT 520": [1380], "sequential": [3520]}
    hollow = [
        line.get_markerfacecolor() == "white" for line in (drawn.axes[0].lines[0], drawn.axes[3].lines[0])
    ]
    assert hollow == [False, True]
    assert "bsp is the fastest (3.00 ms); the next, queue, takes 3.00× as long" in said
    assert said in words(drawn)
    assert "Hollow: printed, filled: measured here" in words(drawn)
    assert "Retrace repeats CUDA by bfs/bsp and sequential by bfs/queue" in text.replace("\n", " ")


def test_printed_lines_have_panels_by_system_without_zeros_and_with_doubts() -> None:
    drawn, (institute, home), said, text = shown("tuwien-sssp", "figure-2", [])
    assert medians(home)["Sequential"] == [1, 3, 24, 91, 300]
    assert {dot.sign for line in institute.lines if line.name == "Sequential" for dot in line.dots} == {"○"}
    styles = {line.get_linestyle() for axes in drawn.axes for line in axes.lines if len(line.get_xdata()) > 2}  # type: ignore[arg-type]
    assert styles == {"--"}
    assert said == NOTHING
    assert "○ in doubt" in words(drawn)
    assert "filled" not in words(drawn)
    assert "Too fast to be what the head says" in text


def test_ratios_are_of_the_same_machine_and_graph() -> None:
    standard, pinned = ("sssp/standard", "sssp/pinned")
    trials = [trial(ms, kernel=1.0, upload=90.0) for ms in (4.0, 10.0, 11.0)]  # less, or more, of all else
    records = [measured(standard, "table-2", "random-19-50", trials)]
    records += [made("table-2", pinned, graph, 5) for graph in ("random-18-50", "random-19-50")]
    records += [made("table-2", pinned, "random-20-50", 7, machine="other")]
    records += [made("table-2", "sssp/mask-sequential", "random-19-50", 70, "host")]
    _, found, *_ = shown("tuwien-sssp", "figure-2", records)
    first, *others = found
    assert medians(first) == {"pinned": [0.5]}
    assert [panel.compares for panel in found] == [True] + [False] * len(others)


def test_medians_rank_and_are_quoted_not_minima() -> None:
    often = {"bsp": [1.0, *[20.0] * 8], "queue": [8.0, *[9.0] * 8]}
    records = [
        record("bfs/queue", "NY", often["queue"]),
        record("bfs/bsp", "NY", often["bsp"], backend="cuda"),
    ]
    _, (panel, *_), _, text = shown("bsp-suite", "table-3.3", records)
    assert list(medians(panel)) == ["queue", "bsp"]
    said = f"queue is the fastest (9.00 ms); the report's CUDA version, bsp, takes 2.22{TIMES} as long"
    assert text.replace("\n", " ").startswith(f"**Breadth-first search: on NY, {said}.**")


def test_what_cannot_be_ranked_is_not_called_the_fastest() -> None:
    times = {"bsp": [9.0, 10.0, 12.0], "queue": [8.0, 11.0, 13.0]}
    records = [record(f"bfs/{name}", "NY", some, backend="cuda") for name, some in times.items()]
    said = shown("bsp-suite", "figure-3.3", records)[2]
    assert said.startswith("h200: on NY, bsp and queue cannot be told apart (10.0 ms).")
    few = record("bfs/queue", "NY", [11.0, 11.0], backend="cuda")
    said = shown("bsp-suite", "figure-3.3", [records[0], few])[2]
    assert said.startswith("h200: on NY, bsp took least (10.0 ms), with too few trials to rank.")


def test_what_was_measured_elsewhere_is_not_ranked_with_the_fastest() -> None:
    first, second, third = (made("table-3.3", f"bfs/{name}", "NY", ms)
                            for name, ms in (("bsp", 3), ("block-queue", 6), ("queue", 4)))  # fmt: skip
    later = third.software.model_copy(update={"git_commit": "9" * 40})
    said = shown("bsp-suite", "figure-3.3", [first, second, changed(third, software=later)])[2]
    told = "bsp is the fastest (3.00 ms); the next, block-queue, takes 2.00× as long"
    assert said == f"h200: on NY, {told}; not compared: queue (another commit)."
    said = shown("bsp-suite", "figure-3.3", [first, changed(third, software=later)])[2]
    assert said == "h200: on NY, bsp takes 3.00 ms; not compared: queue (another commit)."


def test_searches_between_far_pairs_alone_are_drawn() -> None:
    records = [
        made("table-3.4", "stcon/bsp", "NY", ms, parameters={"pair": pair, "target": 1})
        for pair, ms in (("near", 1), ("far", 20))
    ]
    _, (panel, *_), *_ = shown("bsp-suite", "figure-3.4", records)
    assert medians(panel)["bsp"] == [20.02]


def copied(solver: str, solve: float, upload: float, machine: str = "h200") -> Record:
    """Fabricate a record that takes as long to solve and to copy."""
    key = "bellman-ford-direction" if solver.startswith("bellman") else "brandes-variants"
    graph = "dense-256" if solver.startswith("bellman") else "Gowalla"
    return measured(solver, key, graph, [trial(solve * f, upload=upload) for f in (1, 1.001, 1.002)], machine)


def test_what_is_not_in_the_search_stands_beside_it() -> None:
    records = [copied("bellman-ford/dense", 5, 178), copied("bellman-ford/dijkstra-dense", 235, 0)]
    _, found, _, text = shown("an-bellman-ford", "bellman-ford-direction", records)
    assert [panel.title for panel in found] == ["h200: time to solve", "h200: total time"]
    assert [medians(panel)["dense"] for panel in found] == [[5.005], [183.005]]
    assert [medians(panel)["dijkstra-dense"] for panel in found] == [[235.235]] * 2
    assert "Only the total has the copy of the matrix" in text.replace("\n", " ")


def test_betweenness_is_ranked_by_its_search_with_the_total_beside_it() -> None:
    records = [copied("betweenness/vert", 9, 1), copied("betweenness/vert-comp", 7, 120)]
    drawn, (panel,), _, text = shown("domitrz-brandes", "brandes-variants", records)
    assert list(medians(panel)) == ["vert-comp", "vert"]
    assert [text.get_text() for text in drawn.axes[0].texts] == ["7.01 ms, 127 ms", "9.01 ms, 10.0 ms"]
    marks = [line.get_xdata()[0] for line in drawn.axes[0].lines if line.get_marker() == "D"]  # type: ignore[index]
    assert marks == pytest.approx([127.007, 10.009])
    assert "Diamond, second number: total time." in words(drawn)
    ranked = drawing_of(load_reports()["domitrz-brandes"], "brandes-streams")
    assert (ranked.y, ranked.beside) == ("solve", "total")
    assert "in the total: removing vertices of degree 1" in text.replace("\n", " ")


@pytest.mark.parametrize(("key", "figure"), [("an-bellman-ford", "bellman-ford-direction"),
                                             ("domitrz-brandes", "brandes-variants")])  # fmt: skip
def test_two_machines_have_two_shades_of_a_colour(key: str, figure: str) -> None:
    solver = "bellman-ford/dense" if key == "an-bellman-ford" else "betweenness/vert"
    records = [copied(solver, 5, 1, machine) for machine in ("h100", "h200")]
    drawn, found, *_ = shown(key, figure, records)
    colours = [
        next(line.get_color() for line in axes.lines if line.get_marker() == "o") for axes in drawn.axes
    ]
    shades = {panel.machine: to_rgb(colour) for panel, colour in zip(found, colours, strict=True)}
    first = COLOURS[0] if key == "an-bellman-ford" else GROUP_COLOURS[0]
    assert list(shades.values()) == [to_rgb(first), shade(first, 0.4)]
    assert {"h100", "h200"} <= set(re.findall(r"h[12]00", words(drawn)))


def test_a_caption_says_which_commits_it_mixes() -> None:
    one, other = made("table-3.3", "bfs/bsp", "NY", 3), made("table-3.3", "bfs/queue", "NY", 4)
    assert "Mixed" not in shown("bsp-suite", "figure-3.3", [one, other])[3]
    later = changed(other, software=other.software.model_copy(update={"git_commit": "9" * 40}))
    text = shown("bsp-suite", "figure-3.3", [one, later])[3].replace("\n", " ")
    assert "Mixed, of 2 commits: 0123456789 (1 record), 9999999999 (1 record); times are" in text


def test_printed_numbers_stand_once_beside_any_machine() -> None:
    records = [made("table-3.3", "bfs/bsp", "NY", 3, machine=machine) for machine in ("h100", "h200")]
    drawn, found, *_ = shown("bsp-suite", "figure-3.3", records)
    assert [panel.machine for panel in found if panel.graph == "NY"] == ["h100", "h200", ""]
    assert to_rgb(drawn.axes[-1].lines[0].get_color()) == to_rgb(GROUP_COLOURS[0])


def test_a_share_is_in_percent() -> None:
    records = bellman_ford("h200", gpu=True, sizes=[256, 512])
    drawn, *_ = shown("an-bellman-ford", "bellman-ford-share", records)
    drawn.draw_without_rendering()
    assert drawn.axes[0].get_ylabel() == "Copy per total time (%)"
    assert [text.get_text() for text in drawn.axes[0].get_yticklabels()][
        :: len(drawn.axes[0].get_yticks()) - 1
    ] == ["0", "100"]


def test_of_all_sources_and_a_sample_the_one_with_more_work_is_drawn() -> None:
    few = [measured("betweenness/vert-virt", "brandes-mdeg", "NY", phases(1, 2, 2), mdeg=4, sources=1)]
    whole = [measured("betweenness/vert-virt", "brandes-mdeg", "random-10-5", phases(1, 2, 2), mdeg=4)]
    _, found, said, _ = shown("domitrz-brandes", "brandes-mdeg", few + whole)
    assert said == "h200: on random-10-5, vert-virt takes 2.00 ms."
    title = "h200, random-10-5, all 1,024 sources"
    assert [panel.title for panel in found] == [f"{title}: time to solve", f"{title}: total time"]


def test_a_claim_is_in_the_title_with_its_verdict() -> None:
    records = [made("bellman-ford-direction", f"bellman-ford/{name}", "random-14-5", ms) for name, ms in
               (("dense", 2), ("incoming", 4), ("outgoing", 8))]  # fmt: skip
    _, _, said, text = shown("an-bellman-ford", "bellman-ford-direction", records)
    assert said.endswith(
        ". Holds: 2.0 to 4.0\u00a0\u00d7 faster on random-14-5; faster in 2, slower in 0 of 2."
    )
    assert said.split(" Holds")[0] in text.replace("\n", " ")


def test_a_panel_of_ratios_calls_their_base_what_the_figure_calls_it() -> None:
    solver, experiment = "bellman-ford/multi-edge", "bellman-ford-edges"
    records = [
        measured(solver, experiment, f"dense-{size}", phases(1, 5, ms), edges_per_thread=n)
        for n, ms in {1: 3.0, 4: 2.0}.items()
        for size in (256, 512)
    ]
    _, found, _, _ = shown("an-bellman-ford", "bellman-ford-edges-size", records)
    assert [panel.title for panel in found] == ["h200: kernel time over that of 4 edges"]


def test_machines_of_one_verdict_share_its_sentence() -> None:
    """What they measured stands side by side; with two verdicts, each names its machines."""

    def told(*third: float) -> str:
        times = {"h200": (2, 4, 8), "h100": (2, 5, 8), "local": third}
        records = [made("bellman-ford-direction", f"bellman-ford/{name}", "random-14-5", ms, machine=machine)
                   for machine, own in times.items()
                   for name, ms in zip(("dense", "incoming", "outgoing"), own, strict=False)]  # fmt: skip
        return shown("an-bellman-ford", "bellman-ford-direction", records)[2]

    assert told().endswith(
        ". Holds: 2.0 to 4.0\u00a0\u00d7 faster (h200)"
        " and 2.5 to 4.0\u00a0\u00d7 faster (h100) on random-14-5."
    )
    assert told(2, 1, 1).endswith(
        " Holds on h200 and h100: 2.0 to 4.0\u00a0\u00d7 faster (h200)"
        " and 2.5 to 4.0\u00a0\u00d7 faster (h100) on random-14-5."
        " Does not hold on local: 2.0\u00a0\u00d7 slower on random-14-5."
    )


SPARSE = Drawing(experiment="bellman-ford-sparse", title="Sparse")


def test_real_graphs_stand_apart_from_generated_ones() -> None:
    graphs = ("random-12-5", "random-14-5", "NY")
    records = [made("bellman-ford-sparse", "bellman-ford/edge-list", graph, 3) for graph in graphs]
    content = FigureContent(SPARSE, *frame(records, "an-bellman-ford"))
    drawn, (panel,) = draw(content), content.panels
    assert [(joined, len(dots)) for joined, dots in panel.lines[0].strokes] == [(True, 2), (False, 1)]
    assert "NY" in [text.get_text() for text in drawn.axes[0].texts]
    hollow = [line for line in drawn.axes[0].lines if line.get_markerfacecolor() == "white"]
    assert [line.get_linestyle() for line in hollow] == ["None"]


def test_no_line_joins_sizes_between_which_a_decade_was_not_measured() -> None:
    graphs = [f"random-{k}-5" for k in (10, 12, 16, 18)]
    records = [made("bellman-ford-sparse", "bellman-ford/edge-list", graph, 3) for graph in graphs]
    ((line,),) = [panel.lines for panel in FigureContent(SPARSE, *frame(records, "an-bellman-ford")).panels]
    assert [[dot.entry.graph for dot in dots] for _, dots in line.strokes] == [graphs[:2], graphs[2:]]


def test_no_two_lines_of_a_figure_have_the_same_marker() -> None:
    names = ("dense", "incoming", "outgoing", "sequential", "scipy", "another", "more", "most")
    sizes = ({"vertices": 256}, {"vertices": 512})
    records = [made("bellman-ford-direction", f"bellman-ford/{name}", f"dense-{size['vertices']}", ms,
                    of=size) for ms, name in enumerate(names, 2) for size in sizes]  # fmt: skip
    drawn, *_ = shown("an-bellman-ford", "bellman-ford-direction", records)
    markers = [line.get_marker() for line in drawn.axes[0].lines if line.get_linestyle() == "-"]
    assert len(markers) == len(set(markers)) == len(names)


@pytest.mark.parametrize("key", load_reports())
def test_nothing_timed_is_said_and_what_the_emulator_checked(key: str) -> None:
    for name, drawing in load_reports()[key].figures.items():
        solver = {"table-3.3": "bfs/bsp", "table-3.4": "stcon/bsp"}.get(drawing.experiment, "sssp/bsp")
        records = [made(drawing.experiment, solver, "random-10-50", 1, "emulator") for _ in range(2)]
        drawn, found, said, _ = shown(key, name, records)
        assert said == f"{NOTHING} Checked on the emulator, not timed: 2 of 2 answers agree."
        assert said in words(drawn)
        assert all(line.system for panel in found for line in panel.lines)


def test_a_machine_without_a_gpu_is_drawn_and_said() -> None:
    records = [made("table-3.3", "bfs/queue", "NY", 9, "host", machine="local")]
    drawn, (panel, *_), said, _ = shown("bsp-suite", "figure-3.3", records)
    assert (panel.machine, said.startswith(UNTIMED)) == ("local", True)
    assert "local" in words(drawn)


def test_substitutes_are_named_where_they_stand() -> None:
    records = [made("table-3.5", "sssp/bsp", "NY", 9, of={"origin": "stand-in"})]
    records += [made("table-3.5", "sssp/bsp", "NW", 9, of={"weights": "generated"})]
    drawn, _, _, text = shown("bsp-suite", "figure-3.5", records)
    assert "NW (weights generated) | " in words(drawn)
    assert "NY (stand-in) | " in words(drawn)
    assert "made by a generator" in text
    lines = Drawing(experiment="table-3.5", title="Lines")
    drawn = draw(FigureContent(lines, *frame(records, "bsp-suite")))
    assert "× NY (stand-in); + NW (weights generated)" in words(drawn)
    assert {"x", "+"} <= {line.get_marker() for line in drawn.axes[0].lines}


def test_bars_are_ranked_on_the_whole_graph_unless_a_sample_has_more() -> None:
    def some(parameters: dict[str, int], *solvers: str) -> list[Record]:
        names = [f"betweenness/{name}" for name in solvers]
        return [made("brandes-variants", n, "NY", ms, parameters=parameters) for ms, n in enumerate(names, 2)]

    few, most = some({"sources": 64}, "vert", "edge"), some({}, "lanes", "vert-comp-virt-stride", "edge")
    drawn, (panel,), _, text = shown("domitrz-brandes", "brandes-variants", few[:1] + most)
    assert "Bold: vert-comp-virt-stride, which the report calls the fastest." in text.replace("\n", " ")
    assert (panel.title, next(iter(medians(panel)))) == ("NY, all 264,346 sources", "lanes")
    bold = [label.get_text() for label in drawn.axes[0].get_yticklabels() if label.get_fontweight() == "bold"]
    assert bold == ["vert-comp-virt-stride"]
    _, (panel,), *_ = shown("domitrz-brandes", "brandes-variants", few + most[:1])
    assert "64 sources of 264,346" in panel.title


def test_a_setting_is_the_x_axis_and_many_lines_stay_legible() -> None:
    solvers = REGISTRY.of_problem("betweenness")[:24]
    records = [made("brandes-mdeg", solver.name, "NY", 3 + n + mdeg, parameters={"mdeg": mdeg})
               for n, solver in enumerate(solvers) for mdeg in (1, 4)]  # fmt: skip
    drawn, (panel, _), *_ = shown("domitrz-brandes", "brandes-mdeg", records)
    assert [[dot.x for dot in line.dots] for line in panel.lines] == [[1, 4]] * 24
    assert_nothing_is_cut_or_overlaps(drawn)


@pytest.mark.parametrize(("kind", "axis"), [("lines", 1), ("bars", 0)])
def test_whiskers_end_at_the_quartiles(kind: Literal["lines", "bars"], axis: int) -> None:
    records = [record("bfs/bsp", "NY", [1.0, 2.0, 3.0, 10.0, 20.0], backend="cuda")]
    drawn = draw(
        FigureContent(Drawing(experiment="table-3.3", title="Both", kind=kind), *frame(records, "bsp-suite"))
    )
    whiskers = [
        part
        for part in drawn.axes[0].containers
        if isinstance(part, ErrorbarContainer) and part.has_yerr | part.has_xerr
    ]
    (segment,) = [line for part in whiskers for one in part.lines[2] for line in one.get_segments()]
    assert sorted(segment[:, axis]) == [2, 10]
    dot = next(line for line in drawn.axes[0].lines if line.get_marker() == "o")
    assert dot.get_xydata()[0][axis] == 3  # type: ignore[index]
    if axis == 0:
        assert [text.get_text() for text in drawn.axes[0].texts] == ["3.00 ms"]


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


def test_times_on_an_axis_are_round_and_have_units() -> None:
    texts = [tick_time(value) for value in (2e-5, 0.05, 1, 200, 1e4, 2e6)]
    assert texts == ["20 ns", "50 µs", "1 ms", "200 ms", "10 s", "2,000 s"]


def copies(ratios: Sequence[float], **changes: Any) -> list[Record]:
    """Fabricate copies from pinned memory, and from pageable memory that take as many times as long."""
    return [
        measured(f"bellman-ford/{name}", "bellman-ford-transfer", graph_info(f"dense-{size}", vertices=size),
                 [trial(1.0, upload=ms * f) for f in (1, 1.001, 1.002)], **changes)
        for size, times in zip((256, 512, 1024, 2048, 4096), ratios, strict=False)
        for name, ms in (("pinned", 1.0), ("dense", times))
    ]  # fmt: skip


def title(name: str, records: Sequence[Record], key: str = "an-bellman-ford") -> str:
    return heading(FigureContent(drawing_of(load_reports()[key], name), *frame(records, key)))


def test_a_title_says_the_ratio_on_the_largest_graph_on_the_smallest_and_where_it_turns() -> None:
    told = "Bellman-Ford, the copy of the matrix: beside pinned memory, pageable memory takes"
    assert (
        title("bellman-ford-copy", copies([2, 3, 4])) == f"{told} 4.00× as long at 2¹⁰ vertices, 2.00× at 2⁸"
    )
    turns = "4.00× as long at 2¹¹ vertices, 2.00× at 2¹⁰, 1.50× at 2⁸"  # it was below 1 in between
    assert title("bellman-ford-copy", copies([1.5, 0.5, 2, 4])) == f"{told} {turns}"
    second = copies([7, 7, 7], machine="h300")
    assert title("bellman-ford-copy", copies([2, 3, 4]) + second).endswith("2.00× at 2⁸ (h200)")
    assert title("bellman-ford-copy", []) == "Bellman-Ford, the copy of the matrix"
    shares = title("bellman-ford-share", copies([1, 3, 9]))
    assert shares.endswith("of the total time it takes 90% at 2¹⁰ vertices, 50% at 2⁸")


def test_a_title_compares_nothing_of_two_commits() -> None:
    first, *others = copies([2, 3, 4])
    other = changed(first, software=first.software.model_copy(update={"git_commit": "9" * 40}))
    assert title("bellman-ford-copy", [other, *others]).endswith("4.00× as long at 2¹⁰ vertices, 3.00× at 2⁹")


def test_of_equal_graphs_the_one_that_others_are_named_after_is_in_the_title() -> None:
    own = made("weights", "sssp/bsp", "NY", 3)
    unit = changed(
        made("weights", "sssp/bsp", "NY", 2),
        graph=own.graph.model_copy(update={"name": "NY-unit", "sha256": "1" * 64}),
    )
    records = [unit, own]
    assert shown("bsp-suite", "weights", records)[3].splitlines()[0].endswith(": on NY, bsp takes 3.00 ms.**")


def test_a_title_says_where_a_line_is_the_lowest() -> None:
    records = [made("hong-bfs-queue", "bfs/block-queue", "NY", ms, parameters={"block_queue_size": size})
               for size, ms in ((8, 3.0), (64, 1.0), (512, 2.0))]  # fmt: skip
    told = title("hong-bfs-queue", records, "hong-bfs")
    assert told.endswith("block-queue takes 1.00 ms at 64 (3.00× as long at 8, 2.00× at 512)")
    alike = [changed(one, trials=[trial(ms) for ms in (1.0, 1.5 + number / 10, 2.0)])
             for number, one in enumerate(records)]  # fmt: skip
    told = title("hong-bfs-queue", alike, "hong-bfs")
    assert told.endswith("block-queue takes 1.50 ms to 1.70 ms, which cannot be told apart")


@pytest.mark.parametrize(
    ("ratios", "where"),
    [([0.5, 2, 4], "between 2⁸ and 2⁹"), ([2, 0.5, 4], "between 2⁹ and 2¹⁰"), ([2, 3, 4], "below 2⁸"),
     ([0.2, 0.3, 0.4], "above 2¹⁰"), ([2, 0.5, 0.4], "between 2⁸ and 2⁹")],
)  # fmt: skip
def test_a_title_says_where_two_lines_cross(ratios: list[float], where: str) -> None:
    drawing = drawing_of(load_reports()["an-bellman-ford"], "bellman-ford-copy")
    crossing = drawing.model_copy(update={"finding": "equal {crossing of pageable and pinned}"})
    told = heading(FigureContent(crossing, *frame(copies(ratios), "an-bellman-ford")))
    assert told == f"{drawing.title}: equal {where} vertices"
    alone = FigureContent(crossing, *frame(copies(ratios)[::2], "an-bellman-ford"))
    assert heading(alone) == drawing.title


def test_a_line_across_has_its_name_and_a_caption_says_what_names_stand_for() -> None:
    drawn, *_, text = shown("an-bellman-ford", "bellman-ford-share", copies([1, 3, 9]))
    assert "one half" in words(drawn)
    assert "Shown are pageable (dense)." in " ".join(text.split())


def test_what_has_no_bar_has_a_dash_which_is_explained() -> None:
    times = {("vert", "NY"): 1, ("levels", "NY"): 9, ("vert", "Gowalla"): 1}
    records = [
        made("brandes-variants", f"betweenness/{name}", graph, ms) for (name, graph), ms in times.items()
    ]
    drawn, *_ = shown("domitrz-brandes", "brandes-variants", records)
    told = [[text.get_text() for text in axes.texts] for axes in drawn.axes]
    assert [EMPTY in some for some in told] == [True, False]
    assert f"{EMPTY} no time" in words(drawn)
    whole, *_ = shown("domitrz-brandes", "brandes-variants", records[:2])
    assert "no time" not in words(whole)


def test_a_title_lists_the_graphs_of_ranked_solvers() -> None:
    times = {("bsp", "NY"): 6, ("queue", "NY"): 3, ("bsp", "NW"): 1, ("queue", "NW"): 4}
    records = [made("table-3.3", f"bfs/{name}", graph, ms) for (name, graph), ms in times.items()]
    told = "Breadth-first search (Table 3.3): beside one core, the GPU takes"
    assert title("figure-3.3", records, "bsp-suite") == f"{told} 0.250× as long on NW, 2.00× on NY"


def test_words_however_long_are_not_cut() -> None:
    records = [one for number in range(6) for one in copies([2], machine=f"machine-{number}")]
    drawn, _, said, _ = shown("an-bellman-ford", "bellman-ford-copy", records)
    assert drawn_words(drawn)[1] == said
    assert_nothing_is_cut_or_overlaps(drawn)


def test_what_all_rows_show_has_one_column_and_a_row_of_other_graphs_its_own() -> None:
    def lefts(own: str) -> list[float]:
        asked = [("NY", "h200"), ("NW", "h200"), (own, "mine"), ("small-6", "theirs")]
        records = [made("weights", "sssp/dijkstra-heap", graph, 3, "host", machine=of) for graph, of in asked]
        drawn, *_ = shown("bsp-suite", "weights", records)
        top = max(axes.get_position().y0 for axes in drawn.axes)
        places = {}
        for axes in drawn.axes:
            place, graph = axes.get_position(), axes.get_title("left").split()[0]
            places["h200" if place.y0 == top else "mine", graph] = round(place.x0, 3)
            named = bool(axes.yaxis.get_tick_params()["labelleft"])
            assert named == (place.x0 == min(other.get_position().x0 for other in drawn.axes))
        return [places[key] for key in (("h200", "NY"), ("h200", "NW"), ("mine", own))]

    ny, nw, mine = lefts("NY")
    assert mine == ny < nw
    ny, nw, mine = lefts("NW")  # comes first then: a row's names stand beside its first column
    assert mine == nw < ny
    ny, nw, mine = lefts("small-9")
    assert mine == min(ny, nw)


def test_an_axis_over_decades_names_two_times_at_least() -> None:
    """Of 2.8 ms to 6.7 s, three powers of 10 have no room; two at the ends have."""
    times = {"NY": (5.6, 3500), "small-9": (1, 2), "small-6": (1, 2), "NW": (1, 2)}
    records = [
        made("table-3.3", solver, graph, ms, "host")
        for graph, both in times.items()
        for solver, ms in zip(("bfs/queue", "bfs/igraph"), both, strict=True)
    ]
    drawn, *_ = shown("bsp-suite", "figure-3.3", records)
    for axes in drawn.axes:
        assert len(axes.get_xticks()) >= 2, axes.get_title("left")


@pytest.mark.parametrize("kind", ["lines", "bars"])
def test_the_longest_names_have_room(kind: Literal["lines", "bars"]) -> None:
    """Of several settings each, which a solver's name states."""
    graphs = [f"random-{size}-5" for size in (12, 14, 16, 18)]
    settings = [
        {"block_size": size, "compacted": compacted, "renumbered": renumbered}
        for size in (256, 512, 1024)
        for compacted, renumbered in (("no", "no"), ("yes", "no"), ("yes", "yes"))
    ]
    records = [
        made("fast-betweenness", "betweenness/bitmap-queue", graph, ms, parameters=parameters)
        for graph in graphs
        for ms, parameters in enumerate(settings, 2)
    ]
    plain = Drawing(experiment="fast-betweenness", title="Long", kind=kind, y="solve", beside="total")
    drawing = plain.model_copy(update={"graphs": graphs if kind == "bars" else []})
    drawn = draw(FigureContent(drawing, *frame(records, "domitrz-brandes")))
    assert max(len(word) for word in words(drawn).split(" ")) > 50
    assert_nothing_is_cut_or_overlaps(drawn)


@pytest.mark.parametrize("count", [2, 6])
def test_numbers_beside_bars_are_neither_cut_nor_hidden(count: int) -> None:
    """A bar from 1 to 50 leaves no room on its axis, nor do many graphs beside each other."""
    graphs = [f"random-{size}-5" for size in range(8, 8 + count)]
    times = {"vert": 1, "levels": 50, "vert-comp": 2, "vert-queue-comp": 2.1}
    records = [
        made("brandes-variants", f"betweenness/{name}", graph, ms)
        for name, ms in times.items()
        for graph in graphs
    ]
    ranked = Drawing(experiment="brandes-variants", title="Many", kind="bars", y="solve", beside="total")
    drawing = ranked.model_copy(update={"graphs": graphs})
    drawn = draw(FigureContent(drawing, *frame(records, "domitrz-brandes")))
    assert len(drawn.axes) == count
    assert_nothing_is_cut_or_overlaps(drawn)
    for axes in drawn.axes:
        low, high = axes.get_xlim()
        assert 0 < low < 1 < 50 < high < 1e5


def test_what_a_report_says_ends_with_a_sentence() -> None:
    found, report = frame([measured("bfs/block-queue", "hong-bfs", "NY", phases(1, 2, 2))], "hong-bfs")
    told = finding(FigureContent(report.figures["hong-bfs"], found, report))
    says = report.claims[str(report.figures["hong-bfs"].claim)].says
    first, _, rest = says.partition(". ")
    assert rest
    assert told.startswith(f"The report: {first}. Cannot be told: ")


def test_clips_are_named_by_what_is_written_of_them() -> None:
    """Else a figure's bytes would depend on the last digits of its layout, which differ from run to run."""
    svg = b'<clipPath id="%s"><rect x="1.23"/></clipPath><g clip-path="url(#%s)"/><use id="m0123456789"/>'
    first, second = (with_same_clips(svg % (name, name)) for name in (b"p0123456789", b"pabcdef0123"))
    assert first == second
    (name,) = re.findall(rb'<clipPath id="(p[0-9a-f]{10})">', first)
    assert b"url(#%s)" % name in first
    assert b'id="m0123456789"' in first
    assert with_same_clips(svg.replace(b"1.23", b"1.24") % (b"p0123456789", b"p0123456789")) != first
