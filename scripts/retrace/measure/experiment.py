"""Measures an experiment on one graph: the interleaved trials of its solvers, and their records."""

import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from statistics import median_low
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from cuda_device.errors import OneLineError
from cuda_device.gpu_limits import GPULimits
from retrace.catalogue.known_solvers import DRAWABLE, given
from retrace.check.checkers import checker_of
from retrace.devices.backends import device_class
from retrace.graphs import csr, dense, identity, random
from retrace.graphs.csr import CSRGraph
from retrace.graphs.dataset_registry import Dataset
from retrace.graphs.query import Draw, NoGraph, Query, Subject, no_graph, queries
from retrace.graphs.random import RandomGraph
from retrace.graphs.registered import require_registered
from retrace.measure import environment
from retrace.measure.energy import idle_power
from retrace.measure.kept_trials import Keeping, KeptTrials, identity_of_job
from retrace.measure.rounds import drawn_order, is_due, join_rounds, round_name, share_of_round
from retrace.measure.trials import (
    DeviceFactory,
    Effort,
    Measurement,
    Request,
    SharedDevice,
)
from retrace.records.record import GraphInfo, Record, make_record, update_records, updated, write_records
from retrace.solvers import find, parse
from retrace.solvers.peer import Peer
from retrace.system.bars import bar
from retrace.system.errors import RetraceError
from retrace.system.files import check_writable
from retrace.system.models import Name, Some, at


class MeasuringJob(Effort):
    """What decides the records of an experiment, whatever the graph."""

    experiment: Name
    """Key of the experiment, such as table-3.3."""
    solvers: Some[str]
    """Such as sssp/bsp bellman-ford/csr, each once; generators, and solvers of limits, apart from others."""
    backend: Literal["cuda", "emulator"]
    """Where CUDA kernels run."""
    machine: Name = "local"
    """Name of this computer in the records."""
    memory_gib: float | None = Field(None, gt=0)
    """Use no more device memory; without it all that is free."""
    compute_capability: str | None = None
    """Use the GPU, or the emulator, as one of this compute capability, such as 8.6; without it as it is."""
    seed: int = 1
    """Of generators, and of the order of solvers in each round."""
    rounds: int = Field(1, ge=1)
    """Processes that measure the solvers, one after the other; they share `trials` and `budget_s`."""
    sources: int | None = Field(None, ge=1)
    """Draw so many sources from the graph by `seed`, or pairs for st-connectivity, one for each trial of a
    solver, in place of `trials`; without it all trials have the graph's source, or its pairs."""

    @field_validator("solvers")
    @classmethod
    def _measured_together(cls, solvers: tuple[str, ...]) -> tuple[str, ...]:
        for solver in solvers:
            parse(solver)
        if len({given(solver) for solver in solvers}) > 1:
            expected = "expected generators, solvers of limits, or others, not several"
            raise ValueError(f"{expected}; measure them apart")
        return each_once(solvers)

    @model_validator(mode="after")
    def _a_source_for_each_round(self) -> Self:
        if self.sources is None:
            return self
        if self.sources < self.rounds:
            raise at(
                "sources", f"expected at least one for each of {self.rounds} rounds, found {self.sources}"
            )
        for solver in self.solvers:
            if parse(solver)[0].problem not in DRAWABLE:
                raise at("sources", f"expected solvers of {' or '.join(DRAWABLE)}, found {solver}")
        return self

    @field_validator("compute_capability")
    @classmethod
    def _known(cls, capability: str | None) -> str | None:
        if capability is not None:
            GPULimits.by_capability(capability)
        return capability

    @cached_property
    def device(self) -> tuple[str, DeviceFactory]:
        """Return the backend of kernels, and what opens its device, with its limits."""
        kind = device_class(self.backend)
        return self.backend, partial(
            kind, memory_gib=self.memory_gib, compute_capability=self.compute_capability
        )

    def kept_in(self, folder: Path, every_s: float, software: Mapping[str, Any]) -> Keeping:
        """Return where trials are kept, and all that they depend on."""
        options = self.model_dump(mode="json", include=set(MeasuringJob.model_fields))
        return Keeping(folder, every_s, identity_of_job(options, software))


