"""What is compiled in a checkout of the project: for every backend, once for all checkouts."""

import ctypes
import json
import re
import shutil
from pathlib import Path

import pytest

from command_line import PROJECT, Call, python, refused
from cuda_device.compiled_files import build_host, sum_file
from cuda_on_cpu.build import REWRITTEN, build_emulator, build_runtime
from retrace.system.project import KERNELS, build_folder


@pytest.fixture
def own_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "build"
    (folder / "emulator").mkdir(parents=True)
    built = build_emulator(KERNELS / "bfs/bsp.cu").parent
    runtime = build_runtime(debug=False)
    for shared in (runtime, sum_file(runtime), *built.glob("header-*")):  # take a while
        (folder / "emulator" / shared.name).symlink_to(shared)
    monkeypatch.setenv("RETRACE_BUILD", str(folder))
    return folder


@pytest.mark.parametrize("source", sorted(KERNELS.rglob("*.cu")), ids=str)
def test_every_kernel_compiles_with_gpu_values(source: Path) -> None:
    """One that does not is compiled as it is, and a value would be refused that is defined."""
    assert hasattr(ctypes.CDLL(str(build_emulator(source))), REWRITTEN)


def test_a_second_checkout_compiles_nothing_again(tmp_path: Path, own_build: Path) -> None:
    """Its paths are not in the keys; a header precompiled elsewhere serves for what is compiled in it."""
    for part in ("scripts/retrace", "scripts/cuda_device", "scripts/cuda_on_cpu", "kernels"):
        # files later than those of this checkout
        shutil.copytree(PROJECT / part, tmp_path / part, copy_function=shutil.copyfile)
    program = """
import sys
sys.path.insert(0, sys.argv[1] + "/scripts")
from cuda_on_cpu.build import build_emulator
from retrace.system.project import KERNELS
for variant in sys.argv[2:]:
    print(KERNELS, build_emulator(KERNELS / "betweenness" / variant))
"""
    variants = "vert.cu", "edge.cu"

    def built_in(folder: Path, *variants: str) -> list[list[str]]:
        done = python(program, folder, *variants, RETRACE_BUILD=str(own_build))
        return [line.split() for line in done.stdout.splitlines()]

    first, second = built_in(PROJECT, *variants[:1]), built_in(tmp_path, *variants)
    assert [kernels for kernels, _ in second] == [str(tmp_path / "kernels")] * 2
    assert second[0][1] == first[0][1]
    assert len(list(own_build.glob("emulator/[!.]*.so"))) == 3  # and the scheduler
    assert all(path.is_symlink() for path in own_build.glob("emulator/header-*"))


def test_a_baseline_that_does_not_compile(tmp_path: Path, own_build: Path) -> None:
    source = tmp_path / "broken.cpp"
    source.write_text("int f() { return x; }\n")
    told, log = refused(build_host, source).split("full log: ")
    assert re.search(r"broken.cpp:1:18: error: .x. was not declared ", told)
    assert Path(log.rstrip(")")).read_text().startswith("/")


def test_the_build_command_writes_a_manifest(tmp_path: Path, script: Call) -> None:
    manifest = tmp_path / "new" / "built.json"
    names = [
        "bfs/bsp.cu",
        "bfs/block_queue.cuh",
        "stcon/bsp.cu",
        "host/bfs_queue.cpp",
        "cuda_on_cpu/runtime.h",
    ]
    files = [PROJECT / "kernels" / name for name in names]
    assert (
        script(
            "build-kernels", "--backends", "host", "emulator", "--output", manifest, "--files", *files
        ).status
        == 0
    )
    built = json.loads(manifest.read_text())
    assert set(built) == {"bfs/bsp.cu", "stcon/bsp.cu", "host/bfs_queue.cpp"}
    assert all((build_folder() / artefact).is_file() for artefact in built.values())
