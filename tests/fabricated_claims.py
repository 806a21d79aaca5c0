"""Fabricated records of the experiments that claims are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fabricated import machine_info, random_graph, record
from retrace.records.model import GraphInfo, Record, Trial


def dense_graph(vertices: int, **changes: Any) -> GraphInfo:
    """Fabricate a complete graph."""
    info = GraphInfo(
        name=f"dense-{vertices}",
        vertices=vertices,
        arcs=vertices * (vertices - 1),
        origin="generated",
        edition="generated",
        weights="generated",
        sha256=f"{vertices:064d}",
        seed=7,
    )
    info.update(changes)  # type: ignore[typeddict-item]
    return info


def phases(upload: float = 0.0, solve: float = 1.0, kernel: float | None = None) -> list[Trial]:
    """Fabricate five trials, 2 % from the fastest to the slowest."""
    return [
        Trial(
            setup=100.0,
            upload=upload * factor,
            solve=solve * factor,
            download=0.01,
            total=(upload + solve) * factor + 0.01,
            kernel=None if kernel is None else kernel * factor,
        )
        for factor in (1.0, 0.99, 1.01, 0.995, 1.005)
    ]


def claimed(
    solver: str,
    experiment: str,
    graph: GraphInfo,
    trials: list[Trial],
    machine: str = "h200",
    **settings: Any,
) -> Record:
    """Fabricate a record of an experiment that claims are judged by; `settings` are the solver's."""
    backend = "cuda" if trials[0]["kernel"] is not None else "host"
    base = record(
        solver, graph, machine=machine, backend=backend, experiment=experiment, parameters={**settings}
    )
    if backend == "cuda":
        base.machine["gpu"] = machine_info("h200")["gpu"]
    return replace(base, trials=trials)


DENSE_SIZES = (256, 512, 1024, 2048, 4096, 8192, 12288, 16384, 20480)
"""Vertices of the complete graphs."""


def bellman_ford(machine: str, gpu: bool, sizes: Sequence[int] = DENSE_SIZES) -> list[Record]:
    """Fabricate what one machine gives for the figures of an-bellman-ford; all its claims hold."""
    found: list[Record] = []

    def add(experiment: str, name: str, graph: GraphInfo, trials: list[Trial], **settings: Any) -> None:
        solver, key = f"bellman-ford/{name}", f"bellman-ford-{experiment}"
        found.append(claimed(solver, key, graph, trials, machine, **settings))

    for vertices in sizes:
        graph, arcs = dense_graph(vertices), vertices**2
        copy, kernel = 0.02 + arcs * 1e-6, 0.03 + arcs * 1.1e-6
        hosts = {"sequential": 2e-6, "dijkstra-dense": 1e-6, "scipy": 9e-6, "scipy-dijkstra": 4e-6}
        for place, (name, ms) in enumerate(hosts.items(), 1):
            add("direction", name, graph, phases(solve=0.001 * place + arcs * ms))
        if not gpu:
            continue
        for experiment in ("transfer", "direction"):
            add(experiment, "dense", graph, phases(copy, kernel + 0.1, kernel))
        add("transfer", "pinned", graph, phases(copy / 2.2, kernel + 0.1, kernel))
        for parts in (1, 2, 8, 32):
            for name, saved in (("streams", 0.9), ("streams-pinned", 0.6)):
                solve = (copy + kernel) * (saved if parts > 1 else saved + 0.3) * (1 + 0.005 * parts)
                add("transfer", name, graph, phases(0.01, solve, kernel), parts=parts)
        for number, count in enumerate((1, 2, 4, 8, 16, 32, 64)):
            slower = 1 + 0.3 * abs(number - 2)
            for name, factor in (("multi-edge", 1.0), ("multi-edge-consecutive", 1.1 + 0.2 * number)):
                ms = kernel * slower * factor
                add("edges", name, graph, phases(copy, ms + 0.1, ms), edges_per_thread=count)
        add("direction", "incoming", graph, phases(copy, 4 * kernel, 4 * kernel))
        add("direction", "outgoing", graph, phases(copy, 16 * kernel, 16 * kernel))
    for exponent in (12, 14, 18, 20):
        graph = random_graph(exponent, 5)
        ms = graph["arcs"] * 1e-6
        for name, factor in {"sequential": 30, "scipy": 90}.items():
            add("sparse", name, graph, phases(solve=ms * factor))
        for count in (1, 4) if gpu else ():
            add("sparse", "edge-list", graph, phases(ms, 0.1 + ms * count, ms), edges_per_thread=count)
    return found


