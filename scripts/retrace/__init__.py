"""Retrace: five published CUDA graph reports, run again, checked and measured.

What a program calls for a graph in hand is of the package that names it as an entry point of
`retrace.library`, and imported when it is first used.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return a function that an entry point of `retrace.library` names."""
    if not name.startswith("_"):
        from pkgutil import resolve_name

        from retrace.system.solver_packages import LIBRARY_GROUP, named_in

        if place := dict(named_in(LIBRARY_GROUP)).get(name):
            return resolve_name(place)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
