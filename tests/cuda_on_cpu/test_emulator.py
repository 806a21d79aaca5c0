"""What the emulator finds in a launch: races, deadlocks, accesses out of bounds."""

import os
import platform
import re
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
from running import failing, run_program

from cuda_device.errors import OneLineError
from cuda_device.interface import Dim
from cuda_on_cpu.assembly import MAX_SHARED
from cuda_on_cpu.device import EmulatedDevice, debug_environment
from cuda_on_cpu.work_queue import EmulatedStream, WorkQueue

KERNELS = Path(__file__).parent / "kernels"
BARRIERS, RACES = str(KERNELS / "barriers.cu"), str(KERNELS / "races.cu")
BOUNDS, CLUSTERS = str(KERNELS / "bounds.cu"), str(KERNELS / "clusters.cu")
FAILING, SPINNING = str(KERNELS / "failing.cu"), str(KERNELS / "spinning.cu")
SEEDS = range(30)


def waiting(kernel: Any) -> Callable[..., None]:
    """Launch a kernel and wait for it: under a seed, its errors are found only then."""

    def launch(*given: Any, **named: Any) -> None:
        kernel(*given, **named)
        kernel.device.synchronize()

    return launch


@pytest.mark.parametrize("seed", SEEDS)
def test_a_warp_operation_is_one_step_whatever_the_schedule(seed: int) -> None:
    with EmulatedDevice(seed) as device:
        out = device.upload(np.zeros(64, np.int32))
        device.load(BARRIERS).kernel("vote_often")(1, 64, np.int32(30), out)
        assert device.download(out).tolist() == [320] * 64  # every lane votes in 10 of 30 rounds


def cheapest(seed: int | None) -> int:
    """Run the racy search for the cheapest of 40 candidates, which get ever cheaper."""
    cost = np.arange(400, 0, -10, dtype=np.int32)
    with EmulatedDevice(seed) as device:
        best, who = device.upload(np.array([10**9], np.int32)), device.upload(np.array([-1], np.int32))
        kernel = device.load(RACES).kernel("cheapest")
        kernel(5, 8, np.int32(40), device.upload(cost), best, who)
        assert device.download(best)[0] == 10
        return int(device.download(who)[0])


def test_a_race_between_atomic_and_store_shows() -> None:
    assert cheapest(None) == 39
    assert {cheapest(seed) for seed in SEEDS} > {39}


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_one_atomic_operation_on_both_is_right(seed: int | None) -> None:
    cost = np.arange(400, 0, -10, dtype=np.int32)
    with EmulatedDevice(seed) as device:
        best = device.upload(np.array([2**63], np.uint64))
        kernel = device.load(RACES).kernel("cheapest_packed")
        kernel(5, 8, np.int32(40), device.upload(cost), best)
        assert device.download(best)[0] == 10 << 32 | 39


def prefix_sums(seed: int | None, grid: int = 1, block: int = 64) -> list[int]:
    """Run prefix sums that are right only if threads run in their order."""
    with EmulatedDevice(seed) as device:
        values = device.upload(np.ones(64, np.int32))
        device.load(RACES).kernel("prefix_in_order")(grid, block, np.int32(64), values)
        found: list[int] = device.download(values).tolist()
        return found


def test_lost_updates_show() -> None:
    sums = set()
    for seed in SEEDS:
        with EmulatedDevice(seed) as device:
            total = device.upload(np.zeros(1, np.int32))
            device.load(RACES).kernel("lost_updates")(4, 8, total)
            sums.add(int(device.download(total)[0]))
    assert len(sums) > 1


def test_dependence_on_the_order_of_threads_shows() -> None:
    for seed in (None, 1, 2, 3):
        assert (prefix_sums(seed) == list(range(1, 65))) == (seed is None)


@pytest.mark.parametrize(("kernel", "stale"), [("with_fence", set()), ("without_fence", {0})])
def test_a_missing_fence_shows(kernel: str, stale: set[int]) -> None:
    """A flag that is seen before its message: 0 is read in place of 42; -1 is no flag seen."""
    found: set[int] = set()
    for seed in range(100):
        with EmulatedDevice(seed) as device:
            message, flag = (device.upload(np.zeros(64, np.int32)) for _ in range(2))
            taken = device.upload(np.full(64, -1, np.int32))
            device.load(RACES).kernel(kernel)(2, 1, np.int32(64), message, flag, taken)
            found |= set(device.download(taken).tolist())
            assert set(device.download(message).tolist()) == {42}  # no store is late for ever
    assert found == {-1, 42} | stale


