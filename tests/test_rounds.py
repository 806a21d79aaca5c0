"""Rounds: each in a process and an order of its own, in one record; what one lacks is told by its name."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import Call, Patch, refused
from fabricated import frame, record, trial
from retrace.check.result import CheckResult
from retrace.graphs.query import Query
from retrace.measure import experiment
from retrace.measure.experiment import MeasuringJob
from retrace.measure.rounds import drawn_order, is_due, join_rounds, share_of_round
from retrace.measure.trials import Effort, Measurement, Request
from retrace.publish.record_cards import cards
from retrace.records.record import Record, read_records, write_records
from retrace.reports.measures import rounds_of
from retrace.solvers import find
from retrace.stages.measure_experiment import MeasureExperiment
from retrace.system.stage import Stage
from test_kept_trials import GRAPHS, Job, rounded

SOLVERS = ("bfs/queue", "bfs/scipy", "bfs/bsp:block_size=32")
ROUNDS = ("--rounds", 3, "--trials", 9, "--solvers", *SOLVERS)
IN_ORDER = [0] * 3 + [1] * 3 + [2] * 3


class RoundsJob(Job):
    """A measuring job of three rounds."""

    def options(self, *more: object) -> list[str]:
        return super().options(*ROUNDS, *more)

    def kept_of(self, number: int, graph: str) -> list[list[dict[str, Any]]]:
        """The trials that a round has kept, by solver."""
        path = self.kept / f"round-{number}/{graph}.json"
        return [case["trials"] for case in self.content(path)["measurements"]] if path.exists() else []

    def content(self, path: Path) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(path.read_text())
        return content

    def wait_for(self, running: subprocess.Popen[str], number: int, graph: str) -> None:
        """Wait until a round has kept a trial of a graph."""
        while running.poll() is None and not any(self.kept_of(number, graph)):
            time.sleep(1e-3)
        assert running.poll() is None

    def processes(self) -> list[str]:
        """The processes of the job and its rounds."""
        return [
            entry.name
            for entry in Path("/proc").glob("[0-9]*")
            if str(self.output).encode() in self.command(entry) and entry.name != str(os.getpid())
        ]

    def command(self, process: Path) -> bytes:
        try:
            return (process / "cmdline").read_bytes()
        except OSError:
            return b""


@pytest.fixture
def job(tmp_path: Path) -> RoundsJob:
    return RoundsJob(tmp_path)


@pytest.fixture
def here(monkeypatch: Patch) -> None:
    """Measure the rounds in this process, which takes a tenth of the time."""

    def run_rounds(stage: MeasureExperiment) -> None:
        for number in range(stage.rounds):
            stage.model_copy(update={"round": number}).run()

    monkeypatch.setattr(MeasureExperiment, "run_rounds", run_rounds)


def measure(job: RoundsJob, *more: object) -> None:
    MeasureExperiment.from_words("measure-experiment", job.options(*more)).run()


@pytest.mark.long
def test_a_record_has_the_trials_of_all_rounds_in_their_order(job: RoundsJob) -> None:
    assert "goes on" not in job.run()
    for graph in GRAPHS:
        queue, scipy, emulated = job.records(graph)
        for host in (queue, scipy):
            assert [one.round for one in host.trials] == IN_ORDER
            assert (host.agreed, host.reason, host.rounds, len(host.setup)) == (True, None, 3, 3)
            assert len({(one.solve, one.upload) for one in host.trials}) > 3
        assert [one.round for one in emulated.trials] == [0]  # its times say nothing
    assert not job.kept.exists()


def orders_of_trials(job: RoundsJob, monkeypatch: Patch, *more: object) -> list[list[str]]:
    """Measure, and return the order in which the trials of solvers begin in each round on each graph."""
    run, complete, orders = Measurement.run_trial, experiment.complete, list[list[str]]()

    def run_trial(case: Measurement, *given: Any) -> None:
        if case.request.solver not in orders[-1]:
            orders[-1].append(case.request.solver)
        run(case, *given)

    def begin(*given: Any) -> None:
        orders.append([])
        complete(*given)

    with monkeypatch.context() as patch:
        patch.setattr(Measurement, "run_trial", run_trial)
        patch.setattr(experiment, "complete", begin)
        measure(job, *more)
    return orders


@pytest.mark.usefixtures("here")
def test_each_round_and_graph_has_an_order_of_its_own(job: RoundsJob, monkeypatch: Patch) -> None:
    solvers = ("bfs/queue", "bfs/scipy", "bfs/igraph")
    options = ("--solvers", *solvers, "--trials", 3, "--seed")
    orders, again, others = [orders_of_trials(job, monkeypatch, *options, seed) for seed in (1, 1, 2)]
    assert [sorted(order) for order in orders] == [sorted(solvers)] * 6
    assert orders == again != others
    assert len({tuple(order) for order in orders}) > 1
    kinds = [find(name).name for name in solvers]
    assert [one.solver for one in job.records("first")] == kinds  # as they were listed


def cases(*names: str, backend: str = "host") -> list[Measurement]:
    return [Measurement(request=Request(name, backend, Query(), None)) for name in names]


def test_an_order_is_drawn_from_all_that_it_is_of() -> None:
    names = [f"bfs/{letter}" for letter in "abcdefgh"]

    def drawn(*seeds: object, listed: list[str] = names) -> list[str]:
        return [case.request.solver for case in drawn_order(cases(*listed), *seeds)]

    orders = [
        drawn(seed, experiment, graph, number)
        for seed in (1, 2)
        for experiment in ("a", "b")
        for graph in GRAPHS
        for number in range(3)
    ]
    assert len(set(map(tuple, orders))) == len(orders)
    assert all(sorted(order) == names for order in orders)
    assert drawn(1, "a", "first", 0) == orders[0] == drawn(1, "a", "first", 0, listed=names[::-1])
    firsts = {drawn(1, "a", "first", number)[0] for number in range(60)}
    assert firsts == set(names)
    pairs = [Measurement(request=Request("stcon/x", "host", Query(pair=p), None)) for p in ("near", "far")]
    assert {drawn_order(pairs, n)[0].request.query.pair for n in range(20)} == {"near", "far"}


@pytest.mark.parametrize(
    ("trials", "rounds", "expected"), [(9, 3, 3), (10, 3, 4), (5, 3, 3), (2, 3, 2), (1, 3, 1), (7, 1, 7)]
)
def test_rounds_share_trials_and_seconds(trials: int, rounds: int, expected: int) -> None:
    effort = Effort(trials=trials, budget_s=6, setups=4, least_trials=7)
    share = share_of_round(effort, rounds)
    assert share.trials == expected
    assert share.budget_s == pytest.approx(6 / rounds)
    assert (share.setups, share.least_trials) == ((2, 3) if rounds == 3 else (4, 7))
    assert share_of_round(effort.model_copy(update={"least_trials": 3}), rounds).least_trials == 3


def measured(seconds: float = 0.1, trials: int = 3, digest: str = "1" * 64, **state: Any) -> Measurement:
    """Return what a round came to, of so many trials that took so long, of which `solve` was a part."""
    (case,) = cases(state.pop("solver", "bfs/queue"))
    solve = state.pop("solve", seconds)
    case.started, case.setups, case.seconds = "2026-01-31T12:00:00Z", [7.0], [seconds] * trials
    case.trials, case.digest = [trial(solve * 1e3)] * trials, digest
    case.result = CheckResult(True, "scipy")
    for key, value in state.items():
        setattr(case, key, value)
    return case


def failed(reason: str) -> Measurement:
    return measured(trials=1, status="failed", reason=reason)


def skipped(reason: str) -> Measurement:
    return measured(trials=0, status="skipped", reason=reason, result=None, setups=[])


def left_out() -> Measurement:
    return cases("bfs/queue")[0]


def wrong() -> Measurement:
    return measured(
        trials=2, reason="trial 2: vertex 3", result=CheckResult(False, "scipy", reason="vertex 3")
    )


@pytest.mark.parametrize(
    ("earlier", "budget_s", "due"),
    [([], 1, True),
     ([measured()], 0.41, True), ([measured()], 0.39, False),
     ([measured(), measured()], 0.71, True), ([measured(), measured()], 0.69, False),
     ([failed("x")], 9, False), ([skipped("x")], 9, False), ([wrong()], 9, False),
     ([measured(), left_out()], 9, False),
     ([measured(2.0, 1, solve=0.4)], 3, True), ([measured(2.0, 1, solve=0.4)] * 2, 3, True),
     ([measured(2.0, 1, solve=0.4)] * 3, 3, False), ([measured(3.1, 1, solve=0.4)], 3, False),
     ([measured(2.0, 1, solve=1.2)], 3, False)],
)  # fmt: skip
def test_a_round_leaves_out_what_ended_badly_or_takes_long(
    earlier: list[Measurement], budget_s: float, due: bool
) -> None:
    """Three trials of less than a second are measured, though all that is beside them exceeds the budget."""
    (case,) = cases("bfs/queue")
    assert bool(is_due(case, earlier, budget_s)) is due
    (emulated,) = cases("bfs/bsp", backend="emulator")
    assert bool(is_due(emulated, earlier, budget_s)) is not bool(earlier)


def joined(*rounds: Measurement, budget_s: float = 9, solver: str = "bfs/queue") -> Measurement:
    (case,) = cases(solver)
    join_rounds(case, rounds, budget_s)
    return case


def test_rounds_are_joined_in_their_order() -> None:
    case = joined(measured(0.1, iterations=4), measured(0.2, iterations=5, observed={"x": 1.0}))
    assert [(one.round, one.solve) for one in case.trials] == [(0, 100.0)] * 3 + [(1, 200.0)] * 3
    assert (case.status, case.reason, case.setups) == ("ok", None, [7.0, 7.0])
    assert (case.iterations, case.observed, case.digest) == (5, {"x": 1.0}, "1" * 64)
    assert case.result
    assert case.result.verified
    assert case.started == "2026-01-31T12:00:00Z"
    assert len(case.seconds) == 6


@pytest.mark.parametrize(
    ("rounds", "status", "reason", "trials"),
    [((measured(), failed("out of luck"), left_out()), "failed", "round 2 of 3: out of luck", 3),
     ((failed("out of luck"), left_out(), left_out()), "failed", "round 1 of 3: out of luck", 0),
     ((skipped("no SciPy"), left_out(), left_out()), "skipped", "no SciPy", 0),
     ((measured(), skipped("31 s"), left_out()), "ok", "round 2 of 3: skipped, 31 s", 3),
     ((measured(), measured(), wrong()), "ok", "round 3 of 3: trial 2: vertex 3", 8),
     ((measured(4), left_out(), left_out()), "ok", None, 3),
     ((measured(), measured(), measured(digest="2" * 64)), "failed",
      "round 3 of 3: digest: expected the answer of round 1 of 3, found another", 9)],
)  # fmt: skip
def test_what_a_round_ends_with_is_told_with_its_name(
    rounds: tuple[Measurement, ...], status: str, reason: str | None, trials: int
) -> None:
    case = joined(*rounds)
    assert (case.status, case.reason, len(case.trials)) == (status, reason, trials)
    assert {one.round for one in case.trials} <= set(range(3))
    if "trial 2" in (reason or ""):
        assert case.result
        assert not case.result.verified


def test_scores_may_be_rounded_differently_in_each_round() -> None:
    of_scores = [measured(solver="betweenness/queue", digest=digit * 64) for digit in "12"]
    assert joined(*of_scores, solver="betweenness/seq-array").status == "ok"


@pytest.mark.parametrize(
    ("rounds", "told"),
    [((measured(), left_out()), "round 2 of 2: expected trials of bfs/queue"),
     ((measured(), measured(trials=0)), "round 2 of 2: expected trials of bfs/queue"),
     ((failed("x"), measured()), "round 2 of 2: expected no trials of bfs/queue"),
     ((left_out(), measured()), "round 1 of 2: expected trials of bfs/queue")],
)  # fmt: skip
def test_trials_that_a_round_has_lost_are_missed(rounds: tuple[Measurement, ...], told: str) -> None:
    assert refused(joined, *rounds) == f"{told}; measure all rounds again"


def test_each_measure_of_a_trial_has_it_in_its_round_alone() -> None:
    """Trials that counted in every round would make all intervals too narrow."""
    trials = [trial(float(ms), upload=2.0, download=1.0) for ms in range(1, 8)]
    split = [one.model_copy(update={"round": 1 + (k > 3)}) for k, one in enumerate(trials)]
    alone, both = (record("sssp/bsp", "NY", backend="cuda", trials=those) for those in (trials, split))
    for measure in ("solve", "total", "transfer", "upload"):
        (all_of_them,) = rounds_of(measure, alone)
        assert len(all_of_them) == 7
        assert rounds_of(measure, both) == [all_of_them[:4], all_of_them[4:]]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("damage", "told"),
    [(lambda kept: (kept / "round-1/first.json").unlink(), "is damaged (FileNotFoundError)"),
     (lambda kept: shutil.copy(kept / "round-0/first.json", kept / "round-1/first.json"),
      "is of other round than this job's"),
     (lambda kept: (kept / "round-1/first.json").write_text("{"), "is damaged (JSONDecodeError)")],
    ids=["lost", "one taken for another", "damaged"],
)  # fmt: skip
def test_a_round_is_not_taken_for_another(
    damage: Callable[[Path], object], told: str, job: RoundsJob, monkeypatch: Patch
) -> None:
    run = MeasureExperiment.run_rounds

    def run_and_damage(stage: MeasureExperiment) -> None:
        run(stage)
        damage(job.kept)

    monkeypatch.setattr(MeasureExperiment, "run_rounds", run_and_damage)
    place = job.kept / "round-1/first.json"
    assert refused(measure, job) == f"{place}: {told}; expected the trials of a round; run the job again"
    assert list(job.output.glob("*")) == []


@pytest.mark.usefixtures("here")
def test_a_round_that_fails_fails_its_solver_alone(job: RoundsJob, monkeypatch: Patch) -> None:
    run = Measurement.run_trial

    def run_trial(case: Measurement, graph: Any, *given: Any) -> None:
        if (case.request.solver, graph.name) == ("bfs/queue", "first") and job.kept_of(0, "second"):
            case.fail(RuntimeError("planted"))
        else:
            run(case, graph, *given)

    monkeypatch.setattr(Measurement, "run_trial", run_trial)
    measure(job)
    queue, scipy, _ = job.records("first")
    assert (queue.status, queue.trials, len(scipy.trials)) == ("failed", [], 9)
    assert queue.reason == "round 2 of 3: RuntimeError: planted"
    assert [one.round for one in job.records("second")[0].trials] == IN_ORDER


@pytest.mark.long
def test_a_job_that_is_killed_in_its_second_round_goes_on_there(job: RoundsJob) -> None:
    long = ("--trials", 300, "--budget-s", 600, "--checkpoint-s", 1e-4)
    running = job.start(*long)
    job.wait_for(running, 1, "second")
    running.kill()
    running.communicate()
    assert running.returncode == -signal.SIGKILL
    assert job.processes() == []
    before = [[job.kept_of(number, graph) for number in (0, 1)] for graph in GRAPHS]
    assert not (job.kept / "round-2").exists()
    told = job.run(*long)
    begun = sum(map(len, before[1][1]))
    assert f"second, round 2 of 3: goes on from a job that was stopped, trials kept: {begun}\n" in told
    assert "first, round 1 of 3: goes on" in told
    assert "round 3 of 3: goes on" not in told
    for graph, (first, second) in zip(GRAPHS, before, strict=True):
        for of_solver, *kept in zip(job.records(graph), first, second, strict=True):
            found = [[one for one in of_solver.trials if one.round == number] for number in (0, 1)]
            times = [rounded([vars(one) for one in trials]) for trials in found]
            assert times[0] == rounded(kept[0])
            assert times[1][: len(kept[1])] == rounded(kept[1])
    assert not job.kept.exists()


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_job_and_its_round(number: signal.Signals, job: RoundsJob) -> None:
    running = job.start("--trials", 6000, "--budget-s", 600, "--checkpoint-s", 1e-4)
    job.wait_for(running, 0, "first")
    assert len(job.processes()) == 2
    running.send_signal(number)
    running.communicate(timeout=5)
    assert running.returncode == -number
    assert job.processes() == []


def test_a_round_that_is_killed_is_named(job: RoundsJob) -> None:
    running = job.start("--trials", 6000, "--budget-s", 600, "--checkpoint-s", 1e-4)
    job.wait_for(running, 0, "first")
    (process,) = [int(one) for one in job.processes() if int(one) != running.pid]
    os.kill(process, signal.SIGKILL)
    _, told = running.communicate(timeout=5)
    assert told.endswith("error: round 1 of 3 was ended by signal 9; run the job again, and it goes on\n")
    assert running.returncode == 1


def test_an_error_in_a_round_ends_the_job(job: RoundsJob) -> None:
    (job.folder / "second/indices.npy").unlink()
    running = job.start()
    _, told = running.communicate(timeout=60)
    *_, why, named = told.splitlines()
    assert why.startswith("error: ")
    assert "second" in why
    assert named == "error: round 1 of 3 ended with status 1; run the job again, and it goes on"
    assert not job.output.exists() or not list(job.output.iterdir())


@pytest.mark.parametrize(
    ("options", "told"),
    [(("--rounds", 0), "--rounds: expected at least 1"),
     (("--round", 3), "--round: expected one of several rounds, from 0, found 3 of 3"),
     (("--rounds", 1, "--round", 0), "--round: expected one of several rounds, from 0, found 0 of 1")],
)  # fmt: skip
def test_wrong_rounds_are_refused(
    options: tuple[object, ...], told: str, job: RoundsJob, script: Call
) -> None:
    assert script("measure-experiment", *job.options(*options)).refusal(1).startswith(f"error: {told}")


def test_rounds_need_a_folder_for_their_trials(job: RoundsJob, script: Call) -> None:
    options = [one for one in job.options() if one not in ("--checkpoints", str(job.kept))]
    told = "--checkpoints: expected a folder in which the rounds keep their trials, found none"
    assert told in script("measure-experiment", *options).refusal(1)


def test_a_stage_is_its_words(job: RoundsJob) -> None:
    stage: Stage = MeasureExperiment.from_words("measure-experiment", job.options("--update", "--round", 1))
    assert MeasureExperiment.from_words("measure-experiment", stage.words()) == stage
    assert isinstance(stage, MeasuringJob)
    assert stage.round == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("seconds", "trials", "enough"), [(0.34, 1, True), (0.32, 1, False), (0.12, 3, True), (0.08, 4, False)]
)
def test_trials_of_rounds_end_early_in_their_share_of_the_time(
    seconds: float, trials: int, enough: bool
) -> None:
    case = measured(seconds, trials)
    case.rounds = 3
    assert case.is_enough is enough
    case.trials = [trial(ms) for ms in (100.0, 200.0, 300.0)]
    case.seconds = [0.1, 0.2, 0.04]
    assert case.is_enough  # a third of a second, though they do not agree
    case.trials = [trial(100.0)] * 3
    case.seconds = [0.1, 0.1, 0.1]
    assert not case.is_enough  # though they do
    case.seconds, case.rounds = [0.1, 0.2, 0.04], 1
    assert not case.is_enough


def test_each_of_three_rounds_has_a_kernel_time() -> None:
    case = measured(0.001, trials=1)
    assert not case.has_kernel_times
    case.rounds = 3
    assert case.has_kernel_times


def test_a_round_of_a_job_has_its_share(job: RoundsJob, monkeypatch: Patch) -> None:
    given: list[tuple[int, float, set[int]]] = []

    def complete(title: str, graph: Any, due: list[Measurement], effort: Effort, *_: Any) -> None:
        given.append((effort.trials, effort.budget_s, {case.rounds for case in due}))

    monkeypatch.setattr(experiment, "complete", complete)
    measure(job, "--round", 0, "--budget-s", 6)
    assert given == [(3, 2.0, {3})] * 2


def of_rounds(*numbers: int | None) -> Record:
    trials = [trial(9.0 + place).model_copy(update={"round": n}) for place, n in enumerate(numbers)]
    return record("bfs/queue", "NY", trials=trials)


def test_a_record_keeps_its_rounds(tmp_path: Path) -> None:
    path = tmp_path / "NY.jsonl"
    for numbers, count in ((IN_ORDER, 3), ([None] * 3, 1)):
        write_records(path, [of_rounds(*numbers)])
        (found,) = read_records([path])
        assert [one.round for one in found.trials] == numbers
        assert found.rounds == count
        assert ('"round"' in path.read_text()) is (count > 1)


@pytest.mark.parametrize(
    ("numbers", "told"),
    [((0, 1, 0), "trials[2].round: expected rounds in order, found 0 after 1"),
     ((0, None, 1), "trials[1].round: expected one, as other trials have, found null")],
)  # fmt: skip
def test_rounds_are_not_mixed(numbers: tuple[int | None, ...], told: str, tmp_path: Path) -> None:
    path = tmp_path / "NY.jsonl"
    line = of_rounds(0, 1, 2).model_dump(mode="json")
    for one, number in zip(line["trials"], numbers, strict=True):
        one["round"] = number
    path.write_text(json.dumps(line) + "\n")
    assert refused(read_records, [path]) == f"{path}:1: {told}"


def test_a_card_says_how_many_rounds_there_were() -> None:
    def facts(*numbers: int | None) -> dict[str, str]:
        found, _ = frame([of_rounds(*numbers)], "bsp-suite")
        return dict(cards(found.measured, {})["records"][0]["own"])

    assert facts(*IN_ORDER)["trials"] == "9 in 3 rounds, each a process of its own"
    assert "trials" not in facts(None, None, None)
    assert "trials" not in facts(0, 0, 0)
