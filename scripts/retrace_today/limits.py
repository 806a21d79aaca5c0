"""What binds any kernel on a machine: latencies, barriers, bandwidths, each measured by a kernel of its own.

A solver of the problem `limits` repeats one step, such as a load, for at least `REPEATED_S`. A record's
`iterations` says how often, so that a step took solve / iterations; `observed` has the bytes that it reads.
"""

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cuda_device import memory
from cuda_device.gpu_limits import Needs
from cuda_device.interface import Buffer
from retrace.catalogue.setting import Setting, Settings
from retrace.graphs.query import NoGraph, Query
from retrace.solvers.solver import DeviceSolver, seconds_of

REPEATED_S = 0.02
"""Seconds that all steps take at least: a thousand times as long as a launch."""
WORD = np.dtype(np.uint32)


class LimitSolver(DeviceSolver):
    """A step that is repeated. The answer is uint64, shape (3,): words, steps, and what the kernel found."""

    implements = "our own kernel"
    least_steps: int = 1
    """The number of steps is this one times a power of two."""
    steps: int
    words: int = 0
    """Words of 32 bits that a step reads or copies; for a chain of loads, those of the array."""
    bytes_of_step: int = 0
    """Bytes that a step reads or copies, where the bandwidth is asked for."""

    def setup(self, graph: NoGraph) -> None:
        """Allocate, and double the number of steps until they take long enough."""
        self.found = self.device.upload(np.zeros(1, np.uint64))
        self.prepare()
        self.run(self.least_steps)  # the first launch takes longer
        self.device.synchronize()
        self.steps = self.least_steps
        while seconds_of(self.finish) < REPEATED_S:
            self.steps *= 2

    @abstractmethod
    def prepare(self) -> None:
        """Load the kernel, and allocate what it reads."""

    @abstractmethod
    def run(self, steps: int) -> None:
        """Start the steps."""

    def finish(self) -> None:
        """Run all steps and wait for their end."""
        self.run(self.steps)
        self.device.synchronize()

    def upload(self, query: Query) -> None:
        self.device.fill(self.found, 0)

    def solve(self, query: Query) -> int:
        self.run(self.steps)
        return self.steps

    def download(self) -> NDArray[np.uint64]:
        return np.array([self.words, self.steps, self.result()], np.uint64)

    def result(self) -> int:
        """Return what the kernel found."""
        return int(self.device.download(self.found)[0])

    def observed(self) -> dict[str, float]:
        return {"bytes": self.bytes_of_step} if self.bytes_of_step else {}


