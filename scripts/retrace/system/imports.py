"""Imports a library without the one that it would draw with."""

import sys
from importlib import import_module
from typing import Any


def import_undrawn(library: str) -> Any:
    """Import a library as if matplotlib were missing, which takes most of the time of igraph and NetworKit.

    Later imports find it, and so does this one if it is loaded already.
    """
    hidden = "matplotlib" not in sys.modules
    if hidden:
        sys.modules["matplotlib"] = None  # type: ignore[assignment]  # an import then raises ImportError
    try:
        return import_module(library)
    finally:
        if hidden:
            del sys.modules["matplotlib"]
