"""Fabricated records for the tests of records, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from retrace.measure.records import GraphInfo, MachineInfo, Record, SoftwareInfo, Trial

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
        experiment=EXPERIMENTS[problem],
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


def without_answer(solver: str, graph: str, status: str, reason: str, **changes: Any) -> Record:
    """Fabricate a failed or skipped record."""
    none = {"status": status, "reason": reason, "verified": None, "oracle": None, "digest": None}
    return record(solver, graph, times=(), **(none | changes))
