"""What the NVIDIA Management Library (NVML) says about a GPU: driver, identity, clock and throttling."""

from __future__ import annotations

import functools
from typing import Any

HARMLESS = 0b11
"""Throttle reasons that are none: an idle GPU, and clocks that a user has set."""


class ManagedGPU:
    """A GPU that the library knows."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self._nvml, self._handle = nvml, handle
        self.driver: str = nvml.nvmlSystemGetDriverVersion()
        self.uuid: str = nvml.nvmlDeviceGetUUID(handle)

    def state(self) -> dict[str, Any]:
        """Return the clock of the multiprocessors in MHz, and whether the GPU is throttled now."""
        clock = self._nvml.nvmlDeviceGetClockInfo(self._handle, self._nvml.NVML_CLOCK_SM)
        reasons = self._nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle)
        return {"sm_clock_mhz": float(clock), "throttled": bool(reasons & ~HARMLESS)}


@functools.cache
def find_gpu(bus_id: str) -> ManagedGPU | None:
    """Return the GPU on a PCI bus; None if it, or the library, cannot be asked."""
    try:
        import pynvml
    except ModuleNotFoundError:
        return None
    try:
        pynvml.nvmlInit()
        return ManagedGPU(pynvml, pynvml.nvmlDeviceGetHandleByPciBusId(bus_id))
    except pynvml.NVMLError:
        return None
