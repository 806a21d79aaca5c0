"""A printed time's way to ours: its steps, what they are worth, and what is left out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest

from fabricated import changed, fast, frame, phases, suite, sweep
from retrace.publish.chart import draw, drawing_of, image
from retrace.publish.chart_words import caption, finding, heading
from retrace.publish.panels import FigureContent
from retrace.publish.waterfall import Way, ways
from retrace.records.record import Record

BSP = suite("h200", True) + fast("h200", True)


def found(records: Iterable[Record], report: str = "bsp-suite") -> list[Way]:
    shown, own = frame(records, report)
    drawing = drawing_of(own, f"waterfall-{report}")
    content = FigureContent(drawing, shown, own)
    assert image(draw(content), "svg").startswith(b"<?xml")
    return content.ways


def labels(way: Way) -> list[tuple[str, str]]:
    return [(step.name, step.label) for step in (*way.kernel, *way.baseline)]


def test_each_step_begins_where_the_last_one_ended() -> None:
    every = found(BSP)
    assert [way.title for way in every] == ["bfs on NY, h200", "stcon on NY, h200", "sssp on NY, h200"]
    assert labels(every[2]) == [
        ("printed, GT 730", "825 ms"),
        ("hardware", "37.2 ms (÷22.2)"),
        ("graph resident", "36.7 ms (÷1.01)"),
        ("algorithm: cluster", "1.50 ms (÷24.5)"),
        ("printed, Athlon II x4 630", "427 s"),
        ("hardware", "8.47 s (÷50.4)"),
        ("baseline: dijkstra-heap", "10.7 ms (÷793)"),
    ]
    for way in every:
        for steps in (way.kernel, way.baseline):
            for one, other in pairwise(steps):
                assert other.before == one.after.median
        product = 1.0
        for step in way.kernel[1:]:
            product *= step.factor
        assert product == pytest.approx(way.kernel[0].after.median / way.kernel[-1].after.median)
    assert [name for name, _ in labels(every[0])][-1] == "hardware"  # nothing on one core beats the baseline


def test_the_title_and_the_caption_say_what_the_steps_are_worth() -> None:
    shown, report = frame(BSP, "bsp-suite")
    content = FigureContent(drawing_of(report, "waterfall-bsp-suite"), shown, report)
    assert heading(content) == (
        "A printed time's way to ours: sssp on NY, h200, 1.50 ms where 825 ms are printed; "
        "the largest part of the 550× is algorithm (24.5×), then hardware (22.2×) and graph resident (1.01×)"  # noqa: RUF001
    )
    assert "dijkstra-linear: hardware 50.4×, baseline 793×." in finding(content)  # noqa: RUF001
    assert "Algorithm: the fastest kernel of ours in its place, on the resident graph." in " ".join(
        caption(content).split()
    )


def test_a_step_may_lead_upwards() -> None:
    ours = ("sssp/cluster", "sssp/near-far")
    slow = [changed(one, trials=phases(0.5, 50.0, 40.0)) if one.solver in ours else one for one in BSP]
    assert labels(found(slow)[2])[3] == ("algorithm: cluster", "50.0 ms (1.36×)")  # noqa: RUF001


def test_without_records_of_ours_the_way_ends_at_the_published_kernel() -> None:
    every = found(suite("h200", True))
    assert [step.kind for step in every[2].kernel] == ["printed", "hardware", "graph resident"]
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
    assert labels(way)[3] == ("algorithm: near-far:predecessors=yes", "500 µs (÷14.0)")


def test_each_machine_has_a_way_of_its_own() -> None:
    times = {"trials": phases(1.0, 100.0, 90.0)}
    rtx = [one for one in (*suite("rtx", True), *fast("rtx", True)) if one.backend == "cuda"]
    slower = [*BSP, *(changed(one, **times) for one in rtx)]
    every = [way for way in found(slower) if way.fall.kernel == "bfs/bsp"]
    assert [labels(way)[1][1] for way in every] == ["17.1 ms (÷19.9)", "101 ms (÷3.38)"]


def test_zeros_and_numbers_in_doubt_begin_no_way() -> None:
    (way,) = found(sweep("h200", True) + fast("h200", True), "tuwien-sssp")
    assert labels(way)[0] == ("printed, GTX TITAN X 12GB", "37.0 ms")
    shown, report = frame(sweep("h200", True) + fast("h200", True), "tuwien-sssp")
    drawing = drawing_of(report, "waterfall-tuwien-sssp")
    for graph in ("random-20-50", "random-12-50"):  # 24 ms in doubt, and 0
        fall = drawing.falls[0].model_copy(update={"graph": graph})
        (way,) = ways(drawing.model_copy(update={"falls": [fall]}), shown)
        assert not way.baseline
