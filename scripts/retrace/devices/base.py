"""The device interface that every CUDA solver is written against."""

from __future__ import annotations

import ctypes
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from retrace.system.errors import RetraceError

Dim = int | tuple[int, ...]
"""A grid or block size: x alone, or (x, y) or (x, y, z)."""


MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_SHARED = 227 * 1024
"""The limits of compute capability 9.0; older devices have less shared memory (bytes)."""


def extent(size: Dim) -> tuple[int, int, int]:
    """Write a grid or block size as (x, y, z)."""
    x, y, z = (*((size,) if isinstance(size, int) else size), 1, 1)[:3]
    return x, y, z


def check_launch(kernel: str, grid: Dim, block: Dim, shared: int) -> None:
    """Refuse a launch that no device can do.

    Raises
    ------
    RetraceError
        Naming the kernel, the size asked for and the limit.
    """
    for what, size, limits in (("grid", grid, MAX_GRID), ("block", block, MAX_BLOCK)):
        for axis, length, limit in zip("xyz", extent(size), limits, strict=True):
            if not 1 <= length <= limit:
                raise RetraceError(f"kernel {kernel}: {what} size {length} in {axis}, not from 1 to {limit}")
    threads = math.prod(extent(block))
    if threads > MAX_THREADS:
        raise RetraceError(f"kernel {kernel}: {threads} threads a block, not from 1 to {MAX_THREADS}")
    if not 0 <= shared <= MAX_SHARED:
        raise RetraceError(f"kernel {kernel}: {shared} bytes of shared memory, not from 0 to {MAX_SHARED}")


class Buffer(Protocol):
    """Device memory: a one-dimensional array that only kernels and copies can reach."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type."""


class Stream(Protocol):
    """Copies and launches of one stream run in order; None in its place is the default stream."""

    def synchronize(self) -> None:
        """Wait until all work of the stream is done."""


class Event(Protocol):
    """A mark in a stream that can be waited for and timed."""

    def record(self, stream: Any | None = None) -> None:
        """Put the mark after all work now in the stream."""

    def synchronize(self) -> None:
        """Wait until the mark is reached."""

    def milliseconds_since(self, earlier: Self) -> float:
        """Device time between two marks, both reached."""


class Kernel(Protocol):
    """A `__global__` function."""

    def __call__(
        self, grid: Dim, block: Dim, *arguments: Any, shared: int = 0, stream: Any | None = None
    ) -> None:
        """Launch without waiting.

        Arguments are buffers and NumPy scalars of the parameters' own types, such as `np.int32(5)`; a
        plain Python number is refused, because its width would be a guess. `shared` is the dynamic shared
        memory in bytes.
        """


class Module(Protocol):
    """One `.cu` file, compiled for the device."""

    def kernel(self, name: str) -> Kernel:
        """Find a kernel by its `extern "C"` name."""

    def write_symbol(self, name: str, values: NDArray[Any]) -> None:
        """Copy `values` into the `__constant__` or `__device__` array `name`."""


class Device(ABC):
    """A device with a context of its own, open from `__enter__` to `__exit__`.

    Opening creates the context, closing frees all that was allocated in it. Every copy and fill without a
    stream is finished on return; with a stream it is only queued.
    """

    backend: str
    memory_gib: float | None = None
    """Limit of the memory that is reported as free; None for the device's own."""

    @abstractmethod
    def __enter__(self) -> Self:
        """Create the context."""

    @abstractmethod
    def __exit__(self, *exception: object) -> None:
        """Free every allocation and the context."""

    @abstractmethod
    def load(self, source: str) -> Module:
        """Load a kernel file, compiled before if need be.

        It is named from `kernels/` on, such as `bfs/bsp.cu`, or by an absolute path.
        """

    @abstractmethod
    def load_thrust(self, source: str) -> ctypes.CDLL:
        """Load a C++ file that uses Thrust; it works in this device's context."""

    @abstractmethod
    def empty(self, size: int, dtype: DTypeLike) -> Buffer:
        """Allocate `size` elements, contents undefined; size 0 is allowed."""

    @abstractmethod
    def view(self, buffer: Buffer, begin: int, size: int) -> Buffer:
        """Name a part of a buffer, `size` elements from `begin` on, as a buffer; it shares the memory.

        Raises ValueError if it reaches beyond the buffer.
        """

    @abstractmethod
    def write(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        """Copy from host to device; dtype and size must agree, or ValueError."""

    @abstractmethod
    def read(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        """Copy from device into `host`; dtype and size must agree, or ValueError."""

    @abstractmethod
    def fill(self, buffer: Buffer, value: int | float, stream: Any | None = None) -> None:
        """Set every element to `value`."""

    @abstractmethod
    def pinned(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Allocate page-locked host memory."""

    @abstractmethod
    def mapped(self, size: int, dtype: DTypeLike) -> tuple[NDArray[Any], Buffer]:
        """Allocate page-locked host memory that kernels reach without a copy: both faces of it."""

    @abstractmethod
    def stream(self) -> Stream:
        """Create a stream."""

    @abstractmethod
    def event(self) -> Event:
        """Create an event that can be timed."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait for all work of the device."""

    @abstractmethod
    def free_memory(self) -> int:
        """Device memory that can still be allocated, in bytes."""

    def limited(self, free: int, used: int) -> int:
        """Return how many of the free bytes `memory_gib` allows, with some bytes in use already."""
        if self.memory_gib is None:
            return free
        return max(0, min(free, int(self.memory_gib * 2**30) - used))

    @abstractmethod
    def resident_blocks(self, block_size: int) -> int:
        """How many blocks of `block_size` threads run at the same time, as far as threads limit it."""

    def describe(self) -> dict[str, Any] | None:
        """Tell what a record says of the GPU; None for a device that is none."""
        return None

    @staticmethod
    def check_view(buffer: Buffer, begin: int, size: int) -> None:
        """Refuse a view that reaches beyond its buffer."""
        if not 0 <= begin <= begin + size <= buffer.size:
            raise ValueError(f"elements {begin} to {begin + size} of a buffer of {buffer.size}")

    @staticmethod
    def check_copy(buffer: Buffer, host: NDArray[Any]) -> None:
        """Refuse a copy between arrays of different size or type."""
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

    def download(self, buffer: Buffer) -> NDArray[Any]:
        """Copy a whole buffer into a new array."""
        host = np.empty(buffer.size, buffer.dtype)
        self.read(buffer, host)
        return host

    @contextmanager
    def timing_kernels(self) -> Iterator[KernelTimer]:
        """Bracket every launch inside the block with events; the timer holds their sum afterwards."""
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
    """Events around the launches of one timed block.

    Attributes
    ----------
    milliseconds
        Sum of the launches' device times, set when the block ends.
    brackets
        Start and end event of each launch.
    """

    def __init__(self) -> None:
        self.milliseconds = 0.0
        self.brackets: list[tuple[Any, Any]] = []
