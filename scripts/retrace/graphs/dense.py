"""Complete graphs, identified by size and seed: the matrix follows from them and is never stored.

`retrace.devices.matrices` makes the matrix, on the host or on a device.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from retrace.graphs import csr, identity
from retrace.graphs.csr import CSRGraph
from retrace.graphs.generators import stream_key
from retrace.graphs.graph_names import UNREACHABLE, require_complete
from retrace.graphs.random import GENERATED, WEIGHTS
from retrace.system.errors import RetraceError

EDITION = "dense"
"""The edition in `graph.json` of a stored dense graph."""


@dataclass(frozen=True)
class DenseGraph:
    """A directed graph with one arc between any two vertices; out of range, it raises RetraceError."""

    vertices: int
    seed: int
    """Seed of the weights: any integer, of which the lower 64 bits count."""
    weights: tuple[int, int] = WEIGHTS
    """Smallest and largest weight. Both are positive, so that Bellman's equations have one solution.

    The arc from u to v has the weight `weight_of(u, v, ...)` of `kernels/generate/random_graph.h`.
    """

    def __post_init__(self) -> None:
        require_complete(self.vertices)
        low, high = self.weights
        if not 0 < low <= high or high * self.vertices >= UNREACHABLE:
            most = (UNREACHABLE - 1) // self.vertices
            raise RetraceError(
                f"{self.name}: weights from {low} to {high}: expected a range within 1 to {most}"
            )

    @property
    def name(self) -> str:
        """`dense-<vertices>`."""
        return f"dense-{self.vertices}"

    @property
    def arcs(self) -> int:
        """Number of arcs."""
        return self.vertices * (self.vertices - 1)

    @property
    def key(self) -> np.uint64:
        """Key of the random stream for the weights."""
        return stream_key(self.seed, "dense")

    def digest(self) -> str:
        """Return the sha256, for records, of the JSON of the values that determine the matrix."""
        identity = {"seed": self.seed, "vertices": self.vertices, "weights": list(self.weights)}
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()

    @cached_property
    def info(self) -> dict[str, Any]:
        """Identity for records, and the source."""
        sizes = {"name": self.name, "vertices": self.vertices, "arcs": self.arcs, "density": 1.0}
        weights = {"least_weight": self.weights[0], "greatest_weight": self.weights[1], "seed": self.seed}
        return {**sizes, **weights, **GENERATED, "edition": EDITION, "sha256": self.digest()}


Graph = CSRGraph | DenseGraph


def is_complete(info: dict[str, Any]) -> bool:
    """Return whether `graph.json` describes a complete graph, which `load` loads; `csr.load` all others."""
    return info.get("edition") == EDITION


def save(graph: DenseGraph, folder: Path) -> None:
    """Write `graph.json` into `folder`; raise RetraceError if it cannot be written."""
    csr.save_folder(folder, graph.info, {})


def load(folder: Path) -> DenseGraph:
    """Load a graph that `save` wrote; raise RetraceError if there is none, or not the one that was saved."""
    info = identity.stored_info(folder)
    with identity.naming_folder(folder, "`retrace stage generate-dense`"):
        graph = DenseGraph(info["vertices"], info["seed"], (info["least_weight"], info["greatest_weight"]))
        if graph.info != info:
            raise ValueError("its seed and range of weights do not give its other values, such as sha256")
        return graph
