"""The project's own files: kernels and modules, from whatever folder Snakemake works in."""

import os
import re
from functools import cache
from pathlib import Path

from cuda_device.compiled_files import PLACES, users_cache
from retrace.system.errors import RetraceError
from retrace.system.solver_packages import BESIDE, code_of_package, code_of_packages, is_outside

INSTALLED = Path(__file__).resolve().parents[1] / "project"
ROOT = INSTALLED if INSTALLED.is_dir() else Path(__file__).resolve().parents[3]
"""The checkout; where a wheel is installed, what it has of one (`setup.py`)."""
KERNELS = ROOT / "kernels"
CATALOGUE_FILE = "workflow/schemas/solvers.json"
READS_CATALOGUE = "scripts/retrace/catalogue/known_solvers.py"
"""The solvers as data, for all that needs none of their code, and the module that reads it."""
ALL_SOLVERS = "scripts/retrace/solvers/__init__.py"
"""The module that imports every solver's."""
OWN_PACKAGES = tuple(sorted(path.parent.name for path in BESIDE.glob("*/__init__.py")))
"""The project's own, in `scripts/`."""
IMPORT = re.compile(rf"^ *from ((?:{'|'.join(OWN_PACKAGES)})\b[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
"""What is imported of them; each run reads all its files, for which `ast` would take a second."""
ENTRY_POINT = re.compile(rf'"((?:{"|".join(OWN_PACKAGES)})(?:\.\w+)+):\w+"')
"""A class in one of their modules, as `backends` names it."""


def build_folder() -> Path:
    """Return the folder for artefacts: `$RETRACE_BUILD`, else `build/` of the project.

    If the project is installed, or cannot be written, it is `retrace/` in the user's cache.
    """
    if folder := os.environ.get("RETRACE_BUILD"):
        return Path(folder)
    if ROOT != INSTALLED and os.access(
        project_build if (project_build := ROOT / "build").exists() else ROOT, os.W_OK
    ):
        return project_build
    return users_cache("retrace")


PLACES.set(ROOT, KERNELS, build_folder)


def path(name: str) -> str:
    """Return a file of the project: relative in the project's folder, so that a checkout may be moved."""
    return name if Path.cwd() == ROOT else str(ROOT / name)


def path_of(file: Path) -> str:
    """Return the path of a file: as `path` does if it is one of the project, else absolute."""
    return path(str(file.relative_to(ROOT))) if file.is_relative_to(ROOT) else str(file)


def kernel_files() -> list[str]:
    """Return every file under `kernels/`, relative to it."""
    return sorted(str(file.relative_to(KERNELS)) for file in KERNELS.rglob("*.*"))


def imports(script: str, aside: str = "") -> list[str]:
    """Return the library's modules that a file of `scripts/` imports, but not through the module `aside`.

    With them comes the catalogue of solvers, if the program knows solvers by it, and not by their classes;
    and the code of packages outside that have solvers, if it knows any.
    """
    modules = imported(f"scripts/{script}", aside=aside)
    by_class = any(name.startswith("scripts/retrace/solvers/") for name in modules)
    catalogue = [CATALOGUE_FILE] if READS_CATALOGUE in modules and not by_class else []
    outside = code_of_packages() if READS_CATALOGUE in modules else []
    return [path(name) for name in (*modules, *catalogue, *outside)]


def stage_code(name: str, aside: str = "") -> list[str]:
    """Return the modules of a stage: its own, and those that it imports, as `imports` lists them."""
    module = stage_module(name)
    return [path(module), *imports(module.removeprefix("scripts/"), aside)]


def stage_module(name: str) -> str:
    """Return the file of a stage such as `get-graph`, relative to the project."""
    return f"scripts/retrace/stages/{name.replace('-', '_')}.py"


def code_of(module: str) -> list[str]:
    """Return the file of a solver's module, relative to the project; of a package outside, all its files."""
    return code_of_package(module) if is_outside(module) else [f"scripts/{module.replace('.', '/')}.py"]


def imported(*files: str, aside: str = "") -> list[str]:
    """Return the library's modules that files import, directly or not, but not through the module `aside`."""
    modules: set[str] = set()
    waiting = list(files)
    while waiting:
        added = imported_by(waiting.pop()) - modules - {aside}
        modules |= added
        waiting += added
    return sorted(modules)


@cache
def imported_by(file: str) -> set[str]:
    """Return the library's modules that a file imports itself, or names as an entry point."""
    modules = set()
    text = (ROOT / file).read_text(encoding="utf-8")
    for package, names in IMPORT.findall(text):
        for name in (package, *(f"{package}.{member}" for member in re.findall(r"\w+", names))):
            stem = f"scripts/{name.replace('.', '/')}"
            modules |= {path for path in (f"{stem}.py", f"{stem}/__init__.py") if (ROOT / path).exists()}
    modules |= {f"scripts/{name.replace('.', '/')}.py" for name in ENTRY_POINT.findall(text)}
    return modules


def kernel_name(file: Path) -> str:
    """Return the name of a kernel file: relative to `kernels/`, or, outside, its absolute path."""
    return str(file.relative_to(KERNELS) if file.is_relative_to(KERNELS) else file)


def kernel_path(name: str) -> str:
    """Return the kernel file of a name, relative in the project's folder unless it lies outside."""
    return name if Path(name).is_absolute() else path(f"kernels/{name}")


def with_headers(*files: str) -> tuple[str, ...]:
    """Return kernel files, by name, and all headers that they include in quotes."""
    included = list(files)
    for file in included:  # which grows meanwhile
        included += [header for header in headers(file) if header not in included]
    return tuple(included)


@cache
def headers(file: str) -> list[str]:
    """Return the names of the headers that a kernel file includes itself, from its folder or `kernels/`.

    Raise RetraceError if the file cannot be read.
    """
    try:
        text = (KERNELS / file).read_text(encoding="utf-8")
    except OSError as error:
        raise RetraceError(
            f"{kernel_path(file)}: cannot be read ({error.strerror}); check the path"
        ) from None
    folders = ((KERNELS / file).parent, KERNELS)
    named = re.findall(r'^ *#include "(.+)"', text, re.MULTILINE)
    included = (
        next((at for at in (folder / name for folder in folders) if at.is_file()), None) for name in named
    )
    return [kernel_name(at.resolve()) for at in included if at]
