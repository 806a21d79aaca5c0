"""Where the core meets the package of today: plans, programs, packages, compilers, the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command_line import PROJECT, Call, Patch
from cuda_device import toolkits
from cuda_device.build import build_cubin
from cuda_on_cpu.device import EmulatedDevice
from examined_computer import configured, lines
from retrace.planning import plan
from retrace.planning.configuration import Machine, project_keys
from retrace.system import project
from retrace.system.project import CATALOGUE_FILE, KERNELS
from test_disk_full import assert_told, require_mounts
from test_solver_packages import CONFIGURE, installed, told
from test_trials import run


@pytest.fixture
def config() -> dict[str, Any]:
    return project_keys() | {"backend": "emulator", "machine": "local", "machines": {}}


def test_an_experiment_of_a_report_depends_on_the_solvers_that_are_added(config: dict[str, Any]) -> None:
    ours = {"scripts/retrace_today/betweenness/auto.py", "scripts/retrace_today/choice.py"}
    assert {*plan.make_plan(config).modules("brandes-crossover")} >= ours


@pytest.mark.parametrize(("gpus", "measured"), [(1, False), (2, True)])
def test_all_gpus_of_a_host_are_used_where_there_are_two(
    config: dict[str, Any], monkeypatch: Patch, gpus: int, measured: bool
) -> None:
    monkeypatch.setattr(plan, "cuda_available", lambda: True)
    monkeypatch.setattr(plan, "visible_gpus", lambda: ["a GPU"] * gpus)
    monkeypatch.setattr(plan, "cuda_status", lambda: None)
    planned = plan.make_plan(config | {"scale": "paper", "backend": "cuda"})
    several = ["random-6-5", "Gowalla", "random-22-16-1024"]
    assert planned.graphs("betweenness-gpus") == (several if measured else several[:1])
    assert "Gowalla" in planned.graphs("fast-bfs")
    assert planned.graphs("betweenness-gpus", scale="paper") == several


def test_the_limits_may_share_the_emulator(config: dict[str, Any]) -> None:
    (job,) = (job for job in plan.make_plan(config).jobs if job.name == "limits")
    assert not job.is_timed


def test_a_shard_does_not_depend_on_the_catalogue() -> None:
    needed = project.imports("retrace_today/scores/compute_shard.py")
    assert str(PROJECT / CATALOGUE_FILE) not in {str(PROJECT / name) for name in needed}


def test_a_shard_on_a_full_disk(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    require_mounts(tmp_path_factory.mktemp("mount"))
    shard = ["--graph", "tiny", "--backend", "emulator", "--shard", "0", "--shards", "1"]
    assert_told("retrace_today/scores/compute_shard.py", [*shard, "--output", "full/s.npz"], 0, tmp_path)


@pytest.mark.long
def test_nvrtc_compiles_searches_for_cards_that_nvcc_has_left(monkeypatch: Patch) -> None:
    """With what kernels include: cooperative groups, headers of C++, and each other."""
    monkeypatch.setattr(toolkits, "installed_driver", lambda: None)
    ptx = build_cubin(KERNELS / "retrace_today/bfs/direction.cu", "compute_61")
    assert ptx.suffix == ".ptx"
    assert "\n.target sm_61" in ptx.read_text(encoding="ascii")


def test_a_length_alone_is_no_path(tiny: Path, call: Call) -> None:
    told = call("path", tiny, "--source", 1, "--target", 2, "--solver", "stcon/auto").refusal(2)
    assert "stcon/auto finds a length, but no path; set predecessors=yes, or use a bfs solver" in told


def test_doctor_names_the_solvers_that_need_clusters(call: Call, monkeypatch: Patch) -> None:
    monkeypatch.setattr(EmulatedDevice, "compile", lambda source: None)
    configured(monkeypatch, machines={"local": Machine(compute_capability="8.6")})
    found = lines(call("doctor").out)
    assert "bfs/cluster" in found["solvers"]
    assert "needs thread-block clusters, from compute capability 9.0 on" in found["solvers"]


def test_a_choice_that_leaves_its_work_to_the_host_has_no_kernel_time() -> None:
    (case,) = run(["betweenness/auto:take=seq-array"], trials=1, device=("cuda", EmulatedDevice))
    assert case.observed["chose_seq-array"] == 1
    assert case.trials[0].kernel is None


def test_a_package_has_no_experiment_of_a_name_of_today_s(tmp_path: Path) -> None:
    experiments = "experiments: {fast-bfs: {solvers: [bfs/my-queue], graphs: [NY]}}"
    named = PROJECT / "scripts/retrace_today/experiments.yaml"
    found = told(installed(tmp_path, experiments__yaml=experiments), CONFIGURE)
    assert found.startswith(f"{tmp_path / 'experiments.yaml'}: experiments.fast-bfs: {named} has it already")
