"""What a run makes, and what each file is made from."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from cuda_device.available_gpus import cuda_available, cuda_status, visible_gpus
from cuda_device.errors import OneLineError
from retrace.catalogue.known_solvers import CATALOGUE, KnownSolver
from retrace.graphs import identity
from retrace.graphs.dataset_registry import Dataset, find_file
from retrace.graphs.graph_names import COMPLETE_GRAPH
from retrace.measure.environment import tree
from retrace.planning.configuration import (
    SETTINGS,
    Configuration,
    Limits,
    load_configuration,
    set_for_machine,
)
from retrace.planning.experiments import ABSENT, Experiment
from retrace.planning.sound_records import first_fault
from retrace.records.record import survey
from retrace.reports.report import Report, load_reports, report_paths
from retrace.system import project
from retrace.system.errors import RetraceError
from retrace.system.solver_packages import declared_files, import_solvers, outcome_of
from retrace.system.stage import words_of

FORMS = {"tables": ("csv", "md", "html"), "figures": ("svg", "png", "md")}
"""The suffixes of what a run makes, by its folder in `results/`."""
PAGE = "results/report/index.html"
"""All results on one page."""
THRUST = "resources/build/peers/thrust.json"
"""The manifest of what uses Thrust."""


@dataclass(frozen=True)
class Job:
    """What one rule measures: its graphs in one process, or each in a process of its own."""

    name: str
    experiment: str
    graphs: tuple[str, ...]
    apart: bool
    """Whether each graph has a process: a single rule is then planned faster than one for each graph."""
    takes_graphs: bool
    """Whether its solvers are given stored graphs."""
    is_timed: bool
    """Whether any of its times is shown: none of the emulator's is."""

    @property
    def at_once(self) -> tuple[str, ...]:
        """Return the graphs that a process measures; `{graph}` is any one of them."""
        return ("{graph}",) if self.apart else self.graphs

    @property
    def stored(self) -> list[str]:
        """Return the folders of the graphs that must be there before."""
        return [f"resources/graphs/{graph}" for graph in self.at_once if self.takes_graphs]


