"""What the NVIDIA Management Library (NVML) says about a GPU: driver, identity, clocks, power and energy."""

from __future__ import annotations

import functools
from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")

HARMLESS = 0b11
"""Throttle reasons that are none: an idle GPU, and clocks that a user has set."""
SLOW_S = 0.5
"""Seconds in which power, temperature and memory clock hardly change."""


class ManagedGPU:
    """A GPU that the library knows."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self._nvml, self._handle = nvml, handle
        self.driver: str = nvml.nvmlSystemGetDriverVersion()
        self.number: str = nvml.nvmlDeviceGetUUID(handle)
        self._asks_again_at = 0.0

    def state(self) -> dict[str, Any]:
        """Return whether the GPU is throttled now, and the clock of its multiprocessors in MHz.

        Memory clock in MHz, power in W and temperature in °C are asked for less often, as answers take
        milliseconds; what the GPU cannot tell of them is None.
        """
        nvml = self._nvml
        clock = nvml.nvmlDeviceGetClockInfo(self._handle, nvml.NVML_CLOCK_SM)
        reasons = nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle)
        state = {"sm_clock_mhz": float(clock), "throttled": bool(reasons & ~HARMLESS)}
        if (now := perf_counter()) < self._asks_again_at:
            return state
        self._asks_again_at = now + SLOW_S
        milliwatts = self._ask(nvml.nvmlDeviceGetPowerUsage)
        return state | {
            "memory_clock_mhz": self._ask(nvml.nvmlDeviceGetClockInfo, nvml.NVML_CLOCK_MEM),
            "power_w": None if milliwatts is None else milliwatts / 1e3,
            "temperature_c": self._ask(nvml.nvmlDeviceGetTemperature, nvml.NVML_TEMPERATURE_GPU),
        }

    def joules(self) -> float | None:
        """Return what the board has used since its driver was loaded; None if it has no counter."""
        millijoules = self._ask(self._nvml.nvmlDeviceGetTotalEnergyConsumption)
        return None if millijoules is None else millijoules / 1e3

    def _ask(self, question: Callable[..., float], *more: int) -> float | None:
        """Return a number of the GPU; None if it has none."""
        try:
            return float(question(self._handle, *more))
        except self._nvml.NVMLError:
            return None


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
