"""Solvers of today on each GPU: what they need, and what stands in for what it lacks."""

from functools import partial

import pytest

import run_kernels
from cuda_device.gpu_limits import BY_CAPABILITY, GPULimits, Needs
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED
from retrace.graphs.query import Query
from retrace.solvers import all_solvers, find, make
from retrace.solvers.bfs import QueueBFS
from retrace.system.project import KERNELS
from retrace_today.by_depth import AutoBFS
from retrace_today.choice import Choice
from retrace_today.cluster_searches import ClusterBFS
from retrace_today.frontier import FrontierSearch
from retrace_today.one_block import OneBlockBFS
from test_gpu_limits import BLACKWELL, HOPPER, OLDEST


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
