"""A report is data: one YAML and one CSV file give it tables, figures and verdicts, without any code."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Call, refused
from cuda_device.errors import OneLineError
from fabricated import measured, phases, record
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.planning.configuration import project_keys
from retrace.publish import tables
from retrace.records.record import Record, write_records
from retrace.records.variant import Variant
from retrace.reports.frame import read_frame
from retrace.reports.report import PUBLISHED, load_report, load_reports, read_reports
from retrace.system.project import ROOT

REPORT = """
title: Shortest paths on a toaster
author: A. Student
problem: sssp
tables:
  toast:
    title: SSSP on a toaster
    number: Table 7
    rows: graphs
    solvers: {slow: sssp/dijkstra-heap, fast: sssp/bsp}
    speed_up: {of: sssp/bsp, over: sssp/dijkstra-heap}
figures:
  toasted: {experiment: toast, title: SSSP on a toaster, number: Figure 7, claim: toaster-wins}
claims:
  toaster-wins:
    section: "1"
    says: The toaster is faster.
    experiment: toast
    test: {faster: bsp, than: dijkstra-heap}
  toaster-is-cheap:
    section: "2"
    says: The toaster costs less.
"""
NUMBERS = """\
table,graph,vertices,arcs,system,hardware,name,occurrence,printed,ms,doubt
toast,NY,264346,733846,PC,Pentium II,slow,1,3 sec,3000,
toast,NY,264346,733846,Toaster,Two slots,fast,1,500 msec,500,
"""


CONTROL = "expected YAML, found: a control character"
FRONT = "problem: sssp\nfront: {{question: Why, claims: [{}], figure: {}}}"


def made_up(folder: Path) -> Path:
    (folder / "toaster.csv").write_text(NUMBERS)
    path = folder / "toaster.yaml"
    path.write_text(REPORT)
    return path


@pytest.fixture
def publish(tmp_path: Path, script: Call) -> Callable[..., str]:
    """Make an experiment's table and figure by their programs; returns the texts of all their files."""

    def make(report: Path | None, experiment: str, figure: str, *records: Record) -> str:
        write_records(tmp_path / "h200.jsonl", records)
        sources = ("--records", tmp_path / "h200.jsonl", *(("--report", report) if report else ()))
        table, drawing = tmp_path / "tables" / experiment, tmp_path / "figures" / figure
        asked = ("--experiment", experiment, "--figures", figure, "--output", tmp_path)
        done = script("publish-experiment", *asked, *sources)
        assert (done.status, done.err) == (0, "")
        assert sorted(path.suffix for path in table.parent.iterdir()) == [".csv", ".html", ".md"]
        files = (f"{table}.csv", f"{table}.html", f"{drawing}.svg")
        return "\n".join(Path(file).read_text() for file in files)

    return make


