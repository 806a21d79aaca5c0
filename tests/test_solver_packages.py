"""Solvers in a folder outside the project: a package of a kernel, a baseline in C++ and experiments."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import forked_snakemake
from command_line import PROJECT, rows
from cuda_on_cpu.build import REWRITTEN
from project_copy import copy_project
from retrace import cli
from retrace.planning.plan import PAGE
from retrace.system.project import build_folder
from test_documentation import KERNEL_PAGE, blocks, program

KERNEL = """
// my-bfs: one kernel, which scans all levels; `arcs` is in a header beside it, `label.cuh` in the project.
#include "label.cuh"
#include "sssp/path_length.h"
#include "arcs.cuh"

extern "C" __global__ void my_level(int vertices, const int *indptr, const int *indices, int *level,
                                    int current, int *more)
{
    const int u = blockIdx.x * blockDim.x + threadIdx.x;
    if (u >= vertices || level[u] != current) return;
    for (int arc = indptr[u]; arc < indptr[u + 1]; arc++)
        if (reach(&level[indices[arc]], current + 1)) *more = 1;
}
"""
HEADER = """
__device__ inline bool reach(int *level, int next)
{
    if (*level <= next) return false;
    *level = next;
    return true;
}
"""
BASELINE = """
#include "host/graph.h"
#include <algorithm>
#include <vector>

extern "C" int my_queue(Graph graph, int source, int *level)
{
    std::fill(level, level + graph.vertices, 2147483647);
    std::vector<int> queue = {source};
    level[source] = 0;
    for (size_t at = 0; at < queue.size(); at++)
        for (auto arc = graph.indptr[queue[at]]; arc < graph.indptr[queue[at] + 1]; arc++) {
            const int v = graph.indices[arc];
            if (level[v] == 2147483647) {
                level[v] = level[queue[at]] + 1;
                queue.push_back(v);
            }
        }
    return 1;
}
"""
MODULE = """
from pathlib import Path

import numpy as np

from retrace.solvers.solver import DeviceSolver, HostSolver, unreached

HERE = Path(__file__).parent
kernels = HERE
experiments = HERE / "experiments.yaml"


class MyQueue(HostSolver):
    name = "bfs/my-queue"
    implements = "a test's queue"
    source = "host/my_queue.cpp"


class MyLevels(DeviceSolver):
    name = "bfs/my-levels"
    implements = "a test's kernel"
    bytes_per_vertex = 4

    def setup(self, graph):
        self.graph = graph
        (self.kernel,) = self.load_kernels("my_level")

    def upload(self, query):
        self.arcs = self.upload_arcs(self.graph)
        self.level = self.device.upload(unreached(self.graph, query.source))
        self.more = self.device.empty(1, np.int32)

    def solve(self, query):
        vertices, more, current = self.graph.vertices, np.ones(1, np.int32), 0
        while more[0]:
            self.device.write(self.more, np.zeros(1, np.int32))
            self.kernel(
                self.grid(vertices), self.block_size, np.int32(vertices), *self.arcs, self.level,
                np.int32(current), self.more,
            )
            self.device.read(self.more, more)
            current += 1
        return current

    def download(self):
        return self.device.download(self.level)
"""
EXPERIMENTS = """
experiments:
  my-bfs: {solvers: [bfs/my-queue, {solver: bfs/my-levels, block_size: [32, 64]}], graphs: [small-9]}
more_solvers:
  table-3.3: [bfs/my-levels, bfs/my-queue]
