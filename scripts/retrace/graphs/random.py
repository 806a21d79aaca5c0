"""The description of a random graph: its size, weights and seed.

The graphs themselves are made by `retrace.solvers.generate`, in C++ or on a device.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from retrace.graphs.csr import UNREACHABLE
from retrace.system.errors import RetraceError

WEIGHTS = (1, 100)
"""Least and greatest weight by default, since the report states none. Sums over 2^22 vertices fit 32 bits."""

RANDOM_GRAPH = r"random-(\d+)-(\d+)"
"""The name of a generated graph: the logarithm of its vertices, base 2, and its arcs a vertex."""


@dataclass(frozen=True)
class RandomGraph:
    """The description of a random directed graph.

    Attributes
    ----------
    vertices
        Number of vertices.
    arcs
        Number of arcs; see `resolve_arcs` for other ways to say it.
    seed
        Any integer, of which 64 bits count. The same seed gives the same graph.
    weights
        Least and greatest weight.
    name
        What records call it; by default its generator and size.

    Raises
    ------
    RetraceError
        If no graph without parallel arcs and self-loops is like that.
    """

    vertices: int
    arcs: int
    seed: int
    weights: tuple[int, int] = WEIGHTS
    name: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        resolve_arcs(self.vertices, arcs=self.arcs)
        low, high = self.weights
        if not 0 <= low <= high < UNREACHABLE:
            raise RetraceError(
                f"weights from {low} to {high}: expected a range within 0 to {UNREACHABLE - 1}"
            )

    @property
    def density(self) -> float:
        """Share of all pairs of vertices, each way, that have an arc; 0 where there are no pairs."""
        return self.arcs / max(1, most_arcs(self.vertices))

    @property
    def memory_bytes(self) -> int:
        """Size of the graph's arrays."""
        return 4 * (self.vertices + 1 + 2 * self.arcs)

    @property
    def info(self) -> dict[str, Any]:
        """Identity for records, as far as it does not depend on the generator, and the query."""
        return {
            "name": self.name,
            "vertices": self.vertices,
            "arcs": self.arcs,
            "origin": "generated",
            "weights": "generated",
            "least_weight": self.weights[0],
            "greatest_weight": self.weights[1],
            "seed": self.seed,
            "density": self.density,
            "directed": True,
            "source": 0,
        }


def size(graph: str) -> tuple[int, int]:
    """Return a random graph's size by its name: the logarithm of its vertices, base 2, and its arcs a vertex.

    Raises
    ------
    RetraceError
        If the name has another form.
    """
    found = re.fullmatch(RANDOM_GRAPH, graph)
    if found is None:
        raise RetraceError(f"graph {graph}: expected random-<log2 of its vertices>-<arcs a vertex>")
    return int(found[1]), int(found[2])


def named(graph: str, seed: int) -> RandomGraph:
    """Return the description of a graph by its name, such as `random-14-5`; see `RANDOM_GRAPH`."""
    exponent, per_vertex = size(graph)
    return RandomGraph(2**exponent, per_vertex * 2**exponent, seed, name=graph)


def most_arcs(vertices: int) -> int:
    """Count the pairs of different vertices, each way."""
    return vertices * (vertices - 1)


def resolve_arcs(
    vertices: int,
    *,
    density: float | None = None,
    per_vertex: float | None = None,
    arcs: int | None = None,
    connected: bool = False,
) -> int:
    """Return the number of arcs of a graph. More than one parameter may state it if all agree.

    Parameters
    ----------
    vertices
        Number of vertices.
    density
        Share of all `vertices * (vertices - 1)` arcs, 0 to 1: the report's Equation 1. Rounded to whole arcs.
    per_vertex
        Arcs a vertex, on average. Rounded to whole arcs.
    arcs
        The number itself.
    connected
        Whether the graph has to be connected, if only weakly.

    Raises
    ------
    RetraceError
        If nothing was said, or if it contradicts itself or asks for what cannot be.
    """
    if not 1 <= vertices < UNREACHABLE:
        raise RetraceError(f"{vertices} vertices: expected from 1 to {UNREACHABLE - 1} (32 bits)")
    most = most_arcs(vertices)
    found: dict[str, int] = {}
    if density is not None:
        if not 0 <= density <= 1:
            raise RetraceError(f"density {density:g}: expected from 0 to 1, the share of all {most} arcs")
        found[f"density {density:g}"] = round(density * most)
    if per_vertex is not None:
        if not (math.isfinite(per_vertex) and 0 <= per_vertex <= vertices - 1):
            raise RetraceError(
                f"{per_vertex:g} arcs a vertex: expected from 0 to {vertices - 1}, one to each other vertex"
            )
        found[f"{per_vertex:g} arcs a vertex"] = round(per_vertex * vertices)
    if arcs is not None:
        found[f"{arcs} arcs"] = arcs
    if not found:
        raise RetraceError("the number of arcs is missing: give a density, arcs a vertex, or arcs")
    if len(set(found.values())) > 1:
        told = ", ".join(f"{said} means {count}" for said, count in found.items())
        raise RetraceError(f"the number of arcs contradicts itself ({told}); keep one of them")
    (said, count), *_ = found.items()
    meaning = "" if said == f"{count} arcs" else f" ({count} arcs)"
    if not 0 <= count <= most:
        raise RetraceError(
            f"{said}{meaning}: expected from 0 to {most}, since {vertices} vertices have no more distinct "
            "arcs; ask for fewer"
        )
    if count >= UNREACHABLE:
        raise RetraceError(f"{said}{meaning}: expected at most {UNREACHABLE - 1} (32 bits); ask for fewer")
    if connected and count < vertices - 1:
        raise RetraceError(
            f"{said}{meaning}: expected at least {vertices - 1}, since fewer connect no graph of {vertices} "
            "vertices; ask for more"
        )
    return count
