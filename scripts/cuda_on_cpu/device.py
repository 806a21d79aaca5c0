"""The device interface on the CPU: the same kernel files, compiled with g++."""

from __future__ import annotations

import ctypes
import math
import os
import struct
import subprocess
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_device import memory
from cuda_device.compiled_files import PLACES, find_cxx, shown_path
from cuda_device.errors import DeviceError
from cuda_device.gpu_limits import WITHOUT_GPU, GPULimits
from cuda_device.interface import PACKED, Buffer, Device, Dim, as_xyz, check_launch
from cuda_on_cpu.assembly import GUARD_BYTES
from cuda_on_cpu.build import build_emulator, build_thrust_for_host
from cuda_on_cpu.work_queue import EmulatedEvent, EmulatedStream, Work, WorkQueue

POISON = 0xCD
"""Value of uninitialised bytes, so that a kernel that reads them gives a wrong answer every time."""

RESIDENT_BLOCKS = 3
"""Blocks of a cooperative launch, or clusters, if as many are asked for as run at the same time."""

THREADS_AT_ONCE = 16_384
"""Threads that run at the same time if as many clusters are asked for as can be.

Each has a stack, which is two of the 65,530 mappings that Linux allows a process.
"""

LARGEST_CLUSTER = 2
"""Blocks of a cluster that asks for as many as can be."""

EMULATED_PEERS = 2
"""Devices of a host that is asked for all."""

CACHE_BYTES = 2**16
"""What is said to be the size of the L2 cache, of which there is none."""


REACH = 2**16
"""Bytes on either side of an array where no other one lies, in a seeded run. An access there is an error."""


def guarded_memory(size: int, dtype: DTypeLike, room: int) -> NDArray[Any]:
    """Allocate an array, aligned as CUDA does, with room for guards before and after it."""
    whole = np.empty(size * np.dtype(dtype).itemsize + 2 * room + GUARD_BYTES, np.uint8)
    begin = room + -whole.ctypes.data % GUARD_BYTES
    return np.ndarray(size, dtype, whole, begin)  # a slice of no bytes would begin where `whole` does


class EmulatedBuffer:
    """Emulated device memory. The host may access it only by copies."""

    def __init__(self, memory: NDArray[Any]) -> None:
        self._memory: NDArray[Any] | None = memory
        self.size = memory.size
        self.dtype = memory.dtype
        self.nbytes = memory.nbytes
        self.address = memory.ctypes.data
        self.device: EmulatedDevice | None = None

    def memory(self) -> NDArray[Any]:
        """Return the array itself, for use by the device only."""
        if self._memory is None:
            raise ValueError("the buffer's device is closed")
        return self._memory

    def release(self) -> None:
        self._memory = None
        self.address = 0


def debug_environment() -> dict[str, str]:
    """Return the environment variables of a process that opens a debug device; they load the sanitizer."""
    where = subprocess.check_output([find_cxx(), "-print-file-name=libasan.so"], text=True)
    return {
        "CUDA_ON_CPU": "debug",
        "LD_PRELOAD": str(Path(where.strip()).resolve()),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python's own
    }


def require_sanitizer() -> None:
    """Raise DeviceError if this process was not started with the address sanitizer."""
    if not hasattr(ctypes.CDLL(None), "__asan_init"):
        needed = " ".join(f"{name}={value}" for name, value in debug_environment().items())
        raise DeviceError(f"the emulator's debug build needs a fresh process: run `{needed} python ...`")


def load_library(path: Path) -> ctypes.CDLL:
    """Load a compiled kernel file; the first one also loads OpenMP, set to sleep instead of spinning.

    On a busy machine, spinning threads take the processor from the threads for which they wait.
    OpenMP reads the environment when it is loaded. The setting is removed afterwards, so that timed libraries
    with their own OpenMP find the environment unchanged.
    """
    chosen = os.environ.get("OMP_WAIT_POLICY")
    os.environ["OMP_WAIT_POLICY"] = chosen or "passive"
    try:
        return ctypes.CDLL(str(path))
    finally:
        if chosen is None:
            del os.environ["OMP_WAIT_POLICY"]


