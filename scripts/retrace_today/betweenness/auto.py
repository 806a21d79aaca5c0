"""Betweenness by the solver expected to cost least: on one core, or one of four on a device."""

from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import Settings
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.published_variants import VertCompVirt
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace_today.betweenness.bitmap_queue import BitmapQueue
from retrace_today.betweenness.frontier_brandes import FrontierBrandes
from retrace_today.betweenness.lane_queues import LaneQueues
from retrace_today.choice import Choice
from retrace_today.cost import Terms, of_betweenness
from retrace_today.features import Features


class Auto(Choice):
    """`seq-array` for little work; for more, `bitmap-queue`, `frontier`, `lane-queues` or `vert-comp-virt`.

    The work is the number of sources times the arcs of the simple graph. `bitmap-queue` is for a deep graph
    or a large one without hubs; `vert-comp-virt` for a small one, one with hubs, and a forest, of which
    compaction leaves nothing; for a flat graph of many vertices `frontier` from few sources, `lane-queues`
    from many.
    """

    name = "betweenness/auto"
    implements = 'domitrz-brandes, "Running on GPU only when it is reasonable"'
    candidates = (VertCompVirt, BitmapQueue, FrontierBrandes, LaneQueues, ArrayBrandes)
    settings: ClassVar[Settings] = {**Choice.settings, **VertCompVirt.settings}
    former_settings = "crossover", "least_sources", "deep", "queued", "many", "large"

    def setup(self, graph: CSRGraph) -> None:
        super().setup(simplify(graph))  # once, not by each candidate

    def terms(self, graph: CSRGraph, query: Query) -> Terms:
        searches = graph.vertices
        if query.sources is not None:
            sources = query.sources_in(graph)
            searches = int(np.count_nonzero(graph.indptr[sources] < graph.indptr[sources + 1]))
        return of_betweenness(Features.of(graph), searches)
