"""A backend of NetworkX: shortest paths and betweenness by solvers of ours, on a GPU if there is one.

NetworkX imports it by the entry point `retrace` of `networkx.backends`, and calls functions of its own names.
What they cannot answer as it does, `can_run` declines, or they raise NotImplementedError: then NetworkX
answers itself. Of several shortest paths they may choose another. Vertices come by ascending lengths.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from random import Random
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.system.errors import RetraceError
from retrace_commands.answers import with_lengths
from retrace_commands.backend import solver_at_hand
from retrace_commands.graph_objects import graph_in_hand
from retrace_commands.library import LoadedGraph, Solution, scores_of, solve

LEAST_EDGES, LEAST_SCORED = 10_000, 100
"""Edges from which on some searches, or scores, repay the conversion of their graph."""


@dataclass(frozen=True, eq=False)
class ConvertedGraph:
    """A graph of NetworkX as arrays, which it keeps and gives to the functions below."""

    loaded: LoadedGraph
    original: Any
    """The graph of NetworkX."""
    length_type: type[int] | type[float]
    """Of distances: float if a weight is."""
    attribute: str | None
    """That of edges which has the weights; None if there are none."""

    __networkx_backend__ = "retrace"

    def __contains__(self, vertex: object) -> bool:
        """Return whether it is a vertex."""
        return vertex in self.loaded.names

    def is_directed(self) -> bool:
        """Return whether arcs have one direction, as NetworkX asks."""
        return bool(self.loaded.directed)

    def is_multigraph(self) -> bool:
        """Return whether there may be parallel edges, as NetworkX asks."""
        return bool(self.original.is_multigraph())

    @cached_property
    def backwards(self) -> "ConvertedGraph":
        """The graph with every arc reversed."""
        graph_file = self.loaded.graph_file
        reverse = replace(graph_file, graph=graph_file.graph.reversed())
        return replace(self, loaded=replace(self.loaded, graph_file=reverse))

    def ask(self, problem: str, source: Hashable, target: Hashable = None) -> Solution:
        """Solve a problem by the fastest solver; NotImplementedError if that is not possible."""
        try:
            return solve(f"{problem}/auto", self.loaded, source, target, check=False)
        except RetraceError as error:
            raise NotImplementedError(str(error)) from error

    def search(
        self, source: Hashable, weight: str | None = None, cutoff: float | None = None
    ) -> "VertexLengths":
        """Search from a vertex; a cutoff between two levels takes both, as NetworkX does.

        Raise NotImplementedError for other weights than those that were converted.
        """
        if weight is None:
            return VertexLengths(self.ask("bfs", source), np.inf if cutoff is None else np.ceil(cutoff), int)
        if weight != self.attribute:
            raise NotImplementedError(
                f"expected weights {weight!r}, found {self.attribute!r} in the graph; convert it anew"
            )
        limit = np.inf if cutoff is None else cutoff
        return VertexLengths(self.ask("sssp", source), limit, self.length_type)


@dataclass(frozen=True)
class VertexLengths:
    """Lengths from a vertex, up to a cutoff."""

    solution: Solution
    cutoff: float
    length_type: type[int] | type[float]

    @cached_property
    def lengths(self) -> dict[Hashable, Any]:
        """The length to each vertex that is reached, in ascending order."""
        values, names = self.solution.values, self.solution.names
        order = np.argsort(values, kind="stable")
        order = order[self.solution.reached[order] & (values[order] <= self.cutoff)]
        return {names[k]: self.length_type(values[k]) for k in order.tolist()}

    def path_to(self, target: Hashable) -> list[Hashable]:
        """Return a shortest path to a vertex that is reached."""
        return self.solution.path_to(target)

    @property
    def paths(self) -> dict[Hashable, list[Hashable]]:
        """A shortest path to each vertex within the cutoff, by ascending length."""
        names, before = self.solution.names, self.solution.traced_predecessors().tolist()
        position = {name: number for number, name in enumerate(names)}
        paths: dict[Hashable, list[Hashable]] = {}
        waiting = [*reversed(self.lengths)]
        while waiting:
            vertex = waiting[-1]
            previous = before[position[vertex]]
            if vertex not in paths and previous >= 0 and names[previous] not in paths:
                waiting.append(names[previous])  # a weight of 0 may bring it later
                continue
            waiting.pop()
            paths[vertex] = [*paths[names[previous]], vertex] if previous >= 0 else [vertex]
        return paths


def convert_from_nx(graph: Any, edge_attrs: dict[str, Any] | None = None, **_: Any) -> ConvertedGraph:
    """Convert a graph, with the weights that a function asks for; those that are missing are 1.

    Raise NotImplementedError where distances would be others than NetworkX's: of negative weights, of
    fractions whose sums it rounds, which those of halves, quarters and so on are not, and of what is neither
    int nor float.
    """
    attribute, default = next(iter((edge_attrs or {}).items()), (None, 1))
    try:
        taken = graph_in_hand(graph, attribute)
    except RetraceError as error:
        raise NotImplementedError(str(error)) from error
    length_type: type[int] | type[float] = int
    if attribute is not None:
        edge_weights = [value for *_, value in graph.edges(data=attribute) if value is not None]
        length_type = float if any(isinstance(value, float) for value in edge_weights) else int
        taken = replace(taken, graph=with_lengths(taken.graph)) if not edge_weights else taken
        weights, is_exact = taken.graph.weights, taken.scale & (taken.scale - 1) == 0
        numbers = all(isinstance(value, int | float | np.integer) for value in edge_weights)
        if weights is None or not (is_exact and numbers) or default != 1 or weights.min(initial=0) < 0:
            raise NotImplementedError(f"weights {attribute!r}: expected numbers from 0 on, exact in binary")
    return ConvertedGraph(LoadedGraph(taken, graph.is_directed()), graph, length_type, attribute)


def convert_to_nx(result: Any, **_: Any) -> Any:
    """Return a graph of NetworkX for a converted one, and any other result as it is."""
    return result.original if isinstance(result, ConvertedGraph) else result


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return whether a function takes these arguments, or why not."""
    try:
        call = signature(globals()[name]).bind(*args, **kwargs)
        call.apply_defaults()
        arguments = call.arguments
        hash((arguments.get("source"), arguments.get("target")))
        if arguments.get("cutoff") is not None and not arguments["cutoff"] >= 0:  # NaN is neither
            return "has a cutoff that is not from 0 on"
    except (TypeError, ValueError) as error:
        return str(error)
    if not (arguments.get("weight") is None or isinstance(arguments["weight"], str)):
        return "weights are a function's"
    if name == "betweenness_centrality":
        whole = arguments["k"] is None or (isinstance(arguments["k"], int) and arguments["k"] > 0)
        return (arguments["weight"] is None and whole) or "of weighted paths"
    if name == "shortest_path_length":
        one_end = arguments["source"] is not None or arguments["target"] is not None
        return (one_end and arguments["method"] == "dijkstra") or "of all pairs, or by another method"
    if name == "has_path":
        return None not in (arguments["source"], arguments["target"]) or "of all pairs"
    if "dijkstra" in name:
        return arguments["weight"] is not None or "without weights"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return whether it is expected to be faster than NetworkX on its graph, or why not."""
    graph = args[0] if args else kwargs["G"]
    edges = convert_to_nx(graph).number_of_edges()
    least = LEAST_SCORED if name == "betweenness_centrality" else LEAST_EDGES
    return edges >= least or f"has fewer than {least} edges"


def require_vertex(graph: ConvertedGraph, vertex: Hashable, told: str) -> None:
    """Raise what NetworkX does of a vertex that the graph lacks."""
    if vertex not in graph:
        raise nx.NodeNotFound(told)


def betweenness_centrality(
    G: ConvertedGraph, k: int | None = None, normalized: bool = True, weight: None = None,
    endpoints: bool = False, seed: Random | None = None,
) -> dict[Hashable, float]:  # fmt: skip
    """Return the score of each vertex, from all sources, or from `k` that NetworkX's generator draws."""
    names = G.loaded.names
    size, query = len(names), Query()
    if size == 0 and k is None:
        return {}
    if k is not None and k != size:
        position = {name: number for number, name in enumerate(names)}
        drawn = (Random() if seed is None else seed).sample(names, k)
        query = Query(sources=tuple(sorted(position[name] for name in drawn)))
    in_pairs, (solver, _) = normalized and not endpoints, solver_at_hand("betweenness/auto", "auto")
    try:
        scores = scores_of(G.loaded, solver, query, in_pairs, check="none").values
    except RetraceError as error:
        raise NotImplementedError(str(error)) from error
    if endpoints and size > 1:
        ordered = scores * (1 if G.is_directed() else 2) + end_counts(G.loaded.graph_file.graph, query)
        seen = len(query.sources_in(G.loaded.graph_file.graph))
        pairs = seen * (size - 1) if normalized else seen / size * (1 if G.is_directed() else 2)
        scores = ordered / pairs
    elif query.sources is not None and not normalized and size > 2:
        seen_by = np.full(size, float(len(query.sources)))
        seen_by[list(query.sources)] -= 1  # no source is an inner vertex of its own paths
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = scores * np.where(seen_by > 0, (size - 1) / seen_by, np.nan)
    return dict(zip(names, scores.tolist(), strict=True))


