"""Run every CUDA solver once on small graphs, for compute-sanitizer to watch; not a test of its own.

compute-sanitizer --tool memcheck --error-exitcode 1 python tests/run_kernels.py [BEGINNING ...]

A solver that can find predecessors runs without and with them. With beginnings of names, such as `sssp` or
`bfs/block`, only the solvers that have them run. A solver with settings, such as
`betweenness/lane-queues:sums=fixed`, is one more. With `--compute-capability 8.6` the GPU, or the emulator,
is used as one of it: what it lacks is skipped. A kernel that is kept as printed may be wrong.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

from cuda_device.cuda import CudaDevice
from cuda_device.errors import LacksError, OneLineError, TooLargeError
from cuda_device.gpu_limits import GPULimits
from cuda_device.interface import Device
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED
from retrace.check.checkers import checker_of
from retrace.check.generated import check_random_graph
from retrace.check.result import CheckResult
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import NoGraph
from retrace.graphs.random import RandomGraph
from retrace.solvers import LIMITS, REGISTRY, DeviceSolver, Query, make, parse
from retrace.solvers.generate import generate
from retrace.system.errors import RetraceError

GENERATOR = "generate/random-degree"
FEW = ("grid", "two components")
"""Graphs that are enough for compute-sanitizer."""
Opening = Callable[[], Device]


def searches() -> list[str]:
    """Return the name of each CUDA solver, and once more with predecessors where it can find them."""
    kinds = {name: kind for name, kind in REGISTRY.solvers.items() if issubclass(kind, DeviceSolver)}
    return [*kinds, *(f"{name}:predecessors=yes" for name in kinds if "predecessors" in kinds[name].settings)]


def search(open_device: Opening, name: str, graph: CSRGraph) -> CheckResult:
    """Solve a graph, and check the answer; some sources are enough for betweenness."""
    query = Query(0, max(0, graph.vertices - 1) if name.startswith("stcon") else None)
    if name.startswith("betweenness"):
        query = Query(sources=tuple(range(0, graph.vertices, 9)))
    with open_device() as device:
        solver = make(name, device)
        solver.setup(graph)
        solver.upload(query)
        with device.timing_kernels():  # whose own kernel is watched as well
            solver.solve(query)
        checker = checker_of(solver.problem, graph)
        return checker.check(name, query, solver.download(), solver.predecessors())


def measure(open_device: Opening, name: str) -> CheckResult:
    """Measure a limit of the device, and check what its kernel says."""
    with open_device() as device:
        limit = make(name, device)
        limit.setup(NoGraph())
        limit.upload(Query())
        limit.solve(Query())
        return checker_of("limits", NoGraph()).check(name, Query(), limit.download())


def generated(open_device: Opening) -> CheckResult:
    """Generate a random graph on the device, and check it."""
    wanted = RandomGraph(500, 2500, seed=1)
    with open_device() as device:
        return check_random_graph(generate(GENERATOR, wanted, device), wanted, connected=False)


def run(open_device: Opening, name: str, graphs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Run what has this name; yield how each run is called, and what came of it."""
    if name == GENERATOR:
        yield name, outcome(name, lambda: generated(open_device))
    elif name in LIMITS.solvers:
        yield name, outcome(name, lambda: measure(open_device, name))
    else:
        for graph in (NAMED[each] for each in graphs):
            called = f"{name} {graph.vertices} vertices:"
            yield called, outcome(name, partial(search, open_device, name, graph))


def outcome(name: str, work: Callable[[], CheckResult]) -> str:
    """Return `agrees`, why a run is skipped, or how its answer is wrong."""
    wrong = "wrong as printed" if name.partition(":")[0].endswith("-published") else "wrong"
    try:
        result = work()
    except (LacksError, TooLargeError) as error:
        return f"skipped, {error}"
    except OneLineError as error:
        return f"{wrong}, {error}"
    return "agrees" if result.verified else f"{wrong}, {result.reason}"


def choose(beginnings: list[str]) -> list[str]:
    """Return the names that begin so, and those with settings; RetraceError if none begins so."""
    known = [*searches(), *LIMITS.solvers, GENERATOR]
    for beginning in beginnings:
        if ":" not in beginning and not any(name.startswith(beginning) for name in known):
            raise RetraceError(
                f"{beginning}: no CUDA solver's name begins so; expected one such as bfs/ or sssp/cluster"
            )
    more = [name for name in beginnings if ":" in name and name not in known]
    for name in more:
        parse(name)
    return [name for name in known if name.startswith(tuple(beginnings))] + more


def main() -> None:
    """Run what is chosen, all without names, until an answer is wrong."""
    parser = ArgumentParser()
    parser.add_argument("beginnings", nargs="*", default=[""])
    parser.add_argument("--emulator", action="store_true", help="run on the emulator")
    parser.add_argument("--compute-capability", metavar="CC", help="use the device as one of it")
    parser.add_argument("--all-graphs", action="store_true", help="run on all named graphs of the tests")
    arguments = parser.parse_args()
    if arguments.compute_capability is not None:
        try:
            GPULimits.by_capability(arguments.compute_capability)
        except OneLineError as error:
            sys.exit(f"error: --compute-capability: {error}")
    kind = EmulatedDevice if arguments.emulator else CudaDevice
    open_device = partial(kind, compute_capability=arguments.compute_capability)
    outcomes: Counter[str] = Counter()
    try:
        for name in choose(arguments.beginnings or [""]):
            for what, told in run(open_device, name, NAMED if arguments.all_graphs else FEW):
                print(what, told)
                outcomes[told.partition(",")[0]] += 1
                if told.startswith("wrong,"):
                    sys.exit(1)
    except OneLineError as error:
        sys.exit(f"error: {error}")
    if arguments.all_graphs:
        print(", ".join(f"{told}: {count}" for told, count in outcomes.items()))


if __name__ == "__main__":
    main()
