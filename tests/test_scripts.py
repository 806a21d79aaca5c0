"""Every script: what it says to what it cannot do, in one line, with nothing left behind."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fabricated import record
from graphs import graph
from retrace.graphs.csr import save
from retrace.records.record import write_records

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").glob("*.py"))


def refused(status: int, script: str, *arguments: object, cwd: Path) -> str:
    """Run a script that must not succeed, and return its one line."""
    command = [sys.executable, ROOT / "scripts" / script, *arguments]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, timeout=60, cwd=cwd
    )
    assert done.returncode == status, done.stderr
    assert not done.stdout
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_wrong_option_takes_one_line(script: str, tmp_path: Path) -> None:
    assert refused(2, script, "--bogus", cwd=tmp_path).endswith(f"see {script} --help\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (["--trials", 0], "--trials: 0, expected at least 1"),
        (["--budget-s", 0], "--budget-s: 0, expected more than 0"),
        (["--budget-s", "nan"], "--budget-s: nan, expected more than 0"),
        (["--solvers", "bfs/queue", "bfs/queue"], "bfs/queue is given twice"),
        (["--solvers", "bfs/queue", "generate/tree-first"], "not both"),
        (["--solvers", "bfs/nope"], "no solver is called bfs/nope; there are bfs/"),
        (["--output", "."], "it is a folder"),
        ([], "its graph.json has no source for bfs; measure a graph that get_graph.py"),
        (["--solvers", "stcon/bsp"], "its graph.json has no pairs for stcon"),
        (["--solvers", "betweenness/vert"], "cannot be recorded: graph: 'origin' is a required property"),
        (["--update", "--output", "torn.jsonl"], "torn.jsonl:1: not a JSON object"),
        (["--output", "graph/graph.json/x"], "is a file"),
    ],
)
def test_measuring_is_refused_before_it_begins(asked: list[object], complaint: str, tmp_path: Path) -> None:
    info = {"origin": "generated", "edition": "tree-first", "weights": "file", "seed": 1, "source": 0}
    whole = graph(2, [(0, 1, 1)])
    bare = "graph.json has" in complaint or "recorded" in complaint
    save(replace(whole, info={**whole.info, **({} if bare else info)}), tmp_path / "graph")
    (tmp_path / "torn.jsonl").write_text("{")
    before = sorted(tmp_path.rglob("*"))
    usual = ["--experiment", "table-3.3", "--graph", "graph", "--backend", "emulator"]
    usual += ["--solvers", "bfs/queue", "--output", "out.jsonl"]
    assert complaint in refused(1, "measure.py", *usual, *asked, cwd=tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("script", "asked"),
    [
        ("make_figure.py", ["--figure", "figure-3.3", "--published", "empty.csv"]),
        ("make_table.py", ["--table", "table-3.3", "--published", "empty.csv"]),
        ("make_claims.py", ["--claims", "empty.csv"]),
    ],
)
def test_a_file_of_what_is_published_has_rows(script: str, asked: list[str], tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("table\n")
    write_records(tmp_path / "r.jsonl", [record("bfs/queue", "NY")])
    told = refused(1, script, *asked, "--records", "r.jsonl", "--output-prefix", "x", cwd=tmp_path)
    assert "empty.csv: has no rows" in told


@pytest.mark.parametrize(
    ("output", "file", "complaint"),
    [("m.json", "mine.cu", "expected a file under"), (".", ROOT / "kernels/bfs/bsp.cu", "it is a folder")],
)
def test_what_cannot_be_built(output: str, file: object, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "mine.cu").touch()
    told = refused(1, "build_kernels.py", "--backend", "emulator", "--output", output, file, cwd=tmp_path)
    assert complaint in told
    assert [path.name for path in tmp_path.iterdir()] == ["mine.cu"]


def test_a_table_that_cannot_be_written(tmp_path: Path) -> None:
    write_records(tmp_path / "r.jsonl", [record("bfs/queue", "NY")])
    told = refused(
        1, "make_verification.py", "--records", "r.jsonl", "--output-prefix", "r.jsonl/x", cwd=tmp_path
    )
    assert "is a file); check the path" in told
