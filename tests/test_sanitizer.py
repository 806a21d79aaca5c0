"""NVIDIA's compute-sanitizer over kernels of our own; and what tests/run_kernels.py gives it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable

import pytest

import run_kernels
from command_line import ENVIRONMENT, PROJECT
from cuda_device.available_gpus import cuda_available
from cuda_on_cpu.device import EmulatedDevice

SANITIZER = shutil.which("compute-sanitizer")
SEARCHES = (
    "bfs/cluster", "stcon/cluster", "bfs/direction", "sssp/near-far",
    "bfs/one-block", "stcon/one-block", "sssp/one-block", "sssp/one-block:shared_kib=1",
)  # fmt: skip
TOOLS = {
    "memcheck": (*SEARCHES, "sssp/cluster"),
    "initcheck": (*SEARCHES, "sssp/cluster"),
    "synccheck": (*SEARCHES, "sssp/cluster"),
    # Warps of sssp/cluster tell without a barrier that they are quiet: a guess, which nobody relies on.
    "racecheck": SEARCHES,
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Calls tests/run_kernels.py on the emulator."""

    def called(*names: str) -> None:
        monkeypatch.setattr(run_kernels, "CudaDevice", EmulatedDevice)
        monkeypatch.setattr(sys, "argv", ["run_kernels.py", *names])
        run_kernels.main()

    return called


def test_a_solver_runs_without_and_with_predecessors(
    run: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    run("stcon/cluster", "sssp/cluster:shared=state")
    specs = "stcon/cluster", "stcon/cluster:predecessors=yes", "sssp/cluster:shared=state"
    assert capsys.readouterr().out.splitlines() == [
        f"{spec} {vertices} vertices: agrees" for spec in specs for vertices in (391, 7)
    ]


def test_a_wrong_answer_ends_the_run(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = run_kernels.REGISTRY.solvers["stcon/cluster"]
    download = kind.download
    monkeypatch.setattr(kind, "download", lambda solver: download(solver) + 1)
    with pytest.raises(SystemExit, match="1"):
        run("stcon/cluster")
    assert "agrees" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["stcon/clutser", "nothing/", "stcon/clutser:shared=marks"])
def test_a_name_of_no_solver_is_refused(run: Callable[..., None], name: str) -> None:
    with pytest.raises(SystemExit, match=f"error: .*{name.partition(':')[0]}"):
        run("stcon/cluster", name)


def test_limits_and_the_generator_run(run: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    run("limits/load-shared", "generate")
    assert capsys.readouterr().out == "limits/load-shared agrees\ngenerate/random-degree agrees\n"


@pytest.mark.gpu
@pytest.mark.skipif(not cuda_available(), reason="needs a GPU")
@pytest.mark.skipif(SANITIZER is None, reason="needs compute-sanitizer, which comes with CUDA's toolkit")
@pytest.mark.parametrize("tool", TOOLS)
def test_compute_sanitizer_finds_nothing(tool: str, request: pytest.FixtureRequest) -> None:
    command = [str(SANITIZER), "--tool", tool, "--error-exitcode", "1"]
    wanted = request.config.getoption("--compute-capability")
    used_as = ["--compute-capability", wanted] * (wanted is not None)
    done = subprocess.run(
        [*command, sys.executable, "tests/run_kernels.py", *used_as, *TOOLS[tool]],
        cwd=PROJECT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "SUMMARY: 0 " in done.stdout
    runs = len(run_kernels.choose([*TOOLS[tool]])) * len(run_kernels.FEW)
    lacking = len(re.findall("skipped, .*: needs ", done.stdout)) if wanted else 0
    assert done.stdout.count("agrees") == runs - lacking > 0
