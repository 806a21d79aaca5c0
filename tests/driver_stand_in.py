"""Stands in for the library of NVIDIA's driver: any version, any GPUs, and functions that do nothing."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from cuda_device.compiled_files import find_cxx
from cuda_device.installed_driver import InstalledGpu, Version

SOURCE = """
#include <cstring>
struct Gpu { const char *name; int major, minor; };
static const Gpu gpus[] = { %(gpus)s {"", 0, 0} };
static bool ready;
extern "C" int cuInit(unsigned) { return (ready = %(count)d) ? 0 : 100; }
extern "C" int cuDriverGetVersion(int *version) { *version = %(version)d; return 0; }
extern "C" int cuDeviceGetCount(int *count) { *count = %(count)d; return ready ? 0 : 3; }
extern "C" int cuDeviceGet(int *device, int index) { *device = index; return 0; }
extern "C" int cuDeviceGetName(char *name, int size, int device)
{
    std::strncpy(name, gpus[device].name, size);
    return 0;
}
extern "C" int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? gpus[device].major : attribute == 76 ? gpus[device].minor : -1;
    return 0;
}
"""


def make_driver(
    folder: Path, cuda: Version, gpus: Sequence[InstalledGpu] = (), release: str = "550.54.14"
) -> Path:
    """Compile the library into a folder under the names that a driver's has; return what a loader finds."""
    told = "".join(f'{{"{gpu.name}", {gpu.capability[0]}, {gpu.capability[1]}}}, ' for gpu in gpus)
    major, minor = cuda
    code = SOURCE % {"gpus": told, "count": len(gpus), "version": 1000 * major + 10 * minor}
    (folder / "driver.cpp").write_text(code)
    library, link = folder / f"libcuda.so.{release}", folder / "libcuda.so.1"
    named = "-Wl,-soname,libcuda.so.1"
    command = [find_cxx(), "-shared", "-fPIC", named, str(folder / "driver.cpp"), "-o", str(library)]
    subprocess.run(command, check=True)
    link.symlink_to(library.name)
    return link
