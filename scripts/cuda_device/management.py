"""What the NVIDIA Management Library (NVML) says about a GPU: driver, identity, clock and throttling."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

HARMLESS = 0b11
"""Throttle reasons that are none: an idle GPU, and clocks that a user has set."""


class ManagedGPU:
    """A GPU that the library knows."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self._nvml, self._handle = nvml, handle
        self.driver: str = nvml.nvmlSystemGetDriverVersion()
        self.number: str = nvml.nvmlDeviceGetUUID(handle)

    def state(self) -> dict[str, Any]:
        """Return the clock of the multiprocessors in MHz, and whether the GPU is throttled now."""
        clock = self._nvml.nvmlDeviceGetClockInfo(self._handle, self._nvml.NVML_CLOCK_SM)
        reasons = self._nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle)
        return {"sm_clock_mhz": float(clock), "throttled": bool(reasons & ~HARMLESS)}


@functools.cache
def find_gpu(bus_id: str) -> ManagedGPU | None:
    """Return the GPU on a PCI bus; None if it, or the library, cannot be asked."""
    return _ask(lambda nvml: ManagedGPU(nvml, nvml.nvmlDeviceGetHandleByPciBusId(bus_id)))


def gpu_numbers() -> list[str]:
    """Return the unique number of each GPU of this computer; none if the library cannot be asked."""

    def numbers(nvml: Any) -> list[str]:
        handles = map(nvml.nvmlDeviceGetHandleByIndex, range(nvml.nvmlDeviceGetCount()))
        return sorted(nvml.nvmlDeviceGetUUID(handle) for handle in handles)

    return _ask(numbers) or []


def _ask(question: Callable[[Any], T]) -> T | None:
    """Return what the library answers; None if it is not there, or has no driver or no such GPU."""
    try:
        import pynvml
    except ModuleNotFoundError:
        return None
    try:
        pynvml.nvmlInit()
        return question(pynvml)
    except pynvml.NVMLError:
        return None
