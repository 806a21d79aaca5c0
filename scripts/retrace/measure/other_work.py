"""How many cores other processes keep busy while this one measures.

The load average of a host takes a minute to fall, so it counts work that has ended before the first trial.
"""

import os
from pathlib import Path
from time import perf_counter, process_time

INTERVAL_S = 0.5
"""Seconds of an interval: the system counts busy time in steps of 10 ms."""


class OtherWork:
    """The cores that others kept busy in the last interval of at least `INTERVAL_S` seconds."""

    def __init__(self, stat: Path = Path("/proc/stat")) -> None:
        self.stat = stat
        self.elsewhere = 0.0
        """Seconds of all cores that processes of this job's own have used."""
        self.last = self._now()
        self.found: float | None = None

    def cores(self) -> float | None:
        """Return how many, or None where the system does not say, or no interval has ended."""
        now = self._now()
        if now is None or self.last is None:
            return None
        passed, everyone, own = (after - before for after, before in zip(now, self.last, strict=True))
        if passed >= INTERVAL_S:
            self.found, self.last = round(max(0.0, everyone - own) / passed, 2), now
        return self.found

    def _now(self) -> tuple[float, float, float] | None:
        """Return the time, that of all processes on all cores, and that of this one, in seconds."""
        try:
            name, *ticks = self.stat.read_text().split("\n", 1)[0].split()
            user, nice, system, _, _, irq, softirq, steal = map(int, ticks[:8])
        except (OSError, ValueError):
            return None
        if name != "cpu":
            return None
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        return perf_counter(), busy, process_time() + self.elsewhere
