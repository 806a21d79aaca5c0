"""The parameters of a random graph: numbers of vertices and arcs, weights, seed.

`retrace.solvers.generate` makes the graphs, in C++ or on a device.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrace.graphs.csr import offset_type
from retrace.graphs.graph_names import UNREACHABLE, most_arcs, resolve_arcs, size
from retrace.system.errors import RetraceError

WEIGHTS = (1, 100)
"""Default for smallest and largest weight; the report gives none. Paths over 2^22 vertices fit in 32 bits."""

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


def named(graph: str, seed: int) -> RandomGraph:
    """Return the parameters of the graph with a given name, such as `random-14-5`; see `size`."""
    exponent, per_vertex = size(graph)
    return RandomGraph(2**exponent, per_vertex * 2**exponent, seed, name=graph)
