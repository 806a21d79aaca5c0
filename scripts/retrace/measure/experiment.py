"""Measures an experiment on one graph: the interleaved trials of its solvers, and their records."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from retrace.check.checkers import checker_of
from retrace.graphs.query import Subject, queries
from retrace.measure.trials import DeviceFactory, Effort, Measurement, SharedDevice
from retrace.records.record import GraphInfo, Record, make_record
from retrace.solvers import find, parse
from retrace.solvers.libraries import Peer
from retrace.system.bars import bar
from retrace.system.errors import RetraceError


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Keep Python from collecting garbage inside a trial, which takes tens of milliseconds."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def measure(
    experiment: str, graph: Subject, solvers: Sequence[str], effort: Effort, device: tuple[str, DeviceFactory]
) -> list[Measurement]:
    """Measure and check solvers of one problem on one graph; return a measurement for each solver and query.

    The graph's `info` names the source and the pairs; generators take the description of the graph to make.
    `device` is the backend and the factory of the device for solvers that need one.
    """
    able = [kind for kind in map(find, solvers) if kind.exceeded_by(graph) is None]
    checkers = {problem: checker_of(problem, graph) for problem in {kind.problem for kind in able}}
    found = unmeasured(graph.info, solvers, device)
    with (
        without_garbage_collection(),
        SharedDevice(device[1]) as shared,
        bar(total=effort.trials * len(found), unit="trial", desc=f"{experiment} {graph.name}") as progress,
    ):
        if effort.setups and any(measurement.open_device for measurement in found):
            shared.open_once()
        for measurement in found:
            progress.set_postfix_str(f"{measurement.solver}, setup")
            measurement.prepare(graph, effort, shared)
        for _ in range(effort.trials):
            if not any(measurement.wants_trial(effort) for measurement in found):
                break
            for measurement in found:
                progress.set_postfix_str(measurement.solver)
                if measurement.wants_trial(effort):
                    measurement.run_trial(graph, checkers[find(measurement.solver).problem], shared)
                progress.update()
        for measurement in found:
            measurement.ready = None
    return found


def unmeasured(
    info: dict[str, Any], solvers: Sequence[str], device: tuple[str, DeviceFactory]
) -> list[Measurement]:
    """Return a measurement of each solver with each query on the graph that `info` describes."""
    backend, open_device = device
    found = []
    for name in solvers:
        solver = find(name)
        where, factory = (backend, open_device) if backend in solver.backends else ("host", None)
        for query in queries(solver.problem, info):
            found.append(Measurement(name, where, query, factory))
    return found


SOURCELESS = ("betweenness", "generate", "limits")
"""Problems of no single source."""


def as_record(
    experiment: str, info: dict[str, Any], measurement: Measurement, provenance: dict[str, Any]
) -> Record:
    """Convert a measurement on the graph of `info` to a record; `provenance`: `machine` and `software`.

    If its trials cannot be recorded, it has failed, for that reason.
    """
    solver, parameters = parse(measurement.solver)
    parameters = {**parameters, **measurement.query.parameters()}
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
        "backend": measurement.backend,
        "parameters": parameters,
        "source": None if solver.problem in SOURCELESS else measurement.query.source,
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
            "trials": measurement.trials,
            "iterations": measurement.iterations,
            "verified": measurement.result.verified,
            "oracle": measurement.result.oracle,
            "digest": measurement.digest,
            "observed": measurement.observed,
        }
        try:
            return make_record(where, **record | answered)
        except RetraceError as error:  # such as a trial that cannot be: the other records of a run are kept
            record |= {"status": "failed", "reason": str(error)}
    return make_record(where, **record)
