"""What is compiled for the emulator: what is refused, found, built anew, and kept whole."""

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from running import failing, run_program

from cuda_device.compiled_files import PLACES, build_once, sum_file
from cuda_device.errors import OneLineError
from cuda_on_cpu import build
from cuda_on_cpu.build import build_emulator, build_runtime
from cuda_on_cpu.device import EmulatedDevice

KERNELS = Path(__file__).parent / "kernels"


def write_kernel(folder: Path, body: str, before: str = "") -> Path:
    """Write a kernel file of one kernel, `k`."""
    source = folder / "problem" / "variant.cu"
    source.parent.mkdir(exist_ok=True)
    source.write_text(f'{before}\nextern "C" __global__ void k(int *out)\n{{\n    {body}\n}}\n')
    return source


@pytest.fixture
def own_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "build"
    (folder / "emulator").mkdir(parents=True)
    built = build_emulator(KERNELS / "barriers.cu").parent
    runtime = build_runtime(debug=False)
    for shared in (runtime, sum_file(runtime), *built.glob("header-*")):  # take a while, the same for all
        (folder / "emulator" / shared.name).symlink_to(shared)
    monkeypatch.setattr(PLACES, "build_folder", lambda: folder)
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "construct"),
    [("out[0] = __activemask();", "the emulator cannot run __activemask"),
     ("std::vector<int> list(3);", "the emulator cannot run std::vector, which a GPU does not have"),
     ("__shared__ int a = 0;", "the initialised __shared__ variable a"),
     ("__shared__ int tile[2] = {1, 2};", "the initialised __shared__ variable tile"),
     ("__shared__ int a(0);", "the initialised __shared__ variable a"),
     ("__shared__ int a, b[2] = {}, c;", "the initialised __shared__ variable b"),
     ("__shared__ __align__(8) int a = 0;", "the initialised __shared__ variable a"),
     ("__shared__ struct { int n; } a, b = {};", "the initialised __shared__ variable b"),
     ("__shared__ Couple<int, long> a{};", "the initialised __shared__ variable a"),
     ("__shared__ Counted tile[2];", "the initialised __shared__ variable tile"),
     ("__shared__ int large[12289]; large[out[0]] = 1; out[1] = large[out[2]];",
      "k has 49156 bytes of static __shared__ memory"),
     ("out[0] = table[out[1]];", "65540 bytes of __constant__ memory; a GPU has 65536"),
     ("out[0] = small[0] + second[out[1]];", "65544 bytes of __constant__ memory; a GPU has 65536"),
     ("using namespace std; vector<int> list;", "the emulator cannot run std::vector, which a GPU does not"),
     ("using namespace std; cout << 1;", "the emulator cannot run std::cout, which a GPU does not have"),
     ("std :: sort(out, out + 4);", "the emulator cannot run std::sort, which a GPU does not have"),
     ("std::atomic<int> a(0);", "the emulator cannot run std::atomic, which a GPU does not have"),
     ("std::thread([] {}).join();", "the emulator cannot run std::thread, which a GPU does not have"),
     ("__pipeline_memcpy_async(out, out, 4);", "the emulator cannot run __pipeline_memcpy_async"),
     ("__half number;", "the emulator cannot run __half, which neither it nor the file declares"),
     ("cuda::barrier<cuda::thread_scope_block> all;", "the emulator cannot run cuda, which neither it nor"),
     ("__pipeline_commit();", "the emulator cannot run __pipeline_commit, which neither it nor the file"),
     ("if (out[0]) exit(1);", "the emulator cannot run exit(), which ends a process; call __trap()"),
     ("if (out[0]) throw 1;", "the emulator cannot run throw, since a GPU has no exceptions"),
     ("try { out[0] = 1; } catch (...) {}", "the emulator cannot run try, since a GPU has no exceptions"),
     ("out[0] = out[1] ? throw 1 : 2;", "exception handling disabled"),
     ("out[0] = clock64();", "the emulator cannot run clock64"),
     ("out[0] = clock();", "the emulator cannot run clock"),
     ('asm volatile("mov.u32 %0, %laneid;" : "=r"(out[0]));', "the emulator cannot run inline PTX"),
     ('__asm__("bar.sync 0;");', "the emulator cannot run inline PTX"),
     ("out[0] = tex1Dfetch<int>(0, 1);", "the emulator cannot run tex1Dfetch, which neither"),
     ("cooperative_groups::coalesced_threads().sync();", "the emulator cannot run coalesced_threads, which"),
     ("k<<<1, 1>>>(out);", "the emulator cannot run <<<>>>"),
     ("atomicAdd((long long *)out, 1);", "atomicAdd"), ("atomicMin((float *)out, 1.0f);", "atomicMin"),
     ("cudaDeviceSynchronize();", "the emulator cannot run cudaDeviceSynchronize")],
)  # fmt: skip
def test_what_is_refused_in_compiling(tmp_path: Path, own_build: Path, body: str, construct: str) -> None:
    before = "".join(f"#include <{name}>\n" for name in ("algorithm", "iostream", "thread", "vector"))
    before += "#include <cooperative_groups.h>\n"
    before += "struct Counted { int n; __device__ Counted() : n(1) {} };\n"
    before += "template <typename A, typename B> struct Couple { A a; B b; };\n"
    before += "__constant__ int table[16385];" if "table" in body else ""
    before += "__constant__ int small[2] = {1, 2}, second[16384];" if "second" in body else ""
    told = failing(build_emulator, write_kernel(tmp_path, body, before))
    assert construct in told
    assert "variant.cu" in told
    assert list(own_build.rglob("*variant*.so")) == []


