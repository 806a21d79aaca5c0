"""Imports a library without those that it would only draw or learn with."""

import sys
from importlib import import_module
from typing import Any

UNUSED = "matplotlib", "sklearn"
"""What takes most of the time in which igraph and NetworKit are imported, where it is installed."""


def import_bare(library: str) -> Any:
    """Import a library as if those in `UNUSED` were missing.

    Later imports find them, and so does this one if they are loaded already.
    """
    hidden = [name for name in UNUSED if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # an import then raises ImportError
    try:
        return import_module(library)
    finally:
        for name in hidden:
            del sys.modules[name]
