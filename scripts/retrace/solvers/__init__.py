"""Solvers: one module a problem, written once against the device interface."""

from retrace.solvers import bfs, host, peers, sssp, stcon
from retrace.solvers.registry import REGISTRY, DeviceSolver, Query, Solver, make

__all__ = ["REGISTRY", "DeviceSolver", "Query", "Solver", "bfs", "host", "make", "peers", "sssp", "stcon"]
