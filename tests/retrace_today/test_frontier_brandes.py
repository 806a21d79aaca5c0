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
