"""Run every CUDA solver once on small graphs, for compute-sanitizer to watch; not a test of its own.

compute-sanitizer --tool memcheck --error-exitcode 1 python tests/run_kernels.py [BEGINNING ...]

A solver that can find predecessors runs without and with them. With beginnings of names, such as `sssp` or
`bfs/block`, only the solvers that have them run. A solver with settings, such as
`betweenness/lane-queues:sums=fixed`, is one more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

from graphs import NAMED
from retrace.check.checkers import checker_of
from retrace.check.generated import check_random_graph
from retrace.check.result import CheckResult
from retrace.devices.cuda import CudaDevice
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import NoGraph
from retrace.graphs.random import RandomGraph
from retrace.solvers import LIMITS, REGISTRY, DeviceSolver, Query, make
from retrace.solvers.generate import generate
from retrace.system.errors import RetraceError

GENERATOR = "generate/random-degree"


def searches() -> list[str]:
    """Return the name of each CUDA solver, and once more with predecessors where it can find them."""
    kinds = {name: kind for name, kind in REGISTRY.solvers.items() if issubclass(kind, DeviceSolver)}
    return [*kinds, *(f"{name}:predecessors=yes" for name in kinds if "predecessors" in kinds[name].settings)]


def search(name: str, graph: CSRGraph) -> CheckResult:
    """Solve a graph, and check the answer; some sources are enough for betweenness."""
    query = Query(0, graph.vertices - 1 if name.startswith("stcon") else None)
    if name.startswith("betweenness"):
        query = Query(sources=tuple(range(0, graph.vertices, 9)))
    with CudaDevice() as device:
        solver = make(name, device)
        solver.setup(graph)
        solver.upload(query)
        with device.timing_kernels():  # whose own kernel is watched as well
            solver.solve(query)
        checker = checker_of(solver.problem, graph)
        return checker.check(name, query, solver.download(), solver.predecessors())


def measure(name: str) -> CheckResult:
    """Measure a limit of the device, and check what its kernel says."""
    with CudaDevice() as device:
        limit = make(name, device)
        limit.setup(NoGraph())
        limit.upload(Query())
        limit.solve(Query())
        return checker_of("limits", NoGraph()).check(name, Query(), limit.download())


def generated() -> CheckResult:
    """Generate a random graph on the device, and check it."""
    wanted = RandomGraph(500, 2500, seed=1)
    with CudaDevice() as device:
        return check_random_graph(generate(GENERATOR, wanted, device), wanted, connected=False)


def run(name: str) -> Iterator[tuple[str, CheckResult]]:
    """Run what has this name; yield how each run is called and whether its answer is right."""
    if name == GENERATOR:
        yield name, generated()
    elif name in LIMITS.solvers:
        yield name, measure(name)
    else:
        for graph in (NAMED["grid"], NAMED["two components"]):
            yield f"{name} {graph.vertices} vertices:", search(name, graph)


def choose(beginnings: list[str]) -> list[str]:
    """Return the names that begin so, and those with settings; RetraceError if none begins so."""
    known = [*searches(), *LIMITS.solvers, GENERATOR]
    for beginning in beginnings:
        if ":" not in beginning and not any(name.startswith(beginning) for name in known):
            raise RetraceError(f"{beginning}: no name begins so; expected one such as bfs/ or sssp/cluster")
    more = [name for name in beginnings if ":" in name and name not in known]
    return [name for name in known if name.startswith(tuple(beginnings))] + more


def main() -> None:
    """Run what is chosen, all without names, until an answer is wrong."""
    try:
        for name in choose(sys.argv[1:] or [""]):
            for what, result in run(name):
                print(what, "agrees" if result.verified else result.reason)
                if not result.verified:
                    sys.exit(1)
    except RetraceError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
