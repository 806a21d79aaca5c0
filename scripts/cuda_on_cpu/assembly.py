"""The shared memory of kernels, in g++'s assembly of a kernel file for the emulator.

In assembly, each `__shared__` variable is a thread-local symbol with a size. There it gets guards,
and there one sees which variables a kernel uses, itself or in the functions that it calls. Only directives
and names are read, no instructions; x86-64 and aarch64 write them almost alike.
"""

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from cuda_device.errors import DeviceError

MAX_SHARED = 227 * 1024
"""Most bytes of shared memory of a block, of compute capability 9.0; older devices have less."""

GUARD_BYTES = 256
"""Before and after each variable; the same as in `kernels/cuda_on_cpu/runtime.h`."""

VARIABLE = re.compile(r"\t\.size\t(?P<symbol>[\w.$]+), (?P<bytes>\d+)\n(?P=symbol):\n\t\.zero\t(?P=bytes)\n")
SECTION = re.compile(r"^(?=\t(?:\.section|\.text|\.data|\.bss)\b)", re.MULTILINE)
ALIAS = re.compile(r"^\t\.set\t([\w.$]+),([\w.$]+)$", re.MULTILINE)
"""A second name, and the first; g++ calls a function by one that it makes."""
LINE_LABEL = re.compile(r"^([A-Za-z_][\w.$]*):$", re.MULTILINE)
FUNCTION = re.compile(r"^\t\.type\t([\w.$]+), [@%]function$", re.MULTILINE)
ADDRESS = re.compile(r"^\t\.(?:quad|xword)\t.*\n", re.MULTILINE)
SYMBOL = re.compile(r"[A-Za-z_][\w.$]*")


@dataclass(frozen=True)
class SharedVariable:
    """A static `__shared__` variable."""

    symbol: str
    bytes: int

    def name(self) -> str:
        """Return its name in the kernel file."""
        return subprocess.check_output(["c++filt", self.symbol], text=True).strip().split("::")[-1]


def guard_shared(assembly: str, file: str) -> tuple[str, list[SharedVariable]]:
    """Add guards round all shared variables; return the assembly and the variables.

    Raises DeviceError if one of them has a first value, which a GPU cannot give it.
    """
    variables = []

    def guarded(found: re.Match[str]) -> str:
        symbol, size = found["symbol"], int(found["bytes"])
        variables.append(SharedVariable(symbol, size))
        guard = f"\t.zero\t{GUARD_BYTES}\n"
        visible = "" if re.search(rf"\.weak\t{re.escape(symbol)}\n", assembly) else f"\t.globl\t{symbol}\n"
        label = f"\t.size\t{symbol}, {size}\n{symbol}:\n\t.zero\t{size}\n"
        return f"{visible}\t.hidden\t{symbol}\n{guard}{label}{guard}"

    sections = SECTION.split(assembly)
    text = "".join(
        VARIABLE.sub(guarded, part) if part.startswith("\t.section\t.tbss") else part for part in sections
    )
    first_values = re.search(r"^\t\.section\t\.tdata.*\n(?:\t.*\n)*(?P<symbol>\S+):", assembly, re.MULTILINE)
    constructed = [variable.symbol for variable in variables if variable.symbol.startswith("_ZGV")]
    if first_values or constructed:
        symbol = first_values["symbol"] if first_values else constructed[0]
        name = SharedVariable(symbol.replace("_ZGV", "_Z"), 0).name()
        raise DeviceError(f"{file}: the emulator cannot run the initialised __shared__ variable {name}")
    return text, variables


def variable_bytes(assembly: str, name: str) -> int:
    """Return the size of a global variable, by its name in the file."""
    symbol = rf"(?:{name}|_Z\w*?{len(name)}{name}E?)"
    return sum(int(size) for size in re.findall(rf"^\t\.size\t{symbol}, (\d+)$", assembly, re.MULTILINE))


def used_symbols(assembly: str, kernels: Iterable[str]) -> dict[str, set[str]]:
    """List the symbols that each kernel refers to, itself or through others that the file defines."""
    _, *parts = LINE_LABEL.split(assembly)
    functions = set(FUNCTION.findall(assembly))
    bodies = {
        # what follows a variable names the next one, so only the addresses in it count
        name: text.partition("\t.size\t")[0] if name in functions else "".join(ADDRESS.findall(text))
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    bodies |= ALIAS.findall(assembly)
    words = cache(lambda name: set(SYMBOL.findall(bodies[name])))

    def reached_from(function: str) -> set[str]:
        reached: set[str] = set()
        ahead = {function}
        while ahead:
            reached |= ahead
            ahead = set().union(*(words(name) for name in ahead & bodies.keys())) - reached
        return reached

    return {function: reached_from(function) for function in kernels}


def dynamic_shared(names: Sequence[str]) -> str:
    """Return the assembly of the `extern __shared__` arrays, which all begin at the same address."""
    if not names:
        return ""
    labels = "".join(f"\t.globl\t{name}\n\t.hidden\t{name}\n{name}:\n" for name in names)
    room = f"\t.zero\t{MAX_SHARED + GUARD_BYTES}\n"
    return f'\t.section\t.tbss,"awT",@nobits\n\t.balign\t1024\n\t.zero\t1024\n{labels}{room}'
