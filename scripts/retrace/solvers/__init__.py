"""Solvers by problem: each module or package holds C++ programs, device variants and library calls."""

import sys
from types import ModuleType

from retrace.catalogue.known_solvers import CATALOGUE, KnownSolver
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
from retrace.system.errors import RetraceError

__all__ = [
    "GENERATORS", "LIMITS", "REGISTRY", "DeviceSolver", "Query", "Setting", "Solver", "all_solvers",
    "bellman_ford", "betweenness", "bfs", "find", "generate", "make", "mask_sssp", "parse",
    "sssp", "stcon",
]  # fmt: skip


class _SolverPackage(ModuleType):
    """A package that can be called: `from retrace import solvers` gives it, and is to list the solvers."""

    def __call__(self, problem: str | None = None) -> list[KnownSolver]:
        """Return the solvers of graphs, or those of a problem, as data; raise RetraceError if it has none."""
        listed = [solver for solver in CATALOGUE.solvers if solver.given == "graph"]
        problems = sorted({solver.problem for solver in listed})
        if problem is not None and problem not in problems:
            raise RetraceError(f"no problem is called {problem}; there are {', '.join(problems)}")
        return [solver for solver in listed if problem in (None, solver.problem)]


sys.modules[__name__].__class__ = _SolverPackage
