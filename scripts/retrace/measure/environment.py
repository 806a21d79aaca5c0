"""Describes where a record was measured: the machine, the software, the state of the source tree."""

import hashlib
import os
import platform
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from cuda_device.capability import Capability, architecture
from cuda_device.errors import OneLineError
from cuda_device.gpu_limits import WITHOUT_GPU
from cuda_device.installed_driver import first_gpu
from cuda_device.management import gpu_numbers
from cuda_device.toolkits import NVCC, choose_toolkit, known_capabilities
from retrace.catalogue.known_solvers import CATALOGUE
from retrace.system.project import ROOT
from retrace.system.solver_packages import code_of_packages

CPU_NAME = re.compile(r"^model name\s*:[ \t]*(\w.*)", re.MULTILINE | re.IGNORECASE)


def cpu_model() -> str:
    """Return the system's name of the processor; where Linux lists numbers, as on aarch64, lscpu's."""
    try:
        listed = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        listed = ""
    name = CPU_NAME.search(listed) or CPU_NAME.search(printed("lscpu") or "")
    return name[1].strip() if name else platform.processor() or platform.machine()


def printed(*command: str) -> str | None:
    """Return what a command prints, in English, or None if it cannot be run or fails."""
    english = {**os.environ, "LC_ALL": "C"}
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=ROOT, env=english
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def first_line(*command: str) -> str | None:
    """Return the first line that a command prints, or None if it cannot be run or fails."""
    text = printed(*command)
    return None if text is None else next(iter(text.splitlines()), "")


def package_version(name: str) -> str | None:
    """Return the version of an installed distribution, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def cuda_version(used_as: str | None = None) -> str | None:
    """Return what compiles the kernels, such as `13.0.88` for nvcc or `NVRTC 12.9.86`; None if nothing does.

    `used_as` is the compute capability that the first GPU is used as, by default its own.
    """
    gpu = first_gpu()
    wanted = Capability.parse(used_as or WITHOUT_GPU)
    card = Capability(*gpu.capability) if gpu else wanted
    try:
        target = architecture(card, wanted if used_as else card, known_capabilities())
        toolkit = choose_toolkit(target)
    except OneLineError:
        return None
    return toolkit.release if toolkit.name == NVCC else f"{toolkit.name} {toolkit.release}"


def machine(name: str, gpu: dict[str, Any] | None) -> dict[str, Any]:
    """Describe this computer for a record; `gpu` is the result of `Device.describe`.

    Two computers of one kind differ in speed, so `host` tells them apart: a hash of the processor, the memory
    and the numbers of all GPUs, or the system's own number where there is none.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    identity = f"{cpu_model()} {cores} {memory} {' '.join(gpu_numbers()) or machine_id()}"
    return {
        "name": name,
        "host": hashlib.sha256(identity.encode()).hexdigest()[:12],
        "cpu": cpu_model(),
        "cores": cores,
        "memory_gib": round(memory / 2**30, 1),
        "gpu": gpu,
    }


def machine_id() -> str:
    """Return the system's own number; its name where it has none."""
    try:
        return Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return platform.node()


def tree() -> tuple[str | None, bool | None]:
    """Return the commit, and whether any file outside `results/` differs from it; None if unknown.

    For a copy without its repository, `RETRACE_COMMIT` holds the output of
    `git describe --always --dirty --abbrev=40`; for a bundle its file COMMIT does.
    """
    commit: str | None
    changes: str | None
    told = os.environ.get("RETRACE_COMMIT")
    if told is None and (ROOT / "COMMIT").is_file():
        told = (ROOT / "COMMIT").read_text(encoding="ascii").strip()
    if told is not None:  # Git might find another repository around the copy
        commit, _, changes = told.partition("-")
    else:
        top = first_line("git", "rev-parse", "--show-toplevel")
        is_own = top is not None and Path(top).resolve() == ROOT.resolve()  # not one around the copy
        commit = first_line("git", "rev-parse", "HEAD") if is_own else None
        changes = first_line("git", "status", "--porcelain", "--", ".", ":!results") if is_own else None
    return commit, None if commit is None else bool(changes)


def sources() -> str:
    """Return the sha256 of all files that measure.

    A commit does not tell one tree with changes from another.
    """
    found = hashlib.sha256()
    inside = [file for part in ("scripts", "kernels") for file in (ROOT / part).rglob("*.*")]
    outside = [name for solver in CATALOGUE.solvers for name in solver.sources if Path(name).is_absolute()]
    for file in sorted({*inside, *map(Path, outside), *map(Path, code_of_packages())}):
        if file.suffix != ".pyc" and file.is_file():
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            name = os.path.relpath(file, ROOT)  # so that the project may be moved
            found.update(f"{name} {content}\n".encode())
    return found.hexdigest()


def software(used_as: str | None = None) -> dict[str, Any]:
    """Describe, for a record, the versions on which a result may depend; `used_as`: see `cuda_version`."""
    commit, dirty = tree()
    return {
        "git_commit": commit,
        "dirty": dirty,
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": package_version("numpy"),
        "pycuda": package_version("pycuda"),
        "cuda": cuda_version(used_as),
        "compiler": first_line(os.environ.get("CXX", "g++"), "--version"),
    }
