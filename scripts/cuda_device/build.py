"""Compiles kernel files for a GPU, each version once."""

from collections.abc import Sequence
from pathlib import Path

from cuda_device.compiled_files import build_by, define, processor, shown_path
from cuda_device.errors import DeviceError, LacksError, OneLineError
from cuda_device.toolkits import choose_toolkit, why_no_thrust

CUDA_FLAGS = ("-std=c++20", "-O3", "-lineinfo")

COMPILERS = [Path(__file__).with_name(f"{name}.py") for name in ("build", "nvrtc", "toolkits")]
"""The modules that determine what is compiled."""


def build_thrust(source: Path, arch: str) -> Path:
    """Compile a file that uses Thrust for nvcc's `arch`.

    Raise LacksError if nvcc is not here, or does not compile for the architecture.
    """
    if (why_not := why_no_thrust(arch)) is not None:
        raise LacksError(why_not)
    (nvcc,) = choose_toolkit(arch, with_host=True).command
    libraries = Path(nvcc).parents[1] / "lib"  # of wheels, where nvcc looks in lib64
    flags = [*CUDA_FLAGS, "-x", "cu", "-shared", "-Xcompiler", "-fPIC", f"-arch={arch}", f"-L{libraries}"]
    return build_by([nvcc, *flags], source, "cuda", settings=[processor()], generators=COMPILERS)


def build_cubin(source: Path, arch: str, macros: Sequence[str] = ()) -> Path:
    """Compile a kernel file for an architecture, such as `sm_90`; for a virtual one, `compute_86`, to PTX."""
    try:
        toolkit = choose_toolkit(arch)
    except OneLineError as error:
        raise DeviceError(f"{shown_path(source)}: {error}") from None
    kind = "cubin" if arch.startswith("sm_") else "ptx"
    command = [*toolkit.command, *CUDA_FLAGS, *define(macros), f"-arch={arch}", f"-{kind}"]
    release = f"{toolkit.name} {toolkit.release}"
    return build_by(command, source, "cuda", kind, settings=[release], generators=COMPILERS)
