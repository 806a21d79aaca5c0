"""Readers of files under atheris, some seconds each, from the inputs in tests/corpus/."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ENVIRONMENT, PROJECT

TARGETS = ["configuration", "datasets", "formats", "printed", "records", "reports"]
SECONDS = 2
"""How long each reader is fuzzed."""
ENOUGH = 100
"""Calls of a reader that each run makes, however long they take."""


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_no_input_is_a_traceback(tmp_path: Path) -> None:
    assert sorted(path.name for path in (PROJECT / "tests/corpus").iterdir()) == TARGETS

    def fuzz(until: str) -> None:
        limits = [until, "-timeout=30", "-rss_limit_mb=2000", "inputs"]
        command = [sys.executable, PROJECT / "tests/fuzzing.py", ",".join(TARGETS), *limits]
        done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, check=False)
        assert done.returncode == 0, "".join(f"{target}: {told(target)[-2000:]}" for target in TARGETS)

    def told(target: str) -> str:
        return (tmp_path / target / "log").read_text(errors="replace")

    for target in TARGETS:
        shutil.copytree(PROJECT / "tests/corpus" / target, tmp_path / target / "inputs")
    fuzz(f"-max_total_time={SECONDS}")
    if any(runs(told(target)) <= ENOUGH for target in TARGETS):  # on a busy machine
        fuzz(f"-runs={ENOUGH + 1}")
    assert all(runs(told(target)) > ENOUGH for target in TARGETS)


def runs(log: str) -> int:
    """Return how often a fuzzed reader was called."""
    (found,) = re.findall(r"Done (\d+) runs", log)
    return int(found)
