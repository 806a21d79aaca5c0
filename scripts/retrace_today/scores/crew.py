"""Searches on several devices of a host at the same time: a process for each, which draws passes.

What a pass adds to the scores, and hence their sum, does not depend on which device searches it, or when.
"""

from __future__ import annotations

import atexit
import ctypes
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cuda_device.interface import Device
from retrace.graphs.csr import CSRGraph
from retrace.graphs.query import Query
from retrace.solvers import make
from retrace.system.errors import RetraceError
from retrace.system.processes import die_with_parent
from retrace_today.betweenness.fixed_point import FixedPoint, FixedSums

Passes = NDArray[np.int64]
"""Numbers of passes, ascending, shape (passes,)."""

SharedWords = Any
"""Words of 64 bits that several processes have; typeshed does not know that they are a buffer."""

GROWTH = 8.0
"""How much longer a batch may be than the one before."""


@dataclass(frozen=True)
class Prepared:
    """What a device says of a query that was uploaded to it."""

    passes: int
    """Passes of the query."""
    blocks: int
    """Passes that the device searches at a time."""
    fingerprint: str
    is_whole: bool
    """Whether all scores come from searches, since nothing was removed from the graph."""
    gpu: dict[str, Any] | None


class Searcher:
    """A device, and a solver with `sums=fixed` that is set up on it."""

    def __init__(
        self, sums: FixedPoint, open_device: Callable[[], Device], spec: str, graph: CSRGraph
    ) -> None:
        """Set up the solver `spec`, whose searches will write their sums to `sums`, shape (vertices, 2)."""
        self.sums = sums
        self.device = open_device().__enter__()
        solver = make(spec, self.device)
        assert isinstance(solver, FixedSums)
        assert solver.is_fixed
        solver.setup(graph)
        self.set_up = solver
        self.solver: FixedSums | None = None
        """A copy for the query, whose memory is free again after `release`."""

    def upload(self, query: Query) -> Prepared:
        self.release()
        solver = self.solver = copy(self.set_up)
        solver.upload(query)
        whole, gpu = solver.rounds[0].reduced.is_whole, self.device.describe()
        return Prepared(solver.passes, solver.blocks, solver.fingerprint(), whole, gpu)

    def search(self, passes: Passes) -> None:
        assert self.solver is not None
        self.solver.search(passes, self.sums)

    def write_unsearched(self) -> None:
        assert self.solver is not None
        self.solver.write_unsearched(self.sums)

    def release(self) -> None:
        self.solver = None

    def close(self) -> None:
        """Close the device, with all that is on it."""
        self.release()
        del self.set_up
        self.device.__exit__(None, None, None)


class Worker:
    """A searcher, in a process of its own or, if not `apart`, in this one.

    Both processes have the memory of the sums: a pipe would take as long as some searches.
    """

    def __init__(self, number: int, vertices: int, apart: bool) -> None:
        self.number = number
        self.batch = 1
        """Passes of the next batch, where batches are to take a certain time."""
        spawn = multiprocessing.get_context("spawn")  # a forked process cannot use CUDA
        shared = spawn.RawArray(ctypes.c_uint64, 2 * vertices)
        self.process = ProcessPoolExecutor(1, spawn, _enter, (shared,)) if apart else None
        self.place = Workplace(shared)
        self.sums = self.place.sums
        """What the last search added to the scores, shape (vertices, 2)."""

    def begin(self, *of: Any) -> Future[Any]:
        """Make the searcher."""
        return self._call(_begin, of)

    def ask(self, method: str, *of: Any) -> Future[Any]:
        """Call a method of the searcher."""
        return self._call(_ask, (method, *of))

    def _call(self, function: Callable[..., Any], of: tuple[Any, ...]) -> Future[Any]:
        future = Future[Any]()
        try:
            if self.process is not None:
                return self.process.submit(function, None, *of)
            future.set_result(function(self.place, *of))
        except Exception as error:  # such as BrokenExecutor: the process has ended
            future.set_exception(error)
        return future

    def result(self, of: Future[Any]) -> Any:
        """Wait for a call; raise RetraceError if the process has ended."""
        try:
            return of.result()
        except BrokenExecutor:
            told = f"the process of device {self.number} has ended, perhaps for want of memory"
            raise RetraceError(f"{told}; run again") from None


class Workplace:
    """Where a process has its searcher, and the memory of its sums."""

    def __init__(self, shared: SharedWords) -> None:
        self.sums: FixedPoint = np.frombuffer(shared, np.uint64).reshape(-1, 2)
        self.searcher: Searcher | None = None


