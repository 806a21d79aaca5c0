"""The limit of a search: from measured constants, counted levels and the bytes that it needs."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from fabricated import (
    LEVELS,
    MOVED,
    STEPS,
    WRONG,
    changed,
    fast,
    frame,
    limits,
    measured,
    phases,
    warm,
    with_sources,
)
from retrace.publish.chart import draw, drawing_of, image
from retrace.publish.chart_words import caption, finding, heading
from retrace.publish.panel import LIMIT
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


def today(figure: str, records: Iterable[Record]) -> tuple[str, str, str, list[tuple[str, list[str]]]]:
    """Return heading, finding, caption and the panels' titles with their rows."""
    found, report = frame(records, "today")
    drawing = drawing_of(report, figure)
    content = FigureContent(drawing, found, report)
    rows = [(panel.title, [line.name for line in panel.lines]) for panel in content.panels]
    assert image(draw(content), "svg").startswith(b"<?xml")
    return heading(content), finding(content), caption(content), rows


def test_the_figure_of_today_begins_at_the_limit_and_says_what_it_shows() -> None:
    title, told, text, rows = today("fast-bfs", warm(TODAY))
    at_first = "first search 1.11 ms (published kernel 15.4×, best library 96.3× as long)"  # noqa: RUF001
    further = "resident 480 µs (published kernel 27.7×, best library 10.6× as long)"  # noqa: RUF001
    assert title == f"Breadth-first search today: NY, {at_first}; {further}"
    (graphs, *said) = re.split(": |; ", told, maxsplit=5)
    assert graphs == "On NY, NW, random-20-5 and Gowalla"
    assert said == [
        "first search, published kernel over ours 15.4×, 17.3×, 2.71×, 2.47×",  # noqa: RUF001
        "first search, best library over ours 96.3×, 30.1×, 165×, 177×",  # noqa: RUF001
        "resident, published kernel over ours 27.7×, 19.6×, 10.0×, 15.0×",  # noqa: RUF001
        "resident, best library over ours 10.6×, 5.71×, 26.4×, 10.7×",  # noqa: RUF001
        "resident, ours over limit 2.61×, 5.01×, 6.15×, 3.75×.",  # noqa: RUF001
    ]
    assert "Limit of NY on h200: a launch (10.0 µs) and 620 levels" in " ".join(text.split())
    assert [graph for graph, _ in rows] == list(LEVELS)
    assert rows[0][1] == [LIMIT, "cluster", "direction", "queue, 1 core", "bsp", "gapbs, 2 cores"]


def test_a_search_on_one_core_is_not_held_against_the_limit_of_kernels() -> None:
    """It launches none, and may take less."""
    core = measured("stcon/fewer-arcs", "fast-stcon", "NY", phases(0.0, 0.001))
    asked = changed(core, parameters={"pair": "far", "target": 3})
    title, told, _, _ = today("fast-stcon", warm([*TODAY, asked]))
    assert "resident 800 ns" in title
    assert re.search(r"ours over limit –, [\d.]+×", told)  # noqa: RUF001


def test_scores_in_single_precision_are_not_held_against_those_in_double() -> None:
    """They are another answer: the title is of the fastest kernel in double, as the published ones are."""
    times = {
        ("vert-comp-virt", "double"): 90.0,
        ("lane-queues", "double"): 10.0,
        ("lane-queues", "float"): 8.0,
    }
    records = [
        changed(
            measured(f"betweenness/{name}", "fast-betweenness", "Gowalla", phases(0.5, ms, ms * 0.9)),
            parameters={"precision": precision},
            observed={"allocation_ms": 2.0},
        )
        for (name, precision), ms in times.items()
    ]
    title, _, _, rows = today("fast-betweenness", records)
    assert title.endswith("Gowalla, first search 12.5 ms (published kernel 7.39× as long)")  # noqa: RUF001
    assert "lane-queues:precision=float" in rows[0][1]


def test_what_no_other_has_is_in_no_ratio() -> None:
    """Further searches of ours alone, as in old records: the title has the time, and no ratio by it."""
    title, told, _, _ = today("fast-bfs", warm(TODAY, "bfs/cluster", "bfs/direction"))
    assert title.endswith("; resident 480 µs")
    assert "resident, published" not in told
    assert "resident, best library" not in told


