"""Thrust's library compiles for CUDA, also without a GPU; and its runtime leaves no context behind."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import Patch
from cuda_device import toolkits
from cuda_device.available_gpus import cuda_available
from cuda_device.build import build_thrust
from cuda_device.cuda import CudaDevice
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED
from retrace.solvers import Query, make
from retrace.system.project import KERNELS
from solving import solved


@pytest.mark.long
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


def test_every_search_of_thrust_is_freed_once(monkeypatch: Patch) -> None:
    with EmulatedDevice() as device:
        solver: Any = make("sssp/thrust", device)
        solver.setup(NAMED["grid"])
        living, library = set(), solver.library

        def upload(*arguments: Any) -> Any:
            living.add(made := library.sssp_thrust_upload(*arguments))
            return made

        def free(search: Any) -> None:
            living.remove(search.value)
            library.sssp_thrust_free(search)

        counted = SimpleNamespace(
            sssp_thrust_upload=upload, sssp_thrust_free=free,
            sssp_thrust_solve=library.sssp_thrust_solve, sssp_thrust_download=library.sssp_thrust_download,
        )  # fmt: skip
        monkeypatch.setattr(solver, "library", counted)
        for source in (0, 1, 2):
            solver.upload(Query(source))
            solver.upload(Query(source))  # without a download, as where a warm-up is cut short
            assert len(living) == 1
            solver.solve(Query(source))
            solver.download()
            assert not living


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