def test_a_late_store_is_seen_by_its_own_thread_and_by_atomic_operations() -> None:
    times = set()
    for seed in range(100):
        with EmulatedDevice(seed) as device:
            total, flag, added = (device.upload(np.zeros(1, np.int32)) for _ in range(3))
            device.load(RACES).kernel("store_then_add")(4, 16, total, flag, added)
            times.add(int(device.download(added)[0]))
            assert device.download(total)[0] == 7 + 10 * device.download(added)[0]
    assert len(times) > 2


def test_under_a_seed_a_stream_waits_until_the_host_does() -> None:
    with EmulatedDevice(seed=1) as device:
        first, second = device.stream(), device.stream()
        host, back = np.full(4, 7, np.int32), np.zeros(4, np.int32)
        buffer = device.upload(np.zeros(4, np.int32))
        device.write(buffer, host, first)
        device.read(buffer, back, first)
        reached = device.mark(first)
        host[:] = 8  # before the copy has read it
        second.synchronize()
        assert back.tolist() == [0] * 4
        with pytest.raises(ValueError, match="not reached"):
            reached.milliseconds_since(reached)
        reached.synchronize()
        assert back.tolist() == [8] * 4
        assert reached.milliseconds_since(reached) == 0


def test_under_a_seed_the_default_stream_waits_for_the_others_and_they_for_it() -> None:
    queue, order = WorkQueue(lazy=True), []
    one, other = EmulatedStream(queue), EmulatedStream(queue)
    for name, stream in {
        "a": one,
        "b": other,
        "all": None,
        "c": one,
        "d": other,
        "e": one,
        "last": None,
    }.items():
        queue.issue(stream, partial(order.append, name))
    one.synchronize()
    assert order == ["a", "b", "all", "c", "e"]
    queue.finish()
    assert order == ["a", "b", "all", "c", "e", "d", "last"]


def test_without_a_seed_work_runs_at_once() -> None:
    with EmulatedDevice() as device:
        back = np.zeros(4, np.int32)
        device.read(device.upload(np.full(4, 7, np.int32)), back, device.stream())
        assert back.tolist() == [7] * 4


def test_the_host_cannot_read_device_memory_without_a_copy() -> None:
    with EmulatedDevice() as device:
        buffer = device.upload(np.arange(4))
        for read in (partial(np.array, dtype=np.int32), list, len, memoryview, lambda found: found[0]):
            with pytest.raises(TypeError):
                read(buffer)


def turned_round(blocks: int) -> Any:
    """What the kernels with and without a barrier are meant to write."""
    return (100 * np.arange(blocks)[:, np.newaxis] + np.roll(np.arange(64), 1)).ravel()


@pytest.mark.parametrize("seed", [None, *SEEDS])
def test_a_missing_barrier_shows(seed: int | None) -> None:
    with EmulatedDevice(seed) as device:
        module, out = device.load(RACES), device.empty(8 * 64, np.int32)
        module.kernel("with_barrier")(8, 64, out)
        assert np.array_equal(device.download(out), turned_round(8))
        module.kernel("missing_barrier")(8, 64, out)
        assert not np.array_equal(device.download(out), turned_round(8))


def test_a_seed_decides_everything() -> None:
    assert prefix_sums(5, 4, 16) == prefix_sums(5, 4, 16) != prefix_sums(6, 4, 16)


def test_new_memory_is_poisoned() -> None:
    with EmulatedDevice() as device:
        assert (device.download(device.empty(5, np.uint8)) == 0xCD).all()


@pytest.mark.parametrize("blocks", [1, 127, 128, 129, 5000])
def test_blocks_on_several_threads_of_the_system(blocks: int) -> None:
    with EmulatedDevice() as device:
        out = device.empty(blocks * 64, np.int32)
        device.load(RACES).kernel("with_barrier")(blocks, 64, out)
        assert np.array_equal(device.download(out), turned_round(blocks))