"""


ENTRY_POINTS = {"retrace.solvers": {"mine": "my_kernels"}}


@dataclass
class Package:
    """A package in a folder, as `pip install --editable` leaves it, and a copy of the project."""

    folder: Path
    project: Path
    files: dict[str, str]
    entry_points: dict[str, dict[str, str]] = field(default_factory=lambda: ENTRY_POINTS)

    def write(self) -> None:
        """Write its files and its entry point."""
        described = self.folder / "my_kernels.dist-info"
        described.mkdir(parents=True, exist_ok=True)
        (described / "METADATA").write_text("Metadata-Version: 2.1\nName: my-kernels\nVersion: 0.1\n")
        points = [
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in of_group.items())
            for group, of_group in self.entry_points.items()
        ]
        (described / "entry_points.txt").write_text("\n".join(points))
        for name, text in self.files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    def python(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run Python in the copy, with the package installed."""
        return subprocess.run(
            [sys.executable, *map(str, words)],
            capture_output=True, text=True, check=False, cwd=self.project, env=self.environment, timeout=280,
        )  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process in which the package is installed."""
        path = os.pathsep.join(map(str, (self.project / "scripts", self.folder)))
        return {**os.environ, "PYTHONPATH": path, "RETRACE_BUILD": str(build_folder())}

    def snakemake(self, *words: str, status: int = 0) -> str:
        """Run Snakemake in the copy, in a fork; return what it printed."""
        given = self.project, "--cores", "2", *words
        found, printed = forked_snakemake.call(*given, environment=self.environment, timeout=280)
        assert found == status, printed
        return printed


FILES = {
    "my_kernels.py": MODULE,
    "bfs/my-levels.cu": KERNEL,
    "bfs/arcs.cuh": HEADER,
    "host/my_queue.cpp": BASELINE,
    "experiments.yaml": EXPERIMENTS,
}


def installed(folder: Path, **changed: str) -> Package:
    """Write the package in a folder, some of its files with other texts; the project is this one."""
    package = Package(
        folder, PROJECT, FILES | {name.replace("__", "."): text for name, text in changed.items()}
    )
    package.write()
    return package


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package, and a copy of the project in which its experiment was measured on the emulator."""
    package = installed(tmp_path_factory.mktemp("outside"))
    package.project = tmp_path_factory.mktemp("project")
    copy_project(package.project, {"table-3.3": {"solvers": ["bfs/queue", "bfs/bsp"], "graphs": ["small-9"]}})
    package.snakemake("my-bfs")
    return package


@pytest.fixture(scope="module")
def published(measured: Package) -> Package:
    """The same, in which an experiment of the project is measured with the package's solvers, too."""
    measured.snakemake("my-bfs", "table-3.3", "page")
    return measured


STAGE = '''
from retrace.system.stage import Stage


class Count(Stage):
    """Count to a number."""

    upto: int
    """The number."""

    def run(self):
        """Print it."""
        print("counted to", self.upto)
'''


def test_a_package_outside_adds_stages_and_replaces_none(tmp_path: Path) -> None:
    places = {"count": "my_stages:Count", "tune": "my_stages:Count", "lost": "nowhere.at_all:Count"}
    package = Package(tmp_path, PROJECT, {"my_stages.py": STAGE}, {"retrace.stages": places})
    package.write()
    done = package.python("-m", "retrace", "stage", "count", "--upto", "3")
    assert (done.returncode, done.stdout, done.stderr) == (0, "counted to 3\n", "")
    listed = package.python("-m", "retrace", "stage", "list").stdout
    assert "of the package my_stages" in listed
    assert listed.count("of the package nowhere") == 1
    assert "--machine" in package.python("-m", "retrace", "stage", "tune", "--help").stdout
    refused = package.python("-m", "retrace", "stage", "lost")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert "entry point lost of retrace.stages: nowhere.at_all cannot be imported" in refused.stderr


COMMAND = """
def add_commands(add):
    command = add("greet", "my_commands:greet", "say a word", "--word hello")
    command.add_argument("--word")
    command.set_defaults(check_usage=lambda given: given.word or given.usage("--word: expected one"))


def greet(given):
    print(given.word)
"""


def test_a_package_outside_adds_commands(tmp_path: Path) -> None:
    places = {"mine": "my_commands:add_commands"}
    package = Package(tmp_path, PROJECT, {"my_commands.py": COMMAND}, {"retrace.commands": places})
    package.write()
    done = package.python("-m", "retrace", "greet", "--word", "hello")
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello\n", "")
    done = package.python("-m", "retrace", "greet")
    assert done.returncode == 2
    assert done.stderr.startswith("error: --word: expected one")
    package.entry_points = {"retrace.commands": {"mine": "nowhere:add_commands"}}
    package.write()
    done = package.python("-m", "retrace", "stage", "list")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "entry point mine of retrace.commands: nowhere cannot be imported" in done.stderr


def test_the_core_has_the_command_of_the_stages_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "named_in", lambda group: [])
    assert re.findall(r"^    ([\w-]+) ", cli.make_parser().format_help(), re.MULTILINE) == ["stage"]


