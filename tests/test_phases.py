"""What lies in which phase of every solver on a device: what it did between two looks at the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatch
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from command_line import Patch
from cuda_device import interface
from cuda_device.cuda import CudaBuffer, CudaDevice, CudaStream
from graphs import grid, identified
from recording_device import Action, RecordingDevice
from retrace.graphs.csr import CSRGraph
from retrace.graphs.dense import DenseGraph
from retrace.graphs.query import NoGraph, Query, Subject
from retrace.graphs.random import RandomGraph
from retrace.measure import trials
from retrace.measure.trials import Afterwards, Clock, Outcome, one_pass, timed_setup
from retrace.solvers import DeviceSolver, find, make
from retrace.solvers.solver import all_solvers
from solving import ON_DEVICE_BY_CHOICE

GRID = identified(grid(9, 7), "grid", source=0)
COMPLETE = DenseGraph(24, seed=1)
OTHER_SUBJECTS: dict[str, Subject] = {"generate": RandomGraph(60, 300, 1), "limits": NoGraph()}
"""What is no search of a graph."""
QUERIES = {"stcon": Query(3, 50), "betweenness": Query(sources=(3, 17))}
LAPS = ("", "setup", "", "upload", "solve", "download", "", "", "again")
"""What ends at each look at the clock."""


class Passed(NamedTuple):
    """A trial and the phases around it."""

    outcome: Outcome
    phases: dict[str, list[Action]]
    unfinished: dict[str, int]

    def sizes(self, phase: str, kinds: Iterable[str]) -> list[int]:
        return [action.bytes for action in self.phases[phase] if action.kind in kinds]

    def runs(self, phase: str) -> int:
        return len(self.sizes(phase, ["run"]))

    def where(self, amount: Callable[[Iterable[int]], int], least: int, *kinds: str) -> set[str]:
        """Return the phases in whose sizes an amount, such as the sum or the largest, is reached."""
        return {phase for phase in self.phases if amount([0, *self.sizes(phase, kinds)]) >= least}


def passed(name: str, graph: Subject, patch: Patch) -> Passed:
    """Run a trial of a solver, with a further solve if it makes any."""
    kind = find(name)
    chosen = f"take={ON_DEVICE_BY_CHOICE[name]}" if name in ON_DEVICE_BY_CHOICE else ""
    with RecordingDevice() as device:
        patch.setattr(trials, "perf_counter", device.clock)
        patch.setattr(interface, "perf_counter", device.now)
        solver = make(f"{name}:{chosen}" if chosen else name, device)
        timed_setup(solver, graph, device)
        once = Afterwards(longest_ms=float("inf"), together_ms=0)
        outcome = one_pass(solver, QUERIES.get(kind.problem, Query(3)), device, once)
    laps = LAPS if solver.repeats else LAPS[:-3]
    assert len(device.unfinished) == len(laps)
    return Passed(
        outcome,
        {lap: actions for lap, actions in zip(laps, device.phases, strict=False) if lap},
        {lap: count for lap, count in zip(laps, device.unfinished, strict=True) if lap},
    )  # fmt: skip


MATRIX_ELSEWHERE = {
    "bellman-ford/multi-edge*": {"setup"},
    "bellman-ford/resident": {"setup"},
    "bellman-ford/streams*": {"solve", "again"},
}
"""Where a matrix reaches the device otherwise than in `upload`: its report compares kernels, or streams."""
BY_OTHERS = ("sssp/thrust", "betweenness/multi-gpu")
"""What copies and launches by itself: a library, and devices of other processes."""
ON_A_DEVICE = [kind for kind in all_solvers() if issubclass(kind, DeviceSolver)]
CASES = [
    *((kind.name, OTHER_SUBJECTS.get(kind.problem, GRID)) for kind in ON_A_DEVICE),
    *((kind.name, COMPLETE) for kind in ON_A_DEVICE if kind.problem == "bellman-ford"),
]
SEARCHES = [case for case in CASES if case[1] in (GRID, COMPLETE) and case[0] not in BY_OTHERS]


def named(case: object) -> str:
    return case if isinstance(case, str) else type(case).__name__


@pytest.mark.parametrize(("name", "graph"), CASES, ids=named)
def test_a_phase_lasts_until_its_work_is_done(name: str, graph: Subject, monkeypatch: Patch) -> None:
    trial = passed(name, graph, monkeypatch)
    assert trial.unfinished == dict.fromkeys(trial.phases, 0)
    times = trial.outcome.times
    measured = {phase: getattr(times, phase) for phase in trial.phases if phase != "setup"}
    measured["upload"] += times.lock or 0.0
    assert measured == {phase: 1e3 * len(trial.phases[phase]) for phase in measured}


@pytest.mark.parametrize(("name", "graph"), SEARCHES, ids=named)
def test_copies_allocations_and_launches_lie_in_their_phases(
    name: str, graph: CSRGraph | DenseGraph, monkeypatch: Patch
) -> None:
    trial = passed(name, graph, monkeypatch)
    of_arcs, of_vertices = 4 * graph.arcs, 4 * graph.vertices
    matrix = next((to for pattern, to in MATRIX_ELSEWHERE.items() if fnmatch(name, pattern)), None)
    arrived = (trial.where(sum, of_arcs, kind) for kind in ("send", "lock", "allocate"))
    assert next(filter(None, arrived)) == (matrix or {"upload"})
    large = trial.where(max, of_vertices, "allocate", "lock") - {"upload"}
    assert large <= ({"setup"} if name.startswith("bellman-ford/") else set())
    if not trial.outcome.observed.get("found_near"):  # on the host, before a launch would have ended
        assert all(trial.runs(phase) for phase in trial.phases.keys() & {"solve", "again"})
    assert trial.runs("download") <= 1  # which separates distances from predecessors
    is_mapped = "fetch" not in (action.kind for action in trial.phases["download"])
    assert trial.where(max, of_vertices, "fetch") == (set() if is_mapped else {"download"})
    assert not is_mapped or name.startswith("stcon/") or trial.where(max, of_vertices, "lock") == {"upload"}


class NotingDriver:
    """In place of PyCUDA's driver and of a context: notes what is called."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: self.called.append(name)


ON_CUDA: dict[str, Callable[[CudaDevice, CudaBuffer, NDArray[Any], CudaStream | None], None]] = {
    "memcpy_htod": lambda device, buffer, host, stream: device.write(buffer, host, stream),
    "memcpy_dtoh": lambda device, buffer, host, stream: device.read(buffer, host, stream),
    "memset_d32": lambda device, buffer, host, stream: device.fill(buffer, 7, stream),
}


@pytest.mark.parametrize("called", ON_CUDA)
def test_a_gpus_phase_ends_when_the_gpu_is_idle(called: str, monkeypatch: Patch) -> None:
    """A copy without a stream has ended on return; all else is waited for before the clock is looked at."""
    driver = NotingDriver()
    device = CudaDevice.__new__(CudaDevice)
    device.cuda = device._context = driver
    buffer, host = CudaBuffer(4, np.dtype(np.int32), None, 0x1000), np.zeros(4, np.int32)
    ON_CUDA[called](device, buffer, host, None)
    assert driver.called == [called]
    monkeypatch.setattr(trials, "perf_counter", lambda: float(len(driver.called.copy())))
    driver.called.clear()
    clock = Clock(device)
    ON_CUDA[called](device, buffer, host, CudaStream(None))
    assert clock.lap(device) == 2e3
    assert driver.called == [f"{called}_async", "synchronize"]
