"""Runs a task in several processes at the same time, each on its own core."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

from retrace.system.errors import RetraceError

Result = TypeVar("Result")

PR_SET_PDEATHSIG = 1


def check_cores(processes: int) -> None:
    """Check that there is a core for each process.

    Raises
    ------
    RetraceError
        If there are too few cores; the message gives their number.
    """
    cores = len(os.sched_getaffinity(0))
    if not 1 <= processes <= cores:
        raise RetraceError(f"at once: {processes} processes, expected from 1 to {cores}, one per core")


def side_by_side(task: Callable[[], Result], processes: int) -> list[Result]:
    """Run `task` in several processes at the same time; return the result of each.

    The processes are forked, so that they share the memory of the graph. A task must not use OpenMP, whose
    threads do not survive a fork.

    Raises
    ------
    Exception
        The first exception that a task raised.
    ChildProcessError
        If a process ended without a result, for example because the system ran out of memory and killed it.
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
    outcomes: list[tuple[Result | None, Exception | None]] = []
    for process, ours in started:
        try:
            outcomes.append(ours.recv())
        except EOFError:
            process.join()
            outcomes.append((None, ChildProcessError(f"a process ended with exit code {process.exitcode}")))
        process.join()
    results = []
    for result, error in outcomes:
        if error is not None:
            raise error
        assert result is not None
        results.append(result)
    return results


def _run_on(core: int, task: Callable[[], Result], answer: Connection) -> None:
    """Run the task on one core and send its outcome; this process dies with its parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.sched_setaffinity(0, {core})
    try:
        result = task()
    except Exception as error:
        answer.send((None, error))
    else:
        answer.send((result, None))
