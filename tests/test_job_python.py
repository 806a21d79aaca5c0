"""The Python that jobs run in: a Snakemake from elsewhere lacks packages, and `.venv` is made for it."""

from __future__ import annotations

import ast
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
import yaml

import set_up as set_up_module
from command_line import PROJECT
from project_copy import copy_project
from retrace.cli import check_environment
from retrace.system import job_python
from retrace.system.errors import RetraceError
from set_up import SetUpError, set_up

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
SITE = Path(sysconfig.get_path("purelib"))
SETTING_UP = """
import os, sys
from pathlib import Path
assert [Path(name).name for name in sys.argv[1:]] == ["requirements.lock", "--environment", "{name}"]
packages = Path(sys.argv[3], "lib/python{version}/site-packages")
packages.mkdir(parents=True, exist_ok=True)
(packages / "an_extra_package.py").touch()
Path(sys.argv[3], "times").open("a").write("once ")
sys.exit({status})
"""
"""Takes the place of scripts/set_up.py."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that needs a package which this Python lacks."""
    monkeypatch.setattr(job_python, "NEEDED", ("json", "an_extra_package"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    (tmp_path / "requirements.lock").touch()
    write_set_up(tmp_path)
    return tmp_path


def write_set_up(root: Path, name: str = ".venv", status: int = 0) -> None:
    (root / "scripts").mkdir(exist_ok=True)
    text = SETTING_UP.format(name=name, version=VERSION, status=status)
    (root / "scripts/set_up.py").write_text(text)


def ready(root: Path) -> Path:
    """Do what a run does, and return the folder of the Python for jobs."""
    python = job_python.python_for_jobs(root)
    job_python.make_environment(root, python)
    return python


def test_a_python_that_lacks_nothing_runs_the_jobs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_python, "NEEDED", ("json",))
    assert ready(root) == Path(sys.executable).parent
    assert not (root / ".venv").exists()


def test_a_dry_run_makes_no_environment(root: Path) -> None:
    assert job_python.python_for_jobs(root) == root / ".venv/bin"
    assert not (root / ".venv").exists()


def test_what_is_needed_is_what_the_library_imports() -> None:
    at_once, at_all = set(), set()
    for path in (PROJECT / "scripts").rglob("*.py"):
        parsed = ast.parse(path.read_text())
        at_once |= imported_by(parsed.body)
        at_all |= imported_by(ast.walk(parsed))
    own = {path.stem for path in (PROJECT / "scripts").iterdir()} | sys.stdlib_module_names
    with_others = {"snakemake", "snakemake_interface_logger_plugins", "markupsafe", "pydantic_core"}
    with_others.add("networkx")  # which imports our backend
    assert at_once - own - with_others <= {*job_python.NEEDED} <= at_all


def imported_by(statements: Iterable[ast.AST]) -> set[str]:
    """Return the packages that statements import."""
    packages = set()
    for statement in statements:
        if isinstance(statement, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            packages.add(str(statement.module).partition(".")[0])
    return packages


def test_an_environment_is_made_once_and_lends_its_packages(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ready(root) == root / ".venv/bin"
    assert job_python.lacking() == []
    assert capsys.readouterr().err == f"Snakemake's Python lacks packages: jobs get {root / '.venv'}\n"
    sys.path.pop()
    assert ready(root) == root / ".venv/bin"
    assert (root / ".venv/times").read_text() == "once "
    sys.path.pop()
    os.utime(root / ".venv/run", (1, 1))  # the lock is newer
    ready(root)
    assert (root / ".venv/times").read_text() == "once once "


def test_an_environment_of_another_python_stays(root: Path) -> None:
    (root / ".venv/lib/python3.1").mkdir(parents=True)
    write_set_up(root, f".venv-{VERSION}")
    assert ready(root) == root / f".venv-{VERSION}/bin"


def test_an_environment_that_was_moved_is_made_anew(root: Path) -> None:
    environment = root / ".venv"
    for place, times in (
        (environment, 1),
        (root / "before/.venv", 2),
        (root / "scripts", 3),
    ):  # moved, copied
        ready(root)
        sys.path.pop()
        (environment / "pyvenv.cfg").write_text(f"command = python3 -m venv --clear {place}\n")
        ready(root)
        sys.path.pop()
        (environment / "pyvenv.cfg").unlink()
        assert (environment / "times").read_text() == "once " * times


def test_a_copy_runs_its_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    (original / "scripts").mkdir(parents=True)
    packages = original / f".venv/lib/python{VERSION}/site-packages"
    packages.mkdir(parents=True)
    (packages / "__editable__.retrace-0.1.0.pth").write_text(f"{original / 'scripts'}\n")
    monkeypatch.setattr(set_up_module, "ROOT", original)
    set_up_module.name_place_relatively(original / ".venv")
    shutil.copytree(original, copy)
    for place in (original, copy):
        before = [*sys.path]
        site.addsitedir(str(place / f".venv/lib/python{VERSION}/site-packages"))
        assert str(place / "scripts") in sys.path
        sys.path[:] = before


def test_make_sets_up_anew_what_was_moved(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.lock", "requirements-uv.lock"):
        shutil.copy(PROJECT / name, tmp_path)
    (tmp_path / ".venv").mkdir()

    def planned() -> str:
        (tmp_path / ".venv/run").touch()
        return subprocess.run(
            ["make", "-n", "reproduce"], cwd=tmp_path, capture_output=True, text=True
        ).stdout

    (tmp_path / ".venv/pyvenv.cfg").write_text(f"command = /a b/python -m venv {tmp_path}/.venv\n")
    assert "set_up.py" not in planned()
    (tmp_path / ".venv/pyvenv.cfg").write_text(
        f"command = /a b/python -m venv --clear {tmp_path}/old/.venv\n"
    )
    assert "set_up.py requirements.lock --environment" in planned()


def test_a_program_of_a_copied_environment_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/activate").touch()
    with pytest.raises(RetraceError, match=r"bin/retrace: expected to run in its own environment, found "):
        check_environment(tmp_path / "bin/retrace")
    check_environment(Path(sys.prefix, "bin/retrace"))
    check_environment(PROJECT / "scripts/retrace/__main__.py")


def test_a_failed_set_up_ends_the_run_and_is_repeated(root: Path) -> None:
    write_set_up(root, status=1)
    with pytest.raises(SystemExit, match="1"):
        ready(root)
    write_set_up(root)
    assert ready(root) == root / ".venv/bin"


def test_an_environment_that_lacks_a_package_is_told(root: Path) -> None:
    ready(root)
    sys.path.pop()
    sys.path_importer_cache.clear()
    next((root / ".venv/lib").rglob("an_extra_package.py")).unlink()
    with pytest.raises(SystemExit, match=r"error: .*\.venv lacks an_extra_package; delete it"):
        ready(root)


def test_the_settings_of_the_caller_leave_an_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A pip that installs for the user, or elsewhere, or a PYTHONPATH with another NumPy."""
    for name in ("PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PYTHONPATH"):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert set_up_module.run(sys.executable, "-c", "import os; print(*sorted(os.environ.items()), sep='\\n')")
    shown = capfd.readouterr().out
    assert "('PIP_USER', '0')" in shown
    assert str(tmp_path) not in shown.replace(os.environ.get("PYTEST_CURRENT_TEST", ""), "")
    command = ["make", "-f", PROJECT / "Makefile", "--eval", "shown:; @env", "shown"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert not re.search("^PYTHON(PATH|HOME)=", shown, re.MULTILINE)


def test_braces_in_a_path_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(SetUpError, match=r"\{x\}/\.venv: .* take braces in a path for names; move it"):
        set_up(tmp_path / "{x}/.venv", None, None, project=True)
    assert not any(tmp_path.iterdir())


@pytest.mark.long
def test_a_step_that_fails_says_which(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("no-such-package==1 --hash=sha256:" + "0" * 64 + "\n")
    (tmp_path / "wheels").mkdir()
    with pytest.raises(SetUpError, match=r"the installation of requirements\.lock failed, see above"):
        set_up(tmp_path / "environment", lock, tmp_path / "wheels", project=False)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with Snakemake and what that needs, and nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = folder / f"lib/python{VERSION}/site-packages"
    for name in with_requirements("snakemake"):
        for top in {file.parts[0] for file in distribution(name).files or () if file.parts[0] != ".."}:
            if not (packages / top).exists():
                (packages / top).symlink_to(SITE / top)
    return folder / "bin/python"


def with_requirements(name: str, seen: set[str] | None = None) -> Iterator[str]:
    """Yield a package that is installed, and what it requires, directly or not."""
    seen = set() if seen is None else seen
    if name in seen:
        return
    seen.add(name)
    with suppress(PackageNotFoundError):  # for another system or Python
        distribution(name)
        yield name
        for required in distribution(name).requires or ():
            if "extra ==" not in required:
                yield from with_requirements(re.split(r"[^\w.-]", required)[0].lower(), seen)


@pytest.mark.long
@pytest.mark.pipeline
def test_a_snakemake_from_elsewhere_runs_the_workflow(bare: Path, tmp_path: Path) -> None:
    copy_project(tmp_path, {"mine": {"solvers": ["bfs/queue"], "graphs": ["small-6"]}})
    (tmp_path / "requirements.lock").touch()
    # what set_up.py makes, of the packages that are here
    (tmp_path / "scripts/set_up.py").write_text(
        "import subprocess, sys\nfrom pathlib import Path\n"
        "environment = Path(sys.argv[3])\n"
        "subprocess.run([sys.executable, '-m', 'venv', '--without-pip', environment], check=True)\n"
        f"packages = environment / 'lib/python{VERSION}/site-packages'\n"
        f"packages.rmdir(); packages.symlink_to({str(SITE)!r})\n"
    )
    assert subprocess.run([bare, "-c", "import numpy"], capture_output=True, check=False).returncode != 0
    command = [bare, "-m", "snakemake", "--cores", "1", "mine"]
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    dry = subprocess.run([*command, "-n"], cwd=tmp_path, env=variables, capture_output=True, check=False)
    assert (dry.returncode, (tmp_path / ".venv").exists()) == (0, False), dry.stderr
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Snakemake's Python lacks packages: jobs get {tmp_path}/.venv\n" in done.stderr
    assert (tmp_path / "results/tables/mine.csv").exists()


CONDA_NAMES = {"python-igraph": "igraph", "python-isal": "isal", "matplotlib-base": "matplotlib"}
"""Packages that conda-forge calls otherwise."""


def test_the_environment_of_conda_has_the_versions_of_the_lock() -> None:
    described = yaml.safe_load((PROJECT / "workflow/envs/retrace.yaml").read_text())
    assert described["channels"] == ["conda-forge", "nodefaults"]
    python, compiler, *pinned = described["dependencies"]
    assert (python, compiler) == ("python=3.12", "gxx>=12")
    packages = {CONDA_NAMES.get(name, name): version for name, version in (one.split("=") for one in pinned)}
    lock = (PROJECT / "requirements.lock").read_text()
    for name, version in packages.items():
        entries = re.findall(rf"^{name}==(\S+)(?: ; (.*))? \\$", lock, re.MULTILINE)
        assert version in [one for one, marker in entries if "< '3.12'" not in marker], name
    needed = {"pyyaml" if name == "yaml" else name for name in job_python.NEEDED}
    assert packages.keys() == needed | {"igraph", "networkit"}


def test_each_job_names_the_environment_of_conda() -> None:
    rules = "".join(path.read_text() for path in (PROJECT / "workflow/rules").glob("*.smk"))
    assert rules.count("conda:\n") == rules.count("shell:\n") > 10
