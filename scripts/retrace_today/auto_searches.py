"""Searches by the solver expected to cost least, by the size of the graph and the first levels of a search.

On a GPU without clusters, or with small ones, one block searches a deep graph in a cluster's place; on one
without cooperative launches, a launch for each level searches a flat graph.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from cuda_device.gpu_limits import Needs
from retrace.catalogue.setting import PREDECESSORS, Settings
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query, Subject
from retrace.solvers.bfs import BlockQueueBFS, QueueBFS
from retrace.solvers.mask_sssp import QueueSequentialSSSP
from retrace.solvers.solver import DeviceSolver, Solver
from retrace.solvers.sssp import BspSSSP, HeapDijkstra
from retrace_today.choice import Choice, Kind
from retrace_today.cluster_searches import ClusterBFS, ClusterSSSP, ClusterSTCON
from retrace_today.cost import Terms, of_search
from retrace_today.delta_stepping import DeltaSteppingSSSP
from retrace_today.features import Features
from retrace_today.fewer_arcs import LARGEST_INT64, FewerArcsSTCON
from retrace_today.frontier import DirectionBFS, NearFarSSSP
from retrace_today.one_block import OneBlockBFS, OneBlockSSSP, OneBlockSTCON
from retrace_today.workfront import WorkfrontSweepSSSP

NEAR_ARCS = 200
"""Enough for the near pairs of the records, which need 181; a core takes up to half of a launch for them."""
LARGE_CLUSTERS = Needs(cluster=16)
"""With clusters of 8 blocks, one block finds hops and pairs sooner; distances, a cluster."""


class SearchChoice(Choice):
    """A choice that depends on the graph alone.

    If predecessors are wanted, it is between the candidates that find them in `solve`.
    """

    settings: ClassVar[Settings] = {**Choice.settings, **PREDECESSORS}
    former_settings = "crossover", "deep", "sample"

    @cached_property
    def able_here(self) -> tuple[Kind, ...]:
        able = super().able_here
        find_them = tuple(kind for kind in able if PREDECESSORS.keys() <= kind.settings.keys())
        return find_them if self.finds_predecessors and find_them else able

    def terms(self, graph: CSRGraph, query: Query) -> Terms:
        return of_search(Features.of(graph))

    def memory_bytes(self, graph: Subject) -> int:
        def need(kind: Kind) -> int:
            solver = self.make(kind)
            return solver.memory_bytes(graph) if isinstance(solver, DeviceSolver) else 0

        assert isinstance(graph, CSRGraph)
        return self.first_to_fit(self.ranked(graph, Query()), need)


class AutoBFS(SearchChoice):
    """`bfs/queue` for a small graph or a path; else `bfs/cluster` if it is deep, or `bfs/direction`."""

    name = "bfs/auto"
    implements = "our own choice, by a model of cost"
    candidates = (ClusterBFS, OneBlockBFS, DirectionBFS, BlockQueueBFS, QueueBFS)
    faster_with: ClassVar[Mapping[Kind, Needs]] = {ClusterBFS: LARGE_CLUSTERS}


class AutoSSSP(SearchChoice):
    """`sssp/cluster` or `sssp/one-block` if the graph is deep and sparse, else one that searches by the grid.

    Of these, `sssp/workfront-sweep` is for few arcs, `sssp/near-far` for more, and `sssp/delta-stepping` for
    the most. One core searches a small graph, and a path or another forest whose levels are too many for a
    GPU.
    """

    name = "sssp/auto"
    implements = "our own choice, by a model of cost"
    candidates = (
        ClusterSSSP, OneBlockSSSP, NearFarSSSP, DeltaSteppingSSSP, WorkfrontSweepSSSP, BspSSSP, HeapDijkstra,
        QueueSequentialSSSP,
    )  # fmt: skip


class AutoSTCON(SearchChoice):
    """`stcon/cluster` or `stcon/one-block` if the graph is large and deep, else `stcon/fewer-arcs`.

    Two searches that meet are short in a flat graph: they end before a launch would. So do those of a near
    pair of a deep graph. Nothing tells beforehand that a pair is near, so `stcon/fewer-arcs` first looks at
    `NEAR_ARCS` arcs; for a far pair, this adds little.
    """

    name = "stcon/auto"
    implements = "our own choice, by a model of cost"
    candidates = (ClusterSTCON, OneBlockSTCON, FewerArcsSTCON)
    faster_with: ClassVar[Mapping[Kind, Needs]] = {ClusterSTCON: LARGE_CLUSTERS}

    def setup(self, graph: CSRGraph) -> None:
        super().setup(graph)
        near = self.prepared.get(FewerArcsSTCON) or self.make(FewerArcsSTCON)
        assert isinstance(near, FewerArcsSTCON)
        self.near = near
        self.near.setup(graph)

    def upload(self, query: Query) -> None:
        super().upload(query)
        self.host = self.chosen if isinstance(self.chosen, FewerArcsSTCON) else self.near
        self.search, self.arcs = self.host.search, LARGEST_INT64 if self.host is self.chosen else NEAR_ARCS

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
