"""docs/graph-in-hand.md and its notebook: every command prints what the page shows, every cell runs."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest

import notebook_kernel
import shown_commands
from command_line import PROJECT, Patch, needs_today

PAGE, NOTEBOOK = PROJECT / "docs/graph-in-hand.md", PROJECT / "docs/graph-in-hand.ipynb"


@needs_today
def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    """`python tests/shown_commands.py docs/graph-in-hand.md` writes what they print now."""
    page = PAGE.read_text()
    assert len([command for command in shown_commands.commands(page) if "retrace " in command]) >= 30
    now = shown_commands.in_an_empty_folder(page, tmp_path)
    assert "\n".join(difflib.unified_diff(page.splitlines(), now.splitlines(), lineterm="")) == ""


def test_what_a_command_prints_is_shown_without_times(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)
    page = "```console\n$ printf 'a b\\nsetup 1.234, solve 0.001 ms; 2.345 s; 0.0195\\n'\nold\n```\n"
    (block,) = shown_commands.filled(page).split("```console\n")[1:]
    assert block.splitlines()[1:] == ["a b", "setup …, solve … ms; … s; 0.0195", "```"]
    page = "```console\n$ retrace solve bfs/queue nowhere.txt --source 1\n```\n"
    assert "error: nowhere.txt" in shown_commands.filled(page)


def test_the_cells_load_solve_check_and_plot(
    tmp_path: Path, monkeypatch: Patch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    notebook_kernel.run_cells(NOTEBOOK, [])
    printed = re.split(r"^\[(\S+)\]\n", capsys.readouterr().out, flags=re.MULTILINE)
    shown = dict(zip(printed[1::2], printed[2::2], strict=True))
    assert shown["load"] == "['ann', 'bob', 'cy', 'dan']\n"
    assert shown["solve"].startswith(
        "{'ann': 0.0, 'bob': 0.5, 'cy': 1.5, 'dan': 4.0}\n['ann', 'bob', 'cy', 'dan']\n"
    )
    verified = ["verified against scipy.sparse.csgraph.dijkstra", "verified against optimality certificate"]
    assert shown["check"].splitlines() == verified
    assert "within=" in shown["sample"]
    assert len(plt.gcf().axes) == 2
    plt.close()
    assert Path("levels.png").read_bytes()[:4] == b"\x89PNG"


def test_the_notebook_is_a_valid_one_that_was_never_run() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [(cell.execution_count, cell.outputs) for cell in code] == [(None, [])] * len(code)
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "code"] * len(code)
    assert NOTEBOOK.read_text() == nbformat.writes(notebook) + "\n"  # as Jupyter would save it
