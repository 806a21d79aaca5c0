"""The types of what `retrace.__getattr__` finds by its entry points."""

from retrace.catalogue.known_solvers import KnownSolver
from retrace_commands.library import load as load
from retrace_commands.library import solve as solve

def solvers(problem: str | None = None) -> list[KnownSolver]: ...
