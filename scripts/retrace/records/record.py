"""Measurement records: the JSON lines that lead from a measurement to every number that is shown.

The models define a record; `workflow/schemas/record.schema.yaml` is generated from them for other programs.
Whatever is written is read back through the same checks first.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from retrace.system.errors import RetraceError
from retrace.system.files import write_whole
from retrace.system.models import SHA256, Model, Name, at, explain, one_line

Phase = Literal["setup", "upload", "solve", "download", "total", "kernel"]
PHASES: tuple[Phase, ...] = get_args(Phase)

Milliseconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]


class Trial(Model):
    """One timed solve, in milliseconds."""

    setup: Milliseconds = Field(description="context and module load; a library's own graph object")
    upload: Milliseconds
    solve: Milliseconds
    download: Milliseconds
    total: Milliseconds = Field(description="upload + solve + download")
    kernel: Milliseconds | None = Field(description="sum of the kernels' device times, from an untimed pass")


class GraphInfo(Model):
    """Which graph was solved, down to the sha256 of its arrays."""

    name: str
    vertices: Count
    arcs: Count
    origin: Literal["dimacs", "snap", "report", "generated", "stand-in"]
    edition: str = Field(description="which file of the data set")
    weights: Literal["file", "generated", "none"]
    sha256: SHA256 | None = Field(
        description="of the CSR arrays; of what decides its matrix for a dense graph; null if not made"
    )
    seed: int | None = Field(description="of whatever was generated")
    density: float | None = None
    trusted_sha256: SHA256 | None = Field(
        default=None, description="of the file's content, where no other is known: trusted on first use"
    )


class GPUInfo(Model):
    """The GPU of a machine."""

    name: str
    compute_capability: str
    memory_gib: float
    driver: str | None
    sm_clock_mhz: float | None = Field(description="at the end of the trials")
    throttled: bool | None = Field(
        default=None, description="the driver named a throttle reason during the trials"
    )


class MachineInfo(Model):
    """The computer that a record was measured on."""

    name: Name
    cpu: str
    cores: Annotated[int, Field(ge=1)]
    memory_gib: float
    gpu: GPUInfo | None


class SoftwareInfo(Model):
    """The versions that a record was measured with."""

    git_commit: str | None
    dirty: bool | None
    python: str
    numpy: str
    pycuda: str | None
    cuda: str | None
    compiler: str | None
    peer: str | None = Field(default=None, description="name and version of the library that was called")


class Record(Model):
    """All trials of one solver on one graph on one machine."""

    schema_version: Literal[1] = 1
    experiment: str = Field(description="its key in config.yaml, such as table-3.3")
    problem: Literal["bfs", "stcon", "sssp", "generate", "bellman-ford", "betweenness"]
    solver: Annotated[str, Field(pattern="^[a-z-]+/[a-z0-9-]+$", description="problem/variant")]
    backend: Literal["cuda", "emulator", "host"]
    parameters: dict[Annotated[str, Field(pattern="^[a-z_]+$")], int | float | str] = Field(
        description="settings of the solver, and what was asked of the graph", default_factory=dict
    )
    source: Count | None = Field(default=None, description="vertex id, 0-based")
    graph: GraphInfo
    status: Literal["ok", "failed", "skipped"] = "ok"
    reason: str | None = Field(default=None, description="why it failed or was skipped")
    trials: list[Trial] = Field(default_factory=list)
    iterations: Count | None = None
    verified: bool | None = Field(default=None, description="null where there is no answer to check")
    oracle: str | None = Field(default=None, description="what the answer was checked against")
    digest: SHA256 | None = Field(default=None, description="sha256 of the answer")
    observed: dict[str, int | float] = Field(
        default_factory=dict, description="what a solver reports of its last trial beside its times"
    )
    machine: MachineInfo
    software: SoftwareInfo
    started: str = Field(description="ISO 8601 time with its zone")

    @field_validator("started")
    @classmethod
    def _has_zone(cls, started: str) -> str:
        try:
            if datetime.fromisoformat(started).tzinfo is not None:
                return started
        except ValueError:
            raise ValueError("expected an ISO 8601 time, such as 2026-01-31T12:00:00Z") from None
        raise ValueError("expected a time zone, such as 2026-01-31T12:00:00Z")

    @model_validator(mode="after")
    def _sound(self) -> Self:
        ok, where = self.status == "ok", f"where the status is {self.status}"
        missing = [key for key in ("verified", "oracle", "digest") if getattr(self, key) is None]
        if self.solver.split("/")[0] != self.problem:
            raise at("solver", f"{self.solver} does not solve {self.problem}")
        if ok and not self.trials:
            raise at("trials", f"expected at least one {where}")
        if ok and missing:
            raise at(missing[0], f"expected a value {where}")
        if not ok and not self.reason:
            raise at("reason", f"expected one {where}")
        if not ok and self.verified is not None:
            raise at("verified", f"expected null {where}")
        if self.verified is False and not self.reason:
            raise at("reason", "expected the first difference where verified is false")
        for number, trial in enumerate(self.trials):
            parts = trial.upload + trial.solve + trial.download
            if abs(trial.total - parts) > 1e-3:
                raise at(f"trials[{number}].total", f"expected upload + solve + download = {parts:.6f}")
        return self

    @property
    def agreed(self) -> bool:
        """Whether there is an answer and it is the oracle's."""
        return self.status == "ok" and self.verified is True

    @property
    def timed(self) -> bool:
        """Whether the times may be shown: the answer is verified, and not the emulator's."""
        return self.agreed and self.backend != "emulator"

    @property
    def place(self) -> dict[str, str | None]:
        """What records of a file share; generators make different graphs of one name."""
        graph = self.graph.name if self.problem == "generate" else self.graph.sha256
        return {"experiment": self.experiment, "graph": graph, "machine": self.machine.name}

    @property
    def subject(self) -> tuple[Any, ...]:
        """What was measured: a second record of it takes the first one's place."""
        settings = {key: value for key, value in self.parameters.items() if key != "at_once"}
        return (self.solver, self.source, tuple(sorted(settings.items())))

    @property
    def label(self) -> str:
        """The graph's name in tables and figures, which a substitute never has alone."""
        name, origin = self.graph.name, self.graph.origin
        if "sources" in self.parameters:
            name = f"{name}, {self.parameters['sources']} sources"
        if origin == "stand-in":
            return f"{name} (stand-in)"
        weighted = self.problem in ("sssp", "bellman-ford") and origin != "generated"
        return f"{name} (weights generated)" if weighted and self.graph.weights == "generated" else name


