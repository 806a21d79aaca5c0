"""The command line: real calls, every way to go wrong and its exit status."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from command_line import PROJECT, Call, python, rows, run, start
from cuda_device.available_gpus import cuda_available
from retrace.cli import SHELLS
from retrace.graphs import answer_table, csr
from retrace.graphs.formats.lines import LAYOUTS
from retrace.solvers import GENERATORS
from retrace.system.errors import RetraceError
from retrace_commands import arguments, backend
from tiny_files import TINY

COMMANDS = ("solve", "path", "convert", "generate", "solvers", "machines")


def test_a_real_call_from_another_folder(tiny: Path) -> None:
    asked = ("sssp/dijkstra-heap", "tiny.gr", "--source", 1, "--output", "out/d.csv")
    done = run("solve", *asked, cwd=tiny.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(tiny.parent / "out/d.csv")[1:] == [["1", "0"], ["2", "5"], ["3", "5"], ["4", ""]]


def test_a_real_error_has_no_traceback(tmp_path: Path) -> None:
    done = run("path", tmp_path / "none.gr", "--source", 1, "--target", 2)
    told = f"error: {tmp_path}/none.gr: cannot be read (No such file or directory); check the path\n"
    assert (done.returncode, done.stderr) == (1, told)


def test_help_needs_no_library() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(f"\n    {command} " in done.stdout for command in COMMANDS)
    assert "3    the answer is not verified" in done.stdout
    program = "import sys; from retrace import cli; cli.make_parser(); sys.exit('numpy' in sys.modules)"
    assert python(program).returncode == 0


def test_a_reader_that_leaves_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = run("solvers", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_solver_in_c_and_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    size = 1 << 18
    line = csr.from_arcs(size, np.arange(size - 1), np.arange(1, size), np.ones(size - 1, dtype=np.int32))
    csr.save(line, tmp_path / "line")
    asked = ("--source", 0, "--output", tmp_path / "d.csv")
    process = start("solve", "sssp/dijkstra-linear", tmp_path / "line", *asked)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and not (work := children.read_text().split()):
        time.sleep(0.05)
    while process.poll() is None and "sssp_dijkstra_linear" not in Path(f"/proc/{work[0]}/maps").read_text():
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(number)
    _, errors = process.communicate(timeout=3)
    line = b"interrupted while solving with sssp/dijkstra-linear on host; no file is written; run the same "
    assert (process.returncode, errors) == (128 + number, line + b"command again\n")
    assert [path.name for path in tmp_path.iterdir()] == ["line"]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["slove"], "solve"),
        (["solve", "bfs/auto", "x", "--sorce", "1"], "--source"),
        (["solve", "bfs/auto", "x", "--source", "1", "--backend", "cdua"], "cuda"),
    ],
)
def test_what_may_have_been_meant_is_asked(words: list[str], meant: str, call: Call) -> None:
    assert f"did you mean {meant}? " in call(*words).refusal(2)


def test_an_option_of_another_command_is_said_to_be_so(tiny: Path, call: Call) -> None:
    said = call("solve", "sssp/auto", tiny, "--solver", "x").refusal(2)
    assert " x; --solver is an option of path, eccentricities; see " in said
    assert "did you mean" not in said
    assert "did you mean" not in call("stage", "make-results", "--colour", "x").refusal(2)


def test_an_unknown_option_is_told_before_one_that_lacks(tiny: Path, call: Call) -> None:
    said = call("path", tiny, "--source", 1, "--traget=3").refusal(2)
    assert said.startswith("error: unrecognized arguments: --traget; did you mean --target? see ")
    said = call("path", tiny, "--sour", 1).refusal(2)  # short for --source
    assert said.startswith("error: the following arguments are required: --target; ")
    said = call("solve", "bfs/bsp:blok_size=64", tiny).refusal(1)
    assert (
        said
        == "error: bfs/bsp:blok_size=64: bfs/bsp has no setting 'blok_size'; there are block_size, loop\n"
    )


def test_an_option_that_is_given_twice_is_given_once(tiny: Path, call: Call) -> None:
    said = call("path", tiny, "--source", 1, "--target", 2, "--target", 3).refusal(2)
    assert said.startswith("error: argument --target: given twice; give it once; see ")
    assert call("path", tiny, "--source", 1, "--target=3", "--target", 3).status == 0
    assert call("solve", "bfs/queue", tiny, "--source", 1, "--source", 2, "--json").status == 0


@pytest.mark.parametrize("name", ["bfs/autoo", "bsf/auto"])
def test_a_solver_that_may_have_been_meant_is_asked(name: str, tiny: Path, call: Call) -> None:
    assert "did you mean bfs/auto? " in call("solve", name, tiny, "--source", 1).refusal(1)
    assert "did you mean" not in call("solve", "xyz", tiny, "--source", 1).refusal(1)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_is_told_commands_and_options(shell: str, call: Call) -> None:
    written = call("completion", shell).out
    assert all(word in written for word in ("check-machine", "paths-to", "emulator"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_commands_options_and_files(tmp_path: Path, call: Call) -> None:
    (tmp_path / "completion").write_text(call("completion", "bash").out)
    (tmp_path / "roads.gr").touch()
    for typed, expected in (
        ("retrace sol", {"solve", "solvers"}),
        ("retrace solve --und", {"--undirected"}),
        ("retrace convert roa", {"roads.gr"}),
    ):
        asked = f"source ./completion; COMP_WORDS=({typed}); COMP_CWORD={len(typed.split()) - 1}; "
        asked += "_shtab_retrace; printf '%s\\n' \"${COMPREPLY[@]}\""
        done = subprocess.run(
            ["bash", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert set(done.stdout.split()) == expected, done.stderr


def test_names_on_the_command_line_are_the_librarys() -> None:
    assert set(arguments.FORMATS) >= set(LAYOUTS)
    slower = {"generate/tree-first-reallocating", "generate/tree-first-one-core"}  # the graphs of tree-first
    assert {f"generate/{name}" for name in arguments.RANDOM_GENERATORS} == set(GENERATORS.solvers) - slower


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [("", "required: command"), ("fly", "invalid choice: 'fly'"),
     ("solve bfs/queue GRAPH", "bfs/queue needs --source"),
     ("solve bfs/queue GRAPH --source 1 --seed 1", "--seed is that of --sources; leave it out"),
     ("solve betweenness/seq-array GRAPH --seed 7", "--seed is that of --sources; leave it out"),
     ("solve bfs/queue GRAPH --source 1 --target 2", "--target is for stcon"),
     ("solve stcon/bsp GRAPH --source 1", "stcon/bsp needs --target"),
     ("solve stcon/bsp GRAPH --source 1 --target 2 --paths-to 2", "no path"),
     ("solve stcon/bsp GRAPH --source 1 --target 2 --output x.he", "no path"),
     ("solve bfs/queue GRAPH --source 1 --output x.txt", "should end in .csv"),
     ("solve bfs/queue GRAPH --source 1 --format odd", "invalid choice: 'odd'"),
     ("path GRAPH --source 1", "required: --target"), ("path GRAPH --target 1", "required: --source"),
     ("path GRAPH --source 1 --target 2 --solver stcon/bsp", "no path"),
     ("path GRAPH --source 1 --target 2 --solver betweenness/vert", "no path"),
     ("convert GRAPH x.xml", "should end in .he"), ("generate x.he", "required: --vertices"),
     ("generate x.he --vertices 9 --generator odd", "invalid choice: 'odd'")],
)  # fmt: skip
def test_usage_errors(argv: str, complaint: str, tiny: Path, call: Call) -> None:
    line = call(*argv.replace("GRAPH", str(tiny)).split()).refusal(2)
    assert complaint in line
    assert line.endswith("--help\n")


@pytest.mark.parametrize(
    ("argv", "complaint"),
    [("solve bfs/none GRAPH --source 1", "no solver is called bfs/none"),
     ("solve bfs/queue GRAPH --source 0", "--source 0: expected an id from 1 to 4"),
     ("solve bfs/queue GRAPH --source 5", "--source 5: expected an id from 1 to 4"),
     ("solve stcon/bsp GRAPH --source 1 --target 5", "--target 5: expected"),
     ("solve bfs/queue GRAPH --source 1 --paths-to 2 5", "--paths-to 5: expected"),
     ("solve bfs/queue GRAPH --source 1 --paths-to 4", "no path leads from 1 to 4"),
     ("solve bfs/queue GRAPH --source 1 --backend cuda", "bfs/queue runs on host only"),
     ("solve bfs/queue GRAPH --source 1 --format he", "line 1: expected a header"),
     ("solve bfs/queue FOLDER --source 1", "is a folder; expected"),
     ("solve bfs/queue FOLDER --source 1 --format he", "is a folder, not a file"),
     ("solve bfs/queue GRAPH --source 1 --output GRAPH/x.csv", "is a file"),
     ("solve bfs/queue GRAPH --source 1 --output FOLDER/dir.csv", "it is a folder"),
     ("convert FOLDER/none FOLDER/x.he", "cannot be read"),
     ("convert GRAPH FOLDER/dir.he", "it is a folder"),
     ("generate FOLDER/x.he --vertices 4", "the number of arcs is missing"),
     ("generate FOLDER/x.he --vertices 4 --arcs 2", "expected at least 3"),
     ("convert FOLDER/damaged.gr.gz FOLDER/x.he", "damaged"),
     ("solve bfs/queue FOLDER/empty.he --source 0", "expected a graph with vertices"),
     ("generate FOLDER/x.he --vertices 4 --arcs 5 --weights 5 4", "range")],
)  # fmt: skip
def test_errors_the_user_can_mend(argv: str, complaint: str, tiny: Path, call: Call) -> None:
    folder = tiny.parent
    for name in ("dir.csv", "dir.he"):
        (folder / name).mkdir()
    (folder / "damaged.gr.gz").write_bytes(gzip.compress(TINY["dimacs"])[:-9])
    (folder / "empty.he").write_text("H 0 0 0\n")
    before = sorted(folder.iterdir())
    words = argv.replace("GRAPH", str(tiny)).replace("FOLDER", str(folder)).split()
    assert complaint in call(*words).refusal(1)
    assert sorted(folder.iterdir()) == before


def test_the_graph_itself_is_never_overwritten(tiny: Path, call: Call) -> None:
    graph, link = tiny.parent / "x.he", tiny.parent / "link.he"
    graph.write_bytes(TINY["he"])
    link.symlink_to(graph)
    for asked in (
        ("solve", "bfs/queue", graph, "--source", 0, "--output", link),
        ("path", graph, "--source", 0, "--target", 1, "--output", graph),
        ("convert", link, graph),
    ):
        assert "is the graph itself" in call(*asked).refusal(1)
    assert graph.read_bytes() == TINY["he"]


def test_weighted_solvers_and_converted_graphs_need_weights(unweighted: Path, call: Call) -> None:
    line = call("solve", "sssp/dijkstra-heap", unweighted, "--source", 0).refusal(1)
    assert "needs weights" in line
    assert "H/E needs weights" in call("convert", unweighted, unweighted.parent / "p.he").refusal(1)


@pytest.mark.skipif(cuda_available(), reason="there is a GPU")
def test_cuda_without_a_gpu(tiny: Path, call: Call) -> None:
    line = call("solve", "bfs/bsp", tiny, "--source", 1, "--backend", "cuda").refusal(1)
    assert line.startswith("error: --backend cuda: ")


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [(KeyboardInterrupt(), 130,
      "interrupted while running solve; no file is written; run the same command again\n"),
     (MemoryError(), 1, "error: this needs more memory than there is; take a smaller graph\n"),
     (RetraceError("why"), 1, "error: why\n")],
)  # fmt: skip
def test_exit_statuses(
    raised: BaseException, status: int, said: str, tiny: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr(backend, "read_graph", fail)
    done = call("solve", "bfs/queue", tiny, "--source", 1)
    assert (done.status, done.out, done.err) == (status, "", said)


@pytest.mark.parametrize("suffix", ["csv", "npy", "he"])
@pytest.mark.parametrize("raised", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_writing_that_ends_early_leaves_nothing(
    raised: BaseException, suffix: str, tiny: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    def fail(*_: object) -> None:
        raise raised

    monkeypatch.setattr(Path, "replace", fail)
    done = call("solve", "bfs/queue", tiny, "--source", 1, "--output", tiny.parent / f"x.{suffix}")
    if isinstance(raised, OSError):
        assert "cannot be written (No space left on device)" in done.refusal(1)
    else:
        assert done.status == 130
    assert [path.name for path in tiny.parent.iterdir()] == ["tiny.gr"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_has_an_example(command: str, call: Call) -> None:
    done = call(command, "--help")
    assert done.status == 0
    assert f"example: python -m retrace {command}" in " ".join(done.out.split())
    documented = (PROJECT / "docs/command-line.md").read_text()
    assert f"python -m retrace {command}" in documented


def test_arrays_of_a_large_table_are_written_in_parts(tmp_path: Path) -> None:
    size = 2 * answer_table.ROWS_AT_A_TIME + 3
    vertices = np.arange(size, dtype=np.int32)
    answer_table.write_table(tmp_path / "x.csv", {"vertex": vertices, "twice": 2 * vertices})
    written = np.loadtxt(tmp_path / "x.csv", delimiter=",", skiprows=1, dtype=np.int32)
    assert_array_equal(written, np.column_stack((vertices, 2 * vertices)))