def test_without_constants_the_figure_has_no_limit_and_says_so() -> None:
    _, told, text, rows = today("fast-bfs", [one for one in TODAY if one.problem != "limits"])
    assert "limit" not in told
    assert "Limit of NY on h200: h200 has no record of limits/launch." in " ".join(text.split())
    assert all(LIMIT not in names for _, names in rows)


def test_without_a_kernel_of_ours_the_title_is_plain() -> None:
    title, told, _, _ = today("fast-bfs", fast("local", False))
    assert title == "Breadth-first search today"
    assert told.startswith("No machine here has timed this on a GPU")
    assert today("fast-bfs", [])[0] == "Breadth-first search today"


def test_what_is_of_another_commit_is_not_compared() -> None:
    gapbs = [one for one in TODAY if one.solver == "bfs/gapbs"]
    newer = {"git_commit": "f" * 40}
    other = [changed(one, software=one.software.model_copy(update=newer)) for one in gapbs]
    title, told, _, rows = today("fast-bfs", [*(one for one in TODAY if one not in gapbs), *other])
    assert "gapbs, 2 cores" in rows[0][1]
    assert "best library" not in title + told


def test_levels_are_those_of_the_same_sources() -> None:
    """Records from other sources pass other levels: with none of their own the limit is not known."""
    drawn = [with_sources(one) for one in TODAY if one.experiment == "fast-bfs"]
    _, _, text, _ = today("fast-bfs", [*drawn, *limits("h200")])
    assert "Limit of NY, 64 sources on h200: a launch (10.0 µs) and 620 levels" in " ".join(text.split())
    uncounted = [changed(one, iterations=None) for one in drawn]
    others = [changed(one, experiment="table-3.3") for one in TODAY if one.experiment == "fast-bfs"]
    _, _, text, _ = today("fast-bfs", [*uncounted, *others, *limits("h200")])
    assert "Limit of NY, 64 sources on h200: a launch (10.0 µs) and 5.05 MB from" in " ".join(text.split())


def test_a_title_that_divides_solves_says_what_their_totals_say() -> None:
    """The upload turns the order round."""
    times = {"bfs/direction": (143.0, 0.3), "bfs/host-arcs": (2.0, 18.0)}
    records = [
        changed(
            measured(solver, "out-of-memory", "Gowalla", phases(upload, solve, solve * 0.9)),
            parameters={"sweep": 64} if solver == "bfs/host-arcs" else {},
        )
        for solver, (upload, solve) in times.items()
    ]
    others = [changed(records[1], parameters={"sweep": sweep}) for sweep in (0, 8)]
    title, told, _, _ = today("out-of-memory", [*records, *others])
    assert title.endswith("they take 60.0× as long (total 0.140×)")  # noqa: RUF001
    assert told.endswith("; by total time it is host-arcs:sweep=64 (20.0 ms).")
    on_device = changed(records[0], trials=phases(0.1, 0.3, 0.2))
    _, told, _, _ = today("out-of-memory", [on_device, *others])
    assert "by total time" not in told


def test_the_title_is_of_the_first_machine_with_a_gpu() -> None:
    slower = [
        changed(one, trials=phases(1.0, 50.0, 40.0)) for one in fast("rtx", True) if one.backend == "cuda"
    ]
    title, told, _, rows = today("fast-bfs", [*TODAY, *slower])
    assert title.startswith("Breadth-first search today on h200: NY, first search 1.11 ms (")
    assert told.count("15.4") == 1
    assert told.startswith("On NY, NW, random-20-5 and Gowalla: ")
    assert len(rows) == 8


def test_the_constants_are_drawn_as_steps() -> None:
    title, told, _, rows = today("limits", limits("h200"))
    steps = "a launch takes 10.0 µs, a barrier of the grid 1.20 µs, a load from L2 140 ns"
    assert title == f"What binds any kernel: {steps}"
    assert told == "h200: from 15.0 ns (load, own shared memory) to 10.0 µs (launch, 4 bytes back)."
    assert len(rows[0][1]) == 7
