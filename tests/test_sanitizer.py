"""What tests/run_kernels.py runs, for NVIDIA's compute-sanitizer to watch."""

from __future__ import annotations

import sys

import pytest

import run_kernels
from cuda_on_cpu.device import EmulatedDevice


def run_on_emulator(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Call tests/run_kernels.py on the emulator."""
    monkeypatch.setattr(run_kernels, "CudaDevice", EmulatedDevice)
    monkeypatch.setattr(sys, "argv", ["run_kernels.py", *names])
    run_kernels.main()


def test_a_solver_runs_on_each_graph_and_the_generator_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_on_emulator(monkeypatch, "stcon/bsp", "bfs/bsp:block_size=32", "generate")
    solved = ("stcon/bsp", "bfs/bsp:block_size=32")
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(
        ["generate/random-degree agrees"]
        + [f"{spec} {vertices} vertices: agrees" for spec in solved for vertices in (391, 7)]
    )


def test_a_wrong_answer_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = run_kernels.REGISTRY.solvers["stcon/bsp"]
    download = kind.download
    monkeypatch.setattr(kind, "download", lambda solver: download(solver) + 1)
    with pytest.raises(SystemExit, match="1"):
        run_on_emulator(monkeypatch, "stcon/bsp")
    assert "agrees" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["stcon/bps", "nothing/", "stcon/bps:block_size=32"])
def test_a_name_of_no_solver_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with pytest.raises(SystemExit, match=f"error: .*{name.partition(':')[0]}"):
        run_on_emulator(monkeypatch, "stcon/bsp", name)
