"""What a GPU has, what a solver needs of it, and a GPU that is used as if it were another."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import run_kernels
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
from retrace.publish.gpu_table import BEGIN, with_table
from retrace.records.record import GPUInfo
from retrace.solvers import all_solvers, find, make
from retrace.solvers.bfs import QueueBFS
from retrace.system.project import KERNELS, ROOT
from retrace_today.by_depth import AutoBFS
from retrace_today.choice import Choice
from retrace_today.cluster_searches import ClusterBFS
from retrace_today.frontier import FrontierSearch
from retrace_today.one_block import OneBlockBFS

OLDEST, AMPERE, HOPPER, BLACKWELL = (GPULimits.by_capability(text) for text in ("5.0", "8.6", "9.0", "12.0"))
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


def test_a_solver_whose_kernels_wait_for_other_blocks_declares_it() -> None:
    """Those of betweenness have kernels that do without, too."""
    without = {"betweenness/host-arcs", "betweenness/lane-queues", "betweenness/multi-gpu"}
    for kind in all_solvers():
        if issubclass(kind, Choice) or kind.name in without:
            continue
        text = "".join((KERNELS / file).read_text(encoding="utf-8") for file in kind.sources)
        assert bool(kind.needs.cluster) == ("this_cluster()" in text), kind.name
        launches = {"sssp/host-arcs", "limits/barrier-grid"}
        cooperative = issubclass(kind, FrontierSearch) or kind.name in launches
        assert kind.needs.cooperative_launch == cooperative, kind.name
        assert not cooperative or "this_grid()" in text, kind.name


@pytest.mark.parametrize("capability", ["5.0", "7.5", "8.6", "12.0"])
def test_a_launch_beyond_the_limits_is_refused(capability: str) -> None:
    limits = GPULimits.by_capability(capability)
    with EmulatedDevice(compute_capability=capability) as device:
        kernel = device.load("retrace_today/limits/barrier-cluster.cu").kernel("barrier_cluster")
        found = device.upload(np.zeros(1, np.uint64))
        if limits.cluster:
            kernel(8, 32, np.uint32(16), found, cluster=8)
            assert device.download(found).tolist() == [16]
        with pytest.raises(OneLineError, match=r"kernel barrier_cluster: .*cluster"):
            kernel(16, 32, np.uint32(16), found, cluster=16)
        grid = device.load("retrace_today/limits/barrier-grid.cu").kernel("barrier_grid")
        if limits.cooperative_launch:
            grid(3, 32, np.uint32(16), found, cooperative=True)
        else:
            with pytest.raises(OneLineError, match="kernel barrier_grid: needs cooperative launches"):
                grid(3, 32, np.uint32(16), found, cooperative=True)
        with pytest.raises(OneLineError, match=f"not from 0 to {limits.shared_of_block}"):
            grid(1, 32, np.uint32(16), found, shared=limits.shared_of_block + 1)


def test_what_a_gpu_lacks_is_skipped_before_anything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cuda_on_cpu.device.build_emulator", pytest.fail)
    old = SharedDevice(lambda: EmulatedDevice(compute_capability="8.6"))
    case = Measurement(
        request=Request("bfs/cluster", "emulator", Query(0), lambda: EmulatedDevice(compute_capability="8.6"))
    )
    case.prepare(NAMED["grid"], Effort(trials=1, budget_s=60), old)
    assert (case.status, case.reason) == (
        "skipped", "needs thread-block clusters, from compute capability 9.0 on; this GPU has 8.6",
    )  # fmt: skip
    with (
        EmulatedDevice(compute_capability="8.6") as device,
        pytest.raises(LacksError, match="cluster: needs"),
    ):
        make("bfs/cluster", device)


def test_a_choice_ranks_and_sets_up_only_what_the_gpu_can_run() -> None:
    for name in ("bfs/auto", "sssp/auto", "stcon/auto", "betweenness/auto"):
        kind = find(name)
        assert issubclass(kind, Choice)
        for limits in BY_CAPABILITY.values():
            able = kind.able(limits)
            assert kind.missing_from(limits) is None
            assert able.keys() == {*kind.candidates}
            assert all(one.missing_from(limits) is None for one in able.values())
            files = kind.sources_on(limits)
            least = {"bfs/auto": 16, "stcon/auto": 16, "sssp/auto": 1}
            by_cluster = limits.cluster >= least.get(name, 17)
            assert any("cluster.cu" in file for file in files) == by_cluster
        assert kind.able(HOPPER) == {candidate: candidate for candidate in kind.candidates}


def test_a_choice_leaves_out_what_has_no_stand_in_that_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AutoBFS, "stand_ins", {ClusterBFS: OneBlockBFS})
    assert AutoBFS.able(OLDEST) == {ClusterBFS: OneBlockBFS, QueueBFS: QueueBFS}
    monkeypatch.setattr(AutoBFS, "faster_with", {ClusterBFS: Needs()})
    assert AutoBFS.able(OLDEST)[ClusterBFS] is OneBlockBFS
    assert AutoBFS.able(BLACKWELL)[ClusterBFS] is ClusterBFS


FOLLOWING = (
    "bfs/cluster", "bfs/one-block:predecessors=yes", "bfs/auto:crossover=1,deep=1", "bfs/auto:crossover=1",
    "stcon/cluster", "stcon/one-block", "stcon/auto:crossover=1,deep=1",
    "sssp/cluster", "sssp/one-block:predecessors=yes", "sssp/auto:deep=1", "sssp/auto", "sssp/host-arcs",
    "betweenness/host-arcs:block_size=32", "betweenness/lane-queues", "betweenness/lane-queues:team=block",
    "betweenness/bitmap-queue", "betweenness/auto:crossover=1,least_sources=1",
)  # fmt: skip
"""Solvers that follow the limits: what others do is the same on every GPU that can run them."""


@pytest.mark.parametrize("capability", ["5.0", "7.5", "8.6", "12.0"])
@pytest.mark.parametrize("spec", FOLLOWING)
def test_a_solver_that_follows_the_limits_is_right_or_says_what_lacks(spec: str, capability: str) -> None:
    for name in ("grid", "two components", "star"):
        opening = partial(EmulatedDevice, compute_capability=capability)
        told = run_kernels.outcome(spec, partial(run_kernels.search, opening, spec, NAMED[name]))
        limits = GPULimits.by_capability(capability)
        lacks = find(spec).missing_from(limits) is not None
        assert told.startswith("skipped, " if lacks else "agrees"), told


@pytest.mark.parametrize(
    ("capability", "deep", "flat"),
    [("5.0", ["one-block", "one-block", "one-block"], ["block-queue", "bsp"]),
     ("8.6", ["one-block", "one-block", "one-block"], ["direction", "near-far"]),
     ("12.0", ["one-block", "cluster", "one-block"], ["direction", "near-far"]),
     ("9.0", ["cluster", "cluster", "cluster"], ["direction", "near-far"])],
)  # fmt: skip
def test_a_choice_takes_what_the_gpu_has(capability: str, deep: list[str], flat: list[str]) -> None:
    specs = ["bfs/auto:crossover=1,deep=1", "sssp/auto:deep=1", "stcon/auto:crossover=1,deep=1"]
    specs += ["bfs/auto:crossover=1,deep=99", "sssp/auto:deep=99"]
    for spec, variant in zip(specs, deep + flat, strict=True):
        with EmulatedDevice(compute_capability=capability) as device:
            solver = make(spec, device)
            solver.setup(NAMED["grid"])
            solver.upload(Query(0, 9 if spec.startswith("stcon") else None))
            assert isinstance(solver, Choice)
            assert solver.chosen.variant == variant


def test_the_page_says_which_gpu_runs_what() -> None:
    page = (ROOT / "docs/adding-a-gpu.md").read_text(encoding="utf-8")
    assert with_table(page) == page, "docs/adding-a-gpu.md is stale; write it anew with: make pages"
    head, _, maxwell = (line.split(" | ") for line in page.partition(BEGIN)[2].splitlines()[2:5])
    cells = dict(zip(head, maxwell, strict=True))
    for report in ("bsp-suite", "tuwien-sssp", "hong-bfs", "domitrz-brandes", "an-bellman-ford"):
        assert cells[report].startswith("all "), report  # their own cards were of 5.0 and 5.2
