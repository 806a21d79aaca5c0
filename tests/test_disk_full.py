"""Disks that take no more: each stage on a full one, and a run whose checkout is read-only."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ENVIRONMENT, PROJECT, program_of
from fabricated import record
from graphs import graph
from project_copy import copy_project
from retrace.graphs.csr import save
from retrace.records.record import read_records, write_records

# Mounts a disk of some KiB over a folder, for this command alone, and lists what the command leaves on it.
MOUNT = """
mount -t tmpfs -o size="$1"k tmpfs full && head -c "$2" /dev/zero > full/fill || exit 77
shift 2
status=0; "$@" || status=$?
rm full/fill; find full -type f; exit $status
"""
INFO = {
    "name": "tiny",
    "origin": "generated",
    "edition": "tree-first",
    "weights": "file",
    "seed": 1,
    "source": 0,
}
RUN = ["--experiment", "table-3.3", "--graphs", "tiny", "--backend", "emulator"]
RANDOM = ["--name", "random-6-5", "--vertices", "64", "--arcs-per-vertex", "5"]
RECORDS = ["--records", "r.jsonl"]
BSP = [*RECORDS, "--report", f"{PROJECT}/results/published/bsp-suite.yaml"]
BRANDES = [*RECORDS, "--report", f"{PROJECT}/results/published/domitrz-brandes.yaml"]
TABLE = ["--experiment", "table-3.3"]
HOST, EMULATED = f"{PROJECT}/kernels/host/bfs_queue.cpp", f"{PROJECT}/kernels/bfs/bsp.cu"


def in_namespace(*command: object) -> list[str]:
    return ["unshare", "--map-root-user", "--mount", *map(str, command)]


@pytest.fixture(scope="module")
def may_mount(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where a user may not mount."""
    require_mounts(tmp_path_factory.mktemp("mount"))


