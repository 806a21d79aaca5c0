"""Fit the costs of choices to a machine: to records of `retrace stage judge-choices` with the same arguments.

python tests/retrace_today/fit_costs.py FOLDER --seed N [--graphs N] [--most-arcs N] > costs.yaml
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.optimize import least_squares

from retrace.records.record import Record, read_records
from retrace_today.cost import Terms, costs, of_betweenness, of_search
from retrace_today.features import Features
from retrace_today.judge_choices import resident_ms
from retrace_today.judged_graphs import judged_graphs

NEAR = 1.5
"""A solver that takes so many times as long as the best, or less, has its full weight."""
HOLD = 0.15
"""How much a cost is held near what it was, beside one time of full weight."""
FEWEST = 4
"""Times of a solver that are needed to fit its costs."""


class Timed(NamedTuple):
    """How long a solver took beside the best."""

    terms: Terms
    us: float
    best_us: float


def timed(folder: Path, count: int, most_arcs: int, seed: int) -> Iterator[tuple[str, Timed]]:
    """Yield what was timed of each solver that has costs."""
    for graph in judged_graphs(count, most_arcs, seed):
        features = Features.of(graph)
        for path in sorted(folder.glob(f"*/{graph.name}.jsonl")):
            records = [one for one in read_records([path]) if one.timed and one.status == "ok"]
            best = min((1e3 * resident_ms(one) for one in records), default=0.0)
            for one in records:
                if one.solver in costs():
                    yield one.solver, Timed(terms_of(one, features), 1e3 * resident_ms(one), best)


def terms_of(record: Record, features: Features) -> Terms:
    """Return the terms of what a record's solver was asked."""
    if record.problem != "betweenness":
        return of_search(features)
    return of_betweenness(features, int(record.parameters.get("sources", features.vertices)))


def fitted(before: Terms, times: Sequence[Timed]) -> dict[str, float]:
    """Return costs whose sums fit the logarithms of the times best; those of slow solvers weigh less."""
    names = list(before)
    sums = np.array([[each.terms[name] * before[name] for name in names] for each in times])
    us, best = (np.array([getattr(each, key) for each in times]) for key in ("us", "best_us"))
    weights = np.minimum(1.0, NEAR * best / us)

    def apart(factors: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([weights * np.log(sums @ np.exp(factors) / us), HOLD * factors])

    factors = np.exp(least_squares(apart, np.zeros(len(names))).x)
    return {name: float(f"{before[name] * times:.2g}") for name, times in zip(names, factors, strict=True)}


def fit(records: Mapping[str, Sequence[Timed]]) -> dict[str, dict[str, float]]:
    """Return the costs of all solvers; those of which there are too few times as they were."""
    return {
        solver: fitted(before, records[solver]) if len(records.get(solver, ())) >= FEWEST else dict(before)
        for solver, before in costs().items()
    }


def main(words: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--graphs", type=int, default=40)
    parser.add_argument("--most-arcs", type=int, default=1_000_000)
    given = parser.parse_args(words)
    records = defaultdict[str, list[Timed]](list)
    for solver, time in timed(given.folder, given.graphs, given.most_arcs, given.seed):
        records[solver].append(time)
    yaml.safe_dump(fit(records), sys.stdout, sort_keys=False, default_flow_style=None, width=110)


if __name__ == "__main__":
    main(sys.argv[1:])
