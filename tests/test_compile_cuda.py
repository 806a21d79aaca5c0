"""Every kernel file compiles with nvcc for every architecture in use; no GPU is needed."""

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from retrace.devices.build import CUDA_FLAGS, EMULATOR, build_cubin, find_nvcc
from retrace.system.errors import RetraceError
from retrace.system.project import KERNELS

# One pass of the front end for each major architecture: minor ones have the language of theirs.
TARGETS = (
    "-gencode=arch=compute_75,code=sm_75",
    "-gencode=arch=compute_80,code=[sm_80,sm_86,sm_89]",
    "-gencode=arch=compute_90,code=sm_90",
)
SOURCES = sorted(
    [path for path in KERNELS.glob("*/*.cu") if path.parent != EMULATOR]
    + list((Path(__file__).parent / "kernels").glob("*.cu"))
)


Compiled = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, Future[Compiled]]]:
    """What nvcc says of each file, on all cores."""
    nvcc = find_nvcc()
    assert nvcc is not None, "nvcc comes with requirements-dev.lock"
    folder = tmp_path_factory.mktemp("fatbins")

    def compile_file(source: Path) -> Compiled:
        output = folder / f"{source.parent.name}-{source.stem}.fatbin"
        targets = TARGETS[-1:] if "cluster" in source.read_text() else TARGETS  # new with 9.0
        command = [str(nvcc), *CUDA_FLAGS, *targets, "-fatbin", str(source), "-o", str(output)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {source: pool.submit(compile_file, source) for source in SOURCES}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_kernel_file_compiles(source: Path, compiled: dict[Path, Future[Compiled]]) -> None:
    done = compiled[source].result()
    assert done.returncode == 0, done.stderr


def test_a_kernel_file_with_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path / "build"))
    source = tmp_path / "mistake.cu"
    source.write_text('extern "C" __global__ void k(int *out) { out[0] = undeclared; }\n')
    with pytest.raises(
        RetraceError, match=r'mistake.cu\(1\): error: .*"undeclared" is undefined .*full log'
    ) as caught:
        build_cubin(source, "sm_90")
    assert "\n" not in str(caught.value)
