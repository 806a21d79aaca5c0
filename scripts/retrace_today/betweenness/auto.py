"""Betweenness by the solver expected to cost least: on one core, or one of six on a device."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from cuda_device.gpu_limits import Needs
from retrace.catalogue.setting import Settings
from retrace.graphs.arc_sets import simplify
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.published_variants import Vert, VertCompVirt
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace_today.betweenness.bitmap_queue import BitmapQueue
from retrace_today.betweenness.frontier_brandes import ClusterBrandes, FrontierBrandes
from retrace_today.betweenness.lane_queues import LaneQueues
from retrace_today.choice import Choice, Kind
from retrace_today.cost import Terms, of_betweenness
from retrace_today.features import Features


class Auto(Choice):
    """`seq-array` for little work; for more, a solver on the device that fits the graph and the sources.

    The work is the number of sources times the arcs of the simple graph. `bitmap-queue` is for a deep graph
    or a large one without hubs; `vert` for a small one; `vert-comp-virt` for one with hubs, and a forest, of
    which compaction leaves nothing; `cluster` for up to some thirty sources of a graph of many arcs, deep or
    flat; for a flat graph of many vertices `frontier` from one source, `lane-queues` from many.
    """

    name = "betweenness/auto"
    implements = 'domitrz-brandes, "Running on GPU only when it is reasonable"'
    candidates = (
        VertCompVirt, Vert, BitmapQueue, ClusterBrandes, FrontierBrandes, LaneQueues, ArrayBrandes,
    )  # fmt: skip
    faster_with: ClassVar[Mapping[Kind, Needs]] = {ClusterBrandes: Needs(cluster=8)}
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