@pytest.mark.long
@pytest.mark.pipeline
def test_solvers_outside_are_measured_without_an_edit_in_the_project(published: Package) -> None:
    found = {
        record["solver"]: record
        for path in (published.project / "results/machines/local").glob("*/small-9.jsonl")
        for record in map(json.loads, path.read_text().splitlines())
    }
    assert found.keys() == {"bfs/queue", "bfs/bsp", "bfs/my-queue", "bfs/my-levels"}
    assert all(record["verified"] for record in found.values())
    manifest = json.loads((published.project / "resources/build/my-bfs.json").read_text())
    outside = {published.folder / name for name in ("bfs/my-levels.cu", "host/my_queue.cpp")}
    assert {Path(name) for name in manifest if Path(name).is_absolute()} == outside
    compiled = build_folder() / manifest[str(published.folder / "bfs/my-levels.cu")]
    assert REWRITTEN.encode() in compiled.read_bytes()  # its shifts are a GPU's, with those of the headers


@pytest.mark.long
@pytest.mark.pipeline
@pytest.mark.parametrize("experiment", ["my-bfs", "table-3.3"])
def test_a_solver_outside_is_in_table_figure_and_page(published: Package, experiment: str) -> None:
    """The baseline is, and a kernel that a GPU has timed, for which its record is made to say so."""
    local = published.project / f"results/machines/local/{experiment}/small-9.jsonl"
    lines = [json.loads(line) for line in local.read_text().splitlines()]
    card = {"name": "NVIDIA H200", "compute_capability": "9.0", "memory_gib": 139.8, "driver": "580.82"}
    for line in lines:
        line["machine"]["gpu"] = card
        if line["backend"] == "emulator":
            trial = {"upload": 0.1, "solve": 1.0, "download": 0.1, "total": 1.2, "kernel": 0.5}
            line |= {"backend": "cuda", "trials": [trial] * 3}
        elif line["solver"] == "bfs/my-queue":  # the fastest, which the title names
            line["trials"] = [{"upload": 0.0, "solve": 1e-3, "download": 0.0, "total": 1e-3}] * 3
    timed = published.project / f"timed-{experiment}.jsonl"
    timed.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    output = published.project / f"timed-{experiment}"
    words = ["--experiment", experiment, "--figures", experiment, "--records", timed, "--output", output]
    done = published.python("scripts/stage.py", "publish-experiment", *words)
    assert done.returncode == 0, done.stderr
    done = published.python(
        "scripts/stage.py", "make-report", "--reports", "--records", timed, "--machine", "local",
        "--figures", output / f"figures/{experiment}.svg", "--output", output / "index.html",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    header, *table = rows(output / f"tables/{experiment}.csv")
    assert {"bfs/my-queue", "bfs/my-levels"} <= {row[header.index("solver")] for row in table}
    for path in (f"tables/{experiment}.html", f"figures/{experiment}.svg", "index.html"):
        text = (output / path).read_text()
        assert "my-queue" in text, path
        assert "my-levels" in text, path
    assert str(published.folder / "bfs/my-levels.cu") in (published.project / PAGE).read_text()


@pytest.mark.pipeline
def test_a_file_outside_that_changes_is_measured_again(measured: Package) -> None:
    assert "Nothing to be done" in measured.snakemake("my-bfs", "--dry-run")
    for name in ("bfs/arcs.cuh", "my_kernels.py"):
        path = measured.folder / name
        before = path.read_text()
        path.write_text(before + "\n")
        printed = " ".join(measured.snakemake("my-bfs", "--dry-run").split())
        assert "Measure and check my-bfs on small-9" in printed
        assert ("Compile the kernels of my-bfs" in printed) == (name == "bfs/arcs.cuh")
        path.write_text(before)


def told(package: Package, program: str) -> str:
    """Return the one line with which a program is refused."""
    run = f"from retrace.system.errors import run_command\ndef main():\n    {program}\nrun_command(main)"
    done = package.python("-c", run)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("error: ")
    return done.stderr.removeprefix("error: ").strip()


FIND = "from retrace.solvers import find; find('bfs/my-queue')"
CONFIGURE = "from retrace.planning.configuration import project_configuration; project_configuration()"


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        (MODULE.replace("my_queue.cpp", "none.cpp"), "RetraceError: MyQueue: there is no host/none.cpp in "),
        (MODULE.replace("bfs/my-queue", "bfs/queue"), "ValueError: two solvers are called bfs/queue"),
        (
            MODULE.replace("bfs/my-queue", "bsf/my-queue"),
            "RetraceError: MyQueue: name: 'bsf/my-queue', expected",
        ),
    ],
)
def test_a_package_that_cannot_be_imported_is_named(tmp_path: Path, module: str, why: str) -> None:
    found = told(installed(tmp_path, my_kernels__py=module), FIND)
    assert found.startswith(f"entry point mine of retrace.solvers: my_kernels cannot be imported ({why}")
    assert found.endswith("); repair its package, or uninstall it")