def test_a_made_up_report_gets_its_pages(tmp_path: Path, publish: Callable[..., str], script: Call) -> None:
    report = made_up(tmp_path)
    slow = record("sssp/dijkstra-heap", "NY", [99, 100, 101], experiment="toast")
    fast = record("sssp/bsp", "NY", [9, 10, 11], backend="cuda", experiment="toast")
    texts = publish(report, "toast", "toasted", slow, fast)
    for text in ("Table 7: SSSP on a toaster", "Toaster (Two slots)", "500 ms", "fast (sssp/bsp)"):
        assert text in texts
    asked = ("--records", tmp_path / "h200.jsonl", "--output-prefix", tmp_path / "claims/all")
    assert script("make-claims", "--report", report, *asked).status == 0
    assert sorted(path.suffix for path in (tmp_path / "claims").iterdir()) == [".csv", ".html", ".md"]
    claims = (tmp_path / "claims/all.md").read_text()
    assert re.search(
        r"toaster-wins .* The toaster is faster\. .* 10\.0 ms .* holds \(to [\d.]+ margins\) \|", claims
    )
    assert re.search(r"toaster-is-cheap .* cannot be told: nothing here measures it", claims)
    other = tmp_path / "claims/other.csv"
    other.write_text((tmp_path / "claims/all.csv").read_text().replace("toaster,", "oven,"))
    written = ("--output-prefix", tmp_path / "s/summary")
    done = script("make-claims-summary", "--claims", tmp_path / "claims/all.csv", other, *written)
    assert (done.status, done.err) == (0, "")
    lines = (tmp_path / "s/summary.csv").read_text().splitlines()
    heads = "holds,holds in part,does not hold,cannot be told,claims"
    assert lines == [f"machine,report,{heads}", "h200,oven,1,0,0,1,2", "h200,toaster,1,0,0,1,2"]
    assert "| all reports | 2 | 0 | 0 | 2 | 4 |" in (tmp_path / "s/summary.md").read_text()
    for damaged in ("", "a,b\n1,2\n", other.read_text().replace("holds", "held", 1)):
        other.write_text(damaged)
        told = script("make-claims-summary", "--claims", other, *written).refusal(1)
        assert "other.csv: expected a table of claims" in told
    assert "No such file" in script("make-claims-summary", "--claims", "none.csv", *written).refusal(1)
    without = report.with_name("silent.yaml")
    without.write_text(REPORT.partition("figures:")[0])
    silent = script("make-claims", "--report", without, *asked)
    assert "silent.yaml: claims: expected at least one" in silent.refusal(1)
    done = script("make-verification", *asked[:2], "--output-prefix", tmp_path / "v/all")
    assert done.out == "2 of 2 records verified.\n"
    assert (tmp_path / "v/all.html").exists()


EXTRA = {
    "bfs": ("table-3.3", "bfs/block-queue", "NY"),
    "stcon": ("table-3.4", "stcon/networkit", "NY"),
    "sssp": ("table-2", "sssp/dijkstra-heap", "random-12-5"),
    "generate": ("generators", "generate/random-degree", "random-12-5"),
    "bellman-ford": ("bellman-ford-sparse", "bellman-ford/dense", "NY"),
    "betweenness": ("brandes-mdeg", "betweenness/lanes", "Gowalla"),
}


@pytest.mark.parametrize("problem", EXTRA)
def test_a_named_solver_has_its_place(tmp_path: Path, publish: Callable[..., str], problem: str) -> None:
    experiment, solver, graph = EXTRA[problem]
    report = next(report for report in load_reports().values() if experiment in report.tables)
    figures = [n for n, f in report.figures.items() if f.experiment == experiment and f.shows_all]
    figure = figures[0] if figures else experiment
    times = phases(solve=5, kernel=4 if "cuda" in CATALOGUE.find(solver).backends else None)
    found = measured(solver, experiment, graph, times)
    texts = publish(PUBLISHED / f"{report.key}.yaml", experiment, figure, found)
    page, rest = texts.split("</html>")
    variant = solver.split("/")[1]
    assert solver in page.split("<html", 1)[0]  # the CSV
    assert variant in page.split("<html", 1)[1]
    assert variant in rest
    assert variant in (tmp_path / "tables" / f"{experiment}.md").read_text()


def test_an_experiment_of_no_report_gets_its_table_and_figure(publish: Callable[..., str]) -> None:
    found = measured("bfs/queue", "mine", "NY", phases(5)), measured("bfs/bsp", "mine", "NY", phases(1, 2, 1))
    texts = publish(None, "mine", "mine", *found)
    assert "The report prints no numbers" not in texts
    assert "bsp" in texts


