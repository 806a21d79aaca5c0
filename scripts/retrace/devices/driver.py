"""Cooperative launches and clusters on a GPU, through CUDA's driver API: PyCUDA has neither.

PyCUDA does not tell the handle of a module that it has loaded, so the file is loaded again. Its variables are
then a second set, which ordinary launches do not see.
"""

import ctypes
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.devices.base import Dim, extent
from retrace.system.errors import RetraceError

COOPERATIVE, CLUSTER = 2, 4
"""Of CUlaunchAttributeID."""

MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTER = 8, 14
"""Of CUfunction_attribute."""


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


class DriverModule:
    """A kernel file, loaded into the current context."""

    def __init__(self, file: Path) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self._module = ctypes.c_void_p()
        self._call("cuModuleLoad", ctypes.byref(self._module), str(file).encode())

    def write_symbol(self, name: str, values: NDArray[Any]) -> None:
        """Copy `values` into a `__constant__` or `__device__` array."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self._call(
            "cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), self._module, name.encode()
        )
        host = np.ascontiguousarray(values)
        self._call(
            "cuMemcpyHtoD_v2", address, ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(host.nbytes)
        )

    def launch(
        self, name: str, grid: Dim, block: Dim, values: Sequence[np.generic], shared: int, stream: int,
        cooperative: bool, cluster: Dim | None,
    ) -> None:  # fmt: skip
        """Launch a kernel with arguments of the parameters' exact types, addresses as uint64."""
        function = ctypes.c_void_p()
        self._call("cuModuleGetFunction", ctypes.byref(function), self._module, name.encode())
        self._call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        attributes = []
        if cooperative:
            attributes.append(LaunchAttribute(COOPERATIVE, 0, (1,)))
        if cluster is not None:
            self._call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
            attributes.append(LaunchAttribute(CLUSTER, 0, extent(cluster)))
        listed = (LaunchAttribute * len(attributes))(*attributes)
        config = LaunchConfig(extent(grid), extent(block), shared, stream, listed, len(attributes))
        packed = [np.array(value) for value in values]
        arguments = (ctypes.c_void_p * len(packed))(*(one.ctypes.data for one in packed))
        self._call("cuLaunchKernelEx", ctypes.byref(config), function, arguments, None)

    def resident_blocks(self, name: str, block: Dim, shared: int) -> int:
        """Return how many blocks of a kernel a multiprocessor runs at the same time."""
        function, blocks = ctypes.c_void_p(), ctypes.c_int()
        self._call("cuModuleGetFunction", ctypes.byref(function), self._module, name.encode())
        self._call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        threads, dynamic = ctypes.c_int(math.prod(extent(block))), ctypes.c_size_t(shared)
        ask = "cuOccupancyMaxActiveBlocksPerMultiprocessor"
        self._call(ask, ctypes.byref(blocks), function, threads, dynamic)
        return blocks.value

    def _call(self, name: str, *arguments: Any) -> None:
        """Call a function of the driver; raise RetraceError, naming it and its error, if it fails."""
        if code := getattr(self._cuda, name)(*arguments):
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorName(code, ctypes.byref(text))
            raise RetraceError(f"CUDA: {name} failed: {(text.value or b'error').decode()} ({code})")
