"""Devices and processes of the emulator's tests, which need nothing else of the project."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from cuda_device.compiled_files import PLACES
from cuda_device.errors import OneLineError
from cuda_device.interface import Device
from cuda_on_cpu.device import EmulatedDevice

OPENED: dict[str, Callable[[], Device]] = {"emulator": EmulatedDevice}
try:  # what is expected of the emulator is what a GPU does, where Retrace can open one
    from cuda_device.available_gpus import cuda_available
    from cuda_device.cuda import CudaDevice
except ModuleNotFoundError:
    pass
else:
    if cuda_available():
        OPENED["cuda"] = CudaDevice
DEVICES = [pytest.param(name, marks=[pytest.mark.gpu] * (name == "cuda"), id=name) for name in OPENED]


def failing(call: Callable[..., object], *given: Any, **named: Any) -> str:
    """The one line of the error that a call ends with."""
    with pytest.raises(OneLineError) as caught:
        call(*given, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def run_program(program: str, *argv: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, which finds what is compiled here."""
    command = [sys.executable, "-c", program, *map(str, argv)]
    here = {"PYTHONPATH": os.pathsep.join(sys.path), "CUDA_DEVICE_BUILD": str(PLACES.build_folder())}
    environment = os.environ | here | variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
