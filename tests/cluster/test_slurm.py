"""Runs through Slurm end with the tables of a local run, also after a job was cancelled and a node was lost.

What differs are times, so what is compared is every other number and word: which solvers, on which graphs,
with which answers. Slurm is a private one, of two nodes on 127.0.0.1.
"""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from private_slurm import CORES, PrivateSlurm, private_slurm
from project_copy import copy_project
from retrace.records.record import read_records

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif(os.geteuid() != 0, reason="Slurm's nodes need root"),
]

EXPERIMENTS = {
    # timed, since some of its solvers run on the host; the other experiment is for the emulator alone
    "table-3.3": {"solvers": ["bfs/queue", "bfs/bsp", "bfs/scipy"], "graphs": ["small-6", "random-6-5"]},
    "mine": {"solvers": ["bfs/bsp"], "graphs": ["small-6"]},
}
TARGETS = ("table-3.3", "mine", "verification")
TIMED, PACKED = "rule_measure-table-3.3", "rule_measure-mine"
SOON = (
    "--slurm-init-seconds-before-status-checks",
    "1",
    "--slurm-status-command",
    "squeue",
    "--latency-wait",
    "10",
)
TIMES = r".*_ms|n|trials|arcs_per_second|speedup|too_noisy_to_rank|doubt|started"
"""Columns of tables that differ from run to run."""
COLUMNS = ("%i", "%k", "%T", "%C", "%m", "%h", "%N")
"""Job, comment, state, cores, memory, whether it shares its node, node."""


@pytest.fixture(scope="module")
def slurm() -> Iterator[PrivateSlurm]:
    with private_slurm() as slurm:
        yield slurm


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    copy_project(folder, EXPERIMENTS)
    return folder


