"""Page-locking is a phase of each trial, and in no other; so is what a solver prepares in its upload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

from command_line import Patch
from cuda_device import interface
from cuda_on_cpu.device import EmulatedDevice
from fabricated import phases, record
from graphs import NAMED, identified
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.devices.matrices import matrix_bytes
from retrace.graphs.arc_sets import simplify
from retrace.measure import trials as trials_module
from retrace.measure.trials import Effort, Measurement, Outcome, one_pass
from retrace.records.record import Record
from retrace.reports.measures import Measure, values_of
from retrace.solvers import REGISTRY, Query, make, mask_sssp
from solving import measure

GRID = identified(NAMED["grid"], "grid", source=0)
N, ARCS = GRID.vertices, GRID.arcs
CSR = 4 * (N + 1) + 4 * ARCS
WEIGHTED = CSR + 4 * ARCS
SOURCES = {
    "betweenness/host-arcs": (0, 1),
    "betweenness/vert": tuple(range(8)),
    "betweenness/levels": tuple(range(8)),
}
"""From where scores are computed; from each vertex would take seconds."""
LOCKED = {
    "sssp/pinned": N,
    "sssp/pinned-graph": WEIGHTED,
    "sssp/zero-copy": N,
    "sssp/mapped": N + WEIGHTED + (8 + 4 + 4) * N,
    "bellman-ford/pinned": matrix_bytes(GRID),
    "bellman-ford/streams-pinned:parts=3": matrix_bytes(GRID),
    "bellman-ford/streams-masked:parts=3": matrix_bytes(GRID),
    "bellman-ford/streams-traced:parts=3": matrix_bytes(GRID),
    "bfs/host-arcs": 4 * ARCS,
    "sssp/host-arcs": 8 * ARCS,
    "betweenness/host-arcs": 4 * simplify(GRID).arcs,
    "betweenness/vert": 4 * (N + 1) + 4 * simplify(GRID).arcs + 4 * len(SOURCES["betweenness/vert"]),
    "betweenness/levels": 4 * (N + 1) + 4 * simplify(GRID).arcs,
}
"""The bytes that each solver page-locks of the grid."""
FILLED = ("sssp/pinned-graph", "sssp/mapped", "bellman-ford/")
"""What is in page-locked memory before the clock starts."""
WORDS = 16
"""The bytes of a flag, or of some counters."""
PARTS: tuple[Measure, ...] = ("upload", "solve", "download", "total")


@dataclass
class Time:
    """A clock that moves by what takes time in a test alone."""

    now: float = 0.0
    locks: list[tuple[int, float]] = field(default_factory=list)
    """The bytes and the milliseconds of each allocation of page-locked memory."""
    filling_s: float = 0.0
    """Seconds that the host takes to fill such memory."""

    def lock(self, memory: NDArray[Any]) -> None:
        """Take a millisecond for each byte, and one more for each allocation before."""
        ms = float(memory.nbytes + len(self.locks))
        self.locks.append((memory.nbytes, ms))
        self.now += ms / 1e3

    def fill(self) -> None:
        self.now += self.filling_s


@pytest.fixture
def time(monkeypatch: Patch) -> Iterator[Time]:
    time = Time()
    for module in (trials_module, interface, mask_sssp):
        monkeypatch.setattr(module, "perf_counter", lambda: time.now)

    class Locked(np.ndarray[Any, Any]):
        def __setitem__(self, place: Any, value: Any) -> None:
            if self.size > WORDS:
                time.fill()
            super().__setitem__(place, value)

    pinned, mapped = EmulatedDevice.pinned, EmulatedDevice.mapped

    def slow_pinned(self: EmulatedDevice, size: int, dtype: DTypeLike) -> Any:
        memory = pinned(self, size, dtype)
        time.lock(memory)
        return memory.view(Locked)

    def slow_mapped(self: EmulatedDevice, size: int, dtype: DTypeLike) -> Any:
        memory, buffer = mapped(self, size, dtype)
        time.lock(memory)
        return memory.view(Locked), buffer

    monkeypatch.setattr(EmulatedDevice, "pinned", slow_pinned)
    monkeypatch.setattr(EmulatedDevice, "mapped", slow_mapped)
    return time


def test_every_solver_that_page_locks_is_tried() -> None:
    """Those of Brandes' algorithm have one way to send a graph, which two of them stand for."""
    locking = {one.name for one in CATALOGUE.solvers if one.page_locks}
    tried = {spec.partition(":")[0] for spec in LOCKED}
    assert tried <= locking
    assert {name for name in locking if not name.startswith("betweenness/")} <= tried