class LoadL2(LimitSolver):
    """A chain of loads from the L2 cache, by one thread."""

    name = "limits/load-l2"

    def memory_bytes(self, graph: NoGraph) -> int:
        return WORD.itemsize * words_below(self.device.cache_bytes() // 8)

    def prepare(self) -> None:
        self.words = self.memory_bytes(NoGraph()) // WORD.itemsize
        self.lay, self.kernel = self.load_kernels("lay", "load_l2")
        self.next = self.device.empty(self.words, WORD)
        self.upload(Query())

    def upload(self, query: Query) -> None:
        """Write the array, so that it is in the cache, whatever was there since the last trial."""
        super().upload(query)
        self.lay(self.grid(self.words), self.block_size, self.next, WORD.type(self.words))

    def run(self, steps: int) -> None:
        self.kernel(1, 1, self.next, np.uint32(steps), self.found)


class Loop(LimitSolver):
    """A kernel, named as the variant, that repeats the step by itself, in one block or in a cluster."""

    def prepare(self) -> None:
        (self.kernel,) = self.load_kernels(self.variant.replace("-", "_"))
        self.cluster = self.device.limits.cluster if self.needs.cluster else None

    def run(self, steps: int) -> None:
        blocks = self.cluster or 1
        self.kernel(blocks, self.block_size, np.uint32(steps), self.found, cluster=self.cluster)


class LoadShared(Loop):
    """A chain of loads from a block's own shared memory, by one thread."""

    name = "limits/load-shared"
    words = 4096  # WORDS of the kernel file


class LoadCluster(Loop):
    """A chain of loads from the shared memory of the other blocks of the largest cluster, by one thread."""

    name = "limits/load-cluster"
    needs = Needs(cluster=1)
    words = 4096  # WORDS of the kernel file

    def prepare(self) -> None:
        super().prepare()
        self.least_steps = self.device.limits.cluster - 1  # as many in each other block


class BarrierBlock(Loop):
    """The barrier of a block."""

    name = "limits/barrier-block"
    least_steps = 16  # TOGETHER of kernels/retrace_today/limits/barrier.cuh


class BarrierCluster(BarrierBlock):
    """The barrier of the largest cluster."""

    name = "limits/barrier-cluster"
    needs = Needs(cluster=1)


class BarrierGrid(BarrierBlock):
    """The barrier of a grid with one block per multiprocessor."""

    name = "limits/barrier-grid"
    needs = Needs(cooperative_launch=True)

    def run(self, steps: int) -> None:
        blocks = self.device.multiprocessors()
        self.kernel(blocks, self.block_size, np.uint32(steps), self.found, cooperative=True)


class LaunchAndRead(LimitSolver):
    """A launch of one thread, and the copy of its 4 bytes to the host, for which the host waits."""

    name = "limits/launch"
    settings: ClassVar[Settings] = {}

    def prepare(self) -> None:
        (self.kernel,) = self.load_kernels("count_launch")
        self.seen = np.zeros(1, WORD)
        self.launches = self.device.upload(self.seen)

    def upload(self, query: Query) -> None:
        self.device.fill(self.launches, 0)

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.kernel(1, 1, self.launches)
            self.device.read(self.launches, self.seen)

    def result(self) -> int:
        return int(self.seen[0])


class Read(LimitSolver):
    """All words of an array are added up, by as many blocks as run at the same time."""

    settings: ClassVar[Settings] = {"block_size": replace(DeviceSolver.settings["block_size"], default=1024)}
    array: Buffer

    def memory_bytes(self, graph: NoGraph) -> int:
        return WORD.itemsize * self.size()

    @abstractmethod
    def size(self) -> int:
        """Return the words of the array, a power of two."""

    def prepare(self) -> None:
        kernel = self.variant.replace("-", "_")
        self.lay, self.kernel = self.load_kernels("lay", kernel)
        self.blocks = self.device.load(self.source).resident_blocks(kernel, self.block_size)
        self.words, self.bytes_of_step = self.size(), WORD.itemsize * self.size()
        self.array = self.allocate()
        self.upload(Query())

    def allocate(self) -> Buffer:
        """Return room for the words."""
        return self.device.empty(self.words, WORD)

    def upload(self, query: Query) -> None:
        """Write the array, so that it is in the cache if it fits."""
        super().upload(query)
        self.lay(self.blocks, self.block_size, self.array, np.uint32(self.words // 4))

    def run(self, steps: int) -> None:
        vectors = np.uint32(self.words // 4)
        self.kernel(self.blocks, self.block_size, self.array, vectors, np.uint32(steps), self.found)


class ReadMemory(Read):
    """An array of at least 16 times the L2 cache."""

    name = "limits/read-memory"

    def size(self) -> int:
        return 2 * words_below(16 * self.device.cache_bytes() - 1)


class ReadL2(Read):
    """An array of a quarter of the L2 cache or less."""

    name = "limits/read-l2"

    def size(self) -> int:
        return words_below(self.device.cache_bytes() // 4)

    def observed(self) -> dict[str, float]:
        return {**super().observed(), "cache_bytes": self.device.cache_bytes()}


class ReadHost(Read):
    """An array in page-locked memory of the host, about as large as some L2 caches."""

    name = "limits/read-host"
    settings: ClassVar[Settings] = {
        **Read.settings,
        "caches": Setting(1, "L2 caches that the array fills, the last ones perhaps not", least=1),
    }

    def memory_bytes(self, graph: NoGraph) -> int:
        return 0

    def size(self) -> int:
        return words_below(self.number("caches") * self.device.cache_bytes())

    def allocate(self) -> Buffer:
        memory.require(self.bytes_of_step, memory.available(), "memory")
        self.host, mapped = self.device.mapped(self.words, WORD)
        return mapped


class ReadHostScattered(ReadHost):
    """The same, one line of 128 bytes here and the next one far away."""

    name = "limits/read-host-scattered"


class CopyPinned(LimitSolver):
    """A copy as large as the L2 cache, from page-locked memory of the host; there is no kernel."""

    name = "limits/copy-pinned"
    implements = "cuMemcpyHtoD"
    settings: ClassVar[Settings] = {}

    def memory_bytes(self, graph: NoGraph) -> int:
        return self.device.cache_bytes()

    def prepare(self) -> None:
        self.bytes_of_step = self.device.cache_bytes()
        self.words = self.bytes_of_step // WORD.itemsize
        self.host = self.device.pinned(self.words, WORD)
        self.host[:] = np.arange(self.words, dtype=WORD)
        self.copied = self.device.empty(self.words, WORD)

    def upload(self, query: Query) -> None:
        self.device.fill(self.copied, 0)

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.device.write(self.copied, self.host)

    def result(self) -> int:
        return int(self.device.download(self.copied).sum(dtype=np.uint64))


def words_below(size: int) -> int:
    """Return the greatest power of two of words that fit into `size` bytes."""
    return 1 << ((size // WORD.itemsize).bit_length() - 1)
