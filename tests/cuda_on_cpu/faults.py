"""Which faults the emulator finds, in which of its modes: the table of docs/testing.md.

python tests/cuda_on_cpu/faults.py [KEY ...]

Writes the table, or prints the lines of some cases. A case is a small launch with one fault. It is found
where the answer is wrong, or where an error says so. The last cases have no fault: "yes" would be a false
alarm.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from running import run_program

from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedBuffer, EmulatedDevice, debug_environment

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "testing.md"
SEEDS = 200
MODES = "plain", "seeded", "debug"

Case = Callable[[EmulatedDevice], bool]
CASES: dict[str, tuple[str, Case]] = {}
"""What a fault is called in the table, and what returns whether it is found; by its key."""


def case(key: str, name: str) -> Callable[[Case], Case]:
    """Add a case to the table."""

    def add(run: Case) -> Case:
        CASES[key] = name, run
        return run

    return add


def run(device: EmulatedDevice, file: str, name: str, grid: int, block: int, *given: Any, **how: Any) -> None:
    """Launch a kernel of `kernels/` and wait for its end."""
    device.load(str(HERE / "kernels" / f"{file}.cu")).kernel(name)(grid, block, *given, **how)
    device.synchronize()


def zeros(device: EmulatedDevice, size: int) -> EmulatedBuffer:
    return device.upload(np.zeros(size, np.int32))  # type: ignore[return-value]


def differ(device: EmulatedDevice, buffer: EmulatedBuffer, expected: Any) -> bool:
    return not np.array_equal(device.download(buffer), np.broadcast_to(np.int32(expected), buffer.size))


ROOM = np.zeros(1 << 16, np.int32)


def with_room(device: EmulatedDevice, size: int) -> EmulatedBuffer:
    """Make a buffer where a store outside or once it is freed harms nothing, but in a debug build."""
    if device.debug:
        return zeros(device, size)
    return device._keep(EmulatedBuffer(ROOM[1024 : 1024 + size]))


def reads(extra: int) -> Case:
    def read(device: EmulatedDevice) -> bool:
        count = zeros(device, 1)
        values = device.upload(np.arange(64, dtype=np.int32))
        given = np.int32(64), np.int32(extra), np.int32(10)
        run(device, "faults", "count_below", 2, 32, *given, values, count)
        return differ(device, count, 10)

    return read


def stores(at: int) -> Case:
    def store(device: EmulatedDevice) -> bool:
        out = with_room(device, 32)
        run(device, "faults", "store_past", 1, 32, np.int32(at), out)
        return differ(device, out, 1)

    return store


case("store", "a store one past a buffer")(stores(32))
case("store far", "a store 4 KiB past")(stores(32 + 1024))
case("read", "a read one past a buffer")(reads(1))
case("read far", "a read 4 KiB past")(reads(1024))


@case("store freed", "a store to a freed buffer")
def store_freed(device: EmulatedDevice) -> bool:
    part = with_room(device, 2048)
    parts = device.upload(np.array([part.address], np.uint64))
    del part
    run(device, "faults", "store_through", 1, 32, parts)
    return False


@case("read freed", "a read of a freed buffer")
def read_freed(device: EmulatedDevice) -> bool:
    part = with_room(device, 2048)
    parts, out = device.upload(np.array([part.address], np.uint64)), zeros(device, 32)
    del part
    run(device, "faults", "read_through", 1, 32, parts, out)
    return differ(device, out, 0)


@case("store shared", "a store one past a shared array")
def store_shared(device: EmulatedDevice) -> bool:
    out = zeros(device, 32)
    run(device, "faults", "shared_store", 1, 32, np.int32(32), out)
    return differ(device, out, 1)


@case("read shared", "a read one past a shared array")
def read_shared(device: EmulatedDevice) -> bool:
    out = zeros(device, 32)
    run(device, "faults", "shared_sum", 1, 32, np.int32(1), out)
    return differ(device, out, 32)


@case("misaligned", "a misaligned access")
def misaligned(device: EmulatedDevice) -> bool:
    run(device, "failing", "misaligned", 1, 1, zeros(device, 4))
    return False


@case("another device", "a buffer of another device")
def another_device(device: EmulatedDevice) -> bool:
    with EmulatedDevice(device.seed, device.debug) as other:
        values, out = other.upload(np.arange(32, dtype=np.int32)), zeros(device, 32)
        run(device, "faults", "copy", 1, 32, values, out)
        return differ(device, out, np.arange(32))


@case("unwritten memory", "a buffer read before it is written")
def unwritten_memory(device: EmulatedDevice) -> bool:
    out = zeros(device, 32)
    run(device, "faults", "copy", 1, 32, device.empty(32, np.int32), out)
    return differ(device, out, 0)


@case("unwritten shared", "shared memory read before it is written")
def unwritten_shared(device: EmulatedDevice) -> bool:
    out = zeros(device, 32)
    run(device, "faults", "shared_unwritten", 1, 1, out)
    return differ(device, out, 0)


def unwritten_local(kernel: str) -> Case:
    def use(device: EmulatedDevice) -> bool:
        out, values = zeros(device, 1), device.upload(np.ones(8, np.int32))
        run(device, "faults", kernel, 1, 1, np.int32(8), values, out)
        return differ(device, out, 8)

    return use


case("unwritten register", "a register read before it is written")(unwritten_local("register_unwritten"))
case("unwritten array", "a local array read before it is written")(unwritten_local("array_unwritten"))


@case("lost updates", "two threads that add to a number")
def lost_updates(device: EmulatedDevice) -> bool:
    total = zeros(device, 1)
    run(device, "races", "lost_updates", 4, 8, total)
    return differ(device, total, 32)


@case("order", "threads that need an order")
def order(device: EmulatedDevice) -> bool:
    values = device.upload(np.ones(64, np.int32))
    run(device, "races", "prefix_in_order", 1, 64, np.int32(64), values)
    return differ(device, values, np.arange(1, 65))


@case("barrier", "a missing barrier")
def missing_barrier(device: EmulatedDevice) -> bool:
    out = zeros(device, 128)
    run(device, "races", "missing_barrier", 2, 64, out)
    return differ(device, out, (100 * np.arange(2)[:, np.newaxis] + np.roll(np.arange(64), 1)).ravel())


FENCES = {
    "last_block": ("a sum by the last block, without a fence", 4, 32),
    "last_thread": ("a sum by the last thread, without a fence", 4, 1),
    "told_by_one": ("stores, barrier, one thread's atomic, no fence", 2, 32),
    "handshake": ("a handshake without fences", 2, 1),
    "block_fence": ("a fence for the block alone", 2, 32),
}
"""Kernels of `memory_order.cu`: what is wrong without their fences, and their grids and blocks."""


def fenced(kernel: str, fence: bool) -> Case:
    """Return a case: a thread has read less than the 42 that others stored, or a store was late for ever."""
    _, grid, block = FENCES[kernel]
    stored = {"last_block": grid * block, "last_thread": grid, "handshake": 1}.get(kernel, block)

    def passes(device: EmulatedDevice) -> bool:
        values, flags, taken = zeros(device, grid * block), zeros(device, 2), zeros(device, 1)
        device.fill(taken, 2**31 - 1)
        given = np.bool_(fence), values, flags, taken
        run(device, "memory_order", kernel, grid, block, *given, cooperative=True)
        lost = bool(device.download(values)[:stored].min() < 40)
        return lost or differ(device, taken, 42)

    return passes


for kernel, (name, *_) in FENCES.items():
    case(kernel, name)(fenced(kernel, False))


@case("message", "64 stores, each before a flag, without fences")
def message(device: EmulatedDevice) -> bool:
    values, flags, taken = (zeros(device, 64) for _ in range(3))
    device.fill(taken, 42)
    run(device, "races", "without_fence", 2, 1, np.int32(64), values, flags, taken)
    return differ(device, taken, 42)


@case("read only", "`__ldg` of what the kernel writes")
def read_only(device: EmulatedDevice) -> bool:
    out, values = zeros(device, 32), device.upload(np.ones(32, np.int32))
    run(device, "faults", "read_only", 2, 32, values, out)
    return differ(device, out, 1)


@case("copy", "a copy that the host does not wait for")
def copy(device: EmulatedDevice) -> bool:
    stream, back = device.stream(), np.zeros(4, np.int32)
    device.read(device.upload(np.full(4, 7, np.int32)), back, stream)
    return back.tolist() != [7] * 4


@case("streams", "two streams without an event")
def two_streams(device: EmulatedDevice) -> bool:
    values, out = zeros(device, 32), zeros(device, 32)
    module = device.load(str(HERE / "kernels" / "faults.cu"))
    module.kernel("fill")(1, 32, np.int32(1), values, stream=device.stream())
    module.kernel("copy")(1, 32, values, out, stream=device.stream())
    device.synchronize()
    return differ(device, out, 1)


@case("both branches", "a warp operation of all lanes in two branches (allowed from 7.0)")
def both_branches(device: EmulatedDevice) -> bool:
    out = zeros(device, 32)
    run(device, "faults", "both_branches", 1, 32, out)
    return differ(device, out, np.arange(32) ^ 16)


@case("deadlock", "barriers that not all threads reach")
def deadlock(device: EmulatedDevice) -> bool:
    run(device, "barriers", "deadlock", 1, 32, zeros(device, 32))
    return False


@case("endless", "an endless loop")
def endless(device: EmulatedDevice) -> bool:
    device.patience = 0.02
    run(device, "failing", "spins", 1, 32, zeros(device, 3))
    return False


@case("too many", "5,000 cooperative blocks")
def too_many(device: EmulatedDevice) -> bool:
    run(device, "clusters", "grid_round", 5000, 32, zeros(device, 5000 * 32), cooperative=True)
    return False


@case("right: many", "right: 512 cooperative blocks")
def many(device: EmulatedDevice) -> bool:
    out = zeros(device, 512 * 32)
    run(device, "clusters", "grid_round", 512, 32, out, cooperative=True)
    return differ(device, out, 1)


@case("right: later", "right: a thread waits for a later one")
def later(device: EmulatedDevice) -> bool:
    device.patience, flags = 2, zeros(device, 8)
    run(device, "spinning", "for_a_later_thread", 1, 8, flags)
    return differ(device, flags, np.arange(1, 9))


@case("right: own barrier", "right: a barrier of the grid by hand")
def own_barrier(device: EmulatedDevice) -> bool:
    device.patience, wrong = 2, zeros(device, 1)
    arrived, values = zeros(device, 1), zeros(device, 3)
    run(device, "spinning", "own_barrier", 3, 64, np.int32(2), arrived, values, wrong, cooperative=True)
    return differ(device, wrong, 0)


@case("right: another block", "right: shared memory of another block of the cluster")
def another_block(device: EmulatedDevice) -> bool:
    out = zeros(device, 2)
    run(device, "faults", "from_other_block", 2, 1, out)
    return differ(device, out, [1, 0])


@case("right: pointers", "right: a buffer whose address is in memory")
def pointers(device: EmulatedDevice) -> bool:
    part = zeros(device, 2048)
    parts = device.upload(np.array([part.address], np.uint64))
    run(device, "faults", "store_through", 1, 32, parts)
    return differ(device, part, (np.arange(2048) - 256) // 32 == 0)


@case("right: fences", "right: fences where they belong")
def fences(device: EmulatedDevice) -> bool:
    return any(fenced(kernel, True)(device) for kernel in FENCES)


def is_found(key: str, seed: int | None, debug: bool = False) -> bool:
    """Run a case, and say whether its answer is wrong or an error stops it."""
    with EmulatedDevice(seed, debug, patience=5) as device:
        try:
            return CASES[key][1](device)
        except OneLineError:
            return True


PROGRAM = f"""
import os, sys
sys.path.insert(0, {str(HERE)!r})
import faults
seeds, debug, *keys = sys.argv[1:]
for key in keys:
    if not os.fork():
        try:
            count = sum(faults.is_found(key, seed, debug == "debug") for seed in range(int(seeds)) or [None])
        except BaseException:
            os.abort()
        os._exit(count)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""