def end_counts(graph: CSRGraph, query: Query) -> NDArray[np.int64]:
    """Return how many of the paths from the sources begin or end at each vertex, shape (vertices,)."""
    sources = query.sources_in(graph)
    matrix = simplify(graph).to_scipy()
    counts = np.zeros(graph.vertices, np.int64)
    if graph.info["directed"]:
        for source in sources.tolist():
            reached = csgraph.breadth_first_order(matrix, source, return_predecessors=False)
            counts[reached] += 1
            counts[source] += len(reached) - 2  # it is reached, but by no path
        return counts
    part = csgraph.connected_components(matrix, directed=False)[1]
    counts += np.bincount(part[sources], minlength=graph.vertices)[part]
    counts[sources] += np.bincount(part)[part[sources]] - 2
    return counts


def has_path(G: ConvertedGraph, source: Hashable, target: Hashable) -> bool:
    """Return whether a path leads from one vertex to another."""
    require_vertex(G, source, f"Source {source} is not in G")
    require_vertex(G, target, f"Target {target} is not in G")
    return bool(G.ask("stcon", source, target).reached[0])


def single_source_shortest_path_length(
    G: ConvertedGraph, source: Hashable, cutoff: float | None = None
) -> dict[Hashable, int]:
    """Return the number of arcs to each vertex that is reached."""
    require_vertex(G, source, f"Source {source} is not in G")
    return G.search(source, cutoff=cutoff).lengths


