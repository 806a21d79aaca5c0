"""The order of work on the emulator: under a seed, it waits as long as a GPU may let it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Self

Work = Callable[[], None]
Issued = tuple["EmulatedStream | None", Work]


class WorkQueue:
    """Work that was issued and has not run.

    What is issued to a stream runs in order. The default stream, None, waits for all that was issued before,
    and what is issued later waits for it: CUDA's legacy default stream. If the queue is not `lazy`, all work
    runs when it is issued. Otherwise it runs when the host waits for it, and not before: a host that does not
    wait reads what was there, and what it writes to pinned memory in the meantime is what a copy finds.
    A `seed` chooses the order in which work of several streams runs; without, it is that of its issue.
    """

    def __init__(self, lazy: bool, seed: int | None = None) -> None:
        self.lazy = lazy
        self.random = None if seed is None else Random(seed)
        self.pending: list[Issued] = []

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
        due: list[Issued] = []
        waiting = due.copy()
        for at, (where, work) in enumerate(self.pending):
            runs = stream is None or where is stream or at <= waited_for
            (due if runs else waiting).append((where, work))
        self.pending = waiting
        for work in self._in_order(due):
            work()

    def _in_order(self, due: list[Issued]) -> Iterator[Work]:
        """Yield work, of streams that do not wait for each other in an order by chance."""
        streams: dict[EmulatedStream | None, list[Work]] = defaultdict(list)
        for at, (stream, work) in enumerate(due):
            streams[stream].append(work)
            if self.random and stream is not None and at + 1 < len(due) and due[at + 1][0] is not None:
                continue
            while streams:
                chosen = self.random.choice(list(streams)) if self.random else stream
                yield streams[chosen].pop(0)
                if not streams[chosen]:
                    del streams[chosen]


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
