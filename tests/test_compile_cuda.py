"""Every kernel file compiles with nvcc for every architecture in use; no GPU is needed."""

import subprocess
from pathlib import Path

import pytest

from retrace.devices.build import CUDA_FLAGS, EMULATOR, KERNELS, build_cubin, find_nvcc
from retrace.errors import RetraceError

ARCHITECTURES = (75, 80, 86, 89, 90)
SOURCES = sorted(
    [path for path in KERNELS.glob("*/*.cu") if path.parent != EMULATOR]
    + list((Path(__file__).parent / "kernels").glob("*.cu"))
)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_kernel_file_compiles(source: Path, tmp_path: Path) -> None:
    nvcc = find_nvcc()
    assert nvcc is not None, "nvcc comes with requirements-dev.lock"
    targets = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in ARCHITECTURES]
    command = [str(nvcc), *CUDA_FLAGS, *targets, "-fatbin", str(source), "-o", str(tmp_path / "all.fatbin")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
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