def each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names; raise ValueError if one is there twice."""
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"{twice} is given twice; give it once")
    return names


@dataclass(frozen=True)
class Task:
    """An experiment to be measured on one graph."""

    job: MeasuringJob
    folder: Path
    """Where the graph is stored. Its name is the graph's, also of one that is made or none."""
    output: Path
    """File of the records."""
    update: bool
    """Whether other records of that file are kept."""
    keeping: Keeping | None = None
    """Where trials are kept until the job has ended."""

    @cached_property
    def subject(self) -> RandomGraph | NoGraph | None:
        """What is given instead of a stored graph: to a generator the graph to make."""
        kind, name = given(self.job.solvers[0]), self.folder.name
        if kind == "generate":
            return random.named(name, self.job.seed)
        return no_graph(name) if kind == "limits" else None

    @cached_property
    def info(self) -> dict[str, Any]:
        """What is known of the graph; RetraceError if it is not stored."""
        return self.subject.info if self.subject else identity.stored_info(self.folder)

    def check(self, software: Mapping[str, Any]) -> None:
        """Raise an error, before anything is measured, if the records could not be written."""
        records = self.records(self.skipped("yet to be measured"), software)
        check_writable(self.output)
        for keeping in self.keepings:
            check_writable(keeping.path(self.folder.name))
        if self.update:
            updated(self.output, records)

    @property
    def keepings(self) -> list[Keeping]:
        """Where trials are kept: one place, or one for each round if there are several."""
        if self.keeping is None or self.job.rounds == 1:
            return [] if self.keeping is None else [self.keeping]
        return [self.keeping.of_round(number) for number in range(self.job.rounds)]

    def measure(
        self, software: Mapping[str, Any], registry: Mapping[str, Dataset], downloads: Path
    ) -> list[Measurement]:
        """Measure, or go on after the trials that were kept, and write the records.

        Of several rounds, which `measure_round` measures, join the results. A stored graph with the name of a
        data set must be that one; `downloads` has what was trusted of it.
        """
        cases = self.unmeasured()
        if "missing" in self.info:
            cases = self.skipped(self.info["missing"])
        elif self.job.rounds == 1:
            kept = self.kept(registry, *self.keepings)
            self.complete_kept(cases, cases, self.job, kept, partial(self.load, registry, downloads))
        else:
            of_rounds = [self.results_of(number, registry) for number in range(self.job.rounds)]
            for case, *measured in zip(cases, *of_rounds, strict=True):
                join_rounds(case, measured, self.job.budget_s)
        write = update_records if self.update else write_records
        write(self.output, self.records(cases, software))
        return cases

    def measure_round(self, number: int, registry: Mapping[str, Dataset], downloads: Path) -> None:
        """Measure what is due in one of several rounds, or go on after its trials that were kept.

        The solvers come in an order of the round's own. Trials are only kept. RetraceError if an earlier
        round has not ended.
        """
        if "missing" in self.info:
            return
        job, cases = self.job, self.unmeasured()
        earlier = [self.results_of(one, registry) for one in range(number)]
        due = [
            case for case, *before in zip(cases, *earlier, strict=True) if is_due(case, before, job.budget_s)
        ]
        for case, *before in zip(cases, *earlier, strict=True):
            case.rounds, case.round = job.rounds, number
            case.chosen = before[0].observed if before else {}
        self.complete_kept(
            cases,
            drawn_order(due, job.seed, job.experiment, self.folder.name, number),
            share_of_round(job, job.rounds),
            self.kept(registry, self.keepings[number]),
            partial(self.load, registry, downloads),
            round_name(number, job.rounds),
        )

    def complete_kept(
        self,
        cases: Sequence[Measurement],
        due: Sequence[Measurement],
        effort: Effort,
        kept: KeptTrials | None,
        load: Callable[[], Subject],
        of_round: str = "",
    ) -> None:
        """Measure those of `cases` that are due, in their order, after the trials that were kept."""
        if kept and (trials := kept.restore(cases)):
            graph_and_round = ", ".join(filter(None, (self.folder.name, of_round)))
            message = f"goes on from a job that was stopped, trials kept: {trials}"
            print(f"{graph_and_round}: {message}", file=sys.stderr)
        if any(case.wants_trial(effort) or case.wants_energy(effort) for case in due):
            title = ", ".join(filter(None, (self.job.experiment, of_round)))
            keep = partial(kept.write_now_and_then, cases) if kept else lambda: None
            complete(title, load(), due, effort, self.job.device[1], keep)
        if kept:
            kept.write(cases)

    def results_of(self, number: int, registry: Mapping[str, Dataset]) -> list[Measurement]:
        """Return what a round has measured; RetraceError if its trials were not kept, or not by this job."""
        cases = self.unmeasured()
        kept = self.kept(registry, self.keepings[number])
        assert kept is not None, "a job of several rounds keeps its trials"
        kept.require(cases)
        return cases

    def unmeasured(self) -> list[Measurement]:
        """Return measurements that have yet to be made."""
        return unmeasured(self.info, self.job.solvers, self.job.device, self.job.sources, self.job.seed)

    def load(self, registry: Mapping[str, Dataset], downloads: Path) -> Subject:
        """Return what solvers are given; RetraceError if a stored graph is not the one of its name."""
        if self.subject is not None:
            return self.subject
        negative = all(find(name).problem == "bellman-ford" for name in self.job.solvers)
        complete = dense.is_complete(self.info)
        graph = dense.load(self.folder) if complete else csr.load(self.folder, negative, wide=True)
        require_registered(graph, self.folder, registry, downloads)
        return graph

    def kept(self, registry: Mapping[str, Dataset], keeping: Keeping | None = None) -> KeptTrials | None:
        """Return the trials that are kept of this graph; `registry` may have the data set that it must be."""
        if keeping is None:
            return None
        dataset = registry.get(self.folder.name) or registry.get(self.info["name"])
        of_graph = {"graph": self.info, "data set": dataset and dataset.model_dump(mode="json")}
        identity = {**keeping.job, **of_graph}
        return KeptTrials(keeping.path(self.folder.name), identity, keeping.every_s)

    def skipped(self, reason: str) -> list[Measurement]:
        """Return measurements that give a reason and nothing else."""
        cases = self.unmeasured()
        for case in cases:
            case.skip(reason)
        return cases

    def records(self, cases: Sequence[Measurement], software: Mapping[str, Any]) -> list[Record]:
        """Return the records of measurements with a description of this computer."""
        gpu = next((case.gpu for case in cases if case.gpu is not None), None)
        origin = {"machine": environment.machine(self.job.machine, gpu), "software": software}
        return [as_record(self.job.experiment, self.info, case, origin) for case in cases]


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Keep Python from collecting garbage inside a trial, which takes tens of milliseconds."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def complete(
    title: str,
    graph: Subject,
    cases: Sequence[Measurement],
    effort: Effort,
    open_device: DeviceFactory,
    keep: Callable[[], None],
) -> None:
    """Run the trials that measurements on a graph still lack; `keep` is called between trials."""
    drawn = draw_queries(graph, cases)
    kinds = {find(measurement.request.solver) for measurement in cases}
    able = {kind.problem for kind in kinds if kind.exceeded_by(graph) is None}
    checkers = {problem: checker_of(problem, graph, drawn.get(problem, ())) for problem in able}
    with (
        without_garbage_collection(),
        SharedDevice(open_device) as shared,
        bar(
            total=sum(case.most_trials(effort) for case in cases), unit="trial", desc=f"{title} {graph.name}"
        ) as progress,
    ):
        if effort.setups and any(measurement.request.open_device for measurement in cases):
            with shared.open_device():  # a process's first context takes twice as long as the next
                pass
        idle_watts = None
        if graph.vertices < effort.energy_vertices:
            effort = effort.model_copy(update={"energy_s": None})
        if effort.energy_s and any(case.round == 0 and case.request.backend == "cuda" for case in cases):
            idle_watts = idle_power(shared.device.joules)
        for measurement in cases:
            if measurement.wants_trial(effort):
                progress.set_postfix_str(f"{measurement.request.solver}, setup")
                measurement.prepare(graph, effort, shared)
        for done in count():
            if not any(measurement.wants_trial(effort) for measurement in cases):
                break
            for measurement in cases:
                progress.set_postfix_str(measurement.request.solver)
                if measurement.wants_trial(effort) and len(measurement.trials) <= done:
                    checker = checkers[find(measurement.request.solver).problem]
                    measurement.run_trial(graph, checker, effort, shared)
                    keep()
                progress.update()
        for measurement in cases:
            if measurement.wants_energy(effort):
                measurement.measure_energy(graph, effort, shared, idle_watts)
                keep()
            measurement.ready = None


