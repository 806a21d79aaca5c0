"""Betweenness centrality where it is done sooner: on one core, or on a device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph
from retrace.solvers.betweenness import VertCompVirt, VertQueue
from retrace.solvers.brandes import sources_of
from retrace.solvers.host import ArrayBrandes, QueueBFS
from retrace.solvers.registry import REGISTRY, DeviceSolver, Query, Setting, Solver


@REGISTRY.add
class Auto(DeviceSolver):
    """`betweenness/seq-array` for little work; for more `vert-queue` in a deep graph, else `vert-comp-virt`.

    Settings: `crossover`, sources times arcs of the simple graph from which on the device does the work, and
    `least_sources`, below which it does not, however large the graph: what the host prepares for the device
    takes as long as some searches. `deep`, levels of a search from the vertex of most arcs, from which on a
    queue is worth it: without one, each level costs a look at every vertex. The others are the device's.
    `observed` tells where the work was done, and the levels.

    The defaults are measured (docs/experiments.md, 12 and 15): to prepare Gowalla and New York takes as long
    as 4.4 and 5.7 searches on the same core, and 60,000 take it as long as an H200 needs for no work, 0.9 ms.
    """

    name = "betweenness/auto"
    implements = 'domitrz-brandes, "Running on GPU only when it is reasonable"'
    sources = tuple(dict.fromkeys(
        (*ArrayBrandes.sources, *QueueBFS.sources, *VertCompVirt.sources, *VertQueue.sources)
    ))  # fmt: skip
    defaults: ClassVar[Mapping[str, Setting]] = {
        "crossover": 60_000, "least_sources": 8, "deep": 32, **VertCompVirt.defaults,
    }  # fmt: skip

    def setup(self, graph: CSRGraph) -> None:
        """Load all of them."""
        self.host, self.search = ArrayBrandes(), QueueBFS()
        self.flat, self.queue = VertCompVirt(self.device), VertQueue(self.device)
        for solver in (self.flat, self.queue):
            solver.parameters = {key: self.parameters[key] for key in solver.defaults}
        for each in (self.host, self.flat, self.queue):
            each.setup(graph)
        self.search.setup(self.host.graph)

    def choose(self, query: Query) -> Solver:
        """Return the solver that a query is for."""
        graph = self.host.graph
        sources = len(sources_of(query, graph))
        enough = sources * graph.arcs >= int(self.parameters["crossover"])
        self.levels: int | None = None
        if not enough or not graph.arcs or sources < int(self.parameters["least_sources"]):
            return self.host
        self.levels = self.search.solve(Query(int(graph.degrees().argmax())))
        return self.queue if self.levels >= int(self.parameters["deep"]) else self.flat

    def upload(self, query: Query) -> None:
        """Choose, and send the graph if it is for the device."""
        self.chosen = self.choose(query)
        self.chosen.upload(query)

    def solve(self, query: Query) -> int | None:
        """Search from every source; returns the number of searches."""
        return self.chosen.solve(query)

    def download(self) -> NDArray[np.float64]:
        """Fetch the scores."""
        scores: NDArray[np.float64] = self.chosen.download()
        return scores

    def observed(self) -> dict[str, float]:
        """Tell whether the device did the work, how deep the graph is, and what the solver observed."""
        looked = {} if self.levels is None else {"levels": self.levels}
        return {"on_device": int(self.chosen is not self.host), **looked, **self.chosen.observed()}

    def predict_seconds(self, query: Query) -> float | None:
        """Ask the solver that the query is for."""
        return self.choose(query).predict_seconds(query)
