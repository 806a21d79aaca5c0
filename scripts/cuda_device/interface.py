"""The device interface that every CUDA solver is written against."""

from __future__ import annotations

import ctypes
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_device.errors import DeviceError
from cuda_device.gpu_limits import GPULimits, Needs
from cuda_device.host_loop import HostLoop, Repeated

PACKED = {
    "b1": "?7x", "i1": "b7x", "u1": "B7x", "i2": "h6x", "u2": "H6x", "i4": "i4x", "u4": "I4x",
    "i8": "q", "u8": "Q", "f4": "f4x", "f8": "d",
}  # fmt: skip
"""How `struct` packs a number into 8 bytes, by its type. Codes of NumPy differ: `l` has 8 bytes, here 4."""

Memory = TypeVar("Memory")
"""What an allocation returns."""

Dim = int | tuple[int, ...]
"""A grid or block size: x, (x, y) or (x, y, z)."""

MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
"""The same for every GPU since compute capability 5.0."""


def as_xyz(size: Dim) -> tuple[int, int, int]:
    """Return a grid or block size as (x, y, z); raise DeviceError if it is of other numbers."""
    lengths = size if isinstance(size, tuple) else (size,)
    if not 1 <= len(lengths) <= 3 or not all(hasattr(length, "__index__") for length in lengths):
        raise DeviceError(f"a grid, block or cluster of {size!r}, expected one to three whole numbers")
    x, y, z = (*map(int, lengths), 1, 1)[:3]
    return x, y, z


