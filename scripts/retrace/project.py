"""The project's own files: kernels, modules, printed numbers and words; wherever Snakemake works."""

from __future__ import annotations

import ast
import csv
from functools import cache
from pathlib import Path

from retrace.claims.reports import REPORTS

ROOT = Path(__file__).resolve().parents[2]


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


@cache
def printed_tables() -> dict[str, str]:
    """Find the tables whose printed numbers are in `results/published/`: each one's file."""
    return {
        row["table"]: path(str(file.relative_to(ROOT)))
        for file in sorted((ROOT / "results/published").glob("*.csv"))
        if file.stem not in REPORTS
        for row in csv.DictReader(file.read_text().splitlines())
    }


def claims_file(report: str) -> str:
    """Name the file of what a report says in words."""
    return path(f"results/published/{report}.csv")