@pytest.mark.parametrize(
    ("found", "put", "told"),
    [
        (
            "    says: The toaster costs less.",
            "    says: So.\n    missing: a\n    refuted: b",
            "claims.toaster-is-cheap: expected missing or refuted, found both",
        ),
        (
            "title: Shortest",
            "titel: Shortest",
            "titel: unknown key; did you mean title? expected one of key, title",
        ),
        ("author: A. Student\n", "", "author: required, but missing"),
        ("rows: graphs", "rows: columns", "tables.toast.rows: expected 'graphs', 'solvers' or 'ranked'"),
        ("faster: bsp", "quicker: bsp", "claims.toaster-wins.test: expected one of the keys faster"),
        ("claim: toaster-wins", "claim: toaster-loses", "figures.toasted.claim: toaster-loses is no claim"),
        ("    experiment: toast\n    t", "    t", "claims.toaster-wins: expected both experiment and test"),
        ("than: dijkstra-heap", "than: dijkstra-heap, by: speed", "claims.toaster-wins.test.faster.by"),
        ("title: Shortest", "title: [Shortest", "expected YAML"),
        ("title: Shortest", r'title: "\e[31m" #', f"{CONTROL}, '\\x1b'"),
        ("title: Shortest", r'title: "\x9b" #', f"{CONTROL}, '\\x9b'"),
        ("slow: sssp", r'"a\x7f": sssp', f"{CONTROL}, '\\x7f'"),
        ("problem: sssp", FRONT.format("toaster-wins", "burnt"), "front.figure: the report has no burnt"),
        (
            "problem: sssp",
            FRONT.format("toaster-wins", "toasted, answer: '{toaster-wins}, {toast}'"),
            "front.answer: the report has no toast; there are toaster-wins",
        ),
        ("problem: sssp", FRONT.format("lost", "toasted"), "front.claims: the report has no lost; there are"),
    ],
)
def test_an_unsound_report_is_refused_in_one_line(tmp_path: Path, found: str, put: str, told: str) -> None:
    path = made_up(tmp_path)
    path.write_text(REPORT.replace(found, put, 1))
    assert refused(load_report, path).startswith(f"{path}: {told}")


def test_two_reports_of_one_table_are_refused(tmp_path: Path) -> None:
    text = made_up(tmp_path).read_text()
    (tmp_path / "oven.yaml").write_text(text)
    with pytest.raises(OneLineError, match=r"tables\.toast: oven has it already; expected one"):
        read_reports(sorted(tmp_path.glob("*.yaml")))


def test_every_variant_that_a_report_names_is_a_solver() -> None:
    for report in load_reports().values():
        for layout in report.tables.values():
            specs = [*layout.solvers.values(), *(spec for group in layout.groups.values() for spec in group)]
            assert all(CATALOGUE.find(spec).name == spec for spec in specs), report.key
        for figure in report.figures.values():
            falls = (spec for fall in figure.falls for spec in (fall.kernel, fall.baseline, *fall.ours))
            for spec in [*(figure.series or {}).values(), *figure.pairs, *figure.pairs.values(), *falls]:
                assert CATALOGUE.find(report.variant(spec).solver)


def test_a_variant_is_read_as_it_is_written() -> None:
    one = Variant.parse("streams:parts=2", "bellman-ford")
    assert (one.solver, str(one)) == ("bellman-ford/streams", "streams:parts=2")
    assert one.fits("bellman-ford/streams", {"parts": 2, "block_size": 256})
    assert not one.fits("bellman-ford/streams", {"parts": 8})
    assert not one.fits("bellman-ford/streams-pinned", {"parts": 2})


def test_a_record_without_a_loop_fits_the_one_in_python() -> None:
    by = {loop: Variant.parse(f"bfs/bsp:loop={loop}") for loop in ("python", "c++")}
    assert by["python"].fits("bfs/bsp", {"block_size": 256})
    assert not by["c++"].fits("bfs/bsp", {"block_size": 256})
    assert by["c++"].fits("bfs/bsp", {"loop": "c++"})
    assert not by["python"].fits("bfs/bsp", {"loop": "c++"})
    for spec in ("streams", "bellman-ford/streams:parts"):
        with pytest.raises(OneLineError, match="is no solver; expected such as"):
            Variant.parse(spec)


def test_the_committed_records_fill_every_table() -> None:
    """A table of an experiment and a record of each cell: no two solvers have one name."""
    experiments = project_keys()["experiments"]
    owners = {name: path for path in PUBLISHED.glob("*.yaml") for name in load_report(path).experiments}
    filled = 0
    for experiment in experiments:
        records = sorted((ROOT / "results/machines/h200" / experiment).glob("*.jsonl"))
        report, frame = read_frame(owners.get(experiment), records)
        page = tables.page(frame, experiment, report)
        filled += bool(records and page.tables[0].rows)
    assert filled >= 15
