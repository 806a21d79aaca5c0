"""Undirected graphs: a reverse for each arc."""

import numpy as np

from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.errors import RetraceError


def with_reverse_arcs(graph: CSRGraph) -> CSRGraph:
    """Add the reverse of each arc that has none with the same weight; `info` then says undirected."""
    tails, heads, weights = graph.tails(), graph.indices, graph.weights
    ends = np.array((tails, heads), dtype=np.int64)
    arcs = ends * graph.vertices + ends[::-1]  # the arcs, and their reverse
    if weights is not None:
        arcs = np.unique(arcs, return_inverse=True)[1].reshape(arcs.shape) * 2**32 + weights
    lacking = ~np.isin(arcs[1], arcs[0])
    if graph.arcs + lacking.sum() >= UNREACHABLE:
        raise RetraceError(
            f"{graph.name}: has more than {UNREACHABLE - 1} arcs (32 bits) with their reverse arcs"
        )
    tails, heads = np.append(tails, heads[lacking]), np.append(heads, tails[lacking])
    weights = None if weights is None else np.append(weights, weights[lacking])
    return from_arcs(graph.vertices, tails, heads, weights, {**graph.info, "directed": False})