def single_target_shortest_path_length(
    G: ConvertedGraph, target: Hashable, cutoff: float | None = None
) -> dict[Hashable, int]:
    """Return the number of arcs from each vertex that reaches the target."""
    require_vertex(G, target, f"Target {target} is not in G")
    return G.backwards.search(target, cutoff=cutoff).lengths


def single_source_shortest_path(
    G: ConvertedGraph, source: Hashable, cutoff: float | None = None
) -> dict[Hashable, list[Hashable]]:
    """Return a path of the fewest arcs to each vertex that is reached."""
    require_vertex(G, source, f"Source {source} not in G")
    return G.search(source, cutoff=cutoff).paths


def bidirectional_shortest_path(G: ConvertedGraph, source: Hashable, target: Hashable) -> list[Hashable]:
    """Return a path of the fewest arcs between two vertices."""
    require_vertex(G, source, f"Source {source} is not in G")
    require_vertex(G, target, f"Target {target} is not in G")
    search = G.search(source)
    if target not in search.lengths:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return search.path_to(target)


def shortest_path_length(
    G: ConvertedGraph, source: Hashable = None, target: Hashable = None, weight: str | None = None,
    method: str = "dijkstra",
) -> Any:  # fmt: skip
    """Return the length from the source, or to the target, or the one between both."""
    if source is not None and target is not None:
        if weight is not None:
            return dijkstra_path_length(G, source, target, weight)
        require_vertex(G, source, f"Source {source} is not in G")
        require_vertex(G, target, f"Target {target} is not in G")
        pair = G.ask("stcon", source, target)
        if not pair.reached[0]:
            raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
        return int(pair.values[0])
    graph, start = (G, source) if target is None else (G.backwards, target)
    if weight is not None:
        return single_source_dijkstra_path_length(graph, start, None, weight)
    return single_source_shortest_path_length(graph, start)


