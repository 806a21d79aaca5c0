"""Solvers: one module a problem, written once against the device interface."""

from retrace.solvers import (
    bellman_ford,
    bellman_ford_host,
    bellman_ford_rows,
    betweenness,
    betweenness_auto,
    betweenness_beside,
    bfs,
    generate,
    host,
    peers,
    sssp,
    stcon,
)
from retrace.solvers.registry import GENERATORS, REGISTRY, DeviceSolver, Query, Solver, find, make, parse

__all__ = [
    "GENERATORS",
    "REGISTRY",
    "DeviceSolver",
    "Query",
    "Solver",
    "bellman_ford",
    "bellman_ford_host",
    "bellman_ford_rows",
    "betweenness",
    "betweenness_auto",
    "betweenness_beside",
    "bfs",
    "find",
    "generate",
    "host",
    "make",
    "parse",
    "peers",
    "sssp",
    "stcon",
]
