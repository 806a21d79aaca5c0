"""One run at a time in a folder, and no job that outlives its run."""

from __future__ import annotations

import fcntl
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TextIO

from retrace.system.errors import RetraceError

LEASH = ("setpriv", "--pdeathsig", "KILL")
"""Runs a command that Linux kills together with the thread that started it."""


_held: list[TextIO] = []
"""Open for as long as the process lives; the system lets go of their locks when it dies, however it does."""


def take_lock(path: Path) -> None:
    """Take the lock at `path` for the rest of this process.

    Raises
    ------
    RetraceError
        If another run holds it, naming its process.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise RetraceError(
            f"another run, process {file.read().strip()}, is at work in this folder; wait for it or end it"
        ) from None
    except OSError:
        return  # a file system without locks
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    _held.append(file)


def shell_prefix() -> str:
    """Return what stands before each job's command: it runs our Python, and dies with Snakemake if it can."""
    try:
        can_die = subprocess.run([*LEASH, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        can_die = False
    leash = f"exec {' '.join(LEASH)} " if can_die else ""
    return f'set -euo pipefail; export PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"; {leash}'
