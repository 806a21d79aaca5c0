"""What reports say in words: each claim is judged from records, and nothing that was not timed counts."""

from __future__ import annotations

from collections.abc import Collection
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuda_device.errors import OneLineError
from fabricated import (
    WRONG,
    bellman_ford,
    brandes,
    changed,
    frame,
    graphs_of,
    hong,
    measured,
    phases,
    sweep,
    trial,
    tuwien,
    without_answer,
)
from retrace.publish import verdicts
from retrace.publish.page import render
from retrace.records.margins import Margins
from retrace.records.record import Record
from retrace.reports.claim import (
    DERIVED,
    Faster,
    Fastest,
    GainGrows,
    NotFaster,
    Ratio,
    SomewhereFaster,
    Verified,
    Where,
)
from retrace.reports.finding import Finding, Speaks, Verdict, Weighed, stands_to, verdict
from retrace.reports.judge import judge
from retrace.reports.report import load_reports
from retrace.reports.wording import TIMES, duration, speed, speed_range

pytestmark = pytest.mark.usefixtures("steady")

REPORTS = load_reports()
CLAIMS = {name: (report, claim) for report in REPORTS.values() for name, claim in report.claims.items()}
FABRICATED = {
    "an-bellman-ford": bellman_ford,
    "domitrz-brandes": brandes,
    "hong-bfs": hong,
    "tuwien-sssp": tuwien,
}
RECORDS = {report: fabricate("h200", gpu=True) for report, fabricate in FABRICATED.items()}
BELLMAN_FORD, BRANDES, HONG, TUWIEN = RECORDS.values()
JUDGED = [name for name, (report, claim) in CLAIMS.items() if claim.test and report.key in FABRICATED]


def find(claim: str, records: list[Record], machine: str = "h200") -> Finding:
    report, found = CLAIMS[claim]
    return judge(report, found, frame(records, report.key)[0], machine)


def slowed(
    records: list[Record], solver: str, factor: float, largest: int = 10**9, **settings: int
) -> list[Record]:
    """Multiply all times of a solver, on graphs up to a size."""

    def slow(record: Record) -> Record:
        if record.solver.split("/")[1] != solver or record.graph.vertices > largest:
            return record
        if not settings.items() <= record.parameters.items():
            return record
        trials = [
            one.model_copy(update={key: ms and ms * factor for key, ms in one.model_dump().items()})
            for one in record.trials
        ]
        return changed(record, trials=trials)

    return [slow(record) for record in records]


def uneven(one: Record) -> Record:
    """Make solves a thousand times as long, and each six times as long as the one before."""
    solves = [trial.solve * 1000 * 6**number for number, trial in enumerate(one.trials)]
    trials = [trial.model_copy(update={"solve": solve, "total": trial.upload + solve + trial.download})
              for trial, solve in zip(one.trials, solves, strict=True)]  # fmt: skip
    return changed(one, trials=trials)


@pytest.mark.parametrize(
    ("claim", "is_doubtful"), [("pinned-copies-faster", False), ("pinned-saves-time", True)]
)
def test_a_verdict_tells_the_doubts_that_concern_its_measure(claim: str, is_doubtful: bool) -> None:
    found = find(claim, [uneven(one) if one.solver.endswith("/pinned") else one for one in BELLMAN_FORD])
    assert ("doubtful (?)" in found.measured) == is_doubtful


DENIED = [name for name in JUDGED if getattr(CLAIMS[name][1].test, "denies", False)]
"""What is said to be impossible, although all fabricated answers are right."""


@pytest.mark.parametrize("claim", JUDGED)
def test_a_claim_that_the_records_bear_out_holds(claim: str) -> None:
    found = find(claim, RECORDS[CLAIMS[claim][0].key])
    assert found.verdict == (Verdict.FAILS if claim in DENIED else Verdict.HOLDS)
    assert found.measured


@pytest.mark.parametrize("claim", DENIED)
def test_what_is_said_to_be_impossible_holds_where_every_answer_is_wrong(claim: str) -> None:
    wrong = [
        changed(one, verified=False, reason="vertex 3: 4, expected 5") if one.status == "ok" else one
        for one in RECORDS[CLAIMS[claim][0].key]
    ]
    assert find(claim, wrong).verdict == Verdict.HOLDS


@pytest.mark.parametrize(
    ("claim", "solver", "factor", "settings"),
    [("streams-hide-transfer", "streams-masked", 2, {"parts": 2}),
     ("many-parts-do-not-pay", "streams-masked", 0.1, {"parts": 32}),
     ("versions-differ-dramatically", "multi-edge", 0.5, {"edges_per_thread": 64}),
     ("pinned-copies-faster", "pinned", 10, {}), ("pinned-saves-time", "pinned", 10, {}),
     ("pinned-gains-with-size", "pinned", 10, {}), ("coalesced-is-faster", "multi-edge", 10, {}),
     ("four-edges-are-best", "multi-edge", 0.1, {"edges_per_thread": 1}),
     ("many-edges-are-slower", "multi-edge", 0.1, {"edges_per_thread": 64}),
     ("edges-beat-vertices", "dense", 100, {}), ("incoming-beats-outgoing", "incoming", 100, {})],
)  # fmt: skip
def test_a_contradicted_claim_fails(claim: str, solver: str, factor: float, settings: dict[str, int]) -> None:
    found = find(claim, slowed(BELLMAN_FORD, solver, factor, **settings))
    assert found.verdict == Verdict.FAILS
    small = find(claim, slowed(BELLMAN_FORD, solver, factor, 1024, **settings))
    assert small.verdict == Verdict.IN_PART


