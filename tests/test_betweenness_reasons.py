"""Variants that measure the reasons of domitrz-brandes: what they count, and how their memory lies."""

from __future__ import annotations

import numpy as np
import pytest

from cuda_on_cpu.device import EmulatedDevice
from graphs import graph
from retrace.graphs.query import Query
from solving import solved

FORK = graph(5, [(0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 4, 1), (2, 4, 1), (3, 4, 1)], directed=False)
"""Three paths from vertex 0 to vertex 4."""


@pytest.mark.parametrize(
    ("spec", "additions"),
    # from vertex 0: 6 to sigma; to delta, but for the source's, one for each arc to a later level or for each
    # virtual vertex with such an arc; to the score of 1, 2 and 3 one each
    [("edge-counted", 6 + 3 + 3), ("vert-virt-stride-counted", 6 + 3 + 3),
     ("edge-counted:block_size=32", 12), ("vert-virt-stride-counted:mdeg=1", 12)],
)  # fmt: skip
def test_atomic_additions_are_counted(spec: str, additions: int) -> None:
    with EmulatedDevice() as device:
        found = solved(f"betweenness/{spec}", FORK, Query(sources=(0,)), device)
        assert found.observed()["atomic_additions"] == additions
        found.predict_seconds(Query(sources=(0,)))
        found.upload(Query(sources=(0,)))
        found.solve(Query(sources=(0,)))
        assert found.observed()["atomic_additions"] == additions


@pytest.mark.parametrize(("mdeg", "to_delta"), [(1, 6), (2, 4), (4, 2), (64, 1)])
def test_a_virtual_vertex_adds_once(mdeg: int, to_delta: int) -> None:
    """From a leaf of a star, its centre has six later neighbours and is split."""
    star = graph(8, [(0, leaf, 1) for leaf in range(1, 8)], directed=False)
    with EmulatedDevice() as device:
        for spec, additions in {f"vert-virt-stride-counted:mdeg={mdeg}": to_delta, "edge-counted": 6}.items():
            found = solved(f"betweenness/{spec}", star, Query(sources=(1,)), device)
            assert found.observed()["atomic_additions"] == 7 + additions + 1, spec


def test_each_block_has_an_allocation_of_its_own() -> None:
    with EmulatedDevice() as device:
        found = solved("betweenness/vert-separate:blocks=3", FORK, Query(), device)
        assert len(found.parts) == 3
        assert device.download(found.workspace).view(np.uint64).tolist() == [
            part.address for part in found.parts
        ]
        assert len({part.address for part in found.parts}) == 3
        assert {part.size for part in found.parts} == {found.block_bytes()}


def test_entries_of_all_blocks_lie_side_by_side() -> None:
    with EmulatedDevice() as device:
        found = solved("betweenness/vert-interleaved:blocks=5", FORK, Query(), device)
        sigma = device.download(found.workspace)[: 5 * 5 * 8].view(np.float64).reshape(5, 5)
        assert sigma[:, 0].tolist() == [1, 1, 1, 1, 3]  # of block 0, whose source is vertex 0
        assert sigma[:, 4].tolist() == [3, 1, 1, 1, 1]