@dataclass(frozen=True)
class Plan:
    """A run. Paths are relative to the folder that Snakemake works in."""

    config: Configuration
    datasets: dict[str, Dataset]
    reports: dict[str, Report]
    """The reports that have an experiment in the configuration."""
    backend: str
    """Where this run's CUDA kernels run: cuda or emulator."""
    why_no_gpu: str | None
    """Why no GPU is used; None if one is."""
    gpus: int | None = None
    """GPUs that jobs see; None if they run elsewhere."""

    @property
    def experiments(self) -> dict[str, Experiment]:
        """Return the experiments by name."""
        return self.config.experiments

    @property
    def figures(self) -> dict[str, str]:
        """Return the experiment of each figure: a report's, or its own if none shows all its solvers."""
        drawings = [item for report in self.reports.values() for item in report.figures.items()]
        shown = {name: drawn.experiment for name, drawn in drawings if drawn.experiment in self.experiments}
        whole = {drawn.experiment for _, drawn in drawings if drawn.shows_all}
        tables = [item for report in self.reports.values() for item in report.tables.items()]
        alone = {name for name, layout in tables if not layout.figure}
        return {**shown, **{name: name for name in self.experiments if name not in whole | alone}}

    @property
    def targets(self) -> dict[str, list[str]]:
        """Return the files of each table, figure and report, by its name, and the records it is made of.

        Snakemake would not miss a record or a peer that was deleted if only what is made of it were asked.
        """
        targets: dict[str, list[str]] = defaultdict(list)
        for name in self.experiments:
            targets[name] += made("tables", name) + self.measured(name) + self.peers(name)
            targets[name] += [f"results/tables/{file}" for file in self.experiments[name].more_tables]
        for name, experiment in self.figures.items():
            drawn_from = self.waterfalls[name][1] if name in self.waterfalls else [experiment]
            targets[name] += made("figures", name) + self.measured(*drawn_from)
        for key, report in self.reports.items():
            if report.claims:
                targets[f"claims-{key}"] += made("tables", f"claims-{key}")
            experiments = [name for name in report.experiments if name in self.experiments]
            for name in experiments if report.claims else ():
                targets[f"claims-{key}"] += self.measured(name)
            drawn = [figure for figure, shown in self.figures.items() if shown in experiments]
            for name in [*experiments, *drawn, f"claims-{key}"]:
                targets[key] += targets.get(name, [])
        if self.judged:
            targets["claims-summary"] += made("tables", "claims-summary")
        targets["verification"] += made("tables", "verification")
        targets["page"] += [PAGE]
        return {name: list(dict.fromkeys(files)) for name, files in targets.items()}

    @property
    def tuning(self) -> Plan:
        """Return the plan of what `snakemake tune` measures; settings but the swept one are the solvers' own.

        A GPU takes the larger graphs, with few trials: three minutes are enough to see what differs by much.
        """
        config, machine = self.config, self.config.machine
        of_solvers = dict.fromkeys(SETTINGS) | {"records": f"results/tune/{machine}"}
        changes: dict[str, object] = {
            "machines": {**config.machines, machine: config.this.model_copy(update=of_solvers)},
            "experiments": {f"tune-{key.replace('_', '-')}": sweep for key, sweep in config.tuning.items()},
            "scale": "paper" if self.backend == "cuda" and "paper" in config.limits else config.scale,
            "trials": config.trials or 5,
            "budget_s": config.budget_s or 2.0,
        }
        return replace(self, config=config.model_copy(update=changes), reports={})

    def with_experiment(self, name: str) -> Plan:
        """Return the plan that has an experiment: this one, or what is tuned."""
        return self if name in self.experiments else self.tuning

    def report_files(self, experiment: str) -> list[str]:
        """Return the files of the report that has a table or figure of an experiment; none without one."""
        shown = {
            key: [*r.tables, *(f.experiment for f in r.figures.values())] for key, r in self.reports.items()
        }
        return next((published(key) for key, experiments in shown.items() if experiment in experiments), [])

    @property
    def waterfalls(self) -> dict[str, tuple[str, list[str]]]:
        """Return the report and the experiments of each waterfall, which is drawn by a job of its own."""
        return {
            name: (
                key,
                [
                    experiment
                    for experiment in dict.fromkeys([drawn.experiment, *drawn.also])
                    if experiment in self.experiments
                ],
            )
            for key, report in self.reports.items()
            for name, drawn in report.figures.items()
            if drawn.falls and drawn.experiment in self.experiments
        }

    def shown_with(self, experiment: str) -> list[str]:
        """Return the experiments whose records an experiment's table and figures are made of."""
        others = [name for report in self.reports.values() for name in report.also(experiment)]
        return [experiment, *(name for name in others if name in self.experiments)]

    @property
    def judged(self) -> list[str]:
        """Return the reports that claim anything."""
        return [key for key, report in self.reports.items() if report.claims]

    def report_records(self, report: str) -> list[str]:
        """Return the records that a report's claims are judged by."""
        return self.records(*(e for e in self.reports[report].experiments if e in self.experiments))

    def records(self, *experiments: str) -> list[str]:
        """Return the records of experiments: what other machines have of any scale, and those of this run."""
        machines = [name for name in self.config.machines if name != self.config.machine]
        others, files = [self.config.records(name) for name in machines], []
        for experiment in experiments:
            every = self.graphs(experiment, scale="paper")
            for folder in others:
                stored = (project.path(f"{folder}/{experiment}/{graph}.jsonl") for graph in every)
                files += [path for path in stored if Path(path).exists()]
            files += self.measured(experiment)
        return files

    def measured(self, *experiments: str) -> list[str]:
        """Return the records that this run measures of experiments."""
        return [
            f"{self.own_records}/{name}/{graph}.jsonl" for name in experiments for graph in self.graphs(name)
        ]

    def graphs(self, experiment: str, scale: str = "") -> list[str]:
        """Return the graphs that an experiment is measured on, at this run's scale or another."""
        wanted = self.experiments[experiment]
        larger = wanted.larger_graphs if (scale or self.config.scale) == "paper" else ()
        if not scale and self.gpus is not None and self.gpus < wanted.gpus:
            larger = ()
        return [*wanted.graphs, *larger]

    def solvers(self, experiment: str) -> list[str]:
        """Return an experiment's solvers with the settings of the machine laid over their defaults."""
        return list(dict.fromkeys(self.set_for_machine(spec) for spec in self.experiments[experiment].specs))

    def known(self, experiment: str) -> list[KnownSolver]:
        """Return what is known of an experiment's solvers, one for each of its specifications."""
        return [CATALOGUE.find(spec) for spec in self.experiments[experiment].specs]

    def set_for_machine(self, spec: str) -> str:
        """Return a solver with the settings of the machine laid over its own."""
        return set_for_machine(spec, self.config, self.backend)

    def limits(self, experiment: str) -> Limits:
        """Return how much of an experiment this run measures."""
        return self.config.limits_of(experiment)

    def measuring(self, experiment: str) -> list[str]:
        """Return what decides the records of an experiment, as options of the stage that measures.

        The emulator alone is kept from large graphs.
        """
        not_here = () if self.backend == "emulator" else ("emulated_vertices",)
        return words_of(
            experiment=experiment,
            solvers=self.solvers(experiment),
            backend=self.backend,
            memory_gib=self.config.this.memory_gib,
            compute_capability=self.config.this.compute_capability,
            machine=self.config.machine,
            seed=self.config.seed,
            setups=self.experiments[experiment].setups,
            sources=self.experiments[experiment].sources.get(self.config.scale),
            energy_s=self.experiments[experiment].energy.get(self.config.scale),
            **{key: value for key, value in self.limits(experiment) if key not in not_here},
        )

    def compiling(self, *backends: str) -> list[str]:
        """Return what kernels are compiled for, as options of the stage that compiles them."""
        return words_of(backends=backends, compute_capability=self.config.this.compute_capability)

    @property
    def own_records(self) -> str:
        """Return the folder of the records that this run measures."""
        return self.config.records(self.config.machine)

    @property
    def registry_files(self) -> list[str]:
        """Return the files that the data sets were read from."""
        return [str(find_file(file)) for file in self.config.datasets]

    def project_files(self, dataset: str) -> list[str]:
        """Return a data set's files that are part of the project."""
        return [project.path(edition.path) for edition in self.datasets[dataset].editions if edition.path]

    @property
    def jobs(self) -> list[Job]:
        """Return the jobs that measure: an experiment on its graphs, and on its larger graphs.

        Where solving takes milliseconds, a job for each graph would mostly start, so that a GPU has one for
        all graphs. Without a GPU each of the larger graphs has a job: it may take hours, and a failure then
        keeps no other graph waiting.
        """
        jobs = []
        for name, wanted in self.experiments.items():
            larger = tuple(graph for graph in self.graphs(name) if graph not in wanted.graphs)
            timed = self.backend == "cuda" or any("emulator" not in s.backends for s in self.known(name))
            job = partial(Job, experiment=name, takes_graphs=wanted.given == "graph", is_timed=timed)
            together = (*wanted.graphs, *larger) if self.backend == "cuda" else tuple(wanted.graphs)
            jobs.append(job(name, graphs=together, apart=False))
            if larger and self.backend != "cuda":
                jobs.append(job(f"{name}/larger", graphs=larger, apart=True))
        return jobs

    @property
    def sparse(self) -> dict[str, list[str]]:
        """Return the stored graphs but the complete ones, with the problems that are solved on each."""
        problems_of: dict[str, list[str]] = {}
        for job in self.jobs:
            for graph in job.graphs if job.takes_graphs else ():
                if not re.fullmatch(COMPLETE_GRAPH, graph):
                    problems = (solver.problem for solver in self.known(job.experiment))
                    problems_of[graph] = list(dict.fromkeys([*problems_of.get(graph, []), *problems]))
        return problems_of

    @cached_property
    def kernel_files(self) -> list[str]:
        """Every file under `kernels/`, relative to it."""
        return project.kernel_files()

    def kernels(self, experiment: str) -> list[str]:
        """Return the kernel files of an experiment: its solvers' own, and what all solvers share."""
        of_solvers = {path for solver in self.known(experiment) for path in solver.sources}
        others = {path for solver in CATALOGUE.solvers for path in solver.sources} - of_solvers
        needed = project.with_headers(*filter(self.compiles, of_solvers))
        shared = [path for path in self.kernel_files if path not in others and self.compiles(path)]
        return [project.kernel_path(path) for path in sorted({*needed, *shared})]

    def peers(self, experiment: str) -> list[str]:
        """Return what says whether packages could compile the kernel files of an experiment by themselves."""
        outcomes = (outcome_of(solver.module) for solver in self.known(experiment) if solver.source)
        return sorted({outcome for outcome in outcomes if outcome is not None})

    def compiled_before(self, experiment: str) -> list[str]:
        """Return the manifest of what uses Thrust, if an experiment does: it takes longest to compile."""
        uses = any(solver.source.startswith("thrust/") for solver in self.known(experiment))
        return [THRUST] if uses else []

    @property
    def thrust_kernels(self) -> list[str]:
        """Return the kernel files that use Thrust."""
        return [project.path(f"kernels/{path}") for path in self.kernel_files if path.startswith("thrust/")]

    def compiles(self, path: str) -> bool:
        """Return whether this run's backends, the host among them, may use a kernel file."""
        return self.backend == "emulator" or not path.startswith("cuda_on_cpu/")

    def modules(self, experiment: str) -> list[str]:
        """Return the modules that measure an experiment, without those of other solvers."""
        modules = {solver.module for solver in self.known(experiment)}
        files = sorted({file for module in modules for file in project.code_of(module)})
        measuring = project.stage_module("measure-experiment")
        used = project.imported(measuring, *files, aside=project.ALL_SOLVERS)
        return [project.path(path) for path in sorted({measuring, *files, *used})]

    @property
    def stored(self) -> dict[str, dict[str, Any]]:
        """Return what is known of the stored graphs among those of this run, by name."""
        graphs = dict.fromkeys(graph for name in self.experiments for graph in self.graphs(name))
        return {graph: info for graph in graphs if (info := info_if_stored(graph))}

    @property
    def stand_ins(self) -> list[str]:
        """Return the graphs that stand-ins were stored for."""
        return [graph for graph, info in self.stored.items() if info.get("origin") == "stand-in"]

    def removal(self, graphs: list[str]) -> str:
        """Return the command after which a run gets graphs again, and measures them again.

        A graph alone would not be missed as long as its records are there.
        """
        records = [f"{shlex.quote(self.own_records)}/*/{graph}.jsonl" for graph in graphs]
        return " ".join(["rm -rf", *(f"resources/graphs/{graph}" for graph in graphs), *records])


