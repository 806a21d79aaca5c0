"""Shifts and conversions that C++ does not define: the emulator has a GPU's values."""

import ctypes
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from running import DEVICES, OPENED

from cuda_device.errors import OneLineError
from cuda_on_cpu.build import REWRITTEN, build_emulator, own_code, preprocess
from cuda_on_cpu.device import EmulatedDevice
from cuda_on_cpu.gpu_values import with_gpu_values

KERNELS = Path(__file__).parent / "kernels"
OUT_OF_RANGE, ARITHMETIC = (str(KERNELS / f"{name}.cu") for name in ("out_of_range", "arithmetic"))

TYPES = {
    "int": np.int32, "unsigned": np.uint32, "long": np.int64, "word": np.uint64,
    "short": np.int16, "ushort": np.uint16, "byte": np.uint8, "char": np.int8,
}  # fmt: skip
AMOUNTS = [0, 1, 7, 8, 31, 32, 33, 63, 64, 65, 2**31 - 1, -(2**31), -1]
NUMBERS = [0.0, 1e10, -1e10, math.nan, -1.0, -0.5, 3.9, -3.9, 1e30, -1e30, math.inf, -math.inf, 300.0, -300.0,
           70000.0, 2147483648.0, 2147483520.0, 4294967296.0, 9.3e18, 1.9e19, -9.3e18]  # fmt: skip


def held(value: int, dtype: Any) -> int:
    """What a type holds of a number."""
    bits, signed = 8 * np.dtype(dtype).itemsize, np.issubdtype(dtype, np.signedinteger)
    value %= 2**bits
    return value - 2**bits if signed and value >= 2 ** (bits - 1) else value


def shifted(a: int, n: int, dtype: Any) -> list[int]:
    """PTX's shl and shr: the amount is unsigned, and at most the width."""
    promoted = dtype if np.dtype(dtype).itemsize >= 4 else np.int32
    by = min(n % 2**32, 8 * np.dtype(promoted).itemsize)
    left, right = held(a << by, promoted), held(a >> by, promoted)
    return [left, right, held(left, dtype), held(right, dtype), held(left, dtype)]


def converted(x: float, dtype: Any, double: bool) -> int:
    """PTX's cvt.rzi; nvcc takes that of 32 bits for smaller types."""
    word = (
        dtype
        if np.dtype(dtype).itemsize >= 4
        else np.int32
        if np.issubdtype(dtype, np.signedinteger)
        else np.uint32
    )
    limits = np.iinfo(word)
    if math.isnan(x):
        return held(2 ** (limits.bits - 1) if double or limits.bits == 64 else 0, dtype)
    return held(int(min(max(x, int(limits.min)), int(limits.max))), dtype)


def values(device: Any) -> Iterator[tuple[str, object, object]]:
    """What a device makes of each shift and conversion, and what a GPU makes of it."""
    module = device.load(OUT_OF_RANGE)
    for name in ("int", "unsigned", "long", "word", "short", "byte"):
        dtype = TYPES[name]
        some = {held(a, dtype) for a in (1, 5, -1, -100, 2**31, 2**63, 0x123456789ABCDEF)}
        pairs = list(product(some, AMOUNTS))
        a, n = (np.array(column) for column in zip(*pairs, strict=True))
        out = device.empty(5 * len(pairs), np.int64)
        module.kernel(f"shifts_{name}")(
            1, 128, np.int32(len(pairs)), device.upload(np.array([a for a, _ in pairs], dtype)),
            device.upload(np.array([n for _, n in pairs], np.int32)), out,
        )  # fmt: skip
        found = device.download(out).reshape(-1, 5).tolist()
        for (a, n), one in zip(pairs, found, strict=True):
            yield f"{name}: {a} by {n}", one, [held(value, np.int64) for value in shifted(a, n, dtype)]
    for source, (name, dtype) in product(("float", "double"), TYPES.items()):
        numbers = np.array(NUMBERS, np.float32 if source == "float" else np.float64)
        out = device.empty(8 * len(numbers), np.int64)
        module.kernel(f"converts_{source}_{name}")(
            1, 128, np.int32(len(numbers)), device.upload(numbers), out
        )
        for x, one in zip(numbers.tolist(), device.download(out).reshape(-1, 8).tolist(), strict=True):
            expected = held(converted(x, dtype, source == "double"), np.int64)
            yield f"{source} {x} to {name}", one, [expected] * 8


