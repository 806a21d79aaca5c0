"""What is compared with what: the same work, the same measure, all that sources cost, verdicts."""

from __future__ import annotations

from typing import Any

import pytest

from fabricated import changed, graph_info, record, trial
from retrace.records.record import Record
from retrace.records.repeatability import repetitions
from retrace.reports.finding import Finding, Verdict
from retrace.reports.judge import judge
from retrace.reports.like_for_like import (
    Cost,
    break_even,
    contenders,
    is_as_fast,
    is_search,
    least_from,
    least_in_turn,
)
from retrace_generated.agreements import Agreement, agreements
from searches_compared import (
    CPP,
    EVERY,
    FASTER,
    LIBRARY,
    OLD,
    OURS,
    PUBLISHED,
    PYTHON,
    frame_of,
    on,
    repeated,
    report_of,
    timed,
)


def test_the_same_work_in_two_experiments_is_a_pair() -> None:
    first, second = repeated("table-3.3"), repeated("fast-bfs", (20.0, 21.0, 22.0))
    (pair,) = repetitions([first, second, repeated("hong-bfs", (1.0, 2.0))], "solve")
    assert (pair.first, pair.second) == (first, second)
    assert [times.median for times in pair.times] == [10.0, 21.0]


def other_graph(one: Record) -> Record:
    return changed(one, graph=graph_info("NY", sha256="f" * 64))


@pytest.mark.parametrize(
    "alter",
    [
        lambda one: on("b", one),
        lambda one: changed(one, machine=one.machine.model_copy(update={"name": "h100"})),
        lambda one: changed(one, software=one.software.model_copy(update={"git_commit": "0" * 40})),
        lambda one: changed(one, parameters={"block_size": 64}),
        lambda one: changed(one, source=7),
        lambda one: changed(one, verified=False, reason="vertex 3: 4, expected 5"),
        lambda one: changed(one, experiment="table-3.3"),
        other_graph,
    ],
    ids=["host", "machine", "commit", "settings", "source", "wrong", "experiment", "graph"],
)
def test_other_work_is_no_pair(alter: Any) -> None:
    first, second = (on("a", repeated(name)) for name in ("table-3.3", "fast-bfs"))
    assert len(repetitions([first, second], "solve")) == 1
    assert repetitions([first, alter(second)], "solve") == []


def test_each_phase_is_compared_with_itself() -> None:
    phases = ((1.0, 2.0), (5.0, 4.0))
    records = [
        repeated(name, trials=[trial(solve, 0.5, upload)] * 3)
        for name, (upload, solve) in zip(("table-3.3", "fast-bfs"), phases, strict=True)
    ]
    pairs = {phase: repetitions(records, phase)[0].times for phase in ("upload", "solve", "total")}
    medians = {phase: tuple(summary.median for summary in times) for phase, times in pairs.items()}
    assert medians == {"upload": (1.0, 5.0), "solve": (2.0, 4.0), "total": (3.0, 9.0)}
    assert repetitions(records, "download") == []  # takes no time
    assert repetitions(records, "again") == []


def test_another_host_and_single_precision_are_not_compared() -> None:
    found = contenders("resident", frame_of(on("a", OURS), on("b", PUBLISHED), on("a", LIBRARY)).measured)
    assert found is not None
    assert found.published is None
    assert found.library is not None
    single = changed(OURS, parameters={"precision": "float"})
    entries = frame_of(single, PUBLISHED).measured
    assert contenders("resident", entries) is None
    assert contenders("resident", frame_of(PUBLISHED, LIBRARY).measured) is None


@pytest.mark.parametrize(
    ("solve", "trials", "leads"),
    [(2.0, 1, False), (2.0, 5, True), (0.5, 1, True)],
    ids=["near", "of enough", "much less"],
)
def test_a_time_of_one_trial_leads_only_where_it_can_be_told(solve: float, trials: int, leads: bool) -> None:
    """It takes 2.5 ms or 1 ms, and what has five trials 3 ms, so that one odd trial could be all."""
    few = timed("bfs/direction", 0.0, solve, trials=[trial(solve, 0.1, 0.0, 0.5)] * trials)
    enough = timed("bfs/cluster", 0.0, 2.5)
    compared = contenders("first search", frame_of(few, enough).measured)
    assert compared is not None
    assert compared.ours.solver == ("bfs/direction" if leads else "bfs/cluster")
    alone = contenders("first search", frame_of(few).measured)
    assert alone is not None
    assert alone.ours.solver == "bfs/direction"


def test_the_cost_of_sources_has_all_copies() -> None:
    """1 source: 10 + 2 + 0.5 ms. 10: 10 + 2 + 9 * 1 + 10 * 0.5 = 26 ms."""
    (ours, _, _, library, _) = frame_of(*EVERY).measured
    cost, others = Cost.of(ours), Cost.of(library)
    assert cost is not None
    assert others is not None
    assert [cost.per_source(n) for n in (1, 10)] == [12.5, 2.6]
    assert others.per_source(10) == (100.0 + 8.0 + 9 * 6.0) / 10
    assert (break_even(ours, library), break_even(ours, library, "total")) == ("1", "3")


def test_a_further_search_that_nobody_timed_takes_no_more_than_the_first() -> None:
    (ours, _, _, library, _) = frame_of(*OLD).measured
    bound = Cost.of(library, "total")
    assert bound is not None
    assert (bound.is_bound, bound.per_source(10)) == (True, 8.0)
    assert (break_even(ours, library), break_even(ours, library, "total")) == ("1", "≥ 2")
    assert break_even(library, ours) == ""
    (slow, fast) = frame_of(timed("bfs/bsp", 11.0, 2.0, 0.9999), OURS).measured
    assert (break_even(slow, fast), break_even(fast, slow)) == ("> 1,000", "1")
    assert break_even(ours, None) == ""


