"""Betweenness by the solver expected to be fastest: on one core, or one of two on a device."""

from typing import Any, ClassVar

from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.published_variants import VertCompVirt, VertQueue
from retrace.solvers.betweenness.sequential import ArrayBrandes
from retrace.solvers.bfs import QueueBFS
from retrace.solvers.registry import REGISTRY
from retrace.solvers.setting import Setting, Settings
from retrace.solvers.solver import DeviceSolver, Solver


@REGISTRY.add
class Auto(DeviceSolver):
    """`seq-array` for little work; for more, `vert-queue` in a deep graph, else `vert-comp-virt`.

    The work is the number of sources times the arcs of the simple graph. Below `crossover` the device is not
    worth its overhead, and below `least_sources` not even in a large graph, since preparing the graph for the
    device takes as long as some searches. A queue is worth it from `deep` levels on, since without one each
    level costs a look at every vertex. The defaults are measured: docs/experiments.md, 12 and 15.
    """

    name = "betweenness/auto"
    implements = 'domitrz-brandes, "Running on GPU only when it is reasonable"'
    source = VertCompVirt.source
    more_sources = (*VertCompVirt.more_sources, VertQueue.source, ArrayBrandes.source, QueueBFS.source)
    settings: ClassVar[Settings] = {
        "crossover": Setting(60_000, "betweenness/auto: sources times arcs from which on the device works"),
        "least_sources": Setting(8, "betweenness/auto: sources below which the device does not work"),
        "deep": Setting(32, "betweenness/auto: levels of a search from which on a queue is used"),
        **VertCompVirt.settings,
    }

    def setup(self, graph: CSRGraph) -> None:
        self.host, self.search = ArrayBrandes(), QueueBFS()
        self.flat, self.queue = VertCompVirt(self.device), VertQueue(self.device)
        for solver in (self.flat, self.queue):
            solver.parameters = {key: self.parameters[key] for key in solver.defaults}
        for each in (self.host, self.flat, self.queue):
            each.setup(graph)
        self.search.setup(self.host.graph)

    def choose(self, query: Query) -> Solver:
        graph = self.host.graph
        sources = len(query.sources_in(graph))
        enough = sources * graph.arcs >= self.number("crossover")
        self.levels: int | None = None
        if not enough or not graph.arcs or sources < self.number("least_sources"):
            return self.host
        self.levels = self.search.solve(Query(int(graph.degrees().argmax())))
        return self.queue if self.levels >= self.number("deep") else self.flat

    def upload(self, query: Query) -> None:
        self.chosen = self.choose(query)
        self.chosen.upload(query)

    def solve(self, query: Query) -> int | None:
        return self.chosen.solve(query)

    def download(self) -> Any:
        return self.chosen.download()

    def observed(self) -> dict[str, float]:
        """Return whether the device did the work, the levels of the graph, and what the solver observed."""
        looked = {} if self.levels is None else {"levels": self.levels}
        return {"on_device": int(self.chosen is not self.host), **looked, **self.chosen.observed()}

    def predict_seconds(self, query: Query) -> float | None:
        return self.choose(query).predict_seconds(query)
