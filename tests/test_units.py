"""Units of what is measured: by a clock that moves a second at each look, times are whole seconds, in ms."""

from __future__ import annotations

import sys
import time
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import Patch
from cuda_on_cpu import work_queue
from cuda_on_cpu.device import EmulatedDevice
from graphs import grid, identified
from retrace.graphs.query import Query
from retrace.measure import environment
from retrace.measure.trials import Afterwards, one_pass, timed_setup
from retrace.records.record import Trial
from retrace.reports.wording import duration, joules
from retrace.solvers import REGISTRY, make, solver
from retrace.solvers.peer import Peer

GRID = identified(grid(9, 7), "grid", source=0)
QUERIES = {"stcon": Query(3, 50), "betweenness": Query(sources=(3, 17))}
MINE = [name for name, kind in REGISTRY.solvers.items() if not issubclass(kind, Peer)]
OTHER_PROCESSES = ("betweenness/multi-gpu",)
"""Whose clocks are not this one."""


@pytest.fixture
def looks(monkeypatch: Patch) -> count[int]:
    """Let each look at the project's clocks take a second; return what counts them."""
    counted, real = count(), time.perf_counter

    def look() -> float:
        return float(next(counted))

    for name, module in list(sys.modules.items()):
        if name.startswith(("retrace", "cuda_")) and vars(module).get("perf_counter") is real:
            monkeypatch.setattr(module, "perf_counter", look)
    for module in (work_queue, solver):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=look))
    return counted


@pytest.mark.parametrize("name", [name for name in MINE if name not in OTHER_PROCESSES])
def test_all_times_of_a_trial_are_milliseconds(name: str, looks: count[int]) -> None:
    kind = REGISTRY.find(name)
    with EmulatedDevice() as device:
        prepared: Any = make(name, None if "host" in kind.backends else device)
        timed_setup(prepared, GRID, device)
        began = next(looks)
        outcome = one_pass(
            prepared, QUERIES.get(kind.problem, Query(3)), device,
            Afterwards(longest_ms=float("inf"), together_ms=0), with_events=True,
        )  # fmt: skip
    most = 1e3 * (next(looks) - began)
    phases = {name: getattr(outcome.times, name) for name in Trial.model_fields if name != "round"}
    times = {name: ms for name, ms in phases.items() if isinstance(ms, float)}
    times |= {name: ms for name, ms in outcome.observed.items() if "_ms" in name}
    assert {"upload", "solve", "download", "total"} <= times.keys()
    assert not {name: ms for name, ms in times.items() if ms % 500 or not 0 <= ms <= most}
    assert all(ms > 0 for name, ms in times.items() if "_ms" in name or name in ("prepare", "kernel"))


def test_amounts_are_shown_in_their_unit(monkeypatch: Patch) -> None:
    assert [joules(mj) for mj in (1.5, 1500.0)] == ["1.5 mJ", "1.5 J"]
    assert [duration(ms) for ms in (1500.0, 1.5, 0.0015)] == ["1.50 s", "1.50 ms", "1.50 µs"]
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 24 * 2**18}
    monkeypatch.setattr(environment.os, "sysconf", sizes.__getitem__)
    assert environment.machine("mine", None)["memory_gib"] == 24.0
