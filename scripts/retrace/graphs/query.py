"""What a solver is asked: which vertices of a graph the question names."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import Graph
from retrace.graphs.generators import sample_vertices, shuffled_tails
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
    number: int | None = None
    """Which of a `Draw` it is, from 0; None if it is the only question."""

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


@dataclass(frozen=True)
class Draw:
    """Questions that are drawn from a graph, one for each trial of a solver."""

    count: int
    seed: int
    of_pairs: bool = False
    """Whether each has a target, for st-connectivity."""

    @property
    def key(self) -> str:
        """The parameter of a record that says how many there are."""
        return "pairs" if self.of_pairs else "sources"

    def parameters(self) -> dict[str, int | str]:
        """Return what a record stores of it."""
        return {self.key: self.count, "source_seed": self.seed}

    def queries(self, graph: CSRGraph) -> tuple[Query, ...]:
        """Return `count` questions, or as many as the graph has; RetraceError if it has none.

        Their order, too, depends on the seed and the graph alone: whoever has only the first ones has a
        sample. Sources are different vertices with outgoing arcs. Pairs join each of the first √count
        vertices to each of the next √count: SciPy then searches from 8 sources for 64 pairs, whose levels
        hold the answers to all targets. Each √count consecutive pairs have all sources and all targets.
        """
        ids = shuffled_tails(graph.indptr, self.seed).tolist()
        if len(ids) < (least := 1 + self.of_pairs):
            shortage = f"{len(ids)} vertices have outgoing arcs, expected at least {least} to search from"
            raise RetraceError(f"{graph.name}: {shortage}; leave the graph or `sources` out")
        if not self.of_pairs:
            return tuple(Query(source, number=number) for number, source in enumerate(ids[: self.count]))
        side = min(ceil(sqrt(self.count)), len(ids) // 2)
        sources, targets = ids[:side], ids[side : 2 * side]
        return tuple(
            Query(sources[k % side], targets[(k + k // side) % side], number=k)
            for k in range(min(self.count, side * side))
        )


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
            "a stage wrote, such as `retrace stage get-graph`, or draw some with --sources"
        )
    if of_pairs:
        return [Query(pair[0], pair[1], kind) for kind, pair in info["pairs"].items()]
    return [Query(info["source"])]


def sampled_or_all(info: dict[str, Any], count: int | None = None, seed: int = 1) -> Query:
    """Return a betweenness query: from `count` sources, else the sample that `info` names, else from all."""
    sample = info.get("sources") if count is None else {"count": count, "seed": seed}
    return Query.sampled(info["vertices"], sample["count"], sample["seed"]) if sample else Query()
