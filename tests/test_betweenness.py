"""Betweenness on the host: every solver against exact fractions, its oracle, and path counts beyond a double.

Those on a device: test_betweenness_kernels.py.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from command_line import Call, Patch
from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from exact_betweenness import exact_scores
from graphs import NAMED, diamonds, graph, grid, identified, random_graphs
from retrace.check import score_oracle
from retrace.check.checkers import checker_of
from retrace.check.score_oracle import (
    COMMITTED,
    DECIDES,
    IGRAPH,
    LONG_DOUBLE,
    NETWORKIT,
    SCIPY,
    ScoreOracle,
    compare_scores,
    is_installed,
)
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import queries
from retrace.measure.experiment import as_record
from retrace.measure.trials import Effort
from retrace.solvers import REGISTRY, DeviceSolver, Query, make
from retrace.solvers.betweenness.compaction import compact, uncompacted
from retrace.system.checkpoint import FIRST_BATCH, Checkpoint
from schedules import examples
from solving import measure, needs_networkit, solved

GOWALLA = Path(os.environ.get("GRAPH_MIRROR", ""), "loc-gowalla_edges.konect-ids.txt.gz")
NAMES = [kind.name for kind in REGISTRY.of_problem("betweenness") if not issubclass(kind, DeviceSolver)]

SMALL = {
    "path": graph(9, [(u, u + 1, 1) for u in range(8)], directed=False),
    "star": graph(40, [(0, leaf, 1) for leaf in range(1, 40)], directed=False),
    "grid": grid(8, 6),
    "two vertices": graph(2, [(0, 1, 1)], directed=False),
    "tree and triangle": graph(
        9, [(0, 1, 1), (1, 2, 1), (2, 0, 1), (2, 3, 1), (3, 4, 1), (3, 5, 1), (6, 7, 1)], directed=False
    ),
    **{name: NAMED[name] for name in ("one-way path", "complete", "two components", "self-loops",
                                      "parallel arcs", "one vertex", "no arcs")},
}  # fmt: skip


def solve(name: str, whole: CSRGraph, query: Query) -> np.ndarray:
    declined = make(name).declines(query) is not None
    return solved(name, whole, Query() if declined else query).download()


def expected_of(name: str, whole: CSRGraph, query: Query) -> np.ndarray:
    """Compute the scores exactly; of all sources if the solver cannot be asked for some."""
    declined = name == "betweenness/networkit"
    return exact_scores(whole, None if declined else query.sources)


@cache
def exact_of_small(name: str) -> np.ndarray:
    return exact_scores(SMALL[name])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", SMALL)
def test_scores_are_exact_on_small_graphs(name: str, which: str) -> None:
    found = solve(name, SMALL[which], Query())
    assert found.dtype == np.float64
    assert_allclose(found, exact_of_small(which), rtol=1e-12, atol=1e-12)
    result = checker_of("betweenness", SMALL[which]).check(name, Query(), found)
    assert result.verified
    assert result.observed["max_relative_error"] < 1e-12


@pytest.mark.parametrize("name", NAMES)
@given(whole=random_graphs(most_vertices=12), data=st.data())
@settings(max_examples=examples(20), deadline=None)
def test_scores_of_some_sources_on_random_graphs(name: str, whole: CSRGraph, data: st.DataObject) -> None:
    vertex = st.integers(0, whole.vertices - 1)
    chosen = data.draw(st.none() | st.lists(vertex, min_size=1, unique=True).map(tuple))
    query = Query(sources=chosen)
    found = solve(name, whole, query)
    assert_allclose(found, expected_of(name, whole, query), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("directed", [False, True])
def test_path_counts_beyond_a_double_are_scaled_or_refused(name: str, directed: bool) -> None:
    long_chain = diamonds(1100, directed)
    query = Query(sources=(0, 1653))
    if name == "betweenness/networkit":
        expected = solve("betweenness/seq-scaled", long_chain, Query())
        assert_allclose(solve(name, long_chain, Query()), expected, rtol=1e-9)
    elif name == "betweenness/seq-scaled":
        expected = exact_scores(long_chain, query.sources)
        assert_allclose(solve(name, long_chain, query), expected, rtol=1e-9)
    else:
        with pytest.raises(OneLineError, match=r"vertex \d+ "):
            solve(name, long_chain, query)


def test_scaled_path_counts_differ_by_many_steps() -> None:
    # Vertex 0 reaches the last one by 2^1700 paths of one length and, round about, by a single one.
    chain = diamonds(1700)
    last, extra = chain.vertices - 1, chain.vertices
    detour = [(0, extra, 1)]
    detour += [(extra + i, extra + i + 1, 1) for i in range(2 * 1700 - 2)]
    detour += [(extra + 2 * 1700 - 2, last, 1)]
    arcs = [*zip(chain.tails().tolist(), chain.indices.tolist(), [1] * chain.arcs, strict=True)]
    whole = graph(extra + 2 * 1700 - 1, [*arcs, *detour, *((v, u, w) for u, v, w in detour)])
    query = Query(sources=(0, last))
    found = solve("betweenness/seq-scaled", whole, query)
    assert_allclose(found, exact_scores(whole, query.sources), rtol=1e-9, atol=1e-200)


@given(random_graphs(most_vertices=12), st.data())
@settings(max_examples=examples(50), deadline=None)
def test_oracles_are_exact(whole: CSRGraph, data: st.DataObject) -> None:
    oracle = ScoreOracle(whole)
    expected = exact_scores(whole)
    for name in filter(is_installed, (NETWORKIT, IGRAPH, SCIPY, LONG_DOUBLE)):
        assert_allclose(oracle.expected(None, name), expected, rtol=1e-12, atol=1e-12)
    sources = tuple(data.draw(st.lists(st.integers(0, whole.vertices - 1), min_size=1, unique=True)))
    for name in (IGRAPH, SCIPY, LONG_DOUBLE):
        assert_allclose(oracle.expected(sources, name), exact_scores(whole, sources), rtol=1e-12, atol=1e-12)


@needs_networkit
def test_oracle_of_a_library_is_another_library() -> None:
    oracle = ScoreOracle(SMALL["grid"])
    right = exact_of_small("grid")
    some, part = Query(sources=(3, 5)), exact_scores(SMALL["grid"], (3, 5))
    for name, query, answer, by in (
        ("betweenness/seq-stl", Query(), right, IGRAPH),
        ("betweenness/networkit", Query(), right, IGRAPH),
        ("betweenness/igraph", Query(), right, NETWORKIT),
        ("betweenness/igraph", some, part, LONG_DOUBLE),
        ("betweenness/seq-stl", some, part, IGRAPH),
    ):
        result = oracle.check(name, query, answer)
        assert (result.verified, result.oracle) == (True, by)


def test_a_graph_too_large_for_igraph_has_scipy_s_scores(monkeypatch: Patch) -> None:
    monkeypatch.setattr(score_oracle, "ARCS_OF_IGRAPH", 0)
    monkeypatch.setattr(score_oracle, "SOURCES_AT_ONCE", 5)  # several blocks, the last of fewer columns
    oracle, query = ScoreOracle(SMALL["grid"]), Query(sources=tuple(range(3, 30)))
    right = exact_scores(SMALL["grid"], query.sources)
    result = oracle.check("betweenness/seq-stl", query, right)
    assert (result.verified, result.oracle) == (True, SCIPY)
    wrong = right.copy()
    wrong[7] += 1e-6
    assert not oracle.check("betweenness/seq-stl", query, wrong).verified


def test_batches_are_as_large_as_asked(monkeypatch: Patch) -> None:
    monkeypatch.setattr("retrace.system.checkpoint.BATCH_S", 1e-9)  # else of one source
    kept = Checkpoint(None, {}, np.zeros(0))
    assert [len(batch) for batch in kept.batches(np.arange(100, dtype=np.int32), 40)] == [40, 40, 20]


@needs_networkit
def test_oracle_asks_another_where_igraph_overflows() -> None:
    whole = diamonds(1100)
    for query, by in ((Query(sources=(0,)), LONG_DOUBLE), (Query(), NETWORKIT)):
        found = solve("betweenness/seq-scaled", whole, query)
        result = ScoreOracle(whole).check("betweenness/seq-scaled", query, found)
        assert (result.verified, result.oracle) == (True, by)


def test_networkit_is_not_checked_by_itself(monkeypatch: Patch) -> None:
    oracle, right = ScoreOracle(SMALL["grid"]), exact_of_small("grid")
    whole = oracle.expected

    def expected(sources: tuple[int, ...] | None, by: str) -> np.ndarray:
        return np.full_like(right, np.nan) if by == IGRAPH else whole(sources, by)

    monkeypatch.setattr(oracle, "expected", expected)
    result = oracle.check("betweenness/networkit", Query(), right)
    assert (result.verified, result.oracle) == (True, LONG_DOUBLE)


@pytest.mark.parametrize("which", ["grid", "tree and triangle"])
@given(data=st.data())
@settings(max_examples=examples(30), deadline=None)
def test_a_single_wrong_score_is_caught(which: str, data: st.DataObject) -> None:
    right = exact_of_small(which)
    victim = data.draw(st.integers(0, len(right) - 1))
    changed = right.copy()
    changed[victim] += data.draw(st.sampled_from([1e-8, -1e-8, np.nan, np.inf])) * max(1.0, right[victim])
    result = compare_scores(right, changed, 1e-9, "exact")
    assert not result.verified
    assert result.reason is not None
    assert result.reason.startswith(f"vertex {victim} has {changed[victim]:.17g} instead of")


@pytest.mark.parametrize(
    ("spec", "error", "verified"),
    [("vert", 5e-10, True), ("vert", 2e-9, False), ("vert:blocks=2,precision=float", 5e-5, True),
     ("vert:precision=float,blocks=2", 2e-4, False)],
)  # fmt: skip
def test_errors_are_relative_to_the_score_or_to_one_pair(spec: str, error: float, verified: bool) -> None:
    oracle, right = ScoreOracle(SMALL["star"]), exact_of_small("star")
    for vertex, change in ((0, error * right[0]), (7, error)):  # the hub, and a leaf, whose score is 0
        for changed in (
            right + change * (np.arange(40) == vertex),
            right - change * (np.arange(40) == vertex),
        ):
            result = oracle.check(f"betweenness/{spec}", Query(), changed)
            assert result.verified == verified, (vertex, result.reason)
    assert not oracle.check(f"betweenness/{spec}", Query(), right.astype(np.float32)).verified


@pytest.mark.parametrize(
    ("leaves", "error", "verified"),
    [(40, 5e-5, True), (40, 2e-4, False), (4000, 2e-4, True), (4000, 3e-4, False)],
)
def test_a_library_in_single_precision_may_err_as_its_longest_sum_does(
    leaves: int, error: float, verified: bool
) -> None:
    star = graph(leaves + 1, [arc for leaf in range(1, leaves + 1) for arc in ((0, leaf, 1), (leaf, 0, 1))])
    scores = np.zeros(leaves + 1)
    scores[0] = 3 * (leaves - 1) * (1 + error)
    result = ScoreOracle(star).check("betweenness/cugraph", Query(sources=(1, 2, 3)), scores)
    assert result.verified == verified, result.reason


def test_what_gapbs_adds_and_takes_away_is_rounded_in_the_scores_of_its_sources_alone() -> None:
    """GAPBS adds the number of reached vertices to a source's score."""
    vertices, source, other = 100_000, 3, 7
    whole = graph(vertices, [(0, 1, 1)])
    for solver, vertex, error, verified in (
        ("gapbs", source, 9e-9, True), ("gapbs", source, 2e-8, False), ("gapbs", other, 2e-9, False),
        ("vert", source, 2e-9, False),
    ):  # fmt: skip
        found = np.zeros(vertices)
        found[vertex] = error
        result = ScoreOracle(whole).check(f"betweenness/{solver}:threads=2", Query(sources=(source,)), found)
        assert result.verified == verified, (solver, vertex, error)


