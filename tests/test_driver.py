"""Launches through CUDA's driver API, against a library in its place that notes what it is given."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from cuda_device.compiled_files import find_cxx
from cuda_device.cuda import CudaLaunch
from cuda_device.driver import COOPERATIVE, DriverKernel, DriverModule
from cuda_device.errors import OneLineError
from cuda_device.host_loop import HostLoop, Repeated

LIBRARY = r"""
#include <cstddef>
#include <cstring>
struct Attribute { int id, pad; unsigned value[16]; };
struct Config { unsigned grid[3], block[3], shared; void *stream; Attribute *attributes; unsigned count; };
extern "C" {
long long noted[16];
int attributes_set = 0, unloaded = 0;
int cuModuleLoad(void **module, const char *) { *module = (void *)7; return 0; }
int cuModuleUnload(void *module) { return unloaded += module == (void *)7, 0; }
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = (void *)9;
    return strcmp(name, "there") ? strcmp(name, "missing") ? 700 : 500 : 0;
}
int cuModuleGetGlobal_v2(unsigned long long *address, size_t *bytes, void *, const char *name)
{
    *address = 1 << 20, *bytes = 12;
    return strcmp(name, "there") ? strcmp(name, "a kernel") ? 500 : 1 : 0;
}
int cuFuncSetAttribute(void *, int, int value) { return attributes_set++, value > 227 * 1024 ? 1 : 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int threads, size_t shared)
{
    *blocks = int(2048 / threads - shared / 65536);
    return 0;
}
int cuOccupancyMaxActiveClusters(int *clusters, void *, const Config *config)
{
    const Attribute &cluster = config->attributes[0];
    if (config->count != 1 || cluster.id != 4 || !attributes_set) return 1;
    *clusters = int(132 * 2048 / (config->block[0] * cluster.value[0]));
    return 0;
}
int cuOccupancyMaxPotentialClusterSize(int *blocks, void *, const Config *config)
{
    *blocks = config->block[0] > 512 || !attributes_set ? 8 : 16;
    return 0;
}
int cuGetErrorName(int, const char **text) { *text = "CUDA_ERROR_NOT_FOUND"; return 0; }
int cuLaunchKernelEx(const Config *config, void *, void **arguments, void **)
{
    const Config &c = *config;
    noted[0] = c.grid[0] * 10000 + c.grid[1] * 100 + c.grid[2];
    noted[1] = c.block[0], noted[2] = c.shared, noted[3] = (long long)c.stream, noted[4] = c.count;
    noted[5] = c.attributes[0].id, noted[6] = c.attributes[0].value[0];
    noted[7] = *(int *)arguments[0], noted[8] = *(long long *)arguments[1];
    noted[9] = *(unsigned char *)arguments[2], noted[10] = (long long)(4 * *(float *)arguments[3]);
    return 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned, unsigned,
                   unsigned shared, void *stream, void **arguments, void **)
{
    noted[0] = x * 10000 + y * 100 + z;
    noted[1] = block_x, noted[2] = shared, noted[3] = (long long)stream, noted[4] = (long long)function;
    noted[5] = *(int *)arguments[0];
    noted[6] = --**(int **)arguments[1];
    return 0;
}
int cuMemcpyHtoD_v2(int *to, const void *from, size_t bytes) { memcpy(to, from, bytes); return 0; }
int cuMemcpyDtoH_v2(void *to, const int *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return bytes == 4 ? 719 : 0;
}
int cuCtxSynchronize() { return 0; }
}
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DriverModule:
    (tmp_path / "cuda.cpp").write_text(LIBRARY)
    library = tmp_path / "libcuda.so.1"
    subprocess.run(
        [find_cxx(), "-shared", "-fPIC", str(tmp_path / "cuda.cpp"), "-o", str(library)], check=True
    )
    load = ctypes.CDLL
    monkeypatch.setattr(ctypes, "CDLL", lambda name: load(str(library) if name == library.name else name))
    return DriverModule(Path("any.cubin"))


def kernel_of(module: DriverModule) -> DriverKernel:
    function = module.function("there")
    assert function is not None
    return DriverKernel(module, "there", function)


def test_a_launch_arrives_as_it_was_given(module: DriverModule) -> None:
    noted = (ctypes.c_longlong * 16).in_dll(module.cuda, "noted")
    kernel = kernel_of(module)
    for number in (-5, 6):  # the second one is prepared already
        values = [np.int32(number), 2**40 + number, np.uint8(200), np.float32(2.5)]
        kernel((3, 2), 96, values, 50_000, 1234, True, None)
        assert noted[:7] == [30201, 96, 50_000, 1234, 1, COOPERATIVE, 1]
        assert noted[7:11] == [number, 2**40 + number, 200, 10]
    kernel(4, 64, [np.int32(1), 2, np.bool_(True), np.float32(1)], 100, 0, False, (2, 1, 1))
    assert noted[:7] == [40101, 64, 100, 0, 1, 4, 2]
    assert ctypes.c_int.in_dll(module.cuda, "attributes_set").value == 2


