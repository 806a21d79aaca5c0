"""Every script: what it says to what it cannot do, in one line, with nothing left behind."""

from __future__ import annotations

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import forked_snakemake
from command_line import ENVIRONMENT, Call, Patch, program_of, python, refused
from cuda_device import compiled_files, memory
from cuda_device.compiled_files import naming_output
from cuda_device.errors import OneLineError
from fabricated import graph_info, record, without_answer
from graphs import graph
from retrace.graphs.csr import save
from retrace.graphs.dataset_registry import load_registry
from retrace.records.record import write_records
from retrace.reports.report import PUBLISHED
from retrace.system import project
from retrace.system.models import field_texts
from retrace.system.stage import CORE, option_of, stage_class, stage_places, words_of

ROOT = Path(__file__).parents[1]
WITHOUT_JOBS = {"make-results", "make-site", "write-schemas"}
STAGES = [*stage_places()]
STAGES_OF_CORE = [name for name, place in stage_places().items() if place.startswith(CORE)]
SCRIPTS = sorted(path.name for path in (ROOT / "scripts").glob("*.py") if path.name != "stage.py")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [*SCRIPTS, *STAGES])
def test_a_wrong_option_takes_one_line(name: str, folder: Path, script: Call) -> None:
    help_is_at = name if name in SCRIPTS else f"python -m retrace stage {name}"
    assert script(name, "--bogus").refusal(2).endswith(f"see {help_is_at} --help\n")
    assert not list(folder.iterdir())


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_describes_all_its_options(name: str, script: Call) -> None:
    """Each field is an option, and has a text."""
    done = script(name, "--help")
    kind = stage_class(name)
    assert (done.status, done.err) == (0, "")
    texts = field_texts(kind)
    assert kind.model_fields.keys() == texts.keys()
    assert all(text.endswith(".") for text in texts.values()), texts
    assert set(re.findall(r"^  (--[\w-]+)", done.out, re.MULTILINE)) == {*map(option_of, texts)}


def test_the_stages_are_listed(script: Call) -> None:
    listed = re.findall(r"^  ([a-z-]+) +[A-Z]\S", script("--help").out.partition("stages")[2], re.MULTILINE)
    assert listed == STAGES
    assert script("no-such").refusal(2).endswith("see python -m retrace stage --help\n")


@pytest.mark.parametrize("name", STAGES_OF_CORE)
def test_a_job_is_made_of_its_own_stage(name: str) -> None:
    """An edit of another stage does not run it again."""
    code = {str(Path(file).relative_to(ROOT)) for file in project.stage_code(name)}
    assert {file for file in code if "/stages/" in file} == {project.stage_module(name)}
    assert {"scripts/retrace/system/stage.py", "scripts/retrace/system/errors.py"} <= code


def test_warnings_go_where_they_are_wanted(folder: Path, script: Call, monkeypatch: Patch) -> None:
    monkeypatch.setattr(memory, "available", lambda: 1024)
    graph = ("generate-graph", "--name", "g", "--vertices", 4096, "--arcs-per-vertex", 2)
    assert script(*graph, "--output", "a").err.startswith("warning: g is not made: ")
    assert script(*graph, "--output", "b", "--warnings", "kept.log").err == ""
    assert (folder / "kept.log").read_text().startswith("warning: g is not made: ")
    assert script(*graph, "--output", "c").err.startswith("warning: g is not made: ")


def test_options_become_words_and_words_options() -> None:
    """A job's rule writes them, and the stage reads them."""
    assert words_of(seed=1, hub=True, update=False, memory_gib=None, records=[]) == [
        "--seed", "1", "--hub", "--records",
    ]  # fmt: skip
    options = {"experiment": "mine", "solvers": ("bfs/bsp:block_size=32", "bfs/queue"), "memory_gib": 0.5}
    paths = {"graphs": (Path("a b"), Path("$(c)")), "output": Path("o")}
    words = words_of(**options, **paths, backend="emulator", emulated_vertices=7, update=True)
    job = stage_class("measure-experiment").from_words("measure-experiment", words)
    assert job.model_dump(include={*options, *paths}) == {**options, **paths}
    assert job.model_dump(include={"emulated_vertices", "update"}) == {"emulated_vertices": 7, "update": True}


@pytest.mark.long
def test_jobs_give_options_that_their_stages_have(folder: Path) -> None:
    """Each command of a run is printed, and read as its job would read it."""
    words = ["--snakefile", str(ROOT / "Snakefile"), "--cores", "2", "--dry-run", "--printshellcmds"]
    given = (*words, "all", "prepare", "tune")
    status, printed = forked_snakemake.call(folder, *given, environment=ENVIRONMENT, timeout=200)
    assert status == 0, printed
    jobs = [shlex.split(job) for job in re.findall(r"scripts/stage\.py (.*?) 2?> ", printed)]
    assert {name for name, *_ in jobs} & {*STAGES_OF_CORE} == {*STAGES_OF_CORE} - WITHOUT_JOBS
    for name, *options in jobs:
        stage_class(name).from_words(name, options)


