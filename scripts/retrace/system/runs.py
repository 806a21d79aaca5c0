"""Allows only one run at a time in a folder, and ends the jobs of a run together with it."""

import fcntl
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TextIO

from retrace.system.bars import SHOW_BARS
from retrace.system.errors import RetraceError
from retrace.system.solver_packages import BESIDE

LEASH = ("setpriv", "--pdeathsig", "KILL")
"""Prefix of a command that Linux kills when the thread that started it ends."""
_held: list[TextIO] = []
"""Lock files, open until the process ends; the system then releases their locks."""


def take_lock(path: Path) -> None:
    """Take the lock at `path` until this process ends; if another run holds it, a RetraceError names it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise RetraceError(
            f"another run, process {file.read().strip()}, is working in this folder; wait for it or end it"
        ) from None
    except OSError:
        return  # a file system without locks
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    _held.append(file)


def shell_prefix(python: Path | None) -> str:
    """Return the prefix of each job's command: its Python, bars on a terminal, an end with Snakemake.

    `python` is the folder of that Python; without one, a job has the first on its PATH.
    NumPy's BLAS, which nothing here uses, gets one thread: others would spin at the start of each job.
    """
    try:
        can_die = subprocess.run([*LEASH, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        can_die = False
    # Snakemake may have been killed before Linux knew of the leash.
    alive = f"sh -c 'kill -0 {os.getpid()} && exec \"$@\"' sh"
    leash = f"exec {' '.join(LEASH)} {alive} " if can_die else ""
    path = f'PATH={shlex.quote(str(python))}:"$PATH"' if python else "PATH"
    shown = f" {SHOW_BARS}=1" if sys.stderr.isatty() else ""
    blas = f"OPENBLAS_NUM_THREADS={shlex.quote(os.environ.get('OPENBLAS_NUM_THREADS', '1'))}"
    modules = ":".join(filter(None, (str(BESIDE), os.environ.get("PYTHONPATH"))))
    return f"set -euo pipefail; export {path} PYTHONPATH={shlex.quote(modules)} {blas}{shown}; {leash}"
