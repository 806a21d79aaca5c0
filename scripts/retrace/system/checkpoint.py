"""Stores a partial sum over sources in a file, so that an interrupted run can continue from it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.system.errors import RetraceError
from retrace.system.files import check_regular, write_whole

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
        check_regular(path)
        try:
            with np.load(path, allow_pickle=False) as file:
                stored, scores, done = json.loads(str(file["identity"])), file["scores"], int(file["done"])
            if not isinstance(stored, dict) or scores.ndim != 1 or scores.dtype != np.float64:
                raise ValueError
        except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
            raise RetraceError(f"{path}: is not a checkpoint; name another file, or delete it") from None
        for key, value in identity.items():
            if stored.get(key) != value:
                fault = f"is a checkpoint of other {key} than requested"
                raise RetraceError(f"{path}: {fault}; name another file, or delete it")
        return cls(path, identity, scores, done)

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
            content = io.BytesIO()
            np.savez(content, identity=json.dumps(self.identity), scores=self.scores, done=self.done)
            write_whole(self.path, content.getvalue())

    def remove(self) -> None:
        """Delete the file, which is no longer needed once the outputs are written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
