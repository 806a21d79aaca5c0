"""The workflow from an empty folder: what it makes, what it makes again, and what a kill leaves behind.

All runs are of a copy of the project on tiny graphs; the one to be downloaded comes from 127.0.0.1.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import yaml

import forked_snakemake
from command_line import python
from hosts import FILE, NOWHERE, SHA256, serving
from project_copy import copy_project, write_experiments
from retrace.records.record import Record, read_records
from retrace.system.project import build_folder

pytestmark = [
    pytest.mark.pipeline,
    pytest.mark.skipif(sys.platform != "linux", reason="looks for left processes in /proc"),
]

PROJECT = Path(__file__).parents[1]
EDITION = {"name": "dimacs", "file": "tiny.gr.gz", "format": "dimacs"}
TABLE_3_5 = {"solvers": ["sssp/dijkstra-linear", "sssp/bsp"], "graphs": ["NY"]}
NUMBERS, MADE_BY = ("3.3", "3.4", "3.5"), ("tree-first", "random-degree")
NOTHING_TO_DO = "Nothing to be done"
RESUMES = "Retrace: the run stopped early; the same command resumes where it stopped."
INTERRUPTED = RESUMES.replace("stopped early", "was interrupted")
KILLS = int(os.environ.get("KILLS", 3))
DRAWN = "Write the table and draw the figures of table-3.3"
Only = Callable[[dict[str, Any]], None]


class Host(BaseHTTPRequestHandler):
    """Sends half of a file, and the other half when it may."""

    may_finish = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(FILE)))
        self.end_headers()
        self.wfile.write(FILE[: len(FILE) // 2])
        self.wfile.flush()
        self.may_finish.wait(60)
        self.wfile.write(FILE[len(FILE) // 2 :])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(Host) as address:
        yield address
        Host.may_finish.set()


@pytest.fixture(autouse=True)
def patient_host() -> Iterator[None]:
    """The host, patient; after a test that failed, nothing runs on."""
    Host.may_finish.set()
    yield
    for process in Run.started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    Run.started.clear()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, address: str) -> Path:
    """A copy of the project with a tiny configuration, in which nothing was run yet."""
    experiments = {
        "table-3.3": {"solvers": ["bfs/queue", "bfs/bsp", "bfs/scipy"], "graphs": ["small-6", "NY"]},
        "mine": {"solvers": [{"solver": "bfs/bsp", "block_size": [32]}], "graphs": ["small-6"]},
        "table-3.4": {"solvers": ["stcon/two-queues", "stcon/bsp"], "graphs": ["small-9"]},
        "table-3.5": TABLE_3_5,
        "generators": {"solvers": [f"generate/{name}" for name in MADE_BY], "graphs": ["random-6-5"]},
    }
    folder = tmp_path_factory.mktemp("project")
    copy_project(folder, experiments)
    edition = {**EDITION, "sha256": SHA256, "addresses": [f"{address}/tiny.gr.gz"]}
    write_registry(folder / "datasets.yaml", **edition)
    return folder


@pytest.fixture
def only(project: Path) -> Iterator[Only]:
    """Let the project have these experiments alone during a test: another copy would compile all again."""
    path = project / "experiments.yaml"
    before = path.read_bytes()
    yield lambda experiments: write_experiments(path, experiments)
    path.write_bytes(before)


def write_registry(path: Path, **edition: object) -> Path:
    """Write a copy of the project's registry in which NY is tiny."""
    registry = yaml.safe_load((PROJECT / "datasets.yaml").read_text())
    tiny = {"vertices": 4, "arcs": 6, "sources": 2, "editions": [edition]}
    registry["NY"] |= {**tiny, "pairs": {"near": [0, 1], "far": [0, 3]}}
    path.write_text(yaml.safe_dump(registry, sort_keys=False))
    return path


def in_folder(project: Path, folder: Path) -> list[str]:
    """List the options of each run."""
    elsewhere = ["--snakefile", str(project / "Snakefile"), "--directory", str(folder)]
    return ["--cores", "2", *(elsewhere if folder != project else [])]


