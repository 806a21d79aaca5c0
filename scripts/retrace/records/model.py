"""Measurement records: the JSON lines that lead from a measurement to every number that is shown.

A record's shape is `workflow/schemas/record.schema.yaml`; what a schema cannot say is checked here.
Whatever is written is read back through the same checks first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal, NotRequired, TypedDict

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from retrace.system.errors import RetraceError
from retrace.system.files import write_whole
from retrace.system.project import ROOT

SCHEMAS = ROOT / "workflow" / "schemas"

Phase = Literal["setup", "upload", "solve", "download", "total", "kernel"]
PHASES: tuple[Phase, ...] = ("setup", "upload", "solve", "download", "total", "kernel")


class Trial(TypedDict):
    """One timed solve, in milliseconds; `total` is upload + solve + download."""

    setup: float
    upload: float
    solve: float
    download: float
    total: float
    kernel: float | None


class GraphInfo(TypedDict):
    """Which graph was solved, down to the sha256 of its arrays."""

    name: str
    vertices: int
    arcs: int
    origin: str
    edition: str
    weights: str
    sha256: str | None
    seed: int | None
    density: NotRequired[float]


class GPUInfo(TypedDict):
    """The GPU of a machine."""

    name: str
    compute_capability: str
    memory_gib: float
    driver: str | None
    sm_clock_mhz: float | None
    throttled: NotRequired[bool | None]


class MachineInfo(TypedDict):
    """The computer a record was measured on."""

    name: str
    cpu: str
    cores: int
    memory_gib: float
    gpu: GPUInfo | None


class SoftwareInfo(TypedDict):
    """The versions a record was measured with."""

    git_commit: str | None
    dirty: bool | None
    python: str
    numpy: str
    pycuda: str | None
    cuda: str | None
    compiler: str | None
    peer: NotRequired[str | None]


@dataclass(frozen=True, kw_only=True)
class Record:
    """All trials of one solver on one graph on one machine; the fields are the schema's."""

    schema_version: int = 1
    experiment: str
    problem: str
    solver: str
    backend: str
    parameters: dict[str, Any] = field(default_factory=dict)
    source: int | None = None
    graph: GraphInfo
    status: str = "ok"
    reason: str | None = None
    trials: list[Trial] = field(default_factory=list)
    iterations: int | None = None
    verified: bool | None = None
    oracle: str | None = None
    digest: str | None = None
    observed: dict[str, float] = field(default_factory=dict)
    machine: MachineInfo
    software: SoftwareInfo
    started: str

    @property
    def agreed(self) -> bool:
        """Whether there is an answer and the oracle has the same one."""
        return self.status == "ok" and self.verified is True

    @property
    def timed(self) -> bool:
        """Whether the times may be shown: no verified answer, no time; an emulator's are no performance."""
        return self.agreed and self.backend != "emulator"

    @property
    def subject(self) -> tuple[Any, ...]:
        """What was measured: a second record of it takes the first one's place."""
        settings = {key: value for key, value in self.parameters.items() if key != "at_once"}
        return (self.solver, self.source, tuple(sorted(settings.items())))

    @property
    def label(self) -> str:
        """The graph's name in tables and figures, with the number of sources if they were sampled."""
        graph = self.graph
        if "sources" in self.parameters:
            graph = {**graph, "name": f"{graph['name']}, {self.parameters['sources']} sources"}
        return row_label(graph, self.problem)


