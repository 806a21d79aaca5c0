"""The device interface: the same tests on every backend that this machine has."""

from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest

from cuda_device.available_gpus import cuda_available
from cuda_device.capability import Capability
from cuda_device.cuda import CudaDevice
from cuda_device.errors import OneLineError
from cuda_device.interface import Device
from solving import require_clusters

KERNELS = Path(__file__).parent / "cuda_on_cpu/kernels"
BARRIERS, ATOMICS = str(KERNELS / "barriers.cu"), str(KERNELS / "atomics.cu")


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "int32", "uint32", "int64", "float32", "float64"]
)
@pytest.mark.parametrize("size", [0, 1, 1000])
def test_copy_there_and_back(device: Device, dtype: str, size: int) -> None:
    host = (np.arange(size) % 100).astype(dtype)
    buffer = device.upload(host)
    assert (buffer.size, buffer.dtype) == (size, np.dtype(dtype))
    assert np.array_equal(device.download(buffer), host)


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("bool", True), ("uint8", 200), ("int16", -3), ("int32", 2**31 - 1), ("float32", np.inf),
     ("float64", 0), ("float64", 1.1), ("int64", -1), ("int64", 5), ("uint64", 2**40)],
)  # fmt: skip
def test_fill(device: Device, dtype: str, value: float) -> None:
    buffer = device.empty(77, dtype)
    device.fill(buffer, value)
    assert np.array_equal(device.download(buffer), np.full(77, value, dtype))
    device.fill(device.empty(0, dtype), value)


def test_copies_of_another_size_or_type_are_refused(device: Device) -> None:
    buffer = device.empty(4, np.int32)
    for host in (np.zeros(5, np.int32), np.zeros(4, np.int64), np.zeros(8, np.int32)[::2]):
        with pytest.raises(ValueError, match=r"copy|copies"):
            device.write(buffer, host)
        with pytest.raises(ValueError, match=r"copy|copies"):
            device.read(buffer, host)


def test_streams_pinned_memory_and_events(device: Device) -> None:
    stream = device.stream()
    there, back = device.pinned(500, np.int32), device.pinned(500, np.int32)
    there[:] = np.arange(500)
    buffer = device.empty(500, np.int32)
    start, end = device.event(), device.event()
    start.record(stream)
    device.fill(buffer, 0, stream)
    device.write(buffer, there, stream)
    device.read(buffer, back, stream)
    end.record(stream)
    end.synchronize()
    stream.synchronize()
    assert np.array_equal(back, there)
    assert end.milliseconds_since(start) >= 0


def test_kernels_in_three_dimensions_reach_mapped_memory(device: Device) -> None:
    host, buffer = device.mapped(2 * 3 * 4 * 5 * 6 * 7, np.int32)
    host[:] = 0
    device.load(BARRIERS).kernel("indices")((2, 3, 4), (5, 6, 7), buffer)
    device.synchronize()
    assert (host == 1).all()


def test_kernel_times_are_summed(device: Device) -> None:
    kernel = device.load(BARRIERS).kernel("indices")
    counts = device.upload(np.zeros(64 * 100, np.int32))
    began = perf_counter()
    with device.timing_kernels() as timer:
        for _ in range(3):
            kernel(100, 64, counts)
    passed = (perf_counter() - began) * 1e3
    assert len(timer.brackets) == 3
    # No kernel takes less than 0.5 us; how long a GPU waits for other processes is in `passed` alone.
    least = 3 * 0.0005 if isinstance(device, CudaDevice) else passed / 200
    assert least < timer.milliseconds < passed
    each = [end.milliseconds_since(start) for start, end in timer.brackets]
    assert timer.milliseconds == pytest.approx(sum(each))
    assert timer.milliseconds > max(each)
    kernel(100, 64, counts)
    assert len(timer.brackets) == 3
    assert (device.download(counts) == 4).all()


