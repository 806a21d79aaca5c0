"""How choices are judged: on graphs of a dozen families, by times of verified answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import scipy

from fabricated import WRONG, record
from retrace.graphs.csr import CSRGraph
from retrace.records.record import read_records
from retrace_today import judge_choices
from retrace_today.judge_choices import JudgeChoices, first_ms, judged_solvers, judgements, lines, resident_ms
from retrace_today.judged_graphs import FAMILIES, judged_graph, judged_graphs


def components(graph: CSRGraph) -> int:
    """Count the components."""
    return int(scipy.sparse.csgraph.connected_components(graph.to_scipy(), directed=False)[0])


@pytest.mark.parametrize("arcs", [10, 3000])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_graph_of_each_family_is_simple_and_undirected(family: str, arcs: int) -> None:
    for seed in range(4):  # of which some shuffle ids
        graph = judged_graph(family, arcs, seed, "judged")
        matrix = graph.to_scipy(graph.weights).tocsr()
        assert graph.arcs > 0
        assert (graph.tails() != graph.indices).all()
        assert matrix.nnz == graph.arcs == len(set(zip(graph.tails(), graph.indices, strict=True)))
        assert (matrix != matrix.T).nnz == 0
        assert arcs / 3 <= graph.arcs <= 2 * arcs or arcs == 10  # of few edges many are repeated


def test_families_have_the_shape_of_their_name() -> None:
    made = {family: judged_graph(family, 4000, 5, family) for family in FAMILIES}
    most = {family: int(graph.degrees().max()) for family, graph in made.items()}
    assert most["star"] == made["star"].vertices - 1
    assert most["path"] == 2
    assert (most["grid-2d"], most["grid-3d"]) == (4, 6)
    assert made["dense"].arcs == made["dense"].vertices * (made["dense"].vertices - 1)
    assert made["tree"].arcs == 2 * (made["tree"].vertices - 1)
    assert {components(made[family]) for family in ("path", "tree", "star", "grid-2d", "small-world")} == {1}
    assert components(made["many-components"]) > 50
    assert most["kron"] > 4 * most["urand"] < most["power-law"]


def test_a_seed_decides_the_graphs_which_span_the_sizes() -> None:
    first, again, other = ([graph.digest() for graph in judged_graphs(12, 2000, seed)] for seed in (3, 3, 4))
    assert first == again
    assert not set(first) & set(other)
    graphs = list(judged_graphs(40, 20_000, 9))
    assert {graph.name.rpartition("-")[0] for graph in graphs} == set(FAMILIES)
    arcs = np.array([graph.arcs for graph in graphs])
    assert arcs.min() <= 30
    assert arcs.max() >= 7_000
    assert np.median(arcs) < 1_500


def timed(solver: str, ms: float, graph: str = "random-12-5", **changes: object) -> object:
    """Fabricate a record of a solver of this time."""
    return record(solver, graph, times=(ms, ms, ms), **changes)


def test_a_choice_is_good_within_a_tenth_or_twenty_microseconds() -> None:
    def judged(auto_ms: float, best_ms: float) -> judge_choices.Judgement:
        records = [timed("bfs/auto", auto_ms), timed("bfs/queue", best_ms), timed("bfs/direction", 100.0)]
        (only,) = judgements(records, resident_ms)
        assert only.best == "bfs/queue"
        return only

    assert judged(10.9, 10.0).is_good
    assert not judged(11.1, 10.0).is_good
    assert judged(0.025, 0.01).is_good
    assert not judged(0.035, 0.01).is_good
    assert judged(25.0, 10.0).factor == 2.5


def test_wrong_answers_are_no_rivals_and_a_choice_without_one_is_the_worst() -> None:
    wrong = timed("bfs/queue", 1.0, **WRONG)
    auto, slower = timed("bfs/auto", 10.0), timed("bfs/direction", 20.0)
    (only,) = judgements([auto, wrong, slower], resident_ms)
    assert (only.best, only.is_good) == ("bfs/direction", True)
    (failed,) = judgements([timed("bfs/auto", 10.0, **WRONG), slower], resident_ms)
    assert not failed.is_good


def test_emulated_times_are_not_judged() -> None:
    records = [timed("bfs/auto", 1.0, backend="emulator"), timed("bfs/queue", 10.0)]
    assert judgements(records, first_ms) == []
    assert all("times" not in line for line in lines("bfs", records))


def test_shares_are_of_graphs() -> None:
    pairs = {"random-12-5": (10.0, 10.0), "random-13-5": (30.0, 10.0)}
    records = [
        timed(solver, ms, graph)
        for graph, times in pairs.items()
        for solver, ms in zip(("bfs/auto", "bfs/queue"), times, strict=True)
    ]
    head, resident, which, *_ = lines("bfs", records)
    assert "4 of 4" in head
    assert "50% of 2 graphs" in resident
    assert "on 1, at worst 3.00" in resident
    assert "random-13-5" in which


def test_libraries_are_not_judged() -> None:
    listed = judged_solvers("sssp")
    assert "sssp/auto" in listed
    assert "sssp/dijkstra-heap" in listed
    assert not [name for name in listed if name.endswith(("gapbs", "scipy", "cugraph", "igraph"))]


def test_a_kernel_for_each_level_of_a_long_path_is_not_waited_for() -> None:
    stage = JudgeChoices(seed=5, backend="cuda", output=Path("unused"), longest_s=1)
    path, flat = judged_graph("path", 600_000, 1, "path"), judged_graph("urand", 600_000, 1, "flat")
    for problem, asked in (("bfs", set()), ("sssp", {"sssp/dijkstra-heap"}), ("stcon", set())):
        of_path, of_flat = (set(stage.job(problem, 1, graph).solvers) for graph in (path, flat))
        assert of_flat == set(judged_solvers(problem))
        assert f"{problem}/bsp" in of_flat - of_path
        assert of_path >= {f"{problem}/auto", *asked}
    assert stage.job("betweenness", None, path).solvers == judged_solvers("betweenness")


@pytest.mark.long
def test_the_stage_checks_all_answers_and_leaves_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = JudgeChoices(
        seed=5, backend="emulator", output=tmp_path, problems=("betweenness",), graphs=2, most_arcs=60
    )
    stage.run()
    printed = capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} > {"betweenness-1", "betweenness-4", "betweenness-all"}
    assert not list((tmp_path / "graphs").iterdir())
    for line in printed.splitlines():
        if line.startswith("betweenness"):
            agree, _, answers, *_ = line.partition(": ")[2].split()
            assert agree == answers != "0"


@pytest.mark.long
def test_a_run_that_was_stopped_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = JudgeChoices(
        seed=5, backend="emulator", output=tmp_path, problems=("bfs",), graphs=2, most_arcs=60, sources=2
    )
    all_graphs = list(judged_graphs(2, 60, 5))

    def stopped(*_: object) -> Iterator[CSRGraph]:
        yield all_graphs[0]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(judge_choices, "judged_graphs", stopped)
        with pytest.raises(KeyboardInterrupt):
            stage.run()
    (kept,) = (tmp_path / "bfs").iterdir()
    trials = [record.trials for record in read_records([kept])]
    capsys.readouterr()
    stage.run()
    assert f"{all_graphs[0].name}: goes on from a job that was stopped" in capsys.readouterr().err
    assert [record.trials for record in read_records([kept])] == trials
    assert {path.name for path in tmp_path.iterdir()} == {"bfs", "graphs"}
