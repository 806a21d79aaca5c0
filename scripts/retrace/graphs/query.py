"""What a solver is asked: which vertices of a graph the question names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import Graph
from retrace.graphs.generators import sample_vertices
from retrace.graphs.graph_names import NO_GRAPH
from retrace.graphs.random import RandomGraph
from retrace.system.errors import RetraceError


@dataclass(frozen=True)
class NoGraph:
    """What a solver of the problem limits is given, which measures the machine itself."""

    name: ClassVar[str] = NO_GRAPH
    vertices: ClassVar[int] = 0
    arcs: ClassVar[int] = 0
    info: ClassVar[dict[str, Any]] = {
        "name": name, "vertices": 0, "arcs": 0, "origin": "generated", "edition": "none", "weights": "none",
        "sha256": None, "seed": None,
    }  # fmt: skip


def no_graph(name: str) -> NoGraph:
    """Return it if it is named; raise RetraceError for another name."""
    if name != NoGraph.name:
        raise RetraceError(
            f"graph {name}: expected {NoGraph.name}, since limits are measured without a graph"
        )
    return NoGraph()


Subject = Graph | RandomGraph | NoGraph
"""What a solver is given: a graph, for a generator the description of the graph to make, or nothing."""


@dataclass(frozen=True)
class Query:
    """A question about a graph."""

    source: int = 0
    """Vertex id, 0-based; betweenness uses `sources` instead."""
    target: int | None = None
    """Vertex id for st-connectivity, else None."""
    pair: str | None = None
    """Which of the data set's pairs this is: near, far or unreachable."""
    sources: tuple[int, ...] | None = None
    """For betweenness: distinct vertex ids; None for all vertices."""
    source_seed: int | None = None
    """The seed `sources` were sampled with, if they were sampled."""

    @classmethod
    def sampled(cls, vertices: int, count: int, seed: int) -> Query:
        """Ask for a random sample of sources, which is the same on every machine."""
        drawn = sample_vertices(vertices, count, seed)
        return cls(sources=tuple(drawn.tolist()), source_seed=seed)

    def parameters(self) -> dict[str, int | str]:
        """Return what a record stores of the query besides its source."""
        count = None if self.sources is None else len(self.sources)
        values = {"target": self.target, "pair": self.pair, "sources": count, "source_seed": self.source_seed}
        return {key: value for key, value in values.items() if value is not None}

    def sources_in(self, graph: CSRGraph) -> Int32Array:
        """Return the sources of a betweenness query, shape (sources,), int32; by default all vertices."""
        if self.sources is None:
            return np.arange(graph.vertices, dtype=np.int32)
        return np.array(self.sources, dtype=np.int32)


def queries(problem: str, info: dict[str, Any]) -> list[Query]:
    """Return what a problem asks of a graph: one query from its source, or one for each of its pairs.

    Betweenness takes all vertices as sources, or the sample that `info["sources"]` describes by `count` and
    `seed`. The pairs of a graph that could not be had may not be known: they follow from its arcs.
    """
    if problem == "betweenness":
        return [sampled_or_all(info)]
    if problem == "limits":
        return [Query()]
    of_pairs = problem == "stcon" and ("pairs" in info or "missing" not in info)
    key = "pairs" if of_pairs else "source"
    if key not in info:
        raise RetraceError(
            f"{info.get('name')}: its graph.json has no {key} for {problem}; measure a graph that "
            "a stage wrote, such as `retrace stage get-graph`"
        )
    if of_pairs:
        return [Query(pair[0], pair[1], kind) for kind, pair in info["pairs"].items()]
    return [Query(info["source"])]


def sampled_or_all(info: dict[str, Any], count: int | None = None, seed: int = 1) -> Query:
    """Return a betweenness query: from `count` sources, else the sample that `info` names, else from all."""
    sample = info.get("sources") if count is None else {"count": count, "seed": seed}
    return Query.sampled(info["vertices"], sample["count"], sample["seed"]) if sample else Query()
