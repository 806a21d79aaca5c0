"""What predecessors add to our own searches, by the committed records."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from test_readme_numbers import OF_H100, RECORDS

MOST = 0.15
"""What predecessors may add to a search on a resident graph, as a share."""


def same_search(record: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a search without predecessors and one with them have in common."""
    others = {key: value for key, value in record["parameters"].items() if key != "predecessors"}
    return record["experiment"], record["graph"]["name"], record["solver"], *sorted(others.items())


def added(without: dict[str, Any], with_them: dict[str, Any]) -> float:
    """Return what predecessors add, as a share: the median over rounds of trials.

    In a round, one search follows the other, so that both meet a host that is slower for a while. Medians
    of all trials would compare one at its slow times with the other at its fast ones.
    """
    rounds = zip(without["trials"], with_them["trials"], strict=False)
    return statistics.median(after["again"] / before["again"] for before, after in rounds) - 1


def pairs(records: list[dict[str, Any]]) -> dict[tuple[Any, ...], float]:
    """Return what predecessors add to each search that was repeated without and with them."""
    found: dict[str, dict[tuple[Any, ...], dict[str, Any]]] = {"no": {}, "yes": {}}
    for record in records:
        if "predecessors" in record["parameters"] and "again" in (record["trials"] or [{}])[0]:
            found[record["parameters"]["predecessors"]][same_search(record)] = record
    return {key: added(found["no"][key], one) for key, one in found["yes"].items() if key in found["no"]}


@pytest.mark.parametrize("records", [RECORDS, OF_H100], ids=["h200", "h100"])
def test_predecessors_add_at_most_15_percent(records: list[dict[str, Any]]) -> None:
    shares = pairs(records)
    assert len(shares) > 45
    assert {key: share for key, share in shares.items() if share > MOST} == {}


def trials(*again: float) -> dict[str, Any]:
    return {"trials": [{"again": one} for one in again]}


def test_a_host_that_is_slower_for_a_while_says_nothing_of_predecessors() -> None:
    without, with_them = trials(36.5, 45.3, 36.2, 44.6, 47.0), trials(39.2, 48.8, 48.5, 47.1, 47.2)
    assert added(without, with_them) == pytest.approx(39.2 / 36.5 - 1)
    assert added(without, trials(*(1.2 * one["again"] for one in without["trials"]))) == pytest.approx(0.2)
