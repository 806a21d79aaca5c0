"""What nvcc makes of the searches of today: registers, and instructions that are few per cycle."""

import re
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cuda_device.build import CUDA_FLAGS
from cuda_device.toolkits import find_nvcc
from retrace.system.project import KERNELS


@cache
def compiled_search(source: str) -> tuple[dict[str, int], str]:
    """The bytes of local memory of each kernel of a file for an H100 or H200, by ptxas, and their PTX."""
    with TemporaryDirectory() as folder:
        command = [str(find_nvcc()), *CUDA_FLAGS, "-arch=sm_90", "-Xptxas", "-v", "-cubin", "-keep"]
        command += [
            f"--keep-dir={folder}",
            f"--output-file={folder}/cubin",
            str(KERNELS / "retrace_today" / source),
        ]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        frames = re.findall(r"Function properties for (\w+)\s+(\d+) bytes stack frame", told)
        ptx = (Path(folder) / Path(source).with_suffix(".ptx").name).read_text()
        return {kernel: int(size) for kernel, size in frames}, ptx


@pytest.mark.long
@pytest.mark.parametrize("problem", ["bfs", "stcon"])
def test_searches_in_a_cluster_keep_nothing_in_local_memory(problem: str) -> None:
    """Each round would load it from L2, as a barrier of the cluster empties L1; 16 words per thread spill."""
    frames, _ = compiled_search(f"{problem}/cluster.cu")
    kept = {kernel: size for kernel, size in frames.items() if kernel.endswith(("_1", "_4"))}
    assert len(kept) >= 4
    assert not any(kept.values()), kept


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "kernel"), [("bfs/direction", "direction"), ("sssp/near-far", "near_far")]
)
def test_a_search_of_the_grid_has_registers_enough(source: str, kernel: str) -> None:
    """With predecessors, two more that live across the atomics took 8 µs of 120 (docs/experiments, 69)."""
    frames, _ = compiled_search(f"{source}.cu")
    assert (frames[f"{kernel}_64"], frames[f"{kernel}_tree_64"]) == (0, 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("problem", "kernel", "takes"), [("bfs", "cluster_bfs_state_4", 2), ("stcon", "cluster_stcon_marks_4", 1)]
)
def test_a_bit_is_looked_for_in_one_word(problem: str, kernel: str, takes: int) -> None:
    """Not in each of a thread's words: a multiprocessor does so for 16 threads per cycle."""
    _, ptx = compiled_search(f"{problem}/cluster.cu")
    (body,) = re.findall(rf"\.entry {kernel}\(.*?\n\}}", ptx, re.DOTALL)
    assert len(re.findall(r"\t(?:clz|bfind|brev)\.", body)) == 2 * takes