@pytest.mark.parametrize(
    "body",
    ["__shared__ struct { int n; } a, b[2]; a.n = b[1].n = 3; out[0] = a.n + b[1].n - 3;",
     "__shared__ int a __align__(16); a = 3; out[0] = a;",
     "__shared__ __align__(16) int a[4], *p; p = a; p[3] = 3; out[0] = a[3];",
     "__shared__ int a; a = 3; out[0] = int{a};",
     "using namespace std; int queue = 3, list = 9; out[0] = queue < list && list > 2 ? queue : 0;",
     "struct { __device__ int exit(int n) { return n; } } door; out[0] = door.exit(3);",
     "const char *told = \"throw; std\"; out[0] = told[0] == 't' ? 3 : 0;"],
)  # fmt: skip
def test_what_only_looks_alike_is_compiled(tmp_path: Path, own_build: Path, body: str) -> None:
    with EmulatedDevice() as device:
        out = device.upload(np.zeros(1, np.int32))
        device.load(str(write_kernel(tmp_path, body, "#include <queue>"))).kernel("k")(1, 1, out)
        assert device.download(out)[0] == 3


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("struct Pair { int x, y; };\nextern \"C\" __global__ void takes(Pair both) {}", "is neither"),
        ('extern "C" __global__ void takes(int &number) {}', "kernels with a parameter that is neither"),
        ("template <int N, typename T>\n__global__ void __launch_bounds__(N) many(T *out) { out[0] = N; }",
         "many, a template"),
        ("#include <cuda/barrier>", "#include <cuda/barrier>"),
        ("#include <cub/cub.cuh>", "#include <cub/cub.cuh>"),
        ("#include <cuda_fp16.h>", "#include <cuda_fp16.h>"),
        ("#include <cooperative_groups/memcpy_async.h>", "#include <cooperative_groups/memcpy_async.h>"),
    ],
)  # fmt: skip
def test_kernels_that_are_failing(tmp_path: Path, own_build: Path, before: str, message: str) -> None:
    with pytest.raises(OneLineError, match=f"the emulator cannot run .*{message}"):
        build_emulator(write_kernel(tmp_path, "", before))


@pytest.mark.parametrize(
    ("body", "message"),
    [("if (threadIdx.x == 3) __trap();", r"__trap was called, in block \(0, 0, 0\), thread \(3, 0, 0\)"),
     ("assert(threadIdx.x < 3);", r"assertion failed: threadIdx.x < 3, in .* thread \(3, 0, 0\)"),
     ("__ballot_sync(1, 1);", r"a lane calls a warp operation whose mask leaves it out")],
)  # fmt: skip
def test_a_kernel_that_fails(tmp_path: Path, own_build: Path, body: str, message: str) -> None:
    source = write_kernel(tmp_path, body, before="#include <cassert>")
    with EmulatedDevice() as device, pytest.raises(OneLineError, match=message):
        device.load(str(source)).kernel("k")(1, 32, device.empty(1, np.int32))


