"""Compiles a kernel file by NVRTC, NVIDIA's compiler as a library: without nvcc and without a C++ compiler.

A program of its own, with nvcc's options and messages, so that both are called in the same way:

    python nvrtc.py -arch=sm_61 -std=c++20 -lineinfo kernels/bfs/bsp.cu -o bsp.cubin
"""

import ctypes
import importlib.util
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

WHEEL = "nvidia-cuda-nvrtc-cu12"
LIBNVRTC = "cuda_nvrtc/lib/libnvrtc.so.12"
INCLUDED = ("cuda_runtime/include", "cuda_cccl/include")
"""Cooperative groups, and libcu++, which they include."""

IMPLIED = ("-O3", "-cubin", "-ptx")
"""What nvcc must be told, and NVRTC does by itself."""

OWN_FLAGS = ("-default-device",)
"""There is no host here: a function without a keyword, such as a lambda, is one of the GPU."""

STANDARD = ("array", "climits", "cstddef", "cstdint", "limits", "tuple", "type_traits", "utility")
"""C++'s headers that libcu++ has for a GPU, in a namespace of its own; NVRTC finds none of the system's."""


def find_in_wheels(pattern: str) -> Path | None:
    """Find a file or folder of NVIDIA's wheels, in the newest version if there are several."""
    wheels = importlib.util.find_spec("nvidia")
    folders = (wheels.submodule_search_locations or ()) if wheels else ()
    matches = (path for folder in folders for path in sorted(Path(folder).glob(pattern), reverse=True))
    return next(matches, None)


class Nvrtc:
    """The library, loaded."""

    def __init__(self) -> None:
        """Load it; OSError if that fails."""
        self._library = ctypes.CDLL(str(find_in_wheels(LIBNVRTC)))
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def architectures(self) -> list[str]:
        """Return what it compiles for, as nvcc names it."""
        count = ctypes.c_int()
        self._call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        numbers = (ctypes.c_int * count.value)()
        self._call("nvrtcGetSupportedArchs", numbers)
        return [f"sm_{number}" for number in numbers]

    def compile(self, source: Path, options: Sequence[str]) -> tuple[bytes | None, str]:
        """Return a cubin, or PTX for `-arch=compute_…`, or None if that fails; and what the compiler says."""
        headers = [
            f"#include <cuda/std/{name}>\nnamespace std {{ using namespace cuda::std; }}\n"
            for name in STANDARD
        ]
        program = ctypes.c_void_p()
        self._call(
            "nvrtcCreateProgram", ctypes.byref(program), source.read_bytes(), str(source).encode(),
            len(headers), _strings(headers), _strings(STANDARD),
        )  # fmt: skip
        failed = self._library.nvrtcCompileProgram(program, len(options), _strings(options))
        log = self._result(program, "ProgramLog").rstrip(b"\0").decode("utf-8", errors="replace")
        if failed:
            return None, log or self._library.nvrtcGetErrorString(failed).decode()
        if any(option.startswith("-arch=compute_") for option in options):
            return self._result(program, "PTX").rstrip(b"\0"), log
        return self._result(program, "CUBIN"), log

    def _result(self, program: ctypes.c_void_p, kind: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{kind}Size", program, ctypes.byref(size))
        result = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{kind}", program, result)
        return result.raw

    def _call(self, function: str, *arguments: object) -> None:
        if error := getattr(self._library, function)(*arguments):
            raise OSError(f"{function}: {self._library.nvrtcGetErrorString(error).decode()}")


def _strings(texts: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))


def compile_as_told() -> None:
    """Compile one file, or say what this compiler is."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, nargs="?")
    parser.add_argument("-o", dest="output", type=Path)
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--list-gpu-code", action="store_true", help="what it compiles for")
    arguments, options = parser.parse_known_args()
    if arguments.version:
        print(f"NVRTC, V{version(WHEEL)}")
    elif arguments.list_gpu_code:
        print("\n".join(Nvrtc().architectures()))
    else:
        included = [f"-I{folder}" for name in INCLUDED if (folder := find_in_wheels(name))]
        options = [option for option in options if option not in IMPLIED]
        compiled, log = Nvrtc().compile(arguments.source, [*OWN_FLAGS, *options, *included])
        if log:
            print(log, file=sys.stderr)
        if compiled is None:
            sys.exit(1)
        arguments.output.write_bytes(compiled)


if __name__ == "__main__":
    compile_as_told()
