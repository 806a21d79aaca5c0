"""What all betweenness solvers agree on: sources, pairs, and what to say when path counts overflow.

A score sums, over the sources asked for and all targets, the share of shortest paths between the two that
lead through a vertex. In an undirected graph each pair counts once, not in both directions; parallel arcs
count once, and self-loops never. Nothing is normalised, and sums over some sources are not scaled up to all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.solvers.registry import Query
from retrace.system.errors import RetraceError


def sources_of(query: Query, graph: CSRGraph) -> Int32Array:
    """Return the sources that a query asks for, shape (sources,), int32; all vertices if it names none."""
    if query.sources is None:
        return np.arange(graph.vertices, dtype=np.int32)
    return np.array(query.sources, dtype=np.int32)


def count_pairs_once(scores: NDArray[Any], graph: CSRGraph) -> NDArray[np.float64]:
    """Turn sums over ordered pairs into scores: an undirected graph's pairs were counted both ways."""
    return scores.astype(np.float64) / (2 if graph.info.get("directed") is False else 1)


def too_many_paths(
    solver: str, source: int, limit: str = "a double holds, 1.8e308", hangs: bool = False, first: str = ""
) -> RetraceError:
    """Say from which source path counts overflow, or from one that `hangs` on it, and what to try first."""
    who = f"vertex {source} (ids from 0){', or one that hangs on it,' if hangs else ''}"
    return RetraceError(
        f"{solver}: from {who} more shortest paths lead to some vertex than {limit}; "
        f"use {first}betweenness/seq-scaled, or other sources"
    )