def draw_queries(graph: Subject, cases: Sequence[Measurement]) -> dict[str, Sequence[Query]]:
    """Give the measurements the queries that are drawn from the graph; return all of each problem."""
    by_problem: dict[str, Sequence[Query]] = {}
    for draw in {case.request.draw for case in cases if case.request.draw is not None}:
        assert isinstance(graph, CSRGraph)
        drawn = [case for case in cases if case.request.draw == draw]
        try:
            by_problem[find(drawn[0].request.solver).problem] = queries = draw.queries(graph)
            for case in drawn:
                case.ask(queries)
        except RetraceError as error:  # other graphs of the job have enough
            for case in drawn:
                case.skip(str(error))
    return by_problem


def unmeasured(
    info: dict[str, Any],
    solvers: Sequence[str],
    device: tuple[str, DeviceFactory],
    sources: int | None = None,
    seed: int = 1,
) -> list[Measurement]:
    """Return a measurement of each solver with each query on the graph that `info` describes.

    If `sources` are to be drawn, there is one of each solver.
    """
    backend, open_device = device
    cases = []
    for name in solvers:
        solver = find(name)
        where, factory = (backend, open_device) if backend in solver.backends else ("host", None)
        if sources is not None:
            draw = Draw.of(info, sources, seed, solver.problem)
            cases.append(Measurement(request=Request(name, where, Query(), factory, draw)))
            continue
        for query in queries(solver.problem, info):
            cases.append(Measurement(request=Request(name, where, query, factory)))
    return cases


