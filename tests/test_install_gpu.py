"""The GPU set-up without a GPU: what it takes from the lock, what it builds with, and what it refuses."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import install_gpu
from command_line import Patch
from cuda_device.errors import OneLineError
from cuda_device.installed_driver import InstalledDriver, InstalledGpu, Version
from cuda_device.toolkits import ON_PATH, Toolkit
from driver_stand_in import make_driver
from install_gpu import NVCC_WHEELS, NVRTC_WHEELS, name_of

LOCK = Path(__file__).parents[1] / "requirements-gpu.lock"
GT_730, TITAN_X, GV100, T4, H200 = (
    InstalledGpu(name, capability)
    for name, capability in (
        ("NVIDIA GeForce GT 730", (3, 5)), ("GeForce GTX TITAN X", (5, 2)), ("Quadro GV100", (7, 0)),
        ("Tesla T4", (7, 5)), ("NVIDIA H200", (9, 0)),
    )
)  # fmt: skip


@pytest.fixture(autouse=True)
def alone(monkeypatch: Patch) -> None:
    """No toolkit on PATH."""
    monkeypatch.setattr(install_gpu, "toolkits", list)


def use_driver(monkeypatch: Patch, folder: Path, version: Version, *gpus: InstalledGpu) -> InstalledDriver:
    driver = InstalledDriver(make_driver(folder, version, gpus))
    monkeypatch.setattr(install_gpu, "installed_driver", lambda: driver)
    return driver


def test_every_entry_of_the_lock_is_found() -> None:
    entries = install_gpu.locked(LOCK)
    assert "\n".join(entries) == LOCK.read_text().rstrip("\n")
    names = [name_of(entry) for entry in entries]
    assert names.count("numpy") == 2, "one for each range of Python versions"
    assert {"pycuda", "snakemake", "nvidia-ml-py", *NVCC_WHEELS, *NVRTC_WHEELS} < set(names)
    headers = {"nvidia-cuda-cccl", "nvidia-cuda-profiler-api-cu12", "nvidia-cuda-runtime-cu12"}
    cuda_wheels = {name for name in names if name.startswith(("cuda-", "nvidia-"))}
    assert cuda_wheels == headers | {"nvidia-ml-py", *NVCC_WHEELS, *NVRTC_WHEELS}
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.parametrize(
    ("driver", "gpus", "compiler"),
    [
        ((13, 0), [H200], NVCC_WHEELS),
        ((13, 0), [T4], NVCC_WHEELS),
        ((13, 0), [GV100], NVRTC_WHEELS),
        ((13, 0), [H200, GV100], NVCC_WHEELS + NVRTC_WHEELS),
        ((12, 8), [H200], NVRTC_WHEELS),
        ((12, 0), [TITAN_X], NVRTC_WHEELS),
    ],
)  # fmt: skip
def test_what_suits_driver_and_gpu_is_installed(
    driver: Version, gpus: list[InstalledGpu], compiler: tuple[str, ...], tmp_path: Path, monkeypatch: Patch
) -> None:
    calls: list[tuple[tuple[str, ...], list[str] | None]] = []

    def pip(*arguments: str, locked: list[str] | None = None) -> None:
        calls.append((arguments, locked))
        if "--dest" in arguments:
            (tmp_path / "pycuda-1").mkdir()
            name = f"{arguments[arguments.index('--dest') + 1]}/pycuda-1"
            shutil.make_archive(name, "gztar", tmp_path, "pycuda-1")
        elif locked is None:
            settings = (Path(arguments[-1]) / "siteconf.py").read_text()
            assert all(f"cuda_{name}/include'" in settings for name in ("runtime", "profiler_api"))

    use_driver(monkeypatch, tmp_path, driver, *gpus)
    monkeypatch.setattr(install_gpu, "pip", pip)
    monkeypatch.setattr(install_gpu, "find_in_wheels", lambda name: tmp_path / name)
    install_gpu.install(LOCK)
    assert [arguments[:2] for arguments, _ in calls[1:]] == [
        (what, "--no-build-isolation") for what in ("download", "install")
    ]
    (_, first), (_, second), _ = calls
    assert [name_of(entry) for entry in second or ()] == ["pycuda"]
    names = {name_of(entry) for entry in first or ()}
    assert names & {*NVCC_WHEELS, *NVRTC_WHEELS} == set(compiler)
    assert {"setuptools", "numpy", "nvidia-ml-py", "nvidia-cuda-runtime-cu12"} <= names


def test_a_toolkit_that_suits_needs_no_wheels(tmp_path: Path, monkeypatch: Patch) -> None:
    driver = use_driver(monkeypatch, tmp_path, (13, 0), H200)
    there = SimpleNamespace(place=ON_PATH, why_not=lambda arch: None if arch == "sm_90" else "older")
    monkeypatch.setattr(install_gpu, "toolkits", lambda: [there])
    assert install_gpu.compiler_wheels(driver, H200) == ()
    assert install_gpu.compiler_wheels(driver, GV100) == NVRTC_WHEELS


@pytest.mark.parametrize(
    ("driver", "gpus", "told"),
    [
        (
            (12, 4),
            [],
            r"driver 550.54.14 \(CUDA 12.4\): no GPU \(cuInit: CUDA's error 100\); see whether nvidia-smi",
        ),
        ((11, 4), [GT_730], r"GPU NVIDIA GeForce GT 730 \(3.5\) is too old: expected compute capability 5.0"),
        ((11, 8), [T4], r"driver 550.54.14 \(CUDA 11.8\) is too old: expected 525 or newer"),
    ],
)
def test_what_is_too_old_is_refused(
    driver: Version, gpus: list[InstalledGpu], told: str, tmp_path: Path, monkeypatch: Patch
) -> None:
    use_driver(monkeypatch, tmp_path, driver, *gpus)
    with pytest.raises(OneLineError, match=f"^{told}"):
        install_gpu.install(LOCK)


def test_without_a_driver_it_says_so(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(install_gpu, "installed_driver", lambda: None)
    with pytest.raises(OneLineError, match="install the NVIDIA driver first"):
        install_gpu.require_driver()
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release="5.15.153.1-microsoft-standard-WSL2"))
    with pytest.raises(
        OneLineError, match=r"^WSL: /usr/lib/wsl/lib/libcuda\.so\.1, .* install the NVIDIA driver in Windows"
    ):
        install_gpu.require_driver()
    use_driver(monkeypatch, tmp_path, (12, 4), T4)
    with pytest.raises(OneLineError, match=f"remove {tmp_path}/libcuda.so.1, which hides it"):
        install_gpu.require_driver()
    monkeypatch.setattr(install_gpu, "WSL_FOLDER", str(tmp_path))
    assert install_gpu.require_driver().cuda() == (12, 4)


def test_what_builds_pycuda_must_be_there(tmp_path: Path, monkeypatch: Patch) -> None:
    install_gpu.require_builder()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2**30))
    with pytest.raises(OneLineError, match=f"^{sys.prefix}: 1.0 GiB are free, .* are needed; make room$"):
        install_gpu.require_builder()
    monkeypatch.setattr(install_gpu.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(OneLineError, match=r"Python.h not found: install Python's headers"):
        install_gpu.require_builder()
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(OneLineError, match="no-such-compiler was not found; install g"):
        install_gpu.require_builder()


def test_one_line_names_driver_toolkit_and_way(
    tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "nvrtc"
    program.write_text("#!/bin/sh\n[ $1 = --version ] && echo V12.9.86 || printf 'sm_70\\nsm_75\\n'\n")
    program.chmod(0o755)
    use_driver(monkeypatch, tmp_path, (12, 4), T4, T4)
    monkeypatch.setattr(
        "cuda_device.toolkits.toolkits", lambda: [Toolkit("NVRTC", (str(program),), "from wheels")]
    )
    monkeypatch.setattr(install_gpu, "cuda_status", lambda: None)
    install_gpu.describe()
    told = (
        "driver 550.54.14 (CUDA 12.4), GPU Tesla T4 (7.5): kernels are compiled by NVRTC 12.9.86 from wheels"
    )
    assert capsys.readouterr().out == told + "; Thrust is skipped: it needs nvcc\n"
    monkeypatch.setattr(install_gpu, "cuda_status", lambda: "PyCUDA is not installed: make gpu")
    with pytest.raises(OneLineError, match="PyCUDA is not installed"):
        install_gpu.describe()
