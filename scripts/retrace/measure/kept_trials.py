"""Keeps the trials of a measuring job, in a file for each graph: after a kill, the same job goes on.

The file names all that a record depends on, and its own sha256; it is not used if any differs. So trials of a
record are of one host, one GPU and one state of the sources, whatever happened in between.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from pydantic import TypeAdapter

from cuda_device.available_gpus import visible_gpus
from retrace.measure import environment
from retrace.measure.trials import Measurement, Results
from retrace.solvers import find
from retrace.solvers.peer import Peer
from retrace.system.errors import RetraceError
from retrace.system.files import check_regular, write_whole

as_text = partial(json.dumps, sort_keys=True)
RESULTS = TypeAdapter(Results)
"""Reads and writes what has been measured of a request."""


@dataclass(frozen=True)
class Keeping:
    """Where and how often a job keeps its trials."""

    folder: Path
    every_s: float
    """Seconds from one writing to the next."""
    job: Mapping[str, Any]
    """All that the records of the job depend on, whatever the graph."""

    def path(self, graph: str) -> Path:
        """Return the file of a graph's trials."""
        return self.folder / f"{graph}.json"

    def of_round(self, number: int) -> "Keeping":
        """Return where and as what a round's trials are kept."""
        return replace(self, folder=self.folder / f"round-{number}", job={**self.job, "round": number})

    def forget(self, graphs: Iterable[str]) -> None:
        """Delete all files, and the folder if nothing else is in it."""
        for graph in graphs:
            self.path(graph).unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()


def identity_of_job(options: Mapping[str, Any], software: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a job's records depend on, by the words in which a difference is told.

    `options` are all that the job was given, among them `solvers`, `backend` and `machine`.
    """
    peers = {name: kind for name in options["solvers"] if issubclass(kind := find(name), Peer)}
    return {
        "sources": environment.sources(),
        "software": dict(software),
        "libraries": {name: [kind.library(), kind.unavailable()] for name, kind in peers.items()},
        "machine": environment.machine(options["machine"], None),
        "GPUs": visible_gpus() if options["backend"] == "cuda" else [],
        "options": dict(options),
    }


def give_back(results: Results, state: Mapping[str, Any]) -> None:
    """Set results to those that JSON had."""
    kept = RESULTS.validate_python(state)
    for each in fields(Results):
        setattr(results, each.name, getattr(kept, each.name))


def digest_of_values(*values: Any) -> str:
    """Return the sha256 of values as JSON has them."""
    return hashlib.sha256(as_text(values).encode()).hexdigest()


@dataclass
class KeptTrials:
    """The trials of all solvers on one graph."""

    path: Path
    identity: Mapping[str, Any]
    """All that a record depends on."""
    every_s: float
    """Seconds from one writing to the next."""
    written: float = field(default_factory=monotonic)

    def restore(self, cases: Sequence[Measurement]) -> int:
        """Give measurements what was kept of them, and return the number of trials.

        One that failed begins anew: the job may have been stopped for the same reason.
        """
        check_regular(self.path)
        if not self.path.exists():
            return 0
        if (why_not := self.read(cases, also_failed=False)) is not None:
            print(f"{self.path}: {why_not}, and is not used", file=sys.stderr)
            return 0
        return sum(len(case.trials) for case in cases)

    def require(self, cases: Sequence[Measurement]) -> None:
        """Give measurements all that was kept of them; raise RetraceError if that cannot be."""
        if (why_not := self.read(cases, also_failed=True)) is not None:
            raise RetraceError(f"{self.path}: {why_not}; expected the trials of a round; run the job again")

    def read(self, cases: Sequence[Measurement], also_failed: bool) -> str | None:
        """Give measurements what the file has of them; return why it is not of use."""
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8"))
            identity, measured = kept["identity"], kept["measurements"]
            for what, value in self.identity.items():
                if as_text(identity[what]) != as_text(value):
                    return f"is of other {what} than this job's"
            if kept["sha256"] != digest_of_values(identity, measured):
                return "is damaged (another sha256)"
            for case, state in zip(cases, measured, strict=True):
                if also_failed or state["status"] != "failed":
                    give_back(case, state)
        except (OSError, ValueError, TypeError, KeyError) as error:
            return f"is damaged ({type(error).__name__})"
        return None

    def write(self, cases: Sequence[Measurement]) -> None:
        """Write what was measured until now."""
        states = [RESULTS.dump_python(case, mode="json") for case in cases]
        kept = {"identity": self.identity, "measurements": states}
        write_whole(self.path, json.dumps({"sha256": digest_of_values(*kept.values()), **kept}))
        self.written = monotonic()

    def write_now_and_then(self, cases: Sequence[Measurement]) -> None:
        """Write it if the last time was long ago."""
        if monotonic() - self.written >= self.every_s:
            self.write(cases)