@pytest.mark.parametrize(
    ("experiments", "why"),
    [
        (
            "experiments: {my-bfs: {solvers: [bfs/my-queue], graphs: [small-9], colour: red}}",
            "experiments.my-bfs.colour: unknown key",
        ),
        (
            "experiments: {my-bfs: {solvers: [bfs/nope], graphs: [small-9]}}",
            "experiments.my-bfs.solvers: no solver is called bfs/nope",
        ),
        (
            "experiments: {my-bfs: {solvers: [bfs/my-queue]}}",
            "experiments.my-bfs.graphs: required, but missing",
        ),
        (
            "experiments: {table-3.3: {solvers: [bfs/my-queue], graphs: [NY]}}",
            "experiments.table-3.3: experiments.yaml has it already; add solvers to it under more_solvers",
        ),
        (
            "more_solvers: {table-3.3: [bfs/queue]}",
            "more_solvers.table-3.3: solvers: expected each item once, found bfs/queue twice",
        ),
        (
            "more_solvers: {table-9.9: [bfs/my-queue]}",
            "more_solvers.table-9.9: neither experiments.yaml nor a package has this experiment",
        ),
        ("my-bfs: {solvers: [bfs/my-queue], graphs: [small-9]}", "my-bfs: unknown key"),
        ("[my-bfs]", "expected"),
    ],
)
def test_an_experiment_of_a_package_that_is_wrong_is_named(
    tmp_path: Path, experiments: str, why: str
) -> None:
    found = told(installed(tmp_path, experiments__yaml=experiments), CONFIGURE)
    assert found.startswith(f"{tmp_path / 'experiments.yaml'}: {why}")


def test_a_kernel_file_that_is_missing_is_named(tmp_path: Path) -> None:
    package = installed(tmp_path)
    (tmp_path / "bfs/my-levels.cu").unlink()
    program = "from cuda_on_cpu.device import EmulatedDevice; from retrace.solvers import make;"
    program += f" {FIND}; make('bfs/my-levels', EmulatedDevice()).setup(None)"
    assert (
        told(package, program) == f"bfs/my-levels: there is no bfs/my-levels.cu in {tmp_path}; write it there"
    )


def test_the_project_s_solvers_are_written_without_those_outside(tmp_path: Path) -> None:
    program = "from retrace.solvers import all_solvers; from retrace_generated import write_schemas"
    program += "; all_solvers()"
    done = installed(tmp_path).python("-c", f"{program}; print(write_schemas.solvers_as_json(), end='')")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (PROJECT / "workflow/schemas/solvers.json").read_text()


