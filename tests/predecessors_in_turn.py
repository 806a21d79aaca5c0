"""Time our own searches without and with predecessors in turn, on one device.

    python tests/predecessors_in_turn.py resources/graphs/NY ... [--backend cuda] [--seconds 1]

The records' trials of the two are some milliseconds apart, in which a host may become slower. Here five
solves of one follow five of the other, after a solve that warms the caches, and either is first in every
other round. Prints the medians in us, what predecessors add, and the 95 % interval of that; ends with
status 1 if they are shown to add more than 15 % to a search.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from retrace.check.checkers import checker_of
from retrace.devices.base import Device
from retrace.graphs.csr import CSRGraph, load
from retrace.graphs.query import queries
from retrace.measure.trials import Clock
from retrace.planning.configuration import with_settings
from retrace.records.comparison import interval
from retrace.solvers import REGISTRY, DeviceSolver, Query, Solver
from retrace.system.errors import RetraceError
from solving import open_device, solved

MOST = 0.15
"""What predecessors may add to a search on a resident graph, as a share."""
SOLVES = 5
LEAST = 10
"""Rounds, however long they take."""


def added(without: Sequence[float], with_them: Sequence[float]) -> tuple[float, float, float]:
    """Return what predecessors add, as a share: the median over rounds, and the ends of its interval.

    Of a single round, all are its share.
    """
    shares = [after / before - 1 for before, after in zip(without, with_them, strict=True)]
    middle = statistics.median(shares)
    return middle, *(interval([shares], np.median) if len(shares) > 1 else (middle, middle))


def searches() -> Iterator[str]:
    """Yield each of our kernels that finds predecessors if asked to, and is repeated on a resident graph."""
    for name, kind in REGISTRY.solvers.items():
        if "predecessors" in kind.settings and kind.repeats and issubclass(kind, DeviceSolver):
            yield name
            if "contracted" in kind.settings:
                yield f"{name}:contracted=yes"


def ready(solver: str, device: Device | None, graph: CSRGraph, query: Query) -> Solver:
    """Return a solver that has answered once, as it should."""
    found = solved(solver, graph, query, device)
    result = checker_of(found.problem, graph).check(solver, query, found.download(), found.predecessors())
    if not result.verified:
        raise RetraceError(f"{solver}: {result.reason}")
    return found


def solve_time(solver: Solver, query: Query, device: Device | None) -> float:
    """Return the median time of a solve in ms, after one that is not counted."""
    solver.solve(query)
    clock, times = Clock(), []
    clock.lap(device)
    for _ in range(SOLVES):
        solver.solve(query)
        times.append(clock.lap(device))
    return statistics.median(times)


def in_turn(both: Sequence[Solver], query: Query, device: Device | None, seconds: float) -> list[list[float]]:
    """Return the times of two solvers in each round, in ms."""
    times: list[list[float]] = [[], []]
    whole, took = Clock(), 0.0
    while len(times[0]) < LEAST or took < seconds * 1e3:
        order = (0, 1) if len(times[0]) % 2 else (1, 0)
        for which in order:
            times[which].append(solve_time(both[which], query, device))
        took += whole.lap()
    return times


def main() -> None:
    """Time all searches on all graphs."""
    parser = argparse.ArgumentParser(description="Time searches without and with predecessors in turn.")
    parser.add_argument("graphs", nargs="+", type=Path, metavar="GRAPH")
    parser.add_argument("--solvers", nargs="+", default=list(searches()), metavar="SOLVER")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--seconds", type=float, default=1.0)
    given = parser.parse_args()
    above = 0
    for folder in given.graphs:
        graph = load(folder)
        for solver in given.solvers:
            problem, _, _ = solver.partition("/")
            known = problem != "stcon" or "pairs" in graph.info
            for query in queries(problem, graph.info) if known else ():
                with open_device(given.backend) as device:
                    asked = [with_settings(solver, {"predecessors": answer}) for answer in ("no", "yes")]
                    both = [ready(one, device, graph, query) for one in asked]
                    times = in_turn(both, query, device, given.seconds)
                share, low, high = added(*times)
                above += low > MOST
                named = f"{graph.info['name']:12} {solver:28} {query.pair or '-':12} {len(times[0]):6}"
                without, with_them = (statistics.median(some) * 1e3 for some in times)
                told = f"{without:9.1f} {with_them:9.1f} {share:6.1%} [{low:.1%}, {high:.1%}]"
                print(named, told, flush=True)
    if above:
        raise RetraceError(f"{above} searches: predecessors add more than {MOST:.0%}")


if __name__ == "__main__":
    try:
        main()
    except RetraceError as error:
        sys.exit(f"error: {error}")