def test_a_gpu_that_has_not_measured_an_experiment_lacks_the_variant_and_not_times() -> None:
    others = [one for one in BELLMAN_FORD if one.experiment != "survey-sssp"]
    assert find("near-far-is-best", others).why == "near-far:alone=0 was not measured"
    assert find("classes-save-work", others).why == "workfront-sweep was not measured"


PHASES = ("upload", "solve", "download", "kernel")
PARTS = PHASES[:3]
SKEWED = {True: (0.8, *[1.0] * 9, 1.03), False: (0.1, 0.9, *[1.0] * 7, 1.02, 1.9)}
"""What the winner's and the loser's trials take over their medians: minima would judge otherwise."""


def opposed(claim: str, wins: bool, part: str) -> list[Record]:
    """Fabricate a machine on which a claim's phase says one thing, and all other phases the opposite.

    The total, where that is the phase, is decided by one `part`. What is said to be faster `wins` or loses.
    """
    report, found = CLAIMS[claim]
    assert found.test
    test, specs = found.test, [report.variant(spec) for spec in found.test.specs]
    kind, judged = type(test).__name__, part or test.by
    first = set(specs[::2] if kind == "Faster" else specs[:1])
    graphs = ["dense-512", "dense-1024"] if report.key == "an-bellman-ford" else []
    graphs = graphs_of(test.where) if test.where != Where() else graphs or graphs_of(test.where)
    records = []
    for graph, variant in ((graph, variant) for graph in graphs for variant in dict.fromkeys(specs)):
        winner = (variant in first) == wins
        ms = dict.fromkeys(PARTS, 50.0 if winner else 40.0) | {"kernel": 5.0 if winner else 4.0}
        if test.by == "kernel":  # a part of the solve
            ms |= {"solve": 500.0 if winner else 400.0}
        if test.by == "total":
            ms = dict.fromkeys(PHASES, 5.0 if winner else 4.0)
        ms[judged] = 10.0 if winner else 80.0
        if kind == "GainGrows":  # from the first graph to the second
            more = (graph == graphs[1]) == wins
            ms |= {
                phase: 10.0 + (variant not in first) * (20.0 if more == (phase == judged) else 10.0)
                for phase in PARTS
            }
            ms |= dict.fromkeys(set(PARTS) - {part}, 0.0) if part else {}
        times = [{phase: time * factor for phase, time in ms.items()} for factor in SKEWED[winner]]
        settings = {key: int(value) for key, value in variant.settings.items()}
        trials = [trial(**one | {"kernel": min(one["kernel"], one["solve"])}) for one in times]
        one = measured(variant.solver, found.experiments[0], graph, trials, **settings)
        left = 0.6 if "comp2" in variant.solver else 0.7 if "comp" in variant.solver else 1.0
        records.append(changed(one, observed={"searched_vertices": left * one.graph.vertices}))
    return records


ORDERED = [
    (name, part)
    for name, (_, claim) in CLAIMS.items()
    if isinstance(claim.test, Faster | NotFaster | SomewhereFaster | Fastest | GainGrows)
    for part in (PARTS if claim.test.by == "total" else ("",))
]


@pytest.mark.parametrize(("claim", "part"), ORDERED)
def test_a_claim_is_judged_by_its_phase_and_by_medians_alone(claim: str, part: str) -> None:
    test, least, most = CLAIMS[claim][1].test, *((20.0, 88.0) if part else (10.0, 80.0))
    for wins in (True, False):
        first = wins != isinstance(test, NotFaster)
        found = find(claim, opposed(claim, first, part))
        assert found.verdict == (Verdict.HOLDS if wins else Verdict.FAILS), found.measured
        assert duration(least) in found.measured
        if isinstance(test, Faster | NotFaster | SomewhereFaster):
            assert speed(most / least if first else least / most) in found.measured


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (121.3, "120_x faster"),
        (2.0, "2.0_x faster"),
        (1.5, "1.5_x faster"),
        (1.164, "16_% faster"),
        (1.001, "as fast"),
        (1 / 1.164, "16_% slower"),
        (0.488, "2.0_x slower"),
        (0.001, "1,000_x slower"),
    ],
)
def test_a_speed_has_two_digits_and_one_direction(factor: float, said: str) -> None:
    """Nothing takes less than 1 times: what is slower is so by a number above 1."""
    assert speed(factor) == said.replace("x", TIMES).replace("_", "\N{NO-BREAK SPACE}")


def test_a_range_of_speeds_names_a_common_unit_once() -> None:
    said = [speed_range(4.37, 11.2), speed_range(0.88, 2.0), speed_range(0.33, 0.5), speed_range(2.0, 2.0),
            speed_range(1.3, 2.0)]  # fmt: skip
    assert [text.replace("\N{NO-BREAK SPACE}", "_") for text in said] == [
        f"4.4 to 11_{TIMES} faster",
        f"14_% slower to 2.0_{TIMES} faster",
        f"3.0 to 2.0_{TIMES} slower",
        f"2.0_{TIMES} faster",
        f"1.3 to 2.0_{TIMES} faster",
    ]