def require_mounts(folder: Path) -> None:
    """Skip where a user may not mount a disk over a folder."""
    mounting = in_namespace("mount", "-t", "tmpfs", "tmpfs", folder)
    if not shutil.which("unshare") or subprocess.run(mounting, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small disk")


@pytest.mark.long
@pytest.mark.usefixtures("may_mount")
@pytest.mark.parametrize(
    ("program", "arguments", "room"),
    [
        ("get-graph", ["--graph", "small-9", "--downloads", "full/d", "--output", "full/g"], 8),
        ("get-graph", ["--graph", "NY", "--downloads", "full/d", "--output", "full/g"], 8),
        ("generate-dense", ["--vertices", "64", "--output", "full/g"], 0),
        ("generate-graph", [*RANDOM, "--output", "full/g"], 0),
        ("build-kernels", ["--backends", "host", "--output", "b.json", "--files", HOST], 8),
        ("build-kernels", ["--backends", "emulator", "--output", "b.json", "--files", EMULATED], 8),
        ("measure-experiment", [*RUN, "--solvers", "bfs/scipy", "--output", "full"], 0),
        ("publish-experiment", [*BSP, *TABLE, "--output", "full"], 4),
        ("publish-experiment", [*BSP, *TABLE, "--figures", "figure-3.3", "--output", "full"], 16),
        ("make-claims", [*BRANDES, "--output-prefix", "full/c"], 0),
        ("make-verification", [*RECORDS, "--output-prefix", "full/v"], 4),
        ("make-report", [*RECORDS, "--reports", BSP[-1], "--output", "full/index.html"], 4),
        ("-m", ["retrace", "convert", "tiny", "full/tiny.he"], 0),
        ("-m", ["retrace", "generate", "full/big.he", "--vertices", "4096", "--density", "0.01"], 8),
    ],
)  # fmt: skip
def test_a_full_disk(program: str, arguments: list[str], room: int, tmp_path: Path) -> None:
    assert_told(program, arguments, room, tmp_path)


def assert_told(program: str, arguments: list[str], room: int, tmp_path: Path) -> None:
    """Check that one line says so, the exit status is not 0, and no half-written file is left."""
    if "NY" in arguments and not Path(os.environ.get("GRAPH_MIRROR", ""), "USA-road-d.NY.gr.gz").is_file():
        pytest.skip("no GRAPH_MIRROR folder")
    (tmp_path / "full").mkdir()
    whole = graph(3, [(0, 1, 1), (1, 2, 1)])
    whole.info.update(INFO)
    save(whole, tmp_path / "tiny")
    write_records(tmp_path / "r.jsonl", [record("bfs/queue", "NY")])
    script = [program] if program == "-m" else program_of(program)
    mounted = in_namespace(
        "sh", "-c", MOUNT, "sh", 64, (64 - room) * 1024, sys.executable, *script, *arguments
    )
    build = {"RETRACE_BUILD": "full/build"} if program == "build-kernels" else {}
    done = subprocess.run(
        mounted,
        cwd=tmp_path,
        env=ENVIRONMENT | build,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 1, done.stderr
    assert "No space left on device" in done.stderr.splitlines()[-1]
    assert [line for line in done.stderr.splitlines() if "Error" in line] == []
    left = [Path(line).name for line in done.stdout.splitlines()]
    assert [name for name in left if name.startswith(".") or "partial" in name] == []
    # a first file that is whole, or a whole table before its figure; what g++ said
    whole = {".csv", ".log"} | ({".md", ".html"} if "--figures" in arguments else set())
    assert {Path(name).suffix for name in left} <= whole


@pytest.mark.long
@pytest.mark.usefixtures("may_mount")
def test_a_run_on_a_full_disk(tmp_path: Path) -> None:
    """Nor does Snakemake, which cannot write its log either, hide the reason behind tracebacks."""
    folder = tmp_path / "full"
    folder.mkdir()
    run = ["-m", "snakemake", "--snakefile", PROJECT / "Snakefile", "--directory", folder, "--cores", "2"]
    made = ["--keep-going", "resources/graphs/small-9", "resources/graphs/small-6"]
    done = subprocess.run(
        in_namespace("sh", "-c", MOUNT, "sh", 12, 0, sys.executable, *run, *made),
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    message = "error: resources/graphs/small-9: cannot be written (No space left on device)"
    assert message in done.stderr
    assert "Traceback" not in done.stderr


READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && ! touch "$0/new" && exec "$@"'


@pytest.mark.long
@pytest.mark.usefixtures("may_mount")
def test_a_checkout_that_cannot_be_written(tmp_path: Path) -> None:
    """With --directory elsewhere, a run needs nothing of it: what is compiled goes to the user's cache."""
    project, elsewhere, cache = (tmp_path / name for name in ("project", "elsewhere", "cache"))
    for folder in (project, elsewhere, cache):
        folder.mkdir()
    copy_project(project, {"mine": {"solvers": ["bfs/queue", "bfs/scipy"], "graphs": ["small-6"]}})
    before = sorted(project.rglob("*"))
    run = [sys.executable, "-m", "snakemake", "--snakefile", project / "Snakefile"]
    run += ["--directory", elsewhere, "--cores", "1", "mine"]
    kept = {key: value for key, value in ENVIRONMENT.items() if key != "RETRACE_BUILD"}
    done = subprocess.run(
        in_namespace("sh", "-c", READ_ONLY, project, *run),
        cwd=elsewhere,
        env=kept | {"XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    records = read_records([elsewhere / "results/machines/local/mine/small-6.jsonl"])
    assert [(record.solver, record.agreed) for record in records] == [
        ("bfs/queue", True),
        ("bfs/scipy", True),
    ]
    assert (elsewhere / "results/tables/mine.html").exists()
    assert list((cache / "retrace/host").glob("host-bfs_queue-*.so"))
    assert sorted(project.rglob("*")) == before
