"""The command `doctor`: what it says of this computer, and when the default run cannot work."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from command_line import Call
from cuda_device.gpu_limits import GPULimits, Needs
from cuda_device.toolkits import Toolkit
from cuda_on_cpu.device import EmulatedDevice
from examined_computer import configured, lines
from retrace.planning.configuration import Machine
from retrace.solvers import all_solvers
from retrace.solvers.bfs import BspBFS
from retrace.system.project import build_folder
from retrace_commands import doctor

Disk = namedtuple("Disk", "total used free")


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sample take no time: that it is compiled is a test of its own."""
    monkeypatch.setattr(EmulatedDevice, "compile", lambda source: None)
    monkeypatch.setattr(doctor, "build_cubin", lambda source, architecture: None)
    monkeypatch.setattr(doctor, "cuda_status", lambda: "no device")


ABOUT = ("GPU", "limits", "driver", "C++", "PyCUDA", "memory", "disk", "network", "graphs", "solvers")


def test_it_is_one_screen_about_this_computer(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_MIRROR", str(tmp_path))
    done = call("doctor")
    assert done.status == 0, done.err
    found = lines(done.out)
    assert [*found] == [*ABOUT, "default run"]
    assert done.out.count("\n") <= 24
    assert found["GPU"] == "none is used (no device); kernels run on the emulator"
    assert "the project: small-6, small-9" in found["graphs"]
    assert f"of {len(all_solvers())} run here" in found["solvers"]
    assert found["default run"].startswith("about 1 min")


def test_a_compute_capability_is_kept_on_the_emulator(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BspBFS, "needs", Needs(cluster=1))
    configured(monkeypatch, machines={"local": Machine(compute_capability="8.6")})
    found = lines(call("doctor").out)
    assert found["limits"].startswith("compute capability 8.6: 99 KiB of shared memory in a block, 1,536")
    assert "bfs/bsp" in found["solvers"]
    assert "needs thread-block clusters, from compute capability 9.0 on" in found["solvers"]


def test_a_machine_of_the_configuration_is_looked_at(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    configured(monkeypatch, machines={"rtx3060": Machine(compute_capability="8.6"), "t4": Machine()})
    assert lines(call("doctor", "--machine", "rtx3060").out)["limits"].startswith(
        "compute capability 8.6: 99"
    )
    assert lines(call("doctor", "--machine", "t4").out)["limits"].startswith("compute capability 9.0: 227")
    done = call("doctor", "--machine", "t5")
    told = "--machine: t5 is no machine of config.yaml; expected one of rtx3060, t4"
    assert (done.status, done.err) == (1, f"error: {told}\n")


@pytest.mark.parametrize(
    ("changed", "told"),
    [("backend", "GPU: none is used (no device)"), ("disk", "disk: 0.0 GiB free"),
     ("memory", "memory: 0.0 GiB free"), ("C++", "C++: the C++ compiler nowhere was not found"),
     ("offline", "graphs: ")],
)  # fmt: skip
def test_what_the_default_run_cannot_do_without(
    changed: str, told: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPH_MIRROR", str(tmp_path))
    match changed:
        case "backend":
            configured(monkeypatch, backend="cuda")
        case "disk":
            monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: Disk(1, 1, 0))
        case "memory":
            monkeypatch.setattr(doctor.memory, "available", lambda: 0)
        case "C++":
            monkeypatch.setenv("CXX", "nowhere")
        case "offline":
            configured(monkeypatch, offline="fail")
            monkeypatch.setattr(doctor, "DOWNLOADS", tmp_path)
    done = call("doctor")
    assert done.status == 1
    assert done.err.startswith(f"error: the default run cannot work here: {told}")
    assert done.err.count("\n") == 1
    assert any(line.startswith("! ") for line in done.out.splitlines())


class FakeGPU:
    """An RTX 3060, as far as the command looks at it."""

    limits = GPULimits.by_capability("8.6")

    def __init__(self, compute_capability: str | None = None) -> None:
        assert compute_capability is None

    def __enter__(self) -> FakeGPU:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def describe(self) -> dict[str, Any]:
        return {"name": "NVIDIA GeForce RTX 3060", "compute_capability": "8.6", "memory_gib": 11.8}

    def architecture(self) -> str:
        return "sm_86"

    def multiprocessors(self) -> int:
        return 28

    def free_memory(self) -> int:
        return 11 * 2**30


def test_a_gpu_and_its_compiler_are_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    toolkit = Toolkit("nvcc", ("true",), "on PATH")
    monkeypatch.setattr(Toolkit, "release", "13.0.88")
    for name, value in {
        "cuda_status": lambda: None,
        "CudaDevice": FakeGPU,
        "choose_toolkit": lambda architecture: toolkit,
        "why_no_thrust": lambda architecture: "Thrust needs nvcc",
    }.items():
        monkeypatch.setattr(doctor, name, value)
    done = call("doctor")
    found = lines(done.out)
    assert done.status == 0, done.err
    assert found["GPU"] == "NVIDIA GeForce RTX 3060, compute capability 8.6, 11.8 GiB, 28 multiprocessors"
    assert found["CUDA"] == "nvcc 13.0.88 on PATH compiles for sm_86; Thrust needs nvcc"
    assert "11.0 of the GPU" in found["memory"]
    assert "sssp/thrust: Thrust needs nvcc" in found["solvers"]


def test_the_sample_is_compiled_anew_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    used: list[Path] = []
    monkeypatch.setattr(EmulatedDevice, "compile", lambda source: used.append(build_folder()))
    monkeypatch.setattr(doctor, "build_cubin", lambda source, architecture: used.append(build_folder()))
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path))
    for backend in ("emulator", "cuda"):
        doctor.compile_sample(backend, "sm_86")
    assert build_folder() == tmp_path
    assert len({tmp_path, *used}) == 3
    assert not any(folder.exists() for folder in used)
