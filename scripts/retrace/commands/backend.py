"""The choice of a backend."""

from __future__ import annotations

from collections.abc import Sequence

from retrace.devices.cuda import CudaDevice, cuda_status
from retrace.devices.emulator import EmulatedDevice
from retrace.measure.trials import DeviceFactory
from retrace.system.errors import RetraceError


def choose_backend(name: str, backends: Sequence[str], wanted: str) -> tuple[str, DeviceFactory | None]:
    """Return the backend on which a solver runs, and what opens its device; None for the host.

    Raises
    ------
    RetraceError
        If the solver does not run on the wanted backend, or that is not available.
    """
    if "host" in backends and wanted == "auto":
        return "host", None
    if "host" in backends or (wanted != "auto" and wanted not in backends):
        raise RetraceError(f"--backend {wanted}: {name} runs on {' or '.join(backends)} only")
    why_not = cuda_status() if wanted != "emulator" and "cuda" in backends else "not asked for"
    if wanted == "cuda" and why_not is not None:
        raise RetraceError(f"--backend cuda: {why_not}; use --backend emulator")
    return ("cuda", CudaDevice) if why_not is None else ("emulator", EmulatedDevice)
