"""Running a solver once, as tests do, on each backend that it runs on here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from cuda_device.available_gpus import cuda_available
from cuda_device.cuda import CudaDevice
from cuda_device.errors import LacksError
from cuda_device.gpu_limits import Needs
from cuda_device.interface import Device
from cuda_on_cpu.device import EmulatedDevice
from retrace.graphs.query import Query, Subject
from retrace.measure.experiment import complete, unmeasured
from retrace.measure.trials import DeviceFactory, Effort, Measurement
from retrace.solvers import REGISTRY, DeviceSolver, Solver, make

ON_CUDA = ["cuda"] if cuda_available() else []
DEVICES = ["emulator", *(pytest.param(backend, marks=pytest.mark.gpu) for backend in ON_CUDA)]


WITH_PREDECESSORS = [
    f"{name}:predecessors=yes" for name, kind in REGISTRY.solvers.items() if "predecessors" in kind.settings
]
"""The searches that find predecessors if they are asked to."""
IN_PYTHON = [f"{name}:loop=python" for name, kind in REGISTRY.solvers.items() if "loop" in kind.settings]
"""The solvers whose launches Python may repeat, instead of C++."""


WITHOUT_NETWORKIT = REGISTRY.find("bfs/networkit").unavailable()
needs_networkit = pytest.mark.skipif(WITHOUT_NETWORKIT is not None, reason=str(WITHOUT_NETWORKIT))


ON_DEVICE_BY_CHOICE = {
    "bfs/auto": "direction", "sssp/auto": "near-far", "stcon/auto": "cluster",
    "betweenness/auto": "vert-comp-virt",
}  # fmt: skip
"""By choice, a candidate that works on a device whatever the graph: the value of `take`."""


def cases(specs: Iterable[str]) -> list[Any]:
    """Name each solver with each backend that it runs on here."""
    return [
        pytest.param(spec, backend, marks=[pytest.mark.gpu] * (backend == "cuda"), id=f"{spec}-{backend}")
        for spec in specs
        for backend in (["emulator", *ON_CUDA] if issubclass(REGISTRY.find(spec), DeviceSolver) else ["host"])
    ]


def open_device(backend: str, seed: int | None = None) -> Any:
    """Open a device, or none for the host."""
    if backend == "host":
        return nullcontext()
    return CudaDevice() if backend == "cuda" else EmulatedDevice(seed=seed)


def require_clusters(device: Device, blocks: int = 1) -> None:
    """Raise LacksError, for which a test of a device that is used as another is skipped, without clusters."""
    if (missing := Needs(cluster=1).missing_from(device.limits)) is not None:
        raise LacksError(missing)
    if blocks > device.limits.cluster:
        raise LacksError(f"{blocks} blocks in a cluster, of {device.limits.cluster} at most")


def solved(spec: str, graph: Any, query: Query, device: Device | None = None) -> Solver:
    """Return a solver that has run all phases but `download`."""
    solver = make(spec, device)
    solver.setup(graph)
    solver.upload(query)
    solver.solve(query)
    return solver


def measure(
    experiment: str,
    graph: Subject,
    solvers: Sequence[str],
    effort: Effort,
    device: tuple[str, DeviceFactory],
    sources: int | None = None,
    seed: int = 1,
) -> list[Measurement]:
    """Measure and check solvers on one graph; return a measurement for each solver and query.

    The graph's `info` names the source and the pairs, unless `sources` are drawn by `seed`; generators take
    the description of the graph to make. `device` is the backend and the factory of the device for solvers
    that need one.
    """
    cases = unmeasured(graph.info, solvers, device, sources, seed)
    complete(experiment, graph, cases, effort, device[1], lambda: None)
    return cases
