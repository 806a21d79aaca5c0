"""Solvers by problem: each module or package holds C++ programs, device variants and library calls."""

from retrace.catalogue.setting import Setting
from retrace.graphs.query import Query
from retrace.solvers import (
    bellman_ford,
    betweenness,
    bfs,
    by_depth,
    delta_stepping,
    frontier,
    generate,
    host_arcs,
    limits,
    mask_sssp,
    one_block,
    sssp,
    stcon,
    workfront,
)
from retrace.solvers.registry import all_solvers, find, make, parse, settings_of_all_solvers
from retrace.solvers.solver import GENERATORS, LIMITS, REGISTRY, DeviceSolver, Solver

__all__ = [
    "GENERATORS", "LIMITS", "REGISTRY", "DeviceSolver", "Query", "Setting", "Solver", "all_solvers",
    "bellman_ford", "betweenness", "bfs", "by_depth", "delta_stepping", "find", "frontier", "generate",
    "host_arcs", "limits", "make", "mask_sssp", "one_block", "parse", "settings_of_all_solvers", "sssp",
    "stcon", "workfront",
]  # fmt: skip