def make_plan(config: Mapping[str, Any]) -> Plan:
    """Check the configuration and plan the run.

    Raise RetraceError if the configuration or a record is wrong, or another machine's record is one that
    `retrace check-machine` calls an error; if a run on the emulator would replace records of a GPU, or
    `offline: fail` meets a stand-in that is stored already.
    """
    import_solvers(outside_alone=True)  # here, as what is wrong with a package then takes one line
    checked, datasets = load_configuration(config)
    why_no_gpu = None  # with `backend: cuda`, check_place looks for it: a job's computer may be another
    if checked.backend != "cuda":
        why_no_gpu = cuda_status() if checked.backend == "auto" else "backend: emulator was asked for"
    backend = "cuda" if why_no_gpu is None else "emulator"
    stored = Path(checked.records(checked.machine)).glob("*/*.jsonl")
    files = sorted(path for path in stored if path.parent.name in checked.experiments)
    measured_before, unsound = survey(files)
    if unsound:
        raise RetraceError(f"{unsound[0]}; delete the file, and it is measured again")
    gpus = (record.machine.gpu.name for record in measured_before.values() if record.machine.gpu)
    if backend == "emulator" and checked.machine in checked.machines and (gpu := next(gpus, None)):
        raise RetraceError(
            f"config.machine: {checked.machine} has records of the {gpu}, which a run without a GPU would "
            "replace; expected another name for this computer"
        )
    every, mine = load_reports().items(), checked.experiments.keys()
    for path in declared_files("report", outside_alone=True):
        for key, name in load_reports()[path.stem].named_experiments:
            if name not in mine:
                raise RetraceError(f"{path}: {key}: {name}: {ABSENT}")
    reports = {key: report for key, report in every if not mine.isdisjoint(report.experiments)}
    seen = len(visible_gpus()) if cuda_available() else None
    plan = Plan(checked, datasets, reports, backend, why_no_gpu, seen if backend == "cuda" else 0)
    folders = {Path(project.path(checked.records(name))): name for name in checked.machines}
    folders[Path(checked.records(checked.machine))] = checked.machine
    existing = [path for path in map(Path, plan.records(*checked.experiments)) if path.exists()]
    if fault := first_fault(existing, folders, checked.machine, datasets):
        raise RetraceError(fault)
    graphs = {graph for name in plan.experiments for graph in plan.graphs(name)}
    for graph in sorted(graphs & datasets.keys()):
        for file in plan.project_files(graph):
            if not Path(file).is_file():
                raise RetraceError(f"{graph}: path: expected a file of the project, found none at {file}")
    if checked.offline == "fail" and (stand_ins := plan.stand_ins):
        raise RetraceError(
            f"config.offline: fail does not allow stand-ins, and one is stored for {', '.join(stand_ins)}; "
            f"{plan.removal(stand_ins)}, and run again"
        )
    return plan


