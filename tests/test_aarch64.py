"""The emulator's way through g++'s assembly on aarch64, whose directives differ from those on x86-64."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest

from command_line import Patch
from cuda_on_cpu.assembly import SharedVariable, guard_shared, used_symbols
from cuda_on_cpu.build import build_emulator

CROSS = "aarch64-linux-gnu-g++"
AARCH64 = 183
"""Its number in ELF files."""
THREAD_LOCAL = 7
"""The number of a segment of thread-local variables."""
ASSEMBLY = """\
	.text
	.align	2
	.type	inner, %function
inner:
	adrp	x0, :tlsdesc:two
	ldr	x1, [x0, #:tlsdesc_lo12:two]
	add	x0, x0, :tlsdesc_lo12:two
	.tlsdesccall	two
	blr	x1
	ret
	.size	inner, .-inner
	.type	emulated_direct, %function
emulated_direct:
	adrp	x0, :tlsdesc:one
	ret
	.size	emulated_direct, .-emulated_direct
	.type	emulated_by_table, %function
emulated_by_table:
	adrp	x0, table
	ret
	.size	emulated_by_table, .-emulated_by_table
	.section	.data.rel,"aw"
	.align	3
	.type	table, %object
	.size	table, 8
table:
	.xword	inner
	.section	.tbss,"awT",@nobits
	.align	3
	.type	two, %object
	.size	two, 32
two:
	.zero	32
	.global	one
	.align	3
	.type	one, %object
	.size	one, 128
one:
	.zero	128
"""
"""What version 12 makes of three functions, the first of which is called through a table."""


def test_shared_variables_are_found_and_guarded() -> None:
    text, variables = guard_shared(ASSEMBLY, "problem/variant.cu")
    assert variables == [SharedVariable("two", 32), SharedVariable("one", 128)]
    assert text.count("\t.zero\t256\n") == 4
    used = used_symbols(ASSEMBLY, ["emulated_direct", "emulated_by_table"])
    assert [symbols & {"one", "two"} for symbols in used.values()] == [{"one"}, {"two"}]


@pytest.mark.skipif(shutil.which(CROSS) is None, reason=f"no {CROSS}: apt-get install g++-aarch64-linux-gnu")
@pytest.mark.parametrize("file", ["blocks.cu", "failing.cu"])
def test_a_kernel_file_compiles(file: str, monkeypatch: Patch) -> None:
    monkeypatch.setenv("CXX", CROSS)
    library = build_emulator(Path(__file__).parent / "kernels" / file).read_bytes()
    (machine,) = struct.unpack_from("<H", library, 18)
    assert machine == AARCH64
    assert alignments_of_shared(library) == ([1024] if file == "blocks.cu" else [])


def alignments_of_shared(library: bytes) -> list[int]:
    """Return the alignment of an ELF file's thread-local variables, if it has any."""
    (first,), (size, count) = struct.unpack_from("<Q", library, 32), struct.unpack_from("<HH", library, 54)
    segments = range(first, first + size * count, size)
    return [
        struct.unpack_from("<Q", library, at + 48)[0]
        for at in segments
        if struct.unpack_from("<I", library, at) == (THREAD_LOCAL,)
    ]
