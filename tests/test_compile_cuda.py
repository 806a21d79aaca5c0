"""Every kernel file compiles with nvcc, for the oldest and the newest architecture; no GPU is needed."""

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from cuda_device.build import CUDA_FLAGS, build_cubin
from cuda_device.compiled_files import build_by, compiled_from
from cuda_device.errors import OneLineError
from cuda_device.toolkits import find_nvcc
from cuda_on_cpu.build import EMULATOR
from retrace.system.project import KERNELS

# The oldest and the newest: what both have, those between them have too. Each takes a pass of the front end,
# unless no line is for one of them alone: then the oldest, which has least of everything, stands for both.
TARGETS = ("-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_90,code=sm_90")
# What is printed in a report is compiled to PTX for RTX 30 and 50, too; `make architectures` compiles all.
MORE_OF_REPORTS = (
    "-gencode=arch=compute_86,code=compute_86",
    "-gencode=arch=compute_120,code=compute_120",
)
TESTS = Path(__file__).parent
SOURCES = sorted(
    [path for path in KERNELS.rglob("*.cu") if EMULATOR not in path.parents]
    + [path for folder in ("", "cuda_on_cpu") for path in (TESTS / folder / "kernels").glob("*.cu")]
)


@pytest.fixture(scope="module")
def compiled() -> Iterator[dict[Path, Future[Path]]]:
    """What nvcc makes of each file, on all cores; kept, as all that is compiled, until something changes."""
    nvcc = find_nvcc()
    assert nvcc is not None, "nvcc comes with requirements-dev.lock"

    # nvcc 12.9 and later need not optimise, which takes them half of the time of the largest file.
    told = subprocess.run([nvcc, "--help"], capture_output=True, text=True, check=True).stdout
    fast = ["-Ofc=max"] if "--Ofast-compile" in told else []
    # Nor do cooperative groups need libcu++'s headers, which no kernel uses and which take a second a file.
    fast += ["-D_CG_LIMIT_INCLUDED_DEPENDENCIES"]

    def compile_file(source: Path) -> Path:
        apart = any("__CUDA_ARCH__" in path.read_text() for path in compiled_from(source))
        new = "cluster" in source.read_text()  # with 9.0
        targets = TARGETS[-1:] if new else TARGETS if apart else TARGETS[:1]
        if "\n// Report " in source.read_text() and not new:
            targets += MORE_OF_REPORTS
        return build_by([str(nvcc), *CUDA_FLAGS, *fast, *targets, "-fatbin"], source, "cuda", "fatbin")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {source: pool.submit(compile_file, source) for source in SOURCES}
        pool.shutdown(cancel_futures=True)


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_kernel_file_compiles(source: Path, compiled: dict[Path, Future[Path]]) -> None:
    assert compiled[source].result().stat().st_size


def test_a_kernel_file_with_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path / "build"))
    source = tmp_path / "mistake.cu"
    source.write_text('extern "C" __global__ void k(int *out) { out[0] = undeclared; }\n')
    with pytest.raises(
        OneLineError, match=r'mistake.cu\(1\): error: .*"undeclared" is undefined .*full log'
    ) as caught:
        build_cubin(source, "sm_90")
    assert "\n" not in str(caught.value)
