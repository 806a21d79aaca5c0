"""Ctrl-C at any moment of a command: one line, status 130, and no half of a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from command_line import ENVIRONMENT, python
from retrace.system import interrupts
from retrace.system.interrupts import WORK, doing, writing_whole

PROGRAM = """
import os, signal, sys, time

def interrupted(*_, **__):
    os.kill(os.getppid(), signal.SIGINT)
    sum(range(10**13))  # which Python cannot interrupt

class Finder:
    def find_spec(self, name, *_):
        if name == wanted:
            interrupted()

wanted, moment = sys.argv[1:3]
del sys.argv[1:3]
sys.meta_path.insert(0, Finder())
import retrace.__main__
from retrace.system import interrupts
supervise = interrupts.supervise

def supervise_and_patch():
    supervise()
    exec(moment, globals())

retrace.__main__.supervise = supervise_and_patch
sys.exit(retrace.__main__.supervised_main())
"""


def interrupt(tiny: Path, module: str, moment: str, *words: object, **options: Any) -> tuple[int, str, str]:
    """Run `solve` to a moment, at which Ctrl-C comes: when a module is imported, or what `moment` patches."""
    asked = ["solve", "sssp/dijkstra-heap", tiny, "--source", 1, *words]
    command = [sys.executable, "-c", PROGRAM, module, moment, *map(str, asked)]
    done = subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=60, **options
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "module",
    ["retrace.system.processes", "retrace.cli", "numpy.linalg", "scipy.sparse", "retrace_commands.searches"],
)
def test_ctrl_c_while_libraries_are_imported(module: str, tiny: Path) -> None:
    line = "interrupted while starting; no file is written; run the same command again\n"
    assert interrupt(tiny, module, "") == (130, "", line)


READ = "import retrace_commands.graph_file as g; g.parse_stream = interrupted"
SOLVE = "from retrace.measure.trials import Request; Request.once = interrupted"
CHECK = "from retrace_commands.backend import Verifier; Verifier._checker = property(interrupted)"


@pytest.mark.parametrize(
    ("moment", "task"),
    [(READ, "reading {tiny}"), (SOLVE, "solving with sssp/dijkstra-heap on host"),
     (CHECK, "checking the answer")],
)  # fmt: skip
def test_ctrl_c_in_code_that_python_cannot_interrupt(moment: str, task: str, tiny: Path) -> None:
    status, out, line = interrupt(tiny, "", moment, "--output", tiny.parent / "d.csv")
    said = f"interrupted while {task.format(tiny=tiny)}; no file is written; run the same command again\n"
    assert (status, out, line) == (130, "", said)
    assert [path.name for path in tiny.parent.iterdir()] == ["tiny.gr"]


def test_ctrl_c_of_a_terminal_which_reaches_all_processes(tiny: Path) -> None:
    everyone = "; os.kill = lambda _, number, kill=os.killpg: kill(0, number)"
    status, out, line = interrupt(tiny, "", READ + everyone, start_new_session=True)
    said = f"interrupted while reading {tiny}; no file is written; run the same command again\n"
    assert (status, out, line) == (130, "", said)


def test_ctrl_c_in_a_stage_of_the_workflow() -> None:
    program = (
        "import sys; from retrace.system import stage; from retrace.system.errors import status_of\n"
        "def run(self): raise KeyboardInterrupt\n"
        "stage.stage_class('make-site').run = run\n"
        "sys.exit(status_of(lambda: stage.run_stage(['make-site'])))"
    )
    done = python(program)
    said = "interrupted while running the stage make-site; no file is written; run the same command again\n"
    assert (done.returncode, done.stderr) == (130, said)


def test_ctrl_c_while_a_file_is_written(tiny: Path) -> None:
    first, second = tiny.parent / "a.csv", tiny.parent / "b.csv"
    moment = (
        "from pathlib import Path; whole = Path.replace\n"
        "def replace(path, target):\n"
        "    if target.name == 'b.csv': os.kill(os.getppid(), signal.SIGINT); time.sleep(9)\n"
        "    whole(path, target)\n"
        "Path.replace = replace"
    )
    status, _, line = interrupt(tiny, "", moment, "--output", first, "--output", second)
    said = f"interrupted while writing {second}; {first} is whole; run the same command again\n"
    assert (status, line) == (130, said)
    assert sorted(path.name for path in tiny.parent.iterdir()) == ["a.csv", "tiny.gr"]


def test_ctrl_c_after_all_is_done_changes_nothing(tiny: Path) -> None:
    moment = "import atexit; atexit.register(lambda: (os.kill(os.getppid(), signal.SIGINT), time.sleep(.3)))"
    status, out, line = interrupt(tiny, "", moment)
    assert (status, line) == (0, "")
    assert "; verified against" in out


def test_a_signal_that_ends_the_work_ends_the_program(tiny: Path) -> None:
    status, _, line = interrupt(tiny, "", "os.kill(os.getpid(), signal.SIGKILL)")
    assert (status, line) == (-signal.SIGKILL, "")


def test_the_work_ends_with_the_program(tiny: Path) -> None:
    moment = "print(os.getpid(), flush=True); time.sleep(60)"
    command = [sys.executable, "-c", PROGRAM, "", moment, "solvers"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) != process.pid
        process.kill()
        assert process.stdout.read() == b""  # closed by the end of both


def test_ctrl_c_in_the_background_of_a_shell_is_ignored(tiny: Path) -> None:
    command = [sys.executable, "-m", "retrace", "solve", "bfs/queue", str(tiny), "--source", "1"]
    ignoring = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)  # noqa: E731
    with subprocess.Popen(command, env=ENVIRONMENT, preexec_fn=ignoring, stdout=subprocess.PIPE) as process:
        again = Timer(0.2, os.kill, [process.pid, signal.SIGINT])
        again.start()
        assert process.wait(60) == 0


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_other_signals_clean_up_what_is_half_written(number: signal.Signals, tiny: Path) -> None:
    moment = (
        "from pathlib import Path\n"
        f"def replace(*_): os.kill(os.getppid(), {number:d}); time.sleep(9)\n"
        "Path.replace = replace"
    )
    written = tiny.parent / "a.csv"
    status, _, line = interrupt(tiny, "", moment, "--output", written)
    said = f"interrupted while writing {written}; no file is written; run the same command again\n"
    assert (status, line) == (128 + number, said)
    assert [path.name for path in tiny.parent.iterdir()] == ["tiny.gr"]


def test_a_signal_to_the_child_alone_ends_the_program(tiny: Path) -> None:
    moment = "import threading; threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGTERM]).start()\n"
    status, out, line = interrupt(tiny, "", moment + "time.sleep(9)")
    assert (status, out) == (128 + signal.SIGTERM, "")
    assert line.startswith("interrupted while starting")


def test_hanging_up_is_ignored_where_it_was(tiny: Path) -> None:
    moment = "os.kill(os.getppid(), signal.SIGHUP)"
    status, out, line = interrupt(
        tiny, "", moment, preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_IGN)
    )
    assert (status, line) == (0, "")
    assert "; verified against" in out


def test_sigterm_where_ctrl_c_is_ignored_has_its_own_status() -> None:
    done = python(
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from retrace.system.errors import status_of\n"
        "sys.exit(status_of(lambda: os.kill(os.getpid(), signal.SIGTERM)))"
    )
    assert done.returncode == 128 + signal.SIGTERM


def test_where_no_process_can_be_made_the_command_runs_by_itself(tiny: Path) -> None:
    program = PROGRAM.replace("supervise = interrupts.supervise\n", FORK_FAILS)
    asked = ["solve", "sssp/dijkstra-heap", str(tiny), "--source", "1"]
    done = subprocess.run(
        [sys.executable, "-c", program, "", "", *asked], env=ENVIRONMENT, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "; verified against" in done.stdout


FORK_FAILS = """supervise = interrupts.supervise
def fork(): raise BlockingIOError(11, "Resource temporarily unavailable")
def supervise(real=interrupts.supervise, fork_before=os.fork):
    os.fork = fork
    real()
    os.fork = fork_before
