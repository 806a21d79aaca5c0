"""A measuring job that was killed goes on after the trials that it had finished, and only after its own."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from command_line import ENVIRONMENT, PROJECT, Call, Patch, program_of
from cuda_device import available_gpus
from cuda_device.management import ManagedGPU
from graphs import grid, identified
from retrace.graphs import csr, identity
from retrace.measure import environment, experiment
from retrace.measure.kept_trials import Keeping
from retrace.measure.trials import Measurement
from retrace.records.record import Record, read_records
from retrace.system.errors import RetraceError

GRAPHS, SOLVERS = ("first", "second"), ("bfs/queue", "bfs/bsp:block_size=32")
LONG = ("--trials", 300, "--budget-s", 600, "--checkpoint-s", 1e-4)


class Job:
    """A measuring job on two small graphs, as the workflow starts it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.kept, self.output = folder, folder / "kept", folder / "out"
        for name, size in zip(GRAPHS, (9, 200), strict=True):
            csr.save(identified(grid(size, size // 2), name, source=0), folder / name)

    def options(self, *more: object) -> list[str]:
        """Options of the stage, of which later ones replace earlier ones."""
        usual = ["--experiment", "mine", "--graphs", *(self.folder / name for name in GRAPHS)]
        usual += ["--solvers", *SOLVERS, "--backend", "emulator", "--output", self.output]
        usual += ["--datasets", PROJECT / "datasets.yaml"]
        return list(map(str, [*usual, "--checkpoints", self.kept, "--trials", 3, *more]))

    def start(self, *more: object) -> subprocess.Popen[str]:
        command = [sys.executable, *program_of("measure-experiment"), *self.options(*more)]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=ENVIRONMENT, **pipes)

    def run(self, *more: object) -> str:
        """Run it to its end, and return what it says of what it goes on from."""
        job = self.start(*more)
        _, told = job.communicate(timeout=120)
        assert job.returncode == 0, told
        return told

    def trials(self, graph: str) -> list[list[dict[str, Any]]]:
        """Return the kept trials of each solver on a graph."""
        path = self.kept / f"{graph}.json"
        if not path.exists():
            return []
        return [case["trials"] for case in json.loads(path.read_text())["measurements"]]

    def kill(self, more_than: int) -> int:
        """Start it, kill it when more trials of the second graph are kept, and return their number.

        Snakemake deletes what a job that was killed has written.
        """
        job = self.start(*LONG)
        while job.poll() is None and sum(map(len, self.trials("second"))) <= more_than:
            time.sleep(1e-3)
        job.kill()
        job.communicate()
        assert job.returncode == -signal.SIGKILL
        shutil.rmtree(self.output, ignore_errors=True)
        return sum(map(len, self.trials("second")))

    def records(self, graph: str) -> list[Record]:
        return read_records([self.output / f"{graph}.jsonl"])


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def rounded(trials: list[dict[str, Any]]) -> list[float]:
    return [round(trial["solve"], 6) for trial in trials]


@pytest.mark.long
def test_a_job_that_is_killed_goes_on_after_its_trials(job: Job) -> None:
    killed = 0
    for _ in range(2):
        killed = job.kill(killed)
    first, second = map(job.trials, GRAPHS)
    told = job.run(*LONG)
    assert [len(trials) for trials in second] == [killed - 1, 1]  # the emulator's times take a single trial
    assert f"second: goes on from a job that was stopped, trials kept: {killed}\n" in told
    assert [rounded([vars(t) for t in one.trials]) for one in job.records("first")] == [*map(rounded, first)]
    for record, before in zip(job.records("second"), second, strict=True):
        assert record.agreed
        assert rounded([vars(trial) for trial in record.trials])[: len(before)] == rounded(before)
    assert not job.kept.exists()
    assert "goes on" not in job.run()


@pytest.mark.long
def test_a_finished_graph_is_not_even_loaded(job: Job) -> None:
    job.kill(0)
    shutil.move(job.folder / "first/indptr.npy", job.folder / "elsewhere.npy")
    assert "first: goes on" in job.run(*LONG)
    assert {record.agreed for graph in GRAPHS for record in job.records(graph)} == {True}


def stop(script: Call, job: Job, monkeypatch: Patch, fails: str = "") -> None:
    """Measure the first graph, and stop at the second; a trial of the solver `fails` fails."""
    run, whole = Measurement.run_trial, experiment.checker_of

    def run_trial(case: Measurement, *given: Any) -> None:
        if case.request.solver == fails:
            case.fail(RuntimeError("planted"))
        else:
            run(case, *given)

    def checker_of(problem: str, graph: Any, *asked: Any) -> Any:
        if graph.name == "second":
            raise RetraceError("planted")
        return whole(problem, graph, *asked)

    with monkeypatch.context() as patch:
        patch.setattr(Measurement, "run_trial", run_trial)
        patch.setattr(experiment, "checker_of", checker_of)
        assert script("measure-experiment", *job.options()).status == 1
    assert (job.kept / "first.json").exists()
    shutil.rmtree(job.output)


@pytest.mark.long
@pytest.mark.parametrize(
    ("what", "options"),
    [("options", ("--trials", 4)),
     ("options", ("--seed", 2)),
     ("machine", ("--machine", "other")),
     ("options", ("--solvers", "bfs/queue")),
     ("options", ("--longest-s", 61)),
     ("options", ("--memory-gib", 1)),
     ("machine", ()), ("software", ()), ("sources", ()), ("GPUs", ()), ("graph", ()), ("libraries", ()),
     ("data set", ())],
)  # fmt: skip
def test_what_another_job_has_kept_is_not_used(
    what: str, options: tuple[object, ...], job: Job, script: Call, monkeypatch: Patch
) -> None:
    stop(script, job, monkeypatch)
    kept = job.kept / "first.json"
    found = json.loads(kept.read_text())
    if not options:
        found["identity"][what] = "another"
        kept.write_text(json.dumps(found))
    done = script("measure-experiment", *job.options(*options))
    assert done.status == 0
    lines = [line for line in done.err.splitlines() if "kept" in line]
    assert lines == [f"{kept}: is of other {what} than this job's, and is not used"]
    assert "goes on" not in done.err
    assert len(job.records("first")[0].trials) == (4 if options == ("--trials", 4) else 3)
    assert not job.kept.exists()


def test_the_host_and_the_commit_are_part_of_it(job: Job, script: Call, monkeypatch: Patch) -> None:
    stop(script, job, monkeypatch)
    found = json.loads((job.kept / "first.json").read_text())["identity"]
    assert found["machine"] == environment.machine("local", None)
    assert found["software"] == environment.software()
    assert found["graph"]["sha256"] == identity.stored_info(job.folder / "first")["sha256"]
    assert found["sources"] == environment.sources()


@pytest.mark.parametrize("damage", ["", "{", "{}", '{"identity": 1, "measurements": 2}', "[]", "\0\1"])
def test_a_damaged_file_is_not_used(damage: str, job: Job, script: Call, monkeypatch: Patch) -> None:
    stop(script, job, monkeypatch)
    (job.kept / "first.json").write_text(damage)
    done = script("measure-experiment", *job.options())
    assert (done.status, "first.json: " in done.err, "not used" in done.err) == (0, True, True)
    assert {record.agreed for record in job.records("first")} == {True}


@pytest.mark.parametrize("swap", [False, True])
def test_trials_that_were_edited_or_are_another_graph_s_are_not_used(
    swap: bool, job: Job, script: Call, monkeypatch: Patch
) -> None:
    stop(script, job, monkeypatch)
    path = job.kept / "first.json"
    kept = json.loads(path.read_text())
    if swap:
        path.rename(job.kept / "second.json")
    else:
        kept["measurements"][0]["trials"][0]["solve"] /= 2
        path.write_text(json.dumps(kept))
    done = script("measure-experiment", *job.options())
    why_not = "second.json: is of other graph than this job's" if swap else "first.json: is damaged (another "
    assert (done.status, why_not in done.err, "not used" in done.err) == (0, True, True)
    assert "goes on" not in done.err


def test_what_failed_is_tried_again(job: Job, script: Call, monkeypatch: Patch) -> None:
    """It may have failed for the reason for which the job was stopped, such as a GPU that was lost."""
    stop(script, job, monkeypatch, fails="bfs/bsp:block_size=32")
    before = job.trials("first")
    assert [len(trials) for trials in before] == [3, 0]
    assert script("measure-experiment", *job.options()).status == 0
    assert [len(record.trials) for record in job.records("first")] == [3, 1]
    assert rounded(job.trials("first") or before[0]) == rounded(before[0])


def test_without_a_folder_nothing_is_kept(job: Job, script: Call) -> None:
    options = [one for one in job.options() if one not in ("--checkpoints", str(job.kept))]
    assert script("measure-experiment", *options).status == 0
    assert sorted(path.name for path in job.folder.iterdir()) == ["first", "out", "second"]


def test_the_folder_goes_with_the_last_file(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "kept", 1.0, {}).of_round(2)
    keeping.folder.mkdir(parents=True)
    for graph in GRAPHS:
        keeping.path(graph).write_text("{}")
    keeping.forget(GRAPHS[:1])
    assert [*keeping.folder.iterdir()] == [keeping.path(GRAPHS[1])]
    keeping.forget(GRAPHS)
    assert [*keeping.folder.parent.iterdir()] == []


def test_each_gpu_is_known_by_its_number_and_driver(monkeypatch: Patch) -> None:
    """A host has several GPUs, of which a job of a cluster sees one."""
    buses = ["0:1", "0:2"]

    def device(index: int) -> Any:
        return SimpleNamespace(pci_bus_id=lambda: buses[index])

    device.count = lambda: len(buses)  # type: ignore[attr-defined]
    driver, package = ModuleType("pycuda.driver"), ModuleType("pycuda")
    driver.init, driver.Device, package.driver = (lambda: None), device, driver  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pycuda", package)
    monkeypatch.setitem(sys.modules, "pycuda.driver", driver)
    nvml = SimpleNamespace(
        nvmlSystemGetDriverVersion=lambda: "570.1", nvmlDeviceGetUUID=lambda handle: f"GPU-{handle}"
    )
    monkeypatch.setattr(available_gpus, "find_gpu", lambda bus: ManagedGPU(nvml, bus))
    assert available_gpus.visible_gpus() == ["GPU-0:1 570.1", "GPU-0:2 570.1"]
    monkeypatch.setattr(available_gpus, "find_gpu", lambda bus: None)
    assert available_gpus.visible_gpus() == buses


def test_sources_are_of_what_measures(tmp_path: Path, monkeypatch: Patch) -> None:
    for name in ("scripts/a.py", "scripts/retrace/b.py", "kernels/c.cu", "docs/d.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    found = [environment.sources()]
    for name in ("docs/d.md", "scripts/retrace/b.py", "kernels/c.cu"):
        (tmp_path / name).write_text("edited")
        found.append(environment.sources())
    (tmp_path / "kernels/c.cu").rename(tmp_path / "kernels/d.cu")
    found.append(environment.sources())
    assert found[0] == found[1]
    assert len(set(found)) == 4
