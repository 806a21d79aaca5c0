"""Compiles a kernel file for the CPU: g++ makes assembly of it, in which shared memory is then laid out.

What is compiled is what the preprocessor leaves of the file, with shifts and conversions that have a GPU's
values, and beside it a description of each kernel for the scheduler.
"""

import importlib.util
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cuda_device.compiled_files import (
    HOST_FLAGS,
    PLACES,
    build_by,
    build_once,
    compiled_from,
    content_key,
    define,
    failure,
    find_cxx,
    include_option,
    processor,
    run_compiler,
    shown_path,
    try_compiler,
)
from cuda_device.errors import DeviceError
from cuda_on_cpu.assembly import (
    SharedVariable,
    dynamic_shared,
    guard_shared,
    used_symbols,
    variable_bytes,
)
from cuda_on_cpu.declarations import declared
from cuda_on_cpu.gpu_values import with_gpu_values
from cuda_on_cpu.implicit_conversions import AS_JSON, WARNING, warns_of_conversions, with_marks

LAUNCHING = ("device", "work_queue")
COMPILING = sorted(file for file in Path(__file__).parent.glob("*.py") if file.stem not in LAUNCHING)
"""The modules that determine what is compiled."""

IN_PACKAGE, IN_CHECKOUT = (
    Path(__file__).parent / "kernels",
    Path(__file__).parents[2] / "kernels" / "cuda_on_cpu",
)
EMULATOR = IN_PACKAGE if IN_PACKAGE.is_dir() else IN_CHECKOUT
"""The emulator's C++: in the package where it is installed, else in the checkout."""

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
DEBUG_FLAGS = ("-O0", "-fsanitize=alignment")
"""Compiles in half of the time of -O1, which took longer than the kernels ran. Their scheduler has -O1."""
LIGHT_FLAGS = ("-Og", "-fira-region=one")
"""Compile in two thirds of the time of -O1. On New York, one launch a search takes 0.8 times as long to run,
kernels that are launched at each level up to twice.

Without a region of registers for each loop, the largest files take a sixth less.
"""
PLAIN_FLAGS = (*LIGHT_FLAGS, "-fsanitize=alignment")
SHUFFLED_FLAGS = (*LIGHT_FLAGS, "-fsanitize=thread", "--param=tsan-instrument-func-entry-exit=0")
"""Calls a function of `kernels/cuda_on_cpu/scheduler/accesses.cpp` at every memory access.

It finds misaligned accesses, too: g++'s own check takes half as long again to compile.
"""

