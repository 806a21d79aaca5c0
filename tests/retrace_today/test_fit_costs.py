"""Costs that are fitted to times, beside those that the times are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import yaml
from fit_costs import FEWEST, Timed, fit, fitted, main

from retrace_today.cost import costs, microseconds, of_search
from retrace_today.features import Features
from retrace_today.judge_choices import JudgeChoices
from retrace_today.judged_graphs import judged_graphs

GRAPHS = [Features.of(graph) for graph in judged_graphs(24, 100_000, 9)]


def times(solver: str, factors: dict[str, float]) -> list[Timed]:
    """Make the times of a machine whose costs are some times those of today."""
    each = costs()[solver]
    searches = [of_search(graph) for graph in GRAPHS]
    sums = [sum(factors.get(key, 1.0) * each[key] * terms[key] for key in each) for terms in searches]
    return [Timed(terms, us, us) for terms, us in zip(searches, sums, strict=True)]


@pytest.mark.parametrize("solver", ["bfs/cluster", "bfs/direction", "stcon/one-block", "sssp/near-far"])
def test_costs_of_another_machine_are_found(solver: str) -> None:
    made = times(solver, {"search": 2.0, "levels": 0.5})
    found = fitted(costs()[solver], made)
    assert found["search"] == pytest.approx(2 * costs()[solver]["search"], rel=0.2)
    assert found["levels"] == pytest.approx(0.5 * costs()[solver]["levels"], rel=0.2)


def test_a_slow_solver_s_times_weigh_less() -> None:
    made = times("bfs/cluster", {})
    far = [one._replace(us=10 * one.us, best_us=one.us) for one in made[:3]]
    off = np.log(fitted(costs()["bfs/cluster"], [*far, *made])["search"] / costs()["bfs/cluster"]["search"])
    worse = np.log(
        fitted(costs()["bfs/cluster"], [*(one._replace(best_us=one.us) for one in far), *made])["search"]
        / costs()["bfs/cluster"]["search"]
    )
    assert abs(off) < abs(worse) / 2


def test_few_times_change_nothing() -> None:
    few = times("bfs/direction", {"search": 3.0})[: FEWEST - 1]
    assert fit({"bfs/direction": few}) == {name: dict(each) for name, each in costs().items()}


def test_records_are_read_with_the_graphs_that_they_are_of(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    JudgeChoices(
        seed=3, backend="emulator", output=tmp_path, problems=("bfs",), graphs=FEWEST, most_arcs=60, sources=1
    ).run()
    capsys.readouterr()
    main([str(tmp_path), "--seed", "3", "--graphs", str(FEWEST), "--most-arcs", "60"])
    printed = yaml.safe_load(capsys.readouterr().out)
    assert printed.keys() == costs().keys()
    assert printed["bfs/queue"] != costs()["bfs/queue"]  # which ran on this host
    assert printed["bfs/cluster"] == costs()["bfs/cluster"]  # whose emulated times say nothing
    assert microseconds("bfs/queue", of_search(GRAPHS[0])) > 0
