"""What tells how long a search of a graph takes: its size, and what the beginning of a search shows."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log2
from typing import Self

import numpy as np

from retrace.devices.host import function_of, pointer
from retrace.graphs.csr import CSRGraph

SAMPLE_SEARCH = "retrace_today/host/sample_search.cpp"
SAMPLED_ARCS = 2048
"""Arcs that are followed: each may cost a core a look at memory."""
FAR = 0.2
"""What neighbours' numbers differ by, as a share of all, if they are scattered or more; by chance 1/3."""
FROM_ELSEWHERE = 1.5
"""Times as many levels have other searches than one from a vertex in the middle: up to twice as many."""


class CSample(ctypes.Structure):
    """`Sample` of the C++ file."""

    _fields_ = (
        ("levels", ctypes.c_int), ("ended", ctypes.c_int), ("hub", ctypes.c_int), ("arcs", ctypes.c_int),
        ("again", ctypes.c_int), ("after_first", ctypes.c_int), ("equal_weights", ctypes.c_int),
        ("apart", ctypes.c_longlong),
    )  # fmt: skip


@dataclass(frozen=True)
class Features:
    """The features of a graph that decide which solver is fastest."""

    vertices: int
    arcs: int
    levels: float
    """Of a search of the whole component, as far as the first levels tell."""
    reached: float
    """Vertices of the component, likewise."""
    hub: int
    """The most arcs of a vertex that the sample found."""
    scattered: bool
    """Whether neighbours have numbers that are no nearer than by chance."""
    is_forest: bool
    """Whether there are too few edges for a cycle, of which the sample found none."""
    equal_weights: bool
    """Whether arcs have no weights, or the same, as far as a sample tells."""

    @property
    def arcs_reached(self) -> float:
        """The arcs of the component, if it has its share."""
        return self.arcs * self.reached / max(1, self.vertices)

    @property
    def is_deep(self) -> bool:
        """Whether the levels are more than those of a graph that grows by a factor from each to the next."""
        return self.levels > 2 * log2(max(2, self.vertices))

    @classmethod
    def of(cls, graph: CSRGraph) -> Self:
        """Search the graph from a vertex of many arcs, until `SAMPLED_ARCS` are followed."""
        if not graph.vertices:
            return cls(0, 0, 0, 0, 0, False, True, True)
        reached, sample = np.empty(SAMPLED_ARCS + 3, np.int32), CSample()
        function_of(graph, SAMPLE_SEARCH, "sample_search")(
            SAMPLED_ARCS, pointer(reached), ctypes.byref(sample)
        )
        scattered = sample.apart > FAR * sample.arcs * graph.vertices
        by_level = reached[: sample.levels + 1].tolist()
        levels, component = float(sample.levels), by_level[-1]
        if not sample.ended:
            levels, component = levels_of_all(by_level, graph.vertices), graph.vertices
        undirected = graph.info.get("directed") is False
        edges, back = (graph.arcs / 2, sample.after_first) if undirected else (graph.arcs, 0)
        forest = edges < graph.vertices and sample.again <= back
        return cls(
            graph.vertices,
            graph.arcs,
            levels,
            component,
            sample.hub,
            scattered,
            forest,
            bool(sample.equal_weights),
        )


def levels_of_all(by_level: Sequence[int], vertices: int) -> float:
    """Return after how many levels all vertices are found, if their number grows with a power of the level.

    `by_level` are those up to each level; the last number may be an estimate.
    """
    half = (len(by_level) - 1) // 2
    power = log(by_level[-1] / by_level[half]) / log(len(by_level) / (half + 1))
    times: float = (vertices / by_level[-1]) ** (1 / max(1.0, power))
    return FROM_ELSEWHERE * len(by_level) * times