def test_the_environment_is_left_alone() -> None:
    program = "import os; from cuda_on_cpu.device import EmulatedDevice\n"
    program += "os.environ.pop('OMP_WAIT_POLICY', None)\nbefore = dict(os.environ)\n"
    program += f"with EmulatedDevice() as device: device.load({RACES!r})\n"
    program += "assert os.environ == before"
    assert run_program(program).returncode == 0


def test_a_fork_amid_another_threads_launches_can_launch() -> None:
    stop = Event()

    def launch() -> None:
        with EmulatedDevice() as device:
            kernel, out = device.load(CLUSTERS).kernel("pairs"), device.empty(2, np.int32)
            while not stop.is_set():
                kernel(2, 32, out)

    with EmulatedDevice() as device:
        kernel, out = device.load(CLUSTERS).kernel("pairs"), device.empty(2, np.int32)
        kernel(2, 32, out)
        thread = Thread(target=launch)
        thread.start()
        try:
            for _ in range(12):
                child = os.fork()
                if child == 0:
                    signal.alarm(20)
                    kernel(2, 32, out)
                    os._exit(0)
                assert os.waitpid(child, 0)[1] == 0
        finally:
            stop.set()
            thread.join()


def test_a_forked_process_can_launch_as_well() -> None:
    with EmulatedDevice() as device:
        kernel = device.load(RACES).kernel("with_barrier")
        out = device.empty(400 * 64, np.int32)
        kernel(400, 64, out)
        child = os.fork()
        if child == 0:
            try:
                device.fill(out, 0)
                kernel(400, 64, out)
                os._exit(int(device.download(out)[-1] != 39962))
            finally:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("blocks", [1, 40, 400])
def test_a_deadlock_is_an_error(seed: int | None, blocks: int) -> None:
    with EmulatedDevice(seed) as device:
        module, out = device.load(BARRIERS), device.empty(32, np.int32)
        told = failing(waiting(module.kernel("deadlock")), blocks, 32, out)
        assert re.fullmatch(
            r"kernel deadlock: deadlock in block \(\d+, 0, 0\): thread \(\d+, 0, 0\) waits at __syncthreads, "
            r"thread \(\d+, 0, 0\) at a warp operation with mask 0xffffffff; not all .* arrive there",
            told,
        )
        module.kernel("two_groups")(1, 32, out)  # and the device goes on working
        assert device.download(out)[0] == 32016


ON_AARCH64 = platform.machine() == "aarch64"
"""Where the least integer divided by -1 is the least integer, and no fault."""
FAILING_KERNELS = (
    ("far", r"an access to the invalid address 0x\w+, in block \(0, 0, 0\), thread \(3, 0, 0\)"),
    ("divides", r"an integer is divided by zero, at failing.cu:\d+, in block .*, thread"),
    *[("divides_the_least", "the least integer is divided by -1, in block")][ON_AARCH64:],
    ("spins", r"no thread has ended and no barrier was passed for 0.3 s of processor time, in .*, thread"),
    ("sleeps", "no thread has ended and no barrier was passed for 0.3 s"),
    ("shifts", r"a shift by 32 bits or more than the number has, at failing.cu:\d+, in block .*, thread"),
    ("converts", r"a floating-point number is converted to an integer type that cannot hold it \(int\(x\)"),
)  # fmt: skip
MISALIGNED = r"the address \d+ is not a multiple of 8{}, in block"
REFUSED = [
    *((seed, *one) for seed in (None, 1) for one in FAILING_KERNELS),
    (None, "misaligned", MISALIGNED.format(r", at failing.cu:\d+")),
    (1, "misaligned", MISALIGNED.format(r" \(without a seed, its line is told\)")),
]


def test_the_stacks_of_a_launch_that_fails_serve_the_next() -> None:
    """Else a process that goes on after errors runs out of memory."""

    def fail_often() -> int:
        for _ in range(20):
            with EmulatedDevice() as device:
                out = device.upload(np.array([0, 0, 5], np.int32))
                failing(device.load(FAILING).kernel("divides"), 1, 64, out)
        return len(Path("/proc/self/maps").read_text().splitlines())

    assert fail_often() + 20 > fail_often()


