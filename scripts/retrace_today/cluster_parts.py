"""The base of searches in one thread-block cluster, each block of which has a part of the graph."""

from abc import abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from cuda_device.errors import TooLargeError
from cuda_device.gpu_limits import KIB, Needs
from cuda_device.interface import MAX_THREADS
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.solver import DeviceSolver
from retrace_today.arcs_on_device import ArcsOnDevice
from retrace_today.packed_arcs import MOST_PARTS, PACK, Cut, DeviceCut, Packer, PlannedCut

WORDS_OF_A_THREAD = (1, 4, 16)
"""Words of 32 vertices that a thread may own: each number is a kernel of its own."""
KEEPS = ("marks", "state", "arcs")
"""What may be in shared memory: marks of vertices, their state too, or even arcs."""
EVERY = Setting(16, "rounds of a cluster after which its blocks ask each other whether any is active")
"""A setting of some of the searches."""


class ClusterSearch(ArcsOnDevice):
    """A search in one launch of one thread-block cluster, each block of which has a part of the graph.

    Cutting the graph and packing its arcs, on the device, is part of `upload`; a record has its time as
    `prepare_ms`. A thread owns up to four words of 32 vertices, or 16 if a part has more than 4,096 words. A
    block has more threads than were asked for if its part has more words than these may own, and fewer if it
    has fewer words; it has whole warps.
    """

    settings: ClassVar[Settings] = {
        "block_size": replace(DeviceSolver.settings["block_size"], default=1024),
        "cluster_blocks": Setting(
            MOST_PARTS,
            "blocks of the cluster, each with a part of the graph; fewer where the GPU has smaller clusters",
            most=MOST_PARTS,
        ),
        "pieces": Setting(4096, "runs of vertices that are dealt out to the blocks of the cluster in turn"),
        "shared": Setting("arcs", "most that a block has in shared memory, if it fits", choices=KEEPS),
    }
    needs = Needs(cluster=1)
    repeats = True
    in_shared: tuple[str, ...]
    """Those of `KEEPS` that there is a kernel for, from the least."""
    more_sources: ClassVar[tuple[str, ...]] = (PACK,)
    kept: str
    """The one of `in_shared` that was chosen."""
    shared_bytes: int
    """Dynamic shared memory of a block."""
    threads: int
    """Threads in a block."""

    def setup(self, graph: CSRGraph) -> None:
        self.graph, self.packer = graph, Packer(self.device)
        module, prefix = self.device.load(self.source), self.kernel_prefix()
        names = [f"{kept}_{words}" for kept in self.in_shared for words in WORDS_OF_A_THREAD]
        self.kernels = {name: module.kernel(f"{prefix}_{name}") for name in names}
        self.load_host_files()

    def kernel_prefix(self) -> str:
        """Return what the kernels' names in `source` begin with."""
        return f"cluster_{self.problem}"

    def ways(self, graph: CSRGraph) -> list[CSRGraph]:
        """Return the graph that is searched, and if it is searched backwards, too, its reverse."""
        return [graph]

    def parts_and_pieces(self) -> tuple[int, int]:
        """Return the number of parts, one for each block, and of pieces."""
        return min(self.number("cluster_blocks"), self.device.limits.cluster), self.number("pieces")

    @abstractmethod
    def fit_cut(self, cut: Cut) -> None:
        """Choose by `fit` what is in shared memory; raise TooLargeError if no cluster can hold its state."""

    @abstractmethod
    def state_bytes(self, graph: CSRGraph, cut: Cut) -> int:
        """Return the device memory for what a search writes, and for arcs that are not packed."""

    def memory_bytes(self, graph: CSRGraph) -> int:
        ways = self.ways(graph)
        cut = PlannedCut(ways, *self.parts_and_pieces())
        self.fit_cut(cut)
        arcs = sum(array.nbytes for way in ways for array in self.arrays_of(way))
        records = cut.records_bytes(self.kept == "arcs", self.problem == "sssp")
        return arcs + records + cut.bytes_beside() + self.state_bytes(graph, cut)

    def upload(self, query: Query) -> None:
        began = perf_counter()
        ways = self.ways(self.graph)
        contracted = perf_counter() - began
        arrays = [self.upload_arcs(way) for way in ways]
        began = perf_counter()
        cut = DeviceCut(self.packer, arrays, *self.parts_and_pieces())
        self.fit_cut(cut)
        self.blocks, self.words, self.positions, self.place = cut.count, cut.words, cut.positions, cut.place
        records = cut.short_records if self.kept == "arcs" else cut.long_records
        self.records = [array for way in range(len(ways)) for array in records(way)]
        self.keep(cut)
        self.device.synchronize()
        self.prepare_ms = (perf_counter() - began + contracted) * 1e3

    @abstractmethod
    def keep(self, cut: DeviceCut) -> None:
        """Keep what else a search needs of a cut, whose other memory is free then."""

    def fit(self, cut: Cut, *needs: int | None) -> None:
        """Choose as much for shared memory as fits and may be there, and the number of threads.

        `needs` are the bytes of each of `in_shared`, None where it cannot be had. Raise TooLargeError if the
        least is too much.
        """
        *_, few, many = WORDS_OF_A_THREAD
        owned = few if cut.words <= few * MAX_THREADS else many
        least, most = (-(-cut.words // (32 * each)) * 32 for each in (owned, 1))
        whole_warps = -(-self.block_size // 32) * 32
        self.threads = min(whole_warps, most) if whole_warps * owned >= cut.words else least

        most = self.device.limits.dynamic_shared
        allowed = KEEPS[: 1 + KEEPS.index(str(self.parameters["shared"]))]
        for kept, needed in zip(self.in_shared, needs, strict=True):
            if kept == "marks" or (kept in allowed and needed is not None and needed <= most):
                self.kept, self.shared_bytes = kept, needed or 0
        if self.threads > MAX_THREADS or self.shared_bytes > most:
            asked = f"{self.threads:,} threads and {self.shared_bytes / KIB:,.0f} KiB of shared memory"
            raise TooLargeError(f"needs {asked} in a block; there are {MAX_THREADS:,} and {most // KIB}")

    def launch(self, *arguments: Any) -> None:
        """Launch the cluster, whose threads own enough words each."""
        blocks, threads = self.blocks, self.threads
        words = next(each for each in WORDS_OF_A_THREAD if each * threads >= self.words)
        kernel, words_of_part = self.kernels[f"{self.kept}_{words}"], np.int32(self.words)
        kernel(blocks, threads, words_of_part, *arguments, shared=self.shared_bytes, cluster=blocks)

    def observed(self) -> dict[str, float]:
        """Return the ms of preparation, a block's threads and shared bytes, and whether arcs are there."""
        return {
            "prepare_ms": self.prepare_ms,
            "threads": self.threads,
            "shared_bytes": self.shared_bytes,
            "arcs_in_shared": int(self.kept == "arcs"),
        }
