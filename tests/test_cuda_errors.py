"""A kernel fails on its own; whichever call finds out says so in one line."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from command_line import python
from cuda_device import cuda
from cuda_device.available_gpus import cuda_available
from cuda_device.errors import OneLineError
from cuda_device.interface import Device

CALLS: dict[str, Callable[[Device, Any], object]] = {
    "write": lambda device, buffer: device.write(buffer, np.zeros(4, np.int32)),
    "write in a stream": lambda device, buffer: device.write(buffer, np.zeros(4, np.int32), device.stream()),
    "read": lambda device, buffer: device.read(buffer, np.zeros(4, np.int32)),
    "fill": lambda device, buffer: device.fill(buffer, 0),
    "allocate": lambda device, buffer: device.empty(4, np.int32),
    "pinned": lambda device, buffer: device.pinned(4, np.int32),
    "mapped": lambda device, buffer: device.mapped(4, np.int32),
    "synchronize": lambda device, buffer: device.synchronize(),
    "stream": lambda device, buffer: device.stream().synchronize(),
    "record": lambda device, buffer: device.event().record(),
    "event": lambda device, buffer: device.event().synchronize(),
    "memory": lambda device, buffer: device.free_memory(),
}


class FakeError(Exception):
    """In place of PyCUDA's."""


class FailingDriver(ModuleType):
    """PyCUDA's driver after a kernel has failed: whatever is called fails with its error."""

    Error = FakeError
    MemoryError = type("FakeMemoryError", (FakeError,), {})
    host_alloc_flags = SimpleNamespace(DEVICEMAP=2)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def failing(*arguments: object, **options: object) -> None:
            raise FakeError(f"{name} failed: illegal memory access")

        return failing


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> cuda.CudaDevice:
    driver = FailingDriver("pycuda.driver")
    package = ModuleType("pycuda")
    package.driver = driver  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pycuda", package)
    monkeypatch.setitem(sys.modules, "pycuda.driver", driver)
    device = cuda.CudaDevice.__new__(cuda.CudaDevice)
    device.cuda = driver
    device._context = driver
    device._pool = None
    return device


@pytest.mark.parametrize("name", CALLS)
def test_every_call_reports_the_failure_of_a_kernel(failing: cuda.CudaDevice, name: str) -> None:
    buffer = cuda.CudaBuffer(4, np.dtype(np.int32), None, 0x1000)
    with pytest.raises(OneLineError, match=r"^CUDA: \w+ failed: illegal memory access$"):
        CALLS[name](failing, buffer)


PROGRAM = """
import sys, numpy as np
from cuda_device.errors import OneLineError
from cuda_device.cuda import CudaDevice
from test_cuda_errors import CALLS
with CudaDevice() as device:
    buffer = device.empty(4, np.int32)
    device.load(sys.argv[1]).kernel("k")(1, 1)
    try:
        device.synchronize()
    except OneLineError:
        pass
    for name in ("write", "read", "fill", "synchronize", "record"):
        try:
            CALLS[name](device, buffer)
        except OneLineError as error:
            print(name)
"""


if cuda_available():

    @pytest.mark.gpu
    def test_a_kernel_that_traps(tmp_path: Path) -> None:
        source = tmp_path / "trap.cu"
        source.write_text('extern "C" __global__ void k() { __trap(); }\n')
        done = python(f"import sys; sys.path.append({str(Path(__file__).parent)!r})\n{PROGRAM}", source)
        assert done.stdout.split() == ["write", "read", "fill", "synchronize", "record"], done.stderr
