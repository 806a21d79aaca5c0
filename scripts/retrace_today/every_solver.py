"""The modules of all solvers of this package, each of which registers its own."""

from retrace_today import (
    auto_searches,
    cluster_searches,
    delta_stepping,
    fewer_arcs,
    frontier,
    host_arcs,
    limits,
    one_block,
    workfront,
)
from retrace_today.betweenness import auto, bitmap_queue, frontier_brandes, lane_queues, lanes, multi_gpu

__all__ = [
    "auto", "bitmap_queue", "auto_searches", "cluster_searches", "delta_stepping", "fewer_arcs", "frontier",
    "frontier_brandes", "host_arcs", "lane_queues", "lanes", "limits", "multi_gpu", "one_block", "workfront",
]  # fmt: skip
