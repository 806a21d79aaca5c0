"""Kernel files, their launches and what a GPU has, through CUDA's driver API.

PyCUDA has no cooperative launches and no clusters, does not tell the handle of a module that it has loaded,
and takes longer for a launch.
"""

import ctypes
import math
import struct
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_device.errors import DeviceError
from cuda_device.host_loop import (
    CALL_LAUNCH,
    CALL_READ,
    CALL_WAIT,
    CALL_WRITE,
    CDriver,
    CLaunch,
    HostLoop,
    Repeated,
)
from cuda_device.interface import PACKED, Dim, as_xyz
from cuda_device.staged_copies import CALL_COPY, CALL_RECORD, CALL_USE, CALL_WAIT_FOR, Calls, StagedCopies

COOPERATIVE, CLUSTER = 2, 4
"""Of CUlaunchAttributeID."""

UNTIMED = 2
"""Of CUevent_flags."""

NOT_THERE = 500, 1
"""Of CUresult: not found, and what has this name is not what was looked for."""

MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14
"""Of CUfunction_attribute."""

ATTRIBUTES = {
    "MULTIPROCESSOR_COUNT": 16,
    "L2_CACHE_SIZE": 38,
    "MAX_THREADS_PER_MULTIPROCESSOR": 39,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 81,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 82,
    "COOPERATIVE_LAUNCH": 95,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 97,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 106,
    "MEMORY_POOLS_SUPPORTED": 115,
    "CLUSTER_LAUNCH": 120,
}
"""Of CUdevice_attribute."""


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute: an identifier, and a value of 64 bytes."""

    _fields_ = (("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16))


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)), ("count", ctypes.c_uint),
    )  # fmt: skip


class Launch:
    """What stays the same in launches of one size: its configuration, and a slot of 8 bytes per argument."""

    def __init__(
        self, grid: Dim, block: Dim, shared: int, cooperative: bool, cluster: Dim | None,
        kinds: Sequence[type],
    ) -> None:  # fmt: skip
        attributes = []
        if cooperative:
            attributes.append(LaunchAttribute(COOPERATIVE, 0, (1,)))
        if cluster is not None:
            attributes.append(LaunchAttribute(CLUSTER, 0, as_xyz(cluster)))
        listed = (LaunchAttribute * len(attributes))(*attributes)
        self.config = LaunchConfig(as_xyz(grid), as_xyz(block), shared, None, listed, len(attributes))
        self.reference = ctypes.byref(self.config)
        codes = ("Q" if kind is int else PACKED[np.dtype(kind).str[1:]] for kind in kinds)
        self.packing = struct.Struct("=" + "".join(codes))
        self.slots = ctypes.create_string_buffer(max(8, self.packing.size))
        first = ctypes.addressof(self.slots)
        self.arguments = (ctypes.c_void_p * len(kinds))(*(first + 8 * i for i in range(len(kinds))))


class DriverKernel:
    """A kernel, whose arguments alone are packed at each launch: what else it needs is made once."""

    def __init__(self, module: "DriverModule", name: str, function: ctypes.c_void_p) -> None:
        self.name, self.function = name, function
        self._module = module  # which is unloaded when nothing refers to it any more
        self._launches: dict[tuple[Any, ...], Launch] = {}
        self._shared = 0

    def __call__(
        self, grid: Dim, block: Dim, values: Sequence[np.generic | int], shared: int, stream: int,
        cooperative: bool, cluster: Dim | None,
    ) -> None:  # fmt: skip
        """Launch with arguments of the parameters' exact types, addresses as int."""
        key = grid, block, shared, cooperative, cluster, tuple(map(type, values))
        launch = self._launches.get(key) or self._launches.setdefault(key, self._prepare(key))
        launch.config.stream = stream
        launch.packing.pack_into(launch.slots, 0, *values)
        self.launch(launch)

    def packed(
        self, grid: Dim, block: Dim, values: Sequence[np.generic | int], shared: int, cooperative: bool,
        cluster: Dim | None,
    ) -> Launch:  # fmt: skip
        """Return a launch with these arguments, for `launch`, in the default stream."""
        launch = self._prepare((grid, block, shared, cooperative, cluster, tuple(map(type, values))))
        launch.packing.pack_into(launch.slots, 0, *values)
        return launch

    def launch(self, launch: Launch) -> None:
        """Launch with the arguments that are packed."""
        self._call("cuLaunchKernelEx", launch.reference, self.function, launch.arguments, None)

    def _call(self, name: str, *arguments: Any) -> None:
        """Call a function of the driver; raise DeviceError, naming also the kernel, if it fails."""
        if code := getattr(self._module.cuda, name)(*arguments):
            raise DeviceError(f"kernel {self.name}: {self._module.failure(name, code)}")

    def _prepare(self, key: tuple[Any, ...]) -> Launch:
        _, _, shared, _, cluster, _ = key
        self._allow(shared)
        if cluster is not None:
            self._call("cuFuncSetAttribute", self.function, NON_PORTABLE_CLUSTER, 1)
        return Launch(*key)

    def _allow(self, shared: int) -> None:
        """Let the kernel have this much dynamic shared memory, in bytes."""
        if shared > self._shared:
            self._call("cuFuncSetAttribute", self.function, MAX_DYNAMIC_SHARED, shared)
            self._shared = shared

    def resident_blocks(self, block: Dim, shared: int) -> int:
        """Return how many blocks a multiprocessor runs at the same time."""
        self._allow(shared)
        blocks, threads = ctypes.c_int(), math.prod(as_xyz(block))
        ask = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        self._call(ask, ctypes.byref(blocks), self.function, threads, ctypes.c_size_t(shared))
        return blocks.value

    def largest_cluster(self, block: Dim, most: int) -> int:
        """Return the most blocks of a cluster, `most` at most."""
        return min(most, self._asked("cuOccupancyMaxPotentialClusterSize", block, most))

    def resident_clusters(self, block: Dim, cluster: int) -> int:
        """Return how many clusters of so many blocks the device runs at the same time."""
        return self._asked("cuOccupancyMaxActiveClusters", block, cluster)

    def _asked(self, name: str, block: Dim, cluster: int) -> int:
        """Return what a function of the driver answers about a launch of one cluster."""
        answer, launch = ctypes.c_int(), self._prepare((cluster, block, 0, False, cluster, ()))
        self._call(name, ctypes.byref(answer), self.function, launch.reference)
        return answer.value


