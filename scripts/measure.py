"""Measure and check the solvers of an experiment on each of its graphs; write records as JSON lines."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from cuda_device.available_gpus import cuda_status
from cuda_device.gpu_limits import GPULimits
from cuda_device.interface import Device
from retrace.catalogue.known_solvers import given
from retrace.devices.backends import device_class
from retrace.graphs.dataset_registry import load_registry
from retrace.measure import environment
from retrace.measure.experiment import Task
from retrace.measure.kept_trials import Keeping, identity_of_job
from retrace.measure.trials import Effort
from retrace.records.statistics import LEAST_TRIALS
from retrace.solvers import parse
from retrace.system.checkpoint import BATCH_S
from retrace.system.errors import OneLineParser, RetraceError, run_command


def main() -> None:
    """Parse the command line and measure."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--experiment", required=True, help="key of the experiment, such as table-3.3")
    parser.add_argument(
        "--graphs",
        required=True,
        type=Path,
        nargs="+",
        metavar="GRAPH",
        help="folders that get_graph.py or generate_*.py wrote; for generators names of graphs, such as "
        "random-14-5; for limits none",
    )
    parser.add_argument(
        "--datasets",
        nargs="+",
        default=["datasets.yaml"],
        metavar="FILE",
        help="registries: a graph with the name of one of theirs must be that one (default: datasets.yaml)",
    )
    parser.add_argument(
        "--downloads",
        type=Path,
        default="resources/downloads",
        help="folder of the graphs' files, where get_graph.py keeps what it trusted (default: %(default)s)",
    )
    parser.add_argument(
        "--solvers", required=True, nargs="+", metavar="SOLVER", help="such as bfs/queue bfs/bsp"
    )
    parser.add_argument(
        "--backend", choices=("cuda", "emulator"), required=True, help="where CUDA kernels run"
    )
    parser.add_argument("--machine", default="local", help="name of this machine in the records")
    parser.add_argument(
        "--memory-gib",
        type=float,
        metavar="GIB",
        help="use no more device memory (default: all that is free)",
    )
    what = "use the GPU, or the emulator, as one of it, such as 8.6 (default: the GPU's own)"
    parser.add_argument("--compute-capability", metavar="CC", help=what)
    parser.add_argument("--trials", type=int, default=10, help="most timed runs of each solver")
    what = "fewest timed runs of a solver, unless they take longer than --budget-s (default: %(default)s)"
    parser.add_argument("--least-trials", type=int, default=LEAST_TRIALS, help=what)
    parser.add_argument(
        "--setups", type=int, default=0, help="most timed passes of a solver's setup, with a context"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of generators (default: %(default)s)")
    parser.add_argument(
        "--budget-s",
        type=float,
        default=60,
        metavar="S",
        help="seconds after which no trial of a solver begins",
    )
    parser.add_argument(
        "--longest-s",
        type=float,
        default=60,
        metavar="S",
        help="skip a solver predicted to need more for a trial",
    )
    parser.add_argument(
        "--emulated-vertices",
        type=int,
        metavar="N",
        help="let the emulator skip graphs with more vertices (default: none)",
    )
    parser.add_argument(
        "--output", required=True, type=Path, help="folder of the records: <graph>.jsonl for each graph"
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="keep the other records of a file: replace those of the same solvers and effort, add new ones",
    )
    what = "keep trials there until all graphs are measured, from which the same job goes on after a kill"
    parser.add_argument("--checkpoints", type=Path, metavar="FOLDER", help=f"{what} (default: nowhere)")
    what = "seconds from one writing of trials to the next (default: %(default)s)"
    parser.add_argument("--checkpoint-s", type=float, default=BATCH_S, metavar="S", help=what)
    arguments = parser.parse_args()
    check_arguments(arguments)
    if arguments.backend == "cuda" and (why_not := cuda_status()) is not None:
        raise RetraceError(f"--backend cuda: {why_not}; use --backend emulator")

    software = environment.software(arguments.compute_capability)
    keeping = keeping_of(arguments, software)
    tasks, registry = tasks_of(arguments, keeping), {}
    for task in tasks:
        task.check(software)
    if any(task.subject is None for task in tasks):
        registry = load_registry(arguments.datasets)
    for task in tasks:
        for case in task.measure(software, registry, arguments.downloads):
            outcome = case.reason or ("agrees" if case.result and case.result.verified else "differs")
            solver, pair = case.request.solver, case.request.query.pair
            name = f"{solver} {pair}" if pair else solver
            print(f"{task.folder.name}, {name}: {case.status}, trials: {len(case.trials)}, {outcome}")
    if keeping:
        keeping.forget(task.folder.name for task in tasks)


FILES = ("graphs", "datasets", "downloads", "output", "update", "checkpoints", "checkpoint_s")
"""Options that say where something is."""


def keeping_of(arguments: Namespace, software: dict[str, Any]) -> Keeping | None:
    """Return where trials are kept, and what they depend on."""
    if arguments.checkpoints is None:
        return None
    options = {key: value for key, value in vars(arguments).items() if key not in FILES}
    return Keeping(arguments.checkpoints, arguments.checkpoint_s, identity_of_job(options, software))


def tasks_of(arguments: Namespace, keeping: Keeping | None) -> list[Task]:
    """Return a task for each graph."""
    most = inf if arguments.emulated_vertices is None else arguments.emulated_vertices
    return [
        Task(
            experiment=arguments.experiment,
            folder=folder,
            solvers=arguments.solvers,
            effort=Effort(
                arguments.trials,
                arguments.budget_s,
                arguments.longest_s,
                arguments.setups,
                most,
                arguments.least_trials,
            ),
            device=(arguments.backend, device_factory(arguments)),
            seed=arguments.seed,
            machine=arguments.machine,
            output=arguments.output / f"{folder.name}.jsonl",
            update=arguments.update,
            keeping=keeping,
        )
        for folder in arguments.graphs
    ]


def device_factory(arguments: Namespace) -> Callable[[], Device]:
    """Return what opens the device, with its limits."""
    kind = device_class(arguments.backend)
    return partial(kind, memory_gib=arguments.memory_gib, compute_capability=arguments.compute_capability)


def check_arguments(arguments: Namespace) -> None:
    """Raise an error about wrong arguments before anything is measured."""
    for option, least in (("trials", 1), ("least_trials", LEAST_TRIALS), ("setups", 0)):
        if (number := getattr(arguments, option)) < least:
            raise RetraceError(f"--{option.replace('_', '-')}: {number}, expected at least {least}")
    if arguments.memory_gib is not None and not arguments.memory_gib > 0:
        raise RetraceError(f"--memory-gib: {arguments.memory_gib:g}, expected more than 0")
    if arguments.compute_capability is not None:
        GPULimits.by_capability(arguments.compute_capability)
    for option in ("budget_s", "longest_s", "checkpoint_s"):
        if not (seconds := getattr(arguments, option)) > 0:
            raise RetraceError(f"--{option.replace('_', '-')}: {seconds:g}, expected more than 0")
    solvers, names = arguments.solvers, [path.name for path in arguments.graphs]
    for solver in solvers:
        parse(solver)
    if len({given(solver) for solver in solvers}) > 1:
        told = "expected generators, solvers of limits, or others, not several"
        raise RetraceError(f"--solvers: {told}; measure them apart")
    if twice := next((solver for solver in solvers if solvers.count(solver) > 1), None):
        raise RetraceError(f"--solvers: {twice} is given twice; give it once")
    if twice := next((path.name for path in arguments.graphs if names.count(path.name) > 1), None):
        raise RetraceError(f"--graphs: {twice} is given twice; give it once")


if __name__ == "__main__":
    # Python does not see Ctrl-C while a C++ solver runs, so the system ends the process. Records come last.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run_command(main)
    sys.exit(0)
