"""A library's best number of threads: all that are to be tried are, and the fastest is used and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from command_line import Patch
from fabricated import changed, record
from graphs import NAMED
from retrace.graphs.query import Query
from retrace.publish.provenance import cores_of
from retrace.reports.wording import plural
from retrace.solvers import make
from retrace_peers import best_threads
from retrace_peers.best_threads import ThreadedPeer

CORES = 16
SECONDS = {16: 9.6, 12: 8.5, 8: 7.3, 4: 7.2, 1: 11.4}
BOUND = {16: 8.3, 12: 6.5, 8: 5.8, 4: 6.4, 1: 10.5}


class Threaded(ThreadedPeer):
    """A library whose searches take so many milliseconds, by a clock of its own."""

    bindings = (0, 1)
    package = "none"

    def __init__(self, times: Callable[[int, int], float], unsteady: float = 0.0) -> None:
        self.times, self.unsteady, self.searches = times, unsteady, list[tuple[int, int]]()

    def setup(self, graph: Any) -> None:
        self.begin_with_given()

    def use(self, threads: int, bound: int) -> None:
        self.used = threads, bound

    def sample(self, query: Query) -> None:
        self.searches.append(self.used)

    def solve(self, query: Query) -> None:
        raise NotImplementedError

    def last_seconds(self) -> float:
        first = self.searches.count(self.used) == 1
        return self.times(*self.used) / 1e3 + (self.unsteady if first else 0)


def tuned(
    monkeypatch: Patch, peer: Threaded, chosen: Mapping[str, float] = MappingProxyType({}), **given: int
) -> dict[str, float]:
    """Set up and tune; return what a record observes."""

    def seconds_of(work: Callable[[], object]) -> float:
        work()
        return peer.last_seconds()

    monkeypatch.setattr(best_threads, "CORES", CORES)
    monkeypatch.setattr(best_threads, "seconds_of", seconds_of)
    peer.parameters = {"threads": 0, **given}
    peer.setup(None)
    peer.tune(Query(), chosen)
    observed = peer.observed()
    assert peer.used == (observed["threads"], observed["bound"])
    return observed


def measured_once(threads: int, bound: int) -> float:
    """Return what the audit measured of New York on an H200's host."""
    return (BOUND if bound else SECONDS)[threads]


def test_the_fastest_of_all_numbers_is_used(monkeypatch: Patch) -> None:
    observed = tuned(monkeypatch, Threaded(measured_once, unsteady=0.05))
    assert (observed["threads"], observed["bound"]) == (8, 1)
    told = {key: value for key, value in observed.items() if key.startswith("ms_of_")}
    assert told == pytest.approx(
        {f"ms_of_{n}": ms for n, ms in SECONDS.items()} | {f"ms_of_{n}_bound": ms for n, ms in BOUND.items()}
    )


def test_fewer_threads_are_not_tried_where_fewer_are_slower(monkeypatch: Patch) -> None:
    peer = Threaded(lambda threads, bound: 100 / threads)
    assert tuned(monkeypatch, peer)["threads"] == CORES
    assert {threads for threads, _ in peer.searches} == {16, 12}


def test_a_long_search_is_made_once(monkeypatch: Patch) -> None:
    peer = Threaded(lambda threads, bound: 300.0)
    tuned(monkeypatch, peer)
    assert len(peer.searches) == len(set(peer.searches))


def test_a_later_round_uses_what_the_first_chose(monkeypatch: Patch) -> None:
    """Else a record would observe the choice of its last round alone."""
    first = tuned(monkeypatch, Threaded(measured_once))
    peer = Threaded(lambda threads, bound: 1.0 / threads)  # by which all 16 would be fastest
    assert tuned(monkeypatch, peer, first) == first
    assert peer.used == (8, 1)
    assert not peer.searches


def test_a_number_that_is_given_is_used(monkeypatch: Patch) -> None:
    peer = Threaded(measured_once)
    assert tuned(monkeypatch, peer, threads=3) == {"threads": 3, "bound": 0}
    assert not peer.searches


def test_a_record_is_of_the_number_that_was_used() -> None:
    chosen = changed(
        record("bfs/gapbs", "NY", parameters={"threads": 0}), observed={"threads": 8, "bound": 1}
    )
    assert chosen.cores == 8
    assert changed(chosen, observed={}).cores == chosen.machine.cores
    assert changed(chosen, observed={}, parameters={"threads": 3}).cores == 3


def test_networkit_keeps_a_number(monkeypatch: Patch) -> None:
    networkit = pytest.importorskip("networkit")
    monkeypatch.setattr(networkit, "setNumberOfThreads", lambda number: given.append(number))
    given: list[int] = []
    solver = make("betweenness/networkit")
    solver.setup(NAMED["grid"])
    solver.tune(Query(), {})
    assert solver.observed()["threads"] == given[-1]


def test_a_row_of_several_graphs_names_the_most_cores() -> None:
    """On each graph another number may be fastest, and all have one row in a figure."""
    every = record("bfs/gapbs", "NY").machine.cores
    swept = changed(record("bfs/gapbs", "NY"), observed={"threads": every - 1})
    assert cores_of(swept) == f"up to {every} cores"
    assert cores_of(changed(swept, parameters={"threads": every - 1})) == plural(every - 1, "core")
    assert cores_of(record("bfs/queue", "NY")) == "1 core"
    kernel = record("bfs/cluster", "NY", backend="cuda")
    assert cores_of(kernel) == cores_of(changed(kernel, observed={"threads": 512})) == ""