def test_a_key_is_that_of_the_content_wherever_the_package_is(tmp_path: Path) -> None:
    """A header beside the kernel and one of the project count; the folder does not."""
    program = "from cuda_device.compiled_files import *; from retrace.system import project; import sys;"
    program += (
        " file = Path(sys.argv[1]); print(content_key(compiled_from(file), ['g++', *include_option(file)]));"
    )
    program += " print(*(path.name for path in compiled_from(file)))"
    keys = []
    for place, header in (("a", HEADER), ("b", HEADER), ("c", HEADER + " ")):
        (tmp_path / place).mkdir()
        package = installed(tmp_path / place, **{"bfs/arcs__cuh": header})
        done = package.python("-c", program, package.folder / "bfs/my-levels.cu")
        key, names = done.stdout.splitlines()
        assert set(names.split()) >= {"my-levels.cu", "arcs.cuh", "label.cuh", "path_length.h"}, done.stderr
        keys.append(key)
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.long
@pytest.mark.pipeline
def test_the_steps_of_the_page_work_in_a_folder_of_ones_own(tmp_path: Path) -> None:
    page = (PROJECT / KERNEL_PAGE).read_text()
    section = page.partition("\n## In a folder of your own\n")[2].partition("\n## ")[0]
    assert 0 < len(section.split()) <= 200
    (described,), (module,), (experiments,) = (blocks(section, mark) for mark in ("toml", "py", "yaml"))
    (kernel,), (solver,) = (blocks(page, mark) for mark in ("cuda", "python"))
    declared, _, body = solver.partition("\n")
    before, end, _ = module.partition("    # here follows the body of the class of step 2\n")
    assert end
    assert declared in before
    built = tomllib.loads(described)
    assert built["tool"]["setuptools"]["py-modules"] == ["my_kernels"]
    files = {
        "pyproject.toml": described,
        "my_kernels.py": before + body,
        "bfs/level-scan.cu": kernel,
        "experiments.yaml": experiments,
    }
    package = Package(tmp_path / "my-kernels", tmp_path / "project", files, built["project"]["entry-points"])
    package.write()
    copy_project(package.project, {"table-3.3": {"solvers": ["bfs/bsp"], "graphs": ["small-9"]}})
    commands = [program(line) for text in blocks(section, "sh") for line in text.splitlines()]
    assert commands[0] == "python -m pip install --editable ../my-kernels"
    assert commands[1] == "snakemake --cores 4 my-bfs"
    printed = package.snakemake("my-bfs", "table-3.3")
    assert printed.count("bfs/level-scan:block_size=64: ok, trials: 1, agrees") == 2, printed
    figure = re.sub("<[^>]+>", " ", (package.project / "results/figures/my-bfs.svg").read_text())
    assert "Checked on the emulator, not timed: 1 of 1 answers agree" in " ".join(figure.split())


def test_it_is_known_what_a_solver_outside_is_made_of(tmp_path: Path) -> None:
    """Tables are made again, and no trials are kept, when its module or its headers change."""
    program = "from retrace.measure import environment; from retrace.solvers import find;"
    program += " from retrace.system.project import stage_code; print(environment.sources());"
    program += " print(*find('bfs/my-levels').sources, *stage_code('publish-experiment'))"
    digests = []
    for changed in ({}, {"bfs/arcs__cuh": HEADER + " "}, {"my_kernels__py": MODULE + "\n"}):
        done = installed(tmp_path, **changed).python("-c", program)
        assert done.returncode == 0, done.stderr
        digest, files = done.stdout.splitlines()
        digests.append(digest)
        outside = {str(tmp_path / name) for name in ("bfs/my-levels.cu", "bfs/arcs.cuh", "my_kernels.py")}
        assert {*outside, "label.cuh", "unreachable.h", "sssp/path_length.h"} <= set(files.split())
    assert len(set(digests)) == 3


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "files", "why"),
    [
        ("solvers = 7", {}, "my_kernels.solvers: expected a str, found 7"),
        ("solvers = 'nowhere'", {}, "entry point mine of retrace.solvers: nowhere cannot be imported"),
        ("rules = 'a.smk'", {}, "my_kernels.rules: expected a Path, found 'a.smk'"),
        ("rules = HERE / 'none.smk'", {}, "none.smk: expected a file of Snakemake's rules"),
        (
            "report = HERE / 'mine.yaml'",
            {"mine.yaml": "{key: bsp-suite, title: a, author: b}"},
            "key: unknown key",
        ),
        (
            "report = HERE / 'mine.yaml'",
            {"mine.yaml": "{title: a, author: b, tables: {gone: {title: a}}}"},
            "mine.yaml: tables: gone: neither experiments.yaml nor a package has this experiment",
        ),
        (
            "report = HERE / 'mine.yaml'",
            {"mine.yaml": "{title: a, author: b, figures: {f: {title: a, experiment: gone}}}"},
            "mine.yaml: figures.f.experiment: gone: neither experiments.yaml nor a package has",
        ),
        ("report = HERE / 'today.yaml'", {"today.yaml": "{title: a, author: b}"}, "has this name already"),
    ],
)
def test_what_a_package_says_wrong_is_one_line_before_anything_is_planned(
    tmp_path: Path, module: str, files: dict[str, str], why: str
) -> None:
    package = installed(
        tmp_path, my_kernels__py=MODULE.replace("kernels = HERE\n", f"kernels = HERE\n{module}\n")
    )
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    printed = package.snakemake("-n", "my-bfs", "--directory", str(tmp_path), status=1)
    errors = [line for line in printed.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, printed
    assert why in errors[0]
    assert "Traceback" not in printed
