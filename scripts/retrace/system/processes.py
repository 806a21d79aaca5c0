"""Runs a task several times at once, each in a process of its own on a core of its own."""

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
    """Refuse more processes than there are cores for.

    Raises
    ------
    RetraceError
        Naming how many there are.
    """
    cores = len(os.sched_getaffinity(0))
    if not 1 <= processes <= cores:
        raise RetraceError(f"at once: {processes} processes, expected from 1 to {cores}, one for each core")


def side_by_side(task: Callable[[], Result], processes: int) -> list[Result]:
    """Run `task` in some processes at once; returns what each of them did.

    The processes are forked: they share the graph's memory instead of reading it again. A task may not use
    OpenMP, whose threads do not survive that.

    Raises
    ------
    Exception
        The first that a task raised.
    ChildProcessError
        If a process died of a signal, such as one that the system kills for its memory.
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
    """Be one of the processes: on one core, and not outliving the one that wants the answer."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.sched_setaffinity(0, {core})
    try:
        result = task()
    except Exception as error:
        answer.send((None, error))
    else:
        answer.send((result, None))