def test_a_script_runs_from_any_folder() -> None:
    command = [sys.executable, *program_of("publish-experiment"), "--bogus"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [(["--trials", 0], "--trials: expected at least 1, found '0'"),
     (["--least-trials", 2], "--least-trials: expected at least 3, found '2'"),
     (["--budget-s", 0], "--budget-s: expected more than 0, found '0'"),
     (["--budget-s", "nan"], "--budget-s: expected a finite number, found 'nan'"),
     (["--solvers", "bfs/queue", "bfs/queue"], "--solvers: bfs/queue is given twice; give it once"),
     (["--trials", "ten"], "--trials: expected an integer, found 'ten'"),
     (["--trials", "3.5"], "--trials: expected an integer, found '3.5'"),
     (["--setups", -1], "--setups: expected at least 0"),
     (["--memory-gib", 0], "--memory-gib: expected more than 0"),
     (["--compute-capability", "eight"], "eight"),
     (["--solvers"], "--solvers: expected at least 1 item"),
     (["--solvers", "bfs/queue", "generate/tree-first"], "not several"),
     (["--solvers", "bfs/nope"], "no solver is called bfs/nope; there are bfs/"),
     (["--graphs", "graph", "graph"], "--graphs: graph is given twice"),
     (["--experiment", "../elsewhere"], "experiment: expected text of the form"),
     (["--graphs", "nowhere"], "expected its folder, which is written, by `retrace stage get-graph`"),
     (["--output", "folders"], "folders/graph.jsonl: cannot be written (it is a folder"),
     ([], "its graph.json has no source for bfs; measure a graph that a stage wrote"),
     (["--solvers", "stcon/bsp"], "its graph.json has no pairs for stcon"),
     (["--solvers", "betweenness/vert"], "cannot be recorded: graph.origin: required, but missing"),
     (["--sources", 2], "cannot be recorded: graph.origin: required, but missing"),
     (["--sources", 2, "--rounds", 2, "--checkpoints", "kept"], "cannot be recorded: graph.origin: required"),
     (["--update", "--output", "torn"], "torn/graph.jsonl:1: not JSON"),
     (["--output", "graph/graph.json/x"], "is a file")],
)  # fmt: skip
def test_measuring_is_refused_early(asked: list[object], complaint: str, folder: Path, script: Call) -> None:
    info = {"origin": "generated", "edition": "tree-first", "weights": "file", "seed": 1, "source": 0}
    whole = graph(2, [(0, 1, 1)])
    bare = "graph.json has" in complaint or "recorded" in complaint
    save(replace(whole, info={**whole.info, **({} if bare else info)}), folder / "graph")
    (folder / "torn").mkdir()
    (folder / "torn/graph.jsonl").write_text("{")
    (folder / "folders/graph.jsonl").mkdir(parents=True)
    before = sorted(folder.rglob("*"))
    usual = {"--experiment": "table-3.3", "--graphs": "graph", "--backend": "emulator"}
    usual |= {"--solvers": "bfs/queue", "--output": "out"}
    others = (word for option in usual.items() if option[0] not in asked for word in option)
    assert complaint in script("measure-experiment", *others, *asked).refusal(1)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "asked"),
    [("publish-experiment", ["--experiment", "table-3.3", "--output", "x"]),
     ("make-claims", ["--output-prefix", "x"])],
)  # fmt: skip
def test_printed_numbers_have_rows(name: str, asked: list[str], folder: Path, script: Call) -> None:
    shutil.copy(PUBLISHED / "bsp-suite.yaml", "empty.yaml")
    (folder / "empty.csv").write_text("table\n")
    write_records(Path("r.jsonl"), [record("bfs/queue", "NY")])
    usual = ["--report", "empty.yaml", "--records", "r.jsonl"]
    assert "empty.csv: has no rows" in script(name, *asked, *usual).refusal(1)


@pytest.mark.parametrize(
    ("output", "file", "complaint"),
    [("m.json", "mine.cu", "expected a file under"), (".", ROOT / "kernels/bfs/bsp.cu", "it is a folder")],
)
def test_what_cannot_be_built(output: str, file: object, complaint: str, folder: Path, script: Call) -> None:
    (folder / "mine.cu").touch()
    done = script("build-kernels", "--backends", "emulator", "--output", output, "--files", file)
    assert complaint in done.refusal(1)
    assert [path.name for path in folder.iterdir()] == ["mine.cu"]


def test_a_table_that_cannot_be_written(script: Call) -> None:
    write_records(Path("r.jsonl"), [record("bfs/queue", "NY")])
    done = script("make-verification", "--records", "r.jsonl", "--output-prefix", "r.jsonl/x")
    assert "is a file); check the path" in done.refusal(1)
    Path("bad.jsonl").write_text("{}\n")
    done = script("publish-experiment", "--experiment", "mine", "--records", "bad.jsonl", "--output", "x")
    assert done.refusal(1).startswith("error: bad.jsonl:1: ")
    assert not Path("x").exists()


