"""The order of work on the emulator: under a seed, it waits as long as a GPU may let it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

Work = Callable[[], None]


class WorkQueue:
    """Work that was issued and has not run.

    What is issued to a stream runs in order. The default stream, None, waits for all that was issued before,
    and what is issued later waits for it: CUDA's legacy default stream. If the queue is not `lazy`, all work
    runs when it is issued. Otherwise it runs when the host waits for it, and not before: a host that does not
    wait reads what was there, and what it writes to pinned memory in the meantime is what a copy finds.
    """

    def __init__(self, lazy: bool) -> None:
        self.lazy = lazy
        self.pending: list[tuple[EmulatedStream | None, Work]] = []

    def issue(self, stream: EmulatedStream | None, work: Work) -> None:
        """Add work to a stream."""
        if self.lazy:
            self.pending.append((stream, work))
        else:
            work()

    def finish(self, stream: EmulatedStream | None = None) -> None:
        """Run the work of a stream and what it waits for; of the default stream, all work."""
        streams = [where for where, _ in self.pending]
        last = max((at for at, where in enumerate(streams) if where is stream), default=-1)
        waited_for = max((at for at, where in enumerate(streams[:last]) if where is None), default=-1)
        due: list[tuple[EmulatedStream | None, Work]] = []
        waiting = due.copy()
        for at, (where, work) in enumerate(self.pending):
            runs = stream is None or where is stream or at <= waited_for
            (due if runs else waiting).append((where, work))
        self.pending = waiting
        for _, work in due:
            work()


class EmulatedStream:
    """A stream of a device."""

    def __init__(self, queue: WorkQueue) -> None:
        self.queue = queue

    def synchronize(self) -> None:
        """Wait until all work in the stream is finished."""
        self.queue.finish(self)


class EmulatedEvent:
    """An event that stores the host's time when it is reached."""

    def __init__(self, queue: WorkQueue) -> None:
        self.queue = queue
        self.stream: EmulatedStream | None = None
        self.seconds: float | None = None

    def record(self, stream: Any | None = None) -> None:
        """Place the mark after all work that is now in the stream."""
        self.stream, self.seconds = stream, None
        self.queue.issue(stream, self.reach)

    def reach(self) -> None:
        """Note the time."""
        self.seconds = time.perf_counter()

    def synchronize(self) -> None:
        """Wait until the mark is reached."""
        if self.seconds is None:
            self.queue.finish(self.stream)

    def milliseconds_since(self, earlier: Self) -> float:
        """Return the ms from an earlier mark; raise ValueError unless both have been reached."""
        if self.seconds is None or earlier.seconds is None:
            raise ValueError("an event that was not reached has no time")
        return (self.seconds - earlier.seconds) * 1e3
