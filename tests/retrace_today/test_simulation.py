"""The simulator of shards, in cases whose outcome is known."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from command_line import PROJECT, Call, rows
from retrace.records.record import read_records
from retrace_today.scores.search_cost import record_of, seconds_per_arc

SCRIPT = "retrace_today/scores/simulate_shards.py"
RECORD = PROJECT / "results/machines/h200/fast-betweenness/Gowalla.jsonl"
NEVER = 1e30


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return runpy.run_path(str(PROJECT / "scripts" / SCRIPT))


def outcome(program: dict[str, Any], gpus: int, shards: int, **changed: float) -> Any:
    usual = {"search_s": 1e6, "start_s": 0, "failure_s": NEVER, "checkpoint_s": 10, "slow": 0, "slowness": 2,
             "file_s": 0}  # fmt: skip
    return program["simulate"](program["Assumed"](**usual | changed), gpus, shards, 1)


def test_without_losses_every_gpu_counts(program: dict[str, Any]) -> None:
    for gpus in (1, 10, 1000):
        assert outcome(program, gpus, 4 * gpus).efficiency == pytest.approx(1)
    assert outcome(program, 10, 15).efficiency == pytest.approx(0.75)  # five GPUs wait for the others


def test_each_loss_is_as_long_as_it_should_be(program: dict[str, Any]) -> None:
    assert outcome(program, 10, 40, start_s=100).searched_s == pytest.approx(1e5 + 4 * 100)
    assert outcome(program, 10, 10, slow=1).searched_s == pytest.approx(2e5)
    assert outcome(program, 10, 40, file_s=7).gathered_s == 40 * 7
    assert outcome(program, 10, 40, file_s=7, fan_in=16).gathered_s == (16 + 3) * 7
    assert outcome(program, 10, 160, file_s=7, fan_in=16).gathered_s == (16 + 10) * 7


def test_failures_cost_half_a_checkpoint_and_a_start(program: dict[str, Any]) -> None:
    found = outcome(program, 1, 1, failure_s=1000, checkpoint_s=10, start_s=20)
    assert found.failures == pytest.approx(1000 * (1 + 0.025), rel=0.1)
    assert found.searched_s == pytest.approx(1e6 + found.failures * (5 + 20), rel=0.005)


def test_it_is_fed_by_a_record(script: Call, tmp_path: Path) -> None:
    asked = ["--record", RECORD, "--solver", "betweenness/lane-queues", "--name", "Gowalla", "--vertices"]
    done = script(
        SCRIPT, *asked, 142670, "--arcs", 1792812, "--gpus", 1, "--output-prefix", tmp_path / "found"
    )
    assert done.status == 0, done.err
    rate = seconds_per_arc(record_of(read_records([RECORD]), "betweenness/lane-queues"))
    assert 1e-12 < rate < 1e-11
    assert f"Gowalla: 0.0 GPU-hours of searches, {rate:.3g} s per source and arc" in done.out
    head, *table = rows(tmp_path / "found.csv")
    assert head[0] == "gpus"
    assert len(table) == 4
    assert (tmp_path / "found.svg").read_bytes().startswith(b"<?xml")
