"""The limit of a search: from measured constants, counted levels and the bytes that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from fabricated import (
    MOVED,
    STEPS,
    WRONG,
    changed,
    fast,
    frame,
    limits,
    with_sources,
)
from retrace.publish.chart import draw, drawing_of, image
from retrace.publish.chart_words import heading
from retrace.publish.panels import FigureContent
from retrace.records.record import Record
from retrace.reports.physical_limit import PhysicalLimit, least_bytes, limit_of

LEVEL = STEPS["barrier-cluster"] + 2 * STEPS["load-shared"]
TODAY = fast("h200", True)


def limit(records: Iterable[Record], experiment: str, graph: str) -> PhysicalLimit | str:
    found, _ = frame(records, "today")
    return limit_of([e for e in found.of(experiment).measured if e.graph == graph], found)


def known(records: Iterable[Record], experiment: str, graph: str) -> PhysicalLimit:
    found = limit(records, experiment, graph)
    assert isinstance(found, PhysicalLimit)
    return found


@pytest.mark.parametrize(
    ("experiment", "graph", "levels"),
    [("fast-bfs", "NY", 620), ("fast-bfs", "NW", 1960), ("fast-sssp", "NY", 620), ("fast-stcon", "NY", 310)],
)
def test_a_deep_graph_is_bound_by_its_levels(experiment: str, graph: str, levels: int) -> None:
    found = known(TODAY, experiment, graph)
    assert found.ms == pytest.approx(STEPS["launch"] + levels * LEVEL)
    assert found.why == f"a launch (10.0 µs) and {levels:,} levels of a barrier and 2 loads (280 ns)"


def test_a_flat_graph_is_bound_by_the_bytes_that_it_needs() -> None:
    found = known(TODAY, "fast-bfs", "random-20-5")
    needed = 4 * (2 * 2**20 + 1 + 5 * 2**20)
    assert found.ms == pytest.approx(STEPS["launch"] + needed / (MOVED["read-l2"] / STEPS["read-l2"]))
    assert found.why == "a launch (10.0 µs) and 29.4 MB from the L2 cache (5,240 GB/s)"
    small = [
        changed(one, observed={"bytes": MOVED["read-l2"], "cache_bytes": needed - 1})
        if one.solver == "limits/read-l2" else one
        for one in TODAY
    ]  # fmt: skip
    found = known(small, "fast-bfs", "random-20-5")
    assert found.ms == pytest.approx(STEPS["launch"] + needed / (MOVED["read-memory"] / STEPS["read-memory"]))
    assert "from device memory (4,290 GB/s)" in found.why


def test_levels_are_those_of_verified_records_of_the_very_same_graph() -> None:
    more = [changed(one, iterations=700) if one.solver == "bfs/bsp" else one for one in TODAY]
    assert known(more, "fast-bfs", "NY").ms == pytest.approx(STEPS["launch"] + 620 * LEVEL)
    few = [changed(one, iterations=7, **WRONG) if one.solver == "bfs/bsp" else one for one in TODAY]
    assert known(few, "fast-bfs", "NY").ms == pytest.approx(STEPS["launch"] + 620 * LEVEL)
    none = [changed(one, iterations=None) if one.problem == "stcon" else one for one in TODAY]
    assert limit(none, "fast-stcon", "NY") == "no record counts its levels"


def test_betweenness_has_no_limit_since_its_searches_may_run_side_by_side() -> None:
    (york,) = (one for one in TODAY if (one.solver, one.graph.name) == ("bfs/cluster", "NY"))
    many = changed(
        york, solver="betweenness/auto", problem="betweenness", experiment="fast-betweenness", iterations=1056
    )
    assert limit([*TODAY, many], "fast-betweenness", "NY") == "no record counts its levels"


def test_without_its_constants_a_machine_has_no_limit() -> None:
    others = [one for one in TODAY if one.solver != "limits/load-shared"]
    assert limit(others, "fast-bfs", "NY") == "h200 has no record of limits/load-shared"
    theirs = [one for one in TODAY if one.problem != "limits"] + limits("h100")
    assert limit(theirs, "fast-bfs", "NY") == "h200 has no record of limits/launch"


def test_the_bytes_of_a_search_are_its_arrays_and_its_answer() -> None:
    found, _ = frame(TODAY, "today")
    bytes_of = {e.experiment: least_bytes(e) for e in found.measured if e.graph == "NY"}
    vertices, arcs = 264_346, 733_846
    assert bytes_of == {
        "fast-bfs": 4 * (2 * vertices + 1 + arcs),
        "fast-sssp": 4 * (2 * vertices + 1 + 2 * arcs),
        "fast-stcon": None,
    }  # fmt: skip


def test_the_constants_are_drawn_as_steps() -> None:
    found, report = frame(limits("h200"), "today")
    content = FigureContent(drawing_of(report, "limits"), found, report)
    assert image(draw(content), "svg").startswith(b"<?xml")
    steps = re.findall(r"[\d.]+ .s", heading(content))
    assert steps == ["10.0 µs", "1.20 µs", "140 ns"]
    ((panel),) = content.panels
    assert len(panel.lines) == 7


def test_levels_are_those_of_the_same_sources() -> None:
    """Records from other sources pass other levels: with none of their own the limit is not known."""
    drawn = [with_sources(one) for one in TODAY if one.experiment == "fast-bfs"]
    found = known([*drawn, *limits("h200")], "fast-bfs", "NY")
    assert "620 levels" in found.why
    uncounted = [changed(one, iterations=None) for one in drawn]
    others = [changed(one, experiment="table-3.3") for one in TODAY if one.experiment == "fast-bfs"]
    found = known([*uncounted, *others, *limits("h200")], "fast-bfs", "NY")
    assert "5.05 MB from" in found.why