def environment() -> dict[str, str]:
    """Return that of a run: without a mirror, and with what is compiled already."""
    kept = {name: value for name, value in os.environ.items() if name != "GRAPH_MIRROR"}
    return kept | {"RETRACE_BUILD": str(build_folder())}


class Run:
    """Snakemake, started as a user would in `folder`, in a process group of its own."""

    started: list[subprocess.Popen[bytes]] = []  # noqa: RUF012

    def __init__(self, project: Path, folder: Path, *arguments: str, **variables: str) -> None:
        self.printed = tempfile.TemporaryFile("w+")  # noqa: SIM115 (a pipe that nobody reads would stop it)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "snakemake", *in_folder(project, folder), *arguments],
            cwd=project,
            env=environment() | variables,
            stdout=self.printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.started.append(self.process)

    def output(self, timeout: float = 280) -> str:
        """Wait for its end; returns what it printed."""
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        return self.printed_so_far()

    def printed_so_far(self) -> str:
        """What it printed; its own place in the file is left alone."""
        file = self.printed.fileno()
        return os.pread(file, os.fstat(file).st_size, 0).decode()

    def wait_until(self, come: Callable[[], object], seconds: float = 60) -> None:
        """Wait for something to come true while it runs."""
        deadline = time.monotonic() + seconds
        while not come():
            assert self.process.poll() is None, f"ended too soon: {self.output()}"
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def kill(self, folder: Path) -> None:
        """Kill Snakemake alone, with the signal that it cannot see, and watch its jobs die too."""
        self.process.kill()
        self.process.wait()
        deadline = time.monotonic() + 20
        while processes(folder):
            assert time.monotonic() < deadline, processes(folder)
            time.sleep(0.005)


def snakemake(project: Path, folder: Path, *arguments: str, status: int = 0) -> str:
    """Run Snakemake to its end, in a fork, since most of these runs do little."""
    given = (*in_folder(project, folder), *arguments)
    found, printed = forked_snakemake.call(project, *given, environment=environment(), timeout=280)
    assert found == status, printed
    return printed


def jobs(printed: str) -> set[str]:
    """What a run did or would do, in the words of the rules' messages; targets are no work."""
    messages = re.findall(r"^Job \d+: (.+)$", printed, re.MULTILINE)
    return {message for message in messages if not message.endswith((" are there", " is there"))}


