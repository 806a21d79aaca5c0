"""Install PyCUDA and a compiler of kernels for a GPU machine into the environment that runs this program.

The compiler is the one that suits driver and GPU: nvcc on PATH, else nvcc or NVRTC from NVIDIA's wheels, so
that the machine needs only the driver. PyCUDA has no wheels. It is compiled here, without curand, against the
driver's libcuda and the headers of CUDA 12, whose functions are in every driver from 525 on. This needs a C++
compiler and takes two to three minutes. Without a lock file, say what is installed.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

from cuda_device.available_gpus import cuda_status
from cuda_device.capability import Capability, architecture
from cuda_device.compiled_files import find_cxx
from cuda_device.installed_driver import (
    LIBCUDA,
    WSL_FOLDER,
    InstalledDriver,
    InstalledGpu,
    installed_driver,
)
from cuda_device.nvrtc import find_in_wheels
from cuda_device.toolkits import (
    OLDEST,
    ON_PATH,
    choose_toolkit,
    known_capabilities,
    toolkits,
    why_no_thrust,
)
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import unpack

LOCKED_BUILD = ("--no-build-isolation",)
"""PyCUDA is built with the setuptools and NumPy of the lock, which are installed before."""

NVCC_WHEELS = ("cuda-toolkit", "nvidia-cuda-crt", "nvidia-cuda-nvcc", "nvidia-cuda-runtime", "nvidia-nvvm")
NVRTC_WHEELS = ("nvidia-cuda-cccl-cu12", "nvidia-cuda-nvrtc-cu12")
"""What only one of the compilers needs."""

HEADERS = ("cuda_runtime/include", "cuda_profiler_api/include")
"""Of CUDA 12's wheels, what PyCUDA includes."""

OLDEST_GPU = (5, 0)
FIRST_OF_NVCC_13 = (7, 5)
"""Compute capabilities from which NVRTC 12 and nvcc 13 compile."""

ROOM_GIB = 2.0
"""The environment takes 0.9, and pip's downloads and the build of PyCUDA the rest."""


def locked(lock: Path) -> list[str]:
    """Split a lock file into entries with their hashes; a package may have one entry per Python version."""
    return re.findall(r"^[A-Za-z0-9].*(?:\n[ \t].*)*", lock.read_text(), flags=re.MULTILINE)


def name_of(entry: str) -> str:
    """Return the package's name."""
    return entry.partition("==")[0]


