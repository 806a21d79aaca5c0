"""The notebook that measures a hosted GPU: all its cells on the emulator, its set-up on a hosted image."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

import notebook_kernel
from command_line import PROJECT, Patch
from project_copy import copy_project
from retrace.records.record import read_records
from retrace.system.project import build_folder

NOTEBOOK = PROJECT / "docs/measure-a-gpu.ipynb"
RUNNER = PROJECT / "tests/notebook_kernel.py"
EXPERIMENT, MACHINE = "bellman-ford-sparse", "my-t4"
RECORDS = f"results/machines/{MACHINE}"
H200 = f"results/machines/h200/{EXPERIMENT}"
CELLS = ["settings", "clone", "set-up", "machine", "measure", "table", "check", "send"]
NOBODY = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
"""A hosted notebook has no name for commits."""
NAMED = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")

Programs = Callable[[dict[str, str]], str]


def write_program(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    """What writes shell scripts and returns a PATH on which they come before all other programs."""

    def write(scripts: dict[str, str]) -> str:
        for name, script in scripts.items():
            write_program(tmp_path / "programs" / name, script)
        return f"{tmp_path / 'programs'}:{os.environ['PATH']}"

    return write


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one graph of the notebook's experiment, the H200's records, and a `.venv`."""
    folder = tmp_path / "project"
    measured = yaml.safe_load((PROJECT / "experiments.yaml").read_text())["experiments"][EXPERIMENT]
    copy_project(folder, {EXPERIMENT: measured | {"graphs": ["random-12-5"], "larger_graphs": []}})
    for part in ("config.yaml", "Makefile", ".gitignore", "requirements.lock", "requirements-uv.lock"):
        shutil.copy(PROJECT / part, folder)
    shutil.copy(NOTEBOOK, folder / "docs")
    shutil.copytree(PROJECT / H200, folder / H200)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, *NAMED, "commit", "--quiet", "--message", "all")
    make_environment(folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def make_environment(folder: Path) -> None:
    """Make what `make .venv/run` would, from the packages of this Python, without the network."""
    environment = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    packages = sysconfig.get_path("purelib", "venv", {"base": str(environment)})
    own = f"{folder / 'scripts'}\n{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n"
    Path(packages, "project.pth").write_text(own)
    write_program(environment / "bin/snakemake", f'exec {environment}/bin/python -m snakemake "$@"')
    (environment / "run").touch()


def run_notebook(folder: Path, *cells: str, status: int = 0, **variables: str) -> tuple[dict[str, str], str]:
    """Run cells in a folder; return what each printed, and what the notebook reported."""
    left_out = {"GRAPH_MIRROR", "RETRACE_COMMIT", "PYTHONPATH", "PYTHONUNBUFFERED"}
    left_out |= {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}  # of the make that runs tests
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(NOTEBOOK), *cells],
        cwd=folder, env=kept | NOBODY | variables, capture_output=True, text=True, check=False, timeout=200,
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    printed = re.split(r"^\[(\S+)\]\n", done.stdout, flags=re.MULTILINE)
    return dict(zip(printed[1::2], printed[2::2], strict=True)), done.stderr


@pytest.mark.long
@pytest.mark.pipeline
def test_the_cells_run_without_a_gpu(project: Path, programs: Programs) -> None:
    before = git(project, "rev-parse", "HEAD").strip()
    here: dict[str, str] = {
        "PATH": programs({"nvidia-smi": "echo No devices were found; exit 6", "apt-get": "exit 100"}),
        "CUDA_VISIBLE_DEVICES": "",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # as Jupyter sets it
        "RETRACE_BUILD": str(build_folder()),
    }
    printed, reported = run_notebook(project / "docs", **here)
    assert (list(printed), reported) == (CELLS, "")

    assert printed["clone"] == f"in {project}\n"
    assert printed["set-up"].startswith("No GPU: the kernels run on the emulator")
    assert ".venv/run\nmake: '.venv/run' is up to date." in printed["set-up"]
    assert re.search(
        r"^  GPU +none is used .*; kernels run on the emulator$", printed["set-up"], re.MULTILINE
    )

    assert yaml.safe_load((project / "config.yaml").read_text())["machines"].keys() > {MACHINE, "h200"}
    added = git(project, "show", "--format=%P %an %s", "--unified=0").splitlines()
    assert added[0] == f"{before} Your Name Add the machine {MACHINE}"
    assert [line for line in added if re.match(r"[+-]\s", line)] == [f"+  {MACHINE}: {{}}"]

    records = read_records(sorted((project / RECORDS).glob("*/*.jsonl")))
    commit = git(project, "rev-parse", "HEAD").strip()
    assert {(one.agreed, one.machine.name, one.graph.name) for one in records} == {
        (True, MACHINE, "random-12-5")
    }
    assert {(one.software.git_commit, one.software.dirty) for one in records} == {(commit, False)}
    assert sorted(one.backend for one in records) == ["emulator"] * 3 + ["host"]
    assert re.search(r"^(\d+) of \1 answers verified\.$", printed["measure"], re.MULTILINE)

    table, _, figure = printed["table"].rpartition("b'\\x89PNG")
    assert figure
    h200, ours = table.index("**h200, measured (NVIDIA H200"), table.index(f"**{MACHINE}, measured")
    assert re.search(r"^\| edge-list \| [\d.]+ µs ", table[h200:ours], re.MULTILINE)
    assert "Checked on the emulator, not timed: 3 of 3 answers agree." in table

    checked, _, compared = printed["check"].partition("\n$ ")
    assert checked.count("backend: expected cuda or host, found emulator") == 1
    assert checked.splitlines()[-1].startswith(f"error: {RECORDS}: 3 faults")
    assert re.search(r"^1 compared, the second machine is: ", compared, re.MULTILINE)

    packed = project / f"build/{MACHINE}.zip"
    assert printed["send"] == f"Records of the emulator, so there is nothing to send: {packed}\n"
    record = f"{RECORDS}/{EXPERIMENT}/random-12-5.jsonl"
    with zipfile.ZipFile(packed) as archive:
        assert [name for name in archive.namelist() if not name.endswith("/")] == [record]
        assert archive.read(record) == (project / record).read_bytes()

    again, _ = run_notebook(project, "settings", "clone", "machine")
    assert git(project, "rev-parse", "HEAD").strip() == commit
    assert f"Add the machine {MACHINE}" in again["machine"]