def processes(folder: Path) -> dict[int, str]:
    """Process ids and command lines of all that works in `folder`."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == folder:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if command:  # else it is dead, but not yet buried
                    found[int(entry.name)] = command
        except OSError:
            pass
    return found


def left_behind(folder: Path) -> list[Path]:
    """List what a job that was stopped half-way may have left."""
    found = [path for place in ("resources", "results") for path in (folder / place).rglob("*")]
    mine = [path for path in found if path.name != ".snakemake_timestamp"]
    return [path for path in mine if "partial" in path.name or path.name.startswith(".")]


def records(folder: Path) -> list[Record]:
    return read_records(sorted((folder / "results/machines").rglob("*.jsonl")))


def targets() -> list[str]:
    tables = [
        *(f"table-{number}" for number in NUMBERS),
        "generators",
        "mine",
        "verification",
        "claims-summary",
    ]
    figures = [*(f"figure-{number}" for number in NUMBERS), "generators", "mine"]
    return [
        *(f"results/tables/{name}.{form}" for name in tables for form in ("csv", "md", "html")),
        *(f"results/figures/{name}.{form}" for name in figures for form in ("svg", "png", "md")),
        "results/report/index.html",
    ]


@pytest.fixture(scope="module")
def finished(project: Path) -> tuple[Path, str]:
    """The project after a whole run, and what that printed."""
    Host.may_finish.set()
    return project, snakemake(project, project)


def test_whole_run_from_an_empty_folder(finished: tuple[Path, str]) -> None:
    project, printed = finished
    assert [path for path in targets() if not (project / path).stat().st_size] == []
    assert {record.agreed for record in records(project)} == {True}
    sizes = {(record.experiment, record.parameters.get("block_size")) for record in records(project)}
    assert sizes >= {("table-3.3", 64), ("mine", 32)}  # an experiment's own setting goes before the machine's
    assert {record.graph.origin for record in records(project)} == {"report", "dimacs", "generated"}
    closing = printed[printed.index("Retrace:") :].splitlines()
    tables, figures = (
        f"{len(list((project / 'results' / kind).glob(f'*{form}')))} {kind} in results/{kind}/"
        for kind, form in (("tables", ".html"), ("figures", ".svg"))
    )
    assert closing[0] == f"Retrace: see {tables} and {figures}."
    assert closing[1].startswith("All of it is on one page, results/report/index.html")
    assert closing[2].startswith("No GPU was used (backend: emulator was asked for)")
    assert closing[3].startswith(f"{len(records(project))} of {len(records(project))} answers verified")
    assert "WARNING" not in printed
    assert not re.search(r"Exception|trial/s|Reason:|Host:", printed)
    assert left_behind(project) == []


def test_second_run_does_nothing(finished: tuple[Path, str]) -> None:
    project, _ = finished
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert NOTHING_TO_DO in Run(project, project).output()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # of processor time, which a busy machine does not lengthen
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


def test_the_default_run_is_planned(tmp_path: Path) -> None:
    printed = snakemake(PROJECT, tmp_path, "--dry-run")
    planned = {"Get the graph NY", "Compile the kernels of table-3.3", "Judge the claims of hong-bfs"}
    assert planned <= jobs(printed)
    (steps, *_) = re.findall(r"^total +(\d+)$", printed, re.MULTILINE)
    assert len(jobs(printed)) == int(steps) - 1


def test_prepare_makes_all_that_measuring_needs_and_measures_nothing(project: Path, tmp_path: Path) -> None:
    measuring, preparing = (
        jobs(snakemake(project, tmp_path, "--dry-run", target)) for target in ("measure_all", "prepare")
    )
    expected = {job for job in preparing if job.startswith("Compute the expected answers on")}
    assert {"Compute the expected answers on NY"} <= expected
    assert preparing - expected == {job for job in measuring if not job.startswith("Measure and check")}
    assert {"Get the graph NY", "Compile the kernels of table-3.4"} <= preparing


def test_the_closing_words_count_what_was_asked_for(finished: tuple[Path, str]) -> None:
    project, _ = finished
    (project / "results/tables/mine.md").unlink()
    printed = snakemake(project, project, "mine")
    assert jobs(printed) == {"Write the table and draw the figures of mine"}
    closing = printed[printed.index("Retrace:") :].splitlines()
    assert closing[0] == "Retrace: see results/tables/mine.html and results/figures/mine.svg."
    assert closing[2].startswith("1 of 1 answers verified")


def test_reasons_are_told_when_asked_for(finished: tuple[Path, str]) -> None:
    project, _ = finished
    printed = snakemake(project, project, "--dry-run", "--forcerun", "verification", "--quiet", "host")
    assert re.search(r"List which answers were verified\nReason: Forced execution", printed)


@pytest.mark.parametrize(
    ("edited", "measured"),
    [("scripts/retrace/solvers/stcon.py", {"table-3.4"}), ("kernels/bfs/bsp.cu", {"table-3.3", "mine"}),
     ("README.md", set())],
)  # fmt: skip
def test_an_edit_measures_again(finished: tuple[Path, str], edited: str, measured: set[str]) -> None:
    project, _ = finished
    path = project / edited
    before = path.read_bytes() if path.exists() else b""
    try:
        path.write_bytes(before + b"\n")
        again = jobs(snakemake(project, project, "--dry-run"))
        assert {job.split()[3] for job in again if job.startswith("Measure")} == measured
        assert {f"Write the table and draw the figures of {name}" for name in measured} <= again
        assert ("List which answers were verified" in again) == bool(measured)
    finally:
        path.write_bytes(before)


def test_a_record_that_was_deleted_is_measured_again(finished: tuple[Path, str], tmp_path: Path) -> None:
    project, _ = finished
    record = project / "results/machines/local/mine/small-6.jsonl"
    shutil.move(record, tmp_path)
    try:
        for targets in ((), ("mine",)):
            again = jobs(snakemake(project, project, "--dry-run", *targets))
            assert again >= {
                "Measure and check mine on small-6",
                "Write the table and draw the figures of mine",
            }
    finally:
        shutil.move(tmp_path / record.name, record)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("machine=a/b", "config.machine: expected text of the form ^[a-z0-9][a-z0-9._-]*$, found 'a/b'"),
        (
            "machines={m: {block_sizes: 1}}",
            "config.machines.m.block_sizes: unknown key; did you mean block_size? expected one of",
        ),
        (
            "experiments={all: {solvers: [bfs/bsp], graphs: [NY]}}",
            "config.experiments: all names a rule",
        ),
    ],
)
def test_wrong_options_are_refused_in_one_line(project: Path, tmp_path: Path, option: str, told: str) -> None:
    printed = snakemake(project, tmp_path, "--config", option, status=1)
    assert printed.splitlines()[-1].startswith(f"error: {told}")
    assert "Traceback" not in printed


def test_a_key_twice_in_a_configuration_is_refused(project: Path, tmp_path: Path) -> None:
    """Snakemake would take the last."""
    file = tmp_path / "mine.yaml"
    file.write_text("trials: 3\ntrials: 7\n")
    printed = snakemake(project, tmp_path, "--dry-run", "--configfile", str(file), status=1)
    assert f"error: {file}: expected YAML, found: the key 'trials' twice in one mapping" in printed


@pytest.mark.long
def test_a_report_without_numbers_has_figures_and_claims(project: Path, only: Only, tmp_path: Path) -> None:
    solvers = ["bellman-ford/sequential", "bellman-ford/scipy"]
    only({"bellman-ford-direction": {"solvers": solvers, "graphs": ["NY"]}})
    snakemake(project, tmp_path, "an-bellman-ford")
    made = {path.name for place in ("tables", "figures") for path in (tmp_path / "results" / place).iterdir()}
    assert made >= {"claims-an-bellman-ford.html", "bellman-ford-direction.svg"}
    claims = (tmp_path / "results/tables/claims-an-bellman-ford.md").read_text()
    assert "cannot be told: no times on a GPU" in claims
    assert {record.agreed for record in records(tmp_path)} == {True}
    assert NOTHING_TO_DO in snakemake(project, tmp_path, "an-bellman-ford")


def test_options_run_again_what_depends_on_them(finished: tuple[Path, str]) -> None:
    project, _ = finished
    planned = [
        jobs(snakemake(project, project, "--dry-run", "--config", option))
        for option in ("offline=fail", "trials=3", "machines={local: {block_size: 128}}")
    ]
    assert planned[0] == set()
    _, trials, block_size = ([job.split()[3] for job in found if "Measure" in job] for found in planned)
    assert len(trials) == 5
    # solvers with a block size of their own, and those that have none, are as they were
    assert {*block_size} == {"table-3.3", "table-3.4", "table-3.5", "generators"}


def test_report(finished: tuple[Path, str]) -> None:
    project, _ = finished
    snakemake(project, project, "--report", "results/report.html")
    page = (project / "results/report.html").read_text()
    for text in ("Tables", "Figures", "Verification", "table-3.3.html", "figure-3.5.svg"):
        assert text in page
    assert "what each machine measured" in page
    caption = (project / "results/figures/figure-3.5.md").read_text().splitlines()[0]
    assert f"<p>{html.escape(caption)}</p>" in page  # a figure's caption is its own


BUSY_RECORD = "results/machines/local/table-3.3/NY.jsonl"


@pytest.fixture
def busy(tmp_path: Path) -> tuple[str, ...]:
    """Arguments that measure for some seconds, on a graph that takes none."""
    experiment = {"solvers": ["bfs/queue", "bfs/bsp"], "graphs": ["NY"]}
    file = tmp_path / "busy.yaml"
    file.write_text(yaml.safe_dump({"trials": 1500, "experiments": {"table-3.3": experiment}}))
    return ("--configfile", str(file), "--", BUSY_RECORD)


def measuring(folder: Path) -> bool:
    log = folder / "logs/measure/table-3.3.log"
    return log.exists() and "trial/s" in log.read_text()


@pytest.mark.long
def test_a_killed_run_is_resumed(project: Path, busy: tuple[str, ...], tmp_path: Path) -> None:
    downloads, table = tmp_path / "resources/downloads", tmp_path / "results/tables/table-3.3"
    record, drawing = tmp_path / BUSY_RECORD, (*busy, "table-3.3")

    Host.may_finish.clear()
    run = Run(project, tmp_path, *busy)
    run.wait_until(lambda: list(downloads.glob(".tiny.gr.gz.*/*")))
    refused = snakemake(project, tmp_path, *busy, status=1)  # two runs in a folder would measure at once
    assert f"error: another run, process {run.process.pid}, is working in this folder" in refused
    run.kill(tmp_path)
    assert not (downloads / "tiny.gr.gz").exists()
    assert not (tmp_path / "resources/graphs/NY").exists()

    Host.may_finish.set()
    run = Run(project, tmp_path, *busy, RETRACE_BARS="1")
    run.wait_until(lambda: measuring(tmp_path))
    run.kill(tmp_path)
    assert (downloads / "tiny.gr.gz").read_bytes() == FILE
    assert not record.exists()

    run = Run(project, tmp_path, *drawing)
    run.wait_until(lambda: DRAWN in run.printed_so_far())
    run.kill(tmp_path)
    measured = record.read_bytes()

    # none at all where the kill came late: what was measured is never measured again
    assert jobs(snakemake(project, tmp_path, *drawing)) <= {DRAWN}
    assert [form for form in ("csv", "md", "html") if not table.with_suffix(f".3.{form}").exists()] == []
    assert record.read_bytes() == measured
    assert {record.agreed for record in records(tmp_path)} == {True}
    assert left_behind(tmp_path) == []
    assert NOTHING_TO_DO in snakemake(project, tmp_path, *drawing)


@pytest.mark.long
def test_a_killed_job_goes_on_after_the_graphs_that_it_had_measured(
    project: Path, only: Only, tmp_path: Path
) -> None:
    only({"table-3.3": {"solvers": ["bfs/queue", "bfs/bsp"], "graphs": ["small-6", "NY"]}})
    log, kept = (
        tmp_path / place for place in ("logs/measure/table-3.3.log", "resources/checkpoints/table-3.3")
    )
    busy = ("measure_all", "--config", "trials=1500")

    run = Run(project, tmp_path, *busy, RETRACE_BARS="1")
    run.wait_until(lambda: log.exists() and re.search(r"table-3.3 NY: .*trial/s", log.read_text()), 200)
    run.kill(tmp_path)
    (before,) = json.loads((kept / "small-6.json").read_text())["measurements"][:1]
    assert len(before["trials"]) > 1

    printed = snakemake(project, tmp_path, *busy)
    assert "small-6: goes on from a job that was stopped, trials kept:" in printed
    assert {record.agreed for record in records(tmp_path)} == {True}
    (measured,) = [one for one in records(tmp_path) if one.graph.name == "small-6" and one.backend == "host"]
    assert measured.trials[0].solve == round(before["trials"][0]["solve"], 6)
    assert len(measured.trials) == len(before["trials"])
    assert not kept.exists()
    assert NOTHING_TO_DO in snakemake(project, tmp_path, *busy)


def test_no_job_begins_after_its_run_was_killed() -> None:
    ended = python("from retrace.system import runs; print(runs.shell_prefix(None))")
    done = subprocess.run(
        ["bash", "-c", ended.stdout.strip() + " echo begun"], capture_output=True, check=False
    )
    assert (done.returncode != 0, done.stdout) == (True, b"")


@pytest.mark.long
def test_kills_at_random_moments_are_no_loss(project: Path, tmp_path: Path) -> None:
    chance = random.Random(seed := random.randrange(10**9))
    for seconds in (moments := [chance.uniform(1, 6) for _ in range(KILLS)]):
        run = Run(project, tmp_path, "table-3.4", "mine")
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.process.wait(seconds)
        run.kill(tmp_path)
    snakemake(project, tmp_path, "table-3.4", "mine")
    told = f"killed after {moments}, seed {seed}"
    measured = [(record.solver, record.agreed) for record in records(tmp_path)]
    pairs = [("stcon/two-queues", True), ("stcon/bsp", True)]
    assert sorted(measured) == sorted([*3 * pairs, ("bfs/bsp", True)]), told
    assert left_behind(tmp_path) == [], told
    assert NOTHING_TO_DO in snakemake(project, tmp_path, "table-3.4", "mine")


@pytest.mark.long
def test_ctrl_c_ends_a_run_at_once(project: Path, busy: tuple[str, ...], tmp_path: Path) -> None:
    record = tmp_path / BUSY_RECORD

    def interrupt(run: Run) -> None:
        os.killpg(run.process.pid, signal.SIGINT)
        said = run.output(timeout=8)
        assert INTERRUPTED in said.splitlines()
        assert re.search(
            r"Interrupted: job \d+ \([\w.-]+\); all that it said is in logs/\S+\.log$", said, re.M
        )
        assert not re.search("Failed|Error|did not complete", said)
        assert run.process.returncode != 0
        assert processes(tmp_path) == {}
        assert left_behind(tmp_path) == []

    Host.may_finish.clear()
    run = Run(project, tmp_path, *busy)
    run.wait_until(lambda: list((tmp_path / "resources/downloads").glob(".tiny.gr.gz.*/*")))
    interrupt(run)
    assert not (tmp_path / "resources/graphs/NY").exists()

    Host.may_finish.set()
    run = Run(project, tmp_path, *busy, RETRACE_BARS="1")
    run.wait_until(lambda: measuring(tmp_path))
    interrupt(run)
    assert not record.exists()

    snakemake(project, tmp_path, *busy)
    assert {record.agreed for record in records(tmp_path)} == {True}


def test_ctrl_c_before_the_first_job() -> None:
    program = "from retrace.system import interrupts; interrupts.end_in_one_line()\n"
    program += "import signal; signal.raise_signal(signal.SIGINT)"
    done = python(program)
    assert (done.returncode, done.stderr) == (1, "\nRetrace: interrupted; nothing was begun\n")
    snakefile = (PROJECT / "Snakefile").read_text()
    assert snakefile.index("interrupts.end_in_one_line()") < snakefile.index("from retrace.planning")


@pytest.mark.long
def test_sigterm_ends_a_run_and_its_jobs(project: Path, busy: tuple[str, ...], tmp_path: Path) -> None:
    run = Run(project, tmp_path, *busy, RETRACE_BARS="1")
    run.wait_until(lambda: measuring(tmp_path), seconds=200)
    run.process.terminate()
    run.output(timeout=3)
    assert run.process.returncode != 0
    assert processes(tmp_path) == {}
    assert left_behind(tmp_path) == []
    assert not (tmp_path / BUSY_RECORD).exists()


@pytest.mark.long
def test_without_network_a_stand_in_is_called_one(project: Path, only: Only, tmp_path: Path) -> None:
    only({"table-3.5": TABLE_3_5})  # since a verification lists all
    offline = write_registry(tmp_path / "offline.yaml", **EDITION, addresses=[f"{NOWHERE}/tiny.gr.gz"])
    run, made = ("--config", f"datasets={offline}"), ("--", "table-3.5", "figure-3.5", "verification")

    folder = tmp_path / "strict"
    folder.mkdir()
    printed = snakemake(project, folder, *run, "offline=fail", "--", "table-3.5", status=1)
    tried = f"{NOWHERE}/tiny.gr.gz (no connection); set GRAPH_MIRROR"
    assert f"error: NY: could not be had, tried: {tried}" in printed
    assert printed.count("could not be had") == printed.count(NOWHERE) == 1
    assert re.search(r"^Failed: job \d+ \(graph\); all that it said is in logs/graph/NY.log$", printed, re.M)
    assert RESUMES in printed.splitlines()
    assert not re.search("Traceback|Exception|CalledProcessError|set -euo", printed)

    folder = tmp_path / "lenient"
    folder.mkdir()
    printed = snakemake(project, folder, *run, *made)
    told = (
        "NY: could not be had, and generated graphs of the same size are used instead. To try again: rm -rf "
    )
    (warning,) = [line for line in printed.splitlines() if "warning" in line.lower()]
    assert warning.startswith(f"WARNING: {told}")
    tried = f"warning: NY: {NOWHERE}/tiny.gr.gz: no connection; a generated stand-in takes its place\n"
    assert (folder / "logs/graph/NY.log").read_text() == tried
    assert {one.graph.origin for one in records(folder) if one.graph.name == "NY"} == {"stand-in"}
    for name in ("table-3.5.csv", "table-3.5.md", "table-3.5.html", "verification.md"):
        assert "NY (stand-in)" in (folder / "results/tables" / name).read_text()
    assert "stand-in" in (folder / "results/figures/figure-3.5.svg").read_text()
    assert NOTHING_TO_DO in snakemake(project, folder, *run, *made)
    printed = snakemake(project, folder, *run, "offline=fail", *made, status=1)
    told = "error: config.offline: fail does not allow stand-ins, and one is stored for NY"
    assert printed.splitlines()[-1].startswith(told)

    (folder / "resources/downloads").mkdir(exist_ok=True)
    (folder / "resources/downloads/tiny.gr.gz").write_bytes(FILE)  # now it can be had
    follow(printed, folder)
    snakemake(project, folder, *run, "offline=fail", *made)
    assert {one.graph.origin for one in records(folder) if one.graph.name == "NY"} == {"dimacs"}


def follow(printed: str, folder: Path) -> None:
    """Run the command that a message advises."""
    command = re.findall(r"; (rm .*), and run again", printed)[-1]
    subprocess.run(command, shell=True, cwd=folder, check=True)


@pytest.mark.long
def test_advice_about_damaged_files_helps(project: Path, tmp_path: Path) -> None:
    """What is damaged is found before it is measured; the message says what to delete."""
    stored, records_of = tmp_path / "resources/graphs/small-9", "results/machines/local/"
    measured, measured_too = f"{records_of}table-3.4/small-9.jsonl", f"{records_of}table-3.5/NY.jsonl"
    assert "answers verified" in snakemake(project, tmp_path, measured)
    weights = stored / "weights.npy"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    (tmp_path / measured).unlink()
    printed = snakemake(project, tmp_path, measured, status=1)
    told = "error: resources/graphs/small-9: not a stored graph ("
    assert told in printed
    assert "; delete it and write it again, by `retrace stage get-graph`" in printed
    shutil.rmtree(stored)
    again = jobs(snakemake(project, tmp_path, measured))
    assert again >= {"Get the graph small-9", "Measure and check table-3.4 on small-9"}

    download = tmp_path / "resources/downloads/tiny.gr.gz"
    download.parent.mkdir(exist_ok=True)
    download.write_bytes(FILE[:-9])
    printed = snakemake(project, tmp_path, measured_too, status=1)
    assert "; delete resources/downloads/tiny.gr.gz and run again" in printed
    download.unlink()
    assert "Get the graph NY" in jobs(snakemake(project, tmp_path, measured_too))
