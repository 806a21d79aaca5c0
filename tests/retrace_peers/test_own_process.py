"""A solver in a process of its own: the GAP Benchmark Suite, whose threads none of another library delays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import Patch
from cuda_on_cpu.device import EmulatedDevice
from graphs import NAMED, graph, identified
from retrace.graphs.query import Query
from retrace.measure.trials import OTHERS, Effort, Measurement, one_pass
from retrace.solvers import REGISTRY, Solver
from retrace.solvers.own_process import OwnProcess
from retrace.system.project import ROOT
from retrace_peers import gapbs
from retrace_peers.libraries import GapbsPeer
from solving import measure

if (why_not := gapbs.why_missing()) is not None:
    pytest.skip(why_not, allow_module_level=True)

GRID = identified(NAMED["grid"], "grid", source=0)


def run(solver: str, whole: Any = GRID) -> Measurement:
    (case,) = measure("mine", whole, [solver], Effort(trials=3), ("emulator", EmulatedDevice))
    return case


def process_of(solver: Solver) -> int:
    return os.getpid()


def test_every_solver_of_it_is_measured_apart() -> None:
    for kind in REGISTRY.solvers.values():
        assert kind.apart == issubclass(kind, GapbsPeer)


def test_its_searches_are_in_another_process(monkeypatch: Patch) -> None:
    before = OTHERS.elsewhere
    monkeypatch.setattr(gapbs.Search, "__init__", lambda *_: pytest.fail("in this process"))
    case = run("bfs/gapbs:threads=1")
    assert case.status == "ok", case.reason
    assert case.result is not None
    assert case.result.verified
    assert len(case.trials) == 3
    assert all(trial.again is not None for trial in case.trials)
    assert OTHERS.elsewhere > before


def test_its_threads_are_tried_for_each_graph() -> None:
    observed = run("bfs/gapbs").observed
    tried = {key: ms for key, ms in observed.items() if key.startswith("ms_of_")}
    assert min(tried, key=lambda key: tried[key]) == (
        f"ms_of_{observed['threads']}{'_bound' * int(observed['bound'])}"
    )


def test_what_it_raises_there_is_told_here() -> None:
    heavy = identified(graph(2, [(0, 1, 2**30 - 1)]), "heavy", source=0)
    case = run("sssp/gapbs", heavy)
    assert case.status == "skipped"
    assert str(case.reason).startswith("sssp/gapbs: expected weights below 1073741823, found 1073741823")


def test_a_process_that_dies_fails_and_one_without_its_solver_ends() -> None:
    solver = OwnProcess("bfs/gapbs:threads=1")
    process = solver.run(process_of)
    assert process != os.getpid()
    solver.setup(GRID)
    assert one_pass(solver, Query(0), None).iterations is None
    del solver
    ended = time.monotonic() + 10
    while (there := Path(f"/proc/{process}").exists()) and time.monotonic() < ended:
        time.sleep(0.01)
    assert not there
    solver = OwnProcess("bfs/gapbs:threads=1")
    os.kill(solver.run(process_of), signal.SIGKILL)
    with pytest.raises(Exception, match=r"^bfs/gapbs:threads=1: its process has ended, .*; run again$"):
        solver.setup(GRID)


INTERRUPTED = """
import os, signal
from retrace.solvers.own_process import OwnProcess
from retrace.system.errors import RetraceError
from retrace.system.solver_packages import import_solvers
if __name__ == "__main__":
    import_solvers()
    solver = OwnProcess("bfs/gapbs:threads=1")
    (process,) = solver.process._processes if solver.run(repr) else ()
    os.kill(process, signal.SIGINT)
    try:
        solver.run(repr)
    except RetraceError as error:
        print(error)
"""


def test_it_is_interrupted_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    command = [sys.executable, str(tmp_path / "interrupted.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    )
    assert done.stdout.startswith("bfs/gapbs:threads=1: its process has ended, ")
    assert done.stderr == ""


def test_it_answers_another_question_there() -> None:
    first, other = Query(sources=(3, 17, 200)), Query(sources=(5, 80))
    asked, anew = (OwnProcess("betweenness/gapbs:threads=1") for _ in range(2))
    for solver, query in ((asked, first), (anew, other)):
        solver.setup(GRID)
        solver.upload(query)
        solver.solve(query)
    asked.begin_again(other)
    asked.solve(other)
    assert np.allclose(asked.download(), anew.download())
