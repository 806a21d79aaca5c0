"""The generators as solvers that are measured: their records and their checks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from command_line import Call
from cuda_device import memory
from cuda_device.errors import OneLineError
from cuda_on_cpu.device import EmulatedDevice
from fabricated import changed
from retrace.catalogue.setting import CORES
from retrace.check.generated import RandomGraphChecker
from retrace.graphs.random import RandomGraph, named
from retrace.records.record import Record, read_records, update_records, write_records
from retrace.solvers import Query
from retrace.solvers.generate import generate

SOLVERS = ["generate/tree-first", "generate/random-degree"]


@pytest.fixture
def records(tmp_path: Path, script: Call) -> list[Record]:
    """Measure both generators; the device's on the emulator."""
    output = tmp_path / "generators/random-8-5.jsonl"
    asked = ("--experiment", "generators", "--graphs", "random-8-5", "--solvers", *SOLVERS, "--trials", 3)
    done = script(
        "measure-experiment", *asked, "--backend", "emulator", "--seed", 7, "--output", output.parent
    )
    assert done.status == 0, done.err
    return read_records([output])


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 1024)


def test_a_record_says_what_was_made(records: list[Record]) -> None:
    with EmulatedDevice() as device:
        for record in records:
            made = generate(record.solver, RandomGraph(256, 1280, 7), device)
            assert record.graph.sha256 == record.digest == made.digest()
            assert record.graph.edition == record.solver.split("/")[1]
            assert (record.graph.name, record.graph.seed) == ("random-8-5", 7)
            assert (record.graph.vertices, record.graph.arcs) == (256, 1280)
            assert record.agreed
            assert record.source is None
            assert record.observed["components"] == 1
    host, device_record = records
    assert (len(host.trials), len(device_record.trials)) == (3, 1)
    weights = {"weight_low": 1, "weight_high": 100}
    assert host.parameters == {"threads": 0, **weights}
    assert host.observed["threads"] == host.cores == CORES
    assert device_record.parameters == {"block_size": 256, **weights}
    assert host.oracle == "counts, ranges, distinct arcs, an earlier neighbour of each vertex"


def test_records_of_different_graphs_of_one_name_are_updated(records: list[Record], tmp_path: Path) -> None:
    path = tmp_path / "random-8-5.jsonl"
    write_records(path, records)
    update_records(path, records[1:])
    assert read_records([path]) == records
    graph = records[0].graph.model_copy(update={"name": "random-9-5"})
    other = changed(records[0], graph=graph)
    with pytest.raises(OneLineError, match="holds records of graph random-8-5, not random-9-5"):
        update_records(path, [other])


def test_a_wrong_graph_and_another_one_are_not_verified() -> None:
    wanted = RandomGraph(100, 500, 1)
    right, other = (generate("generate/tree-first", RandomGraph(100, 500, seed)) for seed in (1, 2))
    checker = RandomGraphChecker(wanted)
    for _ in range(2):
        assert checker.check("generate/tree-first", Query(), right).verified
    reason = checker.check("generate/tree-first", Query(), other).reason
    assert reason == f"another graph of the same seed: {other.digest()} after {right.digest()}"
    looped = replace(right, indices=np.repeat(np.arange(100, dtype=np.int32), right.degrees()))
    assert not RandomGraphChecker(wanted).check("generate/random-degree", Query(), looped).verified


@pytest.mark.usefixtures("little_memory")
def test_what_does_not_fit_is_skipped(records: list[Record]) -> None:
    assert [record.reason for record in records] == ["needs 11.0 KiB of memory, 1.0 KiB are free"] * 2
    assert {record.graph.sha256 for record in records} == {None}


def test_names_are_read() -> None:
    assert named("random-14-50", 3) == RandomGraph(2**14, 50 * 2**14, 3)
    with pytest.raises(OneLineError, match="graph NY: expected random-<log2"):
        named("NY", 1)
