"""Further solves on the graph that is in place: all solvers make them, and each finds its answer anew."""

from __future__ import annotations

import pytest

from command_line import Patch
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, identified
from retrace.graphs.query import Query
from retrace.measure.trials import Afterwards, again, one_pass
from retrace.solvers import REGISTRY, Solver, make
from retrace.system.errors import RetraceError

GRID = identified(NAMED["grid"], "grid", source=0)
QUERIES = {"stcon": Query(3, 200), "betweenness": Query(sources=(3, 17, 200))}
ALL_SOURCES = ("betweenness/networkit",)
ONCE = ("sssp/thrust", "betweenness/multi-gpu")
"""Solvers that solve once alone: Thrust's vectors, and the processes of several GPUs, end with the answer."""

MEASURED = [name for name in REGISTRY.solvers if name not in ONCE]


def begins_before_solve(kind: type[Solver]) -> bool:
    """Return whether a further solve needs `begin_again`."""
    return kind.begin_again is not Solver.begin_again and not hasattr(kind, "candidates")


def ready(name: str, device: EmulatedDevice) -> tuple[Solver, Query]:
    """Set a solver up on a grid; return it and a question to it."""
    kind = REGISTRY.find(name)
    if (why_not := kind.unavailable()) is not None:
        pytest.skip(why_not)
    solver = make(f"{name}:block_size=64" if "block_size" in kind.settings else name, device)
    solver.setup(GRID)
    return solver, Query() if name in ALL_SOURCES else QUERIES.get(kind.problem, Query(3))


@pytest.mark.parametrize("name", MEASURED)
def test_a_trial_solves_again(name: str) -> None:
    """Otherwise a warm time stands beside a cold one."""
    with EmulatedDevice() as device:
        solver, query = ready(name, device)
        assert one_pass(solver, query, device, Afterwards(longest_ms=float("inf"))).times.again is not None
        solver.upload(query)
        iterations = solver.solve(query)
        solver.begin_again(query)
        assert solver.solve(query) == iterations


@pytest.mark.parametrize(
    ("name", "idle"),
    [(name, "solve") for name in MEASURED]
    + [(name, "begin_again") for name in MEASURED if begins_before_solve(REGISTRY.find(name))],
)
def test_an_answer_that_stayed_from_before_is_refused(name: str, idle: str, monkeypatch: Patch) -> None:
    with EmulatedDevice() as device:
        solver, query = ready(name, device)
        solver.upload(query)
        solver.solve(query)
        answer = solver.download()  # of which a solver on the host has no other copy
        monkeypatch.setattr(solver, idle, lambda query: None)
        with pytest.raises((RetraceError, AttributeError)):
            again(solver, query, device, answer)