@pytest.fixture(scope="module")
def local(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a run without Slurm."""
    folder = tmp_path_factory.mktemp("local")
    run = start(project, folder, dict(os.environ), "--cores", "2", "--", *TARGETS)
    assert run.wait() == 0, told(folder)
    return folder


def start(
    project: Path, folder: Path, environment: dict[str, str], *arguments: str
) -> subprocess.Popen[bytes]:
    """Start Snakemake in a process group of its own; `told` returns what it printed."""
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        "Snakefile",
        "--directory",
        str(folder),
        *arguments,
    ]
    with (folder / "printed").open("ab") as file:
        return subprocess.Popen(
            command, cwd=project, env=environment, stdout=file, stderr=file, start_new_session=True
        )


def submit(slurm: PrivateSlurm, project: Path, folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    # CUDA_VISIBLE_DEVICES: Slurm sets it for a job that has a GPU; here none has
    environment = {key: value for key, value in slurm.environment.items() if key != "CUDA_VISIBLE_DEVICES"}
    return start(
        project, folder, environment, "--profile", "profiles/slurm", *SOON, *arguments, "--", *TARGETS
    )


def told(folder: Path) -> str:
    logs = sorted((folder / ".snakemake/slurm_logs").rglob("*.log"))
    return "\n".join(path.read_text() for path in [folder / "printed", *logs])


def jobs(slurm: PrivateSlurm) -> list[dict[str, str]]:
    """List all jobs that Slurm knows of, ended ones too."""
    lines = slurm.ask("squeue", "--states=all", "--noheader", f"--format={'|'.join(COLUMNS)}").splitlines()
    return [dict(zip(COLUMNS, line.split("|"), strict=True)) for line in lines]


def newest(slurm: PrivateSlurm, comment: str, state: str = "RUNNING") -> dict[str, str] | None:
    found = [job for job in jobs(slurm) if job["%k"] == comment and job["%T"] == state]
    return max(found, key=lambda job: int(job["%i"]), default=None)


def wait_for(
    come: Callable[[], Any], run: subprocess.Popen[bytes], folder: Path, seconds: float = 300
) -> Any:
    """Return what comes, once it is true, while a run goes on."""
    deadline = time.monotonic() + seconds
    while not (found := come()):
        assert run.poll() is None, told(folder)
        assert time.monotonic() < deadline, told(folder)
        time.sleep(0.1)
    return found


def untimed(folder: Path) -> dict[str, Any]:
    """Everything in a run's tables and records but times."""
    found: dict[str, Any] = {}
    for name in TARGETS:
        with (folder / f"results/tables/{name}.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        found[name] = [{key: row[key] for key in row if not re.fullmatch(TIMES, key)} for row in rows]
    for record in read_records(sorted((folder / "results/machines").rglob("*.jsonl"))):
        key = record.experiment, record.graph.name, record.solver, str(record.parameters)
        found[key] = record.status, record.verified, record.digest, record.graph.sha256
    return found


def test_slurm_runs_give_the_tables_of_a_local_run(
    slurm: PrivateSlurm, project: Path, local: Path, tmp_path: Path
) -> None:
    run = submit(slurm, project, tmp_path)
    assert run.wait() == 0, told(tmp_path)
    assert untimed(tmp_path) == untimed(local)

    ended = {job["%k"]: job for job in jobs(slurm)}
    assert {job["%T"] for job in ended.values()} == {"COMPLETED"}
    timed, packed = ended[TIMED], ended[PACKED]
    assert (timed["%h"], timed["%C"], timed["%m"]) == ("NO", str(CORES), "0")  # no limit: all of the node's
    assert (packed["%h"] != "NO", packed["%C"], packed["%m"]) == (True, "1", "4000M")
    assert (
        "gpu" not in slurm.ask("scontrol", "show", "job", timed["%i"]).lower()
    )  # which the emulator does not need


def test_a_cancelled_job_and_a_lost_node_change_no_table(
    slurm: PrivateSlurm, project: Path, local: Path, tmp_path: Path
) -> None:
    def measuring() -> dict[str, str] | None:
        log = tmp_path / "logs/measure/table-3.3.log"
        return newest(slurm, TIMED) if log.exists() else None

    run = submit(slurm, project, tmp_path, "--retries", "0")
    cancelled = wait_for(measuring, run, tmp_path)["%i"]
    slurm.ask("scancel", cancelled)
    assert run.wait() != 0
    assert re.search(r"Failed: job \d+ \(measure-table-3.3\): .*; all that it said is in ", told(tmp_path))
    assert not list((tmp_path / "results/machines/local/table-3.3").glob("*.jsonl"))

    (tmp_path / "logs/measure/table-3.3.log").unlink()
    run = submit(slurm, project, tmp_path)
    again = wait_for(measuring, run, tmp_path)
    slurm.ask("scancel", again["%i"])  # which the run itself makes up for
    lost = wait_for(
        lambda: (job := newest(slurm, TIMED)) and job["%i"] != again["%i"] and job, run, tmp_path
    )["%N"]
    slurm.kill_node(lost)
    assert run.wait() == 0, told(tmp_path)
    assert untimed(tmp_path) == untimed(local)
    assert not slurm.states()[lost].startswith(("idle", "alloc", "mix"))
    slurm.start_node(lost)


def test_a_job_for_cuda_asks_for_a_gpu(slurm: PrivateSlurm, project: Path, tmp_path: Path) -> None:
    config = ("--config", "backend=cuda", "machines={local: {compute_capability: '9.0'}}")
    run = submit(slurm, project, tmp_path, "--retries", "0", *config)
    before = {job["%i"] for job in jobs(slurm)}
    run.wait()  # it fails, unless there is a GPU: Slurm was told of one that is none
    submitted = {job["%k"]: job for job in jobs(slurm) if job["%i"] not in before}
    told = {comment: slurm.ask("scontrol", "show", "job", job["%i"]) for comment, job in submitted.items()}
    assert {comment for comment in told if "gres:gpu:1" in told[comment]} == {TIMED, PACKED}
    assert submitted[TIMED]["%h"] == submitted[PACKED]["%h"] == "NO"  # on a GPU the other one is timed too


def test_a_run_that_is_interrupted_cancels_its_jobs(
    slurm: PrivateSlurm, project: Path, tmp_path: Path
) -> None:
    run = submit(slurm, project, tmp_path)
    wait_for(lambda: any(job["%T"] in ("RUNNING", "PENDING") for job in jobs(slurm)), run, tmp_path)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(120) != 0
    deadline = time.monotonic() + 60
    while any(job["%T"] in ("RUNNING", "PENDING", "COMPLETING") for job in jobs(slurm)):
        assert time.monotonic() < deadline, jobs(slurm)
        time.sleep(0.2)
