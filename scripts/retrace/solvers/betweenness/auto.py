"""Betweenness by the solver expected to be fastest: on one core, or one of three on a device."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.bitmap_queue import BitmapQueue
from retrace.solvers.betweenness.lane_queues import LaneQueues
from retrace.solvers.betweenness.published_variants import VertCompVirt
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace.solvers.choice import CROSSOVER, DEEP, Choice, Kind
from retrace.solvers.setting import Setting, Settings


class Auto(Choice):
    """`seq-array` for little work; for more, `bitmap-queue`, `lane-queues` or `vert-comp-virt`.

    The work is the number of sources times the arcs of the simple graph. Below `crossover` one core has done
    it before a launch has ended. Below `least_sources` the device is not used even for a large graph, since
    to prepare it for the device takes as long as some searches. A graph of `deep` levels is searched by
    `bitmap-queue`, since without a queue each level costs a look at every vertex. In a flat graph
    `lane-queues` serves `many` sources of a graph of `large` vertices or more, `vert-comp-virt` all others.
    The defaults: docs/experiments.md, 12, 15, 25, 44 and 69.
    """

    name = "betweenness/auto"
    implements = 'domitrz-brandes, "Running on GPU only when it is reasonable"'
    candidates = (VertCompVirt, BitmapQueue, LaneQueues, ArrayBrandes)
    settings: ClassVar[Settings] = {
        "crossover": CROSSOVER,
        "least_sources": Setting(8, "betweenness/auto: sources below which the device does not work"),
        "deep": replace(DEEP, default=32),
        "many": Setting(4096, "betweenness/auto: sources from which on 64 are searched at a time"),
        "large": Setting(
            16_384, "betweenness/auto: vertices from which on 64 sources may be searched at a time"
        ),
        **VertCompVirt.settings,
    }

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        host = self.prepared[ArrayBrandes]
        assert isinstance(host, ArrayBrandes)
        self.graph = host.graph  # which is simple

    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        sources = len(query.sources_in(graph))
        if sources * graph.arcs < self.number("crossover") or sources < self.number("least_sources"):
            return [ArrayBrandes]
        deep = self.number("deep")
        if self.count_levels(graph, deep) == deep:
            return [BitmapQueue]
        in_lanes = sources >= self.number("many") and graph.vertices >= self.number("large")
        return [LaneQueues, VertCompVirt] if in_lanes else [VertCompVirt]
