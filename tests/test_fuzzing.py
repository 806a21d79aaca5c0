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
    "formats": 6,
    "records": 4,
    "configuration": 4,
    "datasets": 2,
    "reports": 2,
    "printed": 2,
    "paths": 2,
}
"""How long each reader is fuzzed."""


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_no_input_is_a_traceback(tmp_path: Path) -> None:
    def fuzz(target: str) -> subprocess.CompletedProcess[str]:
        folder = tmp_path / target
        shutil.copytree(PROJECT / "tests/corpus" / target, folder / "inputs")
        limits = [f"-max_total_time={SECONDS[target]}", "-timeout=10", "-rss_limit_mb=2000"]
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
        assert done.returncode == 0, f"{target}: {done.stderr[-2000:]}"
        runs = re.search(r"Done (\d+) runs", done.stderr)
        assert runs is not None
        assert int(runs[1]) > 100, target
