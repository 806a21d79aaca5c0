"""What commands that run a solver share: the choice of a backend, the check, and errors in one line."""

from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

from cuda_device.available_gpus import cuda_status
from cuda_device.cuda import CudaDevice
from cuda_device.errors import OneLineError
from retrace.catalogue.known_solvers import WEIGHTED
from retrace.check.certificates import CERTIFICATE, certify, certify_tree
from retrace.check.checkers import Checker, checker_of
from retrace.check.result import CheckResult
from retrace.devices.backends import emulator
from retrace.graphs.csr import CSRGraph, Int32Array
from retrace.graphs.query import Query
from retrace.measure.trials import Request
from retrace.solvers import find, make
from retrace.system.errors import NotVerifiedError, RetraceError, say
from retrace.system.option_words import option
from retrace_commands.graph_file import GraphFile, read_graph, stage

ON_A_CORE = {
    "bfs/auto": "bfs/queue",
    "stcon/auto": "stcon/two-queues",
    "sssp/auto": "sssp/dijkstra-heap",
    "betweenness/auto": "betweenness/seq-array",
}
"""What runs in place of a choice of kernels where no GPU is."""
PROVED = ("bfs", "sssp", "bellman-ford")
"""Problems whose answers a proof checks in one pass over the arcs."""
SAMPLED_SOURCES = 16
"""Sources of a sample that checks scores, and its seed."""


def solver_at_hand(spec: str, backend: str) -> tuple[str, tuple[str, ...]]:
    """Return what runs in place of a choice of kernels where no GPU is, and a note of that.

    Emulated, the choice would take longer.
    """
    core = ON_A_CORE.get(spec)
    if core is None or backend != "auto" or cuda_status() is None:
        return spec, ()
    return core, (f"without a GPU {core} runs in place of {spec}, which the backend emulator would emulate",)


def graph_to_solve(arguments: Namespace) -> GraphFile:
    """Read the graph of a command, whose solver is from now on the one that runs here."""
    notes: tuple[str, ...] = ()
    if arguments.solver is not None:
        arguments.solver, notes = solver_at_hand(arguments.solver, arguments.backend)
    return read_graph(
        arguments.graph, arguments.format, arguments.solver, arguments.directed, arguments.columns
    ).with_notes(notes)


def on_backend(spec: str, query: Query, backend: str) -> Request:
    """Return a solver with its backend and device; raise RetraceError if it cannot run on the wanted one."""
    backends = find(spec).backends
    if backend not in ("auto", *backends):
        raise RetraceError(f"{option('backend', backend)}: {spec} runs on {' or '.join(backends)} only")
    if (why_missing := find(spec).unavailable()) is not None:
        raise RetraceError(f"{spec}: {why_missing}")
    if backends == ("host",):
        return Request(spec, "host", query, None)
    why_not = "not asked for" if backend == "emulator" else cuda_status()
    if backend == "cuda" and why_not is not None:
        raise RetraceError(f"{option('backend', 'cuda')}: {why_not}; use {option('backend', 'emulator')}")
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


class Verifier:
    """Checks a solver's answers on one graph.

    `how` is `whole`, by another search; `sample`, by a proof, or, of scores from many sources, by those from
    some; or `none`.
    """

    def __init__(self, how: str, request: Request, graph: CSRGraph) -> None:
        self.how, self.request, self.graph = how, request, graph
        self.problem = find(request.solver).problem

    def verify(self, query: Query, answer: Any, predecessor: Int32Array | None = None) -> str:
        """Say what verified an answer, or raise NotVerifiedError, which says where it differs."""
        if self.how == "none":
            return "not checked"
        with stage("checking the answer"):
            if self.how == "sample" and self.problem in PROVED and isinstance(self.graph, CSRGraph):
                return self._judge(self._prove(query, answer, predecessor))
            many = len(query.sources or range(self.graph.vertices)) > SAMPLED_SOURCES
            if self.how == "sample" and self.problem == "betweenness" and many:
                return self._of_sample()
            return self._judge(self._checker.check(self.request.solver, query, answer, predecessor))

    @cached_property
    def _checker(self) -> Checker:
        return checker_of(self.problem, self.graph)

    def _prove(self, query: Query, answer: Any, predecessor: Int32Array | None) -> CheckResult:
        """Prove the lengths in one pass over the arcs, which takes less time than a search."""
        weighted = self.graph if self.problem in WEIGHTED else replace(self.graph, weights=None)
        fault = certify(self.graph, weighted.weights, query.source, answer)
        if fault is None and predecessor is not None:
            fault = certify_tree(weighted, query.source, answer, predecessor)
        return CheckResult(fault is None, CERTIFICATE, fault)

    def _of_sample(self) -> str:
        """Let the solver search from a few sources, too, and check these scores."""
        size = self.graph.vertices
        query = Query.sampled(size, SAMPLED_SOURCES, seed=SAMPLED_SOURCES)
        sample = option("check", "sample")
        with self.request.device() as device, failing_in_one_line(sample):
            reason = make(self.request.solver, device).declines(query)
        if reason is not None:
            raise RetraceError(f"{sample}: {self.request.solver}: {reason}; use {option('check', 'whole')}")
        answer = replace(self.request, query=query).once(self.graph).answer
        checked = self._judge(self._checker.check(self.request.solver, query, answer))
        return f"the same solver from a sample of {SAMPLED_SOURCES} sources {checked}"

    def _judge(self, result: CheckResult) -> str:
        if result.verified:
            return f"verified against {result.oracle}"
        raise NotVerifiedError(
            f"{self.request.solver} on {self.request.backend}: the answer is not verified against "
            f"{result.oracle}: {result.reason} (ids from 0); nothing is written"
        )


def print_summary(request: Request, finding: str, times: str, checked: str) -> None:
    """Print one line: what was found, how fast, and whether it is verified."""
    emulated = " (emulated: no measure of a GPU)" if request.backend == "emulator" else ""
    say(f"{request.solver} on {request.backend}, {finding}; {times}{emulated}; {checked}")
