"""Further solves on the graph that is in place: all solvers make them, and each finds its answer anew."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from command_line import Patch
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, identified
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.measure.trials import Afterwards, again, gives_same, one_pass
from retrace.solvers import REGISTRY, Solver, make
from retrace.solvers.peer import Peer
from retrace.system.errors import RetraceError

GRID = identified(NAMED["grid"], "grid", source=0)
ONE_WAY = CSRGraph(GRID.indptr, GRID.indices, GRID.weights, GRID.info | {"directed": True})
QUERIES = {"stcon": Query(3, 200), "betweenness": Query(sources=(3, 17, 200))}
OTHERS = {"stcon": Query(250, 7), "betweenness": Query(sources=(5, 80, 100, 150))}
"""Other questions, betweenness with another number of sources."""
ALL_SOURCES = ("betweenness/networkit",)
ONCE = ("sssp/thrust", "betweenness/multi-gpu")
"""Solvers that solve once alone: Thrust's vectors, and the processes of several GPUs, end with the answer."""

MEASURED = [name for name in REGISTRY.solvers if name not in ONCE]


def begins_before_solve(kind: type[Solver]) -> bool:
    """Return whether a further solve of the same question needs `begin_again`."""
    only_of_another = issubclass(kind, Peer) or hasattr(kind, "candidates") or hasattr(kind, "pack_search")
    return kind.begin_again is not Solver.begin_again and not only_of_another


def ready(name: str, device: EmulatedDevice, graph: CSRGraph = GRID) -> tuple[Solver, Query]:
    """Set a solver up on a graph; return it and a question to it."""
    kind = REGISTRY.find(name)
    if (why_not := kind.unavailable()) is not None:
        pytest.skip(why_not)
    spec = f"{name}:block_size=64" if "block_size" in kind.settings else name
    if name == "bellman-ford/ablated":
        spec += ",early_end=1"  # else 390 iterations, after the first few of which nothing changes
    solver = make(spec, device)
    solver.setup(graph)
    return solver, Query() if name in ALL_SOURCES else QUERIES.get(kind.problem, Query(3))


@pytest.mark.long
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


@pytest.mark.parametrize("name", MEASURED)
def test_a_graph_in_place_answers_another_question(name: str) -> None:
    """Otherwise whoever asks again is given the answer to the first question."""
    with EmulatedDevice() as device:
        solver, first = ready(name, device)
        other = first if name in ALL_SOURCES else OTHERS.get(solver.problem, Query(200))
        solver.upload(first)
        solver.solve(first)
        solver.download()
        for query, before in ((other, first), (first, other)):
            solver.begin_again(query)
            solver.solve(query)
            anew, _ = ready(name, device)
            anew.upload(query)
            anew.solve(query)
            assert np.allclose(solver.download(), anew.download(), rtol=1e-6)
            tree = solver.predecessors()
            if tree is not None and solver.problem != "stcon":
                assert tree[query.source] == -1 != tree[before.source]


@pytest.mark.parametrize("name", [name for name in MEASURED if name.startswith("betweenness/")])
def test_scores_of_a_directed_graph_are_the_callers_own(name: str) -> None:
    """They are not halved, so nothing need copy them."""
    with EmulatedDevice() as device:
        solver, first = ready(name, device, ONE_WAY)
        solver.upload(first)
        solver.solve(first)
        answer, other = solver.download(), first if name in ALL_SOURCES else OTHERS["betweenness"]
        kept = answer.copy()
        solver.forget()
        solver.begin_again(other)
        solver.solve(other)
        assert kept.any()
        assert np.array_equal(answer, kept)


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
        answer = solver.download().copy()  # of which a solver on the host has no other one
        monkeypatch.setattr(solver, idle, lambda query: None)
        with suppress(RetraceError, AttributeError):
            again(solver, query, device)
            assert not gives_same(answer, solver.download())
