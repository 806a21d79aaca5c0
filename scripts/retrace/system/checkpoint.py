"""Stores a partial sum over sources in a file, so that an interrupted run can continue from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.system.sealed import read_sealed, write_sealed

FIRST_BATCH = 16
"""Number of sources in the first batch."""
BATCH_S = 10.0
"""Target time of a batch in seconds; an interrupted run loses at most one batch."""


@dataclass
class Checkpoint:
    """The scores of the first `done` sources."""

    path: Path | None
    """The file; None for a run without a checkpoint."""
    identity: dict[str, Any]
    """Description of the run (graph, solver, sources and so on), which the file must match."""
    scores: NDArray[np.float64]
    """Sum over the first `done` sources, shape (vertices,)."""
    done: int = 0

    @classmethod
    def open(cls, path: Path | None, identity: dict[str, Any], vertices: int) -> Checkpoint:
        """Continue from the file if there is one; RetraceError if it is no checkpoint of this run."""
        if path is None or not path.exists():
            return cls(path, identity, np.zeros(vertices))
        arrays = read_sealed(path, identity, "checkpoint")
        return cls(path, identity, arrays["scores"], int(arrays["done"]))

    def batches(self, sources: NDArray[np.int32], least: int = 1) -> Iterator[NDArray[np.int32]]:
        """Yield the remaining sources, `least` or more at a time; a batch's time sets the next one's size."""
        first, size = self.done, max(FIRST_BATCH, least)
        while first < len(sources):
            began = perf_counter()
            yield sources[first : first + size]
            seconds = perf_counter() - began
            first += size
            size = max(least, int(size * min(8.0, BATCH_S / seconds)))

    def add(self, scores: NDArray[np.float64], sources: int) -> None:
        """Add the scores of the next sources, and write the sum to the file."""
        self.scores += scores
        self.done += sources
        if self.path is not None:
            done = np.array(self.done)
            write_sealed(self.path, self.identity, {"scores": self.scores, "done": done})

    def remove(self) -> None:
        """Delete the file, which is no longer needed once the outputs are written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
