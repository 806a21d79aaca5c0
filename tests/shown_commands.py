"""Commands that a page shows with what they print: ```` ```console ```` blocks, whose commands follow `$ `.

    python tests/shown_commands.py docs/graph-in-hand.md

runs them anew in an empty folder, in order, and writes what they print into the page.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from command_line import ENVIRONMENT, PROJECT
from retrace import cli

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMES = re.compile(r"\d+\.\d{3}(?=,| ms| s\b)")
"""Milliseconds of the phases, and seconds, which differ from run to run."""


def commands(page: str) -> list[str]:
    """List the commands of a page, in order."""
    return [line[2:] for block in BLOCK.findall(page) for line in block.splitlines() if line.startswith("$ ")]


def printed(command: str) -> str:
    """Run a command in the current folder; return what it prints, errors too, with `…` for each time.

    One of Retrace alone runs in this process, which has its libraries loaded already.
    """
    if command.startswith("retrace ") and not set(command) & set("|<>&"):
        out = io.StringIO()
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
            contextlib.suppress(SystemExit),
        ):
            cli.main(shlex.split(command)[1:])
        text = out.getvalue()
    else:
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command], env=ENVIRONMENT | {"PATH": programs}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        text = done.stdout
    return TIMES.sub("…", text)


def filled(page: str) -> str:
    """Return a page with what its commands print now, in the current folder."""

    def fill(block: re.Match[str]) -> str:
        shown = "".join(f"$ {command}\n{printed(command)}" for command in commands(block[0]))
        return f"```console\n{shown}```"

    return BLOCK.sub(fill, page)


def in_an_empty_folder(page: str, folder: Path) -> str:
    """Return a page, filled in a folder that has the project's graphs."""
    (folder / "workflow").symlink_to(PROJECT / "workflow")
    with contextlib.chdir(folder):
        return filled(page)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        path.write_text(in_an_empty_folder(path.read_text(encoding="utf-8"), Path(folder)), encoding="utf-8")
