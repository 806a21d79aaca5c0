"""Asks the installed NVIDIA driver for its version and its GPUs, without PyCUDA or a toolkit."""

import ctypes
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LIBCUDA = "libcuda.so.1"
WSL_FOLDER = "/usr/lib/wsl/lib"
USUAL_FOLDERS = ("/usr/lib64", WSL_FOLDER, "/usr/local/nvidia/lib64")
"""Not always known to ldconfig."""

CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76
"""Of CUdevice_attribute: COMPUTE_CAPABILITY_MAJOR and the same of MINOR."""

Version = tuple[int, int]


@dataclass(frozen=True)
class InstalledGpu:
    """A GPU that this process may use."""

    name: str
    capability: Version
    """Its compute capability."""

    def __str__(self) -> str:
        """Return name and compute capability."""
        return "{} ({}.{})".format(self.name, *self.capability)


class InstalledDriver:
    """The driver's library, loaded."""

    def __init__(self, path: Path) -> None:
        """Load it; OSError if that fails."""
        self.path = path
        self._cuda = ctypes.CDLL(str(path))

    def cuda(self) -> Version:
        """Return the newest version of CUDA that the driver supports."""
        number = self._number("cuDriverGetVersion")
        return number // 1000, number % 1000 // 10

    def release(self) -> str | None:
        """Return the driver's own version, such as 550.54.14, if the name of its file has it."""
        match = re.fullmatch(r"libcuda\.so\.(\d{3,}\.[\d.]+)", self.path.resolve().name)
        return match[1] if match else None

    def gpus(self) -> list[InstalledGpu]:
        """Return the GPUs that this process may use; OSError, with CUDA's number of it, if it fails."""
        self._call("cuInit", 0)
        count = self._number("cuDeviceGetCount")
        return [self._gpu(self._number("cuDeviceGet", index)) for index in range(count)]

    def _gpu(self, device: int) -> InstalledGpu:
        name = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", name, len(name), device)
        attributes = CAPABILITY_MAJOR, CAPABILITY_MINOR
        major, minor = (self._number("cuDeviceGetAttribute", attribute, device) for attribute in attributes)
        return InstalledGpu(name.value.decode("utf-8", errors="replace"), (major, minor))

    def _number(self, function: str, *arguments: int) -> int:
        """Call a function that stores a number where its first argument says."""
        into = ctypes.c_int()
        self._call(function, ctypes.byref(into), *arguments)
        return into.value

    def _call(self, function: str, *arguments: object) -> None:
        if error := getattr(self._cuda, function)(*arguments):
            raise OSError(f"{function}: CUDA's error {error}")

    def __str__(self) -> str:
        """Return both versions, such as driver 550.54.14 (CUDA 12.4)."""
        release = self.release()
        return "driver {}(CUDA {}.{})".format(f"{release} " if release else "", *self.cuda())


@cache
def installed_driver() -> InstalledDriver | None:
    """Load the driver's library, the first that can be loaded; None if there is none."""
    for path in driver_files():
        try:
            return InstalledDriver(path)
        except OSError:  # of another processor
            continue
    return None


def first_gpu() -> InstalledGpu | None:
    """Return the first GPU that this process may use; None if there is none."""
    driver = installed_driver()
    try:
        return next(iter(driver.gpus()), None) if driver else None
    except OSError:
        return None


def driver_files() -> list[Path]:
    """List the files of the driver's library, where a program's loader finds them and in usual folders."""
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    known: list[str] = []
    if ldconfig := shutil.which("ldconfig", path="/sbin:/usr/sbin:/usr/bin:/bin"):
        listing = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
        known = re.findall(rf"^\s*{re.escape(LIBCUDA)} .*=> (.+)$", listing, flags=re.MULTILINE)
    candidates = [*(f"{folder}/{LIBCUDA}" for folder in folders), *known]
    candidates += [f"{folder}/{LIBCUDA}" for folder in USUAL_FOLDERS]
    return [path for path in map(Path, candidates) if path.exists()]
