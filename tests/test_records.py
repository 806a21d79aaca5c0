from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from fabricated import graph_info, record, trial, without_answer
from retrace.records.model import read_records, row_label, update_records, write_records
from retrace.records.statistics import Summary, order, summarise, too_noisy_to_rank
from retrace.solvers import GENERATORS, REGISTRY, Solver
from retrace.system.errors import RetraceError


def test_what_is_written_is_read(tmp_path: Path) -> None:
    records = [
        record("bfs/queue", "NY"),
        without_answer("bfs/bsp", "NY", "skipped", "no GPU", backend="cuda"),
    ]
    write_records(tmp_path / "h200" / "NY.jsonl", records)
    assert read_records([tmp_path / "h200" / "NY.jsonl"]) == records
    assert [path.name for path in (tmp_path / "h200").iterdir()] == ["NY.jsonl"]


def test_a_plain_dict_may_be_written(tmp_path: Path) -> None:
    one = record("bfs/queue", "NY")
    write_records(tmp_path / "NY.jsonl", [asdict(one)])
    assert read_records([tmp_path / "NY.jsonl"]) == [one]


@pytest.mark.parametrize("solver", [*REGISTRY.solvers.values(), *GENERATORS.solvers.values()])
def test_a_record_may_hold_every_setting(solver: type[Solver], tmp_path: Path) -> None:
    settings = replace(record("bfs/queue", "NY"), parameters=dict(solver.defaults))
    write_records(tmp_path / "r.jsonl", [settings])


def test_lines_are_compact_and_stable(tmp_path: Path) -> None:
    one = record("bfs/queue", "NY", trials=[trial(1.23456789)])
    turned: Any = dict(reversed(one.graph.items()))
    other = record("bfs/queue", turned, trials=one.trials)
    write_records(tmp_path / "a.jsonl", [one])
    write_records(tmp_path / "b.jsonl", [other])
    text = (tmp_path / "a.jsonl").read_text()
    assert text == (tmp_path / "b.jsonl").read_text()
    assert text.startswith('{"schema_version":1,"experiment":"table-3.3",')
    assert '"total":1.234568' in text


BREAKS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda r: r.pop("graph"), "'graph' is a required property"),
    (lambda r: r.update(colour="red"), "'colour' was unexpected"),
    (lambda r: r.update(backend="abacus"), "backend: "),
    (lambda r: r["graph"].update(arcs=-1), r"graph\.arcs: "),
    (lambda r: r["trials"][0].update(total=-1), r"trials\[0\]\.total: "),
    (lambda r: r["trials"][0].update(total=5), r"trials\[0\]\.total: expected upload"),
    (lambda r: r["trials"][0].update(total=float("nan")), "NaN is not a JSON number"),
    (lambda r: r.update(trials=[]), "trials: "),
    (lambda r: r.update(verified=None), "verified: "),
    (lambda r: r.update(oracle=None), "oracle: "),
    (lambda r: r.update(digest=None), "digest: "),
    (lambda r: r.update(verified=False), "reason: "),
    (lambda r: r.update(status="failed", verified=None), "reason: "),
    (lambda r: r.update(status="skipped", reason="no GPU"), "verified: "),
    (lambda r: r.update(solver="sssp/bsp"), "solver: "),
    (lambda r: r.update(started="yesterday"), "started: "),
    (lambda r: r.update(started="2026-01-31T12:00:00"), "started: expected a time zone"),
]


@pytest.mark.parametrize(("change", "complaint"), BREAKS)
def test_a_bad_line_is_named(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], complaint: str
) -> None:
    path = tmp_path / "NY.jsonl"
    write_records(path, [record("bfs/queue", "NY")])
    value = json.loads(path.read_text())
    change(value)
    path.write_text(path.read_text() + json.dumps(value) + "\n")
    with pytest.raises(
        RetraceError, match=rf"NY\.jsonl:2: {complaint}" if ": " in complaint else complaint
    ) as error:
        read_records([path])
    assert "NY.jsonl:2: " in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("line", ["", "{", "[]", "1", '"text"'])
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "NY.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(RetraceError, match=r"NY\.jsonl:1: "):
        read_records([path])


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(RetraceError, match=r"missing\.jsonl"):
        read_records([tmp_path / "missing.jsonl"])
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RetraceError, match=r"binary\.jsonl"):
        read_records([tmp_path / "binary.jsonl"])


