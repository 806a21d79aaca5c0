"""Finds the files of the project, such as kernels and modules, from any working folder of Snakemake."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "kernels"


def path(name: str) -> str:
    """Return the path of a file of the project.

    It is relative in the checkout itself, so that Snakemake does not rebuild everything when that is moved.
    """
    return name if Path.cwd() == ROOT else str(ROOT / name)


def files_in(folder: str, pattern: str) -> list[str]:
    """List the files of a folder of the project that match a pattern."""
    return sorted(path(str(file.relative_to(ROOT))) for file in (ROOT / folder).glob(pattern))


def kernel_files() -> list[str]:
    """List every file under `kernels/`, as paths relative to it."""
    return sorted(str(file.relative_to(ROOT / "kernels")) for file in (ROOT / "kernels").rglob("*.*"))


@cache
def imported(module: str, aside: str = "") -> list[str]:
    """List the library modules that a file imports, directly or not; do not follow the module `aside`."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for node in ast.walk(ast.parse((ROOT / waiting.pop()).read_text())):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("retrace"):
                names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
                paths = [
                    f"scripts/{name.replace('.', '/')}{end}"
                    for name in names
                    for end in (".py", "/__init__.py")
                ]
                new = {path for path in paths if (ROOT / path).exists()} - found - {aside}
                found |= new
                waiting += new
    return sorted(found)
