"""Betweenness by the solver expected to be fastest: on one core, or one of three on a device."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.published_variants import VertCompVirt
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace_today.betweenness.bitmap_queue import BitmapQueue
from retrace_today.betweenness.lane_queues import LaneQueues
from retrace_today.choice import CROSSOVER, DEEP, Choice, Kind

FEW_ARCS, HUB = 128, 32
"""A hub has more arcs than that, and leads to more than one in so many vertices."""


class Auto(Choice):
    """`seq-array` for little work; for more, `bitmap-queue`, `lane-queues` or `vert-comp-virt`.

    The work is the number of sources times the arcs of the simple graph. Below `crossover` one core has done
    it before a launch has ended. Below `least_sources` the device is not used even for a large graph, since
    to prepare it for the device takes as long as some searches. A graph of `deep` levels is searched by
    `bitmap-queue`, since without a queue each level costs a look at every vertex. So is a flat graph of at
    least `queued` vertices, unless it has a hub, whose arcs one thread follows: `vert-comp-virt` divides it.
    `lane-queues` serves `many` sources times vertices of a flat graph of `large` arcs or more.
    The defaults: docs/experiments, 12, 15, 25, 44, 69 and 72.
    """

    name = "betweenness/auto"
    implements = 'domitrz-brandes, "Running on GPU only when it is reasonable"'
    candidates = (VertCompVirt, BitmapQueue, LaneQueues, ArrayBrandes)
    settings: ClassVar[Settings] = {
        "crossover": CROSSOVER,
        "least_sources": Setting(8, "betweenness/auto: sources below which the device does not work"),
        "deep": replace(DEEP, default=32),
        "queued": Setting(
            2_048, "betweenness/auto: vertices from which on a flat graph's search has a queue"
        ),
        "many": Setting(
            2**28, "betweenness/auto: sources times vertices from which on 64 sources are searched at a time"
        ),
        "large": Setting(150_000, "betweenness/auto: arcs from which on that may be"),
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
        in_lanes = sources * graph.vertices >= self.number("many") and graph.arcs >= self.number("large")
        queued = graph.vertices >= self.number("queued") and not has_hub(graph)
        others = [BitmapQueue, VertCompVirt] if queued else [VertCompVirt]
        return [LaneQueues, *others] if in_lanes else others


def has_hub(graph: CSRGraph) -> bool:
    """Return whether a vertex has so many arcs that a block would wait for the thread that follows them."""
    most = int(np.diff(graph.indptr).max(initial=0))
    return most > max(FEW_ARCS, graph.vertices // HUB)
