"""Install nvcc and PyCUDA, which a GPU machine needs, into the environment that runs this program.

If a toolkit's nvcc is on PATH, that toolkit is used. Otherwise nvcc and the headers come from NVIDIA wheels,
so that the machine needs only the driver. PyCUDA has no wheels. It is compiled here, without curand, against
the toolkit and the driver's libcuda. This needs a C++ compiler and takes two to three minutes.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import unpack

DRIVER = "libcuda.so.1"
USUAL_FOLDERS = ("/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64")  # not always known to ldconfig
CUDA_WHEELS = ("cuda-toolkit", "nvidia-")
LOCKED_BUILD = ("--no-build-isolation",)
"""PyCUDA is built with the setuptools and NumPy of the lock, which are installed before."""


def locked(lock: Path) -> list[str]:
    """Split a lock file into entries with their hashes; a package may have one entry per Python version."""
    return re.findall(r"^[A-Za-z0-9].*(?:\n[ \t].*)*", lock.read_text(), flags=re.MULTILINE)


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


def install_pycuda(locked: list[str], toolkit: Path, driver: Path) -> None:
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
        settings = {"CUDA_ROOT": str(toolkit), "CUDADRV_LIB_DIR": [str(links)], "CUDA_ENABLE_CURAND": False}
        lines = [f"{key} = {value!r}\n" for key, value in settings.items()]
        (source / "siteconf.py").write_text("".join(lines))
        pip("install", *LOCKED_BUILD, str(source))


def find_driver() -> Path:
    """Find the driver's library.

    Raises
    ------
    RetraceError
        If there is none.
    """
    ldconfig = shutil.which("ldconfig", path="/sbin:/usr/sbin:/usr/bin:/bin") or "ldconfig"
    listing = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
    found = [
        Path(line.split("=>")[1].strip()) for line in listing.splitlines() if line.strip().startswith(DRIVER)
    ]
    usual = [Path(folder) / DRIVER for folder in USUAL_FOLDERS]
    for path in (*found, *usual):
        if path.exists():
            return path
    raise RetraceError(
        f"{DRIVER} not found: install the NVIDIA driver first; without a GPU use make reproduce"
    )


def toolkit_on_path() -> Path | None:
    """Find the root of a CUDA toolkit that has its nvcc on PATH and contains the headers, or None."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return None
    printed = subprocess.run(
        [nvcc, "--dryrun", "-x", "cu", "-"], capture_output=True, text=True, check=False
    ).stderr
    top = re.search(r"^#\$ TOP=(.+)$", printed, flags=re.MULTILINE)
    root = Path(top[1]) if top else Path(nvcc).resolve().parents[1]
    return root.resolve() if (root / "include" / "cuda.h").exists() else None


def main() -> None:
    """Install from a lock file."""
    parser = OneLineParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lock", type=Path, help="requirements-gpu.lock")
    arguments = parser.parse_args()
    driver, toolkit = find_driver(), toolkit_on_path()
    packages = locked(arguments.lock)
    pycuda = [package for package in packages if package.startswith("pycuda==")]
    others = [package for package in packages if package not in pycuda]
    if toolkit is None:
        toolkit = Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13"
    else:
        others = [package for package in others if not package.startswith(CUDA_WHEELS) or "cccl" in package]
    pip("install", locked=others)
    print(f"building PyCUDA against {toolkit} and {driver}", flush=True)
    install_pycuda(pycuda, toolkit, driver)


if __name__ == "__main__":
    run_command(main)