def test_scores_of_another_shape_or_an_oracle_that_overflows_verify_nothing() -> None:
    right, none = exact_of_small("grid"), np.full(3, np.nan)
    for expected, found, why in (
        (right, right.astype(np.float32), "float32"), (right, right[1:], "(47,) instead of float64 (48,)"),
        (none, none, "overflow in the oracle too"),
    ):  # fmt: skip
        result = compare_scores(expected, found, 1e-9, "exact")
        assert not result.verified
        assert why in str(result.reason)


@needs_networkit
def test_stored_scores_are_named_by_all_that_decides_them(monkeypatch: Patch) -> None:
    monkeypatch.setattr("retrace.check.score_oracle.WORTH_KEEPING", 0)
    there, other = graph(3, [(0, 1, 1), (1, 2, 1)]), graph(3, [(0, 2, 1), (1, 2, 1)])
    larger, turned = graph(4, [(0, 1, 1), (1, 2, 1)]), graph(3, [(1, 0, 1), (2, 1, 1)])
    asked = [(by, some) for by in (NETWORKIT, IGRAPH) for some in (None, (0,), (0, 1))]
    names = {ScoreOracle(one).file_of(*each) for one in (there, other, larger, turned) for each in asked}
    assert len(names) == 4 * 6


@pytest.mark.parametrize(
    ("by", "module"),
    [pytest.param(NETWORKIT, "networkit", marks=needs_networkit), (IGRAPH, "igraph")],
)
def test_scores_of_a_large_graph_are_kept(by: str, module: str, monkeypatch: Patch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    monkeypatch.setattr("retrace.check.score_oracle.WORTH_KEEPING", 1.0)
    monkeypatch.setattr("retrace.check.score_oracle.WORTH_SHARING", 1.0)  # igraph in several processes
    first = ScoreOracle(SMALL["grid"]).expected(None, by)
    assert_allclose(first, exact_of_small("grid"), rtol=1e-12)
    monkeypatch.setitem(sys.modules, module, None)  # importing it fails
    assert_array_equal(ScoreOracle(SMALL["grid"]).expected(None, by), first)
    with pytest.raises(ImportError):  # of another graph nothing is kept
        ScoreOracle(SMALL["path"]).expected(None, by)
    if by == IGRAPH:
        with pytest.raises(ImportError):  # nor of other sources
            ScoreOracle(SMALL["grid"]).expected((1, 2), by)


@pytest.mark.parametrize("sources", [None, tuple(range(3, 30))])
def test_an_oracle_made_ahead_goes_on_after_an_interruption(
    sources: tuple[int, ...] | None, monkeypatch: Patch, tmp_path: Path, script: Call
) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    monkeypatch.setattr("retrace.check.score_oracle.WORTH_KEEPING", 1.0)
    monkeypatch.setattr("retrace.system.checkpoint.BATCH_S", 1e-9)  # one source after the first batch
    query = Query(sources=sources)
    monkeypatch.setattr("retrace.graphs.query.queries", lambda problem, info: [query])
    csr.save(identified(replace(SMALL["grid"], weights=None), "grid"), tmp_path / "grid")
    asked: list[int] = []
    compute = ScoreOracle._by_igraph

    def by_igraph(self: ScoreOracle, batch: tuple[int, ...]) -> np.ndarray:
        if len(asked) == FIRST_BATCH + 1:
            asked.append(-1)
            raise KeyboardInterrupt
        asked.extend(batch)
        return compute(self, batch)

    monkeypatch.setattr(ScoreOracle, "_by_igraph", by_igraph)
    assert script("make-oracle", "--graph", tmp_path / "grid").status == 130
    done = script("make-oracle", "--graph", tmp_path / "grid")
    assert [source for source in asked if source >= 0] == list(sources or range(48))
    (kept,) = tmp_path.glob("oracles/*")
    assert done.out == f"grid: {kept}\n"
    monkeypatch.setattr(ScoreOracle, "_by_igraph", None)  # which is not asked again
    right = exact_scores(SMALL["grid"], sources)
    result = ScoreOracle(SMALL["grid"]).check("betweenness/seq-array", query, right)
    assert (result.verified, result.oracle) == (True, IGRAPH)


def test_the_sources_that_are_asked_next_are_searched_besides_on_other_cores(
    monkeypatch: Patch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    monkeypatch.setattr(score_oracle, "WORTH_KEEPING", 1.0)
    monkeypatch.setattr(score_oracle, "ARCS_OF_IGRAPH", 0)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr("cuda_device.memory.available", lambda: room)
    grid, room = SMALL["grid"], 1 << 40
    asked = [(1, 2), (3,), (4, 5, 6), (7, 8), (9,)]
    queries = [Query(sources=sources) for sources in asked]

    def kept_after(sources: tuple[int, ...]) -> int:
        checker = checker_of("betweenness", grid, queries)
        result = checker.check("betweenness/seq-array", Query(sources=sources), exact_scores(grid, sources))
        assert (result.verified, result.oracle) == (True, SCIPY)
        return len([*tmp_path.glob("oracles/*")])

    assert kept_after((9,)) == 1  # nothing comes after it
    room = 0
    assert kept_after((4, 5, 6)) == 2
    room = 1 << 40
    assert [kept_after(sources) for sources in asked] == [4, 4, 4, 5, 5]  # (1, 2) and (3,), then (7, 8)
    monkeypatch.setattr(ScoreOracle, "_by_scipy", None)  # they are not computed again
    assert [kept_after(sources) for sources in asked] == [5] * 5


def test_an_oracle_counts_parallel_arcs_once() -> None:
    twice = graph(4, [(0, 1, 1), (0, 1, 1), (1, 3, 1), (0, 2, 1), (2, 3, 1)])
    for oracle in (SCIPY, IGRAPH):
        assert_allclose(ScoreOracle(twice).expected(None, oracle), [0, 0.5, 0.5, 0])


def test_scores_that_are_committed_are_not_computed_again(monkeypatch: Patch, tmp_path: Path) -> None:
    monkeypatch.setattr(score_oracle, "WORTH_KEEPING", 0)
    monkeypatch.setattr(score_oracle, "COMMITTED", tmp_path / "committed")
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    right = ScoreOracle(SMALL["grid"]).expected(None, IGRAPH)
    shutil.move(tmp_path / "oracles", tmp_path / "committed")
    monkeypatch.setitem(sys.modules, "igraph", None)
    assert_array_equal(ScoreOracle(SMALL["grid"]).expected(None, IGRAPH), right)
    assert not (tmp_path / "oracles").exists()


def test_committed_scores_are_whole() -> None:
    for path in COMMITTED.iterdir():
        kept = Checkpoint.open(path, {"scores of": IGRAPH}, 0)
        assert path.name == f"scores-{stated_of(path)[DECIDES][:16]}.npz"
        assert kept.done == len(kept.scores)
        assert np.isfinite(kept.scores).all()
        assert kept.scores.min() == 0


def stated_of(path: Path) -> dict[str, str]:
    with np.load(path) as file:
        stated: dict[str, str] = json.loads(str(file["identity"]))
    return stated


@pytest.mark.parametrize("committed", [False, True])
def test_scores_of_another_graph_or_of_other_sources_verify_nothing(
    committed: bool, monkeypatch: Patch, tmp_path: Path
) -> None:
    """A file is known by what is in it: whole ones that were swapped, or whose scores were edited."""
    monkeypatch.setattr(score_oracle, "WORTH_KEEPING", 0)
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    one, other = graph(3, [(0, 1, 1), (1, 2, 1)]), graph(3, [(0, 2, 1), (2, 1, 1)])
    asked = [(one, None), (other, None), (one, (0, 1))]
    paths = []
    for of, sources in asked:
        ScoreOracle(of).expected(sources, IGRAPH)
        path = ScoreOracle(of).file_of(IGRAPH, sources)
        assert path is not None
        paths.append(path)
    if committed:
        monkeypatch.setattr(score_oracle, "COMMITTED", tmp_path / "oracles")
    path, whole = paths[0], paths[0].read_bytes()
    for swapped in paths[1:]:
        path.write_bytes(swapped.read_bytes())
        with pytest.raises(OneLineError, match=f"{path}: is a checkpoint of other {DECIDES} than .*; delete"):
            ScoreOracle(one).expected(None, IGRAPH)
    path.write_bytes(whole)
    with np.load(path) as file:
        stored = dict(file)
    for edited in ({"scores": 3 * stored["scores"]}, {"done": np.array(2)}, {"sha256": np.array("0" * 64)}):
        np.savez(path, **stored | edited)
        with pytest.raises(OneLineError, match=f"{path}: is not a checkpoint, or damaged; delete it"):
            ScoreOracle(one).expected(None, IGRAPH)
    path.unlink()
    assert_allclose(ScoreOracle(one).expected(None, IGRAPH), [0, 1, 0])


@pytest.mark.skipif(not GOWALLA.is_file(), reason="no GRAPH_MIRROR folder with Gowalla")
def test_committed_scores_of_gowalla_are_those_that_follow_without_a_search(
    script: Call, tmp_path: Path
) -> None:
    """Without a vertex that a tree hangs on, or in a tree, its component falls apart into known parts."""
    assert script("get-graph", "--graph", "Gowalla", "--output", tmp_path / "Gowalla").status == 0
    gowalla = csr.load(tmp_path / "Gowalla")
    path = ScoreOracle(gowalla).file_of(IGRAPH, None)
    assert path is not None
    assert path.parent == COMMITTED
    compacted = compact(uncompacted(gowalla))
    removed = np.setdiff1d(np.arange(gowalla.vertices), compacted.kept)
    assert len(removed) == 53_921
    scores = ScoreOracle(gowalla).expected(None, IGRAPH)
    assert_allclose(2 * scores[removed], compacted.extra[removed], rtol=1e-12)
    assert (2 * scores[compacted.kept] >= compacted.extra[compacted.kept] * (1 - 1e-12)).all()


def test_sources_are_sampled_alike_for_every_solver() -> None:
    info = {"vertices": 500, "sources": {"count": 64, "seed": 7}}
    (query,) = queries("betweenness", info)
    assert (query,) == tuple(queries("betweenness", info))
    assert query.sources is not None
    assert len(set(query.sources)) == 64
    assert query.parameters() == {"sources": 64, "source_seed": 7}
    assert queries("betweenness", {"vertices": 500}) == [Query()]
    assert Query.sampled(500, 64, 8).sources != query.sources
    assert Query.sampled(3, 3, 1).sources == (0, 1, 2)
    with pytest.raises(OneLineError, match="4 sources requested, expected 1 to 3"):
        Query.sampled(3, 4, 1)


@needs_networkit
def test_records_hold_the_sources_and_the_largest_error(provenance: dict[str, Any]) -> None:
    whole = identified(replace(SMALL["grid"], weights=None), "grid", sources={"count": 5, "seed": 1})
    names = ["betweenness/seq-array", "betweenness/networkit"]
    cases = measure("test", whole, names, Effort(trials=2, budget_s=60), ("emulator", EmulatedDevice))
    array, networkit = (as_record("test", whole.info, case, provenance) for case in cases)
    assert (array.status, array.verified, array.source) == ("ok", True, None)
    assert array.parameters == {"sources": 5, "source_seed": 1}
    assert 0 <= array.observed["max_relative_error"] < 1e-12
    assert (networkit.status, networkit.trials) == ("skipped", [])
    assert "all vertices" in str(networkit.reason)


@pytest.mark.parametrize(
    "name", [f"betweenness/{each}" for each in ("seq-array", "igraph", "networkit", "vert-comp", "levels")]
)
def test_times_of_large_graphs_are_predicted(name: str) -> None:
    with EmulatedDevice() if issubclass(REGISTRY.find(name), DeviceSolver) else nullcontext() as device:
        solver = make(name, device)
        solver.setup(NAMED["grid"])
        predicted = solver.predict_seconds(Query())
        assert predicted is not None
        assert 0 < predicted < 60
        if name == "betweenness/vert-comp":
            assert 0 < (solver.predict_seconds(Query(sources=(0, 1))) or 0) < predicted
        elif name == "betweenness/levels":
            assert solver.predict_seconds(Query(sources=(0, 1))) is None
        else:
            solver.setup(SMALL["one vertex"])
            assert solver.predict_seconds(Query()) is None
