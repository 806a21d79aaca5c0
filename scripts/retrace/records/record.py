"""Measurement records: the JSON lines that lead from a measurement to every number that is shown.

The models define a record; `workflow/schemas/record.schema.yaml` is generated from them for other programs.
Whatever is written is read back through the same checks first.
"""

import gc
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from cuda_device.errors import OneLineError
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.graphs.graph_names import DRAWN_AS
from retrace.records.parameters import check_parameters
from retrace.records.variant import UNSTATED
from retrace.system.errors import RetraceError
from retrace.system.files import check_regular, write_whole
from retrace.system.models import CONTROLS, SHA256, Model, Name, at, explain, one_line

Phase = Literal["setup", "upload", "solve", "download", "total", "kernel", "again", "lock", "prepare"]
PHASES: tuple[Phase, ...] = get_args(Phase)

ONE_ANSWER = ("bfs", "stcon", "sssp", "bellman-ford")
"""Problems whose verified answers are the same bytes, whoever found them; scores are rounded differently."""

AMBIGUOUS = re.compile(rf"{CONTROLS.pattern}|\\")
"""Characters of a line that may hide a key or a control character."""

CLOCKS_AGREE = 1.0001
"""How many times as long a time may be by the clock of a GPU as by that of its host: two oscillators."""

Amount = Annotated[float, Field(ge=0, le=1e12)]
Milliseconds = Amount
Count = Annotated[int, Field(ge=0, lt=2**63)]
Whole = Annotated[int, Field(ge=-(2**63), lt=2**63)]
DIGEST_DIGITS = 16
"""Hexadecimal digits of a trial's digest."""
HELD_BACK = 0.02
"""Share of the cores' time that may be stolen from a trial: as far as trials that agree lie apart."""


def optional(description: str) -> Any:
    """Return a field that need not be known: None by default, of which nothing is written."""
    return Field(default=None, description=description, exclude_if=lambda value: value is None)


class Trial(Model):
    """One timed solve, in milliseconds."""

    upload: Milliseconds
    solve: Milliseconds
    download: Milliseconds
    total: Milliseconds = Field(description="upload + solve + download")
    kernel: Milliseconds | None = optional(
        "sum of the kernels' device times, from a pass of its own; null if unknown"
    )
    again: Milliseconds | None = optional(
        "median of up to 19 further solves on the graph in place, right after the download"
    )
    lock: Milliseconds | None = optional(
        "page-locking of memory as large as the graph: no part of upload or total; null if none"
    )
    prepare: Milliseconds | None = optional(
        "what the solver makes of the graph alone, a part of upload; null if nothing"
    )
    load: Amount | None = optional("processes that ran or waited to run, over the last minute")
    others: Amount | None = optional(
        "cores that other processes kept busy, over the last half second or more"
    )
    steal: Amount | None = optional("share of the cores' time that the host gave to others during the trial")
    held_back: bool | None = optional(
        f"a quota of processor time was used up during it, or above {HELD_BACK:.0%} stolen"
    )
    sm_clock_mhz: Amount | None = optional("the GPU's clock, right after the trial")
    memory_clock_mhz: Amount | None = optional("its memory's clock then")
    power_w: Amount | None = optional("the board's power then, as its driver averages")
    temperature_c: Amount | None = optional("the GPU's temperature then")
    throttled: bool | None = optional("the driver named a throttle reason then")
    round: Count | None = optional("which process measured it, from 0; null if one measured all trials")
    source: Count | None = optional("vertex id, 0-based, where each trial has its own; else the record's")
    target: Count | None = optional("the same of the target for st-connectivity")
    edges: Count | None = optional("of the source's component, as Graph500 counts them, where they are known")
    iterations: Count | None = optional("where each trial has a source of its own")
    digest: Annotated[str, Field(pattern=f"^[0-9a-f]{{{DIGEST_DIGITS}}}$")] | None = optional(
        "start of the answer's sha256, where each trial has a source of its own"
    )


def digest_of_all(trials: Iterable[Trial]) -> str:
    """Return the sha256 of the digests of all trials, where each has a source of its own."""
    return hashlib.sha256("".join(trial.digest or "" for trial in trials).encode()).hexdigest()


