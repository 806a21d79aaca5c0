"""All solvers by name, and the notation of a solver with its settings: `bfs/bsp:block_size=64`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from cuda_device.errors import LacksError, OneLineError
from cuda_device.interface import Device
from retrace.solvers.setting import Setting, Value
from retrace.system.errors import RetraceError

if TYPE_CHECKING:
    from retrace.solvers.solver import DeviceSolver, Solver


@dataclass
class Registry:
    """Solvers by name, in the order they were added."""

    solvers: dict[str, type[Solver]] = field(default_factory=dict)

    def add(self, solver: type[Solver]) -> type[Solver]:
        """Register a solver class under its name; those of `retrace.solvers` do it themselves."""
        if solver.name in self.solvers:
            raise ValueError(f"two solvers are called {solver.name}")
        self.solvers[solver.name] = solver
        return solver

    def find(self, spec: str) -> type[Solver]:
        """Return the solver class of a name without its settings; raise RetraceError if there is none."""
        name = spec.partition(":")[0]
        if name not in self.solvers:
            like = [solver.name for solver in self.of_problem(name.partition("/")[0])]
            known = sorted(like or {f"{solver.problem}/..." for solver in self.solvers.values()})
            raise RetraceError(
                f"no solver is called {name or 'nothing'}; there are {', '.join(known)}; "
                "`python -m retrace solvers` lists all"
            )
        return self.solvers[name]

    def of_problem(self, problem: str) -> list[type[Solver]]:
        return [solver for solver in self.solvers.values() if solver.problem == problem]


REGISTRY = Registry()

GENERATORS = Registry()
"""Solvers whose answer is a graph: they take a `RandomGraph` instead of a graph and a query."""

LIMITS = Registry()
"""Solvers that measure the machine itself: they take no graph."""

REGISTRIES = {"generate": GENERATORS, "limits": LIMITS}
"""By problem, where it is not `REGISTRY`."""


def find(spec: str) -> type[Solver]:
    """Return the class of a solver of any registry; raise RetraceError if there is none of that name."""
    return REGISTRIES.get(spec.partition("/")[0], REGISTRY).find(spec)


def given(spec: str) -> str:
    """Return what a solver is given: `graph`, or its problem where that is no stored graph."""
    problem = spec.partition("/")[0]
    return problem if problem in REGISTRIES else "graph"


def parse(spec: str) -> tuple[type[Solver], dict[str, Value]]:
    """Read a solver's name and settings, such as `betweenness/vert:blocks=132,block_size=512`.

    Return the solver's class, and the values of all its settings, by default or as given. Raise RetraceError
    if there is no such solver or setting, a setting is given twice, or a value is not allowed.
    """
    solver = find(spec)
    given: dict[str, Value] = {}
    for part in spec.partition(":")[2].split(",") if ":" in spec else []:
        key, _, text = part.partition("=")
        if key not in solver.settings:
            there_are = ", ".join(solver.settings) or "none"
            raise RetraceError(f"{spec}: {solver.name} has no setting {key!r}; there are {there_are}")
        if key in given:
            raise RetraceError(f"{spec}: {key} is given twice; give it once")
        try:
            given[key] = solver.settings[key].parse(key, text)
        except OneLineError as error:
            raise RetraceError(f"{spec}: {error}") from None
    return solver, {**solver.defaults, **given}


def make(spec: str, device: Device | None = None) -> Solver:
    """Create a solver from its name and settings, on an open device if it needs one.

    Raise LacksError if the device lacks what the solver needs.
    """
    kind, parameters = parse(spec)
    if "host" in kind.backends:
        solver = kind()
    elif device is None:
        raise ValueError(f"{kind.name} needs a device")
    elif (missing := kind.missing_from(device.limits)) is not None:
        raise LacksError(f"{kind.name}: {missing}")
    else:
        solver = cast("type[DeviceSolver]", kind)(device)
    solver.parameters = parameters
    return solver


def all_solvers() -> list[type[Solver]]:
    """Return the classes of all registries."""
    return [kind for registry in (REGISTRY, GENERATORS, LIMITS) for kind in registry.solvers.values()]


def settings_of_all_solvers() -> dict[str, Setting]:
    """Return the declaration of every setting of any solver, by key, for the schema of records.

    Solvers that share a setting differ in its default only; that of the first one is returned.
    """
    found: dict[str, Setting] = {}
    for solver in all_solvers():
        found |= {key: setting for key, setting in solver.settings.items() if key not in found}
    return found
