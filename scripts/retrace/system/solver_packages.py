"""Packages that have solvers: each names a module as an entry point of `retrace.solvers`.

Others name the class of a stage as one of `retrace.stages`, or what adds commands as one of
`retrace.commands`. Packages that lie beside Retrace in `scripts/` need not be installed: their
`pyproject.toml` is read. What a module of solvers may say, as names that it defines at its top:

    kernels: Path           the folder of its kernel files
    solvers: str            the module whose import defines the solver classes, if it is not this one
    experiments: Path       a file of experiments, and of solvers for experiments that are there
    report: Path            pages of its own, a file such as those of results/published/
    rules: Path             rules of Snakemake
    outcome: str            a file that one of them makes before solvers with kernel files are measured: JSON,
                            with the `name` of a library, and why it is `missing`, or null
    downloads: tuple        the names of files that its stages download

Classes register themselves when they are defined. With `solvers`, planning a run imports none of them.
"""

import json
import sys
import tomllib
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from retrace.system.errors import RetraceError

SOLVER_GROUP, STAGE_GROUP, COMMAND_GROUP = "retrace.solvers", "retrace.stages", "retrace.commands"
LIBRARY_GROUP = "retrace.library"
"""Of entry points, each of which names a module, or what is in one: a class, a function."""
BESIDE = Path(__file__).parents[2]
"""The folder of the project's own packages."""


installed_points = cache(entry_points)
"""All entry points of what is installed, for which Python's path is searched once."""


@cache
def named_in(group: str) -> list[tuple[str, str]]:
    """List the entry points of a group, name and what it names; nothing is imported for it."""
    named: list[tuple[str, str]] = []
    for path in sorted(BESIDE.glob("retrace_*/pyproject.toml")):
        points = tomllib.loads(path.read_text(encoding="utf-8"))["project"].get("entry-points", {})
        named += points.get(group, {}).items()
    return named + [(point.name, point.value) for point in sorted(installed_points().select(group=group))]


def solver_modules() -> dict[str, str]:
    """Return the modules that have solvers, each with its entry point's name."""
    return {module: name for name, module in named_in(SOLVER_GROUP)}


def top_level(module: str) -> str:
    """Return the package of a module, or the module itself if it is of none."""
    return module.partition(".")[0]


@cache
def is_of_package(module: str) -> bool:
    """Return whether a module is of a package that has an entry point."""
    return top_level(module) in map(top_level, solver_modules())


def is_outside(module: str) -> bool:
    """Return whether a module is of a package that is no part of the project."""
    return is_of_package(module) and not (BESIDE / top_level(module) / "pyproject.toml").is_file()


def is_there(module: str) -> bool:
    """Return whether the package of a solver's module is a part of Retrace, or has an entry point."""
    return top_level(module) == "retrace" or is_of_package(module)


@cache
def solver_packages() -> tuple[ModuleType, ...]:
    """Import the modules that entry points name."""
    return tuple(imported_for(name, module) for module, name in solver_modules().items())


def import_solvers(outside_alone: bool = False) -> None:
    """Import what defines the solvers of all packages, or of those that are no part of the project."""
    for package in solver_packages():
        module = declaration(package, "solvers", str)
        if module is not None and not (outside_alone and not is_outside(package.__name__)):
            imported_for(solver_modules()[package.__name__], module)


def imported_for(point: str, module: str, group: str = SOLVER_GROUP) -> ModuleType:
    """Import a module; raise RetraceError, which names the entry point, whatever that fails of."""
    try:
        return import_module(module)
    except (Exception, SystemExit) as error:
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise RetraceError(
            f"entry point {point} of {group}: {module} cannot be imported ({why}); "
            "repair its package, or uninstall it"
        ) from None


def declaration(package: ModuleType, name: str, kind: type) -> Any:
    """Return what a module says under a name, or None; raise RetraceError if it is of another kind."""
    value = getattr(package, name, None)
    if value is None or isinstance(value, kind):
        return value
    raise RetraceError(f"{package.__name__}.{name}: expected a {kind.__name__}, found {value!r}")


def declared_files(name: str, outside_alone: bool = False) -> list[Path]:
    """Return the files that packages, or those outside the project, name under `experiments` and the like."""
    named = (
        declaration(package, name, Path)
        for package in solver_packages()
        if not (outside_alone and not is_outside(package.__name__))
    )
    return [path for path in named if path is not None]


def kernels_of(module: str) -> Path | None:
    """Return the folder of kernel files that a module's package names; None if it names none."""
    package = sys.modules.get(top_level(module))
    return declaration(package, "kernels", Path) if package and is_of_package(module) else None


def outcome_of(module: str) -> str | None:
    """Return the `outcome` of the package that has a solver's module; None if it names none."""
    named = {
        top_level(package.__name__): declaration(package, "outcome", str) for package in solver_packages()
    }
    return named.get(top_level(module))


def missing_library(outcome: str) -> str | None:
    """Return the name of the library that an outcome says to be missing; None if it is none, or unread."""
    try:
        said = json.loads(Path(outcome).read_text(encoding="utf-8"))
        return str(said["name"]) if said["missing"] is not None else None
    except (OSError, ValueError, KeyError):
        return None


def code_of_package(module: str) -> list[str]:
    """Return the Python files of a module's package, absolute; the module's own file if it is of none."""
    spec = find_spec(top_level(module))
    folders = (spec.submodule_search_locations if spec else None) or []
    inside = [file for folder in folders for file in Path(folder).rglob("*.py")]
    alone = [Path(spec.origin)] if spec and spec.origin and not folders else []
    return sorted(str(file.resolve()) for file in (*inside, *alone))


def code_of_packages() -> list[str]:
    """Return the Python files of all packages that are no part of the project, absolute."""
    outside = filter(is_outside, solver_modules())
    return sorted({file for module in outside for file in code_of_package(module)})
