"""The devices that kernels run on, by the names of their backends.

`cuda` is Retrace's own. Another is a package of its own, which names its class as an entry point.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from cuda_device.cuda import CudaDevice
from cuda_device.interface import Device
from retrace.system.errors import RetraceError
from retrace.system.solver_packages import installed_points

GROUP = "retrace.devices"
"""Of entry points."""
UNINSTALLED = {"emulator": "cuda_on_cpu.device:EmulatedDevice"}
"""Where a backend is that is not installed, but on Python's path, as that of a checkout is."""


class Opener(Protocol):
    """The class of a backend's device."""

    def __call__(self, *, memory_gib: float | None = None, compute_capability: str | None = None) -> Device:
        """Make a device, with limits of its memory and of the GPU that it is used as."""


class Emulator(Opener, Protocol):
    """The class of a device that is no GPU."""

    @staticmethod
    def compile(source: Path) -> Path:
        """Compile a kernel file, or a C++ file that uses Thrust."""


def device_class(backend: str) -> Opener:
    """Return the class of a backend's device; raise RetraceError if it is not installed."""
    return CudaDevice if backend == "cuda" else emulator()


@cache
def emulator() -> Emulator:
    """Return the class of the emulator's device; raise RetraceError if there is no emulator."""
    point = next(iter(installed_points().select(group=GROUP, name="emulator")), None)
    module, _, name = (point.value if point else UNINSTALLED["emulator"]).partition(":")
    if find_spec(module.partition(".")[0]) is None:
        reason = "the emulator is not installed; run `pip install ./scripts/cuda_on_cpu` in the checkout"
        raise RetraceError(f"backend emulator: {reason}")
    return cast(Emulator, getattr(import_module(module), name))
