"""What `sssp/standard-counted` counts and times beside its search."""

from __future__ import annotations

import numpy as np
import pytest

from cuda_on_cpu.device import EmulatedDevice
from graphs import graph
from retrace.graphs.query import Query
from solving import solved


@pytest.mark.parametrize(
    ("heads", "sectors"),
    [([4, 5, 6, 7], 1 + 1), ([4, 8, 12, 16], 1 + 4), ([4, 5, 8, 9], 1 + 2), ([7, 8, 7, 8], 1 + 2)],
)
def test_lanes_that_read_from_one_sector_read_it_once(heads: list[int], sectors: int) -> None:
    """The source, vertex 20, reads vertices 0 to 3, one after the other; they read a head each, together."""
    arcs = [(20, leaf, 1) for leaf in range(4)] + [(leaf, head, 1) for leaf, head in enumerate(heads)]
    with EmulatedDevice() as device:
        for block_size in (8, 32, 256):
            asked = f"sssp/standard-counted:block_size={block_size}"
            found = solved(asked, graph(21, arcs), Query(20), device).observed()
            assert found["label_reads"] == 8
            assert found["label_sectors"] == sectors + 3  # the source's reads are no neighbours in time


def test_searches_on_the_host_are_timed_apart() -> None:
    path = graph(40, [(u, u + 1, 1) for u in range(39)])
    with EmulatedDevice(seed=None) as device:
        found = solved("sssp/standard-counted", path, Query(0), device)
        assert len(found.searches_ms) == len(found.found_at) + 1
        found.found_at, found.searches_ms = [0, 4, 39, 3, 2], [1.0, 9.0, 5.0, 2.0, 9.0, 7.0]
        told = found.observed()
        assert told["early_search_ms"] == np.median([1.0, 2.0, 9.0])
        assert told["whole_search_ms"] == 7.0
        found.found_at, found.searches_ms = [4], [1.0, 9.0]
        assert "early_search_ms" not in found.observed()


def test_what_counts_finds_masked_vertices_where_its_like_does() -> None:
    one_way = graph(6, [(u + 1, u, 1) for u in range(5)])  # against the order in which the threads run
    with EmulatedDevice(seed=None) as device:
        both = [
            solved(f"sssp/{name}", one_way, Query(5), device) for name in ("standard-counted", "standard")
        ]
        assert both[0].observed()["first_masked"] == both[1].observed()["first_masked"] == 2
