"""Scores as 128-bit fixed-point numbers, whose sum is the same in any order and grouping, and the setting.

The numbers are those of `kernels/betweenness/fixed_point.cuh`: shape (..., 2), uint64, little end first, so
that the first word is the fraction in units of 2^-64.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.devices.base import Buffer
from retrace.solvers.betweenness.block_per_source import Brandes, Round
from retrace.solvers.setting import Setting, Settings

FixedPoint = NDArray[np.uint64]

SUMS: Settings = {
    "sums": Setting(
        "floating",
        "type of scores: fixed is the same bits in any order of additions",
        choices=("floating", "fixed"),
    )
}


def add(total: FixedPoint, more: FixedPoint) -> None:
    """Add to `total` in place, entry by entry."""
    total[..., 0] += more[..., 0]
    carry = total[..., 0] < more[..., 0]
    total[..., 1] += more[..., 1] + carry


def as_doubles(numbers: FixedPoint) -> NDArray[np.float64]:
    """Round to doubles, shape (...,): by one unit in the last place at most."""
    fraction, whole = numbers[..., 0].astype(np.float64), numbers[..., 1].astype(np.float64)
    return whole + np.ldexp(fraction, -64)


class FixedSums(Brandes):
    """A variant that can add up its scores in fixed point, `sums=fixed`, by a kernel file of its own.

    What a pass, a block's searches at a time, adds to a score depends on its sources alone. The passes of a
    query are cut from one order of its sources. Their scores can therefore be added up in any parts.
    """

    settings: ClassVar[Settings] = {**Brandes.settings, **SUMS}

    @property
    def is_fixed(self) -> bool:
        """Return whether scores are fixed-point numbers."""
        return self.parameters["sums"] == "fixed"

    def kernel_file(self) -> str:
        return f"{self.name}-fixed.cu" if self.is_fixed else super().kernel_file()

    def no_scores(self, size: int) -> Buffer:
        if not self.is_fixed:
            return super().no_scores(size)
        buffer = self.device.empty(2 * size, np.uint64)
        self.device.fill(buffer, 0)
        return buffer

    def scores(self, part: Round) -> NDArray[np.float32 | np.float64]:
        return as_doubles(self.sums(part)) if self.is_fixed else super().scores(part)

    def sums(self, part: Round) -> FixedPoint:
        """Fetch the sums of a round, shape (part.reduced.graph.vertices, 2)."""
        return self.device.download(part.score).reshape(-1, 2)
