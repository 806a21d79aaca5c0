"""Compiles each version of a kernel file once, into `build/<backend>/<problem>-<variant>-<key>`.

The key is a hash of everything that determines the result. An existing file of that name is therefore always
valid. Several jobs may ask for it at the same time; one compiles it, and the others wait.
"""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from retrace.compilers.assembly import (
    SharedVariable,
    dynamic_shared,
    guard_shared,
    used_symbols,
    variable_bytes,
)
from retrace.compilers.declarations import declared
from retrace.compilers.gpu_values import with_gpu_values
from retrace.compilers.implicit_conversions import AS_JSON, WARNING, warns_of_conversions, with_marks
from retrace.compilers.nvrtc import find_in_wheels
from retrace.compilers.toolkits import choose_toolkit, why_no_thrust
from retrace.system.errors import LacksError, RetraceError
from retrace.system.files import alone, naming_output
from retrace.system.project import KERNELS, ROOT

EMULATOR = KERNELS / "emulator"

HOST_FLAGS = ("-std=c++20", "-O3", "-march=native", "-mtune=native", "-pthread", "-shared", "-fPIC")
"""The C++ baselines use all instructions of the machine on which they are measured.

For its processor g++ also orders them; on aarch64 -march does not ask for that.
"""

EMULATOR_FLAGS = (
    "-std=c++20", "-O2", "-shared", "-fPIC", f"-I{EMULATOR}",
    "-fno-strict-aliasing",  # kernels read int4 through pointers to int, as CUDA allows
    "-fno-semantic-interposition", "-Wl,-Bsymbolic",  # calls stay inside a library and can be inlined
    "-ftls-model=local-dynamic", "-fno-extern-tls-init", "-fno-gnu-unique",  # plain thread-local __shared__
    "-fno-exceptions",  # a GPU has none
    "-fno-section-anchors",  # assembly names each variable, on aarch64 too
    "-ffp-contract=off",  # __fmul_rn and __fadd_rn stay two operations where the processor has fused ones
    "-fno-tree-dominator-opts",  # g++ 12 makes an atomicOr of 0 of one whose operand is tested before
    "-Wno-attributes",  # an array that is `extern __shared__` is never taken for unused
    "-U_FORTIFY_SOURCE",  # its longjmp treats a switch of stacks as an attack
)  # fmt: skip
SANITIZED_FLAGS = ("-fsanitize=address", "-fno-omit-frame-pointer", "-g1")  # its report names lines
DEBUG_FLAGS = ("-O0",)
"""Compiles in half of the time of -O1, which took longer than the kernels ran. Their scheduler has -O1."""
LIGHT_FLAGS = ("-Og", "-fira-region=one")
"""Compile in two thirds of the time of -O1. On New York, one launch a search takes 0.8 times as long to run,
kernels that are launched at each level up to twice.

Without a region of registers for each loop, the largest files take a sixth less.
"""
PLAIN_FLAGS = (*LIGHT_FLAGS, "-fsanitize=alignment")
SHUFFLED_FLAGS = (*LIGHT_FLAGS, "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0")
"""Calls a function of `kernels/emulator/scheduler/accesses.cpp` at every memory access.

It finds misaligned accesses, too: g++'s own check takes half as long again to compile.
A debug build has neither.
"""

DEFINED_FLAGS = (
    "-fno-sanitize-recover=all",
    "-fsanitize=shift-exponent,float-cast-overflow",
    "-fsanitize=integer-divide-by-zero",  # which on aarch64 is 0, and no fault
)
STRICT_FLAGS = ("-fsanitize=bounds",)
"""Call a function of `scheduler/undefined.cpp` where C++ defines no result; strict ones cost time."""

REWRITTEN = "has_gpu_values"
"""Tells, as a symbol of a compiled file, that its shifts and conversions are rewritten."""

MAX_STATIC_SHARED = 48 * 1024
MAX_CONSTANT = 64 * 1024
"""What a GPU has, in bytes, for each kernel and for each file."""

CUDA_FLAGS = ("-std=c++20", "-O3", "-lineinfo")