@pytest.mark.parametrize(
    ("size", "at", "message"),
    [(32, 32, "k: a thread stored past the end, at byte 128 of the 128 bytes of the shared array tile"),
     (32, -1, "k: a thread stored 4 bytes before the start of the shared array tile"),
     (12289, 0, "k has 49156 bytes of static __shared__ memory")],
)  # fmt: skip
def test_the_shared_memory_of_a_function_is_its_kernels(
    tmp_path: Path, own_build: Path, size: int, at: int, message: str
) -> None:
    """g++ calls a function that is not inlined by another name of its own."""
    source = write_kernel(
        tmp_path,
        f"out[0] = turned({at}, out[1]);",
        before=f"""__device__ __noinline__ int turned(int at, int n)
{{
    __shared__ int tile[{size}];
    tile[at] = n;
    __syncthreads();
    return tile[n];
}}""",
    )
    with EmulatedDevice() as device, pytest.raises(OneLineError, match=message):
        device.load(str(source)).kernel("k")(1, 1, device.upload(np.zeros(2, np.int32)))


def test_kernels_are_found_in_every_spelling(tmp_path: Path, own_build: Path) -> None:
    source = write_kernel(
        tmp_path,
        "out[threadIdx.x] = twice(threadIdx.x);",
        before="""
// extern "C" __global__ void in_a_comment(int x) {}
template <typename T> __device__ __forceinline__ T twice(T x) { return 2 * x; }
extern "C" __global__ void __launch_bounds__(256) bounded(int *out, const unsigned char *in, bool b)
{
#pragma unroll
    for (int i = 0; i < 3; i++) out[i] = b ? in[i] : 0;
}
#define KERNEL(name, T) extern "C" __launch_bounds__(64, 2) __global__ void name(T a, T *b) { *b = a; }
KERNEL(from_a_macro, double)
template <int N> struct Factor { static constexpr int value = N; };
extern "C" __global__ void __launch_bounds__((2 * 32), 2) nested(int *out) { *out = Factor<3>::value; }
""",
    )
    with EmulatedDevice() as device:
        module = device.load(str(source))
        out, number = device.empty(4, np.int32), device.empty(1, np.float64)
        module.kernel("k")(1, 4, out)
        assert device.download(out).tolist() == [0, 2, 4, 6]
        module.kernel("bounded")(1, 1, out, device.upload(np.arange(5, 9, dtype=np.uint8)), np.bool_(True))
        assert device.download(out).tolist() == [5, 6, 7, 6]
        module.kernel("from_a_macro")(1, 1, np.float64(1.5), number)
        assert device.download(number).tolist() == [1.5]
        module.kernel("nested")(1, 1, out)
        assert device.download(out)[0] == 3
        with pytest.raises(OneLineError, match="no kernel in_a_comment"):
            module.kernel("in_a_comment")


def test_a_change_of_a_header_builds_anew(tmp_path: Path, own_build: Path) -> None:
    source = write_kernel(tmp_path, "out[0] = NUMBER;", before='#include "number.cuh"')
    for number in (1, 2):
        (source.parent / "number.cuh").write_text(f"#define NUMBER {number}\n")
        with EmulatedDevice() as device:
            out = device.empty(1, np.int32)
            device.load(str(source)).kernel("k")(1, 1, out)
            assert device.download(out).tolist() == [number]
    assert len(list(own_build.glob("emulator/problem-variant-*.so"))) == 2


