"""Solvers by problem: each module or package holds C++ programs, device variants and library calls."""

from retrace.graphs.query import Query
from retrace.solvers import bellman_ford, betweenness, bfs, frontier, generate, sssp, stcon
from retrace.solvers.registry import GENERATORS, REGISTRY, find, make, parse, settings_of_all_solvers
from retrace.solvers.setting import Setting
from retrace.solvers.solver import DeviceSolver, Solver

__all__ = [
    "GENERATORS", "REGISTRY", "DeviceSolver", "Query", "Setting", "Solver", "bellman_ford", "betweenness",
    "bfs", "find", "frontier", "generate", "make", "parse", "settings_of_all_solvers", "sssp", "stcon",
]  # fmt: skip
