"""What a run consists of: the files that follow from the configuration."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrace.claims import reports
from retrace.claims.reports import REPORTS
from retrace.devices.cuda import cuda_status
from retrace.planning import configuration, printed
from retrace.publish.published import FIGURES, MEASURED_TABLES
from retrace.records.model import Record, read_records
from retrace.solvers import GENERATORS, REGISTRY, find
from retrace.solvers.generate import TreeFirst
from retrace.system import project
from retrace.system.errors import RetraceError


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
    def targets(self) -> dict[str, list[str]]:
        """What a whole run makes: the files of each table and figure, by its name."""
        beside = [name for name in self.experiments if name in printed.printed_tables()]
        claims = [f"claims-{report}" for report in self.reports]
        tables = [*beside, *claims, *self.measured_tables, "verification"]
        figures = [figure for name in beside for figure in figures_of(name)]
        return {
            **{name: table_files(name) for name in tables},
            **{name: figure_files(name) for name in [*figures, *self.measured_figures]},
        }

    @property
    def reports(self) -> list[str]:
        """List the reports that print no numbers and have an experiment here."""
        return [
            key
            for key, report in REPORTS.items()
            if not self.experiments.keys().isdisjoint(report.experiments)
        ]

    @property
    def measured_tables(self) -> list[str]:
        """List the tables without printed numbers, each of the experiment of its name."""
        return [name for name in MEASURED_TABLES if name in self.experiments]

    @property
    def measured_figures(self) -> list[str]:
        """List the figures that have no printed numbers."""
        return [figure for figure, name in reports.FIGURES.items() if name in self.experiments]

    @property
    def report_targets(self) -> dict[str, list[str]]:
        """All files of a report that prints no numbers, by one name: its figures and its claims."""
        files = {}
        for key in self.reports:
            figures = [name for name in self.measured_figures if name in REPORTS[key].figures]
            drawn = [path for name in figures for path in figure_files(name)]
            files[REPORTS[key].target] = [*table_files(f"claims-{key}"), *drawn]
        return files

    def report_records(self, report: str) -> list[str]:
        """List all records that a report's claims are judged by."""
        found = [name for name in REPORTS[report].experiments if name in self.experiments]
        return [path for name in found for path in self.records(name)]

    def graphs(self, experiment: str) -> list[str]:
        """List an experiment's graphs, at the paper's scale with the larger ones."""
        entry = self.experiments[experiment]
        larger = entry.get("larger_graphs", []) if self.config["scale"] == "paper" else []
        return [*entry["graphs"], *larger]

    def measured(self, experiment: str) -> list[str]:
        """List the records that this run measures for an experiment."""
        machine, graphs = self.config["machine"], self.graphs(experiment)
        return [f"results/machines/{machine}/{experiment}/{graph}.jsonl" for graph in graphs]

    def all_graphs(self, experiment: str) -> list[str]:
        """List an experiment's graphs at any scale: committed machines may have measured them."""
        entry = self.experiments[experiment]
        return [*entry["graphs"], *entry.get("larger_graphs", [])]

    def records(self, experiment: str) -> list[str]:
        """List all records of an experiment: this run's and what the committed machines have."""
        committed = [
            path
            for machine in self.config["machines"]
            if machine != self.config["machine"]
            for graph in self.all_graphs(experiment)
            if Path(path := project.path(f"results/machines/{machine}/{experiment}/{graph}.jsonl")).exists()
        ]
        return [*committed, *self.measured(experiment)]

    @property
    def all_records(self) -> list[str]:
        """List the records of all experiments."""
        return [path for experiment in self.experiments for path in self.records(experiment)]

    def own_files(self, graph: str) -> list[str]:
        """List the files of a graph that are the project's own."""
        return [
            project.path(edition["path"]) for edition in self.datasets[graph]["editions"] if "path" in edition
        ]

    def stored(self, experiment: str, graph: str) -> list[str]:
        """List the folder of the graph that an experiment needs: none where it is what is measured."""
        makes_it = configuration.makes_graphs(self.experiments[experiment]["solvers"])
        return [] if makes_it else [str(graph_folder(graph))]

    def built(self, experiment: str) -> list[str]:
        """List the manifests of what an experiment's solvers need compiled."""
        return [f"resources/build/{experiment}/{backend}.json" for backend in ("host", self.backend)]

    def sources(self, experiment: str, backend: str) -> list[str]:
        """List the kernel files that an experiment's solvers are built from: their own and what all share."""
        own = {path for name in self.experiments[experiment]["solvers"] for path in find(name).sources}
        solvers = [*REGISTRY.solvers.values(), *GENERATORS.solvers.values()]
        others = {path for solver in solvers for path in solver.sources} - own
        needed = project.with_headers(*(path for path in own if belongs(path, backend)))
        return [
            project.path(f"kernels/{path}")
            for path in project.kernel_files()
            if path in needed or (path not in others and belongs(path, backend))
        ]

    @property
    def generator_sources(self) -> list[str]:
        """List what random graphs are generated by."""
        return [project.path(f"kernels/{path}") for path in TreeFirst.sources]

    @property
    def templates(self) -> list[str]:
        """List the templates of tables."""
        return project.files_in("workflow/templates", "*.j2")

    @property
    def schemas(self) -> list[str]:
        """List what publishing checks its input against."""
        return [
            project.path(f"workflow/schemas/{name}.schema.yaml") for name in ("record", "published", "claim")
        ]

    def imports(self, script: str) -> list[str]:
        """List the library's modules that a script imports, directly or not."""
        return [project.path(path) for path in project.imported(f"scripts/{script}")]

    def measuring(self, experiment: str) -> list[str]:
        """List the library's modules that an experiment is measured with: not those of other solvers."""
        solvers = {find(name).__module__ for name in self.experiments[experiment]["solvers"]}
        files = [f"scripts/{module.replace('.', '/')}.py" for module in solvers]
        every_solver = "scripts/retrace/solvers/__init__.py"
        found = set(files)
        for file in ("scripts/measure.py", *files):
            found.update(project.imported(file, every_solver))
        return [project.path(path) for path in sorted(found)]

    def missing(self) -> list[str]:
        """Name the graphs of the experiments that were too large to be made in this folder."""
        graphs = dict.fromkeys(graph for experiment in self.experiments for graph in self.graphs(experiment))
        return [graph for graph in graphs if "missing" in identity(graph)]

    def stand_ins(self) -> list[str]:
        """Name the graphs of the experiments that were replaced by stand-ins in this folder."""
        graphs = dict.fromkeys(graph for experiment in self.experiments for graph in self.graphs(experiment))
        return [graph for graph in graphs if identity(graph).get("origin") == "stand-in"]

    def closing_words(self) -> str:
        """Say at the end of a run what was made and what it does not hold."""
        lines = ["Retrace: the tables are in results/tables/, the figures in results/figures/."]
        if self.backend == "emulator":
            lines.append(
                f"No GPU was used ({self.why_no_gpu}): kernels were checked on the emulator, not timed."
            )
        if records := read_records(Path(path) for path in self.all_records if Path(path).exists()):
            lines += outcomes(records, self.config["machine"])
        if stand_ins := self.stand_ins():
            lines.append(
                f"STAND-IN: {', '.join(stand_ins)} could not be had; generated graphs of the size stand in. "
                f"To try again: rm -r {folders(stand_ins)}, and run again."
            )
        if missing := self.missing():
            lines.append(
                f"MISSING: {', '.join(missing)} did not fit into this machine's memory or disk. "
                f"To try again: rm -r {folders(missing)}, and run again."
            )
        return "\n".join(lines)