_own: Workplace
"""That of a worker's process."""


def _enter(shared: SharedWords) -> None:
    global _own
    _own = Workplace(shared)
    die_with_parent()


def _begin(place: Workplace | None, *of: Any) -> None:
    searcher = (place or _own).searcher = Searcher((place or _own).sums, *of)
    if place is None:  # a context of CUDA that is left open when the process ends makes it abort
        atexit.register(searcher.close)


def _ask(place: Workplace | None, method: str, *of: Any) -> Any:
    return getattr((place or _own).searcher, method)(*of)


class Crew:
    """The devices of a host, each with the same graph and query."""

    def __init__(
        self, devices: Sequence[Callable[[], Device]], spec: str, graph: CSRGraph, apart: bool = True
    ) -> None:
        """Set the solver `spec`, with `sums=fixed`, up on each device; in a process for each if `apart`."""
        started = perf_counter()
        self.workers = [Worker(number, graph.vertices, apart) for number in range(len(devices))]
        begun = [
            worker.begin(device, spec, graph) for worker, device in zip(self.workers, devices, strict=True)
        ]
        for worker, future in zip(self.workers, begun, strict=True):
            worker.result(future)
        self.setup_ms = (perf_counter() - started) * 1e3

    def prepare(self, query: Query) -> Prepared:
        """Upload a query to all devices; return what they say, in which they must agree."""
        found: list[Prepared] = self.ask_all("upload", query)
        for worker, prepared in zip(self.workers, found, strict=True):
            worker.batch = prepared.blocks
            if prepared.fingerprint != found[0].fingerprint:
                raise RetraceError(
                    f"device {worker.number} needs other kernels than device 0, so sums could differ; "
                    "ask for fewer devices, or give the machine a compute_capability that both have"
                )
        self.blocks, self.is_whole = max(prepared.blocks for prepared in found), found[0].is_whole
        return found[0]

    def ask_all(self, method: str, *of: Any) -> list[Any]:
        """Call a method of all searchers at the same time."""
        begun = [worker.ask(method, *of) for worker in self.workers]
        return [worker.result(future) for worker, future in zip(self.workers, begun, strict=True)]

    def unsearched(self) -> FixedPoint:
        """Return the part of the scores that follows without a search."""
        first = self.workers[0]
        if self.is_whole:
            return np.zeros(first.sums.shape, np.uint64)  # not zeros_like, which touches all of it
        first.result(first.ask("write_unsearched"))
        return first.sums.copy()

    def release(self) -> None:
        """Let the devices free their memory, of which the kernels stay; what they do next comes after."""
        for worker in self.workers:
            worker.ask("release")

    def close(self) -> None:
        """End the processes: Python's end would do so too, but may then tell of pipes that it has closed."""
        for worker in self.workers:
            if worker.process is not None:
                worker.process.shutdown()

    def search(
        self, passes: Passes, keep: Callable[[Passes, FixedPoint], None], batch_s: float | None = None
    ) -> None:
        """Search passes, and call `keep` with the sums of each batch, in whichever order they come.

        The next batch overwrites the sums.
        Without `batch_s` the passes are dealt out once, to each device as many; with it, in batches of about
        that many seconds. Neighbouring passes take about as long, so a batch is spread evenly over all that
        are left.
        """
        idle, running = list(self.workers), dict[Future[None], tuple[Worker, Passes, float]]()
        while len(passes) or running:
            while len(passes) and idle:
                share = -(-len(passes) // len(idle))
                worker = idle.pop()
                if batch_s is not None:
                    fair = -(-len(passes) // len(self.workers))
                    share = min(worker.batch, max(fair, self.blocks), len(passes))
                batch, passes = deal(passes, share)
                running[worker.ask("search", batch)] = worker, batch, perf_counter()
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                worker, batch, began = running.pop(done)
                worker.result(done)
                if batch_s is not None:
                    growth = min(GROWTH, batch_s / (perf_counter() - began))
                    worker.batch = max(1, int(len(batch) * growth))
                idle.append(worker)
                keep(batch, worker.sums)


def deal(passes: Passes, share: int) -> tuple[Passes, Passes]:
    """Take so many passes, spread evenly over all; return these and the others."""
    taken = np.zeros(len(passes), np.bool_)
    taken[np.arange(share) * len(passes) // share] = True
    return passes[taken], passes[~taken]
