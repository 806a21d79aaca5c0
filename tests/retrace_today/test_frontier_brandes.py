"""Betweenness by the grid or by clusters: rows of a lane, a warp and a block, levels of few arcs and many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from graphs import graph
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.query import Query
from retrace_today.betweenness.frontier_brandes import SHORT_ROW, choose_hub
from solving import DEVICES, make, open_device, solved

pytestmark = pytest.mark.usefixtures("kept_context")

HUBS = [(u, (u * u + 1) % 150, 1) for u in range(1, 150)] + [(0, u, 1) for u in range(1, 120)]
GRAPHS = {
    "hubs": graph(150, HUBS, directed=False),
    "hubs one way": graph(150, [*HUBS, *((u, 149, 1) for u in range(40, 149))]),
    "diamonds": graph(61, [arc for u in range(0, 60, 3) for arc in (
        (u, u + 1, 1), (u, u + 2, 1), (u + 1, u + 3, 1), (u + 2, u + 3, 1))], directed=False),
    "apart": graph(70, [(u, u + 2, 1) for u in range(66)], directed=False),
}  # fmt: skip


def scores(spec: str, whole: CSRGraph, query: Query, backend: str) -> np.ndarray:
    with open_device(backend) as device:
        return solved(f"betweenness/{spec}", whole, query, device).download()


@pytest.mark.long
@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize(
    ("settings", "sources"),
    [
        ("frontier:hub=1,sparse=0", (3, 0, 60)),
        ("frontier:hub=5,sparse=999", None),
        ("frontier:hub=50,sparse=4", (3, 0, 60)),
        ("frontier:sparse=0", None),
        ("cluster:hub=1,sparse=0,cluster=2", (3, 0, 60)),
        ("cluster:hub=5,sparse=999,blocks=2", None),
        ("cluster:hub=50,sparse=4,cluster=3,blocks=2", (3, 0, 60)),
        ("cluster:cluster=1", None),
        ("cluster:hub=1,cluster=1", (3, 0, 60)),
    ],
)
@pytest.mark.parametrize("which", GRAPHS)
def test_every_way_to_share_a_row_gives_the_scores(
    which: str, settings: str, sources: tuple[int, ...] | None, backend: str
) -> None:
    whole, query = GRAPHS[which], Query(sources=sources)
    expected = solved("betweenness/seq-array", whole, query).download()
    assert_allclose(scores(f"{settings},block_size=64", whole, query, backend), expected, rtol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("backend", DEVICES)
def test_large_graphs_and_offsets_of_64_bits(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """More vertices than the grid has lanes, and more of a level than fit into its warps once."""
    random = np.random.default_rng(9)
    tails, heads = random.integers(0, 5000, (2, 20_000), dtype=np.int32)
    query = Query(sources=(17, 4000))
    for most in (csr.MOST_ARCS, 1000):
        monkeypatch.setattr(csr, "MOST_ARCS", most)
        whole = from_arcs(5000, tails, heads, None, {"name": "test", "directed": True})
        if most > 1000:
            expected = solved("betweenness/seq-array", whole, query).download()
        assert whole.is_wide == (most == 1000)
        for settings in ("frontier:sparse=0", "frontier:sparse=64", "frontier:hub=10", "cluster:hub=10"):
            found = scores(f"{settings},block_size=128", whole, query, backend)
            assert_allclose(found, expected, rtol=1e-12)


def test_hubs_are_chosen_by_what_they_take_and_what_a_warp_would_have() -> None:
    def chosen(arcs: np.ndarray, blocks: int) -> int:
        long = np.flatnonzero(arcs > SHORT_ROW)
        return choose_hub(long, arcs[long], blocks)

    short = np.full(1000, 3)
    assert chosen(short, 132) == SHORT_ROW
    one = short.copy()
    one[500] = 100_000
    assert chosen(one, 132) == SHORT_ROW  # a block takes it in the time of two arcs
    together, apart = short.copy(), np.full(32 * 1000, 3)
    together[:160] = apart[: 32 * 160 : 32] = 1000
    assert chosen(together, 1) == SHORT_ROW  # a warp would have 32,000 arcs
    assert chosen(apart, 1) == 1024  # none would have more than some of 1,000
    assert chosen(apart, 16) == SHORT_ROW  # each block has only ten
    together[:30], together[30], together[31:160] = 250, 400, 3
    assert chosen(together, 1) == SHORT_ROW  # the warp with 400 has also 30 times 250
    random = np.random.default_rng(4)
    skewed = (20 / random.random(100_000) ** 0.6).astype(np.int64)
    assert [chosen(skewed, blocks) for blocks in (132, 16, 1)] == [256, 512, 2048]


@pytest.mark.parametrize("solver", ["frontier", "cluster"])
def test_chosen_hubs_are_those_that_are_sent(solver: str) -> None:
    """Of a graph whose hubs are only seen from behind, too."""
    arcs = [(u, 3, 1) for u in range(4, 400)] + [(0, u, 1) for u in range(1, 190)]
    whole = graph(400, arcs)
    with open_device("emulator") as device:
        searching: Any = solved(f"betweenness/{solver}", whole, Query(sources=(0, 7)), device)
        hubs, count = searching.rounds[0].arguments[5:7]
        assert (device.download(hubs).tolist(), count, searching.hub) == ([0, 3], 2, SHORT_ROW)
        expected = solved("betweenness/seq-array", whole, Query(sources=(0, 7))).download()
        assert_allclose(searching.download(), expected, rtol=1e-12)


def test_clusters_are_as_large_as_leaves_none_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = {16: 7, 8: 15, 4: 30}  # of an H200
    with open_device("emulator") as device:
        for sources, blocks in ((1, 16), (7, 16), (8, 8), (15, 8), (16, 4), (100, 4)):
            solver: Any = make("betweenness/cluster", device)
            solver.setup(GRAPHS["hubs"])
            monkeypatch.setattr(type(solver.module), "largest_cluster", lambda *_: 16)
            monkeypatch.setattr(type(solver.module), "resident_clusters", lambda *asked: at_once[asked[-1]])
            solver.upload(Query(sources=tuple(range(sources))))
            assert (solver.cluster, solver.blocks) == (blocks, min(sources, at_once[blocks]))