@pytest.mark.parametrize(("seed", "kernel", "message"), REFUSED)
def test_what_a_gpu_would_not_survive(seed: int | None, kernel: str, message: str) -> None:
    with EmulatedDevice(seed, patience=0.3) as device:
        out, module = device.upload(np.array([0, 0, 5], np.int32)), device.load(FAILING)
        for _ in range(2):  # and the device goes on working
            assert re.search(
                f"^kernel {kernel}: {message}", failing(waiting(module.kernel(kernel)), 1, 32, out)
            )


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("kernel", ["spins", "sleeps"])
def test_patience_is_of_processor_time_and_ends_before_twice_of_it(seed: int | None, kernel: str) -> None:
    with EmulatedDevice(seed, patience=0.4) as device:
        launch, out = waiting(device.load(FAILING).kernel(kernel)), device.upload(np.zeros(3, np.int32))
        begin = time.thread_time()
        failing(launch, 1, 32, out)
        assert 0.4 <= time.thread_time() - begin < 0.8


@pytest.mark.parametrize("seed", [None, 1])
def test_a_long_kernel_that_passes_barriers_is_not_ended(seed: int | None) -> None:
    with EmulatedDevice(seed, patience=0.2) as device:
        kernel, out = waiting(device.load(SPINNING).kernel("works")), device.empty(1, np.int32)
        begin, rounds = time.thread_time(), 8
        while time.thread_time() - begin < 0.8:
            kernel(1, 1, np.int32(rounds := 2 * rounds), out)
        assert device.download(out)[0] == rounds


def test_after_an_endless_loop_a_kernel_with_a_barrier_runs() -> None:
    with EmulatedDevice(patience=0.3) as device:
        assert "no thread has ended" in failing(
            device.load(FAILING).kernel("spins"), 1, 32, device.upload(np.zeros(3, np.int32))
        )
        out = device.empty(64, np.int32)
        device.load(RACES).kernel("with_barrier")(1, 64, out)
        assert np.array_equal(device.download(out), turned_round(1))


@pytest.mark.parametrize("seed", [None, 1])
def test_threads_that_spin_until_later_ones_act(seed: int | None) -> None:
    with EmulatedDevice(seed, patience=5) as device:
        module, flags = device.load(SPINNING), device.upload(np.zeros(8, np.int32))
        module.kernel("for_a_later_thread")(1, 8, flags)
        assert device.download(flags).tolist() == [*range(1, 9)]
        arrived, values, wrong = (device.upload(np.zeros(3, np.int32)) for _ in range(3))
        module.kernel("own_barrier")(3, 64, np.int32(2), arrived, values, wrong, cooperative=True)
        assert (device.download(arrived)[0], device.download(wrong)[0]) == (12, 0)


def test_the_clock_interrupts_no_warp_operation() -> None:
    with EmulatedDevice() as device:
        out = device.empty(64, np.int32)
        device.load(SPINNING).kernel("votes")(1, 64, np.int32(200_000), out)
        assert set(device.download(out).tolist()) == {3_200_000}


@pytest.mark.parametrize("seed", [None, 1])
def test_blocks_that_wait_for_each_other_need_a_cooperative_launch(seed: int | None) -> None:
    with EmulatedDevice(seed, patience=0.3) as device:
        arguments = (np.int32(1), *(device.upload(np.zeros(6, np.int32)) for _ in range(3)))
        told = failing(waiting(device.load(SPINNING).kernel("own_barrier")), 6, 32, *arguments)
        assert "(blocks that wait for each other need a cooperative launch), in block" in told


def test_a_launch_beyond_its_bounds() -> None:
    with EmulatedDevice() as device:
        kernel, out = device.load(FAILING).kernel("bounded"), device.empty(1, np.int32)
        kernel(1, 64, out)
        told = failing(kernel, 1, 65, out)
        assert told == "kernel bounded: 65 threads per block, more than its __launch_bounds__(64)"


