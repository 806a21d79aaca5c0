"""`retrace stage audit`: how far records can be compared, by made-up ones whose numbers are known by hand."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from itertools import combinations, pairwise
from statistics import median
from typing import Any

import pytest

from command_line import Call, needs_today
from fabricated import changed, drawn, graph_info, record, trial, without_answer
from retrace.records.record import Record
from retrace.records.repeatability import Repetition
from retrace.records.statistics import Summary
from retrace.reports.finding import Verdict
from retrace.reports.frame import build
from retrace.reports.like_for_like import is_ours
from retrace.reports.report import TableLayout
from retrace.system.project import ROOT
from retrace_audit.audit import COMPARED, loop_tables, trial_tables
from retrace_audit.few_trials import ranked_by_few, with_few_trials
from retrace_audit.host_per_level import host_per_level
from retrace_audit.judged_otherwise import by_loop, by_machine, by_phase
from retrace_audit.preparation import Preparation, is_on_one_core
from retrace_audit.repeated_work import Repeatability, early_beside_full, ended_early, spread
from retrace_audit.same_measure import fewest_trials, overtaken, today, turned, warm_over_cold
from searches_compared import (
    CORE,
    CPP,
    EVERY,
    FASTER,
    LAYOUT,
    LIBRARY,
    OLD,
    OURS,
    PLAIN,
    PUBLISHED,
    PYTHON,
    frame_of,
    on,
    repeated,
    report_of,
    timed,
)


def pair_of(ratio: float, few: Summary | None = None, full: Summary | None = None) -> Repetition:
    one = repeated("table-3.3")
    exact = few or Summary.of([10.0] * 5, margin=1.35)
    return Repetition(one, one, (exact, full or exact.over(1 / ratio)))


def test_pairs_are_counted_by_quartiles_and_by_the_rule() -> None:
    ratios = [1.6, 1.5, 1.4, 1.3, *[1.0] * 16]
    said = Repeatability.of([pair_of(ratio) for ratio in ratios])
    assert said is not None
    assert (said.pairs, said.by_quartiles, said.different, said.middle) == (20, 4, 3, 1.0)
    assert said.p90 == pytest.approx(1.41)
    assert said.p95 == pytest.approx(1.505)
    calm = Repeatability.of([pair_of(1.01)])
    assert calm is not None
    assert (calm.by_quartiles, calm.different, calm.p95) == (0, 0, pytest.approx(1.01))
    assert Repeatability.of([]) is None
    assert spread(pair_of(1.6)) == spread(pair_of(1 / 1.6)) == pytest.approx(1.6)


def test_a_record_that_ended_early_is_held_against_one_of_the_most_trials() -> None:
    full, middling = Summary.of([8.0, *[9.0] * 3, *[10.0] * 2, *[11.0] * 4]), Summary.of([1.0] * 7)
    inside, outside, long = (Summary.of([ms] * 3) for ms in (9.5, 12.0, 400.0))
    pairs = [
        pair_of(1.0, *two) for two in ((inside, full), (full, outside), (long, full), (outside, middling))
    ]
    assert early_beside_full(pairs) == [True, False]
    assert early_beside_full([]) == []
    assert early_beside_full([pair_of(1.0, inside, inside)]) == []
    records = [repeated("a"), repeated("b", (400.0, 401.0, 402.0)), repeated("c", (1.0,) * 4)]
    assert ended_early(records) == records[:1]


def test_the_same_measure_is_compared_on_both_sides() -> None:
    """A first search of the library makes its graph object, which takes 100 ms."""
    (place,) = today(frame_of(*EVERY))
    found = {measure: place.by(measure) for measure in COMPARED}
    ratios = {m: (one.over(one.published), one.over(one.library)) for m, one in found.items() if one}
    assert ratios == {
        "first search": (35.5 / 4.5, 108.0 / 4.5), "resident": (20.0, 6.0), "solve": (15.0, 4.0),
        "total": (35.5 / 4.5, 8.0 / 4.5),
    }  # fmt: skip
    ours = {measure: one.ours.record for measure, one in found.items() if one}
    assert ours == {"first search": PLAIN, "resident": OURS, "solve": OURS, "total": PLAIN}
    assert found["solve"] is not None
    assert found["solve"].over(None) is None
    assert fewest_trials(found["solve"]) == 4


def test_warm_stands_beside_cold_in_no_ratio() -> None:
    """Of old records a further search of ours would stand beside the first solve of the others."""
    (place,) = today(frame_of(*OLD))
    warm = place.by("resident")
    assert warm is not None
    assert (warm.ours.record, warm.published, warm.library) == (OURS, None, None)
    assert place.mixed == (30.0, 8.0)
    slower = timed("bfs/igraph", 0.0, 50.0, 0.5)  # the fastest by a further search, which it alone has
    (place,) = today(frame_of(*OLD, slower))
    warm = place.by("resident")
    assert warm is not None
    assert warm.library is None


def test_page_locking_turns_the_order_of_two() -> None:
    """By the total the one that page-locks is the faster, by the first search the slower."""
    locks = [trial(2.0, 1.0, 1.0).model_copy(update={"lock": 9.0})] * 5
    pinned = record("sssp/pinned-graph", "NY", backend="cuda", experiment="today", trials=locks)
    plain = record(
        "sssp/standard", "NY", backend="cuda", experiment="today", trials=[trial(4.0, 2.0, 1.0)] * 5
    )
    slow = record("sssp/bsp", "NY", backend="cuda", experiment="today", trials=[trial(40.0, 2.0, 1.0)] * 5)
    entries = frame_of(plain, pinned, slow).measured
    (pair,) = turned(entries, "total", "first search")
    assert (pair.first.record, pair.second.record) == (pinned, plain)
    assert list(turned(entries, "total", "solve")) == []
    elsewhere = frame_of(on("a", pinned), on("b", plain)).measured
    assert list(turned(elsewhere, "total", "first search")) == []


def test_what_the_host_may_take_per_level_is_what_is_left_of_a_core() -> None:
    """10 levels; 7 ms of a core less 1 + 2 + 0.5 ms of copies and kernels: 350 us a level, 200 measured."""
    layout = TableLayout(title="a", speed_up={"of": "bfs/bsp", "over": "bfs/queue"})
    kernel = record(
        "bfs/bsp", "NY", backend="cuda", experiment="today", trials=[trial(4.0, 2.0, 1.0, 0.5)] * 5
    )
    counted, core = changed(kernel, iterations=10), timed("bfs/queue", 0.0, 7.0)
    (one,) = host_per_level(
        build(
            [
                counted,
                core,
                timed("bfs/two-frontier", 0.0, 9.0),
                record("bfs/igraph", "NY", (3.0,) * 5, experiment="today"),
            ],
            (),
            {"today": layout},
        )
    )
    assert (one.measured_us, one.break_even_us, one.core.record) == (200.0, 350.0, core)
    assert list(host_per_level(build([kernel, core], (), {"today": layout}))) == []
    assert list(host_per_level(build([counted, LIBRARY], (), {"today": layout}))) == []


def test_who_solves_fastest_may_be_overtaken_in_total() -> None:
    single = timed("bfs/block-queue", 0.1, 0.1, parameters={"block_queue_size": 2, "precision": "float"})
    (one,) = overtaken(frame_of(*EVERY, single))
    assert (one.machine, one.graph, one.shown.record, one.in_total.record) == ("h200", "NY", OURS, PLAIN)
    assert one.published is not None
    assert one.published.record == PUBLISHED
    assert list(overtaken(frame_of(OURS, PUBLISHED))) == []
    assert list(overtaken(frame_of(on("a", OURS), on("b", PLAIN)))) == []
    assert list(overtaken(build(EVERY, (), {"today": TableLayout(title="a")}))) == []


def test_a_table_is_of_today_that_shows_first_searches_beside_published_kernels() -> None:
    layouts = [
        LAYOUT,
        TableLayout(title="a", groups=LAYOUT.groups),
        TableLayout(title="a", by="first search"),
    ]
    counts = [len(today(build(EVERY, (), {"today": layout}))) for layout in layouts]
    assert counts == [1, 0, 0]


def test_warm_over_cold_is_of_records_that_have_both() -> None:
    assert warm_over_cold(frame_of(*OLD).measured) == [0.5, 2.5 / 3.0]


def test_preparation_is_of_the_kernel_that_is_shown_and_of_the_cheapest() -> None:
    elsewhere = on("b", timed("bfs/queue", 0.0, 0.1))
    (place,) = today(frame_of(*EVERY))
    prepared = Preparation.of(place)
    assert prepared is not None
    assert prepared.shown.record == OURS
    assert [prepared.cheapest(n, is_ours).record for n in (1, 100)] == [PLAIN, OURS]  # type: ignore[union-attr]
    core = prepared.cheapest(1, is_on_one_core)
    assert core is not None
    assert core.record == CORE
    assert prepared.peer is not None
    assert prepared.peer.record == LIBRARY
    assert prepared.choice is None
    (place,) = today(frame_of(*(on("a", one) for one in (OURS, PUBLISHED)), elsewhere))
    alone = Preparation.of(place)
    assert alone is not None
    assert (alone.peer, alone.cheapest(1, is_on_one_core)) == (None, None)


@needs_today
def test_the_choice_is_the_one_with_its_own_settings() -> None:
    chosen = [timed("bfs/auto", 4.0, 2.0, 1.5, parameters={"predecessors": word}) for word in ("yes", "no")]
    (place,) = today(frame_of(*EVERY, *chosen))
    prepared = Preparation.of(place)
    assert prepared is not None
    assert prepared.choice is not None
    assert prepared.choice.record == chosen[1]


QUOTIENT = {"ratio": "bfs/bsp", "of": "solve", "over_its": "total", "at_least": 0.5}
COUNT = {"ratio": "bfs/bsp", "of": "iterations", "over": "bfs/queue", "at_least": 1}


def test_a_verdict_that_another_machine_or_phase_changes_is_listed() -> None:
    """By solve the kernel is faster everywhere; its upload makes it slower by total on one machine."""
    records = [
        timed(solver, upload, solve, machine=machine)
        for machine, most in (("h200", 9.0), ("h100", 1.0))
        for solver, upload, solve in (("bfs/bsp", most, 2.0), ("bfs/queue", 0.0, 8.0))
    ]
    frame = frame_of(*records, timed("bfs/bsp", 1.0, 1.0, machine="h100-x2", experiment="other"))
    report = report_of(total=FASTER, solve=FASTER | {"by": "solve"}, quotient=QUOTIENT, count=COUNT)
    verdicts = {one.claim: one for one in by_machine([report], frame)}
    assert {name: one.differ for name, one in verdicts.items() if name in ("total", "solve")} == {
        "total": True, "solve": False,
    }  # fmt: skip
    found = {machine: finding.verdict for machine, finding in verdicts["total"].findings.items()}
    assert found == {"h200": Verdict.FAILS, "h100": Verdict.HOLDS}
    phases = {one.claim: one for one in by_phase([report], frame, "h200")}
    assert phases.keys() == {"total", "solve"}
    for one in phases.values():
        assert one.differ
        assert {name: finding.verdict for name, finding in one.findings.items()} == {
            "solve": Verdict.HOLDS, "total": Verdict.FAILS,
        }  # fmt: skip
    assert not any(one.differ for one in by_phase([report], frame, "h100"))


def loops_of(*records: Record) -> dict[str, list[Verdict]]:
    """Return by claim what is found with loops in C++ and in Python, of all records on the H200."""
    verdicts = by_loop([report_of(total=FASTER)], frame_of(*records), "h200")
    return {one.claim: [finding.verdict for finding in one.findings.values()] for one in verdicts}


@pytest.mark.usefixtures("steady")
def test_a_verdict_that_a_loop_in_python_changes_is_listed() -> None:
    """The kernel is faster than the queue unless Python launches it, as it did for another table."""
    queue, kernel = timed("bfs/queue", 0.0, 8.0), timed("bfs/bsp", 0.0, 6.0, **CPP)
    slower = timed("bfs/bsp", 0.0, 9.0, experiment="loop-bfs", **PYTHON)
    again = timed("bfs/bsp", 0.0, 6.0, experiment="loop-bfs", **CPP)
    assert loops_of(queue, kernel, slower, again) == {"total": [Verdict.HOLDS, Verdict.FAILS]}
    older = timed("bfs/bsp", 0.0, 9.0, parameters={})  # which does not say that Python launched
    assert loops_of(queue, older, slower, again) == {"total": [Verdict.HOLDS, Verdict.FAILS]}
    assert loops_of(queue, kernel, again) == {}
    _, printed = loop_tables([report_of(total=FASTER)], frame_of(queue, kernel, slower))
    assert printed.splitlines()[-1].startswith("| h200 | made-up | total | holds")
    assert printed.endswith("| True |")


@pytest.mark.usefixtures("steady")
@pytest.mark.parametrize(
    "unlike",
    [{"source": 1}, {"graph": graph_info("NW")}, {"parameters": {"loop": "python", "block_size": 64}}],
)
def test_another_work_in_python_says_nothing_of_a_verdict(unlike: dict[str, Any]) -> None:
    queue, kernel = timed("bfs/queue", 0.0, 8.0), timed("bfs/bsp", 0.0, 6.0, **CPP)
    slower = timed("bfs/bsp", 0.0, 9.0, experiment="loop-bfs", **PYTHON)
    assert loops_of(queue, kernel, changed(slower, **unlike)) == {}


@pytest.mark.usefixtures("steady")
def test_a_loop_in_python_elsewhere_says_nothing_of_a_verdict() -> None:
    queue, kernel = timed("bfs/queue", 0.0, 8.0), timed("bfs/bsp", 0.0, 6.0, **CPP)
    slower = [
        timed("bfs/bsp", 0.0, 9.0, experiment="loop-bfs", machine=machine, **PYTHON)
        for machine in ("h200", "h100")
    ]
    assert loops_of(queue, kernel, on("b", slower[0]), slower[1]) == {}


def test_rankings_by_few_trials_are_counted() -> None:
    """Two trials of a second or more are ranked, two of less are not."""
    long = record("bfs/gapbs", "NY", (2000.0, 2001.0), experiment="today")
    short = record("bfs/igraph", "NY", (4.0, 5.0), experiment="today")
    absent = without_answer("bfs/networkit", "NY", "skipped", "no such library", experiment="today")
    frame = frame_of(OURS, PUBLISHED, long, short, absent)
    (few,) = ranked_by_few(frame)
    assert (few.experiment, few.machine, few.graph) == ("today", "h200", "NY")
    assert [entry.record for entry in few.few] == [long, short]
    assert few.rankings == 2  # of the long one: our kernel and the published one
    (few,) = ranked_by_few(frame_of(on("a", OURS), on("b", long)))
    assert few.rankings == 0
    three = repeated("a")
    assert with_few_trials([OURS, long, LIBRARY, three, absent]) == [long, LIBRARY, three]


def table_under(heading: str, printed: str) -> list[dict[str, str]]:
    """Return the rows of the first table after a heading."""
    lines = printed.partition(f"## {heading}\n")[2].partition("\n| ")[2].partition("\n\n")[0]
    head, _, *rows = [line.strip("| ").split(" | ") for line in lines.splitlines()]
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    files = sorted((ROOT / "results/machines/h200").glob("*/*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_what_drawn_trials_record_is_counted() -> None:
    """Beside the numbers of a trial stand what it asked and the digest of its answer, which have no least."""
    searches = [drawn("bfs/queue", "NY"), drawn("stcon/two-queues", "NY"), timed("bfs/queue", 0.0, 8.0)]
    of_trials, _, questions = trial_tables(frame_of(*searches))
    assert "digest" not in of_trials
    assert questions.splitlines()[-1].startswith("| h200 | 3 | 2 |")


@pytest.mark.long
@needs_today
def test_the_stage_prints_what_the_committed_lines_say(script: Call, lines: list[dict[str, Any]]) -> None:
    """Another way, from JSON alone: pairs that the rule tells apart, and what ten sources cost."""
    began = time.process_time()
    done = script("audit")
    assert time.process_time() - began < 20
    assert (done.status, done.err) == (0, "")
    headings = re.findall(r"^## (.+)$", done.out, re.MULTILINE)
    assert len(headings) == 15
    for heading in headings:
        assert table_under(heading, done.out), heading

    good = [line for line in lines if line.get("verified") and len(line["trials"]) >= 3]
    keys = ("solver", "source", "backend")
    same: dict[str, list[dict[str, Any]]] = {}
    for line in good:
        place = [line["graph"]["sha256"], line["machine"].get("host"), line["software"]["git_commit"]]
        work = json.dumps([*(line[key] for key in keys), line["parameters"], place], sort_keys=True)
        same.setdefault(work, []).append(line)
    pairs = [
        two
        for group in same.values()
        for two in combinations(group, 2)
        if two[0]["experiment"] != two[1]["experiment"] and two[0]["graph"]["sha256"]
    ]
    totals = [[Summary.of([one["total"] for one in line["trials"]]) for line in two] for two in pairs]
    apart = sum(
        (a.q1 > b.q3 or b.q1 > a.q3) and not 1 / 1.02 <= a.median / b.median <= 1.02 for a, b in totals
    )
    rows = table_under("Repeatability", done.out)
    (row,) = (row for row in rows if (row["machine"], row["phase"]) == ("h200", "total"))
    assert (row["pairs"], row["different by quartiles"]) == (str(len(pairs)), str(apart))
    assert 0 < int(row["called different"]) <= 0.05 * len(pairs) < apart

    table = [row for row in table_under("Preparation", done.out) if row["machine"] == "h200"]
    (row,) = (
        row for row in table if (row["table"], row["graph"], row["n"]) == ("fast-bfs", "NY, 64 sources", "10")
    )
    (line,) = (
        line
        for line in lines
        if (line["experiment"], line["solver"], line["graph"]["name"]) == ("fast-bfs", "bfs/auto", "NY")
        and line["parameters"]["predecessors"] == "no"
    )
    ms = {key: median(one[key] for one in line["trials"]) for key in ("upload", "solve", "again", "download")}
    cost = (ms["upload"] + ms["solve"] + 9 * ms["again"] + 10 * ms["download"]) / 10
    assert float(row["auto"].replace(",", "")) == pytest.approx(cost, rel=5e-3)
    assert all(int(a["n"]) < int(b["n"]) or a["graph"] != b["graph"] for a, b in pairwise(table))

    gapbs = [line for line in lines if (line["experiment"], line["solver"]) == ("fast-sssp", "sssp/gapbs")]
    solves = [[one["solve"] for one in line["trials"]] for line in gapbs]
    stalled = sum(ms > min(some) + 10 for some in solves for ms in some)
    rows = table_under("Stalls", done.out)
    (row,) = (row for row in rows if (row["machine"], row["table"]) == ("h200", "fast-sssp"))
    assert (row["trials"], row["stalled"]) == (str(sum(map(len, solves))), str(stalled))


def test_a_machine_that_is_not_configured_is_refused(script: Call) -> None:
    done = script("audit", "--machines", "h2000")
    assert done.refusal(1).startswith(
        "error: --machines: h2000: expected machines of config.yaml: h200, h100"
    )


def test_a_reader_who_has_seen_enough_ends_a_stage_quietly() -> None:
    """One that has gone before the stage prints, since what it prints may fit into a pipe."""
    stage = shlex.join([sys.executable, str(ROOT / "scripts/stage.py"), "audit", "--machines", "h100-x2"])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {stage} | head -c 0"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
