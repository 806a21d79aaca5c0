"""Without NetworKit or igraph, their solvers are skipped for one reason, and other oracles answer."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Call, Patch
from cuda_on_cpu.device import EmulatedDevice
from exact_betweenness import exact_scores
from graphs import grid, identified
from retrace.check.score_oracle import IGRAPH, LONG_DOUBLE, SCIPY, ScoreOracle
from retrace.measure.experiment import as_record
from retrace.measure.kept_trials import identity_of_job
from retrace.measure.trials import Effort
from retrace.publish import tables
from retrace.reports import frame as frames
from retrace.solvers import Query
from solving import measure

LIBRARIES = ("igraph", "networkit")
PROBLEMS = ("bfs", "stcon", "sssp", "betweenness")
REASONS = {
    "igraph": "igraph is not installed; make reproduce installs it",
    "networkit": "networkit is not installed; make reproduce installs it, on aarch64 from Python 3.14 on",
}
GRID = identified(grid(8, 6), "grid", source=0, pairs={"far": (0, 47)})
RIGHT = exact_scores(GRID)


def forget(library: str, monkeypatch: Patch) -> None:
    """Let Python find neither the library nor what pip knows of it."""
    find = importlib.metadata.Distribution.from_name

    def others(name: str) -> importlib.metadata.Distribution:
        if name == library:
            raise importlib.metadata.PackageNotFoundError(name)
        return find(name)

    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(importlib.metadata.Distribution, "from_name", others)


@pytest.fixture(params=LIBRARIES)
def missing(request: pytest.FixtureRequest, monkeypatch: Patch) -> str:
    forget(request.param, monkeypatch)
    return str(request.param)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_its_solvers_are_skipped(missing: str, problem: str, provenance: dict[str, Any]) -> None:
    (case,) = measure(
        "mine", GRID, [f"{problem}/{missing}"], Effort(trials=3, budget_s=60), ("emulator", EmulatedDevice)
    )
    record = as_record("mine", GRID.info, case, provenance)
    assert (record.status, record.reason, record.trials) == ("skipped", REASONS[missing], [])
    assert record.software.peer == missing
    page = tables.page(frames.build([record]), "mine", None)
    assert REASONS[missing] in " ".join(map(str, (*page.remarks, *page.notes)))


def test_a_job_that_goes_on_depends_on_what_is_installed(missing: str) -> None:
    solver = f"bfs/{missing}"
    options = {"solvers": [solver], "backend": "emulator", "machine": "here"}
    assert identity_of_job(options, {})["libraries"] == {solver: [missing, REASONS[missing]]}


@pytest.mark.parametrize("problem", ["bfs", "betweenness"])
def test_the_command_line_says_why_it_cannot(missing: str, problem: str, tiny: Path, call: Call) -> None:
    source = ("--source", 1) if problem == "bfs" else ()
    done = call("solve", f"{problem}/{missing}", tiny, *source)
    assert done.refusal(1) == f"error: {problem}/{missing}: {REASONS[missing]}\n"


def test_scores_are_compared_with_those_of_another_library(monkeypatch: Patch) -> None:
    some, part = Query(sources=(3, 5)), exact_scores(GRID, (3, 5))

    def oracles() -> list[str]:
        found = []
        for name, query, right in (("seq-stl", Query(), RIGHT), ("igraph", Query(), RIGHT),
                                   ("networkit", Query(), RIGHT), ("seq-stl", some, part),
                                   ("igraph", some, part)):  # fmt: skip
            result = ScoreOracle(GRID).check(f"betweenness/{name}", query, right)
            assert result.verified, result.reason
            found.append(result.oracle)
        return found

    forget("networkit", monkeypatch)
    assert oracles() == [IGRAPH, SCIPY, IGRAPH, IGRAPH, LONG_DOUBLE]
    forget("igraph", monkeypatch)
    assert oracles() == [SCIPY, SCIPY, SCIPY, SCIPY, LONG_DOUBLE]


def test_what_overflows_is_compared_in_long_doubles(monkeypatch: Patch) -> None:
    forget("networkit", monkeypatch)
    oracle = ScoreOracle(GRID)
    whole = oracle.expected

    def expected(sources: tuple[int, ...] | None, by: str) -> np.ndarray:
        return whole(sources, by) if by == LONG_DOUBLE else np.full_like(RIGHT, np.nan)

    monkeypatch.setattr(oracle, "expected", expected)
    result = oracle.check("betweenness/seq-scaled", Query(), RIGHT)
    assert (result.verified, result.oracle) == (True, LONG_DOUBLE)