STALE_S = 3600
"""Seconds after which no compiler works in its folder any more."""


def build_folder() -> Path:
    """Return the folder for artefacts: `$RETRACE_BUILD`, else `build/` of the project.

    If the project cannot be written, it is `retrace/` in the user's cache, `$XDG_CACHE_HOME` or `~/.cache`.
    """
    if given := os.environ.get("RETRACE_BUILD"):
        return Path(given)
    if os.access(own if (own := ROOT / "build").exists() else ROOT, os.W_OK):
        return own
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "retrace"


def build_host(source: Path) -> Path:
    """Compile a C++ baseline into a shared library."""
    return build_by([find_cxx(), *HOST_FLAGS], source, "host", settings=[processor()])


def build_emulator(source: Path, debug: bool = False, shuffled: bool = False) -> Path:
    """Compile a kernel file for the emulator into a shared library.

    `debug` adds the address sanitizer; else `shuffled` allows switches of threads at every memory access.
    """
    command = [find_cxx(), *EMULATOR_FLAGS, *(SANITIZED_FLAGS if debug else ())]
    instrumented = [*DEFINED_FLAGS, *(STRICT_FLAGS if shuffled or debug else ())]
    instrumented += DEBUG_FLAGS if debug else SHUFFLED_FLAGS if shuffled else PLAIN_FLAGS
    runtime, header = build_runtime(debug), build_header([*command, *instrumented])

    def compile_to(target: Path) -> Iterator[list[str]]:
        code = preprocess(command[0], source)
        kernels, dynamic, constants = list_kernels(code, source)
        generated, tables = target.with_suffix(".kernels.cpp"), target.with_suffix(".tables.cpp")
        compiled = generated.with_suffix(".s")
        looking_first = [command[0], f"-I{header.parent}", *command[1:]]  # there, for what is precompiled
        to_assembly = [*looking_first, *instrumented, "-S", str(generated), "-o", str(compiled)]
        emulated = "".join(
            f"EMULATE({name}, emulator::first_of({bounds or 1024}), emulator::dims({cluster or 0}))\n"
            for name, (bounds, cluster) in kernels.items()
        )

        def write(code: str, has_gpu_values: bool) -> None:
            told = f'extern "C" const bool {REWRITTEN} = true;\n' * has_gpu_values
            generated.write_text(f'#include "cuda_emulator.h"\n{code}\n{told}{emulated}', encoding="utf-8")

        own, as_it_is = own_code(code), f'#include "{source.resolve()}"\n'
        rewritten = with_gpu_values(own)
        write(rewritten if rewritten != own else as_it_is, True)
        done = try_compiler([*to_assembly, WARNING])
        if done.returncode and rewritten == own:
            raise failure(done, source, emulator_log(source))
        if done.returncode:  # the errors told are those of the file as it is
            write(as_it_is, False)
            yield to_assembly
        elif warns_of_conversions(done.stderr):
            marked = compiled.with_suffix(".marked.s")
            write(rewritten, True)
            warnings = try_compiler([*to_assembly[:-2], WARNING, *AS_JSON]).stderr
            write(with_marks(rewritten, warnings), True)
            if try_compiler([*to_assembly[:-1], str(marked)]).returncode == 0:
                marked.replace(compiled)
        assembly, variables = guard_shared(compiled.read_text(encoding="utf-8"), shown_path(source))
        compiled.write_text(assembly + dynamic_shared(dynamic), encoding="utf-8")
        symbols_of = used_symbols(assembly, (f"emulated_{kernel}" for kernel in kernels))
        used = dict(zip(kernels, symbols_of.values(), strict=True))
        for kernel, symbols in used.items():
            total = sum(variable.bytes for variable in variables if variable.symbol in symbols)
            if total > MAX_STATIC_SHARED:
                raise RetraceError(
                    f"{shown_path(source)}: kernel {kernel} has {total} bytes of static __shared__ memory, "
                    f"of which a GPU has {MAX_STATIC_SHARED}; use extern __shared__ for more"
                )
        total = sum(variable_bytes(assembly, name) for name in constants)
        if total > MAX_CONSTANT:
            raise RetraceError(
                f"{shown_path(source)}: {total} bytes of __constant__ memory; a GPU has {MAX_CONSTANT}"
            )
        tables.write_text(shared_tables(variables, dynamic, used), encoding="utf-8")
        link = [f"-L{runtime.parent}", f"-l:{runtime.name}", "-Wl,-rpath,$ORIGIN", "-o", str(target)]
        yield [*command, str(compiled), str(tables), *link]

    key = content_key(compiled_from(source), [*command, *instrumented], [runtime.name, header.parent.name])
    try:
        return build_once(source, f"emulator/{source.parent.name}-{source.stem}-{key}.so", compile_to)
    except RetraceError as error:
        told = r"the emulator cannot run \1, which neither it nor the file declares"
        raise RetraceError(UNDECLARED.sub(told, str(error))) from None