def test_static_and_dynamic_shared_memory_have_one_limit() -> None:
    with EmulatedDevice() as device:
        kernel, out = device.load(BOUNDS).kernel("outside_static"), device.empty(1, np.int32)
        kernel(1, 32, np.int32(0), out, shared=MAX_SHARED - 256)
        told = failing(kernel, 1, 32, np.int32(0), out, shared=MAX_SHARED - 255)
        assert told.endswith(f"{MAX_SHARED + 1} bytes of shared memory, not from 0 to {MAX_SHARED}")


@pytest.mark.parametrize("seed", [None, 1])
def test_sleep_funnel_shifts_and_conversions_that_clamp(seed: int | None) -> None:
    with EmulatedDevice(seed, patience=1) as device:
        module, out = device.load(FAILING), device.upload(np.zeros(5, np.int32))
        module.kernel("wakes")(1, 32, out)
        module.kernel("clamps")(1, 1, out)
        assert device.download(out).tolist() == [0x12345678, 0x789ABCDE, 11, 1, 2**30 - 1]


@pytest.mark.parametrize(
    ("seed", "grid", "block", "message"),
    [*((seed, 5000, 32, "a cooperative launch of 5000 blocks of 32 threads; .* at most 16384 .*: launch")
       for seed in (None, 1)),
     (1, (2**14, 2**14, 2), 1, "a grid of 536870912 blocks or clusters; with a seed, .*: launch fewer")],
)  # fmt: skip
def test_a_launch_too_large_for_the_emulator_is_refused(
    seed: int | None, grid: Dim, block: int, message: str
) -> None:
    with EmulatedDevice(seed) as device:
        kernel, cooperative = device.load(CLUSTERS).kernel("grid_round"), isinstance(grid, int)
        out = device.empty(32, np.int32)
        told = failing(waiting(kernel), grid, block, out, cooperative=cooperative)
        assert re.match(f"kernel grid_round: {message}", told)
        kernel(1, 32, out, cooperative=True)
        assert device.download(out).tolist() == [1] * 32


@pytest.mark.parametrize("seed", [None, 1])
def test_a_cooperative_launch_of_as_many_threads_as_there_are_stacks(seed: int | None) -> None:
    with EmulatedDevice(seed) as device:
        out = device.empty(512 * 32, np.int32)
        device.load(CLUSTERS).kernel("grid_round")(512, 32, out, cooperative=True)
        assert (device.download(out) == 1).all()


@pytest.mark.parametrize("order", [(1024, 768, 0), (768, 0, 1024), (0, 768, 0)])
def test_os_threads_leave_each_other_stacks(order: tuple[int, ...]) -> None:
    """Of two OS threads, each waits with a cluster of 16 blocks, or one with all blocks of a grid (0)."""
    with EmulatedDevice() as device:
        module = device.load(CLUSTERS)
        for block in order:
            out = device.empty(128 * 1024, np.int32)
            if block:
                module.kernel("cluster_round")(128, block, out, cluster=16)
            else:
                module.kernel("grid_round")(16, 1024, out, cooperative=True)
            counted = device.download(out)[: 128 * block or 16 * 1024]
            assert (counted == 1).all(), block


def test_an_os_thread_that_has_ended_leaves_its_stacks() -> None:
    def of_another_thread() -> None:
        with EmulatedDevice() as device:
            out = device.empty(96 * 1024, np.int32)
            device.load(CLUSTERS).kernel("cluster_round")(96, 1024, out, cluster=12)

    with EmulatedDevice() as device:
        out, kernel = device.empty(16 * 1024, np.int32), device.load(CLUSTERS).kernel("grid_round")
        for _ in range(4):
            thread = Thread(target=of_another_thread)
            thread.start()
            thread.join()
            kernel(16, 1024, out, cooperative=True)
            assert (device.download(out) == 1).all()


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(
    ("kernel", "message"),
    [("grid_deadlock", r"deadlock in block .* waits at this_grid\(\).sync\(\); not all"),
     ("cluster_deadlock", "deadlock in block .* waits at (its cluster's barrier|this_grid)"),
     ("leaves_early", "a thread ends that has arrived at its cluster's barrier and not waited there")],
)  # fmt: skip
def test_a_barrier_that_blocks_do_not_reach(seed: int | None, kernel: str, message: str) -> None:
    with EmulatedDevice(seed) as device:
        module = device.load(CLUSTERS)
        told = failing(waiting(module.kernel(kernel)), 2, 32, cooperative=True, cluster=2)
        assert re.search(f"^kernel {kernel}: {message}", told)
        assert "needs a cooperative launch" in failing(waiting(module.kernel("grid_deadlock")), 2, 32)
        module.kernel("pairs")(2, 1024, out := device.empty(2, np.int32))
        assert device.download(out).tolist() == [20, 21]