class Driver:
    """The library of the driver, and calls of its functions."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")

    def attribute(self, device: int, name: str) -> int:
        """Return an attribute of a GPU by its number in CUDA's order."""
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), ATTRIBUTES[name], self.device(device))
        return value.value

    def device(self, index: int) -> ctypes.c_int:
        """Return the driver's handle of a GPU."""
        handle = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(handle), index)
        return handle

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the driver; raise DeviceError, naming it and its error, if it fails."""
        if code := getattr(self.cuda, name)(*arguments):
            raise self.failure(name, code)

    def failure(self, what: str, code: int) -> DeviceError:
        """Return the error of a code that the driver returned."""
        text = ctypes.c_char_p()
        self.cuda.cuGetErrorName(code, ctypes.byref(text))
        return DeviceError(f"CUDA: {what} failed: {(text.value or b'error').decode()} ({code})")

    def staging(self, pinned: Callable[[int, type], NDArray[Any]]) -> StagedCopies:
        """Return what copies to the GPU whose context is current; `pinned` allocates page-locked memory."""
        cuda, context = self.cuda, ctypes.c_void_p()
        self.call("cuCtxGetCurrent", ctypes.byref(context))
        functions = (
            kind(ctypes.cast(function, ctypes.c_void_p).value or 0)
            for kind, function in (
                (CALL_USE, cuda.cuCtxSetCurrent), (CALL_COPY, cuda.cuMemcpyHtoDAsync_v2),
                (CALL_RECORD, cuda.cuEventRecord), (CALL_WAIT_FOR, cuda.cuEventSynchronize),
            )
        )  # fmt: skip

        def untimed_event() -> int:
            event = ctypes.c_void_p()
            self.call("cuEventCreate", ctypes.byref(event), UNTIMED)
            return event.value or 0

        return StagedCopies(Calls(*functions), context.value or 0, pinned, untimed_event)

    def repeat(self, loop: HostLoop, launches: Sequence[CLaunch], state: int) -> Repeated:
        """Execute a loop in C++, with its launches by this driver; `state` is the address of the state."""
        cuda = self.cuda
        functions = (
            kind(ctypes.cast(function, ctypes.c_void_p).value or 0)
            for kind, function in (
                (CALL_LAUNCH, cuda.cuLaunchKernel), (CALL_WRITE, cuda.cuMemcpyHtoD_v2),
                (CALL_READ, cuda.cuMemcpyDtoH_v2), (CALL_WAIT, cuda.cuCtxSynchronize),
            )
        )  # fmt: skip
        code, repeated = loop.in_cpp(CDriver(*functions), launches, state)
        if code:
            raise self.failure("a repeated launch", code)
        return repeated


class DriverModule(Driver):
    """A kernel file, loaded into the current context."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.handle = ctypes.c_void_p()
        self.call("cuModuleLoad", ctypes.byref(self.handle), str(file).encode())
        self._unload = weakref.finalize(self, self.cuda.cuModuleUnload, self.handle)
        self._unload.atexit = False

    def function(self, name: str) -> ctypes.c_void_p | None:
        """Return the handle of a kernel; None if there is none of this name."""
        found = ctypes.c_void_p()
        missing = self.is_missing("cuModuleGetFunction", ctypes.byref(found), self.handle, name.encode())
        return None if missing else found

    def variable(self, name: str) -> tuple[int, int] | None:
        """Return address and bytes of a `__constant__` or `__device__` variable; None if there is none."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        found = ctypes.byref(address), ctypes.byref(size)
        missing = self.is_missing("cuModuleGetGlobal_v2", *found, self.handle, name.encode())
        return None if missing else (address.value, size.value)

    def is_missing(self, name: str, *arguments: Any) -> bool:
        """Call a function that looks for something; return whether it was not found."""
        code = getattr(self.cuda, name)(*arguments)
        if code not in (0, *NOT_THERE):
            raise self.failure(name, code)
        return bool(code)

    def forget(self) -> None:
        """Leave it to the end of the context to unload the file."""
        self._unload.detach()
