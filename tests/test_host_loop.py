"""Loops of launches, on every backend there is: in C++, with a clock for each launch, and in Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuda_device.host_loop import (
    CALL_LAUNCH,
    CALL_READ,
    CALL_WAIT,
    CALL_WRITE,
    CDriver,
    CLaunch,
    HostLoop,
    Repeated,
)
from cuda_device.interface import Device, PackedLaunch
from cuda_on_cpu.device import EmulatedDevice
from graphs import graph, grid
from retrace.solvers import REGISTRY, Query, make
from solving import solved

KERNELS = str(Path(__file__).parent / "cuda_on_cpu/kernels/countdown.cu")

Execute = Callable[[HostLoop, Device], Repeated]


def in_cpp(loop: HostLoop, device: Device) -> Repeated:
    return device.repeat(loop)


def timed_in_cpp(loop: HostLoop, device: Device) -> Repeated:
    with device.timing_kernels() as timer:
        repeated = device.repeat(loop)
    assert timer.brackets
    return repeated


@pytest.fixture(params=[in_cpp, timed_in_cpp, HostLoop.in_python])
def execute(request: pytest.FixtureRequest) -> Execute:
    """Return each way to execute a loop."""
    way: Execute = request.param
    return way


def launch(device: Device, kernel: str, *arguments: Any) -> PackedLaunch:
    return device.load(KERNELS).kernel(kernel).with_arguments(1, 1, *arguments, cooperative=False)


@pytest.mark.parametrize(
    ("stop", "times", "words"), [(-1, 4, (-1, 0, 28, 0)), (1, 3, (0, 1, 21, 1)), (3, 1, (2, 1, 7, 1))]
)
def test_iterations_follow_each_other_until_kernels_say_that_it_is_enough(
    device: Device, execute: Execute, stop: int, times: int, words: tuple[int, ...]
) -> None:
    """Both kernels run in their order, each time; what they leave alone is kept."""
    seen = np.array((3, 1, 0, 0), np.int32)
    state = device.upload(seen)
    both = [
        launch(device, "count_down", state, np.int32(stop)),
        launch(device, "add", state, np.int32(7)),
    ]
    loop = HostLoop(rounds=[both], state=state, seen=seen, clears=True, more=1, met=3)
    assert execute(loop, device) == (times, True, 0)
    assert seen.tolist() == device.download(state).tolist() == list(words)


def test_the_last_rounds_follow_each_other(device: Device, execute: Execute) -> None:
    seen = np.array((5, 0, 0), np.int32)
    state = device.upload(seen)
    note = [launch(device, "note", state, np.int32(digit)) for digit in range(6)]
    lower = launch(device, "lower", state)
    rounds = [[note[1], lower], [note[2], note[3], lower], [note[4], note[5], lower]]
    loop = HostLoop(rounds=rounds, recurring=2, state=state, seen=seen, more=1)
    assert execute(loop, device).iterations == 5
    assert seen[2] == 123452345


def test_an_iteration_ends_with_the_first_look_that_finds_something(device: Device, execute: Execute) -> None:
    seen = np.array((2, 0, 0), np.int32)
    state = device.upload(seen)
    down, note = (launch(device, name, state, np.int32(7)) for name in ("count_down", "note"))
    loop = HostLoop(rounds=[[note, down, down]], looks=2, state=state, seen=seen, clears=True, more=1)
    assert execute(loop, device).iterations == 3
    assert seen.tolist() == [-2, 0, 777]


def test_a_launch_without_a_grid_has_a_thread_for_each_item(device: Device, execute: Execute) -> None:
    seen = np.array((0, 1, 0), np.int32)
    state = device.upload(seen)
    kernel = device.load(KERNELS).kernel("widen")
    widen = kernel.with_arguments(None, 4, state, np.int32(16), cooperative=False)
    for _ in range(2):  # of a launch that was used before, too
        seen[:] = 0, 1, 0
        device.write(state, seen)
        loop = HostLoop(rounds=[[widen]], state=state, seen=seen, more=1)
        assert execute(loop, device).iterations == 4
        assert seen[2] == 1 + 2 + 3 + 4


@pytest.mark.parametrize("mapped", [False, True])
def test_a_mask_is_searched_to_its_end(device: Device, execute: Execute, mapped: bool) -> None:
    masked = np.isin(np.arange(300), (0, 7, 299))
    if mapped:
        seen, state = device.mapped(masked.size, np.bool_)
        seen[:] = masked
    else:
        seen, state = np.empty(masked.size, np.bool_), device.upload(masked)
    clear = launch(device, "clear_first", state, np.int32(masked.size))
    loop = HostLoop(rounds=[[clear]], state=None if mapped else state, seen=seen, most=9)
    assert execute(loop, device) == (3, True, 7 + 299)


@pytest.mark.parametrize(
    ("blind", "most", "repeated"),
    [(0, 9, (3, True, 0)), (2, 9, (3, True, 0)), (5, 9, (6, True, 0)), (0, 3, (3, True, 0)),
     (0, 2, (2, False, 0)), (9, 4, (4, False, 0))],
)  # fmt: skip
def test_iterations_without_a_look_and_the_most_of_them(
    device: Device, execute: Execute, blind: int, most: int, repeated: tuple[int, bool, int]
) -> None:
    seen = np.array((3, 1), np.int32)
    state = device.upload(seen)
    lower = launch(device, "lower", state)
    loop = HostLoop(rounds=[[lower]], state=state, seen=seen, more=1, blind=blind, most=most)
    assert execute(loop, device) == repeated
    assert device.download(state)[0] == 3 - repeated[0]


def test_launches_of_a_closed_device_are_refused() -> None:
    with EmulatedDevice() as device:
        state = device.empty(3, np.int32)
        lower = launch(device, "lower", state)
    for clears in (False, True):
        loop = HostLoop(rounds=[[lower]], state=state, seen=np.ones(3, np.int32), clears=clears)
        with pytest.raises(ValueError, match="closed"):
            device.repeat(loop)


CALLS: list[tuple[Any, ...]] = []
"""What a driver was asked for, whose kernels find nothing more to do."""


@CALL_LAUNCH
def note_launch(function: int, *sizes: int) -> int:
    CALLS.append(("launch", function, *sizes[:7]))
    return 700 * (function == 3)


@CALL_WRITE
def note_write(address: int, words: int, size: int) -> int:
    CALLS.append(("write", address, [*(ctypes.c_int * (size // 4)).from_address(words)]))
    return 800 * (address == 99)


@CALL_READ
def note_read(words: int, address: int, size: int) -> int:
    CALLS.append(("read", address, size))
    ctypes.memset(words, 0, size)
    return 900 * (address == 98)


@CALL_WAIT
def note_wait() -> int:
    CALLS.append(("wait",))
    return 600


def by_driver(kernel: int, state: int, clears: bool) -> tuple[int, Repeated]:
    CALLS.clear()
    launches = [
        CLaunch(kernel, None, (4, 2, 3), (32, 2, 1), 16),
        CLaunch(2, None, (0, 5, 1), (32, 1, 1), 8),
    ]
    two: list[Any] = launches  # of which the loop needs no more than their number
    seen = np.array((5, 40, 6, 7), np.int32)
    loop = HostLoop(rounds=[two], state=None, seen=seen, clears=clears, more=1, most=3)
    return loop.in_cpp(CDriver(note_launch, note_write, note_read, note_wait), launches, state)


def test_a_driver_is_given_sizes_and_addresses() -> None:
    assert by_driver(1, 77, clears=False) == (0, Repeated(1, True, 0))
    first, second = ("launch", 1, 4, 2, 3, 32, 2, 1, 16), ("launch", 2, 2, 5, 1, 32, 1, 1, 8)
    assert [first, second, ("read", 77, 16)] == CALLS
    assert by_driver(1, 77, clears=True) == (0, Repeated(1, True, 0))
    assert CALLS[0] == ("write", 77, [5, 0, 6, 7])


@pytest.mark.parametrize(
    ("kernel", "state", "code", "calls"),
    [(3, 77, 700, 2), (1, 99, 800, 1), (1, 98, 900, 4), (1, 0, 600, 4)],
)
def test_what_a_driver_returns_ends_the_loop(kernel: int, state: int, code: int, calls: int) -> None:
    assert by_driver(kernel, state, clears=True) == (code, Repeated(0, False, 0))
    assert len(CALLS) == calls


WITH_LOOP = [name for name, kind in REGISTRY.solvers.items() if "loop" in kind.settings]


@pytest.mark.parametrize("name", WITH_LOOP)
def test_both_loops_launch_the_same(name: str) -> None:
    """The same answer in as many iterations, with as many launches, each of which is timed."""
    found, query = grid(9, 7), Query(62, 3)  # against the order in which the threads run
    outcomes = []
    for way in ("c++", "python"):
        with EmulatedDevice() as device:
            solver = make(f"{name}:block_size=8,loop={way}", device)
            solver.setup(found)
            solver.upload(query)
            with device.timing_kernels() as timer:
                iterations = solver.solve(query)
            outcomes.append((iterations, len(timer.brackets), solver.download().tolist()))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][1] >= outcomes[0][0] > 1


@pytest.mark.parametrize("name", WITH_LOOP)
def test_python_repeats_nothing_unless_it_is_asked_to(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(loop: HostLoop, device: Device) -> Repeated:
        raise AssertionError("a loop in Python")

    monkeypatch.setattr(HostLoop, "in_python", refuse)
    with EmulatedDevice() as device:
        assert solved(name, grid(9, 7), Query(0, 50), device)
        with pytest.raises(AssertionError, match="in Python"):
            solved(f"{name}:loop=python", grid(9, 7), Query(0, 50), device)


def test_the_device_searches_a_mask_no_further_than_to_a_masked_vertex() -> None:
    """Of parts of 8, 16 and 16 vertices: five iterations find one in the first part, the last in none."""
    one_way = graph(40, [(u + 1, u, 1) for u in range(5)])  # against the order in which the threads run
    with EmulatedDevice() as device:
        solver = make("sssp/gpu-search:block_size=8", device)
        solver.setup(one_way)
        solver.upload(Query(5))
        with device.timing_kernels() as timer:
            assert solver.solve(Query(5)) == 6
    assert len(timer.brackets) == 6 + 5 + 3
