"""Solver classes by name, with their settings, such as `bfs/bsp:block_size=64`."""

from contextlib import suppress
from typing import cast

from cuda_device.errors import LacksError
from cuda_device.interface import Device
from retrace.catalogue.known_solvers import CATALOGUE, KnownSolver, read_settings
from retrace.catalogue.setting import Setting, Value
from retrace.solvers.solver import GENERATORS, LIMITS, REGISTRIES, REGISTRY, DeviceSolver, Solver
from retrace.system.errors import RetraceError
from retrace.system.solver_packages import is_outside


def find(spec: str) -> type[Solver]:
    """Return the class of a solver of any registry; raise RetraceError if there is none of that name."""
    return REGISTRIES.get(spec.partition("/")[0], REGISTRY).find(spec)


def parse(spec: str) -> tuple[type[Solver], dict[str, Value]]:
    """Return the class of a solver, and the values of all its settings, by default or as given.

    Raise RetraceError as `Catalogue.parse` does.
    """
    solver = find(spec)
    return solver, read_settings(spec, solver.settings)


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
    """Return the classes of all registries, with those of packages outside."""
    return [kind for registry in (REGISTRY, GENERATORS, LIMITS) for kind in registry.solvers.values()]


def project_solvers() -> list[type[Solver]]:
    """Return the classes of all registries that are no package's from outside the project."""
    return [kind for kind in all_solvers() if not is_outside(kind.__module__)]


def known_solvers_of_project() -> list[KnownSolver]:
    """Return the project's solvers as their classes declare them, in the order of their registration.

    A solver whose package is not there stays as the file has it, in its place there, so that its records can
    be read.
    """
    declared = {kind.name: kind.as_known() for kind in project_solvers()}
    with suppress(RetraceError):  # the file may be what is written anew
        listed = CATALOGUE.listed
        if any(not one.is_there for one in listed.values()):
            kept = {name: one for name, one in listed.items() if name in declared or not one.is_there}
            declared = {**kept, **declared}
    return list(declared.values())


def settings_of_all_solvers() -> dict[str, Setting]:
    """Return the declaration of every setting of the project's solvers, by key, for the schema of records.

    Solvers that share a setting differ in its default only; that of the first one is returned.
    """
    settings: dict[str, Setting] = {}
    for solver in known_solvers_of_project():
        settings |= {key: setting for key, setting in solver.settings.items() if key not in settings}
    return settings