class CKernel(ctypes.Structure):
    """`emulator::Kernel` of `kernels/cuda_on_cpu/runtime.h`."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("parameters", ctypes.c_char_p), ("run", ctypes.c_void_p),
        ("shared", ctypes.c_void_p), ("static_bytes", ctypes.c_uint),
        ("most_threads", ctypes.c_uint), ("cluster", ctypes.c_uint * 3),
    )  # fmt: skip


class CRequest(ctypes.Structure):
    """`emulator::Request` of `kernels/cuda_on_cpu/scheduler/scheduler.h`."""

    _fields_ = (
        ("kernel", ctypes.POINTER(CKernel)), ("arguments", ctypes.c_void_p),
        ("buffers", ctypes.c_void_p), ("buffer_count", ctypes.c_uint),
        ("allocated", ctypes.c_void_p), ("allocated_count", ctypes.c_size_t),
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("cluster", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint), ("cooperative", ctypes.c_uint),
        ("seeded", ctypes.c_uint), ("seed", ctypes.c_ulonglong), ("patience", ctypes.c_double),
    )  # fmt: skip


class Parameter:
    """A parameter of a kernel, made from a description such as `i4` or `Pf8` (pointer to double)."""

    def __init__(self, word: str) -> None:
        self.pointer = word.startswith("P")
        plain = word.removeprefix("P")
        self.dtype = np.dtype(plain) if plain else None
        self.code = "Q" if self.pointer else PACKED[plain]

    def accepts(self, argument: Any) -> bool:
        if not self.pointer:
            return isinstance(argument, np.generic) and argument.dtype == self.dtype
        if not isinstance(argument, EmulatedBuffer) or self.dtype is None:
            return isinstance(argument, EmulatedBuffer)
        mine, its = self.dtype, argument.dtype
        return mine.itemsize == its.itemsize and (mine.kind == "f") == (its.kind == "f")

    def __str__(self) -> str:
        if not self.pointer:
            return str(self.dtype)
        return "a buffer" if self.dtype is None else f"a buffer of {self.dtype}"


class EmulatedKernel:
    """A `__global__` function of a kernel file."""

    def __init__(self, device: EmulatedDevice, library: ctypes.CDLL, found: Any) -> None:
        self.device = device
        self.name = found.contents.name.decode()
        self.parameters = [Parameter(word) for word in found.contents.parameters.decode().split()]
        self._static_bytes = found.contents.static_bytes
        self._most_threads = found.contents.most_threads
        dims = tuple(found.contents.cluster)
        self._cluster = dims if dims[0] else None
        self._launch = library.emulator_launch
        self._struct = struct.Struct("=" + "".join(parameter.code for parameter in self.parameters))
        # Arguments are packed into 8-byte slots, so the array of their addresses never changes.
        self._slots = ctypes.create_string_buffer(max(8, self._struct.size))
        slots = len(self.parameters)
        start = ctypes.addressof(self._slots)
        self._arguments = (ctypes.c_void_p * max(1, slots))(*(start + 8 * i for i in range(slots)))
        pointers = [parameter for parameter in self.parameters if parameter.pointer]
        self._ranges = struct.Struct(f"={3 * len(pointers)}Q")  # address, size and position
        self._buffers = ctypes.create_string_buffer(max(8, self._ranges.size))
        self._request = CRequest(
            found, ctypes.addressof(self._arguments), ctypes.addressof(self._buffers), len(pointers)
        )
        self._error = ctypes.create_string_buffer(500)
        self._extents: dict[tuple[Dim, Dim, Dim | None], tuple[Any, Any, Any]] = {}

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
        self._pack(arguments)
        sizes = self._extents.get((grid, block, cluster))
        if sizes is None or shared or cooperative:
            sizes = self._check(grid, block, shared, cluster, cooperative)
        device = self.device
        if device.closed:
            raise ValueError(f"kernel {self.name}: its device is closed")

        def run() -> None:
            if device.work.lazy:
                self._pack(arguments)  # anew: other launches have come between
            request = self._request
            request.grid, request.block, request.cluster = sizes
            request.shared = shared
            request.cooperative = cooperative
            request.patience = device.patience
            request.seeded, request.seed = device.next_seed()
            if request.seeded:
                allocated = device.allocated()
                request.allocated, request.allocated_count = allocated.ctypes.data, len(allocated)
            if self._launch(ctypes.byref(request), self._error, 500):
                raise DeviceError(f"kernel {self.name}: {self._error.value.decode()}")

        timer = device._timer
        start = device.mark(stream) if timer else None
        device.work.issue(stream, run)
        if timer:
            timer.brackets.append((start, device.mark(stream)))

    def with_arguments(
        self,
        grid: Dim | None,
        block: Dim,
        *arguments: Any,
        shared: int = 0,
        cluster: Dim | None = None,
        cooperative: bool = True,
    ) -> EmulatedLaunch:
        options = {"shared": shared, "cooperative": cooperative, "cluster": cluster}
        return EmulatedLaunch(self, grid, block, arguments, options)

    def _check(
        self, grid: Dim, block: Dim, shared: int, cluster: Dim | None, cooperative: bool
    ) -> tuple[Any, Any, Any]:
        """Check the sizes of a launch, and return grid, block and cluster as the scheduler takes them."""
        of_kernel = self._cluster
        if of_kernel and cluster is not None and as_xyz(cluster) != of_kernel:
            raise DeviceError(
                f"kernel {self.name}: clusters of {as_xyz(cluster)}, but its __cluster_dims__ are {of_kernel}"
            )
        dims = of_kernel or cluster
        limits = self.device.limits
        check_launch(self.name, grid, block, shared + self._static_bytes, limits, dims, cooperative)
        if (threads := math.prod(as_xyz(block))) > self._most_threads:
            bounds = f"its __launch_bounds__({self._most_threads})"
            raise DeviceError(f"kernel {self.name}: {threads} threads per block, more than {bounds}")
        each = ctypes.c_uint * 3
        sizes = each(*as_xyz(grid)), each(*as_xyz(block)), each(*as_xyz(dims or 1))
        return self._extents.setdefault((grid, block, cluster), sizes)

    def _pack(self, arguments: tuple[Any, ...]) -> None:
        if len(arguments) != len(self.parameters):
            raise TypeError(
                f"kernel {self.name} takes {len(self.parameters)} arguments, not {len(arguments)}"
            )
        values: list[Any] = []
        ranges: list[int] = []
        for position, (parameter, argument) in enumerate(zip(self.parameters, arguments, strict=True), 1):
            if not parameter.accepts(argument):
                given = argument.dtype if isinstance(argument, np.generic) else type(argument).__name__
                if isinstance(argument, EmulatedBuffer):
                    given = f"a buffer of {argument.dtype}"
                raise TypeError(
                    f"kernel {self.name}, parameter {position}: expected {parameter}, not {given}"
                )
            if parameter.pointer:
                argument.memory()
                if argument.device is not self.device:
                    raise DeviceError(
                        f"kernel {self.name}, parameter {position}: a buffer of another device; copy it first"
                    )
                values.append(argument.address)
                ranges += argument.address, argument.nbytes, position
            else:
                values.append(argument)
        self._struct.pack_into(self._slots, 0, *values)
        self._ranges.pack_into(self._buffers, 0, *ranges)


@dataclass(frozen=True)
class EmulatedLaunch:
    """A launch with its arguments."""

    kernel: EmulatedKernel
    grid: Dim | None
    block: Dim
    arguments: tuple[Any, ...]
    options: dict[str, Any]

    @property
    def threads(self) -> int:
        return math.prod(as_xyz(self.block))

    def __call__(self, blocks: int | None = None) -> None:
        grid = blocks if self.grid is None else self.grid
        assert grid is not None
        self.kernel(grid, self.block, *self.arguments, **self.options)


@dataclass
class EmulatedModule:
    """A kernel file, compiled for the emulator."""

    device: EmulatedDevice
    source: str
    library: ctypes.CDLL
    built: str
    _kernels: dict[str, EmulatedKernel] = field(default_factory=dict)

    def kernel(self, name: str) -> EmulatedKernel:
        if name not in self._kernels:
            try:
                find = self.library[f"emulated_{name}"]
            except AttributeError:
                raise DeviceError(f"{self.source}: there is no kernel {name}") from None
            find.restype = ctypes.POINTER(CKernel)
            self._kernels[name] = EmulatedKernel(self.device, self.library, find())
        return self._kernels[name]

    def resident_blocks(self, kernel: str, block: Dim, shared: int = 0) -> int:
        return RESIDENT_BLOCKS

    def largest_cluster(self, kernel: str, block: Dim) -> int:
        return min(LARGEST_CLUSTER, self.device.limits.cluster)

    def resident_clusters(self, kernel: str, block: Dim, cluster: int) -> int:
        return max(1, min(RESIDENT_BLOCKS, THREADS_AT_ONCE // (cluster * math.prod(as_xyz(block)))))

    def write_symbol(self, name: str, values: NDArray[Any]) -> None:
        size = ctypes.c_size_t()
        self.device.synchronize()
        address = self.library.emulator_symbol(self.library._handle, name.encode(), ctypes.byref(size))
        if not address:
            raise DeviceError(f"{self.source}: there is no __constant__ or __device__ variable {name}")
        if values.nbytes != size.value:
            raise ValueError(f"{name} of {self.source} has {size.value} bytes, not {values.nbytes}")
        ctypes.memmove(address, np.ascontiguousarray(values).ctypes.data, values.nbytes)


class EmulatedDevice(Device):
    """A CPU that runs kernels as a GPU would.

    With a seed it runs on one OS thread, with blocks and threads in a shuffled order and interleaved at
    memory accesses; some stores reach other threads late, and work waits until the host does. The seed
    determines all of this. Without, it runs in order, as fast as possible. `debug` checks every memory access
    of a kernel with the address sanitizer; a seed then shuffles, but does not interleave. The default is
    whether the environment variable CUDA_ON_CPU is `debug`. `compute_capability` names the GPU whose
    limits are kept. A kernel is ended if for `patience` seconds
    of processor time no thread has ended and no barrier was passed.
    """

    backend = "emulator"

    def __init__(
        self,
        seed: int | None = None,
        debug: bool | None = None,
        memory_gib: float | None = None,
        patience: float = 60,
        compute_capability: str | None = None,
    ) -> None:
        self.limits = GPULimits.by_capability(compute_capability or WITHOUT_GPU)
        self.memory_gib = memory_gib
        self.patience = patience
        self.seed = seed
        self.debug = os.environ.get("CUDA_ON_CPU") == "debug" if debug is None else debug
        self.closed = True
        self.work = WorkQueue(seed is not None, seed)
        self._buffers: weakref.WeakSet[EmulatedBuffer] = weakref.WeakSet()

    def __enter__(self) -> Self:
        self.closed = False
        self._launches = 0
        return self

    def __exit__(self, *exception: object) -> None:
        self.work.pending.clear()
        for buffer in self._buffers:
            buffer.release()
        self._buffers.clear()
        self.closed = True

    def peers(self, count: int) -> list[Callable[[], Device]]:
        capability = str(self.limits.capability)
        open_one = partial(EmulatedDevice, self.seed, self.debug, self.memory_gib, self.patience, capability)
        return [open_one] * (count or EMULATED_PEERS)

    def load(self, source: str, macros: Sequence[str] = ()) -> EmulatedModule:
        """Load a kernel file; modules of one file share its variables."""
        if self.debug:
            require_sanitizer()
        path = PLACES.kernels / source
        library = load_library(build_emulator(path, self.debug, self.seed is not None, macros))
        if not hasattr(library, "emulator_reset"):
            raise DeviceError(f"{shown_path(path)}: has no __global__ function, expected at least one")
        library.emulator_reset(ctypes.cast(library.emulated_file, ctypes.c_void_p))
        library.emulator_symbol.restype = ctypes.c_void_p
        library.emulator_symbol.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        library.emulator_launch.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
        return EmulatedModule(self, shown_path(path), library, Path(library._name).name)

    def load_thrust(self, source: str) -> ctypes.CDLL:
        return ctypes.CDLL(str(build_thrust_for_host(PLACES.kernels / source)))

    @staticmethod
    def compile(source: Path) -> Path:
        """Compile a kernel file, or a C++ file that uses Thrust, as `load` and `load_thrust` would."""
        return build_emulator(source) if source.suffix == ".cu" else build_thrust_for_host(source)

    def empty(self, size: int, dtype: DTypeLike) -> EmulatedBuffer:
        self.check_size(size)
        memory = self._allocate(size, dtype)
        memory.view(np.uint8).fill(POISON)
        return self._keep(EmulatedBuffer(memory))

    def view(self, buffer: Buffer, begin: int, size: int) -> EmulatedBuffer:
        self.check_view(buffer, begin, size)
        return self._keep(EmulatedBuffer(cast(EmulatedBuffer, buffer).memory()[begin : begin + size]))

    def write(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        self.check_copy(buffer, host)

        def copy() -> None:
            cast(EmulatedBuffer, buffer).memory()[:] = host

        self._issue(stream, copy)

    def read(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        self.check_copy(buffer, host)

        def copy() -> None:
            host[:] = cast(EmulatedBuffer, buffer).memory()

        self._issue(stream, copy)

    def fill(self, buffer: Buffer, value: int | float, stream: Any | None = None) -> None:
        self.work.issue(stream, lambda: cast(EmulatedBuffer, buffer).memory().fill(value))

    def _issue(self, stream: Any | None, work: Work) -> None:
        """Queue a copy; without a stream the host waits for it."""
        self.work.issue(stream, work)
        if stream is None:
            self.work.finish()

    def pinned(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        self.check_size(size)
        return np.empty(size, dtype)

    def mapped(self, size: int, dtype: DTypeLike) -> tuple[NDArray[Any], EmulatedBuffer]:
        self.check_size(size)
        memory = self._allocate(size, dtype)
        return memory, self._keep(EmulatedBuffer(memory))

    def stream(self) -> EmulatedStream:
        return EmulatedStream(self.work)

    def event(self) -> EmulatedEvent:
        return EmulatedEvent(self.work)

    def synchronize(self) -> None:
        """Wait until all work on the device is finished."""
        self.work.finish()

    def free_memory(self) -> int:
        return self.limited(memory.available(), 0)

    def resident_blocks(self, block_size: int) -> int:
        return len(os.sched_getaffinity(0))

    def multiprocessors(self) -> int:
        return RESIDENT_BLOCKS

    def cache_bytes(self) -> int:
        return CACHE_BYTES

    def next_seed(self) -> tuple[int, int]:
        """Return whether the next launch is shuffled, and its seed, which is different for each launch."""
        if self.seed is None:
            return 0, 0
        self._launches += 1
        return 1, self.seed * 1_000_003 + self._launches

    def allocated(self) -> NDArray[np.uint64]:
        """Return address and bytes of each buffer: a kernel may find its address in memory."""
        return np.array([(buffer.address, buffer.nbytes) for buffer in self._buffers], np.uint64)

    def _allocate(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        return guarded_memory(size, dtype, GUARD_BYTES if self.seed is None else REACH)

    def _keep(self, buffer: EmulatedBuffer) -> EmulatedBuffer:
        if self.closed:
            raise ValueError("the device is not open: use `with`")
        buffer.device = self
        self._buffers.add(buffer)
        return buffer
