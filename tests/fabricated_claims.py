"""Fabricated records of the experiments that claims are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fabricated import machine_info, record
from retrace.measure.records import GraphInfo, Record, Trial


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
    for vertices in sizes:
        graph, arcs = dense_graph(vertices), vertices**2
        copy, kernel = 0.02 + arcs * 1e-6, 0.03 + arcs * 1.1e-6

        def add(
            experiment: str, name: str, trials: list[Trial], graph: GraphInfo = graph, **settings: Any
        ) -> None:
            solver = f"bellman-ford/{name}"
            found.append(claimed(solver, f"bellman-ford-{experiment}", graph, trials, machine, **settings))

        for place, (name, ms) in enumerate(
            {"sequential": 2e-6, "dijkstra-dense": 1e-6, "scipy": 9e-6, "scipy-dijkstra": 4e-6}.items()
        ):
            add("direction", name, phases(solve=0.001 * (place + 1) + arcs * ms))
        if not gpu:
            continue
        for experiment in ("transfer", "direction"):
            add(experiment, "dense", phases(copy, kernel + 0.1, kernel))
        add("transfer", "pinned", phases(copy / 2.2, kernel + 0.1, kernel))
        for parts in (2, 8, 32):
            for name, saved in (("streams", 0.9), ("streams-pinned", 0.6)):
                add(
                    "transfer",
                    name,
                    phases(0.01, (copy + kernel) * saved + 0.02 * parts, kernel),
                    parts=parts,
                )
        for number, count in enumerate((1, 2, 4, 8, 16, 32, 64)):
            slower = 1 + 0.3 * abs(number - 2)
            for name, factor in (("multi-edge", 1.0), ("multi-edge-consecutive", 1.1 + 0.2 * number)):
                ms = kernel * slower * factor
                add("edges", name, phases(copy, ms + 0.1, ms), edges_per_thread=count)
        add("direction", "incoming", phases(copy, 4 * kernel, 4 * kernel))
        add("direction", "outgoing", phases(copy, 16 * kernel, 16 * kernel))
    return found
