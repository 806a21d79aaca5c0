"""`solvers` and `machines`: what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import PROJECT, Call
from retrace.records.record import read_records, write_records
from retrace.solvers import REGISTRY
from retrace_commands import lists


def test_solvers_are_all_listed(call: Call) -> None:
    lines = call("solvers").out.splitlines()
    assert {line.split()[0] for line in lines[1:]} == set(REGISTRY.solvers)
    bsp = next(line.split() for line in lines if line.startswith("bfs/bsp "))
    assert bsp[1:3] == ["cuda", "emulator"]
    assert bsp[-1] == "block_size=256,loop=c++"


def test_committed_machines_are_listed(call: Call) -> None:
    lines = call("machines").out.splitlines()
    outcomes = ["verified", "wrong", "skipped", "failed"]
    assert lines[0].split() == ["machine", "GPU", "CPU", "records", *outcomes, "measured"]
    (h200,) = (line for line in lines if line.startswith("h200 ") and "NVIDIA H200" in line)
    numbers = re.search(r"((?: +\d+){5}) +\d{4}-\d\d-\d\d", h200)
    assert numbers is not None
    records, *by_outcome = map(int, numbers[1].split())
    found = read_records(sorted((PROJECT / "results/machines/h200").glob("*/*.jsonl")))
    wrong = sum(record.verified is False for record in found)
    skipped = sum(record.status == "skipped" for record in found)
    assert records == len(found) == sum(by_outcome)
    failed = [record for record in found if record.status == "failed"]
    assert by_outcome[1:] == [wrong, skipped, len(failed)]
    assert {record.solver for record in failed} == {"betweenness/cugraph"}  # path counts that overflow


def test_machines_without_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.setattr(lists, "MACHINES", tmp_path)
    assert "no machine has records" in call("machines").refusal(1)
    record = read_records([PROJECT / "results/machines/h200/table-3.3/NY.jsonl"])[0]
    write_records(tmp_path / "local/table-3.3/NY.jsonl", [record])
    assert "local (not committed)" in call("machines").out
    with (tmp_path / "local/table-3.3/NY.jsonl").open("a") as file:
        file.write("{}\n")
    done = call("machines")
    assert "local (not committed)" in done.out
    assert done.err.startswith("warning: local: 1 fault; the first: ")
    assert "NY.jsonl:2: " in done.err


def test_machines_are_listed_without_records_of_a_package_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.setattr(lists, "MACHINES", tmp_path)
    line = (PROJECT / "results/machines/h200/table-3.3/NY.jsonl").read_text().splitlines()[0]
    for name in ("first", "second"):
        (tmp_path / name / "table-3.3").mkdir(parents=True)
        of_machine = line.replace('"name":"h200"', f'"name":"{name}"')
        gone = of_machine.replace('"solver":"bfs/', '"solver":"bfs/gone-')
        assert line != of_machine != gone
        records = [gone] if name == "first" else [gone, of_machine]
        (tmp_path / name / "table-3.3/NY.jsonl").write_text("\n".join(records) + "\n")
    done = call("machines")
    assert [row.split()[0] for row in done.out.splitlines()] == ["machine", "second"]
    assert [told.split(":")[1].strip() for told in done.err.splitlines()] == ["first", "second"]
    assert "no solver is called bfs/gone-" in done.err


def test_explain_lists_what_a_solver_runs_with(call: Call) -> None:
    done = call("explain", "betweenness/vert:blocks=33", "--machine", "h200", "--backend", "emulator")
    assert done.status == 0
    rows = [re.split("  +", line) for line in done.out.splitlines()]
    assert rows[:3] == [
        ["setting", "value", "from"],
        ["blocks", "33", "its name"],
        ["block_size", "256", "the emulator's limit"],
    ]
    done = call("explain", "bfs/nothing")
    assert (done.status, done.err.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (
            ["bfs/bsp", "--machine", "nope"],
            "--machine: nope is no machine of config.yaml; expected h200 or h100",
        ),
        (["bfs/queue", "--backend", "cuda"], "--backend cuda: bfs/queue runs on host only"),
        (["limits/launch", "--backend", "emulator"], ""),
    ],
)
def test_explain_refuses_what_no_solver_or_machine_has(call: Call, asked: list[str], why: str) -> None:
    done = call("explain", *asked)
    assert done.status == bool(why)
    assert why in done.err
    assert call("explain", asked[0]).status == 0
