"""Install what a GPU machine needs into the environment that runs this: nvcc and PyCUDA.

The machine's only CUDA part may be the driver: nvcc and the headers then come from NVIDIA's wheels. A toolkit
whose nvcc is on PATH is used instead. PyCUDA has no wheels, so it is compiled here, against that toolkit and
the driver's libcuda, without curand. Needs a C++ compiler and, for PyCUDA's build, two minutes or three.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from retrace.system.errors import OneLineParser, RetraceError, run_command

DRIVER = "libcuda.so.1"
USUAL_FOLDERS = ("/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64")  # not always known to ldconfig
CUDA_WHEELS = ("cuda-toolkit", "nvidia-")


def locked(lock: Path) -> list[str]:
    """Split a lock file into its entries, hashes included; a package may have one for each Python version."""
    return re.findall(r"^[A-Za-z0-9].*(?:\n[ \t].*)*", lock.read_text(), flags=re.MULTILINE)


def pip(*arguments: str, locked: list[str] | None = None) -> None:
    """Run pip; `locked` are the requirements, whose hashes it checks."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments, "--quiet", "--no-deps"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        if locked is not None:
            file.write("\n".join(locked) + "\n")
            file.flush()
            command += ["--require-hashes", "-r", file.name]
        if subprocess.run(command, check=False).returncode != 0:
            raise RetraceError(f"pip {arguments[0]} failed, see above; once mended, run make gpu again")


def install_pycuda(locked: list[str], toolkit: Path, driver: Path) -> None:
    """Compile PyCUDA from its source package, configured as its own documentation says: by a siteconf.py."""
    with tempfile.TemporaryDirectory() as folder:
        pip("download", "--no-binary", "pycuda", "--dest", folder, locked=locked)
        (archive,) = Path(folder).glob("*.tar.gz")
        shutil.unpack_archive(archive, folder, filter="data")
        source = Path(folder) / archive.name.removesuffix(".tar.gz")
        links = Path(folder) / "driver"
        links.mkdir()
        (links / "libcuda.so").symlink_to(driver)  # the name that the linker looks for
        settings = {
            "CUDA_ROOT": str(toolkit),
            "CUDADRV_LIB_DIR": [str(links)],
            "CUDA_ENABLE_CURAND": False,
        }
        lines = [f"{key} = {value!r}\n" for key, value in settings.items()]
        (source / "siteconf.py").write_text("".join(lines))
        pip("install", str(source))


def find_driver() -> Path:
    """Find the driver's library.

    Raises
    ------
    RetraceError
        If there is none: nothing that follows could run.
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
    """Find the root of a CUDA toolkit whose nvcc is on PATH and that holds the headers, or None."""
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
