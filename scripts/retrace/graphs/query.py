"""What a solver is asked: which vertices of a graph the question names."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any, ClassVar

import numpy as np

from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.dense import Graph
from retrace.graphs.generators import sample_vertices, shuffled_tails
from retrace.graphs.graph_names import DRAWN_AS, NO_GRAPH
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
    edges: int | None = None
    """Edges of the source's component, as Graph500 counts them, where the graph's identity says so."""

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
    problem: str = "bfs"
    """For st-connectivity each has a target, for betweenness `AT_A_TIME` sources."""

    AT_A_TIME: ClassVar[int] = 4
    """As many as in a trial of the GAP Benchmark Suite."""

    @classmethod
    def of(cls, info: dict[str, Any], count: int, seed: int, problem: str) -> Draw:
        """Return a draw from the graph of `info`, which may have picked vertices, by a seed of its own."""
        most = count if problem == "stcon" else info["vertices"]
        return cls(min(count, most), info.get("picked", {"seed": seed})["seed"], problem)

    @property
    def key(self) -> str:
        """The parameter of a record that says how many there are."""
        return DRAWN_AS.get(self.problem, "sources")

    def parameters(self) -> dict[str, int | str]:
        """Return what a record stores of it."""
        of_each = {"sources": self.AT_A_TIME} if self.problem == "betweenness" else {}
        return {**of_each, self.key: self.count, "source_seed": self.seed}

    def queries(self, graph: CSRGraph) -> tuple[Query, ...]:
        """Return `count` questions, or as many as the graph has; RetraceError if it has none.

        Their order, too, depends on the seed and the graph alone: whoever has only the first ones has a
        sample. Sources are different vertices with outgoing arcs. Pairs join each of the first √count
        vertices to each of the next √count: SciPy then searches from 8 sources for 64 pairs, whose levels
        hold the answers to all targets. Each √count consecutive pairs have all sources and all targets.
        Betweenness takes `AT_A_TIME` vertices for each. Those that a graph has picked come before any drawn.
        """
        if "picked" in graph.info:
            ids = graph.info["picked"]["vertices"]
        else:
            ids = shuffled_tails(graph.indptr, self.seed).tolist()
        least = {"stcon": 2, "betweenness": self.AT_A_TIME}.get(self.problem, 1)
        if len(ids) < least:
            shortage = f"{len(ids)} vertices have outgoing arcs, expected at least {least} to search from"
            raise RetraceError(f"{graph.name}: {shortage}; leave the graph or `sources` out")
        if self.problem == "betweenness":
            parts = [ids[k * least : (k + 1) * least] for k in range(min(self.count, len(ids) // least))]
            return tuple(
                Query(part[0], sources=tuple(sorted(part)), source_seed=self.seed, number=number)
                for number, part in enumerate(parts)
            )
        if self.problem != "stcon":
            edges = graph.info["picked"]["edges"] if "picked" in graph.info else [None] * len(ids)
            asked = zip(range(self.count), ids, edges, strict=False)
            return tuple(Query(source, number=number, edges=edges) for number, source, edges in asked)
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