def check_launch(
    kernel: str,
    grid: Dim,
    block: Dim,
    shared: int,
    limits: GPULimits,
    cluster: Dim | None = None,
    cooperative: bool = False,
) -> None:
    """Raise DeviceError, naming the kernel, the size and its limit, if a device cannot execute a launch."""
    for what, size, most_of in (("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)):
        for axis, length, limit in zip("xyz", as_xyz(size), most_of, strict=True):
            if not 1 <= length <= limit:
                raise DeviceError(f"kernel {kernel}: {what} size {length} in {axis}, not from 1 to {limit}")
    threads = math.prod(as_xyz(block))
    if threads > MAX_THREADS:
        raise DeviceError(f"kernel {kernel}: {threads} threads per block, not from 1 to {MAX_THREADS}")
    if not 0 <= shared <= (most := limits.shared_of_block):
        raise DeviceError(f"kernel {kernel}: {shared} bytes of shared memory, not from 0 to {most}")
    asked = Needs(cooperative_launch=cooperative, cluster=int(cluster is not None))
    if (missing := asked.missing_from(limits)) is not None:
        raise DeviceError(f"kernel {kernel}: {missing}")
    if cluster is None:
        return
    blocks = as_xyz(cluster)
    if not (min(blocks) >= 1 and math.prod(blocks) <= limits.cluster):
        raise DeviceError(
            f"kernel {kernel}: a cluster of {math.prod(blocks)} blocks, not from 1 to {limits.cluster}"
        )
    if any(length % part for length, part in zip(as_xyz(grid), blocks, strict=True)):
        raise DeviceError(
            f"kernel {kernel}: a grid of {as_xyz(grid)} blocks, not a multiple of its clusters' {blocks}"
        )


class Buffer(Protocol):
    """A one-dimensional array in device memory, which only kernels and copies can access."""

    size: int
    """Number of elements."""
    dtype: np.dtype[Any]
    address: int
    """Where it lies in the memory of the device."""


class Stream(Protocol):
    """A stream: its copies and launches run in order. None instead of a stream means the default stream."""

    def synchronize(self) -> None:
        """Wait until all work in the stream is finished."""


class Event(Protocol):
    """A mark in a stream, which can be waited for and timed."""

    def record(self, stream: Any | None = None) -> None:
        """Place the mark after all work that is now in the stream."""

    def synchronize(self) -> None:
        """Wait until the mark is reached."""

    def milliseconds_since(self, earlier: Self) -> float:
        """Return the device time in ms from an earlier mark to this one; both must have been reached."""


class PackedLaunch(Protocol):
    """A launch whose arguments are packed."""

    @property
    def grid(self) -> Dim | None:
        """The grid; None of a launch that is given its blocks."""

    @property
    def threads(self) -> int:
        """Threads in a block."""

    def __call__(self, blocks: int | None = None) -> None:
        """Launch, with so many blocks if it has no grid."""


class Kernel(Protocol):
    """A `__global__` function."""

    def __call__(
        self,
        grid: Dim,
        block: Dim,
        *arguments: Any,
        shared: int = 0,
        stream: Any | None = None,
        cooperative: bool = False,
        cluster: Dim | None = None,
    ) -> None:
        """Launch without waiting for the end, with `shared` bytes of dynamic shared memory.

        The blocks of a `cooperative` launch all run at the same time and may wait for each other at
        `this_grid().sync()`. Those of a `cluster` do too, at its barrier, and share their memory; None
        means the kernel's own `__cluster_dims__`.

        Arguments are buffers and NumPy scalars of the parameters' exact types, such as `np.int32(5)`. Plain
        Python numbers are refused, because their width is unknown.
        """

    def with_arguments(
        self,
        grid: Dim | None,
        block: Dim,
        *arguments: Any,
        shared: int = 0,
        cluster: Dim | None = None,
        cooperative: bool = True,
    ) -> PackedLaunch:
        """Return what makes this launch, as often as it is called; arguments are packed once.

        Without a grid, each call gives the number of blocks.
        """


class Module(Protocol):
    """A `.cu` file, compiled for the device and loaded."""

    built: str
    """Name of the compiled file, which has a hash of all that determines it."""

    def kernel(self, name: str) -> Kernel:
        """Return a kernel by its `extern "C"` name; raise OneLineError if there is none."""

    def resident_blocks(self, kernel: str, block: Dim, shared: int = 0) -> int:
        """Return how many blocks of a kernel run at the same time, the most of a `cooperative` launch.

        Each has `block` threads and `shared` bytes of dynamic shared memory. The emulator can run any number;
        it returns a few.
        """

    def largest_cluster(self, kernel: str, block: Dim) -> int:
        """Return the most blocks of a cluster of a kernel; the emulator, which has no limit, says two."""

    def resident_clusters(self, kernel: str, block: Dim, cluster: int) -> int:
        """Return how many clusters of so many blocks run at the same time; the emulator says a few."""

    def write_symbol(self, name: str, values: NDArray[Any]) -> None:
        """Copy `values` into the `__constant__` or `__device__` array `name`."""


class Device(ABC):
    """A device with its own context, open from `__enter__` to `__exit__`.

    Opening creates the context; closing frees all memory allocated in it. A copy without a stream is finished
    on return. One with a stream, and any fill, is only queued, as launches are.
    """

    backend: str
    limits: GPULimits
    """Of this GPU, or of the one that it is used as."""
    memory_gib: float | None = None
    """Limit of the memory that is reported as free; None for the device's own."""
    lock_ms: float | None = None
    """What `page_lock` has taken since a clock began, in ms; None if it was not called."""
    off_clock_ms: float = 0.0
    """What was done `off_the_clock`, in ms."""

    @abstractmethod
    def __enter__(self) -> Self:
        """Create the context."""

    @abstractmethod
    def __exit__(self, *exception: object) -> None:
        """Free all allocations and the context."""

    @abstractmethod
    def peers(self, count: int) -> list[Callable[[], Device]]:
        """Return what opens the first `count` devices of this host, each in a process of its own; 0 for all.

        Raise OneLineError if there are fewer. The emulator has any number, and two if asked for all.
        """

    @abstractmethod
    def load(self, source: str, macros: Sequence[str] = ()) -> Module:
        """Load a kernel file, compiled if necessary; `source` is absolute or relative to `kernels/`.

        What is named in `macros` is defined where it is compiled.
        """

    @abstractmethod
    def load_thrust(self, source: str) -> ctypes.CDLL:
        """Load a C++ file that uses Thrust; it uses the context of this device."""

    @abstractmethod
    def empty(self, size: int, dtype: DTypeLike) -> Buffer:
        """Allocate `size` elements with undefined contents; size 0 is allowed."""

    @abstractmethod
    def view(self, buffer: Buffer, begin: int, size: int) -> Buffer:
        """Return a part of a buffer, which shares its memory; raise ValueError beyond the buffer's end."""

    @abstractmethod
    def write(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        """Copy from host to device; raise ValueError if dtype or size differ."""

    @abstractmethod
    def read(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        """Copy from device into `host`; raise ValueError if dtype or size differ."""

    @abstractmethod
    def fill(self, buffer: Buffer, value: int | float, stream: Any | None = None) -> None:
        """Set every element to `value`."""

    @abstractmethod
    def pinned(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Allocate page-locked host memory."""

    @abstractmethod
    def mapped(self, size: int, dtype: DTypeLike) -> tuple[NDArray[Any], Buffer]:
        """Allocate page-locked host memory that kernels access without a copy; return array and buffer."""

    @contextmanager
    def off_the_clock(self) -> Iterator[None]:
        """Leave what is done inside the `with` block out of all phases of a trial."""
        began, before = perf_counter(), self.off_clock_ms
        try:
            yield
        finally:  # the time contains that of blocks within
            self.off_clock_ms = before + (perf_counter() - began) * 1e3

    def page_lock(self, allocate: Callable[[int, DTypeLike], Memory], size: int, dtype: DTypeLike) -> Memory:
        """Allocate by `pinned` or `mapped` what has the size of a graph: a phase of its own, `lock`."""
        with self.off_the_clock():
            began = perf_counter()
            memory = allocate(size, dtype)
            self.lock_ms = (self.lock_ms or 0.0) + (perf_counter() - began) * 1e3
        return memory

    @abstractmethod
    def stream(self) -> Stream:
        """Create a stream."""

    @abstractmethod
    def event(self) -> Event:
        """Create an event that can be timed."""

    def mark(self, stream: Any | None = None) -> Event:
        """Create an event and record it."""
        event = self.event()
        event.record(stream)
        return event

    @abstractmethod
    def synchronize(self) -> None:
        """Wait until all work on the device is finished."""

    def repeat(self, loop: HostLoop) -> Repeated:
        """Execute a loop in C++; its launches are this device's, in the default stream."""
        return loop.by_callbacks(self)

    def wait_for(self, word: NDArray[Any]) -> int:
        """Return the number other than 0 that a kernel writes to mapped memory, as soon as it is there.

        `word` has one element. What is not written in 10,000 looks is waited for until all work is
        finished; return 0 if nothing is written.
        """
        for _ in range(10_000):
            if word[0]:
                break
        else:
            self.synchronize()
        return int(word[0])

    @abstractmethod
    def free_memory(self) -> int:
        """Return the device memory that can still be allocated, in bytes."""

    def limited(self, free: int, used: int) -> int:
        """Return how many of the free bytes `memory_gib` allows, with some bytes in use already."""
        if self.memory_gib is None:
            return free
        return max(0, min(free, int(self.memory_gib * 2**30) - used))

    @abstractmethod
    def resident_blocks(self, block_size: int) -> int:
        """Return how many blocks of `block_size` threads run at the same time, by the limit on threads."""

    @abstractmethod
    def multiprocessors(self) -> int:
        """Return the number of multiprocessors; the emulator says a few."""

    @abstractmethod
    def cache_bytes(self) -> int:
        """Return the size of the L2 cache; the emulator, which has none, names a small one."""

    def describe(self) -> dict[str, Any] | None:
        """Return the GPU's properties for a record; None for a device that is not a GPU."""
        return None

    def state(self) -> dict[str, Any]:
        """Return a GPU's clocks, power, temperature, and whether it is throttled; else nothing."""
        return {}

    def joules(self) -> float | None:
        """Return what the board has used since its driver was loaded; None if nothing counts it."""
        return None

    @staticmethod
    def check_size(size: int) -> None:
        """Raise DeviceError if no array has so many elements."""
        if size < 0:
            raise DeviceError(f"an array of {size} elements, expected 0 or more")

    @staticmethod
    def check_view(buffer: Buffer, begin: int, size: int) -> None:
        """Raise ValueError if a view extends beyond its buffer."""
        if not 0 <= begin <= begin + size <= buffer.size:
            raise ValueError(f"elements {begin} to {begin + size} of a buffer of {buffer.size}")

    @staticmethod
    def check_copy(buffer: Buffer, host: NDArray[Any]) -> None:
        """Raise ValueError if two arrays differ in size or type, or if `host` is not contiguous."""
        if buffer.size != host.size or buffer.dtype != host.dtype:
            both = f"{buffer.size} {buffer.dtype} on the device, {host.size} {host.dtype} on the host"
            raise ValueError(f"a copy needs equal sizes and types: {both}")
        if not host.flags.c_contiguous:
            raise ValueError("copies need a contiguous array")

    def upload(self, host: NDArray[Any]) -> Buffer:
        """Allocate a buffer and copy `host` into it."""
        buffer = self.empty(host.size, host.dtype)
        self.write(buffer, host)
        return buffer

    def upload_all(self, arrays: Sequence[NDArray[Any]]) -> list[Buffer]:
        """Do the same with some arrays, in the fastest way."""
        return [self.upload(array) for array in arrays]

    def download(self, buffer: Buffer) -> NDArray[Any]:
        """Copy a buffer into a new array."""
        host = np.empty(buffer.size, buffer.dtype)
        self.read(buffer, host)
        return host

    @contextmanager
    def timing_kernels(self) -> Iterator[KernelTimer]:
        """Time every launch inside the `with` block with events; the timer holds the sum afterwards."""
        timer = KernelTimer()
        self._timer = timer
        try:
            yield timer
            self.synchronize()
            timer.milliseconds = sum(end.milliseconds_since(start) for start, end in timer.brackets)
        finally:
            self._timer = None

    _timer: KernelTimer | None = None


class KernelTimer:
    """The events around the launches of one `with` block, and the sum of their times in ms."""

    def __init__(self) -> None:
        self.milliseconds = 0.0
        self.brackets: list[tuple[Any, Any]] = []
