"""Whether the host withheld processors: gave them to another guest, or stopped all at the end of a quota.

A share of the cores' time says how much was stolen, in ticks of 10 ms: of a short trial a single tick is a
large share, and a quiet host steals none.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from retrace.records.record import HELD_BACK

QUOTAS = ("/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat")
"""Where Linux counts how often a quota was used up: of a container's group of processes, version 2 and 1."""


class Withheld:
    """What was withheld since the last call of `begin`."""

    def __init__(self, stat: Path = Path("/proc/stat"), quotas: Sequence[str | Path] = QUOTAS) -> None:
        self.stat, self.quotas = stat, [Path(quota) for quota in quotas]
        self.begin()

    def begin(self) -> None:
        """Forget what was before."""
        self._begun, self._stolen, self._stops = perf_counter(), self._stolen_s(), self._times_stopped()

    def of_trial(self) -> dict[str, Any]:
        """Return `steal`, a share of all cores' time, and `held_back`; None if the system does not say."""
        passed, stolen, stops = perf_counter() - self._begun, self._stolen_s(), self._times_stopped()
        steal, stopped = None, None
        if stolen is not None and self._stolen is not None and passed > 0:
            steal = round((stolen - self._stolen) / (passed * (os.cpu_count() or 1)), 4)
        if stops is not None and self._stops is not None:
            stopped = stops > self._stops
        unknown = steal is None and stopped is None
        held_back = None if unknown else bool(stopped) or (steal or 0.0) > HELD_BACK
        return {"steal": steal, "held_back": held_back}

    def _stolen_s(self) -> float | None:
        try:
            name, *ticks = self.stat.read_text().split("\n", 1)[0].split()
            return int(ticks[7]) / os.sysconf("SC_CLK_TCK") if name == "cpu" else None
        except (OSError, ValueError, IndexError):
            return None

    def _times_stopped(self) -> int | None:
        for quota in self.quotas:
            try:
                counts = dict(line.split() for line in quota.read_text().splitlines())
                return int(counts["nr_throttled"])
            except (OSError, ValueError, KeyError):
                continue
        return None
