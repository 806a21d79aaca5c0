"""Solvers by problem: each module or package holds C++ programs, device variants and library calls."""

from retrace.catalogue.setting import Setting
from retrace.graphs.query import Query
from retrace.solvers import bellman_ford, betweenness, bfs, generate, mask_sssp, sssp, stcon
from retrace.solvers.solver import (
    GENERATORS,
    LIMITS,
    REGISTRY,
    DeviceSolver,
    Solver,
    all_solvers,
    find,
    make,
    parse,
)

__all__ = [
    "GENERATORS", "LIMITS", "REGISTRY", "DeviceSolver", "Query", "Setting", "Solver", "all_solvers",
    "bellman_ford", "betweenness", "bfs", "find", "generate", "make", "mask_sssp", "parse",
    "sssp", "stcon",
]  # fmt: skip