def make_record(where: str, **values: Any) -> Record:
    """Make a record of plain values; if it is not sound, a RetraceError names `where` and the key."""
    return parse_record(json.dumps(values), where)


def parse_record(line: str, where: str) -> Record:
    """Read a record from a line of JSON; if it is not sound, a RetraceError names `where` and the key."""
    try:
        return Record.model_validate_json(line)
    except ValidationError as error:
        raise RetraceError(explain(error, where)) from None


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Read the records of JSON-lines files; a RetraceError names the first line that is not sound."""
    records = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise RetraceError(f"{path}: cannot be read ({one_line(error)})") from None
        records += [parse_record(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]
    return records


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records, one compact JSON object per line, all or nothing; RetraceError if one is not sound."""
    lines = [json.dumps(_arranged(record), separators=(",", ":"), ensure_ascii=False) for record in records]
    for number, line in enumerate(lines, 1):
        parse_record(line, f"{path}:{number}")
    write_whole(path, "".join(f"{line}\n" for line in lines))


def update_records(path: Path, records: Iterable[Record]) -> None:
    """Write records into a file that may hold others, as `updated` arranges them."""
    write_records(path, updated(path, records))


def updated(path: Path, records: Iterable[Record]) -> list[Record]:
    """Return what a file would hold, one record of a subject; RetraceError if its place is another."""
    kept = {record.subject: record for record in (read_records([path]) if path.exists() else [])}
    for record in records:
        for old in kept.values():
            for what, a in old.place.items():
                if a != (b := record.place[what]):
                    raise RetraceError(f"{path}: holds records of {what} {a}, not {b}; write to another file")
        kept[record.subject] = record
    return list(kept.values())


def _arranged(record: Record) -> dict[str, Any]:
    """Return a record as a JSON object with a stable order of keys and times rounded to the nanosecond."""
    value = record.model_dump()
    for part, key in (("graph", "density"), ("graph", "trusted_sha256"), ("software", "peer")):
        if value[part][key] is None:
            del value[part][key]
    for key in ("parameters", "graph", "machine", "software"):
        value[key] = dict(sorted(value[key].items()))
    if not value["observed"]:
        del value["observed"]
    value["trials"] = [
        {phase: None if time is None else round(time, 6) for phase, time in trial.items()}
        for trial in value["trials"]
    ]
    return value