HOSTED = {
    "nvidia-smi": "echo 'GPU 0: Tesla T4 (UUID: GPU-0)'",
    "g++": "echo 11",
    "apt-get": "echo apt-get was called",
    "make": "echo CXX=$CXX",
}


@pytest.fixture
def hosted(tmp_path: Path) -> dict[str, str]:
    """A repository at ADDRESS, and the variables of a Python without `ensurepip`."""
    repository, python = tmp_path / "ADDRESS", tmp_path / "python"
    write_program(repository / ".venv/bin/python", "echo doctor: $@")
    (repository / "experiments.yaml").touch()
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, *NAMED, "commit", "--quiet", "--message", "all")
    python.mkdir()
    (python / "sitecustomize.py").write_text("import sys\n\nsys.modules['ensurepip'] = None\n")
    return {"PYTHONPATH": str(python), "CXX": "g++"}


def test_a_hosted_image_is_set_up(hosted: dict[str, str], programs: Programs, tmp_path: Path) -> None:
    """It has a GPU, an old g++, and a Python that cannot make an environment."""
    path = programs(HOSTED)
    printed, _ = run_notebook(tmp_path, "settings", "clone", "set-up", PATH=path, **hosted)
    assert printed["clone"] == f"$ git clone --quiet ADDRESS retrace\nin {tmp_path / 'retrace'}\n"
    venv = "python{}.{}-venv".format(*sys.version_info)
    assert printed["set-up"].splitlines() == [
        "GPU 0: Tesla T4 (UUID: GPU-0)",
        "",
        "$ apt-get update --quiet",
        "apt-get was called",
        f"$ apt-get install --quiet --yes g++-12 {venv}",
        "apt-get was called",
        f"$ make PYTHON={sys.executable} gpu",
        "CXX=g++-12",
        "$ .venv/bin/python -m retrace doctor",
        "doctor: -m retrace doctor",
    ]
    again, _ = run_notebook(tmp_path, "settings", "clone", PATH=path, **hosted)
    assert again["clone"] == f"in {tmp_path / 'retrace'}\n"


def test_a_command_that_fails_stops_the_notebook(
    hosted: dict[str, str], programs: Programs, tmp_path: Path
) -> None:
    path = programs(HOSTED | {"make": "echo error: no driver >&2; exit 2"})
    printed, reported = run_notebook(
        tmp_path, "settings", "clone", "set-up", "machine", status=1, PATH=path, **hosted
    )
    assert printed["set-up"].endswith(" gpu\nerror: no driver\n")
    assert "machine" not in printed
    told = "RuntimeError: make ended with status 2; what it printed says why"
    assert reported.splitlines()[-1] == told


REFUSAL = "print('a fault'); raise SystemExit('error: refused')"


@pytest.mark.parametrize(
    ("program", "may_refuse", "returned"),
    [
        ("print('done')", True, None),
        (REFUSAL, True, "error: refused\n"),
        (REFUSAL, False, RuntimeError),
        ("raise ValueError", True, RuntimeError),
        ("import sys; print('error: refused'); sys.exit(2)", True, RuntimeError),
        ("print('error: refused'); print('more'); raise SystemExit(1)", True, RuntimeError),
    ],
)
def test_only_a_refusal_in_words_is_no_failure(
    program: str, may_refuse: bool, returned: object, monkeypatch: Patch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    monkeypatch.setitem(sys.modules, "IPython.display", notebook_kernel.stand_in())
    names: dict[str, Any] = {}
    exec(notebook_kernel.code_cells(NOTEBOOK)["settings"], names)
    call = partial(names["run"], sys.executable, "-c", program, may_refuse=may_refuse)
    if returned is RuntimeError:
        with pytest.raises(RuntimeError, match=r"ended with status [12]; what it printed says why"):
            call()
    else:
        assert call() == returned


def test_the_notebook_is_a_valid_one_that_was_never_run() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.id for cell in code] == CELLS
    assert [(cell.execution_count, cell.outputs) for cell in code] == [(None, [])] * len(CELLS)
    kinds = [cell.cell_type for cell in notebook.cells]
    assert kinds == ["markdown", "code"] * len(CELLS)  # each cell is explained before it
    assert NOTEBOOK.read_text() == nbformat.writes(notebook) + "\n"  # as Jupyter would save it


def test_its_links_lead_somewhere() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^)\s#]+)(?:#([^)\s]+))?\)", text)
    assert len(links) >= 4
    for path, anchor in links:
        page = NOTEBOOK.parent / path
        headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
        assert not anchor or anchor in {heading.lower().replace(" ", "-") for heading in headings}, path


@pytest.mark.parametrize("page", ["README.md", "docs/adding-a-gpu.md"])
def test_pages_link_it(page: str) -> None:
    link = os.path.relpath(NOTEBOOK, (PROJECT / page).parent)
    assert f"]({link})" in (PROJECT / page).read_text()
