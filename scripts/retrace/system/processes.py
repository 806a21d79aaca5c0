"""Runs a task in several processes at the same time, each on its own core."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from retrace.system.errors import RetraceError

Result = TypeVar("Result")
PR_SET_PDEATHSIG = 1


def check_cores(processes: int) -> None:
    """Raise RetraceError, with the number of cores, unless there is a core for each process."""
    cores = len(os.sched_getaffinity(0))
    if not 1 <= processes <= cores:
        raise RetraceError(f"at once: {processes} processes, expected from 1 to {cores}, one per core")


def side_by_side(task: Callable[[], Result], processes: int) -> list[Result]:
    """Run `task` in several processes at the same time; return the result of each.

    The processes are forked and share the graph's memory; OpenMP's threads would not survive that. Raise the
    first exception of a task, or ChildProcessError if one ended without a result, such as for want of memory.
    """
    check_cores(processes)
    fork = multiprocessing.get_context("fork")
    started = []
    for core in sorted(os.sched_getaffinity(0))[:processes]:
        ours, theirs = fork.Pipe(duplex=False)
        process = fork.Process(target=_run_on, args=(core, task, theirs))
        process.start()
        theirs.close()
        started.append((process, ours))
    outcomes: list[Any] = []
    for process, ours in started:
        try:
            outcomes.append(ours.recv())
        except EOFError:
            process.join()
            outcomes.append(ChildProcessError(f"a process ended with exit code {process.exitcode}"))
        process.join()
    for error in (outcome for outcome in outcomes if isinstance(outcome, Exception)):
        raise error
    return outcomes


def die_with_parent() -> None:
    """Let Linux kill this process when the thread that started it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _run_on(core: int, task: Callable[[], Result], answer: Connection) -> None:
    """Run the task on one core and send its outcome; this process dies with its parent."""
    die_with_parent()
    os.sched_setaffinity(0, {core})
    try:
        answer.send(task())
    except Exception as error:
        answer.send(error)