SOURCELESS = ("betweenness", "generate", "limits")
"""Problems of no single source."""


def as_record(
    experiment: str, info: dict[str, Any], measurement: Measurement, provenance: dict[str, Any]
) -> Record:
    """Convert a measurement on the graph of `info` to a record; `provenance`: `machine` and `software`.

    If its trials cannot be recorded, it has failed, for that reason.
    """
    solver, parameters = parse(measurement.request.solver)
    draw, trials = measurement.request.draw, measurement.trials
    parameters = {**parameters, **measurement.request.parameters}
    iterations = measurement.iterations
    if draw is not None and measurement.drawn is not None:
        parameters[draw.key] = measurement.drawn
    if draw is not None and (counted := [one.iterations for one in trials if one.iterations is not None]):
        iterations = median_low(counted)
    software = dict(provenance["software"])
    if issubclass(solver, Peer):
        software["peer"] = solver.library()
    if solver.problem == "generate":  # the record's graph is the one that was made
        info = {**info, "edition": solver.variant, "sha256": measurement.digest}
        parameters |= {"weight_low": info["least_weight"], "weight_high": info["greatest_weight"]}
    record: dict[str, Any] = {
        "experiment": experiment,
        "problem": solver.problem,
        "solver": solver.name,
        "backend": measurement.request.backend,
        "parameters": parameters,
        "source": None if draw or solver.problem in SOURCELESS else measurement.request.query.source,
        "graph": {key: info[key] for key in GraphInfo.model_fields if key in info},
        "status": measurement.status,
        "reason": measurement.reason,
        **provenance,
        "software": software,
        "started": measurement.started,
    }
    where = f"{info.get('name')}: cannot be recorded"
    if measurement.status == "ok" and measurement.result is not None:
        answered = {
            "setup": measurement.setups,
            "trials": [trial.model_dump() for trial in trials],
            "iterations": iterations,
            "energy": measurement.energy and measurement.energy.model_dump(),
            "verified": measurement.result.verified,
            "oracle": measurement.result.oracle,
            "digest": measurement.digest,
            "observed": measurement.observed,
        }
        try:
            return make_record(where, **record | answered)
        except OneLineError as error:  # such as a trial that cannot be: the other records of a run are kept
            record |= {"status": "failed", "reason": str(error)}
    return make_record(where, **record)