def descendants(G: ConvertedGraph, source: Hashable) -> set[Hashable]:
    """Return the vertices that are reached from another."""
    return _reached_from(G, source) - {source}


def ancestors(G: ConvertedGraph, source: Hashable) -> set[Hashable]:
    """Return the vertices from which another is reached."""
    return _reached_from(G.backwards, source) - {source}


def descendants_at_distance(G: ConvertedGraph, source: Hashable, distance: int) -> set[Hashable]:
    """Return the vertices at so many arcs from another."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    return {vertex for vertex, length in G.search(source).lengths.items() if length == distance}


def _reached_from(graph: ConvertedGraph, source: Hashable) -> set[Hashable]:
    if source not in graph:
        kind = "digraph" if graph.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")
    return set(graph.search(source).lengths)


def single_source_dijkstra_path_length(
    G: ConvertedGraph, source: Hashable, cutoff: float | None = None, weight: str = "weight"
) -> dict[Hashable, Any]:
    """Return the distance of each vertex that is reached."""
    require_vertex(G, source, f"Node {source} not found in graph")
    return G.search(source, weight, cutoff).lengths


def single_source_dijkstra_path(
    G: ConvertedGraph, source: Hashable, cutoff: float | None = None, weight: str = "weight"
) -> dict[Hashable, list[Hashable]]:
    """Return a shortest path to each vertex that is reached."""
    require_vertex(G, source, f"Node {source} not found in graph")
    return G.search(source, weight, cutoff).paths


def single_source_dijkstra(
    G: ConvertedGraph, source: Hashable, target: Hashable = None, cutoff: float | None = None,
    weight: str = "weight",
) -> Any:  # fmt: skip
    """Return distances and shortest paths to each vertex that is reached, or those of the target."""
    require_vertex(G, source, f"Node {source} not found in graph")
    search = G.search(source, weight, cutoff)
    if target is None:
        return search.lengths, search.paths
    if target == source:
        return 0, [target]
    if target not in search.lengths:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return search.lengths[target], search.path_to(target)


def dijkstra_path_length(
    G: ConvertedGraph, source: Hashable, target: Hashable, weight: str = "weight"
) -> Any:
    """Return the distance between two vertices."""
    require_vertex(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    lengths = G.search(source, weight).lengths
    if target not in lengths:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return lengths[target]


def dijkstra_path(
    G: ConvertedGraph, source: Hashable, target: Hashable, weight: str = "weight"
) -> list[Hashable]:
    """Return a shortest path between two vertices."""
    path: list[Hashable] = single_source_dijkstra(G, source, target, None, weight)[1]
    return path


def bidirectional_dijkstra(
    G: ConvertedGraph, source: Hashable, target: Hashable, weight: str = "weight"
) -> tuple[Any, list[Hashable]]:
    """Return the distance between two vertices, and a shortest path."""
    require_vertex(G, source, f"Source {source} is not in G")
    require_vertex(G, target, f"Target {target} is not in G")
    if source == target:
        return 0, [source]
    search = G.search(source, weight)
    if target not in search.lengths:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return search.lengths[target], search.path_to(target)
