"""Chooses what compiles kernels: nvcc on PATH, else nvcc from wheels, else NVRTC from its wheel.

The first is taken that knows the GPU and suits the driver. A driver loads machine code of its own major
version of CUDA and of older ones, and PTX of no version newer than its own.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cuda_device import nvrtc
from cuda_device.errors import DeviceError, OneLineError
from cuda_device.installed_driver import Version, installed_driver
from cuda_device.nvrtc import find_in_wheels

OLDEST: Version = (12, 0)
"""The first CUDA with C++20. Its drivers begin with 525."""

NVCC = "nvcc"
ON_PATH, FROM_WHEELS = "on PATH", "from wheels"


@dataclass(frozen=True)
class Toolkit:
    """A compiler of CUDA that is here; it takes the options of nvcc."""

    name: str
    command: tuple[str, ...]
    place: str

    @property
    def release(self) -> str:
        """Return its version, such as 13.0.88."""
        (release,) = re.findall(r"\bV(\d+\.\d+\.\d+)", printed_by(*self.command, "--version"))
        return str(release)

    @property
    def version(self) -> Version:
        """Return the version of CUDA that it is from."""
        major, minor, _ = self.release.split(".")
        return int(major), int(minor)

    @property
    def digits(self) -> list[int]:
        """Return the compute capabilities that it compiles for, 8.6 as 86, in order."""
        known = printed_by(*self.command, "--list-gpu-code")
        return sorted(int(digits) for digits in re.findall(r"^sm_(\d+)$", known, re.MULTILINE))

    def why_unsuited(self, virtual: bool = False) -> str | None:
        """Return why its machine code, or its PTX, is of no use here; None if it is."""
        if self.version < OLDEST:
            return f"{self} lacks C++20"
        driver = installed_driver()
        required = self.version if virtual else (self.version[0], 0)
        if driver is not None and driver.cuda() < required:
            return f"{'PTX' if virtual else 'code'} of {self} is too new for the {driver}"
        return None

    def why_not(self, arch: str) -> str | None:
        """Return why this does not compile for an architecture, `sm_86` or `compute_86`; None if it does."""
        kind, _, digits = arch.partition("_")
        if why_unsuited := self.why_unsuited(virtual=kind == "compute"):
            return why_unsuited
        known = self.digits
        return None if int(digits) in known else f"{self} knows {known[0] / 10} to {known[-1] / 10}"

    def __str__(self) -> str:
        """Return name, version and place."""
        return f"{self.name} {self.release} {self.place}"


def toolkits() -> list[Toolkit]:
    """List the compilers that are here, what is preferred first."""
    compilers = []
    if on_path := shutil.which(NVCC):
        compilers.append(Toolkit(NVCC, (on_path,), ON_PATH))
    if in_wheels := find_in_wheels("cu[0-9]*/bin/nvcc"):
        compilers.append(Toolkit(NVCC, (str(in_wheels),), FROM_WHEELS))
    if find_in_wheels(nvrtc.LIBNVRTC):
        command = sys.executable, "-P", nvrtc.__file__  # -P: modules beside the program hide no others
        compilers.append(Toolkit("NVRTC", command, FROM_WHEELS))
    return compilers


def find_nvcc() -> Path | None:
    """Find nvcc on PATH, else in the wheels of this environment; None if there is none."""
    return next((Path(toolkit.command[0]) for toolkit in toolkits() if toolkit.name == NVCC), None)


def choose_toolkit(arch: str, with_host: bool = False) -> Toolkit:
    """Return what compiles for an architecture, `sm_86` or `compute_86`.

    `with_host` asks for what compiles the host's code, too: nvcc. Raise DeviceError, which says what there
    is, if nothing does.
    """
    candidates = [toolkit for toolkit in toolkits() if toolkit.name == NVCC or not with_host]
    for toolkit in candidates:
        if toolkit.why_not(arch) is None:
            return toolkit
    reasons = "; ".join(str(toolkit.why_not(arch)) for toolkit in candidates)
    accepted = "nvcc" if with_host else "nvcc or NVRTC"
    raise DeviceError(f"nothing compiles for {arch}: {reasons or f'no {accepted} was found'}; run `make gpu`")


def known_capabilities() -> tuple[str, ...]:
    """Return the compute capabilities, such as `8.6`, that something here compiles for, in order."""
    known = {digits for toolkit in toolkits() if toolkit.why_unsuited() is None for digits in toolkit.digits}
    return tuple(str(digits / 10) for digits in sorted(known))


def why_no_thrust(arch: str) -> str | None:
    """Return why Thrust cannot be compiled for an architecture; None if it can."""
    try:
        choose_toolkit(arch, with_host=True)
    except OneLineError:
        return f"Thrust needs nvcc, and none that is here compiles for {arch}"
    return None


@cache
def printed_by(*command: str) -> str:
    """Return what a compiler prints about itself; raise DeviceError if it fails."""
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        last = next(reversed(process.stderr.splitlines()), f"exit status {process.returncode}")
        raise DeviceError(f"{' '.join(command)} fails: {last}; install it again, or take it from PATH")
    return process.stdout
