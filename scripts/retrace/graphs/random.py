"""The parameters of a random graph: numbers of vertices and arcs, weights, seed.

`retrace.solvers.generate` makes the graphs, in C++ or on a device.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrace.graphs.csr import UNREACHABLE, offset_type
from retrace.system.errors import RetraceError

WEIGHTS = (1, 100)
"""Default for smallest and largest weight; the report gives none. Paths over 2^22 vertices fit in 32 bits."""

RANDOM_GRAPH = r"random-([0-9]{1,2})-([0-9]{1,10})(?:-[0-9]{1,10})?"
"""Name of a random graph: the logarithm of its vertices, base 2, its arcs per vertex, and perhaps the sources
of betweenness, sampled."""

HUB_GRAPH = r"hub-([0-9]{1,2})-([0-9]{1,10})"
"""Name of a random graph with a hub, a vertex that has an arc to every other: see `generators.with_hub`."""

GENERATED = {"origin": "generated", "weights": "generated", "directed": True, "source": 0}
"""The part of `info` that all generated graphs share."""


@dataclass(frozen=True)
class RandomGraph:
    """The parameters of a random directed graph; if no simple graph has them, it raises RetraceError."""

    vertices: int
    arcs: int
    """Number of arcs; `resolve_arcs` computes it from a density or an average degree."""
    seed: int
    """Any integer, of which the lower 64 bits count. The same seed gives the same graph."""
    weights: tuple[int, int] = WEIGHTS
    """Smallest and largest weight."""
    name: str = field(default="", compare=False)
    """Name in records; by default generator and size."""

    def __post_init__(self) -> None:
        resolve_arcs(self.vertices, arcs=self.arcs)
        low, high = self.weights
        if not 0 <= low <= high < UNREACHABLE:
            raise RetraceError(
                f"weights from {low} to {high}: expected a range within 0 to {UNREACHABLE - 1}"
            )

    @property
    def density(self) -> float:
        """Share of all ordered pairs of vertices that have an arc; 0 if there are no pairs."""
        return self.arcs / max(1, most_arcs(self.vertices))

    @property
    def memory_bytes(self) -> int:
        """Size of the graph's arrays in bytes."""
        return np.dtype(offset_type(self.arcs)).itemsize * (self.vertices + 1) + 4 * 2 * self.arcs

    @property
    def info(self) -> dict[str, Any]:
        """Identity for records, without the parts that depend on the generator, and the source."""
        sizes = {"name": self.name, "vertices": self.vertices, "arcs": self.arcs, "density": self.density}
        weights = {"least_weight": self.weights[0], "greatest_weight": self.weights[1], "seed": self.seed}
        return {**sizes, **weights, **GENERATED}


def size(graph: str) -> tuple[int, int]:
    """Read log2 of the vertices and the arcs per vertex from a name; raise RetraceError for other names."""
    found = re.fullmatch(RANDOM_GRAPH, graph)
    if found is None:
        raise RetraceError(f"graph {graph}: expected random-<log2 of its vertices>-<arcs per vertex>")
    return int(found[1]), int(found[2])


def named(graph: str, seed: int) -> RandomGraph:
    """Return the parameters of the graph with a given name, such as `random-14-5`; see `size`."""
    exponent, per_vertex = size(graph)
    return RandomGraph(2**exponent, per_vertex * 2**exponent, seed, name=graph)


def most_arcs(vertices: int) -> int:
    """Return the number of ordered pairs of different vertices."""
    return vertices * (vertices - 1)


def resolve_arcs(
    vertices: int,
    *,
    density: float | None = None,
    per_vertex: float | None = None,
    arcs: int | None = None,
    connected: bool = False,
) -> int:
    """Return the number of arcs of a graph. The caller may give it in several ways if all agree.

    `density` is the share of all `vertices * (vertices - 1)` arcs, 0 to 1 (Equation 1 of tuwien-sssp),
    `per_vertex` the average number per vertex; both are rounded. A `connected` graph is weakly connected.
    Raises RetraceError if no number is given, if numbers contradict each other, or if no such graph exists.
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
                f"{per_vertex:g} arcs per vertex: expected from 0 to {vertices - 1}, one to each other vertex"
            )
        found[f"{per_vertex:g} arcs per vertex"] = round(per_vertex * vertices)
    if arcs is not None:
        found[f"{arcs} arcs"] = arcs
    if not found:
        raise RetraceError("the number of arcs is missing: give a density, arcs per vertex, or arcs")
    if len(set(found.values())) > 1:
        told = ", ".join(f"{said} means {count}" for said, count in found.items())
        raise RetraceError(f"the number of arcs contradicts itself ({told}); keep one of them")
    (said, count), *_ = found.items()
    meaning = "" if said == f"{count} arcs" else f" ({count} arcs)"
    if not 0 <= count <= most:
        expected = f"from 0 to {most}, since {vertices} vertices have no more distinct arcs; ask for fewer"
    elif connected and count < vertices - 1:
        expected = (
            f"at least {vertices - 1}, since fewer connect no graph of {vertices} vertices; ask for more"
        )
    else:
        return count
    raise RetraceError(f"{said}{meaning}: expected {expected}")