def test_pipes_full_disks_and_long_names_take_one_line(folder: Path, script: Call) -> None:
    os.mkfifo("pipe.jsonl")
    make = ("publish-experiment", "--experiment", "mine", "--output", "x")
    assert "pipe.jsonl: cannot be read (it is a pipe" in script(*make, "--records", "pipe.jsonl").refusal(1)
    assert "pipe.jsonl: cannot be written (it is a pipe" in refused(write_records, Path("pipe.jsonl"), [])
    told = script("publish-experiment", "--experiment", "mine", "--records", "--output", "x" * 5000).refusal(
        1
    )
    assert "File name too long" in told
    assert len(told) < 1000
    graph = ("generate-graph", "--vertices", 9, "--arcs-per-vertex", 2)
    assert "name: expected at most 255" in script(*graph, "--name", "x" * 5000, "--output", "g").refusal(1)
    for name in ("--output", "x" * 5000), ("--output", "g", "--sources", 10):
        script(*graph, "--name", "g", *name).refusal(1)
    assert "no such file" in refused(load_registry, ["x" * 5000])
    with pytest.raises(OneLineError, match="No space left on device"), naming_output(folder):
        raise OSError("1024 requested and 0 written")  # NumPy's words


def test_a_terminal_without_greek_letters() -> None:
    """Neither what is read nor what is said depends on the locale."""
    posix = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    program = "from retrace.system import errors; errors.print_anywhere(); print('\\u2265 \\xb5')"
    assert python(program, **posix).stdout == "\\u2265 \\xb5\n"
    found = python("from retrace import cli; cli.main(['solvers'])", **posix)
    assert (found.returncode, found.stderr) == (0, "")
    program = (
        "from retrace.planning import plan; import yaml; plan.load_reports(); plan.info_if_stored('NY')\n"
    )
    program += "from retrace.system import project; print(len(project.stage_code('publish-experiment')) > 9)"
    assert python(program, **posix).stdout == "True\n"


def test_a_spreadsheet_calculates_nothing(script: Call) -> None:
    cell = "=HYPERLINK(1)"
    one = without_answer(
        "bfs/queue", graph_info("small-6").model_copy(update={"name": cell}), "failed", "@reason"
    )
    write_records(Path("r.jsonl"), [one])
    asked = ("--experiment", "table-3.3", "--records", "r.jsonl", "--output", ".")
    assert script("publish-experiment", *asked).status == 0
    with Path("tables/table-3.3.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["graph"], row["reason"]) == (f"'{cell}", "'@reason")


def test_a_name_may_look_like_a_formula_of_tex(script: Call) -> None:
    write_records(
        Path("r.jsonl"), [record("bfs/queue", graph_info("small-6").model_copy(update={"name": r"$\frac{$"}))]
    )
    asked = ("--experiment", "table-3.3", "--figures", "table-3.3", "--records", "r.jsonl", "--output", ".")
    assert script("publish-experiment", *asked).status == 0
    assert r"$\frac{$" in Path("figures/table-3.3.svg").read_text()


def test_a_project_that_cannot_be_written_builds_elsewhere(folder: Path, monkeypatch: Patch) -> None:
    monkeypatch.delenv("RETRACE_BUILD", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    assert project.build_folder() == ROOT / "build"
    monkeypatch.setattr(project.os, "access", lambda *_: False)
    assert project.build_folder() == folder / "retrace"


@pytest.mark.parametrize("home", ["/nonexistent", None])
def test_without_a_home_the_cache_is_the_users_alone_in_tmp(
    home: str | None, folder: Path, monkeypatch: Patch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME")
    if home is not None:
        monkeypatch.setenv("HOME", home)

    def no_entry(_: int) -> None:
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", no_entry)
    monkeypatch.setattr(compiled_files.tempfile, "gettempdir", lambda: str(folder))
    cache = compiled_files.users_cache("retrace")
    assert cache == compiled_files.users_cache("retrace") == folder / f"retrace-{os.getuid()}"
    assert cache.stat().st_mode & 0o777 == 0o700
    cache.chmod(0o777)
    assert "is not yours alone; set XDG_CACHE_HOME" in refused(compiled_files.users_cache, "retrace")
    cache.rmdir()
    cache.symlink_to(folder)
    assert "is not yours alone" in refused(compiled_files.users_cache, "retrace")


def test_what_a_killed_compiler_left_is_swept(folder: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(folder))
    for name, age in (("killed", 2 * compiled_files.STALE_S), ("working", 0)):
        (folder / f"host/.building-{name}").mkdir(parents=True)
        os.utime(folder / f"host/.building-{name}", times=(time.time() - age,) * 2)
    gone = folder / "host/.building-gone"  # by the time it is looked at, as when many compile at once
    gone.symlink_to("nothing")
    compiled_files.build_once(ROOT / "a.cpp", "host/a.so", lambda target, log: target.touch())
    gone.unlink()
    assert {path.name for path in (folder / "host").iterdir()} == {
        ".building-working",
        "a.so",
        "a.so.sha256",
    }
    odd = folder / 'a"b.cu'
    assert "has a quote, backslash or line end" in refused(
        compiled_files.build_once, odd, "host/b.so", lambda *_: None
    )
