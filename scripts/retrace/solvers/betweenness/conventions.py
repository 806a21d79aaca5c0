"""What all betweenness solvers agree on: the pairs counted, and the error when path counts overflow.

In an undirected graph each pair of vertices counts once, not in both directions. Parallel arcs count once,
and self-loops never. Nothing is normalised, and sums over some sources are not scaled up to all.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.solvers.solver import seconds_of
from retrace.system.errors import RetraceError

FEW_SEARCHES = 8
"""Searches from which the time of many is extrapolated."""


def count_pairs_once(scores: NDArray[Any], graph: CSRGraph) -> NDArray[np.float64]:
    """Convert sums over ordered pairs to scores: those of an undirected graph count every pair twice.

    Doubles of a directed graph are the same array.
    """
    if graph.info.get("directed") is not False:
        return scores.astype(np.float64, copy=False)
    counted: NDArray[np.float64] = np.divide(scores, 2, dtype=np.float64)  # one pass, one array
    return counted


def too_many_paths(
    solver: str,
    source: int,
    limit: str = "a double holds, 1.8e308",
    compacted: bool = False,
    advice: str = "",
) -> RetraceError:
    """Return the error for path counts that overflow `limit`; `advice` comes before betweenness/seq-scaled.

    In a `compacted` graph the search may have stood for a vertex that was removed and depends on `source`.
    """
    who = f"vertex {source} (ids from 0){', or one that hangs on it,' if compacted else ''}"
    return RetraceError(
        f"{solver}: from {who} more shortest paths lead to some vertex than {limit}; "
        f"use {advice}betweenness/seq-scaled, or other sources"
    )


def extrapolate(
    search: Callable[[Int32Array], object], sources: Int32Array, at_once: int = 1
) -> float | None:
    """Measure the searches from a few sources; return the seconds of all, or None if there are only a few.

    If some of them run at the same time, a multiple of these is measured.
    """
    number = -(-FEW_SEARCHES // at_once) * at_once
    if len(sources) <= number:
        return None
    few = np.ascontiguousarray(sources[:: len(sources) // number][:number])
    return seconds_of(lambda: search(few)) / len(few) * len(sources)
