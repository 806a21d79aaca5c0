"""What compiles kernels, by the driver and the GPU: nvcc on PATH, nvcc from wheels or NVRTC."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from command_line import Patch
from cuda_device import installed_driver, toolkits
from cuda_device.build import build_cubin, build_thrust
from cuda_device.errors import LacksError, OneLineError
from cuda_device.installed_driver import InstalledDriver, InstalledGpu, Version
from cuda_device.toolkits import NVCC, Toolkit, choose_toolkit, known_capabilities, why_no_thrust
from driver_stand_in import make_driver
from retrace.measure import environment
from retrace.measure.environment import cuda_version
from retrace.system.project import KERNELS

IN_11, IN_12, IN_12_9, IN_13 = (range(50, 90), range(50, 91), range(50, 122), range(75, 122))
"""The compute capabilities of four versions of CUDA, and some that are none."""


def compiler(folder: Path, name: str, place: str, release: str, known: range) -> Toolkit:
    """A program that says what a compiler is, and compiles nothing."""
    program = folder / f"{name}-{release}"
    codes = "\\n".join(f"sm_{digits}" for digits in known)
    program.write_text(f'#!/bin/sh\n[ $1 = --version ] && echo "{name}, V{release}" || printf "{codes}\\n"\n')
    program.chmod(0o755)
    return Toolkit(name, (str(program),), place)


@pytest.fixture(scope="module")
def compilers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Toolkit]:
    folder = tmp_path_factory.mktemp("compilers")
    return {
        "11 on PATH": compiler(folder, NVCC, "on PATH", "11.8.89", IN_11),
        "12 on PATH": compiler(folder, NVCC, "on PATH", "12.4.131", IN_12),
        "13 on PATH": compiler(folder, NVCC, "on PATH", "13.2.51", IN_13),
        "13 from wheels": compiler(folder, NVCC, "from wheels", "13.0.88", IN_13),
        "NVRTC": compiler(folder, "NVRTC", "from wheels", "12.9.86", IN_12_9),
    }


def use(monkeypatch: Patch, folder: Path, driver: Version | None, here: list[Toolkit]) -> None:
    library = InstalledDriver(make_driver(folder, driver)) if driver else None
    monkeypatch.setattr(toolkits, "installed_driver", lambda: library)
    monkeypatch.setattr(toolkits, "toolkits", lambda: here)


@pytest.mark.parametrize(
    ("driver", "arch", "here", "chosen"),
    [
        (None, "sm_90", ["13 on PATH", "13 from wheels", "NVRTC"], "13 on PATH"),
        (None, "sm_70", ["13 on PATH", "13 from wheels", "NVRTC"], "NVRTC"),
        ((13, 0), "sm_75", ["13 on PATH", "NVRTC"], "13 on PATH"),
        ((13, 0), "sm_70", ["13 on PATH", "13 from wheels", "NVRTC"], "NVRTC"),
        ((13, 0), "compute_86", ["13 on PATH", "13 from wheels"], "13 from wheels"),  # 13.2's PTX is too new
        ((12, 4), "sm_90", ["13 on PATH", "13 from wheels", "NVRTC"], "NVRTC"),
        ((12, 4), "sm_90", ["12 on PATH", "NVRTC"], "12 on PATH"),
        ((12, 4), "compute_86", ["12 on PATH", "NVRTC"], "12 on PATH"),
        ((12, 0), "sm_50", ["NVRTC"], "NVRTC"),
        ((12, 9), "sm_120", ["12 on PATH", "NVRTC"], "NVRTC"),
        ((13, 0), "sm_90", ["11 on PATH", "13 from wheels"], "13 from wheels"),
    ],
)
def test_the_first_that_suits_compiles(
    driver: Version | None, arch: str, here: list[str], chosen: str, compilers: dict[str, Toolkit],
    tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    use(monkeypatch, tmp_path, driver, [compilers[name] for name in here])
    assert choose_toolkit(arch) == compilers[chosen]
    assert (why_no_thrust(arch) is None) == (chosen != "NVRTC")


@pytest.mark.parametrize(
    ("driver", "arch", "here", "told"),
    [
        ((13, 0), "sm_70", ["13 on PATH"], "nvcc 13.2.51 on PATH knows 7.5 to 12.1"),
        (
            (12, 4),
            "sm_90",
            ["13 from wheels"],
            r"code of nvcc .* is too new for the driver 550.54.14 \(CUDA 12.4\)",
        ),
        ((12, 4), "compute_86", ["NVRTC"], "PTX of NVRTC 12.9.86 from wheels is too new for the driver"),
        (
            (11, 8),
            "sm_70",
            ["11 on PATH", "NVRTC"],
            "nvcc 11.8.89 on PATH lacks C.*; code of NVRTC .* too new",
        ),
        (None, "sm_90", [], "no nvcc or NVRTC was found; run `make gpu`"),
    ],
)
def test_where_nothing_compiles_it_says_why(
    driver: Version | None, arch: str, here: list[str], told: str, compilers: dict[str, Toolkit],
    tmp_path: Path, monkeypatch: Patch,
) -> None:  # fmt: skip
    use(monkeypatch, tmp_path, driver, [compilers[name] for name in here])
    with pytest.raises(OneLineError, match=f"^kernels/bfs/bsp.cu: nothing compiles for {arch}: .*{told}"):
        build_cubin(KERNELS / "bfs/bsp.cu", arch)
    with pytest.raises(LacksError, match=f"^Thrust needs nvcc, and none that is here compiles for {arch}$"):
        build_thrust(KERNELS / "thrust/sssp_thrust.cpp", arch)


def test_what_is_known_suits_the_driver(
    compilers: dict[str, Toolkit], tmp_path: Path, monkeypatch: Patch
) -> None:
    here = [compilers[name] for name in ("13 from wheels", "NVRTC")]
    use(monkeypatch, tmp_path, None, here)
    assert known_capabilities()[0] == "5.0"
    assert known_capabilities()[-1] == "12.1"
    use(monkeypatch, tmp_path, None, here[:1])
    assert known_capabilities()[0] == "7.5"
    use(monkeypatch, tmp_path, (12, 4), here[:1])
    assert known_capabilities() == ()


def test_a_compiler_that_fails_is_told(tmp_path: Path, monkeypatch: Patch) -> None:
    program = tmp_path / "nvcc"
    program.write_text("#!/bin/sh\necho 'nvcc: no licence' >&2; exit 1\n")
    program.chmod(0o755)
    use(monkeypatch, tmp_path, None, [Toolkit(NVCC, (str(program),), "on PATH")])
    with pytest.raises(OneLineError, match=f"^{program} --version fails: nvcc: no licence; "):
        known_capabilities()


def test_records_name_what_compiled(
    compilers: dict[str, Toolkit], tmp_path: Path, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(environment, "first_gpu", lambda: None)
    use(monkeypatch, tmp_path, None, [compilers[name] for name in ("13 from wheels", "NVRTC")])
    assert (cuda_version("8.6"), cuda_version("7.0"), cuda_version()) == (
        "13.0.88",
        "NVRTC 12.9.86",
        "13.0.88",
    )
    use(monkeypatch, tmp_path, None, [])
    assert cuda_version() is None


def test_nvrtc_compiles_for_cards_that_nvcc_has_left(tmp_path: Path, monkeypatch: Patch) -> None:
    """With what kernels include: cooperative groups, headers of C++, and each other."""
    monkeypatch.setattr(toolkits, "installed_driver", lambda: None)
    code = build_cubin(KERNELS / "bfs/bsp.cu", "sm_52").read_bytes()
    assert code[:4] == b"\x7fELF"
    assert struct.unpack_from("<H", code, 18) == (190,), "CUDA, of ELF's machines"
    ptx = build_cubin(KERNELS / "retrace_today/bfs/direction.cu", "compute_61")
    assert ptx.suffix == ".ptx"
    assert "\n.target sm_61" in ptx.read_text(encoding="ascii")
    source = tmp_path / "mistake.cu"
    source.write_text("#include <cstdint>\n__global__ void k(std::uint32_t *out) { out[0] = undeclared; }\n")
    with pytest.raises(OneLineError, match=r'mistake.cu\(2\): error: .*"undeclared" is undefined .*full log'):
        build_cubin(source, "sm_61")


def test_the_driver_says_what_it_is(tmp_path: Path, monkeypatch: Patch) -> None:
    gpus = [InstalledGpu("NVIDIA A10", (8, 6)), InstalledGpu("Quadro GV100", (7, 0))]
    (tmp_path / "two").mkdir()
    make_driver(tmp_path / "two", (12, 4), gpus)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "two"))
    monkeypatch.setattr(installed_driver, "installed_driver", installed_driver.installed_driver.__wrapped__)
    driver = installed_driver.installed_driver()
    assert driver is not None
    assert (driver.gpus(), str(driver), str(gpus[0])) == (
        gpus,
        "driver 550.54.14 (CUDA 12.4)",
        "NVIDIA A10 (8.6)",
    )
    assert installed_driver.first_gpu() == gpus[0]
    (tmp_path / "none").mkdir()
    make_driver(tmp_path / "none", (12, 4))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "none"))
    assert installed_driver.first_gpu() is None
