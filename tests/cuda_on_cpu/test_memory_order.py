"""Late stores: what a fence, a barrier of a block or the end of a block makes visible, and to whom."""

import pytest
from faults import FENCES, SEEDS, fenced

from cuda_on_cpu.device import EmulatedDevice


def times_wrong(kernel: str, fence: bool) -> int:
    """Count the seeds under which a kernel of `memory_order.cu` misses what others stored."""
    wrong = 0
    for seed in range(SEEDS):
        with EmulatedDevice(seed, patience=5) as device:
            wrong += fenced(kernel, fence)(device)
    return wrong


@pytest.mark.parametrize("kernel", FENCES)
def test_a_missing_fence_shows_in_half_of_the_seeds(kernel: str) -> None:
    assert times_wrong(kernel, False) >= SEEDS // 2


@pytest.mark.parametrize("kernel", FENCES)
def test_with_its_fence_a_kernel_is_right_under_every_seed(kernel: str) -> None:
    assert times_wrong(kernel, True) == 0
