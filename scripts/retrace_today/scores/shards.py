"""Shards of a betweenness query: parts of its passes, each computed by a job that can be killed and resumed.

The k-th of n shards has the passes k, k + n, k + 2 n and so on. Its file holds what they add to the scores,
in fixed point, so that the sum of all shards is the same bits for any n, and after any interruptions.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers.betweenness.conventions import count_pairs_once
from retrace.system.bars import bar
from retrace.system.errors import RetraceError
from retrace.system.files import check_regular, check_writable, write_whole
from retrace_today.betweenness.fixed_point import FixedPoint, add, as_doubles
from retrace_today.scores.crew import Crew, Passes

CHECKPOINT_S = 10.0
"""Seconds of a batch, and between two checkpoints: a killed job loses less than three times as much."""

ShardIdentity = dict[str, Any]
"""What decides the sums of a shard."""


@dataclass
class Shard:
    """What some passes of a shard add to the scores."""

    path: Path
    identity: ShardIdentity
    sums: FixedPoint
    """Shape (vertices, 2)."""
    done: NDArray[np.bool_]
    """Whether each pass of the shard is in the sums, shape (passes of the shard,)."""
    seconds: float = 0.0
    """What the passes took, over all runs."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What a record says of the run: devices, GPU."""

    @classmethod
    def read(cls, path: Path) -> Shard:
        """Read a file; raise RetraceError if it is not one of a shard, or was changed."""
        check_regular(path)
        try:
            with np.load(path, allow_pickle=False) as file:
                told, sums, done = json.loads(str(file["told"])), file["sums"], file["done"]
            shard = cls(path, told["identity"], sums, done, told["seconds"], told["facts"])
            if told["sha256"] != shard.digest():
                raise ValueError
            if (sums.dtype, sums.shape[1:], done.dtype) != (np.uint64, (2,), np.bool_):
                raise ValueError
            shard.number, shard.of  # noqa: B018 - which are there
        except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile):
            raise RetraceError(f"{path}: is not the file of a shard; delete it, and run again") from None
        return shard

    @property
    def number(self) -> int:
        return int(self.identity["shard"])

    @property
    def of(self) -> int:
        return int(self.identity["shards"])

    def require(self, identity: ShardIdentity) -> None:
        """Raise RetraceError if the sums were made from anything else."""
        for what, value in identity.items():
            if self.identity.get(what) != value:
                told = f"{self.path}: is of another {what} than wanted"
                raise RetraceError(f"{told}; delete it, and run again")

    def digest(self) -> str:
        """Return the sha256 of all that it holds."""
        described = json.dumps([self.identity, self.seconds, self.facts], sort_keys=True)
        hashed = hashlib.sha256(described.encode())
        for array in (self.sums, self.done):
            hashed.update(np.ascontiguousarray(array).data)
        return hashed.hexdigest()

    def write(self) -> None:
        described = {
            "identity": self.identity, "seconds": self.seconds, "facts": self.facts, "sha256": self.digest()
        }  # fmt: skip
        content = io.BytesIO()
        np.savez(content, told=json.dumps(described), sums=self.sums, done=self.done)
        write_whole(self.path, content.getvalue())


def compute_shard(
    crew: Crew, graph: CSRGraph, query: Query, number: int, of: int, path: Path, every_s: float = CHECKPOINT_S
) -> Shard:
    """Search the passes of a shard that are not done yet, and write its file at `path`.

    What is done is stored beside it, in `<path>.checkpoint`, about every `every_s` seconds.
    """
    check_writable(path)
    began = perf_counter()
    prepared = crew.prepare(query)
    upload_ms = (perf_counter() - began) * 1e3
    passes: Passes = np.arange(number, prepared.passes, of)
    identity = {
        "graph": graph.digest(),
        "direction of arcs": "one" if graph.info.get("directed") else "both",
        "kernel, order of sources or processor": prepared.fingerprint,
        "set of sources": hashlib.sha256(query.sources_in(graph).astype("<i4").data).hexdigest(),
        "shards": of,
        "shard": number,
    }
    beside = path.with_name(f"{path.name}.checkpoint")
    if beside.exists():
        shard = Shard.read(beside)
        shard.require(identity)
    else:
        first = crew.unsearched() if number == 0 else np.zeros((graph.vertices, 2), np.uint64)
        shard = Shard(beside, identity, first, np.zeros(len(passes), np.bool_))
    shard.facts = {
        "devices": len(crew.workers), "gpu": prepared.gpu, "passes": prepared.passes,
        "setup_ms": crew.setup_ms, "upload_ms": upload_ms,
    }  # fmt: skip

    before, began, written = shard.seconds, perf_counter(), perf_counter()
    with bar(total=len(passes), initial=int(shard.done.sum()), unit="pass", desc=path.stem) as progress:

        def keep(batch: Passes, sums: FixedPoint) -> None:
            nonlocal written
            add(shard.sums, sums)
            shard.done[np.searchsorted(passes, batch)] = True
            shard.seconds = before + perf_counter() - began
            progress.update(len(batch))
            if perf_counter() - written >= every_s:
                shard.write()
                written = perf_counter()

        crew.search(passes[~shard.done], keep, every_s)
    crew.release()
    shard.path = path
    shard.write()
    beside.unlink(missing_ok=True)
    return shard


def gather(paths: Sequence[Path], graph: CSRGraph, query: Query) -> tuple[NDArray[np.float64], list[Shard]]:
    """Add up all shards of a query; return the scores, shape (vertices,), and the shards without their sums.

    Raise RetraceError if a shard is missing, is not done, or is of another graph, query, kernel or cut.
    """
    total = np.zeros((graph.vertices, 2), np.uint64)
    shards: list[Shard] = []
    for path in paths:
        shard = Shard.read(path)
        first = shards[0] if shards else shard
        sources = hashlib.sha256(query.sources_in(graph).astype("<i4").data).hexdigest()
        shard.require({"graph": graph.digest(), "set of sources": sources, "shards": len(paths)})
        shard.require({key: value for key, value in first.identity.items() if key != "shard"})
        if any(shard.number == other.number for other in shards):
            raise RetraceError(f"{path}: is shard {shard.number} once more; name each shard once")
        if not shard.done.all():
            raise RetraceError(f"{path}: is a checkpoint; finish the shard first")
        add(total, shard.sums)
        shard.sums = shard.sums[:0]
        shards.append(shard)
    return count_pairs_once(as_doubles(total), graph), shards