def check_place(plan: Plan, here: bool, cores: int | None) -> None:
    """Check, before the first job, that a plan fits where its jobs run: here, or on the nodes of a cluster.

    Raise RetraceError if `backend: cuda` has no GPU here; for nodes, if it is `auto`, which each would decide
    for itself, or if `cores` are given, which cut the threads by which a timed job asks for a whole node.
    """
    backend = plan.config.backend
    if here and backend == "cuda" and (why_not := cuda_status()) is not None:
        raise RetraceError(f"config.backend: cuda cannot be used ({why_not}); expected auto or emulator")
    if not here and backend == "auto":
        raise RetraceError("config.backend: auto looks for a GPU on this computer; expected cuda or emulator")
    if not here and cores is not None:
        raise RetraceError(
            f"--cores: {cores} is for jobs on this computer; use --jobs to limit those of a cluster"
        )


def warning(plan: Plan) -> str | None:
    """Return what to tell before the first job: a tree with changes spoils the records of a named machine."""
    if plan.config.machine == "local" or not tree()[1]:
        return None
    return (
        "warning: the project has uncommitted changes, so what is measured now keeps the records of "
        f"{plan.config.machine} out of the tables; commit config.yaml and the other changes first"
    )


def rule_files() -> list[str]:
    """Return the rules of packages; raise RetraceError if one is no file."""
    for path in (files := declared_files("rules")):
        if not path.is_file():
            raise RetraceError(f"{path}: expected a file of Snakemake's rules, as the package says")
    return [str(path) for path in files]


def one_of(names: Iterable[str]) -> str:
    """Return a regular expression that matches the names, and nothing else."""
    return "|".join(map(re.escape, names)) or "(?!)"


def published(report: str) -> list[str]:
    """Return the files of a report: what it contains, and its printed numbers if it prints any."""
    (path,) = (path for path in report_paths() if path.stem == report)
    files = [file for file in (path, path.with_suffix(".csv")) if file.exists()]
    return [project.path_of(file) for file in files]


def made(kind: str, name: str) -> list[str]:
    """Return the files of a table or a figure; the .md of a figure is its caption."""
    return [f"results/{kind}/{name}.{form}" for form in FORMS[kind]]


def info_if_stored(graph: str) -> dict[str, Any]:
    """Return what is known of a stored graph; nothing if it is not stored, or not as it was."""
    try:
        return identity.stored_info(Path("resources/graphs", graph))
    except OneLineError:
        return {}
