"""Searches by the solver expected to be fastest, chosen by the size and the depth of the graph.

On a GPU without clusters, or with small ones, one block searches a deep graph in a cluster's place; on one
without cooperative launches, a launch for each level searches a flat graph.

The defaults are measured: docs/experiments, 25, 44 and 76.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from cuda_device.gpu_limits import Needs
from retrace.catalogue.setting import PREDECESSORS, Setting, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query, Subject
from retrace.solvers.bfs import BlockQueueBFS, QueueBFS
from retrace.solvers.solver import DeviceSolver, Solver
from retrace.solvers.sssp import BspSSSP
from retrace_today.choice import CROSSOVER, DEEP, Choice, Kind
from retrace_today.cluster_searches import ClusterBFS, ClusterSSSP, ClusterSTCON
from retrace_today.fewer_arcs import LARGEST_INT64, FewerArcsSTCON
from retrace_today.frontier import DirectionBFS, NearFarSSSP
from retrace_today.one_block import OneBlockBFS, OneBlockSSSP, OneBlockSTCON

NEAR_ARCS = 200
"""Enough for the near pairs of the records, which need 181; a core takes up to half of a launch for them."""
LARGE_CLUSTERS = Needs(cluster=16)
"""With clusters of 8 blocks, one block finds hops and pairs sooner; distances, a cluster."""
SAMPLE = Setting(8_192, "…/auto: most arcs that are followed to learn whether a graph is deep")


class SearchChoice(Choice):
    """A choice that depends on the graph alone."""

    def memory_bytes(self, graph: Subject) -> int:
        def need(kind: Kind) -> int:
            solver = self.make(kind)
            return solver.memory_bytes(graph) if isinstance(solver, DeviceSolver) else 0

        assert isinstance(graph, CSRGraph)
        return self.first_to_fit(self.ranked(graph, Query()), need)

    def is_small(self, graph: CSRGraph) -> bool:
        """Return whether one core needs no longer than a launch."""
        return graph.arcs < self.number("crossover")

    def is_deep(self, graph: CSRGraph) -> bool:
        """Return whether few arcs of a search already make many levels."""
        deep = self.number("deep")
        return self.count_levels(graph, deep, self.number("sample")) == deep


class AutoBFS(SearchChoice):
    """`bfs/queue` for a small graph; for a larger one `bfs/cluster` if it is deep, else `bfs/direction`.

    `bfs/queue` finds no predecessors in `solve`, and is not chosen if they are wanted.
    """

    name = "bfs/auto"
    implements = "our own choice, by the number of arcs and the depth of a sample"
    candidates = (ClusterBFS, DirectionBFS, QueueBFS)
    stand_ins: ClassVar[Mapping[Kind, Kind]] = {ClusterBFS: OneBlockBFS, DirectionBFS: BlockQueueBFS}
    faster_with: ClassVar[Mapping[Kind, Needs]] = {ClusterBFS: LARGE_CLUSTERS}
    settings: ClassVar[Settings] = {
        "crossover": replace(CROSSOVER, default=3_500),
        "deep": DEEP,
        "sample": SAMPLE,
        **PREDECESSORS,
    }

    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        if self.is_small(graph) and not self.finds_predecessors:
            return [QueueBFS]
        return [ClusterBFS, DirectionBFS] if self.is_deep(graph) else [DirectionBFS]


class AutoSSSP(SearchChoice):
    """`sssp/cluster` if the graph is deep, else `sssp/near-far`."""

    name = "sssp/auto"
    implements = "our own choice, by the depth of a sample"
    candidates = (ClusterSSSP, NearFarSSSP)
    stand_ins: ClassVar[Mapping[Kind, Kind]] = {ClusterSSSP: OneBlockSSSP, NearFarSSSP: BspSSSP}
    settings: ClassVar[Settings] = {"deep": DEEP, "sample": SAMPLE, **PREDECESSORS}

    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        return [ClusterSSSP, NearFarSSSP] if self.is_deep(graph) else [NearFarSSSP]


class AutoSTCON(SearchChoice):
    """`stcon/cluster` if the graph is large and deep, and a cluster can hold it, else `stcon/fewer-arcs`.

    Two searches that meet are short in a flat graph: they end before a launch would. So do those of a near
    pair of a deep graph. Nothing tells beforehand that a pair is near, so `stcon/fewer-arcs` first looks at
    `NEAR_ARCS` arcs; for a far pair, this adds little.
    """

    name = "stcon/auto"
    implements = "our own choice, by the number of arcs and the depth of a sample"
    candidates = (ClusterSTCON, FewerArcsSTCON)
    stand_ins: ClassVar[Mapping[Kind, Kind]] = {ClusterSTCON: OneBlockSTCON}
    faster_with: ClassVar[Mapping[Kind, Needs]] = {ClusterSTCON: LARGE_CLUSTERS}
    settings: ClassVar[Settings] = {"crossover": CROSSOVER, "deep": DEEP, "sample": SAMPLE, **PREDECESSORS}

    def rank(self, graph: CSRGraph, query: Query) -> Sequence[Kind]:
        wide = self.is_small(graph) or not self.is_deep(graph)
        return [FewerArcsSTCON] if wide else [ClusterSTCON, FewerArcsSTCON]

    def upload(self, query: Query) -> None:
        super().upload(query)
        launches = not isinstance(self.chosen, FewerArcsSTCON)
        host = self.prepared[FewerArcsSTCON] if launches else self.chosen
        assert isinstance(host, FewerArcsSTCON)
        self.host, self.search = host, host.search
        self.arcs = NEAR_ARCS if launches else LARGEST_INT64

    def solve(self, query: Query) -> int | None:
        levels = self.search(query, self.arcs)
        self.ends_on_host = levels is not None
        return levels if self.ends_on_host else self.chosen.solve(query)

    @property
    def answering(self) -> Solver:
        """The solver that found the last answer."""
        return self.host if self.ends_on_host else self.chosen

    def forget(self) -> None:
        self.host.forget()
        super().forget()

    def download(self) -> Any:
        return self.answering.download()

    def predecessors(self) -> Int32Array | None:
        return self.answering.predecessors()

    def observed(self) -> dict[str, float]:
        """Return also whether the answer was found before the chosen solver began."""
        return super().observed() | ({"found_near": 1} if self.answering is not self.chosen else {})
