"""A bundle for later, of a small project with the real Makefile: what is in it; it needs no network."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from command_line import PROJECT, Call, Patch
from retrace.system.files import unpack

ALONE = ["unshare", "--map-root-user", "--net"]
MADE = {"LICENSE": "ours\n", "datasets.yaml": (PROJECT / "datasets.yaml").read_text()}
NEEDED = ["git", "make", "sha256sum"]
SETTING_UP = [
    "scripts/set_up.py",
    "scripts/retrace/system/job_python.py",
    "scripts/cuda_device/compiled_files.py",
    "scripts/cuda_device/errors.py",
]
"""What runs before there is an environment, and needs Python's own library alone."""


def run(*command: object, **options: Any) -> str:
    """Run a command, which has to succeed, and return what it prints."""
    known = {"capture_output": True, "text": True, "check": False, "timeout": 60}
    done = subprocess.run([str(word) for word in command], **known | options)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def wheel(folder: Path, name: str) -> str:
    """Write a package without dependencies; return the lock's entry."""
    path, info = folder / f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(
            f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: Patch) -> Path:
    """A repository of one commit, and beside it wheels and a mirror with one graph."""
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"{' and '.join(missing)} cannot be found")
    project, wheels, mirror = (tmp_path / name for name in ("project", "wheels", "mirror"))
    for folder in (project, wheels, mirror):
        folder.mkdir()
    (mirror / "USA-road-d.NY.gr.gz").write_text("arcs")
    (mirror / "USA-road-d.NY.gr.gz.pin").write_text("pin")
    shutil.copy(PROJECT / "Makefile", project)
    for program in SETTING_UP:
        (project / program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / program, project / program)
    for name, text in MADE.items():
        (project / name).write_text(text)
    (project / "requirements.lock").write_text(wheel(wheels, "tiny"))
    # This uv has no program, so pip takes its place.
    (project / "requirements-uv.lock").write_text(wheel(wheels, "uv"))
    monkeypatch.chdir(project)
    monkeypatch.setenv("GRAPH_MIRROR", str(mirror))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # of the make that runs tests
        monkeypatch.delenv(name, raising=False)
    for word in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{word}_NAME", "Nobody")
        monkeypatch.setenv(f"GIT_{word}_EMAIL", "nobody@example.org")
    run("git", "init", "--quiet")
    run("git", "add", ".")
    run("git", "commit", "--quiet", "--message", "all")
    return project


def pack(script: Call, output: str = "bundle.tar.gz") -> Any:
    return script("make-bundle", "--wheels", "../wheels", "--no-sbom", "--output", output)


def unpacked_bundle(folder: Path, archive: str = "bundle.tar.gz") -> Path:
    with tarfile.open(archive) as packed:
        unpack(packed, folder)
    (unpacked,) = folder.iterdir()
    return unpacked


def test_a_bundle_has_the_commit_and_what_it_needs(project: Path, tmp_path: Path, script: Call) -> None:
    (project / "LICENSE").write_text("theirs\n")
    done = pack(script)
    assert done.status == 0
    assert "loc-gowalla_edges.konect-ids.txt.gz" in done.out
    assert "USA-road-d.NY" not in done.out
    assert "bundle has those of the commit" in done.err
    unpacked = unpacked_bundle(tmp_path / "unpacked")
    commit = run("git", "rev-parse", "HEAD")
    assert unpacked.name == f"retrace-{run('git', 'describe', '--always').strip()}"
    assert commit.startswith(unpacked.name.removeprefix("retrace-"))
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    downloads = ("USA-road-d.NY.gr.gz", "USA-road-d.NY.gr.gz.pin")
    assert {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()} == {
        "COMMIT", "LICENSE", "Makefile", "SHA256SUMS",
        "datasets.yaml", "requirements.lock", "requirements-uv.lock", *SETTING_UP,
        *(f"wheels/{python}/{name}-1.0-py3-none-any.whl" for name in ("tiny", "uv")),
        *(f"resources/downloads/{name}" for name in downloads),
    }  # fmt: skip
    assert (unpacked / "LICENSE").read_text() == "ours\n"
    assert run("sha256sum", "--check", "SHA256SUMS", cwd=unpacked).count(": OK\n") == 14
    assert (unpacked / "COMMIT").read_text() == commit


def test_the_same_makes_the_same_bytes(project: Path, script: Call) -> None:
    pack(script)
    for path in [*project.glob("*.lock"), *project.glob("../wheels/*"), *project.glob("../mirror/*")]:
        path.chmod(0o600)
        os.utime(path, (1, 1))
    pack(script, "again.tar.gz")
    assert Path("bundle.tar.gz").read_bytes() == Path("again.tar.gz").read_bytes()


@pytest.mark.long
def test_a_bundle_is_installed_without_a_route(project: Path, tmp_path: Path, script: Call) -> None:
    if shutil.which("unshare") is None or subprocess.run([*ALONE, "true"], capture_output=True).returncode:
        pytest.skip("unshare makes no network namespace here")
    pack(script)
    unpacked = unpacked_bundle(tmp_path / "unpacked")
    made = run(*ALONE, "make", ".venv/run", "OPTIONS=--without-project", cwd=unpacked)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = f"python{version} scripts/set_up.py requirements.lock --environment .venv --wheels "
    assert made.startswith(command)
    run(unpacked / ".venv/bin/python", "-c", "import tiny")


def test_what_cannot_be_packed(project: Path, tmp_path: Path, script: Call, monkeypatch: Patch) -> None:
    (packed,) = tmp_path.glob("wheels/tiny-*")
    with packed.open("ab") as file:
        file.write(b"!")
    assert "pip download failed" in pack(script).refusal(1)
    packed.unlink()
    assert "pip download failed" in pack(script).refusal(1)
    monkeypatch.chdir(tmp_path)
    assert "pack in a clone of the project" in pack(script).refusal(1)
    assert not [*tmp_path.rglob("*.tar.gz")]
