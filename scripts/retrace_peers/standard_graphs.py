"""GAP's graphs kron and urand, by its own generator and builder, and the sources that it picks.

S. Beamer, K. Asanović and D. Patterson, "The GAP Benchmark Suite", arXiv:1508.03619. The builder drops
self-loops and repeated edges; of repeated ones the least weight stays. Where GAPBS's source is missing, a
stand-in of the same distribution takes the graph's place.
"""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_device import memory
from retrace.check.graph500 import components
from retrace.devices.host import pointer
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph, Int32Array, from_arcs, offset_type
from retrace.graphs.generators import random_weights, shuffled_tails, uniform_words
from retrace.graphs.graph_names import STANDARD_GRAPH
from retrace.system.errors import RetraceError, warn
from retrace.system.stage import WarningStage
from retrace_peers import gapbs

BUILDER = "retrace_peers/standard_graph.cpp"
PICKED = 64
"""Sources of BFS and SSSP; the same are 16 times 4 of betweenness."""
EDGES_PER_VERTEX = 16
GAP_WEIGHTS = (1, 255)
GAP_SEED = 27491095
"""Of the numbers by which GAP picks sources."""
Ends = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Tail and head of each edge, shape (edges,)."""
KRONECKER = (0.57, 0.19, 0.19)
"""Graph500's chances that an edge lies in the matrix's quarter upper left, upper right, lower left."""
MOST_SCALE = 27
"""GAP's own."""
BYTES_PER_EDGE, BYTES_OF_GAPBS = 60, 48
"""Most memory while an edge is drawn, sorted and copied: of a stand-in, and by GAPBS's own code."""


class GenerateStandardGraph(WarningStage):
    """Generate a graph of the GAP Benchmark Suite and store it as memory-mappable CSR arrays.

    Without GAPBS's source a stand-in is stored; without the memory, only the reason.
    """

    name: str
    """Its name, such as kron-14 or urand-22: 2^14 or 2^22 vertices, 16 edges drawn for each."""
    seed: int = 1
    """Of a stand-in."""
    output: Path
    """Folder to store the graph in."""

    def run(self) -> None:
        """Generate the graph and store it."""
        kind, scale = kind_and_scale(self.name)
        missing = gapbs.why_missing()
        needed = (BYTES_PER_EDGE if missing else BYTES_OF_GAPBS) * (EDGES_PER_VERTEX << scale)
        if reason := memory.shortage(needed, memory.available(), "memory"):
            warn(f"{self.name} is not made: {reason}")
            info = {**identity(self.name), "vertices": 1 << scale, "arcs": 2 * EDGES_PER_VERTEX << scale}
            csr.save_missing(info, reason, self.output)
            return
        if missing is None:
            graph = by_gapbs(kind, scale)
        else:
            warn(f"{self.name}: {missing}; a generated stand-in takes its place")
            graph = stand_in(kind, scale, self.seed)
        csr.save(graph, self.output)


def kind_and_scale(name: str) -> tuple[str, int]:
    """Return kind and scale of a graph; raise RetraceError for another name, or a scale out of reach."""
    match = re.fullmatch(STANDARD_GRAPH, name)
    if match is None:
        raise RetraceError(f"graph {name}: expected kron-<scale> or urand-<scale>, such as kron-14")
    if not 4 <= int(match[2]) <= MOST_SCALE:
        raise RetraceError(f"graph {name}: scale {match[2]}, expected 4 to {MOST_SCALE}")
    return match[1], int(match[2])


def identity(name: str) -> dict[str, Any]:
    """Return what all graphs of the suite have in their identity."""
    least, greatest = GAP_WEIGHTS
    weights = {"weights": "generated", "least_weight": least, "greatest_weight": greatest}
    made = {"name": name, "origin": "generated", "edition": "gapbs", "directed": False, "seed": None}
    return made | weights