def build_runtime(debug: bool) -> Path:
    """Compile the emulator's scheduler, which all emulated kernel files share."""
    sources = sorted(EMULATOR.glob("scheduler/*.cpp"))
    command = [find_cxx(), *EMULATOR_FLAGS, "-fopenmp", *(("-O1", *SANITIZED_FLAGS) if debug else ())]
    key = content_key(emulator_files(), command)

    def compile_to(target: Path) -> list[list[str]]:
        together = target.with_suffix(".cpp")  # compiled as one file, a third of the time
        included = "".join(f'#include "{source.resolve()}"\n' for source in sources)
        together.write_text(included, encoding="utf-8")
        return [[*command, str(together), "-o", str(target)]]

    return build_once(sources[0].parent, f"emulator/scheduler-{key}.so", compile_to)


def build_header(command: Sequence[str]) -> Path:
    """Precompile the header that every emulated file includes first: most kernels compile in less time.

    `command` is the compiler with its flags. g++ uses no precompiled header that was made with others.
    """
    header = EMULATOR / "cuda_emulator.h"
    name = f"emulator/header-{content_key(emulator_files(), command)}/{header.name}.gch"
    return build_once(
        header, name, lambda target: [[*command, "-c", "-x", "c++-header", str(header), "-o", str(target)]]
    )


def build_thrust(source: Path, arch: str | None) -> Path:
    """Compile a file that uses Thrust for nvcc's `arch`, or for Thrust's host system if it is None.

    Raise LacksError if nvcc is not here, or does not compile for the architecture.
    """
    if arch is None:
        headers = find_in_wheels("cu[0-9]*/include/cccl")
        if headers is None:
            raise RetraceError("Thrust's headers were not found; install the wheel nvidia-cuda-cccl")
        system = ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", f"-I{headers}"]
        return build_by([find_cxx(), *HOST_FLAGS, *system], source, "emulator", settings=[processor()])
    if (why_not := why_no_thrust(arch)) is not None:
        raise LacksError(why_not)
    (nvcc,) = choose_toolkit(arch, with_host=True).command
    libraries = Path(nvcc).parents[1] / "lib"  # of wheels, where nvcc looks in lib64
    flags = [*CUDA_FLAGS, "-x", "cu", "-shared", "-Xcompiler", "-fPIC", f"-arch={arch}", f"-L{libraries}"]
    return build_by([nvcc, *flags], source, "cuda", settings=[processor()])


def build_cubin(source: Path, arch: str) -> Path:
    """Compile a kernel file for an architecture, such as `sm_90`; for a virtual one, `compute_86`, to PTX."""
    try:
        toolkit = choose_toolkit(arch)
    except RetraceError as error:
        raise RetraceError(f"{shown_path(source)}: {error}") from None
    kind = "cubin" if arch.startswith("sm_") else "ptx"
    command = [*toolkit.command, *CUDA_FLAGS, f"-arch={arch}", f"-{kind}"]
    return build_by(command, source, "cuda", kind, settings=[f"{toolkit.name} {toolkit.release}"])