@pytest.mark.parametrize("backend", DEVICES)
def test_values_out_of_range(backend: str) -> None:
    with OPENED[backend]() as device:
        told = list(values(device))
    assert len(told) > 500
    assert [one for one in told if one[1] != one[2]] == []


@pytest.mark.parametrize("backend", DEVICES)
def test_operands_stay_the_same(backend: str) -> None:
    with OPENED[backend]() as device:
        out = device.upload(np.zeros(12, np.int64))
        device.load(OUT_OF_RANGE).kernel("binds")(1, 1, np.int32(3), np.float32(6.5), np.float64(-2.5), out)
        expected = [4 << 5, 7 & 8 | 16, True, held(3 << 30, np.int32) >> 3, 36, 306 % 256 - 2, -6 + ~6 - 0,
                    -(2**31) + 3, 6, -(2**32), 44, 3 >> 1 << 1]  # fmt: skip
        assert device.download(out).tolist() == expected


@pytest.mark.parametrize(
    ("text", "written"),
    [("a<<b<<c", "a<< emulator::by <<b<< emulator::by <<c"),
     ("x >>= y ? 1 : 2", "x >>= emulator::by >>= y ? 1 : 2"),
     ("1 << 32", "1 << emulator::by << 32"),
     ("1 << 31 + n", "1 << emulator::by << 31 + n"),
     ("1 << 3[p]", "1 << emulator::by << 3[p]"),
     ("i < n >> m", "i < n >> emulator::by >> m"),
     ("a[i < j] >> k", "a[i < j] >> emulator::by >> k"),
     ("f(a < b, c) < d >> e", "f(a < b, c) < d >> emulator::by >> e"),
     ("A<(b >> c)> x", "A<(b >> emulator::by >> c)> x"),
     ("vector<vector<int>> y; y >> z", "vector<vector<int>> y; y >> emulator::by >> z"),
     ("f<g<int>>(x) >> y", "f<g<int>>(x) >> emulator::by >> y"),
     ("p->f >> g", "p->f >> emulator::by >> g"),
     ("f<T>(int(x))", "f<T>(emulator::to<int>(x))"),
     ("return std::uint8_t(x);", "return emulator::to<std::uint8_t>(x);"),
     ("y = {int(a), long(b)};", "y = {emulator::to<int>(a), emulator::to<long>(b)};"),
     ("static_cast<unsigned long>(x)", "emulator::to<unsigned long>(x)"),
     ("y = (const int)x", "y = emulator::Cast<const int>{} ->*x"),
     ("y * (int)-x", "y * emulator::Cast<int>{} ->*-x"),
     ("f() - (int)x", "f() - emulator::Cast<int>{} ->*x"),
     ("y = (int)(char)x", "y = emulator::Cast<int>{} ->*emulator::Cast<char>{} ->*x"),
     ("template <typename T> f() { y = T(x); }", "template <typename T> f() { y = emulator::to<T>(x); }"),
     ("using A = int; typedef A B; y = B(x);", "using A = int; typedef A B; y = emulator::to<B>(x);"),
     ("struct { int a; } b; b.a << c", "struct { int a; } b; b.a << emulator::by << c"),
     ("case 1: break; a << b", "case 1: break; a << emulator::by << b")],
)  # fmt: skip
def test_what_is_rewritten(text: str, written: str) -> None:
    assert with_gpu_values(text) == written


@pytest.mark.parametrize(
    "text",
    ["1 << 31", "x >>= 5u;", "(x >> 0)", "#pragma a << b", '"a << b"', r'"\" a << b"', 'R"(" a << b)"',
     'R"x(a << b)" a >> b)x"', "'<<'", r"'\'' + '<<'", "1'000 + x", "f<g<int>>(x)", "S &operator<<(S a)",
     "a < b && c < d >> e", "vector<vector<vector<int>>> x", "struct { unsigned a : 3; } b; b.a << c",
     "struct { int a:N = 0; } b; b.a << c",
     "int(x);", "{ int(x); }", "f(int)", "int (*f)(int)", "sizeof(int) * 2", "sizeof (int)x",
     "f(int (&a)[3])",
     "(int *)p", "(float)(int)x", "-(int)x", "a * -(int)x", "!(int)x", "return -(int)x;", "g = int()",
     "void f(int) const {}", "auto f = [](int) { }", "A<int(int)>", "float(x)", "bool(x)", "x.int_of(y)",
     "static_cast<float>(x)", "static_cast<int *>(x)", "operator int() const", "operator int(x)",
     "template <typename T> f() { (T) - x; }", "p->*x"],
)  # fmt: skip
def test_what_stays_as_it_is(text: str) -> None:
    assert with_gpu_values(text) == text


