"""What a GPU has, what a solver needs of it, and a GPU that is used as if it were another."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cuda_device.available_gpus import cuda_available
from cuda_device.capability import Capability, architecture
from cuda_device.cuda import CudaDevice
from cuda_device.errors import LacksError, OneLineError
from cuda_device.gpu_limits import BY_CAPABILITY, WIDEST_CLUSTER, GPULimits, Needs
from cuda_on_cpu.assembly import MAX_SHARED
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED
from retrace.graphs.query import Query
from retrace.measure.trials import Effort, Measurement, Request, SharedDevice
from retrace.records.record import GPUInfo
from retrace.solvers import all_solvers, make
from retrace.solvers.bfs import BspBFS
from retrace.system.project import KERNELS, ROOT
from retrace_generated.gpu_table import FROM_SOLVERS

OLDEST, AMPERE, HOPPER, BLACKWELL = (GPULimits.by_capability(text) for text in ("5.0", "8.6", "9.0", "12.0"))
EMULATED = Path(__file__).parent / "cuda_on_cpu/kernels"
KNOWN = ("7.5", "8.6", "9.0", "10.0", "12.0")


def test_a_compute_capability_is_read_and_refused() -> None:
    assert Capability.parse("8.6") < Capability.parse("8.9") < Capability.parse("10.0")
    for text in ("sm_90", "9", "9.0a", "", "0.5", "9.00"):
        with pytest.raises(OneLineError, match="expected two numbers such as"):
            Capability.parse(text)
    with pytest.raises(OneLineError, match=r"3\.5: its limits are not known, only those of 5\.0, 5\.2"):
        GPULimits.by_capability("3.5")


def test_the_table_has_plausible_rows_in_order() -> None:
    rows = [*BY_CAPABILITY.values()]
    assert rows == sorted(rows, key=lambda row: row.capability)
    assert max(row.shared_of_block for row in rows) == MAX_SHARED  # what the emulator has room for
    for row in rows:
        assert row.shared_of_block <= row.shared_of_multiprocessor
        assert bool(row.cluster) == (row.capability >= Capability(9, 0))
        assert row.cluster in (0, 8, WIDEST_CLUSTER)
        assert row.cooperative_launch == row.double_atomics == (row.capability >= Capability(6, 0))


@pytest.mark.gpu
@pytest.mark.skipif(not cuda_available(), reason="needs a GPU")
def test_the_table_agrees_with_this_gpu() -> None:
    limits = CudaDevice().limits
    assert limits == BY_CAPABILITY[limits.capability]


MADE_UP = {
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 300_000,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 310_000,
    "MAX_THREADS_PER_MULTIPROCESSOR": 3072,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 48,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 2**17,
    "COOPERATIVE_LAUNCH": 1,
    "CLUSTER_LAUNCH": 1,
}


def test_a_gpu_that_no_table_has_works_from_what_its_driver_says() -> None:
    newest = GPULimits.by_driver(Capability(13, 0), MADE_UP.__getitem__)
    assert newest == GPULimits(Capability(13, 0), 300_000, 310_000, 3072, 48, 2**17, True, 8, True)
    assert architecture(newest.capability, newest.capability, KNOWN) == "compute_120"
    for kind in all_solvers():
        assert kind.missing_from(newest) is None
    without = GPULimits.by_driver(Capability(13, 0), (MADE_UP | {"CLUSTER_LAUNCH": 0}).__getitem__)
    assert without.cluster == 0
    assert newest.resident_blocks(1024) == 3
    assert newest.resident_blocks(32) == 48
    assert newest.resident_blocks(128, 100_000) == 3
    assert newest.resident_blocks(4096) == 1


def test_what_kernels_are_compiled_for() -> None:
    """Machine code for the card itself; PTX for an older one, or where the compiler is too old for it."""
    hopper = Capability(9, 0)
    assert architecture(hopper, hopper, KNOWN) == "sm_90"
    assert architecture(hopper, Capability(8, 6), KNOWN) == "compute_86"
    assert architecture(hopper, Capability(8, 9), KNOWN) == "compute_86"
    assert architecture(hopper, Capability(12, 0), KNOWN) == "sm_90"
    assert architecture(Capability(12, 1), Capability(12, 1), KNOWN) == "compute_120"
    with pytest.raises(OneLineError, match=r"compiled for compute capability 7.0: the compiler knows 7.5"):
        architecture(Capability(7, 0), Capability(7, 0), KNOWN)
    with pytest.raises(OneLineError, match="there is no compiler"):
        architecture(hopper, hopper, ())


def test_a_gpu_used_as_another_is_shown_so() -> None:
    card = GPUInfo(name="NVIDIA H100", compute_capability="9.0", memory_gib=79.2, driver="580")
    assert card.used == "NVIDIA H100"
    assert card.model_copy(update={"compiled_for": "9.0"}).used == "NVIDIA H100"
    assert card.model_copy(update={"compiled_for": "8.6"}).used == "NVIDIA H100 used as 8.6"


def test_a_gpu_used_as_another_keeps_the_lesser_of_both_limits() -> None:
    assert HOPPER.within(AMPERE) == AMPERE
    assert HOPPER.within(BLACKWELL) == BLACKWELL
    small = replace(HOPPER, shared_of_block=50_000)
    assert small.within(AMPERE) == replace(AMPERE, shared_of_block=50_000)


def test_what_a_gpu_lacks_is_told_in_one_line() -> None:
    told = "needs thread-block clusters, from compute capability 9.0 on; this GPU has 8.6"
    assert Needs(cluster=1).missing_from(AMPERE) == told
    assert Needs(cluster=8).missing_from(BLACKWELL) is None
    told = "needs clusters of 16 blocks; this GPU has 8 at most"
    assert Needs(cluster=16).missing_from(BLACKWELL) == told
    told = "needs cooperative launches, from compute capability 6.0 on; this GPU has 5.0"
    assert Needs(cooperative_launch=True).missing_from(OLDEST) == told
    told = "needs atomicAdd of doubles, from compute capability 6.0 on; this GPU has 5.0"
    assert Needs(double_atomics=True).missing_from(OLDEST) == told
    told = "needs 100 KiB of shared memory in a block; this GPU has 99 KiB (compute capability 8.6)"
    assert Needs(shared_kib=100).missing_from(AMPERE) == told
    assert Needs(shared_kib=99, cooperative_launch=True, double_atomics=True).missing_from(AMPERE) is None


def test_no_kernel_of_the_reports_waits_for_blocks_of_another() -> None:
    """Their own cards were too old for clusters and cooperative launches."""
    for kind in all_solvers():
        if kind.__module__.startswith("retrace."):
            assert kind.needs == Needs(), kind.name
            text = "".join((KERNELS / file).read_text(encoding="utf-8") for file in kind.sources)
            assert not re.search(r"this_(cluster|grid)\(\)", text), kind.name


@pytest.mark.parametrize("capability", ["5.0", "7.5", "8.6", "12.0"])
def test_a_launch_beyond_the_limits_is_refused(capability: str) -> None:
    limits = GPULimits.by_capability(capability)
    with EmulatedDevice(compute_capability=capability) as device:
        out, values = device.empty(16 * 32, np.int32), device.empty(16, np.int32)
        kernel = device.load(str(EMULATED / "clusters.cu")).kernel("neighbours")
        if limits.cluster:
            kernel(8, 32, out, cluster=8)
            assert device.download(out)[:32].tolist() == [131 - thread for thread in range(32)]
        with pytest.raises(OneLineError, match=r"kernel neighbours: .*cluster"):
            kernel(16, 32, out, cluster=16)
        grid = device.load(str(EMULATED / "grids.cu")).kernel("pass_on")
        if limits.cooperative_launch:
            grid(3, 32, np.int32(1), values, out, cooperative=True)
        else:
            with pytest.raises(OneLineError, match="kernel pass_on: needs cooperative launches"):
                grid(3, 32, np.int32(1), values, out, cooperative=True)
        with pytest.raises(OneLineError, match=f"not from 0 to {limits.shared_of_block}"):
            grid(1, 32, np.int32(1), values, out, shared=limits.shared_of_block + 1)


def test_what_a_gpu_lacks_is_skipped_before_anything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuda_on_cpu.device.build_emulator", pytest.fail)
    monkeypatch.setattr(BspBFS, "needs", Needs(cluster=1))
    old = SharedDevice(lambda: EmulatedDevice(compute_capability="8.6"))
    case = Measurement(
        request=Request("bfs/bsp", "emulator", Query(0), lambda: EmulatedDevice(compute_capability="8.6"))
    )
    case.prepare(NAMED["grid"], Effort(trials=1, budget_s=60), old)
    assert (case.status, case.reason) == (
        "skipped", "needs thread-block clusters, from compute capability 9.0 on; this GPU has 8.6",
    )  # fmt: skip
    with (
        EmulatedDevice(compute_capability="8.6") as device,
        pytest.raises(LacksError, match="bsp: needs"),
    ):
        make("bfs/bsp", device)


PAGE = (ROOT / "docs/adding-a-gpu.md").read_text(encoding="utf-8")


def test_all_kernels_of_a_report_run_on_the_oldest_gpu() -> None:
    head, _, maxwell = (line.split("|") for line in PAGE.partition(FROM_SOLVERS)[2].splitlines()[2:5])
    cells = dict(zip(head, maxwell, strict=True))
    for report in ("bsp-suite", "tuwien-sssp", "hong-bfs", "domitrz-brandes", "an-bellman-ford"):
        assert cells[report].startswith("all "), report  # their own cards were of 5.0 and 5.2