def gowalla(**changes: Any) -> GraphInfo:
    """Fabricate loc-gowalla."""
    info = random_graph(
        17, 5, name="Gowalla", vertices=196_591, arcs=1_900_654, origin="snap", sha256="9" * 64
    )
    info.update(changes)  # type: ignore[typeddict-item]
    return info


BRANDES = {
    "vert": 2.0,
    "edge": 1.6,
    "vert-queue": 2.6,
    "vert-comp": 1.7,
    "edge-comp": 1.4,
    "vert-queue-comp": 2.2,
    "vert-virt": 1.5,
    "vert-virt-stride": 1.3,
    "vert-comp-virt": 1.2,
    "vert-comp-virt-stride": 1.0,
    "vert-comp-virt-stride-const": 1.03,
    "levels": 4.0,
    "vert-prefix": 2.001,
    "vert-comp2-virt-stride": 0.9,
    "lanes": 0.4,
    "auto": 1.3,
}
"""Times of the CUDA versions over the report's fastest."""


def brandes(machine: str, gpu: bool, largest: bool = True) -> list[Record]:
    """Fabricate what one machine gives for the figures of domitrz-brandes; all its claims hold."""
    found: list[Record] = []

    def add(experiment: str, name: str, graph: GraphInfo, trials: list[Trial], **settings: Any) -> None:
        solver, key = f"betweenness/{name}", f"brandes-{experiment}"
        one = claimed(solver, key, graph, trials, machine, **settings)
        left = 0.6 if "comp2" in name else 0.7 if "comp" in name else 1.0
        observed = {"searched_vertices": left * graph["vertices"]}
        if name == "vert-prefix":
            observed |= {"prefix_device_ms": 0.05, "prefix_host_ms": 0.06}
        found.append(replace(one, observed=observed))

    graphs = [random_graph(10, 5), *([gowalla()] if largest else [])]
    for graph in graphs:
        work = graph["vertices"] * graph["arcs"]
        for name, factor in {"seq-stl": 9.0, "seq-vector": 6.0, "seq-array": 4.0, "igraph": 8.0}.items():
            if graph["name"] != "Gowalla":
                add("variants", name, graph, phases(solve=work * 1e-6 * factor))
        add("variants", "networkit", graph, phases(solve=work * 1e-7 * 9))
        if not gpu:
            continue
        base = 0.5 + work * 8e-8
        for name, factor in BRANDES.items():
            add("variants", name, graph, phases(0.5, base * factor, base * factor))
        for streams, ms in {0: 1.1, 1: 1.5, 4: 1.2}.items():
            add("streams", "vert", graph, phases(ms, 2 * base, 2 * base), streams=streams)
        for name in ("vert", "vert-virt-stride", "vert-comp-virt-stride"):
            for blocks in (1, 8, 32, 66, 132, 264):
                ms = base * BRANDES[name] * max(1.0, 132 / blocks)
                add("blocks", name, graph, phases(0.5, ms, ms), blocks=blocks)
        for name in ("vert-virt", "vert-virt-stride", "vert-comp-virt", "vert-comp-virt-stride"):
            for mdeg in (1, 2, 4, 8, 16, 32, 64):
                ms = base * BRANDES[name] * (1 + 0.1 * abs(mdeg.bit_length() - 3))
                add("mdeg", name, graph, phases(0.5, ms, ms), mdeg=mdeg)
    for exponent in range(6, 15, 2):
        graph = random_graph(exponent, 5)
        work = graph["vertices"] * graph["arcs"]
        add("crossover", "seq-array", graph, phases(solve=work * 4e-6))
        if gpu:
            ms = 0.5 + work * 8e-8
            add("crossover", "vert-comp-virt-stride", graph, phases(0.5, ms, ms))
    return found
