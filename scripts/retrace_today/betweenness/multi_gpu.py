"""Betweenness on all GPUs of a host: the searches of `lane-queues` or `bitmap-queue`, dealt out to them."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import OneLineError
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.conventions import count_pairs_once
from retrace.solvers.solver import DeviceSolver, seconds_of
from retrace_today.betweenness.bitmap_queue import BitmapQueue
from retrace_today.betweenness.fixed_point import SUMS, FixedPoint, FixedSums, add, as_doubles
from retrace_today.betweenness.lane_queues import LaneQueues
from retrace_today.scores.crew import Crew, Passes

SEARCHES: dict[str, type[FixedSums]] = {kind.variant: kind for kind in (LaneQueues, BitmapQueue)}


class MultiGpu(DeviceSolver):
    """`betweenness/lane-queues` or `bitmap-queue` with `sums=fixed`, on several GPUs at the same time.

    Each GPU has the whole graph and as many passes as the others, by a process of its own. Its setup begins
    these processes. The scores are the same bits for any number of GPUs.
    """

    name = "betweenness/multi-gpu"
    implements = "Brandes' algorithm, the sources dealt out to all GPUs of a host"
    source = LaneQueues.source
    more_sources = (*LaneQueues.more_sources, BitmapQueue.source, *BitmapQueue.more_sources)
    settings: ClassVar[Settings] = {
        "devices": Setting(0, "betweenness/multi-gpu: GPUs of the host; 0: all", least=0),
        "kernel": Setting("lane-queues", "betweenness/multi-gpu: what searches", choices=(*SEARCHES,)),
        **{
            key: setting
            for kind in reversed(SEARCHES.values())
            for key, setting in kind.settings.items()
            if key not in (*SUMS, "batch")
        },
    }
    former_settings = FixedSums.former_settings

    def declines(self, query: Query) -> str | None:
        try:
            self.device.peers(self.number("devices"))
        except OneLineError as error:
            return str(error)
        return None

    def setup(self, graph: CSRGraph) -> None:
        self.load_host_files()
        kind = SEARCHES[str(self.parameters["kernel"])]
        given = {key: value for key, value in self.parameters.items() if key in kind.settings}
        settings = ",".join(f"{key}={value}" for key, value in {**given, "sums": "fixed"}.items())
        self.graph = graph
        devices, apart = self.device.peers(self.number("devices")), self.device.backend == "cuda"
        self.crew = Crew(devices, f"{kind.name}:{settings}", graph, apart)

    def upload(self, query: Query) -> None:
        self.prepared = self.crew.prepare(query)
        searches_all = self.crew.is_whole and self.prepared.passes
        self.unsearched = None if searches_all else self.crew.unsearched()

    def solve(self, query: Query) -> int:
        parts = self.search(np.arange(self.prepared.passes))
        if self.unsearched is not None:
            parts.append(self.unsearched)
        self.total, *others = parts
        for part in others:
            add(self.total, part)
        return self.prepared.passes

    def search(self, passes: Passes) -> list[FixedPoint]:
        """Return what each device adds to the scores: its own memory, until its next search."""
        parts: list[FixedPoint] = []
        self.crew.search(passes, lambda _, sums: parts.append(sums))
        return parts

    def download(self) -> NDArray[np.float64]:
        self.crew.release()
        return count_pairs_once(as_doubles(self.total), self.graph)

    def observed(self) -> dict[str, float]:
        """Return how many devices there were, and how many passes each searched at a time."""
        return {"devices": len(self.crew.workers), "blocks": self.prepared.blocks}

    def predict_seconds(self, query: Query) -> float | None:
        """Extrapolate from as many passes as run at a time."""
        self.upload(query)
        passes, few = self.prepared.passes, self.prepared.blocks * len(self.crew.workers)
        taken = seconds_of(lambda: self.search(np.arange(min(few, passes))))
        self.crew.release()
        return taken * max(1, passes / few)