@pytest.mark.parametrize(
    ("grid", "cluster", "message"),
    [(34, 17, "a cluster of 17 blocks, not from 1 to 16"), (3, 2, "not a multiple of its clusters'"),
     (4, 4, r"but its __cluster_dims__ are \(2, 1, 1\)")],
)  # fmt: skip
def test_clusters_that_are_refused(grid: int, cluster: int, message: str) -> None:
    with EmulatedDevice() as device:
        kernel = device.load(CLUSTERS).kernel("pairs" if cluster == 4 else "cluster_deadlock")
        arguments = (device.empty(4, np.int32),) if cluster == 4 else ()
        assert re.search(message, failing(kernel, grid, 32, *arguments, cluster=cluster))


def test_arguments_are_checked_against_the_parameters() -> None:
    with EmulatedDevice() as device:
        kernel = device.load(BARRIERS).kernel("block_sum")
        ints, floats = device.empty(4, np.int32), device.empty(4, np.float32)
        with pytest.raises(TypeError, match="block_sum takes 3 arguments, not 2"):
            kernel(1, 256, np.int32(4), ints)
        with pytest.raises(TypeError, match="block_sum, parameter 1: expected int32, not int64"):
            kernel(1, 256, np.int64(4), ints, ints)
        with pytest.raises(TypeError, match=r"block_sum, parameter 2: expected .* int32, not .* float32"):
            kernel(1, 256, np.int32(4), floats, ints)


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(
    ("kernel", "at", "place"),
    [("outside_static", 32, "past the end, at byte 128 of the 128 bytes of the shared array second"),
     ("outside_static", -1, "4 bytes before the start of the shared array second"),
     ("outside_dynamic", 8, "past the end, at byte 32 of the 32 bytes of the shared array tile"),
     ("outside_dynamic", -1, "4 bytes before the start of the shared array tile")],
)  # fmt: skip
def test_a_store_outside_shared_memory(seed: int | None, kernel: str, at: int, place: str) -> None:
    with EmulatedDevice(seed) as device:
        launch = waiting(device.load(BOUNDS).kernel(kernel))
        told = failing(launch, 4, 32, np.int32(at), device.empty(1, np.int32), shared=32)
        where = r"in block \(\d, 0, 0\)(, thread .*)?"
        assert re.fullmatch(f"kernel {kernel}: a thread stored {place}, {where}", told)


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize(
    ("to", "place"),
    [(4, "past the end, at byte 16 of the 16 bytes"), (-1, "4 bytes before the start")],
)
def test_a_store_outside_a_buffer_or_a_view(seed: int | None, to: int, place: str) -> None:
    with EmulatedDevice(seed) as device:
        kernel, values = device.load(BOUNDS).kernel("copy_one"), device.upload(np.arange(12, dtype=np.int32))
        view = device.view(values, 4, 4)
        thread = "" if seed is None else ", in block (0, 0, 0), thread (0, 0, 0)"
        for out in (device.empty(4, np.int32), device.mapped(4, np.int32)[1], view):
            told = failing(waiting(kernel), 1, 1, np.int32(to), np.int32(0), device.empty(1, np.int32), out)
            assert told == f"kernel copy_one: a thread stored {place} of parameter 4{thread}"
        assert device.download(values).tolist() == list(range(12))
        kernel(1, 1, np.int32(to), np.int32(0), values, view)  # inside the other argument
        told = failing(
            waiting(kernel), 1, 1, np.int32(to), np.int32(to), device.upload(np.zeros(4, np.int32)), view
        )
        done, parameter = ("stored", 4) if seed is None else ("read", 3)  # it copies from outside, too
        assert told == f"kernel copy_one: a thread {done} {place} of parameter {parameter}{thread}"