def by_gapbs(kind: str, scale: int) -> CSRGraph:
    """Make a graph by GAPBS's own code; RetraceError where its source is missing."""
    made = gapbs.Search(BUILDER, scale, int(kind == "urand"))
    vertices, arcs = made.call("vertices"), made.call("count", returns=ctypes.c_longlong)
    indptr, drawn = np.empty(vertices + 1, offset_type(arcs)), np.empty(vertices, np.int32)
    indices, weights = np.empty(arcs, np.int32), np.empty(arcs, np.int32)
    write = "arcs" if indptr.dtype == np.int32 else "arcs_wide"
    made.call(write, *map(pointer, (indptr, indices, weights, drawn)))
    picks = np.empty(4 * PICKED, np.int32)  # some are picked again
    made.call("pick", len(picks), pointer(picks))
    del made  # which has as much memory as the graph
    graph = CSRGraph(indptr, indices, weights, identity(f"{kind}-{scale}"))
    return with_picked(graph, list(dict.fromkeys(picks.tolist()))[:PICKED], drawn, GAP_SEED)


def stand_in(kind: str, scale: int, seed: int) -> CSRGraph:
    """Generate a graph of the same distribution, with sources drawn by `seed`."""
    vertices = 1 << scale
    ends = [drawn_edges(kind, scale, seed, block) for block in blocks(scale)]
    u, v = (np.concatenate([pair[end] for pair in ends]) for end in (0, 1))
    if kind == "kron":
        number = np.argsort(uniform_words(seed, "names", vertices), kind="stable")
        u, v = number[u], number[v]
    drawn = np.bincount(u, minlength=vertices).astype(np.int32)
    near, far = np.minimum(u, v)[u != v], np.maximum(u, v)[u != v]
    near, far = np.divmod(np.unique(near * vertices + far), vertices)
    tails, heads = np.concatenate((near, far)), np.concatenate((far, near))
    order = np.lexsort((heads, tails))
    tails, heads = tails[order], heads[order]
    graph = from_arcs(vertices, tails, heads, random_weights(tails, heads, *GAP_WEIGHTS, seed))
    info = identity(f"{kind}-{scale}") | {"origin": "stand-in", "edition": "stand-in", "seed": seed}
    graph = replace(graph, info=info)
    picks = shuffled_tails(graph.indptr, seed)[:PICKED].tolist()
    return with_picked(graph, picks, drawn, seed)


def blocks(scale: int) -> Iterator[range]:
    """Yield the numbers of the edges that a stand-in draws, about a million at a time."""
    edges, at_a_time = EDGES_PER_VERTEX << scale, 1 << 20
    return (range(first, min(first + at_a_time, edges)) for first in range(0, edges, at_a_time))


def drawn_edges(kind: str, scale: int, seed: int, block: range) -> Ends:
    """Return the ends of a block of edges."""
    if kind == "urand":
        words = uniform_words(seed, "edges", len(block), block.start)
        below = np.uint64((1 << scale) - 1)
        return (words & below).astype(np.int64), ((words >> np.uint64(32)) & below).astype(np.int64)
    a, b, c = (np.uint64(int(chance * 2**32)) for chance in KRONECKER)
    u, v = np.zeros(len(block), np.int64), np.zeros(len(block), np.int64)
    for depth in range(scale):
        chance = uniform_words(seed, f"edges{depth:02}", len(block), block.start) >> np.uint64(32)
        lower, right = chance >= a + b, ((chance >= a) & (chance < a + b)) | (chance >= a + b + c)
        u, v = 2 * u + lower, 2 * v + right
    return u, v


def with_picked(graph: CSRGraph, picks: list[int], drawn: Int32Array, seed: int) -> CSRGraph:
    """Add to a graph's identity where searches begin, and how many edges were drawn in each's component.

    `drawn`, shape (vertices,), int32, counts the edges at the vertex that they were drawn from.
    """
    component = components(graph)
    edges = np.bincount(component, weights=drawn)[component[picks]].astype(np.int64)
    picked = {"seed": seed, "vertices": picks, "edges": edges.tolist()}
    sizes = {"vertices": graph.vertices, "arcs": graph.arcs}
    return replace(graph, info={**graph.info, **sizes, "source": picks[0], "picked": picked})
