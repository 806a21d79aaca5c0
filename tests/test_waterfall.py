# ruff: noqa: RUF001
"""A printed time's way to ours: its steps, what they are worth, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from fabricated import changed, fast, frame, phases, suite, sweep, with_sources
from retrace.publish.chart import draw, drawing_of, image
from retrace.publish.chart_words import caption, heading
from retrace.publish.panels import FigureContent
from retrace.publish.waterfall import Way, ways
from retrace.records.record import Record
from retrace.reports.wording import duration

BSP = suite("h200", True) + fast("h200", True)


def found(records: Iterable[Record], report: str = "bsp-suite") -> list[Way]:
    shown, own = frame(records, report)
    drawing = drawing_of(own, f"waterfall-{report}")
    content = FigureContent(drawing, shown, own)
    assert image(draw(content), "svg").startswith(b"<?xml")
    return content.ways


def labels(way: Way) -> list[tuple[str, str]]:
    """List the steps' names, and their labels without the time before."""
    steps = (*way.kernel, *way.baseline)
    return [(step.name, step.label.replace("\N{NO-BREAK SPACE}", " ").rpartition(" → ")[2]) for step in steps]


def test_each_step_has_both_ends_of_one_experiment() -> None:
    """The bar of the algorithm begins where ours was measured, not at the last bar's end."""
    every = found(BSP)
    assert [way.title for way in every] == ["bfs on NY", "stcon on NY", "sssp on NY"]
    assert labels(every[2]) == [
        ("printed, GT 730", "825 ms"),
        ("hardware", "16.2 ms (51 × faster)"),
        ("without copies", "16.2 ms (as fast)"),
        ("algorithm: cluster", "1.50 ms (24 × faster)"),
        ("printed, Athlon II x4 630", "427 s"),
        ("hardware", "8.47 s (50 × faster)"),
        ("baseline: dijkstra-heap", "10.7 ms (790 × faster)"),
    ]
    times = {"table-3.5": phases(2.0, 16.0, 15.0), "fast-sssp": phases(2.0, 20.0, 15.0)}
    timed = [changed(one, trials=times[one.experiment]) if one.solver == "sssp/bsp" else one for one in BSP]
    hardware, copies, algorithm = found(timed)[2].kernel[1:]
    assert (copies.before, copies.after.median) == (hardware.after.median, 16.0)
    assert hardware.after.median > 18.0
    assert (hardware.entry.experiment, algorithm.entry.experiment) == ("table-3.5", "fast-sssp")
    assert algorithm.before == 20.0
    for way in every:
        for one, other in pairwise(way.baseline):
            assert other.before == one.after.median
    assert [name for name, _ in labels(every[0])][-1] == "hardware"  # nothing on one core beats the baseline


def test_the_title_and_the_caption_say_what_the_steps_are_worth() -> None:
    shown, report = frame(BSP, "bsp-suite")
    content = FigureContent(drawing_of(report, "waterfall-bsp-suite"), shown, report)
    said = heading(content).replace("\N{NO-BREAK SPACE}", " ")
    assert "825 ms" in said
    assert said.endswith("1.50 ms here: hardware 51 × and algorithm 24 ×")  # and nothing by copies
    assert "Algorithm: the fastest kernel of ours in its place" in " ".join(caption(content).split())


def test_bars_are_joined_where_one_ends_and_the_next_begins() -> None:
    times = {"table-3.5": phases(2.0, 16.0, 15.0), "fast-sssp": phases(2.0, 20.0, 15.0)}
    timed = [changed(one, trials=times[one.experiment]) if one.solver == "sssp/bsp" else one for one in BSP]
    shown, report = frame(timed, "bsp-suite")
    drawn = draw(FigureContent(drawing_of(report, "waterfall-bsp-suite"), shown, report))
    lines = [line for line in drawn.axes[2].lines if line.get_linestyle() == ":"]
    rows = [tuple(map(int, np.ravel(line.get_ydata()))) for line in lines]
    assert rows == [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6)]  # the baseline's way begins anew
    ends = [[float(ms) for ms in np.ravel(line.get_xdata())] for line in lines[:3]]
    assert (ends[0], ends[2]) == ([825, 825], [16, 20])  # ours was measured in another experiment


