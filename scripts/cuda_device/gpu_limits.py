"""What GPUs have: the limits of each compute capability, and what a solver needs of a GPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from cuda_device.capability import Capability
from cuda_device.errors import DeviceError

KIB = 1024
WITHOUT_GPU = "9.0"
"""The compute capability whose limits the emulator keeps unless another is asked for."""
VARIABLES_BYTES = 1 * KIB
"""Room for a kernel's variables in shared memory."""
PORTABLE_CLUSTER = 8
"""Blocks of a cluster that every GPU with clusters can run; some run more."""


@dataclass(frozen=True)
class GPULimits:
    """The limits of a GPU. Sizes are in bytes."""

    capability: Capability
    shared_of_block: int
    """Shared memory that a block may have at most, if it asks for it."""
    shared_of_multiprocessor: int
    threads_of_multiprocessor: int
    blocks_of_multiprocessor: int
    registers_of_multiprocessor: int
    cooperative_launch: bool
    """Whether all blocks of a launch may wait for each other."""
    cluster: int
    """Most blocks of a thread-block cluster, perhaps fewer for a large kernel; 0 without clusters."""
    double_atomics: bool
    """Whether there is an `atomicAdd` of doubles."""

    @classmethod
    def by_capability(cls, text: str) -> GPULimits:
        """Return the limits of a compute capability; raise DeviceError if the table does not have it."""
        capability = Capability.parse(text)
        if capability not in BY_CAPABILITY:
            known = ", ".join(map(str, BY_CAPABILITY))
            raise DeviceError(f"compute capability {text}: its limits are not known, only those of {known}")
        return BY_CAPABILITY[capability]

    @classmethod
    def by_driver(cls, capability: Capability, attribute: Callable[[str], int]) -> GPULimits:
        """Return the limits that a driver tells: `attribute` asks for one by its name in CUdevice_attribute.

        It does not tell the size of a cluster, which is the table's, or what every GPU with clusters can run.
        """
        known = BY_CAPABILITY.get(capability)
        clusters = known.cluster if known else PORTABLE_CLUSTER
        return cls(
            capability,
            attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
            attribute("MAX_THREADS_PER_MULTIPROCESSOR"),
            attribute("MAX_BLOCKS_PER_MULTIPROCESSOR"),
            attribute("MAX_REGISTERS_PER_MULTIPROCESSOR"),
            bool(attribute("COOPERATIVE_LAUNCH")),
            clusters if attribute("CLUSTER_LAUNCH") else 0,
            capability >= DOUBLES_FROM,
        )

    @property
    def dynamic_shared(self) -> int:
        """Return the most dynamic shared memory of a block, in bytes, beside a kernel's variables."""
        return self.shared_of_block - VARIABLES_BYTES

    def within(self, other: GPULimits) -> GPULimits:
        """Return the lesser of each limit, and the capability of `other`: this GPU as if it were that one."""
        mine = (field.name for field in fields(self) if field.name != "capability")
        return GPULimits(other.capability, *(min(getattr(self, name), getattr(other, name)) for name in mine))

    def resident_blocks(self, threads: int, shared: int = 0) -> int:
        """Return how many blocks a multiprocessor runs at the same time, at least one, by these limits.

        Registers may allow fewer. A block has `threads` threads and `shared` bytes of shared memory.
        """
        by_threads = min(self.threads_of_multiprocessor // threads, self.blocks_of_multiprocessor)
        return max(1, min(by_threads, self.shared_of_multiprocessor // shared) if shared else by_threads)


@dataclass(frozen=True)
class Needs:
    """What a solver needs of a GPU beyond what every GPU has."""

    cooperative_launch: bool = False
    double_atomics: bool = False
    cluster: int = 0
    """Blocks that a cluster must be able to have; 1 for any clusters."""
    shared_kib: int = 0
    """KiB of shared memory of a block."""

    def missing_from(self, limits: GPULimits) -> str | None:
        """Return which of these a GPU lacks, in a few words; None if it has all."""
        here = f"this GPU has {limits.capability}"
        if self.cluster and not limits.cluster:
            return f"needs thread-block clusters, from compute capability {CLUSTERS_FROM} on; {here}"
        if self.cluster > limits.cluster:
            return f"needs clusters of {self.cluster} blocks; this GPU has {limits.cluster} at most"
        if self.cooperative_launch and not limits.cooperative_launch:
            return f"needs cooperative launches, from compute capability {COOPERATIVE_FROM} on; {here}"
        if self.double_atomics and not limits.double_atomics:
            return f"needs atomicAdd of doubles, from compute capability {DOUBLES_FROM} on; {here}"
        if self.shared_kib * KIB > limits.shared_of_block:
            has = f"{limits.shared_of_block // KIB} KiB (compute capability {limits.capability})"
            return f"needs {self.shared_kib} KiB of shared memory in a block; this GPU has {has}"
        return None


COOPERATIVE_FROM = Capability(6, 0)
DOUBLES_FROM = Capability(6, 0)
CLUSTERS_FROM = Capability(9, 0)
"""From which capability on a GPU has these."""


def _row(text: str, shared: int, of_all: int, threads: int, blocks: int, cluster: int = 0) -> GPULimits:
    """Return a row of the table; shared memory in KiB. Every multiprocessor has 65,536 registers."""
    own = Capability.parse(text)
    cooperative, doubles = own >= COOPERATIVE_FROM, own >= DOUBLES_FROM
    return GPULimits(own, shared * KIB, of_all * KIB, threads, blocks, 2**16, cooperative, cluster, doubles)


# fmt: off
BY_CAPABILITY = {limits.capability: limits for limits in (
    #    capability  shared memory of a block, a multiprocessor; threads, blocks of one; blocks of a cluster
    _row("5.0",      48, 64, 2048, 32),
    _row("5.2",      48, 96, 2048, 32),
    _row("5.3",      48, 64, 2048, 32),
    _row("6.0",      48, 64, 2048, 32),
    _row("6.1",      48, 96, 2048, 32),
    _row("6.2",      48, 64, 2048, 32),
    _row("7.0",      96, 96, 2048, 32),
    _row("7.2",      96, 96, 2048, 32),
    _row("7.5",      64, 64, 1024, 16),
    _row("8.0",      163, 164, 2048, 32),
    _row("8.6",      99, 100, 1536, 16),
    _row("8.7",      163, 164, 1536, 16),
    _row("8.9",      99, 100, 1536, 24),
    _row("9.0",      227, 228, 2048, 32, 16),
    _row("10.0",     227, 228, 2048, 32, 16),
    _row("10.3",     227, 228, 2048, 32, 16),
    _row("11.0",     227, 228, 1536, 24, 8),
    _row("12.0",     99, 100, 1536, 24, 8),
    _row("12.1",     99, 100, 1536, 24, 8),
)}
# fmt: on
"""By compute capability: CUDA C++ Programming Guide, "Compute Capabilities", and from 6.0 on
`cuda/__device/arch_traits.h` of NVIDIA's CCCL. A cluster has 16 blocks at most where the Hopper and Blackwell
Tuning Guides name this size, else the portable 8."""
WIDEST_CLUSTER = max(limits.cluster for limits in BY_CAPABILITY.values())