class Energy(Model):
    """What a GPU's board used while one search was repeated on the resident graph."""

    searches: Annotated[int, Field(ge=1, lt=2**63)]
    seconds: Annotated[float, Field(gt=0, le=1e6)]
    joules: Amount = Field(description="idle power included")
    idle_watts: Amount | None = None
    """what it drew before anything ran, with its context open; null if unknown"""

    @property
    def per_search(self) -> float:
        """Joules of one search, idle power included."""
        return self.joules / self.searches


class GraphInfo(Model):
    """Which graph was solved, down to the sha256 of its arrays."""

    name: Annotated[str, Field(max_length=255)]
    vertices: Count
    arcs: Count
    origin: Literal["dimacs", "snap", "report", "own", "generated", "stand-in"]
    edition: str = Field(description="which file of the data set")
    weights: Literal["file", "generated", "unit", "none"]
    sha256: SHA256 | None = Field(
        description="of the CSR arrays; of what decides its matrix for a dense graph; null if not made"
    )
    seed: Whole | None = Field(description="of whatever was generated")
    density: Amount | None = Field(default=None, exclude_if=lambda value: value is None)
    trusted_sha256: SHA256 | None = optional(
        "of the file's content, where no other is known: trusted on first use"
    )


class GPUInfo(Model):
    """The GPU of a machine."""

    name: str
    compute_capability: str
    memory_gib: Amount
    driver: str | None
    compiled_for: str | None = optional(
        "the compute capability that it was used as: kernels were compiled for it, and kept its limits"
    )

    @property
    def used(self) -> str:
        """Its name, and as what it was used if that is another GPU."""
        as_another = self.compiled_for not in (None, self.compute_capability)
        return f"{self.name} used as {self.compiled_for}" if as_another else self.name


class MachineInfo(Model):
    """The computer that a record was measured on."""

    name: Name
    host: Annotated[str, Field(pattern="^[0-9a-f]{12}$")] | None = optional(
        "hash of what makes it one computer: processor, memory, GPU"
    )
    cpu: str
    cores: Annotated[int, Field(ge=1, lt=2**31)]
    memory_gib: Amount
    gpu: GPUInfo | None

    @property
    def computer(self) -> str:
        """Its host; records without one are told apart by the memory."""
        return self.host or f"one of {self.memory_gib:.0f} GiB"


class SoftwareInfo(Model):
    """The versions that a record was measured with."""

    git_commit: str | None
    dirty: bool | None
    python: str
    numpy: str
    pycuda: str | None
    cuda: str | None
    compiler: str | None
    peer: str | None = optional("name and version of the library that was called")

    @property
    def compiler_release(self) -> str | None:
        """The compiler's own name and release, such as `g++ 13.3.0`: GCC calls itself by its file's name."""
        gcc = re.fullmatch(r"\S*\+\+\S* \(.*?\) (\d+(?:\.\d+)+).*", self.compiler or "")
        return f"g++ {gcc[1]}" if gcc else self.compiler