DEFINED_FLAGS = (
    "-ftrivial-auto-var-init=pattern",  # a variable without a value has an invalid one
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

AFTER_FILE = re.compile(r"\S*\.building-\S+\.kernels\.cpp:[\d:]+ error: .*?(?= \(full log)")
"""What g++ says where the entries of a file's kernels follow it."""


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


def build_emulator(
    source: Path, debug: bool = False, shuffled: bool = False, macros: Sequence[str] = ()
) -> Path:
    """Compile a kernel file for the emulator into a shared library.

    `debug` adds the address sanitizer; else `shuffled` allows switches of threads at every memory access.
    What is named in `macros` is defined.
    """
    command = [find_cxx(), *EMULATOR_FLAGS, *(SANITIZED_FLAGS if debug else ())]
    instrumented = [*DEFINED_FLAGS, *(STRICT_FLAGS if shuffled or debug else ())]
    instrumented += DEBUG_FLAGS if debug else SHUFFLED_FLAGS if shuffled else PLAIN_FLAGS
    runtime, options = build_runtime(debug), [*include_option(source), *define(macros)]

    def make(target: Path, log: Path) -> None:
        code = preprocess(command[0], source, options)
        kernels, dynamic, constants = list_kernels(code, source)
        header = build_header([*command, *instrumented])
        compiled, tables = target.with_suffix(".kernels.s"), target.with_suffix(".tables.cpp")
        looking_first = [command[0], f"-I{header.parent}", *command[1:]]  # there, for what is precompiled
        looking_first += [*instrumented, *options]
        compile_kernels(looking_first, source, own_code(code), kernels, compiled, log)
        assembly, variables = guard_shared(compiled.read_text(encoding="utf-8"), shown_path(source))
        compiled.write_text(assembly + dynamic_shared(dynamic), encoding="utf-8")
        symbols_of = used_symbols(assembly, (f"emulated_{kernel}" for kernel in kernels))
        used = dict(zip(kernels, symbols_of.values(), strict=True))
        check_sizes(source, variables, used, sum(variable_bytes(assembly, name) for name in constants))
        tables.write_text(shared_tables(variables, dynamic, used), encoding="utf-8")
        link = [f"-L{runtime.parent}", f"-l:{runtime.name}", "-Wl,-rpath,$ORIGIN", "-o", str(target)]
        run_compiler([*command, str(compiled), str(tables), *link], source, log)

    files = [*COMPILING, *compiled_from(source)]
    key = content_key(files, [*command, *instrumented, *options], [runtime.name])
    try:
        return build_once(source, f"emulator/{source.parent.name}-{source.stem}-{key}.so", make)
    except DeviceError as error:
        told = r"the emulator cannot run \1, which neither it nor the file declares"
        unclosed = "ends within a block or bracket; close each that it opens"
        raise DeviceError(AFTER_FILE.sub(unclosed, UNDECLARED.sub(told, str(error)))) from None


def compile_kernels(
    command: Sequence[str],
    source: Path,
    own: str,
    kernels: Mapping[str, tuple[str, str]],
    compiled: Path,
    log: Path,
) -> None:
    """Compile what a kernel file says itself, `own`, into assembly, with a GPU's values where possible.

    A file that does not compile when rewritten is compiled as it is; its errors are those that are told.
    """
    generated = compiled.with_suffix(".cpp")

    def to_assembly(output: Path) -> list[str]:
        return [*command, "-S", str(generated), "-o", str(output)]

    def write(code: str, has_gpu_values: bool) -> None:
        generated.write_text(with_entries(code, kernels, has_gpu_values), encoding="utf-8")

    as_it_is, rewritten = f'#include "{source.resolve()}"\n', with_gpu_values(own)
    write(rewritten if rewritten != own else as_it_is, True)
    done = try_compiler([*to_assembly(compiled), WARNING])
    if done.returncode and rewritten == own:
        raise failure(done, source, emulator_log(source))
    if done.returncode:
        write(as_it_is, False)
        run_compiler(to_assembly(compiled), source, log)
    elif warns_of_conversions(done.stderr):
        marked = compiled.with_suffix(".marked.s")
        write(rewritten, True)
        warnings = try_compiler([*command, "-S", str(generated), WARNING, *AS_JSON]).stderr
        write(with_marks(rewritten, warnings), True)
        if try_compiler(to_assembly(marked)).returncode == 0:
            marked.replace(compiled)


def with_entries(code: str, kernels: Mapping[str, tuple[str, str]], has_gpu_values: bool) -> str:
    """Add to C++ the emulator's header, and what makes each of its kernels known to the scheduler."""
    entries = "".join(
        f"EMULATE({name}, emulator::first_of({bounds or 1024}), emulator::dims({cluster or 0}))\n"
        for name, (bounds, cluster) in kernels.items()
    )
    rewritten = f'extern "C" const bool {REWRITTEN} = true;\n' * has_gpu_values
    return f'#include "cuda_emulator.h"\n{code}\n{rewritten}{entries}'


def check_sizes(
    source: Path, variables: Sequence[SharedVariable], used: Mapping[str, set[str]], constant_bytes: int
) -> None:
    """Raise DeviceError if a GPU has less static shared memory than a kernel, or constant than the file."""
    for kernel, symbols in used.items():
        total = sum(variable.bytes for variable in variables if variable.symbol in symbols)
        if total > MAX_STATIC_SHARED:
            raise DeviceError(
                f"{shown_path(source)}: kernel {kernel} has {total} bytes of static __shared__ memory, "
                f"of which a GPU has {MAX_STATIC_SHARED}; use extern __shared__ for more"
            )
    if constant_bytes > MAX_CONSTANT:
        raise DeviceError(
            f"{shown_path(source)}: {constant_bytes} bytes of __constant__ memory; a GPU has {MAX_CONSTANT}"
        )


def build_runtime(debug: bool) -> Path:
    """Compile the emulator's scheduler, which all emulated kernel files share."""
    sources = sorted(EMULATOR.glob("scheduler/*.cpp"))
    command = [find_cxx(), *EMULATOR_FLAGS, "-fopenmp", *(("-O1", *SANITIZED_FLAGS) if debug else ())]
    key = content_key([*COMPILING, *emulator_files()], command)

    def make(target: Path, log: Path) -> None:
        together = target.with_suffix(".cpp")  # compiled as one file, a third of the time
        included = "".join(f'#include "{source.resolve()}"\n' for source in sources)
        together.write_text(included, encoding="utf-8")
        run_compiler([*command, str(together), "-o", str(target)], sources[0].parent, log)

    return build_once(sources[0].parent, f"emulator/scheduler-{key}.so", make)


def build_header(command: Sequence[str]) -> Path:
    """Precompile the header that every emulated file includes first: most kernels compile in less time.

    `command` is the compiler with its flags. g++ uses no precompiled header that was made with others.
    """
    header = EMULATOR / "cuda_emulator.h"
    name = f"emulator/header-{content_key(emulator_files(), command)}/{header.name}.gch"

    def make(target: Path, log: Path) -> None:
        run_compiler([*command, "-c", "-x", "c++-header", str(header), "-o", str(target)], header, log)

    return build_once(header, name, make)


def build_thrust_for_host(source: Path) -> Path:
    """Compile a file that uses Thrust for Thrust's host system."""
    wheels = importlib.util.find_spec("nvidia")
    folders = (wheels.submodule_search_locations or ()) if wheels else ()
    headers = sorted(path for folder in folders for path in Path(folder).glob("cu[0-9]*/include/cccl"))
    if not headers:
        raise DeviceError("Thrust's headers were not found; install the wheel nvidia-cuda-cccl")
    system = ["-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP", f"-I{headers[-1]}"]
    return build_by([find_cxx(), *HOST_FLAGS, *system], source, "emulator", settings=[processor()])


def emulator_files() -> list[Path]:
    """List the emulator's own files."""
    return sorted(path for path in EMULATOR.rglob("*") if path.is_file())


def emulator_log(source: Path) -> Path:
    """Return where what g++ says of a kernel file is kept."""
    return PLACES.build_folder() / "emulator" / f"{source.stem}.log"


def preprocess(compiler: str, source: Path, options: Sequence[str] = ()) -> list[Excerpt]:
    """Remove a kernel file's comments and expand its own macros; CUDA's keywords stay unchanged.

    Raises DeviceError if it fails.
    """
    command = [compiler, "-E", "-dI", "-x", "c++", "-std=c++20", "-DCUDA_ON_CPU", f"-I{EMULATOR}"]
    command += options
    command += [f"-imacros{name}" for name in ("cfloat", "climits", "cstdint")]  # `#if` may ask for them
    try:
        everything = run_compiler([*command, str(source.resolve())], source, emulator_log(source))
    except DeviceError as error:
        if missing := re.search(r"fatal error: ([^:]+): No such file", str(error)):
            told = f"the emulator cannot run #include <{missing[1]}>, which it does not have"
            raise DeviceError(f"{shown_path(source)}: {told}") from None
        raise
    _, *parts = re.split(r'^(# \d+ "([^"]*)")(.*)\n', everything, flags=re.MULTILINE)
    return [Excerpt(*parts[at : at + 4]) for at in range(0, len(parts), 4)]


def own_code(code: Sequence[Excerpt]) -> str:
    """Return what is from the kernel file and its headers; `#include` stays of those that are not its own."""
    files = {part.file for part in code if not part.is_systems()}  # also where they name a system's macro
    own_files = {file for file in files if not (file.startswith("<") or EMULATOR in Path(file).parents)}

    def kept(part: Excerpt) -> str:
        def without_own(found: re.Match[str]) -> str:
            folders = (Path(part.file).parent, PLACES.kernels)
            return "" if any((folder / found[1]).exists() for folder in folders) else found[0]

        return re.sub(r'^#include "(.*)"', without_own, part.text, flags=re.MULTILINE)

    return "".join(f"{part.marker}\n{kept(part)}" for part in code if part.file in own_files)


def list_kernels(
    code: Iterable[Excerpt], source: Path
) -> tuple[dict[str, tuple[str, str]], list[str], list[str]]:
    """List a file's `__global__` functions, its dynamic shared arrays and its `__constant__` variables.

    A kernel has its launch bounds and its cluster's size, as written. Raises DeviceError for what is refused
    here, such as a kernel that is a template: it has no name for a launch.
    """
    cannot = f"{shown_path(source)}: the emulator cannot run "
    text = "".join(part.text for part in code if not part.is_systems())
    for pattern, construct in REFUSED.items():
        if found := re.search(pattern, text):
            raise DeviceError(cannot + construct.format(*found.groups()))
    if first_value := next((one.name for one in declared(text, "__shared__") if one.initialised), None):
        told = f"the initialised __shared__ variable {first_value}; let a thread store its first value"
        raise DeviceError(cannot + told)
    written = r"((?:__(?:launch_bounds|cluster_dims)__\s*\((?:[^()]|\([^()]*\))*\)\s*)*)"
    kernel = rf"{written}__global__\s+{written}void\s+{written}(\w+)\s*\("
    if template := re.search(rf"template\s*<[^;{{}}]*>\s*(?:static\s+)?{kernel}", text):
        raise DeviceError(
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