"""Each case has a process of its own: the debug build ends it with the status 1 where it finds a fault."""


def times_found(keys: Iterable[str], seeds: int = 0, mode: str = "plain") -> list[int]:
    """Count for each case the seeds that find it, or 1 without a seed; less than 0 if the emulator dies."""
    variables = debug_environment() if mode == "debug" else {}
    done = run_program(PROGRAM, seeds, mode, *keys, **variables)
    return [int(count) for count in done.stdout.split()]


def rows(keys: Iterable[str]) -> list[list[str]]:
    """Return what the table says of each case: its name, and what each mode finds."""
    with ThreadPoolExecutor() as pool:
        counts = pool.map(lambda mode: times_found(keys, SEEDS * (mode == "seeded"), mode), MODES)
    texts = [
        [{0: "no", most: "yes"}.get(count, f"{count} of {most}" if count > 0 else "dies") for count in column]
        for column, most in zip(counts, (1, SEEDS, 1), strict=True)
    ]
    return [[CASES[key][0], *found] for key, *found in zip(keys, *texts, strict=True)]


def write_table() -> None:
    """Write the table of all cases into docs/testing.md."""
    lines = [["fault", *MODES], ["---"] * 4, *rows(CASES)]
    table = "".join(f"|{'|'.join(line)}|\n" for line in lines)
    pattern = re.compile(r"(<!-- made by `[^`]*faults.py` -->\n).*?(<!-- end -->)", re.DOTALL)
    PAGE.write_text(pattern.sub(rf"\1{table}\2", PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        for line in rows(sys.argv[1:]):
            print("|".join(line))
    else:
        write_table()
