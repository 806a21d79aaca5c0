"""Every script: what it says to what it cannot do, in one line, with nothing left behind."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import Call
from fabricated import record
from graphs import graph
from retrace.graphs.csr import save
from retrace.records.record import write_records
from retrace.reports.report import PUBLISHED

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").glob("*.py"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_wrong_option_takes_one_line(name: str, folder: Path, script: Call) -> None:
    assert script(name, "--bogus").refusal(2).endswith(f"see {name} --help\n")
    assert not list(folder.iterdir())


def test_a_script_runs_from_any_folder() -> None:
    command = [sys.executable, ROOT / "scripts/make_table.py", "--bogus"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [(["--trials", 0], "--trials: 0, expected at least 1"),
     (["--budget-s", 0], "--budget-s: 0, expected more than 0"),
     (["--budget-s", "nan"], "--budget-s: nan, expected more than 0"),
     (["--solvers", "bfs/queue", "bfs/queue"], "bfs/queue is given twice"),
     (["--solvers", "bfs/queue", "generate/tree-first"], "not both"),
     (["--solvers", "bfs/nope"], "no solver is called bfs/nope; there are bfs/"),
     (["--output", "."], "it is a folder"),
     ([], "its graph.json has no source for bfs; measure a graph that get_graph.py"),
     (["--solvers", "stcon/bsp"], "its graph.json has no pairs for stcon"),
     (["--solvers", "betweenness/vert"], "cannot be recorded: graph.origin: required, but missing"),
     (["--update", "--output", "torn.jsonl"], "torn.jsonl:1: not JSON"),
     (["--output", "graph/graph.json/x"], "is a file")],
)  # fmt: skip
def test_measuring_is_refused_early(asked: list[object], complaint: str, folder: Path, script: Call) -> None:
    info = {"origin": "generated", "edition": "tree-first", "weights": "file", "seed": 1, "source": 0}
    whole = graph(2, [(0, 1, 1)])
    bare = "graph.json has" in complaint or "recorded" in complaint
    save(replace(whole, info={**whole.info, **({} if bare else info)}), folder / "graph")
    (folder / "torn.jsonl").write_text("{")
    before = sorted(folder.rglob("*"))
    usual = ["--experiment", "table-3.3", "--graph", "graph", "--backend", "emulator"]
    usual += ["--solvers", "bfs/queue", "--output", "out.jsonl"]
    assert complaint in script("measure.py", *usual, *asked).refusal(1)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "asked"),
    [("make_figure.py", ["--figure", "figure-3.3"]), ("make_table.py", ["--experiment", "table-3.3"]),
     ("make_claims.py", [])],
)  # fmt: skip
def test_printed_numbers_have_rows(name: str, asked: list[str], folder: Path, script: Call) -> None:
    shutil.copy(PUBLISHED / "bsp-suite.yaml", "empty.yaml")
    (folder / "empty.csv").write_text("table\n")
    write_records(Path("r.jsonl"), [record("bfs/queue", "NY")])
    usual = ["--report", "empty.yaml", "--records", "r.jsonl", "--output-prefix", "x"]
    assert "empty.csv: has no rows" in script(name, *asked, *usual).refusal(1)


@pytest.mark.parametrize(
    ("output", "file", "complaint"),
    [("m.json", "mine.cu", "expected a file under"), (".", ROOT / "kernels/bfs/bsp.cu", "it is a folder")],
)
def test_what_cannot_be_built(output: str, file: object, complaint: str, folder: Path, script: Call) -> None:
    (folder / "mine.cu").touch()
    done = script("build_kernels.py", "--backend", "emulator", "--output", output, file)
    assert complaint in done.refusal(1)
    assert [path.name for path in folder.iterdir()] == ["mine.cu"]


def test_a_table_that_cannot_be_written(script: Call) -> None:
    write_records(Path("r.jsonl"), [record("bfs/queue", "NY")])
    done = script("make_verification.py", "--records", "r.jsonl", "--output-prefix", "r.jsonl/x")
    assert "is a file); check the path" in done.refusal(1)
    Path("bad.jsonl").write_text("{}\n")
    done = script("make_table.py", "--experiment", "mine", "--records", "bad.jsonl", "--output-prefix", "x/y")
    assert done.refusal(1).startswith("error: bad.jsonl:1: ")
    assert not Path("x").exists()