@pytest.mark.parametrize("n", [1, 256, 1000, 100_000])
def test_static_shared_memory(device: Device, n: int) -> None:
    values = np.arange(n, dtype=np.int32) % 1000
    blocks = -(-n // 256)
    sums = device.empty(blocks, np.int32)
    device.load(BARRIERS).kernel("block_sum")(blocks, 256, np.int32(n), device.upload(values), sums)
    padded = np.zeros(blocks * 256, np.int64)
    padded[:n] = values
    assert np.array_equal(device.download(sums), padded.reshape(blocks, 256).sum(axis=1))


@pytest.mark.parametrize("block", [32, 1024])
def test_dynamic_shared_memory(device: Device, block: int) -> None:
    module = device.load(BARRIERS)
    values = np.arange(8 * block, dtype=np.int32)
    result = device.empty(values.size, np.int32)
    module.kernel("reverse_blocks")(8, block, device.upload(values), result, shared=4 * block)
    assert np.array_equal(device.download(result).reshape(8, block), values.reshape(8, block)[:, ::-1])
    module.kernel("reverse_blocks")(8, block, device.upload(values), result, shared=60_000)
    text = device.upload(np.arange(block).astype(np.uint8))
    rotated = device.empty(block, np.uint8)
    module.kernel("rotate_bytes")(1, block, text, rotated, shared=block)
    assert np.array_equal(device.download(rotated), np.roll(np.arange(block), -1).astype(np.uint8))


def test_barriers_do_not_wait_for_threads_that_left(device: Device) -> None:
    out = device.upload(np.zeros(96, np.int32))
    device.load(BARRIERS).kernel("early_exit")(1, 96, out)
    stayed = np.arange(96) % 3 != 0
    found = np.count_nonzero(stayed & (np.arange(96) % 2 == 1)) + 1000 + 10000
    assert np.array_equal(device.download(out), np.where(stayed, found, 0))


@pytest.mark.parametrize("lanes", [32, 20])
def test_warp_operations(device: Device, lanes: int) -> None:
    out = device.upload(np.zeros(11 * 64, np.uint32))
    device.load(BARRIERS).kernel("warp_operations")(1, 64, np.int32(lanes), out)
    lane = np.arange(lanes)
    full = lanes == 32
    expected = [
        np.full(lanes, sum(1 << i for i in range(0, lanes, 3))),
        np.ones(lanes),
        np.ones(lanes),
        np.full(lanes, 30),
        np.maximum(lane - 1, 0),
        np.where(lane % 8 < 6, lane + 2, lane) if full else 0 * lane,
        lane ^ 5 if full else 0 * lane,
        0b1111 << lane // 4 * 4,
        np.full(lanes, lanes),
        np.full(lanes, (1 << 8) + 2),
        np.full(lanes, 14),
    ]
    for warp in range(2):
        got = device.download(out).reshape(11, 64)[:, 32 * warp :][:, :lanes]
        assert np.array_equal(got, np.array(expected, dtype=np.uint32))


def test_reductions_of_a_warp(device: Device) -> None:
    if device.limits.capability < Capability(8, 0):
        pytest.skip(f"reductions in hardware are there from 8.0 on, not on {device.limits.capability}")
    out = device.empty(128, np.int32)
    device.load(BARRIERS).kernel("warp_reductions")(1, 32, out)
    assert device.download(out).reshape(4, 32).T.tolist() == [[176, -10, 21, 15]] * 32


def test_votes_of_the_parts_of_a_warp(device: Device) -> None:
    part = device.empty(32, np.int32)
    device.load(BARRIERS).kernel("two_groups")(1, 32, part)
    assert device.download(part).tolist() == [32016] * 16 + [32108] * 16


def test_symbols(device: Device) -> None:
    module = device.load(BARRIERS)
    module.write_symbol("scale", np.array([3, 7], np.int32))
    module.write_symbol("counter", np.array([100], np.int32))
    values, out = device.upload(np.arange(32, dtype=np.int32)), device.empty(33, np.int32)
    module.kernel("scaled")(1, 32, values, out)
    assert device.download(out).tolist() == [*(np.arange(32) * 3 + 7), 132]
    with pytest.raises(ValueError, match=r"scale of .* has 8 bytes, not 12"):
        module.write_symbol("scale", np.zeros(3, np.int32))
    for name in ("no_such_symbol", "scaled"):
        with pytest.raises(OneLineError, match=f"no __constant__ or __device__ variable {name}"):
            module.write_symbol(name, np.zeros(1, np.int32))


def test_variables_start_anew_when_a_file_is_loaded_again(device: Device) -> None:
    ones, out = device.upload(np.ones(32, np.int32)), device.empty(33, np.int32)
    for first in (5, 3):
        module = device.load(BARRIERS)
        module.write_symbol("scale", np.array([first, 0], np.int32))
        module.kernel("scaled")(1, 32, ones, out)
        assert device.download(out).tolist() == [first] * 32 + [32]


def test_atomics(device: Device) -> None:
    module, n, mask = device.load(ATOMICS), 4096, 0xFF
    i = device.upload(np.array([0, 0, 0, 0, mask, 0, 0, 0], np.int32))
    u = device.upload(np.array([0, 2**32 - 1, 0, 0, 0, 0, 0, 0], np.uint32))
    module.kernel("integers")(n // 128, 128, i, u)
    signed = device.download(i)
    assert signed[:7].tolist() == [n * (n - 1) // 2, -n, 1 - n, n - 1, 0, mask, 0]
    assert 1 <= signed[7] <= n
    assert device.download(u).tolist() == [n, 0, n - 1, n % 100, -n % 100, 1, 1, 1]

    u, s = device.upload(np.zeros(5, np.uint64)), device.upload(np.zeros(1, np.int64))
    module.kernel("wide")(16, 128, u, s)
    assert device.download(u).tolist() == [2048 << 33, 2047 << 33, 1 << 40, 11, 7]
    assert device.download(s).tolist() == [-2047 << 33]

    f, d = device.upload(np.zeros(3, np.float32)), device.upload(np.zeros(1, np.float64))
    module.kernel("floats")(16, 128, f, d)
    assert device.download(f).tolist() == [1024, 1, 1]
    assert device.download(d).tolist() == [512]
    sums = device.upload(np.array([2**-127, 2**-126, 2**-125], np.float32))
    module.kernel("tiny_sums")(1, 1, sums)  # those that are not normal count as zero
    assert device.download(sums).tolist() == [0, 2**-126, 0]


def test_an_or_is_not_lost_to_the_compiler(device: Device) -> None:
    """g++ 12 replaces an operand of an atomic that is tested before by 0 (-ftree-dominator-opts)."""
    bits, words = np.full(32, 5, np.uint32), device.upload(np.full(6, 2, np.uint32))
    before = device.empty(32, np.uint32)
    device.load(ATOMICS).kernel("conditional_ors")(1, 32, device.upload(bits), words, before)
    assert device.download(words).tolist() == [7] * 6
    assert device.download(before).tolist() == [12 if t == 5 else 0 for t in range(32)]


def test_vectors_and_integer_functions(device: Device) -> None:
    values = np.array([[7, 9, 12, -1], [0b1011, 1, 0, 5]], np.int32)
    out = device.empty(8, np.int32)
    device.load(ATOMICS).kernel("vectors")(1, 32, np.int32(2), device.upload(values.ravel()), out)
    assert device.download(out).tolist() == [9, -1, 3 + 28 + 3, -1, 11, 0, 3 + 31 + 0, 5]


@pytest.mark.parametrize(
    ("grid", "block", "shared", "message"),
    [(1, 2048, 0, "block size 2048 in x, not from 1 to 1024"),
     (1, (32, 33), 0, "1056 threads per block, not from 1 to 1024"),
     (1, (1, 1, 65), 0, "block size 65 in z"), (0, 32, 0, "grid size 0 in x"),
     ((1, 65536), 32, 0, "grid size 65536 in y"), (1, 32, 300_000, "300000 bytes of shared memory"),
     ((1, 1, 1, 1), 32, 0, "expected one to three whole numbers"), (1.5, 32, 0, "whole numbers"),
     ((), 32, 0, "one to three whole numbers")],
)  # fmt: skip
def test_launches_that_are_refused(device: Device, grid: int, block: int, shared: int, message: str) -> None:
    kernel = device.load(BARRIERS).kernel("indices")
    with pytest.raises(OneLineError, match=message):
        kernel(grid, block, device.empty(1, np.int32), shared=shared)


def test_what_is_no_number_of_numpy_is_refused(device: Device) -> None:
    kernel = device.load(ATOMICS).kernel("vectors")
    buffer = device.empty(8, np.int32)
    with pytest.raises(TypeError, match=r"kernel vectors, parameter 1: .* not int"):
        kernel(1, 32, 2, buffer, buffer)
    with pytest.raises(TypeError, match=r"kernel vectors, parameter 2: .* not ndarray"):
        kernel(1, 32, np.int32(2), np.zeros(8, np.int32), buffer)
    with pytest.raises(TypeError, match=r"kernel vectors, parameter 1: expected .*, not "):
        kernel(1, 32, np.void(b"8 bytes!"), buffer, buffer)


def test_unknown_files_and_kernels(device: Device) -> None:
    with pytest.raises(OneLineError, match=r"kernels/bfs/no-such-file.cu: no such kernel file"):
        device.load("bfs/no-such-file.cu")
    with pytest.raises(OneLineError, match=r"barriers.cu: there is no kernel no_such_kernel"):
        device.load(BARRIERS).kernel("no_such_kernel")


def test_buffers_end_with_their_device(device: Device) -> None:
    again: Device = type(device)()
    with again:
        kernel = again.load(BARRIERS).kernel("indices")
        buffer = again.upload(np.zeros(32, np.int32))
    with pytest.raises(ValueError, match="closed"):
        again.download(buffer)
    with pytest.raises(ValueError, match="closed"):
        kernel(1, 32, buffer)
    with again:
        assert again.download(again.upload(np.ones(3, np.int32))).tolist() == [1, 1, 1]
    assert device.download(device.upload(np.ones(3, np.int32))).tolist() == [1, 1, 1]


def test_free_memory_and_resident_blocks(device: Device) -> None:
    assert device.free_memory() > 2**20
    device.memory_gib = 2**-10
    assert device.free_memory() <= 2**20
    assert 1 <= device.resident_blocks(1024) <= device.resident_blocks(256)


@pytest.mark.gpu
@pytest.mark.skipif(not cuda_available(), reason="needs a GPU")
def test_what_the_pool_keeps_counts_as_free() -> None:
    """Of 2 GiB half suffices: tests beside this one take and free memory, too."""
    with CudaDevice() as device:
        before = device.free_memory()
        buffers = [device.empty(32 << 20, np.uint8) for _ in range(64)]
        assert device.free_memory() <= before - (1 << 30)
        del buffers
        assert device.free_memory() >= before - (1 << 30)


def test_arrays_are_uploaded_together(device: Device) -> None:
    random = np.random.default_rng(5)
    sizes = (300_001, 3, 0, 1_000_000)
    arrays = [random.integers(0, 255, size).astype(dtype) for size, dtype in zip(sizes, "iqBi", strict=True)]
    for sent in (arrays, arrays[1:3], []):
        for buffer, array in zip(device.upload_all(sent), sent, strict=True):
            assert np.array_equal(device.download(buffer), array)
    with pytest.raises(ValueError, match="contiguous"):
        device.upload_all([arrays[0], arrays[3][::2]])


def test_clusters_that_run_at_the_same_time(device: Device) -> None:
    require_clusters(device)
    module = device.load(str(KERNELS / "clusters.cu"))
    assert 2 <= module.largest_cluster("neighbours", 64) <= device.limits.cluster
    clusters = [module.resident_clusters("neighbours", 1024, blocks) for blocks in (1, 2, 4)]
    assert 1 <= clusters[2] <= clusters[1] <= clusters[0]


@pytest.mark.gpu
@pytest.mark.skipif(not cuda_available(), reason="needs a GPU")
def test_what_kernels_are_compiled_for_can_be_chosen() -> None:
    with CudaDevice() as own, CudaDevice(compute_capability="7.5") as chosen:
        assert chosen.architecture() == "compute_75"
        itself = own.describe()["compute_capability"]
        if str(own.limits.capability) == itself:
            assert own.architecture() == f"sm_{itself.replace('.', '')}"


def test_the_cuda_device_has_the_whole_interface() -> None:
    """What is missing would show on a GPU alone."""
    assert not CudaDevice.__abstractmethods__


def test_a_view_is_a_part_of_its_buffer(device: Device) -> None:
    whole = device.upload(np.arange(10, dtype=np.int32))
    part = device.view(whole, 3, 4)
    device.write(part, np.array([9, 8, 7, 6], dtype=np.int32))
    assert device.download(whole).tolist() == [0, 1, 2, 9, 8, 7, 6, 7, 8, 9]
    assert device.download(part).tolist() == [9, 8, 7, 6]
    assert device.download(device.view(part, 1, 2)).tolist() == [8, 7]
    assert device.view(whole, 10, 0).size == 0
    for begin, size in ((-1, 2), (8, 3), (3, -1)):
        with pytest.raises(ValueError, match="of a buffer of 10"):
            device.view(whole, begin, size)


def test_more_gpus_than_there_are_are_refused() -> None:
    """Whatever machine this is: the driver says how many there are."""
    device = object.__new__(CudaDevice)
    device.cuda = SimpleNamespace(Device=SimpleNamespace(count=lambda: 2))
    device.memory_gib, device._used_as = None, None
    assert [len(device.peers(count)) for count in (0, 1, 2)] == [2, 1, 2]
    with pytest.raises(OneLineError, match="3 GPUs are asked for, and this host has 2"):
        device.peers(3)
