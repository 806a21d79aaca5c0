"""A setting of a solver: its default, its bounds and what it means, declared once."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from retrace.system.errors import RetraceError

Value = int | str


@dataclass(frozen=True)
class Setting:
    """The declaration of a setting."""

    default: Value
    """The value used if none is given; its type is the setting's type."""
    meaning: str
    """What the setting controls, with its unit."""
    least: int = 1
    most: int = 2**31 - 2
    """The bounds of an integer, both included; kernels take 32-bit integers below `UNREACHABLE`."""
    choices: tuple[str, ...] = ()
    """The values that a string may have."""

    def parse(self, key: str, text: str) -> Value:
        """Convert a value; raise RetraceError if it is no integer, out of bounds, or none of the choices."""
        is_integer = not isinstance(self.default, str) and re.fullmatch(r"-?[0-9]{1,19}", text)
        return self.check(key, int(text) if is_integer else text)

    def check(self, key: str, value: float | str) -> Value:
        """Return a value; raise RetraceError as `parse` does."""
        if isinstance(self.default, str):
            if value not in self.choices:
                raise RetraceError(f"{key} is {value}, expected {' or '.join(self.choices)}")
            return str(value)
        if not isinstance(value, int):
            raise RetraceError(f"{key}: {value!r} is not an integer")
        if not self.least <= value <= self.most:
            raise RetraceError(f"{key} is {value}, expected from {self.least} to {self.most}")
        return value


Settings = Mapping[str, Setting]

PREDECESSORS: Settings = {
    "predecessors": Setting("no", "whether predecessors are found", choices=("no", "yes"))
}
"""The setting of a search that finds predecessors, in `solve`, if it is asked to."""

LOOP: Settings = {
    "loop": Setting(
        "c++", "what repeats the launches: C++, as in print, or Python", choices=("c++", "python")
    )
}
"""The setting of a published solver that launches kernels until what the host reads says that it is enough.

Those that launch a handful, or whose launches differ in each iteration, have none: Python launches.
"""

DELTA: Settings = {"delta": Setting(0, "width of a bucket; 0 lets the solver choose", least=0, most=2**30)}
"""The setting of Δ-stepping."""

CORES = len(os.sched_getaffinity(0))
"""Cores of the CPU that this process may use."""

THREADS: Settings = {
    "threads": Setting(0, "threads of the host; 0: one on each core, or as many as prove fastest", least=0)
}
"""The setting of a solver that uses several cores of the CPU; its records observe how many threads it had."""