@pytest.mark.parametrize("spec", LOCKED)
def test_page_locking_is_in_no_other_phase(spec: str, time: Time, monkeypatch: Patch) -> None:
    """Nor is what fills the memory before the clock starts; small words are no page-locking."""
    time.filling_s = 1e3 if spec.startswith(FILLED) else 0.0
    with EmulatedDevice() as device:
        solver = make(spec, device)
        solver.setup(GRID)
        before = len(time.locks)
        monkeypatch.setattr(trials_module, "MOST_AGAIN", 1)  # by this clock a solve takes no time
        asked = Query(sources=SOURCES[spec]) if spec in SOURCES else Query(0)
        times = one_pass(solver, asked, device).times
    large = [(size, ms) for size, ms in time.locks[before:] if size > WORDS]
    assert sum(size for size, _ in large) == LOCKED[spec]
    assert times.lock == pytest.approx(sum(ms for _, ms in large))
    assert [getattr(times, part) for part in PARTS] == pytest.approx([0.0] * 4, abs=1e-6)


def test_a_lock_is_that_of_its_trial(time: Time) -> None:
    """Each allocation takes a millisecond longer than the one before."""
    effort = Effort(trials=4, budget_s=1e9, longest_s=60)
    (case,) = measure("transfers", GRID, ["sssp/pinned"], effort, ("cuda", EmulatedDevice))
    locks = [round(trial.lock or 0.0, 6) for trial in case.trials]
    assert len(locks) > 2
    assert sorted(set(locks)) == locks
    assert set(locks) <= {ms for _, ms in time.locks}
    assert locks[-1] == time.locks[-1][1]


def test_what_locks_nothing_has_no_lock(time: Time) -> None:
    specs = ["sssp/standard", "sssp/gpu-search", "sssp/bsp", "sssp/dijkstra-heap"]
    cases = measure("transfers", GRID, specs, Effort(trials=1), ("emulator", EmulatedDevice))
    assert [trial.lock for case in cases for trial in case.trials] == [None] * 4
    assert not time.locks


def test_blocks_off_the_clock_within_others_count_once(time: Time) -> None:
    with EmulatedDevice() as device:
        with device.off_the_clock():
            time.now += 16.0  # before the clock begins
        clock = trials_module.Clock(device)
        time.now += 1.0
        with device.off_the_clock():
            time.now += 2.0
            device.page_lock(device.pinned, 8, np.uint8)
        assert clock.lap(device) == pytest.approx(1000.0)
        time.now += 4.0
        assert clock.lap(device) == pytest.approx(4000.0)
        assert device.lock_ms == pytest.approx(8.0)
        trials_module.Clock(device)
        assert device.lock_ms is None


def test_a_preparation_is_that_of_its_trial(monkeypatch: Patch, provenance: dict[str, Any]) -> None:
    """The last trial's does not stand for all, and a record says it once."""
    kind = REGISTRY.find("bfs/direction")
    upload, uploads = kind.upload, []

    def counted(self: Any, query: Query) -> None:
        upload(self, query)
        uploads.append(query)
        self.prepare_ms = float(len(uploads))

    monkeypatch.setattr(kind, "upload", counted)
    monkeypatch.setattr(Outcome, "is_sound", True)
    monkeypatch.setattr(Measurement, "is_enough", False)
    (case,) = measure("fast-bfs", GRID, ["bfs/direction"], Effort(trials=3), ("cuda", EmulatedDevice))
    prepared = [trial.prepare for trial in case.trials]
    assert len(set(prepared)) == 3
    assert prepared[-1] == len(uploads)
    assert "prepare_ms" not in case.observed
    assert "levels_from_below" in case.observed


def old(solver: str, **observed: float) -> Record:
    """Fabricate a record of before page-locking and preparing were phases; its totals are 5 ms."""
    return record(solver, "random-12-5", trials=phases(1.0, 4.0, 0.5), observed=observed)


def test_of_old_records_the_last_trial_says_it() -> None:
    pinned = old("sssp/pinned", allocation_ms=2.0)
    total = values_of("total", pinned)
    assert values_of("lock", pinned) == [2.0]
    assert values_of("first search", pinned) == [ms + 2.0 for ms in total]
    assert values_of("prepare", old("bfs/direction", prepare_ms=3.0)) == [3.0]
    assert values_of("prepare", pinned) == []


def test_an_allocation_of_pageable_memory_is_no_lock() -> None:
    standard = old("sssp/standard", allocation_ms=2.0)
    assert values_of("lock", standard) == []
    assert values_of("first search", standard) == values_of("total", standard)


def test_a_lock_that_nobody_measured_is_not_taken_for_none() -> None:
    assert values_of("first search", old("bellman-ford/pinned")) == []
    assert values_of("lock", old("bellman-ford/pinned")) == []


def test_new_records_have_them_in_each_trial() -> None:
    times = [
        trial.model_copy(update={"lock": float(number), "prepare": 0.5 + number})
        for number, trial in enumerate(phases(1.0, 4.0, 0.5))
    ]
    pinned = record(
        "sssp/pinned", "random-12-5", trials=times, observed={"allocation_ms": 99.0, "prepare_ms": 99.0}
    )
    numbers = [float(number) for number in range(len(times))]
    assert values_of("lock", pinned) == numbers
    assert values_of("prepare", pinned) == [0.5 + number for number in numbers]
    assert values_of("first search", pinned) == [
        trial.total + number for trial, number in zip(times, numbers, strict=True)
    ]
