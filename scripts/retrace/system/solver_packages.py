"""Packages outside the project that have solvers: each names a module as an entry point of `retrace.solvers`.

The module is imported when a solver is looked up that the project does not have, or all are. The classes that
it defines register themselves, as the project's do. It may name a file of experiments, `experiments`.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from retrace.system.errors import RetraceError

SOLVER_GROUP = "retrace.solvers"
"""Of entry points, each of which names a module."""


@cache
def solver_entry_points() -> dict[str, EntryPoint]:
    """Return the entry points of all installed packages, by module; nothing is imported for it."""
    return {point.value: point for point in sorted(entry_points(group=SOLVER_GROUP))}


def is_of_package(module: str) -> bool:
    """Return whether a module is of a package that has an entry point."""
    return top_level(module) in map(top_level, solver_entry_points())


def top_level(module: str) -> str:
    """Return the package of a module, or the module itself if it is of none."""
    return module.partition(".")[0]


@cache
def import_packages() -> tuple[ModuleType, ...]:
    """Import the modules of all packages; raise RetraceError if that fails, whatever it fails of."""
    found = []
    for module, point in solver_entry_points().items():
        try:
            found.append(import_module(module))
        except (Exception, SystemExit) as error:
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise RetraceError(
                f"entry point {point.name} of {SOLVER_GROUP}: {module} cannot be imported ({why}); "
                "repair its package, or uninstall it"
            ) from None
    return tuple(found)


def code_of_package(module: str) -> list[str]:
    """Return the Python files of a module's package, absolute; the module's own file if it is of none."""
    spec = find_spec(top_level(module))
    folders = (spec.submodule_search_locations if spec else None) or []
    inside = [file for folder in folders for file in Path(folder).rglob("*.py")]
    alone = [Path(spec.origin)] if spec and spec.origin and not folders else []
    return sorted(str(file.resolve()) for file in (*inside, *alone))


def code_of_packages() -> list[str]:
    """Return the Python files of all packages that have an entry point, absolute."""
    return sorted({file for module in solver_entry_points() for file in code_of_package(module)})
