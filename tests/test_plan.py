"""The configuration: each unsound value is refused in one line that names its key."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricated import machine_info, without_answer
from retrace.planning import plan
from retrace.system.errors import RetraceError

PROJECT = Path(__file__).parents[1]
Config = dict[str, Any]


@pytest.fixture
def config() -> Config:
    config: Config = yaml.safe_load((PROJECT / "config.yaml").read_text())
    return copy.deepcopy(config) | {"backend": "emulator", "machine": "local", "machines": []}


def experiment(config: Config) -> Config:
    first: Config = config["experiments"]["table-3.3"]
    return first


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda c: c.update(colour="red"), "config: unknown key colour; expected machine, "),
        (lambda c: experiment(c).update(kernels=[]), "config.experiments.table-3.3: unknown key kernels"),
        (lambda c: c["datasets"]["NY"].update(verticse=5), "datasets.NY: .*'verticse'"),
        (lambda c: c.pop("trials"), "config: 'trials' is a required property"),
        (lambda c: c.update(trials="abc"), "config.trials: 'abc' is not of type 'integer'"),
        (lambda c: c.update(trials=0), "config.trials: 0 is less than"),
        (lambda c: c.update(budget_s=-1), "config.budget_s: -1 is less than"),
        (lambda c: c.update(offline="maybe"), "config.offline: 'maybe' is not one of"),
        (lambda c: c.update(machine="../up"), "config.machine: '../up' does not match"),
        (lambda c: c.update(machines=["nobody"]), "config.machines: no records in results/machines/nobody"),
        (
            lambda c: experiment(c)["solvers"].append("bfs/best"),
            "config.experiments.table-3.3.solvers: no solver is called bfs/best",
        ),
        (
            lambda c: experiment(c)["graphs"].append("Mars"),
            "config.experiments.table-3.3.graphs: Mars is not",
        ),
        (lambda c: c["experiments"].update({"table-9": experiment(c)}), "config.experiments: table-9 is no"),
    ],
)
def test_what_is_wrong_is_named(config: Config, spoil: Callable[[Config], Any], told: str) -> None:
    spoil(config)
    with pytest.raises(RetraceError, match=told) as caught:
        plan.make(config)
    assert "\n" not in str(caught.value)


def test_an_emulator_never_replaces_a_gpus_records(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    config.update(machines=["h200"])
    assert plan.make(config)
    config.update(machine="h200")
    with pytest.raises(RetraceError, match="h200 has records of the NVIDIA H200, which"):
        plan.make(config)


def test_backends(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "cuda_status", lambda: "there is no driver")
    assert plan.make(config | {"backend": "auto"}).backend == "emulator"
    with pytest.raises(RetraceError, match=r"config: backend: cuda was asked for, but there is no driver"):
        plan.make(config | {"backend": "cuda"})
    monkeypatch.setattr(plan, "cuda_status", lambda: None)
    assert plan.make(config | {"backend": "auto"}).backend == "cuda"
    assert plan.make(config).backend == "emulator"


def test_a_real_graph_is_asked_for_where_a_stand_in_is(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "resources/graphs/NY"
    folder.mkdir(parents=True)
    (folder / "graph.json").write_text('{"origin": "stand-in"}')
    assert plan.make(config).stand_ins() == ["NY"]
    with pytest.raises(
        RetraceError, match=r"NY is a stand-in here; rm -r resources/graphs/NY, and run again"
    ):
        plan.make(config | {"offline": "fail"})


def test_code_that_a_job_depends_on(config: Config) -> None:
    planned = plan.make(config)

    def modules(script: str) -> set[str]:
        return {path.partition("scripts/retrace/")[2] for path in planned.imports(script)}

    assert modules("measure.py") >= {"measure/trials.py", "solvers/bfs.py", "check/oracles.py"}
    assert not {path for path in modules("measure.py") if path.startswith("publish/")}
    assert modules("make_table.py") >= {"publish/tables.py", "records/model.py", "system/files.py"}
    assert not {path for path in modules("make_table.py") if path.startswith(("solvers/", "devices/"))}


def test_an_experiment_depends_on_its_own_solvers(config: Config) -> None:
    planned = plan.make(config)

    def solvers(experiment: str) -> set[str]:
        paths = (path.partition("scripts/retrace/solvers/")[2] for path in planned.measuring(experiment))
        return set(filter(None, paths))

    assert solvers("table-3.3") >= {"bfs.py", "bulk_synchronous.py", "libraries.py", "registry.py"}
    assert not solvers("table-3.3") & {"__init__.py", "sssp.py", "bellman_ford/masked.py"}
    assert solvers("brandes-crossover") >= {"betweenness/auto.py", "betweenness/sequential.py"}
    trials = {path.partition("scripts/retrace/")[2] for path in planned.measuring("generators")}
    assert trials >= {"measure/trials.py", "solvers/generate.py", "check/generated.py", "devices/cuda.py"}


def test_kernels_that_an_experiment_depends_on(config: Config) -> None:
    def sources(backend: str) -> set[str]:
        return {path.partition("kernels/")[2] for path in plan.make(config).sources("table-3.3", backend)}

    assert {"host/bfs_queue.cpp", "host/graph.h"} <= sources("host")
    assert {"bfs/bsp.cu", "emulator/scheduler/launch.cpp"} <= sources("emulator")
    assert "bfs/bsp.cu" in sources("cuda")
    assert not {path for path in sources("cuda") if path.startswith(("emulator/", "host/", "sssp/"))}


def test_a_header_counts_wherever_it_lies(config: Config) -> None:
    config["experiments"]["table-3.3"]["solvers"] = ["bellman-ford/sequential"]
    host = plan.make(config).sources("table-3.3", "host")
    assert {Path(path).name for path in host} >= {"bellman_ford_sequential.cpp", "sum.h"}
    assert "bfs_queue.cpp" not in {Path(path).name for path in host}


def test_a_report_without_numbers_has_its_figures_and_claims_as_targets(config: Config) -> None:
    config["experiments"] = {"bellman-ford-edges": {"solvers": ["sssp/scipy"], "graphs": ["small-6"]}}
    planned = plan.make(config)
    (target,) = planned.report_targets
    assert target == "figures_bellman_ford"
    made = {Path(path).stem for path in planned.report_targets[target]}
    figures = {f"bellman-ford-{end}" for end in ("coalescing", "edges-size", "edges-count")}
    assert made == {"claims-an-bellman-ford", *figures}
    assert made < set(planned.targets)
    assert "bellman-ford-edges" not in planned.targets
    assert planned.report_records("an-bellman-ford") == [
        "results/machines/local/bellman-ford-edges/small-6.jsonl"
    ]


def test_snakemake_tells_it_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(PROJECT / "Snakefile")]
    done = subprocess.run(
        [*command, "--directory", str(tmp_path), "--cores", "2", "--config", "trials=abc"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: config.trials: 'abc' is not of type 'integer'"
    assert "Traceback" not in done.stderr
    assert "File" not in done.stderr


def test_a_run_is_planned_without_the_large_libraries() -> None:
    program = """
import sys
from retrace.planning import plan
from retrace.measure import trials
large = {"igraph", "networkit", "matplotlib", "pandas"} & sys.modules.keys()
sys.exit(f"loaded: {large}" if large else None)
"""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "scripts")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_what_a_committed_machine_skipped_is_said_in_sum() -> None:
    here = without_answer("bfs/bsp", "NY", "skipped", "too slow", machine="local")
    there = replace(here, machine=machine_info("h200"))
    failed = replace(there, status="failed", reason="no memory")
    words = plan.outcomes([here, there, there, failed], "local")
    assert words[0].startswith("0 of 4 answers verified")
    where = f"bfs/bsp on {here.label}"
    assert words[1:] == [
        f"SKIPPED: {where}, local: too slow",
        f"FAILED: {where}, h200: no memory",
        "SKIPPED: 2 by h200, whose records are committed and say why.",
    ]
