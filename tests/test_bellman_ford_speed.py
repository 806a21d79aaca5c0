"""The two speeds that Bellman-Ford on a matrix is meant to reach, each against a copy in the same run.

Needs a GPU; `python -m pytest -s tests/test_bellman_ford_speed.py` shows the numbers. What can be turned:
`PARTS` here, `block_size` in the specs, `ROWS` in `kernels/bellman-ford/rows.cu` with `ROWS_OF_A_BLOCK` in
`retrace.solvers.bellman_ford.active_rows`.
"""

from __future__ import annotations

from copy import copy
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from cuda_device.available_gpus import cuda_available
from cuda_device.cuda import CudaDevice
from retrace.check.oracles import Oracle
from retrace.devices.matrices import matrix_bytes
from retrace.graphs.csr import Int32Array
from retrace.graphs.dense import DenseGraph
from retrace.solvers import Query, make

GRAPH = DenseGraph(20480, 20261121)
ORACLE = Oracle(GRAPH)
QUERY = Query(0)
TRIALS = 5
PARTS = 8
"""Parts of the matrix that the target is asserted for."""

MOST_OVER_COPY = 1.15
"""Most time that streams and pinned memory may take, in copies of the matrix from pinned memory."""

LEAST_OF_COPY = 0.6
"""Least share of the device's copy bandwidth, reads and writes counted, at which a full sweep must read."""


def milliseconds(device: CudaDevice, work: Any) -> float:
    """Median time of some work of the host and the device, after one that is not counted."""
    times = []
    for _ in range(TRIALS + 1):
        device.synchronize()
        device.off_clock_ms = 0.0
        begun = perf_counter()
        work()
        device.synchronize()
        times.append((perf_counter() - begun) * 1e3 - device.off_clock_ms)
    return median(times[1:])


def check(answer: Int32Array) -> None:
    result = ORACLE.check("bellman-ford/resident", QUERY, answer)
    assert result.verified, result.reason


def copy_bandwidth(device: CudaDevice) -> float:
    """Bytes a millisecond, read and written, of a copy on the device that is as large as the matrix."""
    size = matrix_bytes(GRAPH)
    one, other = (device.empty(size // 4, np.int32) for _ in range(2))
    device.fill(one, 1)
    times = []
    for _ in range(TRIALS + 1):
        start, end = device.event(), device.event()
        start.record()
        device.cuda.memcpy_dtod_async(other.address, one.address, size)
        end.record()
        end.synchronize()
        times.append(end.milliseconds_since(start))
    return 2 * size / median(times[1:])


def sweeps(device: CudaDevice, spec: str) -> list[float]:
    """Milliseconds of each launch that relaxes, of the fastest of some solves by the sum of all launches."""
    solver: Any = make(spec, device)
    solver.setup(GRAPH)
    fastest: list[float] = []
    for _ in range(TRIALS):
        solver.upload(QUERY)
        with device.timing_kernels() as timer:
            solver.solve(QUERY)
        times = [end.milliseconds_since(start) for start, end in timer.brackets]
        if not fastest or sum(times) < sum(fastest):
            fastest = times
    check(solver.download())
    rows = solver.observed()["matrix_rows"]
    relaxing = fastest[2::2] if spec.startswith("bellman-ford/resident") else fastest[1::2]
    print(f"\n{spec}: {rows:.0f} rows in launches of {', '.join(f'{time:.3f}' for time in relaxing)} ms")
    return relaxing


if cuda_available():

    @pytest.mark.gpu
    def test_streams_and_pinned_memory_end_soon_after_the_copy() -> None:
        with CudaDevice() as device:
            ratios = {}
            for parts in (2, PARTS, 32):
                set_up: Any = make(f"bellman-ford/streams-pinned:parts={parts}", device)
                set_up.setup(GRAPH)
                solved: list[Any] = []  # a copy of the solver for each trial, as when trials are measured

                def trial(set_up: Any = set_up, solved: list[Any] = solved) -> None:
                    with device.off_the_clock():  # frees what the trial before has locked
                        solved.clear()
                    solver = copy(set_up)
                    solved.append(solver)
                    solver.upload(QUERY)
                    solver.solve(QUERY)
                    solver.answer = solver.download()

                total, (solver,) = milliseconds(device, trial), solved
                check(solver.answer)
                copying = milliseconds(device, lambda of=solver: device.write(of.matrix, of.host_matrix))
                ratios[parts] = total / copying
                rows = solver.observed()["matrix_rows"]
                print(
                    f"\n{parts} parts: {total:.2f} ms, the copy {copying:.2f} ms: {ratios[parts]:.3f} times; "
                    f"{rows:.0f} of {GRAPH.vertices} rows relaxed"
                )
                del set_up, solver, solved, trial
        assert ratios[PARTS] <= MOST_OVER_COPY

    @pytest.mark.gpu
    def test_a_full_sweep_reads_as_fast_as_the_device_copies() -> None:
        with CudaDevice() as device:
            copied = copy_bandwidth(device)
            print(f"\ncopy on the device: {copied / 1e9:.2f} TB/s, read and written")
            shares = {}
            for spec in (
                "bellman-ford/dense",
                "bellman-ford/multi-edge:edges_per_thread=4",
                "bellman-ford/resident",
            ):
                full = sweeps(device, spec)[1]  # all vertices but the source fell in the first iteration
                read = matrix_bytes(GRAPH) * (GRAPH.vertices - 1) / GRAPH.vertices / full
                shares[spec] = read / copied
                print(f"full sweep: {read / 1e9:.2f} TB/s, {shares[spec]:.0%} of the copy")
        assert shares["bellman-ford/resident"] >= LEAST_OF_COPY
