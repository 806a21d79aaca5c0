"""What the host may take per level of a published search until one core is as fast."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from retrace.reports.frame import Frame, Measured, fastest, why_incomparable


@dataclass(frozen=True)
class HostPerLevel:
    """A published kernel beside what is fastest on one core, in total."""

    kernel: Measured
    core: Measured

    @property
    def measured_us(self) -> float:
        """What a level takes outside its kernels, in microseconds."""
        return 1e3 * (self._median("solve") - self._median("kernel")) / self._levels

    @property
    def break_even_us(self) -> float:
        """What a level may take outside its kernels for both to take the same in total, in microseconds."""
        paid = sum(map(self._median, ("upload", "kernel", "download")))
        return 1e3 * (self.core.times["total"].median - paid) / self._levels

    @property
    def _levels(self) -> int:
        return self.kernel.record.iterations or 1

    def _median(self, phase: str) -> float:
        return next(times.median for name, times in self.kernel.times.items() if name == phase)


def host_per_level(frame: Frame) -> Iterator[HostPerLevel]:
    """Yield it for each table with a speed-up, whose kernel counts its levels, by graph and machine."""
    layouts = {entry.experiment: entry.layout for entry in frame.measured if entry.layout.speed_up}
    for name, layout in layouts.items():
        for row, machine in product(frame.of(name).rows, frame.machines):
            kernel = row.of(machine, layout.speed_up.of) if layout.speed_up else None
            if kernel is None or "kernel" not in kernel.times or not kernel.record.iterations:
                continue
            cores = (e for e in row.here(machine) if e.record.cores == 1 and e.kind != "library")
            alike = (e for e in cores if why_incomparable(e, kernel) is None)
            if core := fastest(alike, "total"):
                yield HostPerLevel(kernel, core)
