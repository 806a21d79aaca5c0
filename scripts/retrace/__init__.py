"""Retrace: five published CUDA graph reports, run again, checked and measured.

What a program calls for a graph in hand is of the package that names it as an entry point of
`retrace.library`, and imported when it is first used.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return what an entry point of `retrace.library` names, or the names of all for `import *`."""
    if name == "__all__" or not name.startswith("_"):
        from pkgutil import resolve_name

        from retrace.system.solver_packages import LIBRARY_GROUP, named_in

        places = dict(named_in(LIBRARY_GROUP))
        if name == "__all__":
            return sorted([*places, "solvers"])
        if name in places:
            return resolve_name(places[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List these names, too, which consoles complete."""
    return sorted({*globals(), *__getattr__("__all__")})
