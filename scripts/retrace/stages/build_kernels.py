"""Compile kernel files and C++ baselines."""

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from pydantic import Field

from cuda_device.available_gpus import cuda_available
from cuda_device.build import build_cubin, build_thrust
from cuda_device.capability import Capability, architecture
from cuda_device.compiled_files import build_host
from cuda_device.cuda import CudaDevice
from cuda_device.gpu_limits import WITHOUT_GPU, GPULimits
from cuda_device.toolkits import known_capabilities, why_no_thrust
from retrace.devices.backends import emulator
from retrace.solvers import all_solvers
from retrace.system.bars import bar
from retrace.system.errors import RetraceError
from retrace.system.files import check_writable, write_whole
from retrace.system.models import Some
from retrace.system.project import KERNELS, build_folder, kernel_name
from retrace.system.stage import Stage


class BuildKernels(Stage):
    """Compile kernel files for one or more backends, and write a manifest of the compiled files."""

    backends: Some[Literal["cuda", "emulator", "host"]]
    """What to compile for."""
    output: Path
    """Manifest to write (JSON)."""
    files: Some[Path]
    """Files of solvers, such as kernels/bfs/*; files of other backends are ignored."""
    compute_capability: str | None = None
    """Compile what such a GPU can run, such as 8.6; without it this machine's, or 9.0 if it has none."""
    processes: int = Field(len(os.sched_getaffinity(0)), ge=1)
    """Compilers at once."""

    def run(self) -> None:
        """Compile, and write the manifest."""
        check_writable(self.output)
        known = {KERNELS / file for kind in all_solvers() for file in kind.sources}
        for path in self.files:
            if path.resolve() not in known and not path.resolve().is_relative_to(KERNELS):
                raise RetraceError(f"{path}: expected a file under {KERNELS}, or of an installed solver")
        target = Target.of(self.compute_capability, "cuda" in self.backends)
        unused = unused_on(target.limits)
        files = [path.resolve() for path in self.files]
        tasks = []
        for backend in self.backends:
            build = choose_build(backend, target)
            skipped = unused | (without_nvcc(files, target) if backend == "cuda" else {})
            tasks += [(build, file) for file in files if is_compiled(file, backend) and file not in skipped]
            for file in files:
                if file in skipped and is_compiled(file, backend):
                    print(f"{kernel_name(file)}: not compiled, {skipped[file]}")
        with ThreadPoolExecutor(self.processes) as pool:
            try:
                compiled = pool.map(lambda task: task[0](task[1]), tasks)
                built = list(bar(compiled, total=len(tasks), desc="compiling", unit="file"))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        manifest = {
            kernel_name(source): str(artefact.relative_to(build_folder()))
            for (_, source), artefact in zip(tasks, built, strict=True)
        }
        write_whole(self.output, json.dumps(manifest, indent=2) + "\n")


@dataclass(frozen=True)
class Target:
    """The GPU that kernels are compiled for."""

    limits: GPULimits
    architecture: str
    """As nvcc names it; empty if nothing is compiled for a GPU."""

    @classmethod
    def of(cls, wanted: str | None, for_cuda: bool) -> Self:
        """Return this machine's GPU, used as the one that is wanted, or that one where there is no GPU."""
        if for_cuda and cuda_available():
            device = CudaDevice(compute_capability=wanted)
            return cls(device.limits, device.architecture())
        card = Capability.parse(WITHOUT_GPU if wanted is None else wanted)
        compiled_for = architecture(card, card, known_capabilities()) if for_cuda else ""
        return cls(GPULimits.by_capability(str(card)), compiled_for)


def unused_on(limits: GPULimits) -> dict[Path, str]:
    """Return the kernel files that only solvers use that a GPU cannot run, and what these need."""
    used = {file for kind in all_solvers() for file in kind.sources_on(limits)}
    unused: dict[Path, str] = {}
    for kind in all_solvers():
        if (missing := kind.missing_from(limits)) is not None:
            unused |= {KERNELS / file: f"{kind.name} {missing}" for file in kind.sources if file not in used}
    return unused


def without_nvcc(files: Sequence[Path], target: Target) -> dict[Path, str]:
    """Return the files that use Thrust, and why they cannot be compiled; none if they can."""
    why_not = why_no_thrust(target.architecture)
    return {} if why_not is None else {file: why_not for file in files if file.parent.name == "thrust"}


def choose_build(backend: str, target: Target) -> Callable[[Path], Path]:
    """Return the function that compiles one file for the backend."""
    if backend == "host":
        return build_host

    if backend == "emulator":
        return emulator().compile

    def build(source: Path) -> Path:
        compile_for_gpu = build_thrust if source.parent.name == "thrust" else build_cubin
        return compile_for_gpu(source, target.architecture)

    return build


def is_compiled(source: Path, backend: str) -> bool:
    """Return whether the backend compiles a file: not a header, nor what is another's."""
    folder = source.parent.name
    if backend == "host":
        return source.suffix == ".cpp" and (folder == "host")
    return source.suffix == ".cu" or (folder == "thrust" and source.suffix == ".cpp")
