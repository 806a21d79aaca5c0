"""The arcs that enter each vertex, made on a device."""

import numpy as np
import pytest
from hypothesis import given, settings

from cuda_device.interface import Device
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, random_graphs, two_level_star
from retrace.graphs.csr import CSRGraph
from retrace_today.reversed_arcs import ReversedArcs
from schedules import seeds
from solving import DEVICES, open_device
from test_races import RACING

NONE = CSRGraph(np.zeros(4, np.int32), np.zeros(0, np.int32), None, {"name": "none"})


def check(graph: CSRGraph, device: Device) -> None:
    """Compare with the transposed matrix; sorted, the arcs that enter a vertex have its order."""
    reverse = ReversedArcs(device)
    ends, tails = reverse.of(device.upload(graph.indptr), device.upload(graph.indices))
    found = CSRGraph(device.download(ends), device.download(tails), None, {"name": "reversed"})
    expected = CSRGraph(graph.indptr, graph.indices, None, {"name": graph.name}).reversed()
    assert np.array_equal(found.indptr, expected.indptr)
    for v in range(graph.vertices):
        row = slice(found.indptr[v], found.indptr[v + 1])
        assert sorted(found.indices[row]) == sorted(expected.indices[row])
    assert reverse.count_entered(ends) == len(np.unique(graph.indices))
    reverse.sort(ends, tails)
    assert np.array_equal(device.download(tails), expected.indices)


@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize("graph", [*NAMED.values(), *RACING.values(), two_level_star(3, 300), NONE])
def test_arcs_are_those_of_the_transposed_matrix(graph: CSRGraph, backend: str) -> None:
    for seed in (None, *seeds(10)) if backend == "emulator" else (None,):
        with open_device(backend, seed) as device:
            check(graph, device)


@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize("length", [*range(1, 35), 63, 64, 65, 1023, 1024, 1025, 2047, 2048, 2049, 3000])
def test_a_row_of_any_length_is_sorted(length: int, backend: str) -> None:
    """A warp sorts up to 1,024 numbers, a block more; the rows of others stay as they are."""
    row = np.random.default_rng(length).permutation(length).astype(np.int32)
    ends = np.array([0, 2, 2 + length, 4 + length], np.int32)
    with open_device(backend, length) as device:
        tails = device.upload(np.concatenate([[7, 9], row, [1, 8]]).astype(np.int32))
        ReversedArcs(device).sort(device.upload(ends), tails)
        assert np.array_equal(device.download(tails), [7, 9, *range(length), 1, 8])


@pytest.mark.parametrize("backend", DEVICES)
def test_one_block_has_many_long_rows(backend: str) -> None:
    """More than a list of each lane's would hold, of warps that name theirs at the same time."""
    rows, length = 64, 1025
    random = np.random.default_rng(1)
    mixed = np.concatenate([random.permutation(length) for _ in range(rows)]).astype(np.int32)
    ends = np.arange(0, length * (rows + 1), length, np.int32)
    for seed in range(4):
        with open_device(backend, seed) as device:
            tails = device.upload(mixed)
            ReversedArcs(device).sort(device.upload(ends), tails)
            assert np.array_equal(device.download(tails), np.tile(np.arange(length), rows))


@given(graph=random_graphs(700))
@settings(max_examples=30, deadline=None)
def test_arcs_of_random_graphs(graph: CSRGraph) -> None:
    with EmulatedDevice() as device:
        check(graph, device)
