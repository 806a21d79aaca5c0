"""Run every CUDA solver once on small graphs, for compute-sanitizer to watch; not a test of its own.

compute-sanitizer --tool memcheck --error-exitcode 1 python tests/run_kernels.py [BEGINNING ...]

A solver that can find predecessors runs without and with them. With beginnings of names, such as `sssp` or
`bfs/block`, only the solvers that have them run. A solver with settings, such as
`betweenness/lane-queues:sums=fixed`, is one more.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

from graphs import NAMED
from retrace.check.checkers import checker_of
from retrace.check.generated import check_random_graph
from retrace.devices.cuda import CudaDevice
from retrace.graphs.query import NoGraph
from retrace.graphs.random import RandomGraph
from retrace.solvers import LIMITS, REGISTRY, DeviceSolver, Query, make
from retrace.solvers.generate import generate


def solvers() -> list[str]:
    """Return the name of each CUDA solver, and once more with predecessors where it can find them."""
    kinds = {name: kind for name, kind in REGISTRY.solvers.items() if issubclass(kind, DeviceSolver)}
    return [*kinds, *(f"{name}:predecessors=yes" for name in kinds if "predecessors" in kinds[name].settings)]


def main() -> None:
    """Solve a connected and a disconnected graph with each solver, and check the answers."""
    chosen, known = tuple(sys.argv[1:] or [""]), solvers()
    more = [name for name in chosen if ":" in name and name not in known]
    for name in [name for name in known if name.startswith(chosen)] + more:
        for graph in (NAMED["grid"], NAMED["two components"]):
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
                result = checker.check(name, query, solver.download(), solver.predecessors())
            print(name, f"{graph.vertices} vertices:", "agrees" if result.verified else result.reason)
            if not result.verified:
                sys.exit(1)
    for name in [name for name in LIMITS.solvers if name.startswith(chosen)]:
        with CudaDevice() as device:
            limit = make(name, device)
            limit.setup(NoGraph())
            limit.upload(Query())
            limit.solve(Query())
            result = checker_of("limits", NoGraph()).check(name, Query(), limit.download())
        print(name, "agrees" if result.verified else result.reason)
        if not result.verified:
            sys.exit(1)
    if not "generate/random-degree".startswith(chosen):
        return
    with CudaDevice() as device:
        wanted = RandomGraph(500, 2500, seed=1)
        graph = generate("generate/random-degree", wanted, device)
        result = check_random_graph(graph, wanted, connected=False)
    print("generate/random-degree:", "agrees" if result.verified else result.reason)
    if not result.verified:
        sys.exit(1)


if __name__ == "__main__":
    main()
