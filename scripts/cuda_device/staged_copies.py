"""Copies from ordinary memory to a GPU by several threads, by way of page-locked memory."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_device.compiled_files import build_host, own_file

SLOT_BYTES = 1 << 20
"""Bytes that a thread copies at once: of 256 KiB, an H200 reads half as many per second."""
SLOTS = 2
"""Of each thread: `kernels/cuda_device/staged_copies.cpp`."""
LEAST_COPIERS, MOST_COPIERS = 4, 8
"""Threads of a small copy, of which the start is much of the time, and those that fill a link of 64 GB/s."""
BYTES_PER_THREAD = 1 << 24
"""Bytes for which one thread more than the least pays."""
LEAST_STAGED = 1 << 22
"""Below, threads cost more than they save."""

CALL_USE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
CALL_COPY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
CALL_RECORD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
CALL_WAIT_FOR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Calls(ctypes.Structure):
    """`Driver` of the C++ file."""

    _fields_ = (("use", CALL_USE), ("copy", CALL_COPY), ("record", CALL_RECORD), ("wait", CALL_WAIT_FOR))


class CCopy(ctypes.Structure):
    """`Copy` of the C++ file."""

    _fields_ = (("to", ctypes.c_uint64), ("from", ctypes.c_void_p), ("bytes", ctypes.c_size_t))


class CStaging(ctypes.Structure):
    """`Staging` of the C++ file."""

    _fields_ = (
        ("memory", ctypes.c_void_p), ("slot_bytes", ctypes.c_size_t),
        ("events", ctypes.POINTER(ctypes.c_void_p)),
    )  # fmt: skip


class StagedCopies:
    """The page-locked memory of one device, and an event for each slot of it."""

    def __init__(
        self, driver: Calls, context: int, pinned: Callable[[int, type], NDArray[Any]],
        new_event: Callable[[], int], slot_bytes: int = SLOT_BYTES,
    ) -> None:  # fmt: skip
        """Allocate by `pinned`; `context` is what each thread uses."""
        self._driver, self._context, self.threads = driver, context, min(MOST_COPIERS, usable_processors())
        slots = SLOTS * self.threads
        self._memory = pinned(slots * slot_bytes, np.uint8)
        self._events = (ctypes.c_void_p * slots)(*(new_event() for _ in range(slots)))
        self._staging = CStaging(self._memory.ctypes.data, slot_bytes, self._events)

    def copy(self, arrays: Sequence[tuple[int, NDArray[Any]]]) -> int:
        """Copy contiguous arrays to addresses of the device; return the driver's error code, or 0."""
        copies = (CCopy * len(arrays))(*(CCopy(to, array.ctypes.data, array.nbytes) for to, array in arrays))
        driver, staging = ctypes.byref(self._driver), ctypes.byref(self._staging)
        context = ctypes.c_void_p(self._context)
        threads = min(self.threads, threads_for(sum(array.nbytes for _, array in arrays)))
        return int(stager().copy_staged(driver, context, copies, len(arrays), staging, threads))


def threads_for(nbytes: int) -> int:
    """Return how many threads copy so many bytes fastest (docs/experiments, 90)."""
    return min(MOST_COPIERS, LEAST_COPIERS + nbytes // BYTES_PER_THREAD)


def usable_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


@cache
def stager() -> ctypes.CDLL:
    """Return the C++, compiled once."""
    return ctypes.CDLL(str(build_host(own_file("staged_copies.cpp"))))