def write(folder: Path, text: str, name: str = "variant.cu") -> Path:
    source = folder / "problem" / name
    source.parent.mkdir(exist_ok=True)
    source.write_text(text)
    return source


def test_comments_conditions_macros_and_lines(tmp_path: Path) -> None:
    write(tmp_path, "#pragma once\n// a << b\nint shifted(int a) { return a << a; }\n", "header.cuh")
    text = """#include <climits>
#include "header.cuh"
/* a << b
   and int(c) */
#if 1 << 2 == 4 && INT_MAX > 0
#define TWICE(a) ((a) << \\
    (a))
#include "header.cuh"
int first = TWICE(INT_MAX), second = INT_MAX;
#else
int none = 1 << 77;
#endif
int line = __LINE__;
"""
    lines: dict[tuple[str, int], str] = {}
    file, number = "", 0
    for line in with_gpu_values(own_code(preprocess("g++", write(tmp_path, text)))).splitlines():
        if line.startswith("# "):
            file, number = line.split('"')[1].rpartition("/")[2], int(line.split()[1])
        else:
            lines[file, number] = lines.get((file, number), "") + line.strip()
            number += 1
    assert {place: line for place, line in lines.items() if line} == {
        ("variant.cu", 1): "#include <climits>",
        ("header.cuh", 3): "int shifted(int a) { return a << emulator::by << a; }",
        ("variant.cu", 9): "int first = ((0x7fffffff) << emulator::by << (0x7fffffff)), second = 0x7fffffff;",
        ("variant.cu", 13): "int line = 13;",
    }


@pytest.mark.parametrize("source", sorted(KERNELS.glob("*.cu")), ids=str)
def test_every_kernel_compiles_as_rewritten(source: Path) -> None:
    """One that does not is compiled as it is, and a value would be refused that is defined."""
    assert hasattr(ctypes.CDLL(str(build_emulator(source))), REWRITTEN)


@pytest.mark.parametrize(
    ("text", "told"),
    [("out[0] = one.bits << (out[1] + 32);", "a shift by 32 bits or more than the number has"),
     ("out[0] = 1 << Amount{32};", "a shift by 32 bits or more than the number has"),
     ("Whole one = 3e9f * (out[1] + 1); out[0] = one.n;", "a floating-point number is converted to an"),
     ("out[0] = decltype(1)(3e9f * (out[1] + 1));", "a floating-point number is converted to an integer")],
)  # fmt: skip
def test_what_is_not_rewritten_is_refused(tmp_path: Path, text: str, told: str) -> None:
    before = "struct Amount { int n; __device__ operator int() const { return n; } };\n"
    before += "struct Whole { int n; __device__ Whole(int n) : n(n) {} };\n"
    before += "struct Bits { unsigned bits : 5; };\n" if "bits" in text else ""
    body = "\n    Bits one = {unsigned(out[1])};\n" if "bits" in text else "\n    \n"
    source = write(tmp_path, f'{before}extern "C" __global__ void k(int *out)\n{{{body}    {text}\n}}\n')
    with EmulatedDevice() as device:
        out = device.upload(np.zeros(2, np.int32))
        line = 1 + source.read_text().split(text)[0].count("\n")
        with pytest.raises(OneLineError, match=f"^kernel k: {told}.*, at variant.cu:{line}, in block"):
            device.load(str(source)).kernel("k")(1, 1, out)


