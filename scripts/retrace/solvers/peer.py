"""What a call of a library is, which a user would otherwise make; packages have the calls themselves.

A solver builds the library's own graph object in `setup`, since whoever calls the library has one, and
converts the library's answer in `download`.
"""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from retrace.graphs.graph_names import UNREACHABLE
from retrace.solvers.solver import Solver
from retrace.system.imports import import_bare


def with_version(name: str, distribution: str) -> str:
    """Return a library's name, with its version if it is installed."""
    try:
        return f"{name} {version(distribution)}"
    except PackageNotFoundError:
        return name


class Peer(Solver):
    """A call of a library; `solve` stores the library's path lengths."""

    package: ClassVar[str]
    """The name by which Python imports the library, and of its distribution."""
    installed_by: ClassVar[str] = "make reproduce installs it"
    """Where the library comes from."""
    calls_library = True
    repeats = True
    answer_in = ("lengths", "scores", "found")
    lengths: Any

    @classmethod
    def unavailable(cls) -> str | None:
        return None if find_spec(cls.package) else f"{cls.package} is not installed; {cls.installed_by}"

    @classmethod
    def load(cls) -> Any:
        """Import the library, which may take a second and is not timed."""
        return import_bare(cls.package)

    @classmethod
    def library(cls) -> str:
        return with_version(cls.package, cls.package)

    def download(self) -> NDArray[Any]:
        """Convert doubles; a length that 32 bits do not hold becomes `UNREACHABLE`."""
        double = np.atleast_1d(np.asarray(self.lengths, dtype=np.float64))
        return np.where(double < UNREACHABLE, double, UNREACHABLE).astype(np.int32)
