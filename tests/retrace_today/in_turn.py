"""Time two solvers in turn on one device: what predecessors add, or what a choice loses.

    python tests/retrace_today/in_turn.py predecessors resources/graphs/NY ... [--backend cuda] [--seconds 1]
    python tests/retrace_today/in_turn.py choices resources/graphs/NY ... [--solvers stcon/auto]

`predecessors` compares each of our searches without and with them, `choices` each `…/auto` with every
candidate that is not far slower. Two trials of the records are some milliseconds apart, in which a host may
become slower. Here 19 solves of one solver follow 19 of the other, after one that warms the caches, and
either is first in every other round. Prints the medians in us, how much longer the second takes, and the 95 %
interval of that; ends with status 1 if that is shown to be more than may be: 15 % for predecessors, 5 % for a
choice.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path

import numpy as np

from cuda_device.errors import TooLargeError
from cuda_device.interface import Device
from retrace.check.checkers import checker_of
from retrace.graphs.csr import CSRGraph, load
from retrace.graphs.query import Query, queries
from retrace.measure.trials import Clock
from retrace.planning.experiments import with_settings
from retrace.records.bootstrap import TAILS, resampled_medians
from retrace.solvers import REGISTRY, DeviceSolver, Solver, find
from retrace.system.errors import RetraceError, run_command
from retrace_today.choice import Choice
from solving import open_device, solved

MOST = {"predecessors": 0.15, "choices": 0.05}
"""How much longer the second solver may take, as a share."""
SOLVES = 19
"""Solves of a round, as in a trial of the records."""
LEAST = 10
"""Rounds, however long they take."""
FAR = 2
"""How many times a choice's time a candidate may take, to be compared with it."""

ANSWERS = [{"predecessors": "no"}, {"predecessors": "yes"}]
Pair = tuple[str, str]
"""Two solvers with their settings; the second may take a share of `MOST` longer."""


def longer(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float]:
    """Return how much longer the second takes: the median share over rounds, and the ends of its interval.

    Of a single round, all are its share.
    """
    shares = [after / before - 1 for before, after in zip(first, second, strict=True)]
    middle = statistics.median(shares)
    low, high = np.quantile(resampled_medians((tuple(shares),)), TAILS)
    return middle, float(low), float(high)


def predecessors() -> Iterator[Pair]:
    """Yield each of our kernels that is repeated on a resident graph, without and with predecessors."""
    for name, kind in REGISTRY.solvers.items():
        if "predecessors" in kind.settings and kind.repeats and issubclass(kind, DeviceSolver):
            for spec in [name, f"{name}:contracted=yes"] if "contracted" in kind.settings else [name]:
                without, with_them = (with_settings(spec, asked) for asked in ANSWERS)
                yield without, with_them


def choices() -> Iterator[Pair]:
    """Yield each candidate of a choice, and the choice, without and with predecessors."""
    for name, kind in REGISTRY.solvers.items():
        if issubclass(kind, Choice):
            for asked in ANSWERS if "predecessors" in kind.settings else [{}]:
                for candidate in kind.candidates:
                    if asked.keys() <= candidate.settings.keys():
                        yield with_settings(candidate.name, asked), with_settings(name, asked)


PAIRS = {"predecessors": predecessors, "choices": choices}


def ready(spec: str, device: Device | None, graph: CSRGraph, query: Query) -> Solver:
    """Return a solver that has answered once, as it should.

    It is a copy, as in a trial: Python finds the attributes of a copy later, by 0.15 us a search.
    """
    on_device = issubclass(find(spec), DeviceSolver)
    found = solved(spec, graph, query, device if on_device else None)
    result = checker_of(found.problem, graph).check(spec, query, found.download(), found.predecessors())
    if not result.verified:
        raise RetraceError(f"{spec}: {result.reason}")
    return copy(found)


def solve_time(solver: Solver, query: Query, device: Device | None, solves: int = SOLVES) -> float:
    """Return the median time of a solve in ms, after one that is not counted."""
    solver.solve(query)
    clock, times = Clock(), []
    clock.lap(device)
    for _ in range(solves):
        solver.solve(query)
        times.append(clock.lap(None if solver.ends_on_host else device))
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


def compared(
    pair: Pair, graph: CSRGraph, query: Query, backend: str, seconds: float
) -> list[list[float]] | None:
    """Return the times of two solvers in turn, in ms; None if the first cannot answer, or is far slower."""
    with open_device(backend) as device:
        try:
            both = [ready(spec, device, graph, query) for spec in pair]
        except TooLargeError:
            return None
        first, second = (solve_time(solver, query, device, solves=3) for solver in both)
        return None if first > FAR * second else in_turn(both, query, device, seconds)


def main() -> None:
    """Time all pairs of solvers on all graphs."""
    parser = argparse.ArgumentParser(description="Time two solvers in turn.")
    parser.add_argument("which", choices=PAIRS)
    parser.add_argument("graphs", nargs="+", type=Path, metavar="GRAPH")
    parser.add_argument("--solvers", nargs="+", metavar="SOLVER", help="the second of a pair; by default all")
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--seconds", type=float, default=1.0)
    given = parser.parse_args()
    most, above = MOST[given.which], 0
    for folder in given.graphs:
        graph = load(folder)
        for pair in PAIRS[given.which]():
            solver = find(pair[1])
            wanted = not given.solvers or solver.name in given.solvers
            known = {"stcon": "pairs" in graph.info, "sssp": graph.weights is not None}.get(
                solver.problem, True
            )
            for query in queries(solver.problem, graph.info) if wanted and known else ():
                times = compared(pair, graph, query, given.backend, given.seconds)
                if times is None:
                    continue
                share, low, high = longer(*times)
                above += low > most
                first, second = (statistics.median(some) * 1e3 for some in times)
                named = f"{graph.name:12} {pair[0]:36} {pair[1]:30} {query.pair or '-':12} {len(times[0]):6}"
                print(named, f"{first:9.1f} {second:9.1f} {share:6.1%} [{low:.1%}, {high:.1%}]", flush=True)
    if above:
        raise RetraceError(f"{above} pairs: the second takes more than {most:.0%} longer")


if __name__ == "__main__":
    run_command(main)
