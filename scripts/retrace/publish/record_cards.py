"""What the page tells of a record, and the address by which a number of it is cited.

An address is the part of the page's link after `#`. It names what was measured, not the measurement: the
link still leads to the number after a machine has measured it again.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.publish.verification import result
from retrace.records.machine_check import Doubt
from retrace.records.record import PHASES, Record
from retrace.reports.frame import Measured
from retrace.reports.wording import duration

Facts = list[tuple[str, str]]
"""Names and values, in the order they are shown."""


def address(record: Record) -> str:
    """Return `record/<machine>/<experiment>/<graph>/<solver>:<parameters>`, which no other record has."""
    asked = dict(sorted(record.parameters.items()))
    if record.source is not None:
        asked["source"] = record.source
    settings = ",".join(f"{key}={value}" for key, value in asked.items())
    place = f"record/{record.machine.name}/{record.experiment}/{record.graph.name}/{record.solver}"
    return f"{place}:{settings}" if settings else place


def cards(entries: Iterable[Measured], doubts: Mapping[str, Sequence[Doubt]]) -> dict[str, Any]:
    """Return what the page's script needs of records; what many share (machine, graph) is told once.

    `doubts` are by address.
    """
    shared: dict[tuple[tuple[str, str], ...], int] = {}
    found = []
    for entry in entries:
        record = entry.record
        parts = [_graph(record), _machine(record), _software(record)]
        about = [shared.setdefault(tuple(part), len(shared)) for part in parts]
        found.append(_card(entry, record, doubts.get(address(record), ())) | {"about": about})
    return {"records": found, "shared": [list(part) for part in shared]}


def packed(told: Mapping[str, Any]) -> str:
    """Pack what the script needs into text, in a fifth of its bytes: JSON, gzip, base64."""
    plain = json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode()
    return base64.b64encode(gzip.compress(plain, mtime=0)).decode()


def _card(entry: Measured, record: Record, doubts: Sequence[Doubt]) -> dict[str, Any]:
    card: dict[str, Any] = {
        "id": address(record),
        "title": f"{entry.full_name} on {entry.title}, {record.machine.name}",
        "does": CATALOGUE.find(record.solver).implements,
        "result": result(record),
        "own": [*(("doubtful", doubt.found) for doubt in doubts), *_own(record)],
    }
    if not record.timed:
        return card
    times = {phase: entry.times[phase] for phase in PHASES if phase in entry.times}
    card["times"] = [
        (phase, *map(duration, (t.median, t.q1, t.q3, t.minimum)), t.n, t.median)
        for phase, t in times.items()
    ]
    total = entry.times["total"]
    card["total"] = (total.q1, total.median, total.q3)
    card["trials"] = [  # the script adds up their totals: a page of three machines is 0.2 MB smaller
        (t.upload, t.solve, t.download, t.kernel, t.load, t.sm_clock_mhz, t.throttled, t.again)
        for t in record.trials
    ]
    return card


def _own(record: Record) -> Facts:
    """Return what no other record says, beside its address: what was observed, how the answer was checked."""
    told: Mapping[str, object] = {
        "backend": record.backend,
        "iterations": record.iterations,
        **{key.replace("_", " "): f"{value:,}" for key, value in record.observed.items()},
        "oracle": record.oracle,
        "digest of the answer": record.digest,
        "started": record.started,
    }
    return _pairs(told)


def _graph(record: Record) -> Facts:
    graph = record.graph
    size = f"{graph.vertices:,} vertices, {graph.arcs:,} arcs"
    made = f"{graph.origin}, edition {graph.edition}, weights: {graph.weights}"
    return _pairs(
        {"graph": f"{graph.name}: {size}; {made}", "seed": graph.seed, "graph's sha256": graph.sha256}
    )


def _machine(record: Record) -> Facts:
    machine = record.machine
    gpu = machine.gpu
    card = gpu and f"{gpu.used}, {gpu.memory_gib:g} GiB, compute capability {gpu.compute_capability}"
    host: dict[str, object] = {
        "machine": machine.name,
        "host": machine.computer,
        "CPU": f"{machine.cpu}, {machine.cores} cores",
    }
    more = {"memory": f"{machine.memory_gib:g} GiB", "GPU": card, "driver": gpu and gpu.driver}
    return _pairs(host | more)


def _software(record: Record) -> Facts:
    made = record.software
    commit = f"{made.git_commit}{' with changes' if made.dirty else ''}" if made.git_commit else "unknown"
    versions = made.model_dump(include={"python", "numpy", "pycuda", "cuda", "compiler", "peer"})
    names = {"peer": "library", "cuda": "CUDA", "python": "Python", "numpy": "NumPy", "pycuda": "PyCUDA"}
    return _pairs({"commit": commit} | {names.get(key, key): value for key, value in versions.items()})


def _pairs(told: Mapping[str, object]) -> Facts:
    return [(name, str(value)) for name, value in told.items() if value not in (None, "")]
