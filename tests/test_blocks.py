"""Blocks whose threads work together, as kernels of one block a source do, on every backend there is."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csgraph, csr_array

from cuda_device.interface import Device, Module
from graphs import NAMED
from solving import require_clusters

SOURCE = str(Path(__file__).parent / "cuda_on_cpu/kernels/blocks.cu")
CLUSTERS = str(Path(__file__).parent / "cuda_on_cpu/kernels/clusters.cu")
GRIDS = str(Path(__file__).parent / "cuda_on_cpu/kernels/grids.cu")
LIMITS = np.dtype([("levels", "i4"), ("weight", "f4")])


def load(device: Device, levels: int = 1000) -> Module:
    module = device.load(SOURCE)
    module.write_symbol("limits", np.array([(levels, 0.5)], LIMITS))
    module.write_symbol("factors", np.array([9, 0.25, 9]))
    return module


@pytest.mark.parametrize("name", ["path", "star", "grid", "two components"])
@pytest.mark.parametrize("most", [1000, 7])
def test_a_block_searches_level_by_level_within_a_constant(device: Device, name: str, most: int) -> None:
    graph = NAMED[name]
    sources = np.arange(min(3, graph.vertices))
    level = device.empty(sources.size * graph.vertices, np.int32)
    arrays = device.upload(graph.indptr), device.upload(graph.indices), level
    load(device, most).kernel("levels")(sources.size, 1024, np.int32(graph.vertices), *arrays)
    arcs = csr_array((np.ones(graph.arcs), graph.indices, graph.indptr), shape=2 * (graph.vertices,))
    expected = csgraph.shortest_path(arcs, indices=sources)
    found = device.download(level).reshape(sources.size, -1)
    assert np.array_equal(found, np.where(expected > most, -1, expected))


@pytest.mark.parametrize("block", [96, 1024])
def test_floating_sums_in_shared_memory(device: Device, block: int) -> None:
    values = np.arange(5000, dtype=np.int32) % 17
    total, weighted = device.upload(np.zeros(1)), device.upload(np.zeros(1, np.float32))
    most = device.upload(np.full(1, -1, np.int32))
    load(device).kernel("sums")(
        3, block, np.int32(values.size), device.upload(values), total, weighted, most, shared=16
    )
    assert device.download(total).tolist() == [values.sum() / 4]
    assert device.download(weighted).tolist() == [values.sum() / 2]
    assert device.download(most).tolist() == [16]


@pytest.mark.parametrize("block", [32, 224, 1024])
def test_prefix_sum_of_a_block(device: Device, block: int) -> None:
    values = np.arange(block) % 11 + 0.5
    out = device.empty(block, np.float64)
    load(device).kernel("prefix_sum")(1, block, device.upload(values), out)
    assert np.array_equal(device.download(out), np.cumsum(values))


def test_vector_loads(device: Device) -> None:
    out = device.empty(8, np.float64)
    load(device).kernel("vector_loads")(1, 1, device.upload(np.arange(1, 9, dtype=np.int32)), out)
    assert device.download(out).tolist() == [3, 4, 11, 15, 5, 14.5, 2**40 + 4, 2.0**63]


def test_functions_of_floating_numbers(device: Device) -> None:
    out = device.empty(3, np.float64)
    load(device).kernel("floating")(1, 1, np.float64(1.5), out)
    assert device.download(out).tolist() == [11, 4.5, 7]


@pytest.mark.parametrize(("blocks", "rounds"), [(1, 3), (7, 3)])
def test_a_grid_waits_for_all_its_blocks(device: Device, blocks: int, rounds: int) -> None:
    values, out = device.empty(blocks, np.int32), device.empty(32 * blocks, np.int32)
    device.load(GRIDS).kernel("pass_on")(blocks, 32, np.int32(rounds), values, out, cooperative=True)
    assert device.download(out).tolist() == np.repeat((np.arange(blocks) + rounds) % blocks, 32).tolist()


def test_a_launch_may_be_packed_once(device: Device) -> None:
    kernel, outs = device.load(GRIDS).kernel("pass_on"), [device.empty(64, np.int32) for _ in range(2)]
    values = device.empty(2, np.int32)
    launches = [
        kernel.with_arguments(2, 32, np.int32(rounds), values, out) for rounds, out in enumerate(outs, 1)
    ]
    for launch in (*launches, *launches):
        launch()
    for rounds, out in enumerate(outs, 1):
        assert device.download(out).tolist() == np.repeat((np.arange(2) + rounds) % 2, 32).tolist()


@pytest.mark.parametrize(("clusters", "size"), [(1, 1), (3, 2), (2, 8), (2, 16)])
def test_blocks_of_a_cluster_reach_each_others_memory(device: Device, clusters: int, size: int) -> None:
    require_clusters(device, size)
    out = device.empty(32 * clusters * size, np.int32)
    device.load(CLUSTERS).kernel("neighbours")(clusters * size, 32, out, cluster=size)
    block = np.arange(clusters * size).reshape(clusters, size)
    expected = 100 * np.roll(block, -1, axis=1).reshape(-1, 1) + np.arange(31, -1, -1)
    assert np.array_equal(device.download(out), expected.ravel())


def test_a_kernel_may_have_clusters_of_its_own(device: Device) -> None:
    require_clusters(device, 2)
    kernel, out = device.load(CLUSTERS).kernel("pairs"), device.empty(4, np.int32)
    kernel(4, 32, out)
    assert device.download(out).tolist() == [20, 21, 20, 21]
