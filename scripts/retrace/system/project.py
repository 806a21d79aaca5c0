"""The project's own files: its kernels and modules, wherever Snakemake works."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "kernels"


def path(name: str) -> str:
    """Name a file of the project from the working folder, so that a moved checkout is not made all over."""
    return name if Path.cwd() == ROOT else str(ROOT / name)


def files_in(folder: str, pattern: str) -> list[str]:
    """List some files of a folder of the project."""
    return sorted(path(str(file.relative_to(ROOT))) for file in (ROOT / folder).glob(pattern))


def kernel_files() -> list[str]:
    """List every file under `kernels/`, as paths in there."""
    return sorted(str(file.relative_to(ROOT / "kernels")) for file in (ROOT / "kernels").rglob("*.*"))


@cache
def with_headers(*files: str) -> tuple[str, ...]:
    """Return files of `kernels/` and every header in there that they include, directly or not.

    Files are named by their paths in `kernels/`, in the order in which they are found.
    """
    found = list(files)
    for file in found:  # which grows meanwhile
        for name in re.findall(r'^ *#include "(.+)"', (KERNELS / file).read_text(), re.MULTILINE):
            header = (KERNELS / file).parent / name
            if header.is_file() and (known := str(header.resolve().relative_to(KERNELS))) not in found:
                found.append(known)
    return tuple(found)


@cache
def imported(module: str, aside: str = "") -> list[str]:
    """List the modules of the library that a file imports, directly or not, but not through `aside`."""
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
