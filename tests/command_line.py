"""Calls of the command line, in this process and as a user makes them."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from retrace import cli

PROJECT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT / "scripts")}


class Outcome:
    """What a command in this process came to."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *argv: object) -> None:
        try:
            self.status: Any = cli.main([str(word) for word in argv])
        except SystemExit as ended:
            self.status = ended.code
        self.out, self.err = capsys.readouterr()

    def refusal(self, status: int) -> str:
        """The one line of an error."""
        assert self.status == status, self.err
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        return self.err


def rows(path: Path) -> list[list[str]]:
    """Read a CSV file."""
    with path.open(newline="") as file:
        return list(csv.reader(file))


def run(*argv: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "retrace", *map(str, argv)]
    return subprocess.run(
        command, capture_output=True, text=True, env=ENVIRONMENT, check=False, timeout=60, **options
    )


def run_script(name: str, *argv: object) -> subprocess.CompletedProcess[str]:
    """Run one of the programs in `scripts/` in a process of its own."""
    command = [sys.executable, str(PROJECT / "scripts" / name), *map(str, argv)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
