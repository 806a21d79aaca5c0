"""Every kernel file compiles with nvcc, for the oldest and the newest architecture; no GPU is needed."""

import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

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
    [path for path in KERNELS.glob("*/*.cu") if path.parent != EMULATOR]
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


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_kernel_file_compiles(source: Path, compiled: dict[Path, Future[Path]]) -> None:
    assert compiled[source].result().stat().st_size


@cache
def compiled_search(source: str) -> tuple[dict[str, int], str]:
    """The bytes of local memory of each kernel of a file for an H100 or H200, by ptxas, and their PTX."""
    with TemporaryDirectory() as folder:
        command = [str(find_nvcc()), *CUDA_FLAGS, "-arch=sm_90", "-Xptxas", "-v", "-cubin", "-keep"]
        command += [f"--keep-dir={folder}", f"--output-file={folder}/cubin", str(KERNELS / source)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        frames = re.findall(r"Function properties for (\w+)\s+(\d+) bytes stack frame", told)
        ptx = (Path(folder) / Path(source).with_suffix(".ptx").name).read_text()
        return {kernel: int(size) for kernel, size in frames}, ptx


@pytest.mark.parametrize("problem", ["bfs", "stcon"])
def test_searches_in_a_cluster_keep_nothing_in_local_memory(problem: str) -> None:
    """Each round would load it from L2, as a barrier of the cluster empties L1; 16 words per thread spill."""
    frames, _ = compiled_search(f"{problem}/cluster.cu")
    kept = {kernel: size for kernel, size in frames.items() if kernel.endswith(("_1", "_4"))}
    assert len(kept) >= 4
    assert not any(kept.values()), kept


@pytest.mark.parametrize(
    ("source", "kernel"), [("bfs/direction", "direction"), ("sssp/near-far", "near_far")]
)
def test_a_search_of_the_grid_has_registers_enough(source: str, kernel: str) -> None:
    """With predecessors, two more that live across the atomics took 8 µs of 120 (docs/experiments, 69)."""
    frames, _ = compiled_search(f"{source}.cu")
    assert (frames[f"{kernel}_64"], frames[f"{kernel}_tree_64"]) == (0, 0)


@pytest.mark.parametrize(
    ("problem", "kernel", "takes"), [("bfs", "cluster_bfs_state_4", 2), ("stcon", "cluster_stcon_marks_4", 1)]
)
def test_a_bit_is_looked_for_in_one_word(problem: str, kernel: str, takes: int) -> None:
    """Not in each of a thread's words: a multiprocessor does so for 16 threads per cycle."""
    _, ptx = compiled_search(f"{problem}/cluster.cu")
    (body,) = re.findall(rf"\.entry {kernel}\(.*?\n\}}", ptx, re.DOTALL)
    assert len(re.findall(r"\t(?:clz|bfind|brev)\.", body)) == 2 * takes


def test_a_kernel_file_with_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETRACE_BUILD", str(tmp_path / "build"))
    source = tmp_path / "mistake.cu"
    source.write_text('extern "C" __global__ void k(int *out) { out[0] = undeclared; }\n')
    with pytest.raises(
        OneLineError, match=r'mistake.cu\(1\): error: .*"undeclared" is undefined .*full log'
    ) as caught:
        build_cubin(source, "sm_90")
    assert "\n" not in str(caught.value)
