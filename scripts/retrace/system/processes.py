"""Runs a task for each of some items, in a process on each core."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
PR_SET_PDEATHSIG = 1

_task: Callable[[Any], Any]
"""In a process that was started, what it runs: forked, so that it need not be pickled."""


def on_all_cores(task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yield what `task` returns for each item; a process on each core takes one after the other.

    The processes are forked and share the graph's memory; OpenMP's threads would not survive that. Raise the
    first exception of a task, or BrokenProcessPool if one ended without a result, such as for want of memory.
    """
    cores = min(len(items), len(os.sched_getaffinity(0)))
    with ProcessPoolExecutor(cores, get_context("fork"), _begin, (task,)) as pool:
        yield from pool.map(_run_on, items)


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


def _begin(task: Callable[[Any], Any]) -> None:
    """Take the task; this process dies with its parent."""
    global _task
    _task = task
    die_with_parent()


def _run_on(item: Any) -> Any:
    return _task(item)
