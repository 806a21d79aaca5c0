"""Measure and check an experiment's solvers on its graphs."""

from pathlib import Path
from typing import ClassVar

from pydantic import Field, field_validator

from cuda_device.available_gpus import cuda_status
from retrace.graphs.dataset_registry import load_registry
from retrace.measure import environment
from retrace.measure.experiment import MeasuringJob, Task, each_once
from retrace.system.checkpoint import BATCH_S
from retrace.system.errors import RetraceError
from retrace.system.models import Many, Some
from retrace.system.stage import Stage


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

    @field_validator("graphs")
    @classmethod
    def _unlike(cls, graphs: tuple[Path, ...]) -> tuple[Path, ...]:
        each_once(tuple(path.name for path in graphs))
        return graphs

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
        for task in tasks:
            for case in task.measure(software, registry, self.downloads):
                outcome = case.reason or ("agrees" if case.result and case.result.verified else "differs")
                solver, pair = case.request.solver, case.request.query.pair
                name = f"{solver} {pair}" if pair else solver
                print(f"{task.folder.name}, {name}: {case.status}, trials: {len(case.trials)}, {outcome}")
        if keeping:
            keeping.forget(task.folder.name for task in tasks)
