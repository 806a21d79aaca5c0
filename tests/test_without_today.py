"""Retrace without the packages of today, peers, audit and archive: a run in a copy without them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from command_line import PROJECT
from project_copy import copy_project
from retrace.records.record import read_records
from retrace.system.project import build_folder

pytestmark = pytest.mark.pipeline

HOUSES = ("retrace_today", "retrace_peers", "retrace_archive", "retrace_audit")
BLOCKED = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in HOUSES)
"""What Python runs first in the copy, where installed packages may be found too."""
TABLES = ("table-3.3", "table-3.4", "table-3.5")
MORE = (
    "from retrace.planning.configuration import project_keys; from retrace.planning.plan import make_plan; "
)
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy that measures Table 3.4 on a small graph, and has all other experiments of the reports."""
    folder = tmp_path_factory.mktemp("alone")
    measured = yaml.safe_load((PROJECT / "experiments.yaml").read_text())["experiments"]
    small = {"graphs": ["small-9"], "larger_graphs": []}
    copy_project(folder, measured | {table: measured[table] | small for table in TABLES})
    for part in ("scripts", "kernels"):
        for name in HOUSES:
            shutil.rmtree(folder / part / name, ignore_errors=True)
    shutil.copytree(PROJECT / "results/machines/h200/fast-bfs", folder / "committed")
    (folder / "blocked").mkdir()
    (folder / "blocked/sitecustomize.py").write_text(BLOCKED)
    return folder


@pytest.fixture(scope="module")
def run(copy: Path) -> Run:
    """Run Python in the copy."""
    path = os.pathsep.join((str(copy / "scripts"), str(copy / "blocked")))
    environment = {**os.environ, "PYTHONPATH": path, "RETRACE_BUILD": str(build_folder())}

    def python(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            capture_output=True, text=True, check=False, cwd=copy, env=environment, timeout=280,
        )  # fmt: skip

    return python


def snakemake(run: Run, *words: str) -> subprocess.CompletedProcess[str]:
    return run("-m", "snakemake", "--cores", "2", *words)


@pytest.mark.long
def test_a_table_of_a_report_is_made(copy: Path, run: Run) -> None:
    done = snakemake(run, "table-3.4")
    assert done.returncode == 0, done.stdout + done.stderr
    records = read_records([copy / "results/machines/local/table-3.4/small-9.jsonl"])
    assert {one.solver for one in records if one.verified} == {"stcon/two-queues", "stcon/bsp"}
    assert "two-queues" in (copy / "results/tables/table-3.4.md").read_text()


def test_the_plan_has_the_experiments_of_the_reports_alone(run: Run) -> None:
    done = run("-c", MORE + "print(*(job.name for job in make_plan(project_keys()).jobs))")
    assert done.returncode == 0, done.stderr
    reports = yaml.safe_load((PROJECT / "experiments.yaml").read_text())["experiments"].keys()
    assert {*done.stdout.split()} == reports


def test_a_target_of_today_is_not_there(run: Run) -> None:
    done = snakemake(run, "--dry-run", "fast-bfs")
    assert done.returncode == 1
    assert "No rule to produce fast-bfs" in done.stdout + done.stderr


def test_the_stages_of_the_others_are_not_there(run: Run) -> None:
    listed = run("-m", "retrace", "stage", "list")
    assert listed.returncode == 0, listed.stderr
    assert "make-claims" in listed.stdout
    assert not {"audit", "make-bundle", "make-crate"} & {*listed.stdout.split()}
    done = run("-m", "retrace", "stage", "audit")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "'audit'" in done.stderr


def test_records_of_its_solvers_are_read(run: Run) -> None:
    read = "from retrace.records.record import read_records; from pathlib import Path; "
    read += "print(*{one.solver for one in read_records(sorted(Path('committed').glob('*.jsonl')))})"
    done = run("-c", read)
    assert done.returncode == 0, done.stderr
    assert {"bfs/cluster", "bfs/gapbs"} <= {*done.stdout.split()}


def test_a_solver_of_it_is_refused_in_one_line(run: Run) -> None:
    asked = "experiments={mine: {solvers: [bfs/cluster], graphs: [small-9]}}"
    done = snakemake(run, "--dry-run", "mine", "--config", asked)
    assert done.returncode == 1
    told = "bfs/cluster is of the package retrace_today, which is not there; install it"
    (line,) = (line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error: "))
    assert line == f"error: config.experiments.mine.solvers: {told}"
    done = run("-m", "retrace", "solve", "bfs/cluster", "workflow/graphs/small-9.he", "--source", "0")
    assert (done.returncode, done.stderr) == (1, f"error: {told}\n")


def test_the_catalogue_keeps_them_when_it_is_written_anew(copy: Path, run: Run) -> None:
    catalogue = copy / "workflow/schemas/solvers.json"
    before = catalogue.read_text()
    done = run("scripts/stage.py", "write-schemas")
    assert done.returncode == 0, done.stderr
    assert catalogue.read_text() == before