def test_where_a_claim_holds_in_part_is_said() -> None:
    found = find("pinned-copies-faster", slowed(BELLMAN_FORD, "pinned", 10, largest=8192))
    assert found.sentence == "holds in part: only on dense-12288, dense-16384, dense-20480"
    assert found.measured.startswith(f"dense-20480: 191 ms (pinned), 419 ms (dense), {speed(2.2)};")
    assert found.measured.endswith("faster in 3, slower in 6 of 9")


@pytest.mark.parametrize(
    ("upload", "sentence"),
    [([0.45] * 3, "holds"), ([0.2] * 3, "does not hold: it is less"),
     ([0.9] * 3, "does not hold: it is more"),
     ([0.2, 0.3, 0.7], "cannot be told: the spread, 25% to 50%, is too wide"),
     ([0.3, 0.7, 0.8], "cannot be told: the spread, 50% to 75%, is too wide"),
     ([0.25, 0.5, 0.75], "cannot be told: the spread, 38% to 62%, is too wide")],
)  # fmt: skip
def test_almost_half_is_neither_less_nor_more(upload: list[float], sentence: str) -> None:
    asked = ("bellman-ford-transfer", "bellman-ford/dense")
    made = bellman_ford("h200", gpu=True, sizes=[1024])
    (record,) = [record for record in made if (record.experiment, record.solver) == asked]
    trials = [trial(1 - share, upload=share) for share in upload]
    found = find("transfer-almost-half", [changed(record, trials=trials)])
    assert found.sentence == sentence
    assert "on dense-1024" in found.measured


@pytest.mark.parametrize(
    ("smaller", "larger", "sentence"),
    [([2.6, 3.0, 3.4], [3.6, 3.7, 3.8], "holds"), ([3.0] * 3, [1.5] * 3, "does not hold"),
     ([3.0] * 3, [1.8, 4.0, 6.2], "cannot be told: within run-to-run noise"),
     ([2.6, 3.0, 3.4], [2.95, 3.1, 3.3], "cannot be told: within run-to-run noise"),
     ([2.6, 3.0, 3.4], [2.7, 2.9, 3.1], "cannot be told: within run-to-run noise")],
)  # fmt: skip
def test_a_gain_grows_if_the_ranges_are_apart(
    smaller: list[float], larger: list[float], sentence: str
) -> None:
    """What dense takes to upload on two sizes; pinned takes 1 ms."""
    records = []
    for size, dense in ((256, smaller), (512, larger)):
        for name, times in (("dense", dense), ("pinned", [1.0] * 3)):
            trials = [trial(0.0, upload=time) for time in times]
            records.append(measured(f"bellman-ford/{name}", "bellman-ford-transfer", f"dense-{size}", trials))
    assert find("pinned-gains-with-size", records).sentence == sentence


