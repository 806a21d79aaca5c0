"""Compile kernel files for one or more backends, and write a manifest of the compiled files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from retrace.compilers.build import (
    KERNELS,
    architecture,
    build_cubin,
    build_emulator,
    build_folder,
    build_host,
    build_thrust,
)
from retrace.devices.cuda import CudaDevice, cuda_available
from retrace.devices.gapbs import build_gapbs, why_missing
from retrace.system.bars import bar
from retrace.system.errors import OneLineParser, RetraceError, run_command
from retrace.system.files import check_writable, write_whole


def main() -> None:
    """Parse the command line, compile, write the manifest."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("--backends", required=True, nargs="+", choices=["cuda", "emulator", "host"])
    parser.add_argument("--output", type=Path, required=True, help="manifest to write (JSON)")
    parser.add_argument(
        "--files",
        required=True,
        nargs="+",
        type=Path,
        help="files under kernels/, such as kernels/bfs/*; files of other backends are ignored",
    )
    parser.add_argument(
        "--compute-capability",
        help="what to compile for, such as 9.0 (default: this machine's GPU, or 9.0 without one)",
    )
    parser.add_argument(
        "--processes", type=int, default=len(os.sched_getaffinity(0)), help="compilers at once"
    )
    arguments = parser.parse_args()

    check_writable(arguments.output)
    for path in arguments.files:
        if not path.resolve().is_relative_to(KERNELS):
            raise RetraceError(f"{path}: expected a file under {KERNELS}; put it there")
    files = [path.resolve() for path in arguments.files]
    tasks = [
        (build, file)
        for backend in arguments.backends
        for build in [choose_build(backend, arguments.compute_capability)]
        for file in files
        if is_compiled(file, backend)
    ]
    with ThreadPoolExecutor(max(1, arguments.processes)) as pool:
        try:
            compiled = pool.map(lambda task: task[0](task[1]), tasks)
            built = list(bar(compiled, total=len(tasks), desc="compiling", unit="file"))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    manifest = {
        str(source.relative_to(KERNELS)): str(artefact.relative_to(build_folder()))
        for (_, source), artefact in zip(tasks, built, strict=True)
    }
    write_whole(arguments.output, json.dumps(manifest, indent=2) + "\n")


def choose_build(backend: str, capability: str | None) -> Callable[[Path], Path]:
    """Return the function that compiles one file for the backend."""
    if backend == "host":
        return lambda source: (build_gapbs if source.parent.name == "gapbs" else build_host)(source)
    if capability is None and cuda_available():
        target = CudaDevice().architecture()
    else:
        target = architecture(capability or "9.0")

    def build(source: Path) -> Path:
        if source.parent.name == "thrust":
            return build_thrust(source, target if backend == "cuda" else None)
        return build_cubin(source, target) if backend == "cuda" else build_emulator(source)

    return build


def is_compiled(source: Path, backend: str) -> bool:
    """Return whether the backend compiles a file: not a header, nor what is another's, nor lacks its peer."""
    folder = source.parent.name
    if backend == "host":
        return source.suffix == ".cpp" and (folder == "host" or (folder == "gapbs" and not why_missing()))
    return source.suffix == ".cu" or (folder == "thrust" and source.suffix == ".cpp")


if __name__ == "__main__":
    run_command(main)
