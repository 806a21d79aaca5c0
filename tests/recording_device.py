"""A device that notes what is copied, allocated and run in which phase, and the clock of these phases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cuda_device.interface import Buffer
from cuda_on_cpu.device import EmulatedBuffer, EmulatedDevice
from cuda_on_cpu.work_queue import WorkQueue


class Action(NamedTuple):
    """What a device did for its host."""

    kind: str
    """`allocate`, `lock`, `send`, `fetch`, `fill`, `run` or `wait`."""
    bytes: int = 0


class RecordingDevice(EmulatedDevice):
    """The emulator, whose work waits until the host does; a look at `clock` ends a phase.

    An action takes a second by this clock, and nothing else takes any time.
    """

    def __init__(self) -> None:
        super().__init__()
        self.work = WorkQueue(lazy=True)
        self.phases: list[list[Action]] = [[]]
        self.unfinished: list[int] = []
        """What had not run at the end of each phase."""

    def now(self) -> float:
        """Return the seconds since the device was made."""
        return float(sum(map(len, self.phases)))

    def clock(self) -> float:
        """End a phase, and return the seconds."""
        self.unfinished.append(len(self.work.pending))
        seconds = self.now()
        self.phases.append([])
        return seconds

    def note(self, kind: str, size: int = 0, dtype: DTypeLike = np.uint8) -> None:
        self.phases[-1].append(Action(kind, size * np.dtype(dtype).itemsize))

    def empty(self, size: int, dtype: DTypeLike) -> EmulatedBuffer:
        self.note("allocate", size, dtype)
        return super().empty(size, dtype)

    def pinned(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        self.note("lock", size, dtype)
        return super().pinned(size, dtype)

    def mapped(self, size: int, dtype: DTypeLike) -> tuple[NDArray[Any], EmulatedBuffer]:
        self.note("lock", size, dtype)
        return super().mapped(size, dtype)

    def write(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        self.note("send", host.nbytes)
        super().write(buffer, host, stream)

    def read(self, buffer: Buffer, host: NDArray[Any], stream: Any | None = None) -> None:
        self.note("fetch", host.nbytes)
        super().read(buffer, host, stream)

    def fill(self, buffer: Buffer, value: int | float, stream: Any | None = None) -> None:
        self.note("fill", buffer.size, buffer.dtype)
        super().fill(buffer, value, stream)

    def synchronize(self) -> None:
        self.note("wait")
        super().synchronize()

    def next_seed(self) -> tuple[int, int]:
        """Note a launch when it runs, which may be later than when it was made."""
        self.note("run")
        return super().next_seed()
