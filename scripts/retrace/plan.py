"""What a run consists of: the configuration, checked, and the files that follow from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrace.devices.cuda import cuda_status
from retrace.errors import RetraceError
from retrace.graphs.datasets import load_registry
from retrace.measure.records import validator
from retrace.solvers import REGISTRY

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Plan:
    """Paths are relative to the folder that Snakemake works in.

    Attributes
    ----------
    config
        The checked configuration.
    backend
        cuda or emulator: where this run's CUDA kernels run.
    why_no_gpu
        What keeps this machine from CUDA, or None.
    """

    config: dict[str, Any]
    backend: str
    why_no_gpu: str | None

    @property
    def experiments(self) -> dict[str, Any]:
        """Experiments by key, with their solvers and graphs."""
        experiments: dict[str, Any] = self.config["experiments"]
        return experiments

    @property
    def datasets(self) -> dict[str, Any]:
        """Data sets by name."""
        datasets: dict[str, Any] = self.config["datasets"]
        return datasets

    @property
    def targets(self) -> list[str]:
        """Everything that a whole run makes."""
        tables = [
            f"results/tables/{name}.{suffix}" for name in self.tables for suffix in ("csv", "md", "html")
        ]
        figures = [f"results/figures/{name}.{suffix}" for name in self.figures for suffix in ("svg", "png")]
        return [*tables, *figures]

    @property
    def tables(self) -> list[str]:
        """Names of the tables: one an experiment, and the verification."""
        return [*self.experiments, "verification"]

    @property
    def figures(self) -> list[str]:
        """Names of the figures: one an experiment."""
        return [name.replace("table", "figure") for name in self.experiments]

    def measured(self, experiment: str) -> list[str]:
        """List the records that this run measures for an experiment."""
        machine, graphs = self.config["machine"], self.experiments[experiment]["graphs"]
        return [f"results/machines/{machine}/{experiment}/{graph}.jsonl" for graph in graphs]

    def records(self, experiment: str) -> list[str]:
        """List all records of an experiment: this run's and those of the committed machines."""
        committed = [
            str(ROOT / f"results/machines/{machine}/{experiment}/{graph}.jsonl")
            for machine in self.config["machines"]
            if machine != self.config["machine"]
            for graph in self.experiments[experiment]["graphs"]
        ]
        return [*committed, *self.measured(experiment)]

    @property
    def kernels(self) -> list[str]:
        """List every file under `kernels/`."""
        return sorted(str(path) for path in (ROOT / "kernels").rglob("*.*"))

    def sources(self, experiment: str) -> list[str]:
        """List the kernel files whose change calls for measuring an experiment again."""
        solvers = [REGISTRY.find(name) for name in self.experiments[experiment]["solvers"]]
        return [str(ROOT / "kernels" / source) for solver in solvers for source in solver.sources]

    def library(self, *packages: str) -> list[str]:
        """List the library's modules in some of its packages, for rules that must re-run when they change."""
        folder = ROOT / "scripts" / "retrace"
        return sorted(str(path) for package in packages for path in (folder / package).glob("*.py"))

    def stand_ins(self) -> list[str]:
        """Name the graphs that were replaced by stand-ins in this folder."""
        found = []
        for name in self.datasets:
            stored = Path(f"resources/graphs/{name}/graph.json")
            if stored.exists() and json.loads(stored.read_text())["origin"] == "stand-in":
                found.append(name)
        return found

    def closing_words(self) -> str:
        """Say at the end of a run what was made and what it does not hold."""
        lines = ["Retrace: the tables are in results/tables/, the figures in results/figures/."]
        if self.backend == "emulator":
            lines.append(
                f"No GPU was used ({self.why_no_gpu}): kernels were checked on the emulator, not timed."
            )
        if stand_ins := self.stand_ins():
            folders = " ".join(f"resources/graphs/{name}" for name in stand_ins)
            lines.append(
                f"STAND-IN: {', '.join(stand_ins)} could not be had; generated graphs of the size stand in. "
                f"To try again: rm -r {folders}, and run again."
            )
        return "\n".join(lines)


def make(config: dict[str, Any]) -> Plan:
    """Check the configuration and plan the run.

    Raises
    ------
    RetraceError
        If a key is unknown or missing, a value of the wrong type, a graph or solver not known, or a GPU asked
        for that is not there.
    """
    check(config)
    why_no_gpu = cuda_status()
    backend = config["backend"]
    if backend == "cuda" and why_no_gpu is not None:
        raise RetraceError(f"config: backend: cuda was asked for, but {why_no_gpu}; use auto or emulator")
    if backend == "auto":
        backend = "emulator" if why_no_gpu is not None else "cuda"
    return Plan(config, backend, why_no_gpu or "backend: emulator was asked for")


def as_json(value: Any) -> str:
    """Write a part of the configuration as text that a command line can carry."""
    return json.dumps(value, sort_keys=True)


def check(config: dict[str, Any]) -> None:
    """Raise a `RetraceError` that names the first unsound key of the configuration."""
    plain = json.loads(json.dumps(config))
    for error in sorted(
        validator("config").iter_errors(plain), key=lambda error: error.validator != "additionalProperties"
    ):
        where = ".".join(("config", *map(str, error.absolute_path)))
        if error.validator == "additionalProperties":
            known = error.schema.get("properties", {})
            unknown = ", ".join(sorted(set(error.instance) - set(known)))
            raise RetraceError(f"{where}: unknown key {unknown}; expected {', '.join(known)}")
        raise RetraceError(f"{where}: {error.message}")
    load_registry(config)
    for key, experiment in config["experiments"].items():
        for kind, known in (("solvers", REGISTRY.solvers), ("graphs", config["datasets"])):
            for name in experiment[kind]:
                if name not in known:
                    there_are = ", ".join(sorted(known))
                    raise RetraceError(
                        f"config.experiments.{key}.{kind}: {name} is not known; there are {there_are}"
                    )
