"""Readers of files under atheris, some seconds each, from the inputs in tests/corpus/."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from command_line import ENVIRONMENT, PROJECT

SECONDS = {
    "formats": 2,
    "records": 1,
    "configuration": 1,
    "datasets": 1,
    "reports": 1,
    "printed": 1,
}
"""How long each reader is fuzzed."""
ENOUGH = 100
"""Calls of a reader that each run makes, however long they take."""


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_no_input_is_a_traceback(tmp_path: Path) -> None:
    def fuzz(target: str, *until: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / target
        shutil.copytree(PROJECT / "tests/corpus" / target, folder / "inputs", dirs_exist_ok=True)
        limits = [*(until or (f"-max_total_time={SECONDS[target]}",)), "-timeout=30", "-rss_limit_mb=2000"]
        command = [sys.executable, PROJECT / "tests/fuzzing.py", target, *limits, "inputs"]
        return subprocess.run(
            command,
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            check=False,
            errors="replace",
        )

    assert SECONDS.keys() == {path.name for path in (PROJECT / "tests/corpus").iterdir()}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ends = dict(zip(SECONDS, pool.map(fuzz, SECONDS), strict=True))
    for target, done in ends.items():
        ended = done if runs_of(done) > ENOUGH else fuzz(target, f"-runs={ENOUGH + 1}")  # on a busy machine
        assert ended.returncode == 0, f"{target}: {ended.stderr[-2000:]}"
        assert runs_of(ended) > ENOUGH, target


def runs_of(done: subprocess.CompletedProcess[str]) -> int:
    """Return how often a fuzzed reader was called; more than enough if it failed."""
    runs = re.search(r"Done (\d+) runs", done.stderr)
    assert done.returncode or runs is not None
    return int(runs[1]) if runs else ENOUGH + 1
