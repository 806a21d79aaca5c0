"""Proofs that distances are shortest, and predecessors a shortest-path tree, without repeating a search.

Each function returns None if the proof succeeds, and otherwise the first contradiction in words. A proof
needs little memory beside the graph.
"""

from ctypes import c_longlong
from dataclasses import replace

import numpy as np

from retrace.devices.host import function_of, pointer
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.graph_names import UNREACHABLE
from retrace.system.errors import RetraceError

CERTIFICATE = "optimality certificate"

BLOCK_BYTES = 1 << 26
"""Memory for a part of a matrix in 64 bits."""


def require_32_bits(name: str, source: int, least: float, greatest: float) -> None:
    """Raise RetraceError with the range of a graph's distances if 32 bits do not hold them."""
    if greatest >= UNREACHABLE or least <= -UNREACHABLE - 1:
        raise RetraceError(
            f"{name}: distances from vertex {source} range from {least:.0f} to {greatest:.0f}, expected "
            f"within {-UNREACHABLE} to {UNREACHABLE - 1} (32 bits); scale the weights down"
        )


def certify(graph: CSRGraph, weights: Int32Array | None, source: int, answer: Int32Array) -> str | None:
    """Prove that `answer`, shape (vertices,), int32, holds the shortest distances from a source.

    `weights` are the lengths of arcs, each 1 if None. No arc may shorten a distance: then no distance is too
    large, and there is no negative cycle. Every reached vertex must be connected to the source by arcs that
    fit the distances exactly: then none is too small. Without negative weights a vertex is connected if a
    fitting arc leads to it from a closer vertex, so that only arcs of weight 0 must be searched; with
    negative weights all fitting arcs must. Raise RetraceError if the path to a vertex that is called
    unreachable is longer than 32 bits hold.
    """
    if fault := find_malformation(answer, graph.vertices, source):
        return fault
    answer, graph = np.ascontiguousarray(answer), replace(graph, weights=weights)
    signed = weights is not None and bool((weights < 0).any())
    connected = np.zeros(graph.vertices, dtype=np.bool_)
    connected[source] = True
    find = function_of(graph, "host/certify_distances.cpp", "find_contradiction", c_longlong)
    arc = int(find(signed, pointer(answer), pointer(connected)))
    if arc < graph.arcs:
        tail, head = int(np.searchsorted(graph.indptr, arc, side="right")) - 1, graph.indices[arc]
        through = int(answer[tail]) + (1 if weights is None else int(weights[arc]))
        if through >= answer[head]:
            require_32_bits(graph.name, source, answer.min(), through)
        return f"vertex {head} has {answer[head]}, but {through} through vertex {tail}"
    loose = np.flatnonzero(~connected & (answer != UNREACHABLE))
    if len(loose):
        return f"vertex {loose[0]} has {answer[loose[0]]}, but no path of that length"
    return None


def certify_complete(matrix: Int32Array, source: int, answer: Int32Array) -> str | None:
    """Prove that `answer` holds the shortest distances of a complete graph.

    Since all weights are positive, Bellman's equations have a single solution: the source is at 0, and every
    other vertex v at the least of answer[u] + matrix[u, v]. The matrix, with `UNREACHABLE` on its diagonal,
    is read in blocks of rows.
    """
    vertices = len(matrix)
    if fault := find_malformation(answer, vertices, source):
        return fault
    length = answer.astype(np.int64)
    least = np.full(vertices, np.iinfo(np.int64).max)
    block = max(1, BLOCK_BYTES // (8 * vertices))
    for begin in range(0, vertices, block):
        rows = slice(begin, begin + block)
        np.minimum(least, (length[rows, None] + matrix[rows]).min(axis=0), out=least)
    least[source] = 0
    wrong = np.flatnonzero(least != length)
    return f"vertex {wrong[0]} has {length[wrong[0]]} instead of {least[wrong[0]]}" if len(wrong) else None


def find_malformation(answer: Int32Array, vertices: int, source: int) -> str | None:
    """Return what is wrong with the shape or type of an answer, or with the source's distance."""
    if answer.shape != (vertices,) or answer.dtype != np.int32:
        return f"{answer.dtype} {answer.shape} instead of int32 {(vertices,)}"
    return None if answer[source] == 0 else f"vertex {source}, the source, has {answer[source]} instead of 0"


def certify_tree(graph: CSRGraph, source: int, distance: Int32Array, predecessor: Int32Array) -> str | None:
    """Prove that `predecessor` is a shortest-path tree, given right distances; without weights each arc is 1.

    Every reached vertex except the source must have a predecessor (-1 is none), with an arc from it that fits
    both distances exactly; and following predecessors must end at the source.
    """
    has_predecessor = predecessor != -1
    needs_predecessor = distance != UNREACHABLE
    needs_predecessor[source] = False
    wrong = np.flatnonzero(has_predecessor != needs_predecessor)
    if len(wrong):
        return f"vertex {wrong[0]} has predecessor {predecessor[wrong[0]]} at distance {distance[wrong[0]]}"
    fit = np.zeros(graph.vertices, dtype=np.uint8)  # 1: such an arc; 2: from a closer vertex
    distance, predecessor = (np.ascontiguousarray(array, dtype=np.int32) for array in (distance, predecessor))
    find_fitted = function_of(graph, "host/certify_tree.cpp", "find_fitted")
    find_fitted(pointer(distance), pointer(predecessor), pointer(fit))
    loose = np.flatnonzero(needs_predecessor & (fit == 0))
    if len(loose):
        return f"vertex {loose[0]} has predecessor {predecessor[loose[0]]}, whose arcs fit no path"
    if not (fit == 1).any():
        return None  # every step comes closer to the source, so no vertex repeats
    # After k rounds each vertex points at its 2^k-th ancestor, and all at the source if there is no cycle.
    ancestor = np.where(has_predecessor, predecessor, np.int32(source))
    for _ in range(graph.vertices.bit_length()):
        if (ancestor == source).all():
            return None
        ancestor = ancestor[ancestor]
    adrift = np.flatnonzero(ancestor != source)
    return f"vertex {adrift[0]} does not lead back to the source" if len(adrift) else None


def certify_path(
    graph: CSRGraph, source: int, target: int, levels: Int32Array, predecessor: Int32Array
) -> str | None:
    """Prove that the vertices with a `predecessor` are those of a shortest path between two vertices.

    `levels`, shape (vertices,), are right, and arcs have length 1. The vertices must form a tree of shortest
    paths. One that has no more of them than the path to the target, and the target, is that path.
    """
    has_predecessor = predecessor != -1
    has_predecessor[source] = True
    level = np.where(has_predecessor, levels, np.int32(UNREACHABLE))
    if fault := certify_tree(graph, source, level, predecessor):
        return fault
    arcs = 0 if levels[target] == UNREACHABLE else int(levels[target])
    if arcs and not has_predecessor[target]:
        return f"vertex {target}, the target, has no predecessor"
    count = np.count_nonzero(has_predecessor) - 1
    return None if count == arcs else f"{count} vertices have a predecessor, expected the {arcs} of a path"