def make(config: dict[str, Any]) -> Plan:
    """Check the configuration and plan the run.

    Raises
    ------
    RetraceError
        If a key is unknown or missing, a value of the wrong type, a graph or solver not known, a GPU asked
        for that is not there, or a GPU's records would give way to an emulator's.
    """
    configuration.check(config)
    why_no_gpu = cuda_status()
    backend = config["backend"]
    if backend == "cuda" and why_no_gpu is not None:
        raise RetraceError(f"config: backend: cuda was asked for, but {why_no_gpu}; use auto or emulator")
    if backend == "auto":
        backend = "emulator" if why_no_gpu is not None else "cuda"
    if config["backend"] == "emulator":
        why_no_gpu = "backend: emulator was asked for"
    machine = config["machine"]
    if backend == "emulator" and machine in config["machines"] and (gpu := recorded_gpu(machine)):
        raise RetraceError(
            f"config.machine: {machine} has records of the {gpu}, which a run without a GPU would replace; "
            "give this computer a name of its own"
        )
    plan = Plan(config, backend, why_no_gpu)
    if config["offline"] == "fail" and (stand_ins := plan.stand_ins()):
        raise RetraceError(
            f"config: offline: fail was asked for, but {', '.join(stand_ins)} is a stand-in here; "
            f"rm -r {folders(stand_ins)}, and run again"
        )
    return plan