def find_cxx() -> str:
    """Find the C++ compiler: `$CXX`, else g++."""
    name = os.environ.get("CXX", "g++")
    if found := shutil.which(name):
        return found
    raise RetraceError(f"the C++ compiler {name} was not found; install g++ 12 or newer, or set CXX to it")


@functools.cache
def compiler_version(compiler: str) -> str:
    """Return the compiler's own description of its version."""
    return subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout


@functools.cache
def processor() -> str:
    """Return the processor's name or numbers and its instruction sets, on which `-march=native` depends."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    telling = ("flags", "model name", "Features", "CPU ")  # the last two on aarch64
    return "".join(sorted({line for line in lines if line.startswith(telling)}))


def compiled_from(source: Path) -> list[Path]:
    """List a kernel file, those that it includes, and the headers that they may, but not the emulator's."""
    found = {path for folder in (KERNELS, source.parent) for path in folder.rglob("*.*h")}
    text = source.read_text(encoding="utf-8") if source.is_file() else ""
    variants = [source.parent / name for name in re.findall(r'^ *#include "(.+\.cu)"', text, re.MULTILINE)]
    return [source, *variants, *sorted(path for path in found if EMULATOR not in path.parents)]


def emulator_files() -> list[Path]:
    """List the emulator's own files."""
    return sorted(path for path in EMULATOR.rglob("*") if path.is_file())


def content_key(files: Sequence[Path], command: Sequence[str], settings: Sequence[str] = ()) -> str:
    """Hash files, the compiler, its flags and further settings, but not where the project is."""
    hashed = hashlib.sha256()
    generators = sorted(Path(__file__).parent.glob("*.py"))
    for path in [*generators, *files]:
        if not path.is_file():
            raise RetraceError(f"{shown_path(path)}: no such kernel file")
        hashed.update(path.name.encode() + b"\0" + path.read_bytes())
    flags = [flag.replace(f"{ROOT}/", "") for flag in command[1:]]
    hashed.update("\0".join((*flags, compiler_version(command[0]), *settings)).encode())
    return hashed.hexdigest()[:16]


def build_by(
    command: Sequence[str], source: Path, folder: str, ending: str = "so", settings: Sequence[str] = ()
) -> Path:
    """Compile one file by one command, to which input and output are added, into `build/<folder>`."""
    key = content_key(compiled_from(source), command, settings)
    name = f"{folder}/{source.parent.name}-{source.stem}-{key}.{ending}"
    return build_once(source, name, lambda target: [[*command, str(source), "-o", str(target)]])


def build_once(source: Path, name: str, compile_to: Callable[[Path], Iterable[Sequence[str]]]) -> Path:
    """Return `build/<name>`; run the commands that make it unless it exists."""
    target = build_folder() / name
    if target.exists():
        return target
    if set('"\\\n') & set(f"{KERNELS}{source.resolve()}"):
        raise RetraceError(
            f"{source}: its path has a quote, backslash or line end; move the project elsewhere"
        )
    with naming_output(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone(target.with_name(f".{target.name}.lock")):
            if not target.exists():  # another job has compiled it in the meantime
                compile_whole(source, target, compile_to)
    return target


def compile_whole(source: Path, target: Path, compile_to: Callable[[Path], Iterable[Sequence[str]]]) -> None:
    """Compile in a folder beside the target, and rename the result."""
    for left in target.parent.glob(".building-*"):  # by a compiler that was killed
        with suppress(FileNotFoundError):  # another compiler, which has ended since
            if time.time() - left.stat().st_mtime > STALE_S:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=".building-", dir=target.parent) as folder:
        beside = Path(folder) / target.name
        for command in compile_to(beside):
            run_compiler(command, source, log=target.with_suffix(".log"))
        beside.replace(target)


