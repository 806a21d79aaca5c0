"""The end of a process whose kernel does not end: nothing else stops one."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

from retrace.system.errors import RetraceError

FACTOR, LEAST_S = 10, 60
"""A solver may take so many times the longest prediction that is accepted, and so many seconds more."""


@contextmanager
def patience(name: str, longest_s: float) -> Iterator[None]:
    """End the process, with one line, if the work takes much longer than any that was to be begun.

    The work must wait without Python's lock, as waiting for a device does.
    """
    seconds = FACTOR * longest_s + LEAST_S
    timer = Timer(seconds, give_up, [name, seconds, longest_s])
    timer.daemon = True
    if seconds < float("inf"):
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def give_up(name: str, seconds: float, longest_s: float) -> None:
    """Say what did not end, and end the process at once."""
    told = f"{name}: has not ended after {seconds:g} s, longest_s is {longest_s:g}"
    error = RetraceError(f"{told}; leave the solver out of the experiment, or set a greater longest_s")
    print(f"error: {error}", file=sys.stderr, flush=True)
    os._exit(1)