def pip(*arguments: str, locked: list[str] | None = None) -> None:
    """Run pip; it checks the hashes of the requirements in `locked`."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments, "--quiet", "--no-deps"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        if locked is not None:
            file.write("\n".join(locked) + "\n")
            file.flush()
            command += ["--require-hashes", "-r", file.name]
        if subprocess.run(command, check=False).returncode != 0:
            raise RetraceError(f"pip {arguments[0]} failed, see above; fix the cause and run make gpu again")


def install_pycuda(locked: list[str], driver: Path) -> None:
    """Compile PyCUDA from its source package, configured by a siteconf.py as its documentation describes."""
    with tempfile.TemporaryDirectory() as folder:
        # Without isolation: pip would take what builds it from the network, whatever its version and hash.
        pip("download", *LOCKED_BUILD, "--no-binary", "pycuda", "--dest", folder, locked=locked)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            unpack(packed, Path(folder))
        source = Path(folder) / archive.name.removesuffix(".tar.gz")
        links = Path(folder) / "driver"
        links.mkdir()
        (links / "libcuda.so").symlink_to(driver)  # the name that the linker expects
        settings = {
            "CUDA_INC_DIR": [str(find_in_wheels(name)) for name in HEADERS],
            "CUDADRV_LIB_DIR": [str(links)],
            "CUDA_ENABLE_CURAND": False,
        }
        lines = [f"{key} = {value!r}\n" for key, value in settings.items()]
        (source / "siteconf.py").write_text("".join(lines))
        pip("install", *LOCKED_BUILD, str(source))


def require_driver() -> InstalledDriver:
    """Find the driver; raise RetraceError if there is none that this computer can use."""
    driver = installed_driver()
    if "microsoft" in os.uname().release.lower() and not (driver and driver.path.is_relative_to(WSL_FOLDER)):
        to_do = f"remove {driver.path}, which hides it" if driver else "install the NVIDIA driver in Windows"
        raise RetraceError(f"WSL: {WSL_FOLDER}/{LIBCUDA}, which Windows provides, is not found: {to_do}")
    if driver is None:
        advice = "install the NVIDIA driver first; without a GPU use make reproduce"
        raise RetraceError(f"{LIBCUDA} not found: {advice}")
    return driver


def require_gpus(driver: InstalledDriver) -> list[InstalledGpu]:
    """List the GPUs; raise RetraceError if there are none, or if one or the driver is too old."""
    try:
        gpus = driver.gpus()
    except OSError as error:
        raise RetraceError(f"{driver}: no GPU ({error}); see whether nvidia-smi lists one") from None
    if not gpus:
        raise RetraceError(f"{driver}: no GPU; see whether CUDA_VISIBLE_DEVICES hides it")
    for gpu in gpus:
        if gpu.capability < OLDEST_GPU:
            advice = "expected compute capability 5.0 or newer; name another in CUDA_VISIBLE_DEVICES"
            raise RetraceError(f"GPU {gpu} is too old: {advice}, or use make reproduce")
    if driver.cuda() < OLDEST:
        raise RetraceError(
            f"{driver} is too old: expected 525 or newer, for CUDA 12.0; install a newer driver"
        )
    return gpus


def require_builder() -> None:
    """Raise RetraceError if PyCUDA cannot be built for lack of a compiler, of headers or of room."""
    find_cxx()
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        raise RetraceError(f"{header} not found: install Python's headers, python3-dev or python3-devel")
    free = shutil.disk_usage(sys.prefix).free / 2**30
    if free < ROOM_GIB:
        raise RetraceError(f"{sys.prefix}: {free:.1f} GiB are free, {ROOM_GIB:g} are needed; make room")


def compiler_wheels(driver: InstalledDriver, gpu: InstalledGpu) -> tuple[str, ...]:
    """Return the packages of the compiler that suits driver and GPU; none if nvcc on PATH does."""
    arch = "sm_{}{}".format(*gpu.capability)
    if any(toolkit.place == ON_PATH and toolkit.why_not(arch) is None for toolkit in toolkits()):
        return ()
    return NVCC_WHEELS if driver.cuda() >= (13, 0) and gpu.capability >= FIRST_OF_NVCC_13 else NVRTC_WHEELS


def install(lock: Path) -> None:
    """Install what this computer needs of a lock file."""
    driver = require_driver()
    gpus = require_gpus(driver)
    require_builder()
    needed = {name for gpu in gpus for name in compiler_wheels(driver, gpu)}
    unneeded = {*NVCC_WHEELS, *NVRTC_WHEELS} - needed
    packages = [package for package in locked(lock) if name_of(package) not in unneeded]
    pycuda = [package for package in packages if name_of(package) == "pycuda"]
    pip("install", locked=[package for package in packages if package not in pycuda])
    importlib.invalidate_caches()
    print(f"building PyCUDA against {driver.path}", flush=True)
    install_pycuda(pycuda, driver.path)


def describe() -> None:
    """Say what compiles kernels for each kind of GPU; raise RetraceError if nothing does or PyCUDA fails."""
    driver = require_driver()
    for gpu in dict.fromkeys(require_gpus(driver)):
        card = Capability(*gpu.capability)
        target = architecture(card, card, known_capabilities())
        no_thrust = "" if why_no_thrust(target) is None else "; Thrust is skipped: it needs nvcc"
        print(f"{driver}, GPU {gpu}: kernels are compiled by {choose_toolkit(target)}{no_thrust}")
    if (why_not := cuda_status()) is not None:
        raise RetraceError(f"PyCUDA: {why_not}")


def main() -> None:
    """Install from a lock file, or describe."""
    parser = OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lock", type=Path, nargs="?", help="requirements-gpu.lock")
    arguments = parser.parse_args()
    if arguments.lock is not None:
        install(arguments.lock)
    else:
        describe()


if __name__ == "__main__":
    run_command(main)
