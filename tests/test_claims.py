"""What reports say in words: each claim is judged from records, and nothing that was not timed counts."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricated import without_answer
from fabricated_claims import bellman_ford, brandes, dense_graph, gowalla
from retrace.claims import table
from retrace.claims.published import Claim, read_claims
from retrace.claims.reports import REPORTS
from retrace.claims.verdicts import Finding, Verdict, verdict
from retrace.publish.page import render
from retrace.records.model import Record, write_records
from retrace.system.errors import RetraceError

ROOT = Path(__file__).parents[1]
FABRICATED = {"an-bellman-ford": bellman_ford, "domitrz-brandes": brandes}


def published(report: str) -> Path:
    return ROOT / "results/published" / f"{report}.csv"


CLAIMS = {claim.claim: claim for report in REPORTS for claim in read_claims(published(report))}
BELLMAN_FORD = [claim for claim in CLAIMS.values() if claim.report == "an-bellman-ford"]
MEASURED = [claim for claim in CLAIMS.values() if claim.experiment]


def find(claim: str, records: list[Record], machine: str = "h200") -> Finding:
    return table.find(CLAIMS[claim], machine, records)


def slowed(
    records: list[Record], solver: str, factor: float, largest: int = 10**9, **settings: int
) -> list[Record]:
    """Multiply all times of a solver, on graphs up to a size."""

    def slow(record: Record) -> Record:
        if (
            record.solver.split("/")[1] != solver
            or record.graph["vertices"] > largest
            or any(record.parameters.get(key) != value for key, value in settings.items())
        ):
            return record
        trials = [{key: time and time * factor for key, time in trial.items()} for trial in record.trials]
        return replace(record, trials=trials)  # type: ignore[arg-type]

    return [slow(record) for record in records]


@pytest.mark.parametrize("report", REPORTS)
def test_every_claim_has_its_judge_and_its_experiment(report: str) -> None:
    claims = read_claims(published(report))
    assert {claim.report for claim in claims} == {report}
    assert {claim.claim for claim in claims if claim.experiment} == set(table.JUDGES[report])
    assert {claim.experiment for claim in claims} - {""} <= set(REPORTS[report].experiments)


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.claim)
def test_a_claim_that_the_records_bear_out_holds(claim: Claim) -> None:
    found = table.find(claim, "h200", FABRICATED[claim.report]("h200", gpu=True))
    assert found.verdict == Verdict.HOLDS
    assert found.measured


@pytest.mark.parametrize(
    ("claim", "solver", "factor", "settings"),
    [
        ("streams-hide-transfer", "streams", 2, {"parts": 2}),
        ("many-parts-do-not-pay", "streams", 0.1, {"parts": 32}),
        ("pinned-copies-faster", "pinned", 10, {}),
        ("pinned-gains-with-size", "pinned", 10, {}),
        ("coalesced-is-faster", "multi-edge", 10, {}),
        ("four-edges-are-best", "multi-edge", 0.1, {"edges_per_thread": 1}),
        ("many-edges-are-slower", "multi-edge", 0.1, {"edges_per_thread": 64}),
        ("edges-beat-vertices", "dense", 100, {}),
        ("incoming-beats-outgoing", "incoming", 100, {}),
    ],
)
def test_a_claim_that_the_records_contradict_does_not_hold(
    claim: str, solver: str, factor: float, settings: dict[str, int]
) -> None:
    found = find(claim, slowed(bellman_ford("h200", gpu=True), solver, factor, **settings))
    assert found.verdict == (Verdict.IN_PART if solver == "streams" else Verdict.FAILS)
    small = find(claim, slowed(bellman_ford("h200", gpu=True), solver, factor, 512, **settings))
    assert small.verdict == Verdict.IN_PART


def test_where_a_claim_holds_in_part_is_said() -> None:
    found = find("pinned-copies-faster", slowed(bellman_ford("h200", gpu=True), "pinned", 10, largest=8192))
    assert found.sentence == "holds in part: only on dense-12288, dense-16384, dense-20480"
    assert found.measured.startswith(
        "dense-20480: 191 ms (pinned), 419 ms (dense), 2.20\N{MULTIPLICATION SIGN};"
    )
    assert found.measured.endswith("faster in 3, slower in 6 of 9")


@pytest.mark.parametrize(
    ("upload", "sentence"),
    [
        ([0.45] * 3, "holds"),
        ([0.2] * 3, "does not hold: it is less"),
        ([0.9] * 3, "does not hold: it is more"),
        ([0.25, 0.5, 0.75], "cannot be told: the spread, 38% to 62%, is too wide"),
    ],
)
def test_almost_half_is_neither_less_nor_more(upload: list[float], sentence: str) -> None:
    (record,) = [
        record
        for record in bellman_ford("h200", gpu=True, sizes=[1024])
        if record.solver == "bellman-ford/dense" and record.experiment == "bellman-ford-transfer"
    ]
    trials = [
        {**record.trials[0], "upload": share, "solve": 1 - share, "download": 0.0, "total": 1.0}
        for share in upload
    ]
    found = find("transfer-almost-half", [replace(record, trials=trials)])  # type: ignore[arg-type]
    assert found.sentence == sentence
    assert "on dense-1024" in found.measured


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.claim)
def test_without_a_gpu_nothing_can_be_told(claim: Claim) -> None:
    fabricate = FABRICATED[claim.report]
    emulated = [replace(record, backend="emulator") for record in fabricate("local", gpu=True)]
    for records in (fabricate("local", gpu=False), emulated):
        assert table.find(claim, "local", records) == Finding(Verdict.OPEN, why="no times on a GPU")


@pytest.mark.parametrize("claim", MEASURED, ids=lambda claim: claim.claim)
def test_no_verdict_from_answers_that_differ_or_too_few_trials(claim: Claim) -> None:
    records = FABRICATED[claim.report]("h200", gpu=True)
    wrong = [replace(record, verified=False, reason="vertex 3: 4, expected 5") for record in records]
    assert table.find(claim, "h200", wrong).verdict == Verdict.OPEN
    few = [replace(record, trials=record.trials[:2]) for record in records if _quick(record)]
    found = table.find(claim, "h200", few)
    assert found.verdict == Verdict.OPEN
    assert found.why.endswith(("no graph has enough trials of all that is compared", "measured as a whole"))


def _quick(record: Record) -> bool:
    return record.trials[0]["total"] < 900 and record.graph["name"] != "Gowalla"


@pytest.mark.parametrize(
    ("claim", "solver", "factor", "sentence"),
    [
        ("under-five-minutes", "vert-queue", 10, "holds in part: not vert-queue"),
        ("launch-a-level-is-slower", "levels", 0.1, "does not hold"),
        ("stride-of-compacted-is-fastest", "edge", 0.1, "does not hold"),
        ("stride-of-compacted-is-fastest", "vert-comp-virt-stride-const", 0.1, "holds"),
        (
            "stride-saves-atomics",
            "edge-comp",
            0.1,
            "holds in part: only on random-10-5 (vert-virt-stride against edge), Gowalla (vert-virt-stride ",
        ),
        ("cpu-for-small-graphs", "seq-array", 1000, "does not hold: the GPU is no slower on any graph"),
        (
            "cpu-for-small-graphs",
            "vert-comp-virt-stride",
            1000,
            "holds: the CPU is faster up to random-14-5, the largest measured",
        ),
        ("degree-2-reduction-helps", "vert-comp2-virt-stride", 10, "does not hold"),
        (
            "queues-lose",
            "vert-queue-comp",
            0.1,
            "holds in part: only on random-10-5 (vert against vert-queue), Gowalla (vert against vert-queue)",
        ),
        ("constant-memory-does-not-help", "vert-comp-virt-stride-const", 0.5, "does not hold"),
        ("gpu-prefix-sums-are-pointless", "vert", 1e-7, "does not hold"),
    ],
)
def test_verdicts_on_brandes(claim: str, solver: str, factor: float, sentence: str) -> None:
    found = find(claim, slowed(brandes("h200", gpu=True), solver, factor))
    assert found.sentence.startswith(sentence)
    assert found.measured


def test_more_streams_and_more_blocks_may_be_slower() -> None:
    records = slowed(brandes("h200", gpu=True), "vert", 10, streams=4)
    assert find("streams-help-a-little", records).verdict == Verdict.FAILS
    assert find("streams-help-a-little", records).measured.endswith("1.10 ms without pinned memory")
    records = slowed(brandes("h200", gpu=True), "vert-comp-virt-stride", 0.001, blocks=1)
    assert find("fewer-blocks-are-slower", records).verdict == Verdict.FAILS


def test_two_pairs_with_the_same_winner_are_both_judged() -> None:
    records = slowed(bellman_ford("h200", gpu=True), "incoming", 0.01)
    found = find("edges-beat-vertices", records)
    assert found.verdict == Verdict.IN_PART
    assert found.measured.endswith("faster in 9, slower in 9 of 18")


def searching(records: list[Record], graph: str, share: float, name: str = "-comp") -> list[Record]:
    """Change how much of a graph is left where a solver has compacted it."""
    return [
        replace(one, observed={**one.observed, "searched_vertices": share * one.graph["vertices"]})
        if one.graph["name"] == graph and name in one.solver
        else one
        for one in records
    ]


def test_a_reduction_is_judged_where_it_removes_vertices() -> None:
    records = slowed(brandes("h200", gpu=True), "vert-comp2-virt-stride", 10, largest=1024)
    assert find("degree-2-reduction-helps", records).verdict == Verdict.IN_PART
    same = searching(records, "random-10-5", 0.7, "comp2")
    found = find("degree-2-reduction-helps", same)
    assert found.verdict == Verdict.HOLDS
    assert found.measured.endswith("86% of the vertices left on Gowalla")
    found = find("degree-2-reduction-helps", searching(same, "Gowalla", 0.7, "comp2"))
    assert found.sentence == "cannot be told: there is nothing to remove from random-10-5, Gowalla"


@pytest.mark.parametrize(
    ("claim", "solver", "factor"),
    [
        ("stride-of-compacted-is-fastest", "vert-comp-virt-stride", 100),
        ("queues-lose", "vert-queue-comp", 0.1),
        ("stride-saves-atomics", "vert-comp-virt-stride", 100),
    ],
)
def test_a_compacted_graph_that_is_the_whole_is_no_case(claim: str, solver: str, factor: float) -> None:
    records = slowed(brandes("h200", gpu=True), solver, factor, largest=1024)
    assert find(claim, records).verdict == Verdict.IN_PART
    assert find(claim, searching(records, "random-10-5", 1)).verdict == Verdict.HOLDS


def test_five_minutes_are_for_every_source_and_every_version() -> None:
    records = brandes("h200", gpu=True)
    some = [replace(record, parameters={"sources": 64}) for record in records]
    assert find("under-five-minutes", some).why == "no graph of that size was measured as a whole"
    without = [record for record in records if not record.solver.endswith("vert-virt")]
    assert find("under-five-minutes", without).sentence == "holds in part: not measured: vert-virt"


@pytest.mark.parametrize(
    ("factor", "verdict"), [(0.8, Verdict.HOLDS), (0.97, Verdict.OPEN), (1.3, Verdict.FAILS)]
)
def test_of_two_long_runs_a_margin_decides(factor: float, verdict: Verdict) -> None:
    names = ("betweenness/vert", "betweenness/levels")
    records = [
        replace(record, trials=record.trials[:1])
        for record in slowed(brandes("h200", gpu=True), "vert", 2 * factor)
        if record.solver in names and record.graph["sha256"] == gowalla()["sha256"]
    ]
    assert find("launch-a-level-is-slower", records).verdict == verdict


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(0.97, Verdict.HOLDS), (0.99, Verdict.OPEN), (1.01, Verdict.OPEN), (1.03, Verdict.FAILS)],
)
def test_the_same_work_differs_a_little(factor: float, verdict: Verdict) -> None:
    names = ("betweenness/vert", "betweenness/levels")
    records = [
        record
        for record in slowed(brandes("h200", gpu=True), "vert", 2 * factor)
        if record.solver in names and record.graph["sha256"] == gowalla()["sha256"]
    ]
    assert find("launch-a-level-is-slower", records).verdict == verdict


def test_why_nothing_can_be_told_is_said() -> None:
    records = [r for r in bellman_ford("h200", gpu=True, sizes=[256]) if r.solver != "bellman-ford/outgoing"]
    assert find("incoming-beats-outgoing", records).why == "outgoing was not measured"
    failed = without_answer(
        "bellman-ford/outgoing",
        dense_graph(256),
        "skipped",
        "predicted 99 s a trial, budget_s is 30",
        experiment="bellman-ford-direction",
        backend="cuda",
    )
    why = find("incoming-beats-outgoing", [*records, failed]).why
    assert why == "outgoing on dense-256: predicted 99 s a trial, budget_s is 30"


def test_a_spread_that_overlaps_everywhere_leaves_it_open() -> None:
    records = [
        replace(
            record, trials=[{**trial, "upload": ms} for trial, ms in zip(record.trials, times, strict=True)]
        )  # type: ignore[list-item]
        for record in bellman_ford("h200", gpu=True)
        for times in ([1, 2, 3, 4, 5] if record.solver.endswith("pinned") else [2, 3, 4, 5, 6],)
    ]
    found = find("pinned-copies-faster", records)
    assert found.sentence == "cannot be told: no two times can be told apart"


def test_other_graphs_of_the_same_name_are_not_compared() -> None:
    records = [
        replace(r, graph=dense_graph(r.graph["vertices"], sha256="f" * 64))
        if r.solver == "bellman-ford/pinned"
        else r
        for r in bellman_ford("h200", gpu=True)
    ]
    assert find("pinned-copies-faster", records).verdict == Verdict.OPEN


def test_two_records_of_one_thing_are_refused() -> None:
    records = bellman_ford("h200", gpu=True, sizes=[256])
    with pytest.raises(RetraceError, match="two records of pinned on dense-256 from h200; give one"):
        find("pinned-copies-faster", records * 2)


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1))
def test_a_verdict_turned_round(orders: list[int]) -> None:
    found, contrary = verdict(orders), verdict([-order for order in orders])
    if found == Verdict.HOLDS:
        assert contrary == Verdict.FAILS
        assert 2 * orders.count(-1) > len(orders)
    assert (found == Verdict.OPEN) == (contrary == Verdict.OPEN) == (set(orders) == {0})
    assert found == verdict(orders[::-1])


@pytest.mark.parametrize("report", REPORTS)
def test_a_row_for_each_claim_and_a_column_for_each_machine(report: str) -> None:
    claims = read_claims(published(report))
    records = FABRICATED[report]("h200", gpu=True) + FABRICATED[report]("local", gpu=False)
    page = table.page(claims, records)
    assert [group.heading for group in page.tables[0].groups] == ["", "h200", "local"]
    assert [row.label for row in page.tables[0].rows] == [claim.claim for claim in claims]
    for form in ("md", "html"):
        text = render(page, form)
        assert "cannot be told" in text
        assert "NVIDIA H200" in text
    tidy = table.tidy(claims, records)
    assert len(tidy) == 2 * len(claims)
    assert set(tidy["verdict"]) <= {str(verdict) for verdict in Verdict}
    assert (tidy[tidy["machine"] == "local"]["verdict"] == str(Verdict.OPEN)).all()


def test_a_claim_that_nothing_measures_is_left_open() -> None:
    claim = replace(CLAIMS["queues-lose"], experiment="")
    assert table.find(claim, "h200", brandes("h200", gpu=True)).why == "nothing here measures it"
    assert "nothing here measures it" in render(
        table.page([*BELLMAN_FORD, claim], bellman_ford("h200", True)), "md"
    )


def test_without_records_the_claims_stand_alone() -> None:
    page = table.page(BELLMAN_FORD, [])
    assert "No machine here has measured any of it." in page.remarks
    assert len(page.tables[0].rows) == len(BELLMAN_FORD)
    assert table.tidy(BELLMAN_FORD, []).empty


@pytest.mark.parametrize(
    ("found", "put", "told"),
    [
        ("report,section", "origin,section", "Additional properties"),
        ("transfer-almost-half", "Transfer", "claim: 'Transfer' does not match"),
        ("streams-hide-transfer", "transfer-almost-half", "transfer-almost-half stands here twice"),
        (",bellman-ford-transfer\n", "\n", "expected as many cells as the heading has"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, found: str, put: str, told: str) -> None:
    path = tmp_path / "claims.csv"
    path.write_text(published("an-bellman-ford").read_text().replace(found, put, 1))
    with pytest.raises(RetraceError, match=rf"claims\.csv:[23]: .*{told}") as error:
        read_claims(path)
    assert "\n" not in str(error.value)


def test_the_command(tmp_path: Path) -> None:
    records = [record for record in bellman_ford("h200", gpu=True, sizes=[256, 512]) if not record.parameters]
    write_records(tmp_path / "h200.jsonl", records)
    command = [sys.executable, str(ROOT / "scripts/make_claims.py")]
    command += ["--claims", str(published("an-bellman-ford")), "--records", str(tmp_path / "h200.jsonl")]
    subprocess.run([*command, "--output-prefix", str(tmp_path / "tables/claims")], check=True)
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        "claims.csv",
        "claims.html",
        "claims.md",
    ]
