"""Late stores: what a fence, a barrier of a block or the end of a block makes visible, and to whom."""

from pathlib import Path

import numpy as np
import pytest

from cuda_on_cpu.device import EmulatedDevice

KERNELS = str(Path(__file__).parent / "kernels" / "memory_order.cu")
SIZES = {"last_block": (4, 32), "last_thread": (4, 1), "told_by_one": (2, 32), "handshake": (2, 1),
         "block_fence": (2, 32)}  # fmt: skip
SEEDS = 200


def least_taken(kernel: str, fence: bool, seed: int) -> int:
    """The least that a kernel of `memory_order.cu` has read of what others stored, all of it at least 42."""
    grid, block = SIZES[kernel]
    with EmulatedDevice(seed, patience=5) as device:
        values, flags = device.upload(np.zeros(grid * block, np.int32)), device.upload(np.zeros(2, np.int32))
        taken = device.upload(np.full(1, 2**31 - 1, np.int32))
        device.load(KERNELS).kernel(kernel)(grid, block, np.bool_(fence), values, flags, taken)
        stored = {"last_block": grid * block, "last_thread": grid, "handshake": 1}.get(kernel, block)
        assert device.download(values)[:stored].min() >= 40  # no store is late for ever
        return int(device.download(taken)[0])


@pytest.mark.parametrize("kernel", SIZES)
def test_a_missing_fence_shows_in_half_of_the_seeds(kernel: str) -> None:
    stale = sum(least_taken(kernel, False, seed) < 42 for seed in range(SEEDS))
    assert stale >= SEEDS // 2


@pytest.mark.parametrize("kernel", SIZES)
def test_with_its_fence_a_kernel_is_right_under_every_seed(kernel: str) -> None:
    assert {least_taken(kernel, True, seed) for seed in range(SEEDS)} == {42}
