"""Sources that are drawn: each trial has another, the same for every solver, and each is asked once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Call, Patch, refused
from cuda_on_cpu.device import EmulatedDevice
from fabricated import changed, drawn, record
from graphs import NAMED, graph, identified
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.check import oracles
from retrace.check.oracles import Oracle
from retrace.check.result import CheckResult, digest
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Draw, Query
from retrace.measure import trials as trials_module
from retrace.measure.experiment import MeasuringJob, as_record
from retrace.measure.trials import Effort, Measurement
from retrace.records.machine_check import doubtful_trials, find_errors
from retrace.records.record import Trial, digest_of_all, read_records, write_records
from retrace.solvers import REGISTRY, Solver, make
from retrace.stages.measure_experiment import MeasureExperiment
from solving import measure, solved
from test_kept_trials import Job, stop

GRID = identified(NAMED["grid"], "grid", source=0)
ON_EMULATOR = ("emulator", EmulatedDevice)
STAR = graph(9, [(u, 8, 1) for u in range(4)] + [(3, 4, 2)])
"""Of its nine vertices 0 to 3 have arcs."""


def questions(trials: list[Trial]) -> list[tuple[int | None, int | None]]:
    return [(trial.source, trial.target) for trial in trials]


def search(*solvers: str, sources: int = 5, of: CSRGraph = GRID, budget_s: float = 60) -> list[Measurement]:
    effort = Effort(trials=1, budget_s=budget_s, setups=0)
    return measure("fast", of, solvers, effort, ON_EMULATOR, sources, seed=3)


@pytest.fixture
def temporary() -> Iterator[Callable[[type[Solver]], None]]:
    """Register solvers for one test."""
    before, known = dict(REGISTRY.solvers), dict(CATALOGUE.added)
    yield REGISTRY.add
    REGISTRY.solvers.clear()
    REGISTRY.solvers.update(before)
    CATALOGUE.added = known


def test_sources_have_arcs_and_an_order_of_the_seed() -> None:
    drawn_by = {seed: [one.source for one in Draw(9, seed).queries(STAR)] for seed in range(20)}
    assert all(sorted(sources) == [0, 1, 2, 3] for sources in drawn_by.values())
    assert len({tuple(sources) for sources in drawn_by.values()}) > 5
    fewer = [(one.source, one.number) for one in Draw(3, 7).queries(STAR)]
    assert fewer == [(source, number) for number, source in enumerate(drawn_by[7][:3])]
    assert [one.source for one in Draw(4, 20261121).queries(GRID)] == [11, 190, 97, 108]  # on every machine


def test_pairs_are_of_few_sources_and_each_is_another() -> None:
    pairs = [(one.source, one.target) for one in Draw(64, 1, "stcon").queries(GRID)]
    sources, targets = ({ends[i] for ends in pairs} for i in (0, 1))
    assert len(set(pairs)) == 64
    assert (len(sources), len(targets), sources & targets) == (8, 8, set())
    for begin in range(0, 64, 8):
        part = pairs[begin : begin + 8]
        assert [{ends[i] for ends in part} for i in (0, 1)] == [sources, targets]
    assert len(Draw(64, 1, "stcon").queries(STAR)) == 4


@pytest.mark.parametrize(("of_pairs", "arcs"), [(False, []), (True, []), (True, [(0, 1, 1)])])
def test_a_graph_without_arcs_has_no_sources(of_pairs: bool, arcs: list[tuple[int, int, int]]) -> None:
    told = refused(Draw(4, 1, "stcon" if of_pairs else "sssp").queries, graph(3, arcs))
    assert f"{len(arcs)} vertices have outgoing arcs, expected at least {1 + of_pairs}" in told


def test_every_solver_searches_from_the_same_sources() -> None:
    expected = [(one.source, None) for one in Draw(5, 3).queries(GRID)]
    for case in search("bfs/queue", "bfs/scipy", "bfs/bsp"):
        assert questions(case.trials) == expected
        assert case.result is not None
        assert case.result.verified
        for trial in case.trials:
            assert trial.source is not None
            answer = solved("bfs/queue", GRID, Query(trial.source)).download()
            assert str(trial.digest) == digest(answer)[:16]
            assert (trial.iterations is None) == (case.request.solver == "bfs/scipy")
        assert case.digest == digest_of_all(case.trials)


class ForTheFirst(Solver):
    """Answers whatever is asked as it answered the first question."""

    name = "bfs/for-the-first"
    implements = "a test"

    def setup(self, graph: CSRGraph) -> None:
        self.inner = make("bfs/queue")
        self.inner.setup(graph)
        self.asked: list[Query] = []

    def solve(self, query: Query) -> int | None:
        self.asked.append(query)
        return self.inner.solve(self.asked[0])

    def download(self) -> Int32Array:
        answer: Int32Array = self.inner.download()
        return answer


def test_an_answer_to_another_source_is_found(temporary: Callable[[type[Solver]], None]) -> None:
    temporary(ForTheFirst)
    (case,) = search("bfs/for-the-first")
    first, second = (one.source for one in Draw(2, 3).queries(GRID))
    assert case.result is not None
    assert not case.result.verified
    assert case.reason is not None
    assert re.fullmatch(f"trial 2: vertex {second}, the source, has [0-9]+ instead of 0", case.reason)
    assert questions(case.trials) == [(first, None), (second, None)]


def test_each_answer_is_proved_and_the_first_is_scipys_too(monkeypatch: Patch) -> None:
    searched, proved = list[int](), list[int]()
    search_by_scipy, certify = Oracle._by_scipy, oracles.certify

    def by_scipy(oracle: Oracle, source: int, problem: str) -> Any:
        searched.append(source)
        return search_by_scipy(oracle, source, problem)

    def prove(graph: CSRGraph, weights: Any, source: int, answer: Int32Array) -> str | None:
        proved.append(source)
        return certify(graph, weights, source, answer)

    monkeypatch.setattr(Oracle, "_by_scipy", by_scipy)
    monkeypatch.setattr(oracles, "certify", prove)
    sources = [one.source for one in Draw(5, 3).queries(GRID)]
    assert all(case.result and case.result.verified for case in search("sssp/dijkstra-heap", "sssp/scipy"))
    assert (searched, proved) == (sources[:1], sources)
    searched.clear()
    proved.clear()
    assert all(case.result and case.result.verified for case in search("stcon/two-queues", sources=9))
    assert (
        searched == proved == list(dict.fromkeys(pair.source for pair in Draw(9, 3, "stcon").queries(GRID)))
    )


def test_a_wrong_answer_or_oracle_is_refused() -> None:
    query = Query(0, number=1)
    answer = solved("sssp/dijkstra-heap", GRID, Query(0)).download()
    assert Oracle(GRID).check("sssp/x", query, answer).verified
    for wrong in (answer + (np.arange(len(answer)) == 5), np.minimum(answer, 3)):
        assert not Oracle(GRID).check("sssp/x", query, wrong.astype(np.int32)).verified
    oracle = Oracle(GRID)
    oracle._expected = lambda source, problem: np.minimum(answer, 3)  # type: ignore[assignment]
    assert "instead of" in str(oracle.check("sssp/x", Query(0, number=0), answer).reason)
    pair = Query(0, 5, number=1)
    assert "scipy" in refused(oracle.check, "stcon/x", pair, np.array([3], np.int32))


def test_a_budget_leaves_the_first_sources() -> None:
    (case,) = search("bfs/queue", budget_s=1e-9)
    assert questions(case.trials) == [(Draw(5, 3).queries(GRID)[0].source, None)]
    assert len(search("bfs/queue", of=identified(STAR, "star"), sources=64)[0].trials) == 4


def test_no_agreement_of_times_ends_the_search_of_sources(monkeypatch: Patch) -> None:
    monkeypatch.setattr(Measurement, "is_enough", property(lambda case: True))
    assert [len(case.trials) for case in search("bfs/queue", "bfs/scipy")] == [5, 5]


def test_a_record_says_what_was_drawn(tmp_path: Path, provenance: dict[str, Any]) -> None:
    star = identified(STAR, "star")
    cases = search("bfs/queue", of=star, sources=3) + search("bfs/scipy", of=star, sources=64)
    path = tmp_path / "star.jsonl"
    write_records(path, [as_record("fast", star.info, case, provenance) for case in cases])
    queue, scipy = read_records([path])
    assert (queue.label, scipy.label) == ("star, 3 sources", "star, 4 sources")
    assert (queue.parameters["source_seed"], queue.source, queue.drawn) == (3, None, 3)
    assert queue.iterations in [trial.iterations for trial in queue.trials]
    pairs = search("stcon/two-queues", of=star, sources=64)[0]
    one = as_record("fast", star.info, pairs, provenance)
    assert (one.label, len(one.trials), one.drawn) == ("star, 4 pairs", 4, 4)


BREAKS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "twice": (
        lambda r: r["trials"][2].update(source=7),
        r"trials\[2\].source: expected each source once, found 7",
    ),
    "none": (lambda r: r["trials"][1].pop("source"), r"trials\[1\].source: expected one where"),
    "no digest": (lambda r: r["trials"][1].pop("digest"), r"trials\[1\].digest: expected one where"),
    "beyond": (
        lambda r: r["trials"][0].update(source=264_346),
        "expected vertices below 264346, found 264346",
    ),
    "altered": (lambda r: r["trials"][0].update(digest="a" * 16), "digest: expected that of the trials'"),
    "too many": (lambda r: r["parameters"].update(sources=2), "trials: expected a source of each, 2 at most"),
    "the record's": (lambda r: r.update(source=3), "trials: expected a source of each"),
    "not drawn": (lambda r: r.update(parameters={}), r"trials\[0\].source: expected null where no sources"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_record_has_each_source_once(name: str, tmp_path: Path) -> None:
    change, told = BREAKS[name]
    path = tmp_path / "NY.jsonl"
    write_records(path, [drawn("bfs/queue", "NY")])
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value) + "\n")
    assert re.search(told, refused(read_records, [path]))


def test_a_record_of_pairs_has_a_target_of_each(tmp_path: Path) -> None:
    path = tmp_path / "NY.jsonl"
    write_records(path, [drawn("stcon/two-queues", "NY")])
    path.write_text(path.read_text().replace('"target":1,', "", 1))
    assert "trials[0].target: expected one where sources were drawn" in refused(read_records, [path])


def test_answers_to_one_source_agree_whoever_else_was_asked(tmp_path: Path) -> None:
    """In records of other sources, of fewer, and of a single one."""
    some, fewer = drawn("bfs/queue", "NY"), drawn("bfs/scipy", "NY", (3, 9))
    alone = record("bfs/igraph", "NY", source=5, digest=f"{5:016x}" + "0" * 48)
    write_records(tmp_path / "NY.jsonl", [some, fewer, alone])
    read_records([tmp_path / "NY.jsonl"])
    odd = [trial.model_copy(update={"digest": "b" * 16}) for trial in fewer.trials[:1]] + fewer.trials[1:]
    for wrong in (
        changed(fewer, trials=odd, digest=digest_of_all(odd)),
        changed(alone, digest="b" * 64),
    ):
        right = [one for one in (some, fewer, alone) if one.solver != wrong.solver]
        write_records(tmp_path / "NY.jsonl", [*right, wrong])
        assert "digest: not that of" in refused(read_records, [tmp_path / "NY.jsonl"])


class DrawnJob(Job):
    """A measuring job of seven sources."""

    def options(self, *more: object) -> list[str]:
        solvers = ("--solvers", "bfs/queue", "bfs/scipy")
        return super().options("--sources", 7, *solvers, *more)


def test_no_two_rounds_share_a_source(tmp_path: Path, monkeypatch: Patch) -> None:
    def run_rounds(stage: MeasureExperiment) -> None:
        for number in range(stage.rounds):
            stage.model_copy(update={"round": number}).run()

    monkeypatch.setattr(MeasureExperiment, "run_rounds", run_rounds)
    job = DrawnJob(tmp_path)
    MeasureExperiment.from_words("measure-experiment", job.options("--rounds", 3)).run()
    for name in ("first", "second"):
        for one in job.records(name):
            assert [trial.round for trial in one.trials] == [0, 0, 0, 1, 1, 2, 2]
            assert one.digest == digest_of_all(one.trials)
            whole = [query.source for query in Draw(7, 1).queries(csr.load(job.folder / name))]
            assert [trial.source for trial in one.trials] == whole[::3] + whole[1::3] + whole[2::3]


def test_a_job_that_is_killed_has_each_source_once(tmp_path: Path, script: Call, monkeypatch: Patch) -> None:
    job = DrawnJob(tmp_path)
    wants = Measurement.wants_trial
    with monkeypatch.context() as patch:  # stopped after three of seven
        patch.setattr(
            Measurement, "wants_trial", lambda case, effort: len(case.trials) < 3 and wants(case, effort)
        )
        stop(script, job, monkeypatch)
    assert [len(trials) for trials in job.trials("first")] == [3, 3]
    assert "first: goes on from a job that was stopped, trials kept: 6" in job.run()
    whole = [query.source for query in Draw(7, 1).queries(csr.load(job.folder / "first"))]
    for one in job.records("first"):
        assert [trial.source for trial in one.trials] == whole
        assert one.agreed


def test_a_small_graph_has_fewer_sources(tmp_path: Path) -> None:
    """Of 36 vertices and of 20,000."""
    job = DrawnJob(tmp_path)
    MeasureExperiment.from_words("measure-experiment", job.options("--sources", 40, "--budget-s", 600)).run()
    assert [[one.drawn for one in job.records(name)] for name in ("first", "second")] == [[36] * 2, [40] * 2]
    assert [len(one.trials) for one in job.records("first")] == [36, 36]


@pytest.mark.parametrize(
    ("options", "told"),
    [({"sources": 2, "rounds": 3}, "at least one for each of 3 rounds"),
     ({"sources": 9, "solvers": ("bellman-ford/csr",)}, "found bellman-ford/csr")],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(options: dict[str, Any], told: str) -> None:
    usual = {"experiment": "mine", "solvers": ("bfs/queue",), "backend": "emulator"}
    with pytest.raises(ValueError, match=told):
        MeasuringJob(**usual | options)


def test_a_graph_of_fewer_sources_than_rounds_is_refused() -> None:
    (case,) = search("bfs/queue")
    assert "expected one for each of 9 rounds, found 1" in refused(replace(case, rounds=9).ask, [Query(0)])


@pytest.mark.parametrize("arcs", [[], [(0, 0, 1)], [(0, 1, 1)]])
@pytest.mark.parametrize("solver", ["bfs/queue", "stcon/two-queues"])
def test_a_graph_without_enough_sources_is_skipped_with_the_reason(
    solver: str, arcs: list[tuple[int, int, int]]
) -> None:
    """Rounds of a job go on with its other graphs; to run again would change nothing."""
    small = identified(graph(3, arcs), "small", source=0, pairs={"far": [0, 2]})
    few = search(solver, of=small)
    if arcs and not solver.startswith("stcon"):
        assert [case.status for case in few] == ["ok"]
    else:
        assert [case.status for case in few] == ["skipped"]
        assert "to search from" in str(few[0].reason)


def test_each_trial_is_held_against_its_own_search() -> None:
    """A source may reach few vertices in few iterations; how long another one takes is no measure of it."""
    uneven = drawn("bfs/bsp", "NW", backend="cuda")
    times = {"upload": 1.0, "download": 1.0}
    trials = [
        trial.model_copy(update=times | {"solve": ms, "total": ms + 2.0, "kernel": ms, "iterations": count})
        for trial, ms, count in zip(uneven.trials, (1.1e-3, 0.2, 60.0), (0, 2000, 2000), strict=True)
    ]
    uneven = changed(uneven, trials=trials, iterations=2000)
    assert not [line for line in find_errors({"x:1": uneven}, {}) if "solve" in line]
    assert not list(doubtful_trials(uneven))
    quick = [
        *trials[:1],
        trials[1].model_copy(update={"solve": 0.09, "total": 2.09, "kernel": 0.09}),
        trials[2],
    ]
    (told,) = [line for line in find_errors({"x:1": changed(uneven, trials=quick)}, {}) if "solve" in line]
    assert "trials[1].solve: expected at least 0.100000 ms, 2000 iterations of 50 ns" in told


@pytest.mark.parametrize(
    ("solver", "checked"),
    [
        ("bfs/queue", [True, False, False]),
        ("bfs/auto", [True, False, False]),
        ("bfs/direction:predecessors=yes", [True] * 3),
    ],
)
def test_predecessors_that_no_solve_found_are_those_of_the_first_source(
    solver: str, checked: list[bool], monkeypatch: Patch
) -> None:
    """Levels are proved of every source; to trace each back on one core takes as long as a search."""
    given: list[bool] = []
    of_oracle = Oracle.check

    def check(oracle: Oracle, name: str, query: Query, answer: Int32Array, found: Any) -> CheckResult:
        given.append(found is not None)
        return of_oracle(oracle, name, query, answer, found)

    monkeypatch.setattr(Oracle, "check", check)
    search(solver, sources=3)
    assert given == checked


def test_further_solves_are_few_where_there_are_many_trials(monkeypatch: Patch) -> None:
    asked: list[float] = []
    run_again = trials_module.again

    def again(solver: Solver, query: Query, device: Any, most_ms: float) -> float:
        asked.append(most_ms)
        return run_again(solver, query, device, most_ms)

    monkeypatch.setattr(trials_module, "again", again)
    (case,) = search("bfs/direction", sources=2)
    assert asked == [2.0, 2.0]
    assert all(trial.again for trial in case.trials)
