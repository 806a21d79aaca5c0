"""What a solver of bellman-ford says instead of distances that are none."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from retrace.devices.build import KERNELS, build_host
from retrace.errors import RetraceError
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.solvers.host import c_graph

SOURCE = "host/negative_cycle.cpp"
LEAST = np.iinfo(np.int32).min
"""A distance that fell as far as 32 bits reach, in `kernels/bellman-ford/sum.h`."""


def find_negative_cycle(graph: CSRGraph, source: int) -> int | None:
    """Find a vertex on a negative cycle that the source reaches, in C++; None if there is none."""
    function: Any = ctypes.CDLL(str(build_host(KERNELS / SOURCE))).negative_cycle
    vertex = int(function(c_graph(graph), source))
    return None if vertex < 0 else vertex


def refuse_endless(graph: Graph, source: int) -> RetraceError:
    """Say why distances fell on and on: in more iterations than there are vertices, or beyond 32 bits."""
    assert not isinstance(graph, DenseGraph), "its weights are positive"
    vertex = find_negative_cycle(graph, source)
    if vertex is None:
        return RetraceError(
            f"{graph.name}: distances from vertex {source} (from 0) fall below {LEAST + 1}, the least that "
            "32 bits hold; scale the weights down"
        )
    return RetraceError(
        f"{graph.name}: vertex {vertex} (from 0) lies on a negative cycle that vertex {source} reaches, so "
        "that there are no shortest distances; take another source, or mend the weights"
    )


def check_distances(graph: Graph, source: int, distance: Int32Array) -> Int32Array:
    """Return distances that are some.

    Raises
    ------
    RetraceError
        If one fell as far as 32 bits reach, naming a vertex of the negative cycle that did it.
    """
    if distance.min() == LEAST:
        raise refuse_endless(graph, source)
    return distance


def require_nonnegative(graph: Graph, solver: str) -> None:
    """Refuse negative weights.

    Raises
    ------
    RetraceError
        Naming the first arc of one.
    """
    if isinstance(graph, DenseGraph) or graph.weights is None:
        return
    negative = np.flatnonzero(graph.weights < 0)
    if len(negative):
        arc = negative[0]
        tail = int(np.searchsorted(graph.indptr, arc, side="right")) - 1
        raise RetraceError(
            f"{graph.name}: the arc from {tail} to {graph.indices[arc]} (from 0) has weight "
            f"{graph.weights[arc]}, and {solver} takes none below 0; use bellman-ford/sequential"
        )