"""


@pytest.mark.parametrize(
    ("closed", "words", "status", "told"),
    [("<&-", "solve bfs/queue - --source 1", 1, "standard input is closed"),
     (">&-", "solvers", 1, "standard output is closed"),
     ("2>&-", "solve bfs/queue none.gr --source 1", 1, ""),
     ("2>&- >&-", "solvers", 1, "")],
)  # fmt: skip
def test_closed_streams_are_one_line(closed: str, words: str, status: int, told: str) -> None:
    command = f'"$0" -m retrace {words} {closed}'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], env=ENVIRONMENT, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (status, "")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == bool(told)


def test_the_line_says_what_is_interrupted() -> None:
    WORK.begin()
    with doing("reading \x1b[31mgraph"), doing("solving", "go on from k"), writing_whole("k"):
        assert WORK.state == interrupts.WRITING
    assert WORK.state == interrupts.WORKING
    assert WORK.line == "interrupted while starting; k is whole; run the same command again"
    with pytest.raises(KeyboardInterrupt), doing("solving", "go on from k"), writing_whole("l"):
        raise KeyboardInterrupt
    assert WORK.line == "interrupted while solving; k is whole; go on from k"
    with doing("reading \x1b[31mgraph"):
        assert b"\x1b" not in bytes(WORK.shared)
    WORK.begin()
