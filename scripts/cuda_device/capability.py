"""Compute capabilities, and for which one kernels are compiled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from cuda_device.errors import DeviceError


@dataclass(frozen=True, order=True)
class Capability:
    """A compute capability, such as 8.6."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a text such as `8.6`; raise DeviceError for another."""
        if not re.fullmatch(r"[1-9]\d?\.\d", text):
            raise DeviceError(f"compute capability {text!r}: expected two numbers such as 9.0")
        return cls(*map(int, text.split(".")))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @property
    def digits(self) -> str:
        """Return it as compilers write it, such as `86`."""
        return f"{self.major}{self.minor}"


def architecture(card: Capability, wanted: Capability, known: Sequence[str]) -> str:
    """Return the architecture that kernels are compiled for, as nvcc names it.

    That is the GPU's own, as machine code (`sm_90`). It is a virtual one (`compute_86`), whose PTX the driver
    compiles, if an older one is wanted, or if the compiler does not know the GPU: then the newest that it
    knows. `known` are the compute capabilities that the compiler knows, such as `9.0`. Raise DeviceError if
    it knows none that the GPU can run.
    """
    limit = min(card, wanted)
    able = [capability for capability in map(Capability.parse, known) if capability <= limit]
    if not able:
        there = f"the compiler knows {', '.join(known)}" if known else "there is no compiler, run `make gpu`"
        raise DeviceError(f"nothing can be compiled for compute capability {limit}: {there}")
    newest = max(able)
    return f"sm_{card.digits}" if newest == card else f"compute_{newest.digits}"
