"""A solver in a process of its own: no thread that another library left waiting there delays its threads.

All threads of the GAP Benchmark Suite wait for each other after every level of a search. In a process with
other libraries, a quarter of its trials took 10 to 100 ms more; alone, none did.
"""

import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from time import process_time
from typing import Any, Self, TypeVar

from retrace.graphs.query import Query
from retrace.solvers.peer import Peer
from retrace.solvers.solver import Solver, make
from retrace.system.errors import RetraceError
from retrace.system.processes import die_with_parent

Returned = TypeVar("Returned")

_solver: Solver
"""In a process that was started, the solver that lives there."""


class OwnProcess(Solver):
    """Stands for a solver in a process that ends with this object, and calls its methods there."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        server = get_context("forkserver")  # whose forks have no threads that others began
        server.set_forkserver_preload([__name__])
        self.process = ProcessPoolExecutor(1, server, _begin, (spec,))
        self.used, self.counted = 0.0, 0.0

    def __copy__(self) -> Self:
        return self

    def __del__(self) -> None:
        """End the process."""
        self.process.shutdown(wait=False)

    def run(self, function: Callable[..., Returned], *arguments: Any) -> Returned:
        """Return what a function returns that is given the solver first; raise RetraceError if it dies."""
        try:
            result, self.used = self.process.submit(_run, function, arguments).result()
        except BrokenProcessPool:
            reason = "its process has ended, perhaps for want of memory"
            raise RetraceError(f"{self.spec}: {reason}; run again") from None
        return result

    def core_seconds(self) -> float:
        """Return the seconds of all cores that the process has used since it was last asked."""
        before, self.counted = self.counted, self.used
        return self.counted - before

    def setup(self, graph: Any) -> None:
        self.run(_call, "setup", graph)

    def tune(self, query: Query, chosen: Mapping[str, float]) -> None:
        self.run(_call, "tune", query, chosen)

    def upload(self, query: Query) -> None:
        self.run(_call, "upload", query)

    def begin_again(self, query: Query) -> None:
        self.run(_call, "begin_again", query)

    def solve(self, query: Query) -> int | None:
        iterations: int | None = self.run(_call, "solve", query)
        return iterations

    def download(self) -> Any:
        return self.run(_call, "download")

    def declines(self, query: Query) -> str | None:
        reason: str | None = self.run(_call, "declines", query)
        return reason

    def predict_seconds(self, query: Query) -> float | None:
        seconds: float | None = self.run(_call, "predict_seconds", query)
        return seconds


def _begin(spec: str) -> None:
    """Make the solver. This process ends with its server, which ends with the process that measures."""
    global _solver
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all processes, and one of them says so
    _solver = make(spec)
    if isinstance(_solver, Peer):
        _solver.load()


def _run(function: Callable[..., Returned], arguments: tuple[Any, ...]) -> tuple[Returned, float]:
    return function(_solver, *arguments), process_time()


def _call(solver: Solver, method: str, *arguments: Any) -> Any:
    return getattr(solver, method)(*arguments)
