"""Running a solver once, as tests do."""

from __future__ import annotations

from typing import Any

from retrace.devices.base import Device
from retrace.graphs.query import Query
from retrace.solvers import Solver, make


def solved(spec: str, graph: Any, query: Query, device: Device | None = None) -> Solver:
    """Return a solver that has run all phases but `download`."""
    solver = make(spec, device)
    solver.setup(graph)
    solver.upload(query)
    solver.solve(query)
    return solver
