"""What larger graphs would take, in cases whose outcome is known, and as docs/scaling.md says."""

from __future__ import annotations

import math
import runpy
import shlex
from typing import Any

import pytest

from command_line import PROJECT, Call
from cuda_device.errors import OneLineError
from retrace.records.record import read_records
from retrace_today.scores.search_cost import record_of, seconds_per_arc

SCRIPT = "retrace_today/scores/price_betweenness.py"
BITMAP, LANES = "betweenness/bitmap-queue", "betweenness/lane-queues"


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    return runpy.run_path(str(PROJECT / "scripts" / SCRIPT))


def test_a_search_takes_longer_where_fewer_blocks_fit(program: dict[str, Any]) -> None:
    small = program["Target"]("small", 1e6, 2e6)
    assert small.bytes == 4 * 3e6
    gpu = program["Gpu"](BITMAP, 1e-11, 100, small.bytes + 100 * 16e6 + 1, 1e9)
    assert (gpu.blocks_for(small), gpu.search_s(small)) == (100, pytest.approx(2e-5))
    gpu = program["Gpu"](BITMAP, 1e-11, 100, small.bytes + 26 * 16e6 - 1, 1e9)
    assert (gpu.blocks_for(small), gpu.search_s(small)) == (25, pytest.approx(8e-5))
    assert program["Gpu"](LANES, 1e-11, 100, small.bytes + 1, 1e9).search_s(small) == math.inf


def test_arcs_that_do_not_fit_are_read_twice_by_each_pass(program: dict[str, Any]) -> None:
    wide = program["Target"]("wide", 1e3, 3e9)
    assert wide.bytes == 4 * 3e9 + 8 * 1e3
    for solver, searches in ((BITMAP, 1), (LANES, 64)):
        gpu = program["Gpu"](solver, 1e-15, 1, 1e9, 1e9)
        assert gpu.search_s(wide) == pytest.approx(2 * 12 / searches)
    assert program["Target"]("vast", 3e9, 1e9).bytes == 8 * 1e9 + 4 * 3e9


def test_so_many_sources_bound_the_error(program: dict[str, Any]) -> None:
    sampled = program["sampled_sources"]
    assert sampled(1e6, 0.01, 0.9) == math.ceil(math.log(2e7) / 2e-4)
    assert sampled(1e6, 0.02, 0.9) == math.ceil(math.log(2e7) / 8e-4)
    assert sampled(1e6, 0.01, 0.99) == math.ceil(math.log(2e8) / 2e-4)
    assert sampled(100, 0.01, 0.9) == 100


def test_the_documentation_has_what_the_records_give(script: Call) -> None:
    text = (PROJECT / "docs/scaling.md").read_text()
    commands = text.replace("\\\n", " ").split(f"python scripts/{SCRIPT} ")[1:]
    assert len(commands) == 2
    for command in commands:
        done = script(SCRIPT, *shlex.split(command.splitlines()[0]))
        assert done.status == 0, done.err
        for line in done.out.splitlines()[2:]:
            assert line in text


@pytest.mark.parametrize("target", [("many", "1"), ("0", "1"), ("1", "nan")])
def test_a_target_has_two_numbers(target: tuple[str, str], script: Call) -> None:
    record = PROJECT / "results/machines/h200/fast-betweenness/NY-1056.jsonl"
    done = script(SCRIPT, "--record", record, "--solver", BITMAP, "--target", "name", *target)
    assert done.status == 1
    assert "expected a name, and two numbers above 0" in done.err


def test_the_cost_is_that_of_the_settings_asked_for() -> None:
    folder = PROJECT / "results/machines/h100-x2/betweenness-gpus"
    records = read_records([folder / "random-22-16-1024.jsonl"])
    alone, both = (
        record_of(records, f"betweenness/multi-gpu:devices={n},kernel=bitmap-queue") for n in (1, 2)
    )
    assert (alone.parameters["devices"], both.parameters["devices"]) == (1, 2)
    assert seconds_per_arc(alone) == pytest.approx(alone.trials[0].solve / 1e3 / (1024 * 2**26))
    assert seconds_per_arc(alone) > 1.9 * seconds_per_arc(both)
    with pytest.raises(OneLineError, match="has no times of betweenness/multi-gpu:devices=3 "):
        record_of(records, "betweenness/multi-gpu:devices=3")


def test_a_solver_whose_blocks_are_unknown_is_refused(script: Call) -> None:
    record = PROJECT / "results/machines/h200/fast-betweenness/Gowalla.jsonl"
    done = script(
        SCRIPT, "--record", record, "--solver", "betweenness/auto", "--target", "name", "1e6", "1e7"
    )
    assert done.status == 1
    assert "--solver: betweenness/auto: expected one of betweenness/bitmap-queue" in done.err
