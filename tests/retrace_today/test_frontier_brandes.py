"""Betweenness by the whole grid: rows of a lane, a warp and a block, levels of few arcs and of many."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from graphs import graph
from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph, from_arcs
from retrace.graphs.query import Query
from solving import DEVICES, open_device, solved

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
        return solved(f"betweenness/frontier:{spec}", whole, query, device).download()


@pytest.mark.long
@pytest.mark.parametrize("backend", DEVICES)
@pytest.mark.parametrize(
    ("settings", "sources"),
    [
        ("hub=1,sparse=0", (3, 0, 60)),
        ("hub=5,sparse=999", None),
        ("hub=50,sparse=4", (3, 0, 60)),
        ("sparse=0", None),
    ],
)
@pytest.mark.parametrize("which", GRAPHS)
def test_every_way_to_share_a_row_gives_the_scores(
    which: str, settings: str, sources: tuple[int, ...] | None, backend: str
) -> None:
    whole, query = GRAPHS[which], Query(sources=sources)
    expected = solved("betweenness/seq-array", whole, query).download()
    assert_allclose(scores(f"block_size=64,{settings}", whole, query, backend), expected, rtol=1e-12)


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
        for settings in ("sparse=0", "sparse=64", "hub=10"):
            found = scores(f"block_size=128,{settings}", whole, query, backend)
            assert_allclose(found, expected, rtol=1e-12)
