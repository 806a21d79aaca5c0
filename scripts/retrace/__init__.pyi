"""The types of what `retrace.__getattr__` finds by its entry points."""

from retrace.catalogue.known_solvers import KnownSolver
from retrace.system.errors import RetraceError as RetraceError
from retrace_commands.library import load as load
from retrace_commands.library import solve as solve
from retrace_commands.library_of_many import eccentricities as eccentricities
from retrace_commands.library_of_many import solve_each as solve_each

__all__ = ["RetraceError", "eccentricities", "load", "solve", "solve_each", "solvers"]

def solvers(problem: str | None = None) -> list[KnownSolver]: ...