def try_compiler(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a compiler, whatever it comes to; its messages are in English."""
    english = {**os.environ, "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", errors="replace", check=False, env=english
    )


def run_compiler(command: Sequence[str], source: Path, log: Path) -> str:
    """Run a compiler and return its output; on failure, write it to `log` and raise its first error."""
    done = try_compiler(command)
    if done.returncode == 0:
        return done.stdout
    raise failure(done, source, log)


def failure(done: subprocess.CompletedProcess[str], source: Path, log: Path) -> RetraceError:
    """Write what a compiler said to `log`, and return its first error."""
    output = done.stderr + done.stdout
    log.write_text(" ".join(done.args) + "\n\n" + output, encoding="utf-8")
    telling = re.compile(r"\berror\b|cannot find -l|link failed")
    errors = [line.strip() for line in output.splitlines() if telling.search(line)]
    first = (errors or output.splitlines() or [f"exit status {done.returncode}"])[0].replace(f"{ROOT}/", "")
    where = "" if shown_path(source) in first else f"{shown_path(source)}: "
    return RetraceError(f"{where}{first} (full log: {shown_path(log)})")


def emulator_log(source: Path) -> Path:
    """Return where what g++ says of a kernel file is kept."""
    return build_folder() / "emulator" / f"{source.stem}.log"


def shown_path(path: Path) -> str:
    """Return a path for messages, relative to the project where possible."""
    path = path.resolve()
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


CONTAINERS = (
    "(?:unordered_)?(?:multi)?(?:map|set)|vector|deque|list|forward_list|queue|priority_queue|stack"
    "|function|(?:unique|shared)_ptr"
)
HOST_ONLY = (
    "string|(?:stable_|partial_)?sort|nth_element|j?thread|async|future|promise|(?:recursive_)?mutex"
    "|condition_variable|lock_guard|atomic|atomic_ref|atomic_flag|cout|cerr|clog|cin"
)
LIBRARY = "std::{0}, which a GPU does not have; use arrays, atomicAdd and printf"
REFUSED = {
    r"<<<": "<<<>>>; launch kernels from Python",
    r"(?:[;{})]|\belse)\s*(throw|try)\b": "{0}, since a GPU has no exceptions; call __trap()",
    r"(?:[;{})]|\belse)\s*(?:std\s*::\s*)?(exit|abort)\s*\(": "{0}(), which ends a process; call __trap()",
    rf"\bstd\s*::\s*({CONTAINERS}|{HOST_ONLY})\b": LIBRARY,
    rf"\busing\s+namespace\s+std\s*;(?s:.*?)\b({CONTAINERS})<[\w\s:,*<>]*>\s*\w": LIBRARY,
    r"\busing\s+namespace\s+std\s*;(?s:.*?)\b(cout|cerr|clog)\s*<<": LIBRARY,
}
"""What g++ compiles or refuses with an unclear message, and what is said instead."""

UNDECLARED = re.compile(
    r"error: \W(\w+)\W (?:was not declared in this scope|has not been declared|does not name a type"
    r"|is not a member of \W[\w:]+\W)(?:; did you mean \W[\w:]+\W\?)?"
)
"""What g++ says of a name that CUDA has and the emulator does not, or that is misspelt."""


@dataclass(frozen=True)
class Excerpt:
    """Lines of one file, as the preprocessor leaves them."""

    marker: str
    file: str
    flags: str
    text: str

    def is_systems(self) -> bool:
        """Whether it is from a header of the system."""
        return "3" in self.flags.split()


def preprocess(compiler: str, source: Path) -> list[Excerpt]:
    """Remove a kernel file's comments and expand its own macros; CUDA's keywords stay unchanged.

    Raises RetraceError if it fails.
    """
    command = [compiler, "-E", "-dI", "-x", "c++", "-std=c++20", "-DRETRACE_EMULATOR", f"-I{EMULATOR}"]
    command += [f"-imacros{name}" for name in ("cfloat", "climits", "cstdint")]  # `#if` may ask for them
    try:
        everything = run_compiler([*command, str(source.resolve())], source, emulator_log(source))
    except RetraceError as error:
        if missing := re.search(r"fatal error: ([^:]+): No such file", str(error)):
            told = f"the emulator cannot run #include <{missing[1]}>, which it does not have"
            raise RetraceError(f"{shown_path(source)}: {told}") from None
        raise
    _, *parts = re.split(r'^(# \d+ "([^"]*)")(.*)\n', everything, flags=re.MULTILINE)
    return [Excerpt(*parts[at : at + 4]) for at in range(0, len(parts), 4)]


def own_code(code: Sequence[Excerpt]) -> str:
    """Return what is from the kernel file and its headers; `#include` stays of those that are not its own."""
    files = {part.file for part in code if not part.is_systems()}  # also where they name a system's macro
    own = {file for file in files if not (file.startswith("<") or EMULATOR in Path(file).parents)}

    def kept(part: Excerpt) -> str:
        def without_own(found: re.Match[str]) -> str:
            return "" if (Path(part.file).parent / found[1]).exists() else found[0]

        return re.sub(r'^#include "(.*)"', without_own, part.text, flags=re.MULTILINE)

    return "".join(f"{part.marker}\n{kept(part)}" for part in code if part.file in own)


def list_kernels(
    code: Iterable[Excerpt], source: Path
) -> tuple[dict[str, tuple[str, str]], list[str], list[str]]:
    """List a file's `__global__` functions, its dynamic shared arrays and its `__constant__` variables.

    A kernel has its launch bounds and its cluster's size, as written. Raises RetraceError for what is refused
    here, such as a kernel that is a template: it has no name for a launch.
    """
    cannot = f"{shown_path(source)}: the emulator cannot run "
    text = "".join(part.text for part in code if not part.is_systems())
    for pattern, construct in REFUSED.items():
        if found := re.search(pattern, text):
            raise RetraceError(cannot + construct.format(*found.groups()))
    if first_value := next((one.name for one in declared(text, "__shared__") if one.initialised), None):
        told = f"the initialised __shared__ variable {first_value}; let a thread store its first value"
        raise RetraceError(cannot + told)
    written = r"((?:__(?:launch_bounds|cluster_dims)__\s*\((?:[^()]|\([^()]*\))*\)\s*)*)"
    kernel = rf"{written}__global__\s+{written}void\s+{written}(\w+)\s*\("
    if template := re.search(rf"template\s*<[^;{{}}]*>\s*(?:static\s+)?{kernel}", text):
        raise RetraceError(
            f'{cannot}{template[4]}, a template; make it a __device__ function that extern "C" kernels call'
        )

    def argument(attribute: str, attributes: str) -> str:
        found = re.search(rf"__{attribute}__\s*\(((?:[^()]|\([^()]*\))*)\)", attributes)
        return found[1] if found else ""

    kernels = {
        name: (argument("launch_bounds", "".join(all_of)), argument("cluster_dims", "".join(all_of)))
        for *all_of, name in re.findall(kernel, text)
    }
    dynamic = re.findall(r"extern\s+__shared__\s[^;\[]*?(\w+)\s*\[\s*\]", text)
    constants = dict.fromkeys(one.name for one in declared(text, "__constant__"))
    return kernels, list(dict.fromkeys(dynamic)), list(constants)


def shared_tables(
    variables: Sequence[SharedVariable], dynamic: Sequence[str], used: Mapping[str, set[str]]
) -> str:
    """Generate C++: what each kernel uses of shared memory."""
    lines = ['#include "runtime.h"', 'extern "C" void emulated_file() {}']
    lines += [
        f'extern thread_local char variable{i}[] __asm__("{variable.symbol}");'
        for i, variable in enumerate(variables)
    ]
    lines += [f"extern thread_local char {name}[];" for name in dynamic]
    for kernel, symbols in used.items():
        arrays = [
            f'{{"{variable.name()}", variable{i}, {variable.bytes}}}'
            for i, variable in enumerate(variables)
            if variable.symbol in symbols
        ]
        arrays += [f'{{"{name}", {name}, 0}}' for name in dynamic if name in symbols][:1]
        total = sum(variable.bytes for variable in variables if variable.symbol in symbols)
        find = "".join(f" into[{i}] = {array};" for i, array in enumerate(arrays))
        lines.append(
            f'extern "C" const emulator::Shared emulated_shared_{kernel} = '
            f"{{{total}, {len(arrays)}, [](emulator::SharedArray *into) {{{find} }}}};"
        )
    return "\n".join(lines) + "\n"
