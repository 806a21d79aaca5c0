"""Betweenness of today under several schedules: searches mark the same vertices and add to one score."""

from __future__ import annotations

import pytest

from cuda_on_cpu.device import EmulatedDevice
from graphs import graph
from retrace.solvers import Query
from solving import solved
from test_races import (
    RACING,
    assert_blocks_add_up,
    assert_same_answer,
    assert_scores_on_small_levels,
    on_small_levels,
)


@pytest.mark.parametrize("name", ["betweenness/lane-queues:team=grid"])
@pytest.mark.parametrize("which", RACING)
def test_no_schedule_changes_an_answer_of_the_whole_grid(name: str, which: str) -> None:
    assert_same_answer(name, which)


@pytest.mark.parametrize(
    "name", ["lanes", "lane-queues:few=1", "lane-queues:lanes=128,few=1", "lane-queues:team=grid,few=1"]
)
@on_small_levels
def test_queues_of_lanes_on_small_levels(
    name: str, which: str, sources: tuple[int, ...], threads: int
) -> None:
    assert_scores_on_small_levels(name, which, sources, threads)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "blocks", "seed"),
    [
        *(
            ("lanes", 2, seed) for seed in (11, 18)
        ),  # of forty, those that show an addition without its atomic
        *(("bitmap-queue", 2, seed) for seed in (1, 3)),
        ("lane-queues:few=0,filter_kib=1", 4, 11),
        *(("lane-queues:filter_kib=1", 4, seed) for seed in (1, 2)),
    ],  # of forty seeds, some that show an addition without its atomic; a small filter is soon copied
)
def test_searches_of_two_blocks_add_to_the_same_scores(name: str, blocks: int, seed: int) -> None:
    assert_blocks_add_up(name, blocks, seed)


def test_a_pass_waits_for_all_who_have_seen_the_last_one_end() -> None:
    """Most searches end where they begin, so that passes follow one another at once."""
    sinks = graph(203, [(hub, v, 1) for hub in range(3) for v in range(3, 203)])
    for seed in range(4):
        with EmulatedDevice(seed) as device:
            spec = "betweenness/lane-queues:team=grid,block_size=32"
            assert not solved(spec, sinks, Query(), device).download().any()
