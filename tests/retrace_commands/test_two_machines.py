"""`retrace compare`: ratios of two machines' times, with an interval and a verdict."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np
import pytest

from command_line import Call
from fabricated import changed, graph_info, record, trial, without_answer
from figure_texts import assert_nothing_is_cut_or_overlaps
from retrace.records.record import Phase, Record, write_records
from retrace_commands.arguments import PHASES
from retrace_commands.chart_ratios import draw_ratios
from retrace_commands.comparison import COLUMNS, MachineComparison, compare_records, pair

pytestmark = pytest.mark.usefixtures("steady")

SVG = "{http://www.w3.org/2000/svg}"
TIMES = (9.9, 9.95, 10.0, 10.05, 10.1)


def timed(factor: float = 1.0, times: tuple[float, ...] = TIMES, **changes: Any) -> Record:
    graph = changes.pop("graph", "NY")
    return record("bfs/queue", graph, [time * factor for time in times], **changes)


def compared(a: Record, b: Record, phase: Phase = "total") -> MachineComparison:
    found = compare_records(a, b, phase)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(0.5, "faster"), (0.93, "faster"), (1.0, "same"), (1.5, "slower"), (1.04, "slower")],
)
def test_verdicts(factor: float, verdict: str) -> None:
    found = compared(timed(), timed(factor))
    assert found.ratio == pytest.approx(factor)
    assert found.verdict == verdict
    assert found.low is not None
    assert found.high is not None
    assert found.low <= factor <= found.high
    assert found.high / found.low < 1.05


def test_what_cannot_be_told() -> None:
    wide = (6.0, 9.0, 10.0, 12.0, 15.0)
    found = compared(timed(times=wide), timed(1.1, times=wide))
    assert found.verdict == "cannot tell"
    assert found.low is not None
    assert found.high is not None
    assert found.low < 1 < found.high
    alone = compared(timed(times=(10.0,)), timed(times=(10.0,)))
    assert (alone.low, alone.high, alone.verdict) == (None, None, "cannot tell")
    assert alone.cells[-2:] == ("-", "cannot tell")


def test_the_interval_holds_the_ratio_as_often_as_it_says() -> None:
    """95 of 100 intervals, about: medians of ten are few."""
    random, held = np.random.default_rng(7), 0
    for _ in range(60):
        a, b = (tuple(random.normal(centre, 1, 10).tolist()) for centre in (20, 24))
        found = compared(timed(times=a), timed(times=b))
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 24 / 20 <= found.high
    assert held >= 51


def test_the_interval_is_the_same_every_time() -> None:
    times = tuple(np.random.default_rng(3).normal(20, 3, 12).tolist())
    found = {
        (one.low, one.high) for one in (compared(timed(times=times), timed(1.1, times)) for _ in range(4))
    }
    assert len(found) == 1


def test_the_interval_is_that_of_medians() -> None:
    """A single quick trial moves the least time, but not the median."""
    usual = tuple(10 + k / 100 for k in range(10))
    found = compared(timed(times=(5.0, *usual)), timed(times=(10.05, *usual)))
    assert found.low is not None
    assert found.high is not None
    assert 0.98 < found.low <= found.high < 1.02


def test_phases() -> None:
    trials = [trial(time, time / 2, upload=2 * time) for time in TIMES]
    a = record("bfs/bsp", "NY", backend="cuda", setup=8.0, trials=trials)
    b = record("bfs/bsp", "NY", backend="cuda", setup=4.0, trials=[trial(5.0, 1.0, upload=2.0)] * 5)
    medians = {phase: compared(a, b, phase).first.median for phase in ("setup", "upload", "kernel", "total")}
    assert medians == {"setup": 8.0, "upload": 20.0, "kernel": 5.0, "total": 30.0}
    assert compare_records(timed(), timed(), "kernel") is None
    assert compare_records(timed(), timed(), "upload") is None  # of 0 ms
    assert get_args(Phase) == PHASES


def test_only_the_same_question_is_compared() -> None:
    a = timed()
    others = [
        timed(source=1), timed(graph=graph_info("NY", sha256="7" * 64)), timed(experiment="fast-bfs"),
        timed(parameters={"threads": 2}), changed(a, solver="bfs/scipy"),
    ]  # fmt: skip
    assert pair([a], others) == ([], 6)
    untimed = [
        without_answer("bfs/queue", "NY", "skipped", "too long"),
        timed(verified=False, reason="vertex 3: 4, expected 5"),
        record("bfs/bsp", "NY", backend="emulator"),
    ]
    assert pair([a], untimed) == ([], 1)
    b = timed(machine="rtx")
    assert pair([a, others[0]], [b]) == ([(a, b)], 1)


def test_generated_graphs_are_paired_by_their_name() -> None:
    made = [record("generate/tree-first", graph_info("random-14-5", sha256=f"{n}" * 64)) for n in (1, 2)]
    assert pair(made[:1], made[1:]) == ([(made[0], made[1])], 0)


def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name, factor in (("a", 1.0), ("b", 0.5)):
        found = [
            timed(factor, machine=name),
            record("bfs/bsp", "NY", machine=name, backend="cuda", parameters={"block_size": 64}),
        ]
        path = tmp_path / f"machines/{name}/table-3.3/NY.jsonl"
        path.parent.mkdir(parents=True)
        write_records(path, found[: 2 if name == "a" else 1])
    return tmp_path / "machines/a", tmp_path / "machines/b"


def test_the_command_prints_a_table_and_writes_csv(tmp_path: Path, call: Call) -> None:
    done = call("compare", *folders(tmp_path), "--output", tmp_path / "ratios.csv")
    assert (done.status, done.err) == (0, "")
    head, row, summary = done.out.splitlines()
    assert head.split()[:3] == ["experiment", "solver", "graph"]
    assert row.split()[:6] == ["table-3.3", "bfs/queue", "NY", "10", "5", "0.500"]
    assert row.endswith("faster")
    told = "1 compared, the second machine is: 1 faster, 0 slower, 0 same, 0 cannot tell; "
    assert summary == f"{told}1 timed records have no partner."
    with (tmp_path / "ratios.csv").open(newline="") as file:
        (line,) = csv.DictReader(file)
    assert tuple(line) == COLUMNS
    assert (line["first_ms"], line["first_trials"], line["second_ms"]) == ("10.0", "5", "5.0")
    assert float(line["low"]) <= 0.5 <= float(line["high"])
    assert (line["ratio"], line["verdict"], line["phase"]) == ("0.5", "faster", "total")


def test_a_spreadsheet_calculates_nothing(tmp_path: Path, call: Call) -> None:
    a, b = folders(tmp_path)
    for name, folder in zip("ab", (a, b), strict=True):
        formula = graph_info("NY", sha256="8" * 64).model_copy(update={"name": "=1+1"})
        write_records(folder / "table-3.3/=1+1.jsonl", [timed(0.7, (10.0,), graph=formula, machine=name)])
    assert call("compare", a, b, "--output", tmp_path / "ratios.csv").status == 0
    with (tmp_path / "ratios.csv").open(newline="") as file:
        assert {line["graph"] for line in csv.DictReader(file)} == {"NY", "'=1+1"}


def test_the_command_draws_each_ratio_with_its_interval(tmp_path: Path, call: Call) -> None:
    figure, table = tmp_path / "ratios.svg", tmp_path / "ratios.csv"
    a, b = folders(tmp_path)
    more = [timed(0.7, (10.0,), graph="NW", machine=name) for name in "ab"]  # one trial: no interval
    for folder, one in zip((a, b), more, strict=True):
        write_records(folder / "table-3.3/NW.jsonl", [one])
    assert call("compare", a, b, "--output", figure, "--output", table).status == 0
    assert table.exists()
    root = ElementTree.parse(figure).getroot()
    title, told = root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")
    assert title == "Total time of b over that of a: 2 solvers and graphs, 1 faster, 1 cannot tell"
    assert "95 %" in str(told)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    for word in ("table-3.3, NY", "table-3.3, NW", "bfs/queue", "0.500×", "1.00×"):  # noqa: RUF001
        assert word in texts
    ids = [element.get("id", "") for element in root.iter(f"{SVG}g")]
    assert sum(name.startswith("ratio-") for name in ids) == 2
    assert len(root.findall(f".//{SVG}g[@id='intervals']/{SVG}path")) == 1


def test_a_figure_of_many_ratios_has_a_row_for_each() -> None:
    graphs = [graph_info(f"random-{k}-5") for k in range(2, 30)]
    found = [compared(timed(graph=graph), timed(1 + k / 9, graph=graph)) for k, graph in enumerate(graphs)]
    axes = draw_ratios(found, 0, ("a", "b")).axes[0]
    rows = [label.get_text() for label in axes.get_yticklabels()]
    assert len(rows) == 2 * len(graphs)  # a graph's name, and its solver
    assert [rows[int(text.xy[1])] for text in axes.texts] == ["bfs/queue"] * len(graphs)


def test_a_figure_of_ratios_has_room_for_the_longest_name() -> None:
    parameters = {
        "block_size": 512,
        "compacted": "yes",
        "renumbered": "yes",
        "sources": 1056,
        "source_seed": 1,
    }
    named = {"solver": "betweenness/bitmap-queue", "problem": "betweenness", "parameters": parameters}
    pairs = [changed(timed(factor), **named) for factor in (1, 2)]
    assert_nothing_is_cut_or_overlaps(draw_ratios([compared(*pairs)], 0, ("a", "b")))


def test_an_experiment_alone_may_be_compared(tmp_path: Path, call: Call) -> None:
    a, b = folders(tmp_path)
    for folder in (a, b):
        path = folder / "fast-bfs/NY.jsonl"
        path.parent.mkdir()
        write_records(path, [timed(machine=folder.name, experiment="fast-bfs")])
    rows = call("compare", a, b).out.splitlines()[1:-1]
    assert [row.split()[0] for row in rows] == ["fast-bfs", "table-3.3"]
    rows = call("compare", a, b, "--experiment", "table-3.3").out.splitlines()[1:-1]
    assert [row.split()[0] for row in rows] == ["table-3.3"]
    told = call("compare", a, b, "--experiment", "table-3.4").refusal(1)
    assert "a: no records of table-3.4; there are fast-bfs, table-3.3" in told


def test_records_of_different_commits_are_compared_with_a_remark(tmp_path: Path, call: Call) -> None:
    """Two commits of one machine are what may be asked; of two machines a ratio is then of the code, too."""
    a, b = folders(tmp_path)
    software = timed().software.model_copy(update={"git_commit": "f" * 40})
    write_records(b / "table-3.3/NY.jsonl", [timed(0.5, machine="b", software=software)])
    *_, summary, remark = call("compare", a, b).out.splitlines()
    assert summary.startswith("1 compared")
    assert remark == "Of different commits: a is of 0123456789, b of ffffffffff; ratios are of the code, too."


def test_what_cannot_be_compared_is_refused(tmp_path: Path, call: Call) -> None:
    a, b = folders(tmp_path)
    told = call("compare", a, tmp_path / "none").refusal(1)
    assert "none: expected records, <experiment>/<graph>.jsonl, found none" in told
    told = call("compare", a, b, "--phase", "kernel").refusal(1)
    assert "no kernel of a solver that both timed on the same graph with the same settings" in told
    assert call("compare", a, b, "--output", "ratios.txt").status == 2
