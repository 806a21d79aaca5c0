"""Measure and check the solvers of an experiment on each of its graphs; write records as JSON lines."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Self

from retrace.devices.base import Device
from retrace.devices.build import architecture
from retrace.devices.cuda import CudaDevice, cuda_status
from retrace.devices.emulator import EmulatedDevice
from retrace.graphs import csr, dense, random
from retrace.graphs.dataset_registry import Dataset, load_registry
from retrace.graphs.query import NoGraph, no_graph
from retrace.graphs.random import RandomGraph
from retrace.graphs.registered import require_registered
from retrace.measure import environment
from retrace.measure.experiment import as_record, measure, unmeasured
from retrace.measure.trials import Effort, Measurement
from retrace.records.record import update_records, updated, write_records
from retrace.solvers import parse
from retrace.solvers.registry import given
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import check_writable


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
    parser.add_argument(
        "--compute-capability", metavar="CC", help="compile for it, such as 9.0 (default: the GPU's own)"
    )
    parser.add_argument("--trials", type=int, default=10, help="most timed runs of each solver")
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
    arguments = parser.parse_args()
    check_arguments(arguments)
    if arguments.backend == "cuda" and (why_not := cuda_status()) is not None:
        raise RetraceError(f"--backend cuda: {why_not}; use --backend emulator")

    asked = [Asked.of(arguments, path) for path in arguments.graphs]
    provenance = {"machine": environment.machine(arguments.machine, None), "software": environment.software()}
    for one in asked:
        one.check(arguments, provenance)
    stored = any(one.subject is None for one in asked)
    registry = load_registry(arguments.datasets) if stored else {}
    for one in asked:
        one.measure(arguments, provenance, registry)


@dataclass
class Asked:
    """An experiment on one graph."""

    path: Path
    """Folder of the graph; its name is that of the graph."""
    subject: RandomGraph | NoGraph | None
    """What is given instead of a stored graph: to a generator the graph to make."""
    info: dict[str, Any]
    device: tuple[str, Callable[[], Device]]

    @classmethod
    def of(cls, arguments: Namespace, path: Path) -> Self:
        """Read what is known of the graph; raise RetraceError if it is not stored."""
        kind, subject = given(arguments.solvers[0]), None
        if kind == "generate":
            subject = random.named(path.name, arguments.seed)
        elif kind == "limits":
            subject = no_graph(path.name)
        info = subject.info if subject else csr.stored_info(path)
        return cls(path, subject, info, (arguments.backend, device_factory(arguments)))

    def skipped(self, arguments: Namespace, reason: str) -> list[Measurement]:
        """Return measurements that give a reason and nothing else."""
        cases = unmeasured(self.info, arguments.solvers, self.device)
        for case in cases:
            case.skip(reason)
        return cases

    def output(self, arguments: Namespace) -> Path:
        """Return the file of the records."""
        return Path(arguments.output, f"{self.path.name}.jsonl")

    def check(self, arguments: Namespace, provenance: dict[str, Any]) -> None:
        """Raise an error, before anything is measured, if the records could not be written."""
        planned = self.skipped(arguments, "yet to be measured")
        records = [as_record(arguments.experiment, self.info, case, provenance) for case in planned]
        check_writable(self.output(arguments))
        if arguments.update:
            updated(self.output(arguments), records)

    def measure(self, arguments: Namespace, provenance: dict[str, Any], registry: dict[str, Dataset]) -> None:
        """Measure, write the records, and print a line for each."""
        if "missing" in self.info:
            cases = self.skipped(arguments, self.info["missing"])
        else:
            negative = all(parse(name)[0].problem == "bellman-ford" for name in arguments.solvers)
            graph = self.subject or dense.load(self.path, negative, wide=True)
            if self.subject is None:
                require_registered(graph, self.path, registry, arguments.downloads)
            most = inf if arguments.emulated_vertices is None else arguments.emulated_vertices
            effort = Effort(arguments.trials, arguments.budget_s, arguments.longest_s, arguments.setups, most)
            cases = measure(arguments.experiment, graph, arguments.solvers, effort, self.device)
        gpu = next((case.gpu for case in cases if case.gpu is not None), None)
        origin = provenance | {"machine": environment.machine(arguments.machine, gpu)}
        records = [as_record(arguments.experiment, self.info, case, origin) for case in cases]
        write = update_records if arguments.update else write_records
        write(self.output(arguments), records)
        for case in cases:
            outcome = case.reason or ("agrees" if case.result and case.result.verified else "differs")
            name = f"{case.solver} {case.query.pair}" if case.query.pair else case.solver
            print(f"{self.path.name}, {name}: {case.status}, trials: {len(case.trials)}, {outcome}")


def device_factory(arguments: Namespace) -> Callable[[], Device]:
    """Return what opens the device, with its limits."""
    if arguments.backend == "emulator":
        return partial(EmulatedDevice, memory_gib=arguments.memory_gib)
    return partial(
        CudaDevice, memory_gib=arguments.memory_gib, compute_capability=arguments.compute_capability
    )


def check_arguments(arguments: Namespace) -> None:
    """Raise an error about wrong arguments before anything is measured."""
    for option, least in (("trials", 1), ("setups", 0)):
        if (number := getattr(arguments, option)) < least:
            raise RetraceError(f"--{option}: {number}, expected at least {least}")
    if arguments.memory_gib is not None and not arguments.memory_gib > 0:
        raise RetraceError(f"--memory-gib: {arguments.memory_gib:g}, expected more than 0")
    if arguments.compute_capability is not None:
        architecture(arguments.compute_capability)
    for option in ("budget_s", "longest_s"):
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