def test_a_change_of_the_emulator_precompiles_its_header_anew(
    tmp_path: Path, own_build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    header, source = tmp_path / "emulator" / "cuda_emulator.h", tmp_path / "source.cpp"
    header.parent.mkdir()
    monkeypatch.setattr(build, "EMULATOR", header.parent)
    source.write_text('#include "cuda_emulator.h"\nstatic_assert(NUMBER == EXPECTED);\n')
    for number in (1, 2):
        header.write_text(f"#define NUMBER {number}\n")
        precompiled = build.build_header(["g++", "-std=c++20"])
        command = ["g++", "-std=c++20", f"-I{precompiled.parent}", f"-DEXPECTED={number}", "-H", "-S"]
        done = subprocess.run(
            [*command, source, "-o", "/dev/null"], capture_output=True, text=True, check=False
        )
        assert (done.returncode, f"! {precompiled}" in done.stderr) == (0, True), done.stderr


def test_a_log_has_no_warning_of_what_is_right(tmp_path: Path, own_build: Path) -> None:
    body = "extern __shared__ int a[]; __shared__ int b[2]; out[a[0]] = b[0]; mistake();"
    log = Path(failing(build_emulator, write_kernel(tmp_path, body)).partition("full log: ")[2].rstrip(")"))
    assert log.parent == build_runtime(False).parent
    assert "warning: " not in log.read_text()


def test_two_processes_may_build_the_same(tmp_path: Path, own_build: Path) -> None:
    source = write_kernel(tmp_path, "out[0] = 1;")
    program = "import sys; from pathlib import Path; from cuda_on_cpu.build import build_emulator\n"
    program += "print(build_emulator(Path(sys.argv[1])))"
    with ThreadPoolExecutor() as pool:
        both = [pool.submit(run_program, program, source) for _ in range(2)]
    assert [one.result().returncode for one in both] == [0, 0]
    assert len({one.result().stdout for one in both}) == 1
    assert list(own_build.glob("emulator/.building*")) == []


def test_a_compiler_that_is_missing(tmp_path: Path, own_build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(OneLineError, match=r"no-such-compiler was not found; install g\+\+"):
        build_emulator(write_kernel(tmp_path, ""))


def test_nothing_half_built_is_kept(tmp_path: Path, own_build: Path) -> None:
    def interrupted(target: Path, log: Path) -> None:
        target.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_once(tmp_path / "a.cu", "emulator/a.so", interrupted)
    assert list(own_build.rglob("a.so")) == []


def cut(target: Path, other: Path) -> None:
    target.write_bytes(target.read_bytes()[:-1])


def empty(target: Path, other: Path) -> None:
    target.write_bytes(b"")


def swap(target: Path, other: Path) -> None:
    other.replace(target)


def swap_with_its_sum(target: Path, other: Path) -> None:
    sum_file(other).replace(sum_file(target))
    other.replace(target)


@pytest.mark.parametrize("ending", ["so", "cubin", "ptx", "h.gch"])
@pytest.mark.parametrize("damage", [cut, empty, swap, swap_with_its_sum])
def test_a_compiled_file_that_is_damaged_or_another_s_is_compiled_anew(
    damage: Callable[[Path, Path], None],
    ending: str,
    tmp_path: Path,
    own_build: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All kinds of them come of `build_once`: an emulator's, a GPU's, the host's and GAPBS's."""
    compiled = []

    def make(target: Path, log: Path) -> None:
        compiled.append(target.name)
        target.write_text(f"of {target.name}")

    def built(name: str) -> Path:
        return build_once(tmp_path / "a.cu", f"kind/{name}.{ending}", make)

    target, other = built("a-0123"), built("a-4567")
    assert built("a-0123") == target
    assert len(compiled) == 2
    damage(target, other)
    assert built("a-0123").read_text() == f"of {target.name}"
    assert compiled[2:] == [target.name]
    assert capsys.readouterr().err == f"{target}: is damaged, or another file; it is compiled anew\n"
    assert built("a-0123") == target
    assert len(compiled) == 3
    checked = subprocess.run(
        ["sha256sum", "--check", "--status", sum_file(target).name], cwd=target.parent, check=False
    )
    assert checked.returncode == 0
    sum_file(target).unlink()  # by a job that was killed between the two
    target.touch()
    built("a-0123")
    assert len(compiled) == 4


def test_a_kernel_that_was_cut_runs_all_the_same(tmp_path: Path, own_build: Path) -> None:
    source = write_kernel(tmp_path, "out[0] = 7;")
    library = build_emulator(source)
    library.write_bytes(library.read_bytes()[:4000])
    with EmulatedDevice() as device:
        out = device.empty(1, np.int32)
        device.load(str(source)).kernel("k")(1, 1, out)
        assert device.download(out).tolist() == [7]


def test_a_file_without_a_kernel_is_named(tmp_path: Path) -> None:
    source = tmp_path / "none.cu"
    source.write_text("__device__ int f() { return 1; }\n")
    with (
        EmulatedDevice() as device,
        pytest.raises(OneLineError, match=r"none\.cu: has no __global__ function"),
    ):
        device.load(str(source))


@pytest.mark.parametrize("body", ["if (out[0]) { out[0] = 1;", "out[(0] = 1;", "out[0] = f(1;"])
def test_what_is_not_closed_names_the_file(tmp_path: Path, body: str) -> None:
    source = write_kernel(tmp_path, body, "__device__ int f(int x) { return x; }")
    with EmulatedDevice() as device, pytest.raises(OneLineError, match=r"variant\.cu: ?") as refused:
        device.load(str(source))
    assert "kernels.cpp" not in str(refused.value).partition(" (full log")[0]