def row_label(graph: GraphInfo, problem: str) -> str:
    """Name a graph as a row of `problem` must: never a stand-in, or weights of our own, by the name alone.

    A graph that is generated altogether, `random-14-5`, has its own weights.
    """
    if graph["origin"] == "stand-in":
        return f"{graph['name']} (stand-in)"
    weighted = problem in ("sssp", "bellman-ford")
    if weighted and graph["weights"] == "generated" and graph["origin"] != "generated":
        return f"{graph['name']} (weights generated)"
    return graph["name"]


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Read every record of some JSON-lines files, in order.

    Raises
    ------
    RetraceError
        At the first line that is no valid record, with the file, the line and the key.
    """
    records = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise RetraceError(f"{path}: cannot be read ({_line(error)})") from None
        records += [_parse(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]
    return records


def write_records(path: Path, records: Iterable[Record | dict[str, Any]]) -> None:
    """Write records to `path`, one compact JSON object a line, all of them or nothing.

    Raises
    ------
    RetraceError
        If a record is not valid.
    """
    lines = []
    for number, record in enumerate(records, 1):
        value = asdict(record) if isinstance(record, Record) else record
        checked = _parse(json.dumps(value), f"{path}:{number}")
        lines.append(json.dumps(_tidy(checked), separators=(",", ":"), ensure_ascii=False))
    write_whole(path, "".join(f"{line}\n" for line in lines))


def update_records(path: Path, records: Iterable[Record]) -> None:
    """Write records into a file that may hold others: they take the places of those of the same subject.

    Raises
    ------
    RetraceError
        If a record is not valid, or as `updated` does.
    """
    write_records(path, updated(path, records))


def updated(path: Path, records: Iterable[Record]) -> list[Record]:
    """Return what a file would hold.

    Raises
    ------
    RetraceError
        If one of the file's is not valid, or they are of another experiment, graph or machine.
    """
    kept = {record.subject: record for record in (read_records([path]) if path.exists() else [])}
    for record in records:
        for old in kept.values():
            for what, a, b in (
                ("experiment", old.experiment, record.experiment),
                ("graph", *(_asked(one) for one in (old, record))),
                ("machine", old.machine["name"], record.machine["name"]),
            ):
                if a != b:
                    raise RetraceError(f"{path}: holds records of {what} {a}, not {b}; write to another file")
        kept[record.subject] = record
    return list(kept.values())


def _asked(record: Record) -> str | None:
    """Tell which graph was asked about; a generator makes its own, but of one name."""
    return record.graph["name"] if record.problem == "generate" else record.graph["sha256"]


@cache
def validator(schema: str) -> Draft202012Validator:
    """Compile `workflow/schemas/<schema>.schema.yaml`."""
    return Draft202012Validator(yaml.safe_load((SCHEMAS / f"{schema}.schema.yaml").read_text()))


def validate(value: Any, schema: str, where: str) -> None:
    """Refuse, in one line that names the key, what the schema does not allow."""
    error = best_match(validator(schema).iter_errors(value))
    if error is not None:
        key = error.json_path.removeprefix("$").removeprefix(".")
        raise RetraceError(": ".join(part for part in (where, key, _line(error.message)) if part))


def _parse(line: str, where: str) -> Record:
    """Read one line, checked."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not a JSON number")

    try:
        value = json.loads(line, parse_constant=refuse)
    except ValueError as error:
        raise RetraceError(f"{where}: not a JSON object ({_line(error)})") from None
    validate(value, "record", where)
    record = Record(**value)
    for key, complaint in _broken_rules(record):
        raise RetraceError(f"{where}: {key}: {complaint}")
    return record


def _broken_rules(record: Record) -> Iterable[tuple[str, str]]:
    """Check what the schema cannot say: give each broken rule's key, and what was expected."""
    if record.solver.split("/")[0] != record.problem:
        yield "solver", f"{record.solver} does not solve {record.problem}"
    if record.status == "ok":
        if not record.trials:
            yield "trials", "expected at least one where the status is ok"
        for key in ("verified", "oracle", "digest"):
            if getattr(record, key) is None:
                yield key, "expected a value where the status is ok"
        if record.verified is False and not record.reason:
            yield "reason", "expected the first difference where verified is false"
    else:
        if not record.reason:
            yield "reason", f"expected one where the status is {record.status}"
        if record.verified is not None:
            yield "verified", f"expected null where the status is {record.status}"
    for number, trial in enumerate(record.trials):
        parts = trial["upload"] + trial["solve"] + trial["download"]
        if abs(trial["total"] - parts) > 1e-3:
            yield f"trials[{number}].total", f"expected upload + solve + download = {parts:.6f}"
    try:
        if datetime.fromisoformat(record.started).tzinfo is None:
            yield "started", "expected a time zone, such as 2026-01-31T12:00:00Z"
    except ValueError:
        yield "started", "expected an ISO 8601 time, such as 2026-01-31T12:00:00Z"


def _tidy(record: Record) -> dict[str, Any]:
    """Arrange a record as a JSON object with a stable order of keys and times rounded to the nanosecond."""
    value = asdict(record)
    for key in ("parameters", "graph", "machine", "software"):
        value[key] = dict(sorted(value[key].items()))
    if not value["observed"]:
        del value["observed"]
    value["trials"] = [{phase: _rounded(trial[phase]) for phase in PHASES} for trial in record.trials]
    return value


def _rounded(time: float | None) -> float | None:
    return None if time is None else round(time, 6)


def _line(text: object, limit: int = 200) -> str:
    """Squeeze a message into one short line."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
