"""The energy that a GPU takes for a search: the same one, repeated between two ticks of the board's counter.

The counter moves every 100 ms. What happened before the tick that begins, or after the one that ends, is of
other work, and does not count.
"""

from collections.abc import Callable
from time import perf_counter, sleep

from retrace.records.record import Energy

READ_S = 0.005
"""Seconds of searches between two readings of the counter, in which a board idles for some milliseconds."""
SILENT_S = 1.0
"""Seconds without a tick after which the counter counts as broken."""
IDLE_S = 1.0
"""Seconds for which idle power is measured."""


def energy_of(
    search: Callable[[], object], joules: Callable[[], float | None], seconds: float, idle_watts: float | None
) -> Energy | None:
    """Repeat a search for at least some seconds; return what it took, or None if the counter does not move.

    `joules` reads the counter, whose beginning is of no matter. A search must end before it returns.
    """
    if (first := next_tick(search, joules, 0.0)) is None:
        return None
    if (last := next_tick(search, joules, seconds)) is None:
        return None
    (_, begun, before), (searches, ended, after) = first, last
    return Energy(searches=searches, seconds=ended - begun, joules=after - before, idle_watts=idle_watts)


def idle_power(joules: Callable[[], float | None]) -> float | None:
    """Return the watts of a GPU that does nothing, over a second or more; None if there is no counter."""
    idle = energy_of(lambda: sleep(READ_S), joules, IDLE_S, None)
    return idle.joules / idle.seconds if idle else None


def next_tick(
    search: Callable[[], object], joules: Callable[[], float | None], least_s: float
) -> tuple[int, float, float] | None:
    """Search until the counter's first tick after some seconds; return the searches, the time, the joules.

    It is read only when the seconds have passed: on an H100 readings every 5 ms took nearly half of the time.
    """
    begun, searches = perf_counter(), 0
    while perf_counter() - begun < least_s:
        search()
        searches += 1
    before = joules()
    while before is not None:
        reads_at = perf_counter() + READ_S
        while not searches or perf_counter() < reads_at:
            search()
            searches += 1
        now, time = joules(), perf_counter()
        if now is None or time - begun > least_s + SILENT_S:
            return None
        if now != before:
            return searches, time, now
        before = now
    return None
