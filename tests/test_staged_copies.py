"""Copies by way of page-locked memory, with a driver that reads it as late as a GPU may."""

from __future__ import annotations

import ctypes
import threading
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

from cuda_device import staged_copies
from cuda_device.staged_copies import (
    CALL_COPY,
    CALL_RECORD,
    CALL_USE,
    CALL_WAIT_FOR,
    SLOTS,
    Calls,
    StagedCopies,
)

CONTEXT = 77
INVALID_VALUE = 1


class LateDriver:
    """Copies what was queued before an event when somebody waits for the event, and not before."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.lock, self.calls, self.fails_at = threading.Lock(), count(), fails_at
        self.queued: list[tuple[int, int, int]] = []
        self.copied = 0
        self.recorded: dict[int, int] = {}
        self.users = 0
        calls = (CALL_USE, self.use), (CALL_COPY, self.copy), (CALL_RECORD, self.record)
        self.functions = Calls(*(kind(work) for kind, work in (*calls, (CALL_WAIT_FOR, self.wait))))

    def fails(self) -> int:
        return INVALID_VALUE if next(self.calls) == self.fails_at else 0

    def use(self, context: int) -> int:
        assert context == CONTEXT
        with self.lock:
            self.users += 1
        return self.fails()

    def copy(self, to: int, memory: int, nbytes: int, stream: int | None) -> int:
        assert stream is None
        with self.lock:
            self.queued.append((to, memory, nbytes))
        return self.fails()

    def record(self, event: int, stream: int | None) -> int:
        assert stream is None
        with self.lock:
            self.recorded[event] = len(self.queued)
        return self.fails()

    def wait(self, event: int) -> int:
        with self.lock:
            for piece in self.queued[self.copied : self.recorded[event]]:
                ctypes.memmove(*piece)
            self.copied = max(self.copied, self.recorded[event])
        return self.fails()

    def staging(self, slot_bytes: int) -> StagedCopies:
        """Return what copies by this driver."""
        events = count(1)

        def pinned(size: int, dtype: DTypeLike) -> NDArray[Any]:
            processors = staged_copies.usable_processors()
            assert size == slot_bytes * SLOTS * min(processors, staged_copies.MOST_COPIERS)
            return np.zeros(size, dtype)

        return StagedCopies(self.functions, CONTEXT, pinned, lambda: next(events), slot_bytes)


@pytest.mark.parametrize("threads", [1, 2, 3])
@settings(deadline=None)  # the C++ is compiled
@given(sizes=st.lists(st.integers(0, 300), min_size=1, max_size=4), slot_bytes=st.integers(1, 64))
def test_each_array_arrives_whole(threads: int, sizes: list[int], slot_bytes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staged_copies, "usable_processors", lambda: threads)
        driver = LateDriver()
        sent = [np.arange(7 * k, 7 * k + size).astype(np.uint8) for k, size in enumerate(sizes)]
        arrived = [np.full(size + 1, 255, np.uint8) for size in sizes]
        pairs = [(there.ctypes.data, here) for there, here in zip(arrived, sent, strict=True)]
        assert driver.staging(slot_bytes).copy(pairs) == 0
    assert driver.users == threads
    for there, here in zip(arrived, sent, strict=True):
        assert there.tolist() == [*here.tolist(), 255]


@pytest.mark.parametrize("call", range(8))
def test_a_failure_of_the_driver_is_returned(call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staged_copies, "usable_processors", lambda: 1)
    there, here = np.zeros(30, np.uint8), np.ones(30, np.uint8)
    driver = LateDriver(fails_at=call)
    assert driver.staging(10).copy([(there.ctypes.data, here)]) == INVALID_VALUE


def test_no_more_threads_than_the_memory_was_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staged_copies, "usable_processors", lambda: 64)
    sizes: list[int] = []

    def pinned(size: int, dtype: DTypeLike) -> NDArray[Any]:
        sizes.append(size)
        return np.zeros(size, dtype)

    staging = StagedCopies(LateDriver().functions, CONTEXT, pinned, lambda: 1)
    assert staging.threads == staged_copies.MOST_COPIERS
    assert sizes == [staging.threads * SLOTS * staged_copies.SLOT_BYTES]


def test_a_small_copy_starts_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [staged_copies.threads_for(mib << 20) for mib in (4, 16, 64, 256)] == [4, 5, 8, 8]
    monkeypatch.setattr(staged_copies, "usable_processors", lambda: 64)
    monkeypatch.setattr(staged_copies, "BYTES_PER_THREAD", 40)
    for sizes, users in (((30, 9), 4), ((30, 10), 5), ((400, 400), 8)):
        driver = LateDriver()
        here = [np.arange(size).astype(np.uint8) for size in sizes]
        there = [np.zeros_like(one) for one in here]
        pairs = [(to.ctypes.data, one) for to, one in zip(there, here, strict=True)]
        assert driver.staging(10).copy(pairs) == 0
        assert driver.users == users
        assert all(np.array_equal(*both) for both in zip(there, here, strict=True))
