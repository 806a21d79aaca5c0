"""What commands that run a solver share: the choice of a backend, the check, and errors in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from retrace.check.checkers import checker_of
from retrace.check.result import CheckResult
from retrace.commands import NotVerifiedError
from retrace.commands.graph_file import stage
from retrace.devices.cuda import CudaDevice, cuda_status
from retrace.devices.emulator import EmulatedDevice
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.measure.trials import DeviceFactory
from retrace.solvers import REGISTRY
from retrace.system.errors import RetraceError


def choose_backend(name: str, backends: Sequence[str], wanted: str) -> tuple[str, DeviceFactory | None]:
    """Return the backend on which a solver runs, and what opens its device; None for the host.

    Raises
    ------
    RetraceError
        If the solver does not run on the wanted backend, or that is not available.
    """
    if "host" in backends and wanted == "auto":
        return "host", None
    if "host" in backends or (wanted != "auto" and wanted not in backends):
        raise RetraceError(f"--backend {wanted}: {name} runs on {' or '.join(backends)} only")
    why_not = cuda_status() if wanted != "emulator" and "cuda" in backends else "not asked for"
    if wanted == "cuda" and why_not is not None:
        raise RetraceError(f"--backend cuda: {why_not}; use --backend emulator")
    return ("cuda", CudaDevice) if why_not is None else ("emulator", EmulatedDevice)


@contextmanager
def failing_in_one_line(what: str) -> Iterator[None]:
    """Convert any exception to a RetraceError of one line, which says what failed."""
    try:
        yield
    except RetraceError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise RetraceError(f"{what} failed: {reason}") from None


def verify(
    solver: str,
    where: str,
    graph: CSRGraph,
    query: Query,
    answer: Any,
    predecessor: Int32Array | None = None,
) -> CheckResult:
    """Check an answer.

    Raises
    ------
    NotVerifiedError
        If the oracle's answer differs.
    """
    with stage("checking the answer"):
        checker = checker_of(REGISTRY.find(solver).problem, graph)
        result = checker.check(solver, query, answer, predecessor)
    if not result.verified:
        raise NotVerifiedError(
            f"{solver} on {where}: the answer is not verified against {result.oracle}: {result.reason} "
            "(ids from 0); nothing is written"
        )
    return result
