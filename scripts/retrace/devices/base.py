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
"""A grid or block size: x alone, (x, y) or (x, y, z)."""

MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
MAX_SHARED = 227 * 1024
"""The limits of compute capability 9.0; older devices have less shared memory (bytes)."""


def extent(size: Dim) -> tuple[int, int, int]:
    """Return a grid or block size as (x, y, z)."""
    x, y, z = (*((size,) if isinstance(size, int) else size), 1, 1)[:3]
    return x, y, z


def check_launch(kernel: str, grid: Dim, block: Dim, shared: int) -> None:
    """Raise RetraceError for a launch that no device can run, naming the kernel, the size and the limit."""
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
    """Device memory: a one-dimensional array that only kernels and copies can access."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type."""


class Stream(Protocol):
    """A queue of copies and launches that run in order; None in its place is the default stream."""

    def synchronize(self) -> None:
        """Wait until all work of the stream is done."""


class Event(Protocol):
    """A mark in a stream that can be waited for and timed."""

    def record(self, stream: Any | None = None) -> None:
        """Put the mark after all work that is now in the stream."""

    def synchronize(self) -> None:
        """Wait until the mark is reached."""

    def milliseconds_since(self, earlier: Self) -> float:
        """Return the device time between two marks, both of which must be reached."""


class Kernel(Protocol):
    """A `__global__` function."""

    def __call__(
        self, grid: Dim, block: Dim, *arguments: Any, shared: int = 0, stream: Any | None = None
    ) -> None:
        """Launch the kernel without waiting for it.

        Parameters
        ----------
        grid, block
            Number of blocks, and of threads in a block.
        arguments
            Buffers, and NumPy scalars of the parameters' own types, such as `np.int32(5)`; a plain Python
            number raises TypeError, because its width would be a guess.
        shared
            Dynamic shared memory in bytes.
        stream
            The stream to launch in.
        """


class Module(Protocol):
    """One `.cu` file, compiled for the device."""

    def kernel(self, name: str) -> Kernel:
        """Return a kernel by its `extern "C"` name; raise RetraceError if there is none."""

    def write_symbol(self, name: str, values: NDArray[Any]) -> None:
        """Copy `values` into the `__constant__` or `__device__` array `name`."""


class Device(ABC):
    """A device with a context of its own, open from `__enter__` to `__exit__`.

    Entering creates the context; leaving frees everything allocated in it. A copy or fill without a stream is
    finished on return; with a stream it is only queued.
    """

    backend: str

    @abstractmethod
    def __enter__(self) -> Self:
        """Create the context."""

    @abstractmethod
    def __exit__(self, *exception: object) -> None:
        """Free every allocation and the context."""

    @abstractmethod
    def load(self, source: str) -> Module:
        """Load a kernel file, such as `bfs/bsp.cu` in `kernels/`, or an absolute path."""

    @abstractmethod
    def load_thrust(self, source: str) -> ctypes.CDLL:
        """Load a C++ file that uses Thrust; its functions run in this device's context."""

    @abstractmethod
    def empty(self, size: int, dtype: DTypeLike) -> Buffer:
        """Allocate `size` elements with undefined content; 0 is allowed."""

    @abstractmethod
    def view(self, buffer: Buffer, begin: int, size: int) -> Buffer:
        """Return `size` elements of a buffer from `begin` on, as a buffer that shares the memory.

        Raise ValueError if the part exceeds the buffer.
        """

    @abstractmethod
    def write(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        """Copy from host to device; raise ValueError unless dtype and size agree."""

    @abstractmethod
    def read(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        """Copy from device to host; raise ValueError unless dtype and size agree."""

    @abstractmethod
    def fill(self, buffer: Buffer, value: int | float, stream: Any | None = None) -> None:
        """Set every element to `value`."""

    @abstractmethod
    def pinned(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Allocate page-locked host memory."""

    @abstractmethod
    def mapped(self, size: int, dtype: DTypeLike) -> tuple[NDArray[Any], Buffer]:
        """Allocate page-locked host memory that kernels access directly; return it as array and as buffer."""

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
        """Return the device memory that can still be allocated, in bytes."""

    @abstractmethod
    def resident_blocks(self, block_size: int) -> int:
        """Return how many blocks of `block_size` threads run at the same time, as far as threads limit it."""

    def describe(self) -> dict[str, Any] | None:
        """Return a record's description of the GPU; None for a device that is not a GPU."""
        return None

    @staticmethod
    def check_view(buffer: Buffer, begin: int, size: int) -> None:
        """Raise ValueError for a view that exceeds its buffer."""
        if not 0 <= begin <= begin + size <= buffer.size:
            raise ValueError(f"elements {begin} to {begin + size} of a buffer of {buffer.size}")

    @staticmethod
    def check_copy(buffer: Buffer, host: NDArray[Any]) -> None:
        """Raise ValueError for a copy between arrays of different size or type."""
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
        """Record events before and after every launch in the block; afterwards the timer holds the sum."""
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
