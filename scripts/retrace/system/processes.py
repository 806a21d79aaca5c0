"""Runs a task on all cores at the same time, in a process on each."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

Result = TypeVar("Result")
PR_SET_PDEATHSIG = 1

_task: Callable[[], Any]
"""In a process that was started, what it runs: forked, so that it need not be pickled."""


def on_all_cores(task: Callable[[], Result]) -> list[Result]:
    """Run `task` in a process on each core at the same time; return the result of each.

    The processes are forked and share the graph's memory; OpenMP's threads would not survive that. Raise the
    first exception of a task, or BrokenProcessPool if one ended without a result, such as for want of memory.
    """
    cores = os.sched_getaffinity(0)
    with ProcessPoolExecutor(len(cores), get_context("fork"), _begin, (task,)) as pool:
        return list(pool.map(_run_on, cores))


def die_with_parent(parent: int | None = None) -> None:
    """Let Linux kill this process when the thread that started it ends.

    `parent` is the number of its process, which may have ended before Linux was told.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def run_with_this(*command: object) -> int:
    """Run a command that ends with this process; return its exit status, or minus its signal."""
    leash = partial(die_with_parent, os.getpid())
    return subprocess.run([*map(str, command)], preexec_fn=leash, check=False).returncode


def _begin(task: Callable[[], Any]) -> None:
    """Take the task; this process dies with its parent."""
    global _task
    _task = task
    die_with_parent()


def _run_on(core: int) -> Any:
    os.sched_setaffinity(0, {core})
    return _task()