def test_implicit_conversions_are_marked_where_they_are(tmp_path: Path) -> None:
    text = """#include <climits>
template <typename T> __device__ T half(float x) { return x * 0.5f; }
struct Whole { int n; __device__ Whole(int n) : n(n) {} };
extern "C" __global__ void k(float x, const double *y, long long *out)
{
    int i = x, at = 0;
    const char *told = "é"; int j = told[0] ? x * 2 + y[0] : 0;
    out[at++] = i;
    out[at++] = j;
    i = 5;
    i += x;
    out[at++] = i;
    j -= y[0]
        / 2;
    out[at++] = j;
    out[at++] = half<int>(x) + half<float>(3.0f);
    Whole whole(-x);
    out[at++] = whole.n;
    auto turned = [&]() -> unsigned { return *y; };
    out[at++] = turned();
    unsigned u = i = INT_MAX + x;
    out[at++] = u;
    unsigned char byte = 300.5f;
    out[at++] = byte;
    double z = 0.5;
    z += x;
    out[at++] = 4 * z;
    i *= 2 * x, i /= z;
    out[at++] = i;
    atomicAdd((int *)out + 2 * at++, x);
}
"""
    most, least = 2**31 - 1, -(2**31)
    source = write(tmp_path, text)
    for x, y, expected in (
        (1e10, -1e20, [most, least, most, most, 2**31, least, 0, most, 44, 4 * 10**10 + 2, 0, most]),
        (3.0, 8.0, [3, 14, 8, 10, 2, -3, 8, most, 44, 14, 613566756, 3]),
        (math.nan, 0.5, [0, least, 0, least, 1, 0, 0, 0, 44, -(2**63), least, 0]),
    ):
        with EmulatedDevice() as device:
            out = device.upload(np.zeros(12, np.int64))
            given = device.upload(np.array([y]))
            device.load(str(source)).kernel("k")(1, 1, np.float32(x), given, out)
            assert device.download(out).tolist() == expected


def test_the_errors_of_a_file_are_those_of_what_it_says(tmp_path: Path) -> None:
    source = write(
        tmp_path, 'extern "C" __global__ void k(int *out)\n{\n    out[0] = int(mistake) << 1;\n}\n'
    )
    with (
        EmulatedDevice() as device,
        pytest.raises(OneLineError, match=r"variant.cu:3:18: .* cannot run mistake,"),
    ):
        device.load(str(source))


def of_integers(x: int, y: int) -> list[int]:
    """What CUDA's integer functions make of two numbers."""
    u, v = x % 2**32, y % 2**32
    wide = u << 32 | v

    def lowest(number: int) -> int:
        return (number & -number).bit_length()

    def reversed_bits(number: int, bits: int) -> int:
        return int(f"{number:0{bits}b}"[::-1], 2)

    values = [min(x, y), max(x, y), min(u, v), max(u, v), u.bit_count(), wide.bit_count(), lowest(u),
              lowest(wide), 32 - u.bit_length(), 64 - wide.bit_length(), reversed_bits(u, 32),
              reversed_bits(wide, 64), x * y >> 32, u * v >> 32, wide * wide >> 64]  # fmt: skip
    return [held(value, np.int64) for value in values]


def of_reals(x: float, y: float) -> list[float]:
    """What CUDA's functions of floats and doubles make of two numbers that are floats, and positive."""
    f, g = np.float32(x), np.float32(y)
    return [min(x, y), max(x, y), min(x, y), max(x, y), float(f + g), float(f * g), x + y, x * y,
            x**-0.5, x**-0.5, x / y, round(x), round(x)]  # fmt: skip


@pytest.mark.parametrize("backend", DEVICES)
def test_functions_of_two_numbers(backend: str) -> None:
    some = [0, 1, 2, -1, 5, 0x12345678, -0x12345678, 2**31 - 1, -(2**31)]
    for kernel, dtype, pairs, expected in (
        ("integers", np.int64, list(product(some, some)), of_integers),
        ("reals", np.float64, list(product((0.5, 1.0, 1.5, 2.5, 3.25, 1e5), repeat=2)), of_reals),
    ):
        columns = [
            np.array(column, np.int32 if dtype is np.int64 else dtype) for column in zip(*pairs, strict=True)
        ]
        wanted = np.array([expected(*pair) for pair in pairs], dtype)
        with OPENED[backend]() as device:
            out = device.upload(np.zeros(wanted.size, dtype))
            called = device.load(ARITHMETIC).kernel(kernel)
            called(1, 128, np.int32(len(pairs)), *map(device.upload, columns), out)
            found = device.download(out).reshape(wanted.shape)
        np.testing.assert_allclose(found, wanted, rtol=0 if dtype is np.int64 else 1e-6)
