"""The wheel: it has what a graph in hand needs, and solves where there is no checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from command_line import PROJECT

PARTS = (
    "scripts", "kernels", "pyproject.toml", "setup.py", "README.md", "LICENSE",
    "config.yaml", "datasets.yaml", "experiments.yaml", "workflow/schemas/solvers.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of what it is made of, with a file left by another build, and unpack it."""
    folder = tmp_path_factory.mktemp("wheel")
    project, target = folder / "project", folder / "site-packages"
    for part in PARTS:
        (project / part).parent.mkdir(parents=True, exist_ok=True)
        if (PROJECT / part).is_dir():
            left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(PROJECT / part, project / part, ignore=left_out)
        else:
            shutil.copy(PROJECT / part, project / part)
    left = project / "build/wheel/lib/retrace/left_by_another_build.py"
    left.parent.mkdir(parents=True)
    left.touch()
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(project)], check=True)
    shutil.rmtree(project)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def run(installed: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder of its own, with the wheel's packages before all others."""
    folder = installed.parent / "elsewhere"
    folder.mkdir(exist_ok=True)
    (folder / "edges.csv").write_text("source,target,weight\nann,bob,0.5\nbob,cy,1\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RETRACE")}
    own = {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(installed.parent / "cache")}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=kept | own | environment,
        capture_output=True,
        text=True,
        check=False,
    )


SOLVE = ("-m", "retrace", "solve", "sssp/dijkstra-heap", "edges.csv", "--directed", "--source", "ann")


def files_of(folder: Path) -> set[str]:
    """List the files of a folder, but for bytecode."""
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {file.as_posix() for file in files if "__pycache__" not in file.parts}


def test_it_has_all_kernels_and_nothing_else(installed: Path) -> None:
    here = files_of(installed / "retrace/project/kernels")
    here |= {f"cuda_on_cpu/{name}" for name in files_of(installed / "cuda_on_cpu/kernels")}
    here |= {f"cuda_device/{name}" for name in files_of(installed / "cuda_device/kernels")}
    assert here == files_of(PROJECT / "kernels") - {"README.md"}
    own = {path.parent.name for path in (PROJECT / "scripts").glob("*/__init__.py")}
    assert {path.name for path in installed.iterdir() if "dist-info" not in path.name} == own
    assert not (installed / "retrace/left_by_another_build.py").exists()


@pytest.mark.long
def test_it_solves_and_compiles_into_the_users_cache(installed: Path) -> None:
    before = files_of(installed)
    done = run(installed, *SOLVE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 of 3 reached, largest distance 3 (times 2)" in done.stdout
    assert "verified against scipy.sparse.csgraph.dijkstra" in done.stdout
    assert list((installed.parent / "cache/retrace/host").glob("*.so"))
    assert files_of(installed) == before
    program = (
        "import retrace, retrace_today; found = retrace.solve('bfs/queue', ([0, 1, 1], [1]), 0)\n"
        "print(retrace.__file__, retrace_today.kernels, found.by_name())"
    )
    module, kernels, answer = run(installed, "-c", program).stdout.split(maxsplit=2)
    assert Path(module).is_relative_to(installed)
    assert Path(kernels, "bfs").is_dir()
    assert answer == "{0: 0, 1: 1}\n"


def test_the_emulator_finds_its_headers(installed: Path) -> None:
    program = (
        "from cuda_on_cpu.build import find_cxx, list_kernels, preprocess\n"
        "from retrace.system.project import KERNELS\n"
        "for name in ('bfs/bsp.cu', 'retrace_today/bfs/direction.cu'):\n"
        "    source = KERNELS / name\n"
        "    print(sorted(list_kernels(preprocess(find_cxx(), source), source)[0]))\n"
    )
    done = run(installed, "-c", program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("[") == 2


def test_without_a_compiler_one_line_says_what_to_install(installed: Path) -> None:
    done = run(installed, *SOLVE, PATH="/nowhere", XDG_CACHE_HOME=str(installed.parent / "empty"))
    assert (done.returncode, done.stdout) == (1, "")
    told = "error: the C++ compiler g++ was not found; install g++ 12 or newer, or set CXX to it\n"
    assert done.stderr == told


def test_it_says_its_version_and_lists_its_solvers(installed: Path) -> None:
    version = re.findall(r'^version = "(.*)"', (PROJECT / "pyproject.toml").read_text(), re.MULTILINE)[0]
    done = run(installed, "-m", "retrace", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"retrace {version}\n", "")
    listed = run(installed, "-m", "retrace", "solvers").stdout
    assert "bfs/queue " in listed
    assert "betweenness/auto " in listed
