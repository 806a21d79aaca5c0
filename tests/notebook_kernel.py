"""Runs cells of a notebook in this process, without Jupyter; they have to be plain Python.

    python tests/notebook_kernel.py NOTEBOOK [CELL ...]

Cells are named by their ids; if none is, all code cells are run, in order. A line `[id]` precedes what each
prints, and the value of its last line, if that has one.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from types import ModuleType


class Markdown:
    """Stands in for IPython's: text, shown as it is."""

    def __init__(self, filename: str) -> None:
        self.shown = Path(filename).read_text(encoding="utf-8")


class Image:
    """Stands in for IPython's: told by how it begins, which names its format, and its length."""

    def __init__(self, filename: str, width: int) -> None:
        content = Path(filename).read_bytes()
        self.shown = f"{content[:8]!r}, {len(content)} bytes, {width} pixels wide"


def display(shown: Markdown | Image) -> None:
    """Print what a notebook would show."""
    print(shown.shown, flush=True)


def stand_in() -> ModuleType:
    """Return a module with the part of `IPython.display` that notebooks use here."""
    module = ModuleType("IPython.display")
    module.__dict__.update(Markdown=Markdown, Image=Image, display=display)
    return module


def code_cells(notebook: Path) -> dict[str, str]:
    """Return the code cells by their ids."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}


def run_cells(notebook: Path, chosen: list[str]) -> None:
    """Run the chosen cells, or all."""
    cells, names = code_cells(notebook), {"__name__": "__main__"}
    for name in chosen or cells:
        print(f"[{name}]", flush=True)
        *first, last = ast.parse(cells[name]).body
        exec(compile(ast.Module(first, []), name, "exec"), names)
        exec(compile(ast.Interactive([last]), name, "single"), names)


if __name__ == "__main__":
    sys.modules |= {"IPython": ModuleType("IPython"), "IPython.display": stand_in()}
    run_cells(Path(sys.argv[1]), sys.argv[2:])