def test_searches_are_the_least_from_where_no_other_costs_less() -> None:
    """Another of ours takes 1 ms less at first and 0.5 ms more for each further one, a library far more."""
    (ours, _, _, library, _) = frame_of(*EVERY).measured
    (slower,) = frame_of(timed("bfs/cluster", 0.0, 9.0, 1.5)).measured
    cost, other = Cost.of(ours), Cost.of(slower)
    assert cost is not None
    assert other is not None
    number = cost.ahead_from(other)
    assert number is not None
    assert number > 1
    assert least_from(ours, [library]) == break_even(ours, library) == "1"
    assert least_from(ours, [ours, library, slower]) == str(number)
    assert least_in_turn(ours, [ours, library, slower]) == [(1, slower), (number, ours)]
    assert least_in_turn(library, [ours]) == []
    assert least_from(library, [ours]) == "never"
    assert least_from(slower, [ours]) == "never"
    (same,) = frame_of(timed("bfs/cluster", 0.0, 9.0, 1.0)).measured  # in a further search
    assert least_from(ours, [same]) == "1"
    assert least_from(ours, []) == "1"
    (cold,) = frame_of(timed("bfs/cluster", 0.0, 9.0)).measured
    assert least_from(cold, [library]) == ""
    (unknown,) = frame_of(timed("bfs/host-arcs", 0.0, 0.5, 0.4)).measured  # what it locked is not known
    assert least_from(ours, [library, unknown]) == ""


def test_of_ours_as_fast_in_a_further_search_the_one_with_the_least_first_is_shown() -> None:
    slow, quick = (
        timed("bfs/direction", 0.0, 30.0, 1.0),
        timed("bfs/cluster", 0.0, 3.0, 1.01),
    )
    compared = contenders("resident", frame_of(slow, quick).measured)
    assert compared is not None
    assert compared.ours.solver == "bfs/cluster"
    unsteady = [trial(3.0).model_copy(update={"again": ms}) for ms in (0.5, 0.5, 2.1, 4.0, 4.0)]
    (noisy,) = frame_of(timed("bfs/cluster", 0.0, 3.0, trials=unsteady)).measured
    (one,) = frame_of(slow).measured
    assert not is_as_fast(noisy, one, "resident")  # though no difference can be told
    assert not is_as_fast(one, noisy, "resident")
    worse = timed("bfs/cluster", 0.0, 3.0, 1.4)
    compared = contenders("resident", frame_of(slow, worse).measured)
    assert compared is not None
    assert compared.ours.solver == "bfs/direction"


@pytest.mark.parametrize("once", [0.0, 1.0, 13.0, 65.0, -2.0])
@pytest.mark.parametrize("each", [0.5, 1.5, 8.0, 9.0])
@pytest.mark.parametrize("start", [0.0, 3.0])
def test_break_even_is_the_first_number_of_sources_that_costs_less(
    once: float, each: float, start: float
) -> None:
    cost, other = Cost(once, each), Cost(start, 8.0)
    ahead = (n for n in range(1, 1000) if once + n * each < start + n * 8.0)
    assert cost.ahead_from(other) == next(ahead, None)


def test_searches_alone_have_a_cost_for_each_source() -> None:
    kinds = {"bfs/bsp": True, "betweenness/vert": False, "limits/launch": False}
    records = [record(solver, "NY", iterations=1, backend="cuda") for solver in kinds]
    assert [is_search(entry) for entry in frame_of(*records).measured] == [*kinds.values()]


def test_machines_agree_on_claims_that_both_can_tell() -> None:
    """Of three that differ, one would not with margins 1.2 times as wide; the unmeasured is left out."""
    holds, fails, slight, unknown, absent = (
        Finding(Verdict.HOLDS, "1 ms", stands_to=3.0), Finding(Verdict.FAILS, "2 ms", stands_to=2.0),
        Finding(Verdict.FAILS, "2 ms", stands_to=1.1), Finding(Verdict.OPEN, "3 ms"), Finding(Verdict.HOLDS),
    )  # fmt: skip
    pairs = [
        (holds, holds),
        (holds, fails),
        (fails, holds),
        (holds, slight),
        (unknown, holds),
        (unknown, unknown),
    ]
    every = [{"a": one, "b": other} for one, other in pairs]
    every.append({"a": absent, "b": holds})
    assert agreements(every, 1.2) == [Agreement("b", told=4, same=1, alone=1, slight=1, wider=1.2)]


@pytest.mark.usefixtures("steady")
def test_claims_rest_on_loops_in_cpp_where_there_are_any() -> None:
    queue = timed("bfs/queue", 0.0, 8.0)
    older, python = timed("bfs/bsp", 0.0, 9.0, parameters={}), timed("bfs/bsp", 0.0, 9.0, **PYTHON)
    report = report_of(total=FASTER)

    def verdict(*records: Record) -> Verdict:
        return judge(report, report.claims["total"], frame_of(queue, *records), "h200").verdict

    kernel = timed("bfs/bsp", 0.0, 6.0, **CPP)
    assert verdict(older) is verdict(python) is Verdict.FAILS
    assert verdict(python, kernel) is verdict(kernel, python) is Verdict.HOLDS
    row = frame_of(queue, python, kernel).of("today").rows[0]
    found = row.of("h200", "bfs/bsp")
    assert found is not None
    assert found.record == kernel
