"""Complete graphs, identified by size and seed: the matrix follows from them and is never stored.

`retrace.devices.matrices` makes the matrix, on the host or on a device.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from retrace.graphs import csr
from retrace.graphs.csr import UNREACHABLE, CSRGraph
from retrace.graphs.generators import stream_key
from retrace.graphs.random import WEIGHTS
from retrace.system.errors import RetraceError

EDITION = "dense"
"""The edition in `graph.json` of a stored dense graph."""


@dataclass(frozen=True)
class DenseGraph:
    """A complete directed graph: an arc from every vertex to every other vertex, without self-loops.

    Attributes
    ----------
    vertices
        Number of vertices.
    seed
        Seed of the weights: any integer, of which the lower 64 bits count.
    weights
        Smallest and largest weight. Both are positive, so that Bellman's equations have one solution. The arc
        from u to v has the weight `weight_of(u, v, ...)` of `kernels/generate/random_graph.h`.

    Raises
    ------
    RetraceError
        If `vertices` or `weights` are out of range.
    """

    vertices: int
    seed: int
    weights: tuple[int, int] = WEIGHTS

    def __post_init__(self) -> None:
        if not 1 <= self.vertices < 2**16:
            raise RetraceError(
                f"{self.name}: expected from 1 to {2**16 - 1} vertices, so that 32 bits can count the arcs"
            )
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

    @property
    def identity(self) -> dict[str, Any]:
        """The values that determine the matrix."""
        return {"vertices": self.vertices, "seed": self.seed, "weights": list(self.weights)}

    def digest(self) -> str:
        """Return the sha256 of the identity as JSON with sorted keys; records hold it as `sha256`."""
        return hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()

    @cached_property
    def info(self) -> dict[str, Any]:
        """Identity for records, and the source."""
        return {
            "name": self.name,
            "vertices": self.vertices,
            "arcs": self.arcs,
            "origin": "generated",
            "edition": EDITION,
            "weights": "generated",
            "least_weight": self.weights[0],
            "greatest_weight": self.weights[1],
            "sha256": self.digest(),
            "seed": self.seed,
            "density": 1.0,
            "directed": True,
            "source": 0,
        }


Graph = CSRGraph | DenseGraph
"""Any graph."""


def save(graph: DenseGraph, folder: Path) -> None:
    """Write `graph.json` into `folder`; raise RetraceError if it cannot be written."""
    csr.save_folder(folder, graph.info, {})


def load(folder: Path) -> Graph:
    """Load a stored graph, dense or not.

    Raises
    ------
    RetraceError
        If the folder holds no complete graph.
    """
    try:
        info = json.loads((folder / "graph.json").read_text())
        if info.get("edition") != EDITION:
            return csr.load(folder)
        graph = DenseGraph(info["vertices"], info["seed"], (info["least_weight"], info["greatest_weight"]))
        if graph.digest() != info["sha256"]:
            raise ValueError("its sha256 does not match its other values")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RetraceError(
            f"{folder}: not a stored graph ({error}); write it again, by generate_dense.py"
        ) from None
    return graph
