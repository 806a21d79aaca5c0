"""Snakemake in a fork of a process that has imported it: the imports are half of the time of a short run."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from threading import Lock

FORKS = get_context("forkserver")
# By names of installed packages: Python 3.11 looks for no others, and does not say what it has not found.
FORKS.set_forkserver_preload(["snakemake.cli", "snakemake.report.html_reporter", "smart_open", "numpy"])
OURS = frozenset(path.name for path in (Path(__file__).parents[1] / "scripts").iterdir())
"""The project's packages."""
ALONE = Lock()
"""To start a process asks how each other one ended, which can be asked once."""


def call(folder: Path, *arguments: str, environment: Mapping[str, str], timeout: float) -> tuple[int, str]:
    """Call Snakemake in `folder`; returns its exit status and what it printed."""
    with tempfile.NamedTemporaryFile() as file:
        given = (folder, arguments, dict(environment), file.name)
        process = FORKS.Process(target=_snakemake, args=given)
        with ALONE:
            process.start()
        ended = wait([process.sentinel], timeout)
        if not ended and process.pid:
            os.killpg(process.pid, signal.SIGKILL)  # its jobs, too
        with ALONE:
            process.join()
        assert ended, file.read().decode()
        return process.exitcode or 0, file.read().decode()


def _snakemake(folder: Path, arguments: tuple[str, ...], environment: dict[str, str], printed: str) -> None:
    """Do what `python -m snakemake` does."""
    from snakemake.cli import main  # where it is imported already

    # A server that a solver's own process began has imported the code of the checkout, not of a copy.
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        del sys.modules[name]
    gc.freeze()  # what all forks share is no garbage
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    file = os.open(printed, os.O_WRONLY | os.O_APPEND)
    for output in (sys.stdout, sys.stderr):
        os.dup2(file, output.fileno())
    sys.argv = ["snakemake", *arguments]
    main()