def recorded_gpu(machine: str) -> str | None:
    """Name the GPU of a machine's records, if there are any."""
    for path in sorted(Path("results/machines", machine).glob("*/*.jsonl")):
        for record in read_records([path]):
            if gpu := record.machine["gpu"]:
                return str(gpu["name"])
    return None


def belongs(path: str, backend: str) -> bool:
    """Tell whether a kernel file may have a part in what is built for a backend."""
    folder = path.split("/")[0]
    if backend == "host":
        return folder == "host"
    return folder != "host" and (folder != "emulator" or backend == "emulator")


def table_files(name: str) -> list[str]:
    """List the files of a table."""
    return [f"results/tables/{name}.{form}" for form in ("csv", "md", "html")]


def figure_files(name: str) -> list[str]:
    """List the files of a figure."""
    return [f"results/figures/{name}.{form}" for form in ("svg", "png")]


def figures_of(table: str) -> list[str]:
    """Name the figures of a table."""
    return [figure for figure, shown in FIGURES.items() if shown == table]


def rule_name(name: str) -> str:
    """Name a table or figure as Snakemake wants rules to be named: `table_3_3`."""
    return name.replace("-", "_").replace(".", "_")


def graph_folder(graph: str) -> Path:
    """Where a graph is stored, in the working folder."""
    return Path("resources/graphs") / graph


def folders(graphs: list[str]) -> str:
    """Name the folders of stored graphs as a command would."""
    return " ".join(str(graph_folder(graph)) for graph in graphs)


def identity(graph: str) -> dict[str, Any]:
    """Tell what a stored graph is; nothing of one that is not stored."""
    try:
        info: dict[str, Any] = json.loads((graph_folder(graph) / "graph.json").read_text())
    except (OSError, ValueError):
        return {}
    return info


def outcomes(records: list[Record], own: str) -> list[str]:
    """Say how many answers were verified, and what became of the others; of other machines skips in sum."""
    table = Path("results/tables/verification.md")
    listed = f", see {table}" if table.exists() else ""
    lines = [f"{sum(record.agreed for record in records)} of {len(records)} answers verified{listed}."]
    elsewhere: Counter[str] = Counter()
    for record in records:
        machine = record.machine["name"]
        if record.status == "skipped" and machine != own:
            elsewhere[machine] += 1
        elif not record.agreed:
            outcome = "differs" if record.status == "ok" else record.status
            lines.append(f"{outcome.upper()}: {record.solver} on {record.label}, {machine}: {record.reason}")
    for machine, number in elsewhere.items():
        lines.append(f"SKIPPED: {number} by {machine}, whose records are committed and say why.")
    return lines


def as_json(value: Any) -> str:
    """Write a part of the configuration as text that a command line can carry."""
    return json.dumps(value, sort_keys=True)
