"""Fabricated records for the tests of records, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from retrace.records.model import GraphInfo, MachineInfo, Record, SoftwareInfo, Trial

GRAPHS = {"small-6": (6, 20), "small-9": (9, 16), "NY": (264_346, 733_846), "NW": (1_207_945, 2_840_208)}
EXPERIMENTS = {"bfs": "table-3.3", "stcon": "table-3.4", "sssp": "table-3.5"}


def graph_info(name: str, **changes: Any) -> GraphInfo:
    vertices, arcs = GRAPHS[name]
    info = GraphInfo(
        name=name,
        vertices=vertices,
        arcs=arcs,
        origin="report" if name.startswith("small") else "dimacs",
        edition="official",
        weights="file",
        sha256="0" * 64,
        seed=None,
    )
    info.update(changes)  # type: ignore[typeddict-item]
    return info


def machine_info(name: str) -> MachineInfo:
    gpu: Any = {
        "name": "NVIDIA H200",
        "compute_capability": "9.0",
        "memory_gib": 139.8,
        "driver": "580.82",
        "sm_clock_mhz": 1980.0,
        "throttled": False,
    }
    return MachineInfo(
        name=name, cpu="Some CPU", cores=2, memory_gib=8.0, gpu=gpu if name == "h200" else None
    )


SOFTWARE = SoftwareInfo(
    git_commit="0123456789abcdef0123456789abcdef01234567",
    dirty=False,
    python="3.11.7",
    numpy="2.3.0",
    pycuda=None,
    cuda=None,
    compiler="g++ 13",
)


def trial(total: float, setup: float = 0.0, kernel: float | None = None) -> Trial:
    return Trial(setup=setup, upload=0.0, solve=total, download=0.0, total=total, kernel=kernel)


def record(
    solver: str,
    graph: str | GraphInfo,
    times: Sequence[float] = (9.0, 10.0, 11.0),
    machine: str = "h200",
    backend: str = "host",
    setup: float = 0.0,
    **changes: Any,
) -> Record:
    """Fabricate a verified record of `times`; `changes` replace its fields."""
    problem = solver.split("/")[0]
    base = Record(
        experiment=EXPERIMENTS.get(problem, problem),
        problem=problem,
        solver=solver,
        backend=backend,
        source=0,
        graph=graph_info(graph) if isinstance(graph, str) else graph,
        trials=[trial(time, setup, time / 2 if backend == "cuda" else None) for time in times],
        verified=True,
        oracle=f"{problem}/scipy",
        digest="1" * 64,
        machine=machine_info(machine),
        software=SOFTWARE,
        started="2026-01-31T12:00:00Z",
    )
    return replace(base, **changes)


def without_answer(solver: str, graph: str | GraphInfo, status: str, reason: str, **changes: Any) -> Record:
    """Fabricate a failed or skipped record."""
    none = {"status": status, "reason": reason, "verified": None, "oracle": None, "digest": None}
    return record(solver, graph, times=(), **(none | changes))


def suite(machine: str, gpu: bool, **graph_changes: Any) -> list[Record]:
    """Fabricate what one machine gives for all three tables; `graph_changes` are made to the road graphs."""
    solvers = {
        "bfs/queue": (0.0008, 5.2e-6),
        "bfs/scipy": (0.08, 9e-6),
        "bfs/igraph": (0.01, 2.4e-5),
        "bfs/networkit": (0.02, 1.1e-5),
        "stcon/two-queues": (0.0007, 3.1e-6),
        "stcon/igraph": (0.02, 3e-5),
        "sssp/dijkstra-linear": (0.0008, 1.2e-7),
        "sssp/dijkstra-heap": (0.0009, 4e-5),
        "sssp/scipy": (0.1, 1.2e-4),
        "sssp/igraph": (0.02, 9e-5),
        "sssp/networkit": (0.03, 6e-5),
    }
    kernels = {"bfs/bsp": (0.12, 2.5e-5), "stcon/bsp": (0.14, 1.4e-5), "sssp/bsp": (0.16, 6e-5)}
    found = []
    for name in GRAPHS:
        graph = graph_info(name, **({} if name.startswith("small") else graph_changes))
        for solver, (base, slope) in (solvers | kernels if gpu else solvers).items():
            squared = solver == "sssp/dijkstra-linear"
            ms = base + slope * graph["vertices"] ** (2 if squared else 1) * (1 if machine == "h200" else 2.2)
            times = [ms * factor for factor in (1, 1.02, 0.99, 1.1, 1.01)]
            backend, setup = ("cuda", 142.0) if solver in kernels else ("host", 0.01)
            for pair in ("near", "far") if solver.startswith("stcon") else (None,):
                if squared and name == "NW":
                    skip = "predicted 1590 s a trial, budget_s is 600"
                    found.append(without_answer(solver, graph, "skipped", skip, machine=machine))
                    continue
                parameters = {"pair": pair, "target": 3} if pair else {}
                scaled = [time / 40 if pair == "near" else time for time in times]
                found.append(record(solver, graph, scaled, machine, backend, setup, parameters=parameters))
    return found


def random_graph(exponent: int, arcs: int, /, **changes: Any) -> GraphInfo:
    """Fabricate a random graph of 2**exponent vertices."""
    info = GraphInfo(
        name=f"random-{exponent}-{arcs}",
        vertices=2**exponent,
        arcs=arcs * 2**exponent,
        origin="generated",
        edition="generated",
        weights="generated",
        sha256=f"{exponent:032d}{arcs:032d}",
        seed=7,
    )
    info.update(changes)  # type: ignore[typeddict-item]
    return info


def variant(
    solver: str,
    graph: GraphInfo,
    solve: Sequence[float] = (9.0, 10.0, 11.0),
    kernel: float | None = None,
    machine: str = "h200",
    **changes: Any,
) -> Record:
    """Fabricate a record of Table 2; on a GPU the upload takes as long as the graph is large."""
    host = solver == "sssp/mask-sequential"
    trials = [trial(time, kernel=kernel) for time in solve]
    if not host:
        upload = graph["arcs"] * 1e-6
        trials = [{**one, "upload": upload, "total": one["solve"] + upload} for one in trials]
    base = record(solver, graph, machine=machine, backend="host" if host else "cuda", experiment="table-2")
    return replace(base, trials=trials, **changes)


def sweep(machine: str, gpu: bool, largest: int = 22) -> list[Record]:
    """Fabricate what one machine gives for Table 2: zero-copy saves outside the kernels, pinned nothing."""
    found = []
    for arcs in (50, 5):
        for exponent in range(10, largest + 1 + (arcs == 5)):
            graph = random_graph(exponent, arcs)
            host = 2e-6 * graph["arcs"]
            times = [host * (1 + 0.02 * number) for number in range(5)]
            found.append(variant("sssp/mask-sequential", graph, times, machine=machine))
            kernel = 0.1 + 2e-7 * graph["arcs"]
            mask = 0.05 + 1e-7 * graph["vertices"]
            for name, factor in FACTORS.items() if gpu else ():
                times = [kernel + mask * factor * (1 + 0.02 * number) for number in range(5)]
                known = None if name == "thrust" else kernel
                found.append(variant(f"sssp/{name}", graph, times, known, machine))
    return found


FACTORS = {"gpu-search": 1.4, "pinned": 1.0, "standard": 1.0, "thrust": 1.2, "zero-copy": 0.5}
"""Times that the host needs to see the mask, over that of the standard variant."""