def test_packed_arguments_arrive_at_each_launch(module: DriverModule) -> None:
    """Whatever else is launched in between, even with arguments of the same types."""
    noted = (ctypes.c_longlong * 16).in_dll(module.cuda, "noted")
    kernel = kernel_of(module)
    values = [np.int32(7), 2**40, np.uint8(200), np.float32(2.5)]
    launch = kernel.packed(3, 96, values, 100, True, None)
    kernel(3, 96, [np.int32(8), 9, np.uint8(10), np.float32(11)], 100, 1234, True, None)
    kernel.packed(3, 96, [np.int32(8), 9, np.uint8(10), np.float32(11)], 100, True, None)
    for _ in range(2):
        kernel.launch(launch)
        assert noted[:7] == [30101, 96, 100, 0, 1, COOPERATIVE, 1]
        assert noted[7:11] == [7, 2**40, 200, 10]
        kernel(3, 96, [np.int32(8), 9, np.uint8(10), np.float32(11)], 100, 1234, True, None)


def test_resident_blocks_are_asked_for(module: DriverModule) -> None:
    assert kernel_of(module).resident_blocks((128, 4), 65536) == 3


def test_clusters_are_asked_for(module: DriverModule) -> None:
    """Those of more than 8 blocks are only had if the kernel allows them."""
    kernel = kernel_of(module)
    assert (kernel.largest_cluster(512, 16), kernel.largest_cluster(1024, 16)) == (16, 8)
    assert kernel.largest_cluster(512, 8) == 8
    assert kernel_of(module).resident_clusters(1024, 16) == 16


def test_what_a_file_does_not_have_is_none(module: DriverModule) -> None:
    assert module.function("missing") is None
    assert [module.variable(name) for name in ("there", "missing", "a kernel")] == [(2**20, 12), None, None]


def test_an_error_of_the_driver_is_named(module: DriverModule) -> None:
    with pytest.raises(OneLineError, match=r"^CUDA: cuModuleGetFunction failed: CUDA_ERROR_NOT_FOUND"):
        module.function("after a kernel has failed")
    kernel = kernel_of(module)
    with pytest.raises(OneLineError, match=r"^kernel there: CUDA: cuFuncSetAttribute failed: CUDA_ERROR_NO"):
        kernel(1, 1, [], 300_000, 0, False, None)


def test_a_file_is_unloaded_with_the_last_of_its_kernels(module: DriverModule) -> None:
    """Not after its context, whose end unloads it: what has its handle then is another file, or nothing."""
    unloaded = ctypes.c_int.in_dll(module.cuda, "unloaded")
    file = DriverModule(Path("any.cubin"))
    kernel = kernel_of(file)
    del file
    assert unloaded.value == 0
    del kernel
    assert unloaded.value == 1
    file = DriverModule(Path("any.cubin"))
    file.forget()
    del file
    assert unloaded.value == 1


def test_a_loop_is_executed_by_the_driver(module: DriverModule) -> None:
    """Its launches have the sizes and arguments that were packed, and the grid that was counted."""
    noted = (ctypes.c_longlong * 16).in_dll(module.cuda, "noted")
    kernel = kernel_of(module)
    state = np.array((40, 3), np.int32)  # in what stands for the memory of the device
    values = [np.int32(-5), state.ctypes.data + 4]
    for grid, blocks in (((3, 2), 30201), (None, 20101)):
        state[:] = 40, 3
        packed = kernel.packed(grid or 1, 32, values, 100, False, None)
        launch = CudaLaunch(cast("Any", None), grid, 32, kernel, packed, [])
        loop = HostLoop(rounds=[[launch]], state=cast("Any", state), seen=state.copy(), met=1, most=2)
        repeated = module.repeat(loop, [launch.for_cpp()], state.ctypes.data)
        assert repeated == Repeated(1, True, 0)
        assert noted[:7] == [blocks, 32, 100, 0, 9, -5, 2]
    one_word = HostLoop(rounds=[[launch]], state=cast("Any", state), seen=state[:1].copy())
    with pytest.raises(OneLineError, match=r"a repeated launch failed: CUDA_ERROR_NOT_FOUND \(719\)"):
        module.repeat(one_word, [launch.for_cpp()], state.ctypes.data)
