"""A setting of a solver: its default, its bounds and what it means, declared once."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

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

    @classmethod
    def of_json(cls, plain: Mapping[str, Any]) -> Self:
        """Read plain values; a default of null is the number of cores, which differs among computers."""
        default = CORES if plain["default"] is None else plain["default"]
        return cls(**{**plain, "default": default, "choices": tuple(plain.get("choices", ()))})


Settings = Mapping[str, Setting]

PREDECESSORS: Settings = {
    "predecessors": Setting("no", "whether predecessors are found", choices=("no", "yes"))
}
"""The setting of a search that finds predecessors, in `solve`, if it is asked to."""

LOOP: Settings = {
    "loop": Setting(
        "python", "what repeats the launches: Python, or C++ through the driver", choices=("python", "c++")
    )
}
"""The setting of a solver whose iterations are launches; the reports' programs are in C or C++."""

CORES = len(os.sched_getaffinity(0))
"""Cores of the CPU that this process may use."""

ON_ALL_CORES: Settings = {"threads": Setting(CORES, "threads of the host")}
"""The setting of a solver that uses several cores of the CPU, which its records state."""
