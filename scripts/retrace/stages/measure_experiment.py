"""Measure and check an experiment's solvers on its graphs."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field, field_validator, model_validator

from cuda_device.available_gpus import cuda_status
from retrace.graphs.dataset_registry import load_registry
from retrace.measure import environment
from retrace.measure.experiment import MeasuringJob, Task, each_once
from retrace.measure.rounds import round_name
from retrace.system.checkpoint import BATCH_S
from retrace.system.errors import RetraceError
from retrace.system.models import Many, Some, at
from retrace.system.processes import run_with_this
from retrace.system.stage import STAGES, Stage


class MeasureExperiment(MeasuringJob, Stage):
    """Measure and check the solvers of an experiment on each of its graphs; write records as JSON lines."""

    ends_at_once: ClassVar[bool] = True  # records come last

    graphs: Some[Path]
    """Folders of stored graphs; for generators names of graphs, such as random-14-5; for limits none."""
    datasets: Many[str] = ("datasets.yaml",)
    """Registries: a graph with the name of one of theirs must be that one."""
    downloads: Path = Path("resources/downloads")
    """Folder of the graphs' files, where `get-graph` keeps what it trusted."""
    output: Path
    """Folder of the records: GRAPH.jsonl for each graph."""
    update: bool = False
    """Keep the other records of a file: replace those of the same solvers and effort, add new ones."""
    checkpoints: Path | None = None
    """Keep trials in this folder until all graphs are measured, from which the same job goes on after a kill;
    without it nowhere."""
    checkpoint_s: float = Field(BATCH_S, gt=0)
    """Seconds from one writing of trials to the next."""
    round: int | None = Field(None, ge=0)
    """Measure only this round, from 0, after those before it, and only keep its trials: for the process of a
    round, which the stage starts."""

    @field_validator("graphs")
    @classmethod
    def _unlike(cls, graphs: tuple[Path, ...]) -> tuple[Path, ...]:
        each_once(tuple(path.name for path in graphs))
        return graphs

    @model_validator(mode="after")
    def _keeps_rounds(self) -> Self:
        if self.rounds > 1 and self.checkpoints is None:
            raise at("checkpoints", "expected a folder in which the rounds keep their trials, found none")
        if self.round is not None and not self.round < self.rounds != 1:
            raise at("round", f"expected one of several rounds, from 0, found {self.round} of {self.rounds}")
        return self

    def run(self) -> None:
        """Measure, and print the outcome of each solver on each graph."""
        if self.backend == "cuda" and (why_not := cuda_status()) is not None:
            raise RetraceError(f"--backend cuda: {why_not}; use --backend emulator")
        software = environment.software(self.compute_capability)
        keeping = None
        if self.checkpoints is not None:
            keeping = self.kept_in(self.checkpoints, self.checkpoint_s, software)
        tasks = [
            Task(self, folder, self.output / f"{folder.name}.jsonl", self.update, keeping)
            for folder in self.graphs
        ]
        for task in tasks:
            task.check(software)
        registry = load_registry(self.datasets) if any(task.subject is None for task in tasks) else {}
        if self.round is not None:
            for task in tasks:
                task.measure_round(self.round, registry, self.downloads)
            return
        if self.rounds > 1:
            self.run_rounds()
        for task in tasks:
            for case in task.measure(software, registry, self.downloads):
                outcome = case.reason or ("agrees" if case.result and case.result.verified else "differs")
                solver, pair = case.request.solver, case.request.query.pair
                name = f"{solver} {pair}" if pair else solver
                print(f"{task.folder.name}, {name}: {case.status}, trials: {len(case.trials)}, {outcome}")
        for task in tasks:
            for place in task.keepings:
                place.forget([task.folder.name])
        if self.checkpoints is not None:
            with suppress(OSError):
                self.checkpoints.rmdir()

    def run_rounds(self) -> None:
        """Run a process for each round, one after the other; RetraceError if one does not end well."""
        for number in range(self.rounds):
            words = self.model_copy(update={"round": number}).words()
            status = run_with_this(
                sys.executable, STAGES.parents[1] / "stage.py", "measure-experiment", *words
            )
            if status != 0:
                how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
                told = f"{round_name(number, self.rounds)} {how}; run the job again, and it goes on"
                raise RetraceError(told)