class Record(Model):
    """All trials of one solver on one graph on one machine."""

    schema_version: Literal[2] = 2
    experiment: Name = Field(description="its key in experiments.yaml, such as table-3.3")
    problem: Literal["bfs", "stcon", "sssp", "generate", "bellman-ford", "betweenness", "limits"]
    solver: Annotated[str, Field(pattern="^[a-z-]+/[a-z0-9-]+$", description="problem/variant")]
    backend: Literal["cuda", "emulator", "host"]
    parameters: dict[Annotated[str, Field(pattern="^[a-z_]+$")], Whole | float | str] = Field(
        default_factory=dict
    )
    """settings of the solver, and what was asked of the graph"""
    source: Count | None = Field(default=None, description="vertex id, 0-based")
    graph: GraphInfo
    status: Literal["ok", "failed", "skipped"] = "ok"
    reason: str | None = Field(default=None, description="why it failed or was skipped")
    setup: list[Milliseconds] = Field(
        default_factory=list,
        description="timed passes: of a library, its own graph object and what it chooses for it, without a "
        "context; of others, if asked for, context and module load",
    )
    trials: list[Trial] = Field(default_factory=list)
    iterations: Count | None = None
    """of the last trial; the median where each has a source of its own"""
    energy: Energy | None = optional("null if it was not measured")
    verified: bool | None = Field(default=None, description="null where there is no answer to check")
    oracle: Annotated[str, Field(min_length=1)] | None = None
    """what the answer was checked against"""
    digest: SHA256 | None = None
    """sha256 of the answer; of all trials' where each has a source of its own"""
    observed: dict[str, Whole | float] = Field(
        default_factory=dict,
        description="what a solver reports of its last trial beside its times",
        exclude_if=lambda observed: not observed,
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
        if self.source is not None and self.source >= self.graph.vertices:
            raise at("source", f"expected a vertex below {self.graph.vertices}, found {self.source}")
        if ok and not self.trials:
            raise at("trials", f"expected at least one {where}")
        if ok and missing:
            raise at(missing[0], f"expected a value {where}")
        if ok and self.graph.sha256 is None and self.problem != "limits":
            raise at("graph.sha256", f"expected a sha256 {where}, found null")
        if ok and self.problem == "limits" and not self.iterations:
            raise at("iterations", f"expected at least 1 {where}, as a step is a part of the time")
        if ok and self.backend == "cuda" and self.machine.gpu is None:
            raise at("machine.gpu", "expected the GPU that ran it, found null")
        if self.digest == "0" * 64:
            raise at("digest", "expected a sha256, found zeros")
        if not ok and not self.reason:
            raise at("reason", f"expected one {where}")
        if not ok and self.verified is not None:
            raise at("verified", f"expected null {where}")
        if self.verified is False and not self.reason:
            raise at("reason", "expected the first difference where verified is false")
        rounds = [trial.round for trial in self.trials]
        if None in rounds and set(rounds) != {None}:
            raise at(f"trials[{rounds.index(None)}].round", "expected one, as other trials have, found null")
        for number, (before, found) in enumerate(pairwise(rounds), 1):
            if before is not None and found is not None and found < before:
                raise at(f"trials[{number}].round", f"expected rounds in order, found {found} after {before}")
        for number, trial in enumerate(self.trials):
            parts = trial.upload + trial.solve + trial.download
            if abs(trial.total - parts) > 1e-3:
                raise at(f"trials[{number}].total", f"expected upload + solve + download = {parts:.6f}")
            if trial.kernel is not None and trial.kernel > trial.solve * CLOCKS_AGREE:
                raise at(f"trials[{number}].kernel", f"expected no more than solve = {trial.solve:.6f}")
        self._check_drawn()
        return self

    def _check_drawn(self) -> None:
        """Raise an error unless each trial has another of the questions that were drawn, if there are any."""
        if self.drawn is None:
            number = next((n for n, trial in enumerate(self.trials) if trial.source is not None), None)
            if number is not None:
                raise at(f"trials[{number}].source", "expected null where no sources were drawn")
            return
        needs = ("source", "digest", *(("target",) if self.problem == "stcon" else ()))
        questions = set[tuple[int | None, int | None]]()
        for number, trial in enumerate(self.trials):
            if lacking := next((key for key in needs if getattr(trial, key) is None), None):
                raise at(f"trials[{number}].{lacking}", "expected one where sources were drawn, found null")
            if (largest := max(trial.source or 0, trial.target or 0)) >= self.graph.vertices:
                contrast = f"expected vertices below {self.graph.vertices}, found {largest}"
                raise at(f"trials[{number}].source", contrast)
            if (question := (trial.source, trial.target)) in questions:
                contrast = f"expected each source once, found {trial.source} again"
                raise at(f"trials[{number}].source", f"{contrast}; measure it again")
            questions.add(question)
        if self.source is not None or len(self.trials) > self.drawn:
            raise at("trials", f"expected a source of each, {self.drawn} at most, found {len(self.trials)}")
        if self.trials and self.digest != digest_of_all(self.trials):
            raise at("digest", "expected that of the trials' digests")

    @property
    def drawn(self) -> int | None:
        """How many sources, or pairs, were drawn, of which each trial has one; None if all have the same."""
        count = self.parameters.get(DRAWN_AS.get(self.problem, "sources"))
        return None if count is None else int(count)

    @property
    def agreed(self) -> bool:
        """Whether there is an answer and it is the oracle's."""
        return self.status == "ok" and self.verified is True

    def value_of(self, key: str) -> object:
        """Return the value at a key such as `machine.gpu.name`; None where a part of it is null."""
        value: object = self
        for part in key.split("."):
            value = getattr(value, part, None)
        return value

    @property
    def rounds(self) -> int:
        """How many processes measured it, each for itself."""
        return len({trial.round for trial in self.trials})

    @property
    def timed(self) -> bool:
        """Whether the times may be shown: the answer is verified, and not the emulator's."""
        return self.agreed and self.backend != "emulator"

    @property
    def cores(self) -> int | None:
        """How many cores of the CPU solved it; None on a device, also where there was none.

        Records from before there was the setting are of all cores, too.
        """
        if self.backend != "host" or "cuda" in (solver := CATALOGUE.find(self.solver)).backends:
            return None
        every = self.machine.cores if "threads" in solver.settings else 1
        chosen = self.observed.get("threads") or self.parameters.get("threads", every)
        return int(chosen or every)

    @property
    def loops_in_python(self) -> bool:
        """Whether Python repeated the launches of a solver whose loop may be in C++."""
        loop = self.parameters.get("loop", UNSTATED["loop"])
        return loop == "python" and "loop" in CATALOGUE.find(self.solver).settings

    @property
    def place(self) -> dict[str, str | None]:
        """What records of a file share; generators make different graphs of one name."""
        graph = self.graph.name if self.problem == "generate" else self.graph.sha256
        return {"experiment": self.experiment, "graph": graph, "machine": self.machine.name}

    @property
    def subject(self) -> tuple[Any, ...]:
        """What was measured: a second record of it takes the first one's place."""
        return (self.solver, self.source, tuple(sorted(self.parameters.items())))

    @property
    def statements(self) -> dict[tuple[Any, ...], Any]:
        """What the record says that must hold for every other: the graph's size, and the only answer."""
        graph, statements = self.graph, dict[tuple[Any, ...], Any]()
        if graph.sha256 is not None:
            statements["graph.arcs", graph.sha256] = (graph.vertices, graph.arcs)
            if self.agreed and self.problem in ONE_ANSWER:
                target, digest = self.parameters.get("target"), (self.digest or "")[:DIGEST_DIGITS]
                answers = [(trial.source, trial.target, trial.digest) for trial in self.trials]
                for *question, answer in answers if self.drawn else [(self.source, target, digest)]:
                    statements["digest", self.problem, graph.sha256, *question] = answer
        return statements

    @property
    def label(self) -> str:
        """The graph's name in tables and figures, which a substitute never has alone."""
        name, origin = self.graph.name, self.graph.origin
        for key in ("sources", "pairs", "samples"):
            if key in self.parameters:
                name = f"{name}, {self.parameters[key]} {key}"
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
        record = Record.model_validate_json(line)
    except ValidationError as error:
        raise RetraceError(explain(error, where)) from None
    _check_solver(record, where)
    # The keys of a line without escapes and spaces around colons can be counted, which takes a tenth as long.
    if '" ' in line or AMBIGUOUS.search(line) or line.count('":') != _keys(record):
        try:
            json.loads(line, object_pairs_hook=_plain)
        except ValueError as error:
            raise RetraceError(f"{where}: {error}") from None
    return record


def _check_solver(record: Record, where: str) -> None:
    """Raise RetraceError if there is no such solver, or it does not run where or as the record says."""
    try:
        solver = CATALOGUE.find(record.solver)
    except OneLineError as error:
        raise RetraceError(f"{where}: solver: {error}") from None
    if record.backend not in solver.backends:
        backends = f"{record.solver} runs on {' or '.join(solver.backends)}, not on {record.backend}"
        raise RetraceError(f"{where}: backend: {backends}")
    try:
        check_parameters(solver, record.parameters, record.graph.vertices)
    except OneLineError as error:
        raise RetraceError(f"{where}: parameters: {one_line(error)}") from None


def _keys(record: Record) -> int:
    """Return how many keys a record was given in all its objects."""
    objects = [record, record.graph, record.machine, record.software, *record.trials]
    given = sum(len(part.model_fields_set) for part in objects) + len(record.parameters)
    optional = [part for part in (record.machine.gpu, record.energy) if part]
    return given + len(record.observed) + sum(len(part.model_fields_set) for part in optional)


def _plain(pairs: list[tuple[str, Any]]) -> None:
    """Raise ValueError if an object has a key twice, or a control character."""
    names = [name for name, _ in pairs]
    for name, value in pairs:
        if names.count(name) > 1:
            raise ValueError(f"{name}: given twice in an object; give it once")
        if CONTROLS.search(f"{name}{value if isinstance(value, str) else ''}"):
            raise ValueError(f"{name}: expected no control characters, found {value!r}")


def read_records(paths: Iterable[Path]) -> list[Record]:
    """Read the records of JSON-lines files.

    A RetraceError names the first line that is not sound, has the subject of another in its file, is not of
    the machine, experiment and graph that a path `machines/<machine>/<experiment>/<graph>.jsonl` names, or
    contradicts the other records.
    """
    placed, faults = survey(paths)
    if faults:
        raise RetraceError(faults[0])
    return list(placed.values())


def survey(
    paths: Iterable[Path], folders: Mapping[Path, str] | None = None
) -> tuple[dict[str, Record], list[str]]:
    """Read records by their place, `file:line`; return also a line for all that `read_records` refuses.

    `folders` are those of machines whose records are elsewhere than in `machines/<machine>`.
    """
    placed: dict[str, Record] = {}
    faults: list[str] = []
    gc.disable()  # it would look through the records again and again while there are more and more
    try:
        for path in paths:
            sound = _sound(path, faults)
            faults += _misplaced(path, sound, folders or {})
            placed |= sound
        faults += _contradictions(placed)
    finally:
        gc.freeze()  # nor need it look through them later
        gc.enable()
    return placed, faults


def _sound(path: Path, faults: list[str]) -> dict[str, Record]:
    """Return the sound records of a file by their place; append to `faults` what is said of the others."""
    placed: dict[str, Record] = {}
    try:
        lines = _lines(path)
    except OneLineError as error:
        faults.append(str(error))
        return placed
    for number, line in enumerate(lines, 1):
        try:
            placed[f"{path}:{number}"] = parse_record(line, f"{path}:{number}")
        except OneLineError as error:
            faults.append(str(error))
    return placed


def _lines(path: Path) -> list[str]:
    check_regular(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RetraceError(f"{path}: cannot be read ({one_line(error)})") from None
    return text.removesuffix("\n").split("\n") if text else []


def _misplaced(path: Path, placed: dict[str, Record], folders: Mapping[Path, str]) -> Iterator[str]:
    """Yield a line for each record whose subject another one has, or that is not of what the path names."""
    above, folder, experiment = ("", "", "", *path.parts[:-1])[-3:]
    machine = folders.get(path.parent.parent, folder if above == "machines" else None)
    named = {"machine.name": machine, "experiment": experiment, "graph.name": path.stem}
    subjects = set()
    for place, record in placed.items():
        stated = (record.machine.name, record.experiment, record.graph.name)
        if machine and stated != tuple(named.values()):
            key, was = next((key, was) for key, was in zip(named, stated, strict=True) if was != named[key])
            expected = f"expected {named[key]}, as the path says, found {one_line(was)}"
            yield f"{place}: {key}: {expected}"
        subject = (
            *stated,
            record.graph.sha256 if record.problem != "generate" else None,
            *record.subject,
        )
        if subject in subjects:
            yield f"{place}: solver: a second record of {record.solver}; keep one"
        subjects.add(subject)


def _contradictions(placed: dict[str, Record]) -> Iterator[str]:
    """Yield a line for each question that records answer in two ways: a graph's size, or the only answer.

    It names a record of those that fewest agree with.
    """
    statements: dict[Any, dict[Any, list[str]]] = defaultdict(dict)
    for place, record in placed.items():
        for about, stated in record.statements.items():
            statements[about].setdefault(stated, []).append(place)
    for about, opinions in statements.items():
        if len(opinions) > 1:
            odd, *_, most = sorted(opinions.values(), key=len)
            others = f"{len(most)} others, such as {most[0]}"
            advice = "delete the wrong file and measure it again"
            yield f"{odd[-1]}: {about[0]}: not that of {others}; {advice}"


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
    old = read_records([path]) if path.exists() else []
    kept: dict[tuple[Any, ...], Record] = {}
    for record in (*old, *records):
        first = next(iter(kept.values()), record).place
        for what, a in first.items():
            if a != (b := record.place[what]):
                raise RetraceError(f"{path}: holds records of {what} {a}, not {b}; write to another file")
        kept[record.subject] = record
    return list(kept.values())


def _arranged(record: Record) -> dict[str, Any]:
    """Return a record as a JSON object with a stable order of keys and times rounded to the nanosecond."""
    value = record.model_dump()
    for key in ("parameters", "graph", "machine", "software"):
        value[key] = dict(sorted(value[key].items()))
    value["setup"] = [round(time, 6) for time in value["setup"]]
    value["trials"] = [
        {phase: round(time, 6) if isinstance(time, float) else time for phase, time in trial.items()}
        for trial in value["trials"]
    ]
    return value
