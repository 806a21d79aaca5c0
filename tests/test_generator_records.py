"""The generators as solvers that are measured: records, their checks, the table."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import make_table
import measure as measure_script
from retrace.check.generated import RandomGraphChecker
from retrace.devices.emulator import EmulatedDevice
from retrace.graphs.random import RandomGraph, named
from retrace.publish import generators
from retrace.publish.page import EMPTY, render
from retrace.records.record import Record, read_records, update_records, write_records
from retrace.solvers import Query
from retrace.solvers.generate import generate
from retrace.system import memory
from retrace.system.errors import RetraceError

SOLVERS = ["generate/tree-first", "generate/random-degree"]


def measured(folder: Path, monkeypatch: pytest.MonkeyPatch, graph: str = "random-8-5") -> list[Record]:
    """Measure both generators; the device's on the emulator."""
    output = folder / "generators" / f"{graph}.jsonl"
    arguments = ["--experiment", "generators", "--graph", graph, "--solvers", *SOLVERS, "--trials", "3"]
    asked = [*arguments, "--backend", "emulator", "--seed", "7", "--output", str(output)]
    monkeypatch.setattr(sys, "argv", ["measure.py", *asked])
    measure_script.main()
    return read_records([output])


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    return measured(tmp_path, monkeypatch)


def test_a_record_says_what_was_made(records: list[Record]) -> None:
    with EmulatedDevice() as device:
        for record in records:
            made = generate(record.solver, RandomGraph(256, 1280, 7), device)
            assert record.graph["sha256"] == record.digest == made.digest()
            assert record.graph["edition"] == record.solver.split("/")[1]
            assert (record.graph["name"], record.graph["seed"]) == ("random-8-5", 7)
            assert (record.graph["vertices"], record.graph["arcs"]) == (256, 1280)
            assert record.agreed
            assert record.source is None
    host, device_record = records
    assert (len(host.trials), len(device_record.trials)) == (3, 1)
    assert host.parameters == {
        "threads": host.parameters["threads"], "weight_low": 1, "weight_high": 100,
    }  # fmt: skip
    assert device_record.parameters == {"block_size": 256, "weight_low": 1, "weight_high": 100}
    assert host.oracle == "counts, ranges, distinct arcs, an earlier neighbour of each vertex"


def test_records_of_different_graphs_of_one_name_are_updated(records: list[Record], tmp_path: Path) -> None:
    path = tmp_path / "random-8-5.jsonl"
    write_records(path, records)
    update_records(path, records[1:])
    assert read_records([path]) == records
    other = replace(records[0], graph={**records[0].graph, "name": "random-9-5"})
    with pytest.raises(RetraceError, match="holds records of graph random-8-5, not random-9-5"):
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


def test_what_does_not_fit_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 1024)
    records = measured(tmp_path, monkeypatch)
    assert [record.reason for record in records] == ["needs 11.0 KiB of memory, 1.0 KiB are free"] * 2
    assert {record.graph["sha256"] for record in records} == {None}


def test_names_are_read() -> None:
    assert named("random-14-50", 3) == RandomGraph(2**14, 50 * 2**14, 3)
    with pytest.raises(RetraceError, match="graph NY: expected random-<log2"):
        named("NY", 1)


def on_gpu(record: Record, ms: float) -> Record:
    """Have a record be a GPU's."""
    trials: Any = [{**record.trials[0], "upload": 0.0, "solve": ms, "download": 0.0, "total": ms}]
    machine: Any = {**record.machine, "name": "h200"}
    return replace(record, backend="cuda", trials=trials, machine=machine)


def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host, device = measured(tmp_path, monkeypatch)
    wrong, _ = measured(tmp_path, monkeypatch, "random-10-5")
    wrong = replace(wrong, verified=False, reason="trial 1: no weights")
    records = [wrong, host, device, on_gpu(device, 0.64)]
    page = generators.page(records)
    (table,) = page.tables
    heads = [f"{group.heading}: {column}" for group in table.groups for column in group.columns]
    small, large = (
        {head: cell.text for head, cell in zip(heads, row.cells, strict=True)} for row in table.rows
    )
    assert [row.label for row in table.rows] == ["random-8-5", "random-10-5"]
    assert small[": Arcs"] == "1,280"
    assert small["h200: generate/random-degree: million arcs a second"] == "2.00"
    assert small["h200: generate/random-degree: total"] == "640 µs"
    assert small["local: generate/tree-first: total"] != EMPTY
    assert large["local: generate/tree-first: total"] == "not verified"
    assert large["local: generate/tree-first: million arcs a second"] == EMPTY
    assert not any("local: generate/random-degree" in head for head in heads)  # an emulator's times
    assert "random-10-5, generate/tree-first on local: not verified, trial 1: no weights." in page.notes[0]
    tidy = generators.tidy(records)
    assert tidy["arcs_per_second"].dropna().iloc[-1] == pytest.approx(2e6)
    assert set(tidy["sha256"]) == {record.graph["sha256"] for record in (wrong, host, device)}
    assert "very slow" in render(page, "html")


def test_the_command_writes_it(
    records: list[Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "generators/random-8-5.jsonl"
    asked = ["--records", str(path), "--output-prefix", str(tmp_path / "made")]
    monkeypatch.setattr(sys, "argv", ["make_table.py", "--table", "generators", *asked])
    make_table.main()
    assert "generate/tree-first" in (tmp_path / "made.md").read_text()
    assert (tmp_path / "made.csv").read_text().startswith("table,label,graph,")
    monkeypatch.setattr(sys, "argv", ["make_table.py", "--table", "table-2", *asked])
    with pytest.raises(RetraceError, match="--published: table-2 has printed numbers"):
        make_table.main()