OF_THE_HOST = (
    "graphs-are-sparse", "csr-saves-storage", "csr-saves-operations", "csr-is-faster",
    "low-density-needs-less-memory", "matrix-is-inefficient-on-sparse", "tree-first-is-slow-for-reallocation",
    "tree-first-is-connected", "tree-first-reaches-the-density",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("claim", JUDGED)
def test_without_a_gpu_nothing_can_be_told_of_kernels(claim: str) -> None:
    fabricate = FABRICATED[CLAIMS[claim][0].key]
    emulated = [changed(record, backend="emulator") for record in fabricate("local", gpu=True)]
    emulated_alone = find(claim, emulated, "local")
    assert emulated_alone.verdict == Verdict.OPEN
    found = find(claim, fabricate("local", gpu=False), "local")
    if claim in OF_THE_HOST:
        assert found == find(claim, fabricate("local", gpu=True), "local")
        assert found.verdict == Verdict.HOLDS
    else:
        assert found == emulated_alone == Finding(Verdict.OPEN, why="no times on a GPU")


def found_whatever_it_took(claim: str) -> bool:
    """Return whether a claim is about answers or counts, not about times."""
    test = CLAIMS[claim][1].test
    times = (*PHASES, "total", *DERIVED)
    return isinstance(test, Verified) or (isinstance(test, Ratio) and test.of not in times)


@pytest.mark.parametrize("claim", JUDGED)
def test_no_verdict_from_answers_that_differ_or_too_few_trials(claim: str) -> None:
    records = RECORDS[CLAIMS[claim][0].key]
    wrong = find(claim, [changed(record, **WRONG) for record in records if record.status == "ok"])
    test = CLAIMS[claim][1].test
    unverified = Verdict.HOLDS if claim in DENIED else Verdict.FAILS
    assert wrong.verdict == (unverified if isinstance(test, Verified) else Verdict.OPEN)
    if found_whatever_it_took(claim):
        return
    timed = [one for one in records if one.trials]
    quick = [one for one in timed if one.trials[0].total < 900 and one.graph.name != "Gowalla"]
    found = find(claim, [changed(record, trials=record.trials[:2]) for record in quick])
    assert found.verdict == Verdict.OPEN
    told = "no graph has enough trials of all that is compared", "measured as a whole", "was not measured"
    assert found.why.endswith(told[: 3 if CLAIMS[claim][1].test.where.least_vertices else 2])


@pytest.mark.parametrize(
    ("claim", "solver", "factor", "sentence"),
    [
        ("under-five-minutes", "vert-queue", 10, "holds in part: not vert-queue"),
        ("launch-a-level-is-slower", "levels", 0.1, "does not hold"),
        ("stride-of-compacted-is-fastest", "edge", 0.1, "does not hold"),
        ("stride-of-compacted-is-fastest", "vert-comp-virt-stride-const", 0.1, "holds"),
        ("stride-saves-atomics", "edge-comp", 0.1, "holds in part: only on random-10-5 (vert-virt-stride "
         "against edge), Gowalla (vert-virt-stride "),
        ("cpu-for-small-graphs", "seq-array", 1000,
         "does not hold: vert-comp-virt-stride is no slower on any graph"),
        ("cpu-for-small-graphs", "vert-comp-virt-stride", 1000,
         "holds: seq-array is faster up to random-14-5, the largest measured"),
        ("degree-2-reduction-helps", "vert-comp2-virt-stride", 10, "does not hold"),
        ("queues-lose", "vert-queue-comp", 0.1,
         "holds in part: only on random-10-5 (vert against vert-queue), Gowalla (vert against vert-queue)"),
        ("constant-memory-does-not-help", "vert-comp-virt-stride-const", 0.5, "does not hold"),
        ("gpu-prefix-sums-are-pointless", "vert", 1e-7, "does not hold"),
    ],
)  # fmt: skip
def test_verdicts_on_brandes(claim: str, solver: str, factor: float, sentence: str) -> None:
    found = find(claim, slowed(BRANDES, solver, factor))
    assert found.sentence.startswith(sentence)
    assert found.measured


def test_versions_are_ranked_by_their_search_and_the_total_is_quoted_beside_it() -> None:
    """What the uploads contain, such as compaction, turns the order of the totals round."""
    kernels = {"vert-comp-virt-stride": (1.0, 30.0), "vert": (2.0, 3.0)}
    records = [
        measured(
            f"betweenness/{name}", "brandes-variants", "random-10-5",
            [trial(solve + more, kernel=solve / 2, upload=upload) for more in (0.0, 0.001, -0.001)],
        )
        for name, (solve, upload) in kernels.items()
    ]  # fmt: skip
    found = find("stride-of-compacted-is-fastest", records)
    assert found.verdict == Verdict.HOLDS
    by_solve = "random-10-5: fastest of 2 is vert-comp-virt-stride (1.00 ms)"
    by_total = f"random-10-5: fastest of 2 is vert (5.00 ms, {speed(6.2)} than vert-comp-virt-stride)"
    assert found.measured == f"{by_solve}; by total it does not hold: {by_total}"
    assert found.short == by_solve
    assert found.number == "vert-comp-virt-stride on random-10-5"


def test_settings_of_one_solver_are_named_without_it() -> None:
    """The number that decides names the fastest, and how much longer the report's takes."""
    edges = {n: phases(1, *[{4: 3.0, 32: 2.0}.get(n, 5.0)] * 2) for n in (1, 2, 4, 8, 16, 32, 64)}
    records = [
        measured("bellman-ford/multi-edge", "bellman-ford-edges", "dense-256", trials, edges_per_thread=n)
        for n, trials in edges.items()
    ]
    found = find("four-edges-are-best", records)
    assert found.measured == (
        f"dense-256: fastest of 7 is edges_per_thread=32 (2.00 ms, {speed(1.5)} than edges_per_thread=4)"
    )
    assert found.number == f"edges_per_thread=32, {speed(1.5)} on dense-256"


def test_a_ratio_of_totals_may_have_that_of_another_phase_beside_it() -> None:
    """The upload, alike for both, hides in the total what the search gains."""
    records = [
        measured(f"sssp/{name}", "table-2", "random-20-5", phases(8.0, solve, 0.5))
        for name, solve in {"standard": 4.0, "pinned": 2.0}.items()
    ]
    found = find("pinned-is-a-great-boost", records)
    assert found.verdict == Verdict.FAILS
    quoted = f"random-20-5: 1.20{TIMES}; by solve it holds: random-20-5: 2.00{TIMES}"
    assert found.measured == f"{quoted}; by first search it cannot be told: no record of pinned has it"


def test_page_locking_turns_the_order_round() -> None:
    """By what the lock of each trial takes, or that of the last one where a record has no other."""
    times = {"pinned": (6.0, 1.0), "pinned-graph": (3.0, 9.0)}
    old = [
        changed(
            measured(f"sssp/{name}", "transfers", "random-20-5", phases(1.0, solve, 0.5)),
            observed={"allocation_ms": lock},
        )
        for name, (solve, lock) in times.items()
    ]
    new = [
        changed(one, observed={}, trials=[trial.model_copy(update={"lock": lock}) for trial in one.trials])
        for one, (_, lock) in zip(old, times.values(), strict=True)
    ]
    for records in (old, new):
        found = find("mask-gains-most-from-pinning", records)
        assert found.verdict == Verdict.FAILS
        assert "by first search it holds: random-20-5: " in found.measured


def test_prefix_sums_that_save_a_part_of_the_time_are_not_pointless() -> None:
    """They save 0.01 ms: of 1 ms that is too little to tell, of 0.1 ms it is not."""
    for ms, expected in ((1.0, Verdict.HOLDS), (0.1, Verdict.FAILS)):
        records = [
            changed(one, trials=[trial(ms, kernel=ms)] * 3) if one.experiment == "brandes-variants" else one
            for one in BRANDES
        ]
        assert find("gpu-prefix-sums-are-pointless", records).verdict == expected


def test_times_that_cannot_be_told_apart_are_no_gain_somewhere() -> None:
    kernels = {"seq-array": None, "vert-comp-virt-stride": 1.0}
    records = [
        measured(
            f"betweenness/{name}", "brandes-crossover", f"random-{size}-5", [trial(9.0, kernel=kernel)] * 3
        )
        for name, kernel in kernels.items()
        for size in (6, 8)
    ]
    found = find("cpu-for-small-graphs", records)
    assert found.sentence == "does not hold: vert-comp-virt-stride is no slower on any graph"
    records[2] = changed(records[2], trials=[trial(ms, kernel=1.0) for ms in (8.0, 18.0, 20.0)])
    records[0] = changed(records[0], trials=[trial(ms, kernel=None) for ms in (9.0, 10.0, 30.0)])
    found = find("cpu-for-small-graphs", records)
    assert found.sentence == "cannot be told: the spread on random-6-5 is too wide"


def test_a_time_of_too_few_trials_is_not_quoted() -> None:
    few = [
        changed(one, trials=one.trials[:2]) if one.parameters.get("streams") == 0 else one for one in BRANDES
    ]
    assert "without pinned memory" not in find("streams-help-a-little", few).measured


def test_more_streams_and_more_blocks_may_be_slower() -> None:
    records = slowed(BRANDES, "vert", 10, streams=4)
    assert find("streams-help-a-little", records).verdict == Verdict.FAILS
    assert find("streams-help-a-little", records).measured.endswith("1.10 ms without pinned memory")
    records = slowed(BRANDES, "vert-comp-virt-stride", 0.001, blocks=33)
    assert find("fewer-blocks-are-slower", records).verdict == Verdict.FAILS


def test_two_pairs_with_the_same_winner_are_both_judged() -> None:
    records = slowed(BELLMAN_FORD, "incoming", 0.01)
    found = find("edges-beat-vertices", records)
    assert found.verdict == Verdict.IN_PART
    assert found.measured.endswith("faster in 9, slower in 9 of 18")


def searching(records: list[Record], graph: str, share: float, name: str = "-comp") -> list[Record]:
    """Change how much of a graph is left where a solver has compacted it."""
    return [
        changed(one, observed={**one.observed, "searched_vertices": share * one.graph.vertices})
        if one.graph.name == graph and name in one.solver
        else one
        for one in records
    ]


def test_a_reduction_is_judged_where_it_removes_vertices() -> None:
    records = slowed(BRANDES, "vert-comp2-virt-stride", 10, largest=1024)
    assert find("degree-2-reduction-helps", records).verdict == Verdict.IN_PART
    same = searching(records, "random-10-5", 0.7, "comp2")
    found = find("degree-2-reduction-helps", same)
    assert found.verdict == Verdict.HOLDS
    assert "; 86% of the vertices left on Gowalla; by total it holds: Gowalla: " in found.measured
    found = find("degree-2-reduction-helps", searching(same, "Gowalla", 0.7, "comp2"))
    assert found.sentence == "cannot be told: there is nothing to remove from random-10-5, Gowalla"


@pytest.mark.parametrize(
    ("claim", "solver", "factor"),
    [("stride-of-compacted-is-fastest", "vert-comp-virt-stride", 100),
     ("queues-lose", "vert-queue-comp", 0.1), ("stride-saves-atomics", "vert-comp-virt-stride", 100)],
)  # fmt: skip
def test_a_compacted_graph_that_is_the_whole_is_no_case(claim: str, solver: str, factor: float) -> None:
    records = slowed(BRANDES, solver, factor, largest=1024)
    assert find(claim, records).verdict == Verdict.IN_PART
    assert find(claim, searching(records, "random-10-5", 1)).verdict == Verdict.HOLDS


def test_five_minutes_are_for_every_source_and_every_version() -> None:
    records = [record for record in BRANDES if record.problem == "betweenness"]
    some = [changed(record, parameters={"sources": 64}) for record in records]
    assert find("under-five-minutes", some).why == "no graph of that size was measured as a whole"
    without = [record for record in records if not record.solver.endswith("vert-virt")]
    assert find("under-five-minutes", without).sentence == "holds in part: not measured: vert-virt"


@pytest.mark.parametrize(
    ("trials", "factor", "verdict"),
    [
        (1, 0.97, Verdict.HOLDS), (1, 0.99, Verdict.OPEN), (1, 1.03, Verdict.FAILS),
        (5, 0.9, Verdict.HOLDS), (5, 0.99, Verdict.OPEN), (5, 1.01, Verdict.OPEN), (5, 1.1, Verdict.FAILS),
    ],
)  # fmt: skip
def test_the_margin_decides_between_two_long_runs(trials: int, factor: float, verdict: Verdict) -> None:
    names = ("betweenness/vert", "betweenness/levels")
    records = [
        changed(record, trials=record.trials[:trials])
        for record in slowed(BRANDES, "vert", 2 * factor)
        if record.solver in names and record.graph.name == "Gowalla"
    ]
    assert find("launch-a-level-is-slower", records).verdict == verdict


def test_why_nothing_can_be_told_is_said() -> None:
    records = [r for r in bellman_ford("h200", gpu=True, sizes=[256]) if r.solver != "bellman-ford/outgoing"]
    assert find("incoming-beats-outgoing", records).why == "outgoing was not measured"
    reason, asked = "predicted 99 s a trial", {"experiment": "bellman-ford-direction", "backend": "cuda"}
    failed = without_answer("bellman-ford/outgoing", "dense-256", "skipped", reason, **asked)
    why = find("incoming-beats-outgoing", [*records, failed]).why
    assert why == f"outgoing on dense-256: {reason}"


def test_a_spread_that_overlaps_everywhere_leaves_it_open() -> None:
    records = []
    for name, fastest in (("pinned", 1.0), ("dense", 2.0)):
        trials = [trial(1.0, kernel=1.0, upload=fastest + more) for more in range(5)]
        records.append(measured(f"bellman-ford/{name}", "bellman-ford-transfer", "dense-256", trials))
    assert find("pinned-copies-faster", records).sentence == "cannot be told: within run-to-run noise"


def test_other_graphs_of_the_same_name_are_not_compared() -> None:
    records = [
        changed(r, graph=r.graph.model_copy(update={"sha256": "f" * 64}))
        if r.solver == "bellman-ford/pinned"
        else r
        for r in BELLMAN_FORD
    ]
    found = find("pinned-copies-faster", records)
    assert found.sentence == "cannot be told: dense on dense-256 is of another graph than pinned"
    commit = records[0].software.model_copy(update={"git_commit": "9" * 40})
    records = [changed(r, software=commit) if r.solver == "bellman-ford/pinned" else r for r in BELLMAN_FORD]
    assert find("pinned-copies-faster", records).why == "dense on dense-256 is of another commit than pinned"


def test_two_records_of_one_thing_are_refused() -> None:
    records = bellman_ford("h200", gpu=True, sizes=[256])
    with pytest.raises(OneLineError, match="two records of pinned on dense-256"):
        find("pinned-copies-faster", records * 2)


FOR, NEITHER, AGAINST, UNCLEAR = Speaks
CONTRARY = {FOR: AGAINST, NEITHER: NEITHER, AGAINST: FOR}


def weighed(sides: Collection[Speaks], least: float = 1.0) -> st.SearchStrategy[list[Weighed]]:
    works, assurances = st.sampled_from([9, 1024, 10**6]), st.floats(least, 9)
    return st.lists(st.builds(Weighed, st.sampled_from([*sides]), works, assurances), min_size=1)


@given(weighed(CONTRARY))
def test_a_verdict_turned_round(judged: list[Weighed]) -> None:
    found, contrary = verdict(judged), verdict([one._replace(speaks=CONTRARY[one.speaks]) for one in judged])
    if found == Verdict.HOLDS:
        assert contrary == Verdict.FAILS
        largest = max(one.work for one in judged)
        sides = {one.speaks for one in judged if one.work == largest}
        assert FOR in sides
        assert AGAINST not in sides
    assert (
        (found == Verdict.OPEN) == (contrary == Verdict.OPEN) == ({one.speaks for one in judged} == {NEITHER})
    )
    assert found == verdict(judged[::-1])


SMALL, MIDDLE, LARGE = 9, 1024, 200_000


def with_unclear(judged: list[Weighed], side: Speaks) -> list[Weighed]:
    return [one._replace(speaks=side) if one.speaks is UNCLEAR else one for one in judged]


@given(weighed(Speaks))
def test_what_holds_does_so_whatever_wide_spreads_hide(judged: list[Weighed]) -> None:
    found = verdict(judged)
    left_out, against, in_favour = (verdict(with_unclear(judged, s)) for s in (NEITHER, AGAINST, FOR))
    assert (found == Verdict.HOLDS) == (left_out == against == Verdict.HOLDS)
    assert found in (left_out, Verdict.OPEN)
    if found == Verdict.FAILS:
        assert in_favour in (Verdict.FAILS, Verdict.IN_PART)
    if left_out == Verdict.IN_PART:
        assert found == left_out


@given(weighed(Speaks, least=1.01))
def test_a_verdict_stands_until_the_margin_that_it_names(judged: list[Weighed]) -> None:
    """Another way: with margins of so many times the width, what is less assured is a tie for its spread."""

    def at(width: float) -> Verdict:
        wide = {one: one.speaks in (FOR, AGAINST) and one.assurance <= width for one in judged}
        return verdict([one._replace(speaks=UNCLEAR) if wide[one] else one for one in judged])

    assert at(1.0) == verdict(judged)
    end = stands_to(judged)
    assert all(at(one.assurance) == verdict(judged) for one in judged if one.assurance < end)
    if end < inf:
        assert at(end) != verdict(judged)


@pytest.mark.long
@pytest.mark.parametrize("claim", JUDGED)
def test_a_finding_stands_until_margins_are_as_wide_as_it_says(
    claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, margin_of = RECORDS[CLAIMS[claim][0].key], Margins.of
    found = find(claim, records)

    def verdict_with(width: float) -> Verdict:
        monkeypatch.setattr(Margins, "of", lambda *work: margin_of(*work) * width)
        return find(claim, records).verdict

    if found.stands_to < inf:
        assert verdict_with(0.999 * found.stands_to) == found.verdict != verdict_with(1.001 * found.stands_to)


@pytest.mark.parametrize(
    ("judged", "expected"),
    [
        ([(UNCLEAR, LARGE), (FOR, LARGE + 1)], Verdict.OPEN),
        ([(UNCLEAR, SMALL), (FOR, LARGE), (FOR, LARGE)], Verdict.HOLDS),  # 9 % of the weight
        ([(UNCLEAR, MIDDLE), (AGAINST, LARGE)], Verdict.FAILS),
        ([(AGAINST, MIDDLE), (UNCLEAR, LARGE)], Verdict.OPEN),
        ([(UNCLEAR, LARGE), (FOR, MIDDLE)], Verdict.IN_PART),
        ([(UNCLEAR, LARGE)], Verdict.OPEN),
        ([(FOR, LARGE)], Verdict.HOLDS),
        ([(AGAINST, SMALL), (FOR, MIDDLE), (FOR, LARGE), (FOR, LARGE)], Verdict.HOLDS),  # 7 % of the weight
        ([(AGAINST, SMALL), (FOR, LARGE)], Verdict.IN_PART),  # 16 %
        ([(AGAINST, MIDDLE), (FOR, LARGE), (FOR, LARGE), (FOR, LARGE)], Verdict.IN_PART),  # 16 %
        ([(FOR, SMALL), (FOR, MIDDLE), (NEITHER, LARGE)], Verdict.IN_PART),  # a tie on the largest
        ([(FOR, MIDDLE), (FOR, MIDDLE), (AGAINST, LARGE)], Verdict.IN_PART),
        (
            [(NEITHER, SMALL), (NEITHER, SMALL), (FOR, LARGE)],
            Verdict.HOLDS,
        ),  # 2 of 3 tie, with less than half the weight
        ([(NEITHER, MIDDLE), (NEITHER, MIDDLE), (FOR, LARGE)], Verdict.IN_PART),
        ([(FOR, LARGE), (NEITHER, LARGE)], Verdict.IN_PART),
        ([(AGAINST, SMALL), (FOR, MIDDLE), (FOR, LARGE)], Verdict.IN_PART),  # 11 %
        ([(FOR, MIDDLE)] * 3 + [(NEITHER, LARGE)], Verdict.IN_PART),  # 63 %, but the largest is a tie
        ([(FOR, MIDDLE)] * 4 + [(FOR, LARGE), (NEITHER, LARGE)], Verdict.IN_PART),  # half of the largest is
        (
            [(FOR, LARGE)] * 11 + [(AGAINST, LARGE)],
            Verdict.IN_PART,
        ),  # one of twelve of the largest contradicts
        ([(FOR, SMALL), (AGAINST, MIDDLE), (AGAINST, LARGE), (AGAINST, LARGE)], Verdict.FAILS),
        ([(NEITHER, LARGE), (AGAINST, SMALL)], Verdict.FAILS),
        ([(NEITHER, LARGE), (NEITHER, SMALL)], Verdict.OPEN),
    ],
)
def test_graphs_weigh_by_size_and_the_largest_must_agree(
    judged: list[tuple[Speaks, int]], expected: Verdict
) -> None:
    assert verdict([Weighed(*one) for one in judged]) == expected


def test_a_wide_spread_may_hide_a_contradiction() -> None:
    """Of a wide spread, even medians that are the same tell nothing."""

    def searches(on_new_york: tuple[float, ...]) -> list[Record]:
        times = {("bsp", "NY"): on_new_york, ("dijkstra-heap", "NY"): (5.0, 10.0, 15.0)}
        times |= {("bsp", "NW"): (9.0,) * 3, ("dijkstra-heap", "NW"): (20.0,) * 3}
        return [
            measured(
                f"sssp/{name}", "table-3.5", graph, [trial(ms, 1.0 if name == "bsp" else None) for ms in some]
            )
            for (name, graph), some in times.items()
        ]

    told = "cannot be told: the spread on NY is too wide"
    assert find("sssp-is-efficient", searches((6.0, 9.0, 14.0))).sentence == told
    assert find("sssp-is-efficient", searches((6.0, 11.0, 14.0))).sentence == told
    assert find("sssp-is-efficient", searches((6.0, 10.1, 14.0))).sentence == told
    assert find("sssp-is-efficient", searches((1.0, 2.0, 3.0))).sentence == "holds"


def test_a_slight_contradiction_is_named() -> None:
    found = find("pinned-copies-faster", slowed(BELLMAN_FORD, "pinned", 10, largest=256))
    assert found.sentence == "holds: but not on dense-256"


@pytest.mark.parametrize(
    ("times", "kernel", "effect", "reason"),
    [((5.0, 5.1, 5.2), 4.0, "holds", "holds"),
     ((9.8, 10.2, 10.4), 4.0, *["cannot be told: within run-to-run noise"] * 2),
     ((20.0, 20.1, 20.2), 4.0, "does not hold", "does not hold"),
     ((8.0, 8.1, 8.2), 1.0, "holds", "does not hold"),
     ((20.0, 20.1, 20.2), 19.5, "does not hold", "holds")],
)  # fmt: skip
def test_a_reason_is_judged_apart_from_its_effect(
    times: tuple[float, ...], kernel: float, effect: str, reason: str
) -> None:
    records = [
        measured(f"sssp/{name}", "table-2", "random-19-50", [trial(ms, kernel=known) for ms in some])
        for name, some, known in (("standard", (10.0, 10.1, 10.2), 4.0), ("pinned", times, kernel))
    ]
    assert find("pinned-is-faster-50", records).sentence == effect
    assert find("pinned-is-faster-5", records).why == "pinned was not measured"
    assert find("pinned-copies-the-mask-faster", records).sentence == reason


def test_five_minutes_are_those_of_the_total() -> None:
    """Of one graph of two."""
    long = [trial(10.0, kernel=1.0, upload=ms) for ms in (4e5, 4e5, 4.1e5)]
    records = [
        changed(one, trials=long) if (one.solver, one.graph.name) == ("betweenness/vert", "Gowalla") else one
        for one in BRANDES
    ]
    records.append(measured("betweenness/vert", "brandes-variants", "NY", [trial(10.0, kernel=1.0)] * 3))
    assert find("under-five-minutes", records).sentence == "holds in part: not vert"


def test_the_fastest_has_the_least_median() -> None:
    names = {"vert-comp-virt-stride": (8.0, 8.0, 10.0, 10.0, 10.0), "vert": (9.0, 9.0, 9.9, 9.9, 9.9)}
    records = [
        measured(
            f"betweenness/{name}", "brandes-variants", "random-10-5", [trial(ms, kernel=1.0) for ms in times]
        )
        for name, times in names.items()
    ]
    found = find("stride-of-compacted-is-fastest", records)
    assert found.measured.startswith(
        f"random-10-5: fastest of 2 is vert (9.90 ms, {speed(1.01)} than vert-comp-virt-stride"
    )
    assert found.verdict == Verdict.OPEN


def test_a_claim_on_random_graphs_counts_those_of_its_density() -> None:
    found = find("zero-copy-is-faster-5", sweep("h200", gpu=True))
    assert found.verdict == Verdict.HOLDS
    assert found.measured.endswith("faster in 14, slower in 0 of 14")
    assert find("pinned-is-faster-5", sweep("h200", gpu=True)).verdict == Verdict.OPEN


@pytest.mark.parametrize("report", FABRICATED)
def test_a_row_for_each_claim_and_a_column_for_each_machine(report: str) -> None:
    records = [*RECORDS[report], *FABRICATED[report]("local", gpu=False)]
    found, own = frame(records, report)
    page = verdicts.page(own, found)
    assert list(page.tables[0].groups) == ["", "h200", "local"]
    assert [row.label for row in page.tables[0].rows] == list(own.claims)
    for form in ("md", "html"):
        text = render(page, form)
        assert "cannot be told" in text
        assert "NVIDIA H200" in text
    tidy = verdicts.tidy(own, found)
    assert len(tidy) == 2 * len(own.claims)
    judged = tidy[(tidy["machine"] == "h200") & (tidy["rule"] != "")]
    denied = judged["claim"].isin(DENIED)
    assert set(judged[~denied]["verdict"]) == {"holds"}
    assert set(judged[denied]["verdict"]) <= {"does not hold"}


def test_rules_are_made_of_what_is_judged() -> None:
    rules = {name: claim.rule for name, (_, claim) in CLAIMS.items()}
    assert rules["pinned-copies-faster"].startswith("upload of pinned against dense; borne out where")
    assert "n = 2, 4, 8, 16, 32 and 64" in rules["coalesced-is-faster"]
    assert find("coalesced-is-faster", BELLMAN_FORD).measured.endswith("faster in 54, slower in 0 of 54")
    assert rules["stride-of-compacted-is-fastest"].startswith("solve of vert-comp-virt-stride against vert,")
    assert rules["stride-of-compacted-is-fastest"].endswith("; total is quoted beside it")
    assert "40% to 60%" in rules["transfer-almost-half"]
    assert "at least 196,591 vertices, with all vertices as sources" in rules["under-five-minutes"]
    assert rules["csr-saves-storage"] == (
        "bit_matrix_bytes of queue over csr_bytes of the same, on graphs of at least 1,000 vertices; "
        "borne out where it is at least 10"
    )
    assert rules["one-hub-is-as-bad-as-all"] == (
        "kernel of standard on hub-{k}-5 over kernel of the same on random-10-1023 and random-12-4095, "
        "k = 10 and 12; borne out where it is at least 0.9"
    )
    assert (
        " over components of generate/tree-first-reallocating on those of the same names; borne out "
        in (rules["random-degree-is-not-connected"])
    )
    assert rules["random-degree-is-not-connected"].endswith("is at least 2; one graph is enough")
    assert rules["versions-differ-dramatically"].startswith(
        "kernel of the slowest over that of the fastest of"
    )
    assert rules["bfs-takes-the-diameter"].startswith("iterations of bfs/bsp over iterations of bfs/queue;")
    assert rules["bfs-gains-with-size"].startswith("total of bfs/queue over that of bfs/bsp; borne out")
    assert rules["paths-are-traced-back"].endswith("; holds if all are verified, and their predecessors too")
    assert rules["second-mask-is-needed"] == "answers of sssp/standard; does not hold if one is verified"
    for name, (_, claim) in CLAIMS.items():
        assert bool(rules[name]) != bool(claim.missing or claim.refuted), name


def test_without_records_the_claims_stand_alone() -> None:
    unclaimed = measured("bellman-ford/sequential", "mine", "random-12-5", [trial(1.0)])
    found, own = frame([unclaimed], "an-bellman-ford")
    page = verdicts.page(own, found)
    assert "No machine here has measured any of it." in page.remarks
    assert len(page.tables[0].rows) == len(own.claims)
    assert verdicts.tidy(own, found).empty
