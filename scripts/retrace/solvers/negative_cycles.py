"""What a solver of bellman-ford says instead of distances that are none."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from retrace.devices.build import build_host
from retrace.graphs.csr import UNREACHABLE, CSRGraph, Int32Array
from retrace.graphs.dense import DenseGraph, Graph
from retrace.solvers.host import c_graph
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS

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
            f"{graph.name}: distances from vertex {source} (from 0) pass what 32 bits hold, {LEAST + 1} to "
            f"{UNREACHABLE - 1}; scale the weights down"
        )
    return RetraceError(
        f"{graph.name}: vertex {vertex} (from 0) lies on a negative cycle that vertex {source} reaches, so "
        "that there are no shortest distances; take another source, or mend the weights"
    )


class DistanceCheck:
    """Tells distances from what a solver is left with when sums stop where 32 bits end.

    What can be known of the graph is found out once, before any trial.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        heaviest = 0  # a complete graph's weights are known to be light
        if isinstance(graph, CSRGraph) and graph.weights is not None and graph.arcs:
            heaviest = int(graph.weights.max())
        self.may_rise = heaviest * graph.vertices >= UNREACHABLE

    def check(self, source: int, distance: Int32Array) -> Int32Array:
        """Return distances that are some.

        Raises
        ------
        RetraceError
            If one fell as far as 32 bits reach, or an arc leads on to a vertex that is not reached, because
            its distance is none of 32 bits. A vertex of the negative cycle behind it, if any, is named.
        """
        if distance.min() == LEAST or (self.may_rise and self.is_cut_short(distance)):
            raise refuse_endless(self.graph, source)
        return distance

    def is_cut_short(self, distance: Int32Array) -> bool:
        """Whether an arc leads from a vertex that is reached to one that is not."""
        assert isinstance(self.graph, CSRGraph)
        reached = distance != UNREACHABLE
        return any(
            (reached[tails] & ~reached[self.graph.indices[arcs]]).any() for tails, arcs in self.graph.blocks()
        )


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
