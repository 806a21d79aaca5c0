"""What all tests share: the device fixture, and Ctrl-C for the commands that they start."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrace.devices.base import Device
from retrace.devices.cuda import CudaDevice, cuda_available
from retrace.devices.emulator import EmulatedDevice
from tiny_files import TINY, TINY_WITHOUT_WEIGHTS

# A shell starts a command with & so that Ctrl-C is ignored, and its children inherit that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

BACKENDS = [
    pytest.param(EmulatedDevice, id="emulator"),
    pytest.param(lambda: EmulatedDevice(seed=7), id="shuffled"),
]
if cuda_available():
    BACKENDS.append(pytest.param(CudaDevice, id="cuda", marks=pytest.mark.gpu))


@pytest.fixture(params=BACKENDS)
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Open a device of each backend that this machine has."""
    with request.param() as opened:
        yield opened


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Write a small weighted graph that counts from 1."""
    path = tmp_path / "tiny.gr"
    path.write_bytes(TINY["dimacs"])
    return path


@pytest.fixture
def unweighted(tmp_path: Path) -> Path:
    """Write one without weights that counts from 0."""
    path = tmp_path / "tiny.txt"
    path.write_bytes(TINY_WITHOUT_WEIGHTS["snap"])
    return path
