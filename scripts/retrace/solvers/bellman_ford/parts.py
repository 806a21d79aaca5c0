"""A matrix on the host that is copied in parts, each on a stream of its own.

The part with the source's row is copied first, because no other vertex is active before it is relaxed.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_device.interface import Buffer, Device, Stream
from retrace.catalogue.setting import Setting
from retrace.devices.matrices import pitch_of
from retrace.graphs.csr import Int32Array

PARTS = {"parts": Setting(2, "bellman-ford: parts of the matrix, each copied on a stream of its own")}


@dataclass(frozen=True)
class Part:
    """The rows from `begin` to `end` - 1."""

    begin: int
    end: int
    stream: Stream
    place: Buffer
    """Where they are copied to."""

    def rows_of(self, host: Int32Array) -> Int32Array:
        """Return the rows of a matrix on the host, of shape (vertices * pitch,)."""
        pitch = self.place.size // (self.end - self.begin)
        return host[self.begin * pitch : self.end * pitch]


def divide(device: Device, matrix: Buffer, vertices: int, parts: int) -> list[Part]:
    """Divide the rows of a matrix evenly into `parts`, or into one for each vertex if that is less."""
    parts, pitch = min(parts, vertices), pitch_of(vertices)
    divided = []
    for begin, end in pairwise(part * vertices // parts for part in range(parts + 1)):
        place = device.view(matrix, begin * pitch, (end - begin) * pitch)
        divided.append(Part(begin, end, device.stream(), place))
    return divided


def from_source(parts: list[Part], source: int) -> list[tuple[int, Part]]:
    """Return the parts with their numbers, in the order in which they are copied."""
    numbered = list(enumerate(parts))
    first = next(number for number, part in numbered if source < part.end)
    return [*numbered[first:], *numbered[:first]]


def rows_by_part(relaxed: NDArray[np.integer[Any]], parts: list[Part], source: int) -> dict[str, float]:
    """Return how many rows were relaxed: all; while the first and the second part had arrived; and later.

    `relaxed` counts those of each part while it was the last to have arrived, and those after all have.
    """
    observed = {"matrix_rows": relaxed.sum(), "later_rows": relaxed[-1]}
    arrived = (relaxed[number] for number, _ in from_source(parts, source))
    observed |= dict(zip(("first_part_rows", "second_part_rows"), arrived, strict=False))
    return {key: float(rows) for key, rows in observed.items()}
