"""Scores as GAP and Graph500 report them, from records whose times and edges are known."""

import csv
from pathlib import Path
from statistics import fmean, harmonic_mean

import pytest

from fabricated import drawn, record
from retrace.check.graph500 import GRAPH500
from retrace.records.record import Record, write_records
from retrace_today.protocol_scores import EMULATED, ScoreProtocols

TIMES, EDGES = (4.0, 1.0, 2.0), (8_000_000, 3_000_000, 8_000_000)


def searches(backend: str = "host", **changes: object) -> Record:
    """Fabricate searches from three sources, whose further solves take `TIMES`."""
    one = drawn("bfs/queue", "random-12-5", oracle=f"a proof, {GRAPH500}", backend=backend)
    timed = zip(one.trials, TIMES, EDGES, strict=True)
    trials = [trial.model_copy(update={"again": ms, "edges": edges}) for trial, ms, edges in timed]
    return one.model_copy(update={"trials": trials, **changes})


def scores(tmp_path: Path, one: Record) -> dict[str, str]:
    """Return the row of a record."""
    path = tmp_path / "machines" / one.machine.name / one.experiment / f"{one.graph.name}.jsonl"
    path.parent.mkdir(parents=True)
    write_records(path, [one])
    ScoreProtocols(experiment=one.experiment, records=(path,), output_prefix=str(tmp_path / "scores")).run()
    (row,) = csv.DictReader((tmp_path / "scores.csv").open(encoding="utf-8"))
    return row


def cells_of_the_page(tmp_path: Path) -> list[list[str]]:
    """Return the cells of the page's table, its titles first, without the line that aligns them."""
    lines = (tmp_path / "scores.md").read_text(encoding="utf-8").splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    assert {len(row) for row in cells} == {len(cells[0])}
    return [cells[0], *cells[2:]]


def test_the_mean_is_of_times_and_the_rates_mean_is_harmonic(tmp_path: Path) -> None:
    row = scores(tmp_path, searches())
    assert float(row["mean_ms"]) == pytest.approx(fmean(TIMES), rel=1e-3)
    quartiles = [float(row[key]) for key in ("q1_ms", "median_ms", "q3_ms")]
    assert quartiles == [1.5, 2.0, 3.0]
    rates = [edges / ms / 1e6 for edges, ms in zip(EDGES, TIMES, strict=True)]  # 10^9 edges a second
    assert float(row["harmonic_mean_gteps"]) == pytest.approx(harmonic_mean(rates), rel=1e-3)
    assert (row["searches"], row["drawn"], row["trees"], row["remark"]) == ("3", "64", "valid", "")
    titles, shown = cells_of_the_page(tmp_path)
    assert dict(zip(titles, shown, strict=True)) == {
        "machine": row["machine"], "graph": row["graph"], "solver": "bfs/queue", "searches": "3",
        "drawn": "64", "mean ms": row["mean_ms"], "median ms": "2", "q1 ms": "1.5", "q3 ms": "3",
        "harmonic mean GTEPS": row["harmonic_mean_gteps"], "trees": "valid",
    }  # fmt: skip


def test_nothing_is_scored_that_was_not_timed_or_is_wrong(tmp_path: Path) -> None:
    wrong = scores(tmp_path / "a", searches(verified=False, reason="vertex 3: 4, expected 5"))
    assert (wrong["mean_ms"], wrong["trees"], wrong["remark"]) == ("", "", "wrong: vertex 3: 4, expected 5")
    emulated = scores(tmp_path / "b", drawn("bfs/bsp", "random-12-5", backend="emulator"))
    assert (emulated["mean_ms"], emulated["remark"]) == ("", EMULATED)
    _, shown = cells_of_the_page(tmp_path / "b")
    assert EMULATED in shown


def test_times_of_a_host_with_other_work_are_doubtful(tmp_path: Path) -> None:
    busy = searches()
    busy.trials[:] = [trial.model_copy(update={"others": 99.0}) for trial in busy.trials]
    row = scores(tmp_path, busy)
    assert row["mean_ms"]
    assert row["remark"].startswith("doubtful: ")


def test_what_was_skipped_is_in_no_row_but_named(tmp_path: Path) -> None:
    asked = {"sources": 64, "source_seed": 1}
    skipped = record(
        "bfs/queue", "random-12-5", status="skipped", reason="needs a GPU", trials=[], parameters=asked,
        source=None, verified=None, oracle=None, digest=None,
    )  # fmt: skip
    scores(tmp_path, skipped)
    page = (tmp_path / "scores.md").read_text(encoding="utf-8")
    assert "|" not in page
    assert f"\n- {skipped.machine.name}, bfs/queue on random-12-5: needs a GPU\n" in page


def test_without_edges_there_is_no_rate(tmp_path: Path) -> None:
    row = scores(tmp_path, record("bfs/queue", "random-12-5"))
    assert row["harmonic_mean_gteps"] == ""
    assert row["mean_ms"] == "10"
