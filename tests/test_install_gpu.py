"""The GPU set-up without a GPU: what it takes from the lock, and what it says without a driver."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import install_gpu
from retrace.system.errors import RetraceError

LOCK = Path(__file__).parents[1] / "requirements-gpu.lock"


def test_every_entry_of_the_lock_is_found() -> None:
    entries = install_gpu.locked(LOCK)
    assert "\n".join(entries) == LOCK.read_text().rstrip("\n")
    names = [entry.partition("==")[0] for entry in entries]
    assert names.count("numpy") == 2, "one for each range of Python versions"
    assert {"pycuda", "snakemake", "nvidia-cuda-nvcc"} < set(names)
    assert all("--hash=sha256:" in entry for entry in entries)


def test_pycuda_is_built_with_what_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def pip(*arguments: str, locked: list[str] | None = None) -> None:
        calls.append(arguments)
        if "--dest" in arguments:
            (tmp_path / "pycuda-1").mkdir()
            name = f"{arguments[arguments.index('--dest') + 1]}/pycuda-1"
            shutil.make_archive(name, "gztar", tmp_path, "pycuda-1")

    monkeypatch.setattr(install_gpu, "pip", pip)
    install_gpu.install_pycuda([], tmp_path, tmp_path / "libcuda.so.1")
    assert [call[:2] for call in calls] == [
        (what, "--no-build-isolation") for what in ("download", "install")
    ]
    assert {"setuptools", "numpy"} <= {entry.partition("==")[0] for entry in install_gpu.locked(LOCK)}


def test_without_a_driver_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_gpu, "USUAL_FOLDERS", ())
    monkeypatch.setattr(install_gpu.subprocess, "run", lambda *_, **__: type("Done", (), {"stdout": ""}))
    with pytest.raises(RetraceError, match="install the NVIDIA driver first"):
        install_gpu.find_driver()
