"""Calls of the command line, in this process and as a user makes them."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cuda_device.errors import OneLineError

# Where Python keeps no bytecode, each of the many processes that tests start would compile the library anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Several tests share the cores, on which the waiting threads of OpenMP and of NumPy's BLAS would spin.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

PROJECT = Path(__file__).parents[1]
PATHS = (str(PROJECT / "scripts"), os.environ.get("PYTHONPATH", ""))
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, PATHS))}

needs_today = pytest.mark.skipif(
    not (PROJECT / "scripts/retrace_today").is_dir(),
    reason="is about the package of today, which is not there",
)


class Outcome:
    """What a command or script in this process came to."""

    def __init__(self, capsys: pytest.CaptureFixture[str], program: Callable[[], object]) -> None:
        try:
            self.status: Any = program()
        except SystemExit as ended:
            self.status = ended.code
            if isinstance(ended.code, str):  # as Python does at its end
                print(ended.code, file=sys.stderr)
                self.status = 1
        self.out, self.err = capsys.readouterr()

    def refusal(self, status: int) -> str:
        """The one line of an error."""
        assert self.status == status, self.err
        assert self.out == ""
        assert self.err.startswith("error: ")
        assert self.err.count("\n") == 1
        return self.err


def program_of(name: str) -> list[str]:
    """The words that name a program of `scripts/`, or a stage."""
    stage = [f"{PROJECT}/scripts/stage.py", name]
    return [f"{PROJECT}/scripts/{name}"] if name.endswith(".py") else stage


Call = Callable[..., Outcome]
Patch = pytest.MonkeyPatch


def refused(call: Callable[..., object], *given: Any, **named: Any) -> str:
    """The one line with which a function of the library refuses what it is given."""
    with pytest.raises(OneLineError) as caught:
        call(*given, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def run(*argv: object, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "retrace", *map(str, argv)]
    usual: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60}
    return subprocess.run(command, env=ENVIRONMENT, check=False, text=True, **usual | options)


def start(*argv: object) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "retrace", *map(str, argv)]
    return subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE)


def python(program: str, *argv: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program that imports the library in a process of its own."""
    command = [sys.executable, "-c", program, *map(str, argv)]
    environment = ENVIRONMENT | variables
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
