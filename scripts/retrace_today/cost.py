"""What a search is expected to take, by a sum of terms: so many microseconds for each level, arc and so on.

`costs.yaml` has the microseconds, which were measured on an H200 (docs/experiments, 88).
"""

from collections.abc import Mapping
from functools import cache
from math import ceil, log2
from pathlib import Path

from retrace.system.models import read_yaml
from retrace_today.betweenness.lanes import COMPACTING_PAYS
from retrace_today.features import Features

MULTIPROCESSORS = 132
"""Of the GPU that was measured."""
BLOCKS = 2 * MULTIPROCESSORS
"""Searches of which a block each has one, at the same time."""
CLUSTERS = {16: 7, 8: 15, 4: 30}
"""Clusters that run at the same time, by their blocks."""
LANES = 64
"""Searches of a pass of `betweenness/lane-queues`."""
GRID_PASSES = MULTIPROCESSORS // 8
"""Passes up to which the whole grid has one after the other; of more each block has its own."""
CACHED_VERTICES = 8192
"""Vertices of a graph whose numbers the next cache holds, of a core or of all blocks."""
SURPRISES = 16
"""Arcs of a vertex, at most, of which a core mispredicts whether they lead on; of more, most do not."""
LONG_ROW = 1024
"""Arcs of a vertex that a warp has; a block takes the other arcs of a hub."""
EQUAL_WEIGHTS = 0.3
"""The work in a heap if all weights are equal, as a share of that with weights that differ."""

Terms = Mapping[str, float]


@cache
def costs() -> Mapping[str, Terms]:
    """Return the microseconds of each term, by solver."""
    read: Mapping[str, Terms] = read_yaml(Path(__file__).with_name("costs.yaml"))
    return read


def microseconds(solver: str, terms: Terms) -> float:
    """Return what a solver is expected to take."""
    return sum(each * terms[term] for term, each in costs()[solver].items())


def of_search(graph: Features) -> Terms:
    """Return the terms of a search from one source."""
    reached, arcs, levels = graph.reached, graph.arcs_reached, max(1.0, graph.levels)
    branching = min(1.0, max(0.0, arcs / max(1, reached) - 2))
    scattered = arcs if graph.scattered else 0.0
    return {
        "search": 1,
        "vertices": graph.vertices,
        "reached": reached,
        "arcs": arcs,
        "levels": levels,
        "branching_levels": branching * levels,
        "deep_branching_levels": branching * levels if graph.is_deep else 0,
        "hub": graph.hub,
        "scattered_arcs": 0 if graph.equal_weights else scattered,
        "missed_arcs": scattered * max(0.0, log2(max(1, graph.vertices) / CACHED_VERTICES)),
        "heap": reached * log2(1 + reached / levels) * (EQUAL_WEIGHTS if graph.equal_weights else 1),
        "arcs_of_cycles": 0 if graph.is_forest or graph.equal_weights else arcs,
        "branching_arcs": 0 if graph.equal_weights else branching * arcs,
        "arcs_again": 0 if graph.equal_weights or graph.is_forest else arcs * levels,
        "arcs_before_meeting": arcs if graph.is_deep else 0,
    }


def of_betweenness(graph: Features, sources: int) -> Terms:
    """Return the terms of Brandes' algorithm. A forest has no vertex left after its leaves are taken off."""
    arcs, reached = graph.arcs_reached, graph.reached
    levels, hub, kept, kept_arcs = graph.levels, graph.hub, graph.vertices, arcs
    of_lanes, cycles = (levels, hub, arcs), reached
    if graph.is_forest:
        levels = hub = kept = kept_arcs = 0
        if sources >= COMPACTING_PAYS:
            of_lanes, cycles = (0, 0, 0), 0
    lane_levels, lane_hub, lane_arcs = of_lanes
    waves, passes = ceil(sources / BLOCKS), ceil(sources / LANES)
    by_grid = passes if passes <= GRID_PASSES else 0
    by_blocks = 0 if by_grid else ceil(passes / MULTIPROCESSORS)
    lanes_used = min(sources, LANES) ** 0.35
    blocks = next((size for size, clusters in CLUSTERS.items() if sources <= clusters), min(CLUSTERS))
    turns = ceil(sources / CLUSTERS[blocks])
    looks = waves * kept * levels
    crowd = (min(sources, BLOCKS) / BLOCKS) ** 1.5 * max(0.0, log2(max(1, graph.vertices) / CACHED_VERTICES))
    return {
        "search": 1,
        "vertices": graph.vertices,
        "surprises_of_sources": sources * min(arcs, SURPRISES * reached),
        "arcs_of_sources": sources * arcs,
        "levels_of_sources": sources * graph.levels,
        "hub_of_sources": sources * min(graph.hub, LONG_ROW),
        "cluster_levels": turns * graph.levels,
        "cluster_arcs": turns * arcs / blocks,
        "cluster_hub": turns * min(graph.hub, LONG_ROW),
        "levels": waves * graph.levels,
        "fours_of_levels": waves * graph.levels * min(graph.hub, LANES) / 4,
        "compacted_levels": waves * levels,
        "arcs": waves * arcs,
        "compacted_arcs": waves * kept_arcs,
        "crowded_arcs": waves * kept_arcs * crowd,
        "crowded_vertices": waves * reached * crowd,
        "hub": waves * graph.hub,
        "compacted_hub": waves * hub,
        "looks": looks,
        "crowded_looks": looks * crowd,
        "grid_levels": by_grid * lane_levels,
        "grid_arcs": by_grid * lane_arcs * lanes_used,
        "grid_hub": by_grid * lane_hub,
        "grid_looks": by_grid * cycles * lane_levels * lanes_used,
        "block_levels": by_blocks * lane_levels,
        "block_arcs": by_blocks * lane_arcs,
        "block_hub": by_blocks * lane_hub,
        "block_looks": by_blocks * cycles * lane_levels,
    }
