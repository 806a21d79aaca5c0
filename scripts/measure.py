"""Measure and check the solvers of one experiment on one graph; writes records as JSON lines."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from retrace.devices.cuda import CudaDevice, cuda_status
from retrace.devices.emulator import EmulatedDevice
from retrace.graphs import csr, dense, random
from retrace.measure import environment
from retrace.measure.experiment import as_record, measure, unmeasured
from retrace.measure.trials import Effort
from retrace.records.model import Record, update_records, updated, validate, write_records
from retrace.solvers import parse
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import check_writable
from retrace.system.processes import check_cores


def main() -> None:
    """Parse the command line and measure."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--experiment", required=True, help="key of the experiment, such as table-3.3")
    parser.add_argument(
        "--graph",
        required=True,
        type=Path,
        help="folder that get_graph.py or generate_*.py wrote; for generators the name of what to make, such "
        "as random-14-5",
    )
    parser.add_argument(
        "--solvers", required=True, nargs="+", metavar="SOLVER", help="such as bfs/queue bfs/bsp"
    )
    parser.add_argument(
        "--backend", choices=("cuda", "emulator"), required=True, help="where CUDA kernels run"
    )
    parser.add_argument("--machine", default="local", help="name of this computer in the records")
    parser.add_argument("--trials", type=int, default=10, help="timed runs of each solver")
    parser.add_argument("--seed", type=int, default=1, help="of what generators make (default: %(default)s)")
    parser.add_argument("--budget-s", type=float, default=60, help="seconds that a solver may take")
    parser.add_argument(
        "--at-once",
        type=int,
        default=1,
        metavar="N",
        help="run N trials of a C++ baseline at a time, each on a core of its own; records say so",
    )
    parser.add_argument("--output", required=True, type=Path, help="file of records to write")
    parser.add_argument(
        "--update",
        action="store_true",
        help="keep the file's other records: replace those of the same solvers and effort, add new ones",
    )
    arguments = parser.parse_args()
    check_arguments(arguments)
    if arguments.backend == "cuda" and (why_not := cuda_status()) is not None:
        raise RetraceError(f"--backend cuda: {why_not}; use --backend emulator")
    check_cores(arguments.at_once)

    generators = all(name.startswith("generate/") for name in arguments.solvers)
    wanted = random.named(arguments.graph.name, arguments.seed) if generators else None
    info = wanted.info if wanted else csr.identity(arguments.graph)
    effort = Effort(arguments.trials, arguments.budget_s, arguments.at_once)
    device = (arguments.backend, CudaDevice if arguments.backend == "cuda" else EmulatedDevice)
    planned = unmeasured(info, arguments.solvers, effort, device)
    for case in planned:
        case.skip("yet to be measured")
    provenance = {
        "machine": environment.machine(arguments.machine, None),
        "software": environment.software(),
    }
    check_records(arguments, [as_record(arguments.experiment, info, case, provenance) for case in planned])
    if "missing" in info:
        cases = unmeasured(info, arguments.solvers, effort, device)
        for case in cases:
            case.skip(info["missing"])
    else:
        graph = wanted or dense.load(arguments.graph)
        cases = measure(arguments.experiment, graph, arguments.solvers, effort, device)
    gpu = next((case.gpu for case in cases if case.gpu is not None), None)
    provenance["machine"] = environment.machine(arguments.machine, gpu)
    records = [as_record(arguments.experiment, info, case, provenance) for case in cases]
    write = update_records if arguments.update else write_records
    write(arguments.output, records)
    for case in cases:
        outcome = case.reason or ("agrees" if case.result and case.result.verified else "differs")
        name = f"{case.solver} {case.query.pair}" if case.query.pair else case.solver
        print(f"{name}: {case.status}, trials: {len(case.trials)}, {outcome}")


def check_arguments(arguments: Namespace) -> None:
    """Refuse before the measuring what would make it worthless."""
    if arguments.trials < 1:
        raise RetraceError(f"--trials: {arguments.trials}, expected at least 1")
    if not arguments.budget_s > 0:
        raise RetraceError(f"--budget-s: {arguments.budget_s:g}, expected more than 0")
    solvers = arguments.solvers
    kinds = {parse(solver)[0].name.startswith("generate/") for solver in solvers}
    if len(kinds) > 1:
        raise RetraceError("--solvers: expected generators or solvers, not both; measure them apart")
    if twice := next((solver for solver in solvers if solvers.count(solver) > 1), None):
        raise RetraceError(f"--solvers: {twice} stands there twice; name it once")
    check_writable(arguments.output)


def check_records(arguments: Namespace, planned: list[Record]) -> None:
    """Refuse before the measuring what could not be written after it."""
    for record in planned:
        validate(asdict(record), "record", f"{arguments.graph}: cannot be recorded")
    if arguments.update:
        updated(arguments.output, planned)


if __name__ == "__main__":
    # A solver in C++ does not return to Python for a Ctrl-C; dying is safe: records are written at the end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    run_command(main)
    sys.exit(0)
