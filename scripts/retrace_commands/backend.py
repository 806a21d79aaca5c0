"""What commands that run a solver share: the choice of a backend, the check, and errors in one line."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cuda_device.available_gpus import cuda_status
from cuda_device.cuda import CudaDevice
from cuda_device.errors import OneLineError
from retrace.check.checkers import checker_of
from retrace.devices.backends import emulator
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.measure.trials import Request
from retrace.solvers import find
from retrace.system.errors import NotVerifiedError, RetraceError, say
from retrace_commands.graph_file import stage


def on_backend(spec: str, query: Query, backend: str) -> Request:
    """Return a solver with its backend and device; raise RetraceError if it cannot run on the wanted one."""
    backends = find(spec).backends
    if backend not in ("auto", *backends):
        raise RetraceError(f"--backend {backend}: {spec} runs on {' or '.join(backends)} only")
    if (why_missing := find(spec).unavailable()) is not None:
        raise RetraceError(f"{spec}: {why_missing}")
    if backends == ("host",):
        return Request(spec, "host", query, None)
    why_not = "not asked for" if backend == "emulator" else cuda_status()
    if backend == "cuda" and why_not is not None:
        raise RetraceError(f"--backend cuda: {why_not}; use --backend emulator")
    if why_not is None:
        return Request(spec, "cuda", query, CudaDevice)
    return Request(spec, "emulator", query, emulator())


@contextmanager
def failing_in_one_line(task: str) -> Iterator[None]:
    """Convert any exception to a RetraceError of one line, which says what failed."""
    try:
        yield
    except OneLineError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise RetraceError(f"{task} failed: {reason}") from None


def verify(
    wanted: bool, request: Request, graph: CSRGraph, answer: Any, predecessor: Int32Array | None = None
) -> str:
    """Check an answer if wanted; say what verified it, or raise NotVerifiedError if the oracle's differs."""
    if not wanted:
        return "not checked"
    with stage("checking the answer"):
        checker = checker_of(find(request.solver).problem, graph)
        result = checker.check(request.solver, request.query, answer, predecessor)
    if not result.verified:
        raise NotVerifiedError(
            f"{request.solver} on {request.backend}: the answer is not verified against "
            f"{result.oracle}: {result.reason} (ids from 0); nothing is written"
        )
    return f"verified against {result.oracle}"


def print_summary(request: Request, finding: str, times: str, checked: str) -> None:
    """Print one line: what was found, how fast, and whether it is verified."""
    emulated = " (emulated: no measure of a GPU)" if request.backend == "emulator" else ""
    say(f"{request.solver} on {request.backend}, {finding}; {times}{emulated}; {checked}")