def test_a_step_may_lead_upwards() -> None:
    ours = ("sssp/cluster", "sssp/near-far")
    slow = [changed(one, trials=phases(0.5, 50.0, 40.0)) if one.solver in ours else one for one in BSP]
    assert labels(found(slow)[2])[3] == ("algorithm: cluster", "50.0 ms (36 % slower)")
    step = found(slow)[2].kernel[3]
    assert step.label.startswith(f"{duration(step.before)} → 50.0 ms (")


def test_without_records_of_ours_the_way_ends_at_the_published_kernel() -> None:
    every = found(suite("h200", True))
    assert [step.kind for step in every[2].kernel] == ["printed", "hardware", "without copies"]
    assert found(suite("local", False)) == []
    assert found([]) == []


def test_what_is_of_another_commit_or_several_cores_is_no_step() -> None:
    software = BSP[0].software.model_copy(update={"git_commit": "f" * 40})
    other = [changed(one, software=software) if one.solver == "sssp/cluster" else one for one in BSP]
    assert labels(found(other)[2])[3][0] == "algorithm: near-far"
    cores = [changed(one, solver="sssp/gapbs", parameters={"threads": 2}, trials=phases(solve=1.0))
             if one.solver == "sssp/networkit" else one for one in BSP]  # fmt: skip
    assert labels(found(cores)[2])[-1][0] == "baseline: dijkstra-heap"


def test_a_kernel_that_finds_predecessors_gives_way_to_one_that_does() -> None:
    """On Table 2's graph, the kernels of ours that find distances alone are faster, and no step."""
    finding = [
        changed(one, parameters={"predecessors": answer}, trials=phases(0.5, ms, ms * 0.9))
        for one in fast("h200", True)
        for answer, ms in {"yes": 0.5, "no": 0.4}.items()
        if (one.solver, one.graph.name) == ("sssp/near-far", "random-20-5")
    ]
    rest = [one for one in fast("h200", True) if one.solver != "sssp/near-far"]
    (way,) = found([*sweep("h200", True), *rest, *finding], "tuwien-sssp")
    assert labels(way)[3] == ("algorithm: near-far", "500 µs (14 × faster)")


def test_a_cold_solve_is_not_left_for_a_warm_one() -> None:
    """Further searches of ours alone say nothing of what the algorithm is worth."""
    warm = [
        changed(one, trials=[trial.model_copy(update={"again": 0.01}) for trial in one.trials])
        if one.solver == "sssp/cluster"
        else one
        for one in BSP
    ]
    assert labels(found(warm)[2])[3] == ("algorithm: cluster", "1.50 ms (24 × faster)")


def test_records_of_several_sources_are_of_the_graph() -> None:
    asked = [with_sources(one) if one.experiment == "fast-bfs" else one for one in BSP]
    assert labels(found(asked)[0])[3] == ("algorithm: cluster", "600 µs (28 × faster)")


def test_each_machine_has_a_way_of_its_own_and_the_first_is_drawn() -> None:
    times = {"trials": phases(1.0, 100.0, 90.0)}
    rtx = [one for one in (*suite("rtx", True), *fast("rtx", True)) if one.backend == "cuda"]
    slower = [*BSP, *(changed(one, **times) for one in rtx)]
    assert {way.machine for way in found(slower)} == {"h200"}
    shown, report = frame(slower, "bsp-suite")
    every = ways(drawing_of(report, "waterfall-bsp-suite"), shown)
    bfs = [way for way in every if way.fall.kernel == "bfs/bsp"]
    assert [labels(way)[1][1] for way in bfs] == ["6.80 ms (50 × faster)", "101 ms (3.4 × faster)"]


def test_zeros_and_numbers_in_doubt_begin_no_way() -> None:
    (way,) = found(sweep("h200", True) + fast("h200", True), "tuwien-sssp")
    assert labels(way)[0] == ("printed, GTX TITAN X 12GB", "37.0 ms")
    shown, report = frame(sweep("h200", True) + fast("h200", True), "tuwien-sssp")
    drawing = drawing_of(report, "waterfall-tuwien-sssp")
    for graph in ("random-20-50", "random-12-50"):  # 24 ms in doubt, and 0
        fall = drawing.falls[0].model_copy(update={"graph": graph})
        (way,) = ways(drawing.model_copy(update={"falls": [fall]}), shown)
        assert not way.baseline