@pytest.mark.parametrize("seed", [None, 1])
def test_a_variable_without_a_value_has_the_same_invalid_one(seed: int | None) -> None:
    with EmulatedDevice(seed) as device:
        values, out = device.upload(np.ones(1, np.int32)), device.empty(1, np.int32)
        device.load(str(KERNELS / "faults.cu")).kernel("register_unwritten")(1, 1, np.int32(0), values, out)
        assert device.download(out).tobytes() == b"\xfe" * 4


def test_under_a_seed_an_access_far_outside_names_the_buffer_beside_it() -> None:
    with EmulatedDevice(1) as device:
        kernel = waiting(device.load(str(KERNELS / "faults.cu")).kernel("store_past"))
        told = failing(kernel, 1, 32, np.int32(1056), device.empty(32, np.int32))
        assert "stored past the end, at byte 4224 of the 128 bytes of parameter 2, in block" in told


def test_what_is_read_outside_a_buffer_or_uninitialised_is_invalid() -> None:
    with EmulatedDevice() as device:
        module, values = device.load(BOUNDS), device.upload(np.zeros(12, np.int32))
        out = device.empty(100, np.int32)
        for buffer in (device.upload(np.zeros(4, np.int32)), device.view(values, 4, 4)):
            for beyond in (-1, 4):
                module.kernel("copy_one")(1, 1, np.int32(0), np.int32(beyond), buffer, out)
                assert device.download(out)[0] >= 0x40404040
        module.kernel("uninitialised")(100, 32, out)
        assert (device.download(out).view(np.uint32) == 0xCDCDCDCD).all()


@pytest.mark.parametrize("seed", [None, 1])
def test_shared_memory_that_no_thread_writes_is_invalid(seed: int | None) -> None:
    with EmulatedDevice(seed) as device:
        out = device.upload(np.zeros(4, np.int32))
        device.load(BOUNDS).kernel("never_written")(1, 1, out)
        assert (device.download(out).view(np.uint32) == 0xCDCDCDCD).all()


# ---- the debug build: a process of its own, in which the address sanitizer comes first ----

PROGRAM = f"""
import sys
import numpy as np
from cuda_on_cpu.device import EmulatedDevice
with EmulatedDevice() as device:
    out = device.empty(64, np.int32)
    values = device.upload(np.arange(64, dtype=np.int32))
    name, shared = sys.argv[1], int(sys.argv[2])
    arguments = (out,) if name == "beyond_shared" else (np.int32(64), values, out)
    blocks, threads = (1, 64) if name == "beyond_shared" else (300, 32)
    device.load({str(KERNELS / "bounds.cu")!r}).kernel(name)(blocks, threads, *arguments, shared=shared)
    print(device.download(out).sum())
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("kernel", "shared", "line"),
    [("off_by_one", 0, 6), ("off_by_one_after_barrier", 0, 15), ("beyond_shared", 63 * 4, 21),
     ("inside", 128, 0)],
)  # fmt: skip
def test_out_of_bounds_accesses_are_reported(kernel: str, shared: int, line: int) -> None:
    done = run_program(PROGRAM, kernel, shared, **debug_environment())
    if line:
        assert done.returncode != 0
        assert "AddressSanitizer" in done.stderr
        assert f"bounds.cu:{line} in {kernel}" in done.stderr
    else:
        assert (done.returncode, done.stdout) == (0, f"{sum(range(64)) + 64}\n"), done.stderr


@pytest.mark.long
def test_the_debug_build_refuses_a_misaligned_access() -> None:
    program = PROGRAM.replace("bounds.cu", "failing.cu")
    program = program.replace("arguments = (out,) if", "arguments = (out,) if True or")
    done = run_program(program, "misaligned", 0, **debug_environment())
    assert re.search("kernel misaligned: " + MISALIGNED.format(r", at failing.cu:\d+"), done.stderr)


def test_the_debug_build_says_what_it_needs() -> None:
    told = r"fresh process: .*LD_PRELOAD="
    with EmulatedDevice(debug=True) as device, pytest.raises(OneLineError, match=told):
        device.load(BARRIERS)