def test_a_bad_record_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "NY.jsonl"
    write_records(path, [record("bfs/queue", "NY")])
    before = path.read_text()
    with pytest.raises(RetraceError, match="trials"):
        write_records(path, [record("bfs/queue", "NY"), record("bfs/queue", "NY", times=())])
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_update_replaces_what_is_of_the_same_subject(tmp_path: Path) -> None:
    path = tmp_path / "NY.jsonl"
    near, far = (record("stcon/bsp", "NY", parameters={"pair": pair}) for pair in ("near", "far"))
    update_records(path, [near, far])
    assert read_records([path]) == [near, far]
    again = replace(near, trials=[trial(1)], parameters={"pair": "near", "at_once": 8})
    added = record("stcon/two-queues", "NY", parameters={"pair": "near"})
    update_records(path, [again, added])
    assert read_records([path]) == [again, far, added]
    for other, what in (
        (record("bfs/queue", "NY"), "experiment table-3.4, not table-3.3"),
        (record("stcon/bsp", graph_info("NY", sha256="5" * 64)), "graph 000"),
        (record("stcon/bsp", "NY", machine="local"), "machine h200, not local"),
    ):
        with pytest.raises(RetraceError, match=rf"NY\.jsonl: holds records of {what}"):
            update_records(path, [other])
    assert read_records([path]) == [again, far, added]


def test_label_tells_sampled_sources() -> None:
    sampled = replace(record("bfs/queue", "NY"), parameters={"sources": 64, "source_seed": 1})
    assert sampled.label == "NY, 64 sources"
    substitute = replace(sampled, graph=graph_info("NY", origin="stand-in"))
    assert substitute.label == "NY, 64 sources (stand-in)"


def test_labels_never_call_a_substitute_by_the_name_alone() -> None:
    generated = graph_info("NW", weights="generated")
    assert row_label(graph_info("NY"), "sssp") == "NY"
    assert row_label(generated, "sssp") == "NW (weights generated)"
    assert row_label({**generated, "origin": "generated", "name": "random-14-5"}, "sssp") == "random-14-5"
    assert row_label(generated, "bfs") == row_label(generated, "stcon") == "NW"
    assert row_label(graph_info("NY", origin="stand-in", weights="generated"), "sssp") == "NY (stand-in)"


def test_summaries() -> None:
    summary = summarise(record("bfs/queue", "NY", times=[4, 1, 2, 3, 5], setup=7))
    assert summary == Summary(n=5, median=3, q1=2, q3=4, minimum=1)
    assert summarise(record("bfs/queue", "NY", setup=7), "setup") == Summary(3, 7, 7, 7, 7)
    assert summarise(record("bfs/queue", "NY"), "kernel") is None
    assert summarise(record("bfs/bsp", "NY", backend="cuda"), "kernel") == Summary(3, 5, 4.75, 5.25, 4.5)


def test_no_verified_answer_no_time() -> None:
    assert summarise(record("bfs/queue", "NY", verified=False, reason="vertex 3: 4, expected 5")) is None
    assert summarise(record("bfs/bsp", "NY", backend="emulator")) is None
    assert summarise(without_answer("bfs/bsp", "NY", "failed", "out of memory")) is None


def test_overlapping_quartiles_are_too_noisy_to_rank() -> None:
    low, high, wide = Summary.of([1, 2, 3]), Summary.of([5, 6, 7]), Summary.of([1, 4, 9])
    assert not too_noisy_to_rank(low, high)
    assert not too_noisy_to_rank(high, low)
    assert too_noisy_to_rank(low, wide)
    assert too_noisy_to_rank(wide, low)


def test_times_are_ordered_by_quartiles_and_two_per_cent() -> None:
    base = Summary.of([1.0, 1.001, 1.002])
    for factor, expected in ((1.03, -1), (1.01, 0), (1.0, 0), (0.99, 0), (0.97, 1)):
        assert order(base, Summary.of([factor, factor * 1.001, factor * 1.002])) == expected
    assert order(base, Summary.of([0.9, 1.5, 1.6, 0.8])) == 0
