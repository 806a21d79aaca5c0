"""Thrust's library compiles for CUDA, also without a GPU; and its runtime leaves no context behind."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from command_line import Patch
from cuda_device import toolkits
from cuda_device.available_gpus import cuda_available
from cuda_device.build import build_thrust
from cuda_device.cuda import CudaDevice
from graphs import NAMED
from retrace.solvers import Query
from retrace.system.project import KERNELS
from solving import solved


def test_thrust_compiles_for_cuda() -> None:
    assert build_thrust(KERNELS / "thrust/sssp_thrust.cpp", "sm_90").exists()


def test_nvcc_from_wheels_links(tmp_path: Path, monkeypatch: Patch) -> None:
    """It looks for CUDA's runtime in lib64, which the wheels do not have."""
    from_wheels = [toolkit for toolkit in toolkits.toolkits() if toolkit.place == toolkits.FROM_WHEELS]
    monkeypatch.setattr(toolkits, "toolkits", lambda: from_wheels)
    monkeypatch.setattr(toolkits, "installed_driver", lambda: None)
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    source = tmp_path / "empty.cpp"
    source.write_text('extern "C" int answer() { return 42; }\n')
    assert ctypes.CDLL(str(build_thrust(source, "sm_90"))).answer() == 42


if cuda_available():

    def primary_context_is_there() -> bool:
        flags, active = ctypes.c_uint(), ctypes.c_int()
        library = ctypes.CDLL("libcuda.so.1")
        assert library.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == 0
        return bool(active)

    @pytest.mark.gpu
    def test_the_runtime_inside_thrust_keeps_no_context() -> None:
        answers = []
        for _ in range(3):
            with CudaDevice() as device:
                answers.append(solved("sssp/thrust", NAMED["grid"], Query(0), device).download().tolist())
                assert primary_context_is_there()
            assert not primary_context_is_there()
        assert answers[0] == answers[1] == answers[2]
