"""Solvers of today on each GPU: what they need, and what a choice takes where it is missing."""

from functools import partial

import pytest

import run_kernels
from cuda_device.errors import LacksError
from cuda_device.gpu_limits import BY_CAPABILITY, GPULimits, Needs
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, random_graph
from retrace.graphs.generators import road_stand_in
from retrace.graphs.query import Query
from retrace.solvers import all_solvers, find, make
from retrace.solvers.bfs import BlockQueueBFS, QueueBFS
from retrace.system.project import KERNELS
from retrace_today.auto_searches import AutoBFS
from retrace_today.choice import Choice
from retrace_today.cluster_searches import ClusterBFS
from retrace_today.frontier import DirectionBFS, FrontierSearch
from retrace_today.one_block import OneBlockBFS
from test_gpu_limits import BLACKWELL, HOPPER, OLDEST


def test_a_solver_whose_kernels_wait_for_other_blocks_declares_it() -> None:
    """Those of betweenness have kernels that do without, too."""
    without = {f"betweenness/{name}" for name in ("cluster", "host-arcs", "lane-queues", "multi-gpu")}
    for kind in all_solvers():
        if issubclass(kind, Choice) or kind.name in without:
            continue
        text = "".join((KERNELS / file).read_text(encoding="utf-8") for file in kind.sources)
        assert bool(kind.needs.cluster) == ("this_cluster()" in text), kind.name
        launches = {"sssp/host-arcs", "limits/barrier-grid", "betweenness/frontier"}
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
            assert set(able) <= {*kind.candidates}
            assert all(one.missing_from(limits) is None for one in able)
            files = kind.sources_on(limits)
            least = {"bfs/auto": 16, "stcon/auto": 16, "sssp/auto": 1, "betweenness/auto": 8}
            by_cluster = limits.cluster >= least[name]
            assert any("cluster.cu" in file for file in files) == by_cluster
        assert kind.able(HOPPER) == kind.candidates


def test_a_choice_leaves_out_what_cannot_run_or_is_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    assert AutoBFS.able(OLDEST) == (OneBlockBFS, BlockQueueBFS, QueueBFS)
    assert AutoBFS.able(BLACKWELL) == (OneBlockBFS, DirectionBFS, BlockQueueBFS, QueueBFS)
    monkeypatch.setattr(AutoBFS, "faster_with", {ClusterBFS: Needs()})
    assert AutoBFS.able(OLDEST) == (OneBlockBFS, BlockQueueBFS, QueueBFS)
    assert AutoBFS.able(BLACKWELL) == AutoBFS.candidates
    monkeypatch.setattr(AutoBFS, "candidates", (ClusterBFS,))
    monkeypatch.setattr(AutoBFS, "faster_with", {ClusterBFS: Needs(cluster=16)})
    assert AutoBFS.able(BLACKWELL) == (ClusterBFS,)  # slower than nothing
    assert AutoBFS.able(OLDEST) == ()


@pytest.mark.parametrize("name", ["bfs", "sssp", "stcon"])
def test_what_is_asked_for_and_cannot_run_is_said(name: str) -> None:
    with EmulatedDevice(compute_capability="8.6") as device:
        solver = make(f"{name}/auto:take=cluster", device)
        with pytest.raises(LacksError, match=rf"^{name}/auto: take=cluster: needs thread-block clusters"):
            solver.setup(NAMED["grid"])


FOLLOWING = (
    "bfs/cluster", "bfs/one-block:predecessors=yes", "bfs/auto", "bfs/auto:predecessors=yes",
    "stcon/cluster", "stcon/one-block", "stcon/auto",
    "sssp/cluster", "sssp/one-block:predecessors=yes", "sssp/auto", "sssp/host-arcs",
    "betweenness/host-arcs:block_size=32", "betweenness/lane-queues", "betweenness/lane-queues:team=block",
    "betweenness/bitmap-queue", "betweenness/auto",
)  # fmt: skip
"""Solvers that follow the limits: what others do is the same on every GPU that can run them."""


@pytest.mark.long
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
    graphs = [road_stand_in(264_346, 733_846, 1)] * 3 + [random_graph(200_000, 8)] * 2
    names = "bfs", "sssp", "stcon", "bfs", "sssp"
    for name, graph, variant in zip(names, graphs, deep + flat, strict=True):
        with EmulatedDevice(compute_capability=capability) as device:
            solver = make(f"{name}/auto", device)
            assert isinstance(solver, Choice)
            assert solver.ranked(graph, Query(0))[0].variant == variant
